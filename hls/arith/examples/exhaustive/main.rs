//! Long runs of the operators against independent references.
//!
//! `cargo run -p clhls-arith --release --example exhaustive -- [--write FILE] [--count N] [NAME..]`
//!
//! Runs the suites whose names contain one of the arguments (all without arguments) and prints
//! one row of a Markdown table a suite; `--write` writes the table to a file too, `--count` sets the
//! cases of each random suite (default 10^8). Exits with 1 if anything differs.

mod host;
mod suites;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A range of numbered cases and how to check them.
pub struct Suite {
    /// Name: operator and what is covered.
    pub name: String,
    /// What the results are compared with.
    pub reference: &'static str,
    /// Number of cases.
    pub cases: u64,
    /// Checks one case; a description of the difference if there is one.
    pub check: Box<dyn Fn(std::ops::Range<u64>) -> Vec<String> + Sync>,
}

/// Cases that a thread takes at a time.
const CHUNK: u64 = 1 << 16;
/// Differences reported in full.
const SHOWN: usize = 5;

fn main() -> ExitCode {
    let (mut wanted, mut file, mut count) = (vec![], None, 100_000_000);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--write" => file = args.next(),
            "--count" => count = args.next().and_then(|n| n.parse().ok()).unwrap_or(count),
            _ => wanted.push(arg),
        }
    }
    let header = "| suite | cases | reference | differences | seconds |\n|---|---|---|---|---|\n";
    let mut table = header.to_string();
    print!("{header}");
    let mut failed = false;
    for suite in suites::all(count) {
        if !wanted.is_empty() && !wanted.iter().any(|w| suite.name.contains(w)) {
            continue;
        }
        let row = run(&suite, &mut failed);
        print!("{row}");
        let _ = std::io::stdout().flush();
        table += &row;
    }
    if let Some(file) = file
        && let Err(error) = std::fs::write(&file, table)
    {
        eprintln!("{file}: {error}");
        failed = true;
    }
    ExitCode::from(failed as u8)
}

/// Runs a suite on all cores; returns its row of the table.
fn run(suite: &Suite, failed: &mut bool) -> String {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let differences = Mutex::new(vec![]);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= suite.cases {
                        break;
                    }
                    let found = (suite.check)(first..(first + CHUNK).min(suite.cases));
                    if !found.is_empty() {
                        differences.lock().expect("no panics while held").extend(found);
                    }
                }
            });
        }
    });
    let mut differences = differences.into_inner().expect("no panics while held");
    differences.sort();
    for difference in differences.iter().take(SHOWN) {
        eprintln!("{}: {difference}", suite.name);
    }
    *failed |= !differences.is_empty();
    let seconds = start.elapsed().as_secs_f64();
    let count = differences.len();
    format!("| {} | {} | {} | {count} | {seconds:.1} |\n", suite.name, suite.cases, suite.reference)
}
