//! Conversions.

use super::Lower;
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::library::Conversion;
use ir::builder::mask;
use ir::{FloatKind, IntCC, Op, Rounding, Type, Value};

impl Lower<'_, '_, '_> {
    /// Operand 0 and the result type, with equal lanes.
    fn conversion(&mut self, inst: &Inst, ok: impl Fn(Type, Type) -> bool) -> R<(Value, Type)> {
        let v = self.operand(inst, 0)?;
        let (from, to) = (self.ty(v), self.result_type(inst)?);
        let fits = from.lanes == to.lanes && ok(from, to);
        self.check(fits, inst, &format!("it cannot convert {from} to {to}"))?;
        Ok((v, to))
    }

    fn decorated(&self, id: Id) -> (bool, Option<Rounding>) {
        let deco = self.spv.deco.of(id);
        (deco.saturated, deco.rounding)
    }

    /// `OpUConvert`, `OpSConvert`: of equal widths a copy (clang-22), saturating if decorated.
    pub(super) fn int_convert(&mut self, inst: &Inst, signed: bool) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| a.is_int() && b.is_int())?;
        let w = to.lane_bits(0);
        let (saturated, _) = self.decorated(inst.result()?);
        let v = match saturated {
            true => self.saturate_between(v, w, signed, signed),
            false => self.widened(v, w, signed),
        };
        self.set(inst, v)
    }

    /// An unsigned number limited from above, then resized.
    fn unsigned_limit(&mut self, v: Value, max: u128, w: u32) -> Value {
        let max = self.like(v, max);
        let v = self.pick(IntCC::Ult, v, max);
        self.b.zext_or_trunc(v, w)
    }

    /// `OpSatConvertSToU`, `OpSatConvertUToS`
    pub(super) fn sat_convert(&mut self, inst: &Inst, from_signed: bool) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| a.is_int() && b.is_int())?;
        let v = self.saturate_between(v, to.lane_bits(0), from_signed, !from_signed);
        self.set(inst, v)
    }

    /// `OpConvertFToU`, `OpConvertFToS`: toward zero unless decorated.
    pub(super) fn float_to_int(&mut self, inst: &Inst, signed: bool) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| a.is_float() && b.is_int())?;
        let (sat, round) = self.decorated(inst.result()?);
        let round = round.unwrap_or(Rounding::Rtz);
        let v = self.b.value(Op::FpToInt { signed, sat, round }, [v], to);
        self.set(inst, v)
    }

    /// `OpConvertUToF`, `OpConvertSToF`: to nearest even unless decorated.
    pub(super) fn int_to_float(&mut self, inst: &Inst, signed: bool) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| a.is_int() && b.is_float())?;
        let (_, round) = self.decorated(inst.result()?);
        let round = round.unwrap_or(Rounding::Rte);
        let v = self.b.value(Op::IntToFp { signed, round }, [v], to);
        self.set(inst, v)
    }

    /// `OpFConvert`: of equal formats a copy.
    pub(super) fn float_convert(&mut self, inst: &Inst) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| a.is_float() && b.is_float())?;
        let (_, round) = self.decorated(inst.result()?);
        let v = self.in_format(v, to, round.unwrap_or(Rounding::Rte));
        self.set(inst, v)
    }

    /// A float in another format.
    pub fn in_format(&mut self, v: Value, to: Type, round: Rounding) -> Value {
        if self.ty(v) == to { v } else { self.b.value(Op::FpToFp(round), [v], to) }
    }

    /// A call of a `convert_` function.
    pub(crate) fn convert_call(&mut self, call: &Inst, c: Conversion) -> R<()> {
        let (v, to) = self.conversion(call, |a, b| a.space().is_none() && b.space().is_none())?;
        self.check(call.args.len() == 1, call, "it converts one operand")?;
        self.check(!c.saturate || to.is_int(), call, "only conversions to integers saturate")?;
        let v = self.converted(v, to, c);
        self.set(call, v)
    }

    /// A number as one of another type with as many lanes.
    pub(crate) fn converted(&mut self, v: Value, to: Type, c: Conversion) -> Value {
        let w = to.lane_bits(0);
        match (self.ty(v).is_float(), to.is_float()) {
            (true, true) => self.in_format(v, to, c.round.unwrap_or(Rounding::Rte)),
            (false, true) => {
                let round = c.round.unwrap_or(Rounding::Rte);
                self.b.value(Op::IntToFp { signed: c.from_signed, round }, [v], to)
            }
            (true, false) => {
                let round = c.round.unwrap_or(Rounding::Rtz);
                let op = Op::FpToInt { signed: c.to_signed, sat: c.saturate, round };
                self.b.value(op, [v], to)
            }
            (false, false) if c.saturate => self.saturate_between(v, w, c.from_signed, c.to_signed),
            (false, false) => self.widened(v, w, c.from_signed),
        }
    }

    /// `OpConvertFToBF16INTEL`: to the bits of a bfloat16, to nearest even.
    pub(super) fn float_to_bfloat16(&mut self, inst: &Inst) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| {
            a.float_kind() == Some(FloatKind::F32) && b.lane() == Type::int(16)
        })?;
        let format = Type::float(FloatKind::BF16).with_lanes(to.lanes);
        let v = self.in_format(v, format, Rounding::Rte);
        let v = self.bits_as(v, to);
        self.set(inst, v)
    }

    /// `OpConvertBF16ToFINTEL`: from the bits of a bfloat16.
    pub(super) fn bfloat16_to_float(&mut self, inst: &Inst) -> R<()> {
        let (v, to) = self.conversion(inst, |a, b| {
            a.lane() == Type::int(16) && b.float_kind() == Some(FloatKind::F32)
        })?;
        let v = self.bits_as(v, Type::float(FloatKind::BF16).with_lanes(to.lanes));
        let v = self.in_format(v, to, Rounding::Rte);
        self.set(inst, v)
    }

    /// Refuses decorations of conversions on other instructions, where the environment forbids them.
    pub(super) fn check_decorations(&self, inst: &Inst) -> R<()> {
        use rspirv::spirv::Op as S;
        let Some(id) = inst.result else { return Ok(()) };
        let deco = self.spv.deco.of(id);
        if deco.rounding.is_none() && !deco.saturated {
            return Ok(());
        }
        let from_float = matches!(inst.op, S::ConvertFToU | S::ConvertFToS);
        let to_float = matches!(inst.op, S::ConvertSToF | S::ConvertUToF | S::FConvert);
        let integers =
            matches!(inst.op, S::UConvert | S::SConvert | S::SatConvertSToU | S::SatConvertUToS);
        // Between integers nothing is rounded; clang-22 decorates there all the same.
        let rounds = from_float || to_float || integers;
        self.check(
            deco.rounding.is_none() || rounds,
            inst,
            "FPRoundingMode: the OpenCL environment allows that decoration on conversions only",
        )?;
        self.check(
            !deco.saturated || from_float || integers,
            inst,
            "SaturatedConversion: only conversions to integers saturate",
        )
    }

    /// An integer of width `w` and signedness `to`, as near as possible to `v`.
    fn saturate_between(&mut self, v: Value, w: u32, from: bool, to: bool) -> Value {
        let width = self.width(v);
        match (from, to) {
            (true, true) if w < width => self.saturate(v, w, true),
            (false, false) if w < width => self.unsigned_limit(v, mask(u128::MAX, w), w),
            (true, false) => self.positive(v, w),
            (false, true) if w <= width => self.unsigned_limit(v, mask(u128::MAX, w - 1), w),
            _ => self.widened(v, w, from),
        }
    }

    /// A signed number as the nearest unsigned one of width `w`.
    fn positive(&mut self, v: Value, w: u32) -> Value {
        let zero = self.like(v, 0);
        let v = self.pick(IntCC::Sgt, v, zero);
        match w < self.width(v) {
            true => self.unsigned_limit(v, mask(u128::MAX, w), w),
            false => self.b.zext_or_trunc(v, w),
        }
    }

    /// `OpBitcast`
    pub(super) fn bitcast(&mut self, inst: &Inst) -> R<()> {
        if let super::Val::Builtin(b) = self.val(inst.arg(0)?)? {
            return self.set_builtin(inst, b);
        }
        let v = self.operand(inst, 0)?;
        let to = self.result_type(inst)?;
        let addr = self.spv.types.addr_bits;
        let from = self.ty(v);
        if from.space().is_some() && to.space().is_some() {
            let v = self.space_cast(v, to)?;
            return self.set(inst, v);
        }
        self.check(
            from.bits(addr) == to.bits(addr),
            inst,
            &format!("it cannot turn {from} into {to}"),
        )?;
        let size = self.b.size_type();
        let v = match from.space() {
            Some(_) => self.b.value(Op::PtrToInt, [v], size),
            None => v,
        };
        let v = match to.space() {
            Some(_) => {
                let int = self.bits_as(v, size);
                self.b.value(Op::IntToPtr, [int], to)
            }
            None => self.bits_as(v, to),
        };
        self.set(inst, v)
    }

    /// The same bits as another type of equal width, neither a pointer.
    pub fn bits_as(&mut self, v: Value, to: Type) -> Value {
        if self.ty(v) == to { v } else { self.b.value(Op::Bitcast, [v], to) }
    }
}
