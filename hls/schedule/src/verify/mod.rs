//! Checks of a schedule, independent of the scheduler that made it.
//!
//! * this file: every operation has a place, in which its operands stand;
//! * `loops`: back edges, admission limits and barriers: freedom from deadlock;
//! * `pipelined`: loops with overlapping iterations;
//! * `capacities`: FIFOs, memories, work-items in flight;
//! * `timed`: accesses to memories on the chip in cycles of segments;
//! * `units`: inside of operator units, and what their users count on;
//! * `sharing`: operations that share an instance never want it at the same time;
//! * `timing`: paths between registers, and how soon units get new operands.
//!
//! The reasons for the rules are in docs/scheduling.md.

mod capacities;
mod loops;
mod pipelined;
mod sharing;
mod timed;
mod timing;
mod units;

use crate::{AccessKind, KernelSchedule, MemoryKind, Moment, Place};
use base::entity::SecondaryMap;
use base::{Diagnostic, Diagnostics};
use ir::analysis::Cfg;
use ir::{Block, Inst, Op, Value, ValueDef};

/// Checks dependences, capacities and freedom from deadlock.
pub fn verify(s: &KernelSchedule) -> Result<(), Diagnostics> {
    let mut v = Verifier::new(s);
    v.dependences();
    v.prologue();
    v.units();
    v.sharing();
    v.loops();
    v.pipelined();
    v.capacities();
    v.timed();
    v.finish()
}

/// Checks every path between registers against the clock period.
pub fn verify_timing(s: &KernelSchedule) -> Result<(), Diagnostics> {
    let mut v = Verifier::new(s);
    v.timing();
    v.finish()
}

struct Verifier<'a> {
    s: &'a KernelSchedule,
    cfg: Cfg,
    /// Block of each instruction.
    home: SecondaryMap<Inst, Option<Block>>,
    errors: Vec<Diagnostic>,
}

impl<'a> Verifier<'a> {
    fn new(s: &'a KernelSchedule) -> Self {
        let mut home = SecondaryMap::new();
        for &block in &s.func.layout {
            s.func.blocks[block].insts.iter().for_each(|i| home[*i] = Some(block));
        }
        Verifier { s, cfg: Cfg::new(&s.func), home, errors: vec![] }
    }

    fn finish(self) -> Result<(), Diagnostics> {
        if self.errors.is_empty() { Ok(()) } else { Err(Diagnostics(self.errors)) }
    }

    fn fail(&mut self, inst: Option<Inst>, what: impl Into<String>) {
        let loc = inst.map_or(self.s.func.loc, |i| self.s.func.insts[i].loc);
        let text = format!("schedule of `{}`: {}", self.s.func.name, what.into());
        self.errors.push(Diagnostic::error("E0002", text).at(loc));
    }

    /// When `value` stands for a user in `block`; `None` = always (static, earlier block).
    fn available(&self, value: Value, block: Block) -> Option<Moment> {
        let inst = match self.s.func.values[value].def {
            // A loop-carried value comes out of its register; the token has an old one.
            ValueDef::Param(b, _) if b == block => {
                let p = self.s.pipelined.get(&block)?;
                let f = p.feedback.iter().find(|f| f.param == value)?;
                return Some(Moment { segment: f.segment, cycle: f.read });
            }
            ValueDef::Param(..) => return None,
            ValueDef::Inst(i) => i,
        };
        if self.home[inst] != Some(block) {
            return None;
        }
        match self.s.place[inst]? {
            Place::Segment { segment, cycle } => {
                Some(Moment { segment, cycle: cycle + self.s.timing[inst].latency })
            }
            Place::Boundary { segment } => Some(Moment { segment: segment + 1, cycle: 0 }),
            _ => None,
        }
    }

    /// Instructions of a block.
    fn insts(&self, block: Block) -> &'a [Inst] {
        &self.s.func.blocks[block].insts
    }

    /// Instructions that control can reach.
    fn all_insts(&self) -> Vec<Inst> {
        self.cfg.rpo.iter().flat_map(|b| self.insts(*b).iter().copied()).collect()
    }

    fn has_barrier(&self, block: Block) -> bool {
        let barrier = |i: &Inst| matches!(self.s.func.insts[*i].op, Op::Barrier(..));
        self.insts(block).iter().any(barrier)
    }

    fn dependences(&mut self) {
        for &block in &self.s.func.layout {
            let segments = self.s.blocks[block].segments.clone();
            if segments.is_empty() {
                self.fail(None, format!("{block} has no segment"));
                continue;
            }
            for &inst in &self.s.func.blocks[block].insts {
                self.inst(block, inst, &segments);
            }
            let end = Moment {
                segment: segments.len() as u32 - 1,
                cycle: segments[segments.len() - 1].latency,
            };
            let mut late = vec![];
            self.s.func.blocks[block].term.for_each_use(|v| {
                if self.available(v, block).is_some_and(|m| m > end) {
                    late.push(v);
                }
            });
            for v in late {
                self.fail(None, format!("{v} is not ready at the end of {block}"));
            }
        }
    }

    fn inst(&mut self, block: Block, inst: Inst, segments: &[crate::Segment]) {
        let s = self.s;
        let data = &s.func.insts[inst];
        let Some(place) = s.place[inst] else {
            return self.fail(Some(inst), format!("{inst} has no place"));
        };
        let start = match place {
            Place::Segment { segment, cycle } => {
                let ok = segments
                    .get(segment as usize)
                    .is_some_and(|g| cycle + s.timing[inst].latency <= g.latency);
                if !ok {
                    self.fail(Some(inst), format!("{inst} does not end inside its segment"));
                }
                Moment { segment, cycle }
            }
            Place::Boundary { segment } => {
                if !s.accesses.contains_key(&inst) && !matches!(data.op, Op::Fence(_)) {
                    self.fail(Some(inst), format!("{inst} is no access but stands at a boundary"));
                }
                let answered = s.accesses.get(&inst).is_some_and(|a| a.has_response());
                if segment as usize + usize::from(answered) >= segments.len() {
                    self.fail(Some(inst), format!("{inst} is answered after the end of {block}"));
                }
                Moment { segment, cycle: u32::MAX }
            }
            Place::Fetched if !self.may_fetch(block, inst) => {
                return self
                    .fail(Some(inst), format!("{inst} cannot be fetched before the launch"));
            }
            Place::Prologue { .. } | Place::Static | Place::Fetched => {
                for &a in &data.args {
                    let fixed = s
                        .func
                        .def_inst(a)
                        .is_some_and(|d| s.place[d].is_some_and(Place::is_uniform));
                    if !fixed {
                        self.fail(Some(inst), format!("{inst} is launch-uniform but uses {a}"));
                    }
                }
                return;
            }
            Place::Dispatch => {
                if block != s.func.entry() || !matches!(data.op, Op::WorkItem(..)) {
                    self.fail(Some(inst), format!("{inst} is no work-item query of the entry"));
                }
                return;
            }
            Place::BlockEntry => {
                let first = self.insts(block).iter().find(|i| s.func.insts[**i].op.is_effect());
                if !matches!(data.op, Op::Barrier(..)) || first != Some(&inst) {
                    self.fail(Some(inst), format!("{inst} is no barrier in front of {block}"));
                }
                return;
            }
        };
        for &a in &data.args {
            if self.available(a, block).is_some_and(|m| m > start) {
                self.fail(Some(inst), format!("{inst} starts before {a} is ready"));
            }
        }
        for &e in &data.after {
            let done = match s.place[e] {
                Some(Place::Boundary { segment }) => segment < start.segment,
                // In a segment accesses take effect in their cycle.
                Some(Place::Segment { segment, cycle }) if s.accesses.contains_key(&e) => {
                    Moment { segment, cycle: cycle + 1 } <= start
                }
                Some(Place::BlockEntry | Place::Fetched) => true,
                _ => false,
            };
            if !done {
                self.fail(Some(inst), format!("{inst} does not wait for {e}"));
            }
        }
    }

    /// Whether an access reads, whatever the work-item, what nothing in the launch writes: a load of
    /// the entry block, which all work-items execute, at an address that needs no other such load.
    fn may_fetch(&self, block: Block, inst: Inst) -> bool {
        let s = self.s;
        let reads = s.accesses.get(&inst).is_some_and(|a| {
            let device =
                matches!(s.memories.get(a.memory).map(|m| m.kind), Some(MemoryKind::Device { .. }));
            let plain = a.cache_lines == 0 && !a.is_realigned();
            a.kind == AccessKind::Load && a.read_only && device && plain
        });
        let plain = s.func.insts[inst].op.mem_flags().is_some_and(|f| !f.predicated && !f.volatile);
        block == s.func.entry() && reads && plain && !self.needs_fetched(inst)
    }

    /// Whether an operand of a launch-uniform operation comes, at last, from memory.
    fn needs_fetched(&self, inst: Inst) -> bool {
        let s = self.s;
        let mut work = vec![inst];
        while let Some(i) = work.pop() {
            let from = s.func.insts[i].args.iter().filter_map(|a| s.func.def_inst(*a));
            for d in from {
                match s.place[d] {
                    Some(Place::Fetched) => return true,
                    Some(Place::Prologue { .. }) => work.push(d),
                    _ => {}
                }
            }
        }
        false
    }

    /// Launch-uniform operations start when their operands stand, and all end before the first
    /// work-item.
    fn prologue(&mut self) {
        let s = self.s;
        for inst in self.all_insts() {
            let Some(Place::Prologue { cycle }) = s.place[inst] else { continue };
            if cycle + s.timing[inst].latency >= s.prologue_latency {
                self.fail(Some(inst), format!("{inst} does not end in the prologue"));
            }
            for &a in &s.func.insts[inst].args {
                let Some(d) = s.func.def_inst(a) else { continue };
                if let Some(Place::Prologue { cycle: before }) = s.place[d]
                    && before + s.timing[d].latency > cycle
                {
                    self.fail(Some(inst), format!("{inst} starts before {a} is ready"));
                }
            }
        }
    }
}
