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
/// fraction becomes the next exponent, and the largest subnormal becomes the smallest normal.
#[inline(always)]
pub fn finish<B: Bits>(
    b: &B,
    format: Format,
    mode: Rounding,
    x: &Unrounded<B::V>,
    specials: &Specials<B::V>,
) -> B::V {
    let lsb = b.bit(x.frac, 0);
    let increment = round_up(b, mode, x.sign, lsb, x.round, x.sticky);
    let packed = b.increment(b.concat(x.exp, x.frac), increment);
    pack(b, format, mode, x.sign, packed, specials)
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
    pack(b, format, Rounding::Rte, sign, packed, specials)
}

/// Handles overflow of a rounded number, exponent above fraction, overrides with the special
/// results and packs.
#[inline(always)]
fn pack<B: Bits>(
    b: &B,
    format: Format,
    mode: Rounding,
    sign: B::V,
    packed: B::V,
    specials: &Specials<B::V>,
) -> B::V {
    let frac = b.trunc(packed, format.frac_bits);
    let extra = b.width(packed) - format.frac_bits - format.exp_bits;
    let wide_exp = b.top(packed, format.exp_bits + extra);
    let exp = b.trunc(wide_exp, format.exp_bits);

    let mut overflow = b.all(exp);
    if extra > 0 {
        overflow = b.or(overflow, b.any(b.top(wide_exp, extra)));
    }
    let (exp, frac, overflow_to_inf) = saturate(b, mode, sign, overflow, exp, frac);

    let special = b.or(specials.nan, specials.inf);
    let mut to_max_exp = b.or(special, overflow_to_inf);
    let mut frac_clear = to_max_exp;
    let mut exp = exp;
    if let Some(zero) = specials.zero {
        exp = b.mask(b.not(zero), exp);
        to_max_exp = b.or(special, b.and_not(overflow_to_inf, zero));
        frac_clear = b.or(to_max_exp, zero);
    }
    let exp = b.or(exp, b.spread(to_max_exp, format.exp_bits));
    let frac = b.mask(b.not(frac_clear), frac);
    let quiet_bit = b.or(b.msb(frac), specials.nan);
    let sign = b.and_not(sign, specials.nan);
    let frac = b.concat(quiet_bit, b.trunc(frac, format.frac_bits - 1));
    b.concat(sign, b.concat(exp, frac))
}

/// What overflow becomes: the largest finite number where the mode rounds towards zero (returned
/// in the fields), infinity otherwise (returned as a flag).
#[inline(always)]
fn saturate<B: Bits>(
    b: &B,
    mode: Rounding,
    sign: B::V,
    overflow: B::V,
    exp: B::V,
    frac: B::V,
) -> (B::V, B::V, B::V) {
    let toward_zero = match mode {
        Rounding::Rte | Rounding::Rhaz => return (exp, frac, overflow),
        Rounding::Rtz => b.bool(true),
        Rounding::Rtp => sign,
        Rounding::Rtn => b.not(sign),
    };
    let to_max = b.and(overflow, toward_zero);
    let max_exp = b.sub(b.ones(b.width(exp)), b.constant(b.width(exp), 1));
    let exp = b.mux(to_max, max_exp, exp);
    let frac = b.or(frac, b.spread(to_max, b.width(frac)));
    (exp, frac, b.and_not(overflow, toward_zero))
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
    let (moved, lost) = b.lshr_sticky(mantissa, distance);
    Unrounded {
        sign,
        exp: b.mask(positive, b.trunc(exp, width - 1)),
        frac: b.slice(moved, 1, format.frac_bits),
        round: b.bit(moved, 0),
        sticky: b.or(sticky, lost),
    }
}
