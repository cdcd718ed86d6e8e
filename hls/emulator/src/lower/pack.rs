//! Operations on vectors of several work-items' values.

use super::wide::{Lane, Lanes, Packs, Wide, is_packable, vector_of};
use super::{Result, float::float_code, int::int_code};
use crate::nan::is_native;
use crate::shape::WIDTH;
use crate::types::{reg, width};
use base::SmallVec;
use cranelift_codegen::ir::condcodes::FloatCC as FC;
use cranelift_codegen::ir::{self as clif, Endianness, InstBuilder, MemFlagsData, types};
use ir::{Function, InstData, Op, Rounding, Type, Value};

/// Whether an operation has a form for vectors.
pub(crate) fn has_packed_form(func: &Function, data: &InstData, op: Op) -> bool {
    let Some(result) = data.result else { return false };
    let ty = func.ty(result).lane();
    let arg = |k: usize| data.args.get(k).map_or(ty, |v| func.ty(*v).lane());
    let ints = is_packable(ty) && ty.is_int();
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Not => {
            ints || ty == Type::BOOL && !matches!(op, Op::Add | Op::Sub | Op::Mul)
        }
        Op::Shl | Op::LShr | Op::AShr => {
            let by = func.as_const(data.args[1]);
            ints && by.is_some_and(|n| n < u128::from(width(ty)))
        }
        Op::ICmp(_) | Op::FCmp(_) => is_packable(arg(0)),
        Op::Select => is_packable(ty),
        Op::FNeg | Op::FAbs | Op::FCopysign => is_packable(ty),
        Op::FRound(round) => is_packable(ty) && round != Rounding::Rhaz,
        Op::FpToFp(_) => false,
        Op::IntToFp { signed: true, round: Rounding::Rte } => {
            arg(0) == Type::I32 && ty == Type::F32
        }
        Op::FpToInt { signed: true, round: Rounding::Rtz, .. } => {
            arg(0) == Type::F32 && ty == Type::I32
        }
        Op::Sext | Op::Zext => arg(0) == Type::I32 && ty == Type::I64,
        Op::Bitcast => {
            let from = func.ty(data.args[0]);
            is_packable(ty) && is_packable(from.lane()) && width(from) == width(ty)
        }
        op => is_native(op, arg(0), ty),
    }
}

impl Wide<'_, '_, '_, '_> {
    /// The lanes of a result; none if the operands are not such that vectors serve.
    pub(super) fn compute(&mut self, data: &InstData) -> Result<Option<Lanes>> {
        let Some(result) = data.result else { return Ok(None) };
        let func = self.s.frame.func;
        let ty = func.ty(result);
        let passes = matches!(
            data.op,
            Op::VecBuild | Op::VecExtract(_) | Op::VecInsert(_) | Op::Select | Op::FNeg | Op::FAbs
        );
        let mut args: SmallVec<[(Type, Lanes); 3]> = SmallVec::new();
        for (k, &a) in data.args.iter().enumerate() {
            let sign = data.op == Op::FCopysign && k == 1;
            let exact = sign
                || data.op == Op::Bitcast
                || (passes || data.op == Op::FCopysign) && self.s.takes_exact(result);
            args.push((func.ty(a), self.lanes(a, exact)?));
        }
        match data.op {
            Op::VecBuild => {
                return Ok(Some(args.into_iter().map(|(_, mut l)| l.remove(0)).collect()));
            }
            Op::VecExtract(k) => {
                return Ok(Some(Lanes::from_iter([args[0].1[usize::from(k)].clone()])));
            }
            Op::VecInsert(k) => {
                let x = args[1].1[0].clone();
                let mut lanes = args.swap_remove(0).1;
                lanes[usize::from(k)] = x;
                return Ok(Some(lanes));
            }
            _ => {}
        }
        let mut lanes = Lanes::new();
        for k in 0..usize::from(ty.lanes) {
            let of: SmallVec<[(Type, Lane); 3]> =
                args.iter().map(|(ty, l)| (ty.lane(), l[k.min(l.len() - 1)].clone())).collect();
            match self.lane(data, ty.lane(), of) {
                Some(lane) => lanes.push(lane),
                None => return Ok(None),
            }
        }
        Ok(Some(lanes))
    }

    fn lane(
        &mut self,
        data: &InstData,
        ty: Type,
        args: SmallVec<[(Type, Lane); 3]>,
    ) -> Option<Lane> {
        if ty == Type::BOOL {
            return self.condition(data, args);
        }
        if data.op == Op::Select {
            return self.select(ty, args, data.args[0]);
        }
        let first = args.first()?.0;
        let mut packs: SmallVec<[Packs; 3]> = SmallVec::new();
        let shift = matches!(data.op, Op::Shl | Op::LShr | Op::AShr);
        for (k, (ty, lane)) in args.into_iter().enumerate() {
            if !(shift && k == 1) {
                packs.push(self.packs(ty, lane));
            }
        }
        if matches!(data.op, Op::Sext | Op::Zext) {
            return Some(Lane::Packed(self.widen(data.op == Op::Sext, &packs[0])));
        }
        let amount = if shift { self.s.frame.func.as_const(data.args[1])? as i64 } else { 0 };
        let made = (0..packs[0].len())
            .map(|n| {
                let x: SmallVec<[clif::Value; 3]> = packs.iter().map(|p| p[n]).collect();
                self.operate(data.op, first, ty, &x, amount)
            })
            .collect::<Option<Packs>>()?;
        Some(Lane::Packed(made))
    }

    /// One vector of a result.
    fn operate(
        &mut self,
        op: Op,
        operand: Type,
        ty: Type,
        x: &[clif::Value],
        amount: i64,
    ) -> Option<clif::Value> {
        let vector = vector_of(reg(ty));
        if matches!(op, Op::Shl | Op::LShr | Op::AShr) {
            let amount = self.s.b.ins().iconst(types::I32, amount);
            return Some(match op {
                Op::Shl => self.s.b.ins().ishl(x[0], amount),
                Op::LShr => self.s.b.ins().ushr(x[0], amount),
                _ => self.s.b.ins().sshr(x[0], amount),
            });
        }
        let ins = self.s.b.ins();
        Some(match op {
            Op::Add => ins.iadd(x[0], x[1]),
            Op::Sub => ins.isub(x[0], x[1]),
            Op::Mul => ins.imul(x[0], x[1]),
            Op::And => ins.band(x[0], x[1]),
            Op::Or => ins.bor(x[0], x[1]),
            Op::Xor => ins.bxor(x[0], x[1]),
            Op::Not => ins.bnot(x[0]),
            Op::FAdd => ins.fadd(x[0], x[1]),
            Op::FSub => ins.fsub(x[0], x[1]),
            Op::FMul => ins.fmul(x[0], x[1]),
            Op::FDiv => ins.fdiv(x[0], x[1]),
            Op::FSqrt => ins.sqrt(x[0]),
            Op::Fma => ins.fma(x[0], x[1], x[2]),
            Op::FNeg => ins.fneg(x[0]),
            Op::FAbs => ins.fabs(x[0]),
            Op::FRound(Rounding::Rte) => ins.nearest(x[0]),
            Op::FRound(Rounding::Rtz) => ins.trunc(x[0]),
            Op::FRound(Rounding::Rtp) => ins.ceil(x[0]),
            Op::FRound(Rounding::Rtn) => ins.floor(x[0]),
            Op::IntToFp { .. } if operand == Type::I32 => ins.fcvt_from_sint(vector, x[0]),
            Op::FpToInt { .. } if operand == Type::F32 => ins.fcvt_to_sint_sat(vector, x[0]),
            Op::Bitcast if vector == self.vector_type(x[0]) => x[0],
            Op::Bitcast => self.s.b.ins().bitcast(vector, little(), x[0]),
            Op::FCopysign => {
                let bits = u128::from(width(ty)) - 1;
                let mask = self.splat_bits(ty, 1 << bits);
                self.s.b.ins().bitselect(mask, x[1], x[0])
            }
            Op::FMin | Op::FMax => {
                let numbers = match op {
                    Op::FMin => self.s.b.ins().fmin(x[0], x[1]),
                    _ => self.s.b.ins().fmax(x[0], x[1]),
                };
                let nan = self.is_nan(ty, x[1]);
                let with_first = self.s.b.ins().bitselect(nan, x[0], numbers);
                let nan = self.is_nan(ty, x[0]);
                self.s.b.ins().bitselect(nan, x[1], with_first)
            }
            _ => return None,
        })
    }

    fn vector_type(&self, x: clif::Value) -> clif::Type {
        self.s.b.func.dfg.value_type(x)
    }

    /// The same bits in every element.
    fn splat_bits(&mut self, ty: Type, bits: u128) -> clif::Value {
        let x = self.s.constant(ty, bits);
        self.s.b.ins().splat(vector_of(reg(ty)), x)
    }

    /// Where a vector has NaNs, as a mask of the vector's own type.
    fn is_nan(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        let mask = self.s.b.ins().fcmp(FC::Unordered, x, x);
        self.s.b.ins().bitcast(vector_of(reg(ty)), little(), mask)
    }

    /// With canonical NaNs.
    pub(super) fn canonical(&mut self, ty: Type, lane: Lane) -> Lane {
        let bits = match reg(ty) {
            types::F32 => 0x7fc0_0000,
            types::F64 => 0x7ff8_0000_0000_0000,
            _ => return lane,
        };
        let Lane::Packed(packs) = lane else {
            let all = self.each(ty, &lane);
            return Lane::Each(all.map(|x| self.s.canonical(ty, x)));
        };
        let nan = self.splat_bits(ty, bits);
        Lane::Packed(
            packs
                .into_iter()
                .map(|x| {
                    let mask = self.is_nan(ty, x);
                    self.s.b.ins().bitselect(mask, nan, x)
                })
                .collect(),
        )
    }

    /// 32 bits to 64.
    fn widen(&mut self, signed: bool, packs: &Packs) -> Packs {
        let mut wide = Packs::new();
        for &x in packs {
            let (low, high) = if signed {
                (self.s.b.ins().swiden_low(x), self.s.b.ins().swiden_high(x))
            } else {
                (self.s.b.ins().uwiden_low(x), self.s.b.ins().uwiden_high(x))
            };
            wide.extend([low, high]);
        }
        wide
    }

    /// Comparisons, and logic on their results.
    fn condition(&mut self, data: &InstData, args: SmallVec<[(Type, Lane); 3]>) -> Option<Lane> {
        let ty = args.first()?.0;
        if let Op::ICmp(_) | Op::FCmp(_) = data.op {
            let packs: SmallVec<[Packs; 2]> =
                args.into_iter().map(|(ty, lane)| self.packs(ty, lane)).collect();
            let made = (0..packs[0].len())
                .map(|n| {
                    let (a, b) = (packs[0][n], packs[1][n]);
                    Some(match data.op {
                        Op::ICmp(cc) => self.s.b.ins().icmp(int_code(cc), a, b),
                        Op::FCmp(cc) => self.compare(float_code(cc)?, a, b),
                        _ => return None,
                    })
                })
                .collect::<Option<Packs>>()?;
            return Some(Lane::Mask(width(ty), made));
        }
        // logic on masks of one width
        let mut masks: SmallVec<[Packs; 2]> = SmallVec::new();
        let mut bits = None;
        for (_, lane) in args {
            let Lane::Mask(w, packs) = lane else { return None };
            if *bits.get_or_insert(w) != w {
                return None;
            }
            masks.push(packs);
        }
        let made = (0..masks[0].len())
            .map(|n| {
                let a = masks[0][n];
                let b = masks.get(1).map_or(a, |m| m[n]);
                let ins = self.s.b.ins();
                Some(match data.op {
                    Op::And => ins.band(a, b),
                    Op::Or => ins.bor(a, b),
                    Op::Xor => ins.bxor(a, b),
                    Op::Not => ins.bnot(a),
                    _ => return None,
                })
            })
            .collect::<Option<Packs>>()?;
        Some(Lane::Mask(bits?, made))
    }

    /// Comparison of floats. For two outcomes there is no instruction on vectors.
    fn compare(&mut self, code: FC, a: clif::Value, b: clif::Value) -> clif::Value {
        if !matches!(code, FC::OrderedNotEqual | FC::UnorderedOrEqual) {
            return self.s.b.ins().fcmp(code, a, b);
        }
        let less = self.s.b.ins().fcmp(FC::LessThan, a, b);
        let greater = self.s.b.ins().fcmp(FC::GreaterThan, a, b);
        let apart = self.s.b.ins().bor(less, greater);
        if code == FC::OrderedNotEqual { apart } else { self.s.b.ins().bnot(apart) }
    }

    fn select(
        &mut self,
        ty: Type,
        mut args: SmallVec<[(Type, Lane); 3]>,
        condition: Value,
    ) -> Option<Lane> {
        let no = args.pop()?.1;
        let yes = args.pop()?.1;
        let mask = args.pop()?.1;
        let (yes, no) = (self.packs(ty, yes), self.packs(ty, no));
        if self.shapes.is_same(condition) {
            let Lane::Each(all) = mask else { return None };
            let made = (0..yes.len()).map(|n| self.s.b.ins().select(all[0], yes[n], no[n]));
            return Some(Lane::Packed(made.collect()));
        }
        let masks = match mask {
            Lane::Mask(w, packs) if w == width(ty) => packs,
            Lane::Mask(32, packs) if width(ty) == 64 => self.widen(true, &packs),
            _ => return None,
        };
        let vector = vector_of(reg(ty));
        let made = (0..WIDTH * reg(ty).bytes() as usize / 16).map(|n| {
            let mask = match self.vector_type(masks[n]) {
                same if same == vector => masks[n],
                _ => self.s.b.ins().bitcast(vector, little(), masks[n]),
            };
            self.s.b.ins().bitselect(mask, yes[n], no[n])
        });
        Some(Lane::Packed(made.collect()))
    }
}

/// Bits of vectors keep their order.
fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}
