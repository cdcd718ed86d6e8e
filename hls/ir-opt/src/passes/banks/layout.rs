//! Ways to divide an array into banks, and where an access then goes.

use super::{Access, MOST_BANKS};
use crate::known::Ranges;
use crate::linear::{Address, Term};
use ir::builder::sign_extend;
use ir::{Block, Builder, Function, Op, Value};
use std::collections::BTreeSet;

/// Most strides of an array's accesses that are looked at.
const MOST_STRIDES: usize = 12;

/// A way to divide an array: byte `a` is in bank `a / block mod banks`, in its block number `a / (block banks)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes that stand together, a multiple of `word`.
    pub block: u64,
    /// Number of banks, at least 2.
    pub banks: u64,
    /// Whether each bank has one block only: the whole array lies in `block * banks` bytes.
    pub once: bool,
    /// Bytes of the widest access.
    pub word: u32,
}

/// Where an access goes.
#[derive(Clone, Debug)]
pub struct Place {
    /// The bank, where it is known.
    pub bank: Option<u64>,
    parts: Parts,
}

#[derive(Clone, Debug)]
enum Parts {
    /// Number of the block in the bank, of the bank, and bytes into the block: each computed by itself.
    Sums {
        /// Only the bits that numbers of blocks have count, where the sum may be more than the number: addresses wrap.
        row: Linear,
        wraps: bool,
        bank: Linear,
        rest: Linear,
    },
    /// All three are bits of the offset.
    Bits(Linear),
}

/// `sum of (term >> shift) * factor + constant` in bytes, blocks or banks, where the bits that are shifted out are zeros.
#[derive(Clone, Default, Debug)]
pub struct Linear {
    parts: Vec<Part>,
    constant: i128,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    term: Term,
    shift: u32,
    factor: i128,
    /// Low bits of the term, not shifted, that are known to be zeros.
    zeros: u32,
    /// Least and greatest value of the term, not shifted.
    range: (i128, i128),
}

impl Part {
    /// The same in units of `unit`, when it is a multiple of that.
    fn in_units(&self, unit: i128) -> Option<Part> {
        let shift = (self.shift..=self.zeros.min(64)).find(|s| {
            let factor = self.factor.checked_shl(s - self.shift);
            factor.is_some_and(|f| f >> (s - self.shift) == self.factor && f % unit == 0)
        })?;
        Some(Part { shift, factor: (self.factor << (shift - self.shift)) / unit, ..*self })
    }

    /// What it is a multiple of, at least.
    fn stride(&self) -> u64 {
        let factor = self.factor.unsigned_abs().checked_shl(self.zeros.min(32) - self.shift);
        factor.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
    }

    fn value(&self, b: &mut Builder<'_>) -> Value {
        let (ty, width) = (b.size_type(), b.func.addr_bits);
        let mut value = self.term.value;
        if self.term.plus != 0 {
            let plus = b.constant(b.func.ty(value), self.term.plus);
            value = b.binary(Op::Add, value, plus);
        }
        let (resized, right) = match self.term.signed {
            true => (b.sext_or_trunc(value, width), Op::AShr),
            false => (b.zext_or_trunc(value, width), Op::LShr),
        };
        value = resized;
        if self.shift != 0 {
            let shift = b.size(self.shift.into());
            value = b.binary(right, value, shift);
        }
        if self.factor != 1 {
            let factor = b.constant(ty, self.factor as u128);
            value = b.binary(Op::Mul, value, factor);
        }
        value
    }
}

/// The layouts that the strides of accesses suggest, for an array of `size` bytes.
pub fn candidates(list: &[Access], size: u64) -> Vec<Layout> {
    let word = list.iter().map(|a| a.bytes).max().unwrap_or(1);
    let mut strides: BTreeSet<u64> = BTreeSet::from([u64::from(word)]);
    let parts = list.iter().flat_map(|a| &a.offset.parts).map(Part::stride);
    // Accesses at places that differ by constants only: rows of an array whose loops are unrolled.
    let constants = list.iter().map(|a| u64::try_from(a.offset.constant).unwrap_or(0));
    let common = constants.fold(0, gcd);
    for stride in [common].into_iter().chain(parts) {
        let fits = stride > 0 && stride < size && stride.is_multiple_of(word.into());
        if fits && strides.len() < MOST_STRIDES {
            strides.insert(stride);
        }
    }
    let mut found: Vec<Layout> = vec![];
    for &block in &strides {
        let doubled = (1..=MOST_BANKS.ilog2()).map(|k| block << k);
        let turns = strides.iter().copied().filter(|s| s.is_multiple_of(block)).chain(doubled);
        let counts = turns.map(|turn| turn / block).chain([size.div_ceil(block)]);
        for banks in counts.collect::<BTreeSet<u64>>() {
            if (2..=MOST_BANKS).contains(&banks) && (banks - 1) * block < size {
                found.push(Layout { block, banks, once: block * banks >= size, word });
            }
        }
    }
    found
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Layout {
    /// Bytes of each bank of an array of `size` bytes.
    pub fn bank_bytes(&self, size: u64) -> u64 {
        size.div_ceil(self.block * self.banks) * self.block
    }

    /// Where an access goes; none where that takes more than sums and bits.
    pub fn place(&self, access: &Access) -> Option<Place> {
        let (block, turn) = (i128::from(self.block), i128::from(self.block * self.banks));
        let (mut row, mut bank, mut rest) =
            (Linear::default(), Linear::default(), Linear::default());
        let mut left = access.offset.constant;
        if !self.once {
            row.constant = left.div_euclid(turn);
            left = left.rem_euclid(turn);
        }
        bank.constant = left.div_euclid(block);
        rest.constant = left.rem_euclid(block);
        for part in &access.offset.parts {
            match (part.in_units(turn).filter(|_| !self.once), part.in_units(block)) {
                (Some(part), _) => row.parts.push(part),
                (None, Some(part)) => bank.parts.push(part),
                (None, None) => rest.parts.push(*part),
            }
        }
        let (low, high) = rest.range()?;
        let inside = low >= 0 && high + i128::from(access.bytes) <= block;
        let (first, last) = bank.range().unwrap_or((i128::MIN, i128::MAX));
        let within = first >= 0 && last < i128::from(self.banks);
        // What is inside of the array is in one of the banks.
        if inside && (within || self.once && first < last) {
            let number = (first == last).then_some(first as u64);
            let wraps = access.wraps;
            return Some(Place { bank: number, parts: Parts::Sums { row, wraps, bank, rest } });
        }
        let bits = self.block.is_power_of_two() && (self.once || self.banks.is_power_of_two());
        let whole = &access.offset;
        (bits && !whole.parts.is_empty())
            .then(|| Place { bank: None, parts: Parts::Bits(whole.clone()) })
    }

    /// Whether the banks of an array of `size` bytes are single words.
    pub fn is_words(&self, size: u64) -> bool {
        self.bank_bytes(size) <= u64::from(self.word)
    }

    /// Bits of a bank's number.
    fn bank_bits(&self) -> u32 {
        self.banks.next_power_of_two().ilog2()
    }
}

impl Place {
    /// Whether it is at a constant offset in whatever bank it goes to, if that has one block.
    pub fn is_constant(&self) -> bool {
        matches!(&self.parts, Parts::Sums { row, rest, .. } if row.parts.is_empty() && rest.parts.is_empty())
    }

    /// The offset in bytes in a bank of `bank_bytes` bytes.
    pub fn offset(&self, b: &mut Builder<'_>, layout: Layout, bank_bytes: u64) -> Value {
        match &self.parts {
            Parts::Sums { row, wraps: true, rest, .. } if !row.parts.is_empty() => {
                let (row, rest) = (row.value(b), rest.value(b));
                let blocks = (bank_bytes / layout.block).next_power_of_two();
                let mask = b.size(blocks - 1);
                let row = b.binary(Op::And, row, mask);
                let block = b.size(layout.block);
                let row = b.binary(Op::Mul, row, block);
                b.binary(Op::Add, row, rest)
            }
            Parts::Sums { row, rest, .. } => {
                let mut sum = rest.clone();
                let block = i128::from(layout.block);
                sum.constant += row.constant * block;
                sum.parts.extend(row.parts.iter().map(|p| Part { factor: p.factor * block, ..*p }));
                sum.value(b)
            }
            Parts::Bits(whole) => {
                let whole = whole.value(b);
                let inside = b.size(layout.block - 1);
                let rest = b.binary(Op::And, whole, inside);
                if layout.once {
                    return rest;
                }
                let (block, turn) =
                    (layout.block.ilog2(), layout.block.ilog2() + layout.bank_bits());
                let turn = b.size(turn.into());
                let row = b.binary(Op::LShr, whole, turn);
                let block = b.size(block.into());
                let row = b.binary(Op::Shl, row, block);
                b.binary(Op::Or, row, rest)
            }
        }
    }

    /// The number of the bank, in as many bits as it needs.
    pub fn number(&self, b: &mut Builder<'_>, layout: Layout) -> Value {
        let (value, lo) = match &self.parts {
            Parts::Sums { bank, .. } => (bank.value(b), 0),
            Parts::Bits(whole) => (whole.value(b), layout.block.ilog2()),
        };
        let ty = ir::Type::int(layout.bank_bits());
        b.value(Op::Slice { lo: lo as u8 }, [value], ty)
    }
}

impl Linear {
    /// The offset of an address from its root, in bytes; none where a term has more bits than an address.
    pub fn new(func: &Function, ranges: &Ranges, block: Block, address: &Address) -> Option<Self> {
        let part = |(term, factor): &(Term, i128)| {
            let known = term.known(func, ranges, block);
            if known.width > func.addr_bits {
                return None;
            }
            let range = match term.signed {
                true => (known.smin, known.smax),
                false => (i128::try_from(known.umin).ok()?, i128::try_from(known.umax).ok()?),
            };
            let zeros = known.trailing_zeros();
            Some(Part { term: *term, shift: 0, factor: *factor, zeros, range })
        };
        let parts = address.terms.iter().map(part).collect::<Option<Vec<Part>>>()?;
        Some(Linear { parts, constant: address.offset })
    }

    /// Least and greatest value; none where that is more than can be computed with.
    fn range(&self) -> Option<(i128, i128)> {
        let (mut low, mut high) = (self.constant, self.constant);
        for Part { shift, factor, range: (least, most), .. } in &self.parts {
            let ends =
                [(least >> shift).checked_mul(*factor)?, (most >> shift).checked_mul(*factor)?];
            low = low.checked_add(ends[0].min(ends[1]))?;
            high = high.checked_add(ends[0].max(ends[1]))?;
        }
        Some((low, high))
    }

    /// Whether the sum of the terms as they are is the offset, whatever they are: it is known modulo the size of the address space only,
    /// and the offset is inside of an array.
    pub fn never_wraps(&self, addr_bits: u32) -> bool {
        let half = 1i128 << (addr_bits - 1);
        self.range().is_some_and(|(low, high)| -half <= low && high < half)
    }

    /// The sum, as wide as an address.
    fn value(&self, b: &mut Builder<'_>) -> Value {
        let ty = b.size_type();
        let mut sum: Option<Value> = None;
        for part in &self.parts {
            let value = part.value(b);
            sum = Some(sum.map_or(value, |sum| b.binary(Op::Add, sum, value)));
        }
        let constant = sign_extend(self.constant as u128, b.func.addr_bits);
        match (sum, constant) {
            (Some(sum), 0) => sum,
            (None, constant) => b.constant(ty, constant as u128),
            (Some(sum), constant) => {
                let constant = b.constant(ty, constant as u128);
                b.binary(Op::Add, sum, constant)
            }
        }
    }
}
