//! Connected pipes: the pipe's object in device memory stands for the FIFO.

use crate::code::PipeUse;
use crate::memory::Memory;
use abi::PipeDescriptor;
use abi::pipe::{field, place};
use ir::PipeOp;

/// Why an operation on a pipe did not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PipeFault {
    /// There is no packet or no room, and nobody else is there to change that.
    Waits,
    /// The descriptor is that of no pipe object with such packets.
    NoPipe,
}

/// What an operation on a pipe did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tried {
    /// It has changed the pipe.
    Done,
    /// There was no packet or no room, or it only asked how many there are.
    Refused,
    /// Nothing that concerns the pipe.
    Nothing,
}

impl PipeUse {
    /// Executes it; what it gives comes into `regs`. `depth`: most packets that the pipe holds, where that is known: its object may hold more.
    pub(crate) fn run(
        &self,
        memory: &mut Memory<'_>,
        regs: &mut [u64],
        depth: Option<u32>,
    ) -> Result<Tried, PipeFault> {
        let (data, slots) = (self.data as usize, self.slots as usize);
        let happens = self.predicate.is_none_or(|p| regs[p as usize] != 0);
        if !happens {
            if !self.op.writes() {
                regs[data..data + slots].fill(0);
            }
            return Ok(Tried::Nothing);
        }
        let mut object = Object::new(memory, &regs[self.descriptor as usize..])?;
        let writes = self.op.of_writer() == Some(true);
        let side = if writes { place::WRITERS } else { place::READERS };
        let number = self.number.map_or(0, |slot| regs[slot as usize]);
        match self.op {
            PipeOp::TakePacket | PipeOp::TakeRoom => regs[data] = object.take(side)?.into(),
            PipeOp::Most => {
                regs[data] = object.pipe.max_packets.min(depth.unwrap_or(u32::MAX)).into()
            }
            PipeOp::Count => regs[data] = u64::from(object.credit(place::READERS)?),
            PipeOp::WaitPacket | PipeOp::WaitRoom => {
                if !object.take(side)? {
                    return Err(PipeFault::Waits);
                }
            }
            PipeOp::ReservePackets | PipeOp::ReserveRoom => {
                let count = Some(number as u32).filter(|n| depth.is_none_or(|depth| *n <= depth));
                regs[data] = object.reserve(side, count.unwrap_or_default())?;
            }
            PipeOp::ReadAt => load(object.packet_at(number as u32)?, &mut regs[data..data + slots]),
            PipeOp::WriteAt => store(&regs[data..data + slots], object.packet_at(number as u32)?),
            PipeOp::CommitRead | PipeOp::CommitWrite => {
                object.commit_reservation(side, number as u32, (number >> 32) as u32)?;
            }
            op => {
                if op.waits() && !object.take(side)? {
                    return Err(PipeFault::Waits);
                }
                let packet = object.next_packet(side)?;
                match op.reads() {
                    true => load(packet, &mut regs[data..data + slots]),
                    false => store(&regs[data..data + slots], packet),
                }
                object.commit(side)?;
            }
        }
        Ok(match self.op {
            PipeOp::Most => Tried::Nothing,
            PipeOp::Count => Tried::Refused,
            PipeOp::TakePacket
            | PipeOp::TakeRoom
            | PipeOp::ReservePackets
            | PipeOp::ReserveRoom
                if regs[data] == 0 =>
            {
                Tried::Refused
            }
            _ => Tried::Done,
        })
    }

    /// Packets that the pipe holds, and how many it can hold.
    pub(crate) fn occupancy(
        &self,
        memory: &mut Memory<'_>,
        regs: &[u64],
        depth: Option<u32>,
    ) -> Option<(u32, u32)> {
        let [address, max_packets, _] = *regs.get(self.descriptor as usize..)?.first_chunk()?;
        let most = u32::try_from(max_packets).unwrap_or(u32::MAX);
        let (held, _) = crate::polls::occupancy(memory, address, most)?;
        Some((held, crate::polls::told(held, most, depth)))
    }
}

/// Fills registers with the bytes of a packet, and with zeros.
fn load(packet: &[u8], regs: &mut [u64]) {
    regs.fill(0);
    for (reg, bytes) in regs.iter_mut().zip(packet.chunks(8)) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        *reg = u64::from_le_bytes(word);
    }
}

fn store(regs: &[u64], packet: &mut [u8]) {
    for (reg, bytes) in regs.iter().zip(packet.chunks_mut(8)) {
        bytes.copy_from_slice(&reg.to_le_bytes()[..bytes.len()]);
    }
}

/// A pipe object, used by one work-item after the other.
struct Object<'m, 'g> {
    memory: &'m mut Memory<'g>,
    pipe: PipeDescriptor,
}

impl<'m, 'g> Object<'m, 'g> {
    /// From the descriptor's fields in registers of their own.
    fn new(memory: &'m mut Memory<'g>, fields: &[u64]) -> Result<Self, PipeFault> {
        let [address, max_packets, packet_size] = *fields.first_chunk().ok_or(PipeFault::NoPipe)?;
        let number = |n: u64| u32::try_from(n).unwrap_or_default();
        let pipe = PipeDescriptor::new(number(max_packets), number(packet_size));
        let pipe = pipe.ok_or(PipeFault::NoPipe)?;
        Ok(Object { memory, pipe: PipeDescriptor { address, ..pipe } })
    }

    fn bytes(&mut self, offset: u64, size: usize) -> Result<&mut [u8], PipeFault> {
        self.memory.bytes_mut(self.pipe.address + offset, size).ok_or(PipeFault::NoPipe)
    }

    /// Adds to a word; gives what it was.
    fn add(&mut self, word: u32, n: u32) -> Result<u32, PipeFault> {
        let bytes = self.bytes(word.into(), 4)?;
        let old = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
        bytes.copy_from_slice(&old.wrapping_add(n).to_le_bytes());
        Ok(old)
    }

    fn credit(&mut self, side: u32) -> Result<u32, PipeFault> {
        Ok(self.add(side + place::CREDIT, 0)?.cast_signed().max(0).cast_unsigned())
    }

    fn take(&mut self, side: u32) -> Result<bool, PipeFault> {
        let there = self.credit(side)? > 0;
        if there {
            self.add(side + place::CREDIT, u32::MAX)?;
        }
        Ok(there)
    }

    /// The packet of the oldest reservation of a side that was not used.
    fn next_packet(&mut self, side: u32) -> Result<&mut [u8], PipeFault> {
        let position = self.add(side + place::NEXT, 1)?;
        self.packet_at(position)
    }

    fn packet_at(&mut self, position: u32) -> Result<&mut [u8], PipeFault> {
        let slot = position & (self.pipe.slots() - 1);
        let size = self.pipe.packet_size;
        self.bytes(u64::from(place::PACKETS) + u64::from(slot) * u64::from(size), size as usize)
    }

    /// Reserves packets if they are there: first position, and above it their number; else 0.
    fn reserve(&mut self, side: u32, count: u32) -> Result<u64, PipeFault> {
        if count == 0 || count > self.credit(side)? {
            return Ok(0);
        }
        self.add(side + place::CREDIT, count.wrapping_neg())?;
        let start = self.add(side + place::NEXT, count)?;
        Ok(u64::from(count) << 32 | u64::from(start))
    }

    /// Moves the border of what is committed over a reservation and those behind it that were committed before, or leaves a mark
    /// for whoever moves it there: as kernels do whose pipes are in memory, so that both can use one object.
    fn commit_reservation(&mut self, side: u32, start: u32, count: u32) -> Result<(), PipeFault> {
        let end = start.wrapping_add(count);
        let mut border = self.add(side + place::DONE, 0)?;
        if border != start {
            self.add(side + place::MARKS, 1)?;
            return self.set(self.mark(side, start), end);
        }
        let mut next = end;
        loop {
            let moved = next.wrapping_sub(border);
            border = next;
            self.set(u64::from(side + place::DONE), border)?;
            self.add(place::WRITERS + place::READERS - side + place::CREDIT, moved)?;
            let mark = self.mark(side, border);
            next = self.get(mark)?;
            if !(1..self.pipe.slots()).contains(&next.wrapping_sub(border)) {
                return Ok(());
            }
            self.add(side + place::MARKS, u32::MAX)?;
            self.set(mark, border)?;
        }
    }

    /// Where the mark of a position is.
    fn mark(&self, side: u32, position: u32) -> u64 {
        let slot = u64::from(position & (self.pipe.slots() - 1));
        let which = if side == place::WRITERS { place::WRITERS_MARK } else { place::READERS_MARK };
        self.pipe.marks() + slot * u64::from(place::MARK_BYTES) + u64::from(which)
    }

    fn get(&mut self, offset: u64) -> Result<u32, PipeFault> {
        Ok(self.bytes(offset, 4)?.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)))
    }

    fn set(&mut self, offset: u64, n: u32) -> Result<(), PipeFault> {
        self.bytes(offset, 4)?.copy_from_slice(&n.to_le_bytes());
        Ok(())
    }

    /// The other side may use what this one has used.
    fn commit(&mut self, side: u32) -> Result<(), PipeFault> {
        let other = place::WRITERS + place::READERS - side;
        self.add(side + place::DONE, 1)?;
        self.add(other + place::CREDIT, 1)?;
        Ok(())
    }
}

/// Offsets and bytes of the descriptor's fields, in the order in which registers hold them.
pub(crate) const FIELDS: [(u32, u32); 3] =
    [(field::ADDRESS, 8), (field::MAX_PACKETS, 4), (field::PACKET_SIZE, 4)];
