//! Contexts.

use super::info::Place;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::object::{self, find, find_all};
use crate::core::platform::{Platform, platform};
use crate::core::queue::Queue;
use crate::sys::callback::{Callback, OfError, OfObject};
use crate::sys::constants::*;
use crate::sys::types::{cl_context, cl_device_id};
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

/// Properties of a context, checked.
fn properties(list: Ptr<isize>) -> Status<Option<Vec<isize>>> {
    if list.is_null() {
        return Ok(None);
    }
    let mut all = vec![];
    let mut at = 0;
    loop {
        // names and values take turns, and a value may be 0
        let pair = list.array(at + 1).unwrap_or_default();
        let name = pair.last().copied().unwrap_or(0);
        if name == 0 {
            return Ok(Some(all));
        }
        let value = list.array(at + 2).unwrap_or_default().last().copied().unwrap_or(0);
        let seen = all.iter().step_by(2).any(|n| *n == name);
        if seen {
            return Err(CL_INVALID_PROPERTY);
        }
        match u32::try_from(name) {
            Ok(CL_CONTEXT_PLATFORM) => drop(find::<Platform>(Handle(value as usize))?),
            Ok(CL_CONTEXT_INTEROP_USER_SYNC) => {
                if !matches!(value as u32, CL_TRUE | CL_FALSE) {
                    return Err(CL_INVALID_PROPERTY);
                }
            }
            _ => return Err(CL_INVALID_PROPERTY),
        }
        all.extend([name, value]);
        at += 2;
    }
}

fn create(
    list: Ptr<isize>,
    devices: Vec<Arc<Device>>,
    notify: Option<OfError>,
    user_data: Ptr<c_void>,
) -> Status<cl_context> {
    if notify.is_none() && !user_data.is_null() {
        return Err(CL_INVALID_VALUE);
    }
    let properties = properties(list)?;
    let context = Context::new(devices, properties, Callback::new(notify, user_data));
    Ok(object::publish(Arc::new(context)))
}

references! { Context, clRetainContext, clReleaseContext }

creators! {
    fn clCreateContext(
        list: Ptr<isize>,
        num_devices: u32,
        devices: Ptr<cl_device_id>,
        notify: Option<OfError>,
        user_data: Ptr<c_void>,
    ) -> cl_context {
        properties(list)?;
        if num_devices == 0 || devices.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let handles = devices.array(num_devices as usize).ok_or(CL_INVALID_VALUE)?;
        let mut unique: Vec<Arc<Device>> = vec![];
        for device in find_all::<Device>(&handles)? {
            if !unique.iter().any(|d| Arc::ptr_eq(d, &device)) {
                unique.push(device);
            }
        }
        create(list, unique, notify, user_data)
    }

    fn clCreateContextFromType(
        list: Ptr<isize>,
        device_type: u64,
        notify: Option<OfError>,
        user_data: Ptr<c_void>,
    ) -> cl_context {
        properties(list)?;
        let devices = super::device::of_type(platform(), device_type)?;
        if devices.is_empty() {
            return Err(CL_DEVICE_NOT_FOUND);
        }
        create(list, devices, notify, user_data)
    }
}

functions! {
    fn clGetContextInfo(
        context: cl_context,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let context = find::<Context>(context)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_CONTEXT_REFERENCE_COUNT => place.put(object::references(&*context)),
            CL_CONTEXT_NUM_DEVICES => place.put(context.devices.len() as u32),
            CL_CONTEXT_DEVICES => {
                place.put(context.devices.iter().map(object::handle).collect::<Vec<Handle>>())
            }
            CL_CONTEXT_PROPERTIES => {
                let list = context.properties.clone().map(|mut list| {
                    list.push(0);
                    list
                });
                place.put(list.unwrap_or_default())
            }
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clSetContextDestructorCallback(
        context: cl_context,
        notify: Option<OfObject>,
        user_data: Ptr<c_void>,
    ) {
        let context = find::<Context>(context)?;
        context.add_destructor(Callback::new(notify, user_data).ok_or(CL_INVALID_VALUE)?);
        Ok(())
    }

    fn clSetDefaultDeviceCommandQueue(context: cl_context, device: cl_device_id, queue: Handle) {
        let context = find::<Context>(context)?;
        let device = find::<Device>(device)?;
        context.check_devices(std::slice::from_ref(&device))?;
        let queue = find::<Queue>(queue)?;
        let of_both = Arc::ptr_eq(&queue.context, &context) && Arc::ptr_eq(&queue.device, &device);
        if queue.on_device.is_none() || !of_both {
            return Err(CL_INVALID_COMMAND_QUEUE);
        }
        context.set_default_queue(&queue);
        Ok(())
    }
}
