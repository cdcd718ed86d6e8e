//! Operators as hardware, each alone.
//!
//! ```text
//! operators check [--cases N] [--sample] [--jobs N] [--loops] [--goal BOARD:MHZ]... [--report FILE] [NAME...]
//! operators emit --goal BOARD:MHZ DIR [NAME...]
//! ```
//!
//! `check` compares the modules with the native datapath in Verilator, a case every cycle, at every goal (by default
//! ulx3s:75 and u250:300), and the loops of steps that kernels may get in their place (`--loops`: only these). `--sample` takes a few
//! operators of every kind. `emit` writes `DIR/<name>/*.v` and
//! `DIR/operators.json`; names may end in `_smallest` and `_fastest`, for loops of steps. Without names: all operators.

use arith::Operator;
use filetests::operators::bench::{self, Outcome};
use filetests::operators::{Emitted, Form, Goal, emit, emit_turning, select};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The clock targets of the bench.
const GOALS: [&str; 2] = ["ulx3s:75", "u250:300"];
/// Cases of each operator.
const CASES: usize = 100_000;
/// Verilog of one program, bytes: more takes long to compile, less has too much of Verilator's own code.
const PROGRAM_BYTES: usize = 600_000;
/// Most loops of steps in a program: they are small, but run for many cycles.
const LOOPS: usize = 12;
/// Of every kind of hardware a small specimen: what `make test` checks.
const SAMPLE: [&str; 13] = [
    "fadd_f32",
    "fmul_f32",
    "fma_f16",
    "fdiv_f16",
    "fsqrt_f16_rtp",
    "fcmp_olt_f64",
    "fmin_bf16",
    "ftoi_f32_s32_rtz",
    "itof_u64_f32_rte",
    "ftof_f64_f16_rtn",
    "fround_f32_rhaz",
    "sin_f16",
    "sdivrem_s64",
];

#[derive(Default)]
struct Settings {
    cases: usize,
    jobs: usize,
    goals: Vec<String>,
    report: Option<PathBuf>,
    sample: bool,
    loops: bool,
    rest: Vec<String>,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let done = settings(args).and_then(|s| match command.as_str() {
        "check" => check(s),
        "emit" => write_all(&s),
        other => Err(format!("`{other}` is neither `check` nor `emit`")),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("operators: {e}");
            ExitCode::from(2)
        }
    }
}

fn settings(mut args: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut s = Settings { cases: CASES, jobs: 1, ..Settings::default() };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} wants a value"));
        let number = |text: String| text.parse().map_err(|_| format!("`{text}` is no number"));
        match arg.as_str() {
            "--cases" => s.cases = number(value()?)?,
            "--jobs" => s.jobs = number(value()?)?.max(1),
            "--goal" => s.goals.push(value()?),
            "--report" => s.report = Some(value()?.into()),
            "--sample" => s.sample = true,
            "--loops" => s.loops = true,
            option if option.starts_with('-') => return Err(format!("{option} is not known")),
            _ => s.rest.push(arg),
        }
    }
    Ok(s)
}

/// `BOARD:MHZ`
fn goal(text: &str) -> Result<Goal, String> {
    let parts = text.split_once(':').and_then(|(board, mhz)| Some((board, mhz.parse().ok()?)));
    let (board, mhz) = parts.ok_or(format!("`{text}` is not BOARD:MHZ"))?;
    Goal::new(board, mhz)
}

fn check(mut s: Settings) -> Result<bool, String> {
    if s.goals.is_empty() {
        s.goals = GOALS.map(str::to_owned).to_vec();
    }
    if s.sample && s.rest.is_empty() {
        s.rest = SAMPLE.map(str::to_owned).to_vec();
    }
    let operators: Vec<Operator> = select(&s.rest)?.into_iter().map(|(op, _)| op).collect();
    let start = Instant::now();
    let mut all: Vec<Vec<Outcome>> = vec![];
    for text in &s.goals {
        let goal = goal(text)?;
        let pipelines = operators.iter().filter(|_| !s.loops);
        let pipelines = pipelines.map(|op| emit(*op, Form::Pipeline, &goal));
        let mut emitted = pipelines.collect::<Result<Vec<_>, _>>()?;
        for op in &operators {
            emitted.extend(emit_turning(*op, &goal)?);
        }
        let programs = programs(&emitted);
        println!("{text} MHz: {} modules in {} programs", emitted.len(), programs.len());
        all.push(run_all(&programs, &s)?);
    }
    let wrong: Vec<&Outcome> = all.iter().flatten().filter(|o| o.difference.is_some()).collect();
    println!(
        "{} operators at {} MHz, {} cases each: {} modules checked, {} wrong, {} s",
        operators.len(),
        s.goals.join(" and "),
        s.cases,
        all.iter().map(Vec::len).sum::<usize>(),
        wrong.len(),
        start.elapsed().as_secs()
    );
    if let Some(path) = &s.report {
        std::fs::write(path, page(&s, &operators, &all)).map_err(|e| e.to_string())?;
    }
    Ok(wrong.is_empty())
}

/// Neighbours share a program as long as it stays small. Loops of steps, which take longer, share it with loops only.
fn programs(emitted: &[Emitted]) -> Vec<&[Emitted]> {
    let bytes = |o: &Emitted| o.files.iter().map(|(_, text)| text.len()).sum::<usize>();
    let (mut all, mut first, mut size) = (vec![], 0, 0);
    for (k, o) in emitted.iter().enumerate() {
        let loops = o.start.is_some();
        let other = loops != emitted[first].start.is_some() || loops && k - first >= LOOPS;
        if k > first && (other || size + bytes(o) > PROGRAM_BYTES) {
            all.push(&emitted[first..k]);
            (first, size) = (k, 0);
        }
        size += bytes(o);
    }
    all.push(&emitted[first..]);
    all
}

/// Runs the programs, `jobs` at a time; outcomes in the order of the operators.
fn run_all(programs: &[&[Emitted]], s: &Settings) -> Result<Vec<Outcome>, String> {
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, Result<Vec<Outcome>, String>>> = Mutex::default();
    let worker = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = programs.get(k) else { break };
            let start = Instant::now();
            let scratch = tempfile::tempdir().map_err(|e| e.to_string());
            let result = scratch.and_then(|dir| bench::run(dir.path(), program, s.cases, k as u64));
            let names = [&program[0].name, &program[program.len() - 1].name];
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "  {} of {}: {} to {}, {seconds:.1} s",
                k + 1,
                programs.len(),
                names[0],
                names[1]
            );
            for wrong in result.iter().flatten().filter(|o| o.difference.is_some()) {
                println!("{wrong}");
            }
            results.lock().unwrap_or_else(|e| e.into_inner()).insert(k, result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..s.jobs {
            scope.spawn(worker);
        }
    });
    let results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.into_values().collect::<Result<Vec<_>, _>>().map(|all| all.concat())
}

/// The committed page.
fn page(s: &Settings, operators: &[Operator], all: &[Vec<Outcome>]) -> String {
    let wrong = all.iter().flatten().filter(|o| o.difference.is_some()).count();
    let mut text = format!(
        "# Operator modules against the native datapath\n\n\
         Written by `make operators`: every operator as Verilog for two clock targets, in Verilator, one case every cycle,\n\
         {} cases each (combinations of corners first, then corner-mixing random operands); results, and the cycles\n\
         in which they appear, compared with the native datapath and the declared latency.\n\n\
         {} modules, {wrong} wrong.\n\n| operator |",
        s.cases,
        all.iter().map(Vec::len).sum::<usize>(),
    );
    for goal in &s.goals {
        let _ = write!(text, " latency, {} MHz | wrong |", goal.replace(':', " at "));
    }
    let _ = write!(text, "\n|---|{}\n", "---|---|".repeat(s.goals.len()));
    for op in operators {
        let _ = write!(text, "| {op} |");
        for outcomes in all {
            let pipeline = outcomes.iter().find(|o| o.name == op.to_string());
            let wrong = |o: &Outcome| o.difference.as_ref().map_or(0, |d| d.count);
            match pipeline {
                Some(o) => _ = write!(text, " {} | {} |", o.latency, wrong(o)),
                None => text += " | |",
            }
        }
        text.push('\n');
    }
    text += &loops_table(s, all);
    text
}

/// The loops of steps: at each goal others.
fn loops_table(s: &Settings, all: &[Vec<Outcome>]) -> String {
    let mut text = String::from(
        "\n## Loops of steps\n\nNames end in the interval: `_i27` takes operands every 27 cycles. Cases come that far apart, \
         every other one after a pause of up to nine cycles more.\n\n| unit | target | latency | wrong |\n|---|---|---|---|\n",
    );
    for (goal, outcomes) in s.goals.iter().zip(all) {
        for o in outcomes.iter().filter(|o| o.name != o.operator.to_string()) {
            let wrong = o.difference.as_ref().map_or(0, |d| d.count);
            let _ = writeln!(text, "| {} | {goal} | {} | {wrong} |", o.name, o.latency);
        }
    }
    text
}

/// What the cost table needs to know of an emitted operator.
#[derive(Serialize)]
struct Entry {
    name: String,
    module: String,
    latency: u32,
    interval: u32,
    inputs: Vec<u32>,
    output: u32,
}

fn write_all(s: &Settings) -> Result<bool, String> {
    let [goal_text] = &s.goals[..] else { return Err("`emit` wants one --goal".into()) };
    let (folder, names) = s.rest.split_first().ok_or("`emit` wants a directory")?;
    let goal = goal(goal_text)?;
    let mut entries = vec![];
    for (op, form) in select(names)? {
        let emitted = emit(op, form, &goal)?;
        let name = match form {
            Form::Pipeline => op.to_string(),
            Form::Smallest => format!("{op}_smallest"),
            Form::Fastest => format!("{op}_fastest"),
        };
        let dir = Path::new(folder).join(&name);
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        for (name, text) in emitted.files.iter() {
            std::fs::write(dir.join(name), text).map_err(|e| e.to_string())?;
        }
        entries.push(Entry {
            name,
            module: emitted.module.clone(),
            latency: emitted.latency,
            interval: emitted.interval,
            inputs: op.input_widths().to_vec(),
            output: emitted.output_width(),
        });
    }
    let text = serde_json::to_string_pretty(&entries).map_err(|e| e.to_string())?;
    std::fs::write(Path::new(folder).join("operators.json"), text + "\n")
        .map_err(|e| e.to_string())?;
    Ok(true)
}
