//! Schedules for tests: what the file tests of the scheduling step expect.

use clhls_schedule as schedule;
use schedule::KernelSchedule;

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
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn kernel(file: &str, name: &str) -> KernelSchedule {
    let all = texts(file).into_iter().map(|t| schedule::parse::parse(&t).expect("readable"));
    all.into_iter().find(|s| s.func.name == name).expect("the file has the kernel")
}
