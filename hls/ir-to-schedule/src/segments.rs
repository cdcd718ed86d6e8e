//! Cuts blocks into segments and schedules each.

use crate::memories::Memories;
use crate::problem::{Problem, Scheduler};
use crate::region::{self, Region};
use crate::rematerialise::NotBefore;
use crate::sharing::{self, Ask, InSegment};
use crate::uniform::{Uniform, Uniformity};
use crate::units::Units;
use crate::{Asap, Options, forms, hazards, loops, pipelined, recurrences, timed, timing};
use base::entity::{PrimaryMap, SecondaryMap};
use base::{FxHashMap, IndexMap, Result};
use ir::analysis::{Cfg, Liveness};
use ir::{Block, Function, Inst, Op, Value, ValueDef};
use schedule::{
    Access, BlockSchedule, Bound, Clock, Control, KernelSchedule, OpTiming, Place, Segment,
};
use target::{Family, Room};

/// Most times that a block is cut so that accesses which belong together are.
const MOST_RAISED: usize = 256;
/// Cycles that a credit needs to come back beside the segment's latency: FIFO and counter.
const CREDIT_ROUND_TRIP: u32 = 4;

/// Schedules all blocks. Units and loops are filled in by the caller. Gives the RAM blocks that are left for replicas, too.
pub fn schedule(
    func: Function,
    units: &mut Units,
    found: Memories,
    not_before: &NotBefore,
    clock: Clock,
    family: &Family,
    options: &Options,
) -> Result<(KernelSchedule, u64)> {
    let task = func.is_task();
    let cfg = Cfg::new(&func);
    let uniform =
        Uniform::new(&func, &cfg, &|block, inst| found.may_fetch(&func, task, block, inst));
    let occupancy = loops::occupancy(&func, &found.memories, options, task);
    let mut s = KernelSchedule {
        func,
        clock,
        place: SecondaryMap::new(),
        timing: SecondaryMap::new(),
        prologue_latency: 0,
        spread: family.room != Room::Usual,
        blocks: SecondaryMap::new(),
        loops: vec![],
        pipelined: base::IndexMap::default(),
        memories: found.memories,
        accesses: found.accesses,
        in_turn: vec![],
        bound: IndexMap::default(),
        units: PrimaryMap::new(),
        unit_of: SecondaryMap::new(),
        shared: vec![],
        forms: IndexMap::default(),
        occupancy,
        task,
        notes: vec![],
    };
    let (pairs, given, held) = (&found.in_turn, &found.bypassed, &found.held);
    s.in_turn = timed::in_turn(&s, &timed::InOrder { pairs, given, held });
    operator_timing(&mut s, &cfg, &uniform, units, family)?;
    prologue(&mut s, &uniform)?;
    let mut again = |s: &mut KernelSchedule| prologue(s, &uniform);
    forms::choose_in_prologue(
        &mut s,
        units,
        &uniform.prologue,
        options.small_division,
        &mut again,
    )?;
    let liveness = Liveness::new(&s.func, &cfg, |v| !uniform.is_fixed(&s.func, v));
    let nests = forms::Nests::new(&s.func, &cfg);
    let mut shared = vec![];
    let exit = timing::exit(family);
    let outs: FxHashMap<Block, Vec<Value>> =
        cfg.rpo.iter().map(|b| (*b, live_out(&cfg, &liveness, *b))).collect();
    let of_block = |s: &KernelSchedule, block: Block, ports: bool| OfBlock {
        block,
        uniform: &uniform,
        not_before,
        together: &found.together,
        held: &found.held,
        live_out: &outs[&block],
        exit,
        options,
        ports,
        sequential: pipelined::conflict(&s.func, block, &found.conflicts),
    };
    let place = |s: &mut KernelSchedule, block: Block, ports: bool| -> Result<()> {
        of_block(s, block, ports).schedule(s).map(drop)
    };
    let replica_blocks =
        replicas_of_loops(&mut s, &cfg, &found.together, &place, (family, options))?;
    for block in cfg.rpo.clone() {
        let of_block = of_block(&s, block, true);
        let mut schedule = |s: &mut KernelSchedule| of_block.schedule(s).map(drop);
        schedule(&mut s)?;
        let site = forms::Site {
            block,
            conflicts: &found.conflicts,
            in_loop: nests.in_loop(&s.func, block),
        };
        forms::choose(&mut s, units, site, options.small_division, &mut schedule)?;
        // In kernels of one work-item a latency inside of a loop may be its interval.
        if options.interval > 1
            && !task
            && sharing::share_inside(&mut s, units, block, options.interval)?
        {
            of_block.schedule(&mut s)?;
        }
        shared.extend(of_block.share(&mut s, units, site)?);
    }
    if task {
        pipelined::plan(&mut s, &found.conflicts);
    }
    if family.room == Room::Most {
        register_handshakes(&mut s);
    }
    forms::set_intervals(&mut s, units, &shared);
    s.shared = shared.into_iter().flat_map(|g| g.shared).collect();
    let notes = sharing::notes(&s, units);
    s.notes.extend(notes);
    // Blocks that control cannot reach have no hardware.
    s.func.layout.retain(|b| cfg.is_reachable(*b));
    Ok((s, replica_blocks))
}

/// Chooses the replicas of memories whose accesses have cycles, so that ports make no loop longer if there are RAM blocks; `place` schedules a block, with
/// the ports of its accesses or without. Gives the blocks that are left.
fn replicas_of_loops(
    s: &mut KernelSchedule,
    cfg: &Cfg,
    together: &[Vec<Inst>],
    place: &dyn Fn(&mut KernelSchedule, Block, bool) -> Result<()>,
    (family, options): (&Family, &Options),
) -> Result<u64> {
    let mut loops: Vec<(Block, u32)> = vec![];
    for group in together {
        let home = cfg.rpo.iter().find(|b| s.func.blocks[**b].insts.contains(&group[0]));
        let Some(&block) = home.filter(|b| loops.iter().all(|l| l.0 != **b)) else { continue };
        place(s, block, false)?;
        if let Some(p) = pipelined::plan_block(s, block) {
            loops.push((block, pipelined::without_ports(s, block, &p)));
        }
    }
    let mut left = timed::replicate(s, &loops, family, options);
    for (block, ideal) in loops {
        let interval = |s: &mut KernelSchedule| -> Result<u32> {
            place(s, block, true)?;
            let p = pipelined::plan_block(s, block);
            Ok(p.map_or(1, |p| pipelined::own_interval(s, block, &p)))
        };
        let mut now = interval(s)?;
        while now > ideal && s.bound.get(&block) == Some(&Bound::Ports) {
            let before = (s.memories.clone(), left);
            if !timed::replicate_once_more(s, block, family, &mut left) {
                break;
            }
            let shorter = interval(s)?;
            if shorter >= now {
                (s.memories, left) = before;
                break;
            }
            now = shorter;
        }
    }
    Ok(left)
}

fn operator_timing(
    s: &mut KernelSchedule,
    cfg: &Cfg,
    uniform: &Uniform,
    units: &mut Units,
    family: &Family,
) -> Result<()> {
    for &block in &cfg.rpo {
        for &inst in &s.func.blocks[block].insts {
            let op = s.func.insts[inst].op;
            let timed = timed::is_timed(&s.accesses, inst);
            if op.is_effect() && !timed || uniform.of(inst) == Uniformity::Static {
                continue;
            }
            s.timing[inst] = match units.unit_of(&s.func, inst)? {
                Some((id, t)) => {
                    s.unit_of[inst] = Some(id);
                    t
                }
                None if timed => timed::timing(s, inst, family),
                None => timing::op_timing(&s.func, inst, family),
            };
            if s.task {
                pipelined::add_feedback_mux(&s.func, block, inst, &mut s.timing[inst], family);
            }
        }
        let is_unit = |inst| s.unit_of[inst].is_some();
        timing::add_nets(&s.func, &s.func.blocks[block].insts, family, &is_unit, &mut s.timing);
    }
    Ok(())
}

fn prologue(s: &mut KernelSchedule, uniform: &Uniform) -> Result<()> {
    let insts = &uniform.prologue;
    let r = Region { func: &s.func, timing: &s.timing, insts, leaves: &|_| false, free: &|_| true };
    let problem = r.problem(s.clock);
    // As soon as possible is best here: nothing travels, so nothing is kept in registers.
    let solution = region::run(&Asap, &problem, "the prologue")?.solution;
    for (k, &inst) in insts.iter().enumerate() {
        s.place[inst] = Some(Place::Prologue { cycle: solution.start[k] });
    }
    s.prologue_latency = solution.latency + u32::from(!insts.is_empty());
    Ok(())
}

fn live_out(cfg: &Cfg, liveness: &Liveness, block: Block) -> Vec<Value> {
    let mut out: Vec<Value> =
        cfg.succs[block].iter().flat_map(|s| liveness.live_in(*s).iter().copied()).collect();
    out.sort();
    out.dedup();
    out
}

/// What decides into which segment an operation goes.
pub struct Cutter<'a> {
    /// The function.
    pub func: &'a Function,
    /// Accesses to memory.
    pub accesses: &'a IndexMap<Inst, Access>,
    /// Accesses of a loop that have cycles of one segment.
    pub together: &'a [Vec<Inst>],
    /// Accesses of a loop whose addresses are compared in front of their segment.
    pub held: &'a [(Inst, Inst)],
    /// What travels with a work-item.
    pub uniform: &'a Uniform,
    /// Segments before which operations must not stand.
    pub not_before: &'a NotBefore,
}

impl Cutter<'_> {
    /// Whether an instruction stands at a boundary: an effect that has no cycle in a segment.
    pub fn is_boundary(&self, inst: Inst) -> bool {
        timed::is_boundary(self.func, self.accesses, inst)
    }

    /// Segment (operations and accesses with a cycle) or boundary (other effects) of each instruction of a block, and the
    /// last segment. `least` gives values before which their users must not be placed. Accesses that belong together are in one segment,
    /// unless they wait for one another over a boundary.
    pub fn cut(&self, block: Block, least: &FxHashMap<Value, u32>) -> (FxHashMap<Inst, u32>, u32) {
        let mut raised: FxHashMap<Inst, u32> = FxHashMap::default();
        let (mut at, mut last) = self.cut_once(block, least, &raised);
        // Each round makes one access later; where they wait for one another that would not end.
        for _ in 0..=self.func.blocks[block].insts.len().min(MOST_RAISED) {
            let before = raised.len() + raised.values().map(|k| *k as usize).sum::<usize>();
            for group in self.together.iter().filter(|g| at.contains_key(&g[0])) {
                let latest = group.iter().filter_map(|i| at.get(i).copied()).max().unwrap_or(0);
                for inst in group.iter().filter(|i| at.get(*i).is_some_and(|k| *k < latest)) {
                    raised.insert(*inst, latest);
                }
            }
            if raised.len() + raised.values().map(|k| *k as usize).sum::<usize>() == before {
                break;
            }
            (at, last) = self.cut_once(block, least, &raised);
        }
        (at, last)
    }

    fn cut_once(
        &self,
        block: Block,
        least: &FxHashMap<Value, u32>,
        raised: &FxHashMap<Inst, u32>,
    ) -> (FxHashMap<Inst, u32>, u32) {
        let func = self.func;
        let mut at: FxHashMap<Inst, u32> = FxHashMap::default();
        let mut last = 0;
        for &inst in &func.blocks[block].insts {
            if self.uniform.of(inst) != Uniformity::Varying {
                continue;
            }
            let data = &func.insts[inst];
            let operand = |v: &Value| {
                let Some(d) = func.def_inst(*v) else { return least.get(v).copied() };
                let k = *at.get(&d)?;
                Some(k + u32::from(self.is_boundary(d)))
            };
            let operands = data.args.iter().filter_map(operand).max();
            let mut k = operands.unwrap_or(0).max(self.not_before[inst]);
            if self.held.iter().any(|(a, b)| *a == inst || *b == inst) {
                let stands = |v: Value| match func.values[v].def {
                    ValueDef::Inst(d) => at.get(&d).copied(),
                    ValueDef::Param(of, _) => {
                        (of == block).then(|| least.get(&v).copied().unwrap_or(0))
                    }
                };
                k = hazards::addresses(func, inst).filter_map(stands).fold(k, |k, s| k.max(s + 1));
            }
            k = raised.get(&inst).map_or(k, |r| k.max(*r));
            for e in &data.after {
                if let Some(b) = at.get(e) {
                    let barrier = matches!(func.insts[*e].op, Op::Barrier(..));
                    k = k.max(b + u32::from(!barrier && self.is_boundary(*e)));
                }
            }
            at.insert(inst, k);
            let answered = self.accesses.get(&inst).is_some_and(|a| a.has_response());
            last = last.max(k + u32::from(answered));
        }
        (at, last)
    }
}

/// A block and what its schedule depends on.
struct OfBlock<'a> {
    block: Block,
    uniform: &'a Uniform,
    not_before: &'a NotBefore,
    /// Accesses of a loop that have cycles of one segment.
    together: &'a [Vec<Inst>],
    /// Those whose addresses are compared in front of their segment.
    held: &'a [(Inst, Inst)],
    /// Values that later blocks need.
    live_out: &'a [Value],
    /// What they pass on their way out of a segment.
    exit: OpTiming,
    options: &'a Options<'a>,
    /// Whether its accesses have the ports of their memories, or each one of its own.
    ports: bool,
    /// Whether accesses to memory forbid that iterations of the block overlap.
    sequential: bool,
}

/// The instructions of each segment of a block, and the problem that they are.
type Regions = (Vec<Vec<Inst>>, Vec<Problem>);

impl OfBlock<'_> {
    /// Places the block's instructions. Gives what the segments were scheduled by.
    fn schedule(&self, s: &mut KernelSchedule) -> Result<Regions> {
        let (uniform, block) = (self.uniform, self.block);
        let not_before = self.not_before;
        let (together, held) = (self.together, self.held);
        let (func, accesses) = (&s.func, &s.accesses);
        let cutter = Cutter { func, accesses, together, held, uniform, not_before };
        let least =
            if s.task { pipelined::least_segments(&cutter, block) } else { FxHashMap::default() };
        let (at, last) = cutter.cut(block, &least);
        let boundary = |i: Inst| cutter.is_boundary(i);
        let needed = needed_until(&s.func, &boundary, block, &at, last, self.live_out);
        let insts = s.func.blocks[block].insts.clone();
        let mut bodies: Vec<Vec<Inst>> = vec![vec![]; last as usize + 1];
        for &inst in &insts {
            match uniform.of(inst) {
                Uniformity::Static => s.place[inst] = Some(Place::Static),
                Uniformity::Prologue => {}
                Uniformity::Fetched => s.place[inst] = Some(Place::Fetched),
                Uniformity::Varying => match s.func.insts[inst].op {
                    Op::WorkItem(..) => s.place[inst] = Some(Place::Dispatch),
                    Op::Barrier(..) => s.place[inst] = Some(Place::BlockEntry),
                    _ if cutter.is_boundary(inst) => {
                        s.place[inst] = Some(Place::Boundary { segment: at[&inst] });
                    }
                    _ => bodies[at[&inst] as usize].push(inst),
                },
            }
        }
        let problem = |(k, insts): (usize, &Vec<Inst>)| {
            let leaves = |v: Value| needed.get(&v).is_some_and(|n| *n >= k as u32);
            let free = |v: Value| uniform.is_fixed(&s.func, v);
            let (leaves, free) = (&leaves, &free);
            let region = Region { func: &s.func, timing: &s.timing, insts, leaves, free };
            let mut problem = region.problem(s.clock);
            problem.leave_through(self.exit);
            problem
        };
        let mut problems: Vec<Problem> = bodies.iter().enumerate().map(problem).collect();
        let scheduler = self.options.scheduler;
        let accesses = timed::InBlock::new(s, block, &bodies);
        accesses.order(s, &mut problems);
        if self.ports && !accesses.is_empty() {
            solve_segments(s, block, &bodies, &problems, &Asap)?;
            accesses.assign(s);
            accesses.apart(s, &mut problems);
        }
        if s.task && scheduler.keeps_timing() {
            solve_segments(s, block, &bodies, &problems, &Asap)?;
            s.bound.shift_remove(&block);
            let bound = recurrences::constrain(
                s,
                block,
                &bodies,
                &mut problems,
                &accesses,
                self.sequential,
            );
            s.bound.extend(bound.map(|b| (block, b)));
        }
        solve_segments(s, block, &bodies, &problems, scheduler)?;
        Ok((bodies, problems))
    }

    /// Gives operations of the block common instances, if it is as fast with them. The block must be scheduled.
    fn share(
        &self,
        s: &mut KernelSchedule,
        units: &Units,
        site: forms::Site<'_>,
    ) -> Result<Vec<InSegment>> {
        let (block, options) = (self.block, self.options);
        let ask = Ask::new(s, units, site, options.interval);
        if !ask.allows(s, units, block) {
            return Ok(vec![]);
        }
        let (kept, before) = (forms::Kept::new(s, block), forms::Pace::of_pipeline(s, site));
        let (bodies, problems) = self.schedule(s)?;
        let found = sharing::share(s, units, (block, &ask), &bodies, &problems, options)?;
        let after = forms::Pace::of_pipeline(s, site);
        if found.is_empty() || !sharing::is_no_worse(&before, &after, &ask) {
            kept.restore(s, block);
            return Ok(vec![]);
        }
        Ok(found)
    }
}

/// Schedules the segments of a block and places their instructions.
fn solve_segments(
    s: &mut KernelSchedule,
    block: Block,
    bodies: &[Vec<Inst>],
    problems: &[Problem],
    scheduler: &dyn Scheduler,
) -> Result<()> {
    let mut segments = vec![];
    for (k, (body, problem)) in bodies.iter().zip(problems).enumerate() {
        let what = format!("segment {k} of {block}");
        let scheduled = region::run(scheduler, problem, &what)?;
        let note = scheduled.note(&what, body.len(), scheduler);
        s.notes.extend(note.filter(|n| !s.notes.contains(n)));
        let solution = scheduled.solution;
        for (j, &inst) in body.iter().enumerate() {
            let (segment, cycle) = (k as u32, solution.start[j]);
            s.place[inst] = Some(Place::Segment { segment, cycle });
        }
        segments.push(segment(solution.latency));
    }
    s.blocks[block] = BlockSchedule { segments };
    Ok(())
}

/// A segment that may start a token every cycle.
pub(crate) fn segment(latency: u32) -> Segment {
    // Wires need no places for tokens that are under way.
    let control = match latency {
        0 => Control::Enabled,
        latency => Control::StallFree { depth: exit_depth(latency) },
    };
    Segment { latency, ii: 1, window: 0, control }
}

/// Gives segments of wires a cycle if their tokens go to several queues: a register parts the handshake of what comes in, which comes over long
/// nets where there is much beside, from those of the queues.
fn register_handshakes(s: &mut KernelSchedule) {
    for block in s.func.layout.clone() {
        for k in 0..s.blocks[block].segments.len() {
            let is_register = s.blocks[block].segments[k].latency > 0;
            if is_register || !s.reserves_exit(block, k as u32) {
                continue;
            }
            let wires = &mut s.blocks[block].segments[k];
            *wires = Segment { ii: wires.ii, window: wires.window, ..segment(1) };
        }
    }
}

/// Capacity of the exit FIFO that lets a segment start a token every cycle.
pub(crate) fn exit_depth(latency: u32) -> u32 {
    (latency + CREDIT_ROUND_TRIP).next_power_of_two().max(16)
}

/// For each value of the block, the last segment through whose exit it must be carried.
fn needed_until(
    func: &Function,
    boundary: &dyn Fn(Inst) -> bool,
    block: Block,
    at: &FxHashMap<Inst, u32>,
    last: u32,
    live_out: &[Value],
) -> FxHashMap<Value, u32> {
    let mut needed: FxHashMap<Value, u32> = FxHashMap::default();
    let mut need = |v: Value, k: u32| {
        let e = needed.entry(v).or_insert(k);
        *e = (*e).max(k);
    };
    for &inst in &func.blocks[block].insts {
        let Some(&k) = at.get(&inst) else { continue };
        let effect = boundary(inst);
        for &a in &func.insts[inst].args {
            if effect {
                need(a, k);
            } else if k > 0 {
                need(a, k - 1);
            }
        }
    }
    func.blocks[block].term.for_each_use(|v| need(v, last));
    live_out.iter().for_each(|v| need(*v, last));
    // A use at segment k by an operation of segment k needs no carrying past k - 1, and a
    // value made in segment k is not "needed" before: callers compare with the segment.
    needed
}
