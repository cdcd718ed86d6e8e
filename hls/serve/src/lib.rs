//! Simulated hardware for host programs in other processes.
//!
//! [`pipe`] speaks the protocol of the host library that `clhls build` writes (`docs/host-library.md`).

pub mod pipe;
