//! Expressions of floating-point types: operations with one correct result.

use super::Gen;
use crate::tree::Expr;
use crate::types::Ty;
use abi::ScalarType;

impl Gen {
    /// An operation on floats.
    pub(super) fn float_expr(&mut self, ty: Ty, depth: u32) -> Expr {
        let small = self.settings.small;
        let (text, count) = match self.rng.below(20) {
            0..=8 => (format!("($0 {} $1)", self.rng.pick(&["+", "-", "*"])), 2),
            9 => ("fma($0, $1, $2)".to_owned(), 3),
            10 if !small => ("($0 / $1)".to_owned(), 2),
            11 if !small => ("sqrt($0)".to_owned(), 1),
            12 => ("(-$0)".to_owned(), 1),
            13 => ("fabs($0)".to_owned(), 1),
            14 => {
                // which zero of two is left open
                let name = self.rng.pick(&["fmin", "fmax"]);
                (format!("({name}($0, $1) + {})", ty.literal(0)), 2)
            }
            15 => {
                let sign = self.no_nan(ty, "$1");
                (format!("copysign($0, {sign})"), 2)
            }
            16 | 17 => {
                let name = self.rng.pick(&["floor", "ceil", "trunc", "rint", "round"]);
                (format!("{name}($0)"), 1)
            }
            18 if !small && self.runs < 8 => {
                (format!("{}($0, $1)", self.rng.pick(&["fmod", "remainder", "fdim"])), 2)
            }
            _ => return self.exact_inputs(ty, depth),
        };
        let args = (0..count).map(|_| self.expr(ty, depth)).collect();
        Expr::new(ty, text, args)
    }

    /// A number of any exponent, or an integer.
    fn exact_inputs(&mut self, ty: Ty, depth: u32) -> Expr {
        if self.once_in(2) {
            let name = self.bits_helper(ty);
            let bits = self.expr(ty.with(ty.elem.unsigned()), depth);
            return Expr::new(ty, format!("{name}($0)"), vec![bits]);
        }
        let elem = self.int_elem();
        let inner = self.expr(ty.with(elem), depth);
        self.convert(inner, ty.elem)
    }

    /// A comparison of floats whose truth value has the type `ty`.
    pub(super) fn float_comparison(&mut self, ty: Ty, depth: u32) -> Expr {
        let fits: Vec<ScalarType> = [ScalarType::F16, ScalarType::F32, ScalarType::F64]
            .into_iter()
            .filter(|e| self.profile.has(*e) && (ty.lanes == 1 || e.bits() == ty.elem.bits()))
            .collect();
        if fits.is_empty() {
            let args = vec![self.leaf(ty), self.leaf(ty)];
            return Expr::new(ty, "($0 <= $1)", args);
        }
        let from = ty.with(self.rng.pick(&fits));
        let (text, count) = match self.rng.below(4) {
            0 => {
                let names = ["isnan", "isinf", "isfinite", "isnormal"];
                (format!("{}($0)", self.rng.pick(&names)), 1)
            }
            1 => {
                let names = ["isless", "isgreaterequal", "isnotequal", "isunordered", "isordered"];
                (format!("{}($0, $1)", self.rng.pick(&names)), 2)
            }
            _ => (format!("($0 {} $1)", self.rng.pick(&["<", "<=", ">", ">=", "==", "!="])), 2),
        };
        let args = (0..count).map(|_| self.expr(from, depth)).collect();
        Expr::new(ty, text, args)
    }
}
