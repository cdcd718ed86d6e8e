//! The largest errors of the mathematical functions: `cargo run --release -p clhls-arith --example ulp -- [OPTIONS] [NAME..]`.
//!
//! Functions of one number in half and single precision run on every operand, all others on operands that mix corners with
//! everyday numbers. Half and single precision are compared with double precision by a library that has nothing to do with
//! this crate (`libm`), whose own error is below 2^-27 of their units; double precision is compared with MPFR.
//!
//! All of that would take half a day of one core with the obvious program. So the datapaths run over arrays of operands (`lanes`), and
//! the reference is asked only where a result is not the one of a correctly rounding library (`filter`), and in some cases anyway.
//!
//! Options: `--sample N` takes every N-th operand of more than 16 bits, `--count N` sets the cases where not every operand is run (default 10^8),
//! `--audit N` compares one case in N with the reference even where that seems unnecessary (default 256; 1 for all), `--threads N`,
//! `--state FILE` keeps what is known (default testbenches/numerics/ulp.tsv, which is committed; functions whose datapath did not
//! change are not run again, and interrupted ones go on where they were), `--write FILE` writes the table, with the `--date` that it is given, `--plan` only says how long
//! each function will take. Names select functions; the fastest are run first. Exits with 1 if a bound is exceeded, with 2 on wrong usage or
//! if the filter turns out to hide errors.

mod double;
mod filter;
mod fingerprint;
#[path = "../../tests/functions/mod.rs"]
mod functions;
mod kept;
mod lanes;
mod measure;
mod operands;
mod schedule;
mod state;

use arith::{Format, math};
use clhls_arith as arith;
use functions::bounds::bound;
use ir::{MathFn, MathType};
use measure::{Job, Judge, Worst};
use schedule::Progress;
use state::{Row, State};
use std::io;
use std::process::ExitCode;

/// Cases after which what is known is written down: seconds, or a minute for the slowest.
const SEGMENT: u64 = 1 << 24;

/// The command line.
struct Options {
    names: Vec<String>,
    file: Option<String>,
    state: String,
    date: String,
    count: u64,
    sample: u64,
    audit: u64,
    threads: u64,
    plan: bool,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
        let state =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbenches/numerics/ulp.tsv").to_owned();
        let (names, date) = (vec![], String::new());
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let (count, sample, audit, plan) = (100_000_000, 1, 256, false);
        let file = None;
        let mut o = Options { names, file, state, date, count, sample, audit, threads, plan };
        while let Some(arg) = args.next() {
            let mut number = || {
                let value = args.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                value.ok_or_else(|| format!("{arg} wants a positive number"))
            };
            match arg.as_str() {
                "--count" => o.count = number()?,
                "--sample" => o.sample = number()?,
                "--audit" => o.audit = number()?,
                "--threads" => o.threads = number()?,
                "--plan" => o.plan = true,
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
fn measure_all(options: &Options) -> io::Result<bool> {
    let mut state = State::load(&options.state)?;
    let wanted = wanted(&options.names);
    let unknown = plan(&wanted, options, &state);
    let total = unknown.iter().map(|(_, seconds)| seconds).sum();
    if options.plan {
        unknown.iter().for_each(|(job, s)| println!("{}_{}\t{s:.1} s", job.f.name(), job.format));
        println!("{} functions, {} of one core", unknown.len(), schedule::clock(total));
        return Ok(true);
    }
    eprintln!("ulp: {} functions, {} of one core", unknown.len(), schedule::clock(total));
    let mut progress = Progress::new(total);
    for (job, seconds) in &unknown {
        measure(*job, *seconds, options.threads, &mut state, &mut progress)?;
        eprintln!("ulp: {}", state.row(job.f, job.format).expect("known now").line());
    }
    let mut within = true;
    for (f, format) in wanted {
        let row = state.row(f, format).expect("known now");
        println!("{}", row.line());
        within &= row.worst <= bound(f, format);
    }
    if let Some(file) = &options.file {
        std::fs::write(file, state.page(&options.date, options.sample, options.audit))?;
    }
    Ok(within)
}

/// What is to be run, and the seconds that it will take, the fastest first.
fn plan(wanted: &[(MathFn, Format)], options: &Options, state: &State) -> Vec<(Job, f64)> {
    let mut jobs = vec![];
    for (f, format) in wanted.iter().copied() {
        let (cases, every) = cases(f, format, options);
        let fingerprint = fingerprint::fingerprint(arith::Operator::Math(f, format));
        if !state.knows(f, format, fingerprint, cases) {
            let job = Job { f, format, cases, every, audit: options.audit };
            let done = state.interrupted(f, format, fingerprint, cases).map_or(0, |r| r.done);
            let left = (cases - done) as f64 / cases as f64;
            jobs.push((job, schedule::projection(job) * left));
        }
    }
    jobs.sort_by(|x, y| x.1.total_cmp(&y.1));
    jobs
}

fn wanted(names: &[String]) -> Vec<(MathFn, Format)> {
    let formats = [Format::F16, Format::F32, Format::F64];
    let all = formats.into_iter().flat_map(|format| MathFn::ALL.iter().map(move |f| (*f, format)));
    all.filter(|(f, format)| f.result() == MathType::Float && math::is_supported(*f, *format))
        // Those with wider bounds depend on the operand: tests/relaxed.rs.
        .filter(|(f, _)| math::Tier::of(*f).is_none())
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

/// Runs the cases of a function that are not known, `seconds` of one core, and writes down what is found every now and then.
fn measure(
    job: Job,
    seconds: f64,
    threads: u64,
    state: &mut State,
    progress: &mut Progress,
) -> io::Result<()> {
    let Job { f, format, cases, every, .. } = job;
    let fingerprint = fingerprint::fingerprint(arith::Operator::Math(f, format));
    let known = state.interrupted(f, format, fingerprint, cases);
    let mut done = known.map_or(0, |row| row.done);
    let mut worst = known.map_or(Worst::NONE, |row| Worst {
        error: row.worst,
        x: row.x as u64,
        y: row.y as u64,
        ..Worst::NONE
    });
    let per_case = seconds / (cases - done) as f64;
    let mut judges: Vec<Judge> = (0..threads).map(|_| Judge::new(job)).collect();
    while done < cases {
        let end = (done + SEGMENT).min(cases);
        worst = measure::run(&mut judges, worst, done, end);
        if worst.is_missed() {
            let name = format!("{}_{format}({:#x}, {:#x})", f.name(), worst.x, worst.y);
            let problem =
                format!("{name} passed the filter with {} ulp: use --audit 1", worst.error);
            return Err(io::Error::other(problem));
        }
        progress.add(job, end, per_case * (end - done) as f64, worst.error);
        done = end;
        let (error, x, y) = (worst.error, worst.x.into(), worst.y.into());
        state.put(Row { f, format, fingerprint, cases, done, all: every, worst: error, x, y })?;
    }
    Ok(())
}
