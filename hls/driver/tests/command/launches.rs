//! `clhls run`: every form of value, every option, and launches that are refused.

use crate::common::{self, Outcome, clhls, entries, scratch, text};
use driver::{DONE, FAILED, USAGE};
use std::path::PathBuf;

/// Kernels that copy their arguments, so that what arrived can be seen.
const COPIES: &str = r#"module "copies" addr 64 cl 120

kernel f0 "ints" {
  arg 0 "c" "char" i8 size 1 align 1
  arg 1 "i" "int" i32 size 4 align 4
  arg 2 "l" "long" i64 size 8 align 8
  arg 3 "out" "long*" global size 8 align 8
b0:
  v0:i8 = arg 0
  v1:i32 = arg 1
  v2:i64 = arg 2
  v3:ptr.global = arg 3
  v4:i64 = sext v0
  v5:i64 = sext v1
  v6:i64 = const 8
  v7:i64 = const 16
  v8:ptr.global = ptradd v3, v6
  v9:ptr.global = ptradd v3, v7
  e0 = store v3, v4 align 8
  e1 = store v8, v5 align 8 after e0
  e2 = store v9, v2 align 8 after e1
  ret
}

kernel f1 "floats" {
  arg 0 "f" "float" f32 size 4 align 4
  arg 1 "d" "double" f64 size 8 align 8
  arg 2 "of" "float*" global size 8 align 4
  arg 3 "od" "double*" global size 8 align 8
b0:
  v0:f32 = arg 0
  v1:f64 = arg 1
  v2:ptr.global = arg 2
  v3:ptr.global = arg 3
  e0 = store v2, v0 align 4
  e1 = store v3, v1 align 8
  ret
}

kernel f2 "vector" {
  arg 0 "v" "short4" v4i16 size 8 align 8
  arg 1 "out" "short*" global size 8 align 2
b0:
  v0:v4i16 = arg 0
  v1:ptr.global = arg 1
  e0 = store v1, v0 align 2
  ret
}

kernel f3 "nameless" {
  arg 0 "" "" i32 size 4 align 4
  arg 1 "" "" global size 8 align 4
b0:
  v0:i32 = arg 0
  v1:ptr.global = arg 1
  e0 = store v1, v0 align 4
  ret
}

kernel f4 "first" {
  arg 0 "in" "uint" pipe read 4 size 16 align 8
  arg 1 "out" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 0 offset 8
  v2:ptr.global = arg 1
  v3:i64 = const 128
  v4:ptr.global = ptradd v0, v3
  e0 v5:i32 = load v4 align 4
  v6:i64 = const 4
  v7:ptr.global = ptradd v2, v6
  e1 = store v2, v1 align 4 after e0
  e2 = store v7, v5 align 4 after e1
  ret
}
"#;

fn copies() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("copies.clir");
    std::fs::write(&input, COPIES).expect("written");
    (dir, input)
}

/// Runs a kernel of [`COPIES`] on one work-item.
fn copy(kernel: &str, args: &[&str]) -> Outcome {
    let (_dir, input) = copies();
    let mut line = vec!["run", text(&input), "-q", "--global", "1", "--kernel", kernel];
    line.extend(args.iter().flat_map(|a| ["--arg", a]));
    clhls(&line)
}

/// What a kernel of [`COPIES`] wrote, as `run` prints it.
#[track_caller]
fn shown(kernel: &str, args: &[&str]) -> Vec<String> {
    let o = copy(kernel, args);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    o.out.lines().skip(1).map(str::to_owned).collect()
}

/// Runs the kernel of [`common::KERNEL`], which doubles `io`, on three work-items.
fn twice(options: &[&str]) -> Outcome {
    let (_dir, input) = scratch();
    clhls(&[&["run", text(&input), "-q", "--global", "3"][..], options].concat())
}

#[test]
fn scalars_of_all_types() {
    let ints = |c: &str, i: &str, l: &str| {
        shown(
            "ints",
            &[&format!("c={c}"), &format!("i={i}"), &format!("l={l}"), "out=zeros:i64[3]"],
        )
    };
    assert_eq!(
        ints("-1", "-2147483648", "9223372036854775807"),
        ["out: i64[3] -1 -2147483648 9223372036854775807"]
    );
    // a bit pattern of the type's width: 200 is -56 as a char
    assert_eq!(ints("200", "0xffffffff", "0x10"), ["out: i64[3] -56 -1 16"]);
    assert_eq!(
        ints("bytes:7f", "bytes:01000000", "bytes:0000000000000080"),
        ["out: i64[3] 127 1 -9223372036854775808"]
    );
    let floats = |f: &str, d: &str| {
        shown(
            "floats",
            &[&format!("f={f}"), &format!("d={d}"), "of=zeros:f32[1]", "od=zeros:f64[1]"],
        )
    };
    assert_eq!(floats("1.5", "-2.5e-3"), ["of: f32[1] 1.5", "od: f64[1] -0.0025"]);
    assert_eq!(floats("3", "inf"), ["of: f32[1] 3", "od: f64[1] inf"]);
    assert_eq!(floats("-nan", "0x10"), ["of: f32[1] NaN", "od: f64[1] 16"]);
    assert_eq!(
        shown("vector", &["v=1,-2,3,0x7fff", "out=zeros:i16[4]"]),
        ["out: i16[4] 1 -2 3 32767"]
    );
    assert_eq!(
        shown("vector", &["v=bytes:0100feff03000400", "out=zeros:i16[4]"]),
        ["out: i16[4] 1 -2 3 4"]
    );
}

#[test]
fn pipes() {
    // the most packets, and the packet in the first slot
    assert_eq!(
        shown("first", &["in=pipe:5:data:u32[2]:7,8", "out=zeros:u32[2]"]),
        ["out: u32[2] 5 7"]
    );
    for (value, problem) in [
        ("pipe:5:zeros:u16[0]", "expected a pipe with packets of 4 bytes, got one of 2"),
        ("zeros:u32[4]", "expected a pipe (`pipe:CAPACITY:VALUE`), got a buffer of u32"),
        ("pipe:p", "names of pipes are those of a launch file"),
        ("pipe:1:zeros:u32[2]", "a pipe for 1 packets cannot hold 2"),
        ("pipe:0:zeros:u32[0]", "not 0 of 4"),
        ("pipe:4:7", "expected the packets as a buffer"),
    ] {
        let o = copy("first", &[&format!("in={value}"), "out=zeros:u32[2]"]);
        assert_eq!(o.code, FAILED, "{value}");
        assert!(o.err.starts_with("error[E0610]") && o.err.contains(problem), "{}", o.err);
    }
}

#[test]
fn arguments_by_number() {
    assert_eq!(shown("nameless", &["0=7", "1=zeros:u32[1]"]), ["arg1: u32[1] 7"]);
    assert_eq!(shown("nameless", &["arg0=-1", "arg1=zeros:i32[1]"]), ["arg1: i32[1] -1"]);
    assert_eq!(shown("vector", &["1=zeros:i16[4]", "0=1,2,3,4"]), ["out: i16[4] 1 2 3 4"]);
}

#[test]
fn arguments_of_equal_names_are_told_apart() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("k.clir"), dir.path().join("out"));
    // the second and fourth argument of `ints` get the names of those before them
    let kernel = COPIES.replace("arg 1 \"i\"", "arg 1 \"c\"").replace("\"l\"", "\"\"");
    let kernel = kernel.replace("arg 3 \"out\" \"long*\"", "arg 3 \"arg2\" \"long*\"");
    std::fs::write(&input, kernel).expect("written");
    let check = clhls(&["check", text(&input)]).out;
    assert!(
        check.starts_with("kernel ints(c: char, c_: int, arg2: long, arg2_: long*)\n"),
        "{check}"
    );
    let args = ["--arg", "c=1", "--arg", "c_=2", "--arg", "2=3", "--arg", "arg2_=zeros:i64[3]"];
    let run = ["run", text(&input), "-q", "--global", "1", "--kernel", "ints"];
    assert_eq!(
        clhls(&[&run[..], &args].concat()).out,
        "ints on emu: 1 work-item\narg2_: i64[3] 1 2 3\n"
    );
    assert_eq!(
        clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&out)]).code,
        DONE
    );
    let report = clhls(&["report", text(&out)]);
    assert!(report.out.contains("argument 3 arg2_ (long*)"), "{}{}", report.out, report.err);
}

#[test]
fn buffers_of_all_forms() {
    for (value, result) in [
        ("zeros:u32[3]", "u32[3] 0 0 0"),
        ("fill:i32[3]:-2", "i32[3] -4 -4 -4"),
        ("iota:i32[3]", "i32[3] 0 2 4"),
        ("iota:u32[2,2]", "u32[2,2] 0 2 4 3"),
        ("data:i32[3]:1,-2,0x10", "i32[3] 2 -4 32"),
        // docs/launches.md gives these elements: 75, 84, 71 and 67
        ("rand:u8[12]:5:65..66", "u8[12] 130 130 130 130 130 130 130 130 ..."),
        // and these: -3, 5, -6
        ("rand:i32[3]:5:-10..10", "i32[3] -6 10 -12"),
        ("bytes:010000000200000003000000", "u8[12] 2 0 0 0 4 0 0 0 ..."),
    ] {
        let o = twice(&["--arg", &format!("io={value}")]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{value}");
        assert_eq!(o.out, format!("twice on emu: 3 work-items\nio: {result}\n"), "{value}");
    }
}

/// A NumPy file, version 1.0 of the format.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    header.extend(std::iter::repeat_n(' ', 63 - (10 + header.len()) % 64));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

#[test]
fn numpy_files_keep_type_and_shape() {
    let (dir, input) = scratch();
    let (from, to) = (dir.path().join("from.npy"), dir.path().join("to.npy"));
    let data: Vec<u8> = [1i32, -2, 3, 4, 5, 6].iter().flat_map(|n| n.to_le_bytes()).collect();
    std::fs::write(&from, npy("<i4", "(2, 3)", &data)).expect("written");
    let (arg, out) = (format!("io=@{}", from.display()), format!("io={}", to.display()));
    let line = ["run", text(&input), "-q", "--global", "6", "--arg", &arg, "--out", &out];
    let o = clhls(&line);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert_eq!(o.out, "twice on emu: 6 work-items\nio: i32[2,3] 2 -4 6 8 10 12\n");
    let doubled: Vec<u8> = [2i32, -4, 6, 8, 10, 12].iter().flat_map(|n| n.to_le_bytes()).collect();
    let written = std::fs::read(&to).expect("written");
    let header = String::from_utf8_lossy(&written[10..written.len() - doubled.len()]).into_owned();
    assert!(header.contains("'descr': '<i4'") && header.contains("'shape': (2, 3"), "{header}");
    assert!(written.ends_with(&doubled));
    // what is there is replaced, and nothing else is left
    assert_eq!(clhls(&line).code, DONE);
    assert_eq!(entries(dir.path()), ["from.npy", "k.clir", "to.npy"]);
    for (contents, problem) in [
        (b"junk".to_vec(), "not a NumPy file"),
        (npy("<i4", "(2, 3)", &data[1..]), "23 bytes of data, the shape needs 24"),
        (npy("<i4", "(4294967296, 4294967296)", &data), "the shape is too large"),
        (npy("<c8", "(3,)", &data), "dtype '<c8' is not supported"),
        (npy(">i4", "(6,)", &data), "dtype '>i4' is not supported"),
        (npy("<f4", "(6,)", &data), "expected a buffer of u32, got one of f32"),
    ] {
        std::fs::write(&from, contents).expect("written");
        let o = clhls(&line);
        assert_eq!(o.code, FAILED, "{problem}");
        assert!(o.err.contains("error[E0610]") && o.err.contains(problem), "{problem}: {}", o.err);
    }
}

#[test]
fn arguments_that_are_wrong_are_named() {
    for (args, problem) in [
        (&[][..], "argument 0 `io` (uint*) of kernel `twice` is missing"),
        (&["io=zeros:u32[3]", "io=zeros:u32[3]"], "`io` (uint*) of kernel `twice` is given twice"),
        (&["io=zeros:u32[3]", "0=zeros:u32[3]"], "`io` (uint*) of kernel `twice` is given twice"),
        (&["oi=zeros:u32[3]"], "kernel `twice` has no argument `oi`; it has `io` (uint*)"),
        (&["1=zeros:u32[3]"], "kernel `twice` has no argument `1`"),
        (&["io=5"], "expected a buffer (`@FILE.npy`, `zeros:u32[N]`, ...), got the number 5"),
        (&["io=local:64"], "got a local memory size"),
        (&["io=zeros:f32[3]"], "expected a buffer of u32, got one of f32"),
        (&["io=zeros:u16[6]"], "expected a buffer of u32, got one of u16"),
        (&["io=zeros:u32[0]"], "argument 0 `io` (uint*) of kernel `twice`: a buffer of 0 bytes"),
        (&["io=zeros:u32"], "--arg io: `zeros:u32`: expected a type and a shape"),
        (&["io=zeros:x32[3]"], "unknown element type `x32`"),
        (&["io=zeros:u32[3]:7"], "nothing may follow the shape"),
        (&["io=rand:u32[3]"], "the seed must follow the shape"),
        (&["io=rand:u32[3]:1:5..5"], "the range 5..5 is empty"),
        (&["io=data:u32[3]:1,2"], "2 numbers for 3 elements"),
        (&["io=data:u32[1]:4294967296"], "4294967296 does not fit u32"),
        (&["io=bytes:123"], "expected pairs of hexadecimal digits"),
        (&["io=@nowhere.npy"], "--arg io: nowhere.npy: No such file"),
        (&["io=@notes.txt"], "expected a .npy or .png file"),
        (&["io=what"], "--arg io: `what` is not a number"),
        (&["io=ones:u32[3]"], "`ones:` is not a form of value"),
        (&["io=zeros:u32[9999999999999999]"], "no memory for"),
    ] {
        let line: Vec<&str> = args.iter().flat_map(|a| ["--arg", a]).collect();
        let o = twice(&line);
        assert_eq!((o.code, o.out.as_str()), (FAILED, ""), "{args:?}");
        assert!(
            o.err.starts_with("error[E0610]: ") && o.err.contains(problem),
            "{problem}: {}",
            o.err
        );
    }
    for (kernel, args, problem) in [
        ("ints", &["c=256", "i=0", "l=0", "out=zeros:i64[3]"][..], "256 does not fit i8"),
        ("ints", &["c=1.5", "i=0", "l=0", "out=zeros:i64[3]"], "`1.5` is not an integer"),
        (
            "ints",
            &["c=1,2", "i=0", "l=0", "out=zeros:i64[3]"],
            "expected a number (i8), got 2 numbers",
        ),
        ("ints", &["c=1", "i=bytes:0102", "l=0", "out=zeros:i64[3]"], "expected 4 bytes, got 2"),
        ("vector", &["v=1,2,3", "out=zeros:i16[4]"], "expected 4 numbers (i16)"),
        ("vector", &["v=zeros:i16[4]", "out=zeros:i16[4]"], "got a buffer of i16"),
        (
            "nameless",
            &["1=zeros:i32[1]"],
            "argument 0 `arg0` (u32) of kernel `nameless` is missing",
        ),
    ] {
        let o = copy(kernel, args);
        assert_eq!(o.code, FAILED, "{args:?}");
        assert!(
            o.err.starts_with("error[E0610]: ") && o.err.contains(problem),
            "{problem}: {}",
            o.err
        );
    }
    assert_eq!(twice(&["--arg", "io"]).code, USAGE);
}

#[test]
fn sizes_that_are_not_possible_are_named() {
    let (dir, input) = scratch();
    let later = dir.path().join("later.clir");
    std::fs::write(&later, common::KERNEL.replace("cl 120", "cl 200")).expect("written");
    let run = |input: &std::path::Path, sizes: &[&str]| {
        let args = ["run", text(input), "-q", "--arg", "io=iota:u32[12]"];
        clhls(&[&args[..], sizes].concat())
    };
    for (sizes, problem) in [
        (&["--global", "0"][..], "global size 0 in dimension 0: must be 1 to 4294967295"),
        (&["--global", "4,0"], "global size 0 in dimension 1"),
        (&["--global", "4294967296"], "global size 4294967296 in dimension 0"),
        (&["--global", "12", "--local", "0"], "local size [0] has a zero"),
        (&["--global", "12", "--local", "5"], "local size 5 does not divide the global size 12"),
        (&["--global", "12", "--local", "1,1"], "the local size has 2 dimensions"),
        (&["--global", "512", "--local", "512"], "512 work-items, kernel `twice` allows 256"),
        (&["--global", "4,4", "--local", "4294967296,4294967296"], "more than 2^64 work-items"),
        (&["--global", "12", "--offset", "4294967295"], "global ids have 32 bits"),
        (&["--global", "12", "--offset", "0,0"], "the global offset has 2 dimensions"),
    ] {
        let o = run(&input, sizes);
        assert_eq!((o.code, o.out.as_str()), (FAILED, ""), "{sizes:?}");
        assert!(
            o.err.starts_with("error[E0610]: ") && o.err.contains(problem),
            "{problem}: {}",
            o.err
        );
    }
    // OpenCL 2.0 allows smaller groups at the end
    assert_eq!(run(&later, &["--global", "12", "--local", "5"]).code, DONE);
    for sizes in ["", "x", "-4", "1,1,1,1", "4,", "1.5", "99999999999999999999"] {
        let o = run(&input, &["--global", sizes]);
        assert_eq!(o.code, USAGE, "{sizes}");
    }
    assert_eq!(run(&input, &[]).code, USAGE);
}

#[test]
fn options_of_the_other_device_are_refused() {
    let arg = ["--arg", "io=zeros:u32[3]"];
    for option in [
        &["--trace", "x.fst"][..],
        &["--profile"],
        &["--mem-latency", "5"],
        &["--stall-rate", "0.5"],
        &["--step-limit", "5", "--device", "sim"],
    ] {
        let o = twice(&[&arg[..], option].concat());
        assert_eq!(o.code, FAILED, "{option:?}");
        assert!(
            o.err.starts_with(&format!("error[E0613]: {} does nothing", option[0])),
            "{}",
            o.err
        );
    }
    for rate in ["1", "-0.5", "nan", "2"] {
        let o = twice(&[&arg[..], &["--device", "sim", "--stall-rate", rate]].concat());
        assert_eq!(o.code, FAILED, "{rate}");
        assert!(o.err.contains("error[E0613]: --stall-rate"), "{}", o.err);
    }
    for out in ["io=x.txt", "oi=x.npy"] {
        let o = twice(&[&arg[..], &["--out", out]].concat());
        assert_eq!(o.code, FAILED, "{out}");
        assert!(o.err.contains("error[E0613]: --out"), "{}", o.err);
    }
    let o = twice(&[&arg[..], &["--step-limit", "5"]].concat());
    assert!(o.err.contains("error[E0511]"), "{}", o.err);
    assert_eq!(twice(&[&arg[..], &["--seed", "7", "--step-limit", "50"]].concat()).code, DONE);
    assert_eq!(twice(&[&arg[..], &["--device", "xrt"]].concat()).code, USAGE);
}
