//! Fused multiply-add.

use super::add::{align, normalise_clamped};
use super::parts::unpack;
use super::round::{Specials, Unrounded, finish};
use crate::bits::Bits;
use crate::format::Format;
use ir::Rounding;

/// `x * y + z`, rounded once.
///
/// The exact product is an operand of 2p bits of an adder that orders its operands by exponent,
/// so the frame is 2p + 4 bits and not the 3p + 4 of a fixed product. A subnormal operand's
/// leading zeros stay in the product: an addend that then reaches below the frame cannot meet
/// such a product closely enough to cancel, because no addend is below the smallest subnormal.
#[inline(always)]
pub fn fma<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V, y: B::V, z: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp, zp) = (unpack(b, format, x), unpack(b, format, y), unpack(b, format, z));
    let product = b.umul(xp.significand(b), yp.significand(b));
    let addend = b.pad_low(b.zext(zp.significand(b), p + 1), p - 1);
    let product_zero = b.or(xp.zero(b), yp.zero(b));
    let product_sign = b.xor(xp.sign, yp.sign);
    let subtract = b.xor(product_sign, zp.sign);

    // Exponents, signed. A zero product must not outrank the addend.
    let width = format.exp_bits + 2;
    let exp_sum = b.add(b.zext(xp.exponent(b), width), b.zext(yp.exponent(b), width));
    let product_exp = b.sub(exp_sum, b.constant(width, format.bias() as u128));
    let addend_exp = b.zext(zp.exponent(b), width);
    let product_ahead = b.sub(product_exp, addend_exp);
    let addend_ahead = b.sub(addend_exp, product_exp);
    let addend_first = b.or(b.msb(product_ahead), product_zero);
    let distance = b.mux(addend_first, addend_ahead, product_ahead);
    let exp = b.trunc(b.mux(addend_first, addend_exp, product_exp), format.exp_bits + 1);
    let big = b.mux(addend_first, addend, product);
    let small = b.mux(addend_first, product, addend);

    let small_zero = b.mux(addend_first, product_zero, zp.zero(b));
    let (aligned, lost) = align(b, b.pad_low(small, 2), small_zero, distance);
    let sticky = b.any(lost);
    let (magnitude, flipped) = add_magnitudes(b, b.pad_low(big, 2), aligned, sticky, subtract);

    let frame = b.concat(magnitude, sticky);
    let normal = normalise_clamped(b, frame, b.increment(exp, b.bool(true)), p + 1);
    let big_sign = b.mux(addend_first, zp.sign, product_sign);
    let cancelled = b.and(subtract, normal.zero);
    let sign = b.mux(cancelled, b.bool(mode == Rounding::Rtn), b.xor(big_sign, flipped));

    let product_inf = b.or(xp.exp_ones, yp.exp_ones);
    let inf = b.or(product_inf, zp.exp_ones);
    let inf_sign = b.mux(product_inf, product_sign, zp.sign);
    let unrounded = Unrounded {
        sign: b.mux(inf, inf_sign, sign),
        exp: normal.exp,
        frac: b.slice(normal.sum, 1, format.frac_bits),
        round: b.bit(normal.sum, 0),
        sticky: normal.sticky,
        overflow: None,
    };
    let zero_times_inf = b.and(product_zero, product_inf);
    let opposite_infs = b.and(b.and(product_inf, zp.exp_ones), subtract);
    let operand_nan = b.or(b.or(xp.nan(b), yp.nan(b)), zp.nan(b));
    let nan = b.or(operand_nan, b.or(zero_times_inf, opposite_infs));
    finish(b, format, mode, &unrounded, &Specials { nan, inf, zero: None })
}

/// `big + small` or, with `subtract`, the absolute value of `big - small`, one bit wider than
/// the operands, and whether the difference was negative. `sticky` stands for a positive amount
/// below the last place of `small`, and of the result.
///
/// The two differences are formed side by side: a second adder instead of a second delay.
#[inline(always)]
pub(super) fn add_magnitudes<B: Bits>(
    b: &B,
    big: B::V,
    small: B::V,
    sticky: B::V,
    subtract: B::V,
) -> (B::V, B::V) {
    let width = b.width(big) + 1;
    let (big, small) = (b.zext(big, width), b.zext(small, width));
    let carry_in = b.and_not(subtract, sticky);
    let left = b.concat(big, b.bool(true));
    let right = b.concat(b.xor(small, b.spread(subtract, width)), carry_in);
    let forward = b.top(b.add(left, right), width);
    let backward = b.sub(small, big);
    let flipped = b.and(subtract, b.msb(forward));
    (b.mux(flipped, backward, forward), flipped)
}
