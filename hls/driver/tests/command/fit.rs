//! Kernels that are too large for a board's device at full speed are made smaller, and the user is told.

use crate::common::{clhls, text};

/// `n` divisions of 64 bits in a row, in a loop that the source wants unrolled.
fn divisions(n: u32) -> String {
    format!(
        r#"module "divisions" addr 64 cl 120

kernel f0 "divisions" {{
  arg 0 "out" "ulong*" global size 8 align 8
  arg 1 "divisor" "ulong" i64 size 8 align 8
b0:
  v0:ptr.global = arg 0
  v1:i64 = arg 1
  v2:i64 = const 0
  v3:i64 = const {n}
  v4:i64 = const 1
  v5:i64 = workitem global_id 0
  jump b1(v2, v5)
b1(v6:i64, v7:i64): loop unroll 0
  v8:i64 = sub v7, v6
  v9:i64 = udiv v8, v1
  v10:i64 = xor v9, v7
  v11:i64 = add v6, v4
  v12:i1 = icmp.ult v11, v3
  br v12, b1(v11, v10), b2
b2:
  v13:i64 = const 3
  v14:i64 = shl v5, v13
  v15:ptr.global = ptradd v0, v14
  e0 = store v15, v10 align 8
  ret
}}
"#
    )
}

/// Builds the kernel: estimated LUTs and what was said.
fn build(divisions_in_a_row: u32, board: &str) -> (f64, String) {
    let folder = tempfile::tempdir().expect("scratch");
    let (input, out) = (folder.path().join("divisions.clir"), folder.path().join("out"));
    std::fs::write(&input, divisions(divisions_in_a_row)).expect("input");
    let outcome = clhls(&["build", text(&input), "--board", board, "-o", text(&out)]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let report = std::fs::read_to_string(out.join("report.json")).expect("report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let lut = report["kernels"][0]["estimated_area"]["lut"].as_f64().expect("a number");
    (lut, outcome.err)
}

#[test]
fn a_kernel_that_fits_is_as_fast_as_it_can_be() {
    let (few, said) = build(2, "ulx3s");
    assert!(!said.contains("W0313"), "{said}");
    let (more, said) = build(4, "ulx3s");
    assert!(!said.contains("W0313"), "{said}");
    // A divider of 64 bits is 64 subtractions of 64 bits.
    assert!(more > few + 2.0 * 64.0 * 64.0, "{few} {more}");
}

#[test]
fn a_loop_is_unrolled_less_where_the_device_is_small() {
    let (lut, said) = build(64, "ulx3s");
    assert!(said.contains("warning[W0313]: kernel `divisions` takes about"), "{said}");
    assert!(said.contains("the limits of unrolling are divided by"), "{said}");
    assert!(lut < 83_640.0, "{lut}");
    let (lut, said) = build(64, "u250");
    assert!(!said.contains("W0313"), "{said}");
    assert!(lut > 200_000.0, "{lut}");
}

/// What is said to a build of as many divisions of 64 bits one behind the other, and its report. The input itself unrolls them.
fn build_long(divisions: u32) -> (String, serde_json::Value) {
    build_lines(divisions, &|k| format!("  v{}:i64 = udiv v{}, v1\n", k + 3, k + 2))
}

/// The same with divisions of 64 bits and less, no two of the same width, so that none can share an instance with another.
fn build_different(divisions: u32) -> (String, serde_json::Value) {
    build_lines(divisions, &|k| {
        let (width, n) = (64 - k, 1000 + 10 * k);
        if k == 0 {
            return "  v3:i64 = udiv v2, v1\n".to_owned();
        }
        let (a, b, q) = (n, n + 1, n + 2);
        format!(
            "  v{a}:i{width} = slice v{} lo 0\n  v{b}:i{width} = slice v1 lo 0\n  \
             v{q}:i{width} = udiv v{a}, v{b}\n  v{}:i64 = zext v{q}\n",
            k + 2,
            k + 3
        )
    })
}

fn build_lines(divisions: u32, line: &dyn Fn(u32) -> String) -> (String, serde_json::Value) {
    let lines: String = (0..divisions).map(line).collect();
    let source = format!(
        "module \"long\" addr 64 cl 120\n\nkernel f0 \"long\" {{\n  arg 0 \"out\" \"ulong*\" global size 8 align 8\n  \
         arg 1 \"divisor\" \"ulong\" i64 size 8 align 8\nb0:\n  v0:ptr.global = arg 0\n  v1:i64 = arg 1\n  \
         v2:i64 = workitem global_id 0\n{lines}  e0 = store v0, v{} align 8\n  ret\n}}\n",
        divisions + 2
    );
    let folder = tempfile::tempdir().expect("scratch");
    let (input, out) = (folder.path().join("long.clir"), folder.path().join("out"));
    std::fs::write(&input, source).expect("input");
    let args = ["build", text(&input), "--board", "ulx3s", "--clock", "75", "-o", text(&out)];
    let outcome = clhls(&[&args[..], &["--compute-units", "1"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let report = std::fs::read_to_string(out.join("report.json")).expect("report");
    (outcome.err, serde_json::from_str(&report).expect("JSON"))
}

#[test]
fn divisions_become_loops_of_steps_where_nothing_else_helps() {
    let (said, report) = build_different(28);
    assert!(said.contains("warning[W0313]: kernel `long` takes about"), "{said}");
    assert!(said.contains("divisions and square roots are loops of steps"), "{said}");
    assert!(said.contains("work-items or iterations come only every 65 cycles"), "{said}");
    assert!(!said.contains("unrolling") && !said.contains("shared"), "{said}");
    let kernel = &report["kernels"][0];
    // A step of at most 64 bits for each, where a pipeline has as many steps as bits.
    assert!(kernel["estimated_area"]["lut"].as_f64().expect("a number") < 28.0 * 500.0);
    let divisions = kernel["divisions"].as_array().expect("a list");
    assert_eq!(divisions.len(), 28);
    for (k, d) in divisions.iter().enumerate() {
        // A turn for each bit, and one cycle to take operands.
        assert_eq!(
            (&d["form"], &d["interval"]),
            (&"loop of steps".into(), &(65 - k).into()),
            "{d}"
        );
    }
}

#[test]
fn operators_are_shared_where_work_items_may_come_less_often() {
    let (said, report) = build_long(32);
    assert!(said.contains("warning[W0313]: kernel `long` takes about"), "{said}");
    // 32 dividers take 164 000 LUTs, half of the device's 69 000 that can be used are 13 of them: every second cycle is not enough.
    assert!(said.contains("operators are shared"), "{said}");
    assert!(said.contains("work-items or iterations come only every 4 cycles"), "{said}");
    assert!(!said.contains("unrolling") && !said.contains("loops of steps"), "{said}");
    let kernel = &report["kernels"][0];
    // Eight dividers of 64 steps of 64 bits, and not nine.
    let lut = kernel["estimated_area"]["lut"].as_f64().expect("a number");
    let divider = 164_000.0 / 32.0;
    assert!(lut > 8.0 * divider && lut < 12.0 * divider, "{lut}");
    let segments = kernel["blocks"][0]["segments"].as_array().expect("a list");
    assert!(segments.iter().any(|s| s["ii"] == 4), "{segments:?}");
}

#[test]
fn a_kernel_that_cannot_be_made_to_fit_is_built_with_a_warning() {
    // Unrolled by the input itself: nothing to save.
    let (said, _) = build_long(400);
    assert!(said.contains("kernel `long` will hardly fit ulx3s"), "{said}");
}

/// A single work-item with an array of 256 KB, 128 RAM blocks of the 144 that ulx3s has for kernels, and a small one that an iteration loads so
/// many times.
fn arrays(loads: u32) -> String {
    let mut code = String::new();
    let (mut sum, mut after) = ("v34".to_owned(), "e3".to_owned());
    for k in 0..loads {
        let from = if k == 0 { "v36".to_owned() } else { format!("v{}", 99 + k) };
        let (step, base) = if k == 0 { ("v36", "v4") } else { ("v9", from.as_str()) };
        code += &format!("  v{}:ptr.local = ptradd {base}, {step}\n", 100 + k);
        code += &format!("  e{} v{}:i32 = load v{} align 4\n", 10 + k, 200 + k, 100 + k);
        code += &format!("  v{}:i32 = xor {sum}, v{}\n", 300 + k, 200 + k);
        (sum, after) = (format!("v{}", 300 + k), format!("{after}, e{}", 10 + k));
    }
    format!(
        r#"module "arrays" addr 64 cl 120
global g0 "large" local size 262144 align 4
global g1 "small" local size 1024 align 4

kernel f0 "arrays" {{
  arg 0 "in" "int*" global size 8 align 4 restrict no_write
  arg 1 "out" "int*" global size 8 align 4 restrict
  arg 2 "n" "int" i32 size 4 align 4
  reqd_work_group_size 1 1 1
  object o0 "large" local size 262144 align 4 = g0
  object o1 "small" local size 1024 align 4 = g1
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:i32 = arg 2
  v3:ptr.local = addr o0
  v4:ptr.local = addr o1
  v5:i32 = const 0
  v6:i32 = const 1
  v7:i64 = const 2
  v8:i64 = const 15
  v9:i64 = const 64
  v10:i64 = const 255
  jump b1(v5)
b1(v11:i32): loop ivdep
  v12:i64 = zext v11
  v13:i64 = shl v12, v7
  v14:ptr.global = ptradd v0, v13
  e0 v15:i32 = load v14 align 4
  v16:ptr.local = ptradd v3, v13
  e1 = store v16, v15 align 4 after e0
  v17:i64 = and v12, v10
  v18:i64 = shl v17, v7
  v19:ptr.local = ptradd v4, v18
  e2 = store v19, v15 align 4 after e0
  v20:i32 = add v11, v6
  v21:i1 = icmp.slt v20, v2
  br v21, b1(v20), b2(v5)
b2(v30:i32):
  v31:i64 = zext v30
  v32:i64 = shl v31, v7
  v33:ptr.local = ptradd v3, v32
  e3 v34:i32 = load v33 align 4
  v35:i64 = and v31, v8
  v36:i64 = shl v35, v7
{code}  v80:ptr.global = ptradd v1, v32
  e50 = store v80, {sum} align 4 after {after}
  v81:i32 = add v30, v6
  v82:i1 = icmp.slt v81, v2
  br v82, b2(v81), b3
b3:
  ret
}}
"#
    )
}

/// What the build says, and how the small array is kept.
fn build_arrays(loads: u32) -> (String, String) {
    let folder = tempfile::tempdir().expect("scratch");
    let (input, out) = (folder.path().join("arrays.clir"), folder.path().join("out"));
    std::fs::write(&input, arrays(loads)).expect("input");
    let outcome = clhls(&["build", text(&input), "--board", "ulx3s", "-o", text(&out)]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let report = std::fs::read_to_string(out.join("report.json")).expect("report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let memories = report["kernels"][0]["memories"].as_array().expect("memories");
    let small = memories.iter().find(|m| m["name"] == "small").expect("the small array");
    (outcome.err, small["arbitration"].as_str().expect("words").to_owned())
}

#[test]
fn arrays_are_kept_once_where_their_replicas_do_not_fit() {
    let (said, kept) = build_arrays(4);
    assert!(!said.contains("W0313"), "{said}");
    assert!(kept.contains("kept in 4 equal RAMs"), "{kept}");
    let (said, kept) = build_arrays(14);
    assert!(said.contains("W0313") && said.contains("have a single RAM"), "{said}");
    assert!(kept.contains("two ports"), "{kept}");
}

/// A kernel that stores to four columns of an array in a work-item, loads from two of them, and divides `n` times in a row.
fn columns(n: u32) -> String {
    let mut code = String::new();
    for k in 0..n {
        code += &format!("  v{}:i64 = udiv v{}, v1\n", 101 + 2 * k, 100 + 2 * k);
        code += &format!("  v{}:i64 = sub v{}, v{}\n", 102 + 2 * k, 6, 101 + 2 * k);
    }
    let last = 100 + 2 * n;
    format!(
        r#"module "columns" addr 64 cl 120

kernel f0 "columns" {{
  arg 0 "out" "ulong*" global size 8 align 8
  arg 1 "divisor" "ulong" i64 size 8 align 8
  object o0 "a" private size 512 align 8
b0:
  v0:ptr.global = arg 0
  v1:i64 = arg 1
  v2:ptr.private = addr o0
  v3:i64 = const 15
  v4:i64 = const 5
  v5:i64 = const 8
  v6:i64 = workitem global_id 0
  v7:i64 = and v6, v3
  v8:i64 = shl v7, v4
  v9:ptr.private = ptradd v2, v8
  v10:ptr.private = ptradd v9, v5
  v11:ptr.private = ptradd v10, v5
  v12:ptr.private = ptradd v11, v5
  e0 = store v9, v6 align 8
  e1 = store v10, v6 align 8
  e2 = store v11, v1 align 8
  e3 = store v12, v1 align 8
  v13:i64 = and v1, v3
  v14:i64 = shl v13, v4
  v15:ptr.private = ptradd v2, v14
  e4 v16:i64 = load v15 align 8 after e0, e1, e2, e3
  v17:ptr.private = ptradd v15, v5
  e5 v18:i64 = load v17 align 8 after e0, e1, e2, e3
  v100:i64 = add v16, v18
{code}  v19:i64 = const 3
  v20:i64 = shl v6, v19
  v21:ptr.global = ptradd v0, v20
  e6 = store v21, v{last} align 8
  ret
}}
"#
    )
}

#[test]
fn arrays_are_whole_where_a_kernel_with_banks_does_not_fit() {
    let memories = |n: u32| -> (String, Vec<String>) {
        let folder = tempfile::tempdir().expect("scratch");
        let (input, out) = (folder.path().join("columns.clir"), folder.path().join("out"));
        std::fs::write(&input, columns(n)).expect("input");
        let outcome = clhls(&["build", text(&input), "--board", "ulx3s", "-o", text(&out)]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        let report = std::fs::read_to_string(out.join("report.json")).expect("report");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let all = report["kernels"][0]["memories"].as_array().expect("memories");
        let name = |m: &serde_json::Value| m["name"].as_str().unwrap_or_default().to_owned();
        (outcome.err, all.iter().map(name).filter(|n| n.starts_with('a')).collect())
    };
    let (said, kept) = memories(0);
    assert!(!said.contains("W0313"), "{said}");
    // Nothing loads from the other two columns, which are arrays of their own and go.
    assert_eq!(kept, ["a_bank0", "a_bank1"]);
    let (said, kept) = memories(24);
    assert!(said.contains("W0313") && said.contains("have a single RAM"), "{said}");
    assert_eq!(kept, ["a"]);
}
