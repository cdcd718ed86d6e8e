//! Terms for blocks that loop on themselves with overlapping iterations: how soon the next iteration can begin follows from the time between
//! a loop-carried value and its next one. What arrives late is combined last there, even where that takes more area.
//!
//! The model is the one of the schedule (docs/scheduling.md): a carried value is read from its register in some cycle `R`, and its next value
//! must stand in cycle `R + II - 1` at the latest; one that takes over another one is not read before that. Operations are not spread over the end of a cycle. The least `R` are found by iteration: they only
//! grow, and converge where the interval can be kept.

use super::cost::Cost;
use super::extract::{Candidates, Cover, Picked, originals};
use super::lang::{Graph, Head, Node};
use crate::recurrence::Clock;
use base::FxHashMap;
use egg::Id;
use ir::{FastMath, Op};

/// Intervals that are told apart.
const MOST_CYCLES: i64 = 8;
/// A carried value that is read later than this is one that waits for itself.
const LATEST_READ: i64 = 24;
/// Rounds in which sums are put together anew.
const REGROUPINGS: usize = 6;
/// Most operands of a sum that is put together anew.
const MOST_OPERANDS: usize = 16;
/// Sweeps over the e-graph in search of the soonest terms.
const SWEEPS: usize = 64;
/// No term is known.
const NEVER: i64 = i64::MAX;

/// Loop-carried values of a block.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// Classes of parameters, each with the class of what the next iteration begins with.
    pub pairs: Vec<(Id, Id)>,
    /// Classes of what decides whether there is a next iteration.
    pub decisions: Vec<Id>,
}

/// Times in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    period: i64,
    entry: i64,
}

impl Pace {
    /// Of a clock.
    pub fn new(clock: Clock<'_>) -> Pace {
        let ps = |ns: f64| (ns * 1000.0).round() as i64;
        Pace { period: ps(clock.period_ns).max(1), entry: ps(clock.entry_ns()) }
    }

    /// When an operation of `ps` ends whose operands stand at `start`. What takes less than a cycle does not begin in one and end in the next.
    fn end(self, start: i64, ps: i64) -> i64 {
        let boundary = (start / self.period + 1) * self.period;
        if ps <= self.period && start + ps > boundary { boundary + ps } else { start + ps }
    }

    /// The first cycle in which a register can hold what stands at `time`.
    fn registered(self, time: i64) -> i64 {
        (time + self.period - 1) / self.period
    }
}

/// [`Carried`] by place of the class.
struct Loop {
    pairs: Vec<(usize, usize)>,
    /// Of each pair, whose turn it is when the next value is another parameter.
    takes_over: Vec<Option<usize>>,
    decisions: Vec<usize>,
    pace: Pace,
}

impl Loop {
    fn new(all: &Candidates<'_>, carried: &Carried, pace: Pace) -> Loop {
        let classes = |(p, n): &(Id, Id)| (all.class(*p), all.class(*n));
        let pairs: Vec<(usize, usize)> = carried.pairs.iter().map(classes).collect();
        let param = |class: usize| pairs.iter().position(|p| p.0 == class);
        let takes_over = pairs.iter().map(|(_, next)| param(*next)).collect();
        let decisions = carried.decisions.iter().map(|d| all.class(*d)).collect();
        Loop { pairs, takes_over, decisions, pace }
    }

    /// When leaves stand, by class, with carried values read in these cycles.
    fn leaves(&self, classes: usize, reads: &[i64]) -> Vec<i64> {
        let mut at = vec![0; classes];
        for ((param, _), cycle) in self.pairs.iter().zip(reads) {
            at[*param] = cycle * self.pace.period + self.pace.entry;
        }
        at
    }

    /// Later cycles of reading where the next values ask for them; whether there were any.
    fn delay(&self, reads: &mut [i64], times: &[i64], interval: i64) -> bool {
        let mut changed = false;
        for (k, (_, next)) in self.pairs.iter().enumerate() {
            let asked = match self.takes_over[k] {
                Some(other) => reads[other],
                None => self.pace.registered(times[*next]) - interval,
            };
            changed |= asked > reads[k];
            reads[k] = asked.max(reads[k]);
        }
        changed
    }

    /// A class that stands too late for the next iteration.
    fn late(&self, times: &[i64], target: &Target) -> Option<usize> {
        let reads = self.pairs.iter().zip(&target.reads).zip(&self.takes_over);
        let computed = reads.filter(|(_, other)| other.is_none()).map(|(pair, _)| pair);
        let next = computed.map(|((_, next), read)| (*next, read + target.interval));
        let decisions = self.decisions.iter().map(|d| (*d, target.interval));
        let mut all = next.chain(decisions);
        all.find(|(class, cycle)| self.pace.registered(times[*class]) > *cycle).map(|l| l.0)
    }

    fn decides(&self, times: &[i64], interval: i64) -> bool {
        self.decisions.iter().all(|d| self.pace.registered(times[*d]) <= interval)
    }
}

/// Times of a choice: of each class that is needed for one of `of`.
fn times(all: &Candidates<'_>, picked: &[Option<usize>], at: &[i64], of: &Loop) -> Vec<i64> {
    let mut times = vec![NEVER; picked.len()];
    let next = of.pairs.iter().map(|p| p.1);
    for class in next.chain(of.decisions.iter().copied()) {
        time(all, picked, at, of.pace, class, &mut times);
    }
    times
}

fn time(
    all: &Candidates<'_>,
    picked: &[Option<usize>],
    at: &[i64],
    pace: Pace,
    class: usize,
    times: &mut [i64],
) -> i64 {
    if times[class] == NEVER
        && let Some(k) = picked[class]
    {
        let node = &all.nodes[class][k];
        let operands = node.args.iter().map(|a| time(all, picked, at, pace, *a, times)).max();
        times[class] = operands.map_or(at[class], |start| pace.end(start, node.ps));
    }
    times[class]
}

/// The soonest terms: times and choice.
fn soonest(all: &Candidates<'_>, at: &[i64], pace: Pace) -> (Vec<i64>, Picked) {
    let n = all.ids.len();
    let (mut times, mut picked) = (vec![NEVER; n], vec![None; n]);
    for _ in 0..SWEEPS {
        let mut changed = false;
        for class in 0..n {
            for (k, node) in all.nodes[class].iter().enumerate() {
                let end = match node.args.iter().map(|a| times[*a]).max() {
                    None => at[class],
                    Some(NEVER) => continue,
                    Some(start) => pace.end(start, node.ps),
                };
                if end < times[class] {
                    (times[class], picked[class]) = (end, Some(k));
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    (times, picked)
}

/// The interval that a choice keeps; none when it is more than [`MOST_CYCLES`].
fn interval_of(all: &Candidates<'_>, carried: &Loop, picked: &[Option<usize>]) -> Option<i64> {
    (1..=MOST_CYCLES).find(|interval| {
        let mut reads = vec![0; carried.pairs.len()];
        while reads.iter().all(|r| *r <= LATEST_READ) {
            let times = times(all, picked, &carried.leaves(all.ids.len(), &reads), carried);
            if !carried.delay(&mut reads, &times, *interval) {
                return carried.decides(&times, *interval);
            }
        }
        false
    })
}

/// An interval that can be reached.
pub struct Target {
    /// Cycles between two iterations.
    interval: i64,
    /// Those of the terms as they were.
    was: i64,
    /// Cycles in which carried values are read.
    reads: Vec<i64>,
}

/// Times of the soonest terms, by class.
struct Soonest {
    ids: Vec<Id>,
    times: Vec<i64>,
}

impl Soonest {
    fn of(&self, graph: &Graph, id: Id) -> i64 {
        self.ids.binary_search(&graph.find(id)).map_or(NEVER, |k| self.times[k])
    }
}

/// The shortest interval for which there are terms, if it is shorter than that of the terms as they were (`original`, by class). Puts sums whose
/// late operands come last into the e-graph: they follow by the rules of associativity and commutativity, which are proved, but which alone
/// would have to make all orders of all operands to come upon them.
pub fn shorter(
    graph: &mut Graph,
    carried: &Carried,
    original: &[(Id, Node)],
    cost: &Cost<'_>,
    allowed: FastMath,
) -> Option<Target> {
    let was = {
        let all = Candidates::new(graph, cost);
        let carried = Loop::new(&all, carried, Pace::new(cost.clock()));
        interval_of(&all, &carried, &originals(&all, original))?
    };
    (1..was).find_map(|interval| reach(graph, carried, original, cost, interval, was, allowed))
}

fn reach(
    graph: &mut Graph,
    carried: &Carried,
    original: &[(Id, Node)],
    cost: &Cost<'_>,
    interval: i64,
    was: i64,
    allowed: FastMath,
) -> Option<Target> {
    let mut reads = vec![0; carried.pairs.len()];
    let mut round = 0;
    while reads.iter().all(|r| *r <= LATEST_READ) {
        let all = Candidates::new(graph, cost);
        let places = Loop::new(&all, carried, Pace::new(cost.clock()));
        let (times, _) = soonest(&all, &places.leaves(all.ids.len(), &reads), places.pace);
        let ids = all.ids;
        if round < REGROUPINGS {
            round += 1;
            if regroup(graph, original, &Soonest { ids, times }, cost, allowed) {
                continue;
            }
        } else if !places.delay(&mut reads, &times, interval) {
            let kept = places.decides(&times, interval);
            return kept.then_some(Target { interval, was, reads });
        }
    }
    None
}

/// Classes with the time at which they stand.
type Timed = Vec<(i64, Id)>;

/// Adds the sums of the program, and the like, with those operands first that stand first. Whether that was anything new.
fn regroup(
    graph: &mut Graph,
    original: &[(Id, Node)],
    soonest: &Soonest,
    cost: &Cost<'_>,
    allowed: FastMath,
) -> bool {
    let nodes: FxHashMap<Id, &Node> =
        original.iter().rev().map(|(id, n)| (graph.find(*id), n)).collect();
    let mut groups: Vec<(Id, Op, Timed)> = vec![];
    for (id, node) in original {
        let Head::Op(op) = node.head else { continue };
        let associates = match op {
            Op::Add | Op::And | Op::Or | Op::Xor => true,
            Op::FAdd | Op::FMul => allowed.has(FastMath::FAST | FastMath::NO_SIGNED_ZERO),
            _ => false,
        };
        if !associates {
            continue;
        }
        let mut operands = vec![];
        flatten(graph, &nodes, node, op, &mut operands);
        if (3..=MOST_OPERANDS).contains(&operands.len()) {
            let timed = operands.into_iter().map(|o| (soonest.of(graph, o), o)).collect();
            groups.push((*id, op, timed));
        }
    }
    let pace = Pace::new(cost.clock());
    let before = (graph.total_size(), graph.number_of_classes());
    for (id, op, mut operands) in groups {
        let ty = graph[id].data.ty;
        while operands.len() > 1 {
            operands.sort_by_key(|o| std::cmp::Reverse(*o));
            let (Some((t, x)), Some((u, y))) = (operands.pop(), operands.pop()) else { break };
            let data = [graph[x].data, graph[y].data];
            let end = pace.end(t.max(u), cost.picoseconds(op, ty, &data));
            operands.push((end, graph.add(Node::op(op, ty, [x, y]))));
        }
        graph.union(id, operands[0].1);
    }
    graph.rebuild();
    before != (graph.total_size(), graph.number_of_classes())
}

/// The operands of a sum of sums.
fn flatten(
    graph: &Graph,
    nodes: &FxHashMap<Id, &Node>,
    sum: &Node,
    op: Op,
    operands: &mut Vec<Id>,
) {
    for a in &sum.args {
        let a = graph.find(*a);
        match nodes.get(&a) {
            Some(inner) if inner.head == Head::Op(op) && operands.len() < MOST_OPERANDS => {
                flatten(graph, nodes, inner, op, operands);
            }
            _ => operands.push(a),
        }
    }
}

/// The cheapest terms found that keep the interval of `target`; none where area times interval would be more than with the terms as they were.
pub fn keep(
    all: &Candidates<'_>,
    roots: &[usize],
    carried: &Carried,
    target: &Target,
    pace: Pace,
    start: &[Option<usize>],
) -> Option<Picked> {
    let places = Loop::new(all, carried, pace);
    let at = places.leaves(all.ids.len(), &target.reads);
    let (_, fastest) = soonest(all, &at, places.pace);
    let kept = |cover: &Cover<'_, '_>| {
        let times = times(all, &cover.picked, &at, &places);
        places.late(&times, target).is_none()
    };
    let was = Cover::new(all, roots, start.to_vec())?.total;
    let mut cover = match hurry(all, roots, &places, &at, target, start, &fastest) {
        Some(cover) => cover,
        None => Cover::new(all, roots, fastest)?,
    };
    cover.improve(&mut |c| kept(c));
    let fits = cover.total * target.interval as u64 <= was * target.was as u64;
    (fits && kept(&cover)).then_some(cover.picked)
}

/// Takes the soonest terms of those classes only that make a next value late. None when old and new terms together need themselves.
fn hurry<'c, 'g>(
    all: &'c Candidates<'g>,
    roots: &'c [usize],
    places: &Loop,
    at: &[i64],
    target: &Target,
    start: &[Option<usize>],
    fastest: &[Option<usize>],
) -> Option<Cover<'c, 'g>> {
    let mut picked = start.to_vec();
    loop {
        let cover = Cover::new(all, roots, picked.clone())?;
        let times = times(all, &picked, at, places);
        let Some(mut class) = places.late(&times, target) else { return Some(cover) };
        while picked[class] == fastest[class] {
            let node = cover.chosen(class);
            class = *node.args.iter().max_by_key(|a| times[**a])?;
        }
        picked[class] = fastest[class];
    }
}
