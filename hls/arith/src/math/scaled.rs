//! Numbers in the middle of a datapath: an unsigned integer and a power of two.

use super::pack::pack;
use super::table::Table;
use super::working::{Working, signed_constant};
use crate::bits::Bits;
use crate::float::parts::Parts;
use crate::float::round::Specials;

/// `magnitude * 2^scale`, never negative.
#[derive(Clone, Copy)]
pub struct Scaled<V> {
    /// Any width.
    pub magnitude: V,
    /// Two's complement of [`Working::scale_bits`].
    pub scale: V,
}

/// See [`Scaled::fraction`].
const HEADROOM: i32 = 3;

impl<V: Copy> Scaled<V> {
    /// An integer times a constant power of two.
    #[inline(always)]
    pub fn new<B: Bits<V = V>>(b: &B, w: &Working, magnitude: V, by: i32) -> Self {
        Scaled { magnitude, scale: w.scale(b, by) }
    }

    /// |x|
    #[inline(always)]
    pub fn of<B: Bits<V = V>>(b: &B, w: &Working, x: &Parts<V>) -> Self {
        let exponent = b.zext(x.exponent(b), w.scale_bits);
        let offset = w.scale(b, (w.format.bias() + w.format.frac_bits) as i32);
        Scaled { magnitude: x.significand(b), scale: b.sub(exponent, offset) }
    }

    /// A constant as wide as the scale.
    #[inline(always)]
    fn constant<B: Bits<V = V>>(&self, b: &B, value: i32) -> V {
        signed_constant(b, b.width(self.scale), value)
    }

    /// The scale and a constant.
    #[inline(always)]
    pub fn scale_plus<B: Bits<V = V>>(&self, b: &B, by: i32) -> V {
        b.add(self.scale, self.constant(b, by))
    }

    /// This times the integer `factor` times `2^by`.
    #[inline(always)]
    pub fn times<B: Bits<V = V>>(self, b: &B, factor: V, by: i32) -> Self {
        Scaled { magnitude: b.umul(self.magnitude, factor), scale: self.scale_plus(b, by) }
    }

    /// The same number in `bits` bits of which the top one is 1, cut off; 0 stays 0.
    #[inline(always)]
    pub fn normal<B: Bits<V = V>>(self, b: &B, bits: u32) -> Self {
        let width = b.width(self.magnitude);
        let zeros = b.lzc(self.magnitude);
        let shifted = b.shl(self.magnitude, zeros);
        let magnitude = match bits <= width {
            true => b.top(shifted, bits),
            false => b.pad_low(shifted, bits - width),
        };
        let change = self.constant(b, width as i32 - bits as i32);
        let moved = b.sub(change, b.zext(zeros, b.width(self.scale)));
        Scaled { magnitude, scale: b.add(self.scale, moved) }
    }

    /// This number, below `2^top`, as a fraction of that in `bits` bits, cut off. The magnitude may have up to
    /// [`HEADROOM`] zeros before its first one that its scale counts on.
    #[inline(always)]
    pub fn fraction<B: Bits<V = V>>(self, b: &B, top: i32, bits: u32) -> V {
        let (width, top) = (b.width(self.magnitude), top + HEADROOM);
        let all = bits + HEADROOM as u32;
        let place = match all <= width {
            true => self.magnitude,
            false => b.pad_low(self.magnitude, all - width),
        };
        // With this scale it would stand at the top; below, it moves right.
        let distance = b.sub(self.constant(b, top - width as i32), self.scale);
        let moved = b.lshr(place, distance);
        let moved = if all <= width { b.top(moved, all) } else { moved };
        b.trunc(moved, bits)
    }

    /// `then` where the condition holds.
    #[inline(always)]
    pub fn select<B: Bits<V = V>>(b: &B, condition: V, then: Self, otherwise: Self) -> Self {
        let width = b.width(then.magnitude).max(b.width(otherwise.magnitude));
        let (x, y) = (then.padded(b, width), otherwise.padded(b, width));
        Scaled {
            magnitude: b.mux(condition, x.magnitude, y.magnitude),
            scale: b.mux(condition, x.scale, y.scale),
        }
    }

    /// The same number in more bits; its top bit stays the top bit.
    #[inline(always)]
    fn padded<B: Bits<V = V>>(self, b: &B, width: u32) -> Self {
        let more = width - b.width(self.magnitude);
        Scaled {
            magnitude: b.pad_low(self.magnitude, more),
            scale: b.sub(self.scale, self.constant(b, more as i32)),
        }
    }

    /// Rounded to the format.
    #[inline(always)]
    pub fn pack<B: Bits<V = V>>(self, b: &B, w: &Working, sign: V, specials: &Specials<V>) -> V {
        pack(b, w.format, sign, self.magnitude, self.scale, specials)
    }
}

/// Value of a table whose values are positive, without the sign bit, and its fraction bits.
#[inline(always)]
pub fn look_up<B: Bits>(b: &B, table: &Table, t: B::V) -> (B::V, i32) {
    let v = table.at(b, t);
    (b.trunc(v, b.width(v) - 1), table.parsed().frac_bits as i32)
}

/// A number below `2^top` times the table's value at its fraction of that: functions that are
/// nearly linear, as exact relatively as they are absolutely.
#[inline(always)]
pub fn nearly_linear<B: Bits>(
    b: &B,
    w: &Working,
    table: &Table,
    x: Scaled<B::V>,
    top: i32,
) -> Scaled<B::V> {
    let (g, frac) = look_up(b, table, x.fraction(b, top, w.bits));
    x.times(b, g, -frac)
}

/// |x| < 2^exponent, NaN and infinity never.
#[inline(always)]
pub fn is_below<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>, exponent: i32) -> B::V {
    b.ult_const(x.exp, (w.format.bias() as i32 + exponent) as u128)
}

/// Square root of a number, with [`Working::bits`].
#[inline(always)]
pub fn root<B: Bits>(b: &B, w: &Working, x: Scaled<B::V>) -> Scaled<B::V> {
    let normal = x.normal(b, w.bits);
    // m 2^e with m in [1, 2); an odd e leaves a factor of two with m.
    let exponent = normal.scale_plus(b, w.bits as i32 - 1);
    let odd = b.bit(exponent, 0);
    let t = b.concat(odd, b.trunc(normal.magnitude, w.bits - 1));
    let (g, frac) = look_up(b, w.root.sqrt, t);
    let half = b.sext(b.slice(exponent, 1, w.scale_bits - 1), w.scale_bits);
    let present = b.msb(normal.magnitude);
    Scaled { magnitude: b.mask(present, g), scale: b.add(half, w.scale(b, -frac)) }
}
