//! OpenCL C through either compiler.

use crate::common::{Outcome, clhls, outcome, program, text};
use driver::{DONE, FAILED};
use std::path::{Path, PathBuf};

const COMPILERS: [&str; 2] = ["clang-15", "clang-22"];

fn source(contents: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.cl");
    std::fs::write(&input, contents).expect("written");
    (dir, input)
}

#[test]
fn conversions_are_right() {
    let (_dir, input) = source(
        "kernel void f(global const uchar4 *a, global const char *b, global uint4 *wide, global int *low,
                       global char *clamped) {
           wide[0] = convert_uint4(a[0]);
           low[0] = convert_int(b[0]);
           clamped[0] = convert_char_sat(low[1]);
         }",
    );
    for compiler in COMPILERS {
        let args = ["run", text(&input), "-q", "--global", "1", "--compiler", compiler];
        let values = ["a=data:u8[4]:255,128,127,0", "b=data:i8[1]:-1", "wide=zeros:u32[4]"];
        let more = ["low=data:i32[2]:0,-200", "clamped=zeros:i8[1]"];
        let values = values.iter().chain(&more).flat_map(|v| ["--arg", v]);
        let o = clhls(&args.into_iter().chain(values).collect::<Vec<_>>());
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{compiler}");
        let buffers: Vec<&str> = o.out.lines().skip(1).collect();
        let expected = ["wide: u32[4] 255 128 127 0", "low: i32[2] -1 -200", "clamped: i8[1] -128"];
        assert_eq!(buffers, expected, "{compiler}");
    }
}

/// The header comes with the command; values by hand: 1 + 1/256 lies half way between two bfloat16,
/// in 1 + 255/65536 0x7f80 of 0x10000 are lost, which 0x8080 carry.
#[test]
fn header_of_conversions_is_found() {
    let (_dir, input) = source(
        "#include <clhls.h>
         kernel void f(global const float *a, global ushort *b) {
           b[0] = clhls_convert_bfloat16(a[0]);
           b[1] = clhls_convert_bfloat16_rhaz(a[0]);
           b[2] = clhls_convert_bfloat16_sr(a[1], 0x80800000u);
           b[3] = clhls_convert_bfloat16_sr(a[1], 0x807fffffu);
         }",
    );
    for compiler in COMPILERS {
        let args = ["run", text(&input), "-q", "--global", "1", "--compiler", compiler];
        let values = ["--arg", "a=data:f32[2]:1.00390625,1.0038909912109375", "--arg"];
        let o =
            clhls(&args.into_iter().chain(values).chain(["b=zeros:u16[4]"]).collect::<Vec<_>>());
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{compiler}");
        assert!(o.out.ends_with("b: u16[4] 16256 16257 16257 16256\n"), "{compiler}: {}", o.out);
    }
}

#[test]
fn functions_that_the_header_lacks_are_named_with_their_line() {
    let (_dir, input) = source(
        "ushort __attribute__((overloadable)) clhls_convert_bfloat16_odd(float x);
kernel void f(global float *a, global ushort *b) {
  b[0] = clhls_convert_bfloat16_odd(a[0]);
}",
    );
    let o = clhls(&["check", text(&input), "--compiler", "clang-15"]);
    assert!(o.err.contains("error[E0114]: `clhls_convert_bfloat16_odd` is no function of clhls.h"));
    assert!(o.err.contains("k.cl:3"), "{}", o.err);
}

#[test]
fn lines_and_types_where_the_compiler_gives_them() {
    let (dir, input) = source("kernel void f(global short *a, uint4 v) {\n  a[0] = v.x;\n}\n");
    let check = |compiler| clhls(&["check", text(&input), "--compiler", compiler]).out;
    assert_eq!(check("clang-15"), "kernel f(a: short*, v: uint4)\n");
    assert_eq!(check("clang-22"), "kernel f(a: global buffer, v: u32x4)\n");
    assert_eq!(clhls(&["check", text(&input)]).out, check("clang-15"), "the default");
    let out = dir.path().join("out");
    assert_eq!(
        clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&out)]).code,
        DONE
    );
    let report = clhls(&["report", text(&out)]).out;
    assert!(report.contains("store of 2 bytes, m_axi_gmem0 at k.cl:2:8\n"), "{report}");
}

#[test]
fn what_the_translator_refuses_goes_to_the_other_compiler() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbenches/kernels");
    let input = kernels.join("monte_carlo/kernel.cl");
    let o = clhls(&["check", text(&input)]);
    assert_eq!(o.code, DONE);
    assert!(
        o.err.starts_with("warning[W0609]: ") && o.err.contains("--compiler clang-15"),
        "{}",
        o.err
    );
    // nothing is promised: there is code that it refuses at every level
    assert!(
        o.err.contains("tries less optimisation; where the translator takes that"),
        "{}",
        o.err
    );
    // asked for, it is compiled unoptimised, with lines
    let o = clhls(&["check", text(&input), "--compiler", "clang-15"]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(o.out.contains("kernel pi_points(seeds: uint*, "), "{}", o.out);
}

/// llvm-spirv-15 has no freeze, which clang-15 puts in front of a quotient and a remainder of the same.
#[test]
fn freezes_do_not_go_to_the_other_compiler() {
    let text_of = "kernel void f(global int *a, global const int *at, int n, int w) {\n  for (int i = 0; i < n; i++) {\n    int r = i / w, c = i % w;\n    a[at[r]] += c;\n  }\n}\n";
    let (_dir, input) = source(text_of);
    let o = clhls(&["check", text(&input)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert_eq!(o.out, "kernel f(a: int*, at: int*, n: int, w: int)\n");
}

/// Vendors' compilers take variables at program scope that are not constant from sources without a version.
#[test]
fn variables_at_program_scope_are_of_a_newer_version() {
    let (_dir, input) = source(
        "const int table[2] = {3, 4};\nkernel void f(global int *a) { a[0] = table[a[1] & 1]; }\n",
    );
    for compiler in ["clang-15", "clang-22"] {
        let o = clhls(&["check", text(&input), "--compiler", compiler]);
        assert_eq!(o.code, DONE, "{compiler}: {}", o.err);
        assert!(
            o.err.starts_with("warning[W0618]: ") && o.err.contains("--cl-std CL2.0"),
            "{}",
            o.err
        );
        let o = clhls(&["check", text(&input), "--compiler", compiler, "--cl-std", "CL2.0"]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{compiler}");
        let o = clhls(&["check", text(&input), "--compiler", compiler, "--cl-std", "CL1.2"]);
        assert!(o.code == FAILED && o.err.contains("E0604"), "{compiler}: {}", o.err);
    }
    // what is wrong besides is told as it is
    let (_dir, input) =
        source("const int table[2] = {3, 4};\nkernel void f(global int *a) { a[0] = b; }\n");
    let o = clhls(&["check", text(&input)]);
    assert!(o.code == FAILED && o.err.contains("undeclared identifier 'b'"), "{}", o.err);
}

/// With nothing but some tools on the PATH.
fn with_tools(tools: &[&str], args: &[&str]) -> Outcome {
    let bin = tempfile::tempdir().expect("scratch");
    for tool in tools {
        let path = std::env::var_os("PATH").expect("set");
        let real = std::env::split_paths(&path).map(|f| f.join(tool)).find(|p| p.exists());
        let real = real.unwrap_or_else(|| panic!("{tool} is installed"));
        std::os::unix::fs::symlink(real, bin.path().join(tool)).expect("made");
    }
    outcome(&program().args(args).env("PATH", bin.path()).output().expect("ran"))
}

#[test]
fn the_compiler_that_is_installed_is_taken() {
    let (_dir, input) = source("kernel void f(global int *a) { a[0] = 1; }");
    let check = ["check", text(&input)];
    let old = with_tools(&["clang-15", "llvm-spirv-15"], &check);
    assert_eq!((old.out.as_str(), old.err.as_str()), ("kernel f(a: int*)\n", ""));
    for tools in [&["clang-22"][..], &["clang-22", "clang-15"]] {
        let new = with_tools(tools, &check);
        assert_eq!((new.out.as_str(), new.err.as_str()), ("kernel f(a: global buffer)\n", ""));
    }
    let half = with_tools(&["clang-15"], &check);
    assert!(half.err.starts_with("error[E0603]: no compiler of OpenCL C"), "{}", half.err);
    let half = with_tools(&["clang-15"], &[&check[..], &["--compiler", "clang-15"]].concat());
    assert!(half.err.starts_with("error[E0603]: llvm-spirv-15 is not installed"), "{}", half.err);
}

#[test]
fn options_and_warnings_pass() {
    let (dir, input) =
        source("#include \"n.h\"\nkernel void f(global int *a) { int unused; a[0] = N + M; }");
    let folder = dir.path().join("include");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("n.h"), "#define N 3\n").expect("written");
    let include = format!("--clang=-I{}", folder.display());
    for compiler in COMPILERS {
        let args = ["run", text(&input), "-q", "--global", "1", "--arg", "a=zeros:i32[1]"];
        let options = [&include, "--clang=-DM=4", "--clang=-Wall", "--compiler", compiler];
        let o = clhls(&[&args[..], &options].concat());
        assert_eq!(
            (o.code, o.out.as_str()),
            (DONE, "f on emu: 1 work-item\na: i32[1] 7\n"),
            "{}",
            o.err
        );
        assert!(o.err.contains("k.cl:2:36: warning: unused variable"), "{compiler}: {}", o.err);
    }
    // a file whose name looks like an option
    let dash = dir.path().join("-v.cl");
    std::fs::write(dash, "kernel void f(global int *a) { a[0] = 1; }").expect("written");
    for compiler in COMPILERS {
        let mut command = program();
        command.args(["check", "--compiler", compiler, "--", "-v.cl"]).current_dir(dir.path());
        let o = outcome(&command.output().expect("ran"));
        assert!(o.code == DONE && o.out.starts_with("kernel f("), "{compiler}: {}", o.err);
    }
}

/// Options of OpenCL C that the producers leave out of the module, under their names there and here.
#[test]
fn options_about_numbers_are_acted_upon() {
    let (_dir, input) = source(
        "kernel void f(global float *a, global const float *b) {
           a[0] = a[0] * b[0];
           a[1] = a[1] / b[1];
           a[2] = exp(b[2]);
         }",
    );
    let cases: [(&[&str], [&str; 3]); 6] = [
        (&[], ["fmul", "fdiv", "math.exp"]),
        (&["--denorms-are-zero"], ["fmul.ftz", "fdiv.ftz", "math.exp"]),
        (&["--clang=-cl-denorms-are-zero"], ["fmul.ftz", "fdiv.ftz", "math.exp"]),
        (&["--unsafe-math"], ["fmul", "math.native_divide", "math.native_exp"]),
        (&["--clang=-cl-fast-relaxed-math"], ["fmul", "math.native_divide", "math.native_exp"]),
        (&["--clang=-cl-finite-math-only"], ["fmul", "fdiv", "math.exp"]),
    ];
    for compiler in COMPILERS {
        for (options, expected) in cases {
            let args = ["build", text(&input), "-q", "--emit", "ir", "--compiler", compiler];
            let o = clhls(&args.into_iter().chain(options.iter().copied()).collect::<Vec<_>>());
            assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{compiler} {options:?}");
            let operations = o.out.lines().filter_map(|line| line.split_once(":f32 = "));
            let operations = operations.filter_map(|(_, text)| text.split(' ').next());
            let float = |o: &&str| o.starts_with('f') || o.starts_with("math.");
            let found: Vec<&str> = operations.filter(float).collect();
            assert_eq!(found, expected, "{compiler} {options:?}");
        }
    }
}

/// The text was made by the C library, but for vectors.
const PRINTED: &str = "[   -7] [-7   ] [-0007] [ff] [0XFF] [0377] [1.50] [1.500000e+00] [0x1.8p+0] [x]\n\
                       [1,-2,3] [0.5,0.25] literal [  lit]\n\
                       chosen\n\
                       other 50%\n";

#[test]
fn kernels_print() {
    let (_dir, input) = source(
        r#"kernel void f(global const int *a, global int *given) {
             int i = a[0];
             given[0] = printf("[%5d] [%-5d] [%05d] [%x] [%#X] [%#o] [%.2f] [%e] [%a] [%c]\n", -i, -i, -i, a[1], a[1], a[1],
                               1.5f, 1.5f, 1.5f, 'x');
             printf("[%v3hhd] [%v2hlg] %s [%5.3s]\n", (char3)(1, -2, 3), (float2)(0.5f, 0.25f), "literal", "literal");
             for (int k = 0; k < 2; k++)
               printf("%s%s\n", a[k] == 7 ? "chosen" : "other", k ? " 50%" : "");
           }"#,
    );
    for compiler in COMPILERS {
        for device in ["emu", "native"] {
            let args = ["run", text(&input), "-q", "--global", "1", "--compiler", compiler];
            let values = ["--arg", "a=data:i32[2]:7,255", "--arg", "given=fill:i32[1]:5"];
            let all = [&args[..], &values, &["--device", device]].concat();
            let o = clhls(&all);
            assert_eq!(o.code, DONE, "{compiler}: {}", o.err);
            let rest = o.out.strip_prefix(PRINTED);
            let rest = rest.unwrap_or_else(|| panic!("{compiler}, {device}:\n{}", o.out));
            assert!(rest.ends_with("given: i32[1] 0\n"), "{compiler}: {rest}");
            let json = clhls(&[&all[..], &["--json"]].concat());
            let value: serde_json::Value = serde_json::from_str(&json.out).expect("one object");
            assert_eq!(value["printed"], PRINTED, "{compiler}, {device}");
        }
    }
}

/// A record takes 72 bytes: the number of its format, 16 elements of 4 bytes, and 4 bytes to the next multiple of 8.
#[test]
fn what_does_not_fit_the_buffer_of_printf_is_told() {
    let (_dir, input) = source(
        "kernel void f(global int *given) {
           int sum = 0;
           for (int k = 0; k < 16; k++) sum -= printf(\"%v16hlx\\n\", (uint16)(k));
           given[get_global_id(0)] = sum;
         }",
    );
    let args =
        ["run", text(&input), "--global", "1000", "--local", "1", "--arg", "given=zeros:i32[1000]"];
    let o = clhls(&args);
    assert_eq!(o.code, DONE, "{}", o.err);
    let records = (abi::print::BUFFER_BYTES - abi::print::RECORDS) / 72;
    let lines = o.out.lines().filter(|l| l.contains(',')).count() as u64;
    assert_eq!(lines, records);
    let lost = 72 * (16_000 - records);
    assert!(o.err.contains(&format!("{lost} bytes of records are lost")), "{}", o.err);
}
