//! Arithmetic without subnormal numbers: operands that are subnormal count as zeros of their sign, and a result whose
//! magnitude before rounding is below the smallest normal number is a zero of its sign.
//!
//! Everything else is as in the operators of the same names, rounded to nearest even. No operand is normalised and no
//! result moved right, which is what these are smaller by.

use super::add::normalise_clamped;
use super::div::{divide_significands, root_of_significand};
use super::fma::add_magnitudes;
use super::parts::{Parts, unpack};
use super::round::{Specials, Unrounded, finish};
use crate::bits::Bits;
use crate::format::Format;
use ir::{FlushedOp, Rounding};

/// Describes the operation on as many operands as it has.
#[inline(always)]
pub fn flushed<B: Bits>(b: &B, op: FlushedOp, format: Format, inputs: &[B::V]) -> B::V {
    let x = inputs[0];
    match op {
        FlushedOp::Add => fadd(b, format, x, inputs[1]),
        FlushedOp::Sub => fadd(b, format, x, super::fneg(b, format, inputs[1])),
        FlushedOp::Mul => fmul(b, format, x, inputs[1]),
        FlushedOp::Div => fdiv(b, format, x, inputs[1]),
        FlushedOp::Fma => fma(b, format, x, inputs[1], inputs[2]),
        FlushedOp::Sqrt => fsqrt(b, format, x),
    }
}

/// The significand of a number that is neither subnormal nor zero.
#[inline(always)]
fn significand<B: Bits>(b: &B, x: &Parts<B::V>) -> B::V {
    b.concat(b.bool(true), x.frac)
}

/// A signed biased exponent is that of no normal number, because it is too small.
#[inline(always)]
fn is_below<B: Bits>(b: &B, exp: B::V) -> B::V {
    b.or(b.msb(exp), b.is_zero(exp))
}

#[inline(always)]
fn fadd<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));

    let swap = b.ult(xp.magnitude, yp.magnitude);
    let (x_exp, y_exp) = (xp.exponent(b), yp.exponent(b));
    let distance = b.mux(swap, b.sub(y_exp, x_exp), b.sub(x_exp, y_exp));
    let exp = b.mux(swap, y_exp, x_exp);
    let (x_sig, y_sig) = (significand(b, &xp), significand(b, &yp));
    let both_zero = b.and(xp.exp_zero, yp.exp_zero);
    let any_zero = b.or(xp.exp_zero, yp.exp_zero);
    let big = b.mask(b.not(both_zero), b.mux(swap, y_sig, x_sig));
    let small = b.mask(b.not(any_zero), b.mux(swap, x_sig, y_sig));
    let subtract = b.xor(xp.sign, yp.sign);

    // The frame of the adder with subnormals: carry, p bits, two guard bits, sticky.
    let aligned = b.lshr_lossy(b.pad_low(small, 2), distance);
    let sticky = b.any(aligned.lost);
    let carry_in = b.is_zero(b.concat(aligned.lost, b.not(subtract)));
    let left = b.concat(b.zext(big, p + 1), b.constant(3, 0b001));
    let right = b.xor(b.zext(aligned.value, p + 3), b.spread(subtract, p + 3));
    let sum = b.add(left, b.concat(right, carry_in));
    let sum = b.concat(b.top(sum, p + 3), sticky);

    // What stays subnormal is a zero: not by a special result, which would have to be known earlier.
    let normal = normalise_clamped(b, sum, exp, p + 1);
    let present = b.msb(normal.sum);
    let cancelled = b.and(subtract, normal.zero);
    let largest_exp = b.constant(format.exp_bits, u128::from(format.exp_max()) - 1);
    let unrounded = Unrounded {
        sign: b.and_not(b.mux(swap, yp.sign, xp.sign), cancelled),
        exp: normal.exp,
        frac: b.mask(present, b.slice(normal.sum, 1, format.frac_bits)),
        round: b.and(present, b.bit(normal.sum, 0)),
        sticky: normal.sticky,
        overflow: Some(b.and(b.eq(exp, largest_exp), b.msb(sum))),
    };
    let any_max = b.or(xp.exp_ones, yp.exp_ones);
    let opposite_infs = b.and(b.and(xp.exp_ones, yp.exp_ones), subtract);
    let nan = b.or(b.or(xp.nan(b), yp.nan(b)), opposite_infs);
    finish(b, format, Rounding::Rte, &unrounded, &Specials { nan, inf: any_max, zero: None })
}

#[inline(always)]
fn fmul<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let product = b.umul(significand(b, &xp), significand(b, &yp));
    let carry = b.msb(product);

    // Both exponents that the product in [1, 4) may have, beside the multiplier.
    let width = format.exp_bits + 2;
    let sum = b.add(b.zext(xp.exp, width), b.zext(yp.exp, width));
    let low = b.sub(sum, b.constant(width, format.bias().into()));
    let high = b.increment(low, b.bool(true));
    let largest = b.constant(width, u128::from(format.exp_max()) - 1);
    let below = b.mux(carry, b.msb(low), is_below(b, low));
    let above = b.mux(carry, b.slt(largest, high), b.slt(largest, low));

    let kept = b.mux(carry, b.slice(product, p - 1, p + 1), b.slice(product, p - 2, p + 1));
    let behind = b.and(carry, b.bit(product, p - 2));
    let unrounded = Unrounded {
        sign: b.xor(xp.sign, yp.sign),
        exp: b.trunc(b.mux(carry, high, low), format.exp_bits),
        frac: b.slice(kept, 1, p - 1),
        round: b.bit(kept, 0),
        sticky: b.or(b.any(b.trunc(product, p - 2)), behind),
        overflow: Some(above),
    };
    let any_zero = b.or(xp.exp_zero, yp.exp_zero);
    let inf = b.or(xp.exp_ones, yp.exp_ones);
    let nan = b.or(b.or(xp.nan(b), yp.nan(b)), b.and(inf, any_zero));
    let zero = Some(b.or(any_zero, below));
    finish(b, format, Rounding::Rte, &unrounded, &Specials { nan, inf, zero })
}

#[inline(always)]
fn fma<B: Bits>(b: &B, format: Format, x: B::V, y: B::V, z: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp, zp) = (unpack(b, format, x), unpack(b, format, y), unpack(b, format, z));
    let product = b.umul(significand(b, &xp), significand(b, &yp));
    let addend = b.mask(b.not(zp.exp_zero), significand(b, &zp));
    let addend = b.pad_low(b.zext(addend, p + 1), p - 1);
    let product_zero = b.or(xp.exp_zero, yp.exp_zero);
    let product_sign = b.xor(xp.sign, yp.sign);
    let subtract = b.xor(product_sign, zp.sign);

    // Ordered by exponent as in the one with subnormals; a product that is zero stands behind and adds nothing.
    let width = format.exp_bits + 2;
    let exp_sum = b.add(b.zext(xp.exp, width), b.zext(yp.exp, width));
    let product_exp = b.sub(exp_sum, b.constant(width, format.bias().into()));
    let addend_exp = b.zext(zp.exponent(b), width);
    let product_ahead = b.sub(product_exp, addend_exp);
    let addend_ahead = b.sub(addend_exp, product_exp);
    let addend_first = b.or(b.msb(product_ahead), product_zero);
    let distance = b.mux(addend_first, addend_ahead, product_ahead);
    let exp = b.trunc(b.mux(addend_first, addend_exp, product_exp), format.exp_bits + 1);
    let big = b.mux(addend_first, addend, product);
    let small = b.mask(b.not(product_zero), b.mux(addend_first, product, addend));

    let aligned = b.lshr_lossy(b.pad_low(small, 2), distance);
    let sticky = b.any(aligned.lost);
    let (magnitude, flipped) =
        add_magnitudes(b, b.pad_low(big, 2), aligned.value, sticky, subtract);
    let frame = b.concat(magnitude, sticky);

    // What stays subnormal is a zero: not by a special result, which would have to be known earlier.
    let normal = normalise_clamped(b, frame, b.increment(exp, b.bool(true)), p + 1);
    let present = b.msb(normal.sum);
    let big_sign = b.mux(addend_first, zp.sign, product_sign);
    let cancelled = b.and(subtract, normal.zero);
    let sign = b.and_not(b.xor(big_sign, flipped), cancelled);

    let product_inf = b.or(xp.exp_ones, yp.exp_ones);
    let inf = b.or(product_inf, zp.exp_ones);
    let inf_sign = b.mux(product_inf, product_sign, zp.sign);
    let unrounded = Unrounded {
        sign: b.mux(inf, inf_sign, sign),
        exp: normal.exp,
        frac: b.mask(present, b.slice(normal.sum, 1, format.frac_bits)),
        round: b.and(present, b.bit(normal.sum, 0)),
        sticky: normal.sticky,
        overflow: None,
    };
    let zero_times_inf = b.and(product_zero, product_inf);
    let opposite_infs = b.and(b.and(product_inf, zp.exp_ones), subtract);
    let operand_nan = b.or(b.or(xp.nan(b), yp.nan(b)), zp.nan(b));
    let nan = b.or(operand_nan, b.or(zero_times_inf, opposite_infs));
    finish(b, format, Rounding::Rte, &unrounded, &Specials { nan, inf, zero: None })
}

#[inline(always)]
fn fdiv<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));

    let width = format.exp_bits + 2;
    let difference = b.sub(b.zext(xp.exp, width), b.zext(yp.exp, width));
    let high = b.add(difference, b.constant(width, format.bias().into()));
    let low = b.sub(high, b.constant(width, 1));

    // As in the division with subnormals: the quotient lies in (1/2, 2), and a remainder tells that bits are lost.
    let (quotient, sticky) =
        divide_significands(b, significand(b, &xp), significand(b, &yp), p + 2);
    let at_least_one = b.msb(quotient);
    let mantissa = b.mux(at_least_one, b.slice(quotient, 1, p + 1), b.trunc(quotient, p + 1));
    let below = b.mux(at_least_one, is_below(b, high), is_below(b, low));
    let unrounded = Unrounded {
        sign: b.xor(xp.sign, yp.sign),
        exp: b.trunc(b.mux(at_least_one, high, low), format.exp_bits + 1),
        frac: b.slice(mantissa, 1, format.frac_bits),
        round: b.bit(mantissa, 0),
        sticky,
        overflow: None,
    };
    let invalid = b.or(b.and(xp.exp_ones, yp.exp_ones), b.and(xp.exp_zero, yp.exp_zero));
    let specials = Specials {
        nan: b.or(b.or(xp.nan(b), yp.nan(b)), invalid),
        inf: b.or(xp.exp_ones, yp.exp_zero),
        zero: Some(b.or(b.or(xp.exp_zero, yp.exp_ones), below)),
    };
    finish(b, format, Rounding::Rte, &unrounded, &specials)
}

#[inline(always)]
fn fsqrt<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    let p = format.precision();
    let xp = unpack(b, format, x);
    let significand = significand(b, &xp);

    let width = format.exp_bits + 1;
    let doubled = b.not(b.bit(xp.exp, 0));
    let sum = b.add(b.zext(xp.exp, width), b.constant(width, format.bias().into()));
    let radicand = b.mux(doubled, b.pad_low(significand, 1), b.zext(significand, p + 1));
    let (root, inexact) = root_of_significand(b, radicand);
    let unrounded = Unrounded {
        sign: xp.sign,
        exp: b.slice(sum, 1, format.exp_bits),
        frac: b.slice(root, 1, format.frac_bits),
        round: b.bit(root, 0),
        sticky: inexact,
        overflow: None,
    };
    let specials = Specials {
        nan: b.or(xp.nan(b), b.and_not(xp.sign, xp.exp_zero)),
        inf: xp.exp_ones,
        zero: Some(xp.exp_zero),
    };
    finish(b, format, Rounding::Rte, &unrounded, &specials)
}
