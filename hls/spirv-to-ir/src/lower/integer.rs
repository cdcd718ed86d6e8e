//! Integer and logical instructions.

use super::{Leaves, Lower};
use crate::decode::Inst;
use crate::errors::R;
use base::smallvec;
use ir::builder::mask;
use ir::{IntCC, Op, Type, Value};

impl Lower<'_, '_, '_> {
    /// The width of an integer's lanes in bits.
    pub fn width(&self, v: Value) -> u32 {
        self.ty(v).lane_bits(self.spv.types.addr_bits)
    }

    /// All operands as integers of the result's type.
    pub fn ints<const N: usize>(&mut self, inst: &Inst, first: usize) -> R<[Value; N]> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int(), inst, "its result is not an integer")?;
        self.operands(inst, first, ty)
    }

    /// `N` operands of type `ty`.
    pub fn operands<const N: usize>(
        &mut self,
        inst: &Inst,
        first: usize,
        ty: Type,
    ) -> R<[Value; N]> {
        let mut out = [Value::from_u32(0); N];
        for (k, slot) in out.iter_mut().enumerate() {
            *slot = self.operand(inst, first + k)?;
            let got = self.ty(*slot);
            self.check(got == ty, inst, &format!("operand {} is {got}, not {ty}", first + k + 1))?;
        }
        Ok(out)
    }

    /// An operation with two operands of the result's type.
    pub(super) fn int_binary(&mut self, inst: &Inst, op: Op) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let v = self.b.binary(op, a, b);
        self.set(inst, v)
    }

    /// An operation with one operand of the result's type.
    pub(super) fn int_unary(&mut self, inst: &Inst, op: Op) -> R<()> {
        let [a] = self.ints(inst, 0)?;
        let v = self.b.unary(op, a);
        self.set(inst, v)
    }

    /// Shifts: the amount may have another width. SPIR-V leaves amounts of the width and more
    /// undefined.
    pub(super) fn shift(&mut self, inst: &Inst, op: Op) -> R<()> {
        let [a] = self.ints(inst, 0)?;
        let n = self.operand(inst, 1)?;
        let ok = self.ty(n).is_int() && self.ty(n).lanes == self.ty(a).lanes;
        self.check(ok, inst, "its amount is not an integer like its base")?;
        let n = self.b.zext_or_trunc(n, self.width(a));
        let v = self.b.binary(op, a, n);
        self.set(inst, v)
    }

    /// A comparison of integers, or of pointers.
    pub(super) fn int_compare(&mut self, inst: &Inst, cc: IntCC) -> R<()> {
        let (mut a, mut b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        // clang-22 asks in this way whether an atomic float was exchanged, which is a question about bits
        if matches!(cc, IntCC::Eq | IntCC::Ne) && self.ty(a).is_float() && self.ty(a) == self.ty(b)
        {
            let bits = Type::int(self.ty(a).lane_bits(self.b.func.addr_bits));
            let bits = bits.with_lanes(self.ty(a).lanes);
            (a, b) = (self.bits_as(a, bits), self.bits_as(b, bits));
        }
        let ok = self.ty(a) == self.ty(b) && !self.ty(a).is_float();
        self.check(ok, inst, "its operands are not integers of one type")?;
        let v = self.b.icmp(cc, a, b);
        self.set(inst, v)
    }

    /// An operation on conditions.
    pub(super) fn logical(&mut self, inst: &Inst, op: Op) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).lane() == Type::BOOL;
        self.check(ok, inst, "its operands are not booleans of one type")?;
        let v = self.b.binary(op, a, b);
        self.set(inst, v)
    }

    /// `OpLogicalEqual`
    pub(super) fn logical_equal(&mut self, inst: &Inst) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).lane() == Type::BOOL;
        self.check(ok, inst, "its operands are not booleans of one type")?;
        let v = self.b.icmp(IntCC::Eq, a, b);
        self.set(inst, v)
    }

    /// `OpAny`, `OpAll`: lanes reduced with `op`. Of a scalar, which clang-22 emits, itself; of
    /// integers, which it emits too, the top bits count, as in OpenCL C.
    pub(super) fn reduce(&mut self, inst: &Inst, op: Op) -> R<()> {
        let v = self.operand(inst, 0)?;
        self.check(self.ty(v).is_int(), inst, "its operand is not boolean")?;
        let v = if self.ty(v).lane() == Type::BOOL { v } else { self.is_negative(v) };
        let lanes = self.lanes_of(v);
        let v = self.tree(op, &lanes);
        self.set(inst, v)
    }

    /// Lanes combined pairwise by an associative operation.
    pub fn tree(&mut self, op: Op, lanes: &[Value]) -> Value {
        let mut level = Leaves::from_slice(lanes);
        while level.len() > 1 {
            let pairs = level.chunks(2).map(|p| match p {
                [a, b] => self.b.binary(op, *a, *b),
                rest => rest[0],
            });
            level = pairs.collect();
        }
        level[0]
    }

    /// A constant of a value's type.
    pub fn like(&mut self, v: Value, bits: u128) -> Value {
        let ty = self.ty(v);
        self.b.constant(ty, bits)
    }

    /// `OpSNegate`
    pub(super) fn negate(&mut self, inst: &Inst) -> R<()> {
        let [a] = self.ints(inst, 0)?;
        let v = self.neg(a);
        self.set(inst, v)
    }

    /// 0 - a.
    pub fn neg(&mut self, a: Value) -> Value {
        let zero = self.like(a, 0);
        self.b.binary(Op::Sub, zero, a)
    }

    /// Whether lanes are negative.
    pub fn is_negative(&mut self, a: Value) -> Value {
        let zero = self.like(a, 0);
        self.b.icmp(IntCC::Slt, a, zero)
    }

    /// `OpSMod`: remainder with the sign of the divisor.
    pub(super) fn s_mod(&mut self, inst: &Inst) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let r = self.b.binary(Op::SRem, a, b);
        let differs = self.b.binary(Op::Xor, r, b);
        let differs = self.is_negative(differs);
        let zero = self.like(r, 0);
        let nonzero = self.b.icmp(IntCC::Ne, r, zero);
        let adjust = self.b.binary(Op::And, differs, nonzero);
        let moved = self.b.binary(Op::Add, r, b);
        let v = self.b.select(adjust, moved, r);
        self.set(inst, v)
    }

    /// `OpIAddCarry`, `OpISubBorrow`: a structure of the result and the carry or borrow.
    pub(super) fn carry(&mut self, inst: &Inst, subtract: bool) -> R<()> {
        let (a, b) = self.int_pair(inst)?;
        let (value, flag) = match subtract {
            true => (self.b.binary(Op::Sub, a, b), self.b.icmp(IntCC::Ult, a, b)),
            false => {
                let sum = self.b.binary(Op::Add, a, b);
                (sum, self.b.icmp(IntCC::Ult, sum, a))
            }
        };
        let flag = self.b.zext_or_trunc(flag, self.width(a));
        self.set_all(inst, smallvec![value, flag])
    }

    fn int_pair(&mut self, inst: &Inst) -> R<(Value, Value)> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).is_int();
        self.check(ok, inst, "its operands are not integers of one type")?;
        Ok((a, b))
    }

    /// `OpUMulExtended`, `OpSMulExtended`: a structure of the low and the high half.
    pub(super) fn mul_extended(&mut self, inst: &Inst, signed: bool) -> R<()> {
        let (a, b) = self.int_pair(inst)?;
        let product = self.wide_product(inst, a, b, signed)?;
        let ty = self.ty(a);
        let low = self.b.value(Op::Slice { lo: 0 }, [product], ty);
        let high = self.b.value(Op::Slice { lo: self.width(a) as u8 }, [product], ty);
        self.set_all(inst, smallvec![low, high])
    }

    /// The product in twice the width.
    pub fn wide_product(&mut self, inst: &Inst, a: Value, b: Value, signed: bool) -> R<Value> {
        let w = self.width(a);
        self.check(w <= 64, inst, "products of more than 128 bits are not supported")?;
        let a = self.widened(a, 2 * w, signed);
        let b = self.widened(b, 2 * w, signed);
        Ok(self.b.binary(Op::Mul, a, b))
    }

    /// Sign or zero extension (or truncation) to a width.
    pub fn widened(&mut self, v: Value, w: u32, signed: bool) -> Value {
        if signed { self.b.sext_or_trunc(v, w) } else { self.b.zext_or_trunc(v, w) }
    }

    /// The high half of the product.
    pub fn mul_high(&mut self, inst: &Inst, a: Value, b: Value, signed: bool) -> R<Value> {
        let product = self.wide_product(inst, a, b, signed)?;
        let (ty, w) = (self.ty(a), self.width(a));
        Ok(self.b.value(Op::Slice { lo: w as u8 }, [product], ty))
    }

    /// The smaller or larger of two integers, by the comparison with which `a` wins.
    pub fn pick(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let c = self.b.icmp(cc, a, b);
        self.b.select(c, a, b)
    }

    /// `OpBitCount`: the result may have another width.
    pub(super) fn bit_count(&mut self, inst: &Inst) -> R<()> {
        let a = self.operand(inst, 0)?;
        let result = self.result_type(inst)?;
        let ok = self.ty(a).is_int() && result.is_int() && self.ty(a).lanes == result.lanes;
        self.check(ok, inst, "it does not count bits of an integer")?;
        let n = self.b.unary(Op::Popcount, a);
        let v = self.b.zext_or_trunc(n, result.lane_bits(0));
        self.set(inst, v)
    }

    /// Offset and count of a bit field, as integers like the base.
    fn field(&mut self, inst: &Inst, base: Value, first: usize) -> R<(Value, Value)> {
        let mut out = [base; 2];
        for (k, slot) in out.iter_mut().enumerate() {
            let v = self.operand(inst, first + k)?;
            self.check(self.is_int_scalar(v), inst, "a field's offset or count is not an integer")?;
            let v = self.b.zext_or_trunc(v, self.width(base));
            let ty = self.ty(base);
            *slot = match ty.is_vector() {
                true => self.b.value(Op::VecBuild, vec![v; ty.lanes.into()], ty),
                false => v,
            };
        }
        Ok((out[0], out[1]))
    }

    /// `count` ones; a count of the width and more gives all ones.
    fn ones(&mut self, count: Value) -> Value {
        let one = self.like(count, 1);
        let power = self.b.binary(Op::Shl, one, count);
        self.b.binary(Op::Sub, power, one)
    }

    /// `OpBitFieldInsert`
    pub(super) fn field_insert(&mut self, inst: &Inst) -> R<()> {
        let [base, insert] = self.ints(inst, 0)?;
        let (offset, count) = self.field(inst, base, 2)?;
        let ones = self.ones(count);
        let mask = self.b.binary(Op::Shl, ones, offset);
        let keep = self.b.unary(Op::Not, mask);
        let kept = self.b.binary(Op::And, base, keep);
        let moved = self.b.binary(Op::Shl, insert, offset);
        let moved = self.b.binary(Op::And, moved, mask);
        let v = self.b.binary(Op::Or, kept, moved);
        self.set(inst, v)
    }

    /// `OpBitFieldSExtract`, `OpBitFieldUExtract`
    pub(super) fn field_extract(&mut self, inst: &Inst, signed: bool) -> R<()> {
        let [base] = self.ints(inst, 0)?;
        let (offset, count) = self.field(inst, base, 1)?;
        let down = self.b.binary(Op::LShr, base, offset);
        let ones = self.ones(count);
        let mut v = self.b.binary(Op::And, down, ones);
        if signed {
            // Flipping the sign bit of the field and subtracting it extends the sign.
            let one = self.like(count, 1);
            let top = self.b.binary(Op::LShr, ones, one);
            let sign = self.b.binary(Op::Xor, ones, top);
            let flipped = self.b.binary(Op::Xor, v, sign);
            v = self.b.binary(Op::Sub, flipped, sign);
        }
        self.set(inst, v)
    }

    /// Dot products of integer vectors (SPV_KHR_integer_dot_product), packed ones too.
    pub(super) fn int_dot(&mut self, inst: &Inst, signs: (bool, bool), accumulate: bool) -> R<()> {
        let (a, b) = self.int_pair(inst)?;
        let result = self.result_type(inst)?;
        self.check(result.is_int() && !result.is_vector(), inst, "its result is not an integer")?;
        let w = result.lane_bits(0);
        // A scalar of 32 bits holds four packed bytes.
        let split = |l: &mut Self, v: Value| -> Leaves {
            if l.ty(v).is_vector() {
                return l.lanes_of(v);
            }
            (0..4).map(|k| l.b.value(Op::Slice { lo: 8 * k }, [v], Type::I8)).collect()
        };
        self.check(
            self.ty(a).is_vector() || self.width(a) == 32,
            inst,
            "its operands are not vectors",
        )?;
        let (a, b) = (split(self, a), split(self, b));
        // Exact in a wider sum: lanes of at most w bits give at most 2w + 4 bits.
        let wide = if accumulate { (2 * w + 8).min(128) } else { w };
        let mut terms = Leaves::new();
        for (&x, &y) in a.iter().zip(&b) {
            let x = self.widened(x, wide, signs.0);
            let y = self.widened(y, wide, signs.1);
            terms.push(self.b.binary(Op::Mul, x, y));
        }
        let mut sum = self.tree(Op::Add, &terms);
        if accumulate {
            let signed = signs.0 || signs.1;
            let accumulator = self.operand(inst, 2)?;
            self.check(
                self.ty(accumulator) == result,
                inst,
                "its accumulator is not of its result type",
            )?;
            let accumulator = self.widened(accumulator, wide, signed);
            sum = self.b.binary(Op::Add, sum, accumulator);
            sum = self.saturate(sum, w, signed);
        }
        self.set(inst, sum)
    }

    /// Clamps to the range of a narrower width and truncates to it. A signed source may go to
    /// either range; an unsigned one is given zero-extended by at least a bit.
    pub fn saturate(&mut self, v: Value, w: u32, signed: bool) -> Value {
        let from = self.width(v);
        let (min, max) = match signed {
            true => (mask(u128::MAX << (w - 1), from), (1u128 << (w - 1)) - 1),
            false => (0, mask(u128::MAX, w)),
        };
        let (min, max) = (self.like(v, min), self.like(v, max));
        let v = self.pick(IntCC::Sgt, v, min);
        let v = self.pick(IntCC::Slt, v, max);
        self.b.zext_or_trunc(v, w)
    }
}
