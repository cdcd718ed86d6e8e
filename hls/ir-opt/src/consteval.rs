//! Evaluation of pure instructions whose operands are constants.

use base::SmallVec;
use ir::{Function, Inst, Op, Type, Value};

/// The result of a pure instruction when `known` gives the bits of every operand.
pub fn eval_inst(
    func: &Function,
    inst: Inst,
    known: impl Fn(Value) -> Option<u128>,
) -> Option<u128> {
    let data = &func.insts[inst];
    let ty = func.ty(data.result?);
    if data.args.is_empty() {
        return match data.op {
            Op::Const(c) => Some(c),
            _ => None,
        };
    }
    let args: SmallVec<[(Type, u128); 4]> =
        data.args.iter().map(|a| Some((func.ty(*a), known(*a)?))).collect::<Option<_>>()?;
    eval_op(func, data.op, ty, &args)
}

/// The result of a pure operation on constants.
pub fn eval_op(func: &Function, op: Op, ty: Type, args: &[(Type, u128)]) -> Option<u128> {
    if op.is_effect() || matches!(op, Op::Arg { .. } | Op::ObjAddr(_) | Op::WorkItem(..)) {
        return None;
    }
    interp::eval::eval(op, ty, args, func.addr_bits, |t| func.tables.get(t))
}
