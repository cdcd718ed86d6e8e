//! Loops whose iterations provably touch different places of memory.

use crate::Context;
use crate::alias::{Alias, Kind, kind};
use crate::known::Ranges;
use crate::linear::{Address, Addresses};
use base::FxHashSet;
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op, Value};

/// More iterations than are ever under way at a time, log2: each is in the loop for some thousand cycles at most.
const IN_FLIGHT_LOG2: u32 = 16;

/// Most operations that are looked through on a way.
const MOST_STEPS: u32 = 16;

/// Marks blocks that loop on themselves as free of dependences through memory between iterations
/// ([`ir::LoopHint::ivdep`]) where that follows from their addresses: each pair of accesses of which one writes moves on by
/// the same constant number of bytes an iteration, and never comes to what the other one touched before.
///
/// A store that may write what an *earlier* iteration has read is no obstacle where its own iteration must have read before: iterations
/// pass each place in their order.
pub fn run(func: &mut Function, context: &Context<'_>) {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let alias = Alias::new(func);
    let mut free = vec![];
    for &block in &func.layout {
        let data = &func.blocks[block];
        let loops = data.term.targets().iter().any(|t| t.block == block);
        if loops && !data.hint.ivdep && Iterations::new(func, &ranges, block).are_free(&alias) {
            free.push(block);
        }
    }
    for block in free {
        func.blocks[block].hint.ivdep = true;
    }
}

/// The accesses of a block that loops on itself.
struct Iterations<'f> {
    func: &'f Function,
    addresses: Addresses<'f>,
    block: Block,
    /// The instructions of the block.
    insts: FxHashSet<Inst>,
    accesses: Vec<Access>,
}

struct Access {
    inst: Inst,
    address: Address,
    bytes: i128,
}

impl<'f> Iterations<'f> {
    fn new(func: &'f Function, ranges: &'f Ranges, block: Block) -> Self {
        let addresses = Addresses::new(func, ranges, block);
        let insts = func.blocks[block].insts.iter().copied();
        let accesses = insts.filter(|i| func.insts[*i].op.mem_flags().is_some()).map(|inst| {
            let d = &func.insts[inst];
            let ty = match d.op {
                Op::Store(_) => func.ty(d.args[1]),
                _ => d.result.map_or(ir::Type::I64, |r| func.ty(r)),
            };
            let bytes = ty.mem_bytes(func.addr_bits).into();
            Access { inst, address: addresses.of(d.args[0]), bytes }
        });
        let accesses = accesses.collect();
        let insts = func.blocks[block].insts.iter().copied().collect();
        Iterations { func, addresses, block, insts, accesses }
    }

    /// Whether there is a pair to prove anything of, and none of them meets in different iterations.
    fn are_free(&self, alias: &Alias<'_>) -> bool {
        let op = |a: &Access| self.func.insts[a.inst].op;
        let mut found = false;
        for (k, a) in self.accesses.iter().enumerate() {
            for b in &self.accesses[k + 1..] {
                let writes = kind(op(a)) == Kind::Write || kind(op(b)) == Kind::Write;
                if writes && alias.may_ever_overlap(a.inst, b.inst) {
                    found = true;
                    if !self.never_meet(a, b) {
                        return false;
                    }
                }
            }
        }
        found
    }

    /// Whether no iteration of `b`, which is behind `a` in the block, touches what another one of `a` touches, as far as that matters.
    fn never_meet(&self, a: &Access, b: &Access) -> bool {
        let volatile = [a, b]
            .iter()
            .any(|x| self.func.insts[x.inst].op.mem_flags().is_some_and(|f| f.volatile));
        if volatile || a.address.root != b.address.root || a.address.terms != b.address.terms {
            return false;
        }
        let Some(step) = self.step(&a.address) else { return false };
        let ahead = sign_extend((b.address.offset - a.address.offset) as u128, self.func.addr_bits);
        let b_later = meets_later(step, ahead, a.bytes, b.bytes) && !self.must_have_read(a, b);
        !b_later && !meets_later(step, -ahead, b.bytes, a.bytes)
    }

    /// Whether `store` needs what `load` has read.
    fn must_have_read(&self, load: &Access, store: &Access) -> bool {
        let ops = [load, store].map(|x| self.func.insts[x.inst].op);
        if !matches!(ops, [Op::Load(_), Op::Store(_)]) {
            return false;
        }
        let mut needed: FxHashSet<Inst> = FxHashSet::default();
        let mut open = vec![store.inst];
        while let Some(inst) = open.pop() {
            if needed.insert(inst) {
                let args = self.func.insts[inst].args.iter();
                let makers = args.filter_map(|v| self.func.def_inst(*v));
                open.extend(makers.filter(|i| self.insts.contains(i)));
            }
        }
        needed.contains(&load.inst)
    }

    /// Bytes by which an address moves from iteration to iteration, when that is constant for longer than iterations overlap.
    fn step(&self, address: &Address) -> Option<i128> {
        let terms = address.terms.iter().map(|(t, n)| (t.value, *n)).chain([(address.root, 1)]);
        let total = terms.into_iter().try_fold(0i128, |total, (value, factor)| {
            let moved = self.step_of(value, MOST_STEPS)?;
            total.checked_add(factor.checked_mul(moved)?)
        });
        lasting(total?, self.func.addr_bits)
    }

    /// By how much a value changes from iteration to iteration, when that is constant for longer than iterations overlap: what wraps
    /// later than that never comes back in time.
    fn step_of(&self, value: Value, steps: u32) -> Option<i128> {
        let data = &self.func.blocks[self.block];
        let step = match data.params.iter().position(|p| *p == value) {
            Some(k) => {
                let calls = data.term.targets();
                let [call] = calls.iter().filter(|c| c.block == self.block).collect::<Vec<_>>()[..]
                else {
                    return None;
                };
                self.addresses.difference(call.args[k], value)?
            }
            None => match self.func.def_inst(value).filter(|i| self.insts.contains(i)) {
                Some(inst) if steps > 0 => self.step_of_operation(inst, steps - 1)?,
                Some(_) => return None,
                None => 0,
            },
        };
        match self.func.bits(value) {
            // the address decides
            width if width >= self.func.addr_bits => Some(sign_extend(step as u128, width)),
            width => lasting(step, width),
        }
    }

    fn step_of_operation(&self, inst: Inst, steps: u32) -> Option<i128> {
        let data = &self.func.insts[inst];
        let of = |k: usize| self.step_of(data.args[k], steps);
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

/// Whether an access of `second` bytes that begins `ahead` bytes behind one of `first` bytes, and `step` further each iteration, ever
/// touches in a later iteration what that one touched.
fn meets_later(step: i128, ahead: i128, first: i128, second: i128) -> bool {
    // they meet `d` iterations later if -second < ahead + step * d < first
    let (low, high, ahead, step) = match step < 0 {
        false => (-second, first, ahead, step),
        true => (-first, second, -ahead, -step),
    };
    if step == 0 {
        return low < ahead && ahead < high;
    }
    let d = ((low - ahead).div_euclid(step) + 1).max(1);
    ahead + step * d < high
}

#[cfg(test)]
mod tests {
    use super::{lasting, meets_later};

    #[test]
    fn steps_are_modulo_their_width() {
        assert_eq!(lasting((1 << 64) - 8, 64), Some(-8));
        assert_eq!(lasting(1 << 32, 32), Some(0), "the same place again");
        assert_eq!(lasting(1 << 31, 32), None, "the same place every other time");
        assert_eq!(lasting(1, 16), None);
        assert_eq!(lasting(4, 32), Some(4));
    }

    #[test]
    fn meetings_are_those_of_trying_all() {
        for step in -9i128..=9 {
            for ahead in -40i128..=40 {
                for (first, second) in [(4, 4), (1, 8), (8, 2), (12, 4)] {
                    let meets = |d: i128| -second < ahead + step * d && ahead + step * d < first;
                    let tried = (1..200).any(meets);
                    assert_eq!(
                        meets_later(step, ahead, first, second),
                        tried,
                        "{step} {ahead} {first} {second}"
                    );
                }
            }
        }
    }
}
