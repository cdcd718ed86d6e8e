//! The registers of a kernel as its callers see them: arguments, then the hidden ones.

use abi::{Arg, ArgKind, HiddenArg, HiddenSlot, Kernel, regs};
use serde::Serialize;

/// What XRT calls `addressQualifier`.
pub(crate) const SCALAR: u32 = 0;
/// An address in global memory.
pub(crate) const GLOBAL: u32 = 1;

/// One argument that has a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Register {
    /// Number in `kernel.xml`: local pointers have none, so it may differ from the number in the source.
    pub id: u32,
    /// Name; hidden arguments begin with `clhls_`.
    pub name: String,
    /// [`SCALAR`] or [`GLOBAL`].
    pub qualifier: u32,
    /// The port whose memory a pointer points to; `s_axi_control` for values.
    pub port: String,
    /// Name of the memory bank behind `port`, when the board has one.
    pub bank: String,
    /// Size in bytes.
    pub bytes: u32,
    /// Size in bits.
    pub bits: u32,
    /// Size in bytes, `0x8`.
    pub size_hex: String,
    /// Byte address, `0x010`.
    pub offset_hex: String,
    /// C type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// For people; only characters that need no quoting anywhere.
    pub description: String,
}

/// Every register of a kernel in the order of their addresses. `bank` names the memory behind a port.
pub(crate) fn registers(kernel: &Kernel, bank: impl Fn(&str) -> String) -> Vec<Register> {
    let mut all: Vec<Register> = Vec::new();
    let mut push = |name: String,
                    size: u32,
                    offset: u32,
                    port: Option<&str>,
                    type_name: String,
                    description: String| {
        all.push(Register {
            id: all.len() as u32,
            name,
            qualifier: if port.is_some() { GLOBAL } else { SCALAR },
            port: port.unwrap_or("s_axi_control").to_owned(),
            bank: port.map(&bank).unwrap_or_default(),
            bytes: size,
            bits: 8 * size,
            size_hex: format!("{size:#x}"),
            offset_hex: format!("{offset:#05x}"),
            type_name,
            description,
        });
    };
    for arg in &kernel.signature.args {
        if let Some(offset) = arg.offset {
            let description = format!("argument {}", arg.index);
            push(
                register_name(&arg.name),
                arg.size,
                offset,
                port(kernel, arg),
                arg.type_name.clone(),
                description,
            );
        }
    }
    for slot in &kernel.hidden {
        let (port, type_name) = match slot.name {
            HiddenArg::ProgramBase => (program_port(kernel), "void*"),
            _ => (None, "uint"),
        };
        push(
            hidden_name(slot),
            slot.size,
            slot.offset,
            port,
            type_name.to_owned(),
            "NDRange".to_owned(),
        );
    }
    all
}

/// Name of an argument as a register: an identifier, and not the name of a register that every kernel has.
fn register_name(arg: &str) -> String {
    let name = crate::host::identifier(arg);
    if ["CTRL", "GIER", "IP_IER", "IP_ISR"].contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

/// Name of a hidden argument where it stands beside the kernel's own: cannot be the name of one of those by accident.
pub(crate) fn hidden_name(slot: &HiddenSlot) -> String {
    format!("clhls_{}", slot.name.name())
}

/// The memory port of a pointer; one that the kernel never uses goes to the first port.
fn port<'a>(kernel: &'a Kernel, arg: &'a Arg) -> Option<&'a str> {
    match arg.kind {
        ArgKind::GlobalPtr | ArgKind::ConstantPtr => {
            arg.port.as_deref().or_else(|| first_port(kernel))
        }
        _ => None,
    }
}

/// The memory port of program-scope variables: that of an access that comes from no argument.
pub(crate) fn program_port(kernel: &Kernel) -> Option<&str> {
    let mut ports = kernel
        .sites
        .iter()
        .filter(|site| site.argument.is_none())
        .filter_map(|site| site.port.as_deref());
    ports.next().or_else(|| first_port(kernel))
}

fn first_port(kernel: &Kernel) -> Option<&str> {
    kernel.memory_ports.first().map(|port| port.name.as_str())
}

/// 32-bit words from [`regs::ARGS`] to the end of the last argument.
pub(crate) fn register_words(kernel: &Kernel) -> u32 {
    let args =
        kernel.signature.args.iter().filter_map(|a| Some(a.offset? + 4 * a.size.div_ceil(4)));
    let hidden = kernel.hidden.iter().map(|slot| slot.offset + slot.size);
    (args.chain(hidden).max().unwrap_or(regs::ARGS) - regs::ARGS) / 4
}
