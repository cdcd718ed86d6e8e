//! Contexts.

use super::device::Device;
use super::object::{Header, handle_of, object};
use super::svm::Allocations;
use super::{Status, lock};
use crate::sys::callback::{Callback, OfError, OfObject};
use crate::sys::constants::*;
use std::sync::{Arc, Mutex};

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
}

object!(Context, CL_INVALID_CONTEXT);

impl Context {
    /// A context of some devices.
    pub fn new(
        devices: Vec<Arc<Device>>,
        properties: Option<Vec<isize>>,
        notify: Option<Callback<OfError>>,
    ) -> Self {
        let (destructors, svm) = Default::default();
        Context { header: Header::new(), devices, properties, notify, destructors, svm }
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
