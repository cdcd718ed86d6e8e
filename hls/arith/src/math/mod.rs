//! Mathematical functions: fixed-point datapaths of tables and polynomials, faithful to about half a unit in the last place.
//!
//! Single and double precision are computed in integers with some guard bits and rounded once, by the same descriptions
//! with other widths and tables (`working.rs`); half precision is single precision, rounded again. The principle and table
//! sizes follow F. de Dinechin, M. Istoan, "Hardware implementations of fixed-point Atan2", ARITH 2015, and J. Detrey,
//! F. de Dinechin, "Table-based polynomials for fast hardware function evaluation", ASAP 2005.

mod arc;
mod erf;
mod exp;
mod gamma;
mod hyperbolic;
mod log;
mod pack;
mod pow;
mod power;
mod relaxed;
mod root;
mod scaled;
pub mod table;
mod trig;
mod working;

use crate::bits::Bits;
use crate::float;
use crate::format::Format;
use ir::{MathFn, MathType, Rounding};
pub use relaxed::Tier;
use working::Working;

/// Whether there is a datapath for a function in a format. [`crate::remainder`] is a loop, and no datapath.
pub fn is_supported(f: MathFn, format: Format) -> bool {
    if matches!(f, MathFn::Remainder | MathFn::RemquoBits) {
        return false;
    }
    if Tier::of(f).is_some() {
        return format == Format::F32;
    }
    is_exact(f) || format != Format::BF16
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
    direct(b, f, format, inputs)
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
    let result = direct(b, f, single_format, &wide);
    match f.result() {
        MathType::Float => float::ftof(b, single_format, half, Rounding::Rte, result),
        MathType::Int => result,
    }
}

/// A function in the format itself.
fn direct<B: Bits>(b: &B, f: MathFn, format: Format, inputs: &[B::V]) -> B::V {
    // Branches on constants of the builder: what it never takes is not compiled.
    if B::MOST_BITS < 128 {
        unreachable!("mathematical functions are wide: see Operator::is_wide");
    }
    if let Some(tier) = Tier::of(f) {
        let w = if tier == Tier::Native { &working::NATIVE } else { &working::HALF };
        return relaxed::build(b, w, tier, f, inputs);
    }
    if !B::RUNS {
        let w = if format == Format::F64 { &working::DOUBLE } else { &working::SINGLE };
        return with(b, w, f, format, inputs);
    }
    match format {
        Format::F64 => with(b, &working::DOUBLE, f, format, inputs),
        _ => with(b, &working::SINGLE, f, format, inputs),
    }
}

/// Inlined for each working precision, so that widths are constants to the compiler: the interpreter runs this.
#[inline(always)]
fn with<B: Bits>(b: &B, w: &'static Working, f: MathFn, format: Format, inputs: &[B::V]) -> B::V {
    let x = inputs[0];
    match f {
        MathFn::Exp => exp::exp(b, w, exp::Base::E, x),
        MathFn::Exp2 => exp::exp(b, w, exp::Base::Two, x),
        MathFn::Exp10 => exp::exp(b, w, exp::Base::Ten, x),
        MathFn::Expm1 => exp::expm1(b, w, x),
        MathFn::Log => log::log(b, w, log::Base::E, x),
        MathFn::Log2 => log::log(b, w, log::Base::Two, x),
        MathFn::Log10 => log::log(b, w, log::Base::Ten, x),
        MathFn::Log1p => log::log1p(b, w, x),
        MathFn::Sin => trig::sin(b, w, trig::Unit::Radian, x),
        MathFn::Cos => trig::cos(b, w, trig::Unit::Radian, x),
        MathFn::Tan => trig::tan(b, w, trig::Unit::Radian, x),
        MathFn::Sinpi => trig::sin(b, w, trig::Unit::HalfTurn, x),
        MathFn::Cospi => trig::cos(b, w, trig::Unit::HalfTurn, x),
        MathFn::Tanpi => trig::tan(b, w, trig::Unit::HalfTurn, x),
        MathFn::Asin => arc::asin(b, w, arc::Unit::Radian, x),
        MathFn::Acos => arc::acos(b, w, arc::Unit::Radian, x),
        MathFn::Atan => arc::atan(b, w, arc::Unit::Radian, x),
        MathFn::Atan2 => arc::atan2(b, w, arc::Unit::Radian, x, inputs[1]),
        MathFn::Asinpi => arc::asin(b, w, arc::Unit::HalfTurn, x),
        MathFn::Acospi => arc::acos(b, w, arc::Unit::HalfTurn, x),
        MathFn::Atanpi => arc::atan(b, w, arc::Unit::HalfTurn, x),
        MathFn::Atan2pi => arc::atan2(b, w, arc::Unit::HalfTurn, x, inputs[1]),
        MathFn::Sinh => hyperbolic::sinh(b, w, x),
        MathFn::Cosh => hyperbolic::cosh(b, w, x),
        MathFn::Tanh => hyperbolic::tanh(b, w, x),
        MathFn::Asinh => hyperbolic::asinh(b, w, x),
        MathFn::Acosh => hyperbolic::acosh(b, w, x),
        MathFn::Atanh => hyperbolic::atanh(b, w, x),
        MathFn::Cbrt => root::cbrt(b, w, x),
        MathFn::Rsqrt => root::rsqrt(b, w, x),
        MathFn::Hypot => root::hypot(b, w, x, inputs[1]),
        MathFn::Pow => pow::pow(b, w, x, inputs[1]).pack(b, w),
        MathFn::Pown => pow::pown(b, w, x, inputs[1]).pack(b, w),
        MathFn::Powr => pow::powr(b, w, x, inputs[1]).pack(b, w),
        MathFn::Rootn => pow::rootn(b, w, x, inputs[1]).pack(b, w),
        MathFn::Ldexp => power::ldexp(b, format, x, inputs[1]),
        MathFn::Ilogb => power::ilogb(b, format, x),
        MathFn::Logb => power::logb(b, format, x),
        MathFn::Remainder | MathFn::RemquoBits => unreachable!("{} is a loop", f.name()),
        MathFn::Erf => erf::erf(b, w, x),
        MathFn::Erfc => erf::erfc(b, w, x),
        MathFn::Tgamma => gamma::tgamma(b, w, x),
        MathFn::Lgamma => gamma::lgamma(b, w, x),
        MathFn::LgammaSign => gamma::lgamma_sign(b, format, x),
        relaxed => unreachable!("{} has a tier", relaxed.name()),
    }
}
