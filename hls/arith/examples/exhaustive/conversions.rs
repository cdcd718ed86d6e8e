//! Conversions: every operand of up to 32 bits, and operands of 64 bits that mix corners, in all
//! roundings, for all pairs of formats and integers.
//!
//! Each datapath is compiled for its widths and mode, so that 2^32 cases take minutes.

use crate::Suite;
use crate::host;
use crate::suites::{DOUBLE, HARDWARE, MPFR, reference, suite};

use arith::native::{Native, Value, Word};
use arith::stimulus::Rng;
use arith::{Bits, Format, Operator, Rounding, eval, float};
use clhls_arith as arith;

/// Formats and modes by the numbers that stand for them as parameters of functions.
const FORMATS: [Format; 4] = Format::ALL;
const F32: usize = 2;
const F64: usize = 3;
const MODES: [Rounding; 5] =
    [Rounding::Rte, Rounding::Rtz, Rounding::Rtp, Rounding::Rtn, Rounding::Rhaz];
const INTEGER: &str = "host integers";
/// Stochastic roundings of each 16-bit operand.
const DRAWS: u64 = 64;

/// A conversion of bit patterns.
type Convert = fn(u64) -> u64;

/// An array of `$name::<params.., mode>` for the modes in order.
macro_rules! by_mode {
    ($name:ident, $($param:expr),*) => {
        [
            $name::<$({ $param }),*, 0>,
            $name::<$({ $param }),*, 1>,
            $name::<$({ $param }),*, 2>,
            $name::<$({ $param }),*, 3>,
            $name::<$({ $param }),*, 4>,
        ]
    };
}

/// `$name` for all integers: their width, whether they are signed, and the functions by mode.
macro_rules! by_integer {
    ($name:ident, $format:expr) => {
        [
            (8, false, by_mode!($name, $format, 8, false)),
            (8, true, by_mode!($name, $format, 8, true)),
            (16, false, by_mode!($name, $format, 16, false)),
            (16, true, by_mode!($name, $format, 16, true)),
            (32, false, by_mode!($name, $format, 32, false)),
            (32, true, by_mode!($name, $format, 32, true)),
            (64, false, by_mode!($name, $format, 64, false)),
            (64, true, by_mode!($name, $format, 64, true)),
        ]
    };
}

fn value<W: Word>(width: u32, x: u64) -> (Native<W>, Value<W>) {
    let b = Native::<W>::new();
    (b, b.constant(width, x as u128))
}

fn ftoi<const FROM: usize, const WIDTH: u32, const SIGNED: bool, const MODE: usize>(x: u64) -> u64 {
    let (from, mode) = (FORMATS[FROM], MODES[MODE]);
    if WIDTH == 64 {
        let (b, x) = value::<u128>(from.width(), x);
        return float::ftoi(&b, from, WIDTH, SIGNED, mode, x).bits as u64;
    }
    let (b, x) = value::<u64>(from.width(), x);
    float::ftoi(&b, from, WIDTH, SIGNED, mode, x).bits
}

fn ftof<const FROM: usize, const TO: usize, const MODE: usize>(x: u64) -> u64 {
    let (b, x) = value::<u64>(FORMATS[FROM].width(), x);
    float::ftof(&b, FORMATS[FROM], FORMATS[TO], MODES[MODE], x).bits
}

fn itof<const TO: usize, const WIDTH: u32, const SIGNED: bool, const MODE: usize>(x: u64) -> u64 {
    let (b, x) = value::<u64>(WIDTH, x);
    float::itof(&b, FORMATS[TO], SIGNED, MODES[MODE], x).bits
}

fn stochastic<const FROM: usize, const TO: usize>([x, random]: [u64; 2]) -> u64 {
    let b = Native::<u128>::new();
    let (from, to) = (FORMATS[FROM], FORMATS[TO]);
    let (x, random) = (b.constant(from.width(), x as u128), b.constant(32, random as u128));
    float::ftof_stochastic(&b, from, to, x, random).bits as u64
}

/// All suites of conversions; `count` cases in those of 64-bit operands.
pub fn all(count: u64) -> Vec<Suite> {
    let mut suites = sixteen_bits();
    suites.extend(to_integers(F32, by_integer!(ftoi, F32), 1 << 32));
    suites.extend(to_integers(F64, by_integer!(ftoi, F64), count));
    suites.extend(to_floats(F32, 0, by_mode!(ftof, F32, 0), 1 << 32));
    suites.extend(to_floats(F32, 1, by_mode!(ftof, F32, 1), 1 << 32));
    suites.extend(to_floats(F32, F64, by_mode!(ftof, F32, F64), 1 << 32));
    suites.extend(to_floats(F64, 0, by_mode!(ftof, F64, 0), count));
    suites.extend(to_floats(F64, 1, by_mode!(ftof, F64, 1), count));
    suites.extend(to_floats(F64, F32, by_mode!(ftof, F64, F32), count));
    suites.push(stochastically(F32, 0, stochastic::<F32, 0>, 1 << 32));
    suites.push(stochastically(F32, 1, stochastic::<F32, 1>, 1 << 32));
    suites.push(stochastically(F64, 0, stochastic::<F64, 0>, count));
    suites.push(stochastically(F64, 1, stochastic::<F64, 1>, count));
    suites.push(stochastically(F64, F32, stochastic::<F64, F32>, count));
    suites.extend(from_integers(0, by_integer!(itof, 0), count));
    suites.extend(from_integers(1, by_integer!(itof, 1), count));
    suites.extend(from_integers(F32, by_integer!(itof, F32), count));
    suites.extend(from_integers(F64, by_integer!(itof, F64), count));
    suites
}

/// Every 16-bit operand of every conversion (and of the other operators of one operand), in all
/// modes, by MPFR.
fn sixteen_bits() -> Vec<Suite> {
    let mut suites = vec![];
    for op in FORMATS.into_iter().flat_map(Operator::of_format) {
        let ours = move |x: &Vec<u128>| eval(op, x);
        let theirs = move |x: &Vec<u128>| reference::expected(op, x);
        match op.input_widths().as_slice() {
            [width @ (8 | 16)] => {
                let operand = |x| vec![x as u128];
                suites.push(suite(op.to_string(), MPFR, 1 << width, operand, ours, theirs));
            }
            [16, 32] => {
                let Operator::FToFStochastic { from, to } = op else { continue };
                let draw = move |case: u64| {
                    let x = case / DRAWS;
                    let up = reference::stochastic::threshold(
                        to,
                        &reference::numbers::decode(from, x as u128),
                    );
                    vec![x as u128, random_about(up, case) as u128]
                };
                let name = format!("{op}, {DRAWS} draws");
                suites.push(suite(name, MPFR, DRAWS << 16, draw, ours, theirs));
            }
            _ => {}
        }
    }
    suites
}

/// Random bits: those about which the result changes, and others.
fn random_about(up: Option<u32>, case: u64) -> u32 {
    let mut rng = Rng::new(case.wrapping_mul(0x9e6c_63d0_876a_3f6b));
    match (case % 4, up) {
        (0, Some(up)) => up,
        (1, Some(up)) => up.wrapping_sub(1),
        (2, _) => rng.integer(32) as u32,
        _ => rng.bits() as u32,
    }
}

/// The operand of a case: itself, or of 64 bits one about which conversions change.
fn float_operand(format: Format, case: u64) -> u64 {
    if format.width() <= 32 {
        return case;
    }
    let mut rng = Rng::new(case.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let near = match rng.below(4) {
        // a number of another format, or half way between two of them
        0 => {
            let other = FORMATS[rng.below(3) as usize];
            host::decode(other, rng.float(other)).to_bits()
        }
        // an integer or half of one
        1 => {
            let integer = rng.integer(64) as i64 as f64;
            (integer * [1.0, 0.5, 1.5, 0.25][rng.below(4) as usize]).to_bits()
        }
        _ => return rng.float(format),
    };
    // A few last places away, of f64, or of about a shorter format.
    let step =
        rng.below(5).wrapping_sub(2) << [0, 0, 28, 29, 41, 42, 44, 45][rng.below(8) as usize];
    near.wrapping_add(step) ^ rng.below(2) << 63
}

/// A number of f32 or f64.
fn number(format: Format, bits: u64) -> f64 {
    if format == Format::F32 { f32::from_bits(bits as u32) as f64 } else { f64::from_bits(bits) }
}

/// Conversions of a format to all integers, by rounding in double and the host's saturation.
fn to_integers(from: usize, table: [(u32, bool, [Convert; 5]); 8], cases: u64) -> Vec<Suite> {
    let from = FORMATS[from];
    let mut suites = vec![];
    for (width, signed, functions) in table {
        for (round, ours) in MODES.into_iter().zip(functions) {
            let theirs = move |x: &u64| {
                let rounded = host::round(round, number(from, *x));
                let bits = match (width, signed) {
                    (8, true) => rounded as i8 as u64,
                    (8, false) => rounded as u8 as u64,
                    (16, true) => rounded as i16 as u64,
                    (16, false) => rounded as u16 as u64,
                    (32, true) => rounded as i32 as u64,
                    (32, false) => rounded as u32 as u64,
                    (_, true) => rounded as i64 as u64,
                    (_, false) => rounded as u64,
                };
                bits & (u64::MAX >> (64 - width))
            };
            let name = Operator::FToI { from, width, signed, round }.to_string();
            let operand = move |case| float_operand(from, case);
            suites.push(suite(name, HARDWARE, cases, operand, move |x| ours(*x), theirs));
        }
    }
    suites
}

/// Conversions between two formats.
fn to_floats(from: usize, to: usize, functions: [Convert; 5], cases: u64) -> Vec<Suite> {
    let (from, to) = (FORMATS[from], FORMATS[to]);
    let one = |(round, ours): (Rounding, Convert)| {
        let theirs = move |x: &u64| match number(from, *x) {
            wide if to == Format::F64 && wide.is_nan() => to.nan() as u64,
            wide if to == Format::F64 => wide.to_bits(),
            narrow => host::encode(to, round, narrow),
        };
        let name = Operator::FToF { from, to, round }.to_string();
        let operand = move |case| float_operand(from, case);
        suite(name, DOUBLE, cases, operand, move |x| ours(*x), theirs)
    };
    MODES.into_iter().zip(functions).map(one).collect()
}

/// A conversion by random bits.
fn stochastically(from: usize, to: usize, ours: fn([u64; 2]) -> u64, cases: u64) -> Suite {
    let (from, to) = (FORMATS[from], FORMATS[to]);
    let operands = move |case| {
        let x = float_operand(from, case);
        let tail = host::fixed_point(to, number(from, x)).map(|(_, places)| places as u32);
        let up = tail.filter(|tail| *tail != 0).map(u32::wrapping_neg);
        // every fourth 32-bit pattern is alike: its other bits decide too
        [x, random_about(up, case ^ case >> 16) as u64]
    };
    let theirs =
        move |[x, random]: &[u64; 2]| host::encode_stochastic(to, number(from, *x), *random as u32);
    let name = Operator::FToFStochastic { from, to }.to_string();
    suite(name, DOUBLE, cases, operands, move |x| ours(*x), theirs)
}

/// Conversions of the 32-bit and 64-bit integers to a format; the smaller ones are among the
/// 16-bit operands.
fn from_integers(to: usize, table: [(u32, bool, [Convert; 5]); 8], count: u64) -> Vec<Suite> {
    let to = FORMATS[to];
    let mut suites = vec![];
    for (width, signed, functions) in table.into_iter().filter(|(width, ..)| *width >= 32) {
        for (round, ours) in MODES.into_iter().zip(functions) {
            let operand = move |case: u64| match width {
                32 => case,
                _ => integer_operand(to, case),
            };
            let theirs = move |x: &u64| {
                let negative = signed && x >> (width - 1) == 1;
                let magnitude = if negative { x.wrapping_neg() } else { *x };
                let magnitude = magnitude & (u64::MAX >> (64 - width));
                host::encode_integer(to, round, negative, magnitude)
            };
            let cases = if width == 32 { 1 << 32 } else { count };
            let name = Operator::IToF { width, signed, to, round }.to_string();
            suites.push(suite(name, INTEGER, cases, operand, move |x| ours(*x), theirs));
        }
    }
    suites
}

/// A 64-bit integer, often near a number of the format or half way between two of them.
fn integer_operand(to: Format, case: u64) -> u64 {
    let mut rng = Rng::new(case.wrapping_mul(0x2545_f491_4f6c_dd1d));
    if rng.below(4) == 0 {
        return rng.integer(64);
    }
    let digits = rng.integer(to.precision() + 1) | 1 << to.precision();
    let near = digits << rng.below(64 - to.precision() as u64);
    let magnitude = near.wrapping_add(rng.below(3)).wrapping_sub(1);
    if rng.below(2) == 1 { magnitude.wrapping_neg() } else { magnitude }
}
