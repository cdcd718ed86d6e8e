//! Paths between registers.

use super::Verifier;
use crate::{Moment, OpTiming, Place, Unit};
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Function, Inst, Value};

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
        let start = here.fold(0.0, |x: f64, (_, ns)| x.max(*ns));
        let out = if t.latency == 0 { start + t.output_ns } else { t.output_ns };
        if let Some(r) = data.result {
            let done = Moment { segment: at.segment, cycle: at.cycle + t.latency };
            self.of.insert(r, (done, out));
        }
        (start > 0.0).then_some(start + t.input_ns)
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

    /// Paths inside a unit, and those at its borders against what its users are told.
    fn unit_timing(&mut self, unit: &Unit, budget: f64) {
        let (func, name) = (&unit.func, &unit.name);
        let mut arrivals = Arrivals::default();
        let mut from_inputs: SecondaryMap<Value, Option<f64>> = SecondaryMap::new();
        func.blocks[func.entry()].params.iter().for_each(|p| from_inputs[*p] = Some(0.0));
        let mut longest_in: f64 = 0.0;
        for &inst in &func.blocks[func.entry()].insts {
            let Some(Place::Segment { cycle, .. }) = unit.place[inst] else { continue };
            let t = unit.inst_timing[inst];
            let at = Moment { segment: 0, cycle };
            if arrivals.add(func, inst, at, t).is_some_and(|end| end > budget) {
                self.fail(None, format!("{inst} of unit {name} misses the clock period"));
            }
            // Logic between the unit's inputs and its first registers.
            let args = &func.insts[inst].args;
            let before = args.iter().filter_map(|a| from_inputs[*a]).reduce(f64::max);
            if let Some(before) = before.filter(|_| cycle == 0) {
                longest_in = longest_in.max(before + t.input_ns);
                if let Some(r) = func.insts[inst].result.filter(|_| t.latency == 0) {
                    from_inputs[r] = Some(before + t.output_ns);
                }
            }
        }
        let last = Moment { segment: 0, cycle: unit.timing.latency };
        let outputs = unit.outputs.iter().filter_map(|v| arrivals.of.get(v));
        let longest_out =
            outputs.filter(|(m, _)| *m == last).fold(0.0, |x: f64, (_, ns)| x.max(*ns));
        let told = unit.timing;
        let slow = |ns: f64, told: f64| ns > told + EPSILON_NS;
        if slow(longest_in, told.input_ns) || slow(longest_out, told.output_ns) {
            self.fail(None, format!("unit {name} is slower at its borders than it says"));
        }
    }
}
