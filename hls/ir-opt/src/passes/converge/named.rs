//! Named barriers where work-items take turns.
//!
//! A named barrier is of a number of sub-groups, whichever come, and from whatever calls; a sub-group comes with all its work-items.
//! A call is two stops, one behind the other. The first is the *arrival*, at which a word of local memory that belongs to the
//! barrier counts sub-groups. Those that it is complete without stay where they are, and have their turn again when it counts
//! from the start; the others wait, until it is complete, with numbers that are larger than those of all stops. All
//! work-items go through each arrival, those that wait by any call look at the word of their own barrier there. Once it is complete they go
//! on to the second stop, at which the fence is.
//!
//! Since sub-groups that wait for each other may be anywhere between the first named barrier of a function and the last one, all of that
//! is one region. In it a barrier of the work-group, and the way out, are only for all work-items together: some may wait by a named barrier
//! meanwhile. Their numbers come behind those of other stops. Where there is nothing else to do, the program waits for sub-groups that do not come:
//! then the first work-item goes to another barrier of the work-group than some other one, which every device reports.

use super::Region;
use super::stops::{Kind, Stops};
use super::turns::{LOCAL, Turns};
use crate::edit::{self, Step};
use base::entity::{PrimaryMap, SecondaryMap};
use base::{Diagnostic, Loc, Result};
use ir::analysis::Cfg;
use ir::{
    AtomicOp, Block, Builder, Function, Global, GlobalData, Inst, IntCC, MemFlags, Object,
    ObjectData, ObjectKind, Op, Query, Space, SubGroupFn, SubGroupMark, Type, Value,
};

/// Bits of the number of sub-groups in the value that stands for a barrier; a work-group has fewer. Its own number is above.
const COUNT_BITS: u32 = 16;
const MOST: u32 = (1 << COUNT_BITS) - 1;

/// The named barriers of a function.
pub(super) struct Barriers {
    /// Local memory with a word for each, how many sub-groups have come.
    words: Object,
    /// A power of two.
    count: u32,
}

/// A call of a named barrier.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// Local memory with a word for each sub-group.
    pub tickets: Object,
    /// Work-items of a sub-group, a power of two.
    pub size: u32,
    pub barrier: Value,
    pub loc: Loc,
}

/// Whether an instruction begins a call of a named barrier.
pub(super) fn is_call(func: &Function, inst: Inst) -> bool {
    func.insts[inst].op == Op::SubGroup(SubGroupMark::Begin(SubGroupFn::NamedBarrier))
}

fn is_new(func: &Function, inst: Inst) -> bool {
    func.insts[inst].op == Op::SubGroup(SubGroupMark::NewBarrier)
}

fn has(func: &Function, block: Block, what: impl Fn(&Function, Inst) -> bool) -> bool {
    func.blocks[block].insts.iter().any(|i| what(func, *i))
}

/// Whether a named barrier is called in some blocks.
pub(super) fn is_in<'a>(func: &Function, blocks: impl IntoIterator<Item = &'a Block>) -> bool {
    blocks.into_iter().any(|b| has(func, *b, is_call))
}

/// The blocks on all ways from a call to a call, where the first of them begin with it if they are in none of some regions.
pub(super) fn between(func: &mut Function, regions: &[Region]) -> Vec<Block> {
    for block in func.layout.clone() {
        let at = func.blocks[block].insts.iter().position(|i| is_call(func, *i));
        let is_entry = block == func.entry();
        if let Some(at) = at.filter(|at| *at > 0 || is_entry)
            && !regions.iter().any(|r| r.blocks.contains(&block))
        {
            edit::split_block(func, block, at);
        }
    }
    let cfg = Cfg::new(func);
    let calls: Vec<Block> = cfg.rpo.iter().copied().filter(|b| is_in(func, [b])).collect();
    let [behind, before] = [&cfg.succs, &cfg.preds].map(|edges| closure(&calls, edges));
    cfg.rpo.iter().copied().filter(|b| behind[*b] && before[*b]).collect()
}

fn closure(from: &[Block], edges: &SecondaryMap<Block, Vec<Block>>) -> SecondaryMap<Block, bool> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut stack = from.to_vec();
    while let Some(b) = stack.pop() {
        if !std::mem::replace(&mut seen[b], true) {
            stack.extend(&edges[b]);
        }
    }
    seen
}

/// Gives the barriers of a function numbers, and memory.
pub(super) fn make(
    func: &mut Function,
    globals: &mut PrimaryMap<Global, GlobalData>,
) -> Result<Barriers> {
    check(func)?;
    let mut made = 0u32;
    edit::rewrite(func, |b, inst| {
        if !is_new(b.func, inst) {
            return Step::Keep;
        }
        let count = b.func.insts[inst].args[0];
        let [zero, one, most] = [0, 1, MOST].map(|n| b.constant(Type::I32, n.into()));
        let none = b.icmp(IntCC::Eq, count, zero);
        let count = b.select(none, one, count);
        let many = b.icmp(IntCC::Ugt, count, most);
        let count = b.select(many, most, count);
        let number = b.constant(Type::I32, u128::from(made << COUNT_BITS));
        made += 1;
        Step::Value(b.binary(Op::Or, count, number))
    });
    let count = made.max(1).next_power_of_two();
    let data = GlobalData {
        name: "named_barriers".to_owned(),
        space: Space::Local,
        size: 4 * u64::from(count),
        align: 4,
        init: None,
        relocations: vec![],
        loc: Loc::UNKNOWN,
    };
    let words = func.objects.push(ObjectData {
        name: data.name.clone(),
        space: data.space,
        size: data.size,
        align: data.align,
        kind: ObjectKind::Global(globals.push(data)),
        loc: Loc::UNKNOWN,
    });
    Ok(Barriers { words, count })
}

/// Each barrier has a number of its own, so no instruction makes two.
fn check(func: &Function) -> Result<()> {
    let cfg = Cfg::new(func);
    let insts = |b: &Block| func.blocks[*b].insts.iter().copied().filter(|i| is_new(func, *i));
    let error = |inst: Inst, what: &str| {
        let mut e = Diagnostic::error("E0308", what).at(func.insts[inst].loc);
        if !func.insts[inst].loc.is_known() {
            e = e.note(format!("in kernel `{}`", func.name));
        }
        e
    };
    for b in cfg.rpo.iter().filter(|b| cfg.reaches(**b).contains(*b)) {
        if let Some(inst) = insts(b).next() {
            let what = "a named barrier is made in a loop, while sub-groups may wait at the one made before it";
            let e = error(inst, what);
            return Err(e.help("make it in front of the loop: it can be used again").into());
        }
    }
    match cfg.rpo.iter().flat_map(insts).nth(MOST as usize) {
        Some(inst) => {
            Err(error(inst, &format!("the kernel makes more than {MOST} named barriers")).into())
        }
        None => Ok(()),
    }
}

impl Barriers {
    /// Nobody has come yet.
    pub(super) fn reset(&self, b: &mut Builder<'_>, turns: &Turns) {
        let zero = b.constant(Type::I32, 0);
        for k in 0..self.count {
            let k = b.constant(Type::I32, k.into());
            let place = turns.element(b, self.words, k);
            b.store(place, zero, MemFlags::aligned(4));
        }
    }
}

/// A turn at arrivals, as the work-item sees it.
struct Turn {
    /// The work-item's barrier: that at which it arrives, or waits.
    awaited: Value,
    arrives: Value,
    /// Whether it is the first of its sub-group.
    leads: Value,
    /// The word of its barrier.
    word: Value,
    /// The one of its sub-group.
    ticket: Value,
    /// The sub-groups that its barrier is of.
    count: Value,
}

/// What happens at an arrival. `number` is that of the stop, `behind` that of the second one; numbers of those that wait begin at `waiting`.
pub(super) struct Arrival<'a> {
    pub call: &'a Call,
    pub first: Block,
    pub number: u32,
    pub behind: u32,
    pub waiting: u32,
}

impl Arrival<'_> {
    /// Writes the blocks of the arrival, up to the wait for the next turn.
    pub(super) fn write(
        &self,
        func: &mut Function,
        turns: &Turns,
        barriers: &Barriers,
        stops: &Stops,
    ) {
        let [comes, looks, ends, goes] = [(); 4].map(|()| func.add_block());
        let flags = MemFlags::aligned(4);
        let mut b = turns.at(func, self.first, stops);
        b.loc = self.call.loc;
        let turn = self.begin(&mut b, turns, barriers);
        let first_comes = b.binary(Op::And, turn.arrives, turn.leads);
        b.branch(first_comes, comes, looks);

        b.switch_to(comes);
        let one = b.constant(Type::I32, 1);
        let before = b.atomic(AtomicOp::Add, Type::I32, turn.word, &[one], flags);
        b.store(turn.ticket, before, flags);
        b.jump(looks, []);

        b.switch_to(looks);
        b.barrier(LOCAL);
        let before = b.load(Type::I32, turn.ticket, flags);
        let total = b.load(Type::I32, turn.word, flags);
        // Others may begin to count anew.
        b.barrier(LOCAL);
        let (own, released) = self.outcome(&mut b, turns, &turn, before, total);
        let first_goes = b.binary(Op::And, released, turn.leads);
        b.branch(first_goes, ends, goes);

        b.switch_to(ends);
        let zero = b.constant(Type::I32, 0);
        b.store(turn.word, zero, flags);
        b.jump(goes, []);

        b.switch_to(goes);
        turns.wait_as(&mut b, own, Some(turn.awaited));
    }

    fn begin(&self, b: &mut Builder<'_>, turns: &Turns, barriers: &Barriers) -> Turn {
        let constant = |b: &mut Builder<'_>, n: u32| b.constant(Type::I32, n.into());
        let arrives = turns.is_own(b, self.number);
        let awaited = match turns.awaited {
            Some(before) => b.select(arrives, self.call.barrier, before),
            None => self.call.barrier,
        };
        let (shift, most) = (constant(b, COUNT_BITS), constant(b, MOST));
        let number = b.binary(Op::LShr, awaited, shift);
        let inside = constant(b, barriers.count - 1);
        // A program may have made a barrier of anything.
        let number = b.binary(Op::And, number, inside);
        let count = b.binary(Op::And, awaited, most);
        let word = turns.element(b, barriers.words, number);
        let rank = rank(b);
        let log_size = constant(b, self.call.size.ilog2());
        let sub_group = b.binary(Op::LShr, rank, log_size);
        let ticket = turns.element(b, self.call.tickets, sub_group);
        Turn { awaited, arrives, leads: leads(b, rank, self.call.size), word, ticket, count }
    }

    /// The number of the stop at which the work-item is behind this one, and whether it waits no longer. `before` is how many sub-groups came
    /// before its own one, if that arrives; `total` how many have come.
    fn outcome(
        &self,
        b: &mut Builder<'_>,
        turns: &Turns,
        turn: &Turn,
        before: Value,
        total: Value,
    ) -> (Value, Value) {
        let [waits, waiting] =
            [self.behind + self.waiting, self.waiting].map(|n| b.constant(Type::I32, n.into()));
        let is_needed = b.icmp(IntCC::Ult, before, turn.count);
        let came = b.binary(Op::And, turn.arrives, is_needed);
        let own = b.select(came, waits, turns.own);
        let is_waiting = b.icmp(IntCC::Uge, own, waiting);
        let is_complete = b.icmp(IntCC::Uge, total, turn.count);
        let released = b.binary(Op::And, is_waiting, is_complete);
        let behind = b.binary(Op::Sub, own, waiting);
        (b.select(released, behind, own), released)
    }
}

/// The work-item's number in the work-group, an i32.
fn rank(b: &mut Builder<'_>) -> Value {
    let rank = b.query(Query::LocalLinearId, 0);
    b.zext_or_trunc(rank, 32)
}

/// Whether it is the first of a run of work-items, whose length is a power of two.
fn leads(b: &mut Builder<'_>, rank: Value, size: u32) -> Value {
    let inside = b.constant(Type::I32, u128::from(size - 1));
    let inside = b.binary(Op::And, rank, inside);
    let zero = b.constant(Type::I32, 0);
    b.icmp(IntCC::Eq, inside, zero)
}

/// A block for those who wait for what does not come. The first work-item waits for the next turn, which there is not, since the others
/// wait at a barrier of their own.
pub(super) fn write_stuck(func: &mut Function, turns: &Turns, stops: &Stops) -> Block {
    let [stuck, first, others] = [(); 3].map(|()| func.add_block());
    let mut b = turns.at(func, stuck, stops);
    let call = stops.stops.iter().find_map(|s| match s.kind {
        Kind::Arrival(call, _) => Some(call.loc),
        _ => None,
    });
    b.loc = call.unwrap_or(stops.loc);
    let rank = rank(&mut b);
    let zero = b.constant(Type::I32, 0);
    let is_first = b.icmp(IntCC::Eq, rank, zero);
    b.branch(is_first, first, others);
    b.switch_to(first);
    turns.wait_as(&mut b, turns.own, turns.awaited);
    b.switch_to(others);
    b.barrier(LOCAL);
    // Nobody gets here, and nothing is to be kept for it.
    b.ret(None);
    stuck
}
