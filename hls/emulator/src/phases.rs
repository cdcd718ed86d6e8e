//! How a kernel is cut at its barriers.
//!
//! A *phase* is what a work-item does from the start or from a barrier to the next barrier or the end. All
//! work-items of a group go through a phase one after the other, in a loop; what a work-item needs
//! again behind the barrier is kept in memory meanwhile. Every barrier starts a phase, wherever it stands
//! in the control flow; blocks that can be reached from several barriers become part of several phases.

use base::IndexSet;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Liveness};
use ir::{Block, Function, Inst, Op, Value, ValueDef};

/// A barrier: its block and its place among the block's instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Barrier {
    pub block: Block,
    pub at: usize,
}

/// The cuts of a kernel.
pub(crate) struct Phases {
    /// Barriers that can be reached, in the order of their phases.
    pub barriers: Vec<Barrier>,
    /// For each barrier the values that live across it and are kept in memory.
    pub live: Vec<Vec<Value>>,
    /// Values that are kept at some barrier.
    pub kept: IndexSet<Value>,
    /// Values that are computed again in each phase that needs them.
    pub again: SecondaryMap<Value, bool>,
}

impl Phases {
    /// Cuts `func`.
    pub(crate) fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut barriers = vec![];
        for &block in &cfg.rpo {
            for (at, inst) in func.blocks[block].insts.iter().enumerate() {
                if matches!(func.insts[*inst].op, Op::Barrier(..)) {
                    barriers.push(Barrier { block, at });
                }
            }
        }
        let mut phases = Phases {
            barriers,
            live: vec![],
            kept: IndexSet::default(),
            again: SecondaryMap::new(),
        };
        if phases.barriers.is_empty() {
            return phases;
        }
        phases.find_cheap(func, cfg);
        let liveness = Liveness::new(func, cfg, |v| !phases.again[v]);
        for k in 0..phases.barriers.len() {
            let live = phases.live_at(func, &liveness, phases.barriers[k]);
            phases.kept.extend(live.iter().copied());
            phases.live.push(live);
        }
        phases
    }

    /// Values that cost less to compute again than to keep: ids, arguments, and integer operations on them.
    fn find_cheap(&mut self, func: &Function, cfg: &Cfg) {
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if let Some(result) = data.result {
                    let operands = data.args.iter().all(|a| self.again[*a]);
                    self.again[result] = operands && is_cheap(data.op);
                }
            }
        }
    }

    fn live_at(&self, func: &Function, liveness: &Liveness, barrier: Barrier) -> Vec<Value> {
        let block = &func.blocks[barrier.block];
        let mut live: IndexSet<Value> = IndexSet::default();
        block.term.for_each_use(|v| {
            live.insert(v);
        });
        for target in block.term.targets() {
            live.extend(liveness.live_in(target.block).iter().copied());
        }
        for &inst in block.insts[barrier.at + 1..].iter().rev() {
            let data = &func.insts[inst];
            if let Some(result) = data.result {
                live.shift_remove(&result);
            }
            live.extend(data.args.iter().copied());
        }
        let mut live: Vec<Value> = live.into_iter().filter(|v| !self.again[*v]).collect();
        // what the block itself defines behind the barrier is gone already; targets' parameters
        // are not live here
        live.retain(|v| !defined_behind(func, *v, barrier));
        live.sort();
        live
    }

    /// The blocks that a phase goes through from their start, in reverse postorder; `from` is the barrier
    /// that begins it, none for the first phase.
    pub(crate) fn blocks(&self, func: &Function, cfg: &Cfg, from: Option<Barrier>) -> Vec<Block> {
        let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut stack = vec![];
        match from {
            None => stack.push(func.entry()),
            Some(b) if next_barrier(func, b.block, b.at + 1).is_none() => {
                stack.extend(cfg.succs[b.block].iter().copied());
            }
            Some(_) => {}
        }
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut inside[block], true) {
                continue;
            }
            if next_barrier(func, block, 0).is_none() {
                stack.extend(cfg.succs[block].iter().copied());
            }
        }
        cfg.rpo.iter().copied().filter(|b| inside[*b]).collect()
    }

    /// The number of the barrier at a place.
    pub(crate) fn number(&self, barrier: Barrier) -> Option<usize> {
        self.barriers.iter().position(|b| *b == barrier)
    }
}

/// The first barrier of a block at or behind a place.
pub(crate) fn next_barrier(func: &Function, block: Block, from: usize) -> Option<usize> {
    let insts = &func.blocks[block].insts;
    let found = insts.get(from..)?.iter().position(|i| is_barrier(func, *i))?;
    Some(from + found)
}

fn is_barrier(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::Barrier(..))
}

fn defined_behind(func: &Function, value: Value, barrier: Barrier) -> bool {
    let ValueDef::Inst(inst) = func.values[value].def else { return false };
    let insts = &func.blocks[barrier.block].insts;
    insts[barrier.at + 1..].contains(&inst)
}

fn is_cheap(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Const(_)
            | Arg { .. }
            | ObjAddr(_)
            | WorkItem(..)
            | Add
            | Sub
            | Mul
            | And
            | Or
            | Xor
            | Not
            | Shl
            | LShr
            | AShr
            | ICmp(_)
            | Select
            | Sext
            | Zext
            | Slice { .. }
            | Concat
            | PtrToInt
            | IntToPtr
            | PtrAdd
            | SpaceCast
            | VecBuild
            | VecExtract(_)
    )
}
