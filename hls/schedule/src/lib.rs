//! Schedules: where and when each operation of a kernel happens.
//!
//! A kernel's blocks are cut into *segments*: stall-free pipelines of fixed-latency operations.
//! Between two segments of a block stands a *boundary*, at which the variable-latency operations
//! (memory accesses) of that point are issued and answered. See [`KernelSchedule`].
//! `verify()` checks dependences, occupancy and freedom from deadlock; `verify_timing()` checks
//! every register-to-register path against the clock period. This crate knows no Verilog.

pub mod exits;
pub mod memory;
pub mod parse;
pub mod place;
pub mod ports;
pub mod product;
pub mod registers;
pub mod text;
pub mod tokens;
pub mod trips;
pub mod verify;

pub use memory::{
    Access, AccessKind, Bound, InTurn, Memory, MemoryId, MemoryKind, cache_line_bytes,
};
pub use place::{OpTiming, Place, UnitId};

use base::entity::{PrimaryMap, SecondaryMap};
use base::{FxHashMap, IndexMap};
use ir::analysis::Carried;
use ir::{Block, Function, Inst, Value, ValueDef};

/// Cycles of an on-chip memory access from request to answer, as schedules count on.
pub const ON_CHIP_LATENCY: u32 = 6;
/// Cycles of a channel between segments.
pub const CHANNEL_LATENCY: u32 = 2;

/// How a segment is held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// No enable inside: a token starts only when it owns a place in the exit FIFO.
    StallFree {
        /// Capacity of the exit FIFO in tokens.
        depth: u32,
    },
    /// A two-entry skid buffer at the exit, which alone holds tokens back: for segments without stages.
    Enabled,
}

impl Control {
    /// Tokens that the segment is certain to hold when its exit is blocked: what occupancy
    /// proofs count.
    pub fn blocked_capacity(self) -> u32 {
        match self {
            Control::StallFree { depth } => depth,
            Control::Enabled => 2,
        }
    }
}

/// A segment of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Register stages from entry to exit; 0 = wires.
    pub latency: u32,
    /// Least distance of two tokens, in cycles.
    pub ii: u32,
    /// Tokens at most so many cycles apart are whole multiples of `ii` apart; 0 = any distance from `ii` on.
    pub window: u32,
    /// Flow control.
    pub control: Control,
}

impl Segment {
    /// Whether two tokens may start so many cycles apart; 0 is a token and itself.
    pub fn may_be_apart(&self, cycles: u32) -> bool {
        let aligned = cycles > self.window || cycles.is_multiple_of(self.ii.max(1));
        cycles == 0 || cycles >= self.ii && aligned
    }

    /// Whether two operations that start `cycles` apart in a token may, in one token or in two, want one instance sooner than it
    /// takes operands, which is every `interval` cycles.
    pub fn collides(&self, cycles: u32, interval: u32) -> bool {
        // Distances of tokens from the first to the last at which they would.
        let first = cycles.saturating_add(1).saturating_sub(interval);
        let last = cycles.saturating_add(interval).saturating_sub(1);
        let least = first.max(self.ii.max(1));
        let aligned = least.checked_next_multiple_of(self.ii.max(1));
        let two = least <= last && (last > self.window || aligned.is_some_and(|d| d <= last));
        first == 0 || two
    }
}

/// The segments of a block, in order. Boundary `k` lies between segments `k` and `k + 1`, or,
/// for the last segment, at the end of the block (posted stores only).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BlockSchedule {
    /// At least one.
    pub segments: Vec<Segment>,
}

/// How work passes through a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopKind {
    /// Many work-items interleave; one work-item's interval is the recurrence length.
    Threaded,
    /// One work-item; iterations start every `ii` cycles.
    Pipelined,
}

/// A loop of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopSchedule {
    /// Header block.
    pub header: Block,
    /// All its blocks.
    pub blocks: Vec<Block>,
    /// Blocks that edges from outside lead to.
    pub entries: Vec<Block>,
    /// Edges that carry tokens back: (source, position among the targets of its terminator).
    pub back_edges: Vec<(Block, u32)>,
    /// Index of the loop around it.
    pub parent: Option<usize>,
    /// Kind.
    pub kind: LoopKind,
    /// Most tokens inside at a time: the admission counter at all entries.
    pub limit: u32,
    /// Depth of each back-edge FIFO in tokens.
    pub back_depth: u32,
    /// Cycles from entry to the back edge on the shortest way, memory at its assumed latency.
    pub latency: u32,
    /// Cycles between two iterations: of all work-items together (threaded: 1 unless something
    /// in it is slower), of the one work-item (pipelined).
    pub ii: u32,
    /// The memory on the chip whose ports are what `ii` is as long as it is for.
    pub ports: Option<MemoryId>,
    /// Why `ii` is what it is, and what would lower it: for the report.
    pub reason: String,
}

impl LoopSchedule {
    /// Least admission limit that never keeps a work-item out. The gates of several entries are
    /// open only while each of them could let one in.
    pub fn never_full(&self, occupancy: &Occupancy) -> u32 {
        occupancy.work_items() + (self.entries.len() as u32).max(1) - 1
    }
}

/// A loop of one block that one work-item runs: iterations enter the block's pipeline one after
/// the other, each a token of its own, and stay in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PipelinedLoop {
    /// Loop-carried values that stay in the segment that computes them.
    pub feedback: Vec<Feedback>,
    /// Loop-carried values that are used before the segment that computes them: the next
    /// iteration is not issued until they are known.
    pub late: Vec<Late>,
    /// When the condition of the block's branch is known.
    pub condition: Moment,
    /// Whether iterations begin before it is ([`ir::Speculation::On`]): then it holds up nothing.
    pub speculated: bool,
    /// Whether the branch leaves the loop when its condition is 1.
    pub exit_on_true: bool,
    /// Accesses at boundaries whose order from iteration to iteration matters.
    pub order: Option<Order>,
}

impl PipelinedLoop {
    /// Whether the next iteration waits for a condition that only a later segment computes.
    pub fn waits_for_memory(&self) -> bool {
        self.condition.segment > 0 && !self.speculated
    }
}

/// Accesses of a loop with overlapping iterations of which one may touch in one iteration what another one touches in a later one: an
/// iteration comes to the first of them when that `distance` before it has left the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Iterations from one access to the next that may touch the same bytes, at least 1: so many may be between `from` and `to`.
    pub distance: u32,
    /// Segment at whose end the first of these accesses stand.
    pub from: u32,
    /// Segment at whose end the last of them stand.
    pub to: u32,
}

/// A point in a block's schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Moment {
    /// Segment of the block.
    pub segment: u32,
    /// Cycle in the segment.
    pub cycle: u32,
}

/// A loop-carried value in a register of one segment, or in a queue where it is carried over several iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feedback {
    /// Block parameter.
    pub param: Value,
    /// Its value in the iteration `distance` later.
    pub next: Value,
    /// 1, or more where parameters take over from one another and only the value that the last of them has is
    /// read: `c` of `a' = next, b' = a, c' = b` is what `next` was 3 iterations before.
    pub distance: u32,
    /// Segment.
    pub segment: u32,
    /// Cycle of the first use.
    pub read: u32,
    /// Cycle in which the register takes `next`, at least `read`: an iteration reads what the one
    /// before left. The register keeps it from the following cycle on.
    pub write: u32,
}

impl Feedback {
    /// Cycles from `write` to the first in which a later iteration can read: a queue's word passes its memory.
    pub fn turnaround(distance: u32) -> u32 {
        if distance > 1 { 2 } else { 1 }
    }

    /// Iterations behind the one that writes, of which the last must not come to the reader before the word can be read: the distance, but that
    /// words in block RAM are sent for by the third iteration before.
    pub fn iterations(distance: u32) -> u32 {
        if distance > Self::MOST_IN_LUTRAM { distance - 3 } else { distance }
    }

    /// Longest distance, in iterations, of queues in LUTRAM. Longer ones are in block RAM if they begin with one value.
    pub const MOST_IN_LUTRAM: u32 = 64;

    /// Cycles between two iterations that it asks for.
    pub fn interval(&self) -> u32 {
        let cycles = (self.write + Feedback::turnaround(self.distance)).saturating_sub(self.read);
        cycles.div_ceil(Feedback::iterations(self.distance)).max(1)
    }

    /// The parameters whose initial values `param` has in the first iterations, itself first. As many as `distance`, or
    /// fewer where it takes over from no more.
    pub fn chain(&self, func: &Function, block: Block) -> Vec<Value> {
        if self.distance == 1 {
            return vec![self.param];
        }
        let (mut chain, _) = Carried::new(func, block).taken_over(self.param);
        chain.truncate(self.distance as usize);
        chain
    }
}

/// A loop-carried value that goes back to the loop's entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Late {
    /// Block parameter.
    pub param: Value,
    /// Its value in the next iteration.
    pub next: Value,
    /// When it is known.
    pub known: Moment,
}

/// Operations of a segment or a unit that one instance computes, each in cycles of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Shared {
    /// The operations, at least two, in the order in which they start.
    pub insts: Vec<Inst>,
    /// Delay of the multiplexers in front of the instance, ns: a part of the operations' input delay.
    pub select_ns: f64,
    /// Whether registers stand between multiplexers and instance: the operations take a cycle more.
    pub staged: bool,
}

impl Shared {
    /// The number of the group of each operation that shares an instance.
    pub fn groups(all: &[Shared]) -> FxHashMap<Inst, usize> {
        let group =
            |(k, s): (usize, &Shared)| s.insts.iter().map(move |i| (*i, k)).collect::<Vec<_>>();
        all.iter().enumerate().flat_map(group).collect()
    }

    /// Timing of an operation with multiplexers in front of it, from that of its instance.
    pub fn timing(&self, own: OpTiming) -> OpTiming {
        match self.staged {
            false => OpTiming { input_ns: own.input_ns + self.select_ns, ..own },
            true => OpTiming { latency: own.latency + 1, input_ns: self.select_ns, ..own },
        }
    }
}

/// An operator scheduled once and instantiated at each use: a function without branches whose
/// inputs are its entry block's parameters.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Module name without prefix, such as `fadd_f32`.
    pub name: String,
    /// Its datapath: one block, or three, each of which jumps to the next, where [`Unit::turning`] is given.
    pub func: Function,
    /// Outputs in order.
    pub outputs: Vec<Value>,
    /// Stage of each instruction; [`Place::Segment`] with segment 0, or [`Place::Static`]. In the block that is repeated:
    /// the cycle in a turn, with segment 1.
    pub place: SecondaryMap<Inst, Option<Place>>,
    /// Timing of each instruction.
    pub inst_timing: SecondaryMap<Inst, OpTiming>,
    /// Latency and the delays at its borders.
    pub timing: OpTiming,
    /// That it is no pipeline: the second block is hardware that is used again and again.
    pub turning: Option<Turning>,
    /// Products that share a multiplier: then the unit must be told in which cycles it has operands.
    pub shared: Vec<Shared>,
    /// Least distance in cycles of two operands that these products ask for, 1 without any.
    pub ii: u32,
}

/// The loop in a unit that is no pipeline. The parameters of the second block are registers. They take the arguments of the
/// first block's jump in the cycle of stage `start`, and those of the second block's jump at the end of each turn; behind the
/// last turn they are the parameters of the third block. What else is used behind that stage waits in registers that take a
/// new value in the same cycle only: to the rest of the unit the loop is one stage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Turning {
    /// Stage behind which the loop stands.
    pub start: u32,
    /// Turns.
    pub turns: u32,
    /// Cycles of a turn.
    pub cycles: u32,
    /// Delay in front of the registers: they take a first or a next value, ns.
    pub load_ns: f64,
}

impl Unit {
    /// Least distance in cycles of two operands.
    pub fn interval(&self) -> u32 {
        self.turning.map_or(self.ii, |t| t.turns * t.cycles + 1)
    }

    /// Timing in the prologue, where a register takes the result of a loop, as it does not stay.
    pub fn prologue_timing(&self) -> OpTiming {
        match self.turning {
            Some(_) => OpTiming { latency: self.timing.latency + 1, output_ns: 0.0, ..self.timing },
            None => self.timing,
        }
    }

    /// Register stages from operands to outputs, a loop counted as one.
    pub fn stages(&self) -> u32 {
        let turning = self.turning.map_or(0, |t| t.turns * t.cycles);
        self.timing.latency.saturating_sub(turning)
    }

    /// The last cycle in which an operation of a shared multiplier starts.
    pub fn last_shared(&self) -> Option<u32> {
        let insts = self.shared.iter().flat_map(|g| &g.insts);
        let cycle = |i: &Inst| match self.place[*i] {
            Some(Place::Segment { cycle, .. }) => Some(cycle),
            _ => None,
        };
        insts.filter_map(cycle).max()
    }
}

/// How many work-items are on their way at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occupancy {
    /// Work-group slots: work-groups in flight, at least 1.
    pub slots: u32,
    /// Largest work-group in work-items.
    pub max_work_group_size: u32,
    /// Bits of the slot number in a token (0 when there is one slot).
    pub slot_bits: u32,
    /// Bits of the linear local id in a token (0 when tokens do not carry it).
    pub lid_bits: u32,
}

impl Occupancy {
    /// Most work-items in flight when state per work-item is kept.
    pub fn work_items(&self) -> u32 {
        self.slots * self.max_work_group_size
    }

    /// Whether work-groups are told apart while they are in flight; kernels that keep nothing for
    /// a group need not.
    pub fn is_tracked(&self) -> bool {
        self.slot_bits > 0 || self.slots == 1
    }
}

/// Clock target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// Period in ns.
    pub period_ns: f64,
    /// Flip-flop clock-to-output plus setup, and what is left for longer nets, in ns: not available to logic.
    pub overhead_ns: f64,
}

/// The schedule of one kernel.
#[derive(Clone, Debug)]
pub struct KernelSchedule {
    /// The kernel, expanded into what hardware has. All instructions and blocks below are its.
    pub func: Function,
    /// Clock target.
    pub clock: Clock,
    /// Place of each instruction in a block.
    pub place: SecondaryMap<Inst, Option<Place>>,
    /// Latency and border delays of each pure instruction.
    pub timing: SecondaryMap<Inst, OpTiming>,
    /// Cycles from the arrival of the arguments until all launch-uniform values stand.
    pub prologue_latency: u32,
    /// Whether the kernel spreads over its device, so that registers keep its nets short: segments have copies of the launch-uniform values
    /// that several read, handed from one to the next before the first work-item, and delay lines are written out of registers.
    pub spread: bool,
    /// Segments of each block.
    pub blocks: SecondaryMap<Block, BlockSchedule>,
    /// Loops, outer before inner.
    pub loops: Vec<LoopSchedule>,
    /// Loops of one block with overlapping iterations.
    pub pipelined: IndexMap<Block, PipelinedLoop>,
    /// On-chip memories and device memory.
    pub memories: PrimaryMap<MemoryId, Memory>,
    /// The memory accesses, in order of their site numbers.
    pub accesses: IndexMap<Inst, Access>,
    /// Accesses in segments whose order from iteration to iteration matters.
    pub in_turn: Vec<InTurn>,
    /// Loops whose interval would be shorter without accesses in segments, and why.
    pub bound: IndexMap<Block, Bound>,
    /// Operator units in use.
    pub units: PrimaryMap<UnitId, Unit>,
    /// Unit of an instruction, if it is one.
    pub unit_of: SecondaryMap<Inst, Option<UnitId>>,
    /// Operations of segments that share an instance.
    pub shared: Vec<Shared>,
    /// Why the unit of a division or square root is a pipeline, or a loop of steps: for the report.
    pub forms: IndexMap<Inst, String>,
    /// Occupancy.
    pub occupancy: Occupancy,
    /// Whether the kernel runs as a single work-item.
    pub task: bool,
    /// What the report tells the user about the schedule beside its loops.
    pub notes: Vec<String>,
}

impl KernelSchedule {
    /// The cycle of its segment in which an instruction starts; 0 elsewhere.
    pub fn cycle_of(&self, inst: Inst) -> u32 {
        match self.place[inst] {
            Some(Place::Segment { cycle, .. }) => cycle,
            _ => 0,
        }
    }

    /// Whether a token that comes to a segment of a loop with overlapping iterations brings a value, or all tokens have the same.
    pub fn stands_in_front(&self, block: Block, segment: u32, value: Value) -> bool {
        let here = |v: Value| {
            let feedback = self.pipelined.get(&block).map_or(&[][..], |p| &p.feedback);
            feedback.iter().any(|f| f.param == v && f.segment >= segment)
        };
        match self.func.values[value].def {
            ValueDef::Param(of, _) => of != block || !here(value),
            ValueDef::Inst(inst) => match self.place[inst] {
                Some(Place::Segment { segment: k, .. } | Place::Boundary { segment: k }) => {
                    !self.func.blocks[block].insts.contains(&inst) || k < segment
                }
                place => place.is_some(),
            },
        }
    }
}
