//! `clhls boards`

use crate::Streams;
use crate::cli::BoardsArgs;
use crate::failure::Result;
use crate::pipeline::library;
use std::fmt::Write;

pub(crate) fn boards(args: &BoardsArgs, streams: &mut Streams<'_>) -> Result<()> {
    let library = library(args.board_dir.as_deref())?;
    let mut text = format!(
        "{:<10} {:<18} {:>6} {:>9} {:>8} {:>9} {:>6}  {}\n",
        "board", "family", "MHz", "memory", "bits", "LUT", "DSP", "title"
    );
    for name in library.boards() {
        let b = library.board(name)?;
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "{:<10} {:<18} {:>6} {:>9} {:>8} {:>9} {:>6}  {}",
            b.name,
            b.family.name,
            b.default_clock_mhz,
            bytes(b.memory.global_bytes),
            format!("{}x{}", b.memory.ports, b.memory.data_bits),
            b.resources.lut,
            b.resources.dsp,
            b.title
        );
    }
    streams.print(&text)
}

fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 30 => format!("{} GiB", n >> 30),
        n if n >= 1 << 20 => format!("{} MiB", n >> 20),
        n => format!("{} KiB", n >> 10),
    }
}
