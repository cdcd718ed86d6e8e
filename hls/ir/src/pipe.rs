//! Operations on pipes that are connected: FIFOs beside the kernel instead of objects in memory.

/// What is done to a connected pipe. The instruction names the kernel argument.
///
/// A packet is moved in two steps or in one. [`PipeOp::TakePacket`] and [`PipeOp::TakeRoom`] reserve a packet or room for one, and
/// never wait; a later [`PipeOp::ReadReserved`] or [`PipeOp::WriteReserved`] of the same work-item uses the
/// reservation, in the order in which they come. [`PipeOp::Read`] and [`PipeOp::Write`] do both and wait until they can.
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
}

impl PipeOp {
    /// All operations with their names in IR text, behind `pipe.`.
    pub const ALL: [(PipeOp, &'static str); 9] = [
        (PipeOp::TakePacket, "take_packet"),
        (PipeOp::TakeRoom, "take_room"),
        (PipeOp::WaitPacket, "wait_packet"),
        (PipeOp::WaitRoom, "wait_room"),
        (PipeOp::Read, "read"),
        (PipeOp::ReadReserved, "read_reserved"),
        (PipeOp::Write, "write"),
        (PipeOp::WriteReserved, "write_reserved"),
        (PipeOp::Count, "count"),
    ];

    /// Name in IR text, behind `pipe.`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("?", |(_, name)| name)
    }

    /// Whether a packet goes out of the pipe.
    pub fn reads(self) -> bool {
        matches!(self, PipeOp::Read | PipeOp::ReadReserved)
    }

    /// Whether a packet goes into the pipe.
    pub fn writes(self) -> bool {
        matches!(self, PipeOp::Write | PipeOp::WriteReserved)
    }

    /// Whether it moves a packet: then the order of two of them is the order of the packets.
    pub fn moves(self) -> bool {
        self.reads() || self.writes()
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
            PipeOp::TakeRoom | PipeOp::WaitRoom | PipeOp::Write | PipeOp::WriteReserved => {
                Some(true)
            }
            PipeOp::Count => None,
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
