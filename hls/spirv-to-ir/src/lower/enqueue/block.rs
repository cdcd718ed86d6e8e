//! The kernel of a block: its data by value, its local memory.

use super::DATA_ALIGN;
use crate::decode::Id;
use crate::enqueue::BlockData;
use crate::errors::{BAD_OPERAND, R, fail};
use crate::lower::Lower;
use crate::lower::memory::flags;
use crate::types::Kind;
use base::smallvec;
use ir::{KernelArg, KernelArgKind, ObjectData, ObjectKind, Op, Space, Type};
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
        info.args.push(self.data_argument(data, ty)?);
        for (k, &(id, ty)) in locals.iter().enumerate() {
            if class(ty) != Some(StorageClass::Workgroup) {
                return fail(
                    BAD_OPERAND,
                    what("has a parameter that is no pointer to local memory"),
                );
            }
            info.args.push(self.local_argument(k as u32 + 1, id));
        }
        self.b.func.kernel = Some(info);
        Ok(())
    }

    fn data_argument(&mut self, id: Id, ty: Id) -> R<KernelArg> {
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
            let v = self.b.value(Op::Arg { index: 0, offset: offset as u32 }, [], ty);
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
