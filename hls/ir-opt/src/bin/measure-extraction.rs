//! How far the choice of terms is from the best one: for all regions of modules in IR text, as they are before the pass `egraph`, what the terms cost
//! as they were, chosen greedily, as chosen, and at least. `measure-extraction BOARD FILE...` prints one line of JSON for each file.
//!
//! Exit code 2 when a file or the board cannot be read.

use ir_opt::egraph::{self, Survey};
use ir_opt::{Context, Options};
use std::process::ExitCode;

/// Decisions in the search for the best choice of one region.
const STEPS: u64 = 300_000;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let result = args.next().ok_or("no board given".to_owned()).and_then(|name| {
        let board = target::Library::builtin().board(&name).map_err(|e| e.to_string())?;
        args.try_for_each(|file| {
            let surveys = survey(&file, &board.family).map_err(|e| format!("{file}: {e}"))?;
            let rows: Vec<String> = surveys.iter().map(row).collect();
            println!("[{}]", rows.join(", "));
            Ok(())
        })
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("measure-extraction: {e}");
            ExitCode::from(2)
        }
    }
}

fn survey(file: &str, family: &target::Family) -> Result<Vec<Survey>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let module = ir::parse::parse_module(&text).map_err(|e| e.to_string())?;
    let (options, kernels) = (Options::default(), module.kernels().count());
    let context = Context::new(&options, family, kernels, &module.globals);
    Ok(module.functions.values().flat_map(|f| egraph::survey(f, &context, STEPS)).collect())
}

fn row(s: &Survey) -> String {
    let least = s.least.map_or("null".to_owned(), |n| n.to_string());
    format!(
        r#"{{"insts": {}, "classes": {}, "original": {}, "greedy": {}, "chosen": {}, "least": {least}}}"#,
        s.insts, s.classes, s.original, s.greedy, s.chosen
    )
}
