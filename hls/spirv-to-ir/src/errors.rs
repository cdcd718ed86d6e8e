//! Error codes of this crate and the constructors of its messages.

use base::Diagnostic;

/// Result inside this crate: one message. [`crate::read`] collects them.
pub(crate) type R<T> = Result<T, Box<Diagnostic>>;

/// An error code with what docs/errors.md says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorCode {
    /// The code, such as `E0101`.
    pub code: &'static str,
    /// What went wrong, in a few words.
    pub title: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $remedy:literal;)*) => {
        $(pub(crate) const $name: &str = $code;)*
        /// All error codes of this crate, in order.
        pub const ERROR_CODES: &[ErrorCode] = &[
            $(ErrorCode { code: $code, title: $title, remedy: $remedy },)*
        ];
    };
}

codes! {
    NOT_SPIRV = "E0101", "The input is not a SPIR-V module",
        "Give a binary SPIR-V file, as `clang --target=spirv64 -c` or `llvm-spirv` write it; text (`.spvasm`) must be assembled with `spirv-as`.";
    VERSION = "E0102", "The SPIR-V version is not supported",
        "Compile for SPIR-V 1.0 to 1.6, for instance with `--target=spirv64v1.4`.";
    MALFORMED = "E0103", "An instruction is truncated or malformed",
        "The file is damaged or its producer has a defect: check it with `spirv-val`.";
    UNKNOWN_OPCODE = "E0104", "An instruction is not in the SPIR-V grammar",
        "The file is damaged, or uses an extension newer than this release: disable that extension in the producer.";
    BAD_ID = "E0105", "An id is undefined, defined twice, or used where its definition does not reach",
        "The file is damaged or its producer has a defect: check it with `spirv-val`.";
    BAD_OPERAND = "E0106", "An operand has the wrong kind or type",
        "The file is damaged or its producer has a defect: check it with `spirv-val`.";
    BAD_STRUCTURE = "E0107", "Functions or blocks are not well formed",
        "The file is damaged or its producer has a defect: check it with `spirv-val`.";
    NOT_OPENCL = "E0108", "The module is not for OpenCL",
        "Compile an OpenCL C kernel: execution model Kernel, memory model OpenCL, addressing model Physical32 or Physical64. Shaders are not accepted.";
    NO_KERNEL = "E0109", "The module has no such kernel",
        "Mark a function `__kernel`, or give one of the names that the message lists.";
    UNSUPPORTED = "E0110", "An instruction is not supported yet",
        "`clhls support` lists what is supported; where a milestone adds the instruction, the note of the message names it.";
    UNSUPPORTED_EXT = "E0111", "An OpenCL.std function is not supported yet",
        "`clhls support` lists what is supported; where a milestone adds the function, the note of the message names it.";
    UNSUPPORTED_FEATURE = "E0112", "A capability, extension or execution mode is not supported",
        "Disable the feature in the producer (`-Xclang -cl-ext=-name`, `-mllvm -spirv-ext=-name`).";
    UNSUPPORTED_TYPE = "E0113", "A type is not supported",
        "`clhls support` lists what is supported.";
    UNRESOLVED = "E0114", "A function or variable is declared but defined nowhere",
        "Define it in the kernel's source, or link the modules before (`spirv-link`).";
    RECURSION = "E0115", "Functions call themselves",
        "OpenCL C forbids recursion: use a loop, with an explicit stack in private memory if need be.";
    TOO_LARGE = "E0116", "The module exceeds a limit",
        "Split the kernel, or make the array or structure smaller.";
    BAD_MEMORY = "E0117", "A variable or an access to it is not possible",
        "Constant memory cannot be written, and initial values must be known when compiling.";
    BAD_OPTION = "E0118", "An option that was given does not fit the module",
        "Give the number of a SpecId decoration of the module, or the constant's name, and a value of its type; sub-groups have 8, 16 or 32 work-items.";
    BAD_CONNECTION = "E0119", "A connection of a pipe does not fit the kernel",
        "Connect arguments that are pipes, each once, one that a kernel writes to one that a kernel reads, with packets of one size of at most 128 bytes; docs/pipes.md says what connected pipes can do.";
    BAD_FORMAT = "E0120", "A format that was given for an image does not fit the kernel",
        "Give the format for an argument of a kernel that is an image; docs/images.md has the names of formats.";
}

/// Comment before this crate's part of docs/errors.md.
pub const ERRORS_BEGIN: &str = "<!-- begin spirv-to-ir: generated -->";
/// Comment after it.
pub const ERRORS_END: &str = "<!-- end spirv-to-ir -->";

/// This crate's part of docs/errors.md.
pub fn errors_markdown() -> String {
    let mut out = format!(
        "{ERRORS_BEGIN}\n## Reading SPIR-V\n\n| code | meaning | what to do |\n|---|---|---|\n"
    );
    for c in ERROR_CODES {
        out.push_str(&format!("| {} | {} | {} |\n", c.code, c.title, c.remedy));
    }
    out + ERRORS_END
}

/// A message without a place; callers add what they know.
pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message))
}

/// Shorthand for `Err(error(..))`.
pub(crate) fn fail<T>(code: &'static str, message: impl Into<String>) -> R<T> {
    Err(error(code, message))
}

/// An error about something that a later milestone brings.
pub(crate) fn unsupported(code: &'static str, what: String, milestone: &str) -> Box<Diagnostic> {
    let message = format!("{what} is not supported yet");
    Box::new(
        Diagnostic::error(code, message)
            .note(format!("planned with the milestone \"{milestone}\""))
            .help("`clhls support` lists what is supported"),
    )
}
