//! `OpCopyMemory` and `OpCopyMemorySized`.

use super::memory::{Access, flags};
use super::pipe::Direction;
use super::{Leaves, Lower};
use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::pipes::Packet;
use ir::{IntCC, MemFlags, Object, Op, Space, Type, Value};

/// Most pieces copied without a loop between variables.
const MAX_STRAIGHT: u64 = 64;
/// The same when one side may be a buffer: each piece is a memory unit of its own.
const MAX_STRAIGHT_BUFFER: u64 = 32;

/// One copy.
#[derive(Clone, Copy)]
struct Copy {
    to: Value,
    from: Value,
    /// Known alignment of both sides.
    align: u32,
    /// Known not to overlap.
    apart: bool,
    volatile: bool,
    /// The source holds zeros only: they are stored without being read.
    zero: bool,
}

impl Lower<'_, '_, '_> {
    /// `OpCopyMemory`: as many bytes as the pointee has.
    pub(super) fn copy_memory(&mut self, inst: &Inst) -> R<()> {
        let pointee = self.spv.types.pointee(self.spv.type_of(inst.arg(0)?)?)?;
        self.spv.types.need_memory(pointee)?;
        let info = self.spv.types.get(pointee)?;
        let copy = self.copy_operands(inst, 2, info.align)?;
        match self.spv.types.check_whole(pointee) {
            Ok(()) => self.copy_value(copy, pointee),
            Err(_) => self.copy_bytes(copy, info.size),
        }
    }

    /// `OpCopyMemorySized`
    pub(super) fn copy_memory_sized(&mut self, inst: &Inst) -> R<()> {
        let copy = self.copy_operands(inst, 3, 1)?;
        let size = inst.arg(2)?;
        let Some(bytes) = self.spv.consts.scalar(size) else {
            let n = self.one(size)?;
            self.check(self.is_int_scalar(n), inst, "its size is not an integer")?;
            let n = self.b.zext_or_trunc(n, self.spv.types.addr_bits);
            // What is a number of elements times their size is copied by elements.
            let align = self.known_align(copy).min(8);
            let chunk = u64::from(align) >> align.trailing_zeros().saturating_sub(self.zeros(n, 8));
            return self.copy_loop(copy, chunk, n);
        };
        let Ok(bytes) = u64::try_from(bytes) else {
            return Err(self.mismatch(inst, "its size is too large"));
        };
        // Copied as the object's own parts, a structure stays in registers later on. Zeros have
        // the type that the producer gave them, which says nothing.
        for k in if copy.zero { 0..1 } else { 0..2 } {
            let pointee = self.original_pointee(inst.arg(k)?)?;
            let Ok(info) = self.spv.types.get(pointee) else { continue };
            let same =
                info.size == bytes && bytes > 0 && self.spv.types.check_whole(pointee).is_ok();
            if same && info.leaves <= bytes {
                let align = copy.align.max(if self.is_aggregate(pointee) { 1 } else { info.align });
                return self.copy_value(Copy { align, ..copy }, pointee);
            }
        }
        self.copy_bytes(copy, bytes)
    }

    /// Copies a packet of a pipe to or from where operand `k` points.
    pub(super) fn copy_packet(
        &mut self,
        inst: &Inst,
        k: usize,
        slot: Value,
        direction: Direction,
        packet: Packet,
    ) -> R<()> {
        let pointer = self.pointer(inst, k)?;
        let (to, from) = match direction {
            Direction::Read => (pointer, slot),
            Direction::Write => (slot, pointer),
        };
        self.check_writable(inst, to)?;
        let bytes = u64::from(packet.size);
        let copy =
            Copy { to, from, align: packet.align, apart: true, volatile: false, zero: false };
        // As with sized copies: what has the packet's own parts stays in registers.
        let pointee = self.original_pointee(inst.arg(k)?)?;
        let whole = self.spv.types.get(pointee).is_ok_and(|t| t.size == bytes && t.leaves <= bytes);
        match whole && self.spv.types.check_whole(pointee).is_ok() {
            true => self.copy_value(copy, pointee),
            false => self.copy_bytes(copy, bytes),
        }
    }

    fn copy_operands(&mut self, inst: &Inst, k: usize, natural: u32) -> R<Copy> {
        let (to, from) = (self.pointer(inst, 0)?, self.pointer(inst, 1)?);
        self.check_writable(inst, to)?;
        let (first, next) = self.access(inst, k)?;
        // A second set of operands, where given, is the source's.
        let second = match inst.args.len() > next {
            true => self.access(inst, next)?.0,
            false => first,
        };
        let align = first.align.unwrap_or(natural).min(second.align.unwrap_or(natural));
        let zero = self.is_zero_variable(inst.arg(1)?)?;
        Ok(Copy {
            to,
            from,
            align: align.max(1),
            apart: false,
            volatile: first.volatile || second.volatile,
            zero,
        })
    }

    /// Whether a pointer is that of a constant whose bytes are all zero: how producers write
    /// `memset`.
    fn is_zero_variable(&self, pointer: Id) -> R<bool> {
        let mut id = pointer;
        if let Some(inst) = self.spv.def_inst(id)
            && inst.op == rspirv::spirv::Op::Bitcast
        {
            id = inst.arg(0)?;
        }
        let Some(Const::Address { var, addend: 0 }) = self.spv.consts.get(id).map(|c| &c.value)
        else {
            return Ok(false);
        };
        let Some(v) = self.spv.variables.get(var) else { return Ok(false) };
        let zero =
            v.init.and_then(|i| self.spv.consts.get(i)).is_some_and(|c| c.value == Const::Zero);
        Ok(zero && v.class == rspirv::spirv::StorageClass::UniformConstant)
    }

    /// Copies a value of a type: its scalars one by one, or in a loop where they are many.
    fn copy_value(&mut self, copy: Copy, ty: Id) -> R<()> {
        let info = self.spv.types.get(ty)?;
        if info.leaves <= self.most_straight(copy) {
            let leaves = self.spv.types.leaves(ty)?;
            self.copy_pieces(copy, leaves.iter().map(|l| (l.memory, l.offset)).collect());
            return Ok(());
        }
        // Elements of one size stay whole: the variable's memory has words of that size.
        let word = u32::try_from(info.size / info.leaves).unwrap_or(1);
        let align = match info.size == info.leaves * u64::from(word) && word.is_power_of_two() {
            true => copy.align.min(word),
            false => copy.align,
        };
        self.copy_bytes(Copy { align, ..copy }, info.size)
    }

    /// Most pieces that are worth their own accesses.
    fn most_straight(&self, copy: Copy) -> u64 {
        let is_buffer = |pointer: Value| {
            let object = matches!(self.b.func.def_op(pointer), Some(Op::ObjAddr(_)));
            !object && self.b.space_of(pointer) != Some(Space::Private)
        };
        match is_buffer(copy.to) || (!copy.zero && is_buffer(copy.from)) {
            true => MAX_STRAIGHT_BUFFER,
            false => MAX_STRAIGHT,
        }
    }

    fn copy_bytes(&mut self, copy: Copy, bytes: u64) -> R<()> {
        let copy = Copy { align: self.known_align(copy), ..copy };
        let chunk = u64::from(copy.align.min(8));
        if bytes / chunk > self.most_straight(copy) {
            // A chunk that divides the size leaves no tail to be copied apart.
            let chunk = chunk.min(1 << bytes.trailing_zeros());
            let end = self.b.size(bytes);
            return self.copy_loop(copy, chunk, end);
        }
        let mut pieces = vec![];
        let mut at = 0;
        while at < bytes {
            let mut n = chunk;
            while n > bytes - at {
                n /= 2;
            }
            pieces.push((Type::int(8 * n as u32), at));
            at += n;
        }
        self.copy_pieces(copy, pieces);
        Ok(())
    }

    /// Copies pieces of a type at an offset each. All are read before any is written: clang-22
    /// writes `memmove` as a copy, so that the two places may overlap.
    fn copy_pieces(&mut self, copy: Copy, pieces: Vec<(Type, u64)>) {
        let access = Access { volatile: copy.volatile, align: Some(copy.align) };
        let mut values = Leaves::new();
        for (ty, offset) in &pieces {
            values.push(match copy.zero {
                true => self.b.constant(*ty, 0),
                false => {
                    let from = self.at_offset(copy.from, *offset);
                    self.b.load(*ty, from, flags(access, copy.align, *offset))
                }
            });
        }
        for ((_, offset), v) in pieces.into_iter().zip(values) {
            let to = self.at_offset(copy.to, offset);
            self.b.store(to, v, flags(access, copy.align, offset));
        }
    }

    /// The object that a pointer is into, and its offset there in bytes, where both are known.
    fn object_at(&self, pointer: Value) -> Option<(Object, i128)> {
        let (root, offset) = ir::analysis::root(self.b.func, pointer);
        match self.b.func.def_op(root) {
            Some(Op::ObjAddr(object)) => Some((object, offset)),
            _ => None,
        }
    }

    /// The alignment in bytes that the two places are known to have, at least the copy's own.
    fn known_align(&self, copy: Copy) -> u32 {
        let of = |pointer: Value| {
            let (object, offset) = self.object_at(pointer)?;
            let of_offset = 1 << offset.trailing_zeros().min(8);
            Some(self.b.func.objects[object].align.min(of_offset))
        };
        // zeros come from nowhere
        let from = if copy.zero { of(copy.to) } else { of(copy.from) };
        of(copy.to).zip(from).map_or(copy.align, |(to, from)| copy.align.max(to.min(from)))
    }

    /// At least so many of the lowest bits of an integer are 0, as far as `steps` operations tell.
    fn zeros(&self, value: Value, steps: u32) -> u32 {
        let Some(inst) = self.b.func.def_inst(value).filter(|_| steps > 0) else { return 0 };
        let data = &self.b.func.insts[inst];
        let of = |k: usize| self.zeros(data.args[k], steps - 1);
        let most = self.b.func.bits(value);
        let zeros = match data.op {
            Op::Const(c) => c.trailing_zeros(),
            Op::Shl => {
                let by = self.b.func.as_const(data.args[1]).and_then(|n| u32::try_from(n).ok());
                by.map_or(0, |n| of(0).saturating_add(n))
            }
            Op::Mul => of(0).saturating_add(of(1)),
            Op::And => of(0).max(of(1)),
            Op::Add | Op::Sub | Op::Or | Op::Xor => of(0).min(of(1)),
            Op::Zext | Op::Sext | Op::Slice { lo: 0 } => of(0),
            _ => 0,
        };
        zeros.min(most)
    }

    /// Whether source and destination may be parts of one object.
    fn may_overlap(&self, copy: Copy) -> bool {
        let spaces = [copy.to, copy.from].map(|p| self.b.space_of(p));
        let generic = spaces.contains(&Some(Space::Generic));
        let objects = [copy.to, copy.from].map(|p| self.object_at(p));
        let apart = matches!(objects, [Some((a, _)), Some((b, _))] if a != b);
        !copy.zero && !copy.apart && !apart && (generic || spaces[0] == spaces[1])
    }

    /// Copies chunks of `chunk` bytes until `end` bytes, from the far end backwards where the
    /// destination lies above the source: then an overlap does no harm.
    fn copy_loop(&mut self, copy: Copy, chunk: u64, end: Value) -> R<()> {
        let size = self.b.size_type();
        let step = self.b.size(chunk);
        // Within an object the way is known.
        let known = match (self.object_at(copy.to), self.object_at(copy.from)) {
            (Some((a, to)), Some((b, from))) if a == b => Some(to > from),
            _ => None,
        };
        let backwards = match self.may_overlap(copy) && known != Some(false) {
            true => {
                let generic = Type::ptr(Space::Generic);
                let [to, from] = match self.ty(copy.to) == self.ty(copy.from) {
                    true => [copy.to, copy.from],
                    false => {
                        [self.space_cast(copy.to, generic)?, self.space_cast(copy.from, generic)?]
                    }
                };
                let above = match known {
                    Some(known) => self.b.bool(known),
                    None => self.b.icmp(IntCC::Ugt, to, from),
                };
                Some((above, self.b.binary(Op::Sub, end, step)))
            }
            false => None,
        };
        let zero = self.b.size(0);
        let (head, body, done) =
            (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        let at = self.b.func.add_param(head, size);
        self.b.jump(head, [zero]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, end);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let offset = match backwards {
            Some((above, last)) => {
                let mirrored = self.b.binary(Op::Sub, last, at);
                self.b.select(above, mirrored, at)
            }
            None => at,
        };
        let ty = Type::int(8 * chunk as u32);
        let flags = MemFlags { volatile: copy.volatile, ..MemFlags::aligned(chunk as u32) };
        let v = match copy.zero {
            true => self.b.constant(ty, 0),
            false => {
                let from = self.b.ptr_add(copy.from, offset);
                self.b.load(ty, from, flags)
            }
        };
        let to = self.b.ptr_add(copy.to, offset);
        self.b.store(to, v, flags);
        let next = self.b.binary(Op::Add, at, step);
        self.b.jump(head, [next]);
        self.b.switch_to(done);
        Ok(())
    }
}
