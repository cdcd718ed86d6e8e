//! Equality saturation: rewrite rules on the pure operations of each block, and the choice of
//! the terms that are cheapest in hardware.
//!
//! Loads, arguments and block parameters are leaves; effects and control flow stay where they
//! are. Limits are numbers of nodes and rounds, never time: the same input gives the same
//! output. What is chosen is replayed on random inputs ([`region`]); every rule is proved by an
//! SMT solver ([`smt`]).

pub mod cost;
pub mod exact;
pub mod extract;
pub mod interval;
pub mod lang;
pub mod pattern;
mod region;
mod replay;
pub mod rules;
pub mod smt;
mod smt_real;

use crate::Context;
use crate::known::Ranges;
use crate::recurrence;
use base::FxHashMap;
use base::Result;
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Inst, Op, Terminator, Value};
use region::CarriedValues;

pub use region::Survey;

/// Rewrites every block. Error `E0306` when the replay check fails.
pub fn run(func: &mut Function, context: &Context<'_>) -> Result<()> {
    let cfg = Cfg::new(func);
    let view = View::new(func, context);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &block in &cfg.rpo {
        let carried = carried(func, block, context);
        let old = func.blocks[block].insts.clone();
        let mut new: Vec<Inst> = vec![];
        for run in old.chunks(region_size(carried.as_ref())) {
            let outside = view.outside(func, run);
            let known = |func: &Function, v: Value| view.ranges.known_in(func, v, block);
            let uniform = |v: Value| view.uniform[v];
            match region::rewrite(func, run, outside, known, &uniform, carried.as_ref(), context)? {
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

/// Compares the choices of terms of all regions, without changing anything; `steps` limits the search for the best of each.
pub fn survey(func: &Function, context: &Context<'_>, steps: u64) -> Vec<Survey> {
    let view = View::new(func, context);
    let mut found = vec![];
    for &block in &Cfg::new(func).rpo {
        let size = region_size(carried(func, block, context).as_ref());
        for run in func.blocks[block].insts.chunks(size) {
            let outside = view.outside(func, run);
            let known = |func: &Function, v: Value| view.ranges.known_in(func, v, block);
            let uniform = |v: Value| view.uniform[v];
            found.extend(region::survey(func, run, outside, known, &uniform, context, steps));
        }
    }
    found
}

/// What regions are told of the function around them, as it was before any was rewritten.
struct View {
    ranges: Ranges,
    uses: SecondaryMap<Value, u32>,
    uniform: SecondaryMap<Value, bool>,
}

impl View {
    fn new(func: &Function, context: &Context<'_>) -> View {
        let ranges = Ranges::new(func, context.options.max_work_group_size);
        View { ranges, uses: crate::edit::use_counts(func), uniform: uniform(func) }
    }

    /// Which values are used beyond some instructions.
    fn outside(&self, func: &Function, run: &[Inst]) -> impl Fn(Value) -> bool + use<'_> {
        let mut here: FxHashMap<Value, u32> = FxHashMap::default();
        for a in run.iter().flat_map(|i| &func.insts[*i].args) {
            *here.entry(*a).or_default() += 1;
        }
        // Uses that rewriting has removed still count: some values stay for nothing, until
        // dead code goes. It adds uses only of values that had some in the same place.
        move |v: Value| self.uses[v] > here.get(&v).copied().unwrap_or(0)
    }
}

/// Values that are the same throughout the launch, whatever the block: arguments, sizes, and what is computed from these alone.
fn uniform(func: &Function) -> SecondaryMap<Value, bool> {
    let mut uniform: SecondaryMap<Value, bool> = SecondaryMap::new();
    for &block in &Cfg::new(func).rpo {
        for d in func.blocks[block].insts.iter().map(|i| &func.insts[*i]) {
            let source = match d.op {
                Op::WorkItem(query, _) => query.is_launch_uniform(),
                op => !op.is_effect() && !matches!(op, Op::Lookup(_)),
            };
            if let Some(result) = d.result.filter(|_| source) {
                uniform[result] = d.args.iter().all(|a| uniform[*a]);
            }
        }
    }
    uniform
}

fn region_size(carried: Option<&CarriedValues>) -> usize {
    if carried.is_some() { region::LOOP_SIZE } else { region::REGION_SIZE }
}

/// What a block carries whose iterations overlap and may wait for carried values: one that loops on itself, of a kernel with a single
/// work-item, small enough for one region, without a memory access in the recurrence, which would make all else short.
fn carried(func: &Function, block: Block, context: &Context<'_>) -> Option<CarriedValues> {
    let back = ir::analysis::back_edge(func, block).filter(|_| func.is_task())?;
    let Terminator::Branch { cond, .. } = func.blocks[block].term else { return None };
    let interval = f64::from(recurrence::interval(func, block, context.clock()));
    if interval >= recurrence::ACCESS || func.blocks[block].insts.len() > region::LOOP_SIZE {
        return None;
    }
    let params = func.blocks[block].params.iter().copied();
    let next = func.blocks[block].term.targets()[back].args.iter().copied();
    Some(CarriedValues { pairs: params.zip(next).collect(), decision: cond })
}
