//! Division and square root: restoring digit recurrences of one bit a step.
//!
//! Every step is one subtraction and one multiplexer, so that the scheduler can cut between any
//! two steps, or use one again and again; normalised operands make all quotient bits significant.

use super::parts::{normalise, unpack};
use super::round::{Specials, Unrounded, denormalise, finish};
use crate::bits::Bits;
use crate::format::Format;
use crate::recurrence::{Recurrence, State, restoring_step, shift_in, thrice, two_restoring_steps};
use base::smallvec;
use ir::Rounding;

/// `x / y`.
#[inline(always)]
pub fn fdiv<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V, y: B::V) -> B::V {
    let p = format.precision();
    let (xp, yp) = (unpack(b, format, x), unpack(b, format, y));
    let (xn, yn) = (normalise(b, &xp), normalise(b, &yp));

    let width = format.exp_bits + 2;
    let x_exp = b.sub(b.zext(xp.exponent(b), width), b.zext(xn.shift, width));
    let y_exp = b.sub(b.zext(yp.exponent(b), width), b.zext(yn.shift, width));
    let bias = b.constant(width, format.bias() as u128);
    let exp = b.add(b.sub(x_exp, y_exp), bias);

    // The quotient of two significands lies in (1/2, 2): one bit above the point, p + 1 below.
    // Below the last place needed, that of a quotient from 1 on, no quotient ends: y times one
    // that did would have more than p bits. So the remainder alone tells whether bits are lost.
    let (quotient, sticky) = divide_significands(b, xn.significand, yn.significand, p + 2);
    let at_least_one = b.msb(quotient);
    let mantissa = b.mux(at_least_one, b.slice(quotient, 1, p + 1), b.trunc(quotient, p + 1));
    let exp = b.mux(at_least_one, exp, b.sub(exp, b.constant(width, 1)));

    let sign = b.xor(xp.sign, yp.sign);
    let unrounded = denormalise(b, format, sign, exp, mantissa, sticky);
    let (x_zero, y_zero) = (xp.zero(b), yp.zero(b));
    let invalid = b.or(b.and(xp.exp_ones, yp.exp_ones), b.and(x_zero, y_zero));
    let specials = Specials {
        nan: b.or(b.or(xp.nan(b), yp.nan(b)), invalid),
        inf: b.or(xp.exp_ones, y_zero),
        zero: Some(b.or(x_zero, yp.exp_ones)),
    };
    finish(b, format, mode, &unrounded, &specials)
}

/// `steps` bits of `x / y` from the units' place on, and whether a remainder is left.
/// Both significands have their top bit set.
#[inline(always)]
pub(crate) fn divide_significands<B: Bits>(b: &B, x: B::V, y: B::V, steps: u32) -> (B::V, B::V) {
    let [quotient, sticky] = b.recur(&Significands { steps }, &[x, y]);
    (quotient, sticky)
}

/// See [`divide_significands`].
struct Significands {
    steps: u32,
}

impl Recurrence for Significands {
    fn steps(&self) -> u32 {
        self.steps
    }

    #[inline(always)]
    fn unrolled<B: Bits>(&self, b: &B, operands: &[B::V]) -> [B::V; 2] {
        let &[x, y] = operands else { unreachable!("a quotient has two operands") };
        let p = b.width(x);
        let divisor = b.zext(y, p + 2);
        let mut remainder = b.zext(x, p + 1); // always less than twice the divisor
        let mut quotient = None;
        let mut step = 0;
        while step < self.steps {
            let (digit, rest) = restoring_step(b, b.zext(remainder, p + 2), divisor, None, p);
            quotient = Some(quotient.map_or(digit, |q| b.concat(q, digit)));
            remainder = b.pad_low(rest, 1);
            step += 1;
        }
        [quotient.unwrap_or_else(|| b.bool(false)), b.any(remainder)]
    }

    #[inline(always)]
    fn before<B: Bits>(&self, b: &B, operands: &[B::V], steps: u32) -> State<B::V> {
        let x = operands[0];
        smallvec![b.zext(x, b.width(x) + 1), b.constant(steps, 0)]
    }

    #[inline(always)]
    fn step<B: Bits>(&self, b: &B, operands: &[B::V], state: &[B::V]) -> State<B::V> {
        let (remainder, quotient) = (state[0], state[1]);
        let width = b.width(remainder) + 1;
        let (current, divisor) = (b.zext(remainder, width), b.zext(operands[1], width));
        let (digit, rest) = restoring_step(b, current, divisor, None, width - 2);
        smallvec![b.pad_low(rest, 1), shift_in(b, quotient, digit)]
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
        let (remainder, quotient) = (state[0], state[1]);
        let p = b.width(operands[1]);
        let wide = |v| b.zext(v, p + 3);
        let current = wide(b.pad_low(remainder, 1));
        let (digits, rest) = two_restoring_steps(b, current, wide(operands[1]), wide(thrice), p);
        smallvec![b.pad_low(rest, 1), shift_in(b, quotient, digits)]
    }

    #[inline(always)]
    fn after<B: Bits>(&self, b: &B, state: &[B::V], steps: u32) -> [B::V; 2] {
        digits_wanted(b, state[1], state[0], steps - self.steps)
    }
}

/// `digits` without the last `more`, which are no more than a part of the remainder, and whether one is left.
#[inline(always)]
fn digits_wanted<B: Bits>(b: &B, digits: B::V, remainder: B::V, more: u32) -> [B::V; 2] {
    let sticky = b.any(remainder);
    if more == 0 {
        return [digits, sticky];
    }
    let wanted = b.top(digits, b.width(digits) - more);
    [wanted, b.or(sticky, b.any(b.trunc(digits, more)))]
}

/// The square root of `x`. That of -0 is -0, that of any other negative number NaN.
#[inline(always)]
pub fn fsqrt<B: Bits>(b: &B, format: Format, mode: Rounding, x: B::V) -> B::V {
    let p = format.precision();
    let xp = unpack(b, format, x);
    let xn = normalise(b, &xp);

    // value = m * 2^(e - bias); the root's exponent is (e + bias) / 2 rounded down, and where
    // that drops a half (e even, as the bias is odd) the radicand is 2m.
    let width = format.exp_bits + 2;
    let exp = b.sub(b.zext(xp.exponent(b), width), b.zext(xn.shift, width));
    let doubled = b.not(b.bit(exp, 0));
    let sum = b.add(exp, b.constant(width, format.bias() as u128));
    let root_exp = b.slice(sum, 1, format.exp_bits);
    let radicand = b.mux(doubled, b.pad_low(xn.significand, 1), b.zext(xn.significand, p + 1));

    let (root, inexact) = root_of_significand(b, radicand);
    let unrounded = Unrounded {
        sign: xp.sign,
        exp: root_exp,
        frac: b.slice(root, 1, format.frac_bits),
        round: b.bit(root, 0),
        sticky: inexact,
        overflow: None,
    };
    let zero = xp.zero(b);
    let specials = Specials {
        nan: b.or(xp.nan(b), b.and_not(xp.sign, zero)),
        inf: xp.exp_ones,
        zero: Some(zero),
    };
    finish(b, format, mode, &unrounded, &specials)
}

/// The root of a radicand in [1, 4) with two bits above the point: as many bits as the radicand
/// has, the first above the point, and whether a remainder is left.
#[inline(always)]
pub(super) fn root_of_significand<B: Bits>(b: &B, radicand: B::V) -> (B::V, B::V) {
    let [root, sticky] = b.recur(&Root { digits: b.width(radicand) }, &[radicand]);
    (root, sticky)
}

/// See [`root_of_significand`]. The first digit is 1, as the radicand is at least 1.
struct Root {
    digits: u32,
}

impl Root {
    /// What the first digit leaves of the radicand's first two places.
    #[inline(always)]
    fn first<B: Bits>(b: &B, radicand: B::V) -> B::V {
        b.sub(b.top(radicand, 2), b.constant(2, 1))
    }

    /// A step in `width` bits: two more places of the radicand behind the remainder.
    #[inline(always)]
    fn digit<B: Bits>(b: &B, remainder: B::V, root: B::V, next: B::V, width: u32) -> (B::V, B::V) {
        let current = b.concat(remainder, next);
        let trial = b.concat(root, b.constant(2, 0b01));
        restoring_step(b, b.zext(current, width), b.zext(trial, width), None, width - 2)
    }
}

impl Recurrence for Root {
    fn steps(&self) -> u32 {
        self.digits - 1
    }

    /// Remainder and trial subtrahend grow by a bit a step, so on average a step is half as wide as
    /// the result.
    #[inline(always)]
    fn unrolled<B: Bits>(&self, b: &B, operands: &[B::V]) -> [B::V; 2] {
        let (radicand, digits) = (operands[0], self.digits);
        let mut root = b.bool(true);
        let mut remainder = Root::first(b, radicand);
        let mut done = 1;
        while done < digits {
            // Two more places of the radicand, zeros behind its end.
            let low = digits as i64 - 2 * (done as i64 + 1);
            let next = match low {
                0.. => b.slice(radicand, low as u32, 2),
                -1 => b.pad_low(b.bit(radicand, 0), 1),
                _ => b.constant(2, 0),
            };
            // The remainder has done + 1 bits: at most twice the root.
            let (digit, rest) = Root::digit(b, remainder, root, next, done + 4);
            remainder = rest;
            root = b.concat(root, digit);
            done += 1;
        }
        [root, b.any(remainder)]
    }

    /// Remainder, root, and the places of the radicand that have not been used.
    #[inline(always)]
    fn before<B: Bits>(&self, b: &B, operands: &[B::V], steps: u32) -> State<B::V> {
        let radicand = operands[0];
        let places = b.trunc(radicand, self.digits - 2);
        let places = b.pad_low(places, self.digits % 2);
        smallvec![b.zext(Root::first(b, radicand), steps + 2), b.constant(steps + 1, 1), places,]
    }

    #[inline(always)]
    fn step<B: Bits>(&self, b: &B, _: &[B::V], state: &[B::V]) -> State<B::V> {
        let (remainder, root, places) = (state[0], state[1], state[2]);
        // What has all its bits only behind the last step.
        let digits = b.width(root);
        let (before, shorter) = (b.trunc(remainder, digits), b.trunc(root, digits - 1));
        let next = b.top(places, 2);
        let (digit, rest) = Root::digit(b, before, shorter, next, digits + 3);
        let places = b.pad_low(b.trunc(places, b.width(places) - 2), 2);
        smallvec![rest, shift_in(b, root, digit), places]
    }

    #[inline(always)]
    fn after<B: Bits>(&self, b: &B, state: &[B::V], steps: u32) -> [B::V; 2] {
        digits_wanted(b, state[1], state[0], steps - self.steps())
    }
}
