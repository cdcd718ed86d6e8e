//! Same input, same bytes: in every file of the output and of the dumps, wherever they are made.

use crate::common::{KERNEL, files_below, program, text};
use std::path::Path;

/// Several kernels with loops, local memory, atomics and a program-scope table.
const SOURCE: &str = "\
constant int table[4] = {3, 1, 4, 1};
kernel void sums(global const float *a, global float *b, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[get_global_id(0) * n + k] * table[k & 3];
  b[get_global_id(0)] = sum;
}
kernel void histogram(global const uchar *a, global int *bins, local int *mine) {
  int l = get_local_id(0);
  mine[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&mine[a[get_global_id(0)] % get_local_size(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], mine[l]);
}
kernel void collatz(global uint *a) {
  uint n = a[get_global_id(0)], steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  a[get_global_id(0)] = steps;
}
";

type Files = Vec<(String, Vec<u8>)>;

/// Builds `input`, named as seen from `folder`, and gives the files of output and dumps.
fn build(folder: &Path, input: &str, options: &[&str]) -> Files {
    let scratch = tempfile::tempdir().expect("scratch");
    let (out, dump) = (scratch.path().join("out"), scratch.path().join("dump"));
    let places = ["-o", text(&out), "--dump-dir", text(&dump)];
    let done = program()
        .args(["build", input, "-q", "--board", "u250"])
        .args(places)
        .args(options)
        .current_dir(folder)
        .output()
        .expect("ran");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let files = files_below(scratch.path());
    let has = |name: &str| files.iter().any(|(n, _)| n.starts_with(name));
    assert!(has("out/rtl/") && has("out/package/") && has("out/host/") && has("dump/60-"));
    files
}

#[track_caller]
fn same(a: &Files, b: &Files) {
    let names = |files: &Files| files.iter().map(|(n, _)| n.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b));
    let differ = a.iter().zip(b).filter(|(a, b)| a.1 != b.1).map(|(a, _)| &a.0);
    assert_eq!(differ.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// No file names the directory.
#[track_caller]
fn no_trace_of(place: &Path, files: &Files) {
    let place = text(place).as_bytes();
    for (name, contents) in files {
        assert!(!contents.windows(place.len()).any(|w| w == place), "{name} names a directory");
    }
}

/// Builds the file `name` with these contents in several ways.
fn reproducible(name: &str, contents: &[u8], options: &[&str]) {
    let (here, there) =
        (tempfile::tempdir().expect("scratch"), tempfile::tempdir().expect("scratch"));
    for folder in [here.path().to_owned(), there.path().join("deep/er")] {
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::write(folder.join(name), contents).expect("written");
    }
    let first = build(here.path(), name, options);
    same(&first, &build(here.path(), name, options));
    same(&first, &build(there.path(), &format!("deep/er/{name}"), options));
    let absolute = there.path().join("deep/er").join(name);
    let elsewhere = build(here.path(), text(&absolute), options);
    same(&first, &elsewhere);
    no_trace_of(here.path(), &elsewhere);
    no_trace_of(there.path(), &elsewhere);
}

#[test]
fn ir_text() {
    reproducible("k.clir", KERNEL.as_bytes(), &[]);
}

#[test]
fn source_with_either_compiler() {
    reproducible("k.cl", SOURCE.as_bytes(), &["--compiler", "clang-15"]);
    reproducible("k.cl", SOURCE.as_bytes(), &["--compiler", "clang-22"]);
}

#[test]
fn source_built_for_throughput() {
    let options = ["--simd", "4", "--compute-units", "2", "--memory-ports", "2"];
    reproducible("k.cl", SOURCE.as_bytes(), &options);
}

#[test]
fn modules_without_their_source() {
    let folder = tempfile::tempdir().expect("scratch");
    std::fs::write(folder.path().join("k.cl"), SOURCE).expect("written");
    let module = folder.path().join("k.spv");
    let done = std::process::Command::new("clang-22")
        .args(["--target=spirv64", "-x", "cl", "-cl-std=CL1.2", "-O2", "-c", "k.cl", "-o", "k.spv"])
        .current_dir(folder.path())
        .output()
        .expect("clang-22 is installed");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    reproducible("k.spv", &std::fs::read(module).expect("there"), &["--scheduler", "random"]);
}
