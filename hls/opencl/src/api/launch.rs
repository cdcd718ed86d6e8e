//! Commands that run kernels, and functions of the host.

use super::arguments::{Submission, WaitList};
use super::functions;
use crate::core::Status;
use crate::core::kernel::Kernel;
use crate::core::launch::{Range, prepare};
use crate::core::memory::Memory;
use crate::core::object::{find, find_all};
use crate::core::queue::Queue;
use crate::sys::Ptr;
use crate::sys::callback::{Native, call_native};
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_event, cl_kernel, cl_mem};
use std::ffi::c_void;
use std::sync::Arc;

/// The queue and kernel of a command, in one context.
///
/// # Errors
/// `CL_INVALID_COMMAND_QUEUE`, `CL_INVALID_KERNEL`, `CL_INVALID_CONTEXT`
fn queue_and_kernel(
    queue: cl_command_queue,
    kernel: cl_kernel,
) -> Status<(Arc<Queue>, Arc<Kernel>)> {
    let (queue, kernel) = (find::<Queue>(queue)?, find::<Kernel>(kernel)?);
    if !Arc::ptr_eq(&queue.context, &kernel.program.context) {
        return Err(CL_INVALID_CONTEXT);
    }
    Ok((queue, kernel))
}

fn range(
    work_dim: u32,
    offset: Ptr<usize>,
    global: Ptr<usize>,
    local: Ptr<usize>,
) -> Status<Range> {
    if !(1..=3).contains(&work_dim) {
        return Err(CL_INVALID_WORK_DIMENSION);
    }
    let sizes = |list: Ptr<usize>| list.array(work_dim as usize);
    Ok(Range {
        global: sizes(global).unwrap_or_default(),
        local: sizes(local),
        offset: sizes(offset),
    })
}

/// The arguments of a native kernel with the addresses of its buffers put in.
fn native_args(
    args: Ptr<c_void>,
    size: usize,
    memory: &[Arc<Memory>],
    places: &[Ptr<c_void>],
) -> Status<Vec<u64>> {
    let mut bytes = args.bytes(size).unwrap_or_default();
    for (memory, place) in memory.iter().zip(places) {
        let at = place.address().wrapping_sub(args.address());
        let slot = at.checked_add(size_of::<u64>()).and_then(|end| bytes.get_mut(at..end));
        slot.ok_or(CL_INVALID_VALUE)?.copy_from_slice(&memory.address().to_ne_bytes());
    }
    bytes.resize(size.next_multiple_of(size_of::<u64>()), 0);
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_ne_bytes(*word)).collect())
}

functions! {
    fn clEnqueueNDRangeKernel(
        queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: u32,
        offset: Ptr<usize>,
        global: Ptr<usize>,
        local: Ptr<usize>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, kernel) = queue_and_kernel(queue, kernel)?;
        let range = range(work_dim, offset, global, local)?;
        let (work, order) = prepare(&queue, &kernel, &range)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        Submission { queue, wait, event }.ordered(CL_COMMAND_NDRANGE_KERNEL, order, work).map(drop)
    }

    fn clEnqueueTask(
        queue: cl_command_queue,
        kernel: cl_kernel,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, kernel) = queue_and_kernel(queue, kernel)?;
        let range = Range { global: vec![1], local: Some(vec![1]), offset: None };
        let (work, order) = prepare(&queue, &kernel, &range)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        Submission { queue, wait, event }.ordered(CL_COMMAND_TASK, order, work).map(drop)
    }

    fn clEnqueueNativeKernel(
        queue: cl_command_queue,
        function: Option<Native>,
        args: Ptr<c_void>,
        size: usize,
        num_objects: u32,
        objects: Ptr<cl_mem>,
        places: Ptr<Ptr<c_void>>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = find::<Queue>(queue)?;
        let function = function.ok_or(CL_INVALID_VALUE)?;
        let lists = !objects.is_null() && !places.is_null();
        let no_lists = objects.is_null() && places.is_null();
        let sound = if num_objects == 0 { no_lists } else { lists && !args.is_null() };
        if args.is_null() != (size == 0) || !sound {
            return Err(CL_INVALID_VALUE);
        }
        if !queue.device.runs_native_kernels() {
            return Err(CL_INVALID_OPERATION);
        }
        let handles = objects.array(num_objects as usize).unwrap_or_default();
        let objects: Vec<Arc<Memory>> = find_all(&handles)?;
        let places = places.array(num_objects as usize).unwrap_or_default();
        let mut words = native_args(args, size, &objects, &places)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_NATIVE_KERNEL, Box::new(move |_| {
            call_native(function, &mut words, size);
            drop(objects);
            Ok(())
        }))
    }

    /// The work-group size that a launch without one gets (`cl_khr_suggested_local_work_size`).
    fn clGetKernelSuggestedLocalWorkSizeKHR(
        queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: u32,
        offset: Ptr<usize>,
        global: Ptr<usize>,
        suggested: Ptr<usize>,
    ) {
        let (queue, kernel) = queue_and_kernel(queue, kernel)?;
        let (_, facts) = kernel.on(&queue.device).map_err(|_| CL_INVALID_PROGRAM_EXECUTABLE)?;
        kernel.args()?;
        let range = range(work_dim, offset, global, Ptr::NULL)?;
        if suggested.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let resolved = range.resolve(facts)?.ok_or(CL_INVALID_GLOBAL_WORK_SIZE)?;
        let sizes = resolved.local.map(|n| n as usize);
        suggested.set_array(&sizes[..work_dim as usize]);
        Ok(())
    }
}
