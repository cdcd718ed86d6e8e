//! Integer operations on single lanes. Registers are zero above a lane's width.

use super::Lower;
use crate::types::{Reg, int_reg, reg, width};
use cranelift_codegen::ir::condcodes::IntCC as CC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::op::generic_tag;
use ir::{IntCC, Op, Space, Type};

impl Lower<'_, '_, '_> {
    /// Clears what an operation left above `w` bits.
    pub(super) fn wrap(&mut self, x: clif::Value, w: u32) -> clif::Value {
        let ty = self.b.func.dfg.value_type(x);
        if w >= ty.bits() {
            return x;
        }
        let mask = self.iconst(ty, (1 << w) - 1);
        self.b.ins().band(x, mask)
    }

    /// Copies the sign of `w` bits into those above.
    pub(super) fn signed(&mut self, x: clif::Value, w: u32) -> clif::Value {
        let spare = self.b.func.dfg.value_type(x).bits() - w;
        if spare == 0 {
            return x;
        }
        let up = self.b.ins().ishl_imm_u(x, i64::from(spare));
        self.b.ins().sshr_imm_u(up, i64::from(spare))
    }

    /// To another register, zeros above or cut off.
    pub(super) fn resize(&mut self, x: clif::Value, to: Reg) -> clif::Value {
        let from = self.b.func.dfg.value_type(x);
        match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Less => self.b.ins().uextend(to, x),
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => self.b.ins().ireduce(to, x),
        }
    }

    /// An integer operation with operands and result of `ty`; none if it is not one.
    pub(super) fn int_binary(
        &mut self,
        op: Op,
        ty: Type,
        a: clif::Value,
        b: clif::Value,
    ) -> Option<clif::Value> {
        let w = width(ty);
        let made = match op {
            Op::Add => self.b.ins().iadd(a, b),
            Op::Sub => self.b.ins().isub(a, b),
            Op::Mul => self.b.ins().imul(a, b),
            Op::And => return Some(self.b.ins().band(a, b)),
            Op::Or => return Some(self.b.ins().bor(a, b)),
            Op::Xor => return Some(self.b.ins().bxor(a, b)),
            Op::Shl | Op::LShr | Op::AShr => self.shift(op, w, a, b),
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem if w <= 64 => self.divide(op, w, a, b),
            _ => return None,
        };
        Some(self.wrap(made, w))
    }

    /// Shifts by any amount: the processor looks at its low bits only.
    fn shift(&mut self, op: Op, w: u32, a: clif::Value, by: clif::Value) -> clif::Value {
        let ty = self.b.func.dfg.value_type(a);
        let in_range = self.b.ins().icmp_imm_s(CC::UnsignedLessThan, by, i64::from(w));
        let amount = self.resize(by, types::I32);
        if op == Op::AShr {
            let most = self.iconst(types::I32, (w - 1).into());
            let amount = self.b.ins().select(in_range, amount, most);
            let a = self.signed(a, w);
            return self.b.ins().sshr(a, amount);
        }
        let shifted = match op {
            Op::Shl => self.b.ins().ishl(a, amount),
            _ => self.b.ins().ushr(a, amount),
        };
        let zero = self.iconst(ty, 0);
        self.b.ins().select(in_range, shifted, zero)
    }

    /// Division of up to 64 bits, in registers of at least 32; divisors that the processor traps on are
    /// replaced and the results put right.
    fn divide(&mut self, op: Op, w: u32, a: clif::Value, b: clif::Value) -> clif::Value {
        let given = self.b.func.dfg.value_type(a);
        let ty = if w <= 32 { types::I32 } else { types::I64 };
        let (a, b) = (self.resize(a, ty), self.resize(b, ty));
        let zero = self.b.ins().icmp_imm_s(CC::Equal, b, 0);
        let one = self.iconst(ty, 1);
        let result = if matches!(op, Op::UDiv | Op::URem) {
            let divisor = self.b.ins().select(zero, one, b);
            if op == Op::UDiv {
                let q = self.b.ins().udiv(a, divisor);
                let ones = self.iconst(ty, u128::MAX);
                self.b.ins().select(zero, ones, q)
            } else {
                let r = self.b.ins().urem(a, divisor);
                self.b.ins().select(zero, a, r)
            }
        } else {
            let (a, b) = (self.signed(a, w), self.signed(b, w));
            let minus = self.b.ins().icmp_imm_s(CC::Equal, b, -1);
            let special = self.b.ins().bor(zero, minus);
            let divisor = self.b.ins().select(special, one, b);
            if op == Op::SDiv {
                let q = self.b.ins().sdiv(a, divisor);
                let negated = self.b.ins().ineg(a);
                let q = self.b.ins().select(minus, negated, q);
                let ones = self.iconst(ty, u128::MAX);
                let negative = self.b.ins().icmp_imm_s(CC::SignedLessThan, a, 0);
                let by_zero = self.b.ins().select(negative, one, ones);
                self.b.ins().select(zero, by_zero, q)
            } else {
                let r = self.b.ins().srem(a, divisor);
                self.b.ins().select(zero, a, r)
            }
        };
        let result = self.wrap(result, w);
        self.resize(result, given)
    }

    /// An integer operation with one operand; none if it is not one.
    pub(super) fn int_unary(&mut self, op: Op, ty: Type, a: clif::Value) -> Option<clif::Value> {
        let w = width(ty);
        let spare = reg(ty).bits() - w;
        Some(match op {
            Op::Not => {
                let inverted = self.b.ins().bnot(a);
                self.wrap(inverted, w)
            }
            Op::Clz => {
                let zeros = self.b.ins().clz(a);
                self.b.ins().iadd_imm_s(zeros, -i64::from(spare))
            }
            Op::Popcount => self.b.ins().popcnt(a),
            Op::BitReverse => {
                let reversed = self.b.ins().bitrev(a);
                self.b.ins().ushr_imm_u(reversed, i64::from(spare))
            }
            _ => return None,
        })
    }

    /// Comparison of integers or pointers: 0 or 1.
    pub(super) fn icmp(
        &mut self,
        cc: IntCC,
        ty: Type,
        a: clif::Value,
        b: clif::Value,
    ) -> clif::Value {
        let w = width(ty);
        let code = int_code(cc);
        let (a, b) = if cc.is_signed() { (self.signed(a, w), self.signed(b, w)) } else { (a, b) };
        self.b.ins().icmp(code, a, b)
    }

    /// Operations that change the width.
    pub(super) fn int_resize(
        &mut self,
        op: Op,
        result: Type,
        args: &[(Type, clif::Value)],
    ) -> Option<clif::Value> {
        let (from, a) = args[0];
        let (to, w) = (reg(result), width(result));
        Some(match op {
            Op::Zext => self.resize(a, to),
            Op::Sext => {
                let a = self.signed(a, width(from));
                let wide = if reg(from) == to { a } else { self.b.ins().sextend(to, a) };
                self.wrap(wide, w)
            }
            Op::Slice { lo } => {
                let moved = if lo == 0 { a } else { self.b.ins().ushr_imm_u(a, i64::from(lo)) };
                let cut = self.resize(moved, to);
                self.wrap(cut, w)
            }
            Op::Concat => {
                let (low_type, low) = args[1];
                let (high, low) = (self.resize(a, to), self.resize(low, to));
                let high = self.b.ins().ishl_imm_u(high, i64::from(width(low_type)));
                self.b.ins().bor(high, low)
            }
            _ => return None,
        })
    }

    /// A pointer in another space; generic pointers carry theirs in the two top bits.
    pub(super) fn space_cast(&mut self, from: Space, to: Space, x: clif::Value) -> clif::Value {
        let tag = |space| generic_tag(space) << 62;
        match (from, to) {
            (Space::Generic, to) => {
                let top = self.b.ins().ushr_imm_u(x, 62);
                let is_there = self.b.ins().icmp_imm_s(CC::Equal, top, generic_tag(to) as i64);
                let address = self.untagged(x);
                let null = self.iconst(types::I64, 0);
                self.b.ins().select(is_there, address, null)
            }
            (from, Space::Generic) => {
                let address = self.untagged(x);
                let tag = self.iconst(types::I64, tag(from).into());
                let tagged = self.b.ins().bor(address, tag);
                let is_null = self.b.ins().icmp_imm_s(CC::Equal, x, 0);
                let null = self.iconst(types::I64, 0);
                self.b.ins().select(is_null, null, tagged)
            }
            _ => x,
        }
    }

    /// The address in a generic pointer.
    pub(super) fn untagged(&mut self, x: clif::Value) -> clif::Value {
        let mask = self.iconst(types::I64, (1 << 62) - 1);
        self.b.ins().band(x, mask)
    }

    /// An index of any width as 64 bits: what is too large stays too large for every table.
    pub(super) fn index(&mut self, ty: Type, x: clif::Value) -> clif::Value {
        if int_reg(width(ty)) != types::I128 {
            return self.resize(x, types::I64);
        }
        let (low, high) = self.b.ins().isplit(x);
        let fits = self.b.ins().icmp_imm_s(CC::Equal, high, 0);
        let large = self.iconst(types::I64, u128::MAX);
        self.b.ins().select(fits, low, large)
    }
}

/// The processor's comparison.
pub(super) fn int_code(cc: IntCC) -> CC {
    match cc {
        IntCC::Eq => CC::Equal,
        IntCC::Ne => CC::NotEqual,
        IntCC::Ult => CC::UnsignedLessThan,
        IntCC::Ule => CC::UnsignedLessThanOrEqual,
        IntCC::Ugt => CC::UnsignedGreaterThan,
        IntCC::Uge => CC::UnsignedGreaterThanOrEqual,
        IntCC::Slt => CC::SignedLessThan,
        IntCC::Sle => CC::SignedLessThanOrEqual,
        IntCC::Sgt => CC::SignedGreaterThan,
        IntCC::Sge => CC::SignedGreaterThanOrEqual,
    }
}
