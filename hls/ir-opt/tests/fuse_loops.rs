//! Loops that are fused do what they did one behind the other: random sequences of loops over three arrays.

use interp::{Argument, Launch, Memory, Program};
use ir_opt::{Level, Options, run};
use std::fmt::Write;

/// Words of an array.
const WORDS: u32 = 64;

/// Random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        base::random::splitmix64(&mut self.0) % n
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Writes a kernel: numbers of the next value and effect.
struct Writer {
    text: String,
    value: u32,
    effect: u32,
}

impl Writer {
    fn value(&mut self, ty: &str, what: &str) -> u32 {
        self.value += 1;
        let _ = writeln!(self.text, "v{}:{ty} = {what}", self.value);
        self.value
    }

    /// Writes `what`, an effect behind all before it, which gives a value or nothing.
    fn effect(&mut self, ty: Option<&str>, what: &str, first: bool) -> u32 {
        let result = ty.map_or(String::new(), |ty| {
            self.value += 1;
            format!(" v{}:{ty}", self.value)
        });
        let after = if first { String::new() } else { format!(" after e{}", self.effect) };
        self.effect += 1;
        let _ = writeln!(self.text, "e{}{result} = {what}{after}", self.effect);
        self.value
    }

    /// A pointer into a random array, to a word that depends on the counter.
    fn pointer(&mut self, r: &mut Rng, counter: u32) -> u32 {
        let (base, space) =
            r.one_of(&[(0, "global"), (1, "global"), (2, "private"), (2, "private")]);
        // The counter is below 12: words 0 to 63.
        let (factor, offset) = r.one_of(&[
            (1, 0),
            (1, 0),
            (1, 0),
            (1, 1),
            (1, 2),
            (1, 30),
            (2, 0),
            (2, 1),
            (-1, 20),
            (0, 5),
        ]);
        let factor = self.value("i64", &format!("const {}", 4 * factor));
        let scaled = self.value("i64", &format!("mul v{counter}, v{factor}"));
        let offset = self.value("i64", &format!("const {}", 4 * offset));
        let bytes = self.value("i64", &format!("add v{scaled}, v{offset}"));
        self.value(&format!("ptr.{space}"), &format!("ptradd v{base}, v{bytes}"))
    }
}

/// A kernel of two to four loops, and how many they are.
fn kernel(r: &mut Rng) -> (ir::Module, usize) {
    let mut w = Writer { text: String::new(), value: 20, effect: 0 };
    w.text.push_str(
        "module \"m\" addr 64 cl 120\n\nkernel f0 \"k\" {\n  arg 0 \"a\" \"int*\" global size 8 align 4 restrict\n  \
         arg 1 \"c\" \"int*\" global size 8 align 4 restrict\n  arg 2 \"n\" \"long\" i64 size 8 align 8\n  \
         arg 3 \"m\" \"long\" i64 size 8 align 8\n  reqd_work_group_size 1 1 1\n  object o0 \"x\" private size 256 align 4\n\
         b0:\nv0:ptr.global = arg 0\nv1:ptr.global = arg 1\nv2:ptr.private = addr o0\nv3:i64 = arg 2\nv4:i64 = arg 3\n\
         v5:i64 = const 0\nv6:i64 = const 1\nv7:i64 = const 7\nv8:i32 = const 3\nv9:i32 = const 0\n",
    );
    // What private memory holds is not defined before it is set.
    for word in 0..WORDS {
        let at = w.value("i64", &format!("const {}", 4 * word));
        let pointer = w.value("ptr.private", &format!("ptradd v2, v{at}"));
        w.effect(None, &format!("store v{pointer}, v8 align 4"), word == 0);
    }
    let loops = 2 + r.below(3) as usize;
    let usual = r.one_of(&["v3", "v3", "v7"]);
    let mut found = 9;
    for k in 0..loops {
        let begin = if r.below(4) == 0 { found } else { 9 };
        let _ = writeln!(w.text, "jump b{}(v5, v{begin})", 2 * k + 1);
        let (counter, sum) = (w.value + 1, w.value + 2);
        w.value += 2;
        let hint = if r.below(12) == 0 { " loop no_fusion" } else { "" };
        let _ = writeln!(w.text, "b{}(v{counter}:i64, v{sum}:i32):{hint}", 2 * k + 1);
        let mut last = sum;
        for access in 0..1 + r.below(3) {
            let from = w.pointer(r, counter);
            let loaded = w.effect(Some("i32"), &format!("load v{from} align 4"), access == 0);
            last =
                w.value("i32", &format!("{} v{last}, v{loaded}", r.one_of(&["add", "xor", "sub"])));
            if r.below(4) > 0 {
                let to = w.pointer(r, counter);
                let odd = w.value("i1", &format!("slice v{last} lo 0"));
                let when = if r.below(4) == 0 { format!(" if v{odd}") } else { String::new() };
                w.effect(None, &format!("store v{to}, v{last}{when} align 4"), false);
            }
        }
        let next = w.value("i64", &format!("add v{counter}, v6"));
        let end = if r.below(8) == 0 { "v4" } else { usual };
        let more = w.value("i1", &format!("icmp.ult v{next}, {end}"));
        let carried = if r.below(2) == 0 { last } else { sum };
        let _ = writeln!(
            w.text,
            "br v{more}, b{}(v{next}, v{carried}), b{}\nb{}:",
            2 * k + 1,
            2 * k + 2,
            2 * k + 2
        );
        found = w.value("i32", &format!("add v{last}, v8"));
    }
    let at = w.value("i64", "const 252");
    let pointer = w.value("ptr.global", &format!("ptradd v1, v{at}"));
    w.effect(None, &format!("store v{pointer}, v{found} align 4"), true);
    w.text.push_str("ret\n}\n");
    let module = ir::parse::parse_module(&w.text).unwrap_or_else(|e| panic!("{e}\n{}", w.text));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}\n{}", w.text));
    (module, loops)
}

/// What both buffers hold in the end.
fn launched(module: &ir::Module, n: u64, m: u64) -> Vec<u8> {
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).expect("fine");
    let limit = program.address_limit();
    let words = |seed: u32| {
        (0..WORDS)
            .flat_map(|k| (k.wrapping_mul(2_654_435_761) ^ seed).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let buffers = [1, 2].map(|seed| memory.allocate("b", words(seed), 64, limit).expect("room"));
    let scalar = |n: u64| Argument::Value(n.to_le_bytes().to_vec());
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [1; 3],
        local: None,
        offset: [0; 3],
        args: vec![
            Argument::Pointer(buffers[0]),
            Argument::Pointer(buffers[1]),
            scalar(n),
            scalar(m),
        ],
    };
    program.run(&mut memory, &launch, &interp::Options::default()).expect("runs");
    buffers.iter().flat_map(|b| memory.buffer(*b).expect("there").to_vec()).collect()
}

/// How many blocks of a kernel loop on themselves.
fn loops(module: &ir::Module) -> usize {
    let (_, k) = module.kernel("k").expect("the kernel");
    k.layout.iter().filter(|b| ir::analysis::back_edge(k, **b).is_some()).count()
}

#[test]
fn fused_loops_do_what_they_did() {
    let count = std::env::var("CLHLS_RANDOM_KERNELS").ok().and_then(|n| n.parse().ok());
    let (mut fused, mut left) = (0, 0);
    for seed in 0..count.unwrap_or(600) {
        let (module, before) = kernel(&mut Rng(seed));
        let family = target::Family::unit();
        let pass = Options { passes: Some(vec!["fuse-loops".into()]), ..Options::default() };
        let once = run(module.clone(), &[], &pass, &family).expect("fine");
        let whole = Options { level: Level::O2, ..Options::default() };
        let optimised = run(module.clone(), &[], &whole, &family).expect("fine");
        for (n, m) in [(1, 1), (2, 5), (9, 11)] {
            let want = launched(&module, n, m);
            assert!(launched(&once, n, m) == want, "seed {seed}, n {n}, m {m}\n{module}\n{once}");
            assert!(launched(&optimised, n, m) == want, "seed {seed}, n {n}, m {m}: -O2\n{module}");
        }
        match loops(&once) < before {
            true => fused += 1,
            false => left += 1,
        }
    }
    assert!(fused > 60 && left > 60, "fused {fused}, left {left}");
}
