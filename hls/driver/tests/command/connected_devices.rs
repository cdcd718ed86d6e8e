//! Connected pipes on all devices: depths, reservations, designs of which a part is launched, kernels that are their own other end; and
//! what is said of connections that do not fit the kernels.

use crate::common::{Outcome, clhls, outcome, program, text};
use driver::{DONE, FAILED};
use std::path::{Path, PathBuf};

const DEVICES: [&str; 3] = ["emu", "native", "sim"];

const KERNELS: &str = r#"
int told(read_only pipe int from) { return get_pipe_max_packets(from); }
kernel void a(write_only pipe int to, global int *o) {
  o[0] = get_pipe_max_packets(to);
  for (int x = 0; x < 9; x++)
    while (write_pipe(to, &x)) {}
}
kernel void b(read_only pipe int from, global int *o) {
  int sum = 0;
  for (int k = 0; k < 9; k++) {
    int x;
    while (read_pipe(from, &x)) {}
    sum += x;
  }
  o[0] = sum;
  o[1] = told(from);
}
kernel void m(write_only pipe int rq, read_only pipe int rs) {
  int x = 3;
  while (write_pipe(rq, &x)) {}
  while (read_pipe(rs, &x)) {}
}
kernel void s(read_only pipe int rq, write_only pipe int rs) {
  int x;
  while (read_pipe(rq, &x)) {}
  while (write_pipe(rs, &x)) {}
}
kernel void wide(read_only pipe long in) {
  long x;
  while (read_pipe(in, &x)) {}
}
kernel void r(write_only pipe int p, global int *o, int n) {
  reserve_id_t id = reserve_write_pipe(p, n);
  o[0] = is_valid_reserve_id(id);
  if (o[0]) {
    for (int i = 0; i < n; i++) write_pipe(p, id, i, &i);
    commit_write_pipe(p, id);
  }
  o[1] = get_pipe_max_packets(p);
}
kernel void loop(write_only pipe int w, read_only pipe int r, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    int v = i * i;
    while (write_pipe(w, &v)) {}
    int x;
    while (read_pipe(r, &x)) {}
    o[i] = x + 1;
  }
}
kernel void starved(write_only pipe int w, read_only pipe int r) {
  int x = 1;
  while (write_pipe(w, &x)) {}
  while (read_pipe(r, &x)) {}
  while (read_pipe(r, &x)) {}
}
kernel void ask(write_only pipe int question, read_only pipe int reply, global int *o, int n) {
  int carry = 0;
  for (int i = 0; i < n; i++) {
    int x = 10 * i + carry;
    while (write_pipe(question, &x)) {}
    while (read_pipe(reply, &x)) {}
    o[i] = x;
    carry = x & 7;
  }
}
kernel void answer(read_only pipe int question, write_only pipe int reply, int n) {
  for (int i = 0; i < n; i++) {
    int x;
    while (read_pipe(question, &x)) {}
    x = 3 * x + 1;
    while (write_pipe(reply, &x)) {}
  }
}
kernel void cautious(read_only pipe int in, write_only pipe int out) {
  int x;
  while (read_pipe(in, &x)) {}
  while (write_pipe(out, &x)) {}
}
kernel void polite(read_only pipe int in, write_only pipe int out) {
  int x;
  while (read_pipe(in, &x)) {}
  while (write_pipe(out, &x)) {}
}
kernel void fill(write_only pipe int p, write_only pipe int tell, global int *o) {
  int done = 0;
  for (int i = 0; i < 50; i++)
    if (write_pipe(p, &i) == 0) done++;
  o[0] = get_pipe_num_packets(p) <= get_pipe_max_packets(p);
  o[1] = done;
  while (write_pipe(tell, &done)) {}
}
kernel void count(read_only pipe int p, read_only pipe int told, global int *o) {
  int n;
  while (read_pipe(told, &n)) {}
  o[0] = get_pipe_num_packets(p);
  for (int x; n > 0;)
    if (read_pipe(p, &x) == 0) n--;
  o[1] = get_pipe_num_packets(p);
}
kernel void idle(write_only pipe int8 p) {}
kernel void listen(read_only pipe int8 p, global int *o) {
  int8 x = 0;
  o[0] = read_pipe(p, &x);
  o[1] = get_pipe_num_packets(p);
}
"#;

/// All connections of the kernels; each launch needs some of them.
const DESIGN: &str = r#"
[[connect]]
from = "a.to"
to = "b.from"
depth = 4

[[connect]]
from = "m.rq"
to = "s.rq"

[[connect]]
from = "s.rs"
to = "m.rs"

[[connect]]
from = "loop.w"
to = "loop.r"
depth = 2

[[connect]]
from = "starved.w"
to = "starved.r"
depth = 2

[[connect]]
from = "ask.question"
to = "answer.question"
depth = 3

[[connect]]
from = "answer.reply"
to = "ask.reply"
depth = 3

[[connect]]
from = "cautious.out"
to = "polite.in"
depth = 5

[[connect]]
from = "polite.out"
to = "cautious.in"
depth = 5

[[connect]]
from = "fill.p"
to = "count.p"
depth = 4

[[connect]]
from = "fill.tell"
to = "count.told"
depth = 4

[[connect]]
from = "idle.p"
to = "listen.p"
depth = 4

[[stream]]
arg = "r.p"
depth = 16
"#;

struct Case {
    _dir: tempfile::TempDir,
    source: PathBuf,
    design: PathBuf,
}

fn case(design: &str) -> Case {
    let dir = tempfile::tempdir().expect("scratch");
    let (source, file) = (dir.path().join("k.cl"), dir.path().join("d.toml"));
    std::fs::write(&source, KERNELS).expect("written");
    std::fs::write(&file, design).expect("written");
    Case { _dir: dir, source, design: file }
}

impl Case {
    /// Runs a kernel of one work-item.
    fn run(&self, device: &str, kernel: &str, args: &[&str]) -> Outcome {
        let mut command = program();
        command.args(["run", text(&self.source), "-q", "--cl-std", "CL2.0", "--global", "1"]);
        command.args(["--design", text(&self.design), "--device", device, "--kernel", kernel]);
        command.args(args);
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env("CLHLS_SIM_MODEL", "quick");
        outcome(&command.output().expect("ran"))
    }
}

fn with(command: &str, source: &Path, options: &[&str]) -> Outcome {
    clhls(&[&[command, text(source), "--cl-std", "CL2.0"][..], options].concat())
}

#[test]
fn kernels_are_told_the_depth_and_get_nine_packets_through_a_pipe_of_four() {
    let case = case(DESIGN);
    let beside = ["--arg", "o=zeros:i32[1]", "--beside", "b global=1 o=zeros:i32[2]"];
    // What pipe arguments are given does not matter.
    let given = [
        "--arg",
        "o=zeros:i32[1]",
        "--arg",
        "to=pipe:1:zeros:i32[0]",
        "--beside",
        "b global=1 o=zeros:i32[2] from=pipe:9:data:i32[2]:7,7",
    ];
    for device in DEVICES {
        for args in [&beside[..], &given] {
            let o = case.run(device, "a", args);
            assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
            for part in ["o: i32[1] 4\n", "o: i32[2] 36 4\n"] {
                assert!(o.out.contains(part), "{device}: {}", o.out);
            }
        }
    }
}

/// More may be on the way in hardware, whose units have queues of their own.
#[test]
fn no_more_packets_are_told_than_the_pipe_has() {
    let case = case(DESIGN);
    for device in DEVICES {
        let args = ["--arg", "o=zeros:i32[2]", "--beside", "count global=1 o=zeros:i32[2]"];
        let o = case.run(device, "fill", &args);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        let taken = if device == "sim" { "o: i32[2] 1 " } else { "o: i32[2] 1 4\n" };
        for part in [taken, "o: i32[2] 4 0\n"] {
            assert!(o.out.contains(part), "{device}: {}", o.out);
        }
    }
}

/// A kernel that does nothing with its end of a pipe has packets of the size of the other end.
#[test]
fn an_end_may_be_unused() {
    let case = case(DESIGN);
    for device in DEVICES {
        let o =
            case.run(device, "listen", &["--arg", "o=zeros:i32[2]", "--beside", "idle global=1"]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert!(o.out.contains("o: i32[2] -1 0\n"), "{device}: {}", o.out);
    }
}

#[test]
fn no_device_reserves_more_than_the_pipe_holds() {
    let case = case(DESIGN);
    for (device, n, valid) in DEVICES.into_iter().flat_map(|d| [(d, "16", 1), (d, "17", 0)]) {
        let n = format!("n={n}");
        let args = ["--arg", "o=zeros:i32[2]", "--arg", "p=pipe:64:zeros:i32[0]", "--arg", &n];
        let o = case.run(device, "r", &args);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert!(o.out.contains(&format!("o: i32[2] {valid} 16\n")), "{device}, {n}: {}", o.out);
    }
}

#[test]
fn a_kernel_can_be_its_own_other_end() {
    let case = case(DESIGN);
    for device in DEVICES {
        let o = case.run(device, "loop", &["--arg", "o=zeros:i32[5]", "--arg", "n=5"]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert!(o.out.contains("o: i32[5] 1 2 5 10 17\n"), "{device}: {}", o.out);
        let o = case.run(device, "starved", &[]);
        assert_eq!(o.code, FAILED, "{device}");
        for part in ["0 of 2 packets", "kernel `starved` writes it as `w`", "waits"] {
            assert!(o.err.contains(part), "{device}: {}", o.err);
        }
    }
    let o = case.run("sim", "loop", &["--arg", "o=zeros:i32[5]", "--arg", "n=5", "--profile"]);
    let what = "error[E0613]: --profile does nothing with kernel `loop`";
    assert!(o.code == FAILED && o.err.contains(what), "{}", o.err);

    let out = case.source.with_file_name("out");
    for (board, file, wired) in [
        ("u250", "link.cfg", "stream_connect=loop_1.axis_w:loop_1.axis_r\n"),
        ("ulx3s", "shell/clhls_uart_bridge_system.v", ".axis_r_tdata(link0_tdata)"),
    ] {
        let options = ["--kernel", "loop", "--connect", "loop.w=loop.r:2", "--board", board];
        let o = with("build", &case.source, &[&options[..], &["-q", "-o", text(&out)]].concat());
        assert_eq!(o.code, DONE, "{}", o.err);
        let text = std::fs::read_to_string(out.join("package").join(file)).expect("written");
        assert!(text.contains(wired), "{text}");
        std::fs::remove_dir_all(&out).expect("removed");
    }
}

#[test]
fn kernels_that_wait_for_one_another_run_on_every_device() {
    let case = case(DESIGN);
    let (mut want, mut carry) = (vec![], 0);
    for i in 0..40 {
        let reply = 3 * (10 * i + carry) + 1;
        want.push(reply.to_string());
        carry = reply & 7;
    }
    let want = format!("o: i32[40] {} ...", want[..8].join(" "));
    let asks = ["--arg", "n=40", "--arg", "o=zeros:i32[40]", "--beside", "answer global=1 n=40"];
    let answers = ["--arg", "n=40", "--beside", "ask global=1 n=40 o=zeros:i32[40]"];
    let seeds = [["--seed", "1"], ["--seed", "2"]];
    let cases = DEVICES.into_iter().map(|device| (device, &[][..]));
    for (device, more) in cases.chain(seeds.iter().map(|seed| ("emu", &seed[..]))) {
        for (kernel, args) in [("ask", &asks[..]), ("answer", &answers)] {
            let o = case.run(device, kernel, &[args, more].concat());
            assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{kernel} on {device} {more:?}");
            assert!(o.out.contains(&want), "{kernel} on {device}: {} instead of {want}", o.out);
        }
    }
}

#[test]
fn kernels_that_wait_for_one_another_in_vain_are_both_named() {
    let case = case(DESIGN);
    let options = ["--beside", "polite global=1", "--poll-limit", "2000"];
    for (device, waits) in
        [("emu", "tries to get a packet of its pipe `in`"), ("native", "waits too")]
    {
        let o = case.run(device, "cautious", &options);
        let places = [("polite", "cautious"), ("cautious", "polite")].map(|(kernel, other)| {
            let text = format!("kernel `{other}` writes it as `out` at k.cl:");
            o.err.contains(&format!("kernel `{kernel}` tries again and again to get packets of pipe `in`, which holds 0 of 5 packets"))
                && o.err.lines().any(|line| line.contains(&text) && line.contains(waits))
        });
        assert_eq!(o.code, FAILED, "{device}");
        // whoever comes to the limit first
        assert!(places.contains(&true), "{device}: {}", o.err);
    }
}

#[test]
fn a_kernel_is_launched_once() {
    let case = case(DESIGN);
    for beside in [&["a"][..], &["b", "b"]] {
        let mut args = vec!["--arg".to_owned(), "o=zeros:i32[1]".to_owned()];
        for kernel in beside {
            args.extend(["--beside".into(), format!("{kernel} global=1 o=zeros:i32[2]")]);
        }
        let o = case.run("emu", "a", &args.iter().map(String::as_str).collect::<Vec<_>>());
        let again = beside.last().expect("one");
        let what = format!("error[E0613]: --beside {again}: kernel `{again}` is launched already");
        assert!(o.code == FAILED && o.err.contains(&what), "{}", o.err);
    }
}

/// `(connections, what is said, where)`
const WRONG: [(&[&str], &str, &str); 9] = [
    (
        &["a.to=b.from", "a.to=m.rs:2"],
        "`a.to` is connected twice: --connect a.to=b.from and --connect a.to=m.rs:2",
        "--> k.cl:",
    ),
    (
        &["a.to=stream:x", "a.0=b.from"],
        "`a.0` is connected twice: --connect a.to=stream:x and --connect a.0=b.from",
        "--> k.cl:",
    ),
    (&["a.to=a.to"], "`a.to` is connected to itself: --connect a.to=a.to", "--> k.cl:"),
    (
        &["b.from=a.to:8"],
        "--connect b.from=a.to:8: kernel `b` reads pipe `from`, and kernel `a` writes pipe `to`",
        "the end that writes comes first: --connect a.to=b.from:8",
    ),
    (
        &["a.to=m.rq"],
        "--connect a.to=m.rq: kernel `a` writes pipe `to`, and kernel `m` writes pipe `rq`",
        "k.cl:20:",
    ),
    (
        &["a.to=wide.in"],
        "kernel `a` writes pipe `to` in packets of 4 bytes, kernel `wide` reads pipe `in` in packets of 8",
        "k.cl:30:",
    ),
    (
        &["m.rq=stream:x", "m.rs=stream:x"],
        "kernel `m`: the streams of pipes `rq` and `rs` would both be `x`",
        "--> k.cl:",
    ),
    (&["a.nothing=b.from"], "connected: kernel `a` has no argument `nothing`", "error[E0119]"),
    (&["q.x=b.from"], "connected: `q.x`, but there is no kernel `q`", "error[E0119]"),
];

#[test]
fn connections_that_do_not_fit_are_told_by_every_command() {
    let case = case(DESIGN);
    let out = case.source.with_file_name("out");
    for (connections, what, place) in WRONG {
        let connect: Vec<&str> = connections.iter().flat_map(|c| ["--connect", *c]).collect();
        let run = ["--kernel", "a", "--global", "1", "--arg", "o=zeros:i32[1]"];
        let run = [&run[..], &["--beside", "b global=1 o=zeros:i32[1]"]].concat();
        let run = [&run[..], &["--beside", "m global=1", "--beside", "wide global=1"]].concat();
        let native = [&run[..], &["--device", "native"]].concat();
        let build = ["--board", "u250", "-o", text(&out)];
        for (command, options) in
            [("check", &[][..]), ("build", &build), ("run", &run), ("run", &native)]
        {
            let o = with(command, &case.source, &[options, &connect].concat());
            assert_eq!(o.code, FAILED, "{command} {connections:?}");
            for part in ["error[E0119]", what, place] {
                assert!(o.err.contains(part), "{command} {connections:?}: {}", o.err);
            }
        }
        assert!(!out.exists(), "nothing half-written");
    }
}

#[test]
fn both_lines_of_a_design_file_are_named_that_connect_an_argument() {
    let twice = "[[connect]]\nfrom = \"a.to\"\nto = \"b.from\"\ndepth = 8\n\n[[stream]]\narg = \"a.to\"\nname = \"s_axis\"\n";
    let case = case(twice);
    let o = with("check", &case.source, &["--design", text(&case.design)]);
    assert_eq!(o.code, FAILED);
    for part in ["`a.to` is connected twice", "d.toml:1: key `connect`", "d.toml:6: key `stream`"] {
        assert!(o.err.contains(part), "{}", o.err);
    }
}
