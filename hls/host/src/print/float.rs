//! Floating-point conversions, exact as those of the C library: decimal digits are those of the value itself, rounded to
//! nearest even.

use super::format::Spec;

/// The number that bits of a format stand for, exactly.
pub(super) fn value(bits: u64, bytes: u32, float: bool) -> f64 {
    match (bytes, float) {
        (4, _) => f64::from(f32::from_bits(bits as u32)),
        (2, true) => half(bits as u16),
        _ => f64::from_bits(bits),
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (fraction + 1024.0) * 2f64.powi(e - 25),
    };
    if bits >> 15 != 0 { -magnitude } else { magnitude }
}

/// Appends a number.
pub(super) fn print(spec: &Spec, letter: char, value: f64, out: &mut Vec<u8>) {
    let sign = spec.sign(value.is_sign_negative());
    let upper = letter.is_ascii_uppercase();
    let cased = |text: String| if upper { text.to_uppercase() } else { text };
    let magnitude = value.abs();
    if !magnitude.is_finite() {
        let name = if magnitude.is_nan() { "nan" } else { "inf" };
        return spec.pad(sign, &cased(name.to_owned()), false, out);
    }
    let (prefix, body) = match letter.to_ascii_lowercase() {
        'f' => ("", fixed(magnitude, spec.precision.unwrap_or(6), spec.alternative)),
        'e' => ("", exponential(magnitude, spec.precision.unwrap_or(6), spec.alternative)),
        'g' => ("", shortest(magnitude, spec)),
        _ => ("0x", hexadecimal(magnitude, spec)),
    };
    spec.pad(&format!("{sign}{}", cased(prefix.to_owned())), &cased(body), spec.zeros, out);
}

fn fixed(v: f64, precision: usize, point: bool) -> String {
    let dot = if point && precision == 0 { "." } else { "" };
    format!("{v:.precision$}{dot}")
}

fn exponential(v: f64, precision: usize, point: bool) -> String {
    let (mantissa, exponent) = decimal(v, precision);
    let dot = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{dot}e{sign}{:02}", exponent.unsigned_abs())
}

/// Mantissa with so many digits behind the point, and the power of ten.
fn decimal(v: f64, precision: usize) -> (String, i32) {
    let text = format!("{v:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

fn shortest(v: f64, spec: &Spec) -> String {
    let precision = spec.precision.unwrap_or(6).max(1);
    let (_, exponent) = decimal(v, precision - 1);
    let plain = exponent >= -4 && exponent < i32::try_from(precision).unwrap_or(i32::MAX);
    if plain {
        let digits = (precision as i64 - 1 - i64::from(exponent)).max(0) as usize;
        let text = fixed(v, digits, spec.alternative);
        return if spec.alternative { text } else { without_zeros(&text).to_owned() };
    }
    let text = exponential(v, precision - 1, spec.alternative);
    match text.split_once('e') {
        Some((mantissa, exponent)) if !spec.alternative => {
            format!("{}e{exponent}", without_zeros(mantissa))
        }
        _ => text,
    }
}

/// A number without zeros at the end of its fraction.
fn without_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// Hexadecimal digits and a power of two, without the `0x`.
fn hexadecimal(v: f64, spec: &Spec) -> String {
    const FRACTION: u32 = 52;
    const DIGITS: usize = 13;
    let bits = v.to_bits();
    let field = (bits >> FRACTION) as i32;
    let (mut lead, exponent) = match (field, v == 0.0) {
        (_, true) => (0, 0),
        (0, _) => (0, -1022),
        (e, _) => (1, e - 1023),
    };
    let mut fraction = bits & ((1 << FRACTION) - 1);
    if let Some(precision) = spec.precision.filter(|p| *p < DIGITS) {
        let dropped = 4 * (DIGITS - precision) as u32;
        let (whole, half) = (lead << FRACTION | fraction, 1u64 << (dropped - 1));
        let rest = whole & ((half << 1) - 1);
        let mut kept = whole >> dropped;
        if rest > half || rest == half && kept & 1 == 1 {
            kept += 1;
        }
        let rounded = kept << dropped;
        (lead, fraction) = (rounded >> FRACTION, rounded & ((1 << FRACTION) - 1));
    }
    let all = format!("{fraction:013x}");
    let digits = match spec.precision {
        Some(p) if p <= DIGITS => all[..p].to_owned(),
        Some(p) => format!("{all:0<p$}"),
        None => all.trim_end_matches('0').to_owned(),
    };
    let dot = if digits.is_empty() && !spec.alternative { "" } else { "." };
    format!("{lead}{dot}{digits}p{exponent:+}")
}
