//! Sine, cosine and tangent in single precision.
//!
//! |x| in quarter turns is q + r, q an integer modulo 4, r in [-1/2, 1/2): the product of the significand with a window of
//! 2/pi that the exponent selects has all the bits that matter, whatever x is, and no others. r loses at most 30 bits to
//! cancellation. Then sin = r S(r), cos = C(r) from one table.

use super::pack::pack;
use super::scaled::{self, Scaled};
use super::table::{SINCOS_F32, TWO_OVER_PI_F32};
use crate::bits::Bits;
use crate::float::div::divide_significands;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// What the operand counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Radians.
    Radian,
    /// Half turns: the operand is multiplied by pi.
    HalfTurn,
}

/// Fraction bits of |r|, and of its normalised form.
const R_BITS: u32 = 64;
const N_BITS: u32 = 30;
/// Bits of the argument of the table, index included.
const T_BITS: u32 = 30;
/// Bits of a scale, two's complement.
const SCALE_BITS: u32 = 10;

/// |x| in quarter turns.
struct Reduced<V> {
    /// q, two bits.
    quadrant: V,
    /// r < 0.
    negative: V,
    /// |r| = `n * 2^scale`, n of [`N_BITS`] with its top bit set, or 0.
    n: V,
    scale: V,
    /// |r| in [`T_BITS`] - 1 bits behind 1/2: where the table is looked up.
    t: V,
}

#[inline(always)]
fn reduce<B: Bits>(b: &B, unit: Unit, x: &Parts<B::V>) -> Reduced<B::V> {
    let significand = x.significand(b);
    let exponent = x.exponent(b);
    // From this exponent on |x| may exceed half a quarter turn; smaller ones are kept apart.
    let (least, frac_bits) = match unit {
        Unit::Radian => (F32.bias() - 2, 81),
        Unit::HalfTurn => (F32.bias() - 3, R_BITS),
    };
    let least = b.constant(F32.exp_bits, least.into());
    let small = b.ult(exponent, least);
    let index = b.mask(b.not(small), b.sub(exponent, least));
    let further = b.mask(small, b.sub(least, exponent));
    let width = frac_bits + 2;
    let turns = match unit {
        Unit::Radian => {
            let window = b.rom(TWO_OVER_PI_F32.rom(), index);
            b.trunc(b.umul(significand, window), width)
        }
        Unit::HalfTurn => {
            // 2x: with the least exponent the last bit of the significand has the weight 2^-25.
            let place = b.pad_low(significand, frac_bits - 25);
            b.shl(b.zext(place, width), index)
        }
    };
    let fraction = b.trunc(turns, frac_bits);
    let negative = b.msb(fraction);
    let quadrant = b.increment(b.top(turns, 2), negative);
    let magnitude = b.top(b.mux(negative, b.negate(fraction), fraction), R_BITS);

    let zeros = b.lzc(magnitude);
    let n = b.top(b.shl(magnitude, zeros), N_BITS);
    let scale = b.constant(SCALE_BITS, (1 << SCALE_BITS) - u128::from(N_BITS));
    let scale = b.sub(scale, b.zext(zeros, SCALE_BITS));
    let scale = b.sub(scale, b.zext(further, SCALE_BITS));
    // Half a quarter turn exactly is looked up just below.
    let half = b.msb(magnitude);
    let t = b.or(b.slice(magnitude, R_BITS - T_BITS, T_BITS - 1), b.spread(half, T_BITS - 1));
    Reduced { quadrant, negative, n, scale, t: b.lshr(t, further) }
}

/// S or C at |r|, without the sign bit: `frac_bits` of the table behind the point.
#[inline(always)]
fn look_up<B: Bits>(b: &B, cosine: B::V, r: &Reduced<B::V>) -> B::V {
    let v = SINCOS_F32.at(b, b.concat(cosine, r.t));
    b.trunc(v, b.width(v) - 1)
}

/// `sin(x)`; for `HalfTurn` `sin(pi x)`.
#[inline(always)]
pub fn sin<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let r = reduce(b, unit, &xp);
    of_quadrant(b, &xp, &r, r.quadrant, xp.sign)
}

/// `cos(x)`; for `HalfTurn` `cos(pi x)`.
#[inline(always)]
pub fn cos<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let r = reduce(b, unit, &xp);
    let quadrant = b.increment(r.quadrant, b.bool(true));
    of_quadrant(b, &xp, &r, quadrant, b.bool(false))
}

/// `sin(pi/2 (quadrant + r))`: magnitude and scale of its absolute value, whether it is negative, and whether it is 0.
#[inline(always)]
fn turned<B: Bits>(b: &B, r: &Reduced<B::V>, quadrant: B::V) -> (B::V, B::V, B::V, B::V) {
    let cosine = b.bit(quadrant, 0);
    let value = look_up(b, cosine, r);
    let frac = SINCOS_F32.parsed().frac_bits;
    let product = b.umul(r.n, value);
    let magnitude = b.mux(cosine, b.zext(value, b.width(product)), product);
    let frac = b.constant(SCALE_BITS, frac.into());
    let scale = b.mux(cosine, b.negate(frac), b.sub(r.scale, frac));
    let negative = b.xor(b.bit(quadrant, 1), b.and_not(r.negative, cosine));
    (magnitude, scale, negative, b.and_not(b.is_zero(r.n), cosine))
}

/// `sign sin(pi/2 (quadrant + r))`. An exact zero has the sign `sign`.
#[inline(always)]
fn of_quadrant<B: Bits>(
    b: &B,
    x: &Parts<B::V>,
    r: &Reduced<B::V>,
    quadrant: B::V,
    sign: B::V,
) -> B::V {
    let (magnitude, scale, negative, zero) = turned(b, r, quadrant);
    let sign = b.xor(sign, b.and_not(negative, zero));
    let specials = Specials { nan: x.exp_ones, inf: b.bool(false), zero: None };
    pack(b, F32, sign, magnitude, scale, &specials)
}

/// `|sin(pi x)|`, and whether `sin(pi |x|)` is negative and whether it is 0.
#[inline(always)]
pub(super) fn sine_of_half_turns<B: Bits>(b: &B, x: &Parts<B::V>) -> (Scaled<B::V>, B::V, B::V) {
    let r = reduce(b, Unit::HalfTurn, x);
    let (magnitude, scale, negative, zero) = turned(b, &r, r.quadrant);
    (Scaled { magnitude, scale: b.sext(scale, scaled::SCALE_BITS) }, negative, zero)
}

/// `tan(x)`; for `HalfTurn` `tan(pi x)`.
#[inline(always)]
pub fn tan<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    const STEPS: u32 = 30;
    let xp = unpack(b, F32, x);
    let r = reduce(b, unit, &xp);
    let frac = SINCOS_F32.parsed().frac_bits;
    // sin in [sqrt 2, pi/2) * n, cos in (0.7, 1]: each normalised to N_BITS.
    let sine = b.umul(r.n, look_up(b, b.bool(false), &r));
    let cosine = look_up(b, b.bool(true), &r);
    let (sine, sine_scale) = normal(b, sine, b.sub(r.scale, b.constant(SCALE_BITS, frac.into())));
    let minus_frac = b.constant(SCALE_BITS, (1 << SCALE_BITS) - u128::from(frac));
    let (cosine, cosine_scale) = normal(b, cosine, minus_frac);
    let odd = b.bit(r.quadrant, 0);
    let (above, below) = (b.mux(odd, cosine, sine), b.mux(odd, sine, cosine));
    let difference = b.sub(sine_scale, cosine_scale);
    let scale = b.mux(odd, b.negate(difference), difference);
    let (quotient, _) = divide_significands(b, above, below, STEPS);
    let scale = b.sub(scale, b.constant(SCALE_BITS, u128::from(STEPS - 1)));

    let nothing = b.is_zero(r.n);
    let pole = b.and(odd, nothing);
    let zero = b.and_not(nothing, odd);
    // tan is odd with period 2 quarter turns; -cot in the odd ones. At exact zeros and poles OpenCL C wants the sign of x,
    // turned for odd multiples of a half turn, and of poles for every second one.
    let turned = b.xor(odd, r.negative);
    let turned = b.mux(nothing, b.bit(r.quadrant, 1), turned);
    let sign = b.xor(xp.sign, turned);
    let specials = Specials { nan: xp.exp_ones, inf: pole, zero: Some(zero) };
    pack(b, F32, sign, quotient, scale, &specials)
}

/// The [`N_BITS`] from the first one on of `v`, in whose two top places that is, and its scale.
#[inline(always)]
fn normal<B: Bits>(b: &B, v: B::V, scale: B::V) -> (B::V, B::V) {
    let width = b.width(v);
    let first = b.msb(v);
    let high = b.top(v, N_BITS);
    let low = b.slice(v, width - N_BITS - 1, N_BITS);
    let dropped = b.constant(SCALE_BITS, u128::from(width - N_BITS - 1));
    let scale = b.add(scale, b.increment(dropped, first));
    (b.mux(first, high, low), scale)
}
