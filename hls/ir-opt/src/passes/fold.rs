//! Constant folding and local algebra: what is always better. Trade-offs are the e-graph's.

mod algebra;
mod bits;
mod division;
mod memory;
mod pointers;

use crate::consteval::eval_inst;
use crate::edit::{self, Step};
use crate::{Context, passes};
use base::entity::SecondaryMap;
use ir::{Builder, Function, Inst, Op, Type, Value};

/// Folds until nothing changes (at most eight rounds), removing what falls dead between.
pub fn run(func: &mut Function, context: &Context<'_>) {
    for _ in 0..8 {
        let used = used_bits(func);
        let changed = edit::rewrite(func, |b, inst| fold(b, inst, &used, context));
        if !changed {
            return;
        }
        passes::dce::run(func);
    }
}

/// For each value the number of low bits that its users take. Values that folding makes are not in it: 0.
fn used_bits(func: &Function) -> SecondaryMap<Value, u32> {
    let mut used: SecondaryMap<Value, u32> = SecondaryMap::new();
    used.resize(func.values.len());
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let taken = match (data.op, data.result) {
                (Op::Slice { lo }, Some(part)) => u32::from(lo) + func.bits(part),
                _ => u32::MAX,
            };
            data.args.iter().for_each(|a| used[*a] = used[*a].max(taken));
        }
        func.blocks[block].term.for_each_use(|v| used[v] = u32::MAX);
    }
    used
}

fn fold(
    b: &mut Builder<'_>,
    inst: Inst,
    used: &SecondaryMap<Value, u32>,
    context: &Context<'_>,
) -> Step {
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
    let m = Match { op: data.op, args: &data.args, ty, used };
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
    used: &'a SecondaryMap<Value, u32>,
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

    /// Whether nothing is used of the first operand but bits below `bits`: else what is computed again in fewer bits is computed
    /// twice. Not known of values made since the round began; there is another one then.
    fn only_low_used(&self, bits: u32) -> bool {
        (1..=bits).contains(&self.used[self.args[0]])
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
