//! The registry: every operator with its formats and modes as a value, its name, its operand and
//! result widths, and its datapath.

use crate::bits::Bits;
use crate::float;
use crate::format::Format;
use crate::int;
use crate::math;
use base::{SmallVec, smallvec};
use ir::{FloatCC, FlushedOp, MathFn, MathType, Op, Rounding, Scalar, Type};
use std::fmt;

/// Results of an operator, in order.
pub type Outputs<V> = SmallVec<[V; 2]>;

/// An operator: what it computes, in which formats, with which rounding. Operands and results
/// are bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// `x + y`
    FAdd(Format, Rounding),
    /// `x - y`
    FSub(Format, Rounding),
    /// `x * y`
    FMul(Format, Rounding),
    /// `x / y`
    FDiv(Format, Rounding),
    /// `x * y + z`, rounded once
    Fma(Format, Rounding),
    /// Square root of `x`.
    FSqrt(Format, Rounding),
    /// `-x`
    FNeg(Format),
    /// `|x|`
    FAbs(Format),
    /// `x` with the sign of `y`.
    FCopysign(Format),
    /// The smaller of `x` and `y`; the other one if one is NaN.
    FMin(Format),
    /// The larger of `x` and `y`; the other one if one is NaN.
    FMax(Format),
    /// 1 if the outcome of comparing `x` with `y` is in the set.
    FCmp(Format, FloatCC),
    /// `x` rounded to an integral value of the same format.
    FRound(Format, Rounding),
    /// `x` in another format.
    FToF {
        /// Format of the operand.
        from: Format,
        /// Format of the result.
        to: Format,
        /// Rounding direction.
        round: Rounding,
    },
    /// `x` in another format, rounded stochastically by the 32 random bits `y`.
    FToFStochastic {
        /// Format of the operand.
        from: Format,
        /// Format of the result.
        to: Format,
    },
    /// Float `x` as an integer; saturates, NaN becomes 0.
    FToI {
        /// Format of the operand.
        from: Format,
        /// Bits of the result, 2..=64.
        width: u32,
        /// Two's complement result.
        signed: bool,
        /// Rounding direction.
        round: Rounding,
    },
    /// Integer `x` as a float.
    IToF {
        /// Bits of the operand, 1..=64.
        width: u32,
        /// Two's complement operand.
        signed: bool,
        /// Format of the result.
        to: Format,
        /// Rounding direction.
        round: Rounding,
    },
    /// A mathematical function that [`math::is_supported`] in the format.
    Math(MathFn, Format),
    /// Arithmetic that flushes subnormal numbers, rounded to nearest even.
    Flushed(FlushedOp, Format),
    /// Unsigned quotient of integers of 1..=64 bits.
    UDiv(u32),
    /// Unsigned remainder.
    URem(u32),
    /// Signed quotient, rounded towards zero.
    SDiv(u32),
    /// Signed remainder, with the sign of the dividend.
    SRem(u32),
    /// Unsigned quotient and remainder, two results.
    UDivRem(u32),
    /// Signed quotient and remainder, two results.
    SDivRem(u32),
}

impl Operator {
    /// The operator that computes the IR operation `op` on operands of the element type
    /// `operand` with the element type `result`. None for operations that need no operator, that
    /// have none, or on widths beyond those of OpenCL.
    ///
    /// Float-to-integer conversions saturate whether or not the IR operation asks for it.
    pub fn from_ir(op: Op, operand: Type, result: Type) -> Option<Operator> {
        use Operator::*;
        let rte = Rounding::Rte;
        let float = |t: Type| t.float_kind().map(Format::from);
        let int = |t: Type| match t.scalar {
            Scalar::Int(w @ 1..=64) => Some(u32::from(w)),
            _ => None,
        };
        Some(match op {
            Op::FAdd => FAdd(float(operand)?, rte),
            Op::FSub => FSub(float(operand)?, rte),
            Op::FMul => FMul(float(operand)?, rte),
            Op::FDiv => FDiv(float(operand)?, rte),
            Op::Fma => Fma(float(operand)?, rte),
            Op::FSqrt => FSqrt(float(operand)?, rte),
            Op::FNeg => FNeg(float(operand)?),
            Op::FAbs => FAbs(float(operand)?),
            Op::FCopysign => FCopysign(float(operand)?),
            Op::FMin => FMin(float(operand)?),
            Op::FMax => FMax(float(operand)?),
            Op::FCmp(cc) => FCmp(float(operand)?, cc),
            Op::FRound(round) => FRound(float(operand)?, round),
            Op::FpToFp(round) => FToF { from: float(operand)?, to: float(result)?, round },
            Op::FpToFpStochastic => FToFStochastic { from: float(operand)?, to: float(result)? },
            Op::FpToInt { signed, round, .. } => {
                let width = int(result).filter(|w| *w >= 2)?;
                FToI { from: float(operand)?, width, signed, round }
            }
            Op::IntToFp { signed, round } => {
                IToF { width: int(operand)?, signed, to: float(result)?, round }
            }
            Op::Math(f) => {
                let format = float(operand)?;
                return math::is_supported(f, format).then_some(Math(f, format));
            }
            Op::Flushed(op) => Flushed(op, float(operand)?),
            Op::UDiv => UDiv(int(operand)?),
            Op::URem => URem(int(operand)?),
            Op::SDiv => SDiv(int(operand)?),
            Op::SRem => SRem(int(operand)?),
            _ => return None,
        })
    }

    /// Widths of the operands, in order.
    pub fn input_widths(&self) -> SmallVec<[u32; 3]> {
        use Operator::*;
        match *self {
            FAdd(f, _) | FSub(f, _) | FMul(f, _) | FDiv(f, _) => smallvec![f.width(); 2],
            FCopysign(f) | FMin(f) | FMax(f) | FCmp(f, _) => smallvec![f.width(); 2],
            Fma(f, _) => smallvec![f.width(); 3],
            FSqrt(f, _) | FNeg(f) | FAbs(f) | FRound(f, _) => smallvec![f.width()],
            FToF { from, .. } | FToI { from, .. } => smallvec![from.width()],
            FToFStochastic { from, .. } => smallvec![from.width(), float::RANDOM_BITS],
            IToF { width, .. } => smallvec![width],
            Math(f, format) => f.args().iter().map(|a| math::width(*a, format)).collect(),
            Flushed(FlushedOp::Sqrt, f) => smallvec![f.width()],
            Flushed(FlushedOp::Fma, f) => smallvec![f.width(); 3],
            Flushed(_, f) => smallvec![f.width(); 2],
            UDiv(w) | URem(w) | SDiv(w) | SRem(w) | UDivRem(w) | SDivRem(w) => smallvec![w; 2],
        }
    }

    /// Widths of the results, in order.
    pub fn output_widths(&self) -> SmallVec<[u32; 2]> {
        use Operator::*;
        match *self {
            FAdd(f, _) | FSub(f, _) | FMul(f, _) | FDiv(f, _) => smallvec![f.width()],
            Fma(f, _) | FSqrt(f, _) | FRound(f, _) => smallvec![f.width()],
            FNeg(f) | FAbs(f) | FCopysign(f) | FMin(f) | FMax(f) => smallvec![f.width()],
            FCmp(..) => smallvec![1],
            FToF { to, .. } | IToF { to, .. } => smallvec![to.width()],
            FToFStochastic { to, .. } => smallvec![to.width()],
            FToI { width, .. } => smallvec![width],
            Math(f, format) => smallvec![math::width(f.result(), format)],
            Flushed(_, f) => smallvec![f.width()],
            UDiv(w) | URem(w) | SDiv(w) | SRem(w) => smallvec![w],
            UDivRem(w) | SDivRem(w) => smallvec![w; 2],
        }
    }

    /// Describes the operator to the builder: as many `inputs` as [`Operator::input_widths`],
    /// of those widths.
    pub fn build<B: Bits>(&self, b: &B, inputs: &[B::V]) -> Outputs<B::V> {
        use Operator::*;
        let x = inputs[0];
        let y = || inputs[1];
        let one = |v| smallvec![v];
        match *self {
            FAdd(f, r) => one(float::fadd(b, f, r, x, y())),
            FSub(f, r) => one(float::fsub(b, f, r, x, y())),
            FMul(f, r) => one(float::fmul(b, f, r, x, y())),
            FDiv(f, r) => one(float::fdiv(b, f, r, x, y())),
            Fma(f, r) => one(float::fma(b, f, r, x, y(), inputs[2])),
            FSqrt(f, r) => one(float::fsqrt(b, f, r, x)),
            FNeg(f) => one(float::fneg(b, f, x)),
            FAbs(f) => one(float::fabs(b, f, x)),
            FCopysign(f) => one(float::fcopysign(b, f, x, y())),
            FMin(f) => one(float::fmin(b, f, x, y())),
            FMax(f) => one(float::fmax(b, f, x, y())),
            FCmp(f, cc) => one(float::fcmp(b, f, cc, x, y())),
            FRound(f, r) => one(float::fround(b, f, r, x)),
            FToF { from, to, round } => one(float::ftof(b, from, to, round, x)),
            FToFStochastic { from, to } => one(float::ftof_stochastic(b, from, to, x, y())),
            FToI { from, width, signed, round } => {
                one(float::ftoi(b, from, width, signed, round, x))
            }
            IToF { signed, to, round, .. } => one(float::itof(b, to, signed, round, x)),
            Math(f, format) => one(math::build(b, f, format, inputs)),
            Flushed(op, f) => one(float::flushed(b, op, f, inputs)),
            UDiv(_) => one(int::udiv_rem(b, x, y()).quotient),
            URem(_) => one(int::udiv_rem(b, x, y()).remainder),
            SDiv(_) => one(int::sdiv_rem(b, x, y()).quotient),
            SRem(_) => one(int::sdiv_rem(b, x, y()).remainder),
            UDivRem(_) => both(int::udiv_rem(b, x, y())),
            SDivRem(_) => both(int::sdiv_rem(b, x, y())),
        }
    }

    /// Whether it is a digit recurrence with a little before and behind it: division and square root.
    pub fn is_recurrence(&self) -> bool {
        use Operator::*;
        matches!(
            *self,
            FDiv(..)
                | FSqrt(..)
                | Flushed(FlushedOp::Div | FlushedOp::Sqrt, _)
                | UDiv(_)
                | URem(_)
                | SDiv(_)
                | SRem(_)
                | UDivRem(_)
                | SDivRem(_)
        )
    }

    /// Whether an intermediate result of the datapath is wider than 64 bits.
    pub fn is_wide(&self) -> bool {
        use Operator::*;
        match *self {
            FMul(f, _) => 2 * f.precision() + 2 > 64,
            Fma(f, _) => 2 * f.precision() + 4 > 64,
            FAdd(f, _) | FSub(f, _) | FDiv(f, _) | FSqrt(f, _) => f.width() > 64,
            FToI { width, .. } => width + 1 > 64,
            FToFStochastic { from, to } => from.exp_bits + to.frac_bits + float::RANDOM_BITS > 64,
            Flushed(FlushedOp::Mul | FlushedOp::Fma, f) => 2 * f.precision() + 4 > 64,
            Flushed(_, f) => f.width() > 64,
            Math(..) => true,
            UDiv(w) | URem(w) | SDiv(w) | SRem(w) | UDivRem(w) | SDivRem(w) => w + 1 > 64,
            _ => false,
        }
    }

    /// Every operator of the given float format with all its modes, and the conversions from it;
    /// for tests and tables.
    pub fn of_format(f: Format) -> Vec<Operator> {
        use Operator::*;
        let mut all = vec![FNeg(f), FAbs(f), FCopysign(f), FMin(f), FMax(f)];
        all.extend((0..16).map(|cc| FCmp(f, FloatCC(cc))));
        let others = Format::ALL.into_iter().filter(|to| *to != f);
        for (r, _) in Rounding::ALL {
            all.extend([FAdd(f, r), FSub(f, r), FMul(f, r), FDiv(f, r), Fma(f, r)]);
            all.extend([FSqrt(f, r), FRound(f, r)]);
            for width in [8, 16, 32, 64] {
                for signed in [false, true] {
                    all.push(FToI { from: f, width, signed, round: r });
                    all.push(IToF { width, signed, to: f, round: r });
                }
            }
            all.extend(others.clone().map(|to| FToF { from: f, to, round: r }));
        }
        all.extend(others.map(|to| FToFStochastic { from: f, to }));
        all.extend(FlushedOp::ALL.map(|(op, _)| Flushed(op, f)));
        all
    }

    /// Every operator of every named format: what a kernel can ask for, with all modes.
    pub fn all() -> Vec<Operator> {
        use Operator::*;
        let mut all: Vec<Operator> =
            Format::ALL.into_iter().flat_map(Operator::of_format).collect();
        for format in Format::ALL {
            let supported = MathFn::ALL.iter().filter(|f| math::is_supported(**f, format));
            all.extend(supported.map(|f| Math(*f, format)));
        }
        for width in [8, 16, 32, 64] {
            all.extend([UDiv, URem, SDiv, SRem, UDivRem, SDivRem].map(|op| op(width)));
        }
        all
    }

    /// The format of an operand that is a float; None for integers.
    pub fn operand_format(&self, index: usize) -> Option<Format> {
        use Operator::*;
        match *self {
            FAdd(f, _) | FSub(f, _) | FMul(f, _) | FDiv(f, _) | Fma(f, _) | FSqrt(f, _) => Some(f),
            FNeg(f) | FAbs(f) | FCopysign(f) | FMin(f) | FMax(f) => Some(f),
            FCmp(f, _) | FRound(f, _) | Flushed(_, f) => Some(f),
            FToF { from, .. } | FToI { from, .. } => Some(from),
            FToFStochastic { from, .. } => (index == 0).then_some(from),
            Math(f, format) => (f.args().get(index) == Some(&MathType::Float)).then_some(format),
            _ => None,
        }
    }
}

fn both<V>(division: int::Division<V>) -> Outputs<V> {
    smallvec![division.quotient, division.remainder]
}

/// The operator's name, a legal identifier: `fadd_f32`, `fcmp_olt_f64`, `ftoi_f32_s32_rtz`,
/// `itof_u64_f32_rte`, `ftof_f64_f32_rte`, `ftof_f64_f32_sr`, `fround_f32_rtn`, `fmul_ftz_f32`, `udiv_u32`, `sdivrem_s64`.
/// Arithmetic names its rounding only where it is not to nearest even.
impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Operator::*;
        let int = |signed: bool, width: u32| format!("{}{width}", if signed { 's' } else { 'u' });
        let mut arithmetic = |name: &str, f: Format, r: Rounding| match r {
            Rounding::Rte => write!(out, "{name}_{f}"),
            other => write!(out, "{name}_{f}_{}", other.name()),
        };
        match *self {
            FAdd(f, r) => arithmetic("fadd", f, r),
            FSub(f, r) => arithmetic("fsub", f, r),
            FMul(f, r) => arithmetic("fmul", f, r),
            FDiv(f, r) => arithmetic("fdiv", f, r),
            Fma(f, r) => arithmetic("fma", f, r),
            FSqrt(f, r) => arithmetic("fsqrt", f, r),
            FNeg(f) => write!(out, "fneg_{f}"),
            FAbs(f) => write!(out, "fabs_{f}"),
            FCopysign(f) => write!(out, "fcopysign_{f}"),
            FMin(f) => write!(out, "fmin_{f}"),
            FMax(f) => write!(out, "fmax_{f}"),
            FCmp(f, cc) => write!(out, "fcmp_{}_{f}", cc.name()),
            FRound(f, r) => write!(out, "fround_{f}_{}", r.name()),
            FToF { from, to, round } => write!(out, "ftof_{from}_{to}_{}", round.name()),
            FToFStochastic { from, to } => write!(out, "ftof_{from}_{to}_sr"),
            FToI { from, width, signed, round } => {
                write!(out, "ftoi_{from}_{}_{}", int(signed, width), round.name())
            }
            IToF { width, signed, to, round } => {
                write!(out, "itof_{}_{to}_{}", int(signed, width), round.name())
            }
            Math(f, format) => write!(out, "{}_{format}", f.name()),
            Flushed(op, f) => write!(out, "{}_ftz_{f}", op.name()),
            UDiv(w) => write!(out, "udiv_{}", int(false, w)),
            URem(w) => write!(out, "urem_{}", int(false, w)),
            SDiv(w) => write!(out, "sdiv_{}", int(true, w)),
            SRem(w) => write!(out, "srem_{}", int(true, w)),
            UDivRem(w) => write!(out, "udivrem_{}", int(false, w)),
            SDivRem(w) => write!(out, "sdivrem_{}", int(true, w)),
        }
    }
}
