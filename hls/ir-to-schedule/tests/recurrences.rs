//! Random loops with overlapping iterations: the production scheduler finds a schedule that
//! keeps the rules, at an interval and latencies that are no worse than as soon as possible.

mod common;

use arith::stimulus::Rng;
use clhls_ir_to_schedule as ir_to_schedule;
use ir_to_schedule::{Asap, Scheduler, Sdc};
use schedule::KernelSchedule;
use schedule::registers::register_bits;
use std::fmt::Write;

/// A kernel of one work-item with one loop: carried values that are swapped, computed, loaded.
fn program(rng: &mut Rng) -> String {
    let carried = 1 + rng.below(5) as u32;
    let mut text = String::from(
        "module \"m\" addr 64 cl 120\nkernel \"k\" {\n  arg 0 \"p\" \"int*\" global size 8 align 4 restrict no_write\n  \
         arg 1 \"q\" \"int*\" global size 8 align 4 restrict no_read\n  reqd_work_group_size 1 1 1\n\
         b0:\n  v0:ptr.global = arg 0\n  v1:ptr.global = arg 1\n  v2:i32 = const 7\n",
    );
    let start = vec!["v2"; carried as usize].join(", ");
    let params: Vec<String> = (10..10 + carried).map(|n| format!("v{n}:i32")).collect();
    let _ = write!(text, "  jump b1({start})\nb1({}):\n", params.join(", "));
    // Values of 32 bits that can be used.
    let mut values: Vec<u32> = (10..10 + carried).chain([2]).collect();
    let mut next = 100;
    for _ in 0..2 + rng.below(12) {
        let mut pick = || values[rng.below(values.len() as u64) as usize];
        let (a, b, n) = (pick(), pick(), next);
        next += 4;
        let _ = match rng.below(7) {
            0 => {
                let (wide, at) = (n + 1, n + 2);
                writeln!(
                    text,
                    "  v{wide}:i64 = zext v{a}\n  v{at}:ptr.global = ptradd v0, v{wide}\n  \
                     e{n} v{n}:i32 = load v{at} align 4"
                )
            }
            1 => {
                // The same bits as numbers.
                let (x, y, z) = (n + 1, n + 2, n + 3);
                writeln!(
                    text,
                    "  v{x}:f32 = bitcast v{a}\n  v{y}:f32 = bitcast v{b}\n  \
                     v{z}:f32 = fadd v{x}, v{y}\n  v{n}:i32 = bitcast v{z}"
                )
            }
            2 | 3 => writeln!(text, "  v{n}:i32 = xor v{a}, v{b}"),
            4 => writeln!(text, "  v{n}:i32 = mul v{a}, v{b}"),
            _ => writeln!(text, "  v{n}:i32 = add v{a}, v{b}"),
        };
        values.push(n);
    }
    let mut pick = |list: &[u32]| list[rng.below(list.len() as u64) as usize];
    let (a, b) = (pick(&values), pick(&values));
    let again: Vec<String> = (0..carried).map(|_| format!("v{}", pick(&values))).collect();
    let result = pick(&values);
    let targets = [format!("b1({})", again.join(", ")), format!("b2(v{result})")];
    let (yes, no) = if rng.below(2) == 0 { (0, 1) } else { (1, 0) };
    let _ = write!(
        text,
        "  v9:i1 = icmp.ult v{a}, v{b}\n  br v9, {}, {}\nb2(v3:i32):\n  e9 = store v1, v3 align 4\n  ret\n}}\n",
        targets[yes], targets[no]
    );
    text
}

fn solve(text: &str, family: &target::Family, scheduler: &dyn Scheduler) -> KernelSchedule {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = common::options(300.0, scheduler);
    let (_, kernel) = module.kernels().next().expect("a kernel");
    ir_to_schedule::solve(kernel, &module, family, &options)
        .unwrap_or_else(|e| panic!("{}: {e}\n{text}", scheduler.name()))
}

#[test]
fn intervals_and_latencies_are_no_worse_than_as_soon_as_possible() {
    let board = target::Library::builtin().board("u250").expect("built in");
    let mut rng = Rng::new(3);
    let (mut shorter, mut fewer, mut long) = (0, 0, 0);
    for _ in 0..300 {
        let text = program(&mut rng);
        let asap = solve(&text, &board.family, &Asap);
        let sdc = solve(&text, &board.family, &Sdc);
        let (a, s) = (&asap.loops[0], &sdc.loops[0]);
        assert!(s.ii <= a.ii, "{} {}\n{text}", s.ii, a.ii);
        let of = |k: &KernelSchedule| {
            let segments = &k.blocks[a.header].segments;
            (segments.iter().map(|g| g.latency).collect::<Vec<_>>(), segments[0].ii)
        };
        let ((asap_latency, asap_ii), (latency, ii)) = (of(&asap), of(&sdc));
        // Only a shorter interval may take longer.
        let no_longer = latency.iter().zip(&asap_latency).all(|(s, a)| s <= a);
        assert!(no_longer || ii < asap_ii, "{text}");
        assert!(ii <= asap_ii, "{text}");
        shorter += u32::from(ii < asap_ii);
        long += u32::from(ii > 1);
        fewer += u32::from(register_bits(&sdc) < register_bits(&asap));
    }
    assert!(shorter > 10 && fewer > 100 && long > 50, "{shorter} {fewer} {long}");
}
