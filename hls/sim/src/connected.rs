//! Kernels that pipes connect, for a host that launches them one by one: those that are running run together, a cycle of each
//! by turns, and packets stay in the pipes between launches.

use crate::device::{Prepared, check_work_items, model_error, registers, streams};
use crate::launch::{Limits, Outcome, Started, complete, explain, start};
use crate::pipes;
use crate::report::Context;
use crate::together::{Joint, LOOK, Polls, hung, is_joined, joints};
use crate::waits::{DONE, NOT_RUNNING, Peer};
use abi::{Arg, Kernel, Link};
use host::{Error, ErrorKind, LaunchStats, Progress};
use verilator_sys::{Model, Region, RunEnd, Session};

/// Cycles after which a host hears of the kernels again.
const SLICE: u64 = 20_000;

/// The kernels that pipes connect with one another.
pub(crate) struct Group {
    members: Vec<Member>,
    joints: Vec<Joint>,
    polls: Polls,
}

struct Member {
    kernel: Kernel,
    model: Model,
    launch: Option<Launch>,
}

/// A launch that is running.
struct Launch {
    prepared: Prepared,
    started: Started,
    /// Pipes in memory, for messages.
    in_memory: Vec<(Arg, u32)>,
    /// The cycle in which it is given up.
    last: u64,
}

/// Why a slice ended.
enum Slice {
    /// Some of those that ran do so no more.
    Outcomes(Vec<(usize, Outcome)>),
    /// Nothing moves, but not all kernels are running.
    Still,
    /// Time is over.
    Over,
}

/// The kernels by components of what pipes connect, each in the order of the kernels; none of those that are alone, but for one that a
/// pipe connects with itself.
pub(crate) fn components(kernels: &[String], links: &[Link]) -> Vec<Vec<String>> {
    let number = |name: &str| kernels.iter().position(|kernel| kernel == name);
    // The least number of a kernel that is known to be connected with each.
    let mut first: Vec<usize> = (0..kernels.len()).collect();
    for link in links {
        let ends = number(&link.writer.kernel).zip(number(&link.reader.kernel));
        let Some((a, b)) = ends.map(|(a, b)| (first[a], first[b])) else { continue };
        first.iter_mut().filter(|k| **k == a.max(b)).for_each(|k| *k = a.min(b));
    }
    let component = |least: usize| -> Vec<String> {
        let all = kernels.iter().zip(&first).filter(|(_, k)| **k == least);
        all.map(|(kernel, _)| kernel.clone()).collect()
    };
    let loops = |kernel: &String| {
        links.iter().any(|link| link.is_of_one_kernel() && link.writer.kernel == *kernel)
    };
    let connected = |all: &Vec<String>| all.len() > 1 || all.iter().any(loops);
    (0..kernels.len()).map(component).filter(connected).collect()
}

impl Group {
    /// Kernels with their models, which are new.
    pub fn new(kernels: Vec<(Kernel, Model)>, links: &[Link]) -> Self {
        let joints = joints(links, &kernels.iter().map(|(kernel, _)| kernel).collect::<Vec<_>>());
        let member = |(k, (kernel, mut model)): (usize, (Kernel, Model))| {
            joints.iter().for_each(|joint| joint.open(k, &mut model));
            Member { kernel, model, launch: None }
        };
        let members = kernels.into_iter().enumerate().map(member).collect();
        Group { members, joints, polls: Polls::default() }
    }

    /// Begins a launch.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`], and those of the hardware.
    pub fn start(
        &mut self,
        prepared: Prepared,
        regions: &mut [Region<'_>],
        limits: Limits,
        program_base: u64,
    ) -> Result<(), Error> {
        let name = prepared.kernel.signature.name.clone();
        let found = self.members.iter().position(|m| m.kernel.signature.name == name);
        let k = found.ok_or_else(|| {
            Error::new(ErrorKind::KernelName, format!("kernel `{name}` is not connected"))
        })?;
        let (member, joints) = (&mut self.members[k], &self.joints);
        if member.launch.is_some() {
            let what = format!("kernel `{name}` is running: it runs once at a time");
            return Err(Error::new(ErrorKind::Execution, what));
        }
        let (kernel, args) = (&prepared.kernel, &prepared.args);
        pipes::fill(&mut member.model, kernel, args, regions, |index| {
            is_joined(joints, (k, index))
        });
        let in_memory = pipes::watch(&mut member.model, kernel, args, regions);
        let block = registers(&prepared.raw(), program_base);
        let mut session = member.model.session(regions).map_err(model_error)?;
        let started = match start(&mut session, &block)? {
            Ok(started) => started,
            Err(_) => {
                let what = format!("kernel `{name}` does not start");
                return Err(Error::new(ErrorKind::Device, what));
            }
        };
        drop(session);
        let last = member.model.cycles().saturating_add(limits.max_cycles);
        member.launch = Some(Launch { prepared, started, in_memory, last });
        Ok(())
    }

    /// Lets all run for a while, or until one of them ends. After an error, and after a launch that has gone wrong, the group is
    /// of no use: nothing of it is running, and its state is unknown.
    ///
    /// # Errors
    /// Those of the simulation.
    pub fn advance(
        &mut self,
        regions: &mut [Region<'_>],
        limits: Limits,
    ) -> Result<Progress, Error> {
        let outcomes = match self.slice(regions, limits)? {
            Slice::Over => return Ok(Progress::Running),
            Slice::Still => return Ok(Progress::Waiting(self.waiting(regions))),
            Slice::Outcomes(outcomes) => outcomes,
        };
        let wrong = outcomes.iter().any(|(_, outcome)| !outcome.is_done());
        let mut ended = vec![];
        for (k, outcome) in &outcomes {
            ended.push((self.name(*k), self.end(*k, outcome, regions, limits)));
        }
        for (k, _) in &outcomes {
            self.members[*k].launch = None;
        }
        if wrong {
            let culprits: Vec<String> = ended.iter().map(|(name, _)| format!("`{name}`")).collect();
            let what = format!("it was ended with {}, which went wrong", culprits.join(", "));
            for k in 0..self.members.len() {
                if self.members[k].launch.take().is_some() {
                    let name = self.name(k);
                    let e = Error::new(ErrorKind::Execution, format!("kernel `{name}`: {what}"));
                    ended.push((name, Err(e)));
                }
            }
        }
        Ok(Progress::Ended(ended))
    }

    /// Whether the last launches went well, so that the models can run others.
    pub fn is_sound(progress: &Result<Progress, Error>) -> bool {
        match progress {
            Ok(Progress::Ended(ended)) => ended.iter().all(|(_, result)| result.is_ok()),
            Ok(_) => true,
            Err(_) => false,
        }
    }

    fn name(&self, k: usize) -> String {
        self.members[k].kernel.signature.name.clone()
    }

    fn slice(&mut self, regions: &mut [Region<'_>], limits: Limits) -> Result<Slice, Error> {
        let mut models = vec![];
        let mut launches = vec![];
        for member in &mut self.members {
            models.push(&mut member.model);
            launches.push((&member.kernel, member.launch.as_ref()));
        }
        let runs = |k: usize| launches[k].1.is_some();
        let mut sessions = Model::all_sessions(models, regions).map_err(model_error)?;
        let mut outcomes = vec![];
        for cycle in 1..=SLICE {
            for (k, (session, (kernel, launch))) in sessions.iter_mut().zip(&launches).enumerate() {
                let end = session.step().map_err(model_error)?;
                let Some(launch) = launch else { continue };
                if end != RunEnd::Limit {
                    outcomes.push((k, complete(session, kernel, &launch.started, end)?));
                } else if session.model().cycles() >= launch.last {
                    outcomes.push((k, Outcome::Limit));
                }
            }
            self.joints.iter_mut().for_each(|joint| joint.pass(&mut sessions, |k| k));
            if !outcomes.is_empty() {
                for (k, _) in outcomes.iter().filter(|(_, outcome)| outcome.is_done()) {
                    drain(launches[*k].0, &self.joints, *k, &mut sessions[*k])?;
                }
                return Ok(Slice::Outcomes(outcomes));
            }
            if cycle % LOOK == 0 && self.polls.all_hang(&mut sessions, &runs, limits)? {
                if !launches.iter().all(|(_, launch)| launch.is_some()) {
                    return Ok(Slice::Still);
                }
                for (k, (session, (kernel, _))) in sessions.iter_mut().zip(&launches).enumerate() {
                    outcomes.push((k, hung(session, kernel)?));
                }
                return Ok(Slice::Outcomes(outcomes));
            }
        }
        Ok(Slice::Over)
    }

    /// What a launch gave that has ended.
    fn end(
        &self,
        k: usize,
        outcome: &Outcome,
        regions: &mut [Region<'_>],
        limits: Limits,
    ) -> Result<LaunchStats, Error> {
        let Member { kernel, model, launch } = &self.members[k];
        if let Some(launch) = launch {
            let joined = |index| is_joined(&self.joints, (k, index));
            pipes::take(model, kernel, &launch.prepared.args, regions, joined);
        }
        self.with_context(k, regions, DONE, |context, range| match outcome {
            Outcome::Done(stats) => {
                check_work_items(context, range, stats)?;
                Ok(*stats)
            }
            outcome => Err(explain(outcome, context, model, limits)),
        })
    }

    /// What the kernels that are running wait for, and which are not.
    fn waiting(&self, regions: &[Region<'_>]) -> String {
        let mut lines = vec![];
        let (mut here, mut missing) = (vec![], vec![]);
        for (k, member) in self.members.iter().enumerate() {
            let name = format!("`{}`", member.kernel.signature.name);
            if member.launch.is_none() {
                missing.push(name);
                continue;
            }
            here.push(name);
            let own = self.with_context(k, regions, NOT_RUNNING, |context, _| {
                Ok(context.pipe_lines(&member.model))
            });
            lines.extend(own.unwrap_or_default().into_iter().map(|line| format!("\n  {line}")));
        }
        let (here, missing) = (here.join(", "), missing.join(", "));
        format!("{here}: nothing moves until {missing} is launched{}", lines.concat())
    }

    /// Calls `work` with what messages say of a member's launch.
    fn with_context<R>(
        &self,
        k: usize,
        regions: &[Region<'_>],
        idle: &'static str,
        work: impl FnOnce(&Context<'_, '_>, &host::ResolvedRange) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Member { kernel, launch, .. } = &self.members[k];
        let Some(Launch { prepared, in_memory, .. }) = launch else {
            let what = format!("kernel `{}` is not running", kernel.signature.name);
            return Err(Error::new(ErrorKind::Device, what));
        };
        let peer = |index| {
            let (other, index) = self.joints.iter().find_map(|j| j.other_end(k, index))?;
            let Member { kernel, model, launch } = &self.members[other];
            Some(Peer { kernel, model, index, idle: launch.is_none().then_some(idle) })
        };
        let (arguments, args) = (&prepared.names, &prepared.args);
        let context = Context { kernel, regions, arguments, args, in_memory, peers: &peer };
        work(&context, &prepared.range)
    }
}

/// Lets what kernel `k` has written leave it, where it does not go to another kernel.
fn drain(
    kernel: &Kernel,
    joints: &[Joint],
    k: usize,
    session: &mut Session<'_>,
) -> Result<(), Error> {
    let mut streams = streams(kernel).enumerate();
    let leaves = streams.any(|(index, (_, s))| s.writes && !is_joined(joints, (k, index)));
    if leaves { pipes::drain(session, kernel) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::LinkEnd;

    #[test]
    fn kernels_that_pipes_connect_are_one_component() {
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(String::from).into();
        let link = |writer: &str, reader: &str| Link {
            writer: LinkEnd { kernel: writer.into(), arg: 0 },
            reader: LinkEnd { kernel: reader.into(), arg: 0 },
        };
        let found = components(&names, &[link("f", "c"), link("b", "e"), link("e", "f")]);
        assert_eq!(found, [["b", "c", "e", "f"].map(String::from).to_vec()]);
        let found = components(&names, &[link("d", "a"), link("b", "c")]);
        assert_eq!(found, [["a", "d"], ["b", "c"]].map(|c| c.map(String::from).to_vec()));
        assert!(components(&names, &[]).is_empty());
        // a kernel that is its own other end
        assert_eq!(components(&names, &[link("c", "c")]), [["c".to_owned()].to_vec()]);
    }
}
