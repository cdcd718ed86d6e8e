//! Accesses to memories on the chip that happen in cycles of their segments.
//!
//! Where one work-item runs, nobody else can want an array: all its accesses have cycles of their own, as operations have. So they need
//! no requests, no queues and no turns, a load's word stands two cycles behind its address, and a store of one iteration is there for
//! a load of the next in the cycle behind it.
//!
//! ```text
//! ready_made:  x = h[k];  h[k] = x + 1;        II >= store + 1 - load = 3
//!
//!   cycle       0        1        2            3
//!   load  k ----+-- RAM ----+---> x --- + 1 ---+  store: the next iteration may load in cycle 3
//! ```
//!
//! [`choose`] decides which memories are like that, before anything has a cycle. [`replicate`] keeps those several times whose ports
//! would be what iterations wait for. [`InBlock`] are the accesses of a block while it is scheduled: which port each takes, and the
//! constraints that keep those of a port apart, in one token and in two.

use crate::bypass::Bypass;
use crate::distances::Distances;
use crate::memories::Memories;
use crate::problem::{Constraint, Problem, Scheduler};
use crate::rematerialise::NotBefore;
use crate::uniform::Uniform;
use crate::{Asap, Options, pipelined, replicas};
use base::{FxHashMap, FxHashSet, IndexMap};
use ir::analysis::{Cfg, back_edge};
use ir::{Block, Function, Inst, Speculation};
use schedule::ports::{SIDES, STORES};
use schedule::{
    Access, AccessKind, Bound, InTurn, KernelSchedule, Memory, MemoryId, OpTiming, Place,
};
use target::{Family, OpKind};

/// Cycles from a load's address to its word.
const LOAD_CYCLES: u32 = 2;
/// Most accesses at a port whose multiplexer has no register behind it.
const MOST_WAYS: u32 = 4;
/// Most accesses of a loop with overlapping iterations to one memory: each two of them are compared.
const MOST_IN_LOOP: usize = 128;
/// Most pairs of accesses of a loop whose addresses are compared with those of later iterations.
const MOST_MEASURED: usize = 1000;
/// The port of an access that has none yet.
const NONE: u32 = u32::MAX;
/// Most times that a block is scheduled to keep the accesses of a port apart.
const MOST_TRIALS: usize = 64;

/// Chooses the memories whose accesses get cycles, in a kernel of one work-item: those that are only loaded and stored, in loops that do
/// not begin iterations ahead of their condition (some of which may be there when the loop has been left). The accesses that a
/// loop with overlapping iterations makes of one must fit into one segment.
pub fn choose(func: &Function, found: &mut Memories, task: bool) {
    let mut chosen = if task { candidates(func, found) } else { vec![] };
    let cfg = Cfg::new(func);
    let uniform = Uniform::new(func, &cfg, &|_, _| false);
    let not_before = NotBefore::new();
    loop {
        mark(func, found, &chosen);
        let cutter = found.cutter(func, &uniform, &not_before);
        let mut apart: Vec<MemoryId> = vec![];
        for &block in cfg.rpo.iter().filter(|b| back_edge(func, **b).is_some()) {
            let least = pipelined::least_segments(&cutter, block);
            let (at, _) = cutter.cut(block, &least);
            for group in found.together.iter().filter(|g| at.contains_key(&g[0])) {
                if group.iter().any(|i| at.get(i) != at.get(&group[0])) {
                    apart.push(found.accesses[&group[0]].memory);
                }
            }
        }
        if apart.is_empty() {
            break;
        }
        chosen.retain(|id| !apart.contains(id));
    }
    (found.in_turn, found.conflicts) = std::mem::take(&mut found.conflicts)
        .into_iter()
        .partition(|(a, _)| is_timed(&found.accesses, *a));
    // Blocks that control cannot reach get no cycles.
    let reached = |i: &Inst| cfg.rpo.iter().any(|b| func.blocks[*b].insts.contains(i));
    found.in_turn.retain(|(a, _)| reached(a));
}

fn candidates(func: &Function, found: &Memories) -> Vec<MemoryId> {
    let mut home: FxHashMap<Inst, Block> = FxHashMap::default();
    for &block in &func.layout {
        home.extend(func.blocks[block].insts.iter().map(|i| (*i, block)));
    }
    let fits = |(inst, access): (&Inst, &Access)| {
        let data = &func.insts[*inst];
        let plain = data.op.mem_flags().is_some_and(|f| !f.volatile);
        let kind = matches!(access.kind, AccessKind::Load | AccessKind::Store);
        let whole = data.op.predicated() != Some(true)
            || data.args.last().is_some_and(|p| func.bits(*p) == 1);
        let ahead = home.get(inst).is_some_and(|b| {
            let hint = func.blocks[*b].hint;
            hint.speculation == Speculation::On && back_edge(func, *b).is_some()
        });
        plain && kind && whole && !ahead
    };
    let few = |id: MemoryId| {
        let own = |i: &&Inst| found.accesses.get(*i).is_some_and(|a| a.memory == id);
        let mut loops = func.layout.iter().filter(|b| back_edge(func, **b).is_some());
        loops.all(|b| func.blocks[*b].insts.iter().filter(own).count() <= MOST_IN_LOOP)
    };
    let all = |id: MemoryId| found.accesses.iter().filter(move |(_, a)| a.memory == id);
    let memories = found.memories.iter().filter(|(id, m)| {
        m.kind.is_on_chip() && !m.atomic && all(*id).count() > 0 && all(*id).all(fits) && few(*id)
    });
    memories.map(|(id, _)| id).collect()
}

/// Whether an instruction stands at a boundary: an effect that has no cycle in a segment.
pub fn is_boundary(func: &Function, accesses: &IndexMap<Inst, Access>, inst: Inst) -> bool {
    func.insts[inst].op.is_effect() && !is_timed(accesses, inst)
}

/// Whether an instruction is an access that has a cycle in a segment.
pub fn is_timed(accesses: &IndexMap<Inst, Access>, inst: Inst) -> bool {
    accesses.get(&inst).is_some_and(|a| a.timed.is_some())
}

/// Gives the accesses of some memories, and of no others, cycles.
fn mark(func: &Function, found: &mut Memories, chosen: &[MemoryId]) {
    found.together.clear();
    for access in found.accesses.values_mut() {
        access.timed = chosen.contains(&access.memory).then_some(NONE);
    }
    for id in found.memories.keys().collect::<Vec<_>>() {
        let clients = ways(found.accesses.values().filter(|a| a.memory == id).count() as u32);
        let cycles = LOAD_CYCLES + u32::from(clients > MOST_WAYS);
        found.memories[id].timed = chosen.contains(&id).then_some(cycles);
    }
    for &block in func.layout.iter().filter(|b| back_edge(func, **b).is_some()) {
        let mut groups: IndexMap<MemoryId, Vec<Inst>> = IndexMap::default();
        for inst in &func.blocks[block].insts {
            if let Some(access) = found.accesses.get(inst).filter(|a| a.timed.is_some()) {
                groups.entry(access.memory).or_default().push(*inst);
            }
        }
        found.together.extend(groups.into_values());
    }
}

/// Accesses at a port of a memory with so many, as they are dealt out.
fn ways(accesses: u32) -> u32 {
    (accesses.div_ceil(SIDES) + 1).min(accesses)
}

/// Latency of an access and the logic around it: multiplexers in front of the port, and behind it for a part of a word.
pub fn timing(s: &KernelSchedule, inst: Inst, family: &Family) -> OpTiming {
    let access = &s.accesses[&inst];
    let memory = &s.memories[access.memory];
    let mux = |ways: u32, bits: u32| match ways {
        0 | 1 => 0.0,
        ways => family.delay_ns(OpKind::Mux { ways }, bits),
    };
    let own = s.accesses.values().filter(|a| a.memory == access.memory).count() as u32;
    let bits = 8 * memory.word_bytes;
    let read = family.timing(OpKind::RamRead, bits);
    let staged = memory.timed.is_some_and(|cycles| cycles > LOAD_CYCLES);
    let input_ns = mux(ways(own), bits) + if staged { 0.0 } else { read.input_ns };
    if access.kind == AccessKind::Store {
        return OpTiming { latency: 1, input_ns, ..OpTiming::default() };
    }
    let lanes = mux(memory.word_bytes / access.bytes, 8 * access.bytes);
    let predicated = s.func.insts[inst].op.predicated() == Some(true);
    let gate = if predicated { family.delay_ns(OpKind::And, bits) } else { 0.0 };
    OpTiming {
        latency: memory.timed.unwrap_or(LOAD_CYCLES),
        input_ns,
        output_ns: read.output_ns + lanes + gate,
        entry_ns: 0.0,
    }
}

/// Keeps memories several times whose ports would make iterations wait, as far as there are RAM blocks for it: `intervals` are those that loops
/// would have if every access had a port. Those that are written in parts of a word get a side for stores in any case, since a RAM's sides must not
/// meet in a word. Gives the blocks that are left.
pub fn replicate(
    s: &mut KernelSchedule,
    intervals: &[(Block, u32)],
    family: &Family,
    options: &Options,
) -> u64 {
    let mut left = options.replica_blocks;
    let ids: Vec<MemoryId> =
        s.memories.iter().filter(|(_, m)| m.timed.is_some()).map(|(id, _)| id).collect();
    for id in ids {
        let own = |inst: &Inst| s.accesses.get(inst).filter(|a| a.memory == id);
        let count = |block: Block, kind: AccessKind| {
            let insts = s.func.blocks[block].insts.iter();
            insts.filter(|i| own(i).is_some_and(|a| a.kind == kind)).count() as u32
        };
        let all = s.accesses.values().filter(|a| a.memory == id);
        let word = s.memories[id].word_bytes;
        let parts = all.clone().any(|a| a.kind == AccessKind::Store && a.bytes < word);
        let written = all.clone().any(|a| a.kind == AccessKind::Store);
        let read = all.clone().any(|a| a.kind == AccessKind::Load);
        let mut wanted = 0;
        for &(block, interval) in intervals {
            let (loads, stores) = (count(block, AccessKind::Load), count(block, AccessKind::Store));
            let ideal = interval.max(stores).max(1);
            let single = match parts {
                true => loads.max(stores),
                false => (loads + stores).div_ceil(SIDES),
            };
            if ideal < single {
                wanted = loads.div_ceil(ideal).max(wanted);
            }
        }
        let each = replicas::blocks(s, id, family);
        let affordable = left.checked_div(each).unwrap_or(u64::from(wanted)).saturating_add(1);
        let n = wanted.min(u32::try_from(affordable).unwrap_or(wanted)).min(replicas::MOST);
        let n = if n < 2 { u32::from(parts) } else { n };
        if n > 0 && written && read {
            s.memories[id].replicas = Some(n);
            left = left.saturating_sub(each * u64::from(n - 1));
        }
    }
    left
}

/// Keeps the memory that a placed loop asks most of once more, for its loads, out of the RAM blocks that are left. False if that is no use.
pub fn replicate_once_more(
    s: &mut KernelSchedule,
    block: Block,
    family: &Family,
    left: &mut u64,
) -> bool {
    let Some((id, [loads, stores])) = most_asked(s, block) else { return false };
    let now = s.memories[id].replicas;
    let next = now.map_or(2, |n| n + 1);
    let cost = replicas::blocks(s, id, family) * u64::from(next - now.unwrap_or(1));
    if next > loads || stores == 0 || cost > *left {
        return false;
    }
    *left -= cost;
    s.memories[id].replicas = Some(next);
    true
}

/// A timed access of a block.
#[derive(Clone, Copy)]
struct At {
    inst: Inst,
    memory: MemoryId,
    segment: usize,
    /// Its node in the segment's problem.
    node: u32,
}

/// The timed accesses of a block.
pub struct InBlock {
    accesses: Vec<At>,
    /// Whether iterations of the block overlap.
    overlap: bool,
}

impl InBlock {
    /// Those of a block, whose node `n` of segment `k` is `bodies[k][n]`.
    pub fn new(s: &KernelSchedule, block: Block, bodies: &[Vec<Inst>]) -> Self {
        let mut accesses = vec![];
        for (segment, body) in bodies.iter().enumerate() {
            for (node, &inst) in (0..).zip(body) {
                if let Some(access) = s.accesses.get(&inst) {
                    accesses.push(At { inst, memory: access.memory, segment, node });
                }
            }
        }
        InBlock { accesses, overlap: back_edge(&s.func, block).is_some() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }

    /// What comes behind an access of its own token does so in its cycles.
    pub fn order(&self, s: &KernelSchedule, problems: &mut [Problem]) {
        for at in &self.accesses {
            let before = |e: &Inst| self.accesses.iter().find(|x| x.inst == *e);
            let before = s.func.insts[at.inst].after.iter().filter_map(before);
            for e in before.filter(|e| e.segment == at.segment) {
                let constraint = Constraint { from: e.node, to: at.node, distance: 1 };
                problems[at.segment].constraints.push(constraint);
            }
        }
    }

    /// Gives each access a port, by the cycles that the block's operations have now.
    pub fn assign(&self, s: &mut KernelSchedule) {
        let mut of_memory: IndexMap<MemoryId, Vec<At>> = IndexMap::default();
        self.accesses.iter().for_each(|at| of_memory.entry(at.memory).or_default().push(*at));
        for (id, mut all) in of_memory {
            all.sort_by_key(|at| (at.segment, s.cycle_of(at.inst)));
            let memory = s.memories[id].clone();
            let ports = memory.ports() as usize;
            let interval = match self.overlap {
                true => least_interval(s, &memory, &all),
                false => u32::MAX,
            };
            let mut taken: Vec<Vec<u32>> = vec![vec![]; ports];
            for at in all {
                let store = s.accesses[&at.inst].kind == AccessKind::Store;
                let allowed = match (memory.replicas, store) {
                    (None, _) => 0..ports,
                    (Some(_), true) => STORES as usize..STORES as usize + 1,
                    (Some(_), false) => STORES as usize + 1..ports,
                };
                let slot = s.cycle_of(at.inst) % interval;
                let busy = |port: &usize| {
                    let slots = &taken[*port];
                    let same = slots.iter().filter(|x| **x == slot).count();
                    (slots.len() >= interval as usize, same, slots.len())
                };
                let Some(port) = allowed.min_by_key(busy) else { continue };
                taken[port].push(slot);
                let access = &mut s.accesses[&at.inst];
                access.timed = Some(port as u32);
                if memory.replicas.is_some() && !store {
                    access.replica = port as u32 - STORES - 1;
                }
            }
        }
    }

    /// The accesses of each port and segment, in the order of their cycles.
    fn ports(&self, s: &KernelSchedule, cycle: &dyn Fn(&At) -> u32) -> Vec<Vec<At>> {
        let mut out: IndexMap<(MemoryId, u32, usize), Vec<At>> = IndexMap::default();
        for at in &self.accesses {
            if let Some(port) = s.accesses[&at.inst].timed.filter(|p| *p != NONE) {
                out.entry((at.memory, port, at.segment)).or_default().push(*at);
            }
        }
        let mut all: Vec<Vec<At>> = out.into_values().filter(|port| port.len() > 1).collect();
        all.iter_mut().for_each(|port| port.sort_by_key(|at| (cycle(at), at.node)));
        all
    }

    /// The accesses of a port take it one after the other, in the order that they have now.
    pub fn apart(&self, s: &KernelSchedule, problems: &mut [Problem]) {
        for port in self.ports(s, &|at| s.cycle_of(at.inst)) {
            for pair in port.windows(2) {
                let (from, to) = (pair[0].node, pair[1].node);
                problems[pair[0].segment].constraints.push(Constraint { from, to, distance: 1 });
            }
        }
    }

    /// The accesses of a port keep out of each other's way also from iteration to iteration, `ii` cycles apart: adds the constraints
    /// that say by how many whole intervals each two differ, after a schedule that fits. False if none is found.
    pub fn interleave(&self, s: &KernelSchedule, problems: &mut [Problem], ii: u32) -> bool {
        let ii = ii.max(1);
        for (k, problem) in problems.iter_mut().enumerate() {
            let ports = self.ports(s, &|at| at.node);
            let ports: Vec<Vec<At>> = ports.into_iter().filter(|p| p[0].segment == k).collect();
            if ports.is_empty() {
                continue;
            }
            if ports.iter().any(|p| p.len() > ii as usize) {
                return false;
            }
            let Some(start) = free_cycles(problem, &ports, ii) else { return false };
            for port in &ports {
                let pairs = port.iter().enumerate();
                for (a, b) in pairs.flat_map(|(n, a)| port[n + 1..].iter().map(move |b| (a, b))) {
                    let (x, y) = (start[a.node as usize], start[b.node as usize]);
                    let ((from, x), (to, y)) = if x <= y {
                        ((a.node, x), (b.node, y))
                    } else {
                        ((b.node, y), (a.node, x))
                    };
                    let whole = i64::from((y - x) / ii * ii);
                    let (least, most) = (whole + 1, whole + i64::from(ii) - 1);
                    problem.constraints.push(Constraint { from, to, distance: least });
                    problem.constraints.push(Constraint { from: to, to: from, distance: -most });
                }
            }
        }
        true
    }
}

/// Cycles of a schedule in which no two accesses of a port, of any two iterations, are at it at once: as soon as possible, those that find it
/// taken later.
fn free_cycles(problem: &Problem, ports: &[Vec<At>], ii: u32) -> Option<Vec<u32>> {
    let mut trial = problem.clone();
    for _ in 0..MOST_TRIALS {
        let start = Asap.solve(&trial)?.start;
        let before = trial.releases.len();
        for port in ports {
            let mut taken: FxHashSet<u32> = FxHashSet::default();
            let mut nodes: Vec<u32> = port.iter().map(|at| at.node).collect();
            nodes.sort_by_key(|n| (start[*n as usize], *n));
            for node in nodes {
                let own = start[node as usize];
                // There is one: a port has no more accesses than cycles.
                let free = (own..own + ii).find(|cycle| !taken.contains(&(cycle % ii)))?;
                taken.insert(free % ii);
                if free > own {
                    trial.releases.push((node, free));
                }
            }
        }
        if trial.releases.len() == before {
            return Some(start);
        }
    }
    None
}

/// The least interval that the accesses of a memory in a loop leave to its ports.
fn least_interval(s: &KernelSchedule, memory: &Memory, all: &[At]) -> u32 {
    let loads =
        all.iter().filter(|at| s.accesses[&at.inst].kind == AccessKind::Load).count() as u32;
    let n = all.len() as u32;
    let least = match memory.replicas {
        Some(replicas) => loads.div_ceil(replicas.max(1)).max(n - loads),
        None => n.div_ceil(SIDES),
    };
    least.max(1)
}

/// The least interval, not below `least`, with which the accesses of a placed block are at no port at once.
pub fn ports_interval(s: &KernelSchedule, block: Block, least: u32) -> u32 {
    let pairs = distances(s, block);
    let most = pairs.iter().map(|(_, d)| d + 1).max().unwrap_or(1);
    let free = |ii: &u32| pairs.iter().all(|(_, d)| !d.is_multiple_of(*ii));
    (least.max(1)..=most.max(least)).find(free).unwrap_or(most.max(least))
}

/// The cycles between each two accesses of a port of a placed block, with their segment.
pub fn distances(s: &KernelSchedule, block: Block) -> Vec<(u32, u32)> {
    let mut at: IndexMap<(MemoryId, u32, u32), Vec<u32>> = IndexMap::default();
    for inst in &s.func.blocks[block].insts {
        let Some(access) = s.accesses.get(inst) else { continue };
        if let (Some(port), Some(Place::Segment { segment, cycle })) =
            (access.timed, s.place[*inst])
            && port != NONE
        {
            at.entry((access.memory, port, segment)).or_default().push(cycle);
        }
    }
    let mut out = vec![];
    for ((_, _, segment), cycles) in at {
        for (k, a) in cycles.iter().enumerate() {
            out.extend(cycles[..k].iter().map(|b| (segment, a.abs_diff(*b))));
        }
    }
    out
}

/// Accesses of a kernel whose order from iteration to iteration matters.
pub struct InOrder<'a> {
    /// Pairs that may touch the same bytes.
    pub pairs: &'a [(Inst, Inst)],
    /// Loads that are given what was stored.
    pub given: &'a [Bypass],
    /// What waits only where addresses are equal: the earlier iteration's access and the later one's.
    pub held: &'a [(Inst, Inst)],
}

/// Both orders of each pair of accesses that may touch the same bytes in different iterations of their loop.
/// A load that is given what was stored in the last iterations may come before these stores, and what is held before anything.
pub fn in_turn(s: &KernelSchedule, found: &InOrder<'_>) -> Vec<InTurn> {
    let mut out = vec![];
    for &block in &s.func.layout {
        let insts = &s.func.blocks[block].insts;
        let own: Vec<_> = found.pairs.iter().filter(|(a, _)| insts.contains(a)).collect();
        let length = s.func.blocks[block].hint.dependency_length;
        let mut distances = Distances::new(&s.func, block);
        for &(a, b) in own.iter().copied() {
            for (first, second) in [(a, b), (b, a)] {
                let exact = match own.len() <= MOST_MEASURED {
                    true => exact_distance(s, &mut distances, first, second),
                    false => None,
                };
                let distance = length.max(exact.unwrap_or(1));
                let mut given = found.given.iter();
                let bypass = given.find(|g| g.load == second && g.stores.contains(&first));
                let distance = bypass.map_or(distance, |g| distance.max(g.places + 1));
                let held = found.held.contains(&(first, second));
                out.push(InTurn { first, second, distance, held });
            }
        }
    }
    out
}

/// The iterations between two accesses to one memory, if their addresses tell.
pub fn exact_distance(
    s: &KernelSchedule,
    distances: &mut Distances<'_>,
    first: Inst,
    second: Inst,
) -> Option<u32> {
    let [x, y] = [first, second].map(|i| &s.accesses[&i]);
    distances.between((first, x), (second, y), s.memories[x.memory].bytes)
}

/// The memory whose ports are what a loop's interval is as long as it is for.
pub fn binding_ports(s: &KernelSchedule, block: Block, ii: u32) -> Option<MemoryId> {
    let p = s.pipelined.get(&block)?;
    let binding =
        s.bound.get(&block) == Some(&Bound::Ports) && pipelined::own_interval(s, block, p) == ii;
    binding.then(|| most_asked(s, block).map(|(id, _)| id)).flatten()
}

/// The memory with most accesses in a block, and its loads and stores there.
fn most_asked(s: &KernelSchedule, block: Block) -> Option<(MemoryId, [u32; 2])> {
    let mut asked: IndexMap<MemoryId, [u32; 2]> = IndexMap::default();
    for access in s.func.blocks[block].insts.iter().filter_map(|i| s.accesses.get(i)) {
        if access.timed.is_some() {
            let store = usize::from(access.kind == AccessKind::Store);
            asked.entry(access.memory).or_default()[store] += 1;
        }
    }
    asked.into_iter().rev().max_by_key(|(_, n)| n[0] + n[1])
}

/// Why a loop's interval is what its ports make it.
pub fn said_of_ports(s: &KernelSchedule, block: Block, ii: u32) -> String {
    let Some((id, [loads, stores])) = most_asked(s, block) else {
        return format!("accesses share ports in {ii} cycles");
    };
    let has = match s.memories[id].replicas {
        None => "two ports".to_owned(),
        Some(n) => format!("a port for stores and {n} for loads"),
    };
    format!(
        "`{}` has {has} for {loads} loads and {stores} stores of an iteration: {ii} cycles; divide the array into several, or keep its \
         values in variables",
        s.memories[id].name
    )
}

/// Why a loop's interval is what the order of its accesses makes it, if that is so.
pub fn said_of_turns(s: &KernelSchedule, block: Block, ii: u32) -> Option<String> {
    let mut slowest = s.in_turn.iter().filter(|t| turn_interval(s, block, t) == Some(ii));
    let t = slowest.next()?;
    let name = &s.memories[s.accesses[&t.first].memory].name;
    let [first, second] = [t.first, t.second].map(|i| pipelined::operation(&s.func, i));
    let cycles = s.cycle_of(t.first) + 1 - s.cycle_of(t.second);
    let apart = match t.distance {
        1 => "the next iteration".to_owned(),
        n => format!("the iteration {n} later"),
    };
    Some(format!(
        "{second} of {apart} waits for {first}, {cycles} cycles behind it in its own iteration, as both may touch the same bytes of `{name}`; declare \
         the loop `ivdep` if they do not, or keep the value in a variable"
    ))
}

/// The interval that a pair of accesses asks for whose order from iteration to iteration matters; none if they are elsewhere.
pub fn turn_interval(s: &KernelSchedule, block: Block, t: &InTurn) -> Option<u32> {
    let insts = &s.func.blocks[block].insts;
    (insts.contains(&t.first) && insts.contains(&t.second)).then(|| t.interval(s))
}

/// Whether all accesses have ports and cycles that fit together: other reasons for an interval may have made it one that does not.
pub fn fits(s: &KernelSchedule) -> bool {
    let mut overlapping = s.pipelined.keys();
    overlapping.all(|&block| {
        let segments = &s.blocks[block].segments;
        let pairs = distances(s, block);
        let ii = segments.first().map_or(1, |g| g.ii);
        let turns = s.in_turn.iter().filter_map(|t| turn_interval(s, block, t));
        pairs.iter().all(|(k, d)| !segments[*k as usize].collides(*d, 1))
            && turns.max().unwrap_or(1) <= ii
    })
}
