//! Index spaces of commands, and what is asked of blocks.

use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::link::DEFAULT_WORK_GROUP_SIZE;
use crate::lower::{Leaves, Lower};
use crate::types::Kind;
use ir::{IntCC, KernelInfo, Op, Type, Value};

/// An index space, in numbers of 32 bits.
pub(super) struct Range {
    pub dims: Value,
    pub offset: [Value; 3],
    pub global: [Value; 3],
    pub local: [Value; 3],
    pub valid: Value,
}

impl<'a> Lower<'a, '_, '_> {
    /// `OpBuildNDRange`: global size, local size, global offset; a structure of dimensions, offset, global size, local size.
    pub(in crate::lower) fn build_nd_range(&mut self, inst: &Inst<'a>) -> R<()> {
        let size = self.b.size_type();
        let mut parts = vec![];
        for k in [2, 0, 1] {
            let leaves = self.leaves(inst.arg(k)?)?;
            let fits =
                (1..=3).contains(&leaves.len()) && leaves.iter().all(|v| self.is_int_scalar(*v));
            self.check(fits, inst, "an operand is not an integer or an array of two or three")?;
            parts.push(leaves);
        }
        let dims = parts[1].len();
        let alike = parts.iter().all(|p| p.len() == dims);
        self.check(alike, inst, "its operands have different numbers of dimensions")?;
        let mut leaves = Leaves::new();
        leaves.push(self.b.constant(Type::I32, dims as u128));
        for part in parts {
            for d in 0..3 {
                leaves.push(match part.get(d) {
                    Some(v) => self.b.zext_or_trunc(*v, size.lane_bits(0)),
                    None => self.b.constant(size, 0),
                });
            }
        }
        self.set_all(inst, leaves)
    }

    /// The parts of an index space that an operand points to: dimensions, offset, global size, local size.
    fn range_parts(&mut self, inst: &Inst, k: usize) -> R<(Value, [Value; 9])> {
        let id = inst.arg(k)?;
        let ty = self.spv.type_of(id)?;
        let leaves = match self.spv.types.get(ty)?.kind {
            Kind::Pointer { pointee, .. } => {
                let at = self.pointer(inst, k)?;
                self.load_leaves(at, pointee, Default::default())?
            }
            _ => self.leaves(id)?,
        };
        match leaves[..] {
            [dims, ref sizes @ ..] if self.ty(dims) == Type::I32 => {
                let sizes: Option<[Value; 9]> = sizes.try_into().ok();
                let sizes = sizes.filter(|s| s.iter().all(|v| self.is_int_scalar(*v)));
                Ok((dims, sizes.ok_or_else(|| self.mismatch(inst, "its index space is none"))?))
            }
            _ => Err(self.mismatch(inst, "its index space is none")),
        }
    }

    /// The index space of a command, and whether a launch can have it.
    pub(super) fn nd_range(&mut self, inst: &Inst, k: usize, invoke: Id) -> R<Range> {
        let (dims, sizes) = self.range_parts(inst, k)?;
        let info = self.spv.modes.get(&invoke);
        let required = info.and_then(|i| i.reqd_work_group_size);
        let sub_groups = info.and_then(|i| i.sub_groups);
        let most = info.and_then(KernelInfo::largest_work_group);
        let most = most.unwrap_or(DEFAULT_WORK_GROUP_SIZE);
        let one = self.b.constant(Type::I32, 1);
        let three = self.b.constant(Type::I32, 3);
        let behind = self.b.binary(Op::Sub, dims, one);
        let mut valid = self.b.icmp(IntCC::Ult, behind, three);
        let mut and = |l: &mut Self, holds: Value| valid = l.b.binary(Op::And, valid, holds);
        let zero = self.like(sizes[0], 0);
        let given = self.b.icmp(IntCC::Ne, sizes[6], zero);
        let (mut offset, mut global, mut local) = ([zero; 3], [zero; 3], [zero; 3]);
        // Work-items of a whole work-group, and of the smallest.
        let (mut items, mut rests) = (one, one);
        for d in 0..3 {
            let number = self.b.constant(Type::I32, d as u128);
            let used = self.b.icmp(IntCC::Ugt, dims, number);
            let unit = self.like(sizes[d], 1);
            let first = self.b.select(used, sizes[d], zero);
            let count = self.b.select(used, sizes[3 + d], unit);
            let group = self.b.select(used, sizes[6 + d], unit);
            // Ids have 32 bits, a size up to 2^32 - 1.
            let wide = |l: &mut Self, v: Value| l.b.zext_or_trunc(v, 64);
            let (first64, count64) = (wide(self, first), wide(self, count));
            let behind = self.like(count64, 1);
            let behind = self.b.binary(Op::Sub, count64, behind);
            let limit = self.like(count64, u128::from(u32::MAX));
            let sized = self.b.icmp(IntCC::Ult, behind, limit);
            and(self, sized);
            let placed = self.b.icmp(IntCC::Ule, first64, limit);
            and(self, placed);
            let last = self.b.binary(Op::Add, first64, behind);
            let ends = self.b.icmp(IntCC::Ule, last, limit);
            and(self, ends);
            // A group of no more work-items than there can be; or none given.
            let some = self.b.icmp(IntCC::Ne, group, zero);
            let largest = self.like(group, most.into());
            let small = self.b.icmp(IntCC::Ule, group, largest);
            let mut sound = self.b.binary(Op::And, some, small);
            if self.link.enqueuing.uniform {
                let rest = self.b.binary(Op::URem, count, group);
                let divides = self.b.icmp(IntCC::Eq, rest, zero);
                sound = self.b.binary(Op::And, sound, divides);
            }
            if let Some(required) = required {
                let wanted = self.like(group, required[d].into());
                let equal = self.b.icmp(IntCC::Eq, group, wanted);
                sound = self.b.binary(Op::And, sound, equal);
            }
            let none = self.b.icmp(IntCC::Eq, sizes[6 + d], zero);
            let unused = self.b.unary(Op::Not, used);
            let none = self.b.binary(Op::Or, none, unused);
            let good = self.b.select(given, sound, none);
            and(self, good);
            [offset[d], global[d]] = [first, count].map(|v| self.b.zext_or_trunc(v, 32));
            let group = self.b.zext_or_trunc(group, 32);
            items = self.b.binary(Op::Mul, items, group);
            if sub_groups.is_some() && !self.link.enqueuing.uniform {
                let rest = self.b.binary(Op::URem, global[d], group);
                let nothing = self.like(rest, 0);
                let whole = self.b.icmp(IntCC::Eq, rest, nothing);
                let rest = self.b.select(whole, group, rest);
                rests = self.b.binary(Op::Mul, rests, rest);
            }
            let nothing = self.like(group, 0);
            local[d] = self.b.select(given, group, nothing);
        }
        let largest = self.like(items, most.into());
        let small = self.b.icmp(IntCC::Ule, items, largest);
        let unlimited = self.b.unary(Op::Not, given);
        let small = self.b.binary(Op::Or, small, unlimited);
        and(self, small);
        if let Some(sub_groups) = sub_groups {
            // No work-group has more of them, as none has more work-items.
            let smallest = if self.link.enqueuing.uniform { items } else { rests };
            let fewest = self.like(smallest, sub_groups.fewest_work_items().into());
            let enough = self.b.icmp(IntCC::Uge, smallest, fewest);
            let enough = self.b.binary(Op::Or, enough, unlimited);
            and(self, enough);
        }
        Ok(Range { dims, offset, global, local, valid })
    }

    /// A constant as the result.
    fn answer(&mut self, inst: &Inst, n: u32) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let v = self.b.constant(ty, n.into());
        self.set(inst, v)
    }

    /// What is said of the block whose function operand `k` is.
    fn block_info(&self, inst: &Inst, k: usize) -> R<Option<&'a KernelInfo>> {
        Ok(self.spv.modes.get(&self.spv.definition(inst.arg(k)?)))
    }

    /// Most work-items of a work-group of the block whose function operand `k` is.
    fn block_group(&self, inst: &Inst, k: usize) -> R<u32> {
        let most = self.block_info(inst, k)?.and_then(KernelInfo::largest_work_group);
        Ok(most.unwrap_or(DEFAULT_WORK_GROUP_SIZE))
    }

    /// `OpGetKernelWorkGroupSize`
    pub(in crate::lower) fn block_work_group_size(&mut self, inst: &Inst<'a>) -> R<()> {
        let most = self.block_group(inst, 0)?;
        self.answer(inst, most)
    }

    /// `OpGetKernelPreferredWorkGroupSizeMultiple`: the kernels of blocks have one work-item a token.
    pub(in crate::lower) fn block_preferred_multiple(&mut self, inst: &Inst<'a>) -> R<()> {
        self.answer(inst, 1)
    }

    /// `OpGetKernelMaxNumSubgroups`
    pub(in crate::lower) fn block_most_sub_groups(&mut self, inst: &Inst<'a>) -> R<()> {
        let most = self.block_group(inst, 0)?.div_ceil(self.spv.sub_group_size);
        self.answer(inst, most)
    }

    /// Work-items of a work-group of an index space for the block whose function is operand 1: the local size, or as many as
    /// there can be where none is given.
    fn group_items(&mut self, inst: &Inst) -> R<Value> {
        let most = self.block_group(inst, 1)?;
        let sub_groups = self.block_info(inst, 1)?.and_then(|i| i.sub_groups);
        let (dims, sizes) = self.range_parts(inst, 0)?;
        let one = self.like(sizes[0], 1);
        let product = |l: &mut Self, first: usize| {
            (0..3).fold(one, |product, d| {
                let number = l.b.constant(Type::I32, d as u128);
                let used = l.b.icmp(IntCC::Ugt, dims, number);
                let size = l.b.select(used, sizes[first + d], one);
                l.b.binary(Op::Mul, product, size)
            })
        };
        let (all, local) = (product(self, 3), product(self, 6));
        let most = self.like(all, most.into());
        let fewer = self.b.icmp(IntCC::Ult, all, most);
        let mut free = self.b.select(fewer, all, most);
        if let Some(sub_groups) = sub_groups {
            let fewest = self.like(free, sub_groups.fewest_work_items().into());
            let fewer = self.b.icmp(IntCC::Ult, free, fewest);
            free = self.b.select(fewer, fewest, free);
        }
        let zero = self.like(local, 0);
        let given = self.b.icmp(IntCC::Ne, local, zero);
        Ok(self.b.select(given, local, free))
    }

    /// `OpGetKernelNDrangeSubGroupCount`: index space, function, data.
    pub(in crate::lower) fn block_sub_groups(&mut self, inst: &Inst<'a>) -> R<()> {
        let items = self.group_items(inst)?;
        let size = self.spv.sub_group_size;
        let inside = self.like(items, u128::from(size) - 1);
        let rounded = self.b.binary(Op::Add, items, inside);
        let shift = self.like(items, size.ilog2().into());
        let count = self.b.binary(Op::LShr, rounded, shift);
        let v = self.b.zext_or_trunc(count, 32);
        self.set(inst, v)
    }

    /// `OpGetKernelNDrangeMaxSubGroupSize`: index space, function, data.
    pub(in crate::lower) fn block_sub_group_size(&mut self, inst: &Inst<'a>) -> R<()> {
        let items = self.group_items(inst)?;
        let size = self.like(items, self.spv.sub_group_size.into());
        let fewer = self.b.icmp(IntCC::Ult, items, size);
        let v = self.b.select(fewer, items, size);
        let v = self.b.zext_or_trunc(v, 32);
        self.set(inst, v)
    }

    /// `OpGetKernelLocalSizeForSubgroupCount`: number, function, data. 0 where a work-group has fewer, or must have another number.
    pub(in crate::lower) fn block_local_size(&mut self, inst: &Inst<'a>) -> R<()> {
        let count = self.int_operand(inst, 0)?;
        let zero = self.like(count, 0);
        let info = self.block_info(inst, 1)?;
        let v = match info.and_then(|i| Some((i, i.sub_groups?))) {
            Some((info, sub_groups)) => {
                let items = match info.reqd_work_group_size {
                    Some([x, 1, 1]) => x,
                    // The answer has one dimension.
                    Some(_) => 0,
                    None => self.block_group(inst, 1)?,
                };
                let wanted = self.like(count, sub_groups.count.into());
                let equal = self.b.icmp(IntCC::Eq, count, wanted);
                let items = self.like(count, items.into());
                self.b.select(equal, items, zero)
            }
            None => {
                let most = self.block_group(inst, 1)? / self.spv.sub_group_size;
                let shift = self.like(count, self.spv.sub_group_size.ilog2().into());
                let items = self.b.binary(Op::Shl, count, shift);
                let most = self.like(count, most.into());
                let fits = self.b.icmp(IntCC::Ule, count, most);
                self.b.select(fits, items, zero)
            }
        };
        self.set(inst, v)
    }
}
