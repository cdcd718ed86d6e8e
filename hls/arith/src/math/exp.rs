//! Exponential functions: x log2(base) = k + f; 2^f from a table, k to the exponent.

use super::pack::pack;
use super::scaled::Scaled;
use super::table::{EXP2_F32, EXP2_F64, EXPM1_F32, EXPM1_F64, Table};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;

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

/// What depends on the format.
pub struct Constants {
    /// 2^t.
    pub exp2: &'static Table,
    /// (e^x - 1) / x.
    pub expm1: &'static Table,
    /// log2(e) and log2(10), rounded, in `constant_bits` bits, two of them before the point.
    pub log2_e: u128,
    pub log2_ten: u128,
    pub constant_bits: u32,
    /// Integer and fraction bits of |x log2(base)|; larger numbers overflow or vanish in any case.
    pub int_bits: u32,
    pub frac_bits: u32,
}

pub static SINGLE: Constants = Constants {
    exp2: &EXP2_F32,
    expm1: &EXPM1_F32,
    log2_e: 396_564_993_198,
    log2_ten: 913_124_641_741,
    constant_bits: 40,
    int_bits: 10,
    frac_bits: 32,
};

pub static DOUBLE: Constants = Constants {
    exp2: &EXP2_F64,
    expm1: &EXPM1_F64,
    log2_e: 1_703_233_676_524_073_278_943,
    log2_ten: 3_921_840_473_449_773_596_233,
    constant_bits: 72,
    int_bits: 13,
    frac_bits: 64,
};

impl Constants {
    /// Bits of |x log2(base)|.
    pub fn bits(&self) -> u32 {
        self.int_bits + self.frac_bits
    }
}

/// A power in fixed point: `mantissa * 2^k`.
#[derive(Clone, Copy)]
pub(super) struct Power<V> {
    /// In [1, 2), with the table's fraction bits; two's complement.
    pub mantissa: V,
    /// Two's complement of [`Constants::int_bits`] + 1.
    pub k: V,
    /// |x| is far out of range: infinite, or nothing.
    pub huge: V,
}

/// `base^x`.
#[inline(always)]
pub fn exp<B: Bits>(b: &B, w: &Working, base: Base, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let p = power(b, w, base, &xp);
    let large = b.or(p.huge, xp.exp_ones);
    let nan = xp.nan(b);
    let specials =
        Specials { nan, inf: b.and_not(large, xp.sign), zero: Some(b.and(large, xp.sign)) };
    p.scaled(b, w).pack(b, w, b.bool(false), &specials)
}

/// `base^x` in fixed point, for finite numbers.
#[inline(always)]
pub(super) fn power<B: Bits>(b: &B, w: &Working, base: Base, x: &Parts<B::V>) -> Power<B::V> {
    let (significand, c) = (x.significand(b), w.exp);
    let constant = match base {
        Base::E => Some(c.log2_e),
        Base::Two => None,
        Base::Ten => Some(c.log2_ten),
    };
    // |x| log2(base) / 2^exponent: three integer bits.
    let product = match constant {
        Some(value) => b.umul(significand, b.constant(c.constant_bits, value)),
        None => {
            let integer = b.zext(significand, w.format.precision() + 2);
            b.pad_low(integer, c.constant_bits - 2)
        }
    };
    let most = w.format.bias() + c.int_bits - 3;
    let huge = b.not(b.ult_const(x.exp, u128::from(most) + 1));
    let distance = b.sub(b.constant(w.format.exp_bits, most.into()), x.exponent(b));
    let shifted = b.lshr(b.top(product, c.bits()), distance);
    of_two(b, w, x.sign, shifted, huge)
}

/// `2^t` or `2^-t`, t with [`Constants::int_bits`] and [`Constants::frac_bits`].
#[inline(always)]
pub(super) fn of_two<B: Bits>(b: &B, w: &Working, minus: B::V, t: B::V, huge: B::V) -> Power<B::V> {
    let c = w.exp;
    let signed = b.zext(t, c.bits() + 1);
    let t = b.mux(minus, b.negate(signed), signed);
    let fraction = b.trunc(t, c.frac_bits);
    Power { mantissa: c.exp2.at(b, fraction), k: b.top(t, c.int_bits + 1), huge }
}

impl<V: Copy> Power<V> {
    /// As an integer times a power of two.
    #[inline(always)]
    pub(super) fn scaled<B: Bits<V = V>>(&self, b: &B, w: &Working) -> Scaled<V> {
        let frac = w.exp.exp2.parsed().frac_bits as i32;
        // The mantissa is positive: its sign bit is left out.
        let magnitude = b.trunc(self.mantissa, b.width(self.mantissa) - 1);
        Scaled { magnitude, scale: b.add(b.sext(self.k, w.scale_bits), w.scale(b, -frac)) }
    }
}

/// `e^x - 1`: x times a table's value near 0, else the power less 1 in fixed point.
#[inline(always)]
pub fn expm1<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let (format, c) = (w.format, w.exp);
    let xp = unpack(b, format, x);
    let p = power(b, w, Base::E, &xp);
    let frac = c.exp2.parsed().frac_bits;

    // mantissa * 2^k - 1, in units of 2^(k - frac) for k >= 0 and of 2^-frac below.
    let width = frac + 2;
    let mantissa = b.zext(b.trunc(p.mantissa, frac + 1), width);
    let negative = b.msb(p.k);
    let one = b.constant(width, 1 << frac);
    let amount = b.mux(negative, b.negate(p.k), p.k);
    let moved = b.lshr(b.mux(negative, mantissa, one), amount);
    let kept = b.mux(negative, one, mantissa);
    let far = b.sub(kept, moved);
    let far_scale = b.mux(negative, b.constant(c.int_bits + 1, 0), p.k);

    // |x| below 1/2: x * g(x).
    let near = b.ult_const(xp.exp, u128::from(format.bias()) - 1);
    let g = c.expm1.at(b, centred(b, w, &xp));
    let product = b.umul(xp.significand(b), b.trunc(g, b.width(g) - 1));
    let near_frac = format.frac_bits + c.expm1.parsed().frac_bits;

    let bits = c.int_bits + 2;
    let near_exp = b
        .sub(b.zext(xp.exponent(b), bits), b.constant(bits, u128::from(format.bias() + near_frac)));
    let far_exp = b.sub(b.sext(far_scale, bits), b.constant(bits, frac.into()));
    let magnitude = b.mux(near, product, b.zext(far, b.width(product)));
    let scale = b.mux(near, near_exp, far_exp);

    let large = b.and_not(b.or(p.huge, xp.exp_ones), near);
    let specials = Specials { nan: xp.nan(b), inf: b.and_not(large, xp.sign), zero: None };
    let result = pack(b, format, xp.sign, magnitude, scale, &specials);
    let minus_one = b.constant(format.width(), format.sign_mask() | format.one());
    let below = b.and_not(b.and(large, xp.sign), xp.nan(b));
    b.mux(below, minus_one, result)
}

/// x + 1/2 in [`Working::bits`] fraction bits, for |x| below 1/2.
#[inline(always)]
pub(super) fn centred<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> B::V {
    let (bits, format) = (w.bits, w.format);
    // With exponent -2 the significand begins two places behind the point.
    let place = b.pad_low(x.significand(b), bits - 1 - format.precision());
    let most = b.constant(format.exp_bits, u128::from(format.bias()) - 2);
    let distance = b.sub(most, x.exponent(b));
    let magnitude = b.zext(b.lshr(place, distance), bits);
    let half = b.constant(bits, 1 << (bits - 1));
    b.mux(x.sign, b.sub(half, magnitude), b.add(half, magnitude))
}
