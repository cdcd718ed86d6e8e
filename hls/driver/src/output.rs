//! Output directories: written beside their place and moved there when complete.

use crate::failure::{Failure, Result, io};
use base::FileSet;
use std::path::{Path, PathBuf};

/// File that marks a directory as ours: only such a directory, or an empty one, is replaced.
const MARK: &str = abi::MANIFEST_FILE;

/// Writes `files` as the directory `dir`. What was there before is replaced in one step, and only
/// when all files have been written; a failure leaves it as it was.
///
/// # Errors
/// `E0605` when the directory holds something that is not a build, or cannot be written.
pub fn write_dir(dir: &Path, files: &FileSet) -> Result<()> {
    check_replaceable(dir)?;
    let fail = |e: std::io::Error| unwritable(dir, &e);
    let parent = parent_of(dir);
    std::fs::create_dir_all(&parent).map_err(fail)?;
    let scratch = tempfile::Builder::new().prefix(".clhls-").tempdir_in(&parent).map_err(fail)?;
    let fresh = scratch.path().join("new");
    std::fs::create_dir(&fresh).map_err(fail)?;
    for (path, contents) in files.iter() {
        write_file(&fresh.join(path), contents)?;
    }
    if dir.exists() {
        std::fs::rename(dir, scratch.path().join("old")).map_err(fail)?;
    }
    std::fs::rename(&fresh, dir).map_err(fail)
}

/// Whether a build may go to `dir`; asked before work starts.
///
/// # Errors
/// `E0605`
pub fn check_replaceable(dir: &Path) -> Result<()> {
    let foreign = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => false,
        Err(e) => return Err(unwritable(dir, &e)),
        Ok(mut entries) => entries.next().is_some() && !dir.join(MARK).exists(),
    };
    if foreign {
        let what = format!("{} exists and is not the output of a build", dir.display());
        return Err(Failure::new("E0605", what).help("give another directory with -o"));
    }
    Ok(())
}

fn unwritable(dir: &Path, e: &std::io::Error) -> Failure {
    Failure::new("E0605", format!("cannot write the directory {}: {e}", dir.display()))
}

fn parent_of(dir: &Path) -> PathBuf {
    match dir.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes a file and the folders it stands in.
///
/// # Errors
/// `E0601`
pub fn write_file(path: &Path, contents: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| io("make the folder of", path, &e))?;
    }
    std::fs::write(path, contents).map_err(|e| io("write", path, &e))
}
