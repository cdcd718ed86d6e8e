//! Hyperbolic functions and their inverses. Below 1/2 all of them are nearly linear and come from a
//! table; above, from powers of e, logarithms and roots in fixed point.

use super::exp::{Base, power};
use super::log::ln;
use super::scaled::{Scaled, is_below, look_up, nearly_linear, root};
use super::table::{ACOSH_F32, ACOSH_F64, ASINH_F32, ASINH_F64, ATANH_F32, ATANH_F64, Table};
use super::table::{SINH_F32, SINH_F64, TANH_F32, TANH_F64, TANH_FAR_F32};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;

/// What depends on the format.
pub struct Constants {
    /// sinh(x) / x, tanh(x) / x, asinh(x) / x, atanh(x) / x below 1/2.
    pub sinh: &'static Table,
    pub tanh: &'static Table,
    pub asinh: &'static Table,
    pub atanh: &'static Table,
    /// acosh(1 + u) / sqrt(2 u).
    pub acosh: &'static Table,
    /// The hyperbolic tangent from 1/2 on.
    pub tanh_far: Far,
}

/// How the hyperbolic tangent is computed from 1/2 on.
pub enum Far {
    /// From a table of tanh(16 t); beyond 16 it is 1.
    Table(&'static Table),
    /// As 2 / (1 + e^-2|x|) - 1; beyond 32 it is 1.
    Reciprocal,
}

pub static SINGLE: Constants = Constants {
    sinh: &SINH_F32,
    tanh: &TANH_F32,
    asinh: &ASINH_F32,
    atanh: &ATANH_F32,
    acosh: &ACOSH_F32,
    tanh_far: Far::Table(&TANH_FAR_F32),
};

pub static DOUBLE: Constants = Constants {
    sinh: &SINH_F64,
    tanh: &TANH_F64,
    asinh: &ASINH_F64,
    atanh: &ATANH_F64,
    acosh: &ACOSH_F64,
    tanh_far: Far::Reciprocal,
};

/// `(e^|x| + e^-|x|) / 2`, or the difference, for |x| from 1/2 on; and whether that is far beyond all numbers.
#[inline(always)]
fn half_sum<B: Bits>(
    b: &B,
    w: &Working,
    x: &Parts<B::V>,
    difference: bool,
) -> (Scaled<B::V>, B::V) {
    // Guard bits below the powers' own.
    const GUARD: u32 = 4;
    let grows = power(b, w, Base::E, &Parts { sign: b.bool(false), ..*x });
    let falls = power(b, w, Base::E, &Parts { sign: b.bool(true), ..*x });
    let (large, small) = (grows.scaled(b, w), falls.scaled(b, w));
    let width = b.width(large.magnitude) + GUARD + 1;
    let place = |v: B::V| b.zext(b.pad_low(v, GUARD), width);
    let moved = b.lshr(place(small.magnitude), b.sub(large.scale, small.scale));
    let large_place = place(large.magnitude);
    let magnitude = match difference {
        true => b.sub(large_place, moved),
        false => b.add(large_place, moved),
    };
    let half = large.scale_plus(b, -(GUARD as i32) - 1);
    (Scaled { magnitude, scale: half }, grows.huge)
}

/// Hyperbolic sine.
#[inline(always)]
pub fn sinh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let near = is_below(b, w, &xp, -1);
    let linear = nearly_linear(b, w, w.hyperbolic.sinh, Scaled::of(b, w, &xp), -1);
    let (far, huge) = half_sum(b, w, &xp, true);
    let inf = b.or(huge, xp.exp_ones);
    let specials = Specials { nan: xp.nan(b), inf, zero: None };
    Scaled::select(b, near, linear, far).pack(b, w, xp.sign, &specials)
}

/// Hyperbolic cosine.
#[inline(always)]
pub fn cosh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let (v, huge) = half_sum(b, w, &xp, false);
    let inf = b.or(huge, xp.exp_ones);
    v.pack(b, w, b.bool(false), &Specials { nan: xp.nan(b), inf, zero: None })
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let near = is_below(b, w, &xp, -1);
    let linear = nearly_linear(b, w, w.hyperbolic.tanh, Scaled::of(b, w, &xp), -1);
    let far = tanh_far(b, w, &xp);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: None };
    Scaled::select(b, near, linear, far).pack(b, w, xp.sign, &specials)
}

/// Hyperbolic tangent of |x| from 1/2 on.
#[inline(always)]
fn tanh_far<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> Scaled<B::V> {
    match w.hyperbolic.tanh_far {
        Far::Table(table) => {
            let inside = is_below(b, w, x, 4);
            let (g, frac) = look_up(b, table, Scaled::of(b, w, x).fraction(b, 4, w.bits));
            let one = b.constant(b.width(g), 1 << frac);
            Scaled::new(b, w, b.mux(inside, g, one), -frac)
        }
        Far::Reciprocal => {
            let inside = is_below(b, w, x, 5);
            let exp = b.increment(x.exp, b.bool(true));
            let falls = power(b, w, Base::E, &Parts { sign: b.bool(true), exp, ..*x }).scaled(b, w);
            let (g, frac) = look_up(b, w.root.recip, falls.fraction(b, 0, w.bits));
            let one = b.constant(b.width(g), 1 << frac);
            let value = b.sub(b.pad_low(g, 1), b.zext(one, b.width(g) + 1));
            let value = b.trunc(value, b.width(g));
            Scaled::new(b, w, b.mux(inside, value, one), -frac)
        }
    }
}

/// `|x| + sqrt(x^2 + 1)`, or `x^2 - 1`, for |x| from 1/2 (from 1) on.
#[inline(always)]
fn with_root<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>, minus: bool) -> Scaled<B::V> {
    let bits = w.bits;
    let normal = Scaled::of(b, w, x).normal(b, bits);
    let square = b.zext(b.umul(normal.magnitude, normal.magnitude), 2 * bits + 2);
    let double = b.trunc(b.pad_low(normal.scale, 1), w.scale_bits);
    // 1 in units of the square: 2^(-2 scale), at most 2^(2 bits) as |x| is at least 1/2.
    let most = 2 * bits as i32;
    let one = b.constant(2 * bits + 2, 1 << most);
    let one = b.lshr(one, b.add(double, w.scale(b, most)));
    let sum = if minus { b.sub(square, one) } else { b.add(square, one) };
    let r = root(b, w, Scaled { magnitude: sum, scale: double }).normal(b, bits);
    // The larger of the two stays in its place.
    let (large, small) = if minus { (normal, r) } else { (r, normal) };
    let moved = b.lshr(small.magnitude, b.sub(large.scale, small.scale));
    let magnitude = b.add(b.zext(large.magnitude, bits + 1), b.zext(moved, bits + 1));
    Scaled { magnitude, scale: large.scale }
}

/// A sum of logarithms, which is positive.
#[inline(always)]
fn logarithm<B: Bits>(b: &B, w: &Working, sum: B::V, by: i32) -> Scaled<B::V> {
    Scaled::new(b, w, b.trunc(sum, b.width(sum) - 1), by - w.log.sum_frac as i32)
}

/// Inverse hyperbolic sine.
#[inline(always)]
pub fn asinh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let near = is_below(b, w, &xp, -1);
    let linear = nearly_linear(b, w, w.hyperbolic.asinh, Scaled::of(b, w, &xp), -1);
    let far = logarithm(b, w, ln(b, w, with_root(b, w, &xp, false)), 0);
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: None };
    Scaled::select(b, near, linear, far).pack(b, w, xp.sign, &specials)
}

/// Inverse hyperbolic cosine.
#[inline(always)]
pub fn acosh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let format = w.format;
    // x - 1 below 1/2, exact: then sqrt(2 (x - 1)) times a table's value.
    let near = b.ult_const(xp.magnitude, format.one() | 1 << (format.frac_bits - 1));
    let u = b.trunc(xp.frac, format.frac_bits - 1);
    let u = Scaled::new(b, w, u, -(format.frac_bits as i32));
    let (g, frac) = look_up(b, w.hyperbolic.acosh, u.fraction(b, -1, w.bits));
    let double = Scaled { scale: u.scale_plus(b, 1), ..u };
    let linear = root(b, w, double).times(b, g, -frac);
    let far = logarithm(b, w, ln(b, w, with_root(b, w, &xp, true)), 0);
    let below_one = b.ult_const(xp.magnitude, format.one());
    let nan = b.or(xp.nan(b), b.or(xp.sign, below_one));
    let specials = Specials { nan, inf: xp.exp_ones, zero: None };
    Scaled::select(b, near, linear, far).pack(b, w, b.bool(false), &specials)
}

/// Inverse hyperbolic tangent: half of `ln(1 + |x|) - ln(1 - |x|)`.
#[inline(always)]
pub fn atanh<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let places = w.format.precision();
    let xp = unpack(b, w.format, x);
    let near = is_below(b, w, &xp, -1);
    let linear = nearly_linear(b, w, w.hyperbolic.atanh, Scaled::of(b, w, &xp), -1);
    // From 1/2 on both are exact.
    let fixed = b.zext(Scaled::of(b, w, &xp).fraction(b, 0, places), places + 1);
    let one = b.constant(places + 1, 1 << places);
    let of = |v: B::V| ln(b, w, Scaled::new(b, w, v, -(places as i32)));
    let difference = b.sub(of(b.add(one, fixed)), of(b.sub(one, fixed)));
    let far = logarithm(b, w, difference, -1);
    let pole = b.eq(xp.magnitude, w.one_magnitude(b));
    let outside = b.ult(w.one_magnitude(b), xp.magnitude);
    let specials = Specials { nan: outside, inf: pole, zero: None };
    Scaled::select(b, near, linear, far).pack(b, w, xp.sign, &specials)
}
