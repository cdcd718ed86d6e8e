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
    let order = compare(b, &xp, &yp);
    let no_less = b.not(order.less);
    let ordered = match (cc.has(FloatCC::LT), cc.has(FloatCC::EQ), cc.has(FloatCC::GT)) {
        (false, false, false) => b.bool(false),
        (false, false, true) => b.and_not(no_less, order.equal),
        (false, true, false) => order.equal,
        (false, true, true) => no_less,
        (true, false, false) => order.less,
        (true, false, true) => b.not(order.equal),
        (true, true, false) => b.or(order.less, order.equal),
        (true, true, true) => b.bool(true),
    };
    if cc.has(FloatCC::UN) { b.or(ordered, unordered) } else { b.and_not(ordered, unordered) }
}

/// How two numbers compare; the two zeros are equal.
struct Order<V> {
    less: V,
    equal: V,
}

/// One magnitude comparison serves all signs: it is inverted between two negative numbers, and
/// numbers of different sign need only theirs.
#[inline(always)]
fn compare<B: Bits>(b: &B, x: &Parts<B::V>, y: &Parts<B::V>) -> Order<B::V> {
    let both_zero = b.and(x.zero(b), y.zero(b));
    let signs_differ = b.xor(x.sign, y.sign);
    let same_magnitude = b.eq(x.magnitude, y.magnitude);
    let smaller = b.ult(x.magnitude, y.magnitude);
    let less_of_same_sign = b.and_not(b.xor(smaller, x.sign), same_magnitude);
    let less_of_other_sign = b.and_not(x.sign, both_zero);
    Order {
        less: b.mux(signs_differ, less_of_other_sign, less_of_same_sign),
        equal: b.or(b.and_not(same_magnitude, signs_differ), both_zero),
    }
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
    // Between equal numbers either answer will do.
    let smaller = b.ult(xp.magnitude, yp.magnitude);
    let signs_differ = b.xor(xp.sign, yp.sign);
    let x_less = b.mux(signs_differ, xp.sign, b.xor(smaller, xp.sign));
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
