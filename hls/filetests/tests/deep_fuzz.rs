//! The deep fuzz target on a few cases; `make fuzz-deep` runs many.

use filetests::deep_fuzz::{Outcome, check, compare};
use filetests::testbenches;

#[test]
fn mutated_modules_are_built_or_refused() {
    let board = target::Library::builtin().board("u250").expect("built in");
    let folder = testbenches().join("filetests/spirv-to-ir");
    let (mut built, mut compared) = (0, 0);
    for name in ["producers/memory.clang-22.spv", "producers/overview.clang-22.spv", "floats.spv"] {
        let bytes = std::fs::read(folder.join(name)).expect("a fixture");
        for seed in 0..80 {
            let case = spirv_to_ir::fuzzing::mutate(&bytes, seed);
            let outcome =
                check(&case, &board).unwrap_or_else(|e| panic!("{name} seed {seed}: {e}"));
            if let Outcome::Built { compared: n } = outcome {
                (built, compared) = (built + 1, compared + n);
            }
        }
    }
    assert!(built > 5 && compared > 5, "{built} built, {compared} compared");
}

fn kernel(body: &str) -> ir::Module {
    let text = format!(
        "module \"m\" addr 64 cl 120\n\nkernel f0 \"k\" {{\n  arg 0 \"a\" \"int*\" global size 8 align 4\n\
         b0:\n  v0:ptr.global = arg 0\n{body}}}\n"
    );
    let module = ir::parse::parse_module(&text).expect("IR");
    ir::verify::verify_module(&module).expect("valid");
    module
}

fn store(value: u32) -> ir::Module {
    kernel(&format!("  v1:i32 = const {value}\n  e0 = store v0, v1 align 4\n  ret\n"))
}

const BEYOND: &str = "  v1:i64 = const 9999999\n  v2:ptr.global = ptradd v0, v1\n  v3:i32 = const 1\n  \
                      e0 = store v2, v3 align 1\n  ret\n";

#[test]
fn wrong_results_and_new_errors_are_seen() {
    assert_eq!(compare(&store(5), &store(5)), Ok(2));
    let e = compare(&store(5), &store(6)).expect_err("another result");
    assert!(e.contains("buffer 0 differs at byte 0: 05 as read, 06 optimised"), "{e}");
    let e = compare(&store(5), &kernel(BEYOND)).expect_err("an error");
    assert!(e.contains("E0501"), "{e}");
    // An error of the kernel as read: its result is not defined.
    assert_eq!(compare(&kernel(BEYOND), &store(5)), Ok(0));
    // NaNs need not have the same bits.
    assert_eq!(compare(&store(0x7fc0_0000), &store(0xffc0_0001)), Ok(2));
}
