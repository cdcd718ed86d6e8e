//! Errors of the command, each with a code, rendered with source lines where there are any.

use base::{Diagnostic, Diagnostics, SourceMap};

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

    /// As shown on a terminal.
    pub fn render(&self) -> String {
        self.diagnostics.render(&self.sources)
    }
}

impl From<Diagnostic> for Failure {
    fn from(d: Diagnostic) -> Self {
        Failure { diagnostics: d.into(), sources: SourceMap::default() }
    }
}

impl From<host::Error> for Failure {
    fn from(e: host::Error) -> Self {
        // messages of an interpreter run are rendered diagnostics already
        let text = e.message.strip_prefix("error[E").and_then(|m| m.split_once("]: "));
        let message = text.map_or(e.message.as_str(), |(_, rest)| rest);
        Failure::new(if text.is_some() { "E0620" } else { "E0610" }, message.trim_end())
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
pub fn io(what: &str, path: &std::path::Path, e: &std::io::Error) -> Failure {
    Failure::new("E0601", format!("cannot {what} {}: {e}", path.display()))
}
