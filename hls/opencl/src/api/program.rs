//! Programs: made, built, compiled, linked.

use super::arguments::devices;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::container;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::object::{self, find, find_all};
use crate::core::program::{Origin, Program};
use crate::core::spirv;
use crate::sys::Ptr;
use crate::sys::callback::{Callback, OfObject};
use crate::sys::constants::*;
use crate::sys::types::{cl_context, cl_device_id, cl_program};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

references! { Program, clRetainProgram, clReleaseProgram }

/// A new program for all devices of a context.
fn program(context: Arc<Context>, origin: Origin) -> cl_program {
    let devices = context.devices.clone();
    object::publish(Arc::new(Program::new(context, devices, origin)))
}

/// Parts of a source in one; lengths of 0 are those of texts that end with zero.
fn join(strings: Vec<Ptr<c_char>>, lengths: Option<Vec<usize>>) -> Status<String> {
    let mut bytes = vec![];
    for (k, string) in strings.into_iter().enumerate() {
        let length = lengths.as_ref().map_or(0, |lengths| lengths[k]);
        if length == 0 {
            bytes.extend(string.text().ok_or(CL_INVALID_VALUE)?.into_bytes());
        } else {
            bytes.extend(string.cast::<c_void>().bytes(length).ok_or(CL_INVALID_VALUE)?);
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

creators! {
    fn clCreateProgramWithSource(
        context: cl_context,
        count: u32,
        strings: Ptr<Ptr<c_char>>,
        lengths: Ptr<usize>,
    ) -> cl_program {
        let context = find::<Context>(context)?;
        if count == 0 {
            return Err(CL_INVALID_VALUE);
        }
        let strings = strings.array(count as usize).ok_or(CL_INVALID_VALUE)?;
        let text = join(strings, lengths.array(count as usize))?;
        Ok(program(context, Origin::Source(text)))
    }

    fn clCreateProgramWithIL(
        context: cl_context,
        il: Ptr<c_void>,
        length: usize,
    ) -> cl_program {
        let context = find::<Context>(context)?;
        let bytes = if length == 0 { None } else { il.bytes(length) };
        let bytes = bytes.filter(|bytes| spirv::is_module(bytes)).ok_or(CL_INVALID_VALUE)?;
        Ok(program(context, Origin::Il(bytes)))
    }

    fn clCreateProgramWithBuiltInKernels(
        context: cl_context,
        num_devices: u32,
        list: Ptr<cl_device_id>,
        names: Ptr<c_char>,
    ) -> cl_program {
        let context = find::<Context>(context)?;
        if num_devices == 0 || list.is_null() || names.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        devices(num_devices, list, &context.devices)?;
        // no device has any
        Err(CL_INVALID_VALUE)
    }
}

/// `clCreateProgramWithBinary` tells of each binary what it is, also when it fails.
#[allow(non_snake_case, clippy::too_many_arguments, reason = "as in the API")]
pub(super) extern "C" fn clCreateProgramWithBinary(
    context: cl_context,
    num_devices: u32,
    list: Ptr<cl_device_id>,
    lengths: Ptr<usize>,
    binaries: Ptr<Ptr<u8>>,
    status: Ptr<i32>,
    errcode_ret: Ptr<i32>,
) -> cl_program {
    super::created(errcode_ret, || {
        let context = find::<Context>(context)?;
        if num_devices == 0 || list.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let count = num_devices as usize;
        let devices = devices(num_devices, list, &context.devices)?;
        let lengths = lengths.array(count).ok_or(CL_INVALID_VALUE)?;
        let binaries = binaries.array(count).ok_or(CL_INVALID_VALUE)?;
        let read = |k: usize| {
            let bytes = binaries[k].array(lengths[k]).filter(|bytes| !bytes.is_empty());
            let Some(bytes) = bytes else { return Err(CL_INVALID_VALUE) };
            let whole = container::read(&bytes).ok_or(CL_INVALID_BINARY)?;
            let fits = whole.0.device == devices[k].name;
            if fits { Ok(whole) } else { Err(CL_INVALID_BINARY) }
        };
        let all: Vec<_> = (0..count).map(read).collect();
        let codes: Vec<i32> =
            all.iter().map(|r| r.as_ref().err().copied().unwrap_or(CL_SUCCESS)).collect();
        status.set_array(&codes);
        let all: Vec<_> = all.into_iter().collect::<Status<_>>()?;
        Ok(object::publish(Arc::new(Program::from_binaries(context, devices, all))))
    })
}

/// Runs a build; with a function to call it is told when the build is over, and its failure is no error.
fn notified(
    program: &Arc<Program>,
    notify: Option<OfObject>,
    user_data: Ptr<c_void>,
    build: impl FnOnce() -> Status,
) -> Status {
    let Some(callback) = Callback::new(notify, user_data) else { return build() };
    let failures = [CL_BUILD_PROGRAM_FAILURE, CL_COMPILE_PROGRAM_FAILURE, CL_LINK_PROGRAM_FAILURE];
    match build() {
        Err(code) if !failures.contains(&code) => Err(code),
        _ => {
            callback.call(object::handle(program));
            Ok(())
        }
    }
}

fn check_notify(notify: Option<OfObject>, user_data: Ptr<c_void>) -> Status {
    if notify.is_none() && !user_data.is_null() { Err(CL_INVALID_VALUE) } else { Ok(()) }
}

functions! {
    fn clBuildProgram(
        program: cl_program,
        num_devices: u32,
        list: Ptr<cl_device_id>,
        options: Ptr<c_char>,
        notify: Option<OfObject>,
        user_data: Ptr<c_void>,
    ) {
        let program = find::<Program>(program)?;
        let devices = devices(num_devices, list, &program.devices)?;
        check_notify(notify, user_data)?;
        let options = options.text().unwrap_or_default();
        notified(&program, notify, user_data, || program.build(&devices, &options))
    }

    fn clCompileProgram(
        program: cl_program,
        num_devices: u32,
        list: Ptr<cl_device_id>,
        options: Ptr<c_char>,
        num_headers: u32,
        headers: Ptr<cl_program>,
        header_names: Ptr<Ptr<c_char>>,
        notify: Option<OfObject>,
        user_data: Ptr<c_void>,
    ) {
        let program = find::<Program>(program)?;
        let devices = devices(num_devices, list, &program.devices)?;
        let count = num_headers as usize;
        let missing = headers.is_null() || header_names.is_null();
        let given = !headers.is_null() || !header_names.is_null();
        if count == 0 && given || count > 0 && missing {
            return Err(CL_INVALID_VALUE);
        }
        check_notify(notify, user_data)?;
        let programs: Vec<Arc<Program>> = find_all(&headers.array(count).unwrap_or_default())?;
        let names = header_names.array(count).unwrap_or_default();
        let mut texts = vec![];
        for (header, name) in programs.iter().zip(names) {
            let Origin::Source(text) = &header.origin else { return Err(CL_INVALID_OPERATION) };
            texts.push((name.text().ok_or(CL_INVALID_VALUE)?, text.clone()));
        }
        let options = options.text().unwrap_or_default();
        notified(&program, notify, user_data, || program.compile(&devices, &options, texts))
    }

    fn clSetProgramReleaseCallback(
        program: cl_program,
        notify: Option<OfObject>,
        user_data: Ptr<c_void>,
    ) {
        find::<Program>(program)?;
        Callback::new(notify, user_data).ok_or(CL_INVALID_VALUE)?;
        // only for programs with constructors and destructors, which OpenCL C does not have
        Err(CL_INVALID_OPERATION)
    }

    fn clSetProgramSpecializationConstant(
        program: cl_program,
        id: u32,
        size: usize,
        value: Ptr<c_void>,
    ) {
        let program = find::<Program>(program)?;
        let Origin::Il(module) = &program.origin else { return Err(CL_INVALID_PROGRAM) };
        let wanted = spirv::spec_constant_size(module, id).ok_or(CL_INVALID_SPEC_ID)?;
        let bytes = value.bytes(size).filter(|_| size == wanted).ok_or(CL_INVALID_VALUE)?;
        let mut wide = [0; 8];
        wide[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        program.set_constant(id, u64::from_le_bytes(wide));
        Ok(())
    }
}

/// `clLinkProgram` gives a program also when linking fails: its log says why.
#[allow(non_snake_case, clippy::too_many_arguments, reason = "as in the API")]
pub(super) extern "C" fn clLinkProgram(
    context: cl_context,
    num_devices: u32,
    list: Ptr<cl_device_id>,
    options: Ptr<c_char>,
    num_inputs: u32,
    inputs: Ptr<cl_program>,
    notify: Option<OfObject>,
    user_data: Ptr<c_void>,
    errcode_ret: Ptr<i32>,
) -> cl_program {
    let mut failure = Ok(());
    let program = super::created(errcode_ret, || {
        let context = find::<Context>(context)?;
        let devices: Vec<Arc<Device>> = devices(num_devices, list, &context.devices)?;
        if num_inputs == 0 || inputs.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        check_notify(notify, user_data)?;
        let handles = inputs.array(num_inputs as usize).ok_or(CL_INVALID_VALUE)?;
        let inputs: Vec<Arc<Program>> = find_all(&handles)?;
        let options = options.text().unwrap_or_default();
        let (program, result) = Program::link(context, devices, &options, &inputs)?;
        let program = Arc::new(program);
        let handle = object::publish(Arc::clone(&program));
        failure = notified(&program, notify, user_data, || result);
        Ok(handle)
    });
    if let Err(code) = failure {
        errcode_ret.set(code);
    }
    program
}
