//! Operators on many operands at once: the IR that becomes hardware, run instruction by instruction over arrays.
//!
//! [`Program::new`] lowers the operator's IR to steps, each a loop over [`LANES`] machine words of a fixed size, which the compiler turns
//! into vector instructions. What it computes is tested to be what [`clhls_arith::eval`] computes (`tests/lanes.rs`); it is several times
//! faster, as an instruction is looked at once for all lanes and most values of single precision fit 32 bits.

mod kernels;
mod lower;

use clhls_arith::{Operator, build_function};
use ir::Function;
use kernels::Banks;

/// Operands of a run.
pub const LANES: usize = 512;

/// The machine word that holds a value: the smallest that is wide enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// 32 bits.
    Narrow,
    /// 64 bits.
    Word,
    /// 128 bits.
    Wide,
}

impl Class {
    fn of(width: u32) -> Class {
        match width {
            0..=32 => Class::Narrow,
            33..=64 => Class::Word,
            _ => Class::Wide,
        }
    }
}

/// What a step does to each lane. Results are cut to [`Step::width`] bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Add,
    Sub,
    Mul,
    /// 64 by 64 bits to 128, unsigned.
    UnsignedProduct,
    /// The same in two's complement.
    SignedProduct,
    And,
    Or,
    Xor,
    Not,
    /// 0 from a distance of the width on.
    Shl,
    /// Likewise.
    LShr,
    /// All sign bits from a distance of the width on.
    AShr,
    /// The first operand above the `by` bits of the second.
    Concat,
    /// The second or, where the first is 0, the third.
    Select,
    Eq,
    Ult,
    /// Of operands with `by` bits.
    Slt,
    /// Of an operand with `by` bits.
    Clz,
    Popcount,
    /// The bits from `by` on, in another class or the same.
    Slice,
    /// Sign extension of `by` bits, in the class of the result.
    Sext,
    /// The word at the index in table `b` of the result's class.
    Lookup,
}

impl Action {
    /// It has two operands, of one class.
    fn is_binary(self) -> bool {
        use Action::*;
        match self {
            Add | Sub | Mul | UnsignedProduct | SignedProduct | And | Or | Xor => true,
            Shl | LShr | AShr | Concat | Eq | Ult | Slt => true,
            Not | Select | Clz | Popcount | Slice | Sext | Lookup => false,
        }
    }

    fn is_commutative(self) -> bool {
        use Action::*;
        matches!(self, Add | Mul | UnsignedProduct | SignedProduct | And | Or | Xor | Eq)
    }
}

/// One loop over the lanes.
#[derive(Clone, Copy, Debug)]
struct Step {
    action: Action,
    /// Class of the operands (of `Select`: of the second and third).
    from: Class,
    /// Class of the result.
    to: Class,
    /// Result and operands: indices in the banks of their classes.
    d: u32,
    a: u32,
    b: u32,
    c: u32,
    /// The second of two operands instead of `b`.
    constant: Option<u128>,
    /// See [`Action`].
    by: u8,
    /// Bits of the result.
    width: u8,
}

/// A value's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    class: Class,
    index: u32,
}

/// Tables by the class of their words.
#[derive(Default)]
struct Tables {
    narrow: Vec<Box<[u32]>>,
    word: Vec<Box<[u64]>>,
    wide: Vec<Box<[u128]>>,
}

/// An operator with room for the values of one run.
pub struct Program {
    steps: Vec<Step>,
    tables: Tables,
    inputs: Vec<Place>,
    result: Place,
    banks: Banks,
}

impl Program {
    /// The program of an operator with results of up to 64 bits together.
    pub fn new(op: Operator) -> Program {
        Program::of(&build_function(op, 64))
    }

    /// The program of a function of one block without effects, of integers, whose parameters and result have up to 64 bits.
    ///
    /// # Panics
    /// If it has another instruction than [`clhls_arith::ir_builder::IrBuilder`] makes.
    pub fn of(func: &Function) -> Program {
        let params = &func.blocks[func.entry()].params;
        let narrow = params.iter().all(|v| func.bits(*v) <= 64);
        assert!(narrow && func.result.is_some_and(|ty| ty.bits(64) <= 64), "more than 64 bits");
        lower::lower(func)
    }

    /// The results of all lanes; `inputs[i]` has the `i`-th operand of each.
    pub fn run(&mut self, inputs: &[[u64; LANES]], results: &mut [u64; LANES]) {
        for (place, values) in self.inputs.iter().zip(inputs) {
            self.banks.set(*place, values);
        }
        kernels::run(&self.steps, &self.tables, &mut self.banks);
        self.banks.get(self.result, results);
    }
}
