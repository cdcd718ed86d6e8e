//! Which packets go through a pipe parameter. A pipe's type does not say: the instructions that use the pipe do.

use crate::chain;
use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::enqueue::INVOKE;
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

/// Where a pipe is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    /// A value.
    Id(Id),
    /// Memory, this many bytes behind where a pointer or a variable leads.
    Memory(Id, u64),
}

/// The packets of pipes, by any id of the pipe.
///
/// Ids that may stand for one pipe form a class: what a pipe is copied to, variables that hold it, parameters that get it,
/// the data of blocks that capture it, the storage that it is made of.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    /// The next member of a class, up to the one that stands for it.
    next: FxHashMap<Holder, Holder>,
    /// By the one that stands for the class.
    packets: FxHashMap<Holder, Packet>,
    /// Where a pipe goes: to parameters of functions, phis and the like, memory and out of it.
    passed: FxHashMap<Holder, Vec<Holder>>,
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
    /// If one is used with packets of two sizes, or with others than its storage is for.
    pub fn of(spv: &Spv) -> R<Self> {
        let mut found = Packets::default();
        let places = Places::of(spv)?;
        let kept = Kept::of(spv)?;
        for storage in &kept.storages {
            found.join(Holder::Memory(storage.variable, storage.offset), Holder::Id(storage.id));
        }
        let is_pipe = |id: Id| {
            let ty = spv.type_of(id).and_then(|ty| spv.types.get(ty));
            ty.is_ok_and(|t| matches!(t.kind, Kind::Pipe { .. } | Kind::PipeStorage))
        };
        for inst in &spv.insts {
            match inst.op {
                Op::FunctionCall => {
                    let callee = spv.functions.get(&spv.definition(inst.arg(0)?));
                    let params = callee.map_or(&[][..], |f| &f.params);
                    for (&(param, _), &arg) in params.iter().zip(&inst.args[1..]) {
                        if is_pipe(arg) {
                            found.pass(Holder::Id(arg), Holder::Id(param));
                        }
                    }
                }
                Op::Store if is_pipe(inst.arg(1)?) => {
                    found.pass(Holder::Id(inst.arg(1)?), places.at(inst.arg(0)?, 0));
                }
                Op::Load if inst.result.is_some_and(is_pipe) => {
                    found.pass(places.at(inst.arg(0)?, 0), Holder::Id(inst.result()?));
                    for storage in kept.perhaps_at(&places, inst.arg(0)?) {
                        found.pass(Holder::Id(storage), Holder::Id(inst.result()?));
                    }
                }
                Op::CompositeExtract if inst.result.is_some_and(is_pipe) => {
                    if let Some(place) = places.part(inst) {
                        found.pass(place, Holder::Id(inst.result()?));
                    }
                }
                Op::CreatePipeFromPipeStorage => {
                    found.pass(Holder::Id(inst.arg(0)?), Holder::Id(inst.result()?));
                }
                Op::EnqueueKernel => found.join_captured(&places, inst)?,
                Op::Phi | Op::Select | Op::CopyObject if inst.result.is_some_and(is_pipe) => {
                    for &arg in inst.args.iter().filter(|arg| is_pipe(**arg)) {
                        found.pass(Holder::Id(arg), Holder::Id(inst.result()?));
                    }
                }
                _ => {}
            }
        }
        for inst in spv.insts.iter().filter(|inst| inst.op == Op::ConstantPipeStorage) {
            let packet = Packet { size: inst.arg(0)?, align: inst.arg(1)? };
            found.add(spv, inst.result()?, packet)?;
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

    /// What a block has captured is in its data inside and outside.
    fn join_captured(&mut self, places: &Places, inst: &Inst) -> R<()> {
        let spv = places.spv;
        let invoke = spv.functions.get(&spv.definition(inst.arg(INVOKE)?));
        let Some(&(data, _)) = invoke.and_then(|f| f.params.first()) else { return Ok(()) };
        // What is wrong with a block's data is told where it is enqueued.
        let captured = spv.literal(inst).and_then(|data| spv.captured(data));
        for member in captured.unwrap_or_default() {
            let inside = Holder::Memory(data, member.offset);
            self.join(inside, places.at(data, member.offset));
            self.join(inside, places.at(inst.arg(INVOKE + 1)?, member.offset));
        }
        Ok(())
    }

    /// Whether packets of a pipe are reserved, here or in a function that gets it.
    pub fn are_reserved(&self, pipe: Id) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![Holder::Id(pipe)]);
        while let Some(holder) = open.pop() {
            if matches!(holder, Holder::Id(id) if self.reserved.contains(&id)) {
                return true;
            }
            if seen.insert(holder) {
                open.extend(self.passed.get(&holder).into_iter().flatten());
            }
        }
        false
    }

    /// The packets of a pipe; none if it is not used for any.
    pub fn get(&self, pipe: Id) -> Option<Packet> {
        self.packets.get(&self.root(Holder::Id(pipe))).copied()
    }

    /// The packets of a pipe that a block has captured, by the parameter for the block's data and the place in them; none
    /// if it is not used for any, or where that cannot be told.
    pub fn captured(&self, data: Id, offset: u64) -> Option<Packet> {
        self.packets.get(&self.root(Holder::Memory(data, offset))).copied()
    }

    fn root(&self, mut holder: Holder) -> Holder {
        while let Some(&next) = self.next.get(&holder) {
            holder = next;
        }
        holder
    }

    /// A pipe goes from one place to another.
    fn pass(&mut self, from: Holder, to: Holder) {
        self.join(to, from);
        self.passed.entry(from).or_default().push(to);
    }

    fn join(&mut self, a: Holder, b: Holder) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.next.insert(a, b);
        }
    }

    fn add(&mut self, spv: &Spv, pipe: Id, packet: Packet) -> R<()> {
        let root = self.root(Holder::Id(pipe));
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

/// Most steps from a pointer back to what it was made of.
const MOST_STEPS: u32 = 64;

/// Where pointers lead, as far as constant offsets say.
struct Places<'a> {
    spv: &'a Spv<'a>,
    /// Parameters that always get one pointer, with that one; none where they get several.
    given: FxHashMap<Id, Option<(Id, u64)>>,
}

impl<'a> Places<'a> {
    fn of(spv: &'a Spv<'a>) -> R<Self> {
        let mut places = Places { spv, given: FxHashMap::default() };
        let mut given: FxHashMap<Id, Option<(Id, u64)>> = FxHashMap::default();
        for inst in spv.insts.iter().filter(|inst| inst.op == Op::FunctionCall) {
            let callee = spv.functions.get(&spv.definition(inst.arg(0)?));
            let params = callee.map_or(&[][..], |f| &f.params);
            for (&(param, ty), &arg) in params.iter().zip(&inst.args[1..]) {
                if matches!(spv.types.get(ty)?.kind, Kind::Pointer { .. }) {
                    let place = places.trace(arg, 0);
                    let known = given.entry(param).or_insert(Some(place));
                    *known = known.filter(|other| *other == place);
                }
            }
        }
        places.given = given;
        Ok(places)
    }

    /// What is held this many bytes behind where a pointer leads.
    fn at(&self, pointer: Id, offset: u64) -> Holder {
        let (object, offset) = self.trace(pointer, offset);
        Holder::Memory(object, offset)
    }

    /// The object, or the pointer of which no more is known, and the offset.
    fn trace(&self, mut pointer: Id, mut offset: u64) -> (Id, u64) {
        for _ in 0..MOST_STEPS {
            let Some((from, bytes)) = self.step(pointer) else { break };
            (pointer, offset) = (from, offset.wrapping_add(bytes));
        }
        (pointer, offset)
    }

    fn step(&self, pointer: Id) -> Option<(Id, u64)> {
        if let Some(given) = self.given.get(&pointer) {
            return *given;
        }
        let (from, offset) = self.chain(pointer)?;
        offset.terms.is_empty().then_some((from, offset.bytes))
    }

    /// Where the part of a value that an instruction takes stands, where the value was loaded whole.
    fn part(&self, inst: &Inst) -> Option<Holder> {
        let (spv, whole) = (self.spv, *inst.args.first()?);
        let loaded = spv.def_inst(whole).filter(|loaded| loaded.op == Op::Load)?;
        let indices: Vec<_> = inst.args[1..].iter().map(|k| Some(i128::from(*k))).collect();
        let (ty, part) = (spv.type_of(whole).ok()?, inst.ty().ok()?);
        let offset = chain::offset(&spv.types, ty, false, &indices, part).ok()?;
        Some(self.at(*loaded.args.first()?, offset.bytes))
    }

    /// The pointer that another one was made of, and how far it is behind that.
    fn chain(&self, pointer: Id) -> Option<(Id, chain::Offset)> {
        let spv = self.spv;
        let inst = spv.def_inst(pointer)?;
        let from = *inst.args.first()?;
        let element = match inst.op {
            Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::CopyObject => {
                return Some((from, chain::Offset::default()));
            }
            Op::AccessChain | Op::InBoundsAccessChain => false,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => true,
            _ => return None,
        };
        let types = &spv.types;
        let pointee = |id: Id| types.pointee(spv.type_of(id).ok()?).ok();
        let indices: Vec<_> = inst.args[1..].iter().map(|i| spv.consts.signed(*i, types)).collect();
        let (whole, part) = (pointee(from)?, pointee(pointer)?);
        let offset = chain::offset(types, whole, element, &indices, part).ok()?;
        Some((from, offset))
    }
}

/// A pipe's storage in the initial value of a variable.
struct KeptStorage {
    variable: Id,
    /// Bytes from the variable's beginning.
    offset: u64,
    /// The constant.
    id: Id,
}

/// The storages of pipes in variables of the module.
#[derive(Default)]
struct Kept {
    storages: Vec<KeptStorage>,
}

impl Kept {
    fn of(spv: &Spv) -> R<Self> {
        let mut kept = Kept::default();
        // Modules have few storages of pipes, and large tables.
        if spv.insts.iter().any(|inst| inst.op == Op::ConstantPipeStorage) {
            let mut variables: Vec<(Id, Id)> =
                spv.variables.iter().filter_map(|(id, v)| Some((*id, v.init?))).collect();
            variables.sort_unstable();
            for (variable, init) in variables {
                kept.add(spv, variable, init, 0)?;
            }
        }
        Ok(kept)
    }

    fn add(&mut self, spv: &Spv, variable: Id, id: Id, offset: u64) -> R<()> {
        let Some(info) = spv.consts.get(id) else { return Ok(()) };
        match &info.value {
            Const::PipeStorage(_) => self.storages.push(KeptStorage { variable, offset, id }),
            Const::Composite(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let behind = match &spv.types.get(info.ty)?.kind {
                        Kind::Array { stride, .. } => stride * k as u64,
                        Kind::Struct { members, .. } => members.get(k).map_or(0, |m| m.offset),
                        _ => continue,
                    };
                    self.add(spv, variable, *part, offset + behind)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The storages that a pointer may lead to whose place depends on indices.
    fn perhaps_at(&self, places: &Places, pointer: Id) -> Vec<Id> {
        let (mut base, mut first, mut step) = (pointer, 0u64, 0u64);
        for _ in 0..MOST_STEPS {
            let (from, offset) = match places.step(base) {
                Some((from, bytes)) => (from, chain::Offset { bytes, terms: vec![] }),
                None => match places.chain(base) {
                    Some(known) => known,
                    None => break,
                },
            };
            (base, first) = (from, first.wrapping_add(offset.bytes));
            step = offset.terms.iter().fold(step, |step, (_, scale)| gcd(step, *scale));
        }
        let fits = |s: &&KeptStorage| {
            s.variable == base && step > 0 && s.offset.abs_diff(first).is_multiple_of(step)
        };
        self.storages.iter().filter(fits).map(|s| s.id).collect()
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
