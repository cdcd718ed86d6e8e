//! The platform and its devices, which exist as long as the library is loaded.

use super::device::Device;
use super::object::{self, Header, object};
use crate::sys::Handle;
use std::sync::{Arc, OnceLock};

/// Names the devices there are, joined by commas: `emu`, `interp`, `sim:BOARD`.
pub const DEVICES_VARIABLE: &str = "CLHLS_DEVICES";
const DEFAULT_DEVICES: &str = "emu,sim:u250";

/// The platform.
#[derive(Debug)]
#[repr(C)]
pub struct Platform {
    header: Header,
    /// Its devices, the default one first.
    pub devices: Vec<Arc<Device>>,
}

object!(Platform, CL_INVALID_PLATFORM);

/// The one platform.
pub fn platform() -> &'static Arc<Platform> {
    static PLATFORM: OnceLock<Arc<Platform>> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        let names = std::env::var(DEVICES_VARIABLE).unwrap_or_else(|_| DEFAULT_DEVICES.into());
        let mut devices = vec![];
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match Device::new(name) {
                Ok(device) => devices.push(Arc::new(device)),
                // there is no call to give the error to
                Err(problem) => eprintln!("clhls: {DEVICES_VARIABLE}: {problem}"),
            }
        }
        for device in &devices {
            object::publish(Arc::clone(device));
        }
        let platform = Arc::new(Platform { header: Header::new(), devices });
        object::publish(Arc::clone(&platform));
        platform
    })
}

/// The platform's handle.
pub fn handle() -> Handle {
    object::handle(platform())
}
