//! Integer division against the host's, and at small widths for every pair of operands.

use arith::stimulus::Rng;
use arith::{Operator, eval, eval_all};
use clhls_arith as arith;

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn signed(x: u128, width: u32) -> i128 {
    ((x << (128 - width)) as i128) >> (128 - width)
}

/// Quotient and remainder as documented, by the host's 128-bit division.
fn expected(is_signed: bool, width: u32, x: u128, y: u128) -> [u128; 2] {
    if !is_signed {
        return [x.checked_div(y).unwrap_or(mask(width)), x.checked_rem(y).unwrap_or(x)];
    }
    let (a, b) = (signed(x, width), signed(y, width));
    let (quotient, remainder) = match b {
        0 if a < 0 => (1, a),
        0 => (-1, a),
        _ => (a / b, a % b),
    };
    [quotient as u128 & mask(width), remainder as u128 & mask(width)]
}

fn check(width: u32, x: u128, y: u128) {
    use Operator::*;
    let unsigned = expected(false, width, x, y);
    let both = eval_all(UDivRem(width), &[x, y]);
    assert_eq!(both.as_slice(), unsigned, "{x} / {y}, unsigned, {width} bits");
    let two = expected(true, width, x, y);
    let both = eval_all(SDivRem(width), &[x, y]);
    assert_eq!(both.as_slice(), two, "{x} / {y}, signed, {width} bits");
}

#[test]
fn every_pair_up_to_8_bits() {
    for width in 1..=8 {
        for x in 0..1 << width {
            for y in 0..1 << width {
                check(width, x, y);
            }
        }
    }
}

#[test]
fn mixed_operands_of_larger_widths() {
    let mut rng = Rng::new(11);
    for width in [9, 16, 24, 31, 32, 33, 48, 63, 64] {
        for _ in 0..20_000 {
            let x = rng.integer(width) as u128;
            let y = rng.integer(width) as u128;
            check(width, x, y);
            // A multiple of the divisor, and its neighbours.
            let multiple = (y * (x % 17)) & mask(width);
            check(width, multiple, y);
            check(width, multiple.wrapping_sub(1) & mask(width), y);
        }
    }
}

#[test]
fn least_by_minus_one_wraps() {
    for width in [8, 16, 32, 64] {
        let least = 1 << (width - 1);
        assert_eq!(eval(Operator::SDiv(width), &[least, mask(width)]), least);
        assert_eq!(eval(Operator::SRem(width), &[least, mask(width)]), 0);
    }
}

#[test]
fn single_results_are_those_of_the_pair() {
    let mut rng = Rng::new(12);
    for _ in 0..1000 {
        for width in [8, 16, 32, 64] {
            let inputs = [rng.integer(width) as u128, rng.integer(width) as u128];
            let pair = eval_all(Operator::UDivRem(width), &inputs);
            assert_eq!(eval(Operator::UDiv(width), &inputs), pair[0]);
            assert_eq!(eval(Operator::URem(width), &inputs), pair[1]);
            let pair = eval_all(Operator::SDivRem(width), &inputs);
            assert_eq!(eval(Operator::SDiv(width), &inputs), pair[0]);
            assert_eq!(eval(Operator::SRem(width), &inputs), pair[1]);
        }
    }
}
