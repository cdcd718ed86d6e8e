//! Mathematical functions: fixed-point datapaths of tables and polynomials, faithful to about half a unit in the last place.
//!
//! Single precision is computed in integers with some guard bits and rounded once; half precision is that, rounded
//! again. The principle and table sizes follow F. de Dinechin, M. Istoan, "Hardware implementations of fixed-point Atan2",
//! ARITH 2015, and J. Detrey, F. de Dinechin, "Table-based polynomials for fast hardware function evaluation", ASAP 2005.

mod arc;
mod erf;
mod exp;
mod gamma;
mod hyperbolic;
mod log;
mod pack;
mod pow;
mod power;
mod root;
mod scaled;
pub mod table;
mod trig;

use crate::bits::Bits;
use crate::float;
use crate::format::Format;
use ir::{MathFn, MathType, Rounding};

/// Whether there is a datapath for a function in a format. [`crate::remainder`] is a loop, and no datapath.
pub fn is_supported(f: MathFn, format: Format) -> bool {
    if matches!(f, MathFn::Remainder | MathFn::RemquoBits) {
        return false;
    }
    is_exact(f) || matches!(format, Format::F32 | Format::F16)
}

/// Bits of an operand or result of this kind.
pub fn width(kind: MathType, format: Format) -> u32 {
    match kind {
        MathType::Float => format.width(),
        MathType::Int => 32,
    }
}

/// Describes a supported function.
pub fn build<B: Bits>(b: &B, f: MathFn, format: Format, inputs: &[B::V]) -> B::V {
    if format == Format::F16 && !is_exact(f) {
        return through_single(b, f, inputs);
    }
    single(b, f, format, inputs)
}

/// Functions that move bits only, in any format.
fn is_exact(f: MathFn) -> bool {
    matches!(f, MathFn::Ldexp | MathFn::Ilogb | MathFn::Logb | MathFn::LgammaSign)
}

/// Half precision by way of single precision.
fn through_single<B: Bits>(b: &B, f: MathFn, inputs: &[B::V]) -> B::V {
    let (half, single_format) = (Format::F16, Format::F32);
    let wide: base::SmallVec<[B::V; 2]> = f
        .args()
        .iter()
        .zip(inputs)
        .map(|(kind, x)| match kind {
            MathType::Float => float::ftof(b, half, single_format, Rounding::Rte, *x),
            MathType::Int => *x,
        })
        .collect();
    let result = single(b, f, single_format, &wide);
    match f.result() {
        MathType::Float => float::ftof(b, single_format, half, Rounding::Rte, result),
        MathType::Int => result,
    }
}

fn single<B: Bits>(b: &B, f: MathFn, format: Format, inputs: &[B::V]) -> B::V {
    let x = inputs[0];
    match f {
        MathFn::Exp => exp::exp(b, exp::Base::E, x),
        MathFn::Exp2 => exp::exp(b, exp::Base::Two, x),
        MathFn::Exp10 => exp::exp(b, exp::Base::Ten, x),
        MathFn::Expm1 => exp::expm1(b, x),
        MathFn::Log => log::log(b, log::Base::E, x),
        MathFn::Log2 => log::log(b, log::Base::Two, x),
        MathFn::Log10 => log::log(b, log::Base::Ten, x),
        MathFn::Log1p => log::log1p(b, x),
        MathFn::Sin => trig::sin(b, trig::Unit::Radian, x),
        MathFn::Cos => trig::cos(b, trig::Unit::Radian, x),
        MathFn::Tan => trig::tan(b, trig::Unit::Radian, x),
        MathFn::Sinpi => trig::sin(b, trig::Unit::HalfTurn, x),
        MathFn::Cospi => trig::cos(b, trig::Unit::HalfTurn, x),
        MathFn::Tanpi => trig::tan(b, trig::Unit::HalfTurn, x),
        MathFn::Asin => arc::asin(b, arc::Unit::Radian, x),
        MathFn::Acos => arc::acos(b, arc::Unit::Radian, x),
        MathFn::Atan => arc::atan(b, arc::Unit::Radian, x),
        MathFn::Atan2 => arc::atan2(b, arc::Unit::Radian, x, inputs[1]),
        MathFn::Asinpi => arc::asin(b, arc::Unit::HalfTurn, x),
        MathFn::Acospi => arc::acos(b, arc::Unit::HalfTurn, x),
        MathFn::Atanpi => arc::atan(b, arc::Unit::HalfTurn, x),
        MathFn::Atan2pi => arc::atan2(b, arc::Unit::HalfTurn, x, inputs[1]),
        MathFn::Sinh => hyperbolic::sinh(b, x),
        MathFn::Cosh => hyperbolic::cosh(b, x),
        MathFn::Tanh => hyperbolic::tanh(b, x),
        MathFn::Asinh => hyperbolic::asinh(b, x),
        MathFn::Acosh => hyperbolic::acosh(b, x),
        MathFn::Atanh => hyperbolic::atanh(b, x),
        MathFn::Cbrt => root::cbrt(b, x),
        MathFn::Rsqrt => root::rsqrt(b, x),
        MathFn::Hypot => root::hypot(b, x, inputs[1]),
        MathFn::Pow => pow::pow(b, x, inputs[1]),
        MathFn::Pown => pow::pown(b, x, inputs[1]),
        MathFn::Powr => pow::powr(b, x, inputs[1]),
        MathFn::Rootn => pow::rootn(b, x, inputs[1]),
        MathFn::Ldexp => power::ldexp(b, format, x, inputs[1]),
        MathFn::Ilogb => power::ilogb(b, format, x),
        MathFn::Logb => power::logb(b, format, x),
        MathFn::Remainder | MathFn::RemquoBits => unreachable!("{} is a loop", f.name()),
        MathFn::Erf => erf::erf(b, x),
        MathFn::Erfc => erf::erfc(b, x),
        MathFn::Tgamma => gamma::tgamma(b, x),
        MathFn::Lgamma => gamma::lgamma(b, x),
        MathFn::LgammaSign => gamma::lgamma_sign(b, format, x),
    }
}
