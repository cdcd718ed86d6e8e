//! Operations in as few bits as their results need: by what is known of the values, and by what
//! is used of them.

use crate::bits::slice;
use crate::edit::{Rewriter, Step};
use crate::known::{Known, Ranges};
use crate::{Context, passes};
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Builder, Function, Inst, IntCC, Op, Terminator, Type, Value, ValueDef};

/// Narrows integer operations, comparisons and block parameters, resolves comparisons that are
/// known, and turns signed operations on values that are never negative into unsigned ones.
pub fn run(func: &mut Function, context: &Context<'_>) {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let plan = Plan { demanded: demanded_bits(func), ranges };
    let cfg = Cfg::new(func);
    let mut rewriter = Rewriter::default();
    let mut narrowed: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let params: Vec<(Block, usize, Shape)> = plan.params(func, &cfg);
    for (block, k, shape) in &params {
        narrow_param(func, *block, *k, *shape, &mut rewriter, &mut narrowed);
    }
    for &b in &cfg.rpo {
        rewriter.block(func, b, &mut |builder, inst| plan.visit(builder, inst, b));
        narrow_arguments(func, b, &narrowed);
    }
    rewriter.finish(func);
    passes::fold::run(func, context);
}

/// A width below that of the type, and how the full value comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    width: u32,
    signed: bool,
}

struct Plan {
    demanded: SecondaryMap<Value, u32>,
    ranges: Ranges,
}

impl Plan {
    /// The narrowest shape of a value of which low bits can be computed from low bits.
    fn shape(&self, func: &Function, value: Value, known: &Known) -> Option<Shape> {
        let width = func.bits(value);
        let demanded = self.demanded[value].clamp(1, width);
        let (unsigned, signed) = (known.unsigned_width(), known.signed_width());
        let narrowest = demanded.min(unsigned).min(signed);
        let signed = narrowest < unsigned && narrowest < demanded;
        (narrowest < width).then_some(Shape { width: narrowest, signed })
    }

    fn params(&self, func: &Function, cfg: &Cfg) -> Vec<(Block, usize, Shape)> {
        let mut list = vec![];
        for &b in &cfg.rpo {
            for (k, &p) in func.blocks[b].params.iter().enumerate() {
                if is_int(func.ty(p))
                    && let Some(shape) = self.shape(func, p, &self.ranges.known(func, p))
                {
                    list.push((b, k, shape));
                }
            }
        }
        list
    }

    fn visit(&self, b: &mut Builder<'_>, inst: Inst, block: Block) -> Step {
        let d = b.func.insts[inst].clone();
        let Some(result) = d.result else { return Step::Keep };
        if d.op.is_effect() || !d.args.iter().all(|a| is_int(b.func.ty(*a))) {
            return Step::Keep;
        }
        let new = match d.op {
            Op::ICmp(cc) => self.compare(b, cc, d.args[0], d.args[1], block),
            Op::IntToFp { signed, round } => {
                return self.to_float(b, d.args[0], b.func.ty(result), signed, round, block);
            }
            _ if !is_int(b.func.ty(result)) => None,
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => {
                self.divide(b, d.op, d.args[0], d.args[1], block)
            }
            Op::LShr => self.shift_right(b, d.args[0], d.args[1], block),
            Op::WorkItem(query, _) if query.is_launch_uniform() => return Step::Keep,
            Op::Sext if self.known_in(b.func, d.args[0], block).is_non_negative() => {
                let ty = b.func.ty(result);
                Some(b.value(Op::Zext, [d.args[0]], ty))
            }
            _ => self.low_bits(b, inst, result),
        };
        let new = new.or_else(|| self.leading_zeros(b, inst, result));
        new.map_or(Step::Keep, Step::Value)
    }

    /// A result with known zeros above, such as a work-item's id or a remainder, as the extension of its low bits, so that only
    /// those travel with the work-item.
    fn leading_zeros(&self, b: &mut Builder<'_>, inst: Inst, result: Value) -> Option<Value> {
        let data = b.func.insts[inst].clone();
        let (ty, width) = (b.func.ty(result), b.func.bits(result));
        let is_wire = matches!(data.op, Op::Const(_) | Op::Zext | Op::Slice { .. } | Op::Concat);
        if !is_int(ty) || is_wire {
            return None;
        }
        let n = self.ranges.known(b.func, result).unsigned_width();
        if n >= self.demanded[result].min(width) {
            return None;
        }
        if n == 0 {
            return Some(b.constant(ty, 0));
        }
        let whole = b.value(data.op, data.args.iter().copied(), ty);
        let low = slice(b, whole, 0, n);
        Some(b.value(Op::Zext, [low], ty))
    }

    /// What is known of an operand. Values that this pass made are not in the analysis; they are
    /// extensions of narrow values, and as wide as those.
    fn known_in(&self, func: &Function, value: Value, block: Block) -> Known {
        let known = self.ranges.known_in(func, value, block);
        match func.def_inst(value).map(|i| &func.insts[i]) {
            Some(d) if d.op == Op::Zext => {
                let from = func.bits(d.args[0]);
                known.meet(&Known::unsigned(known.width, 0, crate::bits::ones(from)))
            }
            Some(d) if d.op == Op::Sext => {
                let top = Known::top(func.bits(d.args[0]));
                known.meet(&Known::signed(known.width, top.smin, top.smax))
            }
            _ => known,
        }
    }

    /// Operations whose low result bits depend on low operand bits only.
    fn low_bits(&self, b: &mut Builder<'_>, inst: Inst, result: Value) -> Option<Value> {
        use Op::*;
        let d = b.func.insts[inst].clone();
        let first = match d.op {
            Add | Sub | Mul | And | Or | Xor | Not => 0,
            Select => 1,
            Shl => {
                b.func.as_const(d.args[1])?;
                0
            }
            _ => return None,
        };
        let known = self.ranges.known(b.func, result);
        let width = b.func.bits(result);
        if let Some(c) = known.as_constant() {
            let ty = b.func.ty(result);
            return Some(b.constant(ty, c));
        }
        let shape = self.shape(b.func, result, &known)?;
        let n = shape.width;
        let mut args = d.args.to_vec();
        if d.op == Shl {
            let amount = b.func.as_const(d.args[1])?;
            if amount >= u128::from(n) {
                let ty = b.func.ty(result);
                return Some(b.constant(ty, 0));
            }
            args[0] = slice(b, args[0], 0, n);
            args[1] = b.constant(Type::int(n), amount);
        } else {
            for a in &mut args[first..] {
                *a = slice(b, *a, 0, n);
            }
        }
        let narrow = b.value(d.op, args, Type::int(n));
        Some(extend(b, narrow, shape, width))
    }

    fn compare(
        &self,
        b: &mut Builder<'_>,
        cc: IntCC,
        x: Value,
        y: Value,
        block: Block,
    ) -> Option<Value> {
        let (kx, ky) = (self.known_in(b.func, x, block), self.known_in(b.func, y, block));
        if let Some(outcome) = kx.compare(cc, &ky) {
            return Some(b.bool(outcome));
        }
        let width = kx.width;
        let unsigned = kx.unsigned_width().max(ky.unsigned_width());
        let signed = kx.signed_width().max(ky.signed_width());
        let positive = kx.is_non_negative() && ky.is_non_negative();
        let equality = matches!(cc, IntCC::Eq | IntCC::Ne);
        let by_unsigned = equality || !cc.is_signed() || positive;
        let (n, cc) = if by_unsigned && (unsigned <= signed || !equality) {
            (unsigned, if positive { without_sign(cc) } else { cc })
        } else if cc.is_signed() || equality {
            (signed, cc)
        } else {
            return None;
        };
        if n >= width {
            return None;
        }
        let (x, y) = (slice(b, x, 0, n), slice(b, y, 0, n));
        Some(b.icmp(cc, x, y))
    }

    fn divide(
        &self,
        b: &mut Builder<'_>,
        op: Op,
        x: Value,
        y: Value,
        block: Block,
    ) -> Option<Value> {
        let (kx, ky) = (self.known_in(b.func, x, block), self.known_in(b.func, y, block));
        let width = kx.width;
        let signed = matches!(op, Op::SDiv | Op::SRem);
        let unsigned_op = if matches!(op, Op::SDiv | Op::UDiv) { Op::UDiv } else { Op::URem };
        let positive = kx.is_non_negative() && ky.is_non_negative();
        if !signed || positive {
            // The quotient by zero is all ones, at any width another number.
            if unsigned_op == Op::UDiv && ky.umin == 0 {
                return None;
            }
            let n = kx.unsigned_width().max(ky.unsigned_width());
            if n >= width {
                return (signed).then(|| b.binary(unsigned_op, x, y));
            }
            let (x, y) = (slice(b, x, 0, n), slice(b, y, 0, n));
            let narrow = b.binary(unsigned_op, x, y);
            return Some(extend(b, narrow, Shape { width: n, signed: false }, width));
        }
        // One bit more, so that the quotient of the least number by -1 fits.
        let n = kx.signed_width().max(ky.signed_width()) + 1;
        if n >= width {
            return None;
        }
        let (x, y) = (slice(b, x, 0, n), slice(b, y, 0, n));
        let narrow = b.binary(op, x, y);
        Some(extend(b, narrow, Shape { width: n, signed: true }, width))
    }

    fn shift_right(
        &self,
        b: &mut Builder<'_>,
        x: Value,
        amount: Value,
        block: Block,
    ) -> Option<Value> {
        let (kx, ka) = (self.known_in(b.func, x, block), self.known_in(b.func, amount, block));
        let n = kx.unsigned_width();
        if n >= kx.width || ka.unsigned_width() > n {
            return None;
        }
        let (x, amount) = (slice(b, x, 0, n), slice(b, amount, 0, n));
        let narrow = b.binary(Op::LShr, x, amount);
        Some(extend(b, narrow, Shape { width: n, signed: false }, kx.width))
    }

    /// Conversions from narrower integers of the usual sizes.
    fn to_float(
        &self,
        b: &mut Builder<'_>,
        x: Value,
        ty: Type,
        signed: bool,
        round: ir::Rounding,
        block: Block,
    ) -> Step {
        let known = self.known_in(b.func, x, block);
        let positive = !signed || known.is_non_negative();
        let need = if positive { known.unsigned_width() } else { known.signed_width() };
        let Some(n) = [8, 16, 32, 64].into_iter().find(|n| *n >= need && *n < known.width) else {
            return Step::Keep;
        };
        let x = slice(b, x, 0, n);
        Step::Value(b.value(Op::IntToFp { signed: !positive, round }, [x], ty))
    }
}

fn without_sign(cc: IntCC) -> IntCC {
    match cc {
        IntCC::Slt => IntCC::Ult,
        IntCC::Sle => IntCC::Ule,
        IntCC::Sgt => IntCC::Ugt,
        IntCC::Sge => IntCC::Uge,
        other => other,
    }
}

fn is_int(ty: Type) -> bool {
    ty.is_int() && !ty.is_vector()
}

fn extend(b: &mut Builder<'_>, value: Value, shape: Shape, width: u32) -> Value {
    let op = if shape.signed { Op::Sext } else { Op::Zext };
    b.value(op, [value], Type::int(width))
}

/// Replaces a parameter by a narrow one, extended at the start of the block.
fn narrow_param(
    func: &mut Function,
    block: Block,
    k: usize,
    shape: Shape,
    rewriter: &mut Rewriter,
    narrowed: &mut SecondaryMap<Value, Option<Value>>,
) {
    let old = func.blocks[block].params[k];
    let width = func.bits(old);
    let new = func.values.push(ir::function::ValueData {
        ty: Type::int(shape.width),
        def: ValueDef::Param(block, k as u32),
    });
    func.blocks[block].params[k] = new;
    let op = if shape.signed { Op::Sext } else { Op::Zext };
    let inst = func.make_inst(op, [new], Some(Type::int(width)), func.blocks[block].term_loc);
    func.blocks[block].insts.insert(0, inst);
    if let Some(extended) = func.insts[inst].result {
        rewriter.replace(old, extended);
        narrowed[new] = Some(extended);
    }
}

/// Cuts the arguments for narrow parameters.
fn narrow_arguments(
    func: &mut Function,
    from: Block,
    narrowed: &SecondaryMap<Value, Option<Value>>,
) {
    let mut term = std::mem::replace(&mut func.blocks[from].term, Terminator::Unreachable);
    let loc = func.blocks[from].term_loc;
    for call in term.targets_mut() {
        for k in 0..call.args.len() {
            let param = func.blocks[call.block].params[k];
            if narrowed[param].is_some() {
                let width = func.bits(param);
                let mut b = Builder::at(func, from);
                b.loc = loc;
                call.args[k] = slice(&mut b, call.args[k], 0, width);
            }
        }
    }
    func.blocks[from].term = term;
}

/// For each integer the number of low bits of which something depends.
fn demanded_bits(func: &Function) -> SecondaryMap<Value, u32> {
    let mut demanded: SecondaryMap<Value, u32> = SecondaryMap::new();
    demanded.resize(func.values.len());
    let cfg = Cfg::new(func);
    let mut work: Vec<Value> = vec![];
    let mut demand = |v: Value, bits: u32, work: &mut Vec<Value>| {
        raise(func, &mut demanded, v, bits, work);
    };
    for &b in &cfg.rpo {
        for &i in &func.blocks[b].insts {
            if func.insts[i].op.is_effect() {
                func.insts[i].args.iter().for_each(|a| demand(*a, u32::MAX, &mut work));
            }
        }
        match &func.blocks[b].term {
            Terminator::Branch { cond, .. } => demand(*cond, 1, &mut work),
            Terminator::Switch { value, .. } => demand(*value, u32::MAX, &mut work),
            Terminator::Return(Some(v)) => demand(*v, u32::MAX, &mut work),
            _ => {}
        }
    }
    while let Some(v) = work.pop() {
        let bits = demanded[v];
        match func.values[v].def {
            ValueDef::Param(block, k) => {
                for &p in &cfg.preds[block] {
                    for call in func.blocks[p].term.targets() {
                        if call.block == block {
                            raise(func, &mut demanded, call.args[k as usize], bits, &mut work);
                        }
                    }
                }
            }
            ValueDef::Inst(i) => {
                for (a, bits) in operand_demand(func, i, bits) {
                    raise(func, &mut demanded, a, bits, &mut work);
                }
            }
        }
    }
    demanded
}

fn raise(
    func: &Function,
    demanded: &mut SecondaryMap<Value, u32>,
    v: Value,
    bits: u32,
    work: &mut Vec<Value>,
) {
    let bits = bits.min(func.bits(v));
    if bits > demanded[v] {
        demanded[v] = bits;
        work.push(v);
    }
}

/// Low bits of the operands on which the low `bits` bits of the result depend.
fn operand_demand(func: &Function, inst: Inst, bits: u32) -> Vec<(Value, u32)> {
    use Op::*;
    let d = &func.insts[inst];
    let all = |n: u32| d.args.iter().map(|a| (*a, n)).collect::<Vec<_>>();
    let constant = |k: usize| d.args.get(k).and_then(|a| func.as_const(*a));
    let amount = || constant(1).and_then(|c| u32::try_from(c).ok());
    match d.op {
        Add | Sub | Mul | Or | Xor | Not => all(bits),
        And => match constant(1) {
            Some(mask) => {
                vec![(d.args[0], bits.min(128 - mask.leading_zeros())), (d.args[1], bits)]
            }
            None => all(bits),
        },
        Select => vec![(d.args[0], 1), (d.args[1], bits), (d.args[2], bits)],
        Shl => match amount() {
            Some(n) => vec![(d.args[0], bits.saturating_sub(n)), (d.args[1], u32::MAX)],
            None => vec![(d.args[0], bits), (d.args[1], u32::MAX)],
        },
        LShr | AShr => match amount() {
            Some(n) => vec![(d.args[0], bits.saturating_add(n)), (d.args[1], u32::MAX)],
            None => all(u32::MAX),
        },
        Zext | Sext => all(bits),
        Slice { lo } => all(bits.saturating_add(lo.into())),
        Concat => {
            let low = func.bits(d.args[1]);
            vec![(d.args[0], bits.saturating_sub(low)), (d.args[1], bits)]
        }
        _ => all(u32::MAX),
    }
}
