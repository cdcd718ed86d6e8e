//! The gamma function and its logarithm.
//!
//! Negative numbers are reflected: gamma(-a) = -pi / (sin(pi a) gamma(1 + a)); numbers below 1 move up by one. The gamma function is then a
//! power of 2 with a tabulated exponent. Its logarithm is a table times its zeros below 4, which is as exact relatively as it is
//! absolutely, and Stirling's formula from there (NIST Digital Library of Mathematical Functions, sections 5.5 and 5.11).

use super::exp::of_two;
use super::log;
use super::scaled::{Scaled, is_below, look_up};
use super::table::{LOG_GAMMA_F32, LOG_GAMMA_F64, LOG2_GAMMA_F32, LOG2_GAMMA_F64};
use super::table::{RECIP_F32, RECIP_F64, STIRLING_F32, STIRLING_F64, Table};
use super::trig::sine_of_half_turns;
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

/// What depends on the format.
pub struct Constants {
    /// log2 gamma(y) from 1 on, eight octaves.
    pub log2_gamma: &'static Table,
    /// ln gamma(y) / ((y - 1) (y - 2)) from [`FIRST`] on, four octaves.
    pub log_gamma: &'static Table,
    /// What Stirling's formula leaves from `2^TABLE_TOP` on, `2^octave_bits` octaves.
    pub stirling: &'static Table,
    pub octave_bits: u32,
    /// 1 / (1 + t).
    pub recip: &'static Table,
    /// Fraction bits of |x| and of the operand of the tables in fixed point.
    pub places: u32,
    /// From `2^top` on there is nothing but infinity and zero; zero already from three quarters of that on.
    pub top: u32,
    /// pi with [`Working::bits`] fraction bits.
    pub pi: u128,
    /// Fraction bits of a logarithm that is multiplied.
    pub factor_frac: u32,
    /// Fraction bits of sums, and all their bits.
    pub frac: u32,
    pub sum_bits: u32,
    /// log(pi), log(2 pi) / 2 and log(pi / 2) / 2 with `frac` fraction bits.
    pub ln_pi: u128,
    pub half_ln_two_pi: u128,
    pub half_ln_half_pi: u128,
}

pub static SINGLE: Constants = Constants {
    log2_gamma: &LOG2_GAMMA_F32,
    log_gamma: &LOG_GAMMA_F32,
    stirling: &STIRLING_F32,
    octave_bits: 4,
    recip: &RECIP_F32,
    places: 32,
    top: 6,
    pi: 3_373_259_426,
    factor_frac: 54,
    frac: 40,
    sum_bits: 52,
    ln_pi: 1_258_643_820_154,
    half_ln_two_pi: 1_010_383_602_470,
    half_ln_half_pi: 248_260_217_684,
};

pub static DOUBLE: Constants = Constants {
    log2_gamma: &LOG2_GAMMA_F64,
    log_gamma: &LOG_GAMMA_F64,
    stirling: &STIRLING_F64,
    octave_bits: 5,
    recip: &RECIP_F64,
    places: 60,
    top: 8,
    pi: 7_244_019_458_077_122_842,
    factor_frac: 62,
    frac: 64,
    sum_bits: 78,
    ln_pi: 21_116_539_237_790_634_173,
    half_ln_two_pi: 16_951_423_941_496_644_917,
    half_ln_half_pi: 4_165_115_296_293_989_257,
};

/// The table of the zeros begins with 2^FIRST and is used below 2^TABLE_TOP.
const FIRST: i32 = -1;
const TABLE_TOP: u32 = 2;

/// What is the same for both functions.
struct Reflected<V> {
    /// x < 0.
    negative: V,
    /// |x| below `2^top` with [`Constants::places`] fraction bits.
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
fn reflect<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>, least: i32, top: u32) -> Reflected<B::V> {
    let places = w.gamma.places;
    let width = top + places + 1;
    let magnitude = Scaled::of(b, w, x).fraction(b, top as i32, top + places);
    let small = b.and_not(is_below(b, w, x, least), x.sign);
    let moves = b.or(x.sign, small);
    let one = b.zext(b.pad_low(moves, places), width);
    let y = b.add(b.zext(magnitude, width), one);
    let (sine, odd, integer) = sine_of_half_turns(b, w, x);
    let pole = b.and_not(b.and(x.sign, integer), x.zero(b));
    let below_zero = b.and_not(x.sign, odd);
    Reflected { negative: x.sign, magnitude, y, small, sine, below_zero, pole }
}

/// Octave and place in it of `y`, with [`Constants::places`] fraction bits and `top` more: the operand of a table whose octaves,
/// counted in `octave_bits`, begin with the one of `2^first`.
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
pub fn tgamma<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let c = w.gamma;
    let xp = unpack(b, w.format, x);
    let r = reflect(b, w, &xp, 0, c.top);
    // At the end the reflected number leaves the table; there the result is zero in any case.
    let y = b.trunc(r.y, c.top + c.places);
    let exponent = c.log2_gamma.at(b, by_octave(b, y, c.top, 0, 3));
    let (minus, magnitude) = log::magnitude(b, exponent);
    let t = match c.log2_gamma.parsed().frac_bits {
        more @ 0.. if more > w.exp.frac_bits => {
            b.top(magnitude, b.width(magnitude) - (more - w.exp.frac_bits))
        }
        less => b.pad_low(magnitude, w.exp.frac_bits - less),
    };
    let t = b.resize(t, w.exp.bits());
    let power = of_two(b, w, b.xor(minus, r.negative), t, b.bool(false)).scaled(b, w);

    // Over sin(pi |x|), |x| or 1.
    let one = Scaled::new(b, w, b.constant(1, 1), 0);
    let divisor = Scaled::select(b, r.small, Scaled::of(b, w, &xp), one);
    let divisor = Scaled::select(b, r.negative, r.sine, divisor);
    let bits = w.bits + 2;
    let divisor = divisor.normal(b, bits);
    let (reciprocal, frac) = look_up(b, c.recip, b.trunc(divisor.magnitude, bits - 1));
    let quotient = power.times(b, reciprocal, 1 - frac - bits as i32);
    let quotient = Scaled { scale: b.sub(quotient.scale, divisor.scale), ..quotient };
    let one = b.constant(bits, 1 << w.bits);
    let factor = b.mux(r.negative, b.constant(bits, c.pi), one);
    let result = quotient.normal(b, bits).times(b, factor, -(w.bits as i32));

    let zero = xp.zero(b);
    let far = b.not(is_below(b, w, &xp, c.top as i32));
    let vanished = b.or(far, b.all(b.top(r.magnitude, 2)));
    let infinite = b.or(zero, b.and_not(far, xp.sign));
    let nan = b.or(b.or(xp.nan(b), r.pole), b.and(xp.inf(b), xp.sign));
    let specials = Specials { nan, inf: infinite, zero: Some(b.and(vanished, xp.sign)) };
    let sign = b.mux(zero, xp.sign, r.below_zero);
    result.pack(b, w, sign, &specials)
}

/// `log |gamma(x)|`.
#[inline(always)]
pub fn lgamma<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let (c, format) = (w.gamma, w.format);
    let xp = unpack(b, format, x);
    let r = reflect(b, w, &xp, FIRST, TABLE_TOP);
    let near = is_below(b, w, &xp, TABLE_TOP as i32);
    let ln_x = log::ln(b, w, Scaled::of(b, w, &xp));
    let ln_sine = sum_place(b, w, log::ln(b, w, r.sine), w.log.sum_frac);

    // The table, as it is and in the place of a sum.
    let (table, table_negative) = by_zeros(b, w, r.y);
    let table_sum = table.fraction(b, (c.sum_bits - c.frac) as i32, c.sum_bits);

    // |x| (log |x| - 1), in units of 2^(e - frac), |x| = 2^e m.
    let one = b.constant(b.width(ln_x), 1 << w.log.sum_frac);
    let factor = b.sub(ln_x, one);
    let factor = b.top(factor, b.width(factor) - (w.log.sum_frac - c.factor_frac));
    // It is positive wherever it counts.
    let factor = b.trunc(factor, b.width(factor) - 1);
    let product = b.umul(xp.significand(b), factor);
    let drop = format.frac_bits + c.factor_frac - c.frac;
    let main = b.resize(b.top(product, b.width(product) - drop), c.sum_bits);
    let e = b.sub(b.zext(xp.exp, w.scale_bits), w.scale(b, format.bias() as i32));
    let e = b.mask(b.not(near), e);

    let rest = b.mux(near, near_rest(b, w, &r, ln_x, ln_sine), far_rest(b, w, &xp, ln_x, ln_sine));
    let base = b.mux(near, table_sum, main);
    let minus = b.xor(r.negative, b.and(near, table_negative));
    let base = b.increment(b.xor(base, b.spread(minus, c.sum_bits)), minus);
    let sum = b.add(base, b.ashr(rest, e));
    let (sum_negative, sum) = log::magnitude(b, sum);
    let sum = Scaled { magnitude: sum, scale: b.add(e, w.scale(b, -(c.frac as i32))) };

    let alone = b.and_not(near, b.or(r.negative, r.small));
    let sign = b.mux(alone, table_negative, sum_negative);
    let infinite = b.or(b.or(xp.exp_ones, r.pole), xp.zero(b));
    let sign = b.and_not(sign, infinite);
    let specials = Specials { nan: xp.nan(b), inf: infinite, zero: None };
    Scaled::select(b, alone, table, sum).pack(b, w, sign, &specials)
}

/// A sum with `frac` fraction bits in [`Constants::sum_bits`] with [`Constants::frac`].
#[inline(always)]
fn sum_place<B: Bits>(b: &B, w: &Working, v: B::V, frac: u32) -> B::V {
    let kept = b.top(v, b.width(v) - (frac - w.gamma.frac));
    b.sext(kept, w.gamma.sum_bits)
}

/// `ln gamma(y)` for y in [1/2, 2^(TABLE_TOP + 1)) by its table, and whether that is negative: between its zeros.
#[inline(always)]
fn by_zeros<B: Bits>(b: &B, w: &Working, y: B::V) -> (Scaled<B::V>, B::V) {
    let (width, places) = (b.width(y), w.gamma.places);
    let (g, frac) = look_up(b, w.gamma.log_gamma, by_octave(b, y, TABLE_TOP + 1, FIRST, 2));
    let one = b.constant(width, 1 << places);
    let two = b.constant(width, 2 << places);
    let (below_two, second) = log::magnitude(b, b.sub(y, two));
    let (below_one, first) = log::magnitude(b, b.sub(y, one));
    let zeros = Scaled::new(b, w, b.umul(first, second), -2 * places as i32).normal(b, places);
    let above_one = b.not(b.or(below_one, b.is_zero(first)));
    (zeros.times(b, g, -frac), b.and(below_two, above_one))
}

/// What is added to the table's value below 4: `-ln x` for x in [0, 1/2), `ln pi - ln |sin(pi x)|` for negative x.
#[inline(always)]
fn near_rest<B: Bits>(b: &B, w: &Working, r: &Reflected<B::V>, ln_x: B::V, ln_sine: B::V) -> B::V {
    let reflected = b.sub(b.constant(w.gamma.sum_bits, w.gamma.ln_pi), ln_sine);
    let moved = b.negate(sum_place(b, w, ln_x, w.log.sum_frac));
    b.mux(r.negative, reflected, moved)
}

/// What is added to `|x| (ln |x| - 1)` from 4 on: `-ln x / 2 + ln(2 pi) / 2 + s(x)`, s what Stirling's formula leaves; for negative x
/// to `-|x| (ln |x| - 1)`: `-ln |x| / 2 + ln(pi / 2) / 2 - s(|x|) - ln |sin(pi x)|`.
#[inline(always)]
fn far_rest<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>, ln_x: B::V, ln_sine: B::V) -> B::V {
    let (c, format) = (w.gamma, w.format);
    let half = b.negate(sum_place(b, w, ln_x, w.log.sum_frac + 1));
    // Beyond the last octave the correction is too small to be seen.
    let first = u128::from(format.bias() + TABLE_TOP);
    let octave = b.trunc(b.sub(x.exp, b.constant(format.exp_bits, first)), c.octave_bits);
    let (s, frac) = look_up(b, c.stirling, b.concat(octave, x.frac));
    let s = b.zext(b.pad_low(s, c.frac - frac as u32), c.sum_bits);
    let s = b.mask(is_below(b, w, x, (TABLE_TOP + (1 << c.octave_bits)) as i32), s);
    let positive = b.add(b.constant(c.sum_bits, c.half_ln_two_pi), s);
    let negative = b.sub(b.constant(c.sum_bits, c.half_ln_half_pi), b.add(s, ln_sine));
    b.add(half, b.mux(x.sign, negative, positive))
}

/// The sign of `gamma(x)`: 1 or -1; 0 at the poles, which are zeros of both signs and the negative integers, and for NaN
/// (OpenCL SPIR-V environment, edge cases of `lgamma_r`).
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
    let pole = b.or(b.and(xp.sign, integer), xp.zero(b));
    let value = b.mux(b.and_not(xp.sign, odd), b.ones(32), b.constant(32, 1));
    b.mask(b.not(b.or(xp.nan(b), pole)), value)
}
