//! Pipes that are connected: FIFOs beside the kernel. Their instructions become operations on the kernel's argument; functions
//! that get such a pipe are lowered once for each.

use super::pipe::Direction;
use super::{Leaves, Lower, Val};
use crate::decode::{Id, Inst};
use crate::errors::{R, UNSUPPORTED, error, unsupported};
use crate::pipes::{Packet, operands, packet};
use crate::types::Kind;
use abi::PipeDescriptor;
use ir::pipe::{MOST_CONNECTED_BYTES, packet_type};
use ir::{KernelArg, KernelArgKind, MemFlags, Op, PipeAccess, PipeOp, Type, Value};

/// Bytes of a lane of a packet that is wider than an integer.
const LANE_BYTES: u32 = 16;

/// A connected pipe, as an instruction uses it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Connected {
    /// Index of the kernel's argument.
    pub arg: u32,
    /// Most packets that it holds.
    pub depth: u32,
}

/// Bytes of a packet that the kernel's memory has as one integer.
#[derive(Clone, Copy)]
struct Piece {
    at: u32,
    bytes: u32,
}

impl Lower<'_, '_, '_> {
    /// A kernel argument that is a connected pipe.
    pub(super) fn connected_argument(
        &mut self,
        mut arg: KernelArg,
        index: u32,
        id: Id,
        ty: Id,
        depth: u32,
    ) -> R<KernelArg> {
        let Kind::Pipe { writes } = self.spv.types.get(ty)?.kind else {
            let text = format!("`{}` is connected, but it is no pipe", arg.name);
            return Err(error(crate::errors::BAD_CONNECTION, text));
        };
        let packet = self.link.packets()?.get(id).map(|packet| packet.size);
        if packet.is_some_and(|bytes| bytes > MOST_CONNECTED_BYTES) {
            let bytes = packet.unwrap_or_default();
            let text = format!(
                "pipe `{}` has packets of {bytes} bytes; those of a connected pipe have at most {MOST_CONNECTED_BYTES}",
                arg.name
            );
            let e = error(crate::errors::BAD_CONNECTION, text);
            return Err(Box::new(
                e.help("do not connect it: a pipe in memory takes larger packets"),
            ));
        }
        arg.kind = KernelArgKind::Pipe(PipeAccess { writes, packet, connected: Some(depth) });
        (arg.size, arg.align) = (PipeDescriptor::BYTES, PipeDescriptor::ALIGN);
        (arg.no_write, arg.no_read, arg.restrict) = (false, false, true);
        self.vals.insert(id, Val::Pipe(Connected { arg: index, depth }));
        Ok(arg)
    }

    /// The connected pipe that an instruction uses, if it is one.
    pub(super) fn connected(&mut self, inst: &Inst) -> R<Option<Connected>> {
        let (pipe, _) =
            operands(inst.op).ok_or_else(|| self.mismatch(inst, "it is about no pipe"))?;
        match self.val(inst.arg(pipe)?)? {
            Val::Pipe(pipe) => Ok(Some(pipe)),
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
        let (_, size) = operands(inst.op).unwrap_or_default();
        let packet = packet(self.spv, inst, size)?;
        let take = match direction {
            Direction::Read => PipeOp::TakePacket,
            Direction::Write => PipeOp::TakeRoom,
        };
        let taken = self.pipe_op(take, pipe, None, Some(Type::BOOL));
        let valid = taken.unwrap_or_else(|| self.b.bool(true));
        let behind = self.only_if(valid);
        let pointer = self.pointer(inst, 1)?;
        match direction {
            Direction::Read => {
                self.check_writable(inst, pointer)?;
                let ty = packet_type(packet.size);
                if let Some(word) = self.pipe_op(PipeOp::ReadReserved, pipe, None, Some(ty)) {
                    self.scatter(pointer, word, packet);
                }
            }
            Direction::Write => {
                let word = self.gather(pointer, packet);
                self.pipe_op(PipeOp::WriteReserved, pipe, Some(word), None);
            }
        }
        self.go_on(behind);
        self.set_outcome(inst, valid)
    }

    /// `OpGetNumPipePackets`
    pub(super) fn connected_packets(&mut self, inst: &Inst, pipe: Connected) -> R<()> {
        match self.pipe_op(PipeOp::Count, pipe, None, Some(Type::I32)) {
            Some(count) => self.set(inst, count),
            None => Ok(()),
        }
    }

    /// `OpGetMaxPipePackets`
    pub(super) fn connected_most_packets(&mut self, inst: &Inst, pipe: Connected) -> R<()> {
        let depth = self.b.constant(Type::I32, pipe.depth.into());
        self.set(inst, depth)
    }

    /// The error for reservations of packets, which FIFOs do not have.
    pub(super) fn no_reservations<T>(&self, inst: &Inst, pipe: Connected) -> R<T> {
        let name =
            self.raw.params.get(pipe.arg as usize).and_then(|(id, _)| self.spv.names.get(id));
        let name = name.map_or_else(|| format!("argument {}", pipe.arg), |n| format!("`{n}`"));
        let text = format!("{}: reservations of packets of connected pipe {name}", inst.name());
        let e = unsupported(UNSUPPORTED, text, "pipes as FIFOs, issue 6");
        Err(Box::new(e.help("do not connect the pipe: as an object in memory it has reservations")))
    }

    fn pipe_op(
        &mut self,
        op: PipeOp,
        pipe: Connected,
        packet: Option<Value>,
        result: Option<Type>,
    ) -> Option<Value> {
        let op = Op::Pipe { op, arg: pipe.arg, predicated: false };
        let inst = self.b.inst(op, packet, result);
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
