//! Images and pipes as values: the fields of a descriptor or, in modules whose blocks capture some, its address in
//! private memory. The optimiser makes values of such memory, as of all private memory.

use super::{Leaves, Lower};
use crate::constants::Const;
use crate::decode::Inst;
use crate::errors::{R, UNSUPPORTED, error};
use crate::types::PIPE_FIELDS;
use abi::{ImageDescriptor, PipeDescriptor};
use base::smallvec;
use ir::{MemFlags, ObjectData, ObjectKind, Space, Type, Value};

/// Alignment of every descriptor in memory.
const ALIGN: u32 = ImageDescriptor::ALIGN;
const _: () = assert!(ALIGN == PipeDescriptor::ALIGN);

impl Lower<'_, '_, '_> {
    /// An image or a pipe, by the values of its descriptor's fields.
    pub(super) fn descriptor_value(
        &mut self,
        name: &str,
        bytes: u32,
        fields: &[(Type, u32)],
        values: Leaves,
    ) -> Leaves {
        if !self.spv.types.addressed {
            return values;
        }
        let object = self.b.func.objects.push(ObjectData {
            name: name.into(),
            space: Space::Private,
            size: bytes.into(),
            align: ALIGN,
            kind: ObjectKind::Variable,
            loc: self.b.loc.or(self.b.func.loc),
        });
        let at = self.b.obj_addr(object);
        self.store_fields(at, fields, &values);
        smallvec![at]
    }

    /// The values of fields of the descriptor that an image or a pipe is.
    pub(super) fn descriptor_fields(&mut self, leaves: &[Value], fields: &[(Type, u32)]) -> Leaves {
        match *leaves {
            [at] if self.spv.types.addressed => self.load_fields(at, fields),
            _ => Leaves::from_slice(leaves),
        }
    }

    /// Loads fields of the descriptor at an address.
    pub(super) fn load_fields(&mut self, at: Value, fields: &[(Type, u32)]) -> Leaves {
        let load = |&(ty, offset): &(Type, u32)| {
            let place = self.at_offset(at, offset.into());
            self.b.load(ty, place, field_flags(offset))
        };
        fields.iter().map(load).collect()
    }

    /// Stores fields of the descriptor at an address, a multiple of 8.
    pub(super) fn store_fields(&mut self, at: Value, fields: &[(Type, u32)], values: &[Value]) {
        for (&(_, offset), &value) in fields.iter().zip(values) {
            let place = self.at_offset(at, offset.into());
            self.b.store(place, value, field_flags(offset));
        }
    }

    /// `OpCreatePipeFromPipeStorage`
    pub(super) fn pipe_from_storage(&mut self, inst: &Inst) -> R<()> {
        if !self.spv.types.addressed {
            return self.copy_object(inst);
        }
        // What is made again and again has one place for its descriptor: it must always be the same pipe.
        let storage = self.spv.consts.get(inst.arg(0)?).map(|c| &c.value);
        let Some(&Const::PipeStorage(pipe)) = storage else {
            let what = "a pipe is made of a pipe storage that is not constant, in a module whose blocks capture images, samplers or pipes";
            return Err(error(UNSUPPORTED, what));
        };
        let mut values = self.leaves(inst.arg(0)?)?;
        values.push(self.b.constant(Type::I32, pipe.packet_size.into()));
        let value = self.descriptor_value("pipe", PipeDescriptor::BYTES, &PIPE_FIELDS, values);
        self.set_all(inst, value)
    }
}

fn field_flags(offset: u32) -> MemFlags {
    MemFlags::aligned(if offset.is_multiple_of(ALIGN) { ALIGN } else { 4 })
}
