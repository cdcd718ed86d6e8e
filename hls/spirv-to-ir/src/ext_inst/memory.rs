//! Vector loads and stores, with and without conversion from and to half.

use super::Table;
use crate::decode::Inst;
use crate::decorations::rounding;
use crate::errors::R;
use crate::lower::Lower;
use ir::{FloatKind, MemFlags, Rounding, Type, Value};
use rspirv::spirv::OpenclStd100Op as Std;

pub(super) const TABLE: Table = &[
    (Std::vloadn, |l, i| l.ext_vload(i)),
    (Std::vstoren, |l, i| l.ext_vstore(i)),
    (Std::vload_half, |l, i| l.ext_vload_half(i, false)),
    (Std::vload_halfn, |l, i| l.ext_vload_half(i, false)),
    (Std::vloada_halfn, |l, i| l.ext_vload_half(i, true)),
    (Std::vstore_half, |l, i| l.ext_vstore_half(i, false, false)),
    (Std::vstore_half_r, |l, i| l.ext_vstore_half(i, false, true)),
    (Std::vstore_halfn, |l, i| l.ext_vstore_half(i, false, false)),
    (Std::vstore_halfn_r, |l, i| l.ext_vstore_half(i, false, true)),
    (Std::vstorea_halfn, |l, i| l.ext_vstore_half(i, true, false)),
    (Std::vstorea_halfn_r, |l, i| l.ext_vstore_half(i, true, true)),
    (Std::prefetch, |l, i| l.nothing(i)),
];

impl<'a> Lower<'a, '_, '_> {
    /// The pointer in operand `p` plus the offset in operand `o` times bytes.
    fn indexed(&mut self, inst: &Inst<'a>, p: usize, o: usize, bytes: u32) -> R<Value> {
        let (ptr, offset) = (self.pointer(inst, p)?, self.operand(inst, o)?);
        self.check(self.is_int_scalar(offset), inst, "its offset is not an integer")?;
        let offset = self.b.zext_or_trunc(offset, self.spv.types.addr_bits);
        let offset = self.times(offset, bytes.into())?;
        Ok(self.b.ptr_add(ptr, offset))
    }

    /// Bytes of a value in memory as an element of an array of packed vectors.
    fn packed_bytes(&mut self, inst: &Inst<'a>, ty: Type) -> R<u32> {
        self.check(
            ty.space().is_none() && ty.lane_bits(0).is_multiple_of(8),
            inst,
            "its data cannot lie in memory",
        )?;
        Ok(ty.mem_bytes(0))
    }

    /// The number of lanes that vector loads state beside their result type.
    fn check_lanes(&mut self, inst: &Inst<'a>, ty: Type) -> R<()> {
        let ok = inst.args.get(2).is_none_or(|n| *n == u32::from(ty.lanes));
        self.check(ok, inst, "its number of components is not that of its result")
    }

    fn ext_vload(&mut self, inst: &Inst<'a>) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check_lanes(inst, ty)?;
        let bytes = self.packed_bytes(inst, ty)?;
        let at = self.indexed(inst, 1, 0, bytes)?;
        let v = self.b.load(ty, at, MemFlags::aligned(ty.lane_bits(0) / 8));
        self.set(inst, v)
    }

    fn ext_vstore(&mut self, inst: &Inst<'a>) -> R<()> {
        let data = self.operand(inst, 0)?;
        let ty = self.ty(data);
        let bytes = self.packed_bytes(inst, ty)?;
        let at = self.indexed(inst, 2, 1, bytes)?;
        self.check_writable(inst, at)?;
        self.b.store(at, data, MemFlags::aligned(ty.lane_bits(0) / 8));
        Ok(())
    }

    /// Distance in bytes of half vectors, and their alignment: the `a` variants keep 3-vectors
    /// four elements apart and vectors aligned as a whole.
    fn half_layout(lanes: u8, aligned: bool) -> (u32, u32) {
        match aligned {
            true => {
                let bytes = 2 * u32::from(lanes.next_power_of_two());
                (bytes, bytes)
            }
            false => (2 * u32::from(lanes), 2),
        }
    }

    fn ext_vload_half(&mut self, inst: &Inst<'a>, aligned: bool) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_float(), inst, "its result is not floating point")?;
        self.check_lanes(inst, ty)?;
        let (bytes, align) = Self::half_layout(ty.lanes, aligned);
        let at = self.indexed(inst, 1, 0, bytes)?;
        let half = Type::float(FloatKind::F16).with_lanes(ty.lanes);
        let v = self.b.load(half, at, MemFlags::aligned(align));
        let v = self.in_format(v, ty, Rounding::Rte);
        self.set(inst, v)
    }

    fn ext_vstore_half(&mut self, inst: &Inst<'a>, aligned: bool, rounded: bool) -> R<()> {
        let data = self.operand(inst, 0)?;
        let ty = self.ty(data);
        self.check(ty.is_float(), inst, "its data is not floating point")?;
        let round = if rounded { rounding(inst, inst.arg(3)?)? } else { Rounding::Rte };
        let (bytes, align) = Self::half_layout(ty.lanes, aligned);
        let at = self.indexed(inst, 2, 1, bytes)?;
        self.check_writable(inst, at)?;
        let half = Type::float(FloatKind::F16).with_lanes(ty.lanes);
        let v = self.in_format(data, half, round);
        self.b.store(at, v, MemFlags::aligned(align));
        Ok(())
    }
}
