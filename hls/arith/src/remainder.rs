//! Remainders of floats: a long division that keeps only the last bits of the quotient.
//!
//! It takes as many steps as the exponents differ, and so is no operator of fixed latency: a loop runs [`step`] on what
//! [`prepare`] makes of the operands, and [`finish`] makes the results. [`remainder`] is that loop in native numbers.

use crate::bits::Bits;
use crate::float::parts::{Parts, normalise, unpack};
use crate::format::Format;
use crate::native::Native;

/// Bits of the quotient that are kept: what `remquo` gives, and one in case that it is rounded up.
pub const QUOTIENT_BITS: u32 = 8;

/// Whether a format needs the loop. In half precision one step is enough.
pub fn needs_loop(format: Format) -> bool {
    format.exp_bits > Format::F16.exp_bits
}

/// Digits of the quotient in one step: in half precision all of them, as many as exponents can differ.
pub fn digits(format: Format) -> u32 {
    match needs_loop(format) {
        true => 8,
        false => (1 << format.exp_bits) + format.frac_bits,
    }
}

/// What a step works on.
#[derive(Clone, Copy, Debug)]
pub struct State<V> {
    /// The remainder so far, below the divisor's significand; p bits.
    pub rest: V,
    /// Bits of the dividend that are still to come, the next one on top; as many as a step has [`digits`].
    pub feed: V,
    /// The last [`QUOTIENT_BITS`] of the quotient.
    pub quotient: V,
    /// Steps to go.
    pub left: V,
}

/// What stays the same in the loop.
#[derive(Clone, Copy, Debug)]
pub struct Operands<V> {
    /// The divisor's significand, its top bit set; p bits.
    pub divisor: V,
    /// |x| is below |y| / 2: it is the remainder itself.
    tiny: V,
    /// |x| is below |y|, by its exponent alone.
    below: V,
    /// Biased exponent of the divisor's significand, two's complement.
    exponent: V,
    /// There is no result.
    nan: V,
    /// Signs of dividend and divisor.
    signs: (V, V),
}

/// Width of exponents, two's complement: subnormals normalised and their differences.
fn exponent_bits(format: Format) -> u32 {
    format.exp_bits + 2
}

/// Takes both operands apart.
#[inline(always)]
pub fn prepare<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> (Operands<B::V>, State<B::V>) {
    let (p, digits, bits) = (format.precision(), digits(format), exponent_bits(format));
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let (x_significand, x_exponent) = normalised(b, format, &xp);
    let (divisor, exponent) = normalised(b, format, &yp);
    let difference = b.sub(x_exponent, exponent);

    let nan = b.or(b.or(xp.exp_ones, yp.nan(b)), yp.zero(b));
    // An infinite divisor and a zero are like a tiny dividend.
    let itself = b.or(yp.exp_ones, xp.zero(b));
    let below = b.or(b.msb(difference), itself);
    let minus_one = b.all(difference);
    let tiny = b.or(b.and_not(below, minus_one), itself);

    // The last step is to end with the units' digit; the dividend's last bits enter with the first one.
    let (shift, steps) = match needs_loop(format) {
        true => {
            let log = digits.trailing_zeros();
            (b.trunc(difference, log), b.slice(difference, log, bits - log))
        }
        false => (b.trunc(difference, bits - 1), b.constant(1, 0)),
    };
    let place = b.shl(b.zext(x_significand, p + digits - 1), shift);
    let steps = b.zext(steps, b.width(steps) + 1);
    let left = b.increment(steps, b.bool(true));
    let started = b.top(place, p - 1);
    // A quotient of 0: twice the remainder is below the divisor's significand, moved one place.
    let rest = b.mux(below, x_significand, b.zext(started, p));
    let state = State {
        rest,
        feed: b.trunc(place, digits),
        quotient: b.constant(QUOTIENT_BITS, 0),
        left: b.mask(b.not(b.or(below, nan)), left),
    };
    (Operands { divisor, tiny, below, exponent, nan, signs: (xp.sign, yp.sign) }, state)
}

#[inline(always)]
fn normalised<B: Bits>(b: &B, format: Format, x: &Parts<B::V>) -> (B::V, B::V) {
    let bits = exponent_bits(format);
    let normal = normalise(b, x);
    let exponent = b.sub(b.zext(x.exponent(b), bits), b.zext(normal.shift, bits));
    (normal.significand, exponent)
}

/// [`digits`] digits of the quotient; nothing where no step is left.
#[inline(always)]
pub fn step<B: Bits>(b: &B, format: Format, divisor: B::V, s: &State<B::V>) -> State<B::V> {
    let (p, digits) = (format.precision(), digits(format));
    let (mut rest, mut quotient) = (s.rest, s.quotient);
    let divisor = b.zext(divisor, p + 2);
    let mut k = digits;
    while k > 0 {
        k -= 1;
        let next = b.concat(rest, b.bit(s.feed, k));
        let difference = b.sub(b.zext(next, p + 2), divisor);
        let digit = b.not(b.msb(difference));
        rest = b.mux(digit, b.trunc(difference, p), b.trunc(next, p));
        quotient = b.concat(b.trunc(quotient, QUOTIENT_BITS - 1), digit);
    }
    let active = b.any(s.left);
    let width = b.width(s.left);
    State {
        rest: b.mux(active, rest, s.rest),
        feed: b.mask(b.not(active), s.feed),
        quotient: b.mux(active, quotient, s.quotient),
        left: b.sub(s.left, b.zext(active, width)),
    }
}

/// Which remainder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `x - y n`, n the quotient rounded towards zero.
    Truncated,
    /// n rounded to the nearest integer, ties to even.
    Nearest,
}

/// The remainder, packed, and the last seven bits of n with its sign in 32 bits.
#[inline(always)]
pub fn finish<B: Bits>(
    b: &B,
    format: Format,
    kind: Kind,
    x: B::V,
    o: &Operands<B::V>,
    s: &State<B::V>,
) -> (B::V, B::V) {
    let p = format.precision();
    // Twice the remainder, in units of the divisor's last place.
    let doubled = b.mux(o.below, b.zext(s.rest, p + 1), b.pad_low(s.rest, 1));
    let (rest, up) = match kind {
        Kind::Truncated => (doubled, b.bool(false)),
        Kind::Nearest => {
            let divisor = b.zext(o.divisor, p + 1);
            let odd = b.bit(s.quotient, 0);
            let up = b.or(b.ult(divisor, doubled), b.and(b.eq(divisor, doubled), odd));
            let other = b.sub(b.pad_low(o.divisor, 1), doubled);
            (b.mux(up, other, doubled), up)
        }
    };
    let itself = match kind {
        Kind::Truncated => o.below,
        Kind::Nearest => o.tiny,
    };
    let up = b.and_not(up, itself);
    let (x_sign, y_sign) = o.signs;
    let zero = b.is_zero(rest);
    let sign = b.xor(x_sign, b.and_not(up, zero));
    let packed = b.concat(sign, pack_exact(b, format, rest, o.exponent));
    let result = b.mux(itself, x, packed);
    let result = b.mux(o.nan, b.constant(format.width(), format.nan()), result);

    let n = b.increment(s.quotient, up);
    let n = b.zext(b.trunc(b.mask(b.not(b.or(itself, o.nan)), n), QUOTIENT_BITS - 1), 32);
    (result, b.mux(b.xor(x_sign, y_sign), b.negate(n), n))
}

/// Exponent and fraction fields of `doubled / 2` units of the last place of a significand with this biased exponent: a
/// number of the format, so that nothing is lost.
#[inline(always)]
fn pack_exact<B: Bits>(b: &B, format: Format, doubled: B::V, exponent: B::V) -> B::V {
    let bits = b.width(exponent);
    let zeros = b.lzc(doubled);
    let normal = b.top(b.shl(doubled, zeros), format.precision());
    let exponent = b.sub(exponent, b.zext(zeros, bits));
    let normal_range = b.not(b.or(b.msb(exponent), b.is_zero(exponent)));
    let distance = b.sub(b.constant(bits, 1), exponent);
    let moved = b.lshr(normal, b.mask(b.not(normal_range), distance));
    let field = b.mask(normal_range, b.trunc(exponent, format.exp_bits));
    let field = b.mask(b.any(doubled), field);
    b.concat(field, b.trunc(moved, format.frac_bits))
}

/// The loop in native numbers: the remainder, and the last seven bits of n with its sign in 32 bits.
///
/// Operands are bit patterns of the format.
pub fn remainder(format: Format, kind: Kind, x: u128, y: u128) -> (u128, u32) {
    let b = Native::<u64>::new();
    let [x, y] = [x, y].map(|v| b.constant(format.width(), v));
    let (operands, mut state) = prepare(&b, format, x, y);
    while state.left.bits != 0 {
        state = step(&b, format, operands.divisor, &state);
    }
    let (rest, n) = finish(&b, format, kind, x, &operands, &state);
    (rest.bits.into(), n.bits as u32)
}
