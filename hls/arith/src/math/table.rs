//! Piecewise polynomials: the table and Horner's rule on fixed-point numbers.
//!
//! The coefficients are in `hls/arith/tables/`, one file a table, written by `cargo run --example tables`
//! from MPFR's values and checked to be what that program writes.

use crate::bits::{Bits, Rom};
use base::SmallVec;
use std::sync::OnceLock;

/// A function on [0, 1) as polynomials of one degree, each on one of `2^index_bits` equal segments.
pub struct Table {
    name: &'static str,
    text: &'static str,
    parsed: OnceLock<Parsed>,
}

/// What a table's file says.
#[derive(Debug)]
pub struct Parsed {
    /// Bits that select the segment.
    pub index_bits: u32,
    /// Fraction bits of all coefficients and of the result.
    pub frac_bits: u32,
    /// Two's complement width of each coefficient, the constant one first. Results have that of
    /// the constant one.
    pub widths: Vec<u32>,
    /// How many bits more than the other factor has (or, negative, less) are kept of the argument in a product.
    pub more: i32,
    /// Which coefficients are in each memory.
    parts: Vec<std::ops::Range<usize>>,
    roms: Vec<Rom>,
}

impl Table {
    /// The table in the file `text`.
    pub const fn new(name: &'static str, text: &'static str) -> Table {
        Table { name, text, parsed: OnceLock::new() }
    }

    /// Name, as in the emitted memory.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Text of the file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// What the file says.
    ///
    /// # Panics
    /// If the file is not of the form that the generator writes: a defect of the crate, which its tests would show.
    pub fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| parse(self.name, self.text))
    }

    /// The function at `index` + `z` (as fractions of a segment): two's complement, as wide as the constant coefficient,
    /// with [`Parsed::frac_bits`] fraction bits. `index` has [`Parsed::index_bits`]; `z` is any number of fraction bits.
    #[inline(always)]
    pub fn eval<B: Bits>(&self, b: &B, index: B::V, z: B::V) -> B::V {
        let t = self.parsed();
        let mut coefficients: SmallVec<[B::V; 8]> = SmallVec::new();
        for (rom, part) in t.roms.iter().zip(&t.parts) {
            let word = b.rom(rom, index);
            let mut low = 0;
            for k in part.clone() {
                coefficients.push(b.slice(word, low, t.widths[k]));
                low += t.widths[k];
            }
        }
        let degree = coefficients.len() - 1;
        let mut sum = coefficients[degree];
        for k in (0..degree).rev() {
            // More bits of z than the factor has would not be seen in the product.
            let kept = b.width(sum).saturating_add_signed(t.more).min(b.width(z));
            let factor = b.zext(b.top(z, kept), kept + 1);
            let product = b.smul(sum, factor);
            let product = b.slice(product, kept, b.width(product) - kept);
            let width = t.widths[k];
            let product = match b.width(product) <= width {
                true => b.sext(product, width),
                false => b.trunc(product, width),
            };
            sum = b.add(coefficients[k], product);
        }
        sum
    }

    /// The same with the segment in the top bits of `t`, an unsigned fraction.
    #[inline(always)]
    pub fn at<B: Bits>(&self, b: &B, t: B::V) -> B::V {
        let (width, index) = (b.width(t), self.parsed().index_bits);
        self.eval(b, b.top(t, index), b.trunc(t, width - index))
    }
}

/// Read-only words, as many as a power of two, in one or several memories with the same index.
pub struct Words {
    name: &'static str,
    text: &'static str,
    roms: OnceLock<Vec<Rom>>,
}

impl Words {
    /// The words in the file `text`.
    pub const fn new(name: &'static str, text: &'static str) -> Words {
        Words { name, text, roms: OnceLock::new() }
    }

    /// The memories: one for each number in a line of the file.
    ///
    /// # Panics
    /// As [`Table::parsed`].
    pub fn roms(&self) -> &[Rom] {
        self.roms.get_or_init(|| {
            let mut lines = self.text.lines().filter(|l| !l.starts_with('#'));
            let width = lines.next().and_then(|l| l.parse().ok());
            let width = width.unwrap_or_else(|| panic!("table {}: no width", self.name));
            let rows: Vec<Vec<u128>> = lines
                .map(|l| l.split_whitespace().map(|v| v.parse().expect("an integer")).collect())
                .collect();
            let rom = |column: usize| {
                let mut words: Vec<u128> = rows.iter().map(|row| row[column]).collect();
                words.resize(words.len().next_power_of_two(), 0);
                Rom { name: self.name, width, words }
            };
            (0..rows[0].len()).map(rom).collect()
        })
    }
}

/// 2/pi 2^(i - 25) modulo 4 with 81 fraction bits: what a significand as an integer with the exponent i - 2 is
/// multiplied by. (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 1983.)
pub static TWO_OVER_PI_F32: Words =
    Words::new("two_over_pi_f32", include_str!("../../tables/two_over_pi_f32.txt"));

/// The same with 62 fraction bits, for relaxed bounds.
pub static TWO_OVER_PI_NATIVE: Words =
    Words::new("two_over_pi_native", include_str!("../../tables/two_over_pi_native.txt"));

/// 2/pi 2^(4 i - 54) modulo 4 with 178 fraction bits, in three words, the high one first: the same for double precision and
/// every fourth exponent.
pub static TWO_OVER_PI_F64: Words =
    Words::new("two_over_pi_f64", include_str!("../../tables/two_over_pi_f64.txt"));

/// Bits of a word of a memory.
const ROM_BITS: u32 = 128;

fn parse(name: &'static str, text: &str) -> Parsed {
    let mut lines = text.lines().filter(|l| !l.starts_with('#')).peekable();
    let mut optional = |key: &str| -> Option<Vec<i32>> {
        let values = lines.peek()?.strip_prefix(key)?;
        lines.next();
        Some(values.split_whitespace().map(|v| v.parse().expect("a number")).collect())
    };
    let more = optional("more").map_or(1, |m| m[0]);
    let mut field = |key: &str| -> Vec<u32> {
        let values = optional(key).unwrap_or_else(|| panic!("table {name}: no {key}"));
        values.into_iter().map(i32::unsigned_abs).collect()
    };
    let index_bits = field("index_bits")[0];
    let frac_bits = field("frac_bits")[0];
    let widths = field("widths");
    let rows: Vec<Vec<i128>> = lines
        .map(|l| l.split_whitespace().map(|v| v.parse().expect("an integer")).collect())
        .collect();
    assert_eq!(rows.len(), 1 << index_bits, "table {name}: rows");

    let mut parts = vec![];
    let (mut first, mut bits) = (0, 0);
    for (k, width) in widths.iter().enumerate() {
        if bits + width > ROM_BITS {
            parts.push(first..k);
            (first, bits) = (k, 0);
        }
        bits += width;
    }
    parts.push(first..widths.len());
    let rom = |part: &std::ops::Range<usize>| {
        let word = |row: &Vec<i128>| {
            let (mut word, mut low) = (0, 0);
            for k in part.clone() {
                let mask = u128::MAX >> (128 - widths[k]);
                word |= (row[k] as u128 & mask) << low;
                low += widths[k];
            }
            word
        };
        let width = part.clone().map(|k| widths[k]).sum();
        Rom { name, width, words: rows.iter().map(word).collect() }
    };
    let roms = parts.iter().map(rom).collect();
    Parsed { index_bits, frac_bits, widths, more, parts, roms }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $variable:ident $name:literal;)*) => {
        $($(#[$doc])* pub static $variable: Table =
            Table::new($name, include_str!(concat!("../../tables/", $name, ".txt")));)*

        /// All tables.
        pub static ALL: &[&Table] = &[$(&$variable,)*];
    };
}

tables! {
    /// 2^t.
    EXP2_F32 "exp2_f32";
    /// The same in double precision.
    EXP2_F64 "exp2_f64";
    /// (e^x - 1) / x with x = t - 1/2.
    EXPM1_F32 "expm1_f32";
    /// The same in double precision.
    EXPM1_F64 "expm1_f64";
    /// log2(m) / (m - 1) with m = 1 + t below 1/2, (1 + t) / 2 from there.
    LOG2_F32 "log2_f32";
    /// The same in double precision.
    LOG2_F64 "log2_f64";
    /// ln(m) / (m - 1), m as above.
    LOG_F32 "log_f32";
    /// The same in double precision.
    LOG_F64 "log_f64";
    /// log10(m) / (m - 1), m as above.
    LOG10_F32 "log10_f32";
    /// The same in double precision.
    LOG10_F64 "log10_f64";
    /// ln(1 + x) / x with x = t - 1/2.
    LOG1P_F32 "log1p_f32";
    /// The same in double precision.
    LOG1P_F64 "log1p_f64";
    /// sin(pi/2 r) / r with r = t / 2 in the lower half of the segments, cos(pi/2 r) in the upper.
    SINCOS_F32 "sincos_f32";
    /// The same in double precision.
    SINCOS_F64 "sincos_f64";
    /// The square root of [1, 4): of 1 + 2t, from 1/2 of 2 (1 + (2t - 1)).
    SQRT_F32 "sqrt_f32";
    /// The same in double precision.
    SQRT_F64 "sqrt_f64";
    /// The reciprocal of that.
    RSQRT_F32 "rsqrt_f32";
    /// The same in double precision.
    RSQRT_F64 "rsqrt_f64";
    /// The cube root of [1, 16), one octave each quarter.
    CBRT_F32 "cbrt_f32";
    /// The same in double precision.
    CBRT_F64 "cbrt_f64";
    /// 1 / (1 + t).
    RECIP_F32 "recip_f32";
    /// The same in double precision.
    RECIP_F64 "recip_f64";
    /// atan(t) / t.
    ATAN_F32 "atan_f32";
    /// The same in double precision.
    ATAN_F64 "atan_f64";
    /// asin(x) / x with x = t / 2.
    ASIN_F32 "asin_f32";
    /// The same in double precision.
    ASIN_F64 "asin_f64";
    /// asin(sqrt z) / sqrt z with z = t / 2.
    ASIN_ROOT_F32 "asin_root_f32";
    /// The same in double precision.
    ASIN_ROOT_F64 "asin_root_f64";
    /// sinh(x) / x with x = t / 2.
    SINH_F32 "sinh_f32";
    /// The same in double precision.
    SINH_F64 "sinh_f64";
    /// tanh(x) / x with x = t / 2.
    TANH_F32 "tanh_f32";
    /// The same in double precision.
    TANH_F64 "tanh_f64";
    /// tanh(16 t).
    TANH_FAR_F32 "tanh_far_f32";
    /// asinh(x) / x with x = t / 2.
    ASINH_F32 "asinh_f32";
    /// The same in double precision.
    ASINH_F64 "asinh_f64";
    /// acosh(1 + u) / sqrt(2 u) with u = t / 2.
    ACOSH_F32 "acosh_f32";
    /// The same in double precision.
    ACOSH_F64 "acosh_f64";
    /// atanh(x) / x with x = t / 2.
    ATANH_F32 "atanh_f32";
    /// The same in double precision.
    ATANH_F64 "atanh_f64";
    /// As `LOG2_F32`, finer.
    LOG2_FINE_F32 "log2_fine_f32";
    /// The same in double precision.
    LOG2_FINE_F64 "log2_fine_f64";
    /// erf(x) / x with x = 4t.
    ERF_F32 "erf_f32";
    /// The same with x = 8t in double precision.
    ERF_F64 "erf_f64";
    /// e^(x^2) erfc(x) with x = 8t or, from t = 1/2, 32t - 12.
    ERFCX_F32 "erfcx_f32";
    /// The same with x = 16t or 64t - 24 in double precision.
    ERFCX_F64 "erfcx_f64";
    /// log2 gamma(y) with y in [1, 64), one octave each eighth.
    LOG2_GAMMA_F32 "log2_gamma_f32";
    /// The same with y in [1, 256) in double precision.
    LOG2_GAMMA_F64 "log2_gamma_f64";
    /// ln gamma(y) / ((y - 1) (y - 2)) with y in [1/2, 8), one octave each quarter.
    LOG_GAMMA_F32 "log_gamma_f32";
    /// The same in double precision.
    LOG_GAMMA_F64 "log_gamma_f64";
    /// What Stirling's formula leaves of ln gamma(y), y in [4, 2^18), one octave each sixteenth.
    STIRLING_F32 "stirling_f32";
    /// The same with y in [4, 2^34), one octave each part of 32, in double precision.
    STIRLING_F64 "stirling_f64";
    /// 2^t, for relaxed bounds.
    EXP2_NATIVE "exp2_native";
    /// The same for `half_` functions.
    EXP2_HALF "exp2_half";
    /// As `LOG2_F32`, for relaxed bounds.
    LOG2_NATIVE "log2_native";
    /// The same for `half_` functions.
    LOG2_HALF "log2_half";
    /// As `LOG_F32`, for relaxed bounds.
    LOG_NATIVE "log_native";
    /// The same for `half_` functions.
    LOG_HALF "log_half";
    /// As `LOG10_F32`, for relaxed bounds.
    LOG10_NATIVE "log10_native";
    /// The same for `half_` functions.
    LOG10_HALF "log10_half";
    /// As `LOG2_FINE_F32`, for relaxed bounds.
    LOG2_FINE_NATIVE "log2_fine_native";
    /// The same for `half_` functions.
    LOG2_FINE_HALF "log2_fine_half";
    /// As `SQRT_F32`, for relaxed bounds.
    SQRT_NATIVE "sqrt_native";
    /// The same for `half_` functions.
    SQRT_HALF "sqrt_half";
    /// As `RSQRT_F32`, for relaxed bounds.
    RSQRT_NATIVE "rsqrt_native";
    /// The same for `half_` functions.
    RSQRT_HALF "rsqrt_half";
    /// 1 / (1 + t), for relaxed bounds.
    RECIP_NATIVE "recip_native";
    /// The same for `half_` functions.
    RECIP_HALF "recip_half";
    /// As `SINCOS_F32`, for relaxed bounds.
    SINCOS_NATIVE "sincos_native";
}
