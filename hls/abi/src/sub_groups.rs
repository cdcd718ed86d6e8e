//! Kernels whose work-groups have a given number of sub-groups.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How many sub-groups each work-group of a kernel has, those that are remainders too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubGroups {
    /// Sub-groups of a work-group, at least 1.
    pub count: u32,
    /// Work-items of a sub-group, at least 1; the last sub-group of a work-group may have fewer.
    pub size: u32,
}

impl fmt::Display for SubGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} sub-group{plural} of {} work-items", self.count, self.size)
    }
}

impl SubGroups {
    /// Fewest work-items of a work-group with so many.
    pub fn fewest_work_items(self) -> u64 {
        u64::from(self.count).saturating_sub(1) * u64::from(self.size) + 1
    }

    /// Most work-items of a work-group with so many.
    pub fn most_work_items(self) -> u64 {
        u64::from(self.count) * u64::from(self.size)
    }

    /// Whether a work-group of `items` work-items has so many.
    fn fits(self, items: u64) -> bool {
        (self.fewest_work_items()..=self.most_work_items()).contains(&items)
    }

    /// Work-items of a work-group of a launch that has another number of sub-groups: of a whole one, else of the smallest. None
    /// if all have as many as they must. Sizes are at least 1, work-groups have fewer than 2^64 work-items.
    pub fn misfit(self, global: [u32; 3], local: [u32; 3]) -> Option<u64> {
        let rest = |d: usize| match global[d] % local[d] {
            0 => local[d],
            rest => rest,
        };
        let whole = local.iter().fold(1, |items: u64, n| items.saturating_mul((*n).into()));
        let smallest = (0..3).fold(1, |items: u64, d| items.saturating_mul(rest(d).into()));
        [whole, smallest].into_iter().find(|items| !self.fits(*items))
    }

    /// A local size of at most `most` work-items with which all work-groups of a launch have as many sub-groups as they must: one
    /// that divides the global size, else, where that is allowed, one that does not. Of several the largest in dimension 0, of
    /// these the largest in dimension 1, then 2. Rows begin with multiples of `row`, or there is one in dimension 0.
    pub fn local_size(
        self,
        global: [u32; 3],
        most: u32,
        row: u32,
        non_uniform: bool,
    ) -> Option<[u32; 3]> {
        let rows = |d: usize, n: u32| d > 0 || n == global[0] || n.is_multiple_of(row);
        let divides = |d: usize, n: u32| global[d].is_multiple_of(n) && rows(d, n);
        let uniform = self.choose(global, most, divides);
        uniform.or_else(|| self.choose(global, most, rows).filter(|_| non_uniform))
    }

    /// Of the local sizes that suit in each dimension the first by that order.
    fn choose(
        self,
        global: [u32; 3],
        most: u32,
        suits: impl Fn(usize, u32) -> bool,
    ) -> Option<[u32; 3]> {
        let most = u64::from(most).min(self.most_work_items());
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let sizes = |d: usize, least: u32, room: u32| {
            let suits = &suits;
            (least.max(1)..=room.min(global[d])).rev().filter(move |n| suits(d, *n))
        };
        let rows = |x: u32| sizes(1, 1, most / x).map(move |y| (x, y));
        sizes(0, 1, most).flat_map(rows).find_map(|(x, y)| {
            let plane = x * y; // at most `most`
            let least = self.fewest_work_items().div_ceil(plane.into());
            let least = u32::try_from(least).unwrap_or(u32::MAX);
            let mut all = sizes(2, least, most / plane).map(|z| [x, y, z]);
            all.find(|local| self.misfit(global, *local).is_none())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 49 to 64 work-items.
    const FOUR: SubGroups = SubGroups { count: 4, size: 16 };

    #[test]
    fn work_groups_and_what_is_left_at_the_ends_are_counted() {
        assert_eq!((FOUR.fewest_work_items(), FOUR.most_work_items()), (49, 64));
        let of = |global, local| FOUR.misfit(global, local);
        assert_eq!(of([128, 1, 1], [64, 1, 1]), None);
        assert_eq!(of([98, 1, 1], [49, 1, 1]), None);
        assert_eq!(of([96, 1, 1], [48, 1, 1]), Some(48));
        assert_eq!(of([130, 1, 1], [65, 1, 1]), Some(65));
        assert_eq!(of([16, 16, 4], [8, 4, 2]), None);
        // a last one of 49, and of 48
        assert_eq!(of([113, 1, 1], [64, 1, 1]), None);
        assert_eq!(of([112, 1, 1], [64, 1, 1]), Some(48));
        // 7 x 8 work-items at one edge, 8 x 7 at the other, 7 x 7 in the corner; then 6 x 7
        assert_eq!(of([15, 15, 1], [8, 8, 1]), None);
        assert_eq!(of([14, 15, 1], [8, 8, 1]), Some(42));
        assert_eq!(of([10, 1, 1], [64, 1, 1]), Some(10));
        assert_eq!(of([u32::MAX; 3], [u32::MAX; 3]), Some(u64::MAX));
    }

    /// The first local size with which all is as it must be, of all that there are.
    fn first_of_all(
        global: [u32; 3],
        most: u32,
        sub_groups: SubGroups,
        uniform: bool,
    ) -> Option<[u32; 3]> {
        let right = |items: u32| items.div_ceil(sub_groups.size) == sub_groups.count;
        let rest = |n: u32, all: u32| if all.is_multiple_of(n) { n } else { all % n };
        let mut fits = vec![];
        for x in 1..=global[0] {
            for y in 1..=global[1] {
                for z in 1..=global[2] {
                    let local = [x, y, z];
                    let rests: [u32; 3] = std::array::from_fn(|d| rest(local[d], global[d]));
                    let (whole, smallest) = (x * y * z, rests.iter().product());
                    let divided = !uniform || rests == local;
                    if whole <= most && right(whole) && right(smallest) && divided {
                        fits.push(local);
                    }
                }
            }
        }
        fits.into_iter().max()
    }

    #[test]
    fn the_local_size_chosen_is_the_first_of_all_that_fit() {
        let globals =
            [[64, 1, 1], [53, 1, 1], [12, 18, 1], [5, 7, 11], [8, 6, 9], [3, 5, 1], [31, 2, 2]];
        let (mut uniform, mut other, mut none) = (0, 0, 0);
        for (global, most) in globals.into_iter().flat_map(|g| [(g, 256), (g, 40)]) {
            for (count, size) in [(1, 8), (2, 16), (3, 8), (4, 16), (5, 8)] {
                let sub_groups = SubGroups { count, size };
                let what = format!("{global:?}, {most}, {sub_groups}");
                let divides = first_of_all(global, most, sub_groups, true);
                assert_eq!(sub_groups.local_size(global, most, 1, false), divides, "{what}");
                let any = divides.or_else(|| first_of_all(global, most, sub_groups, false));
                assert_eq!(sub_groups.local_size(global, most, 1, true), any, "{what}");
                match (divides, any) {
                    (Some(_), _) => uniform += 1,
                    (None, Some(_)) => other += 1,
                    (None, None) => none += 1,
                }
            }
        }
        assert!(uniform > 10 && other > 5 && none > 5, "{uniform}, {other}, {none}");
    }

    #[test]
    fn rows_begin_with_tokens() {
        let two = SubGroups { count: 2, size: 16 };
        assert_eq!(two.local_size([60, 2, 1], 256, 1, false), Some([30, 1, 1]));
        // 20 is the only size of a row from 17 to 32 that 4 divides, and that divides 60
        assert_eq!(two.local_size([60, 2, 1], 256, 4, false), Some([20, 1, 1]));
        // one work-group in dimension 0
        assert_eq!(two.local_size([15, 2, 1], 256, 4, false), Some([15, 2, 1]));
    }

    #[test]
    fn no_local_size_is_found_in_good_time() {
        let primes = [4_294_967_291, 4_294_967_279, 65_521];
        let of = |count, non_uniform| {
            SubGroups { count, size: 16 }.local_size(primes, 65_535, 1, non_uniform)
        };
        assert_eq!(of(4096, false), Some([1, 1, 65_521]));
        assert_eq!(of(4000, false), None);
        assert_eq!(SubGroups { count: 4, size: 16 }.local_size(primes, 0, 1, true), None);
    }
}
