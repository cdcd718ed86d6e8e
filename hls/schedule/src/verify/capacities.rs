//! FIFOs, memories, work-items in flight.

use super::Verifier;
use crate::{Access, AccessKind, Control, Memory, MemoryId, MemoryKind, Place};
use ir::{Inst, Op};

/// Cycles after its last stage in which a token's credit comes back: through the exit FIFO and
/// the counter.
const CREDIT_CYCLES: u32 = 3;

impl Verifier<'_> {
    pub(super) fn capacities(&mut self) {
        self.segments();
        for (&inst, access) in &self.s.accesses {
            self.access(inst, access);
        }
        for inst in self.all_insts() {
            let op = self.s.func.insts[inst].op;
            let accesses = op.mem_flags().is_some() || op.pipe().is_some();
            if accesses && !self.s.accesses.contains_key(&inst) {
                self.fail(Some(inst), format!("{inst} accesses no memory"));
            }
        }
        self.memories();
        self.occupancy();
    }

    /// A segment has credits for the tokens between its start and the return of their credit.
    fn segments(&mut self) {
        for &b in &self.s.func.layout {
            for (k, g) in self.s.blocks[b].segments.iter().enumerate() {
                if g.control.blocked_capacity() == 0 || g.ii == 0 {
                    self.fail(None, format!("segment {k} of {b} can hold nothing"));
                }
                if g.control == Control::Enabled && (g.latency, g.ii, g.window) != (0, 1, 0) {
                    let what = format!("segment {k} of {b} has stages, but nothing stops them");
                    self.fail(None, what);
                }
                if let Control::StallFree { depth } = g.control
                    && u64::from(depth) * u64::from(g.ii) < u64::from(g.latency + CREDIT_CYCLES)
                {
                    let what = format!(
                        "segment {k} of {b} has {depth} credits, too few for interval {} in {} stages",
                        g.ii, g.latency
                    );
                    self.fail(None, what);
                }
            }
        }
    }

    fn access(&mut self, inst: Inst, a: &Access) {
        let s = self.s;
        // Kernels keep the sites of blocks that control cannot reach.
        if self.home[inst].is_none() {
            return;
        }
        let Some(memory) = s.memories.get(a.memory) else {
            return self.fail(Some(inst), format!("{inst} accesses {} that is none", a.memory));
        };
        let at_boundary = matches!(s.place[inst], Some(Place::Boundary { .. } | Place::Fetched));
        if a.timed.is_none() && !at_boundary {
            self.fail(Some(inst), format!("{inst} accesses memory, but not at a boundary"));
        }
        let pipe = matches!(memory.kind, MemoryKind::Pipe { .. });
        if !(a.bytes.is_power_of_two() || pipe) || a.bytes > memory.word_bytes {
            let what =
                format!("{inst} accesses {} bytes of {} at once", a.bytes, memory.word_bytes);
            self.fail(Some(inst), what);
        }
    }

    fn memories(&mut self) {
        let s = self.s;
        for (id, m) in s.memories.iter().filter(|(_, m)| m.kind.is_on_chip()) {
            if !m.bytes.is_multiple_of(m.word_bytes.max(1).into()) {
                self.fail(None, format!("{id} has a part of a word"));
            }
            for (object, offset) in &m.objects {
                let size = s.func.objects.get(*object).map_or(0, |o| o.size);
                if offset + size > m.bytes {
                    self.fail(None, format!("{object} does not fit into {id}"));
                }
            }
        }
        for (id, m) in &s.memories {
            if let Some(n) = m.replicas {
                self.replicas(id, m, n);
            }
        }
    }

    /// Equal RAMs are written alike, and each answers some of the loads.
    fn replicas(&mut self, id: MemoryId, m: &Memory, n: u32) {
        if m.atomic || !m.kind.is_on_chip() {
            self.fail(None, format!("{id} cannot have replicas"));
        }
        let own = self.s.accesses.values().filter(|a| a.memory == id);
        let (loads, stores): (Vec<_>, Vec<_>) = own.partition(|a| a.kind == AccessKind::Load);
        if stores.is_empty() {
            self.fail(None, format!("{id} has replicas that nobody writes"));
        }
        if loads.iter().any(|a| a.replica >= n) {
            self.fail(None, format!("a load of {id} asks a replica that is none"));
        }
        if (0..n).any(|k| !loads.iter().any(|a| a.replica == k)) || n == 0 {
            self.fail(None, format!("{id} has a replica that answers nobody"));
        }
    }

    /// State per work-group and per work-item has a place for each that can be in flight.
    fn occupancy(&mut self) {
        let (s, o) = (self.s, &self.s.occupancy);
        if o.slots == 0 || o.max_work_group_size == 0 {
            self.fail(None, "no work-item can be in flight");
        }
        let barrier = s.func.layout.iter().any(|b| self.has_barrier(*b));
        let on_chip = s.memories.values().any(|m| m.kind.is_on_chip());
        let tell_apart = barrier || on_chip || o.slot_bits > 0;
        if tell_apart && u64::from(o.slots) > 1 << o.slot_bits.min(32) {
            self.fail(None, format!("{} bits do not tell {} slots apart", o.slot_bits, o.slots));
        }
        let private = s.memories.values().any(|m| m.kind == MemoryKind::Private);
        let places = 1u64 << o.lid_bits.min(32);
        if (barrier || private) && u64::from(o.max_work_group_size) > places {
            let what = format!(
                "{places} places for the work-items of a group of {}",
                o.max_work_group_size
            );
            self.fail(None, what);
        }
        if s.task && o.work_items() != 1 {
            self.fail(None, "a kernel of one work-item has several in flight");
        }
        let varies = |i: &Inst| match s.func.insts[*i].op {
            Op::WorkItem(query, _) => !query.is_launch_uniform(),
            _ => false,
        };
        if s.task && s.func.layout.iter().any(|b| self.insts(*b).iter().any(varies)) {
            self.fail(None, "a kernel of one work-item asks which one it is");
        }
    }
}
