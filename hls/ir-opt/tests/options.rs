//! Selection of kernels and passes, errors of the caller, determinism.

use fuzz::ir_kernels;
use ir_opt::{Level, Options, Simd, run};
use std::cell::RefCell;

const TWO: &str = "module \"m\" addr 64 cl 200\nkernel f0 \"a\" {\nb0:\n  ret\n}\n\
                   kernel f1 \"b\" {\nb0:\n  e0 = call f2()\n  ret\n}\n\
                   func f2 \"g\" {\nb0:\n  ret\n}\n";

fn parse(text: &str) -> ir::Module {
    ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"))
}

fn code(result: base::Result<ir::Module>) -> &'static str {
    result.err().map_or("", |e| e.0[0].code)
}

#[test]
fn kernels_are_selected() {
    let family = target::Family::unit();
    let out = run(parse(TWO), &["b".into()], &Options::default(), &family).expect("fine");
    let names: Vec<&str> = out.functions.values().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["b"]);
    let all = run(parse(TWO), &[], &Options::default(), &family).expect("fine");
    assert_eq!(all.functions.len(), 2);
}

#[test]
fn errors_name_their_cause() {
    let family = target::Family::unit();
    let options = Options::default();
    assert_eq!(code(run(parse(TWO), &["c".into()], &options, &family)), "E0300");
    let unknown = Options { passes: Some(vec!["nonsense".into()]), ..Options::default() };
    assert_eq!(code(run(parse(TWO), &[], &unknown, &family)), "E0300");
    let simd = Options { simd: Simd::Lanes(3), ..Options::default() };
    assert_eq!(code(run(parse(TWO), &[], &simd, &family)), "E0307");
    let recursive = "module \"m\" addr 64 cl 200\nkernel f0 \"a\" {\nb0:\n  e0 = call f1()\n  ret\n}\n\
                     func f1 \"g\" {\nb0:\n  e0 = call f1()\n  ret\n}\n";
    assert_eq!(code(run(parse(recursive), &[], &options, &family)), "E0301");
    let calls_kernel = "module \"m\" addr 64 cl 200\nkernel f0 \"a\" {\nb0:\n  ret\n}\n\
                        kernel f1 \"b\" {\nb0:\n  e0 = call f0()\n  ret\n}\n";
    assert_eq!(code(run(parse(calls_kernel), &[], &options, &family)), "E0302");
}

#[test]
fn every_pass_is_dumped() {
    let family = target::Family::unit();
    let labels = RefCell::new(vec![]);
    let dump = |label: &str, _: &ir::Module| labels.borrow_mut().push(label.to_owned());
    let options = Options { level: Level::O0, dump: Some(&dump), ..Options::default() };
    run(parse(TWO), &[], &options, &family).expect("fine");
    assert_eq!(labels.borrow()[..2], ["01-opt.inline", "02-opt.simplify-cfg"]);
}

#[test]
fn the_same_input_gives_the_same_output() {
    let family = target::Family::unit();
    for seed in 0..20 {
        let once = run(ir_kernels::module(seed), &[], &Options::default(), &family).expect("fine");
        let twice = run(ir_kernels::module(seed), &[], &Options::default(), &family).expect("fine");
        assert_eq!(once.to_string(), twice.to_string());
    }
}
