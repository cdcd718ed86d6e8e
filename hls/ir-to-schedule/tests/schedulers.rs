//! Schedulers on random problems, against `check` and, for small ones, against all schedules.

use arith::stimulus::Rng;

use clhls_ir_to_schedule as ir_to_schedule;
use ir_to_schedule::network_simplex::{self, Row};
use ir_to_schedule::problem::{Constraint, Input, Node, check, register_bits};
use ir_to_schedule::{Asap, Problem, Random, Scheduler, Sdc, Solution};
use schedule::OpTiming;

fn below(rng: &mut Rng, n: u64) -> u64 {
    rng.below(n)
}

fn random_problem(rng: &mut Rng, count: usize) -> Problem {
    let nodes = (0..count).map(|k| random_node(rng, k)).collect();
    let inputs = (0..count / 2).map(|_| random_input(rng, count)).collect();
    Problem { nodes, inputs, budget_ns: 4.0, ..Default::default() }
}

fn random_input(rng: &mut Rng, count: usize) -> Input {
    let mut users: Vec<u32> =
        (0..1 + below(rng, 3)).map(|_| below(rng, count as u64) as u32).collect();
    users.sort();
    users.dedup();
    Input { bits: [1, 16, 64][below(rng, 3) as usize], users }
}

fn random_node(rng: &mut Rng, k: usize) -> Node {
    let ns = below(rng, 30) as f64 / 10.0;
    let timing = match below(rng, 5) {
        0 => OpTiming {
            latency: 1 + below(rng, 2) as u32,
            input_ns: ns,
            output_ns: 0.5,
            entry_ns: 0.0,
        },
        _ => OpTiming::combinational(ns),
    };
    let mut operands: Vec<u32> = vec![];
    if k > 0 {
        operands = (0..below(rng, 3)).map(|_| below(rng, k as u64) as u32).collect();
    }
    operands.sort();
    operands.dedup();
    Node {
        timing,
        bits: [0, 1, 8, 32][below(rng, 4) as usize],
        operands,
        leaves: below(rng, 5) == 0,
    }
}

/// Fewest register bits of all schedules of at most `latency` cycles.
fn exhaustive(problem: &Problem, latency: u32) -> Option<u64> {
    let n = problem.nodes.len();
    let mut solution = Solution { start: vec![0; n], latency };
    let mut best: Option<u64> = None;
    loop {
        if check(problem, &solution).is_ok() {
            let bits = register_bits(problem, &solution);
            best = Some(best.map_or(bits, |b| b.min(bits)));
        }
        let Some(k) = solution.start.iter().position(|s| *s < latency) else { return best };
        solution.start[k] += 1;
        solution.start[..k].fill(0);
    }
}

#[test]
fn sdc_is_optimal_on_small_problems() {
    let mut rng = Rng::new(1);
    let mut better = 0;
    for round in 0..500 {
        let count = 2 + below(&mut rng, 5) as usize;
        let mut p = random_problem(&mut rng, count);
        if round % 2 == 0 {
            let from = below(&mut rng, count as u64) as u32;
            let to = below(&mut rng, count as u64) as u32;
            let distance = below(&mut rng, 4) as i64 - 2;
            if from != to {
                p.constraints.push(Constraint { from, to, distance });
            }
            let asap = Asap.solve(&p);
            if let Some(s) = asap {
                p.deadlines.push((to, s.start[to as usize] + below(&mut rng, 2) as u32));
            }
        }
        let Some(asap) = Asap.solve(&p) else {
            assert_eq!(exhaustive(&p, 5), None, "round {round}: {p:?}");
            continue;
        };
        if asap.latency > 5 {
            continue;
        }
        let sdc = Sdc.solve(&p).unwrap();
        check(&p, &sdc).unwrap();
        assert_eq!(sdc.latency, asap.latency);
        let bits = register_bits(&p, &sdc);
        assert_eq!(Some(bits), exhaustive(&p, asap.latency), "round {round}: {p:?}");
        better += u32::from(bits < register_bits(&p, &asap));
    }
    assert!(better > 50, "only {better} problems had anything to save");
}

#[test]
fn sdc_keeps_the_rules_and_saves_bits_on_large_problems() {
    let mut rng = Rng::new(2);
    for count in [50, 200, 800] {
        let p = random_problem(&mut rng, count);
        let (asap, sdc) = (Asap.solve(&p).unwrap(), Sdc.solve(&p).unwrap());
        check(&p, &asap).unwrap();
        check(&p, &sdc).unwrap();
        assert_eq!(sdc.latency, asap.latency);
        assert!(register_bits(&p, &sdc) < register_bits(&p, &asap));
        assert_eq!(Sdc.solve(&p), Some(sdc), "the same problem twice");
    }
}

#[test]
fn sdc_from_the_end_of_a_like_problem_saves_as_many_bits() {
    let mut rng = Rng::new(5);
    let mut solved = 0;
    for round in 0..60 {
        let count = 10 + below(&mut rng, 300);
        let mut p = random_problem(&mut rng, count as usize);
        let mut basis = None;
        Sdc.solve_from(&p, &mut basis).unwrap();
        // Constraints appear, go and change; so do latencies.
        for _ in 0..5 {
            let nodes = [below(&mut rng, count) as u32, below(&mut rng, count) as u32];
            let (from, to) = (nodes[0].min(nodes[1]), nodes[0].max(nodes[1]));
            if below(&mut rng, 4) == 0 {
                p.constraints.clear();
            } else if from != to {
                let distance = below(&mut rng, 4) as i64;
                p.constraints.push(Constraint { from, to, distance });
            }
            p.nodes[from as usize].timing.latency = below(&mut rng, 3) as u32;
            let (warm, cold) = (Sdc.solve_from(&p, &mut basis), Sdc.solve(&p));
            let (Some(warm), Some(cold)) = (warm, cold) else { panic!("round {round}") };
            check(&p, &warm).unwrap();
            assert_eq!(register_bits(&p, &warm), register_bits(&p, &cold), "round {round}: {p:?}");
            solved += 1;
        }
    }
    assert_eq!(solved, 300);
}

#[test]
fn random_schedules_keep_the_rules() {
    let mut rng = Rng::new(3);
    let mut different = 0;
    for seed in 0..200 {
        let mut p = random_problem(&mut rng, 30);
        p.constraints.push(Constraint { from: 3, to: 20, distance: 2 });
        let s = Random { seed }.solve(&p).unwrap();
        check(&p, &s).unwrap();
        different += u32::from(Some(&s) != Asap.solve(&p).as_ref());
    }
    assert!(different > 190, "{different}");
}

#[test]
fn contradictory_constraints_have_no_schedule() {
    let mut rng = Rng::new(4);
    let mut p = random_problem(&mut rng, 6);
    p.constraints.push(Constraint { from: 1, to: 4, distance: 2 });
    p.constraints.push(Constraint { from: 4, to: 1, distance: -1 });
    let mut late = random_problem(&mut rng, 6);
    late.constraints.push(Constraint { from: 0, to: 5, distance: 3 });
    late.deadlines.push((5, 2));
    for p in [p, late] {
        assert_eq!(Asap.solve(&p), None);
        assert_eq!(Sdc.solve(&p), None);
        assert_eq!(Random { seed: 1 }.solve(&p), None);
    }
}

#[test]
fn chained_operations_beyond_the_period_are_split() {
    let comb = |ns, operands: &[u32], leaves| Node {
        timing: OpTiming::combinational(ns),
        bits: 8,
        operands: operands.to_vec(),
        leaves,
    };
    // 1.5 + 1.5 ns fit into 4 ns, 4.5 ns do not.
    let nodes = vec![comb(1.5, &[], false), comb(1.5, &[0], false), comb(1.5, &[1], true)];
    let p = Problem { nodes, budget_ns: 4.0, ..Default::default() };
    for s in [Asap.solve(&p).unwrap(), Sdc.solve(&p).unwrap()] {
        assert_eq!(s.latency, 1);
        assert_eq!(s.start[2], 1);
    }
    assert!(check(&p, &Solution { start: vec![0, 0, 0], latency: 1 }).is_err());
}

#[test]
fn network_simplex_refuses_what_has_no_minimum() {
    let row = |from, to, distance| Row { from, to, distance };
    // x1 - x0 >= 1 and x0 - x1 >= 0 contradict each other.
    assert_eq!(network_simplex::minimise(&[-1, 1], &[row(0, 1, 1), row(1, 0, 0)]), None);
    // Nothing holds x1 from above, and its weight is negative.
    assert_eq!(network_simplex::minimise(&[1, -1], &[row(0, 1, 1)]), None);
    assert_eq!(network_simplex::minimise(&[-1, 1], &[row(0, 1, 7)]), Some(vec![0, 7]));
}
