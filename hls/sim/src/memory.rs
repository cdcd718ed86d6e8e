//! The device memory: buffers at device addresses.

use host::{BufferId, Error, ErrorKind};
use std::collections::BTreeMap;
use verilator_sys::Region;

/// Unmapped bytes between buffers, so that accesses beyond an end are noticed.
const GUARD: u64 = 1 << 16;

/// Buffers at device addresses.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    /// Sorted by address.
    regions: Vec<Region<'static>>,
    /// Addresses of the buffers by name.
    buffers: BTreeMap<BufferId, u64>,
    next_id: u32,
    /// First and last usable address.
    first: u64,
    last: u64,
}

impl DeviceMemory {
    /// Empty memory whose addresses have at most 64 bits.
    ///
    /// With many bits it begins where the memory of large cards does, beyond 2^38, so that
    /// addresses cut to 32 bits are noticed; with few it leaves low addresses free, so that null
    /// is.
    pub(crate) fn new(address_bits: u32) -> Self {
        let (first, last) = match address_bits {
            48.. => (1 << 38, 1 << 48),
            bits => (1 << bits.saturating_sub(4), (1 << bits) - 1),
        };
        Self { regions: Vec::new(), buffers: BTreeMap::new(), next_id: 0, first, last }
    }

    /// Allocates memory and returns its address.
    pub(crate) fn allocate(&mut self, size: u64) -> Result<u64, Error> {
        if size == 0 {
            return Err(Error::new(ErrorKind::BufferSize, "a buffer must have at least one byte"));
        }
        let no_memory =
            || Error::new(ErrorKind::OutOfMemory, format!("no device memory for {size} bytes"));
        // The first gap that is large enough.
        let mut base = self.first;
        let mut index = 0;
        for region in &self.regions {
            let fits = base.checked_add(size).is_some_and(|end| end + GUARD <= region.base());
            if fits {
                break;
            }
            base = region.end() + GUARD;
            index += 1;
        }
        if base.checked_add(size).is_none_or(|end| end > self.last) {
            return Err(no_memory());
        }
        let region = Region::new(base, size).ok_or_else(no_memory)?;
        self.regions.insert(index, region);
        Ok(base)
    }

    /// Makes memory at an address that the caller has chosen.
    pub(crate) fn allocate_at(&mut self, base: u64, size: u64) -> Result<(), Error> {
        let impossible = || {
            let what = format!("{size} bytes at address {base:#x}: not a place for a buffer");
            Error::new(ErrorKind::Buffer, what)
        };
        let region = Region::new(base, size).ok_or_else(impossible)?;
        let index = self.regions.partition_point(|other| other.base() < base);
        let before = index.checked_sub(1).and_then(|before| self.regions.get(before));
        let after = self.regions.get(index);
        if before.is_some_and(|r| r.end() > base) || after.is_some_and(|r| r.base() < region.end())
        {
            return Err(impossible());
        }
        self.regions.insert(index, region);
        Ok(())
    }

    /// Frees memory that is no buffer with a name.
    pub(crate) fn free_at(&mut self, base: u64) -> Result<(), Error> {
        let index = self.regions.binary_search_by_key(&base, Region::base).map_err(|_| {
            Error::new(ErrorKind::Buffer, format!("nothing was allocated at {base:#x}"))
        })?;
        self.regions.remove(index);
        Ok(())
    }

    /// `length` bytes from a device address on, all in one allocation.
    pub(crate) fn range_mut(&mut self, address: u64, length: u64) -> Result<&mut [u8], Error> {
        let outside = || {
            let what = format!("{length} bytes at address {address:#x}: not in one buffer");
            Error::new(ErrorKind::Buffer, what)
        };
        let index = self.regions.partition_point(|region| region.base() <= address);
        let region = index.checked_sub(1).and_then(|index| self.regions.get_mut(index));
        let region = region.ok_or_else(outside)?;
        let start = address - region.base();
        let end = start.checked_add(length).filter(|end| *end <= region.size());
        let end = end.ok_or_else(outside)?;
        // the region is memory of this machine: its offsets fit
        Ok(&mut region.bytes_mut()[start as usize..end as usize])
    }

    /// Allocates a buffer.
    pub(crate) fn allocate_buffer(&mut self, size: u64) -> Result<BufferId, Error> {
        let base = self.allocate(size)?;
        let id = BufferId(self.next_id);
        self.next_id += 1;
        self.buffers.insert(id, base);
        Ok(id)
    }

    pub(crate) fn free(&mut self, buffer: BufferId) -> Result<(), Error> {
        let base = self.address(buffer)?;
        self.regions.retain(|region| region.base() != base);
        self.buffers.remove(&buffer);
        Ok(())
    }

    /// Device address of a buffer.
    pub(crate) fn address(&self, buffer: BufferId) -> Result<u64, Error> {
        self.buffers.get(&buffer).copied().ok_or_else(|| {
            Error::new(ErrorKind::Buffer, format!("there is no buffer {}", buffer.0))
        })
    }

    /// The memory allocated at this address.
    pub(crate) fn at_mut(&mut self, base: u64) -> Option<&mut Region<'static>> {
        let index = self.regions.binary_search_by_key(&base, |region| region.base()).ok()?;
        Some(&mut self.regions[index])
    }

    /// Bytes `offset .. offset + length` of a buffer.
    pub(crate) fn bytes_mut(
        &mut self,
        buffer: BufferId,
        offset: u64,
        length: usize,
    ) -> Result<&mut [u8], Error> {
        let base = self.address(buffer)?;
        let bytes = self.at_mut(base).map(Region::bytes_mut).unwrap_or_default();
        let size = bytes.len();
        let start = usize::try_from(offset).ok();
        start
            .and_then(|start| Some(start..start.checked_add(length)?))
            .and_then(|range| bytes.get_mut(range))
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::Buffer,
                    format!("{length} bytes from offset {offset} on: the buffer has {size} bytes"),
                )
            })
    }

    /// All regions, for messages.
    pub(crate) fn regions(&self) -> &[Region<'static>] {
        &self.regions
    }

    pub(crate) fn regions_mut(&mut self) -> &mut [Region<'static>] {
        &mut self.regions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_guards_between_them_and_gaps_are_used_again() {
        let mut memory = DeviceMemory::new(64);
        let ids: Vec<BufferId> =
            (0..3).map(|_| memory.allocate_buffer(5000).expect("room")).collect();
        let address = |memory: &DeviceMemory, id| memory.address(id).expect("exists");
        let [a, b, c] = [0, 1, 2].map(|i| address(&memory, ids[i]));
        assert_eq!(a, 1 << 38);
        assert_eq!(b - a, 8192 + GUARD);
        memory.free(ids[1]).expect("exists");
        assert!(memory.address(ids[1]).is_err());
        let large = memory.allocate_buffer(10_000).expect("room");
        assert!(address(&memory, large) > c);
        let small = memory.allocate_buffer(8192).expect("room");
        assert_eq!(address(&memory, small), b);
        let sorted = memory.regions_mut().windows(2).all(|pair| pair[0].end() < pair[1].base());
        assert!(sorted && memory.regions_mut().len() == 4);
    }

    #[test]
    fn accesses_outside_are_refused() {
        let mut memory = DeviceMemory::new(32);
        let id = memory.allocate_buffer(10).expect("room");
        assert!(memory.bytes_mut(id, 6, 4).is_ok());
        assert!(memory.bytes_mut(id, 7, 4).is_err());
        assert!(memory.bytes_mut(id, u64::MAX, 4).is_err());
        assert!(memory.allocate_buffer(0).is_err());
        let error = memory.allocate_buffer(1 << 33).expect_err("no 8 GiB in 32 bits");
        assert_eq!(error.kind, ErrorKind::OutOfMemory);
    }
    #[test]
    fn memory_at_addresses_of_the_caller_does_not_overlap() {
        let mut memory = DeviceMemory::new(64);
        for (base, size) in [(0x4000, 10), (0x2000, 4096), (0x3000, 1)] {
            memory.allocate_at(base, size).expect("free");
        }
        for (base, size) in [(0x1000, 4097), (0x2000, 1), (0x3001, 1), (0x4000, 1), (0, 1 << 40)] {
            assert!(memory.allocate_at(base, size).is_err(), "{base:#x} {size}");
        }
        memory.range_mut(0x4002, 8).expect("inside").fill(7);
        assert_eq!(memory.range_mut(0x4001, 2).expect("inside"), [0xa5, 7]);
        for (address, size) in [(0x4003, 8), (0x1fff, 1), (0x4000, u64::MAX), (0x2fff, 2)] {
            assert!(memory.range_mut(address, size).is_err(), "{address:#x} {size}");
        }
        memory.free_at(0x3000).expect("allocated");
        assert!(memory.free_at(0x3000).is_err() && memory.free_at(0x4001).is_err());
        memory.allocate_at(0x3000, 4096).expect("free again");
    }
}
