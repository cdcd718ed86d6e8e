//! The suites: every pair of f16 numbers, the conversions, and long random runs of everything that
//! has too many operands.

use crate::Suite;
use crate::host;
#[path = "../../tests/reference/mod.rs"]
pub mod reference;

use arith::bits::Bits;
use arith::native::{Native, Value};
use arith::stimulus::Rng;
use arith::{Format, Rounding, float, int};
use clhls_arith as arith;
use std::ops::Range;

const F16: Format = Format::F16;
const F32: Format = Format::F32;
const F64: Format = Format::F64;
const RTE: Rounding = Rounding::Rte;
const RTZ: Rounding = Rounding::Rtz;
pub const HARDWARE: &str = "host hardware";
pub const DOUBLE: &str = "host double, rounded again";
pub const MPFR: &str = "MPFR";

type Narrow = Native<u64>;
type Wide = Native<u128>;

/// All suites in the order in which they run; `count` cases in each random one.
pub fn all(count: u64) -> Vec<Suite> {
    let mut suites = crate::conversions::all(count);
    suites.extend(half_pairs());
    suites.extend(single_unary());
    suites.extend(random_single(count));
    suites.extend(random_double(count));
    suites.extend(random_division(count));
    suites
}

/// A suite that compares two functions of the operands that belong to a case number.
pub fn suite<C: std::fmt::Debug, T: PartialEq + std::fmt::LowerHex>(
    name: impl Into<String>,
    reference: &'static str,
    cases: u64,
    operands: impl Fn(u64) -> C + Sync + 'static,
    ours: impl Fn(&C) -> T + Sync + 'static,
    theirs: impl Fn(&C) -> T + Sync + 'static,
) -> Suite {
    let check = move |range: Range<u64>, step: usize| {
        let mut differences = vec![];
        for case in range.step_by(step) {
            let operands = operands(case);
            let (found, expected) = (ours(&operands), theirs(&operands));
            if found != expected {
                differences.push(format!("{operands:x?}: {found:#x}, should be {expected:#x}"));
            }
        }
        differences
    };
    Suite { name: name.into(), reference, cases, check: Box::new(check) }
}

/// A suite over every bit pattern of one operand.
fn every<T: PartialEq + std::fmt::LowerHex>(
    name: impl Into<String>,
    reference: &'static str,
    width: u32,
    ours: impl Fn(&Narrow, Value<u64>) -> T + Sync + 'static,
    theirs: impl Fn(u64) -> T + Sync + 'static,
) -> Suite {
    let ours = move |x: &u64| ours(&Narrow::new(), Narrow::new().value(width, *x));
    suite(name, reference, 1 << width, |x| x, ours, move |x| theirs(*x))
}

/// Every pair of f16 numbers.
fn half_pairs() -> Vec<Suite> {
    fn pair(
        name: &str,
        ours: impl Fn(&Narrow, Value<u64>, Value<u64>) -> Value<u64> + Sync + 'static,
        theirs: impl Fn(f64, f64) -> f64 + Sync + 'static,
    ) -> Suite {
        let decoded: Vec<f64> = (0..1 << 16).map(|x| host::decode(F16, x)).collect();
        let ours = move |[x, y]: &[u64; 2]| {
            let b = Narrow::new();
            ours(&b, b.value(16, *x), b.value(16, *y)).bits
        };
        let theirs = move |[x, y]: &[u64; 2]| {
            host::encode(F16, RTE, theirs(decoded[*x as usize], decoded[*y as usize]))
        };
        let operands = |i| [i >> 16, i & 0xffff];
        suite(format!("{name}_f16, all pairs"), DOUBLE, 1 << 32, operands, ours, theirs)
    }
    vec![
        pair("fadd", |b, x, y| float::fadd(b, F16, RTE, x, y), |x, y| x + y),
        pair("fsub", |b, x, y| float::fsub(b, F16, RTE, x, y), |x, y| x - y),
        pair("fmul", |b, x, y| float::fmul(b, F16, RTE, x, y), |x, y| x * y),
        pair("fdiv", |b, x, y| float::fdiv(b, F16, RTE, x, y), |x, y| x / y),
    ]
}

/// Every f32 operand of the unary operators.
fn single_unary() -> Vec<Suite> {
    let number = |x: u64| f32::from_bits(x as u32);
    let sqrt = |b: &Narrow, x| float::fsqrt(b, F32, RTE, x).bits;
    let mut suites =
        vec![every("fsqrt_f32", HARDWARE, 32, sqrt, move |x| single(number(x).sqrt()))];
    for (mode, suffix) in Rounding::ALL {
        let integral = move |b: &Narrow, x| float::fround(b, F32, mode, x).bits;
        let theirs = move |x| single(host::round(mode, number(x) as f64) as f32);
        suites.push(every(format!("fround_f32_{suffix}"), HARDWARE, 32, integral, theirs));
    }
    suites
}

fn single(x: f32) -> u64 {
    if x.is_nan() { F32.nan() as u64 } else { x.to_bits() as u64 }
}

fn double(x: f64) -> u64 {
    if x.is_nan() { F64.nan() as u64 } else { x.to_bits() }
}

/// Three related operands for case `i`.
fn triple(f: Format, i: u64) -> [u64; 3] {
    let mut rng = Rng::new(i.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let x = rng.float(f);
    let y = rng.float_near(f, x);
    let b = Wide::new();
    let [xv, yv] = [x, y].map(|v| b.value(f.width(), v as u128));
    let product = float::fmul(&b, f, RTZ, xv, yv).bits as u64;
    [x, y, rng.float_near(f, product)]
}

/// Random suites of one format against the host's arithmetic.
macro_rules! random_suites {
    ($name:ident, $float:ty, $bits:ty, $format:expr, $word:ty, $fold:ident) => {
        fn $name(count: u64) -> Vec<Suite> {
            const F: Format = $format;
            fn of(
                name: &str,
                count: u64,
                ours: impl Fn(&Native<$word>, [Value<$word>; 3]) -> Value<$word> + Sync + 'static,
                theirs: impl Fn($float, $float, $float) -> $float + Sync + 'static,
            ) -> Suite {
                let ours = move |operands: &[u64; 3]| {
                    let b = Native::<$word>::new();
                    let values = operands.map(|v| b.constant(F.width(), v as u128));
                    ours(&b, values).bits as u64
                };
                let theirs = move |operands: &[u64; 3]| {
                    let [x, y, z] = operands.map(|v| <$float>::from_bits(v as $bits));
                    $fold(theirs(x, y, z))
                };
                let name = format!("{name}_{F}, corner-mixing random");
                suite(name, HARDWARE, count, |i| triple(F, i), ours, theirs)
            }
            vec![
                of("fadd", count, |b, [x, y, _]| float::fadd(b, F, RTE, x, y), |x, y, _| x + y),
                of("fsub", count, |b, [x, y, _]| float::fsub(b, F, RTE, x, y), |x, y, _| x - y),
                of("fmul", count, |b, [x, y, _]| float::fmul(b, F, RTE, x, y), |x, y, _| x * y),
                of("fdiv", count, |b, [x, y, _]| float::fdiv(b, F, RTE, x, y), |x, y, _| x / y),
                of(
                    "fma",
                    count,
                    |b, [x, y, z]| float::fma(b, F, RTE, x, y, z),
                    |x, y, z| x.mul_add(y, z),
                ),
                of("fsqrt", count, |b, [x, ..]| float::fsqrt(b, F, RTE, x), |x, _, _| x.sqrt()),
            ]
        }
    };
}

random_suites!(random_single, f32, u32, F32, u64, single);
random_suites!(random_double, f64, u64, F64, u128, double);

/// Integer division of corner-mixing operands.
fn random_division(count: u64) -> Vec<Suite> {
    let operands = |i: u64, width: u32| {
        let mut rng = Rng::new(i.wrapping_mul(0x2545_f491_4f6c_dd1d));
        [rng.integer(width), rng.integer(width)]
    };
    let both = |quotient: u128, remainder: u128, width: u32| remainder << width | quotient;
    let mut suites = vec![];
    for width in [32, 64] {
        let ours = move |operands: &[u64; 2]| {
            let b = Wide::new();
            let [x, y] = operands.map(|v| b.value(width, v as u128));
            let d = int::udiv_rem(&b, x, y);
            both(d.quotient.bits, d.remainder.bits, width)
        };
        let theirs = move |[x, y]: &[u64; 2]| {
            let quotient = x.checked_div(*y).unwrap_or(u64::MAX >> (64 - width));
            both(quotient as u128, x.checked_rem(*y).unwrap_or(*x) as u128, width)
        };
        let name = format!("udivrem_u{width}, corner-mixing random");
        suites.push(suite(name, HARDWARE, count, move |i| operands(i, width), ours, theirs));
    }
    suites
}
