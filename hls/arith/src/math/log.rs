//! Logarithms in single precision: x = 2^e m with m in [3/4, 3/2); log x = e log 2 + (m - 1) g(m), g from a table.
//!
//! m - 1 is exact, and where e is 0 it is the only term: the result is then as exact relatively as it is absolutely.

use super::exp::centred;
use super::pack::pack;
use super::scaled::{Scaled, scale};
use super::table::{LOG_F32, LOG1P_F32, LOG2_F32, LOG10_F32, Table};
use crate::bits::Bits;
use crate::float::parts::{normalise, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// Base of a logarithm.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// e
    E,
    /// 2
    Two,
    /// 10
    Ten,
}

impl Base {
    /// log(m) / (m - 1)
    fn table(self) -> &'static Table {
        match self {
            Base::E => &LOG_F32,
            Base::Two => &LOG2_F32,
            Base::Ten => &LOG10_F32,
        }
    }

    /// log(2) with 54 fraction bits.
    fn of_two(self) -> u128 {
        match self {
            Base::E => 12_486_629_536_330_718,
            Base::Two => 1 << 54,
            Base::Ten => 5_422_874_305_198_591,
        }
    }
}

/// Fraction bits of m - 1.
const M_FRAC: u32 = 24;
/// Fraction bits of a sum: those and the table's.
pub(super) const SUM_FRAC: u32 = 54;
/// Width of the exponent e, two's complement, and of the sum.
const E_BITS: u32 = 9;
const SUM_BITS: u32 = E_BITS + SUM_FRAC;

/// `e log 2 + (m - 1) g(m)` of a number in [1, 2) times 2^e, with [`SUM_FRAC`] fraction bits in
/// [`SUM_BITS`], two's complement.
///
/// `frac` is the fraction of the number, at least 23 bits; those beyond take part in m - 1 only.
#[inline(always)]
pub(super) fn sum<B: Bits>(b: &B, base: Base, e: B::V, frac: B::V) -> B::V {
    let upper = b.msb(frac);
    let g = base.table().at(b, b.top(frac, F32.frac_bits));
    // m - 1: the fraction, or (1 + fraction) / 2 - 1 = -(1 - fraction) / 2.
    let width = b.width(frac);
    let below = b.zext(b.pad_low(frac, 1), width + 2);
    let one = b.constant(width + 2, 1 << width);
    let offset = b.mux(upper, b.sub(b.zext(frac, width + 2), one), below);
    let product = b.smul(offset, g);
    // Fraction bits of the product: width + 1 and the table's.
    let drop = width + 1 - M_FRAC;
    let product = b.slice(product, drop, b.width(product) - drop);
    let e = b.add(e, b.zext(upper, E_BITS));
    let whole = match base {
        Base::Two => b.pad_low(e, SUM_FRAC),
        _ => {
            let constant = b.constant(SUM_FRAC + 1, base.of_two());
            b.trunc(b.smul(e, constant), SUM_BITS)
        }
    };
    b.add(whole, resize_signed(b, product, SUM_BITS))
}

/// ln of a positive number: two's complement with [`SUM_FRAC`] fraction bits.
#[inline(always)]
pub(super) fn ln<B: Bits>(b: &B, x: Scaled<B::V>) -> B::V {
    const BITS: u32 = 31;
    let normal = x.normal(b, BITS);
    let e = b.add(normal.scale, scale(b, BITS as i32 - 1));
    sum(b, Base::E, b.trunc(e, E_BITS), b.trunc(normal.magnitude, BITS - 1))
}

#[inline(always)]
fn resize_signed<B: Bits>(b: &B, v: B::V, width: u32) -> B::V {
    if b.width(v) < width { b.sext(v, width) } else { b.trunc(v, width) }
}

/// Sign and magnitude of a two's complement number.
#[inline(always)]
pub(super) fn magnitude<B: Bits>(b: &B, v: B::V) -> (B::V, B::V) {
    let sign = b.msb(v);
    (sign, b.increment(b.xor(v, b.spread(sign, b.width(v))), sign))
}

/// `log(x)`.
#[inline(always)]
pub fn log<B: Bits>(b: &B, base: Base, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let normal = normalise(b, &xp);
    let e = b.sub(b.zext(xp.exponent(b), E_BITS), b.zext(normal.shift, E_BITS));
    let e = b.sub(e, b.constant(E_BITS, F32.bias().into()));
    let sum = sum(b, base, e, b.trunc(normal.significand, F32.frac_bits));
    let (negative, magnitude) = magnitude(b, sum);

    let zero = xp.zero(b);
    let nan = b.or(xp.nan(b), b.and_not(xp.sign, zero));
    let specials = Specials { nan, inf: b.or(zero, xp.exp_ones), zero: None };
    let scale = b.constant(8, 256 - u128::from(SUM_FRAC));
    pack(b, F32, b.or(zero, b.and_not(negative, xp.exp_ones)), magnitude, scale, &specials)
}

/// `ln(1 + x)`: x times a table's value near 0, else as [`log`] on 1 + x in fixed point.
#[inline(always)]
pub fn log1p<B: Bits>(b: &B, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let near = b.ult_const(xp.exp, u128::from(F32.bias()) - 1);
    let g = LOG1P_F32.at(b, centred(b, &xp));
    let product = b.umul(xp.significand(b), b.trunc(g, b.width(g) - 1));
    let near_frac = F32.frac_bits + LOG1P_F32.parsed().frac_bits;

    // Below: 1 - |x| for |x| in [1/2, 1), exact in 24 bits behind the point. Above: x + 1, with
    // x's significand at the top and the one moved to its place; for large x it vanishes.
    const BITS: u32 = 26;
    let significand = xp.significand(b);
    let one = b.constant(BITS, 1 << (BITS - 2));
    let exponent = b.zext(xp.exp, E_BITS);
    let e = b.sub(exponent, b.constant(E_BITS, F32.bias().into()));
    let half = b.msb(e); // |x| in [1/2, 1): one place less
    let place = b.zext(b.pad_low(significand, 1), BITS);
    let place = b.mux(half, b.lshr(place, b.bool(true)), place);
    let moved = b.lshr(one, b.mask(b.not(half), b.trunc(e, 8)));
    let total = b.mux(xp.sign, b.sub(one, place), b.add(place, moved));
    let zeros = b.lzc(total);
    let normal = b.shl(total, zeros);
    // The top bit of `total` has the weight 2, relative to 2^max(e, 0).
    let top = b.mask(b.not(half), e);
    let top = b.add(top, b.constant(E_BITS, 1));
    let top = b.sub(top, b.zext(zeros, E_BITS));
    let sum = sum(b, Base::E, top, b.trunc(normal, BITS - 1));
    let (_, far) = magnitude(b, sum);

    let bits = F32.exp_bits + 2;
    let near_scale =
        b.sub(b.zext(xp.exponent(b), bits), b.constant(bits, u128::from(F32.bias() + near_frac)));
    let far_scale = b.constant(bits, (1 << bits) - u128::from(SUM_FRAC));
    let width = b.width(far).max(b.width(product));
    let magnitude = b.mux(near, b.zext(product, width), b.zext(far, width));
    let scale = b.mux(near, near_scale, far_scale);

    // -1 gives minus infinity, anything below has no logarithm.
    let at_least_one = b.not(b.ult_const(xp.exp, F32.bias().into()));
    let pole = b.and(xp.sign, b.eq(xp.magnitude, b.constant(31, 0x3f80_0000)));
    let outside = b.and_not(b.and(xp.sign, at_least_one), pole);
    let specials =
        Specials { nan: b.or(xp.nan(b), outside), inf: b.or(pole, xp.exp_ones), zero: None };
    pack(b, F32, xp.sign, magnitude, scale, &specials)
}
