//! `clhls completions`

use crate::Streams;
use crate::cli::Cli;
use crate::failure::Result;
use clap::CommandFactory;

pub(crate) fn completions(shell: clap_complete::Shell, streams: &mut Streams<'_>) -> Result<()> {
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "clhls", &mut script);
    streams.print(&String::from_utf8_lossy(&script))
}
