//! How long functions take, and what is told while they run.

use crate::lanes::LANES;
use crate::measure::{CHUNK, Job, Judge};
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Places from which cases are run to see how long they take, and how many from each: too few for others to get the processor meanwhile.
const PROBES: u64 = 32;
const PROBE: u64 = LANES as u64;

/// Between two lines where they are kept.
const PERIOD: Duration = Duration::from_secs(120);

/// Seconds that all cases of a function will take on one core: a few of them, from all over, are run.
pub fn projection(job: Job) -> f64 {
    let mut judge = Judge::new(job);
    let count = PROBE.min(job.cases);
    let apart = job.cases / PROBES / CHUNK * CHUNK;
    let mut time = |k: u64| {
        let start = Instant::now();
        judge.run(k * apart, count);
        start.elapsed().as_secs_f64()
    };
    // The first run finds caches cold, and others use the machine too: the shortest time counts.
    let seconds: f64 = (0..PROBES).map(|k| (0..3).map(|_| time(k)).fold(f64::MAX, f64::min)).sum();
    seconds * job.cases as f64 / (PROBES * count) as f64
}

/// Lines about how far the run has come: on a terminal one that changes, elsewhere one every now and then.
pub struct Progress {
    terminal: bool,
    started: Instant,
    told: Instant,
    /// Seconds of projections, of all and of what has been done.
    projected: f64,
    done: f64,
}

impl Progress {
    /// Before a run that is projected to take so many seconds of one core.
    pub fn new(projected: f64) -> Progress {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Progress { terminal, started: now, told: now, projected, done: 0.0 }
    }

    /// Some cases are done that were projected to take so long.
    pub fn add(&mut self, job: Job, cases_done: u64, projected: f64, largest: f64) {
        self.done += projected;
        let now = Instant::now();
        if !self.terminal && now - self.told < PERIOD {
            return;
        }
        self.told = now;
        let elapsed = (now - self.started).as_secs_f64();
        let left = elapsed / self.done.max(1e-9) * (self.projected - self.done).max(0.0);
        let percent = cases_done * 100 / job.cases;
        let line = format!(
            "{}_{}: {percent} %, {largest:.4} ulp; {} of the whole run, about {} left",
            job.f.name(),
            job.format,
            clock(elapsed),
            clock(left),
        );
        if self.terminal {
            eprint!("\r{line:<90}\r");
            let _ = std::io::stderr().flush();
        } else {
            eprintln!("ulp: {line}");
        }
    }
}

/// h:mm:ss
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
