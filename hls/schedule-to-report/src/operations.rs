//! When each operation happens, in ns.

use crate::View;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Block, Inst, Op, Value};
use report::{Operation, When};
use schedule::{OpTiming, Place};

/// The operations of a kernel.
#[derive(Default)]
pub(crate) struct Operations {
    /// In the order of the blocks.
    pub list: Vec<Operation>,
    /// Number of an instruction's operation.
    pub of: SecondaryMap<Inst, Option<u32>>,
}

/// Operations that are wires.
fn is_wire(op: Op) -> bool {
    use Op::*;
    matches!(op, Slice { .. } | Concat | Zext | Sext | Bitcast | PtrToInt | IntToPtr | SpaceCast)
}

/// When a value stands in its block: cycle from the block's entry, and ns into it.
type Arrival = (u32, f64);

pub(crate) fn operations(view: &View<'_>) -> Operations {
    let mut out = Operations::default();
    let mut launch: FxHashMap<Value, Arrival> = FxHashMap::default();
    for &block in &view.s.func.layout {
        let mut here: FxHashMap<Value, Arrival> = FxHashMap::default();
        for &inst in &view.s.func.blocks[block].insts {
            add(view, &mut out, block, inst, &mut here, &mut launch);
        }
    }
    out
}

/// When an instruction starts: kind, segment, cycle from the block's entry.
fn start(view: &View<'_>, block: Block, inst: Inst) -> Option<(When, u32, u32)> {
    let starts = &view.starts[block];
    let at = |segment: u32| starts.get(segment as usize).copied().unwrap_or(0);
    Some(match view.s.place[inst]? {
        Place::Segment { segment, cycle } => (When::Segment, segment, at(segment) + cycle),
        Place::Boundary { segment } => {
            let latency = view.s.blocks[block].segments[segment as usize].latency;
            (When::Memory, segment, at(segment) + latency)
        }
        Place::Prologue { cycle } => (When::Launch, 0, cycle),
        Place::Fetched => (When::Launch, 0, 0),
        Place::BlockEntry => (When::Entry, 0, 0),
        Place::Static | Place::Dispatch => return None,
    })
}

fn add(
    view: &View<'_>,
    out: &mut Operations,
    block: Block,
    inst: Inst,
    here: &mut FxHashMap<Value, Arrival>,
    launch: &mut FxHashMap<Value, Arrival>,
) {
    let s = view.s;
    let data = &s.func.insts[inst];
    let Some((when, segment, cycle)) = start(view, block, inst) else { return };
    let timing = match when {
        When::Memory => {
            let wait = view.waits(block, |_| false)[segment as usize];
            OpTiming { latency: wait, ..OpTiming::default() }
        }
        _ => s.timing[inst],
    };
    let arrivals = if when == When::Launch { launch } else { here };
    let before = data.args.iter().filter_map(|a| arrivals.get(a));
    let into = before.filter(|(c, _)| *c == cycle).fold(0.0, |x: f64, (_, ns)| x.max(*ns));
    let ns = timing.done_ns(into);
    let done = cycle + timing.latency;
    if let Some(r) = data.result {
        arrivals.insert(r, (done, ns));
    }
    if is_wire(data.op) && timing.latency == 0 {
        return;
    }
    let mut operands = vec![];
    data.args.iter().for_each(|a| sources(view, out, *a, &mut operands));
    let chained = |o: &&u32| {
        let other = &out.list[**o as usize];
        other.block == view.index[block]
            && (other.when == When::Launch) == (when == When::Launch)
            && other.when != When::Memory
            && other.cycle + other.latency == cycle
            && other.end_ns > other.start_ns.min(f64::from(cycle) * s.clock.period_ns)
    };
    let period = s.clock.period_ns;
    let operation = Operation {
        id: out.list.len() as u32,
        name: ir::print::op_name(data.op).into_owned(),
        bits: data.result.map_or(0, |r| s.func.bits(r)),
        when,
        block: view.index[block],
        segment,
        cycle,
        latency: timing.latency,
        start_ns: ns3(f64::from(cycle) * period + into),
        end_ns: ns3(f64::from(done) * period + ns),
        chained_with: operands.iter().filter(chained).copied().collect(),
        operands,
        place: view.place_of(inst),
        access: s.accesses.get_index_of(&inst).map(|k| k as u32),
    };
    out.of[inst] = Some(operation.id);
    out.list.push(operation);
}

/// Operations that a value comes from, through wires.
fn sources(view: &View<'_>, out: &Operations, v: Value, found: &mut Vec<u32>) {
    let Some(inst) = view.s.func.def_inst(v) else { return };
    match out.of[inst] {
        Some(id) if !found.contains(&id) => found.push(id),
        None if is_wire(view.s.func.insts[inst].op) => {
            view.s.func.insts[inst].args.iter().for_each(|a| sources(view, out, *a, found));
        }
        _ => {}
    }
}

/// A time to the picosecond: sums of delays have no more to say.
pub(crate) fn ns3(ns: f64) -> f64 {
    (ns * 1000.0).round() / 1000.0
}
