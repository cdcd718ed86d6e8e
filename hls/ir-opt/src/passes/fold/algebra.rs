//! Integer identities, comparisons, selections.

use super::{Match, definition};
use crate::bits::ones;
use ir::{Builder, IntCC, Op, Type, Value};

pub(super) fn fold(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match m.op {
        Op::ICmp(cc) => compare(b, m, cc),
        Op::Select => select(b, m),
        Op::Not => not(b, m),
        op if op.is_int_binary() => identities(b, m).or_else(|| reassociate(b, m)),
        Op::FNeg | Op::FAbs => float_sign(b, m),
        _ => None,
    }
}

fn identities(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    use Op::*;
    let w = m.width(b);
    let x = m.args[0];
    if m.args[0] == m.args[1] {
        match m.op {
            And | Or => return Some(x),
            Xor | Sub => return Some(b.constant(m.ty, 0)),
            _ => {}
        }
    }
    let c = m.constant(b, 1);
    match (m.op, c) {
        (Add | Sub | Or | Xor | Shl | LShr | AShr, Some(0)) => Some(x),
        (Mul | And, Some(0)) => Some(b.constant(m.ty, 0)),
        (Mul | UDiv | SDiv, Some(1)) if w > 1 => Some(x),
        (Or, Some(c)) if c == ones(w) => Some(b.constant(m.ty, c)),
        (And, Some(c)) if c == ones(w) => Some(x),
        (Xor, Some(c)) if c == ones(w) => Some(b.unary(Not, x)),
        (Mul, Some(c)) if c == ones(w) && w > 1 => {
            let zero = b.constant(m.ty, 0);
            Some(b.binary(Sub, zero, x))
        }
        (Mul, Some(c)) if c.is_power_of_two() => {
            let n = b.constant(m.ty, u128::from(c.trailing_zeros()));
            Some(b.binary(Shl, x, n))
        }
        (Shl | LShr, Some(c)) if c >= u128::from(w) => Some(b.constant(m.ty, 0)),
        (AShr, Some(c)) if c >= u128::from(w) && w > 1 => {
            let n = b.constant(m.ty, u128::from(w - 1));
            Some(b.binary(AShr, x, n))
        }
        (Sub, Some(c)) => {
            let n = b.constant(m.ty, c.wrapping_neg());
            Some(b.binary(Add, x, n))
        }
        (Shl | LShr | AShr, None) if m.constant(b, 0) == Some(0) => Some(x),
        _ => None,
    }
}

/// `(x op c1) op c2` to `x op (c1 op c2)`; constants move outwards.
fn reassociate(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    use Op::*;
    if !matches!(m.op, Add | Mul | And | Or | Xor) {
        return None;
    }
    if let Some(c2) = m.constant(b, 1) {
        let (op, inner) = m.operand(b, 0)?;
        let c1 = (op == m.op).then(|| b.func.as_const(inner[1])).flatten()?;
        let (t, w) = (m.ty, [(m.ty, c1), (m.ty, c2)]);
        let bits = crate::consteval::eval_op(b.func, m.op, t, &w)?;
        let c = b.constant(t, bits);
        return Some(b.binary(m.op, inner[0], c));
    }
    // x + (y + c) = (x + y) + c
    if m.op != Add {
        return None;
    }
    for k in 0..2 {
        if let Some((Add, inner)) = m.operand(b, k)
            && b.func.as_const(inner[1]).is_some()
        {
            let sum = b.binary(Add, m.args[1 - k], inner[0]);
            return Some(b.binary(Add, sum, inner[1]));
        }
    }
    None
}

fn not(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match m.operand(b, 0)? {
        (Op::Not, inner) => Some(inner[0]),
        (Op::ICmp(cc), inner) => Some(b.icmp(cc.inverse(), inner[0], inner[1])),
        _ => None,
    }
}

fn compare(b: &mut Builder<'_>, m: &Match<'_>, cc: IntCC) -> Option<Value> {
    use IntCC::*;
    if m.args[0] == m.args[1] {
        return Some(b.bool(matches!(cc, Eq | Ule | Uge | Sle | Sge)));
    }
    let c = m.constant(b, 1)?;
    let ty = b.func.ty(m.args[0]);
    if ty.space().is_some() {
        return None;
    }
    let w = ty.lane_bits(0);
    let x = m.args[0];
    let top = 1u128 << (w - 1);
    match (cc, c) {
        (Ult, 0) => return Some(b.bool(false)),
        (Uge, 0) => return Some(b.bool(true)),
        (Ugt, c) if c == ones(w) => return Some(b.bool(false)),
        (Ule, c) if c == ones(w) => return Some(b.bool(true)),
        (Slt, c) if c == top => return Some(b.bool(false)),
        (Sge, c) if c == top => return Some(b.bool(true)),
        (Ule, c) => return Some(against(b, Ult, x, c + 1)),
        (Ugt, c) => return Some(against(b, Uge, x, c + 1)),
        (Sle, c) if c != top - 1 => return Some(against(b, Slt, x, c.wrapping_add(1))),
        (Sgt, c) if c != top - 1 => return Some(against(b, Sge, x, c.wrapping_add(1))),
        (Ult, 1) => return Some(against(b, Eq, x, 0)),
        (Uge, 1) => return Some(against(b, Ne, x, 0)),
        // the sign bit
        (Slt, 0) => return Some(crate::bits::slice(b, x, w - 1, 1)),
        (Sge, 0) => {
            let sign = crate::bits::slice(b, x, w - 1, 1);
            return Some(b.unary(Op::Not, sign));
        }
        (Ne, 0) if w == 1 => return Some(x),
        (Eq, 1) if w == 1 => return Some(x),
        (Eq, 0) | (Ne, 1) if w == 1 => return Some(b.unary(Op::Not, x)),
        _ => {}
    }
    compare_extended(b, m, cc, c, w)
}

fn against(b: &mut Builder<'_>, cc: IntCC, x: Value, c: u128) -> Value {
    let ty = b.func.ty(x);
    let c = b.constant(ty, c);
    b.icmp(cc, x, c)
}

/// A comparison of something extended with a constant.
fn compare_extended(
    b: &mut Builder<'_>,
    m: &Match<'_>,
    cc: IntCC,
    c: u128,
    w: u32,
) -> Option<Value> {
    use IntCC::*;
    match m.operand(b, 0)? {
        (Op::Zext, inner) => {
            let narrow = b.func.bits(inner[0]);
            let cc = match cc {
                Slt => Ult,
                Sge => Uge,
                other => other,
            };
            let negative = c >> (w - 1) & 1 == 1;
            if c > ones(narrow) {
                return Some(match cc {
                    Eq => b.bool(false),
                    Ne => b.bool(true),
                    Ult | Uge if negative && m.op != Op::ICmp(cc) => b.bool(cc == Uge),
                    Ult => b.bool(true),
                    Uge => b.bool(false),
                    _ => return None,
                });
            }
            Some(against(b, cc, inner[0], c))
        }
        (Op::Sext, inner) if matches!(cc, Eq | Ne | Slt | Sge) => {
            let narrow = b.func.bits(inner[0]);
            let back = ir::builder::sign_extend(c, narrow) as u128 & ones(w);
            (back == c).then(|| against(b, cc, inner[0], c & ones(narrow)))
        }
        // x ^ c1 == c, x + c1 == c
        (Op::Xor, inner) if matches!(cc, Eq | Ne) => {
            let c1 = b.func.as_const(inner[1])?;
            Some(against(b, cc, inner[0], c ^ c1))
        }
        (Op::Add, inner) if matches!(cc, Eq | Ne) => {
            let c1 = b.func.as_const(inner[1])?;
            Some(against(b, cc, inner[0], c.wrapping_sub(c1)))
        }
        (Op::Select, inner) if matches!(cc, Eq | Ne) => {
            // a selection between constants compared with a constant
            let (x, y) = (b.func.as_const(inner[1])?, b.func.as_const(inner[2])?);
            let truth = |v: u128| (v == c) == (cc == Eq);
            Some(match (truth(x), truth(y)) {
                (true, true) => b.bool(true),
                (false, false) => b.bool(false),
                (true, false) => inner[0],
                (false, true) => b.unary(Op::Not, inner[0]),
            })
        }
        _ => None,
    }
}

fn select(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    let [cond, x, y] = m.args[..] else { return None };
    if x == y {
        return Some(x);
    }
    if let Some(c) = m.constant(b, 0) {
        return Some(if c & 1 == 1 { x } else { y });
    }
    if let Some((Op::Not, inner)) = m.operand(b, 0) {
        return Some(b.select(inner[0], y, x));
    }
    let (cx, cy) = (b.func.as_const(x), b.func.as_const(y));
    if m.ty == Type::BOOL {
        return Some(match (cx, cy) {
            (Some(1), Some(0)) => cond,
            (Some(0), Some(1)) => b.unary(Op::Not, cond),
            (Some(1), _) => b.binary(Op::Or, cond, y),
            (_, Some(0)) => b.binary(Op::And, cond, x),
            (Some(0), _) => {
                let not = b.unary(Op::Not, cond);
                b.binary(Op::And, not, y)
            }
            (_, Some(1)) => {
                let not = b.unary(Op::Not, cond);
                b.binary(Op::Or, not, x)
            }
            _ => return None,
        });
    }
    if m.ty.is_int() {
        match (cx, cy) {
            (Some(1), Some(0)) => return Some(b.value(Op::Zext, [cond], m.ty)),
            (Some(c), Some(0)) if c == ones(m.width(b)) => {
                return Some(b.value(Op::Sext, [cond], m.ty));
            }
            _ => {}
        }
    }
    // the same condition again, inside
    if let Some((Op::Select, inner)) = definition(b, x)
        && inner[0] == cond
    {
        return Some(b.select(cond, inner[1], y));
    }
    if let Some((Op::Select, inner)) = definition(b, y)
        && inner[0] == cond
    {
        return Some(b.select(cond, x, inner[2]));
    }
    None
}

/// Sign operations are operations on one bit: exact for every input, NaN too.
fn float_sign(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match (m.op, m.operand(b, 0)?) {
        (Op::FNeg, (Op::FNeg, inner)) => Some(inner[0]),
        (Op::FAbs, (Op::FNeg | Op::FAbs, inner)) => Some(b.unary(Op::FAbs, inner[0])),
        _ => None,
    }
}
