//! Mathematical functions that are operators of their own, and those made of them.

use super::Table;
use crate::decode::Inst;
use crate::errors::{R, UNSUPPORTED_EXT, unsupported};
use crate::lower::{Lower, infinity};
use ir::{FloatKind, MathFn, MathType, MemFlags, Op, Rounding, Type, Value};
use rspirv::spirv::OpenclStd100Op as Std;

/// `half_` and `native_` functions have hardware of their own; that of the circular ones does for both.
pub(super) const TABLE: Table = &[
    (Std::exp, |l, i| l.ext_math(i, MathFn::Exp)),
    (Std::exp2, |l, i| l.ext_math(i, MathFn::Exp2)),
    (Std::exp10, |l, i| l.ext_math(i, MathFn::Exp10)),
    (Std::expm1, |l, i| l.ext_math(i, MathFn::Expm1)),
    (Std::log, |l, i| l.ext_math(i, MathFn::Log)),
    (Std::log2, |l, i| l.ext_math(i, MathFn::Log2)),
    (Std::log10, |l, i| l.ext_math(i, MathFn::Log10)),
    (Std::log1p, |l, i| l.ext_math(i, MathFn::Log1p)),
    (Std::sin, |l, i| l.ext_math(i, MathFn::Sin)),
    (Std::cos, |l, i| l.ext_math(i, MathFn::Cos)),
    (Std::tan, |l, i| l.ext_math(i, MathFn::Tan)),
    (Std::sinpi, |l, i| l.ext_math(i, MathFn::Sinpi)),
    (Std::cospi, |l, i| l.ext_math(i, MathFn::Cospi)),
    (Std::tanpi, |l, i| l.ext_math(i, MathFn::Tanpi)),
    (Std::ldexp, |l, i| l.ext_math(i, MathFn::Ldexp)),
    (Std::ilogb, |l, i| l.ext_math(i, MathFn::Ilogb)),
    (Std::logb, |l, i| l.ext_math(i, MathFn::Logb)),
    (Std::acos, |l, i| l.ext_math(i, MathFn::Acos)),
    (Std::acosh, |l, i| l.ext_math(i, MathFn::Acosh)),
    (Std::acospi, |l, i| l.ext_math(i, MathFn::Acospi)),
    (Std::asin, |l, i| l.ext_math(i, MathFn::Asin)),
    (Std::asinh, |l, i| l.ext_math(i, MathFn::Asinh)),
    (Std::asinpi, |l, i| l.ext_math(i, MathFn::Asinpi)),
    (Std::atan, |l, i| l.ext_math(i, MathFn::Atan)),
    (Std::atanh, |l, i| l.ext_math(i, MathFn::Atanh)),
    (Std::atanpi, |l, i| l.ext_math(i, MathFn::Atanpi)),
    (Std::atan2, |l, i| l.ext_math(i, MathFn::Atan2)),
    (Std::atan2pi, |l, i| l.ext_math(i, MathFn::Atan2pi)),
    (Std::cbrt, |l, i| l.ext_math(i, MathFn::Cbrt)),
    (Std::cosh, |l, i| l.ext_math(i, MathFn::Cosh)),
    (Std::sinh, |l, i| l.ext_math(i, MathFn::Sinh)),
    (Std::tanh, |l, i| l.ext_math(i, MathFn::Tanh)),
    (Std::hypot, |l, i| l.ext_math(i, MathFn::Hypot)),
    (Std::pow, |l, i| l.ext_math(i, MathFn::Pow)),
    (Std::pown, |l, i| l.ext_math(i, MathFn::Pown)),
    (Std::powr, |l, i| l.ext_math(i, MathFn::Powr)),
    (Std::rootn, |l, i| l.ext_math(i, MathFn::Rootn)),
    (Std::half_powr, |l, i| l.ext_math(i, MathFn::HalfPowr)),
    (Std::native_powr, |l, i| l.ext_math(i, MathFn::NativePowr)),
    (Std::half_divide, |l, i| l.ext_math(i, MathFn::HalfDivide)),
    (Std::half_recip, |l, i| l.ext_math(i, MathFn::HalfRecip)),
    (Std::half_sqrt, |l, i| l.ext_math(i, MathFn::HalfSqrt)),
    (Std::half_rsqrt, |l, i| l.ext_math(i, MathFn::HalfRsqrt)),
    (Std::native_divide, |l, i| l.ext_math(i, MathFn::NativeDivide)),
    (Std::native_recip, |l, i| l.ext_math(i, MathFn::NativeRecip)),
    (Std::native_sqrt, |l, i| l.ext_math(i, MathFn::NativeSqrt)),
    (Std::native_rsqrt, |l, i| l.ext_math(i, MathFn::NativeRsqrt)),
    (Std::half_exp, |l, i| l.ext_math(i, MathFn::HalfExp)),
    (Std::half_exp2, |l, i| l.ext_math(i, MathFn::HalfExp2)),
    (Std::half_exp10, |l, i| l.ext_math(i, MathFn::HalfExp10)),
    (Std::half_log, |l, i| l.ext_math(i, MathFn::HalfLog)),
    (Std::half_log2, |l, i| l.ext_math(i, MathFn::HalfLog2)),
    (Std::half_log10, |l, i| l.ext_math(i, MathFn::HalfLog10)),
    (Std::half_sin, |l, i| l.ext_math(i, MathFn::NativeSin)),
    (Std::half_cos, |l, i| l.ext_math(i, MathFn::NativeCos)),
    (Std::half_tan, |l, i| l.ext_math(i, MathFn::NativeTan)),
    (Std::native_exp, |l, i| l.ext_math(i, MathFn::NativeExp)),
    (Std::native_exp2, |l, i| l.ext_math(i, MathFn::NativeExp2)),
    (Std::native_exp10, |l, i| l.ext_math(i, MathFn::NativeExp10)),
    (Std::native_log, |l, i| l.ext_math(i, MathFn::NativeLog)),
    (Std::native_log2, |l, i| l.ext_math(i, MathFn::NativeLog2)),
    (Std::native_log10, |l, i| l.ext_math(i, MathFn::NativeLog10)),
    (Std::native_sin, |l, i| l.ext_math(i, MathFn::NativeSin)),
    (Std::native_cos, |l, i| l.ext_math(i, MathFn::NativeCos)),
    (Std::native_tan, |l, i| l.ext_math(i, MathFn::NativeTan)),
    (Std::erf, |l, i| l.ext_math(i, MathFn::Erf)),
    (Std::erfc, |l, i| l.ext_math(i, MathFn::Erfc)),
    (Std::tgamma, |l, i| l.ext_math(i, MathFn::Tgamma)),
    (Std::lgamma, |l, i| l.ext_math(i, MathFn::Lgamma)),
    (Std::lgamma_r, |l, i| l.ext_lgamma_r(i)),
    (Std::remainder, |l, i| l.ext_math(i, MathFn::Remainder)),
    (Std::remquo, |l, i| l.ext_remquo(i)),
    (Std::sincos, |l, i| l.ext_sincos(i)),
    (Std::frexp, |l, i| l.ext_frexp(i)),
    (Std::modf, |l, i| l.ext_modf(i)),
    (Std::fract, |l, i| l.ext_fract(i)),
];

/// When the functions come in formats that have no hardware for them yet.
const MILESTONE: &str = "numerics";

impl<'a> Lower<'a, '_, '_> {
    fn ext_math(&mut self, inst: &Inst<'a>, f: MathFn) -> R<()> {
        let result = self.result_type(inst)?;
        let mut operands: Vec<Value> =
            (0..f.args().len()).map(|k| self.operand(inst, k)).collect::<R<_>>()?;
        let float = match f.result() {
            MathType::Float => result,
            MathType::Int => self.ty(operands[0]),
        };
        for (kind, operand) in f.args().iter().zip(&mut operands) {
            // clang-22 leaves the exponent of `ldexp(float4, int)` a scalar.
            if *kind == MathType::Int && self.ty(*operand) == Type::I32 {
                *operand = self.splat(*operand, Type::I32.with_lanes(float.lanes));
            }
        }
        let v = self.math(inst, f, &operands, float)?;
        self.set(inst, v)
    }

    /// A function on floats of type `float`.
    fn math(&mut self, inst: &Inst<'a>, f: MathFn, args: &[Value], float: Type) -> R<Value> {
        let f = if self.is_relaxed(float) { f.relaxed().unwrap_or(f) } else { f };
        let of = |kind: &MathType| match kind {
            MathType::Float => float,
            MathType::Int => Type::I32.with_lanes(float.lanes),
        };
        let fits = float.is_float() && f.args().iter().zip(args).all(|(k, a)| self.ty(*a) == of(k));
        self.check(fits, inst, "its operands are not of the types that it takes")?;
        use MathFn::*;
        let exact = matches!(f, Ldexp | Ilogb | Logb | LgammaSign | Remainder | RemquoBits);
        if !exact && float.float_kind() == Some(FloatKind::BF16) {
            let what = format!("OpenCL.std `{}` of {}", f.name(), float.lane());
            return Err(unsupported(UNSUPPORTED_EXT, what, MILESTONE));
        }
        let single = float.float_kind() == Some(FloatKind::F32);
        self.check(single || !f.is_single(), inst, "its operands are not of single precision")?;
        Ok(self.b.value(Op::Math(f), args.iter().copied(), of(&f.result())))
    }

    /// Operand 0, a float of the result's type, and operand 1, a pointer to write through.
    fn float_and_place(&mut self, inst: &Inst<'a>) -> R<(Value, Value)> {
        let [x] = self.floats(inst, 0)?;
        let place = self.pointer(inst, 1)?;
        self.check_writable(inst, place)?;
        Ok((x, place))
    }

    /// Writes a second result. A vector of three takes the room of three only.
    fn store_result(&mut self, place: Value, value: Value) {
        let ty = self.ty(value);
        let bytes = ty.lane_bits(0) / 8;
        let align = bytes * u32::from(ty.lanes.next_power_of_two());
        self.b.store(place, value, MemFlags::aligned(align));
    }

    fn ext_sincos(&mut self, inst: &Inst<'a>) -> R<()> {
        let (x, place) = self.float_and_place(inst)?;
        let ty = self.ty(x);
        let sine = self.math(inst, MathFn::Sin, &[x], ty)?;
        let cosine = self.math(inst, MathFn::Cos, &[x], ty)?;
        self.store_result(place, cosine);
        self.set(inst, sine)
    }

    fn ext_lgamma_r(&mut self, inst: &Inst<'a>) -> R<()> {
        let (x, place) = self.float_and_place(inst)?;
        let ty = self.ty(x);
        let logarithm = self.math(inst, MathFn::Lgamma, &[x], ty)?;
        let sign = self.math(inst, MathFn::LgammaSign, &[x], ty)?;
        self.store_result(place, sign);
        self.set(inst, logarithm)
    }

    /// Remainder of the nearest quotient, and that one's last bits.
    fn ext_remquo(&mut self, inst: &Inst<'a>) -> R<()> {
        let [x, y] = self.floats(inst, 0)?;
        let place = self.pointer(inst, 2)?;
        self.check_writable(inst, place)?;
        let ty = self.ty(x);
        let rest = self.math(inst, MathFn::Remainder, &[x, y], ty)?;
        let n = self.math(inst, MathFn::RemquoBits, &[x, y], ty)?;
        self.store_result(place, n);
        self.set(inst, rest)
    }

    /// x = m 2^n with m in [1/2, 1); zero, infinity and NaN are m themselves, with n = 0.
    fn ext_frexp(&mut self, inst: &Inst<'a>) -> R<()> {
        let (x, place) = self.float_and_place(inst)?;
        let ty = self.ty(x);
        let exponent = self.math(inst, MathFn::Ilogb, &[x], ty)?;
        let one = self.like(exponent, 1);
        let exponent = self.b.binary(Op::Add, exponent, one);
        let zero = self.like(exponent, 0);
        let negated = self.b.binary(Op::Sub, zero, exponent);
        let mantissa = self.math(inst, MathFn::Ldexp, &[x, negated], ty)?;
        let special = self.is_special(x);
        let n = self.b.select(special, zero, exponent);
        let m = self.b.select(special, x, mantissa);
        self.store_result(place, n);
        self.set(inst, m)
    }

    /// Zero, infinite or no number.
    fn is_special(&mut self, x: Value) -> Value {
        let kind = self.ty(x).float_kind().unwrap_or(FloatKind::F32);
        let magnitude = self.magnitude(x);
        let (zero, most) = (self.like(magnitude, 0), self.like(magnitude, infinity(kind)));
        let is_zero = self.b.icmp(ir::IntCC::Eq, magnitude, zero);
        let large = self.b.icmp(ir::IntCC::Uge, magnitude, most);
        self.b.binary(Op::Or, is_zero, large)
    }

    /// Fraction and whole part, both with x's sign; an infinity has the fraction 0.
    fn ext_modf(&mut self, inst: &Inst<'a>) -> R<()> {
        let (x, place) = self.float_and_place(inst)?;
        let kind = self.ty(x).float_kind().unwrap_or(FloatKind::F32);
        let whole = self.b.unary(Op::FRound(Rounding::Rtz), x);
        let rest = self.b.binary(Op::FSub, x, whole);
        let magnitude = self.magnitude(x);
        let most = self.like(magnitude, infinity(kind));
        let infinite = self.b.icmp(ir::IntCC::Eq, magnitude, most);
        let zero = self.float_like(x, 0.0);
        let rest = self.b.select(infinite, zero, rest);
        let rest = self.b.binary(Op::FCopysign, rest, x);
        // The sign of a NaN is that of the canonical one.
        let nan = self.is_nan(x);
        let rest = self.b.select(nan, whole, rest);
        self.store_result(place, whole);
        self.set(inst, rest)
    }

    /// x - floor(x), below 1, and floor(x).
    fn ext_fract(&mut self, inst: &Inst<'a>) -> R<()> {
        let (x, place) = self.float_and_place(inst)?;
        let kind = self.ty(x).float_kind().unwrap_or(FloatKind::F32);
        let whole = self.b.unary(Op::FRound(Rounding::Rtn), x);
        let rest = self.b.binary(Op::FSub, x, whole);
        let below_one = match kind {
            FloatKind::F16 => 1.0 - f64::EPSILON * 2f64.powi(41),
            FloatKind::F32 => 1.0 - f64::from(f32::EPSILON) / 2.0,
            _ => 1.0 - f64::EPSILON / 2.0,
        };
        let most = self.float_like(x, below_one);
        let rest = self.b.binary(Op::FMin, rest, most);
        // An infinity has the fraction 0 with its sign, a zero itself; a NaN is one.
        let magnitude = self.magnitude(x);
        let infinite_bits = self.like(magnitude, infinity(kind));
        let infinite = self.b.icmp(ir::IntCC::Eq, magnitude, infinite_bits);
        let zero = self.float_like(x, 0.0);
        let signed_zero = self.b.binary(Op::FCopysign, zero, x);
        let none = self.like(magnitude, 0);
        let is_zero = self.b.icmp(ir::IntCC::Eq, magnitude, none);
        let to_zero = self.b.binary(Op::Or, infinite, is_zero);
        let rest = self.b.select(to_zero, signed_zero, rest);
        let nan = self.is_nan(x);
        let rest = self.b.select(nan, whole, rest);
        self.store_result(place, whole);
        self.set(inst, rest)
    }
}
