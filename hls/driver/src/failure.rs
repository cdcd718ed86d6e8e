//! Errors of the command, each with a code, rendered with source lines where there are any.

use base::{Diagnostic, Diagnostics, Severity, SourceMap};
use std::collections::BTreeSet;
use std::path::Path;

/// Why a command failed: exit code 1.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What is wrong.
    pub diagnostics: Diagnostics,
    /// The files that the places in them are in.
    pub sources: SourceMap,
}

/// Result of a command.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// An error without a place in a source file.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic::error(code, message).into()
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.diagnostics.0.first_mut() {
            first.help = Some(text.into());
        }
        self
    }

    /// Errors with the files they are in.
    pub fn with_sources(diagnostics: Diagnostics, sources: &SourceMap) -> Self {
        Failure { diagnostics, sources: sources.clone() }
    }

    /// Names the file that errors without a place in a source file are in.
    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        let name = path.display().to_string();
        for d in &mut self.diagnostics.0 {
            if d.labels.is_empty() && !d.message.contains(&name) {
                d.notes.push(format!("in {name}"));
            }
        }
        self
    }

    /// Whether the first error has this code.
    pub(crate) fn is(&self, code: &str) -> bool {
        self.diagnostics.0.first().is_some_and(|d| d.code == code)
    }

    /// Whether the first error's message has this in it.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.diagnostics.0.first().is_some_and(|d| d.message.contains(text))
    }

    /// As shown on a terminal. An error that does not say what to do gets what docs/errors.md says.
    pub fn render(&self) -> String {
        let mut all = self.diagnostics.clone();
        let mut said = BTreeSet::new();
        for d in &mut all.0 {
            if d.help.is_none() && d.severity == Severity::Error && said.insert(d.code) {
                d.help = remedy(d.code).map(str::to_owned);
            }
        }
        all.render(&self.sources)
    }
}

/// What every error code means and what to do about it, a table row each.
const CODES: &str = include_str!("../../../docs/errors.md");
/// How remedies begin that say nothing of their own.
const NOTHING_NEW: [&str; 4] =
    ["See the message", "The message", "Its messages", "Install the package"];

/// What docs/errors.md says to do about an error.
fn remedy(code: &str) -> Option<&'static str> {
    let row = CODES.lines().find(|line| line.starts_with(&format!("| {code} |")))?;
    let mut cells = row.trim_matches('|').split(" | ").map(str::trim).skip(2);
    match cells.next() {
        Some(text) => Some(text).filter(|t| !NOTHING_NEW.iter().any(|n| t.starts_with(n))),
        None => Some("this is a defect of clhls: please report it with the kernel"),
    }
}

impl From<Diagnostic> for Failure {
    fn from(d: Diagnostic) -> Self {
        Failure { diagnostics: d.into(), sources: SourceMap::default() }
    }
}

/// Codes of errors that the interpreter reports; its device renders them as text.
const RUN_CODES: [&str; 13] = [
    "E0501", "E0502", "E0503", "E0504", "E0505", "E0506", "E0507", "E0508", "E0509", "E0510",
    "E0511", "E0512", "E0513",
];

impl From<host::Error> for Failure {
    fn from(e: host::Error) -> Self {
        let rendered = e.message.strip_prefix("error[").and_then(|m| m.split_once("]: "));
        let known = |code: &str| RUN_CODES.into_iter().find(|c| *c == code);
        match rendered.and_then(|(code, rest)| Some((known(code)?, rest))) {
            Some((code, rest)) => Failure::new(code, rest.trim_end()),
            None => Failure::new(code_of(e.kind), e.message),
        }
    }
}

fn code_of(kind: host::ErrorKind) -> &'static str {
    match kind {
        host::ErrorKind::Execution => "E0620",
        host::ErrorKind::KernelName => "E0607",
        host::ErrorKind::File => "E0601",
        host::ErrorKind::MissingTool => "E0603",
        host::ErrorKind::Device => "E0614",
        _ => "E0610",
    }
}

impl From<target::TargetError> for Failure {
    fn from(e: target::TargetError) -> Self {
        Failure::new("E0606", e.to_string())
    }
}

impl From<abi::AbiError> for Failure {
    fn from(e: abi::AbiError) -> Self {
        Failure::new("E0611", e.to_string())
    }
}

impl From<verilog_to_package::PackError> for Failure {
    fn from(e: verilog_to_package::PackError) -> Self {
        Failure::new("E0612", e.to_string())
    }
}

/// An I/O error on a path.
pub fn io(what: &str, path: &Path, e: &std::io::Error) -> Failure {
    Failure::new("E0601", format!("cannot {what} {}: {e}", path.display()))
}
