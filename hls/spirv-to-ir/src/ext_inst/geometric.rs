//! Geometric functions.

use super::Table;
use crate::decode::Inst;
use crate::errors::R;
use crate::lower::{Leaves, Lower};
use ir::{FloatCC, MathFn, Op, Type, Value};
use rspirv::spirv::OpenclStd100Op as Std;

pub(super) const TABLE: Table = &[
    (Std::cross, |l, i| l.ext_cross(i)),
    (Std::fast_length, |l, i| {
        let [a] = l.float_operands(i)?;
        l.ext_fast_length(i, a)
    }),
    (Std::fast_distance, |l, i| {
        let [a, b] = l.float_operands(i)?;
        let d = l.b.binary(Op::FSub, a, b);
        l.ext_fast_length(i, d)
    }),
    (Std::fast_normalize, |l, i| l.ext_fast_normalize(i)),
    (Std::length, |l, i| {
        let [a] = l.float_operands(i)?;
        l.ext_length(i, a)
    }),
    (Std::distance, |l, i| {
        let [a, b] = l.float_operands(i)?;
        let d = l.b.binary(Op::FSub, a, b);
        l.ext_length(i, d)
    }),
    (Std::normalize, |l, i| l.ext_normalize(i)),
];

/// A vector divided by a power of two, so that its largest lane is in [1, 2): squares of its lanes
/// neither overflow nor vanish where they matter.
struct Reduced {
    /// The lanes.
    lanes: Leaves,
    /// The power's exponent.
    exponent: Value,
    /// The largest magnitude of the lanes as they were.
    largest: Value,
}

impl<'a> Lower<'a, '_, '_> {
    /// `N` floats of one type, which need not be the result's.
    pub(super) fn float_operands<const N: usize>(&mut self, inst: &Inst<'a>) -> R<[Value; N]> {
        let first = self.operand(inst, 0)?;
        let ty = self.ty(first);
        self.check(ty.is_float(), inst, "its operands are not floating point")?;
        self.operands(inst, 0, ty)
    }

    /// The cross product; a fourth lane is 0.
    fn ext_cross(&mut self, inst: &Inst<'a>) -> R<()> {
        let [a, b] = self.floats(inst, 0)?;
        let ty = self.ty(a);
        self.check(
            matches!(ty.lanes, 3 | 4),
            inst,
            "its operands do not have three or four lanes",
        )?;
        let (a, b) = (self.lanes_of(a), self.lanes_of(b));
        let mut lanes = Leaves::new();
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let x = self.b.binary(Op::FMul, a[i], b[j]);
            let y = self.b.binary(Op::FMul, a[j], b[i]);
            lanes.push(self.b.binary(Op::FSub, x, y));
        }
        if ty.lanes == 4 {
            lanes.push(self.float_like(a[0], 0.0));
        }
        let v = self.b.value(Op::VecBuild, lanes, ty);
        self.set(inst, v)
    }

    fn reduced(&mut self, v: Value) -> Reduced {
        let lanes = self.lanes_of(v);
        let float = self.ty(lanes[0]);
        let mut largest = self.b.unary(Op::FAbs, lanes[0]);
        for &lane in &lanes[1..] {
            let magnitude = self.b.unary(Op::FAbs, lane);
            largest = self.b.binary(Op::FMax, largest, magnitude);
        }
        let exponent = self.b.value(Op::Math(MathFn::Ilogb), [largest], Type::I32);
        let zero = self.like(exponent, 0);
        let down = self.b.binary(Op::Sub, zero, exponent);
        let scale = |l: &mut Self, x| l.b.value(Op::Math(MathFn::Ldexp), [x, down], float);
        let lanes = lanes.iter().map(|x| scale(self, *x)).collect();
        Reduced { lanes, exponent, largest }
    }

    /// Root of the sum of the squares of lanes.
    fn root_of_squares(&mut self, lanes: &[Value]) -> Value {
        let squares: Vec<Value> = lanes.iter().map(|x| self.b.binary(Op::FMul, *x, *x)).collect();
        let sum = squares[1..].iter().fold(squares[0], |sum, x| self.b.binary(Op::FAdd, sum, *x));
        self.b.unary(Op::FSqrt, sum)
    }

    /// The length, without overflow on the way.
    fn ext_length(&mut self, inst: &Inst<'a>, v: Value) -> R<()> {
        let r = self.reduced(v);
        let root = self.root_of_squares(&r.lanes);
        let float = self.ty(root);
        let v = self.b.value(Op::Math(MathFn::Ldexp), [root, r.exponent], float);
        self.set(inst, v)
    }

    /// The direction: a zero vector stays; where lanes are infinite, they count as 1 and the others as 0.
    fn ext_normalize(&mut self, inst: &Inst<'a>) -> R<()> {
        let [v] = self.floats(inst, 0)?;
        let ty = self.ty(v);
        let r = self.reduced(v);
        let infinity = self.float_like(r.largest, f64::INFINITY);
        let (zero, one) = (self.float_like(r.largest, 0.0), self.float_like(r.largest, 1.0));
        let unbounded = self.fcmp(FloatCC::EQ, r.largest, infinity);
        let mut lanes = Leaves::new();
        for (&original, &scaled) in self.lanes_of(v).iter().zip(&r.lanes) {
            let magnitude = self.b.unary(Op::FAbs, original);
            let infinite = self.fcmp(FloatCC::EQ, magnitude, infinity);
            let unit = self.b.select(infinite, one, zero);
            let unit = self.b.binary(Op::FCopysign, unit, original);
            let nan = self.is_nan(original);
            let unit = self.b.select(nan, original, unit);
            lanes.push(self.b.select(unbounded, unit, scaled));
        }
        let root = self.root_of_squares(&lanes);
        // Not by the largest magnitude, which ignores NaNs: one makes all lanes NaN.
        let none = self.fcmp(FloatCC::EQ, root, zero);
        let divisor = self.b.select(none, one, root);
        let quotients: Leaves =
            lanes.iter().map(|x| self.b.binary(Op::FDiv, *x, divisor)).collect();
        let v = match ty.is_vector() {
            true => self.b.value(Op::VecBuild, quotients, ty),
            false => quotients[0],
        };
        self.set(inst, v)
    }

    /// `half_sqrt(dot(v, v))`, as OpenCL defines `fast_length`.
    fn ext_fast_length(&mut self, inst: &Inst<'a>, v: Value) -> R<()> {
        let square = self.dot_product(v, v);
        let v = self.b.unary(Op::FSqrt, square);
        self.set(inst, v)
    }

    /// `v * half_rsqrt(dot(v, v))`; a zero vector stays.
    fn ext_fast_normalize(&mut self, inst: &Inst<'a>) -> R<()> {
        let [v] = self.floats(inst, 0)?;
        let ty = self.ty(v);
        let square = self.dot_product(v, v);
        let factor = self.reciprocal_root(square);
        let zero = self.float_like(square, 0.0);
        let none = self.fcmp(FloatCC::EQ, square, zero);
        let factor = self.b.select(none, zero, factor);
        let factor = self.splat(factor, ty);
        let v = self.b.binary(Op::FMul, v, factor);
        self.set(inst, v)
    }
}
