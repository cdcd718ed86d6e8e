//! Loops of one block with overlapping iterations.
//!
//! Iterations enter in order, at least the interval apart, and stay in order. A loop-carried
//! value is in a register that the next iteration reads where it first uses the value; so the
//! register takes the next value when that stands, not before this iteration has read the old
//! one, and in time for the next. Values that go back to the entry hold up the next iteration.

use super::Verifier;
use crate::{Feedback, LoopKind, Moment, Order, PipelinedLoop};
use base::FxHashMap;
use ir::analysis::{Carried, read_params};
use ir::{Block, Function, Inst, Op, Speculation, Terminator, Value};

impl Verifier<'_> {
    pub(super) fn pipelined(&mut self) {
        for (block, p) in &self.s.pipelined {
            let Some(next) = self.looping_block(*block, p) else { continue };
            self.carried(*block, p, &next);
            self.registers(*block, p);
            self.entry_waits(*block, p);
            self.in_order(*block, p);
            self.begins_ahead(*block, p);
            self.reported(*block, p);
        }
        for l in self.s.loops.iter().filter(|l| l.kind == LoopKind::Pipelined) {
            if !self.s.pipelined.contains_key(&l.header) || l.blocks != [l.header] {
                self.fail(None, format!("the loop at {} is no pipelined block", l.header));
            }
        }
    }

    /// The block loops on itself, alone, in a kernel of one work-item; gives the next values of
    /// its parameters.
    fn looping_block(&mut self, block: Block, p: &PipelinedLoop) -> Option<Vec<Value>> {
        let s = self.s;
        if !s.task {
            self.fail(None, format!("iterations at {block} overlap, but work-items do, too"));
        }
        let waits = |i: &ir::Inst| matches!(s.func.insts[*i].op, Op::Barrier(..) | Op::Fence(_));
        if self.insts(block).iter().any(waits) {
            self.fail(None, format!("iterations at {block} overlap over a barrier or fence"));
        }
        let targets = s.func.blocks[block].term.targets();
        let back: Vec<usize> = (0..targets.len()).filter(|k| targets[*k].block == block).collect();
        let branch = matches!(s.func.blocks[block].term, Terminator::Branch { .. });
        let ([back], true) = (back.as_slice(), branch) else {
            self.fail(None, format!("{block} does not loop on itself and leave"));
            return None;
        };
        if p.exit_on_true != (*back == 1) {
            self.fail(None, format!("the loop at {block} leaves on the wrong condition"));
        }
        Some(targets[*back].args.to_vec())
    }

    /// Each parameter that something reads has exactly one way to the next iteration, with its next value; so have those from which others
    /// take theirs, and no others.
    fn carried(&mut self, block: Block, p: &PipelinedLoop, next: &[Value]) {
        let func = &self.s.func;
        let params = &func.blocks[block].params;
        let mut ways: FxHashMap<Value, Vec<(Value, u32)>> = FxHashMap::default();
        for f in &p.feedback {
            ways.entry(f.param).or_default().push((f.next, f.distance));
        }
        for l in &p.late {
            ways.entry(l.param).or_default().push((l.next, 1));
        }
        let carried = Carried::new(func, block);
        let needed = carried
            .needed(read_params(func, block), |v| ways.get(&v).and_then(|w| Some(w.first()?.0)));
        for (param, n) in params.iter().zip(next) {
            let of = ways.remove(param).unwrap_or_default();
            let right = match (of.as_slice(), needed.contains(param)) {
                ([], false) => true,
                ([(next, 1)], true) => next == n,
                ([(next, distance)], true) => {
                    let (chain, end) = carried.taken_over(*param);
                    let at = *distance as usize;
                    chain.get(at).copied().or(end.filter(|_| at == chain.len())) == Some(*next)
                }
                _ => false,
            };
            if !right {
                self.fail(None, format!("{param} does not become {n} in the next iteration"));
            }
        }
        if !ways.is_empty() {
            self.fail(None, format!("the loop at {block} carries what is no parameter"));
        }
    }

    fn registers(&mut self, block: Block, p: &PipelinedLoop) {
        let segments = &self.s.blocks[block].segments;
        let ii = segments.first().map_or(1, |g| g.ii);
        if segments.iter().any(|g| g.ii != ii) {
            self.fail(None, format!("segments of {block} have several intervals"));
        }
        for f in &p.feedback {
            let v = f.param;
            let write = Moment { segment: f.segment, cycle: f.write };
            let inside = segments.get(f.segment as usize).is_some_and(|g| f.write <= g.latency);
            if !inside {
                self.fail(None, format!("the register of {v} is outside of its segment"));
            }
            if self.available(f.next, block).is_some_and(|m| m > write) {
                self.fail(None, format!("the register of {v} takes {} too early", f.next));
            }
            if f.write < f.read {
                self.fail(None, format!("the register of {v} is written before it is read"));
            }
            // In the register from the next cycle on; the iteration `distance` later reads so many times `ii` cycles later.
            if f.write + Feedback::turnaround(f.distance)
                > f.read + Feedback::iterations(f.distance) * ii
            {
                let what = format!("the register of {v} in {block} does not fit interval {ii}");
                self.fail(None, what);
            }
        }
    }

    /// What the entry waits for is told when it stands.
    fn entry_waits(&mut self, block: Block, p: &PipelinedLoop) {
        let segments = &self.s.blocks[block].segments;
        let mut told: Vec<(Value, Moment)> = p.late.iter().map(|l| (l.next, l.known)).collect();
        if let Terminator::Branch { cond, .. } = self.s.func.blocks[block].term {
            told.push((cond, p.condition));
        }
        for (v, at) in told {
            let inside = segments.get(at.segment as usize).is_some_and(|g| at.cycle <= g.latency);
            if !inside || self.available(v, block).is_some_and(|m| m > at) {
                self.fail(None, format!("the entry of {block} is told {v} before it stands"));
            }
        }
    }

    /// Accesses whose order matters are where the gate counts iterations.
    fn in_order(&mut self, block: Block, p: &PipelinedLoop) {
        let Some(o) = p.order else { return };
        let segments = self.s.blocks[block].segments.len() as u32;
        if o.distance == 0 || o.from > o.to || o.to + 1 >= segments {
            self.fail(None, format!("accesses of {block} are in order where there are none"));
        }
    }

    /// Iterations that begin before it is known that there are any do nothing in the end: see [`ir::Speculation::On`].
    fn begins_ahead(&mut self, block: Block, p: &PipelinedLoop) {
        let func = &self.s.func;
        if p.speculated != (func.blocks[block].hint.speculation == Speculation::On) {
            self.fail(None, format!("the loop at {block} and its plan differ about speculation"));
        }
        if !p.speculated {
            return;
        }
        let Some(alive) = alive(func, block).filter(|_| p.exit_on_true && p.late.is_empty()) else {
            return self.fail(None, format!("the loop at {block} does not know who is ahead"));
        };
        for &inst in &func.blocks[block].insts {
            let op = func.insts[inst].op;
            let harmless = matches!(op, Op::Load(f) if !f.volatile) || !op.is_effect();
            if !harmless && !predicated_by(func, inst, alive) {
                self.fail(Some(inst), format!("happens in {block} ahead of the condition"));
            }
        }
    }

    /// Stages between the first and the last of the accesses whose order matters.
    fn stages(&self, block: Block, o: Order) -> u32 {
        let segments = &self.s.blocks[block].segments;
        segments
            .iter()
            .skip(o.from as usize + 1)
            .take(o.to.saturating_sub(o.from) as usize)
            .map(|g| g.latency)
            .sum()
    }

    /// The interval that the user is told is not shorter than the real one.
    fn reported(&mut self, block: Block, p: &PipelinedLoop) {
        let Some(l) = self.s.loops.iter().find(|l| l.header == block && l.blocks == [block]) else {
            return self.fail(None, format!("the loop at {block} is not planned"));
        };
        let whole = !p.late.is_empty() || p.waits_for_memory();
        let least = match whole {
            true => l.latency,
            false if p.speculated => 1,
            false => p.condition.cycle + 1,
        };
        let ordered = p.order.map_or(0, |o| self.stages(block, o) / o.distance.max(1));
        let least = least.max(ordered);
        let segments = self.s.blocks[block].segments.iter().map(|g| g.ii).max().unwrap_or(1);
        if l.kind != LoopKind::Pipelined || l.ii < least.max(segments) {
            self.fail(None, format!("the loop at {block} is slower than interval {}", l.ii));
        }
    }
}

/// The parameter of a block that is 1 in iterations that the program has, if it is what [`ir::Speculation::On`] asks for.
fn alive(func: &Function, block: Block) -> Option<Value> {
    let and = |v: Value| {
        let data = &func.insts[func.def_inst(v)?];
        (data.op == Op::And).then(|| [data.args[0], data.args[1]])
    };
    let inverse = |a: Value, b: Value| {
        let not = |x: Value, y: Value| {
            let Some(i) = func.def_inst(x) else { return false };
            let data = &func.insts[i];
            let one = |v: Value| func.as_const(v) == Some(1);
            data.op == Op::Xor && data.args.contains(&y) && data.args.iter().any(|v| one(*v))
        };
        not(a, b) || not(b, a)
    };
    let Terminator::Branch { cond, .. } = func.blocks[block].term else { return None };
    let (leaving, params) = (and(cond)?, &func.blocks[block].params);
    let is_alive = |place: usize| {
        let alive = params[place];
        let other = |pair: [Value; 2]| if pair[0] == alive { pair[1] } else { pair[0] };
        func.layout.iter().all(|&from| {
            let targets = func.blocks[from].term.targets();
            let mut ways = targets.into_iter().filter(|t| t.block == block).map(|t| t.args[place]);
            ways.all(|given| match from == block {
                true => and(given)
                    .is_some_and(|n| n.contains(&alive) && inverse(other(n), other(leaving))),
                false => func.as_const(given) == Some(1),
            })
        })
    };
    (0..params.len())
        .filter(|k| leaving.contains(&params[*k]))
        .find(|k| is_alive(*k))
        .map(|k| params[k])
}

/// Whether an effect does nothing where `alive` is 0.
fn predicated_by(func: &Function, inst: Inst, alive: Value) -> bool {
    let data = &func.insts[inst];
    let Some(predicate) = data.args.last().filter(|_| data.op.predicated() == Some(true)) else {
        return false;
    };
    let chosen = func.def_inst(*predicate).map(|i| &func.insts[i]).is_some_and(|d| {
        d.op == Op::Select && d.args[0] == alive && func.as_const(d.args[2]) == Some(0)
    });
    chosen || *predicate == alive
}
