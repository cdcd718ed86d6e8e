//! If-conversion: short arms of branches are executed always, with predicated accesses, and
//! their results selected. A branch in hardware is a demultiplexer, two FIFOs and a merge; arms
//! that cost less than those are better computed in line.

use crate::passes::simplify_cfg;
use crate::{edit, weight};
use base::SmallVec;
use ir::analysis::Cfg;
use ir::{Block, BlockCall, Builder, Function, LoopHint, Op, Terminator, Value};

/// What is worth executing always.
pub struct Limits {
    /// Most weight of one arm.
    pub arm: u32,
    /// Most weight of both arms together.
    pub total: u32,
    /// Most accesses to memory in both arms together.
    pub accesses: usize,
    /// Most accesses to memory that a second condition, which is joined with the first, may need.
    pub in_condition: usize,
}

/// Where work-items interleave.
const INTERLEAVED: Limits = Limits { arm: 16, total: 24, accesses: 4, in_condition: 0 };

/// Converts until nothing is left that is worth it, inner branches first.
pub fn run(func: &mut Function) {
    simplify_cfg::run(func);
    while run_once(func, &INTERLEAVED, |_| true) {
        simplify_cfg::run(func);
    }
}

/// Converts a branch at the end of a block that `wanted` takes, an inner one if there are several; whether there was one.
pub fn run_once(func: &mut Function, limits: &Limits, wanted: impl Fn(Block) -> bool) -> bool {
    let cfg = Cfg::new(func);
    let mut order = cfg.rpo.iter().rev().copied().filter(|b| wanted(*b));
    order.any(|b| convert(func, &cfg, b, limits))
}

/// Converts the branch at the end of `block`, if it is of a shape that can be.
fn convert(func: &mut Function, cfg: &Cfg, block: Block, limits: &Limits) -> bool {
    let Terminator::Branch { cond, then_, else_ } = func.blocks[block].term.clone() else {
        return false;
    };
    if then_.block == else_.block {
        return false;
    }
    let arm = |call: &BlockCall| arm_target(func, cfg, block, call.block);
    let (t, e) = (arm(&then_), arm(&else_));
    let shape = match (t, e) {
        (Some(x), Some(y)) if x == y => (Some(&then_), Some(&else_)),
        (Some(x), _) if x == else_.block => (Some(&then_), None),
        (_, Some(y)) if y == then_.block => (None, Some(&else_)),
        _ => return join_conditions(func, cfg, block, cond, (&then_, &else_), limits),
    };
    if !is_worth_it(func, [shape.0, shape.1], limits) {
        return false;
    }
    let loc = func.blocks[block].term_loc;
    let from_then = inline_arm(func, block, shape.0, cond, false).unwrap_or(then_.clone());
    let from_else = inline_arm(func, block, shape.1, cond, true).unwrap_or(else_.clone());
    let mut b = Builder::at(func, block);
    b.loc = loc;
    let pairs = from_then.args.iter().zip(&from_else.args);
    let args: Vec<Value> =
        pairs.map(|(&x, &y)| if x == y { x } else { b.select(cond, x, y) }).collect();
    b.jump(from_then.block, args);
    true
}

/// Where the arm `arm` of `block` goes, if it can be executed always.
fn arm_target(func: &Function, cfg: &Cfg, block: Block, arm: Block) -> Option<Block> {
    let data = &func.blocks[arm];
    if arm == block || cfg.preds[arm].len() != 1 || data.hint != LoopHint::default() {
        return None;
    }
    let Terminator::Jump(next) = &data.term else { return None };
    let fine = data.insts.iter().all(|i| can_be_always(func.insts[*i].op));
    (fine && next.block != arm).then_some(next.block)
}

/// Whether an operation can be executed always: with a predicate, if it has effects.
fn can_be_always(op: Op) -> bool {
    match op {
        Op::Load(f) | Op::Store(f) | Op::Atomic(_, f) => !f.volatile,
        Op::Pipe { .. } => true,
        op => !op.is_effect(),
    }
}

fn is_worth_it(func: &Function, arms: [Option<&BlockCall>; 2], limits: &Limits) -> bool {
    let (mut total, mut accesses) = (0, 0);
    for call in arms.into_iter().flatten() {
        let weight = weight::of_block(func, call.block);
        let insts = &func.blocks[call.block].insts;
        accesses += insts.iter().filter(|i| func.insts[**i].op.is_effect()).count();
        total += weight;
        if weight > limits.arm {
            return false;
        }
    }
    total <= limits.total && accesses <= limits.accesses
}

/// Moves the instructions of an arm into `block`; accesses happen only when `cond` is true
/// (false, if `inverse`). Gives the jump that the arm ends in.
fn inline_arm(
    func: &mut Function,
    block: Block,
    arm: Option<&BlockCall>,
    cond: Value,
    inverse: bool,
) -> Option<BlockCall> {
    let call = arm?;
    let bind: Vec<(Value, Value)> =
        func.blocks[call.block].params.iter().copied().zip(call.args.iter().copied()).collect();
    let insts = std::mem::take(&mut func.blocks[call.block].insts);
    let rename = |v: Value| bind.iter().find(|(p, _)| *p == v).map_or(v, |(_, argument)| *argument);
    for &inst in &insts {
        func.insts[inst].args.iter_mut().for_each(|a| *a = rename(*a));
    }
    append(func, block, insts, (cond, inverse));
    let Terminator::Jump(mut next) =
        std::mem::replace(&mut func.blocks[call.block].term, Terminator::Unreachable)
    else {
        return None;
    };
    next.args.iter_mut().for_each(|a| *a = rename(*a));
    Some(next)
}

/// Puts instructions at the end of a block; those with effects happen only when `cond` is true (false, if `inverse`).
fn append(func: &mut Function, block: Block, insts: Vec<ir::Inst>, (cond, inverse): (Value, bool)) {
    // When the other arm is there already, coming after its accesses too is more order than
    // needed but not wrong.
    let before: SmallVec<[ir::Inst; 2]> = edit::last_effects(func, block).into_iter().collect();
    let mut predicate: Option<Value> = None;
    for inst in insts {
        if func.insts[inst].op.predicated().is_some() {
            let mut b = Builder::at(func, block);
            b.loc = b.func.insts[inst].loc;
            let p = *predicate
                .get_or_insert_with(|| if inverse { b.unary(Op::Not, cond) } else { cond });
            edit::restrict(&mut b, inst, p);
            if func.insts[inst].after.is_empty() {
                func.insts[inst].after = before.clone();
            }
        }
        func.blocks[block].insts.push(inst);
    }
}

/// `a && b`, `a || b`: a branch to a cheap block that branches to the other target becomes one branch on both conditions.
fn join_conditions(
    func: &mut Function,
    cfg: &Cfg,
    block: Block,
    cond: Value,
    (then_, else_): (&BlockCall, &BlockCall),
    limits: &Limits,
) -> bool {
    for (second, other, inverse) in [(then_, else_, false), (else_, then_, true)] {
        let data = &func.blocks[second.block];
        let Terminator::Branch { then_: x, else_: y, .. } = &data.term else { continue };
        let meets = (x.block == other.block) != (y.block == other.block);
        let ops = || data.insts.iter().map(|i| func.insts[*i].op);
        // Not in a way back: what is promised of a loop does not hold for accesses behind it.
        let forward = cfg.rpo_index[other.block] > cfg.rpo_index[block];
        let most = if forward { limits.in_condition } else { 0 };
        let few = ops().filter(|op| op.is_effect()).count() <= most;
        if cfg.preds[second.block].len() == 1
            && second.block != block
            && data.hint == LoopHint::default()
            && meets
            && few
            && ops().all(can_be_always)
            && x.block != second.block
            && y.block != second.block
            && weight::of_block(func, second.block) <= limits.arm
            // the blocks behind it stay behind its values; only parameters would need renaming
            && data.params.is_empty()
        {
            merge_conditions(func, block, cond, second.clone(), other.clone(), inverse);
            return true;
        }
    }
    false
}

fn merge_conditions(
    func: &mut Function,
    block: Block,
    cond: Value,
    second: BlockCall,
    other: BlockCall,
    inverse: bool,
) {
    let loc = func.blocks[block].term_loc;
    let insts = std::mem::take(&mut func.blocks[second.block].insts);
    append(func, block, insts, (cond, inverse));
    let term = std::mem::replace(&mut func.blocks[second.block].term, Terminator::Unreachable);
    let Terminator::Branch { cond: inner, then_: x, else_: y } = term else { return };
    let mut b = Builder::at(func, block);
    b.loc = loc;
    let to_second = if inverse { b.unary(Op::Not, cond) } else { cond };
    let (away, meeting, leave) =
        if x.block == other.block { (y, x, b.unary(Op::Not, inner)) } else { (x, y, inner) };
    let both = b.binary(Op::And, to_second, leave);
    let pairs = meeting.args.iter().zip(&other.args);
    let args: Vec<Value> =
        pairs.map(|(&p, &q)| if p == q { p } else { b.select(to_second, p, q) }).collect();
    b.terminate(Terminator::Branch {
        cond: both,
        then_: away,
        else_: BlockCall::new(other.block, args),
    });
}
