//! Parameters that many functions have.

use crate::core::Status;
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::event::Event;
use crate::core::object::{self, find_all};
use crate::core::queue::{Order, Queue, Work};
use crate::sys::constants::*;
use crate::sys::types::cl_event;
use crate::sys::{Handle, Ptr};
use std::sync::Arc;

/// The wait list of a command.
#[derive(Debug, Clone, Copy)]
pub struct WaitList {
    /// Number of events.
    pub count: u32,
    /// The events.
    pub list: Ptr<cl_event>,
}

impl WaitList {
    /// The events, which all are of the context.
    ///
    /// # Errors
    /// `CL_INVALID_EVENT_WAIT_LIST`, `CL_INVALID_CONTEXT`
    pub fn events(self, context: &Arc<Context>) -> Status<Vec<Arc<Event>>> {
        if (self.count == 0) != self.list.is_null() {
            return Err(CL_INVALID_EVENT_WAIT_LIST);
        }
        let handles = self.list.array(self.count as usize).unwrap_or_default();
        let events: Vec<Arc<Event>> = find_all(&handles).map_err(|_| CL_INVALID_EVENT_WAIT_LIST)?;
        if events.iter().any(|event| !Arc::ptr_eq(&event.context, context)) {
            return Err(CL_INVALID_CONTEXT);
        }
        Ok(events)
    }
}

/// What every command is put into a queue with.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The queue.
    pub queue: Arc<Queue>,
    /// What it waits for.
    pub wait: Vec<Arc<Event>>,
    /// Where the event goes.
    pub event: Ptr<cl_event>,
}

impl Submission {
    /// Puts a command into the queue.
    ///
    /// # Errors
    /// As [`Queue::enqueue`].
    pub fn enqueue(self, command: u32, work: Work) -> Status {
        self.ordered(command, Order::Plain, work).map(drop)
    }

    /// Puts a command into the queue and, if it is a blocking one, waits for its end.
    ///
    /// # Errors
    /// As [`Queue::enqueue`]; `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST` or the command's error if it waits.
    pub fn enqueue_blocking(self, command: u32, blocking: u32, work: Work) -> Status {
        let place = self.event;
        let done = self.ordered(command, Order::Plain, work)?;
        if blocking == CL_FALSE {
            return Ok(());
        }
        done.wait().inspect_err(|_| {
            // a call that fails gives no event
            if let Some(handle) = place.get() {
                let _ = object::release::<Event>(handle);
                place.set(Handle::NULL);
            }
        })
    }

    /// Puts a command into the queue that keeps an order of its own.
    ///
    /// # Errors
    /// As [`Queue::enqueue`].
    pub fn ordered(self, command: u32, order: Order, work: Work) -> Status<Arc<Event>> {
        let event = self.queue.enqueue(command, self.wait, order, work)?;
        if !self.event.is_null() {
            self.event.set(object::publish(Arc::clone(&event)));
        }
        Ok(event)
    }
}

/// The devices that a function is to work on: those of a list, which all are in `all`, or all of them.
///
/// # Errors
/// `CL_INVALID_VALUE` if only one of list and count is there, `CL_INVALID_DEVICE`
pub fn devices(count: u32, list: Ptr<Handle>, all: &[Arc<Device>]) -> Status<Vec<Arc<Device>>> {
    if (count == 0) != list.is_null() {
        return Err(CL_INVALID_VALUE);
    }
    let Some(handles) = list.array(count as usize) else { return Ok(all.to_vec()) };
    let devices: Vec<Arc<Device>> = find_all(&handles)?;
    if devices.iter().all(|device| all.iter().any(|d| Arc::ptr_eq(d, device))) {
        Ok(devices)
    } else {
        Err(CL_INVALID_DEVICE)
    }
}
