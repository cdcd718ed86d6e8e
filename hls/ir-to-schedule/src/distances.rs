//! How many iterations lie between two accesses of a loop to one address of an array on the chip, where addresses tell.
//!
//! An address is a sum of values times constants, modulo the array's size: that of an access in the iteration `d` later is the same sum of
//! what its loop-carried values are then, `next` of `d - 1`. If it differs from another access's address in this iteration by a
//! constant, the two meet in every iteration, or never.
//!
//! ```text
//! row[j] = ... row[j - 1] ...;  j' = j + 1        address of the load, an iteration later: row + 4 (j + 1) - 4 = that of the store
//! ```

use base::FxHashMap;
use ir::analysis::Carried;
use ir::{Block, Function, Inst, Op, Value, ValueDef};
use schedule::Access;

/// Most iterations that are looked at; beyond these none of an interval's windows reaches.
pub const MOST: u32 = 32;

/// A sum: the factor of each value, with the number of the iteration that it is of, and a constant. Modulo a power of two.
#[derive(Clone, Default, PartialEq, Debug)]
struct Sum {
    terms: FxHashMap<(Value, u32), u64>,
    constant: u64,
}

impl Sum {
    fn add(mut self, other: &Sum, factor: u64) -> Sum {
        for (key, n) in &other.terms {
            let own = self.terms.entry(*key).or_default();
            *own = own.wrapping_add(n.wrapping_mul(factor));
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        self
    }

    fn times(&self, factor: u64) -> Sum {
        Sum::default().add(self, factor)
    }
}

/// Addresses of a loop's accesses.
pub struct Distances<'f> {
    func: &'f Function,
    block: Block,
    carried: Carried,
    known: FxHashMap<Part, Sum>,
}

/// The low bits of a value in the iteration so much later.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    value: Value,
    later: u32,
    /// How many bits.
    bits: u32,
}

impl<'f> Distances<'f> {
    /// Those of one block that loops on itself.
    pub fn new(func: &'f Function, block: Block) -> Self {
        Distances { func, block, carried: Carried::new(func, block), known: FxHashMap::default() }
    }

    /// The number of iterations behind which `second` touches what `first` touches: in every iteration, and sooner in none. [`MOST`] and one
    /// more if that is far. None if addresses do not tell. Both are to one memory of so many bytes.
    pub fn between(
        &mut self,
        (first, x): (Inst, &Access),
        (second, y): (Inst, &Access),
        bytes: u64,
    ) -> Option<u32> {
        let bits = bytes.max(2).next_power_of_two().ilog2();
        let [from, to] = [first, second].map(|i| self.func.insts[i].args[0]);
        let from = self.sum(Part { value: from, later: 0, bits });
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        for later in 1..=MOST {
            let apart = self.sum(Part { value: to, later, bits }).add(&from, u64::MAX);
            if apart.terms.values().any(|n| n & mask != 0) {
                return None;
            }
            // The later access begins inside of the earlier one, or the other way round.
            let (behind, before) = (apart.constant & mask, apart.constant.wrapping_neg() & mask);
            if behind < u64::from(x.bytes) || before < u64::from(y.bytes) {
                return Some(later);
            }
        }
        Some(MOST + 1)
    }

    fn sum(&mut self, part: Part) -> Sum {
        if let Some(sum) = self.known.get(&part) {
            return sum.clone();
        }
        let sum = self.made(part);
        self.known.insert(part, sum.clone());
        sum
    }

    fn made(&mut self, part: Part) -> Sum {
        let (func, Part { value, later, .. }) = (self.func, part);
        if let Some(constant) = func.as_const(value) {
            return Sum { constant: constant as u64, ..Sum::default() };
        }
        let leaf = |later: u32| {
            let terms = [((value, later), 1)].into_iter().collect();
            Sum { terms, constant: 0 }
        };
        match func.values[value].def {
            ValueDef::Param(block, _) if block == self.block => match self.carried.next(value) {
                Some(next) if later > 0 => self.sum(Part { value: next, later: later - 1, ..part }),
                _ => leaf(later),
            },
            ValueDef::Inst(inst) if func.blocks[self.block].insts.contains(&inst) => {
                self.of_operation(inst, part).unwrap_or_else(|| leaf(later))
            }
            // The same in all iterations.
            _ => leaf(0),
        }
    }

    /// The result of an operation whose low bits are a sum.
    fn of_operation(&mut self, inst: Inst, part: Part) -> Option<Sum> {
        let func = self.func;
        let data = &func.insts[inst];
        let args = &data.args;
        if args.iter().any(|v| func.ty(*v).is_vector()) || func.bits(part.value) < part.bits {
            return None;
        }
        // What is above an operand's bits is no sum.
        let has = |v: Value, bits: u32| func.bits(v) >= bits;
        let both = args.iter().all(|v| has(*v, part.bits));
        let mut of = |value: Value| self.sum(Part { value, ..part });
        match data.op {
            Op::Add | Op::PtrAdd if both => Some(of(args[0]).add(&of(args[1]), 1)),
            Op::Sub if both => Some(of(args[0]).add(&of(args[1]), u64::MAX)),
            Op::Mul => {
                let factor = func.as_const(args[1])?;
                Some(of(args[0]).times(factor as u64))
            }
            Op::Shl => {
                let by = u32::try_from(func.as_const(args[1])?).ok()?;
                self.above(args[0], by, part)
            }
            Op::Concat if func.as_const(args[1]) == Some(0) => {
                self.above(args[0], func.bits(args[1]), part)
            }
            Op::Zext | Op::Sext | Op::IntToPtr | Op::PtrToInt | Op::Slice { lo: 0 } => {
                has(args[0], part.bits).then(|| of(args[0]))
            }
            _ => None,
        }
    }

    /// A value that stands from bit `low` on, above zeros.
    fn above(&mut self, value: Value, low: u32, part: Part) -> Option<Sum> {
        let bits = part.bits.checked_sub(low).filter(|n| *n > 0 && low < 64)?;
        (self.func.bits(value) >= bits)
            .then(|| self.sum(Part { value, bits, ..part }).times(1 << low))
    }
}
