//! The examples of docs/ir.md are IR.

use ir::parse::{parse_module, text_sources};
use ir::verify::verify_module;

#[test]
fn examples_parse_verify_and_are_canonical() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ir.md"))
        .expect("docs/ir.md");
    let blocks: Vec<&str> = page
        .split("```clir\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(blocks.len() >= 2, "the page has examples");
    for text in blocks {
        let module = parse_module(text)
            .unwrap_or_else(|e| panic!("{}", e.render(&text_sources("docs/ir.md", text))));
        verify_module(&module).unwrap_or_else(|e| panic!("{e}"));
        let bare: String =
            text.lines().filter(|l| !l.starts_with(';')).map(|l| format!("{l}\n")).collect();
        assert_eq!(module.to_string(), bare);
    }
}
