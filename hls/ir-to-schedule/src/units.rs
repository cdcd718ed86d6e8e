//! Operator units: float arithmetic and integer division, expanded and scheduled once each.

use crate::problem::{self, Constraint, Input, Node, Problem, Scheduler, Solution};
use crate::region::{self, Region};
use crate::{Asap, bind, expand, sharing, timing, turns};
use arith::Operator;
use base::entity::{PrimaryMap, SecondaryMap};
use base::{Diagnostic, IndexMap, Result};
use ir::{Function, Inst, Op, Terminator, Value};
use schedule::{Clock, KernelSchedule, OpTiming, Place, Unit, UnitId};
use target::Family;

/// What sums of delays may differ by when they are added in another order, ns.
const ROUNDING_NS: f64 = 1e-9;

/// The units of a kernel, made on demand.
pub struct Units<'a> {
    pub(crate) family: &'a Family,
    pub(crate) clock: Clock,
    pub(crate) scheduler: &'a dyn Scheduler,
    ids: IndexMap<Operator, UnitId>,
    operators: SecondaryMap<UnitId, Option<Operator>>,
    /// Forms of an operator that are loops.
    turning: IndexMap<Operator, Vec<UnitId>>,
    /// Forms of a pipeline whose products share multipliers, by the cycles between operands.
    sharing: IndexMap<(UnitId, u32), Option<UnitId>>,
    units: PrimaryMap<UnitId, Unit>,
    notes: Vec<String>,
}

impl<'a> Units<'a> {
    /// No unit yet.
    pub fn new(family: &'a Family, clock: Clock, scheduler: &'a dyn Scheduler) -> Self {
        Units {
            family,
            clock,
            scheduler,
            ids: IndexMap::default(),
            operators: SecondaryMap::new(),
            turning: IndexMap::default(),
            sharing: IndexMap::default(),
            units: PrimaryMap::new(),
            notes: vec![],
        }
    }

    /// The unit that computes an instruction, as a pipeline; none for operations that are hardware themselves.
    pub fn unit_of(&mut self, func: &Function, inst: Inst) -> Result<Option<(UnitId, OpTiming)>> {
        let data = &func.insts[inst];
        let division = matches!(data.op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem);
        if !division && !data.op.is_float_unit() {
            return Ok(None);
        }
        let result = data.result.map_or(ir::Type::BOOL, |r| func.ty(r));
        let Some(operator) = Operator::from_ir(data.op, func.ty(data.args[0]), result) else {
            let (name, of) = (ir::print::op_name(data.op), func.ty(data.args[0]));
            return Err(Diagnostic::error(
                "E0404",
                format!("there is no hardware for `{name}` of {of}"),
            )
            .at(data.loc)
            .note("it comes with the numerics milestone")
            .into());
        };
        let id = match self.ids.get(&operator) {
            Some(id) => *id,
            None => {
                let unit = self.make(operator)?;
                let id = self.units.push(unit);
                self.operators[id] = Some(operator);
                self.ids.insert(operator, id);
                id
            }
        };
        Ok(Some((id, self.units[id].timing)))
    }

    /// A unit.
    pub fn get(&self, id: UnitId) -> &Unit {
        &self.units[id]
    }

    /// Whether a unit is a division or a root.
    pub fn is_recurrence(&self, id: UnitId) -> bool {
        self.operators[id].is_some_and(|op| op.is_recurrence())
    }

    /// The forms of the operator of a pipeline that are loops and worth it: the smallest first, each faster than the one before.
    /// Only divisions and roots have some.
    pub fn turning(&mut self, pipeline: UnitId) -> Result<Vec<UnitId>> {
        let Some(operator) = self.operators[pipeline] else { return Ok(vec![]) };
        if let Some(known) = self.turning.get(&operator) {
            return Ok(known.clone());
        }
        let most = turns::WORTH * turns::cost(&self.units[pipeline], self.family);
        let mut forms: Vec<UnitId> = vec![];
        for unit in turns::units(self, operator)? {
            let faster = forms.last().is_none_or(|f| self.units[*f].interval() > unit.interval());
            if faster && turns::cost(&unit, self.family) <= most {
                let id = self.units.push(unit);
                self.operators[id] = Some(operator);
                forms.push(id);
            }
        }
        self.turning.insert(operator, forms.clone());
        Ok(forms)
    }

    /// The form of a pipeline that takes operands every `interval` cycles and multiplies with as few tiles as that allows; none
    /// if it would not be smaller.
    pub fn sharing(&mut self, pipeline: UnitId, interval: u32) -> Result<Option<UnitId>> {
        if let Some(known) = self.sharing.get(&(pipeline, interval)) {
            return Ok(*known);
        }
        let form = match self.units[pipeline].interval() {
            1 => self.make_sharing(pipeline, interval)?,
            _ => None,
        };
        let id = form.map(|unit| self.units.push(unit));
        self.sharing.insert((pipeline, interval), id);
        Ok(id)
    }

    fn make_sharing(&self, pipeline: UnitId, interval: u32) -> Result<Option<Unit>> {
        let mut unit = self.units[pipeline].clone();
        let block = unit.func.entry();
        let placed = |i: &Inst| unit.place[*i] != Some(Place::Static);
        let body: Vec<Inst> =
            unit.func.blocks[block].insts.iter().copied().filter(placed).collect();
        let name = format!("{}_s{interval}", unit.name);
        let what = format!("unit {name}");
        let kinds = sharing::products(&unit.func, &unit.inst_timing, &body, self.family);
        let problem = self.problem(&unit, &body);
        let tokens = bind::Tokens::Every(interval);
        let bound = bind::bind(&problem, &kinds, tokens, self.scheduler, self.family, &what)?;
        let Some(bound) = bound else { return Ok(None) };
        for (k, &inst) in body.iter().enumerate() {
            unit.place[inst] = Some(Place::Segment { segment: 0, cycle: bound.solution.start[k] });
        }
        for group in bound.groups {
            let insts: Vec<Inst> = group.nodes.iter().map(|n| body[*n as usize]).collect();
            for &i in &insts {
                unit.inst_timing[i] = group.select.timing(unit.inst_timing[i]);
            }
            let (select_ns, staged) = (group.select.ns, group.select.staged);
            unit.shared.push(schedule::Shared { insts, select_ns, staged });
        }
        unit.timing = border_timing(&self.problem(&unit, &body), &bound.solution);
        unit.func.name.clone_from(&name);
        (unit.name, unit.ii) = (name, interval);
        Ok(Some(unit))
    }

    /// The problem that the operations of a pipeline are.
    fn problem(&self, unit: &Unit, body: &[Inst]) -> Problem {
        let is_const = |v: Value| unit.func.as_const(v).is_some();
        let leaves = |v: Value| unit.outputs.contains(&v);
        let r = Region {
            func: &unit.func,
            timing: &unit.inst_timing,
            insts: body,
            leaves: &leaves,
            free: &is_const,
        };
        r.problem(self.clock)
    }

    /// Expands, schedules and times one operator.
    fn make(&mut self, operator: Operator) -> Result<Unit> {
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
        timing::add_nets(&func, &body, self.family, &|_| false, &mut timing_of);
        let is_const = |v: Value| func.as_const(v).is_some();
        let leaves = |v: Value| outputs.contains(&v);
        let r = Region {
            func: &func,
            timing: &timing_of,
            insts: &body,
            leaves: &leaves,
            free: &is_const,
        };
        let problem = r.problem(self.clock);
        // Kernels of one build may have different room for nets.
        let name = format!("{operator}{}", self.family.room.suffix());
        func.name.clone_from(&name);
        let solution = self.solve(&problem, &format!("unit {name}"))?;
        for (k, &inst) in body.iter().enumerate() {
            place[inst] = Some(Place::Segment { segment: 0, cycle: solution.start[k] });
        }
        let timing = border_timing(&problem, &solution);
        let (turning, shared) = (None, vec![]);
        Ok(Unit {
            name,
            outputs,
            place,
            inst_timing: timing_of,
            timing,
            func,
            turning,
            shared,
            ii: 1,
        })
    }

    /// A schedule of a unit. The users of the unit see its latency and the delays at its borders:
    /// a better schedule keeps both.
    pub(crate) fn solve(&mut self, problem: &Problem, what: &str) -> Result<Solution> {
        if !self.scheduler.keeps_timing() {
            return Ok(region::run(self.scheduler, problem, what)?.solution);
        }
        let asap = region::run(&Asap, problem, what)?.solution;
        if asap.latency == 0 {
            return Ok(asap);
        }
        let bounded = with_borders(problem, asap.latency, border_timing(problem, &asap));
        let scheduled = region::run(self.scheduler, &bounded, what)?;
        self.notes.extend(scheduled.note(what, bounded.nodes.len(), self.scheduler));
        let start = scheduled.solution.start[1..=problem.nodes.len()].to_vec();
        Ok(Solution { start, latency: asap.latency })
    }

    /// Gives a schedule its units: those that it uses. What the report tells of them comes to its notes.
    pub fn finish(self, s: &mut KernelSchedule) {
        let mut used: SecondaryMap<UnitId, bool> = SecondaryMap::new();
        let all = s.func.layout.iter().flat_map(|b| &s.func.blocks[*b].insts);
        let all: Vec<Inst> = all.copied().collect();
        all.iter().filter_map(|i| s.unit_of[*i]).for_each(|u| used[u] = true);
        let mut moved: SecondaryMap<UnitId, Option<UnitId>> = SecondaryMap::new();
        for (id, unit) in self.units {
            if used[id] {
                moved[id] = Some(s.units.push(unit));
            }
        }
        all.iter().for_each(|i| s.unit_of[*i] = s.unit_of[*i].and_then(|u| moved[u]));
        s.notes.extend(self.notes);
    }
}

/// One operator as the unit that a kernel would get for this family and clock.
///
/// # Errors
/// If the scheduler finds no schedule.
pub fn operator_unit(
    operator: Operator,
    family: &Family,
    clock_mhz: f64,
    scheduler: &dyn Scheduler,
) -> Result<Unit> {
    let clock = Clock { period_ns: 1000.0 / clock_mhz, overhead_ns: family.clock_overhead_ns };
    Units::new(family, clock, scheduler).make(operator)
}

/// The forms of a division or root that are loops of steps: with the fewest steps a turn first, and the longest interval. None of
/// other operators.
///
/// # Errors
/// If the scheduler finds no schedule.
pub fn turning_units(
    operator: Operator,
    family: &Family,
    clock_mhz: f64,
    scheduler: &dyn Scheduler,
) -> Result<Vec<Unit>> {
    let clock = Clock { period_ns: 1000.0 / clock_mhz, overhead_ns: family.clock_overhead_ns };
    let mut units = Units::new(family, clock, scheduler);
    let pipeline = units.make(operator)?;
    let pipeline = units.units.push(pipeline);
    units.operators[pipeline] = Some(operator);
    let forms = units.turning(pipeline)?;
    Ok(forms.into_iter().map(|id| units.units[id].clone()).collect())
}

/// The problem with a node for the unit's entry in front of it (so node `k` becomes `k + 1`) and
/// one for its exit behind it, which leave as much of their cycles as `border` says.
fn with_borders(problem: &Problem, latency: u32, border: OpTiming) -> Problem {
    let rest = |ns: f64| OpTiming::combinational((problem.budget_ns - ns - ROUNDING_NS).max(0.0));
    let node = |timing, operands| Node { timing, bits: 0, operands, leaves: false };
    let mut nodes = vec![node(rest(border.input_ns), vec![])];
    nodes.extend(
        problem
            .nodes
            .iter()
            .map(|n| Node { operands: n.operands.iter().map(|o| o + 1).collect(), ..n.clone() }),
    );
    for user in problem.inputs.iter().flat_map(|i| &i.users) {
        let operands = &mut nodes[*user as usize + 1].operands;
        if operands.first() != Some(&0) {
            operands.insert(0, 0);
        }
    }
    let leaving = |(k, n): (usize, &Node)| n.leaves.then_some(k as u32);
    let exit = nodes.len() as u32;
    let operands = nodes.iter().enumerate().filter_map(leaving).collect();
    nodes.push(node(rest(border.output_ns), operands));
    let inputs = problem
        .inputs
        .iter()
        .map(|i| Input { bits: i.bits, users: i.users.iter().map(|u| u + 1).collect() });
    Problem {
        nodes,
        inputs: inputs.collect(),
        constraints: vec![Constraint { from: 0, to: exit, distance: i64::from(latency) }],
        deadlines: vec![(0, 0), (exit, latency)],
        releases: vec![],
        most_latency: Some(latency),
        budget_ns: problem.budget_ns,
    }
}

/// Latency of a scheduled region and the longest paths from its inputs and to its outputs.
pub(crate) fn border_timing(p: &Problem, s: &Solution) -> OpTiming {
    let arrival = problem::arrivals(p, &s.start);
    let mut input: f64 = 0.0;
    let mut output: f64 = 0.0;
    for (k, node) in p.nodes.iter().enumerate() {
        if node.leaves && s.start[k] + node.timing.latency == s.latency {
            output = output.max(arrival[k]);
        }
        if s.start[k] == 0 {
            // To the node's own first register, or to the end of its logic.
            input = input.max(problem::begin_ns(p, &s.start, &arrival, k) + node.timing.input_ns);
        }
    }
    if s.latency == 0 {
        return OpTiming::combinational(input.max(output));
    }
    OpTiming { latency: s.latency, input_ns: input, output_ns: output, entry_ns: 0.0 }
}
