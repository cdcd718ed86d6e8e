//! The directory of built models: entries are named by the content they were built from, complete
//! when they exist, and never changed.

use crate::Error;
use std::path::{Path, PathBuf};

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
/// Processes that do so at the same time may both build; the first one's result stays.
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
    let temporary =
        tempfile::Builder::new().prefix(".build-").tempdir_in(root).map_err(Error::io(root))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_complete_or_absent() {
        let root = tempfile::tempdir().expect("a scratch directory");
        let root = root.path();
        let failed = entry(root, "a", |dir| {
            std::fs::write(dir.join("half"), "x").map_err(Error::io(dir))?;
            Err(Error::NoCache)
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_dir(root).expect("listable").count(), 0, "nothing is left");
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
        let (path, _) = entry(root, "a", |dir| {
            entry(root, "a", |dir| put(dir, "first"))?;
            put(dir, "second")
        })
        .expect("one of them is kept");
        assert_eq!(std::fs::read_to_string(path.join("f")).expect("readable"), "first");
        assert_eq!(std::fs::read_dir(root).expect("listable").count(), 1, "nothing else is left");
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
