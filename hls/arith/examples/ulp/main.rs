//! The largest errors of the mathematical functions: `cargo run --release -p clhls-arith --example ulp -- [OPTIONS] [NAME..]`.
//!
//! Functions of one number in half and single precision run on every operand, all others on operands that mix corners with
//! everyday numbers. Half and single precision are compared with double precision by a library that has nothing to do with
//! this crate (`libm`), whose own error is below 2^-27 of their units; double precision is compared with MPFR.
//!
//! Options: `--sample N` takes every N-th operand of more than 16 bits, `--count N` sets the cases where not every operand is run (default 10^8),
//! `--state FILE` keeps finished functions (default build/numerics/ulp.tsv; those whose datapath did not change are not run
//! again), `--write FILE` writes the table, with the `--date` that it is given. Names select functions. Exits with 1 if a bound is exceeded, with 2 on wrong usage.

mod double;
#[path = "../../tests/functions/mod.rs"]
mod functions;
mod operands;
mod state;

use arith::{Format, Operator, eval, math};
use clhls_arith as arith;
use functions::bounds::bound;
use functions::numbers::decode;
use ir::{MathFn, MathType};
use state::{Row, State};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Operands that a thread takes at a time.
const CHUNK: u64 = 1 << 12;

/// The command line.
struct Options {
    names: Vec<String>,
    file: Option<String>,
    state: String,
    date: String,
    count: u64,
    sample: u64,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let state = concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/numerics/ulp.tsv").to_owned();
        let (names, date) = (vec![], String::new());
        let mut o = Options { names, file: None, state, date, count: 100_000_000, sample: 1 };
        while let Some(arg) = args.next() {
            let mut number = || {
                let value = args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                value.ok_or_else(|| format!("{arg} wants a positive number"))
            };
            match arg.as_str() {
                "--count" => o.count = number()?,
                "--sample" => o.sample = number()?,
                "--write" => o.file = Some(args.next().ok_or("--write wants a file")?),
                "--date" => o.date = args.next().ok_or("--date wants a date")?,
                "--state" => o.state = args.next().ok_or("--state wants a file")?,
                option if option.starts_with('-') => return Err(format!("unknown {option}")),
                _ => o.names.push(arg),
            }
        }
        Ok(o)
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("ulp: {message}");
            return ExitCode::from(2);
        }
    };
    match measure_all(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("ulp: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs what is not known yet; whether everything is within its bound.
fn measure_all(options: &Options) -> std::io::Result<bool> {
    let mut state = State::load(&options.state)?;
    let mut within = true;
    for (f, format) in wanted(&options.names) {
        let (cases, all) = cases(f, format, options);
        let fingerprint = state::fingerprint(f, format);
        if !state.knows(f, format, fingerprint, cases) {
            let (worst, x, y) = measure(f, format, cases, all);
            state.put(Row { f, format, fingerprint, cases, all, worst, x, y })?;
        }
        let row = state.row(f, format).expect("known now");
        println!("{}", row.line());
        within &= row.worst <= bound(f, format);
    }
    if let Some(file) = &options.file {
        std::fs::write(file, state.page(&options.date, options.sample))?;
    }
    Ok(within)
}

fn wanted(names: &[String]) -> Vec<(MathFn, Format)> {
    let formats = [Format::F16, Format::F32, Format::F64];
    let all = formats.into_iter().flat_map(|format| MathFn::ALL.iter().map(move |f| (*f, format)));
    all.filter(|(f, format)| f.result() == MathType::Float && math::is_supported(*f, *format))
        .filter(|(f, format)| {
            let name = format!("{}_{format}", f.name());
            names.is_empty() || names.iter().any(|n| *n == name || n == f.name())
        })
        .collect()
}

/// Number of cases, and whether they are all operands or every n-th one.
fn cases(f: MathFn, format: Format, options: &Options) -> (u64, bool) {
    let every = f.args().len() == 1 && format.width() <= 32;
    let all = if every { 1 << format.width() } else { options.count };
    let sample = if every && format.width() == 16 { 1 } else { options.sample };
    (all / sample.min(all), every)
}

/// The largest error in ulp and its operands.
fn measure(f: MathFn, format: Format, cases: u64, every: bool) -> (f64, u128, u128) {
    let step = if every { (1u64 << format.width()) / cases } else { 1 };
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let worst = Mutex::new((-1.0, 0, 0));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut mine = (-1.0, 0, 0);
                loop {
                    let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                    if first >= cases {
                        break;
                    }
                    let count = CHUNK.min(cases - first);
                    let mut test = |x: u128, y: u128| {
                        let error = error(f, format, x, y);
                        if error > mine.0 {
                            mine = (error, x, y);
                        }
                    };
                    match every {
                        true => (first..first + count).for_each(|k| test((k * step).into(), 0)),
                        false => operands::mixed(f, format, first, count, &mut test),
                    }
                    progress(f, format, done.fetch_add(count, Ordering::Relaxed) + count, cases);
                }
                let mut worst = worst.lock().expect("no panics while held");
                if mine.0 > worst.0 {
                    *worst = mine;
                }
            });
        }
    });
    worst.into_inner().expect("no panics while held")
}

fn progress(f: MathFn, format: Format, done: u64, cases: u64) {
    if std::io::stderr().is_terminal() && (done / CHUNK).is_multiple_of(64) {
        eprint!("\r{}_{format} {:3} %  ", f.name(), done * 100 / cases);
        let _ = std::io::stderr().flush();
    }
}

/// The error of one result.
fn error(f: MathFn, format: Format, x: u128, y: u128) -> f64 {
    let result = eval(Operator::Math(f, format), &[x, y]);
    if format != Format::F64 {
        return double::error(f, format, x, y, result);
    }
    let second = match f.args().get(1) {
        Some(MathType::Int) => rug::Float::with_val(64, y as u32 as i32),
        _ => decode(format, y),
    };
    functions::error(f, format, x, result, &functions::value(f, &decode(format, x), &second))
}
