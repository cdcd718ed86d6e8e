//! Which form divisions and roots have: a pipeline, which takes operands every cycle, or a loop of steps, which takes a fraction
//! of the area and operands only every so many cycles.
//!
//! In kernels of one work-item a block gets a token only when the one before has left it, unless its iterations overlap; then
//! they are the loop's interval apart. So the smallest loop of steps is taken whose interval is not longer than that and
//! that makes the block hardly later and its interval no longer: the block is scheduled with it, and the result compared.
//! Where many work-items interleave, all have the pipeline, unless the hardware must become smaller at any price.

use crate::pipelined;
use crate::segments::exit_depth;
use crate::sharing::{self, InSegment};
use crate::units::Units;
use base::entity::SecondaryMap;
use base::{IndexMap, Result};
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Inst};
use schedule::{
    BlockSchedule, Control, KernelSchedule, MemoryId, MemoryKind, OpTiming, Order, PipelinedLoop,
    Place, UnitId,
};

/// Cycles that a block outside of loops, or one whose iterations overlap, may take longer with a loop of steps in it.
const MOST_LATER: u32 = 2;
/// Most divisions of a kind in a block that are looked at one by one.
const MOST_SINGLE: usize = 8;
/// Requests that a memory on the chip takes in a cycle.
const PORTS: u32 = 2;

/// Which blocks lie in loops.
pub struct Nests {
    depth: SecondaryMap<Block, u32>,
}

impl Nests {
    /// Those of a function.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut depth: SecondaryMap<Block, u32> = SecondaryMap::new();
        for data in Loops::new(func, cfg).loops.values() {
            data.blocks.iter().for_each(|b| depth[*b] += 1);
        }
        Nests { depth }
    }

    /// Whether a block lies in a loop other than one that is this block alone.
    pub fn in_loop(&self, func: &Function, block: Block) -> bool {
        self.depth[block] > u32::from(ir::analysis::back_edge(func, block).is_some())
    }
}

/// A block in which forms are chosen.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// The block.
    pub block: Block,
    /// Accesses whose order from iteration to iteration matters, of all blocks.
    pub conflicts: &'a [(Inst, Inst)],
    /// Whether it lies in a loop other than one that is this block alone.
    pub in_loop: bool,
}

/// Chooses the form of each division and root of a block, which must be scheduled with pipelines; `schedule` schedules it
/// again. With `small` it is the smallest one whatever becomes of the rest.
pub fn choose(
    s: &mut KernelSchedule,
    units: &mut Units,
    site: Site<'_>,
    small: bool,
    schedule: &mut dyn FnMut(&mut KernelSchedule) -> Result<()>,
) -> Result<()> {
    let mut kinds: IndexMap<UnitId, Vec<Inst>> = IndexMap::default();
    for &inst in &s.func.blocks[site.block].insts {
        let in_segment = matches!(s.place[inst], Some(Place::Segment { .. }));
        if let Some(unit) = s.unit_of[inst].filter(|u| in_segment && units.is_recurrence(*u)) {
            kinds.entry(unit).or_default().push(inst);
        }
    }
    for (unit, insts) in kinds {
        let why = if !s.task && !small {
            Err("a work-item may come every cycle".to_owned())
        } else {
            choose_kind(s, units, site, small, (unit, &insts), schedule)?
        };
        if why.is_ok() || insts.len() == 1 || insts.len() > MOST_SINGLE || !s.task {
            remark(s, &insts, &why);
            continue;
        }
        for &inst in &insts {
            let why = choose_kind(s, units, site, small, (unit, &[inst]), schedule)?;
            remark(s, &[inst], &why);
        }
    }
    Ok(())
}

fn remark(s: &mut KernelSchedule, insts: &[Inst], why: &std::result::Result<String, String>) {
    let (Ok(text) | Err(text)) = why;
    s.forms.extend(insts.iter().map(|i| (*i, text.clone())));
}

/// Gives operations of one kind the smallest form that fits; why it is one of the loops, or none of them.
fn choose_kind(
    s: &mut KernelSchedule,
    units: &mut Units,
    site: Site<'_>,
    small: bool,
    (unit, insts): (UnitId, &[Inst]),
    schedule: &mut dyn FnMut(&mut KernelSchedule) -> Result<()>,
) -> Result<std::result::Result<String, String>> {
    let forms = units.turning(unit)?;
    let Some(fastest) = forms.last() else {
        return Ok(Err("a loop of steps would not be smaller".to_owned()));
    };
    let before = Pace::of(s, site);
    let fits = |u: &&UnitId| before.interval.is_none_or(|n| units.get(**u).interval() <= n);
    if !small && !forms.iter().any(|u| fits(&u)) {
        let least = units.get(*fastest).interval();
        return Ok(Err(format!("{}; a loop of steps takes {least} cycles", before.describe(site))));
    }
    let tried: Vec<UnitId> = match small {
        true => forms.iter().copied().take(1).collect(),
        false => forms.iter().filter(fits).copied().collect(),
    };
    let kept = Kept::new(s, site.block);
    for form in tried {
        for &inst in insts {
            s.unit_of[inst] = Some(form);
            s.timing[inst] = timing(s, units, site.block, inst, form);
        }
        schedule(s)?;
        let after = Pace::of(s, site);
        if small {
            return Ok(Ok("as small as it can be, for the kernel to fit the board".to_owned()));
        }
        if after.is_no_worse(&before, site) {
            return Ok(Ok(before.describe(site)));
        }
        kept.restore(s, site.block);
    }
    let what = match before.interval {
        Some(n) => format!("an interval of {n} cycles or the time of an iteration"),
        None => "the block's time".to_owned(),
    };
    Ok(Err(format!("a loop of steps would make {what} longer")))
}

/// Timing of an operation with a form of its unit.
fn timing(s: &KernelSchedule, units: &Units, block: Block, inst: Inst, unit: UnitId) -> OpTiming {
    let mut timing = units.get(unit).timing;
    if s.task {
        pipelined::add_feedback_mux(&s.func, block, inst, &mut timing, units.family);
    }
    timing
}

/// How often a block gets a token, and how long it keeps it.
pub struct Pace {
    /// Cycles from one token to the next; none where one comes when the one before has left the block.
    pub interval: Option<u32>,
    /// Register stages.
    pub latency: u32,
}

impl Pace {
    /// That of a block in a kernel of one work-item.
    pub fn of(s: &KernelSchedule, site: Site<'_>) -> Pace {
        let own = Pace::of_pipeline(s, site);
        Pace { interval: own.interval.map(|n| n.max(requests(s, site.block))), ..own }
    }

    /// The same, as if memories took what the block asks of them at once.
    pub fn of_pipeline(s: &KernelSchedule, site: Site<'_>) -> Pace {
        let stages = |n: u32| s.blocks[site.block].segments.iter().take(n as usize);
        let latency = |n: u32| stages(n).map(|g| g.latency).sum::<u32>();
        let interval = pipelined::plan_block(s, site.block).filter(|_| s.task).map(|p| {
            let waits = waits(&p).into_iter().map(|(segment, cycle)| latency(segment) + cycle + 1);
            let order = pipelined::order(s, site.block, site.conflicts);
            let between = |o: Order| (latency(o.to + 1) - latency(o.from + 1) + 1) / o.distance;
            waits
                .chain(order.map(between))
                .fold(pipelined::own_interval(s, site.block, &p), u32::max)
        });
        Pace { interval, latency: latency(u32::MAX) }
    }

    /// Whether a loop that the block belongs to is not longer, and other code hardly.
    fn is_no_worse(&self, before: &Pace, site: Site<'_>) -> bool {
        let later = if site.in_loop { 0 } else { MOST_LATER };
        self.interval <= before.interval && self.latency <= before.latency + later
    }

    fn describe(&self, site: Site<'_>) -> String {
        match self.interval {
            Some(n) => format!("iterations are {n} cycles apart"),
            None if site.in_loop => "one work-item comes by once a trip of the loop".to_owned(),
            None => "executed once a launch".to_owned(),
        }
    }
}

/// What an iteration tells the next one behind the first segment: segment and cycle.
fn waits(p: &PipelinedLoop) -> Vec<(u32, u32)> {
    let told = p.late.iter().map(|l| l.known);
    let told = told.chain((!p.speculated).then_some(p.condition));
    told.filter(|m| m.segment > 0).map(|m| (m.segment, m.cycle)).collect()
}

/// Least cycles in which the memories on the chip take what a block asks of them.
fn requests(s: &KernelSchedule, block: Block) -> u32 {
    let mut of_memory: IndexMap<MemoryId, u32> = IndexMap::default();
    let alive = crate::speculate::alive(&s.func, block);
    for inst in &s.func.blocks[block].insts {
        let data = &s.func.insts[*inst];
        let always = data.op.mem_flags().is_some_and(|f| !f.predicated)
            || alive.is_some() && data.args.last().copied() == alive;
        if let Some(access) = s.accesses.get(inst).filter(|_| always)
            && !matches!(s.memories[access.memory].kind, MemoryKind::Device { .. })
        {
            *of_memory.entry(access.memory).or_default() += 1;
        }
    }
    of_memory.values().map(|n| n.div_ceil(PORTS)).max().unwrap_or(1)
}

/// A block's schedule, to go back to.
pub struct Kept {
    schedule: BlockSchedule,
    insts: Vec<(Inst, Option<Place>, OpTiming, Option<UnitId>)>,
    notes: usize,
}

impl Kept {
    /// That of a block.
    pub fn new(s: &KernelSchedule, block: Block) -> Self {
        let insts = s.func.blocks[block].insts.iter();
        let insts = insts.map(|i| (*i, s.place[*i], s.timing[*i], s.unit_of[*i])).collect();
        Kept { schedule: s.blocks[block].clone(), insts, notes: s.notes.len() }
    }

    /// Goes back to it.
    pub fn restore(&self, s: &mut KernelSchedule, block: Block) {
        s.blocks[block].clone_from(&self.schedule);
        for &(inst, place, timing, unit) in &self.insts {
            (s.place[inst], s.timing[inst], s.unit_of[inst]) = (place, timing, unit);
        }
        s.notes.truncate(self.notes);
    }
}

/// Chooses the form of the divisions and roots of the prologue `insts`, which is scheduled with pipelines; `schedule` schedules
/// it again.
pub fn choose_in_prologue(
    s: &mut KernelSchedule,
    units: &mut Units,
    insts: &[Inst],
    small: bool,
    schedule: &mut dyn FnMut(&mut KernelSchedule) -> Result<()>,
) -> Result<()> {
    let mut kinds: IndexMap<UnitId, Vec<Inst>> = IndexMap::default();
    for &inst in insts {
        if let Some(unit) = s.unit_of[inst].filter(|u| units.is_recurrence(*u)) {
            kinds.entry(unit).or_default().push(inst);
        }
    }
    let before = s.prologue_latency;
    for (pipeline, divisions) in kinds {
        let mut why = Err("computed once a launch, but a loop of steps takes longer".to_owned());
        let pipelined = s.timing[divisions[0]];
        for form in units.turning(pipeline)? {
            let timing = units.get(form).prologue_timing();
            divisions.iter().for_each(|i| (s.unit_of[*i], s.timing[*i]) = (Some(form), timing));
            schedule(s)?;
            if small || s.prologue_latency <= before + MOST_LATER {
                why = Ok("computed once a launch, before the first work-item".to_owned());
                break;
            }
        }
        if why.is_err() {
            let back = (Some(pipeline), pipelined);
            divisions.iter().for_each(|i| (s.unit_of[*i], s.timing[*i]) = back);
            schedule(s)?;
        }
        remark(s, &divisions, &why);
    }
    Ok(())
}

/// Segments take tokens no more often than their units and shared instances take operands; all of a loop with overlapping
/// iterations alike.
pub fn set_intervals(s: &mut KernelSchedule, units: &Units, shared: &[InSegment]) {
    for block in s.func.layout.clone() {
        let mut least = vec![1; s.blocks[block].segments.len()];
        for &inst in &s.func.blocks[block].insts {
            if let (Some(Place::Segment { segment, .. }), Some(unit)) =
                (s.place[inst], s.unit_of[inst])
            {
                let slot = &mut least[segment as usize];
                *slot = units.get(unit).interval().max(*slot);
            }
        }
        for group in shared.iter().filter(|g| g.block == block) {
            let slot = &mut least[group.segment as usize];
            *slot = sharing::least_interval(s, units, group).max(*slot);
        }
        if s.pipelined.contains_key(&block) {
            let all = least.iter().copied().max().unwrap_or(1);
            least.fill(all);
        }
        for (segment, least) in s.blocks[block].segments.iter_mut().zip(least) {
            segment.ii = segment.ii.max(least);
            // Fewer tokens on their way need fewer places behind the segment.
            if least > 1 && matches!(segment.control, Control::StallFree { .. }) {
                let depth = exit_depth(segment.latency.div_ceil(segment.ii));
                segment.control = Control::StallFree { depth };
            }
        }
    }
    sharing::set_windows(s, units, shared);
}

/// Cycles between tokens that the segments of some blocks ask for, and why.
pub fn slowest(s: &KernelSchedule, blocks: &[Block]) -> (u32, String) {
    let insts = blocks.iter().flat_map(|b| &s.func.blocks[*b].insts);
    let insts = insts.filter(|i| matches!(s.place[**i], Some(Place::Segment { .. })));
    let turns = |u: UnitId| s.units[u].turning.map_or(1, |_| s.units[u].interval());
    let interval = |i: &Inst| s.unit_of[*i].map_or(1, turns);
    // Of several the first.
    let slowest = insts.rev().max_by_key(|i| interval(i)).map(|i| (interval(i), i));
    match (slowest, sharing::slowest_segment(s, blocks)) {
        (of_unit, Some(of_segment)) if of_unit.is_none_or(|u| u.0 < of_segment.0) => of_segment,
        (Some((n, inst)), _) if n > 1 => {
            let what = pipelined::operation(&s.func, *inst);
            (n, format!("{what} is a loop of steps and takes operands every {n} cycles"))
        }
        _ => (1, "work-items interleave and fill every cycle".to_owned()),
    }
}
