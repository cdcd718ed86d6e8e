//! Mathematical functions by MPFR, and how far a result is from them.

pub mod bounds;
#[path = "../reference/numbers.rs"]
pub mod numbers;

use clhls_arith::{Format, Rounding};
use ir::MathFn;
use numbers::{PRECISION, decode, encode};
use rug::Float;
use rug::float::Special;
use rug::ops::Pow as _;

/// The value of a function of floats; NaN where it has none. Not for functions with an integer result.
pub fn value(f: MathFn, x: &Float, y: &Float) -> Float {
    use MathFn::*;
    let x = x.clone();
    let pi = |v: Float| v * Float::with_val(PRECISION, rug::float::Constant::Pi);
    match f {
        Exp => x.exp(),
        Exp2 => x.exp2(),
        Exp10 => x.exp10(),
        Expm1 => x.exp_m1(),
        Log => x.ln(),
        Log2 => x.log2(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Sin => x.sin(),
        Cos => x.cos(),
        Tan => x.tan(),
        Sinpi => of_half_turns(x, |r| pi(r).sin(), |s, _| s),
        Cospi => of_half_turns(x, |r| pi(r).cos(), |_, _| false),
        Tanpi => of_half_turns(x, |r| pi(r).tan(), |s, odd| s != odd),
        Acos => x.acos(),
        Asin => x.asin(),
        Atan => x.atan(),
        Acospi => over_pi(x.acos()),
        Asinpi => over_pi(x.asin()),
        Atanpi => over_pi(x.atan()),
        Atan2 => x.atan2(y),
        Atan2pi => over_pi(x.atan2(y)),
        Sinh => x.sinh(),
        Cosh => x.cosh(),
        Tanh => x.tanh(),
        Asinh => x.asinh(),
        Acosh => x.acosh(),
        Atanh => x.atanh(),
        Cbrt => x.cbrt(),
        Rsqrt if x.is_zero() => {
            let infinity = Float::with_val(PRECISION, Special::Infinity);
            if x.is_sign_negative() { -infinity } else { infinity }
        }
        Rsqrt => x.recip_sqrt(),
        Hypot => x.hypot(y),
        Erf => x.erf(),
        Erfc => x.erfc(),
        Tgamma => x.gamma(),
        Lgamma => x.ln_abs_gamma().0,
        Pow | Pown => x.pow(y),
        Powr => powr(x, y),
        Rootn => rootn(x, y),
        Ldexp => match y.to_i32_saturating() {
            Some(n) => x << n.clamp(-5000, 5000),
            None => x,
        },
        Logb => match x.is_zero() {
            true => Float::with_val(PRECISION, Special::NegInfinity),
            false if x.is_infinite() => x.abs(),
            false => match x.get_exp() {
                Some(e) => Float::with_val(PRECISION, e - 1),
                None => x,
            },
        },
        NativeDivide | HalfDivide => x / y,
        NativeRecip | HalfRecip => x.recip(),
        NativeSqrt | HalfSqrt => x.sqrt(),
        NativeRsqrt | HalfRsqrt => value(Rsqrt, &x, y),
        NativeExp | HalfExp => x.exp(),
        NativeExp2 | HalfExp2 => x.exp2(),
        NativeExp10 | HalfExp10 => x.exp10(),
        NativeLog | HalfLog => x.ln(),
        NativeLog2 | HalfLog2 => x.log2(),
        NativeLog10 | HalfLog10 => x.log10(),
        NativePow => value(Pow, &x, y),
        NativePown => value(Pown, &x, y),
        NativePowr | HalfPowr => value(Powr, &x, y),
        NativeRootn => value(Rootn, &x, y),
        NativeSin => x.sin(),
        NativeCos => x.cos(),
        NativeTan => x.tan(),
        other => unreachable!("{} has no reference yet", other.name()),
    }
}

fn over_pi(v: Float) -> Float {
    v / Float::with_val(PRECISION, rug::float::Constant::Pi)
}

/// `pow` of numbers that are not negative, undefined where `exp(y log(x))` is.
fn powr(x: Float, y: &Float) -> Float {
    let negative = x.is_sign_negative() && !x.is_zero();
    let undefined = (x.is_zero() || x.is_infinite()) && y.is_zero() || x == 1 && y.is_infinite();
    if negative || undefined || x.is_nan() || y.is_nan() {
        return Float::with_val(PRECISION, Special::Nan);
    }
    x.abs().pow(y)
}

/// The n-th root; of negative numbers only odd ones.
fn rootn(x: Float, n: &Float) -> Float {
    let odd = n.to_integer().is_some_and(|n| n.is_odd());
    if n.is_zero() || x.is_nan() || (x.is_sign_negative() && !x.is_zero() && !odd) {
        return Float::with_val(PRECISION, Special::Nan);
    }
    let negative = x.is_sign_negative() && odd;
    let magnitude = x.abs().pow(Float::with_val(PRECISION, n.recip_ref()));
    if negative { -magnitude } else { magnitude }
}

/// A function with period 2 of x half turns. `zero_sign` says whether a zero is negative, by the sign of x and whether it is
/// an odd number of half turns.
fn of_half_turns(
    x: Float,
    f: impl Fn(Float) -> Float,
    zero_sign: impl Fn(bool, bool) -> bool,
) -> Float {
    if !x.is_finite() {
        return Float::with_val(PRECISION, Special::Nan);
    }
    let negative = x.is_sign_negative();
    let magnitude = x.abs();
    // Exact: a float modulo 2.
    let reduced = Float::with_val(PRECISION, &magnitude % 2u32);
    let odd = reduced >= 1;
    let quarters = Float::with_val(PRECISION, &reduced * 2u32);
    let result = f(reduced);
    if !quarters.is_integer() {
        return result * sign_of(negative, &zero_sign);
    }
    // A multiple of a quarter turn: 0, 1, -1 or a pole, which pi rounded misses.
    let exact = if result.clone().abs() > 1e30 {
        let pole = Float::with_val(PRECISION, Special::Infinity);
        if odd { -pole } else { pole }
    } else {
        result.round()
    };
    if exact.is_zero() {
        let zero = Float::with_val(PRECISION, Special::Zero);
        return if zero_sign(negative, odd) { -zero } else { zero };
    }
    exact * sign_of(negative, &zero_sign)
}

/// Sign of an odd function of a negative number, which is the sign of its zero; even ones have none.
fn sign_of(negative: bool, zero_sign: &impl Fn(bool, bool) -> bool) -> i32 {
    if zero_sign(negative, false) { -1 } else { 1 }
}

/// The error of a result in ulp. `lgamma` is exact absolutely, not relatively, at its zeros between the poles: there it counts units of
/// the last place of 1.
pub fn error(f: MathFn, format: Format, x: u128, result: u128, expected: &Float) -> f64 {
    if f == MathFn::Lgamma && decode(format, x) < 0 && expected.clone().abs() < 1 {
        return ((decode(format, result) - expected) << format.frac_bits).abs().to_f64();
    }
    ulp_error(format, result, expected)
}

/// Distance of a result from the value in units of the last place, after section "Relative error as ULPs" of OpenCL C: infinite where one is a
/// NaN, an infinity or (of the other sign) a zero and the other is not.
pub fn ulp_error(format: Format, result: u128, value: &Float) -> f64 {
    let ours = decode(format, result);
    if value.is_nan() || ours.is_nan() {
        return if value.is_nan() && ours.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let rounded = encode(format, Rounding::Rte, value);
    if result == rounded {
        let exact = decode(format, rounded);
        if exact.is_infinite() || exact.is_zero() {
            return 0.0;
        }
    } else if value.is_infinite() || value.is_zero() {
        return f64::INFINITY;
    }
    if ours.is_infinite() {
        // Overflow where the value rounds to a finite number.
        return f64::INFINITY;
    }
    let least = 1 - format.bias() as i32;
    let exponent = value.get_exp().map_or(least, |e| (e - 1).max(least));
    let exponent = exponent.min(format.bias() as i32);
    let difference = Float::with_val(PRECISION, &ours - value).abs();
    (difference >> (exponent - format.frac_bits as i32)).to_f64()
}
