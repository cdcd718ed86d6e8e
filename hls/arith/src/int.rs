//! Integer division: restoring digit recurrences of one bit a step.

use crate::bits::Bits;

/// Quotient and remainder of a division.
#[derive(Clone, Copy, Debug)]
pub struct Division<V> {
    /// The quotient, rounded towards zero.
    pub quotient: V,
    /// The remainder, with the sign of the dividend.
    pub remainder: V,
}

/// Unsigned division. By zero: the quotient is all ones, the remainder the dividend.
///
/// After i steps the partial remainder is at most the dividend's i leading bits, so step i
/// subtracts i + 1 bits only and otherwise asks whether the divisor has any higher bit: half the
/// area of full-width steps.
#[inline(always)]
pub fn udiv_rem<B: Bits>(b: &B, x: B::V, y: B::V) -> Division<B::V> {
    let width = b.width(x);
    // above[i]: the divisor has a one at place i or higher.
    let mut above = [b.bool(false); 129];
    let mut place = width;
    while place > 1 {
        place -= 1;
        above[place as usize] = b.or(above[place as usize + 1], b.bit(y, place));
    }

    let mut remainder = None;
    let mut quotient = None;
    let mut step = 0;
    while step < width {
        let next = b.bit(x, width - 1 - step);
        let current = remainder.map_or(next, |r| b.concat(r, next)); // step + 1 bits
        let difference = b.sub(b.zext(current, step + 2), b.zext(b.trunc(y, step + 1), step + 2));
        let too_small = b.or(b.msb(difference), above[step as usize + 1]);
        let digit = b.not(too_small);
        remainder = Some(b.mux(digit, b.trunc(difference, step + 1), current));
        quotient = Some(quotient.map_or(digit, |q| b.concat(q, digit)));
        step += 1;
    }
    Division { quotient: quotient.unwrap_or(x), remainder: remainder.unwrap_or(x) }
}

/// Signed division towards zero. By zero: the quotient is -1 for dividends from 0 on and 1 for
/// negative ones, the remainder the dividend. The least integer divided by -1 is itself.
#[inline(always)]
pub fn sdiv_rem<B: Bits>(b: &B, x: B::V, y: B::V) -> Division<B::V> {
    let (x_sign, y_sign) = (b.msb(x), b.msb(y));
    let magnitudes = udiv_rem(b, negate_if(b, x_sign, x), negate_if(b, y_sign, y));
    Division {
        quotient: negate_if(b, b.xor(x_sign, y_sign), magnitudes.quotient),
        remainder: negate_if(b, x_sign, magnitudes.remainder),
    }
}

/// `-x` if the single bit `condition` is 1: inverters and one incrementer.
#[inline(always)]
fn negate_if<B: Bits>(b: &B, condition: B::V, x: B::V) -> B::V {
    b.increment(b.xor(x, b.spread(condition, b.width(x))), condition)
}
