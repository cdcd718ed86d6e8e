//! The collection of families and boards: embedded files, and folders outside.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::board::{Board, BoardFile};
use crate::error::{TargetError, nearest};
use crate::family::{Family, FamilyFile};

/// Every file of `board-support/`, by path.
static EMBEDDED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/board_support.rs"));

/// Families inherit from families and boards from boards; a longer chain is a mistake, probably a circle.
const MAX_INHERITANCE: usize = 8;

/// Families and boards by name.
#[derive(Clone, Debug)]
pub struct Library {
    /// Contents by `folder/file`.
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Library {
    /// The families and boards that come with the compiler.
    pub fn builtin() -> Library {
        Library {
            files: EMBEDDED
                .iter()
                .map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes)))
                .collect(),
        }
    }

    /// This library and the board (or family) in `dir`: a folder with a `board.toml` or a `delays.toml`, or a folder of such
    /// folders. Replaces folders of the same name.
    ///
    /// # Errors
    /// When a file cannot be read, or `dir` has neither file at either depth.
    pub fn with_dir(mut self, dir: &Path) -> Result<Library, TargetError> {
        let folders = if is_entry(dir) { vec![dir.to_owned()] } else { subfolders(dir)? };
        let mut found = false;
        for folder in folders.iter().filter(|f| is_entry(f)) {
            let name = folder.canonicalize().map_err(|e| io_error(folder, &e))?;
            let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.files.retain(|path, _| folder_of(path) != name);
            self.add_folder(&name, folder)?;
            found = true;
        }
        if !found {
            return Err(TargetError::Io {
                path: dir.display().to_string(),
                message: "no board.toml or delays.toml here or one level below".to_owned(),
            });
        }
        Ok(self)
    }

    fn add_folder(&mut self, prefix: &str, dir: &Path) -> Result<(), TargetError> {
        for entry in fs::read_dir(dir).map_err(|e| io_error(dir, &e))? {
            let entry = entry.map_err(|e| io_error(dir, &e))?;
            let path = entry.path();
            let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
            if path.is_dir() {
                self.add_folder(&name, &path)?;
            } else {
                let bytes = fs::read(&path).map_err(|e| io_error(&path, &e))?;
                self.files.insert(name, Cow::Owned(bytes));
            }
        }
        Ok(())
    }

    /// Names of all boards, in alphabetical order.
    pub fn boards(&self) -> Vec<&str> {
        self.folders_with("board.toml")
    }

    /// Names of all families, in alphabetical order.
    pub fn families(&self) -> Vec<&str> {
        self.folders_with("delays.toml")
    }

    fn folders_with(&self, file: &str) -> Vec<&str> {
        let names: BTreeSet<&str> = self
            .files
            .keys()
            .filter_map(|path| path.strip_suffix(file)?.strip_suffix('/'))
            .filter(|f| !f.contains('/'))
            .collect();
        names.into_iter().collect()
    }

    /// The board called `name`.
    ///
    /// # Errors
    /// When there is none (with the nearest names), or its files or its family's are wrong.
    pub fn board(&self, name: &str) -> Result<Board, TargetError> {
        let known = self.boards();
        if !known.contains(&name) {
            return Err(TargetError::UnknownBoard {
                name: name.to_owned(),
                nearest: nearest(name, known.iter().copied()),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        }
        let path = format!("{name}/board.toml");
        let (table, folders) = self.merged(name, "board.toml")?;
        let file = BoardFile::read(&path, table)?;
        let family = self.family(&file.family, &file.speed_grade)?;
        let mut files = BTreeMap::new();
        for folder in folders {
            files.extend(self.other_files(&folder));
        }
        file.finish(name, family, files)
    }

    /// The files of a folder that are neither `board.toml` nor `delays.toml`, by path in the folder.
    fn other_files(&self, folder: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
        let prefix = format!("{folder}/");
        self.files
            .iter()
            .filter_map(move |(path, bytes)| {
                Some((path.strip_prefix(&prefix)?.to_owned(), bytes.to_vec()))
            })
            .filter(|(path, _)| path != "board.toml" && path != "delays.toml")
    }

    /// The family called `name` at speed grade `grade`.
    ///
    /// # Errors
    /// When there is none (with the nearest names), it has no such grade, or its file is wrong.
    pub fn family(&self, name: &str, grade: &str) -> Result<Family, TargetError> {
        let known = self.families();
        if !known.contains(&name) {
            return Err(TargetError::UnknownFamily {
                name: name.to_owned(),
                nearest: nearest(name, known.iter().copied()),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        }
        let path = format!("{name}/delays.toml");
        let (table, _) = self.merged(name, "delays.toml")?;
        FamilyFile::read(&path, table)?.at_grade(grade)
    }

    /// The tables of a folder's `file` over those of the folder it inherits from, and all these folders, the furthest first.
    fn merged(&self, folder: &str, file: &str) -> Result<(toml::Table, Vec<String>), TargetError> {
        let mut chain = Vec::new();
        let mut next = Some(folder.to_owned());
        while let Some(folder) = next {
            let path = format!("{folder}/{file}");
            let bad = |message: String| TargetError::BadFile { path: path.clone(), message };
            if chain.len() == MAX_INHERITANCE {
                return Err(bad("inherits in a circle".to_owned()));
            }
            let mut table: toml::Table = toml::from_str(self.text(&path)?)
                .map_err(|e| bad(e.to_string().trim_end().to_owned()))?;
            next = match table.remove("inherits") {
                None => None,
                Some(toml::Value::String(parent)) => Some(parent),
                Some(other) => {
                    return Err(bad(format!("inherits must name a folder, not {other}")));
                }
            };
            chain.push((folder, table));
        }
        let mut merged = toml::Table::new();
        let mut folders = Vec::new();
        for (folder, table) in chain.into_iter().rev() {
            overlay(&mut merged, table);
            folders.push(folder);
        }
        Ok((merged, folders))
    }

    fn text(&self, path: &str) -> Result<&str, TargetError> {
        let bad = |message: &str| TargetError::BadFile {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        let bytes = self.files.get(path).ok_or_else(|| bad("there is no such file"))?;
        std::str::from_utf8(bytes).map_err(|_| bad("not UTF-8"))
    }
}

/// Puts the entries of `over` in place of those of `under`; tables merge, everything else is replaced.
fn overlay(under: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(toml::Value::Table(u)), toml::Value::Table(o)) => overlay(u, o),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

fn folder_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

fn is_entry(dir: &Path) -> bool {
    dir.join("board.toml").is_file() || dir.join("delays.toml").is_file()
}

fn subfolders(dir: &Path) -> Result<Vec<std::path::PathBuf>, TargetError> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| io_error(dir, &e))? {
        let path = entry.map_err(|e| io_error(dir, &e))?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn io_error(path: &Path, error: &std::io::Error) -> TargetError {
    TargetError::Io { path: path.display().to_string(), message: error.to_string() }
}
