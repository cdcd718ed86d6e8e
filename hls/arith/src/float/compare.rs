//! Comparison, minimum, maximum and the operations on the sign bit.

use super::parts::{Parts, unpack};
use crate::bits::Bits;
use crate::format::Format;
use ir::FloatCC;

/// 1 if the outcome of comparing `x` with `y` is in `cc`.
#[inline(always)]
pub fn fcmp<B: Bits>(b: &B, format: Format, cc: FloatCC, x: B::V, y: B::V) -> B::V {
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let unordered = b.or(xp.nan(b), yp.nan(b));
    let both_zero = b.is_zero(b.or(xp.magnitude, yp.magnitude));
    let less = |l: &Parts<B::V>, r: &Parts<B::V>| {
        b.and_not(b.slt(order_key(b, l), order_key(b, r)), both_zero)
    };
    let ordered_part = FloatCC(cc.0 & (FloatCC::LT.0 | FloatCC::EQ.0 | FloatCC::GT.0));
    let ordered = match ordered_part {
        FloatCC(0) => b.bool(false),
        FloatCC::LT => less(&xp, &yp),
        FloatCC::GT => less(&yp, &xp),
        FloatCC::EQ => b.or(b.eq(x, y), both_zero),
        FloatCC(3) => b.not(less(&yp, &xp)),
        FloatCC(6) => b.not(less(&xp, &yp)),
        FloatCC(5) => b.not(b.or(b.eq(x, y), both_zero)),
        _ => b.bool(true),
    };
    if cc.has(FloatCC::UN) { b.or(ordered, unordered) } else { b.and_not(ordered, unordered) }
}

/// An integer that is ordered, as two's complement, like the numbers, with -0 below +0.
#[inline(always)]
fn order_key<B: Bits>(b: &B, x: &Parts<B::V>) -> B::V {
    let flip = b.spread(x.sign, b.width(x.magnitude));
    b.concat(x.sign, b.xor(x.magnitude, flip))
}

/// OpenCL `fmin`: the smaller operand; if one is NaN (quiet or signalling) the other; -0 is
/// below +0.
#[inline(always)]
pub fn fmin<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    select_by_order(b, format, x, y, false)
}

/// OpenCL `fmax`: the larger operand; if one is NaN (quiet or signalling) the other; +0 is
/// above -0.
#[inline(always)]
pub fn fmax<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    select_by_order(b, format, x, y, true)
}

#[inline(always)]
fn select_by_order<B: Bits>(b: &B, format: Format, x: B::V, y: B::V, larger: bool) -> B::V {
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let (x_nan, y_nan) = (xp.nan(b), yp.nan(b));
    let x_less = b.slt(order_key(b, &xp), order_key(b, &yp));
    let wanted = if larger { b.not(x_less) } else { x_less };
    let take_x = b.and_not(b.or(wanted, y_nan), x_nan);
    let number = b.mux(take_x, x, y);
    b.mux(b.and(x_nan, y_nan), b.constant(format.width(), format.nan()), number)
}

/// `x` with its sign bit inverted; NaNs too.
#[inline(always)]
pub fn fneg<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    b.xor(x, b.constant(format.width(), format.sign_mask()))
}

/// `x` with its sign bit cleared; NaNs too.
#[inline(always)]
pub fn fabs<B: Bits>(b: &B, format: Format, x: B::V) -> B::V {
    b.zext(b.trunc(x, format.width() - 1), format.width())
}

/// `x` with the sign bit of `y`; NaNs too.
#[inline(always)]
pub fn fcopysign<B: Bits>(b: &B, format: Format, x: B::V, y: B::V) -> B::V {
    b.concat(b.msb(y), b.trunc(x, format.width() - 1))
}
