//! Pipes: the descriptor that a kernel gets for a pipe argument, and the pipe object in device memory.
//!
//! A descriptor is [`PipeDescriptor::BYTES`] bytes by value, laid out as [`field`] says; the object it points to as [`place`]
//! says. Packets have positions, counted from 0 modulo 2^32, in the order of their reservation; the packet at position p
//! stands in slot p modulo the number of slots. `docs/pipes.md` describes all of it, and how kernels use it.

/// Byte offsets in a descriptor; all numbers are little endian.
pub mod field {
    /// Device address of the pipe object, 8 bytes; a multiple of [`super::ALIGN`].
    pub const ADDRESS: u32 = 0;
    /// Most packets that the pipe holds, 4 bytes.
    pub const MAX_PACKETS: u32 = 8;
    /// Bytes of a packet, 4 bytes.
    pub const PACKET_SIZE: u32 = 12;
}

/// Byte offsets in a pipe object.
///
/// Writers and readers have four words each, at [`place::WRITERS`] and [`place::READERS`]. Behind the packets stands a pair of
/// marks for each slot: see [`PipeDescriptor::marks`].
pub mod place {
    /// The words of writers.
    pub const WRITERS: u32 = 0;
    /// The words of readers.
    pub const READERS: u32 = 64;
    /// The packet in slot 0.
    pub const PACKETS: u32 = 128;

    /// Packets that may be reserved, signed: for writers the room that is left, for readers the packets that are there. Below
    /// 0 only while operations that find nothing give back what they took.
    pub const CREDIT: u32 = 0;
    /// Position of the next packet to be reserved.
    pub const NEXT: u32 = 4;
    /// Position up to which all reservations are committed.
    pub const DONE: u32 = 8;
    /// Marks that are left, or about to be.
    pub const MARKS: u32 = 12;

    /// Bytes of a slot's marks.
    pub const MARK_BYTES: u32 = 8;
    /// The writers' mark in them, 4 bytes.
    pub const WRITERS_MARK: u32 = 0;
    /// The readers' mark in them, 4 bytes.
    pub const READERS_MARK: u32 = 4;
}

/// Alignment of a pipe object in device memory, and of the parts in it: that of the largest OpenCL type, and of the widest
/// line of a bus. What atomic operations keep in a cache has no line in common with packets.
pub const ALIGN: u32 = 128;

/// Most packets of a pipe: with it credits keep their sign, however many work-items take them at once.
pub const MOST_PACKETS: u32 = (1 << 30) - 1;

/// Most bytes of a packet.
pub const MOST_PACKET_BYTES: u32 = 1 << 16;

/// Operations on pipes that may be refused, one after the other, while the kernel does nothing else: then it counts as hung. Where
/// nothing else runs that could change a pipe, it would be refused for ever unless it counts its attempts.
pub const MOST_POLLS: u64 = 100_000;

/// A pipe as a kernel gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeDescriptor {
    /// Device address of the pipe object, a multiple of [`ALIGN`].
    pub address: u64,
    /// Most packets that it holds, 1 to [`MOST_PACKETS`].
    pub max_packets: u32,
    /// Bytes of a packet, 1 to [`MOST_PACKET_BYTES`].
    pub packet_size: u32,
}

impl PipeDescriptor {
    /// Bytes of a descriptor.
    pub const BYTES: u32 = 16;
    /// Alignment of a descriptor in memory.
    pub const ALIGN: u32 = 8;

    /// A pipe whose object has no place yet; none if there are no such pipes.
    pub fn new(max_packets: u32, packet_size: u32) -> Option<Self> {
        let known = (1..=MOST_PACKETS).contains(&max_packets)
            && (1..=MOST_PACKET_BYTES).contains(&packet_size);
        known.then_some(PipeDescriptor { address: 0, max_packets, packet_size })
    }

    /// The descriptor's bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES as usize] {
        let mut bytes = [0; Self::BYTES as usize];
        bytes[field::ADDRESS as usize..][..8].copy_from_slice(&self.address.to_le_bytes());
        bytes[field::MAX_PACKETS as usize..][..4].copy_from_slice(&self.max_packets.to_le_bytes());
        bytes[field::PACKET_SIZE as usize..][..4].copy_from_slice(&self.packet_size.to_le_bytes());
        bytes
    }

    /// What a descriptor's bytes say; none if there are no such pipes.
    pub fn from_bytes(bytes: &[u8; Self::BYTES as usize]) -> Option<Self> {
        let word = |at: u32| {
            let word = bytes[at as usize..].first_chunk().copied();
            word.map_or(0, u32::from_le_bytes)
        };
        let address = u64::from(word(field::ADDRESS)) | u64::from(word(field::ADDRESS + 4)) << 32;
        let pipe = Self::new(word(field::MAX_PACKETS), word(field::PACKET_SIZE))?;
        Some(PipeDescriptor { address, ..pipe })
    }

    /// Number of slots: the least power of two above [`Self::max_packets`].
    pub fn slots(self) -> u32 {
        (self.max_packets + 1).next_power_of_two()
    }

    /// Byte offset of the marks in the object.
    ///
    /// A reservation of n packets at position p that is committed before another ahead of it leaves p + n in the mark of p's
    /// slot; whoever completes what stands before takes it away again. A mark says nothing while it minus the position
    /// that it is looked up for is a multiple of the number of slots.
    pub fn marks(self) -> u64 {
        let packets = u64::from(self.slots()) * u64::from(self.packet_size);
        u64::from(place::PACKETS) + packets.next_multiple_of(ALIGN.into())
    }

    /// Bytes of the object, a multiple of [`ALIGN`].
    pub fn object_bytes(self) -> u64 {
        let marks = u64::from(self.slots()) * u64::from(place::MARK_BYTES);
        self.marks() + marks.next_multiple_of(ALIGN.into())
    }

    /// The bytes of an object that holds packets, the oldest first; none if these are not whole packets or too many.
    pub fn object(self, packets: &[u8]) -> Option<Vec<u8>> {
        let count = packets.len() / self.packet_size as usize;
        let whole = packets.len().is_multiple_of(self.packet_size as usize);
        let count = u32::try_from(count).ok().filter(|n| whole && *n <= self.max_packets)?;
        let mut object = vec![0; usize::try_from(self.object_bytes()).ok()?];
        let mut put = |at: u64, n: u32| {
            object[at as usize..][..4].copy_from_slice(&n.to_le_bytes());
        };
        let (writers, readers) = (u64::from(place::WRITERS), u64::from(place::READERS));
        put(writers + u64::from(place::CREDIT), self.max_packets - count);
        put(writers + u64::from(place::NEXT), count);
        put(writers + u64::from(place::DONE), count);
        put(readers + u64::from(place::CREDIT), count);
        for slot in 0..self.slots() {
            let marks = self.marks() + u64::from(slot) * u64::from(place::MARK_BYTES);
            put(marks + u64::from(place::WRITERS_MARK), slot);
            put(marks + u64::from(place::READERS_MARK), slot);
        }
        object[place::PACKETS as usize..][..packets.len()].copy_from_slice(packets);
        Some(object)
    }

    /// The packets that an object holds, the oldest first: those that are committed and not reserved by a reader. None if
    /// the bytes are not an object of this pipe.
    pub fn packets(self, object: &[u8]) -> Option<Vec<u8>> {
        let word = |at: u32| {
            let bytes = object.get(at as usize..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let first = word(place::READERS + place::NEXT)?;
        let count = word(place::WRITERS + place::DONE)?.wrapping_sub(first);
        if count > self.max_packets {
            return None;
        }
        let size = self.packet_size as usize;
        let mut packets = Vec::with_capacity(count as usize * size);
        for k in 0..count {
            let slot = first.wrapping_add(k) & (self.slots() - 1);
            let at = place::PACKETS as usize + slot as usize * size;
            packets.extend_from_slice(object.get(at..at + size)?);
        }
        Some(packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipe(max_packets: u32, packet_size: u32) -> PipeDescriptor {
        PipeDescriptor::new(max_packets, packet_size).expect("such pipes exist")
    }

    #[test]
    fn a_descriptor_has_its_fields_where_they_are_documented() {
        let pipe = PipeDescriptor { address: 0x1234_5678_9ABC_DEF0, ..pipe(0x0403_0201, 24) };
        let bytes = pipe.to_bytes();
        assert_eq!(bytes[..8], 0x1234_5678_9ABC_DEF0u64.to_le_bytes());
        assert_eq!(bytes[8..], [1, 2, 3, 4, 24, 0, 0, 0]);
        assert_eq!(PipeDescriptor::from_bytes(&bytes), Some(pipe));
        assert_eq!(PipeDescriptor::from_bytes(&[0; 16]), None, "a pipe has packets");
    }

    #[test]
    fn there_are_more_slots_than_packets() {
        let slots = |n| pipe(n, 4).slots();
        assert_eq!([1, 3, 4, 15, 16, 1000].map(slots), [2, 4, 8, 16, 32, 1024]);
        assert_eq!(slots(MOST_PACKETS), 1 << 30);
        assert!(PipeDescriptor::new(MOST_PACKETS + 1, 4).is_none());
        assert!(PipeDescriptor::new(0, 4).is_none() && PipeDescriptor::new(4, 0).is_none());
    }

    #[test]
    fn an_object_holds_the_packets_it_was_made_with() {
        let pipe = pipe(3, 3);
        assert_eq!((pipe.marks(), pipe.object_bytes()), (256, 384));
        let object = pipe.object(b"abcdef").expect("two packets");
        assert_eq!(object.len() as u64, pipe.object_bytes());
        // one more can be written, the next is at position 2; two can be read
        assert_eq!(object[..12], [1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(object[64..76], [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(object[128..134], *b"abcdef");
        assert_eq!(object[256 + 24..][..16], [3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(pipe.packets(&object).as_deref(), Some(&b"abcdef"[..]));
        assert!(pipe.object(b"abcd").is_none() && pipe.object(b"abcdefghijkl").is_none());
    }

    #[test]
    fn packets_are_found_behind_the_wrap_of_slots_and_of_positions() {
        let pipe = pipe(3, 1);
        let mut object = pipe.object(b"").expect("no packets");
        object[128..132].copy_from_slice(b"c_ab");
        // positions 2^32 - 2 to 0: slots 2, 3, 0
        object[68..72].copy_from_slice(&(u32::MAX - 1).to_le_bytes());
        object[8..12].copy_from_slice(&1u32.to_le_bytes());
        assert_eq!(pipe.packets(&object).as_deref(), Some(&b"abc"[..]));
        object[8..12].copy_from_slice(&9u32.to_le_bytes());
        assert_eq!(pipe.packets(&object), None, "more than it can hold");
    }
}
