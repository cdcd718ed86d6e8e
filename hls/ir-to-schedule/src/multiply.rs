//! Wide products as DSP tiles and an adder tree.
//!
//! After this every `mul` is one tile: its operands are extensions of values that fit the
//! family's multiplier, and the RTL step takes the extensions off again.

use ir::builder::mask;
use ir::{Builder, Function, Op, Type, Value};
use schedule::product::{Factor, factor};
use target::DspTile;

/// Whether a product is one tile as it stands (or the family has no tiles).
pub fn is_tile(func: &Function, x: Value, y: Value, tile: DspTile) -> bool {
    let (a, b) = (factor(func, x), factor(func, y));
    if !a.signed && !b.signed {
        return tile.fits(a.width, b.width, false);
    }
    // An unsigned factor next to a signed one needs a zero sign bit.
    let wide = |f: Factor| f.width + u32::from(!f.signed);
    tile.fits(wide(a), wide(b), true)
}

/// The low `width` bits of `x * y`, cut into tiles of the family.
pub fn build(b: &mut Builder, x: Value, y: Value, family: &target::Family) -> Value {
    let width = b.func.bits(x);
    let (fx, fy) = (factor(b.func, x), factor(b.func, y));
    let (ax, ay) = (unsigned(b, fx), unsigned(b, fy));
    let mut rows = partial_products(b, ax, ay, width, family.tile);
    let mut sum = add_rows(b, &mut rows, width);
    // Two's complement factors: x = ux - 2^w when negative.
    for (f, other) in [(fx, ay), (fy, ax)] {
        if f.signed && f.width < width {
            sum = subtract_if_negative(b, sum, f, other, width);
        }
    }
    if fx.signed && fy.signed && fx.width + fy.width < width {
        sum = add_sign_product(b, sum, fx, fy, width);
    }
    sum
}

/// The bits of a factor as an unsigned number; constants in their narrowest width.
fn unsigned(b: &mut Builder, f: Factor) -> Value {
    match b.func.as_const(f.value) {
        Some(c) if b.func.bits(f.value) != f.width => b.constant(Type::int(f.width), c),
        _ => f.value,
    }
}

/// `sum - (other << f.width)` when the factor is negative.
fn subtract_if_negative(b: &mut Builder, sum: Value, f: Factor, other: Value, width: u32) -> Value {
    let sign = slice(b, f.value, f.width - 1, 1);
    let shifted = place(b, other, f.width, width);
    let zero = b.constant(Type::int(width), 0);
    let correction = b.select(sign, shifted, zero);
    b.binary(Op::Sub, sum, correction)
}

/// Both negative: both corrections took 2^(wx+wy) off too often; give it back once.
fn add_sign_product(b: &mut Builder, sum: Value, x: Factor, y: Factor, width: u32) -> Value {
    let (sx, sy) = (slice(b, x.value, x.width - 1, 1), slice(b, y.value, y.width - 1, 1));
    let both = b.binary(Op::And, sx, sy);
    let bit = place(b, both, x.width + y.width, width);
    b.binary(Op::Add, sum, bit)
}

/// A row of the sum: bits from `lo` upwards.
#[derive(Clone, Copy)]
struct Row {
    lo: u32,
    value: Value,
}

fn partial_products(b: &mut Builder, x: Value, y: Value, width: u32, tile: DspTile) -> Vec<Row> {
    let (wx, wy) = (b.func.bits(x), b.func.bits(y));
    let count = |p: u32, q: u32| wx.div_ceil(p) * wy.div_ceil(q);
    let (p, q) = (tile.a_unsigned, tile.b_unsigned);
    let (p, q) = if count(p, q) <= count(q, p) { (p, q) } else { (q, p) };
    let mut products = vec![];
    for i in 0..wx.div_ceil(p) {
        for j in 0..wy.div_ceil(q) {
            let lo = i * p + j * q;
            if lo >= width {
                continue;
            }
            let (ci, cj) = (chunk(b, x, i * p, p), chunk(b, y, j * q, q));
            let wide = b.func.bits(ci) + b.func.bits(cj);
            let (ci, cj) = (b.zext_or_trunc(ci, wide), b.zext_or_trunc(cj, wide));
            let product = b.binary(Op::Mul, ci, cj);
            let kept = wide.min(width - lo);
            products.push(Row { lo, value: slice(b, product, 0, kept) });
        }
    }
    pack(b, products)
}

/// Joins products that do not overlap into common rows.
fn pack(b: &mut Builder, mut products: Vec<Row>) -> Vec<Row> {
    products.sort_by_key(|r| r.lo);
    let mut rows: Vec<Row> = vec![];
    'next: for p in products {
        for row in &mut rows {
            let end = row.lo + b.func.bits(row.value);
            if end <= p.lo {
                let mut low = row.value;
                if end < p.lo {
                    let gap = b.constant(Type::int(p.lo - end), 0);
                    low = concat(b, gap, low);
                }
                row.value = concat(b, p.value, low);
                continue 'next;
            }
        }
        rows.push(p);
    }
    rows
}

/// Sum of all rows modulo 2^width, as a balanced tree.
fn add_rows(b: &mut Builder, rows: &mut Vec<Row>, width: u32) -> Value {
    while rows.len() > 1 {
        rows.sort_by_key(|r| (b.func.bits(r.value) + r.lo, r.lo));
        let (p, q) = (rows.remove(0), rows.remove(0));
        rows.push(add_pair(b, p, q, width));
    }
    let Row { lo, value } = rows[0];
    place(b, value, lo, width)
}

/// Adds two rows; bits below the upper one pass by the adder.
fn add_pair(b: &mut Builder, p: Row, q: Row, width: u32) -> Row {
    let (low, high) = if p.lo <= q.lo { (p, q) } else { (q, p) };
    let skip = high.lo - low.lo;
    let low_bits = b.func.bits(low.value);
    let end = (low.lo + low_bits).max(high.lo + b.func.bits(high.value)) + 1;
    let sum_bits = end.min(width) - high.lo;
    let upper = if low_bits > skip {
        let part = slice(b, low.value, skip, low_bits - skip);
        b.zext_or_trunc(part, sum_bits)
    } else {
        b.constant(Type::int(sum_bits), 0)
    };
    let other = b.zext_or_trunc(high.value, sum_bits);
    let sum = b.binary(Op::Add, upper, other);
    let value = if skip == 0 {
        sum
    } else {
        let bottom = slice(b, low.value, 0, skip.min(low_bits));
        let bottom = b.zext_or_trunc(bottom, skip);
        concat(b, sum, bottom)
    };
    Row { lo: low.lo, value }
}

/// `value << lo` in `width` bits.
fn place(b: &mut Builder, value: Value, lo: u32, width: u32) -> Value {
    if lo >= width {
        return b.constant(Type::int(width), 0);
    }
    let mut v = b.zext_or_trunc(value, width - lo);
    if lo > 0 {
        let zeros = b.constant(Type::int(lo), 0);
        v = concat(b, v, zeros);
    }
    v
}

fn chunk(b: &mut Builder, v: Value, lo: u32, bits: u32) -> Value {
    let kept = bits.min(b.func.bits(v) - lo);
    slice(b, v, lo, kept)
}

/// `bits` bits of `v` from `lo`, folded for constants.
pub fn slice(b: &mut Builder, v: Value, lo: u32, bits: u32) -> Value {
    if bits == b.func.bits(v) {
        return v;
    }
    if let Some(c) = b.func.as_const(v) {
        return b.constant(Type::int(bits), mask(c >> lo, bits));
    }
    b.value(Op::Slice { lo: lo as u8 }, [v], Type::int(bits))
}

/// `high` above `low`.
pub fn concat(b: &mut Builder, high: Value, low: Value) -> Value {
    let bits = b.func.bits(high) + b.func.bits(low);
    b.value(Op::Concat, [high, low], Type::int(bits))
}
