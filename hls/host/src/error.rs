//! Errors of host operations, each with the OpenCL error code it corresponds to.

/// What kind of failure it is, in OpenCL's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Number of dimensions not 1 to 3.
    WorkDimension,
    /// Global size zero, or beyond what ids can count.
    GlobalWorkSize,
    /// Offset plus size beyond 2^32.
    GlobalOffset,
    /// Local size not allowed: does not divide, too many work-items, not the required one.
    WorkGroupSize,
    /// Local size in one dimension beyond the device's limit.
    WorkItemSize,
    /// No such argument.
    ArgIndex,
    /// Value of the wrong size.
    ArgSize,
    /// Value of the wrong kind or type.
    ArgValue,
    /// An argument is missing or given twice.
    KernelArgs,
    /// No such kernel.
    KernelName,
    /// No such buffer, or an access outside it.
    Buffer,
    /// Size of a buffer not allowed.
    BufferSize,
    /// The device's memory does not suffice.
    OutOfMemory,
    /// Text that is not a value, or a file that cannot be read as one.
    Value,
    /// The device cannot do that yet.
    Unsupported,
    /// The kernel went wrong while it ran.
    Execution,
    /// A program that the device needs is not installed.
    MissingTool,
    /// A file cannot be read or written.
    File,
    /// The device itself cannot be built, loaded or reached.
    Device,
}

impl ErrorKind {
    /// The error code of the OpenCL API (`CL/cl.h`).
    pub fn opencl_code(self) -> i32 {
        match self {
            Self::WorkDimension => -53,
            Self::GlobalWorkSize => -63,
            Self::GlobalOffset => -56,
            Self::WorkGroupSize => -54,
            Self::WorkItemSize => -55,
            Self::ArgIndex => -49,
            Self::ArgSize => -51,
            Self::ArgValue => -50,
            Self::KernelArgs => -52,
            Self::KernelName => -46,
            Self::Buffer => -38,
            Self::BufferSize => -61,
            Self::OutOfMemory => -4,
            Self::Value => -30,
            Self::Unsupported => -59,
            Self::Execution => -5,
            Self::MissingTool | Self::File | Self::Device => -2,
        }
    }
}

/// A failed host operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, where, and what was expected.
    pub message: String,
}

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
