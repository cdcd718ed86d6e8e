//! As soon as possible: the schedule against which the others are verified.

use crate::problem::{Problem, Scheduler, Solution};

/// Starts every operation in the first cycle in which it fits.
pub struct Asap;

impl Scheduler for Asap {
    fn name(&self) -> &'static str {
        "asap"
    }

    fn solve(&self, problem: &Problem) -> Option<Solution> {
        solve_with(problem, |_| 0)
    }
}

/// As soon as possible, but node `k` waits `delay(k)` cycles more than it must.
pub(crate) fn solve_with(problem: &Problem, delay: impl Fn(usize) -> u32) -> Option<Solution> {
    let n = problem.nodes.len();
    let ends = |start: &[u32]| {
        let ends = problem.nodes.iter().zip(start).map(|(node, s)| s + node.timing.latency);
        ends.max().unwrap_or(0)
    };
    // Starts only rise from round to round: what is late once stays late.
    let late = |start: &[u32]| {
        problem.deadlines.iter().any(|&(node, cycle)| start[node as usize] > cycle)
            || problem.most_latency.is_some_and(|most| ends(start) > most)
    };
    let mut lower = vec![0i64; n];
    for &(node, cycle) in &problem.releases {
        lower[node as usize] = lower[node as usize].max(cycle.into());
    }
    // Constraints may point backwards; each round raises lower bounds, and n rounds without
    // a fixed point mean a positive cycle.
    for _ in 0..=n {
        let start = pass(problem, &lower, &delay);
        if late(&start) {
            return None;
        }
        let mut stable = true;
        for c in &problem.constraints {
            let least = i64::from(start[c.from as usize]) + c.distance;
            if i64::from(start[c.to as usize]) < least {
                lower[c.to as usize] = least;
                stable = false;
            }
        }
        if stable {
            let latency = ends(&start);
            return Some(Solution { start, latency });
        }
    }
    None
}

fn pass(problem: &Problem, lower: &[i64], delay: &impl Fn(usize) -> u32) -> Vec<u32> {
    let mut start = Vec::with_capacity(problem.nodes.len());
    let mut arrival: Vec<f64> = Vec::with_capacity(problem.nodes.len());
    for (k, node) in problem.nodes.iter().enumerate() {
        let ready = |o: &u32| start[*o as usize] + problem.nodes[*o as usize].timing.latency;
        let earliest = node.operands.iter().map(ready).max().unwrap_or(0);
        let earliest = earliest.max(u32::try_from(lower[k].max(0)).unwrap_or(u32::MAX));
        let mut cycle = earliest + delay(k);
        let begin = |cycle: u32| {
            node.operands
                .iter()
                .filter(|o| ready(o) == cycle)
                .fold(0.0, |x: f64, o| x.max(arrival[*o as usize]))
        };
        let at = begin(cycle);
        let t = node.timing;
        if at > 0.0 && t.start_ns(at) + t.input_ns > problem.budget_ns {
            cycle += 1;
        }
        let at = begin(cycle);
        arrival.push(t.done_ns(at));
        start.push(cycle);
    }
    start
}
