//! Operators of all formats and rounding modes against MPFR.

mod reference;

use arith::stimulus::Rng;
use arith::{Format, Operator, Rounding, eval};
use clhls_arith as arith;
use reference::expected;
use reference::numbers::decode;
use reference::stochastic::threshold;

fn check(op: Operator, inputs: &[u128]) {
    let (ours, theirs) = (eval(op, inputs), expected(op, inputs));
    assert!(ours == theirs, "{op}({inputs:x?}) = {ours:#x}, MPFR says {theirs:#x}");
}

/// Random bits of any kind, and those about which the result changes.
fn check_stochastic(op: Operator, from: Format, to: Format, x: u128, rng: &mut Rng) {
    check(op, &[x, rng.integer(32) as u128]);
    check(op, &[x, rng.below(1 << 32) as u128]);
    if let Some(up) = threshold(to, &decode(from, x)) {
        check(op, &[x, up as u128]);
        check(op, &[x, up.wrapping_sub(1) as u128]);
    }
}

/// All operators of one operand, and stochastic rounding, over every 16-bit pattern that `stride` meets.
fn all_unary(format: Format, stride: usize) {
    for op in Operator::of_format(format) {
        if let Operator::FToFStochastic { to, .. } = op {
            let mut rng = Rng::new(1);
            let numbers = (0..1u128 << 16).step_by(stride);
            numbers.for_each(|x| check_stochastic(op, format, to, x, &mut rng));
        }
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
            if let Operator::FToFStochastic { to, .. } = op {
                check_stochastic(op, format, to, x as u128, &mut rng);
                continue;
            }
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

/// Over all random bits a number goes up as often as its fraction of a last place says.
#[test]
fn stochastic_rounding_is_unbiased() {
    let up = |from: Format, to: Format, x: u128, step: u128| {
        let op = Operator::FToFStochastic { from, to };
        let down = eval(op, &[x, 0]);
        (0..1u128 << 32).step_by(step as usize).filter(|r| eval(op, &[x, *r]) != down).count()
    };
    // 16 bits are lost, which the top 16 random bits decide
    for lost in [0, 1, 0x4000, 0x8000, 0xffff] {
        let steps = up(Format::F32, Format::BF16, 0xc049_0000 | lost, 1 << 16);
        assert_eq!(steps as u128, lost);
    }
    // 1/4 of the least subnormal f16, 2^-24
    assert_eq!(up(Format::F32, Format::F16, 0x3280_0000, 1 << 24), 64);
}

/// The ends of the ranges, by hand.
#[test]
fn stochastic_rounding_at_the_ends() {
    let sr = |from: Format, to: Format, x: u128, random: u128| {
        eval(Operator::FToFStochastic { from, to }, &[x, random])
    };
    let all = u32::MAX as u128;
    let (f16, bf16, f32, f64) = (Format::F16, Format::BF16, Format::F32, Format::F64);
    // 65519.996 is below the power of two above the largest f16: either that or infinity
    assert_eq!(sr(f32, f16, 0x477f_efff, 0), 0x7bff);
    assert_eq!(sr(f32, f16, 0x477f_efff, all), 0x7c00);
    assert_eq!(sr(f32, f16, 0x4780_0000, 0), 0x7c00); // 65536
    assert_eq!(sr(f32, f16, 0xff7f_ffff, 0), 0xfc00);
    // infinities, NaNs and zeros take no notice of the random bits
    assert_eq!(sr(f32, bf16, 0xff80_0000, all), 0xff80);
    assert_eq!(sr(f32, bf16, 0xffff_ffff, all), 0x7fc0);
    assert_eq!(sr(f64, f32, 1 << 63, all), 0x8000_0000);
    // the largest f32 becomes the largest bf16 or infinity
    assert_eq!(sr(f32, bf16, 0x7f7f_ffff, 0), 0x7f7f);
    assert_eq!(sr(f32, bf16, 0x7f7f_ffff, 1 << 16), 0x7f80);
    // less than 2^-32 of the least subnormal never goes up, that much does
    assert_eq!(sr(f64, f16, (1023 - 24 - 33) << 52, all), 0);
    assert_eq!(sr(f64, f16, (1023 - 24 - 32) << 52, all), 1);
    assert_eq!(sr(f64, f16, (1023 - 24 - 32) << 52, all - 1), 0);
}
