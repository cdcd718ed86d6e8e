//! Where the tokens that leave a segment wait.

use crate::{Access, KernelSchedule, Place};
use ir::{Block, Inst};

impl KernelSchedule {
    /// Accesses at the boundary behind segment `k` of a block, in their order.
    pub fn accesses_behind(&self, block: Block, k: u32) -> Vec<Inst> {
        let here = |i: &Inst| self.place[*i] == Some(Place::Boundary { segment: k });
        let insts = self.func.blocks[block].insts.iter().copied();
        insts.filter(|i| here(i) && self.accesses.contains_key(i)).collect()
    }

    /// Whether segment `k` of a block is hardware of its own, more than wires between two boundaries.
    pub fn is_segment(&self, block: Block, k: u32) -> bool {
        let here = |i: &Inst| matches!(self.place[*i], Some(Place::Segment { segment, .. }) if segment == k);
        let segment = &self.blocks[block].segments[k as usize];
        segment.latency > 0
            || self.pipelined.contains_key(&block)
            || self.func.blocks[block].insts.iter().any(here)
    }

    /// Whether the tokens that leave segment `k` of a block go straight into the queues of its accesses and into the one where
    /// they wait for the answers, and start only when each has a place for them. Else they wait in one exit FIFO, from where
    /// they are offered to the accesses.
    ///
    /// Without answers there is no second queue that an exit FIFO would double. Requests in queues are taken later than the
    /// token has gone on, and those of a later token at one access before those of an earlier one at another: not where the order of
    /// accesses of different iterations counts, and not for [unanswered accesses on the chip](Self::may_wait).
    pub fn reserves_exit(&self, block: Block, k: u32) -> bool {
        let accesses = self.accesses_behind(block, k);
        let answered = |i: &Inst| self.accesses[i].has_response();
        let order = self.pipelined.get(&block).and_then(|p| p.order);
        self.is_segment(block, k)
            && accesses.iter().any(answered)
            && accesses.iter().all(|i| self.may_wait(&self.accesses[i]))
            && !order.is_some_and(|o| o.from == k || o.to == k)
    }

    /// Whether an access may wait in a queue in front of its unit. Where it is answered, the token comes back behind it. A store without
    /// an answer is one that nothing of its work-item comes after: in device memory the launch waits for it, but an on-chip place may
    /// belong to the next work-item as soon as the token is gone, so the memory has to take it before.
    pub fn may_wait(&self, access: &Access) -> bool {
        self.memories[access.memory].kind.is_device() || access.has_response()
    }
}
