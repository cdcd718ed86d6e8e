//! The directory of built models: entries are named by the content they were built from, complete
//! when they exist, and never changed.

use crate::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `$XDG_CACHE_HOME/clhls`, or `~/.cache/clhls`.
///
/// # Errors
/// [`Error::NoCache`] if the environment names neither.
pub fn default_cache_dir() -> Result<PathBuf, Error> {
    let absolute =
        |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("clhls"))
        .ok_or(Error::NoCache)
}

/// Hash of everything an entry depends on.
pub(crate) struct Key(blake3::Hasher);

impl Key {
    pub(crate) fn new(kind: &str) -> Self {
        let mut key = Self(blake3::Hasher::new());
        key.add(kind);
        key
    }

    /// Adds a text; its length keeps neighbours apart.
    pub(crate) fn add(&mut self, text: &str) -> &mut Self {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    pub(crate) fn finish(&self) -> String {
        self.0.finalize().to_hex()[..32].to_owned()
    }
}

/// Returns the directory `root/name`; if it does not exist, `fill` builds its contents in a
/// temporary directory that then gets this name at once. The flag is true if it existed.
///
/// Others that want the same directory wait for it, in this process or another one. The rename makes
/// it right even where the file system has no locks.
pub(crate) fn entry(
    root: &Path,
    name: &str,
    fill: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(PathBuf, bool), Error> {
    let path = root.join(name);
    if path.is_dir() {
        return Ok((path, true));
    }
    std::fs::create_dir_all(root).map_err(Error::io(root))?;
    let _lock = lock(root, name);
    if path.is_dir() {
        return Ok((path, true));
    }
    remove_abandoned(root);
    let temporary =
        tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(root).map_err(Error::io(root))?;
    // held until the directory has its name or is gone
    let in_use = File::open(temporary.path()).map_err(Error::io(temporary.path()))?;
    // where the file system has no locks, age alone tells what is abandoned
    let _ = in_use.try_lock();
    fill(temporary.path())?;
    match std::fs::rename(temporary.path(), &path) {
        Ok(()) => {
            // It has a new name: there is nothing left for the guard to remove.
            let _ = temporary.keep();
            Ok((path, false))
        }
        Err(_) if path.is_dir() => Ok((path, false)),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// How the names of directories begin in which something is being built.
const TEMPORARY: &str = ".build-";
/// Nobody needs this long to lock a directory that was made.
const MAKING: Duration = Duration::from_secs(60);
/// No build takes this long.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes what processes left behind that were killed while they built. Failures do not matter.
fn remove_abandoned(root: &Path) {
    let Ok(items) = std::fs::read_dir(root) else { return };
    for item in items.flatten() {
        let temporary = item.file_name().to_string_lossy().starts_with(TEMPORARY);
        let age = item.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        let Ok(Ok(age)) = age else { continue };
        let unused = || File::open(item.path()).is_ok_and(|dir| dir.try_lock().is_ok());
        if temporary && (age > ABANDONED || age > MAKING && unused()) {
            let _ = std::fs::remove_dir_all(item.path());
        }
    }
}

/// Waits until nobody else builds an entry of this name. The lock files are shared between entries,
/// so that there is a bounded number of them. `None` if the file system cannot lock.
fn lock(root: &Path, name: &str) -> Option<File> {
    let digest = blake3::hash(name.as_bytes());
    let path = root.join(format!(".lock-{:02x}", digest.as_bytes()[0]));
    let file = File::options().create(true).truncate(false).write(true).open(path).ok()?;
    file.lock().ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn directories(root: &Path) -> usize {
        let items = std::fs::read_dir(root).expect("listable");
        items.filter(|item| item.as_ref().is_ok_and(|item| item.path().is_dir())).count()
    }

    #[test]
    fn many_want_it_and_one_builds_it() {
        let root = tempfile::tempdir().expect("a scratch directory");
        let builds = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let build = |_: &Path| {
                        builds.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(())
                    };
                    entry(root.path(), "a", build).expect("built or found");
                });
            }
        });
        assert_eq!(builds.into_inner(), 1);
    }

    #[test]
    fn entries_are_complete_or_absent() {
        let root = tempfile::tempdir().expect("a scratch directory");
        let root = root.path();
        let failed = entry(root, "a", |dir| {
            std::fs::write(dir.join("half"), "x").map_err(Error::io(dir))?;
            Err(Error::NoCache)
        });
        assert!(failed.is_err());
        assert_eq!(directories(root), 0, "nothing is left");
        let fill = |dir: &Path| std::fs::write(dir.join("f"), "1").map_err(Error::io(dir));
        let (path, cached) = entry(root, "a", fill).expect("built");
        assert!(path.join("f").is_file() && !cached);
        let (_, cached) = entry(root, "a", |_| Err(Error::NoCache)).expect("found");
        assert!(cached);
    }

    #[test]
    fn the_first_of_two_builders_wins() {
        let root = tempfile::tempdir().expect("a scratch directory");
        let root = root.path();
        let put = |dir: &Path, text| std::fs::write(dir.join("f"), text).map_err(Error::io(dir));
        // Another process that does not see the lock finishes in the meantime.
        let (path, _) = entry(root, "a", |dir| {
            let other = root.join("a");
            std::fs::create_dir(&other).map_err(Error::io(&other))?;
            put(&other, "first")?;
            put(dir, "second")
        })
        .expect("one of them is kept");
        assert_eq!(std::fs::read_to_string(path.join("f")).expect("readable"), "first");
        assert_eq!(directories(root), 1, "nothing else is left");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the age of a directory is tested")]
    fn abandoned_builds_are_removed_and_running_ones_are_not() {
        let root = tempfile::tempdir().expect("a scratch directory");
        let make = |name: &str, age: Duration| {
            let path = root.path().join(name);
            std::fs::create_dir(&path).expect("writable");
            let time = std::time::SystemTime::now() - age;
            File::open(&path).and_then(|dir| dir.set_modified(time)).expect("own directory");
            path
        };
        let old = make(".build-old", 2 * ABANDONED);
        let killed = make(".build-killed", 2 * MAKING);
        let new = make(".build-new", MAKING / 2);
        let used = make(".build-used", ABANDONED / 2);
        let lock = File::open(&used).expect("own directory");
        lock.try_lock().expect("not locked");
        let other = make("model-old", 2 * ABANDONED);
        entry(root.path(), "a", |_| Ok(())).expect("built");
        assert!(!old.exists() && !killed.exists());
        assert!(new.exists() && used.exists() && other.exists());
    }

    #[test]
    fn keys_tell_neighbours_apart() {
        let key = |texts: &[&str]| {
            let mut key = Key::new("k");
            for text in texts {
                key.add(text);
            }
            key.finish()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }
}
