//! A device made of Verilated hardware and a memory model.
//!
//! [`Simulator`] is a [`host::Device`] on the output directory of a build: it has the kernel's Verilog
//! built by `verilator-sys`, drives it through its registers as a host on a real card does, and
//! turns what goes wrong in hardware into messages about the kernel's source. [`HostProgram`] is the same for
//! kernels that work on the host's memory. [`Board`] is for
//! programs that write its registers themselves. See `docs/simulation.md`.

mod board;
mod connected;
mod device;
mod family;
mod host_program;
mod launch;
mod memory;
mod pipes;
mod profile;
mod report;
mod together;
mod waits;

pub use board::Board;
pub use device::{SimOptions, Simulator};
pub use host_program::HostProgram;
pub use profile::{AccessCount, CacheCount, ChannelCount, PortCount, Profile};
pub use verilator_sys::{Built, MemoryOptions, Source, default_cache_dir};
