//! Which operator of the model an operation of the IR is.

use crate::OpKind;
use ir::{Function, Inst, IntCC, Op};

/// The operator of the target model that a pure integer operation is, with its operand width.
pub fn op_kind(func: &Function, inst: Inst) -> (OpKind, u32) {
    let d = &func.insts[inst];
    let width = d.args.last().map_or(1, |a| func.bits(*a));
    let constant_amount = d.args.get(1).is_some_and(|a| func.as_const(*a).is_some());
    (kind_of(d.op, constant_amount), width)
}

/// The operator for an operation; `constant_amount`: of shifts, whether the amount is a constant.
pub fn kind_of(op: Op, constant_amount: bool) -> OpKind {
    match op {
        Op::Add | Op::PtrAdd => OpKind::Add,
        Op::Sub => OpKind::Sub,
        Op::Mul => OpKind::Mul,
        Op::And | Op::FAbs => OpKind::And,
        Op::Or => OpKind::Or,
        Op::Xor => OpKind::Xor,
        Op::Not => OpKind::Not,
        Op::Shl | Op::LShr | Op::AShr if constant_amount => OpKind::ConstShift,
        Op::Shl => OpKind::Shl,
        Op::LShr => OpKind::LShr,
        Op::AShr => OpKind::AShr,
        Op::Clz => OpKind::Lzc,
        Op::Popcount => OpKind::Popcount,
        Op::ICmp(IntCC::Eq | IntCC::Ne) => OpKind::CmpEq,
        Op::ICmp(_) => OpKind::CmpLt,
        Op::Select | Op::SpaceCast => OpKind::Mux { ways: 2 },
        _ => OpKind::Slice,
    }
}
