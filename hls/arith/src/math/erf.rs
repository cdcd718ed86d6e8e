//! The error function and its complement in single precision.
//!
//! erf is nearly linear below 4 and 1 beyond. erfc of numbers below 1/2 is 1 less erf; above it is e^(-x^2) h(x), with the square exact and
//! h from a table, as it is tiny where erf is nearly 1.

use super::exp::{FRAC_BITS, INT_BITS, LOG2_E, LOG2_E_FRAC, of_two};
use super::scaled::{Scaled, is_below, look_up, nearly_linear};
use super::table::{ERF_F32, ERFCX_F32};
use crate::bits::Bits;
use crate::float::parts::unpack;
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// 2 to the power of this: from here on erf is 1 in single precision.
const ERF_TOP: i32 = 2;

/// `erf(x)`.
#[inline(always)]
pub fn erf<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let inside = is_below(b, &xp, ERF_TOP);
    let value = nearly_linear(b, &ERF_F32, Scaled::of(b, &xp), ERF_TOP);
    let one = Scaled::new(b, b.constant(1, 1), 0);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: None };
    Scaled::select(b, inside, value, one).pack(b, xp.sign, &specials)
}

/// `1 - erf(x)`.
#[inline(always)]
pub fn erfc<B: Bits>(b: &B, x: B::V) -> B::V {
    /// Fraction bits of 1 - erf.
    const FRAC: u32 = 34;
    let xp = unpack(b, F32, x);
    let magnitude = Scaled::of(b, &xp);

    // Up to 1/2, and all negative numbers.
    let inside = is_below(b, &xp, ERF_TOP);
    let erf = nearly_linear(b, &ERF_F32, magnitude, ERF_TOP).fraction(b, 1, FRAC + 1);
    let one = b.constant(FRAC + 2, 1 << FRAC);
    let erf = b.mux(inside, b.zext(erf, FRAC + 2), one);
    let near = b.mux(xp.sign, b.add(one, erf), b.sub(one, erf));
    let near = Scaled::new(b, near, -(FRAC as i32));

    // x below 16 with 28 fraction bits; x^2 log2(e) exact but for the constant.
    const PLACES: u32 = 28;
    let fixed = magnitude.fraction(b, 4, 4 + PLACES);
    let significand = xp.significand(b);
    let square = Scaled { magnitude: b.umul(significand, significand), ..magnitude };
    let double = b.trunc(b.pad_low(magnitude.scale, 1), b.width(magnitude.scale));
    let square = Scaled { scale: double, ..square }.fraction(b, 8, 8 + FRAC);
    let constant = b.constant(42, LOG2_E);
    let product = b.umul(square, constant);
    let drop = FRAC + LOG2_E_FRAC - FRAC_BITS;
    let t = b.trunc(b.lshr(product, b.constant(8, drop.into())), INT_BITS + FRAC_BITS);
    let power = of_two(b, b.bool(true), t, b.bool(false)).scaled(b);

    // Beyond 4 half as many segments: 8 numbers in the upper half of the table.
    let upper = b.any(b.top(fixed, 2));
    let four = b.constant(4 + PLACES, 4 << PLACES);
    let behind = b.trunc(b.sub(fixed, four), 3 + PLACES);
    let position = b.mux(upper, behind, b.trunc(b.pad_low(fixed, 1), 3 + PLACES));
    let (h, h_frac) = look_up(b, &ERFCX_F32, b.concat(upper, position));
    let far = power.times(b, h, -h_frac);

    // From 12 on there is nothing left.
    let vanished = b.or(b.not(is_below(b, &xp, 4)), b.all(b.top(fixed, 2)));
    let small = b.or(xp.sign, is_below(b, &xp, -1));
    let zero = b.and_not(vanished, xp.sign);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: Some(zero) };
    Scaled::select(b, small, near, far).pack(b, b.bool(false), &specials)
}
