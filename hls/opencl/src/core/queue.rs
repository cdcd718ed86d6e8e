//! Command-queues: a thread each, which runs commands when what they wait for is over.

use super::context::Context;
use super::device::Device;
use super::event::Event;
use super::object::{Header, object};
use super::{Status, lock};
use crate::sys::constants::*;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What a command does; it gives an error code if that fails.
pub type Work = Box<dyn FnOnce(&Event) -> Status + Send>;

struct Command {
    event: Arc<Event>,
    /// An error of one of these is an error of the command.
    wait: Vec<Arc<Event>>,
    /// These must be over, however they ended.
    after: Vec<Arc<Event>>,
    /// It may wait for other commands of the queue.
    beside: bool,
    work: Work,
}

impl Command {
    fn is_ready(&self) -> bool {
        self.wait.iter().chain(&self.after).all(|event| event.is_over())
    }
}

#[derive(Default)]
struct State {
    pending: VecDeque<Command>,
    /// Events of all commands that are not over.
    active: Vec<Arc<Event>>,
    /// Commands that come later begin when it is over.
    barrier: Option<Arc<Event>>,
    started: bool,
    closed: bool,
}

/// What the queue and its thread share.
pub struct Wake {
    state: Mutex<State>,
    changed: Condvar,
    in_order: bool,
}

impl std::fmt::Debug for Wake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wake")
    }
}

impl Wake {
    /// Looks for commands that have become ready.
    pub fn wake(&self) {
        drop(lock(&self.state));
        self.changed.notify_all();
    }

    /// The next command to run; none when the queue is gone and everything has run.
    fn next(&self) -> Option<Command> {
        let mut state = lock(&self.state);
        loop {
            let candidates = if self.in_order { 1 } else { state.pending.len() };
            let ready = state.pending.iter().take(candidates).position(Command::is_ready);
            if let Some(command) = ready.and_then(|at| state.pending.remove(at)) {
                return Some(command);
            }
            if state.closed && state.pending.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(self: Arc<Self>) {
        while let Some(command) = self.next() {
            if command.beside && !self.in_order {
                self.execute_beside(command);
            } else {
                self.execute(command);
            }
        }
    }

    /// Executes a command on a thread of its own; here, if there can be none.
    fn execute_beside(self: &Arc<Self>, command: Command) {
        let shared = Arc::new(Mutex::new(Some(command)));
        let (wake, there) = (Arc::clone(self), Arc::clone(&shared));
        let work = move || {
            let command = lock(&there).take();
            command.into_iter().for_each(|command| wake.execute(command));
        };
        let thread = std::thread::Builder::new().name("clhls command".into()).spawn(work);
        if thread.is_err() {
            let command = lock(&shared).take();
            command.into_iter().for_each(|command| self.execute(command));
        }
    }

    fn execute(&self, command: Command) {
        let Command { event, wait, work, after, beside: _ } = command;
        drop(after);
        let _ = event.advance(CL_SUBMITTED);
        let failed = wait.iter().any(|event| event.status() < 0);
        drop(wait);
        let result = if failed {
            drop(work);
            Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        } else {
            let _ = event.advance(CL_RUNNING);
            // a panic is a defect of the library, and this command's error
            let work = AssertUnwindSafe(|| work(&event));
            catch_unwind(work).unwrap_or(Err(CL_OUT_OF_RESOURCES))
        };
        let _ = event.advance(result.err().unwrap_or(CL_COMPLETE));
        let mut state = lock(&self.state);
        state.active.retain(|active| !Arc::ptr_eq(active, &event));
        let barrier = state.barrier.take_if(|barrier| Arc::ptr_eq(barrier, &event));
        drop(state);
        // not while the queue is locked: these may be the last references to it
        drop((barrier, event));
    }
}

/// A command-queue.
#[derive(Debug)]
#[repr(C)]
pub struct Queue {
    header: Header,
    /// The context.
    pub context: Arc<Context>,
    /// The device.
    pub device: Arc<Device>,
    /// `CL_QUEUE_PROPERTIES`
    pub properties: u64,
    /// Properties as given, with the final zero; none if there was no list.
    pub property_list: Option<Vec<u64>>,
    /// A queue of the device, for kernels only.
    pub on_device: Option<OnDevice>,
    wake: Arc<Wake>,
}

/// What a queue on the device is to kernels. All of them share the memory of their program's queue (docs/device-enqueue.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnDevice {
    /// `CL_QUEUE_SIZE`
    pub size: u32,
    /// Its number, the value of a `queue_t`; not 0.
    pub number: u32,
}

impl OnDevice {
    /// A queue of a size.
    pub fn new(size: u32) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // 0 is no queue; numbers that are used again are told apart by nobody
        OnDevice { size, number: number.max(1) }
    }
}

object!(Queue, CL_INVALID_COMMAND_QUEUE);

/// What a new command of a queue waits for beside its wait list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What the queue's order asks for.
    Plain,
    /// As `Plain`, but a queue out of order goes on with other commands meanwhile, for which this one may wait.
    Beside,
    /// All commands before.
    AfterAll,
    /// As `Plain`, and commands that come later wait for it.
    Barrier,
    /// All commands before; those that come later wait for it.
    FullBarrier,
}

impl Queue {
    /// A queue.
    pub fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: u64,
        property_list: Option<Vec<u64>>,
        on_device: Option<OnDevice>,
    ) -> Self {
        let in_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let wake = Wake { state: Mutex::default(), changed: Condvar::new(), in_order };
        let wake = Arc::new(wake);
        let header = Header::new();
        Queue { header, context, device, properties, property_list, on_device, wake }
    }

    /// Puts a command into the queue and gives its event.
    ///
    /// # Errors
    /// `CL_INVALID_COMMAND_QUEUE` if it is one of the device, `CL_OUT_OF_HOST_MEMORY` if there can be no thread.
    pub fn enqueue(
        self: &Arc<Self>,
        command: u32,
        wait: Vec<Arc<Event>>,
        order: Order,
        work: Work,
    ) -> Status<Arc<Event>> {
        self.check_host()?;
        let event = Event::of_command(self, command);
        for other in &wait {
            other.add_listener(&self.wake);
        }
        let mut state = lock(&self.wake.state);
        self.start(&mut state)?;
        let mut after: Vec<Arc<Event>> = state.barrier.iter().cloned().collect();
        if matches!(order, Order::AfterAll | Order::FullBarrier) {
            after.extend(state.active.iter().cloned());
        }
        for other in &after {
            other.add_listener(&self.wake);
        }
        if matches!(order, Order::Barrier | Order::FullBarrier) {
            state.barrier = Some(Arc::clone(&event));
        }
        state.active.push(Arc::clone(&event));
        let beside = order == Order::Beside;
        state.pending.push_back(Command { event: Arc::clone(&event), wait, after, beside, work });
        drop(state);
        self.wake.changed.notify_all();
        Ok(event)
    }

    /// Refuses what only queues of the host can do.
    ///
    /// # Errors
    /// `CL_INVALID_COMMAND_QUEUE`
    pub fn check_host(&self) -> Status {
        if self.on_device.is_none() { Ok(()) } else { Err(CL_INVALID_COMMAND_QUEUE) }
    }

    fn start(&self, state: &mut State) -> Status {
        if state.started {
            return Ok(());
        }
        let wake = Arc::clone(&self.wake);
        let thread = std::thread::Builder::new().name("clhls queue".into()).spawn(|| wake.run());
        state.started = thread.is_ok();
        thread.map(drop).map_err(|_| CL_OUT_OF_HOST_MEMORY)
    }

    /// Waits until all commands that are in the queue now are over.
    pub fn finish(&self) {
        let active = lock(&self.wake.state).active.clone();
        for event in active {
            // its error is no error of those who only wait for its end
            let _ = event.wait();
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        lock(&self.wake.state).closed = true;
        self.wake.changed.notify_all();
    }
}
