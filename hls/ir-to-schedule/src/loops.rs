//! Occupancy and loops: how many work-items are in flight, and where.

use crate::Options;
use base::entity::PrimaryMap;
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Op};
use schedule::{
    CHANNEL_LATENCY, KernelSchedule, LoopKind, LoopSchedule, Memory, MemoryId, MemoryKind,
    ON_CHIP_LATENCY, Occupancy, Order, Place,
};

/// Work-groups in flight, counted on, of kernels that keep nothing for a group and do not tell them apart.
const STATELESS_SLOTS: u32 = 16;
/// Most work-group slots of the others.
const MAX_SLOTS: u32 = 8;
/// Least admission limit of a threaded loop.
const LEAST_LIMIT: u32 = 16;
/// Cycles in which an access that begins anywhere is put together.
const REALIGN_LATENCY: u32 = 8;

/// Work-group slots and sizes.
pub fn occupancy(
    func: &Function,
    memories: &PrimaryMap<MemoryId, Memory>,
    options: &Options,
    task: bool,
) -> Occupancy {
    let kernel = func.kernel.clone().unwrap_or_default();
    let required = kernel.reqd_work_group_size.map(|s| s.iter().product());
    let given = required.or_else(|| kernel.largest_work_group());
    let size = given.unwrap_or(options.default_work_group_size);
    let max_work_group_size = size.max(1);
    let barrier = has_barrier(func, func.layout.iter().copied());
    let private = memories.values().any(|m| m.kind == MemoryKind::Private);
    let local = memories.values().any(|m| m.kind == MemoryKind::Local);
    if task {
        return Occupancy { slots: 1, max_work_group_size: 1, slot_bits: 0, lid_bits: 0 };
    }
    if !(barrier || private || local) {
        let slots = STATELESS_SLOTS;
        return Occupancy { slots, max_work_group_size, slot_bits: 0, lid_bits: 0 };
    }
    let mut slots =
        (options.work_items.div_ceil(size.max(1)) + 1).next_power_of_two().clamp(2, MAX_SLOTS);
    let private_bits: u64 = memories
        .values()
        .filter(|m| m.kind == MemoryKind::Private)
        .map(|m| m.bytes * 8 * u64::from(max_work_group_size))
        .sum();
    while slots > 1 && private_bits * u64::from(slots) > options.private_memory_bits {
        slots /= 2;
    }
    let bits = |n: u32| n.next_power_of_two().ilog2();
    let lid_bits = if barrier || private { bits(max_work_group_size) } else { 0 };
    Occupancy { slots, max_work_group_size, slot_bits: bits(slots), lid_bits }
}

fn has_barrier(func: &Function, blocks: impl IntoIterator<Item = Block>) -> bool {
    blocks
        .into_iter()
        .flat_map(|b| &func.blocks[b].insts)
        .any(|i| matches!(func.insts[*i].op, Op::Barrier(..)))
}

/// Fills in the loops of a schedule whose blocks are scheduled.
pub fn plan(s: &mut KernelSchedule, options: &Options) {
    let cfg = Cfg::new(&s.func);
    let loops = Loops::new(&s.func, &cfg);
    let order: Vec<_> = loops.loops.keys().collect();
    for id in &order {
        let data = &loops.loops[*id];
        let latency = latency(s, &cfg, data.header, &data.blocks, options);
        let device = data.blocks.iter().any(|b| touches_device(s, *b));
        let limit = if s.task {
            2
        } else if has_barrier(&s.func, data.blocks.iter().copied()) {
            // A barrier waits for whole groups: nobody is kept out. The gates of several entries
            // are open only while each of them could let one in.
            s.occupancy.work_items() + data.entries.len() as u32 - 1
        } else {
            // Memory may take longer than it does without other traffic.
            let wanted = if device { 2 * latency } else { latency };
            let wanted =
                wanted.next_power_of_two().clamp(LEAST_LIMIT, options.work_items.max(LEAST_LIMIT));
            wanted.min(s.occupancy.work_items().next_power_of_two()).max(2)
        };
        // The gates of a loop with several entries open when each could let a token in.
        let limit = limit.max(data.entries.len() as u32);
        let back_edges = back_edges(&cfg, data.header, &data.blocks);
        let (ii, reason) = if let Some(p) = s.pipelined.get(&data.header) {
            let between = |o| between_accesses(s, data.header, o, options);
            crate::pipelined::interval(s, data.header, p, latency, between)
        } else if s.task {
            let text = format!(
                "one work-item: the next iteration enters when the {latency} cycles of this one are over"
            );
            (latency, text)
        } else if limit < latency {
            let text = format!(
                "{limit} work-items in flight cover {limit} of the loop's {latency} cycles"
            );
            (latency.div_ceil(limit), text)
        } else {
            (1, "work-items interleave and fill every cycle".to_owned())
        };
        let slowest = crate::forms::slowest(s, &data.blocks);
        let (ii, reason) = if slowest.0 > ii { slowest } else { (ii, reason) };
        s.loops.push(LoopSchedule {
            header: data.header,
            blocks: data.blocks.clone(),
            entries: data.entries.clone(),
            back_edges,
            parent: data.parent.and_then(|p| order.iter().position(|o| *o == p)),
            kind: if s.pipelined.contains_key(&data.header) {
                LoopKind::Pipelined
            } else {
                LoopKind::Threaded
            },
            limit,
            back_depth: limit,
            latency,
            ii,
            ports: crate::timed::binding_ports(s, data.header, ii),
            reason,
        });
    }
}

fn touches_device(s: &KernelSchedule, block: Block) -> bool {
    s.func.blocks[block].insts.iter().any(|i| {
        s.accesses.get(i).is_some_and(|a| {
            a.has_response() && matches!(s.memories[a.memory].kind, MemoryKind::Device { .. })
        })
    })
}

fn back_edges(cfg: &Cfg, header: Block, blocks: &[Block]) -> Vec<(Block, u32)> {
    let mut out = vec![];
    for &b in blocks {
        for (k, t) in cfg.succs[b].iter().enumerate() {
            if *t == header {
                out.push((b, k as u32));
            }
        }
    }
    out
}

/// Cycles from the header to the back edge along the longest way without inner iterations.
fn latency(s: &KernelSchedule, cfg: &Cfg, header: Block, blocks: &[Block], o: &Options) -> u32 {
    let mut longest: base::FxHashMap<Block, u32> = base::FxHashMap::default();
    let mut order: Vec<Block> = blocks.to_vec();
    order.sort_by_key(|b| cfg.rpo_index[*b]);
    let mut total = 0;
    for b in order {
        let before = longest.get(&b).copied().unwrap_or(0);
        let after = before + block_latency(s, b, o);
        for t in &cfg.succs[b] {
            if *t == header {
                total = total.max(after);
            } else if blocks.contains(t) && cfg.rpo_index[*t] > cfg.rpo_index[b] {
                let e = longest.entry(*t).or_default();
                *e = (*e).max(after);
            }
        }
    }
    total.max(1)
}

fn block_latency(s: &KernelSchedule, block: Block, o: &Options) -> u32 {
    let segments = &s.blocks[block].segments;
    let own: u32 = segments.iter().map(|g| g.latency + CHANNEL_LATENCY).sum();
    own + waits(s, block, o).iter().sum::<u32>() + CHANNEL_LATENCY
}

/// Cycles from the first of the accesses of a block whose order matters to the answer of the last.
fn between_accesses(s: &KernelSchedule, block: Block, order: Order, o: &Options) -> u32 {
    let places = order.from as usize..=order.to as usize;
    let segments = &s.blocks[block].segments[*places.start() + 1..=*places.end()];
    let own: u32 = segments.iter().map(|g| g.latency + CHANNEL_LATENCY).sum();
    own + waits(s, block, o)[places].iter().sum::<u32>() + CHANNEL_LATENCY
}

/// Cycles in which the accesses at the end of each segment of a block are answered.
fn waits(s: &KernelSchedule, block: Block, o: &Options) -> Vec<u32> {
    let mut waits = vec![0u32; s.blocks[block].segments.len()];
    for inst in &s.func.blocks[block].insts {
        let (Some(Place::Boundary { segment }), Some(a)) = (s.place[*inst], s.accesses.get(inst))
        else {
            continue;
        };
        if a.has_response() {
            let t = match s.memories[a.memory].kind {
                MemoryKind::Device { .. } if a.is_realigned() => o.memory_latency + REALIGN_LATENCY,
                MemoryKind::Device { .. } => o.memory_latency,
                _ => ON_CHIP_LATENCY,
            };
            let slot = &mut waits[segment as usize];
            *slot = (*slot).max(t);
        }
    }
    waits
}
