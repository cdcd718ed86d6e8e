//! Functions of sub-groups, and named barriers, in control flow that some work-items may take without the others.
//!
//! In OpenCL such a function is of those that call it. Hardware waits for the whole work-group between the function's brackets
//! ([`SubGroupMark`]). Where all work-items provably come there together, the brackets go and nothing else happens. Elsewhere
//! work-items take turns: see [`turns`].
//!
//! The pass stands behind inlining and `sroa`: only there is it known what calls a helper function, and what is in a variable.

mod loads;
mod named;
mod order;
mod repair;
mod stops;
mod turns;

use crate::edit::{self, Step};
use crate::passes::simplify_cfg;
use base::entity::PrimaryMap;
use base::entity::SecondaryMap;
use base::{IndexSet, Result};
use ir::analysis::{Cfg, Divergence};
use ir::{Block, Function, Global, GlobalData, Inst, Module, Op, SubGroupMark, Terminator};
use loads::Loads;

/// Whether a function of sub-groups, or a mark of one, stands in a function.
pub fn is_marked(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    insts.any(|i| matches!(func.insts[*i].op, Op::SubGroup(_)))
}

/// Removes the brackets of functions of sub-groups, and lets work-items take turns where they may not come together. An error
/// (`E0308`) are named barriers that are made in a loop and waited at there.
pub fn run(module: &mut Module) -> Result<()> {
    let Module { functions, globals, .. } = module;
    functions.values_mut().try_for_each(|f| in_function(f, globals))
}

fn in_function(func: &mut Function, globals: &mut PrimaryMap<Global, GlobalData>) -> Result<()> {
    if !is_marked(func) {
        return Ok(());
    }
    let apart = if one_work_item(func) { vec![] } else { regions(func) };
    let barriers = match apart.iter().any(|r| r.has_named) {
        true => Some(named::make(func, globals)?),
        false => None,
    };
    if !apart.is_empty() {
        turns::run(func, &apart, barriers.as_ref())?;
    }
    all_call(func);
    simplify_cfg::run(func);
    Ok(())
}

fn begins(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::SubGroup(SubGroupMark::Begin(_)))
}

/// Whether work-groups are single work-items.
fn one_work_item(func: &Function) -> bool {
    let info = func.kernel.as_ref();
    info.is_some_and(ir::KernelInfo::is_declared_task)
}

/// Removes brackets between which all work-items call the function.
fn all_call(func: &mut Function) {
    let mut active: SecondaryMap<ir::Value, bool> = SecondaryMap::new();
    edit::rewrite(func, |b, inst| {
        let data = &b.func.insts[inst];
        match data.op {
            Op::SubGroup(SubGroupMark::Begin(_)) => Step::Value(b.bool(false)),
            Op::SubGroup(SubGroupMark::Active) => {
                let all = b.bool(true);
                active[all] = true;
                Step::Value(all)
            }
            Op::SubGroup(SubGroupMark::End) => Step::Gone,
            Op::SubGroup(SubGroupMark::NewBarrier) => Step::Value(data.args[0]),
            Op::Select if active[data.args[0]] => Step::Value(data.args[1]),
            Op::And if active[data.args[1]] => Step::Value(data.args[0]),
            _ => Step::Keep,
        }
    });
}

/// A part of the control flow in which work-items may be apart.
struct Region {
    /// Its blocks. Work-items come together wherever they enter it, and where they leave it.
    blocks: IndexSet<Block>,
    /// A block whose branch parts them.
    branch: Block,
    /// Whether there are named barriers: all those of the function are then.
    has_named: bool,
}

/// The regions with functions of sub-groups that some work-items may reach without the others; no block is in two of them. Where there
/// are any, branches that part work-items have got blocks of their own.
fn regions(func: &mut Function) -> Vec<Region> {
    let parts = parts(func);
    let has_function = |func: &Function, blocks: &[Block]| {
        blocks.iter().any(|b| func.blocks[*b].insts.iter().any(|i| begins(func, *i)))
    };
    if !parts.iter().any(|(_, inside)| has_function(func, inside)) {
        return vec![];
    }
    for (branch, _) in parts {
        let end = func.blocks[branch].insts.len();
        if end > 0 || branch == func.entry() {
            edit::split_block(func, branch, end);
        }
    }
    let mut rest: Vec<Region> = self::parts(func)
        .into_iter()
        .map(|(branch, inside)| {
            let blocks = inside.into_iter().chain([branch]).collect();
            Region { blocks, branch, has_named: false }
        })
        .collect();
    let (mut found, others): (Vec<Region>, Vec<Region>) = rest.drain(..).partition(|r| {
        let blocks: Vec<Block> = r.blocks.iter().copied().collect();
        has_function(func, &blocks)
    });
    if let Some(branch) = found.iter().find(|r| named::is_in(func, &r.blocks)).map(|r| r.branch) {
        let blocks = named::between(func, &found).into_iter().collect();
        found.push(Region { blocks, branch, has_named: true });
    }
    merge(found, others)
}

/// Regions that overlap are one: where they end is not the same, or one lies in the other. `others` count only where they overlap with what
/// is found.
fn merge(mut found: Vec<Region>, mut others: Vec<Region>) -> Vec<Region> {
    let mut merged: Vec<Region> = vec![];
    while let Some(mut region) = found.pop() {
        loop {
            let before = region.blocks.len();
            for list in [&mut found, &mut others, &mut merged] {
                let overlaps = |r: &mut Region| r.blocks.iter().any(|b| region.blocks.contains(b));
                let more: Vec<Region> = list.extract_if(.., overlaps).collect();
                for r in more {
                    region.blocks.extend(r.blocks);
                    region.has_named |= r.has_named;
                }
            }
            if region.blocks.len() == before {
                break;
            }
        }
        merged.push(region);
    }
    merged.sort_by_key(|r| r.branch);
    merged
}

/// The blocks whose branches part work-items, each with the blocks in which they are apart because of it.
fn parts(func: &Function) -> Vec<(Block, Vec<Block>)> {
    let cfg = Cfg::new(func);
    let loads = Loads::new(func, &cfg);
    let divergence = Divergence::new(func, &cfg, &|block, k| loads.is_fixed(block, k));
    let branches = |b: &Block| !matches!(func.blocks[*b].term, Terminator::Jump(_));
    let parts = divergence.parts().iter();
    parts.filter(|(b, _)| branches(b)).cloned().collect()
}
