//! Known facts of all integers of a function: a forward fixed point that follows branches.

use super::Known;
use super::transfer::transfer;
use super::trips::{CountedLoop, Order, counted_loops};
use crate::bits::ones;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, Function, Inst, IntCC, KernelInfo, Op, Query, Terminator, Value, ValueDef};

/// Changes of a block parameter before its ranges are widened.
const CHANGES_BEFORE_WIDENING: u32 = 3;
/// Changes of a block parameter before its known bits are widened too.
const CHANGES_OF_BITS: u32 = 12;
/// Changes of a block parameter after which nothing is assumed of it.
const MOST_CHANGES: u32 = 24;

/// Operations through which what holds in a block is followed from their operands to a result from before.
const LOOK_THROUGH: u32 = 4;

/// What is known of each integer of a function.
pub struct Ranges {
    known: SecondaryMap<Value, Option<Known>>,
    facts: SecondaryMap<Block, Vec<Fact>>,
    idom: SecondaryMap<Block, Option<Block>>,
    has_fact: SecondaryMap<Value, bool>,
    /// Block of each value: facts are told of it only below.
    home: SecondaryMap<Value, Option<Block>>,
    /// Loops with counters, by their headers.
    counted: SecondaryMap<Block, Option<CountedLoop>>,
    /// Places of each block's parameters, in the order in which they are looked at.
    order: SecondaryMap<Block, Vec<usize>>,
}

/// Places of a block's parameters, so that those that take others over in the next iteration of a loop come behind these: what is known of
/// the first goes down a whole delay line in one sweep.
fn order_of_params(func: &Function, cfg: &Cfg, block: Block) -> Vec<usize> {
    let params = &func.blocks[block].params;
    let place = |v: Value| match func.values[v].def {
        ValueDef::Param(b, k) if b == block => Some(k as usize),
        _ => None,
    };
    let calls: Vec<_> = cfg.preds[block]
        .iter()
        .flat_map(|pred| func.blocks[*pred].term.targets())
        .filter(|call| call.block == block)
        .collect();
    let (mut order, mut seen) = (vec![], vec![false; params.len()]);
    for k in 0..params.len() {
        // Each takes over from at most one that was not seen: others wait for the next sweep.
        let (mut line, mut at) = (vec![], Some(k));
        while let Some(k) = at.filter(|k| !std::mem::replace(&mut seen[*k], true)) {
            line.push(k);
            at = calls.iter().filter_map(|call| place(call.args[k])).find(|j| !seen[*j]);
        }
        order.extend(line.into_iter().rev());
    }
    order
}

/// `value cc other` holds.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) value: Value,
    pub(super) cc: IntCC,
    pub(super) other: Value,
}

impl Ranges {
    /// Analyses `func`; work-groups have at most `max_work_group_size` work-items where the
    /// kernel does not say.
    pub fn new(func: &Function, max_work_group_size: u32) -> Self {
        let cfg = Cfg::new(func);
        let dominators = Dominators::new(func, &cfg);
        let mut r = Ranges {
            known: SecondaryMap::new(),
            facts: SecondaryMap::new(),
            idom: SecondaryMap::new(),
            has_fact: SecondaryMap::new(),
            home: func.homes(),
            counted: counted_loops(func, &cfg, &dominators),
            order: SecondaryMap::new(),
        };
        r.known.resize(func.values.len());
        for &b in &cfg.rpo {
            r.order[b] = order_of_params(func, &cfg, b);
            r.idom[b] = dominators.idom(b);
            if let [pred] = cfg.preds[b][..] {
                r.facts[b] = edge_facts(func, pred, b);
            }
            for f in &r.facts[b] {
                r.has_fact[f.value] = true;
            }
        }
        let limits = Limits::new(func.kernel.as_ref(), max_work_group_size);
        let mut changes: SecondaryMap<Value, u32> = SecondaryMap::new();
        while r.sweep(func, &cfg, &limits, Some(&mut changes)) {}
        // From a fixed point downwards: what widening lost.
        for _ in 0..2 {
            r.sweep(func, &cfg, &limits, None);
        }
        r
    }

    /// What is known of `value` wherever it is defined.
    pub fn known(&self, func: &Function, value: Value) -> Known {
        let top = Known::top(func.bits(value).clamp(1, 128));
        self.known.get(value).copied().flatten().unwrap_or(top)
    }

    /// What is known of `value` in `block`: also what the branches before it tell.
    pub fn known_in(&self, func: &Function, value: Value, block: Block) -> Known {
        let known = self.known(func, value);
        self.refine(func, known, value, block)
    }

    /// The same, and what that tells of the operands that `value` was computed from before, up to `depth` operations back.
    fn known_through(&self, func: &Function, value: Value, block: Block, depth: u32) -> Known {
        let known = self.known_in(func, value, block);
        let (Some(inst), Some(depth)) = (func.def_inst(value), depth.checked_sub(1)) else {
            return known;
        };
        let d = &func.insts[inst];
        let integers = d.args.iter().all(|a| func.ty(*a).is_int() && !func.ty(*a).is_vector());
        if d.op.is_effect() || d.args.is_empty() || !integers || matches!(d.op, Op::Lookup(_)) {
            return known;
        }
        let args: Vec<Known> =
            d.args.iter().map(|a| self.known_through(func, *a, block, depth)).collect();
        known.meet(&transfer(d.op, known.width, &args, || None))
    }

    fn refine(&self, func: &Function, mut known: Known, value: Value, block: Block) -> Known {
        if !self.has_fact.get(value).copied().unwrap_or(false) {
            return known;
        }
        let home = self.home.get(value).copied().flatten();
        let mut at = Some(block);
        while let Some(b) = at.filter(|b| Some(*b) != home) {
            for f in self.facts[b].iter().filter(|f| f.value == value) {
                known = known.given(f.cc, &self.known(func, f.other));
            }
            at = self.idom[b];
        }
        known
    }

    /// One pass over all blocks; gives whether a fact grew. Without `changes` parameters are
    /// recomputed and can only shrink.
    fn sweep(
        &mut self,
        func: &Function,
        cfg: &Cfg,
        limits: &Limits,
        mut changes: Option<&mut SecondaryMap<Value, u32>>,
    ) -> bool {
        let mut changed = false;
        for &b in &cfg.rpo {
            let bounds = self.bounds(func, cfg, limits, b);
            for n in 0..self.order[b].len() {
                let k = self.order[b][n];
                let p = func.blocks[b].params[k];
                if !func.ty(p).is_int() || func.ty(p).is_vector() {
                    continue;
                }
                let Some(new) = self.incoming(func, cfg, limits, (b, k), |_| true) else {
                    continue;
                };
                let bound = bounds.get(k).copied().flatten();
                let bounded = |known: Known| bound.map_or(known, |bound| known.meet(&bound));
                let new = bounded(new);
                match (&mut changes, self.known[p]) {
                    (Some(changes), Some(old)) => {
                        let joined = old.join(&new);
                        if joined != old {
                            changes[p] += 1;
                            changed = true;
                            self.known[p] = Some(bounded(match changes[p] {
                                n if n > MOST_CHANGES => Known::top(old.width),
                                n if n > CHANGES_OF_BITS => joined.widen_bits(&old),
                                n if n > CHANGES_BEFORE_WIDENING => joined.widen(&old),
                                _ => joined,
                            }));
                        }
                    }
                    (Some(_), None) => {
                        self.known[p] = Some(new);
                        changed = true;
                    }
                    (None, _) => self.known[p] = Some(new),
                }
            }
            for &i in &func.blocks[b].insts {
                let Some(r) = func.insts[i].result else { continue };
                if let Some(new) = self.evaluate(func, b, i, limits, &[])
                    && self.known[r] != Some(new)
                {
                    self.known[r] = Some(new);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Where the counters among the parameters of a loop's header can be, whatever the edges tell of them.
    fn bounds(
        &self,
        func: &Function,
        cfg: &Cfg,
        limits: &Limits,
        header: Block,
    ) -> Vec<Option<Known>> {
        let Some(counted) = self.counted.get(header).and_then(Option::as_ref) else {
            return vec![];
        };
        let outside = |pred: Block| !self.dominated(pred, header);
        let starts: Vec<Option<Known>> = (0..counted.steps.len())
            .map(|k| {
                counted.steps[k]
                    .and_then(|_| self.incoming(func, cfg, limits, (header, k), outside))
            })
            .collect();
        let order = |k, other, upwards| self.order_at_entry(func, cfg, (header, k), other, upwards);
        let known = |v, b| self.known_through(func, v, b, LOOK_THROUGH);
        let Some(times) = counted.repetitions(|k| starts[k], known, order) else { return vec![] };
        let bound = |(start, step): (&Option<Known>, &Option<i128>)| {
            let way = (*step)?.checked_mul(times)?;
            Some((*start)?.advanced(way.min(0), way.max(0)))
        };
        starts.iter().zip(&counted.steps).map(bound).collect()
    }

    /// How `other` and what parameter `k` of a loop's header begins with stand to one another: `other` less the parameter, or with
    /// `false` the other way round. Only where the loop is entered in one place.
    fn order_at_entry(
        &self,
        func: &Function,
        cfg: &Cfg,
        (header, k): (Block, usize),
        other: Value,
        upwards: bool,
    ) -> Option<Order> {
        let outside = |p: &&Block| cfg.is_reachable(**p) && !self.dominated(**p, header);
        let mut entries = cfg.preds[header].iter().filter(outside);
        let (Some(&entry), None) = (entries.next(), entries.next()) else { return None };
        let targets = func.blocks[entry].term.targets();
        let call = targets.iter().find(|call| call.block == header)?;
        let (start, facts) = (call.args[k], edge_facts(func, entry, header));
        let (a, b) = if upwards { (other, start) } else { (start, other) };
        self.order(func, a, b, entry, &facts)
    }

    /// Whether `header` dominates `block`.
    fn dominated(&self, block: Block, header: Block) -> bool {
        let mut at = Some(block);
        while let Some(b) = at.filter(|b| *b != header) {
            at = self.idom[b];
        }
        at.is_some()
    }

    /// The join of the arguments of parameter `k` of `block` from the blocks that `of` takes; none before any is known.
    fn incoming(
        &self,
        func: &Function,
        cfg: &Cfg,
        limits: &Limits,
        (block, k): (Block, usize),
        of: impl Fn(Block) -> bool,
    ) -> Option<Known> {
        let mut joined: Option<Known> = None;
        let mut seen: Vec<Block> = vec![];
        for &pred in cfg.preds[block].iter().filter(|p| cfg.is_reachable(**p) && of(**p)) {
            if seen.contains(&pred) {
                continue;
            }
            seen.push(pred);
            for call in func.blocks[pred].term.targets() {
                if call.block != block {
                    continue;
                }
                let arg = call.args[k];
                let Some(mut known) = self.known[arg] else { continue };
                let edge = edge_facts(func, pred, block);
                known = self.refine(func, known, arg, pred);
                known = self.given_facts(func, known, arg, &edge);
                // What holds on the edge may say more of the operands than it did when the
                // argument was computed: `i - 1` behind `i != 0`.
                if let Some(inst) = func.def_inst(arg)
                    && let Some(again) = self.evaluate(func, pred, inst, limits, &edge)
                {
                    known = known.meet(&again);
                }
                joined = Some(joined.map_or(known, |j| j.join(&known)));
            }
        }
        joined
    }

    fn given_facts(&self, func: &Function, known: Known, value: Value, facts: &[Fact]) -> Known {
        let about = facts.iter().filter(|f| f.value == value);
        about.fold(known, |k, f| k.given(f.cc, &self.known(func, f.other)))
    }

    /// What is known of a result where `block` and `facts` hold; none while an operand has not
    /// been reached.
    fn evaluate(
        &self,
        func: &Function,
        block: Block,
        inst: Inst,
        limits: &Limits,
        facts: &[Fact],
    ) -> Option<Known> {
        let d = &func.insts[inst];
        let ty = func.ty(d.result?);
        if ty.is_vector() || !ty.is_int() {
            return None;
        }
        let width = ty.lane_bits(func.addr_bits);
        match d.op {
            Op::Const(c) => return Some(Known::constant(width, c)),
            Op::WorkItem(query, dim) => return Some(limits.query(query, dim, width)),
            op if op.is_effect() => return Some(Known::top(width)),
            _ => {}
        }
        let mut args = Vec::with_capacity(d.args.len());
        for (k, &a) in d.args.iter().enumerate() {
            let ty = func.ty(a);
            if !ty.is_int() || ty.is_vector() {
                return Some(Known::top(width));
            }
            let known = self.refine(func, self.known[a]?, a, block);
            let known = self.given_facts(func, known, a, facts);
            // A value is selected only where the condition is as it must be: `a < b ? a : b`.
            let mut chosen = vec![];
            if d.op == Op::Select && k > 0 {
                condition_facts(func, d.args[0], k == 1, &mut chosen);
            }
            args.push(self.given_facts(func, known, a, &chosen));
        }
        let table = || match d.op {
            Op::Lookup(t) => func.tables.get(t).cloned(),
            _ => None,
        };
        let known = transfer(d.op, width, &args, table);
        let order = (d.op == Op::Sub)
            .then(|| self.order(func, d.args[0], d.args[1], block, facts))
            .flatten();
        Some(order.map_or(known, |order| known.meet(&order.of_difference(width, &args))))
    }

    /// How two values stand to one another in `block`, where `facts` hold, too.
    fn order(
        &self,
        func: &Function,
        a: Value,
        b: Value,
        block: Block,
        facts: &[Fact],
    ) -> Option<Order> {
        let known = self.order_by_facts(a, b, block, facts);
        let extended = |v: Value| func.def_inst(v).map(|i| (func.insts[i].op, &func.insts[i].args));
        let narrow = match (extended(a), extended(b)) {
            (Some((op, x)), Some((of_b, y)))
                if op == of_b
                    && matches!(op, Op::Sext | Op::Zext)
                    && func.ty(x[0]) == func.ty(y[0]) =>
            {
                let order = self.order_by_facts(x[0], y[0], block, facts);
                order.filter(|order| order.signed == (op == Op::Sext))
            }
            _ => None,
        };
        known.into_iter().chain(narrow).max_by_key(|o| o.least)
    }

    fn order_by_facts(&self, a: Value, b: Value, block: Block, facts: &[Fact]) -> Option<Order> {
        let mut found = vec![];
        let mut look = |facts: &[Fact]| {
            let about = facts.iter().filter(|f| f.value == a && f.other == b);
            found.extend(about.filter_map(|f| Order::of(f.cc)));
        };
        look(facts);
        if self.has_fact.get(a).copied().unwrap_or(false) {
            let home = self.home.get(a).copied().flatten();
            let mut at = Some(block);
            while let Some(b) = at.filter(|b| Some(*b) != home) {
                look(&self.facts[b]);
                at = self.idom[b];
            }
        }
        found.into_iter().max_by_key(|o| o.least)
    }
}

impl Order {
    fn of(cc: IntCC) -> Option<Order> {
        match cc {
            IntCC::Sgt => Some(Order { least: 1, signed: true }),
            IntCC::Sge => Some(Order { least: 0, signed: true }),
            IntCC::Ugt => Some(Order { least: 1, signed: false }),
            IntCC::Uge => Some(Order { least: 0, signed: false }),
            _ => None,
        }
    }

    /// What is known of `a - b`, of which `args` are known.
    fn of_difference(self, width: u32, args: &[Known]) -> Known {
        let (a, b) = (&args[0], &args[1]);
        let top = Known::top(width);
        if !self.signed {
            return Known::unsigned(width, self.least as u128, a.umax.saturating_sub(b.umin));
        }
        match a.smax.checked_sub(b.smin) {
            Some(most) if most <= top.smax => Known::signed(width, self.least, most),
            _ => top,
        }
    }
}

/// What holds on the edge from `pred` to `block`, when that is one edge.
fn edge_facts(func: &Function, pred: Block, block: Block) -> Vec<Fact> {
    let mut facts = vec![];
    if let Terminator::Branch { cond, then_, else_ } = &func.blocks[pred].term
        && then_.block != else_.block
    {
        condition_facts(func, *cond, then_.block == block, &mut facts);
    }
    facts
}

pub(super) fn condition_facts(func: &Function, cond: Value, holds: bool, facts: &mut Vec<Fact>) {
    let Some(i) = func.def_inst(cond) else { return };
    let d = &func.insts[i];
    match d.op {
        Op::ICmp(cc) if func.ty(d.args[0]).is_int() => {
            let cc = if holds { cc } else { cc.inverse() };
            facts.push(Fact { value: d.args[0], cc, other: d.args[1] });
            facts.push(Fact { value: d.args[1], cc: cc.swapped(), other: d.args[0] });
        }
        Op::And if holds => d.args.iter().for_each(|a| condition_facts(func, *a, true, facts)),
        Op::Or if !holds => d.args.iter().for_each(|a| condition_facts(func, *a, false, facts)),
        Op::Not => condition_facts(func, d.args[0], !holds, facts),
        _ => {}
    }
}

/// Bounds of the answers to work-item queries.
struct Limits {
    /// Largest work-group in each dimension.
    group: [u128; 3],
    /// Largest number of work-items of a group.
    product: u128,
    single: bool,
    /// Work-items of a token.
    lanes: u32,
    /// Whether the first of them is always there.
    whole: bool,
}

/// Sizes of an NDRange fit in 32 bits: the hardware's counters have no more.
const LARGEST_SIZE: u128 = u32::MAX as u128;

impl Limits {
    fn new(kernel: Option<&KernelInfo>, default: u32) -> Self {
        let product = |s: [u32; 3]| s.iter().map(|n| u128::from((*n).max(1))).product::<u128>();
        let single = kernel.is_some_and(|k| k.max_global_work_dim == Some(0));
        let lanes = kernel.and_then(|k| k.simd_lanes).unwrap_or(1);
        let whole = lanes == 1 || kernel.is_some_and(|k| k.simd_group_rows);
        if single {
            return Limits { group: [1; 3], product: 1, single, lanes, whole };
        }
        if let Some(s) = kernel.and_then(|k| k.reqd_work_group_size) {
            let group = s.map(|n| n.max(1).into());
            return Limits { group, product: product(s), single, lanes, whole };
        }
        // A largest size is a number of work-items: how a launch spreads them over the
        // dimensions is its business.
        let most = kernel.and_then(KernelInfo::largest_work_group).unwrap_or(default);
        let most = u128::from(most.max(1));
        Limits { group: [most; 3], product: most, single, lanes, whole }
    }

    fn query(&self, query: Query, dim: u8, width: u32) -> Known {
        let group = self.group[usize::from(dim.min(2))].min(self.product);
        let (min, max) = match query {
            Query::WorkDim => (1, 3),
            Query::LocalId => (0, group - 1),
            Query::LocalSize | Query::EnqueuedLocalSize => (1, group),
            Query::LocalLinearId => (0, self.product - 1),
            Query::GroupId if self.single => (0, 0),
            Query::NumGroups | Query::GlobalSize if self.single => (1, 1),
            Query::NumGroups | Query::GlobalSize => (1, LARGEST_SIZE),
            Query::GroupId | Query::GlobalId => (0, LARGEST_SIZE - 1),
            Query::GlobalOffset => (0, LARGEST_SIZE - 1),
            // The product of three sizes.
            Query::GlobalLinearId => (0, u128::MAX),
            Query::LaneMask => (1, ones(self.lanes)),
        };
        let known = Known::unsigned(width, min, max);
        match query {
            Query::GlobalId | Query::LocalId if dim == 0 && self.lanes.is_power_of_two() => {
                known.meet(&Known::bits(width, u128::from(self.lanes) - 1, 0))
            }
            Query::LaneMask if self.whole => known.meet(&Known::bits(width, 0, 1)),
            _ => known,
        }
    }
}
