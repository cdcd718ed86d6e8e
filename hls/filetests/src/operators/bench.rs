//! Many operators in one Verilated program, every result and its cycle compared with the native datapath: a case every cycle,
//! or where the operator is a loop of steps every so many cycles, with random pauses and operands that do not count between.

use super::Emitted;
use arith::Operator;
use arith::stimulus::{self, Operands, Rng};
use base::IndexMap;
use std::fmt::{self, Write as _};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use verilator_sys::{Source, build_program};

/// Cycles that the program is given at a time.
const BLOCK: usize = 4096;
/// Cycles run beyond the last result, so that one that comes late is seen and its delay known.
const BEYOND: usize = 8;
/// Longest pause between two cases of a loop of steps, cycles.
const LONGEST_PAUSE: u64 = 9;

/// The parts of the program that do not depend on the operators.
const MAIN: &str = include_str!("main.cpp");

/// What the bench found of one operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The operator.
    pub operator: Operator,
    /// Its unit.
    pub name: String,
    /// Declared latency.
    pub latency: u32,
    /// Cases.
    pub cases: usize,
    /// The first difference; none if hardware and datapath agree.
    pub difference: Option<Difference>,
}

/// A wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Number of the case.
    pub case: usize,
    /// Its operands.
    pub operands: Operands,
    /// What the native datapath computes.
    pub expected: u128,
    /// What stood at the module's output in the cycle of its result.
    pub found: u128,
    /// Wrong results.
    pub count: usize,
    /// The latency at which all results are right, if there is one.
    pub really_after: Option<u32>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { name, latency, cases, .. } = self;
        let Some(d) = &self.difference else {
            return write!(f, "ok    {name}: {cases} cases, latency {latency}");
        };
        if let Some(real) = d.really_after {
            return write!(f, "FAIL  {name}: latency {real}, not {latency} as declared");
        }
        let Difference { case, operands, expected, found, count, .. } = d;
        write!(
            f,
            "FAIL  {name}: {count} of {cases} results wrong, the first in case {case}: \
             {operands:x?} gives {found:#x} instead of {expected:#x}"
        )
    }
}

/// Builds the program of these operators in the empty directory `dir` and runs it.
///
/// # Errors
/// Verilog that Verilator refuses, missing tools, a program that ends early.
pub fn run(
    dir: &Path,
    operators: &[Emitted],
    cases: usize,
    seed: u64,
) -> Result<Vec<Outcome>, String> {
    let program = build_program(dir, "operators", &sources(operators), &main_of(operators))
        .map_err(|e| e.to_string())?;
    let runs: Vec<Run> = operators.iter().map(|o| Run::new(o, cases, seed)).collect();
    let traces = trace(&program, &runs)?;
    Ok(runs.iter().zip(&traces).map(|(run, trace)| run.judge(trace)).collect())
}

/// What one operator is given.
struct Run<'a> {
    o: &'a Emitted,
    inputs: Vec<Operands>,
    /// The cycle of each case.
    at: Vec<usize>,
}

impl<'a> Run<'a> {
    fn new(o: &'a Emitted, cases: usize, seed: u64) -> Self {
        let inputs = stimulus::cases(o.operator, cases, seed);
        let mut rng = Rng::new(seed);
        let mut next = 0;
        let mut at = Vec::with_capacity(cases);
        for _ in 0..cases {
            at.push(next);
            // Every other one as soon as it can be.
            let pause =
                if o.interval > 1 { rng.below(2) * rng.below(LONGEST_PAUSE + 1) } else { 0 };
            next += o.interval as usize + pause as usize;
        }
        Run { o, inputs, at }
    }

    /// Whether only the cycles of results are looked at.
    fn is_sampled(&self) -> bool {
        self.o.interval > 1
    }

    /// Cycles until the last result has come, and some more.
    fn cycles(&self) -> usize {
        let last = self.at.last().copied().unwrap_or(0);
        last + 1 + self.o.latency as usize + BEYOND
    }

    /// Compares the operator's outputs, in each cycle or those of results, with the results that its cases should have had.
    fn judge(&self, trace: &[u128]) -> Outcome {
        let (o, inputs) = (self.o, &self.inputs);
        let expected: Vec<u128> = inputs.iter().map(|x| native(o.operator, x)).collect();
        let wrong = |latency: usize| {
            let found = trace[latency..].iter();
            expected.iter().zip(found).enumerate().filter(|(_, (x, y))| x != y).map(|(k, _)| k)
        };
        let first = if self.is_sampled() { 0 } else { o.latency as usize };
        let difference = wrong(first).next().map(|case| {
            let most = if self.is_sampled() { 0 } else { o.latency as usize + BEYOND };
            let really = (0..=most).find(|l| *l != first && wrong(*l).next().is_none());
            Difference {
                case,
                operands: inputs[case].clone(),
                expected: expected[case],
                found: trace[case + first],
                count: wrong(first).count(),
                really_after: really.map(|l| l as u32),
            }
        });
        let (operator, name, latency) = (o.operator, o.name.clone(), o.latency);
        Outcome { operator, name, latency, cases: inputs.len(), difference }
    }
}

/// All results of the native datapath as the module gives them.
fn native(operator: Operator, operands: &[u128]) -> u128 {
    let (mut all, mut place) = (0, 0);
    for (bits, width) in
        arith::eval_all(operator, operands).into_iter().zip(operator.output_widths())
    {
        all |= bits << place;
        place += width;
    }
    all
}

/// What an operator is given in the cycles to come, and what is kept of its answers.
struct Feed<'a> {
    run: &'a Run<'a>,
    /// The next case, the next one whose loop starts, and the next one whose result comes.
    next: [usize; 3],
    rng: Rng,
    trace: Vec<u128>,
}

impl<'a> Feed<'a> {
    fn new(run: &'a Run<'a>) -> Self {
        Feed { run, next: [0; 3], rng: Rng::new(1), trace: vec![] }
    }

    /// Whether something happens in a cycle, so many cycles behind the operands.
    fn due(&mut self, what: usize, cycle: usize, after: u32) -> bool {
        let at = self.run.at.get(self.next[what]).map(|at| at + after as usize);
        let now = at == Some(cycle);
        self.next[what] += usize::from(now);
        now
    }

    /// The words of a cycle: operands, and whether a loop starts.
    fn give(&mut self, cycle: usize, block: &mut Vec<u8>) {
        let now = self.due(0, cycle, 0);
        let case = self.next[0].saturating_sub(1);
        for (k, width) in self.run.o.operator.input_widths().into_iter().enumerate() {
            // Between cases something else, so that nothing is found there by chance.
            let other = self.rng.bits() & (u64::MAX >> (64 - width));
            let word = if now { self.run.inputs[case][k] as u64 } else { other };
            block.extend(word.to_le_bytes());
        }
        if let Some(start) = self.run.o.start {
            block.extend(u64::from(self.due(1, cycle, start)).to_le_bytes());
        }
    }

    /// Takes the output of a cycle.
    fn take(&mut self, cycle: usize, value: u128) {
        if !self.run.is_sampled() || self.due(2, cycle, self.run.o.latency) {
            self.trace.push(value);
        }
    }
}

/// Runs the program until all have given all their results: the outputs of each operator, see [`Run::is_sampled`].
fn trace(program: &Path, runs: &[Run]) -> Result<Vec<Vec<u128>>, String> {
    let failed = |e: std::io::Error| format!("the simulation ended early: {e}");
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the simulation has no pipes".into());
    };
    let words: Vec<usize> = runs.iter().map(|r| words_of(r.o.output_width())).collect();
    let cycles = runs.iter().map(Run::cycles).max().unwrap_or(0);
    let mut feeds: Vec<Feed> = runs.iter().map(Feed::new).collect();
    let mut done = 0;
    while done < cycles {
        let count = BLOCK.min(cycles - done);
        let mut block = (count as u64).to_le_bytes().to_vec();
        for cycle in done..done + count {
            feeds.iter_mut().for_each(|feed| feed.give(cycle, &mut block));
        }
        to.write_all(&block).and_then(|()| to.flush()).map_err(failed)?;
        let mut answer = vec![0; count * words.iter().sum::<usize>() * 8];
        from.read_exact(&mut answer).map_err(failed)?;
        let mut at =
            answer.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap_or([0; 8])));
        for cycle in done..done + count {
            for (feed, words) in feeds.iter_mut().zip(&words) {
                let value = (0..*words).map(|k| u128::from(at.next().unwrap_or(0)) << (64 * k));
                feed.take(cycle, value.sum());
            }
        }
        done += count;
    }
    drop(to);
    child.wait().map_err(|e| e.to_string())?;
    Ok(feeds.into_iter().map(|feed| feed.trace).collect())
}

fn words_of(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// All modules, and one around them with ports for each.
fn sources(operators: &[Emitted]) -> Vec<Source> {
    let mut files: IndexMap<String, String> = IndexMap::default();
    for o in operators {
        for (name, text) in o.files.iter() {
            files.insert(name.to_owned(), String::from_utf8_lossy(text).into_owned());
        }
    }
    let (mut ports, mut instances) = (String::new(), String::new());
    for (k, o) in operators.iter().enumerate() {
        let _ = write!(instances, "{} u{k} (.clk(clk), .rst(1'b0)", o.module);
        if o.start.is_some() {
            let _ = write!(ports, ",\n  input wire i{k}_start");
            let _ = write!(instances, ", .start(i{k}_start)");
        }
        for (j, width) in o.operator.input_widths().into_iter().enumerate() {
            let _ = write!(ports, ",\n  input wire [{}:0] i{k}_{j}", width - 1);
            let _ = write!(instances, ", .in{j}(i{k}_{j})");
        }
        let _ = write!(ports, ",\n  output wire [{}:0] o{k}", o.output_width() - 1);
        let _ = writeln!(instances, ", .out0(o{k}));");
    }
    files.insert(
        "operators.v".into(),
        format!("module operators (\n  input wire clk{ports}\n);\n{instances}endmodule\n"),
    );
    let source = |(name, text)| Source { name, text, library: false };
    files.into_iter().map(source).collect()
}

/// The program: what it does with its words, before the fixed part.
fn main_of(operators: &[Emitted]) -> String {
    let (mut inputs, mut outputs) = (String::new(), String::new());
    let (mut ins, mut outs) = (0, 0);
    for (k, o) in operators.iter().enumerate() {
        for j in 0..o.operator.input_widths().len() {
            let _ = write!(inputs, " top.i{k}_{j} = word[{ins}];");
            ins += 1;
        }
        if o.start.is_some() {
            let _ = write!(inputs, " top.i{k}_start = word[{ins}];");
            ins += 1;
        }
        let _ = write!(outputs, " take(top.o{k}, word + {outs});");
        outs += words_of(o.output_width());
    }
    let (in_function, out_function) = (
        "static void set(Voperators& top, const uint64_t* word)",
        "static void get(const Voperators& top, uint64_t* word)",
    );
    format!(
        "#include <cstdint>\n#include <cstdio>\n#include <vector>\n\
         static const size_t INPUTS = {ins}, OUTPUTS = {outs};\n\
         template <class T> static void take(const T& port, uint64_t* word) {{ word[0] = port; }}\n\
         template <size_t N> static void take(const VlWide<N>& port, uint64_t* word) {{\n  \
           for (size_t k = 0; k < (N + 1) / 2; k++)\n    \
             word[k] = port[2 * k] | (2 * k + 1 < N ? (uint64_t)port[2 * k + 1] << 32 : 0);\n}}\n\
         {in_function} {{{inputs} }}\n{out_function} {{{outputs} }}\n{MAIN}"
    )
}
