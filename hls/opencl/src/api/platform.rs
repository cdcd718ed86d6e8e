//! The platform.

use super::functions;
use super::info::{Place, put_list};
use crate::core::device::{extension_names, extensions};
use crate::core::object::find;
use crate::core::platform::{Platform, handle};
use crate::sys::constants::*;
use crate::sys::types::{cl_platform_id, version};
use crate::sys::{Handle, Ptr};
use std::ffi::{c_char, c_void};

functions! {
    fn clGetPlatformIDs(
        num_entries: u32,
        platforms: Ptr<cl_platform_id>,
        num_platforms: Ptr<u32>,
    ) {
        put_list(&[handle()], num_entries, platforms, num_platforms)
    }

    fn clGetPlatformInfo(
        platform: cl_platform_id,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        // no platform is the default one
        if !platform.is_null() {
            find::<Platform>(platform)?;
        }
        let place = Place { size, value, size_ret };
        match name {
            CL_PLATFORM_PROFILE => place.put("FULL_PROFILE"),
            CL_PLATFORM_VERSION => place.put(concat!("OpenCL 3.0 clhls ", env!("CARGO_PKG_VERSION"))),
            CL_PLATFORM_NUMERIC_VERSION => place.put(version(3, 0, 0)),
            CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => place.put("clhls"),
            CL_PLATFORM_EXTENSIONS => place.put(extension_names()),
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => place.put(extensions()),
            CL_PLATFORM_ICD_SUFFIX_KHR => place.put("CLHLS"),
            CL_PLATFORM_HOST_TIMER_RESOLUTION => place.put(1u64),
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clUnloadCompiler() {
        Ok(())
    }

    fn clUnloadPlatformCompiler(platform: cl_platform_id) {
        find::<Platform>(platform).map(drop)
    }
}

/// Functions of extensions, by name.
fn extension(name: &str) -> Ptr<c_void> {
    let address = match name {
        "clIcdGetPlatformIDsKHR" => super::exports::clIcdGetPlatformIDsKHR as *const () as usize,
        "clCreateProgramWithILKHR" => super::program::clCreateProgramWithIL as *const () as usize,
        "clCreateCommandQueueWithPropertiesKHR" => {
            super::queue::clCreateCommandQueueWithProperties as *const () as usize
        }
        "clGetKernelSuggestedLocalWorkSizeKHR" => {
            super::launch::clGetKernelSuggestedLocalWorkSizeKHR as *const () as usize
        }
        _ => return Ptr::NULL,
    };
    // SAFETY: a function of the library, which the caller knows the type of.
    unsafe { Ptr::at(address) }
}

#[allow(non_snake_case, reason = "as in the API")]
pub(super) extern "C" fn clGetExtensionFunctionAddress(name: Ptr<c_char>) -> Ptr<c_void> {
    name.text().map_or(Ptr::NULL, |name| extension(&name))
}

#[allow(non_snake_case, reason = "as in the API")]
pub(super) extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: Ptr<c_char>,
) -> Ptr<c_void> {
    let known = find::<Platform>(platform).is_ok();
    if known { clGetExtensionFunctionAddress(name) } else { Ptr::NULL }
}

/// The platform that a property or parameter names: null is the default one.
///
/// # Errors
/// `CL_INVALID_PLATFORM`
pub(super) fn check(platform: Handle) -> crate::core::Status {
    if platform.is_null() { Ok(()) } else { find::<Platform>(platform).map(drop) }
}
