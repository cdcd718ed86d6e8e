//! Loops that repeat an attempt at a connected pipe until it succeeds wait for the pipe instead.
//!
//! `while (read_pipe(p, &x) != 0);` is how OpenCL C waits. As written it is a loop inside whatever loop stands around it, whose
//! iterations then cannot overlap. As a read that waits it is one operation. Compilers make one loop of the two where the attempt is all
//! that stands before it in the outer loop: what a failed attempt does is followed from the attempt until it is tried again.

mod exclusive;
mod failed;

use crate::Context;
use crate::passes::{fold, if_convert, simplify_cfg};
use base::FxHashSet;
use base::entity::SecondaryMap;
use failed::Failed;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, Builder, Function, Inst, Op, PipeOp, Value};

/// Rewrites the loops, and joins waiting with the read or write that it is for, and those operations of which at most one happens.
pub fn run(func: &mut Function, context: &Context<'_>) {
    let pipes = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    if !pipes.into_iter().any(|i| func.insts[*i].op.pipe().is_some()) {
        return;
    }
    let mut changed = false;
    while let Some(attempt) = Attempt::find(func) {
        attempt.wait(func);
        changed = true;
    }
    if changed {
        fold::run(func, context);
        simplify_cfg::run(func);
        if_convert::run(func);
    }
    for block in func.layout.clone() {
        while join(func, block) {}
    }
    let blocks = func.layout.iter().copied().collect();
    join_exclusive(func, &blocks);
}

/// Joins operations of which at most one happens, of these blocks.
pub(super) fn join_exclusive(func: &mut Function, blocks: &FxHashSet<Block>) {
    for block in func.layout.clone().into_iter().filter(|b| blocks.contains(b)) {
        while exclusive::join(func, block) {}
    }
}

/// A reservation that is tried again and again until it succeeds.
struct Attempt {
    block: Block,
    /// The reservation and its result.
    take: Inst,
    taken: Value,
    /// Whether it is tried at all.
    predicate: Option<Value>,
}

impl Attempt {
    /// The first attempt that a failure leads back to, with everything as it was and nothing done meanwhile.
    fn find(func: &Function) -> Option<Self> {
        let cfg = Cfg::new(func);
        let dominators = Dominators::new(func, &cfg);
        for &block in func.layout.iter().filter(|b| cfg.is_reachable(**b)) {
            for &take in &func.blocks[block].insts {
                let data = &func.insts[take];
                let Op::Pipe { op, predicated, .. } = data.op else { continue };
                let Some(taken) = data.result.filter(|_| op.takes()) else { continue };
                let predicate = data.args.last().copied().filter(|_| predicated);
                let attempt = Attempt { block, take, taken, predicate };
                let mut failed = Failed::new(func, &dominators, block, take);
                failed.assume(predicate, true);
                failed.assume_way_to(&cfg, block);
                if failed.comes_back() {
                    return Some(attempt);
                }
            }
        }
        None
    }

    /// The reservation waits, so that it has succeeded behind it if it is tried.
    fn wait(self, func: &mut Function) {
        let Attempt { block, take, taken, predicate } = self;
        let Some((op, arg)) = func.insts[take].op.pipe() else { return };
        let data = &mut func.insts[take];
        data.op = Op::Pipe { op: op.patient(), arg, predicated: predicate.is_some() };
        data.result = None;
        let loc = data.loc;
        let tried = predicate.unwrap_or_else(|| {
            let insts = std::mem::take(&mut func.blocks[block].insts);
            let mut b = Builder::at(func, block);
            b.loc = loc;
            let yes = b.bool(true);
            func.blocks[block].insts.extend(insts);
            yes
        });
        let mut map = SecondaryMap::new();
        map[taken] = Some(tried);
        func.substitute(&map);
    }
}

/// Joins a wait of a block with the read or write behind it, if nothing stands between that others could see.
fn join(func: &mut Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    let mut wait: Option<(Inst, u32, Option<Value>)> = None;
    let mut found = None;
    for &inst in insts {
        let data = &func.insts[inst];
        let predicate = data.args.last().copied().filter(|_| data.op.predicated() == Some(true));
        match (data.op.pipe(), wait) {
            (Some((PipeOp::WaitPacket | PipeOp::WaitRoom, arg)), _) => {
                wait = Some((inst, arg, predicate));
            }
            (Some((op, arg)), Some((first, k, when)))
                if op.moves() && !op.waits() && arg == k && predicate == when =>
            {
                let predicated = predicate.is_some();
                found = Some((first, inst, Op::Pipe { op: op.waiting(), arg, predicated }));
                break;
            }
            (None, _) if data.op.mem_flags().is_some() || !data.op.is_effect() => {}
            _ => wait = None,
        }
    }
    let Some((first, second, op)) = found else { return false };
    func.insts[second].op = op;
    let before = std::mem::take(&mut func.insts[first].after);
    func.blocks[block].insts.retain(|i| *i != first);
    for inst in func.blocks[block].insts.clone() {
        let after = &mut func.insts[inst].after;
        if after.contains(&first) {
            after.retain(|e| *e != first);
            for &e in &before {
                if !after.contains(&e) {
                    after.push(e);
                }
            }
        }
    }
    true
}
