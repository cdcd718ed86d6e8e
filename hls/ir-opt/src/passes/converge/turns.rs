//! Work-items that take turns: functions of sub-groups where only some of a work-group may come.
//!
//! In a region in which work-items may be apart each one goes its own way up to its next *stop*: a function of sub-groups, a
//! barrier, the end of a loop's round ([`super::order`]) or the end of the region. There all work-items of the work-group meet,
//! and the stop with the least number that any of them has come to takes its turn: all go through what stands there, and those whose
//! stop it was go on; the others wait for the next turn, with their values.
//!
//! ```text
//! entry: ... jump turn(first, first, 0)
//! turn(own, next, k): switch next: the stop's blocks, ... the way out
//!   a stop's last block: branch own == its number: what follows, wait(own, k)
//!   what follows, up to the next stops: jump wait(number, k)
//! wait(own, k): turns[k + 1] = all ones; turns[k] = min(turns[k], own); barrier; jump turn(own, turns[k], k + 1)
//! ```
//!
//! Three words take turns, so that one barrier a turn is enough: while one is read the next one is written and the one after
//! that is set back. Values that live across a turn become parameters of these blocks ([`super::repair`]); so does the named barrier at which
//! a work-item waits, where there are any ([`super::named`]).

use super::Region;
use super::named::{self, Arrival, Barriers};
use super::repair;
use super::stops::{self, Kind, Stop, Stops};
use crate::passes::{scalarise, sroa};
use base::Result;
use base::entity::SecondaryMap;
use ir::{
    AtomicOp, Block, BlockCall, Builder, FenceFlags, Function, IntCC, MemFlags, Object, Op,
    Terminator, Type, Value,
};

/// The numbers of words in local memory.
const WORDS: u32 = 3;

/// What barriers between turns order.
pub(super) const LOCAL: FenceFlags = FenceFlags { local: true, global: false };

/// Lets work-items take turns in some regions. There are barriers where a region has named ones.
pub(super) fn run(
    func: &mut Function,
    regions: &[Region],
    barriers: Option<&Barriers>,
) -> Result<()> {
    let mut commits: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    for region in regions {
        let stops = stops::cut(func, region)?;
        for &(inside, next) in &stops.commits {
            commits[inside] = Some(next);
        }
        let named = barriers.filter(|_| stops.has_named);
        Turns::new(func, &stops).write(func, &stops, named);
    }
    repair::run(func, &commits);
    sroa::run(func);
    scalarise::run(func);
    Ok(())
}

/// The blocks that work-items take turns in.
pub(super) struct Turns {
    /// Where the next turn begins: parameters are the number of the work-item's own stop, that of the next one, and the word in use.
    turn: Block,
    /// Where work-items wait for all others; parameters are the number of the work-item's own stop, and the word in use.
    wait: Block,
    pub own: Value,
    word: Value,
    /// The named barrier at which the work-item waits, if it does; another parameter of both.
    pub awaited: Option<Value>,
    object: Object,
}

impl Turns {
    fn new(func: &mut Function, stops: &Stops) -> Turns {
        let [turn, wait] = [(); 2].map(|()| func.add_block());
        let [own, _next, word] = [(); 3].map(|()| func.add_param(turn, Type::I32));
        for _ in 0..2 {
            func.add_param(wait, Type::I32);
        }
        let awaited = stops.has_named.then(|| {
            func.add_param(wait, Type::I32);
            func.add_param(turn, Type::I32)
        });
        Turns { turn, wait, own, word, awaited, object: stops.turns }
    }

    fn write(&self, func: &mut Function, stops: &Stops, named: Option<&Barriers>) {
        let last = stops.entries.len() + stops.stops.len();
        self.write_turn(func, stops, last as u32, named);
        self.write_wait(func, stops);
        for (k, gate) in stops.entries.iter().enumerate() {
            self.write_entry(func, gate.outside, k as u32, stops, named);
        }
        for (k, gate) in stops.exits.iter().enumerate() {
            self.go_and_wait(func, gate.inside, (last + k) as u32, stops);
        }
        for stop in &stops.stops {
            self.go_and_wait(func, stop.wait, stop.number, stops);
            self.write_stop(func, stop, stops, named);
        }
        self.answer_marks(func, stops);
    }

    /// What comes behind a stop, and for an arrival what it does.
    fn write_stop(
        &self,
        func: &mut Function,
        stop: &Stop,
        stops: &Stops,
        named: Option<&Barriers>,
    ) {
        if let (Kind::Arrival(call, place), Some(barriers)) = (&stop.kind, named) {
            let behind = stops.stops[*place].number;
            let waiting = (stops.entries.len() + stops.stops.len() + stops.exits.len()) as u32;
            let (first, number) = (stop.first, stop.number);
            let arrival = Arrival { call, first, number, behind, waiting };
            return arrival.write(func, self, barriers, stops);
        }
        let mut b = self.at(func, stop.last, stops);
        if named.is_some() && stop.is_for_all() {
            return b.jump(stop.next, []);
        }
        let is_own = self.is_own(&mut b, stop.number);
        let then_ = BlockCall::new(stop.next, []);
        let else_ = BlockCall::new(self.wait, self.state(self.own, self.awaited));
        b.terminate(Terminator::Branch { cond: is_own, then_, else_ });
    }

    /// What goes to where work-items wait.
    fn state(&self, own: Value, awaited: Option<Value>) -> impl Iterator<Item = Value> {
        [own, self.word].into_iter().chain(awaited)
    }

    /// Waits for the next turn at a stop, by its number, and maybe at a named barrier.
    pub(super) fn wait_as(&self, b: &mut Builder<'_>, own: Value, awaited: Option<Value>) {
        b.jump(self.wait, self.state(own, awaited));
    }

    pub(super) fn at<'f>(
        &self,
        func: &'f mut Function,
        block: Block,
        stops: &Stops,
    ) -> Builder<'f> {
        let mut b = Builder::at(func, block);
        b.loc = stops.loc;
        b
    }

    pub(super) fn is_own(&self, b: &mut Builder<'_>, number: u32) -> Value {
        let number = b.constant(Type::I32, number.into());
        b.icmp(IntCC::Eq, self.own, number)
    }

    fn write_turn(&self, func: &mut Function, stops: &Stops, last: u32, named: Option<&Barriers>) {
        let entries = stops.entries.iter().enumerate().map(|(k, g)| (k as u32, g.inside));
        let bodies = stops.stops.iter().map(|s| (s.number, s.first));
        let exits = (last..).zip(stops.exits.iter().map(|g| g.outside));
        let mut all: Vec<(u32, Block)> = entries.chain(bodies).chain(exits.clone()).collect();
        all.sort();
        let value = func.blocks[self.turn].params[1];
        let default = match named {
            Some(_) => {
                let stuck = named::write_stuck(func, self, stops);
                let for_all = stops.stops.iter().filter(|s| s.is_for_all()).map(|s| s.number);
                let for_all: Vec<u32> = for_all.chain(exits.map(|e| e.0)).collect();
                for (number, to) in all.iter_mut().filter(|(n, _)| for_all.contains(n)) {
                    *to = self.if_own(func, *number, *to, stuck, stops);
                }
                stuck
            }
            // There are at least a way in and a function.
            None => match all.pop() {
                Some((_, default)) => default,
                None => return,
            },
        };
        let cases = all.into_iter().map(|(n, to)| (n.into(), BlockCall::new(to, []))).collect();
        let default = BlockCall::new(default, []);
        self.at(func, self.turn, stops).terminate(Terminator::Switch { value, cases, default });
    }

    /// A block that goes on to one where the stop is the work-item's own, to another one else.
    fn if_own(
        &self,
        func: &mut Function,
        number: u32,
        then_: Block,
        else_: Block,
        stops: &Stops,
    ) -> Block {
        let block = func.add_block();
        let mut b = self.at(func, block, stops);
        let is_own = self.is_own(&mut b, number);
        b.branch(is_own, then_, else_);
        block
    }

    fn write_wait(&self, func: &mut Function, stops: &Stops) {
        let params = &func.blocks[self.wait].params;
        let (own, word, awaited) = (params[0], params[1], params.get(2).copied());
        let mut b = self.at(func, self.wait, stops);
        let [zero, one, last] = [0, 1, WORDS - 1].map(|n| b.constant(Type::I32, n.into()));
        let wraps = b.icmp(IntCC::Eq, word, last);
        let after = b.binary(Op::Add, word, one);
        let after = b.select(wraps, zero, after);
        let [here, there] = [word, after].map(|w| self.element(&mut b, self.object, w));
        let flags = MemFlags::aligned(4);
        let none = b.constant(Type::I32, u32::MAX.into());
        b.store(there, none, flags);
        b.atomic(AtomicOp::UMin, Type::I32, here, &[own], flags);
        b.barrier(LOCAL);
        let next = b.load(Type::I32, here, flags);
        b.jump(self.turn, [own, next, after].into_iter().chain(awaited));
    }

    /// Sets the first word back, when nobody reads what an earlier region left there.
    fn write_entry(
        &self,
        func: &mut Function,
        block: Block,
        number: u32,
        stops: &Stops,
        named: Option<&Barriers>,
    ) {
        let mut b = self.at(func, block, stops);
        b.barrier(LOCAL);
        let zero = b.constant(Type::I32, 0);
        let none = b.constant(Type::I32, u32::MAX.into());
        let place = self.element(&mut b, self.object, zero);
        b.store(place, none, MemFlags::aligned(4));
        if let Some(barriers) = named {
            barriers.reset(&mut b, self);
        }
        b.barrier(LOCAL);
        let number = b.constant(Type::I32, number.into());
        b.jump(self.turn, [number, number, zero].into_iter().chain(self.awaited.map(|_| zero)));
    }

    /// The address of a word in local memory.
    pub(super) fn element(&self, b: &mut Builder<'_>, object: Object, word: Value) -> Value {
        let base = b.obj_addr(object);
        let word = b.zext_or_trunc(word, b.func.addr_bits);
        let shift = b.size(2);
        let offset = b.binary(Op::Shl, word, shift);
        b.ptr_add(base, offset)
    }

    fn go_and_wait(&self, func: &mut Function, from: Block, number: u32, stops: &Stops) {
        let mut b = self.at(func, from, stops);
        let number = b.constant(Type::I32, number.into());
        self.wait_as(&mut b, number, self.awaited);
    }

    /// Puts values for the results of brackets in front of what stood between them.
    fn answer_marks(&self, func: &mut Function, stops: &Stops) {
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        for &(stop, active) in &stops.active {
            let stop = &stops.stops[stop];
            let is_own = in_front(func, stop.first, |b| self.is_own(b, stop.number));
            map[active] = Some(is_own);
        }
        for (stop, &parted) in stops.stops.iter().zip(&stops.parted) {
            map[parted] = Some(in_front(func, stop.first, |b| b.bool(true)));
        }
        func.substitute(&map);
    }
}

/// A value made at the start of a block.
fn in_front(
    func: &mut Function,
    block: Block,
    make: impl FnOnce(&mut Builder<'_>) -> Value,
) -> Value {
    let rest = std::mem::take(&mut func.blocks[block].insts);
    let value = make(&mut Builder::at(func, block));
    func.blocks[block].insts.extend(rest);
    value
}
