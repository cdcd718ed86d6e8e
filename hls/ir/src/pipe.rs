//! Operations on pipes that are connected: FIFOs beside the kernel instead of objects in memory.

/// What is done to a connected pipe. The instruction names the kernel argument.
///
/// A packet is moved in two steps or in one. [`PipeOp::TakePacket`] and [`PipeOp::TakeRoom`] reserve a packet or room for one, and
/// never wait; a later [`PipeOp::ReadReserved`] or [`PipeOp::WriteReserved`] of the same work-item uses the
/// reservation, in the order in which they come. [`PipeOp::Read`] and [`PipeOp::Write`] do both and wait until they can.
///
/// Or several packets are reserved at once: [`PipeOp::ReservePackets`] and [`PipeOp::ReserveRoom`] give a reservation, its packets are moved
/// in any order by their positions, and a commit makes them visible, or their room free, after those of all earlier reservations.
/// A kernel uses a pipe in one of the two ways: see [`PipeOp::by_position`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PipeOp {
    /// `take_packet [, predicate]`: reserves a packet; i1, 0 if there is none.
    TakePacket,
    /// `take_room [, predicate]`: reserves room for a packet; i1, 0 if there is none.
    TakeRoom,
    /// `wait_packet [, predicate]`: as [`PipeOp::TakePacket`], but waits until there is one; no result.
    WaitPacket,
    /// `wait_room [, predicate]`: as [`PipeOp::TakeRoom`], but waits until there is some; no result.
    WaitRoom,
    /// `read [, predicate]`: waits for a packet. See [`packet_type`] for the result.
    Read,
    /// `read_reserved [, predicate]`: the packet of a reservation.
    ReadReserved,
    /// `write packet [, predicate]`: waits for room; no result.
    Write,
    /// `write_reserved packet [, predicate]`: into the room of a reservation; no result.
    WriteReserved,
    /// `count [, predicate]`: packets that are there and not reserved, an i32.
    Count,
    /// `most [, predicate]`: most packets that the pipe holds, an i32.
    Most,
    /// `reserve_packets n [, predicate]`: reserves n (i32) packets if they are there; an i64, see [`RESERVATION`], and 0 if they are
    /// not, and for n = 0.
    ReservePackets,
    /// `reserve_room n [, predicate]`: reserves room for n packets likewise.
    ReserveRoom,
    /// `read_at position [, predicate]`: the packet at a position (i32) of a reservation.
    ReadAt,
    /// `write_at packet position [, predicate]`: puts a packet at a position of a reservation; no result.
    WriteAt,
    /// `commit_read reservation [, predicate]`: the packets of a reservation have been read; no result.
    CommitRead,
    /// `commit_write reservation [, predicate]`: the packets of a reservation have been written; no result.
    CommitWrite,
}

/// The type of a reservation: its first position in the lower half, which later packets follow modulo 2^32, the number of its packets
/// in the upper half, which is 0 if there is none.
pub const RESERVATION: crate::Type = crate::Type::int(64);

impl PipeOp {
    /// All operations with their names in IR text, behind `pipe.`.
    pub const ALL: [(PipeOp, &'static str); 16] = [
        (PipeOp::TakePacket, "take_packet"),
        (PipeOp::TakeRoom, "take_room"),
        (PipeOp::WaitPacket, "wait_packet"),
        (PipeOp::WaitRoom, "wait_room"),
        (PipeOp::Read, "read"),
        (PipeOp::ReadReserved, "read_reserved"),
        (PipeOp::Write, "write"),
        (PipeOp::WriteReserved, "write_reserved"),
        (PipeOp::Count, "count"),
        (PipeOp::Most, "most"),
        (PipeOp::ReservePackets, "reserve_packets"),
        (PipeOp::ReserveRoom, "reserve_room"),
        (PipeOp::ReadAt, "read_at"),
        (PipeOp::WriteAt, "write_at"),
        (PipeOp::CommitRead, "commit_read"),
        (PipeOp::CommitWrite, "commit_write"),
    ];

    /// Name in IR text, behind `pipe.`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("?", |(_, name)| name)
    }

    /// Whether a packet goes out of the pipe.
    pub fn reads(self) -> bool {
        matches!(self, PipeOp::Read | PipeOp::ReadReserved | PipeOp::ReadAt)
    }

    /// Whether a packet goes into the pipe.
    pub fn writes(self) -> bool {
        matches!(self, PipeOp::Write | PipeOp::WriteReserved | PipeOp::WriteAt)
    }

    /// Whether it moves a packet.
    pub fn moves(self) -> bool {
        self.reads() || self.writes()
    }

    /// Whether it reserves several packets.
    pub fn reserves(self) -> bool {
        matches!(self, PipeOp::ReservePackets | PipeOp::ReserveRoom)
    }

    /// Whether it commits a reservation.
    pub fn commits(self) -> bool {
        matches!(self, PipeOp::CommitRead | PipeOp::CommitWrite)
    }

    /// Whether it is about reservations whose packets have positions; none of what goes with both ways of using a pipe.
    pub fn by_position(self) -> Option<bool> {
        match self {
            PipeOp::Count | PipeOp::Most => None,
            PipeOp::ReadAt | PipeOp::WriteAt => Some(true),
            op => Some(op.reserves() || op.commits()),
        }
    }

    /// How many operands it has, without the predicate.
    pub fn operands(self) -> usize {
        match self {
            PipeOp::WriteAt => 2,
            PipeOp::Write | PipeOp::WriteReserved | PipeOp::ReadAt => 1,
            op => usize::from(op.reserves() || op.commits()),
        }
    }

    /// Whether what an iteration of a loop does to a pipe by `self` must come before what the next one does by `other`, or the
    /// other way round, for packets to go where they belong: packets and reservations have an order, and a packet is
    /// moved before its commit.
    pub fn keeps_order_with(self, other: PipeOp) -> bool {
        let either = |f: fn(PipeOp) -> bool| f(self) || f(other);
        match (self.by_position(), other.by_position()) {
            (Some(true), Some(true)) => {
                // Two reads do not disturb one another, and a reservation has packets that nobody else has.
                let both = |f: fn(PipeOp) -> bool| f(self) && f(other);
                either(PipeOp::commits) || both(PipeOp::reserves) || both(PipeOp::writes)
            }
            (Some(false), Some(false)) => self.moves() && other.moves(),
            _ => false,
        }
    }

    /// Whether it waits for another kernel.
    pub fn waits(self) -> bool {
        use PipeOp::{Read, WaitPacket, WaitRoom, Write};
        matches!(self, Read | Write | WaitPacket | WaitRoom)
    }

    /// Whether it can fail to reserve.
    pub fn takes(self) -> bool {
        matches!(self, PipeOp::TakePacket | PipeOp::TakeRoom)
    }

    /// Whether only a kernel that writes the pipe has it; none if that does not matter.
    pub fn of_writer(self) -> Option<bool> {
        match self {
            PipeOp::TakePacket | PipeOp::WaitPacket | PipeOp::Read | PipeOp::ReadReserved => {
                Some(false)
            }
            PipeOp::ReservePackets | PipeOp::ReadAt | PipeOp::CommitRead => Some(false),
            PipeOp::TakeRoom | PipeOp::WaitRoom | PipeOp::Write | PipeOp::WriteReserved => {
                Some(true)
            }
            PipeOp::ReserveRoom | PipeOp::WriteAt | PipeOp::CommitWrite => Some(true),
            PipeOp::Count | PipeOp::Most => None,
        }
    }

    /// The reservation that waits, of one that can fail.
    pub fn patient(self) -> PipeOp {
        match self {
            PipeOp::TakePacket => PipeOp::WaitPacket,
            PipeOp::TakeRoom => PipeOp::WaitRoom,
            other => other,
        }
    }

    /// The form that reserves by itself, of an operation that uses a reservation.
    pub fn waiting(self) -> PipeOp {
        match self {
            PipeOp::ReadReserved => PipeOp::Read,
            PipeOp::WriteReserved => PipeOp::Write,
            other => other,
        }
    }
}

/// Most bytes of a packet of a connected pipe.
pub const MOST_CONNECTED_BYTES: u32 = 128;

/// The type of packets of `bytes` bytes (1 to [`MOST_CONNECTED_BYTES`]) in operations on connected pipes: an integer, or above
/// 16 bytes a vector of 2, 4 or 8 integers of 128 bits, whose bytes beyond the packet's are ignored, and 0 where they are read.
/// Byte 0 is the lowest.
pub fn packet_type(bytes: u32) -> crate::Type {
    match bytes {
        0..=16 => crate::Type::int(8 * bytes.max(1)),
        _ => crate::Type::int(128).with_lanes(bytes.div_ceil(16).next_power_of_two() as u8),
    }
}
