//! What the example `ulp` keeps of a run that is interrupted.

#[expect(dead_code, reason = "only the bounds are used")]
mod functions;
#[path = "../examples/ulp/kept.rs"]
mod kept;
#[expect(dead_code, reason = "a test needs no page")]
#[path = "../examples/ulp/state.rs"]
mod state;

use clhls_arith::Format;
use ir::MathFn;
use state::{Row, State};

const F: MathFn = MathFn::Exp;
const FORMAT: Format = Format::F32;

fn row(fingerprint: u64, cases: u64, done: u64) -> Row {
    let (f, format, x) = (F, FORMAT, 0x3f80_0001);
    Row { f, format, fingerprint, cases, done, all: true, worst: 0.53125, x, y: 0 }
}

/// Calls `test` with the path of a file that is not there yet.
fn with_file(name: &str, test: impl FnOnce(&str)) {
    let folder = std::env::temp_dir().join(format!("clhls-ulp-{name}-{}", std::process::id()));
    test(folder.join("ulp.tsv").to_str().expect("a path of characters"));
    std::fs::remove_dir_all(&folder).expect("it was made");
}

#[test]
fn an_interrupted_run_goes_on() {
    with_file("interrupted", |path| {
        let mut state = State::load(path).expect("an empty state");
        assert!(state.interrupted(F, FORMAT, 7, 1000).is_none());
        state.put(row(7, 1000, 600)).expect("written");

        let mut state = State::load(path).expect("readable");
        let known = state.interrupted(F, FORMAT, 7, 1000).expect("it was written");
        assert_eq!((known.done, known.worst, known.x), (600, 0.53125, 0x3f80_0001));
        // Of another datapath, or of another number of cases, nothing is known, and this one is not finished.
        assert!(state.interrupted(F, FORMAT, 8, 1000).is_none());
        assert!(state.interrupted(F, FORMAT, 7, 2000).is_none());
        assert!(!state.knows(F, FORMAT, 7, 1000));
        assert!(state.row(F, FORMAT).is_none());

        state.put(row(7, 1000, 1000)).expect("written");
        let state = State::load(path).expect("readable");
        assert!(state.knows(F, FORMAT, 7, 1000) && state.knows(F, FORMAT, 7, 10));
        assert!(!state.knows(F, FORMAT, 7, 1001) && !state.knows(F, FORMAT, 8, 1000));
        assert!(state.interrupted(F, FORMAT, 7, 1000).is_none());
    });
}

#[test]
fn a_sample_leaves_a_longer_run_alone() {
    with_file("sample", |path| {
        let mut state = State::load(path).expect("an empty state");
        state.put(row(7, 1000, 600)).expect("written");
        state.put(row(7, 10, 10)).expect("written");
        assert_eq!(state.row(F, FORMAT).expect("the sample").cases, 10);
        assert!(state.interrupted(F, FORMAT, 7, 1000).is_some());
        // The longer run makes the sample needless; another datapath makes both.
        state.put(row(7, 1000, 1000)).expect("written");
        assert_eq!(std::fs::read_to_string(path).expect("written").lines().count(), 1);
        state.put(row(8, 10, 10)).expect("written");
        assert_eq!(std::fs::read_to_string(path).expect("written").lines().count(), 1);
        assert!(!state.knows(F, FORMAT, 7, 10));
    });
}
