//! Random legal schedules: a test of everything behind the scheduler.

use crate::asap::solve_with;
use crate::problem::{Problem, Scheduler, Solution};

/// As soon as possible with random extra cycles, the same for the same seed.
pub struct Random {
    /// Seed.
    pub seed: u64,
}

impl Scheduler for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn solve(&self, problem: &Problem) -> Option<Solution> {
        let random = solve_with(problem, |k| {
            // splitmix64 of seed and node: no state, so the order of nodes does not matter.
            let mut z = self.seed.wrapping_add((k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            match (z ^ (z >> 31)) % 8 {
                0 => 1,
                1 => 2,
                _ => 0,
            }
        });
        // Delays may break constraints that hold without them.
        random.or_else(|| solve_with(problem, |_| 0))
    }
}
