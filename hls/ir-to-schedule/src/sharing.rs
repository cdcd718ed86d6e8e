//! Which operations of a block one instance computes, in different cycles.
//!
//! A segment that takes a token only every so many cycles leaves its operators idle in between. Where the distance of tokens is
//! there anyway (iterations that overlap are an interval apart; in other blocks of a kernel of one work-item there is one token
//! at a time), operations of a kind share instances as far as the block's latency and interval stay what they are.
//! A kernel that does not fit the board is given such a distance, and then latencies may grow.

use crate::bind::{self, Group, Kind, Tokens};
use crate::forms::{Pace, Site};
use crate::problem::Problem;
use crate::units::Units;
use crate::{Options, pipelined, turns};
use base::entity::SecondaryMap;
use base::{IndexMap, Result};
use ir::{Block, Inst, Op};
use schedule::product::factors;
use schedule::{KernelSchedule, OpTiming, Place, Segment, Shared, UnitId};
use target::{Family, OpKind};

/// How a block's tokens come.
#[derive(Clone, Copy)]
pub struct Ask {
    /// If nothing overlaps, or the same for all segments.
    tokens: Option<Tokens>,
    /// Cycles between work-items that are asked for.
    interval: u32,
    /// Whether latencies may grow.
    grows: bool,
}

impl Ask {
    /// What a scheduled block allows; `interval` is asked for whatever becomes of the latency, if it is more than 1.
    pub fn new(s: &KernelSchedule, units: &Units, site: Site<'_>, interval: u32) -> Ask {
        let tokens = s.task.then(|| match Pace::of_pipeline(s, site).interval {
            // All segments of a loop take tokens alike.
            Some(n) => Tokens::Every(n.max(interval).max(slowest(s, units, site.block, None))),
            None => Tokens::Alone,
        });
        Ask { tokens, interval, grows: interval > 1 }
    }

    /// Whether any two operations of a block's segments could share an instance.
    pub fn allows(&self, s: &KernelSchedule, units: &Units, block: Block) -> bool {
        let in_segment = |i: &Inst, k: u32| matches!(s.place[*i], Some(Place::Segment { segment, .. }) if segment == k);
        (0..s.blocks[block].segments.len() as u32).any(|k| {
            let insts = s.func.blocks[block].insts.iter().copied();
            let body: Vec<Inst> = insts.filter(|i| in_segment(i, k)).collect();
            self.tokens(s, units, block, k).is_some() && !kinds(s, units, &body).is_empty()
        })
    }

    /// Tokens of a segment; nothing if one may come every cycle.
    fn tokens(&self, s: &KernelSchedule, units: &Units, block: Block, k: u32) -> Option<Tokens> {
        let slowest = || Tokens::Every(self.interval.max(slowest(s, units, block, Some(k))));
        Some(self.tokens.unwrap_or_else(slowest)).filter(|t| !matches!(t, Tokens::Every(0 | 1)))
    }
}

/// The least distance of operands that the units of a block, or of one of its segments, ask for.
fn slowest(s: &KernelSchedule, units: &Units, block: Block, segment: Option<u32>) -> u32 {
    let here = |i: &&Inst| match s.place[**i] {
        Some(Place::Segment { segment: k, .. }) => segment.is_none_or(|s| s == k),
        _ => false,
    };
    let insts = s.func.blocks[block].insts.iter().filter(here);
    let of_units = insts.filter_map(|i| s.unit_of[*i]).map(|u| units.get(u).interval());
    of_units.max().unwrap_or(1)
}

/// Operations of one segment that share instances.
pub struct InSegment {
    /// The segment.
    pub block: Block,
    /// Its number.
    pub segment: u32,
    /// Distance of its tokens that they count on.
    pub tokens: Tokens,
    /// Those of each instance.
    pub shared: Vec<Shared>,
}

/// Binds the operations of a block's segments to instances. The block must be scheduled, by `problems`, whose node `n` of segment
/// `k` is `bodies[k][n]`.
pub fn share(
    s: &mut KernelSchedule,
    units: &Units,
    (block, ask): (Block, &Ask),
    bodies: &[Vec<Inst>],
    problems: &[Problem],
    options: &Options,
) -> Result<Vec<InSegment>> {
    let mut out = vec![];
    for (k, body) in bodies.iter().enumerate() {
        let segment = k as u32;
        let Some(tokens) = ask.tokens(s, units, block, segment) else { continue };
        let kinds = kinds(s, units, body);
        if kinds.is_empty() {
            continue;
        }
        let mut problem = problems[k].clone();
        let latency = s.blocks[block].segments[k].latency;
        problem.most_latency = (!ask.grows).then_some(latency);
        let what = format!("segment {k} of {block}");
        let bound = bind::bind(&problem, &kinds, tokens, options.scheduler, units.family, &what)?;
        let Some(bound) = bound else { continue };
        let g = &mut s.blocks[block].segments[k];
        *g = crate::segments::segment(bound.solution.latency);
        for (j, &inst) in body.iter().enumerate() {
            s.place[inst] = Some(Place::Segment { segment, cycle: bound.solution.start[j] });
        }
        let mut shared = vec![];
        for Group { nodes, select } in bound.groups {
            let insts: Vec<Inst> = nodes.iter().map(|n| body[*n as usize]).collect();
            insts.iter().for_each(|i| s.timing[*i] = select.timing(s.timing[*i]));
            shared.push(Shared { insts, select_ns: select.ns, staged: select.staged });
        }
        out.push(InSegment { block, segment, tokens, shared });
    }
    Ok(out)
}

/// What can share an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Unit(UnitId),
    /// A product: signs of its factors, and which of them are too wide for the narrower side of a tile.
    Product([bool; 2], [bool; 2]),
}

/// The operations of a segment that could share instances, by kind.
fn kinds(s: &KernelSchedule, units: &Units, body: &[Inst]) -> Vec<Kind> {
    let family = units.family;
    let mut kinds: IndexMap<What, Kind> = IndexMap::default();
    for (n, &inst) in body.iter().enumerate() {
        // Logic without registers could close a loop through the multiplexers.
        if s.timing[inst].latency == 0 {
            continue;
        }
        let data = &s.func.insts[inst];
        let new = match (s.unit_of[inst], data.op) {
            (Some(id), _) if units.get(id).shared.is_empty() => {
                let unit = units.get(id);
                let bits = data.args.iter().map(|a| s.func.bits(*a)).sum();
                let (interval, cost) = (unit.interval(), unit_cost(unit, family));
                (What::Unit(id), Kind { nodes: vec![], interval, cost, bits })
            }
            (None, Op::Mul) => product(&s.func, inst, family),
            _ => continue,
        };
        let (what, kind) = new;
        let bits = kind.bits;
        let entry = kinds.entry(what).or_insert(kind);
        entry.nodes.push(n as u32);
        // The widest operands.
        entry.bits = entry.bits.max(bits);
    }
    kinds.into_values().filter(|k| k.nodes.len() > 1).collect()
}

/// The products of some instructions that could share multipliers, by kind; node `n` is instruction `n`.
pub fn products(
    func: &ir::Function,
    timing: &SecondaryMap<Inst, OpTiming>,
    body: &[Inst],
    family: &Family,
) -> Vec<Kind> {
    let mut kinds: IndexMap<What, Kind> = IndexMap::default();
    for (n, &inst) in body.iter().enumerate() {
        if func.insts[inst].op == Op::Mul && timing[inst].latency > 0 {
            let (what, kind) = product(func, inst, family);
            let entry = kinds.entry(what).or_insert(Kind { bits: 0, ..kind });
            entry.nodes.push(n as u32);
            entry.bits = entry.bits.max(shape(func, inst, family).2);
        }
    }
    kinds.into_values().filter(|k| k.nodes.len() > 1).collect()
}

/// Gives units that are alone in their segment, so that they have none to share an instance with, the form whose own products
/// share multipliers. Whether there are any such units; the block must be scheduled again then.
///
/// # Errors
/// If the scheduler finds no schedule.
pub fn share_inside(
    s: &mut KernelSchedule,
    units: &mut Units,
    block: Block,
    interval: u32,
) -> Result<bool> {
    let mut of_segment: IndexMap<(u32, UnitId), Vec<Inst>> = IndexMap::default();
    for &inst in &s.func.blocks[block].insts {
        if let (Some(Place::Segment { segment, .. }), Some(unit)) = (s.place[inst], s.unit_of[inst])
        {
            of_segment.entry((segment, unit)).or_default().push(inst);
        }
    }
    let mut changed = false;
    for ((segment, unit), insts) in of_segment {
        let every = interval.max(slowest(s, units, block, Some(segment)));
        let [inst] = insts[..] else { continue };
        if let Some(form) = units.sharing(unit, every)? {
            s.unit_of[inst] = Some(form);
            s.timing[inst] = units.get(form).timing;
            changed = true;
        }
    }
    Ok(changed)
}

/// The kind of a product that is one tile.
fn product(func: &ir::Function, inst: Inst, family: &Family) -> (What, Kind) {
    let (signs, wide, bits) = shape(func, inst, family);
    let kind = Kind { nodes: vec![], interval: 1, cost: tile_cost(family), bits };
    (What::Product(signs, wide), kind)
}

/// Signs of a product's factors, which of them are too wide for the narrower side of a tile, and their bits.
pub fn shape(func: &ir::Function, inst: Inst, family: &Family) -> ([bool; 2], [bool; 2], u32) {
    let both = factors(func, inst);
    let (tile, signed) = (family.tile, both.iter().any(|f| f.signed));
    let narrow = if signed { tile.b_signed } else { tile.b_unsigned };
    // An unsigned factor next to a signed one needs a zero above it.
    let wide = both.map(|f| f.width + u32::from(signed && !f.signed) > narrow);
    (both.map(|f| f.signed), wide, both.iter().map(|f| f.width).sum())
}

/// What a tile is worth, in LUTs: the additions that would do its work.
pub fn tile_cost(family: &Family) -> f64 {
    let (a, b) = (family.tile.a_unsigned, family.tile.b_unsigned);
    f64::from(b) * family.area(OpKind::Add, a).lut
}

/// What an instance of a unit costs, in LUTs.
fn unit_cost(unit: &schedule::Unit, family: &Family) -> f64 {
    let all = unit.func.layout.iter().flat_map(|b| &unit.func.blocks[*b].insts);
    let tiles = all.filter(|i| unit.func.insts[**i].op == Op::Mul).count();
    turns::cost(unit, family) + tile_cost(family) * tiles as f64
}

/// Makes the segments of a schedule keep the distances of tokens that shared instances count on.
pub fn set_windows(s: &mut KernelSchedule, units: &Units, all: &[InSegment]) {
    for block in s.func.layout.clone() {
        let mut pairs: Vec<Vec<(u32, u32)>> = vec![vec![]; s.blocks[block].segments.len()];
        for group in all.iter().filter(|g| g.block == block) {
            let own = group.shared.iter().flat_map(|g| distances(s, units, g));
            pairs[group.segment as usize].extend(own);
        }
        for &inst in &s.func.blocks[block].insts {
            let (Some(Place::Segment { segment, .. }), Some(unit)) =
                (s.place[inst], s.unit_of[inst])
            else {
                continue;
            };
            let unit = units.get(unit);
            for group in &unit.shared {
                let cycle = |i: &Inst| match unit.place[*i] {
                    Some(Place::Segment { cycle, .. }) => cycle,
                    _ => 0,
                };
                let cycles: Vec<u32> = group.insts.iter().map(cycle).collect();
                pairs[segment as usize].extend(between(&cycles).map(|d| (d, 1)));
            }
        }
        // A single token is alone with its accesses.
        if s.pipelined.contains_key(&block) {
            let accesses = crate::timed::distances(s, block);
            accesses.into_iter().for_each(|(k, d)| pairs[k as usize].push((d, 1)));
        }
        for (segment, pairs) in s.blocks[block].segments.iter_mut().zip(pairs) {
            set_window(segment, &pairs);
        }
    }
}

/// The least distance of tokens that the operations of a segment ask for.
pub fn least_interval(s: &KernelSchedule, units: &Units, group: &InSegment) -> u32 {
    match group.tokens {
        Tokens::Every(n) => n,
        Tokens::Alone => {
            let pairs = group.shared.iter().flat_map(|g| distances(s, units, g));
            pairs.map(|(cycles, interval)| cycles + interval).max().unwrap_or(1)
        }
    }
}

/// The window within which tokens are multiples of the interval apart: as far as two of them can meet at an instance.
fn set_window(segment: &mut Segment, pairs: &[(u32, u32)]) {
    let free = Segment { window: 0, ..segment.clone() };
    let meeting = pairs.iter().filter(|(cycles, interval)| free.collides(*cycles, *interval));
    segment.window = meeting.map(|(cycles, interval)| cycles + interval - 1).max().unwrap_or(0);
}

/// Cycles between each two operations of an instance, and how often it takes operands.
fn distances(s: &KernelSchedule, units: &Units, group: &Shared) -> Vec<(u32, u32)> {
    let interval = s.unit_of[group.insts[0]].map_or(1, |u| units.get(u).interval());
    let cycles: Vec<u32> = group.insts.iter().map(|i| s.cycle_of(*i)).collect();
    between(&cycles).map(|d| (d, interval)).collect()
}

/// Differences of each two.
fn between(cycles: &[u32]) -> impl Iterator<Item = u32> {
    let pairs = (0..cycles.len()).flat_map(|k| (0..k).map(move |j| (j, k)));
    pairs.map(|(j, k)| cycles[j].abs_diff(cycles[k]))
}

/// What the report says of shared instances: of each kind, how many operations share how many.
pub fn notes(s: &KernelSchedule, units: &Units) -> Vec<String> {
    let mut of_kind: IndexMap<String, (usize, usize)> = IndexMap::default();
    let mut inside: IndexMap<UnitId, ()> = IndexMap::default();
    for group in &s.shared {
        let name = match s.unit_of[group.insts[0]] {
            Some(unit) => units.get(unit).name.clone(),
            None => "products of one multiplier".to_owned(),
        };
        let sums = of_kind.entry(name).or_default();
        *sums = (sums.0 + group.insts.len(), sums.1 + 1);
    }
    for &inst in s.func.layout.iter().flat_map(|b| &s.func.blocks[*b].insts) {
        if let Some(unit) = s.unit_of[inst].filter(|u| !units.get(*u).shared.is_empty()) {
            inside.insert(unit, ());
        }
    }
    let own = of_kind.into_iter().map(|(name, (operations, instances))| {
        let plural = if instances == 1 { "" } else { "s" };
        format!("{name}: {operations} operations share {instances} instance{plural}")
    });
    let inner = inside.into_keys().map(|unit| {
        let unit = units.get(unit);
        let products: usize = unit.shared.iter().map(|g| g.insts.len()).sum();
        let multipliers = unit.shared.len();
        let plural = if multipliers == 1 { "" } else { "s" };
        format!("{}: {products} products inside share {multipliers} multiplier{plural}", unit.name)
    });
    own.chain(inner).collect()
}

/// Whether a block with shared instances is as fast as before, or as fast as is asked for.
pub fn is_no_worse(before: &Pace, after: &Pace, ask: &Ask) -> bool {
    let paced = after.interval <= before.interval.map(|n| n.max(ask.interval));
    paced && (ask.grows || after.latency <= before.latency)
}

/// Why segments of some blocks take tokens only every so many cycles, if shared instances ask for it.
pub fn slowest_segment(s: &KernelSchedule, blocks: &[Block]) -> Option<(u32, String)> {
    // Elsewhere one work-item is never waited for.
    let counts = |b: &&Block| !s.task || s.pipelined.contains_key(*b);
    let all = blocks.iter().filter(counts).flat_map(|b| &s.blocks[*b].segments);
    let n = all.map(|g| g.ii).max().filter(|n| *n > 1)?;
    let here = |g: &&Shared| blocks.iter().any(|b| s.func.blocks[*b].insts.contains(&g.insts[0]));
    let most = s.shared.iter().filter(here).max_by_key(|g| g.insts.len());
    let text = match most {
        Some(g) => format!(
            "{} and {} more operations share an instance, so tokens come every {n} cycles",
            pipelined::operation(&s.func, g.insts[0]),
            g.insts.len() - 1
        ),
        None => {
            format!("multipliers inside of operators are shared, so tokens come every {n} cycles")
        }
    };
    Some((n, text))
}
