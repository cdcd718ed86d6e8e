//! Vectors, arrays and structures as SSA values.

use super::{Leaves, Lower};
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::types::Kind;
use base::smallvec;
use ir::{Op, Type, Value};

/// Where constant indices lead inside a value: its leaves, and a lane if they end in a vector.
struct Place {
    ty: Id,
    first: usize,
    count: usize,
    lane: Option<u8>,
}

impl Lower<'_, '_, '_> {
    fn place(&self, inst: &Inst, ty: Id, indices: &[u32]) -> R<Place> {
        let types = &self.spv.types;
        types.check_whole(ty)?;
        let mut place = Place { ty, first: 0, count: types.get(ty)?.leaves as usize, lane: None };
        for &index in indices {
            let (next, skip) = match &types.get(place.ty)?.kind {
                Kind::Vector { element, lanes } if place.lane.is_none() => {
                    self.check(index < u32::from(*lanes), inst, "an index is past the end")?;
                    place.lane = Some(index as u8);
                    (*element, 0)
                }
                Kind::Array { element, len, .. } => {
                    self.check(u64::from(index) < *len, inst, "an index is past the end")?;
                    (*element, u64::from(index) * types.get(*element)?.leaves)
                }
                Kind::Struct { members, .. } => match members.get(index as usize) {
                    Some(m) => (m.ty, m.first_leaf),
                    None => return Err(self.mismatch(inst, "an index is past the end")),
                },
                _ => return Err(self.mismatch(inst, "an index enters a value without parts")),
            };
            place.first += skip as usize;
            place.ty = next;
            place.count = types.get(next)?.leaves as usize;
        }
        Ok(place)
    }

    fn part<'v>(&self, inst: &Inst, leaves: &'v [Value], place: &Place) -> R<&'v [Value]> {
        leaves
            .get(place.first..place.first + place.count)
            .ok_or_else(|| self.mismatch(inst, "its operand is not of the type indexed"))
    }

    /// `OpCompositeExtract`
    pub(super) fn composite_extract(&mut self, inst: &Inst) -> R<()> {
        let object = inst.arg(0)?;
        let leaves = self.leaves(object)?;
        if let Some(v) = self.builtin_past_end(inst, object)? {
            return self.set(inst, v);
        }
        let place = self.place(inst, self.spv.type_of(object)?, &inst.args[1..])?;
        let part = Leaves::from_slice(self.part(inst, &leaves, &place)?);
        match (place.lane, &part[..]) {
            (Some(lane), [v]) => {
                let v = self.lane(*v, lane);
                self.set(inst, v)
            }
            _ => self.set_all(inst, part),
        }
    }

    /// `OpCompositeInsert`
    pub(super) fn composite_insert(&mut self, inst: &Inst) -> R<()> {
        let object = self.leaves(inst.arg(0)?)?;
        let composite = inst.arg(1)?;
        let mut leaves = self.leaves(composite)?;
        let place = self.place(inst, self.spv.type_of(composite)?, &inst.args[2..])?;
        let old = Leaves::from_slice(self.part(inst, &leaves, &place)?);
        let new: Leaves = match (place.lane, &old[..], &object[..]) {
            (Some(lane), [v], [x]) => {
                let fits = self.ty(*x) == self.ty(*v).lane();
                self.check(fits, inst, "the object is not of the element type")?;
                let ty = self.ty(*v);
                smallvec![self.b.value(Op::VecInsert(lane), [*v, *x], ty)]
            }
            _ => {
                let fits = old.len() == object.len()
                    && old.iter().zip(&object).all(|(a, b)| self.ty(*a) == self.ty(*b));
                self.check(fits, inst, "the object is not of the part's type")?;
                object
            }
        };
        leaves[place.first..place.first + place.count].copy_from_slice(&new);
        self.set_all(inst, leaves)
    }

    /// `OpCompositeConstruct`: vectors also from shorter vectors.
    pub(super) fn composite_construct(&mut self, inst: &Inst) -> R<()> {
        let ty = inst.ty()?;
        let mut parts = Leaves::new();
        for &arg in inst.args {
            parts.extend(self.leaves(arg)?);
            self.check(
                parts.len() as u64 <= crate::types::MAX_NODES,
                inst,
                "it has too many parts",
            )?;
        }
        if let Kind::Vector { .. } = self.spv.types.get(ty)?.kind {
            let ty = self.spv.types.ir(ty)?;
            let mut lanes = Leaves::new();
            for part in parts {
                lanes.extend(self.lanes_of(part));
            }
            let fits = lanes.len() == usize::from(ty.lanes)
                && lanes.iter().all(|v| self.ty(*v) == ty.lane());
            self.check(fits, inst, "its parts do not make the result type")?;
            let v = self.b.value(Op::VecBuild, lanes, ty);
            return self.set(inst, v);
        }
        self.set_all(inst, parts)
    }

    /// One lane of a vector (a scalar has one lane).
    pub fn lane(&mut self, v: Value, lane: u8) -> Value {
        let ty = self.ty(v);
        if !ty.is_vector() {
            return v;
        }
        self.b.value(Op::VecExtract(lane), [v], ty.lane())
    }

    /// All lanes of a vector or scalar.
    pub fn lanes_of(&mut self, v: Value) -> Leaves {
        let n = self.ty(v).lanes;
        (0..n).map(|k| self.lane(v, k)).collect()
    }

    /// A vector (or scalar) from its lanes.
    pub fn join_lanes(&mut self, lanes: Leaves, ty: Type) -> Value {
        match lanes[..] {
            [v] => v,
            _ => self.b.value(Op::VecBuild, lanes, ty),
        }
    }

    /// `OpVectorShuffle`: 0xFFFFFFFF means any value, here 0.
    pub(super) fn vector_shuffle(&mut self, inst: &Inst) -> R<()> {
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ty = self.result_type(inst)?;
        let (ta, tb) = (self.ty(a), self.ty(b));
        let picks = &inst.args[2..];
        let fits = ta.lane() == tb.lane()
            && ta.lane() == ty.lane()
            && ta.is_vector()
            && tb.is_vector()
            && picks.len() == usize::from(ty.lanes);
        self.check(fits, inst, "its operands do not fit its result type")?;
        let mut lanes = Leaves::new();
        for &pick in picks {
            let n = u32::from(ta.lanes);
            lanes.push(match pick {
                u32::MAX => self.b.constant(ty.lane(), 0),
                k if k < n => self.lane(a, k as u8),
                k if k - n < u32::from(tb.lanes) => self.lane(b, (k - n) as u8),
                _ => return Err(self.mismatch(inst, "an index is past the end")),
            });
        }
        let v = self.b.value(Op::VecBuild, lanes, ty);
        self.set(inst, v)
    }

    /// `OpVectorExtractDynamic`
    pub(super) fn extract_dynamic(&mut self, inst: &Inst) -> R<()> {
        let (v, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ok = self.ty(v).is_vector() && self.is_int_scalar(index);
        self.check(ok, inst, "its operands are not a vector and an index")?;
        let ty = self.ty(v).lane();
        let v = self.b.value(Op::VecExtractDyn, [v, index], ty);
        self.set(inst, v)
    }

    /// `OpVectorInsertDynamic`
    pub(super) fn insert_dynamic(&mut self, inst: &Inst) -> R<()> {
        let (v, x, index) =
            (self.operand(inst, 0)?, self.operand(inst, 1)?, self.operand(inst, 2)?);
        let ty = self.ty(v);
        let ok = ty.is_vector() && self.ty(x) == ty.lane() && self.is_int_scalar(index);
        self.check(ok, inst, "its operands are not a vector, an element and an index")?;
        let v = self.b.value(Op::VecInsertDyn, [v, x, index], ty);
        self.set(inst, v)
    }

    /// Whether a value is an integer scalar.
    pub fn is_int_scalar(&self, v: Value) -> bool {
        self.ty(v).is_int() && !self.ty(v).is_vector()
    }

    /// `OpSelect`, of aggregates too.
    pub(super) fn select(&mut self, inst: &Inst) -> R<()> {
        if let Some(shape) = self.pipes.shape(inst.result()?) {
            return self.select_pipe(inst, &shape);
        }
        let c = self.operand(inst, 0)?;
        let (a, b) = (self.leaves(inst.arg(1)?)?, self.leaves(inst.arg(2)?)?);
        let cond = self.ty(c);
        let fits = cond.lane() == Type::BOOL
            && a.len() == b.len()
            && a.iter().zip(&b).all(|(a, b)| {
                let ty = self.ty(*a);
                ty == self.ty(*b) && (cond.lanes == 1 || cond.lanes == ty.lanes)
            });
        self.check(fits, inst, "its operands are not of one type")?;
        let leaves = a.iter().zip(&b).map(|(a, b)| self.b.select(c, *a, *b)).collect();
        self.set_all(inst, leaves)
    }
}
