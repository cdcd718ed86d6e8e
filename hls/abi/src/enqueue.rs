//! What kernels enqueue: the memory that they write records to, and what a record means.
//!
//! A module whose kernels use device-side queues has two variables more: [`QUEUE`], in device memory, and [`TABLE`], whose
//! initial bytes describe the places in the source that enqueue something. All queues of a context share that memory.
//!
//! It begins with a header of 64 bits counters ([`header`]), then come the table of events ([`EVENT_TABLE`], an entry as
//! of [`event`] each), the numbers of the events that are free ([`FREE_LIST`]) and, from [`RECORDS`] on, the records
//! ([`record`]). A work-item takes an event by adding to one counter and reserves the room of a record by adding to the
//! other; what ends behind the memory's end is not written, and the function gives an error. So hardware needs nothing
//! but atomic additions, and every record that lies inside is whole when the kernel is done.
//!
//! The host reads the records when a kernel is over, empties the memory, and launches what they ask for: crate `host`,
//! `enqueue`. Everything is little endian.

use crate::{ImageDescriptor, PipeDescriptor};
use serde::{Deserialize, Serialize};

/// Name of the variable that records are written to.
pub const QUEUE: &str = "__clhls_enqueue";
/// Name of the variable whose initial bytes are the sites, as JSON.
pub const TABLE: &str = "__clhls_enqueue_sites";

/// Fields at the beginning, by offset in bytes.
pub mod header {
    /// Bytes of records that work-items have reserved, a `u64`.
    pub const RECORDS: u32 = 0;
    /// Events that work-items have taken, a `u64`.
    pub const TAKEN: u32 = 8;
    /// Events that there are to take, a `u32`; the host's.
    pub const FREE: u32 = 16;
    /// Number of the default queue, 0 if there is none, a `u32`; the host's.
    pub const DEFAULT_QUEUE: u32 = 20;
}

/// Where the table of events begins.
pub const EVENT_TABLE: u64 = 64;
/// Most events at a time.
pub const EVENTS: u32 = 1 << 14;
/// Where the list of free events begins: an `u32` each, the number of an entry of the table.
pub const FREE_LIST: u64 = EVENT_TABLE + (EVENTS as u64) * (event::BYTES as u64);
/// Where the first record begins.
pub const RECORDS: u64 = FREE_LIST + (EVENTS as u64) * 4;
/// Bytes for the records of one launch.
pub const RECORD_BYTES: u64 = 1 << 20;
/// Bytes of the whole memory.
pub const QUEUE_BYTES: u64 = RECORDS + RECORD_BYTES;

/// An entry of the table of events, by offset in bytes.
///
/// The value of a `clk_event_t` is the number of its entry plus 1.
pub mod event {
    /// Execution status, an `i32`: [`SUBMITTED`], 0 when complete, or a negative error.
    pub const STATUS: u32 = 0;
    /// Reference count, a `u32`.
    pub const REFERENCES: u32 = 4;
    /// Device address that profiling information is wanted at when the event is complete, a `u64`; 0 if it is not.
    pub const PROFILING: u32 = 8;
    /// Profiling information of what is complete, two `u64`: nanoseconds from the command's start to its end, and to the
    /// end of all that it has enqueued; the host's.
    pub const TIMES: u32 = 16;
    /// Bytes of an entry.
    pub const BYTES: u32 = 32;
    /// Status of what is not complete.
    pub const SUBMITTED: i32 = 2;
}

/// A record, by offset in bytes. Its size is a multiple of 8.
///
/// Behind the fields stand the sizes of the block's local-memory arguments (a `u32` each), then, at multiples of 8, the
/// block's data and the descriptors of what it has captured, then the events that are waited for (a `u32` each, as numbers
/// of entries plus 1).
pub mod record {
    /// Number of the site plus 1, a `u32`.
    pub const SITE: u32 = 0;
    /// Bytes of the whole record, a `u32`.
    pub const BYTES: u32 = 4;
    /// Flags as given, a `u32`.
    pub const FLAGS: u32 = 8;
    /// Number of events that are waited for, a `u32`.
    pub const WAITS: u32 = 12;
    /// The event that was returned, its number plus 1, or 0, a `u32`.
    pub const EVENT: u32 = 16;
    /// Dimensions, a `u32`.
    pub const WORK_DIM: u32 = 20;
    /// Global offset, three `u32`.
    pub const OFFSET: u32 = 24;
    /// Global size, three `u32`; 1 in dimensions that there are not.
    pub const GLOBAL: u32 = 36;
    /// Local size, three `u32`; all 0 if none was given.
    pub const LOCAL: u32 = 48;
    /// The queue, a `u32`.
    pub const QUEUE: u32 = 60;
    /// Bytes of these fields.
    pub const FIXED: u32 = 64;
}

/// What a block has captured by its descriptor, which is an argument of its own: a member of its data is the size of a
/// pointer, whatever it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Captured {
    /// An image ([`ImageDescriptor`]).
    Image,
    /// A pipe ([`PipeDescriptor`]).
    Pipe,
}

impl Captured {
    /// Bytes of the descriptor, a multiple of 8.
    pub fn bytes(self) -> u32 {
        match self {
            Captured::Image => ImageDescriptor::BYTES,
            Captured::Pipe => PipeDescriptor::BYTES,
        }
    }
}

/// A place in the source that enqueues something.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EnqueueSite {
    /// The kernel made of the block; `None` for a marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Local-memory arguments of the block.
    pub locals: u32,
    /// Bytes of the block's data: its first argument.
    pub data: u32,
    /// Images and pipes that the block has captured: its last arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captured: Vec<Captured>,
    /// Place in the source: `file:line:column`; empty if unknown.
    pub source: String,
}

impl EnqueueSite {
    /// Where in a record the block's data begin, and where the events that are waited for do.
    pub fn places(&self) -> (u32, u32) {
        let descriptors: u32 = self.captured.iter().map(|c| c.bytes()).sum();
        (self.data_place(), self.captured_place() + descriptors)
    }

    /// Where in a record the descriptor of each thing captured begins.
    pub fn captured_places(&self) -> impl Iterator<Item = (Captured, u32)> {
        let mut next = self.captured_place();
        self.captured.iter().map(move |&captured| {
            let place = next;
            next += captured.bytes();
            (captured, place)
        })
    }

    fn data_place(&self) -> u32 {
        (record::FIXED + 4 * self.locals).next_multiple_of(8)
    }

    fn captured_place(&self) -> u32 {
        (self.data_place() + self.data).next_multiple_of(8)
    }
}

/// Where a program's queue is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnqueueQueue {
    /// Where the memory begins in the program memory, in bytes.
    pub offset: u64,
    /// Bytes of the memory.
    pub size: u64,
    /// What records are of, by number.
    pub sites: Vec<EnqueueSite>,
}

/// The initial bytes of [`TABLE`].
pub fn table(sites: &[EnqueueSite]) -> Vec<u8> {
    serde_json::to_vec(sites).unwrap_or_default()
}

/// The variable called [`QUEUE`] among a module's variables (what names one, its name, its initial bytes), and the sites
/// that the one called [`TABLE`] holds; none if kernels use no queue.
pub fn find<'a, V>(
    variables: impl Iterator<Item = (V, &'a str, Option<&'a [u8]>)>,
) -> Option<(V, Vec<EnqueueSite>)> {
    let (mut queue, mut sites) = (None, None);
    for (variable, name, init) in variables {
        match name {
            QUEUE => queue = Some(variable),
            TABLE => sites = serde_json::from_slice(init?).ok(),
            _ => {}
        }
    }
    Some((queue?, sites?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_record_stand_at_multiples_of_8() {
        let site = |locals, data| EnqueueSite {
            kernel: Some("k".into()),
            locals,
            data,
            captured: vec![],
            source: String::new(),
        };
        assert_eq!(site(0, 0).places(), (64, 64));
        assert_eq!(site(1, 28).places(), (72, 104));
        assert_eq!(site(2, 16).places(), (72, 88));
        let captured = vec![Captured::Image, Captured::Pipe, Captured::Image];
        let site = EnqueueSite { captured, ..site(1, 28) };
        let places: Vec<u32> = site.captured_places().map(|(_, place)| place).collect();
        assert_eq!(places, [104, 152, 168]);
        assert_eq!(site.places(), (72, 216));
    }

    #[test]
    fn the_table_holds_the_sites() {
        let site = EnqueueSite {
            kernel: None,
            locals: 0,
            data: 0,
            captured: vec![],
            source: "a.cl:1:2".into(),
        };
        let bytes = table(std::slice::from_ref(&site));
        let variables = [(1, "a", None), (2, TABLE, Some(&bytes[..])), (3, QUEUE, None)];
        assert_eq!(find(variables.into_iter()), Some((3, vec![site])));
        assert_eq!(find([(3, QUEUE, None)].into_iter()), None);
    }

    #[test]
    fn areas_do_not_overlap() {
        assert!(u64::from(header::DEFAULT_QUEUE) + 4 <= EVENT_TABLE);
        assert_eq!(RECORDS % 64, 0);
    }
}
