//! Operators of all formats and rounding modes against MPFR.

mod reference;

use arith::stimulus::Rng;
use arith::{Format, Operator, Rounding, eval};
use clhls_arith as arith;
use reference::expected;

fn check(op: Operator, inputs: &[u128]) {
    let (ours, theirs) = (eval(op, inputs), expected(op, inputs));
    assert!(ours == theirs, "{op}({inputs:x?}) = {ours:#x}, MPFR says {theirs:#x}");
}

/// All operators of one operand over every 16-bit pattern that `stride` meets.
fn all_unary(format: Format, stride: usize) {
    for op in Operator::of_format(format) {
        if op.input_widths().as_slice() == [16] {
            (0..1u128 << 16).step_by(stride).for_each(|x| check(op, &[x]));
        }
    }
}

/// Corner-mixing operands for all operators of a format.
fn mixed(format: Format, cases: usize) {
    for (seed, op) in Operator::of_format(format).into_iter().enumerate() {
        let mut rng = Rng::new(seed as u64);
        let widths = op.input_widths();
        for _ in 0..cases {
            if let Operator::IToF { width, .. } = op {
                check(op, &[rng.integer(width) as u128]);
                continue;
            }
            let x = rng.float(format);
            let y = rng.float_near(format, x);
            // The addend of an fma near the product is where cancellation happens.
            let product = eval(Operator::FMul(format, Rounding::Rtz), &[x as u128, y as u128]);
            let z = rng.float_near(format, product as u64);
            check(op, &[x as u128, y as u128, z as u128][..widths.len()]);
        }
    }
}

#[test]
fn f16_unary_sampled() {
    all_unary(Format::F16, 3);
}

#[test]
fn bf16_unary_sampled() {
    all_unary(Format::BF16, 3);
}

#[test]
fn f16_mixed() {
    mixed(Format::F16, 8_000);
}

#[test]
fn bf16_mixed() {
    mixed(Format::BF16, 8_000);
}

#[test]
fn f32_mixed() {
    mixed(Format::F32, 8_000);
}

#[test]
fn f64_mixed() {
    mixed(Format::F64, 8_000);
}
