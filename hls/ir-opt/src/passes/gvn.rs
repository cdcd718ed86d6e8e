//! Equal operations once: global value numbering over the dominator tree, and memory values
//! within a block.

use crate::alias::{Alias, Kind, kind};
use crate::edit::{Rewriter, Step};
use base::entity::SecondaryMap;
use base::{FxHashMap, IndexMap, SmallVec};
use ir::analysis::{Cfg, Dominators, root};
use ir::{Block, Builder, Function, Inst, Op, Type, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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

/// An access whose value is known.
struct Known {
    address: Value,
    value: Value,
    inst: Inst,
}

/// What is known of memory within a block: by the root of the address, then by the distance from there in bytes. A write is
/// compared with one access for each other root, and with those near it for its own, so that long unrolled loops over an array
/// take as long as they have accesses.
#[derive(Default)]
struct Memory {
    by_root: IndexMap<Value, BTreeMap<i128, SmallVec<[Known; 1]>>>,
    /// Of the accesses so far.
    most_bytes: i128,
}

impl Memory {
    fn insert(&mut self, func: &Function, inst: Inst, value: Value) {
        let address = func.insts[inst].args[0];
        let (root, at) = root(func, address);
        self.most_bytes = self.most_bytes.max(func.accessed_bytes(inst).into());
        let known = Known { address, value, inst };
        self.by_root.entry(root).or_default().entry(at).or_default().push(known);
    }

    /// Forgets what a write may change.
    fn overwrite(&mut self, func: &Function, alias: &Alias<'_>, write: Inst) {
        let (own, at) = root(func, func.insts[write].args[0]);
        let near = at - self.most_bytes + 1..at + i128::from(func.accessed_bytes(write));
        self.by_root.retain(|root, accesses| {
            if *root != own {
                // pointers with one root point into the same objects
                let first = accesses.values().flatten().next();
                return first.is_some_and(|k| !alias.may_overlap(k.inst, write));
            }
            let places: Vec<i128> = accesses.range(near.clone()).map(|(at, _)| *at).collect();
            for place in places {
                if let Entry::Occupied(mut there) = accesses.entry(place) {
                    there.get_mut().retain(|k| !alias.may_overlap(k.inst, write));
                    if there.get().is_empty() {
                        there.remove();
                    }
                }
            }
            !accesses.is_empty()
        });
    }

    /// What a load of this type reads.
    fn at(&self, func: &Function, address: Value, ty: Type) -> Option<Value> {
        let (root, at) = root(func, address);
        let mut there = self.by_root.get(&root)?.get(&at)?.iter();
        there.find(|k| k.address == address && func.ty(k.value) == ty).map(|k| k.value)
    }
}

/// Loads that read what this block has loaded or stored before.
fn reuse_memory(func: &mut Function) {
    let mut reuse: Vec<(Inst, Value)> = vec![];
    let alias = Alias::new(func);
    for &block in &func.layout {
        let mut known = Memory::default();
        for &inst in &func.blocks[block].insts {
            let d = &func.insts[inst];
            if !d.op.is_effect() {
                continue;
            }
            let plain = d.op.mem_flags().is_some_and(|f| !f.volatile && !f.predicated);
            match kind(d.op) {
                Kind::Wall => known = Memory::default(),
                Kind::Write => {
                    known.overwrite(func, &alias, inst);
                    if plain && matches!(d.op, Op::Store(_)) {
                        known.insert(func, inst, d.args[1]);
                    }
                }
                Kind::Read => {
                    let Some(result) = d.result.filter(|_| plain) else { continue };
                    match known.at(func, d.args[0], func.ty(result)) {
                        Some(v) => reuse.push((inst, v)),
                        None => known.insert(func, inst, result),
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
