//! Pipes, and what they are asked for.

use super::info::Place;
use super::{creators, functions};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::core::object::{self, find};
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::*;
use std::ffi::c_void;
use std::sync::Arc;

creators! {
    fn clCreatePipe(
        context: cl_context,
        flags: u64,
        packet_size: u32,
        max_packets: u32,
        properties: Ptr<isize>,
    ) -> cl_mem {
        let context = find::<Context>(context)?;
        // no property is known, and no list of none either
        if !properties.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        Ok(object::publish(Arc::new(Memory::pipe(context, flags, packet_size, max_packets)?)))
    }
}

functions! {
    fn clGetPipeInfo(
        pipe: cl_mem,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let pipe = find::<Memory>(pipe)?.pipe.ok_or(CL_INVALID_MEM_OBJECT)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_PIPE_PACKET_SIZE => place.put(pipe.packet_size),
            CL_PIPE_MAX_PACKETS => place.put(pipe.max_packets),
            CL_PIPE_PROPERTIES => place.put(Vec::<isize>::new()),
            _ => Err(CL_INVALID_VALUE),
        }
    }
}
