//! Translations are compiled by every clang that clhls uses, in every version of OpenCL C that has pipes or not.

use dialects::{Hint, Translation, translate};
use std::path::Path;
use std::process::{Command, Output};

const STANDARDS: [&str; 3] = ["CL1.2", "CL2.0", "CL3.0"];

const CHANNELS: &str = r#"
#pragma OPENCL EXTENSION cl_intel_channels : enable
#define WIDTH 4
typedef struct { int a, b; } pair_t;
channel int a;
channel float4 b[WIDTH][2] __attribute__((depth(2 * WIDTH)));
static channel __attribute__((depth(3))) pair_t p, q __attribute__((io("host.in-1"))), r[2];
channel const unsigned char c __attribute__((depth(0)));
channel struct { char d[3]; } s;

__attribute__((max_global_work_dim(0))) __attribute__((autorun, num_compute_units(2, WIDTH)))
kernel void always() {
  while (1) {
    int clhls = read_channel_intel(a);
    write_channel_intel(a, clhls);
  }
}

__attribute__((num_simd_work_items(4), reqd_work_group_size(64, 1, 1), uses_global_work_offset(0)))
kernel void f(global int *restrict o, global bool *flags, local int *l, int channel) {
  bool ok;
  float4 v = read_channel_nb_intel(b[read_channel_intel(a) & 3][1], &ok);
  v += read_channel_nb_intel(b[0][read_channel_altera(a)], flags + read_channel_intel(c));
  write_channel_intel(p, (pair_t){1, 2});
  write_channel_intel(a, read_channel_intel(a) + read_channel_intel(c));
  write_channel_intel(b[read_channel_intel(a)][0], (float4)(1, 2, v.x, read_channel_intel(c)));
  bool done = write_channel_nb_intel(q, read_channel_intel(p));
  if (write_channel_nb_altera(p, (done, read_channel_intel(r[1])))) o[0] = channel;
  write_channel_altera(s, read_channel_intel(s));
  mem_fence(CLK_CHANNEL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  o[1] = __fpga_reg(v.x) + __burst_coalesced_load(o + 2) + __prefetching_load(l) + ok;
  o[2] = __burst_coalesced_cached_load(o, 1024) + __pipelined_load(&o[3]);
  __pipelined_store(o + 1, (1, 2));
  __burst_coalesced_store(&o[channel], channel);
}
"#;

const PIPES: &str = r#"
typedef struct { int a, b; } pair_t;
pipe int p __attribute__((xcl_reqd_pipe_depth(32)));
pipe pair_t q[2] __attribute__((xcl_reqd_pipe_depth(16)));
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void f(global int *o, global const pair_t *pairs, local int *l) {
  write_pipe_block(p, &o[3]);
  read_pipe_block(p, o);
  read_pipe_block(p, l);
  write_pipe_block(p, l + 1);
  int x, y[2];
  while (read_pipe(p, &x) != 0);
  if (write_pipe(p, y)) o[0] = x + get_pipe_num_packets(p) + get_pipe_max_packets(q[1]);
  pair_t pair = (pair_t){1, 2};
  write_pipe_block(q[x], pairs);
  write_pipe(q[0], &pair);
#if __OPENCL_C_VERSION__ >= 200
  int *either = &x;
  if (get_global_id(0)) either = o;
  read_pipe(p, either);
  write_pipe_block(p, either);
#endif
}
#if __OPENCL_C_VERSION__ >= 200
kernel void g(read_only pipe int in, write_only pipe int out, global int *o) {
  int a[1];
  read_pipe_block(in, &o[1]);
  write_pipe_block(out, a);
  o[3] = get_pipe_num_packets(in);
}
#endif
"#;

const LOOPS: &str = r#"
#define FACTOR 2
#define BOTH(x) __attribute__((xcl_pipeline_loop(3))) x: for (int j = 0; j < n; j++) o[j]++;
__attribute__((xcl_zero_global_work_offset, xcl_dataflow)) kernel
void f(global int *o, int n) {
  int a[4] __attribute__((xcl_array_partition(complete, 1)));
  int b[4] __attribute__((memory, numbanks(4), aligned(16), bankwidth(8)));
#pragma ivdep safelen(8)
#pragma ii FACTOR
#pragma unroll FACTOR
  first: for (int i = 0; i < n; i++) {
    __attribute__((opencl_unroll_hint(FACTOR))) second: __attribute__((xcl_loop_tripcount(1, 2)))
    while (n) { n--; o[n]++; }
    third: __attribute__((opencl_unroll_hint)) for (int j = 0; j < 4; j++) a[j] = b[j] = j;
    if (n) fourth: __attribute__((opencl_unroll_hint)) for (int j = 0; j < 4; j++) a[j] = j;
    BOTH(fifth)
#pragma nounroll
#pragma max_concurrency 1
    do { o[1]++; } while (o[1]);
  }
  __attribute__((xcl_pipeline_workitems)) { o[0] = a[n] + b[n]; }
}
"#;

fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("clang-15 and clang-22");
    let said = String::from_utf8_lossy(&stderr);
    assert!(status.success() && said.is_empty(), "{command:?}:\n{said}");
    String::from_utf8(stdout).expect("text")
}

/// clang of the version, with the options that clhls gives it.
fn clang(version: u32, standard: &str) -> Command {
    let mut command = Command::new(format!("clang-{version}"));
    match version {
        15 => command.args(["-cc1", "-triple", "spir64-unknown-unknown", "-no-opaque-pointers"]),
        _ => command.arg("--target=spirv64"),
    };
    command.args(["-x", "cl", &format!("-cl-std={standard}")]);
    // What the samples do is beside the point.
    command.arg("-Wno-unused-value");
    command
}

/// Options for whether clang declares what OpenCL C has: the declarations are to be in one of both, the text or its compilation.
fn declares(command: &mut Command, version: u32, declares: bool) {
    match (version, declares) {
        (15, true) => command.args(["-finclude-default-header", "-fdeclare-opencl-builtins"]),
        (15, false) => command.arg("-fdeclare-opencl-builtins"),
        (_, true) => command,
        (_, false) => command.args(["-cl-no-stdinc", "-Xclang", "-fdeclare-opencl-builtins"]),
    };
}

fn preprocessed(version: u32, standard: &str, declared: bool, file: &Path) -> String {
    let mut command = clang(version, standard);
    declares(&mut command, version, declared);
    run(command.args(["-E", "-dD"]).arg(file))
}

/// Compiles a translation to LLVM's text form.
fn compile(version: u32, standard: &str, declared: bool, level: &str, file: &Path) -> String {
    let mut command = clang(version, standard);
    declares(&mut command, version, !declared);
    if version == 15 {
        command.arg("-debug-info-kind=line-tables-only");
    } else {
        command.args(["-S", "-gline-tables-only"]);
    }
    run(command.args([level, "-emit-llvm", "-o", "-"]).arg(file))
}

/// Preprocesses, translates and compiles a sample in all ways, and gives what came of each at `level`.
fn translations(name: &str, sample: &str, level: &str) -> Vec<(Translation, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, sample).expect("a file");
    let mut found = vec![];
    for (version, standard) in [15, 22].iter().flat_map(|v| STANDARDS.map(|s| (*v, s))) {
        // the optimised ones from a text with declarations, the others from one without
        for (compiled, declared) in [("-O2", true), ("-O0", false)] {
            let text = preprocessed(version, standard, declared, &file);
            let translation =
                translate(&text).unwrap_or_else(|p| panic!("{}: {}", p.line, p.message));
            let new = translation.text.as_deref().expect("the text changes");
            let translated = folder.path().join("translated.cl");
            std::fs::write(&translated, new).expect("a file");
            let module = compile(version, standard, declared, compiled, &translated);
            if compiled == level {
                found.push((translation, module));
            }
        }
    }
    found
}

#[test]
fn channels_compile() {
    for (_, module) in translations("channels.cl", CHANNELS, "-O2") {
        for symbol in [
            "@clhls.channel.a.0 = external",
            "@clhls.channel.b.8 = external",
            "@clhls.channel.p.3 = external",
            "@clhls.channel.q.3.io.host_in_1 = external",
            "@clhls.channel.r.3 = external",
            "@clhls.channel.c.0 = external",
            "clhls_channel_read",
            "clhls_channel_write_nb",
        ] {
            assert!(module.contains(symbol), "no {symbol} in\n{module}");
        }
    }
}

#[test]
fn pipes_at_program_scope_compile() {
    for (_, module) in translations("pipes.cl", PIPES, "-O2") {
        for symbol in ["@clhls.channel.p.32 = external", "@clhls.channel.q.16 = external"] {
            assert!(module.contains(symbol), "no {symbol} in\n{module}");
        }
        for function in ["read", "write", "read_nb", "write_nb", "count", "most"] {
            assert!(module.contains(&format!("clhls_channel_{function}P")), "{function}\n{module}");
        }
    }
}

/// Whether debug info names the place: as a location of its own.
fn names_place(module: &str, line: u32, column: u32) -> bool {
    module.contains(&format!("DILocation(line: {line}, column: {column},"))
}

#[test]
fn loops_compile_where_hints_say_they_are() {
    for (translation, module) in translations("loops.cl", LOOPS, "-O0") {
        let mut said = vec![];
        for hint in &translation.hints {
            let Hint::Loop(hint) = hint else { panic!("{hint}") };
            assert!(hint.file.ends_with("loops.cl"), "{}", hint.file);
            let place = names_place(&module, hint.line, hint.column);
            assert!(place, "{}:{}:\n{module}", hint.line, hint.column);
            said.push((hint.line, hint.independent, hint.distance, hint.interval, hint.no_unroll));
        }
        let expected = [
            (11, true, Some(8), Some(2), false),
            (16, false, None, Some(3), false),
            (19, false, None, None, true),
        ];
        assert_eq!(said, expected);
        assert!(module.contains("llvm.loop.unroll"), "{module}");
    }
}
