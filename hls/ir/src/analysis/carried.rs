//! Loop-carried values of blocks that loop on themselves.

use crate::{Block, Function, Terminator, Value};
use base::{FxHashMap, FxHashSet};

/// Position of the target that leads back, for blocks that loop on themselves and can leave.
pub fn back_edge(func: &Function, block: Block) -> Option<usize> {
    match &func.blocks[block].term {
        Terminator::Branch { then_, else_, .. } => {
            match (then_.block == block, else_.block == block) {
                (true, false) => Some(0),
                (false, true) => Some(1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What the parameters of a block that loops on itself are in the next iteration.
pub struct Carried {
    next: FxHashMap<Value, Value>,
}

impl Carried {
    /// That of a block; of one that does not loop on itself, nothing.
    pub fn new(func: &Function, block: Block) -> Carried {
        let targets = func.blocks[block].term.targets();
        let back = targets.iter().find(|t| t.block == block).into_iter();
        let params = func.blocks[block].params.iter().copied();
        Carried {
            next: back.flat_map(|back| params.clone().zip(back.args.iter().copied())).collect(),
        }
    }

    /// What a parameter is in the next iteration.
    pub fn next(&self, param: Value) -> Option<Value> {
        self.next.get(&param).copied()
    }

    /// What a parameter takes over: itself, the parameter whose value it has in the next iteration, and so on to the last one, and what
    /// that gets, if this is no parameter of the block.
    pub fn taken_over(&self, param: Value) -> (Vec<Value>, Option<Value>) {
        let Some(next) = self.next(param) else { return (vec![], Some(param)) };
        let (mut chain, mut at) = (vec![param], Some(next));
        while let Some(v) = at.filter(|v| self.next.contains_key(v)) {
            if v == param || chain.len() > self.next.len() {
                // They go round in a circle.
                return (chain, None);
            }
            chain.push(v);
            at = self.next(v);
        }
        (chain, at)
    }

    /// What a parameter is after as many iterations as there are between it and the first value behind it that is `wanted` or no
    /// parameter, and how many these are.
    pub fn delayed(&self, param: Value, wanted: impl Fn(Value) -> bool) -> Option<(Value, u32)> {
        let mut at = self.next(param)?;
        for distance in 1..=self.next.len() as u32 {
            if wanted(at) || !self.next.contains_key(&at) {
                return Some((at, distance));
            }
            at = self.next(at)?;
        }
        None
    }

    /// Parameters that must be carried so that all that are `read` have their values: these, and those from which they get them by `way`.
    pub fn needed(
        &self,
        read: FxHashSet<Value>,
        way: impl Fn(Value) -> Option<Value>,
    ) -> FxHashSet<Value> {
        let mut open: Vec<Value> = read.iter().copied().collect();
        let mut needed = read;
        while let Some(v) = open.pop() {
            let from = way(v).filter(|n| self.next.contains_key(n));
            open.extend(from.filter(|n| needed.insert(*n)));
        }
        needed
    }
}

/// The parameters of a block that something else reads than its own next iteration as a parameter.
pub fn read_params(func: &Function, block: Block) -> FxHashSet<Value> {
    let params: FxHashSet<Value> = func.blocks[block].params.iter().copied().collect();
    let mut read = FxHashSet::default();
    let mut note = |v: Value| {
        if params.contains(&v) {
            read.insert(v);
        }
    };
    for &b in &func.layout {
        let data = &func.blocks[b];
        data.insts.iter().for_each(|i| func.insts[*i].args.iter().for_each(|v| note(*v)));
        if b == block {
            if let Terminator::Branch { cond, .. } = data.term {
                note(cond);
            }
            let others = data.term.targets().into_iter().filter(|call| call.block != block);
            others.for_each(|call| call.args.iter().for_each(|v| note(*v)));
        } else {
            data.term.for_each_use(&mut note);
        }
    }
    read
}
