//! Arrays on the chip that are kept several times, so that the loads of an iteration have a port each.
//!
//! A RAM has two sides, and without replicas the accesses of an array take turns at them, whatever loop they stand in. With replicas
//! stores write all RAMs at one side, and the other side of each answers some of the loads. How many there are follows from what
//! the loops ask for in the cycles that they take anyway: a loop that is held up by something else for four cycles asks for a
//! fourth of its loads a cycle. Where work-items interleave all loops are busy at once, each as often as it runs; a single
//! work-item is in one loop at a time, and only loops whose iterations overlap want anything in every cycle.

use crate::Options;
use ir::analysis::Cfg;
use ir::{Block, Inst};
use schedule::ports::{Ports, Region, rare};
use schedule::{AccessKind, KernelSchedule, MemoryId, MemoryKind};
use target::Family;

/// How often a loop runs, for what is asked of its array: as good as any where nothing is known.
const USUAL_TRIPS: f64 = 16.0;
/// Part of the cycles for which an array of a single RAM is needed that are left at most with replicas that are worth it.
const WORTH: f64 = 0.9;
/// Most replicas of an array: what is stored has to reach all of them in a cycle.
const MOST: u32 = 64;
/// Numbers of replicas that are tried beyond the least that could do.
const TRIES: u32 = 4;

/// Chooses the replicas of each memory on the chip, and makes the intervals of loops those that the ports allow.
pub fn plan(s: &mut KernelSchedule, family: &Family, options: &Options) {
    if !s.memories.values().any(|m| m.kind.is_on_chip()) {
        return;
    }
    let cfg = Cfg::new(&s.func);
    let mut left = options.replica_blocks;
    let ids: Vec<MemoryId> =
        s.memories.iter().filter(|(_, m)| m.kind.is_on_chip()).map(|(id, _)| id).collect();
    for &id in &ids {
        let each = blocks(s, id, family);
        let most = left.checked_div(each).map_or(MOST, |n| (n + 1).min(MOST.into()) as u32);
        if let Some(choice) = Chooser::new(s, &cfg, id).choose(most) {
            left -= each * u64::from(choice.replicas - 1);
            for (inst, replica) in choice.of {
                if let Some(access) = s.accesses.get_mut(&inst) {
                    access.replica = replica;
                }
            }
            s.memories[id].replicas = Some(choice.replicas);
        }
    }
    intervals(s, &cfg, &ids);
}

/// RAM blocks that one replica of a memory takes: none where it stands in LUTs.
fn blocks(s: &KernelSchedule, id: MemoryId, family: &Family) -> u64 {
    let m = &s.memories[id];
    let o = &s.occupancy;
    let of_items = if m.kind == MemoryKind::Private { o.lid_bits } else { 0 };
    let words = (m.bytes / u64::from(m.word_bytes.max(1))).max(2).next_power_of_two();
    let words = words << (o.slot_bits + of_items);
    let width = 8 * m.word_bytes;
    u64::from(family.ram.blocks(width, u32::try_from(words).unwrap_or(u32::MAX)))
}

/// The replicas of a memory.
struct Choice {
    replicas: u32,
    /// Which one answers each load.
    of: Vec<(Inst, u32)>,
}

/// A region in which accesses compete for ports.
struct Busy {
    region: Region,
    /// Part of the kernel's cycles that one access in it takes of a port.
    weight: f64,
}

/// Chooses the replicas of one memory.
struct Chooser<'a> {
    s: &'a KernelSchedule,
    id: MemoryId,
    ports: Ports,
    busy: Vec<Busy>,
}

impl<'a> Chooser<'a> {
    fn new(s: &'a KernelSchedule, cfg: &Cfg, id: MemoryId) -> Self {
        Chooser { s, id, ports: Ports::new(s), busy: busy(s, cfg) }
    }

    /// As many replicas as make the loops' intervals those that they have without this memory, or as near as can be; none where
    /// a single RAM does as well.
    fn choose(&self, most: u32) -> Option<Choice> {
        let s = self.s;
        let own = s.accesses.iter().filter(|(_, a)| a.memory == self.id);
        let (loads, stores): (Vec<Inst>, Vec<Inst>) =
            own.map(|(i, _)| *i).partition(|i| s.accesses[i].kind == AccessKind::Load);
        if s.memories[self.id].atomic || loads.len() < 2 || stores.is_empty() {
            return None;
        }
        let single = self.single();
        if single <= 1.0 {
            return None;
        }
        // Stores under conditions may be few: what they do not take is not given away.
        let certain = |i: Inst| stores.contains(&i) && !rare(s, i);
        let wanted = self.need(|r, ports| r.least(|b| ports.count(b, certain))).max(1.0);
        let all = self.need(|r, ports| r.most(|b| ports.count(b, |i| loads.contains(&i))));
        let least = (all / wanted).floor().max(1.0) as u32;
        let first = least.min(most);
        let tries = (first..=most.min(first + TRIES)).map(|n| self.spread(&loads, n));
        let mut best: Option<(f64, Choice)> = None;
        for (need, choice) in tries {
            let need = need.max(wanted);
            if best.as_ref().is_none_or(|b| need < b.0) {
                best = Some((need, choice));
            }
        }
        let (need, choice) = best?;
        (need <= WORTH * single).then_some(choice)
    }

    /// What the busier side of a single RAM is asked for.
    fn single(&self) -> f64 {
        let memory = &self.s.memories[self.id];
        let of_port = |port: u32| {
            self.need(|r, ports| {
                r.most(|b| ports.count(b, |i| ports.of(i) == Some((self.id, port))))
            })
        };
        (0..memory.ports()).map(of_port).fold(0.0, f64::max)
    }

    /// The loads divided over `n` replicas, each given to that which is then asked for least; and what is asked for most.
    fn spread(&self, loads: &[Inst], n: u32) -> (f64, Choice) {
        let mut groups: Vec<Vec<Inst>> = vec![vec![]; n as usize];
        let mut needs = vec![0.0f64; n as usize];
        for &load in loads {
            let with = |group: &[Inst]| {
                let asks = |i: Inst| i == load || group.contains(&i);
                self.need(|r, ports| r.most(|b| ports.count(b, asks)))
            };
            let mut best = (f64::INFINITY, 0);
            for (k, group) in groups.iter().enumerate() {
                let need = if group.is_empty() { with(&[]) } else { with(group) };
                if need < best.0 {
                    best = (need, k);
                }
                // Nothing is better than one that nobody asks yet.
                if group.is_empty() {
                    break;
                }
            }
            groups[best.1].push(load);
            needs[best.1] = best.0;
        }
        groups.retain(|g| !g.is_empty());
        let number = |(k, group): (usize, &Vec<Inst>)| {
            group.iter().map(move |i| (*i, k as u32)).collect::<Vec<_>>()
        };
        let of = groups.iter().enumerate().flat_map(number).collect();
        let need = needs.into_iter().fold(0.0, f64::max);
        (need, Choice { replicas: groups.len() as u32, of })
    }

    /// Cycles of a port for each cycle of the kernel, by what `count` finds in a region.
    fn need(&self, count: impl Fn(&Region, &Ports) -> u32) -> f64 {
        let needs = self.busy.iter().map(|b| b.weight * f64::from(count(&b.region, &self.ports)));
        if self.s.task { needs.fold(0.0, f64::max) } else { needs.sum() }
    }
}

/// The regions of a kernel in which a port can be what is slowest.
fn busy(s: &KernelSchedule, cfg: &Cfg) -> Vec<Busy> {
    let interval = |number: Option<usize>| {
        let of_loop = number.map_or(1, |k| s.loops[k].ii);
        let region = Region::new(s, cfg, number);
        let own: Vec<Block> = region.blocks.iter().copied().filter(|b| region.holds(*b)).collect();
        let segments = own.iter().flat_map(|b| &s.blocks[*b].segments).map(|g| g.ii).max();
        (region, f64::from(of_loop.max(segments.unwrap_or(1)).max(1)))
    };
    if s.task {
        let all = (0..s.loops.len()).filter(|k| s.pipelined.contains_key(&s.loops[*k].header));
        let all = all.map(|k| interval(Some(k)));
        return all.map(|(region, ii)| Busy { region, weight: 1.0 / ii }).collect();
    }
    let times = |number: Option<usize>| {
        let around = std::iter::successors(number, |k| s.loops[*k].parent);
        USUAL_TRIPS.powi(around.count() as i32)
    };
    let places = std::iter::once(None).chain((0..s.loops.len()).map(Some));
    let all: Vec<(f64, (Region, f64))> = places.map(|p| (times(p), interval(p))).collect();
    let cycles = all.iter().map(|(times, (_, ii))| times * ii).fold(1.0, f64::max);
    all.into_iter().map(|(times, (region, _))| Busy { region, weight: times / cycles }).collect()
}

/// Makes the interval of each loop as long as the ports of its arrays need.
fn intervals(s: &mut KernelSchedule, cfg: &Cfg, ids: &[MemoryId]) {
    let ports = Ports::new(s);
    for k in 0..s.loops.len() {
        let region = Region::new(s, cfg, Some(k));
        let needs = ids.iter().map(|id| (ports.interval(s, &region, *id), *id));
        let worst = needs.reduce(|a, b| if b.0.0 > a.0.0 { b } else { a });
        let Some(((cycles, insts), id)) = worst.filter(|w| w.0.0 > s.loops[k].ii) else { continue };
        // A single work-item whose iterations do not overlap waits for each access anyway.
        if s.task && !s.pipelined.contains_key(&s.loops[k].header) {
            continue;
        }
        let reason = reason(s, &region, &ports, (id, cycles, &insts));
        let l = &mut s.loops[k];
        (l.ii, l.ports, l.reason) = (cycles, Some(id), reason);
    }
}

/// Why a loop takes as long as a port needs for what is asked of it, and what would help.
fn reason(
    s: &KernelSchedule,
    region: &Region,
    ports: &Ports,
    (id, cycles, at_port): (MemoryId, u32, &[Inst]),
) -> String {
    let memory = &s.memories[id];
    let of = |kind: fn(AccessKind) -> bool| {
        let own = |i: Inst| ports.of(i).is_some_and(|p| p.0 == id) && kind(s.accesses[&i].kind);
        region.most(|b| ports.count(b, own))
    };
    let (loads, others) = (of(|k| k == AccessKind::Load), of(|k| k != AccessKind::Load));
    let mut lines: Vec<u32> =
        at_port.iter().map(|i| s.accesses[i].loc.line).filter(|l| *l > 0).collect();
    lines.dedup();
    let shown: Vec<String> = lines.iter().take(3).map(u32::to_string).collect();
    let more = if lines.len() > 3 { " and others" } else { "" };
    let place = match shown.len() {
        0 => String::new(),
        1 => format!(", those of line {}", shown[0]),
        _ => format!(", those of lines {}{more}", shown.join(", ")),
    };
    let (what, remedy) = match (memory.atomic, memory.replicas) {
        (true, _) => (
            "operations share the one pipeline for atomics".to_owned(),
            "an array of its own for what is not atomic",
        ),
        (false, None) => (
            format!("operations share the two ports of a RAM ({loads} loads, {others} stores)"),
            "an array for each of them, or its values in variables",
        ),
        (false, Some(n)) => (
            format!("operations share a port of {n} replicas ({loads} loads, {others} stores)"),
            "an array for each of them, or its values in variables",
        ),
    };
    format!("`{}`: {what}, {cycles} at one of them{place}; {remedy}", memory.name)
}
