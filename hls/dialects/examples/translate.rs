//! Translates preprocessed OpenCL C: to look at what the driver gives clang.
//!
//! `clang-22 --target=spirv64 -x cl -cl-no-stdinc -E -dD kernel.cl | cargo run -p clhls-dialects --example translate`
//!
//! The text is on the standard output; hints, notes and problems are on the standard error.

use std::io::Read;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut text = String::new();
    if let Err(e) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("cannot read the standard input: {e}");
        return ExitCode::FAILURE;
    }
    if !dialects::is_likely(&text) {
        eprintln!("no dialect");
    }
    match dialects::translate(&text) {
        Ok(translation) => {
            for hint in &translation.hints {
                eprintln!("{hint}");
            }
            for note in &translation.notes {
                eprintln!("{}:{}: {}", note.file, note.line, note.text);
            }
            print!("{}", translation.text.as_ref().unwrap_or(&text));
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{}:{}:{}: {}", problem.file, problem.line, problem.column, problem.message);
            eprintln!("help: {}", problem.help);
            ExitCode::FAILURE
        }
    }
}
