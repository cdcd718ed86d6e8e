//! Roots, from tables over one or several octaves.

use super::scaled::{Scaled, look_up, root};
use super::table::{CBRT_F32, CBRT_F64, RECIP_F32, RECIP_F64, Table};
use super::table::{RSQRT_F32, RSQRT_F64, SQRT_F32, SQRT_F64};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::unpack;
use crate::float::round::Specials;

/// What depends on the format.
pub struct Constants {
    /// The square root of [1, 4), its reciprocal, the cube root of [1, 16), the reciprocal of [1, 2).
    pub sqrt: &'static Table,
    pub rsqrt: &'static Table,
    pub cbrt: &'static Table,
    pub recip: &'static Table,
    /// A multiple of three beyond the least exponent.
    pub cbrt_offset: u32,
    /// n / 3 of exponents n in `exponent_bits` bits is n `third` >> `third_shift`.
    pub exponent_bits: u32,
    pub third: u32,
    pub third_shift: u32,
}

pub static SINGLE: Constants = SINGLE_ROOTS;

/// For single precision, as a value that others differ from.
pub const SINGLE_ROOTS: Constants = Constants {
    sqrt: &SQRT_F32,
    rsqrt: &RSQRT_F32,
    cbrt: &CBRT_F32,
    recip: &RECIP_F32,
    cbrt_offset: 150,
    exponent_bits: 9,
    third: 171,
    third_shift: 9,
};

pub static DOUBLE: Constants = Constants {
    sqrt: &SQRT_F64,
    rsqrt: &RSQRT_F64,
    cbrt: &CBRT_F64,
    recip: &RECIP_F64,
    cbrt_offset: 1074,
    exponent_bits: 12,
    third: 2731,
    third_shift: 13,
};

/// `1 / sqrt(x)`.
#[inline(always)]
pub fn rsqrt<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let p = w.format.precision();
    let xp = unpack(b, w.format, x);
    let normal = Scaled::of(b, w, &xp).normal(b, p);
    let exponent = normal.scale_plus(b, p as i32 - 1);
    let odd = b.bit(exponent, 0);
    let (g, frac) = look_up(b, w.root.rsqrt, b.concat(odd, b.trunc(normal.magnitude, p - 1)));
    let half = b.sext(b.slice(exponent, 1, w.scale_bits - 1), w.scale_bits);
    let result = Scaled { magnitude: g, scale: b.sub(w.scale(b, -frac), half) };
    let zero = xp.zero(b);
    let specials = Specials {
        nan: b.or(xp.nan(b), b.and_not(xp.sign, zero)),
        inf: zero,
        zero: Some(xp.exp_ones),
    };
    result.pack(b, w, b.and(xp.sign, zero), &specials)
}

/// Cube root.
#[inline(always)]
pub fn cbrt<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let (p, c) = (w.format.precision(), w.root);
    let xp = unpack(b, w.format, x);
    let normal = Scaled::of(b, w, &xp).normal(b, p);
    let exponent = normal.scale_plus(b, (c.cbrt_offset + p - 1) as i32);
    let n = b.trunc(exponent, c.exponent_bits);
    let factor = b.constant(u32::BITS - c.third.leading_zeros(), c.third.into());
    let third = b.slice(b.umul(n, factor), c.third_shift, c.exponent_bits - 1);
    let once = b.zext(third, c.exponent_bits);
    let triple = b.add(once, b.trunc(b.pad_low(third, 1), c.exponent_bits));
    let rest = b.trunc(b.sub(n, triple), 2);
    let (g, frac) = look_up(b, c.cbrt, b.concat(rest, b.trunc(normal.magnitude, p - 1)));
    let moved = w.scale(b, -frac - (c.cbrt_offset / 3) as i32);
    let result = Scaled { magnitude: g, scale: b.add(b.zext(third, w.scale_bits), moved) };
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: Some(xp.zero(b)) };
    result.pack(b, w, xp.sign, &specials)
}

/// `sqrt(x^2 + y^2)`. An infinity wins over NaN.
#[inline(always)]
pub fn hypot<B: Bits>(b: &B, w: &Working, x: B::V, y: B::V) -> B::V {
    let bits = w.bits;
    let (xp, yp) = (unpack(b, w.format, x), unpack(b, w.format, y));
    let swap = b.ult(xp.magnitude, yp.magnitude);
    let large = Scaled::select(b, swap, Scaled::of(b, w, &yp), Scaled::of(b, w, &xp));
    let small = Scaled::select(b, swap, Scaled::of(b, w, &xp), Scaled::of(b, w, &yp));
    // Both in units of the last of so many bits of the larger one.
    let large = large.normal(b, bits);
    let small = small.normal(b, bits);
    let distance = b.sub(large.scale, small.scale);
    let aligned = b.lshr(small.magnitude, distance);
    let square = |v| b.zext(b.umul(v, v), 2 * bits + 1);
    let sum = b.add(square(large.magnitude), square(aligned));
    let double = b.trunc(b.pad_low(large.scale, 1), w.scale_bits);
    let result = root(b, w, Scaled { magnitude: sum, scale: double });
    let (x_inf, y_inf) = (xp.inf(b), yp.inf(b));
    let inf = b.or(x_inf, y_inf);
    let nan = b.and_not(b.or(xp.nan(b), yp.nan(b)), inf);
    result.pack(b, w, b.bool(false), &Specials { nan, inf, zero: None })
}
