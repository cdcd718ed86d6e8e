//! Many programs through the levels; what was found, and the smallest program for it.

use super::levels::{
    Behaviour, Known, Level, Results, as_read, check, difference, launch_of, too_long,
};
use super::produce::{PRODUCERS, Refusal, compile};
use super::{cases, levels};
use crate::testbenches;
use fuzz::{Program, Settings, program, reduce};
use ir::Module;
use ir_opt::Level::{O0, O2};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What is done with how many of the modules.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Kernels in a module.
    pub per_module: u64,
    /// Small kernels as hardware, in place of the levels of the interpreter.
    pub hardware: bool,
    /// Every how many modules are compiled by the other producer too; 0: none.
    pub producers_every: u64,
    /// Every how many modules run after each pass; 0: none.
    pub passes_every: u64,
    /// Every how many modules run on PoCL; 0: none.
    pub pocl_every: u64,
}

/// How a program failed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// The generator's promise is broken, or IR as read is wrong: an error in the interpreter.
    AsRead(&'static str),
    /// The module of a producer cannot be read.
    Reader(&'static str),
    /// The modules of two producers give different results as read.
    Producers,
    /// A level gives something else than the interpreter on IR as read.
    Level(&'static str, Level),
    /// PoCL gives something else.
    Pocl,
}

/// A program that failed.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The program.
    pub program: Program,
    /// How it failed.
    pub kind: Kind,
    /// In words.
    pub what: String,
}

impl Finding {
    /// What findings of the same cause have in common.
    pub fn sort(&self) -> String {
        format!("{:?}: {}", self.kind, sort(&self.what))
    }
}

/// An error's code or first words, without the details that reduction changes.
fn sort(what: &str) -> String {
    if what.contains(" differs ") || what.contains("differs at byte") {
        return "another result".into();
    }
    match what.find("error[") {
        Some(at) => what[at..].chars().take(11).collect(),
        None => what.split_whitespace().take(4).collect::<Vec<_>>().join(" "),
    }
}

/// What came of some modules.
#[derive(Default, Debug)]
pub struct Outcome {
    /// How many programs, comparisons ... by what they are.
    pub totals: BTreeMap<String, u64>,
    /// Programs that failed.
    pub findings: Vec<Finding>,
}

impl Outcome {
    fn count(&mut self, what: &str, n: usize) {
        *self.totals.entry(what.to_owned()).or_default() += n as u64;
    }

    fn timed<T>(&mut self, what: &str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = run();
        let ms = start.elapsed().as_millis() as u64;
        *self.totals.entry(format!("ms {what}")).or_default() += ms;
        done
    }

    fn found(&mut self, program: &Program, kind: Kind, what: String) {
        self.findings.push(Finding { program: program.clone(), kind, what });
    }
}

/// The programs of a module, by its number.
pub fn programs(number: u64, plan: &Plan) -> Vec<Program> {
    let settings = Settings {
        cl20: number % 4 == 1,
        halves: number % 4 == 2,
        wide: wide(number),
        small: plan.hardware,
    };
    let seeds = number * plan.per_module..(number + 1) * plan.per_module;
    seeds.map(|seed| program(seed, &format!("k{seed}"), settings)).collect()
}

/// Whether the programs of a module have long vectors, which clang-15 compiles more often than clang-22.
fn wide(number: u64) -> bool {
    number % 4 == 3
}

/// Whether a module's turn has come.
fn turn(number: u64, every: u64) -> bool {
    every != 0 && number.is_multiple_of(every)
}

/// Takes a module through all levels.
pub fn module(number: u64, plan: &Plan, scratch: &Path) -> Outcome {
    let mut out = Outcome::default();
    let programs = programs(number, plan);
    let all: Vec<&Program> = programs.iter().collect();
    out.count("programs", all.len());
    let producer = if wide(number) { "clang-15" } else { "clang-22" };
    for (part, module) in compiled(&all, producer, scratch, &mut out) {
        let known = known(&module, &part, producer, &mut out);
        let known: Vec<Known<'_>> = known.iter().map(|(p, r)| (*p, r)).collect();
        if plan.hardware {
            for one in &known {
                let level = Level::Hardware(Behaviour::number(seed_of(one.0)));
                compare(&module, &[*one], producer, level, &mut out);
            }
            continue;
        }
        let lanes = if number.is_multiple_of(2) { 2 } else { 4 };
        let mut levels = vec![
            Level::Interleaved(number),
            Level::Optimised(O0, 1),
            Level::Optimised(O2, 1),
            Level::Optimised(O2, lanes),
            Level::NativeInlined,
            Level::Native,
        ];
        if turn(number, plan.passes_every) {
            levels.extend([Level::EachPass(O0), Level::EachPass(O2)]);
        }
        for level in levels {
            compare(&module, &known, producer, level, &mut out);
        }
        if turn(number, plan.producers_every) && producer == "clang-22" {
            other_producer(&known, scratch, &mut out);
        }
        if turn(number, plan.pocl_every) {
            pocl(&known, scratch, &mut out);
        }
    }
    out
}

fn seed_of(p: &Program) -> u64 {
    p.name.trim_start_matches('k').parse().unwrap_or(0)
}

/// Compiles programs together, or apart if together it cannot be done.
fn compiled<'p>(
    programs: &[&'p Program],
    producer: &'static str,
    scratch: &Path,
    out: &mut Outcome,
) -> Vec<(Vec<&'p Program>, Module)> {
    let Some(first) = programs.first() else { return vec![] };
    let owned: Vec<Program> = programs.iter().map(|p| (*p).clone()).collect();
    let source = fuzz::tree::module(&owned);
    match out.timed(producer, || compile(&source, first.std, producer, scratch)) {
        Ok(module) => vec![(programs.to_vec(), module)],
        Err(_) if programs.len() > 1 => {
            let (a, b) = programs.split_at(programs.len() / 2);
            let mut parts = compiled(a, producer, scratch, out);
            parts.extend(compiled(b, producer, scratch, out));
            parts
        }
        Err(Refusal::Producer(e)) => {
            out.count(&format!("refused by {producer}"), 1);
            let line = e.lines().find(|l| l.contains("rror")).unwrap_or("").trim().to_owned();
            out.count(&format!("{producer}: {}", sort_of_refusal(&line)), 1);
            vec![]
        }
        Err(Refusal::Reader(e)) => {
            out.found(first, Kind::Reader(producer), e);
            vec![]
        }
    }
}

/// A compiler's message without place and numbers.
fn sort_of_refusal(line: &str) -> String {
    let message = line.split("rror: ").last().unwrap_or(line);
    message.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).take(60).collect()
}

/// Programs with what they give as read.
fn known<'p>(
    module: &Module,
    programs: &[&'p Program],
    producer: &'static str,
    out: &mut Outcome,
) -> Vec<(&'p Program, Results)> {
    let results = out.timed("as read", || as_read(module, programs));
    let mut known = vec![];
    for (p, result) in programs.iter().zip(results) {
        match result {
            Ok(results) => known.push((*p, results)),
            Err(e) if too_long(&e) => out.count("too long", 1),
            Err(e) => out.found(p, Kind::AsRead(producer), e),
        }
    }
    out.count(&format!("as read, {producer}"), known.len());
    known
}

fn compare(
    module: &Module,
    known: &[Known<'_>],
    producer: &'static str,
    level: Level,
    out: &mut Outcome,
) {
    let name = level.to_string();
    let wrong = out.timed(&name, || check(module, known, level));
    out.count(&format!("compared: {name}"), known.len());
    for ((p, _), wrong) in known.iter().zip(wrong) {
        if let Some(what) = wrong {
            out.found(p, Kind::Level(producer, level), what);
        }
    }
}

/// The same source by the other producer.
fn other_producer(known: &[Known<'_>], scratch: &Path, out: &mut Outcome) {
    let programs: Vec<&Program> = known.iter().map(|(p, _)| *p).collect();
    for (part, module) in compiled(&programs, "clang-15", scratch, out) {
        let results = self::known(&module, &part, "clang-15", out);
        let mut good = vec![];
        for (p, got) in &results {
            let want = known.iter().find(|(k, _)| k.name == p.name).map(|k| k.1);
            match want.and_then(|w| difference(w, got)) {
                Some(what) => out.found(p, Kind::Producers, what),
                None => good.push((*p, got)),
            }
        }
        out.count("compared: two producers", good.len());
        for level in [Level::Optimised(O2, 1), Level::Optimised(O0, 1), Level::Native] {
            compare(&module, &good, "clang-15", level, out);
        }
    }
}

/// What PoCL says of programs; those that it cannot run are counted.
fn pocl(known: &[Known<'_>], scratch: &Path, out: &mut Outcome) {
    // neither OpenCL C 2.0 nor half is there
    let fits = |p: &Program| p.std == "CL1.2" && !p.halves;
    let known: Vec<Known<'_>> = known.iter().filter(|(p, _)| fits(p)).copied().collect();
    for ((p, _), verdict) in known.iter().zip(out.timed("PoCL", || judged(&known, scratch))) {
        match verdict {
            Verdict::Same => out.count("compared: PoCL", 1),
            Verdict::Other(what) => out.found(p, Kind::Pocl, what),
            Verdict::None(why) => out.count(&format!("PoCL: {}", sort_of_refusal(&why)), 1),
        }
    }
}

/// What PoCL says of a program.
#[derive(Clone, Debug)]
enum Verdict {
    Same,
    Other(String),
    None(String),
}

fn judged(known: &[Known<'_>], scratch: &Path) -> Vec<Verdict> {
    if known.is_empty() {
        return vec![];
    }
    let fail = |e: &dyn std::fmt::Display| Verdict::None(e.to_string());
    let folder = scratch.join("pocl");
    let listed: Vec<(&Program, Option<&Results>)> =
        known.iter().map(|(p, r)| (*p, Some(*r))).collect();
    if let Err(e) = cases::write(&folder, &listed) {
        return known.iter().map(|_| fail(&e)).collect();
    }
    let script: PathBuf = testbenches().join("fuzz/pocl");
    let done = Command::new("timeout").arg("300").arg(script).arg(&folder).output();
    let text = done.map_or(String::new(), |d| String::from_utf8_lossy(&d.stdout).into_owned());
    let said: BTreeMap<&str, &str> = text.lines().filter_map(|l| l.split_once(": ")).collect();
    // a crash takes the others with it
    if said.len() < known.len() && known.len() > 1 {
        let (a, b) = known.split_at(known.len() / 2);
        let mut all = judged(a, scratch);
        all.extend(judged(b, scratch));
        return all;
    }
    known
        .iter()
        .map(|(p, _)| match said.get(p.name.as_str()) {
            Some(&"same") => Verdict::Same,
            Some(line) if line.starts_with("differs") => Verdict::Other((*line).to_owned()),
            Some(line) => fail(line),
            None => fail(&"PoCL ends"),
        })
        .collect()
}

/// Whether a program fails in some way; with what it says.
pub fn fails(p: &Program, kind: Kind, scratch: &Path) -> Option<String> {
    let compile = |producer: &str| compile(&p.source(), p.std, producer, scratch);
    let first = |producer: &str| {
        let module = compile(producer).ok()?;
        let result = as_read(&module, &[p]).pop()?;
        Some((module, result))
    };
    match kind {
        Kind::Reader(producer) => match compile(producer) {
            Err(Refusal::Reader(e)) => Some(e),
            _ => None,
        },
        Kind::AsRead(producer) => first(producer)?.1.err().filter(|e| !too_long(e)),
        Kind::Producers => {
            let (a, b) = (first("clang-22")?.1.ok()?, first("clang-15")?.1.ok()?);
            difference(&a, &b)
        }
        Kind::Level(producer, level) => {
            let (module, result) = first(producer)?;
            let results = result.ok()?;
            check(&module, &[(p, &results)], level).pop()?
        }
        Kind::Pocl => {
            let results = first("clang-22").or_else(|| first("clang-15"))?.1.ok()?;
            match judged(&[(p, &results)], scratch).pop()? {
                Verdict::Other(what) => Some(what),
                _ => None,
            }
        }
    }
}

/// The smallest program found that fails as `finding` does, with the pass that is to blame, if one is.
pub fn reduced(finding: &Finding, tries: usize, scratch: &Path) -> Finding {
    let wanted = sort(&finding.what);
    let mut fails_so =
        |p: &Program| fails(p, finding.kind, scratch).is_some_and(|what| sort(&what) == wanted);
    if !fails_so(&finding.program) {
        let what = format!("{} (together with other kernels only)", finding.what);
        return Finding { what, ..finding.clone() };
    }
    let program = reduce(&finding.program, tries, &mut fails_so);
    let mut what = fails(&program, finding.kind, scratch).unwrap_or_default();
    if let Kind::Level(producer, Level::Optimised(opt, 1)) = finding.kind
        && let Some(pass) = fails(&program, Kind::Level(producer, Level::EachPass(opt)), scratch)
    {
        what = format!("{what}\nfirst in pass {pass}");
    }
    Finding { program, kind: finding.kind, what }
}

/// Writes a finding as a case of its own: source, launch file with what the interpreter expects, and what was found.
///
/// # Errors
/// Those of the file system.
pub fn keep(finding: &Finding, folder: &Path, scratch: &Path) -> std::io::Result<()> {
    let p = &finding.program;
    let module = PRODUCERS.iter().find_map(|x| compile(&p.source(), p.std, x, scratch).ok());
    let results = module.and_then(|m| as_read(&m, &[p]).pop()?.ok());
    cases::write(folder, &[(p, results.as_ref())])?;
    let launch = launch_of(p);
    let how = match finding.kind {
        Kind::Level(producer, level) => format!("{producer}, {level}"),
        kind => format!("{kind:?}"),
    };
    let text = format!("{how}\n{}\nkernel {}\n", finding.what, launch.kernel);
    std::fs::write(folder.join("found.txt"), text)
}

/// IR made by itself (`fuzz::ir_kernels`) at all levels; gives what is wrong.
///
/// # Errors
/// The first difference.
pub fn ir_kernel(seed: u64) -> Result<(), String> {
    levels::ir_kernel(&fuzz::ir_kernels::module(seed), seed)
}
