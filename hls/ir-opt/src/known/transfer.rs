//! What is known of an operation's result when something is known of its operands.

use super::Known;
use crate::bits::ones;
use ir::builder::mask;
use ir::{Op, TableData};

/// What is known of the result (`width` bits) of a pure scalar integer operation. `table` gives
/// the table of a `lookup`.
pub(crate) fn transfer(
    op: Op,
    width: u32,
    args: &[Known],
    table: impl FnOnce() -> Option<TableData>,
) -> Known {
    let top = Known::top(width);
    match (op, args) {
        (Op::And | Op::Or | Op::Xor, [a, b]) => bitwise(op, a, b),
        (Op::Not, [a]) => Known::bits(width, a.ones, a.zeros)
            .meet(&Known::unsigned(width, !a.umax & ones(width), !a.umin & ones(width)))
            .meet(&Known::signed(width, !a.smax, !a.smin)),
        (Op::Add, [a, b]) => add(a, b),
        (Op::Sub, [a, b]) => sub(a, b),
        (Op::Mul, [a, b]) => mul(a, b),
        (Op::UDiv, [a, b]) if b.umin > 0 => {
            Known::unsigned(width, a.umin / b.umax, a.umax / b.umin)
        }
        (Op::URem, [a, b]) if b.umin > 0 => Known::unsigned(width, 0, a.umax.min(b.umax - 1)),
        (Op::URem, [a, _]) => Known::unsigned(width, 0, a.umax),
        (Op::SDiv, [a, b]) if a.smin >= 0 && b.smin > 0 => {
            Known::unsigned(width, a.umin / b.umax, a.umax / b.umin)
        }
        (Op::SDiv, [a, b]) if b.smin > 0 => {
            Known::signed(width, a.smin.min(0) / b.smin, a.smax.max(0) / b.smin)
        }
        (Op::SRem, [a, b]) => {
            let bound = match b.smin > 0 {
                true => b.smax - 1,
                false => i128::MAX,
            };
            Known::signed(width, a.smin.min(0).max(-bound), a.smax.max(0).min(bound))
        }
        (Op::Shl, [a, b]) => shl(a, b),
        (Op::LShr, [a, b]) => lshr(a, b),
        (Op::AShr, [a, b]) => ashr(a, b),
        (Op::Clz, [a]) => {
            let zeros = |v: u128| u128::from(width - (128 - v.leading_zeros()));
            Known::unsigned(width, zeros(a.umax), zeros(a.umin).min(ones(width)))
        }
        (Op::Popcount, [a]) => {
            let most = width - a.zeros.count_ones();
            Known::unsigned(width, a.ones.count_ones().into(), most.into())
        }
        (Op::BitReverse, [a]) => {
            let reverse = |v: u128| v.reverse_bits() >> (128 - width);
            Known::bits(width, reverse(a.zeros), reverse(a.ones))
        }
        (Op::ICmp(cc), [a, b]) => match a.compare(cc, b) {
            Some(outcome) => Known::constant(1, outcome.into()),
            None => top,
        },
        (Op::Select, [c, a, b]) => match c.as_constant() {
            Some(1) => *a,
            Some(_) => *b,
            None => a.join(b),
        },
        (Op::Zext, [a]) => Known::bits(width, a.zeros | ones(width) & !ones(a.width), a.ones)
            .meet(&Known::unsigned(width, a.umin, a.umax)),
        (Op::Sext, [a]) => sext(a, width),
        (Op::Slice { lo }, [a]) => slice(a, lo.into(), width),
        (Op::Concat, [hi, lo]) => concat(hi, lo, width),
        (Op::Lookup(_), _) => table().map_or(top, |t| of_table(&t, width)),
        _ => top,
    }
}

fn bitwise(op: Op, a: &Known, b: &Known) -> Known {
    let w = a.width;
    let (zeros, set) = match op {
        Op::And => (a.zeros | b.zeros, a.ones & b.ones),
        Op::Or => (a.zeros & b.zeros, a.ones | b.ones),
        _ => (a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros),
    };
    let known = Known::bits(w, zeros, set);
    match op {
        Op::And => known.meet(&Known::unsigned(w, 0, a.umax.min(b.umax))),
        Op::Or => known.meet(&Known::unsigned(w, a.umin.max(b.umin), ones(w))),
        _ => known,
    }
}

/// Known bits of `a + b + carry`, where `carry` is known to be 0 or 1.
fn sum_bits(w: u32, a: (u128, u128), b: (u128, u128), carry: u128) -> Known {
    let ((az, ao), (bz, bo)) = (a, b);
    let all = ones(w);
    // The sums of the largest and of the smallest operands show which carries are known.
    let largest = (!az & all).wrapping_add(!bz & all).wrapping_add(carry);
    let smallest = ao.wrapping_add(bo).wrapping_add(carry);
    let carry_zero = !(largest ^ az ^ bz);
    let carry_one = smallest ^ ao ^ bo;
    let known = (az | ao) & (bz | bo) & (carry_zero | carry_one);
    Known::bits(w, !largest & known, smallest & known)
}

fn add(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let mut known = sum_bits(w, (a.zeros, a.ones), (b.zeros, b.ones), 0);
    if let Some(max) = a.umax.checked_add(b.umax).filter(|m| *m <= ones(w)) {
        known = known.meet(&Known::unsigned(w, a.umin + b.umin, max));
    }
    signed_range(&known, a.smin.checked_add(b.smin), a.smax.checked_add(b.smax))
}

fn sub(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let mut known = sum_bits(w, (a.zeros, a.ones), (b.ones, b.zeros), 1);
    if a.umin >= b.umax {
        known = known.meet(&Known::unsigned(w, a.umin - b.umax, a.umax - b.umin));
    }
    signed_range(&known, a.smin.checked_sub(b.smax), a.smax.checked_sub(b.smin))
}

/// Adds a range with sign, unless it leaves the width (then the operation may wrap).
fn signed_range(known: &Known, min: Option<i128>, max: Option<i128>) -> Known {
    let top = Known::top(known.width);
    match (min, max) {
        (Some(min), Some(max)) if min >= top.smin && max <= top.smax => {
            known.meet(&Known::signed(known.width, min, max))
        }
        _ => *known,
    }
}

fn mul(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let zeros = (a.trailing_zeros() + b.trailing_zeros()).min(w);
    let mut known = Known::bits(w, ones(zeros), 0);
    if let Some(max) = a.umax.checked_mul(b.umax).filter(|m| *m <= ones(w)) {
        known = known.meet(&Known::unsigned(w, a.umin * b.umin, max));
    }
    let corners = [
        a.smin.checked_mul(b.smin),
        a.smin.checked_mul(b.smax),
        a.smax.checked_mul(b.smin),
        a.smax.checked_mul(b.smax),
    ];
    match corners.into_iter().collect::<Option<Vec<i128>>>() {
        Some(c) => signed_range(&known, c.iter().min().copied(), c.iter().max().copied()),
        None => known,
    }
}

/// The shift amounts that are possible and below the width; none when all are.
fn amounts(b: &Known, w: u32) -> (u32, u32) {
    let clamp = |v: u128| v.min(u128::from(w)) as u32;
    (clamp(b.umin), clamp(b.umax))
}

fn shl_bits(v: u128, n: u32) -> u128 {
    v.checked_shl(n).unwrap_or(0)
}

fn shr_bits(v: u128, n: u32) -> u128 {
    v.checked_shr(n).unwrap_or(0)
}

fn shl(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let (least, most) = amounts(b, w);
    let known = if least == most {
        Known::bits(w, shl_bits(a.zeros, least) | ones(least), shl_bits(a.ones, least))
    } else {
        Known::bits(w, ones((a.trailing_zeros() + least).min(w)), 0)
    };
    let fits = most < w && a.umax.leading_zeros() >= 128 - w + most;
    if fits {
        known.meet(&Known::unsigned(w, shl_bits(a.umin, least), shl_bits(a.umax, most)))
    } else if most < w {
        let scale = 1i128.checked_shl(most).filter(|s| *s > 0);
        let scaled = |v: i128| scale.and_then(|s| v.checked_mul(s));
        let low = 1i128.checked_shl(least).filter(|s| *s > 0);
        let unscaled = |v: i128| low.and_then(|s| v.checked_mul(s));
        let min = if a.smin < 0 { scaled(a.smin) } else { unscaled(a.smin) };
        let max = if a.smax < 0 { unscaled(a.smax) } else { scaled(a.smax) };
        signed_range(&known, min, max)
    } else {
        known
    }
}

fn lshr(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let (least, most) = amounts(b, w);
    let range = Known::unsigned(w, shr_bits(a.umin, most), shr_bits(a.umax, least));
    if least == most {
        let zeros = shr_bits(a.zeros, least) | !shr_bits(ones(w), least);
        Known::bits(w, zeros, shr_bits(a.ones, least)).meet(&range)
    } else {
        range
    }
}

fn ashr(a: &Known, b: &Known) -> Known {
    let w = a.width;
    let (least, most) = amounts(b, w);
    let shift = |v: i128, n: u32| v >> n.min(127);
    let min = if a.smin < 0 { shift(a.smin, least) } else { shift(a.smin, most) };
    let max = if a.smax < 0 { shift(a.smax, most) } else { shift(a.smax, least) };
    Known::signed(w, min, max)
}

fn sext(a: &Known, width: u32) -> Known {
    let sign = 1u128 << (a.width - 1);
    let high = ones(width) & !ones(a.width);
    let spread = |bits: u128| if bits & sign != 0 { bits | high } else { bits };
    Known::bits(width, spread(a.zeros), spread(a.ones)).meet(&Known::signed(width, a.smin, a.smax))
}

fn slice(a: &Known, lo: u32, width: u32) -> Known {
    let bits = Known::bits(width, shr_bits(a.zeros, lo), shr_bits(a.ones, lo));
    let mut known = bits;
    if shr_bits(a.umax, lo) <= ones(width) {
        known = known.meet(&Known::unsigned(width, shr_bits(a.umin, lo), shr_bits(a.umax, lo)));
    }
    if a.signed_width() <= lo + width && lo < 128 {
        known = known.meet(&Known::signed(width, a.smin >> lo, a.smax >> lo));
    }
    known
}

fn concat(hi: &Known, lo: &Known, width: u32) -> Known {
    let join = |h: u128, l: u128| mask(shl_bits(h, lo.width) | l, width);
    Known::bits(width, join(hi.zeros, lo.zeros), join(hi.ones, lo.ones)).meet(&Known::unsigned(
        width,
        join(hi.umin, lo.umin),
        join(hi.umax, lo.umax),
    ))
}

fn of_table(table: &TableData, width: u32) -> Known {
    let start = Known::constant(width, 0);
    let all = table.entries.iter().map(|e| Known::constant(width, *e));
    all.fold(start, |known, entry| known.join(&entry))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{IntCC, Type};

    /// Facts that hold for all of `values`, and no more than the lattice can say.
    fn of_set(width: u32, values: &[u128]) -> Known {
        let all = values.iter().map(|v| Known::constant(width, *v));
        all.reduce(|a, b| a.join(&b)).expect("not empty")
    }

    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *state >> 33
    }

    /// The interpreter's result is always among the values that the analysis allows.
    #[test]
    fn facts_hold_for_every_value() {
        use Op::*;
        let ops = [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Not, Clz,
            Popcount, BitReverse, Sext, Zext, Concat,
        ];
        let compares = IntCC::ALL.map(|(cc, _)| ICmp(cc));
        let slices = [Slice { lo: 0 }, Slice { lo: 2 }];
        let w = 5;
        let mut state = 1;
        for op in ops.into_iter().chain(compares).chain(slices) {
            let unary =
                matches!(op, Not | Clz | Popcount | BitReverse | Sext | Zext | Slice { .. });
            let result = match op {
                Sext | Zext => 9,
                Slice { .. } => 3,
                Concat => 2 * w,
                ICmp(_) => 1,
                _ => w,
            };
            for _ in 0..600 {
                let mut set = || -> Vec<u128> {
                    let n = 1 + next(&mut state) % 4;
                    (0..n).map(|_| u128::from(next(&mut state)) % 32).collect()
                };
                let (a, b) = (set(), set());
                let (ka, kb) = (of_set(w, &a), of_set(w, &b));
                let operands = if unary { vec![ka] } else { vec![ka, kb] };
                let known = transfer(op, result, &operands, || None);
                for &x in &a {
                    for &y in &b {
                        let t = Type::int(w);
                        let args = if unary { vec![(t, x)] } else { vec![(t, x), (t, y)] };
                        let v = interp::eval::eval(op, Type::int(result), &args, 64, |_| None)
                            .expect("pure");
                        let exact = Known::constant(result, v);
                        let fine = known.join(&exact) == known;
                        assert!(fine, "{op:?} {x} {y} = {v}: {known:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn facts_are_useful() {
        let byte = Known::unsigned(32, 0, 255);
        let args = [byte, Known::constant(32, 3)];
        // 255 + 3, 255 * 3, 255 << 3 by hand
        assert_eq!(transfer(Op::Add, 32, &args, || None).umax, 258);
        assert_eq!(transfer(Op::Mul, 32, &args, || None).umax, 765);
        assert_eq!(transfer(Op::Shl, 32, &args, || None).umax, 2040);
        assert_eq!(transfer(Op::Sub, 32, &args, || None).smin, -3);
        assert_eq!(byte.unsigned_width(), 8);
        assert_eq!(transfer(Op::Sub, 32, &args, || None).signed_width(), 9);
    }
}
