//! Operators against the host's IEEE 754 arithmetic (round to nearest even) and the conversions
//! of Rust's `as`, which saturate as the operators do.

use arith::stimulus::Rng;
use arith::{FloatCC, Format, Operator, Rounding, eval};
use clhls_arith as arith;

const CASES: usize = 100_000;
const RTE: Rounding = Rounding::Rte;
const RTZ: Rounding = Rounding::Rtz;

/// Tests of one format: the host's type, its bits, and the format.
macro_rules! against_host {
    ($module:ident, $float:ty, $bits:ty, $format:expr) => {
        mod $module {
            use super::*;
            const F: Format = $format;

            fn bits(value: $float) -> u128 {
                if value.is_nan() { F.nan() } else { value.to_bits() as u128 }
            }

            /// Runs `check` on triples of related operands.
            fn triples(seed: u64, check: impl Fn([u128; 3], [$float; 3])) {
                let mut rng = Rng::new(seed);
                for _ in 0..CASES {
                    let x = rng.float(F);
                    let y = rng.float_near(F, x);
                    let float = |x: u64| <$float>::from_bits(x as $bits);
                    let z = rng.float_near(F, (float(x) * float(y)).to_bits() as u64);
                    check([x, y, z].map(u128::from), [x, y, z].map(float));
                }
            }

            fn expect(op: Operator, inputs: &[u128], host: u128) {
                let ours = eval(op, inputs);
                assert!(ours == host, "{op}({inputs:x?}) = {ours:#x}, host says {host:#x}");
            }

            #[test]
            fn arithmetic() {
                triples(1, |i, [x, y, z]| {
                    expect(Operator::FAdd(F, RTE), &i[..2], bits(x + y));
                    expect(Operator::FSub(F, RTE), &i[..2], bits(x - y));
                    expect(Operator::FMul(F, RTE), &i[..2], bits(x * y));
                    expect(Operator::FDiv(F, RTE), &i[..2], bits(x / y));
                    expect(Operator::Fma(F, RTE), &i, bits(x.mul_add(y, z)));
                    expect(Operator::FSqrt(F, RTE), &i[..1], bits(x.sqrt()));
                });
            }

            #[test]
            fn comparison() {
                let cc = |cc| Operator::FCmp(F, cc);
                let (le, ge) = (FloatCC::LT.or(FloatCC::EQ), FloatCC::GT.or(FloatCC::EQ));
                let ne = FloatCC::LT.or(FloatCC::GT).or(FloatCC::UN);
                triples(2, |i, [x, y, _]| {
                    expect(cc(FloatCC::LT), &i[..2], (x < y) as u128);
                    expect(cc(FloatCC::GT), &i[..2], (x > y) as u128);
                    expect(cc(FloatCC::EQ), &i[..2], (x == y) as u128);
                    expect(cc(ne), &i[..2], (x != y) as u128);
                    expect(cc(le), &i[..2], (x <= y) as u128);
                    expect(cc(ge), &i[..2], (x >= y) as u128);
                    expect(cc(FloatCC::UN), &i[..2], (x.is_nan() || y.is_nan()) as u128);
                    expect(Operator::FAbs(F), &i[..1], x.abs().to_bits() as u128);
                    expect(Operator::FNeg(F), &i[..1], (-x).to_bits() as u128);
                    expect(Operator::FCopysign(F), &i[..2], x.copysign(y).to_bits() as u128);
                });
            }

            #[test]
            fn integral() {
                triples(3, |i, [x, ..]| {
                    let round = |mode| Operator::FRound(F, mode);
                    expect(round(RTE), &i[..1], bits(x.round_ties_even()));
                    expect(round(RTZ), &i[..1], bits(x.trunc()));
                    expect(round(Rounding::Rtp), &i[..1], bits(x.ceil()));
                    expect(round(Rounding::Rtn), &i[..1], bits(x.floor()));
                    expect(round(Rounding::Rhaz), &i[..1], bits(x.round()));
                });
            }

            #[test]
            fn to_integer() {
                let to = |width, signed| Operator::FToI { from: F, width, signed, round: RTZ };
                triples(4, |i, [x, ..]| {
                    expect(to(8, true), &i[..1], x as i8 as u8 as u128);
                    expect(to(8, false), &i[..1], x as u8 as u128);
                    expect(to(16, true), &i[..1], x as i16 as u16 as u128);
                    expect(to(16, false), &i[..1], x as u16 as u128);
                    expect(to(32, true), &i[..1], x as i32 as u32 as u128);
                    expect(to(32, false), &i[..1], x as u32 as u128);
                    expect(to(64, true), &i[..1], x as i64 as u64 as u128);
                    expect(to(64, false), &i[..1], x as u64 as u128);
                });
            }

            #[test]
            fn from_integer() {
                let from = |width, signed| Operator::IToF { width, signed, to: F, round: RTE };
                let mut rng = Rng::new(5);
                for _ in 0..CASES {
                    let x = rng.integer(64);
                    let low = |width: u32| (x & (u64::MAX >> (64 - width))) as u128;
                    expect(from(8, true), &[low(8)], bits(x as i8 as $float));
                    expect(from(8, false), &[low(8)], bits(x as u8 as $float));
                    expect(from(16, true), &[low(16)], bits(x as i16 as $float));
                    expect(from(16, false), &[low(16)], bits(x as u16 as $float));
                    expect(from(32, true), &[low(32)], bits(x as i32 as $float));
                    expect(from(32, false), &[low(32)], bits(x as u32 as $float));
                    expect(from(64, true), &[low(64)], bits(x as i64 as $float));
                    expect(from(64, false), &[low(64)], bits(x as $float));
                }
            }
        }
    };
}

against_host!(single, f32, u32, Format::F32);
against_host!(double, f64, u64, Format::F64);

#[test]
fn between_single_and_double() {
    let mut rng = Rng::new(6);
    let narrow = Operator::FToF { from: Format::F64, to: Format::F32, round: RTE };
    let widen = Operator::FToF { from: Format::F32, to: Format::F64, round: RTE };
    for _ in 0..CASES {
        let x = rng.float(Format::F32);
        let host = f32::from_bits(x as u32) as f64;
        let host = if host.is_nan() { Format::F64.nan() } else { host.to_bits() as u128 };
        assert_eq!(eval(widen, &[x as u128]), host, "widening {x:#x}");

        // Doubles about the range and the precision of single.
        let spread = (rng.below(1 << 29) << rng.below(30)) & ((1 << 30) - 1);
        for y in [rng.float(Format::F64), host as u64 ^ spread] {
            let host = f64::from_bits(y) as f32;
            let host = if host.is_nan() { Format::F32.nan() } else { host.to_bits() as u128 };
            assert_eq!(eval(narrow, &[y as u128]), host, "narrowing {y:#x}");
        }
    }
}
