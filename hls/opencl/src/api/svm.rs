//! Shared virtual memory.

use super::arguments::{Submission, WaitList};
use super::fill::{fill, pattern};
use super::functions;
use super::mapping::check_flags;
use crate::core::Status;
use crate::core::context::Context;
use crate::core::kernel::Kernel;
use crate::core::memory;
use crate::core::object::find;
use crate::core::queue::Queue;
use crate::sys::callback::{Callback, OfFree};
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_context, cl_event, cl_kernel};
use crate::sys::{HostMemory, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

/// Largest alignment that can be asked for: that of the largest type.
const MAX_ALIGN: u32 = 128;

fn allocate(context: cl_context, flags: u64, size: usize, alignment: u32) -> Status<Ptr<c_void>> {
    let context = find::<Context>(context)?;
    memory::check_flags(flags)?;
    let access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    let aligned = alignment == 0 || alignment.is_power_of_two() && alignment <= MAX_ALIGN;
    let usable = context.devices.iter().any(|d| d.shares_addresses());
    let fits = size > 0 && size as u64 <= context.max_allocation();
    if flags & !access != 0 || !aligned || !usable || !fits {
        return Err(CL_INVALID_VALUE);
    }
    let address = context.svm.allocate(size).ok_or(CL_OUT_OF_RESOURCES)?;
    let (memory, _) = context.svm.find(address).ok_or(CL_OUT_OF_RESOURCES)?;
    Ok(memory.pointer(0))
}

#[allow(non_snake_case, reason = "as in the API")]
pub(super) extern "C" fn clSVMAlloc(
    context: cl_context,
    flags: u64,
    size: usize,
    alignment: u32,
) -> Ptr<c_void> {
    super::created(Ptr::NULL, || allocate(context, flags, size, alignment))
}

#[allow(non_snake_case, reason = "as in the API")]
pub(super) extern "C" fn clSVMFree(context: cl_context, pointer: Ptr<c_void>) {
    // there is no error to give
    super::status(|| {
        find::<Context>(context)?.svm.free(pointer.address());
        Ok(())
    });
}

/// The queue of a command on shared virtual memory.
///
/// # Errors
/// `CL_INVALID_COMMAND_QUEUE`, `CL_INVALID_OPERATION` if its device does not have any
fn queue_of(queue: cl_command_queue) -> Status<Arc<Queue>> {
    let queue = find::<Queue>(queue)?;
    if queue.device.shares_addresses() { Ok(queue) } else { Err(CL_INVALID_OPERATION) }
}

/// The SVM buffer of a range, if it is in one, which a command keeps.
fn keep(queue: &Queue, pointer: Ptr<c_void>) -> Option<Arc<HostMemory>> {
    queue.context.svm.find(pointer.address()).map(|(memory, _)| memory)
}

functions! {
    fn clEnqueueSVMFree(
        queue: cl_command_queue,
        num_pointers: u32,
        pointers: Ptr<Ptr<c_void>>,
        notify: Option<OfFree>,
        user_data: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let handle = queue;
        let queue = queue_of(queue)?;
        if (num_pointers == 0) != pointers.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let mut all = pointers.array(num_pointers as usize).unwrap_or_default();
        let wait = WaitList { count, list }.events(&queue.context)?;
        let callback = Callback::new(notify, user_data);
        let context = Arc::clone(&queue.context);
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_SVM_FREE, Box::new(move |_| {
            match &callback {
                Some(callback) => callback.call(handle, &mut all),
                None => all.iter().for_each(|p| context.svm.free(p.address())),
            }
            Ok(())
        }))
    }

    fn clEnqueueSVMMemcpy(
        queue: cl_command_queue,
        blocking: u32,
        target: Ptr<c_void>,
        source: Ptr<c_void>,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = queue_of(queue)?;
        if target.is_null() || source.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let (a, b) = (target.address(), source.address());
        if a < b.saturating_add(size) && b < a.saturating_add(size) {
            return Err(CL_MEM_COPY_OVERLAP);
        }
        let kept = (keep(&queue, target), keep(&queue, source));
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_SVM_MEMCPY, blocking, Box::new(move |_| {
            target.copy_from(source, size);
            drop(kept);
            Ok(())
        }))
    }

    fn clEnqueueSVMMemFill(
        queue: cl_command_queue,
        target: Ptr<c_void>,
        bytes: Ptr<c_void>,
        pattern_size: usize,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = queue_of(queue)?;
        let pattern = pattern(bytes, pattern_size)?;
        let whole = target.address().is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size);
        if target.is_null() || !whole {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let kept = keep(&queue, target);
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_SVM_MEMFILL, Box::new(move |_| {
            fill(target, size, &pattern);
            drop(kept);
            Ok(())
        }))
    }

    fn clEnqueueSVMMap(
        queue: cl_command_queue,
        blocking: u32,
        flags: u64,
        pointer: Ptr<c_void>,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = queue_of(queue)?;
        if pointer.is_null() || size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        check_flags(flags)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        // host and devices work on the same memory
        submission.enqueue_blocking(CL_COMMAND_SVM_MAP, blocking, Box::new(|_| Ok(())))
    }

    fn clEnqueueSVMUnmap(
        queue: cl_command_queue,
        pointer: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = queue_of(queue)?;
        if pointer.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        Submission { queue, wait, event }.enqueue(CL_COMMAND_SVM_UNMAP, Box::new(|_| Ok(())))
    }

    fn clEnqueueSVMMigrateMem(
        queue: cl_command_queue,
        num_pointers: u32,
        pointers: Ptr<Ptr<c_void>>,
        sizes: Ptr<usize>,
        flags: u64,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = queue_of(queue)?;
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        if num_pointers == 0 || flags & !known != 0 {
            return Err(CL_INVALID_VALUE);
        }
        let all = pointers.array(num_pointers as usize).ok_or(CL_INVALID_VALUE)?;
        let sizes = sizes.array(num_pointers as usize).unwrap_or_else(|| vec![0; all.len()]);
        let inside = |(pointer, size): (&Ptr<c_void>, &usize)| {
            queue.context.svm.find_range(pointer.address(), *size).is_some()
        };
        if !all.iter().zip(&sizes).all(inside) {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        Submission { queue, wait, event }.enqueue(CL_COMMAND_SVM_MIGRATE_MEM, Box::new(|_| Ok(())))
    }

    fn clSetKernelArgSVMPointer(kernel: cl_kernel, index: u32, pointer: Ptr<c_void>) {
        let kernel = find::<Kernel>(kernel)?;
        if !kernel.executables.iter().any(|(device, _)| device.shares_addresses()) {
            return Err(CL_INVALID_OPERATION);
        }
        let inside = kernel.program.context.svm.find(pointer.address()).is_some();
        let known = kernel.facts().signature.passed().get(index as usize).is_some();
        // the index goes first
        if known && !pointer.is_null() && !inside {
            return Err(CL_INVALID_ARG_VALUE);
        }
        kernel.set_svm_arg(index as usize, pointer.address())
    }

    fn clSetKernelExecInfo(kernel: cl_kernel, name: u32, size: usize, value: Ptr<c_void>) {
        let kernel = find::<Kernel>(kernel)?;
        if !kernel.executables.iter().any(|(device, _)| device.shares_addresses()) {
            return Err(CL_INVALID_OPERATION);
        }
        match name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS => {
                // nothing at all is the empty set
                if value.is_null() != (size == 0) || !size.is_multiple_of(size_of::<usize>()) {
                    return Err(CL_INVALID_VALUE);
                }
                if size == 0 {
                    kernel.set_svm_pointers(vec![]);
                    return Ok(());
                }
                let pointers = value.cast::<usize>().array(size / size_of::<usize>());
                kernel.set_svm_pointers(pointers.ok_or(CL_INVALID_VALUE)?);
                Ok(())
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
                if size != size_of::<u32>() {
                    return Err(CL_INVALID_VALUE);
                }
                match value.cast::<u32>().get() {
                    None => Err(CL_INVALID_VALUE),
                    Some(CL_FALSE) => Ok(()),
                    // no device has it
                    Some(_) => Err(CL_INVALID_OPERATION),
                }
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }
}
