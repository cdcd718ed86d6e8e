//! Commands that fill memory with a pattern.

use super::arguments::{Submission, WaitList};
use super::buffer::queue_and_buffer;
use super::functions;
use crate::core::Status;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_event, cl_mem};
use std::ffi::c_void;

/// A pattern: 1 to 128 bytes, a power of two.
///
/// # Errors
/// `CL_INVALID_VALUE`
pub(super) fn pattern(bytes: Ptr<c_void>, size: usize) -> Status<Vec<u8>> {
    if !size.is_power_of_two() || size > 128 {
        return Err(CL_INVALID_VALUE);
    }
    bytes.bytes(size).ok_or(CL_INVALID_VALUE)
}

/// Fills `size` bytes, a multiple of the pattern's.
pub(super) fn fill(target: Ptr<c_void>, size: usize, pattern: &[u8]) {
    // chunks of a fair size: a call for each byte would be slow
    let chunk = pattern.repeat((4096 / pattern.len()).max(1));
    for at in (0..size).step_by(chunk.len()) {
        target.offset(at).set_bytes(&chunk[..chunk.len().min(size - at)]);
    }
}

functions! {
    fn clEnqueueFillBuffer(
        queue: cl_command_queue,
        buffer: cl_mem,
        bytes: Ptr<c_void>,
        pattern_size: usize,
        offset: usize,
        size: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        let pattern = pattern(bytes, pattern_size)?;
        let whole = offset.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size);
        if !buffer.contains(offset, size) || !whole {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_FILL_BUFFER, Box::new(move |_| {
            fill(buffer.pointer(offset), size, &pattern);
            Ok(())
        }))
    }
}
