//! Integer division: restoring digit recurrences of one bit a step.

use crate::bits::Bits;
use crate::recurrence::{Recurrence, State, restoring_step, shift_in, thrice, two_restoring_steps};
use base::smallvec;

/// Quotient and remainder of a division.
#[derive(Clone, Copy, Debug)]
pub struct Division<V> {
    /// The quotient, rounded towards zero.
    pub quotient: V,
    /// The remainder, with the sign of the dividend.
    pub remainder: V,
}

/// Unsigned division. By zero: the quotient is all ones, the remainder the dividend.
#[inline(always)]
pub fn udiv_rem<B: Bits>(b: &B, x: B::V, y: B::V) -> Division<B::V> {
    let [quotient, remainder] = b.recur(&Integers { width: b.width(x) }, &[x, y]);
    Division { quotient, remainder }
}

/// See [`udiv_rem`].
struct Integers {
    width: u32,
}

impl Recurrence for Integers {
    fn steps(&self) -> u32 {
        self.width
    }

    /// After i steps the partial remainder is at most the dividend's i leading bits, so step i
    /// subtracts i + 1 bits only and otherwise asks whether the divisor has any higher bit: half the
    /// area of full-width steps.
    #[inline(always)]
    fn unrolled<B: Bits>(&self, b: &B, operands: &[B::V]) -> [B::V; 2] {
        let &[x, y] = operands else { unreachable!("a quotient has two operands") };
        let width = self.width;
        let above = any_above(b, y);

        let mut remainder = None;
        let mut quotient = None;
        let mut step = 0;
        while step < width {
            let next = b.bit(x, width - 1 - step);
            let current = remainder.map_or(next, |r| b.concat(r, next)); // step + 1 bits
            let current = b.zext(current, step + 2);
            let trial = b.zext(b.trunc(y, step + 1), step + 2);
            let too_large = Some(above[step as usize]);
            let (digit, rest) = restoring_step(b, current, trial, too_large, step + 1);
            remainder = Some(rest);
            quotient = Some(quotient.map_or(digit, |q| b.concat(q, digit)));
            step += 1;
        }
        [quotient.unwrap_or(x), remainder.unwrap_or(x)]
    }

    /// Remainder, and a word that gives the dividend at its top and takes the quotient below. Further steps come first: they divide zero.
    #[inline(always)]
    fn before<B: Bits>(&self, b: &B, operands: &[B::V], steps: u32) -> State<B::V> {
        smallvec![b.constant(self.width, 0), b.zext(operands[0], steps)]
    }

    #[inline(always)]
    fn step<B: Bits>(&self, b: &B, operands: &[B::V], state: &[B::V]) -> State<B::V> {
        let (remainder, word, width) = (state[0], state[1], self.width);
        // In front of a step the top bit is 0: the dividend has had a bit less.
        let current = shift_in(b, remainder, b.msb(word));
        let (current, trial) = (b.zext(current, width + 1), b.zext(operands[1], width + 1));
        let (digit, rest) = restoring_step(b, current, trial, None, width);
        smallvec![rest, shift_in(b, word, digit)]
    }

    #[inline(always)]
    fn thrice<B: Bits>(&self, b: &B, operands: &[B::V]) -> Option<B::V> {
        Some(thrice(b, operands[1]))
    }

    #[inline(always)]
    fn two_steps<B: Bits>(
        &self,
        b: &B,
        operands: &[B::V],
        thrice: Option<B::V>,
        state: &[B::V],
    ) -> State<B::V> {
        let Some(thrice) = thrice else { return State::from_slice(state) };
        let (remainder, word, width) = (state[0], state[1], self.width);
        // The dividend has had two bits less, or all of them were zeros.
        let current = shift_in(b, b.zext(remainder, width + 1), b.top(word, 2));
        let wide = |v| b.zext(v, width + 3);
        let (current, divisor) = (wide(current), wide(operands[1]));
        let (digits, rest) = two_restoring_steps(b, current, divisor, wide(thrice), width);
        smallvec![rest, shift_in(b, word, digits)]
    }

    #[inline(always)]
    fn after<B: Bits>(&self, b: &B, state: &[B::V], _: u32) -> [B::V; 2] {
        [b.trunc(state[1], self.width), state[0]]
    }
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
