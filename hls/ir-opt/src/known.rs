//! What is known of integers: bits, and ranges with and without sign.

mod function;
mod transfer;
mod trips;

pub use function::Ranges;
pub(crate) use transfer::transfer;

use crate::bits::ones;
use ir::IntCC;
use ir::builder::sign_extend;

/// Facts about an integer of `width` bits. Every fact holds; none need be the best possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Width in bits, 1..=128.
    pub width: u32,
    /// Bits known to be 0.
    pub zeros: u128,
    /// Bits known to be 1.
    pub ones: u128,
    /// Least value, unsigned.
    pub umin: u128,
    /// Greatest value, unsigned.
    pub umax: u128,
    /// Least value as two's complement.
    pub smin: i128,
    /// Greatest value as two's complement.
    pub smax: i128,
}

impl Known {
    /// Nothing known.
    pub fn top(width: u32) -> Known {
        let smax = (ones(width) >> 1) as i128;
        Known { width, zeros: 0, ones: 0, umin: 0, umax: ones(width), smin: -smax - 1, smax }
    }

    /// A constant.
    pub fn constant(width: u32, bits: u128) -> Known {
        let bits = bits & ones(width);
        let signed = sign_extend(bits, width);
        Known {
            width,
            zeros: !bits & ones(width),
            ones: bits,
            umin: bits,
            umax: bits,
            smin: signed,
            smax: signed,
        }
    }

    /// Values from `min` to `max`, unsigned.
    pub fn unsigned(width: u32, min: u128, max: u128) -> Known {
        Known { umin: min, umax: max.min(ones(width)), ..Known::top(width) }.normal()
    }

    /// Values from `min` to `max`, signed.
    pub fn signed(width: u32, min: i128, max: i128) -> Known {
        let top = Known::top(width);
        Known { smin: min.max(top.smin), smax: max.min(top.smax), ..top }.normal()
    }

    /// Values with these known bits.
    pub fn bits(width: u32, zeros: u128, ones_: u128) -> Known {
        let all = ones(width);
        Known { zeros: zeros & all, ones: ones_ & all, ..Known::top(width) }.normal()
    }

    /// The only possible value, if there is one.
    pub fn as_constant(&self) -> Option<u128> {
        (self.umin == self.umax).then_some(self.umin)
    }

    /// Bits that hold every value, extended with zeros; at least 1.
    pub fn unsigned_width(&self) -> u32 {
        (128 - self.umax.leading_zeros()).max(1)
    }

    /// Bits that hold every value, extended with the sign; at least 1.
    pub fn signed_width(&self) -> u32 {
        let bits = |v: i128| 129 - if v < 0 { v.leading_ones() } else { v.leading_zeros() };
        bits(self.smin).max(bits(self.smax)).min(self.width)
    }

    /// Whether the sign bit is known to be 0.
    pub fn is_non_negative(&self) -> bool {
        self.smin >= 0
    }

    /// The same with a constant added, modulo what the width can hold.
    pub fn plus_wrapping(&self, constant: u128) -> Known {
        let args = [*self, Known::constant(self.width, constant)];
        transfer::transfer(ir::Op::Add, self.width, &args, || None)
    }

    /// Number of low bits known to be 0.
    pub fn trailing_zeros(&self) -> u32 {
        (!self.zeros).trailing_zeros().min(self.width)
    }

    /// Whether a value is possible.
    pub fn contains(&self, bits: u128) -> bool {
        let signed = sign_extend(bits, self.width);
        bits & self.zeros == 0
            && bits & self.ones == self.ones
            && (self.umin..=self.umax).contains(&bits)
            && (self.smin..=self.smax).contains(&signed)
    }

    /// A possible value made from random bits; none when it is not found at once.
    pub fn pick(&self, bits: u128) -> Option<u128> {
        let shaped = (bits & ones(self.width) & !self.zeros) | self.ones;
        let span = (self.umax - self.umin).checked_add(1);
        let inside = self.umin + span.map_or(bits, |n| bits % n);
        let inside_shaped = (inside & !self.zeros) | self.ones;
        let ends = [self.umin, self.umax, self.smin as u128 & ones(self.width)];
        let candidates = [shaped, inside, inside_shaped].into_iter().chain(ends);
        candidates.into_iter().find(|v| self.contains(*v))
    }

    /// Facts that hold for values of either.
    pub fn join(&self, other: &Known) -> Known {
        Known {
            width: self.width,
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            umin: self.umin.min(other.umin),
            umax: self.umax.max(other.umax),
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
        }
    }

    /// Facts of both; those of `self` where they contradict (in code that is never reached).
    pub fn meet(&self, other: &Known) -> Known {
        let met = Known {
            width: self.width,
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            umin: self.umin.max(other.umin),
            umax: self.umax.min(other.umax),
            smin: self.smin.max(other.smin),
            smax: self.smax.min(other.smax),
        };
        met.checked_normal().unwrap_or(*self)
    }

    /// Lets ranges that grow jump to the next of a few widths, so that loops settle soon.
    pub fn widen(&self, old: &Known) -> Known {
        const WIDTHS: [u32; 10] = [4, 8, 16, 31, 32, 33, 63, 64, 65, 127];
        let up = |v: u128| {
            let bits = 128 - v.leading_zeros();
            ones(WIDTHS.into_iter().find(|w| *w >= bits).unwrap_or(128))
        };
        let mut wide = *self;
        if self.umax > old.umax {
            wide.umax = up(self.umax);
        }
        if self.umin < old.umin {
            wide.umin = 0;
        }
        if self.smax > old.smax {
            wide.smax = if self.smax < 0 {
                -1
            } else {
                up(self.smax as u128).min(i128::MAX as u128) as i128
            };
        }
        if self.smin < old.smin {
            wide.smin = if self.smin >= 0 { 0 } else { !(up(!self.smin as u128) as i128) };
        }
        wide.normal()
    }

    /// [`Known::widen`], and what lies above the first bit that is known no more is given up at once: carries would reach a bit
    /// further each time round.
    pub fn widen_bits(&self, old: &Known) -> Known {
        let below = |lost: u128| ones(lost.trailing_zeros().min(128));
        let mut wide = *self;
        wide.zeros &= below(old.zeros & !self.zeros);
        wide.ones &= below(old.ones & !self.ones);
        wide.widen(old)
    }

    /// Lets each kind of fact sharpen the others.
    pub fn normal(self) -> Known {
        self.checked_normal().unwrap_or(Known::top(self.width))
    }

    /// [`Known::normal`]; none when the facts contradict.
    fn checked_normal(mut self) -> Option<Known> {
        let w = self.width;
        let sign = 1u128 << (w - 1);
        for _ in 0..2 {
            // bits bound the range
            self.umin = self.umin.max(self.ones);
            self.umax = self.umax.min(!self.zeros & ones(w));
            // ranges without sign and with sign, where the sign is known
            if self.umax < sign {
                self.smin = self.smin.max(self.umin as i128);
                self.smax = self.smax.min(self.umax as i128);
            } else if self.umin >= sign {
                self.smin = self.smin.max(sign_extend(self.umin, w));
                self.smax = self.smax.min(sign_extend(self.umax, w));
            }
            if self.smin >= 0 || self.smax < 0 {
                self.umin = self.umin.max(self.smin as u128 & ones(w));
                self.umax = self.umax.min(self.smax as u128 & ones(w));
            }
            if self.umin > self.umax || self.smin > self.smax || self.zeros & self.ones != 0 {
                return None;
            }
            // leading bits that both ends of the range share
            let differ = self.umin ^ self.umax;
            let shared = ones(w) & !ones(128 - differ.leading_zeros());
            self.ones |= self.umin & shared;
            self.zeros |= !self.umin & shared;
            if self.zeros & self.ones != 0 {
                return None;
            }
        }
        Some(self)
    }

    /// What is known of `self` when `self cc other` holds.
    pub fn given(&self, cc: IntCC, other: &Known) -> Known {
        let top = Known::top(self.width);
        let fact = match cc {
            IntCC::Eq => *other,
            IntCC::Ne => match other.as_constant() {
                Some(c) if c == self.umin && self.umin < self.umax => {
                    Known { umin: self.umin + 1, ..top }
                }
                Some(c) if c == self.umax && self.umin < self.umax => {
                    Known { umax: self.umax - 1, ..top }
                }
                _ => top,
            },
            IntCC::Ult => Known { umax: other.umax.saturating_sub(1), ..top },
            IntCC::Ule => Known { umax: other.umax, ..top },
            IntCC::Ugt => Known { umin: other.umin.saturating_add(1).min(top.umax), ..top },
            IntCC::Uge => Known { umin: other.umin, ..top },
            IntCC::Slt => Known { smax: other.smax.saturating_sub(1).max(top.smin), ..top },
            IntCC::Sle => Known { smax: other.smax, ..top },
            IntCC::Sgt => Known { smin: other.smin.saturating_add(1).min(top.smax), ..top },
            IntCC::Sge => Known { smin: other.smin, ..top },
        };
        self.meet(&fact)
    }

    /// The outcome of `self cc other`, when it is known.
    pub fn compare(&self, cc: IntCC, other: &Known) -> Option<bool> {
        match cc {
            IntCC::Eq => match (self.as_constant(), other.as_constant()) {
                (Some(a), Some(b)) => Some(a == b),
                _ if self.zeros & other.ones != 0 || self.ones & other.zeros != 0 => Some(false),
                _ if self.umax < other.umin || other.umax < self.umin => Some(false),
                _ if self.smax < other.smin || other.smax < self.smin => Some(false),
                _ => None,
            },
            IntCC::Ult if self.umax < other.umin => Some(true),
            IntCC::Ult if self.umin >= other.umax => Some(false),
            IntCC::Slt if self.smax < other.smin => Some(true),
            IntCC::Slt if self.smin >= other.smax => Some(false),
            IntCC::Ult | IntCC::Slt => None,
            IntCC::Ugt | IntCC::Sgt => other.compare(cc.swapped(), self),
            _ => self.compare(cc.inverse(), other).map(|b| !b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facts that hold for a few values allow those, and a value picked from any bits is one that they allow.
    #[test]
    fn values_picked_are_possible() {
        let mut found = 0;
        for seed in 0u128..4096 {
            let values = [seed & 15, seed >> 4 & 15, seed >> 8 & 15];
            let known = values.map(|v| Known::constant(4, v)).into_iter().reduce(|a, b| a.join(&b));
            let known = known.expect("three values").normal();
            assert!(values.iter().all(|v| known.contains(*v)), "{values:?}: {known:?}");
            for bits in [0, 5, 10, 15, seed * 0x9E37] {
                let picked = known.pick(bits);
                found += usize::from(picked.is_some());
                assert!(
                    picked.is_none_or(|v| known.contains(v)),
                    "{values:?} from {bits}: {picked:?}"
                );
            }
        }
        // Ends of ranges are not always possible; that nothing is found must stay rare.
        assert!(found > 5 * 4096 * 9 / 10, "{found}");
        let small = Known::unsigned(8, 3, 9);
        assert!(small.contains(9) && !small.contains(10) && !small.contains(2));
        assert!(!Known::bits(8, 1, 2).contains(3) && Known::bits(8, 1, 2).contains(6));
    }
}
