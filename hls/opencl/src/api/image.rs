//! Images and samplers, and what they are asked for.

use super::info::Place;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::context::Context;
use crate::core::image::{self, Image, Origin};
use crate::core::memory::{self, Memory};
use crate::core::object::{self, find};
use crate::core::sampler::{Modes, Sampler};
use crate::sys::constants::*;
use crate::sys::types::*;
use crate::sys::{Handle, Ptr};
use abi::ImageFormat;
use std::ffi::c_void;
use std::sync::Arc;

/// An image, of its own memory or of that of a buffer or another image.
fn create(
    context: cl_context,
    flags: u64,
    (format, desc): (Option<cl_image_format>, Option<cl_image_desc>),
    host_ptr: Ptr<c_void>,
    properties: Option<Vec<u64>>,
) -> Status<cl_mem> {
    let context = find::<Context>(context)?;
    let whole = memory::check_flags(flags)?;
    let made_of = desc.map(|d| d.mem_object).filter(|handle| !handle.is_null());
    let made_of = made_of.map(find::<Memory>).transpose();
    let made_of = made_of.map_err(|_| CL_INVALID_IMAGE_DESCRIPTOR)?;
    let origin = match made_of.as_ref().map(|parent| (parent.image, parent.is_buffer())) {
        None => Origin::New { has_host_ptr: !host_ptr.is_null() },
        Some((Some(image), _)) => Origin::Image(image),
        Some((None, true)) => Origin::Buffer,
        Some((None, false)) => return Err(CL_INVALID_IMAGE_DESCRIPTOR),
    };
    let image = Image::new(format, desc, whole, origin)?;
    let memory = match made_of {
        Some(parent) => {
            if !Arc::ptr_eq(&parent.context, &context) {
                return Err(CL_INVALID_CONTEXT);
            }
            if !host_ptr.is_null() {
                return Err(CL_INVALID_HOST_PTR);
            }
            Memory::image_of(&parent, flags, image, properties)?
        }
        None => Memory::image(context, flags, image, host_ptr, properties)?,
    };
    Ok(object::publish(Arc::new(memory)))
}

/// What the functions of OpenCL 1.1 say of an image.
fn old_desc(image_type: u32, sizes: [usize; 3], pitches: [usize; 2]) -> Option<cl_image_desc> {
    Some(cl_image_desc {
        image_type,
        image_width: sizes[0],
        image_height: sizes[1],
        image_depth: sizes[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        mem_object: Handle::NULL,
    })
}

/// The properties of a sampler: pairs of names and values, ended by 0. Numbers of floating point are given as their bits.
fn sampler_properties(list: &[u64]) -> Status<Modes> {
    let mut modes = Modes::default();
    let mut given = vec![];
    for pair in list.chunks(2) {
        let name = u32::try_from(pair[0]).map_err(|_| CL_INVALID_VALUE)?;
        let value = pair.get(1).ok_or(CL_INVALID_VALUE)?;
        let value = u32::try_from(*value).map_err(|_| CL_INVALID_VALUE)?;
        match name {
            CL_SAMPLER_NORMALIZED_COORDS => modes.normalized = value,
            CL_SAMPLER_ADDRESSING_MODE => modes.addressing = value,
            CL_SAMPLER_FILTER_MODE => modes.filter = value,
            CL_SAMPLER_MIP_FILTER_MODE => modes.mip_filter = value,
            CL_SAMPLER_LOD_MIN => modes.lods[0] = f32::from_bits(value),
            CL_SAMPLER_LOD_MAX => modes.lods[1] = f32::from_bits(value),
            _ => return Err(CL_INVALID_VALUE),
        }
        if given.contains(&name) {
            return Err(CL_INVALID_VALUE);
        }
        given.push(name);
    }
    Ok(modes)
}

/// A list of pairs that a name of 0 ends.
fn pairs(list: Ptr<u64>) -> Vec<u64> {
    let mut all: Vec<u64> = vec![];
    // a value may be 0, a name may not
    loop {
        let so_far = list.array(all.len() + 1).unwrap_or_default();
        match so_far.last() {
            None | Some(0) => return all,
            Some(_) => all = list.array(all.len() + 2).unwrap_or_default(),
        }
    }
}

creators! {
    fn clCreateImage(
        context: cl_context,
        flags: u64,
        format: Ptr<cl_image_format>,
        desc: Ptr<cl_image_desc>,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        create(context, flags, (format.get(), desc.get()), host_ptr, None)
    }

    fn clCreateImageWithProperties(
        context: cl_context,
        properties: Ptr<u64>,
        flags: u64,
        format: Ptr<cl_image_format>,
        desc: Ptr<cl_image_desc>,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        find::<Context>(context)?;
        let list = properties.get();
        // no property is known
        if list.is_some_and(|first| first != 0) {
            return Err(CL_INVALID_PROPERTY);
        }
        let list = list.map(|end| vec![end]);
        create(context, flags, (format.get(), desc.get()), host_ptr, list)
    }

    fn clCreateImage2D(
        context: cl_context,
        flags: u64,
        format: Ptr<cl_image_format>,
        width: usize,
        height: usize,
        row_pitch: usize,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        let desc = old_desc(CL_MEM_OBJECT_IMAGE2D, [width, height, 0], [row_pitch, 0]);
        create(context, flags, (format.get(), desc), host_ptr, None).map_err(old_error)
    }

    fn clCreateImage3D(
        context: cl_context,
        flags: u64,
        format: Ptr<cl_image_format>,
        width: usize,
        height: usize,
        depth: usize,
        row_pitch: usize,
        slice_pitch: usize,
        host_ptr: Ptr<c_void>,
    ) -> cl_mem {
        let pitches = [row_pitch, slice_pitch];
        let desc = old_desc(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], pitches);
        create(context, flags, (format.get(), desc), host_ptr, None).map_err(old_error)
    }

    fn clCreateSampler(
        context: cl_context,
        normalized: u32,
        addressing: u32,
        filter: u32,
    ) -> cl_sampler {
        let context = find::<Context>(context)?;
        let modes = Modes { normalized, addressing, filter, ..Modes::default() };
        let sampler = Sampler::new(context, modes, None)?;
        Ok(object::publish(Arc::new(sampler)))
    }

    fn clCreateSamplerWithProperties(context: cl_context, properties: Ptr<u64>) -> cl_sampler {
        let context = find::<Context>(context)?;
        let list = pairs(properties);
        let modes = sampler_properties(&list)?;
        let given = (!properties.is_null()).then(|| list.into_iter().chain([0]).collect());
        let sampler = Sampler::new(context, modes, given)?;
        Ok(object::publish(Arc::new(sampler)))
    }
}

/// Functions of OpenCL 1.1 know no image descriptors: what is wrong with one is a size.
fn old_error(code: i32) -> i32 {
    if code == CL_INVALID_IMAGE_DESCRIPTOR { CL_INVALID_IMAGE_SIZE } else { code }
}

references! { Sampler, clRetainSampler, clReleaseSampler }

functions! {
    fn clGetSamplerInfo(
        sampler: cl_sampler,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let sampler = find::<Sampler>(sampler)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_SAMPLER_REFERENCE_COUNT => place.put(object::references(&*sampler)),
            CL_SAMPLER_CONTEXT => place.put(object::handle(&sampler.context)),
            CL_SAMPLER_NORMALIZED_COORDS => place.put(sampler.normalized),
            CL_SAMPLER_ADDRESSING_MODE => place.put(sampler.addressing),
            CL_SAMPLER_FILTER_MODE => place.put(sampler.filter),
            CL_SAMPLER_MIP_FILTER_MODE => place.put(sampler.mip_filter),
            CL_SAMPLER_LOD_MIN => place.put(sampler.lods[0].to_bits()),
            CL_SAMPLER_LOD_MAX => place.put(sampler.lods[1].to_bits()),
            CL_SAMPLER_PROPERTIES => place.put(sampler.properties.clone().unwrap_or_default()),
            _ => Err(CL_INVALID_VALUE),
        }
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
        // what kernels can read they can write, too
        memory::check_flags(flags & !CL_MEM_KERNEL_READ_AND_WRITE)?;
        let images = CL_MEM_OBJECT_IMAGE2D..=CL_MEM_OBJECT_IMAGE1D_BUFFER;
        if !images.contains(&image_type) || num_entries == 0 && !formats.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let number = |f: ImageFormat| cl_image_format {
            image_channel_order: f.order.number(),
            image_channel_data_type: f.data_type.number(),
        };
        let all: Vec<cl_image_format> = image::supported(image_type).map(number).collect();
        let room = if formats.is_null() { 0 } else { num_entries as usize };
        formats.set_array(&all[..room.min(all.len())]);
        num_formats.set(all.len() as u32);
        Ok(())
    }

    fn clGetImageInfo(
        image: cl_mem,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let memory = find::<Memory>(image)?;
        let image = memory.image.ok_or(CL_INVALID_MEM_OBJECT)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_IMAGE_FORMAT => place.put(cl_image_format {
                image_channel_order: image.format.order.number(),
                image_channel_data_type: image.format.data_type.number(),
            }),
            CL_IMAGE_ELEMENT_SIZE => place.put(image.element_bytes()),
            CL_IMAGE_ROW_PITCH => place.put(image.row_pitch),
            CL_IMAGE_SLICE_PITCH => place.put(image.slice_pitch),
            CL_IMAGE_WIDTH => place.put(image.width),
            CL_IMAGE_HEIGHT => place.put(image.height),
            CL_IMAGE_DEPTH => place.put(image.depth),
            CL_IMAGE_ARRAY_SIZE => place.put(image.layers),
            CL_IMAGE_BUFFER => {
                let buffer = memory.parent.as_ref().filter(|parent| parent.is_buffer());
                place.put(buffer.map_or(Handle::NULL, object::handle))
            }
            CL_IMAGE_NUM_MIP_LEVELS => place.put(image.levels),
            CL_IMAGE_NUM_SAMPLES => place.put(0u32),
            _ => Err(CL_INVALID_VALUE),
        }
    }
}
