//! Work-item built-ins: variables, and functions where a producer leaves calls.

use super::sub_group::{BALLOT_TYPE, Ids};
use super::{Leaves, Lower};
use crate::decode::{Id, Inst};
use crate::errors::{BAD_OPERAND, R, UNSUPPORTED, error, unsupported};
use ir::{IntCC, Op, Query, Type, Value};
use rspirv::spirv::{self, BuiltIn};

/// A pointer to a built-in variable, or to one component of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Builtin {
    query: Source,
    component: Option<u8>,
}

/// What answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Query(Query),
    SubGroup(SubGroup),
    /// A bit for each local id of the sub-group that compares so with the work-item's own.
    Mask(Ids),
}

/// What a work-item can ask of its sub-group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SubGroup {
    /// Work-items in it; the last one of a work-group may have less.
    Size,
    /// Work-items of the largest.
    MaxSize,
    /// Sub-groups of the work-group.
    Count,
    /// Sub-groups of a work-group that is no remainder.
    EnqueuedCount,
    /// Its number in the work-group.
    Id,
    /// The work-item's number in it.
    LocalId,
}

impl Source {
    /// The vector of three answers that it is.
    fn vector(self) -> Option<Query> {
        match self {
            Source::Query(query) if is_vector(query) => Some(query),
            _ => None,
        }
    }
}

/// How a query answers for dimensions.
fn is_vector(query: Query) -> bool {
    !matches!(query, Query::WorkDim | Query::GlobalLinearId | Query::LocalLinearId)
}

/// What a query answers for a dimension past the third (OpenCL C, "Work-Item Functions").
fn out_of_range(query: Query) -> u64 {
    use Query::*;
    matches!(query, GlobalSize | LocalSize | EnqueuedLocalSize | NumGroups).into()
}

impl<'a> Lower<'a, '_, '_> {
    /// The built-in that variable `id` is decorated with.
    pub(super) fn builtin_of(&self, id: Id) -> R<Builtin> {
        let Some(number) = self.spv.deco.of(id).builtin else {
            return Err(error(
                BAD_OPERAND,
                format!("input variable {} is no built-in", self.spv.describe(id)),
            ));
        };
        let sub_group = |query| Ok(Builtin { query: Source::SubGroup(query), component: None });
        let mask = |ids| Ok(Builtin { query: Source::Mask(ids), component: None });
        let query = match BuiltIn::from_u32(number) {
            Some(BuiltIn::SubgroupSize) => return sub_group(SubGroup::Size),
            Some(BuiltIn::SubgroupMaxSize) => return sub_group(SubGroup::MaxSize),
            Some(BuiltIn::NumSubgroups) => return sub_group(SubGroup::Count),
            Some(BuiltIn::NumEnqueuedSubgroups) => return sub_group(SubGroup::EnqueuedCount),
            Some(BuiltIn::SubgroupId) => return sub_group(SubGroup::Id),
            Some(BuiltIn::SubgroupLocalInvocationId) => return sub_group(SubGroup::LocalId),
            Some(BuiltIn::SubgroupEqMask) => return mask(Ids::Equal),
            Some(BuiltIn::SubgroupGeMask) => return mask(Ids::GreaterOrEqual),
            Some(BuiltIn::SubgroupGtMask) => return mask(Ids::Greater),
            Some(BuiltIn::SubgroupLeMask) => return mask(Ids::LessOrEqual),
            Some(BuiltIn::SubgroupLtMask) => return mask(Ids::Less),
            Some(BuiltIn::WorkDim) => Query::WorkDim,
            Some(BuiltIn::GlobalSize) => Query::GlobalSize,
            Some(BuiltIn::GlobalInvocationId) => Query::GlobalId,
            Some(BuiltIn::GlobalOffset) => Query::GlobalOffset,
            Some(BuiltIn::WorkgroupSize) => Query::LocalSize,
            Some(BuiltIn::EnqueuedWorkgroupSize) => Query::EnqueuedLocalSize,
            Some(BuiltIn::LocalInvocationId) => Query::LocalId,
            Some(BuiltIn::NumWorkgroups) => Query::NumGroups,
            Some(BuiltIn::WorkgroupId) => Query::GroupId,
            Some(BuiltIn::GlobalLinearId) => Query::GlobalLinearId,
            Some(BuiltIn::LocalInvocationIndex) => Query::LocalLinearId,
            other => {
                let name = other.map_or(number.to_string(), |b| format!("{b:?}"));
                return Err(unsupported(
                    UNSUPPORTED,
                    format!("built-in variable {name}"),
                    "sub-group functions",
                ));
            }
        };
        Ok(Builtin { query: Source::Query(query), component: None })
    }

    /// An access chain into a built-in: one component.
    pub(super) fn builtin_chain(
        &mut self,
        inst: &Inst,
        builtin: Builtin,
        indices: &[Option<i128>],
        element: bool,
    ) -> R<Builtin> {
        let indices = match (element, indices) {
            (true, [Some(0), rest @ ..]) => rest,
            (false, all) => all,
            _ => return Err(self.mismatch(inst, "it steps over a built-in variable")),
        };
        match indices {
            [] => Ok(builtin),
            [Some(k @ 0..=2)]
                if builtin.component.is_none() && builtin.query.vector().is_some() =>
            {
                Ok(Builtin { component: Some(*k as u8), ..builtin })
            }
            _ => Err(self.mismatch(inst, "its index into a built-in variable is not 0, 1 or 2")),
        }
    }

    /// Loads a built-in.
    pub(super) fn load_builtin(&mut self, inst: &Inst, builtin: Builtin) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int(), inst, "a built-in is loaded as something other than integers")?;
        let v = match (builtin.component, builtin.query.vector()) {
            (None, Some(query)) => {
                self.check(
                    ty.lanes == 3,
                    inst,
                    "a built-in of three components is loaded as another vector",
                )?;
                let lanes: Leaves = (0..3).map(|d| self.query(query, d, ty.lane())).collect();
                self.b.value(Op::VecBuild, lanes, ty)
            }
            (component, _) => match builtin.query {
                Source::Query(query) => self.query(query, component.unwrap_or(0), ty),
                Source::SubGroup(query) => self.sub_group(query, ty),
                Source::Mask(ids) => {
                    let why = "a mask of a sub-group is loaded as something other than four words";
                    self.check(ty == BALLOT_TYPE, inst, why)?;
                    self.mask_of_ids(ids)
                }
            },
        };
        self.set(inst, v)
    }

    /// What `get_global_id(7)` and the like give: llvm-spirv writes a component past the end of
    /// the built-in vector.
    pub(super) fn builtin_past_end(&mut self, inst: &Inst, object: Id) -> R<Option<Value>> {
        let Some(load) = self.spv.def_inst(object).filter(|i| i.op == spirv::Op::Load) else {
            return Ok(None);
        };
        let builtin = self.builtin_variable(load.arg(0)?)?;
        match (builtin.and_then(|b| b.query.vector()), inst.args) {
            (Some(query), [_, component]) if *component > 2 => {
                let ty = self.result_type(inst)?;
                Ok(Some(self.b.constant(ty, out_of_range(query).into())))
            }
            _ => Ok(None),
        }
    }

    fn query(&mut self, query: Query, dim: u8, ty: Type) -> Value {
        let v = self.b.query(query, dim);
        self.b.zext_or_trunc(v, ty.lane_bits(0))
    }

    /// What sub-groups are: runs of work-items by local linear id.
    fn sub_group(&mut self, query: SubGroup, ty: Type) -> Value {
        let most = self.spv.sub_group_size;
        // Of this kernel; functions that kernels call count, with the same result.
        let required = self.b.func.kernel.as_ref().and_then(|k| k.sub_groups);
        if let (SubGroup::Count | SubGroup::EnqueuedCount, Some(sub_groups)) = (query, required) {
            return self.b.constant(ty, sub_groups.count.into());
        }
        let (rank, size) = self.rank_in_group();
        let inside = self.b.size(u64::from(most) - 1);
        let shift = self.b.size(most.ilog2().into());
        let count = |l: &mut Self, size: Value| {
            let rounded = l.b.binary(Op::Add, size, inside);
            l.b.binary(Op::LShr, rounded, shift)
        };
        let v = match query {
            SubGroup::Size => {
                let most = self.b.size(most.into());
                let local = self.b.binary(Op::And, rank, inside);
                let first = self.b.binary(Op::Sub, rank, local);
                let left = self.b.binary(Op::Sub, size, first);
                let last = self.b.icmp(IntCC::Ult, left, most);
                self.b.select(last, left, most)
            }
            SubGroup::MaxSize => self.b.size(most.into()),
            SubGroup::Count => count(self, size),
            SubGroup::EnqueuedCount => {
                let [x, y, z] = [0, 1, 2].map(|d| self.b.query(Query::EnqueuedLocalSize, d));
                let plane = self.b.binary(Op::Mul, x, y);
                let size = self.b.binary(Op::Mul, plane, z);
                count(self, size)
            }
            SubGroup::Id => self.b.binary(Op::LShr, rank, shift),
            SubGroup::LocalId => self.b.binary(Op::And, rank, inside),
        };
        self.b.zext_or_trunc(v, ty.lane_bits(0))
    }

    /// A call of a work-item function: with a dimension, or none.
    pub(crate) fn query_call(&mut self, inst: &Inst, query: Query, args: &[Id]) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let v = match (is_vector(query), args) {
            (false, []) => self.query(query, 0, ty),
            (true, [dim]) => self.query_at(inst, query, *dim, ty)?,
            _ => return Err(self.mismatch(inst, "it gives the wrong number of arguments")),
        };
        self.set(inst, v)
    }

    fn query_at(&mut self, inst: &Inst, query: Query, dim: Id, ty: Type) -> R<Value> {
        let past = u128::from(out_of_range(query));
        if let Some(k) = self.spv.consts.scalar(dim) {
            return Ok(match k {
                0..=2 => self.query(query, k as u8, ty),
                _ => self.b.constant(ty, past),
            });
        }
        let dim = self.one(dim)?;
        self.check(self.is_int_scalar(dim), inst, "its dimension is not an integer")?;
        let mut v = self.b.constant(ty, past);
        for k in 0..3u8 {
            let want = self.like(dim, k.into());
            let is = self.b.icmp(IntCC::Eq, dim, want);
            let answer = self.query(query, k, ty);
            v = self.b.select(is, answer, v);
        }
        Ok(v)
    }
}
