//! Functions in single precision with wider bounds than those of OpenCL C's table for the full profile, and less hardware.
//!
//! The `native_` functions keep to the bounds for `-cl-unsafe-math-optimizations`, the `half_` functions to 8192 ulp. They
//! are computed as the others are, with shorter tables and constants, and what their numbers can be is used: most results
//! have their first bit in one of two places, so no leading one is searched for, and what cannot be subnormal is not
//! moved. `native_` quotients and reciprocals and all `half_` functions but the circular ones flush subnormal numbers,
//! which OpenCL C leaves open for both.

use super::exp::{self, Base, Power, power};
use super::log::{self, magnitude, sum};
use super::pow::{self, Raised};
use super::root;
use super::table::*;
use super::trig::{self, Unit, Window};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, normalise, unpack};
use crate::float::round::{Specials, Unrounded, denormalise, finish};
use crate::format::Format;
use ir::{MathFn, Rounding};

pub static NATIVE_EXP: exp::Constants = exp::Constants {
    exp2: &EXP2_NATIVE,
    expm1: &EXPM1_F32,
    log2_e: 96_817_625,
    log2_ten: 222_930_821,
    constant_bits: 28,
    int_bits: 10,
    frac_bits: 25,
};

pub static HALF_EXP: exp::Constants = exp::Constants {
    exp2: &EXP2_HALF,
    expm1: &EXPM1_F32,
    log2_e: 378_194,
    log2_ten: 870_824,
    constant_bits: 20,
    int_bits: 10,
    frac_bits: 14,
};

pub static NATIVE_LOG: log::Constants = log::Constants {
    tables: [&LOG_NATIVE, &LOG2_NATIVE, &LOG10_NATIVE],
    log1p: &LOG1P_F32,
    ln_two: 2_977_044_472,
    log10_two: 1_292_913_986,
    of_two_frac: 32,
    m_frac: 8,
    sum_frac: 33,
    e_bits: 9,
    argument_bits: 23,
};

pub static HALF_LOG: log::Constants = log::Constants {
    tables: [&LOG_HALF, &LOG2_HALF, &LOG10_HALF],
    log1p: &LOG1P_F32,
    ln_two: 45_426,
    log10_two: 19_728,
    of_two_frac: 16,
    m_frac: 24,
    sum_frac: 38,
    e_bits: 9,
    argument_bits: 23,
};

pub static NATIVE_TRIG: trig::Constants = trig::Constants {
    table: &SINCOS_NATIVE,
    two_over_pi: Window::Each(&TWO_OVER_PI_NATIVE),
    turn_bits: [62, 62],
    r_bits: [40, 40],
    t_bits: 20,
    scale_bits: 10,
    steps: 18,
};

pub static NATIVE_ROOT: root::Constants = root::Constants {
    sqrt: &SQRT_NATIVE,
    rsqrt: &RSQRT_NATIVE,
    recip: &RECIP_NATIVE,
    ..root::SINGLE_ROOTS
};

pub static HALF_ROOT: root::Constants = root::Constants {
    sqrt: &SQRT_HALF,
    rsqrt: &RSQRT_HALF,
    recip: &RECIP_HALF,
    ..root::SINGLE_ROOTS
};

pub static NATIVE_POW: pow::Constants =
    pow::Constants { log2: &LOG2_FINE_NATIVE, log_bits: 27, ..pow::SINGLE };

pub static HALF_POW: pow::Constants =
    pow::Constants { log2: &LOG2_FINE_HALF, log_bits: 20, flushes: true, ..pow::SINGLE };

/// Bits of the dividend's significand that a `half_` quotient is made of.
const HALF_DIVIDEND_BITS: u32 = 18;

/// How wide the bounds are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Those of `-cl-unsafe-math-optimizations`.
    Native,
    /// 8192 ulp; subnormal numbers are flushed.
    Half,
}

impl Tier {
    /// The bounds of a function; none of one that has the usual ones.
    pub fn of(f: MathFn) -> Option<Tier> {
        match f.name() {
            name if name.starts_with("native_") => Some(Tier::Native),
            name if name.starts_with("half_") => Some(Tier::Half),
            _ => None,
        }
    }
}

/// Describes a function that has a tier, with that one's working precision.
#[inline(always)]
pub fn build<B: Bits>(b: &B, w: &Working, tier: Tier, f: MathFn, inputs: &[B::V]) -> B::V {
    use MathFn::*;
    let x = inputs[0];
    match f {
        NativeDivide | HalfDivide => divide(b, w, tier, x, inputs[1]),
        NativeRecip | HalfRecip => recip(b, w, x),
        NativeSqrt | HalfSqrt => sqrt(b, w, tier, x),
        NativeRsqrt | HalfRsqrt => rsqrt(b, w, tier, x),
        NativeExp | HalfExp => exp(b, w, tier, Base::E, x),
        NativeExp2 | HalfExp2 => exp(b, w, tier, Base::Two, x),
        NativeExp10 | HalfExp10 => exp(b, w, tier, Base::Ten, x),
        NativeLog | HalfLog => log(b, w, tier, log::Base::E, x),
        NativeLog2 | HalfLog2 => log(b, w, tier, log::Base::Two, x),
        NativeLog10 | HalfLog10 => log(b, w, tier, log::Base::Ten, x),
        NativeSin => trig::sin(b, w, Unit::Radian, x),
        NativeCos => trig::cos(b, w, Unit::Radian, x),
        NativeTan => trig::tan(b, w, Unit::Radian, x),
        NativePow => raised(b, w, tier, pow::pow(b, w, x, inputs[1])),
        NativePown => raised(b, w, tier, pow::pown(b, w, x, inputs[1])),
        NativePowr | HalfPowr => raised(b, w, tier, pow::powr(b, w, x, inputs[1])),
        NativeRootn => raised(b, w, tier, pow::rootn(b, w, x, inputs[1])),
        other => unreachable!("{} has the usual bounds", other.name()),
    }
}

/// Value of a table at a fraction, without the sign bit: at most 2, with one place before the point.
#[inline(always)]
fn look_up<B: Bits>(b: &B, table: &Table, t: B::V) -> B::V {
    b.trunc(table.at(b, t), table.parsed().frac_bits + 1)
}

/// What a number in [1/2, 2) times a power of two becomes.
struct Near<V> {
    sign: V,
    /// One place before the point.
    magnitude: V,
    /// Biased exponent of numbers from 1 on, signed.
    exp: V,
}

/// Rounds and packs. Results that are too small are zeros if `flushes`.
#[inline(always)]
fn pack<B: Bits>(
    b: &B,
    format: Format,
    x: Near<B::V>,
    flushes: bool,
    specials: Specials<B::V>,
) -> B::V {
    let kept = format.precision() + 1;
    let more = (kept + 1).saturating_sub(b.width(x.magnitude));
    let magnitude = b.pad_low(x.magnitude, more);
    let width = b.width(magnitude);
    let first = b.msb(magnitude);
    let mantissa = b.mux(first, b.top(magnitude, kept), b.slice(magnitude, width - 1 - kept, kept));
    let less = b.sub(x.exp, b.constant(b.width(x.exp), 1));
    let exp = b.mux(first, x.exp, less);
    if !flushes {
        let unrounded = denormalise(b, format, x.sign, exp, mantissa, b.bool(false));
        return finish(b, format, Rounding::Rte, &unrounded, &specials);
    }
    let below = b.or(b.msb(exp), b.is_zero(exp));
    let zero = Some(specials.zero.map_or(below, |z| b.or(z, below)));
    finish_normal(b, format, x.sign, exp, mantissa, &Specials { zero, ..specials })
}

/// Rounds and packs a number with a biased exponent that is signed, and not negative unless the result is a zero.
#[inline(always)]
fn finish_normal<B: Bits>(
    b: &B,
    format: Format,
    sign: B::V,
    exp: B::V,
    mantissa: B::V,
    specials: &Specials<B::V>,
) -> B::V {
    let unrounded = Unrounded {
        sign,
        exp: b.trunc(exp, b.width(exp) - 1),
        frac: b.slice(mantissa, 1, format.frac_bits),
        round: b.bit(mantissa, 0),
        sticky: b.bool(false),
        overflow: None,
    };
    finish(b, format, Rounding::Rte, &unrounded, specials)
}

#[inline(always)]
fn exp<B: Bits>(b: &B, w: &Working, tier: Tier, base: Base, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let p = power(b, w, base, &xp);
    let large = b.or(p.huge, xp.exp_ones);
    let specials = Specials {
        nan: xp.nan(b),
        inf: b.and_not(large, xp.sign),
        zero: Some(b.and(large, xp.sign)),
    };
    pack_power(b, w, tier, b.bool(false), &p, specials)
}

/// Rounds and packs a power.
#[inline(always)]
fn pack_power<B: Bits>(
    b: &B,
    w: &Working,
    tier: Tier,
    sign: B::V,
    p: &Power<B::V>,
    specials: Specials<B::V>,
) -> B::V {
    let width = w.exp.int_bits + 2;
    let exp = b.add(b.sext(p.k, width), b.constant(width, w.format.bias().into()));
    let magnitude = b.trunc(p.mantissa, w.exp.exp2.parsed().frac_bits + 1);
    pack(b, w.format, Near { sign, magnitude, exp }, tier == Tier::Half, specials)
}

/// Rounds and packs a power with variable exponent.
#[inline(always)]
fn raised<B: Bits>(b: &B, w: &Working, tier: Tier, r: Raised<B::V>) -> B::V {
    let result = pack_power(b, w, tier, r.sign, &r.magnitude, r.specials);
    b.mux(r.one, w.one(b), result)
}

/// Exponent, biased and signed, and fraction of a number; whether it counts as a zero.
struct Split<V> {
    exp: V,
    frac: V,
    zero: V,
}

#[inline(always)]
fn split<B: Bits>(b: &B, format: Format, tier: Tier, x: &Parts<B::V>) -> Split<B::V> {
    let width = format.exp_bits + 2;
    match tier {
        Tier::Half => Split { exp: b.zext(x.exp, width), frac: x.frac, zero: x.exp_zero },
        Tier::Native => {
            let normal = normalise(b, x);
            let exp = b.sub(b.zext(x.exponent(b), width), b.zext(normal.shift, width));
            Split { exp, frac: b.trunc(normal.significand, format.frac_bits), zero: x.zero(b) }
        }
    }
}

#[inline(always)]
fn log<B: Bits>(b: &B, w: &Working, tier: Tier, base: log::Base, x: B::V) -> B::V {
    let (format, c) = (w.format, w.log);
    let xp = unpack(b, format, x);
    let s = split(b, format, tier, &xp);
    let e = b.sub(s.exp, b.constant(b.width(s.exp), format.bias().into()));
    let (negative, magnitude) = magnitude(b, sum(b, w, base, b.trunc(e, c.e_bits), s.frac));

    // No logarithm of a float is subnormal.
    let (width, kept) = (b.width(magnitude), format.precision() + 1);
    let zeros = b.lzc(magnitude);
    let mantissa = b.top(b.shl(magnitude, zeros), kept);
    let exp_bits = format.exp_bits + 2;
    let top = format.bias() + width - 1 - c.sum_frac;
    let exp = b.sub(b.constant(exp_bits, top.into()), b.zext(zeros, exp_bits));
    let specials = Specials {
        nan: b.or(xp.nan(b), b.and_not(xp.sign, s.zero)),
        inf: b.or(s.zero, xp.exp_ones),
        zero: Some(b.is_zero(magnitude)),
    };
    let sign = b.or(s.zero, b.and_not(negative, xp.exp_ones));
    finish_normal(b, format, sign, exp, mantissa, &specials)
}

/// Index of a table over two octaves, the exponent of the root, and what roots have in common.
struct Rooted<V> {
    t: V,
    /// Biased exponent of the square root, of `exp_bits`.
    exp: V,
    zero: V,
    nan: V,
}

#[inline(always)]
fn rooted<B: Bits>(b: &B, format: Format, tier: Tier, x: &Parts<B::V>) -> Rooted<B::V> {
    let s = split(b, format, tier, x);
    // As the bias is odd, an even exponent leaves a factor of two.
    let odd = b.not(b.bit(s.exp, 0));
    let sum = b.add(s.exp, b.constant(b.width(s.exp), format.bias().into()));
    Rooted {
        t: b.concat(odd, s.frac),
        exp: b.slice(sum, 1, format.exp_bits),
        zero: s.zero,
        nan: b.or(x.nan(b), b.and_not(x.sign, s.zero)),
    }
}

#[inline(always)]
fn sqrt<B: Bits>(b: &B, w: &Working, tier: Tier, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let r = rooted(b, w.format, tier, &xp);
    let magnitude = look_up(b, w.root.sqrt, r.t);
    let exp = b.zext(r.exp, w.format.exp_bits + 1);
    let specials = Specials { nan: r.nan, inf: xp.exp_ones, zero: Some(r.zero) };
    pack(b, w.format, Near { sign: xp.sign, magnitude, exp }, true, specials)
}

#[inline(always)]
fn rsqrt<B: Bits>(b: &B, w: &Working, tier: Tier, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let r = rooted(b, w.format, tier, &xp);
    let magnitude = look_up(b, w.root.rsqrt, r.t);
    let width = w.format.exp_bits + 2;
    let exp = b.sub(b.constant(width, u128::from(2 * w.format.bias())), b.zext(r.exp, width));
    let specials = Specials { nan: r.nan, inf: r.zero, zero: Some(xp.exp_ones) };
    let sign = b.and(xp.sign, r.zero);
    pack(b, w.format, Near { sign, magnitude, exp }, true, specials)
}

#[inline(always)]
fn recip<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let magnitude = look_up(b, w.root.recip, xp.frac);
    let width = w.format.exp_bits + 2;
    let exp = b.sub(b.constant(width, u128::from(2 * w.format.bias())), b.zext(xp.exp, width));
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_zero, zero: Some(xp.exp_ones) };
    pack(b, w.format, Near { sign: xp.sign, magnitude, exp }, true, specials)
}

#[inline(always)]
fn divide<B: Bits>(b: &B, w: &Working, tier: Tier, x: B::V, y: B::V) -> B::V {
    let format = w.format;
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let bits = if tier == Tier::Half { HALF_DIVIDEND_BITS } else { format.precision() };
    let dividend = b.concat(b.bool(true), b.top(xp.frac, bits - 1));
    // The table may say a little more than 1: not here, or the quotient could be 2.
    let reciprocal = look_up(b, w.root.recip, yp.frac);
    let (one, low) = (b.msb(reciprocal), b.trunc(reciprocal, b.width(reciprocal) - 1));
    let product = b.umul(dividend, b.concat(one, b.mask(b.not(one), low)));
    // Of the two places before the point the first one is 0.
    let magnitude = b.trunc(product, b.width(product) - 1);
    let width = format.exp_bits + 2;
    let exp = b.sub(b.zext(xp.exp, width), b.zext(yp.exp, width));
    let exp = b.add(exp, b.constant(width, format.bias().into()));
    let invalid = b.or(b.and(xp.exp_ones, yp.exp_ones), b.and(xp.exp_zero, yp.exp_zero));
    let specials = Specials {
        nan: b.or(b.or(xp.nan(b), yp.nan(b)), invalid),
        inf: b.or(xp.exp_ones, yp.exp_zero),
        zero: Some(b.or(xp.exp_zero, yp.exp_ones)),
    };
    let sign = b.xor(xp.sign, yp.sign);
    pack(b, format, Near { sign, magnitude, exp }, true, specials)
}
