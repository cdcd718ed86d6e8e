//! The objects of OpenCL as safe Rust, in the order in which a program makes them.

pub mod object;

pub mod build;
pub mod channels;
pub mod compiler;
pub mod connected;
pub mod container;
pub mod context;
pub mod device;
pub mod event;
pub mod image;
pub mod kept;
pub mod kernel;
pub mod kernel_info;
pub mod launch;
pub mod memory;
pub mod options;
pub mod platform;
pub mod program;
pub mod progress;
pub mod queue;
pub mod sampler;
pub mod spirv;
mod sub_groups;
pub mod svm;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// An OpenCL error code, or what went well.
pub type Status<T = ()> = Result<T, i32>;

/// Locks. What the state protects is whole after each statement, so a panic elsewhere does not matter.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
