//! Functions with wider bounds: `half_` within 8192 ulp, `native_` within the table for `-cl-unsafe-math-optimizations` of
//! OpenCL C (section "Relative error as ULPs").

#[allow(dead_code, reason = "bounds of the other functions")]
mod functions;

use arith::math::Tier;
use arith::stimulus::Rng;
use arith::{Format, Operator, eval, math};
use clhls_arith as arith;
use functions::numbers::decode;
use functions::{ulp_error, value};
use ir::{MathFn, MathType};
use rug::Float;

const F32: Format = Format::F32;
const LEAST_NORMAL: f64 = 1.1754943508222875e-38;

fn relaxed() -> Vec<MathFn> {
    MathFn::ALL.iter().copied().filter(|f| Tier::of(*f).is_some()).collect()
}

/// Whether a function takes subnormal numbers for zeros.
fn flushes(f: MathFn) -> bool {
    Tier::of(f) == Some(Tier::Half) || matches!(f, MathFn::NativeDivide | MathFn::NativeRecip)
}

/// The number without a subnormal magnitude.
fn flushed(v: Float) -> Float {
    match v.clone().abs() < LEAST_NORMAL {
        true if v.is_sign_negative() => -Float::new(v.prec()),
        true => Float::new(v.prec()),
        false => v,
    }
}

/// Whether a result is as near as OpenCL C asks.
fn is_near(f: MathFn, x: f64, result: f64, exact: &Float, ulp: f64) -> bool {
    use MathFn::*;
    let absolute = || (result - exact.clone()).abs().to_f64();
    match f {
        // NaN and the like
        _ if ulp == 0.0 => true,
        _ if Tier::of(f) == Some(Tier::Half) => ulp <= 8192.0,
        NativeExp | NativeExp2 => ulp <= 3.0 + (2.0 * x).abs().floor(),
        NativeExp10 => ulp <= 8192.0,
        NativeLog | NativeLog2 | NativeLog10 if (0.5..=2.0).contains(&x) => {
            absolute() <= 1.0 / 2_097_152.0
        }
        NativeLog | NativeLog2 | NativeLog10 | NativeSqrt => ulp <= 3.0,
        // half_sin and the like are these, where they are defined.
        NativeSin | NativeCos if x.abs() <= 65536.0 => ulp <= 8192.0 && absolute() <= 1.0 / 2048.0,
        NativeTan if x.abs() <= 65536.0 => ulp <= 8192.0,
        NativeSin | NativeCos | NativeTan => ulp < f64::INFINITY,
        NativeRsqrt => ulp <= 2.0,
        // 2^t, as `exp2` is of the same t.
        NativePow | NativePown | NativePowr | NativeRootn => {
            let t = exact.clone().abs().log2().to_f64().abs();
            ulp <= 3.0 + (2.0 * t.min(150.0)).floor()
        }
        NativeDivide | NativeRecip => ulp <= 2.5,
        other => unreachable!("{} has the usual bounds", other.name()),
    }
}

/// Checks one case and gives its error in ulp.
fn check(f: MathFn, x: u32, y: u32) -> f64 {
    let result = eval(Operator::Math(f, F32), &[x.into(), y.into()]);
    let number = |bits: u32| match flushes(f) {
        true => flushed(decode(F32, bits.into())),
        false => decode(F32, bits.into()),
    };
    let b = match f.args().get(1) {
        Some(MathType::Int) => Float::with_val(64, y.cast_signed()),
        _ => number(y),
    };
    let a = number(x);
    let exact = value(f, &a, &b);
    let ours = decode(F32, result);
    let ulp = ulp_error(F32, result, &exact);
    let vanished = flushes(f)
        && exact.clone().abs() < LEAST_NORMAL
        && ours.is_zero()
        && (ours.is_sign_negative() == exact.is_sign_negative());
    let near = vanished || is_near(f, a.to_f64(), ours.to_f64(), &exact, ulp);
    assert!(near, "{}({x:#x}, {y:#x}) = {result:#x}, not {exact:.12}: {ulp} ulp", f.name());
    if vanished { 0.0 } else { ulp }
}

/// Operands of any size, everyday ones, neighbours of 1 and of powers of two.
fn run(cases: u32, seed: u64) {
    for f in relaxed() {
        let mut rng = Rng::new(seed);
        let mut worst = 0f64;
        for k in 0..cases {
            let x = match k % 5 {
                0 => rng.float(F32) as u32,
                1 => ((rng.below(1 << 20) as f32 - 524_288.0) / 8192.0).to_bits(),
                2 => (1.0f32).to_bits() + rng.below(1 << 16) as u32 - (1 << 15),
                3 => (rng.below(256) as u32) << 23 ^ (rng.below(3) as u32).wrapping_sub(1),
                _ => (rng.bits() >> 32) as u32,
            };
            let y = match k % 4 {
                0 if f.args().get(1) == Some(&MathType::Int) => {
                    (rng.below(256) as u32).wrapping_sub(128)
                }
                1 => ((rng.below(1 << 20) as f32 - 524_288.0) / 8192.0).to_bits(),
                0 => rng.float_near(F32, x.into()) as u32,
                2 => (1.0 + rng.below(1 << 23) as f32 / 8_388_608.0).to_bits(),
                _ => (rng.bits() >> 32) as u32,
            };
            let error = check(f, x, y);
            if error.is_finite() {
                worst = worst.max(error);
            }
        }
        println!("{}: {worst:.2} ulp", f.name());
    }
}

#[test]
fn samples() {
    run(10_000, 1);
}

/// About the ends of the tables' segments, where polynomials are worst and results reach powers of two: in two octaves of either
/// sign, and as quotients of all ends.
#[test]
fn ends_of_segments() {
    let ends = (0x3f80_0000..=0x4080_0000).step_by(1 << 15);
    let near = ends.flat_map(|end: u32| end - 2..=end + 2);
    for f in relaxed() {
        for x in near.clone() {
            for y in [1, 0x3f80_0000, 0x3f80_0001, 0x3fff_ffff, x] {
                check(f, x, y);
                check(f, y, x);
            }
            check(f, x | 1 << 31, 0x4000_0001);
        }
    }
}

/// `cargo test --release -p clhls-arith --test relaxed -- --ignored --nocapture`
#[test]
#[ignore = "takes some minutes in a release build"]
fn at_length() {
    run(3_000_000, 2);
}

/// Every fraction, in the octaves that the functions of two or of one of them have, and where exponentials step.
#[test]
#[ignore = "takes some minutes in a release build"]
fn every_fraction() {
    use MathFn::*;
    for f in [NativeSqrt, HalfSqrt, NativeRsqrt, HalfRsqrt, NativeRecip, HalfRecip] {
        (0x3f80_0000..0x4080_0000).for_each(|x| {
            check(f, x, 0);
        });
    }
    for f in [NativeExp, NativeExp2, HalfExp, HalfExp2, NativeLog, HalfLog, NativeLog2, HalfLog2] {
        (0x3f00_0000..0x4000_0000).for_each(|x| {
            check(f, x, 0);
        });
    }
}

/// Results that C99 prescribes, whatever the bounds.
#[test]
fn edge_cases() {
    let (inf, nan, zero) = (f32::INFINITY, f32::NAN, 0f32);
    for f in relaxed() {
        for x in [zero, -zero, 1.0, -1.0, inf, -inf, nan] {
            for y in [zero, -zero, 1.0, -1.0, inf, -inf, nan] {
                check(f, x.to_bits(), y.to_bits());
            }
        }
        assert!(!math::is_supported(f, Format::F64) && !math::is_supported(f, Format::F16));
    }
}
