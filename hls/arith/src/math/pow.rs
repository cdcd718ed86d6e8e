//! Powers and roots with variable exponents: 2^(y log2 |x|), the logarithm with some more bits.

use super::exp::{Power, of_two};
use super::log::magnitude;
use super::scaled::{Scaled, is_below, look_up};
use super::table::{LOG2_FINE_F32, LOG2_FINE_F64, Table};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, normalise, unpack};
use crate::float::round::Specials;

/// What depends on the format.
pub struct Constants {
    /// log2(m) / (m - 1).
    pub log2: &'static Table,
    /// Bits of the exponent of x, two's complement.
    pub e_bits: u32,
    /// How the logarithm's two terms are added.
    pub sum: Sum,
    /// Bits of the logarithm that are multiplied.
    pub log_bits: u32,
    /// How the logarithm is divided by an integer.
    pub quotient: Quotient,
    /// Subnormal operands count as zeros.
    pub flushes: bool,
}

/// The logarithm as a sum of the exponent and a logarithm of [3/4, 3/2).
#[derive(Clone, Copy)]
pub enum Sum {
    /// With all bits of both.
    Exact,
    /// With so many fraction bits, unless the exponent is 0: a sum is never small.
    Rounded(u32),
}

/// A logarithm over an integer.
#[derive(Clone, Copy)]
pub enum Quotient {
    /// Times a reciprocal.
    Reciprocal,
    /// That, and what it lacks by the remainder.
    Corrected,
}

pub static SINGLE: Constants = Constants {
    log2: &LOG2_FINE_F32,
    e_bits: 10,
    sum: Sum::Exact,
    log_bits: 36,
    quotient: Quotient::Reciprocal,
    flushes: false,
};

pub static DOUBLE: Constants = Constants {
    log2: &LOG2_FINE_F64,
    e_bits: 12,
    sum: Sum::Rounded(80),
    log_bits: 72,
    quotient: Quotient::Corrected,
    flushes: false,
};

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
fn float_exponent<B: Bits>(b: &B, w: &Working, y: &Parts<B::V>) -> Exponent<B::V> {
    let places = w.format.precision();
    let magnitude = Scaled::of(b, w, y);
    // From 2^p on all numbers are even; below 1 only 0 is an integer.
    let small = is_below(b, w, y, places as i32);
    let fixed = magnitude.fraction(b, places as i32, 2 * places);
    let whole = b.is_zero(b.trunc(fixed, places));
    let zero = y.zero(b);
    let tiny = b.and_not(is_below(b, w, y, 0), zero);
    Exponent {
        magnitude,
        negative: y.sign,
        zero,
        infinite: y.inf(b),
        nan: y.nan(b),
        integer: b.or(b.not(small), b.and_not(whole, tiny)),
        odd: b.and(b.and(small, whole), b.bit(fixed, places)),
    }
}

/// A 32-bit integer as an exponent.
#[inline(always)]
fn integer_exponent<B: Bits>(b: &B, w: &Working, n: B::V) -> Exponent<B::V> {
    let (negative, magnitude) = magnitude(b, n);
    Exponent {
        magnitude: Scaled::new(b, w, magnitude, 0),
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
fn log2<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> (B::V, Scaled<B::V>) {
    let (c, e_bits, bits) = (w.pow, w.pow.e_bits, w.format.frac_bits);
    let (e, fraction) = if c.flushes {
        (b.zext(x.exp, e_bits), x.frac)
    } else {
        let normal = normalise(b, x);
        let e = b.sub(b.zext(x.exponent(b), e_bits), b.zext(normal.shift, e_bits));
        (e, b.trunc(normal.significand, bits))
    };
    let e = b.sub(e, b.constant(e_bits, w.format.bias().into()));
    let upper = b.msb(fraction);
    let e = b.add(e, b.zext(upper, e_bits));
    // m - 1 with p fraction bits, as for logarithms.
    let one = b.constant(bits + 2, 1 << bits);
    let doubled = b.zext(b.pad_low(fraction, 1), bits + 2);
    let offset = b.mux(upper, b.sub(b.zext(fraction, bits + 2), one), doubled);
    let g = c.log2.at(b, fraction);
    let frac = c.log2.parsed().frac_bits + bits + 1;
    let product = b.smul(offset, g);
    match c.sum {
        Sum::Exact => {
            let width = e_bits + frac;
            let sum = b.add(b.pad_low(e, frac), b.sext(product, width));
            let (negative, magnitude) = magnitude(b, sum);
            (negative, Scaled::new(b, w, magnitude, -(frac as i32)))
        }
        Sum::Rounded(kept) => {
            let drop = frac - kept;
            let rounded = b.slice(product, drop, b.width(product) - drop);
            let sum = b.add(b.pad_low(e, kept), b.sext(rounded, e_bits + kept));
            let none = b.is_zero(e);
            let sum = b.sext(sum, b.width(product));
            let (negative, magnitude) = magnitude(b, b.mux(none, product, sum));
            let scale = b.mux(none, w.scale(b, -(frac as i32)), w.scale(b, -(kept as i32)));
            (negative, Scaled { magnitude, scale })
        }
    }
}

/// A normalised logarithm over an integer.
#[inline(always)]
fn over<B: Bits>(b: &B, w: &Working, log: Scaled<B::V>, n: Scaled<B::V>) -> Scaled<B::V> {
    const N_BITS: u32 = 32;
    let n = n.normal(b, N_BITS);
    let (g, frac) = look_up(b, w.root.recip, b.trunc(n.magnitude, N_BITS - 1));
    match w.pow.quotient {
        Quotient::Reciprocal => {
            let quotient = log.times(b, g, -frac - 31);
            Scaled { scale: b.sub(quotient.scale, n.scale), ..quotient }
        }
        Quotient::Corrected => {
            // The quotient of log 2^EXTRA and n, some 76 bits: what the top bits of the reciprocal give lacks 2^-53 of it.
            const EXTRA: u32 = 34;
            const TOP: u32 = 54;
            const LOW: u32 = 60;
            let g_bits = b.width(g);
            let product = b.umul(log.magnitude, b.top(g, TOP));
            // The product has the value quotient 2^(frac - dropped bits of g + 31 - EXTRA).
            let drop = frac as u32 - (g_bits - TOP) + N_BITS - 1 - EXTRA;
            let first = b.slice(product, drop, b.width(product) - drop);
            // The remainder is small: its low bits are it.
            let whole = b.pad_low(b.trunc(log.magnitude, LOW - EXTRA), EXTRA);
            let part = b.trunc(b.umul(first, n.magnitude), LOW);
            let remainder = b.sub(whole, part);
            let factor = b.zext(b.top(g, N_BITS), N_BITS + 1);
            let correction = b.smul(remainder, factor);
            let shift = frac as u32 - (g_bits - N_BITS) + N_BITS - 1;
            let correction = b.slice(correction, shift, b.width(correction) - shift);
            let magnitude = b.add(first, b.sext(correction, b.width(first)));
            let scale = b.sub(log.scale_plus(b, -(EXTRA as i32)), n.scale);
            Scaled { magnitude, scale }
        }
    }
}

/// A power before it is rounded.
pub(super) struct Raised<V> {
    pub sign: V,
    /// Its magnitude.
    pub magnitude: Power<V>,
    pub specials: Specials<V>,
    /// The result is 1, whatever the rest says.
    pub one: V,
}

impl<V: Copy> Raised<V> {
    /// The result of the format, subnormal numbers among them.
    #[inline(always)]
    pub(super) fn pack<B: Bits<V = V>>(&self, b: &B, w: &Working) -> V {
        let result = self.magnitude.scaled(b, w).pack(b, w, self.sign, &self.specials);
        b.mux(self.one, w.one(b), result)
    }
}

/// An operand in parts.
#[inline(always)]
fn operand<B: Bits>(b: &B, w: &Working, x: B::V) -> Parts<B::V> {
    let parts = unpack(b, w.format, x);
    match w.pow.flushes {
        true => Parts { frac_zero: b.or(parts.frac_zero, parts.exp_zero), ..parts },
        false => parts,
    }
}

/// `|x|^y` or, for `root`, `|x|^(1/y)`, with the results that hold for all the functions: 0 and infinities.
/// `sign`, `nan` and `one` are the function's own.
#[inline(always)]
fn power<B: Bits>(
    b: &B,
    w: &Working,
    x: &Parts<B::V>,
    y: &Exponent<B::V>,
    root: bool,
    (sign, nan, one): (B::V, B::V, B::V),
) -> Raised<B::V> {
    let (int_bits, bits) = (w.exp.int_bits, w.exp.bits());
    let (log_negative, log) = log2(b, w, x);
    let log = log.normal(b, w.pow.log_bits);
    let t = if root {
        over(b, w, log, y.magnitude)
    } else {
        let product = b.umul(log.magnitude, y.magnitude.magnitude);
        Scaled { magnitude: product, scale: b.add(log.scale, y.magnitude.scale) }
    };
    let t = t.normal(b, bits);
    // Exponent of the top bit.
    let top = t.scale_plus(b, bits as i32 - 1);
    let some = b.msb(t.magnitude);
    let huge = b.and(some, b.not(b.slt(top, w.scale(b, int_bits as i32))));
    let fixed = t.fraction(b, int_bits as i32, bits);

    let x_zero = x.zero(b);
    let large_base = b.and_not(b.not(log_negative), x_zero);
    let falls = b.xor(b.not(b.or(large_base, x.exp_ones)), y.negative);
    let minus = b.xor(log_negative, y.negative);
    let p = of_two(b, w, minus, fixed, huge);
    let far = b.or(b.or(huge, b.or(x_zero, x.exp_ones)), y.infinite);
    let specials = Specials { nan, inf: b.and_not(far, falls), zero: Some(b.and(far, falls)) };
    Raised { sign, magnitude: p, specials, one }
}

/// `x^y`, also of negative numbers to integers.
#[inline(always)]
pub(super) fn pow<B: Bits>(b: &B, w: &Working, x: B::V, y: B::V) -> Raised<B::V> {
    let (xp, yp) = (operand(b, w, x), operand(b, w, y));
    let e = float_exponent(b, w, &yp);
    of_any_base(b, w, x, &xp, &e)
}

/// `x^n`.
#[inline(always)]
pub(super) fn pown<B: Bits>(b: &B, w: &Working, x: B::V, n: B::V) -> Raised<B::V> {
    let xp = operand(b, w, x);
    let e = integer_exponent(b, w, n);
    of_any_base(b, w, x, &xp, &e)
}

#[inline(always)]
fn of_any_base<B: Bits>(
    b: &B,
    w: &Working,
    x: B::V,
    xp: &Parts<B::V>,
    e: &Exponent<B::V>,
) -> Raised<B::V> {
    let is_one = b.eq(x, w.one(b));
    let unit = b.eq(xp.magnitude, w.one_magnitude(b));
    let one = b.or(b.or(e.zero, is_one), b.and(unit, e.infinite));
    let finite = b.not(b.or(xp.exp_ones, xp.zero(b)));
    let broken = b.and(b.and(xp.sign, finite), b.not(b.or(e.integer, e.infinite)));
    let nan = b.or(b.or(xp.nan(b), e.nan), broken);
    power(b, w, xp, e, false, (b.and(xp.sign, e.odd), nan, one))
}

/// `x^y` of numbers that are not negative: what `exp(y log(x))` is at the limits.
#[inline(always)]
pub(super) fn powr<B: Bits>(b: &B, w: &Working, x: B::V, y: B::V) -> Raised<B::V> {
    let (xp, yp) = (operand(b, w, x), operand(b, w, y));
    let e = float_exponent(b, w, &yp);
    let zero = xp.zero(b);
    let is_one = b.eq(x, w.one(b));
    let undefined = b.or(b.and(b.or(zero, xp.exp_ones), e.zero), b.and(is_one, e.infinite));
    let negative = b.and_not(xp.sign, zero);
    let nan = b.or(b.or(b.or(xp.nan(b), e.nan), undefined), negative);
    let one = b.and_not(b.or(e.zero, is_one), nan);
    power(b, w, &xp, &e, false, (b.bool(false), nan, one))
}

/// The n-th root.
#[inline(always)]
pub(super) fn rootn<B: Bits>(b: &B, w: &Working, x: B::V, n: B::V) -> Raised<B::V> {
    let xp = operand(b, w, x);
    let e = integer_exponent(b, w, n);
    let negative = b.and_not(xp.sign, xp.zero(b));
    let nan = b.or(b.or(xp.nan(b), e.zero), b.and_not(negative, e.odd));
    power(b, w, &xp, &e, true, (b.and(xp.sign, e.odd), nan, b.bool(false)))
}
