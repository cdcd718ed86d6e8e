//! Handles and reference counts.
//!
//! A handle is the address of an object, whose first word the ICD loader takes for the dispatch table. Handles come
//! from outside and can be anything, so they are looked up among the objects that exist: what is none, or none of the
//! right kind, is reported with the error of that kind. An object lives as long as the program that uses the API
//! holds references, and beyond that as long as other objects need it.

use super::Status;
use crate::api::DISPATCH;
use crate::sys::{Dispatch, Handle};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::any::Any;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

/// The beginning of every object.
#[derive(Debug)]
#[repr(C)]
pub struct Header {
    dispatch: &'static Dispatch,
    /// For loaders of the ICD interface's second version.
    loader_data: usize,
}

impl std::fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dispatch")
    }
}

impl Default for Header {
    fn default() -> Self {
        Header::new()
    }
}

impl Header {
    /// The beginning of an object.
    pub fn new() -> Self {
        Header { dispatch: &DISPATCH, loader_data: 0 }
    }
}

impl Drop for Header {
    /// The object is gone, and so is its handle.
    fn drop(&mut self) {
        registry_mut().remove(&std::ptr::from_ref(self).addr());
    }
}

/// A kind of object. The type is `repr(C)` and begins with a [`Header`].
pub trait Object: Any + Send + Sync {
    /// The error of a handle that is none of this kind: `CL_INVALID_CONTEXT`...
    const INVALID: i32;

    /// Its beginning.
    fn header(&self) -> &Header;
}

struct Entry {
    object: Weak<dyn Any + Send + Sync>,
    /// Keeps the object while there are references.
    owner: Option<Arc<dyn Any + Send + Sync>>,
    references: u32,
}

static REGISTRY: RwLock<FxHashMap<usize, Entry>> =
    RwLock::new(FxHashMap::with_hasher(FxBuildHasher));

fn registry() -> RwLockReadGuard<'static, FxHashMap<usize, Entry>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn registry_mut() -> RwLockWriteGuard<'static, FxHashMap<usize, Entry>> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

/// The handle of an object: valid once it is [published](publish).
pub fn handle<T: Object>(object: &Arc<T>) -> Handle {
    Handle(std::ptr::from_ref(object.header()).expose_provenance())
}

/// The handle of an object inside one of its own functions.
pub fn handle_of<T: Object>(object: &T) -> Handle {
    Handle(std::ptr::from_ref(object.header()).expose_provenance())
}

/// Gives an object to the program that uses the API, with one reference.
pub fn publish<T: Object>(object: Arc<T>) -> Handle {
    let handle = handle(&object);
    let weak: Weak<T> = Arc::downgrade(&object);
    let entry = Entry { object: weak, owner: Some(object), references: 1 };
    registry_mut().insert(handle.0, entry);
    handle
}

/// The object behind a handle.
///
/// # Errors
/// The kind's own error if it is none of this kind.
pub fn find<T: Object>(handle: Handle) -> Status<Arc<T>> {
    let object = registry().get(&handle.0).and_then(|entry| entry.object.upgrade());
    object.and_then(|object| object.downcast::<T>().ok()).ok_or(T::INVALID)
}

/// The objects behind handles.
///
/// # Errors
/// As [`find`].
pub fn find_all<T: Object>(handles: &[Handle]) -> Status<Vec<Arc<T>>> {
    handles.iter().map(|handle| find(*handle)).collect()
}

/// Adds a reference.
///
/// # Errors
/// As [`find`].
pub fn retain<T: Object>(handle: Handle) -> Status {
    let object = find::<T>(handle)?;
    if let Some(entry) = registry_mut().get_mut(&handle.0) {
        entry.references += 1;
        entry.owner = Some(object);
    }
    Ok(())
}

/// Takes a reference away. The last one takes the object away, unless others need it.
///
/// # Errors
/// As [`find`], also for objects without references that others need.
pub fn release<T: Object>(handle: Handle) -> Status {
    let object = find::<T>(handle)?;
    let last = {
        let mut registry = registry_mut();
        let entry = registry.get_mut(&handle.0).filter(|entry| entry.references > 0);
        let entry = entry.ok_or(T::INVALID)?;
        entry.references -= 1;
        if entry.references == 0 { entry.owner.take() } else { None }
    };
    // not while the registry is locked: dropping an object does that again
    drop(last);
    drop(object);
    Ok(())
}

/// How many references the program that uses the API holds.
pub fn references<T: Object>(object: &T) -> u32 {
    registry().get(&handle_of(object).0).map_or(0, |entry| entry.references)
}

/// Makes a type an [`Object`].
macro_rules! object {
    ($type:ty, $invalid:ident) => {
        impl $crate::core::object::Object for $type {
            const INVALID: i32 = $crate::sys::constants::$invalid;

            fn header(&self) -> &$crate::core::object::Header {
                &self.header
            }
        }
    };
}
pub(crate) use object;

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Thing {
        header: Header,
    }

    #[repr(C)]
    struct Other {
        header: Header,
    }

    object!(Thing, CL_INVALID_KERNEL);
    object!(Other, CL_INVALID_EVENT);

    #[test]
    fn handles_are_of_objects_of_one_kind() {
        let thing = Arc::new(Thing { header: Header::new() });
        let handle = publish(Arc::clone(&thing));
        assert!(Arc::ptr_eq(&find::<Thing>(handle).expect("it exists"), &thing));
        assert_eq!(find::<Other>(handle).err(), Some(Other::INVALID));
        assert_eq!(find::<Thing>(Handle(handle.0 + 8)).err(), Some(Thing::INVALID));
        assert_eq!(find::<Thing>(Handle::NULL).err(), Some(Thing::INVALID));
    }

    #[test]
    fn the_last_reference_takes_the_object_away() {
        let thing = Arc::new(Thing { header: Header::new() });
        let weak = Arc::downgrade(&thing);
        let handle = publish(thing);
        assert_eq!(retain::<Thing>(handle), Ok(()));
        assert_eq!(release::<Thing>(handle), Ok(()));
        assert_eq!(references(&*find::<Thing>(handle).expect("it exists")), 1);
        assert_eq!(release::<Thing>(handle), Ok(()));
        assert!(weak.upgrade().is_none());
        assert_eq!(release::<Thing>(handle), Err(Thing::INVALID));
        assert!(registry().get(&handle.0).is_none());
    }

    #[test]
    fn objects_that_others_need_keep_their_handles() {
        let thing = Arc::new(Thing { header: Header::new() });
        let handle = publish(Arc::clone(&thing));
        assert_eq!(release::<Thing>(handle), Ok(()));
        assert_eq!(references(&*thing), 0);
        assert_eq!(release::<Thing>(handle), Err(Thing::INVALID));
        assert_eq!(retain::<Thing>(handle), Ok(()));
        drop(thing);
        assert!(find::<Thing>(handle).is_ok());
        assert_eq!(release::<Thing>(handle), Ok(()));
    }
}
