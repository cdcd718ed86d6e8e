//! Programs as files: a kernel and its launch file, which anything that reads docs/launches.md can run.

use super::levels::Results;
use fuzz::Program;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

/// Elements of a result that is written into the launch file.
const INLINE_BYTES: usize = 64;

/// The text of a launch file for programs of one language version.
pub fn launch_file(cases: &[(&Program, Option<&Results>)]) -> String {
    let std = cases.first().map_or("CL1.2", |(p, _)| p.std);
    let mut text = format!("cl_std = \"{std}\"\n");
    for (p, results) in cases {
        let list = |sizes: &[u64]| {
            let words: Vec<String> = sizes.iter().map(u64::to_string).collect();
            words.join(", ")
        };
        let _ = write!(text, "\n[[launch]]\nname = \"{0}\"\nkernel = \"{0}\"\n", p.name);
        let _ = writeln!(text, "global = [{}]", list(&p.range.global));
        for (key, sizes) in [("local", &p.range.local), ("offset", &p.range.offset)] {
            if let Some(sizes) = sizes {
                let _ = writeln!(text, "{key} = [{}]", list(sizes));
            }
        }
        let args = p.arguments();
        let table = |pairs: &[(String, String)]| {
            let words: Vec<String> = pairs.iter().map(|(n, v)| format!("{n} = \"{v}\"")).collect();
            words.join(", ")
        };
        let _ = writeln!(text, "args = {{ {} }}", table(&args));
        let Some(results) = results else { continue };
        let constant = |name: &str| {
            let param = p.params.iter().find(|x| x.name == name);
            param.is_some_and(|x| x.text.contains("const"))
        };
        let expect: Vec<(String, String)> = results
            .iter()
            .filter(|(name, _)| !constant(name))
            .map(|(name, bytes)| {
                let value = args.iter().find(|a| a.0 == *name).map_or("", |a| a.1.as_str());
                (name.clone(), expectation(value, bytes))
            })
            .collect();
        let _ = writeln!(text, "expect = {{ {} }}", table(&expect));
    }
    text
}

/// The contents of a buffer, which had some value before, as a launch file says them.
fn expectation(value: &str, bytes: &[u8]) -> String {
    let ty = value.split(':').nth(1).and_then(|t| t.split('[').next()).unwrap_or("u8");
    let size = ty[1..].parse::<usize>().unwrap_or(8) / 8;
    if bytes.len() > INLINE_BYTES || ty.starts_with('f') {
        let hash: String = Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect();
        return format!("sha256:{hash}");
    }
    let number = |b: &[u8]| {
        let bits = b.iter().rev().fold(0u64, |v, x| v << 8 | u64::from(*x));
        format!("{bits:#x}")
    };
    let numbers: Vec<String> = bytes.chunks(size).map(number).collect();
    format!("data:{ty}[{}]:{}", numbers.len(), numbers.join(","))
}

/// Writes `kernel.cl` and `launches.toml` of programs into a folder.
///
/// # Errors
/// Those of the file system.
pub fn write(folder: &Path, cases: &[(&Program, Option<&Results>)]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let programs: Vec<Program> = cases.iter().map(|(p, _)| (*p).clone()).collect();
    std::fs::write(folder.join("kernel.cl"), fuzz::tree::module(&programs))?;
    std::fs::write(folder.join("launches.toml"), launch_file(cases))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launches::LaunchFile;
    use fuzz::{Settings, program};

    #[test]
    fn launch_files_are_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        for seed in 0..50 {
            let p = program(seed, "k", Settings { halves: seed % 2 == 0, ..Settings::default() });
            let results: Results = vec![("res".into(), vec![1, 0, 0, 0, 0, 0, 0, 0xff])];
            write(folder.path(), &[(&p, Some(&results))]).expect("written");
            let file = LaunchFile::read(&folder.path().join("launches.toml")).expect("readable");
            let launch = file.launches().next().expect("a launch");
            let mut args = p.arguments();
            args.sort();
            assert_eq!((launch.args, launch.global), (args, p.range.global.clone()));
            let want = "data:u64[1]:0xff00000000000001".to_owned();
            assert_eq!(launch.expect, [("res".to_owned(), want)]);
        }
    }
}
