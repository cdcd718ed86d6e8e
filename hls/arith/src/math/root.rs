//! Roots in single precision, from tables over one or several octaves.

use super::scaled::{SCALE_BITS, Scaled, look_up, root, scale};
use super::table::{CBRT_F32, RSQRT_F32, SQRT_F32};
use crate::bits::Bits;
use crate::float::parts::unpack;
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// `1 / sqrt(x)`.
#[inline(always)]
pub fn rsqrt<B: Bits>(b: &B, x: B::V) -> B::V {
    const BITS: u32 = F32.precision();
    let xp = unpack(b, F32, x);
    let normal = Scaled::of(b, &xp).normal(b, BITS);
    let exponent = b.add(normal.scale, scale(b, BITS as i32 - 1));
    let odd = b.bit(exponent, 0);
    let (g, frac) = look_up(b, &RSQRT_F32, b.concat(odd, b.trunc(normal.magnitude, BITS - 1)));
    let half = b.sext(b.slice(exponent, 1, SCALE_BITS - 1), SCALE_BITS);
    let result = Scaled { magnitude: g, scale: b.sub(scale(b, -frac), half) };
    let zero = xp.zero(b);
    let specials = Specials {
        nan: b.or(xp.nan(b), b.and_not(xp.sign, zero)),
        inf: zero,
        zero: Some(xp.exp_ones),
    };
    result.pack(b, b.and(xp.sign, zero), &specials)
}

/// Cube root.
#[inline(always)]
pub fn cbrt<B: Bits>(b: &B, x: B::V) -> B::V {
    const BITS: u32 = F32.precision();
    // A multiple of three beyond the least exponent.
    const OFFSET: u32 = 150;
    let xp = unpack(b, F32, x);
    let normal = Scaled::of(b, &xp).normal(b, BITS);
    let exponent = b.add(normal.scale, scale(b, (OFFSET + BITS - 1) as i32));
    // n / 3 = 171 n / 512 for n below 512.
    let n = b.trunc(exponent, 9);
    let third = b.slice(b.umul(n, b.constant(8, 171)), 9, 8);
    let triple = b.add(b.zext(third, 9), b.trunc(b.pad_low(third, 1), 9));
    let rest = b.trunc(b.sub(n, triple), 2);
    let (g, frac) = look_up(b, &CBRT_F32, b.concat(rest, b.trunc(normal.magnitude, BITS - 1)));
    let moved = scale(b, -frac - (OFFSET / 3) as i32);
    let result = Scaled { magnitude: g, scale: b.add(b.zext(third, SCALE_BITS), moved) };
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: Some(xp.zero(b)) };
    result.pack(b, xp.sign, &specials)
}

/// `sqrt(x^2 + y^2)`. An infinity wins over NaN.
#[inline(always)]
pub fn hypot<B: Bits>(b: &B, x: B::V, y: B::V) -> B::V {
    const BITS: u32 = 30;
    let (xp, yp) = (unpack(b, F32, x), unpack(b, F32, y));
    let swap = b.ult(xp.magnitude, yp.magnitude);
    let large = Scaled::select(b, swap, Scaled::of(b, &yp), Scaled::of(b, &xp));
    let small = Scaled::select(b, swap, Scaled::of(b, &xp), Scaled::of(b, &yp));
    // Both in units of the last of 30 bits of the larger one.
    let large = large.normal(b, BITS);
    let small = small.normal(b, BITS);
    let distance = b.sub(large.scale, small.scale);
    let aligned = b.lshr(small.magnitude, distance);
    let square = |v| b.zext(b.umul(v, v), 2 * BITS + 1);
    let sum = b.add(square(large.magnitude), square(aligned));
    let double = b.trunc(b.pad_low(large.scale, 1), SCALE_BITS);
    let result = root(b, &SQRT_F32, Scaled { magnitude: sum, scale: double });
    let (x_inf, y_inf) = (xp.inf(b), yp.inf(b));
    let inf = b.or(x_inf, y_inf);
    let nan = b.and_not(b.or(xp.nan(b), yp.nan(b)), inf);
    result.pack(b, b.bool(false), &Specials { nan, inf, zero: None })
}
