//! Regions beyond a scheduler's limit: scheduled as soon as possible, and said so.

mod common;

use clhls_ir_to_schedule as ir_to_schedule;
use ir_to_schedule::{Asap, Problem, Scheduler, Solution};

/// Takes regions of at most one operation.
struct Small;

impl Scheduler for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn solve(&self, problem: &Problem) -> Option<Solution> {
        assert!(problem.nodes.len() <= 1, "{} nodes", problem.nodes.len());
        Asap.solve(problem)
    }

    fn most_nodes(&self) -> usize {
        1
    }
}

#[test]
fn the_report_names_regions_that_are_too_large() {
    let text = "module \"m\" addr 64 cl 120\nkernel \"k\" {\n  arg 0 \"p\" \"int*\" global size 8 align 4\n\
                b0:\n  v0:ptr.global = arg 0\n  v1:i64 = workitem global_id 0\n  v2:i64 = mul v1, v1\n  \
                v3:i64 = add v2, v1\n  v4:ptr.global = ptradd v0, v3\n  v5:i32 = slice v3 lo 0\n  \
                e0 = store v4, v5 align 4\n  jump b1\nb1:\n  v6:i64 = add v1, v1\n  ret\n}\n";
    let module = ir::parse::parse_module(text).expect("readable");
    let options = common::options(200.0, &Small);
    let (_, kernel) = module.kernels().next().expect("a kernel");
    let family = target::Family::unit();
    let s = ir_to_schedule::solve(kernel, &module, &family, &options).expect("schedulable");
    let [note] = s.notes.as_slice() else { panic!("{:?}", s.notes) };
    assert!(note.starts_with("segment 0 of b0 has "), "{note}");
    assert!(note.contains("more than the 1 that the small scheduler takes"), "{note}");
}
