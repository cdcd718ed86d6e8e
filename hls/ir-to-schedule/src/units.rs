//! Operator units: float arithmetic and integer division, expanded and pipelined once each.

use crate::problem::Scheduler;
use crate::region::{self, Region};
use crate::{expand, problem, timing};
use arith::Operator;
use base::entity::{PrimaryMap, SecondaryMap};
use base::{Diagnostic, IndexMap, Result};
use ir::{Function, Inst, Op, Terminator, Value};
use schedule::{Clock, OpTiming, Place, Unit, UnitId};
use target::Family;

/// The units of a kernel, made on demand.
pub struct Units<'a> {
    family: &'a Family,
    clock: Clock,
    scheduler: &'a dyn Scheduler,
    ids: IndexMap<Operator, UnitId>,
    units: PrimaryMap<UnitId, Unit>,
}

impl<'a> Units<'a> {
    /// No unit yet.
    pub fn new(family: &'a Family, clock: Clock, scheduler: &'a dyn Scheduler) -> Self {
        Units { family, clock, scheduler, ids: IndexMap::default(), units: PrimaryMap::new() }
    }

    /// The unit that computes an instruction; none for operations that are hardware themselves.
    pub fn unit_of(&mut self, func: &Function, inst: Inst) -> Result<Option<(UnitId, OpTiming)>> {
        let data = &func.insts[inst];
        let division = matches!(data.op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem);
        if !division && !data.op.is_float_unit() {
            return Ok(None);
        }
        let result = data.result.map_or(ir::Type::BOOL, |r| func.ty(r));
        let Some(operator) = Operator::from_ir(data.op, func.ty(data.args[0]), result) else {
            return Err(Diagnostic::error(
                "E0301",
                format!("no hardware for {:?} on {result}", data.op),
            )
            .at(data.loc)
            .note("this operation is part of the numerics milestone")
            .into());
        };
        let id = match self.ids.get(&operator) {
            Some(id) => *id,
            None => {
                let unit = self.make(operator)?;
                let id = self.units.push(unit);
                self.ids.insert(operator, id);
                id
            }
        };
        Ok(Some((id, self.units[id].timing)))
    }

    fn make(&self, operator: Operator) -> Result<Unit> {
        let mut func = arith::build_function(operator, 64);
        expand::datapath(&mut func, self.family);
        let block = func.entry();
        let outputs: Vec<Value> = match func.blocks[block].term {
            Terminator::Return(Some(v)) => vec![v],
            _ => vec![],
        };
        let insts: Vec<Inst> = func.blocks[block].insts.clone();
        let mut timing_of: SecondaryMap<Inst, OpTiming> = SecondaryMap::new();
        let mut place: SecondaryMap<Inst, Option<Place>> = SecondaryMap::new();
        let mut body = vec![];
        for &inst in &insts {
            if matches!(func.insts[inst].op, Op::Const(_)) {
                place[inst] = Some(Place::Static);
            } else {
                timing_of[inst] = timing::op_timing(&func, inst, self.family);
                body.push(inst);
            }
        }
        let is_const = |v: Value| func.as_const(v).is_some();
        let leaves = |v: Value| outputs.contains(&v);
        let r = Region {
            func: &func,
            timing: &timing_of,
            insts: &body,
            leaves: &leaves,
            free: &is_const,
        };
        let problem = r.problem(self.clock, vec![]);
        let name = operator.to_string();
        let solution = region::run(self.scheduler, &problem, &format!("unit {name}"))?;
        for (k, &inst) in body.iter().enumerate() {
            place[inst] = Some(Place::Segment { segment: 0, cycle: solution.start[k] });
        }
        let border = border_timing(&problem, &solution);
        Ok(Unit { name, outputs, place, inst_timing: timing_of, timing: border, func })
    }

    /// All units made.
    pub fn finish(self) -> PrimaryMap<UnitId, Unit> {
        self.units
    }
}

/// Latency of a scheduled region and the longest paths from its inputs and to its outputs.
fn border_timing(p: &problem::Problem, s: &problem::Solution) -> OpTiming {
    let arrival = problem::arrivals(p, &s.start);
    let mut input: f64 = 0.0;
    let mut output: f64 = 0.0;
    for (k, node) in p.nodes.iter().enumerate() {
        let end = s.start[k] + node.timing.latency;
        if node.leaves && end == s.latency {
            output = output.max(arrival[k]);
        }
        if s.start[k] == 0 {
            // Arrival at the node's own first register or at the end of its logic.
            let begin = arrival[k] - node.timing.output_ns;
            let through = if node.timing.latency == 0 { arrival[k] } else { node.timing.input_ns };
            input = input.max(through.max(begin));
        }
    }
    if s.latency == 0 {
        let ns = input.max(output);
        return OpTiming::combinational(ns);
    }
    OpTiming { latency: s.latency, input_ns: input, output_ns: output }
}
