//! `OpCopyMemory` and `OpCopyMemorySized`.

use super::Lower;
use super::memory::{Access, flags};
use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::types::MAX_NODES;
use ir::{IntCC, MemFlags, Op, Type, Value};

/// Most chunks copied without a loop.
const MAX_STRAIGHT: u64 = 64;

/// One copy.
#[derive(Clone, Copy)]
struct Copy {
    to: Value,
    from: Value,
    /// Known alignment of both sides.
    align: u32,
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
            let zero = self.b.size(0);
            return self.copy_loop(copy, 1, zero, n);
        };
        let Ok(bytes) = u64::try_from(bytes) else {
            return Err(self.mismatch(inst, "its size is too large"));
        };
        // Copied as the object's own parts, a structure stays in registers later on.
        for k in [0, 1] {
            let pointee = self.original_pointee(inst.arg(k)?)?;
            let Ok(info) = self.spv.types.get(pointee) else { continue };
            let same =
                info.size == bytes && bytes > 0 && self.spv.types.check_whole(pointee).is_ok();
            if same && info.leaves <= MAX_NODES && info.leaves <= bytes {
                let align = copy.align.max(if self.is_aggregate(pointee) { 1 } else { info.align });
                return self.copy_value(Copy { align, ..copy }, pointee);
            }
        }
        self.copy_bytes(copy, bytes)
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

    fn copy_value(&mut self, copy: Copy, ty: Id) -> R<()> {
        for leaf in self.spv.types.leaves(ty)? {
            let access = Access { volatile: copy.volatile, align: Some(copy.align) };
            self.copy_piece(copy, leaf.memory, leaf.offset, flags(access, copy.align, leaf.offset));
        }
        Ok(())
    }

    fn copy_piece(&mut self, copy: Copy, ty: Type, offset: u64, flags: MemFlags) {
        let v = if copy.zero {
            self.b.constant(ty, 0)
        } else {
            let from = self.at_offset(copy.from, offset);
            self.b.load(ty, from, flags)
        };
        let to = self.at_offset(copy.to, offset);
        self.b.store(to, v, flags);
    }

    fn copy_bytes(&mut self, copy: Copy, bytes: u64) -> R<()> {
        let chunk = u64::from(copy.align.min(8));
        let looped = if bytes / chunk > MAX_STRAIGHT { bytes - bytes % chunk } else { 0 };
        if looped > 0 {
            let zero = self.b.size(0);
            let end = self.b.size(looped);
            self.copy_loop(copy, chunk, zero, end)?;
        }
        let mut at = looped;
        while at < bytes {
            let mut n = chunk;
            while n > bytes - at {
                n /= 2;
            }
            let access = Access { volatile: copy.volatile, align: Some(copy.align) };
            let ty = Type::int(8 * n as u32);
            self.copy_piece(copy, ty, at, flags(access, copy.align, at));
            at += n;
        }
        Ok(())
    }

    /// Copies chunks of `chunk` bytes from offset `start` until `end`, zero times when equal.
    fn copy_loop(&mut self, copy: Copy, chunk: u64, start: Value, end: Value) -> R<()> {
        let size = self.b.size_type();
        let (head, body, done) =
            (self.b.func.add_block(), self.b.func.add_block(), self.b.func.add_block());
        let at = self.b.func.add_param(head, size);
        self.b.jump(head, [start]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, end);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let ty = Type::int(8 * chunk as u32);
        let flags = MemFlags { volatile: copy.volatile, ..MemFlags::aligned(chunk as u32) };
        let v = if copy.zero {
            self.b.constant(ty, 0)
        } else {
            let from = self.b.ptr_add(copy.from, at);
            self.b.load(ty, from, flags)
        };
        let to = self.b.ptr_add(copy.to, at);
        self.b.store(to, v, flags);
        let step = self.b.size(chunk);
        let next = self.b.binary(Op::Add, at, step);
        self.b.jump(head, [next]);
        self.b.switch_to(done);
        Ok(())
    }
}
