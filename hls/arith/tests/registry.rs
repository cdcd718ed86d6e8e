//! Names, widths and selection of operators, and the stimulus that all tests stand on.

use arith::native::Native;
use arith::stimulus::Rng;
use arith::{Bits, FloatCC, Format, Operator, Rounding};
use clhls_arith as arith;
use ir::{Op, Type};
use std::collections::BTreeSet;

#[test]
fn names_are_unique_identifiers() {
    let all = Operator::all();
    let names: BTreeSet<String> = all.iter().map(|op| op.to_string()).collect();
    assert_eq!(names.len(), all.iter().collect::<BTreeSet<_>>().len());
    for name in names {
        assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
    }
}

#[test]
fn names_read_as_documented() {
    let (f32, f64, rte, rtz) = (Format::F32, Format::F64, Rounding::Rte, Rounding::Rtz);
    let to_int = Operator::FToI { from: f32, width: 32, signed: true, round: rtz };
    let from_int = Operator::IToF { width: 64, signed: false, to: f32, round: rte };
    assert_eq!(Operator::FAdd(f32, rte).to_string(), "fadd_f32");
    assert_eq!(Operator::FMul(Format::BF16, rtz).to_string(), "fmul_bf16_rtz");
    assert_eq!(Operator::FCmp(f64, FloatCC::LT).to_string(), "fcmp_olt_f64");
    assert_eq!(Operator::FToF { from: f64, to: f32, round: rte }.to_string(), "ftof_f64_f32_rte");
    assert_eq!(to_int.to_string(), "ftoi_f32_s32_rtz");
    assert_eq!(from_int.to_string(), "itof_u64_f32_rte");
    assert_eq!(Operator::UDiv(32).to_string(), "udiv_u32");
    assert_eq!(Operator::SDivRem(64).to_string(), "sdivrem_s64");
}

#[test]
fn results_have_the_declared_widths() {
    let b = Native::<u128>::new();
    for op in Operator::all() {
        let inputs: Vec<_> = op.input_widths().iter().map(|w| b.constant(*w, 1)).collect();
        let outputs = arith::eval_values(op, &inputs);
        let widths: Vec<u32> = outputs.iter().map(|v| b.width(*v)).collect();
        assert_eq!(widths, op.output_widths().to_vec(), "{op}");
    }
}

#[test]
fn ir_operations_find_their_operators() {
    let (f32, f64) = (Type::F32, Type::F64);
    let sat = Op::FpToInt { signed: false, sat: true, round: Rounding::Rtp };
    let expected =
        Operator::FToI { from: Format::F64, width: 16, signed: false, round: Rounding::Rtp };
    assert_eq!(Operator::from_ir(sat, f64, Type::I16), Some(expected));
    let add = Operator::FAdd(Format::F32, Rounding::Rte);
    assert_eq!(Operator::from_ir(Op::FAdd, f32, f32), Some(add));
    assert_eq!(Operator::from_ir(Op::SRem, Type::I64, Type::I64), Some(Operator::SRem(64)));
    let stochastic = Operator::FToFStochastic { from: Format::F64, to: Format::BF16 };
    let bf16 = Type::float(ir::FloatKind::BF16);
    assert_eq!(Operator::from_ir(Op::FpToFpStochastic, f64, bf16), Some(stochastic));
    // Not on the wrong types, not for what the IR computes itself, not beyond 64 bits.
    assert_eq!(Operator::from_ir(Op::FAdd, Type::I32, Type::I32), None);
    assert_eq!(Operator::from_ir(Op::Add, Type::I32, Type::I32), None);
    assert_eq!(Operator::from_ir(Op::UDiv, Type::int(65), Type::int(65)), None);
}

#[test]
fn stimulus_reaches_every_class_of_number() {
    for format in Format::ALL {
        let mut rng = Rng::new(7);
        let mut classes = [0u32; 6];
        for _ in 0..10_000 {
            let x = rng.float(format) as u128 & !format.sign_mask();
            let class = match x {
                0 => 0,
                x if x < 1 << format.frac_bits => 1,
                x if x < format.infinity() => 2,
                x if x == format.infinity() => 3,
                x if x < format.nan() => 4,
                _ => 5,
            };
            classes[class] += 1;
        }
        assert!(classes.iter().all(|n| *n >= 30), "{format}: {classes:?}");
    }
}

#[test]
fn stimulus_repeats_itself() {
    let draw = |seed| {
        let mut rng = Rng::new(seed);
        [rng.float(Format::F64), rng.float_near(Format::F32, 5), rng.integer(17)]
    };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
}
