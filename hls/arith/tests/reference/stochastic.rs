//! Stochastic rounding, from its definition in docs/arith.md.

use super::numbers::{encode, in_units, pack};
use clhls_arith::{Format, Rounding};
use rug::{Float, Integer};

/// `value` rounded to the format by random bits: the magnitude in units of the last place, cut
/// off behind 32 binary places, plus `random` at the last of them, without its fraction.
pub fn encode_stochastic(f: Format, value: &Float, random: u32) -> u128 {
    if value.is_nan() || value.is_zero() || value.is_infinite() {
        return encode(f, Rounding::Rte, value);
    }
    let sign = if value.is_sign_negative() { f.sign_mask() } else { 0 };
    let (binade, places) = fixed_point(f, value);
    sign | pack(f, binade, (places + random) >> 32u32).min(f.infinity())
}

/// The random bits at which [`encode_stochastic`] begins to round up, if there are any.
pub fn threshold(f: Format, value: &Float) -> Option<u32> {
    if !value.is_normal() {
        return None;
    }
    let tail = fixed_point(f, value).1.to_u32_wrapping();
    (tail != 0).then(|| tail.wrapping_neg())
}

/// Binade as [`in_units`] and magnitude in units of 2^-32 of the last place, cut off.
fn fixed_point(f: Format, value: &Float) -> (i32, Integer) {
    let (binade, units) = in_units(f, value);
    let places: Float = units.abs() << 32;
    (binade, places.trunc().to_integer().expect("finite"))
}
