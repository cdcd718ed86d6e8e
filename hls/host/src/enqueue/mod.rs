//! Kernels that kernels enqueue: launches them when their parent is over (docs/device-enqueue.md).
//!
//! A device that runs a program with a queue gives every launch to [`run_family`], which runs the kernel, reads the
//! records that it has left in the queue (`abi::enqueue`), and launches what they ask for, in their order, as soon as the
//! events that they wait for are complete; what these enqueue comes last. The launch is over when all of them are.

mod events;
mod records;

use crate::{Error, ErrorKind, LaunchStats, NdRange, RawArg, ResolvedRange, check_raw_args};
use abi::enqueue::event::SUBMITTED;
use abi::{EnqueueSite, KernelSignature};
use events::Events;
use records::Record;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Number of the default queue of devices that have no other.
pub const DEFAULT_QUEUE: u32 = 1;

/// What a device does for the kernels that kernels enqueue.
pub trait Parent {
    /// What a kernel takes.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`]
    fn signature(&self, kernel: &str) -> Result<KernelSignature, Error>;

    /// Runs a kernel and waits for its end. Pointers in `args`, and in values, are the device's.
    ///
    /// # Errors
    /// As [`crate::Device::launch`].
    fn launch_child(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error>;

    /// The program's queue.
    ///
    /// # Errors
    /// If the device cannot be reached.
    fn queue(&mut self) -> Result<&mut [u8], Error>;

    /// Writes to device memory of a kernel's buffers.
    ///
    /// # Errors
    /// [`ErrorKind::Execution`] if the kernels have no memory there.
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error>;
}

/// Runs kernels, by `root`, and all that they enqueue. What these did comes beside its result; `default_queue` is what
/// `get_default_queue` gives.
///
/// # Errors
/// Those of `root` and of all launches, with the place that enqueued them; [`ErrorKind::Execution`] if commands wait for
/// events that nobody completes, or if one was not run because of an event with an error.
pub fn run_family<D: Parent, T>(
    device: &mut D,
    sites: &[EnqueueSite],
    default_queue: u32,
    root: impl FnOnce(&mut D) -> Result<T, Error>,
) -> Result<(T, LaunchStats), Error> {
    let events = Events::begin(device.queue()?, default_queue)?;
    let mut scheduler = Scheduler {
        sites,
        events,
        commands: BTreeMap::new(),
        ready: BTreeSet::new(),
        next: ROOT + 1,
        start: Instant::now(),
        stats: LaunchStats::default(),
        problem: None,
    };
    let result = root(device)?;
    let ended = scheduler.start.elapsed();
    scheduler.commands.insert(ROOT, Command::new(None, ROOT));
    scheduler.harvest(device, ROOT)?;
    scheduler.end(device, ROOT)?;
    while let Some(id) = scheduler.ready.pop_first() {
        scheduler.run(device, id)?;
    }
    scheduler.check_all_done()?;
    let mut stats = scheduler.stats;
    let after = scheduler.start.elapsed().saturating_sub(ended);
    if stats.enqueued > 0 {
        stats.enqueued_ns = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
    }
    Ok((result, stats))
}

/// [`run_family`] for one kernel: what it and all others did together.
///
/// # Errors
/// As [`run_family`].
pub fn launch_family<D: Parent>(
    device: &mut D,
    sites: &[EnqueueSite],
    default_queue: u32,
    root: impl FnOnce(&mut D) -> Result<LaunchStats, Error>,
) -> Result<LaunchStats, Error> {
    let (own, children) = run_family(device, sites, default_queue, root)?;
    Ok(own + children)
}

/// Number of the command that the host launched.
const ROOT: u64 = 0;

/// A command of the family.
struct Command {
    /// What the record says; taken when it runs, none for the host's.
    record: Option<Record>,
    site: usize,
    /// The event that it completes.
    event: Option<u32>,
    parent: u64,
    /// Events that are not complete.
    waits: usize,
    /// It and what it has enqueued, as far as that is not complete.
    open: usize,
    /// An error of it, of an event that it waited for, or of what it has enqueued.
    failed: Option<i32>,
    /// When it began and ended, in nanoseconds.
    times: [u64; 2],
}

impl Command {
    fn new(record: Option<Record>, parent: u64) -> Self {
        let site = record.as_ref().map_or(0, |r| r.site);
        let event = record.as_ref().and_then(|r| r.event);
        Command { record, site, event, parent, waits: 0, open: 1, failed: None, times: [0; 2] }
    }
}

struct Scheduler<'a> {
    sites: &'a [EnqueueSite],
    events: Events,
    /// Those that are not complete, by number, in the order of their records.
    commands: BTreeMap<u64, Command>,
    /// Those that wait for nothing.
    ready: BTreeSet<u64>,
    next: u64,
    start: Instant,
    stats: LaunchStats,
    /// Why a command was not run: the first.
    problem: Option<String>,
}

impl Scheduler<'_> {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// A site in words.
    fn describe(&self, site: usize) -> String {
        let Some(site) = self.sites.get(site) else { return "a command".into() };
        let what = match &site.kernel {
            Some(kernel) => format!("kernel `{kernel}`"),
            None => "a marker".to_owned(),
        };
        match site.source.as_str() {
            "" => what,
            place => format!("{what}, enqueued at {place}"),
        }
    }

    /// Takes what a command has left in the queue.
    fn harvest<D: Parent>(&mut self, device: &mut D, parent: u64) -> Result<(), Error> {
        let queue = device.queue()?;
        self.events.take(queue);
        for record in records::take(queue, self.sites)? {
            let id = self.next;
            self.next += 1;
            let mut command = Command::new(Some(record), parent);
            let waits = command.record.as_mut().map(|r| std::mem::take(&mut r.waits));
            for event in waits.unwrap_or_default() {
                match self.events.wait(event, id) {
                    SUBMITTED => command.waits += 1,
                    status if status < 0 => command.failed = Some(status),
                    _ => {}
                }
            }
            if let Some(event) = command.event {
                self.events.attach(event);
            }
            if command.waits == 0 {
                self.ready.insert(id);
            }
            self.commands.insert(id, command);
            if let Some(parent) = self.commands.get_mut(&parent) {
                parent.open += 1;
            }
        }
        for (event, status) in self.events.set_by_kernels(queue) {
            self.complete_event(event, status);
        }
        self.events.free(queue);
        Ok(())
    }

    /// An event is complete: so those who wait for it may be ready.
    fn complete_event(&mut self, event: u32, status: i32) {
        for id in self.events.complete(event, status) {
            let Some(command) = self.commands.get_mut(&id) else { continue };
            command.waits -= 1;
            if status < 0 {
                command.failed = Some(status);
            }
            if command.waits == 0 {
                self.ready.insert(id);
            }
        }
    }

    /// Runs a command whose turn it is.
    fn run<D: Parent>(&mut self, device: &mut D, id: u64) -> Result<(), Error> {
        let begin = self.now();
        let Some(command) = self.commands.get_mut(&id) else { return Ok(()) };
        command.times = [begin; 2];
        let (record, site, failed) = (command.record.take(), command.site, command.failed);
        if let Some(status) = failed {
            let what = self.describe(site);
            self.problem.get_or_insert_with(|| {
                format!("{what}, was not run: an event that it waits for has the status {status}")
            });
            return self.end(device, id);
        }
        let kernel = self.sites.get(site).and_then(|s| s.kernel.clone());
        if let (Some(kernel), Some(record)) = (kernel, record) {
            let stats = launch(device, &kernel, &record).map_err(|e| {
                Error::new(e.kind, format!("{}\n{}", e.message.trim_end(), self.describe(site)))
            })?;
            self.stats = self.stats + stats;
            self.stats.enqueued += 1;
            let now = self.now();
            if let Some(command) = self.commands.get_mut(&id) {
                command.times[1] = now;
            }
            self.harvest(device, id)?;
        }
        self.end(device, id)
    }

    /// A command has run: it is complete if nothing that it has enqueued is open, and then perhaps its parent is, too.
    fn end<D: Parent>(&mut self, device: &mut D, mut id: u64) -> Result<(), Error> {
        loop {
            let Some(command) = self.commands.get_mut(&id) else { return Ok(()) };
            command.open -= 1;
            if command.open > 0 {
                return Ok(());
            }
            let Some(command) = self.commands.remove(&id) else { return Ok(()) };
            if let Some(event) = command.event {
                let [begin, end] = command.times;
                let times = [end - begin, self.now().saturating_sub(begin)];
                let captured = self.events.finish(device.queue()?, event, command.failed, times);
                if let Some((address, times)) = captured {
                    device.write_memory(address, &times)?;
                }
                self.complete_event(event, command.failed.unwrap_or(0));
            }
            if id == ROOT {
                return Ok(());
            }
            if let (Some(status), Some(parent)) =
                (command.failed, self.commands.get_mut(&command.parent))
            {
                parent.failed = Some(status);
            }
            id = command.parent;
        }
    }

    /// Nothing is left to run: everything must be complete, and well.
    fn check_all_done(&self) -> Result<(), Error> {
        let waiting = |c: &&Command| c.waits > 0;
        if let Some(command) = self.commands.values().find(waiting) {
            let count = self.commands.values().filter(waiting).count();
            let more = match count {
                1 => String::new(),
                n => format!(" ({} more wait)", n - 1),
            };
            let what = self.describe(command.site);
            let text = format!("{what}, waits for an event that nobody completes{more}");
            return Err(Error::new(ErrorKind::Execution, text));
        }
        match &self.problem {
            Some(problem) => Err(Error::new(ErrorKind::Execution, problem.clone())),
            None => Ok(()),
        }
    }
}

/// Launches the kernel of a record.
fn launch<D: Parent>(device: &mut D, kernel: &str, record: &Record) -> Result<LaunchStats, Error> {
    let signature = device.signature(kernel)?;
    let dims = record.dims;
    let wide = |sizes: &[u32; 3]| sizes[..dims].iter().map(|n| u64::from(*n)).collect::<Vec<u64>>();
    let local = Some(wide(&record.local)).filter(|sizes| sizes[0] > 0);
    let (global, offset) = (wide(&record.global), Some(wide(&record.offset)));
    let range = NdRange { global, local, offset }.resolve(&signature)?;
    let mut args = vec![RawArg::Value(record.data.clone())];
    args.extend(record.locals.iter().map(|size| RawArg::Local((*size).into())));
    args.extend(record.captured.iter().cloned());
    check_raw_args(&signature, &args)?;
    device.launch_child(kernel, &range, &args)
}

#[cfg(test)]
mod tests;
