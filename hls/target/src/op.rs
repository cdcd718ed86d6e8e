//! The operators that have a delay and an area.

/// An integer operator as hardware. `width` in the functions of [`crate::Family`] is the operand width in bits: the
/// wider operand of [`OpKind::Mul`], the data width of [`OpKind::Mux`] and the shifts, the operand (not the result) of
/// comparisons, reductions and counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A constant: no hardware.
    Const,
    /// Bits `[hi:lo]` of a value, also truncation: wires.
    Slice,
    /// Concatenation: wires.
    Concat,
    /// Zero extension: wires.
    ZeroExt,
    /// Sign extension: wires.
    SignExt,
    /// Bits in reverse order: wires.
    BitReverse,
    /// Shift or rotation by a constant: wires.
    ConstShift,
    /// Bitwise complement.
    Not,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// And, or, or xor of all bits of one value to one bit.
    Reduce,
    /// Addition, also with a carry input.
    Add,
    /// Subtraction.
    Sub,
    /// Two's complement negation.
    Neg,
    /// Addition or subtraction as a select input says.
    AddSub,
    /// Product. One registered DSP tile while both operands fit ([`crate::DspTile`]); wider ones are estimated as tiles
    /// followed by an adder tree, which is how `arith` builds them.
    Mul,
    /// Equal or not equal.
    CmpEq,
    /// Less than and its relatives, signed or unsigned.
    CmpLt,
    /// Minimum or maximum: a comparison that selects.
    MinMax,
    /// One of `ways` values of `width` bits; 2 is `select`. Binary select input.
    Mux {
        /// Number of data inputs, at least 2.
        ways: u32,
    },
    /// Shift left by a variable amount.
    Shl,
    /// Shift right by a variable amount, filling with zeros.
    LShr,
    /// Shift right by a variable amount, filling with the sign.
    AShr,
    /// Number of leading (or trailing) zeros.
    Lzc,
    /// Number of ones.
    Popcount,
    /// Read of an on-chip RAM or ROM through `clhls_ram`; `width` is the width of the word.
    RamRead,
}

impl OpKind {
    /// Every operator, with a few sizes of multiplexer: for tables and tests.
    pub const ALL: [OpKind; 30] = [
        OpKind::Const,
        OpKind::Slice,
        OpKind::Concat,
        OpKind::ZeroExt,
        OpKind::SignExt,
        OpKind::BitReverse,
        OpKind::ConstShift,
        OpKind::Not,
        OpKind::And,
        OpKind::Or,
        OpKind::Xor,
        OpKind::Reduce,
        OpKind::Add,
        OpKind::Sub,
        OpKind::Neg,
        OpKind::AddSub,
        OpKind::Mul,
        OpKind::CmpEq,
        OpKind::CmpLt,
        OpKind::MinMax,
        OpKind::Mux { ways: 2 },
        OpKind::Mux { ways: 4 },
        OpKind::Mux { ways: 8 },
        OpKind::Mux { ways: 16 },
        OpKind::Shl,
        OpKind::LShr,
        OpKind::AShr,
        OpKind::Lzc,
        OpKind::Popcount,
        OpKind::RamRead,
    ];

    /// True for operators that are wires only: no delay, no area, on every family.
    pub fn is_wire(self) -> bool {
        use OpKind::*;
        matches!(self, Const | Slice | Concat | ZeroExt | SignExt | BitReverse | ConstShift)
    }
}
