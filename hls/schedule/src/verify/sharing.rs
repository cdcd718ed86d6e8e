//! Operations that share an instance: none wants it while another one does, in a token or in two.
//!
//! Two operations start at cycles `a <= b` of their segment, in tokens that start `d` cycles apart. They meet at the instance if
//! `d` and `b - a` differ by less than the instance's interval. Which `d` there are, the segment's interval and window say.

use super::Verifier;
use crate::product::factors;
use crate::{OpTiming, Place, Segment, Shared, Unit};
use base::FxHashSet;
use base::entity::SecondaryMap;
use ir::{Block, Function, Inst, Op};

impl Verifier<'_> {
    pub(super) fn sharing(&mut self) {
        let s = self.s;
        let mut seen = FxHashSet::default();
        for group in &s.shared {
            let in_unit = |i: Inst| s.unit_of[i].is_some();
            for problem in members(&s.func, &s.timing, group, &in_unit, &mut seen) {
                self.fail(None, problem);
            }
            self.group(group);
        }
        for unit in s.units.values() {
            let mut seen = FxHashSet::default();
            for group in &unit.shared {
                let (func, timing) = (&unit.func, &unit.inst_timing);
                for problem in members(func, timing, group, &|_| false, &mut seen) {
                    self.fail(None, format!("in unit {}: {problem}", unit.name));
                }
            }
            if !unit.shared.is_empty() && unit.turning.is_some() {
                let what = format!("unit {} is a loop and shares multipliers", unit.name);
                self.fail(None, what);
            }
        }
        for inst in self.all_insts() {
            if let Some(unit) = s.unit_of[inst] {
                self.inside(inst, &s.units[unit]);
            }
        }
    }

    /// Operations of a segment.
    fn group(&mut self, group: &Shared) {
        let s = self.s;
        let [first, ..] = group.insts.as_slice() else { return };
        let unit = s.unit_of[*first];
        if let Some(unit) = unit.map(|u| &s.units[u]).filter(|u| !u.shared.is_empty()) {
            let what = format!("an instance of unit {} is shared, and so are its own", unit.name);
            self.fail(Some(*first), what);
        }
        let interval = unit.map_or(1, |u| s.units[u].interval());
        let mut at = vec![];
        for &inst in &group.insts {
            if s.unit_of[inst] != unit {
                self.fail(Some(inst), format!("{inst} and {first} have different units"));
            }
            match s.place[inst] {
                Some(Place::Segment { segment, cycle }) => {
                    at.push((inst, self.home[inst], segment, cycle));
                }
                _ => {
                    self.fail(Some(inst), format!("{inst} shares an instance outside of segments"))
                }
            }
        }
        for (k, &(p, block, segment, a)) in at.iter().enumerate() {
            for &(q, other, other_segment, b) in &at[..k] {
                if (block, segment) != (other, other_segment) {
                    self.fail(Some(p), format!("{q} and {p} share an instance over segments"));
                } else {
                    let names = format!("{q} and {p}");
                    self.apart((p, &names), (block, segment), a.abs_diff(b), interval);
                }
            }
        }
    }

    /// Two operations, which `names` says, do not meet at their instance.
    fn apart(
        &mut self,
        (at, names): (Inst, &str),
        (block, segment): (Option<Block>, u32),
        cycles: u32,
        interval: u32,
    ) {
        let Some(g) = block.and_then(|b| self.s.blocks[b].segments.get(segment as usize)) else {
            return;
        };
        if g.collides(cycles, interval) {
            let Segment { ii, window, .. } = g;
            let what = format!(
                "{names}, {cycles} cycles apart, can want their instance at once: tokens are {ii} cycles apart, within \
                 {window} multiples of that"
            );
            self.fail(Some(at), what);
        }
    }

    /// The products that share a multiplier in the unit of an instruction.
    fn inside(&mut self, inst: Inst, unit: &Unit) {
        let s = self.s;
        if unit.shared.is_empty() {
            return;
        }
        let Some(Place::Segment { segment, .. }) = s.place[inst] else {
            let what = format!("unit {} of {inst} is not told of its operands", unit.name);
            return self.fail(Some(inst), what);
        };
        for group in &unit.shared {
            let cycle = |i: &Inst| match unit.place[*i] {
                Some(Place::Segment { cycle, .. }) => Some((*i, cycle)),
                _ => None,
            };
            let at: Vec<(Inst, u32)> = group.insts.iter().filter_map(cycle).collect();
            for (k, &(p, a)) in at.iter().enumerate() {
                for &(q, b) in &at[..k] {
                    let names = format!("{q} and {p} in unit {}", unit.name);
                    self.apart((inst, &names), (self.home[inst], segment), a.abs_diff(b), 1);
                }
            }
        }
    }
}

/// What is wrong with the members of a group, whatever their places.
fn members(
    func: &Function,
    timing: &SecondaryMap<Inst, OpTiming>,
    group: &Shared,
    in_unit: &dyn Fn(Inst) -> bool,
    seen: &mut FxHashSet<Inst>,
) -> Vec<String> {
    let mut problems = vec![];
    let Some(&first) = group.insts.first().filter(|_| group.insts.len() > 1) else {
        return vec!["an instance is shared by less than two operations".to_owned()];
    };
    for &inst in &group.insts {
        if !seen.insert(inst) {
            problems.push(format!("{inst} has a part in two instances"));
        }
        // Logic without registers could close a loop through the multiplexers.
        if timing[inst].latency == u32::from(group.staged) {
            problems.push(format!("{inst} shares logic without registers"));
        }
        if !in_unit(inst) && func.insts[inst].op != Op::Mul {
            problems.push(format!("{inst} has no instance that could be shared"));
        } else if !in_unit(inst) && signs(func, inst) != signs(func, first) {
            problems.push(format!("the factors of {inst} and {first} differ in their signs"));
        }
    }
    problems
}

/// Whether the factors of a product have a sign; nothing for other operations.
fn signs(func: &Function, inst: Inst) -> Option<[bool; 2]> {
    let product = func.insts[inst].op == Op::Mul;
    product.then(|| factors(func, inst).map(|f| f.signed))
}
