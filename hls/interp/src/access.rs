//! Loads, stores and atomics: from an address in a space to bytes.

use crate::code::{Decoded, MemoryOp};
use crate::decode::GUARD;
use crate::machine::Frame;
use crate::memory::Memory;
use base::{Diagnostic, Loc};
use ir::builder::{mask, sign_extend};
use ir::op::generic_tag;
use ir::{AtomicOp, Space};

/// Local memory of the work-group that runs: objects at fixed addresses with guard gaps.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalMemory {
    objects: Vec<LocalObject>,
    bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
struct LocalObject {
    name: String,
    address: u64,
    size: u64,
    storage: u64,
}

impl LocalMemory {
    /// Adds an object behind all others and gives its address.
    pub(crate) fn add(&mut self, name: String, size: u64, align: u64) -> u64 {
        let end = self.objects.last().map_or(0, |o| o.address + o.size);
        let address = (end + GUARD).next_multiple_of(align.max(16));
        let storage = self.bytes.len() as u64;
        self.bytes.resize((storage + size) as usize, 0);
        self.objects.push(LocalObject { name, address, size, storage });
        address
    }

    /// Clears it for the next work-group.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    fn bytes_mut(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
        let object = self.objects.iter().find(|o| address.wrapping_sub(o.address) < o.size)?;
        let offset = address - object.address;
        if offset + size as u64 > object.size {
            return None;
        }
        let start = (object.storage + offset) as usize;
        self.bytes.get_mut(start..start + size)
    }

    fn describe(&self, address: u64) -> String {
        let near = self.objects.iter().rev().find(|o| o.address <= address);
        match near {
            Some(o) => place_in("local", &o.name, address - o.address, o.size),
            None => format!("local address {address:#x}, where no object is"),
        }
    }
}

fn place_in(space: &str, name: &str, offset: u64, size: u64) -> String {
    format!("offset {offset} of {space} object `{name}` ({size} bytes)")
}

/// Private memory of a work-item, through its call stack.
pub(crate) struct PrivateView<'a> {
    pub bytes: &'a mut [u8],
    pub frames: &'a [Frame],
    pub functions: &'a [Decoded],
}

impl<'a> PrivateView<'a> {
    fn reborrow(&mut self) -> PrivateView<'_> {
        PrivateView { bytes: self.bytes, frames: self.frames, functions: self.functions }
    }

    fn bytes_mut(self, address: u64, size: usize) -> Option<&'a mut [u8]> {
        let frame = self.frames.iter().rev().find(|f| f.private_base <= address)?;
        let offset = address - frame.private_base;
        let regions = &self.functions[frame.func as usize].regions;
        let region = &regions[regions.partition_point(|r| r.offset <= offset).checked_sub(1)?];
        let within = offset - region.offset;
        if within + size as u64 > region.size {
            return None;
        }
        let start = (frame.storage_base + region.storage + within) as usize;
        self.bytes.get_mut(start..start + size)
    }

    fn describe(&self, address: u64) -> String {
        let describe = || {
            let frame = self.frames.iter().rev().find(|f| f.private_base <= address)?;
            let function = &self.functions[frame.func as usize];
            let offset = address - frame.private_base;
            let index = function.regions.partition_point(|r| r.offset <= offset);
            let region = function.regions[index.checked_sub(1)?];
            let name = &function.object_names[region.object as usize];
            Some(place_in("private", name, offset - region.offset, region.size))
        };
        describe().unwrap_or_else(|| format!("private address {address:#x}, where no object is"))
    }
}

/// Splits a generic pointer into its space and the address there.
fn untag(pointer: u64, addr_bits: u32) -> (Space, u64) {
    let shift = addr_bits - 2;
    let address = pointer & ((1 << shift) - 1);
    let tag = pointer >> shift;
    let spaces = [Space::Local, Space::Private, Space::Global];
    match spaces.into_iter().find(|s| generic_tag(*s) == tag) {
        Some(space) => (space, address),
        None => (Space::Global, pointer),
    }
}

/// The memories that a work-item reaches.
pub(crate) struct Memories<'m, 'g> {
    pub global: &'m mut Memory<'g>,
    pub local: LocalMemory,
    pub addr_bits: u32,
}

impl Memories<'_, '_> {
    /// The bytes of one access, or what is wrong with it.
    #[inline]
    fn bytes<'a>(
        &'a mut self,
        private: PrivateView<'a>,
        op: &MemoryOp,
        pointer: u64,
        size: u32,
    ) -> Result<&'a mut [u8], u64> {
        let (space, address) = match op.space {
            Space::Generic => untag(pointer, self.addr_bits),
            space => (space, pointer),
        };
        let size = size as usize;
        if op.parts == 1 && address & (u64::from(op.flags.align()) - 1) != 0 {
            return Err(pointer);
        }
        let found = match space {
            Space::Local => self.local.bytes_mut(address, size),
            Space::Private => private.bytes_mut(address, size),
            _ => self.global.bytes_mut(address, size),
        };
        found.ok_or(pointer)
    }

    /// The bytes of a store or an atomic operation, where they are not the work-item's own.
    pub(crate) fn shared_bytes<'a>(
        &'a mut self,
        private: PrivateView<'a>,
        op: &MemoryOp,
        pointer: u64,
    ) -> Option<&'a [u8]> {
        let space = match op.space {
            Space::Generic => untag(pointer, self.addr_bits).0,
            space => space,
        };
        if space == Space::Private {
            return None;
        }
        self.bytes(private, op, pointer, op.lane_bytes * op.lanes).ok().map(|bytes| &*bytes)
    }

    /// Executes a load into `regs`.
    #[inline]
    pub(crate) fn load(
        &mut self,
        private: PrivateView<'_>,
        op: &MemoryOp,
        regs: &mut [u64],
    ) -> Result<(), u64> {
        let pointer = regs[op.pointer as usize];
        if op.parts > 1 {
            return self.load_parts(private, op, pointer, regs);
        }
        unpack(op, self.bytes(private, op, pointer, op.lane_bytes * op.lanes)?, regs);
        Ok(())
    }

    /// A load whose predicate is a mask: parts that it leaves out are not touched and give 0.
    #[cold]
    fn load_parts(
        &mut self,
        mut private: PrivateView<'_>,
        op: &MemoryOp,
        pointer: u64,
        regs: &mut [u64],
    ) -> Result<(), u64> {
        let mut whole = vec![0; (op.lane_bytes * op.lanes) as usize];
        for (at, size) in active_parts(op, regs) {
            let address = pointer.wrapping_add(at as u64);
            let bytes = self.bytes(private.reborrow(), op, address, size as u32)?;
            whole[at..at + size].copy_from_slice(bytes);
        }
        unpack(op, &whole, regs);
        Ok(())
    }

    /// Executes a store from `regs`.
    #[inline]
    pub(crate) fn store(
        &mut self,
        private: PrivateView<'_>,
        op: &MemoryOp,
        regs: &[u64],
    ) -> Result<(), u64> {
        let pointer = regs[op.pointer as usize];
        if op.parts > 1 {
            return self.store_parts(private, op, pointer, regs);
        }
        pack(op, regs, self.bytes(private, op, pointer, op.lane_bytes * op.lanes)?);
        Ok(())
    }

    /// A store whose predicate is a mask: parts that it leaves out are not touched.
    #[cold]
    fn store_parts(
        &mut self,
        mut private: PrivateView<'_>,
        op: &MemoryOp,
        pointer: u64,
        regs: &[u64],
    ) -> Result<(), u64> {
        let mut whole = vec![0; (op.lane_bytes * op.lanes) as usize];
        pack(op, regs, &mut whole);
        for (at, size) in active_parts(op, regs) {
            let address = pointer.wrapping_add(at as u64);
            let bytes = self.bytes(private.reborrow(), op, address, size as u32)?;
            bytes.copy_from_slice(&whole[at..at + size]);
        }
        Ok(())
    }

    /// Executes an atomic operation (of at most 64 bits): the old value into `regs`.
    pub(crate) fn atomic(
        &mut self,
        private: PrivateView<'_>,
        op: &MemoryOp,
        regs: &mut [u64],
    ) -> Result<(), u64> {
        let [x, y] = op.operands.map(|slot| regs[slot as usize]);
        let bytes = self.bytes(private, op, regs[op.pointer as usize], op.lane_bytes)?;
        let old = read(bytes);
        if let Some(new) = combine(op.atomic, op.width, old, x, y) {
            write(bytes, new);
        }
        regs[op.data as usize] = old;
        Ok(())
    }

    /// The message for an access that failed at `pointer`.
    #[cold]
    pub(crate) fn fault(
        &self,
        private: PrivateView<'_>,
        op: &MemoryOp,
        what: &str,
        pointer: u64,
        loc: Loc,
    ) -> Diagnostic {
        let (space, address) = match op.space {
            Space::Generic => untag(pointer, self.addr_bits),
            space => (space, pointer),
        };
        let size = count(u64::from(op.lane_bytes * op.lanes));
        let place = match space {
            Space::Local => self.local.describe(address),
            Space::Private => private.describe(address),
            _ => self.global.describe(address),
        };
        let align = op.flags.align();
        if address & (u64::from(align) - 1) != 0 {
            let what = format!("misaligned {what}: {size} at {place}");
            return Diagnostic::error("E0502", what)
                .at(loc)
                .note(format!("the access assumes an address that is a multiple of {align}"));
        }
        if address < GUARD {
            let what = format!("{what} through a null pointer: {size} at address {address}");
            return Diagnostic::error("E0503", what).at(loc);
        }
        Diagnostic::error("E0501", format!("{what} out of bounds: {size} at {place}")).at(loc)
    }
}

/// `1 byte`, `2 bytes`
pub(crate) fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".into() } else { format!("{bytes} bytes") }
}

/// Offset and size in bytes of the parts that the mask of an access takes in.
fn active_parts(op: &MemoryOp, regs: &[u64]) -> impl Iterator<Item = (usize, usize)> + use<> {
    let mask = op.predicate.map_or(u64::MAX, |p| regs[p as usize]);
    let size = (op.lane_bytes * op.lanes / op.parts) as usize;
    (0..op.parts as usize).filter(move |k| mask >> k & 1 == 1).map(move |k| (k * size, size))
}

/// The bytes of memory as the destination of a load.
#[inline]
fn unpack(op: &MemoryOp, bytes: &[u8], regs: &mut [u64]) {
    let data = op.data as usize;
    match (op.lanes, op.lane_bytes) {
        (1, n) if n <= 8 => regs[data] = read(bytes),
        (_, n) if n <= 8 => {
            for (slot, lane) in regs[data..].iter_mut().zip(bytes.chunks_exact(n as usize)) {
                *slot = read(lane);
            }
        }
        (_, n) => {
            let lanes = bytes.chunks_exact(n as usize);
            for (slots, lane) in regs[data..].chunks_exact_mut(2).zip(lanes) {
                slots[0] = read(&lane[..8]);
                slots[1] = read(&lane[8..]);
            }
        }
    }
}

/// The source of a store as bytes of memory.
#[inline]
fn pack(op: &MemoryOp, regs: &[u64], bytes: &mut [u8]) {
    let data = op.data as usize;
    match op.lane_bytes as usize {
        n @ ..=8 => {
            for (lane, value) in bytes.chunks_exact_mut(n).zip(&regs[data..]) {
                write(lane, *value);
            }
        }
        n => {
            for (lane, value) in bytes.chunks_exact_mut(n).zip(regs[data..].chunks_exact(2)) {
                write(&mut lane[..8], value[0]);
                write(&mut lane[8..], value[1]);
            }
        }
    }
}

/// What an atomic operation writes, if it writes.
fn combine(op: AtomicOp, w: u32, old: u64, x: u64, y: u64) -> Option<u64> {
    let signed = |v: u64| sign_extend(v.into(), w);
    Some(match op {
        AtomicOp::Load => return None,
        AtomicOp::Store | AtomicOp::Xchg => x,
        AtomicOp::CmpXchg if old == y => x,
        AtomicOp::CmpXchg => return None,
        AtomicOp::Add => mask(old.wrapping_add(x).into(), w) as u64,
        AtomicOp::Sub => mask(old.wrapping_sub(x).into(), w) as u64,
        AtomicOp::And => old & x,
        AtomicOp::Or => old | x,
        AtomicOp::Xor => old ^ x,
        AtomicOp::UMin => old.min(x),
        AtomicOp::UMax => old.max(x),
        AtomicOp::SMin if signed(x) < signed(old) => x,
        AtomicOp::SMax if signed(x) > signed(old) => x,
        AtomicOp::SMin | AtomicOp::SMax => old,
    })
}

/// Up to 8 bytes, little endian.
#[inline]
fn read(bytes: &[u8]) -> u64 {
    match bytes {
        [a] => u64::from(*a),
        [a, b] => u64::from(u16::from_le_bytes([*a, *b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        other => other.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
    }
}

#[inline]
fn write(bytes: &mut [u8], value: u64) {
    let all = value.to_le_bytes();
    let n = bytes.len();
    bytes.copy_from_slice(&all[..n]);
}
