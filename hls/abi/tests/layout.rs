//! The register layout against addresses that AMD's tools give the same argument lists, and the
//! manifest's text form and checks.

use abi::{
    AbiError, Access, Arg, ArgKind, ElementType, HiddenArg, Kernel, KernelSignature, Manifest,
    MemoryPort, PipeDescriptor, SubGroups, layout,
};
use std::path::Path;

fn arg(index: u32, name: &str, type_name: &str, kind: ArgKind) -> Arg {
    let element = ElementType::from_opencl_name(type_name);
    let size = match kind {
        ArgKind::Scalar => element.map_or(0, ElementType::bytes),
        ArgKind::LocalPtr => 0,
        ArgKind::Pipe => PipeDescriptor::BYTES,
        _ => 8,
    };
    let buffer = kind.is_buffer();
    Arg {
        index,
        name: name.into(),
        type_name: type_name.into(),
        kind,
        element,
        size,
        align: element.map_or(4, ElementType::bytes),
        offset: None,
        access: if buffer { Access::ReadWrite } else { Access::None },
        port: buffer.then(|| "m_axi_gmem0".into()),
        restrict: false,
        local_capacity: (kind == ArgKind::LocalPtr).then_some(1024),
        packet_size: None,
        format: None,
        stream: None,
        channel: false,
    }
}

fn vadd() -> Vec<Arg> {
    vec![
        arg(0, "a", "float*", ArgKind::GlobalPtr),
        arg(1, "b", "float*", ArgKind::GlobalPtr),
        arg(2, "c", "float*", ArgKind::GlobalPtr),
        arg(3, "n", "uint", ArgKind::Scalar),
    ]
}

fn manifest() -> Manifest {
    let mut kernel = Kernel {
        signature: KernelSignature {
            name: "vadd".into(),
            address_bits: 64,
            args: vadd(),
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
        top: "vadd".into(),
        board: "u250".into(),
        clock_mhz: 300.0,
        hidden: Vec::new(),
        memory_ports: vec![MemoryPort {
            name: "m_axi_gmem0".into(),
            data_bits: 512,
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
        tool: "clhls 0.1.0".into(),
        module: "vadd".into(),
        kernels: vec![kernel],
        program_memory: None,
        sources: vec!["vadd.cl".into()],
        links: vec![],
        spec_constants: vec![],
    }
}

/// Vitis HLS puts three pointers and an int at 0x10, 0x1c, 0x28 and 0x34.
#[test]
fn pointers_take_three_words_and_small_values_two() {
    let map = layout("vadd", &vadd(), false).expect("fits");
    assert_eq!(map.args, [Some(0x10), Some(0x1c), Some(0x28), Some(0x34)]);
    assert_eq!(map.hidden(HiddenArg::WorkDim), Some(0x3c));
    assert_eq!(map.hidden(HiddenArg::GlobalSizeX), Some(0x44));
    assert_eq!(map.hidden(HiddenArg::GlobalOffsetZ), Some(0x9c));
    assert_eq!(map.hidden(HiddenArg::ProgramBase), None);
    assert_eq!(map.end, 0xa4);
    assert_eq!(map.words(), (0xa4 - 0x10) / 4);
}

#[test]
fn odd_sizes_are_rounded_up_to_words_and_local_pointers_have_no_register() {
    let mut point = arg(0, "p", "struct point", ArgKind::Scalar);
    point.size = 13;
    let args = [
        point,
        arg(1, "scratch", "float*", ArgKind::LocalPtr),
        arg(2, "c", "char", ArgKind::Scalar),
        arg(3, "v", "double4", ArgKind::Scalar),
        arg(4, "n", "int", ArgKind::Scalar),
    ];
    let map = layout("k", &args, true).expect("fits");
    // 4 words + 1, none, 1 word + 1, 8 words + 1
    assert_eq!(map.args, [Some(0x10), None, Some(0x24), Some(0x2c), Some(0x50)]);
    assert_eq!(map.hidden(HiddenArg::WorkDim), Some(0x58));
    assert_eq!(map.hidden(HiddenArg::ProgramBase), Some(0x58 + 13 * 8));
    assert_eq!(map.end, 0x58 + 13 * 8 + 12);
}

#[test]
fn too_many_arguments_are_errors() {
    let mut big = arg(0, "big", "struct big", ArgKind::Scalar);
    big.size = 4000;
    let error = layout("k", &[big], false).expect_err("4000 bytes do not fit");
    assert!(matches!(error, AbiError::TooManyArguments { .. }));
    let mut huge = arg(0, "huge", "struct huge", ArgKind::Scalar);
    huge.size = u32::MAX;
    assert!(layout("k", &[huge.clone(), huge], false).is_err());
}

#[test]
fn a_pipe_takes_the_registers_of_its_descriptor() {
    let args = [arg(0, "p", "int", ArgKind::Pipe), arg(1, "n", "int", ArgKind::Scalar)];
    let map = layout("k", &args, false).expect("they fit");
    assert_eq!(map.args, [Some(0x10), Some(0x10 + 16 + 4)]);
}

/// OpenCL guarantees 1024 bytes of arguments, of which at most 128 are arguments of their own.
#[test]
fn the_least_argument_space_of_opencl_fits() {
    let args: Vec<Arg> =
        (0..128).map(|i| arg(i, &format!("p{i}"), "int*", ArgKind::GlobalPtr)).collect();
    assert!(layout("k", &args, true).is_ok());
}

#[test]
fn the_text_form_round_trips() {
    let mut manifest = manifest();
    manifest.program_memory = Some(abi::ProgramMemory {
        size: 3,
        align: 4,
        init: Some(vec![0x00, 0xab, 0xff]),
        relocations: vec![],
        prints: None,
        enqueue: None,
    });
    manifest.kernels[0].lay_out(true).expect("fits");
    let text = manifest.to_json();
    assert!(text.contains("\"init\": \"00abff\""), "{text}");
    assert!(text.contains("\"kind\": \"global_ptr\""), "{text}");
    assert!(text.contains("\"name\": \"global_offset_z\""), "{text}");
    let again = Manifest::parse(&text, Path::new("manifest.json")).expect("parses");
    assert_eq!(again, manifest);
}

/// 4 sub-groups of 16: 49 to 64 work-items.
#[test]
fn work_groups_can_have_the_sub_groups_that_they_must_have() {
    let with = |count, size, most, required| {
        let mut manifest = manifest();
        let signature = &mut manifest.kernels[0].signature;
        signature.sub_groups = Some(SubGroups { count, size });
        signature.max_work_group_size = most;
        signature.reqd_work_group_size = required;
        let again = Manifest::parse(&manifest.to_json(), Path::new("manifest.json"));
        assert_eq!(again.as_ref().ok(), manifest.verify().is_ok().then_some(&manifest));
        manifest.verify().map_err(|e| e.to_string())
    };
    assert_eq!(with(4, 16, 64, None), Ok(()));
    assert_eq!(with(4, 16, 49, Some([7, 7, 1])), Ok(()));
    let wrong = |why: &str| Err(format!("manifest: kernel vadd: {why}"));
    let most = "4 sub-groups of 16: more than max_work_group_size";
    assert_eq!(with(4, 16, 48, None), wrong(most));
    let required = "4 sub-groups of 16: not what reqd_work_group_size has";
    assert_eq!(with(4, 16, 64, Some([48, 1, 1])), wrong(required));
    assert_eq!(with(0, 16, 64, None), wrong("0 sub-groups of 16: there is none"));
    assert_eq!(with(4, 0, 64, None), wrong("4 sub-groups of 0: there is none"));
    assert!(!manifest().to_json().contains("sub_groups"), "only of kernels that ask for it");
}

#[test]
fn contradictions_are_found() {
    fn problem(change: impl FnOnce(&mut Manifest)) -> String {
        let mut manifest = manifest();
        manifest.verify().expect("sound before the change");
        change(&mut manifest);
        manifest.verify().expect_err("a contradiction").to_string()
    }
    assert_eq!(
        problem(|m| m.kernels[0].signature.args[1].offset = Some(0x18)),
        "manifest: kernel vadd, argument b: register offset is 0x18, the layout says 0x1c"
    );
    assert_eq!(
        problem(|m| m.kernels[0].signature.args[2].port = Some("m_axi_gmem1".into())),
        "manifest: kernel vadd, argument c: port `m_axi_gmem1` does not exist"
    );
    assert_eq!(
        problem(|m| m.kernels[0].memory_ports[0].data_bits = 96),
        "manifest: kernel vadd, port m_axi_gmem0: data_bits is 96, not a power of two from 32 to 1024"
    );
    assert_eq!(
        problem(|m| m.kernels.push(m.kernels[0].clone())),
        "manifest: kernel vadd: there are two kernels of this name"
    );
    assert_eq!(
        problem(|m| m.kernels[0].signature.args[0].name = "b".into()),
        "manifest: kernel vadd, argument b: there are two arguments of this name"
    );
    assert_eq!(
        problem(|m| m.kernels[0].top = "2d".into()),
        "manifest: kernel vadd: `2d` is not a Verilog module name"
    );
}

#[test]
fn other_versions_and_broken_files_are_refused() {
    let path = Path::new("build/manifest.json");
    let error = Manifest::parse("{\"version\": 99}", path).expect_err("another version");
    assert!(matches!(error, AbiError::Version { found: 99, .. }));
    let error = Manifest::parse("{", path).expect_err("not JSON");
    assert!(error.to_string().starts_with("build/manifest.json: not a manifest"));
}

#[test]
fn arguments_are_found_by_name_and_number() {
    let manifest = manifest();
    let kernel = manifest.kernel("vadd").expect("exists");
    assert_eq!(kernel.signature.arg("c").map(|arg| arg.index), Some(2));
    assert_eq!(kernel.signature.arg("3").map(|arg| arg.name.as_str()), Some("n"));
    assert!(kernel.signature.arg("4").is_none());
    let error = manifest.kernel("vsub").expect_err("does not exist");
    assert_eq!(error.to_string(), "no kernel `vsub` in the design; it has: vadd");
}
