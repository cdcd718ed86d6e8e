//! Input that cannot be used: each kind is refused with a code, a place and a remedy, and leaves
//! nothing behind.

use crate::common::{self, Outcome, clhls, entries, outcome, program, scratch, text};
use driver::{DONE, FAILED, USAGE};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel without instructions of its own.
const KERNEL_MODULE: &str = "
    OpCapability Kernel
    OpCapability Addresses
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %f \"f\"
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %ptr = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %ptr
    %one = OpConstant %uint 1
    %f = OpFunction %void None %type
    %p = OpFunctionParameter %ptr
    %entry = OpLabel
    OpStore %p %one Aligned 4
    OpReturn
    OpFunctionEnd
";

const SHADER: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %type = OpTypeFunction %void
    %main = OpFunction %void None %type
    %entry = OpLabel
    OpReturn
    OpFunctionEnd
";

/// A ballot, and a named barrier of eight sub-groups, of those work-items whose local id is below 8.
const NAMED_BARRIER_OF_SOME: &str = "
    OpCapability Kernel
    OpCapability Addresses
    OpCapability SubgroupDispatch
    OpCapability GroupNonUniformBallot
    OpCapability NamedBarrier
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"some\" %id
    %file = OpString \"some.cl\"
    OpDecorate %id BuiltIn SubgroupLocalInvocationId
    %void = OpTypeVoid
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %words = OpTypeVector %uint 4
    %input = OpTypePointer Input %uint
    %barrier = OpTypeNamedBarrier
    %type = OpTypeFunction %void
    %eight = OpConstant %uint 8
    %scope = OpConstant %uint 3
    %none = OpConstant %uint 0
    %id = OpVariable %input Input
    %k = OpFunction %void None %type
    %entry = OpLabel
    OpLine %file 3 9
    %own = OpLoad %uint %id
    %low = OpULessThan %bool %own %eight
    OpBranchConditional %low %then %end
    %then = OpLabel
    OpLine %file 4 20
    %v = OpGroupNonUniformBallot %words %scope %low
    %named = OpNamedBarrierInitialize %barrier %eight
    OpLine %file 5 7
    OpMemoryNamedBarrier %named %scope %none
    OpBranch %end
    %end = OpLabel
    OpReturn
    OpFunctionEnd
";

/// The same with a new barrier in each round of a loop.
const NAMED_BARRIERS_IN_A_LOOP: &str = "
    OpCapability Kernel
    OpCapability Addresses
    OpCapability SubgroupDispatch
    OpCapability GroupNonUniformBallot
    OpCapability NamedBarrier
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"loop\" %id
    %file = OpString \"loop.cl\"
    OpDecorate %id BuiltIn SubgroupLocalInvocationId
    %void = OpTypeVoid
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %words = OpTypeVector %uint 4
    %input = OpTypePointer Input %uint
    %barrier = OpTypeNamedBarrier
    %type = OpTypeFunction %void
    %eight = OpConstant %uint 8
    %scope = OpConstant %uint 3
    %none = OpConstant %uint 0
    %id = OpVariable %input Input
    %k = OpFunction %void None %type
    %entry = OpLabel
    OpBranch %head
    %head = OpLabel
    OpLine %file 3 9
    %own = OpLoad %uint %id
    %low = OpULessThan %bool %own %eight
    OpBranchConditional %low %then %next
    %then = OpLabel
    OpLine %file 4 20
    %v = OpGroupNonUniformBallot %words %scope %low
    OpLine %file 4 30
    %named = OpNamedBarrierInitialize %barrier %eight
    OpLine %file 5 7
    OpMemoryNamedBarrier %named %scope %none
    OpBranch %next
    %next = OpLabel
    OpBranchConditional %low %head %end
    %end = OpLabel
    OpReturn
    OpFunctionEnd
";

/// Assembles a module; the name says which.
fn assemble(folder: &Path, name: &str, assembly: &str) -> PathBuf {
    let (source, module) = (folder.join("module.spvasm"), folder.join(name));
    std::fs::write(&source, assembly).expect("written");
    let done = Command::new("spirv-as")
        .args(["--target-env", "spv1.4"])
        .arg(&source)
        .arg("-o")
        .arg(&module)
        .output();
    let done = done.expect("spirv-as of spirv-tools is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::remove_file(source).expect("removed");
    module
}

/// Refused with this code, naming `place`, saying what to do, with nothing on standard output.
#[track_caller]
fn refused(o: &Outcome, code: &str, place: &str) {
    assert_eq!((o.code, o.out.as_str()), (FAILED, ""), "{}", o.err);
    assert!(o.err.contains(&format!("error[{code}]")), "not {code}: {}", o.err);
    assert!(o.err.contains(place), "`{place}` is not in: {}", o.err);
}

#[track_caller]
fn refused_with_help(o: &Outcome, code: &str, place: &str) {
    refused(o, code, place);
    assert!(o.err.contains("  = help: "), "no remedy: {}", o.err);
}

/// What building and checking a module gives; the build must leave nothing.
fn check_and_build(module: &Path) -> [Outcome; 2] {
    let folder = module.parent().expect("in a folder");
    let before = entries(folder);
    let out = folder.join("out");
    let build = clhls(&["build", text(module), "--board", "unit", "-q", "-o", text(&out)]);
    assert_eq!(entries(folder), before, "something is left");
    [clhls(&["check", text(module)]), build]
}

#[test]
fn truncated_modules() {
    let dir = tempfile::tempdir().expect("scratch");
    let whole = assemble(dir.path(), "whole.spv", KERNEL_MODULE);
    assert_eq!(clhls(&["check", text(&whole)]).out, "kernel f(arg0: global buffer)\n");
    let bytes = std::fs::read(&whole).expect("there");
    for length in 0..bytes.len() {
        let cut = dir.path().join("cut.spv");
        std::fs::write(&cut, &bytes[..length]).expect("written");
        let o = clhls(&["check", text(&cut)]);
        assert_eq!(o.code, FAILED, "{length} of {} bytes: {}", bytes.len(), o.out);
        let place = o.err.contains("cut.spv");
        assert!(o.err.starts_with("error[E01") && place, "{length} bytes: {}", o.err);
        assert!(o.err.contains("  = help: "), "{length} bytes: {}", o.err);
    }
}

#[test]
fn corrupted_modules() {
    let dir = tempfile::tempdir().expect("scratch");
    let whole = assemble(dir.path(), "whole.spv", KERNEL_MODULE);
    let bytes = std::fs::read(&whole).expect("there");
    let bad = dir.path().join("bad.spv");
    let mut refusals = 0;
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            std::fs::write(&bad, &changed).expect("written");
            // some changes give another good module: never a defect, never a refusal without words
            let o = clhls(&["check", text(&bad)]);
            assert!([DONE, FAILED].contains(&o.code), "byte {at} ^ {flip:#x}: {}", o.err);
            assert_eq!(o.code == FAILED, o.err.starts_with("error["), "{}", o.err);
            refusals += u32::from(o.code == FAILED);
        }
    }
    assert!(refusals > 100, "only {refusals} of {} changes are refused", 3 * bytes.len());
    let swapped: Vec<u8> = bytes.chunks(4).flat_map(|w| w.iter().rev().copied()).collect();
    std::fs::write(&bad, swapped).expect("written");
    assert_eq!(clhls(&["check", text(&bad)]).code, DONE, "the other byte order is SPIR-V, too");
}

#[test]
fn modules_that_are_not_for_opencl() {
    let dir = tempfile::tempdir().expect("scratch");
    let shader = assemble(dir.path(), "shader.spv", SHADER);
    for o in check_and_build(&shader) {
        refused_with_help(&o, "E0108", "shader.spv");
        assert!(
            o.err.contains("GLSL450") && o.err.contains("Shaders are not accepted"),
            "{}",
            o.err
        );
    }
    let library = KERNEL_MODULE.replace("OpEntryPoint Kernel %f \"f\"", "");
    for o in check_and_build(&assemble(dir.path(), "library.spv", &library)) {
        refused_with_help(&o, "E0109", "library.spv");
    }
}

#[test]
fn constructs_that_are_not_supported_are_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let with = |name: &str, from: &str, to: &str| {
        assemble(dir.path(), name, &KERNEL_MODULE.replace(from, to))
    };
    // more than one sample a texel
    let samples = "%ptr = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly";
    let samples = KERNEL_MODULE
        .replace("%ptr = OpTypePointer CrossWorkgroup %uint", samples)
        .replace("OpCapability Addresses", "OpCapability Addresses\nOpCapability ImageBasic")
        .replace("OpStore %p %one Aligned 4", "");
    for (module, construct) in [
        (assemble(dir.path(), "samples.spv", &samples), "multi-sampled images"),
        (
            with("ext.spv", "OpMemoryModel", "OpExtension \"SPV_XYZ_what\"\nOpMemoryModel"),
            "SPV_XYZ_what",
        ),
    ] {
        for o in check_and_build(&module) {
            assert_eq!(o.code, FAILED, "{construct}");
            assert!(o.err.starts_with("error[E011") && o.err.contains(construct), "{}", o.err);
            assert!(o.err.contains("  = help: "), "{}", o.err);
        }
    }
    // values for them, given to a kernel that takes a buffer
    let (_dir, input) = scratch();
    for (value, what) in [
        ("image:r:uint8:zeros:u8[2,2]", "an image"),
        ("sampler:normalized,clamp,linear", "a sampler"),
        ("pipe:4:zeros:u32[0]", "a pipe"),
    ] {
        let arg = format!("io={value}");
        let o = clhls(&["run", text(&input), "--global", "1", "--arg", &arg]);
        refused(&o, "E0610", "argument 0 `io` (uint*)");
        assert!(o.err.contains(&format!("got {what}")), "{}", o.err);
    }
}

#[test]
fn files_that_are_no_kernels() {
    let (dir, _) = scratch();
    for (name, contents, code) in [
        ("absent.spv", None, "E0601"),
        ("absent.cl", None, "E0601"),
        ("absent.spvasm", None, "E0601"),
        ("notes.txt", Some(&b"hello"[..]), "E0602"),
        ("cut.spv", Some(&[3, 2, 35, 7, 0, 0][..]), "E0101"),
        ("latin.clir", Some(&[0xff, 0xfe][..]), "E0601"),
        ("empty.clir", Some(b""), "E0010"),
        ("wrong.spvasm", Some(b"what"), "E0604"),
        ("wrong.cl", Some(b"kernel void f(global int *a) { a[0] = b; }"), "E0604"),
    ] {
        let path = dir.path().join(name);
        if let Some(contents) = contents {
            std::fs::write(&path, contents).expect("written");
        }
        for o in check_and_build(&path) {
            refused(&o, code, if name == "wrong.spvasm" { "1: 1: " } else { name });
        }
    }
    let o = clhls(&["check", text(dir.path())]);
    refused_with_help(&o, "E0601", "directory");
}

#[test]
fn a_failed_build_changes_nothing() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let build = |kernel: &str| {
        clhls(&[
            "build",
            text(&input),
            "--board",
            "unit",
            "-q",
            "-o",
            text(&out),
            "--kernel",
            kernel,
        ])
    };
    refused_with_help(&build("thrice"), "E0300", "there is no kernel `thrice`");
    assert!(!out.exists());
    assert_eq!(build("twice").code, DONE);
    let before = common::files_below(&out);
    assert_eq!(build("thrice").code, FAILED);
    assert_eq!(common::files_below(&out), before);
    assert_eq!(entries(dir.path()), ["k.clir", "out"]);
}

#[test]
fn kernels_that_are_not_there() {
    let (dir, input) = scratch();
    let args = ["--global", "1", "--arg", "io=zeros:u32[4]", "--kernel", "thrice"];
    let run = |input: &Path| clhls(&[&["run", text(input)][..], &args].concat());
    refused_with_help(&run(&input), "E0607", "twice");
    let module = assemble(dir.path(), "m.spv", KERNEL_MODULE);
    refused_with_help(&run(&module), "E0109", "its kernels are: f");
    let out = dir.path().join("out");
    assert_eq!(
        clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&out)]).code,
        DONE
    );
    refused_with_help(&run(&out), "E0607", "it has: twice");
}

/// On every way to hardware and to the native emulator.
#[test]
fn named_barriers_that_are_made_in_a_loop() {
    let dir = tempfile::tempdir().expect("scratch");
    let module = assemble(dir.path(), "m.spv", NAMED_BARRIERS_IN_A_LOOP);
    let run = ["run", text(&module), "--device", "native", "--global", "8", "-q"];
    let out = dir.path().join("out");
    let build = ["build", text(&module), "--board", "unit", "-q", "-o", text(&out)];
    for args in [&["check", text(&module)][..], &build, &[&build[..], &["-O0"]].concat(), &run] {
        let o = clhls(args);
        for place in ["a named barrier", "loop.cl:4:30"] {
            refused_with_help(&o, "E0308", place);
        }
    }
    assert_eq!(entries(dir.path()), ["m.spv"]);
}

#[test]
fn named_barriers_that_too_few_sub_groups_come_to() {
    let dir = tempfile::tempdir().expect("scratch");
    let module = assemble(dir.path(), "m.spv", NAMED_BARRIER_OF_SOME);
    assert_eq!(clhls(&["check", text(&module)]).code, DONE);
    for device in ["emu", "native"] {
        let run = ["run", text(&module), "--device", device, "--global", "8", "-q"];
        refused_with_help(&clhls(&run), "E0510", "some.cl:5:7");
    }
}

#[test]
fn boards_clocks_and_numbers_that_are_not_possible() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let build = |options: &[&str]| {
        clhls(&[&["build", text(&input), "-q", "-o", text(&out)][..], options].concat())
    };
    for (options, code, place) in [
        (&[][..], "E0606", "--board with one of"),
        (&["--board", "u2500"], "E0606", "`u2500`"),
        (&["--board", "unit", "--board-dir", "/nonexistent"], "E0606", "/nonexistent"),
        (&["--board", "unit", "--clock", "0"], "E0606", "0 MHz"),
        (&["--board", "unit", "--clock", "-5"], "E0606", "-5 MHz"),
        (&["--board", "unit", "--clock", "nan"], "E0606", "NaN MHz"),
        (&["--board", "unit", "--without-pass", "nonsense"], "E0300", "`nonsense`"),
        (&["--board", "unit", "--simd", "3"], "E0307", "3 work-items"),
        (&["--board", "u250", "--memory-ports", "5"], "E0608", "--memory-ports 5"),
    ] {
        refused_with_help(&build(options), code, place);
    }
    for options in [
        &["--board", "unit", "--clock", "fast"][..],
        &["--board", "unit", "-O3"],
        &["--board", "unit", "--simd", "0"],
        &["--board", "unit", "--local-bytes", "0"],
        &["--board", "unit", "--local-bytes", "18446744073709551615"],
        &["--board", "unit", "--compute-units", "99"],
        &["--board", "unit", "--emit", "gds"],
        &["--board", "unit", "--scheduler", "lucky"],
        &["--board", "unit", "--cl-std", "CL9"],
    ] {
        assert_eq!(build(options).code, USAGE, "{options:?}");
    }
    assert_eq!(entries(dir.path()), ["k.clir"]);
}

#[test]
fn clocks_that_no_schedule_reaches() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("remainder.clir");
    let kernel = common::KERNEL.replace("add v5, v5", "urem v5, v5");
    std::fs::write(&input, kernel).expect("written");
    let build = |clock: &str| {
        let args =
            ["build", text(&input), "--emit", "schedule", "--board", "u250", "--clock", clock];
        clhls(&args)
    };
    assert_eq!(build("600").code, DONE);
    refused_with_help(&build("2000"), "E0606", "a clock of 2000 MHz is too fast: ");
}

#[test]
fn places_that_cannot_be_written() {
    let (dir, input) = scratch();
    let file = dir.path().join("file");
    std::fs::write(&file, "mine").expect("written");
    let foreign = dir.path().join("foreign");
    std::fs::create_dir(&foreign).expect("made");
    std::fs::write(foreign.join("thesis.txt"), "").expect("written");
    let before = common::files_below(dir.path());
    let below = file.join("out");
    // root may write everywhere, but nobody into a file or into /proc
    for out in [&file, &below, &foreign, Path::new("/proc/clhls/out"), Path::new("/proc/clhls")] {
        let o = clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(out)]);
        refused_with_help(&o, "E0605", text(out));
        assert!(!o.err.contains(".clhls-"), "names a scratch directory: {}", o.err);
    }
    let run = ["run", text(&input), "--global", "1", "--arg", "io=zeros:u32[4]", "-q"];
    for out in ["/proc/clhls/x.npy", &format!("{}/x.npy", file.display())] {
        let o = clhls(&[&run[..], &["--out", &format!("io={out}")]].concat());
        refused_with_help(&o, "E0601", out);
        assert!(!o.err.contains(".clhls-"), "names a scratch directory: {}", o.err);
    }
    for out in ["/proc/clhls", text(&below), text(&foreign)] {
        let o = clhls(&["build", text(&input), "--emit", "ir", "-o", out]);
        refused_with_help(&o, "E0601", out);
    }
    for dump in ["/proc/clhls", text(&file)] {
        let o = clhls(&["build", text(&input), "--emit", "ir", "--dump-dir", dump]);
        refused_with_help(&o, "E0601", dump);
    }
    assert_eq!(common::files_below(dir.path()), before);
}

#[test]
fn tools_that_are_not_installed() {
    let (dir, input) = scratch();
    let cl = dir.path().join("k.cl");
    std::fs::write(&cl, "kernel void f(global int *a) { a[0] = 1; }").expect("written");
    let assembly = dir.path().join("k.spvasm");
    std::fs::write(&assembly, KERNEL_MODULE).expect("written");
    let cache = dir.path().join("cache");
    let bare = |args: &[&str]| {
        let mut command = program();
        command.args(args).env("PATH", "").env("XDG_CACHE_HOME", &cache);
        outcome(&command.output().expect("ran"))
    };
    for (option, package) in
        [("", "clang-15 llvm-spirv-15"), ("clang-15", "clang-15"), ("clang-22", "clang-22")]
    {
        let compiler = ["--compiler", option];
        let compiler = if option.is_empty() { &[][..] } else { &compiler };
        let o = bare(&[&["check", text(&cl)], compiler].concat());
        refused_with_help(&o, "E0603", &format!("apt-get install {package}"));
    }
    let o = bare(&["check", text(&assembly)]);
    refused_with_help(&o, "E0603", "apt-get install spirv-tools");
    let run = ["--global", "1", "--arg", "io=zeros:u32[4]", "-q"];
    let o = bare(&[&["run", text(&input), "--device", "sim"], &run[..]].concat());
    refused(&o, "E0603", "verilator is not installed; on Debian: apt-get install verilator");
    // what needs no tool works
    assert_eq!(bare(&[&["run", text(&input)], &run[..]].concat()).code, DONE);
    let out = dir.path().join("out");
    assert_eq!(
        bare(&["build", text(&input), "--board", "u250", "-q", "-o", text(&out)]).code,
        DONE
    );
    assert_eq!(entries(dir.path()), ["k.cl", "k.clir", "k.spvasm", "out"]);
}

#[test]
fn directories_that_are_no_finished_build() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let manifest = out.join("manifest.json");
    let build = || clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&out)]);
    let run = || clhls(&["run", text(&out), "--global", "1", "--arg", "io=zeros:u32[4]", "-q"]);
    let report = || clhls(&["report", text(&out)]);
    refused_with_help(&report(), "E0611", "out");
    std::fs::create_dir(&out).expect("made");
    for o in [run(), report()] {
        refused_with_help(&o, "E0611", "out is not the output directory of a build");
    }
    assert_eq!(build().code, DONE);
    let good = std::fs::read_to_string(&manifest).expect("there");
    let version = good.lines().find(|l| l.contains("\"version\": ")).expect("a version");
    let cut = good[..good.len() / 2].to_owned();
    for (text, place) in [
        (good.replace(version, "  \"version\": 0,"), "format version 0"),
        (good.replace(version, "  \"version\": 999,"), "format version 999"),
        (good.replace(version, ""), "manifest.json"),
        (cut, "manifest.json"),
        (String::new(), "manifest.json"),
        ("[]".to_owned(), "manifest.json"),
        (good.replace("\"index\": 0", "\"index\": 7"), "argument"),
        (good.replace("\"lanes\": 1", "\"lanes\": 4294967295"), "4294967295 lanes"),
    ] {
        assert_ne!(text, good);
        std::fs::write(&manifest, text).expect("written");
        for o in [run(), report()] {
            refused_with_help(&o, "E0611", place);
        }
    }
    // such a directory is still ours, and a build mends it
    assert_eq!(build().code, DONE);
    assert_eq!(std::fs::read_to_string(&manifest).expect("there"), good);
    std::fs::remove_file(out.join("rtl/twice.v")).expect("there");
    refused_with_help(&run(), "E0611", "rtl/twice.v");
    std::fs::remove_dir_all(out.join("rtl")).expect("there");
    refused_with_help(&run(), "E0611", "rtl");
}
