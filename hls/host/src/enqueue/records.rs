//! Records in the queue, as the device writes them.

use crate::{Error, ErrorKind, RawArg};
use abi::enqueue::{Captured, RECORD_BYTES, RECORDS, header, record};
use abi::{EnqueueSite, ImageDescriptor, PipeDescriptor};

/// A command that a kernel has enqueued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Number of the place in the source.
    pub site: usize,
    /// Entries of the events that it waits for.
    pub waits: Vec<u32>,
    /// Entry of the event that was returned.
    pub event: Option<u32>,
    /// Dimensions, 1 to 3; of a marker 1.
    pub dims: usize,
    pub offset: [u32; 3],
    pub global: [u32; 3],
    pub local: [u32; 3],
    /// Bytes of local memory for each such argument.
    pub locals: Vec<u32>,
    /// The block's data.
    pub data: Vec<u8>,
    /// Images and pipes that it has captured.
    pub captured: Vec<RawArg>,
}

/// Takes the records out of a queue, which is empty then.
///
/// # Errors
/// [`ErrorKind::Execution`] if the queue holds none: the kernel has written over it.
pub(super) fn take(queue: &mut [u8], sites: &[EnqueueSite]) -> Result<Vec<Record>, Error> {
    let mut records = vec![];
    let used = reserved(queue);
    let area =
        queue.get_mut(RECORDS as usize..).and_then(|a| a.get_mut(..used)).ok_or_else(damaged)?;
    let mut rest = &*area;
    // Behind the last record may be room that one did not fit: it is empty.
    while rest.len() >= record::FIXED as usize && word(rest, record::SITE) != 0 {
        let size = word(rest, record::BYTES) as usize;
        let bytes = rest.get(..size).filter(|_| size.is_multiple_of(8)).ok_or_else(damaged)?;
        records.push(parse(bytes, sites).ok_or_else(damaged)?);
        rest = &rest[size..];
    }
    area.fill(0);
    queue[header::RECORDS as usize..][..8].fill(0);
    Ok(records)
}

/// Bytes of records that were reserved, as far as there is room.
pub(super) fn reserved(queue: &[u8]) -> usize {
    let bytes = queue.get(header::RECORDS as usize..).and_then(|b| b.first_chunk());
    let bytes = bytes.map_or(0, |b| u64::from_le_bytes(*b)).min(RECORD_BYTES);
    bytes as usize
}

fn damaged() -> Error {
    Error::new(
        ErrorKind::Execution,
        "the queue on the device is damaged: a kernel has written over it",
    )
}

fn parse(bytes: &[u8], sites: &[EnqueueSite]) -> Option<Record> {
    let number = (word(bytes, record::SITE) as usize).checked_sub(1)?;
    let site = sites.get(number)?;
    let (data_at, waits_at) = site.places();
    let local = |k: u32| word(bytes, record::FIXED + 4 * k);
    let count = word(bytes, record::WAITS);
    let end = u64::from(waits_at) + 4 * u64::from(count);
    let dims = match site.kernel {
        Some(_) => Some(word(bytes, record::WORK_DIM) as usize).filter(|d| (1..=3).contains(d))?,
        None => 1,
    };
    if end > bytes.len() as u64 {
        return None;
    }
    let sizes = |at: u32| std::array::from_fn(|d| word(bytes, at + 4 * d as u32));
    Some(Record {
        site: number,
        waits: (0..count).filter_map(|k| word(bytes, waits_at + 4 * k).checked_sub(1)).collect(),
        event: word(bytes, record::EVENT).checked_sub(1),
        dims,
        offset: sizes(record::OFFSET),
        global: sizes(record::GLOBAL),
        local: sizes(record::LOCAL),
        locals: (0..site.locals).map(local).collect(),
        data: bytes.get(data_at as usize..)?.get(..site.data as usize)?.to_vec(),
        captured: site
            .captured_places()
            .map(|(captured, at)| descriptor(captured, bytes.get(at as usize..)?))
            .collect::<Option<_>>()?,
    })
}

/// The argument that the bytes of a descriptor describe. The address in it is the device's, as in the parent's argument.
fn descriptor(captured: Captured, bytes: &[u8]) -> Option<RawArg> {
    Some(match captured {
        Captured::Image => RawArg::Image(ImageDescriptor::from_bytes(bytes.first_chunk()?)?),
        Captured::Pipe => RawArg::Pipe(PipeDescriptor::from_bytes(bytes.first_chunk()?)?),
    })
}

/// A word, little endian; 0 past the end.
pub(super) fn word(bytes: &[u8], at: u32) -> u32 {
    let bytes = bytes.get(at as usize..).and_then(|b| b.first_chunk());
    bytes.map_or(0, |b| u32::from_le_bytes(*b))
}
