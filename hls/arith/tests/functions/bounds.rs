//! What OpenCL C asks for (full profile, section "Relative error as ULPs").

use clhls_arith::Format;
use ir::MathFn;

/// The bound of OpenCL C, in ulp; those of single and double precision are the same.
pub fn bound(f: MathFn, format: Format) -> f64 {
    use MathFn::*;
    let (single, half) = match f {
        Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 => (3.0, 2.0),
        Log1p => (2.0, 2.0),
        Sin | Cos | Sinpi | Cospi => (4.0, 2.0),
        Tan | Tanpi => (5.0, 2.0),
        Asin | Acos | Asinpi | Acospi => (4.0, 2.0),
        Atan | Atanpi => (5.0, 2.0),
        Atan2 | Atan2pi => (6.0, 2.0),
        Sinh | Cosh | Asinh | Acosh | Hypot => (4.0, 2.0),
        Tanh | Atanh => (5.0, 2.0),
        Cbrt | Rsqrt => (2.0, 1.0),
        Pow | Pown | Powr | Rootn => (16.0, 4.0),
        Erf | Erfc | Tgamma => (16.0, 4.0),
        // OpenCL C bounds it nowhere.
        Lgamma => (f64::INFINITY, f64::INFINITY),
        Ldexp | Logb | Ilogb => (0.5, 0.5),
        other => unreachable!("{} has no bound here", other.name()),
    };
    if format == Format::F16 { half } else { single }
}
