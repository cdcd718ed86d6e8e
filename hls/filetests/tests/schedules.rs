//! The production scheduler against the one as soon as possible.

use filetests::testbenches;

/// Interval of the first loop of a file's schedule.
fn interval(file: &str, scheduler: &str) -> u32 {
    let path = testbenches().join("filetests/ir-to-schedule").join(file);
    let path = path.to_str().expect("UTF-8");
    let args = ["clhls", "build", path, "--emit", "schedule", "--board", "u250", "--scheduler"];
    let args = args.into_iter().chain([scheduler]).map(Into::into);
    let (mut out, mut err) = (vec![], vec![]);
    let code = driver::run(args, &mut driver::Streams { out: &mut out, err: &mut err });
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
    let text = String::from_utf8_lossy(&out).into_owned();
    let line = text.lines().find(|l| l.starts_with("loop ")).expect("a loop");
    let (_, after) = line.split_once(" ii ").expect("an interval");
    after.split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
}

#[test]
fn a_register_is_not_read_earlier_than_its_recurrence_needs() {
    assert_eq!(interval("interval.clir", "sdc"), 1);
    assert!(interval("interval.clir", "asap") > 1);
}

#[test]
fn a_recurrence_through_an_operator_keeps_its_length() {
    assert_eq!(interval("task.clir", "sdc"), interval("task.clir", "asap"));
}
