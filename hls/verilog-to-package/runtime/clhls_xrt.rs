//! Alveo cards through XRT's C interface, loaded at run time.
//!
//! Kernels are driven by their registers, which XRT allows to a kernel's exclusive user: so arguments of any size work, and
//! the launch code is the same for every board.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::io;

use super::{Buffer, Device, Error, Kernel, Result, Status, check_size};

const TO_DEVICE: c_int = 0;
const FROM_DEVICE: c_int = 1;
const RTLD_NOW: c_int = 2;

type Handle = *mut c_void;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) -> $result:ty;)*) => {
        /// XRT's functions, by name; see xrt/xrt_device.h, xrt_kernel.h, xrt_bo.h.
        #[allow(non_snake_case)]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> $result,)*
        }

        impl Functions {
            fn load(library: *mut c_void) -> Result<Functions> {
                Ok(Functions { $($name: {
                    let name = concat!(stringify!($name), "\0");
                    // SAFETY: the name ends with a zero, the library is open
                    let symbol = unsafe { dlsym(library, name.as_ptr().cast()) };
                    if symbol.is_null() {
                        let what = concat!("XRT has no function ", stringify!($name));
                        return Err(Error::new(Status::DeviceNotAvailable, what));
                    }
                    // SAFETY: XRT's headers declare the function of this name so
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($arg),*) -> $result>(symbol) }
                },)* })
            }
        }
    };
}

functions! {
    xrtDeviceOpen: fn(c_uint) -> Handle;
    xrtDeviceClose: fn(Handle) -> c_int;
    xrtDeviceLoadXclbinFile: fn(Handle, *const c_char) -> c_int;
    xrtDeviceGetXclbinUUID: fn(Handle, *mut u8) -> c_int;
    xrtPLKernelOpenExclusive: fn(Handle, *const u8, *const c_char) -> Handle;
    xrtKernelClose: fn(Handle) -> c_int;
    xrtKernelArgGroupId: fn(Handle, c_int) -> c_int;
    xrtKernelReadRegister: fn(Handle, u32, *mut u32) -> c_int;
    xrtKernelWriteRegister: fn(Handle, u32, u32) -> c_int;
    xrtBOAlloc: fn(Handle, usize, u64, u32) -> Handle;
    xrtBOFree: fn(Handle) -> c_int;
    xrtBOSync: fn(Handle, c_int, usize, usize) -> c_int;
    xrtBOAddress: fn(Handle) -> u64;
    xrtBOWrite: fn(Handle, *const c_void, usize, usize) -> c_int;
    xrtBORead: fn(Handle, *mut c_void, usize, usize) -> c_int;
}

/// A card that runs a design.
pub struct Xrt {
    xrt: Functions,
    device: Handle,
    uuid: [u8; 16],
    /// By number, opened when first used.
    kernels: BTreeMap<u32, Handle>,
}

/// The error of a call that has just failed.
fn failed(what: &str) -> Error {
    let why = io::Error::last_os_error();
    Error::new(Status::DeviceNotAvailable, format!("XRT: {what}: {why}"))
}

fn check(result: c_int, what: &str) -> Result<()> {
    if result == 0 { Ok(()) } else { Err(failed(what)) }
}

fn text(name: &str) -> Result<CString> {
    let zero = |_| Error::new(Status::InvalidValue, format!("{name:?} has a zero byte"));
    CString::new(name).map_err(zero)
}

impl Xrt {
    /// Opens a card and loads an `.xclbin` file. Also XRT's emulation.
    pub fn open(card: u32, xclbin: &str) -> Result<Xrt> {
        let file = text(xclbin)?;
        // SAFETY: the names end with a zero; what dlerror gives is copied at once
        let library = unsafe { dlopen(c"libxrt_coreutil.so.2".as_ptr(), RTLD_NOW) };
        if library.is_null() {
            // SAFETY: dlopen has just failed, so there is a text
            let why = unsafe { CStr::from_ptr(dlerror()) }.to_string_lossy().into_owned();
            let what = format!("XRT is not installed (or its setup script was not run): {why}");
            return Err(Error::new(Status::DeviceNotAvailable, what));
        }
        // the library stays: XRT does not like to be unloaded
        let xrt = Functions::load(library)?;
        // SAFETY: as XRT's headers say; the handle is closed when `card` is dropped
        let device = unsafe { (xrt.xrtDeviceOpen)(card) };
        if device.is_null() {
            return Err(failed("open the card"));
        }
        let mut card = Xrt { xrt, device, uuid: [0; 16], kernels: BTreeMap::new() };
        // SAFETY: the device is open, the name ends with a zero, the UUID has room for 16 bytes
        unsafe {
            check((card.xrt.xrtDeviceLoadXclbinFile)(card.device, file.as_ptr()), xclbin)?;
            let uuid = card.uuid.as_mut_ptr();
            check((card.xrt.xrtDeviceGetXclbinUUID)(card.device, uuid), "ask for the UUID")?;
        }
        Ok(card)
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<Handle> {
        if let Some(handle) = self.kernels.get(&kernel.index) {
            return Ok(*handle);
        }
        let name = text(kernel.name)?;
        // SAFETY: the device is open, the name ends with a zero
        let handle = unsafe { (self.xrt.xrtPLKernelOpenExclusive)(self.device, self.uuid.as_ptr(), name.as_ptr()) };
        if handle.is_null() {
            return Err(Error { status: Status::InvalidKernel, ..failed(kernel.name) });
        }
        self.kernels.insert(kernel.index, handle);
        Ok(handle)
    }
}

fn handle(buffer: &Buffer) -> Handle {
    std::ptr::with_exposed_provenance_mut(buffer.handle)
}

impl Device for Xrt {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        let kernel = self.kernel(kernel)?;
        for (address, word) in (offset..).step_by(4).zip(words) {
            // SAFETY: the kernel is open
            check(unsafe { (self.xrt.xrtKernelWriteRegister)(kernel, address, *word) }, "write register")?;
        }
        Ok(())
    }

    fn read_registers(&mut self, kernel: &Kernel, offset: u32, words: &mut [u32]) -> Result<()> {
        let kernel = self.kernel(kernel)?;
        for (address, word) in (offset..).step_by(4).zip(words) {
            // SAFETY: the kernel is open
            check(unsafe { (self.xrt.xrtKernelReadRegister)(kernel, address, word) }, "read register")?;
        }
        Ok(())
    }

    fn allocate(&mut self, kernel: &Kernel, arg: u32, size: usize) -> Result<Buffer> {
        check_size(size)?;
        let kernel = self.kernel(kernel)?;
        // SAFETY: the kernel and the device are open
        let group = unsafe { (self.xrt.xrtKernelArgGroupId)(kernel, arg as c_int) };
        let group = u32::try_from(group).map_err(|_| failed("memory group of an argument"))?;
        // SAFETY: the device is open
        let handle = unsafe { (self.xrt.xrtBOAlloc)(self.device, size, 0, group) };
        if handle.is_null() {
            let Error { message, .. } = failed(&format!("allocate {size} bytes"));
            return Err(Error::new(Status::OutOfDeviceMemory, message));
        }
        // SAFETY: the buffer has just been made
        let address = unsafe { (self.xrt.xrtBOAddress)(handle) };
        Ok(Buffer { address, size, handle: handle.expose_provenance() })
    }

    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()> {
        buffer.check(offset, data.len())?;
        let (bo, size) = (handle(buffer), data.len());
        // SAFETY: the range is inside the buffer
        unsafe {
            check((self.xrt.xrtBOWrite)(bo, data.as_ptr().cast(), size, offset), "write a buffer")?;
            check((self.xrt.xrtBOSync)(bo, TO_DEVICE, size, offset), "copy a buffer to the card")
        }
    }

    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
        buffer.check(offset, data.len())?;
        let (bo, size) = (handle(buffer), data.len());
        // SAFETY: the range is inside the buffer
        unsafe {
            check((self.xrt.xrtBOSync)(bo, FROM_DEVICE, size, offset), "copy a buffer from the card")?;
            check((self.xrt.xrtBORead)(bo, data.as_mut_ptr().cast(), size, offset), "read a buffer")
        }
    }

    fn free(&mut self, buffer: Buffer) {
        // SAFETY: the caller gives the buffer away
        unsafe { (self.xrt.xrtBOFree)(handle(&buffer)) };
    }
}

impl Drop for Xrt {
    fn drop(&mut self) {
        for kernel in self.kernels.values() {
            // SAFETY: the kernel is open, and nobody uses it after this
            unsafe { (self.xrt.xrtKernelClose)(*kernel) };
        }
        // SAFETY: the device is open, and nobody uses it after this
        unsafe { (self.xrt.xrtDeviceClose)(self.device) };
    }
}
