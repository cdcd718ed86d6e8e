//! Loops that repeat an attempt at a connected pipe: those that only wait, in whatever shape compilers leave them, and those that do something else.

use crate::common::{Outcome, Source, clhls, outcome, program, text};
use driver::{DONE, FAILED};

const KERNELS: &str = r#"
#define TASK kernel __attribute__((reqd_work_group_size(1, 1, 1)))
TASK void fill(read_only pipe int p, global int *b, int n) {
  for (int i = 0; i < n; i++) while (read_pipe(p, &b[i]) != 0) {}
}
TASK void drain(write_only pipe int p, global const int *b, int n) {
  for (int i = 0; i < n; i++) while (write_pipe(p, &b[i]) != 0) {}
}
TASK void count(write_only pipe int p, int n) {
  for (int i = 0; i < n; i++) while (write_pipe(p, &i) != 0) {}
}
TASK void tries(write_only pipe int p, global int *b, int n) {
  int failed = 0;
  for (int i = 0; i < n; i++) while (write_pipe(p, &i) != 0) failed++;
  b[0] = failed > 0;
}
TASK void once(write_only pipe int p, global int *b, int n) {
  int sent = 0;
  for (int i = 0; i < n; i++) if (write_pipe(p, &i) == 0) sent++;
  b[0] = sent;
}
TASK void two(write_only pipe int a, write_only pipe int b) {
  for (int i = 0; i < 2000; i++) while (write_pipe(a, &i) != 0) {}
  for (int i = 0; i < 3; i++) while (write_pipe(b, &i) != 0) {}
}
TASK void other(read_only pipe int a, read_only pipe int b, global int *o) {
  for (int i = 0; i < 3; i++) while (read_pipe(b, &o[i]) != 0) {}
  for (int i = 0; i < 2000; i++) while (read_pipe(a, &o[3 + i]) != 0) {}
}
"#;

impl Source {
    /// Runs a kernel whose pipe is a stream for 16 packets.
    fn run_on(&self, kernel: &str, device: &[&str], args: &[&str]) -> Outcome {
        let mut command = program();
        command.args(["run", text(&self.path), "--cl-std", "CL2.0", "--global", "1", "-q"]);
        command.args(["--kernel", kernel, "--connect", &format!("{kernel}.p=stream:16")]);
        command.arg("--device").args(device);
        command.args(args.iter().flat_map(|arg| ["--arg", *arg]));
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env("CLHLS_SIM_MODEL", "quick");
        outcome(&command.output().expect("ran"))
    }

    /// The optimised IR of a kernel.
    fn optimised(&self, kernel: &str, compiler: &str) -> String {
        let connect = format!("{kernel}.p=stream:16");
        let o = clhls(&[
            "build",
            text(&self.path),
            "--cl-std",
            "CL2.0",
            "-q",
            "--kernel",
            kernel,
            "--connect",
            &connect,
            "--board",
            "u250",
            "--emit",
            "opt",
            "--compiler",
            compiler,
        ]);
        assert_eq!(o.code, DONE, "{kernel}: {}", o.err);
        o.out
    }
}

/// How many cycles a launch took.
fn cycles(o: &Outcome) -> u64 {
    let text = o.out.split(" cycles").next().and_then(|s| s.rsplit(' ').next());
    text.and_then(|n| n.replace(',', "").parse().ok()).unwrap_or_else(|| panic!("{}", o.out))
}

#[test]
fn attempts_that_only_wait_are_waits_from_both_compilers() {
    let case = Source::new(KERNELS);
    for compiler in ["clang-22", "clang-15"] {
        for (kernel, waits) in
            [("fill", "pipe.read 0"), ("drain", "pipe.write 0"), ("count", "pipe.write 0")]
        {
            let ir = case.optimised(kernel, compiler);
            assert!(ir.contains(waits) && !ir.contains("pipe.take"), "{kernel} {compiler}: {ir}");
        }
        for kernel in ["tries", "once"] {
            let ir = case.optimised(kernel, compiler);
            assert!(ir.contains("pipe.take_room 0"), "{kernel} {compiler}: {ir}");
        }
    }
}

#[test]
fn packets_go_a_cycle_each_and_are_the_same_on_every_device() {
    let case = Source::new(KERNELS);
    let sim = ["sim", "--board", "u250"];
    let devices = [&["emu"][..], &["native"], &sim];
    for device in devices {
        for (kernel, args, says) in [
            (
                "fill",
                &["p=pipe:600:iota:i32[500]", "b=zeros:i32[500]", "n=500"][..],
                "b: i32[500] 0 1 2 3 4 5 6 7 ...",
            ),
            (
                "drain",
                &["p=pipe:600:zeros:i32[0]", "b=iota:i32[500]", "n=500"],
                "p: i32[500] 0 1 2 3 4 5 6 7 ...",
            ),
            ("count", &["p=pipe:600:zeros:i32[0]", "n=500"], "p: i32[500] 0 1 2 3 4 5 6 7 ..."),
        ] {
            let o = case.run_on(kernel, device, args);
            assert_eq!(o.code, DONE, "{kernel} {device:?}: {}", o.err);
            assert!(o.out.contains(says), "{kernel} {device:?}: {}", o.out);
            if device[0] == "sim" {
                let spent = cycles(&o);
                assert!(spent < 2000, "{kernel} {device:?}: {spent} cycles for 500 packets");
            }
        }
        let full = ["p=pipe:600:zeros:i32[0]", "b=zeros:i32[1]", "n=500"];
        let o = case.run_on("tries", device, &full);
        assert!(o.code == DONE && o.out.contains("p: i32[500] 0 1 2 3 4"), "{device:?}: {}", o.err);
    }
}

/// The shell of ULX3S has no streams: there one kernel waits for the other.
#[test]
fn kernels_that_wait_for_one_another_run_on_small_boards() {
    let case = Source::new(KERNELS);
    let mut command = program();
    command.args(["run", text(&case.path), "--cl-std", "CL2.0", "--global", "1", "-q"]);
    command.args(["--kernel", "fill", "--connect", "count.p=fill.p:16", "--device", "sim"]);
    command.args(["--board", "ulx3s", "--arg", "b=zeros:i32[100]", "--arg", "n=100"]);
    command.args(["--beside", "count global=1 n=100"]);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick");
    let o = outcome(&command.output().expect("ran"));
    assert_eq!(o.code, DONE, "{}", o.err);
    assert!(o.out.contains("b: i32[100] 0 1 2 3 4 5 6 7 ..."), "{}", o.out);
}

/// What is written before the reader comes to it decides the depth, or is refused.
#[test]
fn loops_that_wait_count_for_deadlocks_and_depths() {
    let case = Source::new(KERNELS);
    let out = case.path.with_file_name("out");
    let kernels = ["--kernel", "two", "--kernel", "other", "--connect", "two.b=other.b:16"];
    let options = ["--cl-std", "CL2.0", "-q", "--board", "u250", "-o", text(&out)];
    let build = |connect: &str| {
        let args = ["build", text(&case.path), "--connect", connect];
        clhls(&[&args[..], &options, &kernels].concat())
    };
    let o = build("two.a=other.a:64");
    assert_eq!(o.code, FAILED, "{}", o.err);
    assert!(o.err.contains("error[E0405]"), "{}", o.err);
    let o = build("two.a=other.a");
    assert_eq!(o.code, DONE, "{}", o.err);
    // All that `two` writes to a comes before what `other` waits for.
    let report = clhls(&["report", text(&out)]).out;
    assert!(report.contains("pipe `a` holds 2000 packets"), "{report}");
}
