//! What a schedule costs in pipeline registers.

use crate::{KernelSchedule, Place, Unit, UnitId};
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Liveness};
use ir::{Block, Function, Inst, Value, ValueDef};

/// Bits of the registers that carry values from stage to stage, in the segments of all blocks and
/// in each instance of an operator unit. Registers inside multipliers, tables, FIFOs and memory
/// units, and those of a token's work-item number, are the same in every schedule and not counted.
pub fn register_bits(s: &KernelSchedule) -> u64 {
    let cfg = Cfg::new(&s.func);
    let live = Liveness::new(&s.func, &cfg, |v| travels(s, v));
    let mut of_unit: SecondaryMap<UnitId, u64> = SecondaryMap::new();
    for (id, unit) in s.units.iter() {
        of_unit[id] = unit_bits(unit);
    }
    let mut bits = 0;
    for &block in &s.func.layout {
        let leaving: Vec<Value> =
            cfg.succs[block].iter().flat_map(|t| live.live_in(*t).iter().copied()).collect();
        let mut entering = s.func.blocks[block].params.clone();
        entering.extend(live.live_in(block).iter().copied());
        for k in 0..s.blocks[block].segments.len() as u32 {
            bits += segment_bits(s, block, k, &entering, &leaving);
        }
        let units = s.func.blocks[block].insts.iter().filter_map(|i| s.unit_of[*i]);
        bits += units.map(|u| of_unit[u]).sum::<u64>();
    }
    // Of operations that share an instance all but one have none.
    let others = s.shared.iter().flat_map(|g| g.insts.iter().skip(1));
    let none = others.filter_map(|i| s.unit_of[*i]).map(|u| of_unit[u]).sum::<u64>();
    bits.saturating_sub(none)
}

/// Whether a value travels with tokens.
fn travels(s: &KernelSchedule, v: Value) -> bool {
    match s.func.values[v].def {
        ValueDef::Inst(i) => !s.place[i].is_some_and(Place::is_uniform),
        ValueDef::Param(..) => true,
    }
}

/// From when until when values are kept in one pipeline.
#[derive(Default)]
struct Lifetimes {
    of: FxHashMap<Value, (u32, u32)>,
}

impl Lifetimes {
    fn stands(&mut self, v: Value, cycle: u32) {
        self.of.entry(v).or_insert((cycle, cycle));
    }

    fn needed(&mut self, v: Value, cycle: u32) {
        if let Some((_, last)) = self.of.get_mut(&v) {
            *last = cycle.max(*last);
        }
    }

    fn bits(&self, func: &Function) -> u64 {
        let kept = |(v, (first, last)): (&Value, &(u32, u32))| {
            u64::from(func.bits(*v)) * u64::from(last - first)
        };
        self.of.iter().map(kept).sum()
    }
}

fn segment_bits(
    s: &KernelSchedule,
    block: Block,
    k: u32,
    entering: &[Value],
    leaving: &[Value],
) -> u64 {
    let latency = s.blocks[block].segments[k as usize].latency;
    let insts = &s.func.blocks[block].insts;
    let mut l = Lifetimes::default();
    entering.iter().for_each(|v| l.stands(*v, 0));
    // What stands: from earlier segments and boundaries at the entry, from this one later.
    for &inst in insts {
        let Some(result) = s.func.insts[inst].result else { continue };
        match s.place[inst] {
            Some(Place::Segment { segment, cycle }) if segment == k => {
                l.stands(result, cycle + s.timing[inst].latency);
            }
            Some(Place::Segment { segment, .. } | Place::Boundary { segment }) if segment < k => {
                l.stands(result, 0);
            }
            Some(Place::Dispatch) => l.stands(result, 0),
            _ => {}
        }
    }
    for &inst in insts {
        let until = match s.place[inst] {
            Some(Place::Segment { segment, cycle }) if segment == k => cycle,
            Some(Place::Segment { segment, .. }) if segment > k => latency,
            Some(Place::Boundary { segment }) if segment >= k => latency,
            _ => continue,
        };
        s.func.insts[inst].args.iter().for_each(|a| l.needed(*a, until));
    }
    s.func.blocks[block].term.for_each_use(|v| l.needed(v, latency));
    leaving.iter().for_each(|v| l.needed(*v, latency));
    let mut bits = 0;
    if let Some(p) = s.pipelined.get(&block) {
        for f in p.feedback.iter().filter(|f| f.segment == k) {
            l.needed(f.next, f.write);
            // A queue's words are in LUTRAM.
            bits += u64::from(s.func.bits(f.param));
            if f.distance > 1 {
                f.chain(&s.func, block).iter().skip(1).for_each(|v| l.needed(*v, f.read));
            }
        }
    }
    bits + l.bits(&s.func)
}

/// Bits of the registers of one unit, those of a loop in it among them.
pub fn unit_bits(unit: &Unit) -> u64 {
    let func = &unit.func;
    let mut stages = Lifetimes::default();
    let mut turn = Lifetimes::default();
    let held_at = unit.turning.map(|t| t.start + 1);
    let mut state = 0;
    for (n, &block) in func.layout.iter().enumerate() {
        for &v in &func.blocks[block].params {
            match n {
                0 => stages.stands(v, 0),
                1 => {
                    state += u64::from(func.bits(v));
                    turn.stands(v, 0);
                }
                _ => stages.stands(v, held_at.unwrap_or(0)),
            }
        }
    }
    let placed = |i: &Inst| match unit.place[*i] {
        Some(Place::Segment { segment, cycle }) => Some((*i, segment, cycle)),
        _ => None,
    };
    let all = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    let body: Vec<(Inst, u32, u32)> = all.filter_map(placed).collect();
    for &(inst, segment, cycle) in &body {
        if let Some(r) = func.insts[inst].result {
            let lifetimes = if segment == 0 { &mut stages } else { &mut turn };
            lifetimes.stands(r, cycle + unit.inst_timing[inst].latency);
        }
    }
    for &(inst, segment, cycle) in &body {
        for &a in &func.insts[inst].args {
            // What a turn uses from outside is held while the loop turns.
            let until = if segment == 0 { cycle } else { held_at.unwrap_or(0) };
            stages.needed(a, until);
            if segment > 0 {
                turn.needed(a, cycle);
            }
        }
    }
    unit.outputs.iter().for_each(|v| stages.needed(*v, unit.stages()));
    if let (Some(t), Some(block)) = (unit.turning, func.layout.first()) {
        func.blocks[*block].term.for_each_use(|v| stages.needed(v, t.start));
    }
    state + stages.bits(func) + turn.bits(func)
}
