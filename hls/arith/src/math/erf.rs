//! The error function and its complement.
//!
//! erf is nearly linear up to where it is 1. erfc of numbers below 1/2 is 1 less erf; above it is e^(-x^2) h(x), with the square exact and
//! h from a table, as it is tiny where erf is nearly 1.

use super::exp::of_two;
use super::scaled::{Scaled, is_below, look_up, nearly_linear};
use super::table::{ERF_F32, ERF_F64, ERFCX_F32, ERFCX_F64, Table};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;

/// What depends on the format.
pub struct Constants {
    /// erf(x) / x below `2^erf_top`; from there on erf is 1.
    pub erf: &'static Table,
    pub erf_top: i32,
    /// e^(x^2) erfc(x): below `2^split` in the lower half, `2^upper` numbers from there on in the upper half.
    pub erfcx: &'static Table,
    pub split: u32,
    pub upper: u32,
    /// From `2^erfc_top` on erfc is 0.
    pub erfc_top: u32,
    /// Fraction bits of x where that table is looked up.
    pub places: u32,
    /// Fraction bits of 1 - erf, and of the square.
    pub frac: u32,
}

pub static SINGLE: Constants = Constants {
    erf: &ERF_F32,
    erf_top: 2,
    erfcx: &ERFCX_F32,
    split: 2,
    upper: 4,
    erfc_top: 4,
    places: 28,
    frac: 34,
};

pub static DOUBLE: Constants = Constants {
    erf: &ERF_F64,
    erf_top: 3,
    erfcx: &ERFCX_F64,
    split: 3,
    upper: 5,
    erfc_top: 5,
    places: 58,
    frac: 66,
};

/// `erf(x)`.
#[inline(always)]
pub fn erf<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let c = w.erf;
    let xp = unpack(b, w.format, x);
    let inside = is_below(b, w, &xp, c.erf_top);
    let value = nearly_linear(b, w, c.erf, Scaled::of(b, w, &xp), c.erf_top);
    let one = Scaled::new(b, w, b.constant(1, 1), 0);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: None };
    Scaled::select(b, inside, value, one).pack(b, w, xp.sign, &specials)
}

/// `1 - erf(x)`.
#[inline(always)]
pub fn erfc<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let small = b.or(xp.sign, is_below(b, w, &xp, -1));
    let value = Scaled::select(b, small, near(b, w, &xp), far(b, w, &xp));
    let vanished = b.not(is_below(b, w, &xp, w.erf.erfc_top as i32));
    let zero = b.and_not(vanished, xp.sign);
    let specials = Specials { nan: xp.nan(b), inf: b.bool(false), zero: Some(zero) };
    value.pack(b, w, b.bool(false), &specials)
}

/// erfc(x) up to 1/2 and for all negative numbers: 1 - erf(x).
#[inline(always)]
fn near<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> Scaled<B::V> {
    let c = w.erf;
    let inside = is_below(b, w, x, c.erf_top);
    let erf = nearly_linear(b, w, c.erf, Scaled::of(b, w, x), c.erf_top).fraction(b, 1, c.frac + 1);
    let one = b.constant(c.frac + 2, 1 << c.frac);
    let erf = b.mux(inside, b.zext(erf, c.frac + 2), one);
    let sum = b.mux(x.sign, b.add(one, erf), b.sub(one, erf));
    Scaled::new(b, w, sum, -(c.frac as i32))
}

/// erfc(x) from 1/2 on: e^(-x^2) h(x).
#[inline(always)]
fn far<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> Scaled<B::V> {
    let c = w.erf;
    let magnitude = Scaled::of(b, w, x);
    let significand = x.significand(b);
    let double = b.trunc(b.pad_low(magnitude.scale, 1), w.scale_bits);
    let square = Scaled { magnitude: b.umul(significand, significand), scale: double };
    let square = square.fraction(b, 2 * c.erfc_top as i32, 2 * c.erfc_top + c.frac);
    let t = times_log2_e(b, w, square);
    let power = of_two(b, w, b.bool(true), t, b.bool(false)).scaled(b, w);

    let fixed = magnitude.fraction(b, c.erfc_top as i32, c.erfc_top + c.places);
    let upper = b.any(b.top(fixed, c.erfc_top - c.split));
    let split = b.constant(c.erfc_top + c.places, 1 << (c.split + c.places));
    let width = c.upper + c.places;
    let behind = b.resize(b.sub(fixed, split), width);
    let before = b.pad_low(b.trunc(fixed, c.split + c.places), c.upper - c.split);
    let position = b.mux(upper, behind, before);
    let (h, frac) = look_up(b, c.erfcx, b.concat(upper, position));
    power.times(b, h, -frac)
}

/// A number with [`Constants::frac`] fraction bits times log2(e), as [`of_two`] takes it.
#[inline(always)]
fn times_log2_e<B: Bits>(b: &B, w: &Working, square: B::V) -> B::V {
    let constant = b.constant(w.exp.constant_bits, w.exp.log2_e);
    let (width, constant_frac) = (b.width(square), w.exp.constant_bits - 2);
    // In two halves, as the product may be too wide; nothing of the lower one's last bits is seen.
    let half = width / 2;
    let low = b.umul(b.trunc(square, half), constant);
    let high = b.umul(b.top(square, width - half), constant);
    let low = b.top(low, b.width(low) - half);
    let sum = b.add(high, b.zext(low, b.width(high)));
    let drop = w.erf.frac + constant_frac - half - w.exp.frac_bits;
    b.resize(b.top(sum, b.width(sum) - drop), w.exp.bits())
}
