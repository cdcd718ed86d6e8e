//! Atomic instructions.

use super::sync::{ACQUIRE, RELEASE, fence_flags};
use super::{Leaves, Lower};
use crate::decode::Inst;
use crate::errors::{R, UNSUPPORTED, unsupported};
use base::smallvec;
use ir::{AtomicOp, FenceFlags, IntCC, MemFlags, Op, Space, Type, Value};
use rspirv::spirv::Scope;

impl Lower<'_, '_, '_> {
    /// The read-modify-write instructions with pointer, scope, semantics and one value.
    pub(super) fn atomic(&mut self, inst: &Inst, op: AtomicOp) -> R<()> {
        let value = self.operand(inst, 3)?;
        let old = self.ordered_atomic(inst, op, smallvec![value])?;
        self.set(inst, old)
    }

    /// `OpAtomicLoad`
    pub(super) fn atomic_load(&mut self, inst: &Inst) -> R<()> {
        let v = self.ordered_atomic(inst, AtomicOp::Load, smallvec![])?;
        self.set(inst, v)
    }

    /// `OpAtomicStore`
    pub(super) fn atomic_store(&mut self, inst: &Inst) -> R<()> {
        let value = self.operand(inst, 3)?;
        self.ordered_atomic(inst, AtomicOp::Store, smallvec![value])?;
        Ok(())
    }

    /// `OpAtomicIIncrement`, `OpAtomicIDecrement`
    pub(super) fn atomic_step(&mut self, inst: &Inst, op: AtomicOp) -> R<()> {
        let ty = self.result_type(inst)?;
        let one = self.b.constant(ty, 1);
        let old = self.ordered_atomic(inst, op, smallvec![one])?;
        self.set(inst, old)
    }

    /// `OpAtomicCompareExchange`: pointer, scope, two semantics, value, comparator.
    pub(super) fn atomic_compare(&mut self, inst: &Inst) -> R<()> {
        let (desired, expected) = (self.operand(inst, 4)?, self.operand(inst, 5)?);
        let old = self.ordered_atomic(inst, AtomicOp::CmpXchg, smallvec![desired, expected])?;
        self.set(inst, old)
    }

    /// `OpAtomicFlagTestAndSet`: a flag is an int in OpenCL.
    pub(super) fn flag_test_and_set(&mut self, inst: &Inst) -> R<()> {
        let one = self.b.constant(Type::I32, 1);
        let old = self.ordered_atomic(inst, AtomicOp::Xchg, smallvec![one])?;
        let zero = self.b.constant(Type::I32, 0);
        let was_set = self.b.icmp(IntCC::Ne, old, zero);
        self.set(inst, was_set)
    }

    /// `OpAtomicFlagClear`
    pub(super) fn flag_clear(&mut self, inst: &Inst) -> R<()> {
        let zero = self.b.constant(Type::I32, 0);
        self.ordered_atomic(inst, AtomicOp::Store, smallvec![zero])?;
        Ok(())
    }

    /// A call of an OpenCL 1.x atomic: pointer and value, relaxed.
    pub(crate) fn atomic_call(&mut self, call: &Inst, op: AtomicOp) -> R<()> {
        let (ptr, value) = (self.pointer(call, 0)?, self.operand(call, 1)?);
        let old = self.plain_atomic(call, op, ptr, smallvec![value])?;
        self.set(call, old)
    }

    /// A call of a C11 atomic: pointer, value (none for loads), then memory order where the name
    /// ends in `_explicit`.
    pub(crate) fn c11_atomic_call(&mut self, call: &Inst, op: AtomicOp, explicit: bool) -> R<()> {
        let ptr = self.pointer(call, 0)?;
        let count = op.value_operands();
        let values = (0..count).map(|k| self.operand(call, 1 + k)).collect::<R<Leaves>>()?;
        // `memory_order` as clang numbers it; all but these are sequentially consistent.
        let order = match call.args.get(1 + count).filter(|_| explicit) {
            Some(id) => self.spv.consts.scalar(*id),
            None => None,
        };
        let semantics = match order {
            Some(0) => 0,
            Some(1 | 2) => 0x2,
            Some(3) => 0x4,
            Some(4) => 0x8,
            _ => 0x10,
        };
        let old = self.fenced_atomic(call, op, ptr, values, semantics)?;
        match op {
            AtomicOp::Store => Ok(()),
            _ => self.set(call, old),
        }
    }

    /// A call of `atomic_inc` or `atomic_dec`.
    pub(crate) fn atomic_step_call(&mut self, call: &Inst, op: AtomicOp) -> R<()> {
        let ptr = self.pointer(call, 0)?;
        let ty = self.result_type(call)?;
        let one = self.b.constant(ty, 1);
        let old = self.plain_atomic(call, op, ptr, smallvec![one])?;
        self.set(call, old)
    }

    /// A call of `atomic_cmpxchg`: pointer, expected, desired.
    pub(crate) fn atomic_compare_call(&mut self, call: &Inst) -> R<()> {
        let ptr = self.pointer(call, 0)?;
        let (expected, desired) = (self.operand(call, 1)?, self.operand(call, 2)?);
        let old = self.plain_atomic(call, AtomicOp::CmpXchg, ptr, smallvec![desired, expected])?;
        self.set(call, old)
    }

    /// The operation between the fences that its memory order asks for.
    fn ordered_atomic(&mut self, inst: &Inst, op: AtomicOp, values: Leaves) -> R<Value> {
        let ptr = self.pointer(inst, 0)?;
        let scope = self.constant_operand(inst, 1)?;
        let semantics = self.constant_operand(inst, 2)?;
        self.check(Scope::from_u32(scope).is_some(), inst, "its scope does not exist")?;
        self.fenced_atomic(inst, op, ptr, values, semantics)
    }

    fn fenced_atomic(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        ptr: Value,
        values: Leaves,
        semantics: u32,
    ) -> R<Value> {
        let mut flags = fence_flags(semantics);
        if flags == FenceFlags::default() {
            let space = self.b.space_of(ptr);
            let generic = space == Some(Space::Generic);
            flags.local = generic || space == Some(Space::Local);
            flags.global = generic || space == Some(Space::Global);
        }
        if semantics & RELEASE != 0 && op != AtomicOp::Load {
            self.b.inst(Op::Fence(flags), [], None);
        }
        let old = self.plain_atomic(inst, op, ptr, values)?;
        if semantics & ACQUIRE != 0 && op != AtomicOp::Store {
            self.b.inst(Op::Fence(flags), [], None);
        }
        Ok(old)
    }

    /// The operation itself, on integers of 32 or 64 bits; floats move as their bits.
    fn plain_atomic(&mut self, inst: &Inst, op: AtomicOp, ptr: Value, values: Leaves) -> R<Value> {
        let ty = match values.first() {
            Some(v) => self.ty(*v),
            None => self.result_type(inst)?,
        };
        self.check(
            !ty.is_vector() && values.iter().all(|v| self.ty(*v) == ty),
            inst,
            "its operands are not scalars of one type",
        )?;
        let moves =
            matches!(op, AtomicOp::Load | AtomicOp::Store | AtomicOp::Xchg | AtomicOp::CmpXchg);
        self.check(ty.is_int() || ty.is_float() && moves, inst, "its operands are not integers")?;
        let bits = ty.lane_bits(self.spv.types.addr_bits);
        if !matches!(bits, 32 | 64) {
            return Err(unsupported(
                UNSUPPORTED,
                format!("{} on {bits} bits", inst.name()),
                "not planned",
            ));
        }
        if self.b.space_of(ptr) == Some(Space::Constant) && op != AtomicOp::Load {
            self.check_writable(inst, ptr)?;
        }
        let int = Type::int(bits);
        let values: Leaves = values.into_iter().map(|v| self.bits_as(v, int)).collect();
        let old = self.b.atomic(op, int, ptr, &values, MemFlags::aligned(bits / 8));
        Ok(self.bits_as(old, ty))
    }
}
