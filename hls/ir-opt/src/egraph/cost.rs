//! What a node costs in hardware, and how long it takes.

use super::lang::Data;
use crate::recurrence::{Clock, cycles};
use ir::{IntCC, Op, Type};
use target::OpKind;

/// LUTs that a DSP tile is worth where nothing says that they run short. Devices have a tile for some hundred LUTs, but kernels use far more of the
/// latter; and a sum in place of a product may have to be computed again by the schedule wherever it is used, which a product never is.
const LUTS_PER_DSP: f64 = 4.0;
/// LUTs that a nanosecond is worth: latency costs pipeline registers. What matters in a recurrence is seen by [`super::interval`].
const LUTS_PER_NS: f64 = 0.5;

/// Part of the costs of what is the same throughout a launch: nothing of it travels through pipelines, and synthesis may share it.
const UNIFORM: u64 = 4;
/// LUTs for each bit of a sum of several values of work-items, or of computed ones. It takes registers, and a place in every queue between where
/// it is made and where it is used, while the sum of one that is there anyway and something uniform is made again where it is used.
const LUTS_PER_CARRIED_BIT: f64 = 0.35;

/// Costs on a device family, in hundredths of a LUT, and times at a clock.
pub struct Cost<'f> {
    clock: Clock<'f>,
    /// Work-items travel as tokens, with their values.
    tokens: bool,
}

impl<'f> Cost<'f> {
    /// Costs and times at this clock; of a kernel with many work-items or, without `tokens`, with a single one.
    pub fn new(clock: Clock<'f>, tokens: bool) -> Self {
        Cost { clock, tokens }
    }

    /// Picoseconds from the operands of a node to its result, as [`Clock::ns`] has them.
    pub fn picoseconds(&self, op: Op, ty: Type, operands: &[Data]) -> i64 {
        let ns = match cycles(op) {
            Some(cycles) => cycles * self.clock.period_ns,
            None => {
                let width = operands.last().map_or(1, |d| d.ty.lane_bits(64));
                let constant = operands.get(1).is_some_and(|d| d.constant.is_some());
                let kind = target::kind_of(op, constant);
                self.clock.family.delay_ns(kind, if ty.is_vector() { 1 } else { width })
            }
        };
        (ns * 1000.0).round() as i64
    }

    /// The clock.
    pub fn clock(&self) -> Clock<'f> {
        self.clock
    }

    /// The cost of one node without its operands, of which `operands` says what is known (nothing, when there are none). Bits that are known to be
    /// constants cost nothing: synthesis sees most of them too.
    pub fn node(&self, op: Op, ty: Type, operands: &[Data]) -> u64 {
        let own = self.alone(op, ty, operands);
        if operands.iter().all(|d| !d.varies) {
            return if operands.is_empty() { own } else { own.div_ceil(UNIFORM) };
        }
        let sum = matches!(op, Op::Add | Op::Sub | Op::PtrAdd);
        let carried = (f64::from(ty.lane_bits(64)) * LUTS_PER_CARRIED_BIT * 100.0) as u64;
        own + if self.tokens && sum && !is_made_again(operands) { carried } else { 0 }
    }

    /// The cost where all operands differ between work-items.
    fn alone(&self, op: Op, ty: Type, operands: &[Data]) -> u64 {
        let bits = |t: Type| t.lane_bits(64);
        let w = bits(ty);
        let first = operands.first().map_or(w, |d| bits(d.ty));
        let last_constant = operands.last().and_then(|d| d.constant);
        let simple = |kind: OpKind, width: u32| self.simple(kind, width);
        match op {
            Op::Const(_) | Op::Zext | Op::Slice { .. } | Op::Concat => 0,
            Op::Bitcast | Op::PtrToInt | Op::IntToPtr | Op::BitReverse | Op::SpaceCast => 0,
            // A bit of preference for fewer nodes where hardware is the same.
            Op::Not | Op::FNeg | Op::FAbs | Op::FCopysign => 1,
            // A sign that is repeated is known to fewer rules than zeros.
            Op::Sext => 1,
            Op::And | Op::Or | Op::Xor => match undecided(w, operands) {
                0 => 2,
                open => simple(OpKind::And, open),
            },
            Op::Add => match w - trailing_zeros(operands).min(w) {
                0 => 2,
                open => simple(OpKind::Add, open),
            },
            Op::PtrAdd => simple(OpKind::Add, w),
            Op::Sub if operands.first().is_some_and(|d| d.constant == Some(0)) => {
                simple(OpKind::Neg, w)
            }
            Op::Sub => simple(
                OpKind::Sub,
                (w - trailing_zeros(operands.get(1..).unwrap_or_default()).min(w)).max(1),
            ),
            Op::Mul => self.product(w, operands),
            Op::UDiv | Op::URem => u64::from(w) * simple(OpKind::Sub, w),
            // Magnitudes in front, a sign behind.
            Op::SDiv | Op::SRem => u64::from(w + 3) * simple(OpKind::Sub, w),
            Op::AShr if last_constant.is_some() => 2,
            Op::Shl | Op::LShr | Op::AShr if last_constant.is_some() => 1,
            Op::Shl => simple(OpKind::Shl, w),
            Op::LShr => simple(OpKind::LShr, w),
            Op::AShr => simple(OpKind::AShr, w),
            Op::ICmp(IntCC::Eq | IntCC::Ne) => simple(OpKind::CmpEq, first),
            Op::ICmp(cc) => simple(OpKind::CmpLt, first) + u64::from(cc.is_signed()),
            Op::Select => simple(OpKind::Mux { ways: 2 }, w),
            Op::Clz => simple(OpKind::Lzc, w),
            Op::Popcount => simple(OpKind::Popcount, w),
            _ => float_luts(op, first.max(w)) * 100,
        }
    }

    /// A product of the bits that operands can have, of tiles whose results are added.
    fn product(&self, width: u32, operands: &[Data]) -> u64 {
        let bits = |d: &Data| {
            let known = d.known.map_or(0, |k| (k.zeros << (128 - width)).leading_ones());
            width - known.min(width)
        };
        let [a, b] = operands else { return self.simple(OpKind::Mul, width) };
        let (a, b) = (bits(a).max(1), bits(b).max(1));
        let tile = self.clock.family.tile;
        let tiles = |a: u32, b: u32| a.div_ceil(tile.a_unsigned) * b.div_ceil(tile.b_unsigned);
        let tiles = tiles(a, b).min(tiles(b, a));
        let sums = self.simple(OpKind::Add, (a + b).min(width)) * u64::from(tiles - 1);
        (f64::from(tiles) * LUTS_PER_DSP * 100.0) as u64 + sums + 1
    }

    fn simple(&self, kind: OpKind, width: u32) -> u64 {
        let family = self.clock.family;
        let area = family.area(kind, width);
        let luts = area.lut + area.dsp * LUTS_PER_DSP;
        let time = family.delay_ns(kind, width) * LUTS_PER_NS;
        ((luts + time) * 100.0) as u64 + 1
    }
}

/// Whether a sum is made where it is used, from a leaf and what is the same throughout the launch.
fn is_made_again(operands: &[Data]) -> bool {
    let mut bases = operands.iter().filter(|d| d.varies).map(|d| d.wires_of);
    let first = bases.next().flatten();
    first.is_some() && bases.all(|b| b == first)
}

/// Bits at which no operand is known: a gate each, where two known operands make a wire or a constant.
fn undecided(width: u32, operands: &[Data]) -> u32 {
    let known = operands.iter().filter_map(|d| d.known);
    let decided = known.fold(0, |bits, k| bits | k.zeros | k.ones);
    width - (decided & crate::bits::ones(width)).count_ones()
}

/// Low bits at which one of the operands is 0: the others pass.
fn trailing_zeros(operands: &[Data]) -> u32 {
    operands.iter().filter_map(|d| d.known).map(|k| k.trailing_zeros()).max().unwrap_or(0)
}

/// Rough sizes of floating-point units in LUTs, DSP tiles included.
fn float_luts(op: Op, width: u32) -> u64 {
    let per_bit = match op.gradual() {
        Op::FAdd | Op::FSub => 16,
        Op::FMul => 14,
        Op::Fma => 32,
        Op::FDiv | Op::FSqrt | Op::FRem => 50,
        Op::Math(_) => 80,
        Op::FMin | Op::FMax | Op::FCmp(_) => 3,
        _ => 8,
    };
    per_bit * u64::from(width)
}
