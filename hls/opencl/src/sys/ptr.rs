//! Pointers that the program that uses the API gives, the only way to its memory.

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

/// A pointer parameter of an API function.
///
/// The caller of an API function vouches for its pointers: null, or memory of the size that the specification of
/// that function says, valid until the function returns or, where the specification says so, until the command has
/// ended. A `Ptr` has no other origin than such a parameter (or memory that [`HostMemory`](super::HostMemory) owns),
/// which is what makes the methods below sound. They make no assumption about alignment.
#[derive(Debug)]
#[repr(transparent)]
pub struct Ptr<T>(usize, PhantomData<*mut T>);

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ptr<T> {}

// SAFETY: it is an address. What makes it valid is the contract of the API, which is not tied to a thread.
unsafe impl<T> Send for Ptr<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Ptr<T> {}

impl<T> Ptr<T> {
    /// Null.
    pub const NULL: Self = Ptr(0, PhantomData);

    /// The memory at an address.
    ///
    /// # Safety
    /// The address must be as the type's documentation says.
    pub unsafe fn at(address: usize) -> Self {
        Ptr(address, PhantomData)
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address.
    pub fn address(self) -> usize {
        self.0
    }

    /// The same address as a pointer to something else.
    pub fn cast<U>(self) -> Ptr<U> {
        Ptr(self.0, PhantomData)
    }

    /// The pointer, for calls of functions of the program that uses the API.
    pub fn raw(self) -> *mut T {
        std::ptr::with_exposed_provenance_mut(self.0)
    }
}

impl<T: Copy> Ptr<T> {
    /// What it points to; none if it is null.
    pub fn get(self) -> Option<T> {
        // SAFETY: not null, so by the type's contract there is a `T`.
        (!self.is_null()).then(|| unsafe { self.raw().read_unaligned() })
    }

    /// Writes what it points to, unless it is null.
    pub fn set(self, value: T) {
        if !self.is_null() {
            // SAFETY: not null, so by the type's contract there is room for a `T`.
            unsafe { self.raw().write_unaligned(value) }
        }
    }

    /// A copy of an array; none if it is null or has more bytes than there can be.
    pub fn array(self, count: usize) -> Option<Vec<T>> {
        if self.is_null() || count.checked_mul(size_of::<T>())? > isize::MAX as usize {
            return None;
        }
        // SAFETY: not null, so by the type's contract there are `count` of them.
        Some((0..count).map(|k| unsafe { self.raw().add(k).read_unaligned() }).collect())
    }

    /// Writes an array, unless the pointer is null.
    pub fn set_array(self, values: &[T]) {
        if !self.is_null() {
            for (k, value) in values.iter().enumerate() {
                // SAFETY: not null, so by the type's contract there is room for all of them.
                unsafe { self.raw().add(k).write_unaligned(*value) }
            }
        }
    }

    /// The elements of a list that ends with `end` (not included); empty if the pointer is null.
    pub fn until(self, end: T) -> Vec<T>
    where
        T: PartialEq,
    {
        let mut all = vec![];
        while !self.is_null() {
            // SAFETY: not null, so by the type's contract there is another one as long as none was the end.
            let value = unsafe { self.raw().add(all.len()).read_unaligned() };
            if value == end {
                break;
            }
            all.push(value);
        }
        all
    }
}

impl Ptr<c_char> {
    /// The text that it points to, with what is no UTF-8 replaced; none if it is null.
    pub fn text(self) -> Option<String> {
        if self.is_null() {
            return None;
        }
        // SAFETY: not null, so by the type's contract it points to a text that ends with zero.
        Some(unsafe { CStr::from_ptr(self.raw()) }.to_string_lossy().into_owned())
    }
}

impl Ptr<c_void> {
    /// The address `offset` bytes further on.
    pub fn offset(self, offset: usize) -> Self {
        Ptr(self.0.wrapping_add(offset), PhantomData)
    }

    /// A copy of as many bytes; none if it is null.
    pub fn bytes(self, count: usize) -> Option<Vec<u8>> {
        if self.is_null() || count > isize::MAX as usize {
            return None;
        }
        // SAFETY: not null, so by the type's contract there are `count` bytes.
        Some(unsafe { std::slice::from_raw_parts(self.cast::<u8>().raw(), count) }.to_vec())
    }

    /// Writes bytes, unless it is null.
    pub fn set_bytes(self, bytes: &[u8]) {
        if !self.is_null() {
            // SAFETY: not null, so by the type's contract there is room for them; `bytes` is no memory of the
            // program that uses the API, so they do not overlap.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.cast::<u8>().raw(), bytes.len());
            }
        }
    }

    /// Copies bytes from one memory to another; they may overlap.
    pub fn copy_from(self, source: Ptr<c_void>, count: usize) {
        if !self.is_null() && !source.is_null() {
            // SAFETY: neither is null, so by the type's contract both have `count` bytes.
            unsafe { std::ptr::copy(source.cast::<u8>().raw(), self.cast::<u8>().raw(), count) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer<T>(value: &mut T) -> Ptr<T> {
        // SAFETY: a reference that outlives the use in these tests.
        unsafe { Ptr::at(std::ptr::from_mut(value).expose_provenance()) }
    }

    #[test]
    fn null_gives_nothing_and_takes_everything() {
        let null = Ptr::<u32>::NULL;
        assert_eq!((null.get(), null.array(3), null.until(0)), (None, None, vec![]));
        null.set(1);
        null.set_array(&[1, 2]);
        Ptr::<c_void>::NULL.set_bytes(&[1]);
        assert_eq!(Ptr::<c_char>::NULL.text(), None);
    }

    #[test]
    fn lists_end_where_they_say() {
        let mut list = [5u64, 6, 0, 7];
        assert_eq!(pointer(&mut list).cast::<u64>().until(0), [5, 6]);
        pointer(&mut list).cast::<u64>().set_array(&[1, 2]);
        assert_eq!(list, [1, 2, 0, 7]);
        assert_eq!(pointer(&mut list).cast::<u64>().array(usize::MAX), None);
    }
}
