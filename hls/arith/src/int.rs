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
    let above = any_above(b, y);

    let mut remainder = None;
    let mut quotient = None;
    let mut step = 0;
    while step < width {
        let next = b.bit(x, width - 1 - step);
        let current = remainder.map_or(next, |r| b.concat(r, next)); // step + 1 bits
        let difference = b.sub(b.zext(current, step + 2), b.zext(b.trunc(y, step + 1), step + 2));
        let too_small = b.or(b.msb(difference), above[step as usize]);
        let digit = b.not(too_small);
        remainder = Some(b.mux(digit, b.trunc(difference, step + 1), current));
        quotient = Some(quotient.map_or(digit, |q| b.concat(q, digit)));
        step += 1;
    }
    Division { quotient: quotient.unwrap_or(x), remainder: remainder.unwrap_or(x) }
}

/// For each place of `y` whether a higher place holds a one: a prefix network of logarithmic
/// depth, as the first step of the division waits for the whole of it.
#[inline(always)]
fn any_above<B: Bits>(b: &B, y: B::V) -> [B::V; 128] {
    let width = b.width(y);
    let mut from = [b.bool(false); 129]; // from[i]: a one at place i or higher
    for place in 0..width {
        from[place as usize] = b.bit(y, place);
    }
    let mut half = 1;
    while half < width as usize {
        for place in 0..width as usize {
            // The lower half of a block takes in the first place of its upper half.
            let upper = (place & !(half - 1)) + half;
            if place & half == 0 && upper < width as usize {
                from[place] = b.or(from[place], from[upper]);
            }
        }
        half *= 2;
    }
    std::array::from_fn(|place| from[place + 1])
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
