//! Why a model cannot be built or run.

use std::path::PathBuf;

/// Why a model cannot be built or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program is not installed.
    #[error("{tool} is not installed; on Debian: apt-get install {package}")]
    MissingTool {
        /// What is missing.
        tool: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// A program failed.
    #[error("{program} failed{}:\n{output}", .input.as_ref().map(|i| format!(" on {i}")).unwrap_or_default())]
    Tool {
        /// Which program.
        program: String,
        /// The file it was working on, if it was one.
        input: Option<String>,
        /// What it said, shortened.
        output: String,
    },
    /// A file cannot be read or written, or a program cannot be started.
    #[error("{path}: {source}")]
    Io {
        /// File or program.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// There is no place for built models.
    #[error("no cache directory: neither XDG_CACHE_HOME nor HOME is set")]
    NoCache,
    /// A built model cannot be loaded.
    #[error("{path}: cannot be loaded: {problem}; remove it and try again")]
    Load {
        /// The library.
        path: PathBuf,
        /// Cause.
        problem: String,
    },
    /// The design cannot be simulated in this shape.
    #[error("design: {0}")]
    Design(String),
    /// The simulator itself failed.
    #[error("simulator: {0}")]
    Simulator(String),
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
