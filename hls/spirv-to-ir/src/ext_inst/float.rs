//! Floating-point functions that reduce to a few operations.

use super::Table;
use crate::decode::Inst;
use crate::errors::R;
use crate::lower::Lower;
use ir::{FastMath, FloatCC, FloatKind, IntCC, MathFn, Op, Rounding, Value};
use rspirv::spirv::OpenclStd100Op as Std;

pub(super) const TABLE: Table = &[
    (Std::fma, |l, i| l.ext_fma(i)),
    (Std::mad, |l, i| l.ext_mad(i)),
    (Std::fabs, |l, i| l.ext_unary(i, Op::FAbs)),
    (Std::sqrt, |l, i| l.ext_sqrt(i)),
    (Std::rsqrt, |l, i| l.ext_rsqrt(i)),
    (Std::fmin, |l, i| l.ext_binary(i, Op::FMin)),
    (Std::fmax, |l, i| l.ext_binary(i, Op::FMax)),
    (Std::fmin_common, |l, i| l.ext_binary(i, Op::FMin)),
    (Std::fmax_common, |l, i| l.ext_binary(i, Op::FMax)),
    (Std::fmod, |l, i| l.ext_binary(i, Op::FRem)),
    (Std::copysign, |l, i| l.ext_binary(i, Op::FCopysign)),
    (Std::fclamp, |l, i| l.ext_fclamp(i)),
    (Std::ceil, |l, i| l.ext_unary(i, Op::FRound(Rounding::Rtp))),
    (Std::floor, |l, i| l.ext_unary(i, Op::FRound(Rounding::Rtn))),
    (Std::trunc, |l, i| l.ext_unary(i, Op::FRound(Rounding::Rtz))),
    (Std::round, |l, i| l.ext_unary(i, Op::FRound(Rounding::Rhaz))),
    (Std::rint, |l, i| l.ext_unary(i, Op::FRound(Rounding::Rte))),
    (Std::sign, |l, i| l.ext_sign(i)),
    (Std::step, |l, i| l.ext_step(i)),
    (Std::smoothstep, |l, i| l.ext_smoothstep(i)),
    (Std::mix, |l, i| l.ext_mix(i)),
    (Std::degrees, |l, i| l.ext_scale(i, 180.0 / std::f64::consts::PI)),
    (Std::radians, |l, i| l.ext_scale(i, std::f64::consts::PI / 180.0)),
    (Std::fdim, |l, i| l.ext_fdim(i)),
    (Std::maxmag, |l, i| l.ext_by_magnitude(i, FloatCC::GT, Op::FMax)),
    (Std::minmag, |l, i| l.ext_by_magnitude(i, FloatCC::LT, Op::FMin)),
    (Std::nan, |l, i| l.ext_nan(i)),
    (Std::nextafter, |l, i| l.ext_nextafter(i)),
];

impl<'a> Lower<'a, '_, '_> {
    fn ext_unary(&mut self, inst: &Inst<'a>, op: Op) -> R<()> {
        let [a] = self.floats(inst, 0)?;
        let v = self.b.unary(op, a);
        self.set(inst, v)
    }

    fn ext_binary(&mut self, inst: &Inst<'a>, op: Op) -> R<()> {
        let [a, b] = self.floats(inst, 0)?;
        let v = self.b.binary(op, a, b);
        self.set(inst, v)
    }

    fn ext_fma(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a, b, c] = self.floats(inst, 0)?;
        let ty = self.ty(a);
        let v = self.b.value(Op::Fma, [a, b, c], ty);
        self.set(inst, v)
    }

    /// OpenCL lets `mad` round once or twice: two operations that may be contracted.
    fn ext_mad(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a, b, c] = self.floats(inst, 0)?;
        self.b.fast_math.0 |= FastMath::CONTRACT;
        let product = self.b.binary(Op::FMul, a, b);
        let v = self.b.binary(Op::FAdd, product, c);
        self.set(inst, v)
    }

    fn ext_sqrt(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a] = self.floats(inst, 0)?;
        let relaxed = self.is_relaxed(self.ty(a));
        let v = self.b.unary(if relaxed { Op::Math(MathFn::NativeSqrt) } else { Op::FSqrt }, a);
        self.set(inst, v)
    }

    fn ext_rsqrt(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a] = self.floats(inst, 0)?;
        let v = self.reciprocal_root(a);
        self.set(inst, v)
    }

    /// 1 / sqrt(x), where there is no operator for it with two roundings: within the 2 ulp that
    /// OpenCL allows.
    pub(super) fn reciprocal_root(&mut self, a: Value) -> Value {
        if self.is_relaxed(self.ty(a)) {
            return self.b.unary(Op::Math(MathFn::NativeRsqrt), a);
        }
        if matches!(self.ty(a).float_kind(), Some(FloatKind::F32 | FloatKind::F16)) {
            return self.b.unary(Op::Math(MathFn::Rsqrt), a);
        }
        let root = self.b.unary(Op::FSqrt, a);
        let one = self.float_like(a, 1.0);
        self.b.binary(Op::FDiv, one, root)
    }

    fn ext_fclamp(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x, low, high] = self.floats(inst, 0)?;
        let v = self.b.binary(Op::FMax, x, low);
        let v = self.b.binary(Op::FMin, v, high);
        self.set(inst, v)
    }

    /// 1 or -1 by the sign, a zero as it is, 0 for NaN.
    fn ext_sign(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x] = self.floats(inst, 0)?;
        let one = self.float_like(x, 1.0);
        let unit = self.b.binary(Op::FCopysign, one, x);
        let magnitude = self.magnitude(x);
        let zero = self.like(magnitude, 0);
        let is_zero = self.b.icmp(IntCC::Eq, magnitude, zero);
        let v = self.b.select(is_zero, x, unit);
        let nan = self.is_nan(x);
        let plus_zero = self.float_like(x, 0.0);
        let v = self.b.select(nan, plus_zero, v);
        self.set(inst, v)
    }

    /// `step(edge, x)`: 0 where x < edge, else 1.
    fn ext_step(&mut self, inst: &Inst<'a>) -> R<()> {
        let [edge, x] = self.floats(inst, 0)?;
        let below = self.fcmp(FloatCC::LT, x, edge);
        let (zero, one) = (self.float_like(x, 0.0), self.float_like(x, 1.0));
        let v = self.b.select(below, zero, one);
        self.set(inst, v)
    }

    fn ext_smoothstep(&mut self, inst: &Inst<'a>) -> R<()> {
        let [from, to, x] = self.floats(inst, 0)?;
        let (distance, range) =
            (self.b.binary(Op::FSub, x, from), self.b.binary(Op::FSub, to, from));
        let t = self.b.binary(Op::FDiv, distance, range);
        let (zero, one) = (self.float_like(x, 0.0), self.float_like(x, 1.0));
        let t = self.b.binary(Op::FMax, t, zero);
        let t = self.b.binary(Op::FMin, t, one);
        let (two, three) = (self.float_like(x, 2.0), self.float_like(x, 3.0));
        let double = self.b.binary(Op::FMul, two, t);
        let rest = self.b.binary(Op::FSub, three, double);
        let square = self.b.binary(Op::FMul, t, t);
        let v = self.b.binary(Op::FMul, square, rest);
        self.set(inst, v)
    }

    /// `mix(x, y, a)`: x + (y - x) * a.
    fn ext_mix(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x, y, a] = self.floats(inst, 0)?;
        let range = self.b.binary(Op::FSub, y, x);
        let part = self.b.binary(Op::FMul, range, a);
        let v = self.b.binary(Op::FAdd, x, part);
        self.set(inst, v)
    }

    fn ext_scale(&mut self, inst: &Inst<'a>, factor: f64) -> R<()> {
        let [x] = self.floats(inst, 0)?;
        let factor = self.float_like(x, factor);
        let v = self.b.binary(Op::FMul, x, factor);
        self.set(inst, v)
    }

    /// x - y where that is positive, else +0; NaN stays.
    fn ext_fdim(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x, y] = self.floats(inst, 0)?;
        let difference = self.b.binary(Op::FSub, x, y);
        let none = self.fcmp(FloatCC::LT.or(FloatCC::EQ), x, y);
        let zero = self.float_like(x, 0.0);
        let v = self.b.select(none, zero, difference);
        self.set(inst, v)
    }

    /// The operand of larger (smaller) magnitude, `otherwise` of both when that is equal.
    fn ext_by_magnitude(&mut self, inst: &Inst<'a>, wins: FloatCC, otherwise: Op) -> R<()> {
        let [x, y] = self.floats(inst, 0)?;
        let (ax, ay) = (self.b.unary(Op::FAbs, x), self.b.unary(Op::FAbs, y));
        let (first, second) = (self.fcmp(wins, ax, ay), self.fcmp(wins, ay, ax));
        let v = self.b.binary(otherwise, x, y);
        let v = self.b.select(second, y, v);
        let v = self.b.select(first, x, v);
        self.set(inst, v)
    }

    /// A quiet NaN with the given code in its fraction.
    fn ext_nan(&mut self, inst: &Inst<'a>) -> R<()> {
        let ty = self.result_type(inst)?;
        let code = self.operand(inst, 0)?;
        let ok = ty.is_float()
            && self.ty(code).is_int()
            && self.ty(code).bits(0) == ty.bits(0)
            && self.ty(code).lanes == ty.lanes;
        self.check(ok, inst, "its operand is not an integer like its result")?;
        let kind = ty.float_kind().unwrap_or(ir::FloatKind::F32);
        let infinity = crate::lower::infinity(kind);
        let quiet = infinity | infinity >> 1 & !infinity;
        let low = self.like(code, (quiet & !infinity) - 1);
        let code = self.b.binary(Op::And, code, low);
        let quiet = self.like(code, quiet);
        let bits = self.b.binary(Op::Or, code, quiet);
        let v = self.bits_as(bits, ty);
        self.set(inst, v)
    }

    /// The next float after x towards y: one step of the bits seen as an ordered integer.
    fn ext_nextafter(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x, y] = self.floats(inst, 0)?;
        let ty = self.ty(x);
        let (bits, one) = (self.float_bits(x), 1);
        let one = self.like(bits, one);
        let up = self.fcmp(FloatCC::LT, x, y);
        let negative = self.is_negative(bits);
        // Away from zero: up for positive, down for negative numbers.
        let grows = self.b.binary(Op::Xor, up, negative);
        let (more, less) = (self.b.binary(Op::Add, bits, one), self.b.binary(Op::Sub, bits, one));
        let moved = self.b.select(grows, more, less);
        let moved = self.bits_as(moved, ty);
        // From either zero: the smallest number with y's sign.
        let smallest = self.bits_as(one, ty);
        let smallest = self.b.binary(Op::FCopysign, smallest, y);
        let magnitude = self.magnitude(x);
        let zero = self.like(magnitude, 0);
        let at_zero = self.b.icmp(IntCC::Eq, magnitude, zero);
        let v = self.b.select(at_zero, smallest, moved);
        let equal = self.fcmp(FloatCC::EQ, x, y);
        let v = self.b.select(equal, y, v);
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        let v = self.b.select(y_nan, y, v);
        let v = self.b.select(x_nan, x, v);
        self.set(inst, v)
    }
}
