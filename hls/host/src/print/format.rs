//! One call of `printf`: flags, width, precision, vectors and lengths, integers and strings.

use super::float;
use abi::print::pieces;

/// An argument.
pub(super) enum Argument {
    /// The elements of a number or vector, as bits.
    Lanes {
        /// Bits.
        lanes: Vec<u64>,
        /// Bytes of an element.
        bytes: u32,
        /// Floating point.
        float: bool,
    },
    /// A string.
    Text(Vec<u8>),
}

/// What stands between `%` and the letter of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Spec {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A blank.
    pub blank: bool,
    /// `#`
    pub alternative: bool,
    /// `0`
    pub zeros: bool,
    pub width: usize,
    pub precision: Option<usize>,
    /// Elements that `v` asks for, 1 without it.
    pub lanes: usize,
    /// Bits that the length names.
    pub bits: u32,
}

/// Widths and precisions beyond this are cut: they would only fill memory.
const MOST_DIGITS: usize = 1 << 16;

impl Spec {
    fn parse(text: &str) -> Spec {
        let mut spec = Spec { lanes: 1, bits: 32, ..Spec::default() };
        let flags = text.bytes().take_while(|b| b"-+ #0".contains(b)).count();
        for flag in text[..flags].bytes() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.blank = true,
                b'#' => spec.alternative = true,
                _ => spec.zeros = true,
            }
        }
        let (width, rest) = digits(&text[flags..]);
        spec.width = width.unwrap_or(0);
        let mut rest = rest;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = digits(after);
            (spec.precision, rest) = (Some(precision.unwrap_or(0)), after);
        }
        if let Some(after) = rest.strip_prefix('v') {
            let (lanes, after) = digits(after);
            (spec.lanes, rest) = (lanes.unwrap_or(1), after);
        }
        spec.bits = match rest {
            "hh" => 8,
            "h" => 16,
            "l" | "ll" => 64,
            _ => 32,
        };
        spec
    }

    /// A number in the width: `sign` is a sign or prefix, behind which zeros go.
    pub(super) fn pad(&self, sign: &str, body: &str, zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(sign.len() + body.len());
        let fill = |out: &mut Vec<u8>, byte: u8| out.resize(out.len() + missing, byte);
        if !self.left && !zeros {
            fill(out, b' ');
        }
        out.extend_from_slice(sign.as_bytes());
        if !self.left && zeros {
            fill(out, b'0');
        }
        out.extend_from_slice(body.as_bytes());
        if self.left {
            fill(out, b' ');
        }
    }

    /// The sign of a number.
    pub(super) fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        }
    }
}

/// A decimal number at the start, if there is one, and what follows.
fn digits(text: &str) -> (Option<usize>, &str) {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(count);
    let value = match number.parse() {
        Ok(n) => Some(MOST_DIGITS.min(n)),
        Err(_) if count > 0 => Some(MOST_DIGITS),
        Err(_) => None,
    };
    (value, rest)
}

/// Appends the text of a call.
pub(super) fn print(format: &str, args: &[Argument], out: &mut Vec<u8>) {
    let mut args = args.iter();
    for piece in pieces(format) {
        match piece.conversion {
            None => out.extend_from_slice(piece.text.as_bytes()),
            Some('%') => out.push(b'%'),
            Some(letter) => {
                let Some(arg) = args.next() else { continue };
                convert(&Spec::parse(piece.text), letter, arg, out);
            }
        }
    }
}

fn convert(spec: &Spec, letter: char, arg: &Argument, out: &mut Vec<u8>) {
    match arg {
        Argument::Text(text) => string(spec, text, out),
        Argument::Lanes { lanes, bytes, float } => {
            for (k, &bits) in lanes.iter().take(spec.lanes.max(1)).enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                match letter {
                    'd' | 'i' => signed(spec, bits, *bytes, out),
                    'u' | 'o' | 'x' | 'X' => unsigned(spec, letter, bits, *bytes, out),
                    'c' => character(spec, bits as u8, out),
                    'p' => pointer(spec, bits, out),
                    'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
                        float::print(spec, letter, float::value(bits, *bytes, *float), out);
                    }
                    // No conversion of OpenCL C: what it prints is not defined.
                    _ => {}
                }
            }
        }
    }
}

fn string(spec: &Spec, text: &[u8], out: &mut Vec<u8>) {
    let text = &text[..text.len().min(spec.precision.unwrap_or(usize::MAX))];
    let missing = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + missing, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + missing, b' ');
    }
}

fn character(spec: &Spec, byte: u8, out: &mut Vec<u8>) {
    string(&Spec { precision: None, ..*spec }, &[byte], out);
}

fn pointer(spec: &Spec, bits: u64, out: &mut Vec<u8>) {
    match bits {
        0 => spec.pad("", "(nil)", false, out),
        _ => spec.pad("", &format!("{bits:#x}"), false, out),
    }
}

/// The bits that the length and the argument both have.
fn width(spec: &Spec, bytes: u32) -> u32 {
    spec.bits.min(8 * bytes).clamp(1, 64)
}

fn signed(spec: &Spec, bits: u64, bytes: u32, out: &mut Vec<u8>) {
    let unused = 64 - width(spec, bytes);
    let value = ((bits << unused) as i64) >> unused;
    let body = value.unsigned_abs().to_string();
    integer(spec, spec.sign(value < 0), body, value == 0, out);
}

fn unsigned(spec: &Spec, letter: char, bits: u64, bytes: u32, out: &mut Vec<u8>) {
    let value = bits & (u64::MAX >> (64 - width(spec, bytes)));
    let (prefix, body) = match letter {
        'o' => ("", format!("{value:o}")),
        'x' => ("0x", format!("{value:x}")),
        'X' => ("0X", format!("{value:X}")),
        _ => ("", value.to_string()),
    };
    let mut spec = *spec;
    if letter == 'o' && spec.alternative {
        // so many digits that the first is 0
        let digits = if value == 0 { 1 } else { body.len() + 1 };
        let given = spec.precision.unwrap_or(if spec.zeros && !spec.left { spec.width } else { 0 });
        if given < digits {
            return integer(&Spec { precision: Some(digits), ..spec }, "", body, false, out);
        }
    }
    let prefix = if spec.alternative && value != 0 { prefix } else { "" };
    spec.alternative = false;
    integer(&spec, prefix, body, value == 0, out);
}

/// Digits with at least as many as the precision asks for.
fn integer(spec: &Spec, sign: &str, digits: String, zero: bool, out: &mut Vec<u8>) {
    let body = match spec.precision {
        Some(0) if zero => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    spec.pad(sign, &body, spec.zeros && spec.precision.is_none(), out);
}
