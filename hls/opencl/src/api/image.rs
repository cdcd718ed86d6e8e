//! Images, samplers and pipes, which no device has yet: objects cannot be made, so every handle is wrong.

use super::{creators, functions};
use crate::core::context::Context;
use crate::core::memory;
use crate::core::memory::Memory;
use crate::core::object::find;
use crate::core::queue::Queue;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::*;
use std::ffi::c_void;

type Sizes = Ptr<usize>;

/// The error of a call for an image that is none.
fn no_image(queue: cl_command_queue, image: cl_mem) -> crate::core::Status {
    find::<Queue>(queue)?;
    find::<Memory>(image)?;
    Err(CL_INVALID_MEM_OBJECT)
}

creators! {
    fn clCreateImage(
        context: cl_context,
        flags: u64,
        _format: Ptr<cl_image_format>,
        _desc: Ptr<cl_image_desc>,
        _host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        find::<Context>(context)?;
        memory::check_flags(flags)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreateImageWithProperties(
        context: cl_context,
        _properties: Ptr<u64>,
        flags: u64,
        _format: Ptr<cl_image_format>,
        _desc: Ptr<cl_image_desc>,
        _host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        find::<Context>(context)?;
        memory::check_flags(flags)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreateImage2D(
        context: cl_context,
        _flags: u64,
        _format: Ptr<cl_image_format>,
        _width: usize,
        _height: usize,
        _row_pitch: usize,
        _host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        find::<Context>(context)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreateImage3D(
        context: cl_context,
        _flags: u64,
        _format: Ptr<cl_image_format>,
        _width: usize,
        _height: usize,
        _depth: usize,
        _row_pitch: usize,
        _slice_pitch: usize,
        _host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        find::<Context>(context)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreateSampler(
        context: cl_context,
        _normalized: u32,
        _addressing: u32,
        _filter: u32,
    ) -> cl_sampler {
        find::<Context>(context)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreateSamplerWithProperties(context: cl_context, _properties: Ptr<u64>) -> cl_sampler {
        find::<Context>(context)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clCreatePipe(
        context: cl_context,
        _flags: u64,
        _packet_size: u32,
        _max_packets: u32,
        _properties: Ptr<isize>,
    ) -> cl_mem {
        find::<Context>(context)?;
        Err(CL_INVALID_OPERATION)
    }

    fn clEnqueueMapImage(
        queue: cl_command_queue,
        image: cl_mem,
        _blocking: u32,
        _flags: u64,
        _origin: Sizes,
        _region: Sizes,
        _row_pitch: Sizes,
        _slice_pitch: Sizes,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) -> Ptr<c_void> {
        no_image(queue, image)?;
        Err(CL_INVALID_MEM_OBJECT)
    }
}

functions! {
    fn clRetainSampler(_sampler: cl_sampler) {
        Err(CL_INVALID_SAMPLER)
    }

    fn clReleaseSampler(_sampler: cl_sampler) {
        Err(CL_INVALID_SAMPLER)
    }

    fn clGetSamplerInfo(
        _sampler: cl_sampler,
        _name: u32,
        _size: usize,
        _value: Ptr<c_void>,
        _size_ret: Ptr<usize>,
    ) {
        Err(CL_INVALID_SAMPLER)
    }

    fn clGetSupportedImageFormats(
        context: cl_context,
        flags: u64,
        image_type: u32,
        num_entries: u32,
        formats: Ptr<cl_image_format>,
        num_formats: Ptr<u32>,
    ) {
        find::<Context>(context)?;
        memory::check_flags(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        let images = CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER;
        if !images.contains(&image_type) || num_entries == 0 && !formats.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        num_formats.set(0);
        Ok(())
    }

    fn clGetImageInfo(
        image: cl_mem,
        _name: u32,
        _size: usize,
        _value: Ptr<c_void>,
        _size_ret: Ptr<usize>,
    ) {
        find::<Memory>(image)?;
        Err(CL_INVALID_MEM_OBJECT)
    }

    fn clGetPipeInfo(
        pipe: cl_mem,
        _name: u32,
        _size: usize,
        _value: Ptr<c_void>,
        _size_ret: Ptr<usize>,
    ) {
        find::<Memory>(pipe)?;
        Err(CL_INVALID_MEM_OBJECT)
    }

    fn clEnqueueReadImage(
        queue: cl_command_queue,
        image: cl_mem,
        _blocking: u32,
        _origin: Sizes,
        _region: Sizes,
        _row_pitch: usize,
        _slice_pitch: usize,
        _target: Ptr<c_void>,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        no_image(queue, image)
    }

    fn clEnqueueWriteImage(
        queue: cl_command_queue,
        image: cl_mem,
        _blocking: u32,
        _origin: Sizes,
        _region: Sizes,
        _row_pitch: usize,
        _slice_pitch: usize,
        _source: Ptr<c_void>,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        no_image(queue, image)
    }

    fn clEnqueueFillImage(
        queue: cl_command_queue,
        image: cl_mem,
        _color: Ptr<c_void>,
        _origin: Sizes,
        _region: Sizes,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        no_image(queue, image)
    }

    fn clEnqueueCopyImage(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        _source_origin: Sizes,
        _target_origin: Sizes,
        _region: Sizes,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        find::<Queue>(queue)?;
        find::<Memory>(target)?;
        no_image(queue, source)
    }

    fn clEnqueueCopyImageToBuffer(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        _origin: Sizes,
        _region: Sizes,
        _offset: usize,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        find::<Queue>(queue)?;
        find::<Memory>(target)?;
        no_image(queue, source)
    }

    fn clEnqueueCopyBufferToImage(
        queue: cl_command_queue,
        source: cl_mem,
        target: cl_mem,
        _offset: usize,
        _origin: Sizes,
        _region: Sizes,
        _count: u32,
        _list: Ptr<cl_event>,
        _event: Ptr<cl_event>,
    ) {
        find::<Queue>(queue)?;
        find::<Memory>(source)?;
        no_image(queue, target)
    }
}
