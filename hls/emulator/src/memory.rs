//! Aligned blocks of memory, and the variables of a module in one.

use base::entity::SecondaryMap;
use base::{Diagnostic, Result};
use ir::{Global, GlobalData, Module, Space};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Zeroed memory at an address that stays the same.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
    size: usize,
}

// SAFETY: a block is plain memory that it owns; who reads and writes it is up to its users.
unsafe impl Send for Block {}
// SAFETY: as above; shared references only give the address.
unsafe impl Sync for Block {}

impl Block {
    /// `size` bytes at a multiple of `align`, a power of two; none if there is no room.
    pub(crate) fn new(size: u64, align: u64) -> Option<Block> {
        let size = usize::try_from(size).ok()?;
        let align = usize::try_from(align).ok()?.max(16);
        let layout = Layout::from_size_align(size.max(1), align).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Block { start, layout, size })
    }

    /// The first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The contents.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the block has this many bytes, all initialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.size) }
    }

    /// The contents.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the reference to the block is unique.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.size) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Most bytes of all variables of a module.
const MAX_VARIABLE_BYTES: u64 = 1 << 32;

/// The variables of a module in global and constant memory.
#[derive(Debug)]
pub(crate) struct Variables {
    block: Block,
    /// What they begin with, relocated.
    initial: Vec<u8>,
    /// Addresses.
    pub addresses: SecondaryMap<Global, u64>,
}

impl Variables {
    /// Places the variables and fills them.
    ///
    /// # Errors
    /// `E0504`, `E0508`: no room, or an initial pointer that lies outside its variable.
    pub(crate) fn new(module: &Module) -> Result<Variables> {
        let mut offsets: SecondaryMap<Global, u64> = SecondaryMap::new();
        let (mut size, mut align) = (0u64, 128);
        let kept = |g: &GlobalData| g.space != Space::Local;
        for (id, global) in module.globals.iter().filter(|(_, g)| kept(g)) {
            let each = u64::from(global.align).max(16);
            offsets[id] = size.next_multiple_of(each);
            align = align.max(each);
            let end = offsets[id].checked_add(global.size).filter(|e| *e <= MAX_VARIABLE_BYTES);
            size = end.ok_or_else(|| {
                let what = format!("variable `{}` is too large", global.name);
                Diagnostic::error("E0508", what).at(global.loc)
            })?;
        }
        let block = Block::new(size, align)
            .ok_or_else(|| Diagnostic::error("E0504", "no room for the module's variables"))?;
        let mut addresses = SecondaryMap::new();
        for id in module.globals.keys() {
            addresses[id] = block.address() as u64 + offsets[id];
        }
        let mut initial = vec![0; block.size()];
        for (id, global) in module.globals.iter().filter(|(_, g)| kept(g)) {
            let start = offsets[id] as usize;
            let place = &mut initial[start..start + global.size as usize];
            if let Some(init) = &global.init {
                let n = init.len().min(place.len());
                place[..n].copy_from_slice(&init[..n]);
            }
            for (offset, target, addend) in &global.relocations {
                let value = addresses[*target].wrapping_add_signed(*addend);
                let at = usize::try_from(*offset).unwrap_or(usize::MAX);
                let Some(bytes) = place.get_mut(at..).and_then(|p| p.get_mut(..8)) else {
                    let what = "a pointer in its initial value lies outside variable";
                    let what = format!("{what} `{}`", global.name);
                    return Err(Diagnostic::error("E0504", what).at(global.loc).into());
                };
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        let variables = Variables { block, initial, addresses };
        // SAFETY: nobody else knows the block yet.
        unsafe { variables.reset() };
        Ok(variables)
    }

    /// Gives all variables their initial values.
    ///
    /// # Safety
    /// No kernel that uses them runs.
    pub(crate) unsafe fn reset(&self) {
        // SAFETY: both have the block's size; the caller has seen to it that nobody else touches it.
        unsafe {
            let to = self.block.address();
            to.copy_from_nonoverlapping(self.initial.as_ptr(), self.initial.len());
        }
    }

    /// Bytes of all variables.
    pub(crate) fn size(&self) -> u64 {
        self.initial.len() as u64
    }
}
