//! The border to C: constants, types, the dispatch table, pointers and memory. All `unsafe` of the crate is here, and
//! where functions of the program that uses the API are called (`callback`).

pub mod callback;
pub mod constants;
mod dispatch;
mod host_memory;
mod ptr;
pub mod types;

pub use dispatch::Dispatch;
pub use host_memory::{HostMemory, UsedMemory, with_regions};
pub use ptr::Ptr;
pub use types::{Handle, NameVersion};
