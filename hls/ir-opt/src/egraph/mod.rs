//! Equality saturation: rewrite rules on the pure operations of each block, and the choice of
//! the terms that are cheapest in hardware.
//!
//! Loads, arguments and block parameters are leaves; effects and control flow stay where they
//! are. Limits are numbers of nodes and rounds, never time: the same input gives the same
//! output. What is chosen is replayed on random inputs ([`region`]); every rule is proved by an
//! SMT solver ([`smt`]).

pub mod cost;
pub mod lang;
pub mod pattern;
mod region;
pub mod rules;
pub mod smt;

use crate::Context;
use crate::known::Ranges;
use base::FxHashMap;
use base::Result;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Loops};
use ir::{Function, Inst, Value};

/// Rewrites every block. Error `E0306` when the replay check fails.
pub fn run(func: &mut Function, context: &Context<'_>) -> Result<()> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let uses = crate::edit::use_counts(func);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &block in &cfg.rpo {
        let in_loop = loops.depth(block) > 0;
        let old = func.blocks[block].insts.clone();
        let mut new: Vec<Inst> = vec![];
        for run in old.chunks(region::REGION_SIZE) {
            let mut here: FxHashMap<Value, u32> = FxHashMap::default();
            for a in run.iter().flat_map(|i| &func.insts[*i].args) {
                *here.entry(*a).or_default() += 1;
            }
            // Uses that rewriting has removed still count: some values stay for nothing, until
            // dead code goes. It adds uses only of values that had some in the same place.
            let outside = |v: Value| uses[v] > here.get(&v).copied().unwrap_or(0);
            let known = |func: &Function, v: Value| ranges.known_in(func, v, block);
            match region::rewrite(func, run, outside, known, in_loop, context)? {
                Some(rewritten) => {
                    new.extend(rewritten.insts);
                    for (from, to) in rewritten.replaced {
                        if from != to {
                            map[from] = Some(to);
                        }
                    }
                }
                None => new.extend(run),
            }
        }
        func.blocks[block].insts = new;
    }
    func.substitute(&map);
    crate::passes::dce::run(func);
    Ok(())
}
