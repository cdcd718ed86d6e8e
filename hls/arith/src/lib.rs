//! Floating point, division and conversions, each written once as an integer datapath.
//!
//! A description is a function generic over the builder trait [`Bits`]. With
//! [`native::Native`] it is an ordinary function that can be tested exhaustively; with
//! [`ir_builder::IrBuilder`] it becomes kernel IR that the scheduler pipelines into a shared
//! Verilog module. There is no other definition of what an operator computes.
//!
//! [`Operator`] is the registry: every operator as a value with a name, widths and a datapath.
//! [`eval`] runs one natively, [`build_function`] and [`expand`] make IR of it.
//!
//! ```
//! use clhls_arith::{Format, Operator, Rounding, build_function, eval};
//!
//! let add = Operator::FAdd(Format::F32, Rounding::Rte);
//! let bits = |x: f32| x.to_bits() as u128;
//! assert_eq!(eval(add, &[bits(0.1), bits(0.2)]), bits(0.1 + 0.2));
//!
//! let function = build_function(add, 64);
//! assert_eq!(function.name, "fadd_f32");
//! ```

pub mod bits;
mod eval;
pub mod float;
pub mod format;
pub mod int;
pub mod ir_builder;
pub mod math;
pub mod native;
pub mod operator;
pub mod recurrence;
pub mod remainder;
mod shift;
pub mod stimulus;

pub use bits::{Bits, Rom, Shifted};
pub use eval::{eval, eval_all, eval_values};
pub use format::Format;
pub use ir::{FloatCC, Rounding};
pub use ir_builder::{InTurns, build_function, build_in_turns, expand};
pub use operator::{Operator, Outputs};
pub use recurrence::Recurrence;
