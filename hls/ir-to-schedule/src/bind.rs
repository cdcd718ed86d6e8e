//! Binding: which nodes of a region one instance computes, in different cycles.
//!
//! Tokens come every `interval` cycles or in multiples of that as long as one of them can be in another's way, so two nodes may
//! have one instance if their starting cycles differ modulo the interval by as much as the instance needs for one pair of
//! operands. Where tokens never overlap, different cycles are enough. Nodes are bound in the order in which they start, each to
//! the first instance with a free slot; one that finds none starts a few cycles later or sooner if the rest of the region allows it.

use crate::problem::{Problem, Scheduler, Solution};
use crate::{Asap, region};
use base::Result;
use schedule::{OpTiming, Shared};
use target::{Family, OpKind};

/// Most operations of an instance: more multiplexers are slower than they are worth.
const MOST_WAYS: usize = 8;
/// What the control of a shared instance costs, in LUTs: which operands it takes, when tokens may start.
const CONTROL: f64 = 16.0;
/// Most times that a region is scheduled to see whether nodes can move.
const MOST_TRIALS: u32 = 256;
/// Most cycles that a node is moved by.
const FARTHEST: u32 = 16;

/// Nodes that an instance can compute.
pub struct Kind {
    /// The nodes, in the order of the problem.
    pub nodes: Vec<u32>,
    /// Least distance in cycles of two operands.
    pub interval: u32,
    /// What an instance costs, in LUTs.
    pub cost: f64,
    /// Bits of the operands.
    pub bits: u32,
}

/// Multiplexers in front of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    /// Their delay, ns.
    pub ns: f64,
    /// Whether registers stand behind them.
    pub staged: bool,
}

impl Select {
    /// Timing of an operation behind them, from its own.
    pub fn timing(&self, own: OpTiming) -> OpTiming {
        let shared = Shared { insts: vec![], select_ns: self.ns, staged: self.staged };
        shared.timing(own)
    }
}

/// Nodes that get one instance.
pub struct Group {
    /// At least two, in the order in which they start.
    pub nodes: Vec<u32>,
    /// Multiplexers in front of it.
    pub select: Select,
}

/// What is known of the region's tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tokens {
    /// Only one at a time.
    Alone,
    /// So many cycles apart, or multiples of that.
    Every(u32),
}

impl Tokens {
    /// Whether two nodes that start `cycles` apart would meet at an instance.
    fn meet(self, cycles: u32, interval: u32) -> bool {
        match self {
            Tokens::Alone => cycles < interval,
            Tokens::Every(n) => {
                let phase = cycles % n;
                phase < interval || n - phase < interval
            }
        }
    }

    /// Nodes that an instance can compute at most.
    fn slots(self, interval: u32) -> usize {
        match self {
            Tokens::Alone => MOST_WAYS,
            Tokens::Every(n) => ((n / interval.max(1)) as usize).min(MOST_WAYS),
        }
    }
}

/// A bound region.
pub struct Bound {
    /// Its schedule.
    pub solution: Solution,
    /// Nodes that share an instance; all others have one of their own.
    pub groups: Vec<Group>,
}

/// Multiplexers in front of an instance, in LUTs.
fn select_cost(family: &Family, ways: usize, bits: u32) -> f64 {
    if ways < 2 { 0.0 } else { family.area(OpKind::Mux { ways: ways as u32 }, bits).lut }
}

/// What one more operation on an instance saves that has `ways` of them, in LUTs.
fn saved(family: &Family, kind: &Kind, ways: usize) -> f64 {
    let more = select_cost(family, ways + 1, kind.bits) - select_cost(family, ways, kind.bits);
    kind.cost - more - if ways == 1 { CONTROL } else { 0.0 }
}

/// Delay of the multiplexers, ns.
fn select_ns(family: &Family, ways: usize, bits: u32) -> f64 {
    family.delay_ns(OpKind::Mux { ways: ways as u32 }, bits)
}

/// Binds the nodes of a region to instances as far as that saves anything. The problem's own constraints, lengths and deadlines hold
/// as before. Nothing if nothing is shared.
///
/// # Errors
/// If the scheduler's answer is wrong.
pub fn bind(
    problem: &Problem,
    kinds: &[Kind],
    tokens: Tokens,
    scheduler: &dyn Scheduler,
    family: &Family,
    what: &str,
) -> Result<Option<Bound>> {
    let mut b = Binder { problem: problem.clone(), pins: vec![], family, tokens, trials: 0 };
    let able: Vec<(&Kind, Able)> = kinds.iter().map(|k| (k, b.able(k))).collect();
    if able.iter().all(|(_, a)| a.nodes.len() < 2) {
        return Ok(None);
    }
    let first = region::run(scheduler, &b.problem, what)?.solution;
    let mut start = first.start.clone();
    let mut groups = vec![];
    let mut moved = false;
    for (kind, able) in &able {
        let instances = b.color(kind, able, &mut start, &mut moved);
        for nodes in instances {
            let ways = nodes.len();
            if ways > 1 {
                let ns = select_ns(family, ways, kind.bits);
                groups.push(Group { nodes, select: Select { ns, staged: able.staged } });
            } else {
                // Alone after all. Without a register in front of it, it cannot stand behind other operations in its cycle.
                moved |= able.staged;
                b.pins.retain(|(n, _)| *n != nodes[0]);
                b.problem.nodes[nodes[0] as usize].timing = problem.nodes[nodes[0] as usize].timing;
            }
        }
    }
    if groups.is_empty() {
        return Ok(None);
    }
    for group in &groups {
        for &node in &group.nodes {
            let own = problem.nodes[node as usize].timing;
            b.problem.nodes[node as usize].timing = group.select.timing(own);
        }
    }
    let solution = if moved {
        let pinned = b.pinned(None);
        if b.feasible(&pinned).is_none() {
            return Ok(None);
        }
        region::run(scheduler, &pinned, what)?.solution
    } else {
        first
    };
    groups.iter_mut().for_each(|g| g.nodes.sort_by_key(|n| solution.start[*n as usize]));
    Ok(Some(Bound { solution, groups }))
}

/// Nodes of a kind that have time for multiplexers in front of them.
struct Able {
    nodes: Vec<u32>,
    /// Most of them on an instance.
    ways: usize,
    /// Whether registers stand behind the multiplexers.
    staged: bool,
}

struct Binder<'a> {
    /// With multiplexers in front of nodes that may get some.
    problem: Problem,
    /// Nodes whose cycle is fixed.
    pins: Vec<(u32, u32)>,
    family: &'a Family,
    tokens: Tokens,
    trials: u32,
}

impl Binder<'_> {
    /// Whether there is a schedule.
    fn feasible(&mut self, problem: &Problem) -> Option<Solution> {
        self.trials += 1;
        Asap.solve(problem)
    }

    /// Puts multiplexers in front of the nodes of a kind that have time for them, as many ways as that leaves.
    fn able(&mut self, kind: &Kind) -> Able {
        let most = kind.nodes.len().min(self.tokens.slots(kind.interval));
        let worth = (1..most).take_while(|ways| saved(self.family, kind, *ways) > 0.0).count() + 1;
        let mut best = Able { nodes: vec![], ways: 1, staged: false };
        for staged in [false, true] {
            let mut ways = worth.min(most);
            while ways > 1 && best.nodes.is_empty() {
                let select = self.select(kind, ways, staged);
                if let Some(all) = self.with_select(&kind.nodes, &select) {
                    self.problem = all;
                    best = Able { nodes: kind.nodes.clone(), ways, staged };
                }
                ways = if ways == 2 { 1 } else { ways.div_ceil(2) };
            }
        }
        if !best.nodes.is_empty() || worth.min(most) < 2 {
            return best;
        }
        // Not all of them: those that can, one after the other.
        let each = [false, true].map(|staged| (staged, self.each(kind, staged)));
        let [direct, behind] = each;
        let (staged, (nodes, problem)) =
            if behind.1.0.len() > direct.1.0.len() { behind } else { direct };
        if nodes.len() < 2 {
            return best;
        }
        for ways in (3..=worth.min(most).min(nodes.len())).rev() {
            let select = self.select(kind, ways, staged);
            if let Some(all) = self.with_select(&nodes, &select) {
                self.problem = all;
                return Able { nodes, ways, staged };
            }
        }
        self.problem = problem;
        Able { nodes, ways: 2, staged }
    }

    fn select(&self, kind: &Kind, ways: usize, staged: bool) -> Select {
        Select { ns: select_ns(self.family, ways, kind.bits), staged }
    }

    /// Those nodes of a kind that have time for multiplexers, and the problem with them.
    fn each(&mut self, kind: &Kind, staged: bool) -> (Vec<u32>, Problem) {
        let select = self.select(kind, 2, staged);
        let before = self.problem.clone();
        let mut nodes = vec![];
        for &node in &kind.nodes {
            if self.trials < MOST_TRIALS
                && let Some(one) = self.with_select(&[node], &select)
            {
                self.problem = one;
                nodes.push(node);
            }
        }
        let with = std::mem::replace(&mut self.problem, before);
        (nodes, with)
    }

    /// The problem with multiplexers in front of some nodes, if it has a schedule.
    fn with_select(&mut self, nodes: &[u32], select: &Select) -> Option<Problem> {
        let mut problem = self.problem.clone();
        for n in nodes {
            let node = &mut problem.nodes[*n as usize];
            node.timing = select.timing(node.timing);
            // Not even operands that come from registers would pass in a cycle.
            if node.timing.start_ns(0.0) + node.timing.input_ns > problem.budget_ns {
                return None;
            }
        }
        self.feasible(&problem).map(|_| problem)
    }

    /// The problem with fixed nodes, and perhaps one more.
    fn pinned(&self, more: Option<(u32, u32)>) -> Problem {
        let mut problem = self.problem.clone();
        let all = self.pins.iter().copied().chain(more);
        problem.releases.extend(all.clone());
        problem.deadlines.extend(all);
        problem
    }

    /// Distributes nodes of a kind over instances.
    fn color(
        &mut self,
        kind: &Kind,
        able: &Able,
        start: &mut [u32],
        moved: &mut bool,
    ) -> Vec<Vec<u32>> {
        let mut nodes = able.nodes.clone();
        nodes.sort_by_key(|n| (start[*n as usize], *n));
        let fewest = nodes.len().div_ceil(able.ways.max(1));
        let mut instances: Vec<Vec<u32>> = vec![];
        for node in nodes {
            let cycle = start[node as usize];
            if let Some(k) = self.free(kind, able, &instances, start, cycle) {
                instances[k].push(node);
                self.pins.push((node, cycle));
            } else if instances.len() >= fewest
                && let Some((k, cycle, all)) = self.elsewhere(kind, able, &instances, start, node)
            {
                *moved = true;
                instances[k].push(node);
                self.pins.push((node, cycle));
                start.copy_from_slice(&all.start);
            } else {
                instances.push(vec![node]);
                self.pins.push((node, cycle));
            }
        }
        instances
    }

    /// An instance that is free in a cycle.
    fn free(
        &self,
        kind: &Kind,
        able: &Able,
        instances: &[Vec<u32>],
        start: &[u32],
        cycle: u32,
    ) -> Option<usize> {
        let met = |n: &u32| self.tokens.meet(start[*n as usize].abs_diff(cycle), kind.interval);
        instances.iter().position(|i| i.len() < able.ways && !i.iter().any(met))
    }

    /// An instance for a node that starts a few cycles later or sooner, and a schedule in which it does.
    fn elsewhere(
        &mut self,
        kind: &Kind,
        able: &Able,
        instances: &[Vec<u32>],
        start: &[u32],
        node: u32,
    ) -> Option<(usize, u32, Solution)> {
        let now = start[node as usize];
        let later = (1..=FARTHEST).map(|d| now + d);
        let sooner = (1..=FARTHEST.min(now)).map(|d| now - d);
        let mut both: [&mut dyn Iterator<Item = u32>; 2] =
            [&mut later.into_iter(), &mut sooner.into_iter()];
        for cycles in &mut both {
            for cycle in cycles {
                let Some(k) = self.free(kind, able, instances, start, cycle) else { continue };
                let trial = self.pinned(Some((node, cycle)));
                match self.feasible(&trial).filter(|_| self.trials < MOST_TRIALS) {
                    Some(all) => return Some((k, cycle, all)),
                    // Farther away there is less room still.
                    None => break,
                }
            }
        }
        None
    }
}
