//! File tests.
//!
//! The first line of a file is `; run: ARGS`: a `clhls` command line in which `%s` is the file. Output,
//! messages and exit code must be those in `<name>.expect`.
//!
//! Lines `; launch: KERNEL global=.. [local=..] [offset=..] NAME=VALUE.. => NAME=VALUE..` run a kernel of
//! an IR file in the interpreter: on the module as it stands and as each optimisation level leaves it, with
//! work-items in order and in random orders. All must give the buffers after `=>`; buffers not
//! named there must stay as they were. `=> error E0501` expects that error instead, from the module as it stands.
//! VALUE is the grammar of `docs/launches.md`.

use crate::launches::{Launch, run_launch};
use driver::emu::Emulator;
use interp::{Options, Order};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Files of a folder that are tests of this runner: those whose first line is `; run:`.
///
/// # Errors
/// When the folder cannot be read.
pub fn tests_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_text = path.extension().is_some_and(|e| e == "clir" || e == "spvasm");
        if is_text && std::fs::read_to_string(&path)?.starts_with("; run:") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Runs one file test; the error says what differs. With `bless` the expectation is rewritten.
///
/// # Errors
/// What is wrong, for people.
pub fn run_file(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let command = text.lines().next().and_then(|l| l.strip_prefix("; run:")).unwrap_or_default();
    let got = output(command, path);
    let expect = path.with_extension("expect");
    if bless {
        std::fs::write(&expect, &got).map_err(|e| format!("{}: {e}", expect.display()))?;
    }
    let want = std::fs::read_to_string(&expect).unwrap_or_default();
    if want != got {
        let difference = difference(&want, &got);
        return Err(format!("{}:\n{difference}", path.display()));
    }
    for (n, line) in text.lines().enumerate() {
        if let Some(launch) = line.strip_prefix("; launch:") {
            run_launch_line(&text, launch)
                .map_err(|e| format!("{}:{}: {e}", path.display(), n + 1))?;
        }
    }
    Ok(())
}

/// What a command prints, with its messages and exit code when there are any.
fn output(command: &str, path: &Path) -> String {
    let file = path.display().to_string();
    let args = std::iter::once("clhls".into())
        .chain(command.split_whitespace().map(|a| OsString::from(a.replace("%s", &file))));
    let (mut out, mut err) = (vec![], vec![]);
    let code = driver::run(args, &mut driver::Streams { out: &mut out, err: &mut err });
    let mut text = String::from_utf8_lossy(&out).into_owned();
    if !err.is_empty() {
        text.push_str("--- messages\n");
        text.push_str(&String::from_utf8_lossy(&err));
    }
    if code != 0 {
        text.push_str(&format!("--- exit code {code}\n"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    text.replace(&file, &name)
}

/// The first lines that differ.
fn difference(want: &str, got: &str) -> String {
    let (mut w, mut g) = (want.lines(), got.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (w.next(), g.next()) {
            (a, b) if a == b && a.is_some() => {}
            (None, None) => return "the texts differ in line ends only".into(),
            (a, b) => {
                let show = |l: Option<&str>| l.unwrap_or("(nothing)").to_owned();
                return format!(
                    "line {line}\n  expected {}\n  got      {}\n`make bless` rewrites expectations",
                    show(a),
                    show(b)
                );
            }
        }
    }
}

/// A launch directive.
struct Directive {
    launch: Launch,
    /// Code of the error that is expected instead of results.
    error: Option<String>,
}

fn parse_launch(line: &str) -> Result<Directive, String> {
    let (inputs, results) = line.split_once("=>").ok_or("expected `=>`")?;
    let mut words = inputs.split_whitespace();
    let mut launch = Launch {
        name: "launch".into(),
        kernel: words.next().ok_or("expected the kernel's name")?.to_owned(),
        ..Launch::default()
    };
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').ok_or(format!("expected NAME=VALUE: {word}"))?;
        Ok::<_, String>((name.to_owned(), value.to_owned()))
    };
    let sizes = |text: &str| {
        let parsed: Result<Vec<u64>, _> = text.split(',').map(str::parse).collect();
        parsed.map_err(|_| format!("expected sizes: {text}"))
    };
    for word in words {
        let (name, value) = pair(word)?;
        match name.as_str() {
            "global" => launch.global = sizes(&value)?,
            "local" => launch.local = Some(sizes(&value)?),
            "offset" => launch.offset = Some(sizes(&value)?),
            _ => launch.args.push((name, value)),
        }
    }
    let error = results.trim().strip_prefix("error ").map(|code| code.trim().to_owned());
    if error.is_none() {
        launch.expect = results.split_whitespace().map(pair).collect::<Result<_, _>>()?;
    }
    Ok(Directive { launch, error })
}

fn run_launch_line(text: &str, line: &str) -> Result<(), String> {
    let directive = parse_launch(line)?;
    let module = ir::parse::parse_module(text).map_err(|e| e.to_string())?;
    let orders = [
        Order::Sequential,
        Order::Shuffled { seed: 1 },
        Order::Interleaved { seed: 2 },
        Order::Interleaved { seed: 3 },
    ];
    if let Some(code) = &directive.error {
        return match run_in(module, &directive.launch, Order::Sequential) {
            Err(e) if e.contains(&format!("error[{code}]")) => Ok(()),
            Err(e) => Err(format!("expected error {code}, got {e}")),
            Ok(()) => Err(format!("expected error {code}, but it runs")),
        };
    }
    for order in orders {
        run_in(module.clone(), &directive.launch, order).map_err(|e| format!("{order:?}: {e}"))?;
    }
    let levels = [ir_opt::Level::O0, ir_opt::Level::O1, ir_opt::Level::O2];
    for level in levels {
        let options = ir_opt::Options { level, ..ir_opt::Options::default() };
        let optimised = ir_opt::run(module.clone(), &[], &options, &target::Family::unit())
            .map_err(|e| format!("{level:?}: {e}"))?;
        run_in(optimised, &directive.launch, Order::Interleaved { seed: 4 })
            .map_err(|e| format!("{level:?}: {e}"))?;
    }
    Ok(())
}

fn run_in(module: ir::Module, launch: &Launch, order: Order) -> Result<(), String> {
    let options = Options { step_limit: Some(100_000_000), order, ..interp::Options::default() };
    let mut device = Emulator::new(module, options).map_err(|e| e.to_string())?;
    run_launch(&mut device, launch, Path::new("")).map(|_| ())
}
