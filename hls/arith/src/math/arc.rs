//! Inverse circular functions.

use super::scaled::{Scaled, is_below, look_up, nearly_linear, root};
use super::table::{ASIN_F32, ASIN_F64, ASIN_ROOT_F32, ASIN_ROOT_F64, Table};
use super::table::{ATAN_F32, ATAN_F64};
use super::working::Working;
use crate::bits::Bits;
use crate::float::parts::{Parts, unpack};
use crate::float::round::Specials;

/// What the result counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Radians.
    Radian,
    /// Half turns: radians over pi.
    HalfTurn,
}

/// What depends on the format.
pub struct Constants {
    /// asin(x) / x.
    pub asin: &'static Table,
    /// asin(sqrt z) / sqrt z.
    pub asin_root: &'static Table,
    /// atan(t) / t.
    pub atan: &'static Table,
    /// pi with `sum_frac` fraction bits, those with which sums are made.
    pub pi: u128,
    pub sum_frac: u32,
    /// 1 / pi with `unit_bits` fraction bits.
    pub one_over_pi: u128,
    pub unit_bits: u32,
}

pub static SINGLE: Constants = Constants {
    asin: &ASIN_F32,
    asin_root: &ASIN_ROOT_F32,
    atan: &ATAN_F32,
    pi: 110_534_964_875_444,
    sum_frac: 45,
    one_over_pi: 1_367_130_551,
    unit_bits: 32,
};

pub static DOUBLE: Constants = Constants {
    asin: &ASIN_F64,
    asin_root: &ASIN_ROOT_F64,
    atan: &ATAN_F64,
    pi: 231_808_622_658_467_930_956,
    sum_frac: 66,
    one_over_pi: 5_871_781_006_564_002_453,
    unit_bits: 64,
};

/// `base / 2 - v` or `base / 2 + v` for `base` halves of pi, v below 2.
#[inline(always)]
fn from_base<B: Bits>(
    b: &B,
    w: &Working,
    halves: B::V,
    minus: B::V,
    v: Scaled<B::V>,
) -> Scaled<B::V> {
    let (frac, bits) = (w.arc.sum_frac, w.arc.sum_frac + 3);
    let v = b.zext(v.fraction(b, 1, frac + 1), bits);
    let pi = b.constant(bits, w.arc.pi);
    let half = b.constant(bits, w.arc.pi >> 1);
    let base = b.mux(b.bit(halves, 1), pi, half);
    let base = b.mask(b.or(b.bit(halves, 0), b.bit(halves, 1)), base);
    let sum = b.mux(minus, b.sub(base, v), b.add(base, v));
    Scaled::new(b, w, sum, -(frac as i32))
}

/// In the unit of the result.
#[inline(always)]
fn in_unit<B: Bits>(b: &B, w: &Working, unit: Unit, v: Scaled<B::V>) -> Scaled<B::V> {
    match unit {
        Unit::Radian => v,
        Unit::HalfTurn => {
            let bits = w.arc.unit_bits;
            let v = v.normal(b, bits);
            v.times(b, b.constant(bits - 1, w.arc.one_over_pi), -(bits as i32))
        }
    }
}

/// |x| at most 1/2: arc sine of it. Above: twice the arc sine of the root of (1 - |x|) / 2, which is the arc cosine.
#[inline(always)]
fn sine_parts<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> (B::V, Scaled<B::V>, Scaled<B::V>) {
    let near = is_below(b, w, x, -1);
    let linear = nearly_linear(b, w, w.arc.asin, Scaled::of(b, w, x), -1);
    // (1 - |x|) / 2 is exact: |x| from 1/2 on has its last bit at 2^-p.
    let p = w.format.precision();
    let fixed = Scaled::of(b, w, x).fraction(b, 1, p + 1);
    let z = b.sub(b.constant(p + 1, 1 << p), fixed);
    let z = Scaled::new(b, w, b.trunc(z, p), -1 - p as i32);
    let (g, frac) = look_up(b, w.arc.asin_root, z.fraction(b, -1, p));
    let r = root(b, w, z).times(b, g, 1 - frac);
    (near, linear, r)
}

/// Not in [-1, 1].
#[inline(always)]
fn outside<B: Bits>(b: &B, w: &Working, x: &Parts<B::V>) -> B::V {
    b.ult(w.one_magnitude(b), x.magnitude)
}

/// Arc sine.
#[inline(always)]
pub fn asin<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let (near, linear, rest) = sine_parts(b, w, &xp);
    let far = from_base(b, w, b.constant(2, 1), b.bool(true), rest);
    let v = in_unit(b, w, unit, Scaled::select(b, near, linear, far));
    let specials = Specials { nan: outside(b, w, &xp), inf: b.bool(false), zero: None };
    v.pack(b, w, xp.sign, &specials)
}

/// Arc cosine.
#[inline(always)]
pub fn acos<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    let xp = unpack(b, w.format, x);
    let (near, linear, rest) = sine_parts(b, w, &xp);
    // Near 0: pi/2 - asin. Near -1: pi - rest. Near 1: the rest itself.
    let v = Scaled::select(b, near, linear, rest);
    let halves = b.concat(b.not(near), near);
    let minus = b.xor(xp.sign, near);
    let sum = from_base(b, w, halves, minus, v);
    let direct = b.and_not(b.not(near), xp.sign);
    let v = in_unit(b, w, unit, Scaled::select(b, direct, rest, sum));
    let specials = Specials { nan: outside(b, w, &xp), inf: b.bool(false), zero: None };
    v.pack(b, w, b.bool(false), &specials)
}

/// Arc tangent.
#[inline(always)]
pub fn atan<B: Bits>(b: &B, w: &Working, unit: Unit, x: B::V) -> B::V {
    atan2(b, w, unit, x, w.one(b))
}

/// Arc tangent of `y / x` in the quadrant of the point (x, y).
#[inline(always)]
pub fn atan2<B: Bits>(b: &B, w: &Working, unit: Unit, y: B::V, x: B::V) -> B::V {
    let (format, bits) = (w.format, w.bits);
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let steep = b.ult(xp.magnitude, yp.magnitude);
    let large = Scaled::select(b, steep, Scaled::of(b, w, &yp), Scaled::of(b, w, &xp));
    let small = Scaled::select(b, steep, Scaled::of(b, w, &xp), Scaled::of(b, w, &yp));

    // small / large, at most 1.
    let large = large.normal(b, format.precision());
    let fraction = b.trunc(large.magnitude, format.frac_bits);
    let (reciprocal, frac) = look_up(b, w.root.recip, fraction);
    let quotient = small.normal(b, format.precision()).times(b, reciprocal, -frac);
    let quotient = Scaled {
        magnitude: quotient.magnitude,
        scale: b.sub(quotient.scale, large.scale_plus(b, format.frac_bits as i32)),
    };
    let quotient = quotient.normal(b, bits);
    // Infinities and zeros: 0, or 1 where both operands are the same.
    let both_inf = b.and(xp.inf(b), yp.inf(b));
    let equal = b.or(both_inf, b.eq(xp.magnitude, yp.magnitude));
    let both_zero = b.and(xp.zero(b), yp.zero(b));
    let any_inf = b.or(xp.inf(b), yp.inf(b));
    let vanishes = b.or(both_zero, b.and_not(any_inf, both_inf));
    let one = Scaled::new(b, w, b.constant(bits, 1 << (bits - 1)), 1 - bits as i32);
    let quotient = Scaled::select(b, b.and_not(equal, both_zero), one, quotient);
    let quotient =
        Scaled { magnitude: b.mask(b.not(vanishes), quotient.magnitude), scale: quotient.scale };

    // 1 itself is looked up just below it.
    let t = quotient.fraction(b, 0, bits);
    let t = b.or(t, b.spread(b.and_not(equal, both_zero), bits));
    let (g, frac) = look_up(b, w.arc.atan, t);
    let angle = quotient.times(b, g, -frac);

    let left = xp.sign;
    let halves = b.concat(b.and_not(left, steep), steep);
    let minus = b.xor(steep, left);
    let sum = from_base(b, w, halves, minus, angle);
    let direct = b.not(b.or(steep, left));
    let v = in_unit(b, w, unit, Scaled::select(b, direct, angle, sum));
    let specials = Specials { nan: b.or(xp.nan(b), yp.nan(b)), inf: b.bool(false), zero: None };
    v.pack(b, w, yp.sign, &specials)
}
