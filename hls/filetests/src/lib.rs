//! Runs the text files of `testbenches/filetests` and the kernels of `testbenches/kernels`;
//! development only.
//!
//! * [`deep_fuzz`]: mutated modules through all steps.
//! * [`files`]: one file is one test; its first line says what is run, `<name>.expect` beside it
//!   what comes out.
//! * [`kernel_fuzz`]: random kernels on everything that runs kernels.
//! * [`launches`]: `launches.toml` of a kernel, run on any device.
//! * [`operators`]: operator modules against the native datapath.
//! * [`schedules`]: what can be said of a kernel's schedules without hardware.

pub mod deep_fuzz;
pub mod files;
pub mod kernel_fuzz;
pub mod launches;
pub mod operators;
pub mod schedules;

use std::path::PathBuf;

/// `testbenches/` of this repository.
pub fn testbenches() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches"))
}
