//! Appends instructions to a block, with types worked out from the operands.

use crate::entities::{Block, Inst, Object, Value};
use crate::function::{BlockCall, Function, Terminator};
use crate::op::{AtomicOp, FastMath, FenceFlags, IntCC, MemFlags, Op, Query};
use crate::types::{FloatSet, Space, Type};
use base::Loc;

/// Appends to one block of a function at a time. Effects are chained: each effect is ordered
/// after the previous one of its block (passes relax the chain later).
pub struct Builder<'f> {
    /// The function being built.
    pub func: &'f mut Function,
    block: Block,
    /// Place given to new instructions.
    pub loc: Loc,
    /// Permissions given to new floating-point instructions.
    pub fast_math: FastMath,
    /// Formats whose arithmetic is made in the form that flushes subnormal numbers.
    pub flush: FloatSet,
}

impl<'f> Builder<'f> {
    /// Appends to `block`.
    pub fn at(func: &'f mut Function, block: Block) -> Self {
        let (fast_math, flush) = (FastMath::default(), FloatSet::default());
        Builder { func, block, loc: Loc::UNKNOWN, fast_math, flush }
    }

    /// The block being appended to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Goes on in another block.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// Appends an operation; `result` is its result type, if any. Effects are chained.
    pub fn inst(
        &mut self,
        op: Op,
        args: impl IntoIterator<Item = Value>,
        result: Option<Type>,
    ) -> Inst {
        let flush = result.and_then(Type::float_kind).is_some_and(|kind| self.flush.has(kind));
        let op = if flush { op.flushed() } else { op };
        let inst = self.func.make_inst(op, args, result, self.loc);
        self.func.insts[inst].fast_math = self.fast_math;
        if op.is_effect() {
            let last = self.func.blocks[self.block]
                .insts
                .iter()
                .rev()
                .find(|i| self.func.insts[**i].op.is_effect())
                .copied();
            self.func.insts[inst].after.extend(last);
        }
        self.func.blocks[self.block].insts.push(inst);
        inst
    }

    /// Appends an operation with a result.
    pub fn value(&mut self, op: Op, args: impl IntoIterator<Item = Value>, ty: Type) -> Value {
        let inst = self.inst(op, args, Some(ty));
        self.func.insts[inst].result.expect("made with a result")
    }

    /// Integer, float (bits) or pointer constant; vectors: every lane the same.
    pub fn constant(&mut self, ty: Type, bits: u128) -> Value {
        let w = ty.lane_bits(self.func.addr_bits);
        self.value(Op::Const(mask(bits, w)), [], ty)
    }

    /// i1 constant.
    pub fn bool(&mut self, b: bool) -> Value {
        self.constant(Type::BOOL, u128::from(b))
    }

    /// Integer type of `size_t`.
    pub fn size_type(&self) -> Type {
        Type::int(self.func.addr_bits)
    }

    /// `size_t` constant.
    pub fn size(&mut self, n: u64) -> Value {
        let ty = self.size_type();
        self.constant(ty, u128::from(n))
    }

    /// Operation with operands and result of one type.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(op, [a, b], ty)
    }

    /// Operation with operand and result of one type.
    pub fn unary(&mut self, op: Op, a: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(op, [a], ty)
    }

    /// Integer comparison.
    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let lanes = self.func.ty(a).lanes;
        self.value(Op::ICmp(cc), [a, b], Type::BOOL.with_lanes(lanes))
    }

    /// `c ? a : b`.
    pub fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(Op::Select, [c, a, b], ty)
    }

    /// Zero extension, truncation or nothing, to integer width `w` (lanes kept).
    pub fn zext_or_trunc(&mut self, a: Value, w: u32) -> Value {
        self.resize(a, w, Op::Zext)
    }

    /// Sign extension, truncation or nothing, to integer width `w` (lanes kept).
    pub fn sext_or_trunc(&mut self, a: Value, w: u32) -> Value {
        self.resize(a, w, Op::Sext)
    }

    fn resize(&mut self, a: Value, w: u32, extend: Op) -> Value {
        let from = self.func.ty(a);
        let to = Type::int(w).with_lanes(from.lanes);
        match from.lane_bits(self.func.addr_bits).cmp(&w) {
            std::cmp::Ordering::Less => self.value(extend, [a], to),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => self.value(Op::Slice { lo: 0 }, [a], to),
        }
    }

    /// Pointer plus bytes.
    pub fn ptr_add(&mut self, ptr: Value, bytes: Value) -> Value {
        let ty = self.func.ty(ptr);
        self.value(Op::PtrAdd, [ptr, bytes], ty)
    }

    /// Address of a memory object.
    pub fn obj_addr(&mut self, object: Object) -> Value {
        let space = self.func.objects[object].space;
        self.value(Op::ObjAddr(object), [], Type::ptr(space))
    }

    /// Work-item query; `dim` 0..=2.
    pub fn query(&mut self, query: Query, dim: u8) -> Value {
        let ty = if query.is_i32() { Type::I32 } else { self.size_type() };
        self.value(Op::WorkItem(query, dim), [], ty)
    }

    /// Load of `ty`.
    pub fn load(&mut self, ty: Type, ptr: Value, flags: MemFlags) -> Value {
        self.value(Op::Load(flags), [ptr], ty)
    }

    /// Store.
    pub fn store(&mut self, ptr: Value, value: Value, flags: MemFlags) -> Inst {
        self.inst(Op::Store(flags), [ptr, value], None)
    }

    /// Atomic operation; `ty` is the type of the memory word.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        ty: Type,
        ptr: Value,
        operands: &[Value],
        flags: MemFlags,
    ) -> Value {
        let args = std::iter::once(ptr).chain(operands.iter().copied());
        self.value(Op::Atomic(op, flags), args, ty)
    }

    /// Work-group barrier.
    pub fn barrier(&mut self, fence: FenceFlags) -> Inst {
        self.inst(Op::Barrier(fence), [], None)
    }

    /// Ends the block.
    pub fn terminate(&mut self, term: Terminator) {
        let data = &mut self.func.blocks[self.block];
        data.term = term;
        data.term_loc = self.loc;
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, block: Block, args: impl IntoIterator<Item = Value>) {
        self.terminate(Terminator::Jump(BlockCall::new(block, args)));
    }

    /// Ends the block with a two-way branch without arguments.
    pub fn branch(&mut self, cond: Value, then_: Block, else_: Block) {
        self.terminate(Terminator::Branch {
            cond,
            then_: BlockCall::new(then_, []),
            else_: BlockCall::new(else_, []),
        });
    }

    /// Ends the block with a return.
    pub fn ret(&mut self, value: Option<Value>) {
        self.terminate(Terminator::Return(value));
    }

    /// Space of the pointer `ptr`.
    pub fn space_of(&self, ptr: Value) -> Option<Space> {
        self.func.ty(ptr).space()
    }
}

/// The low `width` bits of `bits`.
pub fn mask(bits: u128, width: u32) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}

/// Two's complement value of the low `width` bits (1..=128).
pub fn sign_extend(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    ((bits << shift) as i128) >> shift
}
