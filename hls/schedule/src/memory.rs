//! Memories of a kernel and the accesses to them.

use crate::KernelSchedule;
use base::Loc;
use base::entity::entity_impl;
use ir::{AtomicOp, Inst, Object, PipeOp};

/// A memory of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId(u32);
entity_impl!(MemoryId, "mem");

/// What a memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// Behind an AXI port.
    Device {
        /// Number of the port.
        port: u32,
    },
    /// On chip, one copy for each work-group slot.
    Local,
    /// On chip, one copy for each work-item in flight.
    Private,
    /// A connected pipe: a FIFO.
    Pipe {
        /// Index of the kernel argument.
        arg: u32,
    },
}

impl MemoryKind {
    /// Whether it is behind an AXI port.
    pub fn is_device(self) -> bool {
        matches!(self, MemoryKind::Device { .. })
    }

    /// Whether it is a RAM on the chip.
    pub fn is_on_chip(self) -> bool {
        matches!(self, MemoryKind::Local | MemoryKind::Private)
    }
}

/// A memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// For names and reports.
    pub name: String,
    /// Kind.
    pub kind: MemoryKind,
    /// Objects in it with their byte offsets (on-chip memories).
    pub objects: Vec<(Object, u64)>,
    /// Bytes of one copy, a multiple of `word_bytes`; a power of two number of words
    /// (on-chip memories).
    pub bytes: u64,
    /// Bytes of a word: the widest access (on-chip), or of the bus (device).
    pub word_bytes: u32,
    /// Whether it has atomic accesses.
    pub atomic: bool,
    /// Equal RAMs with one side for all stores and one for the loads that each of them answers ([`Access::replica`]); none:
    /// a single RAM, whose two sides all accesses share (on-chip memories).
    pub replicas: Option<u32>,
    /// Cycles from a load's address to its word where all accesses happen in cycles of their segments ([`Access::timed`]), without requests
    /// and answers.
    pub timed: Option<u32>,
}

/// Kinds of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes.
    Atomic(AtomicOp),
    /// An operation on a connected pipe, always answered: what comes later in a work-item must not overtake it.
    Pipe(PipeOp),
}

/// Bytes of a line of a load's cache.
pub fn cache_line_bytes(bus_bytes: u32) -> u32 {
    bus_bytes.max(64)
}

/// One static access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Memory.
    pub memory: MemoryId,
    /// Kind.
    pub kind: AccessKind,
    /// Bytes, a power of two; of pipes those of a packet or answer.
    pub bytes: u32,
    /// A store whose token waits until it has been performed: a later access of the same
    /// work-item may touch the same bytes, or a fence follows.
    pub ack: bool,
    /// Bytes that the address is a multiple of, a power of two, at most `bytes`.
    pub align: u32,
    /// A load of bytes that this kernel never writes.
    pub read_only: bool,
    /// A load that sees no store which its own work-item could have made: it may take what a load of a work-item before
    /// it has read.
    pub reuse: bool,
    /// Lines of the load's cache, a power of two; 0: it has none.
    pub cache_lines: u32,
    /// Which of the memory's replicas answers a load.
    pub replica: u32,
    /// The port of its memory that it has to itself in a cycle of its segment, so that nothing waits: a load's word stands a fixed number of
    /// cycles later. None: it stands at a boundary, where it is requested and answered.
    pub timed: Option<u32>,
    /// Kernel argument behind the pointer, when it is one.
    pub argument: Option<u32>,
    /// Source place.
    pub loc: Loc,
}

/// Accesses of a loop with overlapping iterations, in cycles of one segment, of which one may touch in one iteration what the other one
/// touches in a later one: `second` must then come behind `first`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InTurn {
    /// The access of the earlier iteration.
    pub first: Inst,
    /// That of the later one.
    pub second: Inst,
    /// Iterations from one to the other, at least.
    pub distance: u32,
    /// Whether the cycles of the two need not say so: the later iteration is held in front of their segment while it would come to an address too
    /// early. Addresses are known there.
    pub held: bool,
}

/// What of its accesses in segments a loop's interval is as long as it is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Their order from iteration to iteration; without it the interval would be `otherwise`.
    Turns {
        /// Cycles.
        otherwise: u32,
    },
    /// The ports of their memories.
    Ports,
}

impl InTurn {
    /// Cycles between two iterations that it asks for. 1 while the accesses have no cycles.
    pub fn interval(&self, s: &KernelSchedule) -> u32 {
        if self.held {
            return 1;
        }
        let cycles = (s.cycle_of(self.first) + 1).saturating_sub(s.cycle_of(self.second));
        cycles.div_ceil(self.distance.max(1)).max(1)
    }

    /// Cycles from one iteration to the first behind it that may come to the same address, where it is [held](InTurn::held) until then; none if the next one
    /// is never too early.
    pub fn window(&self, s: &KernelSchedule) -> Option<u32> {
        let cycles = (s.cycle_of(self.first) + 1).saturating_sub(s.cycle_of(self.second));
        (self.held && cycles > 1).then_some(cycles)
    }

    /// Bits of an address by which the accesses of the two are told apart: the lowest of them, and the one above the highest.
    pub fn key(&self, s: &KernelSchedule) -> (u32, u32) {
        let [first, second] = [self.first, self.second].map(|i| &s.accesses[&i]);
        let memory = &s.memories[first.memory];
        let low = first.bytes.max(second.bytes).ilog2();
        (low, memory.bytes.max(2).next_power_of_two().ilog2().max(low + 1))
    }
}

impl Access {
    /// Whether it may begin inside of a word of its size: a unit in front puts it together.
    pub fn is_realigned(&self) -> bool {
        self.align < self.bytes
    }

    /// Whether the token waits for an answer.
    pub fn has_response(&self) -> bool {
        self.timed.is_none() && (!matches!(self.kind, AccessKind::Store) || self.ack)
    }
}
