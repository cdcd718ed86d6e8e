//! Ports of memories on the chip: which of them each access takes, and how many cycles an iteration of a loop needs of one.

use crate::{Access, AccessKind, KernelSchedule, LoopSchedule, Memory, MemoryId};
use base::{FxHashMap, IndexMap};
use ir::analysis::Cfg;
use ir::{Block, Inst};

/// Sides of a RAM, which the accesses of a memory without replicas share.
pub const SIDES: u32 = 2;
/// Of so many stores under conditions one is counted: those of a halo, or of half the work-items in each step of a sum.
const RARE: u32 = 4;
/// The port that stores take in a memory with replicas.
pub const STORES: u32 = 0;

impl Memory {
    /// Requests that it takes in a cycle at most (memories on the chip).
    pub fn ports(&self) -> u32 {
        match self.replicas {
            _ if self.atomic => 1,
            Some(n) => 1 + n,
            None => SIDES,
        }
    }
}

/// A loop without those inside of it, or what is in none: the ways through it.
pub struct Region {
    /// The blocks that lie on these ways, in an order in which each stands behind those from which control comes to it.
    pub blocks: Vec<Block>,
    /// For each, whether it lies in no inner loop.
    own: Vec<bool>,
    /// For each, the positions of those that come next.
    next: Vec<Vec<usize>>,
}

impl Region {
    /// Loop `number`, or what is in no loop.
    pub fn new(s: &KernelSchedule, cfg: &Cfg, number: Option<usize>) -> Region {
        let of_loop = number.and_then(|k| s.loops.get(k));
        let inside = |b: &Block| of_loop.is_none_or(|l| l.blocks.contains(b));
        let inner: Vec<&LoopSchedule> = s.loops.iter().filter(|l| l.parent == number).collect();
        let blocks: Vec<Block> = cfg.rpo.iter().copied().filter(inside).collect();
        let at: FxHashMap<Block, usize> = blocks.iter().enumerate().map(|(k, b)| (*b, k)).collect();
        let own = blocks.iter().map(|b| !inner.iter().any(|l| l.blocks.contains(b))).collect();
        let next = blocks.iter().enumerate().map(|(k, b)| {
            let to = cfg.succs[*b].iter().filter_map(|t| at.get(t).copied());
            to.filter(|to| *to > k).collect()
        });
        let next = next.collect();
        Region { blocks, own, next }
    }

    /// Whether a block belongs to it.
    pub fn holds(&self, block: Block) -> bool {
        self.blocks.iter().zip(&self.own).any(|(b, own)| *b == block && *own)
    }

    /// The most that is counted on a way through it.
    pub fn most(&self, count: impl Fn(Block) -> u32) -> u32 {
        let mut on_the_way = vec![0u32; self.blocks.len()];
        let mut most = 0;
        for k in 0..self.blocks.len() {
            let here = on_the_way[k] + if self.own[k] { count(self.blocks[k]) } else { 0 };
            most = most.max(here);
            self.next[k].iter().for_each(|n| on_the_way[*n] = on_the_way[*n].max(here));
        }
        most
    }

    /// What is counted on every way through it, at least.
    pub fn least(&self, count: impl Fn(Block) -> u32) -> u32 {
        let mut on_the_way: Vec<Option<u32>> = vec![None; self.blocks.len()];
        let mut least = None;
        for k in 0..self.blocks.len() {
            let before = on_the_way[k].unwrap_or(0);
            let here = before + if self.own[k] { count(self.blocks[k]) } else { 0 };
            if self.next[k].is_empty() {
                least = Some(least.map_or(here, |n: u32| n.min(here)));
            }
            for n in &self.next[k] {
                on_the_way[*n] = Some(on_the_way[*n].map_or(here, |m| m.min(here)));
            }
        }
        least.unwrap_or(0)
    }
}

/// The ports that a kernel's accesses to memories on the chip take.
pub struct Ports {
    /// Memory and port of each access that control can reach.
    of: IndexMap<Inst, (MemoryId, u32)>,
    /// The accesses of each block.
    in_block: FxHashMap<Block, Vec<Inst>>,
}

impl Ports {
    /// Those of a schedule.
    pub fn new(s: &KernelSchedule) -> Ports {
        let mut clients: IndexMap<MemoryId, u32> = IndexMap::default();
        let mut of = IndexMap::default();
        for (&inst, access) in &s.accesses {
            let memory = &s.memories[access.memory];
            if !memory.kind.is_on_chip() {
                continue;
            }
            let client = clients.entry(access.memory).or_default();
            of.insert(inst, (access.memory, port(memory, access, *client)));
            *client += 1;
        }
        let mut in_block: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
        for &block in &s.func.layout {
            let insts = s.func.blocks[block].insts.iter().copied();
            in_block.insert(block, insts.filter(|i| of.contains_key(i)).collect());
        }
        Ports { of, in_block }
    }

    /// Memory and port of an access.
    pub fn of(&self, inst: Inst) -> Option<(MemoryId, u32)> {
        self.of.get(&inst).copied()
    }

    /// The block of each access.
    pub fn homes(&self) -> FxHashMap<Inst, Block> {
        let of =
            |(b, insts): (&Block, &Vec<Inst>)| insts.iter().map(|i| (*i, *b)).collect::<Vec<_>>();
        self.in_block.iter().flat_map(of).collect()
    }

    /// Accesses of a block for which something holds.
    pub fn count(&self, block: Block, holds: impl Fn(Inst) -> bool) -> u32 {
        let all = self.in_block.get(&block).map_or(&[][..], |all| all);
        all.iter().filter(|i| holds(**i)).count() as u32
    }

    /// Cycles that a memory needs for what a way through a region asks of it at most, and the accesses at the port that takes
    /// the longest. With replicas, stores under a condition that is no branch take no turn where it does not hold; one of
    /// [`RARE`] is counted.
    pub fn interval(&self, s: &KernelSchedule, region: &Region, id: MemoryId) -> (u32, Vec<Inst>) {
        let memory = &s.memories[id];
        let asks = |inst: Inst, port: u32| self.of.get(&inst) == Some(&(id, port));
        let skips = |inst: Inst| memory.replicas.is_some() && rare(s, inst);
        let parts = |block: Block, port: u32| {
            let certain = self.count(block, |i| asks(i, port) && !skips(i));
            RARE * certain + self.count(block, |i| asks(i, port) && skips(i))
        };
        let needs = |port: u32| region.most(|b| parts(b, port)) / RARE;
        let worst = (0..memory.ports()).map(|port| (needs(port), port));
        let (cycles, port) = worst.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap_or((0, 0));
        let here = region.blocks.iter().filter(|b| region.holds(**b));
        let insts = here.flat_map(|b| self.in_block.get(b).into_iter().flatten().copied());
        (cycles, insts.filter(|i| asks(*i, port)).collect())
    }
}

/// Whether an access is a store that happens only under a condition.
pub fn rare(s: &KernelSchedule, inst: Inst) -> bool {
    let predicated = s.func.insts[inst].op.predicated() == Some(true);
    predicated && s.accesses.get(&inst).is_some_and(|a| a.kind == AccessKind::Store)
}

/// The port that client number `client` of a memory takes.
fn port(memory: &Memory, access: &Access, client: u32) -> u32 {
    if let Some(port) = access.timed {
        return port;
    }
    match (memory.replicas, access.kind) {
        (Some(_), AccessKind::Load) => STORES + 1 + access.replica,
        (Some(_), _) => STORES,
        (None, _) => client % memory.ports(),
    }
}
