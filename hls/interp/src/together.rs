//! Launches that run at the same time: each until a pipe refuses it something, or for a while, then the next.

use crate::memory::Memory;
use crate::program::Program;
use crate::run::{Progress, Run};
use crate::{Launch, Options, Stats};
use base::{Diagnostics, Result};

/// Steps of a launch between those of others.
const TURN: u64 = 1 << 20;
/// How many times as many rounds as work-items take turns in random order pass until none of them can go on.
const ROUNDS: usize = 16;

impl Program {
    /// Runs kernels to their ends, at the same time where they wait for one another at pipes: each goes on until a pipe refuses it
    /// something. What each has done, in the order of `launches`.
    ///
    /// # Errors
    /// `E0505` for a launch the kernel does not allow; `E0501` to `E0503` for accesses out of
    /// bounds, misaligned or through null, `E0506` and `E0507` for undefined control flow, `E0510`
    /// when not all work-items of a group reach a barrier, `E0511` when the step limit, which each has, is reached, `E0512` and `E0513` when
    /// all that run wait at pipes or are refused there for ever.
    /// Buffers then hold what was written so far.
    pub fn run_together(
        &self,
        memory: &mut Memory<'_>,
        launches: &[Launch],
        options: &Options,
    ) -> Result<Vec<Stats>> {
        // Each has the memory while it runs, and an empty one else.
        let mut nothing: Vec<Memory<'_>> = launches.iter().map(|_| Memory::new()).collect();
        let mut runs = vec![];
        for (launch, memory) in launches.iter().enumerate().zip(&mut nothing) {
            runs.push(Some(self.begin(memory, launch, options)?));
        }
        let mut together = Together { memory, stats: vec![Stats::default(); runs.len()], idle: 0 };
        while runs.iter().any(Option::is_some) {
            together.round(&mut runs)?;
        }
        Ok(together.stats)
    }
}

/// Launches under way.
struct Together<'a, 'g> {
    memory: &'a mut Memory<'g>,
    stats: Vec<Stats>,
    /// Rounds in which none has done anything.
    idle: usize,
}

impl<'g> Together<'_, 'g> {
    /// Lets each launch that has not ended run for a while.
    fn round(&mut self, runs: &mut [Option<Run<'_, 'g>>]) -> Result<()> {
        let mut moved = false;
        for k in 0..runs.len() {
            let beside = runs.iter().flatten().count() > 1;
            let Some(run) = &mut runs[k] else { continue };
            run.machine.beside = beside;
            let before = run.machine.watch.advances();
            let progress = self.go(run, if beside { TURN } else { u64::MAX })?;
            let advanced = run.machine.watch.advances() != before;
            moved |= advanced || progress != Progress::Refused;
            match progress {
                Progress::Ended => {
                    self.stats[k] = Stats { work_items: run.work_items, steps: run.steps() };
                    runs[k] = None;
                }
                Progress::Refused if run.machine.refusal.is_some_and(|r| r.endless) => {
                    return Err(hang(runs, k));
                }
                Progress::Refused => {}
                Progress::TurnOver => run.machine.refusal = None,
            }
            if advanced {
                runs.iter_mut().flatten().for_each(|run| run.machine.watch.others_advance());
            }
        }
        self.idle = if moved { 0 } else { self.idle + 1 };
        self.check(runs)
    }

    /// Runs a launch on.
    fn go(&mut self, run: &mut Run<'_, 'g>, turn: u64) -> Result<Progress> {
        std::mem::swap(self.memory, run.machine.memories.global);
        let progress = run.go(turn);
        std::mem::swap(self.memory, run.machine.memories.global);
        progress
    }

    /// The error of launches all of which wait for what does not come. Those that only try again and again have a limit of their own.
    fn check(&self, runs: &[Option<Run<'_, 'g>>]) -> Result<()> {
        let mut live = runs.iter().enumerate().filter_map(|(k, run)| Some((k, run.as_ref()?)));
        let Some((first, _)) = live.clone().next() else { return Ok(()) };
        let waits = |run: &Run<'_, 'g>| run.machine.refusal.is_some_and(|r| r.waits.is_some());
        let turns: usize = live.clone().map(|(_, run)| run.takes_turns()).sum();
        if self.idle > turns * ROUNDS && live.all(|(_, run)| waits(run)) {
            return Err(hang(runs, first));
        }
        Ok(())
    }
}

/// The error of launch `k`, which hangs and has not ended.
fn hang(runs: &[Option<Run<'_, '_>>], k: usize) -> Diagnostics {
    let doing = |run: &Option<Run<'_, '_>>| match run {
        Some(run) => run.machine.doing(),
        None => "is done".to_owned(),
    };
    let mut states: Vec<String> = runs.iter().map(doing).collect();
    states[k] = "waits here".into();
    let alone = runs.iter().flatten().count() == 1;
    let run = runs[k].as_ref();
    Diagnostics(run.map(|run| run.machine.hangs(&states, alone)).into_iter().collect())
}
