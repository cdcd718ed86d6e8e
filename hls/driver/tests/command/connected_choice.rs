//! Connected pipes of which a condition chooses one: compilers make one call of the two in `if (c) write_pipe(a, &v); else write_pipe(b, &v);`.
//! On all devices, from both compilers, with all pipes connected and with some in memory.

use crate::common::{Outcome, Source, clhls, outcome, program, text};
use driver::{DONE, FAILED};

const KERNELS: &str = r#"
#define TASK kernel __attribute__((reqd_work_group_size(1, 1, 1)))
TASK void divide(global const int *in, write_only pipe int a, write_only pipe int b, write_only pipe int c, int n) {
  for (int i = 0; i < n; i++) {
    int v = in[i];
    if (v % 3 == 0) write_pipe(a, &v);
    else if (v % 3 == 1) write_pipe(b, &v);
    else write_pipe(c, &v);
  }
}
TASK void unite(read_only pipe int a, read_only pipe int b, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    int v = -1, e;
    if (i & 1) e = read_pipe(a, &v);
    else e = read_pipe(b, &v);
    o[i] = v + 100 * e;
  }
}
TASK void reserve(read_only pipe int a, read_only pipe int b, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    int v = 0, e = 0;
    reserve_id_t r;
    if (i & 1) r = reserve_read_pipe(a, 2);
    else r = reserve_read_pipe(b, 2);
    if (is_valid_reserve_id(r)) {
      if (i & 1) { e = read_pipe(a, r, 1, &v); commit_read_pipe(a, r); }
      else { e = read_pipe(b, r, 1, &v); commit_read_pipe(b, r); }
    } else if (i & 1) e = 3 + read_pipe(a, &v);
    else e = 5 + read_pipe(b, &v);
    o[i] = v + 100 * e;
  }
}
TASK void patient(read_only pipe int a, read_only pipe int b, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    int v = 0, e;
    if (i < 4) {
      do {
        if (i & 1) e = read_pipe(a, &v);
        else e = read_pipe(b, &v);
      } while (e);
    } else {
      reserve_id_t r;
      do {
        if (i & 1) r = reserve_read_pipe(a, 2);
        else r = reserve_read_pipe(b, 2);
      } while (!is_valid_reserve_id(r));
      if (i & 1) { e = read_pipe(a, r, 1, &v); commit_read_pipe(a, r); }
      else { e = read_pipe(b, r, 1, &v); commit_read_pipe(b, r); }
    }
    o[i] = v + 100 * e;
  }
}
TASK void told(read_only pipe int a, read_only pipe int b, global int *o, int n) {
  for (int i = 0; i < 4; i++) {
    uint m;
    if (i & n) m = get_pipe_max_packets(a);
    else m = get_pipe_max_packets(b);
    reserve_id_t r;
    if (i & n) r = reserve_read_pipe(a, 5);
    else r = reserve_read_pipe(b, 5);
    o[i] = m + 100 * is_valid_reserve_id(r);
    if (is_valid_reserve_id(r)) {
      if (i & n) commit_read_pipe(a, r);
      else commit_read_pipe(b, r);
    }
  }
}
TASK void ring(write_only pipe int a, write_only pipe int b, read_only pipe int c, read_only pipe int d, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    int v = 3 * i, e;
    do {
      if (i % 3) e = write_pipe(a, &v);
      else e = write_pipe(b, &v);
    } while (e);
    do {
      if (i % 3) e = read_pipe(c, &v);
      else e = read_pipe(d, &v);
    } while (e);
    o[i] = v;
  }
}
__attribute__((noinline)) int put(write_only pipe int to, int v) {
  int w = 2 * v;
  if (write_pipe(to, &v)) return 1;
  return write_pipe(to, &w);
}
TASK void handed(write_only pipe int a, write_only pipe int b, global int *o, int n) {
  for (int i = 0; i < n; i++) {
    if (i % 3 == 0) o[i] = put(a, i);
    else o[i] = put(b, i);
  }
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void group(read_only pipe int a, read_only pipe int b, global int *o, int n) {
  int k = get_local_id(0), v = -1;
  reserve_id_t r;
  do {
    if (n) r = work_group_reserve_read_pipe(a, 8);
    else r = work_group_reserve_read_pipe(b, 8);
  } while (!is_valid_reserve_id(r));
  if (n) read_pipe(a, r, k, &v);
  else read_pipe(b, r, k, &v);
  if (n) work_group_commit_read_pipe(a, r);
  else work_group_commit_read_pipe(b, r);
  o[k] = v;
}
"#;

/// A launch, what pipes it may connect, and what it must say.
struct Launch {
    kernel: &'static str,
    pipes: &'static [(&'static str, u32)],
    args: &'static [&'static str],
    says: &'static [&'static str],
    /// What it gives depends on when packets come.
    impatient: bool,
}

const LAUNCHES: [Launch; 6] = [
    Launch {
        kernel: "divide",
        pipes: &[("a", 16), ("b", 16), ("c", 16)],
        args: &[
            "in=iota:i32[20]",
            "n=20",
            "a=pipe:16:zeros:i32[0]",
            "b=pipe:16:zeros:i32[0]",
            "c=pipe:16:zeros:i32[0]",
        ],
        says: &[
            "a: i32[7] 0 3 6 9 12 15 18\n",
            "b: i32[7] 1 4 7 10 13 16 19\n",
            "c: i32[6] 2 5 8 11 14 17\n",
        ],
        impatient: false,
    },
    Launch {
        kernel: "unite",
        pipes: &[("a", 16), ("b", 16)],
        args: &[
            "n=8",
            "o=zeros:i32[8]",
            "a=pipe:16:iota:i32[2]",
            "b=pipe:16:data:i32[5]:7,6,5,4,3",
        ],
        says: &["o: i32[8] 7 0 6 1 5 -101 4 -101\n"],
        impatient: true,
    },
    Launch {
        kernel: "reserve",
        pipes: &[("a", 16), ("b", 16)],
        args: &[
            "n=8",
            "o=zeros:i32[8]",
            "a=pipe:16:data:i32[4]:1,2,3,4",
            "b=pipe:16:data:i32[5]:11,12,13,14,15",
        ],
        says: &["o: i32[8] 12 2 14 4 515 200 400 200\n"],
        impatient: true,
    },
    Launch {
        kernel: "patient",
        pipes: &[("a", 16), ("b", 16)],
        args: &[
            "n=7",
            "o=zeros:i32[7]",
            "a=pipe:16:data:i32[4]:1,2,3,4",
            "b=pipe:16:data:i32[6]:11,12,13,14,15,16",
        ],
        says: &["o: i32[7] 11 1 12 2 14 4 16\n"],
        impatient: false,
    },
    Launch {
        kernel: "handed",
        pipes: &[("a", 16), ("b", 16)],
        args: &["n=7", "o=zeros:i32[7]", "a=pipe:16:zeros:i32[0]", "b=pipe:16:zeros:i32[0]"],
        says: &[
            "o: i32[7] 0 0 0 0 0 0 0\n",
            "a: i32[6] 0 0 3 6 6 12\n",
            "b: i32[8] 1 2 2 4 4 8 5 10\n",
        ],
        impatient: false,
    },
    Launch {
        kernel: "group",
        pipes: &[("a", 16), ("b", 16)],
        args: &["n=1", "o=zeros:i32[8]", "a=pipe:16:iota:i32[9]", "b=pipe:16:zeros:i32[9]"],
        says: &["o: i32[8] 0 1 2 3 4 5 6 7\n"],
        impatient: false,
    },
];

impl Source {
    fn run(&self, launch: &Launch, connected: usize, more: &[&str]) -> Outcome {
        let mut command = program();
        let global = if launch.kernel == "group" { "8" } else { "1" };
        command.args(["run", text(&self.path), "-q", "--cl-std", "CL2.0", "--global", global]);
        command.args(["--kernel", launch.kernel]);
        for (arg, depth) in &launch.pipes[..connected] {
            command.args(["--connect", &format!("{}.{arg}=stream:{depth}", launch.kernel)]);
        }
        command.args(launch.args.iter().flat_map(|arg| ["--arg", *arg]));
        command.args(more);
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env("CLHLS_SIM_MODEL", "quick");
        outcome(&command.output().expect("ran"))
    }

    #[track_caller]
    fn check(&self, launch: &Launch, connected: usize, more: &[&str]) {
        let o = self.run(launch, connected, more);
        let what = format!("{}, {connected} connected, {more:?}", launch.kernel);
        assert_eq!(o.code, DONE, "{what}: {}", o.err);
        for part in launch.says {
            assert!(o.out.contains(part), "{what}: {part:?} in {}", o.out);
        }
    }
}

/// Those that are not connected are in memory: one value can be either.
#[test]
fn the_pipe_that_is_meant_is_used_on_every_device() {
    let case = Source::new(KERNELS);
    for launch in &LAUNCHES {
        for connected in 1..=launch.pipes.len() {
            for compiler in ["clang-22", "clang-15"] {
                for level in ["--clang=-O0", "--clang=-Os", "--clang=-O2"] {
                    for device in ["emu", "native"] {
                        let more = ["--device", device, "--compiler", compiler, level];
                        case.check(launch, connected, &more);
                    }
                }
            }
        }
    }
}

#[test]
fn hardware_uses_the_pipe_that_is_meant() {
    let case = Source::new(KERNELS);
    for launch in LAUNCHES.iter().filter(|launch| !launch.impatient) {
        for connected in [1, launch.pipes.len()] {
            case.check(launch, connected, &["--device", "sim", "--board", "u250"]);
        }
    }
}

/// A kernel with two pipes to itself: what it writes to one of them it reads from the other end of that one.
#[test]
fn both_ends_choose_alike_on_every_board() {
    let case = Source::new(KERNELS);
    let launch = Launch {
        kernel: "ring",
        pipes: &[],
        args: &["n=12", "o=zeros:i32[12]"],
        says: &["o: i32[12] 0 3 6 9 12 15 18 21 ..."],
        impatient: false,
    };
    let connect = ["--connect", "ring.a=ring.c:4", "--connect", "ring.b=ring.d:4"];
    let devices: [&[&str]; 4] =
        [&["emu"], &["native"], &["sim", "--board", "u250"], &["sim", "--board", "ulx3s"]];
    for device in devices {
        case.check(&launch, 0, &[&connect[..], &["--device"], device].concat());
    }
}

#[test]
fn the_depth_is_that_of_the_pipe_that_is_meant() {
    let case = Source::new(KERNELS);
    let args: &'static [&'static str] =
        &["n=1", "o=zeros:i32[4]", "a=pipe:64:iota:i32[10]", "b=pipe:64:iota:i32[10]"];
    let launch =
        |says| Launch { kernel: "told", pipes: &[("a", 7), ("b", 4)], args, says, impatient: true };
    for level in ["--clang=-O0", "--clang=-O2"] {
        for device in ["emu", "native"] {
            let more = ["--device", device, level];
            // Five of a pipe of seven can be had, of one of four never; in memory as many as the object has.
            case.check(&launch(&["o: i32[4] 4 107 4 107\n"]), 2, &more);
            case.check(&launch(&["o: i32[4] 164 107 164 107\n"]), 1, &more);
        }
    }
}

/// What a pipe cannot be used for is told with what it can be used for.
#[test]
fn a_connected_pipe_that_a_block_captures_is_refused_in_true_words() {
    let dir = tempfile::tempdir().expect("scratch");
    let source = dir.path().join("b.cl");
    let code = "kernel void k(read_only pipe int in, global int *o) {\n  clk_event_t e;\n  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ int v = 0; read_pipe(in, &v); o[0] = v; });\n}\n";
    std::fs::write(&source, code).expect("written");
    let o = clhls(&["check", text(&source), "--cl-std", "CL2.0", "--connect", "k.in=stream"]);
    assert_eq!(o.code, FAILED);
    for part in ["error[E0110]: connected pipe", "a block can capture pipes in memory only"] {
        assert!(o.err.contains(part), "{}", o.err);
    }
    assert!(!o.err.contains("note of the message"), "{}", o.err);
}
