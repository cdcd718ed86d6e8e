//! Integer functions, `select`, `bitselect`, `shuffle`.

use super::Table;
use crate::decode::Inst;
use crate::errors::R;
use crate::lower::Lower;
use ir::builder::mask;
use ir::{IntCC, Op, Type, Value};
use rspirv::spirv::OpenclStd100Op as Std;

pub(super) const TABLE: Table = &[
    (Std::s_abs, |l, i| l.ext_abs(i)),
    (Std::u_abs, |l, i| {
        let [a] = l.ints(i, 0)?;
        l.set(i, a)
    }),
    (Std::s_abs_diff, |l, i| l.ext_abs_diff(i, true)),
    (Std::u_abs_diff, |l, i| l.ext_abs_diff(i, false)),
    (Std::s_add_sat, |l, i| l.ext_saturating(i, Op::Add, true)),
    (Std::u_add_sat, |l, i| l.ext_saturating(i, Op::Add, false)),
    (Std::s_sub_sat, |l, i| l.ext_saturating(i, Op::Sub, true)),
    (Std::u_sub_sat, |l, i| l.ext_saturating(i, Op::Sub, false)),
    (Std::s_hadd, |l, i| l.ext_half_add(i, true, false)),
    (Std::u_hadd, |l, i| l.ext_half_add(i, false, false)),
    (Std::s_rhadd, |l, i| l.ext_half_add(i, true, true)),
    (Std::u_rhadd, |l, i| l.ext_half_add(i, false, true)),
    (Std::s_clamp, |l, i| l.ext_clamp(i, IntCC::Sgt, IntCC::Slt)),
    (Std::u_clamp, |l, i| l.ext_clamp(i, IntCC::Ugt, IntCC::Ult)),
    (Std::s_max, |l, i| l.ext_pick(i, IntCC::Sgt)),
    (Std::u_max, |l, i| l.ext_pick(i, IntCC::Ugt)),
    (Std::s_min, |l, i| l.ext_pick(i, IntCC::Slt)),
    (Std::u_min, |l, i| l.ext_pick(i, IntCC::Ult)),
    (Std::clz, |l, i| {
        let [a] = l.ints(i, 0)?;
        let v = l.b.unary(Op::Clz, a);
        l.set(i, v)
    }),
    (Std::ctz, |l, i| l.ext_ctz(i)),
    (Std::popcount, |l, i| {
        let [a] = l.ints(i, 0)?;
        let v = l.b.unary(Op::Popcount, a);
        l.set(i, v)
    }),
    (Std::rotate, |l, i| l.ext_rotate(i)),
    (Std::s_mul_hi, |l, i| l.ext_mul_hi(i, true)),
    (Std::u_mul_hi, |l, i| l.ext_mul_hi(i, false)),
    (Std::s_mad_hi, |l, i| l.ext_mad_hi(i, true)),
    (Std::u_mad_hi, |l, i| l.ext_mad_hi(i, false)),
    (Std::s_mad_sat, |l, i| l.ext_mad_sat(i, true)),
    (Std::u_mad_sat, |l, i| l.ext_mad_sat(i, false)),
    (Std::s_mul24, |l, i| l.ext_mul24(i, true, false)),
    (Std::u_mul24, |l, i| l.ext_mul24(i, false, false)),
    (Std::s_mad24, |l, i| l.ext_mul24(i, true, true)),
    (Std::u_mad24, |l, i| l.ext_mul24(i, false, true)),
    (Std::s_upsample, |l, i| l.ext_upsample(i, true)),
    (Std::u_upsample, |l, i| l.ext_upsample(i, false)),
    (Std::select, |l, i| l.ext_select(i)),
    (Std::bitselect, |l, i| l.ext_bitselect(i)),
    (Std::shuffle, |l, i| l.ext_shuffle(i, 1)),
    (Std::shuffle2, |l, i| l.ext_shuffle(i, 2)),
];

impl<'a> Lower<'a, '_, '_> {
    fn ext_abs(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a] = self.ints(inst, 0)?;
        let (negative, opposite) = (self.is_negative(a), self.neg(a));
        let v = self.b.select(negative, opposite, a);
        self.set(inst, v)
    }

    fn ext_abs_diff(&mut self, inst: &Inst<'a>, signed: bool) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let more = self.b.icmp(if signed { IntCC::Sgt } else { IntCC::Ugt }, a, b);
        let (ab, ba) = (self.b.binary(Op::Sub, a, b), self.b.binary(Op::Sub, b, a));
        let v = self.b.select(more, ab, ba);
        self.set(inst, v)
    }

    fn ext_saturating(&mut self, inst: &Inst<'a>, op: Op, signed: bool) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let w = self.width(a);
        let result = self.b.binary(op, a, b);
        let (overflow, limit) = if signed {
            // Overflow: the result's sign differs from a's, and b's sign allows that.
            let changed = self.b.binary(Op::Xor, a, result);
            let signs = self.b.binary(
                Op::Xor,
                if op == Op::Add { b } else { a },
                if op == Op::Add { result } else { b },
            );
            let both = self.b.binary(Op::And, changed, signs);
            let overflow = self.is_negative(both);
            let top = self.like(a, u128::from(w - 1));
            let sign = self.b.binary(Op::AShr, a, top);
            let max = self.like(a, mask(u128::MAX, w - 1));
            (overflow, self.b.binary(Op::Xor, sign, max))
        } else if op == Op::Add {
            (self.b.icmp(IntCC::Ult, result, a), self.like(a, u128::MAX))
        } else {
            (self.b.icmp(IntCC::Ult, a, b), self.like(a, 0))
        };
        let v = self.b.select(overflow, limit, result);
        self.set(inst, v)
    }

    /// (a + b) / 2 without overflow, rounded down or up.
    fn ext_half_add(&mut self, inst: &Inst<'a>, signed: bool, up: bool) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let common = self.b.binary(if up { Op::Or } else { Op::And }, a, b);
        let differ = self.b.binary(Op::Xor, a, b);
        let one = self.like(a, 1);
        let half = self.b.binary(if signed { Op::AShr } else { Op::LShr }, differ, one);
        let v = self.b.binary(if up { Op::Sub } else { Op::Add }, common, half);
        self.set(inst, v)
    }

    fn ext_clamp(&mut self, inst: &Inst<'a>, max: IntCC, min: IntCC) -> R<()> {
        let [x, low, high] = self.ints(inst, 0)?;
        let v = self.pick(max, x, low);
        let v = self.pick(min, v, high);
        self.set(inst, v)
    }

    fn ext_pick(&mut self, inst: &Inst<'a>, cc: IntCC) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let v = self.pick(cc, a, b);
        self.set(inst, v)
    }

    /// Trailing zeros: the ones below the lowest one.
    fn ext_ctz(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a] = self.ints(inst, 0)?;
        let one = self.like(a, 1);
        let less = self.b.binary(Op::Sub, a, one);
        let not = self.b.unary(Op::Not, a);
        let below = self.b.binary(Op::And, less, not);
        let v = self.b.unary(Op::Popcount, below);
        self.set(inst, v)
    }

    /// Rotation to the left by the amount modulo the width.
    fn ext_rotate(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a, n] = self.ints(inst, 0)?;
        let w = self.width(a);
        self.check(w.is_power_of_two(), inst, "its width is not a power of two")?;
        let low = self.like(n, u128::from(w - 1));
        let n = self.b.binary(Op::And, n, low);
        let width = self.like(n, w.into());
        let rest = self.b.binary(Op::Sub, width, n);
        // A shift by the whole width gives 0, as the IR defines it.
        let (left, right) = (self.b.binary(Op::Shl, a, n), self.b.binary(Op::LShr, a, rest));
        let v = self.b.binary(Op::Or, left, right);
        self.set(inst, v)
    }

    fn ext_mul_hi(&mut self, inst: &Inst<'a>, signed: bool) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let v = self.mul_high(inst, a, b, signed)?;
        self.set(inst, v)
    }

    fn ext_mad_hi(&mut self, inst: &Inst<'a>, signed: bool) -> R<()> {
        let [a, b, c] = self.ints(inst, 0)?;
        let high = self.mul_high(inst, a, b, signed)?;
        let v = self.b.binary(Op::Add, high, c);
        self.set(inst, v)
    }

    /// Exact in twice the width (a*b + c fits there), then limited.
    fn ext_mad_sat(&mut self, inst: &Inst<'a>, signed: bool) -> R<()> {
        let [a, b, c] = self.ints(inst, 0)?;
        let w = self.width(a);
        let product = self.wide_product(inst, a, b, signed)?;
        let c = self.widened(c, 2 * w, signed);
        let sum = self.b.binary(Op::Add, product, c);
        let v = if signed {
            self.saturate(sum, w, true)
        } else {
            let max = self.like(sum, mask(u128::MAX, w));
            let low = self.pick(IntCC::Ult, sum, max);
            self.b.zext_or_trunc(low, w)
        };
        self.set(inst, v)
    }

    /// Operands are 24-bit numbers in 32 bits: only those bits are multiplied.
    fn ext_mul24(&mut self, inst: &Inst<'a>, signed: bool, add: bool) -> R<()> {
        let [a, b] = self.ints(inst, 0)?;
        let ty = self.ty(a);
        self.check(ty.lane() == Type::I32, inst, "its operands do not have 32 bits")?;
        let narrow = |l: &mut Self, v: Value| {
            let v = l.b.value(Op::Slice { lo: 0 }, [v], Type::int(24).with_lanes(ty.lanes));
            l.widened(v, 32, signed)
        };
        let (a, b) = (narrow(self, a), narrow(self, b));
        let mut v = self.b.binary(Op::Mul, a, b);
        if add {
            let c = self.operand(inst, 2)?;
            self.check(self.ty(c) == ty, inst, "its operands are not of one type")?;
            v = self.b.binary(Op::Add, v, c);
        }
        self.set(inst, v)
    }

    /// `upsample(hi, lo)`: hi above lo in twice the width.
    fn ext_upsample(&mut self, inst: &Inst<'a>, signed: bool) -> R<()> {
        let (hi, lo) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ty = self.result_type(inst)?;
        let w = self.width(hi);
        let ok = self.ty(hi) == self.ty(lo) && ty == Type::int(2 * w).with_lanes(self.ty(hi).lanes);
        self.check(
            ok && self.ty(hi).is_int() && w <= 64,
            inst,
            "its operands do not have half the width of its result",
        )?;
        let hi = self.widened(hi, 2 * w, signed);
        let n = self.like(hi, w.into());
        let hi = self.b.binary(Op::Shl, hi, n);
        let lo = self.b.zext_or_trunc(lo, 2 * w);
        let v = self.b.binary(Op::Or, hi, lo);
        self.set(inst, v)
    }

    /// `select(a, b, c)`: scalars by c != 0, vectors by the top bit of c's lanes.
    fn ext_select(&mut self, inst: &Inst<'a>) -> R<()> {
        let ty = self.result_type(inst)?;
        let [a, b] = self.operands(inst, 0, ty)?;
        let c = self.operand(inst, 2)?;
        let cond = self.ty(c);
        self.check(
            cond.is_int() && cond.lanes == ty.lanes,
            inst,
            "its condition is not an integer like its operands",
        )?;
        let c = match ty.is_vector() {
            true => self.is_negative(c),
            false => {
                let zero = self.like(c, 0);
                self.b.icmp(IntCC::Ne, c, zero)
            }
        };
        let v = self.b.select(c, b, a);
        self.set(inst, v)
    }

    /// `bitselect(a, b, c)`: bits of b where c has ones, else of a.
    fn ext_bitselect(&mut self, inst: &Inst<'a>) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.space().is_none(), inst, "its operands are pointers")?;
        let [a, b, c] = self.operands(inst, 0, ty)?;
        let int = Type::int(ty.lane_bits(0)).with_lanes(ty.lanes);
        let [a, b, c] = [a, b, c].map(|v| self.bits_as(v, int));
        // ((a ^ b) & c) ^ a
        let differ = self.b.binary(Op::Xor, a, b);
        let chosen = self.b.binary(Op::And, differ, c);
        let v = self.b.binary(Op::Xor, chosen, a);
        let v = self.bits_as(v, ty);
        self.set(inst, v)
    }

    /// `shuffle(x, mask)` and `shuffle2(x, y, mask)`: as many low bits of the mask as matter.
    fn ext_shuffle(&mut self, inst: &Inst<'a>, sources: usize) -> R<()> {
        let ty = self.result_type(inst)?;
        let x = self.operand(inst, 0)?;
        let y = self.operand(inst, sources - 1)?;
        let pick = self.operand(inst, sources)?;
        let (from, picks) = (self.ty(x), self.ty(pick));
        let ok = from.is_vector()
            && from == self.ty(y)
            && from.lane() == ty.lane()
            && picks.is_int()
            && picks.lanes == ty.lanes
            && from.lanes.is_power_of_two();
        self.check(ok, inst, "its operands do not fit its result type")?;
        let mut lanes = crate::lower::Leaves::new();
        let n = u128::from(from.lanes);
        for k in 0..ty.lanes {
            let index = self.lane(pick, k);
            let low = self.like(index, n - 1);
            let within = self.b.binary(Op::And, index, low);
            let mut v = self.b.value(Op::VecExtractDyn, [x, within], from.lane());
            if sources == 2 {
                let other = self.b.value(Op::VecExtractDyn, [y, within], from.lane());
                let bit = self.like(index, n);
                let second = self.b.binary(Op::And, index, bit);
                let zero = self.like(index, 0);
                let second = self.b.icmp(IntCC::Ne, second, zero);
                v = self.b.select(second, other, v);
            }
            lanes.push(v);
        }
        let v = self.join_lanes(lanes, ty);
        self.set(inst, v)
    }
}
