//! Functions of the program that uses the API.

use super::{Handle, Ptr};
use std::ffi::{CString, c_char, c_void};

/// A function of the program that uses the API, and what it wants to be given.
#[derive(Debug)]
pub struct Callback<F> {
    function: F,
    user_data: Ptr<c_void>,
}

impl<F: Copy> Clone for Callback<F> {
    fn clone(&self) -> Self {
        Callback { function: self.function, user_data: self.user_data }
    }
}

impl<F> Callback<F> {
    /// A function, if there is one.
    pub fn new(function: Option<F>, user_data: Ptr<c_void>) -> Option<Self> {
        function.map(|function| Callback { function, user_data })
    }
}

/// Takes an object's handle.
pub type OfObject = unsafe extern "C" fn(Handle, Ptr<c_void>);
/// Takes an event and its status.
pub type OfEvent = unsafe extern "C" fn(Handle, i32, Ptr<c_void>);
/// Takes a message, and data that only the implementation understands.
pub type OfError = unsafe extern "C" fn(Ptr<c_char>, Ptr<c_void>, usize, Ptr<c_void>);
/// Frees SVM pointers.
pub type OfFree = unsafe extern "C" fn(Handle, u32, Ptr<Ptr<c_void>>, Ptr<c_void>);
/// A native kernel.
pub type Native = unsafe extern "C" fn(Ptr<c_void>);

impl Callback<OfObject> {
    /// Calls it.
    pub fn call(&self, object: Handle) {
        // SAFETY: the API's contract: a function of this type, callable at any time from any thread.
        unsafe { (self.function)(object, self.user_data) }
    }
}

impl Callback<OfEvent> {
    /// Calls it.
    pub fn call(&self, event: Handle, status: i32) {
        // SAFETY: as for objects.
        unsafe { (self.function)(event, status, self.user_data) }
    }
}

impl Callback<OfError> {
    /// Calls it.
    pub fn call(&self, message: &str) {
        let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: as for objects; the text lives until the function returns.
        unsafe {
            let text = Ptr::at(text.as_ptr().expose_provenance());
            (self.function)(text, Ptr::NULL, 0, self.user_data);
        }
    }
}

impl Callback<OfFree> {
    /// Calls it.
    pub fn call(&self, queue: Handle, pointers: &mut [Ptr<c_void>]) {
        let count = pointers.len() as u32;
        // SAFETY: as for objects; the list lives until the function returns.
        unsafe {
            let list = Ptr::at(pointers.as_mut_ptr().expose_provenance());
            (self.function)(queue, count, list, self.user_data);
        }
    }
}

/// Calls a native kernel with a copy of its arguments.
pub fn call_native(function: Native, args: &mut [u64], count: usize) {
    let pointer = if count == 0 { 0 } else { args.as_mut_ptr().expose_provenance() };
    // SAFETY: the API's contract: a function of this type; the copy lives until it returns.
    unsafe { function(Ptr::at(pointer)) }
}
