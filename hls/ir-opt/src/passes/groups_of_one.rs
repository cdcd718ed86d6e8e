//! Kernels that are single work-items although nobody says so.
//!
//! Code for FPGAs often loops over all of its work in one work-item and leaves `reqd_work_group_size(1, 1, 1)` out. Where a kernel
//! cannot tell work-groups apart, groups of one work-item do as well as any others, whatever is launched; and where it loops, one
//! work-item at a time, with overlapping iterations, is what it was written for. A kernel that takes a packet of a pipe outside of its
//! loops is written for many work-items, with a packet each.

use crate::Context;
use base::{Diagnostic, IndexSet};
use ir::analysis::{Cfg, LoopId, Loops};
use ir::{Block, Function, KernelArgKind, Op, Query, Space, Value, ValueDef};

/// Marks the function ([`ir::KernelInfo::groups_of_one`]) if it is such a kernel, and says so (`W0317`).
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !is_such(func) {
        return;
    }
    let Some(kernel) = &mut func.kernel else { return };
    let most = kernel.largest_work_group().unwrap_or(context.options.max_work_group_size);
    kernel.groups_of_one = Some(most);
    let what = "it loops and asks for no ids: one work-item runs after the other, and its iterations overlap";
    let remark = Diagnostic::remark("W0317", what).at(func.loc);
    context.remarks.borrow_mut().push(remark);
}

fn is_such(func: &Function) -> bool {
    let Some(kernel) = &func.kernel else { return false };
    let local = |arg: &ir::KernelArg| arg.kind == KernelArgKind::LocalPointer;
    !kernel.is_declared_task()
        && !kernel.enqueued
        && kernel.num_simd_work_items.is_none_or(|n| n == 1)
        && kernel.reqd_work_group_size.is_none()
        && kernel.sub_groups.is_none()
        && !kernel.args.iter().any(local)
        && !func.objects.values().any(|o| o.space == Space::Local)
        && func
            .layout
            .iter()
            .flat_map(|b| &func.blocks[*b].insts)
            .all(|i| is_alone(func.insts[*i].op))
        && loops_over_packets(func)
}

/// Whether there is a loop, and all operations on pipes stand in loops, besides those that only repeat an attempt. Such a loop operates
/// on one pipe and ends with its packet; compilers merge it with a loop around it, which counts packets.
fn loops_over_packets(func: &Function) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let effects = |block: Block| {
        let insts = func.blocks[block].insts.iter().map(|i| func.insts[*i].op);
        insts.filter(|op| op.is_effect())
    };
    // a loop that does nothing but operate on one pipe: a place is taken and, if there is one, used
    let repeats = |l: LoopId| {
        let mut pipes = loops.loops[l].blocks.iter().flat_map(|b| effects(*b)).map(Op::pipe);
        let first = pipes.next().flatten().map(|(_, arg)| arg);
        first.is_some() && pipes.all(|p| p.map(|(_, arg)| arg) == first)
    };
    let stands_in_loop = |block: Block| match loops.innermost(block) {
        Some(l) => !repeats(l) || loops.loops[l].parent.is_some() || counts(func, &cfg, &loops, l),
        None => false,
    };
    let has_pipe = |block: &Block| effects(*block).any(|op| op.pipe().is_some());
    let all = func.layout.iter().copied().filter(has_pipe).all(stands_in_loop);
    all && !loops.loops.is_empty()
}

/// Whether a value that a loop carries stays as it is in some iterations and changes in others: it counts what came to pass.
fn counts(func: &Function, cfg: &Cfg, loops: &Loops, l: LoopId) -> bool {
    let header = loops.loops[l].header;
    let incoming = |block: Block, k: usize| {
        let inside = cfg.preds[block].iter().filter(|p| loops.contains(l, **p));
        let calls = inside.flat_map(|p| func.blocks[*p].term.targets());
        calls.filter(|c| c.block == block).map(|c| c.args[k]).collect::<Vec<Value>>()
    };
    func.blocks[header].params.iter().enumerate().any(|(k, &param)| {
        let (mut stays, mut changes) = (false, false);
        let mut work = incoming(header, k);
        let mut seen: IndexSet<Value> = work.iter().copied().collect();
        while let Some(v) = work.pop() {
            let more = match func.values[v].def {
                _ if v == param => vec![],
                ValueDef::Param(block, k) if loops.contains(l, block) => {
                    incoming(block, k as usize)
                }
                ValueDef::Inst(i) if func.insts[i].op == Op::Select => {
                    func.insts[i].args[1..].to_vec()
                }
                _ => vec![],
            };
            stays |= v == param;
            changes |= v != param && more.is_empty();
            work.extend(more.into_iter().filter(|m| seen.insert(*m)));
        }
        stays && changes
    })
}

/// Whether an operation is the same in groups of one work-item. Atomics are how work-items that ask for no ids share work out: those
/// are to be in flight together.
fn is_alone(op: Op) -> bool {
    match op {
        Op::WorkItem(query, _) => {
            matches!(query, Query::WorkDim | Query::GlobalSize | Query::GlobalOffset)
        }
        Op::Barrier(_) | Op::SubGroup(_) | Op::Atomic(..) => false,
        _ => true,
    }
}
