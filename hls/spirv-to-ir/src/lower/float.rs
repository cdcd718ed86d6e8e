//! Floating-point instructions.

use super::{Leaves, Lower};
use crate::decode::Inst;
use crate::errors::R;
use ir::{FastMath, FloatCC, FloatKind, IntCC, MathFn, Op, Type, Value};

/// Fraction bits of a format.
fn fraction_bits(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::F16 => 10,
        FloatKind::BF16 => 7,
        FloatKind::F32 => 23,
        FloatKind::F64 => 52,
    }
}

/// Bits of positive infinity.
pub(crate) fn infinity(kind: FloatKind) -> u128 {
    let (bits, fraction) = (kind.bits(), fraction_bits(kind));
    ((1u128 << (bits - 1 - fraction)) - 1) << fraction
}

impl Lower<'_, '_, '_> {
    /// `N` operands that are floats of the result's type.
    pub fn floats<const N: usize>(&mut self, inst: &Inst, first: usize) -> R<[Value; N]> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_float(), inst, "its result is not floating point")?;
        self.operands(inst, first, ty)
    }

    /// An operation with two floats.
    pub(super) fn float_binary(&mut self, inst: &Inst, op: Op) -> R<()> {
        let [a, b] = self.floats(inst, 0)?;
        let v = self.b.binary(op, a, b);
        self.set(inst, v)
    }

    /// `OpFDiv`; in single precision by a reciprocal where that is allowed.
    pub(super) fn float_divide(&mut self, inst: &Inst) -> R<()> {
        let [a, b] = self.floats(inst, 0)?;
        let ty = self.ty(a);
        let single = ty.float_kind() == Some(FloatKind::F32);
        let reciprocal = self.b.fast_math.has(FastMath::ALLOW_RECIP) || self.spv.unsafe_math;
        let one = u128::from(1f32.to_bits());
        let v = match single && reciprocal {
            true if self.b.func.as_const(a) == Some(one) => {
                self.b.unary(Op::Math(MathFn::NativeRecip), b)
            }
            true => self.b.binary(Op::Math(MathFn::NativeDivide), a, b),
            false => self.b.binary(Op::FDiv, a, b),
        };
        self.set(inst, v)
    }

    /// Whether functions of this type have the bounds of `-cl-unsafe-math-optimizations`: by an option, or by the decoration
    /// `Fast` of the instruction, which producers do not give to functions.
    pub fn is_relaxed(&self, ty: Type) -> bool {
        let allowed = self.spv.unsafe_math || self.b.fast_math.has(FastMath::FAST);
        allowed && ty.float_kind() == Some(FloatKind::F32)
    }

    /// `OpFNegate`
    pub(super) fn float_negate(&mut self, inst: &Inst) -> R<()> {
        let [a] = self.floats(inst, 0)?;
        let v = self.b.unary(Op::FNeg, a);
        self.set(inst, v)
    }

    /// A comparison.
    pub(super) fn float_compare(&mut self, inst: &Inst, cc: FloatCC) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).is_float();
        self.check(ok, inst, "its operands are not floats of one type")?;
        let v = self.fcmp(cc, a, b);
        self.set(inst, v)
    }

    /// A comparison of two floats.
    pub fn fcmp(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        let lanes = self.ty(a).lanes;
        self.b.value(Op::FCmp(cc), [a, b], Type::BOOL.with_lanes(lanes))
    }

    /// A float constant like `v`.
    pub fn float_like(&mut self, v: Value, x: f64) -> Value {
        let bits = match self.ty(v).float_kind() {
            Some(FloatKind::F64) => u128::from(x.to_bits()),
            Some(FloatKind::F32) => u128::from((x as f32).to_bits()),
            Some(FloatKind::BF16) => u128::from((x as f32).to_bits() >> 16),
            // Exact for the small numbers that are asked for.
            _ => u128::from(half_bits(x)),
        };
        self.like(v, bits)
    }

    /// The bits of a float as integers.
    pub fn float_bits(&mut self, v: Value) -> Value {
        let ty = self.ty(v);
        self.bits_as(v, Type::int(ty.lane_bits(0)).with_lanes(ty.lanes))
    }

    fn kind(&self, v: Value) -> FloatKind {
        self.ty(v).float_kind().unwrap_or(FloatKind::F32)
    }

    /// The bits without the sign.
    pub fn magnitude(&mut self, v: Value) -> Value {
        let bits = self.float_bits(v);
        let mask = self.like(bits, (1u128 << (self.width(bits) - 1)) - 1);
        self.b.binary(Op::And, bits, mask)
    }

    /// A test that compares the magnitude's bits with those of infinity.
    fn against_infinity(&mut self, v: Value, cc: IntCC) -> Value {
        let kind = self.kind(v);
        let magnitude = self.magnitude(v);
        let inf = self.like(magnitude, infinity(kind));
        self.b.icmp(cc, magnitude, inf)
    }

    /// Whether lanes are NaN, by their bits: no float unit is needed.
    pub fn is_nan(&mut self, v: Value) -> Value {
        self.against_infinity(v, IntCC::Ugt)
    }

    fn tested(&mut self, inst: &Inst) -> R<Value> {
        let v = self.operand(inst, 0)?;
        self.check(self.ty(v).is_float(), inst, "its operand is not floating point")?;
        Ok(v)
    }

    /// `OpIsNan`, `OpIsInf`, `OpIsFinite`
    pub(super) fn classify(&mut self, inst: &Inst, cc: IntCC) -> R<()> {
        let v = self.tested(inst)?;
        let v = self.against_infinity(v, cc);
        self.set(inst, v)
    }

    /// `OpIsNormal`
    pub(super) fn is_normal(&mut self, inst: &Inst) -> R<()> {
        let v = self.tested(inst)?;
        let kind = self.kind(v);
        let magnitude = self.magnitude(v);
        // One comparison: from the smallest normal number up to infinity.
        let least = 1u128 << fraction_bits(kind);
        let min = self.like(magnitude, least);
        let shifted = self.b.binary(Op::Sub, magnitude, min);
        let range = self.like(magnitude, infinity(kind) - least);
        let v = self.b.icmp(IntCC::Ult, shifted, range);
        self.set(inst, v)
    }

    /// `OpSignBitSet`
    pub(super) fn sign_bit(&mut self, inst: &Inst) -> R<()> {
        let v = self.tested(inst)?;
        let bits = self.float_bits(v);
        let v = self.is_negative(bits);
        self.set(inst, v)
    }

    /// `OpOrdered`, `OpUnordered`
    pub(super) fn ordered(&mut self, inst: &Inst, want: bool) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).is_float();
        self.check(ok, inst, "its operands are not floats of one type")?;
        let (a, b) = (self.is_nan(a), self.is_nan(b));
        let mut v = self.b.binary(Op::Or, a, b);
        if want {
            v = self.b.unary(Op::Not, v);
        }
        self.set(inst, v)
    }

    /// `OpFMod`: remainder with the sign of the divisor.
    pub(super) fn float_mod(&mut self, inst: &Inst) -> R<()> {
        let [a, b] = self.floats(inst, 0)?;
        let r = self.b.binary(Op::FRem, a, b);
        let zero = self.float_like(r, 0.0);
        let nonzero = self.fcmp(FloatCC::LT.or(FloatCC::GT), r, zero);
        let (rb, bb) = (self.float_bits(r), self.float_bits(b));
        let differs = self.b.binary(Op::Xor, rb, bb);
        let differs = self.is_negative(differs);
        let adjust = self.b.binary(Op::And, nonzero, differs);
        let moved = self.b.binary(Op::FAdd, r, b);
        let v = self.b.select(adjust, moved, r);
        self.set(inst, v)
    }

    /// `OpDot`
    pub(super) fn dot(&mut self, inst: &Inst) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(a) == self.ty(b) && self.ty(a).is_float();
        self.check(ok, inst, "its operands are not floats of one type")?;
        let v = self.dot_product(a, b);
        self.set(inst, v)
    }

    /// The sum of the products of lanes, from lane 0 on.
    pub fn dot_product(&mut self, a: Value, b: Value) -> Value {
        let products = self.b.binary(Op::FMul, a, b);
        let lanes: Leaves = self.lanes_of(products);
        let mut sum = lanes[0];
        for lane in &lanes[1..] {
            sum = self.b.binary(Op::FAdd, sum, *lane);
        }
        sum
    }

    /// `OpVectorTimesScalar`
    pub(super) fn vector_times_scalar(&mut self, inst: &Inst) -> R<()> {
        let [v] = self.floats(inst, 0)?;
        let s = self.operand(inst, 1)?;
        let ty = self.ty(v);
        self.check(
            self.ty(s) == ty.lane() && ty.is_vector(),
            inst,
            "its operands are not a vector and a scalar",
        )?;
        let s = self.splat(s, ty);
        let v = self.b.binary(Op::FMul, v, s);
        self.set(inst, v)
    }

    /// A scalar in every lane of `ty`.
    pub fn splat(&mut self, s: Value, ty: Type) -> Value {
        if !ty.is_vector() {
            return s;
        }
        self.b.value(Op::VecBuild, vec![s; ty.lanes.into()], ty)
    }
}

/// binary16 bits of a number that the format holds exactly or nearly (constants only).
fn half_bits(x: f64) -> u16 {
    if x == 0.0 {
        return if x.is_sign_negative() { 0x8000 } else { 0 };
    }
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1023 + 15;
    let fraction = (bits >> 42 & 0x3ff) as u16 + (bits >> 41 & 1) as u16;
    let sign = (bits >> 48 & 0x8000) as u16;
    sign | ((exponent.clamp(0, 31) as u16) << 10).wrapping_add(fraction)
}
