//! Typed functions that launch a design's kernels, in C and in Rust, with programs to start from.

use abi::{
    Access, Arg, ArgKind, ElementType, EnqueueQueue, HiddenArg, Kernel, KernelSignature, Manifest,
    ScalarType, SubGroups, regs,
};
use base::FileSet;
use serde::Serialize;
use std::collections::BTreeSet;
use target::{Board, Flow};

use crate::registers::{GLOBAL, register_words, registers};
use crate::{PackError, templates};

/// Bytes of a buffer of the examples: quick over a serial line too.
const EXAMPLE_BYTES: u32 = 1024;
/// Work-items of the examples in dimension 0 when the kernel says nothing about its work-groups.
const EXAMPLE_ITEMS: u32 = 16;

#[derive(Serialize)]
struct Design<'a> {
    module: &'a str,
    design: String,
    /// Names of the generated files.
    stem: String,
    rust_package: String,
    rust_crate: String,
    /// Bits a second of the board's serial link; 0 if it has none.
    baud: u32,
    /// The board is driven by XRT.
    vitis: bool,
    example_bytes: u32,
    program: Option<Program>,
    /// What kernels enqueue, if any do.
    queue: Option<QueueData<'a>>,
    /// Those that hosts launch.
    kernels: Vec<KernelData<'a>>,
}

/// The queue on the device, and the kernels that only kernels enqueue.
#[derive(Serialize)]
struct QueueData<'a> {
    /// Where it begins in the program memory.
    offset: u64,
    sites: Vec<SiteData>,
    blocks: Vec<BlockData<'a>>,
}

/// A place that enqueues something.
#[derive(Serialize)]
struct SiteData {
    /// Number of the block; none for a marker.
    block: Option<usize>,
    /// As the text of a string.
    source: String,
}

/// A kernel made of a block.
#[derive(Serialize)]
struct BlockData<'a> {
    kernel: KernelData<'a>,
    /// Bytes of the block's data, its first argument.
    data: u32,
    /// The other arguments.
    args: Vec<BlockArgData>,
}

#[derive(Serialize)]
struct BlockArgData {
    /// `local`, `image` or `pipe`.
    kind: &'static str,
    name: String,
    word: u32,
    /// Bytes of local memory that there are, or of a pipe's packets: 0 if any are right.
    bytes: u64,
    /// Order and data type of the only images that there may be, as OpenCL numbers them.
    format: Option<[u32; 2]>,
}

/// Program-scope variables in device memory.
#[derive(Serialize)]
struct Program {
    size: u64,
    /// Bytes that the generated code writes; those behind them are zero.
    initialised: u64,
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
    /// Zeros when the kernel says nothing.
    default_local: [u32; 3],
    example_global: [u32; 3],
    local_is_fixed: bool,
    /// What each work-group must have.
    sub_groups: Option<SubGroups>,
    non_uniform: bool,
    lanes: u32,
    units: u32,
    args: Vec<ArgData>,
    buffers: Vec<BufferArg>,
    /// Constants of the C header.
    constants: Vec<Constant>,
    /// The argument with the address of the program-scope variables.
    program: Option<ProgramArg>,
    /// Whether pipes connect it with other kernels: it cannot run alone.
    connected: bool,
    /// Whether it may use the queue on the device: its launch includes what it enqueues.
    family: bool,
}

#[derive(Serialize)]
struct ArgData {
    kind: &'static str,
    name: String,
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
    /// Type of its numbers, or of the numbers behind it: bytes where it is unknown.
    c_element: &'static str,
    rust_element: &'static str,
    lanes: u32,
    is_float: bool,
    /// What the examples put at place `i` of a buffer.
    fill: &'static str,
    /// The kernel writes to the buffer.
    written: bool,
    /// The last buffer of the arguments.
    last_buffer: bool,
}

#[derive(Serialize)]
struct Constant {
    name: String,
    value: u32,
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
pub(crate) fn pack(manifest: &Manifest, board: &Board) -> Result<FileSet, PackError> {
    let name = identifier(&manifest.module);
    let queue = manifest.program_memory.as_ref().and_then(|program| program.enqueue.as_ref());
    let mut design = Design {
        module: &manifest.module,
        stem: file_stem(&name),
        rust_package: format!("{name}-host"),
        rust_crate: format!("{name}_host"),
        design: name,
        baud: board.ecp5.as_ref().map_or(0, |flow| flow.baud),
        vitis: board.flow == Flow::Vitis,
        example_bytes: EXAMPLE_BYTES,
        program: manifest.program_memory.as_ref().map(|memory| Program {
            size: memory.size,
            initialised: memory.init.as_ref().map_or(memory.size, |init| init.len() as u64),
            bytes: memory
                .init
                .clone()
                .filter(|init| init.iter().any(|&b| b != 0))
                .unwrap_or_default(),
            relocations: memory.relocations.clone(),
        }),
        queue: queue.map(|queue| queue_data(manifest, queue)),
        kernels: numbered(manifest, false)
            .map(|(i, kernel)| kernel_data(i, kernel, queue.is_some()))
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
    let scheduler = SCHEDULER.into_iter().filter(|_| queue.is_some());
    for (path, name) in RUNTIME.into_iter().chain(scheduler) {
        files.insert(format!("host/{path}"), templates::file(name)?);
    }
    let stem = design.stem.clone();
    let generated = [
        (format!("{stem}.h"), "host.h"),
        (format!("{stem}.c"), "host.c"),
        ("example.c".to_owned(), "host.example.c"),
        ("Makefile".to_owned(), "host.Makefile"),
        ("README.md".to_owned(), "host.README.md"),
        ("rust/Cargo.toml".to_owned(), "host.Cargo.toml"),
        ("rust/src/lib.rs".to_owned(), "host.rs"),
        ("rust/examples/example.rs".to_owned(), "host.example.rs"),
    ];
    for (path, template) in generated {
        files.insert(format!("host/{path}"), templates::render(template, &design)?);
    }
    Ok(files)
}

/// The runtime's files below `host/`, and their names here.
const RUNTIME: [(&str, &str); 10] = [
    ("clhls.h", "clhls.h"),
    ("clhls_device.h", "clhls_device.h"),
    ("clhls.c", "clhls.c"),
    ("clhls_sim.c", "clhls_sim.c"),
    ("clhls_uart.c", "clhls_uart.c"),
    ("clhls_xrt.c", "clhls_xrt.c"),
    ("rust/src/clhls.rs", "clhls.rs"),
    ("rust/src/clhls/sim.rs", "clhls_sim.rs"),
    ("rust/src/clhls/uart.rs", "clhls_uart.rs"),
    ("rust/src/clhls/xrt.rs", "clhls_xrt.rs"),
];

/// The same of what only designs have whose kernels enqueue others.
const SCHEDULER: [(&str, &str); 3] = [
    ("clhls_enqueue.h", "clhls_enqueue.h"),
    ("clhls_enqueue.c", "clhls_enqueue.c"),
    ("rust/src/clhls_enqueue.rs", "clhls_enqueue.rs"),
];

/// The generated files must replace neither the runtime's nor the example.
fn file_stem(design: &str) -> String {
    let taken = design.starts_with("clhls") || design == "example";
    if taken { format!("{design}_design") } else { design.to_owned() }
}

/// The kernels that only kernels enqueue, or the others, with their numbers in the design.
fn numbered(manifest: &Manifest, enqueued: bool) -> impl Iterator<Item = (usize, &Kernel)> {
    let all = manifest.kernels.iter().enumerate();
    all.filter(move |(_, kernel)| kernel.signature.enqueued == enqueued)
}

fn queue_data<'a>(manifest: &'a Manifest, queue: &EnqueueQueue) -> QueueData<'a> {
    let blocks: Vec<BlockData> = numbered(manifest, true)
        .map(|(index, kernel)| {
            let args = &kernel.signature.args;
            BlockData {
                kernel: kernel_data(index, kernel, true),
                data: args.first().map_or(0, |data| data.size),
                args: args.iter().skip(1).map(block_arg).collect(),
            }
        })
        .collect();
    let number =
        |name: &String| numbered(manifest, true).position(|(_, k)| k.signature.name == *name);
    let sites = queue.sites.iter().map(|site| SiteData {
        block: site.kernel.as_ref().and_then(number),
        source: site.source.escape_default().to_string(),
    });
    QueueData { offset: queue.offset, sites: sites.collect(), blocks }
}

fn block_arg(arg: &Arg) -> BlockArgData {
    let (kind, bytes) = match arg.kind {
        ArgKind::LocalPtr => ("local", arg.local_capacity.unwrap_or(u32::MAX.into())),
        ArgKind::Pipe => ("pipe", arg.packet_size.unwrap_or(0).into()),
        _ => ("image", 0),
    };
    BlockArgData {
        kind,
        name: identifier(&arg.name),
        word: arg.offset.map_or(0, word),
        bytes,
        format: arg.format.map(|format| [format.order.number(), format.data_type.number()]),
    }
}

fn kernel_data(index: usize, kernel: &Kernel, queue: bool) -> KernelData<'_> {
    let signature = &kernel.signature;
    let all = registers(kernel, |_| String::new());
    let register = |offset: u32| all.iter().find(|r| r.offset_hex == format!("{offset:#05x}"));
    let buffers = signature.args.iter().filter_map(|arg| {
        let register = register(arg.offset?).filter(|r| r.qualifier == GLOBAL)?;
        Some(BufferArg { name: identifier(&arg.name), id: register.id })
    });
    let buffers: Vec<BufferArg> = buffers.collect();
    // What the host does not pass is no parameter of its functions.
    let passed = signature.args.iter().filter(|arg| arg.stream.is_none());
    let mut args: Vec<ArgData> = passed.map(|arg| arg_data(arg, queue)).collect();
    if let Some(last) = args.iter_mut().rfind(|arg| arg.kind == "buffer") {
        last.last_buffer = true;
    }
    let numbers = buffers.iter().map(|b| Constant { name: format!("arg_{}", b.name), value: b.id });
    let structures = args.iter().filter(|arg| arg.kind == "bytes");
    let sizes = structures.map(|a| Constant { name: format!("size_{}", a.c_name), value: a.bytes });
    let constants = numbers.chain(sizes).collect();
    let default_local =
        signature.reqd_work_group_size.or(signature.work_group_size_hint).unwrap_or([0; 3]);
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
        default_local,
        example_global: example_global(signature),
        local_is_fixed: signature.reqd_work_group_size.is_some(),
        sub_groups: signature.sub_groups,
        non_uniform: signature.non_uniform,
        lanes: signature.row_multiple(),
        units: signature.compute_units,
        args,
        buffers,
        constants,
        family: queue && program.is_some(),
        program,
        connected: signature.args.iter().any(|arg| arg.stream.is_some()),
    }
}

/// Work-items of the example's launch: a work-group.
fn example_global(signature: &KernelSignature) -> [u32; 3] {
    let most = u64::from(signature.max_work_group_size);
    let divided = signature.sub_groups.map(|s| s.most_work_items().min(most) as u32);
    let divided = divided.map(|items| [items, 1, 1]);
    let given = signature.reqd_work_group_size.or(divided).or(signature.work_group_size_hint);
    given.unwrap_or([EXAMPLE_ITEMS, 1, 1])
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

/// `queue`: there is a queue on the device, so that an argument can be its number.
fn arg_data(arg: &Arg, queue: bool) -> ArgData {
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
        (ArgKind::Queue, _) if queue => {
            ("scalar", format!("uint32_t {c_name}"), "u32".to_owned(), 4)
        }
        (ArgKind::Scalar, None)
        | (ArgKind::Image | ArgKind::Sampler | ArgKind::Pipe | ArgKind::Queue, _) => {
            ("bytes", format!("const void *{c_name}"), format!("&[u8; {}]", arg.size), arg.size)
        }
        _ => ("buffer", format!("const clhls_buffer *{c_name}"), "Option<&Buffer>".to_owned(), 8),
    };
    let capacity = arg.local_capacity.unwrap_or(0);
    let note = match kind {
        "local" => format!("bytes of local memory, at most {capacity}"),
        "bytes" if arg.kind == ArgKind::Image => "an image's descriptor".to_owned(),
        "bytes" if arg.kind == ArgKind::Pipe => "a pipe's descriptor".to_owned(),
        "bytes" => format!("{} bytes, laid out as in OpenCL C", arg.size),
        "scalar" if arg.kind == ArgKind::Queue => {
            "a queue on the device: the default queue, 1, or 0, the null queue".to_owned()
        }
        _ => String::new(),
    };
    let scalar = arg.element.map(|element| element.scalar);
    ArgData {
        kind,
        name: name.clone(),
        c_name,
        c_parameter,
        rust_name,
        rust_type,
        word: arg.offset.map_or(0, word),
        bytes,
        capacity,
        note,
        c_element: scalar.map_or("unsigned char", c_type),
        rust_element: scalar.map_or("u8", self::rust_type),
        lanes: arg.element.map_or(1, |element| element.lanes),
        is_float: matches!(scalar, Some(ScalarType::F32 | ScalarType::F64)),
        fill: if scalar.is_some() { "1 + i % 8" } else { "0 * i" },
        written: matches!(arg.access, Access::ReadWrite | Access::WriteOnly),
        last_buffer: false,
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
const C_WORDS: [&str; 43] = [
    "device",
    "status",
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
const RUST_WORDS: [&str; 68] = [
    "DESIGN",
    "Result",
    "counters",
    "open",
    "what",
    "device",
    "range",
    "timeout",
    "registers",
    "program",
    "bytes",
    "clhls",
    "name",
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
