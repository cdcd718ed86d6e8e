//! Evaluates `OpSpecConstantOp` on integers, where the value is needed before code is made:
//! array lengths, work-group sizes, initial values. What is not integer is lowered as an
//! ordinary instruction at its use instead.

use crate::constants::{Consts, Lanes};
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::types::{Kind, Types};
use ir::Scalar;
use ir::builder::{mask, sign_extend};
use rspirv::spirv::Op;

/// The lanes of the result, or none when an operand is not known or the operation not integer.
pub(crate) fn operation(consts: &Consts, types: &Types, op: &Inst, ty: Id) -> R<Option<Lanes>> {
    if matches!(
        types.get(ty)?.kind,
        Kind::Array { .. } | Kind::Struct { .. } | Kind::Pointer { .. }
    ) {
        return Ok(None);
    }
    let result = types.ir(ty)?;
    let Scalar::Int(width) = result.scalar else { return Ok(None) };
    let width = u32::from(width);
    let arg = |k: usize| op.args.get(k).and_then(|id| consts.lanes(*id, types));
    let lanes = usize::from(result.lanes);
    let picked = match op.op {
        Op::CompositeExtract if op.args.len() == 2 => {
            arg(0).and_then(|v| v.get(op.args[1] as usize).map(|l| Lanes::from_elem(*l, 1)))
        }
        Op::CompositeInsert if op.args.len() == 3 => arg(0).zip(arg(1)).and_then(|(s, mut v)| {
            *v.get_mut(op.args[2] as usize)? = s[0];
            Some(v)
        }),
        Op::VectorShuffle => arg(0).zip(arg(1)).and_then(|(mut a, b)| {
            a.extend(b);
            op.args[2..].iter().map(|k| a.get(*k as usize).copied()).collect()
        }),
        Op::Select => arg(0).zip(arg(1).zip(arg(2))).and_then(|(c, (a, b))| {
            (0..lanes)
                .map(|k| {
                    let c = if c.len() == 1 { c[0] } else { *c.get(k)? };
                    if c != 0 { a.get(k) } else { b.get(k) }.copied()
                })
                .collect()
        }),
        _ => arithmetic(consts, types, op, width, lanes),
    };
    Ok(picked.filter(|l| l.len() == lanes))
}

fn arithmetic(
    consts: &Consts,
    types: &Types,
    op: &Inst,
    width: u32,
    lanes: usize,
) -> Option<Lanes> {
    let a = consts.lanes(*op.args.first()?, types)?;
    let Scalar::Int(from) = types.ir(consts.get(op.args[0])?.ty).ok()?.scalar else { return None };
    let from = u32::from(from);
    let b = match op.args.get(1) {
        Some(id) => consts.lanes(*id, types)?,
        None => Lanes::from_elem(0, a.len()),
    };
    if a.len() != lanes || b.len() != lanes {
        return None;
    }
    a.iter().zip(&b).map(|(x, y)| scalar(op.op, *x, *y, from, width)).collect()
}

/// One lane: operands of `w` bits, result of `to` bits; undefined cases as in the IR.
fn scalar(op: Op, a: u128, b: u128, w: u32, to: u32) -> Option<u128> {
    let (sa, sb) = (sign_extend(a, w), sign_extend(b, w));
    let shift = u32::try_from(b).ok().filter(|n| *n < w);
    let signed = match op {
        Op::SDiv if b == 0 => {
            if sa >= 0 {
                -1
            } else {
                1
            }
        }
        Op::SDiv => sa.wrapping_div(sb),
        Op::SRem | Op::SMod if b == 0 => sa,
        Op::SRem => sa.wrapping_rem(sb),
        Op::SMod => {
            let r = sa.wrapping_rem(sb);
            if r != 0 && (r < 0) != (sb < 0) { r.wrapping_add(sb) } else { r }
        }
        Op::SConvert => sa,
        Op::SNegate => sa.wrapping_neg(),
        Op::ShiftRightArithmetic => sa >> shift.unwrap_or(w - 1),
        _ => 0,
    };
    Some(mask(
        match op {
            Op::SDiv
            | Op::SRem
            | Op::SMod
            | Op::SConvert
            | Op::SNegate
            | Op::ShiftRightArithmetic => signed as u128,
            Op::UConvert | Op::Bitcast if op == Op::UConvert || w == to => a,
            Op::Not | Op::LogicalNot => !a,
            Op::IAdd => a.wrapping_add(b),
            Op::ISub => a.wrapping_sub(b),
            Op::IMul => a.wrapping_mul(b),
            Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
            Op::UMod => a.checked_rem(b).unwrap_or(a),
            Op::ShiftLeftLogical => shift.map_or(0, |n| a << n),
            Op::ShiftRightLogical => shift.map_or(0, |n| a >> n),
            Op::BitwiseAnd | Op::LogicalAnd => a & b,
            Op::BitwiseOr | Op::LogicalOr => a | b,
            Op::BitwiseXor | Op::LogicalNotEqual => a ^ b,
            Op::IEqual | Op::LogicalEqual => u128::from(a == b),
            Op::INotEqual => u128::from(a != b),
            Op::ULessThan => u128::from(a < b),
            Op::ULessThanEqual => u128::from(a <= b),
            Op::UGreaterThan => u128::from(a > b),
            Op::UGreaterThanEqual => u128::from(a >= b),
            Op::SLessThan => u128::from(sa < sb),
            Op::SLessThanEqual => u128::from(sa <= sb),
            Op::SGreaterThan => u128::from(sa > sb),
            Op::SGreaterThanEqual => u128::from(sa >= sb),
            _ => return None,
        },
        to,
    ))
}
