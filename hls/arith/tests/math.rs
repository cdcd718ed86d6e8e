//! Mathematical functions against MPFR: within the bounds of OpenCL C (full profile, section "Relative error as ULPs"), and
//! closer, as documented in docs/arith.md.

mod functions;

use arith::stimulus::Rng;
use arith::{Format, Operator, eval, math};
use clhls_arith as arith;
use functions::bounds::bound;
use functions::numbers::{decode, encode};
use functions::{error, value};
use ir::{MathFn, MathType, Rounding};

/// What we promise: one rounding, and a little for the table.
fn promised(f: MathFn, format: Format) -> f64 {
    use MathFn::*;
    match (f, format) {
        (Ldexp | Logb | Ilogb, _) => 0.5,
        (Tan | Tanpi | Acosh | Asinh | Atanh, Format::F32) => 0.8,
        (Rootn, Format::F32) => 8.0,
        (Rootn, _) => 0.6,
        (Lgamma, _) => 1.0,
        (Erf, Format::F32) => 0.7,
        (_, Format::F32) => 0.65,
        (_, Format::F64) => 0.6,
        _ => 0.51,
    }
}

fn check(f: MathFn, format: Format, x: u128, y: u128) -> f64 {
    let result = eval(Operator::Math(f, format), &[x, y]);
    let second = match f.args().get(1) {
        Some(MathType::Int) => rug::Float::with_val(64, y as u32 as i32),
        _ => decode(format, y),
    };
    let error = error(f, format, x, result, &value(f, &decode(format, x), &second));
    let limit = promised(f, format).min(bound(f, format));
    assert!(error <= limit, "{}({x:#x}, {y:#x}) = {result:#x}: {error} ulp of {format}", f.name());
    error
}

fn float_functions(format: Format) -> impl Iterator<Item = MathFn> {
    let float = |f: &MathFn| f.result() == MathType::Float;
    let usual = move |f: &MathFn| math::is_supported(*f, format) && math::Tier::of(*f).is_none();
    MathFn::ALL.iter().copied().filter(float).filter(usual)
}

#[test]
fn half_precision_everywhere() {
    for f in float_functions(Format::F16).filter(|f| f.args().len() == 1) {
        (0..1 << 16).step_by(7).for_each(|x| {
            check(f, Format::F16, x, 0);
        });
    }
}

#[test]
fn single_precision_samples() {
    for f in float_functions(Format::F32) {
        let mut rng = Rng::new(7);
        let mut worst: f64 = 0.0;
        let mut test = |x: u32, y: u128| worst = worst.max(check(f, Format::F32, x.into(), y));
        for _ in 0..2_000 {
            // Corners and any exponent; then numbers of the size that people use.
            let x = rng.float(Format::F32) as u32;
            test(x, rng.integer(32) as u128);
            let everyday = (rng.below(1 << 20) as f32 - 524_288.0) / 8192.0;
            test(everyday.to_bits(), rng.below(40) as u128);
            let unit = (1.0f32).to_bits() + rng.below(1 << 16) as u32 - (1 << 15);
            test(unit, 3);
            // Two numbers that have to do with each other, and everyday powers.
            let near = u128::from(rng.float_near(Format::F32, x.into()) as u32);
            if f.args().get(1) == Some(&MathType::Float) {
                test(x, near);
                let other = (rng.below(1 << 16) as f32 - 32_768.0) / 2048.0;
                test(everyday.to_bits(), other.to_bits().into());
                test(everyday.abs().to_bits(), (other.floor()).to_bits().into());
            } else {
                test((1.5 + everyday / 1e6).to_bits(), rng.below(200) as u128);
                test(everyday.to_bits(), u128::from((rng.below(20) as i32 - 10) as u32));
            }
        }
        println!("{}: {worst:.3} ulp", f.name());
    }
}

/// Operands of a function in double precision: corners, everyday numbers, neighbours of one another and of the places
/// where functions turn, vanish or leave the range.
fn double_operands(f: MathFn, rng: &mut Rng, mut test: impl FnMut(f64, u128)) {
    let ends = [709.782712893384, -745.1332191019411, 1024.0, -1074.5, 308.2547155599167, -323.6];
    let ends = ends.into_iter().chain([710.4758600739439, 19.06, 0.5, 36.7, -37.4, 0.25]);
    let ends: Vec<f64> = ends.collect();
    let any = |rng: &mut Rng| f64::from_bits(rng.float(Format::F64));
    let everyday = |rng: &mut Rng| {
        let integer = (rng.bits() as i64 >> 11) as f64;
        integer / 2f64.powi(40 + rng.below(14) as i32)
    };
    let ulps = |x: f64, rng: &mut Rng| {
        f64::from_bits(x.to_bits().wrapping_add(rng.below(9)).wrapping_sub(4))
    };
    let near_one = |rng: &mut Rng| {
        let distance = (rng.bits() as i64 as f64) / 2f64.powi(64 + rng.below(53) as i32);
        1.0 + distance
    };
    let reach = 1 << (1 + rng.below(40));
    let quarter = rng.below(reach) as f64 * std::f64::consts::FRAC_PI_2;
    let end = ends[rng.below(ends.len() as u64) as usize];
    let inside = (rng.bits() as i64 >> 10) as f64 / 2f64.powi(53) * 1100.0;
    let firsts = [any(rng), everyday(rng), near_one(rng), -near_one(rng)];
    let firsts = firsts.into_iter().chain([ulps(quarter, rng), ulps(end, rng), inside]);
    for x in firsts.collect::<Vec<_>>() {
        match f.args().get(1) {
            None => test(x, 0),
            Some(MathType::Int) => {
                test(x, rng.integer(32) as u128);
                test(x, u128::from((rng.below(40) as i32 - 20) as u32));
            }
            Some(MathType::Float) => {
                test(x, u128::from(rng.float_near(Format::F64, x.to_bits())));
                let y = everyday(rng);
                test(x, y.to_bits().into());
                test(x.abs(), y.floor().to_bits().into());
                // A power that is about as large as there are.
                let largest = inside / x.abs().log2();
                test(x.abs(), largest.to_bits().into());
            }
        }
    }
}

fn double_precision(cases: usize, seed: u64) {
    for f in float_functions(Format::F64) {
        let mut rng = Rng::new(seed);
        let (mut worst, mut tests) = (0f64, 0);
        while tests < cases {
            double_operands(f, &mut rng, |x, y| {
                worst = worst.max(check(f, Format::F64, x.to_bits().into(), y));
                tests += 1;
            });
        }
        println!("{} of f64: {worst:.3} ulp in {tests} cases", f.name());
    }
}

#[test]
fn double_precision_samples() {
    double_precision(4_000, 3);
}

/// A million cases a function: `cargo test --release -p clhls-arith --test math -- --ignored --nocapture`.
#[test]
#[ignore = "takes some minutes in a release build"]
fn double_precision_at_length() {
    double_precision(1_000_000, 4);
}

/// Significands of 53 bits that, times 2^e, are closest to multiples of pi/2: multiples of the denominators of 2/pi 2^e's
/// best approximations.
fn near_quarter_turns(e: i32) -> Vec<f64> {
    const BITS: u32 = 320;
    let precision = BITS + 1100;
    let two_over_pi = 2u32 / rug::Float::with_val(precision, rug::float::Constant::Pi);
    let scaled = (two_over_pi << (e + BITS as i32)).to_integer().expect("finite");
    let (mut above, mut below) = (rug::Integer::from(1) << BITS, scaled.keep_bits(BITS));
    let (mut last, mut denominator) = (0u64, 1u64);
    let mut found = vec![];
    while below != 0 {
        let (quotient, rest) = above.div_rem(below.clone());
        let next = quotient.to_u64().and_then(|q| q.checked_mul(denominator)?.checked_add(last));
        let Some(next) = next.filter(|n| *n < 1 << 53) else { break };
        (above, below) = (below, rest);
        (last, denominator) = (denominator, next);
        found.push(((1 << 53) - 1) / denominator * denominator);
        found.push(denominator << (denominator.leading_zeros() - 11));
    }
    found.iter().rev().take(4).map(|m| *m as f64 * 2f64.powi(e)).collect()
}

#[test]
fn multiples_of_quarter_turns_in_double_precision() {
    // The nearest of all, after J.-M. Muller, "Elementary Functions", section 11.3.
    assert!(near_quarter_turns(797).contains(&(6_381_956_970_095_103f64 * 2f64.powi(797))));
    for e in -52..=970 {
        for x in near_quarter_turns(e) {
            for f in [MathFn::Sin, MathFn::Cos, MathFn::Tan] {
                check(f, Format::F64, x.to_bits().into(), 0);
            }
        }
    }
}

/// Arguments at which double precision is hardest.
#[test]
fn hard_cases_of_double_precision() {
    let check = |f, x: f64| check(f, Format::F64, x.to_bits().into(), 0);
    // Nearest to a multiple of pi/2 of all doubles.
    let nearest = 6_381_956_970_095_103f64 * 2f64.powi(797);
    for f in [MathFn::Sin, MathFn::Cos, MathFn::Tan, MathFn::Sinpi, MathFn::Cospi, MathFn::Tanpi] {
        for x in [nearest, 1.5 * nearest, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), 0.5, 0.75]
        {
            check(f, x);
            check(f, -x);
        }
    }
    let ends = [709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412];
    let ends = ends.into_iter().chain([-708.3964185322641, 1024.0, -1074.0, -1075.0, -1074.9]);
    for x in ends.chain([308.25471555991675, -323.60724533877976, 1e300, -1e300, 1e-300]) {
        for f in
            [MathFn::Exp, MathFn::Exp2, MathFn::Exp10, MathFn::Expm1, MathFn::Sinh, MathFn::Cosh]
        {
            check(f, x);
        }
    }
}

/// Arguments at which single precision is hardest: x nearest to a multiple of pi/2, and the ends of the ranges.
#[test]
fn hard_cases() {
    let nearest = 16_367_173f32 * 2f32.powi(72);
    for f in [MathFn::Sin, MathFn::Cos, MathFn::Tan] {
        for x in [nearest, -nearest, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)] {
            check(f, Format::F32, x.to_bits().into(), 0);
        }
    }
    let ends =
        [88.72284f32, 88.72283, -103.97208, -103.97209, -87.33655, 128.0, -149.0, -150.0, 38.53184];
    for f in [MathFn::Exp, MathFn::Exp2, MathFn::Exp10, MathFn::Expm1] {
        for x in ends {
            check(f, Format::F32, x.to_bits().into(), 0);
        }
    }
}

/// The gamma functions where they turn, overflow, vanish and have their poles and zeros.
#[test]
fn gamma_functions() {
    let points = [
        35.04, 35.03, 48.0, 64.0, 8.0, 7.999_999, 16.0, 1.0, 2.0, 0.5, 3.0, 1e-39, 1e-38, 3e36,
        5e36, 1e9,
    ];
    for f in [MathFn::Tgamma, MathFn::Lgamma, MathFn::Erf, MathFn::Erfc] {
        let mut rng = Rng::new(11);
        let near = (0..4000).map(|_| (rng.below(1 << 24) as f32 - 8_388_608.0) / 131_072.0);
        let points =
            points.iter().flat_map(|x| [*x, -*x]).chain(near).chain((-50..40).map(|x| x as f32));
        for x in points {
            for bits in [x.to_bits(), x.next_up().to_bits(), x.next_down().to_bits()] {
                check(f, Format::F32, bits.into(), 0);
            }
        }
    }
}

#[test]
fn gamma_functions_of_double_precision() {
    let points = [
        171.624, 171.625, 177.5, 184.25, 192.0, 256.0, 4.0, 3.999_999, 8.0, 16.0, 1.0, 2.0, 0.5,
        1e-308, 1e-309, 27.2, 27.3, 26.5, 5.92, 5.93, 32.0, 1e15, 2.5e305, 2.6e305, 1.7e10, 1.8e10,
    ];
    for f in [MathFn::Tgamma, MathFn::Lgamma, MathFn::Erf, MathFn::Erfc] {
        let mut rng = Rng::new(12);
        let near =
            (0..2000).map(|_| (rng.below(1 << 40) as f64 - 549_755_813_888.0) / 2_147_483_648.0);
        let integers = (-190..180).map(f64::from);
        for x in points.iter().flat_map(|x| [*x, -*x]).chain(near).chain(integers) {
            for bits in [x.to_bits(), x.next_up().to_bits(), x.next_down().to_bits()] {
                check(f, Format::F64, bits.into(), 0);
            }
        }
    }
}

#[test]
fn sign_of_gamma() {
    for format in Format::ALL {
        let mut rng = Rng::new(3);
        let op = Operator::Math(MathFn::LgammaSign, format);
        let small = |k: u64| {
            encode(format, Rounding::Rte, &rug::Float::with_val(64, k as f64 / 4.0 - 30.0))
        };
        let points: Vec<u128> =
            (0..5_000).map(|_| rng.float(format) as u128).chain((0..240).map(small)).collect();
        for x in points {
            let number = decode(format, x);
            let expected = match number.clone().gamma() {
                _ if number.is_zero() => 0,
                _ if number.is_infinite() => i32::from(!number.is_sign_negative()),
                gamma if gamma.is_nan() => 0,
                gamma if gamma.is_zero() => continue, // too small for MPFR
                gamma if gamma.is_sign_negative() => -1,
                _ => 1,
            };
            assert_eq!(eval(op, &[x]) as u32 as i32, expected, "{x:#x}");
        }
    }
}

#[test]
fn integer_exponents() {
    for format in Format::ALL {
        let mut rng = Rng::new(5);
        let op = Operator::Math(MathFn::Ilogb, format);
        for _ in 0..5_000 {
            let x = rng.float(format) as u128;
            let number = decode(format, x);
            let expected = match number.get_exp() {
                Some(e) => e - 1,
                None if number.is_zero() => i32::MIN,
                None => i32::MAX,
            };
            assert_eq!(eval(op, &[x]) as u32 as i32, expected, "{x:#x}");
        }
    }
}
