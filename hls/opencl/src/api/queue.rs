//! Command-queues.

use super::info::Place;
use super::{creators, functions, references};
use crate::core::Status;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::object::{self, find};
use crate::core::queue::Queue;
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
) -> Status<cl_command_queue> {
    context.check_devices(std::slice::from_ref(&device))?;
    if properties & !KNOWN != 0 {
        return Err(CL_INVALID_VALUE);
    }
    if properties & !SUPPORTED != 0 {
        return Err(CL_INVALID_QUEUE_PROPERTIES);
    }
    Ok(object::publish(Arc::new(Queue::new(context, device, properties, list))))
}

references! { Queue, clRetainCommandQueue, clReleaseCommandQueue }

creators! {
    fn clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: u64,
    ) -> cl_command_queue {
        create(find(context)?, find(device)?, properties, None)
    }

    fn clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        list: Ptr<u64>,
    ) -> cl_command_queue {
        let (context, device) = (find(context)?, find(device)?);
        let Some(first) = list.get() else { return create(context, device, 0, None) };
        let mut properties = 0;
        let mut all = vec![];
        let mut name = first;
        while name != 0 {
            let pair = list.array(all.len() + 3).ok_or(CL_INVALID_VALUE)?;
            let value = pair[all.len() + 1];
            match u32::try_from(name) {
                Ok(CL_QUEUE_PROPERTIES) => properties = value,
                Ok(CL_QUEUE_SIZE) => return Err(CL_INVALID_QUEUE_PROPERTIES),
                _ => return Err(CL_INVALID_VALUE),
            }
            all.extend([name, value]);
            name = pair[all.len()];
        }
        all.push(0);
        create(context, device, properties, Some(all))
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
            CL_QUEUE_DEVICE_DEFAULT => place.put(Handle::NULL),
            // of queues on the device only
            CL_QUEUE_SIZE => Err(CL_INVALID_COMMAND_QUEUE),
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
        find::<Queue>(queue).map(drop)
    }

    fn clFinish(queue: cl_command_queue) {
        find::<Queue>(queue)?.finish();
        Ok(())
    }
}
