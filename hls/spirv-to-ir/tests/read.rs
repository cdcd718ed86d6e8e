//! Reads the modules of testbenches/filetests/spirv-to-ir. The first line of each `.spvasm` says
//! what must come of the `.spv` beside it: `; reads`, or `; error CODE: part of the message`.

use abi::enqueue::Captured;
use interp::{Argument, Launch, Memory, Program};
use ir::Speculation;
use spirv_to_ir::{Options, fuzzing, read, read_with_sources};
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbenches/filetests/spirv-to-ir")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    out.sort();
    assert!(!out.is_empty(), "no .{extension} in {}", folder.display());
    out
}

fn module(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

#[test]
fn fixtures_give_what_they_say() {
    for path in files(&folder(), "spvasm") {
        let text = std::fs::read_to_string(&path).unwrap();
        let want = text.lines().next().unwrap().trim_start_matches("; ");
        let bytes = std::fs::read(path.with_extension("spv")).unwrap();
        let result = read(&bytes, &Options::default());
        match want.strip_prefix("error ") {
            None => {
                assert_eq!(want, "reads", "{}", path.display());
                let module = result.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                ir::verify::verify_module(&module).unwrap();
            }
            Some(error) => {
                let (code, part) = error.split_once(": ").unwrap();
                let Err(e) = result else { panic!("{} is accepted", path.display()) };
                let first = &e.0[0];
                let rendered = e.to_string();
                assert_eq!(first.code, code, "{}: {rendered}", path.display());
                assert!(rendered.contains(part), "{}: {rendered}", path.display());
                let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let place = !file.starts_with("bad_std") || rendered.contains(":3:5\n");
                assert!(place, "no line: {}: {rendered}", path.display());
            }
        }
    }
}

#[test]
fn assembled_fixtures_are_up_to_date() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixture.spv");
    for path in files(&folder(), "spvasm") {
        let run = Command::new("spirv-as")
            .args(["--target-env", "spv1.4", "-o"])
            .arg(&scratch)
            .arg(&path)
            .status();
        // Without spirv-as there is nothing to compare with; CI has it.
        let Ok(status) = run else { return };
        assert!(status.success(), "{}", path.display());
        let same =
            std::fs::read(&scratch).unwrap() == std::fs::read(path.with_extension("spv")).unwrap();
        assert!(same, "{}: run spirv-as again", path.display());
    }
}

/// Runs kernel `k` of a fixture with one buffer of `n` integers.
fn run(name: &str, options: &Options, n: usize) -> Vec<i32> {
    let module = read(&module(name), options).unwrap();
    let mut memory = Memory::new();
    let program = Program::new(&module, &mut memory).unwrap();
    let out = memory.allocate("out", vec![0; 4 * n], 4, program.address_limit()).unwrap();
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [1; 3],
        local: None,
        offset: [0; 3],
        args: vec![Argument::Pointer(out)],
    };
    program.run(&mut memory, &launch, &interp::Options::default()).unwrap();
    let bytes = memory.buffer(out).unwrap();
    bytes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Worked out by hand from the definitions of the instructions.
#[test]
fn integer_instructions_compute_what_the_specification_says() {
    let want = [
        1,
        -2,
        -1,
        -1,
        3,
        0,
        i32::MIN,
        1,
        1,
        6,
        -1,
        1,
        0,
        127,
        -1,
        -513,
        -1,
        -2,
        -1,
        -32,
        1,
        12,
        19,
        2,
    ];
    assert_eq!(run("integers.spv", &Options::default(), want.len()), want);
}

/// Without a host there are no events and no default queue; the block's kernel has groups of 8 x 5 work-items only.
#[test]
fn enqueuing_says_why_it_fails_and_counts_sub_groups() {
    let codes = [0, -160, -102, 0, -57, 0, 0, 0];
    let queries = [3, 16, 32, 0, 3, 40, 1];
    let want = [&codes[..], &queries].concat();
    let options = Options { enqueue_errors: true, ..Options::default() };
    assert_eq!(run("enqueue.spv", &options, want.len()), want);
    // without -g there is one error
    let codes = [0, -101, -101, 0, -101, 0, 0, 0];
    let want = [&codes[..], &queries].concat();
    assert_eq!(run("enqueue.spv", &Options::default(), want.len()), want);
}

/// Work-groups of 48 have 3 sub-groups of 16, those of 32 have 2; 48 leave 32 of 80 and 33 of 81. No local size is as good as one.
#[test]
fn enqueuing_keeps_to_the_number_of_sub_groups() {
    let codes = [0, -160, -160, 0, 0];
    let queries = [3, 3, 16, 48, 0, 3, 48];
    let want = [&codes[..], &queries].concat();
    let options = Options { enqueue_errors: true, ..Options::default() };
    assert_eq!(run("enqueue_sub_groups.spv", &options, want.len()), want);
    // 48 does not divide 81
    let uniform = Options { uniform_groups: true, ..options };
    let want = [&[0, -160, -160, -160, 0][..], &queries].concat();
    assert_eq!(run("enqueue_sub_groups.spv", &uniform, want.len()), want);
}

/// The kernel made of a block has the block's data by value and its local memory, and belongs to the kernel that enqueues it.
#[test]
fn blocks_become_kernels() {
    let options = Options { kernels: vec!["k".into()], ..Options::default() };
    let module = read(&module("enqueue.spv"), &options).unwrap();
    let names: Vec<&str> = module.kernels().map(|(_, f)| f.name.as_str()).collect();
    assert_eq!(names, ["k", "k_block_invoke_kernel"]);
    let (_, block) = module.kernel("k_block_invoke_kernel").unwrap();
    let info = block.kernel.as_ref().unwrap();
    let args: Vec<_> = info.args.iter().map(|a| (a.kind, a.size)).collect();
    assert_eq!(args, [(ir::KernelArgKind::Value(None), 12), (ir::KernelArgKind::LocalPointer, 8)]);
    assert!(info.enqueued && info.reqd_work_group_size == Some([8, 5, 1]));
    let (_, k) = module.kernel("k").unwrap();
    assert_eq!(k.kernel.as_ref().unwrap().enqueues, ["k_block_invoke_kernel"]);
    let variables = module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref()));
    let (_, sites) = abi::enqueue::find(variables).unwrap();
    let site = abi::EnqueueSite {
        captured: vec![],
        kernel: Some("k_block_invoke_kernel".into()),
        locals: 1,
        data: 12,
        source: "k.cl:3:5".into(),
    };
    assert_eq!(sites[0], site);
}

/// An image and a pipe that a block captures are arguments of its kernel behind its data, which hold a sampler's bits; what
/// packets the pipe has is known from the block.
#[test]
fn what_blocks_capture_becomes_arguments() {
    use ir::{KernelArgKind, PipeAccess};
    let module = read(&module("enqueue_captured.spv"), &Options::default()).unwrap();
    let pipe =
        PipeAccess { writes: false, packet: Some(4), connected: None, limit: None, channel: false };
    let kinds = |kernel: &str| {
        let (_, func) = module.kernel(kernel).unwrap();
        let args = &func.kernel.as_ref().unwrap().args;
        args.iter().map(|a| (a.kind, a.size)).collect::<Vec<_>>()
    };
    let (image, pipe) = ((KernelArgKind::Image(None), 48), (KernelArgKind::Pipe(pipe), 16));
    assert_eq!(kinds("k"), [image, pipe, (KernelArgKind::Pointer(ir::Space::Global), 8)]);
    let block = "k_block_invoke_kernel";
    assert_eq!(kinds(block), [(KernelArgKind::Value(None), 40), pipe, image]);
    let (_, func) = module.kernel(block).unwrap();
    let args = &func.kernel.as_ref().unwrap().args;
    assert!(args[2].restrict && args[2].no_write && args[2].type_name == "image2d_t");
    let variables = module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref()));
    let (_, sites) = abi::enqueue::find(variables).unwrap();
    assert_eq!(sites[0].captured, [Captured::Pipe, Captured::Image]);

    // of one format, by the name that the argument has
    let given = |arg: &str| spirv_to_ir::FixedFormat {
        kernel: block.into(),
        arg: arg.into(),
        format: abi::ImageFormat::from_names("r", "float").unwrap(),
    };
    let with = |arg| {
        let options = Options { formats: vec![given(arg)], ..Options::default() };
        read(&self::module("enqueue_captured.spv"), &options)
    };
    assert!(with("image2").unwrap().to_string().contains("image format"));
    assert!(with("image1").is_err(), "that is the pipe");
}

/// Worked out by hand: three packets fit, two are reserved and read backwards, one is left.
#[test]
fn pipes_of_the_program_hold_packets() {
    let written = [0, 0, 0, -1];
    let asked = [3, 3];
    let reserved = [1, 0, 0, 101, 100, -1];
    let single = [0, 102, -1, 102];
    let want = [&written[..], &asked, &reserved, &single, &[100]].concat();
    assert_eq!(run("pipe_storage.spv", &Options::default(), want.len()), want);
}

/// Bits of floats, worked out by hand; the rest are integers.
#[test]
fn float_instructions_compute_what_the_specification_says() {
    let f = |x: f32| x.to_bits() as i32;
    let want = [
        f(-0.0),
        0,
        0,
        0,
        f(-5.0),
        0x3f80_0001,
        i32::MIN + 1,
        f(-0.999_999_94),
        f(1.0),
        f(-2.0),
        0x7fc0_0007,
        0,
        0,
        1,
        f(0.5),
        f(1.5),
        f(57.295_78),
        f(-7.0),
        1,
        0,
        i32::MAX,
        2,
        f(22.0),
        f(-32.0),
        f(3.0),
        2,
        -1,
        f(1.000_976_6),
        f(4_294_967_291.0),
    ];
    // Element 200 of the halves lies in element 50 of the integers.
    assert_eq!(run("floats.spv", &Options::default(), 51)[..want.len()], want);
}

/// Functions as no producer, or only one with a defect, calls them.
#[test]
fn standard_functions_take_what_producers_do_not_write() {
    let f = |x: f32| x.to_bits() as i32;
    let want = [f(7.0), f(3.0), f(f32::NAN), f(28.0)];
    assert_eq!(run("std_functions.spv", &Options::default(), 4), want);
}

/// bfloat16 by both published extensions and by clhls.h: pi is 0x4049 and 0xfdb of 0x10000 behind
/// it, and -259 is the even one of two equally near numbers.
#[test]
fn bfloat16_instructions_compute_what_the_extensions_say() {
    let want = [
        0x4049,
        0x4049_0000,
        0xc049_4049u32 as i32,
        0x4049,
        0x404a,
        0xc382,
        3,
        4,
        0x4049_0000,
        0x4248,
        0xc049_4049u32 as i32,
        0x4049,
        0x404a,
    ];
    assert_eq!(run("bfloat16.spv", &Options::default(), want.len()), want);
}

#[test]
fn aggregates_go_through_memory_calls_and_selects() {
    assert_eq!(run("aggregates.spv", &Options::default(), 4), [-5, 7, 10, 10]);
}

/// s over i = 0..7: 0, 1, (1-5)*2 = -8, -16, -12, (-12-5)*2 = -34, -28.
#[test]
fn imports_are_what_the_module_itself_exports() {
    assert_eq!(run("import_of_export.spv", &Options::default(), 1), [42]);
}

#[test]
fn phis_and_switches_take_the_edge_that_was_taken() {
    assert_eq!(run("control_flow.spv", &Options::default(), 1), [-28]);
}

#[test]
fn loop_controls_tell_distances() {
    let module = read(&module("loop_controls.spv"), &Options::default()).unwrap();
    let blocks = module.functions.values().flat_map(|f| f.layout.iter().map(|b| f.blocks[*b].hint));
    let hints = blocks.filter(|h| *h != ir::LoopHint::default());
    let hints: Vec<ir::LoopHint> = hints.collect();
    let fusion: Vec<bool> = hints.iter().map(|h| !h.no_fusion).collect();
    assert_eq!(fusion, [true, true, true, false]);
    let hints = hints.iter();
    let hints: Vec<_> =
        hints.map(|h| (h.ivdep, h.dependency_length, h.max_concurrency, h.speculation)).collect();
    let (free, off) = (Speculation::Automatic, Speculation::Off);
    assert_eq!(
        hints,
        [(false, 4, 0, free), (true, 0, 0, free), (false, 3, 5, free), (false, 0, 7, off)]
    );
}

/// LLVM's back end writes the scope of a barrier's memory for that of its execution.
#[test]
fn barriers_of_any_scope_are_of_the_work_group_where_llvm_wrote_them() {
    let (assembled, mut by_llvm) = (module("barrier_scopes.spv"), module("barrier_scopes.spv"));
    by_llvm[8..12].copy_from_slice(&(43u32 << 16).to_le_bytes());
    let barriers = |bytes: &[u8]| {
        let module = read(bytes, &Options::default()).unwrap();
        let ops = module.functions.values().flat_map(|f| {
            let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
            insts.map(|i| f.insts[*i].op).collect::<Vec<_>>()
        });
        let group = |op: &ir::Op| matches!(op, ir::Op::Barrier(_));
        let sub = |op: &ir::Op| matches!(op, ir::Op::SubGroup(ir::SubGroupMark::Begin(_)));
        let ops: Vec<ir::Op> = ops.collect();
        (ops.iter().filter(|op| group(op)).count(), ops.iter().filter(|op| sub(op)).count())
    };
    // a barrier of a sub-group is one of the work-group between brackets; that of a work-item waits for nobody
    assert_eq!(barriers(&assembled), (4, 1));
    assert_eq!(barriers(&by_llvm), (5, 0));
}

#[test]
fn integer_comparisons_of_floats_compare_bits() {
    assert_eq!(run("barrier_scopes.spv", &Options::default(), 3), [0, 1, 1]);
}

#[test]
fn constants_specialise_and_relocate() {
    assert_eq!(run("constants.spv", &Options::default(), 4), [-5, 35, 2, 7]);
    let given = |id, value| Options { spec_constants: vec![(id, value)], ..Options::default() };
    let code = |o: &Options| read(&module("constants.spv"), o).unwrap_err().0[0].code;
    // The constant is the length of an array with five parts.
    assert_eq!(code(&given(4, 6)), "E0103");
    assert_eq!(code(&given(5, 5)), "E0118");
}

/// The execution modes that say what arithmetic does to subnormal numbers, and the option that allows to flush them.
#[test]
fn subnormal_numbers_are_flushed_where_the_module_says_so() {
    let (allowed, plain) =
        (Options { denorms_are_zero: true, ..Options::default() }, Options::default());
    // 2^-126 / 2, 2^-149 + 2^-149, 2^-149 / 2^-149; the high word of 2^-1022 / 2; -2^-126 / 2
    let (one, half_of_least, minus) = (0x3f80_0000, 0x0008_0000, i32::MIN);
    let (nan, kept) = (0x7fc0_0000, [0x0040_0000, 2, one, half_of_least, minus | 0x0040_0000]);
    assert_eq!(run("flush.spv", &plain, 5), [0, 0, nan, half_of_least, minus]);
    assert_eq!(run("flush.spv", &allowed, 5), [0, 0, nan, 0, minus]);
    assert_eq!(run("flush_not.spv", &plain, 5), kept);
    let preserved = [kept[0], kept[1], kept[2], 0, kept[4]];
    assert_eq!(run("flush_not.spv", &allowed, 5), preserved, "DenormPreserve goes before");
    let only = Options { kernels: vec!["k".into()], ..Options::default() };
    read(&module("bad_flush_kernels.spv"), &only).unwrap();
}

/// Attribute `intel_reqd_sub_group_size`, and the option against it.
#[test]
fn kernels_choose_the_size_of_their_sub_groups() {
    let given = |n| Options { sub_group_size: Some(n), ..Options::default() };
    assert_eq!(run("sub_group_size.spv", &Options::default(), 1), [8]);
    assert_eq!(run("sub_group_size.spv", &given(8), 1), [8]);
    let e = read(&module("sub_group_size.spv"), &given(32)).unwrap_err();
    assert_eq!(e.0[0].code, "E0112");
    let text = "kernel `k` asks for sub-groups of 8 work-items, the options ask for 32";
    assert_eq!(e.0[0].message, text);
    let e = read(&module("sub_group_size.spv"), &given(12)).unwrap_err();
    assert_eq!(e.0[0].code, "E0118");
    for kernel in ["k", "other"] {
        let only = Options { kernels: vec![kernel.into()], ..Options::default() };
        read(&module("bad_sub_group_kernels.spv"), &only).unwrap();
    }
}

/// Elements of four bytes, though one pointer is to an array and the other to bytes.
#[test]
fn asynchronous_copies_know_their_elements() {
    let want = [1_234_567, 7_654_321, 1_000_001, 99_999_999];
    assert_eq!(run("async_copy_guessed.spv", &Options::default(), 4), want);
}

/// The type of the variable is that of an element, MaxByteOffset tells its size.
#[test]
fn local_variables_are_as_large_as_their_decoration_says() {
    let want = [1_234_567, 7_654_321, 1_000_001, 99_999_999];
    assert_eq!(run("local_size.spv", &Options::default(), 4), want);
}

/// Only a product that a sum names itself, and never with `ContractionOff`.
#[test]
fn contraction_is_allowed_within_one_expression() {
    let flags = |name: &str| -> Vec<(String, u8)> {
        let module = read(&module(name), &Options::default()).unwrap();
        let (_, k) = module.kernel("k").unwrap();
        let insts = k.layout.iter().flat_map(|b| &k.blocks[*b].insts).map(|i| &k.insts[*i]);
        let float = insts.filter(|i| matches!(i.op, ir::Op::FMul | ir::Op::FAdd | ir::Op::FSub));
        float.map(|i| (ir::print::op_name(i.op).into_owned(), i.fast_math.0)).collect()
    };
    let want = |mul: u8, add: u8| {
        [("fmul", mul), ("fadd", add), ("fmul", 0), ("fsub", 0)].map(|(n, f)| (n.to_owned(), f))
    };
    let contract = ir::FastMath::CONTRACT;
    assert_eq!(flags("contract.spv"), want(contract, contract));
    assert_eq!(flags("contract_fast.spv"), want(31 | contract, 31 | contract));
    assert_eq!(flags("contract_off.spv"), want(31, 31));
}

/// Divisions by their decoration or the option, functions by the option: producers decorate arithmetic only.
#[test]
fn relaxed_bounds_are_taken_where_they_are_allowed() {
    let ops = |options: &Options| -> Vec<String> {
        let module = read(&module("relaxed.spv"), options).unwrap();
        let (_, k) = module.kernel("k").unwrap();
        let insts = k.layout.iter().flat_map(|b| &k.blocks[*b].insts).map(|i| &k.insts[*i]);
        let float = insts.filter(|i| i.op.is_float_unit());
        float.map(|i| ir::print::op_name(i.op).into_owned()).collect()
    };
    let plain = ["fdiv", "math.native_divide", "math.native_recip", "fdiv", "math.sin", "fsqrt"];
    let always = ["math.half_exp", "math.native_sin", "math.native_log2"];
    assert_eq!(ops(&Options::default()), [&plain[..], &always].concat());
    let relaxed = ["math.native_divide", "math.native_divide", "math.native_recip", "fdiv"];
    let functions = ["math.native_sin", "math.native_sqrt"];
    let allowed = Options { unsafe_math: true, ..Options::default() };
    assert_eq!(ops(&allowed), [&relaxed[..], &functions, &always].concat());
}

/// As straight code each of the 100 words would be a memory unit of its own.
#[test]
fn large_copies_are_loops() {
    let mut want = vec![0; 101];
    (want[0], want[4], want[100]) = (1, 7, 9);
    assert_eq!(run("copies.spv", &Options::default(), 101), want);
    let read = read(&module("copies.spv"), &Options::default()).unwrap();
    let (_, k) = read.kernel("k").unwrap();
    let stores = k.insts.values().filter(|i| matches!(i.op, ir::Op::Store(_))).count();
    assert_eq!(stores, 6, "three loops, three single stores");
}

/// Sizes of 4, 6 and 4 times a number that is loaded, the last without alignment: words, halves of words and bytes.
#[test]
fn copies_of_elements_are_made_by_elements() {
    let read = read(&module("sized_copies.spv"), &Options::default()).unwrap();
    let (_, k) = read.kernel("k").unwrap();
    let stores = k.layout.iter().flat_map(|b| &k.blocks[*b].insts);
    let stores = stores.filter(|i| matches!(k.insts[**i].op, ir::Op::Store(_)));
    let bytes: Vec<u32> = stores.map(|i| k.accessed_bytes(*i)).collect();
    assert_eq!(bytes[6..], [4, 2, 1], "behind those of the first six words");
    let mut want = vec![0; 40];
    want[0] = 3;
    want[1..6].copy_from_slice(&[11, 12, 13, 14, 0x2_000f]);
    want[20..23].copy_from_slice(&[11, 12, 13]);
    // four words and a half
    want[30..35].copy_from_slice(&[11, 12, 13, 14, 15]);
    want[36..39].copy_from_slice(&[11, 12, 13]);
    assert_eq!(run("sized_copies.spv", &Options::default(), 40), want);
}

#[test]
fn both_byte_orders_are_read() {
    let little = module("integers.spv");
    let big: Vec<u8> = little.chunks(4).flat_map(|w| w.iter().rev().copied()).collect();
    let show = |bytes: &[u8]| format!("{:?}", read(bytes, &Options::default()).unwrap());
    assert_eq!(show(&little), show(&big));
}

#[test]
fn what_is_not_a_module_is_named() {
    let good = module("integers.spv");
    let code = |bytes: &[u8]| read(bytes, &Options::default()).unwrap_err().0[0].code;
    assert_eq!(code(b""), "E0101");
    assert_eq!(code(b"// OpenCL C source"), "E0101");
    assert_eq!(code(b"BC\xc0\xde0000"), "E0101");
    assert_eq!(code(&good[..good.len() - 1]), "E0101");
    assert_eq!(code(&good[..16]), "E0101");
    let mut version = good.clone();
    version[5] = 7; // 1.4 becomes 1.7
    version[6] = 1;
    assert_eq!(code(&version), "E0102");
    let mut bound = good.clone();
    bound[15] = 0xff;
    assert_eq!(code(&bound), "E0116");
    let mut opcode = good.clone();
    opcode[20] = 0xff;
    opcode[21] = 0xff;
    assert_eq!(code(&opcode), "E0104");
    assert_eq!(code(&good[..good.len() - 4]), "E0107");
    let missing = Options { kernels: vec!["other".into()], ..Options::default() };
    let e = read(&good, &missing).unwrap_err();
    assert_eq!(e.0[0].code, "E0109");
    assert!(e.to_string().contains("its kernels are: k"), "{e}");
}

#[test]
fn both_producers_are_read() {
    for path in files(&folder().join("producers"), "spv") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let result = read(&std::fs::read(&path).unwrap(), &Options::default());
        if name.starts_with("unsupported") {
            assert!(result.is_err(), "{name}");
            continue;
        }
        let module = result.unwrap_or_else(|e| panic!("{name}: {e}"));
        ir::verify::verify_module(&module).unwrap();
        // Wrappers and unused copies of kernels are gone.
        let source = std::fs::read_to_string(path.with_extension("").with_extension("cl")).unwrap();
        assert!(module.kernels().all(|(_, k)| source.contains(&k.name)), "{name}");
    }
}

#[test]
fn kernels_are_described() {
    let bytes = module("producers/overview.clang-15.spv");
    let read = read(&bytes, &Options::default()).unwrap();
    let (_, k) = read.kernel("k1").unwrap();
    let info = k.kernel.as_ref().unwrap();
    assert_eq!(info.reqd_work_group_size, Some([64, 1, 1]));
    let args: Vec<(&str, u32)> = info.args.iter().map(|a| (a.name.as_str(), a.size)).collect();
    let want = [("a", 8), ("b", 8), ("n", 4), ("s", 48), ("l", 8), ("v3", 16)];
    assert_eq!(args, want);
    let flags: Vec<(bool, bool)> =
        info.args[..2].iter().map(|a| (a.restrict, a.no_write)).collect();
    assert_eq!(flags, [(true, true), (false, false)]);
    assert_eq!(read.cl_version, 120);
    assert!(read.sources.files.values().any(|f| f.name.ends_with("overview.cl")));
}

/// `llvm-spirv --preserve-ocl-kernel-arg-type-metadata-through-string` keeps the type names.
#[test]
fn argument_types_are_taken_from_strings() {
    let read = read(&module("producers/overview.typed.spv"), &Options::default()).unwrap();
    let (_, k) = read.kernel("k1").unwrap();
    let types: Vec<&str> =
        k.kernel.as_ref().unwrap().args.iter().map(|a| a.type_name.as_str()).collect();
    assert_eq!(types, ["float*", "float*", "int", "S", "int*", "float3"]);
}

#[test]
fn all_unsupported_functions_are_named_at_once_with_their_lines() {
    let bytes = module("producers/unsupported.clang-15.spv");
    let mut sources = base::SourceMap::default();
    let e = read_with_sources(&bytes, &Options::default(), &mut sources).unwrap_err();
    let text = e.render(&sources);
    for part in ["OpAsmCallINTEL", "unsupported.cl:3:", "unsupported.cl:5:"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    // Asked for one kernel, the others' errors do not matter.
    let only = Options { kernels: vec!["sg".into()], ..Options::default() };
    let text = read_with_sources(&bytes, &only, &mut sources).unwrap_err().render(&sources);
    assert!(text.contains("unsupported.cl:5:") && !text.contains("unsupported.cl:3:"), "{text}");
}

/// clang-22 gives no lines.
#[test]
fn without_lines_the_function_is_named() {
    const OP_LINE: u8 = 8;
    let bytes = module("bad_ext_inst.spv");
    let (mut stripped, mut at) = (bytes[..20].to_vec(), 20);
    while at < bytes.len() {
        let end = at + 4 * usize::from(bytes[at + 2]);
        if bytes[at] != OP_LINE {
            stripped.extend_from_slice(&bytes[at..end]);
        }
        at = end;
    }
    let e = read(&stripped, &Options::default()).unwrap_err();
    let notes = &e.0[0].notes;
    assert_eq!(notes.iter().filter(|n| *n == "in function `k`").count(), 1, "{e}");
}

/// Mutated modules end in a verified module or in messages: nothing panics.
#[test]
fn mutated_modules_do_not_panic() {
    let mut still_valid = 0;
    for (folder, seeds) in [(folder(), 200), (folder().join("producers"), 600)] {
        for path in files(&folder, "spv") {
            let bytes = std::fs::read(&path).unwrap();
            for seed in 0..seeds {
                let case = fuzzing::mutate(&bytes, seed);
                let done = std::panic::catch_unwind(|| fuzzing::check(&case));
                match done {
                    Ok(valid) => still_valid += usize::from(valid),
                    Err(_) => panic!("{} with seed {seed} panics", path.display()),
                }
            }
        }
    }
    // Mutations that never leave a module valid would test the decoder only.
    assert!(still_valid > 100, "{still_valid}");
}

/// llvm-spirv puts `OpLoopMerge` on headers, and also on blocks where it means nothing.
#[test]
fn loop_hints_stand_on_loop_headers_only() {
    let read = read(&module("producers/memory.clang-15.spv"), &Options::default()).unwrap();
    let mut hints = 0;
    for f in read.functions.values() {
        let cfg = ir::analysis::Cfg::new(f);
        let dom = ir::analysis::Dominators::new(f, &cfg);
        for &b in f.layout.iter().filter(|b| f.blocks[**b].hint != ir::LoopHint::default()) {
            assert!(cfg.preds[b].iter().any(|p| dom.dominates(b, *p)), "{b} of {}", f.name);
            assert_eq!(f.blocks[b].hint.unroll, Some(1), "clang has unrolled the loop already");
            hints += 1;
        }
    }
    assert_eq!(hints, 3, "spirv-dis shows three loops with a merge on their header");
}
