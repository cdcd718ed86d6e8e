//! The generated host functions: every kind of argument lands in the registers that the layout names.

mod common;

use std::path::Path;
use std::process::Command;

use abi::{ArgKind, Manifest, ProgramMemory};
use common::{arg, kernel, manifest, rtl, text};
use target::Library;
use verilog_to_package::{PackOptions, pack};

/// `kernel void many(global float *y, constant int *new, char type, half h, local int *scratch, float3 v, struct s, long device)`
fn many() -> Manifest {
    let args = vec![
        arg(0, "y", "float*", ArgKind::GlobalPtr),
        // words of C++ and Rust, and a name that the generated function has itself
        arg(1, "new", "int*", ArgKind::ConstantPtr),
        arg(2, "type", "char", ArgKind::Scalar),
        arg(3, "h", "half", ArgKind::Scalar),
        arg(4, "scratch", "int*", ArgKind::LocalPtr),
        arg(5, "v", "float3", ArgKind::Scalar),
        arg(6, "s", "struct s", ArgKind::Scalar),
        arg(7, "device", "long", ArgKind::Scalar),
    ];
    let mut design = manifest("many", vec![kernel("many", args, "unit", 64)]);
    design.program_memory = Some(ProgramMemory {
        size: 20,
        align: 4,
        init: Some((1..=20).collect()),
        relocations: vec![],
        prints: None,
        enqueue: None,
    });
    design.kernels[0].lay_out(true).unwrap();
    design.verify().unwrap();
    design
}

/// What both programs must print: registers that are not 0, by hand from the layout rule.
const EXPECTED: &str = "\
010 55667788
014 11223344
028 000000fe
030 00003c00
038 3f800000
03c 40000000
040 40400000
04c 04030201
050 08070605
054 0c0b0a09
05c fffffffd
060 ffffffff
068 00000002
070 0000000c
078 00000005
080 00000001
088 00000004
090 00000005
098 00000001
0a0 00000003
0a8 00000001
0b0 00000001
0b8 00000007
0d0 0000abcd
000 00000001
many: scratch: at most 1024 bytes of local memory
many: built for 4 work-items at a time: the offset 7 and the local size 4 of dimension 0 must be multiples of that
";

fn generate(design: &Manifest) -> base::FileSet {
    let board = Library::builtin().board("unit").unwrap();
    pack(design, &rtl(&["many"]), &board, &PackOptions::default()).unwrap()
}

fn files(dir: &Path, main: &str, contents: &str) {
    common::write(&generate(&many()), dir);
    std::fs::write(dir.join("host").join(main), contents).unwrap();
}

fn output(command: &mut Command) -> String {
    let out = command.output().unwrap();
    assert!(
        out.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn c_arguments_land_in_their_registers() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), "main.c", include_str!("data/args_host.c"));
    let host = dir.path().join("host");
    output(
        Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "program"])
            .args(["main.c", "many.c"])
            .args(common::C_RUNTIME)
            .current_dir(&host),
    );
    assert_eq!(output(&mut Command::new(host.join("program"))), EXPECTED);
    // the headers serve C++ too
    std::fs::write(host.join("header.cpp"), "#include \"many.h\"\n").unwrap();
    output(
        Command::new("c++")
            .args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-c", "header.cpp"])
            .current_dir(&host),
    );
}

#[test]
fn rust_arguments_land_in_their_registers() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), "rust/main.rs", include_str!("data/args_host.rs"));
    let program = common::rust_program(&dir.path().join("host/rust"), "many");
    assert_eq!(output(&mut Command::new(program)), EXPECTED);
}

/// The examples compile without a warning, whatever the kernel's arguments, and the makefile builds the C one.
#[test]
fn examples_compile() {
    let dir = tempfile::tempdir().unwrap();
    let mut design = many();
    // the names of the runtime's files and of the example are taken
    for module in ["many", "example", "clhls_sim"] {
        design.module = module.to_owned();
        let dir = dir.path().join(module);
        common::write(&generate(&design), &dir);
        let host = dir.join("host");
        output(
            Command::new("make")
                .args(["-s", "CFLAGS=-O1 -Wpedantic -Werror -Wno-unused-function"])
                .current_dir(&host),
        );
        assert!(host.join("example").is_file());
        let example = host.join("rust/examples/example.rs");
        std::fs::copy(example, host.join("rust/main.rs")).unwrap();
        common::rust_program(&host.join("rust"), module);
    }
}

/// Both runtimes choose the same local sizes and refuse the same ranges with the same words and numbers.
#[test]
fn ranges_are_the_same_in_both_languages() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), "main.c", include_str!("data/ranges_host.c"));
    let host = dir.path().join("host");
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "program", "main.c", "many.c"];
    output(Command::new("cc").args(flags).args(common::C_RUNTIME).current_dir(&host));
    let in_c = output(&mut Command::new(host.join("program")));
    let rust = host.join("rust");
    std::fs::write(rust.join("main.rs"), include_str!("data/ranges_host.rs")).unwrap();
    let in_rust = output(&mut Command::new(common::rust_program(&rust, "many")));
    assert_eq!(in_c, in_rust);
    // by hand: 256 work-items at most, divisors in dimension 0 first; four lanes want multiples of four
    let expected = ["250 1 1", "10 25 1", "1 1 1", "100 1 1", "4 1 1"];
    let lines: Vec<&str> = in_c.lines().collect();
    assert_eq!(lines[..5], expected, "{in_c}");
    // 17 to 30 work-items: 25 divides 1000, 27 divides 54, none 37 = 20 + 17; 47 = 30 + 17, but 46 = 30 + 16
    let divided = ["25 1 1", "1 26 1", "2 2 7", "27 1 1", "20 1 1", "30 1 1"];
    let few: Vec<&str> = lines[11..].iter().copied().filter(|l| !l.starts_with('-')).collect();
    assert_eq!(few, divided, "{in_c}");
    assert!(in_c.contains("the local size 16 x 1 x 1 gives one of 16 work-items"), "{in_c}");
    let numbers = lines[5..].iter().filter(|l| l.starts_with('-'));
    let numbers: Vec<&str> = numbers.filter_map(|l| l.split(':').next()).collect();
    assert_eq!(
        numbers,
        ["-63", "-63", "-56", "-54", "-54", "-54", "-54", "-54", "-54", "-30"],
        "{in_c}"
    );
}

#[test]
fn program_scope_variables_are_in_the_generated_files() {
    let mut design = many();
    let files = generate(&design);
    assert!(text(&files, "host/many.c").contains(
        "program_memory[20] = {\n    1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,\n    17,18,19,20,\n};"
    ));
    design.program_memory.as_mut().unwrap().init = None;
    let files = generate(&design);
    assert!(text(&files, "host/many.c").contains("program_memory[20] = {0\n};"));
    assert!(text(&files, "host/rust/src/lib.rs").contains("PROGRAM_MEMORY: [u8; 20] = [0; 20\n];"));
}
