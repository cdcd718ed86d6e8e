//! docs/support.md and docs/errors.md say what the code says. `cargo run -p clhls-spirv-to-ir
//! --example docs -- DOCS` rewrites both.

use rspirv::grammar::INSTRUCTION_TABLE;
use spirv_to_ir::support::{Status, sections};
use spirv_to_ir::{ERROR_CODES, errors_markdown, support};
use std::collections::BTreeSet;
use std::path::Path;

fn docs(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn support_page_is_up_to_date() {
    assert!(docs("support.md") == support::markdown(), "docs/support.md: run the example `docs`");
}

#[test]
fn error_page_lists_the_codes() {
    assert!(
        docs("errors.md").contains(&errors_markdown()),
        "docs/errors.md: run the example `docs`"
    );
}

#[test]
fn codes_are_distinct_and_in_order() {
    assert!(ERROR_CODES.windows(2).all(|w| w[0].code < w[1].code));
    assert!(ERROR_CODES.iter().all(|c| c.code.starts_with("E01") && c.remedy.ends_with('.')));
}

/// Every instruction that OpenCL kernels can hold by the grammar's capabilities is in the list,
/// and every one of OpenCL.std.
#[test]
fn the_list_is_complete() {
    let sections = sections();
    let names = |title: &str| -> BTreeSet<&str> {
        let section = sections.iter().find(|s| s.title == title).unwrap();
        section.rows.iter().map(|r| r.name.as_str()).collect()
    };
    let instructions = names("Instructions");
    for g in INSTRUCTION_TABLE.iter().filter(|g| g.capabilities.is_empty()) {
        let name = format!("Op{}", g.opname);
        assert!(instructions.contains(name.as_str()), "{name} is missing");
    }
    // OpenCL 2.1's extended instruction set has 162 instructions.
    assert_eq!(names("OpenCL.std").len(), 162);
    for section in &sections {
        let supported = section.rows.iter().filter(|r| r.status == Status::Supported).count();
        assert!(supported > 10, "{}", section.title);
    }
}
