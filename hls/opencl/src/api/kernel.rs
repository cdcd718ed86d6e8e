//! Kernels.

use super::info::Place;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::device::{Device, WORK_GROUP_MULTIPLE};
use crate::core::kernel::Kernel;
use crate::core::kernel_info::ArgInfo;
use crate::core::object::{self, find};
use crate::core::program::{Origin, Program};
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_device_id, cl_kernel, cl_program};
use std::ffi::{c_char, c_void};
use std::ops::RangeInclusive;
use std::sync::Arc;

references! { Kernel, clRetainKernel, clReleaseKernel }

creators! {
    fn clCreateKernel(program: cl_program, name: Ptr<c_char>) -> cl_kernel {
        let program = find::<Program>(program)?;
        program.any_executable()?;
        let name = name.text().ok_or(CL_INVALID_VALUE)?;
        Ok(object::publish(Arc::new(Kernel::new(&program, &name)?)))
    }

    fn clCloneKernel(kernel: cl_kernel) -> cl_kernel {
        Ok(object::publish(Arc::new(find::<Kernel>(kernel)?.duplicate())))
    }
}

/// What `clGetKernelArgInfo` knows of an argument.
fn argument_info(kernel: &Kernel, index: usize) -> Status<ArgInfo> {
    let arg = kernel.facts().signature.passed().get(index).ok_or(CL_INVALID_ARG_INDEX)?;
    let known = kernel.program.argument_infos(&kernel.name);
    let known = known.and_then(|all| all.get(index).cloned());
    known.or_else(|| ArgInfo::of_signature(arg)).ok_or(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
}

/// The device that a query is about: it can be left out if there is only one.
fn device_of(kernel: &Kernel, device: cl_device_id) -> Status<Arc<Device>> {
    if device.is_null() {
        return kernel.only_device().cloned().ok_or(CL_INVALID_DEVICE);
    }
    let device = find::<Device>(device)?;
    kernel.on(&device)?;
    Ok(device)
}

/// The sizes, or the number, that a query is about.
fn sizes(bytes: usize, values: Ptr<c_void>, counts: RangeInclusive<usize>) -> Status<Vec<usize>> {
    let count = bytes / size_of::<usize>();
    if !bytes.is_multiple_of(size_of::<usize>()) || !counts.contains(&count) {
        return Err(CL_INVALID_VALUE);
    }
    values.cast::<usize>().array(count).ok_or(CL_INVALID_VALUE)
}

functions! {
    fn clCreateKernelsInProgram(
        program: cl_program,
        num_kernels: u32,
        kernels: Ptr<cl_kernel>,
        num_kernels_ret: Ptr<u32>,
    ) {
        let program = find::<Program>(program)?;
        let executable = program.any_executable()?;
        let count = executable.kernels.len();
        if !kernels.is_null() {
            if (num_kernels as usize) < count {
                return Err(CL_INVALID_VALUE);
            }
            let new = |k: usize| Kernel::new(&program, &executable.kernels[k].signature.name);
            let all = (0..count).map(new).collect::<Status<Vec<Kernel>>>()?;
            let handles: Vec<cl_kernel> =
                all.into_iter().map(|kernel| object::publish(Arc::new(kernel))).collect();
            kernels.set_array(&handles);
        }
        num_kernels_ret.set(count as u32);
        Ok(())
    }

    fn clSetKernelArg(kernel: cl_kernel, index: u32, size: usize, value: Ptr<c_void>) {
        find::<Kernel>(kernel)?.set_arg(index as usize, size, value)
    }

    fn clGetKernelInfo(
        kernel: cl_kernel,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let kernel = find::<Kernel>(kernel)?;
        let place = Place { size, value, size_ret };
        let facts = kernel.facts();
        match name {
            CL_KERNEL_FUNCTION_NAME => place.put(&kernel.name),
            CL_KERNEL_NUM_ARGS => place.put(facts.signature.passed().len() as u32),
            CL_KERNEL_REFERENCE_COUNT => place.put(object::references(&*kernel)),
            CL_KERNEL_CONTEXT => place.put(object::handle(&kernel.program.context)),
            CL_KERNEL_PROGRAM => place.put(object::handle(&kernel.program)),
            CL_KERNEL_ATTRIBUTES => match kernel.program.origin {
                Origin::Il(_) => place.put(""),
                _ => place.put(kernel.program.attributes(&kernel.name, &facts.attributes)),
            },
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clGetKernelArgInfo(
        kernel: cl_kernel,
        index: u32,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let kernel = find::<Kernel>(kernel)?;
        let place = Place { size, value, size_ret };
        let info = argument_info(&kernel, index as usize)?;
        match name {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER => place.put(info.address),
            CL_KERNEL_ARG_ACCESS_QUALIFIER => place.put(info.access),
            CL_KERNEL_ARG_TYPE_NAME => place.put(info.type_name),
            CL_KERNEL_ARG_TYPE_QUALIFIER => place.put(info.qualifiers),
            CL_KERNEL_ARG_NAME => place.put(info.name),
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let kernel = find::<Kernel>(kernel)?;
        let device = device_of(&kernel, device)?;
        let (_, facts) = kernel.on(&device)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_KERNEL_WORK_GROUP_SIZE => place.put(facts.signature.max_work_group_size as usize),
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                let size = facts.signature.reqd_work_group_size.unwrap_or_default();
                place.put(size.map(|n| n as usize))
            }
            CL_KERNEL_LOCAL_MEM_SIZE => place.put(kernel.local_bytes(facts)),
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                let most = facts.signature.max_work_group_size as usize;
                let simd = facts.signature.simd.max(1) as usize;
                place.put(simd.max(if most < WORK_GROUP_MULTIPLE { 1 } else { WORK_GROUP_MULTIPLE }))
            }
            CL_KERNEL_PRIVATE_MEM_SIZE => place.put(0u64),
            // of built-in kernels and custom devices only
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        name: u32,
        input_size: usize,
        input: Ptr<c_void>,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let kernel = find::<Kernel>(kernel)?;
        let device = device_of(&kernel, device)?;
        let (_, facts) = kernel.on(&device)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                sizes(input_size, input, 1..=3)?;
                place.put(facts.sub_group_size as usize)
            }
            CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                let local = sizes(input_size, input, 1..=3)?;
                let items = local.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
                place.put(facts.sub_groups_of(items.ok_or(CL_INVALID_VALUE)?))
            }
            CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let count = sizes(input_size, input, 1..=1)?[0];
                let dimensions = size / size_of::<usize>();
                if !value.is_null() && !matches!(dimensions, 1..=3) {
                    return Err(CL_INVALID_VALUE);
                }
                place.put(facts.local_size_for(count, dimensions.clamp(1, 3)))
            }
            CL_KERNEL_MAX_NUM_SUB_GROUPS => place.put(facts.most_sub_groups()),
            CL_KERNEL_COMPILE_NUM_SUB_GROUPS => place.put(facts.compiled_sub_groups()),
            _ => Err(CL_INVALID_VALUE),
        }
    }
}
