//! How far the counters of a loop can get, by the tests that end it.
//!
//! Producers widen the counters of source code to 64 bits and let another counter, or the low bits of this one, end the loop. What an edge
//! tells says nothing of such counters; how often the loop can begin again does.

use super::Known;
use super::function::condition_facts;
use crate::bits::ones;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators, LoopId, Loops};
use ir::builder::sign_extend;
use ir::{Block, Function, IntCC, Op, Terminator, Value};

/// Operations that are looked through from a test to the counter behind it.
const DEPTH: u32 = 8;

/// A loop with counters: parameters of its header that change by the same in every iteration.
#[derive(Clone, Debug)]
pub(super) struct CountedLoop {
    /// What each parameter of the header changes by.
    pub(super) steps: Vec<Option<i128>>,
    tests: Vec<Test>,
}

/// Every iteration but the last passes `value cc other`, where `value` changes by `step` modulo 2^`width`.
#[derive(Clone, Debug)]
struct Test {
    /// Where it stands.
    block: Block,
    width: u32,
    step: i128,
    cc: IntCC,
    /// Does not change in the loop.
    other: Value,
    /// Number of the counter among the header's parameters, and what is added to it, where all of it is tested.
    counter: Option<(usize, i128)>,
}

/// The loops of a function that have both counters and tests, by their headers.
pub(super) fn counted_loops(
    func: &Function,
    cfg: &Cfg,
    dominators: &Dominators,
) -> SecondaryMap<Block, Option<CountedLoop>> {
    let mut found: SecondaryMap<Block, Option<CountedLoop>> = SecondaryMap::new();
    let loops = Loops::new(func, cfg);
    let homes = func.homes();
    for (id, data) in loops.loops.iter().filter(|(_, data)| data.is_reducible()) {
        let look = Look { func, loops: &loops, id, homes: &homes };
        let params = func.blocks[data.header].params.iter().enumerate();
        let steps: Vec<Option<i128>> = params.map(|(k, p)| look.step(*p, k)).collect();
        let tests = look.tests(dominators);
        if steps.iter().any(Option::is_some) && !tests.is_empty() {
            found[data.header] = Some(CountedLoop { steps, tests });
        }
    }
    found
}

impl CountedLoop {
    /// How often the loop can begin again at most. `start` is what is known of a parameter of the header when the loop is entered,
    /// `known` of a value in a block, and `order` how a parameter then and a value stand to one another: the value less the parameter,
    /// or with `false` the other way round.
    pub(super) fn repetitions(
        &self,
        start: impl Fn(usize) -> Option<Known>,
        known: impl Fn(Value, Block) -> Known,
        order: impl Fn(usize, Value, bool) -> Option<Order>,
    ) -> Option<i128> {
        let by_start = |test: &Test| {
            let (k, offset) = test.counter?;
            let first = start(k)?.plus(offset)?;
            let (upwards, towards) =
                (test.step > 0, if test.step > 0 { offset } else { offset.checked_neg()? });
            // With 0 <= offset <= other - start nothing wraps on the way to the other side.
            let order = order(k, test.other, upwards).filter(|o| (0..=o.least).contains(&towards));
            test.repetitions_from(first, known(test.other, test.block), order)
        };
        self.tests.iter().flat_map(|test| [by_start(test), test.repetitions()]).flatten().min()
    }
}

/// A difference is at least `least`, where it does not wrap.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) least: i128,
    /// Of values with sign.
    pub(super) signed: bool,
}

impl Test {
    /// The limit that holds whatever the counter begins with: some value fails, and an odd step comes by every value before it
    /// repeats one.
    fn repetitions(&self) -> Option<i128> {
        let can_fail = !matches!(self.cc, IntCC::Sle | IntCC::Sge | IntCC::Ule | IntCC::Uge);
        (can_fail && self.step & 1 == 1 && self.width <= 64).then(|| ones(self.width) as i128)
    }

    /// The limit for what is tested first, `first`, and the other side: a counter that goes towards what ends the loop, and reaches it
    /// before it wraps. `order` says that it does not begin past the other side.
    fn repetitions_from(&self, first: Known, other: Known, order: Option<Order>) -> Option<i128> {
        let top = Known::top(self.width);
        let signed = [(first.smin, first.smax), (other.smin, other.smax), (top.smin, top.smax)];
        let range = |k: &Known| Some((i128::try_from(k.umin).ok()?, i128::try_from(k.umax).ok()?));
        let unsigned = || Some([range(&first)?, range(&other)?, range(&top)?]);
        match self.cc {
            IntCC::Ne => {
                let one = |ranges, signed| {
                    distance_to(self.step, ranges, order.is_some_and(|o| o.signed == signed))
                };
                one(signed, true).or_else(|| one(unsigned()?, false))
            }
            IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge => {
                distance_past(self.cc, self.step, signed)
            }
            IntCC::Ult | IntCC::Ule | IntCC::Ugt | IntCC::Uge => {
                distance_past(self.cc, self.step, unsigned()?)
            }
            IntCC::Eq => None,
        }
    }
}

/// Least and greatest values: of what is tested first, of the other side, of the type.
type Three = [(i128, i128); 3];

/// The same with all values negated.
fn mirrored([first, other, top]: Three) -> Three {
    [first, other, top].map(|(least, most)| (most.saturating_neg(), least.saturating_neg()))
}

/// Steps until a value is equal to the other side, if it is bound to be before it wraps: because it is `ordered`, or by its range.
fn distance_to(step: i128, ranges: Three, ordered: bool) -> Option<i128> {
    let (step, [first, other, _]) =
        if step < 0 { (step.checked_neg()?, mirrored(ranges)) } else { (step, ranges) };
    let way = other.1.checked_sub(first.0)?;
    let hits =
        step == 1 || (step > 1 && first.0 == first.1 && other.0 == other.1 && way % step == 0);
    (hits && (ordered || first.1 <= other.0)).then(|| (way / step).max(0))
}

/// Steps until an inequality no longer holds, if it is bound not to before the value wraps.
fn distance_past(cc: IntCC, step: i128, ranges: Three) -> Option<i128> {
    let upwards = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Ult | IntCC::Ule);
    let (step, [first, other, top]) =
        if upwards { (step, ranges) } else { (step.checked_neg()?, mirrored(ranges)) };
    let strict = matches!(cc, IntCC::Slt | IntCC::Sgt | IntCC::Ult | IntCC::Ugt);
    // The greatest value that can pass.
    let passes = other.1.checked_sub(i128::from(strict))?;
    if step < 1 || passes.checked_add(step)? > top.1 {
        return None;
    }
    let way = passes.checked_sub(first.0)?;
    Some(if way < 0 { 0 } else { way / step + 1 })
}

impl Known {
    /// A sum that does not wrap; none where it could.
    fn plus(&self, offset: i128) -> Option<Known> {
        let known = self.advanced(offset, offset);
        (known != Known::top(self.width) || offset == 0).then_some(known)
    }

    /// Where a value can be to which something from `least` to `most` is added; nothing is told where it could wrap.
    pub(super) fn advanced(&self, least: i128, most: i128) -> Known {
        let top = Known::top(self.width);
        let mut known = top;
        if let (Some(smin), Some(smax)) =
            (self.smin.checked_add(least), self.smax.checked_add(most))
            && smin >= top.smin
            && smax <= top.smax
        {
            known = known.meet(&Known::signed(self.width, smin, smax));
        }
        let unsigned = (self.umin.checked_add_signed(least), self.umax.checked_add_signed(most));
        if let (Some(umin), Some(umax)) = unsigned
            && umax <= top.umax
        {
            known = known.meet(&Known::unsigned(self.width, umin, umax));
        }
        known
    }
}

/// A loop and where values are defined.
struct Look<'a> {
    func: &'a Function,
    loops: &'a Loops,
    id: LoopId,
    homes: &'a SecondaryMap<Value, Option<Block>>,
}

/// A value that changes by `step` in every iteration, modulo 2^`width`.
struct Progression {
    width: u32,
    step: i128,
    counter: Option<(usize, i128)>,
}

impl Look<'_> {
    fn inside(&self, block: Block) -> bool {
        self.loops.contains(self.id, block)
    }

    /// Whether a value is the same in all iterations: also one that an iteration computes from such values.
    fn invariant(&self, value: Value) -> bool {
        self.unchanging(value, DEPTH)
    }

    fn unchanging(&self, value: Value, depth: u32) -> bool {
        if !self.homes[value].is_some_and(|home| self.inside(home)) {
            return true;
        }
        let (Some(inst), Some(depth)) = (self.func.def_inst(value), depth.checked_sub(1)) else {
            return false;
        };
        let data = &self.func.insts[inst];
        !data.op.is_effect()
            && !data.args.is_empty()
            && data.args.iter().all(|a| self.unchanging(*a, depth))
    }

    /// The tests that every iteration passes or ends the loop by.
    fn tests(&self, dominators: &Dominators) -> Vec<Test> {
        let data = &self.loops.loops[self.id];
        let every_time =
            |b: &Block| data.latches.iter().all(|latch| dominators.dominates(*b, *latch));
        let blocks = data.blocks.iter().copied().filter(every_time);
        blocks.flat_map(|b| self.tests_of(b)).collect()
    }

    fn tests_of(&self, block: Block) -> Vec<Test> {
        let Terminator::Branch { cond, then_, else_ } = &self.func.blocks[block].term else {
            return vec![];
        };
        let stays = match (self.inside(then_.block), self.inside(else_.block)) {
            (true, false) => true,
            (false, true) => false,
            _ => return vec![],
        };
        let mut facts = vec![];
        condition_facts(self.func, *cond, stays, &mut facts);
        let tests = facts.iter().filter(|fact| self.invariant(fact.other)).filter_map(|fact| {
            let Progression { width, step, counter } = self.progression(fact.value, DEPTH)?;
            Some(Test { block, width, step, cc: fact.cc, other: fact.other, counter })
        });
        tests.collect()
    }

    /// What is added to parameter `k` of the header, `param`, in every iteration.
    fn step(&self, param: Value, k: usize) -> Option<i128> {
        let data = &self.loops.loops[self.id];
        let (ty, func) = (self.func.ty(param), self.func);
        if !ty.is_int() || ty.is_vector() {
            return None;
        }
        let mut found = None;
        for &latch in &data.latches {
            for call in
                func.blocks[latch].term.targets().into_iter().filter(|c| c.block == data.header)
            {
                let step = self.difference(param, call.args[k])?;
                if found.is_some_and(|other| other != step) {
                    return None;
                }
                found = Some(step);
            }
        }
        found
    }

    /// `next - param`, where that is a constant.
    fn difference(&self, param: Value, next: Value) -> Option<i128> {
        let data = &self.func.insts[self.func.def_inst(next)?];
        match (data.op, &data.args[..]) {
            (Op::Add, [a, b]) if *a == param => self.constant(*b),
            (Op::Add, [a, b]) if *b == param => self.constant(*a),
            (Op::Sub, [a, b]) if *a == param => self.constant(*b)?.checked_neg(),
            _ => None,
        }
    }

    fn constant(&self, value: Value) -> Option<i128> {
        Some(sign_extend(self.func.as_const(value)?, self.func.bits(value)))
    }

    fn progression(&self, value: Value, depth: u32) -> Option<Progression> {
        let depth = depth.checked_sub(1)?;
        let func = self.func;
        let header = self.loops.loops[self.id].header;
        let Some(inst) = func.def_inst(value) else {
            let k = func.blocks[header].params.iter().position(|p| *p == value)?;
            return Some(Progression {
                width: func.bits(value),
                step: self.step(value, k)?,
                counter: Some((k, 0)),
            });
        };
        let data = &func.insts[inst];
        match (data.op, &data.args[..]) {
            (Op::Add | Op::Sub, [a, b]) if self.invariant(*b) => {
                let constant = self
                    .constant(*b)
                    .and_then(|c| if data.op == Op::Sub { c.checked_neg() } else { Some(c) });
                Some(self.progression(*a, depth)?.displaced(constant))
            }
            (Op::Add, [a, b]) if self.invariant(*a) => {
                Some(self.progression(*b, depth)?.displaced(self.constant(*a)))
            }
            (Op::Sub, [a, b]) if self.invariant(*a) => {
                let of = self.progression(*b, depth)?;
                Some(Progression { step: of.step.checked_neg()?, counter: None, ..of })
            }
            (Op::Slice { lo: 0 }, [a]) => Some(Progression {
                width: func.bits(value),
                counter: None,
                ..self.progression(*a, depth)?
            }),
            _ => None,
        }
    }
}

impl Progression {
    /// With a constant added, or something else that does not change.
    fn displaced(self, by: Option<i128>) -> Progression {
        let counter =
            self.counter.zip(by).and_then(|((k, offset), by)| Some((k, offset.checked_add(by)?)));
        Progression { counter, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::entity::EntityRef;

    /// Walks every pair of a first value and another side within the ranges given, and in the order given where there is one, and gives the
    /// most steps before the test fails; none if it never does.
    fn walked(test: &Test, first: &Known, other: &Known, order: Option<Order>) -> Option<i128> {
        let mut most = 0;
        for start in (0..16u128).filter(|v| first.contains(*v)) {
            for end in (0..16u128).filter(|v| other.contains(*v)) {
                if order.is_some_and(|order| !stand_so(order, test.step, start, end)) {
                    continue;
                }
                let mut at = start;
                let mut steps = 0;
                while holds(test.cc, at, end) {
                    at = at.wrapping_add(test.step as u128) & 15;
                    steps += 1;
                    if steps > 16 {
                        return None;
                    }
                }
                most = most.max(steps);
            }
        }
        Some(most)
    }

    /// Whether the counter begins so far from the other side, on the side that it comes from.
    fn stand_so(order: Order, step: i128, start: u128, end: u128) -> bool {
        let value = |v| if order.signed { sign_extend(v, 4) } else { v as i128 };
        let towards = if step > 0 { value(end) - value(start) } else { value(start) - value(end) };
        towards >= order.least
    }

    fn holds(cc: IntCC, a: u128, b: u128) -> bool {
        Known::constant(4, a).compare(cc, &Known::constant(4, b)).expect("constants")
    }

    /// No limit is exceeded by any pair of values of 4 bits, for all ranges, steps, comparisons and orders; and counters towards their end
    /// have one.
    #[test]
    fn limits_hold_for_all_values() {
        use IntCC::{Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let orders = [None, Some((0, true)), Some((1, true)), Some((0, false)), Some((1, false))];
        let orders = orders.map(|o| o.map(|(least, signed)| Order { least, signed }));
        let signed: Vec<(i128, i128)> =
            (-8..8).flat_map(|a| (a..8).step_by(3).map(move |b| (a, b))).collect();
        let ranges: Vec<Known> = signed.iter().map(|&(a, b)| Known::signed(4, a, b)).collect();
        let (mut limited, mut exact, mut by_order) = (0u32, 0u32, 0u32);
        for cc in [Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge] {
            for step in [-5, -2, -1, 1, 2, 3] {
                let (block, other) = (EntityRef::new(0), EntityRef::new(0));
                let test = Test { block, width: 4, step, cc, other, counter: Some((0, 0)) };
                for (k, first) in ranges.iter().enumerate() {
                    for (other, order) in
                        ranges[k % 3..].iter().flat_map(|r| orders.map(|o| (r, o)))
                    {
                        let known = test.repetitions_from(*first, *other, order);
                        let free = test.repetitions_from(*first, *other, None);
                        by_order += u32::from(known.is_some() && free.is_none());
                        let steps = walked(&test, first, other, order);
                        for limit in [test.repetitions(), known].into_iter().flatten() {
                            limited += 1;
                            exact += u32::from(steps == Some(limit));
                            assert!(
                                steps.is_some_and(|s| s <= limit),
                                "{test:?} {first:?} {other:?} {steps:?} {limit}"
                            );
                        }
                    }
                }
            }
        }
        assert!(
            limited > 100_000 && exact > 40_000 && by_order > 1_000,
            "{limited} limits, {exact} of them exact, {by_order} known by the order"
        );
    }
}
