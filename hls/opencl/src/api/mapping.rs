//! Commands that give the program access to buffers and take it back.

use super::arguments::{Submission, WaitList};
use super::buffer::{check_readable, check_writable, queue_and_buffer};
use super::{creators, functions};
use crate::core::Status;
use crate::core::image::{Part, Span};
use crate::core::memory::Memory;
use crate::core::object::find;
use crate::core::queue::Queue;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_event, cl_mem};
use std::ffi::c_void;
use std::sync::Arc;

/// Checks how something is to be mapped.
///
/// # Errors
/// `CL_INVALID_VALUE`
pub(super) fn check_flags(flags: u64) -> Status {
    let writes = CL_MAP_READ | CL_MAP_WRITE;
    let known = writes | CL_MAP_WRITE_INVALIDATE_REGION;
    let both = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0 && flags & writes != 0;
    if flags & !known != 0 || both { Err(CL_INVALID_VALUE) } else { Ok(()) }
}

creators! {
    fn clEnqueueMapBuffer(
        queue: cl_command_queue,
        buffer: cl_mem,
        blocking: u32,
        flags: u64,
        offset: usize,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) -> Ptr<c_void> {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        if size == 0 || !buffer.contains(offset, size) {
            return Err(CL_INVALID_VALUE);
        }
        check_flags(flags)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        if flags & CL_MAP_READ != 0 {
            check_readable(&buffer)?;
        }
        if writes {
            check_writable(&buffer)?;
        }
        let part = Part::plain(Span::line(offset, size));
        let pointer = buffer.map(part, writes);
        let submission = Submission { queue, wait, event };
        let memory = Arc::clone(&buffer);
        let done = submission.enqueue_blocking(CL_COMMAND_MAP_BUFFER, blocking, Box::new(move |_| {
            if flags & CL_MAP_WRITE_INVALIDATE_REGION == 0 {
                memory.fill_mapping(part);
            }
            Ok(())
        }));
        done.inspect_err(|_| buffer.unmap(pointer.address()))?;
        Ok(pointer)
    }
}

functions! {
    fn clEnqueueUnmapMemObject(
        queue: cl_command_queue,
        memory: cl_mem,
        mapped: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, memory) = (find::<Queue>(queue)?, find::<Memory>(memory)?);
        if !Arc::ptr_eq(&queue.context, &memory.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        if !memory.is_mapped(mapped.address()) {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_UNMAP_MEM_OBJECT, Box::new(move |_| {
            memory.unmap(mapped.address());
            Ok(())
        }))
    }
}
