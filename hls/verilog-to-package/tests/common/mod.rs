//! A design to pack: the manifest of the kernel in `data/vadd.v`.
#![allow(dead_code)]

use abi::{
    Access, Arg, ArgKind, ElementType, Kernel, KernelSignature, MANIFEST_VERSION, Manifest,
    MemoryPort,
};
use base::FileSet;

/// An argument; `offset` is set by `lay_out`.
pub fn arg(index: u32, name: &str, type_name: &str, kind: ArgKind) -> Arg {
    let element = ElementType::from_opencl_name(type_name);
    let pointer = matches!(kind, ArgKind::GlobalPtr | ArgKind::ConstantPtr);
    Arg {
        index,
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        kind,
        element,
        size: element.map_or(12, ElementType::bytes),
        align: 4,
        offset: None,
        access: if pointer { Access::ReadWrite } else { Access::None },
        port: pointer.then(|| "m_axi_gmem0".to_owned()),
        restrict: false,
        local_capacity: (kind == ArgKind::LocalPtr).then_some(1024),
        packet_size: None,
        format: None,
        stream: None,
        channel: false,
    }
}

/// A kernel with one memory port.
pub fn kernel(name: &str, args: Vec<Arg>, board: &str, data_bits: u32) -> Kernel {
    let mut kernel = Kernel {
        signature: KernelSignature {
            name: name.to_owned(),
            address_bits: 64,
            args,
            reqd_work_group_size: None,
            max_work_group_size: 256,
            sub_groups: None,
            work_group_size_hint: None,
            non_uniform: false,
            simd: 1,
            simd_group_rows: false,
            compute_units: 1,
            enqueued: false,
            enqueues: vec![],
        },
        top: name.to_owned(),
        board: board.to_owned(),
        clock_mhz: 50.0,
        hidden: Vec::new(),
        memory_ports: vec![MemoryPort {
            name: "m_axi_gmem0".to_owned(),
            data_bits,
            id_bits: 6,
            address_bits: 64,
        }],
        sites: Vec::new(),
        channels: Vec::new(),
        loops: Vec::new(),
        divisions: Vec::new(),
        notes: Vec::new(),
    };
    kernel.lay_out(false).unwrap();
    kernel
}

/// A module of kernels.
pub fn manifest(module: &str, kernels: Vec<Kernel>) -> Manifest {
    let manifest = Manifest {
        version: MANIFEST_VERSION,
        tool: "test".to_owned(),
        module: module.to_owned(),
        kernels,
        program_memory: None,
        sources: Vec::new(),
        links: vec![],
        spec_constants: vec![],
    };
    manifest.verify().unwrap();
    manifest
}

/// `kernel void vadd(global uint *a, global uint *b, global uint *c, uint bias)`, as `data/vadd.v` implements it.
pub fn vadd(board: &str, data_bits: u32) -> Manifest {
    let pointer = |i, name| arg(i, name, "uint*", ArgKind::GlobalPtr);
    let args = vec![
        pointer(0, "a"),
        pointer(1, "b"),
        pointer(2, "c"),
        arg(3, "bias", "uint", ArgKind::Scalar),
    ];
    manifest("vadd", vec![kernel("vadd", args, board, data_bits)])
}

/// Verilog files: `rtl/<name>.v` for each name.
pub fn rtl(names: &[&str]) -> FileSet {
    let mut files = FileSet::new();
    for name in names {
        files.insert(format!("rtl/{name}.v"), include_str!("../data/vadd.v"));
    }
    files
}

/// Text of a file that must be there.
pub fn text<'a>(files: &'a FileSet, path: &str) -> &'a str {
    let bytes = files.get(path).unwrap_or_else(|| {
        panic!("no {path} among {:?}", files.iter().map(|f| f.0).collect::<Vec<_>>())
    });
    std::str::from_utf8(bytes).unwrap()
}

/// The C runtime's files and library, for the compiler's command line.
pub const C_RUNTIME: [&str; 5] = ["clhls.c", "clhls_sim.c", "clhls_uart.c", "clhls_xrt.c", "-ldl"];

/// Compiles the written crate in `rust` (`host/rust`) and `main.rs` beside its manifest against it, warnings refused; the program.
pub fn rust_program(rust: &std::path::Path, design: &str) -> std::path::PathBuf {
    let crate_name = format!("{design}_host");
    let compile = |arguments: &[&str]| {
        let mut rustc = std::process::Command::new("rustc");
        rustc.args(["--edition", "2024", "-Dwarnings"]).args(arguments).current_dir(rust);
        let out = rustc.env("CARGO_MANIFEST_DIR", rust).output().unwrap();
        assert!(out.status.success(), "{rustc:?}\n{}", String::from_utf8_lossy(&out.stderr));
    };
    compile(&["--crate-type", "lib", "--crate-name", &crate_name, "src/lib.rs"]);
    let library = format!("{crate_name}=lib{crate_name}.rlib");
    compile(&["--extern", &library, "-o", "program", "main.rs"]);
    rust.join("program")
}

/// Writes all files below `dir`.
pub fn write(files: &FileSet, dir: &std::path::Path) {
    for (path, contents) in files.iter() {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }
}
