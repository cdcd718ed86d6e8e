//! OpenCL.std instructions that reduce to IR operations.

mod float;
mod geometric;
mod integer;
mod math;
mod memory;
mod print;

use crate::decode::Inst;
use crate::errors::{R, UNSUPPORTED_EXT, error, unsupported};
use crate::lower::Lower;
use crate::lower::table::Handler;
use rspirv::grammar::{LogicalOperand, OPENCL_STD_100_INSTRUCTION_TABLE, OperandQuantifier};
use rspirv::spirv::OpenclStd100Op as Std;

/// Operands before those of the function itself: the set and the number.
const FIRST: usize = 2;

/// Lowers one OpenCL.std instruction.
pub(crate) fn lower<'a>(l: &mut Lower<'a, '_, '_>, inst: &Inst<'a>) -> R<()> {
    let number = inst.arg(1)?;
    let Some(op) = Std::from_u32(number) else {
        return Err(error(UNSUPPORTED_EXT, format!("OpenCL.std has no instruction {number}")));
    };
    match handler(op) {
        Some(h) => {
            // The handlers see the operands of the function only.
            let inner = Inst { args: inst.args.get(FIRST..).unwrap_or(&[]), ..*inst };
            check_count(&inner, op).and_then(|()| h(l, &inner)).map_err(|mut e| {
                e.message = e.message.replace("OpExtInst", &format!("OpenCL.std `{}`", name(op)));
                e
            })
        }
        None => Err(unsupported(UNSUPPORTED_EXT, format!("OpenCL.std `{}`", name(op)), MILESTONE)),
    }
}

/// Refuses operands that a function does not have; missing ones are noticed where they are read.
pub(crate) fn check_count(inst: &Inst, op: Std) -> R<()> {
    let Some(grammar) = OPENCL_STD_100_INSTRUCTION_TABLE.lookup_opcode(op as u32) else {
        return Ok(());
    };
    let any_number = |o: &LogicalOperand| o.quantifier == OperandQuantifier::ZeroOrMore;
    let most = grammar.operands.len();
    match inst.args.len() > most && !grammar.operands.iter().any(any_number) {
        true => Err(inst.malformed(format!("{} operands, not {most}", inst.args.len()))),
        false => Ok(()),
    }
}

/// Name of an instruction without the `r#`-like spelling of keywords.
pub(crate) fn name(op: Std) -> String {
    format!("{op:?}")
}

/// When functions come that are not supported.
pub(crate) const MILESTONE: &str = "numerics";

/// The handler of a function, if it is supported.
pub(crate) fn handler(op: Std) -> Option<Handler> {
    let tables =
        [integer::TABLE, float::TABLE, math::TABLE, geometric::TABLE, memory::TABLE, print::TABLE];
    tables.into_iter().flatten().find(|(o, _)| *o == op).map(|(_, h)| *h)
}

/// The function called `name`.
pub(crate) fn by_name(name: &str) -> Option<Std> {
    numbers().find(|op| self::name(*op) == name)
}

/// All functions of OpenCL.std.
pub(crate) fn numbers() -> impl Iterator<Item = Std> {
    // The set numbers its instructions from 0, with gaps, up to 204.
    (0..256).filter_map(Std::from_u32)
}

/// A table of functions with how each is lowered.
type Table = &'static [(Std, Handler)];
