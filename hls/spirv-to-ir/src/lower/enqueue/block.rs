//! The kernel of a block: its data by value, its local memory, what it has captured by descriptors.

use super::DATA_ALIGN;
use crate::decode::Id;
use crate::enqueue::BlockData;
use crate::errors::{BAD_OPERAND, R, fail};
use crate::lower::Lower;
use crate::lower::memory::flags;
use crate::types::Kind;
use base::smallvec;
use ir::{KernelArg, KernelArgKind, ObjectData, ObjectKind, Op, PipeAccess, Space, Type, Value};
use rspirv::spirv::StorageClass;

/// Bytes of a piece of data whose structure is not known.
const PIECE: u32 = 8;

impl Lower<'_, '_, '_> {
    /// The parameters of a block's function: its data, by value, in a private object that they point to, and pointers to
    /// local memory.
    pub(in crate::lower) fn block_parameters(&mut self) -> R<()> {
        let spv = self.spv;
        let what = |why: &str| format!("{}, which is enqueued, {why}", spv.describe(self.raw.id));
        if !self.is_void(self.raw.result) {
            return fail(BAD_OPERAND, what("has a result"));
        }
        let Some((&(data, ty), locals)) = self.raw.params.split_first() else {
            return fail(BAD_OPERAND, what("has no parameter for the block's data"));
        };
        let mut info = spv.modes.get(&self.raw.id).cloned().unwrap_or_default();
        info.enqueued = true;
        let class = |ty: Id| match spv.types.get(ty).map(|t| &t.kind) {
            Ok(Kind::Pointer { class, .. }) => Some(*class),
            _ => None,
        };
        if !matches!(class(ty), Some(StorageClass::Generic | StorageClass::Function)) {
            return fail(
                BAD_OPERAND,
                what("takes the block's data other than by a generic pointer"),
            );
        }
        let captured = self.captured_arguments()?;
        let addresses: Vec<_> = captured.iter().map(|(offset, _, at)| (*offset, *at)).collect();
        info.args.push(self.data_argument(data, ty, &addresses)?);
        for (k, &(id, ty)) in locals.iter().enumerate() {
            if class(ty) != Some(StorageClass::Workgroup) {
                return fail(
                    BAD_OPERAND,
                    what("has a parameter that is no pointer to local memory"),
                );
            }
            info.args.push(self.local_argument(k as u32 + 1, id));
        }
        info.args.extend(captured.into_iter().map(|(_, arg, _)| arg));
        self.b.func.kernel = Some(info);
        Ok(())
    }

    /// The images and pipes among the block's data, which are arguments of their own behind all others: the place in the
    /// data, the argument, and the address of the descriptor, which is what the data hold.
    fn captured_arguments(&mut self) -> R<Vec<(u64, KernelArg, Value)>> {
        let data = self.link.block_data(self.raw.id)?;
        let members = self.spv.captured(data)?;
        let mut found = vec![];
        for (k, member) in members.iter().enumerate() {
            let index = (self.raw.params.len() + k) as u32;
            let (arg, value) = match self.spv.types.get(member.ty)?.kind {
                Kind::Image(image) => {
                    let arg = self.captured_argument("image", index);
                    let format = self.link.format(&self.b.func.name, index, Some(&arg.name));
                    self.image_argument(arg, index, image, format)
                }
                Kind::Pipe { writes } => {
                    let arg = self.captured_argument("pipe", index);
                    let alone = members.iter().filter(|m| m.ty == member.ty).count() == 1;
                    let packet = self.captured_packet(member.offset)?;
                    let access =
                        PipeAccess { writes, packet, connected: None, limit: None, channel: false };
                    self.pipe_argument(arg, index, access, alone)
                }
                _ => continue,
            };
            found.push((member.offset, arg, value[0]));
        }
        Ok(found)
    }

    /// Bytes of a packet of the pipe at a place of the block's data, where they are known.
    fn captured_packet(&mut self, offset: u64) -> R<Option<u32>> {
        let data = self.raw.params.first().map(|(data, _)| *data);
        let packets = self.link.packets()?;
        Ok(data.and_then(|data| packets.captured(data, offset)).map(|packet| packet.size))
    }

    /// An argument that has no name in the source.
    fn captured_argument(&self, what: &str, index: u32) -> KernelArg {
        KernelArg {
            name: format!("{what}{index}"),
            type_name: String::new(),
            kind: KernelArgKind::Value(None),
            size: 0,
            align: 1,
            restrict: false,
            no_write: false,
            no_read: false,
        }
    }

    /// `captured`: what the data hold at these places instead of bytes of the argument.
    fn data_argument(&mut self, id: Id, ty: Id, captured: &[(u64, Value)]) -> R<KernelArg> {
        let data = self.link.block_data(self.raw.id)?;
        let object = self.b.func.objects.push(ObjectData {
            name: "block".into(),
            space: Space::Private,
            size: data.bytes.max(1).into(),
            align: DATA_ALIGN,
            kind: ObjectKind::Variable,
            loc: self.b.func.loc,
        });
        let at = self.b.obj_addr(object);
        for (ty, offset) in self.pieces(data)? {
            let v = match captured.iter().find(|(place, _)| *place == offset) {
                Some((_, address)) => *address,
                None => self.b.value(Op::Arg { index: 0, offset: offset as u32 }, [], ty),
            };
            let place = self.at_offset(at, offset);
            self.b.store(place, v, flags(Default::default(), DATA_ALIGN, offset));
        }
        let pointer = self.space_cast(at, self.spv.types.ir(ty)?)?;
        self.define(id, smallvec![pointer]);
        Ok(KernelArg {
            name: "block".into(),
            type_name: String::new(),
            kind: KernelArgKind::Value(None),
            size: data.bytes.max(1),
            align: 1,
            restrict: false,
            no_write: false,
            no_read: false,
        })
    }

    /// The parts of a block's data, each with its type and place.
    pub(super) fn pieces(&self, data: BlockData) -> R<Vec<(Type, u64)>> {
        if let Some(ty) = data.layout {
            let leaves = self.spv.types.leaves(ty)?;
            return Ok(leaves.iter().map(|l| (l.memory, l.offset)).collect());
        }
        let (mut pieces, mut at) = (vec![], 0);
        while at < data.bytes {
            let left = data.bytes - at;
            let bytes = if left >= PIECE { PIECE } else { 1 << left.ilog2() };
            pieces.push((Type::int(8 * bytes), at.into()));
            at += bytes;
        }
        Ok(pieces)
    }

    fn local_argument(&mut self, index: u32, id: Id) -> KernelArg {
        let spv = self.spv;
        let given = spv.names.get(&id).filter(|name| !name.is_empty());
        let name = given.cloned().unwrap_or_else(|| format!("local{index}"));
        let object = self.b.func.objects.push(ObjectData {
            name: name.clone(),
            space: Space::Local,
            size: 0,
            align: DATA_ALIGN,
            kind: ObjectKind::LocalArg(index),
            loc: self.b.func.loc,
        });
        let pointer = self.b.obj_addr(object);
        self.define(id, smallvec![pointer]);
        KernelArg {
            name,
            type_name: String::new(),
            kind: KernelArgKind::LocalPointer,
            size: spv.types.addr_bits / 8,
            align: DATA_ALIGN,
            restrict: false,
            no_write: false,
            no_read: false,
        }
    }
}
