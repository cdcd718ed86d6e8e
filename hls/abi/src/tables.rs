//! The tables of `docs/abi.md`, generated from the definitions of this crate.

use crate::{Arg, HiddenArg, RegisterMap, regs};
use std::fmt::Write;

/// The registers every kernel has.
pub fn registers() -> String {
    let mut text =
        String::from("| offset | bytes | name | access | meaning |\n|---|---|---|---|---|\n");
    for reg in regs::REGISTERS {
        let _ = writeln!(
            text,
            "| `{:#05x}` | {} | {} | {} | {} |",
            reg.offset, reg.size, reg.name, reg.access, reg.meaning
        );
    }
    text
}

/// The hidden arguments, in register order.
pub fn hidden_args() -> String {
    let mut text = String::from("| name | bytes | meaning |\n|---|---|---|\n");
    for arg in HiddenArg::ALL {
        let _ = writeln!(text, "| `{}` | {} | {} |", arg.name(), arg.bytes(), arg.meaning());
    }
    text
}

/// The register map of one kernel.
pub fn kernel(args: &[Arg], map: &RegisterMap) -> String {
    let mut text = String::from("| offset | bytes | argument |\n|---|---|---|\n");
    for (arg, offset) in args.iter().zip(&map.args) {
        let _ = match offset {
            Some(offset) => writeln!(
                text,
                "| `{offset:#05x}` | {} | `{} {}` |",
                arg.size, arg.type_name, arg.name
            ),
            None => writeln!(text, "| none | 0 | `{} {}` |", arg.type_name, arg.name),
        };
    }
    for slot in &map.hidden {
        let _ = writeln!(
            text,
            "| `{:#05x}` | {} | {} (hidden) |",
            slot.offset,
            slot.size,
            slot.name.name()
        );
    }
    text
}
