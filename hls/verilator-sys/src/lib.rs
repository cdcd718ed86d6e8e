//! Builds and loads Verilated models; the only unsafe FFI to them.
//!
//! [`Design`] (Verilog of a kernel and the shape of its ports) -> [`build`] (Verilator and a C++
//! compiler, cached by content) -> [`Model`] (a running instance) -> [`Session`] (the instance with
//! the buffers it may access: register transactions and cycles).
//!
//! [`build_program`] makes a program of any other module and a C++ `main`.
//!
//! The clock loop and the memory behind the AXI masters are C++ (`shim/`), because a call across
//! languages for every signal and cycle would cost more than the simulation. How it all behaves is
//! described in `docs/simulation.md`.

mod builder;
mod cache;
mod error;
mod ffi;
mod model;
mod profile;
mod program;
mod simtop;
mod toolchain;

pub use builder::{BuildOptions, Built, build};
pub use cache::default_cache_dir;
pub use error::Error;
pub use model::{Fault, MemoryOptions, Model, PortStats, ProtocolRule, Region, RunEnd, Session};
pub use profile::{AccessProfile, CacheProfile, ChannelProfile};
pub use program::build_program;
pub use simtop::{
    CHECKER_MODULE, ChannelSignals, Design, PipeUnit, Port, Source, StreamPort, simtop,
};
pub use toolchain::Toolchain;
