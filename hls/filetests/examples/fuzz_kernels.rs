//! Random kernels through everything that runs kernels (`filetests::kernel_fuzz`):
//! `cargo run --release --example fuzz_kernels -- [OPTIONS]`.
//!
//! ```text
//! --first N, --count N   numbers of the programs (default: 0 and 3200)
//! --seconds N            begin no new module after so long
//! --hardware             small kernels as hardware in Verilator, in place of the levels of the interpreter
//! --ir                   kernels made as IR, without a producer
//! --per-module N         kernels in a module (default: 32; 1 for hardware)
//! --producers N, --passes N, --pocl N
//!                        every how many modules also go through clang-15, after each pass, to PoCL (default: 3, 8, 8; 0: none)
//! --out DIR              findings and the state of the run (default: build/fuzz)
//! --resume               goes on where the run with the same DIR was
//! --jobs N               threads
//! --regressions DIR      runs the programs of the folders in DIR that failed once, and nothing else; with --hardware there too
//! --reduce N             reduces so many findings of each sort (default: 2)
//! ```
//!
//! Findings are folders with a kernel and its launch file. The numbers of programs are seeds: a module's programs depend
//! on them alone (and on the number of kernels in a module).

use filetests::kernel_fuzz::regressions;
use filetests::kernel_fuzz::search::{self, Finding, Outcome, Plan};
use filetests::testbenches;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tries of a reduction.
const TRIES: usize = 600;

struct Settings {
    first: u64,
    count: u64,
    seconds: u64,
    ir: bool,
    plan: Plan,
    out: PathBuf,
    resume: bool,
    jobs: usize,
    reduce: u64,
    regressions: Option<PathBuf>,
}

fn settings() -> Result<Settings, String> {
    let plan =
        Plan { per_module: 0, hardware: false, producers_every: 3, passes_every: 8, pocl_every: 8 };
    let mut s = Settings {
        first: 0,
        count: 3200,
        seconds: u64::MAX,
        ir: false,
        plan,
        out: testbenches().join("../build/fuzz"),
        resume: false,
        jobs: 1,
        reduce: 2,
        regressions: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number =
            || args.next().and_then(|n| n.parse::<u64>().ok()).ok_or(format!("{arg} N"));
        match arg.as_str() {
            "--first" => s.first = number()?,
            "--count" => s.count = number()?,
            "--seconds" => s.seconds = number()?,
            "--per-module" => s.plan.per_module = number()?,
            "--producers" => s.plan.producers_every = number()?,
            "--passes" => s.plan.passes_every = number()?,
            "--pocl" => s.plan.pocl_every = number()?,
            "--jobs" => s.jobs = number()?.max(1) as usize,
            "--reduce" => s.reduce = number()?,
            "--hardware" => s.plan.hardware = true,
            "--ir" => s.ir = true,
            "--resume" => s.resume = true,
            "--out" => s.out = args.next().ok_or("--out DIR")?.into(),
            "--regressions" => s.regressions = Some(args.next().ok_or("--regressions DIR")?.into()),
            _ => return Err(format!("unknown option {arg}")),
        }
    }
    if s.plan.per_module == 0 {
        s.plan.per_module = if s.plan.hardware { 1 } else { 32 };
    }
    Ok(s)
}

/// What all threads share.
struct Run {
    settings: Settings,
    start: Instant,
    next: AtomicU64,
    end: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Modules that are done although one before them is not.
    done: BTreeSet<u64>,
    /// The first module that is not done.
    resume_at: u64,
    totals: BTreeMap<String, u64>,
    sorts: BTreeMap<String, u64>,
    /// What each thread is at.
    current: BTreeMap<usize, u64>,
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(s) => s,
        Err(e) => {
            eprintln!("fuzz_kernels: {e}");
            return ExitCode::from(2);
        }
    };
    if let Some(folder) = &settings.regressions {
        return all_regressions(folder, settings.plan.hardware);
    }
    if let Err(e) = std::fs::create_dir_all(&settings.out) {
        eprintln!("fuzz_kernels: {}: {e}", settings.out.display());
        return ExitCode::from(2);
    }
    // panics of the compiler are findings, and are said there
    std::panic::set_hook(Box::new(|place| {
        let at = place.location().map_or(String::new(), ToString::to_string);
        println!("PANIC {at}");
    }));
    let per = settings.plan.per_module;
    let end = (settings.first + settings.count).div_ceil(per);
    let mut state = State { resume_at: settings.first / per, ..State::default() };
    if settings.resume {
        read_state(&settings.out, &mut state);
    }
    let next = AtomicU64::new(state.resume_at);
    let run = Run { start: Instant::now(), next, end, state: Mutex::new(state), settings };
    println!("programs {} to {}", run.next.load(Ordering::Relaxed) * per, end * per - 1);
    std::thread::scope(|scope| {
        for thread in 0..run.settings.jobs {
            let run = &run;
            // deep expressions and the e-graph need more than a thread's usual stack
            let made = std::thread::Builder::new().stack_size(64 << 20);
            if let Err(e) = made.spawn_scoped(scope, move || work(run, thread)) {
                eprintln!("fuzz_kernels: {e}");
            }
        }
    });
    let state = lock(&run.state);
    for (what, n) in &state.totals {
        println!("{what}: {n}");
    }
    for (what, n) in &state.sorts {
        println!("FOUND {n} times: {what}");
    }
    println!("{} seconds", run.start.elapsed().as_secs());
    ExitCode::from(u8::from(!state.sorts.is_empty()))
}

/// Runs what failed once.
fn all_regressions(folder: &Path, hardware: bool) -> ExitCode {
    let scratch = tempfile::tempdir();
    let (Ok(scratch), Ok(entries)) = (scratch, std::fs::read_dir(folder)) else {
        eprintln!("fuzz_kernels: {}: cannot be read", folder.display());
        return ExitCode::from(2);
    };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    folders.retain(|f| f.join("launches.toml").exists());
    folders.sort();
    let mut failed = 0;
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        match regressions::run(folder, hardware, scratch.path()) {
            Ok(n) => println!("{name}: {n} launches"),
            Err(e) => {
                failed += 1;
                println!("{name}: FAILED\n  {}", e.replace('\n', "\n  "));
            }
        }
    }
    println!("{} passed, {failed} failed", folders.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn work(run: &Run, thread: usize) {
    let scratch = match tempfile::tempdir() {
        Ok(dir) => dir,
        Err(e) => {
            eprintln!("fuzz_kernels: {e}");
            return;
        }
    };
    let s = &run.settings;
    while run.start.elapsed() < Duration::from_secs(s.seconds) {
        let number = run.next.fetch_add(1, Ordering::Relaxed);
        if number >= run.end {
            return;
        }
        begin(run, thread, number);
        let outcome = match s.ir {
            true => ir_kernels(number, s.plan.per_module),
            false => search::module(number, &s.plan, scratch.path()),
        };
        for finding in &outcome.findings {
            report(run, finding, scratch.path());
        }
        finish(run, thread, number, outcome);
    }
}

/// Kernels made as IR.
fn ir_kernels(number: u64, count: u64) -> Outcome {
    let mut outcome = Outcome::default();
    for seed in number * count..(number + 1) * count {
        let result = std::panic::catch_unwind(|| search::ir_kernel(seed));
        let result = result.unwrap_or_else(|_| Err("a panic".into()));
        if let Err(e) = result {
            println!("FOUND IR kernel {seed}: {e}");
            *outcome.totals.entry("IR kernels that fail".into()).or_default() += 1;
        }
        *outcome.totals.entry("IR kernels".into()).or_default() += 1;
    }
    outcome
}

fn begin(run: &Run, thread: usize, number: u64) {
    let mut state = lock(&run.state);
    state.current.insert(thread, number);
    // if a program takes the process with it, this says which
    let at: Vec<String> = state.current.values().map(u64::to_string).collect();
    let _ = std::fs::write(run.settings.out.join("current"), at.join("\n"));
}

/// Says what was found, reduces the first few of its sort, and keeps them.
fn report(run: &Run, finding: &Finding, scratch: &Path) {
    let sort = finding.sort();
    let seen = {
        let mut state = lock(&run.state);
        let n = state.sorts.entry(sort.clone()).or_default();
        *n += 1;
        *n
    };
    let name = &finding.program.name;
    println!("FOUND {name}: {sort}\n  {}", finding.what.lines().next().unwrap_or(""));
    if seen > run.settings.reduce {
        return;
    }
    let small = search::reduced(finding, TRIES, scratch);
    let kind: String =
        format!("{:?}", finding.kind).chars().take_while(char::is_ascii_alphanumeric).collect();
    let folder = run.settings.out.join(format!("{name}-{}-{seen}", kind.to_lowercase()));
    match search::keep(&small, &folder, scratch) {
        Ok(()) => println!("  {}: {}", folder.display(), small.what.replace('\n', "\n  ")),
        Err(e) => eprintln!("fuzz_kernels: {}: {e}", folder.display()),
    }
}

fn finish(run: &Run, thread: usize, number: u64, outcome: Outcome) {
    let mut state = lock(&run.state);
    let state = &mut *state;
    state.current.remove(&thread);
    state.done.insert(number);
    while state.done.remove(&state.resume_at) {
        state.resume_at += 1;
    }
    for (what, n) in outcome.totals {
        *state.totals.entry(what).or_default() += n;
    }
    let mut text = format!("next={}\n", state.resume_at);
    for (what, n) in &state.totals {
        text.push_str(&format!("{what}={n}\n"));
    }
    let _ = std::fs::write(run.settings.out.join("state"), text);
    if number.is_multiple_of(16) {
        let n = state.totals.get("programs").or(state.totals.get("IR kernels")).copied();
        println!(
            "{} s: {} programs, at module {number}",
            run.start.elapsed().as_secs(),
            n.unwrap_or(0)
        );
    }
}

/// The state of a run that ended before its end.
fn read_state(out: &Path, state: &mut State) {
    let text = std::fs::read_to_string(out.join("state")).unwrap_or_default();
    for (what, n) in text.lines().filter_map(|l| l.rsplit_once('=')) {
        let n = n.parse().unwrap_or(0);
        match what {
            "next" => state.resume_at = n,
            _ => drop(state.totals.insert(what.to_owned(), n)),
        }
    }
}
