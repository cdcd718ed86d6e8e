//! Kernels that hang at pipes and barriers: what is said, when, and that others are left alone.

use crate::common::{Outcome, clhls, outcome, program, text};
use abi::regs;
use driver::{DONE, FAILED};
use sim::{Board, SimOptions};
use std::path::{Path, PathBuf};

/// Takes a packet, and gives up after so many attempts; `STORE` is done in each.
const POLL: &str = r#"module "m" addr 64 cl 200
source "poll.cl"

kernel f0 "poll" {
  arg 0 "in" "int" pipe read 4 connected 16 size 16 align 8
  arg 1 "out" "int*" global size 8 align 4
  arg 2 "tries" "uint" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 2
  v1:i32 = const 0
  v2:i32 = const 1
  v3:ptr.global = arg 1
  jump b1(v1)
b1(v4:i32):
  e0 v5:i1 = pipe.take_packet 0 @0:7:9
  v6:i32 = add v4, v2
  br v5, b3, b2
b2:
  v7:i1 = icmp.ult v6, v0
  STORE
  br v7, b1(v6), b4
b3:
  e1 v8:i32 = pipe.read_reserved 0 @0:9:9
  e2 = store v3, v8 align 4 after e1
  ret
b4:
  e3 = store v3, v6 align 4
  ret
}

kernel f1 "make" {
  arg 0 "out" "int" pipe write 4 connected 16 size 16 align 8
  arg 1 "n" "uint" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 1
  v1:i32 = const 0
  v2:i32 = const 1
  v3:i1 = icmp.ult v1, v0
  br v3, b1(v1), b2
b1(v4:i32):
  e0 = pipe.write 0 v4 @0:3:5
  v5:i32 = add v4, v2
  v6:i1 = icmp.ult v5, v0
  br v6, b1(v5), b2
b2:
  ret
}

kernel f2 "slow" {
  arg 0 "out" "int" pipe write 4 connected 16 size 16 align 8
  arg 1 "n" "uint" i32 size 4 align 4
  reqd_work_group_size 1 1 1
b0:
  v0:i32 = arg 1
  v1:i32 = const 0
  v2:i32 = const 1
  jump b1(v1, v1)
b1(v3:i32, v4:i32):
  v5:i32 = mul v4, v4
  v6:i32 = add v5, v3
  v7:i32 = add v3, v2
  v8:i1 = icmp.ult v7, v0
  br v8, b1(v7, v6), b2
b2:
  e0 = pipe.write 0 v6 @0:30:5
  ret
}

kernel f3 "wait" {
  arg 0 "in" "int" pipe read 4 connected 16 size 16 align 8
  arg 1 "out" "int" pipe write 4 connected 16 size 16 align 8
  reqd_work_group_size 1 1 1
b0:
  e0 v0:i32 = pipe.read 0 @0:20:5
  e1 = pipe.write 1 v0 after e0 @0:21:5
  ret
}
"#;

fn module(dir: &Path, store: &str) -> PathBuf {
    let path = dir.join("poll.clir");
    std::fs::write(&path, POLL.replace("STORE", store)).expect("written");
    path
}

/// Runs a kernel with these arguments of the command line.
fn run(input: &Path, device: &str, args: &[&str]) -> Outcome {
    let mut command = program();
    command.args(["run", text(input), "-q", "--global", "1", "--device", device]);
    command.args(args);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick");
    outcome(&command.output().expect("ran"))
}

const EMPTY: [&str; 6] =
    ["--kernel", "poll", "--arg", "in=pipe:16:zeros:i32[0]", "--arg", "out=zeros:i32[1]"];

#[test]
fn the_interpreter_names_pipe_packets_and_places() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = module(dir.path(), "");
    let tries = |n: &str, more: &[&str]| {
        let given = format!("tries={n}");
        run(&input, "emu", &[&EMPTY[..], &["--arg", &given], more].concat())
    };
    let o = tries("200000", &[]);
    assert_eq!(o.code, FAILED);
    let what = "error[E0513]: kernel `poll` tries again and again to get packets of pipe `in`, which holds 0 of 16 packets, \
                and nothing else happens: 100000 operations were refused";
    assert!(o.err.contains(what), "{}", o.err);
    for part in [
        "--> poll.cl:7:9",
        "kernel `poll` uses the pipe at poll.cl:7:9 and poll.cl:9:9",
        "no other kernel of this launch has the pipe",
        "work-item with global id (0)",
        "--poll-limit",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
    // whoever gives up in time does not hang, nor does who may try for ever
    for (n, more) in
        [("99999", &[][..]), ("200000", &["--poll-limit", "0"]), ("7", &["--poll-limit", "8"])]
    {
        let o = tries(n, more);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""));
        assert!(o.out.contains(&format!("out: i32[1] {n}")), "{}", o.out);
    }
    let o = tries("8", &["--poll-limit", "8"]);
    assert!(o.err.contains("8 operations were refused"), "{}", o.err);
}

#[test]
fn who_changes_memory_does_not_hang() {
    let dir = tempfile::tempdir().expect("scratch");
    // another value each time, and the same one
    let (counts, same) = ("e4 = store v3, v6 align 4", "e4 = store v3, v2 align 4");
    let args = [&EMPTY[..], &["--arg", "tries=300", "--poll-limit", "100"]].concat();
    for device in ["emu", "sim"] {
        let o = run(&module(dir.path(), counts), device, &args);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert!(o.out.contains("out: i32[1] 300"), "{}", o.out);
        let o = run(&module(dir.path(), same), device, &args);
        assert!(o.code == FAILED && o.err.contains("operations"), "{device}: {}", o.err);
    }
}

#[test]
fn the_interpreter_says_what_the_other_end_does() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = module(dir.path(), "");
    let link = ["--connect", "make.out=wait.in:16", "--kernel", "wait", "--beside"];
    let out = ["--arg", "out=pipe:16:zeros:i32[0]"];
    let o = run(&input, "emu", &[&link[..], &["make global=1 n=0"], &out].concat());
    assert_eq!(o.code, FAILED);
    for part in [
        "error[E0512]: kernel `wait` waits for a packet of pipe `in`, which holds 0 of ",
        "and no other kernel runs",
        "kernel `wait` uses the pipe at poll.cl:20:5",
        "kernel `make` writes it as `out` at poll.cl:3:5, and is done",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
    // A pipe that holds fewer packets than are written.
    let alone = ["--kernel", "make", "--arg", "out=pipe:2:zeros:i32[0]", "--arg", "n=3"];
    let o = run(&input, "emu", &alone);
    let what = "kernel `make` waits for room of pipe `out`, which holds 2 of 2 packets, and no other kernel runs";
    assert!(o.err.contains(what), "{}", o.err);
}

#[test]
fn simulated_hardware_names_both_ends() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = module(dir.path(), "");
    let polls = ["--arg", "out=zeros:i32[1]", "--arg", "tries=100000", "--poll-limit", "500"];
    let link =
        ["--connect", "make.out=poll.in:16", "--kernel", "poll", "--beside", "make global=1 n=0"];
    let o = run(&input, "sim", &[&link[..], &polls].concat());
    assert_eq!(o.code, FAILED);
    for part in [
        "error[E0620]: kernel `poll`: it hangs: 500 operations on pipes were refused, one after the other, and nothing else was done",
        "\n  pipe `in` has not the packets that the kernel asks for again and again (poll.cl:7:9, poll.cl:9:9): it holds 0 of 16 packets",
        "\n    kernel `make` writes it as `out` (poll.cl:3:5), and is done",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
    // with a packet, and where it gives up in time, all is well
    let o = run(&input, "sim", &[&link[..5], &["make global=1 n=1"], &polls].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let few = [&EMPTY[..], &["--arg", "tries=400", "--poll-limit", "500"]].concat();
    let o = run(&input, "sim", &few);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(o.out.contains("out: i32[1] 400"), "{}", o.out);
    let o = run(&input, "sim", &[&EMPTY[..], &polls[2..]].concat());
    let alone = "no kernel of this launch writes it: its packets are those that the launch gives";
    assert!(o.err.contains(alone), "{}", o.err);
}

#[test]
fn simulated_kernels_that_wait_for_one_another_are_both_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = module(dir.path(), "");
    // `make` has no packet for `wait`, for which `poll` looks in vain
    let links = ["--connect", "make.out=wait.in:16", "--connect", "wait.out=poll.in:16"];
    let args = ["--kernel", "poll", "--arg", "out=zeros:i32[1]", "--arg", "tries=10000000"];
    let beside =
        ["--beside", "wait global=1", "--beside", "make global=1 n=0", "--poll-limit", "500"];
    let o = run(&input, "sim", &[&links[..], &args, &beside].concat());
    assert_eq!(o.code, FAILED);
    for part in [
        "kernel `wait` writes it as `out` (poll.cl:21:5), and waits for a packet of `in` (poll.cl:20:5)",
        "kernel `wait`: it hangs: nothing moves any more",
        "pipe `in` is empty, and the kernel waits for another packet (poll.cl:20:5): it holds 0 of 16 packets",
        "kernel `make` writes it as `out` (poll.cl:3:5), and is done",
    ] {
        assert!(o.err.contains(part), "{part}: {}", o.err);
    }
}

/// `pass` reads two packets of a pipe in memory, repeating the attempt.
#[test]
fn pipes_in_memory_are_named_on_every_device() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/blocking_pipe.spv"
    );
    let args = ["--kernel", "pass", "--arg", "out=pipe:4:zeros:i32[0]", "--poll-limit", "300"];
    let given = |device: &str, packets: &str| {
        let packets = format!("in=pipe:4:{packets}");
        run(Path::new(path), device, &[&args[..], &["--arg", &packets]].concat())
    };
    for device in ["emu", "native", "sim"] {
        let o = given(device, "data:i32[2]:1,2");
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
    }
    for device in ["emu", "native"] {
        let o = given(device, "zeros:i32[0]");
        let what = "error[E0513]: kernel `pass` tries again and again to get packets of pipe `in`, which holds 0 of 4 packets, \
                    and nothing else happens: 300 operations were refused";
        assert!(o.err.contains(what) && o.err.contains("k.cl:3:5"), "{device}: {}", o.err);
        for note in ["kernel `pass` uses the pipe at k.cl:3:5", "no other kernel of this launch"] {
            assert!(o.err.contains(note), "{device}: {note}: {}", o.err);
        }
    }
    let o = given("sim", "data:i32[1]:1");
    let what = "pipe `in` has not the packets that the kernel asks for again and again (";
    let held = "it held 1 of 4 packets when the kernel began, which has made 1 reservation since";
    assert!(o.err.contains(what) && o.err.contains(held), "{}", o.err);
}

/// A host that drives registers itself is told the same.
#[test]
fn hosts_at_the_level_of_registers_are_told_too() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, built) = (module(dir.path(), ""), dir.path().join("out"));
    let args = ["build", text(&input), "--board", "unit", "-q", "-o", text(&built)];
    let links = ["--kernel", "wait", "--kernel", "poll", "--connect", "wait.out=poll.in:16"];
    let more = ["--connect", "wait.in=stream:16"];
    let o = clhls(&[&args[..], &links, &more].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    let options = SimOptions { most_polls: 500, cache_dir: Some(cache), ..SimOptions::default() };
    let mut board = Board::open(&built, options).expect("opens");
    let kernels = board.manifest().kernels.clone();
    let number = |name: &str| kernels.iter().position(|k| k.signature.name == name);
    let (wait, poll) = (number("wait").expect("built"), number("poll").expect("built"));
    let buffer = board.allocate(4096).expect("room");
    let offset = |arg: &str| kernels[poll].signature.arg(arg).and_then(|a| a.offset);
    let out = offset("out").expect("a register");
    let mut registers: Vec<(usize, u32, u32)> = vec![
        (poll, offset("tries").expect("a register"), 1 << 30),
        (poll, out, buffer as u32),
        (poll, out + 4, (buffer >> 32) as u32),
    ];
    for kernel in [wait, poll] {
        registers.extend(kernels[kernel].hidden.iter().map(|slot| (kernel, slot.offset, 1)));
    }
    registers.extend([wait, poll].map(|kernel| (kernel, regs::CTRL, regs::CTRL_START)));
    for (kernel, offset, value) in registers {
        board.write_register(kernel, offset, value).expect("written");
    }
    let e = (0..100).find_map(|_| board.read_register(poll, regs::CTRL).err());
    let message = e.expect("an error").message;
    for part in [
        "kernel `poll`: it hangs: 500 operations on pipes were refused",
        "it holds 0 of 16 packets",
        "kernel `wait` writes it as `out` (poll.cl:21:5), and waits for a packet of `in` (poll.cl:20:5)",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// `slow` computes for thousands of cycles before it has a packet, and makes no attempts meanwhile.
#[test]
fn who_waits_for_a_long_computation_does_not_hang() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = module(dir.path(), "");
    let args =
        ["--connect", "slow.out=poll.in:16", "--kernel", "poll", "--arg", "out=zeros:i32[1]"];
    let more =
        ["--arg", "tries=10000000", "--poll-limit", "100", "--beside", "slow global=1 n=20000"];
    let o = run(&input, "sim", &[&args[..], &more].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let value = (0..20_000u32).fold(0u32, |x, k| x.wrapping_mul(x).wrapping_add(k));
    assert!(o.out.contains(&format!("out: i32[1] {}\n", value.cast_signed())), "{}", o.out);
}

/// Work-items with odd local ids come to a barrier, the others do not.
const HALF: &str = r#"module "m" addr 64 cl 120
source "half.cl"

kernel f0 "half" {
  arg 0 "out" "int*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem local_id 0
  v2:i1 = slice v1 lo 0
  v3:i32 = const 1
  br v2, b1, b2
b1:
  e0 = barrier.work_group local @0:3:5
  jump b2
b2:
  e1 = store v0, v3 align 4
  ret
}
"#;

#[test]
fn barriers_that_some_work_items_do_not_reach_are_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("half.clir");
    std::fs::write(&input, HALF).expect("writable");
    for (device, parts) in [
        ("emu", ["error[E0510]", "half.cl:3:5"]),
        (
            "sim",
            [
                "error[E0620]",
                "work-items wait at a barrier (half.cl:3:5) that others of their work-group do not reach",
            ],
        ),
    ] {
        let mut command = program();
        command.args(["run", text(&input), "-q", "--device", device, "--arg", "out=zeros:i32[1]"]);
        command.args(["--global", "8", "--local", "4"]);
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env("CLHLS_SIM_MODEL", "quick");
        let o = outcome(&command.output().expect("ran"));
        assert_eq!(o.code, FAILED);
        assert!(parts.iter().all(|part| o.err.contains(part)), "{device}: {}", o.err);
    }
}
