//! What binds the interval of each loop.

use crate::{View, edits, memories};
use base::{FxHashMap, FxHashSet};
use ir::{Block, Inst, Terminator, Value};
use report::{Access, Constraint, Limit, Loop, Memory, Step};
use schedule::ports::Region;
use schedule::{LoopKind, LoopSchedule, PipelinedLoop};

pub(crate) fn loops(view: &View<'_>, accesses: &[Access], memories: &[Memory]) -> Vec<Loop> {
    let all = view.s.loops.iter().enumerate();
    all.map(|(k, l)| {
        let inside: Vec<&Access> =
            accesses.iter().filter(|a| a.in_loop == Some(k as u32)).collect();
        one(view, (k, l), &inside, memories)
    })
    .collect()
}

fn one(
    view: &View<'_>,
    (k, l): (usize, &LoopSchedule),
    inside: &[&Access],
    memories: &[Memory],
) -> Loop {
    let all = view.s.memories.keys().zip(memories);
    let needs = all.map(|m| (memories::interval(view, Some(k), m, inside), m.1));
    let worst = needs.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let memory_interval = worst.map_or(0.0, |(n, _)| n);
    let mut constraint = schedule_constraint(view, l);
    let mut reason = l.reason.clone();
    if let Some((cycles, m)) = worst.filter(|(n, _)| *n > f64::from(l.ii)) {
        let own: Vec<&&Access> = inside.iter().filter(|a| m.accesses.contains(&a.id)).collect();
        let list: Vec<String> =
            own.iter().map(|a| format!("the {}{}", a.kind, memories::at(a.place))).collect();
        reason =
            format!("{} needs {} cycles for {} ({reason})", name(m), round(cycles), shorten(&list));
        let step = |a: &&&Access| {
            let (inst, _) = view.s.accesses.get_index(a.id as usize)?;
            Some(Step { operation: view.operations.of[*inst]?, delay_ns: 0.0 })
        };
        let path = own.iter().filter_map(step).collect();
        let memory = Some(m.name.clone());
        constraint = Constraint { limit: Limit::Ports, cycles, path, memory };
    }
    let mut out = Loop {
        name: format!("loop at {}", l.header),
        place: view.place_of_loop(l),
        parent: l.parent.map(|p| p as u32),
        kind: match l.kind {
            LoopKind::Threaded => "threaded".into(),
            LoopKind::Pipelined => "pipelined".into(),
        },
        ii: l.ii,
        memory_interval: round(memory_interval),
        latency: l.latency,
        most_inside: l.limit,
        reason,
        constraint,
        suggestions: vec![],
    };
    out.suggestions = edits::suggestions(view, l, &out, inside, memories);
    out
}

fn name(m: &Memory) -> String {
    match m.kind {
        report::MemoryKind::Device => format!("the memory port of {}", m.name),
        _ => format!("`{}`", m.name),
    }
}

/// At most three of a list.
fn shorten(list: &[String]) -> String {
    let shown = list.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    if list.len() > 3 { format!("{shown} and {} more", list.len() - 3) } else { shown }
}

pub(crate) fn round(n: f64) -> f64 {
    (n * 1000.0).round() / 1000.0
}

/// What binds the interval that was scheduled.
fn schedule_constraint(view: &View<'_>, l: &LoopSchedule) -> Constraint {
    let cycles = f64::from(l.ii);
    let make = |limit, path| Constraint { limit, cycles, path, memory: None };
    if let Some(id) = l.ports {
        let number = view.s.loops.iter().position(|x| x.header == l.header);
        let region = Region::new(view.s, &view.cfg, number);
        let (_, insts) = view.ports.interval(view.s, &region, id);
        let memory = Some(view.s.memories[id].name.clone());
        return Constraint { memory, ..make(Limit::Ports, steps(view, &insts)) };
    }
    let slow = slow_operators(view, l);
    let Some(p) = view.s.pipelined.get(&l.header) else {
        return if !slow.is_empty() {
            make(Limit::Operator, steps(view, &slow))
        } else if view.s.task {
            make(Limit::Sequential, longest(view, l))
        } else if l.ii > 1 {
            make(Limit::Occupancy, vec![])
        } else {
            make(Limit::None, vec![])
        };
    };
    let own = view.s.blocks[l.header].segments.iter().map(|g| g.ii).max().unwrap_or(1);
    let whole = !p.late.is_empty() || p.waits_for_memory();
    if p.order.is_some() && !whole && l.ii > own && slow.is_empty() {
        let pairs = conflicts(view, l.header);
        let mut insts: Vec<Inst> = vec![];
        pairs.iter().flat_map(|(a, b)| [*a, *b]).for_each(|i| {
            if !insts.contains(&i) {
                insts.push(i);
            }
        });
        return make(Limit::Order, steps(view, &insts));
    }
    if let Some(late) = p.late.iter().max_by_key(|x| x.known) {
        return make(Limit::Memory, path(view, l.header, late.next, None));
    }
    let condition = match view.s.func.blocks[l.header].term {
        Terminator::Branch { cond, .. } => Some(cond),
        _ => None,
    };
    let to_condition = || condition.map_or(vec![], |c| path(view, l.header, c, None));
    if p.waits_for_memory() {
        return make(Limit::Memory, to_condition());
    }
    if l.ii <= 1 {
        return make(Limit::None, vec![]);
    }
    if matches!(view.s.bound.get(&l.header), Some(schedule::Bound::Turns { .. }))
        && let Some(t) = in_turn(view, l)
    {
        return make(Limit::Order, steps(view, &[t.second, t.first]));
    }
    match slowest(p, l.ii) {
        Some(f) => {
            let from = recurrence_sources(view, l.header, f.param);
            make(Limit::Recurrence, path(view, l.header, f.next, Some(&from)))
        }
        None if let Some(t) = in_turn(view, l) => {
            make(Limit::Order, steps(view, &[t.second, t.first]))
        }
        None if !slow.is_empty() || p.speculated => make(Limit::Operator, steps(view, &slow)),
        None => make(Limit::Condition, to_condition()),
    }
}

/// Accesses in cycles of which the later iteration's comes as soon behind the earlier one's as the interval lets it.
fn in_turn(view: &View<'_>, l: &LoopSchedule) -> Option<schedule::InTurn> {
    let insts = &view.s.func.blocks[l.header].insts;
    let own = view.s.in_turn.iter().filter(|t| insts.contains(&t.first));
    own.copied().find(|t| t.interval(view.s) == l.ii)
}

/// Operators of a loop that take operands only once in its whole interval.
fn slow_operators(view: &View<'_>, l: &LoopSchedule) -> Vec<Inst> {
    let s = view.s;
    let insts = l.blocks.iter().flat_map(|b| &s.func.blocks[*b].insts);
    let slow = |i: &&Inst| s.unit_of[**i].is_some_and(|u| s.units[u].interval() == l.ii);
    if l.ii > 1 { insts.filter(slow).copied().collect() } else { vec![] }
}

/// The register that asks for the whole interval.
pub(crate) fn slowest(p: &PipelinedLoop, ii: u32) -> Option<schedule::Feedback> {
    p.feedback.iter().copied().find(|f| f.interval() == ii)
}

/// Accesses of a block that loops on itself that forbid overlap: they may touch the same bytes and one writes.
pub(crate) fn conflicts(view: &View<'_>, block: Block) -> Vec<(Inst, Inst)> {
    let s = view.s;
    let all: Vec<Inst> =
        s.func.blocks[block].insts.iter().copied().filter(|i| s.accesses.contains_key(i)).collect();
    let args = s.func.kernel.as_ref().map_or(&[][..], |k| &k.args);
    let restrict = |k: u32| args.get(k as usize).is_some_and(|a| a.restrict);
    let mut out = vec![];
    for (k, &a) in all.iter().enumerate() {
        for &b in &all[k + 1..] {
            let (x, y) = (&s.accesses[&a], &s.accesses[&b]);
            use schedule::AccessKind::{Load, Pipe};
            let writes = match (x.kind, y.kind) {
                (Pipe(f), Pipe(g)) => f.keeps_order_with(g),
                (Pipe(_), _) | (_, Pipe(_)) => false,
                (f, g) => f != Load || g != Load,
            };
            let apart = match (x.argument, y.argument) {
                (Some(m), Some(n)) => m != n && (restrict(m) || restrict(n)),
                _ => false,
            };
            if writes && x.memory == y.memory && !apart {
                out.push((a, b));
            }
        }
    }
    out
}

/// The loop-carried values whose registers a recurrence through `param` reads.
fn recurrence_sources(view: &View<'_>, block: Block, param: Value) -> FxHashSet<Value> {
    let func = &view.s.func;
    let data = &func.blocks[block];
    let mut out: FxHashSet<Value> = [param].into_iter().collect();
    let targets = data.term.targets();
    let Some(back) = targets.iter().find(|t| t.block == block) else { return out };
    // A parameter that takes another one over reads its register.
    for _ in 0..data.params.len() {
        let takes = data.params.iter().zip(&back.args).filter(|(_, n)| out.contains(n));
        let more: Vec<Value> = takes.map(|(p, _)| *p).collect();
        out.extend(more);
    }
    out
}

/// The longest way to a value, by delay, in order; with `from`, from one of these values.
fn path(view: &View<'_>, block: Block, to: Value, from: Option<&FxHashSet<Value>>) -> Vec<Step> {
    let func = &view.s.func;
    // Delay up to each value, and the operation in front of it on that way.
    let mut longest: FxHashMap<Value, (f64, Inst, Option<Value>)> = FxHashMap::default();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        let uniform = view.s.place[inst].is_none_or(|p| p.is_uniform());
        let Some(result) = data.result.filter(|_| !uniform) else { continue };
        let starts = from.is_none_or(|f| data.args.iter().any(|a| f.contains(a)));
        let before = data.args.iter().filter_map(|a| longest.get(a).map(|x| (x.0, Some(*a))));
        let before = before.reduce(|x, y| if y.0 > x.0 { y } else { x });
        if let Some((ns, through)) = before.or(starts.then_some((0.0, None))) {
            longest.insert(result, (ns + delay(view, inst), inst, through));
        }
    }
    let mut found = vec![];
    let mut at = longest.get(&to);
    while let Some((_, inst, through)) = at {
        found.push(*inst);
        at = through.and_then(|v| longest.get(&v));
    }
    found.reverse();
    steps(view, &found)
}

/// Delay of an instruction in ns; wires have none.
fn delay(view: &View<'_>, inst: Inst) -> f64 {
    let operation = view.operations.of[inst].map(|o| &view.operations.list[o as usize]);
    operation.map_or(0.0, |o| o.end_ns - o.start_ns)
}

fn steps(view: &View<'_>, insts: &[Inst]) -> Vec<Step> {
    let step = |i: &Inst| {
        let o = view.operations.of[*i]?;
        let op = &view.operations.list[o as usize];
        Some(Step { operation: o, delay_ns: crate::operations::ns3(op.end_ns - op.start_ns) })
    };
    insts.iter().filter_map(step).collect()
}

/// The operation that ends last in each block of a loop whose iterations do not overlap.
fn longest(view: &View<'_>, l: &LoopSchedule) -> Vec<Step> {
    let last = l.blocks.iter().filter_map(|b| {
        let insts = view.s.func.blocks[*b].insts.iter().copied();
        let placed = insts.filter(|i| view.operations.of[*i].is_some());
        placed.reduce(|x, y| if end_of(view, y) > end_of(view, x) { y } else { x })
    });
    steps(view, &last.collect::<Vec<_>>())
}

fn end_of(view: &View<'_>, inst: Inst) -> f64 {
    view.operations.of[inst].map_or(0.0, |o| view.operations.list[o as usize].end_ns)
}
