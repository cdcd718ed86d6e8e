//! Loads that give all work-items of a work-group the same.

use crate::alias::{self, Alias, Kind};
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Inst, Op, Space};

/// Which loads read the same for all work-items of a group that load from the same address.
pub(super) struct Loads<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    alias: Alias<'f>,
    /// Where the barriers of each block stand in it.
    barriers: SecondaryMap<Block, Vec<usize>>,
}

impl<'f> Loads<'f> {
    /// Looks at the reachable blocks.
    pub(super) fn new(func: &'f Function, cfg: &'f Cfg) -> Self {
        let mut barriers: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
        for &b in &cfg.rpo {
            let insts = func.blocks[b].insts.iter().enumerate();
            let waits = insts.filter(|(_, i)| matches!(func.insts[**i].op, Op::Barrier(..)));
            barriers[b] = waits.map(|(k, _)| k).collect();
        }
        Loads { func, cfg, alias: Alias::new(func), barriers }
    }

    /// Whether instruction `k` of a block is such a load.
    pub(super) fn is_fixed(&self, block: Block, k: usize) -> bool {
        let inst = self.func.blocks[block].insts[k];
        let data = &self.func.insts[inst];
        if data.op.mem_flags().is_none_or(|f| f.volatile) {
            return false;
        }
        match self.func.ty(data.args[0]).space() {
            Some(Space::Local) => self.alias.is_read_only(inst) || self.is_steady(block, k),
            Some(Space::Global | Space::Constant) => self.alias.is_read_only(inst),
            _ => false,
        }
    }

    /// Whether no work-item writes to what the load reads from local memory between the barrier before it and the next one.
    /// All work-items are between the same barriers at a time.
    fn is_steady(&self, block: Block, k: usize) -> bool {
        let load = self.func.blocks[block].insts[k];
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut stack = vec![];
        for (start, from) in self.barriers_before(block, k) {
            if !self.is_unwritten(load, start, from, &mut stack) {
                return false;
            }
        }
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut seen[b], true) && !self.is_unwritten(load, b, 0, &mut stack)
            {
                return false;
            }
        }
        true
    }

    /// Looks at the instructions of a block from the one given to the next barrier; without one, what follows is still to
    /// be looked at.
    fn is_unwritten(&self, load: Inst, block: Block, from: usize, rest: &mut Vec<Block>) -> bool {
        let insts = &self.func.blocks[block].insts;
        let end = self.barriers[block].iter().copied().find(|k| *k >= from);
        if end.is_none() {
            rest.extend(&self.cfg.succs[block]);
        }
        insts[from..end.unwrap_or(insts.len())].iter().all(|i| {
            match alias::kind(self.func.insts[*i].op) {
                Kind::Write => !self.alias.may_ever_overlap(load, *i),
                Kind::Read => true,
                Kind::Wall => !matches!(self.func.insts[*i].op, Op::Call(_)),
            }
        })
    }

    /// The places behind the last barriers before an instruction, or the function's start.
    fn barriers_before(&self, block: Block, k: usize) -> Vec<(Block, usize)> {
        let last = |b: Block, end: usize| {
            self.barriers[b].iter().copied().rev().find(|at| *at < end).map(|at| (b, at + 1))
        };
        if let Some(place) = last(block, k) {
            return vec![place];
        }
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let (mut found, mut stack) = (vec![], vec![block]);
        let mut first = true;
        while let Some(b) = stack.pop() {
            // The load's own block has none in front of it; it may still come round from its end.
            let own = std::mem::take(&mut first);
            if !own && std::mem::replace(&mut seen[b], true) {
                continue;
            }
            match if own { None } else { last(b, usize::MAX) } {
                Some(place) => found.push(place),
                None => stack.extend(&self.cfg.preds[b]),
            }
            if b == self.func.entry() {
                found.push((b, 0));
            }
        }
        found
    }
}
