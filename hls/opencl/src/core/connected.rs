//! Launches of kernels that pipes connect in a device: they run at the same time, each for a command of its own, and wait for one
//! another where a pipe is empty or full.

use super::lock;
use crate::sys::{UsedMemory, with_regions};
use host::{Error, ErrorKind, LaunchStats, LoadedProgram, Progress, RawArg, ResolvedRange};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What waits for no longer than this is not mentioned.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long those who come are waited for before time goes on.
const TURN: Duration = Duration::from_millis(5);

/// A launch of a kernel that pipes connect with others.
pub struct Launch<'a> {
    /// What it runs on.
    pub program: &'a dyn LoadedProgram,
    /// Name of the kernel.
    pub kernel: &'a str,
    /// Its index space.
    pub range: &'a ResolvedRange,
    /// Its arguments.
    pub args: &'a [RawArg],
    /// Memory that it may access.
    pub memory: &'a [UsedMemory],
}

/// The launches of a program's kernels, those that pipes connect together, by the first of their kernels.
#[derive(Default)]
pub struct Gatherings(Mutex<BTreeMap<String, Arc<Gathering>>>);

impl Gatherings {
    /// The launches of kernels that are connected with a kernel; none if it is connected with no other.
    pub fn of(&self, program: &dyn LoadedProgram, kernel: &str) -> Option<Arc<Gathering>> {
        let first = program.connected(kernel).first()?;
        Some(Arc::clone(lock(&self.0).entry(first.clone()).or_default()))
    }
}

/// Launches of kernels that pipes connect. Each is a call of [`Gathering::run`] on a thread of its own; one of these threads lets
/// time pass for all of them.
#[derive(Default)]
pub struct Gathering {
    state: Mutex<State>,
    changed: Condvar,
    /// Threads that are about to take the lock.
    coming: AtomicUsize,
}

#[derive(Default)]
struct State {
    members: Vec<Member>,
    /// Whether one of the threads lets time pass.
    driven: bool,
}

struct Member {
    kernel: String,
    memory: Vec<UsedMemory>,
    /// What it gave, when it is over.
    result: Option<Result<LaunchStats, Error>>,
}

impl State {
    /// The memory of all that are running.
    fn memory(&self) -> Vec<UsedMemory> {
        let mut all: Vec<UsedMemory> = vec![];
        let running = self.members.iter().filter(|member| member.result.is_none());
        for used in running.flat_map(|member| &member.memory) {
            match all.iter_mut().find(|other| Arc::ptr_eq(&other.memory, &used.memory)) {
                Some(other) => other.unit = other.unit.max(used.unit),
                None => all.push(used.clone()),
            }
        }
        all
    }

    fn runs(&self, kernel: &str) -> bool {
        self.members.iter().any(|member| member.kernel == kernel)
    }

    fn end(&mut self, kernel: &str, result: Result<LaunchStats, Error>) {
        if let Some(member) = self.members.iter_mut().find(|member| member.kernel == kernel) {
            member.result = Some(result);
        }
    }

    /// What a launch gave, if it is over.
    fn take_result(&mut self, kernel: &str) -> Option<Result<LaunchStats, Error>> {
        let over = |member: &Member| member.kernel == kernel && member.result.is_some();
        let at = self.members.iter().position(over)?;
        self.members.remove(at).result
    }
}

impl Gathering {
    /// Runs a launch to its end, beside the others that are running. `tell` is called with what it waits for, if that is long: a
    /// kernel that is not launched.
    ///
    /// # Errors
    /// Those of the launch; also if another one goes wrong.
    pub fn run(&self, launch: &Launch<'_>, tell: &dyn Fn(&str)) -> Result<LaunchStats, Error> {
        let Launch { program, kernel, range, args, memory } = *launch;
        let mut state = self.enter();
        while state.runs(kernel) {
            state = self.wait(state);
        }
        let member = Member { kernel: kernel.into(), memory: memory.to_vec(), result: None };
        state.members.push(member);
        let started = with_regions(&state.memory(), |r| program.start(kernel, range, args, r));
        if let Err(error) = started {
            state.members.retain(|member| member.kernel != kernel);
            self.changed.notify_all();
            return Err(error);
        }
        self.changed.notify_all();
        loop {
            if let Some(result) = state.take_result(kernel) {
                self.changed.notify_all();
                return result;
            }
            state = if state.driven {
                self.wait(state)
            } else {
                state.driven = true;
                let mut state = self.drive(state, launch, tell);
                state.driven = false;
                state
            };
        }
    }

    /// Lets time pass for all until the launch is over.
    fn drive<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        launch: &Launch<'_>,
        tell: &dyn Fn(&str),
    ) -> MutexGuard<'s, State> {
        let Launch { program, kernel, .. } = *launch;
        let mut still: Option<Instant> = None;
        let mut told = false;
        loop {
            match with_regions(&state.memory(), |r| program.advance(kernel, r)) {
                Ok(Progress::Ended(ended)) => {
                    ended.into_iter().for_each(|(kernel, result)| state.end(&kernel, result));
                }
                Ok(Progress::Running) => still = None,
                Ok(Progress::Waiting(why)) => {
                    let since = *still.get_or_insert_with(Instant::now);
                    if since.elapsed() >= PATIENCE && !told {
                        told = true;
                        tell(&why);
                    }
                    state = self.wait_for(state, PATIENCE);
                    continue;
                }
                Err(error) => {
                    let kernels: Vec<String> =
                        state.members.iter().map(|member| member.kernel.clone()).collect();
                    for kernel in kernels {
                        state.end(&kernel, Err(Error::new(ErrorKind::Device, &*error.message)));
                    }
                }
            }
            if state.members.iter().any(|member| member.result.is_some()) {
                self.changed.notify_all();
            }
            let own = state.members.iter().find(|member| member.kernel == kernel);
            if own.is_none_or(|member| member.result.is_some()) {
                return state;
            }
            while self.coming.load(Ordering::Acquire) > 0 {
                state = self.wait_for(state, TURN);
            }
        }
    }

    fn enter(&self) -> MutexGuard<'_, State> {
        self.coming.fetch_add(1, Ordering::AcqRel);
        let state = lock(&self.state);
        self.coming.fetch_sub(1, Ordering::AcqRel);
        state
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'s>(&self, state: MutexGuard<'s, State>, time: Duration) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }
}
