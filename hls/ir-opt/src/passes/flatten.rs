//! Loops of several blocks, and nests of loops, in kernels of one work-item become loops of one block: only iterations of
//! those overlap.

mod merge;

use super::{
    carry_ahead, fold, if_convert, independence, pipe_waits, retime_selects, simplify_cfg,
};
use crate::alias::{Alias, Kind, kind};
use crate::dependence::most_apart;
use crate::known::Ranges;
use crate::linear::steps::Steps;
use crate::recurrence::{Dependences, interval};
use crate::{Context, weight};
use base::{Diagnostic, FxHashSet};
use ir::analysis::loops::LoopData;
use ir::analysis::{Cfg, Loops, back_edge};
use ir::{Block, Function, Inst, LoopHint, Op, Space};
use merge::{Chain, Merged};

/// In a kernel of one work-item the arms of a branch stand there once whether they are executed always or not.
const IN_LOOPS: if_convert::Limits = if_convert::Limits {
    arm: u32::MAX / 4,
    total: u32::MAX / 2,
    accesses: usize::MAX,
    in_condition: usize::MAX,
};

/// Iterations of one cycle more than a loop inside had are worth that it does not drain, where it had this many cycles, however many iterations.
const GAIN: u32 = 4;

/// Cycles from the last iteration of a loop inside to the first of its next run, with accesses to device memory in it and without, as a guess.
const DRAIN_OF_DEVICE_MEMORY: u32 = 100;
const DRAIN: u32 = 16;

/// Weight of operations that have a form of few steps which loops that rarely need them can use.
const DEAR: u32 = 10;

/// Merges inner loops first, as long as iterations of the merged loop can follow one another without waiting for a whole one.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !func.is_task() {
        return;
    }
    simplify_cfg::run(func);
    let mut tried: FxHashSet<Block> = FxHashSet::default();
    while let Some(header) = next_loop(func, &tried) {
        tried.insert(header);
        let mut trial = func.clone();
        let Some(merged) = merge_loop(&mut trial, header, context) else { continue };
        if is_better(&trial, &merged, context) && !is_slower(&trial, &merged, context) {
            if merged.inner.is_some() {
                remark(func, header, context);
            }
            simplify_cfg::run(&mut trial);
            *func = trial;
        }
    }
}

/// The header of a loop that was not tried and may become one block, innermost first.
fn next_loop(func: &Function, tried: &FxHashSet<Block>) -> Option<Block> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    let several = |l: &&LoopData| l.blocks.len() > 1 && l.is_reducible();
    let open = loops.loops.values().filter(several).filter(|l| !tried.contains(&l.header));
    open.max_by_key(|l| l.depth).map(|l| l.header)
}

/// Makes the loop with this header one block, if it has the shape for that.
fn merge_loop(func: &mut Function, header: Block, context: &Context<'_>) -> Option<Merged> {
    let inside = |func: &Function| -> Option<FxHashSet<Block>> {
        let loops = Loops::new(func, &Cfg::new(func));
        let id = loops.headed_by(header)?;
        Some(loops.loops[id].blocks.iter().copied().collect())
    };
    loop {
        let blocks = inside(func)?;
        if !if_convert::run_once(func, &IN_LOOPS, |b| blocks.contains(&b)) {
            break;
        }
        simplify_cfg::run(func);
    }
    let blocks = inside(func)?;
    pipe_waits::join_exclusive(func, &blocks);
    if blocks.iter().any(|b| !can_be_predicated(func, *b)) {
        return None;
    }
    if blocks.len() == 1 {
        // Its arms were all that it had besides.
        return back_edge(func, header).map(|_| Merged { block: header, inner: None });
    }
    let chain = Chain::find(func, &blocks, header)?;
    let inner = chain.inner().map(|block| merge::Inside {
        block,
        recurrent: Dependences::new(func, block).recurrent(),
        interval: shortest_interval(func, block, context),
        gain: gain(func, block, context),
    });
    Some(merge::merge(func, &chain, header, inner))
}

/// Cycles that each iteration of a loop inside may take longer when it does not drain any more, because there are few of them: 0 where it is not
/// known how many.
fn gain(func: &Function, block: Block, context: &Context<'_>) -> u32 {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let id = loops.headed_by(block);
    let steps = id.and_then(|id| Steps::new(func, &ranges, &loops, &homes, id));
    let Some(steps) = steps else { return 0 };
    let iterations = most_apart(func, &ranges, block, &steps).saturating_add(1);
    let mut insts = func.blocks[block].insts.iter();
    let waits = insts.any(|i| func.insts[*i].op.mem_flags().is_some() && !is_on_chip(func, *i));
    let drain = if waits { DRAIN_OF_DEVICE_MEMORY } else { DRAIN };
    u32::try_from(i128::from(drain) / iterations.max(1)).unwrap_or_default()
}

/// Whether everything in a block can be made to happen under a condition, and the source leaves it to us how iterations follow
/// one another.
fn can_be_predicated(func: &Function, block: Block) -> bool {
    let LoopHint { ii, max_concurrency, .. } = func.blocks[block].hint;
    let fine = |inst: &Inst| {
        let data = &func.insts[*inst];
        let mask = data.args.last().filter(|_| data.op.predicated() == Some(true));
        let plain = data.op.predicated().is_some() && mask.is_none_or(|m| func.bits(*m) == 1);
        !data.op.is_effect() || plain && !data.op.mem_flags().is_some_and(|f| f.volatile)
    };
    ii.is_none_or(|ii| ii == 1) && max_concurrency == 0 && func.blocks[block].insts.iter().all(fine)
}

/// Whether iterations of the new block can follow one another as those of the inner loop did, or, where there was none, at all.
fn is_better(func: &Function, merged: &Merged, context: &Context<'_>) -> bool {
    let dependences = Dependences::new(func, merged.block);
    let decide = dependences.decide_branch();
    let is_effect = |i: &Inst| func.insts[*i].op.is_effect();
    // The scheduler lets iterations begin ahead of a condition that waits for loads.
    let may_decide = |i: &Inst| match func.insts[*i].op {
        Op::Load(_) => merged.inner.is_none(),
        op => !op.is_effect(),
    };
    if !decide.iter().all(may_decide) {
        return false;
    }
    // An iteration waits for them a few cycles, and the one behind it not for a whole one; but not where iterations are ahead.
    let in_cycles = merged.inner.is_none() && !decide.iter().any(is_effect);
    let waits_long = |i: &Inst| !in_cycles || !is_on_chip(func, *i);
    let is_dear = |i: &&Inst| {
        let op = func.insts[**i].op;
        op.is_float_unit() || op.is_effect() || weight::of_inst(func, **i) > 1
    };
    let recurrent = dependences.recurrent();
    let waits = match &merged.inner {
        // what the inner loop did not wait for
        Some(inner) => {
            let rare = |i: &&Inst| weight::of_inst(func, **i) >= DEAR && !inner.insts.contains(*i);
            recurrent.iter().filter(is_dear).any(|i| !inner.recurrent.contains(i))
                || func.blocks[merged.block].insts.iter().any(|i| rare(&i))
        }
        None => recurrent.iter().any(|i| is_effect(i) && waits_long(i)),
    };
    let independent = || {
        !conflicts(func, merged.block, |a, b| waits_long(&a) || waits_long(&b))
            || merged.inner.is_none()
                && independence::independent(func, context).contains(&merged.block)
    };
    !waits && independent()
}

/// Whether iterations of the new block would follow one another later than those of the loop inside, by more than what is gained: the loop
/// inside does not drain any more.
fn is_slower(func: &Function, merged: &Merged, context: &Context<'_>) -> bool {
    let most = merged.inner.as_ref().map(|i| i.interval + i.gain.max(i.interval / GAIN));
    most.is_some_and(|most| most < shortest_interval(func, merged.block, context))
}

/// The interval of a block behind the passes that shorten its recurrences.
fn shortest_interval(func: &Function, block: Block, context: &Context<'_>) -> u32 {
    let mut trial = func.clone();
    fold::run(&mut trial, context);
    retime_selects::retime(&mut trial, block);
    carry_ahead::carry(&mut trial, block, context.clock());
    interval(&trial, block, context.clock())
}

/// Whether an instruction accesses an array on the chip, which takes the cycles of an operation.
pub(super) fn is_on_chip(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let plain = matches!(data.op, Op::Load(flags) | Op::Store(flags) if !flags.volatile);
    let space = || func.ty(data.args[0]).space();
    plain && matches!(space(), Some(Space::Private | Space::Local))
}

/// Whether two accesses of a block that `count`, in whatever iterations, may conflict.
fn conflicts(func: &Function, block: Block, count: impl Fn(Inst, Inst) -> bool) -> bool {
    let effects = func.blocks[block].insts.iter().filter(|i| func.insts[**i].op.is_effect());
    let effects: Vec<Inst> = effects.copied().collect();
    let alias = Alias::new(func);
    let conflict = |a: Inst, b: Inst| {
        let ops = [a, b].map(|i| func.insts[i].op);
        match ops.map(Op::pipe) {
            [Some((f, p)), Some((g, q))] => return p == q && f.keeps_order_with(g),
            [None, None] => {}
            _ => return false,
        }
        !func.blocks[block].hint.ivdep
            && ops.iter().any(|op| kind(*op) == Kind::Write)
            && alias.may_ever_overlap(a, b)
    };
    let both = |a: Inst, b: Inst| count(a, b) && conflict(a, b);
    effects.iter().enumerate().any(|(k, a)| effects[k + 1..].iter().any(|b| both(*a, *b)))
}

fn remark(func: &Function, header: Block, context: &Context<'_>) {
    let text = "this loop and the one inside of it run as one: iterations of the inner loop follow one another without a gap";
    let remark = Diagnostic::remark("W0315", text).at(func.blocks[header].term_loc);
    context.remarks.borrow_mut().push(remark);
}
