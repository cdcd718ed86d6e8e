//! Units of divisions and roots whose digits come from a loop of a few steps.
//!
//! Such a unit takes new operands only when it has given back the last result, and a fraction of the area: its steps are
//! there once. For the scheduler the loop is an operation of one stage, in which the registers between what comes before
//! and what comes after stand still, so that a value that passes by waits in one register and not in one a cycle.

use crate::problem::{Input, Node, Problem};
use crate::units::{Units, border_timing};
use crate::{Asap, expand, region, timing};
use arith::{InTurns, Operator, build_in_turns};
use base::entity::SecondaryMap;
use base::{FxHashMap, IndexMap, Result};
use ir::{Block, Function, Inst, Op, Terminator, Value};
use schedule::{OpTiming, Place, Turning, Unit};
use target::{Family, OpKind};

/// Most steps in a turn: more are hardly smaller than the pipeline.
const MOST_STEPS: u32 = 8;
/// Part of a pipeline's cost that a loop may have.
pub const WORTH: f64 = 0.75;
/// What a flip-flop costs, in LUTs.
const FLIP_FLOP: f64 = 0.5;

/// What a unit costs, in LUTs.
pub fn cost(unit: &Unit, family: &Family) -> f64 {
    let func = &unit.func;
    let luts = |inst: &Inst| {
        let (kind, width) = target::op_kind(func, *inst);
        family.area(kind, width).lut
    };
    let logic: f64 = func.layout.iter().flat_map(|b| &func.blocks[*b].insts).map(luts).sum();
    logic + FLIP_FLOP * schedule::registers::unit_bits(unit) as f64
}

/// The operator with one step a turn, with two, and so on.
pub fn units(units: &mut Units, operator: Operator) -> Result<Vec<Unit>> {
    let mut all = vec![];
    for steps in 1..=MOST_STEPS {
        let Some(form) = build_in_turns(operator, 64, steps) else { break };
        all.push(make(units, operator, form)?);
    }
    Ok(all)
}

/// Schedules one form.
fn make(units: &mut Units, operator: Operator, form: InTurns) -> Result<Unit> {
    let InTurns { mut func, turns } = form;
    expand::datapath(&mut func, units.family);
    let mut shape = Shape::new(func, units.family);
    let what = format!("unit {operator} in {turns} turns");
    let cycles = shape.turn(units, &what)?;

    let problem = shape.stages(units);
    let solution = units.solve(&problem, &what)?;
    let start = solution.start[shape.at];
    for (k, inst) in shape.around() {
        let cycle = solution.start[k];
        shape.place[inst] = Some(Place::Segment { segment: 0, cycle });
    }
    let turning = Turning { start, turns, cycles, load_ns: shape.load_ns };
    let interval = turns * cycles + 1;
    let border = border_timing(&problem, &solution);
    let timing = OpTiming { latency: border.latency + interval - 1, ..border };
    let name = format!("{operator}{}_i{interval}", units.family.room.suffix());
    shape.func.name.clone_from(&name);
    let Shape { func, place, inst_timing, outputs, .. } = shape;
    let (turning, shared) = (Some(turning), vec![]);
    Ok(Unit { name, func, outputs, place, inst_timing, timing, turning, shared, ii: 1 })
}

/// A form while it is scheduled.
struct Shape {
    func: Function,
    /// The blocks: before the loop, a turn, after it.
    blocks: [Block; 3],
    place: SecondaryMap<Inst, Option<Place>>,
    inst_timing: SecondaryMap<Inst, OpTiming>,
    outputs: Vec<Value>,
    load_ns: f64,
    /// Number of the loop among the operations: that of those before it.
    at: usize,
}

impl Shape {
    fn new(func: Function, family: &Family) -> Self {
        let (mut place, mut inst_timing) = (SecondaryMap::new(), SecondaryMap::new());
        for &inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
            if matches!(func.insts[inst].op, Op::Const(_)) {
                place[inst] = Some(Place::Static);
            } else {
                inst_timing[inst] = timing::op_timing(&func, inst, family);
            }
        }
        let blocks = [func.layout[0], func.layout[1], func.layout[2]];
        let outputs = match func.blocks[blocks[2]].term {
            Terminator::Return(Some(v)) => vec![v],
            _ => vec![],
        };
        let mut shape = Shape { func, blocks, place, inst_timing, outputs, load_ns: 0.0, at: 0 };
        shape.load_ns = family.delay_ns(OpKind::Mux { ways: 2 }, shape.param_bits(1));
        shape.at = shape.body(0).len();
        shape
    }

    /// Operations of a block.
    fn body(&self, n: usize) -> Vec<Inst> {
        let insts = self.func.blocks[self.blocks[n]].insts.iter().copied();
        insts.filter(|i| self.place[*i] != Some(Place::Static)).collect()
    }

    /// Operations before and after the loop, with their numbers.
    fn around(&self) -> Vec<(usize, Inst)> {
        let before = self.body(0).into_iter().enumerate();
        let after = self.body(2).into_iter().enumerate();
        before.chain(after.map(|(k, inst)| (k + self.at + 1, inst))).collect()
    }

    /// Arguments of the jump at the end of a block.
    fn passed(&self, n: usize) -> Vec<Value> {
        let term = &self.func.blocks[self.blocks[n]].term;
        term.targets().first().map_or(vec![], |call| call.args.to_vec())
    }

    /// Bits of the parameters of a block.
    fn param_bits(&self, n: usize) -> u32 {
        self.func.blocks[self.blocks[n]].params.iter().map(|p| self.func.bits(*p)).sum()
    }

    /// The operation that the loop's registers are, with these operands.
    fn load(&self, operands: Vec<u32>) -> Node {
        let timing = OpTiming { latency: 1, input_ns: self.load_ns, ..OpTiming::default() };
        Node { timing, bits: self.param_bits(2), operands, leaves: false }
    }

    /// Places the operations of a turn; gives its cycles.
    fn turn(&mut self, units: &Units, what: &str) -> Result<u32> {
        let body = self.body(1);
        let mut p = Graph::new(&self.func);
        body.iter().for_each(|i| p.add(*i, self.inst_timing[*i], &[]));
        let operands = self.passed(1).iter().filter_map(|v| p.node_of.get(v).copied()).collect();
        p.nodes.push(self.load(operands));
        let budget_ns = units.clock.period_ns - units.clock.overhead_ns;
        // Whatever is not passed on comes out of registers.
        let problem = Problem { nodes: p.nodes, budget_ns, ..Problem::default() };
        let solution = region::run(&Asap, &problem, what)?.solution;
        for (k, inst) in body.into_iter().enumerate() {
            let cycle = solution.start[k];
            self.place[inst] = Some(Place::Segment { segment: 1, cycle });
        }
        Ok(solution.latency)
    }

    /// The problem of what stands around the loop, which is an operation of one stage.
    fn stages(&self, units: &Units) -> Problem {
        let mut p = Graph::new(&self.func);
        self.body(0).iter().for_each(|i| p.add(*i, self.inst_timing[*i], &self.outputs));
        // The loop: what it begins with, and what its turns use.
        let turn = self.func.blocks[self.blocks[1]].insts.iter();
        let used = turn.flat_map(|i| self.func.insts[*i].args.iter().copied());
        let inside = self.body(1);
        let own = |v: &Value| {
            let made = self.func.def_inst(*v).is_some_and(|i| inside.contains(&i));
            made || self.func.blocks[self.blocks[1]].params.contains(v)
        };
        let mut taken: Vec<Value> = self.passed(0);
        taken.extend(used.filter(|v| !own(v)));
        let at = p.nodes.len() as u32;
        let operands = p.operands(&taken, at);
        p.nodes.push(self.load(operands));
        for &v in &self.func.blocks[self.blocks[2]].params {
            p.node_of.insert(v, at);
        }
        self.body(2).iter().for_each(|i| p.add(*i, self.inst_timing[*i], &self.outputs));
        let inputs = p.inputs.into_iter().map(|(v, mut users)| {
            users.dedup();
            Input { bits: self.func.bits(v), users }
        });
        let budget_ns = units.clock.period_ns - units.clock.overhead_ns;
        Problem { nodes: p.nodes, inputs: inputs.collect(), budget_ns, ..Problem::default() }
    }
}

/// A scheduling problem while it is made.
struct Graph<'a> {
    func: &'a Function,
    nodes: Vec<Node>,
    node_of: FxHashMap<Value, u32>,
    inputs: IndexMap<Value, Vec<u32>>,
}

impl<'a> Graph<'a> {
    fn new(func: &'a Function) -> Self {
        let (node_of, inputs) = (FxHashMap::default(), IndexMap::default());
        Graph { func, nodes: vec![], node_of, inputs }
    }

    /// An operation behind those that there are.
    fn add(&mut self, inst: Inst, timing: OpTiming, outputs: &[Value]) {
        let data = &self.func.insts[inst];
        let node = self.nodes.len() as u32;
        let operands = self.operands(&data.args, node);
        let bits = data.result.map_or(0, |r| self.func.bits(r));
        let leaves = data.result.is_some_and(|r| outputs.contains(&r));
        self.nodes.push(Node { timing, bits, operands, leaves });
        if let Some(r) = data.result {
            self.node_of.insert(r, node);
        }
    }

    /// The operations that make `values` for `user`; others come in, unless they are constants.
    fn operands(&mut self, values: &[Value], user: u32) -> Vec<u32> {
        let mut operands = vec![];
        for v in values {
            match self.node_of.get(v) {
                Some(node) => operands.push(*node),
                None if self.func.as_const(*v).is_some() => {}
                None => self.inputs.entry(*v).or_default().push(user),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        operands
    }
}
