//! Long runs of the operators against independent references.
//!
//! `cargo run -p clhls-arith --release --example exhaustive -- [OPTIONS] [NAME..]`
//!
//! Runs the suites whose names contain one of the arguments (all without arguments), the short ones first. Options: `--count N`
//! sets the cases of each random suite (default 10^8), `--sample N` checks every N-th case only, `--threads N`, `--state FILE`
//! keeps what was compared (default testbenches/numerics/arithmetic.tsv, which is committed; suites of datapaths that did not
//! change are not run again), `--write FILE` writes what the state knows as a page, with the `--date` that it is given. Exits with 1 if anything differs,
//! with 2 on wrong usage.

mod conversions;
#[path = "../ulp/fingerprint.rs"]
mod fingerprint;
mod host;
#[path = "../ulp/kept.rs"]
mod kept;
mod record;
mod suites;

use record::{Record, Row};
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
    state: String,
    date: String,
    count: u64,
    sample: u64,
    threads: usize,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let state =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/numerics/arithmetic.tsv")
                .to_owned();
        let (names, date, file) = (vec![], String::new(), None);
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let (count, sample) = (100_000_000, 1);
        let mut options = Options { names, file, state, date, count, sample, threads };
        while let Some(arg) = args.next() {
            let mut number = || {
                let value = args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                value.ok_or_else(|| format!("{arg} wants a positive number"))
            };
            match arg.as_str() {
                "--count" => options.count = number()?,
                "--sample" => options.sample = number()?,
                "--threads" => options.threads = number()? as usize,
                "--state" => options.state = args.next().ok_or("--state wants a file")?,
                "--date" => options.date = args.next().ok_or("--date wants a date")?,
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
    match compare(&options) {
        Ok(same) => ExitCode::from(!same as u8),
        Err(error) => {
            eprintln!("exhaustive: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs what is not known yet; whether nothing differs.
fn compare(options: &Options) -> std::io::Result<bool> {
    let mut record = Record::load(&options.state)?;
    let all = suites::all(options.count);
    let mut wanted: Vec<&Suite> = all.iter().filter(|s| options.wants(&s.name)).collect();
    wanted.sort_by_key(|suite| suite.cases);
    let mut same = true;
    for (number, suite) in wanted.iter().enumerate() {
        let fingerprint = record::fingerprint(&suite.name);
        let cases = suite.cases.div_ceil(options.sample);
        if record.knows(&suite.name, fingerprint, cases) {
            continue;
        }
        let start = Instant::now();
        let differences = run(suite, options);
        let (name, seconds) = (&suite.name, start.elapsed().as_secs_f64());
        println!(
            "{}/{} {name}: {cases} cases, {differences} differences, {seconds:.1} s",
            number + 1,
            wanted.len()
        );
        same &= differences == 0;
        if differences == 0 {
            let (name, reference) = (name.clone(), suite.reference.to_owned());
            record.put(Row { name, fingerprint, cases, of: suite.cases, reference })?;
        }
    }
    if let Some(file) = &options.file {
        std::fs::write(file, record.page(&options.date, &all))?;
    }
    Ok(same)
}

/// Runs a suite; gives the number of differences.
fn run(suite: &Suite, options: &Options) -> usize {
    let Options { sample, threads, .. } = *options;
    let next = AtomicU64::new(0);
    let differences = Mutex::new(vec![]);
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
    differences.len()
}
