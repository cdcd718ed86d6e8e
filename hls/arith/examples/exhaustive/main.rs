//! Long runs of the operators against independent references.
//!
//! `cargo run -p clhls-arith --release --example exhaustive -- [OPTIONS] [NAME..]`
//!
//! Runs the suites whose names contain one of the arguments (all without arguments) and prints
//! one row of a Markdown table a suite. Options: `--write FILE` writes the table to a file too,
//! `--count N` sets the cases of each random suite (default 10^8), `--sample N` checks every N-th
//! case only. Exits with 1 if anything differs, with 2 on wrong usage.

mod conversions;
mod host;
mod suites;

use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Checks every `step`-th case of a range; describes each difference.
type Check = Box<dyn Fn(Range<u64>, usize) -> Vec<String> + Sync>;

/// Numbered cases and how to check them.
pub struct Suite {
    /// Name: operator and what is covered.
    pub name: String,
    /// What the results are compared with.
    pub reference: &'static str,
    /// Number of cases.
    pub cases: u64,
    /// Checks some of them.
    pub check: Check,
}

/// Cases that a thread checks at a time.
const CHUNK: u64 = 1 << 16;
/// Differences reported in full.
const SHOWN: usize = 5;

/// The command line.
struct Options {
    names: Vec<String>,
    file: Option<String>,
    count: u64,
    sample: u64,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { names: vec![], file: None, count: 100_000_000, sample: 1 };
        while let Some(arg) = args.next() {
            let mut number = || {
                let value = args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                value.ok_or_else(|| format!("{arg} wants a positive number"))
            };
            match arg.as_str() {
                "--count" => options.count = number()?,
                "--sample" => options.sample = number()?,
                "--write" => options.file = Some(args.next().ok_or("--write wants a file")?),
                option if option.starts_with('-') => return Err(format!("unknown {option}")),
                _ => options.names.push(arg),
            }
        }
        Ok(options)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| name.contains(wanted))
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("exhaustive: {message}");
            return ExitCode::from(2);
        }
    };
    let header = "| suite | cases | reference | differences |\n|---|---|---|---|\n";
    let mut table = header.to_string();
    print!("{header}");
    let mut failed = false;
    for suite in suites::all(options.count).iter().filter(|s| options.wants(&s.name)) {
        let start = Instant::now();
        let row = run(suite, options.sample, &mut failed);
        print!("{row}");
        let _ = std::io::stdout().flush();
        eprintln!("{}: {:.1} s", suite.name, start.elapsed().as_secs_f64());
        table += &row;
    }
    if let Some(file) = options.file
        && let Err(error) = std::fs::write(&file, table)
    {
        eprintln!("{file}: {error}");
        failed = true;
    }
    ExitCode::from(failed as u8)
}

/// Runs a suite on all cores; returns its row of the table.
fn run(suite: &Suite, sample: u64, failed: &mut bool) -> String {
    let next = AtomicU64::new(0);
    let differences = Mutex::new(vec![]);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let first = next.fetch_add(CHUNK * sample, Ordering::Relaxed);
                    if first >= suite.cases {
                        break;
                    }
                    let found = (suite.check)(
                        first..(first + CHUNK * sample).min(suite.cases),
                        sample as usize,
                    );
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
    let (cases, count) = (suite.cases.div_ceil(sample), differences.len());
    format!("| {} | {cases} | {} | {count} |\n", suite.name, suite.reference)
}
