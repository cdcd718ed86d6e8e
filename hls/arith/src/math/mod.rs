//! Mathematical functions: fixed-point datapaths of tables and polynomials, faithful to about half a unit in the last place.
//!
//! Single precision is computed in integers with some guard bits and rounded once; half precision is that, rounded
//! again. The principle and table sizes follow F. de Dinechin, M. Istoan, "Hardware implementations of fixed-point Atan2",
//! ARITH 2015, and J. Detrey, F. de Dinechin, "Table-based polynomials for fast hardware function evaluation", ASAP 2005.

mod exp;
mod log;
mod pack;
mod power;
pub mod table;
mod trig;

use crate::bits::Bits;
use crate::float;
use crate::format::Format;
use ir::{MathFn, MathType, Rounding};

/// Whether there is a datapath for a function in a format.
pub fn is_supported(f: MathFn, format: Format) -> bool {
    use MathFn::*;
    is_exact(f)
        || matches!(format, Format::F32 | Format::F16)
            && matches!(
                f,
                Exp | Exp2
                    | Exp10
                    | Expm1
                    | Log
                    | Log2
                    | Log10
                    | Log1p
                    | Sin
                    | Cos
                    | Tan
                    | Sinpi
                    | Cospi
                    | Tanpi
            )
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
    matches!(f, MathFn::Ldexp | MathFn::Ilogb | MathFn::Logb)
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
        MathFn::Ldexp => power::ldexp(b, format, x, inputs[1]),
        MathFn::Ilogb => power::ilogb(b, format, x),
        MathFn::Logb => power::logb(b, format, x),
        _ => unreachable!("{} has no datapath yet: see is_supported", f.name()),
    }
}
