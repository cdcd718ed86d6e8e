//! Contraction: a product and the sum that alone uses it become one multiply-add, where both allow it.
//!
//! The fused operation takes as much hardware as the two and less time. Where a sum is carried from iteration to iteration
//! of a single work-item kernel the two stay: the loop's interval is then the latency of the adder alone, which is less.

use crate::edit::{self, Step};
use base::entity::SecondaryMap;
use ir::{Block, Builder, FastMath, FlushedOp, Function, Inst, Op, Value, ValueDef};

/// Fuses every product that may be fused. Sums come from the producer with the permission
/// [`FastMath::CONTRACT`]; it is the front end's business where that is.
pub fn run(func: &mut Function) {
    let uses = edit::use_counts(func);
    let carried = Carried::new(func);
    let mut home: SecondaryMap<Inst, Option<Block>> = SecondaryMap::new();
    for &block in &func.layout {
        func.blocks[block].insts.iter().for_each(|i| home[*i] = Some(block));
    }
    let facts = Facts { uses, carried, home };
    edit::rewrite(func, |b, inst| match facts.fused(b, inst) {
        Some(v) => Step::Value(v),
        None => Step::Keep,
    });
}

/// What is known of a function.
struct Facts {
    /// Uses of each value.
    uses: SecondaryMap<Value, u32>,
    carried: Carried,
    /// Blocks of instructions.
    home: SecondaryMap<Inst, Option<Block>>,
}

impl Facts {
    /// The multiply-add that stands for the sum or difference `inst`.
    fn fused(&self, b: &mut Builder<'_>, inst: Inst) -> Option<Value> {
        let data = &b.func.insts[inst];
        let (sum, flags) = (data.op, data.fast_math);
        let (multiply, fma) = match sum {
            Op::FAdd | Op::FSub => (Op::FMul, Op::Fma),
            Op::Flushed(FlushedOp::Add | FlushedOp::Sub) => {
                (Op::Flushed(FlushedOp::Mul), Op::Flushed(FlushedOp::Fma))
            }
            _ => return None,
        };
        let (result, args) = (data.result?, data.args.clone());
        if !flags.has(FastMath::CONTRACT) {
            return None;
        }
        // The left product first: which one is fused must not depend on anything else.
        for k in 0..2 {
            let (product, addend) = (args[k], args[1 - k]);
            let Some(def) = b.func.def_inst(product) else { continue };
            let factor = &b.func.insts[def];
            let here = self.home[def] == Some(b.block());
            let allowed = factor.op == multiply && factor.fast_math.has(FastMath::CONTRACT);
            if !(allowed && here && self.uses[product] == 1) {
                continue;
            }
            let (x, y) = (factor.args[0], factor.args[1]);
            if self.carried.by_sum_alone(b.func, result, addend, [x, y]) {
                continue;
            }
            let ty = b.func.ty(result);
            let minus = |b: &mut Builder<'_>, v| b.value(Op::FNeg, [v], ty);
            let difference = matches!(sum, Op::FSub | Op::Flushed(FlushedOp::Sub));
            let (x, z) = match (difference, k) {
                (false, _) => (x, addend),
                (true, 0) => (x, minus(b, addend)),
                (true, _) => (minus(b, x), addend),
            };
            b.fast_math = FastMath(flags.0 & b.func.insts[def].fast_math.0);
            return Some(b.value(fma, [x, y, z], ty));
        }
        None
    }
}

/// What is carried from one iteration to the next, in kernels whose iterations overlap.
struct Carried {
    /// What is passed for each parameter of a block; none where iterations do not overlap.
    arguments: Option<SecondaryMap<Value, Vec<Value>>>,
}

impl Carried {
    fn new(func: &Function) -> Carried {
        let kernel = func.kernel.as_ref();
        let single = kernel.is_some_and(ir::KernelInfo::has_groups_of_one);
        if !single {
            return Carried { arguments: None };
        }
        let mut arguments: SecondaryMap<Value, Vec<Value>> = SecondaryMap::new();
        for &block in &func.layout {
            for call in func.blocks[block].term.targets() {
                for (param, arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    arguments[*param].push(*arg);
                }
            }
        }
        Carried { arguments: Some(arguments) }
    }

    /// Whether `sum` needs its own earlier value by way of `addend`, and not of the `factors`, through which it has to wait for
    /// the product anyway.
    fn by_sum_alone(
        &self,
        func: &Function,
        sum: Value,
        addend: Value,
        factors: [Value; 2],
    ) -> bool {
        let Some(arguments) = &self.arguments else { return false };
        self.needs(func, arguments, addend, sum)
            && !factors.iter().any(|f| self.needs(func, arguments, *f, sum))
    }

    /// Whether `value` is computed from `from`.
    fn needs(
        &self,
        func: &Function,
        arguments: &SecondaryMap<Value, Vec<Value>>,
        value: Value,
        from: Value,
    ) -> bool {
        let mut seen: SecondaryMap<Value, bool> = SecondaryMap::new();
        let mut stack = vec![value];
        while let Some(v) = stack.pop() {
            if v == from {
                return true;
            }
            if std::mem::replace(&mut seen[v], true) {
                continue;
            }
            match func.values[v].def {
                ValueDef::Param(..) => stack.extend(&arguments[v]),
                ValueDef::Inst(i) => stack.extend(&func.insts[i].args),
            }
        }
        false
    }
}
