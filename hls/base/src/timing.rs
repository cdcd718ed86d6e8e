//! How long each pass took, for `clhls build --timings` and the compile-time benchmark.

use std::time::{Duration, Instant};

/// Times of named passes, in order of first run.
#[derive(Debug, Default, Clone)]
pub struct Timings {
    entries: crate::IndexMap<&'static str, (Duration, u32)>,
}

impl Timings {
    /// Nothing measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `f` and books its wall time under `name`.
    pub fn time<T>(&mut self, name: &'static str, f: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = f();
        let entry = self.entries.entry(name).or_default();
        entry.0 += start.elapsed();
        entry.1 += 1;
        result
    }

    /// Name, total time and number of runs of each pass.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration, u32)> + '_ {
        self.entries.iter().map(|(n, (d, c))| (*n, *d, *c))
    }

    /// Adds all entries of `other`.
    pub fn merge(&mut self, other: &Timings) {
        for (name, time, count) in other.iter() {
            let entry = self.entries.entry(name).or_default();
            entry.0 += time;
            entry.1 += count;
        }
    }
}
