//! Geometric functions.

use super::Table;
use crate::decode::Inst;
use crate::errors::R;
use crate::lower::{Leaves, Lower};
use ir::{Op, Value};
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
];

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
        let none = self.fcmp(ir::FloatCC::EQ, square, zero);
        let factor = self.b.select(none, zero, factor);
        let factor = self.splat(factor, ty);
        let v = self.b.binary(Op::FMul, v, factor);
        self.set(inst, v)
    }
}
