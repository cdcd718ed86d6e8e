//! Checks of a schedule, independent of the scheduler that made it.

use crate::{KernelSchedule, Place};
use base::{Diagnostic, Diagnostics};
use ir::analysis::Cfg;
use ir::{Block, Inst, Op, Value, ValueDef};

/// Tolerance of timing comparisons in ns: rounding of sums of delays.
const EPSILON_NS: f64 = 1e-6;

/// Checks dependences, capacities and freedom from deadlock.
pub fn verify(s: &KernelSchedule) -> Result<(), Diagnostics> {
    let mut v = Verifier { s, errors: vec![] };
    v.dependences();
    v.loops();
    v.capacities();
    v.finish()
}

/// Checks every path between registers against the clock period.
pub fn verify_timing(s: &KernelSchedule) -> Result<(), Diagnostics> {
    let mut v = Verifier { s, errors: vec![] };
    v.timing();
    v.finish()
}

/// A point in time at which a value stands, comparable inside one block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Moment {
    segment: u32,
    cycle: u32,
}

struct Verifier<'a> {
    s: &'a KernelSchedule,
    errors: Vec<Diagnostic>,
}

impl Verifier<'_> {
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
            ValueDef::Param(..) => return None,
            ValueDef::Inst(i) => i,
        };
        if !self.s.func.blocks[block].insts.contains(&inst) {
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
                if !data.op.is_effect() {
                    self.fail(Some(inst), format!("{inst} is no effect but stands at a boundary"));
                }
                let answered = s.accesses.get(&inst).is_some_and(|a| a.has_response());
                if segment as usize + usize::from(answered) >= segments.len() {
                    self.fail(Some(inst), format!("{inst} is answered after the end of {block}"));
                }
                Moment { segment, cycle: u32::MAX }
            }
            Place::Prologue { .. } | Place::Static => {
                for &a in &data.args {
                    let fixed = s.func.def_inst(a).is_some_and(|d| {
                        matches!(s.place[d], Some(Place::Static | Place::Prologue { .. }))
                    });
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
            Place::BlockEntry => return,
        };
        for &a in &data.args {
            if self.available(a, block).is_some_and(|m| m > start) {
                self.fail(Some(inst), format!("{inst} starts before {a} is ready"));
            }
        }
        for &e in &data.after {
            let done = match s.place[e] {
                Some(Place::Boundary { segment }) => segment < start.segment,
                Some(Place::BlockEntry) => true,
                _ => false,
            };
            if !done {
                self.fail(Some(inst), format!("{inst} does not wait for {e}"));
            }
        }
    }

    /// Every cycle of the control flow passes a back edge of a loop whose admission limit is
    /// at most the depth of that edge's FIFO; so a back edge can always take its tokens and
    /// the innermost loop always moves (see ARCHITECTURE.md, "Why it cannot deadlock").
    fn loops(&mut self) {
        let s = self.s;
        let cfg = Cfg::new(&s.func);
        let is_back =
            |b: Block, k: usize| s.loops.iter().any(|l| l.back_edges.contains(&(b, k as u32)));
        // Remaining graph without back edges must be acyclic: Kahn's algorithm.
        let mut indegree: base::FxHashMap<Block, u32> = base::FxHashMap::default();
        for &b in &cfg.rpo {
            for (k, t) in cfg.succs[b].iter().enumerate() {
                if !is_back(b, k) {
                    *indegree.entry(*t).or_default() += 1;
                }
            }
        }
        let mut ready: Vec<Block> =
            cfg.rpo.iter().copied().filter(|b| !indegree.contains_key(b)).collect();
        let mut seen = 0;
        while let Some(b) = ready.pop() {
            seen += 1;
            for (k, t) in cfg.succs[b].iter().enumerate() {
                if is_back(b, k) {
                    continue;
                }
                if let Some(d) = indegree.get_mut(t) {
                    *d -= 1;
                    if *d == 0 {
                        ready.push(*t);
                    }
                }
            }
        }
        if seen != cfg.rpo.len() {
            self.fail(None, "a control-flow cycle has no back-edge FIFO");
        }
        for l in &s.loops {
            if l.limit == 0 {
                self.fail(None, format!("the loop at {} admits nothing", l.header));
            }
            let barrier = l.blocks.iter().any(|b| {
                s.func.blocks[*b]
                    .insts
                    .iter()
                    .any(|i| matches!(s.func.insts[*i].op, Op::Barrier(..)))
            });
            if barrier && l.limit < s.occupancy.work_items() {
                self.fail(
                    None,
                    format!(
                        "the loop at {} admits {} work-items, but its barrier waits for up to {}",
                        l.header,
                        l.limit,
                        s.occupancy.work_items()
                    ),
                );
            }
        }
    }

    fn capacities(&mut self) {
        let s = self.s;
        for (block, p) in &s.pipelined {
            for f in &p.feedback {
                let ii = s.blocks[*block].segments.get(f.segment as usize).map_or(0, |g| g.ii);
                if f.write < f.read || f.write + 1 - f.read > ii {
                    let v = f.param;
                    self.fail(
                        None,
                        format!("the register of {v} in {block} does not fit interval {ii}"),
                    );
                }
            }
        }
        for &b in &s.func.layout {
            for (k, g) in s.blocks[b].segments.iter().enumerate() {
                if g.control.blocked_capacity() == 0 || g.ii == 0 {
                    self.fail(None, format!("segment {k} of {b} can hold nothing"));
                }
            }
        }
        let state =
            s.memories.values().any(|m| !matches!(m.kind, crate::MemoryKind::Device { .. }));
        let barrier = s.func.layout.iter().any(|b| {
            s.func.blocks[*b].insts.iter().any(|i| matches!(s.func.insts[*i].op, Op::Barrier(..)))
        });
        if (state || barrier) && s.occupancy.slots == 0 {
            self.fail(None, "a kernel with state per work-group has no work-group slot");
        }
    }

    fn timing(&mut self) {
        let s = self.s;
        let budget = s.clock.period_ns - s.clock.overhead_ns + EPSILON_NS;
        for &block in &s.func.layout {
            let mut arrival: base::FxHashMap<Value, (Moment, f64)> = base::FxHashMap::default();
            for &inst in &s.func.blocks[block].insts {
                let (Some(Place::Segment { segment, cycle }), Some(result)) =
                    (s.place[inst], s.func.insts[inst].result)
                else {
                    continue;
                };
                let at = Moment { segment, cycle };
                let t = s.timing[inst];
                let operands = s.func.insts[inst].args.iter().filter_map(|a| arrival.get(a));
                let start =
                    operands.filter(|(m, _)| *m == at).fold(0.0, |x: f64, (_, ns)| x.max(*ns));
                if start + t.input_ns > budget && start > 0.0 {
                    self.fail(
                        Some(inst),
                        format!(
                            "{inst} ends {:.2} ns into a cycle of {budget:.2} ns",
                            start + t.input_ns
                        ),
                    );
                }
                let out = if t.latency == 0 { start + t.output_ns } else { t.output_ns };
                let done = Moment { segment, cycle: cycle + t.latency };
                arrival.insert(result, (done, out));
            }
        }
    }
}
