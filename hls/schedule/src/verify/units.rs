//! Inside of operator units.

use super::Verifier;
use crate::{Place, Turning, Unit};
use base::entity::SecondaryMap;
use ir::{Block, Inst, Terminator, Value};

/// Segment of a unit's operations.
const STAGES: u32 = 0;
/// Segment of those in a loop.
const TURN: u32 = 1;

impl Verifier<'_> {
    /// Every operation of a unit starts when its operands stand, and the outputs
    /// stand at the end. Users count on the unit's latency.
    pub(super) fn units(&mut self) {
        let s = self.s;
        for unit in s.units.values() {
            for problem in Inside::new(unit).check() {
                self.fail(None, problem);
            }
        }
        for inst in self.all_insts() {
            let Some(unit) = s.unit_of[inst] else { continue };
            let own = s.timing[inst];
            let group = s.shared.iter().find(|g| g.insts.contains(&inst));
            let t = match (s.place[inst], group) {
                (Some(Place::Prologue { .. }), _) => s.units[unit].prologue_timing(),
                (_, Some(group)) => group.timing(s.units[unit].timing),
                _ => s.units[unit].timing,
            };
            let less = own.input_ns < t.input_ns || own.output_ns < t.output_ns;
            if own.latency != t.latency || less {
                self.fail(Some(inst), format!("{inst} counts on a faster unit than it has"));
            }
            if own.latency == t.latency && own.input_ns < t.input_ns && group.is_some() {
                let what = format!("{inst} does not count on the multiplexers of its instance");
                self.fail(Some(inst), what);
            }
        }
    }
}

/// When the values of a unit stand.
struct Inside<'a> {
    unit: &'a Unit,
    /// Segment and cycle.
    ready: SecondaryMap<Value, (u32, u32)>,
    problems: Vec<String>,
}

impl<'a> Inside<'a> {
    fn new(unit: &'a Unit) -> Self {
        Inside { unit, ready: SecondaryMap::new(), problems: vec![] }
    }

    fn check(mut self) -> Vec<String> {
        let (unit, name) = (self.unit, &self.unit.name);
        match (unit.turning, unit.func.layout.as_slice()) {
            (None, &[only]) => self.block(only, STAGES, None),
            (Some(t), &[before, turn, after]) if t.turns > 0 && t.cycles > 0 => {
                self.block(before, STAGES, Some(t));
                self.jump(before, turn, (STAGES, t.start));
                self.params(turn, (TURN, 0));
                self.block(turn, TURN, Some(t));
                self.jump(turn, after, (TURN, t.cycles - 1));
                self.params(after, (STAGES, t.start + 1));
                self.block(after, STAGES, Some(t));
            }
            _ => self.problems.push(format!("unit {name} is neither a pipeline nor a loop")),
        }
        let stages = unit.stages();
        if unit.outputs.iter().any(|v| self.ready[*v] > (STAGES, stages)) {
            self.problems.push(format!("unit {name} takes longer than its latency"));
        }
        self.problems
    }

    /// The operations of a block that stand in `segment`.
    fn block(&mut self, block: Block, segment: u32, turning: Option<Turning>) {
        let (unit, name) = (self.unit, &self.unit.name);
        for &inst in &unit.func.blocks[block].insts {
            let cycle = match unit.place[inst] {
                Some(Place::Static) => continue,
                Some(Place::Segment { segment: s, cycle }) if s == segment => cycle,
                _ => {
                    self.problems.push(format!("{inst} of unit {name} has no place"));
                    continue;
                }
            };
            let data = &unit.func.insts[inst];
            for a in &data.args {
                if !self.stands(*a, (segment, cycle), turning) {
                    let what = format!("{inst} of unit {name} starts before {a} is ready");
                    self.problems.push(what);
                }
            }
            let end = cycle + unit.inst_timing[inst].latency;
            if let Some(r) = data.result {
                self.ready[r] = (segment, end);
            }
            self.waits(inst, segment, (cycle, end), turning);
        }
    }

    /// Whether a value stands at a moment. What a turn uses from outside must be there when the loop starts; what it makes
    /// leaves it through its registers only.
    fn stands(&self, v: Value, at: (u32, u32), turning: Option<Turning>) -> bool {
        let (segment, cycle) = self.ready[v];
        match (segment, at.0) {
            (STAGES, TURN) => turning.is_some_and(|t| cycle <= t.start),
            (s, t) => s == t && cycle <= at.1,
        }
    }

    /// Registers inside an operation do not wait for the loop.
    fn waits(
        &mut self,
        inst: Inst,
        segment: u32,
        (cycle, end): (u32, u32),
        turning: Option<Turning>,
    ) {
        let over = |t: Turning| segment == STAGES && cycle <= t.start && end > t.start;
        if turning.is_some_and(over) {
            let what = format!("{inst} of unit {} does not wait for the loop", self.unit.name);
            self.problems.push(what);
        }
    }

    fn params(&mut self, block: Block, at: (u32, u32)) {
        self.unit.func.blocks[block].params.iter().for_each(|p| self.ready[*p] = at);
    }

    /// The arguments of the jump between two blocks stand when the registers take them.
    fn jump(&mut self, from: Block, to: Block, at: (u32, u32)) {
        let (unit, name) = (self.unit, &self.unit.name);
        match &unit.func.blocks[from].term {
            Terminator::Jump(call) if call.block == to => {
                for v in &call.args {
                    let fixed = unit.func.as_const(*v).is_some();
                    if !fixed && !self.stands(*v, at, unit.turning) {
                        let what = format!("the loop of unit {name} takes {v} before it stands");
                        self.problems.push(what);
                    }
                }
            }
            _ => self.problems.push(format!("the blocks of unit {name} do not follow one another")),
        }
    }
}
