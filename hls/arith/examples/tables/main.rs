//! Writes the coefficient tables of `hls/arith/tables`: `cargo run --release -p clhls-arith --example tables [DIR [NAME..]]`.
//! Names select tables.
//!
//! Each segment's polynomial interpolates the function, as MPFR computes it with 300 bits, in the Chebyshev nodes of the
//! segment; its coefficients are rounded to the table's fraction bits. The first line of each file tells the largest error
//! of the datapath's own arithmetic, found at 65 points of each segment.

mod specs;

use rug::ops::Pow;
use rug::{Float, Integer};
use specs::{SPECS, Spec};
use std::fmt::Write as _;

/// Bits of all intermediate values.
pub const PRECISION: u32 = 300;
/// Points of a segment at which the error is taken.
const POINTS: u32 = 64;

fn main() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/tables").to_owned();
    let dir = std::env::args().nth(1).unwrap_or(default);
    let wanted: Vec<String> = std::env::args().skip(2).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    for (name, text) in files(is_wanted) {
        println!("{name}: {}", text.lines().next().unwrap_or_default());
        let path = format!("{dir}/{name}.txt");
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

/// Name and text of each file.
pub fn files(is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'static str, String)> {
    let all = tables().map(|spec| (spec.name, Some(spec)));
    let windows = windows_of_two_over_pi();
    let names: Vec<_> = all.chain(windows.iter().map(|(name, _)| (*name, None))).collect();
    names.into_iter().filter(move |(name, _)| is_wanted(name)).map(move |(name, spec)| match spec {
        Some(spec) => (name, table(&spec)),
        None => windows.iter().find(|(n, _)| *n == name).cloned().expect("a window"),
    })
}

/// The coefficient tables.
pub fn tables() -> impl Iterator<Item = Spec> {
    SPECS.iter().copied().chain(specs::relaxed()).chain(specs::double())
}

/// Name and text of the files of 2/pi.
pub fn windows_of_two_over_pi() -> [(&'static str, String); 3] {
    [
        ("two_over_pi_f32", windows(WINDOW_BITS)),
        ("two_over_pi_native", windows(NATIVE_WINDOW_BITS)),
        ("two_over_pi_f64", wide_windows()),
    ]
}

/// Fraction bits and number of the windows of 2/pi for single precision.
const WINDOW_BITS: u32 = 81;
const NATIVE_WINDOW_BITS: u32 = 62;
const WINDOWS: i32 = 130;

/// See `TWO_OVER_PI_F32`.
fn windows(frac_bits: u32) -> String {
    let mut text = format!(
        "# 2/pi 2^(i - 25) modulo 4 with {frac_bits} fraction bits, for i from 0; first the width of a word.\n\
         # Written by `cargo run --release -p clhls-arith --example tables`.\n{}\n",
        frac_bits + 2
    );
    let two_over_pi = 2u32 / Float::with_val(PRECISION, rug::float::Constant::Pi);
    for i in 0..WINDOWS {
        let scaled = Float::with_val(PRECISION, &two_over_pi << (i - 25 + frac_bits as i32));
        let whole = scaled.floor().to_integer().expect("finite");
        let _ = writeln!(text, "{}", whole.keep_bits(frac_bits + 2));
    }
    text
}

/// The same for double precision: every fourth window, with as many bits more, as three numbers.
const WIDE_FRAC: i32 = 178;
const WIDE_LIMB: u32 = 60;
const WIDE_WINDOWS: i32 = 257;

/// See `TWO_OVER_PI_F64`.
fn wide_windows() -> String {
    let mut text = String::from(
        "# 2/pi 2^(4 i - 54) modulo 4 with 178 fraction bits, for i from 0, the high 60 bits first; before that the width of a word.\n\
         # Written by `cargo run --release -p clhls-arith --example tables`.\n60\n",
    );
    // Bits before the point, behind it, and some.
    let precision = PRECISION + 4 * WIDE_WINDOWS as u32 + WIDE_FRAC as u32;
    let two_over_pi = 2u32 / Float::with_val(precision, rug::float::Constant::Pi);
    for i in 0..WIDE_WINDOWS {
        let scaled = Float::with_val(precision, &two_over_pi << (4 * i - 54 + WIDE_FRAC));
        let whole = scaled.floor().to_integer().expect("finite");
        let limb = |k: u32| Integer::from(&whole >> (k * WIDE_LIMB)).keep_bits(WIDE_LIMB);
        let _ = writeln!(text, "{} {} {}", limb(2), limb(1), limb(0));
    }
    text
}

fn real(value: impl Into<f64>) -> Float {
    Float::with_val(PRECISION, value.into())
}

/// Coefficients of the polynomial in z in [0, 1] that agrees with `f` in the Chebyshev nodes.
fn interpolate(degree: usize, f: impl Fn(&Float) -> Float) -> Vec<Float> {
    let n = degree + 1;
    let pi = Float::with_val(PRECISION, rug::float::Constant::Pi);
    let nodes: Vec<Float> = (0..n)
        .map(|j| {
            let angle = Float::with_val(PRECISION, &pi * (2 * j as u32 + 1)) / (2 * n as u32);
            (angle.cos() + 1u32) / 2u32
        })
        .collect();
    // Newton's divided differences, then Horner on polynomials.
    let mut differences: Vec<Float> = nodes.iter().map(&f).collect();
    for order in 1..n {
        for k in (order..n).rev() {
            let rise = Float::with_val(PRECISION, &differences[k] - &differences[k - 1]);
            let run = Float::with_val(PRECISION, &nodes[k] - &nodes[k - order]);
            differences[k] = rise / run;
        }
    }
    let mut polynomial = vec![differences[degree].clone()];
    for k in (0..degree).rev() {
        let mut next = vec![real(0.0); polynomial.len() + 1];
        for (power, c) in polynomial.iter().enumerate() {
            next[power + 1] += c;
            next[power] -= Float::with_val(PRECISION, c * &nodes[k]);
        }
        next[0] += &differences[k];
        polynomial = next;
    }
    polynomial
}

/// Bits of `value` in two's complement.
fn width(value: &Integer) -> u32 {
    // Of a negative number, the bits of its complement.
    let magnitude = if *value < 0 { Integer::from(!value) } else { value.clone() };
    magnitude.significant_bits() + 1
}

/// What the datapath computes at `z`, of `Spec::local_bits`: see `Table::eval`.
fn horner(
    spec: &Spec,
    (row, widths): (&[Integer], &[u32]),
    z: &Integer,
    seen: &mut [u32],
) -> Integer {
    let degree = row.len() - 1;
    let mut sum = row[degree].clone();
    for k in (0..degree).rev() {
        let kept = widths[k + 1].saturating_add_signed(spec.more).min(spec.local_bits);
        let factor = Integer::from(z >> (spec.local_bits - kept));
        sum = &row[k] + ((&sum * factor) >> kept);
        seen[k] = seen[k].max(width(&sum));
    }
    sum
}

/// The coefficients of a segment.
pub fn row(spec: &Spec, segment: u32) -> Vec<Integer> {
    let segments = 1u32 << spec.index_bits;
    let scale = real(2.0).pow(spec.frac_bits);
    let f = |z: &Float| (spec.f)(&(Float::with_val(PRECISION, z + segment) / segments));
    let exact = interpolate(spec.degree, f);
    let rounded = exact.into_iter().map(|c| (c * &scale).round().to_integer().expect("finite"));
    let mut row: Vec<Integer> = rounded.collect();
    row[0] += spec.up;
    row
}

fn table(spec: &Spec) -> String {
    let segments = 1u32 << spec.index_bits;
    let rows: Vec<Vec<Integer>> = (0..segments).map(|s| row(spec, s)).collect();
    let mut widths: Vec<u32> = (0..=spec.degree)
        .map(|k| rows.iter().map(|row| width(&row[k])).max().unwrap_or(1))
        .collect();
    let error = measure(spec, &rows, &mut widths);
    let mut text = format!(
        "# {}: degree {}, {segments} segments; error at most {error:.2} units of fraction bit {}.\n\
         # Written by `cargo run --release -p clhls-arith --example tables`.\n",
        spec.what, spec.degree, spec.frac_bits
    );
    if spec.more != 1 {
        let _ = writeln!(text, "more {}", spec.more);
    }
    let _ = write!(text, "index_bits {}\nfrac_bits {}\nwidths", spec.index_bits, spec.frac_bits);
    widths.iter().for_each(|w| {
        let _ = write!(text, " {w}");
    });
    text.push('\n');
    for row in &rows {
        let row: Vec<String> = row.iter().map(Integer::to_string).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    text
}

/// The largest error, and widths that hold all intermediate values.
fn measure(spec: &Spec, rows: &[Vec<Integer>], widths: &mut Vec<u32>) -> f64 {
    let segments = 1u32 << spec.index_bits;
    let (scale, bits) = (real(2.0).pow(spec.frac_bits), spec.local_bits);
    loop {
        let mut seen = widths.clone();
        let mut worst = 0f64;
        for (s, row) in rows.iter().enumerate() {
            for point in 0..=POINTS {
                // Down from the top: the bits that the datapath drops are ones.
                let top = (Integer::from(1) << bits) - 1;
                let z = top * point / POINTS;
                let computed = horner(spec, (row, widths), &z, &mut seen);
                let local = Float::with_val(PRECISION, &z) >> bits;
                let t = (local + s as u32) / segments;
                let error = Float::with_val(PRECISION, &computed) - (spec.f)(&t) * &scale;
                worst = worst.max(error.abs().to_f64());
            }
        }
        if seen == *widths {
            return worst;
        }
        *widths = seen;
    }
}
