//! Random kernels whose result is defined; development only.
//!
//! * [`program`]: programs in OpenCL C, as trees ([`tree`]) that print themselves, each with a launch.
//! * [`reduce`](mod@reduce): the smallest program that still fails.
//! * [`ir_kernels`]: kernels made as IR, for passes by themselves.
//!
//! What runs and compares them is `filetests::kernel_fuzz`.

mod generate;
pub mod ir_kernels;
pub mod reduce;
mod rng;
pub mod tree;
pub mod types;

pub use generate::{Settings, program};
pub use reduce::reduce;
pub use rng::Rng;
pub use tree::Program;
