//! Binary floating-point formats.

use ir::FloatKind;
use std::fmt;

/// An IEEE 754 style binary interchange format: sign, biased exponent, fraction, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    /// Bits of the biased exponent field.
    pub exp_bits: u32,
    /// Bits of the fraction field, without the hidden bit.
    pub frac_bits: u32,
}

impl Format {
    /// IEEE 754 binary16, OpenCL `half`.
    pub const F16: Format = Format { exp_bits: 5, frac_bits: 10 };
    /// bfloat16: the upper half of a binary32.
    pub const BF16: Format = Format { exp_bits: 8, frac_bits: 7 };
    /// IEEE 754 binary32, OpenCL `float`.
    pub const F32: Format = Format { exp_bits: 8, frac_bits: 23 };
    /// IEEE 754 binary64, OpenCL `double`.
    pub const F64: Format = Format { exp_bits: 11, frac_bits: 52 };
    /// All formats that have a name.
    pub const ALL: [Format; 4] = [Format::F16, Format::BF16, Format::F32, Format::F64];

    /// Bits of a value.
    pub const fn width(self) -> u32 {
        1 + self.exp_bits + self.frac_bits
    }

    /// Bits of a significand with its hidden bit: the precision p.
    pub const fn precision(self) -> u32 {
        self.frac_bits + 1
    }

    /// Exponent bias; also the largest unbiased exponent.
    pub const fn bias(self) -> u32 {
        (1 << (self.exp_bits - 1)) - 1
    }

    /// The exponent field of infinities and NaNs: all ones.
    pub const fn exp_max(self) -> u32 {
        (1 << self.exp_bits) - 1
    }

    /// The canonical NaN: positive and quiet, with an otherwise empty payload. Every arithmetic
    /// result that is NaN has exactly this pattern.
    pub const fn nan(self) -> u128 {
        self.infinity() | 1 << (self.frac_bits - 1)
    }

    /// Positive infinity.
    pub const fn infinity(self) -> u128 {
        (self.exp_max() as u128) << self.frac_bits
    }

    /// The largest finite number.
    pub const fn max_finite(self) -> u128 {
        self.infinity() - 1
    }

    /// The number 1.
    pub const fn one(self) -> u128 {
        (self.bias() as u128) << self.frac_bits
    }

    /// The sign bit alone: negative zero.
    pub const fn sign_mask(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The format with this name (as printed by `Display`).
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.to_string() == name)
    }
}

impl From<FloatKind> for Format {
    fn from(kind: FloatKind) -> Format {
        match kind {
            FloatKind::F16 => Format::F16,
            FloatKind::BF16 => Format::BF16,
            FloatKind::F32 => Format::F32,
            FloatKind::F64 => Format::F64,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Format::F16 => f.write_str("f16"),
            Format::BF16 => f.write_str("bf16"),
            Format::F32 => f.write_str("f32"),
            Format::F64 => f.write_str("f64"),
            Format { exp_bits, frac_bits } => write!(f, "f_e{exp_bits}m{frac_bits}"),
        }
    }
}
