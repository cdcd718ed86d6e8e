//! `clhls serve`

use crate::Streams;
use crate::cli::ServeArgs;
use crate::cmd_run::{SimSettings, sim_options};
use crate::failure::{Failure, Result, io};
use crate::output::check_file;
use serve::{pipe, xrt};
use sim::Board;
use std::any::Any;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// After this time somebody who waits wants to know for what.
const PATIENCE: Duration = Duration::from_secs(2);
/// XRT's socket must be there after this time.
const SOCKET_WAIT: Duration = Duration::from_secs(60);
/// Time between attempts to find it.
const SOCKET_POLL: Duration = Duration::from_millis(20);

/// Serves the host program on standard input and output, or XRT at its socket, until it closes them.
pub(crate) fn serve(args: &ServeArgs, quiet: bool, streams: &mut Streams<'_>) -> Result<()> {
    args.trace.as_deref().map_or(Ok(()), check_file)?;
    let options = sim_options(SimSettings {
        profile: false,
        trace: args.trace.as_deref(),
        seed: args.seed,
        mem_latency: args.mem_latency,
        stall_rate: args.stall_rate,
        random_state: false,
        poll_limit: args.poll_limit,
    })?;
    let board = Board::open(&args.dir, options);
    let loading =
        |kernel: &str| -> Box<dyn Any> { if quiet { Box::new(()) } else { announce(kernel) } };
    if args.xrt {
        let mut socket = xrt_socket()?;
        return xrt::serve(&mut board?, &mut socket, &loading)
            .map_err(|e| Failure::new("E0610", format!("XRT's program cannot go on: {e}")));
    }
    pipe::serve(board, &mut std::io::stdin().lock(), streams.out, &loading)
        .map_err(|e| Failure::new("E0601", format!("the host program broke off: {e}")))
}

/// The socket at which XRT's emulation waits for the device process that it has started. It has another one for requests of the
/// device and waits seconds there when it closes, unless it is told that there will be none.
fn xrt_socket() -> Result<UnixStream> {
    // XRT has this path in its code
    let folder = Path::new("/tmp").join(std::env::var("USER").unwrap_or_default());
    let id = std::env::var("EMULATION_SOCKETID").unwrap_or_else(|_| "xcl_sock".to_owned());
    let path = folder.join(&id);
    let start = Instant::now();
    loop {
        match UnixStream::connect(&path) {
            Ok(socket) => {
                let other = UnixStream::connect(folder.join(format!("D2X_unix_sock_{id}")));
                // without it the end takes longer, that is all
                let _ = other.and_then(|mut other| other.write_all(&xrt::CLOSE));
                return Ok(socket);
            }
            // XRT makes the socket after it has started the process
            Err(_) if start.elapsed() < SOCKET_WAIT => std::thread::sleep(SOCKET_POLL),
            Err(e) => return Err(io("connect to", &path, &e)),
        }
    }
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
