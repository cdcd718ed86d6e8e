//! Typed functions that launch a design's kernels, in C and in Rust.

use abi::{Arg, ArgKind, ElementType, HiddenArg, Kernel, Manifest, ScalarType, regs};
use base::FileSet;
use serde::Serialize;
use std::collections::BTreeSet;

use crate::registers::{GLOBAL, register_words, registers};
use crate::{PackError, templates};

/// Work-items of a work-group in one dimension when neither caller nor kernel say.
const DEFAULT_LOCAL: [u32; 3] = [1, 1, 1];

#[derive(Serialize)]
struct Design<'a> {
    module: &'a str,
    design: String,
    program: Option<Program>,
    kernels: Vec<KernelData<'a>>,
}

/// Program-scope variables in device memory.
#[derive(Serialize)]
struct Program {
    size: u64,
    /// Empty when all are zero.
    bytes: Vec<u8>,
    /// Pointers to write when the memory's address is known.
    relocations: Vec<abi::Relocation>,
}

#[derive(Serialize)]
struct KernelData<'a> {
    index: usize,
    top: &'a str,
    c_name: String,
    rust_name: String,
    const_name: String,
    /// The kernel as OpenCL C declares it.
    prototype: String,
    words: u32,
    hidden: u32,
    max_group: u32,
    default_local: [u32; 3],
    local_is_fixed: bool,
    non_uniform: bool,
    lanes: u32,
    args: Vec<ArgData>,
    buffers: Vec<BufferArg>,
    /// The argument with the address of the program-scope variables.
    program: Option<ProgramArg>,
}

#[derive(Serialize)]
struct ArgData {
    kind: &'static str,
    c_name: String,
    c_parameter: String,
    rust_name: String,
    rust_type: String,
    /// First of its words, counted from register 0x10.
    word: u32,
    /// Bytes that a caller gives.
    bytes: u32,
    capacity: u64,
    note: String,
}

/// A pointer argument that needs a buffer.
#[derive(Serialize)]
struct BufferArg {
    name: String,
    id: u32,
}

#[derive(Serialize)]
struct ProgramArg {
    id: u32,
    word: u32,
}

/// The files of `host/`.
pub(crate) fn pack(manifest: &Manifest) -> Result<FileSet, PackError> {
    let mut design = Design {
        module: &manifest.module,
        design: identifier(&manifest.module),
        program: manifest.program_memory.as_ref().map(|memory| Program {
            size: memory.size,
            bytes: memory
                .init
                .clone()
                .filter(|init| init.iter().any(|&b| b != 0))
                .unwrap_or_default(),
            relocations: memory.relocations.clone(),
        }),
        kernels: manifest
            .kernels
            .iter()
            .enumerate()
            .map(|(i, kernel)| kernel_data(i, kernel))
            .collect(),
    };
    // in capitals two names may be one
    let mut seen = BTreeSet::new();
    for kernel in &mut design.kernels {
        if !seen.insert(kernel.const_name.clone()) {
            kernel.const_name = format!("{}_{}", kernel.const_name, kernel.index);
        }
    }
    let mut files = FileSet::new();
    for name in ["clhls.h", "clhls_device.h", "clhls.c", "clhls_xrt.c", "clhls.rs"] {
        files.insert(format!("host/{name}"), templates::file(name)?);
    }
    for ending in ["h", "c", "rs"] {
        let text = templates::render(&format!("host.{ending}"), &design)?;
        files.insert(format!("host/{}.{ending}", file_stem(&design.design)), text);
    }
    Ok(files)
}

/// The generated files must not replace the runtime's.
fn file_stem(design: &str) -> String {
    if design.starts_with("clhls") { format!("{design}_design") } else { design.to_owned() }
}

fn kernel_data(index: usize, kernel: &Kernel) -> KernelData<'_> {
    let signature = &kernel.signature;
    let all = registers(kernel, |_| String::new());
    let register = |offset: u32| all.iter().find(|r| r.offset_hex == format!("{offset:#05x}"));
    let buffers = signature.args.iter().filter_map(|arg| {
        let register = register(arg.offset?).filter(|r| r.qualifier == GLOBAL)?;
        Some(BufferArg { name: identifier(&arg.name), id: register.id })
    });
    let slot = |name: HiddenArg| kernel.hidden.iter().find(|slot| slot.name == name);
    let program = slot(HiddenArg::ProgramBase).and_then(|slot| {
        Some(ProgramArg { id: register(slot.offset)?.id, word: word(slot.offset) })
    });
    let name = identifier(&signature.name);
    KernelData {
        index,
        top: &kernel.top,
        c_name: name.clone(),
        rust_name: not_reserved(&name, &RUST_WORDS),
        const_name: format!("{}_KERNEL", name.to_uppercase()),
        prototype: prototype(kernel),
        words: register_words(kernel),
        hidden: slot(HiddenArg::WorkDim).map_or(0, |slot| word(slot.offset)),
        max_group: signature.max_work_group_size,
        default_local: signature
            .reqd_work_group_size
            .or(signature.work_group_size_hint)
            .unwrap_or(DEFAULT_LOCAL),
        local_is_fixed: signature.reqd_work_group_size.is_some(),
        non_uniform: signature.non_uniform,
        lanes: signature.simd,
        args: signature.args.iter().map(arg_data).collect(),
        buffers: buffers.collect(),
        program,
    }
}

/// Number of a register's word, counted from the first argument.
fn word(offset: u32) -> u32 {
    (offset - regs::ARGS) / 4
}

fn prototype(kernel: &Kernel) -> String {
    let space = |arg: &Arg| match arg.kind {
        ArgKind::GlobalPtr => "global ",
        ArgKind::ConstantPtr => "constant ",
        ArgKind::LocalPtr => "local ",
        _ => "",
    };
    let args: Vec<String> = kernel
        .signature
        .args
        .iter()
        .map(|a| format!("{}{} {}", space(a), comment(&a.type_name), a.name))
        .collect();
    format!("kernel void {}({})", kernel.signature.name, args.join(", "))
}

/// Text that cannot end a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}

fn arg_data(arg: &Arg) -> ArgData {
    let name = identifier(&arg.name);
    let c_name = not_reserved(&name, &C_WORDS);
    let rust_name = not_reserved(&name, &RUST_WORDS);
    let (kind, c_parameter, rust_type, bytes) = match (arg.kind, arg.element) {
        (ArgKind::LocalPtr, _) => ("local", format!("size_t {c_name}"), "usize".to_owned(), 0),
        (ArgKind::Scalar, Some(ElementType { scalar, lanes: 1 })) => (
            "scalar",
            format!("{} {c_name}", c_type(scalar)),
            rust_type(scalar).to_owned(),
            scalar.bytes(),
        ),
        (ArgKind::Scalar, Some(ElementType { scalar, lanes })) => (
            "vector",
            format!("const {} {c_name}[{lanes}]", c_type(scalar)),
            format!("[{}; {lanes}]", rust_type(scalar)),
            scalar.bytes() * lanes,
        ),
        (ArgKind::Scalar, None) => {
            ("bytes", format!("const void *{c_name}"), format!("&[u8; {}]", arg.size), arg.size)
        }
        _ => ("buffer", format!("const clhls_buffer *{c_name}"), "Option<&Buffer>".to_owned(), 8),
    };
    let capacity = arg.local_capacity.unwrap_or(0);
    let note = match kind {
        "local" => format!("bytes of local memory, at most {capacity}"),
        "bytes" => format!("{} bytes, laid out as in OpenCL C", arg.size),
        _ => String::new(),
    };
    ArgData {
        kind,
        c_name,
        c_parameter,
        rust_name,
        rust_type,
        word: arg.offset.map_or(0, word),
        bytes,
        capacity,
        note,
    }
}

/// A half is given by its bits: neither language has the type.
fn c_type(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I8 => "int8_t",
        ScalarType::U8 => "uint8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::U16 | ScalarType::F16 => "uint16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::U32 => "uint32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

fn rust_type(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F16 => "u16",
        other => other.name(),
    }
}

/// `name` with everything that C, Rust, Tcl or make would trip over replaced by `_`.
pub(crate) fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, '_');
    }
    out
}

fn not_reserved(name: &str, words: &[&str]) -> String {
    if words.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Words of C and C++ that OpenCL C allows as names, and the names that generated functions use themselves.
const C_WORDS: [&str; 42] = [
    "device",
    "range",
    "timeout_ms",
    "counters",
    "registers",
    "program",
    "program_memory",
    "memcpy",
    "alignas",
    "alignof",
    "and",
    "asm",
    "bool",
    "catch",
    "class",
    "compl",
    "delete",
    "explicit",
    "export",
    "false",
    "friend",
    "mutable",
    "namespace",
    "new",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typename",
    "using",
    "virtual",
    "xor",
    "main",
    "NULL",
];

/// Words of Rust, and the names that generated functions use themselves.
const RUST_WORDS: [&str; 63] = [
    "device",
    "range",
    "timeout",
    "registers",
    "program",
    "bytes",
    "clhls",
    "io",
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "Self",
    "_",
    "main",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, expect) in [
            ("vadd", "vadd"),
            ("my-module.cl", "my_module_cl"),
            ("2d", "_2d"),
            ("", "_"),
            ("a$b", "a_b"),
            ("größe", "gr__e"),
        ] {
            assert_eq!(identifier(name), expect);
        }
        assert_eq!(not_reserved("new", &C_WORDS), "new_");
        assert_eq!(not_reserved("type", &RUST_WORDS), "type_");
    }
}
