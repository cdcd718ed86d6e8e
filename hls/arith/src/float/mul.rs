//! Multiplication.

use super::parts::unpack;
use super::round::{Specials, Unrounded, finish};
use crate::bits::{Bits, count_width};
use crate::format::Format;
use ir::Rounding;

/// `x * y`.
///
/// A subnormal operand's leading zeros are counted beside the multiplier and the product is
/// shifted afterwards. One left shifter serves both cases: a result that underflows starts from
/// the product already moved right by a fixed distance.
#[inline(always)]
pub fn fmul<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let (x_sig, y_sig) = (xp.significand(b), yp.significand(b));
    let product = b.umul(x_sig, y_sig);

    // Of two subnormal operands either count will do: the product is then below every rounding.
    let count = b.lzc(b.mux(xp.exp_zero, x_sig, y_sig));
    let plan = plan_shift(b, format, xp.exponent(b), yp.exponent(b), count);

    // Frame of 2p + 2 bits: two integer bits, 2p - 2 fraction bits, two more places, so that the
    // moved product's first bit can land just behind the last place of a subnormal.
    let low = b.trunc(product, p - 1);
    let moved = b.zext(b.slice(product, p - 1, p + 1), 2 * p + 2);
    let start = b.mux(plan.underflow, moved, b.pad_low(product, 2));
    let frame = b.shl_top(start, plan.amount, p + 2);
    let lost = b.and(plan.underflow, b.any(low));

    // Two integer bits, p - 1 fraction bits, one more that is behind the rounding place after a carry.
    let (carry, hidden) = (b.msb(frame.value), b.bit(frame.value, p));
    let high = b.mux(carry, b.slice(frame.value, 1, p), b.trunc(frame.value, p));
    let behind = b.and(carry, b.bit(frame.value, 0));
    // minus_one + 1, or + 2 with a carry.
    let exp_bits = b.width(plan.minus_one);
    let step = b.zext(b.concat(carry, b.not(carry)), exp_bits);
    let exp = b.add(plan.minus_one, step);
    let unrounded = Unrounded {
        sign: b.xor(xp.sign, yp.sign),
        exp: b.mask(b.or(carry, hidden), exp),
        frac: b.slice(high, 1, p - 1),
        round: b.and_not(b.bit(high, 0), plan.vanishes),
        // A product in [2, 4) is never 2 itself, so the dropped bit leaves others behind it.
        sticky: b.any(b.concat(b.concat(frame.lost, lost), behind)),
        overflow: Some(b.or(plan.beyond, b.and(carry, plan.largest))),
    };
    let invalid = b.or(b.and(xp.exp_ones, yp.zero(b)), b.and(xp.zero(b), yp.exp_ones));
    let nan = b.or(b.or(xp.nan(b), yp.nan(b)), invalid);
    let inf = b.or(xp.exp_ones, yp.exp_ones);
    finish(b, format, mode, &unrounded, &Specials { nan, inf, zero: None })
}

/// How the product is to be shifted, and the exponent that it then has.
struct Plan<V> {
    /// The exponent is below the smallest: start from the moved product.
    underflow: V,
    /// Even the first bit of the moved product is behind the rounding place.
    vanishes: V,
    /// Left shift, `count_width(p)` bits.
    amount: V,
    /// Exponent field of the place below the frame's top, less 1, `exp_bits + 1` bits.
    minus_one: V,
    /// The field is that of infinity or above.
    beyond: V,
    /// The field is that of the largest finite numbers.
    largest: V,
}

#[inline(always)]
fn plan_shift<B: Bits>(b: &B, format: Format, x_exp: B::V, y_exp: B::V, count: B::V) -> Plan<B::V> {
    let p = format.precision();
    let width = format.exp_bits + 2;
    let amount_width = count_width(p);
    let signed = |value: i64| b.constant(width, (value as u128) & ((1 << width) - 1));
    let bias = format.bias() as i64;

    // e = x_exp + y_exp - bias, and the two distances that follow from it.
    let sum = b.add(b.zext(x_exp, width), b.zext(y_exp, width));
    let room = b.sub(sum, signed(bias + 1)); // e - 1: places down to the smallest exponent
    let back = b.sub(sum, signed(bias - p as i64)); // e + p: undoes part of the fixed move
    let underflow = b.msb(room);
    let vanishes = b.msb(back);

    let wide_count = b.zext(count, width);
    let fits = b.ult(wide_count, room);
    let left = b.mux(fits, count, b.trunc(room, amount_width));
    let right = b.mask(b.not(vanishes), b.trunc(back, amount_width));

    let exp_bits = format.exp_bits + 1;
    let at_minimum = b.or(underflow, b.not(fits));
    let unclamped = b.trunc(b.sub(room, wide_count), exp_bits); // exponent - 1
    let minus_one = b.mask(b.not(at_minimum), unclamped);
    Plan {
        underflow,
        vanishes: b.and(underflow, vanishes),
        amount: b.mux(underflow, right, left),
        minus_one,
        beyond: b.not(b.ult_const(minus_one, u128::from(format.exp_max()) - 1)),
        largest: b.eq(minus_one, b.constant(exp_bits, u128::from(format.exp_max()) - 2)),
    }
}
