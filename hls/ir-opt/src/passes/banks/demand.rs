//! What is asked of the ports of an array, whole and divided into banks.
//!
//! A bank has two ports for all accesses, or one for stores and one of each replica for loads. Where work-items interleave, the accesses of all
//! loops come at once, each as often as its loop runs; the loops of a single work-item come one after the other. How often loops
//! run is not known here: all that matters is which are inside of which.

use super::Access;
use super::layout::{Layout, Place};
use crate::alias::Alias;
use crate::dependence::{Assume, Iterations};
use crate::known::Ranges;
use crate::linear::steps::Steps;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Inst, ObjectData};

/// How often a loop is taken to run.
const TRIPS: u64 = 8;
/// Parts of an access: one that happens in some tokens only is counted as a few of them.
const WHOLE: u64 = 32;
/// Of so many stores under conditions one is counted, as the schedule does (`RARE` in `schedule/src/ports.rs`).
const RARE: u64 = 4;
/// Cycles from a load of a RAM to one that may read what was computed with it and stored.
const ROUND_TRIP: u64 = 4;
/// Most replicas of a bank of up to [`SMALL_BYTES`], larger ones have as many fewer.
const MOST_REPLICAS: u64 = 32;
const SMALL_BYTES: u64 = 1024;

/// What a division costs, the fewest cycles first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cost {
    /// Cycles of the kernel, up to a factor.
    cycles: u64,
    /// Bytes of all RAMs, those as if of one block that are smaller.
    bytes: u64,
    /// Accesses to single banks in place of those whose bank is not known.
    spread: u64,
    /// Cycles of what runs one after the other, up to a factor.
    each: Vec<u64>,
}

impl Cost {
    /// Whether something is clearly faster than with the array in one piece, and nothing slower.
    pub fn is_worth(&self, undivided: &Cost) -> bool {
        let both = || self.each.iter().zip(&undivided.each);
        both().any(|(new, old)| new * 5 <= old * 4) && both().all(|(new, old)| new <= old)
    }
}

/// What is known of the blocks of a kernel.
pub struct Demand {
    /// Whether one work-item runs at a time.
    pub task: bool,
    /// The region that a block belongs to: a loop, or behind all of them what is in none.
    of_block: SecondaryMap<Block, Option<usize>>,
    /// How often each region runs.
    runs: Vec<u64>,
    /// Accesses that may need the outcome of another so many iterations ago, at the least, with their regions.
    distances: FxHashMap<Inst, (usize, u64)>,
}

/// Accesses to a bank in a region, in parts of [`WHOLE`].
#[derive(Clone, Copy, Default)]
struct Asked {
    loads: u64,
    stores: u64,
}

impl Demand {
    /// That of a kernel.
    pub fn new(func: &Function, ranges: &Ranges) -> Self {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg);
        let outside = loops.loops.len();
        let mut of_block: SecondaryMap<Block, Option<usize>> = SecondaryMap::new();
        let mut runs = vec![0; outside + 1];
        let number =
            |block: Block| loops.loops.keys().position(|l| Some(l) == loops.innermost(block));
        for &block in &cfg.rpo {
            let region = number(block).unwrap_or(outside);
            of_block[block] = Some(region);
            runs[region] = TRIPS.pow(loops.depth(block).min(8));
        }
        let mut demand =
            Demand { task: func.is_task(), of_block, runs, distances: FxHashMap::default() };
        if demand.task {
            demand.find_distances(func, ranges, &loops);
        }
        demand
    }

    /// Finds the accesses that wait for those of earlier iterations, in loops of one block.
    fn find_distances(&mut self, func: &Function, ranges: &Ranges, loops: &Loops) {
        let (alias, homes) = (Alias::new(func), func.homes());
        for (id, data) in loops.loops.iter().filter(|(_, l)| l.blocks == [l.header]) {
            if func.blocks[data.header].hint.ivdep {
                continue;
            }
            let Some(steps) = Steps::new(func, ranges, loops, &homes, id) else { continue };
            let iterations = Iterations::new(func, ranges, data.header, steps);
            for (a, b) in iterations.pairs(&alias) {
                let Some(distance) = iterations.nearest(a, b, Assume::DataFlow) else { continue };
                let region = self.of_block[data.header].unwrap_or(0);
                for k in [a, b] {
                    let entry = self.distances.entry(iterations.accesses[k].inst);
                    let least = entry.or_insert((region, u64::MAX));
                    least.1 = least.1.min(u64::from(distance.max(1)));
                }
            }
        }
    }

    /// The cost of an array in one piece.
    pub fn undivided(&self, list: &[Access], data: &ObjectData) -> Cost {
        let asked = self.asked(list.iter().map(|a| (a, WHOLE)));
        let (each, replicas) = self.cycles(&asked, data.size, &self.waits(list));
        let each = self.of_interest(list, each);
        let bytes = replicas * data.size.max(SMALL_BYTES);
        Cost { cycles: each.iter().sum(), bytes, spread: 0, each }
    }

    /// The cost of an array that is divided.
    pub fn divided(
        &self,
        list: &[Access],
        data: &ObjectData,
        layout: &Layout,
        places: &[Place],
    ) -> Cost {
        let size = layout.bank_bytes(data.size);
        let words = layout.is_words(data.size);
        let waits = if words { vec![1; self.runs.len()] } else { self.waits(list) };
        let (mut each, mut bytes) = (vec![], 0);
        for bank in 0..layout.banks {
            let here = list.iter().zip(places).filter_map(|(access, place)| match place.bank {
                Some(only) => (only == bank).then_some((access, WHOLE)),
                None if access.is_store => Some((access, WHOLE / layout.banks)),
                None => Some((access, WHOLE)),
            });
            let nothing = || vec![Asked::default(); self.runs.len()];
            let asked = if words { nothing() } else { self.asked(here) };
            let (own, replicas) = self.cycles(&asked, size, &waits);
            let own = self.of_interest(list, own);
            each.resize(own.len(), 0);
            each.iter_mut().zip(own).for_each(|(most, n)| *most = n.max(*most));
            bytes += replicas * size.max(SMALL_BYTES);
        }
        let spread = places.iter().filter(|p| p.bank.is_none()).count() as u64 * layout.banks;
        Cost { cycles: each.iter().sum(), bytes, spread, each }
    }

    /// Cycles of those regions that a division may be worth it for. What one work-item does once, such as setting an array whose loop was unrolled, is
    /// nothing beside loops that access the array.
    fn of_interest(&self, list: &[Access], mut each: Vec<u64>) -> Vec<u64> {
        let outside = self.runs.len() - 1;
        let inside = |a: &Access| self.of_block[a.block].is_some_and(|region| region != outside);
        if self.task && list.iter().any(inside) {
            each.truncate(outside);
        }
        each
    }

    /// Cycles that an iteration of each region waits for what memory was given in others, at least 1.
    fn waits(&self, list: &[Access]) -> Vec<u64> {
        let mut waits = vec![1; self.runs.len()];
        for (region, distance) in list.iter().filter_map(|a| self.distances.get(&a.inst)) {
            waits[*region] = waits[*region].max(ROUND_TRIP.div_ceil(*distance));
        }
        waits
    }

    /// What accesses ask for, by region.
    fn asked<'a>(&self, list: impl Iterator<Item = (&'a Access, u64)>) -> Vec<Asked> {
        let mut asked = vec![Asked::default(); self.runs.len()];
        for (access, part) in list {
            let Some(region) = self.of_block[access.block] else { continue };
            match (access.is_store, access.predicated) {
                (false, _) => asked[region].loads += part,
                (true, true) => asked[region].stores += part.min(WHOLE / RARE),
                (true, false) => asked[region].stores += part,
            }
        }
        asked
    }

    /// The fewest cycles in which a RAM of `size` bytes, or replicas of it, do what is asked, and how many RAMs that takes.
    fn cycles(&self, asked: &[Asked], size: u64, waits: &[u64]) -> (Vec<u64>, u64) {
        let most = MOST_REPLICAS / size.div_ceil(SMALL_BYTES).clamp(1, MOST_REPLICAS);
        let shared = self.each(asked, waits, |a| (a.loads + a.stores).div_ceil(2));
        let apart = |n: u64| self.each(asked, waits, |a| a.stores.max(a.loads.div_ceil(n)));
        let all = std::iter::once((shared, 1)).chain((1..=most).map(|n| (apart(n), n)));
        all.min_by_key(|(each, n)| (each.iter().sum::<u64>(), *n)).unwrap_or_default()
    }

    /// Cycles of what runs one after the other, where `need` is what a port is asked for.
    fn each(&self, asked: &[Asked], waits: &[u64], need: impl Fn(&Asked) -> u64) -> Vec<u64> {
        let each = asked.iter().zip(&self.runs).zip(waits);
        if self.task {
            let cycles = |a: &Asked, wait: &u64| need(a).div_ceil(WHOLE).max(*wait);
            return each.map(|((a, runs), wait)| runs * cycles(a, wait)).collect();
        }
        let all: u64 = each.map(|((a, runs), _)| runs * need(a)).sum();
        let least = self.runs.iter().max().copied().unwrap_or(1);
        vec![all.div_ceil(WHOLE).max(least)]
    }
}
