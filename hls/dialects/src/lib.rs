//! The dialects of FPGA vendors' OpenCL C compilers (Intel FPGA SDK for OpenCL, formerly Altera; Xilinx SDAccel and Vitis),
//! translated into what clang compiles and clhls understands.
//!
//! * Channels and pipes at program scope become `extern __constant` variables whose assembler names say what they are
//!   (`clhls.channel.NAME.DEPTH`, with `.io.PORT` behind it for one that leaves the device), and operations on them calls of
//!   functions that are declared only (`src/prelude.h`).
//! * Pragmas and attributes of loops and kernels become [`Hint`]s.
//! * Attributes that clang does not know go, and the user is told of those that would have mattered.
//!
//! The text is preprocessed: what makes up a declaration may come from macros and included files. Everything stays in its line,
//! and in its column where that is possible, so that messages and debug information name places in the user's files. Where
//! `clang -E -dD` made the text, numbers in pragmas may be names of macros, as a preprocessor does not look into pragmas. Its
//! `#define`s go: they have done their work.
//!
//! Nothing here reads declarations as a compiler does: tokens are enough, as what is special stands at the beginning of a
//! declaration, before a loop, or in an attribute.

mod attributes;
mod channels;
mod constant;
mod edits;
mod hint;
mod loops;
mod pipes;
mod token;
mod walk;

pub use hint::{Hint, KernelHint, LoopHint};

/// What is to be compiled, and what is known besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// What is to be compiled instead; `None` where nothing changes.
    pub text: Option<String>,
    /// What the text says of kernels, then of loops, each in its order.
    pub hints: Vec<Hint>,
    /// What is not used, for the user: each kind once for each file.
    pub notes: Vec<Note>,
}

/// Something that is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// File, as line markers name it.
    pub file: String,
    /// Line there, from 1.
    pub line: u32,
    /// One sentence without a full stop.
    pub text: String,
}

/// Why a text cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File, as line markers name it.
    pub file: String,
    /// Line there, from 1.
    pub line: u32,
    /// Column in the preprocessed text, from 1, in bytes.
    pub column: u32,
    /// What is wrong: one sentence without a full stop.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

/// Parts of words that only the dialects have.
const WORDS: [&str; 20] = [
    "_altera",
    "_channel_intel",
    "_channel_nb_intel",
    "__burst_coalesced",
    "__fpga_reg",
    "__pipelined_",
    "__prefetching_load",
    "cl_intel_channels",
    "disable_loop_pipelining",
    "ivdep",
    "loop_coalesce",
    "max_concurrency",
    "max_interleaving",
    "nofusion",
    "nounroll",
    "read_pipe_block",
    "speculated_iterations",
    "unroll_hint",
    "write_pipe_block",
    "xcl_",
];

/// Whether a text may use a dialect: looks for words only. Where it is false of a preprocessed text, that can be compiled as it is. Of a text that is
/// not preprocessed yet it says nothing about what that includes.
pub fn is_likely(text: &str) -> bool {
    let pragma = |line: &str| {
        let words = line.trim_start().strip_prefix('#').map(str::trim_start);
        let words = words.and_then(|l| l.strip_prefix("pragma")).map(str::trim_start);
        words.is_some_and(|l| l.starts_with("ii") || l.starts_with("II"))
    };
    if WORDS.iter().any(|w| text.contains(w)) || text.lines().any(pragma) {
        return true;
    }
    // The others are common words elsewhere.
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let class = |word: &str| attributes::class(attributes::bare(word));
    let of_dialect = |word: &str| {
        use attributes::Class;
        !matches!(class(word), Class::Foreign | Class::GroupSize | Class::Unroll)
    };
    text.contains("__attribute") && words.any(of_dialect)
}

/// Translates preprocessed OpenCL C.
///
/// # Errors
/// A channel whose depth is no number, and what is known not to work on a pipe at program scope.
pub fn translate(preprocessed: &str) -> Result<Translation, Problem> {
    walk::translate(preprocessed)
}
