//! Device memory: buffers at device addresses.

use crate::access::count;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// No buffer lies below this address: null pointers with offsets are caught.
const FIRST_ADDRESS: u64 = 0x1_0000;
/// Least distance between two buffers: accesses past an end are caught, not redirected.
const GAP: u64 = 0x1_0000;

/// The contents of a buffer.
#[derive(Debug)]
enum Storage<'a> {
    Owned(Vec<u8>),
    Lent(&'a mut [u8]),
}

impl Deref for Storage<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Storage::Owned(bytes) => bytes,
            Storage::Lent(bytes) => bytes,
        }
    }
}

impl DerefMut for Storage<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Storage::Owned(bytes) => bytes,
            Storage::Lent(bytes) => bytes,
        }
    }
}

/// A buffer.
#[derive(Debug)]
struct Buffer<'a> {
    name: String,
    base: u64,
    bytes: Storage<'a>,
}

impl Buffer<'_> {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }
}

/// Global memory of a device: buffers that do not touch, at addresses the memory chooses, or at their own
/// ([`Memory::add`]). Memory between them belongs to nobody; a kernel that touches it is stopped.
#[derive(Debug)]
pub struct Memory<'a> {
    /// Sorted by address.
    buffers: Vec<Buffer<'a>>,
    /// Index of the buffer found last: accesses come in runs.
    last: Cell<usize>,
    /// The lowest address that it chooses.
    first: u64,
}

impl Default for Memory<'_> {
    fn default() -> Self {
        Self::starting_at(FIRST_ADDRESS)
    }
}

impl<'a> Memory<'a> {
    /// Memory without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory without buffers that chooses addresses from `first` on.
    pub fn starting_at(first: u64) -> Self {
        Memory { buffers: vec![], last: Cell::new(0), first }
    }

    /// A memory that has the same buffers as long as it lives, to which others can be added.
    pub fn lend(&mut self) -> Memory<'_> {
        let buffers = self
            .buffers
            .iter_mut()
            .map(|b| Buffer {
                name: b.name.clone(),
                base: b.base,
                bytes: Storage::Lent(&mut b.bytes),
            })
            .collect();
        Memory { buffers, last: Cell::new(0), first: self.first }
    }

    /// Adds a buffer at an address of its own, with contents that others own; whether there was room.
    #[must_use]
    pub fn add(&mut self, name: impl Into<String>, base: u64, bytes: &'a mut [u8]) -> bool {
        let Some(end) = base.checked_add(bytes.len() as u64) else { return false };
        let index = self.buffers.partition_point(|b| b.base < base);
        let before = index.checked_sub(1).is_none_or(|k| self.buffers[k].end() <= base);
        let after = self.buffers.get(index).is_none_or(|b| end <= b.base);
        if before && after {
            let bytes = Storage::Lent(bytes);
            self.buffers.insert(index, Buffer { name: name.into(), base, bytes });
        }
        before && after
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
        let mut base = self.first;
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
        let bytes = Storage::Owned(bytes);
        self.buffers.insert(index, Buffer { name: name.into(), base, bytes });
        Some(base)
    }

    /// Removes the buffer at `base` and gives its contents; `None` when none starts there.
    pub fn release(&mut self, base: u64) -> Option<Vec<u8>> {
        let index = self.buffers.binary_search_by_key(&base, |b| b.base).ok()?;
        match self.buffers.remove(index).bytes {
            Storage::Owned(bytes) => Some(bytes),
            Storage::Lent(bytes) => Some(bytes.to_vec()),
        }
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
        let hit = |b: &Buffer<'_>| {
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
