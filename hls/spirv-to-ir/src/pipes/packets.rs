//! Which packets go through a pipe parameter. A pipe's type does not say: the instructions that use the pipe do.

use crate::decode::{Id, Inst};
use crate::errors::{BAD_OPERAND, R, error, fail};
use crate::module::Spv;
use crate::types::Kind;
use abi::pipe::MOST_PACKET_BYTES;
use base::{FxHashMap, FxHashSet};
use rspirv::spirv::Op;

/// Bytes and alignment of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packet {
    pub size: u32,
    pub align: u32,
}

/// The packets of pipes, by any id of the pipe.
///
/// Ids that may stand for one pipe form a class: what a pipe is copied to, variables that hold it, parameters that get it.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    /// The next id of a class, up to the one that stands for it.
    next: FxHashMap<Id, Id>,
    /// By the id that stands for the class.
    packets: FxHashMap<Id, Packet>,
    /// Which parameters of functions a pipe is passed to.
    passed: FxHashMap<Id, Vec<Id>>,
    /// Pipes some of whose packets an instruction reserves.
    reserved: FxHashSet<Id>,
}

/// Where a pipe instruction has its pipe and the size and alignment of packets, as operand numbers.
pub(crate) fn operands(op: Op) -> Option<(usize, usize)> {
    use Op::*;
    Some(match op {
        ReadPipe | WritePipe | ReserveReadPipePackets | ReserveWritePipePackets => (0, 2),
        ReadPipeBlockingALTERA | WritePipeBlockingALTERA => (0, 2),
        ReservedReadPipe | ReservedWritePipe => (0, 4),
        CommitReadPipe | CommitWritePipe => (0, 2),
        GetNumPipePackets | GetMaxPipePackets => (0, 1),
        GroupReserveReadPipePackets | GroupReserveWritePipePackets => (1, 3),
        GroupCommitReadPipe | GroupCommitWritePipe => (1, 3),
        _ => return None,
    })
}

/// Whether a pipe instruction makes, uses or commits a reservation.
fn is_about_reservations(op: Op) -> bool {
    use Op::*;
    let alone = matches!(
        op,
        ReadPipe
            | WritePipe
            | ReadPipeBlockingALTERA
            | WritePipeBlockingALTERA
            | GetNumPipePackets
            | GetMaxPipePackets
    );
    operands(op).is_some() && !alone
}

/// The operands from `k` on: size and alignment.
pub(crate) fn packet(spv: &Spv, inst: &Inst, k: usize) -> R<Packet> {
    let number = |k: usize| -> R<u32> {
        let n = spv.consts.integer(inst.arg(k)?)?;
        Ok(u32::try_from(n).unwrap_or(u32::MAX))
    };
    let (size, align) = (number(k)?, number(k + 1)?);
    if !(1..=MOST_PACKET_BYTES).contains(&size) {
        let what = format!(
            "{}: packets of {size} bytes; 1 to {MOST_PACKET_BYTES} are possible",
            inst.name()
        );
        return fail(BAD_OPERAND, what);
    }
    // Packets stand one after the other in an aligned object.
    let natural = 1 << size.trailing_zeros().min(7);
    let align = if align.is_power_of_two() { align.min(natural) } else { 1 };
    Ok(Packet { size, align })
}

impl Packets {
    /// Of all pipes of a module.
    ///
    /// # Errors
    /// If one is used with packets of two sizes.
    pub fn of(spv: &Spv) -> R<Self> {
        let mut found = Packets::default();
        let is_pipe = |id: Id| {
            let ty = spv.type_of(id).and_then(|ty| spv.types.get(ty));
            ty.is_ok_and(|t| matches!(t.kind, Kind::Pipe { .. }))
        };
        for inst in &spv.insts {
            match inst.op {
                Op::FunctionCall => {
                    let callee = spv.functions.get(&spv.definition(inst.arg(0)?));
                    let params = callee.map_or(&[][..], |f| &f.params);
                    for (&(param, _), &arg) in params.iter().zip(&inst.args[1..]) {
                        if is_pipe(arg) {
                            found.join(param, arg);
                            found.passed.entry(arg).or_default().push(param);
                        }
                    }
                }
                Op::Store if is_pipe(inst.arg(1)?) => found.join(inst.arg(0)?, inst.arg(1)?),
                Op::Load if inst.result.is_some_and(is_pipe) => {
                    found.join(inst.result()?, inst.arg(0)?);
                }
                Op::Phi | Op::Select | Op::CopyObject if inst.result.is_some_and(is_pipe) => {
                    for &arg in inst.args.iter().filter(|arg| is_pipe(**arg)) {
                        found.join(inst.result()?, arg);
                    }
                }
                _ => {}
            }
        }
        for inst in &spv.insts {
            let Some((pipe, size)) = operands(inst.op) else { continue };
            let packet = packet(spv, inst, size)?;
            found.add(spv, inst.arg(pipe)?, packet)?;
            if is_about_reservations(inst.op) {
                found.reserved.insert(inst.arg(pipe)?);
            }
        }
        Ok(found)
    }

    /// Whether packets of a pipe are reserved, here or in a function that gets it.
    pub fn are_reserved(&self, pipe: Id) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![pipe]);
        while let Some(id) = open.pop() {
            if self.reserved.contains(&id) {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.passed.get(&id).into_iter().flatten());
            }
        }
        false
    }

    /// The packets of a pipe; none if it is not used for any.
    pub fn get(&self, pipe: Id) -> Option<Packet> {
        self.packets.get(&self.root(pipe)).copied()
    }

    fn root(&self, mut id: Id) -> Id {
        while let Some(&next) = self.next.get(&id) {
            id = next;
        }
        id
    }

    fn join(&mut self, a: Id, b: Id) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.next.insert(a, b);
        }
    }

    fn add(&mut self, spv: &Spv, pipe: Id, packet: Packet) -> R<()> {
        let root = self.root(pipe);
        match self.packets.insert(root, packet) {
            Some(other) if other.size != packet.size => Err(error(
                BAD_OPERAND,
                format!(
                    "pipe {} has packets of {} and of {} bytes",
                    spv.describe(pipe),
                    other.size,
                    packet.size
                ),
            )),
            Some(other) => {
                let align = other.align.min(packet.align);
                self.packets.insert(root, Packet { align, ..packet });
                Ok(())
            }
            None => Ok(()),
        }
    }
}
