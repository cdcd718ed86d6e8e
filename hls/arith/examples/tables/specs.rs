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
    single("sqrt_f32", "sqrt(m 2^e), e = 0 and, from 1/2, 1", 8, |t| octave(t, 2).sqrt()),
    single("rsqrt_f32", "1 / sqrt(m 2^e), e = 0 and, from 1/2, 1", 9, |t| {
        octave(t, 2).recip_sqrt()
    }),
    single("cbrt_f32", "cbrt(m 2^e), e = 0 to 3 by quarters", 9, |t| octave(t, 4).cbrt()),
    single("recip_f32", "1 / (1 + t)", 8, |t| Float::with_val(PRECISION, t + 1u32).recip()),
    single("atan_f32", "atan(t) / t", 8, |t| over_argument(t, |x| x.clone().atan())),
    single("asin_f32", "asin(x) / x, x = t / 2", 8, |t| of_half(t, |x| x.clone().asin())),
    single("asin_root_f32", "asin(sqrt z) / sqrt z, z = t / 2", 8, |t| {
        let root = Float::with_val(PRECISION, t / 2u32).sqrt();
        over_argument(&root, |x| x.clone().asin())
    }),
    single("sinh_f32", "sinh(x) / x, x = t / 2", 7, |t| of_half(t, |x| x.clone().sinh())),
    single("tanh_f32", "tanh(x) / x, x = t / 2", 8, |t| of_half(t, |x| x.clone().tanh())),
    Spec {
        degree: 3,
        ..single("tanh_far_f32", "tanh(16 t)", 9, |t| Float::with_val(PRECISION, t * 16u32).tanh())
    },
    single("asinh_f32", "asinh(x) / x, x = t / 2", 8, |t| of_half(t, |x| x.clone().asinh())),
    single("acosh_f32", "acosh(1 + u) / sqrt(2 u), u = t / 2", 8, |t| {
        // At 0 the quotient is 1; acosh(1 + u) = 2 asinh(sqrt(u / 2)) avoids its cancellation.
        let root = Float::with_val(PRECISION, t / 4u32).sqrt();
        over_argument(&root, |x| x.clone().asinh())
    }),
    single("atanh_f32", "atanh(x) / x, x = t / 2", 8, |t| of_half(t, |x| x.clone().atanh())),
    Spec {
        degree: 3,
        frac_bits: 38,
        ..single("log2_fine_f32", "log2(m) / (m - 1), m as in log2_f32", 8, |t| {
            logarithm(t) / ln(2)
        })
    },
    Spec {
        degree: 3,
        ..single("erf_f32", "erf(x) / x, x = 4 t", 7, |t| erf_over_argument(&(t.clone() * 4u32)))
    },
    Spec {
        degree: 3,
        frac_bits: 34,
        ..single("erfcx_f32", "e^(x^2) erfc(x), x = 8 t or, from 1/2, 16 t - 4", 9, |t| {
            let x = if *t < 0.5 { t.clone() * 8u32 } else { t.clone() * 16u32 - 4u32 };
            x.clone().square().exp() * x.erfc()
        })
    },
    Spec {
        degree: 4,
        frac_bits: 34,
        ..single(
            "log2_gamma_f32",
            "log2 gamma(2^o m), o = 0 to 5 by eighths; then constant",
            9,
            |t| {
                let most = Float::with_val(PRECISION, 64);
                let y = if *t < 0.75 { octave(t, 8) } else { most };
                y.ln_gamma() / ln(2)
            },
        )
    },
    Spec {
        degree: 3,
        frac_bits: 34,
        ..single(
            "log_gamma_f32",
            "ln gamma(y) / ((y - 1) (y - 2)), y = 2^(o - 1) m, o = 0 to 3 by quarters",
            8,
            |t| log_gamma_over_zeros(&(octave(t, 4) / 2u32)),
        )
    },
    Spec {
        degree: 3,
        frac_bits: 34,
        ..single(
            "stirling_f32",
            "ln gamma(y) - ((y - 1/2) ln y - y + ln(2 pi) / 2), y = 2^(o + 2) m, o = 0 to 15",
            8,
            |t| stirling_correction(&(octave(t, 16) * 4u32)),
        )
    },
];

/// A table with the usual degree and fraction bits of single precision.
const fn single(
    name: &'static str,
    what: &'static str,
    index_bits: u32,
    f: fn(&Float) -> Float,
) -> Spec {
    Spec { name, what, index_bits, degree: 2, frac_bits: 30, f }
}

/// `f(x) / x` at half of t.
fn of_half(t: &Float, f: impl Fn(&Float) -> Float) -> Float {
    over_argument(&Float::with_val(PRECISION, t / 2u32), f)
}

/// t in [0, 1) on `count` octaves from 1 on: (1 + fraction) 2^octave. No node of a segment is at its end.
fn octave(t: &Float, count: u32) -> Float {
    let scaled = Float::with_val(PRECISION, t * count);
    let octave = scaled.clone().floor().to_f64() as u32;
    let octave = octave.min(count - 1);
    (scaled - octave + 1u32) << octave
}

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

/// erf(x) / x, at 0 by its limit.
fn erf_over_argument(x: &Float) -> Float {
    if x.is_zero() {
        let pi = Float::with_val(PRECISION, Constant::Pi);
        return 2u32 / pi.sqrt();
    }
    x.clone().erf() / x
}

/// ln gamma(y) / ((y - 1) (y - 2)), at its removable poles by the derivative.
fn log_gamma_over_zeros(y: &Float) -> Float {
    let euler = Float::with_val(PRECISION, Constant::Euler);
    if *y == 1 {
        return euler;
    }
    if *y == 2 {
        return 1u32 - euler;
    }
    let zeros = Float::with_val(PRECISION, y - 1u32) * Float::with_val(PRECISION, y - 2u32);
    y.clone().ln_gamma() / zeros
}

/// What is left of ln gamma by Stirling's formula.
fn stirling_correction(y: &Float) -> Float {
    let two_pi = Float::with_val(PRECISION, Constant::Pi) * 2u32;
    let main = Float::with_val(PRECISION, y - 0.5f64) * y.clone().ln() - y + two_pi.ln() / 2u32;
    y.clone().ln_gamma() - main
}
