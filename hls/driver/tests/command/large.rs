//! Kernels that are large on their device are scheduled with more room for nets, unless loops would be slower.

use crate::common::{clhls, text};
use crate::units::chosen;
use std::path::Path;

/// `sum` is a loop whose interval is the latency of an addition, `scale` one whose intervals do not depend on delays.
const KERNELS: &str = r#"module "two" addr 64 cl 120

kernel f0 "sum" {
  arg 0 "in" "float*" global size 8 align 4 restrict no_write
  arg 1 "out" "float*" global size 8 align 4 restrict no_read
  arg 2 "n" "int" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:i32 = arg 2
  v3:i32 = const 0
  v4:f32 = const 0.0
  jump b1(v3, v4)
b1(v5:i32, v6:f32):
  v7:i64 = zext v5
  v8:i64 = const 2
  v9:i64 = shl v7, v8
  v10:ptr.global = ptradd v0, v9
  e0 v11:f32 = load v10 align 4
  v12:f32 = fadd v6, v11
  v13:i32 = const 1
  v14:i32 = add v5, v13
  v15:i1 = icmp.ult v14, v2
  br v15, b1(v14, v12), b2
b2:
  e1 = store v1, v12 align 4
  ret
}

kernel f1 "scale" {
  arg 0 "in" "float*" global size 8 align 4 restrict no_write
  arg 1 "out" "float*" global size 8 align 4 restrict no_read
  arg 2 "n" "int" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:i32 = arg 2
  v3:i32 = const 0
  v4:f32 = const 3.0
  jump b1(v3)
b1(v5:i32):
  v7:i64 = zext v5
  v8:i64 = const 2
  v9:i64 = shl v7, v8
  v10:ptr.global = ptradd v0, v9
  e0 v11:f32 = load v10 align 4
  v12:f32 = fmul v4, v11
  v16:ptr.global = ptradd v1, v9
  e1 = store v16, v12 align 4
  v13:i32 = const 1
  v14:i32 = add v5, v13
  v15:i1 = icmp.ult v14, v2
  br v15, b1(v14), b2
b2:
  ret
}
"#;

/// Between two loads there is an addition, which at 60 MHz needs no register.
const WIRES: &str = r#"module "wires" addr 64 cl 120

kernel f0 "wires" {
  arg 0 "index" "int*" global size 8 align 4 restrict no_write
  arg 1 "table" "int*" global size 8 align 4 restrict no_write
  arg 2 "out" "int*" global size 8 align 4 restrict no_read
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:ptr.global = arg 2
  e0 v3:i32 = load v0 align 4
  v4:i64 = zext v3
  v5:ptr.global = ptradd v1, v4
  e1 v6:i32 = load v5 align 4
  e2 = store v2, v6 align 4
  ret
}
"#;

/// Three segments, of which the first two read argument 3, and the last one argument 4.
const SHARED: &str = r#"module "shared" addr 64 cl 120

kernel f0 "shared" {
  arg 0 "index" "int*" global size 8 align 4 restrict no_write
  arg 1 "table" "int*" global size 8 align 4 restrict no_write
  arg 2 "out" "int*" global size 8 align 4 restrict no_read
  arg 3 "mask" "int" i32 size 4 align 4
  arg 4 "more" "int" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:ptr.global = arg 2
  v3:i32 = arg 3
  v4:i32 = arg 4
  v5:i32 = const 4
  v6:i32 = xor v3, v5
  v7:i64 = zext v6
  v8:ptr.global = ptradd v0, v7
  e0 v9:i32 = load v8 align 4
  v10:i32 = xor v9, v3
  v11:i64 = zext v10
  v12:ptr.global = ptradd v1, v11
  e1 v13:i32 = load v12 align 4
  v14:i32 = add v13, v3
  v15:i32 = xor v14, v4
  e2 = store v2, v15 align 4
  ret
}
"#;

/// One segment, in which argument 1 is read in front of a chain of additions and behind it.
fn chain(additions: u32) -> String {
    let mut text = r#"module "chain" addr 64 cl 120

kernel f0 "chain" {
  arg 0 "p" "int*" global size 8 align 4
  arg 1 "mask" "int" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  e0 v2:i32 = load v0 align 4
  v3:i32 = xor v2, v1
"#
    .to_owned();
    for k in 0..additions {
        text += &format!("  v{}:i32 = add v{}, v2\n", 4 + k, 3 + k);
    }
    let end = 4 + additions;
    text + &format!(
        "  v{end}:i32 = xor v{}, v1\n  e1 = store v0, v{end} align 4 after e0\n  ret\n}}\n",
        end - 1
    )
}

/// Boards in `folder`: `small`, on which every kernel is large, and `usual`, on which none is.
fn boards(folder: &Path) {
    for (name, luts) in [("small", "1.0"), ("usual", "1e9")] {
        let (board, family) = (folder.join(name), folder.join(format!("{name}-family")));
        for new in [&board, &family] {
            std::fs::create_dir(new).expect("a folder");
        }
        let of_board = format!("inherits = \"ulx3s\"\nfamily = \"{name}-family\"\n");
        std::fs::write(board.join("board.toml"), of_board).expect("a board");
        let of_family = format!(
            "inherits = \"ecp5\"\n[large]\nluts = {luts}\nrouting_margin = 0.3\ntile_net_ns = 1.0\nnet_ns_per_root_lut = 0.05\nnet_free_ns = 1.0\nnet_most_ns = 2.5\n"
        );
        std::fs::write(family.join("delays.toml"), of_family).expect("a family");
    }
}

/// A kernel whose sum of two values goes to as many additions.
fn spread(additions: u32) -> String {
    let mut text = r#"module "spread" addr 64 cl 120

kernel f0 "spread" {
  arg 0 "p" "int*" global size 8 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:ptr.global = arg 0
  e0 v1:i32 = load v0 align 4
  v2:i32 = const 77
  v3:i32 = sub v2, v1
"#
    .to_owned();
    for k in 0..additions {
        let (constant, sum, all) = (10 + 3 * k, 11 + 3 * k, 12 + 3 * k);
        let before = if k == 0 { 1 } else { all - 3 };
        text += &format!("  v{constant}:i32 = const {}\n", 7919 * (k + 1));
        text += &format!("  v{sum}:i32 = add v3, v{constant}\n");
        text += &format!("  v{all}:i32 = xor v{before}, v{sum}\n");
    }
    text + &format!("  e1 = store v0, v{} align 4 after e0\n  ret\n}}\n", 9 + 3 * additions)
}

/// What a build of the kernels for a board of [`boards`] in `folder` prints, told `more`.
fn run(folder: &Path, kernels: &str, board: &str, more: &[&str]) -> String {
    let input = folder.join("in.clir");
    std::fs::write(&input, kernels).expect("input");
    let args = ["build", text(&input), "--board-dir", text(folder), "--board", board, "-O", "0"];
    let outcome = clhls(&[&args[..], more].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    outcome.out
}

/// Lines of a module of a kernel as built for a board of [`boards`].
fn module(name: &str, kernels: &str, board: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("scratch");
    boards(folder.path());
    let out = folder.path().join("out");
    run(folder.path(), kernels, board, &["-o", text(&out)]);
    let verilog = out.join("rtl").join(format!("{name}.v"));
    let verilog = std::fs::read_to_string(verilog).expect("the module");
    verilog.lines().map(|l| l.trim().to_owned()).collect()
}

/// The schedules of the kernels at 120 MHz on a board of [`boards`], and the report of their hardware.
fn build(kernels: &str, board: &str) -> (String, serde_json::Value) {
    build_at("120", kernels, board)
}

/// The same at a clock in MHz.
fn build_at(clock: &str, kernels: &str, board: &str) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().expect("scratch");
    boards(folder.path());
    let out = folder.path().join("out");
    let run = |more: &[&str]| run(folder.path(), kernels, board, more);
    let schedules = run(&["--clock", clock, "--emit", "schedule"]);
    run(&["--clock", clock, "-o", text(&out)]);
    let report = std::fs::read_to_string(out.join("report.json")).expect("a report");
    (schedules, serde_json::from_str(&report).expect("JSON"))
}

/// The lines of a schedule that tell a kernel's clock and its loop.
fn clock_and_loop<'s>(schedule: &'s str, kernel: &str) -> (&'s str, &'s str) {
    let first = format!("schedule \"{kernel}\" ");
    let mut lines = schedule.lines().skip_while(|l| !l.starts_with(&first));
    let clock = lines.next().expect("the kernel is there").trim_start_matches(&first);
    (clock, lines.find(|l| l.starts_with("loop ")).expect("it has a loop"))
}

#[test]
fn large_kernels_leave_more_of_the_period_to_nets() {
    let ((usual, _), (small, report)) = (build(KERNELS, "usual"), build(KERNELS, "small"));
    let (before, after) = (clock_and_loop(&usual, "scale"), clock_and_loop(&small, "scale"));
    // 0.45 ns of a register and 12 % or 30 % of the period.
    assert_eq!(before.0, "period 8.333333333333334 overhead 1.45");
    assert_eq!(after.0, "period 8.333333333333334 overhead 2.95 spread");
    assert!(before.1.contains(" ii 1 ") && after.1.contains(" ii 1 "), "{after:?}");
    let notes = |k: usize| report["kernels"][k]["notes"].to_string();
    assert!(notes(1).contains("30 % of the clock period instead of 12 % are left for them"));
    assert!(
        notes(0).contains("more time is left for them where they lead to many"),
        "{}",
        notes(0)
    );
}

#[test]
fn a_large_kernel_whose_loop_would_be_slower_keeps_its_pace() {
    let ((usual, _), (small, _)) = (build(KERNELS, "usual"), build(KERNELS, "small"));
    let (before, after) = (clock_and_loop(&usual, "sum"), clock_and_loop(&small, "sum"));
    assert_eq!(format!("{} spread", before.0), after.0);
    let interval = |line: &str| line.split(" ii ").nth(1).map(|l| l[..2].to_owned());
    assert_eq!(interval(before.1), interval(after.1));
}

/// Nanoseconds of the operation that goes to all additions.
fn ns_of_broadcast(additions: u32, board: &str) -> f64 {
    let (schedule, _) = build(&spread(additions), board);
    let line = schedule.lines().find(|l| l.contains("= sub ")).expect("a subtraction");
    let place = line.split(']').next().and_then(|place| place.split(' ').next_back());
    place.and_then(|ns| ns.parse().ok()).expect("a delay")
}

#[test]
fn a_net_to_many_operations_of_a_large_kernel_takes_longer() {
    let usual = ns_of_broadcast(60, "usual");
    assert_eq!(usual, ns_of_broadcast(4, "usual"));
    // Four additions of 36 LUTs each are as near as any.
    assert_eq!(usual, ns_of_broadcast(4, "small"));
    let far = 0.05 * (60.0f64 * 36.0).sqrt() - 1.0;
    let taken = ns_of_broadcast(60, "small") - usual;
    assert!((taken - far).abs() < 1e-6, "{taken} {far}");
}

#[test]
fn a_register_parts_the_handshakes_around_wires_of_a_large_kernel() {
    let segments = |board: &str| {
        let (schedule, _) = build_at("60", WIRES, board);
        let line = schedule.lines().find(|l| l.starts_with("block b0 ")).expect("a block");
        line.trim_start_matches("block b0 ").to_owned()
    };
    let wires = "segment 0 ii 1 enabled";
    assert_eq!(segments("usual"), [wires; 3].join(" "));
    // Before the first access and behind the last one there is nothing.
    assert_eq!(segments("small"), [wires, "segment 1 ii 1 fifo 16", wires].join(" "));
}

#[test]
fn segments_of_a_large_kernel_have_copies_of_what_several_read() {
    let [usual, small] = ["usual", "small"].map(|board| module("shared", SHARED, board));
    let copies = |of: &[String]| -> Vec<String> {
        let copied = of.iter().filter(|l| l.starts_with('k') && l.contains(" <= "));
        copied.cloned().collect()
    };
    assert_eq!(copies(&usual), [""; 0]);
    // A chain: equal registers would be merged. Argument 4 goes to one segment.
    assert_eq!(copies(&small), ["k3_b0_s1 <= k3;", "k3_b0_s2 <= k3_b0_s1;"]);
    for read in [".k3(k3_b0_s1),", ".k3(k3_b0_s2),", ".k4(k4),"] {
        assert_eq!(small.iter().filter(|l| *l == read).count(), 1, "{read}");
    }
    // The first work-item starts when the last copy stands.
    let start = |of: &[String]| -> u32 {
        let line = of.iter().find_map(|l| l.strip_prefix(".start(start_p"));
        line.and_then(|l| l.strip_suffix("),")).and_then(|l| l.parse().ok()).expect("a start")
    };
    assert_eq!(start(&small), start(&usual) + 2);
}

#[test]
fn operations_far_apart_read_copies_of_their_own() {
    let copies = |additions: u32, board: &str| -> Vec<String> {
        let verilog = module("chain_b0_s1", &chain(additions), board);
        verilog.into_iter().filter(|l| l.starts_with('k') && l.contains(" <= ")).collect()
    };
    assert_eq!(copies(40, "usual"), [""; 0]);
    // All within a few cycles.
    assert_eq!(copies(2, "small"), [""; 0]);
    let far = copies(40, "small");
    let [copy] = far.as_slice() else { panic!("{far:?}") };
    assert!(copy.starts_with("k1_c") && copy.ends_with(" <= k1;"), "{copy}");
    let name = copy.trim_end_matches(" <= k1;");
    // What is read behind the chain is the copy, and the argument in front of it.
    let verilog = module("chain_b0_s1", &chain(40), "small");
    let reads = |what: &str| {
        verilog.iter().any(|l| l.contains(" ^ ") && l.ends_with(&format!(" ^ {what};")))
    };
    assert!(reads("k1") && reads(name), "{verilog:?}");
}

#[test]
fn room_costs_no_compute_unit() {
    let folder = tempfile::tempdir().expect("scratch");
    boards(folder.path());
    let dir = ["--board-dir", text(folder.path())];
    let [usual, small] = ["usual", "small"].map(|b| chosen("mandelbrot", "mandelbrot", b, &dir));
    assert!(usual.0 > 1, "{}", usual.2);
    assert_eq!(usual.0, small.0, "{}", small.2);
}
