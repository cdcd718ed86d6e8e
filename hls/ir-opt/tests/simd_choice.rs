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

/// Rows of whole tokens must be able to make work-groups with the sub-groups that a kernel asks for.
#[test]
fn leaves_work_groups_the_sub_groups_that_they_must_have() {
    let asked = Options { simd: Simd::Lanes(16), ..Options::default() };
    let of = |id: &str, attributes: &str| {
        let text = kernel(id, "add").to_string();
        let text = text.replace("b0:", &format!("  {attributes}\nb0:"));
        lanes(ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}")), &asked)
    };
    assert_eq!(of("local_id 0", "sub_groups 2 of 16"), (Some(16), true), "32 work-items");
    assert_eq!(of("local_id 0", "sub_groups 3 of 8"), (None, false), "17 to 24 work-items");
    let bounded = "max_work_group_size 30 1 1 sub_groups 2 of 16";
    assert_eq!(of("local_id 0", bounded), (None, false), "17 to 30 work-items");
    assert_eq!(of("global_id 0", "sub_groups 3 of 8"), (Some(16), false), "rows are free");
}

/// No local id is as large as the work-items of the sub-groups that a work-group must have.
#[test]
fn the_number_of_sub_groups_bounds_local_ids() {
    let text = |attributes: &str| {
        format!(
            "module \"m\" addr 64 cl 120\nkernel f0 \"k\" {{\n  arg 0 \"out\" \"\" global size 8 align 4\n\
             {attributes}\nb0:\n  v0:ptr.global = arg 0\n  v1:i64 = workitem local_linear_id 0\n  \
             v2:i64 = const 6\n  v3:i64 = lshr v1, v2\n  e0 = store v0, v3 align 8\n  ret\n}}\n"
        )
    };
    let shifts = |attributes: &str| {
        let module = ir::parse::parse_module(&text(attributes)).unwrap_or_else(|e| panic!("{e}"));
        let module = run(module, &[], &Options::default(), &target::Family::unit())
            .unwrap_or_else(|e| panic!("{e}"));
        let [(_, f)] = module.kernels().collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!());
        let info = f.kernel.as_ref().and_then(|k| k.sub_groups);
        assert_eq!(info.is_some(), attributes.contains("sub_groups"), "passes keep it");
        module.to_string().contains("local_linear_id")
    };
    assert!(shifts(""), "ids up to 255");
    assert!(shifts("sub_groups 5 of 16"), "up to 79");
    assert!(!shifts("sub_groups 4 of 16"), "up to 63: the result is 0");
}
