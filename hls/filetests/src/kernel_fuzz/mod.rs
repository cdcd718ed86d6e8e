//! Random kernels (crate `fuzz`) on everything that runs kernels, which must all give the same.
//!
//! ```text
//! program -clang-> SPIR-V -> IR as read -> passes ... -> native code
//!     |               |          |            |  |-> schedule -> RTL -> Verilator
//!     '-> PoCL        '-> another producer    '- interpreter after every pass
//! ```
//!
//! * [`produce`]: OpenCL C to modules.
//! * [`levels`]: a module at one level, against what the interpreter made of it as read.
//! * [`cases`]: programs as files: launch files, regressions, what PoCL is asked.
//! * [`regressions`]: programs that failed once.
//! * [`search`]: many programs, what was found, the smallest program for it.

pub mod cases;
pub mod levels;
pub mod produce;
pub mod regressions;
pub mod search;
