//! Floating-point operations on single lanes: single and double precision by the processor, everything that
//! it has no instruction for by the runtime.

use super::{Lower, Parts};
use crate::nan::is_native;
use crate::runtime::{self, Site};
use crate::types::{reg, width};
use base::SmallVec;
use cranelift_codegen::ir::condcodes::{FloatCC as FC, IntCC};
use cranelift_codegen::ir::{
    self as clif, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, types,
};
use ir::{FloatCC, FloatKind, Op, Rounding, Type};

impl Lower<'_, '_, '_> {
    /// `x`, or the canonical NaN if it is one.
    pub(super) fn canonical(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        let bits = match reg(ty) {
            types::F32 => 0x7fc0_0000,
            types::F64 => 0x7ff8_0000_0000_0000,
            _ => return x,
        };
        let nan = self.constant(ty, bits);
        let is_nan = self.b.ins().fcmp(FC::Unordered, x, x);
        self.b.ins().select(is_nan, nan, x)
    }

    /// A float operation on lanes; none if neither the processor nor the runtime knows it.
    pub(super) fn float(
        &mut self,
        op: Op,
        result: Type,
        args: &[(Type, clif::Value)],
    ) -> Option<clif::Value> {
        let operand = args.first()?.0;
        let x = |k: usize| args[k].1;
        if is_native(op, operand, result) {
            return Some(match op {
                Op::FAdd => self.b.ins().fadd(x(0), x(1)),
                Op::FSub => self.b.ins().fsub(x(0), x(1)),
                Op::FMul => self.b.ins().fmul(x(0), x(1)),
                Op::FDiv => self.b.ins().fdiv(x(0), x(1)),
                Op::Fma => self.b.ins().fma(x(0), x(1), x(2)),
                Op::FSqrt => self.b.ins().sqrt(x(0)),
                Op::FMin | Op::FMax => self.extreme(op, x(0), x(1)),
                Op::FRound(round) => self.round(operand, round, x(0)),
                _ => self.widen_or_narrow(operand, result, x(0)),
            });
        }
        let kind = operand.float_kind();
        let host = matches!(kind, Some(FloatKind::F32 | FloatKind::F64));
        match op {
            Op::FCmp(cc) => {
                let (a, b) = (self.widened(operand, x(0)), self.widened(operand, x(1)));
                Some(self.fcmp(cc, a, b))
            }
            Op::FpToInt { signed, round, .. } if width(result) <= 64 => {
                let wide = self.widened(operand, x(0));
                let ty = if kind == Some(FloatKind::F64) { Type::F64 } else { Type::F32 };
                let whole = self.round(ty, round, wide);
                Some(self.integral_to_int(whole, width(result), signed))
            }
            Op::IntToFp { signed, round: Rounding::Rte }
                if width(operand) <= 64
                    && matches!(result.float_kind(), Some(FloatKind::F32 | FloatKind::F64)) =>
            {
                Some(self.int_to_float(operand, result, signed, x(0)))
            }
            Op::FRem if host => {
                let (a, b) = (self.doubled(operand, x(0)), self.doubled(operand, x(1)));
                let function = runtime::fmod as *const () as usize;
                let rest = self.call_runtime(function, &[a, b], Some(types::F64))?;
                let rest = match kind {
                    Some(FloatKind::F32) => self.b.ins().fdemote(types::F32, rest),
                    _ => rest,
                };
                Some(self.canonical(result, rest))
            }
            _ => self.evaluated(op, result, args),
        }
    }

    /// Operations on the sign and choices, in all formats: NaNs pass with their bits.
    pub(super) fn sign_or_select(&mut self, op: Op, ty: Type, args: &[Parts]) -> Parts {
        let lanes = usize::from(ty.lanes);
        (0..lanes)
            .map(|k| {
                let lane = |a: usize| args[a][k.min(args[a].len() - 1)];
                match op {
                    Op::Select => self.chosen(lane(0), lane(1), lane(2)),
                    _ => {
                        let second = args.get(1).map(|b| b[k]);
                        self.sign(op, ty, lane(0), second)
                    }
                }
            })
            .collect()
    }

    /// One of two registers. 128 bits by halves: Cranelift makes a minimum or maximum of a choice by the comparison of
    /// what is chosen from, and has no code for those of 128 bits.
    fn chosen(&mut self, cond: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        if self.b.func.dfg.value_type(a) != types::I128 {
            return self.b.ins().select(cond, a, b);
        }
        let ((a, a_high), (b, b_high)) = (self.b.ins().isplit(a), self.b.ins().isplit(b));
        let low = self.b.ins().select(cond, a, b);
        let high = self.b.ins().select(cond, a_high, b_high);
        self.b.ins().iconcat(low, high)
    }

    fn sign(&mut self, op: Op, ty: Type, a: clif::Value, b: Option<clif::Value>) -> clif::Value {
        if reg(ty) == types::I16 {
            return match (op, b) {
                (Op::FNeg, _) => self.b.ins().bxor_imm_u(a, 0x8000),
                (Op::FCopysign, Some(b)) => {
                    let magnitude = self.b.ins().band_imm_u(a, 0x7fff);
                    let sign = self.b.ins().band_imm_u(b, 0x8000);
                    self.b.ins().bor(magnitude, sign)
                }
                _ => self.b.ins().band_imm_u(a, 0x7fff),
            };
        }
        match (op, b) {
            (Op::FNeg, _) => self.b.ins().fneg(a),
            (Op::FCopysign, Some(b)) => self.b.ins().fcopysign(a, b),
            _ => self.b.ins().fabs(a),
        }
    }

    /// OpenCL's `fmin` and `fmax`: the other operand if one is NaN.
    fn extreme(&mut self, op: Op, a: clif::Value, b: clif::Value) -> clif::Value {
        let of_numbers = match op {
            Op::FMin => self.b.ins().fmin(a, b),
            _ => self.b.ins().fmax(a, b),
        };
        let b_is_nan = self.b.ins().fcmp(FC::Unordered, b, b);
        let with_a = self.b.ins().select(b_is_nan, a, of_numbers);
        let a_is_nan = self.b.ins().fcmp(FC::Unordered, a, a);
        self.b.ins().select(a_is_nan, b, with_a)
    }

    /// To an integral value.
    fn round(&mut self, ty: Type, round: Rounding, x: clif::Value) -> clif::Value {
        match round {
            Rounding::Rte => self.b.ins().nearest(x),
            Rounding::Rtz => self.b.ins().trunc(x),
            Rounding::Rtp => self.b.ins().ceil(x),
            Rounding::Rtn => self.b.ins().floor(x),
            Rounding::Rhaz => {
                // the fraction is exact, so there is no second rounding
                let whole = self.b.ins().trunc(x);
                let fraction = self.b.ins().fsub(x, whole);
                let fraction = self.b.ins().fabs(fraction);
                let (half, one) = match reg(ty) {
                    types::F32 => (0x3f00_0000, 0x3f80_0000),
                    _ => (0x3fe0_0000_0000_0000, 0x3ff0_0000_0000_0000),
                };
                let (half, one) = (self.constant(ty, half), self.constant(ty, one));
                let away = self.b.ins().fcmp(FC::GreaterThanOrEqual, fraction, half);
                let step = self.b.ins().fcopysign(one, x);
                let next = self.b.ins().fadd(whole, step);
                self.b.ins().select(away, next, whole)
            }
        }
    }

    /// Half precision and bfloat16 as single precision, which has all their values; others stay.
    pub(super) fn widened(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        match ty.float_kind() {
            Some(FloatKind::BF16) => {
                let bits = self.b.ins().uextend(types::I32, x);
                let bits = self.b.ins().ishl_imm_u(bits, 16);
                self.b.ins().bitcast(types::F32, MemFlagsData::new(), bits)
            }
            Some(FloatKind::F16) => self.half_to_single(x),
            _ => x,
        }
    }

    fn half_to_single(&mut self, x: clif::Value) -> clif::Value {
        let bits = self.b.ins().uextend(types::I32, x);
        let magnitude = self.b.ins().band_imm_u(bits, 0x7fff);
        let sign = self.b.ins().band_imm_u(bits, 0x8000);
        let sign = self.b.ins().ishl_imm_u(sign, 16);
        let fraction = self.b.ins().ishl_imm_u(magnitude, 13);
        // exponents differ by 112: exact for normal and subnormal numbers
        let small = self.b.ins().bitcast(types::F32, MemFlagsData::new(), fraction);
        let scale = self.constant(Type::F32, ((112 + 127) << 23) as u128);
        let number = self.b.ins().fmul(small, scale);
        let number = self.b.ins().bitcast(types::I32, MemFlagsData::new(), number);
        let special = self.iconst(types::I32, 0x7f80_0000);
        let special = self.b.ins().bor(fraction, special);
        let is_special =
            self.b.ins().icmp_imm_s(IntCC::UnsignedGreaterThanOrEqual, magnitude, 0x7c00);
        let all = self.b.ins().select(is_special, special, number);
        let all = self.b.ins().bor(all, sign);
        self.b.ins().bitcast(types::F32, MemFlagsData::new(), all)
    }

    fn doubled(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        match ty.float_kind() {
            Some(FloatKind::F64) => x,
            _ => {
                let x = self.widened(ty, x);
                self.b.ins().fpromote(types::F64, x)
            }
        }
    }

    fn widen_or_narrow(&mut self, from: Type, to: Type, x: clif::Value) -> clif::Value {
        match to.float_kind() {
            Some(FloatKind::F64) => self.doubled(from, x),
            _ if from.float_kind() == Some(FloatKind::F64) => self.b.ins().fdemote(types::F32, x),
            _ => self.widened(from, x),
        }
    }

    fn fcmp(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> clif::Value {
        match float_code(cc) {
            Some(code) => self.b.ins().fcmp(code, a, b),
            None => self.iconst(types::I8, (cc.0 & 1).into()),
        }
    }

    /// The nearest integer of `w` bits to an integral value; NaN gives 0.
    fn integral_to_int(&mut self, whole: clif::Value, w: u32, signed: bool) -> clif::Value {
        let ty = if w <= 32 { types::I32 } else { types::I64 };
        let to = crate::types::int_reg(w);
        if signed {
            let mut x = self.b.ins().fcvt_to_sint_sat(ty, whole);
            if w < ty.bits() {
                let most = self.iconst(ty, (1 << (w - 1)) - 1);
                let least = self.b.ins().bnot(most);
                x = self.b.ins().smin(x, most);
                x = self.b.ins().smax(x, least);
            }
            let x = self.wrap(x, w);
            return self.resize(x, to);
        }
        let mut x = self.b.ins().fcvt_to_uint_sat(ty, whole);
        if w < ty.bits() {
            let most = self.iconst(ty, (1 << w) - 1);
            x = self.b.ins().umin(x, most);
        }
        self.resize(x, to)
    }

    fn int_to_float(&mut self, from: Type, to: Type, signed: bool, x: clif::Value) -> clif::Value {
        let w = width(from);
        let wide = if w <= 32 { types::I32 } else { types::I64 };
        if signed {
            let x = self.signed(x, w);
            let x = if reg(from) == wide { x } else { self.b.ins().sextend(wide, x) };
            return self.b.ins().fcvt_from_sint(reg(to), x);
        }
        let x = self.resize(x, wide);
        self.b.ins().fcvt_from_uint(reg(to), x)
    }

    /// An operation that is no instruction: by a datapath of crate `arith`, or by the runtime.
    pub(super) fn evaluated(
        &mut self,
        op: Op,
        result: Type,
        args: &[(Type, clif::Value)],
    ) -> Option<clif::Value> {
        let types: SmallVec<[Type; 3]> = args.iter().map(|a| a.0).collect();
        if types.len() > 3 {
            return None;
        }
        if let Some(operator) = super::operator::operator_of(op, *types.first()?, result)
            && let Some(x) = self.operate(operator, result, args)
        {
            return Some(x);
        }
        let narrow = types.iter().chain([&result]).all(|t| width(*t) <= 64);
        let site = self.site(Site { op, result, args: types })?;
        let mut bits: SmallVec<[clif::Value; 4]> = SmallVec::new();
        for &(_, x) in args {
            let x = self.as_bits(x);
            let to = if narrow { types::I64 } else { types::I128 };
            bits.push(self.resize(x, to));
        }
        let value = if narrow {
            let zero = self.iconst(types::I64, 0);
            bits.resize(3, zero);
            let function = runtime::pure as *const () as usize;
            self.call_runtime(function, &[site, bits[0], bits[1], bits[2]], Some(types::I64))?
        } else {
            let slot = *self.scratch.get_or_insert_with(|| {
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 48, 4);
                self.b.create_sized_stack_slot(data)
            });
            for (k, x) in bits.into_iter().enumerate() {
                let (low, high) = self.b.ins().isplit(x);
                self.b.ins().stack_store(types::I64, low, slot, 16 * k as i32);
                self.b.ins().stack_store(types::I64, high, slot, 16 * k as i32 + 8);
            }
            let address = self.b.ins().stack_addr(types::I64, slot, 0);
            let function = runtime::pure_wide as *const () as usize;
            self.call_runtime(function, &[site, address], None);
            let low = self.b.ins().stack_load(types::I64, types::I64, slot, 0);
            let high = self.b.ins().stack_load(types::I64, types::I64, slot, 8);
            self.b.ins().iconcat(low, high)
        };
        let bits = self.resize(value, crate::types::int_reg(width(result)));
        Some(self.as_lane(result, bits))
    }

    /// A register as an integer of its width.
    pub(super) fn as_bits(&mut self, x: clif::Value) -> clif::Value {
        match self.b.func.dfg.value_type(x) {
            types::F32 => self.b.ins().bitcast(types::I32, MemFlagsData::new(), x),
            types::F64 => self.b.ins().bitcast(types::I64, MemFlagsData::new(), x),
            _ => x,
        }
    }

    /// An integer as the register of a lane of equal width.
    pub(super) fn as_lane(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        match reg(ty) {
            float @ (types::F32 | types::F64) => {
                self.b.ins().bitcast(float, MemFlagsData::new(), x)
            }
            _ => x,
        }
    }
}

/// The processor's comparison; none for what is always or never true.
pub(super) fn float_code(cc: FloatCC) -> Option<FC> {
    Some(match cc.name() {
        "false" | "true" => return None,
        "olt" => FC::LessThan,
        "oeq" => FC::Equal,
        "ole" => FC::LessThanOrEqual,
        "ogt" => FC::GreaterThan,
        "one" => FC::OrderedNotEqual,
        "oge" => FC::GreaterThanOrEqual,
        "ord" => FC::Ordered,
        "uno" => FC::Unordered,
        "ult" => FC::UnorderedOrLessThan,
        "ueq" => FC::UnorderedOrEqual,
        "ule" => FC::UnorderedOrLessThanOrEqual,
        "ugt" => FC::UnorderedOrGreaterThan,
        "une" => FC::NotEqual,
        _ => FC::UnorderedOrGreaterThanOrEqual,
    })
}
