//! Launches the kernels that kernels enqueue (OpenCL C 2.0, `enqueue_kernel`). For generated code; what a kernel enqueues is part of its
//! launch, which waits for all of it. Launches that use the same program memory run one after the other.
//!
//! A kernel writes records into the queue, which is memory of the device (docs/device-enqueue.md of clhls describes it). When it is
//! over the host takes them out in their order and launches what they ask for, one at a time, the oldest first, as soon as the
//! events that it waits for are complete. Memory is read and written only while no kernel runs, and no more of it than changes: a
//! serial link is slow. `clhls_enqueue.c` does the same with the same numbers and texts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use crate::clhls::{self, Buffer, Counters, Device, Error, Kernel, NdRange, Result, Status};

/// The queue that `get_default_queue` gives, and what a kernel takes for an argument `queue_t`; 0 is the null queue.
pub const DEFAULT_QUEUE: u32 = 1;

/// What an argument of a block is, behind the block's data.
pub enum BlockArg {
    /// Local memory: its name, and as many bytes as there are.
    Local(&'static str, u32),
    /// An image: its name, the first of its words, and the channel order and data type of the only ones that there may be, as
    /// OpenCL numbers them.
    Image(&'static str, usize, Option<[u32; 2]>),
    /// A pipe: its name, the first of its words, and the bytes of its packets.
    Pipe(&'static str, usize, Option<u32>),
}

/// A kernel made of a block, which only kernels enqueue. Its first argument are the block's data.
pub struct Block {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Bytes of the block's data.
    pub data: usize,
    /// The other arguments.
    pub args: &'static [BlockArg],
    /// First word of the address of program-scope variables, if it uses them.
    pub program: Option<usize>,
}

/// A place in the source that enqueues something.
pub struct Site {
    /// `None`: a marker.
    pub block: Option<&'static Block>,
    /// `file:line:column`, empty if it is not known.
    pub source: &'static str,
}

/// The queue of a design.
pub struct Queue {
    /// Where it begins in the program memory.
    pub offset: usize,
    /// What records are of, by number.
    pub sites: &'static [Site],
}

// The queue's layout. It begins with a header: bytes of records (8), events taken (8), events to take (4), the default queue (4).
const HEADER_BYTES: usize = 24;
const HEADER_FREE: usize = 16;
/// Most events at a time.
const EVENTS: u32 = 1 << 14;
/// The table of events: status (4), references (4), address that the times are wanted at (8), times (8 each).
const TABLE: usize = 64;
const ENTRY_BYTES: usize = 32;
const ENTRY_STATUS: usize = 0;
const ENTRY_REFERENCES: usize = 4;
const ENTRY_PROFILING: usize = 8;
const ENTRY_TIMES: usize = 16;
const SUBMITTED: i32 = 2;
/// The list of free events, 4 bytes each.
const FREE_LIST: usize = TABLE + EVENTS as usize * ENTRY_BYTES;
const RECORDS: usize = FREE_LIST + 4 * EVENTS as usize;
const RECORD_BYTES: usize = 1 << 20;
const QUEUE_BYTES: usize = RECORDS + RECORD_BYTES;
/// Bytes of a list of events that is longer than any in sight.
const LONG_WAITS: usize = 4 * 1024;

// A record, by offset in bytes; all fields are words.
const RECORD_SITE: usize = 0;
const RECORD_SIZE: usize = 4;
const RECORD_WAITS: usize = 12;
const RECORD_EVENT: usize = 16;
const RECORD_WORK_DIM: usize = 20;
const RECORD_OFFSET: usize = 24;
const RECORD_GLOBAL: usize = 36;
const RECORD_LOCAL: usize = 48;
/// Here follow sizes of local memory, the block's data, descriptors, the events that are waited for.
const RECORD_FIXED: usize = 64;
const IMAGE_BYTES: usize = 48;
const PIPE_BYTES: usize = 16;
const REGISTER_ARGS: u32 = 0x10;

/// A word; 0 past the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b))
}

fn wide(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}

fn damaged() -> Error {
    Error::new(Status::KernelFailed, "the queue on the device is damaged: a kernel has written over it")
}

/// XRT's emulation (2.13) copies to and from the beginning of a buffer, whatever offset it is given. There everything up to what is
/// meant is copied; no kernel runs then.
fn copies_from_beginning() -> bool {
    std::env::var_os("XCL_EMULATION_MODE").is_some_and(|mode| !mode.is_empty())
}

/// Reads from the program memory.
fn get(device: &mut dyn Device, program: &Buffer, at: usize, data: &mut [u8]) -> Result<()> {
    if !copies_from_beginning() {
        return device.read(program, at, data);
    }
    let mut bytes = vec![0; at + data.len()];
    device.read(program, 0, &mut bytes)?;
    data.copy_from_slice(&bytes[at..]);
    Ok(())
}

/// Writes to the program memory.
fn put(device: &mut dyn Device, program: &Buffer, at: usize, data: &[u8]) -> Result<()> {
    if data.is_empty() || !copies_from_beginning() {
        return if data.is_empty() { Ok(()) } else { device.write(program, at, data) };
    }
    let mut bytes = vec![0; at + data.len()];
    device.read(program, 0, &mut bytes)?;
    bytes[at..].copy_from_slice(data);
    device.write(program, 0, &bytes)
}

impl Queue {
    fn read(&self, device: &mut dyn Device, program: &Buffer, at: usize, data: &mut [u8]) -> Result<()> {
        get(device, program, self.offset + at, data)
    }

    fn write(&self, device: &mut dyn Device, program: &Buffer, at: usize, data: &[u8]) -> Result<()> {
        put(device, program, self.offset + at, data)
    }

    fn write_words(&self, device: &mut dyn Device, program: &Buffer, at: usize, words: &[u32]) -> Result<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(device, program, at, &bytes)
    }

    /// Writes zeros.
    fn clear(&self, device: &mut dyn Device, program: &Buffer, at: usize, size: usize) -> Result<()> {
        self.write(device, program, at, &vec![0; size])
    }

    /// The header of an empty queue with so many free events.
    fn write_header(&self, device: &mut dyn Device, program: &Buffer, free: u32) -> Result<()> {
        self.write_words(device, program, 0, &[0, 0, 0, 0, free, DEFAULT_QUEUE])
    }

    /// A site in words.
    fn describe(&self, site: usize) -> String {
        let Site { block, source } = &self.sites[site];
        let what = block.map_or("a marker".to_owned(), |block| format!("kernel `{}`", block.kernel.name));
        if source.is_empty() { what } else { format!("{what}, enqueued at {source}") }
    }
}

/// Makes the queue in a new program memory ready: all events free, no records. Behind the last record a record that did not fit may
/// have left its room as it was: that is why the end of the room is emptied, as much as a record takes, so that no old bytes are taken
/// for one there.
pub fn prepare(device: &mut dyn Device, queue: &Queue, program: &Buffer) -> Result<()> {
    let most = queue.sites.iter().map(|site| Places::of(site.block).waits).max().unwrap_or(RECORD_FIXED) + LONG_WAITS;
    queue.clear(device, program, QUEUE_BYTES - most, most)?;
    queue.write_words(device, program, FREE_LIST, &(0..EVENTS).collect::<Vec<u32>>())?;
    queue.write_header(device, program, EVENTS)
}

/// [`clhls::start`] for a kernel that may enqueue others.
pub fn start(
    device: &mut dyn Device,
    kernel: &Kernel,
    queue: &Queue,
    program: &Buffer,
    registers: &mut [u32],
    range: &NdRange,
) -> Result<()> {
    let mut header = [0; HEADER_BYTES];
    queue.read(device, program, 0, &mut header)?;
    let ready: Vec<u8> = [0, 0, 0, 0, EVENTS, DEFAULT_QUEUE].iter().flat_map(|word| word.to_le_bytes()).collect();
    if header[..] != ready[..] {
        // a launch that failed has left records and events, or this is memory that nobody has prepared
        let used = usize::try_from(wide(&header, 0)).unwrap_or(usize::MAX).min(RECORD_BYTES);
        queue.clear(device, program, RECORDS, used)?;
        queue.clear(device, program, TABLE, EVENTS as usize * ENTRY_BYTES)?;
        prepare(device, queue, program)?;
    }
    clhls::start(device, kernel, registers, range)
}

/// [`clhls::wait`] for such a kernel: launches all that it has enqueued, and what that enqueues, until nothing is left. The timeout is
/// for all of it, and so are the counters. When the kernel itself is not done in time it can be waited for again.
pub fn wait(
    device: &mut dyn Device,
    kernel: &Kernel,
    queue: &Queue,
    program: &Buffer,
    timeout: Option<Duration>,
) -> Result<Counters> {
    let start = Instant::now();
    let root = clhls::wait(device, kernel, timeout);
    if matches!(&root, Err(e) if e.status == Status::Timeout) {
        // nothing has been touched
        return root;
    }
    let mut family = Family::new(device, queue, program);
    family.deadline = timeout.map(|limit| (start, limit));
    let all = root.and_then(|counters| {
        family.counters = counters;
        family.run()
    });
    all.inspect_err(|error| family.give_up(error))?;
    family.check_all_done()
}

/// The number of a command, in the order of their records.
type Number = u64;

/// The command that the host has launched.
const ROOT: Number = 0;

/// What was enqueued, or what the host has launched.
struct Command {
    parent: Number,
    site: usize,
    /// Until it runs.
    record: Vec<u8>,
    /// The event that it completes.
    event: Option<u32>,
    /// Events that are not complete.
    waits: usize,
    /// It and what it has enqueued, as far as that is not complete.
    open: usize,
    /// An error of an event that it waited for, or of what it has enqueued.
    failed: Option<i32>,
    /// When it began and ended.
    times: [Duration; 2],
}

/// An event in use.
struct Event {
    status: i32,
    /// A command completes it; else a kernel does.
    of_command: bool,
    /// Commands that wait for it or will complete it.
    users: usize,
    waiting: Vec<Number>,
}

/// The free events, in the order in which kernels take them.
struct FreeList {
    list: Vec<u32>,
    /// The list as it is on the device, which is longer.
    on_device: Vec<u32>,
    /// At its beginning: events that kernels have taken.
    holes: usize,
}

impl FreeList {
    fn new() -> FreeList {
        FreeList { list: (0..EVENTS).collect(), on_device: (0..EVENTS).collect(), holes: 0 }
    }

    /// Kernels have taken so many.
    fn take(&mut self, taken: u64) -> &[u32] {
        self.holes = usize::try_from(taken).unwrap_or(usize::MAX).min(self.list.len());
        &self.list[..self.holes]
    }

    /// Puts events back: in place of those that were taken, so that little of the list changes. What then is still missing there
    /// comes from its end.
    fn put_back(&mut self, freed: Vec<u32>) {
        let mut filled = 0;
        for index in freed {
            if filled < self.holes {
                self.list[filled] = index;
                filled += 1;
            } else {
                self.list.push(index);
            }
        }
        while filled < self.holes && self.list.len() > self.holes {
            self.list.swap_remove(filled);
            filled += 1;
        }
        if filled < self.holes {
            self.list.truncate(filled);
        }
        self.holes = 0;
    }

    /// Places of the list that are not as on the device, which they are made.
    fn changes(&mut self) -> Vec<Range<usize>> {
        let mut changes: Vec<Range<usize>> = vec![];
        for place in (0..self.list.len()).filter(|&place| self.list[place] != self.on_device[place]) {
            match changes.last_mut().filter(|last| last.end == place) {
                Some(last) => last.end = place + 1,
                None => changes.push(place..place + 1),
            }
        }
        for change in &changes {
            self.on_device[change.clone()].copy_from_slice(&self.list[change.clone()]);
        }
        changes
    }
}

/// A launch with all that it enqueues.
struct Family<'a> {
    device: &'a mut dyn Device,
    queue: &'a Queue,
    program: &'a Buffer,
    start: Instant,
    deadline: Option<(Instant, Duration)>,
    /// Those that are not complete.
    commands: BTreeMap<Number, Command>,
    /// Those that wait for nothing.
    ready: BTreeSet<Number>,
    next: Number,
    events: BTreeMap<u32, Event>,
    /// The entries of the events in use, as on the device.
    table: Vec<u8>,
    free: FreeList,
    counters: Counters,
    /// What is in the queue means nothing.
    damaged: bool,
    /// Why a command was not run: the first.
    problem: Option<String>,
}

impl<'a> Family<'a> {
    fn new(device: &'a mut dyn Device, queue: &'a Queue, program: &'a Buffer) -> Family<'a> {
        Family {
            device,
            queue,
            program,
            start: Instant::now(),
            deadline: None,
            commands: BTreeMap::new(),
            ready: BTreeSet::new(),
            next: ROOT,
            events: BTreeMap::new(),
            table: vec![0; EVENTS as usize * ENTRY_BYTES],
            free: FreeList::new(),
            counters: Counters::default(),
            damaged: false,
            problem: None,
        }
    }

    /// Launches what a kernel that is over has enqueued.
    fn run(&mut self) -> Result<()> {
        self.add_command(ROOT, 0, vec![], None);
        self.harvest(ROOT)?;
        self.end_command(ROOT)?;
        while let Some(number) = self.ready.pop_first() {
            self.run_command(number)?;
        }
        self.restore()
    }

    fn add_command(&mut self, parent: Number, site: usize, record: Vec<u8>, event: Option<u32>) -> Number {
        let number = self.next;
        self.next += 1;
        if let Some(parent) = self.commands.get_mut(&parent) {
            parent.open += 1;
        }
        let times = [Duration::ZERO; 2];
        self.commands.insert(number, Command { parent, site, record, event, waits: 0, open: 1, failed: None, times });
        number
    }

    /// Lets a command wait for an event, unless that is complete.
    fn wait_for(&mut self, event: u32, number: Number) {
        let (Some(event), Some(command)) = (self.events.get_mut(&event), self.commands.get_mut(&number)) else { return };
        match event.status {
            SUBMITTED => {
                event.users += 1;
                event.waiting.push(number);
                command.waits += 1;
            }
            status if status < 0 => command.failed = Some(status),
            _ => {}
        }
    }

    /// An event is complete: those who wait for it may be ready.
    fn complete_event(&mut self, event: u32, status: i32) {
        let Some(event) = self.events.get_mut(&event) else { return };
        event.status = status;
        event.users -= event.waiting.len();
        for number in std::mem::take(&mut event.waiting) {
            let Some(command) = self.commands.get_mut(&number) else { continue };
            command.waits -= 1;
            if status < 0 {
                command.failed = Some(status);
            }
            if command.waits == 0 {
                self.ready.insert(number);
            }
        }
    }

    /// Takes what a command has left in the queue.
    fn harvest(&mut self, parent: Number) -> Result<()> {
        let mut header = [0; HEADER_BYTES];
        self.queue.read(self.device, self.program, 0, &mut header)?;
        let used = usize::try_from(wide(&header, 0)).unwrap_or(usize::MAX).min(RECORD_BYTES);
        let taken = wide(&header, 8);
        self.take_events(taken);
        if used > 0 {
            self.take_records(parent, used)?;
        }
        self.read_entries()?;
        // user events whose status a kernel has set
        let open = self.events.iter().filter(|(_, e)| !e.of_command && e.status == SUBMITTED).map(|(&index, _)| index);
        let set = open.map(|index| (index, word(&self.table, entry(index) + ENTRY_STATUS) as i32));
        let set: Vec<(u32, i32)> = set.filter(|(_, status)| *status <= 0).collect();
        for (index, status) in set {
            self.complete_event(index, status);
        }
        let before = self.free.list.len();
        self.free_events();
        if used > 0 || taken > 0 || self.free.list.len() != before { self.give_free() } else { Ok(()) }
    }

    /// Kernels have taken so many events.
    fn take_events(&mut self, taken: u64) {
        for &index in self.free.take(taken) {
            let event = Event { status: SUBMITTED, of_command: false, users: 0, waiting: vec![] };
            self.events.insert(index, event);
        }
    }

    /// Takes `used` bytes of records out of the queue.
    fn take_records(&mut self, parent: Number, used: usize) -> Result<()> {
        let mut area = vec![0; used];
        self.queue.read(self.device, self.program, RECORDS, &mut area)?;
        let mut rest = &area[..];
        self.damaged = true;
        // behind the last record may be room that one did not fit: it is empty
        while rest.len() >= RECORD_FIXED && word(rest, RECORD_SITE) != 0 {
            let size = word(rest, RECORD_SIZE) as usize;
            let record = rest.get(..size).filter(|_| size >= RECORD_FIXED && size.is_multiple_of(8));
            self.add_record(parent, record.ok_or_else(damaged)?)?;
            rest = &rest[size..];
        }
        self.damaged = false;
        self.queue.clear(self.device, self.program, RECORDS, used)
    }

    /// Makes a command of a record.
    fn add_record(&mut self, parent: Number, record: &[u8]) -> Result<()> {
        let site = (word(record, RECORD_SITE) - 1) as usize;
        let block = self.queue.sites.get(site).ok_or_else(damaged)?.block;
        let places = Places::of(block);
        let (waits, dims, event) =
            (word(record, RECORD_WAITS), word(record, RECORD_WORK_DIM), word(record, RECORD_EVENT));
        let end = places.waits as u64 + 4 * u64::from(waits);
        if end > record.len() as u64 || (block.is_some() && !(1..=3).contains(&dims)) || event > EVENTS {
            return Err(damaged());
        }
        let mut at = places.captured;
        for arg in block.map_or(&[][..], |block| block.args) {
            if !arg.is_descriptor(&record[at..]) {
                return Err(damaged());
            }
            at += arg.descriptor_bytes();
        }
        let event = event.checked_sub(1);
        let number = self.add_command(parent, site, record.to_vec(), event);
        for k in 0..waits as usize {
            if let Some(index) = word(record, places.waits + 4 * k).checked_sub(1) {
                self.wait_for(index, number);
            }
        }
        if let Some(event) = event.and_then(|index| self.events.get_mut(&index)) {
            event.users += 1;
            event.of_command = true;
        }
        if self.commands.get(&number).is_some_and(|command| command.waits == 0) {
            self.ready.insert(number);
        }
        Ok(())
    }

    /// Reads the entries of the events in use; those near one another at once.
    fn read_entries(&mut self) -> Result<()> {
        const NEAR: u32 = 16;
        let mut spans: Vec<[u32; 2]> = vec![];
        for &index in self.events.keys() {
            match spans.last_mut().filter(|[_, last]| index - *last <= NEAR) {
                Some([_, last]) => *last = index,
                None => spans.push([index; 2]),
            }
        }
        for [first, last] in spans {
            let entries = &mut self.table[entry(first)..entry(last + 1)];
            self.queue.read(self.device, self.program, TABLE + entry(first), entries)?;
        }
        Ok(())
    }

    /// Frees what nobody refers to any more.
    fn free_events(&mut self) {
        let table = &self.table;
        let unused = |index: u32, event: &Event| event.users == 0 && word(table, entry(index) + ENTRY_REFERENCES) == 0;
        let freed: Vec<u32> = self.events.iter().filter(|(i, e)| unused(**i, e)).map(|(&index, _)| index).collect();
        for index in &freed {
            self.events.remove(index);
        }
        self.free.put_back(freed);
    }

    /// Writes what has changed of the list of free events, and an empty queue's header.
    fn give_free(&mut self) -> Result<()> {
        for change in self.free.changes() {
            let place = FREE_LIST + 4 * change.start;
            self.queue.write_words(self.device, self.program, place, &self.free.list[change])?;
        }
        self.queue.write_header(self.device, self.program, self.free.list.len() as u32)
    }

    /// Leaves the queue as [`prepare`] does. Events that kernels have not released are gone.
    fn restore(&mut self) -> Result<()> {
        for &index in self.events.keys() {
            self.queue.clear(self.device, self.program, TABLE + entry(index), ENTRY_BYTES)?;
        }
        let whole = self.free.list.len() == EVENTS as usize;
        self.free.list = (0..EVENTS).collect();
        if whole && self.free.list == self.free.on_device { Ok(()) } else { self.give_free() }
    }

    /// The same after an error: takes away what the kernel that ran last has left.
    fn recover(&mut self) -> Result<()> {
        let mut header = [0; HEADER_BYTES];
        self.queue.read(self.device, self.program, 0, &mut header)?;
        let used = usize::try_from(wide(&header, 0)).unwrap_or(usize::MAX).min(RECORD_BYTES);
        self.take_events(wide(&header, 8));
        self.queue.clear(self.device, self.program, RECORDS, used)?;
        self.restore()?;
        self.queue.write_header(self.device, self.program, EVENTS)
    }

    /// Ends a launch with an error. Where the queue cannot be put in order, no events to take tell the next start to make it ready.
    fn give_up(&mut self, error: &Error) {
        // a kernel that was not done in time may still run
        let lost = self.damaged || error.status == Status::Timeout;
        if lost || self.recover().is_err() {
            let _ = self.queue.write_words(self.device, self.program, HEADER_FREE, &[0]);
        }
    }

    /// Writes the times of a command to where a kernel wants them.
    fn write_times(&mut self, address: u64, times: &[u8]) -> Result<()> {
        let offset = address.checked_sub(self.program.address).and_then(|offset| usize::try_from(offset).ok());
        let inside = offset.filter(|offset| self.program.check(*offset, times.len()).is_ok());
        let result = match inside {
            Some(offset) => put(self.device, self.program, offset, times),
            None => self.device.write(&Buffer { address, size: times.len(), handle: 0 }, 0, times),
        };
        result.map_err(|_| {
            let what = format!(
                "profiling information is wanted at {address:#x}, which is in no buffer (on a card only program-scope variables can hold it)"
            );
            Error::new(Status::KernelFailed, what)
        })
    }

    /// The command of an event is complete.
    fn finish_event(&mut self, event: u32, failed: Option<i32>, [begin, end]: [Duration; 2]) -> Result<()> {
        let Some(state) = self.events.get_mut(&event) else { return Ok(()) };
        state.users -= 1;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).to_le_bytes();
        let times = [nanoseconds(end - begin), nanoseconds(self.start.elapsed().saturating_sub(begin))].concat();
        let bytes = &mut self.table[entry(event)..][..ENTRY_BYTES];
        bytes[ENTRY_STATUS..][..4].copy_from_slice(&failed.unwrap_or(0).to_le_bytes());
        bytes[ENTRY_TIMES..].copy_from_slice(&times);
        let address = wide(bytes, ENTRY_PROFILING);
        self.queue.write(self.device, self.program, TABLE + entry(event), bytes)?;
        if address != 0 {
            self.write_times(address, &times)?;
        }
        self.complete_event(event, failed.unwrap_or(0));
        Ok(())
    }

    /// A command has run: it is complete if nothing that it has enqueued is open, and then perhaps its parent is, too.
    fn end_command(&mut self, mut number: Number) -> Result<()> {
        loop {
            let Some(command) = self.commands.get_mut(&number) else { return Ok(()) };
            command.open -= 1;
            if command.open > 0 {
                return Ok(());
            }
            let Some(command) = self.commands.remove(&number) else { return Ok(()) };
            if let Some(event) = command.event {
                self.finish_event(event, command.failed, command.times)?;
            }
            if number == ROOT {
                return Ok(());
            }
            if let (Some(status), Some(parent)) = (command.failed, self.commands.get_mut(&command.parent)) {
                parent.failed = Some(status);
            }
            number = command.parent;
        }
    }

    /// Runs a command whose turn it is.
    fn run_command(&mut self, number: Number) -> Result<()> {
        let begin = self.start.elapsed();
        let Some(command) = self.commands.get_mut(&number) else { return Ok(()) };
        command.times = [begin; 2];
        let (site, failed, record) = (command.site, command.failed, std::mem::take(&mut command.record));
        if let Some(status) = failed {
            let queue = self.queue;
            self.problem.get_or_insert_with(|| {
                let what = queue.describe(site);
                format!("{what}, was not run: an event that it waits for has the status {status}")
            });
            return self.end_command(number);
        }
        if let Some(block) = self.queue.sites[site].block {
            self.launch_block(block, &record).map_err(|error| {
                let what = format!("{}\n{}", error.message.trim_end(), self.queue.describe(site));
                Error::new(error.status, what)
            })?;
            let now = self.start.elapsed();
            if let Some(command) = self.commands.get_mut(&number) {
                command.times[1] = now;
            }
            self.harvest(number)?;
        }
        self.end_command(number)
    }

    /// Launches a block and waits for its end.
    fn launch_block(&mut self, block: &'static Block, record: &[u8]) -> Result<()> {
        let mut registers = vec![0; block.kernel.words];
        self.put_arguments(block, record, &mut registers)?;
        let dims = word(record, RECORD_WORK_DIM);
        let sizes = |at: usize, unused: u32| {
            std::array::from_fn(|d| if d < dims as usize { word(record, at + 4 * d) } else { unused })
        };
        let global: [u32; 3] = sizes(RECORD_GLOBAL, 1);
        let local = Some(sizes(RECORD_LOCAL, 1)).filter(|sizes| sizes[0] > 0);
        let range = NdRange { global: global.map(u64::from), local, offset: sizes(RECORD_OFFSET, 0) };
        clhls::start(&mut Ranged { device: self.device, dims }, block.kernel, &mut registers, &range)?;
        let left = self.deadline.map(|(start, limit)| limit.saturating_sub(start.elapsed()).max(Duration::from_millis(1)));
        let counters = clhls::wait(self.device, block.kernel, left)?;
        let all = &mut self.counters;
        all.cycles += counters.cycles;
        all.work_items += counters.work_items;
        all.read_beats += counters.read_beats;
        all.write_beats += counters.write_beats;
        Ok(())
    }

    /// Puts the block's data and its other arguments into its registers.
    fn put_arguments(&self, block: &Block, record: &[u8], registers: &mut [u32]) -> Result<()> {
        let places = Places::of(Some(block));
        let fail = |status, what: String| Err(Error::new(status, format!("{}: {what}", block.kernel.name)));
        let (mut local, mut at) = (RECORD_FIXED, places.captured);
        clhls::put_bytes(registers, 0, &record[places.data..][..block.data]);
        for arg in block.args {
            let descriptor = &record[at..][..arg.descriptor_bytes()];
            at += descriptor.len();
            match *arg {
                BlockArg::Local(name, most) => {
                    let size = word(record, local);
                    local += 4;
                    if size > most {
                        let what = format!("{name}: at most {most} bytes of local memory, not {size}");
                        return fail(Status::InvalidArgSize, what);
                    }
                }
                BlockArg::Image(name, first, only) => {
                    clhls::put_bytes(registers, first, descriptor);
                    let given = [word(descriptor, 32), word(descriptor, 36)];
                    if let Some([order, data_type]) = only.filter(|only| *only != given) {
                        let what = format!(
                            "{name}: built for images of channel order {order:#x} and data type {data_type:#x}, not {:#x} and {:#x}",
                            given[0], given[1]
                        );
                        return fail(Status::InvalidValue, what);
                    }
                }
                BlockArg::Pipe(name, first, packet) => {
                    clhls::put_bytes(registers, first, descriptor);
                    let given = word(descriptor, 12);
                    if let Some(bytes) = packet.filter(|bytes| *bytes != given) {
                        let what = format!("{name}: a pipe with packets of {bytes} bytes is expected, not of {given}");
                        return fail(Status::InvalidValue, what);
                    }
                }
            }
        }
        if let Some(first) = block.program {
            clhls::put_bytes(registers, first, &self.program.address.to_le_bytes());
        }
        Ok(())
    }

    /// Nothing is left to run: everything must be complete, and well.
    fn check_all_done(self) -> Result<Counters> {
        let mut waiting = self.commands.values().filter(|command| command.waits > 0);
        if let Some(first) = waiting.next() {
            let more = match waiting.count() {
                0 => String::new(),
                n => format!(" ({n} more wait)"),
            };
            let what = self.queue.describe(first.site);
            return Err(Error::new(Status::KernelFailed, format!("{what}, waits for an event that nobody completes{more}")));
        }
        self.problem.map_or(Ok(self.counters), |problem| Err(Error::new(Status::KernelFailed, problem)))
    }
}

/// Where the entry of an event begins in the table.
fn entry(index: u32) -> usize {
    index as usize * ENTRY_BYTES
}

/// Where in a record the block's data, the descriptors of what it has captured, and the events that are waited for begin.
struct Places {
    data: usize,
    captured: usize,
    waits: usize,
}

impl Places {
    fn of(block: Option<&Block>) -> Places {
        let args = block.map_or(&[][..], |block| block.args);
        let locals = args.iter().filter(|arg| matches!(arg, BlockArg::Local(..))).count();
        let descriptors: usize = args.iter().map(BlockArg::descriptor_bytes).sum();
        let data = (RECORD_FIXED + 4 * locals).next_multiple_of(8);
        let captured = (data + block.map_or(0, |block| block.data)).next_multiple_of(8);
        Places { data, captured, waits: captured + descriptors }
    }
}

impl BlockArg {
    fn descriptor_bytes(&self) -> usize {
        match self {
            BlockArg::Local(..) => 0,
            BlockArg::Image(..) => IMAGE_BYTES,
            BlockArg::Pipe(..) => PIPE_BYTES,
        }
    }

    /// Whether the bytes of a captured image or pipe can be one: its format's numbers, or its packets.
    fn is_descriptor(&self, bytes: &[u8]) -> bool {
        match self {
            BlockArg::Local(..) => true,
            BlockArg::Image(..) => word(bytes, 32) >> 8 == 0x10 && word(bytes, 36) >> 8 == 0x10,
            BlockArg::Pipe(..) => (1..1 << 30).contains(&word(bytes, 8)) && (1..=1 << 16).contains(&word(bytes, 12)),
        }
    }
}

/// A device that says how many dimensions a range has when it is started: [`clhls::start`] takes the last one that has more than one
/// work-item, a kernel is told all that the block's range has.
struct Ranged<'a> {
    device: &'a mut dyn Device,
    dims: u32,
}

impl Device for Ranged<'_> {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        let mut words = words.to_vec();
        if offset == REGISTER_ARGS {
            words[kernel.hidden] = self.dims;
        }
        self.device.write_registers(kernel, offset, &words)
    }
    fn read_registers(&mut self, kernel: &Kernel, offset: u32, words: &mut [u32]) -> Result<()> {
        self.device.read_registers(kernel, offset, words)
    }
    fn allocate(&mut self, kernel: &Kernel, arg: u32, size: usize) -> Result<Buffer> {
        self.device.allocate(kernel, arg, size)
    }
    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()> {
        self.device.write(buffer, offset, data)
    }
    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
        self.device.read(buffer, offset, data)
    }
    fn free(&mut self, buffer: Buffer) {
        self.device.free(buffer);
    }
}
