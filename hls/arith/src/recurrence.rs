//! Digit recurrences: one description for a pipeline, with a stage or part of one for each digit, and for a loop
//! of one step, which takes a fraction of the area and as many cycles from one operand to the next.

use crate::bits::Bits;
use base::SmallVec;

/// What a recurrence keeps from step to step.
pub type State<V> = SmallVec<[V; 3]>;

/// A recurrence that finds a digit a step. Its results are the digits and what is left.
///
/// It is described twice with the same step, [`restoring_step`]: unrolled, each step as narrow as its place allows, and in
/// three parts, of which the middle one is the same for all digits. Both give the same results.
pub trait Recurrence {
    /// Steps that are needed; more do no harm.
    fn steps(&self) -> u32;

    /// All steps, one behind the other.
    fn unrolled<B: Bits>(&self, b: &B, operands: &[B::V]) -> [B::V; 2];

    /// The state in front of the first of `steps` steps.
    fn before<B: Bits>(&self, b: &B, operands: &[B::V], steps: u32) -> State<B::V>;

    /// The state behind a step, in the same widths.
    fn step<B: Bits>(&self, b: &B, operands: &[B::V], state: &[B::V]) -> State<B::V>;

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

/// `digit` below the bits of `word`, whose top bit is lost.
#[inline(always)]
pub fn shift_in<B: Bits>(b: &B, word: B::V, digit: B::V) -> B::V {
    match b.width(word) {
        1 => digit,
        width => b.concat(b.trunc(word, width - 1), digit),
    }
}
