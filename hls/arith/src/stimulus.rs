//! Operand generator for tests of arithmetic: deterministic, and dense in the cases that break it.
//!
//! In the manner of TestFloat, a number is put together from an exponent and a significand that
//! are each drawn from a mixture of extreme, structured and uniform values, so that two numbers
//! often meet at the distances where alignment, cancellation and rounding have their corners.
//! Used by this crate's tests and by benches that compare hardware with this crate.

use crate::format::Format;
use crate::operator::Operator;
use base::SmallVec;

/// Operands of one case, as bit patterns.
pub type Operands = SmallVec<[u128; 3]>;

/// SplitMix64: a small generator with a 64-bit state and no bad seeds.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that always yields the same sequence for the same seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// 64 uniform bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0..limit`; `limit` is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((self.bits() as u128 * limit as u128) >> 64) as u64
    }

    /// An integer of `width` (1..=64) bits: uniform, near a power of two, sparse, or a long run
    /// of equal bits.
    pub fn integer(&mut self, width: u32) -> u64 {
        let mask = u64::MAX >> (64 - width);
        let power = 1u64 << self.below(width as u64);
        let small = self.below(4);
        let value = match self.below(8) {
            0 | 1 => self.bits(),
            2 => power.wrapping_add(small).wrapping_sub(2),
            3 => power.wrapping_neg().wrapping_add(small).wrapping_sub(2),
            4 => power | 1 << self.below(width as u64),
            5 => (power.wrapping_sub(1)) & !((1u64 << self.below(width as u64)) - 1),
            6 => self.bits() >> self.below(64),
            _ => small.wrapping_sub(2),
        };
        value & mask
    }

    /// A floating-point number of `format`, as its bit pattern.
    pub fn float(&mut self, format: Format) -> u64 {
        let sign = self.below(2);
        let exp = self.exponent(format);
        let frac_mask = (1u64 << format.frac_bits) - 1;
        let frac = self.integer(format.frac_bits) & frac_mask;
        (sign << (format.width() - 1)) | (exp << format.frac_bits) | frac
    }

    /// An operand that lies near `other`: equal, a few units away, or at an exponent distance
    /// about the precision.
    pub fn float_near(&mut self, format: Format, other: u64) -> u64 {
        let mask = u64::MAX >> (64 - format.width());
        let sign = self.below(2) << (format.width() - 1);
        match self.below(4) {
            0 => (other ^ sign).wrapping_add(self.below(9)).wrapping_sub(4) & mask,
            1 => self.float(format),
            _ => {
                let reach = 2 * format.precision() as u64 + 6;
                let shift = self.below(2 * reach) as i64 - reach as i64;
                let exp = (other >> format.frac_bits) as i64 & format.exp_max() as i64;
                let exp = (exp + shift).clamp(0, format.exp_max() as i64) as u64;
                let frac = self.integer(format.frac_bits);
                sign | (exp << format.frac_bits) | frac
            }
        }
    }

    /// Random operands of `op`, of which later ones often lie near the first.
    pub fn operands(&mut self, op: Operator) -> Operands {
        let mut drawn = Operands::new();
        for (k, width) in op.input_widths().into_iter().enumerate() {
            let near = drawn.first().copied().filter(|_| op.operand_format(0).is_some());
            drawn.push(u128::from(match (op.operand_format(k), near) {
                (Some(format), Some(first)) => self.float_near(format, first as u64),
                (Some(format), None) => self.float(format),
                (None, _) => self.integer(width),
            }));
        }
        drawn
    }

    fn exponent(&mut self, format: Format) -> u64 {
        let max = format.exp_max() as u64;
        let bias = format.bias() as u64;
        let near = self.below(8);
        match self.below(8) {
            0 => near.min(3) / 2,
            1 => max - near.min(3) / 2,
            2 => bias.saturating_sub(4) + near,
            3 => (bias + format.frac_bits as u64).saturating_sub(4).min(max - 8) + near,
            4 => 1u64 << self.below(format.exp_bits as u64),
            5 => near.min(max),
            6 => max - near.min(max),
            _ => self.below(max + 1),
        }
    }
}

/// Numbers of a format at which something changes: zeros, the ends of the subnormal and normal
/// ranges, neighbours of 1, infinities, quiet and signalling NaNs; of both signs.
pub fn float_corners(format: Format) -> Vec<u128> {
    let hidden = 1u128 << format.frac_bits;
    let one = u128::from(format.bias()) << format.frac_bits;
    let max = format.max_finite();
    let inf = format.infinity();
    let positive = [
        [0, 1, hidden - 1, hidden],
        [one - 1, one, one + 1, one + hidden],
        [max, inf, format.nan(), inf | 1],
    ];
    positive.into_iter().flatten().flat_map(|x| [x, x | format.sign_mask()]).collect()
}

/// Integers of `width` (1..=64) bits at which something changes, signed or not.
pub fn integer_corners(width: u32) -> Vec<u128> {
    let ones = u128::MAX >> (128 - width);
    let least = 1u128 << (width - 1);
    let mut corners = vec![0, 1, 2 & ones, 3 & ones, ones, ones - 1, least, least - 1, least | 1];
    corners.sort_unstable();
    corners.dedup();
    corners
}

/// The corners of an operand of `op`.
pub fn corners(op: Operator, index: usize) -> Vec<u128> {
    match op.operand_format(index) {
        Some(format) => float_corners(format),
        None => integer_corners(op.input_widths()[index]),
    }
}

/// `count` cases for `op`: every combination of corners (or, if these are more than half, random
/// ones), then random operands.
pub fn cases(op: Operator, count: usize, seed: u64) -> Vec<Operands> {
    let sets: Vec<Vec<u128>> = (0..op.input_widths().len()).map(|k| corners(op, k)).collect();
    let combinations: usize = sets.iter().map(Vec::len).product();
    let at_corners = combinations.min(count / 2);
    let mut rng = Rng::new(seed);
    let mut all = Vec::with_capacity(count);
    for k in 0..at_corners {
        let mut rest = if combinations == at_corners { k as u64 } else { rng.bits() };
        all.push(
            sets.iter()
                .map(|set| {
                    let corner = set[(rest % set.len() as u64) as usize];
                    rest /= set.len() as u64;
                    corner
                })
                .collect(),
        );
    }
    all.extend((at_corners..count).map(|_| rng.operands(op)));
    all
}
