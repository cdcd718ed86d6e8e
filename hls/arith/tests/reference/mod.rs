//! What operators should compute, by MPFR.
//!
//! An exact result is cut off at [`PRECISION`] bits and, if that lost anything, given a one some
//! places further: it is then no representable number and no midpoint of any format, and on the
//! right side of all of them. Rounding to the format is MPFR's conversion to
//! integers of the result in units of the last place.

use clhls_arith::{Format, Operator, Rounding};
use ir::FlushedOp;
use numbers::{PRECISION, decode, encode, to_integral};
use rug::float::Round;
use rug::{Float, Integer};
use std::cmp::Ordering;

pub mod numbers;
pub mod stochastic;

/// The result that `op` is specified to have, as a bit pattern. Integer division is not here.
pub fn expected(op: Operator, inputs: &[u128]) -> u128 {
    use Operator::*;
    let number = |f: Format, i: usize| decode(f, inputs[i]);
    match op {
        FAdd(f, r) => encode(f, r, &add(&number(f, 0), &number(f, 1), r)),
        FSub(f, r) => encode(f, r, &add(&number(f, 0), &-number(f, 1), r)),
        FMul(f, r) => encode(
            f,
            r,
            &exactly(|m| Float::with_val_round(PRECISION, &number(f, 0) * &number(f, 1), m)),
        ),
        FDiv(f, r) => {
            let (x, y) = (number(f, 0), number(f, 1));
            encode(f, r, &exactly(|m| Float::with_val_round(PRECISION, &x / &y, m)))
        }
        Fma(f, r) => {
            let (x, y, z) = (number(f, 0), number(f, 1), number(f, 2));
            let product = Float::with_val(2 * PRECISION, &x * &y); // exact
            encode(f, r, &add(&product, &z, r))
        }
        FSqrt(f, r) => {
            let x = number(f, 0);
            encode(f, r, &exactly(|m| Float::with_val_round(PRECISION, x.sqrt_ref(), m)))
        }
        FRound(f, r) => encode(f, r, &to_integral(number(f, 0), r)),
        FToF { from, to, round } => encode(to, round, &number(from, 0)),
        FToFStochastic { from, to } => {
            stochastic::encode_stochastic(to, &number(from, 0), inputs[1] as u32)
        }
        FToI { from, width, signed, round } => to_int(&number(from, 0), width, signed, round),
        IToF { width, signed, to, round } => {
            let bits = inputs[0];
            let negative = signed && bits >> (width - 1) == 1;
            let value = Integer::from(bits)
                - if negative { Integer::from(1) << width } else { Integer::new() };
            encode(to, round, &Float::with_val(PRECISION, value))
        }
        FCmp(f, cc) => {
            let outcome = match number(f, 0).partial_cmp(&number(f, 1)) {
                Some(Ordering::Less) => 1,
                Some(Ordering::Equal) => 2,
                Some(Ordering::Greater) => 4,
                None => 8,
            };
            (cc.0 & outcome != 0) as u128
        }
        FMin(f) => min_or_max(f, inputs, Ordering::Less),
        FMax(f) => min_or_max(f, inputs, Ordering::Greater),
        FNeg(f) => inputs[0] ^ f.sign_mask(),
        FAbs(f) => inputs[0] & !f.sign_mask(),
        FCopysign(f) => (inputs[0] & !f.sign_mask()) | (inputs[1] & f.sign_mask()),
        Flushed(op, f) => flushed(op, f, inputs),
        Math(..) => {
            unreachable!("functions are not correctly rounded; they have a test of their own")
        }
        UDiv(_) | URem(_) | SDiv(_) | SRem(_) | UDivRem(_) | SDivRem(_) => {
            unreachable!("integer division has references of its own")
        }
    }
}

/// Arithmetic on operands and with a result that have no subnormal numbers: what the exact result is below the smallest
/// normal number counts, not the rounded one.
fn flushed(op: FlushedOp, f: Format, inputs: &[u128]) -> u128 {
    let least = decode(f, 1 << f.frac_bits);
    let flush = |v: Float| match v.is_finite() && v.clone().abs() < least {
        true if v.is_sign_negative() => -Float::new(PRECISION),
        true => Float::new(PRECISION),
        false => v,
    };
    let number = |i: usize| flush(decode(f, inputs[i]));
    let (r, x) = (Rounding::Rte, number(0));
    let exact = match op {
        FlushedOp::Add => add(&x, &number(1), r),
        FlushedOp::Sub => add(&x, &-number(1), r),
        FlushedOp::Mul => exactly(|m| Float::with_val_round(PRECISION, &x * &number(1), m)),
        FlushedOp::Div => exactly(|m| Float::with_val_round(PRECISION, &x / &number(1), m)),
        FlushedOp::Fma => {
            let product = Float::with_val(2 * PRECISION, &x * &number(1)); // exact
            add(&product, &number(2), r)
        }
        FlushedOp::Sqrt => exactly(|m| Float::with_val_round(PRECISION, x.sqrt_ref(), m)),
    };
    encode(f, r, &flush(exact))
}

/// Runs an MPFR operation towards zero and marks an inexact result by a one behind its last place.
fn exactly(operation: impl Fn(Round) -> (Float, Ordering)) -> Float {
    let (mut value, ordering) = operation(Round::Zero);
    if ordering != Ordering::Equal && value.is_finite() {
        value.set_prec(PRECISION + 8);
        if value.is_sign_negative() {
            value.next_down();
        } else {
            value.next_up();
        }
    }
    value
}

/// The sum; an exact zero has the sign of the rounding mode.
fn add(x: &Float, y: &Float, mode: Rounding) -> Float {
    let sum = exactly(|m| Float::with_val_round(PRECISION, x + y, m));
    if sum.is_zero() && mode == Rounding::Rtn {
        return Float::with_val_round(PRECISION, x + y, Round::Down).0;
    }
    sum
}

fn to_int(value: &Float, width: u32, signed: bool, mode: Rounding) -> u128 {
    if value.is_nan() {
        return 0;
    }
    let (least, greatest) = if signed {
        (-(Integer::from(1) << (width - 1)), (Integer::from(1) << (width - 1)) - 1)
    } else {
        (Integer::new(), (Integer::from(1) << width) - 1)
    };
    let integer = match to_integral(value.clone(), mode).to_integer() {
        Some(integer) => integer.clamp(&least, &greatest),
        None if value.is_sign_negative() => least,
        None => greatest,
    };
    let wrapped = integer & ((Integer::from(1) << width) - 1u32);
    wrapped.to_u128().expect("masked to the width")
}

fn min_or_max(f: Format, inputs: &[u128], wanted: Ordering) -> u128 {
    let (x, y) = (decode(f, inputs[0]), decode(f, inputs[1]));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => encode(f, Rounding::Rte, &x),
        (true, false) => inputs[1],
        (false, true) => inputs[0],
        // total_cmp tells -0 from +0
        (false, false) if x.total_cmp(&y) == wanted => inputs[0],
        (false, false) => inputs[1],
    }
}
