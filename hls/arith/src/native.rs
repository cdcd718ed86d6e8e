//! The native builder: a datapath run as an ordinary function on machine words.
//!
//! Each datapath function is inlined into a caller that fixes format and rounding mode, so that
//! the widths are constants to the compiler and the masks fold away.

use crate::bits::{Bits, Rom, Shifted, count_width};
use crate::shift::rows;
use std::marker::PhantomData;

/// The machine word that holds a bit vector: `u64` where no intermediate is wider, else `u128`.
pub trait Word: Copy + Eq + std::fmt::Debug {
    /// Bits of the word.
    const BITS: u32;
    /// The low bits of `value`.
    fn from_u128(value: u128) -> Self;
    /// Zero-extended.
    fn to_u128(self) -> u128;
    /// The low `width` bits; `width` is 1..=BITS.
    fn low(self, width: u32) -> Self;
    /// Sign-extended from `width` bits to the whole word.
    fn signed(self, width: u32) -> Self;
    /// Wrapping sum.
    fn add(self, other: Self) -> Self;
    /// Wrapping difference.
    fn sub(self, other: Self) -> Self;
    /// Wrapping product.
    fn mul(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Left shift, `amount < BITS`.
    fn shl(self, amount: u32) -> Self;
    /// Logical right shift, `amount < BITS`.
    fn shr(self, amount: u32) -> Self;
    /// Arithmetic right shift of the whole word, `amount < BITS`.
    fn sar(self, amount: u32) -> Self;
    /// Unsigned comparison.
    fn less(self, other: Self) -> bool;
    /// Comparison of the whole words as two's complement.
    fn signed_less(self, other: Self) -> bool;
    /// Leading zeros of the whole word.
    fn leading_zeros(self) -> u32;
    /// Number of ones.
    fn count_ones(self) -> u32;
}

macro_rules! impl_word {
    ($unsigned:ty, $signed:ty) => {
        impl Word for $unsigned {
            const BITS: u32 = <$unsigned>::BITS;
            #[inline(always)]
            fn from_u128(value: u128) -> Self {
                value as Self
            }
            #[inline(always)]
            fn to_u128(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn low(self, width: u32) -> Self {
                self & (Self::MAX >> (<Self as Word>::BITS - width))
            }
            #[inline(always)]
            fn signed(self, width: u32) -> Self {
                let unused = <Self as Word>::BITS - width;
                (((self << unused) as $signed) >> unused) as Self
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn shl(self, amount: u32) -> Self {
                self << amount
            }
            #[inline(always)]
            fn shr(self, amount: u32) -> Self {
                self >> amount
            }
            #[inline(always)]
            fn sar(self, amount: u32) -> Self {
                ((self as $signed) >> amount) as Self
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn signed_less(self, other: Self) -> bool {
                (self as $signed) < other as $signed
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                <$unsigned>::leading_zeros(self)
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                <$unsigned>::count_ones(self)
            }
        }
    };
}

impl_word!(u64, i64);
impl_word!(u128, i128);

/// A bit vector of the native builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<W> {
    /// The bits, zero above `width`.
    pub bits: W,
    /// Width in bits.
    pub width: u32,
}

/// The native builder over words of type `W`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native<W>(PhantomData<W>);

impl<W: Word> Native<W> {
    /// The builder; it has no state.
    #[inline(always)]
    pub const fn new() -> Self {
        Native(PhantomData)
    }

    /// The low `width` bits of `bits` as a value.
    #[inline(always)]
    pub fn value(&self, width: u32, bits: W) -> Value<W> {
        assert!(width >= 1 && width <= W::BITS, "width outside the builder's word");
        Value { bits: bits.low(width), width }
    }

    #[inline(always)]
    fn bit_of(&self, condition: bool) -> Value<W> {
        Value { bits: W::from_u128(condition as u128), width: 1 }
    }

    #[inline(always)]
    fn same(&self, a: Value<W>, b: Value<W>) -> u32 {
        assert!(a.width == b.width, "operands of different widths");
        a.width
    }

    /// The top `kept` bits, and whether there is anything below them.
    #[inline(always)]
    fn split(&self, a: Value<W>, kept: u32) -> Shifted<Value<W>> {
        let value = self.top(a, kept);
        let lost = self.bit_of(value.bits.shl(a.width - kept) != a.bits);
        Shifted { value, lost }
    }

    /// The shift amount, or None if it reaches `width`.
    #[inline(always)]
    fn amount(&self, amount: Value<W>, width: u32) -> Option<u32> {
        let in_range = amount.bits.less(W::from_u128(width as u128));
        in_range.then(|| amount.bits.to_u128() as u32)
    }
}

impl<W: Word> Bits for Native<W> {
    type V = Value<W>;
    const WIDE: bool = W::BITS >= 128;
    const RUNS: bool = true;

    #[inline(always)]
    fn width(&self, v: Value<W>) -> u32 {
        v.width
    }
    #[inline(always)]
    fn constant(&self, width: u32, value: u128) -> Value<W> {
        let made = self.value(width, W::from_u128(value));
        assert!(made.bits.to_u128() == value, "constant wider than its vector");
        made
    }
    #[inline(always)]
    fn add(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(self.same(a, b), a.bits.add(b.bits))
    }
    #[inline(always)]
    fn sub(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(self.same(a, b), a.bits.sub(b.bits))
    }
    #[inline(always)]
    fn umul(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(a.width + b.width, a.bits.mul(b.bits))
    }
    #[inline(always)]
    fn smul(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(a.width + b.width, a.bits.signed(a.width).mul(b.bits.signed(b.width)))
    }
    #[inline(always)]
    fn and(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(self.same(a, b), a.bits.and(b.bits))
    }
    #[inline(always)]
    fn or(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(self.same(a, b), a.bits.or(b.bits))
    }
    #[inline(always)]
    fn xor(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.value(self.same(a, b), a.bits.xor(b.bits))
    }
    #[inline(always)]
    fn not(&self, a: Value<W>) -> Value<W> {
        self.value(a.width, a.bits.xor(W::from_u128(u128::MAX)))
    }
    #[inline(always)]
    fn shl(&self, a: Value<W>, amount: Value<W>) -> Value<W> {
        let bits = self.amount(amount, a.width).map_or(W::from_u128(0), |n| a.bits.shl(n));
        self.value(a.width, bits)
    }
    #[inline(always)]
    fn lshr(&self, a: Value<W>, amount: Value<W>) -> Value<W> {
        let bits = self.amount(amount, a.width).map_or(W::from_u128(0), |n| a.bits.shr(n));
        self.value(a.width, bits)
    }
    #[inline(always)]
    fn ashr(&self, a: Value<W>, amount: Value<W>) -> Value<W> {
        let n = self.amount(amount, a.width).unwrap_or(a.width - 1);
        self.value(a.width, a.bits.signed(a.width).sar(n))
    }
    #[inline(always)]
    fn zext(&self, a: Value<W>, width: u32) -> Value<W> {
        assert!(width >= a.width, "extension to fewer bits");
        self.value(width, a.bits)
    }
    #[inline(always)]
    fn sext(&self, a: Value<W>, width: u32) -> Value<W> {
        assert!(width >= a.width, "extension to fewer bits");
        self.value(width, a.bits.signed(a.width))
    }
    #[inline(always)]
    fn slice(&self, a: Value<W>, low: u32, width: u32) -> Value<W> {
        assert!(low + width <= a.width, "slice outside its vector");
        self.value(width, a.bits.shr(low))
    }
    #[inline(always)]
    fn concat(&self, high: Value<W>, low: Value<W>) -> Value<W> {
        self.value(high.width + low.width, high.bits.shl(low.width).or(low.bits))
    }
    #[inline(always)]
    fn eq(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.same(a, b);
        self.bit_of(a.bits == b.bits)
    }
    #[inline(always)]
    fn ult(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        self.same(a, b);
        self.bit_of(a.bits.less(b.bits))
    }
    #[inline(always)]
    fn slt(&self, a: Value<W>, b: Value<W>) -> Value<W> {
        let width = self.same(a, b);
        self.bit_of(a.bits.signed(width).signed_less(b.bits.signed(width)))
    }
    #[inline(always)]
    fn mux(&self, condition: Value<W>, then: Value<W>, otherwise: Value<W>) -> Value<W> {
        assert!(condition.width == 1, "condition of several bits");
        let width = self.same(then, otherwise);
        let chosen = if condition.bits == W::from_u128(1) { then.bits } else { otherwise.bits };
        Value { bits: chosen, width }
    }
    #[inline(always)]
    fn lzc(&self, a: Value<W>) -> Value<W> {
        let count = a.bits.leading_zeros() - (W::BITS - a.width);
        self.value(count_width(a.width), W::from_u128(count as u128))
    }
    #[inline(always)]
    fn popcount(&self, a: Value<W>) -> Value<W> {
        self.value(count_width(a.width), W::from_u128(a.bits.count_ones() as u128))
    }
    #[inline(always)]
    fn rom(&self, table: &Rom, index: Value<W>) -> Value<W> {
        assert!(table.words.len() == 1 << index.width, "table not as long as its index reaches");
        self.value(table.width, W::from_u128(table.words[index.bits.to_u128() as usize]))
    }
    #[inline(always)]
    fn lshr_lossy(&self, a: Value<W>, amount: Value<W>) -> Shifted<Value<W>> {
        let value = self.lshr(a, amount);
        let lost = self.bit_of(self.shl(value, amount).bits != a.bits);
        Shifted { value, lost }
    }
    #[inline(always)]
    fn shl_top(&self, a: Value<W>, amount: Value<W>, kept: u32) -> Shifted<Value<W>> {
        self.split(self.shl(a, amount), kept)
    }
    #[inline(always)]
    fn shl_leading(
        &self,
        a: Value<W>,
        limit: Option<Value<W>>,
        kept: u32,
    ) -> (Shifted<Value<W>>, Value<W>) {
        let rows = rows(a.width);
        let most = limit.map_or(u128::MAX, |limit| limit.bits.to_u128());
        let zeros = a.bits.leading_zeros() - (W::BITS - a.width);
        let count = u128::from(zeros).min(most).min((1 << rows) - 1);
        let count = self.value(rows.max(1), W::from_u128(count));
        (self.split(self.shl(a, count), kept), count)
    }
}
