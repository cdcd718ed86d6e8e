//! Scheduling as a system of difference constraints: fewest register bits.
//!
//! Every rule of a region is a lower bound on the difference of two integer variables (starting
//! cycles, last uses), so the linear program that minimises register bits has an integral optimum
//! and is the dual of a minimum-cost flow (Cong and Zhang, DAC 2006). The clock period becomes
//! such rows too: operations too far apart to share a cycle start at least one cycle apart.

use crate::asap::Asap;
use crate::network_simplex::{self, Basis, Row};
use crate::problem::{self, Problem, Scheduler, Solution};
use base::IndexMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes above which a region is scheduled as soon as possible: time grows faster than linearly.
const MAX_NODES: usize = 10_000;
/// The variable that is 0: the region's entry.
const ENTRY: u32 = 0;
/// The region's exit.
const EXIT: u32 = 1;

/// Fewest register bits in the latency of the as-soon-as-possible schedule.
pub struct Sdc;

impl Scheduler for Sdc {
    fn name(&self) -> &'static str {
        "sdc"
    }

    fn solve(&self, problem: &Problem) -> Option<Solution> {
        self.solve_from(problem, &mut None)
    }

    fn solve_from(&self, problem: &Problem, basis: &mut Option<Basis>) -> Option<Solution> {
        let asap = Asap.solve(problem)?;
        // Without a register stage there is nothing to choose.
        if asap.latency == 0 {
            return Some(asap);
        }
        let better = optimum(problem, asap.latency, basis).filter(|s| {
            problem::check(problem, s).is_ok()
                && problem::register_bits(problem, s) <= problem::register_bits(problem, &asap)
        });
        Some(better.unwrap_or(asap))
    }

    fn keeps_timing(&self) -> bool {
        true
    }

    fn most_nodes(&self) -> usize {
        MAX_NODES
    }
}

/// The optimum for a given latency; none if there is no schedule of it.
fn optimum(problem: &Problem, latency: u32, basis: &mut Option<Basis>) -> Option<Solution> {
    let mut program = Program::new(problem.nodes.len());
    program.rules(problem, latency);
    program.lifetimes(problem);
    let (values, end) =
        network_simplex::minimise_from(&program.weights, &program.rows, basis.as_ref())?;
    *basis = Some(end);
    let holds = |r: &Row| values[r.to as usize] - values[r.from as usize] >= r.distance;
    if !program.rows.iter().all(holds) {
        return None;
    }
    let start = (0..problem.nodes.len())
        .map(|k| u32::try_from(values[variable(k) as usize]).ok())
        .collect::<Option<Vec<u32>>>()?;
    Some(Solution { start, latency })
}

/// Variable of a node's starting cycle.
fn variable(node: usize) -> u32 {
    node as u32 + 2
}

/// The linear program: rows and the weight of each variable in the sum to be minimised.
struct Program {
    weights: Vec<i64>,
    rows: Vec<Row>,
}

impl Program {
    fn new(nodes: usize) -> Self {
        Program { weights: vec![0; nodes + 2], rows: vec![] }
    }

    fn row(&mut self, from: u32, to: u32, distance: i64) {
        self.rows.push(Row { from, to, distance });
    }

    /// Dependences, clock period, the problem's own constraints, latency.
    fn rules(&mut self, problem: &Problem, latency: u32) {
        let mut used = vec![false; problem.nodes.len()];
        for (k, node) in problem.nodes.iter().enumerate() {
            for &o in &node.operands {
                let ready = i64::from(problem.nodes[o as usize].timing.latency);
                self.row(variable(o as usize), variable(k), ready);
                used[o as usize] = true;
            }
            // Between entry and exit, along the dependences.
            if node.operands.is_empty() {
                self.row(ENTRY, variable(k), 0);
            }
        }
        for (k, node) in problem.nodes.iter().enumerate().filter(|(k, _)| !used[*k]) {
            self.row(variable(k), EXIT, i64::from(node.timing.latency));
        }
        chaining(problem, |from, to| {
            let ready = i64::from(problem.nodes[from].timing.latency);
            self.row(variable(from), variable(to), ready + 1);
        });
        for c in &problem.constraints {
            self.row(variable(c.from as usize), variable(c.to as usize), c.distance);
        }
        for &(node, cycle) in &problem.deadlines {
            self.row(variable(node as usize), ENTRY, -i64::from(cycle));
        }
        for &(node, cycle) in &problem.releases {
            self.row(ENTRY, variable(node as usize), cycle.into());
        }
        self.row(ENTRY, EXIT, i64::from(latency));
        self.row(EXIT, ENTRY, -i64::from(latency));
    }

    /// A value's registers go from where it stands to its last use.
    fn lifetimes(&mut self, problem: &Problem) {
        for (k, users) in users(problem).into_iter().enumerate() {
            let node = &problem.nodes[k];
            if node.bits == 0 {
                continue;
            }
            let last = if node.leaves { Some(EXIT) } else { self.last(&users) };
            self.kept(node.bits, variable(k), last);
        }
        // Inputs of the same users end together.
        let mut inputs: IndexMap<&[u32], u32> = IndexMap::default();
        for input in &problem.inputs {
            *inputs.entry(&input.users).or_default() += input.bits;
        }
        for (users, bits) in inputs {
            let last = self.last(users);
            self.kept(bits, ENTRY, last);
        }
    }

    /// A variable that is at least as late as each of some nodes: its own if they are several.
    fn last(&mut self, users: &[u32]) -> Option<u32> {
        if let [user] = users {
            return Some(variable(*user as usize));
        }
        users.first()?;
        let last = self.weights.len() as u32;
        self.weights.push(0);
        for &user in users {
            self.row(variable(user as usize), last, 0);
        }
        Some(last)
    }

    /// `bits` are kept from one variable to another.
    fn kept(&mut self, bits: u32, from: u32, to: Option<u32>) {
        let Some(to) = to else { return };
        self.weights[to as usize] += i64::from(bits);
        self.weights[from as usize] -= i64::from(bits);
    }
}

/// Users of each node, each named once.
fn users(problem: &Problem) -> Vec<Vec<u32>> {
    let mut users: Vec<Vec<u32>> = vec![vec![]; problem.nodes.len()];
    for (k, node) in problem.nodes.iter().enumerate() {
        for &o in &node.operands {
            // An operand may be named twice.
            if users[o as usize].last() != Some(&(k as u32)) {
                users[o as usize].push(k as u32);
            }
        }
    }
    users
}

/// Calls `apart(i, k)` for each node `i` and each `k` at the frontier of what its result reaches
/// within a cycle: `k` does not fit behind `i`, but all nodes on a path between them do. Nodes
/// behind the frontier need no row of their own.
fn chaining(problem: &Problem, mut apart: impl FnMut(usize, usize)) {
    let users = users(problem);
    // Arrival of the longest path from `i`, in nodes of `queue`.
    let mut arrival = vec![f64::NEG_INFINITY; problem.nodes.len()];
    let mut queue: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    for i in 0..problem.nodes.len() {
        // Nodes whose result goes on in the same cycle, and when it stands.
        let mut through = Some((i, problem.nodes[i].timing.done_ns(0.0)));
        loop {
            if let Some((from, at)) = through.take() {
                for &u in &users[from] {
                    let a = &mut arrival[u as usize];
                    if *a == f64::NEG_INFINITY {
                        queue.push(Reverse(u));
                    }
                    *a = a.max(at);
                }
            }
            // Operands stand before users: the arrival of the first is final.
            let Some(Reverse(k)) = queue.pop() else { break };
            let k = k as usize;
            let begin = std::mem::replace(&mut arrival[k], f64::NEG_INFINITY);
            let t = problem.nodes[k].timing;
            if begin > 0.0 && t.start_ns(begin) + t.input_ns > problem.budget_ns {
                apart(i, k);
            } else if t.latency == 0 {
                through = Some((k, t.done_ns(begin)));
            }
        }
    }
}
