//! Events: the state of commands, and of what the program that uses the API does itself.

use super::context::Context;
use super::object::{Header, handle_of, object};
use super::queue::{Queue, Wake};
use super::{Status, lock};
use crate::sys::callback::{Callback, OfEvent};
use crate::sys::constants::*;
use host::HardwareStats;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

/// Nanoseconds since the library was first used: the clock of devices and host.
pub fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

/// When a command reached its states, in nanoseconds of [`now`]; 0: not yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Put into the queue.
    pub queued: u64,
    /// Handed to the device.
    pub submitted: u64,
    /// Began.
    pub started: u64,
    /// Ended.
    pub ended: u64,
    /// What it enqueued on the device has ended, too.
    pub completed: u64,
}

#[derive(Debug, Default)]
struct State {
    times: Times,
    hardware: Option<HardwareStats>,
    enqueued_ns: u64,
    callbacks: Vec<(i32, Callback<OfEvent>)>,
    listeners: Vec<Weak<Wake>>,
}

/// An event.
#[derive(Debug)]
#[repr(C)]
pub struct Event {
    header: Header,
    /// The context.
    pub context: Arc<Context>,
    /// The queue of the command; none for user events.
    pub queue: Option<Arc<Queue>>,
    /// `CL_COMMAND_...`
    pub command: u32,
    /// `CL_QUEUED` 3, `CL_SUBMITTED` 2, `CL_RUNNING` 1, `CL_COMPLETE` 0, or an error.
    status: AtomicI32,
    state: Mutex<State>,
    changed: Condvar,
}

object!(Event, CL_INVALID_EVENT);

impl Event {
    /// The event of a command that is put into a queue.
    pub fn of_command(queue: &Arc<Queue>, command: u32) -> Arc<Self> {
        let times = Times { queued: now(), ..Times::default() };
        let context = Arc::clone(&queue.context);
        Arc::new(Self::new(context, Some(Arc::clone(queue)), command, CL_QUEUED, times))
    }

    /// An event that the program that uses the API completes.
    pub fn of_user(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self::new(context, None, CL_COMMAND_USER, CL_SUBMITTED, Times::default()))
    }

    fn new(
        context: Arc<Context>,
        queue: Option<Arc<Queue>>,
        command: u32,
        status: i32,
        times: Times,
    ) -> Self {
        Event {
            header: Header::new(),
            context,
            queue,
            command,
            status: AtomicI32::new(status),
            state: Mutex::new(State { times, ..State::default() }),
            changed: Condvar::new(),
        }
    }

    /// `CL_EVENT_COMMAND_EXECUTION_STATUS`
    pub fn status(&self) -> i32 {
        self.status.load(Ordering::Acquire)
    }

    /// Whether it is over, well or not.
    pub fn is_over(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// When it reached its states.
    pub fn times(&self) -> Times {
        lock(&self.state).times
    }

    /// What the command took in hardware, if it ran there.
    pub fn hardware(&self) -> Option<HardwareStats> {
        lock(&self.state).hardware
    }

    /// Keeps what the command took in hardware.
    pub fn set_hardware(&self, stats: HardwareStats) {
        lock(&self.state).hardware = Some(stats);
    }

    /// Keeps how long kernels took that the command's kernel has enqueued, after its own end.
    pub fn set_enqueued_ns(&self, nanoseconds: u64) {
        lock(&self.state).enqueued_ns = nanoseconds;
    }

    /// Goes on to a later state, and calls those who wait for it. An event that is over stays as it is.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if it is over.
    pub fn advance(&self, status: i32) -> Status {
        let (callbacks, listeners) = {
            let mut state = lock(&self.state);
            if self.is_over() {
                return Err(CL_INVALID_OPERATION);
            }
            let (time, enqueued_ns) = (now(), state.enqueued_ns);
            let times = &mut state.times;
            match status {
                CL_SUBMITTED => times.submitted = time,
                CL_RUNNING => times.started = time,
                _ => {
                    times.completed = time;
                    times.ended = time.saturating_sub(enqueued_ns).max(times.started);
                    for early in [&mut times.submitted, &mut times.started] {
                        *early = if *early == 0 { time } else { *early };
                    }
                }
            }
            self.status.store(status, Ordering::Release);
            let reached: Vec<(i32, Callback<OfEvent>)> =
                state.callbacks.iter().filter(|c| status <= c.0).cloned().collect();
            state.callbacks.retain(|c| status > c.0);
            let over = status <= CL_COMPLETE;
            let listeners = if over { std::mem::take(&mut state.listeners) } else { vec![] };
            (reached, listeners)
        };
        self.changed.notify_all();
        for listener in listeners.iter().filter_map(Weak::upgrade) {
            listener.wake();
        }
        for (state, callback) in callbacks {
            // an error is told to all; others hear of the state that they asked for
            callback.call(handle_of(self), if status < 0 { status } else { state });
        }
        Ok(())
    }

    /// Its command begins now: what it did before was preparation.
    pub fn restart(&self) {
        lock(&self.state).times.started = now();
    }

    /// Waits until it is over.
    ///
    /// # Errors
    /// The error that it ended with.
    pub fn wait(&self) -> Status {
        let mut state = lock(&self.state);
        while !self.is_over() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match self.status() {
            status if status < 0 => Err(status),
            _ => Ok(()),
        }
    }

    /// Has a function called when a state is reached; at once if it is already.
    pub fn add_callback(&self, at: i32, callback: Callback<OfEvent>) {
        {
            let mut state = lock(&self.state);
            if self.status() > at {
                state.callbacks.push((at, callback));
                return;
            }
        }
        let status = self.status();
        callback.call(handle_of(self), if status < 0 { status } else { at });
    }

    /// Has a queue woken when it is over.
    pub fn add_listener(&self, wake: &Arc<Wake>) {
        let mut state = lock(&self.state);
        if !self.is_over() {
            state.listeners.push(Arc::downgrade(wake));
        }
    }
}

/// Waits for all of them.
///
/// # Errors
/// `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST` if one ended with an error.
pub fn wait_all(events: &[Arc<Event>]) -> Status {
    let failed = events.iter().filter(|event| event.wait().is_err()).count();
    if failed == 0 { Ok(()) } else { Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) }
}
