//! Rounding and packing: the last step of every operator with a floating-point result.

use crate::bits::Bits;
use crate::format::Format;
use ir::Rounding;

/// 1 if a magnitude is to be incremented in its last place.
///
/// `lsb` is the last place kept, `round` the first dropped, `sticky` whether any later one is 1.
#[inline(always)]
pub fn round_up<B: Bits>(
    b: &B,
    mode: Rounding,
    sign: B::V,
    lsb: B::V,
    round: B::V,
    sticky: B::V,
) -> B::V {
    match mode {
        Rounding::Rte => b.and(round, b.or(lsb, sticky)),
        Rounding::Rhaz => round,
        Rounding::Rtz => b.bool(false),
        Rounding::Rtp => b.and_not(b.or(round, sticky), sign),
        Rounding::Rtn => b.and(b.or(round, sticky), sign),
    }
}

/// A finite result before rounding: sign, exponent, fraction, and what follows the fraction.
#[derive(Clone, Copy, Debug)]
pub struct Unrounded<V> {
    /// Sign bit.
    pub sign: V,
    /// Biased exponent field, unsigned; 0 for subnormals. May be wider than the format's field:
    /// values that do not fit overflow.
    pub exp: V,
    /// Fraction field.
    pub frac: V,
    /// First bit behind the fraction.
    pub round: V,
    /// 1 if anything behind `round` is not 0.
    pub sticky: V,
    /// 1 if the exponent is above those of finite numbers, where that is known earlier than from
    /// `exp`; of no consequence for special results.
    pub overflow: Option<V>,
}

/// Results that replace the rounded number. `nan` goes before `inf`, `inf` before `zero`.
#[derive(Clone, Copy, Debug)]
pub struct Specials<V> {
    /// The result is the canonical NaN.
    pub nan: V,
    /// The result is an infinity with the sign of the unrounded number.
    pub inf: V,
    /// The result is a zero with the sign of the unrounded number; None where the datapath
    /// yields zeros by itself.
    pub zero: Option<V>,
}

/// Rounds, handles overflow, overrides with the special results and packs.
///
/// The increment runs over exponent and fraction as one number, so that a carry out of the
/// fraction becomes the next exponent, the largest subnormal becomes the smallest normal, and the
/// largest finite number infinity. Everything else is decided before the increment, beside the
/// rounding decision: the adder's sum is the result.
#[inline(always)]
pub fn finish<B: Bits>(
    b: &B,
    format: Format,
    mode: Rounding,
    x: &Unrounded<B::V>,
    specials: &Specials<B::V>,
) -> B::V {
    let mut overflow = x.overflow.unwrap_or_else(|| beyond_finite(b, format, x.exp));
    if let Some(zero) = specials.zero {
        overflow = b.and_not(overflow, zero);
    }
    let special = b.or(specials.nan, specials.inf);
    let (infinite, largest) = split_overflow(b, mode, x.sign, overflow, special);
    let mut exp = b.trunc(x.exp, format.exp_bits);
    let mut frac_clear = infinite;
    if let Some(zero) = specials.zero {
        exp = b.mask(b.not(zero), exp);
        frac_clear = b.or(infinite, zero);
    }
    exp = b.or(exp, b.spread(infinite, format.exp_bits));
    let mut frac = b.mask(b.not(frac_clear), x.frac);
    let mut exact = frac_clear;
    if let Some(largest) = largest {
        let max_exp = b.constant(format.exp_bits, u128::from(format.exp_max()) - 1);
        exp = b.mux(largest, max_exp, exp);
        frac = b.or(frac, b.spread(largest, format.frac_bits));
        exact = b.or(exact, largest);
    }
    let quiet_bit = b.or(b.msb(frac), specials.nan);
    let frac = b.concat(quiet_bit, b.trunc(frac, format.frac_bits - 1));

    let inexact = b.not(exact);
    let (round, sign) = (b.and(x.round, inexact), x.sign);
    let increment = match mode {
        Rounding::Rtp | Rounding::Rtn => {
            let up = round_up(b, mode, sign, b.bit(x.frac, 0), x.round, x.sticky);
            b.and(up, inexact)
        }
        _ => round_up(b, mode, sign, b.bit(x.frac, 0), round, x.sticky),
    };
    let packed = b.increment(b.concat(exp, frac), increment);
    b.concat(b.and_not(sign, specials.nan), packed)
}

/// Random bits that a stochastic rounding takes.
pub const RANDOM_BITS: u32 = 32;

/// Rounds stochastically: `random` is added to as many bits behind the last place, which are the
/// low bits of `tail`, and what carries into the last place stays.
///
/// The first bit of `tail` weighs half a unit in the last place; if it is shorter than `random`,
/// the low bits of that cannot matter.
#[inline(always)]
pub fn finish_stochastic<B: Bits>(
    b: &B,
    format: Format,
    sign: B::V,
    exp_frac: B::V,
    tail: Option<B::V>,
    random: B::V,
    specials: &Specials<B::V>,
) -> B::V {
    let packed = match tail {
        None => exp_frac,
        Some(tail) => {
            let long = b.concat(exp_frac, tail);
            let random = b.top(random, b.width(tail));
            b.top(b.add(long, b.zext(random, b.width(long))), b.width(exp_frac))
        }
    };
    pack_rounded(b, format, sign, packed, specials)
}

/// Exponent and fraction of a rounded number, with the special results and infinity for what overflowed.
#[inline(always)]
fn pack_rounded<B: Bits>(
    b: &B,
    format: Format,
    sign: B::V,
    packed: B::V,
    specials: &Specials<B::V>,
) -> B::V {
    let wide_exp = b.top(packed, b.width(packed) - format.frac_bits);
    let overflow = beyond_finite(b, format, wide_exp);
    let mut infinite = b.or(b.or(specials.nan, specials.inf), overflow);
    let mut clear = infinite;
    if let Some(zero) = specials.zero {
        let special = b.or(specials.nan, specials.inf);
        infinite = b.or(special, b.and_not(overflow, zero));
        clear = b.or(infinite, zero);
    }
    let exp = b.mask(b.not(clear), b.trunc(wide_exp, format.exp_bits));
    let exp = b.or(exp, b.spread(infinite, format.exp_bits));
    let frac = b.mask(b.not(clear), b.trunc(packed, format.frac_bits));
    let quiet_bit = b.or(b.msb(frac), specials.nan);
    let frac = b.concat(quiet_bit, b.trunc(frac, format.frac_bits - 1));
    b.concat(b.and_not(sign, specials.nan), b.concat(exp, frac))
}

/// 1 if an exponent field, perhaps wider than the format's, is that of infinity or above.
#[inline(always)]
fn beyond_finite<B: Bits>(b: &B, format: Format, exp: B::V) -> B::V {
    let all = b.all(b.trunc(exp, format.exp_bits));
    match b.width(exp) - format.exp_bits {
        0 => all,
        extra => b.or(all, b.any(b.top(exp, extra))),
    }
}

/// What overflow becomes: whether the result is an infinity (or special) and, in modes that
/// round towards zero, whether it is the largest finite number.
#[inline(always)]
fn split_overflow<B: Bits>(
    b: &B,
    mode: Rounding,
    sign: B::V,
    overflow: B::V,
    special: B::V,
) -> (B::V, Option<B::V>) {
    let toward_zero = match mode {
        Rounding::Rte | Rounding::Rhaz => return (b.or(special, overflow), None),
        Rounding::Rtz => b.bool(true),
        Rounding::Rtp => sign,
        Rounding::Rtn => b.not(sign),
    };
    let largest = b.and(overflow, b.and_not(toward_zero, special));
    (b.or(special, b.and_not(overflow, toward_zero)), Some(largest))
}

/// Moves a normalised mantissa (p significand bits and one behind) right as far as its signed
/// exponent is below the smallest, so that it can be rounded as a subnormal.
///
/// `exp` is the signed biased exponent; its positive values must fit in one bit less.
#[inline(always)]
pub fn denormalise<B: Bits>(
    b: &B,
    format: Format,
    sign: B::V,
    exp: B::V,
    mantissa: B::V,
    sticky: B::V,
) -> Unrounded<B::V> {
    let width = b.width(exp);
    let missing = b.sub(b.constant(width, 1), exp);
    let positive = b.not(b.or(b.msb(exp), b.is_zero(exp)));
    let distance = b.mask(b.not(positive), missing);
    let moved = b.lshr_lossy(mantissa, distance);
    let lost = b.any(moved.lost);
    let moved = moved.value;
    Unrounded {
        sign,
        exp: b.mask(positive, b.trunc(exp, width - 1)),
        frac: b.slice(moved, 1, format.frac_bits),
        round: b.bit(moved, 0),
        sticky: b.or(sticky, lost),
        overflow: None,
    }
}
