//! Answers of the functions that tell about objects.

use crate::core::Status;
use crate::sys::constants::CL_INVALID_VALUE;
use crate::sys::types::{NameVersion, cl_image_format};
use crate::sys::{Handle, Ptr};
use std::ffi::c_void;

/// Where an answer goes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Bytes there are at `value`.
    pub size: usize,
    /// Null if only the size is wanted.
    pub value: Ptr<c_void>,
    /// Where the answer's size goes.
    pub size_ret: Ptr<usize>,
}

/// A value that an answer can have.
pub trait Value {
    /// Its bytes in the memory of a C program.
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(impl Value for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        })*
    };
}

numbers! { u8 u32 i32 u64 usize isize }

impl Value for bool {
    fn bytes(&self) -> Vec<u8> {
        u32::from(*self).bytes()
    }
}

impl Value for Handle {
    fn bytes(&self) -> Vec<u8> {
        self.0.bytes()
    }
}

impl<T> Value for Ptr<T> {
    fn bytes(&self) -> Vec<u8> {
        self.address().bytes()
    }
}

impl Value for NameVersion {
    fn bytes(&self) -> Vec<u8> {
        [&self.version.to_ne_bytes(), &self.name[..]].concat()
    }
}

impl Value for cl_image_format {
    fn bytes(&self) -> Vec<u8> {
        [self.image_channel_order, self.image_channel_data_type].bytes()
    }
}

impl Value for str {
    fn bytes(&self) -> Vec<u8> {
        [self.as_bytes(), &[0]].concat()
    }
}

impl Value for String {
    fn bytes(&self) -> Vec<u8> {
        Value::bytes(self.as_str())
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn bytes(&self) -> Vec<u8> {
        (**self).bytes()
    }
}

impl<T: Value> Value for [T] {
    fn bytes(&self) -> Vec<u8> {
        self.iter().flat_map(Value::bytes).collect()
    }
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn bytes(&self) -> Vec<u8> {
        self.as_slice().bytes()
    }
}

impl<T: Value> Value for Vec<T> {
    fn bytes(&self) -> Vec<u8> {
        self.as_slice().bytes()
    }
}

impl Place {
    /// Answers.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is not enough room.
    pub fn put(self, value: impl Value) -> Status {
        let bytes = value.bytes();
        if !self.value.is_null() {
            if self.size < bytes.len() {
                return Err(CL_INVALID_VALUE);
            }
            self.value.set_bytes(&bytes);
        }
        self.size_ret.set(bytes.len());
        Ok(())
    }
}

/// Writes a list of objects and how many there are, as `clGetPlatformIDs` and its kin do.
///
/// # Errors
/// `CL_INVALID_VALUE` if nothing is asked for, or there is a list without room.
pub fn put_list(all: &[Handle], room: u32, list: Ptr<Handle>, count: Ptr<u32>) -> Status {
    if list.is_null() && count.is_null() || !list.is_null() && room == 0 {
        return Err(CL_INVALID_VALUE);
    }
    list.set_array(&all[..all.len().min(room as usize)]);
    count.set(all.len() as u32);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_what_a_c_program_reads() {
        assert_eq!(Value::bytes("ab"), [b'a', b'b', 0]);
        assert_eq!(true.bytes(), 1u32.to_ne_bytes());
        assert_eq!(vec![1usize, 2].bytes().len(), 16);
        assert_eq!(NameVersion::new("x", 1, 0, 0).bytes().len(), 68);
    }

    #[test]
    fn the_size_alone_can_be_asked_for() {
        let mut size = 0usize;
        // SAFETY: the variable outlives the call.
        let size_ret = unsafe { Ptr::at((&raw mut size).expose_provenance()) };
        let place = Place { size: 0, value: Ptr::NULL, size_ret };
        assert_eq!(place.put("abc"), Ok(()));
        assert_eq!(size, 4);
    }
}
