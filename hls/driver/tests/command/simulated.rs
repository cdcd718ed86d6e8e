//! `clhls run` on built hardware: what its options do.

use crate::common::{self, Outcome, entries, outcome, program, scratch, text};
use driver::DONE;
use std::path::Path;

fn simulate(built: &Path, options: &[&str]) -> Outcome {
    let mut command = program();
    command.args(["run", text(built), "-q", "--global", "300", "--arg", "io=iota:u32[301]"]);
    // simulators of the last run of these tests are used again
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    outcome(&command.args(options).output().expect("ran"))
}

/// Cycles of a run.
#[track_caller]
fn cycles(built: &Path, options: &[&str]) -> u64 {
    let o = simulate(built, &[options, &["--json"]].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{options:?}");
    let value: serde_json::Value = serde_json::from_str(&o.out).expect("one object");
    assert_eq!((&value["device"], &value["work_items"]), (&"sim".into(), &300.into()));
    // 300 elements of four bytes each way, in whole beats of eight
    for bytes in ["bytes_read", "bytes_written"] {
        assert!(value[bytes].as_u64().is_some_and(|n| n >= 1200 && n % 8 == 0), "{}", o.out);
    }
    value["cycles"].as_u64().expect("a number")
}

#[test]
fn options_of_the_simulation() {
    let (dir, input) = scratch();
    let built = dir.path().join("out");
    let build = ["build", text(&input), "--board", "unit", "-q", "-o", text(&built)];
    assert_eq!(common::clhls(&build).code, DONE);

    let plain = cycles(&built, &[]);
    assert!(plain >= 300, "at most one work-item a cycle");
    assert_eq!(cycles(&built, &["--mem-latency", "100", "--stall-rate", "0"]), plain);
    assert!(cycles(&built, &["--mem-latency", "500"]) >= plain + 700, "twice 400 cycles more");
    let stalled = |seed| cycles(&built, &["--stall-rate", "0.5", "--seed", seed]);
    let times = ["1", "2", "3", "4"].map(stalled);
    assert!(times.iter().all(|t| *t > plain), "{times:?}");
    assert!(times.iter().any(|t| *t != times[0]), "the seed matters: {times:?}");
    assert_eq!(stalled("1"), times[0], "and decides everything");

    for seed in ["1", "2", "3"] {
        let random = cycles(&built, &["--random-state", "--seed", seed]);
        assert_eq!(random, plain, "what the reset leaves does not matter");
    }

    let (npy, fst) = (dir.path().join("io.npy"), dir.path().join("run.fst"));
    let out = format!("io={}", text(&npy));
    let o = simulate(&built, &["--profile", "--out", &out, "--trace", text(&fst)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(
        o.out.starts_with(&format!("twice on sim: 300 work-items, {plain} cycles, ")),
        "{}",
        o.out
    );
    for part in
        ["\nread: ", "\nwritten: ", "\nkernel twice on unit at 250 MHz\n", "\nio: u32[301] "]
    {
        assert!(o.out.contains(part), "{part}: {}", o.out);
    }
    let written = std::fs::read(&npy).expect("written");
    let data: Vec<u8> =
        (0..301u32).map(|i| if i < 300 { 2 * i } else { i }).flat_map(u32::to_le_bytes).collect();
    assert!(written.ends_with(&data));
    assert!(std::fs::metadata(&fst).expect("written").len() > 1000);
    assert_eq!(entries(dir.path()), ["io.npy", "k.clir", "out", "run.fst"]);
}
