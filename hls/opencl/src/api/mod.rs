//! The functions of the API: they check what they are given, as the specification says in which order, and call
//! `core`. [`DISPATCH`] has all of them, and is what the ICD loader calls; `exports` are the symbols of the library.
//!
//! No function here is an exported symbol itself: a table of exported functions would, once loaded, name those of the
//! loader, which have the same names and call the table.

mod arguments;
mod buffer;
mod context;
mod device;
mod dispatch;
mod event;
mod exports;
mod fill;
mod image;
mod info;
mod kernel;
mod launch;
mod mapping;
mod memory;
mod pipe;
mod platform;
mod program;
mod program_info;
mod queue;
mod rect;
mod svm;
mod texels;
mod unsupported;

pub use dispatch::DISPATCH;

use crate::core::Status;
use crate::sys::constants::{CL_OUT_OF_RESOURCES, CL_SUCCESS};
use crate::sys::{Handle, Ptr};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A result that a function can give although it failed.
trait Nothing {
    const NOTHING: Self;
}

impl Nothing for Handle {
    const NOTHING: Self = Handle::NULL;
}

impl<T> Nothing for Ptr<T> {
    const NOTHING: Self = Ptr::NULL;
}

/// The error code of a function. A panic, which is a defect of the library, does not leave it.
fn status(body: impl FnOnce() -> Status) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(CL_OUT_OF_RESOURCES));
    result.err().unwrap_or(CL_SUCCESS)
}

/// The result of a function that gives its error code through a pointer.
fn created<T: Nothing>(errcode_ret: Ptr<i32>, body: impl FnOnce() -> Status<T>) -> T {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(CL_OUT_OF_RESOURCES));
    match result {
        Ok(value) => {
            errcode_ret.set(CL_SUCCESS);
            value
        }
        Err(code) => {
            errcode_ret.set(code);
            T::NOTHING
        }
    }
}

/// Functions that give an error code. The bodies give a [`Status`].
macro_rules! functions {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $($(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "as in the API")]
        pub(super) extern "C" fn $name($($arg: $ty),*) -> i32 {
            $crate::api::status(move || -> $crate::core::Status { $body })
        })*
    };
}

/// Functions that give an object, and the error code through their last parameter.
macro_rules! creators {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $result:ty $body:block)*) => {
        $($(#[$meta])*
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "as in the API")]
        pub(super) extern "C" fn $name(
            $($arg: $ty,)*
            errcode_ret: $crate::sys::Ptr<i32>,
        ) -> $result {
            $crate::api::created(errcode_ret, move || -> $crate::core::Status<$result> { $body })
        })*
    };
}

/// The functions that count references to a kind of object.
macro_rules! references {
    ($type:ty, $retain:ident, $release:ident) => {
        $crate::api::functions! {
            fn $retain(handle: $crate::sys::Handle) { $crate::core::object::retain::<$type>(handle) }
            fn $release(handle: $crate::sys::Handle) { $crate::core::object::release::<$type>(handle) }
        }
    };
}

use {creators, functions, references};
