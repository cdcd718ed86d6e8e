//! Pipes that are connected: FIFOs beside the kernel. Their instructions become operations on the kernel's argument; functions
//! that get such a pipe are lowered once for each, or once for all that it can be (`pipe_value`).

use super::pipe::Direction;
use super::pipe_value::PipeValue;
use super::{Leaves, Lower, Val};
use crate::decode::{Id, Inst};
use crate::errors::{R, error};
use crate::pipes::{Packet, operands, packet};
use crate::types::Kind;
use abi::PipeDescriptor;
use ir::pipe::{MOST_CONNECTED_BYTES, RESERVATION, packet_type};
use ir::{IntCC, KernelArg, KernelArgKind, MemFlags, Op, PipeAccess, PipeOp, Type, Value};

/// Bytes of a lane of a packet that is wider than an integer.
const LANE_BYTES: u32 = 16;

/// A connected pipe, as an instruction uses it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Connected {
    /// Index of the kernel's argument.
    pub arg: u32,
    /// Most packets that it holds; 0 where that is decided when hardware is made.
    pub depth: u32,
    /// Whether the kernel reserves several packets of it at once: then all its packets have positions.
    pub reserved: bool,
}

/// Which packet of a pipe is moved.
#[derive(Clone, Copy)]
enum Which {
    /// The next one, waited for.
    Next,
    /// That of the oldest reservation of a single packet.
    Taken,
    /// That at a position.
    At(Value),
}

/// Bytes of a packet that the kernel's memory has as one integer.
#[derive(Clone, Copy)]
struct Piece {
    at: u32,
    bytes: u32,
}

impl Lower<'_, '_, '_> {
    /// Fails unless a kernel argument can be connected.
    pub(super) fn check_connected(&mut self, arg: &KernelArg, id: Id, ty: Id) -> R<()> {
        if !matches!(self.spv.types.get(ty)?.kind, Kind::Pipe { .. }) {
            let text = format!("`{}` is connected, but it is no pipe", arg.name);
            return Err(error(crate::errors::BAD_CONNECTION, text));
        }
        let packet = self.link.packets()?.get(id).map(|packet| packet.size);
        if packet.is_some_and(|bytes| bytes > MOST_CONNECTED_BYTES) {
            let bytes = packet.unwrap_or_default();
            let text = format!(
                "{} `{}` has packets of {bytes} bytes; those of a connected pipe have at most {MOST_CONNECTED_BYTES}",
                if self.spv.deco.of(id).channel { "channel" } else { "pipe" },
                arg.name
            );
            let e = error(crate::errors::BAD_CONNECTION, text);
            return Err(Box::new(e.help(match self.spv.deco.of(id).channel {
                true => "send the packet in parts, through several channels or one after the other",
                false => "do not connect it: a pipe in memory takes larger packets",
            })));
        }
        Ok(())
    }

    /// A kernel argument that is a FIFO.
    pub(super) fn connected_argument(
        &mut self,
        mut arg: KernelArg,
        index: u32,
        id: Id,
        ty: Id,
        depth: u32,
    ) -> R<KernelArg> {
        let writes = matches!(self.spv.types.get(ty)?.kind, Kind::Pipe { writes: true });
        let packet = self.link.packets()?.get(id).map(|packet| packet.size);
        arg.kind = KernelArgKind::Pipe(PipeAccess {
            writes,
            packet,
            connected: Some(depth),
            limit: None,
            channel: self.spv.deco.of(id).channel,
        });
        (arg.size, arg.align) = (PipeDescriptor::BYTES, PipeDescriptor::ALIGN);
        (arg.no_write, arg.no_read, arg.restrict) = (false, false, true);
        let reserved = self.link.packets()?.are_reserved(id);
        let pipe = PipeValue::fifo(Connected { arg: index, depth, reserved });
        self.vals.insert(id, Val::Pipe(pipe));
        Ok(arg)
    }

    /// The connected pipe that an instruction uses, if it is one.
    pub(super) fn connected(&mut self, inst: &Inst) -> R<Option<Connected>> {
        let (pipe, _) =
            operands(inst.op).ok_or_else(|| self.mismatch(inst, "it is about no pipe"))?;
        match self.val(inst.arg(pipe)?)? {
            Val::Pipe(pipe) => Ok(pipe.only_fifo()),
            _ => Ok(None),
        }
    }

    /// Reads or writes a packet if there is one, or room.
    pub(super) fn connected_transfer(
        &mut self,
        inst: &Inst,
        pipe: Connected,
        direction: Direction,
    ) -> R<()> {
        self.check_direction(inst, direction)?;
        if pipe.reserved {
            return self.connected_transfer_at(inst, pipe, direction);
        }
        let take = match direction {
            Direction::Read => PipeOp::TakePacket,
            Direction::Write => PipeOp::TakeRoom,
        };
        let taken = self.pipe_op(take, pipe, &[], Some(Type::BOOL));
        let valid = taken.unwrap_or_else(|| self.b.bool(true));
        let behind = self.only_if(valid);
        self.move_packet(inst, pipe, direction, 1, Which::Taken)?;
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// The same where the kernel also reserves packets of the pipe: a reservation of one.
    fn connected_transfer_at(
        &mut self,
        inst: &Inst,
        pipe: Connected,
        direction: Direction,
    ) -> R<()> {
        let one = self.b.constant(Type::I32, 1);
        let id = self.connected_reserve(pipe, direction, one);
        let valid = self.is_valid(id);
        let behind = self.only_if(valid);
        let (position, _) = self.reservation(id);
        self.move_packet(inst, pipe, direction, 1, Which::At(position))?;
        self.pipe_op(commit_of(direction), pipe, &[id], None);
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// Reads or writes a packet when there is one, or room.
    pub(super) fn connected_blocking(
        &mut self,
        inst: &Inst,
        pipe: Connected,
        direction: Direction,
    ) -> R<()> {
        self.check_direction(inst, direction)?;
        if !pipe.reserved {
            return self.move_packet(inst, pipe, direction, 1, Which::Next);
        }
        let one = self.b.constant(Type::I32, 1);
        let id = self.until_valid(|l| l.connected_reserve(pipe, direction, one));
        let (position, _) = self.reservation(id);
        self.move_packet(inst, pipe, direction, 1, Which::At(position))?;
        self.pipe_op(commit_of(direction), pipe, &[id], None);
        Ok(())
    }

    /// A packet of a reservation, whose operands are as in memory: the kernel's index is checked.
    pub(super) fn connected_reserved(
        &mut self,
        inst: &Inst,
        pipe: Connected,
        direction: Direction,
    ) -> R<()> {
        self.check_direction(inst, direction)?;
        let (id, index) = (self.id_operand(inst, 1)?, self.int_operand(inst, 2)?);
        let (start, count) = self.reservation(id);
        let inside = self.b.icmp(IntCC::Ult, index, count);
        let valid = self.is_valid(id);
        let valid = self.b.binary(Op::And, inside, valid);
        let behind = self.only_if(valid);
        let position = self.b.binary(Op::Add, start, index);
        self.move_packet(inst, pipe, direction, 3, Which::At(position))?;
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// Reserves packets or room.
    pub(super) fn connected_reserve(
        &mut self,
        pipe: Connected,
        direction: Direction,
        count: Value,
    ) -> Value {
        let op = match direction {
            Direction::Read => PipeOp::ReservePackets,
            Direction::Write => PipeOp::ReserveRoom,
        };
        let id = self.pipe_op(op, pipe, &[count], Some(RESERVATION));
        id.unwrap_or_else(|| self.b.constant(RESERVATION, 0))
    }

    /// Commits a reservation, if it is one.
    pub(super) fn connected_commit(&mut self, pipe: Connected, direction: Direction, id: Value) {
        let valid = self.is_valid(id);
        let behind = self.only_if(valid);
        self.pipe_op(commit_of(direction), pipe, &[id], None);
        self.go_on(behind);
    }

    /// Moves a packet from or to where operand `k` points.
    fn move_packet(
        &mut self,
        inst: &Inst,
        pipe: Connected,
        direction: Direction,
        k: usize,
        which: Which,
    ) -> R<()> {
        let (_, size) = operands(inst.op).unwrap_or_default();
        let packet = packet(self.spv, inst, size)?;
        let pointer = self.pointer(inst, k)?;
        let (read, write) = match which {
            Which::Next => (PipeOp::Read, PipeOp::Write),
            Which::Taken => (PipeOp::ReadReserved, PipeOp::WriteReserved),
            Which::At(_) => (PipeOp::ReadAt, PipeOp::WriteAt),
        };
        let at = match &which {
            Which::At(position) => std::slice::from_ref(position),
            _ => &[],
        };
        match direction {
            Direction::Read => {
                self.check_writable(inst, pointer)?;
                let ty = packet_type(packet.size);
                if let Some(word) = self.pipe_op(read, pipe, at, Some(ty)) {
                    self.scatter(pointer, word, packet);
                }
            }
            Direction::Write => {
                let word = self.gather(pointer, packet);
                self.pipe_op(write, pipe, &[&[word], at].concat(), None);
            }
        }
        Ok(())
    }

    /// `OpGetNumPipePackets`: what is on the way to the other kernel, or has room in memory, may be more than the pipe has.
    pub(super) fn connected_packets(&mut self, inst: &Inst, pipe: Connected) -> R<()> {
        let count = self.pipe_op(PipeOp::Count, pipe, &[], Some(Type::I32));
        let (Some(count), Some(most)) = (count, self.connected_most(pipe)) else { return Ok(()) };
        let count = self.at_most(count, most);
        self.set(inst, count)
    }

    /// `OpGetMaxPipePackets`
    pub(super) fn connected_most_packets(&mut self, inst: &Inst, pipe: Connected) -> R<()> {
        match self.connected_most(pipe) {
            Some(depth) => self.set(inst, depth),
            None => Ok(()),
        }
    }

    fn connected_most(&mut self, pipe: Connected) -> Option<Value> {
        match pipe.depth {
            0 => self.pipe_op(PipeOp::Most, pipe, &[], Some(Type::I32)),
            n => Some(self.b.constant(Type::I32, n.into())),
        }
    }

    /// The lesser of two numbers of packets.
    pub(super) fn at_most(&mut self, count: Value, most: Value) -> Value {
        let more = self.b.icmp(IntCC::Ugt, count, most);
        self.b.select(more, most, count)
    }

    fn pipe_op(
        &mut self,
        op: PipeOp,
        pipe: Connected,
        operands: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        let op = Op::Pipe { op, arg: pipe.arg, predicated: false };
        let inst = self.b.inst(op, operands.iter().copied(), result);
        self.b.func.insts[inst].result
    }

    /// Stores a packet to where the kernel wants it.
    fn scatter(&mut self, pointer: Value, word: Value, packet: Packet) {
        let wide = self.ty(word).is_vector();
        for piece in pieces(packet) {
            let (lane, lo) = match wide {
                true => {
                    let k = piece.at / LANE_BYTES;
                    let lane = self.b.value(Op::VecExtract(k as u8), [word], Type::int(128));
                    (lane, 8 * (piece.at % LANE_BYTES))
                }
                false => (word, 8 * piece.at),
            };
            let ty = Type::int(8 * piece.bytes);
            let part = match self.ty(lane) == ty {
                true => lane,
                false => self.b.value(Op::Slice { lo: lo as u8 }, [lane], ty),
            };
            let at = self.at_offset(pointer, piece.at.into());
            self.b.store(at, part, MemFlags::aligned(piece.bytes.min(packet.align)));
        }
    }

    /// Loads a packet.
    fn gather(&mut self, pointer: Value, packet: Packet) -> Value {
        let mut lanes: Leaves = Leaves::new();
        let mut open: Option<Value> = None;
        let ty = packet_type(packet.size);
        let lane_bits = if ty.is_vector() { 128 } else { 8 * packet.size };
        for piece in pieces(packet) {
            let at = self.at_offset(pointer, piece.at.into());
            let flags = MemFlags::aligned(piece.bytes.min(packet.align));
            let part = self.b.load(Type::int(8 * piece.bytes), at, flags);
            let whole = match open.take() {
                Some(low) => {
                    let bits = self.ty(low).bits(0) + 8 * piece.bytes;
                    self.b.value(Op::Concat, [part, low], Type::int(bits))
                }
                None => part,
            };
            match self.ty(whole).bits(0) == lane_bits {
                true => lanes.push(whole),
                false => open = Some(whole),
            }
        }
        if let Some(rest) = open {
            lanes.push(self.b.zext_or_trunc(rest, lane_bits));
        }
        if !ty.is_vector() {
            return lanes[0];
        }
        while lanes.len() < ty.lanes.into() {
            lanes.push(self.b.constant(Type::int(128), 0));
        }
        self.b.value(Op::VecBuild, lanes, ty)
    }
}

fn commit_of(direction: Direction) -> PipeOp {
    match direction {
        Direction::Read => PipeOp::CommitRead,
        Direction::Write => PipeOp::CommitWrite,
    }
}

/// The bytes of a packet in integers as large as its alignment allows, the lowest first. None lies in two lanes.
fn pieces(packet: Packet) -> Vec<Piece> {
    let (mut all, mut at) = (vec![], 0);
    while at < packet.size {
        let mut bytes = packet.align.clamp(1, 8);
        while bytes > packet.size - at {
            bytes /= 2;
        }
        all.push(Piece { at, bytes });
        at += bytes;
    }
    all
}
