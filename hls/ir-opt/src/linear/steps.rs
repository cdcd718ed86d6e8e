//! By how much values and addresses change from iteration to iteration of a loop.

use super::{Address, Addresses, Term};
use crate::dependence::never_wraps;
use crate::known::Ranges;
use base::entity::SecondaryMap;
use ir::analysis::{LoopId, Loops};
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op, Value};

/// More iterations than are ever under way at a time, log2: each is in the loop for some thousand cycles at most.
pub const IN_FLIGHT_LOG2: u32 = 16;

/// Most operations that are looked through on a way.
const MOST_STEPS: u32 = 16;

/// Tells steps of the iterations of one loop.
pub struct Steps<'f> {
    func: &'f Function,
    loops: &'f Loops,
    homes: &'f SecondaryMap<Value, Option<Block>>,
    inside: LoopId,
    header: Block,
    /// Addresses at the end of an iteration.
    addresses: Addresses<'f>,
    /// Values of the header's parameters in the next iteration.
    next: &'f [Value],
}

impl<'f> Steps<'f> {
    /// For a loop with one way back to its header; `homes` are those of the function.
    pub fn new(
        func: &'f Function,
        ranges: &'f Ranges,
        loops: &'f Loops,
        homes: &'f SecondaryMap<Value, Option<Block>>,
        inside: LoopId,
    ) -> Option<Self> {
        let data = &loops.loops[inside];
        let [latch] = data.latches[..] else { return None };
        let targets = func.blocks[latch].term.targets();
        let mut back = targets.into_iter().filter(|c| c.block == data.header);
        let (Some(call), None) = (back.next(), back.next()) else { return None };
        let addresses = Addresses::new(func, ranges, latch);
        Some(Steps { func, loops, homes, inside, header: data.header, addresses, next: &call.args })
    }

    /// Bytes by which an address moves from iteration to iteration, when that is constant for longer than iterations overlap.
    pub fn of_address(&self, address: &Address) -> Option<i128> {
        let terms = address.terms.iter().map(|(t, n)| (t.value, *n)).chain([(address.root, 1)]);
        let total = terms.into_iter().try_fold(0i128, |total, (value, factor)| {
            let moved = self.of(value, MOST_STEPS)?;
            total.checked_add(factor.checked_mul(moved)?)
        });
        lasting(total?, self.func.addr_bits)
    }

    /// Bytes by which an address moves from each iteration to the next, modulo the size of the address space, when that is always the same:
    /// its terms are counters that never wrap, or as wide as addresses.
    pub fn of_address_exactly(
        &self,
        address: &Address,
        ranges: &Ranges,
        block: Block,
    ) -> Option<i128> {
        let of_term = |(term, factor): &(Term, i128)| {
            if self.is_invariant(term.value) {
                return Some(0);
            }
            let step = self.of_parameter(term.value)?;
            let known = term.known(self.func, ranges, block);
            let span = match term.signed {
                true => known.smax.checked_sub(known.smin)?,
                false => i128::try_from(known.umax - known.umin).ok()?,
            };
            let exact = known.width >= self.func.addr_bits
                || step == 0
                || never_wraps(step, span, known.width);
            step.checked_mul(*factor).filter(|_| exact)
        };
        let root = match self.is_invariant(address.root) {
            true => 0,
            false => self.of_parameter(address.root)?,
        };
        let total = address.terms.iter().map(of_term).try_fold(root, |n, t| n.checked_add(t?))?;
        Some(sign_extend(total as u128, self.func.addr_bits))
    }

    /// Whether a value is the same in all iterations.
    pub fn is_invariant(&self, value: Value) -> bool {
        let home = self.homes.get(value).copied().flatten();
        !home.is_some_and(|b| self.loops.contains(self.inside, b))
    }

    /// By how much a parameter of the header changes from each iteration to the next, modulo its width, when that is constant.
    pub fn of_parameter(&self, value: Value) -> Option<i128> {
        let k = self.func.blocks[self.header].params.iter().position(|p| *p == value)?;
        let step = self.addresses.difference(self.next[k], value)?;
        Some(sign_extend(step as u128, self.func.bits(value)))
    }

    /// By how much a value changes from iteration to iteration, when that is constant for longer than iterations overlap: what wraps
    /// later than that never comes back in time.
    fn of(&self, value: Value, steps: u32) -> Option<i128> {
        if self.is_invariant(value) {
            return Some(0);
        }
        let step = match self.func.def_inst(value) {
            Some(inst) if steps > 0 => self.of_operation(inst, steps - 1)?,
            Some(_) => return None,
            None => self.of_parameter(value)?,
        };
        match self.func.bits(value) {
            // the address decides
            width if width >= self.func.addr_bits => Some(sign_extend(step as u128, width)),
            width => lasting(step, width),
        }
    }

    fn of_operation(&self, inst: Inst, steps: u32) -> Option<i128> {
        let data = &self.func.insts[inst];
        let of = |k: usize| self.of(data.args[k], steps);
        let constant = || self.func.as_const(data.args[1]).map(|c| c as i128);
        match data.op {
            Op::Add | Op::PtrAdd => of(0)?.checked_add(of(1)?),
            Op::Sub => of(0)?.checked_sub(of(1)?),
            Op::Shl => of(0)?.checked_mul(1i128.checked_shl(constant()? as u32)?),
            Op::Mul => of(0)?.checked_mul(constant()?),
            Op::Zext | Op::Sext => of(0),
            _ => None,
        }
    }
}

/// A step modulo 2^`width`, unless steps of this size come round to where they began while iterations overlap.
fn lasting(step: i128, width: u32) -> Option<i128> {
    let step = sign_extend(step as u128, width);
    let bits = step.unsigned_abs().checked_ilog2().map_or(0, |n| n + 1 + IN_FLIGHT_LOG2);
    (bits < width).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::lasting;

    #[test]
    fn steps_are_modulo_their_width() {
        assert_eq!(lasting((1 << 64) - 8, 64), Some(-8));
        assert_eq!(lasting(1 << 32, 32), Some(0), "the same place again");
        assert_eq!(lasting(1 << 31, 32), None, "the same place every other time");
        assert_eq!(lasting(1, 16), None);
        assert_eq!(lasting(4, 32), Some(4));
    }
}
