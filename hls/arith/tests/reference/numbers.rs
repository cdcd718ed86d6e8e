//! Bit patterns as MPFR numbers and back.

use clhls_arith::{Format, Rounding};
use rug::float::Special;
use rug::ops::NegAssign;
use rug::{Float, Integer};

/// Far beyond what any format needs to round correctly.
pub const PRECISION: u32 = 320;

/// The number that a bit pattern stands for.
pub fn decode(f: Format, bits: u128) -> Float {
    let negative = bits & f.sign_mask() != 0;
    let exp = ((bits >> f.frac_bits) as u32) & f.exp_max();
    let frac = bits & ((1 << f.frac_bits) - 1);
    let mut value = if exp == f.exp_max() {
        Float::with_val(PRECISION, if frac == 0 { Special::Infinity } else { Special::Nan })
    } else {
        let significand = if exp == 0 { frac } else { frac | 1 << f.frac_bits };
        let scale = exp.max(1) as i32 - f.bias() as i32 - f.frac_bits as i32;
        Float::with_val(PRECISION, significand) << scale
    };
    if negative {
        value.neg_assign();
    }
    value
}

/// `value` rounded to the format; NaN is the canonical NaN.
pub fn encode(f: Format, mode: Rounding, value: &Float) -> u128 {
    if value.is_nan() {
        // exponent and quiet bit: ones from below the sign
        return ((1 << (f.exp_bits + 1)) - 1) << (f.frac_bits - 1);
    }
    let sign = if value.is_sign_negative() { f.sign_mask() } else { 0 };
    if value.is_zero() {
        return sign;
    }
    if value.is_infinite() {
        return sign | f.infinity();
    }
    let (binade, units) = in_units(f, value);
    let magnitude = to_integral(units, mode).to_integer().expect("finite").abs();
    let bits = pack(f, binade, magnitude);
    if bits < f.infinity() {
        return sign | bits;
    }
    let away = match mode {
        Rounding::Rte | Rounding::Rhaz => true,
        Rounding::Rtz => false,
        Rounding::Rtp => sign == 0,
        Rounding::Rtn => sign != 0,
    };
    sign | if away { f.infinity() } else { f.infinity() - 1 }
}

/// A finite number other than 0 in units of the last place of its binade or of the subnormals, and
/// which binade that is, counted from the least.
pub fn in_units(f: Format, value: &Float) -> (i32, Float) {
    // value = 0.m * 2^exp
    let least = 1 - f.bias() as i32;
    let exp = (value.get_exp().expect("finite") - 1).max(least);
    (exp - least, value.clone() >> (exp - f.frac_bits as i32))
}

/// Magnitude bits of a number of units in a binade; from infinity on if it is too large.
pub fn pack(f: Format, binade: i32, units: Integer) -> u128 {
    let units = units.to_u128().expect("at most 2^p");
    // Adding the hidden bit's one to the exponent field below makes carries right.
    (binade as u128) * (1 << f.frac_bits) + units
}

/// `value` rounded to an integer.
pub fn to_integral(value: Float, mode: Rounding) -> Float {
    match mode {
        Rounding::Rte => value.round_even(),
        Rounding::Rhaz => value.round(),
        Rounding::Rtz => value.trunc(),
        Rounding::Rtp => value.ceil(),
        Rounding::Rtn => value.floor(),
    }
}
