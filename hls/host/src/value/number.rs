//! Numbers as text, rounded once to the type they are for.

use super::bad;
use crate::Error;
use abi::ScalarType;
use std::cmp::Ordering;

/// Whether the text is a number of any kind.
pub(super) fn is_number(text: &str) -> bool {
    parse_integer(text).is_some() || text.parse::<f64>().is_ok()
}

/// The bytes, little endian, of the number `text` as a `scalar`.
///
/// Integers of w bits may be -2^(w-1) to 2^w - 1. Floats are rounded once, to nearest even, from
/// the text's exact value.
///
/// # Errors
/// [`ErrorKind::Value`](crate::ErrorKind::Value): not a number, or out of range.
pub fn parse(text: &str, scalar: ScalarType) -> Result<Vec<u8>, Error> {
    if scalar.is_float() {
        return parse_float(text, scalar);
    }
    let value = parse_integer(text)
        .ok_or_else(|| bad(format!("`{text}` is not an integer, the type is {scalar}")))?;
    integer_bytes(value, scalar).ok_or_else(|| bad(format!("{text} does not fit {scalar}")))
}

/// The bytes of an integer that is a value of the type, signed or unsigned.
pub(super) fn integer_bytes(value: i128, scalar: ScalarType) -> Option<Vec<u8>> {
    let bits = 8 * scalar.bytes();
    let fits = -(1i128 << (bits - 1)) <= value && value < 1i128 << bits;
    fits.then(|| value.to_le_bytes()[..scalar.bytes() as usize].to_vec())
}

/// A decimal integer, or `0x` and hexadecimal digits.
pub(super) fn parse_integer(text: &str) -> Option<i128> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.starts_with('+') => None,
        Some(digits) => i128::from_str_radix(digits, 16).ok().filter(|&value| value >= 0),
        None => text.parse().ok(),
    }
}

fn parse_float(text: &str, scalar: ScalarType) -> Result<Vec<u8>, Error> {
    let wrong = || bad(format!("`{text}` is not a number"));
    let decimal = if text.starts_with("0x") || text.starts_with("0X") {
        parse_integer(text).ok_or_else(wrong)?.to_string()
    } else {
        text.to_owned()
    };
    Ok(match scalar {
        ScalarType::F16 => f16_from_text(&decimal).ok_or_else(wrong)?.to_le_bytes().to_vec(),
        ScalarType::F32 => decimal.parse::<f32>().map_err(|_| wrong())?.to_le_bytes().to_vec(),
        _ => decimal.parse::<f64>().map_err(|_| wrong())?.to_le_bytes().to_vec(),
    })
}

/// Rounds to half precision, to nearest even; returns the representation.
pub(super) fn f16_from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let (units, exponent) = f16_units(magnitude);
    // 1024 units and more carry into the exponent field, as does rounding up to 2048.
    sign | (units.round_ties_even() as u16 + (((exponent + 14) as u16) << 10))
}

/// `magnitude` (below 65520) in units of the last place of half precision, and the exponent of
/// its binade, at least -14. The division is exact.
fn f16_units(magnitude: f64) -> (f64, i32) {
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    (magnitude / f64::from(exponent - 10).exp2(), exponent)
}

/// Rounds the exact value of a decimal text to half precision.
///
/// Rounding through f64 is wrong only if the f64 lies half way between two half-precision numbers
/// and the text does not; then the text's side of the middle decides.
fn f16_from_text(text: &str) -> Option<u16> {
    let value: f64 = text.parse().ok()?;
    let magnitude = value.abs();
    if !magnitude.is_finite() || magnitude > 65520.0 {
        return Some(f16_from_f64(value));
    }
    let (units, _) = f16_units(magnitude);
    if units.fract() != 0.5 {
        return Some(f16_from_f64(value));
    }
    // Half way points have 25 fractional digits at most: the expansion is exact.
    let middle = decimal_digits(&format!("{magnitude:.40}"));
    let nudged = match decimal_digits(text).cmp(&middle) {
        Ordering::Less => magnitude.next_down(),
        Ordering::Equal => magnitude,
        Ordering::Greater => magnitude.next_up(),
    };
    Some(f16_from_f64(nudged.copysign(value)))
}

/// The magnitude of a decimal floating-point text as `0.d1d2d3... * 10^exponent` with `d1 != 0` and
/// no trailing zeros. Ordered as the numbers are (zero does not occur at half way points).
fn decimal_digits(text: &str) -> (i64, Vec<u8>) {
    let text = text.trim_start_matches(['+', '-']);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (text, 0i64),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let leading = digits.iter().take_while(|&&digit| digit == b'0').count();
    let trailing = digits.iter().rev().take_while(|&&digit| digit == b'0').count();
    let end = digits.len().saturating_sub(trailing).max(leading);
    let point = whole.len() as i64 - leading as i64;
    (point.saturating_add(exponent), digits[leading..end].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f16(text: &str) -> u16 {
        let bytes = parse(text, ScalarType::F16).expect("a number");
        u16::from_le_bytes([bytes[0], bytes[1]])
    }

    /// Expected representations from IEEE 754-2019, table 3.5.
    #[test]
    fn half_precision_is_rounded_once() {
        assert_eq!(f16("1"), 0x3c00);
        assert_eq!(f16("-2"), 0xc000);
        assert_eq!(f16("65504"), 0x7bff);
        assert_eq!(f16("65519.999"), 0x7bff);
        assert_eq!(f16("65520"), 0x7c00);
        assert_eq!(f16("6.103515625e-5"), 0x0400); // smallest normal number
        assert_eq!(f16("5.9604644775390625e-8"), 0x0001); // smallest subnormal number
        assert_eq!(f16("2.98023223876953125e-8"), 0x0000); // half of it: to even
        assert_eq!(f16("2.980232238769531250000000001e-8"), 0x0001);
        assert_eq!(f16("inf"), 0x7c00);
        assert_eq!(f16("-0"), 0x8000);
        // Half way between 1 and the next number: even; just above: up, although the
        // nearest f64 is the half way point itself.
        assert_eq!(f16("1.00048828125"), 0x3c00);
        assert_eq!(f16("1.000488281250000000000000000001"), 0x3c01);
        assert_eq!(f16("1.001464843749999999999999999999"), 0x3c01);
        assert_eq!(f16("1.00146484375"), 0x3c02);
        assert_eq!(f16("0x10"), 0x4c00);
    }

    #[test]
    fn integers_may_be_signed_or_unsigned() {
        assert_eq!(parse("-1", ScalarType::U8).ok(), Some(vec![255]));
        assert_eq!(parse("0xffFF", ScalarType::I16).ok(), Some(vec![255, 255]));
        assert_eq!(
            parse("256", ScalarType::U8).map_err(|e| e.message),
            Err("256 does not fit u8".into())
        );
        assert_eq!(parse("-129", ScalarType::U8).ok(), None);
        assert_eq!(parse("1.5", ScalarType::I32).ok(), None);
        assert_eq!(parse("18446744073709551615", ScalarType::U64).ok(), Some(vec![255; 8]));
        assert_eq!(parse("0x-1", ScalarType::I32).ok(), None);
        assert_eq!(parse("", ScalarType::I32).ok(), None);
    }

    #[test]
    fn singles_are_rounded_from_the_text() {
        let f32 = |text| parse(text, ScalarType::F32).ok();
        assert_eq!(f32("1.00000005960464477540"), Some(0x3f80_0001u32.to_le_bytes().to_vec()));
        assert_eq!(f32("16777217"), Some(0x4b80_0000u32.to_le_bytes().to_vec()));
        assert_eq!(f32("0.1"), Some(0x3dcc_cccdu32.to_le_bytes().to_vec()));
    }
}
