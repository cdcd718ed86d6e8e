//! Hyperbolic functions and their inverses in single precision. Below 1/2 all of them are nearly linear and come from a
//! table; above, from powers of e, logarithms and roots in fixed point.

use super::exp::{Base, power};
use super::log::{SUM_FRAC, ln};
use super::scaled::{SCALE_BITS, Scaled, is_below, look_up, nearly_linear, root, scale};
use super::table::{ACOSH_F32, ASINH_F32, ATANH_F32, SINH_F32, SQRT_F32, TANH_F32, TANH_FAR_F32};
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// Bits of a normalised intermediate.
const BITS: u32 = 30;

/// `(e^|x| + e^-|x|) / 2`, or the difference, for |x| from 1/2 on; and whether that is far beyond all numbers.
#[inline(always)]
fn half_sum<B: Bits>(b: &B, x: &Parts<B::V>, difference: bool) -> (Scaled<B::V>, B::V) {
    // Guard bits below the powers' own.
    const GUARD: u32 = 4;
    let grows = power(b, Base::E, &Parts { sign: b.bool(false), ..*x });
    let falls = power(b, Base::E, &Parts { sign: b.bool(true), ..*x });
    let (large, small) = (grows.scaled(b), falls.scaled(b));
    let width = b.width(large.magnitude) + GUARD + 1;
    let place = |v: B::V| b.zext(b.pad_low(v, GUARD), width);
    let moved = b.lshr(place(small.magnitude), b.sub(large.scale, small.scale));
    let large_place = place(large.magnitude);
    let magnitude = match difference {
        true => b.sub(large_place, moved),
        false => b.add(large_place, moved),
    };
    let half = scale(b, -(GUARD as i32) - 1);
    (Scaled { magnitude, scale: b.add(large.scale, half) }, grows.huge)
}

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let near = is_below(b, &xp, -1);
    let linear = nearly_linear(b, &SINH_F32, Scaled::of(b, &xp), -1);
    let (far, huge) = half_sum(b, &xp, true);
    let inf = b.or(huge, xp.exp_ones);
    let specials = Specials { nan: xp.nan(b), inf, zero: None };
    Scaled::select(b, near, linear, far).pack(b, xp.sign, &specials)
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let (v, huge) = half_sum(b, &xp, false);
    let inf = b.or(huge, xp.exp_ones);
    v.pack(b, b.bool(false), &Specials { nan: xp.nan(b), inf, zero: None })
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let near = is_below(b, &xp, -1);
    let linear = nearly_linear(b, &TANH_F32, Scaled::of(b, &xp), -1);
    // Beyond 16 it is 1.
    let inside = is_below(b, &xp, 4);
    let (g, frac) = look_up(b, &TANH_FAR_F32, Scaled::of(b, &xp).fraction(b, 4, BITS));
    let one = b.constant(b.width(g), 1 << frac);
    let far = Scaled::new(b, b.mux(inside, g, one), -frac);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: None };
    Scaled::select(b, near, linear, far).pack(b, xp.sign, &specials)
}

/// `|x| + sqrt(x^2 + 1)`, or `x^2 - 1`, for |x| from 1/2 (from 1) on.
#[inline(always)]
fn with_root<B: Bits>(b: &B, x: &Parts<B::V>, minus: bool) -> Scaled<B::V> {
    let normal = Scaled::of(b, x).normal(b, BITS);
    let square = b.zext(b.umul(normal.magnitude, normal.magnitude), 2 * BITS + 2);
    let double = b.trunc(b.pad_low(normal.scale, 1), SCALE_BITS);
    // 1 in units of the square: 2^(-2 scale), at most 2^60 as |x| is at least 1/2.
    let most = 2 * BITS as i32;
    let one = b.constant(2 * BITS + 2, 1 << most);
    let one = b.lshr(one, b.add(double, scale(b, most)));
    let sum = if minus { b.sub(square, one) } else { b.add(square, one) };
    let r = root(b, &SQRT_F32, Scaled { magnitude: sum, scale: double }).normal(b, BITS);
    // The larger of the two stays in its place.
    let (large, small) = if minus { (normal, r) } else { (r, normal) };
    let moved = b.lshr(small.magnitude, b.sub(large.scale, small.scale));
    let magnitude = b.add(b.zext(large.magnitude, BITS + 1), b.zext(moved, BITS + 1));
    Scaled { magnitude, scale: large.scale }
}

/// A sum of logarithms, which is positive.
#[inline(always)]
fn logarithm<B: Bits>(b: &B, sum: B::V, by: i32) -> Scaled<B::V> {
    Scaled::new(b, b.trunc(sum, b.width(sum) - 1), by - SUM_FRAC as i32)
}

/// Inverse hyperbolic sine.
#[inline(always)]
pub fn asinh<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let near = is_below(b, &xp, -1);
    let linear = nearly_linear(b, &ASINH_F32, Scaled::of(b, &xp), -1);
    let far = logarithm(b, ln(b, with_root(b, &xp, false)), 0);
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: None };
    Scaled::select(b, near, linear, far).pack(b, xp.sign, &specials)
}

/// Inverse hyperbolic cosine.
#[inline(always)]
pub fn acosh<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    // x - 1 below 1/2, exact: then sqrt(2 (x - 1)) times a table's value.
    let near = b.ult_const(xp.magnitude, 0x3fc0_0000);
    let u = b.trunc(xp.frac, F32.frac_bits - 1);
    let u = Scaled::new(b, u, -(F32.frac_bits as i32));
    let (g, frac) = look_up(b, &ACOSH_F32, u.fraction(b, -1, BITS));
    let double = Scaled { scale: b.add(u.scale, scale(b, 1)), ..u };
    let linear = root(b, &SQRT_F32, double).times(b, g, -frac);
    let far = logarithm(b, ln(b, with_root(b, &xp, true)), 0);
    let below_one = b.ult_const(xp.magnitude, F32.one());
    let nan = b.or(xp.nan(b), b.or(xp.sign, below_one));
    let specials = Specials { nan, inf: xp.exp_ones, zero: None };
    Scaled::select(b, near, linear, far).pack(b, b.bool(false), &specials)
}

/// Inverse hyperbolic tangent: half of `ln(1 + |x|) - ln(1 - |x|)`.
#[inline(always)]
pub fn atanh<B: Bits>(b: &B, x: B::V) -> B::V {
    const PLACES: u32 = 24;
    let xp = unpack(b, F32, x);
    let near = is_below(b, &xp, -1);
    let linear = nearly_linear(b, &ATANH_F32, Scaled::of(b, &xp), -1);
    // From 1/2 on both are exact.
    let fixed = b.zext(Scaled::of(b, &xp).fraction(b, 0, PLACES), PLACES + 1);
    let one = b.constant(PLACES + 1, 1 << PLACES);
    let of = |v: B::V| ln(b, Scaled::new(b, v, -(PLACES as i32)));
    let difference = b.sub(of(b.add(one, fixed)), of(b.sub(one, fixed)));
    let far = logarithm(b, difference, -1);
    let pole = b.eq(xp.magnitude, b.constant(31, F32.one()));
    let outside = b.ult(b.constant(31, F32.one()), xp.magnitude);
    let specials = Specials { nan: outside, inf: pole, zero: None };
    Scaled::select(b, near, linear, far).pack(b, xp.sign, &specials)
}
