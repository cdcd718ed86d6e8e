//! Addresses as distances from one another.

use crate::builder::sign_extend;
use crate::{Function, Op, Value};

/// The pointer from which `pointer` differs by a constant, and that constant in bytes.
///
/// Two pointers with the same root are that far apart wherever both are computed from the same
/// execution of the root.
pub fn root(func: &Function, mut pointer: Value) -> (Value, i128) {
    let mut offset = 0;
    while let Some(inst) = func.def_inst(pointer)
        && let (Op::PtrAdd, [base, bytes]) = (func.insts[inst].op, &func.insts[inst].args[..])
        && let Some(constant) = func.as_const(*bytes)
    {
        offset += sign_extend(constant, func.bits(*bytes));
        pointer = *base;
    }
    (pointer, offset)
}
