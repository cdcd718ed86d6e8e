//! Kernels that run at the same time, joined by pipes: their models take turns, a cycle each, and packets go from one to the
//! next between the turns.

use crate::device::{Prepared, check_work_items, model_error, registers, streams};
use crate::launch::{Limits, Outcome, Silence, Started, channels, complete, explain, start};
use crate::pipes;
use crate::report::Context;
use crate::waits::{DONE, Peer};
use abi::{Kernel, Link, LinkEnd};
use host::{Error, LaunchStats};
use verilator_sys::{Model, Region, RunEnd, Session};

/// Packets between the writing and the reading end: what a register slice between two kernels holds. With one less, a packet
/// could not pass every cycle.
const BETWEEN: usize = 2;
/// Cycles between two looks at whether anything moves.
pub(crate) const LOOK: u64 = 1024;

/// What the kernels have in common.
pub(crate) struct Board<'a, 'r> {
    pub links: &'a [Link],
    pub regions: &'a mut [Region<'r>],
    pub limits: Limits,
    pub program_base: u64,
}

/// A pipe between two of the kernels: their numbers in a list and those of their streams.
pub(crate) struct Joint {
    pub writer: (usize, usize),
    pub reader: (usize, usize),
    /// A packet on its way, and whether it is there.
    packet: Vec<u8>,
    full: bool,
}

/// Runs the launches, each on its model, until all are done.
pub(crate) fn run(
    mut board: Board<'_, '_>,
    launches: &[Prepared],
    mut models: Vec<Model>,
) -> Result<Vec<LaunchStats>, Error> {
    let kernels: Vec<&Kernel> = launches.iter().map(|l| &l.kernel).collect();
    let mut joints = joints(board.links, &kernels);
    let mut in_memory = vec![];
    for (k, (launch, model)) in launches.iter().zip(&mut models).enumerate() {
        let joined = |index| is_joined(&joints, (k, index));
        pipes::fill(model, &launch.kernel, &launch.args, board.regions, joined);
        in_memory.push(pipes::watch(model, &launch.kernel, &launch.args, board.regions));
        joints.iter().for_each(|joint| joint.open(k, model));
    }
    let outcomes = run_models(&mut board, launches, &mut models, &mut joints)?;
    for (k, (launch, model)) in launches.iter().zip(&models).enumerate() {
        let joined = |index| is_joined(&joints, (k, index));
        pipes::take(model, &launch.kernel, &launch.args, board.regions, joined);
    }
    let (mut all, mut errors) = (vec![], vec![]);
    // Who was still on its way when another went wrong did nothing wrong.
    let wrong = outcomes.iter().any(|o| !matches!(o, Outcome::Done(_) | Outcome::Limit));
    let done: Vec<bool> = outcomes.iter().map(Outcome::is_done).collect();
    for (k, ((launch, model), outcome)) in launches.iter().zip(&models).zip(outcomes).enumerate() {
        let (kernel, regions) = (&launch.kernel, &*board.regions);
        let peer = |index| {
            let (other, index) = joints.iter().find_map(|j| j.other_end(k, index))?;
            let (kernel, model) = (&launches[other].kernel, &models[other]);
            Some(Peer { kernel, model, index, idle: done[other].then_some(DONE) })
        };
        let context = Context {
            kernel,
            regions,
            arguments: &launch.names,
            args: &launch.args,
            in_memory: &in_memory[k],
            peers: &peer,
        };
        match outcome {
            Outcome::Done(stats) => {
                check_work_items(&context, &launch.range, &stats)?;
                all.push(stats);
            }
            Outcome::Limit if wrong => {}
            outcome => errors.push(explain(&outcome, &context, model, board.limits)),
        }
    }
    match errors.first() {
        None => Ok(all),
        Some(first) => {
            let texts: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
            Err(Error::new(first.kind, texts.join("\n")))
        }
    }
}

/// The pipes between kernels of a list.
pub(crate) fn joints(links: &[Link], kernels: &[&Kernel]) -> Vec<Joint> {
    let place = |end: &LinkEnd| {
        let number = kernels.iter().position(|k| k.signature.name == end.kernel)?;
        let index = streams(kernels[number]).position(|(arg, _)| arg.index == end.arg)?;
        let (_, stream) = streams(kernels[number]).nth(index)?;
        Some(((number, index), stream.data_bits as usize / 8))
    };
    let joint = |link: &Link| {
        let ((writer, bytes), (reader, _)) = (place(&link.writer)?, place(&link.reader)?);
        Some(Joint { writer, reader, packet: vec![0; bytes], full: false })
    };
    links.iter().filter_map(joint).collect()
}

/// Whether a stream, by the number of its kernel and its own, leads to another kernel.
pub(crate) fn is_joined(joints: &[Joint], stream: (usize, usize)) -> bool {
    joints.iter().any(|joint| joint.writer == stream || joint.reader == stream)
}

/// Starts all, and runs them until all are done or one cannot go on. Outcomes of those that were not done then: a fault or a hang
/// comes first.
fn run_models(
    board: &mut Board<'_, '_>,
    launches: &[Prepared],
    models: &mut [Model],
    joints: &mut [Joint],
) -> Result<Vec<Outcome>, Error> {
    let mut sessions =
        Model::all_sessions(models.iter_mut().collect(), board.regions).map_err(model_error)?;
    let mut running: Vec<Running> = vec![];
    for (launch, session) in launches.iter().zip(&mut sessions) {
        let block = registers(&launch.raw(), board.program_base);
        running.push(match start(session, &block)? {
            Ok(started) => Running::Started(started),
            Err(outcome) => Running::Ended(outcome),
        });
    }
    let (mut cycles, mut polls) = (0, Polls::default());
    while running.iter().any(|r| matches!(r, Running::Started(_))) {
        for ((session, state), launch) in sessions.iter_mut().zip(&mut running).zip(launches) {
            let end = session.step().map_err(model_error)?;
            let Running::Started(started) = state else { continue };
            if end != RunEnd::Limit {
                *state = Running::Ended(complete(session, &launch.kernel, started, end)?);
            }
        }
        joints.iter_mut().for_each(|joint| joint.pass(&mut sessions, |k| k));
        cycles += 1;
        let failed = running.iter().any(|r| matches!(r, Running::Ended(o) if !o.is_done()));
        if failed || cycles >= board.limits.max_cycles {
            break;
        }
        let runs = |k: usize| matches!(running[k], Running::Started(_));
        if cycles % LOOK == 0 && polls.all_hang(&mut sessions, &runs, board.limits)? {
            for ((session, state), launch) in sessions.iter_mut().zip(&mut running).zip(launches) {
                if matches!(state, Running::Started(_)) {
                    *state = Running::Ended(hung(session, &launch.kernel)?);
                }
            }
        }
    }
    for (session, launch) in sessions.iter_mut().zip(launches) {
        pipes::drain(session, &launch.kernel)?;
    }
    Ok(running.into_iter().map(Running::outcome).collect())
}

/// A launch on its way.
enum Running {
    Started(Started),
    Ended(Outcome),
}

impl Running {
    fn outcome(self) -> Outcome {
        match self {
            Running::Started(_) => Outcome::Limit,
            Running::Ended(outcome) => outcome,
        }
    }
}

impl Joint {
    /// What stands at the streams of kernel `k`, when its model is new.
    pub fn open(&self, k: usize, model: &mut Model) {
        if self.writer.0 == k {
            model.put_stream(self.writer.1, &[], BETWEEN * self.packet.len());
        }
        if self.reader.0 == k {
            model.put_stream(self.reader.1, &[], 0);
        }
    }

    /// Whether it is at a kernel.
    pub fn is_at(&self, k: usize) -> bool {
        self.writer.0 == k || self.reader.0 == k
    }

    /// The kernel and the stream at the other end of what is stream `index` of kernel `k`.
    pub fn other_end(&self, k: usize, index: usize) -> Option<(usize, usize)> {
        match (k, index) {
            here if here == self.writer => Some(self.reader),
            here if here == self.reader => Some(self.writer),
            _ => None,
        }
    }

    /// Forgets the packet on its way.
    pub fn clear(&mut self) {
        self.full = false;
    }

    /// Lets packets pass; `session` is that of a kernel.
    pub fn pass(&mut self, sessions: &mut [Session<'_>], session: impl Fn(usize) -> usize) {
        let ((from, out), (to, into)) = (self.writer, self.reader);
        let (from, to) = (session(from), session(to));
        loop {
            self.full = self.full || sessions[from].pop_stream(out, &mut self.packet);
            if !self.full || !sessions[to].push_stream(into, &self.packet, BETWEEN) {
                return;
            }
            self.full = false;
        }
    }
}

/// How a kernel hangs.
pub(crate) fn hung(session: &mut Session<'_>, kernel: &Kernel) -> Result<Outcome, Error> {
    match session.model().polls() {
        0 => channels(session, kernel).map(Outcome::Stuck),
        _ => Ok(Outcome::Polls),
    }
}

/// What is known of kernels that run together and are refused at their pipes.
#[derive(Default)]
pub(crate) struct Polls {
    progress: u64,
    silence: Silence,
}

impl Polls {
    /// Whether all kernels that run hang: nothing moves in them, or they repeat operations on pipes that are refused while none of
    /// the kernels does anything else.
    pub(crate) fn all_hang(
        &mut self,
        sessions: &mut [Session<'_>],
        runs: &dyn Fn(usize) -> bool,
        limits: Limits,
    ) -> Result<bool, Error> {
        // What one has done may be what another waits for.
        let progress = sessions.iter().map(|s| s.model().progress()).sum();
        if std::mem::replace(&mut self.progress, progress) != progress {
            sessions.iter_mut().for_each(Session::forget_polls);
        }
        let mut polls = false;
        for (_, session) in sessions.iter_mut().enumerate().filter(|(k, _)| runs(*k)) {
            if limits.most_polls > 0 && session.model().polls() >= limits.polls() {
                polls = true;
            } else if !session.is_stuck(limits.watchdog).map_err(model_error)? {
                return Ok(false);
            }
        }
        if polls { self.silence.lasts(sessions) } else { Ok(true) }
    }
}
