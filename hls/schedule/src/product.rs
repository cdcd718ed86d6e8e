//! Products that a multiplier of the device computes as they stand.

use ir::{Function, Inst, Op, Value};

/// An operand of a product without its extension.
#[derive(Clone, Copy, Debug)]
pub struct Factor {
    /// The value before extension.
    pub value: Value,
    /// Its width; that of a constant without the zeros above it.
    pub width: u32,
    /// Whether the extension was of the sign.
    pub signed: bool,
}

/// The narrowest value from which `value` is made by sign or zero extension.
pub fn factor(func: &Function, value: Value) -> Factor {
    let (source, signed) =
        match func.def_inst(value).map(|i| (func.insts[i].op, &func.insts[i].args)) {
            Some((Op::Zext, args)) => (args[0], false),
            Some((Op::Sext, args)) => (args[0], true),
            _ => (value, false),
        };
    let width = match func.as_const(source) {
        Some(c) if !signed => (128 - c.leading_zeros()).max(1),
        _ => func.bits(source),
    };
    Factor { value: source, width, signed }
}

/// The two factors of a product.
pub fn factors(func: &Function, inst: Inst) -> [Factor; 2] {
    let args = &func.insts[inst].args;
    [factor(func, args[0]), factor(func, args[1])]
}
