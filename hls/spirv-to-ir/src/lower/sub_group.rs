//! Functions of sub-groups, and named barriers: through local memory and barriers of the work-group.
//!
//! A sub-group is a run of neighbours by local linear id, of a fixed length; the last one of a work-group may be shorter. What
//! its functions do waits for the whole work-group, and stands between brackets ([`SubGroupMark`]): the optimiser, which sees
//! through calls and variables, sends all work-items of the work-group through, also those that do not call the function. There
//! are two kinds of functions:
//!
//! * those that all work-items of a sub-group have to call: what others make of theirs does not matter;
//! * "non-uniform" ones, which are of those work-items that call them, whoever these are. The others leave values that change
//!   nothing.
//!
//! A work-item may go through the brackets of a function that it does not call with any values, so the ids that say where it
//! reads and writes are found between the brackets.

use super::group::{Combine, Members, Places, in_memory};
use super::{Leaves, Lower};
use crate::decode::Inst;
use crate::errors::R;
use ir::{FenceFlags, FloatCC, IntCC, MemFlags, Op, SubGroupFn, SubGroupMark, Type, Value};
use rspirv::spirv::GroupOperation;

/// Most bytes of a value that work-items hand on at once: longer vectors go in two parts, so that the slots of the largest work-group take
/// no more than half of a device's local memory.
const WIDEST_SLOT: u32 = 64;

/// Which work-items of a sub-group have to call a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Callers {
    All,
    /// Those that do; the value is an i1, whether there may be others.
    Some(Value),
}

/// The work-item whose value a shuffle gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The one with the local id given.
    Id,
    /// The one whose local id differs in the bits given.
    Xor,
    /// The one so many before.
    Up,
    /// The one so many behind.
    Down,
}

/// What is asked of the votes in a ballot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Find {
    Lowest,
    Highest,
}

/// Local ids, as compared with the work-item's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ids {
    Equal,
    GreaterOrEqual,
    Greater,
    LessOrEqual,
    Less,
}

/// Type of a ballot: a bit for each work-item, in four words.
pub(super) const BALLOT_TYPE: Type = Type::I32.with_lanes(4);

impl Lower<'_, '_, '_> {
    // --- who calls ---

    /// What a function of sub-groups does, between its brackets.
    pub(super) fn for_sub_group<T>(
        &mut self,
        function: SubGroupFn,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.for_callers(function, |l, _| body(l))
    }

    /// The same for one of which the callers matter.
    fn for_callers<T>(
        &mut self,
        function: SubGroupFn,
        body: impl FnOnce(&mut Self, Callers) -> T,
    ) -> T {
        self.between_brackets(function, &[], body)
    }

    /// The same for one whose first bracket has operands of its own.
    fn between_brackets<T>(
        &mut self,
        function: SubGroupFn,
        operands: &[Value],
        body: impl FnOnce(&mut Self, Callers) -> T,
    ) -> T {
        let turns = self.scratch("sub_group_turns", Type::I32, 3);
        let begin = Op::SubGroup(SubGroupMark::Begin(function));
        let operands = [turns].into_iter().chain(operands.iter().copied());
        let parted = self.b.value(begin, operands, Type::BOOL);
        let result = body(self, Callers::Some(parted));
        self.b.inst(Op::SubGroup(SubGroupMark::End), [], None);
        result
    }

    /// What a function of a work-group or sub-group does, whose callers are all of either.
    pub(super) fn for_members<T>(
        &mut self,
        members: Members,
        function: SubGroupFn,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        match members {
            Members::WorkGroup => body(self),
            Members::SubGroup => self.for_sub_group(function, body),
        }
    }

    /// Whether the work-item calls the function between whose brackets this stands.
    pub(super) fn active(&mut self) -> Value {
        self.b.value(Op::SubGroup(SubGroupMark::Active), [], Type::BOOL)
    }

    /// One value where some work-items may go through without calling the function, another one where all call it.
    fn if_parted(
        &mut self,
        parted: Value,
        some_call: impl FnOnce(&mut Self) -> Value,
        all_call: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let [some, all, behind] = [(); 3].map(|()| self.b.func.add_block());
        self.b.branch(parted, some, all);
        self.b.switch_to(some);
        let v = some_call(self);
        let result = self.b.func.add_param(behind, self.b.func.ty(v));
        self.b.jump(behind, [v]);
        self.b.switch_to(all);
        let v = all_call(self);
        self.b.jump(behind, [v]);
        self.b.switch_to(behind);
        result
    }

    /// The number in the sub-group of the first work-item that calls the function; any where none does.
    fn first_caller(&mut self, callers: Callers) -> Value {
        let Callers::Some(parted) = callers else { return self.i32(0) };
        let some_call = |l: &mut Self| {
            let id = l.own_id();
            l.sub_group_arithmetic(id, GroupOperation::Reduce, Combine::UMin, callers)
        };
        self.if_parted(parted, some_call, |l| l.i32(0))
    }

    // --- through memory ---

    /// A reduction or scan of a sub-group, through two barriers.
    pub(super) fn sub_group_arithmetic(
        &mut self,
        v: Value,
        operation: GroupOperation,
        how: Combine,
        callers: Callers,
    ) -> Value {
        let ty = self.ty(v);
        let count = self.sub_groups();
        let sums = self.scratch("sub_group_sums", ty, count);
        let run = self.spv.sub_group_size;
        self.run_arithmetic(v, sums, run, (operation, how), callers)
    }

    /// A reduction or scan of each run of `run` neighbours, a power of two.
    fn run_arithmetic(
        &mut self,
        v: Value,
        sums: Value,
        run: u32,
        (operation, how): (GroupOperation, Combine),
        callers: Callers,
    ) -> Value {
        let ty = self.ty(v);
        let team = self.team();
        let slots = self.slots(ty);
        let log_run = self.i32(run.ilog2());
        let v = match callers {
            Callers::All => v,
            Callers::Some(_) => {
                let active = self.active();
                let neutral = self.b.constant(ty, how.neutral(ty));
                self.b.select(active, v, neutral)
            }
        };
        self.write_slot(slots, team.rank, v);
        self.wait();
        self.go_through_runs(team, Places { ty, slots, sums }, log_run, operation, how);
        self.wait();
        let run = self.b.binary(Op::LShr, team.rank, log_run);
        if operation == GroupOperation::Reduce {
            return self.read_slot(ty, sums, run);
        }
        let v = self.read_slot(ty, slots, team.rank);
        if operation == GroupOperation::InclusiveScan {
            return v;
        }
        let first = self.b.binary(Op::Shl, run, log_run);
        let starts = self.b.icmp(IntCC::Eq, first, team.rank);
        let nothing = self.b.constant(ty, how.identity(ty));
        let v = self.b.select(starts, nothing, v);
        match callers {
            // What is neutral is not what a scan begins with.
            Callers::Some(parted) if how.neutral(ty) != how.identity(ty) => {
                let some_call = |l: &mut Self| l.begun(v, nothing, callers);
                self.if_parted(parted, some_call, |_| v)
            }
            _ => v,
        }
    }

    /// The result of an exclusive scan of a sub-group, or what it is of the first work-item that calls it.
    fn begun(&mut self, v: Value, nothing: Value, callers: Callers) -> Value {
        let first = self.first_caller(callers);
        let id = self.own_id();
        let begins = self.b.icmp(IntCC::Eq, first, id);
        self.b.select(begins, nothing, v)
    }

    /// The value of the work-item of the sub-group with a local id; if there is none, any.
    pub(super) fn of_member(&mut self, v: Value, id: Value) -> Value {
        let ty = self.ty(v);
        if in_memory(ty).mem_bytes(0) <= WIDEST_SLOT {
            return self.of_member_at_once(v, id);
        }
        let lanes = self.lanes_of(v);
        let half = lanes.len() / 2;
        let mut all = vec![];
        for part in [&lanes[..half], &lanes[half..]] {
            let part_type = ty.with_lanes(half as u8);
            let part = self.b.value(Op::VecBuild, part.iter().copied(), part_type);
            let part = self.of_member_at_once(part, id);
            all.extend(self.lanes_of(part));
        }
        self.b.value(Op::VecBuild, all, ty)
    }

    fn of_member_at_once(&mut self, v: Value, id: Value) -> Value {
        let team = self.team();
        // Not those of reductions: a work-item that goes on writes to its own, which others may still read here. There is
        // a slot for each id, whether a work-item has it or not.
        let count = self.sub_groups() * self.spv.sub_group_size;
        let slots = self.scratch("sub_group_values", self.ty(v), count);
        let id = self.b.zext_or_trunc(id, 32);
        let inside = self.i32(self.spv.sub_group_size - 1);
        let id = self.b.binary(Op::And, id, inside);
        let outside = self.i32(!(self.spv.sub_group_size - 1));
        let first = self.b.binary(Op::And, team.rank, outside);
        let source = self.b.binary(Op::Or, first, id);
        // Others may still read what was left here before.
        self.wait();
        self.write_slot(slots, team.rank, v);
        self.wait();
        self.read_slot(self.ty(v), slots, source)
    }

    /// The work-item's number in its sub-group, an i32.
    fn own_id(&mut self) -> Value {
        let team = self.team();
        let inside = self.i32(self.spv.sub_group_size - 1);
        self.b.binary(Op::And, team.rank, inside)
    }

    // --- barriers ---

    /// A barrier of a sub-group.
    pub(crate) fn sub_group_barrier(&mut self, fence: FenceFlags) {
        self.for_sub_group(SubGroupFn::Barrier, |l| l.b.barrier(fence));
    }

    // --- votes ---

    /// Whether all, or any, of a sub-group vote for something.
    pub(super) fn sub_group_vote(&mut self, vote: Value, all: bool, callers: Callers) -> Value {
        let how = if all { Combine::LogicalAnd } else { Combine::LogicalOr };
        self.sub_group_arithmetic(vote, GroupOperation::Reduce, how, callers)
    }

    /// `OpGroupNonUniformElect`: the first of those that call it.
    pub(super) fn elect(&mut self, inst: &Inst) -> R<()> {
        self.need_sub_group(inst)?;
        let v = self.for_callers(SubGroupFn::Elect, |l, callers| {
            let first = l.first_caller(callers);
            let id = l.own_id();
            l.b.icmp(IntCC::Eq, id, first)
        });
        self.set(inst, v)
    }

    /// `OpGroupNonUniformAll`, `OpGroupNonUniformAny`
    pub(super) fn non_uniform_vote(&mut self, inst: &Inst, all: bool) -> R<()> {
        self.need_sub_group(inst)?;
        let vote = self.vote_operand(inst, 1)?;
        let v =
            self.for_callers(SubGroupFn::Vote, |l, callers| l.sub_group_vote(vote, all, callers));
        self.set(inst, v)
    }

    /// `OpGroupNonUniformAllEqual`: whether all are equal to the first. Floats are compared as numbers.
    pub(super) fn all_equal(&mut self, inst: &Inst) -> R<()> {
        self.need_sub_group(inst)?;
        let v = self.shared_operand(inst, 1)?;
        let v = self.for_callers(SubGroupFn::AllEqual, |l, callers| {
            let first = l.first_caller(callers);
            let first = l.of_member(v, first);
            let lanes = Type::BOOL.with_lanes(l.ty(v).lanes);
            let same = match l.ty(v).is_float() {
                true => l.b.value(Op::FCmp(FloatCC::EQ), [v, first], lanes),
                false => l.b.icmp(IntCC::Eq, v, first),
            };
            let lanes = l.lanes_of(same);
            let same = l.tree(Op::And, &lanes);
            l.sub_group_vote(same, true, callers)
        });
        self.set(inst, v)
    }

    // --- ballots ---

    /// `OpGroupNonUniformBallot`, and `OpSubgroupBallotKHR`, which has no scope: the vote is operand `k`.
    pub(super) fn ballot(&mut self, inst: &Inst, k: usize) -> R<()> {
        self.need_sub_group_before(inst, k)?;
        let vote = self.vote_operand(inst, k)?;
        let word = self.for_callers(SubGroupFn::Ballot, |l, callers| {
            let id = l.own_id();
            let (zero, one) = (l.i32(0), l.i32(1));
            let own = l.b.binary(Op::Shl, one, id);
            let own = l.b.select(vote, own, zero);
            l.sub_group_arithmetic(own, GroupOperation::Reduce, Combine::Or, callers)
        });
        let v = self.ballot_of(word);
        self.set(inst, v)
    }

    /// A ballot by its first word: sub-groups have at most 32 work-items.
    fn ballot_of(&mut self, word: Value) -> Value {
        let zero = self.i32(0);
        self.b.value(Op::VecBuild, [word, zero, zero, zero], BALLOT_TYPE)
    }

    /// The first word of operand `k`, a ballot.
    fn ballot_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        self.need_sub_group(inst)?;
        let v = self.operand(inst, k)?;
        self.check(self.ty(v) == BALLOT_TYPE, inst, "its operand is not a vector of four words")?;
        Ok(self.b.value(Op::VecExtract(0), [v], Type::I32))
    }

    /// `OpGroupNonUniformInverseBallot`: the work-item's own vote.
    pub(super) fn inverse_ballot(&mut self, inst: &Inst) -> R<()> {
        let word = self.ballot_operand(inst, 1)?;
        let id = self.own_id();
        let v = self.bit(word, id);
        self.set(inst, v)
    }

    /// `OpGroupNonUniformBallotBitExtract`: the vote of a work-item.
    pub(super) fn ballot_bit(&mut self, inst: &Inst) -> R<()> {
        let word = self.ballot_operand(inst, 1)?;
        let id = self.operand(inst, 2)?;
        self.check(self.is_int_scalar(id), inst, "its index is not an integer")?;
        let id = self.b.zext_or_trunc(id, 32);
        let v = self.bit(word, id);
        self.set(inst, v)
    }

    fn bit(&mut self, word: Value, at: Value) -> Value {
        let rest = self.b.binary(Op::LShr, word, at);
        self.b.value(Op::Slice { lo: 0 }, [rest], Type::BOOL)
    }

    /// `OpGroupNonUniformBallotBitCount`: votes of all, of those up to the work-item, or of those before it.
    pub(super) fn ballot_count(&mut self, inst: &Inst) -> R<()> {
        let word = self.ballot_operand(inst, 2)?;
        let counted = match GroupOperation::from_u32(inst.arg(1)?) {
            Some(GroupOperation::Reduce) => self.i32(self.all_ids()),
            Some(GroupOperation::InclusiveScan) => self.ids(Ids::LessOrEqual),
            Some(GroupOperation::ExclusiveScan) => self.ids(Ids::Less),
            _ => return Err(self.mismatch(inst, "it is neither a reduction nor a scan")),
        };
        let word = self.b.binary(Op::And, word, counted);
        let count = self.b.unary(Op::Popcount, word);
        self.set_int(inst, count)
    }

    /// `OpGroupNonUniformBallotFindLSB`, `OpGroupNonUniformBallotFindMSB`
    pub(super) fn ballot_find(&mut self, inst: &Inst, which: Find) -> R<()> {
        let word = self.ballot_operand(inst, 1)?;
        let all = self.i32(self.all_ids());
        let word = self.b.binary(Op::And, word, all);
        let at = match which {
            Find::Lowest => {
                let mirrored = self.b.unary(Op::BitReverse, word);
                self.b.unary(Op::Clz, mirrored)
            }
            Find::Highest => {
                let zeros = self.b.unary(Op::Clz, word);
                let last = self.i32(31);
                self.b.binary(Op::Sub, last, zeros)
            }
        };
        self.set_int(inst, at)
    }

    /// A bit for each local id that a sub-group can have.
    fn all_ids(&self) -> u32 {
        u32::MAX >> (32 - self.spv.sub_group_size)
    }

    /// A bit for each local id that compares so with the work-item's own.
    fn ids(&mut self, which: Ids) -> Value {
        let id = self.own_id();
        let (start, below) = match which {
            Ids::Equal => (1, false),
            Ids::GreaterOrEqual => (u32::MAX, false),
            Ids::Greater => (u32::MAX - 1, false),
            Ids::LessOrEqual => (2, true),
            Ids::Less => (1, true),
        };
        let start = self.i32(start);
        let bits = self.b.binary(Op::Shl, start, id);
        if below {
            let one = self.i32(1);
            return self.b.binary(Op::Sub, bits, one);
        }
        let all = self.i32(self.all_ids());
        self.b.binary(Op::And, bits, all)
    }

    /// The variables `SubgroupEqMask` and the like.
    pub(super) fn mask_of_ids(&mut self, which: Ids) -> Value {
        let word = self.ids(which);
        self.ballot_of(word)
    }

    // --- values of others ---

    /// `OpGroupNonUniformBroadcast`, and `OpSubgroupReadInvocationKHR`, which has no scope: the value is operand `k`.
    pub(super) fn non_uniform_broadcast(&mut self, inst: &Inst, k: usize) -> R<()> {
        self.need_sub_group_before(inst, k)?;
        let v = self.shared_operand(inst, k)?;
        let id = self.id_operand_of(inst, k + 1)?;
        let v = self.for_sub_group(SubGroupFn::Broadcast, |l| l.of_member(v, id));
        self.set(inst, v)
    }

    /// `OpGroupNonUniformBroadcastFirst`, and `OpSubgroupFirstInvocationKHR`, which has no scope.
    pub(super) fn broadcast_first(&mut self, inst: &Inst, k: usize) -> R<()> {
        self.need_sub_group_before(inst, k)?;
        let v = self.shared_operand(inst, k)?;
        let v = self.for_callers(SubGroupFn::Broadcast, |l, callers| {
            let first = l.first_caller(callers);
            l.of_member(v, first)
        });
        self.set(inst, v)
    }

    /// `OpGroupNonUniformShuffle` and its relatives; those of Intel have no scope: the value is operand `k`.
    pub(super) fn shuffle(&mut self, inst: &Inst, k: usize, source: Source) -> R<()> {
        self.need_sub_group_before(inst, k)?;
        let v = self.shared_operand(inst, k)?;
        let by = self.id_operand_of(inst, k + 1)?;
        let own = self.own_id();
        let id = match source {
            Source::Id => by,
            Source::Xor => self.b.binary(Op::Xor, own, by),
            Source::Up => self.b.binary(Op::Sub, own, by),
            Source::Down => self.b.binary(Op::Add, own, by),
        };
        let v = self.for_sub_group(SubGroupFn::Shuffle, |l| l.of_member(v, id));
        self.set(inst, v)
    }

    /// `OpSubgroupShuffleUpINTEL`, `OpSubgroupShuffleDownINTEL`: of two values of each work-item one behind the other,
    /// the one so many places before or behind. The work-item's own place is in the second, or in the first.
    pub(super) fn shuffle_two(&mut self, inst: &Inst, source: Source) -> R<()> {
        let (first, second) = (self.shared_operand(inst, 0)?, self.shared_operand(inst, 1)?);
        self.check(self.ty(first) == self.ty(second), inst, "its values differ in type")?;
        let by = self.id_operand_of(inst, 2)?;
        let own = self.own_id();
        let size = self.i32(self.spv.sub_group_size);
        let place = match source {
            Source::Up => {
                let behind = self.b.binary(Op::Add, own, size);
                self.b.binary(Op::Sub, behind, by)
            }
            _ => self.b.binary(Op::Add, own, by),
        };
        let (from_first, from_second) = self.for_sub_group(SubGroupFn::Shuffle, |l| {
            (l.of_member(first, place), l.of_member(second, place))
        });
        let in_first = self.b.icmp(IntCC::Ult, place, size);
        let v = self.b.select(in_first, from_first, from_second);
        self.set(inst, v)
    }

    /// `OpSubgroupBlockReadINTEL`: element `local id` of a run of as many elements as a sub-group has work-items, for a vector of so many
    /// runs one behind the other. Nobody waits: each work-item loads its own.
    pub(super) fn block_read(&mut self, inst: &Inst) -> R<()> {
        let ty = self.result_type(inst)?;
        let ptr = self.pointer(inst, 0)?;
        let (places, lane) = self.block_places(inst, ptr, ty)?;
        let flags = MemFlags::aligned(lane.lane_bits(0) / 8);
        let lanes = places.into_iter().map(|at| self.b.load(lane, at, flags)).collect();
        let v = self.join_lanes(lanes, ty);
        self.set(inst, v)
    }

    /// `OpSubgroupBlockWriteINTEL`: stores what [`block_read`](Self::block_read) loads.
    pub(super) fn block_write(&mut self, inst: &Inst) -> R<()> {
        let (ptr, v) = (self.pointer(inst, 0)?, self.operand(inst, 1)?);
        self.check_writable(inst, ptr)?;
        let (places, lane) = self.block_places(inst, ptr, self.ty(v))?;
        let flags = MemFlags::aligned(lane.lane_bits(0) / 8);
        let lanes = self.lanes_of(v);
        for (at, value) in places.into_iter().zip(lanes) {
            self.b.store(at, value, flags);
        }
        Ok(())
    }

    /// Where the lanes of a value of this type stand in a block, and their type.
    fn block_places(&mut self, inst: &Inst, ptr: Value, ty: Type) -> R<(Leaves, Type)> {
        let bits = ty.lane_bits(0);
        let plain = (ty.is_int() || ty.is_float()) && bits.is_power_of_two() && bits >= 8;
        self.check(plain, inst, "its value is not of integers or floats")?;
        let bytes = u64::from(bits / 8);
        let own = self.own_id();
        let own = self.b.zext_or_trunc(own, self.spv.types.addr_bits);
        let element = self.b.size(bytes);
        let offset = self.b.binary(Op::Mul, own, element);
        let first = self.b.ptr_add(ptr, offset);
        let run = bytes * u64::from(self.spv.sub_group_size);
        let places = (0..ty.lanes).map(|k| self.at_offset(first, run * u64::from(k))).collect();
        Ok((places, ty.with_lanes(1)))
    }

    /// `OpGroupNonUniformRotateKHR`: the value of the work-item so many places on, in a circle of the sub-group or of
    /// clusters of it.
    pub(super) fn rotate_members(&mut self, inst: &Inst) -> R<()> {
        self.need_sub_group(inst)?;
        let v = self.shared_operand(inst, 1)?;
        let by = self.id_operand_of(inst, 2)?;
        let size = match inst.args.len() {
            3 => self.spv.sub_group_size,
            _ => self.cluster_size(inst, 3)?,
        };
        let own = self.own_id();
        let (inside, outside) = (self.i32(size - 1), self.i32(!(size - 1)));
        let there = self.b.binary(Op::Add, own, by);
        let there = self.b.binary(Op::And, there, inside);
        let cluster = self.b.binary(Op::And, own, outside);
        let id = self.b.binary(Op::Or, cluster, there);
        let v = self.for_sub_group(SubGroupFn::Rotate, |l| l.of_member(v, id));
        self.set(inst, v)
    }

    // --- arithmetic ---

    /// `OpGroupNonUniformIAdd` and the like: reductions, scans, reductions of clusters.
    pub(super) fn non_uniform_arithmetic(&mut self, inst: &Inst, how: Combine) -> R<()> {
        use GroupOperation::{ClusteredReduce, ExclusiveScan, InclusiveScan, Reduce};
        self.need_sub_group(inst)?;
        let (operation, v) = self.group_operands(inst, how)?;
        let v = match operation {
            Reduce | InclusiveScan | ExclusiveScan => self
                .for_callers(SubGroupFn::Arithmetic, |l, callers| {
                    l.sub_group_arithmetic(v, operation, how, callers)
                }),
            ClusteredReduce => {
                let size = self.cluster_size(inst, 3)?;
                // As many as clusters of two need; a cluster of one is the work-item itself.
                let count = self.link.largest_group().div_ceil(2);
                let sums = |l: &mut Self| l.scratch("cluster_sums", l.ty(v), count);
                match size {
                    1 => v,
                    _ => self.for_callers(SubGroupFn::Arithmetic, |l, callers| {
                        let sums = sums(l);
                        l.run_arithmetic(v, sums, size, (Reduce, how), callers)
                    }),
                }
            }
            _ => return Err(self.mismatch(inst, "it is neither a reduction nor a scan")),
        };
        self.set(inst, v)
    }

    /// The size of clusters, a constant: a power of two. What larger ones than sub-groups give is left open, so that a program may
    /// have a call for each size that some device has.
    fn cluster_size(&self, inst: &Inst, k: usize) -> R<u32> {
        let size = self.constant_operand(inst, k)?;
        self.check(size.is_power_of_two(), inst, "the size of its clusters is no power of two")?;
        Ok(size.min(self.spv.sub_group_size))
    }

    // --- named barriers ---

    /// `OpNamedBarrierInitialize`
    pub(super) fn named_barrier(&mut self, inst: &Inst) -> R<()> {
        let count = self.operand(inst, 0)?;
        self.check(self.is_int_scalar(count), inst, "its number of sub-groups is not an integer")?;
        let ty = self.result_type(inst)?;
        let count = self.b.zext_or_trunc(count, ty.lane_bits(0));
        let v = self.b.value(Op::SubGroup(SubGroupMark::NewBarrier), [count], ty);
        self.set(inst, v)
    }

    /// `OpMemoryNamedBarrier`: waits for as many sub-groups as it was made for; where all come together, for all.
    pub(super) fn wait_named(&mut self, inst: &Inst) -> R<()> {
        let barrier = self.operand(inst, 0)?;
        self.check(self.ty(barrier) == Type::I32, inst, "its operand is no named barrier")?;
        let fence = super::sync::fence_flags(self.constant_operand(inst, 2)?);
        let count = self.sub_groups();
        let tickets = self.scratch("sub_group_tickets", Type::I32, count);
        let size = self.i32(self.spv.sub_group_size);
        let operands = [tickets, size, barrier];
        self.between_brackets(SubGroupFn::NamedBarrier, &operands, |l, _| l.b.barrier(fence));
        Ok(())
    }

    // --- operands ---

    fn need_sub_group(&self, inst: &Inst) -> R<()> {
        let ok = self.members(inst)? == Members::SubGroup;
        self.check(ok, inst, "its scope is not the sub-group")
    }

    /// The same where the operands before `k` are a scope, if there are any.
    fn need_sub_group_before(&self, inst: &Inst, k: usize) -> R<()> {
        if k == 0 { Ok(()) } else { self.need_sub_group(inst) }
    }

    fn vote_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let vote = self.operand(inst, k)?;
        self.check(self.ty(vote) == Type::BOOL, inst, "its operand is not boolean")?;
        Ok(vote)
    }

    /// A value that others get.
    fn shared_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let v = self.operand(inst, k)?;
        self.check(self.ty(v).space().is_none(), inst, "its value is a pointer")?;
        Ok(v)
    }

    /// A local id, or a distance between two, as an i32.
    fn id_operand_of(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let id = self.operand(inst, k)?;
        self.check(self.is_int_scalar(id), inst, "its local id is not an integer")?;
        Ok(self.b.zext_or_trunc(id, 32))
    }

    /// Defines the result as an i32 in its own width.
    fn set_int(&mut self, inst: &Inst, v: Value) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let v = self.b.zext_or_trunc(v, ty.lane_bits(0));
        self.set(inst, v)
    }
}
