//! The tables of `docs/abi.md` are what the code says. `CLHLS_BLESS=1` rewrites them.

use abi::{Access, Arg, ArgKind, ElementType, layout, tables};
use std::path::Path;

/// `__kernel void saxpy(__global float *y, __global const float *x, float a, __local float *scratch)`,
/// the example in the text.
fn example() -> Vec<Arg> {
    let arg = |index, name: &str, type_name: &str, kind, size| Arg {
        index,
        name: name.into(),
        type_name: type_name.into(),
        kind,
        element: ElementType::from_opencl_name(type_name),
        size,
        align: 4,
        offset: None,
        access: Access::None,
        port: None,
        restrict: false,
        local_capacity: None,
        packet_size: None,
        format: None,
        stream: None,
        channel: false,
    };
    vec![
        arg(0, "y", "float*", ArgKind::GlobalPtr, 8),
        arg(1, "x", "float*", ArgKind::GlobalPtr, 8),
        arg(2, "a", "float", ArgKind::Scalar, 4),
        arg(3, "scratch", "float*", ArgKind::LocalPtr, 0),
    ]
}

#[test]
fn the_tables_are_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/abi.md");
    let old = std::fs::read_to_string(&path).expect("docs/abi.md exists");
    let args = example();
    let map = layout("saxpy", &args, false).expect("fits");
    let mut new = old.clone();
    for (name, table) in [
        ("registers", tables::registers()),
        ("hidden arguments", tables::hidden_args()),
        ("example", tables::kernel(&args, &map)),
    ] {
        let begin = format!("<!-- generated: {name} -->\n");
        let start = new.find(&begin).expect("the marker of the table") + begin.len();
        let length = new[start..].find("<!-- end -->").expect("the end of the table");
        new.replace_range(start..start + length, &table);
    }
    if std::env::var_os("CLHLS_BLESS").is_some() {
        std::fs::write(&path, &new).expect("docs/abi.md is writable");
        return;
    }
    assert!(old == new, "docs/abi.md is not what the code says; run the test with CLHLS_BLESS=1");
}
