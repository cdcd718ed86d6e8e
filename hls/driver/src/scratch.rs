//! Scratch directories that disappear with the command, also when a signal ends it.
//!
//! A process that is killed outright (SIGKILL, power) cannot clean up: what it left beside an output
//! is removed by the next command that makes a scratch directory there.

use crate::failure::{Failure, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::File;
use std::io::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How the names of scratch directories begin: like nobody's own.
const PREFIX: &str = ".clhls-scratch-";
/// An empty scratch directory that nobody holds locked is not being made any more after this time.
const MAKING: Duration = Duration::from_secs(60);

/// Directories to remove when a signal ends the process.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);
/// Whether a signal is ending the process.
static ENDING: Mutex<bool> = Mutex::new(false);

/// A directory that is removed when this is dropped.
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
    /// The directory, held locked until it is gone.
    _lock: File,
}

impl Scratch {
    /// A scratch directory among the system's temporary files.
    ///
    /// # Errors
    /// `E0601`
    pub(crate) fn temporary() -> Result<Self> {
        let folder = std::env::temp_dir();
        let fail = |e: Error| {
            let what = format!("cannot make a temporary directory in {}: {e}", folder.display());
            Failure::new("E0601", what).help("TMPDIR names another place")
        };
        Self::beside(&folder).map_err(fail)
    }

    /// A scratch directory in `folder`, on the same file system as its entries.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn beside(folder: &Path) -> std::io::Result<Self> {
        clean_up_on_signals();
        remove_abandoned(folder);
        let _gate = gate();
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder).map_err(plain)?;
        live().push(dir.path().to_owned());
        let lock = File::open(dir.path())?;
        // where the file system has no locks, nothing is ever taken for abandoned
        let _ = lock.try_lock();
        Ok(Scratch { dir, _lock: lock })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // While a signal's handler removes the directory, a second removal would fail half-way, and the process could be
        // gone before the handler is done.
        let _gate = gate();
        let path = self.dir.path();
        // TempDir's own drop comes after this one; a second removal finds nothing
        let _ = std::fs::remove_dir_all(path);
        live().retain(|p| p != path);
    }
}

/// Held while files are written or moved, so that no signal ends the process in between: what a
/// signal removes is not made again, and what it has emptied is not moved to its place.
pub(crate) fn gate() -> MutexGuard<'static, bool> {
    let gate = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    if *gate {
        drop(gate);
        loop {
            // the handler ends the process
            std::thread::park();
        }
    }
    gate
}

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what killed processes left in `folder`. Failures do not matter.
fn remove_abandoned(folder: &Path) {
    let Ok(items) = std::fs::read_dir(folder) else { return };
    for item in items.flatten() {
        let ours = item.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && item.file_type().is_ok_and(|t| t.is_dir()) && abandoned(&item.path()) {
            let _ = std::fs::remove_dir_all(item.path());
        }
    }
}

/// Whether the process that made this scratch directory is gone.
fn abandoned(dir: &Path) -> bool {
    if !File::open(dir).is_ok_and(|lock| lock.try_lock().is_ok()) {
        return false;
    }
    // its maker may be about to lock it
    let empty = std::fs::read_dir(dir).is_ok_and(|mut items| items.next().is_none());
    let made = std::fs::metadata(dir).and_then(|m| m.modified());
    !empty || made.is_ok_and(|t| t.elapsed().is_ok_and(|age| age > MAKING))
}

/// Has SIGINT, SIGTERM and SIGHUP remove the live directories before they end the process.
fn clean_up_on_signals() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !is_taken(*s));
        let Ok(mut signals) = Signals::new(wanted) else { return };
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                end();
            }
        });
    });
}

/// Whether a signal is ignored, as by `nohup`, or has a handler of the program that this is part of: it stays so.
fn is_taken(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let masks = status.lines().filter_map(|line| {
        let mask = line.strip_prefix("SigIgn:").or_else(|| line.strip_prefix("SigCgt:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    masks.fold(0, |all, mask| all | mask) >> (signal - 1) & 1 != 0
}

/// Removes the live directories and ends the process.
fn end() {
    *gate() = true;
    live().iter().for_each(|dir| remove(dir));
    // 128 + SIGINT, what shells show for a command that was interrupted
    #[expect(clippy::disallowed_methods, reason = "the scratch files are removed")]
    std::process::exit(130);
}

/// Removes a directory that a tool may still be writing to.
fn remove(dir: &Path) {
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        let _ = std::fs::remove_dir_all(dir);
        if !dir.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The system's error without the name of the scratch directory, which means nothing to anybody.
fn plain(e: Error) -> Error {
    let text = e.to_string();
    let text = text.split_once(" at path ").map_or(text.as_str(), |(problem, _)| problem);
    Error::new(e.kind(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> Vec<String> {
        let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("entry").file_name();
        let items = std::fs::read_dir(folder).expect("listable");
        items.map(|e| name(e).to_string_lossy().into_owned()).collect()
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the age of a directory is tested")]
    fn what_killed_processes_left_is_removed_and_what_others_use_is_not() {
        let folder = tempfile::tempdir().expect("scratch");
        let folder = folder.path();
        let used = Scratch::beside(folder).expect("made");
        std::fs::write(used.path().join("half"), "x").expect("written");
        for name in [".clhls-scratch-killed", ".clhls-scratch-new", ".clhls-scratch-old"] {
            std::fs::create_dir(folder.join(name)).expect("made");
        }
        std::fs::write(folder.join(".clhls-scratch-killed/half"), "x").expect("written");
        let past = std::time::SystemTime::now() - 2 * MAKING;
        let old = File::open(folder.join(".clhls-scratch-old")).expect("there");
        old.set_modified(past).expect("own directory");
        let second = Scratch::beside(folder).expect("made");
        assert!(used.path().join("half").exists() && second.path().exists());
        let left = entries(folder);
        assert!(!left.contains(&".clhls-scratch-killed".to_owned()), "{left:?}");
        assert!(!left.contains(&".clhls-scratch-old".to_owned()), "{left:?}");
        assert!(left.contains(&".clhls-scratch-new".to_owned()), "{left:?}");
        drop((used, second));
        assert_eq!(entries(folder), [".clhls-scratch-new"]);
    }

    #[test]
    fn errors_do_not_name_the_scratch_directory() {
        let folder = tempfile::tempdir().expect("scratch");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("written");
        let Err(e) = Scratch::beside(&file) else { panic!("a directory in a file") };
        assert_eq!(e.to_string(), "Not a directory (os error 20)");
    }
}
