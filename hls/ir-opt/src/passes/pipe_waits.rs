//! Loops that repeat an attempt at a connected pipe until it succeeds wait for the pipe instead.
//!
//! `while (read_pipe(p, &x) != 0);` is how OpenCL C waits. As written it is a loop inside whatever loop stands around it, whose
//! iterations then cannot overlap. As a read that waits it is one operation.

use crate::passes::{if_convert, simplify_cfg};
use base::entity::SecondaryMap;
use ir::{Block, BlockCall, Builder, Function, Inst, Op, PipeOp, Terminator, Value, ValueDef};

/// Rewrites the loops, and joins waiting with the read or write that it is for.
pub fn run(func: &mut Function) {
    let pipes = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    if !pipes.into_iter().any(|i| func.insts[*i].op.pipe().is_some()) {
        return;
    }
    let mut changed = false;
    for block in func.layout.clone() {
        if let Some(attempt) = Attempt::find(func, block) {
            attempt.wait(func);
            changed = true;
        }
    }
    if changed {
        simplify_cfg::run(func);
        if_convert::run(func);
    }
    for block in func.layout.clone() {
        while join(func, block) {}
    }
}

/// A block that repeats itself until a reservation succeeds.
struct Attempt {
    block: Block,
    /// The reservation and its result.
    take: Inst,
    taken: Value,
    /// Where it goes then.
    exit: BlockCall,
}

impl Attempt {
    fn find(func: &Function, block: Block) -> Option<Self> {
        let data = &func.blocks[block];
        let Terminator::Branch { cond, then_, else_ } = &data.term else { return None };
        let (taken, inverted) = without_not(func, *cond);
        let ValueDef::Inst(take) = func.values[taken].def else { return None };
        let Op::Pipe { op, arg, predicated: false } = func.insts[take].op else { return None };
        if !op.takes() {
            return None;
        }
        let (exit, back) = if inverted { (else_, then_) } else { (then_, else_) };
        if !data.insts.contains(&take) || back.block != block || exit.block == block {
            return None;
        }
        // All that a failed attempt may do is nothing: what it hands to the next is what it got.
        let same = |(param, value): (&Value, &Value)| {
            value == param || when_failed(func, *value, taken) == Some(*param)
        };
        let idle = data.params.iter().zip(&back.args).all(same);
        let only_then = |i: &Inst| {
            let d = &func.insts[*i];
            let behind = d.op.pipe().is_some_and(|(op, k)| op.moves() && !op.waits() && k == arg)
                && d.op.predicated() == Some(true)
                && d.args.last() == Some(&taken);
            *i == take || behind || !d.op.is_effect()
        };
        let quiet = data.insts.iter().all(only_then);
        (idle && quiet).then(|| Attempt { block, take, taken, exit: exit.clone() })
    }

    /// The reservation waits, so that it has succeeded behind it.
    fn wait(self, func: &mut Function) {
        let Attempt { block, take, taken, exit } = self;
        let Some((op, arg)) = func.insts[take].op.pipe() else { return };
        let data = &mut func.insts[take];
        data.op = Op::Pipe { op: op.patient(), arg, predicated: false };
        data.result = None;
        let loc = data.loc;
        let insts = std::mem::take(&mut func.blocks[block].insts);
        // What the reservation is for happens always now.
        for &inst in &insts {
            let data = &mut func.insts[inst];
            if data.op.pipe().is_some() && data.op.predicated() == Some(true) {
                data.op = data.op.with_predicate(false);
                data.args.pop();
            }
        }
        let mut b = Builder::at(func, block);
        b.loc = loc;
        let yes = b.bool(true);
        func.blocks[block].insts.extend(insts);
        let mut map = SecondaryMap::new();
        map[taken] = Some(yes);
        func.blocks[block].term = Terminator::Jump(exit);
        func.substitute(&map);
    }
}

/// A condition without negations, and whether their number is odd.
fn without_not(func: &Function, mut cond: Value) -> (Value, bool) {
    let mut inverted = false;
    while let ValueDef::Inst(i) = func.values[cond].def
        && func.insts[i].op == Op::Not
    {
        cond = func.insts[i].args[0];
        inverted = !inverted;
    }
    (cond, inverted)
}

/// What a selection gives when the reservation has failed.
fn when_failed(func: &Function, value: Value, taken: Value) -> Option<Value> {
    let ValueDef::Inst(i) = func.values[value].def else { return None };
    let data = &func.insts[i];
    if data.op != Op::Select {
        return None;
    }
    let (cond, inverted) = without_not(func, data.args[0]);
    (cond == taken).then(|| data.args[if inverted { 1 } else { 2 }])
}

/// Joins a wait of a block with the read or write behind it, if nothing stands between that others could see.
fn join(func: &mut Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    let mut wait: Option<(Inst, u32)> = None;
    let mut found = None;
    for &inst in insts {
        let data = &func.insts[inst];
        match (data.op.pipe(), wait) {
            (Some((PipeOp::WaitPacket | PipeOp::WaitRoom, arg)), _)
                if data.op.predicated() == Some(false) =>
            {
                wait = Some((inst, arg));
            }
            (Some((op, arg)), Some((first, k)))
                if op.moves() && !op.waits() && arg == k && data.op.predicated() == Some(false) =>
            {
                found = Some((first, inst, Op::Pipe { op: op.waiting(), arg, predicated: false }));
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
