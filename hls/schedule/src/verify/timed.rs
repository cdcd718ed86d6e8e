//! Accesses to memories on the chip in cycles of segments: no two of them take a port in one cycle, and what may touch the same bytes
//! comes in its order.

use super::Verifier;
use crate::ports::STORES;
use crate::{Access, AccessKind, InTurn, MemoryId, Place};
use ir::{Block, Inst, Value};

/// Cycles from a load's address to its word, at the least.
const LOAD_CYCLES: u32 = 2;

impl Verifier<'_> {
    pub(super) fn timed(&mut self) {
        let s = self.s;
        for (&inst, access) in &s.accesses {
            if let Some(block) = self.home[inst] {
                self.timed_access(block, inst, access);
            }
        }
        for (id, m) in s.memories.iter().filter(|(_, m)| m.timed.is_some()) {
            let narrow = |a: &Access| a.kind == AccessKind::Store && a.bytes < m.word_bytes;
            let mut own = s.accesses.values().filter(|a| a.memory == id);
            let read = own.clone().any(|a| a.kind == AccessKind::Load);
            // Both sides of a RAM in one word at once.
            if m.replicas.is_none() && read && own.any(narrow) {
                self.fail(None, format!("{id} is written in parts at one of two sides"));
            }
            if !s.task || m.atomic || !m.kind.is_on_chip() {
                self.fail(None, format!("{id} cannot be accessed in cycles of segments"));
            }
            for block in s.func.layout.clone() {
                self.take_ports(block, id);
            }
        }
        s.in_turn.iter().for_each(|t| self.in_turn(t));
    }

    fn timed_access(&mut self, block: Block, inst: Inst, access: &Access) {
        let s = self.s;
        let Some(m) = s.memories.get(access.memory) else { return };
        if m.timed.is_some() != access.timed.is_some() {
            self.fail(Some(inst), format!("{inst} and {} differ about time", access.memory));
        }
        let Some(port) = access.timed else { return };
        let cycles = match access.kind {
            AccessKind::Load => m.timed.unwrap_or(0).max(LOAD_CYCLES),
            AccessKind::Store => 1,
            AccessKind::Atomic(_) | AccessKind::Pipe(_) => u32::MAX,
        };
        let placed = matches!(s.place[inst], Some(Place::Segment { .. }));
        if !placed || s.timing[inst].latency < cycles {
            self.fail(Some(inst), format!("{inst} has no time for its access"));
        }
        let right = match (m.replicas, access.kind) {
            (Some(_), AccessKind::Load) => port == STORES + 1 + access.replica,
            (Some(_), _) => port == STORES,
            (None, _) => port < m.ports(),
        };
        if !right {
            self.fail(Some(inst), format!("{inst} has no port {port}"));
        }
        // Iterations ahead of a condition may still be there when the loop has been left.
        if s.pipelined.get(&block).is_some_and(|p| p.speculated) {
            self.fail(Some(inst), format!("{inst} takes a port that others may have"));
        }
    }

    /// In a pipelined loop tokens are where the segment's interval lets them be; else there is one.
    fn take_ports(&mut self, block: Block, id: MemoryId) {
        let s = self.s;
        let own = |i: &&Inst| s.accesses.get(*i).is_some_and(|a| a.memory == id);
        let mut at: Vec<(Inst, Option<u32>, u32, u32)> = vec![];
        for &inst in self.insts(block).iter().filter(own) {
            let Some(Place::Segment { segment, cycle }) = s.place[inst] else { continue };
            at.push((inst, s.accesses[&inst].timed, segment, cycle));
        }
        let overlap = s.pipelined.contains_key(&block);
        for (k, &(p, port, segment, a)) in at.iter().enumerate() {
            for &(q, _, elsewhere, b) in at[..k].iter().filter(|x| x.1 == port) {
                let here = s.blocks[block].segments.get(segment as usize);
                let meet = match (segment == elsewhere, overlap) {
                    (true, false) => a == b,
                    (true, true) => here.is_none_or(|g| g.collides(a.abs_diff(b), 1)),
                    (false, overlap) => overlap,
                };
                if meet {
                    self.fail(Some(p), format!("{q} and {p} take a port of {id} at once"));
                }
            }
        }
    }

    /// Two accesses of a loop with overlapping iterations.
    fn in_turn(&mut self, t: &InTurn) {
        let s = self.s;
        let place = |i: Inst| match (self.home[i], s.place[i]) {
            (Some(block), Some(Place::Segment { segment, cycle })) => Some((block, segment, cycle)),
            _ => None,
        };
        let (Some((block, segment, first)), Some(second)) = (place(t.first), place(t.second))
        else {
            return self.fail(Some(t.first), "accesses come in turn outside of segments");
        };
        let ii = s.blocks[block].segments.get(segment as usize).map_or(1, |g| g.ii);
        let later = u64::from(second.2) + u64::from(t.distance) * u64::from(ii);
        let together = (block, segment) == (second.0, second.1) && t.distance > 0;
        if t.held {
            return self.held(t, block, segment, together);
        }
        if s.pipelined.contains_key(&block) && (!together || later < u64::from(first) + 1) {
            let InTurn { first, second, distance, .. } = t;
            let what = format!("{second} comes before {first} of {distance} iterations before");
            self.fail(Some(*second), what);
        }
    }

    /// Two accesses of which the later iteration's is held in front of the segment: there its address and the other one's must be known.
    fn held(&mut self, t: &InTurn, block: Block, segment: u32, together: bool) {
        let s = self.s;
        if !together || !s.pipelined.contains_key(&block) {
            self.fail(Some(t.second), "accesses are held that are in no segment of a loop");
        }
        for inst in [t.first, t.second] {
            let data = &s.func.insts[inst];
            let predicate = data.args.last().filter(|_| data.op.predicated() == Some(true));
            let known = |v: &Value| s.stands_in_front(block, segment, *v);
            if !data.args.first().into_iter().chain(predicate).all(known) {
                self.fail(Some(inst), format!("the address of {inst} is not known in front"));
            }
            if s.accesses[&inst].is_realigned() {
                self.fail(Some(inst), format!("{inst} may touch two addresses"));
            }
        }
        if s.accesses[&t.first].memory != s.accesses[&t.second].memory {
            self.fail(Some(t.second), "accesses to two memories are held");
        }
    }
}
