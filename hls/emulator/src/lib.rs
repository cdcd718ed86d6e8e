//! Runs kernels as native code: the fast emulator.
//!
//! ```
//! use emulator::{Argument, Options, Program};
//! let module = ir::parse::parse_module(r#"
//! module "m" addr 64 cl 120
//! kernel "fill" {
//!   arg 0 "out" "uint*" global size 8 align 4
//! b0:
//!   v0:ptr.global = arg 0
//!   v1:i64 = workitem global_id 0
//!   v2:i64 = const 2
//!   v3:i64 = shl v1, v2
//!   v4:ptr.global = ptradd v0, v3
//!   v5:i32 = slice v1 lo 0
//!   e0 = store v4, v5 align 4
//!   ret
//! }"#)?;
//! let program = Program::compile(&module, &Options::default())?;
//! let mut out = [7u32; 6];
//! let range = host::ResolvedRange {
//!     work_dim: 1,
//!     global: [6, 1, 1],
//!     local: [3, 1, 1],
//!     num_groups: [2, 1, 1],
//!     offset: [0; 3],
//! };
//! let args = [Argument::Pointer(out.as_mut_ptr() as u64)];
//! // SAFETY: the kernel writes six words.
//! unsafe { program.launch("fill", &range, &args, 2)? };
//! assert_eq!(out, [0, 1, 2, 3, 4, 5]);
//! # Ok::<(), base::Diagnostics>(())
//! ```
//!
//! # What it computes
//! What the interpreter computes, bit for bit, NaNs, subnormal numbers and divisions by zero included. Operations that
//! the processor has no instruction for are evaluated by `interp::eval`.
//!
//! # What it does not check
//! Accesses. Addresses are those of the process: a kernel that leaves its buffers corrupts memory or ends
//! the process, one that never ends never returns, and misaligned accesses simply happen. The
//! interpreter checks all of that. What is found here too: barriers that not all work-items of a group
//! reach, and code that the source declares unreachable.
//!
//! # How
//! * [`Program::compile`] writes a function of machine code for each *phase* of a kernel, which is what lies
//!   between two barriers, with the loop over the work-items of a group in it (`phases`, `lower`).
//! * Values that live across a barrier are kept in memory, except for those that are cheap to compute again.
//! * NaNs are made canonical where their bits can be seen, not where they arise (`nan`).
//! * [`Program::launch`] hands work-groups to threads (`launch`).
//! * Kernels whose launches have image formats and samplers in common are compiled for these (`specialise`).
//! * [`NativeDevice`] is a [`host::Device`] on top, with buffers of its own,
//!   [`NativeProgram`] a [`host::LoadedProgram`] on the host's memory.

mod company;
mod context;
mod device;
mod family;
mod float_mode;
mod launch;
mod loaded;
mod lower;
mod memory;
mod nan;
mod phases;
mod program;
mod runtime;
mod shape;
mod specialise;
mod types;

pub use device::{NativeDevice, PipeNotes};
pub use family::argument_of;
pub use interp::Argument;
pub use launch::Stats;
pub use loaded::NativeProgram;
pub use program::{Options, PASSES, Program};
pub use specialise::Specialisation;
