//! Places of operations and their timing.

use base::entity::entity_impl;

/// An operator unit of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(u32);
entity_impl!(UnitId, "unit");

/// Where and when an instruction happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// No hardware of its own and no time: constants, arguments, addresses of objects,
    /// launch-uniform queries.
    Static,
    /// Once per launch, before the first work-item, starting `cycle` cycles after the start.
    Prologue {
        /// Starting cycle.
        cycle: u32,
    },
    /// Once per launch, before the first work-item: a load whose address is launch-uniform, from
    /// memory that the kernel does not write.
    Fetched,
    /// Delivered with the work-item by the dispatcher.
    Dispatch,
    /// In segment `segment` of its block, starting `cycle` cycles after the token entered.
    Segment {
        /// Segment of the block.
        segment: u32,
        /// Starting cycle, at most the segment's latency.
        cycle: u32,
    },
    /// Issued when the token leaves segment `segment`; the result comes with the token into
    /// the next segment.
    Boundary {
        /// Segment before the boundary.
        segment: u32,
    },
    /// A barrier: in front of the block's first segment.
    BlockEntry,
}

impl Place {
    /// Whether what happens here is the same for all work-items of a launch.
    pub fn is_uniform(self) -> bool {
        matches!(self, Place::Static | Place::Prologue { .. } | Place::Fetched)
    }
}

/// Latency of an operation and the delays at its borders. `latency` 0: combinational, with
/// `input_ns == output_ns`, its delay. Otherwise operands must arrive `input_ns` before the end
/// of their cycle and the result stands `output_ns` after the start of its cycle.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct OpTiming {
    /// Register stages inside.
    pub latency: u32,
    /// Logic in front of the first register, ns.
    pub input_ns: f64,
    /// Logic behind the last register, ns.
    pub output_ns: f64,
    /// Loop-carried operands come through a multiplexer, from the loop's entry or from their register: they stand this late in the cycle,
    /// ns. 0 without such operands.
    pub entry_ns: f64,
}

impl OpTiming {
    /// When its logic begins in a cycle whose other operands have arrived at `begin_ns`.
    pub fn start_ns(&self, begin_ns: f64) -> f64 {
        begin_ns.max(self.entry_ns)
    }

    /// When its result stands in the cycle in which it does, ns.
    pub fn done_ns(&self, begin_ns: f64) -> f64 {
        if self.latency == 0 { self.start_ns(begin_ns) + self.output_ns } else { self.output_ns }
    }

    /// A combinational operation.
    pub fn combinational(ns: f64) -> Self {
        OpTiming { input_ns: ns, output_ns: ns, ..OpTiming::default() }
    }
}
