//! Pipes, reservations of their packets, and pipes of the program.

use super::connected::Connected;
use super::group::Members;
use super::{Leaves, Lower, Val};
use crate::decode::{Id, Inst};
use crate::errors::R;
use crate::pipes::{Packet, PipeFunction, RESERVATION, operands, packet};
use crate::types::{Kind, PIPE_FIELDS, PIPE_LEAVES};
use abi::PipeDescriptor;
use abi::pipe::{ALIGN, place};
use ir::{
    AtomicOp, FenceFlags, IntCC, KernelArg, KernelArgKind, MemFlags, Op, PipeAccess, SubGroupFn,
    Type, Value,
};

/// A pipe, as an instruction uses it.
#[derive(Clone, Copy)]
struct Pipe {
    /// Address of its object.
    object: Value,
    /// Most packets, an i32.
    max_packets: Value,
    /// Most packets of the FIFO that it stands for.
    limit: Option<Value>,
    packet: Packet,
}

/// Where packets are reserved.
#[derive(Clone)]
enum End {
    Memory(Pipe),
    Connected(Connected),
    /// Which of several.
    OneOf(Value, Vec<End>),
}

/// What is done to packets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}
use Direction::{Read, Write};

impl<'a> Lower<'a, '_, '_> {
    /// A kernel argument that is a pipe, and its value. `alone`: no other argument can be the same pipe.
    pub(super) fn pipe_argument(
        &mut self,
        mut arg: KernelArg,
        index: u32,
        access: PipeAccess,
        alone: bool,
    ) -> (KernelArg, Leaves) {
        arg.kind = KernelArgKind::Pipe(access);
        (arg.size, arg.align) = (PipeDescriptor::BYTES, PipeDescriptor::ALIGN);
        (arg.no_write, arg.no_read, arg.restrict) = (false, false, alone);
        let fields = if self.spv.types.addressed { &PIPE_FIELDS } else { PIPE_LEAVES };
        let field = |&(ty, offset): &(Type, u32)| self.b.value(Op::Arg { index, offset }, [], ty);
        let values = fields.iter().map(field).collect();
        let value = self.descriptor_value(&arg.name, PipeDescriptor::BYTES, fields, values);
        (arg, value)
    }

    /// `OpReadPipe`, `OpWritePipe`: 0, or -1 if there is no packet or no room.
    pub(super) fn pipe_transfer(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        if let Some(pipe) = self.several(inst)? {
            return self.each_way(inst, pipe, |l, inst| l.pipe_transfer(inst, direction));
        }
        if let Some(pipe) = self.connected(inst)? {
            return self.connected_transfer(inst, pipe, direction);
        }
        let pipe = self.pipe(inst, direction)?;
        let side = self.side(pipe, direction);
        let func = self.link.pipe_function(PipeFunction::Take);
        let id = self.b.value(Op::Call(func), [side], RESERVATION);
        let valid = self.is_valid(id);
        let behind = self.only_if(valid);
        let (start, _) = self.reservation(id);
        let at = self.packet_at(pipe, start);
        self.copy_packet(inst, 1, at, direction, pipe.packet)?;
        self.commit_in_memory(pipe, direction, id);
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// `OpReadPipeBlockingINTEL`, `OpWritePipeBlockingINTEL`: until there is a packet or room.
    ///
    /// In memory nobody can be waited for: the attempt is repeated.
    pub(super) fn pipe_blocking(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        if let Some(pipe) = self.several(inst)? {
            return self.each_way(inst, pipe, |l, inst| l.pipe_blocking(inst, direction));
        }
        if let Some(pipe) = self.connected(inst)? {
            return self.connected_blocking(inst, pipe, direction);
        }
        let pipe = self.pipe(inst, direction)?;
        let side = self.side(pipe, direction);
        let func = self.link.pipe_function(PipeFunction::Take);
        let id = self.until_valid(|l| l.b.value(Op::Call(func), [side], RESERVATION));
        let (start, _) = self.reservation(id);
        let at = self.packet_at(pipe, start);
        self.copy_packet(inst, 1, at, direction, pipe.packet)?;
        self.commit_in_memory(pipe, direction, id);
        Ok(())
    }

    /// Repeats an attempt to reserve until it succeeds.
    pub(super) fn until_valid(&mut self, attempt: impl FnOnce(&mut Self) -> Value) -> Value {
        let (again, behind) = (self.b.func.add_block(), self.b.func.add_block());
        self.b.jump(again, []);
        self.b.switch_to(again);
        let id = attempt(self);
        let valid = self.is_valid(id);
        self.b.branch(valid, behind, again);
        self.b.switch_to(behind);
        id
    }

    /// `OpReservedReadPipe`, `OpReservedWritePipe`: pipe, reservation, index, pointer.
    pub(super) fn pipe_reserved(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        if let Some(pipe) = self.several(inst)? {
            return self.each_way(inst, pipe, |l, inst| l.pipe_reserved(inst, direction));
        }
        if let Some(pipe) = self.connected(inst)? {
            return self.connected_reserved(inst, pipe, direction);
        }
        let pipe = self.pipe(inst, direction)?;
        let (id, index) = (self.id_operand(inst, 1)?, self.int_operand(inst, 2)?);
        let (start, count) = self.reservation(id);
        let inside = self.b.icmp(IntCC::Ult, index, count);
        let valid = self.is_valid(id);
        let valid = self.b.binary(Op::And, inside, valid);
        let behind = self.only_if(valid);
        let position = self.b.binary(Op::Add, start, index);
        let at = self.packet_at(pipe, position);
        self.copy_packet(inst, 3, at, direction, pipe.packet)?;
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// `OpReserveReadPipePackets`, `OpReserveWritePipePackets`: pipe, number of packets.
    pub(super) fn pipe_reserve(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        let end = self.end(inst, direction)?;
        let count = self.int_operand(inst, 1)?;
        let id = self.reserve(&end, direction, count)?;
        self.set(inst, id)
    }

    /// `OpCommitReadPipe`, `OpCommitWritePipe`: pipe, reservation.
    pub(super) fn pipe_commit(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        let end = self.end(inst, direction)?;
        let id = self.id_operand(inst, 1)?;
        self.commit(&end, direction, id)
    }

    /// `OpGroupReserveReadPipePackets` and for writing: scope, pipe, number of packets. The first work-item reserves and
    /// tells the others.
    pub(super) fn pipe_group_reserve(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        let members = self.members(inst)?;
        let end = self.end(inst, direction)?;
        let count = self.int_operand(inst, 2)?;
        let id = self.for_members(members, SubGroupFn::Pipe, |l| {
            l.reserve_for_all(&end, direction, count, members)
        });
        self.set(inst, id?)
    }

    fn reserve_for_all(
        &mut self,
        end: &End,
        direction: Direction,
        count: Value,
        members: Members,
    ) -> R<Value> {
        let (leads, slot) = self.leader(members);
        let place = self.leaders_slots("group_reservations", RESERVATION, members);
        // Others may still read the reservation before.
        self.wait();
        let behind = self.only_if(leads);
        let id = self.reserve(end, direction, count)?;
        self.write_slot(place, slot, id);
        self.go_on(behind);
        self.wait_for_all_memory();
        Ok(self.read_slot(RESERVATION, place, slot))
    }

    /// `OpGroupCommitReadPipe`, `OpGroupCommitWritePipe`: scope, pipe, reservation. The first work-item commits what all have
    /// read or written.
    pub(super) fn pipe_group_commit(&mut self, inst: &Inst, direction: Direction) -> R<()> {
        let members = self.members(inst)?;
        let end = self.end(inst, direction)?;
        let id = self.id_operand(inst, 2)?;
        self.for_members(members, SubGroupFn::Pipe, |l| {
            let (leads, _) = l.leader(members);
            l.wait_for_all_memory();
            let behind = l.only_if(leads);
            let done = l.commit(&end, direction, id);
            l.go_on(behind);
            done
        })
    }

    /// `OpIsValidReserveId`
    pub(super) fn pipe_id_is_valid(&mut self, inst: &Inst) -> R<()> {
        let id = self.id_operand(inst, 0)?;
        let valid = self.is_valid(id);
        self.set(inst, valid)
    }

    /// `OpGetNumPipePackets`: those that readers may still reserve.
    pub(super) fn pipe_packets(&mut self, inst: &Inst) -> R<()> {
        if let Some(pipe) = self.several(inst)? {
            return self.each_way(inst, pipe, |l, inst| l.pipe_packets(inst));
        }
        if let Some(pipe) = self.connected(inst)? {
            return self.connected_packets(inst, pipe);
        }
        let pipe = self.any_pipe(inst)?;
        let credit = self.in_object(pipe, place::READERS + place::CREDIT);
        let there = self.b.atomic(AtomicOp::Load, Type::I32, credit, &[], MemFlags::aligned(4));
        let zero = self.b.constant(Type::I32, 0);
        let negative = self.b.icmp(IntCC::Slt, there, zero);
        let mut there = self.b.select(negative, zero, there);
        // the object of a connected pipe has room for more
        if let Some(most) = pipe.limit {
            there = self.at_most(there, most);
        }
        self.set(inst, there)
    }

    /// `OpGetMaxPipePackets`
    pub(super) fn pipe_most_packets(&mut self, inst: &Inst) -> R<()> {
        if let Some(pipe) = self.several(inst)? {
            return self.each_way(inst, pipe, |l, inst| l.pipe_most_packets(inst));
        }
        if let Some(pipe) = self.connected(inst)? {
            return self.connected_most_packets(inst, pipe);
        }
        let pipe = self.any_pipe(inst)?;
        self.set(inst, pipe.limit.unwrap_or(pipe.max_packets))
    }

    /// The pipe that an instruction uses.
    fn any_pipe(&mut self, inst: &Inst) -> R<Pipe> {
        let (pipe, size) =
            operands(inst.op).ok_or_else(|| self.mismatch(inst, "it is about no pipe"))?;
        let id = inst.arg(pipe)?;
        let kind = &self.spv.types.get(self.spv.type_of(id)?)?.kind;
        self.check(matches!(kind, Kind::Pipe { .. }), inst, "its operand is not a pipe")?;
        // Other instructions, and the storage of a pipe of the program, say the same.
        self.link.packets()?;
        let packet = packet(self.spv, inst, size)?;
        let leaves = self.leaves(id)?;
        let limit = match self.val(id)? {
            Val::Pipe(pipe) => self.known_limit(&pipe),
            _ => None,
        };
        match self.descriptor_fields(&leaves, PIPE_LEAVES)[..] {
            [object, max_packets] => Ok(Pipe { object, max_packets, limit, packet }),
            _ => Err(self.mismatch(inst, "its operand is not a pipe")),
        }
    }

    /// The pipe that an instruction uses, whose type must allow it.
    fn pipe(&mut self, inst: &Inst, direction: Direction) -> R<Pipe> {
        let pipe = self.any_pipe(inst)?;
        self.check_direction(inst, direction)?;
        Ok(pipe)
    }

    /// The pipe of an instruction about reservations, in memory or not.
    fn end(&mut self, inst: &Inst, direction: Direction) -> R<End> {
        if let Some(pipe) = self.several(inst)?
            && let Some(which) = pipe.which()
        {
            let (operand, _) = operands(inst.op).unwrap_or_default();
            let id = inst.arg(operand)?;
            let way = |way| {
                self.vals.insert(id, Val::Pipe(way));
                self.end(inst, direction)
            };
            let ends: R<Vec<End>> = pipe.ways().into_iter().map(way).collect();
            self.vals.insert(id, Val::Pipe(pipe));
            return Ok(End::OneOf(which, ends?));
        }
        match self.connected(inst)? {
            Some(pipe) => {
                self.check_direction(inst, direction)?;
                Ok(End::Connected(pipe))
            }
            None => Ok(End::Memory(self.pipe(inst, direction)?)),
        }
    }

    /// Fails unless the type of the instruction's pipe allows it.
    pub(super) fn check_direction(&self, inst: &Inst, direction: Direction) -> R<()> {
        let (operand, _) = operands(inst.op).unwrap_or_default();
        let ty = self.spv.type_of(inst.arg(operand)?)?;
        let wanted = Kind::Pipe { writes: direction == Write };
        let why = match direction {
            Read => "it reads a write-only pipe",
            Write => "it writes a read-only pipe",
        };
        self.check(self.spv.types.get(ty)?.kind == wanted, inst, why)
    }

    /// Whether a type is one of handles, which are numbers here: reservations, queues, events. clang makes `CLK_NULL_RESERVE_ID` and the
    /// like of integers by casts of pointers.
    pub(super) fn is_handle(&self, ty: Id) -> bool {
        use rspirv::spirv::Op::{TypeDeviceEvent, TypeQueue, TypeReserveId};
        let op = self.spv.def_inst(ty).map(|inst| inst.op);
        matches!(op, Some(TypeReserveId | TypeQueue | TypeDeviceEvent))
    }

    /// An operand that is a reservation.
    pub(super) fn id_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let id = self.operand(inst, k)?;
        self.check(self.ty(id) == RESERVATION, inst, "its operand is not a reservation")?;
        Ok(id)
    }

    /// An operand that is an integer, as i32.
    pub(super) fn int_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let n = self.operand(inst, k)?;
        self.check(self.is_int_scalar(n), inst, "an operand is not an integer")?;
        Ok(self.b.zext_or_trunc(n, 32))
    }

    /// The address of something in the pipe's object.
    fn in_object(&mut self, pipe: Pipe, offset: u32) -> Value {
        self.at_offset(pipe.object, offset.into())
    }

    fn side(&mut self, pipe: Pipe, direction: Direction) -> Value {
        let offset = match direction {
            Read => place::READERS,
            Write => place::WRITERS,
        };
        self.in_object(pipe, offset)
    }

    fn reserve(&mut self, end: &End, direction: Direction, count: Value) -> R<Value> {
        let pipe = match end {
            End::Memory(pipe) => *pipe,
            End::Connected(pipe) => return Ok(self.connected_reserve(*pipe, direction, count)),
            End::OneOf(which, ends) => {
                let id =
                    self.split(*which, ends, |l, end| l.reserve(end, direction, count).map(Some))?;
                return Ok(id.unwrap_or_else(|| self.b.constant(RESERVATION, 0)));
            }
        };
        let count = match pipe.limit {
            // A reservation of none is refused.
            Some(most) => {
                let too_many = self.b.icmp(IntCC::Ult, most, count);
                let none = self.b.constant(Type::I32, 0);
                self.b.select(too_many, none, count)
            }
            None => count,
        };
        let side = self.side(pipe, direction);
        let func = self.link.pipe_function(PipeFunction::Reserve);
        Ok(self.b.value(Op::Call(func), [side, count], RESERVATION))
    }

    fn commit(&mut self, end: &End, direction: Direction, id: Value) -> R<()> {
        match end {
            End::Memory(pipe) => self.commit_in_memory(*pipe, direction, id),
            End::Connected(pipe) => self.connected_commit(*pipe, direction, id),
            End::OneOf(which, ends) => {
                self.split(*which, ends, |l, end| l.commit(end, direction, id).map(|()| None))?;
            }
        }
        Ok(())
    }

    fn commit_in_memory(&mut self, pipe: Pipe, direction: Direction, id: Value) {
        let (other, mark) = match direction {
            Read => (Write, place::READERS_MARK),
            Write => (Read, place::WRITERS_MARK),
        };
        let (side, other) = (self.side(pipe, direction), self.side(pipe, other));
        let mask = self.mask(pipe);
        let marks = self.marks(pipe, mask, mark);
        let func = self.link.pipe_function(PipeFunction::Commit);
        self.b.inst(Op::Call(func), [side, other, marks, mask, id], None);
    }

    /// The number of slots minus 1: ones from the most significant bit of the number of packets on.
    fn mask(&mut self, pipe: Pipe) -> Value {
        let zeros = self.b.unary(Op::Clz, pipe.max_packets);
        let ones = self.b.constant(Type::I32, u32::MAX.into());
        self.b.binary(Op::LShr, ones, zeros)
    }

    /// The mark of slot 0, on a line behind the packets of all slots.
    fn marks(&mut self, pipe: Pipe, mask: Value, mark: u32) -> Value {
        let mask = self.b.zext_or_trunc(mask, self.spv.types.addr_bits);
        let one = self.b.size(1);
        let slots = self.b.binary(Op::Add, mask, one);
        let size = self.b.size(pipe.packet.size.into());
        let bytes = self.b.binary(Op::Mul, slots, size);
        let align = u64::from(ALIGN);
        let [up, down] = [align - 1, !(align - 1)].map(|n| self.b.size(n));
        let bytes = self.b.binary(Op::Add, bytes, up);
        let bytes = self.b.binary(Op::And, bytes, down);
        let first = self.in_object(pipe, place::PACKETS + mark);
        self.b.ptr_add(first, bytes)
    }

    /// The address of the packet at a position.
    fn packet_at(&mut self, pipe: Pipe, position: Value) -> Value {
        let mask = self.mask(pipe);
        let slot = self.b.binary(Op::And, position, mask);
        let slot = self.b.zext_or_trunc(slot, self.spv.types.addr_bits);
        let size = self.b.size(pipe.packet.size.into());
        let offset = self.b.binary(Op::Mul, slot, size);
        let first = self.in_object(pipe, place::PACKETS);
        self.b.ptr_add(first, offset)
    }

    /// First position and number of packets.
    pub(super) fn reservation(&mut self, id: Value) -> (Value, Value) {
        let part = |l: &mut Self, lo: u8| l.b.value(Op::Slice { lo }, [id], Type::I32);
        (part(self, 0), part(self, 32))
    }

    /// Whether a reservation has packets: neither 0 nor all ones, which is how clang spells `CLK_NULL_RESERVE_ID`.
    pub(super) fn is_valid(&mut self, id: Value) -> Value {
        let (_, count) = self.reservation(id);
        let zero = self.b.constant(Type::I32, 0);
        self.b.icmp(IntCC::Sgt, count, zero)
    }

    /// The result of an access to a packet: 0 or -1.
    pub(super) fn set_outcome(&mut self, inst: &Inst, done: Value) -> R<()> {
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let failed = self.b.unary(Op::Not, done);
        let outcome = self.b.sext_or_trunc(failed, ty.lane_bits(0));
        self.set(inst, outcome)
    }

    /// Whether the work-item acts for the group or sub-group, whose work-items all call the function, and the number of the
    /// sub-group.
    fn leader(&mut self, members: Members) -> (Value, Value) {
        let rank = self.team().rank;
        let zero = self.b.constant(Type::I32, 0);
        if members == Members::WorkGroup {
            return (self.b.icmp(IntCC::Eq, rank, zero), zero);
        }
        let inside = self.b.constant(Type::I32, (self.spv.sub_group_size - 1).into());
        let lane = self.b.binary(Op::And, rank, inside);
        let first = self.b.icmp(IntCC::Eq, lane, zero);
        let active = self.active();
        let leads = self.b.binary(Op::And, first, active);
        let shift = self.b.constant(Type::I32, self.spv.sub_group_size.ilog2().into());
        (leads, self.b.binary(Op::LShr, rank, shift))
    }

    fn wait_for_all_memory(&mut self) {
        let flags = FenceFlags { local: true, global: true };
        self.b.barrier(flags);
    }
}
