//! Logarithms: x = 2^e m with m in [3/4, 3/2); log x = e log 2 + (m - 1) g(m), g from a table.
//!
//! m - 1 is exact, and where e is 0 it is the only term: the result is then as exact relatively as it is absolutely.

use super::exp::centred;
use super::pack::pack;
use super::scaled::Scaled;
use super::table::{LOG_F32, LOG_F64, LOG1P_F32, LOG1P_F64, LOG2_F32, LOG2_F64};
use super::table::{LOG10_F32, LOG10_F64, Table};
use super::working::{Working, signed_constant};
use crate::bits::Bits;
use crate::float::parts::{normalise, unpack};
use crate::float::round::Specials;

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

/// What depends on the format.
pub struct Constants {
    /// log(m) / (m - 1), for the bases e, 2 and 10.
    pub tables: [&'static Table; 3],
    /// ln(1 + x) / x.
    pub log1p: &'static Table,
    /// ln 2 and log10(2), with `of_two_frac` fraction bits.
    pub ln_two: u128,
    pub log10_two: u128,
    pub of_two_frac: u32,
    /// Fraction bits of m - 1.
    pub m_frac: u32,
    /// Fraction bits of a sum: those and the table's.
    pub sum_frac: u32,
    /// Width of the exponent e, two's complement.
    pub e_bits: u32,
    /// Most bits of m with which the table is looked up.
    pub argument_bits: u32,
}

pub static SINGLE: Constants = Constants {
    tables: [&LOG_F32, &LOG2_F32, &LOG10_F32],
    log1p: &LOG1P_F32,
    ln_two: 12_486_629_536_330_718,
    log10_two: 5_422_874_305_198_591,
    of_two_frac: 54,
    m_frac: 24,
    sum_frac: 54,
    e_bits: 9,
    argument_bits: 23,
};

pub static DOUBLE: Constants = Constants {
    tables: [&LOG_F64, &LOG2_F64, &LOG10_F64],
    log1p: &LOG1P_F64,
    ln_two: 51_145_234_580_810_622_639,
    log10_two: 22_212_093_154_093_428_529,
    of_two_frac: 66,
    m_frac: 53,
    sum_frac: 114,
    e_bits: 12,
    argument_bits: 62,
};

impl Constants {
    /// Width of a sum.
    fn sum_bits(&self) -> u32 {
        self.e_bits + self.sum_frac
    }
}

/// `e log 2 + (m - 1) g(m)` of a number in [1, 2) times 2^e, with [`Constants::sum_frac`] fraction bits, two's
/// complement.
///
/// `frac` is the fraction of the number, at least that of the format; bits beyond [`Constants::argument_bits`] take part in m - 1 only.
#[inline(always)]
pub(super) fn sum<B: Bits>(b: &B, w: &Working, base: Base, e: B::V, frac: B::V) -> B::V {
    let c = w.log;
    let upper = b.msb(frac);
    let g = c.tables[base as usize].at(b, b.top(frac, c.argument_bits.min(b.width(frac))));
    // m - 1: the fraction, or (1 + fraction) / 2 - 1 = -(1 - fraction) / 2.
    let width = b.width(frac);
    let below = b.zext(b.pad_low(frac, 1), width + 2);
    let one = b.constant(width + 2, 1 << width);
    let offset = b.mux(upper, b.sub(b.zext(frac, width + 2), one), below);
    let product = b.smul(offset, g);
    // Fraction bits of the product: width + 1 and the table's.
    let drop = width + 1 - c.m_frac;
    let product = b.slice(product, drop, b.width(product) - drop);
    let e = b.add(e, b.zext(upper, c.e_bits));
    let whole = match base {
        Base::Two => b.pad_low(e, c.sum_frac),
        Base::E | Base::Ten => {
            let value = if base == Base::E { c.ln_two } else { c.log10_two };
            let constant = b.constant(c.of_two_frac + 1, value);
            let whole = b.trunc(b.smul(e, constant), c.e_bits + c.of_two_frac);
            b.pad_low(whole, c.sum_frac - c.of_two_frac)
        }
    };
    b.add(whole, resize_signed(b, product, c.sum_bits()))
}

/// ln of a positive number: two's complement with [`Constants::sum_frac`] fraction bits.
#[inline(always)]
pub(super) fn ln<B: Bits>(b: &B, w: &Working, x: Scaled<B::V>) -> B::V {
    let bits = w.bits + 1;
    let normal = x.normal(b, bits);
    let e = normal.scale_plus(b, bits as i32 - 1);
    sum(b, w, Base::E, b.trunc(e, w.log.e_bits), b.trunc(normal.magnitude, bits - 1))
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
pub fn log<B: Bits>(b: &B, w: &Working, base: Base, x: B::V) -> B::V {
    let (format, e_bits) = (w.format, w.log.e_bits);
    let xp = unpack(b, format, x);
    let normal = normalise(b, &xp);
    let e = b.sub(b.zext(xp.exponent(b), e_bits), b.zext(normal.shift, e_bits));
    let e = b.sub(e, b.constant(e_bits, format.bias().into()));
    let sum = sum(b, w, base, e, b.trunc(normal.significand, format.frac_bits));
    let (negative, magnitude) = magnitude(b, sum);

    let zero = xp.zero(b);
    let nan = b.or(xp.nan(b), b.and_not(xp.sign, zero));
    let specials = Specials { nan, inf: b.or(zero, xp.exp_ones), zero: None };
    let scale = signed_constant(b, 8, -(w.log.sum_frac as i32));
    pack(b, format, b.or(zero, b.and_not(negative, xp.exp_ones)), magnitude, scale, &specials)
}

/// `ln(1 + x)`: x times a table's value near 0, else as [`log`] on 1 + x in fixed point.
#[inline(always)]
pub fn log1p<B: Bits>(b: &B, w: &Working, x: B::V) -> B::V {
    let (format, e_bits, table) = (w.format, w.log.e_bits, w.log.log1p);
    let xp = unpack(b, format, x);
    let near = b.ult_const(xp.exp, u128::from(format.bias()) - 1);
    let g = table.at(b, centred(b, w, &xp));
    let product = b.umul(xp.significand(b), b.trunc(g, b.width(g) - 1));
    let near_frac = format.frac_bits + table.parsed().frac_bits;

    // Below: 1 - |x| for |x| in [1/2, 1), exact in as many bits behind the point as the format has. Above: x + 1, with
    // x's significand at the top and the one moved to its place; for large x it vanishes.
    let bits = format.precision() + 2;
    let significand = xp.significand(b);
    let one = b.constant(bits, 1 << (bits - 2));
    let exponent = b.zext(xp.exp, e_bits);
    let e = b.sub(exponent, b.constant(e_bits, format.bias().into()));
    let half = b.msb(e); // |x| in [1/2, 1): one place less
    let place = b.zext(b.pad_low(significand, 1), bits);
    let place = b.mux(half, b.lshr(place, b.bool(true)), place);
    let moved = b.lshr(one, b.mask(b.not(half), b.trunc(e, format.exp_bits)));
    let total = b.mux(xp.sign, b.sub(one, place), b.add(place, moved));
    let zeros = b.lzc(total);
    let normal = b.shl(total, zeros);
    // The top bit of `total` has the weight 2, relative to 2^max(e, 0).
    let top = b.mask(b.not(half), e);
    let top = b.add(top, b.constant(e_bits, 1));
    let top = b.sub(top, b.zext(zeros, e_bits));
    let sum = sum(b, w, Base::E, top, b.trunc(normal, bits - 1));
    let (_, far) = magnitude(b, sum);

    let bits = format.exp_bits + 2;
    let near_scale = b
        .sub(b.zext(xp.exponent(b), bits), b.constant(bits, u128::from(format.bias() + near_frac)));
    let far_scale = signed_constant(b, bits, -(w.log.sum_frac as i32));
    let width = b.width(far).max(b.width(product));
    let magnitude = b.mux(near, b.zext(product, width), b.zext(far, width));
    let scale = b.mux(near, near_scale, far_scale);

    // -1 gives minus infinity, anything below has no logarithm.
    let at_least_one = b.not(b.ult_const(xp.exp, format.bias().into()));
    let pole = b.and(xp.sign, b.eq(xp.magnitude, w.one_magnitude(b)));
    let outside = b.and_not(b.and(xp.sign, at_least_one), pole);
    let specials =
        Specials { nan: b.or(xp.nan(b), outside), inf: b.or(pole, xp.exp_ones), zero: None };
    pack(b, format, xp.sign, magnitude, scale, &specials)
}
