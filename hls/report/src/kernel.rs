//! What a report says of a kernel.

use crate::data::{Area, Place};
use crate::measured::Measured;
use serde::{Deserialize, Serialize};

/// Derives and attributes of all parts of the report.
macro_rules! parts {
    ($($(#[$note:meta])* struct $name:ident { $($fields:tt)* })*) => {
        $($(#[$note])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($fields)* })*
    };
}

/// The same for closed lists of words.
macro_rules! words {
    ($($(#[$note:meta])* enum $name:ident { $($words:tt)* })*) => {
        $($(#[$note])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($words)* })*
    };
}

parts! {
    /// A kernel.
    struct Kernel {
        /// Name.
        pub name: String,
        /// Board it was built for.
        pub board: String,
        /// Device and speed grade, for people.
        pub device: String,
        /// Clock target in MHz.
        pub clock_mhz: f64,
        /// Clock period in ns.
        pub period_ns: f64,
        /// What of the period is left to logic, in ns.
        pub logic_ns: f64,
        /// Work-items side by side in a token.
        pub simd: u32,
        /// Copies of the datapath.
        pub compute_units: u32,
        /// What decided how many these are.
        pub compute_units_limit: UnitsLimit,
        /// The same in words, with the figures behind it, and how to have another number.
        pub compute_units_reason: String,
        /// Largest work-group.
        pub max_work_group_size: u32,
        /// Most work-items in flight where state is kept for each.
        pub work_items_in_flight: u32,
        /// Whether the kernel runs as one work-item.
        pub single_work_item: bool,
        /// Cycles that device memory is assumed to take.
        pub memory_latency: u32,
        /// Bytes a second that all memory ports carry at most, in each direction.
        pub peak_bytes_per_second: f64,
        /// Estimate of what the kernel takes.
        pub estimated_area: Area,
        /// Part of it in the pipelines of the segments: operators, selections and the registers between them.
        pub datapath_area: Area,
        /// What the board leaves to kernels.
        pub available_area: Area,
        /// Arguments.
        pub arguments: Vec<Argument>,
        /// AXI4 masters.
        pub memory_ports: Vec<Port>,
        /// What else a user should know.
        pub notes: Vec<String>,
        /// Source lines that became hardware, in order.
        pub lines: Vec<Line>,
        /// Area that belongs to no line: control, channels, memory ports.
        pub other_area: Area,
        /// Basic blocks in order, each cut into segments.
        pub blocks: Vec<Block>,
        /// Operations that take time or hardware.
        pub operations: Vec<Operation>,
        /// Places of work-items and memories in the drawing.
        pub nodes: Vec<Node>,
        /// What connects them.
        pub edges: Vec<Edge>,
        /// Loops, outer before inner.
        pub loops: Vec<Loop>,
        /// Divisions and square roots, and how each is made.
        pub divisions: Vec<Division>,
        /// Memories.
        pub memories: Vec<Memory>,
        /// Memory accesses in the source, by number.
        pub accesses: Vec<Access>,
        /// What a simulation measured; absent until `clhls run --profile`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub measured: Option<Measured>,
    }

    /// An argument.
    struct Argument {
        /// Name.
        pub name: String,
        /// Type in the source, or empty.
        pub type_name: String,
        /// What is passed, in words.
        pub kind: String,
        /// Offset of its register; none for local memory.
        pub register: Option<u32>,
        /// Memory port of a buffer.
        pub port: Option<String>,
    }

    /// An AXI4 master.
    struct Port {
        /// Prefix of its signals.
        pub name: String,
        /// Data width.
        pub data_bits: u32,
        /// Least cycles between two iterations of the innermost loops (work-items outside of loops) that
        /// the accesses on it allow; of the loop that needs most.
        pub interval: f64,
    }

    /// A line of the source.
    struct Line {
        /// Where; column 0.
        pub place: Place,
        /// Operations that came from it.
        pub operations: u32,
        /// Interval of the loop that it is in, in cycles.
        pub ii: Option<u32>,
        /// Cycles from the first of its operations to the end of the last, of the block in which that is longest.
        pub latency: u32,
        /// Estimated area.
        pub area: Area,
        /// Numbers of its memory accesses.
        pub accesses: Vec<u32>,
    }

    /// A basic block.
    struct Block {
        /// As in messages: `b3`.
        pub name: String,
        /// Innermost loop around it.
        pub in_loop: Option<u32>,
        /// First known place in it.
        pub place: Option<Place>,
        /// Segments in order.
        pub segments: Vec<Segment>,
    }

    /// A stall-free pipeline.
    struct Segment {
        /// First cycle, counted from the block's entry, with memory at its assumed latency.
        pub start: u32,
        /// Register stages.
        pub latency: u32,
        /// Least distance of two tokens in cycles.
        pub ii: u32,
        /// Tokens that its exit holds.
        pub depth: u32,
        /// Bits of a token at its exit; 0 when the segment is empty.
        pub token_bits: u32,
    }

    /// An operation.
    struct Operation {
        /// Its index.
        pub id: u32,
        /// Name in the kernel's IR.
        pub name: String,
        /// Bits of its result, 0 without one.
        pub bits: u32,
        /// When it happens.
        pub when: When,
        /// Block it is in.
        pub block: u32,
        /// Segment of the block; of accesses the one that they follow.
        pub segment: u32,
        /// Cycle from the block's entry in which it starts.
        pub cycle: u32,
        /// Cycles until its result stands in a register, 0 = in the same cycle.
        pub latency: u32,
        /// From the block's entry until its operands stand, in ns.
        pub start_ns: f64,
        /// From the block's entry until its result stands, in ns.
        pub end_ns: f64,
        /// Operations in front of it in the same cycle, without a register between.
        pub chained_with: Vec<u32>,
        /// Operations whose results it uses.
        pub operands: Vec<u32>,
        /// Source place.
        pub place: Option<Place>,
        /// Access number, of memory accesses.
        pub access: Option<u32>,
    }

    /// A node of the drawing.
    struct Node {
        /// Index.
        pub id: u32,
        /// Kind.
        pub kind: NodeKind,
        /// Text in it.
        pub label: String,
        /// More about it.
        pub detail: String,
        /// Block, of segments.
        pub block: Option<u32>,
        /// Place in the source.
        pub place: Option<Place>,
    }

    /// An edge of the drawing.
    struct Edge {
        /// Node it leaves.
        pub from: u32,
        /// Node it enters.
        pub to: u32,
        /// Kind.
        pub kind: EdgeKind,
        /// Bits of a token or of data.
        pub bits: u32,
        /// Tokens that it holds; 0 = wires.
        pub depth: u32,
        /// Name of its signals in the hardware, which measurements name too; empty if it has none.
        pub channel: String,
    }

    /// A loop.
    struct Loop {
        /// Name.
        pub name: String,
        /// Place in the source.
        pub place: Option<Place>,
        /// Loop around it.
        pub parent: Option<u32>,
        /// `threaded` (work-items interleave) or `pipelined` (iterations of one work-item overlap).
        pub kind: String,
        /// Cycles between two iterations as scheduled.
        pub ii: u32,
        /// Cycles between two iterations that its memories allow at most.
        pub memory_interval: f64,
        /// Cycles from the start of an iteration to its end.
        pub latency: u32,
        /// Work-items in it at a time.
        pub most_inside: u32,
        /// Why the interval is what it is, in a sentence.
        pub reason: String,
        /// The same for programs.
        pub constraint: Constraint,
        /// What would lower it.
        pub suggestions: Vec<Suggestion>,
    }

    /// What binds an interval.
    struct Constraint {
        /// What it is.
        pub limit: Limit,
        /// Cycles it asks for.
        pub cycles: f64,
        /// Operations on the way, in order; of memory limits the accesses.
        pub path: Vec<Step>,
        /// Memory or port, of memory limits.
        pub memory: Option<String>,
    }

    /// A step on a path.
    struct Step {
        /// Operation.
        pub operation: u32,
        /// Its delay in ns.
        pub delay_ns: f64,
    }

    /// An edit that lowers an interval.
    struct Suggestion {
        /// What is done.
        pub edit: Edit,
        /// In words, with the place.
        pub text: String,
        /// Option of the command line, where that is all.
        pub option: Option<String>,
        /// Names of arguments or arrays it is about.
        pub names: Vec<String>,
        /// Factor: accumulators, banks, iterations, MHz.
        pub factor: Option<f64>,
        /// What must hold for the answer to stay right.
        pub condition: Option<String>,
        /// Interval that follows, in cycles: of `iterations` of today's iterations.
        pub interval: f64,
        /// Today's iterations that one iteration then does.
        pub iterations: u32,
        /// Whether the design was scheduled with this edit to know the interval, or it was worked out.
        pub tried: bool,
    }

    /// A division or square root.
    struct Division {
        /// Name of its unit.
        pub unit: String,
        /// Place in the source, `file:line:column`; empty if unknown.
        pub source: String,
        /// `pipeline` or `loop of steps`.
        pub form: String,
        /// Cycles from one operand to the next.
        pub interval: u32,
        /// Cycles from operands to result.
        pub latency: u32,
        /// Why it has this form.
        pub reason: String,
    }

    /// A memory.
    struct Memory {
        /// Name.
        pub name: String,
        /// Kind.
        pub kind: MemoryKind,
        /// Bytes of one copy; 0 for device memory.
        pub bytes: u64,
        /// Bytes of a word.
        pub word_bytes: u32,
        /// Copies: one for each work-group or work-item in flight.
        pub copies: u32,
        /// Accesses a cycle it can take.
        pub ports: u32,
        /// How accesses share the ports, in words.
        pub arbitration: String,
        /// Numbers of its accesses.
        pub accesses: Vec<u32>,
    }

    /// A memory access in the source.
    struct Access {
        /// Number, which the hardware uses in simulation.
        pub id: u32,
        /// `load`, `store` or `atomic`.
        pub kind: String,
        /// Unit that serves it, in words.
        pub unit: String,
        /// Index of its memory.
        pub memory: u32,
        /// Port of device memory.
        pub port: Option<String>,
        /// Place.
        pub place: Option<Place>,
        /// Bytes.
        pub bytes: u32,
        /// Argument behind the pointer.
        pub argument: Option<String>,
        /// How its address moves.
        pub pattern: Pattern,
        /// Bytes between two accesses, of a regular pattern.
        pub stride: Option<i64>,
        /// Innermost loop around it.
        pub in_loop: Option<u32>,
        /// Bytes a second that it moves when its loop runs at its interval (a work-item a cycle outside of loops).
        pub expected_bytes_per_second: f64,
        /// Beats of the bus it takes, each time.
        pub beats: f64,
        /// Bytes of the cache of its unit, 0 for none.
        pub cache_bytes: u64,
    }
}

words! {
    /// What decided the number of compute units.
    enum UnitsLimit {
        /// The user.
        Asked,
        /// Nothing chooses them: the optimisation level or a board without a device.
        Off,
        /// The kernel is one work-item.
        SingleWorkItem,
        /// Pipes: packets keep the order of the work-items.
        Pipes,
        /// Kernels that enqueue others, or are enqueued.
        Enqueue,
        /// The work-items side by side that the user asked for.
        Lanes,
        /// Work-groups of the launch.
        WorkGroups,
        /// Beats of the memory port.
        Memory,
        /// Memory units that a port has places for.
        MemoryUnits,
        /// What copies may fill of the device.
        Area,
        /// The most that there can be.
        Most,
    }

    /// When an operation happens.
    enum When {
        /// In a segment.
        Segment,
        /// Between two segments, when memory answers.
        Memory,
        /// Once a launch, before the first work-item.
        Launch,
        /// In front of the block.
        Entry,
    }

    /// Kinds of nodes.
    enum NodeKind {
        /// Hands out work-items.
        Dispatcher,
        /// Pipeline.
        Segment,
        /// Waits for a work-group.
        Barrier,
        /// Counts tokens into a loop.
        Gate,
        /// Unit of a memory access.
        Access,
        /// Memory on the chip.
        Memory,
        /// AXI4 master.
        Port,
        /// Work-items end.
        Retire,
    }

    /// Kinds of edges.
    enum EdgeKind {
        /// Work-items.
        Token,
        /// Work-items on their way back to a loop's start.
        Back,
        /// Requests and answers.
        Memory,
    }

    /// Limits of intervals.
    enum Limit {
        /// One a cycle: nothing binds.
        None,
        /// A value of one iteration is computed from that of the one before.
        Recurrence,
        /// The exit condition is known late.
        Condition,
        /// A carried value or the exit condition comes from memory.
        Memory,
        /// Iterations may touch the same bytes.
        Order,
        /// Iterations do not overlap.
        Sequential,
        /// An operator that takes operands only every so many cycles.
        Operator,
        /// Too few work-items in flight.
        Occupancy,
        /// Ports of a memory.
        Ports,
    }

    /// Edits.
    enum Edit {
        /// Several partial results in place of one.
        Accumulators,
        /// Promise that pointers do not alias.
        Restrict,
        /// Copy a buffer into local memory first.
        LocalCopy,
        /// Divide an array into banks.
        Banks,
        /// More memory ports.
        MemoryPorts,
        /// Unroll the loop.
        Unroll,
        /// Another clock.
        Clock,
    }

    /// Kinds of memories.
    enum MemoryKind {
        /// Behind AXI4 ports.
        Device,
        /// On the chip, for work-groups.
        Local,
        /// On the chip, for work-items.
        Private,
        /// A connected pipe.
        Pipe,
    }

    /// How an address moves: from one iteration to the next in kernels of one work-item, else from one work-item to the next.
    enum Pattern {
        /// Not at all.
        Same,
        /// To the next element.
        Consecutive,
        /// By a constant.
        Strided,
        /// In no way that is known.
        Irregular,
    }
}
