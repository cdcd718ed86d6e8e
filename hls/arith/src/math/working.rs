//! What the formats that are computed directly differ in: widths, constants and tables.

use super::{arc, erf, exp, gamma, hyperbolic, log, pow, relaxed, root, trig};
use crate::bits::Bits;
use crate::format::Format;

/// A format and the precision with which functions are computed before they are rounded to it.
pub struct Working {
    /// Operands and results.
    pub format: Format,
    /// Bits of a normalised intermediate and of a table's argument; those of a table's value behind the point.
    pub bits: u32,
    /// Bits of a power of two beside an intermediate, two's complement: far beyond what the format needs.
    pub scale_bits: u32,
    /// Exponentials.
    pub exp: &'static exp::Constants,
    /// Logarithms.
    pub log: &'static log::Constants,
    /// Circular functions.
    pub trig: &'static trig::Constants,
    /// Their inverses.
    pub arc: &'static arc::Constants,
    /// Hyperbolic functions and their inverses.
    pub hyperbolic: &'static hyperbolic::Constants,
    /// Roots.
    pub root: &'static root::Constants,
    /// Powers.
    pub pow: &'static pow::Constants,
    /// The error function.
    pub erf: &'static erf::Constants,
    /// The gamma function.
    pub gamma: &'static gamma::Constants,
}

/// For single precision.
pub static SINGLE: Working = Working {
    format: Format::F32,
    bits: 30,
    scale_bits: 12,
    exp: &exp::SINGLE,
    log: &log::SINGLE,
    trig: &trig::SINGLE,
    arc: &arc::SINGLE,
    hyperbolic: &hyperbolic::SINGLE,
    root: &root::SINGLE,
    pow: &pow::SINGLE,
    erf: &erf::SINGLE,
    gamma: &gamma::SINGLE,
};

/// For double precision.
pub static DOUBLE: Working = Working {
    format: Format::F64,
    bits: 61,
    scale_bits: 15,
    exp: &exp::DOUBLE,
    log: &log::DOUBLE,
    trig: &trig::DOUBLE,
    arc: &arc::DOUBLE,
    hyperbolic: &hyperbolic::DOUBLE,
    root: &root::DOUBLE,
    pow: &pow::DOUBLE,
    erf: &erf::DOUBLE,
    gamma: &gamma::DOUBLE,
};

/// For single precision with the bounds of `-cl-unsafe-math-optimizations`.
pub static NATIVE: Working = Working {
    format: Format::F32,
    bits: 18,
    scale_bits: 12,
    exp: &relaxed::NATIVE_EXP,
    log: &relaxed::NATIVE_LOG,
    trig: &relaxed::NATIVE_TRIG,
    arc: &arc::SINGLE,
    hyperbolic: &hyperbolic::SINGLE,
    root: &relaxed::NATIVE_ROOT,
    pow: &relaxed::NATIVE_POW,
    erf: &erf::SINGLE,
    gamma: &gamma::SINGLE,
};

/// For single precision with those of the `half_` functions.
pub static HALF: Working = Working {
    format: Format::F32,
    bits: 18,
    scale_bits: 12,
    exp: &relaxed::HALF_EXP,
    log: &relaxed::HALF_LOG,
    trig: &relaxed::NATIVE_TRIG,
    arc: &arc::SINGLE,
    hyperbolic: &hyperbolic::SINGLE,
    root: &relaxed::HALF_ROOT,
    pow: &relaxed::HALF_POW,
    erf: &erf::SINGLE,
    gamma: &gamma::SINGLE,
};

impl Working {
    /// A constant scale.
    #[inline(always)]
    pub fn scale<B: Bits>(&self, b: &B, value: i32) -> B::V {
        signed_constant(b, self.scale_bits, value)
    }

    /// The bits of the number 1, in a format's width.
    #[inline(always)]
    pub fn one<B: Bits>(&self, b: &B) -> B::V {
        b.constant(self.format.width(), self.format.one())
    }

    /// The bits of the magnitude of the number 1, without a sign.
    #[inline(always)]
    pub fn one_magnitude<B: Bits>(&self, b: &B) -> B::V {
        b.constant(self.format.width() - 1, self.format.one())
    }
}

/// A constant in two's complement.
#[inline(always)]
pub fn signed_constant<B: Bits>(b: &B, width: u32, value: i32) -> B::V {
    b.constant(width, (i64::from(value) & ((1 << width) - 1)) as u128)
}
