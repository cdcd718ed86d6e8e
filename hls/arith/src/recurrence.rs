//! Digit recurrences: one description for a pipeline, with a stage or part of one for each digit, and for a loop
//! of one step, which takes a fraction of the area and as many cycles from one operand to the next.

use crate::bits::Bits;
use base::SmallVec;

/// What a recurrence keeps from step to step.
pub type State<V> = SmallVec<[V; 3]>;

/// A recurrence that finds a digit a step. Its results are the digits and what is left.
///
/// It is described twice with the same step, [`restoring_step`]: unrolled, each step as narrow as its place allows, and in
/// three parts, of which the middle one is the same for all digits. Both give the same results, and so do two steps of a division at
/// once.
pub trait Recurrence {
    /// Steps that are needed; more do no harm.
    fn steps(&self) -> u32;

    /// All steps, one behind the other.
    fn unrolled<B: Bits>(&self, b: &B, operands: &[B::V]) -> [B::V; 2];

    /// The state in front of the first of `steps` steps.
    fn before<B: Bits>(&self, b: &B, operands: &[B::V], steps: u32) -> State<B::V>;

    /// The state behind a step, in the same widths.
    fn step<B: Bits>(&self, b: &B, operands: &[B::V], state: &[B::V]) -> State<B::V>;

    /// Three times the divisor, where two steps are done side by side; none where they are done one behind the other.
    #[inline(always)]
    fn thrice<B: Bits>(&self, _: &B, _: &[B::V]) -> Option<B::V> {
        None
    }

    /// The state behind two steps.
    #[inline(always)]
    fn two_steps<B: Bits>(
        &self,
        b: &B,
        operands: &[B::V],
        _thrice: Option<B::V>,
        state: &[B::V],
    ) -> State<B::V> {
        self.step(b, operands, &self.step(b, operands, state))
    }

    /// The results behind the last of `steps` steps.
    fn after<B: Bits>(&self, b: &B, state: &[B::V], steps: u32) -> [B::V; 2];
}

/// One step of a restoring recurrence: `trial` is taken from `current` unless it is larger or `too_large` says so. The digit,
/// and the low `kept` bits of what is left. Both have one bit more than they need, for the sign of the difference.
#[inline(always)]
pub fn restoring_step<B: Bits>(
    b: &B,
    current: B::V,
    trial: B::V,
    too_large: Option<B::V>,
    kept: u32,
) -> (B::V, B::V) {
    let difference = b.sub(current, trial);
    let negative = b.msb(difference);
    let digit = b.not(too_large.map_or(negative, |above| b.or(negative, above)));
    let rest = b.mux(digit, b.trunc(difference, kept), b.trunc(current, kept));
    (digit, rest)
}

/// Two steps of a division side by side, in little more time than one: as many of `divisor`, twice and `thrice` it are taken from
/// `current`, which is below four times it, as there are in it. The two digits, and the low `kept` bits of what is left. All have the
/// width of `thrice` and a bit more, for the sign of the differences; twice the divisor must fit.
#[inline(always)]
pub fn two_restoring_steps<B: Bits>(
    b: &B,
    current: B::V,
    divisor: B::V,
    thrice: B::V,
    kept: u32,
) -> (B::V, B::V) {
    let width = b.width(current);
    let twice = b.pad_low(b.trunc(divisor, width - 1), 1);
    let [one, two, three] = [divisor, twice, thrice].map(|trial| b.sub(current, trial));
    let [once, high, all] = [one, two, three].map(|difference| b.not(b.msb(difference)));
    let rest = |difference| b.trunc(difference, kept);
    let upper = b.mux(all, rest(three), rest(two));
    let lower = b.mux(once, rest(one), rest(current));
    let low = b.mux(high, all, once);
    (b.concat(high, low), b.mux(high, upper, lower))
}

/// Three times a number, in two bits more.
#[inline(always)]
pub fn thrice<B: Bits>(b: &B, x: B::V) -> B::V {
    let width = b.width(x) + 2;
    b.add(b.zext(x, width), b.zext(b.pad_low(x, 1), width))
}

/// `digits` below the bits of `word`, whose top bits are lost.
#[inline(always)]
pub fn shift_in<B: Bits>(b: &B, word: B::V, digits: B::V) -> B::V {
    let (width, new) = (b.width(word), b.width(digits));
    if new >= width {
        return b.trunc(digits, width);
    }
    b.concat(b.trunc(word, width - new), digits)
}
