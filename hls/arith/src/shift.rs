//! The shifters of [`Bits`] that lose bits or find their distance themselves, as hardware.
//!
//! They are written as one row of multiplexers for each bit of the amount, largest step first, and not
//! as the shifts of [`Bits`]: a row starts as soon as its bit of the amount is known, the scheduler
//! can put a register behind any row, and rows are only as wide as what can still reach the result.

use crate::bits::{Bits, Shifted};

/// Rows of multiplexers that move by any distance below `width`.
pub const fn rows(width: u32) -> u32 {
    width.next_power_of_two().ilog2()
}

/// `a` moved right by the constant `by`, with zeros above.
#[inline(always)]
fn down<B: Bits>(b: &B, a: B::V, by: u32) -> B::V {
    let width = b.width(a);
    if by >= width {
        return b.constant(width, 0);
    }
    b.zext(b.slice(a, by, width - by), width)
}

/// `a` moved left by the constant `by`, in its width.
#[inline(always)]
fn up<B: Bits>(b: &B, a: B::V, by: u32) -> B::V {
    let width = b.width(a);
    if by >= width {
        return b.constant(width, 0);
    }
    b.pad_low(b.trunc(a, width - by), by)
}

/// [`Bits::lshr_lossy`]. What a row loses is found from its operand and two bits of the amount at a time, beside the
/// multiplexers.
#[inline(always)]
pub fn lshr_lossy<B: Bits>(b: &B, a: B::V, amount: B::V) -> Shifted<B::V> {
    let width = b.width(a);
    let known = rows(width).min(b.width(amount));
    let (mut value, mut lost) = (a, b.bool(false));
    let above = b.width(amount) - known;
    if above > 0 {
        let all = b.any(b.top(amount, above));
        value = b.mask(b.not(all), a);
        lost = b.and(all, b.any(a));
    }
    let bit = |k: u32| b.bit(amount, k);
    // The bits from `low` on that are lost where `when` is 1.
    let cut = |value: B::V, low: u32, count: u32, when: B::V| {
        let count = count.min(width.saturating_sub(low));
        (count > 0).then(|| b.and(when, b.any(b.slice(value, low, count))))
    };
    let mut row = known;
    while row > 0 {
        let pair = row % 2 == 0;
        let step = 1 << (row - 1 - u32::from(pair));
        let mut terms = [None; 3];
        if pair {
            let (low, high) = (bit(row - 2), bit(row - 1));
            terms[0] = cut(value, 0, step, b.or(low, high));
            terms[1] = cut(value, step, step, high);
            terms[2] = cut(value, 2 * step, step, b.and(low, high));
            value = b.mux(high, down(b, value, 2 * step), value);
            value = b.mux(low, down(b, value, step), value);
            row -= 2;
        } else {
            terms[0] = cut(value, 0, step, bit(row - 1));
            value = b.mux(bit(row - 1), down(b, value, step), value);
            row -= 1;
        }
        for term in terms.into_iter().flatten() {
            lost = b.concat(lost, term);
        }
    }
    Shifted { value, lost }
}

/// A left shifter of which the top `kept` bits count: each row drops the bits that the rows behind
/// it cannot move up to them.
struct Rising<V> {
    value: V,
    lost: V,
    /// Bits that were dropped below `value`.
    floor: u32,
    /// Bits to be dropped in all.
    below: u32,
}

impl<V: Copy> Rising<V> {
    #[inline(always)]
    fn new<B: Bits<V = V>>(b: &B, a: V, kept: u32, rows: u32) -> Self {
        let mut shifter =
            Rising { value: a, lost: b.bool(false), floor: 0, below: b.width(a) - kept };
        let floor = shifter.out_of_reach(rows);
        if floor > 0 {
            shifter.lost = b.any(b.trunc(a, floor));
            shifter.value = b.top(a, b.width(a) - floor);
            shifter.floor = floor;
        }
        shifter
    }

    /// Bits at the bottom that so many rows cannot move far enough.
    #[inline(always)]
    fn out_of_reach(&self, rows: u32) -> u32 {
        self.below.saturating_sub((1 << rows) - 1)
    }

    /// The row that moves by 2^`row` if `move_up`.
    #[inline(always)]
    fn row<B: Bits<V = V>>(&mut self, b: &B, row: u32, move_up: V) {
        let drop = self.out_of_reach(row) - self.floor;
        let (value, moved) = (self.value, up(b, self.value, 1 << row));
        if drop > 0 {
            let stays_behind = b.any(b.trunc(value, drop));
            self.lost = b.concat(self.lost, b.and_not(stays_behind, move_up));
        }
        let left = b.width(value) - drop;
        self.value = b.mux(move_up, b.top(moved, left), b.top(value, left));
        self.floor += drop;
    }
}

/// [`Bits::shl_top`]
#[inline(always)]
pub fn shl_top<B: Bits>(b: &B, a: B::V, amount: B::V, kept: u32) -> Shifted<B::V> {
    let rows = b.width(amount);
    let mut shifter = Rising::new(b, a, kept, rows);
    for row in (0..rows).rev() {
        shifter.row(b, row, b.bit(amount, row));
    }
    Shifted { value: shifter.value, lost: shifter.lost }
}

/// [`Bits::shl_leading`]. A one at the place where the limit is reached ends the search.
#[inline(always)]
pub fn shl_leading<B: Bits>(
    b: &B,
    a: B::V,
    limit: Option<B::V>,
    kept: u32,
) -> (Shifted<B::V>, B::V) {
    let width = b.width(a);
    let rows = rows(width);
    let mut search = limit.map_or(a, |limit| b.or(a, one_below_top(b, width, limit)));
    if (1 << rows) > width {
        search = b.concat(search, b.ones((1 << rows) - width));
    }
    let mut shifter = Rising::new(b, a, kept, rows);
    let mut count = None;
    for row in (0..rows).rev() {
        let half = 1 << row;
        let (high, low) = (b.top(search, half), b.trunc(search, half));
        let empty = b.is_zero(high);
        search = b.mux(empty, low, high);
        shifter.row(b, row, empty);
        count = Some(count.map_or(empty, |above| b.concat(above, empty)));
    }
    let shifted = Shifted { value: shifter.value, lost: shifter.lost };
    (shifted, count.unwrap_or_else(|| b.bool(false)))
}

/// `width` bits of which the one `place` below the top is 1; none if there is no such bit.
#[inline(always)]
fn one_below_top<B: Bits>(b: &B, width: u32, place: B::V) -> B::V {
    let low_bits = rows(width).div_ceil(2).clamp(1, b.width(place));
    let (low, high) = (b.trunc(place, low_bits), b.width(place) - low_bits);
    let is = |v: B::V, k: u32| b.eq(v, b.constant(b.width(v), u128::from(k)));
    let mut fine = is(low, 0);
    for k in 1..1 << low_bits {
        fine = b.concat(fine, is(low, k));
    }
    let mut all = fine;
    if high > 0 {
        let high = b.top(place, high);
        all = b.mask(is(high, 0), fine);
        for k in 1..width.div_ceil(1 << low_bits) {
            let reached = 128 - u128::from(k).leading_zeros() <= b.width(high);
            let block =
                if reached { b.mask(is(high, k), fine) } else { b.constant(b.width(fine), 0) };
            all = b.concat(all, block);
        }
    }
    let have = b.width(all);
    if have < width { b.pad_low(all, width - have) } else { b.top(all, width) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::Native;
    use crate::stimulus::Rng;

    /// The native builder has its own; they must be the same as the rows.
    #[test]
    fn rows_compute_what_the_native_shifters_compute() {
        let b = Native::<u128>::new();
        let same = |what: &str, x: Shifted<_>, y: Shifted<_>| {
            assert_eq!(x.value, y.value, "{what}");
            assert_eq!(b.any(x.lost), b.any(y.lost), "{what}: lost");
        };
        let mut rng = Rng::new(3);
        for width in (1..=64).flat_map(|width| [width; 60]) {
            let a = b.value(width, u128::from(rng.integer(width)));
            let amount_width = 1 + rng.below(9) as u32;
            let amount = b.value(amount_width, u128::from(rng.bits()));
            let kept = 1 + rng.below(u64::from(width)) as u32;
            let what = format!("{a:?} by {amount:?}, {kept} kept");
            same(&what, lshr_lossy(&b, a, amount), b.lshr_lossy(a, amount));
            same(&what, shl_top(&b, a, amount, kept), b.shl_top(a, amount, kept));
            for limit in [None, Some(amount)] {
                let (x, x_count) = shl_leading(&b, a, limit, kept);
                let (y, y_count) = b.shl_leading(a, limit, kept);
                assert_eq!(x_count, y_count, "{what}, limit {limit:?}");
                same(&what, x, y);
            }
        }
    }
}
