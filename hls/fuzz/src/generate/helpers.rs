//! Functions in OpenCL C that make operations defined for every operand.

use super::Gen;
use crate::tree::Decl;
use crate::types::Ty;
use abi::ScalarType;

impl Gen {
    fn helper(&mut self, name: String, text: impl FnOnce(&str) -> String) -> String {
        if !self.helpers.iter().any(|h| h.name == name) {
            let text = text(&name);
            self.helpers.push(Decl { name: name.clone(), text });
        }
        name
    }

    /// A float, or zero in place of a NaN.
    pub(super) fn number_helper(&mut self, ty: Ty) -> String {
        let t = ty.name();
        self.helper(format!("h_num_{t}"), |name| {
            let result = match ty.lanes {
                1 => format!("isnan(x) ? {} : x", ty.literal(0)),
                _ => format!("select(x, {}, isnan(x))", ty.literal(0)),
            };
            format!("{t} {name}({t} x)\n{{\n    return {result};\n}}")
        })
    }

    /// The float with some bits; one and the same for all NaNs.
    pub(super) fn bits_helper(&mut self, ty: Ty) -> String {
        let num = self.number_helper(ty);
        let (t, bits) = (ty.name(), ty.with(ty.elem.unsigned()).name());
        self.helper(format!("h_from_bits_{t}"), |name| {
            format!("{t} {name}({bits} x)\n{{\n    return {num}(as_{t}(x));\n}}")
        })
    }

    /// `/` or `%` of integers: the dividend where there is no quotient.
    pub(super) fn division_helper(&mut self, ty: Ty, op: char) -> String {
        let t = ty.name();
        let word = if op == '/' { "div" } else { "rem" };
        self.helper(format!("h_{word}_{t}"), |name| {
            let zero = format!("b == ({t})(0)");
            let lowest = ty.lane().literal(1 << (ty.elem.bits() - 1));
            let result = match (ty.lanes, ty.elem.is_signed()) {
                (1, false) => format!("{zero} ? a : ({t})(a {op} b)"),
                (1, true) => {
                    format!("{zero} || (b == ({t})(-1) && a == {lowest}) ? a : ({t})(a {op} b)")
                }
                (_, false) => format!("a {op} select(b, ({t})(1), {zero})"),
                (_, true) => format!(
                    "a {op} select(b, ({t})(1), ({zero}) | ((b == ({t})(-1)) & (a == ({t})({lowest}))))"
                ),
            };
            format!("{t} {name}({t} a, {t} b)\n{{\n    return {result};\n}}")
        })
    }

    /// All bits of a value in 64, one way or another.
    pub(super) fn mix_helper(&mut self, ty: Ty) -> String {
        let mut x = "x".to_owned();
        if ty.elem.is_float() {
            let num = self.number_helper(ty);
            x = format!("as_{}({num}(x))", ty.with(ty.elem.unsigned()).name());
        }
        let t = ty.name();
        let bits = ty.with(match ty.elem.is_float() {
            true => ty.elem.unsigned(),
            false => ty.elem,
        });
        self.helper(format!("h_mix_{t}"), |name| {
            if ty.lanes == 1 {
                return format!("ulong {name}({t} x)\n{{\n    return (ulong)({x});\n}}");
            }
            let lane = |k: u8| format!("(ulong)y.s{k:x}");
            let sum = (1..ty.lanes).fold(lane(0), |sum, k| format!("({sum}) * 31UL + {}", lane(k)));
            let y = bits.name();
            format!("ulong {name}({t} x)\n{{\n    {y} y = {x};\n    return {sum};\n}}")
        })
    }

    /// A float expression without NaNs, written around `text`.
    pub(super) fn no_nan(&mut self, ty: Ty, text: &str) -> String {
        if !ty.elem.is_float() {
            return text.to_owned();
        }
        let name = self.number_helper(ty);
        format!("{name}({text})")
    }

    /// Whether `as_` of the other type can be had at all.
    pub(super) fn reinterprets(&self, elem: ScalarType) -> bool {
        elem != ScalarType::F16 || self.profile.halves
    }
}
