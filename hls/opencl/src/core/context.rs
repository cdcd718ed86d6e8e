//! Contexts.

use super::device::Device;
use super::object::{Header, handle_of, object};
use super::queue::Queue;
use super::svm::Allocations;
use super::{Status, lock};
use crate::sys::callback::{Callback, OfError, OfObject};
use crate::sys::constants::*;
use std::sync::{Arc, Mutex, Weak};

/// A context.
#[derive(Debug)]
#[repr(C)]
pub struct Context {
    header: Header,
    /// Its devices.
    pub devices: Vec<Arc<Device>>,
    /// Properties as given, without the final zero; none if there was no list.
    pub properties: Option<Vec<isize>>,
    /// Told about errors that no call returns.
    notify: Option<Callback<OfError>>,
    /// Called when the context goes, the last one first.
    destructors: Mutex<Vec<Callback<OfObject>>>,
    /// Shared virtual memory.
    pub svm: Allocations,
    /// The default queues on devices, each while it exists.
    default_queues: Mutex<Vec<Weak<Queue>>>,
}

object!(Context, CL_INVALID_CONTEXT);

impl Context {
    /// A context of some devices.
    pub fn new(
        devices: Vec<Arc<Device>>,
        properties: Option<Vec<isize>>,
        notify: Option<Callback<OfError>>,
    ) -> Self {
        let (destructors, svm, default_queues) = Default::default();
        let header = Header::new();
        Context { header, devices, properties, notify, destructors, svm, default_queues }
    }

    /// Whether a device is one of the context's.
    pub fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|d| Arc::ptr_eq(d, device))
    }

    /// The devices of a list that all are the context's.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`
    pub fn check_devices(&self, devices: &[Arc<Device>]) -> Status {
        if devices.iter().all(|d| self.has(d)) { Ok(()) } else { Err(CL_INVALID_DEVICE) }
    }

    /// The default queue on a device, if there is one.
    pub fn default_queue(&self, device: &Arc<Device>) -> Option<Arc<Queue>> {
        let queues = lock(&self.default_queues);
        let mut alive = queues.iter().filter_map(Weak::upgrade);
        alive.find(|queue| Arc::ptr_eq(&queue.device, device))
    }

    /// Makes a queue the default one on its device.
    pub fn set_default_queue(&self, queue: &Arc<Queue>) {
        let other = |weak: &Weak<Queue>| {
            weak.upgrade().is_some_and(|q| !Arc::ptr_eq(&q.device, &queue.device))
        };
        let mut queues = lock(&self.default_queues);
        queues.retain(other);
        queues.push(Arc::downgrade(queue));
    }

    /// Most bytes of a memory object that one of the devices can have.
    pub fn max_allocation(&self) -> u64 {
        self.devices.iter().map(|d| d.max_allocation()).max().unwrap_or(0)
    }

    /// Tells about an error that no call returns.
    pub fn report(&self, message: &str) {
        match &self.notify {
            Some(notify) => notify.call(message),
            None => eprintln!("clhls: {message}"),
        }
    }

    /// Has a function called when the context goes.
    pub fn add_destructor(&self, callback: Callback<OfObject>) {
        lock(&self.destructors).push(callback);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let handle = handle_of(self);
        while let Some(destructor) = lock(&self.destructors).pop() {
            destructor.call(handle);
        }
    }
}
