//! Simulated hardware for host programs in other processes.
//!
//! [`pipe`] speaks the protocol of the host library that `clhls build` writes, [`xrt`] that of XRT's hardware emulation
//! (`docs/host-library.md`).

pub mod pipe;
mod wire;
pub mod xrt;
