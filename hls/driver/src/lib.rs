//! The `clhls` command.
//!
//! [`run`] executes a command line; `main.rs` only calls it. Start reading at [`pipeline`].

mod beside;
pub mod channels;
pub mod cli;
mod cmd_boards;
mod cmd_build;
mod cmd_check;
mod cmd_completions;
mod cmd_report;
mod cmd_run;
mod cmd_serve;
mod cmd_support;
pub mod connect;
mod design;
pub mod dialect;
mod edits;
pub mod emu;
pub mod failure;
pub mod fit;
pub mod image_format;
pub mod input;
mod large;
pub mod local_sizes;
pub mod native;
pub mod output;
mod pipe_ends;
pub mod pipeline;
mod pipes;
mod producer;
mod progress;
mod report;
mod scratch;
pub mod signature;
pub mod spec;
mod units;

pub use producer::{
    CONVERGENT_PIPES, KEEP_COPIES, LEAVE_LONG_LOOPS, NO_STRENGTH_REDUCTION, SPIRV_EXTENSIONS,
    TRANSLATOR_EXTENSIONS, options_for_channels,
};

use clap::Parser;
use cli::{Cli, Command};
use failure::Result;
use progress::Progress;
use std::ffi::OsString;
use std::io::Write;

/// Exit code of a successful command.
pub const DONE: u8 = 0;
/// Exit code of an error in the input, the environment or the run.
pub const FAILED: u8 = 1;
/// Exit code of a wrong command line.
pub const USAGE: u8 = 2;
/// Exit code of a defect of clhls.
pub const DEFECT: u8 = 101;

/// Where a command writes.
pub struct Streams<'a> {
    /// Results.
    pub out: &'a mut dyn Write,
    /// Messages and progress.
    pub err: &'a mut dyn Write,
}

/// Executes a command line, program name first, and gives the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(e) => return usage(&e, streams),
    };
    let result = design::expand(cli, &args).and_then(|(cli, design)| {
        dispatch(cli, streams).map_err(|failure| match design {
            Some(design) => design.explain(failure),
            None => failure,
        })
    });
    match result {
        Ok(()) => DONE,
        Err(failure) => {
            // a reader that is gone is no reason to fail otherwise
            let _ = write!(streams.err, "{}", failure.render());
            FAILED
        }
    }
}

/// Help and version go to standard output with exit code 0, errors to standard error with 2.
fn usage(e: &clap::Error, streams: &mut Streams<'_>) -> u8 {
    let text = e.render();
    if e.use_stderr() {
        let _ = write!(streams.err, "{text}");
        USAGE
    } else {
        let _ = write!(streams.out, "{text}");
        DONE
    }
}

fn dispatch(cli: Cli, streams: &mut Streams<'_>) -> Result<()> {
    let quiet = cli.quiet;
    match cli.command {
        Command::Build(args) => cmd_build::build(&args, quiet, streams),
        Command::Run(args) => cmd_run::run(&args, quiet, streams),
        Command::Serve(args) => cmd_serve::serve(&args, quiet, streams),
        Command::Report(args) => cmd_report::report(&args, streams),
        Command::Boards(args) => cmd_boards::boards(&args, streams),
        Command::Support => cmd_support::support(streams),
        Command::Check(args) => cmd_check::check(&args, streams),
        Command::Completions { shell } => cmd_completions::completions(shell, streams),
    }
}

impl Streams<'_> {
    fn print(&mut self, text: &str) -> Result<()> {
        self.print_bytes(text.as_bytes())
    }

    fn print_bytes(&mut self, text: &[u8]) -> Result<()> {
        match self.out.write_all(text) {
            // `clhls ... | head` ends early on purpose
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(failure::Failure::new("E0601", format!("cannot write the output: {e}")))
            }
            _ => Ok(()),
        }
    }

    /// Shows warnings beside the results.
    fn warn(&mut self, warnings: &[String]) {
        for text in warnings {
            // a reader that is gone is no reason to fail
            let _ = writeln!(self.err, "{}", text.trim_end());
        }
    }

    fn progress(&mut self, quiet: bool) -> Progress<'_> {
        Progress::new(self.err, quiet)
    }
}
