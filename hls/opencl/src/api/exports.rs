//! The symbols of the library, which the ICD loader looks for.

use crate::sys::Ptr;
use crate::sys::types::cl_platform_id;
use std::ffi::{c_char, c_void};

/// The platforms, for the ICD loader.
#[allow(non_snake_case, reason = "as in the API")]
// SAFETY: the ICD interface wants this symbol, which no other library of a process has but for the loader's use.
#[unsafe(no_mangle)]
pub extern "C" fn clIcdGetPlatformIDsKHR(
    num_entries: u32,
    platforms: Ptr<cl_platform_id>,
    num_platforms: Ptr<u32>,
) -> i32 {
    super::platform::clGetPlatformIDs(num_entries, platforms, num_platforms)
}

/// `clGetPlatformInfo`, before the loader has a dispatch table.
#[allow(non_snake_case, reason = "as in the API")]
// SAFETY: as above; the loader looks it up in this library.
#[unsafe(no_mangle)]
pub extern "C" fn clGetPlatformInfo(
    platform: cl_platform_id,
    name: u32,
    size: usize,
    value: Ptr<c_void>,
    size_ret: Ptr<usize>,
) -> i32 {
    super::platform::clGetPlatformInfo(platform, name, size, value, size_ret)
}

/// `clGetExtensionFunctionAddress`, before the loader has a dispatch table.
#[allow(non_snake_case, reason = "as in the API")]
// SAFETY: as above; the loader looks it up in this library.
#[unsafe(no_mangle)]
pub extern "C" fn clGetExtensionFunctionAddress(name: Ptr<c_char>) -> Ptr<c_void> {
    super::platform::clGetExtensionFunctionAddress(name)
}
