//! From a fixed-point magnitude to a rounded float.

use crate::bits::{Bits, count_width};
use crate::float::round::{Specials, denormalise, finish};
use crate::format::Format;
use ir::Rounding;

/// Rounds `sign magnitude * 2^scale` to the nearest float and packs it.
///
/// `magnitude` is an unsigned integer of any width; `scale` is two's complement. `zero` results come out by themselves with the given sign.
#[inline(always)]
pub fn pack<B: Bits>(
    b: &B,
    format: Format,
    sign: B::V,
    magnitude: B::V,
    scale: B::V,
    specials: &Specials<B::V>,
) -> B::V {
    let width = b.width(magnitude);
    let zeros = b.lzc(magnitude);
    let normal = b.shl(magnitude, zeros);
    // Exponent of the top bit: scale + width - 1 - zeros, biased.
    let bits = b.width(scale).max(count_width(width) + 1).max(format.exp_bits + 2) + 1;
    let top = i128::from(format.bias()) + i128::from(width) - 1;
    let exp = b.add(b.sext(scale, bits), b.constant(bits, top as u128));
    let exp = b.sub(exp, b.zext(zeros, bits));
    let kept = format.precision() + 1;
    let (mantissa, sticky) = match width > kept {
        true => (b.top(normal, kept), b.any(b.trunc(normal, width - kept))),
        false => (b.pad_low(normal, kept - width), b.bool(false)),
    };
    let none = b.is_zero(magnitude);
    let zero = specials.zero.map_or(none, |z| b.or(z, none));
    let unrounded = denormalise(b, format, sign, exp, mantissa, sticky);
    finish(b, format, Rounding::Rte, &unrounded, &Specials { zero: Some(zero), ..*specials })
}
