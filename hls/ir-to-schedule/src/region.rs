//! Turns a list of instructions into a scheduling problem and runs the solver on it.

use crate::problem::{self, Constraint, Node, Problem, Scheduler, Solution};
use base::entity::SecondaryMap;
use base::{Diagnostic, FxHashMap, Result};
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
    pub fn problem(&self, clock: Clock, constraints: Vec<Constraint>) -> Problem {
        let mut index: FxHashMap<Value, u32> = FxHashMap::default();
        let mut last_use: FxHashMap<Value, usize> = FxHashMap::default();
        for (k, &inst) in self.insts.iter().enumerate() {
            if let Some(r) = self.func.insts[inst].result {
                index.insert(r, k as u32);
            }
            for &a in &self.func.insts[inst].args {
                last_use.insert(a, k);
            }
        }
        let nodes = self
            .insts
            .iter()
            .enumerate()
            .map(|(k, &inst)| {
                let data = &self.func.insts[inst];
                let mut operands: Vec<u32> =
                    data.args.iter().filter_map(|a| index.get(a).copied()).collect();
                operands.sort();
                operands.dedup();
                let mut outside: Vec<Value> = data
                    .args
                    .iter()
                    .copied()
                    .filter(|a| !index.contains_key(a) && last_use.get(a) == Some(&k))
                    .filter(|a| !(self.free)(*a) && !(self.leaves)(*a))
                    .collect();
                outside.sort();
                outside.dedup();
                Node {
                    timing: self.timing[inst],
                    bits: data.result.map_or(0, |r| self.func.bits(r)),
                    operands,
                    leaves: data.result.is_some_and(|r| (self.leaves)(r)),
                    input_bits: outside.iter().map(|a| self.func.bits(*a)).sum(),
                }
            })
            .collect();
        let budget_ns = clock.period_ns - clock.overhead_ns;
        Problem { nodes, constraints, deadlines: vec![], budget_ns }
    }
}

/// Runs the solver and checks its answer.
pub fn run(scheduler: &dyn Scheduler, problem: &Problem, what: &str) -> Result<Solution> {
    let Some(solution) = scheduler.solve(problem) else {
        let text = format!("the {} scheduler finds no schedule for {what}", scheduler.name());
        return Err(Diagnostic::error("E0005", text).into());
    };
    if let Err(e) = problem::check(problem, &solution) {
        let text = format!("the {} scheduler's answer for {what} is wrong: {e}", scheduler.name());
        return Err(Diagnostic::error("E0005", text).into());
    }
    Ok(solution)
}
