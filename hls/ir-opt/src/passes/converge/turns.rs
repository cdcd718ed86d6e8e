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
//! that is set back. Values that live across a turn become parameters of these blocks ([`super::repair`]).

use super::Region;
use super::repair;
use super::stops::{self, Stops};
use crate::passes::{scalarise, sroa};
use base::Result;
use base::entity::SecondaryMap;
use ir::{
    AtomicOp, Block, BlockCall, Builder, FenceFlags, Function, IntCC, MemFlags, Object, Op,
    Terminator, Type, Value,
};

/// The numbers of words in local memory.
const WORDS: u32 = 3;

/// Lets work-items take turns in some regions.
pub(super) fn run(func: &mut Function, regions: &[Region]) -> Result<()> {
    let mut commits: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    for region in regions {
        let stops = stops::cut(func, region)?;
        for &(inside, next) in &stops.commits {
            commits[inside] = Some(next);
        }
        Turns::new(func, &stops).write(func, &stops);
    }
    repair::run(func, &commits);
    sroa::run(func);
    scalarise::run(func);
    Ok(())
}

/// The blocks that work-items take turns in.
struct Turns {
    /// Where the next turn begins: parameters are the number of the work-item's own stop, that of the next one, and the word in use.
    turn: Block,
    /// Where work-items wait for all others; parameters are the number of the work-item's own stop, and the word in use.
    wait: Block,
    own: Value,
    word: Value,
    object: Object,
}

impl Turns {
    fn new(func: &mut Function, stops: &Stops) -> Turns {
        let [turn, wait] = [(); 2].map(|()| func.add_block());
        let [own, _next, word] = [(); 3].map(|()| func.add_param(turn, Type::I32));
        for _ in 0..2 {
            func.add_param(wait, Type::I32);
        }
        Turns { turn, wait, own, word, object: stops.turns }
    }

    fn write(&self, func: &mut Function, stops: &Stops) {
        let last = stops.entries.len() + stops.stops.len();
        self.write_turn(func, stops, last as u32);
        self.write_wait(func, stops);
        for (k, gate) in stops.entries.iter().enumerate() {
            self.write_entry(func, gate.outside, k as u32, stops);
        }
        if let Some(gate) = &stops.exit {
            self.go_and_wait(func, gate.inside, last as u32, stops);
        }
        for stop in &stops.stops {
            self.go_and_wait(func, stop.wait, stop.number, stops);
            let mut b = self.at(func, stop.last, stops);
            let is_own = self.is_own(&mut b, stop.number);
            let then_ = BlockCall::new(stop.next, []);
            let else_ = BlockCall::new(self.wait, [self.own, self.word]);
            b.terminate(Terminator::Branch { cond: is_own, then_, else_ });
        }
        self.answer_marks(func, stops);
    }

    fn at<'f>(&self, func: &'f mut Function, block: Block, stops: &Stops) -> Builder<'f> {
        let mut b = Builder::at(func, block);
        b.loc = stops.loc;
        b
    }

    fn is_own(&self, b: &mut Builder<'_>, number: u32) -> Value {
        let number = b.constant(Type::I32, number.into());
        b.icmp(IntCC::Eq, self.own, number)
    }

    fn write_turn(&self, func: &mut Function, stops: &Stops, last: u32) {
        let entries = stops.entries.iter().enumerate().map(|(k, g)| (k as u32, g.inside));
        let bodies = stops.stops.iter().map(|s| (s.number, s.first));
        let exit = stops.exit.iter().map(|g| (last, g.outside));
        let mut all: Vec<(u32, Block)> = entries.chain(bodies).chain(exit).collect();
        all.sort();
        let value = func.blocks[self.turn].params[1];
        // There are at least a way in and a function.
        let Some((_, default)) = all.pop() else { return };
        let cases = all.into_iter().map(|(n, to)| (n.into(), BlockCall::new(to, []))).collect();
        let default = BlockCall::new(default, []);
        self.at(func, self.turn, stops).terminate(Terminator::Switch { value, cases, default });
    }

    fn write_wait(&self, func: &mut Function, stops: &Stops) {
        let params = &func.blocks[self.wait].params;
        let (own, word) = (params[0], params[1]);
        let mut b = self.at(func, self.wait, stops);
        let [zero, one, last] = [0, 1, WORDS - 1].map(|n| b.constant(Type::I32, n.into()));
        let wraps = b.icmp(IntCC::Eq, word, last);
        let after = b.binary(Op::Add, word, one);
        let after = b.select(wraps, zero, after);
        let [here, there] = [word, after].map(|w| self.place(&mut b, w));
        let flags = MemFlags::aligned(4);
        let none = b.constant(Type::I32, u32::MAX.into());
        b.store(there, none, flags);
        b.atomic(AtomicOp::UMin, Type::I32, here, &[own], flags);
        b.barrier(FenceFlags { local: true, global: false });
        let next = b.load(Type::I32, here, flags);
        b.jump(self.turn, [own, next, after]);
    }

    /// Sets the first word back, when nobody reads what an earlier region left there.
    fn write_entry(&self, func: &mut Function, block: Block, number: u32, stops: &Stops) {
        let mut b = self.at(func, block, stops);
        let local = FenceFlags { local: true, global: false };
        b.barrier(local);
        let zero = b.constant(Type::I32, 0);
        let none = b.constant(Type::I32, u32::MAX.into());
        let place = self.place(&mut b, zero);
        b.store(place, none, MemFlags::aligned(4));
        b.barrier(local);
        let number = b.constant(Type::I32, number.into());
        b.jump(self.turn, [number, number, zero]);
    }

    /// The address of a word.
    fn place(&self, b: &mut Builder<'_>, word: Value) -> Value {
        let base = b.obj_addr(self.object);
        let word = b.zext_or_trunc(word, b.func.addr_bits);
        let shift = b.size(2);
        let offset = b.binary(Op::Shl, word, shift);
        b.ptr_add(base, offset)
    }

    fn go_and_wait(&self, func: &mut Function, from: Block, number: u32, stops: &Stops) {
        let mut b = self.at(func, from, stops);
        let number = b.constant(Type::I32, number.into());
        b.jump(self.wait, [number, self.word]);
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
