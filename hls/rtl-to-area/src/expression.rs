//! LUTs of expressions.

use crate::bits::Bits;
use crate::live::Working;
use rtl::{Binary, Expr, Module, Unary};
use target::{Family, OpKind};

/// LUTs of what makes the bits `read` of an expression. A tree of bitwise operations and selections shares LUTs: one LUT of
/// k inputs does the work of k - 1 operations of two operands.
pub(crate) fn luts(
    expr: &Expr,
    read: &Bits,
    module: &Module,
    known: &Working,
    family: &Family,
) -> f64 {
    let mut count = Count { module, known, family, logic: 0.0, luts: 0.0 };
    count.add(expr, read);
    count.luts + count.logic / f64::from(family.lut_inputs - 1)
}

struct Count<'a> {
    module: &'a Module,
    known: &'a Working,
    family: &'a Family,
    /// Bits of bitwise operations of two operands.
    logic: f64,
    luts: f64,
}

impl Count<'_> {
    /// Counts what makes the bits `read` of an expression.
    fn add(&mut self, expr: &Expr, read: &Bits) {
        if read.and(&self.varying(expr)).is_empty() {
            return;
        }
        match expr {
            Expr::Const(..) | Expr::Net(_) | Expr::Slice { .. } => {}
            Expr::Concat(parts) => {
                let mut lo = 0;
                for part in parts.iter().rev() {
                    let width = self.width(part);
                    let plain = matches!(part, Expr::Const(..) | Expr::Net(_) | Expr::Slice { .. });
                    if !plain {
                        self.add(part, &read.slice(lo, width));
                    }
                    lo += width;
                }
            }
            Expr::Repeat(_, inner) => self.whole(inner),
            Expr::Unary(Unary::Not, a) => self.add(a, read),
            Expr::Unary(_, a) => {
                self.whole(a);
                self.logic += f64::from(self.varying(a).count().saturating_sub(1));
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, read),
            Expr::Mux(condition, a, b) => {
                match self.known.constant(condition).number() {
                    Some(0) => return self.add(b, read),
                    Some(_) => return self.add(a, read),
                    None => self.whole(condition),
                }
                self.add(a, read);
                self.add(b, read);
                let (a, b) = (self.varying(a).and(read), self.varying(b).and(read));
                // Three inputs hardly leave room for more in a LUT of four: it is one of its own, and half of one with a constant on
                // one side, where it is a conjunction.
                self.logic += 1.5 * f64::from(a.count() + b.count());
            }
        }
    }

    /// Counts an expression all of whose bits are read.
    fn whole(&mut self, expr: &Expr) {
        self.add(expr, &Bits::all(self.width(expr)));
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr, read: &Bits) {
        let (of_a, of_b) = (self.varying(a), self.varying(b));
        match op {
            Binary::And | Binary::Or | Binary::Xor => {
                self.add(a, read);
                self.add(b, read);
                self.logic += f64::from(of_a.and(&of_b).and(read).count());
            }
            Binary::Eq | Binary::Ne => {
                self.whole(a);
                self.whole(b);
                self.logic += f64::from((of_a.count() + of_b.count()).saturating_sub(1));
            }
            Binary::Add | Binary::Sub | Binary::Mul => {
                let below = Bits::below(read.width(), read.end());
                self.add(a, &below);
                self.add(b, &below);
                let kind = match op {
                    Binary::Add => OpKind::Add,
                    Binary::Sub => OpKind::Sub,
                    _ => OpKind::Mul,
                };
                // From the first bit that both have to the last one that either has.
                let used = |x: &Bits| x.and(&below);
                let start =
                    if op == Binary::Sub { of_b.start() } else { of_a.start().max(of_b.start()) };
                let end = used(&of_a).end().max(used(&of_b).end()) + 1;
                let bits = end.min(below.end()).saturating_sub(start);
                self.operation(kind, bits);
            }
            Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle => {
                self.whole(a);
                self.whole(b);
                let start = of_a.start().min(of_b.start());
                self.operation(OpKind::CmpLt, of_a.end().max(of_b.end()).saturating_sub(start));
            }
            Binary::Shl => self.shift(OpKind::Shl, a, b, read),
            Binary::LShr => self.shift(OpKind::LShr, a, b, read),
            Binary::AShr => self.shift(OpKind::AShr, a, b, read),
        }
    }

    /// A selection for each bit that is read and for each bit of the amount.
    fn shift(&mut self, kind: OpKind, a: &Expr, b: &Expr, read: &Bits) {
        self.whole(a);
        self.whole(b);
        let (width, amount) = (read.width(), self.varying(b));
        if amount.is_empty() {
            return;
        }
        let all = f64::from(width.next_power_of_two().ilog2().max(1));
        let levels = f64::from(amount.count()).min(all);
        // Lower levels select among all that higher ones may read; bits below the lowest read one, or above, are not made.
        let made = match kind {
            OpKind::Shl => read.end(),
            _ => width - read.start(),
        };
        let of_all = self.family.area(kind, width).lut;
        self.luts +=
            of_all * (levels / all) * f64::from(made + read.count()) / f64::from(2 * width);
    }

    fn operation(&mut self, kind: OpKind, bits: u32) {
        if bits > 0 {
            self.luts += self.family.area(kind, bits).lut;
        }
    }

    /// Bits of an expression that are not constant.
    fn varying(&self, e: &Expr) -> Bits {
        match e {
            Expr::Const(width, _) => Bits::none(*width),
            _ => self.known.constant(e).varying(),
        }
    }

    fn width(&self, e: &Expr) -> u32 {
        rtl::verify::width(self.module, e)
    }
}
