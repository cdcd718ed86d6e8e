//! Functions of extensions that no device has: sharing with graphics interfaces. Their slots of the dispatch table
//! must not be empty, as a program could still call them.

use super::{creators, functions};
use crate::sys::Ptr;
use crate::sys::constants::*;
use crate::sys::types::*;
use std::ffi::c_void;

type Answer = Ptr<c_void>;
type Events = Ptr<cl_event>;

// no context shares anything with a graphics interface
creators! {
    fn clCreateFromGLBuffer(_context: cl_context, _flags: u64, _buffer: u32) -> cl_mem {
        Err(CL_INVALID_CONTEXT)
    }

    fn clCreateFromGLTexture(
        _context: cl_context,
        _flags: u64,
        _target: u32,
        _level: i32,
        _texture: u32,
    ) -> cl_mem {
        Err(CL_INVALID_CONTEXT)
    }

    fn clCreateFromGLRenderbuffer(_context: cl_context, _flags: u64, _buffer: u32) -> cl_mem {
        Err(CL_INVALID_CONTEXT)
    }

    fn clCreateEventFromGLsyncKHR(_context: cl_context, _sync: Ptr<c_void>) -> cl_event {
        Err(CL_INVALID_CONTEXT)
    }

    fn clCreateFromEGLImageKHR(
        _context: cl_context,
        _display: Ptr<c_void>,
        _image: Ptr<c_void>,
        _flags: u64,
        _properties: Ptr<isize>,
    ) -> cl_mem {
        Err(CL_INVALID_CONTEXT)
    }

    fn clCreateEventFromEGLSyncKHR(
        _context: cl_context,
        _sync: Ptr<c_void>,
        _display: Ptr<c_void>,
    ) -> cl_event {
        Err(CL_INVALID_CONTEXT)
    }
}

functions! {
    /// Any function of an interface that this system does not have.
    fn elsewhere() {
        Err(CL_INVALID_OPERATION)
    }

    fn clGetGLObjectInfo(_memory: cl_mem, _kind: Ptr<u32>, _name: Ptr<u32>) {
        Err(CL_INVALID_MEM_OBJECT)
    }

    fn clGetGLTextureInfo(_m: cl_mem, _name: u32, _size: usize, _value: Answer, _ret: Ptr<usize>) {
        Err(CL_INVALID_MEM_OBJECT)
    }

    fn clGetGLContextInfoKHR(
        _properties: Ptr<isize>,
        _name: u32,
        _size: usize,
        _value: Answer,
        _ret: Ptr<usize>,
    ) {
        Err(CL_INVALID_OPERATION)
    }

    /// The functions that give objects to OpenCL and back.
    fn shared_objects(
        queue: cl_command_queue,
        _num_objects: u32,
        _objects: Ptr<cl_mem>,
        _count: u32,
        _list: Events,
        _event: Events,
    ) {
        crate::core::object::find::<crate::core::queue::Queue>(queue)?;
        Err(CL_INVALID_CONTEXT)
    }
}
