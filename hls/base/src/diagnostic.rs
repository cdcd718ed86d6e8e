//! Messages for the user: what, where in their source, why, what to do.

use crate::source::{Loc, SourceMap};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The input cannot be compiled.
    Error,
    /// It can, but not as the user may expect.
    Warning,
    /// Something worth knowing, such as why an initiation interval is what it is.
    Remark,
}

/// A place in the source with a word on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub loc: Loc,
    /// What is there; may be empty.
    pub text: String,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Stable code such as `E0103`; listed in docs/errors.md.
    pub code: &'static str,
    /// One sentence: what is wrong, naming the construct.
    pub message: String,
    /// Places, the first one the main one.
    pub labels: Vec<Label>,
    /// Why, one sentence each.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with code and message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning with code and message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A remark with code and message.
    pub fn remark(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, code, message)
    }

    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Diagnostic { severity, code, message, labels: vec![], notes: vec![], help: None }
    }

    /// Adds a place (ignored when unknown).
    pub fn at(self, loc: Loc) -> Self {
        self.label(loc, "")
    }

    /// Adds a place with a word on it (ignored when unknown).
    pub fn label(mut self, loc: Loc, text: impl Into<String>) -> Self {
        if loc.is_known() {
            self.labels.push(Label { loc, text: text.into() });
        }
        self
    }

    /// Adds a reason.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The message as shown on a terminal, with source lines where known.
    pub fn render(&self, sources: &SourceMap) -> String {
        let kind = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
        };
        let mut out = format!("{kind}[{}]: {}\n", self.code, self.message);
        for label in &self.labels {
            let place = sources.describe(label.loc).unwrap_or_default();
            let sep = if label.text.is_empty() { "" } else { ": " };
            out.push_str(&format!("  --> {place}{sep}{}\n", label.text));
            if let Some(line) = sources.line_text(label.loc) {
                out.push_str(&format!("{:>6} | {}\n", label.loc.line, line.trim_end()));
            }
        }
        for note in &self.notes {
            out.push_str(&format!("  = note: {note}\n"));
        }
        if let Some(help) = &self.help {
            out.push_str(&format!("  = help: {help}\n"));
        }
        out
    }
}

/// One or more messages, at least one of them an error: the error type of all steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics(pub Vec<Diagnostic>);

/// Result of a step.
pub type Result<T> = std::result::Result<T, Diagnostics>;

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Self {
        Diagnostics(vec![d])
    }
}

impl Diagnostics {
    /// All messages as shown on a terminal.
    pub fn render(&self, sources: &SourceMap) -> String {
        self.0.iter().map(|d| d.render(sources)).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(&SourceMap::default()).trim_end())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in &self.0 {
            writeln!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
impl std::error::Error for Diagnostics {}
