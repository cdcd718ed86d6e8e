//! Connected pipes as simulated hardware: how fast, and what is said of a kernel that waits in vain.

use crate::common::{Outcome, clhls, outcome, program, text};
use driver::DONE;

/// Adds its number to each of `n` packets, a packet an iteration.
const KERNEL: &str = r#"module "m" addr 64 cl 200

kernel f0 "number" {
  arg 0 "in" "int" pipe read 4 connected 32 size 16 align 8
  arg 1 "out" "int" pipe write 4 connected 16 size 16 align 8
  arg 2 "n" "uint" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 2
  v1:i32 = const 0
  v2:i32 = const 1
  jump b1(v1)
b1(v3:i32):
  e0 v4:i32 = pipe.read 0 @0:7:9
  v5:i32 = add v4, v3
  e1 = pipe.write 1 v5 after e0 @0:8:9
  v6:i32 = add v3, v2
  v7:i1 = icmp.ult v6, v0
  br v7, b1(v6), b2
b2:
  ret
}
"#;

fn simulate(built: &std::path::Path, packets: &str, room: &str, n: &str) -> Outcome {
    let mut command = program();
    let args = [format!("in=pipe:1000:{packets}"), format!("out={room}"), format!("n={n}")];
    command.args(["run", text(built), "--global", "1", "--json"]);
    args.iter().for_each(|a| {
        command.args(["--arg", a]);
    });
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    outcome(&command.output().expect("ran"))
}

#[test]
fn a_packet_an_iteration_passes_and_who_waits_in_vain_is_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, built) = (dir.path().join("k.clir"), dir.path().join("out"));
    std::fs::write(&input, KERNEL).expect("written");
    let o = clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&built)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let report = clhls(&["report", text(&built)]).out;
    assert!(report.contains("pipelined, II 1"), "{report}");
    assert!(report.contains("AXI4-Stream axis_in into the kernel, 32 bits"), "{report}");

    let o = simulate(&built, "iota:i32[1000]", "pipe:1000:zeros:i32[0]", "1000");
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let value: serde_json::Value = serde_json::from_str(&o.out).expect("one object");
    let cycles = value["cycles"].as_u64().expect("a number");
    assert!((1000..1100).contains(&cycles), "{cycles} cycles for a thousand packets");

    let o = simulate(&built, "iota:i32[10]", "pipe:1000:zeros:i32[0]", "11");
    assert_ne!(o.code, DONE);
    assert!(o.err.contains("pipe `in` is empty, and the kernel waits"), "{}", o.err);
    let o = simulate(&built, "iota:i32[100]", "pipe:20:zeros:i32[0]", "100");
    assert!(o.err.contains("pipe `out` is full, and the kernel has another packet"), "{}", o.err);
}

/// Three kernels, the first of which makes numbers, the last of which adds them up.
const CHAIN: &str = r#"
kernel f1 "make" {
  arg 0 "out" "int" pipe write 4 connected 4 size 16 align 8
  arg 1 "n" "uint" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 1
  v1:i32 = const 0
  v2:i32 = const 1
  jump b1(v1)
b1(v3:i32):
  e0 = pipe.write 0 v3
  v4:i32 = add v3, v2
  v5:i1 = icmp.ult v4, v0
  br v5, b1(v4), b2
b2:
  ret
}

kernel f2 "sum" {
  arg 0 "in" "int" pipe read 4 connected 4 size 16 align 8
  arg 1 "n" "uint" i32 size 4 align 4
  arg 2 "total" "uint*" global size 8 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 1
  v1:i32 = const 0
  v2:i32 = const 1
  v6:ptr.global = arg 2
  jump b1(v1, v1)
b1(v3:i32, v7:i32):
  e0 v8:i32 = pipe.read 0
  v9:i32 = add v7, v8
  v4:i32 = add v3, v2
  v5:i1 = icmp.ult v4, v0
  br v5, b1(v4, v9), b2
b2:
  e1 = store v6, v9 align 4
  ret
}
"#;

#[test]
fn kernels_run_at_once_and_pass_a_packet_a_cycle() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, built) = (dir.path().join("k.clir"), dir.path().join("out"));
    std::fs::write(&input, format!("{KERNEL}{CHAIN}")).expect("written");
    let links = ["--connect", "make.out=number.in:4", "--connect", "number.out=sum.in:4"];
    let args = ["build", text(&input), "--board", "u250", "-q", "-o", text(&built)];
    let o = clhls(&[&args[..], &links].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let link = std::fs::read_to_string(built.join("package/link.cfg")).expect("written");
    assert!(link.contains("stream_connect=make_1.axis_out:number_1.axis_in\n"), "{link}");

    let run = |n: &str, made: &str| {
        let mut command = program();
        let beside = [format!("make global=1 n={made}"), format!("number global=1 n={n}")];
        let (n, total) = (format!("n={n}"), "total=zeros:u32[1]");
        command.args(["run", text(&built), "--kernel", "sum", "--global", "1", "--json"]);
        command.args(["--arg", &n, "--arg", total]);
        command.args(["--beside", &beside[0], "--beside", &beside[1]]);
        command.arg("--out").arg(format!("total={}", text(&dir.path().join("total.npy"))));
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        outcome(&command.output().expect("ran"))
    };
    let o = run("1000", "1000");
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let value: serde_json::Value = serde_json::from_str(&o.out).expect("one object");
    let cycles = value["cycles"].as_u64().expect("a number");
    assert!((1000..1200).contains(&cycles), "{cycles} cycles for a thousand packets");
    assert_eq!(value["beside"].as_array().map(Vec::len), Some(2));
    let npy = std::fs::read(dir.path().join("total.npy")).expect("written");
    // 0 to 999, each with its number added
    assert_eq!(npy[npy.len() - 4..], 999_000u32.to_le_bytes());

    let o = run("1000", "999");
    assert_ne!(o.code, DONE);
    // both that read, each for its own pipe; the one that made too few is done
    assert_eq!(o.err.matches("pipe `in` is empty, and the kernel waits").count(), 2, "{}", o.err);
}

#[test]
fn two_packets_an_iteration_are_the_reason_of_the_interval() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, built) = (dir.path().join("k.clir"), dir.path().join("out"));
    let two = KERNEL
        .replace("v5:i32 = add v4, v3", "e2 v8:i32 = pipe.read 0 after e0\n  v5:i32 = add v4, v8");
    let two = two.replace("v5 after e0 ", "v5 after e2 ");
    // `ivdep` speaks of memory: packets keep their order.
    for text_of_it in [two.clone(), two.replace("b1(v3:i32):", "b1(v3:i32): loop ivdep")] {
        std::fs::write(&input, text_of_it).expect("written");
        let o = clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&built)]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""));
        let report = clhls(&["report", text(&built)]).out;
        assert!(report.contains("it reads or writes pipe `in` more than once"), "{report}");
    }
}

#[test]
fn connections_that_cannot_be_are_usage_or_input_errors() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/connected_pipe.spv"
    );
    let build = |connect: &str, board: &str| {
        clhls(&[
            "build",
            path,
            "--board",
            board,
            "--kernel",
            "forward",
            "--connect",
            connect,
            "--emit",
            "verilog",
        ])
    };
    let o = build("forward.in", "unit");
    assert!(o.code == 2 && o.err.contains("KERNEL.ARG=stream"), "{}", o.err);
    let o = build("forward.nothing=stream", "unit");
    assert!(o.code == 1 && o.err.contains("error[E0119]"), "{}", o.err);
    let dir = tempfile::tempdir().expect("scratch");
    let out = dir.path().join("out");
    let args = [
        "build",
        path,
        "--kernel",
        "forward",
        "--connect",
        "forward.in=stream",
        "-o",
        text(&out),
        "-q",
    ];
    let o = clhls(&[&args[..], &["--board", "ulx3s"]].concat());
    assert!(o.code == 1 && o.err.contains("the shell of ulx3s has none"), "{}", o.err);
    assert!(!out.exists(), "nothing half-written");
    let o = clhls(&[&args[..], &["--board", "u250"]].concat());
    assert_eq!(o.code, DONE, "{}", o.err);
    let xml = std::fs::read_to_string(out.join("package/forward/kernel.xml")).expect("written");
    let port = r#"<port name="axis_in" mode="read_only" dataWidth="32" portType="stream"/>"#;
    assert!(xml.contains(port), "{xml}");
    let arg = r#"<arg name="in" addressQualifier="4""#;
    assert!(xml.contains(arg), "{xml}");
}
