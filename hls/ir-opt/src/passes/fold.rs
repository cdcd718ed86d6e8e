//! Constant folding and local algebra: what is always better. Trade-offs are the e-graph's.

mod algebra;
mod bits;
mod division;
mod memory;
mod pointers;

use crate::consteval::eval_inst;
use crate::edit::{self, Step};
use crate::{Context, passes};
use ir::{Builder, Function, Inst, Op, Type, Value};

/// Folds until nothing changes (at most eight rounds), removing what falls dead between.
pub fn run(func: &mut Function, context: &Context<'_>) {
    for _ in 0..8 {
        let changed = edit::rewrite(func, |b, inst| fold(b, inst, context));
        if !changed {
            return;
        }
        passes::dce::run(func);
    }
}

fn fold(b: &mut Builder<'_>, inst: Inst, context: &Context<'_>) -> Step {
    let op = b.func.insts[inst].op;
    if let Op::Load(_) = op {
        return memory::constant_load(b, inst, context).map_or(Step::Keep, Step::Value);
    }
    if op.is_effect() {
        return memory::predicate(b, inst);
    }
    let Some(result) = b.func.insts[inst].result else { return Step::Keep };
    let ty = b.func.ty(result);
    if ty.is_vector() || b.func.insts[inst].args.is_empty() {
        return Step::Keep;
    }
    if let Some(bits) = eval_inst(b.func, inst, |v| b.func.as_const(v)) {
        return Step::Value(b.constant(ty, bits));
    }
    constant_to_the_right(b, inst);
    let data = b.func.insts[inst].clone();
    let m = Match { op: data.op, args: &data.args, ty };
    let folded = algebra::fold(b, &m)
        .or_else(|| bits::fold(b, &m))
        .or_else(|| pointers::fold(b, &m))
        .or_else(|| division::fold(b, &m));
    folded.map_or(Step::Keep, Step::Value)
}

/// The instruction at hand.
struct Match<'a> {
    op: Op,
    args: &'a [Value],
    ty: Type,
}

impl Match<'_> {
    /// Width of the result in bits.
    fn width(&self, b: &Builder<'_>) -> u32 {
        self.ty.lane_bits(b.func.addr_bits)
    }

    /// The constant that operand `k` is.
    fn constant(&self, b: &Builder<'_>, k: usize) -> Option<u128> {
        self.args.get(k).and_then(|v| b.func.as_const(*v))
    }

    /// Operation and operands of operand `k`, unless it is a block parameter.
    fn operand(&self, b: &Builder<'_>, k: usize) -> Option<(Op, Vec<Value>)> {
        definition(b, *self.args.get(k)?)
    }
}

/// Operation and operands that define `value`.
fn definition(b: &Builder<'_>, value: Value) -> Option<(Op, Vec<Value>)> {
    let data = &b.func.insts[b.func.def_inst(value)?];
    Some((data.op, data.args.to_vec()))
}

/// Commutative operations and comparisons have their constant on the right.
fn constant_to_the_right(b: &mut Builder<'_>, inst: Inst) {
    let data = &b.func.insts[inst];
    if data.args.len() != 2
        || b.func.as_const(data.args[0]).is_none()
        || b.func.as_const(data.args[1]).is_some()
    {
        return;
    }
    let op = match data.op {
        Op::ICmp(cc) => Op::ICmp(cc.swapped()),
        op if op.is_commutative() => op,
        _ => return,
    };
    let data = &mut b.func.insts[inst];
    data.op = op;
    data.args.swap(0, 1);
}
