//! Which functions are tabulated, and how finely.

use super::PRECISION;
use rug::Float;
use rug::float::Constant;

/// A table.
#[derive(Clone, Copy)]
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
    /// See `Parsed::more`.
    pub more: i32,
    /// Bits of the argument within a segment at which the error is taken.
    pub local_bits: u32,
    /// Units by which the constant coefficients are raised: where a result must not fall below its least value, though all
    /// that products lose is below.
    pub up: u32,
    /// The function of t in [0, 1].
    pub f: fn(&Float) -> Float,
}

/// The tables of single precision.
pub const SPECS: &[Spec] = &[
    single("exp2_f32", "2^t", 7, |t| t.clone().exp2()),
    single("expm1_f32", "(e^x - 1) / x, x = t - 1/2", 7, |t| {
        over_argument(&(t.clone() - 0.5f64), |x| x.clone().exp_m1())
    }),
    single("log2_f32", "log2(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2", 8, |t| {
        logarithm(t) / ln(2)
    }),
    single("log_f32", "ln(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2", 8, logarithm),
    single("log10_f32", "log10(m) / (m - 1), m = 1 + t or, from 1/2, (1 + t) / 2", 8, |t| {
        logarithm(t) / ln(10)
    }),
    single("log1p_f32", "ln(1 + x) / x, x = t - 1/2", 8, |t| {
        over_argument(&(t.clone() - 0.5f64), |x| x.clone().ln_1p())
    }),
    single(
        "sincos_f32",
        "sin(pi/2 r) / r, and from 1/2 cos(pi/2 r); r = t and t - 1/2",
        8,
        sine_and_cosine,
    ),
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
        ..single("erfcx_f32", "e^(x^2) erfc(x), x = 8 t or, from 1/2, 32 t - 12", 9, |t| {
            let x = if *t < 0.5 { t.clone() * 8u32 } else { t.clone() * 32u32 - 12u32 };
            scaled_erfc(&x)
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
    Spec { name, what, index_bits, degree: 2, frac_bits: 30, more: 1, local_bits: 40, up: 0, f }
}

/// The same functions in double precision: name, degree, fraction bits. Fewer than 512 segments would not take less
/// of a block memory; with a fraction bit more the largest products would take four by four multipliers of 18 bits.
const DOUBLE: &[(&str, usize, u32)] = &[
    ("exp2_f64", 4, 61),
    ("expm1_f64", 4, 61),
    ("log2_f64", 5, 61),
    ("log_f64", 5, 61),
    ("log10_f64", 5, 61),
    ("log1p_f64", 5, 61),
    ("sincos_f64", 5, 61),
    ("sqrt_f64", 5, 61),
    ("rsqrt_f64", 5, 61),
    ("cbrt_f64", 5, 61),
    ("recip_f64", 5, 61),
    ("atan_f64", 5, 61),
    ("asin_f64", 5, 61),
    ("asin_root_f64", 5, 61),
    ("sinh_f64", 4, 61),
    ("tanh_f64", 4, 61),
    ("asinh_f64", 4, 61),
    ("acosh_f64", 4, 61),
    ("atanh_f64", 5, 61),
    ("log2_fine_f64", 6, 70),
];

/// Those with relaxed bounds: name, index bits, degree and fraction bits.
const RELAXED: &[(&str, u32, usize, u32)] = &[
    ("exp2_native", 7, 2, 25),
    ("exp2_half", 5, 1, 14),
    ("log2_native", 7, 2, 25),
    ("log2_half", 6, 1, 14),
    ("log_native", 7, 2, 25),
    ("log_half", 6, 1, 14),
    ("log10_native", 7, 2, 25),
    ("log10_half", 6, 1, 14),
    ("log2_fine_native", 7, 2, 27),
    ("log2_fine_half", 8, 1, 20),
    ("sqrt_native", 7, 2, 25),
    ("sqrt_half", 5, 1, 13),
    ("rsqrt_native", 8, 2, 26),
    ("rsqrt_half", 6, 1, 14),
    ("recip_native", 7, 2, 26),
    ("recip_half", 6, 1, 14),
    ("sincos_native", 7, 1, 18),
];

/// Tables of the functions of single precision with fewer bits.
pub fn relaxed() -> impl Iterator<Item = Spec> {
    RELAXED.iter().map(|&(name, index_bits, degree, frac_bits)| {
        let (of, _) = name.rsplit_once('_').expect("a function and bounds");
        let single = SPECS.iter().find(|s| s.name.strip_suffix("_f32") == Some(of));
        let single = single.expect("a table of single precision");
        let up = if matches!(of, "recip" | "rsqrt") { 2 } else { 0 };
        Spec { name, index_bits, degree, frac_bits, up, ..*single }
    })
}

/// Those of double precision that cover more.
const WIDER: &[Spec] = &[
    wider("erf_f64", "erf(x) / x, x = 8 t", (9, 6, 61), |t| erf_over_argument(&(t.clone() * 8u32))),
    wider("erfcx_f64", "e^(x^2) erfc(x), x = 16 t or, from 1/2, 64 t - 24", (10, 7, 65), |t| {
        scaled_erfc(&(if *t < 0.5 { t.clone() * 16u32 } else { t.clone() * 64u32 - 24u32 }))
    }),
    wider("log2_gamma_f64", "log2 gamma(2^o m), o = 0 to 7 by eighths", (10, 7, 62), |t| {
        octave(t, 8).ln_gamma() / ln(2)
    }),
    wider(
        "log_gamma_f64",
        "ln gamma(y) / ((y - 1) (y - 2)), y = 2^(o - 1) m, o = 0 to 3 by quarters",
        (9, 6, 64),
        |t| log_gamma_over_zeros(&(octave(t, 4) / 2u32)),
    ),
    wider(
        "stirling_f64",
        "ln gamma(y) - ((y - 1/2) ln y - y + ln(2 pi) / 2), y = 2^(o + 2) m, o = 0 to 31",
        (10, 7, 64),
        |t| stirling_correction(&(octave(t, 32) * 4u32)),
    ),
];

/// A table of double precision: index bits, degree and fraction bits.
const fn wider(
    name: &'static str,
    what: &'static str,
    (index_bits, degree, frac_bits): (u32, usize, u32),
    f: fn(&Float) -> Float,
) -> Spec {
    Spec { name, what, index_bits, degree, frac_bits, more: -1, local_bits: 55, up: 0, f }
}

/// The tables of double precision.
pub fn double() -> impl Iterator<Item = Spec> {
    let same = DOUBLE.iter().map(|&(name, degree, frac_bits)| {
        let of = name.replace("f64", "f32");
        let single = SPECS.iter().find(|s| s.name == of).expect("a table of single precision");
        Spec { name, index_bits: 9, degree, frac_bits, more: -1, local_bits: 55, ..*single }
    });
    same.chain(WIDER.iter().copied())
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

/// e^(x^2) erfc(x)
fn scaled_erfc(x: &Float) -> Float {
    x.clone().square().exp() * x.clone().erfc()
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
