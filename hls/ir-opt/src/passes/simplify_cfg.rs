//! Control-flow clean-up: constant branches, empty blocks, straight lines.

use crate::edit;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, BlockCall, Builder, Function, LoopHint, Terminator, Value};

/// Runs to a fixed point. Critical edges and shared loop entries can appear; the legalising
/// passes come later.
pub fn run(func: &mut Function) {
    loop {
        let mut changed = edit::remove_unreachable(func);
        for block in func.layout.clone() {
            changed |= simplify_terminator(func, block);
        }
        changed |= edit::remove_unreachable(func);
        changed |= repeat_decisions(func);
        changed |= skip_empty_blocks(func);
        changed |= merge_lines(func);
        if !changed {
            return;
        }
    }
}

fn simplify_terminator(func: &mut Function, block: Block) -> bool {
    let new = match &func.blocks[block].term {
        Terminator::Branch { cond, then_, else_ } => match func.as_const(*cond) {
            Some(c) => jump(if c & 1 == 1 { then_ } else { else_ }),
            None if is_unreachable(func, then_.block) => jump(else_),
            None if is_unreachable(func, else_.block) => jump(then_),
            None if then_ == else_ => jump(then_),
            None if then_.block == else_.block => {
                let (cond, a, b) = (*cond, then_.clone(), else_.clone());
                select_args(func, block, cond, &a, &b)
            }
            None => return false,
        },
        Terminator::Switch { value, cases, default } => match func.as_const(*value) {
            Some(c) => jump(cases.iter().find(|(v, _)| *v == c).map_or(default, |(_, t)| t)),
            None if cases.iter().all(|(_, t)| t == default) => jump(default),
            None => return simplify_switch(func, block),
        },
        _ => return false,
    };
    func.blocks[block].term = new;
    true
}

/// Branches whose condition has been decided on all ways to them are jumps.
fn repeat_decisions(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let mut asked: FxHashMap<Value, u32> = FxHashMap::default();
    for &block in &cfg.rpo {
        if let Terminator::Branch { cond, .. } = &func.blocks[block].term {
            *asked.entry(*cond).or_default() += 1;
        }
    }
    if asked.values().all(|n| *n == 1) {
        return false;
    }
    let dominators = Dominators::new(func, &cfg);
    let mut found = vec![];
    for &block in &cfg.rpo {
        let Terminator::Branch { cond, then_, else_ } = &func.blocks[block].term else { continue };
        if asked[cond] == 1 {
            continue;
        }
        if let Some(holds) = decided(func, &cfg, &dominators, block, *cond) {
            found.push((block, jump(if holds { then_ } else { else_ })));
        }
    }
    let changed = !found.is_empty();
    for (block, term) in found {
        func.blocks[block].term = term;
    }
    changed
}

/// Whether a condition holds in a block, where a branch in front of it has asked the same: loops and branches may lie between them, if every way
/// to the block leads over one and the same edge behind that branch.
fn decided(
    func: &Function,
    cfg: &Cfg,
    dominators: &Dominators,
    block: Block,
    cond: Value,
) -> Option<bool> {
    let mut at = block;
    loop {
        // What comes back to `at` has come over the same edge before.
        let mut ways = cfg.preds[at].iter().filter(|p| !dominators.dominates(at, **p));
        if let (Some(&before), None) = (ways.next(), ways.next())
            && let Terminator::Branch { cond: asked, then_, else_ } = &func.blocks[before].term
            && *asked == cond
            && then_.block != else_.block
        {
            return Some(then_.block == at);
        }
        at = dominators.idom(at)?;
    }
}

fn jump(call: &BlockCall) -> Terminator {
    Terminator::Jump(call.clone())
}

fn is_unreachable(func: &Function, block: Block) -> bool {
    let data = &func.blocks[block];
    data.insts.is_empty() && data.term == Terminator::Unreachable
}

/// Drops cases that end like the default, or never happen.
fn simplify_switch(func: &mut Function, block: Block) -> bool {
    let Terminator::Switch { value, cases, default } = &func.blocks[block].term else {
        return false;
    };
    let mut kept: Vec<_> = cases
        .iter()
        .filter(|(_, t)| t != default && !is_unreachable(func, t.block))
        .cloned()
        .collect();
    let mut default = default.clone();
    if is_unreachable(func, default.block)
        && let Some((_, last)) = kept.pop()
    {
        default = last;
    }
    let new = Terminator::Switch { value: *value, cases: kept, default };
    let changed = new != func.blocks[block].term;
    func.blocks[block].term = new;
    changed
}

fn select_args(
    func: &mut Function,
    block: Block,
    cond: Value,
    a: &BlockCall,
    b: &BlockCall,
) -> Terminator {
    let loc = func.blocks[block].term_loc;
    let mut builder = Builder::at(func, block);
    builder.loc = loc;
    let pairs = a.args.iter().zip(&b.args);
    let args: Vec<Value> =
        pairs.map(|(&x, &y)| if x == y { x } else { builder.select(cond, x, y) }).collect();
    Terminator::Jump(BlockCall::new(a.block, args))
}

/// Jumps to a block that only jumps on go to its target directly.
fn skip_empty_blocks(func: &mut Function) -> bool {
    let uses = edit::use_counts(func);
    let mut changed = false;
    for block in func.layout.clone() {
        if block == func.entry() || !can_skip(func, &uses, block) {
            continue;
        }
        let Terminator::Jump(next) = func.blocks[block].term.clone() else { continue };
        let params = func.blocks[block].params.iter().enumerate();
        let place: FxHashMap<Value, usize> = params.map(|(k, p)| (*p, k)).collect();
        for from in func.layout.clone() {
            if from == block {
                continue;
            }
            for call in func.blocks[from].term.targets_mut() {
                if call.block != block {
                    continue;
                }
                let bind = |v: &Value| place.get(v).map_or(*v, |k| call.args[*k]);
                *call = BlockCall { block: next.block, args: next.args.iter().map(bind).collect() };
                changed = true;
            }
        }
    }
    changed |= edit::remove_unreachable(func);
    changed
}

fn can_skip(func: &Function, uses: &SecondaryMap<Value, u32>, block: Block) -> bool {
    let data = &func.blocks[block];
    let Terminator::Jump(next) = &data.term else { return false };
    if !data.insts.is_empty() || next.block == block || data.hint != LoopHint::default() {
        return false;
    }
    // A target with a hint is a loop header: an empty block in front of it is kept only when
    // something needs it, which the passes that legalise decide.
    let mut here: FxHashMap<Value, u32> = FxHashMap::default();
    next.args.iter().for_each(|a| *here.entry(*a).or_default() += 1);
    data.params.iter().all(|p| uses[*p] == here.get(p).copied().unwrap_or(0))
}

/// Merges blocks with their only successor when they are its only predecessor.
fn merge_lines(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let mut preds: SecondaryMap<Block, u32> = SecondaryMap::new();
    for &b in &cfg.rpo {
        preds[b] = cfg.preds[b].len() as u32;
    }
    let mut changed = false;
    let mut gone: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut map = SecondaryMap::new();
    for &first in &cfg.rpo {
        if gone[first] {
            continue;
        }
        let mut line = None;
        while let Terminator::Jump(call) = &func.blocks[first].term {
            let second = call.block;
            if second == first || preds[second] != 1 || second == func.entry() {
                break;
            }
            let line = line.get_or_insert_with(|| edit::Line::new(func, first));
            line.append(func, second, &mut map);
            gone[second] = true;
            changed = true;
        }
    }
    if changed {
        func.layout.retain(|b| !gone[*b]);
        func.substitute(&map);
    }
    changed
}
