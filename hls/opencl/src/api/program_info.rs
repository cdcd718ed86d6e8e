//! What there is to know of programs.

use super::functions;
use super::info::Place;
use crate::core::Status;
use crate::core::device::Device;
use crate::core::object::{self, find};
use crate::core::program::{Origin, Program};
use crate::sys::constants::*;
use crate::sys::types::{cl_device_id, cl_program};
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

/// Writes each binary to where the list says.
fn put_binaries(program: &Program, place: Place) -> Status {
    let binaries: Vec<Vec<u8>> =
        (0..program.devices.len()).map(|k| program.binary(k).unwrap_or_default()).collect();
    let size = binaries.len() * size_of::<usize>();
    if !place.value.is_null() {
        if place.size < size {
            return Err(CL_INVALID_VALUE);
        }
        let list = place.value.cast::<Ptr<c_void>>().array(binaries.len()).unwrap_or_default();
        for (pointer, binary) in list.into_iter().zip(&binaries) {
            pointer.set_bytes(binary);
        }
    }
    place.size_ret.set(size);
    Ok(())
}

functions! {
    fn clGetProgramInfo(
        program: cl_program,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let program = find::<Program>(program)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_PROGRAM_REFERENCE_COUNT => place.put(object::references(&*program)),
            CL_PROGRAM_CONTEXT => place.put(object::handle(&program.context)),
            CL_PROGRAM_NUM_DEVICES => place.put(program.devices.len() as u32),
            CL_PROGRAM_DEVICES => {
                place.put(program.devices.iter().map(object::handle).collect::<Vec<Handle>>())
            }
            CL_PROGRAM_SOURCE => match &program.origin {
                Origin::Source(text) => place.put(text),
                _ => place.put(""),
            },
            CL_PROGRAM_IL => place.put(program.il()),
            CL_PROGRAM_BINARY_SIZES => {
                let length = |k| program.binary(k).map_or(0, |binary| binary.len());
                place.put((0..program.devices.len()).map(length).collect::<Vec<usize>>())
            }
            CL_PROGRAM_BINARIES => put_binaries(&program, place),
            CL_PROGRAM_NUM_KERNELS => place.put(program.any_executable()?.kernels.len()),
            CL_PROGRAM_KERNEL_NAMES => {
                let executable = program.any_executable()?;
                let names = executable.kernels.iter().map(|k| k.signature.name.as_str());
                place.put(names.collect::<Vec<_>>().join(";"))
            }
            CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => {
                place.put(false)
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clGetProgramBuildInfo(
        program: cl_program,
        device: cl_device_id,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let program = find::<Program>(program)?;
        let device: Arc<Device> = find(device)?;
        let build = program.build_of(&device)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_PROGRAM_BUILD_STATUS => place.put(build.status),
            CL_PROGRAM_BUILD_OPTIONS => place.put(build.options),
            CL_PROGRAM_BUILD_LOG => place.put(build.log),
            CL_PROGRAM_BINARY_TYPE => place.put(build.binary_type),
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
                let bytes = build.executable.map_or(0, |e| e.program.variable_bytes());
                place.put(bytes as usize)
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }
}
