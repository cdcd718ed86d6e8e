//! Shared virtual memory: coarse-grained buffers at the same address on the host and on devices.

use super::lock;
use crate::sys::HostMemory;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The SVM buffers of a context.
#[derive(Debug, Default)]
pub struct Allocations {
    by_address: Mutex<BTreeMap<usize, Arc<HostMemory>>>,
}

impl Allocations {
    /// Makes a buffer and gives its address; none if there is no memory.
    pub fn allocate(&self, size: usize) -> Option<usize> {
        let memory = HostMemory::new(size)?;
        let address = memory.address();
        lock(&self.by_address).insert(address, memory);
        Some(address)
    }

    /// Forgets the buffer at an address, if there is one. Its memory lasts until no command uses it.
    pub fn free(&self, address: usize) {
        let memory = lock(&self.by_address).remove(&address);
        drop(memory);
    }

    /// The buffer that an address lies in, and where in it.
    pub fn find(&self, address: usize) -> Option<(Arc<HostMemory>, usize)> {
        let all = lock(&self.by_address);
        let (base, memory) = all.range(..=address).next_back()?;
        let offset = address - base;
        (offset < memory.size()).then(|| (Arc::clone(memory), offset))
    }

    /// The buffer that a range lies in, and where in it.
    pub fn find_range(&self, address: usize, size: usize) -> Option<(Arc<HostMemory>, usize)> {
        let (memory, offset) = self.find(address)?;
        (size <= memory.size() - offset).then_some((memory, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_found_by_every_address_inside() {
        let all = Allocations::default();
        let address = all.allocate(100).expect("room");
        assert_eq!(address % 4096, 0);
        assert!(
            all.find(address + 99).is_some_and(|(memory, at)| memory.size() == 100 && at == 99)
        );
        assert!(all.find(address + 100).is_none() && all.find(address - 1).is_none());
        assert!(all.find_range(address + 90, 10).is_some());
        assert!(all.find_range(address + 91, 10).is_none());
        all.free(address);
        all.free(address);
        assert!(all.find(address).is_none());
    }
}
