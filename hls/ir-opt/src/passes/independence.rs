//! Loops whose iterations provably touch different places of memory.

use crate::Context;
use crate::alias::{Alias, Kind, kind};
use crate::known::Ranges;
use crate::linear::steps::Steps;
use crate::linear::{Address, Addresses};
use base::FxHashSet;
use ir::analysis::{Cfg, Loops};
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op};

/// Marks blocks that loop on themselves as free of dependences through memory between iterations
/// ([`ir::LoopHint::ivdep`]) where that follows from their addresses: each pair of accesses of which one writes moves on by
/// the same constant number of bytes an iteration, and never comes to what the other one touched before.
///
/// A store that may write what an *earlier* iteration has read is no obstacle where its own iteration must have read before: iterations
/// pass each place in their order.
pub fn run(func: &mut Function, context: &Context<'_>) {
    for block in independent(func, context) {
        func.blocks[block].hint.ivdep = true;
    }
}

/// The blocks that loop on themselves, not marked yet, whose iterations are independent.
pub fn independent(func: &Function, context: &Context<'_>) -> Vec<Block> {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let alias = Alias::new(func);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let mut free = vec![];
    for (id, data) in loops.loops.iter().filter(|(_, l)| l.blocks == [l.header]) {
        let block = data.header;
        let Some(steps) = Steps::new(func, &ranges, &loops, &homes, id) else { continue };
        let iterations = Iterations::new(func, &ranges, block, steps);
        if !func.blocks[block].hint.ivdep && iterations.are_free(&alias) {
            free.push(block);
        }
    }
    free
}

/// The accesses of a block that loops on itself.
struct Iterations<'f> {
    func: &'f Function,
    steps: Steps<'f>,
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
    fn new(func: &'f Function, ranges: &'f Ranges, block: Block, steps: Steps<'f>) -> Self {
        let addresses = Addresses::new(func, ranges, block);
        let insts = func.blocks[block].insts.iter().copied();
        let accesses = insts.filter(|i| func.insts[*i].op.mem_flags().is_some()).map(|inst| {
            let address = addresses.of(func.insts[inst].args[0]);
            Access { inst, address, bytes: func.accessed_bytes(inst).into() }
        });
        let accesses = accesses.collect();
        let insts = func.blocks[block].insts.iter().copied().collect();
        Iterations { func, steps, insts, accesses }
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
        let Some(step) = self.steps.of_address(&a.address) else { return false };
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
    use super::meets_later;

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
