//! Kernels of other compilers for FPGAs: channels, pipes outside of kernels, pragmas of loops. On all devices, from both compilers.

use crate::common::{Outcome, Source, clhls, outcome, program, text};
use driver::{DONE, FAILED};

const INTEL: &str = r#"
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define WIDE 3
typedef struct { int at; float value; } item_t;
channel float4 rows __attribute__((depth(8)));
channel item_t items[2][WIDE] __attribute__((depth(4 * WIDE)));
channel int back;

kernel void source(global const float4 *restrict in, int channel, int n) {
  for (int i = 0; i < n + channel; i++) write_channel_intel(rows, in[i]);
}
item_t item(int i, float4 row) { item_t r = {i, row.x + 10 * row.y + 100 * row.z + 1000 * row.w}; return r; }
__attribute__((max_global_work_dim(0)))
kernel void middle(int n) {
  for (int i = 0; i < n; i++) {
    float4 row = read_channel_intel(rows);
    #pragma unroll
    for (int k = 0; k < WIDE; k++) write_channel_intel(items[1][k], item(i + k, row));
  }
  write_channel_intel(items[0][2], item(read_channel_intel(back), (float4)(0)));
}
kernel void sink(global float *restrict out, global int *restrict late, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    #pragma unroll
    for (int k = 0; k < WIDE; k++) {
      item_t got;
      bool valid = false;
      do got = read_channel_nb_intel(items[1][k], &valid);
      while (!valid);
      sum += got.at + got.value;
    }
    out[i] = sum;
  }
  while (!write_channel_nb_intel(back, n));
  mem_fence(CLK_CHANNEL_MEM_FENCE);
  late[0] = read_channel_intel(items[0][2]).at;
}
"#;

const XILINX: &str = r#"
pipe int p0 __attribute__((xcl_reqd_pipe_depth(32)));
pipe int p1 __attribute__((xcl_reqd_pipe_depth(32)));
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void source(global int *in, int n) {
  __attribute__((xcl_pipeline_loop(1)))
  __attribute__((xcl_loop_tripcount(4, 64)))
  rd: for (int i = 0; i < n; i++) write_pipe_block(p0, &in[i]);
}
kernel __attribute__((reqd_work_group_size(1, 1, 1), xcl_dataflow))
void middle(int more, int n) {
  __attribute__((opencl_unroll_hint(2)))
  add: for (int i = 0; i < n; i++) {
    int v;
    read_pipe_block(p0, &v);
    v += more;
    while (write_pipe(p1, &v) != 0);
  }
}
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sink(global int *out, int n) {
  for (int i = 0; i < n; i++) read_pipe_block(p1, &out[i]);
  out[n] = get_pipe_num_packets(p1);
}
"#;

/// The devices, and what they are asked for with options.
const DEVICES: [&[&str]; 4] = [
    &["--device", "emu"],
    &["--device", "native"],
    &["--device", "sim", "--board", "u250"],
    &["--device", "sim", "--board", "ulx3s"],
];

/// Runs kernels beside one another; `launches` are in the form of `--beside`, the first one, too.
fn run(source: &Source, compiler: &str, device: &[&str], launches: &[&str]) -> Outcome {
    let (first, others) = launches.split_first().expect("a launch");
    let mut words = first.split_whitespace();
    let mut command = program();
    command.args(["run", text(&source.path), "-q", "--compiler", compiler]).args(device);
    command.args(["--kernel", words.next().expect("a kernel"), "--global", "1"]);
    for word in words {
        command.args(["--arg", word]);
    }
    for other in others {
        command.args(["--beside", other]);
    }
    outcome(&command.output().expect("clhls runs"))
}

fn says(source: &Source, launches: &[&str], lines: &[&str]) {
    for compiler in ["clang-15", "clang-22"] {
        for device in DEVICES {
            let ran = run(source, compiler, device, launches);
            assert_eq!(ran.code, DONE, "{compiler} {device:?}: {}", ran.err);
            for line in lines {
                assert!(ran.out.contains(line), "{compiler} {device:?}: {line}\n{}", ran.out);
            }
        }
    }
}

#[test]
fn channels_lead_from_kernel_to_kernel() {
    let source = Source::new(INTEL);
    let checked = clhls(&["check", text(&source.path)]);
    assert_eq!(checked.code, DONE, "{}", checked.err);
    let listed = [
        "kernel source(in: float4*, channel: int, n: int), writes channel rows\n",
        "kernel sink(out: float*, late: int*, n: int), reads channel items_0_2, \
         reads channel items_1_0, reads channel items_1_1, reads channel items_1_2, writes channel back\n",
    ];
    for line in listed {
        assert!(checked.out.contains(line), "{}", checked.out);
    }
    // row i is 4 i .. 4 i + 3, so its value is 4444 i + 3210; three of these and i, i + 1, i + 2 add up to 13335 i + 9633
    says(
        &source,
        &[
            "source in=iota:f32[8,4] channel=1 n=7",
            "middle global=1 n=8",
            "sink global=1 n=8 out=zeros:f32[8] late=zeros:i32[1]",
        ],
        &["out: f32[8] 9633 22968 36303 49638 62973 76308 89643 102978\n", "late: i32[1] 8\n"],
    );
}

#[test]
fn pipes_outside_of_kernels_lead_from_kernel_to_kernel() {
    says(
        &Source::new(XILINX),
        &[
            "source in=iota:i32[40] n=40",
            "middle global=1 more=100 n=40",
            "sink global=1 n=40 out=zeros:i32[41]",
        ],
        &["out: i32[41] 100 101 102 103 104 105 106 107 ...\n"],
    );
}

/// The depths that the source gives, and what the report says of that which it does not.
#[test]
fn depths_are_those_of_the_source() {
    let source = Source::new(INTEL);
    let dir = source.path.with_file_name("built");
    let built = clhls(&["build", text(&source.path), "--board", "u250", "-q", "-o", text(&dir)]);
    assert_eq!(built.code, DONE, "{}", built.err);
    let manifest = abi::Manifest::read(&dir).expect("sound");
    let depth = |kernel: &str, channel: &str| {
        let kernel = manifest.kernels.iter().find(|k| k.signature.name == kernel);
        let args = &kernel.expect("built").signature.args;
        let arg = args.iter().find(|arg| arg.name == channel).expect("an argument");
        assert!(arg.channel && arg.offset.is_none(), "{arg:?}");
        arg.stream.as_ref().expect("a stream").depth
    };
    assert_eq!((depth("source", "rows"), depth("middle", "rows")), (8, 8));
    assert_eq!((depth("middle", "items_1_1"), depth("sink", "items_0_2")), (12, 12));
    assert_eq!(depth("sink", "back"), 16);
    assert_eq!(manifest.links.len(), 6);
}

/// A channel whose other kernel is not launched, and one that is led elsewhere.
#[test]
fn a_channel_may_lead_elsewhere() {
    let source = Source::new(INTEL);
    let alone = run(&source, "clang-15", &[], &["source in=iota:f32[8,4] channel=0 n=2"]);
    assert_eq!(alone.code, FAILED, "{}", alone.out);
    assert!(
        alone.err.contains("argument 3 `rows` (pipe) of kernel `source` is missing"),
        "{}",
        alone.err
    );
    let piped = ["source in=iota:f32[8,4] channel=0 n=2 rows=pipe:8:zeros:f32[0,4]"];
    // the shell of ulx3s has no streams
    for device in &DEVICES[..3] {
        let ran = run(&source, "clang-15", device, &piped);
        assert_eq!(ran.code, DONE, "{}", ran.err);
        assert!(ran.out.contains("rows: f32[2,4] 0 1 2 3 4 5 6 7\n"), "{device:?}: {}", ran.out);
    }
    let led = ["--connect", "source.rows=stream:video:4", "--kernel", "source"];
    let dir = source.path.with_file_name("led");
    let mut args = vec!["build", text(&source.path), "--board", "u250", "-q", "-o", text(&dir)];
    args.extend(led);
    let built = clhls(&args);
    assert_eq!(built.code, DONE, "{}", built.err);
    let top = std::fs::read_to_string(dir.join("rtl/source.v")).expect("a module");
    assert!(top.contains("video_tvalid"), "no such port");
}

/// Which channel it is may be an argument of a function, also of one that never returns; those that no kernel calls do not matter.
#[test]
fn arguments_of_functions_choose_channels() {
    let text_of = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int in[2], out[2];\n\
        void stage(int k) { while (true) { int v = read_channel_intel(in[k]); for (int i = 0; i < 99; i++) v = v * 3 + (v >> i % 7); write_channel_intel(out[k], v); } }\n\
        void unused(int k) { write_channel_intel(in[k], 1); }\n\
        kernel void first() { stage(0); }\nkernel void second() { stage(1); }\n";
    let source = Source::new(text_of);
    for compiler in ["clang-15", "clang-22"] {
        let checked = clhls(&["check", text(&source.path), "--compiler", compiler]);
        assert_eq!(checked.code, DONE, "{compiler}: {}", checked.err);
        for kernel in [
            "first(), reads channel in_0, writes channel out_0",
            "second(), reads channel in_1, writes channel out_1",
        ] {
            assert!(checked.out.contains(kernel), "{compiler}: {}", checked.out);
        }
        assert!(!checked.out.contains("unused"), "{compiler}: {}", checked.out);
    }
}

/// What is wrong with channels, and the place of it.
#[test]
fn what_is_no_channel_between_two_kernels_is_refused() {
    let head = "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int c[4];\n";
    for (kernels, says) in [
        (
            "kernel void a(int n) {\n  for (int i = 0; i < n; i++) write_channel_intel(c[i & 3], i);\n}",
            &["E0119", "k.cl:4", "which channel it is must be known when compiling", "unroll"][..],
        ),
        (
            "kernel void a() { write_channel_intel(c[1], 1); }\nkernel void b() { write_channel_intel(c[1], 1); }",
            &["E0119", "channel `c_1` is written by kernel `a` and by kernel `b`"],
        ),
        (
            "typedef struct { int v[64]; } wide_t;\nchannel wide_t w;\n\
             kernel void a(global wide_t *o) { write_channel_intel(w, *o); }",
            &["E0119", "channel `w` has packets of 256 bytes", "send the packet in parts"],
        ),
        (
            "kernel void a() { write_channel_intel(c[1], read_channel_altera(d)); }",
            &["E0604", "k.cl:3", "undeclared identifier 'd'"],
        ),
    ] {
        let source = Source::new(&format!("{head}{kernels}\n"));
        let checked = clhls(&["check", text(&source.path)]);
        assert_eq!(checked.code, FAILED, "{}", checked.out);
        for word in says {
            assert!(checked.err.contains(word), "{word}: {}", checked.err);
        }
    }
}

/// Pragmas are of the loop behind them, wherever it is after the compiler has turned it round.
#[test]
fn pragmas_reach_their_loops() {
    let source = Source::new(
        r#"
__attribute__((num_simd_work_items(4), reqd_work_group_size(64, 1, 1)))
kernel void wide(global int *a) { a[get_global_id(0)] += 1; }
kernel void f(global float *a, global const int *at, int n) {
  #pragma ivdep
  for (int i = 0; i < n; i++)
    a[at[i]] += 2;
  int j = 0;
  #pragma speculated_iterations 0
  while (a[j] > 0) j += 2;
  #pragma ii 3
  #pragma ivdep safelen(7)
  while (j++ < n) a[at[j]] *= 3;
  #pragma nofusion
  for (int i = 0; i < n; i++) a[at[n + i]] += 5;
}
// What is said of one loop is not said of those around, in, beside and behind it.
kernel void others(global float *a, global const int *at, int n) {
  #pragma max_concurrency 5
  for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) a[at[x] + y] += 1;
  for (;;) {
    #pragma max_concurrency 6
    for (int x = 0; x < n; x++) a[at[x] + n] += 1;
    if (a[0] > 9) break;
  }
  for (int x = 0; x < n; x++) a[at[x] - n] += 1;
}
"#,
    );
    let shown = clhls(&["build", text(&source.path), "--emit", "ir", "-q"]);
    assert_eq!(shown.code, DONE, "{}", shown.err);
    let hints: Vec<&str> =
        shown.out.lines().filter_map(|l| l.split_once("): loop ")).map(|(_, h)| h).collect();
    let mut sorted = hints.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "ii 3 distance 7",
            "ivdep",
            "max_concurrency 5",
            "max_concurrency 6",
            "no_fusion",
            "speculation off"
        ],
        "{}",
        shown.out
    );
    assert!(shown.out.contains("num_simd_work_items 4"), "{}", shown.out);
    let scheduled =
        clhls(&["build", text(&source.path), "--emit", "schedule", "--board", "u250", "-q"]);
    assert_eq!(scheduled.code, DONE, "{}", scheduled.err);
}

/// No branch tells for certain which loop a `do` is: what is said of it is told to be of no use.
#[test]
fn pragmas_of_do_loops_are_told() {
    let source = Source::new(
        "kernel void f(global float *a, global const int *at, int n) {
  int j = 0;
  #pragma ivdep
  do a[at[j]] *= 3; while (j++ < n);
}
",
    );
    let shown = clhls(&["build", text(&source.path), "--emit", "ir", "-q"]);
    assert_eq!(shown.code, DONE, "{}", shown.err);
    assert!(shown.err.contains("W0617") && shown.err.contains("do loop"), "{}", shown.err);
    assert!(!shown.out.contains(": loop "), "{}", shown.out);
}
