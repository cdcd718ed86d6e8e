//! Which functions are tabulated, and how finely.

use crate::PRECISION;
use rug::Float;
use rug::float::Constant;

/// A table.
pub struct Spec {
    /// Name of its file.
    pub name: &'static str,
    /// The function, for people.
    pub what: &'static str,
    /// The number of segments is 2 to the power of this.
    pub index_bits: u32,
    /// Degree of the polynomials.
    pub degree: usize,
    /// Fraction bits of coefficients and result.
    pub frac_bits: u32,
    /// The function of t in [0, 1].
    pub f: fn(&Float) -> Float,
}

/// All tables.
pub const SPECS: &[Spec] = &[
    Spec {
        name: "exp2_f32",
        what: "2^t",
        index_bits: 7,
        degree: 2,
        frac_bits: 30,
        f: |t| t.clone().exp2(),
    },
    Spec {
        name: "expm1_f32",
        what: "(e^x - 1) / x, x = t - 1/2",
        index_bits: 7,
        degree: 2,
        frac_bits: 30,
        f: |t| over_argument(&(t.clone() - 0.5f64), |x| x.clone().exp_m1()),
    },
    Spec {
        name: "log2_f32",
        what: "log2(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2",
        index_bits: 8,
        degree: 2,
        frac_bits: 30,
        f: |t| logarithm(t) / ln(2),
    },
    Spec {
        name: "log_f32",
        what: "ln(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2",
        index_bits: 8,
        degree: 2,
        frac_bits: 30,
        f: logarithm,
    },
    Spec {
        name: "log10_f32",
        what: "log10(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2",
        index_bits: 8,
        degree: 2,
        frac_bits: 30,
        f: |t| logarithm(t) / ln(10),
    },
    Spec {
        name: "log1p_f32",
        what: "ln(1 + x) / x, x = t - 1/2",
        index_bits: 8,
        degree: 2,
        frac_bits: 30,
        f: |t| over_argument(&(t.clone() - 0.5f64), |x| x.clone().ln_1p()),
    },
    Spec {
        name: "sincos_f32",
        what: "sin(pi/2 r) / r, and from 1/2 cos(pi/2 r); r = t and t - 1/2",
        index_bits: 8,
        degree: 2,
        frac_bits: 30,
        f: sine_and_cosine,
    },
];

fn ln(n: u32) -> Float {
    Float::with_val(PRECISION, n).ln()
}

/// `f(x) / x`; by its limit at 0, where that is 1.
fn over_argument(x: &Float, f: impl Fn(&Float) -> Float) -> Float {
    if x.is_zero() { Float::with_val(PRECISION, 1) } else { f(x) / x }
}

/// ln(m) / (m - 1). At t = 1/2 the function jumps; there it is that of the upper half, and no
/// interpolation node of the lower half is there.
fn logarithm(t: &Float) -> Float {
    let m = Float::with_val(PRECISION, t + 1u32);
    let m = if *t < 0.5 { m } else { m / 2u32 };
    over_argument(&(m - 1u32), |x| x.clone().ln_1p())
}

fn sine_and_cosine(t: &Float) -> Float {
    let half_pi = Float::with_val(PRECISION, Constant::Pi) / 2u32;
    if *t < 0.5 {
        if t.is_zero() {
            return half_pi;
        }
        return Float::with_val(PRECISION, &half_pi * t).sin() / t;
    }
    let r = Float::with_val(PRECISION, t - 0.5f64);
    (half_pi * r).cos()
}
