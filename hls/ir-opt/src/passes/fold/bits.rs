//! Extensions, slices, concatenations: wires, which only stand in the way of other folding.

use super::Match;
use crate::bits::{concat, ones, slice};
use ir::{Builder, Op, Type, Value};

pub(super) fn fold(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match m.op {
        Op::Zext | Op::Sext => extension(b, m),
        Op::Slice { lo } => of_slice(b, m, u32::from(lo)),
        Op::Concat => of_concat(b, m),
        Op::Bitcast => bitcast(b, m),
        Op::And => mask(b, m),
        Op::Shl | Op::LShr | Op::AShr => shift(b, m),
        _ => None,
    }
}

fn extension(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match (m.op, m.operand(b, 0)?) {
        (Op::Zext | Op::Sext, (Op::Zext, inner)) => Some(b.value(Op::Zext, [inner[0]], m.ty)),
        (Op::Sext, (Op::Sext, inner)) => Some(b.value(Op::Sext, [inner[0]], m.ty)),
        _ => None,
    }
}

fn of_slice(b: &mut Builder<'_>, m: &Match<'_>, lo: u32) -> Option<Value> {
    let w = m.width(b);
    let source = b.func.bits(m.args[0]);
    if w == source {
        return Some(m.args[0]);
    }
    let hi = lo + w;
    let (op, inner) = m.operand(b, 0)?;
    match op {
        Op::Slice { lo: first } => Some(slice(b, inner[0], lo + u32::from(first), w)),
        Op::Zext | Op::Sext => {
            let x = b.func.bits(inner[0]);
            if hi <= x {
                Some(slice(b, inner[0], lo, w))
            } else if lo >= x {
                if op == Op::Zext {
                    return Some(b.constant(m.ty, 0));
                }
                let sign = slice(b, inner[0], x - 1, 1);
                Some(if w == 1 { sign } else { b.value(Op::Sext, [sign], m.ty) })
            } else {
                let low = slice(b, inner[0], lo, x - lo);
                Some(b.value(op, [low], m.ty))
            }
        }
        Op::Concat => {
            let split = b.func.bits(inner[1]);
            if hi <= split {
                Some(slice(b, inner[1], lo, w))
            } else if lo >= split {
                Some(slice(b, inner[0], lo - split, w))
            } else {
                let high = slice(b, inner[0], 0, hi - split);
                let low = slice(b, inner[1], lo, split - lo);
                Some(concat(b, high, low))
            }
        }
        Op::Shl | Op::LShr => of_shifted(b, m, (op, inner[0], inner[1]), lo),
        // the low bits of these depend on the low bits of their operands only
        Op::And | Op::Or | Op::Xor => {
            let constant = b.func.as_const(inner[1])?;
            let x = slice(b, inner[0], lo, w);
            let c = b.constant(m.ty, constant >> lo & ones(w));
            Some(b.binary(op, x, c))
        }
        Op::Add | Op::Sub | Op::Mul if lo == 0 && m.only_low_used(w) => {
            let x = slice(b, inner[0], 0, w);
            let y = slice(b, inner[1], 0, w);
            Some(b.binary(op, x, y))
        }
        // nothing is carried out of low bits of which one operand has none
        Op::Add if inner.iter().any(|v| is_multiple(b, *v, lo)) => sum_above(b, op, &inner, lo, w),
        Op::Sub if is_multiple(b, inner[1], lo) => sum_above(b, op, &inner, lo, w),
        _ => None,
    }
}

/// Whether the low `lo` bits of a value are 0, as far as its operation says.
fn is_multiple(b: &Builder<'_>, value: Value, lo: u32) -> bool {
    match super::definition(b, value) {
        Some((Op::Shl, inner)) => b.func.as_const(inner[1]).is_some_and(|n| n >= u128::from(lo)),
        Some((Op::Const(c), _)) => c & ones(lo) == 0,
        _ => false,
    }
}

fn sum_above(b: &mut Builder<'_>, op: Op, of: &[Value], lo: u32, width: u32) -> Option<Value> {
    let x = slice(b, of[0], lo, width);
    let y = slice(b, of[1], lo, width);
    Some(b.binary(op, x, y))
}

/// A slice of a value shifted by a constant; where zeros are shifted in from above, only if it lies in the value or in them.
fn of_shifted(
    b: &mut Builder<'_>,
    m: &Match<'_>,
    (op, x, amount): (Op, Value, Value),
    lo: u32,
) -> Option<Value> {
    let (source, hi) = (b.func.bits(x), lo + m.width(b));
    let n = u32::try_from(b.func.as_const(amount)?).ok().filter(|n| *n < source)?;
    let inside = match op {
        Op::Shl if hi <= n => None,
        Op::Shl if lo >= n => Some(lo - n),
        Op::Shl => {
            let low = slice(b, x, 0, hi - lo);
            let by = b.constant(m.ty, u128::from(n - lo));
            return Some(b.binary(Op::Shl, low, by));
        }
        Op::LShr if lo + n >= source => None,
        Op::LShr if hi + n <= source => Some(lo + n),
        _ => return None,
    };
    Some(match inside {
        Some(at) => slice(b, x, at, hi - lo),
        None => b.constant(m.ty, 0),
    })
}

fn of_concat(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    let (hi, lo) = (m.args[0], m.args[1]);
    if b.func.as_const(hi) == Some(0) {
        return Some(b.value(Op::Zext, [lo], m.ty));
    }
    // neighbouring slices of one value
    let (Op::Slice { lo: at_hi }, from_hi) = m.operand(b, 0)? else { return None };
    match m.operand(b, 1)? {
        (Op::Slice { lo: at_lo }, from_lo)
            if from_hi[0] == from_lo[0]
                && u32::from(at_hi) == u32::from(at_lo) + b.func.bits(lo) =>
        {
            let w = m.width(b);
            Some(slice(b, from_hi[0], u32::from(at_lo), w))
        }
        (Op::Concat, inner) => {
            // slice of x above (slice of x above y)
            let (Op::Slice { lo: at_lo }, from_lo) = super::definition(b, inner[0])? else {
                return None;
            };
            let width = b.func.bits(inner[0]);
            if from_hi[0] != from_lo[0] || u32::from(at_hi) != u32::from(at_lo) + width {
                return None;
            }
            let all = width + b.func.bits(hi);
            let joined = slice(b, from_hi[0], u32::from(at_lo), all);
            Some(concat(b, joined, inner[1]))
        }
        _ => None,
    }
}

fn bitcast(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    if b.func.ty(m.args[0]) == m.ty {
        return Some(m.args[0]);
    }
    match m.operand(b, 0)? {
        (Op::Bitcast, inner) if b.func.ty(inner[0]) == m.ty => Some(inner[0]),
        (Op::Bitcast, inner) => Some(b.value(Op::Bitcast, [inner[0]], m.ty)),
        _ => None,
    }
}

/// A mask of low ones keeps low bits: wires.
fn mask(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    let c = m.constant(b, 1)?;
    let w = m.width(b);
    let kept = c.count_ones();
    if c != ones(kept) || kept == w || kept == 0 {
        return None;
    }
    let low = slice(b, m.args[0], 0, kept);
    Some(b.value(Op::Zext, [low], m.ty))
}

/// Shifts of shifts, and right shifts as slices.
fn shift(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    let w = m.width(b);
    let n = u32::try_from(m.constant(b, 1)?).ok().filter(|n| *n < w && *n > 0)?;
    let x = m.args[0];
    match m.op {
        Op::Shl => {
            let (Op::Shl, inner) = m.operand(b, 0)? else { return None };
            let first = b.func.as_const(inner[1])?;
            let total = (u128::from(n) + first).min(u128::from(w));
            let c = b.constant(m.ty, total & ones(w));
            (total <= ones(w)).then(|| b.binary(Op::Shl, inner[0], c))
        }
        op => {
            let high = slice(b, x, n, w - n);
            let extend = if op == Op::LShr { Op::Zext } else { Op::Sext };
            Some(b.value(extend, [high], Type::int(w)))
        }
    }
}
