//! The shortest interval of a loop with overlapping iterations, as constraints of its segments.
//!
//! A loop-carried value lies in a register that iteration `i` reads at its first use and writes
//! where the next value stands; iteration `i + 1` enters `ii` cycles later. So each reader `u` of
//! a parameter and the operation `w` that computes its next value keep
//! `start[u] + ii >= start[w] + latency[w] + 1`. Where values stand that the loop's entry waits for
//! (its condition, values that go back to it) decides when the next iteration may start: those stay
//! as early as the schedule as soon as possible has them.

use crate::asap::Asap;
use crate::pipelined::{self, Reader};
use crate::problem::{Constraint, Problem, Scheduler};
use crate::timed::InBlock;
use base::FxHashMap;
use ir::{Block, Inst, Terminator, Value};
use schedule::{Bound, Feedback, KernelSchedule, Place};

/// Gives the segments of a block that loops on itself the constraints of its shortest interval, and of the least latency that it needs: a
/// recurrence may have to wait for the next cycle so that it fits into one. Where the next iteration waits for the end of this one, as when
/// they are `sequential`, latency counts and stays. The block must be placed as soon as possible: its interval is
/// the longest that is looked at. Gives what of its accesses it is not shorter for. Node `n` of `problems[k]` is `bodies[k][n]`.
pub fn constrain(
    s: &KernelSchedule,
    block: Block,
    bodies: &[Vec<Inst>],
    problems: &mut [Problem],
    accesses: &InBlock,
    sequential: bool,
) -> Option<Bound> {
    let limit = |problems: &mut [Problem], latencies: Vec<u32>| {
        problems.iter_mut().zip(latencies).for_each(|(p, l)| p.most_latency = Some(l));
    };
    let as_it_is =
        || -> Vec<u32> { s.blocks[block].segments.iter().map(|segment| segment.latency).collect() };
    let rules = Rules::new(s, block, bodies);
    if sequential || rules.as_ref().is_none_or(|(r, _)| r.waits_for_end) {
        limit(problems, as_it_is());
    }
    let (rules, most) = rules?;
    let (in_turn, at_ports) = (true, true);
    let fits = |ii: u32, in_turn: bool, at_ports: bool| -> Option<Vec<u32>> {
        let mut trial = problems.to_vec();
        rules.add(&mut trial, ii, in_turn);
        if at_ports && !accesses.interleave(s, &mut trial, ii) {
            return None;
        }
        trial.iter().map(|p| Asap.solve(p).map(|s| s.latency)).collect()
    };
    let solve = |ii: u32| fits(ii, in_turn, at_ports);
    let (mut low, mut high) = (rules.least, most);
    while low < high {
        let middle = low + (high - low) / 2;
        match solve(middle) {
            Some(_) => high = middle,
            None => low = middle + 1,
        }
    }
    // As it is, it has the longest interval that was looked at.
    let latencies = solve(high).unwrap_or_else(as_it_is);
    let shorter = |in_turn: bool, at_ports: bool| {
        high > rules.least && fits(high - 1, in_turn, at_ports).is_some()
    };
    let bound = match (shorter(in_turn, !at_ports), shorter(!in_turn, !at_ports)) {
        (true, _) => Some(Bound::Ports),
        (false, true) => {
            let shortest = (rules.least..high).find(|ii| fits(*ii, !in_turn, !at_ports).is_some());
            Some(Bound::Turns { otherwise: shortest.unwrap_or(high) })
        }
        (false, false) => None,
    };
    limit(problems, latencies);
    rules.add(problems, high, in_turn);
    accesses.interleave(s, problems, high);
    bound
}

/// A node of a segment.
#[derive(Clone, Copy)]
struct NodeAt {
    segment: usize,
    node: u32,
    /// Its latency.
    latency: u32,
    /// Its starting cycle as soon as possible.
    start: u32,
}

/// The register of a recurrence: who computes the value, a reader in the same segment, and how many iterations later that reads.
struct Register {
    writer: NodeAt,
    reader: u32,
    distance: u32,
}

impl Register {
    /// Cycles from the start of the operation that computes the value to the first in which the reader has it.
    fn way(&self) -> u32 {
        self.writer.latency + Feedback::turnaround(self.distance)
    }
}

/// What the recurrences of a block ask of its segments.
struct Rules {
    /// Least interval to look at.
    least: u32,
    /// The registers of recurrences.
    registers: Vec<Register>,
    /// Accesses of which one must come behind the other one of so many iterations before.
    turns: Vec<(NodeAt, u32, u32)>,
    /// The node of the condition, if it is in the first segment.
    condition: Option<NodeAt>,
    /// Nodes that stay where they are.
    pinned: Vec<NodeAt>,
    /// Whether the next iteration needs something that only the end of this one brings.
    waits_for_end: bool,
}

impl Rules {
    /// The rules, and the interval as it is.
    fn new(s: &KernelSchedule, block: Block, bodies: &[Vec<Inst>]) -> Option<(Self, u32)> {
        let plan = pipelined::plan_block(s, block)?;
        let distant = plan.feedback.iter().filter(|f| f.distance > 1);
        let distant = distant.map(|f| (f.param, (f.next, f.distance))).collect();
        let readers = pipelined::readers(&s.func, block, &distant);
        let nodes = nodes(s, bodies);
        let node = |v: Value| s.func.def_inst(v).and_then(|i| nodes.get(&i).copied());
        let waits_for_end = !plan.late.is_empty() || plan.waits_for_memory();
        let (registers, pinned) = (vec![], vec![]);
        let turns = vec![];
        let mut rules =
            Rules { least: 1, registers, turns, condition: None, pinned, waits_for_end };
        for f in &plan.feedback {
            let Some(writer) = node(f.next).filter(|w| w.segment == f.segment as usize) else {
                continue;
            };
            for reader in &readers[&f.param] {
                // Another segment, or the end of this one: never too early.
                let Reader::Inst(i) = reader else { continue };
                if let Some(u) = nodes.get(i).filter(|u| u.segment == writer.segment) {
                    let (reader, distance) = (u.node, f.distance);
                    rules.registers.push(Register { writer, reader, distance });
                }
            }
        }
        // Where these stand decides when the next iteration starts.
        let mut pin = |v: Value| match (node(v), readers.get(&v)) {
            (Some(n), _) => rules.pinned.push(n),
            (None, Some(list)) => rules.pinned.extend(list.iter().filter_map(|r| match r {
                Reader::Inst(i) => nodes.get(i).copied(),
                _ => None,
            })),
            (None, None) => {}
        };
        plan.late.iter().for_each(|l| pin(l.next));
        if let Terminator::Branch { cond, .. } = s.func.blocks[block].term
            && !plan.speculated
        {
            match node(cond).filter(|n| n.segment == 0) {
                Some(n) => rules.condition = Some(n),
                None => pin(cond),
            }
        }
        let condition =
            (!plan.speculated && plan.condition.segment == 0).then_some(plan.condition.cycle + 1);
        rules.least = condition.unwrap_or(1);
        let at = |inst: Inst| nodes.get(&inst).copied();
        let turns = s.in_turn.iter().filter(|t| !t.held).filter_map(|t| {
            let (first, second) = (at(t.first)?, at(t.second)?);
            (first.segment == second.segment).then_some((first, second.node, t.distance))
        });
        rules.turns = turns.collect();
        Some((rules, pipelined::own_interval(s, block, &plan)))
    }

    /// Adds the constraints for an interval of at least `least`, those of accesses if they are to be `in_turn`.
    fn add(&self, problems: &mut [Problem], ii: u32, in_turn: bool) {
        for r in &self.registers {
            let (w, later) = (r.writer, Feedback::iterations(r.distance) * ii);
            let distance = i64::from(r.way()) - i64::from(later);
            let constraint = Constraint { from: w.node, to: r.reader, distance };
            problems[w.segment].constraints.push(constraint);
        }
        for &(first, second, iterations) in self.turns.iter().filter(|_| in_turn) {
            let distance = 1 - i64::from(iterations) * i64::from(ii);
            let constraint = Constraint { from: first.node, to: second, distance };
            problems[first.segment].constraints.push(constraint);
        }
        if let Some(c) = self.condition {
            problems[0].deadlines.push((c.node, (ii - 1).saturating_sub(c.latency)));
        }
        for n in &self.pinned {
            problems[n.segment].deadlines.push((n.node, n.start));
        }
    }
}

/// The nodes of the instructions in segments.
fn nodes(s: &KernelSchedule, bodies: &[Vec<Inst>]) -> FxHashMap<Inst, NodeAt> {
    let mut out = FxHashMap::default();
    for (segment, body) in bodies.iter().enumerate() {
        for (k, &inst) in body.iter().enumerate() {
            if let Some(Place::Segment { cycle: start, .. }) = s.place[inst] {
                let (node, latency) = (k as u32, s.timing[inst].latency);
                out.insert(inst, NodeAt { segment, node, latency, start });
            }
        }
    }
    out
}
