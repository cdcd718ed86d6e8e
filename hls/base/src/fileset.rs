//! Files held in memory: what a step returns instead of touching the disk.

use std::collections::BTreeMap;

/// An ordered set of files: relative path (with `/`) to contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSet {
    files: BTreeMap<String, Vec<u8>>,
}

impl FileSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file or replaces it. `path` is relative and uses `/`.
    pub fn insert(&mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), contents.into());
    }

    /// The contents of one file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// All files, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(p, c)| (p.as_str(), c.as_slice()))
    }

    /// Moves all files of `other` in; a file of the same path is replaced.
    pub fn extend(&mut self, other: FileSet) {
        self.files.extend(other.files);
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
