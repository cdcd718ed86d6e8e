//! Which values a block needs from its predecessors.

use super::cfg::Cfg;
use crate::entities::{Block, Value};
use crate::function::Function;
use base::IndexSet;
use base::entity::SecondaryMap;

/// Live values at block borders. Block parameters are not live-in of their own block.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: SecondaryMap<Block, Vec<Value>>,
}

impl Liveness {
    /// Computes liveness of the values for which `carried` holds (the hardware leaves out
    /// constants and launch-uniform values, which need not travel with a work-item).
    pub fn new(func: &Function, cfg: &Cfg, carried: impl Fn(Value) -> bool) -> Self {
        let mut sets: SecondaryMap<Block, IndexSet<Value>> = SecondaryMap::new();
        let home = home_blocks(func);
        for &block in &cfg.rpo {
            let mut mark = |v: Value| {
                if let Some(home) = home[v]
                    && carried(v)
                {
                    mark_upwards(home, cfg, &mut sets, block, v);
                }
            };
            for &inst in &func.blocks[block].insts {
                func.insts[inst].args.iter().for_each(|v| mark(*v));
            }
            func.blocks[block].term.for_each_use(mark);
        }
        let mut live_in: SecondaryMap<Block, Vec<Value>> = SecondaryMap::new();
        for &block in &cfg.rpo {
            let mut list: Vec<Value> = sets[block].iter().copied().collect();
            list.sort();
            live_in[block] = list;
        }
        Liveness { live_in }
    }

    /// Values defined elsewhere that `block` or blocks after it use, sorted.
    pub fn live_in(&self, block: Block) -> &[Value] {
        &self.live_in[block]
    }
}

fn mark_upwards(
    home: Block,
    cfg: &Cfg,
    sets: &mut SecondaryMap<Block, IndexSet<Value>>,
    from: Block,
    value: Value,
) {
    let mut stack = vec![from];
    while let Some(b) = stack.pop() {
        if b == home || !sets[b].insert(value) {
            continue;
        }
        stack.extend(cfg.preds[b].iter().copied());
    }
}

/// The block that defines each value.
fn home_blocks(func: &Function) -> SecondaryMap<Value, Option<Block>> {
    let mut home = SecondaryMap::new();
    for &block in &func.layout {
        let data = &func.blocks[block];
        let results = data.insts.iter().filter_map(|i| func.insts[*i].result);
        for v in data.params.iter().copied().chain(results) {
            home[v] = Some(block);
        }
    }
    home
}
