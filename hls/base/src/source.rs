//! Places in the user's source.

use crate::entity::{PrimaryMap, entity_impl};
use std::fmt;

/// A source file of the module (from SPIR-V `OpString`/`OpSource`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);
entity_impl!(FileId, "file");

/// A place in a source file. `line == 0` means unknown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Loc {
    /// Index of the file in the module's [`SourceMap`]; meaningless when `line == 0`.
    pub file: u32,
    /// Line, from 1; 0 = unknown.
    pub line: u32,
    /// Column, from 1; 0 = unknown.
    pub column: u32,
}

impl Loc {
    /// No place known.
    pub const UNKNOWN: Loc = Loc { file: 0, line: 0, column: 0 };

    /// Whether this names a line.
    pub fn is_known(self) -> bool {
        self.line != 0
    }

    /// This place, or `other` when this one is unknown.
    pub fn or(self, other: Loc) -> Loc {
        if self.is_known() { self } else { other }
    }
}

impl Default for Loc {
    fn default() -> Self {
        Loc::UNKNOWN
    }
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path as the producer wrote it.
    pub name: String,
    /// Text, when the module carries it or the driver found the file.
    pub text: Option<String>,
}

/// The source files of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    /// All files, in order of first mention.
    pub files: PrimaryMap<FileId, SourceFile>,
}

impl SourceMap {
    /// The id of the file named `name`, added when new.
    pub fn intern(&mut self, name: &str) -> FileId {
        if let Some((id, _)) = self.files.iter().find(|(_, f)| f.name == name) {
            return id;
        }
        self.files.push(SourceFile { name: name.to_owned(), text: None })
    }

    /// `name:line:column`, or `None` when unknown.
    pub fn describe(&self, loc: Loc) -> Option<String> {
        if !loc.is_known() {
            return None;
        }
        let name = self.file(loc).map_or("?", |f| f.name.as_str());
        Some(match loc.column {
            0 => format!("{name}:{}", loc.line),
            c => format!("{name}:{}:{c}", loc.line),
        })
    }

    /// The text of the line that `loc` names, when known.
    pub fn line_text(&self, loc: Loc) -> Option<&str> {
        let text = self.file(loc)?.text.as_deref()?;
        text.lines().nth(loc.line.checked_sub(1)? as usize)
    }

    fn file(&self, loc: Loc) -> Option<&SourceFile> {
        self.files.get(FileId::from_u32(loc.file))
    }
}

impl fmt::Display for Loc {
    /// `file:line:column` as numbers, the form used in IR text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
