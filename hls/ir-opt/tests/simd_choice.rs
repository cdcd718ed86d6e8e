//! How many work-items a token are chosen when the user leaves it open, and which launches that leaves possible.

use ir_opt::{Options, Simd, run};
use std::collections::BTreeSet;

/// `out[x] = in[x] OP in[x]`, where `x` is a query of the work-item.
fn kernel(id: &str, operation: &str) -> ir::Module {
    let text = format!(
        r#"module "m" addr 64 cl 120

kernel f0 "k" {{
  arg 0 "in" "" global size 8 align 4
  arg 1 "out" "" global size 8 align 4
b0:
  v0:ptr.global = arg 0 offset 0
  v1:ptr.global = arg 1 offset 8
  v2:i64 = workitem {id}
  v3:i64 = const 2
  v4:i64 = shl v2, v3
  v5:ptr.global = ptradd v0, v4
  e0 v6:i32 = load v5 align 4
  v7:i32 = {operation} v6, v6
  v8:ptr.global = ptradd v1, v4
  e1 = store v8, v7 align 4 after e0
  ret
}}
"#
    );
    ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// Work-items a token, and whether rows of groups must begin with whole tokens.
fn lanes(module: ir::Module, options: &Options<'_>) -> (Option<u32>, bool) {
    let module =
        run(module, &[], options, &target::Family::unit()).unwrap_or_else(|e| panic!("{e}"));
    let (_, f) = module.kernels().next().unwrap_or_else(|| panic!("no kernel"));
    let info = f.kernel.clone().unwrap_or_default();
    (info.simd_lanes, info.simd_group_rows)
}

fn fill(port_bytes: u32, luts: u64) -> Options<'static> {
    Options { simd: Simd::FillPort { port_bytes, luts }, ..Options::default() }
}

const MANY: u64 = 1_000_000;

#[test]
fn fills_the_port_with_the_widest_access() {
    let global = || kernel("global_id 0", "add");
    assert_eq!(lanes(global(), &fill(64, MANY)), (Some(16), false), "16 elements of 4 bytes");
    assert_eq!(lanes(global(), &fill(8, MANY)), (Some(2), false));
    assert_eq!(lanes(global(), &fill(4, MANY)), (None, false), "one element is a beat");
    assert_eq!(lanes(global(), &fill(128, MANY)), (Some(16), false), "never more than 16");
}

#[test]
fn takes_no_more_area_than_there_is() {
    // 15, 7, 3 and 1 more multipliers of 32 bits, of some hundred LUTs each; half of the room for one kernel
    let product = |luts| lanes(kernel("global_id 0", "mul"), &fill(64, luts)).0;
    let chosen: Vec<u32> = [0, 2_000, 10_000, MANY].map(|n| product(n).unwrap_or(1)).into();
    assert!(chosen.is_sorted() && chosen[0] == 1 && chosen[3] == 16, "{chosen:?}");
    let mut options = fill(64, MANY);
    options.one_by_one = BTreeSet::from(["k".to_owned()]);
    assert_eq!(lanes(kernel("global_id 0", "add"), &options), (None, false));
}

#[test]
fn leaves_kernels_alone_whose_launches_it_would_restrict() {
    for id in ["local_id 0", "local_linear_id 0", "global_linear_id 0"] {
        assert_eq!(lanes(kernel(id, "add"), &fill(64, MANY)), (None, false), "{id}");
        let asked = Options { simd: Simd::Lanes(4), ..Options::default() };
        assert_eq!(lanes(kernel(id, "add"), &asked), (Some(4), true), "{id}");
    }
}

#[test]
fn leaves_kernels_alone_whose_accesses_do_not_merge() {
    // the same element for all, and each a row of its own
    assert_eq!(lanes(kernel("global_id 1", "add"), &fill(64, MANY)), (None, false));
    assert_eq!(lanes(kernel("group_id 0", "add"), &fill(64, MANY)), (None, false));
}
