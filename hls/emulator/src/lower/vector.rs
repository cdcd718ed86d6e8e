//! Vector operations that are not lane by lane.

use super::{Lower, Parts};
use crate::types::{int_reg, reg, width};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, InstBuilder, types};
use ir::Type;

impl Lower<'_, '_, '_> {
    /// The lane that an index names; 0 past the end.
    pub(super) fn extract_dyn(&mut self, ty: Type, v: &Parts, index: clif::Value) -> clif::Value {
        let mut found = self.constant(ty.lane(), 0);
        for (k, lane) in v.iter().enumerate() {
            let is_it = self.b.ins().icmp_imm_s(IntCC::Equal, index, k as i64);
            found = self.b.ins().select(is_it, *lane, found);
        }
        found
    }

    /// A vector with the lane replaced that an index names, if it has one.
    pub(super) fn insert_dyn(&mut self, v: &Parts, x: clif::Value, index: clif::Value) -> Parts {
        let mut replaced = Parts::new();
        for (k, lane) in v.iter().enumerate() {
            let is_it = self.b.ins().icmp_imm_s(IntCC::Equal, index, k as i64);
            replaced.push(self.b.ins().select(is_it, x, *lane));
        }
        replaced
    }

    /// The same bits cut into lanes of another width.
    pub(super) fn bitcast(&mut self, from: Type, to: Type, v: &Parts) -> Parts {
        let (old, new) = (width(from), width(to));
        let bits: Parts = v.iter().map(|x| self.as_bits(*x)).collect();
        if old == new {
            return bits.into_iter().map(|x| self.as_lane(to, x)).collect();
        }
        (0..u32::from(to.lanes))
            .map(|lane| {
                let all = self.gather_bits(old, &bits, lane * new, new);
                if reg(to).is_float() { self.as_lane(to, all) } else { all }
            })
            .collect()
    }

    /// Bits `first..first + count` of the lanes of `w` bits, as an integer.
    fn gather_bits(&mut self, w: u32, lanes: &Parts, first: u32, count: u32) -> clif::Value {
        let to = int_reg(count);
        let mut all = self.iconst(to, 0);
        let mut at = 0;
        while at < count {
            let (lane, skip) = ((first + at) / w, (first + at) % w);
            let taken = (w - skip).min(count - at);
            let mut part = lanes[lane as usize];
            if skip > 0 {
                part = self.b.ins().ushr_imm_u(part, i64::from(skip));
            }
            let mut part = self.wrap(part, skip_width(w, skip, taken));
            part = self.resize(part, to);
            part = self.wrap(part, taken.max(1));
            if at > 0 {
                part = self.b.ins().ishl_imm_u(part, i64::from(at));
            }
            all = self.b.ins().bor(all, part);
            at += taken;
        }
        debug_assert_eq!(
            self.b.func.dfg.value_type(all),
            if to == types::I8 { types::I8 } else { to }
        );
        all
    }
}

/// Bits that are left of a lane after skipping some.
fn skip_width(w: u32, skip: u32, taken: u32) -> u32 {
    (w - skip).min(taken)
}
