//! Schedules for tests: what the file tests of the scheduling step expect.

#![allow(dead_code, reason = "each test binary uses its part")]

use clhls_schedule as schedule;
use ir::Inst;
use schedule::verify::{verify, verify_timing};
use schedule::{KernelSchedule, Place};

/// Texts of all schedules of a file in `testbenches/filetests/ir-to-schedule`.
pub fn texts(name: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/filetests/ir-to-schedule");
    let path = format!("{folder}/{name}.expect");
    let file = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut out: Vec<String> = vec![];
    for line in file.lines() {
        if line.starts_with("schedule ") {
            out.push(String::new());
        }
        let text = out.last_mut().expect("a schedule begins with that word");
        text.push_str(line);
        text.push('\n');
    }
    // Schedules are printed with an empty line between them.
    out.into_iter().map(|t| format!("{}\n", t.trim_end())).collect()
}

/// The schedule of a kernel.
pub fn kernel(file: &str, name: &str) -> KernelSchedule {
    let all = texts(file).into_iter().map(|t| schedule::parse::parse(&t).expect("readable"));
    all.into_iter().find(|s| s.func.name == name).expect("the file has the kernel")
}

/// The messages with which a valid schedule is rejected once `change` has been made.
pub fn rejected(file: &str, kernel: &str, change: impl FnOnce(&mut KernelSchedule)) -> String {
    let mut s = self::kernel(file, kernel);
    verify(&s).unwrap_or_else(|e| panic!("{e}"));
    verify_timing(&s).unwrap_or_else(|e| panic!("{e}"));
    change(&mut s);
    let all: Vec<String> = [verify(&s), verify_timing(&s)]
        .into_iter()
        .filter_map(|r| Some(r.err()?.to_string()))
        .collect();
    all.join("\n")
}

#[track_caller]
pub fn expect(file: &str, kernel: &str, message: &str, change: impl FnOnce(&mut KernelSchedule)) {
    let text = rejected(file, kernel, change);
    assert!(text.contains(message), "expected `{message}`, got `{text}`");
}

/// Cycle of an instruction in a segment.
pub fn set_cycle(s: &mut KernelSchedule, inst: Inst, new: u32) {
    match &mut s.place[inst] {
        Some(Place::Segment { cycle, .. } | Place::Prologue { cycle }) => *cycle = new,
        other => panic!("{other:?} has no cycle"),
    }
}
