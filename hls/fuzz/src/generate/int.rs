//! Expressions of integer types, and comparisons.

use super::Gen;
use crate::tree::Expr;
use crate::types::{INT, Ty};
use abi::ScalarType;

impl Gen {
    /// An operation on integers.
    pub(super) fn int_expr(&mut self, ty: Ty, depth: u32) -> Expr {
        match self.rng.below(20) {
            0..=5 => self.arithmetic(ty, depth),
            6 | 7 => self.bitwise(ty, depth),
            8 | 9 => self.shift(ty, depth),
            10 if self.once_in(if self.settings.small { 3 } else { 1 }) => self.division(ty, depth),
            11 | 12 => self.unary(ty, depth),
            13 if ty == ty.truth() => self.comparison(ty, depth),
            14 if ty.elem.bits() > 8 => self.upsampled(ty, depth),
            _ => self.builtin(ty, depth),
        }
    }

    fn pair(&mut self, ty: Ty, depth: u32) -> Vec<Expr> {
        let first = self.expr(ty, depth);
        // the other operand is often a plain one
        let second = if self.once_in(2) { self.another_leaf(&first) } else { self.expr(ty, depth) };
        if self.once_in(2) { vec![first, second] } else { vec![second, first] }
    }

    /// A variable or number of the same type, most often another one.
    pub(super) fn another_leaf(&mut self, first: &Expr) -> Expr {
        let one = self.leaf(first.ty);
        if one == *first { self.leaf(first.ty) } else { one }
    }

    /// Text of an operand as an unsigned value that wraps around.
    fn wrapping(ty: Ty, operand: &str) -> String {
        let unsigned = ty.with(ty.elem.unsigned());
        match (ty.lanes, ty.elem) {
            (
                1,
                ScalarType::I8
                | ScalarType::U8
                | ScalarType::I16
                | ScalarType::U16
                | ScalarType::I32,
            ) => {
                format!("(uint){operand}")
            }
            (1, ScalarType::I64) => format!("(ulong){operand}"),
            (1, _) => operand.to_owned(),
            (_, e) if e.is_signed() => format!("as_{}({operand})", unsigned.name()),
            _ => operand.to_owned(),
        }
    }

    /// Text of a result in wrapping arithmetic as a value of the type.
    fn unwrapped(ty: Ty, text: &str) -> String {
        match ty.lanes {
            1 => format!("({})({text})", ty.name()),
            _ if ty.elem.is_signed() => format!("as_{}({text})", ty.name()),
            _ => format!("({text})"),
        }
    }

    fn arithmetic(&mut self, ty: Ty, depth: u32) -> Expr {
        let op = self.rng.pick(&["+", "+", "-", "-", "*"]);
        let (a, b) = (Self::wrapping(ty, "$0"), Self::wrapping(ty, "$1"));
        let text = Self::unwrapped(ty, &format!("{a} {op} {b}"));
        Expr::new(ty, text, self.pair(ty, depth))
    }

    fn bitwise(&mut self, ty: Ty, depth: u32) -> Expr {
        let op = self.rng.pick(&["&", "|", "^"]);
        let text = match ty.lanes {
            1 => format!("({})($0 {op} $1)", ty.name()),
            _ => format!("($0 {op} $1)"),
        };
        Expr::new(ty, text, self.pair(ty, depth))
    }

    /// OpenCL C takes the amount modulo the width, of scalars modulo that of the promoted type.
    fn shift(&mut self, ty: Ty, depth: u32) -> Expr {
        let left = self.once_in(2);
        let value = if left { Self::wrapping(ty, "$0") } else { "$0".to_owned() };
        let op = if left { "<<" } else { ">>" };
        let amount = if ty.lanes == 1 { Ty::scalar(self.int_elem()) } else { ty };
        let right = Self::shift_amount(ty, left);
        let text = format!("{value} {op} {right}");
        let text = match left {
            true => Self::unwrapped(ty, &text),
            false if ty.lanes == 1 => format!("({})({text})", ty.name()),
            false => format!("({text})"),
        };
        let a = self.expr(ty, depth);
        let b = if self.once_in(2) {
            let n = self.rng.below(ty.elem.bits() as usize) as u64;
            Expr::literal(amount, n)
        } else {
            self.expr(amount, depth)
        };
        Expr::new(ty, text, vec![a, b])
    }

    fn shift_amount(ty: Ty, left: bool) -> String {
        if left && ty.lanes > 1 { Self::wrapping(ty, "$1") } else { "$1".to_owned() }
    }

    fn division(&mut self, ty: Ty, depth: u32) -> Expr {
        let op = self.rng.pick(&['/', '%']);
        let name = self.division_helper(ty, op);
        let a = self.expr(ty, depth);
        let b = if self.once_in(2) {
            let bits = self.rng.number() as u64;
            Expr::literal(ty, bits)
        } else {
            self.expr(ty, depth)
        };
        Expr::new(ty, format!("{name}($0, $1)"), vec![a, b])
    }

    fn unary(&mut self, ty: Ty, depth: u32) -> Expr {
        let text = match self.rng.below(3) {
            0 if ty.lanes == 1 => format!("({})(~$0)", ty.name()),
            0 => "(~$0)".to_owned(),
            1 => {
                let zero = Self::wrapping(ty, &ty.literal(0));
                Self::unwrapped(ty, &format!("{zero} - {}", Self::wrapping(ty, "$0")))
            }
            _ => format!("{}($0)", self.rng.pick(&["clz", "popcount"])),
        };
        let a = self.expr(ty, depth);
        Expr::new(ty, text, vec![a])
    }

    fn upsampled(&mut self, ty: Ty, depth: u32) -> Expr {
        let (high, low) = match ty.elem {
            ScalarType::I16 => (ScalarType::I8, ScalarType::U8),
            ScalarType::U16 => (ScalarType::U8, ScalarType::U8),
            ScalarType::I32 => (ScalarType::I16, ScalarType::U16),
            ScalarType::U32 => (ScalarType::U16, ScalarType::U16),
            ScalarType::I64 => (ScalarType::I32, ScalarType::U32),
            _ => (ScalarType::U32, ScalarType::U32),
        };
        let args = vec![self.expr(ty.with(high), depth), self.expr(ty.with(low), depth)];
        Expr::new(ty, "upsample($0, $1)", args)
    }

    fn builtin(&mut self, ty: Ty, depth: u32) -> Expr {
        let two = ["add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "min", "max"];
        let unsigned = !ty.elem.is_signed();
        match self.rng.below(14) {
            0..=7 => {
                let name = self.rng.pick(&two);
                Expr::new(ty, format!("{name}($0, $1)"), self.pair(ty, depth))
            }
            8 => {
                let mut args = self.pair(ty, depth);
                args.push(self.leaf(ty));
                let name = self.rng.pick(&["mad_sat", "mad_hi", "bitselect"]);
                Expr::new(ty, format!("{name}($0, $1, $2)"), args)
            }
            // bounds in order; each written once, since it may be long
            9 => {
                let mut args = self.pair(ty, depth);
                let bits = self.rng.number() as u64;
                args[1] = Expr::literal(ty, bits);
                let high = match ty.elem.is_signed() {
                    true => u64::MAX >> (65 - ty.elem.bits()),
                    false => u64::MAX,
                };
                Expr::new(ty, format!("clamp($0, $1, {})", ty.literal(high)), args)
            }
            10 | 11 => {
                let elem = if self.once_in(2) { ty.elem.signed() } else { ty.elem.unsigned() };
                let from = ty.with(elem);
                let one = self.once_in(2);
                let text = if one { "abs($0)" } else { "abs_diff($0, $1)" };
                let mut args = self.pair(from, depth);
                args.truncate(if one { 1 } else { 2 });
                let text = match unsigned {
                    true => text.to_owned(),
                    false => format!("as_{}({text})", ty.name()),
                };
                Expr::new(ty, text, args)
            }
            12 if ty.elem.bits() == 32 => {
                let mask = ty.literal(if unsigned { 0xff_ffff } else { 0x7f_ffff });
                let mut args = self.pair(ty, depth);
                let (a, b) = (format!("$0 & {mask}"), format!("$1 & {mask}"));
                if unsigned && self.once_in(2) {
                    args.push(self.leaf(ty));
                    return Expr::new(ty, format!("mad24({a}, {b}, $2)"), args);
                }
                // a product of signed numbers that fits, too
                let b = if unsigned { b } else { format!("$1 & {}", ty.literal(0xff)) };
                Expr::new(ty, format!("mul24({a}, {b})"), args)
            }
            _ => self.arithmetic(ty, depth),
        }
    }

    /// A truth value, in its scalar or vector form; `ty` is one of them.
    pub(super) fn comparison(&mut self, ty: Ty, depth: u32) -> Expr {
        let scalar = ty.lanes == 1;
        match self.rng.below(8) {
            0 => {
                let op = self.rng.pick(&["&&", "||"]);
                let args = vec![self.comparison_or(ty, depth), self.comparison_or(ty, depth)];
                Expr::new(ty, format!("($0 {op} $1)"), args)
            }
            1 => {
                let args = vec![self.comparison_or(ty, depth)];
                Expr::new(ty, "(!$0)", args)
            }
            2 if scalar && self.profile.lanes > 1 => {
                let lanes = self.rng.pick(&[2, 3, 4]);
                let elem = self.int_elem().signed();
                let args = vec![self.expr(Ty { elem, lanes }, depth)];
                Expr::new(INT, format!("{}($0)", self.rng.pick(&["any", "all"])), args)
            }
            3 => self.float_comparison(ty, depth),
            _ => {
                let elem = match scalar {
                    true => self.int_elem(),
                    false if self.once_in(2) => ty.elem.unsigned(),
                    false => ty.elem,
                };
                let op = self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let args = self.pair(ty.with(elem), depth);
                Expr::new(ty, format!("($0 {op} $1)"), args)
            }
        }
    }

    fn comparison_or(&mut self, ty: Ty, depth: u32) -> Expr {
        match depth {
            0 => {
                let elem = if ty.lanes == 1 { self.int_elem() } else { ty.elem };
                let op = self.rng.pick(&["<", ">", "==", "!="]);
                let a = self.leaf(ty.with(elem));
                let b = self.another_leaf(&a);
                Expr::new(ty, format!("($0 {op} $1)"), vec![a, b])
            }
            _ => self.comparison(ty, depth - 1),
        }
    }
}
