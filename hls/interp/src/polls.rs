//! What is said of a pipe at which a kernel hangs.

use crate::Argument;
use crate::memory::Memory;
use abi::PipeDescriptor;
use abi::pipe::{field, place};
use base::Diagnostic;
use ir::{KernelArg, KernelArgKind};

/// Packets that a pipe's object holds, of how many.
pub(crate) fn occupancy(memory: &mut Memory<'_>, address: u64, most: u32) -> Option<(u32, u32)> {
    let mut word = |side: u32| {
        let bytes = memory.bytes_mut(address + u64::from(side + place::DONE), 4)?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    };
    Some((word(place::WRITERS)?.wrapping_sub(word(place::READERS)?), most))
}

/// How many packets a pipe holds as messages tell it: as many as the FIFO that its object of `most` packets stands for, unless more
/// are in it, of writers that had to come to their end first.
pub fn told(held: u32, most: u32, depth: Option<u32>) -> u32 {
    depth.filter(|depth| held <= *depth).map_or(most, |depth| depth.min(most))
}

/// `, which holds 3 of 16 packets`
pub(crate) fn holds(state: Option<(u32, u32)>) -> String {
    match state {
        Some((held, 1)) => format!(", which holds {held} of 1 packet"),
        Some((held, most)) => format!(", which holds {held} of {most} packets"),
        None => String::new(),
    }
}

/// The descriptor of an argument by value.
pub fn descriptor(args: &[Argument], arg: u32) -> Option<PipeDescriptor> {
    let Some(Argument::Value(bytes)) = args.get(arg as usize) else { return None };
    let number = |offset: u32| {
        let bytes = bytes.get(offset as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let address = bytes.get(field::ADDRESS as usize..)?.first_chunk()?;
    let pipe = PipeDescriptor::new(number(field::MAX_PACKETS)?, number(field::PACKET_SIZE)?)?;
    Some(PipeDescriptor { address: u64::from_le_bytes(*address), ..pipe })
}

/// The error of a kernel that was refused `most` times and did nothing else. `state`: packets in the pipe, and how many it holds.
pub fn endless(kernel: &str, arg: &KernelArg, state: Option<(u32, u32)>, most: u64) -> Diagnostic {
    let writes = matches!(arg.kind, KernelArgKind::Pipe(access) if access.writes);
    let what = if writes { "room" } else { "packets" };
    let holds = holds(state);
    let text = format!(
        "kernel `{kernel}` tries again and again to get {what} of pipe `{}`{holds}, and nothing else happens: {most} operations were refused",
        arg.name
    );
    Diagnostic::error("E0513", text)
}
