//! Buffers, and commands that read, write, copy and migrate them.

use super::arguments::{Submission, WaitList};
use super::{creators, functions};
use crate::core::Status;
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::core::object::{self, find, find_all};
use crate::core::queue::Queue;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_context, cl_event, cl_mem};
use std::ffi::c_void;
use std::sync::Arc;

/// `cl_buffer_region`
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct BufferRegion {
    origin: usize,
    size: usize,
}

creators! {
    fn clCreateBuffer(
        context: cl_context,
        flags: u64,
        size: usize,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        let context = find::<Context>(context)?;
        Ok(object::publish(Arc::new(Memory::buffer(context, flags, size, host_ptr, None)?)))
    }

    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: Ptr<u64>,
        flags: u64,
        size: usize,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        let context = find::<Context>(context)?;
        let list = properties.get();
        // no property is known
        if list.is_some_and(|first| first != 0) {
            return Err(CL_INVALID_PROPERTY);
        }
        let list = list.map(|end| vec![end]);
        Ok(object::publish(Arc::new(Memory::buffer(context, flags, size, host_ptr, list)?)))
    }

    fn clCreateSubBuffer(
        buffer: cl_mem,
        flags: u64,
        create_type: u32,
        create_info: Ptr<c_void>,
    ) -> cl_mem {
        let buffer = find_buffer(buffer)?;
        if buffer.parent.is_some() {
            return Err(CL_INVALID_MEM_OBJECT);
        }
        if create_type != CL_BUFFER_CREATE_TYPE_REGION {
            return Err(CL_INVALID_VALUE);
        }
        let region = create_info.cast::<BufferRegion>().get().ok_or(CL_INVALID_VALUE)?;
        let part = Memory::part(&buffer, flags, region.origin, region.size)?;
        Ok(object::publish(Arc::new(part)))
    }
}

/// The buffer behind a handle.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT`
pub(super) fn find_buffer(handle: cl_mem) -> Status<Arc<Memory>> {
    find::<Memory>(handle)
        .and_then(|m| if m.is_buffer() { Ok(m) } else { Err(CL_INVALID_MEM_OBJECT) })
}

/// The queue and buffer of a command, in one context.
///
/// # Errors
/// `CL_INVALID_COMMAND_QUEUE`, `CL_INVALID_MEM_OBJECT`, `CL_INVALID_CONTEXT`
pub(super) fn queue_and_buffer(
    queue: cl_command_queue,
    buffer: cl_mem,
) -> Status<(Arc<Queue>, Arc<Memory>)> {
    let (queue, buffer) = (find::<Queue>(queue)?, find::<Memory>(buffer)?);
    if !buffer.is_buffer() {
        return Err(CL_INVALID_MEM_OBJECT);
    }
    if !Arc::ptr_eq(&queue.context, &buffer.context) {
        return Err(CL_INVALID_CONTEXT);
    }
    Ok((queue, buffer))
}

/// The error of a command that reads what the host may not read.
pub(super) fn check_readable(memory: &Memory) -> Status {
    if memory.host_reads() { Ok(()) } else { Err(CL_INVALID_OPERATION) }
}

/// The error of a command that writes what the host may not write.
pub(super) fn check_writable(memory: &Memory) -> Status {
    if memory.host_writes() { Ok(()) } else { Err(CL_INVALID_OPERATION) }
}

functions! {
    fn clEnqueueReadBuffer(
        queue: cl_command_queue,
        buffer: cl_mem,
        blocking: u32,
        offset: usize,
        size: usize,
        target: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        if !buffer.contains(offset, size) || target.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_readable(&buffer)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_READ_BUFFER, blocking, Box::new(move |_| {
            target.copy_from(buffer.pointer(offset), size);
            Ok(())
        }))
    }

    fn clEnqueueWriteBuffer(
        queue: cl_command_queue,
        buffer: cl_mem,
        blocking: u32,
        offset: usize,
        size: usize,
        source: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        if !buffer.contains(offset, size) || source.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_writable(&buffer)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_WRITE_BUFFER, blocking, Box::new(move |_| {
            buffer.pointer(offset).copy_from(source, size);
            Ok(())
        }))
    }

    fn clEnqueueCopyBuffer(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        source_offset: usize,
        target_offset: usize,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, source) = queue_and_buffer(queue, source)?;
        let target = find_buffer(target)?;
        if !Arc::ptr_eq(&queue.context, &target.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        if !source.contains(source_offset, size) || !target.contains(target_offset, size) {
            return Err(CL_INVALID_VALUE);
        }
        if source.overlaps(source_offset, &target, target_offset, size) {
            return Err(CL_MEM_COPY_OVERLAP);
        }
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_COPY_BUFFER, Box::new(move |_| {
            target.pointer(target_offset).copy_from(source.pointer(source_offset), size);
            Ok(())
        }))
    }

    fn clEnqueueMigrateMemObjects(
        queue: cl_command_queue,
        num_objects: u32,
        objects: Ptr<cl_mem>,
        flags: u64,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = find::<Queue>(queue)?;
        if num_objects == 0 || objects.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let handles = objects.array(num_objects as usize).ok_or(CL_INVALID_VALUE)?;
        let objects: Vec<Arc<Memory>> = find_all(&handles)?;
        if objects.iter().any(|o| !Arc::ptr_eq(&o.context, &queue.context)) {
            return Err(CL_INVALID_CONTEXT);
        }
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        if flags & !known != 0 {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        // all devices work on the same memory
        submission.enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, Box::new(move |_| {
            drop(objects);
            Ok(())
        }))
    }
}
