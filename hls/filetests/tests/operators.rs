//! The bench of operators finds what is wrong with them; `make operators` runs it on all of them.

use base::FileSet;
use filetests::operators::bench::{Outcome, run};
use filetests::operators::{Emitted, Goal, emit, emit_turning, select};

fn adder() -> Emitted {
    let goal = Goal::new("u250", 300.0).expect("built in");
    let (operator, form) = select(&["fadd_f16".to_owned()]).expect("an operator")[0];
    emit(operator, form, &goal).expect("emitted")
}

/// The operator with a change in the text of its module.
fn changed(mut o: Emitted, change: impl Fn(&str) -> String) -> Emitted {
    let name = format!("{}.v", o.module);
    let mut files = FileSet::new();
    for (path, text) in o.files.iter() {
        let text = String::from_utf8_lossy(text);
        let new = if path == name { change(&text) } else { text.clone().into_owned() };
        assert_eq!(path == name, new != text, "{path}");
        files.insert(path, new);
    }
    o.files = files;
    o
}

fn check(o: Emitted) -> Outcome {
    let dir = tempfile::tempdir().expect("a scratch directory");
    run(dir.path(), &[o], 4000, 1).expect("it runs").remove(0)
}

#[test]
fn a_right_operator_passes() {
    assert_eq!(check(adder()).difference, None);
}

#[test]
fn a_wrong_latency_is_seen() {
    for wrong in [-1, 1] {
        let mut o = adder();
        let real = o.latency;
        o.latency = real.checked_add_signed(wrong).expect("a pipeline");
        let found = check(o).difference.expect("not as declared");
        assert_eq!(found.really_after, Some(real));
    }
}

#[test]
fn a_wrong_bit_in_few_results_is_seen() {
    let flip =
        |text: &str| text.replace("assign out0 = ", "assign out0 = {15'd0, in0[7:0] == 8'h5a} ^ ");
    let found = check(changed(adder(), flip)).difference.expect("wrong results");
    assert_eq!(found.really_after, None);
    assert!((1..100).contains(&found.count), "{} wrong", found.count);
    assert_eq!(found.expected ^ found.found, 1);
}

/// A loop of steps whose declared interval is a cycle too short gets operands while it still turns; one that is told to start
/// too late gives its result too late.
#[test]
fn a_wrong_interval_or_start_of_a_loop_is_seen() {
    let goal = Goal::new("u250", 300.0).expect("built in");
    let (operator, _) = select(&["udiv_u8".to_owned()]).expect("an operator")[0];
    let right = emit_turning(operator, &goal).expect("emitted").remove(0);
    assert_eq!(check(right.clone()).difference, None);
    let hasty = Emitted { interval: right.interval - 1, ..right.clone() };
    assert!(check(hasty).difference.is_some());
    let late = Emitted { start: right.start.map(|s| s + 1), ..right };
    assert!(check(late).difference.is_some());
}

#[test]
fn unknown_names_are_refused() {
    assert_eq!(select(&["fadd_f17".to_owned()]), Err("no operator is called fadd_f17".into()));
}
