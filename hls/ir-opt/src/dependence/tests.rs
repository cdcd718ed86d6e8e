//! The analysis against all iterations of small loops, one by one.

use super::*;
use ir::analysis::{Cfg, Loops};

/// Random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        base::random::splitmix64(&mut self.0) % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

#[test]
fn meetings_are_those_of_trying_all() {
    for step in -9i128..=9 {
        for ahead in -40i128..=40 {
            for (first, second) in [(4, 4), (1, 8), (8, 2), (12, 4)] {
                let meets = |d: &i128| -second < ahead + step * d && ahead + step * d < first;
                let tried = (1..200).find(meets);
                let found = meets_later(step, ahead, first, second);
                assert_eq!(found, tried, "{step} {ahead} {first} {second}");
            }
        }
    }
}

/// An index of bytes: `of i * i + of j * j + of n * n + offset`, computed in `width` bits and extended to those of addresses.
#[derive(Clone, Copy, Debug)]
struct Index {
    i: i64,
    j: i64,
    n: i64,
    offset: i64,
    width: u32,
    signed: bool,
}

/// `for (j = 0; ..) for (i = start; i < end; i += step) { load at one index; store at another; }`; `i` is of `width` bits and its test signed
/// or not; where `known` is false the end is an argument.
#[derive(Clone, Copy, Debug)]
struct Nest {
    /// Bits of addresses.
    addr: u32,
    width: u32,
    start: i64,
    step: i64,
    end: i64,
    known: bool,
    load: Index,
    store: Index,
    bytes: [u32; 2],
}

const ROWS: i64 = 3;

impl Nest {
    fn random(r: &mut Rng) -> Nest {
        let small = |r: &mut Rng, n: u64| r.below(2 * n + 1) as i64 - n as i64;
        let factors = [0, 1, 2, 3, 4, 6, 8, 12, -1, -4, -8, -12];
        let factor = |r: &mut Rng| factors[r.below(factors.len() as u64) as usize];
        let width = [8, 16, 32, 64][r.below(4) as usize];
        let addr = if r.below(4) == 0 { 32 } else { 64 };
        let (i, j, n) = (factor(r), factor(r), factor(r));
        let load = Index {
            i,
            j,
            n: if r.coin() { 0 } else { n },
            offset: small(r, 40),
            width: if r.coin() { 64 } else { width },
            signed: r.coin(),
        };
        // Often the same shape, so that something can be found out.
        let store = match r.below(4) {
            0 => Index { i: factor(r), offset: small(r, 40), ..load },
            1 => Index { j: factor(r), n: factor(r), offset: small(r, 40), ..load },
            _ => Index { offset: load.offset + 4 * small(r, 12), ..load },
        };
        let step = [1, 1, 1, 2, 3, -1, -2, 16][r.below(8) as usize];
        let start = small(r, 60);
        let trips = r.below(40) as i64;
        let end = start + step * trips;
        let bytes = [1u32, 2, 4, 8];
        let bytes = match r.coin() {
            true => [4, 4],
            false => [bytes[r.below(4) as usize], bytes[r.below(4) as usize]],
        };
        Nest { addr, width, start, step, end, known: r.coin(), load, store, bytes }
    }

    fn text(&self) -> String {
        let (w, addr) = (self.width, self.addr);
        let constant = |n: i64, bits: u32| sign_extend(n as u128, bits);
        let mut body = String::new();
        let mut next = 40;
        let mut value = |body: &mut String, ty: &str, what: String| {
            body.push_str(&format!("  v{next}:{ty} = {what}\n"));
            next += 1;
            format!("v{}", next - 1)
        };
        let mut pointer = |x: &Index| {
            let (own, ty) = (x.width, format!("i{}", x.width));
            let mut sum = value(&mut body, &ty, format!("const {}", constant(x.offset, own)));
            for (v, from, factor) in [("v10", w, x.i), ("v11", 64, x.j), ("v12", 64, x.n)] {
                let v = match own.cmp(&from) {
                    std::cmp::Ordering::Equal => v.to_owned(),
                    std::cmp::Ordering::Less => value(&mut body, &ty, format!("slice {v} lo 0")),
                    std::cmp::Ordering::Greater => {
                        let op = if x.signed { "sext" } else { "zext" };
                        value(&mut body, &ty, format!("{op} {v}"))
                    }
                };
                let factor = value(&mut body, &ty, format!("const {}", constant(factor, own)));
                let product = value(&mut body, &ty, format!("mul {v}, {factor}"));
                sum = value(&mut body, &ty, format!("add {sum}, {product}"));
            }
            let wide = format!("i{addr}");
            if own < addr {
                let op = if x.signed { "sext" } else { "zext" };
                sum = value(&mut body, &wide, format!("{op} {sum}"));
            } else if own > addr {
                sum = value(&mut body, &wide, format!("slice {sum} lo 0"));
            }
            value(&mut body, "ptr.global", format!("ptradd v0, {sum}"))
        };
        let (p, q) = (pointer(&self.load), pointer(&self.store));
        let [a, b] = self.bytes.map(|n| 8 * n);
        let end = if self.known {
            format!("const {}", constant(self.end, w))
        } else {
            "arg 2".to_owned()
        };
        format!(
            "module \"m\" addr {addr} cl 120\n\nkernel f0 \"f\" {{\n  arg 0 \"a\" \"int*\" global size {pointer} align 4\n  \
             arg 1 \"n\" \"long\" i64 size 8 align 8\n  arg 2 \"e\" \"int\" i{w} size {size} align {size}\n  \
             reqd_work_group_size 1 1 1\nb0:\n  v0:ptr.global = arg 0\n  v12:i64 = arg 1\n  v13:i{w} = {end}\n  \
             v14:i{w} = const {start}\n  v15:i{w} = const {step}\n  v16:i64 = const 0\n  v17:i64 = const 1\n  \
             v18:i64 = const {ROWS}\n  jump b1(v16)\nb1(v11:i64):\n  jump b2(v14)\nb2(v10:i{w}):\n{body}  \
             e0 v30:i{a} = load {p} align 1\n  v31:i{b} = const 1\n  e1 = store {q}, v31 align 1 after e0\n  \
             v32:i{w} = add v10, v15\n  v33:i1 = icmp.ne v32, v13\n  br v33, b2(v32), b3\nb3:\n  v34:i64 = add v11, v17\n  \
             v35:i1 = icmp.ult v34, v18\n  br v35, b1(v34), b4\nb4:\n  ret\n}}\n",
            pointer = addr / 8,
            size = w / 8,
            start = constant(self.start, w),
            step = constant(self.step, w),
        )
    }

    /// Addresses of an access in the iterations of one run of the inner loop.
    fn addresses(&self, x: &Index, j: i64, n: i64) -> Vec<i64> {
        let wrap = |v: i64, bits: u32, signed: bool| -> i64 {
            let extended = sign_extend(v as u128, bits) as i64;
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            if signed { extended } else { (v as u64 & mask) as i64 }
        };
        let (mut out, mut i) = (vec![], wrap(self.start, self.width, true));
        loop {
            let read = wrap(i, self.width, x.signed || self.width >= x.width);
            let sum = x.i.wrapping_mul(read).wrapping_add(x.j * j).wrapping_add(x.n * n);
            out.push(wrap(sum.wrapping_add(x.offset), x.width, x.signed || x.width == 64));
            i = wrap(i.wrapping_add(self.step), self.width, true);
            if i == wrap(self.end, self.width, true) || out.len() > 600 {
                return out;
            }
        }
    }
}

/// The least numbers of iterations from a load to a store that touches the same bytes, and from a store to a load, and whether each load from
/// the `carried`-th iteration on reads what the store that many iterations before wrote, and nothing later.
fn tried(nest: &Nest, carried: Option<u32>) -> ([Option<u32>; 2], bool) {
    let apart = |x: i64, y: i64| sign_extend(x.wrapping_sub(y) as u128, nest.addr) as i64;
    let (mut later, mut right): ([Option<u32>; 2], bool) = ([None; 2], true);
    for j in 0..ROWS {
        for n in [-7, 0, 1, 5, 64] {
            let (loads, stores) =
                (nest.addresses(&nest.load, j, n), nest.addresses(&nest.store, j, n));
            let [l, s] = nest.bytes.map(i64::from);
            for (x, a) in loads.iter().enumerate() {
                for (y, b) in stores.iter().enumerate() {
                    let gap = apart(*b, *a);
                    if gap > -s && gap < l && x != y {
                        let d = x.abs_diff(y) as u32;
                        let later = &mut later[usize::from(y < x)];
                        *later = Some(later.map_or(d, |n| n.min(d)));
                    }
                }
                let Some(d) = carried.map(|d| d as usize) else { continue };
                let earlier = (0..x).rev().find(|y| {
                    let gap = apart(stores[*y], *a);
                    gap > -s && gap < l
                });
                right &= if x >= d {
                    earlier == Some(x - d) && apart(stores[x - d], *a) == 0
                } else {
                    earlier.is_none()
                };
            }
        }
    }
    (later, right)
}

/// What is found out, of which only the first must be nothing: that the accesses never meet, meet after several iterations, that a value is
/// carried, that only the load meets the store.
fn compare(seed: u64) -> [bool; 4] {
    let mut nest = Nest::random(&mut Rng(seed));
    if nest.start == nest.end {
        nest.end += nest.step;
    }
    let module =
        ir::parse::parse_module(&nest.text()).unwrap_or_else(|e| panic!("{e}\n{}", nest.text()));
    let func = module.functions.values().next().expect("a function");
    let ranges = Ranges::new(func, 256);
    let alias = Alias::new(func);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let inner = loops.loops.iter().find(|(_, l)| l.blocks == [l.header]);
    let (id, data) = inner.expect("a loop of one block");
    let steps = Steps::new(func, &ranges, &loops, &homes, id).expect("one way back");
    let iterations = Iterations::new(func, &ranges, data.header, steps);
    let nearest = iterations.nearest(0, 1, Assume::Nothing);
    let carried = iterations.carries(&alias, 1, 0);
    let (later, right) = tried(&nest, carried);
    let want = later.into_iter().flatten().min();
    let is_fine = |found: Option<i128>, want: Option<u32>| match (found, want) {
        (None, want) => want.is_none(),
        (Some(d), Some(want)) => d <= want.into(),
        (Some(_), None) => true,
    };
    let fine = is_fine(nearest.map(i128::from), want);
    assert!(fine, "seed {seed}: found {nearest:?}, tried {want:?} {nest:?}\n{}", nest.text());
    let meets = [(0, 1), (1, 0)].map(|(a, b)| iterations.meets(a, b));
    let fine = meets.iter().zip(later).all(|(found, want)| is_fine(*found, want));
    assert!(fine, "seed {seed}: found {meets:?}, tried {later:?} {nest:?}\n{}", nest.text());
    assert!(right, "seed {seed}: carried {carried:?} {nest:?}\n{}", nest.text());
    let one_way = meets[0].is_some() && meets[1].is_none();
    [nearest.is_none(), nearest.is_some_and(|d| d > 1), carried.is_some(), one_way]
}

#[test]
fn no_distance_is_longer_than_that_of_trying_all() {
    let mut found = [0; 4];
    let count = std::env::var("CLHLS_RANDOM_KERNELS").ok().and_then(|n| n.parse().ok());
    for seed in 0..count.unwrap_or(6000) {
        for (n, is) in found.iter_mut().zip(compare(seed)) {
            *n += u32::from(is);
        }
    }
    assert!(
        found.iter().zip([300, 300, 60, 60]).all(|(n, least)| *n > least),
        "too little is found out: {found:?}"
    );
}
