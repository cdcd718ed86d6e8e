//! Random kernels on a few levels; `make fuzz-kernels` runs many on all of them. No producer is needed here.

use filetests::kernel_fuzz::levels::{Level, as_read, check, difference};
use filetests::kernel_fuzz::search::ir_kernel;
use fuzz::tree::{Decl, Param, Program, Range};

/// A program that stores 5, without source: its module is made by hand below.
fn program() -> Program {
    let res =
        Param { name: "a".into(), text: "global int *a".into(), value: "zeros:i32[1]".into() };
    Program {
        name: "k".into(),
        std: "CL1.2",
        halves: false,
        helpers: vec![],
        globals: vec![],
        functions: vec![],
        attributes: String::new(),
        params: vec![res],
        decls: vec![Decl { name: "x".into(), text: "int x = 5;".into() }],
        body: vec![fuzz::tree::Stmt::simple("a[0] = x;", vec![])],
        range: Range { global: vec![1], local: Some(vec![1]), offset: None },
    }
}

fn module(value: u32) -> ir::Module {
    let text = format!(
        "module \"m\" addr 64 cl 120\n\nkernel f0 \"k\" {{\n  arg 0 \"a\" \"int*\" global size 8 align 4\n\
         b0:\n  v0:ptr.global = arg 0\n  v1:i32 = const {value}\n  e0 = store v0, v1 align 4\n  ret\n}}\n"
    );
    ir::parse::parse_module(&text).expect("IR")
}

const LEVELS: [Level; 6] = [
    Level::Interleaved(1),
    Level::Optimised(ir_opt::Level::O0, 1),
    Level::Optimised(ir_opt::Level::O2, 1),
    Level::EachPass(ir_opt::Level::O2),
    Level::NativeInlined,
    Level::Native,
];

#[test]
fn the_same_is_the_same_and_another_result_is_seen() {
    let p = program();
    assert!(p.source().contains("int x = 5;\n    a[0] = x;"), "{}", p.source());
    let want = as_read(&module(5), &[&p]).pop().expect("a result").expect("runs");
    assert_eq!(want, [("a".to_owned(), vec![5, 0, 0, 0])]);
    for level in LEVELS {
        assert_eq!(check(&module(5), &[(&p, &want)], level), [None], "{level}");
        let other = check(&module(6), &[(&p, &want)], level).pop().flatten().expect("a difference");
        assert!(other.contains("buffer `a` differs at byte 0"), "{level}: {other}");
    }
    assert!(difference(&want, &want.clone()).is_none());
}

#[test]
fn kernels_made_as_ir_agree() {
    for seed in 0..40 {
        ir_kernel(seed).unwrap_or_else(|e| panic!("kernel {seed}: {e}"));
    }
}
