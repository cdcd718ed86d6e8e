//! Launches that run at the same time, and whether they all hang at pipes.
//!
//! Generated code calls [`refused`] now and then while a work-item only repeats what a pipe refuses. A launch is told to end when all
//! threads that run work-groups have been refused as often as allowed, twice, and no pipe has changed meanwhile.

use crate::context::Context;
use abi::pipe::place;
use interp::{Argument, PipeNote};
use ir::{KernelArg, KernelArgKind};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Attempts between two calls of [`refused`], minus 1: a mask.
pub(crate) const BETWEEN: u64 = 1023;

/// Launches that run at the same time.
#[derive(Debug, Default)]
pub struct Company {
    /// Attempts at pipes that a work-item may make without doing anything else; 0: no limit.
    most_polls: u64,
    notes: Vec<PipeNote>,
    /// Addresses of the objects of their pipes.
    pipes: Mutex<Vec<u64>>,
    /// Threads that run work-groups, by their numbers.
    threads: Mutex<BTreeMap<usize, Thread>>,
    next_thread: AtomicUsize,
    /// Which launches have ended.
    ended: Mutex<Vec<bool>>,
    /// Something went wrong: all are to end.
    stop: AtomicBool,
    /// The launch in which it did, plus 1.
    at_fault: AtomicUsize,
}

/// A thread that runs work-groups.
#[derive(Clone, Copy, Debug)]
struct Thread {
    launch: usize,
    /// How often it was refused as often as allowed.
    times: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Company {
    /// Of so many launches. `notes`: what messages say of their pipes.
    pub fn new(launches: usize, most_polls: u64, notes: Vec<PipeNote>) -> Self {
        Company {
            most_polls,
            notes,
            ended: Mutex::new(vec![false; launches]),
            ..Company::default()
        }
    }

    /// Attempts at pipes that a work-item may make without doing anything else; 0: no limit.
    pub(crate) fn most_polls(&self) -> u64 {
        self.most_polls
    }

    /// The launch in which something went wrong first.
    pub(crate) fn at_fault(&self) -> Option<usize> {
        self.at_fault.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Launch `number` has ended, well or not; the others end too if it has not.
    pub(crate) fn end(&self, number: usize, well: bool) {
        if let Some(ended) = lock(&self.ended).get_mut(number) {
            *ended = true;
        }
        if !well {
            let relaxed = Ordering::Relaxed;
            // The first one stays.
            let _ = self.at_fault.compare_exchange(0, number + 1, relaxed, relaxed);
            self.stop.store(true, relaxed);
        }
    }

    /// Sentences about a pipe of a launch.
    pub(crate) fn notes(&self, launch: usize, arg: u32) -> impl Iterator<Item = String> {
        let states: Vec<String> = (0..)
            .zip(lock(&self.ended).iter())
            .map(|(k, ended)| match (ended, k == launch) {
                (true, _) => "is done".to_owned(),
                (false, true) => "waits here".to_owned(),
                (false, false) => "waits too".to_owned(),
            })
            .collect();
        let own = self.notes.iter().filter(move |n| n.launch == launch && n.arg == arg);
        own.map(move |n| n.with_state(&states))
    }

    /// A launch has begun: its pipes.
    pub(crate) fn add_pipes(&self, infos: &[KernelArg], args: &[Argument]) {
        let is_pipe = |k: &usize| matches!(infos[*k].kind, KernelArgKind::Pipe(_));
        let pipe = |k: usize| Some(interp::polls::descriptor(args, k as u32)?.address);
        let mut pipes = lock(&self.pipes);
        for address in (0..infos.len()).filter(is_pipe).filter_map(pipe) {
            if !pipes.contains(&address) {
                pipes.push(address);
            }
        }
    }

    /// What is behind all pipes: changes whenever a packet is taken or made.
    fn state(&self) -> Vec<u32> {
        let words = |pipe: u64| {
            let sides = [place::WRITERS, place::READERS];
            let words = sides.map(|s| [s + place::NEXT, s + place::DONE, s + place::MARKS]);
            words.into_iter().flatten().map(move |word| {
                let word = (pipe + u64::from(word)) as *const AtomicU32;
                // SAFETY: an object of a launch under way, aligned; kernels access its words by atomic operations only.
                unsafe { (*word).load(Ordering::Relaxed) }
            })
        };
        lock(&self.pipes).iter().flat_map(|pipe| words(*pipe)).collect()
    }
}

/// A thread that runs work-groups of a launch.
#[derive(Debug)]
pub(crate) struct Watcher<'a> {
    company: &'a Company,
    number: usize,
    /// What was behind the pipes when it was refused as often as allowed, and the threads then.
    seen: Option<(Vec<u32>, BTreeMap<usize, Thread>)>,
}

impl<'a> Watcher<'a> {
    /// A thread that begins with work-groups of launch `launch`.
    pub(crate) fn new(company: &'a Company, launch: usize) -> Self {
        let number = company.next_thread.fetch_add(1, Ordering::Relaxed);
        lock(&company.threads).insert(number, Thread { launch, times: 0 });
        Watcher { company, number, seen: None }
    }

    /// A work-item was refused as often as allowed: whether it may go on.
    fn limit(&mut self) -> bool {
        let mut threads = lock(&self.company.threads);
        if let Some(own) = threads.get_mut(&self.number) {
            own.times += 1;
        }
        let state = self.company.state();
        let Some((_, before)) = self.seen.as_mut().filter(|(before, _)| *before == state) else {
            self.seen = Some((state, threads.clone()));
            return true;
        };
        // A launch without threads begins, or is about to begin more of them.
        let ended = lock(&self.company.ended);
        let begins = |k: usize| !ended[k] && threads.values().all(|t| t.launch != k);
        let does = |(number, now): (&usize, &Thread)| {
            now.times < before.entry(*number).or_insert(*now).times + 2
        };
        (0..ended.len()).any(begins) || threads.iter().any(does)
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        lock(&self.company.threads).remove(&self.number);
    }
}

/// Called by generated code: a work-item was refused once more; whether it may go on.
///
/// # Safety
/// The context is the one that the code was called with.
pub(crate) unsafe extern "C" fn refused(context: *mut Context) -> u8 {
    // SAFETY: as above; the thread's watcher lives as long as its context, and only this thread uses both.
    let (context, watcher) =
        unsafe { (&mut *context, &mut *(*context).watcher.cast::<Watcher<'_>>()) };
    std::thread::yield_now();
    let mut on = !watcher.company.stop.load(Ordering::Relaxed);
    if on && context.polls == 0 && context.most_polls != 0 {
        on = watcher.limit();
        context.polls = context.most_polls;
    }
    on.into()
}
