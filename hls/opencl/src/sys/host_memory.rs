//! Memory that kernels, commands and, where it is mapped, the program that uses the API work on.

use super::Ptr;
use host::{MemoryRegion, PAGE};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// Alignment of allocations: not more than allocators give anyway, as only then zero pages come from the system untouched.
const ALIGN: usize = 16;

/// Whole pages of memory, zero at first.
#[derive(Debug)]
pub struct HostMemory {
    /// The first page.
    start: NonNull<u8>,
    /// Bytes asked for.
    size: usize,
    /// Bytes of all pages.
    whole: usize,
    allocation: NonNull<u8>,
    layout: Layout,
}

// SAFETY: it is memory that nothing else owns; who uses it at the same time is ruled by OpenCL's memory model, and
// all accesses go through raw pointers or through the regions of a launch.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Memory for `size` bytes, more than 0; none if there is not as much.
    pub fn new(size: usize) -> Option<Arc<Self>> {
        let whole = size.checked_next_multiple_of(PAGE as usize).filter(|n| *n > 0)?;
        let layout = Layout::from_size_align(whole.checked_add(PAGE as usize)?, ALIGN).ok()?;
        // SAFETY: the layout has a size above 0.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let skip = allocation.as_ptr().align_offset(PAGE as usize);
        // SAFETY: less than a page further on, and there is a page more than needed.
        let start = unsafe { allocation.add(skip) };
        Some(Arc::new(HostMemory { start, size, whole, allocation, layout }))
    }

    /// Bytes asked for.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where it begins.
    pub fn address(&self) -> usize {
        self.start.as_ptr().expose_provenance()
    }

    /// The byte at `offset`, which must not lie behind the end.
    pub fn pointer(&self, offset: usize) -> Ptr<c_void> {
        assert!(offset <= self.size, "offset {offset} of {} bytes", self.size);
        // SAFETY: inside this memory, which the caller keeps as long as it uses the pointer.
        unsafe { Ptr::at(self.address() + offset) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and not used after this.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) }
    }
}

/// Memory that a launch may access.
#[derive(Debug, Clone)]
pub struct UsedMemory {
    /// In words, for messages.
    pub name: String,
    /// The memory.
    pub memory: Arc<HostMemory>,
    /// Kernels access whole units of as many bytes: the texels of images.
    pub unit: u64,
}

/// Runs `work` on the memory of a launch; each memory is in the list once.
pub fn with_regions<R>(
    memory: &[UsedMemory],
    work: impl FnOnce(&mut [MemoryRegion<'_>]) -> R,
) -> R {
    let region = |UsedMemory { name, memory, unit }: &UsedMemory| MemoryRegion {
        name: name.clone(),
        address: memory.address() as u64,
        size: (memory.size as u64).next_multiple_of(*unit),
        // SAFETY: whole pages, initialised, kept by the list, and in it only once. Commands and launches that use
        // the same memory at the same time are data races by OpenCL's memory model unless all of them read.
        storage: unsafe { std::slice::from_raw_parts_mut(memory.start.as_ptr(), memory.whole) },
    };
    let mut regions: Vec<MemoryRegion<'_>> = memory.iter().map(region).collect();
    work(&mut regions)
}
