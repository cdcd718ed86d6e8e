//! `clhls build`

use crate::Streams;
use crate::cli::{BuildArgs, CompileArgs, ComputeUnits, Scheduler, Stage};
use crate::cmd_report::count;
use crate::failure::{Failure, Result, io};
use crate::input::{Input, read_module};
use crate::output::{check_file, check_replaceable, replace_file, write_dir, write_file};
use crate::pipeline::{Options, Pipeline, Scheduling, library};
use base::FileSet;
use std::fmt::Write;
use std::path::PathBuf;
use target::Board;

/// Seed of `--scheduler random`.
const RANDOM_SEED: u64 = 1;

/// Options of the pipeline from the command line.
pub(crate) fn options(compile: &CompileArgs, kernels: &[String]) -> Result<Options> {
    if let Some(mhz) = compile.clock.filter(|mhz| !(1.0..=2000.0).contains(mhz)) {
        return Err(Failure::new("E0606", format!("a clock of {mhz} MHz: 1 to 2000 are possible")));
    }
    Ok(Options {
        kernels: kernels.to_vec(),
        level: match compile.level {
            0 => ir_opt::Level::O0,
            1 => ir_opt::Level::O1,
            _ => ir_opt::Level::O2,
        },
        without_passes: compile.without_passes.clone(),
        simd: compile.simd,
        aligned_pointers: true,
        compute_units: compile.compute_units.and_then(ComputeUnits::number),
        work_groups: None,
        memory_ports: compile.memory_ports,
        image_cache: compile.image_cache,
        local_bytes: compile.local_bytes,
        scheduling: match compile.scheduler {
            Scheduler::Asap => Scheduling::Asap,
            Scheduler::Sdc => Scheduling::Sdc,
            Scheduler::Random => Scheduling::Random(RANDOM_SEED),
        },
        clock_mhz: compile.clock,
        platform: None,
        connections: vec![],
        spec_constants: vec![],
        dump: compile.dump_dir.is_some(),
    })
}

/// The board asked for, or `default`.
pub(crate) fn board(compile: &CompileArgs, default: Option<&str>) -> Result<Board> {
    let library = library(compile.board_dir.as_deref())?;
    match compile.board.as_deref().or(default) {
        Some(name) => Ok(library.board(name)?),
        None => {
            let boards = library.boards().join(", ");
            let e = Failure::new("E0606", "no board given: what is the kernel to run on?");
            Err(e.help(format!("--board with one of {boards}")))
        }
    }
}

pub(crate) fn build(args: &BuildArgs, quiet: bool, streams: &mut Streams<'_>) -> Result<()> {
    let mut options = options(&args.compile, &args.kernel)?;
    options.platform.clone_from(&args.platform);
    let board = board(&args.compile, args.emit.map(|_| "unit"))?;
    if let Some(stage) = args.emit {
        return emit(args, stage, &options, &board, streams);
    }
    let dir = args.output.clone().unwrap_or_else(|| default_dir(args));
    check_replaceable(&dir)?;
    check_dumps(args.compile.dump_dir.as_ref())?;
    let build = {
        let mut progress = streams.progress(quiet);
        progress.step("read");
        let Input { module, connections, warnings, spec_constants } =
            read_module(&args.input, &args.kernel)?;
        (options.connections, options.spec_constants) = (connections, spec_constants);
        progress.warn(&warnings);
        let mut tell = |what: &str| progress.step(what);
        let pipeline = Pipeline::new(&options, &board, &mut tell);
        let result = pipeline.compile(module);
        write_dumps(args.compile.dump_dir.as_ref(), &pipeline.dumps.borrow())?;
        result?
    };
    write_dir(&dir, &build.files)?;
    streams.warn(&build.warnings);
    let mut text = String::new();
    for kernel in &build.manifest.kernels {
        let items = match kernel.signature.simd {
            1 => String::new(),
            n => format!(", {n} work-items side by side"),
        };
        let _ = writeln!(
            text,
            "{}: {} at {} MHz{items}, {}, {}",
            kernel.signature.name,
            board.name,
            kernel.clock_mhz,
            count(kernel.loops.len() as u64, "loop", "loops"),
            count(kernel.sites.len() as u64, "memory access", "memory accesses")
        );
        let described = build.report.kernels.iter().find(|k| k.name == kernel.signature.name);
        if let Some(k) = described {
            let units = count(k.compute_units.into(), "compute unit", "compute units");
            let _ = writeln!(text, "  {units}: {}", k.compute_units_reason);
        }
    }
    let _ = writeln!(text, "{} files in {}", build.files.len(), dir.display());
    streams.print(&text)
}

/// `build/<name of the input>`
fn default_dir(args: &BuildArgs) -> PathBuf {
    let name = args.input.input.file_stem().unwrap_or_default();
    PathBuf::from("build").join(name)
}

/// Prints one stage.
fn emit(
    args: &BuildArgs,
    stage: Stage,
    options: &Options,
    board: &Board,
    streams: &mut Streams<'_>,
) -> Result<()> {
    check_dumps(args.compile.dump_dir.as_ref())?;
    let output = args.output.as_ref().filter(|path| path.as_os_str() != "-");
    if let Some(path) = output {
        check_file(path)?;
    }
    let Input { module, connections, warnings, spec_constants } =
        read_module(&args.input, &args.kernel)?;
    streams.warn(&warnings);
    let options = Options { connections, spec_constants, ..options.clone() };
    let mut silent = |_: &str| {};
    let pipeline = Pipeline::new(&options, board, &mut silent);
    let result = stage_text(&pipeline, module, stage);
    write_dumps(args.compile.dump_dir.as_ref(), &pipeline.dumps.borrow())?;
    let text = result?;
    match output {
        Some(path) => replace_file(path, text.as_bytes()),
        None => streams.print(&text),
    }
}

fn stage_text(pipeline: &Pipeline<'_>, module: ir::Module, stage: Stage) -> Result<String> {
    pipeline.keep_input(&module);
    if stage == Stage::Ir {
        return Ok(module.to_string());
    }
    let mut made = match pipeline.hardware(module.clone()) {
        Ok(made) => made,
        // A later step failed: the text of those before it may tell why.
        Err(_) if stage == Stage::Opt => {
            return Ok(pipeline.optimise(module)?.to_string());
        }
        Err(error) => return Err(error),
    };
    Ok(match stage {
        Stage::Ir | Stage::Opt => made.module.to_string(),
        Stage::Schedule => {
            made.schedules.iter().map(schedule::text::print).collect::<Vec<_>>().join("\n")
        }
        Stage::Rtl => rtl::text::print(&made.design),
        Stage::Verilog | Stage::Package => {
            let files = pipeline.verilog(&made.module, &made.design)?;
            if stage == Stage::Verilog {
                files.iter().map(|(_, text)| String::from_utf8_lossy(text).into_owned()).collect()
            } else {
                pipeline.add_notes(&mut made);
                let report = pipeline.report(&made, &module);
                let build = pipeline.pack(files, made.manifest, report)?;
                build.files.iter().map(|(n, t)| format!("{:>8} {n}\n", t.len())).collect()
            }
        }
    })
}

/// Whether `--dump-dir` can be written; asked before work starts.
pub(crate) fn check_dumps(dir: Option<&PathBuf>) -> Result<()> {
    match dir {
        Some(dir) => std::fs::create_dir_all(dir).map_err(|e| io("make the directory", dir, &e)),
        None => Ok(()),
    }
}

/// Writes what the stages left, also when a later one failed.
pub(crate) fn write_dumps(dir: Option<&PathBuf>, dumps: &FileSet) -> Result<()> {
    let Some(dir) = dir else { return Ok(()) };
    dumps.iter().try_for_each(|(name, text)| write_file(&dir.join(name), text))
}
