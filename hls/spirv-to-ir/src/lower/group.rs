//! Functions of a work-group or sub-group: votes, broadcasts, reductions and scans, through local memory and barriers.
//!
//! A reduction or scan takes three barriers. Each work-item leaves its value in its slot. The group is cut into at most
//! [`RUNS`] runs of neighbouring work-items, a power of two long; the first work-items of the group go through one run each,
//! in order, side by side. The first one then goes through the sums of the runs. So floating-point results have one order,
//! the same on all devices: the sum of each run from left to right, and those sums from left to right.
//!
//! A sub-group is such a run of fixed length: see [`super::sub_group`].

use super::Lower;
use super::sub_group::Callers;
use crate::decode::Inst;
use crate::errors::R;
use crate::link::Scratch;
use crate::types::memory_type;
use ir::{Block, FenceFlags, FloatKind, IntCC, MemFlags, Op, Query, SubGroupFn, Type, Value};
use rspirv::spirv::{GroupOperation, Scope};

/// log2 of the most runs of a group: enough work-items side by side for pipelines as deep as an addition of floats in a
/// loop, few enough that their sums are soon gone through.
const LOG_RUNS: u32 = 4;
/// Most runs of a group.
const RUNS: u32 = 1 << LOG_RUNS;

/// What a reduction or scan makes of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Combine {
    Add,
    Mul,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
    FAdd,
    FMul,
    FMin,
    FMax,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

impl Combine {
    /// Whether values of the type can be combined.
    fn takes(self, ty: Type) -> bool {
        use Combine::*;
        match self {
            FAdd | FMul | FMin | FMax => ty.is_float(),
            LogicalAnd | LogicalOr | LogicalXor => ty.lane() == Type::BOOL,
            _ => ty.is_int() && ty.lane() != Type::BOOL,
        }
    }

    /// The value that changes no other, as bits of a lane.
    pub(super) fn identity(self, ty: Type) -> u128 {
        use Combine::*;
        let width = ty.lane_bits(0);
        let ones = ir::builder::mask(u128::MAX, width);
        let top = 1u128 << (width - 1);
        match self {
            Add | Or | Xor | UMax | FAdd | LogicalOr | LogicalXor => 0,
            Mul => 1,
            And | UMin | LogicalAnd => ones,
            SMin => ones ^ top,
            SMax => top,
            FMul => one(ty),
            FMin => infinity(ty),
            FMax => infinity(ty) | top,
        }
    }
}

impl Combine {
    /// The value that a sum, product or the like does not notice, at whatever place, as bits of a lane. Where it is another one than
    /// [`Self::identity`], that is what a scan begins with and this is what is exact: -0 + -0 is not 0, and of NaN and infinity
    /// the lesser is infinity.
    pub(super) fn neutral(self, ty: Type) -> u128 {
        match self {
            Combine::FAdd => 1 << (ty.lane_bits(0) - 1),
            Combine::FMin | Combine::FMax => quiet_nan(ty),
            _ => self.identity(ty),
        }
    }
}

/// The canonical NaN of a format: infinity with the first bit of the fraction, too.
fn quiet_nan(ty: Type) -> u128 {
    let infinity = infinity(ty);
    infinity | (infinity & infinity.wrapping_neg()) >> 1
}

/// Infinity in a format.
fn infinity(ty: Type) -> u128 {
    ty.float_kind().map_or(0, super::infinity)
}

/// 1.0 in a format.
fn one(ty: Type) -> u128 {
    match ty.float_kind() {
        Some(FloatKind::F16) => 0x3c00,
        Some(FloatKind::BF16) => 0x3f80,
        Some(FloatKind::F32) => 0x3f80_0000,
        _ => 0x3ff0_0000_0000_0000,
    }
}

/// A type with the same places in memory as integers: 3-vectors take the room of four elements.
pub(super) fn in_memory(ty: Type) -> Type {
    match ty.space() {
        Some(_) => ty,
        None => {
            let lanes = ty.lanes.next_power_of_two();
            Type::int(8 * memory_type(ty.lane()).mem_bytes(0)).with_lanes(lanes)
        }
    }
}

/// Work-items that act together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    WorkGroup,
    SubGroup,
}

/// A work-group, as one of its work-items sees it.
#[derive(Clone, Copy)]
pub(super) struct Team {
    /// Its local linear id, an i32.
    pub rank: Value,
    /// The number of work-items, an i32.
    size: Value,
}

/// The local memory of a reduction or scan.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// Type of an element.
    pub ty: Type,
    /// A slot for each work-item.
    pub slots: Value,
    /// The sums of the runs.
    pub sums: Value,
}

impl Lower<'_, '_, '_> {
    /// The work-item's linear id in its group and the group's size, as `size_t`.
    pub(super) fn rank_in_group(&mut self) -> (Value, Value) {
        let rank = self.b.query(Query::LocalLinearId, 0);
        let [x, y, z] = [0, 1, 2].map(|d| self.b.query(Query::LocalSize, d));
        let plane = self.b.binary(Op::Mul, x, y);
        (rank, self.b.binary(Op::Mul, plane, z))
    }

    /// Whom a function is about.
    pub(super) fn members(&self, inst: &Inst) -> R<Members> {
        match Scope::from_u32(self.constant_operand(inst, 0)?) {
            Some(Scope::Workgroup) => Ok(Members::WorkGroup),
            Some(Scope::Subgroup) => Ok(Members::SubGroup),
            _ => Err(self.mismatch(inst, "its scope is neither work-group nor sub-group")),
        }
    }

    pub(super) fn team(&mut self) -> Team {
        let (rank, size) = self.rank_in_group();
        // A work-group has less than 2^16 work-items.
        Team { rank: self.b.zext_or_trunc(rank, 32), size: self.b.zext_or_trunc(size, 32) }
    }

    pub(super) fn wait(&mut self) {
        let local = FenceFlags { local: true, global: false };
        self.b.barrier(local);
    }

    /// The address of local memory that work-group functions share.
    pub(super) fn scratch(&mut self, name: &'static str, ty: Type, count: u32) -> Value {
        let bytes = in_memory(ty).mem_bytes(0);
        let global = self.link.scratch(Scratch { name, bytes, count });
        let object = self.module_object(global);
        self.b.obj_addr(object)
    }

    /// A slot for each work-item of a reduction or scan: its own but between the first barrier and the second.
    pub(super) fn slots(&mut self, ty: Type) -> Value {
        let count = self.link.largest_group();
        self.scratch("group_values", ty, count)
    }

    /// A slot for each group whose first work-item acts for all: one, or one for each sub-group.
    pub(super) fn leaders_slots(
        &mut self,
        name: &'static str,
        ty: Type,
        members: Members,
    ) -> Value {
        let count = match members {
            Members::WorkGroup => 1,
            Members::SubGroup => self.sub_groups(),
        };
        self.scratch(name, ty, count)
    }

    /// Most sub-groups of a work-group.
    pub(super) fn sub_groups(&self) -> u32 {
        self.link.largest_group().div_ceil(self.spv.sub_group_size)
    }

    /// The sums of runs; element 0 also serves votes and broadcasts. Every use begins behind a barrier that follows
    /// the last read of the use before.
    fn shared_sums(&mut self, ty: Type) -> Value {
        self.scratch("group_sums", ty, RUNS)
    }

    pub(super) fn read_slot(&mut self, ty: Type, base: Value, index: Value) -> Value {
        let at = self.slot(ty, base, index);
        let v = self.b.load(memory_type(ty), at, MemFlags::aligned(bytes_of(ty)));
        self.loaded(v, ty)
    }

    pub(super) fn write_slot(&mut self, base: Value, index: Value, v: Value) {
        let ty = self.ty(v);
        let at = self.slot(ty, base, index);
        let v = self.stored(v);
        self.b.store(at, v, MemFlags::aligned(bytes_of(ty)));
    }

    fn slot(&mut self, ty: Type, base: Value, index: Value) -> Value {
        let index = self.b.zext_or_trunc(index, self.spv.types.addr_bits);
        let shift = self.b.size(bytes_of(ty).ilog2().into());
        let offset = self.b.binary(Op::Shl, index, shift);
        self.b.ptr_add(base, offset)
    }

    fn combine(&mut self, how: Combine, a: Value, b: Value) -> Value {
        use Combine::*;
        let least = |l: &mut Self, cc: IntCC| {
            let first = l.b.icmp(cc, a, b);
            l.b.select(first, a, b)
        };
        match how {
            Add => self.b.binary(Op::Add, a, b),
            Mul => self.b.binary(Op::Mul, a, b),
            And | LogicalAnd => self.b.binary(Op::And, a, b),
            Or | LogicalOr => self.b.binary(Op::Or, a, b),
            Xor | LogicalXor => self.b.binary(Op::Xor, a, b),
            UMin => least(self, IntCC::Ult),
            UMax => least(self, IntCC::Ugt),
            SMin => least(self, IntCC::Slt),
            SMax => least(self, IntCC::Sgt),
            FAdd => self.b.binary(Op::FAdd, a, b),
            FMul => self.b.binary(Op::FMul, a, b),
            FMin => self.b.binary(Op::FMin, a, b),
            FMax => self.b.binary(Op::FMax, a, b),
        }
    }

    pub(super) fn i32(&mut self, n: u32) -> Value {
        self.b.constant(Type::I32, n.into())
    }

    pub(super) fn is_zero(&mut self, v: Value) -> Value {
        let zero = self.like(v, 0);
        self.b.icmp(IntCC::Eq, v, zero)
    }

    /// Goes on in a new block if `cond`, and returns it with the block behind, where the caller goes on afterwards.
    pub(super) fn only_if(&mut self, cond: Value) -> Block {
        let (then_, behind) = (self.b.func.add_block(), self.b.func.add_block());
        self.b.branch(cond, then_, behind);
        self.b.switch_to(then_);
        behind
    }

    pub(super) fn go_on(&mut self, behind: Block) {
        self.b.jump(behind, []);
        self.b.switch_to(behind);
    }

    /// `OpGroupAll`, `OpGroupAny`: the first work-item writes the answer of nobody's objecting, those that object the other.
    pub(super) fn group_vote(&mut self, inst: &Inst, all: bool) -> R<()> {
        let members = self.members(inst)?;
        let vote = self.operand(inst, 1)?;
        self.check(self.ty(vote) == Type::BOOL, inst, "its operand is not boolean")?;
        if members == Members::SubGroup {
            let v =
                self.for_sub_group(SubGroupFn::Vote, |l| l.sub_group_vote(vote, all, Callers::All));
            return self.set(inst, v);
        }
        let team = self.team();
        let answer = self.shared_sums(Type::I32);
        let zero = self.i32(0);
        let [silent, objected] = [all, !all].map(|v| self.i32(v.into()));
        self.wait();
        let first = self.is_zero(team.rank);
        let behind = self.only_if(first);
        self.write_slot(answer, zero, silent);
        self.go_on(behind);
        self.wait();
        let objects = if all { self.b.unary(Op::Not, vote) } else { vote };
        let behind = self.only_if(objects);
        self.write_slot(answer, zero, objected);
        self.go_on(behind);
        self.wait();
        let v = self.read_slot(Type::I32, answer, zero);
        let v = self.b.icmp(IntCC::Ne, v, zero);
        self.set(inst, v)
    }

    /// `OpGroupBroadcast`: the value of the work-item with the local id given, in 1 to 3 dimensions.
    pub(super) fn group_broadcast(&mut self, inst: &Inst) -> R<()> {
        let members = self.members(inst)?;
        let (v, id) = (self.operand(inst, 1)?, self.operand(inst, 2)?);
        let (ty, id_ty) = (self.ty(v), self.ty(id));
        self.check(ty.space().is_none(), inst, "its value is a pointer")?;
        if members == Members::SubGroup {
            self.check(self.is_int_scalar(id), inst, "its local id is not an integer")?;
            let v = self.for_sub_group(SubGroupFn::Broadcast, |l| l.of_member(v, id));
            return self.set(inst, v);
        }
        let ok = id_ty.is_int() && id_ty.lanes <= 3;
        self.check(ok, inst, "its local id is not an integer or a vector of 2 or 3")?;
        let mut is_source = self.b.bool(true);
        for (d, want) in self.lanes_of(id).into_iter().enumerate() {
            let want = self.b.zext_or_trunc(want, self.spv.types.addr_bits);
            let have = self.b.query(Query::LocalId, d as u8);
            let same = self.b.icmp(IntCC::Eq, have, want);
            is_source = self.b.binary(Op::And, is_source, same);
        }
        // Of a group with more dimensions than the id the first row or plane counts.
        for d in id_ty.lanes..3 {
            let have = self.b.query(Query::LocalId, d);
            let same = self.is_zero(have);
            is_source = self.b.binary(Op::And, is_source, same);
        }
        let place = self.shared_sums(ty);
        let zero = self.i32(0);
        self.wait();
        let behind = self.only_if(is_source);
        self.write_slot(place, zero, v);
        self.go_on(behind);
        self.wait();
        let v = self.read_slot(ty, place, zero);
        self.set(inst, v)
    }

    /// What a reduction or scan is to do, and to what.
    pub(super) fn group_operands(
        &mut self,
        inst: &Inst,
        how: Combine,
    ) -> R<(GroupOperation, Value)> {
        let v = self.operand(inst, 2)?;
        self.check(how.takes(self.ty(v)), inst, "its operand is of a wrong type")?;
        match GroupOperation::from_u32(inst.arg(1)?) {
            Some(operation) => Ok((operation, v)),
            None => Err(self.mismatch(inst, "it is neither a reduction nor a scan")),
        }
    }

    /// The reductions and scans of one operation.
    pub(super) fn group_arithmetic(&mut self, inst: &Inst, how: Combine) -> R<()> {
        use GroupOperation::{ExclusiveScan, InclusiveScan, Reduce};
        let members = self.members(inst)?;
        let (operation, v) = self.group_operands(inst, how)?;
        let ty = self.ty(v);
        let (Reduce | InclusiveScan | ExclusiveScan) = operation else {
            return Err(self.mismatch(inst, "it is neither a reduction nor a scan"));
        };
        if members == Members::SubGroup {
            let v = self.for_sub_group(SubGroupFn::Arithmetic, |l| {
                l.sub_group_arithmetic(v, operation, how, Callers::All)
            });
            return self.set(inst, v);
        }
        let team = self.team();
        let slots = self.slots(ty);
        let places = Places { ty, slots, sums: self.shared_sums(ty) };
        let log_run = self.log_run(team.size);
        self.write_slot(slots, team.rank, v);
        self.wait();
        self.go_through_runs(team, places, log_run, operation, how);
        self.wait();
        self.go_through_sums(team, places, log_run, operation, how);
        self.wait();
        let v = match operation {
            Reduce => {
                let zero = self.i32(0);
                self.read_slot(ty, places.sums, zero)
            }
            _ => self.scanned(team, places, log_run, operation, how),
        };
        self.set(inst, v)
    }

    /// log2 of the length of runs: the least that gives at most [`RUNS`] of them.
    fn log_run(&mut self, size: Value) -> Value {
        let one = self.i32(1);
        let last = self.b.binary(Op::Sub, size, one);
        let zeros = self.b.unary(Op::Clz, last);
        let most = self.i32(32 - LOG_RUNS);
        let few = self.b.icmp(IntCC::Ult, zeros, most);
        let bits = self.b.binary(Op::Sub, most, zeros);
        let zero = self.i32(0);
        self.b.select(few, bits, zero)
    }

    /// Work-item k combines the k-th run, if there is one, into sum k. Scans leave in each slot what the run came to there:
    /// with the slot's own value, or before it (nothing, in the first slot of a run).
    pub(super) fn go_through_runs(
        &mut self,
        team: Team,
        places: Places,
        log_run: Value,
        operation: GroupOperation,
        how: Combine,
    ) {
        let Places { ty, slots, sums } = places;
        let one = self.i32(1);
        let first = self.b.binary(Op::Shl, team.rank, log_run);
        let exists = self.b.icmp(IntCC::Ult, first, team.size);
        let behind = self.only_if(exists);
        let run = self.b.binary(Op::Shl, one, log_run);
        let end = self.b.binary(Op::Add, first, run);
        let cut = self.b.icmp(IntCC::Ult, team.size, end);
        let end = self.b.select(cut, team.size, end);
        let start = self.read_slot(ty, slots, first);
        let second = self.b.binary(Op::Add, first, one);
        let total = self.fold(second, end, start, |l, at, before| {
            let v = l.read_slot(ty, slots, at);
            let total = l.combine(how, before, v);
            match operation {
                GroupOperation::InclusiveScan => l.write_slot(slots, at, total),
                GroupOperation::ExclusiveScan => l.write_slot(slots, at, before),
                _ => {}
            }
            total
        });
        self.write_slot(sums, team.rank, total);
        self.go_on(behind);
    }

    /// The first work-item combines the sums: all into sum 0, or for scans those before each into that one.
    fn go_through_sums(
        &mut self,
        team: Team,
        places: Places,
        log_run: Value,
        operation: GroupOperation,
        how: Combine,
    ) {
        let Places { ty, sums, .. } = places;
        let is_first = self.is_zero(team.rank);
        let behind = self.only_if(is_first);
        let (zero, one) = (self.i32(0), self.i32(1));
        let last = self.b.binary(Op::Sub, team.size, one);
        let last_run = self.b.binary(Op::LShr, last, log_run);
        let runs = self.b.binary(Op::Add, last_run, one);
        let start = self.read_slot(ty, sums, zero);
        let total = self.fold(one, runs, start, |l, at, before| {
            let v = l.read_slot(ty, sums, at);
            if operation != GroupOperation::Reduce {
                l.write_slot(sums, at, before);
            }
            l.combine(how, before, v)
        });
        if operation == GroupOperation::Reduce {
            self.write_slot(sums, zero, total);
        }
        self.go_on(behind);
    }

    /// A loop over `from..to` with a value that each step makes anew.
    fn fold(
        &mut self,
        from: Value,
        to: Value,
        start: Value,
        step: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let [head, body, done] = [(); 3].map(|()| self.b.func.add_block());
        let at = self.b.func.add_param(head, Type::I32);
        let ty = self.ty(start);
        let value = self.b.func.add_param(head, ty);
        self.b.jump(head, [from, start]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, to);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let next_value = step(self, at, value);
        let one = self.i32(1);
        let next = self.b.binary(Op::Add, at, one);
        self.b.jump(head, [next, next_value]);
        self.b.switch_to(done);
        value
    }

    /// A work-item's result of a scan, from its slot and the sum of the runs before its own.
    fn scanned(
        &mut self,
        team: Team,
        places: Places,
        log_run: Value,
        operation: GroupOperation,
        how: Combine,
    ) -> Value {
        let Places { ty, slots, sums } = places;
        let run = self.b.binary(Op::LShr, team.rank, log_run);
        let before = self.read_slot(ty, sums, run);
        let inside = self.read_slot(ty, slots, team.rank);
        let joined = self.combine(how, before, inside);
        let in_first_run = self.is_zero(run);
        let v = self.b.select(in_first_run, inside, joined);
        if operation == GroupOperation::InclusiveScan {
            return v;
        }
        let first = self.b.binary(Op::Shl, run, log_run);
        let starts_run = self.b.icmp(IntCC::Eq, first, team.rank);
        let v = self.b.select(starts_run, before, v);
        let is_first = self.is_zero(team.rank);
        let nothing = self.b.constant(ty, how.identity(ty));
        self.b.select(is_first, nothing, v)
    }
}

/// Bytes of an element in the memory that a group shares.
fn bytes_of(ty: Type) -> u32 {
    in_memory(ty).mem_bytes(0)
}
