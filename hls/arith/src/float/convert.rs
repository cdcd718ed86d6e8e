//! Conversions: float to float, float to integer, integer to float, float to integral float.

use super::parts::{Parts, normalise, unpack};
use super::round::{
    RANDOM_BITS, Specials, Unrounded, denormalise, finish, finish_stochastic, round_up,
};
use crate::bits::Bits;
use crate::format::Format;
use ir::Rounding;

/// `x` of format `from` in format `to`.
#[inline(always)]
pub fn ftof<B: Bits>(b: &B, from: Format, to: Format, mode: Rounding, x: B::V) -> B::V {
    let xp = unpack(b, from, x);
    let mut specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: None };
    let unrounded = if to.exp_bits < from.exp_bits {
        // Numbers below the target's range lose bits; the source's subnormals lose them all.
        let width = from.exp_bits + 1;
        let exp = b.zext(xp.exp, width);
        let exp = b.sub(exp, b.constant(width, (from.bias() - to.bias()) as u128));
        let (mantissa, sticky) = cut(b, xp.significand(b), to.precision() + 1);
        denormalise(b, to, xp.sign, exp, mantissa, sticky)
    } else {
        let (exp, frac) = widened(b, from, to, &xp, &mut specials);
        let (fraction, sticky) = cut(b, frac, to.frac_bits + 1);
        let (frac, round) = (b.top(fraction, to.frac_bits), b.bit(fraction, 0));
        Unrounded { sign: xp.sign, exp, frac, round, sticky, overflow: None }
    };
    finish(b, to, mode, &unrounded, &specials)
}

/// `x` of format `from` in format `to`, rounded stochastically by 32 random bits.
///
/// The magnitude's fraction of a unit in the last place, cut off to 32 bits, plus `random` carries
/// into the last place or not: with uniform random bits that is up with the probability of the
/// fraction. Exact numbers stay; what reaches the power of two above the range overflows.
#[inline(always)]
pub fn ftof_stochastic<B: Bits>(b: &B, from: Format, to: Format, x: B::V, random: B::V) -> B::V {
    let xp = unpack(b, from, x);
    let mut specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: None };
    let (exp_frac, tail) = if to.exp_bits < from.exp_bits {
        // As in `ftof`, but the bits that move out of the fraction stay.
        let width = from.exp_bits + 1;
        let exp = b.zext(xp.exp, width);
        let exp = b.sub(exp, b.constant(width, (from.bias() - to.bias()) as u128));
        let (mantissa, _) = cut(b, xp.significand(b), to.precision() + RANDOM_BITS);
        let positive = b.not(b.or(b.msb(exp), b.is_zero(exp)));
        let distance = b.mask(b.not(positive), b.sub(b.constant(width, 1), exp));
        let moved = b.lshr(mantissa, distance);
        let exp = b.mask(positive, b.trunc(exp, width - 1));
        let frac = b.slice(moved, RANDOM_BITS, to.frac_bits);
        (b.concat(exp, frac), Some(b.trunc(moved, RANDOM_BITS)))
    } else {
        let (exp, frac) = widened(b, from, to, &xp, &mut specials);
        let kept = b.concat(exp, cut(b, frac, to.frac_bits).0);
        let lost = from.frac_bits.saturating_sub(to.frac_bits);
        (kept, (lost > 0).then(|| b.trunc(frac, lost)))
    };
    finish_stochastic(b, to, xp.sign, exp_frac, tail, random, &specials)
}

/// Exponent field and all of the fraction in a format whose exponents reach as far or farther.
#[inline(always)]
fn widened<B: Bits>(
    b: &B,
    from: Format,
    to: Format,
    x: &Parts<B::V>,
    specials: &mut Specials<B::V>,
) -> (B::V, B::V) {
    if to.exp_bits == from.exp_bits {
        return (x.exp, x.frac);
    }
    // Every source number, subnormals too, is in the target's normal range.
    let normal = normalise(b, x);
    let width = to.exp_bits;
    let exp = b.sub(b.zext(x.exponent(b), width), b.zext(normal.shift, width));
    let exp = b.add(exp, b.constant(width, (to.bias() - from.bias()) as u128));
    specials.zero = Some(x.zero(b));
    (exp, b.trunc(normal.significand, from.frac_bits))
}

/// The top `width` bits of `a`, padded with zeros if there are fewer, and whether anything but
/// zeros was cut off.
#[inline(always)]
fn cut<B: Bits>(b: &B, a: B::V, width: u32) -> (B::V, B::V) {
    let have = b.width(a);
    if have <= width {
        return (b.pad_low(a, width - have), b.bool(false));
    }
    (b.top(a, width), b.any(b.trunc(a, have - width)))
}

/// The integer `x` (two's complement if `signed`), of any width, as a float.
#[inline(always)]
pub fn itof<B: Bits>(b: &B, format: Format, signed: bool, mode: Rounding, x: B::V) -> B::V {
    let width = b.width(x);
    let sign = if signed { b.msb(x) } else { b.bool(false) };
    let magnitude = if signed { b.increment(b.xor(x, b.spread(sign, width)), sign) } else { x };
    let kept = width.min(format.precision() + 1);
    let (shifted, zeros) = b.shl_leading(magnitude, None, kept);
    let normal = shifted.value;

    let top_exp = format.bias() + width - 1;
    let exp_width = format.exp_bits.max(crate::bits::count_width(top_exp));
    let exp = b.sub(b.constant(exp_width, top_exp as u128), b.zext(zeros, exp_width));
    let (mantissa, _) = cut(b, normal, format.precision() + 1);
    let unrounded = Unrounded {
        sign,
        exp: b.mask(b.msb(normal), exp),
        frac: b.slice(mantissa, 1, format.frac_bits),
        round: b.bit(mantissa, 0),
        sticky: b.any(shifted.lost),
        overflow: None,
    };
    let specials = Specials { nan: b.bool(false), inf: b.bool(false), zero: None };
    finish(b, format, mode, &unrounded, &specials)
}

/// `x` as an integer of `width` bits (two's complement if `signed`).
///
/// Out of range the result is the nearest representable integer; NaN becomes 0.
#[inline(always)]
pub fn ftoi<B: Bits>(
    b: &B,
    format: Format,
    width: u32,
    signed: bool,
    mode: Rounding,
    x: B::V,
) -> B::V {
    let xp = unpack(b, format, x);

    // The significand starts with its hidden bit at the integer's top place and moves right; one
    // place behind the integer rounds, the rest is sticky.
    let (start, lost) = cut(b, xp.significand(b), width + 1);
    let top_exp = format.bias() + width - 1; // exponent field of 2^(width - 1)
    let exp_width = format.exp_bits.max(crate::bits::count_width(top_exp));
    let distance = b.sub(b.constant(exp_width, top_exp as u128), b.zext(xp.exp, exp_width));
    let moved = b.lshr_lossy(start, distance);
    let sticky = b.any(moved.lost);
    let integer = b.top(moved.value, width);
    let round = b.bit(moved.value, 0);
    let up = round_up(b, mode, xp.sign, b.bit(integer, 0), round, b.or(sticky, lost));
    let too_big = if top_exp >= format.exp_max() {
        xp.exp_ones
    } else {
        b.ult(b.constant(format.exp_bits, top_exp as u128), xp.exp)
    };

    // -(i + up) = !i + (1 - up): one adder rounds and negates.
    let flipped = b.xor(b.zext(integer, width + 1), b.spread(xp.sign, width + 1));
    let sum = b.increment(flipped, b.xor(xp.sign, up));
    let number = b.trunc(sum, width);
    let carry = b.msb(sum);
    let nan = xp.nan(b);
    let (overflow, limit) = if signed {
        // In range the two top bits of the sum agree.
        let top = b.bit(sum, width - 1);
        let below = b.and_not(carry, top);
        let above = b.or(carry, top);
        let limit = b.concat(xp.sign, b.spread(b.not(xp.sign), width - 1));
        (b.mux(xp.sign, below, above), limit)
    } else {
        // Negative numbers, if they do not round to 0, become it.
        (b.or(carry, xp.sign), b.spread(b.not(xp.sign), width))
    };
    let result = b.mux(b.or(overflow, too_big), limit, number);
    b.mask(b.not(nan), result)
}

/// `x` rounded to an integral value, with the sign of `x`: `rint`, `trunc`, `ceil`, `floor` and
/// `round` by mode. NaN becomes the canonical NaN.
#[inline(always)]
pub fn fround<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V) -> B::V {
    let xp = unpack(b, format, x);
    let width = format.width() - 1;
    let bias = format.bias() as u128;
    let exp_bits = format.exp_bits;

    // From 2^frac_bits on (infinities and NaNs too) there is no fraction; below 1 nothing else.
    let integral = b.not(b.ult_const(xp.exp, bias + format.frac_bits as u128));
    let below_one = b.ult_const(xp.exp, bias);

    // The places of the fraction, as a mask: ones below the unit's place.
    let top = b.constant(exp_bits, bias);
    let shift = b.sub(xp.exp, top);
    let mask = b.zext(b.lshr(b.ones(format.frac_bits), shift), width);
    let unit = b.increment(mask, b.bool(true)); // one-hot: the unit's place
    let half = b.zext(b.slice(unit, 1, width - 1), width);
    let lost = b.and(xp.magnitude, mask);
    let round = b.any(b.and(xp.magnitude, half));
    let sticky = b.any(b.and_not(lost, half));
    // The lowest exponent bit stands for the hidden bit: it is 1 for the exponent of 1.
    let lsb = b.any(b.and(xp.magnitude, unit));
    let up = round_up(b, mode, xp.sign, lsb, round, sticky);
    let cleared = b.and_not(xp.magnitude, mask);
    let large = b.add(cleared, b.mask(up, unit));

    // Below 1 the result is 0 or 1; the hidden bit of [1/2, 1) is the rounding bit.
    let half_or_more = b.eq(xp.exp, b.constant(exp_bits, bias - 1));
    let small_sticky = b.mux(half_or_more, b.not(xp.frac_zero), b.any(xp.magnitude));
    let no = b.bool(false);
    let small_up = round_up(b, mode, xp.sign, no, half_or_more, small_sticky);
    let small = b.mask(small_up, b.constant(width, format.one()));

    let finite = b.mux(below_one, small, large);
    let result = b.concat(xp.sign, b.mux(integral, xp.magnitude, finite));
    b.mux(xp.nan(b), b.constant(format.width(), format.nan()), result)
}
