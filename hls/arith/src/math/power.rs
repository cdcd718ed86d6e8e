//! Exponents: exact functions, in every format.

use super::pack::pack;
use crate::bits::Bits;
use crate::float::itof;
use crate::float::parts::{normalise, unpack};
use crate::float::round::Specials;
use crate::format::Format;
use ir::Rounding;

/// What `ilogb` gives for zero and for NaN: `FP_ILOGB0` and `FP_ILOGBNAN` of OpenCL C.
const OF_ZERO: u128 = 0x8000_0000;
const OF_NAN: u128 = 0x7fff_ffff;

/// `x * 2^n`, n a 32-bit integer, rounded once.
#[inline(always)]
pub fn ldexp<B: Bits>(b: &B, format: Format, x: B::V, n: B::V) -> B::V {
    let xp = unpack(b, format, x);
    // Beyond this many powers everything has overflowed or vanished.
    let bits = format.exp_bits + 3;
    let most = b.constant(32, (1 << (bits - 2)) - 1);
    let least = b.not(most);
    let n = b.mux(b.slt(most, n), most, b.mux(b.slt(n, least), least, n));
    let n = b.trunc(n, bits);
    let exponent = b.zext(xp.exponent(b), bits + 1);
    let offset = b.constant(bits + 1, u128::from(format.bias() + format.frac_bits));
    let scale = b.add(b.sub(exponent, offset), b.sext(n, bits + 1));
    let specials = Specials { nan: xp.nan(b), inf: xp.exp_ones, zero: None };
    pack(b, format, xp.sign, xp.significand(b), scale, &specials)
}

/// The exponent of a finite number other than 0, two's complement of two bits more than the field.
#[inline(always)]
fn exponent<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    let xp = unpack(b, format, x);
    let bits = format.exp_bits + 2;
    let shift = normalise(b, &xp).shift;
    let exp = b.sub(b.zext(xp.exponent(b), bits), b.zext(shift, bits));
    b.sub(exp, b.constant(bits, format.bias().into()))
}

/// The exponent as an integer.
#[inline(always)]
pub fn ilogb<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    let xp = unpack(b, format, x);
    let e = b.sext(exponent(b, format, x), 32);
    let infinite = b.constant(32, 0x7fff_ffff);
    let e = b.mux(xp.exp_ones, infinite, e);
    let e = b.mux(xp.nan(b), b.constant(32, OF_NAN), e);
    b.mux(xp.zero(b), b.constant(32, OF_ZERO), e)
}

/// The exponent as a float.
#[inline(always)]
pub fn logb<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    let xp = unpack(b, format, x);
    let e = itof(b, format, true, Rounding::Rte, exponent(b, format, x));
    let e = b.mux(xp.exp_ones, b.constant(format.width(), format.infinity()), e);
    let e = b.mux(xp.nan(b), b.constant(format.width(), format.nan()), e);
    let minus_infinity = format.infinity() | format.sign_mask();
    b.mux(xp.zero(b), b.constant(format.width(), minus_infinity), e)
}
