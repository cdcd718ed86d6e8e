//! Powers and roots with variable exponents in single precision: 2^(y log2 |x|), the logarithm with some more bits.

use super::exp::{FRAC_BITS, INT_BITS, of_two};
use super::log::magnitude;
use super::scaled::{Scaled, is_below, look_up, scale};
use super::table::{LOG2_FINE_F32, RECIP_F32};
use crate::bits::Bits;
use crate::float::parts::{Parts, normalise, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// Bits of the logarithm that are multiplied.
const LOG_BITS: u32 = 36;

/// The exponent of a power.
struct Exponent<V> {
    magnitude: Scaled<V>,
    negative: V,
    zero: V,
    infinite: V,
    nan: V,
    integer: V,
    odd: V,
}

/// A float as an exponent.
#[inline(always)]
fn float_exponent<B: Bits>(b: &B, y: &Parts<B::V>) -> Exponent<B::V> {
    const PLACES: u32 = 24;
    let magnitude = Scaled::of(b, y);
    // From 2^24 on all numbers are even; below 1 only 0 is an integer.
    let small = is_below(b, y, PLACES as i32);
    let fixed = magnitude.fraction(b, PLACES as i32, 2 * PLACES);
    let whole = b.is_zero(b.trunc(fixed, PLACES));
    let zero = y.zero(b);
    let tiny = b.and_not(is_below(b, y, 0), zero);
    Exponent {
        magnitude,
        negative: y.sign,
        zero,
        infinite: y.inf(b),
        nan: y.nan(b),
        integer: b.or(b.not(small), b.and_not(whole, tiny)),
        odd: b.and(b.and(small, whole), b.bit(fixed, PLACES)),
    }
}

/// A 32-bit integer as an exponent.
#[inline(always)]
fn integer_exponent<B: Bits>(b: &B, n: B::V) -> Exponent<B::V> {
    let (negative, magnitude) = magnitude(b, n);
    Exponent {
        magnitude: Scaled::new(b, magnitude, 0),
        negative,
        zero: b.is_zero(n),
        infinite: b.bool(false),
        nan: b.bool(false),
        integer: b.bool(true),
        odd: b.bit(n, 0),
    }
}

/// log2 |x| as sign and magnitude, for finite numbers other than 0.
#[inline(always)]
fn log2<B: Bits>(b: &B, x: &Parts<B::V>) -> (B::V, Scaled<B::V>) {
    const E_BITS: u32 = 10;
    let bits = F32.frac_bits;
    let normal = normalise(b, x);
    let e = b.sub(b.zext(x.exponent(b), E_BITS), b.zext(normal.shift, E_BITS));
    let e = b.sub(e, b.constant(E_BITS, F32.bias().into()));
    let fraction = b.trunc(normal.significand, bits);
    let upper = b.msb(fraction);
    let e = b.add(e, b.zext(upper, E_BITS));
    // m - 1 with 24 fraction bits, as for logarithms.
    let one = b.constant(bits + 2, 1 << bits);
    let doubled = b.zext(b.pad_low(fraction, 1), bits + 2);
    let offset = b.mux(upper, b.sub(b.zext(fraction, bits + 2), one), doubled);
    let g = LOG2_FINE_F32.at(b, fraction);
    let frac = LOG2_FINE_F32.parsed().frac_bits + bits + 1;
    let product = b.smul(offset, g);
    let width = E_BITS + frac;
    let sum = b.add(b.pad_low(e, frac), b.sext(product, width));
    let (negative, magnitude) = magnitude(b, sum);
    (negative, Scaled::new(b, magnitude, -(frac as i32)))
}

/// `|x|^y` or, for `root`, `|x|^(1/y)`, with the results that hold for all the functions: 0 and infinities.
/// `sign`, `nan` and `one` are the function's own.
#[inline(always)]
fn power<B: Bits>(
    b: &B,
    x: &Parts<B::V>,
    y: &Exponent<B::V>,
    root: bool,
    (sign, nan, one): (B::V, B::V, B::V),
) -> B::V {
    let (log_negative, log) = log2(b, x);
    let log = log.normal(b, LOG_BITS);
    let t = if root {
        let n = y.magnitude.normal(b, 32);
        let (g, frac) = look_up(b, &RECIP_F32, b.trunc(n.magnitude, 31));
        let quotient = log.times(b, g, -frac - 31);
        Scaled { scale: b.sub(quotient.scale, n.scale), ..quotient }
    } else {
        let product = b.umul(log.magnitude, y.magnitude.magnitude);
        Scaled { magnitude: product, scale: b.add(log.scale, y.magnitude.scale) }
    };
    let t = t.normal(b, INT_BITS + FRAC_BITS);
    // Exponent of the top bit.
    let top = b.add(t.scale, scale(b, (INT_BITS + FRAC_BITS) as i32 - 1));
    let some = b.msb(t.magnitude);
    let huge = b.and(some, b.not(b.slt(top, scale(b, INT_BITS as i32))));
    let fixed = t.fraction(b, INT_BITS as i32, INT_BITS + FRAC_BITS);

    let x_zero = x.zero(b);
    let large_base = b.and_not(b.not(log_negative), x_zero);
    let falls = b.xor(b.not(b.or(large_base, x.exp_ones)), y.negative);
    let minus = b.xor(log_negative, y.negative);
    let p = of_two(b, minus, fixed, huge);
    let far = b.or(b.or(huge, b.or(x_zero, x.exp_ones)), y.infinite);
    let specials = Specials { nan, inf: b.and_not(far, falls), zero: Some(b.and(far, falls)) };
    let result = p.scaled(b).pack(b, sign, &specials);
    b.mux(one, b.constant(32, F32.one()), result)
}

/// `x^y`, also of negative numbers to integers.
#[inline(always)]
pub fn pow<B: Bits>(b: &B, x: B::V, y: B::V) -> B::V {
    let (xp, yp) = (unpack(b, F32, x), unpack(b, F32, y));
    let e = float_exponent(b, &yp);
    of_any_base(b, x, &xp, &e)
}

/// `x^n`.
#[inline(always)]
pub fn pown<B: Bits>(b: &B, x: B::V, n: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let e = integer_exponent(b, n);
    of_any_base(b, x, &xp, &e)
}

#[inline(always)]
fn of_any_base<B: Bits>(b: &B, x: B::V, xp: &Parts<B::V>, e: &Exponent<B::V>) -> B::V {
    let is_one = b.eq(x, b.constant(32, F32.one()));
    let unit = b.eq(xp.magnitude, b.constant(31, F32.one()));
    let one = b.or(b.or(e.zero, is_one), b.and(unit, e.infinite));
    let finite = b.not(b.or(xp.exp_ones, xp.zero(b)));
    let broken = b.and(b.and(xp.sign, finite), b.not(b.or(e.integer, e.infinite)));
    let nan = b.or(b.or(xp.nan(b), e.nan), broken);
    power(b, xp, e, false, (b.and(xp.sign, e.odd), nan, one))
}

/// `x^y` of numbers that are not negative: what `exp(y log(x))` is at the limits.
#[inline(always)]
pub fn powr<B: Bits>(b: &B, x: B::V, y: B::V) -> B::V {
    let (xp, yp) = (unpack(b, F32, x), unpack(b, F32, y));
    let e = float_exponent(b, &yp);
    let zero = xp.zero(b);
    let is_one = b.eq(x, b.constant(32, F32.one()));
    let undefined = b.or(b.and(b.or(zero, xp.exp_ones), e.zero), b.and(is_one, e.infinite));
    let negative = b.and_not(xp.sign, zero);
    let nan = b.or(b.or(b.or(xp.nan(b), e.nan), undefined), negative);
    let one = b.and_not(b.or(e.zero, is_one), nan);
    power(b, &xp, &e, false, (b.bool(false), nan, one))
}

/// The n-th root.
#[inline(always)]
pub fn rootn<B: Bits>(b: &B, x: B::V, n: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let e = integer_exponent(b, n);
    let negative = b.and_not(xp.sign, xp.zero(b));
    let nan = b.or(b.or(xp.nan(b), e.zero), b.and_not(negative, e.odd));
    power(b, &xp, &e, true, (b.and(xp.sign, e.odd), nan, b.bool(false)))
}
