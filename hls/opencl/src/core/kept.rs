//! Hardware that was generated before, kept in the user's cache directory: programs that run again start at once.

use super::build::Input;
use super::container::Hardware;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What generating hardware gives: the hardware, and what to tell beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generated {
    /// The hardware.
    pub hardware: Hardware,
    /// Warnings.
    pub log: String,
}

/// The hardware of a module for a board, kept from before or generated now. Failures of the cache do not matter.
///
/// # Errors
/// Those of `generate`.
pub fn hardware<E>(
    input: &Input<'_>,
    board: &str,
    generate: impl FnOnce() -> Result<Generated, E>,
) -> Result<Generated, E> {
    let folder = sim::default_cache_dir().ok();
    let generator = generator();
    let path = folder.zip(generator).map(|(folder, generator)| {
        folder.join(format!("hardware-{}", key(&generator, input, board)))
    });
    found_or_made(path.as_deref(), generate)
}

fn found_or_made<E>(
    path: Option<&Path>,
    generate: impl FnOnce() -> Result<Generated, E>,
) -> Result<Generated, E> {
    if let Some(kept) = path.and_then(read) {
        return Ok(kept);
    }
    let generated = generate()?;
    if let Some(path) = path {
        // without room or rights for it the hardware is generated again the next time
        let _ = write(path, &generated);
    }
    Ok(generated)
}

fn read(path: &Path) -> Option<Generated> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Writes a file that is there as a whole or not at all.
fn write(path: &Path, generated: &Generated) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(generated)?)?;
    file.persist(path)?;
    Ok(())
}

fn key(generator: &str, input: &Input<'_>, board: &str) -> String {
    let Input { module, constants, numerics, design, hardware: _ } = input;
    let mut hasher = blake3::Hasher::new();
    for text in [generator, board, &format!("{constants:?} {numerics:?} {design:?}")] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(module);
    hasher.finalize().to_hex()[..32].to_owned()
}

/// What generates hardware: the file that this code was loaded from, with its size and age. Another build of the
/// library is another file.
fn generator() -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let path = own_file()?;
    let data = std::fs::metadata(&path).ok()?;
    Some(format!("{} {} {}.{}", path.display(), data.len(), data.mtime(), data.mtime_nsec()))
}

/// The file whose code this is, by the process's table of mappings.
fn own_file() -> Option<PathBuf> {
    let here = own_file as fn() -> Option<PathBuf> as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (low, high) = range.split_once('-')?;
        let bound = |text| usize::from_str_radix(text, 16).ok();
        let inside = (bound(low)?..bound(high)?).contains(&here);
        inside.then(|| rest.find('/').map(|at| PathBuf::from(&rest[at..])))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::options::Design;
    use driver::pipeline::Numerics;

    fn generated(text: &str) -> Generated {
        let hardware = Hardware { manifest: text.into(), files: vec![] };
        Generated { hardware, log: "a warning".into() }
    }

    #[test]
    fn hardware_is_generated_once() {
        let folder = tempfile::tempdir().expect("a scratch directory");
        let path = folder.path().join("below").join("hardware-1");
        let path = path.as_path();
        let make = || Ok::<_, ()>(generated("one"));
        assert_eq!(found_or_made(Some(path), make), Ok(generated("one")));
        assert_eq!(found_or_made(Some(path), || Err(())), Ok(generated("one")));
        std::fs::write(path, "half").expect("writable");
        assert_eq!(
            found_or_made(Some(path), || Ok::<_, ()>(generated("two"))),
            Ok(generated("two"))
        );
        assert_eq!(found_or_made(None, || Err(7)), Err(7));
    }

    #[test]
    fn keys_tell_inputs_apart() {
        let numerics = Numerics::default();
        let (plain, wide) = (Design::default(), Design { simd: Some(4), ..Design::default() });
        let input =
            Input { module: b"m", constants: &[], numerics, design: &plain, hardware: None };
        let constants = [(1, 2)];
        let flushed = Numerics { denorms_are_zero: true, ..numerics };
        let keys = [
            key("g", &input, "u250"),
            key("h", &input, "u250"),
            key("g", &input, "ulx3s"),
            key("g", &Input { module: b"n", ..input }, "u250"),
            key("g", &Input { constants: &constants, ..input }, "u250"),
            key("g", &Input { numerics: flushed, ..input }, "u250"),
            key("g", &Input { design: &wide, ..input }, "u250"),
        ];
        for (k, one) in keys.iter().enumerate() {
            assert!(!keys[..k].contains(one), "{k}");
        }
        assert_eq!(keys[0], key("g", &input, "u250"));
    }

    #[test]
    fn the_own_file_is_found() {
        let file = own_file().expect("mapped");
        assert_eq!(file, std::env::current_exe().expect("a program"));
    }
}
