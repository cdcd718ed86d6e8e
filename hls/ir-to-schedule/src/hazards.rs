//! Lets iterations of a loop over an array follow one another although some may come to one address, and holds those that do.
//!
//! ```text
//! do {                     II by the longest way    iterations held where keys are equal
//!   k = key[i];            0: load   t[k]           0: load   t[k]
//!   t[k] += value[i];      2: fadd                  1: load   t[k of the next]   unless it is k: then in cycle 9
//!   ...                    8: store  t[k]           2: ...
//! } while (...);           9: load of the next      8: store  t[k]
//! ```
//!
//! Addresses of most iterations differ, but no compiler can know. So they are computed a segment before the accesses, and each iteration that
//! comes to these is compared with those that have entered in the last cycles (`clhls_hazard_gate`): a later access waits in front of
//! the segment until the earlier one of the same address is done. It takes no longer than it would if all waited.
//!
//! The idea is the stall of a processor's pipeline on a hazard, found by address in place of a register's number.

use crate::distances::Distances;
use crate::{bypass, timed};
use ir::{Block, Function, Inst};
use schedule::{Bound, InTurn, KernelSchedule};

/// Most comparators of a loop.
const MOST_COMPARATORS: u32 = 96;

/// Accesses of a loop, the earlier iteration's and the later one's, of which the second is held.
#[derive(Clone, Debug)]
pub struct Held {
    /// The loop.
    pub block: Block,
    /// The accesses.
    pub pairs: Vec<(Inst, Inst)>,
}

/// Loops whose interval is longer than the rest asks for because any two iterations may come to one address, and those of their accesses that
/// ask for more.
pub fn candidates(s: &KernelSchedule) -> Vec<Held> {
    let mut out = vec![];
    for (&block, bound) in &s.bound {
        let Bound::Turns { otherwise } = *bound else { continue };
        let insts = &s.func.blocks[block].insts;
        let slow = |t: &&InTurn| insts.contains(&t.first) && t.interval(s) > otherwise;
        let mut distances = Distances::new(&s.func, block);
        // Those that meet in every iteration would be held in every iteration.
        let mut known =
            |t: &InTurn| timed::exact_distance(s, &mut distances, t.first, t.second).is_some();
        let slow = s.in_turn.iter().filter(slow).filter(|t| !known(t));
        let slow: Vec<InTurn> = slow.copied().collect();
        let plain = |i: Inst| !s.accesses[&i].is_realigned();
        if s.pipelined.contains_key(&block)
            && slow.iter().all(|t| plain(t.first) && plain(t.second))
        {
            out.push(Held { block, pairs: slow.iter().map(|t| (t.first, t.second)).collect() });
        }
    }
    out.retain(|h| !h.pairs.is_empty());
    out
}

/// Whether the accesses of a loop can be held so: addresses are known in front of their segment, and there are few comparators.
pub fn stand(s: &KernelSchedule, block: Block) -> bool {
    let insts = &s.func.blocks[block].insts;
    let own = || s.in_turn.iter().filter(|t| t.held && insts.contains(&t.first));
    let comparators: u32 = own().filter_map(|t| t.window(s)).map(|w| w - 1).sum();
    let known = |inst: Inst| {
        let segment = match s.place[inst] {
            Some(schedule::Place::Segment { segment, .. }) => segment,
            _ => return false,
        };
        addresses(&s.func, inst).all(|v| s.stands_in_front(block, segment, v))
    };
    s.pipelined.contains_key(&block)
        && comparators <= MOST_COMPARATORS
        && own().all(|t| known(t.first) && known(t.second))
}

/// Whether iterations of a loop come so much sooner, and not much later where addresses are equal, than they did.
pub fn pays(before: &KernelSchedule, with: &KernelSchedule, block: Block) -> bool {
    let insts = &with.func.blocks[block].insts;
    let own = with.in_turn.iter().filter(|t| insts.contains(&t.first));
    let longest = own.filter_map(|t| t.window(with)).max().unwrap_or(1);
    let now = before.loops.iter().find(|l| l.header == block).map_or(1, |l| l.ii);
    bypass::pays(before, with, block) && 2 * longest <= 3 * now
}

/// What tells whether and where an access happens: its address, and its predicate.
pub fn addresses(func: &Function, inst: Inst) -> impl Iterator<Item = ir::Value> + '_ {
    let data = &func.insts[inst];
    let predicate = data.args.last().filter(|_| data.op.predicated() == Some(true));
    data.args.first().into_iter().chain(predicate).copied()
}

/// What the report tells of an interval that not every iteration keeps.
pub fn said(s: &KernelSchedule, block: Block) -> Option<String> {
    let insts = &s.func.blocks[block].insts;
    let own = s.in_turn.iter().filter(|t| insts.contains(&t.first));
    let t = own.filter(|t| t.window(s).is_some()).max_by_key(|t| t.window(s))?;
    let name = &s.memories[s.accesses[&t.first].memory].name;
    let cycles = t.window(s)?;
    Some(format!(
        "an iteration that comes to an address of `{name}` to which one before it has yet to store waits for that, up to {} cycles",
        cycles - 1
    ))
}
