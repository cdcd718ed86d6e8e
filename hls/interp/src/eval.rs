//! What each pure operation computes, on single values.
//!
//! Used by the interpreter, by constant folding and by the replay check of rewriting. Integer
//! semantics are those of [`ir::op`]. Floating point in f32 and f64 uses the host's arithmetic
//! where Rust guarantees correct rounding; everything else runs the datapaths of crate `arith`.
//! The tests hold the two against each other.

use arith::remainder::{Kind, remainder};
use arith::{Format, Operator};
use ir::builder::{mask, sign_extend};
use ir::op::generic_tag;
use ir::{FloatCC, FloatKind, IntCC, MathFn, Op, Rounding, Scalar, Space, Table, TableData, Type};

/// The result of a pure scalar operation, zero above its width.
///
/// `args` are types and bits of the operands (bits above a type's width are ignored), `addr_bits`
/// is the width of pointers and `table` finds the function's tables (for `lookup`).
///
/// `None` when the operation is not a function of its operands (sources, effects), when it or an
/// operand is a vector, when operands are missing, or for conversions from integers wider than
/// 64 bits that do not round to nearest even.
pub fn eval<'t>(
    op: Op,
    result: Type,
    args: &[(Type, u128)],
    addr_bits: u32,
    table: impl Fn(Table) -> Option<&'t TableData>,
) -> Option<u128> {
    if result.is_vector() || args.iter().any(|(ty, _)| ty.is_vector()) {
        return None;
    }
    let width = result.lane_bits(addr_bits);
    let arg = |k: usize| args.get(k).map(|(ty, bits)| mask(*bits, ty.lane_bits(addr_bits)));
    let arg_type = args.first().map(|a| a.0);
    let arg_width = arg_type.map_or(0, |ty| ty.lane_bits(addr_bits));
    let bits = match op {
        Op::Sext => sign_extend(arg(0)?, arg_width) as u128,
        Op::Zext | Op::Bitcast | Op::PtrToInt | Op::IntToPtr => arg(0)?,
        Op::Slice { lo } => arg(0)?.checked_shr(lo.into()).unwrap_or(0),
        Op::Concat => {
            let low = args.get(1)?.0.lane_bits(addr_bits);
            arg(0)?.checked_shl(low).unwrap_or(0) | arg(1)?
        }
        Op::Lookup(t) => {
            let index = usize::try_from(arg(0)?).unwrap_or(usize::MAX);
            table(t)?.entries.get(index).copied().unwrap_or(0)
        }
        Op::PtrAdd => arg(0)?.wrapping_add(arg(1)?),
        Op::SpaceCast => space_cast(arg(0)?, arg_type?.space()?, result.space()?, addr_bits),
        Op::Select => {
            if arg(0)? != 0 {
                arg(1)?
            } else {
                arg(2)?
            }
        }
        Op::ICmp(cc) => u128::from(icmp(cc, arg_width, arg(0)?, arg(1)?)),
        Op::Not => !arg(0)?,
        Op::Clz => u128::from(arg(0)?.leading_zeros() - (128 - width)),
        Op::Popcount => u128::from(arg(0)?.count_ones()),
        Op::BitReverse => arg(0)?.reverse_bits() >> (128 - width),
        op if op.is_int_binary() => int_binary(op, width, arg(0)?, arg(1)?),
        Op::IntToFp { .. } => int_to_fp(op, arg_type?, result, arg(0)?)?,
        _ => float(op, arg_type?, result, args, addr_bits)?,
    };
    Some(mask(bits, width))
}

/// Two operands and a result of `w` bits; the result may have bits above.
fn int_binary(op: Op, w: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (sign_extend(a, w), sign_extend(b, w));
    let in_range = |shift: u128| u32::try_from(shift).ok().filter(|n| *n < w);
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SDiv => sa.wrapping_div(sb) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => sa.wrapping_rem(sb) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => in_range(b).map_or(0, |n| a << n),
        Op::LShr => in_range(b).map_or(0, |n| a >> n),
        _ => (sa >> in_range(b).unwrap_or(w - 1)) as u128, // AShr
    }
}

/// Comparison of `w`-bit integers.
fn icmp(cc: IntCC, w: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (sign_extend(a, w), sign_extend(b, w));
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
        IntCC::Slt => sa < sb,
        IntCC::Sle => sa <= sb,
        IntCC::Sgt => sa > sb,
        IntCC::Sge => sa >= sb,
    }
}

fn space_cast(bits: u128, from: Space, to: Space, addr_bits: u32) -> u128 {
    let shift = addr_bits - 2;
    match (from, to) {
        (Space::Generic, to) if bits >> shift == u128::from(generic_tag(to)) => mask(bits, shift),
        (Space::Generic, _) => 0,
        (_, Space::Generic) if bits == 0 => 0,
        (from, Space::Generic) => mask(bits, shift) | u128::from(generic_tag(from)) << shift,
        _ => bits,
    }
}

fn float(
    op: Op,
    operand: Type,
    result: Type,
    args: &[(Type, u128)],
    addr_bits: u32,
) -> Option<u128> {
    let arg = |k: usize| args.get(k).map(|(ty, bits)| mask(*bits, ty.lane_bits(addr_bits)));
    match (op, operand.float_kind()?) {
        (Op::FpToInt { signed, round, .. }, kind) => {
            let w = result.lane_bits(addr_bits);
            Some(fp_to_int(to_f64(kind, arg(0)?), w, signed, round))
        }
        (Op::FRem, kind) => {
            // exact in the operands' format, so f64 computes it for the narrower ones too
            let rem = to_f64(kind, arg(0)?) % to_f64(kind, arg(1)?);
            from_f64(kind, rem)
        }
        (Op::Math(f @ (MathFn::Remainder | MathFn::RemquoBits)), kind) => {
            let (rest, n) = remainder(kind.into(), Kind::Nearest, arg(0)?, arg(1)?);
            Some(if f == MathFn::Remainder { rest } else { n.into() })
        }
        (op, FloatKind::F32) if is_host_f32(op, result) => {
            let x = |k| arg(k).map(|bits| f32::from_bits(bits as u32));
            host_f32(op, result, x(0)?, x(1), x(2))
        }
        (op, FloatKind::F64) if is_host_f64(op, result) => {
            let x = |k| arg(k).map(|bits| f64::from_bits(bits as u64));
            host_f64(op, result, x(0)?, x(1), x(2))
        }
        _ => datapath(op, operand, result, args),
    }
}

/// Runs the datapath of crate `arith`.
fn datapath(op: Op, operand: Type, result: Type, args: &[(Type, u128)]) -> Option<u128> {
    let operator = Operator::from_ir(op, operand, result)?;
    let widths = operator.input_widths();
    let inputs: base::SmallVec<[u128; 3]> =
        args.iter().zip(&widths).map(|((_, bits), w)| mask(*bits, *w)).collect();
    (inputs.len() == widths.len()).then(|| arith::eval(operator, &inputs))
}

fn is_host_f32(op: Op, result: Type) -> bool {
    use Op::*;
    matches!(op, FAdd | FSub | FMul | FDiv | Fma | FSqrt | FCmp(_) | FRound(_))
        || matches!(op, FpToFp(_)) && result == Type::F64
}

fn is_host_f64(op: Op, result: Type) -> bool {
    is_host_f32(op, Type::F32) || op == Op::FpToFp(Rounding::Rte) && result == Type::F32
}

/// Bits of `x`, NaN in its canonical form.
pub(crate) fn bits32(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// Bits of `x`, NaN in its canonical form.
pub(crate) fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

/// Whether the outcome of comparing is in the set.
pub(crate) fn fcmp<T: PartialOrd>(cc: FloatCC, a: T, b: T) -> bool {
    let outcome = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Less) => FloatCC::LT,
        Some(std::cmp::Ordering::Equal) => FloatCC::EQ,
        Some(std::cmp::Ordering::Greater) => FloatCC::GT,
        None => FloatCC::UN,
    };
    cc.has(outcome)
}

macro_rules! host_arithmetic {
    ($name:ident, $float:ty, $bits:ident) => {
        /// IEEE operations that Rust rounds correctly.
        fn $name(
            op: Op,
            result: Type,
            a: $float,
            b: Option<$float>,
            c: Option<$float>,
        ) -> Option<u128> {
            let value = match op {
                Op::FCmp(cc) => return Some(fcmp(cc, a, b?).into()),
                Op::FpToFp(_) if result == Type::F64 => return Some(bits64(a as f64).into()),
                Op::FpToFp(_) => return Some(bits32(a as f32).into()),
                Op::FAdd => a + b?,
                Op::FSub => a - b?,
                Op::FMul => a * b?,
                Op::FDiv => a / b?,
                Op::Fma => a.mul_add(b?, c?),
                Op::FSqrt => a.sqrt(),
                Op::FRound(Rounding::Rte) => a.round_ties_even(),
                Op::FRound(Rounding::Rtz) => a.trunc(),
                Op::FRound(Rounding::Rtp) => a.ceil(),
                Op::FRound(Rounding::Rtn) => a.floor(),
                Op::FRound(Rounding::Rhaz) => a.round(),
                _ => return None,
            };
            Some($bits(value).into())
        }
    };
}

host_arithmetic!(host_f32, f32, bits32);
host_arithmetic!(host_f64, f64, bits64);

/// The nearest integer of `w` bits to `x` rounded; NaN gives 0.
fn fp_to_int(x: f64, w: u32, signed: bool, round: Rounding) -> u128 {
    let integral = match round {
        Rounding::Rte => x.round_ties_even(),
        Rounding::Rtz => x.trunc(),
        Rounding::Rtp => x.ceil(),
        Rounding::Rtn => x.floor(),
        Rounding::Rhaz => x.round(),
    };
    if signed {
        let max = i128::MAX >> (128 - w);
        (integral as i128).clamp(-max - 1, max) as u128
    } else {
        (integral as u128).min(mask(u128::MAX, w))
    }
}

fn int_to_fp(op: Op, from: Type, to: Type, bits: u128) -> Option<u128> {
    let Op::IntToFp { signed, round } = op else { return None };
    let Scalar::Int(w) = from.scalar else { return None };
    let value = sign_extend(bits, w.into());
    match (to.float_kind()?, signed) {
        (FloatKind::F32, true) if round == Rounding::Rte => Some(bits32(value as f32).into()),
        (FloatKind::F32, false) if round == Rounding::Rte => Some(bits32(bits as f32).into()),
        (FloatKind::F64, true) if round == Rounding::Rte => Some(bits64(value as f64).into()),
        (FloatKind::F64, false) if round == Rounding::Rte => Some(bits64(bits as f64).into()),
        _ => datapath(op, from, to, &[(from, bits)]),
    }
}

/// The value of a number, which every format here shares with f64.
fn to_f64(kind: FloatKind, bits: u128) -> f64 {
    match kind {
        FloatKind::F64 => f64::from_bits(bits as u64),
        FloatKind::F32 => f32::from_bits(bits as u32).into(),
        FloatKind::BF16 => f32::from_bits((bits as u32) << 16).into(),
        FloatKind::F16 => {
            let op = Operator::FToF { from: Format::F16, to: Format::F64, round: Rounding::Rte };
            f64::from_bits(arith::eval(op, &[bits]) as u64)
        }
    }
}

/// `x`, rounded to nearest even, in a format.
fn from_f64(kind: FloatKind, x: f64) -> Option<u128> {
    match kind {
        FloatKind::F64 => Some(bits64(x).into()),
        FloatKind::F32 => Some(bits32(x as f32).into()),
        _ => {
            let op = Op::FpToFp(Rounding::Rte);
            datapath(op, Type::F64, Type::float(kind), &[(Type::F64, x.to_bits().into())])
        }
    }
}
