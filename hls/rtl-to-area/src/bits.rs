//! Sets of bits of a value.

/// Some of the bits of a value of a certain width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    width: u32,
    /// Bit `i` is bit `i % 64` of word `i / 64`; there are none above the width.
    words: Vec<u64>,
}

impl Bits {
    pub(crate) fn none(width: u32) -> Bits {
        Bits { width, words: vec![0; width.div_ceil(64) as usize] }
    }

    pub(crate) fn all(width: u32) -> Bits {
        Bits::below(width, width)
    }

    /// The lowest `count` of `width` bits.
    pub(crate) fn below(width: u32, count: u32) -> Bits {
        Bits::from_to(width, 0, count)
    }

    /// Bits `lo` and above, below `hi`.
    pub(crate) fn from_to(width: u32, lo: u32, hi: u32) -> Bits {
        let mut bits = Bits::none(width);
        let (lo, hi) = (lo.min(width), hi.min(width));
        for (k, word) in bits.words.iter_mut().enumerate() {
            let first = 64 * k as u32;
            let under = |n: u32| match n.saturating_sub(first) {
                n @ 0..64 => (1u64 << n) - 1,
                _ => u64::MAX,
            };
            *word = under(hi) & !under(lo);
        }
        bits
    }

    /// The bits of a number that are set.
    pub(crate) fn of_number(width: u32, number: u128) -> Bits {
        let mut bits = Bits::none(width);
        for (k, word) in bits.words.iter_mut().take(2).enumerate() {
            *word = (number >> (64 * k)) as u64;
        }
        bits.and(&Bits::all(width))
    }

    /// The number whose bits these are; those above 128 are left out.
    pub(crate) fn low(&self) -> u128 {
        let word = |k: usize| self.words.get(k).copied().map_or(0, u128::from);
        word(0) | word(1) << 64
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }

    pub(crate) fn has(&self, bit: u32) -> bool {
        bit < self.width && self.words[(bit / 64) as usize] >> (bit % 64) & 1 != 0
    }

    /// Whether bit `lo` or one above it, below `hi`, is in the set.
    pub(crate) fn has_between(&self, lo: u32, hi: u32) -> bool {
        let (lo, hi) = (lo.min(self.width), hi.min(self.width));
        if lo >= hi {
            return false;
        }
        let (first, last) = ((lo / 64) as usize, ((hi - 1) / 64) as usize);
        (first..=last).any(|k| {
            let above = if k == first { u64::MAX << (lo % 64) } else { u64::MAX };
            let below = if k == last { u64::MAX >> (63 - (hi - 1) % 64) } else { u64::MAX };
            self.words[k] & above & below != 0
        })
    }

    /// Number of bits up to the highest one of the set.
    pub(crate) fn end(&self) -> u32 {
        let last = self.words.iter().rposition(|w| *w != 0);
        last.map_or(0, |k| 64 * (k as u32 + 1) - self.words[k].leading_zeros())
    }

    /// The lowest bit of the set; the width if it is empty.
    pub(crate) fn start(&self) -> u32 {
        let first = self.words.iter().position(|w| *w != 0);
        first.map_or(self.width, |k| 64 * k as u32 + self.words[k].trailing_zeros())
    }

    pub(crate) fn not(&self) -> Bits {
        let words = self.words.iter().map(|w| !w).collect();
        Bits { width: self.width, words }.and(&Bits::all(self.width))
    }

    /// Bits of both; the shorter one has none above its width.
    pub(crate) fn and(&self, other: &Bits) -> Bits {
        let word = |k: usize| other.words.get(k).copied().unwrap_or(0);
        let words = self.words.iter().enumerate().map(|(k, w)| w & word(k)).collect();
        Bits { width: self.width, words }
    }

    pub(crate) fn or(&self, other: &Bits) -> Bits {
        let mut both = self.clone();
        both.add(0, other);
        both
    }

    /// `width` bits from bit `lo`; none where this ends before.
    pub(crate) fn slice(&self, lo: u32, width: u32) -> Bits {
        let mut part = Bits::none(width);
        let (whole, shift) = ((lo / 64) as usize, lo % 64);
        let word = |k: usize| self.words.get(k).copied().unwrap_or(0);
        for (k, out) in part.words.iter_mut().enumerate() {
            let high = if shift == 0 { 0 } else { word(whole + k + 1) << (64 - shift) };
            *out = word(whole + k) >> shift | high;
        }
        part.and(&Bits::all(width))
    }

    /// Adds the bits of another set, its bit 0 in place `lo`; what lies above is cut off. Whether any is new.
    pub(crate) fn add(&mut self, lo: u32, other: &Bits) -> bool {
        let placed = if lo == 0 && other.width <= self.width {
            None
        } else {
            Some(other.up(lo, self.width))
        };
        let other = placed.as_ref().unwrap_or(other);
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// Moved up by `places`, in a value of `width` bits.
    pub(crate) fn up(&self, places: u32, width: u32) -> Bits {
        let mut moved = Bits::none(width);
        let (whole, shift) = ((places / 64) as usize, places % 64);
        let count = moved.words.len();
        for (k, word) in self.words.iter().enumerate() {
            if whole + k < count {
                moved.words[whole + k] |= word << shift;
            }
            if shift > 0 && whole + k + 1 < count {
                moved.words[whole + k + 1] |= word >> (64 - shift);
            }
        }
        moved.and(&Bits::all(width))
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;
    use base::random::splitmix64;

    /// Everything against a list of truth values.
    #[test]
    fn sets_are_as_lists_of_truth_values() {
        let mut state = 7;
        let mut below = |n: u64| (splitmix64(&mut state) % n) as u32;
        for _ in 0..2000 {
            let width = 1 + below(200);
            let list: Vec<bool> = (0..width).map(|_| below(3) == 0).collect();
            let mut bits = Bits::none(width);
            for (k, _) in list.iter().enumerate().filter(|(_, set)| **set) {
                assert!(bits.add(k as u32, &Bits::all(1)));
            }
            let listed = |b: &Bits| (0..b.width()).map(|k| b.has(k)).collect::<Vec<_>>();
            assert_eq!(listed(&bits), list);
            assert_eq!(bits.count() as usize, list.iter().filter(|b| **b).count());
            assert_eq!(bits.is_empty(), !list.contains(&true));
            assert_eq!(bits.end() as usize, list.iter().rposition(|b| *b).map_or(0, |k| k + 1));
            assert_eq!(bits.start() as usize, list.iter().position(|b| *b).unwrap_or(list.len()));
            assert_eq!(listed(&bits.not()), list.iter().map(|b| !b).collect::<Vec<_>>());
            let (lo, part) = (below(210), below(210));
            let at = |k: i64| k >= 0 && list.get(k as usize).copied().unwrap_or(false);
            let slice: Vec<bool> = (0..part).map(|k| at(i64::from(lo + k))).collect();
            assert_eq!(listed(&bits.slice(lo, part)), slice);
            let up: Vec<bool> = (0..part).map(|k| at(i64::from(k) - i64::from(lo))).collect();
            assert_eq!(listed(&bits.up(lo, part)), up);
            let range: Vec<bool> = (0..width).map(|k| k >= lo && k < part).collect();
            assert_eq!(listed(&Bits::from_to(width, lo, part)), range);
            let any = list.iter().zip(&range).any(|(a, b)| *a && *b);
            assert_eq!(bits.has_between(lo, part), any);
            let both = bits.and(&Bits::from_to(width, lo, part));
            assert_eq!(
                listed(&both),
                list.iter().zip(&range).map(|(a, b)| *a && *b).collect::<Vec<_>>()
            );
        }
        assert_eq!(Bits::of_number(3, 0xd), Bits::of_number(3, 5));
        assert!(!Bits::all(3).add(0, &Bits::of_number(3, 5)));
    }
}
