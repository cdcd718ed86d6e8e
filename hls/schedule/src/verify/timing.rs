//! Paths between registers.

use super::Verifier;
use crate::{Moment, OpTiming, Place, Unit};
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Block, Function, Inst, Value};

/// Tolerance of comparisons in ns: rounding of sums of delays.
const EPSILON_NS: f64 = 1e-6;

/// When values stand, and how far into that cycle.
#[derive(Default)]
struct Arrivals {
    of: FxHashMap<Value, (Moment, f64)>,
}

impl Arrivals {
    /// Adds an operation; gives where in its cycle its logic ends, if anything is in front of it
    /// in that cycle (an operation alone may exceed the period: nothing can be done about it).
    fn add(&mut self, func: &Function, inst: Inst, at: Moment, t: OpTiming) -> Option<f64> {
        let data = &func.insts[inst];
        let here = data.args.iter().filter_map(|a| self.of.get(a)).filter(|(m, _)| *m == at);
        let begin = here.fold(0.0, |x: f64, (_, ns)| x.max(*ns));
        if let Some(r) = data.result {
            let done = Moment { segment: at.segment, cycle: at.cycle + t.latency };
            self.of.insert(r, (done, t.done_ns(begin)));
        }
        (begin > 0.0).then_some(t.start_ns(begin) + t.input_ns)
    }
}

impl Verifier<'_> {
    pub(super) fn timing(&mut self) {
        let s = self.s;
        let budget = s.clock.period_ns - s.clock.overhead_ns + EPSILON_NS;
        let mut uniform = Arrivals::default();
        for block in self.cfg.rpo.clone() {
            let mut varying = Arrivals::default();
            for &inst in self.insts(block) {
                let end = match s.place[inst] {
                    Some(Place::Segment { segment, cycle }) => {
                        let at = Moment { segment, cycle };
                        varying.add(&s.func, inst, at, s.timing[inst])
                    }
                    Some(Place::Prologue { cycle }) => {
                        let at = Moment { segment: 0, cycle };
                        uniform.add(&s.func, inst, at, s.timing[inst])
                    }
                    _ => None,
                };
                self.soon_again(block, inst);
                if let Some(end) = end.filter(|end| *end > budget) {
                    let what = format!("{inst} ends {end:.2} ns into a cycle of {budget:.2} ns");
                    self.fail(Some(inst), what);
                }
            }
        }
        for unit in s.units.values() {
            self.unit_timing(unit, budget);
        }
    }

    /// A unit that takes operands every so many cycles does not get them more often.
    fn soon_again(&mut self, block: Block, inst: Inst) {
        let (Some(Place::Segment { segment, .. }), Some(unit)) =
            (self.s.place[inst], self.s.unit_of[inst])
        else {
            return;
        };
        let ii = self.s.blocks[block].segments.get(segment as usize).map_or(1, |g| g.ii);
        let unit = &self.s.units[unit];
        if ii < unit.interval() {
            let (name, interval) = (&unit.name, unit.interval());
            let what =
                format!("{inst} may start every {ii} cycles, but its unit {name} every {interval}");
            self.fail(Some(inst), what);
        }
    }

    /// Paths inside a unit, and those at its borders against what its users are told.
    fn unit_timing(&mut self, unit: &Unit, budget: f64) {
        let (func, name) = (&unit.func, &unit.name);
        let mut arrivals = Arrivals::default();
        let mut from_inputs: SecondaryMap<Value, Option<f64>> = SecondaryMap::new();
        func.blocks[func.entry()].params.iter().for_each(|p| from_inputs[*p] = Some(0.0));
        let mut longest_in: f64 = 0.0;
        for &inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
            let Some(Place::Segment { segment, cycle }) = unit.place[inst] else { continue };
            let t = unit.inst_timing[inst];
            let at = Moment { segment, cycle };
            if arrivals.add(func, inst, at, t).is_some_and(|end| end > budget) {
                self.fail(None, format!("{inst} of unit {name} misses the clock period"));
            }
            // Logic between the unit's inputs and its first registers.
            let args = &func.insts[inst].args;
            let before = args.iter().filter_map(|a| from_inputs[*a]).reduce(f64::max);
            if let Some(before) = before.filter(|_| at == Moment::default()) {
                longest_in = longest_in.max(before + t.input_ns);
                if let Some(r) = func.insts[inst].result.filter(|_| t.latency == 0) {
                    from_inputs[r] = Some(before + t.output_ns);
                }
            }
        }
        self.load_timing(unit, &arrivals, budget);
        let last = Moment { segment: 0, cycle: unit.stages() };
        let outputs = unit.outputs.iter().filter_map(|v| arrivals.of.get(v));
        let longest_out =
            outputs.filter(|(m, _)| *m == last).fold(0.0, |x: f64, (_, ns)| x.max(*ns));
        let told = unit.timing;
        let slow = |ns: f64, told: f64| ns > told + EPSILON_NS;
        if slow(longest_in, told.input_ns) || slow(longest_out, told.output_ns) {
            self.fail(None, format!("unit {name} is slower at its borders than it says"));
        }
    }

    /// Paths to the registers of a unit's loop: from the stage in front of it and from the end of a turn.
    fn load_timing(&mut self, unit: &Unit, arrivals: &Arrivals, budget: f64) {
        let Some(t) = unit.turning else { return };
        let ends = [
            Moment { segment: 0, cycle: t.start },
            Moment { segment: 1, cycle: t.cycles.saturating_sub(1) },
        ];
        for (block, end) in unit.func.layout.iter().zip(ends) {
            let mut late = false;
            unit.func.blocks[*block].term.for_each_use(|v| {
                let arrival = arrivals.of.get(&v).filter(|(at, ns)| *at == end && *ns > 0.0);
                late |= arrival.is_some_and(|(_, ns)| ns + t.load_ns > budget);
            });
            if late {
                let what = format!("the loop of unit {} misses the clock period", unit.name);
                self.fail(None, what);
            }
        }
    }
}
