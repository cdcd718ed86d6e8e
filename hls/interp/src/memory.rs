//! Device memory: buffers at device addresses.

use crate::access::count;
use std::cell::Cell;

/// No buffer lies below this address: null pointers with offsets are caught.
const FIRST_ADDRESS: u64 = 0x1_0000;
/// Least distance between two buffers: accesses past an end are caught, not redirected.
const GAP: u64 = 0x1_0000;

/// A buffer.
#[derive(Clone, Debug)]
struct Buffer {
    name: String,
    base: u64,
    bytes: Vec<u8>,
}

impl Buffer {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }
}

/// Global memory of a device: buffers that do not touch, at addresses the memory chooses.
/// Memory between them belongs to nobody; a kernel that touches it is stopped.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Sorted by address.
    buffers: Vec<Buffer>,
    /// Index of the buffer found last: accesses come in runs.
    last: Cell<usize>,
}

impl Memory {
    /// Memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer that holds `bytes`, aligned to `align` (a power of two) and at least 128
    /// bytes, at the lowest free place, and gives its address. `name` is for messages.
    /// `None` when no address below `limit` is free.
    pub fn allocate(
        &mut self,
        name: impl Into<String>,
        bytes: Vec<u8>,
        align: u64,
        limit: u64,
    ) -> Option<u64> {
        let align = align.max(128);
        let mut base = FIRST_ADDRESS;
        let mut index = 0;
        for (k, b) in self.buffers.iter().enumerate() {
            let start = base.checked_next_multiple_of(align)?;
            if start.checked_add(bytes.len() as u64)?.checked_add(GAP)? <= b.base {
                break;
            }
            base = b.end().checked_add(GAP)?;
            index = k + 1;
        }
        base = base.checked_next_multiple_of(align)?;
        if base.checked_add(bytes.len() as u64)? > limit {
            return None;
        }
        self.buffers.insert(index, Buffer { name: name.into(), base, bytes });
        Some(base)
    }

    /// Removes the buffer at `base` and gives its contents; `None` when none starts there.
    pub fn release(&mut self, base: u64) -> Option<Vec<u8>> {
        let index = self.buffers.binary_search_by_key(&base, |b| b.base).ok()?;
        Some(self.buffers.remove(index).bytes)
    }

    /// The contents of the buffer at `base`; `None` when none starts there.
    pub fn buffer(&self, base: u64) -> Option<&[u8]> {
        let index = self.buffers.binary_search_by_key(&base, |b| b.base).ok()?;
        Some(&self.buffers[index].bytes)
    }

    /// The contents of the buffer at `base`; `None` when none starts there.
    pub fn buffer_mut(&mut self, base: u64) -> Option<&mut [u8]> {
        let index = self.buffers.binary_search_by_key(&base, |b| b.base).ok()?;
        Some(&mut self.buffers[index].bytes)
    }

    /// Gives the buffer at `base` another name for messages, if one starts there.
    pub fn rename(&mut self, base: u64, name: impl Into<String>) {
        if let Ok(index) = self.buffers.binary_search_by_key(&base, |b| b.base) {
            self.buffers[index].name = name.into();
        }
    }

    /// `size` bytes at `address`, if they are inside one buffer.
    pub fn bytes(&self, address: u64, size: usize) -> Option<&[u8]> {
        let (index, offset) = self.find(address)?;
        self.buffers[index].bytes.get(offset..offset.checked_add(size)?)
    }

    /// `size` bytes at `address`, if they are inside one buffer.
    pub fn bytes_mut(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let (index, offset) = self.find(address)?;
        self.buffers[index].bytes.get_mut(offset..offset.checked_add(size)?)
    }

    #[inline]
    fn find(&self, address: u64) -> Option<(usize, usize)> {
        let hit = |b: &Buffer| {
            let offset = address.wrapping_sub(b.base);
            (offset < b.bytes.len() as u64).then_some(offset as usize)
        };
        let last = self.last.get();
        if let Some(offset) = self.buffers.get(last).and_then(hit) {
            return Some((last, offset));
        }
        let index = self.buffers.partition_point(|b| b.base <= address).checked_sub(1)?;
        let offset = hit(&self.buffers[index])?;
        self.last.set(index);
        Some((index, offset))
    }

    /// In words, where `address` is: in which buffer or past which one.
    pub fn describe(&self, address: u64) -> String {
        let index = self.buffers.partition_point(|b| b.base <= address);
        let before = index.checked_sub(1).map(|k| &self.buffers[k]);
        let after = self.buffers.get(index).filter(|b| b.base - address <= GAP);
        match (before, after) {
            (Some(b), _) if address < b.end() + GAP => {
                let (offset, size) = (address - b.base, count(b.bytes.len() as u64));
                format!("offset {offset} of {} ({size})", b.name)
            }
            (_, Some(b)) => format!("{} before {}", count(b.base - address), b.name),
            _ => format!("address {address:#x}, where no buffer is"),
        }
    }
}
