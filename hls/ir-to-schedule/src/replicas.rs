//! Arrays on the chip that are kept several times, so that the loads of an iteration have a port each.
//!
//! A RAM has two sides, and without replicas the accesses of an array take turns at them, whatever loop they stand in. With replicas
//! stores write all RAMs at one side, and the other side of each answers some of the loads. How many there are follows from what is
//! asked for in the cycles that the kernel takes anyway. Where work-items interleave, all loops are busy at once, but which of them is
//! the slowest depends on how often each runs, and that on data. So each is taken for the slowest in turn, unless a loop inside of
//! it certainly is slower, and must not become slower by the ports of this array. A single work-item is in one loop at a
//! time, and only loops whose iterations overlap want anything in every cycle.

use base::FxHashMap;
use ir::analysis::Cfg;
use ir::{Block, Inst};
use schedule::ports::{Ports, Region, rare};
use schedule::{AccessKind, KernelSchedule, MemoryId, MemoryKind, trips};
use target::Family;

/// How often a loop that is taken for the slowest runs at least, where nothing is known.
const USUAL_TRIPS: f64 = 4.0;
/// Part of the cycles with a single RAM that are left with replicas, somewhere, if these are worth it.
const WORTH: f64 = 0.8;
/// Most replicas of an array: what is stored has to reach all of them in a cycle.
pub const MOST: u32 = 64;

/// Chooses the replicas of each memory on the chip, and makes the intervals of loops those that the ports allow.
///
/// Those whose accesses have [cycles](crate::timed) have them already.
pub fn plan(s: &mut KernelSchedule, family: &Family, replica_blocks: u64) {
    let asked = s.memories.iter().filter(|(_, m)| m.kind.is_on_chip() && m.timed.is_none());
    let ids: Vec<MemoryId> = asked.map(|(id, _)| id).collect();
    if ids.is_empty() {
        return;
    }
    let cfg = Cfg::new(&s.func);
    let choosers: Vec<Chooser<'_>> = ids.iter().map(|id| Chooser::new(s, &cfg, *id)).collect();
    // As many as are wanted, or half of them, a third...: an array that has all it wants is of no use beside one that has none.
    let each: Vec<u64> = ids.iter().map(|id| blocks(s, *id, family)).collect();
    let fits = |each: u64| if each <= replica_blocks { MOST } else { 0 };
    let wanted: Vec<u32> =
        choosers.iter().zip(&each).map(|(c, each)| c.count(fits(*each))).collect();
    let cost = |part: u32| -> u64 {
        let more = wanted.iter().map(|n| u64::from(n.div_ceil(part).saturating_sub(1)));
        more.zip(&each).map(|(n, each)| n * each).sum()
    };
    let part = (1..=MOST).find(|part| cost(*part) <= replica_blocks).unwrap_or(MOST);
    let most = |n: &u32| n.div_ceil(part);
    let chosen: Vec<Option<Choice>> =
        choosers.iter().zip(&wanted).map(|(c, n)| c.choose(most(n))).collect();
    for (id, choice) in ids.iter().zip(chosen) {
        let Some(choice) = choice else { continue };
        for (inst, replica) in choice.of {
            if let Some(access) = s.accesses.get_mut(&inst) {
                access.replica = replica;
            }
        }
        s.memories[*id].replicas = Some(choice.replicas);
    }
    intervals(s, &cfg, &ids);
    note_outside(s, &cfg, &ids);
}

/// RAM blocks that one replica of a memory takes: none where it stands in LUTs.
pub fn blocks(s: &KernelSchedule, id: MemoryId, family: &Family) -> u64 {
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

/// A loop, or what is in none, taken for what is slowest in a kernel.
struct Case {
    /// Cycles that one token takes of it, or of a loop inside, whatever the array.
    cycles: f64,
    /// How often a token comes by in each region, for once in this one: at most once.
    times: Vec<f64>,
}

/// Chooses the replicas of one memory.
struct Chooser<'a> {
    s: &'a KernelSchedule,
    id: MemoryId,
    ports: Ports,
    regions: Vec<Region>,
    cases: Vec<Case>,
    /// For each case, the cycles in which everything else, and what certainly is stored, can be done.
    least: Vec<f64>,
}

impl<'a> Chooser<'a> {
    fn new(s: &'a KernelSchedule, cfg: &Cfg, id: MemoryId) -> Self {
        let places = std::iter::once(None).chain((0..s.loops.len()).map(Some));
        let regions: Vec<Region> = places.map(|place| Region::new(s, cfg, place)).collect();
        let (ports, cases) = (Ports::new(s), cases(s, &regions));
        let mut chooser = Chooser { s, id, ports, regions, cases, least: vec![] };
        // Stores under conditions may be few: what they do not take is not given away.
        let certain = |i: Inst| {
            let access = &s.accesses[&i];
            access.memory == id && access.kind != AccessKind::Load && !rare(s, i)
        };
        let stored = chooser.times(|r, ports| r.least(|b| ports.count(b, certain)));
        let cycles = chooser.cases.iter().zip(stored);
        chooser.least = cycles.map(|(case, stored)| case.cycles.max(stored)).collect();
        chooser
    }

    /// Replicas that there are when there can be `most`.
    fn count(&self, most: u32) -> u32 {
        self.choose(most).map_or(0, |choice| choice.replicas)
    }

    /// The fewest replicas that make the loops' intervals those that they have without this memory, or as near to it as can be; none
    /// where a single RAM does as well.
    fn choose(&self, most: u32) -> Option<Choice> {
        let s = self.s;
        let own = s.accesses.iter().filter(|(_, a)| a.memory == self.id);
        let (loads, stores): (Vec<Inst>, Vec<Inst>) =
            own.map(|(i, _)| *i).partition(|i| s.accesses[i].kind == AccessKind::Load);
        if s.memories[self.id].atomic || loads.len() < 2 || stores.is_empty() || most < 2 {
            return None;
        }
        let mut single: Vec<f64> = self.cases.iter().map(|case| case.cycles).collect();
        for port in 0..s.memories[self.id].ports() {
            let at = |i: Inst| self.ports.of(i) == Some((self.id, port));
            longest(&mut single, self.times(|r, ports| r.most(|b| ports.count(b, at))));
        }
        if single.iter().zip(&self.cases).all(|(n, case)| *n <= case.cycles) {
            return None;
        }
        let (asked, choice) = self.spread(&loads, most);
        let mut several = self.least.clone();
        for replica in &asked {
            let here = |b: Block| replica.get(&b).copied().unwrap_or(0);
            longest(&mut several, self.times(|r, _| r.most(here)));
        }
        let both = || several.iter().zip(&single);
        let worse = both().any(|(several, single)| several > single);
        let better = both().any(|(several, single)| *several <= WORTH * single);
        // One RAM with a side for stores and one for loads serves no better than one whose sides all share.
        (choice.replicas > 1 && better && !worse).then_some(choice)
    }

    /// The loads divided over at most `n` replicas: each is given to the first that it makes nothing longer at, then to one of its
    /// own, and at last to that at which it makes things the least longer. And what is asked of each, by block.
    fn spread(&self, loads: &[Inst], n: u32) -> (Vec<FxHashMap<Block, u32>>, Choice) {
        let mut asked: Vec<FxHashMap<Block, u32>> = vec![];
        let mut of = vec![];
        let homes = self.ports.homes();
        for &load in loads {
            let Some(home) = homes.get(&load).copied() else { continue };
            let with = |asked: &FxHashMap<Block, u32>| {
                let here = |b: Block| asked.get(&b).copied().unwrap_or(0) + u32::from(b == home);
                self.need(|r, _| r.most(here)).max(1.0)
            };
            let mut best = (f64::INFINITY, asked.len());
            for (k, asked) in asked.iter().enumerate() {
                let need = with(asked);
                if need < best.0 {
                    best = (need, k);
                }
            }
            if best.0 > 1.0 && (asked.len() as u32) < n {
                best = (1.0, asked.len());
                asked.push(FxHashMap::default());
            }
            *asked[best.1].entry(home).or_default() += 1;
            of.push((load, best.1 as u32));
        }
        let replicas = asked.len() as u32;
        (asked, Choice { replicas, of })
    }

    /// The most that a port is asked for, by what `count` finds in a region, in cycles for each that the kernel takes anyway.
    fn need(&self, count: impl Fn(&Region, &Ports) -> u32) -> f64 {
        let times = self.times(count).into_iter().zip(&self.least);
        times.map(|(n, cycles)| n / cycles).fold(0.0, f64::max)
    }

    /// How often something is asked for in each case, by what `count` finds in a region.
    fn times(&self, count: impl Fn(&Region, &Ports) -> u32) -> Vec<f64> {
        let counts: Vec<f64> =
            self.regions.iter().map(|r| f64::from(count(r, &self.ports))).collect();
        let sum = |case: &Case| case.times.iter().zip(&counts).map(|(times, n)| times * n).sum();
        self.cases.iter().map(sum).collect()
    }
}

/// Makes each number the larger one of two.
fn longest(all: &mut [f64], others: Vec<f64>) {
    all.iter_mut().zip(others).for_each(|(n, other)| *n = n.max(other));
}

/// What can be slowest in a kernel; `regions` are what is in no loop, and the loops.
fn cases(s: &KernelSchedule, regions: &[Region]) -> Vec<Case> {
    let cycles: Vec<f64> = regions.iter().enumerate().map(|(k, r)| own_cycles(s, k, r)).collect();
    let trips: Vec<Option<f64>> =
        (0..s.loops.len()).map(|k| trips::count(s, k).map(|n| n.max(1) as f64)).collect();
    let around = |region: usize| -> Vec<usize> {
        std::iter::successors(region.checked_sub(1), |k| s.loops[*k].parent).collect()
    };
    // How often one region runs for once that another one does, the loops around both aside.
    let often = |region: usize, of: usize, unknown: f64| -> f64 {
        let of = around(of);
        let own = around(region).into_iter().filter(|k| !of.contains(k));
        own.map(|k| trips[k].unwrap_or(unknown)).product()
    };
    let inside = |region: usize, of: usize| of == 0 || around(region).contains(&(of - 1));
    let case = |k: usize| {
        let times = |region: usize| {
            // What is elsewhere runs as often as may be.
            let unknown = if inside(region, k) { USUAL_TRIPS } else { f64::INFINITY };
            (often(region, k, unknown) / often(k, region, USUAL_TRIPS)).min(1.0)
        };
        let inner = (0..regions.len()).filter(|r| inside(*r, k));
        let certain = inner.map(|r| often(r, k, 1.0) * cycles[r]);
        Case { cycles: certain.fold(1.0, f64::max), times: (0..regions.len()).map(times).collect() }
    };
    if !s.task {
        return (0..regions.len()).map(case).collect();
    }
    let overlaps = |k: &usize| *k > 0 && s.pipelined.contains_key(&s.loops[*k - 1].header);
    let alone = |k: usize| Case {
        cycles: cycles[k],
        times: (0..regions.len()).map(|r| f64::from(u8::from(r == k))).collect(),
    };
    (0..regions.len()).filter(overlaps).map(alone).collect()
}

/// Cycles between two tokens in a region: region 0 is what is in no loop, then come the loops.
fn own_cycles(s: &KernelSchedule, number: usize, region: &Region) -> f64 {
    let own: Vec<Block> = region.blocks.iter().copied().filter(|b| region.holds(*b)).collect();
    let segments = own.iter().flat_map(|b| &s.blocks[*b].segments).map(|g| g.ii).max();
    let of_loop = number.checked_sub(1).map_or(1, |k| s.loops[k].ii);
    f64::from(of_loop.max(segments.unwrap_or(1)).max(1))
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
        let reason = reason(s, &region, &ports, (id, cycles, &insts), "an iteration");
        let l = &mut s.loops[k];
        (l.ii, l.ports, l.reason) = (cycles, Some(id), reason);
    }
}

/// Tells what accesses of an array outside of loops wait for, where many work-items come by.
fn note_outside(s: &mut KernelSchedule, cfg: &Cfg, ids: &[MemoryId]) {
    let (ports, region) = (Ports::new(s), Region::new(s, cfg, None));
    for id in ids.iter().filter(|_| !s.task) {
        let (cycles, insts) = ports.interval(s, &region, *id);
        if cycles > 1 {
            let reason = reason(s, &region, &ports, (*id, cycles, &insts), "a work-item");
            s.notes.push(format!("outside of loops: {reason}"));
        }
    }
}

/// Why a loop takes as long as a port needs for what is asked of it, and what would help.
fn reason(
    s: &KernelSchedule,
    region: &Region,
    ports: &Ports,
    (id, cycles, at_port): (MemoryId, u32, &[Inst]),
    of_what: &str,
) -> String {
    let memory = &s.memories[id];
    let of = |kind: fn(AccessKind) -> bool, one: &str, several: &str| {
        let own = |i: Inst| ports.of(i).is_some_and(|p| p.0 == id) && kind(s.accesses[&i].kind);
        match region.most(|b| ports.count(b, own)) {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {several}")),
        }
    };
    let asked: Vec<String> = [
        of(|k| k == AccessKind::Load, "load", "loads"),
        of(|k| k == AccessKind::Store, "store", "stores"),
        of(|k| matches!(k, AccessKind::Atomic(_)), "atomic operation", "atomic operations"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut lines: Vec<u32> =
        at_port.iter().map(|i| s.accesses[i].loc.line).filter(|l| *l > 0).collect();
    lines.dedup();
    let shown: Vec<String> = lines.iter().take(3).map(u32::to_string).collect();
    let more = if lines.len() > 3 { " and others" } else { "" };
    let place = match shown.len() {
        0 => String::new(),
        1 => format!(" (line {})", shown[0]),
        _ => format!(" (lines {}{more})", shown.join(", ")),
    };
    let divide = "divide the array into several, or keep its values in variables";
    let (has, remedy) = match (memory.atomic, memory.replicas) {
        (true, _) => (
            "has one port, as atomic operations need,".to_owned(),
            "keep what needs no atomics in an array of its own",
        ),
        (false, None) => ("has two ports".to_owned(), divide),
        (false, Some(n)) => (format!("has a port for stores and {n} for loads"), divide),
    };
    let at = if memory.atomic { "" } else { " at one of them" };
    format!(
        "`{}` {has} for {} of {of_what}: {cycles} cycles{at}{place}; {remedy}",
        memory.name,
        asked.join(" and ")
    )
}
