//! How values of the IR are held in machine registers and in memory.
//!
//! A lane is held in the smallest machine integer that has room for it, zero above its width;
//! single and double precision are held as floats, half precision and bfloat16 as their bits,
//! pointers as 64-bit integers.

use cranelift_codegen::ir::types;
use ir::{FloatKind, KernelInfo, Scalar, Type};

/// Width of addresses: those of the host.
pub(crate) const ADDR_BITS: u32 = 64;

/// The type of a register, to tell it from [`ir::Type`].
pub(crate) type Reg = cranelift_codegen::ir::Type;

/// The machine integer for `width` bits.
pub(crate) fn int_reg(width: u32) -> Reg {
    match width {
        0..=8 => types::I8,
        9..=16 => types::I16,
        17..=32 => types::I32,
        33..=64 => types::I64,
        _ => types::I128,
    }
}

/// The register of one lane.
pub(crate) fn reg(ty: Type) -> Reg {
    match ty.scalar {
        Scalar::Int(w) => int_reg(w.into()),
        Scalar::Float(FloatKind::F16 | FloatKind::BF16) => types::I16,
        Scalar::Float(FloatKind::F32) => types::F32,
        Scalar::Float(FloatKind::F64) => types::F64,
        Scalar::Ptr(_) => types::I64,
    }
}

/// Bits of a lane.
pub(crate) fn width(ty: Type) -> u32 {
    ty.lane_bits(ADDR_BITS)
}

/// Where the arguments of a kernel stand in the block that generated code reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgLayout {
    /// Offset of each argument; what lies behind an argument up to the next is zero.
    pub offsets: Vec<u32>,
    /// Bytes of the whole block.
    pub size: u32,
}

impl ArgLayout {
    /// Room for each argument, and behind it for what may be read past its end.
    pub(crate) fn new(info: &KernelInfo) -> Self {
        let mut layout = ArgLayout::default();
        for arg in &info.args {
            let size = match arg.kind {
                kind if kind.by_value() => arg.size,
                _ => 8,
            };
            layout.offsets.push(layout.size);
            layout.size += size.next_multiple_of(16) + 16;
        }
        layout
    }
}

/// Sizes in bytes of machine accesses that together make one of `bytes`, the lowest first.
pub(crate) fn pieces(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = bytes - at;
        let size = [16, 8, 4, 2, 1].into_iter().find(|n| *n <= left)?;
        at += size;
        Some((at - size, size))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_never_touch_more_than_asked() {
        assert_eq!(pieces(3).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
        assert_eq!(pieces(16).collect::<Vec<_>>(), [(0, 16)]);
        assert_eq!(pieces(7).collect::<Vec<_>>(), [(0, 4), (4, 2), (6, 1)]);
        assert_eq!(pieces(0).count(), 0);
    }

    #[test]
    fn registers_have_room() {
        for w in 1..=128 {
            let bits = int_reg(w).bits();
            assert!(bits >= w && (bits == 8 || bits / 2 < w), "{w} in {bits}");
        }
    }
}
