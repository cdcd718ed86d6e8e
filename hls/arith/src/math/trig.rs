//! Sine, cosine and tangent.
//!
//! |x| in quarter turns is q + r, q an integer modulo 4, r in [-1/2, 1/2): the product of the significand with a window of
//! 2/pi that the exponent selects has all the bits that matter, whatever x is, and no others. r loses at most 30 bits to
//! cancellation in single precision, 61 in double. Then sin = r S(r), cos = C(r) from one table.

use super::pack::pack;
use super::scaled::Scaled;
use super::table::{SINCOS_F32, SINCOS_F64, TWO_OVER_PI_F32, TWO_OVER_PI_F64, Table, Words};
use super::working::{Working, signed_constant};
use crate::bits::Bits;
use crate::float::div::divide_significands;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;

/// What the operand counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Radians.
    Radian,
    /// Half turns: the operand is multiplied by pi.
    HalfTurn,
}

/// What depends on the format.
pub struct Constants {
    /// sin(pi/2 r) / r and cos(pi/2 r).
    pub table: &'static Table,
    /// 2/pi.
    pub two_over_pi: Window,
    /// Fraction bits of |x| in quarter turns, of radians and of half turns.
    pub turn_bits: [u32; 2],
    /// Fraction bits of |r|, likewise.
    pub r_bits: [u32; 2],
    /// Bits of the argument of the table, index included.
    pub t_bits: u32,
    /// Bits of a scale, two's complement.
    pub scale_bits: u32,
    /// Bits of a quotient.
    pub steps: u32,
}

pub static SINGLE: Constants = Constants {
    table: &SINCOS_F32,
    two_over_pi: Window::Each(&TWO_OVER_PI_F32),
    turn_bits: [81, 64],
    r_bits: [64, 64],
    t_bits: 30,
    scale_bits: 10,
    steps: 30,
};

pub static DOUBLE: Constants = Constants {
    table: &SINCOS_F64,
    two_over_pi: Window::EveryFourth(&TWO_OVER_PI_F64),
    turn_bits: [126, 64],
    r_bits: [126, 64],
    t_bits: 64,
    scale_bits: 13,
    steps: 60,
};

/// Where the bits of 2/pi are that an exponent selects.
pub enum Window {
    /// A word for each exponent.
    Each(&'static Words),
    /// Three words, the high one first, for every fourth exponent; others shift them.
    EveryFourth(&'static Words),
}

impl Window {
    /// The significand times the window at `index`, modulo 4, in `width` bits: all but two behind the point.
    #[inline(always)]
    fn times<B: Bits>(&self, b: &B, significand: B::V, index: B::V, width: u32) -> B::V {
        match self {
            Window::Each(words) => {
                let window = b.rom(&words.roms()[0], index);
                b.trunc(b.umul(significand, window), width)
            }
            Window::EveryFourth(words) => {
                let (coarse, fine) = (b.top(index, b.width(index) - 2), b.trunc(index, 2));
                let [high, middle, low] = [0, 1, 2].map(|k| b.rom(&words.roms()[k], coarse));
                let limb = b.width(low);
                // Up to three bits move in from the limb below.
                let moved = |v: B::V, below: B::V| {
                    let both = b.concat(v, b.top(below, 3));
                    b.top(b.shl(both, fine), limb)
                };
                let (high, middle) = (moved(high, middle), moved(middle, low));
                let low = b.shl(low, fine);
                // Of the sum of products at 2^0, 2^limb and 2^(2 limb) the bits from `drop` on are kept.
                let drop = 3 * limb - width;
                let low = b.umul(significand, low);
                let low = b.zext(b.top(low, b.width(low) - drop), width);
                let middle = b.pad_low(b.umul(significand, middle), limb - drop);
                let high = b.trunc(b.umul(significand, high), limb);
                let high = b.pad_low(high, width - limb);
                b.add(b.add(low, b.zext(middle, width)), high)
            }
        }
    }
}

/// |x| in quarter turns.
struct Reduced<V> {
    /// q, two bits.
    quadrant: V,
    /// r < 0.
    negative: V,
    /// |r| = `n * 2^scale`, n of [`Working::bits`] with its top bit set, or 0.
    n: V,
    scale: V,
    /// |r| in [`Constants::t_bits`] - 1 bits behind 1/2: where the table is looked up.
    t: V,
}

#[inline(always)]
fn reduce<B: Bits>(b: &B, w: &Working, unit: Unit, x: &Parts<B::V>) -> Reduced<B::V> {
    let (format, c) = (w.format, w.trig);
    let significand = x.significand(b);
    let exponent = x.exponent(b);
    // From this exponent on |x| may exceed half a quarter turn; smaller ones are kept apart.
    let least = match unit {
        Unit::Radian => format.bias() - 2,
        Unit::HalfTurn => format.bias() - 3,
    };
    let (frac_bits, r_bits) = (c.turn_bits[unit as usize], c.r_bits[unit as usize]);
    let least = b.constant(format.exp_bits, least.into());
    let small = b.ult(exponent, least);
    let index = b.mask(b.not(small), b.sub(exponent, least));
    let further = b.mask(small, b.sub(least, exponent));
    let width = frac_bits + 2;
    let turns = match unit {
        Unit::Radian => c.two_over_pi.times(b, significand, index, width),
        Unit::HalfTurn => {
            // 2x: with the least exponent the first bit of the significand has the weight 2^-2.
            let place = b.pad_low(significand, frac_bits - 1 - format.precision());
            b.shl(b.zext(place, width), index)
        }
    };
    let fraction = b.trunc(turns, frac_bits);
    let negative = b.msb(fraction);
    let quadrant = b.increment(b.top(turns, 2), negative);
    let magnitude = b.top(b.mux(negative, b.negate(fraction), fraction), r_bits);

    let zeros = b.lzc(magnitude);
    let n = b.top(b.shl(magnitude, zeros), w.bits);
    let scale = signed_constant(b, c.scale_bits, -(w.bits as i32));
    let scale = b.sub(scale, b.zext(zeros, c.scale_bits));
    let scale = b.sub(scale, b.zext(further, c.scale_bits));
    // Half a quarter turn exactly is looked up just below.
    let half = b.msb(magnitude);
    let t = match r_bits >= c.t_bits {
        true => b.slice(magnitude, r_bits - c.t_bits, c.t_bits - 1),
        false => b.pad_low(b.trunc(magnitude, r_bits - 1), c.t_bits - r_bits),
    };
    let t = b.or(t, b.spread(half, c.t_bits - 1));
    Reduced { quadrant, negative, n, scale, t: b.lshr(t, further) }
}

/// S or C at |r|, without the sign bit: `frac_bits` of the table behind the point.
#[inline(always)]
fn look_up<B: Bits>(b: &B, w: &Working, cosine: B::V, r: &Reduced<B::V>) -> B::V {
    let v = w.trig.table.at(b, b.concat(cosine, r.t));
    b.trunc(v, b.width(v) - 1)
}

/// `sin(x)`; for `HalfTurn` `sin(pi x)`.
#[inline(always)]
pub fn sin<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let r = reduce(b, w, unit, &xp);
    of_quadrant(b, w, &xp, &r, r.quadrant, xp.sign)
}

/// `cos(x)`; for `HalfTurn` `cos(pi x)`.
#[inline(always)]
pub fn cos<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let r = reduce(b, w, unit, &xp);
    let quadrant = b.increment(r.quadrant, b.bool(true));
    of_quadrant(b, w, &xp, &r, quadrant, b.bool(false))
}

/// `sin(pi/2 (quadrant + r))`: magnitude and scale of its absolute value, whether it is negative, and whether it is 0.
#[inline(always)]
fn turned<B: Bits>(
    b: &B,
    w: &Working,
    r: &Reduced<B::V>,
    quadrant: B::V,
) -> (B::V, B::V, B::V, B::V) {
    let cosine = b.bit(quadrant, 0);
    let value = look_up(b, w, cosine, r);
    let frac = w.trig.table.parsed().frac_bits;
    let product = b.umul(r.n, value);
    let magnitude = b.mux(cosine, b.zext(value, b.width(product)), product);
    let frac = b.constant(w.trig.scale_bits, frac.into());
    let scale = b.mux(cosine, b.negate(frac), b.sub(r.scale, frac));
    let negative = b.xor(b.bit(quadrant, 1), b.and_not(r.negative, cosine));
    (magnitude, scale, negative, b.and_not(b.is_zero(r.n), cosine))
}

/// `sign sin(pi/2 (quadrant + r))`. An exact zero has the sign `sign`.
#[inline(always)]
fn of_quadrant<B: Bits>(
    b: &B,
    w: &Working,
    x: &Parts<B::V>,
    r: &Reduced<B::V>,
    quadrant: B::V,
    sign: B::V,
) -> B::V {
    let (magnitude, scale, negative, zero) = turned(b, w, r, quadrant);
    let sign = b.xor(sign, b.and_not(negative, zero));
    let specials = Specials { nan: x.exp_ones, inf: b.bool(false), zero: None };
    pack(b, w.format, sign, magnitude, scale, &specials)
}

/// `|sin(pi x)|`, and whether `sin(pi |x|)` is negative and whether it is 0.
#[inline(always)]
pub(super) fn sine_of_half_turns<B: Bits>(
    b: &B,
    w: &Working,
    x: &Parts<B::V>,
) -> (Scaled<B::V>, B::V, B::V) {
    let r = reduce(b, w, Unit::HalfTurn, x);
    let (magnitude, scale, negative, zero) = turned(b, w, &r, r.quadrant);
    (Scaled { magnitude, scale: b.sext(scale, w.scale_bits) }, negative, zero)
}

/// `tan(x)`; for `HalfTurn` `tan(pi x)`.
#[inline(always)]
pub fn tan<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    let c = w.trig;
    let xp = unpack(b, w.format, x);
    let r = reduce(b, w, unit, &xp);
    let frac = c.table.parsed().frac_bits;
    // sin in [sqrt 2, pi/2) * n, cos in (0.7, 1]: each normalised to `w.bits`.
    let sine = b.umul(r.n, look_up(b, w, b.bool(false), &r));
    let cosine = look_up(b, w, b.bool(true), &r);
    let (sine, sine_scale) =
        normal(b, w, sine, b.sub(r.scale, b.constant(c.scale_bits, frac.into())));
    let minus_frac = signed_constant(b, c.scale_bits, -(frac as i32));
    let (cosine, cosine_scale) = normal(b, w, cosine, minus_frac);
    let odd = b.bit(r.quadrant, 0);
    let (above, below) = (b.mux(odd, cosine, sine), b.mux(odd, sine, cosine));
    let difference = b.sub(sine_scale, cosine_scale);
    let scale = b.mux(odd, b.negate(difference), difference);
    let (quotient, _) = divide_significands(b, above, below, c.steps);
    let scale = b.sub(scale, b.constant(c.scale_bits, u128::from(c.steps - 1)));

    let nothing = b.is_zero(r.n);
    let pole = b.and(odd, nothing);
    let zero = b.and_not(nothing, odd);
    // tan is odd with period 2 quarter turns; -cot in the odd ones. At exact zeros and poles OpenCL C wants the sign of x,
    // turned for odd multiples of a half turn, and of poles for every second one.
    let turned = b.xor(odd, r.negative);
    let turned = b.mux(nothing, b.bit(r.quadrant, 1), turned);
    let sign = b.xor(xp.sign, turned);
    let specials = Specials { nan: xp.exp_ones, inf: pole, zero: Some(zero) };
    pack(b, w.format, sign, quotient, scale, &specials)
}

/// The [`Working::bits`] from the first one on of `v`, in whose two top places that is, and its scale.
#[inline(always)]
fn normal<B: Bits>(b: &B, w: &Working, v: B::V, scale: B::V) -> (B::V, B::V) {
    let (width, bits) = (b.width(v), w.bits);
    let first = b.msb(v);
    let high = b.top(v, bits);
    let low = b.slice(v, width - bits - 1, bits);
    let dropped = b.constant(w.trig.scale_bits, u128::from(width - bits - 1));
    let scale = b.add(scale, b.increment(dropped, first));
    (b.mux(first, high, low), scale)
}
