//! Floating point, division and conversions, each written once as an integer datapath.
//!
//! A description is a function generic over the builder trait [`Bits`]. With
//! [`native::Native`] it is an ordinary function that can be tested exhaustively; with the IR
//! builder it becomes kernel IR that the scheduler pipelines into a shared Verilog module. There
//! is no other definition of what an operator computes.

pub mod bits;
mod eval;
pub mod float;
pub mod format;
pub mod int;
pub mod ir_builder;
pub mod native;
pub mod operator;
pub mod stimulus;

pub use bits::{Bits, Rom};
pub use eval::{eval, eval_all};
pub use format::Format;
pub use ir::{FloatCC, Rounding};
pub use ir_builder::{build_function, expand};
pub use operator::{Operator, Outputs};
