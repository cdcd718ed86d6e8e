//! The events of a launch: what the host knows of them, beside the table on the device.

use super::records::reserved;
use crate::{Error, ErrorKind};
use abi::enqueue::event::{self, SUBMITTED};
use abi::enqueue::{EVENT_TABLE, EVENTS, FREE_LIST, QUEUE_BYTES, RECORDS, header};
use std::collections::BTreeMap;

/// An event in use.
#[derive(Debug, Default)]
struct Event {
    /// Commands that wait for it or will complete it.
    users: u32,
    /// A command completes it; else a kernel does.
    of_command: bool,
    status: i32,
    /// Commands that wait for it.
    waiting: Vec<u64>,
}

/// All events of a launch.
#[derive(Debug)]
pub(super) struct Events {
    used: BTreeMap<u32, Event>,
    /// In the order in which kernels take them.
    free: Vec<u32>,
    /// The list on the device is not `free`.
    changed: bool,
}

/// An address to write to, and what.
pub(super) type Capture = (u64, [u8; 16]);

impl Events {
    /// Makes a queue ready for a launch: empty, all events free.
    pub fn begin(queue: &mut [u8], default_queue: u32) -> Result<Self, Error> {
        if (queue.len() as u64) < QUEUE_BYTES {
            return Err(Error::new(ErrorKind::Device, "the queue on the device is too small"));
        }
        // what a launch that failed has left
        let left = reserved(queue);
        queue[..RECORDS as usize + left].fill(0);
        put(queue, header::DEFAULT_QUEUE.into(), &default_queue.to_le_bytes());
        let mut events =
            Events { used: BTreeMap::new(), free: (0..EVENTS).collect(), changed: true };
        events.give_free(queue);
        Ok(events)
    }

    /// Tells kernels which events are free.
    fn give_free(&mut self, queue: &mut [u8]) {
        if std::mem::take(&mut self.changed) {
            for (place, index) in self.free.iter().enumerate() {
                put(queue, FREE_LIST + 4 * place as u64, &index.to_le_bytes());
            }
            put(queue, header::FREE.into(), &(self.free.len() as u32).to_le_bytes());
        }
        put(queue, header::TAKEN.into(), &[0; 8]);
    }

    /// Learns which events kernels have taken.
    pub fn take(&mut self, queue: &[u8]) {
        let taken = get::<8>(queue, header::TAKEN.into()).map_or(0, u64::from_le_bytes);
        let taken = usize::try_from(taken).unwrap_or(usize::MAX).min(self.free.len());
        self.changed |= taken > 0;
        for index in self.free.drain(..taken) {
            self.used.insert(index, Event { status: SUBMITTED, ..Event::default() });
        }
    }

    /// Lets a command wait for an event, unless it is complete: its status.
    pub fn wait(&mut self, event: u32, command: u64) -> i32 {
        let Some(event) = self.used.get_mut(&event) else { return 0 };
        if event.status == SUBMITTED {
            event.users += 1;
            event.waiting.push(command);
        }
        event.status
    }

    /// A command completes an event.
    pub fn attach(&mut self, event: u32) {
        if let Some(event) = self.used.get_mut(&event) {
            event.users += 1;
            event.of_command = true;
        }
    }

    /// User events whose status kernels have set, with it.
    pub fn set_by_kernels(&self, queue: &[u8]) -> Vec<(u32, i32)> {
        let open = self.used.iter().filter(|(_, e)| !e.of_command && e.status == SUBMITTED);
        let status = |index: &u32| {
            get(queue, field(*index, event::STATUS)).map_or(SUBMITTED, i32::from_le_bytes)
        };
        open.map(|(index, _)| (*index, status(index))).filter(|(_, s)| *s <= 0).collect()
    }

    /// An event is complete: the commands that waited for it.
    pub fn complete(&mut self, event: u32, status: i32) -> Vec<u64> {
        let Some(event) = self.used.get_mut(&event) else { return vec![] };
        event.status = status;
        let waiting = std::mem::take(&mut event.waiting);
        event.users -= waiting.len() as u32;
        waiting
    }

    /// The command of an event is complete: where its times are wanted.
    pub fn finish(
        &mut self,
        queue: &mut [u8],
        event: u32,
        failed: Option<i32>,
        times: [u64; 2],
    ) -> Option<Capture> {
        put(queue, field(event, event::STATUS), &failed.unwrap_or(0).to_le_bytes());
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&times[0].to_le_bytes());
        bytes[8..].copy_from_slice(&times[1].to_le_bytes());
        put(queue, field(event, event::TIMES), &bytes);
        self.used.get_mut(&event)?.users -= 1;
        let address = get(queue, field(event, event::PROFILING)).map_or(0, u64::from_le_bytes);
        (address != 0).then_some((address, bytes))
    }

    /// Frees what nobody refers to any more, and tells kernels.
    pub fn free(&mut self, queue: &mut [u8]) {
        let (free, changed) = (&mut self.free, &mut self.changed);
        self.used.retain(|&index, event| {
            let references =
                get(queue, field(index, event::REFERENCES)).map_or(0, u32::from_le_bytes);
            let used = references > 0 || event.users > 0;
            if !used {
                free.push(index);
                *changed = true;
            }
            used
        });
        self.give_free(queue);
    }
}

fn field(index: u32, place: u32) -> u64 {
    EVENT_TABLE + u64::from(index) * u64::from(event::BYTES) + u64::from(place)
}

fn get<const N: usize>(queue: &[u8], at: u64) -> Option<[u8; N]> {
    queue.get(at as usize..)?.first_chunk().copied()
}

fn put(queue: &mut [u8], at: u64, bytes: &[u8]) {
    if let Some(place) = queue.get_mut(at as usize..).and_then(|q| q.get_mut(..bytes.len())) {
        place.copy_from_slice(bytes);
    }
}
