//! Inverse circular functions in single precision.

use super::scaled::{Scaled, is_below, look_up, nearly_linear, root, scale};
use super::table::{ASIN_F32, ASIN_ROOT_F32, ATAN_F32, RECIP_F32, SQRT_F32};
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;
use crate::format::Format;

const F32: Format = Format::F32;

/// What the result counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Radians.
    Radian,
    /// Half turns: radians over pi.
    HalfTurn,
}

/// pi with 45 fraction bits, and 1 / pi with 32.
const PI: u128 = 110_534_964_875_444;
const PI_FRAC: u32 = 45;
const ONE_OVER_PI: u128 = 1_367_130_551;

/// Sums are made with this many fraction bits, in this many bits.
const SUM_FRAC: u32 = 45;
const SUM_BITS: u32 = 48;

/// `base / 2 - v` or `base / 2 + v` for `base` halves of pi, v below 2.
#[inline(always)]
fn from_base<B: Bits>(b: &B, halves: B::V, minus: B::V, v: Scaled<B::V>) -> Scaled<B::V> {
    let v = b.zext(v.fraction(b, 1, SUM_FRAC + 1), SUM_BITS);
    let pi = b.constant(SUM_BITS, PI >> (PI_FRAC - SUM_FRAC));
    let half = b.constant(SUM_BITS, PI >> (PI_FRAC - SUM_FRAC + 1));
    let base = b.mux(b.bit(halves, 1), pi, half);
    let base = b.mask(b.or(b.bit(halves, 0), b.bit(halves, 1)), base);
    let sum = b.mux(minus, b.sub(base, v), b.add(base, v));
    Scaled::new(b, sum, -(SUM_FRAC as i32))
}

/// In the unit of the result.
#[inline(always)]
fn in_unit<B: Bits>(b: &B, unit: Unit, v: Scaled<B::V>) -> Scaled<B::V> {
    match unit {
        Unit::Radian => v,
        Unit::HalfTurn => {
            let v = v.normal(b, 32);
            v.times(b, b.constant(31, ONE_OVER_PI), -32)
        }
    }
}

/// |x| at most 1/2: arc sine of it. Above: twice the arc sine of the root of (1 - |x|) / 2, which is the arc cosine.
#[inline(always)]
fn sine_parts<B: Bits>(b: &B, x: &Parts<B::V>) -> (B::V, Scaled<B::V>, Scaled<B::V>) {
    let near = is_below(b, x, -1);
    let linear = nearly_linear(b, &ASIN_F32, Scaled::of(b, x), -1);
    // (1 - |x|) / 2 is exact: |x| from 1/2 on has its last bit at 2^-24.
    let fixed = Scaled::of(b, x).fraction(b, 1, 25);
    let z = b.sub(b.constant(25, 1 << 24), fixed);
    let z = Scaled::new(b, b.trunc(z, 24), -25);
    let (g, frac) = look_up(b, &ASIN_ROOT_F32, z.fraction(b, -1, 24));
    let r = root(b, &SQRT_F32, z).times(b, g, 1 - frac);
    (near, linear, r)
}

/// Not in [-1, 1].
#[inline(always)]
fn outside<B: Bits>(b: &B, x: &Parts<B::V>) -> B::V {
    b.ult(b.constant(31, F32.one()), x.magnitude)
}

/// Arc sine.
#[inline(always)]
pub fn asin<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let (near, linear, rest) = sine_parts(b, &xp);
    let far = from_base(b, b.constant(2, 1), b.bool(true), rest);
    let v = in_unit(b, unit, Scaled::select(b, near, linear, far));
    let specials = Specials { nan: outside(b, &xp), inf: b.bool(false), zero: None };
    v.pack(b, xp.sign, &specials)
}

/// Arc cosine.
#[inline(always)]
pub fn acos<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, F32, x);
    let (near, linear, rest) = sine_parts(b, &xp);
    // Near 0: pi/2 - asin. Near -1: pi - rest. Near 1: the rest itself.
    let v = Scaled::select(b, near, linear, rest);
    let halves = b.concat(b.not(near), near);
    let minus = b.xor(xp.sign, near);
    let sum = from_base(b, halves, minus, v);
    let direct = b.and_not(b.not(near), xp.sign);
    let v = in_unit(b, unit, Scaled::select(b, direct, rest, sum));
    let specials = Specials { nan: outside(b, &xp), inf: b.bool(false), zero: None };
    v.pack(b, b.bool(false), &specials)
}

/// Arc tangent.
#[inline(always)]
pub fn atan<B: Bits>(b: &B, unit: Unit, x: B::V) -> B::V {
    let one = b.constant(32, F32.one());
    atan2(b, unit, x, one)
}

/// Arc tangent of `y / x` in the quadrant of the point (x, y).
#[inline(always)]
pub fn atan2<B: Bits>(b: &B, unit: Unit, y: B::V, x: B::V) -> B::V {
    const BITS: u32 = 30;
    let (xp, yp) = (unpack(b, F32, x), unpack(b, F32, y));
    let steep = b.ult(xp.magnitude, yp.magnitude);
    let large = Scaled::select(b, steep, Scaled::of(b, &yp), Scaled::of(b, &xp));
    let small = Scaled::select(b, steep, Scaled::of(b, &xp), Scaled::of(b, &yp));

    // small / large, at most 1.
    let large = large.normal(b, F32.precision());
    let fraction = b.trunc(large.magnitude, F32.frac_bits);
    let (reciprocal, frac) = look_up(b, &RECIP_F32, fraction);
    let quotient = small.normal(b, F32.precision()).times(b, reciprocal, -frac);
    let quotient = Scaled {
        magnitude: quotient.magnitude,
        scale: b.sub(quotient.scale, b.add(large.scale, scale(b, F32.frac_bits as i32))),
    };
    let quotient = quotient.normal(b, BITS);
    // Infinities and zeros: 0, or 1 where both operands are the same.
    let both_inf = b.and(xp.inf(b), yp.inf(b));
    let equal = b.or(both_inf, b.eq(xp.magnitude, yp.magnitude));
    let both_zero = b.and(xp.zero(b), yp.zero(b));
    let any_inf = b.or(xp.inf(b), yp.inf(b));
    let vanishes = b.or(both_zero, b.and_not(any_inf, both_inf));
    let one = Scaled::new(b, b.constant(BITS, 1 << (BITS - 1)), 1 - BITS as i32);
    let quotient = Scaled::select(b, b.and_not(equal, both_zero), one, quotient);
    let quotient =
        Scaled { magnitude: b.mask(b.not(vanishes), quotient.magnitude), scale: quotient.scale };

    // 1 itself is looked up just below it.
    let t = quotient.fraction(b, 0, BITS);
    let t = b.or(t, b.spread(b.and_not(equal, both_zero), BITS));
    let (g, frac) = look_up(b, &ATAN_F32, t);
    let angle = quotient.times(b, g, -frac);

    let left = xp.sign;
    let halves = b.concat(b.and_not(left, steep), steep);
    let minus = b.xor(steep, left);
    let sum = from_base(b, halves, minus, angle);
    let direct = b.not(b.or(steep, left));
    let v = in_unit(b, unit, Scaled::select(b, direct, angle, sum));
    let specials = Specials { nan: b.or(xp.nan(b), yp.nan(b)), inf: b.bool(false), zero: None };
    v.pack(b, yp.sign, &specials)
}
