//! Descriptions of the hand-written kernels in `rtl/`.

use abi::{Access, Arg, ArgKind, ElementType, Kernel, KernelSignature, Manifest, MemoryPort};
use sim::{SimOptions, Source};
use std::path::Path;

/// An argument named and typed like this; only 32-bit values.
pub fn arg(index: u32, name: &str, type_name: &str, kind: ArgKind) -> Arg {
    Arg {
        index,
        name: name.into(),
        type_name: type_name.into(),
        kind,
        element: ElementType::from_opencl_name(type_name),
        size: 4,
        align: 4,
        offset: None,
        access: Access::None,
        port: kind.is_buffer().then(|| "m_axi_gmem0".into()),
        restrict: false,
        local_capacity: None,
        packet_size: None,
        format: None,
        stream: None,
        channel: false,
    }
}

/// The manifest of a kernel with one memory port and no sites or channels.
pub fn manifest(name: &str, args: Vec<Arg>, data_bits: u32) -> Manifest {
    let mut kernel = Kernel {
        signature: KernelSignature {
            name: name.into(),
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
        top: name.into(),
        board: "unit".into(),
        clock_mhz: 100.0,
        hidden: Vec::new(),
        memory_ports: vec![MemoryPort {
            name: "m_axi_gmem0".into(),
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
    kernel.lay_out(false).expect("fits");
    Manifest {
        version: abi::MANIFEST_VERSION,
        tool: "test".into(),
        module: name.into(),
        kernels: vec![kernel],
        program_memory: None,
        sources: vec![format!("{name}.cl")],
        links: vec![],
        spec_constants: vec![],
    }
}

/// The kernel's Verilog and that of its register file.
#[allow(dead_code, reason = "not every test has a kernel with this register file")]
pub fn sources(name: &str, text: String) -> Vec<Source> {
    let file = |name: &str, text| Source { name: format!("{name}.v"), text, library: true };
    vec![file(name, text), file("test_control", include_str!("../rtl/test_control.v").into())]
}

/// Models are kept between runs of the tests; what they are made from is in their names.
pub fn options() -> SimOptions {
    SimOptions {
        cache_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("models")),
        watchdog: 1000,
        ..SimOptions::default()
    }
}
