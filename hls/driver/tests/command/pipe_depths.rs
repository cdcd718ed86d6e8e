//! Connected pipes at build time: how deep they are where the user does not say, and kernels that would wait for one another for
//! ever. What is expected follows from counting packets by hand.

use crate::common::{Outcome, clhls, outcome, program, text};
use driver::{DONE, FAILED};

/// A kernel of one work-item: its arguments, the values that all use, and its blocks.
fn kernel(number: u32, name: &str, args: &[&str], blocks: &str) -> String {
    let args: Vec<String> =
        args.iter().enumerate().map(|(k, a)| format!("  arg {k} {a} size 16 align 8\n")).collect();
    let n = args.len();
    format!(
        "kernel f{number} \"{name}\" {{\n{}  arg {n} \"n\" \"uint\" i32 size 4 align 4\n  reqd_work_group_size 1 1 1\n\
         b0:\n  v0:i32 = const 0\n  v1:i32 = const 1\n  v2:i32 = arg {n}\n{blocks}}}\n",
        args.concat()
    )
}

/// Reads, or writes, a constant number of packets of an argument in a loop, and goes on in block `b<next>`.
fn passes(block: u32, next: u32, arg: u32, writes: bool, count: u32, line: u32) -> String {
    let v = 100 * block;
    let (n, k, x, more, again) = (v, v + 1, v + 2, v + 3, v + 4);
    let op = match writes {
        true => format!("e{v} = pipe.write {arg} v{k} @0:{line}:5"),
        false => format!("e{v} v{x}:i32 = pipe.read {arg} @0:{line}:5"),
    };
    format!(
        "b{block}(v{k}:i32):\n  {op}\n  v{n}:i32 = const {count}\n  v{more}:i32 = add v{k}, v1\n  \
         v{again}:i1 = icmp.ult v{more}, v{n}\n  br v{again}, b{block}(v{more}), b{next}(v0)\n"
    )
}

const START: &str = "  jump b1(v0)\n";
const END: &str = "b3(v900:i32):\n  ret\n";

fn out(name: &str, depth: u32) -> String {
    format!("\"{name}\" \"int\" pipe write 4 connected {depth}")
}

fn input(name: &str, depth: u32) -> String {
    format!("\"{name}\" \"int\" pipe read 4 connected {depth}")
}

/// `split` writes `count` packets to b, then as many to a; `join` reads a first.
fn crossed(count: u32, depth: u32) -> String {
    let write = passes(1, 2, 1, true, count, 5) + &passes(2, 3, 0, true, count, 6);
    let read = passes(1, 2, 0, false, count, 15) + &passes(2, 3, 1, false, count, 16);
    let (a, b) = (out("a", depth), out("b", depth));
    let split = kernel(0, "split", &[&a, &b], &[START, &write, END].concat());
    let (a, b) = (input("a", depth), input("b", depth));
    let join = kernel(1, "join", &[&a, &b], &[START, &read, END].concat());
    format!("module \"m\" addr 64 cl 200\nsource \"k.cl\"\n{split}{join}")
}

const CROSSED: [&str; 2] = ["split.a=join.a", "split.b=join.b"];

/// Builds a module with connections: what the command says, and the report.
fn built(module: &str, connect: &[&str]) -> (Outcome, String) {
    built_for("u250", module, connect)
}

fn built_for(board: &str, module: &str, connect: &[&str]) -> (Outcome, String) {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("m.clir"), dir.path().join("out"));
    std::fs::write(&input, module).expect("written");
    let mut args = vec!["build", text(&input), "--board", board, "-q", "-o", text(&out)];
    connect.iter().for_each(|c| args.extend(["--connect", c]));
    let o = clhls(&args);
    let report = if o.code == DONE { clhls(&["report", text(&out)]).out } else { String::new() };
    (o, report)
}

#[test]
fn a_depth_that_is_open_takes_what_is_written_first() {
    let (o, report) = built(&crossed(100, 0), &CROSSED);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(
        report.contains("pipe `b` holds 100 packets: so many are written by `split` (k.cl:5:5)"),
        "{report}"
    );
    assert!(report.contains("pipe `a` holds 16 packets: more than are on their way"), "{report}");
}

#[test]
fn a_depth_that_is_too_small_is_refused_with_both_places_and_the_edit() {
    let (o, _) = built(&crossed(1000, 32), &CROSSED);
    assert_ne!(o.code, DONE);
    for part in [
        "error[E0405]",
        "`split` has another packet for pipe `b` (k.cl:5:5), which holds 32",
        "`join` waits for a packet of pipe `a` (k.cl:15:5)",
        "--connect split.b=join.b:1000",
    ] {
        assert!(o.err.contains(part), "{part} in {}", o.err);
    }
    // One packet too many for the pipe, for which there may be room.
    let (o, _) = built(&crossed(33, 32), &CROSSED);
    assert_eq!(o.code, DONE, "{}", o.err);
    for part in [
        "warning[W0405]: kernels may wait for one another for ever",
        "pipe `split.b` promises room for 32 packets, and hardware has some more",
        "which is certain to be enough: --connect split.b=join.b:33",
    ] {
        assert!(o.err.contains(part), "{part} in {}", o.err);
    }
    let (o, _) = built(&crossed(32, 32), &CROSSED);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
}

/// A pipe of 4, the writer's queue of 16, and 5 packets where wires join the units, 32 where a linker does.
#[test]
fn what_cannot_have_room_in_hardware_is_refused() {
    for (board, most) in [("ulx3s", 25), ("u250", 52)] {
        let (o, _) = built_for(board, &crossed(most, 4), &CROSSED);
        assert_eq!(o.code, DONE, "{board}: {}", o.err);
        let said =
            format!("promises room for 4 packets, and hardware has some more, {most} at most");
        assert!(o.err.contains(&said), "{board}: {}", o.err);
        let (o, _) = built_for(board, &crossed(most + 1, 4), &CROSSED);
        assert_eq!(o.code, FAILED, "{board}: {}", o.err);
        let edit = format!("make the pipe deeper: --connect split.b=join.b:{}", most + 1);
        assert!(o.err.contains("error[E0405]") && o.err.contains(&edit), "{board}: {}", o.err);
    }
}

/// Runs `crossed` or the like as simulated hardware.
fn simulated(module: &str, board: &str) -> Outcome {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("m.clir");
    std::fs::write(&input, module).expect("written");
    let pipes = ["a=pipe:2:zeros:i32[0]", "b=pipe:2:zeros:i32[0]", "n=1"];
    let mut args = vec!["run", text(&input), "-q", "--device", "sim", "--board", board];
    args.extend(["--kernel", "join", "--global", "1"]);
    pipes.iter().for_each(|a| args.extend(["--arg", a]));
    CROSSED.iter().for_each(|c| args.extend(["--connect", c]));
    let beside = format!("split global=1 {}", pipes.join(" "));
    args.extend(["--beside", &beside]);
    let mut command = program();
    command.args(args).env("CLHLS_SIM_MODEL", "quick");
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    outcome(&command.output().expect("ran"))
}

#[test]
fn what_may_wait_for_ever_ends_or_hangs_in_simulation() {
    // The pipe and the writer's queue, and what cannot be there without a linker's registers.
    for (count, code) in [(20, DONE), (25, DONE), (26, FAILED)] {
        let o = simulated(&crossed(count, 4), "u250");
        assert_eq!(o.code, code, "{count}: {}", o.err);
        assert!(o.err.contains("warning[W0405]"), "{count}: {}", o.err);
        assert_eq!(o.err.contains("error[E0620]"), code == FAILED, "{count}: {}", o.err);
    }
}

/// `crossed`, where `split` reserves the packets of b one by one.
fn reserved_first(count: u32, depth: u32) -> String {
    let one = "  jump b8\nb8:\n  e180 v180:i64 = pipe.reserve_room 1 v1 @0:5:5\n  v181:i32 = slice v180 lo 32\n  \
               v182:i1 = icmp.ne v181, v0\n  br v182, b9, b8\nb9:\n  v183:i32 = slice v180 lo 0\n  \
               e181 = pipe.write_at 1 v101 v183\n  e182 = pipe.commit_write 1 v180 after e181\n";
    crossed(count, depth).replacen("  e100 = pipe.write 1 v101 @0:5:5\n", one, 1)
}

#[test]
fn the_unit_of_reservations_has_room_too() {
    for (count, code) in [(18, DONE), (19, FAILED)] {
        let o = simulated(&reserved_first(count, 4), "u250");
        assert_eq!(o.code, code, "{count}: {}", o.err);
        assert!(o.err.contains("warning[W0405]"), "{count}: {}", o.err);
        assert_eq!(o.err.contains("error[E0620]"), code == FAILED, "{count}: {}", o.err);
        let (o, _) = built_for("ulx3s", &reserved_first(count, 4), &CROSSED);
        assert_eq!(o.code, code, "{count}: {}", o.err);
        assert_eq!(o.err.contains("error[E0405]"), code == FAILED, "{count}: {}", o.err);
    }
}

/// `split` writes `count` packets to a, then as many to b; iterations of `join` read one of each.
fn by_turns(count: u32, depth: u32) -> String {
    let write = passes(1, 2, 0, true, count, 5) + &passes(2, 3, 1, true, count, 6);
    let read = passes(1, 3, 0, false, count, 15)
        .replace("  v100:i32 =", "  e150 v150:i32 = pipe.read 1 after e100\n  v100:i32 =");
    let (a, b) = (out("a", depth), out("b", depth));
    let split = kernel(0, "split", &[&a, &b], &[START, &write, END].concat());
    let (a, b) = (input("a", depth), input("b", depth));
    let join = kernel(1, "join", &[&a, &b], &[START, &read, END].concat());
    format!("module \"m\" addr 64 cl 200\nsource \"k.cl\"\n{split}{join}")
}

#[test]
fn iterations_that_are_ahead_of_one_that_waits_count_as_room() {
    // The first iteration of `join` waits for b, and those behind it have read a.
    let (o, _) = built_for("ulx3s", &by_turns(40, 4), &CROSSED);
    assert_eq!(o.code, DONE, "{}", o.err);
    for part in ["warning[W0405]", "certain to be enough: --connect split.a=join.a:39"] {
        assert!(o.err.contains(part), "{part} in {}", o.err);
    }
    let (o, _) = built_for("ulx3s", &by_turns(4000, 4), &CROSSED);
    assert_eq!(o.code, FAILED, "{}", o.err);
    assert!(o.err.contains("error[E0405]") && o.err.contains("join.a:3999"), "{}", o.err);
    let o = simulated(&by_turns(30, 4), "ulx3s");
    assert_eq!(o.code, DONE, "{}", o.err);
}

#[test]
fn kernels_that_both_read_first_are_refused_or_warned_of() {
    let (from, to) = (input("from", 8), out("to", 8));
    let blocks = |count| {
        let passes = passes(1, 2, 0, false, count, 5) + &passes(2, 3, 1, true, count, 6);
        [START, &passes, END].concat()
    };
    let both = |blocks: &str| {
        let ping = kernel(0, "ping", &[&from, &to], blocks);
        let pong = kernel(1, "pong", &[&from, &to], blocks);
        format!("module \"m\" addr 64 cl 200\nsource \"k.cl\"\n{ping}{pong}")
    };
    let connect = ["ping.to=pong.from", "pong.to=ping.from"];
    let (o, _) = built(&both(&blocks(4)), &connect);
    assert_ne!(o.code, DONE);
    assert!(o.err.contains("error[E0405]") && o.err.contains("no depth helps"), "{}", o.err);
    // How many is known when the kernels run: perhaps none.
    let some = blocks(4).replace("const 4", "add v2, v0");
    let guarded =
        some.replacen(START, "  v800:i1 = icmp.ne v2, v0\n  br v800, b1(v0), b3(v0)\n", 1);
    let (o, _) = built(&both(&guarded), &connect);
    assert_eq!(o.code, DONE, "{}", o.err);
    assert!(
        o.err.contains("warning[W0405]: kernels may wait") && o.err.contains("has nothing to do"),
        "{}",
        o.err
    );
}

/// Reserves 20 packets until it gets them, and commits them.
fn reserving(depth: u32, repeats: bool) -> String {
    let test = "  e1 v10:i64 = pipe.reserve_packets 0 v20 @0:9:5\n  v11:i32 = slice v10 lo 32\n  v12:i1 = icmp.ne v11, v0\n";
    let blocks = match repeats {
        true => format!("  v20:i32 = const 20\n  jump b1\nb1:\n{test}  br v12, b2, b1\n"),
        false => format!("  v20:i32 = const 20\n{test}  br v12, b2, b3\n"),
    };
    let commit = "b2:\n  e2 = pipe.commit_read 0 v10\n  jump b3\nb3:\n  ret\n";
    let take = kernel(0, "take", &[&input("in", depth)], &(blocks + commit));
    format!("module \"m\" addr 64 cl 200\nsource \"k.cl\"\n{take}")
}

#[test]
fn reservations_decide_the_depth_or_are_too_large_for_it() {
    let (o, report) = built(&reserving(0, true), &["take.in=stream"]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(
        report.contains("pipe `in` holds 64 packets: `take` reserves 20 at once (k.cl:9:5)"),
        "{report}"
    );
    let (o, _) = built(&reserving(19, true), &["take.in=stream:19"]);
    assert_ne!(o.code, DONE);
    for part in [
        "error[E0406]",
        "a reservation of 20 packets of pipe `take.in`, which holds 19",
        "k.cl:9:5",
        "--connect take.in=stream:20",
    ] {
        assert!(o.err.contains(part), "{part} in {}", o.err);
    }
    let (o, _) = built(&reserving(19, false), &["take.in=stream:19"]);
    assert_eq!(o.code, DONE, "{}", o.err);
    assert!(o.err.contains("warning[W0406]"), "{}", o.err);
    let (o, _) = built(&reserving(20, true), &["take.in=stream:20"]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
}

/// `rows` reads 60 packets and writes 60, again and again; `total` adds floats.
#[test]
fn packets_in_a_row_pile_up_before_a_slower_loop() {
    let read = passes(1, 2, 0, false, 60, 5);
    let write = passes(2, 3, 1, true, 60, 6);
    let again = "b3(v900:i32):\n  v902:i32 = add v901, v1\n  v903:i1 = icmp.ult v902, v2\n  br v903, b5(v902), b4\n\
                 b4:\n  ret\nb5(v901:i32):\n  jump b1(v0)\n";
    let blocks = ["  jump b5(v0)\n", &read, &write, again].concat();
    let rows = kernel(0, "rows", &[&input("seed", 0), &out("row", 0)], &blocks);
    let add = "  v3:f32 = const 0\n  jump b1(v0, v3)\nb1(v100:i32, v101:f32):\n  e100 v102:i32 = pipe.read 0\n  v103:f32 = bitcast v102\n  \
               v104:f32 = fadd v101, v103\n  v105:i32 = add v100, v1\n  v106:i1 = icmp.ult v105, v2\n  br v106, b1(v105, v104), b2\n\
               b2:\n  v200:i32 = bitcast v104\n  e200 = pipe.write 1 v200\n  ret\n";
    let total = kernel(1, "total", &[&input("row", 0), &out("sum", 0)], add);
    let module = format!("module \"m\" addr 64 cl 200\n{rows}{total}");
    let connect = ["rows.seed=stream", "rows.row=total.row", "total.sum=stream"];
    let (o, report) = built(&module, &connect);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    // The loop of `total` takes an iteration every so many cycles: an addition of floats.
    let (_, loops) = report.split_once("the recurrence of the fadd takes ").expect("a recurrence");
    let interval: u64 = loops.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    let piled = 60 - 60 / interval;
    let want = format!(
        "pipe `row` holds 64 packets: `rows` writes 60 in a row, one a cycle, and `total` moves one every {interval} cycles: {piled} pile up"
    );
    assert_eq!(report.matches(&want).count(), 2, "{want} in {report}");
}
