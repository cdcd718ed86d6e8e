//! Atomic instructions.

use super::sync::{ACQUIRE, RELEASE, fence_flags};
use super::{Leaves, Lower};
use crate::decode::Inst;
use crate::errors::{R, UNSUPPORTED, unsupported};
use base::smallvec;
use ir::{AtomicOp, BlockCall, FenceFlags, IntCC, MemFlags, Op, Space, Terminator, Type, Value};
use rspirv::spirv::Scope;

/// What becomes of a float in memory.
#[derive(Clone, Copy)]
enum FloatUpdate {
    Add,
    Sub,
    Min,
    Max,
}

impl FloatUpdate {
    /// What an operation is on floats, where it is not the same as on their bits.
    fn of(op: AtomicOp) -> Option<Self> {
        match op {
            AtomicOp::Add => Some(FloatUpdate::Add),
            AtomicOp::Sub => Some(FloatUpdate::Sub),
            AtomicOp::UMin | AtomicOp::SMin => Some(FloatUpdate::Min),
            AtomicOp::UMax | AtomicOp::SMax => Some(FloatUpdate::Max),
            _ => None,
        }
    }
}

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

    /// `OpAtomicFAddEXT`, `OpAtomicFMinEXT`, `OpAtomicFMaxEXT`: pointer, scope, semantics, value.
    pub(super) fn float_atomic(&mut self, inst: &Inst, op: AtomicOp) -> R<()> {
        let (ptr, value) = (self.pointer(inst, 0)?, self.operand(inst, 3)?);
        let semantics = self.semantics(inst)?;
        let old = self.fenced_update(inst, op, ptr, value, semantics)?;
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
        let old = match values.first() {
            Some(v) if self.ty(*v).is_float() && FloatUpdate::of(op).is_some() => {
                self.fenced_update(call, op, ptr, *v, semantics)?
            }
            _ => self.fenced_atomic(call, op, ptr, values, semantics)?,
        };
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
        let (ptr, semantics) = (self.pointer(inst, 0)?, self.semantics(inst)?);
        self.fenced_atomic(inst, op, ptr, values, semantics)
    }

    /// The memory semantics of an instruction, whose scope is checked: operands 2 and 1.
    fn semantics(&mut self, inst: &Inst) -> R<u32> {
        if let Some(scope) = self.chosen_operand(inst, 1)? {
            self.check(Scope::from_u32(scope).is_some(), inst, "its scope does not exist")?;
        }
        Ok(self.chosen_operand(inst, 2)?.unwrap_or(ACQUIRE | RELEASE))
    }

    fn fenced_atomic(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        ptr: Value,
        values: Leaves,
        semantics: u32,
    ) -> R<Value> {
        let (reads, writes) = (op != AtomicOp::Store, op != AtomicOp::Load);
        self.between_fences(ptr, semantics, (reads, writes), |l| {
            l.plain_atomic(inst, op, ptr, values)
        })
    }

    /// The same for an update of a float.
    fn fenced_update(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        semantics: u32,
    ) -> R<Value> {
        self.between_fences(ptr, semantics, (true, true), |l| l.float_update(inst, op, ptr, value))
    }

    /// What `access` does with a pointer, between the fences of these memory semantics; whether it reads, and writes.
    fn between_fences(
        &mut self,
        ptr: Value,
        semantics: u32,
        (reads, writes): (bool, bool),
        access: impl FnOnce(&mut Self) -> R<Value>,
    ) -> R<Value> {
        let mut flags = fence_flags(semantics);
        if flags == FenceFlags::default() {
            let space = self.b.space_of(ptr);
            let generic = space == Some(Space::Generic);
            flags.local = generic || space == Some(Space::Local);
            flags.global = generic || space == Some(Space::Global);
        }
        if semantics & RELEASE != 0 && writes {
            self.b.inst(Op::Fence(flags), [], None);
        }
        let old = access(self)?;
        if semantics & ACQUIRE != 0 && reads {
            self.b.inst(Op::Fence(flags), [], None);
        }
        Ok(old)
    }

    /// Replaces a float by its sum with a value, or the lesser or greater of both; the old one. No unit of a memory adds floats, so
    /// the new one is computed from what was there, until that still is there when it is to be replaced.
    fn float_update(&mut self, inst: &Inst, op: AtomicOp, ptr: Value, value: Value) -> R<Value> {
        let ty = self.ty(value);
        let update = FloatUpdate::of(op).filter(|_| ty.is_float() && !ty.is_vector());
        let Some(update) = update else {
            return self.check(false, inst, "its operands are not floats").map(|()| value);
        };
        let int = Type::int(ty.lane_bits(self.spv.types.addr_bits));
        let first = self.plain_atomic_of(inst, AtomicOp::Load, ty, ptr, smallvec![])?;
        let first = self.bits_as(first, int);
        let (again, behind) = (self.b.func.add_block(), self.b.func.add_block());
        let expected = self.b.func.add_param(again, int);
        self.b.jump(again, [first]);
        self.b.switch_to(again);
        let there = self.bits_as(expected, ty);
        let new = match update {
            FloatUpdate::Add => self.b.binary(Op::FAdd, there, value),
            FloatUpdate::Sub => self.b.binary(Op::FSub, there, value),
            FloatUpdate::Min => self.b.binary(Op::FMin, there, value),
            FloatUpdate::Max => self.b.binary(Op::FMax, there, value),
        };
        let new = self.bits_as(new, int);
        let old = self.plain_atomic(inst, AtomicOp::CmpXchg, ptr, smallvec![new, expected])?;
        let done = self.b.icmp(IntCC::Eq, old, expected);
        self.b.terminate(Terminator::Branch {
            cond: done,
            then_: BlockCall::new(behind, []),
            else_: BlockCall::new(again, [old]),
        });
        self.b.switch_to(behind);
        Ok(self.bits_as(old, ty))
    }

    /// The operation itself, on integers of 32 or 64 bits; floats move as their bits.
    fn plain_atomic(&mut self, inst: &Inst, op: AtomicOp, ptr: Value, values: Leaves) -> R<Value> {
        let ty = match values.first() {
            Some(v) => self.ty(*v),
            None => self.result_type(inst)?,
        };
        self.plain_atomic_of(inst, op, ty, ptr, values)
    }

    /// The same on a type that the operation's values, if it has any, have.
    fn plain_atomic_of(
        &mut self,
        inst: &Inst,
        op: AtomicOp,
        ty: Type,
        ptr: Value,
        values: Leaves,
    ) -> R<Value> {
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
