//! The vocabulary in which every operator is described: bit vectors of explicit width.
//!
//! A description is a function generic over [`Bits`]. It has no data-dependent control flow:
//! choices are [`Bits::mux`], loops are unrolled while the description runs. Each call of a
//! method is one hardware operator, so widths are kept as small as the values allow.
//!
//! Methods take `&self` so that calls nest like expressions; a builder that grows a graph keeps
//! it behind interior mutability.

use crate::recurrence::Recurrence;
use crate::shift;

/// Contents of a read-only table: `words[i]` is the word at index `i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rom {
    /// Name of the table, for reports and for the emitted memory.
    pub name: &'static str,
    /// Bits a word, 1..=128.
    pub width: u32,
    /// The words; as many as `2^(width of the index)`.
    pub words: Vec<u128>,
}

/// A shifted value, and bits of which any is 1 if a one was lost: their reduction is left to the
/// user, who may have more to reduce.
#[derive(Clone, Copy, Debug)]
pub struct Shifted<V> {
    /// The value.
    pub value: V,
    /// What was lost, in a width that may differ from builder to builder.
    pub lost: V,
}

/// Builder of datapaths over bit vectors of 1..=128 bits.
///
/// Where two operands appear they have the same width unless the method says otherwise; a
/// violation is a defect of the description and panics while the datapath is built, never later.
/// The result of arithmetic has the width of its operands and wraps. Single-bit conditions are
/// vectors of width 1.
pub trait Bits {
    /// A bit vector; cheap to copy.
    type V: Copy;
    /// Whether vectors have up to 128 bits.
    const WIDE: bool = true;
    /// Whether the datapath runs while it is described: then a copy of its description made for each format is faster.
    const RUNS: bool = false;

    /// Width of `v` in bits.
    fn width(&self, v: Self::V) -> u32;
    /// The constant `value`, which fits `width` bits.
    fn constant(&self, width: u32, value: u128) -> Self::V;

    /// `a + b`, wrapping.
    fn add(&self, a: Self::V, b: Self::V) -> Self::V;
    /// `a - b`, wrapping.
    fn sub(&self, a: Self::V, b: Self::V) -> Self::V;
    /// Full unsigned product: the result is as wide as both operands together, which may differ
    /// in width. One node, however wide: splitting it into DSP tiles is the scheduler's task.
    fn umul(&self, a: Self::V, b: Self::V) -> Self::V;
    /// Full signed (two's complement) product, widths as in [`Bits::umul`].
    fn smul(&self, a: Self::V, b: Self::V) -> Self::V;

    /// Bitwise and.
    fn and(&self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise or.
    fn or(&self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise exclusive or.
    fn xor(&self, a: Self::V, b: Self::V) -> Self::V;
    /// Bitwise complement.
    fn not(&self, a: Self::V) -> Self::V;

    /// `a << amount` in the width of `a`; 0 when `amount` (unsigned, of any width) reaches it.
    fn shl(&self, a: Self::V, amount: Self::V) -> Self::V;
    /// Logical `a >> amount`; 0 when `amount` reaches the width of `a`.
    fn lshr(&self, a: Self::V, amount: Self::V) -> Self::V;
    /// Arithmetic `a >> amount`; all sign bits when `amount` reaches the width of `a`.
    fn ashr(&self, a: Self::V, amount: Self::V) -> Self::V;

    /// Zero extension to `width`, which is at least the width of `a`.
    fn zext(&self, a: Self::V, width: u32) -> Self::V;
    /// Sign extension to `width`, which is at least the width of `a`.
    fn sext(&self, a: Self::V, width: u32) -> Self::V;
    /// The `width` bits of `a` from bit `low` upwards.
    fn slice(&self, a: Self::V, low: u32, width: u32) -> Self::V;
    /// `high` above `low`; the result is as wide as both together.
    fn concat(&self, high: Self::V, low: Self::V) -> Self::V;

    /// 1 if `a == b`.
    fn eq(&self, a: Self::V, b: Self::V) -> Self::V;
    /// 1 if `a < b`, unsigned.
    fn ult(&self, a: Self::V, b: Self::V) -> Self::V;
    /// 1 if `a < b`, two's complement.
    fn slt(&self, a: Self::V, b: Self::V) -> Self::V;
    /// `then` where the single bit `condition` is 1, `otherwise` where it is 0.
    fn mux(&self, condition: Self::V, then: Self::V, otherwise: Self::V) -> Self::V;

    /// Number of leading zeros of `a`, [`count_width`] bits wide; the width of `a` if it is 0.
    fn lzc(&self, a: Self::V) -> Self::V;
    /// Number of ones of `a`, [`count_width`] bits wide.
    fn popcount(&self, a: Self::V) -> Self::V;
    /// The word of `table` at `index`.
    fn rom(&self, table: &Rom, index: Self::V) -> Self::V;

    // Everything below is composed of the above; a builder need not provide it.

    /// The single bit 0 or 1.
    #[inline(always)]
    fn bool(&self, value: bool) -> Self::V {
        self.constant(1, value as u128)
    }

    /// `width` ones.
    #[inline(always)]
    fn ones(&self, width: u32) -> Self::V {
        self.constant(width, u128::MAX >> (128 - width))
    }

    /// Bit `index` of `a`.
    #[inline(always)]
    fn bit(&self, a: Self::V, index: u32) -> Self::V {
        if self.width(a) == 1 {
            return a;
        }
        self.slice(a, index, 1)
    }

    /// The most significant bit of `a`.
    #[inline(always)]
    fn msb(&self, a: Self::V) -> Self::V {
        self.bit(a, self.width(a) - 1)
    }

    /// The low `width` bits of `a`.
    #[inline(always)]
    fn trunc(&self, a: Self::V, width: u32) -> Self::V {
        if self.width(a) == width {
            return a;
        }
        self.slice(a, 0, width)
    }

    /// The high `width` bits of `a`.
    #[inline(always)]
    fn top(&self, a: Self::V, width: u32) -> Self::V {
        if self.width(a) == width {
            return a;
        }
        self.slice(a, self.width(a) - width, width)
    }

    /// `a` in `width` bits: zero-extended or truncated.
    #[inline(always)]
    fn resize(&self, a: Self::V, width: u32) -> Self::V {
        if self.width(a) < width { self.zext(a, width) } else { self.trunc(a, width) }
    }

    /// `a` followed by `count` zeros: exact multiplication by `2^count`.
    #[inline(always)]
    fn pad_low(&self, a: Self::V, count: u32) -> Self::V {
        if count == 0 {
            return a;
        }
        self.concat(a, self.constant(count, 0))
    }

    /// 1 if `a` is not 0.
    #[inline(always)]
    fn any(&self, a: Self::V) -> Self::V {
        if self.width(a) == 1 {
            return a;
        }
        self.not(self.is_zero(a))
    }

    /// 1 if `a` is 0.
    #[inline(always)]
    fn is_zero(&self, a: Self::V) -> Self::V {
        if self.width(a) == 1 {
            return self.not(a);
        }
        self.eq(a, self.constant(self.width(a), 0))
    }

    /// 1 if all bits of `a` are 1.
    #[inline(always)]
    fn all(&self, a: Self::V) -> Self::V {
        if self.width(a) == 1 {
            return a;
        }
        self.eq(a, self.ones(self.width(a)))
    }

    /// The single bit `a` repeated `width` times.
    #[inline(always)]
    fn spread(&self, a: Self::V, width: u32) -> Self::V {
        if width == 1 {
            return a;
        }
        self.sext(a, width)
    }

    /// `a` where the single bit `keep` is 1, else 0.
    #[inline(always)]
    fn mask(&self, keep: Self::V, a: Self::V) -> Self::V {
        self.and(self.spread(keep, self.width(a)), a)
    }

    /// `a & !b`.
    #[inline(always)]
    fn and_not(&self, a: Self::V, b: Self::V) -> Self::V {
        self.and(a, self.not(b))
    }

    /// `a + bit`: the bit is a carry in.
    #[inline(always)]
    fn increment(&self, a: Self::V, bit: Self::V) -> Self::V {
        self.add(a, self.resize(bit, self.width(a)))
    }

    /// Two's complement negation.
    #[inline(always)]
    fn negate(&self, a: Self::V) -> Self::V {
        self.sub(self.constant(self.width(a), 0), a)
    }

    /// 1 if the unsigned `a` is below the constant `limit`.
    #[inline(always)]
    fn ult_const(&self, a: Self::V, limit: u128) -> Self::V {
        self.ult(a, self.constant(self.width(a), limit))
    }

    /// The results of a digit recurrence. A builder may make a loop of it instead of all steps.
    #[inline(always)]
    fn recur<R: Recurrence>(&self, r: &R, operands: &[Self::V]) -> [Self::V; 2]
    where
        Self: Sized,
    {
        r.unrolled(self, operands)
    }

    // Shifters that lose bits or find their distance themselves. These are rows of multiplexers; a
    // builder may have something equal that suits it better.

    /// `a >> amount` for any amount, and what is lost at the bottom.
    #[inline(always)]
    fn lshr_lossy(&self, a: Self::V, amount: Self::V) -> Shifted<Self::V>
    where
        Self: Sized,
    {
        shift::lshr_lossy(self, a, amount)
    }

    /// The top `kept` bits of `a << amount` in the width of `a`, and what stays below them.
    #[inline(always)]
    fn shl_top(&self, a: Self::V, amount: Self::V, kept: u32) -> Shifted<Self::V>
    where
        Self: Sized,
    {
        shift::shl_top(self, a, amount, kept)
    }

    /// `a` moved left until its top bit is 1, but by no more than `limit`: its top `kept` bits, what
    /// stays below them, and the distance, in as many bits as the width of `a` less 1 needs. Where
    /// there is no end to it, the distance is the greatest of that width, but at most the width of `a`.
    #[inline(always)]
    fn shl_leading(
        &self,
        a: Self::V,
        limit: Option<Self::V>,
        kept: u32,
    ) -> (Shifted<Self::V>, Self::V)
    where
        Self: Sized,
    {
        shift::shl_leading(self, a, limit, kept)
    }
}

/// Width of a count of up to `width` items: the bits of the number `width` itself.
pub const fn count_width(width: u32) -> u32 {
    u32::BITS - width.leading_zeros()
}
