//! What is always zero and what nobody reads is not counted. Expected figures are counted by hand: flip-flops one for each bit that
//! has to be kept, LUTs as the comments say.

use clhls_rtl_to_area::Estimate;
use rtl::{Binary, Design, Expr, ModuleBuilder, Net};
use target::Area;

fn area(modules: Vec<rtl::Module>) -> Area {
    let family = target::Library::builtin().family("ecp5", "6").unwrap();
    let design = Design { modules };
    Estimate::new(&design, &family).of("top")
}

fn top() -> ModuleBuilder {
    ModuleBuilder::new("top", vec![])
}

/// A register behind an expression.
fn register(b: &mut ModuleBuilder, next: Expr) -> Net {
    let q = b.net("q", b.expr_width(&next));
    b.register(q, next, None, None);
    q
}

fn slice(net: Net, lo: u32, width: u32) -> Expr {
    Expr::Slice { net, lo, width }
}

#[test]
fn registers_that_nobody_reads_and_constant_ones_are_not_there() {
    let mut b = top();
    let (x, out) = (b.input("x", 32), b.output("out", 12));
    let wide =
        register(&mut b, Expr::Concat(vec![Expr::Const(24, 0), slice(x, 0, 8), slice(x, 8, 24)]));
    let unread = register(&mut b, x.into());
    register(&mut b, unread.into());
    b.assign(out, slice(wide, 20, 12));
    // The 24 bits of zeros lie above those that are read.
    assert_eq!(area(vec![b.finish()]).ff, 12.0);

    let mut b = top();
    let (x, out) = (b.input("x", 8), b.output("out", 32));
    let extended = register(&mut b, Expr::Concat(vec![Expr::Const(24, 0), x.into()]));
    let again = register(&mut b, extended.into());
    b.assign(out, again);
    assert_eq!(area(vec![b.finish()]).ff, 16.0);
}

/// A 64-bit shift by three bits, as the shifts in bytes have it: three selections a bit, half of a shift by all six.
#[test]
fn shifts_count_the_bits_of_their_amount() {
    let shift = |amount: &dyn Fn(Net) -> Expr| {
        let mut b = top();
        let (x, n, out) = (b.input("x", 64), b.input("n", 64), b.output("out", 64));
        b.assign(out, Expr::bin(Binary::Shl, x.into(), amount(n)));
        area(vec![b.finish()]).lut
    };
    let all = shift(&|n| n.into());
    let some =
        shift(&|n| Expr::Concat(vec![Expr::Const(58, 0), slice(n, 0, 3), Expr::Const(3, 0)]));
    assert!(all > 0.0);
    assert_eq!(some, all / 2.0);
    assert_eq!(shift(&|_| Expr::Const(64, 5)), 0.0);
}

/// An address of 64 bits of which the memory unit takes 32: what adds the offset needs no more either.
#[test]
fn adders_end_where_nobody_reads_on() {
    let adder = |bits: u32| {
        let mut b = top();
        let (base, i, out) = (b.input("base", 64), b.input("i", 32), b.output("out", bits));
        let i = Expr::Concat(vec![Expr::Const(32, 0), i.into()]);
        let sum = b.wire("sum", Expr::bin(Binary::Add, base.into(), i));
        b.assign(out, slice(sum, 0, bits));
        area(vec![b.finish()]).lut
    };
    // A carry cell, two LUTs, for two bits.
    assert!((adder(32) - 32.0).abs() <= 4.0, "{}", adder(32));
    assert!((adder(16) - 16.0).abs() <= 4.0, "{}", adder(16));
}

/// Two segments with a FIFO between them: bits that the second does not read are neither kept in the FIFO nor made in the first.
#[test]
fn what_nobody_reads_is_not_made_in_other_modules() {
    let design = |read: u32| {
        let mut first = ModuleBuilder::new("first", vec![]);
        let (x, out) = (first.input("x", 64), first.output("out", 64));
        let q = register(&mut first, x.into());
        first.assign(out, q);

        let mut second = ModuleBuilder::new("second", vec![]);
        let (x, out) = (second.input("x", 64), second.output("out", 64));
        let low = Expr::Concat(vec![Expr::Const(64 - read, 0), slice(x, 0, read)]);
        let q = register(&mut second, low);
        second.assign(out, q);

        let mut b = top();
        let (x, out) = (b.input("x", 64), b.output("out", 64));
        let between = b.net("between", 64);
        b.instance("first", "u_first").input("x", x).output("out", between).done();
        let queued = b.net("queued", 64);
        b.instance("clhls_fifo", "u_fifo")
            .param("WIDTH", 64)
            .param("DEPTH", 2)
            .input("s_data", between)
            .output("m_data", queued)
            .done();
        b.instance("second", "u_second").input("x", queued).output("out", out).done();
        area(vec![first.finish(), second.finish(), b.finish()])
    };
    // A register on either side, and a FIFO of two words with four flags.
    assert_eq!(design(32).ff, 32.0 * 4.0 + 4.0);
    assert_eq!(design(8).ff, 8.0 * 4.0 + 4.0);
    assert_eq!(design(8).lut, 8.0 + 4.0);
}

/// Of an address of 64 bits a store takes those that the device's memory has.
#[test]
fn addresses_end_at_the_device() {
    let address = |device: u32| {
        let mut b = top();
        let (x, out) = (b.input("x", 64), b.output("out", 1));
        let q = register(&mut b, x.into());
        b.instance("unknown", "u_store")
            .param("ADDR_BITS", 64)
            .param("DEVICE_BITS", device)
            .input("s_addr", q)
            .output("out", out)
            .done();
        area(vec![b.finish()]).ff
    };
    assert_eq!((address(64), address(32)), (64.0, 32.0));
}

/// Two streams of 16 bits that are merged, of which eight are read: the others are not kept on either side.
#[test]
fn merges_pass_on_what_is_read_of_each_stream() {
    let merge = |read: u32| {
        let mut b = top();
        let (x, y, out) = (b.input("x", 16), b.input("y", 16), b.output("out", read));
        let (x, y) = (register(&mut b, x.into()), register(&mut b, y.into()));
        let merged = b.net("merged", 16);
        b.instance("clhls_merge", "u_merge")
            .param("N", 2)
            .param("WIDTH", 16)
            .input("s_data", Expr::Concat(vec![x.into(), y.into()]))
            .output("m_data", merged)
            .done();
        b.assign(out, slice(merged, 0, read));
        area(vec![b.finish()]).ff
    };
    // Four bits fewer in the two registers and the two words of the merge each.
    assert_eq!(merge(16) - merge(12), 4.0 * 4.0);
}

/// A deep queue of words that nobody reads keeps only their number: yosys makes no block RAM of it (`c11_atomics`, 3 blocks).
#[test]
fn queues_of_words_that_nobody_reads_have_no_block_ram() {
    let queue = |read: bool| {
        let mut b = top();
        let (x, out) = (b.input("x", 8), b.output("out", 8));
        let (valid, word) = (b.output("valid", 1), b.net("word", 8));
        b.instance("clhls_fifo", "u_fifo")
            .param("WIDTH", 8)
            .param("DEPTH", 128)
            .input("s_data", x)
            .output("m_valid", valid)
            .output("m_data", word)
            .done();
        b.assign(out, if read { word.into() } else { Expr::Const(8, 0) });
        area(vec![b.finish()]).bram
    };
    assert_eq!((queue(true), queue(false)), (1.0, 0.0));
}

/// A value that goes round in a register and reaches no output is not there; one that does is.
#[test]
fn rings_count_where_they_reach_an_output() {
    let ring = |shown: bool| {
        let mut b = top();
        let out = b.output("out", 8);
        let q = b.net("q", 8);
        b.register(q, Expr::bin(Binary::Add, q.into(), Expr::Const(8, 3)), None, Some(0));
        let value = if shown { q.into() } else { Expr::Const(8, 1) };
        b.assign(out, value);
        area(vec![b.finish()]).ff
    };
    assert_eq!((ring(true), ring(false)), (8.0, 0.0));
}

/// A module with a word that passes through a register beside another one that may be a constant: of the constant no register is left,
/// and of a conjunction with it no LUT. Each constant counts for its own instances.
#[test]
fn instances_with_constants_are_counted_with_them() {
    let inner = || {
        let mut b = ModuleBuilder::new("inner", vec![]);
        let (x, y, out) = (b.input("x", 16), b.input("y", 16), b.output("out", 16));
        let (x, y) = (register(&mut b, x.into()), register(&mut b, y.into()));
        let both = Expr::bin(Binary::And, x.into(), y.into());
        let both = register(&mut b, both);
        b.assign(out, both);
        b.finish()
    };
    let with = |constants: &[Option<u128>]| {
        let mut b = top();
        for (n, constant) in constants.iter().enumerate() {
            let (x, y) = (b.input(&format!("x{n}"), 16), b.input(&format!("y{n}"), 16));
            let out = b.output(&format!("out{n}"), 16);
            let y = constant.map_or(y.into(), |c| Expr::Const(16, c));
            let instance = b.instance("inner", &format!("u_{n}"));
            instance.input("x", x).input("y", y).output("out", out).done();
        }
        area(vec![inner(), b.finish()])
    };
    // Both words and the result; a LUT of four inputs does three conjunctions of two bits.
    assert_eq!(with(&[None]), Area { ff: 48.0, lut: 16.0 / 3.0, ..Area::default() });
    // Four bits of x that are read, and as many results.
    assert_eq!(with(&[Some(0xf)]), Area { ff: 8.0, ..Area::default() });
    assert_eq!(with(&[Some(0)]), Area::default());
    let all = with(&[None, Some(0xf), Some(0xff), Some(0xf), Some(0)]);
    assert_eq!(all.ff, 48.0 + 8.0 + 16.0 + 8.0);
}

/// A comparison of constants and what it selects are known, in modules inside of others too.
#[test]
fn selections_by_constants_take_nothing() {
    let mut b = ModuleBuilder::new("inner", vec![]);
    let (x, y, n, out) = (b.input("x", 8), b.input("y", 8), b.input("n", 4), b.output("out", 8));
    let seven = b.wire("seven", Expr::bin(Binary::Eq, n.into(), Expr::Const(4, 7)));
    let (x, y) = (register(&mut b, x.into()), register(&mut b, y.into()));
    b.assign(out, Expr::from(seven).mux(x.into(), y.into()));
    let inner = b.finish();

    let mut b = top();
    let (x, y, out) = (b.input("x", 8), b.input("y", 8), b.output("out", 8));
    let instance = b.instance("inner", "u_inner").input("n", Expr::Const(4, 7));
    instance.input("x", x).input("y", y).output("out", out).done();
    assert_eq!(area(vec![inner, b.finish()]), Area { ff: 8.0, ..Area::default() });
}
