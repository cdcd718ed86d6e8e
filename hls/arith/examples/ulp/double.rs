//! Functions in double precision as a reference for narrower formats, and how far a result is from it.

use arith::Format;
use clhls_arith as arith;
use ir::{MathFn, MathType};
use std::f64::consts::PI;

/// The error of `result` in ulp, see `functions::error`.
pub fn error(f: MathFn, format: Format, x: u128, y: u128, result: u128) -> f64 {
    let first = widen(format, x);
    let second = match f.args().get(1) {
        Some(MathType::Int) => f64::from(y as u32 as i32),
        _ => widen(format, y),
    };
    let value = value(f, first, second);
    if f == MathFn::Lgamma && first < 0.0 && value.abs() < 1.0 {
        return ((widen(format, result) - value) * 2f64.powi(format.frac_bits as i32)).abs();
    }
    distance(format, widen(format, result), value)
}

/// A number of a narrower format, exact.
fn widen(format: Format, bits: u128) -> f64 {
    if format == Format::F32 {
        return f32::from_bits(bits as u32).into();
    }
    let negative = bits & format.sign_mask() != 0;
    let exponent = (bits >> format.frac_bits) as u32 & format.exp_max();
    let fraction = (bits & ((1 << format.frac_bits) - 1)) as f64;
    let magnitude = if exponent == format.exp_max() {
        if fraction == 0.0 { f64::INFINITY } else { f64::NAN }
    } else {
        let hidden = if exponent == 0 { 0.0 } else { 2f64.powi(format.frac_bits as i32) };
        let scale = exponent.max(1) as i32 - (format.bias() + format.frac_bits) as i32;
        (hidden + fraction) * 2f64.powi(scale)
    };
    if negative { -magnitude } else { magnitude }
}

/// 2^n, a normal number.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// Distance of a result from the value in units of the value's last place, infinite where one is a NaN, an infinity or (of
/// the other sign) a zero and the other is not.
fn distance(format: Format, ours: f64, value: f64) -> f64 {
    let infinite = |wrong: bool| if wrong { f64::INFINITY } else { 0.0 };
    if ours.is_nan() || value.is_nan() {
        return infinite(ours.is_nan() != value.is_nan());
    }
    let same_sign = ours.is_sign_negative() == value.is_sign_negative();
    if ours.is_infinite() {
        let bias = format.bias() as i32;
        let last = 2f64.powi(bias - format.frac_bits as i32);
        let least = 2f64.powi(bias) * 2.0 - last / 2.0;
        return infinite(!same_sign || value.abs() < least);
    }
    if value.is_infinite() {
        return f64::INFINITY;
    }
    if value == 0.0 || ours == 0.0 && value.abs() < 2f64.powi(-1000) {
        return infinite(ours != 0.0 || !same_sign);
    }
    let least = 1 - format.bias() as i32;
    let exponent = libm::ilogb(value).clamp(least, format.bias() as i32);
    ((ours - value) * power_of_two(format.frac_bits as i32 - exponent)).abs()
}

fn value(f: MathFn, x: f64, y: f64) -> f64 {
    use MathFn::*;
    match f {
        Exp => libm::exp(x),
        Exp2 => libm::exp2(x),
        Exp10 => libm::exp10(x),
        Expm1 => libm::expm1(x),
        Log => libm::log(x),
        Log2 => libm::log2(x),
        Log10 => libm::log10(x),
        Log1p => libm::log1p(x),
        Sin => libm::sin(x),
        Cos => libm::cos(x),
        Tan => libm::tan(x),
        Sinpi => half_turns(x).0,
        Cospi => half_turns(x).1,
        Tanpi => tangent(x),
        Acos => libm::acos(x),
        Asin => libm::asin(x),
        Atan => libm::atan(x),
        Acospi => libm::acos(x) / PI,
        Asinpi => libm::asin(x) / PI,
        Atanpi => libm::atan(x) / PI,
        Atan2 => libm::atan2(x, y),
        Atan2pi => libm::atan2(x, y) / PI,
        Sinh => libm::sinh(x),
        Cosh => libm::cosh(x),
        Tanh => libm::tanh(x),
        Asinh => libm::asinh(x),
        // The library gives numbers for some negative operands.
        Acosh if x < 1.0 => f64::NAN,
        Acosh => libm::acosh(x),
        Atanh => libm::atanh(x),
        Cbrt => libm::cbrt(x),
        Rsqrt => 1.0 / libm::sqrt(x),
        Hypot => libm::hypot(x, y),
        Pow | Pown => libm::pow(x, y),
        Powr => powr(x, y),
        Rootn => rootn(x, y),
        Erf => libm::erf(x),
        Erfc => libm::erfc(x),
        Tgamma => gamma(x),
        Lgamma => log_gamma(x),
        Ldexp => libm::ldexp(x, y.clamp(-2000.0, 2000.0) as i32),
        Logb if x == 0.0 => f64::NEG_INFINITY,
        Logb if !x.is_finite() => x.abs(),
        Logb => f64::from(libm::ilogb(x)),
        other => unreachable!("{} has no reference", other.name()),
    }
}

/// Sine and cosine of x half turns: reduced to an eighth of a turn, which is exact.
fn half_turns(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let turns = x.abs() % 2.0;
    let quarter = (turns * 2.0 + 0.5).floor();
    let angle = (turns - quarter / 2.0) * PI;
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let (sine, cosine) = match quarter as u32 % 4 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    };
    // Zeros of the sine have the sign of x, those of the cosine are positive.
    let sine = if sine == 0.0 { 0.0 } else { sine };
    let cosine = if cosine == 0.0 { 0.0 } else { cosine };
    (if x.is_sign_negative() { -sine } else { sine }, cosine)
}

/// The zero at an odd number of half turns, and the pole behind it, have the other sign.
fn tangent(x: f64) -> f64 {
    let (sine, cosine) = half_turns(x.abs());
    let odd = x.abs() % 2.0 >= 1.0;
    let magnitude = if sine == 0.0 || cosine == 0.0 {
        let plain = if sine == 0.0 { 0.0 } else { f64::INFINITY };
        if odd { -plain } else { plain }
    } else {
        sine / cosine
    };
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// Undefined where `exp(y log(x))` is.
fn powr(x: f64, y: f64) -> f64 {
    let undefined =
        x < 0.0 || (x == 0.0 || x.is_infinite()) && y == 0.0 || x == 1.0 && y.is_infinite();
    if undefined || x.is_nan() || y.is_nan() { f64::NAN } else { libm::pow(x.abs(), y) }
}

fn rootn(x: f64, n: f64) -> f64 {
    let odd = n % 2.0 != 0.0;
    if n == 0.0 || x.is_nan() || x < 0.0 && !odd {
        return f64::NAN;
    }
    let root = libm::pow(x.abs(), 1.0 / n);
    if x.is_sign_negative() && odd { -root } else { root }
}

/// NaN at negative integers, as C has it.
fn gamma(x: f64) -> f64 {
    match x {
        x if x < 0.0 && (x.floor() == x) => f64::NAN,
        x if x == 0.0 => f64::INFINITY.copysign(x),
        x => libm::tgamma(x),
    }
}

fn log_gamma(x: f64) -> f64 {
    if x <= 0.0 && x.floor() == x { f64::INFINITY } else { libm::lgamma(x) }
}
