//! Loads, stores and atomic operations.

use super::{Lower, Parts, Result, unsupported};
use crate::types::{int_reg, pieces, reg, width};
use base::Diagnostic;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as clif, AtomicRmwOp, BlockArg, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind,
    types,
};
use ir::{AtomicOp, InstData, MemFlags, Op, Space, Type, Value};

impl Lower<'_, '_, '_> {
    /// A load, store or atomic operation with its predicate.
    pub(super) fn access(&mut self, data: &InstData) -> Result<()> {
        let flags = data.op.mem_flags().ok_or_else(|| unsupported(data.op, data.loc))?;
        let mut args: &[Value] = &data.args;
        let mut predicate = None;
        if flags.predicated
            && let Some((last, rest)) = args.split_last()
        {
            predicate = Some(*last);
            args = rest;
        }
        let Some(predicate) = predicate else {
            let parts = self.plain_access(data, args)?;
            return self.finish_access(data, parts);
        };
        if self.frame.func.bits(predicate) > 1 {
            let parts = self.masked_access(data, args, predicate)?;
            return self.finish_access(data, parts);
        }
        let condition = self.scalar(predicate);
        let (go, on) = (self.b.create_block(), self.b.create_block());
        let mut none: Vec<BlockArg> = vec![];
        if let Some(result) = data.result {
            let ty = self.ty(result);
            for _ in 0..ty.lanes {
                self.b.append_block_param(on, reg(ty));
                none.push(self.constant(ty, 0).into());
            }
        }
        self.b.ins().brif(condition, go, &[], on, &none);
        self.b.switch_to_block(go);
        let parts = self.plain_access(data, args)?;
        let parts: Vec<BlockArg> = parts.iter().map(|p| (*p).into()).collect();
        self.b.ins().jump(on, &parts);
        self.b.switch_to_block(on);
        let parts = self.b.block_params(on).iter().copied().collect();
        self.finish_access(data, parts)
    }

    fn finish_access(&mut self, data: &InstData, parts: Parts) -> Result<()> {
        if let Some(result) = data.result {
            self.set(result, parts);
        }
        Ok(())
    }

    /// The address in a pointer of any space.
    pub(super) fn address(&mut self, pointer: Value) -> clif::Value {
        let x = self.scalar(pointer);
        match self.ty(pointer).space() {
            Some(Space::Generic) => self.untagged(x),
            _ => x,
        }
    }

    fn plain_access(&mut self, data: &InstData, args: &[Value]) -> Result<Parts> {
        let address = self.address(args[0]);
        match (data.op, data.result) {
            (Op::Load(flags), Some(result)) => {
                let ty = self.ty(result);
                let lane = width(ty).div_ceil(8);
                Ok((0..u32::from(ty.lanes))
                    .map(|k| self.load_lane(ty, address, k * lane, flags))
                    .collect())
            }
            (Op::Store(flags), _) => {
                let ty = self.ty(args[1]);
                let lane = width(ty).div_ceil(8);
                let parts = self.exact(args[1]);
                for (k, part) in parts.into_iter().enumerate() {
                    self.store_lane(ty, part, address, k as u32 * lane, flags);
                }
                if self.ty(args[0]).space() != Some(Space::Private) {
                    self.advance();
                }
                Ok(Parts::new())
            }
            (Op::Atomic(op, _), Some(result)) => {
                let space = self.ty(args[0]).space();
                let operands: Vec<clif::Value> =
                    args[1..].iter().map(|a| self.exact(*a)[0]).collect();
                let ty = self.ty(result);
                let shared = !matches!(space, Some(Space::Local | Space::Private));
                let old = self.atomic(op, ty, shared, address, &operands, data)?;
                self.note_atomic(args[0], data);
                Ok(old)
            }
            _ => Err(unsupported(data.op, data.loc)),
        }
    }

    fn load_lane(
        &mut self,
        ty: Type,
        address: clif::Value,
        at: u32,
        flags: MemFlags,
    ) -> clif::Value {
        let bits = width(ty);
        let plain = MemFlagsData::new().with_notrap();
        if flags.volatile && matches!(bits, 8 | 16 | 32 | 64) {
            let place = self.b.ins().iadd_imm_s(address, i64::from(at));
            let x = self.b.ins().atomic_load(int_reg(bits), plain, place);
            return self.as_lane(ty, x);
        }
        if bits.is_power_of_two() {
            return self.b.ins().load(reg(ty), plain, address, at as i32);
        }
        let to = reg(ty);
        let mut all = self.iconst(to, 0);
        for (offset, size) in pieces(bits / 8) {
            let part = self.b.ins().load(int_reg(8 * size), plain, address, (at + offset) as i32);
            let part = self.resize(part, to);
            let part = self.b.ins().ishl_imm_u(part, i64::from(8 * offset));
            all = self.b.ins().bor(all, part);
        }
        all
    }

    fn store_lane(
        &mut self,
        ty: Type,
        x: clif::Value,
        address: clif::Value,
        at: u32,
        flags: MemFlags,
    ) {
        let bits = width(ty);
        let plain = MemFlagsData::new().with_notrap();
        if flags.volatile && matches!(bits, 8 | 16 | 32 | 64) {
            let place = self.b.ins().iadd_imm_s(address, i64::from(at));
            let x = self.as_bits(x);
            self.b.ins().atomic_store(plain, x, place);
        } else if bits.is_power_of_two() {
            self.b.ins().store(plain, x, address, at as i32);
        } else {
            for (offset, size) in pieces(bits / 8) {
                let part = self.b.ins().ushr_imm_u(x, i64::from(8 * offset));
                let part = self.resize(part, int_reg(8 * size));
                self.b.ins().store(plain, part, address, (at + offset) as i32);
            }
        }
    }

    /// An access whose predicate is a mask, one bit for each of equal parts: by way of a copy on the stack.
    fn masked_access(&mut self, data: &InstData, args: &[Value], mask: Value) -> Result<Parts> {
        let flags = data.op.mem_flags().unwrap_or(MemFlags::aligned(1));
        let ty = self.ty(data.result.unwrap_or(args[args.len() - 1]));
        let bytes = ty.mem_bytes(crate::types::ADDR_BITS);
        let count = self.frame.func.bits(mask);
        let mask = self.scalar(mask);
        let address = self.address(args[0]);
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            bytes.next_multiple_of(16),
            4,
        ));
        let copy = self.b.ins().stack_addr(types::I64, slot, 0);
        let lane = width(ty).div_ceil(8);
        let stores = matches!(data.op, Op::Store(_));
        if stores {
            let parts = self.exact(args[1]);
            for (k, part) in parts.into_iter().enumerate() {
                self.store_lane(ty, part, copy, k as u32 * lane, MemFlags::aligned(1));
            }
        } else {
            let zero = self.iconst(types::I8, 0);
            for at in 0..bytes {
                self.b.ins().store(MemFlagsData::trusted(), zero, copy, at as i32);
            }
        }
        let (from, to) = if stores { (copy, address) } else { (address, copy) };
        let part = bytes / count;
        for k in 0..count {
            let bit = self.b.ins().ushr_imm_u(mask, i64::from(k));
            let bit = self.b.ins().band_imm_u(bit, 1);
            let (go, on) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(bit, go, &[], on, &[]);
            self.b.switch_to_block(go);
            for (offset, size) in pieces(part) {
                let at = k * part + offset;
                let ty = Type::int(8 * size);
                let x = self.load_lane(ty, from, at, flags);
                self.store_lane(ty, x, to, at, flags);
            }
            self.b.ins().jump(on, &[]);
            self.b.switch_to_block(on);
        }
        if stores {
            self.advance();
            return Ok(Parts::new());
        }
        Ok((0..u32::from(ty.lanes))
            .map(|k| self.load_lane(ty, copy, k * lane, MemFlags::aligned(1)))
            .collect())
    }

    /// An atomic operation. Memory that one thread alone touches needs no lock.
    fn atomic(
        &mut self,
        op: AtomicOp,
        ty: Type,
        shared: bool,
        address: clif::Value,
        operands: &[clif::Value],
        data: &InstData,
    ) -> Result<Parts> {
        let w = width(ty);
        if ty.is_vector() || !matches!(w, 8 | 16 | 32 | 64) {
            let what = format!("atomic operations on {ty} are not supported by native code");
            return Err(Diagnostic::error("E0509", what).at(data.loc));
        }
        let word = int_reg(w);
        let operands: Vec<clif::Value> = operands.iter().map(|x| self.as_bits(*x)).collect();
        let flags = MemFlagsData::new().with_notrap();
        if !shared {
            let old = self.b.ins().load(word, flags, address, 0);
            if op != AtomicOp::Load {
                let new = self.combine(op, old, &operands);
                self.b.ins().store(flags, new, address, 0);
            }
            return Ok(Parts::from_iter([self.as_lane(ty, old)]));
        }
        let read_modify_write = |op| match op {
            AtomicOp::Add => AtomicRmwOp::Add,
            AtomicOp::Sub => AtomicRmwOp::Sub,
            AtomicOp::And => AtomicRmwOp::And,
            AtomicOp::Or => AtomicRmwOp::Or,
            AtomicOp::Xor => AtomicRmwOp::Xor,
            AtomicOp::UMin => AtomicRmwOp::Umin,
            AtomicOp::UMax => AtomicRmwOp::Umax,
            AtomicOp::SMin => AtomicRmwOp::Smin,
            AtomicOp::SMax => AtomicRmwOp::Smax,
            _ => AtomicRmwOp::Xchg,
        };
        let old = match op {
            AtomicOp::Load => self.b.ins().atomic_load(word, flags, address),
            AtomicOp::CmpXchg => self.b.ins().atomic_cas(flags, address, operands[1], operands[0]),
            op => self.b.ins().atomic_rmw(word, flags, read_modify_write(op), address, operands[0]),
        };
        Ok(Parts::from_iter([self.as_lane(ty, old)]))
    }

    /// What an atomic operation writes.
    fn combine(&mut self, op: AtomicOp, old: clif::Value, x: &[clif::Value]) -> clif::Value {
        match op {
            AtomicOp::Load => old,
            AtomicOp::Store | AtomicOp::Xchg => x[0],
            AtomicOp::CmpXchg => {
                let same = self.b.ins().icmp(IntCC::Equal, old, x[1]);
                self.b.ins().select(same, x[0], old)
            }
            AtomicOp::Add => self.b.ins().iadd(old, x[0]),
            AtomicOp::Sub => self.b.ins().isub(old, x[0]),
            AtomicOp::And => self.b.ins().band(old, x[0]),
            AtomicOp::Or => self.b.ins().bor(old, x[0]),
            AtomicOp::Xor => self.b.ins().bxor(old, x[0]),
            AtomicOp::UMin => self.b.ins().umin(old, x[0]),
            AtomicOp::UMax => self.b.ins().umax(old, x[0]),
            AtomicOp::SMin => self.b.ins().smin(old, x[0]),
            AtomicOp::SMax => self.b.ins().smax(old, x[0]),
        }
    }

    /// Clears `size` bytes.
    pub(super) fn clear(&mut self, address: clif::Value, size: u64) {
        if size > 256 {
            let zero = self.iconst(types::I32, 0);
            let size = self.iconst(types::I64, size.into());
            let function = crate::runtime::clear as *const () as usize;
            self.call_runtime(function, &[address, zero, size], None);
            return;
        }
        let zero = self.iconst(types::I64, 0);
        for at in (0..size).step_by(8) {
            // private memory is laid out in units of 16 bytes: nothing else stands in the last one
            self.b.ins().store(MemFlagsData::new().with_notrap(), zero, address, at as i32);
        }
    }
}
