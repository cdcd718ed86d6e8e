//! Errors of reading, writing and checking manifests.

use std::path::PathBuf;

/// Why a manifest or an argument list is not acceptable.
#[derive(Debug, thiserror::Error)]
pub enum AbiError {
    /// The arguments need more register space than the control interface has.
    #[error(
        "kernel `{kernel}`: its arguments need register bytes 0x10..{end:#x}, but only 0x10..{limit:#x} \
         exist; pass fewer or smaller arguments, or pass large structures through a buffer"
    )]
    TooManyArguments {
        /// Kernel name.
        kernel: String,
        /// First byte after the last argument.
        end: u32,
        /// First byte that arguments cannot use.
        limit: u32,
    },
    /// The manifest contradicts itself.
    #[error("manifest: {place}: {problem}")]
    Invalid {
        /// What is wrong: `kernel vadd, argument a`.
        place: String,
        /// In which way.
        problem: String,
    },
    /// The manifest was written by a version of the tools with another format.
    #[error(
        "manifest has format version {found}, these tools read version {expected}; build the design again"
    )]
    Version {
        /// Version in the file.
        found: u32,
        /// Version understood.
        expected: u32,
    },
    /// No such kernel.
    #[error("no kernel `{name}` in the design; it has: {available}")]
    NoKernel {
        /// Name asked for.
        name: String,
        /// Names that exist, separated by commas.
        available: String,
    },
    /// The text is not a manifest.
    #[error("{path}: not a manifest: {source}")]
    Json {
        /// File, or `manifest` where the text did not come from a file.
        path: PathBuf,
        /// Position and cause.
        source: serde_json::Error,
    },
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
}
