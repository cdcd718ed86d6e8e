//! Addition and subtraction.

use super::parts::unpack;
use super::round::{Specials, Unrounded, finish};
use crate::bits::Bits;
use crate::format::Format;
use crate::shift::rows;
use ir::Rounding;

/// `x + y`.
///
/// The operand of smaller magnitude is aligned with two guard bits and a sticky bit; then one
/// adder and one shift to the leading one, which is clamped so that subnormal results need nothing
/// of their own.
#[inline(always)]
pub fn fadd<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));

    // Order by magnitude: the difference of significands is then never negative.
    let swap = b.ult(xp.magnitude, yp.magnitude);
    let (x_exp, y_exp) = (xp.exponent(b), yp.exponent(b));
    let distance = b.mux(swap, b.sub(y_exp, x_exp), b.sub(x_exp, y_exp));
    let exp = b.mux(swap, y_exp, x_exp);
    let (x_sig, y_sig) = (xp.significand(b), yp.significand(b));
    let big = b.mux(swap, y_sig, x_sig);
    let small = b.mux(swap, x_sig, y_sig);
    let subtract = b.xor(xp.sign, yp.sign);

    // Frame: carry, p bits, two guard bits, sticky. The place of the sticky bit carries the +1
    // of the two's complement into the adder; a borrow by the sticky bit cancels that.
    let small_zero = b.mux(swap, xp.zero(b), yp.zero(b));
    let (aligned, lost) = align(b, b.pad_low(small, 2), small_zero, distance);
    let sticky = b.any(lost);
    let carry_in = b.is_zero(b.concat(lost, b.not(subtract)));
    let left = b.concat(b.zext(big, p + 1), b.constant(3, 0b001));
    let right = b.concat(b.xor(b.zext(aligned, p + 3), b.spread(subtract, p + 3)), carry_in);
    let sum = b.concat(b.top(b.add(left, right), p + 3), sticky);

    let normal = normalise_clamped(b, sum, exp, p + 1);
    let largest_exp = b.constant(format.exp_bits, u128::from(format.exp_max()) - 1);
    let cancelled = b.and(subtract, normal.zero);
    let sign = b.mux(swap, yp.sign, xp.sign);
    let unrounded = Unrounded {
        sign: b.mux(cancelled, b.bool(mode == Rounding::Rtn), sign),
        exp: normal.exp,
        frac: b.slice(normal.sum, 1, format.frac_bits),
        round: b.bit(normal.sum, 0),
        sticky: normal.sticky,
        overflow: Some(b.and(b.eq(exp, largest_exp), b.msb(sum))),
    };
    let any_max = b.or(xp.exp_ones, yp.exp_ones);
    let opposite_infs = b.and(b.and(xp.exp_ones, yp.exp_ones), subtract);
    let nan = b.or(b.or(xp.nan(b), yp.nan(b)), opposite_infs);
    finish(b, format, mode, &unrounded, &Specials { nan, inf: any_max, zero: None })
}

/// The smaller operand moved right by `distance`, and bits of which one is 1 if that lost anything. Whether it is 0 is given: the
/// operands' own fields tell that sooner than all bits of the frame, and only what is near enough has to reach the shifter.
#[inline(always)]
pub(super) fn align<B: Bits>(b: &B, small: B::V, small_zero: B::V, distance: B::V) -> (B::V, B::V) {
    let rows = rows(b.width(small)).min(b.width(distance));
    let above = b.width(distance) - rows;
    if above == 0 {
        let aligned = b.lshr_lossy(small, distance);
        return (aligned.value, aligned.lost);
    }
    let far = b.any(b.top(distance, above));
    let aligned = b.lshr_lossy(b.mask(b.not(far), small), b.trunc(distance, rows));
    (aligned.value, b.concat(b.and_not(far, small_zero), aligned.lost))
}

/// `x - y`.
#[inline(always)]
pub fn fsub<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V, y: B::V) -> B::V {
    let negated = b.xor(y, b.constant(format.width(), format.sign_mask()));
    fadd(b, format, mode, x, negated)
}

/// A sum shifted left until its top bit is 1, or as far as the smallest exponent allows.
pub(super) struct NormalSum<V> {
    /// The top bits of the shifted sum.
    pub sum: V,
    /// 1 if any other bit is.
    pub sticky: V,
    /// Biased exponent field, as wide as the exponent given; 0 if the sum stays subnormal.
    pub exp: V,
    /// The sum is 0.
    pub zero: V,
}

/// Normalises `sum` and keeps its top `kept` bits. `exp` is the biased exponent of the bit *below*
/// its top one, unsigned and at least 1.
#[inline(always)]
pub(super) fn normalise_clamped<B: Bits>(
    b: &B,
    sum: B::V,
    exp: B::V,
    kept: u32,
) -> NormalSum<B::V> {
    let (shifted, count) = b.shl_leading(sum, Some(exp), kept);
    // exp + 1 - shift; 1 when clamped, and then the top bit tells the smallest normal number from
    // a subnormal.
    let width = b.width(exp).max(b.width(count));
    let next = b.increment(b.zext(exp, width), b.bool(true));
    let reduced = b.trunc(b.sub(next, b.zext(count, width)), b.width(exp));
    NormalSum {
        sum: shifted.value,
        sticky: b.any(shifted.lost),
        exp: b.mask(b.msb(shifted.value), reduced),
        zero: b.is_zero(sum),
    }
}
