//! Events.

use super::arguments::{Submission, WaitList};
use super::info::Place;
use super::{creators, functions, references};
use crate::core::context::Context;
use crate::core::event::{Event, wait_all};
use crate::core::object::{self, find, find_all};
use crate::core::queue::{Order, Queue};
use crate::sys::callback::{Callback, OfEvent};
use crate::sys::constants::*;
use crate::sys::types::{cl_command_queue, cl_context, cl_event};
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;
use std::sync::Arc;

/// Clock cycles of a kernel in hardware, as an answer of `clGetEventProfilingInfo`: a `cl_ulong`. Not available for
/// commands that ran on no hardware.
const CL_PROFILING_COMMAND_CYCLES_CLHLS: u32 = 0x1_4C48;

references! { Event, clRetainEvent, clReleaseEvent }

creators! {
    fn clCreateUserEvent(context: cl_context) -> cl_event {
        Ok(object::publish(Event::of_user(find::<Context>(context)?)))
    }
}

functions! {
    fn clSetUserEventStatus(event: cl_event, status: i32) {
        let event = find::<Event>(event)?;
        if event.command != CL_COMMAND_USER {
            return Err(CL_INVALID_EVENT);
        }
        if status > CL_COMPLETE {
            return Err(CL_INVALID_VALUE);
        }
        event.advance(status)
    }

    fn clWaitForEvents(num_events: u32, list: Ptr<cl_event>) {
        if num_events == 0 || list.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let handles = list.array(num_events as usize).ok_or(CL_INVALID_VALUE)?;
        let events: Vec<Arc<Event>> = find_all(&handles)?;
        if events.iter().any(|e| !Arc::ptr_eq(&e.context, &events[0].context)) {
            return Err(CL_INVALID_CONTEXT);
        }
        wait_all(&events)
    }

    fn clGetEventInfo(
        event: cl_event,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let event = find::<Event>(event)?;
        let place = Place { size, value, size_ret };
        match name {
            CL_EVENT_COMMAND_QUEUE => {
                place.put(event.queue.as_ref().map_or(Handle::NULL, object::handle))
            }
            CL_EVENT_CONTEXT => place.put(object::handle(&event.context)),
            CL_EVENT_COMMAND_TYPE => place.put(event.command),
            CL_EVENT_COMMAND_EXECUTION_STATUS => place.put(event.status()),
            CL_EVENT_REFERENCE_COUNT => place.put(object::references(&*event)),
            _ => Err(CL_INVALID_VALUE),
        }
    }

    fn clSetEventCallback(
        event: cl_event,
        status: i32,
        notify: Option<OfEvent>,
        user_data: Ptr<c_void>,
    ) {
        let event = find::<Event>(event)?;
        let callback = Callback::new(notify, user_data).ok_or(CL_INVALID_VALUE)?;
        if !matches!(status, CL_COMPLETE | CL_RUNNING | CL_SUBMITTED) {
            return Err(CL_INVALID_VALUE);
        }
        event.add_callback(status, callback);
        Ok(())
    }

    fn clGetEventProfilingInfo(
        event: cl_event,
        name: u32,
        size: usize,
        value: Ptr<c_void>,
        size_ret: Ptr<usize>,
    ) {
        let event = find::<Event>(event)?;
        let enabled = |queue: &Arc<Queue>| queue.properties & CL_QUEUE_PROFILING_ENABLE != 0;
        let measured = event.queue.as_ref().is_some_and(enabled) && event.status() == CL_COMPLETE;
        let place = Place { size, value, size_ret };
        let times = event.times();
        let time = match name {
            CL_PROFILING_COMMAND_QUEUED => Some(times.queued),
            CL_PROFILING_COMMAND_SUBMIT => Some(times.submitted),
            CL_PROFILING_COMMAND_START => Some(times.started),
            CL_PROFILING_COMMAND_END => Some(times.ended),
            CL_PROFILING_COMMAND_COMPLETE => Some(times.completed),
            CL_PROFILING_COMMAND_CYCLES_CLHLS => event.hardware().map(|h| h.cycles),
            _ => return Err(CL_INVALID_VALUE),
        };
        match time.filter(|_| measured) {
            Some(time) => place.put(time),
            None => Err(CL_PROFILING_INFO_NOT_AVAILABLE),
        }
    }

    fn clEnqueueMarkerWithWaitList(
        queue: cl_command_queue,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = find::<Queue>(queue)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        let order = if wait.is_empty() { Order::AfterAll } else { Order::Plain };
        let submission = Submission { queue, wait, event };
        submission.ordered(CL_COMMAND_MARKER, order, Box::new(|_| Ok(()))).map(drop)
    }

    fn clEnqueueBarrierWithWaitList(
        queue: cl_command_queue,
        count: u32,
        list: Ptr<cl_event>,
        event: Ptr<cl_event>,
    ) {
        let queue = find::<Queue>(queue)?;
        let wait = WaitList { count, list }.events(&queue.context)?;
        let order = if wait.is_empty() { Order::FullBarrier } else { Order::Barrier };
        let submission = Submission { queue, wait, event };
        submission.ordered(CL_COMMAND_BARRIER, order, Box::new(|_| Ok(()))).map(drop)
    }

    fn clEnqueueMarker(queue: cl_command_queue, event: Ptr<cl_event>) {
        let queue = find::<Queue>(queue)?;
        if event.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let submission = Submission { queue, wait: vec![], event };
        let work = Box::new(|_: &Event| Ok(()));
        submission.ordered(CL_COMMAND_MARKER, Order::AfterAll, work).map(drop)
    }

    fn clEnqueueBarrier(queue: cl_command_queue) {
        let queue = find::<Queue>(queue)?;
        let submission = Submission { queue, wait: vec![], event: Ptr::NULL };
        let work = Box::new(|_: &Event| Ok(()));
        submission.ordered(CL_COMMAND_BARRIER, Order::FullBarrier, work).map(drop)
    }

    fn clEnqueueWaitForEvents(queue: cl_command_queue, num_events: u32, list: Ptr<cl_event>) {
        let queue = find::<Queue>(queue)?;
        if num_events == 0 || list.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let wait = WaitList { count: num_events, list }.events(&queue.context);
        let wait = wait.map_err(|e| if e == CL_INVALID_CONTEXT { e } else { CL_INVALID_EVENT })?;
        let submission = Submission { queue, wait, event: Ptr::NULL };
        let work = Box::new(|_: &Event| Ok(()));
        submission.ordered(CL_COMMAND_BARRIER, Order::Barrier, work).map(drop)
    }
}
