//! Many operators in one Verilated program, a case every cycle, every result and its cycle
//! compared with the native datapath.

use super::Emitted;
use arith::Operator;
use arith::stimulus::{self, Operands};
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

/// The parts of the program that do not depend on the operators.
const MAIN: &str = include_str!("main.cpp");

/// What the bench found of one operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The operator.
    pub operator: Operator,
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
        let Outcome { operator, latency, cases, .. } = self;
        let Some(d) = &self.difference else {
            return write!(f, "ok    {operator}: {cases} cases, latency {latency}");
        };
        if let Some(real) = d.really_after {
            return write!(f, "FAIL  {operator}: latency {real}, not {latency} as declared");
        }
        let Difference { case, operands, expected, found, count, .. } = d;
        write!(
            f,
            "FAIL  {operator}: {count} of {cases} results wrong, the first in case {case}: \
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
    let stimulus: Vec<Vec<Operands>> =
        operators.iter().map(|o| stimulus::cases(o.operator, cases, seed)).collect();
    let slowest = operators.iter().map(|o| o.latency as usize).max().unwrap_or(0);
    let traces = trace(&program, operators, &stimulus, cases + slowest + BEYOND)?;
    let parts = operators.iter().zip(&stimulus).zip(&traces);
    Ok(parts.map(|((o, inputs), trace)| judge(o, inputs, trace)).collect())
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

/// Compares the trace of a module's output with the results that its cases should have had.
fn judge(o: &Emitted, inputs: &[Operands], trace: &[u128]) -> Outcome {
    let expected: Vec<u128> = inputs.iter().map(|x| native(o.operator, x)).collect();
    let wrong = |latency: usize| {
        let found = trace[latency..].iter();
        expected.iter().zip(found).enumerate().filter(|(_, (x, y))| x != y).map(|(k, _)| k)
    };
    let latency = o.latency as usize;
    let difference = wrong(latency).next().map(|case| {
        let most = trace.len() - expected.len();
        let really = (0..=most).find(|l| *l != latency && wrong(*l).next().is_none());
        Difference {
            case,
            operands: inputs[case].clone(),
            expected: expected[case],
            found: trace[case + latency],
            count: wrong(latency).count(),
            really_after: really.map(|l| l as u32),
        }
    });
    Outcome { operator: o.operator, latency: o.latency, cases: inputs.len(), difference }
}

/// Runs the program for `cycles` cycles; the output of each operator in each of them.
fn trace(
    program: &Path,
    operators: &[Emitted],
    stimulus: &[Vec<Operands>],
    cycles: usize,
) -> Result<Vec<Vec<u128>>, String> {
    let failed = |e: std::io::Error| format!("the simulation ended early: {e}");
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the simulation has no pipes".into());
    };
    let words: Vec<usize> = operators.iter().map(|o| words_of(o.output_width())).collect();
    let mut traces = vec![Vec::with_capacity(cycles); operators.len()];
    let mut done = 0;
    while done < cycles {
        let count = BLOCK.min(cycles - done);
        let mut block = (count as u64).to_le_bytes().to_vec();
        for cycle in done..done + count {
            for (o, inputs) in operators.iter().zip(stimulus) {
                // Behind the last case its successors must not repeat it.
                let past = cycle >= inputs.len();
                let operands = &inputs[if past { inputs.len() - 1 } else { cycle }];
                for (x, width) in operands.iter().zip(o.operator.input_widths()) {
                    let word = *x as u64 ^ if past { u64::MAX >> (64 - width) } else { 0 };
                    block.extend(word.to_le_bytes());
                }
            }
        }
        to.write_all(&block).and_then(|()| to.flush()).map_err(failed)?;
        let mut answer = vec![0; count * words.iter().sum::<usize>() * 8];
        from.read_exact(&mut answer).map_err(failed)?;
        let mut at =
            answer.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap_or([0; 8])));
        for _ in 0..count {
            for (trace, words) in traces.iter_mut().zip(&words) {
                let value = (0..*words).map(|k| u128::from(at.next().unwrap_or(0)) << (64 * k));
                trace.push(value.sum());
            }
        }
        done += count;
    }
    drop(to);
    child.wait().map_err(|e| e.to_string())?;
    Ok(traces)
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
