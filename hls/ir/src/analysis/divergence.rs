//! What is the same for all work-items of a work-group: values, and the blocks that all of them reach together.
//!
//! A branch on a value that differs parts the work-items until its closest post-dominator, where all of them that reached
//! the branch meet again. The blocks up to there are *parted*: some work-items may be in them without the others. So are
//! all blocks behind a branch that some work-items leave the function from.
//!
//! Two things make a value differ: operands that do, and, for parameters of blocks, from where control came. If work-items
//! go round a loop a different number of times, all that changes from round to round differs behind it.
//!
//! The analysis is of functions whose calls are inlined and whose private variables are values. Whatever else is loaded
//! differs, unless the caller knows better ([`IsFixed`]).

use crate::analysis::{Cfg, Dominators};
use crate::entities::{Block, Value};
use crate::function::{Function, Terminator};
use crate::op::Op;
use base::entity::SecondaryMap;

/// Whether an instruction, by block and position, is a load that reads the same for all work-items of a group if their
/// addresses are the same.
pub type IsFixed<'a> = &'a dyn Fn(Block, usize) -> bool;

/// Values and blocks in which work-items of a group differ.
#[derive(Clone, Debug)]
pub struct Divergence {
    varying: SecondaryMap<Value, bool>,
    parted_by: SecondaryMap<Block, Option<Block>>,
    /// The blocks whose branches part work-items, each with those in which they are apart because of it.
    parts: Vec<(Block, Vec<Block>)>,
}

impl Divergence {
    /// Looks at the reachable blocks.
    pub fn new(func: &Function, cfg: &Cfg, is_fixed_load: IsFixed<'_>) -> Self {
        let (varying, parted_by) = (SecondaryMap::new(), SecondaryMap::new());
        let mut d = Divergence { varying, parted_by, parts: vec![] };
        let post = Dominators::post(func, cfg);
        let mut parting: SecondaryMap<Block, bool> = SecondaryMap::new();
        // Each round finds at least one value or branch more.
        loop {
            let mut changed = d.spread(func, cfg, is_fixed_load);
            for &b in &cfg.rpo {
                if !parting[b] && d.is_parting(func, b) {
                    parting[b] = true;
                    changed = true;
                    d.part(func, cfg, b, post.idom(b));
                }
            }
            if !changed {
                return d;
            }
        }
    }

    /// Whether work-items of a group may have different values.
    pub fn varies(&self, value: Value) -> bool {
        self.varying[value]
    }

    /// A block whose branch parts the work-items, if because of it only some of a group may be in `block`.
    pub fn parted_by(&self, block: Block) -> Option<Block> {
        self.parted_by[block]
    }

    /// The blocks whose branches part work-items, each with the blocks up to where all meet again. It is among these itself if it is in
    /// a loop that they leave at different times.
    pub fn parts(&self) -> &[(Block, Vec<Block>)] {
        &self.parts
    }

    /// Marks what is computed from values that differ.
    fn spread(&mut self, func: &Function, cfg: &Cfg, is_fixed_load: IsFixed<'_>) -> bool {
        let mut changed = false;
        for &b in &cfg.rpo {
            for (k, &inst) in func.blocks[b].insts.iter().enumerate() {
                let data = &func.insts[inst];
                let Some(result) = data.result.filter(|r| !self.varying[*r]) else { continue };
                let own = match data.op {
                    Op::WorkItem(query, _) => !query.is_group_uniform(),
                    Op::Load(_) => !is_fixed_load(b, k),
                    // Between the brackets of a function that all call; of others the result does not matter.
                    Op::SubGroup(_) => false,
                    op => op.is_effect(),
                };
                if own || data.args.iter().any(|a| self.varying[*a]) {
                    self.varying[result] = true;
                    changed = true;
                }
            }
            for target in func.blocks[b].term.targets() {
                let params = &func.blocks[target.block].params;
                for (&param, arg) in params.iter().zip(&target.args) {
                    if self.varying[*arg] && !self.varying[param] {
                        self.varying[param] = true;
                        changed = true;
                    }
                }
            }
        }
        changed
    }

    /// Whether work-items leave a block to different ones.
    fn is_parting(&self, func: &Function, block: Block) -> bool {
        match &func.blocks[block].term {
            Terminator::Branch { cond, .. } => self.varying[*cond],
            Terminator::Switch { value, .. } => self.varying[*value],
            _ => false,
        }
    }

    /// Marks what follows from a branch on a value that differs; work-items meet again at `meet`, if anywhere.
    fn part(&mut self, func: &Function, cfg: &Cfg, branch: Block, meet: Option<Block>) {
        let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut found = vec![];
        let mut stack = cfg.succs[branch].clone();
        while let Some(b) = stack.pop() {
            if Some(b) != meet && !std::mem::replace(&mut inside[b], true) {
                found.push(b);
                stack.extend(cfg.succs[b].iter().copied());
            }
        }
        for &b in &found {
            self.parted_by[b].get_or_insert(branch);
        }
        // In a loop from which they go at different times every merge counts: one way may be an earlier round.
        let round = inside[branch];
        let from_here = |p: Block| round || p == branch || inside[p];
        for &b in found.iter().chain(&meet) {
            for k in 0..func.blocks[b].params.len() {
                if !one_value(func, cfg, b, k, &from_here) {
                    self.varying[func.blocks[b].params[k]] = true;
                }
            }
        }
        self.parts.push((branch, found));
    }
}

/// Whether parameter `k` of a block gets the same value over all edges from the blocks chosen.
fn one_value(
    func: &Function,
    cfg: &Cfg,
    block: Block,
    k: usize,
    from: &dyn Fn(Block) -> bool,
) -> bool {
    let mut values = vec![];
    for &p in cfg.preds[block].iter().filter(|p| from(**p)) {
        let targets = func.blocks[p].term.targets();
        values.extend(targets.iter().filter(|t| t.block == block).map(|t| t.args[k]));
    }
    values.windows(2).all(|w| w[0] == w[1])
}
