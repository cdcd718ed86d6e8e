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

/// The double `x` rounded to a smaller format by random bits.
#[inline]
pub fn encode_stochastic(f: Format, x: f64, random: u32) -> u64 {
    match fixed_point(f, x) {
        None => encode(f, Rounding::Rte, x),
        Some((binade, places)) => {
            let sign = (x.is_sign_negative() as u64) << (f.width() - 1);
            let units = (places + random as u64) >> 32;
            sign | ((binade << f.frac_bits) + units).min(f.infinity() as u64)
        }
    }
}

/// Binade, from the least, and magnitude in units of 2^-32 of the last place, cut off: of a finite
/// double in a format of at most 32 bits.
#[inline]
pub fn fixed_point(f: Format, x: f64) -> Option<(u64, u64)> {
    if !x.is_finite() {
        return None;
    }
    let least = 1 - f.bias() as i32;
    let exp = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(least);
    let units = x.abs() * power_of_two(f.frac_bits as i32 - exp);
    Some(((exp - least) as u64, (units * power_of_two(32)) as u64))
}

/// The integer of a magnitude of at most 64 bits rounded to a format.
#[inline]
pub fn encode_integer(f: Format, mode: Rounding, negative: bool, magnitude: u64) -> u64 {
    if magnitude == 0 {
        return 0;
    }
    let exp = magnitude.ilog2();
    // quotient and remainder by the last place, both times 2^60
    let wide = (magnitude as u128) << 60;
    let place = 1u128 << (exp + 60 - f.frac_bits);
    let (quotient, rest) = (wide / place, wide % place);
    let up = match mode {
        Rounding::Rte => 2 * rest > place || 2 * rest == place && quotient % 2 == 1,
        Rounding::Rhaz => 2 * rest >= place,
        Rounding::Rtz => false,
        Rounding::Rtp => rest > 0 && !negative,
        Rounding::Rtn => rest > 0 && negative,
    };
    let away = match mode {
        Rounding::Rte | Rounding::Rhaz => true,
        Rounding::Rtz => false,
        Rounding::Rtp => !negative,
        Rounding::Rtn => negative,
    };
    let sign = (negative as u64) << (f.width() - 1);
    let infinity = f.infinity() as u64;
    let bits = ((exp + f.bias() - 1) as u64) * (1 << f.frac_bits) + quotient as u64 + up as u64;
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
