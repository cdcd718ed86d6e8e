//! Fast references: double precision hardware for the small formats.
//!
//! Sums, differences and products of two f16 numbers are exact in double precision; quotients
//! and roots are rounded to more than twice the bits, which cannot change the second rounding.

use clhls_arith::{Format, Rounding};

/// The number that a bit pattern of a format of at most 32 bits stands for.
pub fn decode(f: Format, bits: u64) -> f64 {
    let exp = (bits >> f.frac_bits) as u32 & f.exp_max();
    let frac = bits & ((1 << f.frac_bits) - 1);
    let magnitude = match exp {
        e if e == f.exp_max() && frac != 0 => f64::NAN,
        e if e == f.exp_max() => f64::INFINITY,
        0 => frac as f64 * power_of_two(1 - f.bias() as i32 - f.frac_bits as i32),
        _ => {
            let significand = (frac | 1 << f.frac_bits) as f64;
            significand * power_of_two(exp as i32 - f.bias() as i32 - f.frac_bits as i32)
        }
    };
    if bits >> (f.width() - 1) == 1 { -magnitude } else { magnitude }
}

/// The double `x` rounded to a smaller format by the hardware's rounding to integers.
#[inline]
pub fn encode(f: Format, mode: Rounding, x: f64) -> u64 {
    if x.is_nan() {
        return f.nan() as u64;
    }
    let negative = x.is_sign_negative();
    let sign = (negative as u64) << (f.width() - 1);
    let infinity = f.infinity() as u64;
    if x.is_infinite() {
        return sign | infinity;
    }
    let least = 1 - f.bias() as i32;
    let exp = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(least);
    let units = round(mode, x * power_of_two(f.frac_bits as i32 - exp)).abs() as u64;
    let bits = (((exp - least) as u64) << f.frac_bits) + units;
    let away = match mode {
        Rounding::Rte | Rounding::Rhaz => true,
        Rounding::Rtz => false,
        Rounding::Rtp => !negative,
        Rounding::Rtn => negative,
    };
    sign | if bits < infinity { bits } else { infinity - !away as u64 }
}

/// `x` as an integral value.
#[inline]
pub fn round(mode: Rounding, x: f64) -> f64 {
    match mode {
        Rounding::Rte => x.round_ties_even(),
        Rounding::Rtz => x.trunc(),
        Rounding::Rtp => x.ceil(),
        Rounding::Rtn => x.floor(),
        Rounding::Rhaz => x.round(),
    }
}

fn power_of_two(exp: i32) -> f64 {
    if exp >= -1022 {
        f64::from_bits(((exp + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exp + 1074))
    }
}
