//! Taking packed floating-point numbers apart.

use crate::bits::Bits;
use crate::format::Format;

/// The fields of a packed number, with the reductions that classify it.
#[derive(Clone, Copy, Debug)]
pub struct Parts<V> {
    /// Sign bit.
    pub sign: V,
    /// Biased exponent field.
    pub exp: V,
    /// Fraction field.
    pub frac: V,
    /// Exponent and fraction together: ordered like the numbers' magnitudes.
    pub magnitude: V,
    /// The exponent field is 0: zero or subnormal.
    pub exp_zero: V,
    /// The exponent field is all ones: infinity or NaN.
    pub exp_ones: V,
    /// The fraction field is 0.
    pub frac_zero: V,
}

/// Takes `x` apart; one reduction for each of the classifying bits.
#[inline(always)]
pub fn unpack<B: Bits>(b: &B, format: Format, x: B::V) -> Parts<B::V> {
    let exp = b.slice(x, format.frac_bits, format.exp_bits);
    let frac = b.slice(x, 0, format.frac_bits);
    Parts {
        sign: b.msb(x),
        exp,
        frac,
        magnitude: b.trunc(x, format.width() - 1),
        exp_zero: b.is_zero(exp),
        exp_ones: b.all(exp),
        frac_zero: b.is_zero(frac),
    }
}

impl<V: Copy> Parts<V> {
    /// 1 for a NaN.
    #[inline(always)]
    pub fn nan<B: Bits<V = V>>(&self, b: &B) -> V {
        b.and_not(self.exp_ones, self.frac_zero)
    }

    /// 1 for an infinity.
    #[inline(always)]
    pub fn inf<B: Bits<V = V>>(&self, b: &B) -> V {
        b.and(self.exp_ones, self.frac_zero)
    }

    /// 1 for a zero.
    #[inline(always)]
    pub fn zero<B: Bits<V = V>>(&self, b: &B) -> V {
        b.and(self.exp_zero, self.frac_zero)
    }

    /// The significand with its hidden bit, p bits: 0.frac for subnormals.
    #[inline(always)]
    pub fn significand<B: Bits<V = V>>(&self, b: &B) -> V {
        b.concat(b.not(self.exp_zero), self.frac)
    }

    /// The exponent that belongs to [`Parts::significand`]: the field, but 1 for subnormals.
    #[inline(always)]
    pub fn exponent<B: Bits<V = V>>(&self, b: &B) -> V {
        let width = b.width(self.exp);
        b.or(self.exp, b.zext(self.exp_zero, width))
    }
}

/// A significand shifted so that its leading one is its top bit, and by how far.
#[derive(Clone, Copy, Debug)]
pub struct Normalised<V> {
    /// The shifted significand, p bits.
    pub significand: V,
    /// Number of places, 0 for normal numbers; an unsigned count.
    pub shift: V,
}

/// Normalises the significand of `x`, as digit recurrences need it. Zero stays zero, moved by anything.
#[inline(always)]
pub fn normalise<B: Bits>(b: &B, x: &Parts<B::V>) -> Normalised<B::V> {
    let significand = x.significand(b);
    let width = b.width(significand);
    let (shifted, shift) = b.shl_leading(significand, None, width);
    Normalised { significand: shifted.value, shift }
}
