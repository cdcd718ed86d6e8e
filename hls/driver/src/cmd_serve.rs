//! `clhls serve`

use crate::Streams;
use crate::cli::ServeArgs;
use crate::cmd_run::{SimSettings, sim_options};
use crate::failure::{Failure, Result};
use crate::output::check_file;
use serve::pipe;
use sim::Board;
use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// After this time somebody who waits wants to know for what.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves the host program on standard input and output until it closes them.
pub(crate) fn serve(args: &ServeArgs, quiet: bool, streams: &mut Streams<'_>) -> Result<()> {
    args.trace.as_deref().map_or(Ok(()), check_file)?;
    let options = sim_options(SimSettings {
        trace: args.trace.as_deref(),
        seed: args.seed,
        mem_latency: args.mem_latency,
        stall_rate: args.stall_rate,
    })?;
    let board = Board::open(&args.dir, options);
    let loading =
        |kernel: &str| -> Box<dyn Any> { if quiet { Box::new(()) } else { announce(kernel) } };
    pipe::serve(board, &mut std::io::stdin().lock(), streams.out, &loading)
        .map_err(|e| Failure::new("E0601", format!("the host program broke off: {e}")))
}

/// Says that a simulator is built, unless what is returned is dropped soon.
fn announce(kernel: &str) -> Box<dyn Any> {
    let (guard, dropped) = channel::<()>();
    let text = format!("clhls: build the simulator of {kernel}");
    std::thread::spawn(move || {
        if dropped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{text}");
        }
    });
    Box::new(guard)
}
