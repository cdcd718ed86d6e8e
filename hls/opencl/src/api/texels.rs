//! Commands that read, write, copy, fill and map images.

use super::arguments::{Submission, WaitList};
use super::buffer::{check_readable, check_writable, find_buffer};
use super::{creators, functions, mapping};
use crate::core::Status;
use crate::core::image::{self, Image, Span};
use crate::core::memory::Memory;
use crate::core::object::find;
use crate::core::queue::Queue;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_event, cl_mem};
use std::ffi::c_void;
use std::sync::Arc;

type Sizes = Ptr<usize>;

/// The image behind a handle.
fn find_image(handle: cl_mem) -> Status<(Arc<Memory>, Image)> {
    let memory = find::<Memory>(handle)?;
    let image = memory.image.ok_or(CL_INVALID_MEM_OBJECT)?;
    Ok((memory, image))
}

/// The queue and image of a command, in one context.
fn queue_and_image(
    queue: cl_command_queue,
    image: cl_mem,
) -> Status<(Arc<Queue>, Arc<Memory>, Image)> {
    let queue = find::<Queue>(queue)?;
    let (memory, image) = find_image(image)?;
    if !Arc::ptr_eq(&queue.context, &memory.context) {
        return Err(CL_INVALID_CONTEXT);
    }
    Ok((queue, memory, image))
}

/// The part of a buffer that texels without gaps stand in.
fn part(buffer: &Memory, offset: usize, mut span: Span) -> Status<Span> {
    span.start = offset;
    let inside = span.end().is_some_and(|end| end <= buffer.size);
    if inside { Ok(span) } else { Err(CL_INVALID_VALUE) }
}

creators! {
    fn clEnqueueMapImage(
        queue: cl_command_queue,
        image: cl_mem,
        blocking: u32,
        flags: u64,
        origin: Sizes,
        region: Sizes,
        row_pitch: Sizes,
        slice_pitch: Sizes,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) -> Ptr<c_void> {
        let (queue, memory, image) = queue_and_image(queue, image)?;
        mapping::check_flags(flags)?;
        let part = image.part(image.texels(origin, region)?);
        let slices = image::has_slices(image.kind);
        if row_pitch.is_null() || slices && slice_pitch.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        if flags & CL_MAP_READ != 0 {
            check_readable(&memory)?;
        }
        if writes {
            check_writable(&memory)?;
        }
        let pointer = memory.map(part, writes);
        let submission = Submission { queue, wait, event };
        let object = Arc::clone(&memory);
        let done = submission.enqueue_blocking(CL_COMMAND_MAP_IMAGE, blocking, Box::new(move |_| {
            if flags & CL_MAP_WRITE_INVALIDATE_REGION == 0 {
                object.fill_mapping(part);
            }
            Ok(())
        }));
        done.inspect_err(|_| memory.unmap(pointer.address()))?;
        row_pitch.set(image.row_pitch);
        slice_pitch.set(image.slice_pitch);
        Ok(pointer)
    }
}

functions! {
    fn clEnqueueReadImage(
        queue: cl_command_queue,
        image: cl_mem,
        blocking: u32,
        origin: Sizes,
        region: Sizes,
        row_pitch: usize,
        slice_pitch: usize,
        target: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, memory, image) = queue_and_image(queue, image)?;
        let texels = image.texels(origin, region)?;
        let (from, to) = (image.span(texels), image.host_span(texels, row_pitch, slice_pitch)?);
        if target.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_readable(&memory)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_READ_IMAGE, blocking, Box::new(move |_| {
            to.copy(target, memory.pointer(0), from);
            Ok(())
        }))
    }

    fn clEnqueueWriteImage(
        queue: cl_command_queue,
        image: cl_mem,
        blocking: u32,
        origin: Sizes,
        region: Sizes,
        row_pitch: usize,
        slice_pitch: usize,
        source: Ptr<c_void>,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, memory, image) = queue_and_image(queue, image)?;
        let texels = image.texels(origin, region)?;
        let (to, from) = (image.span(texels), image.host_span(texels, row_pitch, slice_pitch)?);
        if source.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count, list }.events(&queue.context)?;
        check_writable(&memory)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue_blocking(CL_COMMAND_WRITE_IMAGE, blocking, Box::new(move |_| {
            to.copy(memory.pointer(0), source, from);
            Ok(())
        }))
    }

    fn clEnqueueFillImage(
        queue: cl_command_queue,
        image: cl_mem,
        color: Ptr<c_void>,
        origin: Sizes,
        region: Sizes,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, memory, image) = queue_and_image(queue, image)?;
        let span = image.span(image.texels(origin, region)?);
        // a depth is a single number
        let components = if image.format.order == abi::ChannelOrder::Depth { 1 } else { 4 };
        let given = color.cast::<u32>().array(components).ok_or(CL_INVALID_VALUE)?;
        let color = std::array::from_fn(|k| given.get(k).copied().unwrap_or(0));
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_FILL_IMAGE, Box::new(move |_| {
            let texel = image::encoded(image.format, color);
            for start in span.starts() {
                super::fill::fill(memory.pointer(start), span.bytes, &texel);
            }
            Ok(())
        }))
    }

    fn clEnqueueCopyImage(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        source_origin: Sizes,
        target_origin: Sizes,
        region: Sizes,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, source, from_image) = queue_and_image(queue, source)?;
        let (target, to_image) = find_image(target)?;
        if !Arc::ptr_eq(&queue.context, &target.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        if from_image.format != to_image.format {
            return Err(CL_IMAGE_FORMAT_MISMATCH);
        }
        let from = from_image.texels(source_origin, region)?;
        let to = to_image.texels(target_origin, region)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        if Arc::ptr_eq(&source, &target) && Image::overlap(from, to) {
            return Err(CL_MEM_COPY_OVERLAP);
        }
        let (from, to) = (from_image.span(from), to_image.span(to));
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_COPY_IMAGE, Box::new(move |_| {
            to.copy(target.pointer(0), source.pointer(0), from);
            Ok(())
        }))
    }

    fn clEnqueueCopyImageToBuffer(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        origin: Sizes,
        region: Sizes,
        offset: usize,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, source, image) = queue_and_image(queue, source)?;
        let target = find_buffer(target)?;
        if !Arc::ptr_eq(&queue.context, &target.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        let texels = image.texels(origin, region)?;
        let (from, to) = (image.span(texels), part(&target, offset, image.host_span(texels, 0, 0)?)?);
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_COPY_IMAGE_TO_BUFFER, Box::new(move |_| {
            to.copy(target.pointer(0), source.pointer(0), from);
            Ok(())
        }))
    }

    fn clEnqueueCopyBufferToImage(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        offset: usize,
        origin: Sizes,
        region: Sizes,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let (queue, target, image) = queue_and_image(queue, target)?;
        let source = find_buffer(source)?;
        if !Arc::ptr_eq(&queue.context, &source.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        let texels = image.texels(origin, region)?;
        let (to, from) = (image.span(texels), part(&source, offset, image.host_span(texels, 0, 0)?)?);
        let wait = WaitList { count, list }.events(&queue.context)?;
        let submission = Submission { queue, wait, event };
        submission.enqueue(CL_COMMAND_COPY_BUFFER_TO_IMAGE, Box::new(move |_| {
            to.copy(target.pointer(0), source.pointer(0), from);
            Ok(())
        }))
    }
}
