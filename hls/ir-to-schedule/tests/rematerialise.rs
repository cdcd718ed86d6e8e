//! What is computed again where it is used, and what is carried there. The expected values are counted by hand.

mod common;

use clhls_ir_to_schedule as ir_to_schedule;
use ir::{Inst, Op, Value};
use ir_to_schedule::Sdc;
use schedule::{KernelSchedule, Place};

fn solve(text: &str) -> KernelSchedule {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let board = target::Library::builtin().board("u250").expect("built in");
    let (_, kernel) = module.kernels().next().expect("a kernel");
    ir_to_schedule::solve(kernel, &module, &board.family, &common::options(100.0, &Sdc))
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// First segment that has a value, in a kernel of one block; none if it does not travel.
fn stands(s: &KernelSchedule, v: Value) -> Option<u32> {
    match s.place[s.func.def_inst(v)?]? {
        Place::Segment { segment, .. } => Some(segment),
        Place::Boundary { segment } => Some(segment + 1),
        Place::Dispatch => Some(0),
        _ => None,
    }
}

/// Bits that pass beside each boundary of a kernel of one block, access results included.
fn beside(s: &KernelSchedule) -> Vec<u32> {
    let block = s.func.entry();
    let insts = &s.func.blocks[block].insts;
    let segment_of = |i: Inst| match s.place[i] {
        Some(Place::Segment { segment, .. } | Place::Boundary { segment }) => segment,
        _ => 0,
    };
    let boundaries = s.blocks[block].segments.len() as u32 - 1;
    let crosses = |v: Value, k: u32| {
        let used = insts.iter().filter(|i| s.func.insts[**i].args.contains(&v));
        stands(s, v).is_some_and(|from| from <= k) && used.map(|i| segment_of(*i)).any(|u| u > k)
    };
    (0..boundaries)
        .map(|k| {
            let values = insts.iter().filter_map(|i| s.func.insts[*i].result);
            values.filter(|v| crosses(*v, k)).map(|v| s.func.bits(v)).sum()
        })
        .collect()
}

fn kernel(body: &str) -> String {
    format!(
        "module \"m\" addr 64 cl 120\nkernel \"k\" {{\n  arg 0 \"p\" \"char*\" global size 8 align 1\n  \
         arg 1 \"n\" \"ulong\" i64 size 8 align 8\nb0:\n  v0:ptr.global = arg 0\n  v1:i64 = arg 1\n  \
         v2:i64 = workitem global_id 0\n  v3:i32 = slice v2 lo 0\n  v4:i64 = zext v3\n{body}  ret\n}}\n"
    )
}

/// Three bytes, each read and written again at the same place: `p[i]`, `p[n + i]`, `p[i]` again.
const ADDRESSES: &str = "  v10:ptr.global = ptradd v0, v4\n  v11:ptr.global = ptradd v10, v1\n  \
     e0 v12:i8 = load v10 align 1\n  e1 = store v11, v12 align 1 after e0\n  \
     e2 v13:i8 = load v10 align 1 after e1\n  e3 = store v10, v13 align 1 after e2\n";

#[test]
fn addresses_are_made_from_the_index_again() {
    let s = solve(&kernel(ADDRESSES));
    // Boundaries: load, store, load. Beside each only the index.
    assert_eq!(beside(&s), [32, 32, 32]);
    let additions =
        s.func.blocks[s.func.entry()].insts.iter().filter(|i| s.func.insts[**i].op == Op::PtrAdd);
    // p + i for the first load; p + i and + n for the store; p + i for the others, in two segments.
    assert_eq!(additions.count(), 5);
}

#[test]
fn products_are_carried() {
    // The same with a product of 32 bits as index: it is dearer than the places it takes.
    let body = ADDRESSES.replace("v0, v4", "v0, v6");
    let s = solve(&kernel(&format!("  v5:i32 = mul v3, v3\n  v6:i64 = zext v5\n{body}")));
    assert_eq!(beside(&s), [32, 32, 32]);
    let insts = &s.func.blocks[s.func.entry()].insts;
    let first =
        insts.iter().filter(|i| matches!(s.place[**i], Some(Place::Segment { segment: 0, .. })));
    let again = insts
        .iter()
        .filter(|i| matches!(s.place[**i], Some(Place::Segment { segment: 1.., .. })))
        .filter(|i| matches!(s.func.insts[**i].op, Op::Mul));
    assert!(first.filter(|i| s.func.insts[**i].op == Op::Mul).count() > 0);
    assert_eq!(again.count(), 0);
}

#[test]
fn a_sum_of_two_values_is_carried_instead_of_both() {
    // i + j is needed after the load, i and j are not.
    let body = "  v5:i64 = workitem global_id 1\n  v6:i32 = slice v5 lo 0\n  v7:i32 = add v3, v6\n  \
         v10:ptr.global = ptradd v0, v4\n  e0 v12:i8 = load v10 align 1\n  v13:i8 = slice v7 lo 0\n  \
         v14:i8 = xor v12, v13\n  v15:i64 = zext v7\n  v16:ptr.global = ptradd v0, v15\n  \
         e1 = store v16, v14 align 1 after e0\n";
    let s = solve(&kernel(body));
    assert_eq!(beside(&s), [32]);
    let sums =
        s.func.blocks[s.func.entry()].insts.iter().filter(|i| s.func.insts[**i].op == Op::Add);
    assert_eq!(sums.count(), 1);
}

#[test]
fn loops_of_one_work_item_stay_as_they_are() {
    let text = "module \"m\" addr 64 cl 120\nkernel \"k\" {\n  arg 0 \"p\" \"int*\" global size 8 align 4\n  \
         arg 1 \"n\" \"int\" i32 size 4 align 4\n  reqd_work_group_size 1 1 1\nb0:\n  v0:ptr.global = arg 0\n  \
         v1:i32 = arg 1\n  v2:i32 = const 0\n  v3:i32 = const 1\n  v4:i64 = const 2\n  jump b1(v2)\nb1(v5:i32):\n  \
         v6:i64 = sext v5\n  v7:i64 = shl v6, v4\n  v8:ptr.global = ptradd v0, v7\n  e0 v9:i32 = load v8 align 4\n  \
         v10:i32 = add v9, v3\n  e1 = store v8, v10 align 4 after e0\n  v11:i32 = add v5, v3\n  \
         v12:i1 = icmp.slt v11, v1\n  br v12, b1(v11), b2\nb2:\n  ret\n}\n";
    let s = solve(text);
    let insts = s.func.layout.iter().flat_map(|b| &s.func.blocks[*b].insts);
    assert_eq!(insts.filter(|i| s.func.insts[**i].op == Op::PtrAdd).count(), 1);
}

/// The smaller of a value and what is loaded, in a loop over work-items: the comparison classifies its operands and leaves
/// an answer that nothing needs.
const LEAST: &str = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "p" "float*" global size 8 align 4
  arg 1 "n" "uint" i32 size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i64 = workitem global_id 0
  v3:i64 = const 2
  v4:i64 = shl v2, v3
  v5:ptr.global = ptradd v0, v4
  e0 v6:f32 = load v5 align 4
  v7:i32 = const 1
  jump b1(v7, v6)
b1(v8:i32, v9:f32):
  v10:i64 = zext v8
  v11:i64 = add v2, v10
  v12:i64 = shl v11, v3
  v13:ptr.global = ptradd v0, v12
  e1 v14:f32 = load v13 align 4
  v15:f32 = fmin v9, v14
  v16:i32 = const 1
  v17:i32 = add v8, v16
  v18:i1 = icmp.ult v17, v1
  br v18, b1(v17, v15), b2
b2:
  e2 = store v5, v15 align 4
  ret
}
"#;

#[test]
fn what_is_computed_has_its_operands() {
    let func = solve(LEAST).func;
    let insts: Vec<Inst> =
        func.layout.iter().flat_map(|b| func.blocks[*b].insts.iter().copied()).collect();
    for &inst in &insts {
        for &arg in &func.insts[inst].args {
            let there = func.def_inst(arg).is_none_or(|i| insts.contains(&i));
            assert!(there, "{:?} uses {arg}, which is nowhere", func.insts[inst].op);
        }
    }
}

#[test]
fn slices_with_common_bits_travel_as_one() {
    // Bits 0 to 5 and 4 to 11 of the index are needed after the load: 12 bits, not the word and not 6 and 8.
    let body = "  v5:i6 = slice v3 lo 0\n  v6:i8 = slice v3 lo 4\n  \
         v10:ptr.global = ptradd v0, v4\n  e0 v12:i8 = load v10 align 1\n  v13:i8 = mul v6, v12\n  \
         v14:i64 = zext v5\n  v15:ptr.global = ptradd v0, v14\n  e1 = store v15, v13 align 1 after e0\n";
    let s = solve(&kernel(body));
    assert_eq!(beside(&s), [12]);
}
