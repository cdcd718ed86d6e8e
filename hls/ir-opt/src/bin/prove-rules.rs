//! Proves every rewrite rule of the e-graph with z3: for each rule and choice of widths, no input
//! tells the two sides apart. `prove-rules [NAME...]` proves those rules only.
//!
//! First it shows of some wrong rules that they are found wrong: one of each kind of proof.
//!
//! Exit code 1 when a rule is wrong or the solver gives up, or a wrong one is not found; 2 when there is no z3.

use ir::FastMath;
use ir_opt::egraph::rules::{self, Rule, RuleText};
use ir_opt::egraph::smt;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Seconds for one claim; a rule that needs more is to be proved at smaller widths
/// (`RuleText::prove_at`).
const SECONDS: u32 = 100;

/// Rules that are wrong: of integers, with a promise too few, and of real numbers.
const WRONG: &[RuleText] = &[
    RuleText::new("wrong-integers", "(sub:w ?x ?y)", "(sub:w ?y ?x)"),
    RuleText::new("wrong-zero", "(fmul:f ?x 0.0:f)", "0.0:f").promised(FastMath::NO_NAN),
    RuleText::new("wrong-number", "(fsub:f ?x ?x)", "0.0:f").promised(FastMath::NO_INF),
    RuleText::new("wrong-reals", "(fsub:f ?x (fsub:f ?y ?z))", "(fsub:f (fadd:f ?x ?y) ?z)")
        .over_reals(FastMath::FAST),
];

/// Whether some input is found that tells the sides of a rule apart.
fn is_found_wrong(text: &RuleText) -> std::io::Result<bool> {
    let rule = Rule::parse(text).map_err(std::io::Error::other)?;
    let claims = smt::choices(&rule).into_iter().filter_map(|c| smt::claim(&rule, &c));
    for claim in claims {
        if solve(&claim)? == "sat" {
            return Ok(true);
        }
    }
    Ok(false)
}

fn main() -> ExitCode {
    for text in WRONG {
        match is_found_wrong(text) {
            Ok(true) => println!("refuted {}", text.name),
            Ok(false) => {
                println!("FAILED  {}: not found wrong", text.name);
                return ExitCode::from(1);
            }
            Err(e) => {
                eprintln!("cannot run z3: {e}; it is in the package z3");
                return ExitCode::from(2);
            }
        }
    }
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let (mut proved, mut failed, mut claims) = (0, 0, 0);
    for rule in rules::all() {
        let name = rule.text.name;
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let start = Instant::now();
        let choices = smt::choices(rule);
        let texts: Vec<String> = choices.iter().filter_map(|c| smt::claim(rule, c)).collect();
        let mut answers = vec![];
        for text in &texts {
            match solve(text) {
                Ok(answer) => answers.push(answer),
                Err(e) => {
                    eprintln!("cannot run z3: {e}; it is in the package z3");
                    return ExitCode::from(2);
                }
            }
            if answers.last().is_some_and(|a| a != "unsat") {
                break;
            }
        }
        let right = answers.iter().filter(|a| *a == "unsat").count();
        let seconds = start.elapsed().as_secs_f32();
        if right == texts.len() && right > 0 {
            proved += 1;
            claims += right;
            println!("proved  {name}: {right} choices of widths, {seconds:.1} s");
        } else {
            failed += 1;
            println!("FAILED  {name}: {right} of {}: {answers:?}", texts.len());
        }
    }
    println!("{proved} rules proved ({claims} claims), {failed} failed");
    if failed == 0 && proved > 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// z3's answer to one claim.
fn solve(text: &str) -> std::io::Result<String> {
    let mut z3 = Command::new("z3")
        .args(["-in", "-smt2", &format!("-T:{SECONDS}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = z3.stdin.take().ok_or_else(|| std::io::Error::other("no stdin"))?;
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = z3.wait_with_output()?;
    // z3 that has stopped early says so in its answers.
    let _ = writer.join();
    let answers = String::from_utf8_lossy(&output.stdout);
    Ok(answers.trim().to_owned())
}
