//! Which results need no closer look: those that a library with correct rounding gives too.
//!
//! The crate `pxfm` rounds the functions correctly or nearly so, by methods that have nothing to do with this crate's, in a few
//! nanoseconds. A result that is the same has an error of 1/2 ulp and what that library lacks (1/1000 in millions of samples,
//! `tests/ulp_filter.rs`); only results that differ, some in a hundred, need the reference. Where the library is known to be worse, or where its
//! function is another one at the edges, it is not asked. Half precision has none: its errors, of two roundings, are closer to 1/2 than that.

use arith::Format;
use clhls_arith as arith;
use ir::{MathFn, MathType};

/// Beyond the error of a result that passes, in ulp.
pub const LIMIT: f64 = 0.501;

/// A function of the library.
pub enum Filter {
    /// Of a single.
    Single(fn(f32) -> f32),
    /// Of two.
    Singles(fn(f32, f32) -> f32),
    /// Of a double.
    Double(fn(f64) -> f64),
    /// Of two.
    Doubles(fn(f64, f64) -> f64),
    /// Of a single and an integer, in double precision.
    SingleInteger(fn(f64, f64) -> f64),
    /// Of a double and an integer.
    DoubleInteger(fn(f64, f64) -> f64),
}

impl Filter {
    /// The function's, if it has one.
    pub fn of(f: MathFn, format: Format) -> Option<Filter> {
        let integer = f.args().get(1) == Some(&MathType::Int);
        let two = f.args().len() == 2;
        match format {
            Format::F32 if integer => doubles(f).map(Filter::SingleInteger),
            Format::F32 if two => singles(f).map(Filter::Singles),
            Format::F32 => single(f).map(Filter::Single),
            Format::F64 if integer => doubles(f).map(Filter::DoubleInteger),
            Format::F64 if two => doubles(f).map(Filter::Doubles),
            Format::F64 => double(f).map(Filter::Double),
            _ => None,
        }
    }

    /// The library's result; where it has none, a NaN that no operator gives.
    #[inline]
    pub fn result(&self, x: u64, y: u64) -> u64 {
        let single = |x: u64| f32::from_bits(x as u32);
        let integer = |y: u64| f64::from(y as u32 as i32);
        match self {
            Filter::Single(f) => f(single(x)).to_bits().into(),
            Filter::Singles(f) => f(single(x), single(y)).to_bits().into(),
            Filter::Double(f) => f(f64::from_bits(x)).to_bits(),
            Filter::Doubles(f) => f(f64::from_bits(x), f64::from_bits(y)).to_bits(),
            Filter::SingleInteger(f) => {
                // Rounded twice, which adds 2^-29 to an error.
                (f(f64::from(single(x)), integer(y)) as f32).to_bits().into()
            }
            Filter::DoubleInteger(f) => f(f64::from_bits(x), integer(y)).to_bits(),
        }
    }
}

/// Operators' NaNs have no payload.
const NOTHING: f64 = f64::from_bits(0x7ff8_0000_0000_0001);
const NOTHING_SINGLE: f32 = f32::from_bits(0x7fc0_0001);

fn single(f: MathFn) -> Option<fn(f32) -> f32> {
    use MathFn::*;
    Some(match f {
        Exp => pxfm::f_expf,
        Exp2 => pxfm::f_exp2f,
        Exp10 => pxfm::f_exp10f,
        Expm1 => pxfm::f_expm1f,
        Log => pxfm::f_logf,
        Log2 => pxfm::f_log2f,
        Log10 => pxfm::f_log10f,
        Log1p => pxfm::f_log1pf,
        Sin => pxfm::f_sinf,
        Cos => pxfm::f_cosf,
        Tan => pxfm::f_tanf,
        Sinpi => pxfm::f_sinpif,
        Cospi => pxfm::f_cospif,
        Tanpi => pxfm::f_tanpif,
        Acos => pxfm::f_acosf,
        Asin => pxfm::f_asinf,
        Atan => pxfm::f_atanf,
        Acospi => pxfm::f_acospif,
        Asinpi => pxfm::f_asinpif,
        Atanpi => pxfm::f_atanpif,
        Sinh => pxfm::f_sinhf,
        Cosh => pxfm::f_coshf,
        Tanh => pxfm::f_tanhf,
        Asinh => pxfm::f_asinhf,
        Acosh => pxfm::f_acoshf,
        Atanh => pxfm::f_atanhf,
        Cbrt => pxfm::f_cbrtf,
        Rsqrt => pxfm::f_rsqrtf,
        Erf => pxfm::f_erff,
        Erfc => pxfm::f_erfcf,
        Tgamma => pxfm::f_tgammaf,
        Lgamma => pxfm::f_lgammaf,
        _ => return None,
    })
}

fn singles(f: MathFn) -> Option<fn(f32, f32) -> f32> {
    Some(match f {
        MathFn::Atan2 => pxfm::f_atan2f,
        MathFn::Atan2pi => pxfm::f_atan2pif,
        MathFn::Hypot => pxfm::f_hypotf,
        MathFn::Pow => pxfm::f_powf,
        MathFn::Powr => {
            |x, y| if plain(x.into(), y.into()) { pxfm::f_powf(x, y) } else { NOTHING_SINGLE }
        }
        _ => return None,
    })
}

fn double(f: MathFn) -> Option<fn(f64) -> f64> {
    use MathFn::*;
    Some(match f {
        Exp => pxfm::f_exp,
        Exp2 => pxfm::f_exp2,
        // Not good at subnormal results.
        Exp10 => |x| if x > -300.0 { pxfm::f_exp10(x) } else { NOTHING },
        Expm1 => pxfm::f_expm1,
        Log => pxfm::f_log,
        Log2 => pxfm::f_log2,
        Log10 => pxfm::f_log10,
        Log1p => pxfm::f_log1p,
        Sin => pxfm::f_sin,
        Cos => pxfm::f_cos,
        Tan => pxfm::f_tan,
        Sinpi => pxfm::f_sinpi,
        Cospi => pxfm::f_cospi,
        Tanpi => |x| if x.abs() > 1e-290 { pxfm::f_tanpi(x) } else { NOTHING },
        Acos => pxfm::f_acos,
        Asin => pxfm::f_asin,
        Atan => pxfm::f_atan,
        Acospi => pxfm::f_acospi,
        Asinpi => pxfm::f_asinpi,
        Atanpi => pxfm::f_atanpi,
        Sinh => pxfm::f_sinh,
        Cosh => pxfm::f_cosh,
        Tanh => pxfm::f_tanh,
        Asinh => pxfm::f_asinh,
        Acosh => pxfm::f_acosh,
        Atanh => pxfm::f_atanh,
        Cbrt => pxfm::f_cbrt,
        Rsqrt => pxfm::f_rsqrt,
        Erf => pxfm::f_erf,
        Erfc => pxfm::f_erfc,
        // Errors up to 0.9 ulp between these.
        Tgamma => |x| {
            let near = x.abs() > 0.25 && x.abs() < 16.0;
            if near { NOTHING } else { pxfm::f_tgamma(x) }
        },
        // 0.52 ulp at its zero and where it turns from there to -log |x|.
        Lgamma => |x| {
            let near = (x - 1.0).abs() < 1e-13 || x.abs() > 1e-18 && x.abs() < 1e-13;
            if near { NOTHING } else { pxfm::f_lgamma(x) }
        },
        _ => return None,
    })
}

/// Its `hypot` has errors of up to one ulp.
fn doubles(f: MathFn) -> Option<fn(f64, f64) -> f64> {
    Some(match f {
        MathFn::Atan2 => pxfm::f_atan2,
        MathFn::Atan2pi => pxfm::f_atan2pi,
        MathFn::Pow | MathFn::Pown => pxfm::f_pow,
        MathFn::Powr => |x, y| if plain(x, y) { pxfm::f_pow(x, y) } else { NOTHING },
        _ => return None,
    })
}

/// Where `powr` is `pow`.
fn plain(x: f64, y: f64) -> bool {
    x > 0.0 && x.is_finite() && y.is_finite()
}
