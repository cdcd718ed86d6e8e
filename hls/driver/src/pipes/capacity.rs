//! How many packets hardware can have between the two ends of a connected pipe beyond what the pipe promises: what waits for room
//! where there is even more cannot go on.
//!
//! A pipe promises its depth, which the reading end holds. The unit of the writing end has a queue, or a RAM of reservations, and
//! what joins the two holds a few packets. Iterations of a pipelined loop that overlap can be ahead of one that waits: each of them has done
//! what comes before that in an iteration.

use super::{Argument, Pipe, Plan};
use ir::{Block, Function, Inst};
use schedule::{KernelSchedule, Place};
use schedule_to_rtl::{PIPE_RESERVING_WRITER_OUT, PIPE_WRITER_DEPTH};
use target::Flow;

/// Packets between two units that wires join, as on boards whose shell is ours: in simulation two queues of two with a packet between them,
/// on the board none.
const WIRED: u64 = 5;
/// Packets between two units that a vendor's linker or a user joins, at most: register slices, and FIFOs where a stream crosses regions of the device.
const LINKED: u64 = 32;
/// Places in front of an access and beside it, with the unit's own registers: of what is on the chip, and of device memory.
const PLACES: u64 = 64;
const DEVICE_PLACES: u64 = 1024;

/// What pipes hold at most, and how far kernels are ahead.
pub(super) struct Capacity {
    /// Packets of each pipe before its writer waits.
    pub room: Vec<u64>,
    /// Reads of each pipe that its reader goes past without having a packet, because they are those of iterations that wait while others
    /// are ahead of them.
    pub ahead: Vec<u64>,
}

impl Capacity {
    pub fn of(plan: &Plan<'_>, schedules: &[KernelSchedule], flow: Flow) -> Self {
        let between = match flow {
            Flow::Ecp5 => WIRED,
            Flow::Vitis | Flow::None => LINKED,
        };
        let scheduled =
            |a: Argument| schedules.iter().find(|s| s.func.name == plan.kernels[a.kernel].name);
        let ahead = |pipe: &Pipe, writes: bool| {
            let (a, _) = pipe.ends.iter().find(|(_, w)| *w == writes)?;
            Some(iterations_ahead(scheduled(*a)?, a.arg))
        };
        let room = |pipe: &Pipe| {
            let depth = u64::from(pipe.depth.max(2));
            let writer = pipe.ends.iter().find(|(_, writes)| *writes);
            let by_position =
                writer.is_some_and(|(a, _)| by_position(plan.kernels[a.kernel], a.arg));
            let queue = match by_position {
                true => depth + u64::from(PIPE_RESERVING_WRITER_OUT),
                false => PIPE_WRITER_DEPTH.into(),
            };
            depth + queue + between + ahead(pipe, true).unwrap_or_default()
        };
        Capacity {
            room: plan.pipes.iter().map(room).collect(),
            ahead: plan.pipes.iter().map(|p| ahead(p, false).unwrap_or_default()).collect(),
        }
    }
}

/// Whether a kernel reserves packets of a pipe, so that its unit has a RAM of them.
fn by_position(func: &Function, arg: u32) -> bool {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    let mut ops = insts.filter_map(|i| func.insts[*i].op.pipe());
    ops.any(|(op, k)| k == arg && op.by_position() == Some(true))
}

/// How many iterations can have passed another pipe's operation while one of them waits at this pipe, at most: none where
/// nothing comes before it in an iteration.
fn iterations_ahead(s: &KernelSchedule, arg: u32) -> u64 {
    let in_block = |block: &Block| {
        // Arguments, and the segments behind which the operations stand.
        let op = |i: &Inst| {
            let (_, k) = s.func.insts[*i].op.pipe()?;
            match s.place[*i] {
                Some(Place::Boundary { segment }) => Some((k, segment)),
                _ => None,
            }
        };
        let ops: Vec<(u32, u32)> = s.func.blocks[*block].insts.iter().filter_map(op).collect();
        let last = ops.iter().filter(|(k, _)| *k == arg).map(|(_, at)| *at).max()?;
        let first = ops.iter().filter(|(k, _)| *k != arg).map(|(_, at)| *at).min()?;
        (first < last).then(|| (first..=last).map(|k| places(s, *block, k)).sum())
    };
    s.pipelined.keys().filter_map(in_block).max().unwrap_or_default()
}

/// Iterations that fit into a segment of a block and what stands behind it, at most.
fn places(s: &KernelSchedule, block: Block, k: u32) -> u64 {
    let segment = &s.blocks[block].segments[k as usize];
    let accesses = s.accesses_behind(block, k);
    let is_device = |i: &Inst| s.memories[s.accesses[i].memory].kind.is_device();
    let behind = match (accesses.is_empty(), accesses.iter().any(is_device)) {
        (true, _) => 0,
        (false, false) => PLACES,
        (false, true) => DEVICE_PLACES,
    };
    // Tokens in the segment have their places behind it.
    behind + 2 * u64::from(segment.control.blocked_capacity()) + u64::from(segment.latency) + 2
}
