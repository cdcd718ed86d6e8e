//! Division by constants: shifts, masks, or a product with the reciprocal (Granlund and
//! Montgomery, "Division by invariant integers using multiplication", 1994).

use super::Match;
use crate::bits::{ones, slice};
use ir::builder::sign_extend;
use ir::{Builder, Op, Type, Value};

pub(super) fn fold(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    if !matches!(m.op, Op::UDiv | Op::URem | Op::SDiv | Op::SRem) {
        return None;
    }
    let w = m.width(b);
    let c = m.constant(b, 1)?;
    if c == 0 || w == 1 {
        return None;
    }
    let x = m.args[0];
    match m.op {
        Op::UDiv => unsigned_quotient(b, x, c, w),
        Op::URem if c.is_power_of_two() => {
            let mask = b.constant(m.ty, c - 1);
            Some(b.binary(Op::And, x, mask))
        }
        Op::SDiv => signed_quotient(b, x, c, w),
        Op::URem => {
            let q = unsigned_quotient(b, x, c, w)?;
            Some(remainder(b, x, q, c, m.ty))
        }
        _ => {
            let q = signed_quotient(b, x, c, w)?;
            Some(remainder(b, x, q, c, m.ty))
        }
    }
}

fn remainder(b: &mut Builder<'_>, x: Value, quotient: Value, c: u128, ty: Type) -> Value {
    let c = b.constant(ty, c);
    let product = b.binary(Op::Mul, quotient, c);
    b.binary(Op::Sub, x, product)
}

fn unsigned_quotient(b: &mut Builder<'_>, x: Value, c: u128, w: u32) -> Option<Value> {
    let ty = Type::int(w);
    if c.is_power_of_two() {
        let n = b.constant(ty, u128::from(c.trailing_zeros()));
        return Some(b.binary(Op::LShr, x, n));
    }
    // With 2^l >= c, m = ceil(2^(w+l) / c) < 2^(w+1) gives floor(x m / 2^(w+l)) = floor(x / c)
    // for all x < 2^w: theorem 4.2 there, with an error of at most c <= 2^l.
    let l = 128 - (c - 1).leading_zeros();
    let wide = 2 * w + 1;
    if wide > 127 {
        return None;
    }
    let (mut m, mut shift) = ((1u128 << (w + l)).div_ceil(c), w + l);
    // Smaller multipliers whose error is still small enough.
    while shift > w {
        let half = (1u128 << (shift - 1)).div_ceil(c);
        let error = half * c - (1u128 << (shift - 1));
        if error > 1u128 << (shift - 1 - w) {
            break;
        }
        (m, shift) = (half, shift - 1);
    }
    let product_width = w + (128 - m.leading_zeros());
    let wide_x = b.value(Op::Zext, [x], Type::int(product_width));
    let m = b.constant(Type::int(product_width), m);
    let product = b.binary(Op::Mul, wide_x, m);
    let high = product_width - shift;
    let q = slice(b, product, shift, high.min(w));
    Some(b.zext_or_trunc(q, w))
}

/// Toward zero: by powers of two with a correction, otherwise by the unsigned quotient of the
/// magnitude.
fn signed_quotient(b: &mut Builder<'_>, x: Value, c: u128, w: u32) -> Option<Value> {
    let ty = Type::int(w);
    let divisor = sign_extend(c, w);
    let magnitude = divisor.unsigned_abs();
    if magnitude == 1 {
        let zero = b.constant(ty, 0);
        return Some(if divisor == 1 { x } else { b.binary(Op::Sub, zero, x) });
    }
    let sign = slice(b, x, w - 1, 1);
    let zero = b.constant(ty, 0);
    let quotient = if magnitude.is_power_of_two() {
        // bias of 2^n - 1 for negative dividends, then an arithmetic shift
        let n = magnitude.trailing_zeros();
        let bias = b.value(Op::Sext, [sign], Type::int(n.max(2)));
        let bias = slice(b, bias, 0, n);
        let bias = b.zext_or_trunc(bias, w);
        let biased = b.binary(Op::Add, x, bias);
        let n = b.constant(ty, u128::from(n));
        b.binary(Op::AShr, biased, n)
    } else {
        let negated = b.binary(Op::Sub, zero, x);
        let absolute = b.select(sign, negated, x);
        let q = unsigned_quotient(b, absolute, magnitude & ones(w), w)?;
        let negative = b.binary(Op::Sub, zero, q);
        b.select(sign, negative, q)
    };
    Some(if divisor < 0 { b.binary(Op::Sub, zero, quotient) } else { quotient })
}
