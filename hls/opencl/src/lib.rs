//! OpenCL on what clhls builds: an installable client driver (ICD), which the ordinary OpenCL loader finds.
//!
//! * [`sys`]: the border to C: constants and types of the headers, the dispatch table, pointers, memory.
//! * [`api`]: the functions of OpenCL: checks of what they are given, answers of queries.
//! * [`core`]: the objects of OpenCL in safe Rust, and what they do.
//!
//! Devices are `emu` (kernels emulated) and `sim:BOARD` (the kernels' hardware simulated); the environment variable
//! `CLHLS_DEVICES` names those that a program sees. See `docs/opencl.md`.

#![allow(
    unsafe_code,
    reason = "functions of C, in `sys` and at its border; each use says why it is sound"
)]

pub mod api;
pub mod core;
pub mod sys;
