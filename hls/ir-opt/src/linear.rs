//! Addresses as a pointer plus a sum of values times constants: how far apart two of them are.

pub mod steps;

use crate::known::{Known, Ranges};
use base::SmallVec;
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op, Value};

/// Most operations that are looked through on a way.
const MOST_STEPS: u32 = 24;

/// A value as an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The value.
    pub value: Value,
    /// What is added to it first, modulo 2 to the power of its width, so that the sum may wrap; 0 where nothing is.
    pub plus: u128,
    /// Whether its highest bit is a sign.
    pub signed: bool,
}

impl Term {
    /// What is known of it as bits, before they are read with or without a sign.
    pub fn known(&self, func: &Function, ranges: &Ranges, block: Block) -> Known {
        let known = ranges.known_in(func, self.value, block);
        if self.plus == 0 { known } else { known.plus_wrapping(self.plus) }
    }
}

/// `root + sum of term * factor + offset` in bytes, modulo the size of the address space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// A pointer.
    pub root: Value,
    /// What is added, in the order of the terms; no factor is 0.
    pub terms: SmallVec<[(Term, i128); 4]>,
    /// Bytes.
    pub offset: i128,
}

/// Takes the addresses of a block apart.
pub struct Addresses<'f> {
    func: &'f Function,
    ranges: &'f Ranges,
    block: Block,
}

impl<'f> Addresses<'f> {
    /// For accesses in `block`.
    pub fn new(func: &'f Function, ranges: &'f Ranges, block: Block) -> Self {
        Addresses { func, ranges, block }
    }

    /// The address that a pointer is.
    pub fn of(&self, mut pointer: Value) -> Address {
        let mut sum = Sum::default();
        while let Some((Op::PtrAdd, [base, bytes])) = self.operation(pointer) {
            if self.func.bits(*bytes) != self.func.addr_bits {
                break;
            }
            self.add(&mut sum, *bytes, 1, MOST_STEPS);
            pointer = *base;
        }
        let bits = self.func.addr_bits;
        let reduce = |n: i128| sign_extend(n as u128, bits);
        let terms = sum.terms.into_iter().map(|(t, n)| (t, reduce(n)));
        let mut terms: SmallVec<[(Term, i128); 4]> = terms.filter(|(_, n)| *n != 0).collect();
        terms.sort_unstable();
        Address { root: pointer, terms, offset: reduce(sum.offset) }
    }

    /// Whether accesses of so many bytes at two pointers have no byte in common, as far as that follows from their addresses.
    pub fn are_apart(&self, (p, p_bytes): (Value, u32), (q, q_bytes): (Value, u32)) -> bool {
        self.difference(q, p).is_some_and(|d| i128::from(p_bytes) <= d || d <= -i128::from(q_bytes))
    }

    /// What the address of a pointer is known to be a multiple of, log2, when its root is one of 2^`root`.
    pub fn align_log2(&self, address: &Address, root: u32) -> u32 {
        let term = |(t, n): &(Term, i128)| {
            n.trailing_zeros() + t.known(self.func, self.ranges, self.block).trailing_zeros()
        };
        let terms = address.terms.iter().map(term).min().unwrap_or(u32::MAX);
        root.min(terms).min(address.offset.trailing_zeros())
    }

    /// `a - b`, when that is constant: of two pointers, or of two integers of a width, modulo which it is meant.
    pub fn difference(&self, a: Value, b: Value) -> Option<i128> {
        if self.func.ty(a).space().is_some() {
            let (a, b) = (self.of(a), self.of(b));
            let is_constant = a.root == b.root && a.terms == b.terms;
            let bits = self.func.addr_bits;
            return is_constant.then(|| sign_extend((a.offset - b.offset) as u128, bits));
        }
        let mut sum = Sum::default();
        self.add(&mut sum, a, 1, MOST_STEPS);
        self.add(&mut sum, b, -1, MOST_STEPS);
        let is_constant = sum.terms.iter().all(|(_, n)| *n == 0);
        is_constant.then(|| sign_extend(sum.offset as u128, self.func.bits(a)))
    }

    fn operation(&self, value: Value) -> Option<(Op, &'f [Value])> {
        let inst: Inst = self.func.def_inst(value)?;
        let data = &self.func.insts[inst];
        Some((data.op, &data.args))
    }

    fn known(&self, value: Value) -> Known {
        self.ranges.known_in(self.func, value, self.block)
    }

    /// Adds `value * factor`, modulo what the value's width can hold: that of an address, when it is part of one.
    fn add(&self, sum: &mut Sum, value: Value, factor: i128, steps: u32) {
        let own = Term { value, plus: 0, signed: false };
        if let Some(bits) = self.func.as_const(value) {
            return sum.constant(bits as i128, factor);
        }
        let constant = |v: &Value| self.func.as_const(*v).map(|c| c as i128);
        match self.operation(value).filter(|_| steps > 0) {
            Some((Op::Add, [a, b])) => {
                self.add(sum, *a, factor, steps - 1);
                self.add(sum, *b, factor, steps - 1);
            }
            Some((Op::Sub, [a, b])) => {
                self.add(sum, *a, factor, steps - 1);
                self.add(sum, *b, factor.wrapping_neg(), steps - 1);
            }
            Some((Op::Or, [a, b])) if self.are_disjoint(*a, *b) => {
                self.add(sum, *a, factor, steps - 1);
                self.add(sum, *b, factor, steps - 1);
            }
            Some((Op::Shl, [a, n])) if let Some(n) = constant(n).filter(|n| *n < 64) => {
                self.add(sum, *a, factor.wrapping_shl(n as u32), steps - 1);
            }
            Some((Op::Mul, [a, n])) if let Some(n) = constant(n) => {
                self.add(sum, *a, factor.wrapping_mul(n), steps - 1);
            }
            // The low bits are the whole, modulo what they can hold.
            Some((Op::Slice { lo: 0 }, [a])) => self.add(sum, *a, factor, steps - 1),
            Some((Op::Zext, [a])) => self.add_exactly(sum, *a, false, factor, steps - 1),
            Some((Op::Sext, [a])) => self.add_exactly(sum, *a, true, factor, steps - 1),
            _ => sum.term(own, factor),
        }
    }

    /// Adds `value * factor` where `value` is an integer of fewer bits than an address, with a sign or
    /// without: looks through operations only where they cannot overflow.
    fn add_exactly(&self, sum: &mut Sum, value: Value, signed: bool, factor: i128, steps: u32) {
        let known = self.known(value);
        let signed = signed && !known.is_non_negative();
        let width = known.width;
        if let Some(bits) = self.func.as_const(value) {
            let n = if signed { sign_extend(bits, width) } else { bits as i128 };
            return sum.constant(n, factor);
        }
        let constant = |v: &Value| self.func.as_const(*v).map(|c| c as i128);
        let both = |sum: &mut Sum, a: Value, b: Value, signed: bool, minus: bool| {
            self.add_exactly(sum, a, signed, factor, steps - 1);
            let factor = if minus { factor.wrapping_neg() } else { factor };
            self.add_exactly(sum, b, signed, factor, steps - 1);
        };
        let found = self.operation(value).filter(|_| steps > 0 && width < 64);
        match found {
            Some((op @ (Op::Add | Op::Sub), [a, b])) => {
                let minus = op == Op::Sub;
                match self.reading(*a, *b, minus, signed, &known) {
                    Some(signed) => both(sum, *a, *b, signed, minus),
                    None if op == Op::Add && self.func.as_const(*b).is_some() => {
                        self.add_shifted(sum, (*a, *b), signed, factor);
                    }
                    None => sum.term(Term { value, plus: 0, signed }, factor),
                }
            }
            Some((Op::Or, [a, b])) if self.are_disjoint(*a, *b) => {
                both(sum, *a, *b, signed, false);
            }
            Some((op @ (Op::Shl | Op::Mul), [a, n])) if let Some(n) = constant(n) => {
                let times = if op == Op::Shl { 1i128.checked_shl(n as u32) } else { Some(n) };
                let from = self.known(*a);
                match times.filter(|n| scaled_fits(&from, *n, width, signed)) {
                    Some(n) => {
                        self.add_exactly(sum, *a, signed, factor.wrapping_mul(n), steps - 1);
                    }
                    None => sum.term(Term { value, plus: 0, signed }, factor),
                }
            }
            Some((Op::Zext, [a])) => self.add_exactly(sum, *a, false, factor, steps - 1),
            Some((Op::Sext, [a])) if signed || known.is_non_negative() => {
                self.add_exactly(sum, *a, true, factor, steps - 1);
            }
            Some((Op::Slice { lo: 0 }, [a])) if !signed && fits_in(&self.known(*a), width) => {
                self.add_exactly(sum, *a, false, factor, steps - 1);
            }
            _ => sum.term(Term { value, plus: 0, signed }, factor),
        }
    }

    /// Adds `(a + c) * factor` for a constant `c` with which the sum may wrap: the part of `c` that only reaches bits in which `a` has zeros
    /// changes nothing else, and does not depend on whether the rest wraps.
    fn add_shifted(&self, sum: &mut Sum, (a, c): (Value, Value), signed: bool, factor: i128) {
        let bits = self.func.as_const(c).unwrap_or_default();
        let zeros = self.known(a).trailing_zeros().min(self.func.bits(a) - 1);
        let low = bits & crate::bits::ones(zeros);
        sum.constant(low as i128, factor);
        sum.term(Term { value: a, plus: bits - low, signed }, factor);
    }

    /// With or without signs: how to read the operands of a sum or difference of which nothing overflows then.
    fn reading(&self, a: Value, b: Value, minus: bool, signed: bool, sum: &Known) -> Option<bool> {
        let (x, y) = (self.known(a), self.known(b));
        let most = crate::bits::ones(sum.width);
        let unsigned = match minus {
            false => x.umax.checked_add(y.umax).is_some_and(|n| n <= most),
            true => x.umin >= y.umax,
        };
        if unsigned && !signed {
            return Some(false);
        }
        let (low, high) = match minus {
            false => (x.smin + y.smin, x.smax + y.smax),
            true => (x.smin - y.smax, x.smax - y.smin),
        };
        let bounds = Known::top(sum.width);
        let inside = bounds.smin <= low && high <= bounds.smax;
        (inside && (signed || sum.is_non_negative())).then_some(true)
    }

    /// No bit can be 1 in both.
    fn are_disjoint(&self, a: Value, b: Value) -> bool {
        let (x, y) = (self.known(a), self.known(b));
        !x.zeros & !y.zeros & crate::bits::ones(x.width) == 0
    }
}

/// Whether all values are below 2^`width`.
fn fits_in(known: &Known, width: u32) -> bool {
    known.umax <= crate::bits::ones(width)
}

/// Whether `width` bits hold all values times `n`, which is positive.
fn scaled_fits(known: &Known, n: i128, width: u32, signed: bool) -> bool {
    let bounds = Known::top(width);
    if signed {
        let ends = (known.smin.checked_mul(n), known.smax.checked_mul(n));
        return matches!(ends, (Some(low), Some(high)) if bounds.smin <= low && high <= bounds.smax && n > 0);
    }
    let product = u128::try_from(n).ok().and_then(|n| known.umax.checked_mul(n));
    product.is_some_and(|p| p <= bounds.umax)
}

#[derive(Default)]
struct Sum {
    terms: SmallVec<[(Term, i128); 4]>,
    offset: i128,
}

impl Sum {
    fn constant(&mut self, n: i128, factor: i128) {
        self.offset = self.offset.wrapping_add(n.wrapping_mul(factor));
    }

    fn term(&mut self, term: Term, factor: i128) {
        match self.terms.iter_mut().find(|(t, _)| *t == term) {
            Some((_, n)) => *n = n.wrapping_add(factor),
            None => self.terms.push((term, factor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The addresses of the loads of the only block that has any, as text.
    fn addresses(text: &str) -> Vec<(i128, Vec<i128>)> {
        let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        let func = module.functions.values().next().expect("a function");
        let ranges = Ranges::new(func, 256);
        let mut found = vec![];
        for &block in &func.layout {
            let addresses = Addresses::new(func, &ranges, block);
            for &i in &func.blocks[block].insts {
                if let Op::Load(_) = func.insts[i].op {
                    let a = addresses.of(func.insts[i].args[0]);
                    found.push((a.offset, a.terms.iter().map(|(_, n)| *n).collect()));
                }
            }
        }
        found
    }

    /// A loop that counts by `step` to `n`, with loads at `i` and at an index computed as `second` says.
    fn counting(step: u32, second: &str) -> String {
        format!(
            "module \"m\" addr 64 cl 120\n\nkernel f0 \"f\" {{\n  arg 0 \"a\" \"int*\" global size 8 align 4\n  \
             arg 1 \"n\" \"int\" i32 size 4 align 4\nb0:\n  v0:ptr.global = arg 0\n  v1:i32 = arg 1\n  \
             v2:i32 = const 0\n  v3:i32 = const {step}\n  v4:i64 = const 2\n  v5:i32 = const 1\n  v6:i1 = icmp.slt v2, v1\n  \
             br v6, b1(v2), b2\nb1(v7:i32):\n  v8:i64 = sext v7\n  v9:i64 = shl v8, v4\n  v10:ptr.global = ptradd v0, v9\n  \
             e0 v11:i32 = load v10 align 4\n  v12:i32 = {second}\n  v13:i64 = sext v12\n  v14:i64 = shl v13, v4\n  \
             v15:ptr.global = ptradd v0, v14\n  e1 v16:i32 = load v15 align 4\n  v17:i32 = add v7, v3\n  \
             v18:i1 = icmp.slt v17, v1\n  br v18, b1(v17), b2\nb2:\n  ret\n}}\n"
        )
    }

    #[test]
    fn sums_that_cannot_overflow_are_looked_through() {
        // the index is below n: one more does not overflow
        assert_eq!(addresses(&counting(1, "add v7, v5")), [(0, vec![4]), (4, vec![4])]);
    }

    #[test]
    fn bits_that_cannot_carry_are_sums() {
        assert_eq!(addresses(&counting(4, "or v7, v5")), [(0, vec![4]), (4, vec![4])]);
        let odd = addresses(&counting(1, "or v7, v5"));
        assert_eq!(odd[1].0, 0, "an odd index may have the bit already");
    }

    #[test]
    fn products_keep_signs_where_they_fit() {
        let text = counting(1, "or v7, v5")
            .replace("  v14:i64 = shl v13, v4\n", "  v14:i64 = add v13, v13\n");
        assert_eq!(addresses(&text)[1], (0, vec![2]));
        // a number of 34 bits holds four times any of 32 with a sign, one of 33 does not
        for (width, factors) in [(34, vec![4]), (33, vec![1])] {
            let wide = format!(
                "v13:i{width} = sext v12\n  v19:i{width} = const 2\n  v20:i{width} = shl v13, v19\n  v14:i64 = sext v20"
            );
            let text = counting(1, "sub v1, v7");
            let text = text.replace("v13:i64 = sext v12\n  v14:i64 = shl v13, v4", &wide);
            assert_eq!(addresses(&text)[1], (0, factors), "{width} bits");
        }
    }

    #[test]
    fn low_bits_of_sums_that_may_overflow_stand_apart() {
        for (constant, offset) in [(-24, 0), (-23, 4), (-17, 28), (5, 20), (8, 0)] {
            let scaled = format!(
                "v20:i32 = const 3\n  v21:i32 = shl v7, v20\n  v22:i32 = const {constant}\n  v12:i32 = add v21, v22"
            );
            let text = counting(1, "add v7, v1").replace("v12:i32 = add v7, v1", &scaled);
            let low = "8 i is a multiple of 8, so what is added below 8 cannot wrap";
            assert_eq!(addresses(&text)[1], (offset, vec![4]), "{constant}: {low}");
        }
    }

    #[test]
    fn sums_that_may_overflow_are_terms() {
        let found = addresses(&counting(1, "add v7, v1"));
        assert_eq!(found[1], (0, vec![4]), "i + n is a value of its own");
    }
}
