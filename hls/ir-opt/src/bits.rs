//! Values as strings of bits: taking them apart and putting them together again.

use crate::legal::word_type;
use ir::{Builder, Op, Scalar, Type, Value};

/// Integers side by side, the lowest first.
#[derive(Clone, Default, Debug)]
pub struct Pieces {
    parts: Vec<Value>,
}

impl Pieces {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a scalar above the ones there are.
    pub fn push(&mut self, b: &mut Builder<'_>, value: Value) {
        let v = to_int(b, value);
        self.parts.push(v);
    }

    /// Bits `lo..lo+width` as an integer of `width` (at most 128) bits.
    pub fn extract(&self, b: &mut Builder<'_>, lo: u32, width: u32) -> Value {
        let mut at = 0;
        let mut result: Option<Value> = None;
        for &part in &self.parts {
            let w = b.func.bits(part);
            let (from, to) = (lo.max(at), (lo + width).min(at + w));
            if from < to {
                let piece = slice(b, part, from - at, to - from);
                result = Some(match result {
                    None => piece,
                    Some(low) => concat(b, piece, low),
                });
            }
            at += w;
        }
        result.expect("the pieces cover what is extracted")
    }

    /// Bits `lo..` as a scalar of type `ty`.
    pub fn extract_as(&self, b: &mut Builder<'_>, lo: u32, ty: Type) -> Value {
        let width = ty.bits(b.func.addr_bits);
        let bits = self.extract(b, lo, width);
        from_int(b, bits, ty)
    }
}

/// A scalar as an integer of the same width.
pub fn to_int(b: &mut Builder<'_>, value: Value) -> Value {
    let ty = b.func.ty(value);
    let int = Type::int(ty.bits(b.func.addr_bits));
    match ty.scalar {
        Scalar::Int(_) => value,
        Scalar::Float(_) => match b.func.def_inst(value).map(|i| &b.func.insts[i]) {
            Some(d) if d.op == Op::Bitcast && b.func.ty(d.args[0]) == int => d.args[0],
            _ => b.value(Op::Bitcast, [value], int),
        },
        Scalar::Ptr(_) => b.value(Op::PtrToInt, [value], int),
    }
}

/// An integer as a scalar of the same width.
pub fn from_int(b: &mut Builder<'_>, value: Value, ty: Type) -> Value {
    match ty.scalar {
        Scalar::Int(_) => value,
        Scalar::Float(_) => match b.func.def_inst(value).map(|i| &b.func.insts[i]) {
            Some(d) if d.op == Op::Bitcast && b.func.ty(d.args[0]) == ty => d.args[0],
            _ => b.value(Op::Bitcast, [value], ty),
        },
        Scalar::Ptr(_) => b.value(Op::IntToPtr, [value], ty),
    }
}

/// Bits `lo..lo+width` of an integer.
pub fn slice(b: &mut Builder<'_>, value: Value, lo: u32, width: u32) -> Value {
    if lo == 0 && b.func.bits(value) == width {
        return value;
    }
    b.value(Op::Slice { lo: lo as u8 }, [value], Type::int(width))
}

/// `hi` above `lo`.
pub fn concat(b: &mut Builder<'_>, hi: Value, lo: Value) -> Value {
    let width = b.func.bits(hi) + b.func.bits(lo);
    b.value(Op::Concat, [hi, lo], Type::int(width))
}

/// A word from its bits, the first in memory lowest.
pub fn build_word(b: &mut Builder<'_>, pieces: &Pieces, offset: u32, size: u32) -> Value {
    if size <= 16 {
        return pieces.extract(b, offset * 8, size * 8);
    }
    let lanes: Vec<Value> =
        (0..size / 16).map(|k| pieces.extract(b, (offset + 16 * k) * 8, 128)).collect();
    b.value(Op::VecBuild, lanes, word_type(size))
}

/// Appends the bits of a word.
pub fn push_word(b: &mut Builder<'_>, pieces: &mut Pieces, word: Value) {
    let ty = b.func.ty(word);
    if !ty.is_vector() {
        return pieces.push(b, word);
    }
    for k in 0..ty.lanes {
        let lane = b.value(Op::VecExtract(k), [word], ty.lane());
        pieces.push(b, lane);
    }
}

/// All ones in the low `width` (0..=128) bits.
pub fn ones(width: u32) -> u128 {
    if width == 0 { 0 } else { u128::MAX >> (128 - width.min(128)) }
}
