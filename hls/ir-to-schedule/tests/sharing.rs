//! Shared instances where work-items are made to come only every so many cycles.

mod common;

use clhls_ir_to_schedule as ir_to_schedule;
use ir_to_schedule::Sdc;
use schedule::tokens::{self, Outcome};
use schedule::{KernelSchedule, Place};

/// `products` of a work-item's number with itself, each stored by itself.
fn program(products: u32, ty: &str, bytes: u32) -> String {
    let value = |k: u32| 10 + 3 * k;
    let line = |k: u32| {
        let (v, at) = (value(k), k * bytes * 1024);
        format!(
            "  v{v}:{ty} = fmul v5, v{}\n  v{}:i64 = const {at}\n  v{}:ptr.global = ptradd v4, v{}\n  e{} = store v{}, v{v} align {bytes}\n",
            if k == 0 { 5 } else { value(k - 1) },
            v + 1,
            v + 2,
            v + 1,
            k + 1,
            v + 2
        )
    };
    let lines: String = (0..products).map(line).collect();
    format!(
        "module \"m\" addr 64 cl 120\nkernel \"k\" {{\n  arg 0 \"p\" \"{ty}*\" global size 8 align {bytes}\n\
         b0:\n  v0:ptr.global = arg 0\n  v1:i64 = workitem global_id 0\n  v2:i64 = const {}\n  v3:i64 = shl v1, v2\n  \
         v4:ptr.global = ptradd v0, v3\n  e0 v5:{ty} = load v4 align {bytes}\n{lines}  ret\n}}\n",
        bytes.ilog2()
    )
}

/// The schedule for ULX3S, with work-items every `interval` cycles; it keeps all rules, as `solve` has checked.
fn solve(text: &str, interval: u32) -> KernelSchedule {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let board = target::Library::builtin().board("ulx3s").expect("built in");
    let options = ir_to_schedule::Options { interval, ..common::options(75.0, &Sdc) };
    let (_, kernel) = module.kernels().next().expect("a kernel");
    let s = ir_to_schedule::solve(kernel, &module, &board.family, &options)
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = tokens::Options { work_items: 200, ..tokens::Options::default() };
    assert!(matches!(tokens::simulate(&s, &options), Outcome::Done(_)));
    s
}

/// How many operations each shared instance has.
fn sizes(s: &KernelSchedule) -> Vec<usize> {
    let mut sizes: Vec<usize> = s.shared.iter().map(|g| g.insts.len()).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn operations_share_as_many_instances_as_the_distance_of_work_items_asks_for() {
    let text = program(8, "f32", 4);
    assert!(solve(&text, 1).shared.is_empty());
    assert_eq!(sizes(&solve(&text, 2)), [2, 2, 2, 2]);
    assert_eq!(sizes(&solve(&text, 4)), [4, 4]);
    assert_eq!(sizes(&solve(&text, 8)), [8]);
}

#[test]
fn operations_of_an_instance_start_in_different_phases() {
    for interval in [2, 4, 8] {
        let s = solve(&program(8, "f32", 4), interval);
        let mut most = 0;
        for group in &s.shared {
            let cycle = |i: &ir::Inst| match s.place[*i] {
                Some(Place::Segment { cycle, .. }) => cycle,
                other => panic!("{other:?}"),
            };
            let cycles: Vec<u32> = group.insts.iter().map(cycle).collect();
            let mut phases: Vec<u32> = cycles.iter().map(|c| c % interval).collect();
            phases.sort_unstable();
            phases.dedup();
            assert_eq!(phases.len(), cycles.len(), "{cycles:?}");
            most = most.max(cycles[cycles.len() - 1] - cycles[0]);
        }
        // A chain of products is longer than the interval: tokens in between would meet.
        let segments = s.func.layout.iter().flat_map(|b| &s.blocks[*b].segments);
        let windows: Vec<u32> = segments.filter(|g| g.ii > 1).map(|g| g.window).collect();
        assert!(most > interval && windows.iter().max() == Some(&most), "{most} {windows:?}");
    }
}

#[test]
fn a_product_that_is_alone_multiplies_with_fewer_tiles() {
    // 53 x 53 bits are nine tiles of 18 x 18.
    let tiles = |interval: u32| {
        let s = solve(&program(1, "f64", 8), interval);
        let unit = s.units.values().next().expect("the product's");
        let body = unit.func.layout.iter().flat_map(|b| &unit.func.blocks[*b].insts);
        let products = body.filter(|i| unit.func.insts[**i].op == ir::Op::Mul).count();
        let shared: usize = unit.shared.iter().map(|g| g.insts.len() - 1).sum();
        products - shared
    };
    assert_eq!((tiles(1), tiles(2), tiles(4)), (9, 5, 3));
}

#[test]
fn products_inside_of_an_operator_never_meet() {
    let good = solve(&program(1, "f64", 8), 4);
    let broken = |change: &dyn Fn(&mut KernelSchedule)| {
        let mut s = good.clone();
        change(&mut s);
        schedule::verify::verify(&s).expect_err("broken").to_string()
    };
    let user = *good
        .func
        .layout
        .iter()
        .flat_map(|b| &good.func.blocks[*b].insts)
        .find(|i| good.unit_of[**i].is_some())
        .expect("a product");
    let meets = broken(&|s| {
        for b in s.func.layout.clone() {
            s.blocks[b].segments.iter_mut().for_each(|g| (g.ii, g.window) = (1, 0));
        }
    });
    assert!(meets.contains("can want their instance at once"), "{meets}");
    let untold = broken(&|s| s.place[user] = Some(Place::Prologue { cycle: 0 }));
    assert!(untold.contains("is not told of its operands"), "{untold}");
    let twice = broken(&|s| {
        let insts = vec![user, user];
        s.shared.push(schedule::Shared { insts, select_ns: 0.0, staged: false });
    });
    assert!(twice.contains("is shared, and so are its own"), "{twice}");
    let other = broken(&|s| {
        let unit = s.units.values_mut().next().expect("a unit");
        let body = unit.func.layout.iter().flat_map(|b| &unit.func.blocks[*b].insts);
        let add = body.copied().find(|i| unit.func.insts[*i].op == ir::Op::Add);
        unit.shared[0].insts[0] = add.expect("sums of partial products");
    });
    assert!(other.contains("has no instance that could be shared"), "{other}");
}
