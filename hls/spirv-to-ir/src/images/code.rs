//! Writing IR of 32-bit integers and single-precision numbers.

use base::SmallVec;
use ir::{Block, Builder, FloatKind, Function, IntCC, Op, Rounding, Type, Value};

/// Appends to a function of the library.
pub(super) struct Code<'f> {
    pub b: Builder<'f>,
    entry: Block,
}

impl<'f> Code<'f> {
    pub fn at(func: &'f mut Function, entry: Block) -> Self {
        Code { b: Builder::at(func, entry), entry }
    }

    /// A new last parameter.
    pub fn parameter(&mut self, ty: Type) -> Value {
        self.b.func.add_param(self.entry, ty)
    }

    pub fn ty(&self, v: Value) -> Type {
        self.b.func.ty(v)
    }

    // --- constants ---

    /// An i32.
    pub fn int(&mut self, n: i32) -> Value {
        self.b.constant(Type::I32, u128::from(n as u32))
    }

    /// An f32.
    pub fn float(&mut self, x: f32) -> Value {
        self.b.constant(Type::F32, u128::from(x.to_bits()))
    }

    // --- bits ---

    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    /// Bits `lo..lo + width`.
    pub fn slice(&mut self, v: Value, lo: u32, width: u32) -> Value {
        if lo == 0 && self.ty(v) == Type::int(width) {
            return v;
        }
        self.b.value(Op::Slice { lo: lo as u8 }, [v], Type::int(width))
    }

    /// The bit field of a word.
    pub fn field(&mut self, word: Value, (lo, width): (u8, u32)) -> Value {
        self.slice(word, u32::from(lo), width)
    }

    pub fn zext(&mut self, v: Value, width: u32) -> Value {
        self.b.zext_or_trunc(v, width)
    }

    pub fn sext(&mut self, v: Value, width: u32) -> Value {
        self.b.sext_or_trunc(v, width)
    }

    /// The parts one above the other, the highest first.
    pub fn concat(&mut self, parts: &[Value]) -> Value {
        let mut all = parts[0];
        for &part in &parts[1..] {
            let width = self.b.func.bits(all) + self.b.func.bits(part);
            all = self.b.value(Op::Concat, [all, part], Type::int(width));
        }
        all
    }

    /// The upper bits of a 64-bit number, and zeros below.
    pub fn at_top(&mut self, v: Value) -> Value {
        let width = self.b.func.bits(v);
        if width == 64 {
            return v;
        }
        let zeros = self.b.constant(Type::int(64 - width), 0);
        self.concat(&[v, zeros])
    }

    /// `n` copies of a number side by side.
    pub fn repeated(&mut self, v: Value, n: usize) -> Value {
        let copies: SmallVec<[Value; 16]> = std::iter::repeat_n(v, n).collect();
        self.concat(&copies)
    }

    pub fn bitcast(&mut self, v: Value, ty: Type) -> Value {
        if self.ty(v) == ty { v } else { self.b.value(Op::Bitcast, [v], ty) }
    }

    // --- decisions ---

    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.b.icmp(cc, a, b)
    }

    /// Whether an integer is the constant `n`.
    pub fn is(&mut self, v: Value, n: u32) -> Value {
        let ty = self.ty(v);
        let n = self.b.constant(ty, n.into());
        self.b.icmp(IntCC::Eq, v, n)
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(Op::And, a, b)
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.binary(Op::Or, a, b)
    }

    pub fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.b.select(c, a, b)
    }

    /// The value whose condition is true, the first of several; `otherwise` if none is.
    pub fn choose(&mut self, cases: &[(Value, Value)], otherwise: Value) -> Value {
        cases.iter().rev().fold(otherwise, |rest, (c, v)| self.b.select(*c, *v, rest))
    }

    /// A signed integer limited to `low..=high`.
    pub fn clamp(&mut self, v: Value, low: Value, high: Value) -> Value {
        let below = self.icmp(IntCC::Slt, v, low);
        let above = self.icmp(IntCC::Sgt, v, high);
        let v = self.select(above, high, v);
        self.select(below, low, v)
    }

    // --- floating point ---

    pub fn round(&mut self, x: Value, mode: Rounding) -> Value {
        self.b.unary(Op::FRound(mode), x)
    }

    /// An i32, to nearest even or toward zero; what does not fit gives the nearest, NaN 0.
    pub fn int_of(&mut self, x: Value, round: Rounding) -> Value {
        self.b.value(Op::FpToInt { signed: true, sat: true, round }, [x], Type::I32)
    }

    /// An unsigned integer as f32, to nearest even.
    pub fn float_of(&mut self, v: Value) -> Value {
        let op = Op::IntToFp { signed: false, round: Rounding::Rte };
        self.b.value(op, [v], Type::F32)
    }

    /// A `half` in an i16 as f32.
    pub fn half_to_float(&mut self, bits: Value) -> Value {
        let half = self.bitcast(bits, Type::float(FloatKind::F16));
        self.b.value(Op::FpToFp(Rounding::Rte), [half], Type::F32)
    }

    /// An f32 as the i16 of a `half`, to nearest even.
    pub fn float_to_half(&mut self, x: Value) -> Value {
        let half = Type::float(FloatKind::F16);
        let half = self.b.value(Op::FpToFp(Rounding::Rte), [x], half);
        self.bitcast(half, Type::I16)
    }

    // --- vectors ---

    pub fn lane(&mut self, v: Value, k: u8) -> Value {
        let ty = self.ty(v).lane();
        self.b.value(Op::VecExtract(k), [v], ty)
    }

    pub fn vector(&mut self, lanes: [Value; 4]) -> Value {
        let ty = self.ty(lanes[0]).with_lanes(4);
        self.b.value(Op::VecBuild, lanes, ty)
    }
}
