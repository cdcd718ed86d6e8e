//! Operators that synthesis joins. The expected figures are of yosys 0.70, `synth_ecp5 -nowidelut`, 2026-11-28, of the same in Verilog: LUT4s and
//! two for each CCU2C.

use rtl::{Binary, Design, Expr, ModuleBuilder, Net};

/// LUTs of a module with words of 16 bits whose result goes through a register; `result` may have outputs of its own.
fn luts(words: usize, result: impl Fn(&mut ModuleBuilder, &[Net]) -> Expr) -> f64 {
    luts_of(("ecp5", "6"), words, result)
}

/// The same of a device family and speed grade.
fn luts_of(
    (family, grade): (&str, &str),
    words: usize,
    result: impl Fn(&mut ModuleBuilder, &[Net]) -> Expr,
) -> f64 {
    let mut b = ModuleBuilder::new("top", vec![]);
    let inputs: Vec<Net> = (0..words).map(|k| b.input(&format!("x{k}"), 16)).collect();
    let next = result(&mut b, &inputs);
    let (q, out) = (b.net("q", 16), b.output("out", 16));
    b.register(q, next, None, None);
    b.assign(out, q);
    let family = target::Library::builtin().family(family, grade).unwrap();
    let design = Design { modules: vec![b.finish()] };
    clhls_rtl_to_area::Estimate::new(&design, &family).of("top").lut
}

fn named(b: &mut ModuleBuilder, e: Expr) -> Net {
    let net = b.net("v", b.expr_width(&e));
    b.assign(net, e);
    net
}

#[track_caller]
fn check(estimated: f64, measured: f64) {
    assert!((estimated - measured).abs() <= 0.2 * measured, "{estimated}, {measured} measured");
}

fn add(a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
    Expr::bin(Binary::Add, a.into(), b.into())
}

#[test]
fn sums_of_several_words_are_made_without_carries() {
    check(luts(2, |_, x| add(x[0], x[1])), 16.0);
    let three = |b: &mut ModuleBuilder, x: &[Net]| {
        let s = named(b, add(x[0], x[1]));
        add(s, x[2])
    };
    check(luts(3, three), 47.0);
    let four = |b: &mut ModuleBuilder, x: &[Net]| {
        let s = named(b, add(x[0], x[1]));
        let t = named(b, add(s, x[2]));
        Expr::bin(Binary::Sub, t.into(), x[3].into())
    };
    check(luts(4, four), 75.0);
}

/// A sum that somebody else reads, too, has to be made.
#[test]
fn sums_that_others_read_are_additions() {
    let shared = |b: &mut ModuleBuilder, x: &[Net]| {
        let s = named(b, add(x[0], x[1]));
        let out = b.output("other", 16);
        b.assign(out, s);
        add(s, x[2])
    };
    check(luts(3, shared), 32.0);
}

/// The inner sum is the upper half of a word, under another name.
#[test]
fn names_between_sums_do_not_keep_them_apart() {
    let behind_names = |b: &mut ModuleBuilder, x: &[Net]| {
        let s = named(b, add(x[0], x[1]));
        let word = named(b, Expr::Concat(vec![s.into(), x[2].into()]));
        let upper = named(b, Expr::Slice { net: word, lo: 16, width: 16 });
        add(upper, x[2])
    };
    check(luts(3, behind_names), 47.0);
}

#[test]
fn exclusive_ors_of_several_words_take_whole_luts() {
    let xor = |b: &mut ModuleBuilder, x: &[Net]| {
        let (last, others) = x.split_last().unwrap();
        let first: Expr = others[0].into();
        let of_others = others[1..].iter().fold(first, |e, word| {
            let net = named(b, Expr::bin(Binary::Xor, e, (*word).into()));
            net.into()
        });
        Expr::bin(Binary::Xor, of_others, (*last).into())
    };
    check(luts(3, xor), 16.0);
    check(luts(5, xor), 32.0);
}

/// Where LUTs have six inputs, what synthesis joins was not measured: a sum of three words is two sums, each a LUT a bit.
#[test]
fn families_with_larger_luts_are_counted_operator_by_operator() {
    let three = |b: &mut ModuleBuilder, x: &[Net]| {
        let s = named(b, add(x[0], x[1]));
        add(s, x[2])
    };
    let of = |words, result: &dyn Fn(&mut ModuleBuilder, &[Net]) -> Expr| {
        luts_of(("ultrascale-plus", "2"), words, result)
    };
    let two = |_: &mut ModuleBuilder, x: &[Net]| add(x[0], x[1]);
    assert_eq!(of(2, &two), 16.0);
    assert_eq!(of(3, &three), 32.0);
}
