//! How many compute units kernels get when the user does not say, and that more of them compute the same.

use crate::common::{clhls, outcome, program, text};
use driver::DONE;
use std::path::{Path, PathBuf};

fn source(kernel: &str) -> PathBuf {
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/kernels");
    Path::new(kernels).join(kernel).join("kernel.cl")
}

/// Compute units, what limits them, and the line that the build prints of them.
#[track_caller]
pub fn chosen(
    source: &str,
    function: &str,
    board: &str,
    options: &[&str],
) -> (u64, String, String) {
    let dir = tempfile::tempdir().expect("scratch");
    let input = self::source(source);
    let out = dir.path().join("out");
    let args = ["build", text(&input), "--kernel", function, "--board", board, "-o", text(&out)];
    let o = clhls(&[&args[..], options].concat());
    assert_eq!(o.code, DONE, "{function} on {board}: {}", o.err);
    let report = std::fs::read_to_string(out.join("report.json")).expect("report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let kernel = &report["kernels"][0];
    let line = o.out.lines().find(|l| l.contains(" compute unit")).expect("a line").to_owned();
    let reason = kernel["compute_units_reason"].as_str().expect("a reason");
    assert!(line.ends_with(reason), "{line}: {reason}");
    let limit = kernel["compute_units_limit"].as_str().expect("a word").to_owned();
    let units = kernel["compute_units"].as_u64().expect("a number");
    let note = kernel["notes"].as_array().expect("a list").iter();
    let noted = note.filter_map(|n| n.as_str()).any(|n| n.contains("compute units: "));
    assert_eq!(noted, units > 1 && limit != "asked", "{limit}: a note where there are copies");
    (units, limit, line)
}

#[test]
fn kernels_that_memory_limits_have_one() {
    for (kernel, function) in
        [("vadd", "vadd"), ("saxpy", "saxpy"), ("transpose", "transpose_naive")]
    {
        for board in ["u250", "ulx3s"] {
            let (units, limit, line) = chosen(kernel, function, board, &[]);
            assert_eq!((units, limit.as_str()), (1, "memory"), "{function} on {board}: {line}");
            assert!(line.contains("limited by memory bandwidth"), "{line}");
        }
    }
}

#[test]
fn kernels_that_compute_for_long_have_as_many_as_fit() {
    let (units, limit, line) = chosen("mandelbrot", "mandelbrot", "u250", &[]);
    assert_eq!((units, limit.as_str()), (16, "most"), "{line}");
    let (units, limit, line) = chosen("nbody", "nbody_step", "u250", &[]);
    assert!((3..=12).contains(&units) && limit == "area", "{line}");
    assert!(line.contains("of a super logic region"), "{line}");
    let (units, limit, line) = chosen("matmul_tiled", "matmul_tiled", "u250", &[]);
    // An iteration a cycle and unit, in each of which eight products follow two loads.
    assert!((6..=8).contains(&units) && limit == "memory", "{line}");
    let (units, limit, line) = chosen("collatz", "collatz", "ulx3s", &[]);
    assert!((4..=8).contains(&units) && limit == "area", "{line}");
    assert!(line.contains("of the device"), "{line}");
}

#[test]
fn small_devices_are_not_filled() {
    let (units, limit, line) = chosen("mandelbrot", "mandelbrot", "ulx3s", &[]);
    assert_eq!((units, limit.as_str()), (3, "area"), "{line}");
    let (units, limit, line) = chosen("nbody", "nbody_step", "ulx3s", &[]);
    assert_eq!((units, limit.as_str()), (1, "area"), "{line}");
    let (units, limit, line) = chosen("matmul_tiled", "matmul_tiled", "ulx3s", &[]);
    assert_eq!((units, limit.as_str()), (1, "memory"), "{line}");
}

#[test]
fn what_copies_are_no_question_for_has_one() {
    let (units, limit, line) = chosen("fir_task", "fir_int", "u250", &[]);
    assert_eq!((units, limit.as_str()), (1, "single_work_item"), "{line}");
    let mandelbrot = |board, options: &[&str]| chosen("mandelbrot", "mandelbrot", board, options);
    let (units, limit, line) = mandelbrot("unit", &[]);
    assert_eq!((units, limit.as_str()), (1, "off"), "{line}");
    let (units, limit, line) = mandelbrot("u250", &["-O1"]);
    assert_eq!((units, limit.as_str()), (1, "off"), "{line}");
    // One work-item a cycle was asked for: copies would be more.
    let (units, limit, line) = chosen("vadd", "vadd", "u250", &["--simd", "1"]);
    assert_eq!((units, limit.as_str()), (1, "lanes"), "{line}");
    let (units, limit, line) = mandelbrot("u250", &["--compute-units", "3"]);
    assert_eq!((units, limit.as_str()), (3, "asked"), "{line}");
    let auto = mandelbrot("ulx3s", &["--compute-units", "auto"]);
    assert_eq!(auto, mandelbrot("ulx3s", &[]));
}

/// A loop that computes long for each packet, between two pipes.
const PIPES: &str = "
__kernel void fold(__read_only pipe uint in, __write_only pipe uint out, uint rounds) {
    uint x;
    while (read_pipe(in, &x)) {}
    for (uint k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
    while (write_pipe(out, &x)) {}
}
";

#[test]
fn connected_pipes_keep_the_order_of_packets() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("fold.cl"), dir.path().join("out"));
    std::fs::write(&input, PIPES).expect("written");
    let connect = ["--connect", "fold.in=stream", "--connect", "fold.out=stream"];
    let args = ["build", text(&input), "--cl-std", "CL2.0", "--board", "u250", "-o", text(&out)];
    let o = clhls(&[&args[..], &connect].concat());
    assert_eq!(o.code, DONE, "{}", o.err);
    assert!(o.out.contains("  1 compute unit: packets keep the order"), "{}", o.out);
}

/// Runs the `clhls run` of a kernel with all its options: cycles, compute units by the report, and the bytes of `steps`.
#[track_caller]
fn simulated(options: &[&str]) -> (u64, u64, Vec<u8>) {
    let dir = tempfile::tempdir().expect("scratch");
    let npy = dir.path().join("steps.npy");
    let (input, out) = (source("collatz"), format!("steps={}", text(&npy)));
    let mut command = program();
    command.args(["run", text(&input), "--kernel", "collatz", "--device", "sim", "--board"]);
    command.args(["ulx3s", "--json", "--profile", "--report", text(dir.path()), "-q"]);
    command.args(["--arg", "start=rand:u32[300]:3:1..1000000", "--arg", "steps=zeros:u32[300]"]);
    command.args(["--arg", "limit=10000", "--global", "300", "--out", &out]).args(options);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick");
    let o = outcome(&command.output().expect("ran"));
    assert_eq!(o.code, DONE, "{options:?}: {}", o.err);
    let run: serde_json::Value = serde_json::from_str(&o.out).expect("one object");
    let report = std::fs::read_to_string(dir.path().join("report.json")).expect("report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let units = report["kernels"][0]["compute_units"].as_u64().expect("a number");
    let cycles = run["cycles"].as_u64().expect("a number");
    (cycles, units, std::fs::read(npy).expect("written"))
}

#[test]
fn copies_compute_the_same_sooner() {
    let (one, units, expected) = simulated(&[]);
    assert_eq!(units, 1, "runs from source have one unit");
    // Without a local size the host makes groups for all units.
    let (several, units, got) = simulated(&["--compute-units", "auto"]);
    assert!(units >= 4, "{units} units");
    assert!(got == expected, "the same results");
    assert!(2 * several < one, "{several} cycles with {units} units, {one} with one");
    // More units than groups are of no use.
    let (cycles, units, got) = simulated(&["--compute-units", "auto", "--local", "150"]);
    assert_eq!(units, 2, "two work-groups");
    assert!(got == expected && cycles < one, "{cycles} cycles, {one} with one");
}
