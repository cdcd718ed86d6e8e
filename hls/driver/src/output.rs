//! Output directories and files: written beside their place and moved there when complete.

use crate::failure::{Failure, Result, io};
use crate::scratch::{Scratch, gate};
use base::FileSet;
use rustix::fs::{CWD, RenameFlags, renameat_with};
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
    let place = place_of(dir);
    let parent = parent_of(&place);
    std::fs::create_dir_all(&parent).map_err(fail)?;
    let scratch = Scratch::beside(&parent).map_err(fail)?;
    let fresh = scratch.path().join("new");
    std::fs::create_dir(&fresh).map_err(fail)?;
    for (path, contents) in files.iter() {
        write_below(&fresh.join(path), contents).map_err(fail)?;
    }
    let _gate = gate();
    put(&fresh, &place, &scratch.path().join("old")).map_err(fail)
}

/// The name to put something at: of what a symbolic link leads to, and without `/.` at its end.
fn place_of(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => parent_of(path).join(name),
        None => path.to_owned(),
    })
}

/// Moves the directory `fresh` to `place`. What is there goes away in the same step where the
/// system can do that, else to `aside` first.
fn put(fresh: &Path, place: &Path, aside: &Path) -> std::io::Result<()> {
    if !place.exists() {
        return std::fs::rename(fresh, place);
    }
    if renameat_with(CWD, fresh, CWD, place, RenameFlags::EXCHANGE).is_ok() {
        return Ok(());
    }
    std::fs::rename(place, aside)?;
    std::fs::rename(fresh, place).inspect_err(|_| {
        // nothing more can be done when this fails, too: the error says so
        let _ = std::fs::rename(aside, place);
    })
}

/// Whether a build may go to `dir`; asked before work starts.
///
/// # Errors
/// `E0605`
pub fn check_replaceable(dir: &Path) -> Result<()> {
    let foreign = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return nearest(dir).map_err(|e| unwritable(dir, &e));
        }
        Err(e) => return Err(unwritable(dir, &e)),
        Ok(mut entries) => entries.next().is_some() && !dir.join(MARK).exists(),
    };
    if foreign {
        let what = format!("{} exists and is not the output of a build", dir.display());
        return Err(Failure::new("E0605", what).help("give another directory with -o"));
    }
    writable(&parent_of(dir)).map_err(|e| unwritable(dir, &e))
}

/// Whether something can be made in the first folder above `path` that exists.
fn nearest(path: &Path) -> std::io::Result<()> {
    let parent = parent_of(path);
    if parent.exists() || parent == path { writable(&parent) } else { nearest(&parent) }
}

/// Whether something can be made in a folder.
fn writable(folder: &Path) -> std::io::Result<()> {
    Scratch::beside(folder).map(drop)
}

fn unwritable(dir: &Path, e: &std::io::Error) -> Failure {
    let what = format!("cannot write the directory {}: {e}", dir.display());
    Failure::new("E0605", what).help("give another directory with -o")
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
    write_below(path, contents).map_err(|e| io("write", path, &e))
}

fn write_below(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    let _gate = gate();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, contents)
}

/// Writes a file that is complete whenever it exists; pipes and devices are written to.
///
/// # Errors
/// `E0601`
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return write_file(path, contents);
    }
    let fail = |e: std::io::Error| io("write", path, &e);
    let place = place_of(path);
    let scratch = Scratch::beside(&parent_of(&place)).map_err(fail)?;
    let fresh = scratch.path().join("new");
    let _gate = gate();
    std::fs::write(&fresh, contents).map_err(fail)?;
    std::fs::rename(&fresh, &place).map_err(fail)
}

/// Whether a file can be put at `path`; asked before work starts.
///
/// # Errors
/// `E0601`
pub fn check_file(path: &Path) -> Result<()> {
    let fail = |e: std::io::Error| io("write", path, &e);
    match std::fs::metadata(path) {
        Ok(m) if m.is_dir() => Err(fail(std::io::ErrorKind::IsADirectory.into())),
        Ok(m) if !m.is_file() => Ok(()),
        _ => writable(&parent_of(path)).map_err(fail),
    }
}
