//! The number of work-items a token for which the user gives none.

use super::lanes::{Lane, Lanes};
use super::{MOST_LANES, all_parts, asks_for_local_ids, first_align, obstacle, set_lanes};
use crate::egraph::cost::Cost;
use crate::{Context, Simd};
use ir::{Function, Inst, Op};

/// As many work-items as make the widest access a beat of the memory port, or fewer if their
/// datapaths take more than `luts`; 1 where that does not make a kernel faster or could make a
/// launch impossible: the work-items of a token must run alike, have nothing but global memory,
/// and every access must be one for all of them.
pub(super) fn lanes(func: &mut Function, context: &Context<'_>) -> u32 {
    let Simd::FillPort { port_bytes, luts } = context.options.simd else { return 1 };
    let luts = luts / context.kernels.max(2) as u64;
    if !may_be_several(func, context) {
        return 1;
    }
    let mut lanes = MOST_LANES;
    while lanes > 1 {
        set_lanes(func, Some(lanes));
        let analysis = Lanes::new(func, lanes, context.options.max_work_group_size);
        let suits = obstacle(func, lanes, &analysis).is_none()
            && accesses_fill(func, lanes, &analysis, port_bytes)
            && added_luts(func, lanes, &analysis, context) <= luts;
        set_lanes(func, None);
        if suits {
            break;
        }
        lanes /= 2;
    }
    lanes
}

/// Whether the number is open, work-items differ, and the kernel has nothing that several of them a token would keep from launches, or
/// that they would wait for.
pub(super) fn may_be_several(func: &Function, context: &Context<'_>) -> bool {
    let open = matches!(context.options.simd, Simd::FillPort { .. });
    let one = context.options.one_by_one.contains(&func.name);
    open && !one && !func.is_task() && !asks_for_local_ids(func) && func.objects.is_empty()
}

fn insts(func: &Function) -> impl Iterator<Item = Inst> {
    func.layout.iter().flat_map(|b| func.blocks[*b].insts.iter().copied())
}

/// Whether all effects are loads and stores that serve all lanes with one access of at most a
/// beat, or that are the same for all; and at least one is wide.
fn accesses_fill(func: &Function, lanes: u32, analysis: &Lanes, port_bytes: u32) -> bool {
    let mut wide = false;
    let parts = all_parts(func, analysis, lanes);
    for inst in insts(func) {
        let d = &func.insts[inst];
        if !d.op.is_effect() {
            continue;
        }
        let (Op::Load(_) | Op::Store(_)) = d.op else { return false };
        let uniform = match d.result {
            Some(r) => analysis.is_uniform(r),
            None => d.args.iter().all(|a| analysis.is_uniform(*a)),
        };
        if uniform {
            continue;
        }
        let merged = parts.get(&inst) == Some(&Ok(lanes));
        if !merged || func.accessed_bytes(inst) * lanes > port_bytes {
            return false;
        }
        wide = true;
    }
    wide
}

/// LUTs that put together an access of `bytes` bytes at multiples of `align`: a rotation.
fn realigning_luts(bytes: u32, align: u32) -> u64 {
    let steps = (bytes / align.min(bytes)).ilog2();
    u64::from(8 * bytes) * u64::from(if steps == 0 { 0 } else { steps + 2 })
}

/// LUTs of the operations of all lanes but one, DSP tiles counted as the LUTs that they are worth, and of what puts wide
/// accesses together.
fn added_luts(func: &Function, lanes: u32, analysis: &Lanes, context: &Context<'_>) -> u64 {
    let cost = Cost::new(context.clock(), !func.is_task());
    let copied = insts(func).filter_map(|inst| {
        let d = &func.insts[inst];
        let r = d.result.filter(|r| analysis.of(*r) == Lane::Varying)?;
        let ty = func.ty(r);
        let constant_shift = matches!(d.op, Op::Shl | Op::LShr | Op::AShr)
            && d.args.get(1).is_some_and(|a| func.as_const(*a).is_some());
        let free = d.op.is_effect() || constant_shift;
        (!free).then(|| u64::from(ty.lanes) * cost.node(d.op, ty, &[]) / 100)
    });
    let varies = |inst: &Inst| match func.insts[*inst].op {
        Op::Load(_) | Op::Store(_) => analysis.of(func.insts[*inst].args[0]) != Lane::Uniform,
        _ => false,
    };
    let realigned = insts(func).filter(varies).map(|inst| {
        realigning_luts(func.accessed_bytes(inst) * lanes, first_align(func, analysis, inst))
    });
    copied.sum::<u64>() * u64::from(lanes - 1) + realigned.sum::<u64>()
}
