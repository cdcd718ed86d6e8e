//! LUTs of expressions.

use rtl::{Binary, Expr, Net, Unary};
use target::{Family, OpKind};

/// LUTs of an expression. A tree of bitwise operations and selections shares LUTs: one LUT of
/// k inputs does the work of k - 1 operations of two operands.
pub(crate) fn luts(expr: &Expr, widths: &dyn Fn(Net) -> u32, family: &Family) -> f64 {
    let mut count = Count { widths, family, logic: 0.0, luts: 0.0 };
    count.add(expr);
    count.luts + count.logic / f64::from(family.lut_inputs - 1)
}

struct Count<'a> {
    widths: &'a dyn Fn(Net) -> u32,
    family: &'a Family,
    /// Bits of bitwise operations of two operands.
    logic: f64,
    luts: f64,
}

impl Count<'_> {
    /// Counts an expression; gives its width.
    fn add(&mut self, expr: &Expr) -> u32 {
        match expr {
            Expr::Const(width, _) => *width,
            Expr::Net(net) => (self.widths)(*net),
            Expr::Slice { width, .. } => *width,
            Expr::Concat(parts) => parts.iter().map(|p| self.add(p)).sum(),
            Expr::Repeat(n, inner) => n * self.add(inner),
            Expr::Unary(op, inner) => {
                let width = self.add(inner);
                match op {
                    Unary::Not => width,
                    _ => {
                        self.logic += f64::from(width.saturating_sub(1));
                        1
                    }
                }
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Mux(condition, a, b) => {
                self.add(condition);
                let width = self.add(a).max(self.add(b));
                let constant = is_const(a) || is_const(b);
                self.logic += f64::from(width) * if constant { 1.0 } else { 2.0 };
                width
            }
        }
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) -> u32 {
        let width = self.add(a).max(if is_shift(op) { 1 } else { self.add(b) });
        let constant = is_const(a) || is_const(b);
        let kind = match op {
            Binary::And | Binary::Or | Binary::Xor => {
                if !constant {
                    self.logic += f64::from(width);
                }
                return width;
            }
            Binary::Eq | Binary::Ne => {
                self.logic += f64::from(width) * if constant { 1.0 } else { 2.0 } - 1.0;
                return 1;
            }
            Binary::Add => OpKind::Add,
            Binary::Sub => OpKind::Sub,
            Binary::Mul => OpKind::Mul,
            Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => OpKind::CmpLt,
            Binary::Shl => OpKind::Shl,
            Binary::LShr => OpKind::LShr,
            Binary::AShr => OpKind::AShr,
        };
        if is_shift(op) {
            if is_const(b) {
                return width;
            }
            self.add(b);
        }
        self.luts += self.family.area(kind, width).lut;
        if op.is_comparison() { 1 } else { width }
    }
}

fn is_shift(op: Binary) -> bool {
    matches!(op, Binary::Shl | Binary::LShr | Binary::AShr)
}

fn is_const(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(..))
}
