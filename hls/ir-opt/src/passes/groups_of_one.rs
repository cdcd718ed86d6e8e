//! Kernels that are single work-items although nobody says so.
//!
//! Code for FPGAs often loops over all of its work in one work-item and leaves `reqd_work_group_size(1, 1, 1)` out. Where a kernel
//! cannot tell work-groups apart, groups of one work-item do as well as any others, whatever is launched; and where it loops, one
//! work-item at a time, with overlapping iterations, is what it was written for. A kernel that takes a packet of a pipe outside of its
//! loops is written for many work-items, with a packet each.

use crate::Context;
use base::Diagnostic;
use ir::analysis::{Cfg, Loops};
use ir::{Function, KernelArgKind, Op, Query, Space};

/// Marks the function ([`ir::KernelInfo::groups_of_one`]) if it is such a kernel, and says so (`W0317`).
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !is_such(func) {
        return;
    }
    let Some(kernel) = &mut func.kernel else { return };
    let most = kernel.largest_work_group().unwrap_or(context.options.max_work_group_size);
    kernel.groups_of_one = Some(most);
    let what = "it loops and asks for no ids: one work-item runs after the other, and its iterations overlap";
    let mut remark = Diagnostic::warning("W0317", what).at(func.loc);
    remark.severity = base::Severity::Remark;
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

/// Whether there is a loop, and no pipe is read or written outside of loops.
fn loops_over_packets(func: &Function) -> bool {
    let loops = Loops::new(func, &Cfg::new(func)).loops;
    let looped = |block: ir::Block| loops.values().any(|l| l.blocks.contains(&block));
    let once = func.layout.iter().copied().filter(|block| !looped(*block));
    let mut insts = once.flat_map(|block| &func.blocks[block].insts);
    !loops.is_empty() && insts.all(|inst| func.insts[*inst].op.pipe().is_none())
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
