//! Equal operations once: global value numbering over the dominator tree, and memory values
//! within a block.

use crate::alias::{Alias, Kind, kind};
use crate::edit::{Rewriter, Step};
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, Builder, Function, Inst, Op, Type, Value};

type Key = (Op, Vec<Value>, Type);
/// A key of the table and what stood there.
type Undo = (Key, Option<(Value, Block)>);

/// Moves what does not depend on the work-item (constants, arguments, addresses of variables) to
/// the entry, removes repeated pure operations and repeated loads, and forwards stored values to
/// loads of the same block.
///
/// An operation that is only wires stays in its block when another block has it already:
/// carrying its result there costs more than repeating it.
pub fn run(func: &mut Function) {
    reuse_memory(func);
    hoist_sources(func);
    let cfg = Cfg::new(func);
    let dominators = Dominators::new(func, &cfg);
    let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    for &b in cfg.rpo.iter().rev() {
        if let Some(d) = dominators.idom(b) {
            children[d].push(b);
        }
    }
    enum Visit {
        Enter(Block),
        Leave(Vec<Undo>),
    }
    let mut table: FxHashMap<Key, (Value, Block)> = FxHashMap::default();
    let mut rewriter = Rewriter::default();
    let mut stack = vec![Visit::Enter(func.entry())];
    while let Some(visit) = stack.pop() {
        match visit {
            Visit::Leave(undo) => {
                for (key, old) in undo.into_iter().rev() {
                    match old {
                        Some(entry) => table.insert(key, entry),
                        None => table.remove(&key),
                    };
                }
            }
            Visit::Enter(block) => {
                let mut added = vec![];
                rewriter.block(func, block, &mut |b, inst| {
                    number(b, inst, block, &mut table, &mut added)
                });
                stack.push(Visit::Leave(added));
                stack.extend(children[block].iter().map(|c| Visit::Enter(*c)));
            }
        }
    }
    rewriter.finish(func);
}

fn number(
    b: &mut Builder<'_>,
    inst: Inst,
    block: Block,
    table: &mut FxHashMap<Key, (Value, Block)>,
    added: &mut Vec<Undo>,
) -> Step {
    let data = &b.func.insts[inst];
    let Some(result) = data.result else { return Step::Keep };
    if data.op.is_effect() {
        return Step::Keep;
    }
    let ty = b.func.ty(result);
    let mut args = data.args.to_vec();
    if data.op.is_commutative() {
        args.sort();
    }
    let (op, allowed) = (data.op, data.fast_math);
    let key = (op, args, ty);
    match table.get(&key) {
        Some((v, home)) if *home == block || !is_cheap(op) => {
            // Of two that differ in what they allow, only what both allow stays.
            if let Some(first) = b.func.def_inst(*v) {
                b.func.insts[first].fast_math.0 &= allowed.0;
            }
            Step::Value(*v)
        }
        _ => {
            let old = table.insert(key.clone(), (result, block));
            added.push((key, old));
            Step::Keep
        }
    }
}

/// Wires and the like: repeating them costs nothing.
fn is_cheap(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Zext | Sext
            | Slice { .. }
            | Concat
            | Bitcast
            | PtrToInt
            | IntToPtr
            | SpaceCast
            | BitReverse
    )
}

/// Whether the value is the same wherever it is computed.
fn is_source(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Arg { .. } | Op::ObjAddr(_))
        || matches!(op, Op::WorkItem(q, _) if q.is_launch_uniform())
}

/// Sources to the front of the entry, where they are known on every path.
fn hoist_sources(func: &mut Function) {
    let mut sources = vec![];
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let (moved, rest): (Vec<Inst>, Vec<Inst>) =
            insts.into_iter().partition(|i| is_source(func.insts[*i].op));
        sources.extend(moved);
        func.blocks[block].insts = rest;
    }
    let entry = func.entry();
    sources.append(&mut func.blocks[entry].insts);
    func.blocks[entry].insts = sources;
}

/// Loads that read what this block has loaded or stored before.
fn reuse_memory(func: &mut Function) {
    let mut reuse: Vec<(Inst, Value)> = vec![];
    let alias = Alias::new(func);
    for &block in &func.layout {
        // accesses whose value is known, with the value
        let mut known: Vec<(Inst, Value)> = vec![];
        for &inst in &func.blocks[block].insts {
            let d = &func.insts[inst];
            if !d.op.is_effect() {
                continue;
            }
            let plain = d.op.mem_flags().is_some_and(|f| !f.volatile && !f.predicated);
            match kind(d.op) {
                Kind::Wall => known.clear(),
                Kind::Write => {
                    known.retain(|(k, _)| !alias.may_overlap(*k, inst));
                    if plain && matches!(d.op, Op::Store(_)) {
                        known.push((inst, d.args[1]));
                    }
                }
                Kind::Read => {
                    let Some(result) = d.result.filter(|_| plain) else { continue };
                    let same = |k: &&(Inst, Value)| {
                        func.insts[k.0].args[0] == d.args[0] && func.ty(k.1) == func.ty(result)
                    };
                    match known.iter().find(same) {
                        Some((_, v)) => reuse.push((inst, *v)),
                        None => known.push((inst, result)),
                    }
                }
            }
        }
    }
    if reuse.is_empty() {
        return;
    }
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for (inst, v) in &reuse {
        if let Some(r) = func.insts[*inst].result {
            map[r] = Some(*v);
        }
    }
    func.substitute(&map);
}
