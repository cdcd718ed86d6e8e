//! Edits whose effect on a loop's interval can be worked out from the schedule. Those that must be tried by scheduling
//! again are the driver's business.

use crate::loops::{conflicts, round, slowest};
use crate::{View, memories};
use ir::Op;
use report::{Access, Edit, Limit, Loop, Memory, MemoryKind, Suggestion};
use schedule::{LoopKind, LoopSchedule};

/// Most partial results that are suggested.
const MOST_ACCUMULATORS: u32 = 16;

pub(crate) fn suggestions(
    view: &View<'_>,
    l: &LoopSchedule,
    found: &Loop,
    inside: &[&Access],
    memories: &[Memory],
) -> Vec<Suggestion> {
    let mut out = vec![];
    match found.constraint.limit {
        Limit::Recurrence => out.extend(accumulators(view, l, found.memory_interval)),
        Limit::Memory | Limit::Order => out.extend(local_copy(view, l, found, inside)),
        Limit::Ports => out.extend(banks(view, l, found, inside, memories)),
        _ => {}
    }
    out
}

/// ` (line 12)` or nothing.
fn line(found: &Loop) -> String {
    found.place.map_or_else(String::new, |p| format!(" in the loop of line {}", p.line))
}

/// A result to which each iteration adds in one operation: several partial results in turns.
fn accumulators(view: &View<'_>, l: &LoopSchedule, memory: f64) -> Option<Suggestion> {
    let func = &view.s.func;
    let plan = view.s.pipelined.get(&l.header)?;
    let f = slowest(plan, l.ii)?;
    let inst = func.def_inst(f.next)?;
    let data = &func.insts[inst];
    let position = data.args.iter().position(|a| *a == f.param)?;
    let associative = match data.op {
        Op::FAdd | Op::FMul | Op::FMin | Op::FMax | Op::Add | Op::Mul => true,
        Op::FSub => position == 0,
        // the addend
        Op::Fma => position == 2,
        Op::Flushed(f) => matches!(
            (f.gradual(), position),
            (Op::FAdd | Op::FMul, _) | (Op::FSub, 0) | (Op::Fma, 2)
        ),
        _ => false,
    };
    let elsewhere = func.blocks[l.header].insts.iter().any(|i| {
        let args = &func.insts[*i].args;
        if *i == inst {
            args.iter().filter(|a| **a == f.param).count() > 1
        } else {
            args.contains(&f.param)
        }
    });
    let only_slow = plan.feedback.iter().all(|g| g.param == f.param || g.interval() < l.ii);
    if !associative || elsewhere || !only_slow {
        return None;
    }
    let n = l.ii.next_power_of_two().min(MOST_ACCUMULATORS);
    let name = ir::print::op_name(data.op);
    let at = memories::at(view.place_of(inst));
    let float = !matches!(data.op, Op::Add | Op::Mul);
    // What the pass `partial-sums` does where it may.
    let itself = match float && l.parent.is_none() && !matches!(data.op, Op::FMin | Op::FMax) {
        true => "; `-cl-fast-relaxed-math` or `--unsafe-math` let clhls keep them by itself",
        false => "",
    };
    Some(Suggestion {
        edit: Edit::Accumulators,
        text: format!(
            "keep {n} partial results of the {name}{at}: do {n} iterations in one, on vectors of {n}, and combine the \
             elements after the loop{itself}"
        ),
        option: None,
        names: vec![],
        factor: Some(f64::from(n)),
        condition: float.then(|| {
            "the result may be rounded in another way, since it is added in another order"
                .to_owned()
        }),
        interval: round(f64::from(l.ii).max(f64::from(n) * memory)),
        iterations: n,
        tried: false,
    })
}

/// One buffer that every iteration waits for: on the chip the wait is short.
fn local_copy(
    view: &View<'_>,
    l: &LoopSchedule,
    found: &Loop,
    inside: &[&Access],
) -> Option<Suggestion> {
    let s = view.s;
    let device = |a: &schedule::Access| {
        matches!(s.memories[a.memory].kind, schedule::MemoryKind::Device { .. })
    };
    let argument = match found.constraint.limit {
        Limit::Order => {
            let pairs = conflicts(view, l.header);
            let of = |i: &ir::Inst| s.accesses[i].argument.filter(|_| device(&s.accesses[i]));
            let first = pairs.first().and_then(|(a, _)| of(a))?;
            let all = pairs.iter().all(|(a, b)| of(a) == Some(first) && of(b) == Some(first));
            all.then_some(first)?
        }
        _ => {
            let steps = found.constraint.path.iter();
            let accesses = steps.filter_map(|x| view.operations.list[x.operation as usize].access);
            let mut arguments = accesses.map(|k| {
                let (_, a) = s.accesses.get_index(k as usize)?;
                a.argument.filter(|_| device(a))
            });
            let first = arguments.next()??;
            arguments.all(|a| a == Some(first)).then_some(first)?
        }
    };
    let waits: u32 = view.waits(l.header, |_| false).iter().sum();
    let near: u32 = view.waits(l.header, |a| a.argument == Some(argument)).iter().sum();
    let interval = l.latency.checked_sub(waits.checked_sub(near)?)?;
    if interval >= l.ii {
        return None;
    }
    let name = view.made.kernel.signature.args.get(argument as usize)?.name.clone();
    let written = inside.iter().any(|a| a.argument.as_ref() == Some(&name) && a.kind != "load");
    let back = if written { " and back afterwards" } else { "" };
    Some(Suggestion {
        edit: Edit::LocalCopy,
        text: format!(
            "copy `{name}` into a local array before the loop{back}: its accesses{} then take {} cycles \
             instead of {}",
            line(found),
            schedule::ON_CHIP_LATENCY,
            view.made.board.memory.latency_cycles
        ),
        option: None,
        names: vec![name],
        factor: None,
        condition: Some("the buffer, or the part in use, fits on the chip".to_owned()),
        interval: f64::from(interval),
        iterations: 1,
        tried: false,
    })
}

/// An array with more accesses than ports: divided, each part has ports of its own.
fn banks(
    view: &View<'_>,
    l: &LoopSchedule,
    found: &Loop,
    inside: &[&Access],
    memories: &[Memory],
) -> Option<Suggestion> {
    let name = found.constraint.memory.as_ref()?;
    let m = memories
        .iter()
        .find(|m| m.name == *name && matches!(m.kind, MemoryKind::Local | MemoryKind::Private))?;
    let own = inside.iter().filter(|a| m.accesses.contains(&a.id)).count() as u32;
    let at_port = found.constraint.cycles.ceil() as u32;
    let banks = at_port.next_power_of_two();
    if banks < 2 {
        return None;
    }
    // What the loop takes without this array.
    let segments = l.blocks.iter().flat_map(|b| &view.s.blocks[*b].segments).map(|g| g.ii);
    let lone = match l.kind {
        LoopKind::Pipelined => 1,
        LoopKind::Threaded => l.latency.div_ceil(l.limit.max(1)),
    };
    let each = segments.max().unwrap_or(1).max(lone);
    Some(Suggestion {
        edit: Edit::Banks,
        text: format!(
            "divide `{name}` into {banks} arrays, so that the {own} accesses{} go to different ones (with \
             the low bits of the index, or its rows)",
            line(found)
        ),
        option: None,
        names: vec![name.clone()],
        factor: Some(f64::from(banks)),
        condition: Some("each access knows its array when it is compiled".to_owned()),
        interval: round(f64::from(each)),
        iterations: 1,
        tried: false,
    })
}
