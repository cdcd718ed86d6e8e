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
    // Branches on constants of the builder, and on nothing else: what it never takes is not compiled.
    if !B::WIDE {
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
        Format::F64 => with(b, Double, f, format, inputs),
        _ => with(b, Single, f, format, inputs),
    }
}

/// A working precision. One that has a type of its own makes widths constants to the compiler.
trait Precision: Copy {
    fn working(self) -> &'static Working;
}

impl Precision for &'static Working {
    #[inline(always)]
    fn working(self) -> &'static Working {
        self
    }
}

#[derive(Clone, Copy)]
struct Single;

impl Precision for Single {
    #[inline(always)]
    fn working(self) -> &'static Working {
        &working::SINGLE
    }
}

#[derive(Clone, Copy)]
struct Double;

impl Precision for Double {
    #[inline(always)]
    fn working(self) -> &'static Working {
        &working::DOUBLE
    }
}

/// Compiles `describe` as a function of its own: everything that it calls is inlined into it, and all functions in one would take the
/// compiler minutes.
#[inline(never)]
fn apart<T>(describe: impl FnOnce() -> T) -> T {
    describe()
}

/// A function in a working precision.
fn with<B: Bits>(b: &B, p: impl Precision, f: MathFn, format: Format, inputs: &[B::V]) -> B::V {
    let x = inputs[0];
    match f {
        MathFn::Exp => apart(|| exp::exp(b, p.working(), exp::Base::E, x)),
        MathFn::Exp2 => apart(|| exp::exp(b, p.working(), exp::Base::Two, x)),
        MathFn::Exp10 => apart(|| exp::exp(b, p.working(), exp::Base::Ten, x)),
        MathFn::Expm1 => apart(|| exp::expm1(b, p.working(), x)),
        MathFn::Log => apart(|| log::log(b, p.working(), log::Base::E, x)),
        MathFn::Log2 => apart(|| log::log(b, p.working(), log::Base::Two, x)),
        MathFn::Log10 => apart(|| log::log(b, p.working(), log::Base::Ten, x)),
        MathFn::Log1p => apart(|| log::log1p(b, p.working(), x)),
        MathFn::Sin => apart(|| trig::sin(b, p.working(), trig::Unit::Radian, x)),
        MathFn::Cos => apart(|| trig::cos(b, p.working(), trig::Unit::Radian, x)),
        MathFn::Tan => apart(|| trig::tan(b, p.working(), trig::Unit::Radian, x)),
        MathFn::Sinpi => apart(|| trig::sin(b, p.working(), trig::Unit::HalfTurn, x)),
        MathFn::Cospi => apart(|| trig::cos(b, p.working(), trig::Unit::HalfTurn, x)),
        MathFn::Tanpi => apart(|| trig::tan(b, p.working(), trig::Unit::HalfTurn, x)),
        MathFn::Asin => apart(|| arc::asin(b, p.working(), arc::Unit::Radian, x)),
        MathFn::Acos => apart(|| arc::acos(b, p.working(), arc::Unit::Radian, x)),
        MathFn::Atan => apart(|| arc::atan(b, p.working(), arc::Unit::Radian, x)),
        MathFn::Atan2 => apart(|| arc::atan2(b, p.working(), arc::Unit::Radian, x, inputs[1])),
        MathFn::Asinpi => apart(|| arc::asin(b, p.working(), arc::Unit::HalfTurn, x)),
        MathFn::Acospi => apart(|| arc::acos(b, p.working(), arc::Unit::HalfTurn, x)),
        MathFn::Atanpi => apart(|| arc::atan(b, p.working(), arc::Unit::HalfTurn, x)),
        MathFn::Atan2pi => apart(|| arc::atan2(b, p.working(), arc::Unit::HalfTurn, x, inputs[1])),
        MathFn::Sinh => apart(|| hyperbolic::sinh(b, p.working(), x)),
        MathFn::Cosh => apart(|| hyperbolic::cosh(b, p.working(), x)),
        MathFn::Tanh => apart(|| hyperbolic::tanh(b, p.working(), x)),
        MathFn::Asinh => apart(|| hyperbolic::asinh(b, p.working(), x)),
        MathFn::Acosh => apart(|| hyperbolic::acosh(b, p.working(), x)),
        MathFn::Atanh => apart(|| hyperbolic::atanh(b, p.working(), x)),
        MathFn::Cbrt => apart(|| root::cbrt(b, p.working(), x)),
        MathFn::Rsqrt => apart(|| root::rsqrt(b, p.working(), x)),
        MathFn::Hypot => apart(|| root::hypot(b, p.working(), x, inputs[1])),
        MathFn::Pow => apart(|| pow::pow(b, p.working(), x, inputs[1]).pack(b, p.working())),
        MathFn::Pown => apart(|| pow::pown(b, p.working(), x, inputs[1]).pack(b, p.working())),
        MathFn::Powr => apart(|| pow::powr(b, p.working(), x, inputs[1]).pack(b, p.working())),
        MathFn::Rootn => apart(|| pow::rootn(b, p.working(), x, inputs[1]).pack(b, p.working())),
        MathFn::Ldexp => apart(|| power::ldexp(b, format, x, inputs[1])),
        MathFn::Ilogb => apart(|| power::ilogb(b, format, x)),
        MathFn::Logb => apart(|| power::logb(b, format, x)),
        MathFn::Remainder | MathFn::RemquoBits => unreachable!("{} is a loop", f.name()),
        MathFn::Erf => apart(|| erf::erf(b, p.working(), x)),
        MathFn::Erfc => apart(|| erf::erfc(b, p.working(), x)),
        MathFn::Tgamma => apart(|| gamma::tgamma(b, p.working(), x)),
        MathFn::Lgamma => apart(|| gamma::lgamma(b, p.working(), x)),
        MathFn::LgammaSign => apart(|| gamma::lgamma_sign(b, format, x)),
        relaxed => unreachable!("{} has a tier", relaxed.name()),
    }
}
