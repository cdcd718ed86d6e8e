//! The gamma function and its logarithm in single precision.
//!
//! Negative numbers are reflected: gamma(-a) = -pi / (sin(pi a) gamma(1 + a)); numbers below 1 move up by one. The gamma function is then a
//! power of 2 with a tabulated exponent. Its logarithm is a table times its zeros below 4, which is as exact relatively as it is
//! absolutely, and Stirling's formula from there (NIST Digital Library of Mathematical Functions, sections 5.5 and 5.11).

use super::exp::{FRAC_BITS, INT_BITS, of_two};
use super::log;
use super::scaled::{SCALE_BITS, Scaled, is_below, look_up, scale};
use super::table::{LOG_GAMMA_F32, LOG2_GAMMA_F32, RECIP_F32, STIRLING_F32};
use super::trig::sine_of_half_turns;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// Fraction bits of |x| and of the operand of the tables in fixed point.
const PLACES: u32 = 32;
/// pi with 30 fraction bits, in 32 bits.
const PI: u128 = 3_373_259_426;

/// What is the same for all functions here.
struct Reflected<V> {
    /// x < 0.
    negative: V,
    /// |x| below `2^top` with [`PLACES`] fraction bits.
    magnitude: V,
    /// |x|, or 1 + |x| where x is negative or small: one bit more.
    y: V,
    /// x is small: in [0, `2^least`).
    small: V,
    /// |sin(pi x)|
    sine: Scaled<V>,
    /// x is negative and gamma(x) too.
    below_zero: V,
    /// x is a negative integer.
    pole: V,
}

#[inline(always)]
fn reflect<B: Bits>(b: &B, x: &Parts<B::V>, least: i32, top: u32) -> Reflected<B::V> {
    let width = top + PLACES + 1;
    let magnitude = Scaled::of(b, x).fraction(b, top as i32, top + PLACES);
    let small = b.and_not(is_below(b, x, least), x.sign);
    let moves = b.or(x.sign, small);
    let one = b.zext(b.pad_low(moves, PLACES), width);
    let y = b.add(b.zext(magnitude, width), one);
    let (sine, odd, integer) = sine_of_half_turns(b, x);
    let pole = b.and_not(b.and(x.sign, integer), x.zero(b));
    Reflected {
        negative: x.sign,
        magnitude,
        y,
        small,
        sine,
        below_zero: b.and_not(x.sign, odd),
        pole,
    }
}

/// Octave and place in it of `y`, with [`PLACES`] fraction bits and `top` more: the operand of a table whose octaves, counted in
/// `octave_bits`, begin with the one of `2^first`.
#[inline(always)]
fn by_octave<B: Bits>(b: &B, y: B::V, top: u32, first: i32, octave_bits: u32) -> B::V {
    let width = b.width(y);
    let zeros = b.lzc(y);
    let normal = b.shl(y, zeros);
    let bits = b.width(zeros);
    let most = b.constant(bits, (top as i32 - 1 - first) as u128);
    let octave = b.resize(b.sub(most, zeros), octave_bits);
    b.concat(octave, b.trunc(normal, width - 1))
}

/// `gamma(x)`.
#[inline(always)]
pub fn tgamma<B: Bits>(b: &B, x: B::V) -> B::V {
    /// Above 2^TOP there is nothing but infinity; below -48 nothing but zero.
    const TOP: u32 = 6;
    let xp = unpack(b, F32, x);
    let r = reflect(b, &xp, 0, TOP);
    // Above 63 the reflected number leaves the table; there the result is zero in any case.
    let y = b.trunc(r.y, TOP + PLACES);
    let exponent = LOG2_GAMMA_F32.at(b, by_octave(b, y, TOP, 0, 3));
    let (minus, magnitude) = log::magnitude(b, exponent);
    let drop = LOG2_GAMMA_F32.parsed().frac_bits - FRAC_BITS;
    let t = b.resize(b.top(magnitude, b.width(magnitude) - drop), INT_BITS + FRAC_BITS);
    let power = of_two(b, b.xor(minus, r.negative), t, b.bool(false)).scaled(b);

    // Over sin(pi |x|), |x| or 1.
    let one = Scaled::new(b, b.constant(1, 1), 0);
    let divisor = Scaled::select(b, r.small, Scaled::of(b, &xp), one);
    let divisor = Scaled::select(b, r.negative, r.sine, divisor);
    const DIVISOR_BITS: u32 = 32;
    let divisor = divisor.normal(b, DIVISOR_BITS);
    let (reciprocal, frac) = look_up(b, &RECIP_F32, b.trunc(divisor.magnitude, DIVISOR_BITS - 1));
    let quotient = power.times(b, reciprocal, 1 - frac - DIVISOR_BITS as i32);
    let quotient = Scaled { scale: b.sub(quotient.scale, divisor.scale), ..quotient };
    let quotient = quotient.normal(b, DIVISOR_BITS);
    let factor = b.mux(r.negative, b.constant(32, PI), b.constant(32, 1 << 30));
    let result = quotient.times(b, factor, -30);

    let zero = xp.zero(b);
    let far = b.not(is_below(b, &xp, TOP as i32));
    // From 48 on.
    let vanished = b.or(far, b.all(b.top(r.magnitude, 2)));
    let infinite = b.or(zero, b.and_not(far, xp.sign));
    let nan = b.or(b.or(xp.nan(b), r.pole), b.and(xp.inf(b), xp.sign));
    let specials = Specials { nan, inf: infinite, zero: Some(b.and(vanished, xp.sign)) };
    let sign = b.mux(zero, xp.sign, r.below_zero);
    result.pack(b, sign, &specials)
}

/// Fraction bits of sums, and all their bits.
const FRAC: u32 = 40;
const SUM_BITS: u32 = 52;
/// log(pi), log(2 pi) / 2 and log(pi / 2) / 2 with [`FRAC`] bits.
const LN_PI: u128 = 1_258_643_820_154;
const HALF_LN_TWO_PI: u128 = 1_010_383_602_470;
const HALF_LN_HALF_PI: u128 = 248_260_217_684;
/// The table of the zeros begins with 2^FIRST.
const FIRST: i32 = -1;

/// `log |gamma(x)|`.
#[inline(always)]
pub fn lgamma<B: Bits>(b: &B, x: B::V) -> B::V {
    /// Below 2^TOP comes a table, from there on Stirling's formula.
    const TOP: u32 = 2;
    let xp = unpack(b, F32, x);
    let r = reflect(b, &xp, FIRST, TOP);
    let near = is_below(b, &xp, TOP as i32);
    let magnitude = Scaled::of(b, &xp);
    let ln_x = log::ln(b, magnitude);
    let ln_sine = sum_place(b, log::ln(b, r.sine), log::SUM_FRAC);

    // The table, as it is and in the place of a sum.
    let (table, table_negative) = by_zeros(b, r.y, TOP);
    let table_sum = table.fraction(b, (SUM_BITS - FRAC) as i32, SUM_BITS);

    // |x| (log |x| - 1), in units of 2^(e - FRAC), |x| = 2^e m.
    let one = b.constant(b.width(ln_x), 1 << log::SUM_FRAC);
    let factor = b.trunc(b.sub(ln_x, one), log::SUM_FRAC + 7);
    let product = b.umul(xp.significand(b), factor);
    let drop = F32.frac_bits + log::SUM_FRAC - FRAC;
    let main = b.zext(b.top(product, b.width(product) - drop), SUM_BITS);
    let e = b.sub(b.zext(xp.exp, SCALE_BITS), scale(b, F32.bias() as i32));
    let e = b.mask(b.not(near), e);

    let rest = b.mux(near, near_rest(b, &r, ln_x, ln_sine), far_rest(b, &xp, ln_x, ln_sine));
    let base = b.mux(near, table_sum, main);
    let minus = b.xor(r.negative, b.and(near, table_negative));
    let base = b.increment(b.xor(base, b.spread(minus, SUM_BITS)), minus);
    let sum = b.add(base, b.ashr(rest, e));
    let (sum_negative, sum) = log::magnitude(b, sum);
    let sum = Scaled { magnitude: sum, scale: b.add(e, scale(b, -(FRAC as i32))) };

    let alone = b.and_not(near, b.or(r.negative, r.small));
    let sign = b.mux(alone, table_negative, sum_negative);
    let infinite = b.or(b.or(xp.exp_ones, r.pole), xp.zero(b));
    let positive = b.and_not(sign, infinite);
    let specials = Specials { nan: xp.nan(b), inf: infinite, zero: None };
    Scaled::select(b, alone, table, sum).pack(b, positive, &specials)
}

/// A sum with `frac` fraction bits in [`SUM_BITS`] with [`FRAC`].
#[inline(always)]
fn sum_place<B: Bits>(b: &B, v: B::V, frac: u32) -> B::V {
    let kept = b.top(v, b.width(v) - (frac - FRAC));
    b.sext(kept, SUM_BITS)
}

/// `ln gamma(y)` for y in [1/2, 2^(top + 1)) by its table, and whether that is negative: between its zeros.
#[inline(always)]
fn by_zeros<B: Bits>(b: &B, y: B::V, top: u32) -> (Scaled<B::V>, B::V) {
    let width = b.width(y);
    let (g, frac) = look_up(b, &LOG_GAMMA_F32, by_octave(b, y, top + 1, FIRST, 2));
    let one = b.constant(width, 1 << PLACES);
    let (below_two, second) = log::magnitude(b, b.sub(y, b.constant(width, 2 << PLACES)));
    let (below_one, first) = log::magnitude(b, b.sub(y, one));
    let zeros = Scaled::new(b, b.umul(first, second), -2 * PLACES as i32).normal(b, PLACES);
    let above_one = b.not(b.or(below_one, b.is_zero(first)));
    (zeros.times(b, g, -frac), b.and(below_two, above_one))
}

/// What is added to the table's value below 4: `-ln x` for x in [0, 1/2), `ln pi - ln |sin(pi x)|` for negative x.
#[inline(always)]
fn near_rest<B: Bits>(b: &B, r: &Reflected<B::V>, ln_x: B::V, ln_sine: B::V) -> B::V {
    let reflected = b.sub(b.constant(SUM_BITS, LN_PI), ln_sine);
    let moved = b.negate(sum_place(b, ln_x, log::SUM_FRAC));
    b.mux(r.negative, reflected, moved)
}

/// What is added to `|x| (ln |x| - 1)` from 4 on: `-ln x / 2 + ln(2 pi) / 2 + s(x)`, s what Stirling's formula leaves; for negative x
/// to `-|x| (ln |x| - 1)`: `-ln |x| / 2 + ln(pi / 2) / 2 - s(|x|) - ln |sin(pi x)|`.
#[inline(always)]
fn far_rest<B: Bits>(b: &B, x: &Parts<B::V>, ln_x: B::V, ln_sine: B::V) -> B::V {
    let half = b.negate(sum_place(b, ln_x, log::SUM_FRAC + 1));
    // Octaves from 2^2 on; beyond the sixteenth the correction is too small to be seen.
    let first = u128::from(F32.bias()) + 2;
    let octave = b.trunc(b.sub(x.exp, b.constant(F32.exp_bits, first)), 4);
    let (s, frac) = look_up(b, &STIRLING_F32, b.concat(octave, x.frac));
    let s = b.zext(b.pad_low(s, FRAC - frac as u32), SUM_BITS);
    let s = b.mask(is_below(b, x, 2 + 16), s);
    let positive = b.add(b.constant(SUM_BITS, HALF_LN_TWO_PI), s);
    let negative = b.sub(b.constant(SUM_BITS, HALF_LN_HALF_PI), b.add(s, ln_sine));
    b.add(half, b.mux(x.sign, negative, positive))
}

/// The sign of `gamma(x)`: 1 or -1; of a zero that of the pole, and 0 where gamma has none: negative integers and NaN.
#[inline(always)]
pub fn lgamma_sign<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    let xp = unpack(b, format, x);
    let p = format.precision();
    // Moves the units' place to bit p. From 2^p on all numbers are even.
    let units = b.constant(format.exp_bits, (format.bias() + p - 1).into());
    let exponent = xp.exponent(b);
    let large = b.ult(units, exponent);
    let fixed = b.lshr(b.pad_low(xp.significand(b), p), b.sub(units, exponent));
    let fraction = b.or(b.ult_const(xp.exp, format.bias().into()), b.any(b.trunc(fixed, p)));
    let integer = b.or(large, b.not(fraction));
    let odd = b.and_not(b.bit(fixed, p), large);
    let pole = b.and_not(b.and(xp.sign, integer), xp.zero(b));
    let value = b.mux(b.and_not(xp.sign, odd), b.ones(32), b.constant(32, 1));
    b.mask(b.not(b.or(xp.nan(b), pole)), value)
}
