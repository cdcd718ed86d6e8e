//! Turns a list of instructions into a scheduling problem and runs the solver on it.

use crate::asap::Asap;
use crate::problem::{self, Input, Node, Problem, Scheduler, Solution};
use base::entity::SecondaryMap;
use base::{Diagnostic, FxHashMap, IndexMap, Result};
use ir::{Function, Inst, Value};
use schedule::{Clock, OpTiming};

/// A region: pure instructions in topological order.
pub struct Region<'a> {
    /// The function.
    pub func: &'a Function,
    /// Timing of each instruction.
    pub timing: &'a SecondaryMap<Inst, OpTiming>,
    /// The instructions.
    pub insts: &'a [Inst],
    /// Whether a value is needed after the region.
    pub leaves: &'a dyn Fn(Value) -> bool,
    /// Whether an operand is free to keep (launch-uniform).
    pub free: &'a dyn Fn(Value) -> bool,
}

impl Region<'_> {
    /// The problem, with node `k` for instruction `k`.
    pub fn problem(&self, clock: Clock) -> Problem {
        let mut index: FxHashMap<Value, u32> = FxHashMap::default();
        for (k, &inst) in self.insts.iter().enumerate() {
            if let Some(r) = self.func.insts[inst].result {
                index.insert(r, k as u32);
            }
        }
        let mut nodes = vec![];
        let mut outside: IndexMap<Value, Vec<u32>> = IndexMap::default();
        for (k, &inst) in self.insts.iter().enumerate() {
            let data = &self.func.insts[inst];
            let mut operands = vec![];
            for a in &data.args {
                match index.get(a) {
                    Some(o) => operands.push(*o),
                    None if (self.free)(*a) || (self.leaves)(*a) => {}
                    None => outside.entry(*a).or_default().push(k as u32),
                }
            }
            operands.sort();
            operands.dedup();
            nodes.push(Node {
                timing: self.timing[inst],
                bits: data.result.map_or(0, |r| self.func.bits(r)),
                operands,
                leaves: data.result.is_some_and(|r| (self.leaves)(r)),
            });
        }
        let inputs = outside.into_iter().map(|(v, mut users)| {
            users.dedup();
            Input { bits: self.func.bits(v), users }
        });
        let budget_ns = clock.period_ns - clock.overhead_ns;
        Problem { nodes, inputs: inputs.collect(), budget_ns, ..Default::default() }
    }
}

/// A region's schedule.
pub struct Scheduled {
    /// Cycles.
    pub solution: Solution,
    /// The region is too large for the scheduler and was scheduled as soon as possible.
    pub too_large: bool,
}

impl Scheduled {
    /// What the report says of a region that was too large.
    pub fn note(&self, what: &str, nodes: usize, scheduler: &dyn Scheduler) -> Option<String> {
        self.too_large.then(|| {
            format!(
                "{what} has {nodes} operations, more than the {} that the {} scheduler takes: \
                 it is scheduled as soon as possible and may have more registers than it needs",
                scheduler.most_nodes(),
                scheduler.name()
            )
        })
    }
}

/// Runs the solver and checks its answer.
pub fn run(scheduler: &dyn Scheduler, problem: &Problem, what: &str) -> Result<Scheduled> {
    let too_large = problem.nodes.len() > scheduler.most_nodes();
    let scheduler = if too_large { &Asap } else { scheduler };
    let Some(solution) = scheduler.solve(problem) else {
        let text = format!("the {} scheduler finds no schedule for {what}", scheduler.name());
        return Err(Diagnostic::error("E0005", text).into());
    };
    if let Err(e) = problem::check(problem, &solution) {
        let text = format!("the {} scheduler's answer for {what} is wrong: {e}", scheduler.name());
        return Err(Diagnostic::error("E0005", text).into());
    }
    Ok(Scheduled { solution, too_large })
}
