//! What all memory objects have.

use super::info::Place;
use super::{functions, references};
use crate::core::memory::Memory;
use crate::core::object::{self, find};
use crate::sys::callback::{Callback, OfObject};
use crate::sys::constants::*;
use crate::sys::types::cl_mem;
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;

references! { Memory, clRetainMemObject, clReleaseMemObject }

functions! {
    fn clGetMemObjectInfo(
        memory: cl_mem,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let memory = find::<Memory>(memory)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_MEM_TYPE => place.put(memory.kind()),
            CL_MEM_FLAGS => place.put(memory.flags),
            CL_MEM_SIZE => place.put(memory.size),
            CL_MEM_HOST_PTR => place.put(memory.host_ptr),
            CL_MEM_MAP_COUNT => place.put(memory.map_count()),
            CL_MEM_REFERENCE_COUNT => place.put(object::references(&*memory)),
            CL_MEM_CONTEXT => place.put(object::handle(&memory.context)),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                place.put(memory.parent.as_ref().map_or(Handle::NULL, object::handle))
            }
            CL_MEM_OFFSET => place.put(memory.origin()),
            CL_MEM_USES_SVM_POINTER => place.put(memory.uses_svm()),
            CL_MEM_PROPERTIES => place.put(memory.properties.clone().unwrap_or_default()),
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clSetMemObjectDestructorCallback(
        memory: cl_mem,
        notify: Option<OfObject>,
        user_data: Ptr<c_void>,
    ) {
        let memory = find::<Memory>(memory)?;
        memory.add_destructor(Callback::new(notify, user_data).ok_or(CL_INVALID_VALUE)?);
        Ok(())
    }
}
