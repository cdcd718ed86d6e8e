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

/// Codes of errors that the interpreter reports; its device renders them as text.
const RUN_CODES: [&str; 11] = [
    "E0501", "E0502", "E0503", "E0504", "E0505", "E0506", "E0507", "E0508", "E0509", "E0510",
    "E0511",
];

impl From<host::Error> for Failure {
    fn from(e: host::Error) -> Self {
        let rendered = e.message.strip_prefix("error[").and_then(|m| m.split_once("]: "));
        let known = |code: &str| RUN_CODES.into_iter().find(|c| *c == code);
        match rendered.and_then(|(code, rest)| Some((known(code)?, rest))) {
            Some((code, rest)) => Failure::new(code, rest.trim_end()),
            None if e.kind == host::ErrorKind::Execution => Failure::new("E0620", e.message),
            None => Failure::new("E0610", e.message),
        }
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
