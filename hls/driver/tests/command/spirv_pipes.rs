//! Pipes that OpenCL C has no words for, interpreted, as native code and as simulated hardware: those that the program owns
//! (`OpConstantPipeStorage`) and instructions that wait (SPV_INTEL_blocking_pipes), in memory and connected.

use crate::common::{Outcome, outcome, program, text};
use driver::DONE;
use std::path::Path;

const DEVICES: [&str; 3] = ["emu", "native", "sim"];

/// Runs a kernel of a module of `testbenches/filetests/spirv-to-ir`; words after `options` are arguments of the command.
fn run(module: &str, device: &str, options: &[&str]) -> Outcome {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/spirv-to-ir/");
    let mut command = program();
    command.args(["run", &format!("{folder}{module}.spv"), "-q", "--global", "1"]);
    command.args(["--device", device]).args(options);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick");
    outcome(&command.output().expect("ran"))
}

/// What a file of `count` 32-bit integers holds.
fn integers(npy: &Path, count: usize) -> Vec<i32> {
    let bytes = std::fs::read(npy).expect("written");
    let shape = format!("'shape': ({count}, )");
    let header = String::from_utf8_lossy(&bytes[..bytes.len() - 4 * count]).into_owned();
    assert!(header.contains(&shape), "{header} instead of {shape}");
    let words = bytes[bytes.len() - 4 * count..].chunks_exact(4);
    words.map(|w| i32::from_le_bytes(w.try_into().expect("four bytes"))).collect()
}

/// The packets that a kernel of `blocking_pipe` leaves in its pipes.
fn passed(device: &str, kernel: &str, packets: &str, more: &[&str]) -> (Vec<i32>, Outcome) {
    let dir = tempfile::tempdir().expect("scratch");
    let npy = dir.path().join("out.npy");
    let (given, out) = (format!("in=pipe:4:{packets}"), format!("out={}", text(&npy)));
    let pipes = ["--arg", &given, "--arg", "out=pipe:4:zeros:i32[0]", "--out", &out];
    let o = run("blocking_pipe", device, &[&["--kernel", kernel], &pipes[..], more].concat());
    let packets = if o.code == DONE { integers(&npy, 2) } else { vec![] };
    (packets, o)
}

#[test]
fn pipes_of_the_program_hold_packets_on_every_device() {
    // three packets fit; two are reserved and read backwards; one is left: worked out by hand
    let want = [0, 0, 0, -1, 3, 3, 1, 0, 0, 101, 100, -1, 0, 102, -1, 102, 100];
    let dir = tempfile::tempdir().expect("scratch");
    for device in DEVICES {
        let npy = dir.path().join(format!("{device}.npy"));
        let out = format!("out={}", text(&npy));
        let o = run("pipe_storage", device, &["--arg", "out=zeros:i32[17]", "--out", &out]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert_eq!(integers(&npy, 17), want, "{device}");
    }
}

#[test]
fn instructions_that_wait_move_packets_of_pipes_in_memory() {
    for device in DEVICES {
        // a packet, one more than it was; the next as it is
        let (packets, o) = passed(device, "pass", "data:i32[2]:7,-3", &[]);
        assert_eq!((o.err.as_str(), packets.as_slice()), ("", &[8, -3][..]), "{device}");
        // the second of two that are reserved, then the one behind them
        let (packets, o) = passed(device, "beside", "data:i32[3]:10,20,30", &[]);
        assert_eq!((o.err.as_str(), packets.as_slice()), ("", &[20, 30][..]), "{device}");
    }
}

#[test]
fn instructions_that_wait_in_vain_are_named() {
    let (_, o) = passed("emu", "pass", "data:i32[1]:7", &["--step-limit", "100000"]);
    let place = "error[E0511]: the kernel does not end within the limit of steps\n  --> k.cl:4:5";
    assert!(o.code != DONE && o.err.contains(place), "{}", o.err);
    let links = ["--connect", "pass.in=stream:4", "--connect", "pass.out=stream:4"];
    let (_, o) = passed("sim", "pass", "data:i32[1]:7", &links);
    let waits = "pipe `in` is empty, and the kernel waits";
    assert!(o.code != DONE && o.err.contains(waits), "{}", o.err);
}

#[test]
fn instructions_that_wait_move_packets_of_connected_pipes() {
    let streams =
        |kernel: &str| [format!("{kernel}.in=stream:4"), format!("{kernel}.out=stream:4")];
    for device in ["emu", "sim"] {
        for (kernel, packets, want) in
            [("pass", "data:i32[2]:7,-3", [8, -3]), ("beside", "data:i32[3]:10,20,30", [20, 30])]
        {
            let [a, b] = streams(kernel);
            let links = ["--connect", a.as_str(), "--connect", b.as_str()];
            let (packets, o) = passed(device, kernel, packets, &links);
            assert_eq!(
                (o.err.as_str(), packets.as_slice()),
                ("", &want[..]),
                "{kernel} on {device}"
            );
        }
    }
    // two kernels at once: who reads waits for who reserves
    for device in ["emu", "sim"] {
        let dir = tempfile::tempdir().expect("scratch");
        let npy = dir.path().join("out.npy");
        let out = format!("out={}", text(&npy));
        let beside = "beside global=1 in=pipe:4:data:i32[3]:10,20,30";
        let links = ["--connect", "beside.out=pass.in:4", "--connect", "pass.out=stream:4"];
        let more = ["--connect", "beside.in=stream:4", "--beside", beside];
        let pipes = ["--kernel", "pass", "--arg", "out=pipe:4:zeros:i32[0]", "--out", &out];
        let o = run("blocking_pipe", device, &[&pipes[..], &links, &more].concat());
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert_eq!(integers(&npy, 2), [21, 30], "{device}");
    }
}
