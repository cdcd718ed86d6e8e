//! Command-queues.

use super::info::Place;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::context::Context;
use crate::core::device::{DEVICE_QUEUE_SIZE, Device, MOST_DEVICE_QUEUE_SIZE};
use crate::core::object::{self, find};
use crate::core::queue::{OnDevice, Queue};
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_context, cl_device_id};
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

const SUPPORTED: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
const KNOWN: u64 = SUPPORTED | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

fn create(
    context: Arc<Context>,
    device: Arc<Device>,
    properties: u64,
    list: Option<Vec<u64>>,
    size: Option<u64>,
) -> Status<cl_command_queue> {
    context.check_devices(std::slice::from_ref(&device))?;
    if properties & !KNOWN != 0 {
        return Err(CL_INVALID_VALUE);
    }
    let on_device = on_device(properties, size)?;
    let default = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
    // there is one for a device and a context: who asks for another gets that
    if default && let Some(queue) = context.default_queue(&device) {
        let handle = object::handle(&queue);
        return object::retain::<Queue>(handle).map(|()| handle);
    }
    let queue = Arc::new(Queue::new(context, device, properties, list, on_device));
    if default {
        queue.context.set_default_queue(&queue);
    }
    Ok(object::publish(queue))
}

/// What properties say of a queue on the device; none for one of the host.
fn on_device(properties: u64, size: Option<u64>) -> Status<Option<OnDevice>> {
    if properties & CL_QUEUE_ON_DEVICE == 0 {
        let of_device = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0 || size.is_some();
        return if of_device { Err(CL_INVALID_VALUE) } else { Ok(None) };
    }
    if properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0 {
        return Err(CL_INVALID_VALUE);
    }
    let size = size.unwrap_or(DEVICE_QUEUE_SIZE.into());
    match u32::try_from(size) {
        Ok(size @ 1..=MOST_DEVICE_QUEUE_SIZE) => Ok(Some(OnDevice::new(size))),
        _ => Err(CL_INVALID_QUEUE_PROPERTIES),
    }
}

references! { Queue, clRetainCommandQueue, clReleaseCommandQueue }

creators! {
    fn clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: u64,
    ) -> cl_command_queue {
        // this function knows queues of the host only
        if properties & !SUPPORTED != 0 && properties & !KNOWN == 0 {
            return Err(CL_INVALID_QUEUE_PROPERTIES);
        }
        create(find(context)?, find(device)?, properties, None, None)
    }

    fn clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        list: Ptr<u64>,
    ) -> cl_command_queue {
        let (context, device) = (find(context)?, find(device)?);
        let Some(first) = list.get() else { return create(context, device, 0, None, None) };
        let (mut properties, mut queue_size) = (0, None);
        let mut all = vec![];
        let mut name = first;
        while name != 0 {
            let pair = list.array(all.len() + 3).ok_or(CL_INVALID_VALUE)?;
            let value = pair[all.len() + 1];
            match u32::try_from(name) {
                Ok(CL_QUEUE_PROPERTIES) => properties = value,
                Ok(CL_QUEUE_SIZE) => queue_size = Some(value),
                _ => return Err(CL_INVALID_VALUE),
            }
            all.extend([name, value]);
            name = pair[all.len()];
        }
        all.push(0);
        create(context, device, properties, Some(all), queue_size)
    }
}

functions! {
    fn clGetCommandQueueInfo(
        queue: cl_command_queue,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let queue = find::<Queue>(queue)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_QUEUE_CONTEXT => place.put(object::handle(&queue.context)),
            CL_QUEUE_DEVICE => place.put(object::handle(&queue.device)),
            CL_QUEUE_REFERENCE_COUNT => place.put(object::references(&*queue)),
            CL_QUEUE_PROPERTIES => place.put(queue.properties),
            CL_QUEUE_PROPERTIES_ARRAY => place.put(queue.property_list.clone().unwrap_or_default()),
            CL_QUEUE_DEVICE_DEFAULT => {
                let queue = queue.context.default_queue(&queue.device);
                place.put(queue.as_ref().map_or(Handle::NULL, object::handle))
            }
            // of queues on the device only
            CL_QUEUE_SIZE => match queue.on_device {
                Some(on_device) => place.put(on_device.size),
                None => Err(CL_INVALID_COMMAND_QUEUE),
            },
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clSetCommandQueueProperty(
        queue: cl_command_queue,
        _properties: u64,
        _enable: u32,
        _old_properties: Ptr<u64>,
    ) {
        find::<Queue>(queue)?;
        // gone since OpenCL 1.1
        Err(CL_INVALID_OPERATION)
    }

    fn clFlush(queue: cl_command_queue) {
        // commands begin as soon as they can
        find::<Queue>(queue)?.check_host()
    }

    fn clFinish(queue: cl_command_queue) {
        let queue = find::<Queue>(queue)?;
        queue.check_host()?;
        queue.finish();
        Ok(())
    }
}
