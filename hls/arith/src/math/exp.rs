//! Exponential functions in single precision: x log2(base) = k + f; 2^f from a table, k to the exponent.

use super::pack::pack;
use super::scaled::{SCALE_BITS, Scaled, scale};
use super::table::{EXP2_F32, EXPM1_F32};
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// Base of a power.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// e
    E,
    /// 2
    Two,
    /// 10
    Ten,
}

/// log2(e) and log2(10), rounded, with 38 fraction bits in 40 bits.
pub(super) const LOG2_E: u128 = 396_564_993_198;
pub(super) const LOG2_E_FRAC: u32 = 38;
const LOG2_TEN: u128 = 913_124_641_741;
const CONSTANT_BITS: u32 = 40;

/// Integer and fraction bits of |x log2(base)|; larger numbers overflow or vanish in any case.
pub(super) const INT_BITS: u32 = 10;
pub(super) const FRAC_BITS: u32 = 32;

/// A power in fixed point: `mantissa * 2^k`.
pub(super) struct Power<V> {
    /// In [1, 2), with the table's fraction bits; two's complement.
    pub mantissa: V,
    /// Two's complement of [`INT_BITS`] + 1.
    pub k: V,
    /// |x| is far out of range: infinite, or nothing.
    pub huge: V,
}

/// `base^x`.
#[inline(always)]
pub fn exp<B: Bits>(b: &B, base: Base, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let p = power(b, base, &xp);
    let large = b.or(p.huge, xp.exp_ones);
    let nan = xp.nan(b);
    let specials =
        Specials { nan, inf: b.and_not(large, xp.sign), zero: Some(b.and(large, xp.sign)) };
    p.scaled(b).pack(b, b.bool(false), &specials)
}

#[inline(always)]
pub(super) fn power<B: Bits>(b: &B, base: Base, x: &Parts<B::V>) -> Power<B::V> {
    let significand = x.significand(b);
    let constant = match base {
        Base::E => Some(LOG2_E),
        Base::Two => None,
        Base::Ten => Some(LOG2_TEN),
    };
    // |x| log2(base) / 2^exponent: three integer bits.
    let product = match constant {
        Some(c) => b.umul(significand, b.constant(CONSTANT_BITS, c)),
        None => b.pad_low(b.zext(significand, 26), LOG2_E_FRAC),
    };
    let most = F32.bias() + INT_BITS - 3;
    let huge = b.not(b.ult_const(x.exp, u128::from(most) + 1));
    let distance = b.sub(b.constant(F32.exp_bits, most.into()), x.exponent(b));
    let shifted = b.lshr(b.top(product, INT_BITS + FRAC_BITS), distance);
    of_two(b, x.sign, shifted, huge)
}

/// `2^t` or `2^-t`, t with [`INT_BITS`] and [`FRAC_BITS`].
#[inline(always)]
pub(super) fn of_two<B: Bits>(b: &B, minus: B::V, t: B::V, huge: B::V) -> Power<B::V> {
    let signed = b.zext(t, INT_BITS + FRAC_BITS + 1);
    let t = b.mux(minus, b.negate(signed), signed);
    let fraction = b.trunc(t, FRAC_BITS);
    Power { mantissa: EXP2_F32.at(b, fraction), k: b.top(t, INT_BITS + 1), huge }
}

impl<V: Copy> Power<V> {
    /// As an integer times a power of two.
    #[inline(always)]
    pub(super) fn scaled<B: Bits<V = V>>(&self, b: &B) -> Scaled<V> {
        let frac = EXP2_F32.parsed().frac_bits as i32;
        // The mantissa is positive: its sign bit is left out.
        let magnitude = b.trunc(self.mantissa, b.width(self.mantissa) - 1);
        Scaled { magnitude, scale: b.add(b.sext(self.k, SCALE_BITS), scale(b, -frac)) }
    }
}

/// `e^x - 1`: x times a table's value near 0, else the power less 1 in fixed point.
#[inline(always)]
pub fn expm1<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let p = power(b, Base::E, &xp);
    let frac = EXP2_F32.parsed().frac_bits;

    // mantissa * 2^k - 1, in units of 2^(k - frac) for k >= 0 and of 2^-frac below.
    let width = frac + 2;
    let mantissa = b.zext(b.trunc(p.mantissa, frac + 1), width);
    let negative = b.msb(p.k);
    let one = b.constant(width, 1 << frac);
    let amount = b.mux(negative, b.negate(p.k), p.k);
    let moved = b.lshr(b.mux(negative, mantissa, one), amount);
    let kept = b.mux(negative, one, mantissa);
    let far = b.sub(kept, moved);
    let far_scale = b.mux(negative, b.constant(INT_BITS + 1, 0), p.k);

    // |x| below 1/2: x * g(x).
    let near = b.ult_const(xp.exp, u128::from(F32.bias()) - 1);
    let g = EXPM1_F32.at(b, centred(b, &xp));
    let product = b.umul(xp.significand(b), b.trunc(g, b.width(g) - 1));
    let near_frac = F32.frac_bits + EXPM1_F32.parsed().frac_bits;

    let bits = INT_BITS + 2;
    let near_exp =
        b.sub(b.zext(xp.exponent(b), bits), b.constant(bits, u128::from(F32.bias() + near_frac)));
    let far_exp = b.sub(b.sext(far_scale, bits), b.constant(bits, frac.into()));
    let magnitude = b.mux(near, product, b.zext(far, b.width(product)));
    let scale = b.mux(near, near_exp, far_exp);

    let large = b.and_not(b.or(p.huge, xp.exp_ones), near);
    let specials = Specials { nan: xp.nan(b), inf: b.and_not(large, xp.sign), zero: None };
    let result = pack(b, F32, xp.sign, magnitude, scale, &specials);
    let minus_one = b.constant(32, 0xbf80_0000);
    let below = b.and_not(b.and(large, xp.sign), xp.nan(b));
    b.mux(below, minus_one, result)
}

/// x + 1/2 in 30 fraction bits, for |x| below 1/2.
#[inline(always)]
pub(super) fn centred<B: Bits>(b: &B, x: &Parts<B::V>) -> B::V {
    const BITS: u32 = 30;
    // With exponent -2 the significand begins two places behind the point.
    let place = b.pad_low(x.significand(b), BITS - 1 - F32.precision());
    let most = b.constant(F32.exp_bits, u128::from(F32.bias()) - 2);
    let distance = b.sub(most, x.exponent(b));
    let magnitude = b.zext(b.lshr(place, distance), BITS);
    let half = b.constant(BITS, 1 << (BITS - 1));
    b.mux(x.sign, b.sub(half, magnitude), b.add(half, magnitude))
}
