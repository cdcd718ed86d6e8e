//! Loop-invariant code motion.

use crate::alias::{Alias, Kind, kind};
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, LoopId, Loops};
use ir::{Block, Function, Inst, Op, Terminator, ValueDef};

/// Moves operations that are dear in hardware (products, quotients, floating point), loads of
/// what the loop does not write when they happen in every iteration, and what these need, out of
/// loops that have a preheader. Cheap operations stay: their results would have to travel
/// through the loop with each work-item.
pub fn run(func: &mut Function) {
    crate::passes::loop_simplify::run(func);
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let mut ids: Vec<LoopId> = loops.loops.keys().collect();
    // inner loops first: what leaves them can leave the outer ones too
    ids.sort_by_key(|l| std::cmp::Reverse(loops.loops[*l].depth));
    for id in ids {
        if loops.loops[id].is_reducible() {
            hoist_from(func, &cfg, &loops, id);
        }
    }
}

fn hoist_from(func: &mut Function, cfg: &Cfg, loops: &Loops, id: LoopId) {
    let data = &loops.loops[id];
    let outside = |b: &&Block| !loops.contains(id, **b);
    let Some(&preheader) = cfg.preds[data.header].iter().find(outside) else { return };
    if !matches!(func.blocks[preheader].term, Terminator::Jump(_)) {
        return;
    }
    let mut home: SecondaryMap<Inst, Option<Block>> = SecondaryMap::new();
    for &b in &data.blocks {
        func.blocks[b].insts.iter().for_each(|i| home[*i] = Some(b));
    }
    let invariant = invariant_insts(func, data, &home);
    // the dear ones, and what they are computed from
    let mut wanted: SecondaryMap<Inst, bool> = SecondaryMap::new();
    let mut stack: Vec<Inst> = vec![];
    for &b in &data.blocks {
        let insts = func.blocks[b].insts.iter().copied();
        stack.extend(insts.filter(|i| invariant[*i] && is_dear(func.insts[*i].op)));
    }
    while let Some(i) = stack.pop() {
        if !std::mem::replace(&mut wanted[i], true) {
            let args = func.insts[i].args.iter();
            stack.extend(args.filter_map(|a| func.def_inst(*a)).filter(|d| home[*d].is_some()));
        }
    }
    for &b in &data.blocks {
        for i in crate::edit::take_insts(func, b, |_, i| wanted[i]) {
            if func.insts[i].op.is_effect() {
                func.insts[i].after =
                    crate::edit::last_effects(func, preheader).into_iter().collect();
            }
            func.blocks[preheader].insts.push(i);
        }
    }
}

fn is_dear(op: Op) -> bool {
    use Op::*;
    op.is_float_unit() || matches!(op, Mul | UDiv | SDiv | URem | SRem | Load(_))
}

/// Instructions of the loop that compute the same in every iteration.
fn invariant_insts(
    func: &Function,
    data: &ir::analysis::loops::LoopData,
    home: &SecondaryMap<Inst, Option<Block>>,
) -> SecondaryMap<Inst, bool> {
    let mut invariant: SecondaryMap<Inst, bool> = SecondaryMap::new();
    let alias = Alias::new(func);
    let effects: Vec<Inst> = data
        .blocks
        .iter()
        .flat_map(|b| func.blocks[*b].insts.iter().copied())
        .filter(|i| func.insts[*i].op.is_effect())
        .collect();
    let inside = |b: Block| data.blocks.contains(&b);
    for &b in &data.blocks {
        for &i in &func.blocks[b].insts {
            let d = &func.insts[i];
            let fixed = d.args.iter().all(|a| match func.values[*a].def {
                ValueDef::Param(block, _) => !inside(block),
                ValueDef::Inst(def) => home[def].is_none() || invariant[def],
            });
            // A load must not happen when it would not have; the header is always executed.
            let movable = match d.op {
                Op::Load(flags) => {
                    b == data.header
                        && !flags.volatile
                        && effects.iter().all(|e| match kind(func.insts[*e].op) {
                            Kind::Read => true,
                            Kind::Write => !alias.may_overlap(i, *e),
                            Kind::Wall => false,
                        })
                }
                op => !op.is_effect(),
            };
            invariant[i] = fixed && movable && d.result.is_some();
        }
    }
    invariant
}
