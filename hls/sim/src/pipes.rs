//! Connected pipes at the edge of a simulated kernel: the pipe's object in device memory gives the packets that the kernel reads,
//! and takes those that it writes.

use crate::device::{model_error, streams};
use abi::{Arg, Kernel, PipeDescriptor};
use host::{Error, RawArg};
use verilator_sys::{Model, Region, Session};

/// Cycles in which a packet that is on its way leaves the kernel.
const DRAIN_CYCLES: u64 = 64;

/// A stream of the kernel with the pipe that its argument is.
struct End<'a> {
    index: usize,
    pipe: &'a PipeDescriptor,
    writes: bool,
}

fn ends<'a>(kernel: &'a Kernel, args: &'a [RawArg]) -> impl Iterator<Item = End<'a>> {
    streams(kernel).enumerate().filter_map(|(index, (arg, stream))| {
        let RawArg::Pipe(pipe) = args.get(arg.index as usize)? else { return None };
        Some(End { index, pipe, writes: stream.writes })
    })
}

/// The packets in a pipe's object.
fn packets(pipe: &PipeDescriptor, regions: &[Region<'_>]) -> Vec<u8> {
    let object = regions.iter().find(|r| r.base() == pipe.address);
    object.and_then(|r| pipe.packets(r.bytes())).unwrap_or_default()
}

/// Packets that are in a pipe's object.
pub(crate) fn held(pipe: &PipeDescriptor, regions: &[Region<'_>]) -> u32 {
    let bytes = packets(pipe, regions).len() as u64;
    u32::try_from(bytes / u64::from(pipe.packet_size.max(1))).unwrap_or(u32::MAX)
}

/// Tells the model which pipes of a launch are in memory; their arguments, and how many packets each holds.
pub(crate) fn watch(
    model: &mut Model,
    kernel: &Kernel,
    args: &[RawArg],
    regions: &[Region<'_>],
) -> Vec<(Arg, u32)> {
    let (mut objects, mut found) = (vec![], vec![]);
    for (info, arg) in kernel.signature.args.iter().zip(args) {
        if let (RawArg::Pipe(pipe), None) = (arg, &info.stream) {
            objects.push(pipe.address);
            found.push((info.clone(), held(pipe, regions)));
        }
    }
    model.watch_pipes(&objects);
    found
}

/// Puts the packets of the pipes in front of the streams that the kernel reads, and room behind those that it writes. `joined`:
/// streams that lead to another kernel, which have none.
pub(crate) fn fill(
    model: &mut Model,
    kernel: &Kernel,
    args: &[RawArg],
    regions: &[Region<'_>],
    joined: impl Fn(usize) -> bool,
) {
    for end in ends(kernel, args).filter(|end| !joined(end.index)) {
        let there = packets(end.pipe, regions);
        if end.writes {
            let all = end.pipe.max_packets as usize * end.pipe.packet_size as usize;
            model.put_stream(end.index, &[], all.saturating_sub(there.len()));
        } else {
            model.put_stream(end.index, &there, 0);
        }
    }
}

/// Lets packets that the kernel has written leave it.
pub(crate) fn drain(session: &mut Session<'_>, kernel: &Kernel) -> Result<(), Error> {
    let outputs: Vec<usize> =
        streams(kernel).enumerate().filter(|(_, (_, s))| s.writes).map(|(k, _)| k).collect();
    let count = |session: &Session<'_>| -> usize {
        outputs.iter().map(|k| session.model().stream_bytes(*k)).sum()
    };
    if outputs.is_empty() {
        return Ok(());
    }
    let mut before = usize::MAX;
    loop {
        session.run(DRAIN_CYCLES, DRAIN_CYCLES, 0).map_err(model_error)?;
        let now = count(session);
        if now == before {
            return Ok(());
        }
        before = now;
    }
}

/// Writes what is in the pipes now to their objects. `joined`: streams that lead to another kernel, which have none.
pub(crate) fn take(
    model: &Model,
    kernel: &Kernel,
    args: &[RawArg],
    regions: &mut [Region<'_>],
    joined: impl Fn(usize) -> bool,
) {
    for end in ends(kernel, args).filter(|end| !joined(end.index)) {
        let most = end.pipe.max_packets as usize * end.pipe.packet_size as usize;
        let mut now = if end.writes { packets(end.pipe, regions) } else { vec![] };
        now.extend(model.stream(end.index, most));
        let object = end.pipe.object(&now);
        let region = regions.iter_mut().find(|r| r.base() == end.pipe.address);
        if let (Some(region), Some(object)) = (region, object) {
            let count = object.len().min(region.bytes().len());
            region.bytes_mut()[..count].copy_from_slice(&object[..count]);
        }
    }
}
