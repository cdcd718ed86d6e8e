//! The scheduling problem of one straight-line region, and the interface of its solvers.

use crate::network_simplex::Basis;
use schedule::OpTiming;

/// An operation of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Latency and border delays.
    pub timing: OpTiming,
    /// Bits of the result, for the cost of pipeline registers (0 = no result).
    pub bits: u32,
    /// Operands computed in the region, as indices of earlier nodes.
    pub operands: Vec<u32>,
    /// Whether the result must stand at the region's end (it leaves with the token).
    pub leaves: bool,
}

/// A value that comes in with the token and is needed inside the region only: it is kept in
/// registers from the entry until the last of its users starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its width in bits.
    pub bits: u32,
    /// Nodes that use it, each named once; at least one.
    pub users: Vec<u32>,
}

/// `start[to] >= start[from] + distance`, beyond data dependences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Node that comes first.
    pub from: u32,
    /// Node that comes later.
    pub to: u32,
    /// Cycles between their starts (may be negative).
    pub distance: i64,
}

/// A region: nodes in topological order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Operations, operands before users.
    pub nodes: Vec<Node>,
    /// Values that come in.
    pub inputs: Vec<Input>,
    /// Further constraints.
    pub constraints: Vec<Constraint>,
    /// Nodes that must start at the latest in a given cycle: (node, cycle).
    pub deadlines: Vec<(u32, u32)>,
    /// Nodes that must not start before a given cycle: (node, cycle).
    pub releases: Vec<(u32, u32)>,
    /// Most register stages from entry to exit, where they are limited.
    pub most_latency: Option<u32>,
    /// Time for logic between two registers, ns: the clock period less flip-flop overhead.
    pub budget_ns: f64,
}

impl Problem {
    /// What leaves the region passes an operation on its way: one more node, behind all others.
    pub fn leave_through(&mut self, timing: OpTiming) {
        let leaves = |k: &u32| self.nodes[*k as usize].leaves;
        let operands: Vec<u32> = (0..self.nodes.len() as u32).filter(leaves).collect();
        if !operands.is_empty() {
            self.nodes.push(Node { timing, bits: 0, operands, leaves: false });
        }
    }
}

/// Starting cycle of each node, and the region's length.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Solution {
    /// Starting cycle of each node.
    pub start: Vec<u32>,
    /// Register stages from entry to exit.
    pub latency: u32,
}

/// A solver. It may fail only for contradictory constraints, deadlines and lengths.
pub trait Scheduler {
    /// Name in reports and on the command line.
    fn name(&self) -> &'static str;
    /// Finds starting cycles that satisfy `check`.
    fn solve(&self, problem: &Problem) -> Option<Solution>;
    /// As [`Scheduler::solve`], from where the solver ended for a problem with the same nodes and operands, and keeps where it ends
    /// now. What is found is as good.
    fn solve_from(&self, problem: &Problem, basis: &mut Option<Basis>) -> Option<Solution> {
        let _ = basis;
        self.solve(problem)
    }
    /// Whether it keeps what the schedule as soon as possible gives: it is then told, as
    /// constraints, the shortest intervals of loops and the delays at the borders of units.
    /// Otherwise both are what its schedule makes them.
    fn keeps_timing(&self) -> bool {
        false
    }
    /// Nodes of a region above which it is scheduled as soon as possible instead.
    fn most_nodes(&self) -> usize {
        usize::MAX
    }
}

/// Arrival time in ns of each node's result within the cycle in which it stands, for given
/// starting cycles.
pub fn arrivals(problem: &Problem, start: &[u32]) -> Vec<f64> {
    let mut out = vec![0.0; problem.nodes.len()];
    for (k, node) in problem.nodes.iter().enumerate() {
        let begin = begin_ns(problem, start, &out, k);
        out[k] = node.timing.done_ns(begin);
    }
    out
}

/// When in its starting cycle those operands of node `k` that are computed in the region have arrived, ns.
pub(crate) fn begin_ns(problem: &Problem, start: &[u32], arrival: &[f64], k: usize) -> f64 {
    let node = &problem.nodes[k];
    node.operands
        .iter()
        .map(|&o| o as usize)
        .filter(|&o| start[o] + problem.nodes[o].timing.latency == start[k])
        .fold(0.0, |x: f64, o| x.max(arrival[o]))
}

/// Whether a solution keeps dependences, constraints and the clock period. An operation alone
/// in its cycle may exceed the period: nothing can be done about it here.
pub fn check(problem: &Problem, solution: &Solution) -> Result<(), String> {
    let start = &solution.start;
    if start.len() != problem.nodes.len() {
        return Err("a node has no starting cycle".into());
    }
    let arrival = arrivals(problem, start);
    for (k, node) in problem.nodes.iter().enumerate() {
        for &o in &node.operands {
            if start[o as usize] + problem.nodes[o as usize].timing.latency > start[k] {
                return Err(format!("node {k} starts before its operand {o} stands"));
            }
        }
        let begin = begin_ns(problem, start, &arrival, k);
        let t = node.timing;
        if begin > 0.0 && t.start_ns(begin) + t.input_ns > problem.budget_ns + 1e-6 {
            return Err(format!("node {k} misses the clock period"));
        }
        if start[k] + node.timing.latency > solution.latency {
            return Err(format!("node {k} ends after the region"));
        }
    }
    for c in &problem.constraints {
        if i64::from(start[c.to as usize]) < i64::from(start[c.from as usize]) + c.distance {
            return Err(format!("constraint {} -> {} is broken", c.from, c.to));
        }
    }
    if problem.most_latency.is_some_and(|most| solution.latency > most) {
        return Err(format!("the region takes {} cycles", solution.latency));
    }
    for &(node, cycle) in &problem.deadlines {
        if start[node as usize] > cycle {
            return Err(format!("node {node} starts after cycle {cycle}"));
        }
    }
    for &(node, cycle) in &problem.releases {
        if start[node as usize] < cycle {
            return Err(format!("node {node} starts before cycle {cycle}"));
        }
    }
    Ok(())
}

/// Pipeline register bits of a solution: each result is kept from when it stands until its last
/// use, results that leave until the end; values that come in from the entry on.
pub fn register_bits(problem: &Problem, solution: &Solution) -> u64 {
    let ready = |k: usize| solution.start[k] + problem.nodes[k].timing.latency;
    let mut last: Vec<u32> = (0..problem.nodes.len())
        .map(|k| if problem.nodes[k].leaves { solution.latency } else { ready(k) })
        .collect();
    for (k, node) in problem.nodes.iter().enumerate() {
        for &o in &node.operands {
            last[o as usize] = last[o as usize].max(solution.start[k]);
        }
    }
    let kept = |bits: u32, cycles: u32| u64::from(bits) * u64::from(cycles);
    let results: u64 =
        problem.nodes.iter().enumerate().map(|(k, n)| kept(n.bits, last[k] - ready(k))).sum();
    let until = |i: &Input| i.users.iter().map(|u| solution.start[*u as usize]).max().unwrap_or(0);
    results + problem.inputs.iter().map(|i| kept(i.bits, until(i))).sum::<u64>()
}
