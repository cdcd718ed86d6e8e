//! Pipes, which no device has yet: objects cannot be made, so every handle is wrong.

use super::{creators, functions};
use crate::core::context::Context;
use crate::core::memory::Memory;
use crate::core::object::find;
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::*;
use std::ffi::c_void;

creators! {
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
}

functions! {
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
}
