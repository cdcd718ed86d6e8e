//! Parameters: kernel arguments, and parameters of other functions.

use super::pipe_value::{Limit, PipeValue, Shape};
use super::{Leaves, Lower, Val};
use crate::decode::Id;
use crate::errors::{BAD_OPERAND, R, TOO_LARGE, fail};
use crate::types::{Kind, space};
use abi::ImageFormat;
use base::smallvec;
use ir::{
    KernelArg, KernelArgKind, MemFlags, ObjectData, ObjectKind, Op, PipeAccess, Space, Type, Value,
};
use rspirv::spirv::StorageClass;
use std::rc::Rc;

/// Largest argument passed by value, in bytes.
const MAX_ARGUMENT: u64 = 1 << 16;

/// What the user has said of a kernel's argument.
#[derive(Clone, Copy)]
struct Known {
    /// Most packets of a connected pipe.
    depth: Option<u32>,
    /// The format of all images.
    format: Option<ImageFormat>,
}

impl Lower<'_, '_, '_> {
    /// Describes the kernel and defines its parameters by `arg` operations.
    pub(super) fn kernel_parameters(&mut self, entry: usize) -> R<()> {
        let spv = self.spv;
        let entry = &spv.entry_points[entry];
        if !self.is_void(self.raw.result) {
            return fail(BAD_OPERAND, format!("kernel `{}` has a result", entry.name));
        }
        let mut info = spv.modes.get(&self.raw.id).cloned().unwrap_or_default();
        let types = self.metadata("kernel_arg_type", &entry.name);
        let names = self.metadata("kernel_arg_name", &entry.name);
        let qualifiers = self.metadata("kernel_arg_type_qual", &entry.name);
        for (k, &(id, ty)) in self.raw.params.iter().enumerate() {
            let index = k as u32;
            let given = spv.names.get(&id).filter(|n| !n.is_empty()).or(names.get(k));
            let given = given.map(String::as_str);
            let depth = self.link.connection(&entry.name, index, given);
            let format = match spv.types.get(ty)?.kind {
                Kind::Image(_) => self.link.format(&entry.name, index, given),
                _ => None,
            };
            let mut arg = self.argument(index, id, ty, Known { depth, format })?;
            // The types of images and samplers say more than their names do.
            if arg.type_name.is_empty() {
                arg.type_name = types.get(k).cloned().unwrap_or_default();
            }
            if arg.name.is_empty() {
                arg.name = names.get(k).cloned().unwrap_or_default();
            }
            arg.restrict |= qualifiers.get(k).is_some_and(|q| q.contains("restrict"));
            info.args.push(arg);
        }
        self.b.func.kernel = Some(info);
        Ok(())
    }

    /// The list that llvm-spirv writes as `OpString "<key>.<kernel>.<item>,<item>,"`.
    fn metadata(&self, key: &str, kernel: &str) -> Vec<String> {
        let prefix = format!("{key}.{kernel}.");
        let mut found: Vec<(&Id, &str)> = self
            .spv
            .strings
            .iter()
            .filter_map(|(id, s)| Some((id, s.strip_prefix(&prefix)?)))
            .collect();
        found.sort();
        let Some((_, list)) = found.first() else { return vec![] };
        list.strip_suffix(',').unwrap_or(list).split(',').map(str::to_owned).collect()
    }

    fn argument(&mut self, index: u32, id: Id, ty: Id, known: Known) -> R<KernelArg> {
        let spv = self.spv;
        let deco = spv.deco.of(id);
        let name = spv.names.get(&id).cloned().unwrap_or_default();
        let info = spv.types.get(ty)?;
        let mut arg = KernelArg {
            name,
            type_name: String::new(),
            kind: KernelArgKind::Value(None),
            size: spv.types.addr_bits / 8,
            align: 0,
            restrict: deco.restrict,
            no_write: deco.no_write,
            no_read: deco.no_read,
        };
        if let Some(depth) = known.depth {
            self.check_connected(&arg, id, ty)?;
            if !self.link.fifos_in_memory {
                return self.connected_argument(arg, index, id, ty, depth);
            }
        }
        let (class, pointee) = match info.kind {
            Kind::Pointer { class, pointee } => (class, pointee),
            Kind::Image(image) => {
                let (arg, value) = self.image_argument(arg, index, image, known.format);
                self.define(id, value);
                return Ok(arg);
            }
            Kind::Sampler => return Ok(self.sampler_argument(arg, index, id)),
            Kind::Queue => {
                let arg = self.value_argument(arg, index, id, ty)?;
                return Ok(KernelArg { kind: KernelArgKind::Queue, ..arg });
            }
            Kind::Pipe { writes } => {
                let packet = self.link.packets()?.get(id).map(|packet| packet.size);
                // A kernel cannot write a pipe that it also reads.
                let alone = self.raw.params.iter().filter(|(_, other)| *other == ty).count() == 1;
                let channel = deco.channel;
                let access =
                    PipeAccess { writes, packet, connected: None, limit: known.depth, channel };
                let (arg, value) = self.pipe_argument(arg, index, access, alone);
                match access.most() {
                    Some(most) => {
                        let pipe = PipeValue::memory(value, Limit::Most(most));
                        self.vals.insert(id, Val::Pipe(pipe));
                    }
                    None => self.define(id, value),
                }
                return Ok(arg);
            }
            _ => return self.value_argument(arg, index, id, ty),
        };
        if class == StorageClass::Function {
            return self.by_value_pointer(arg, index, id, pointee);
        }
        let space = space(class)?;
        arg.align = deco.alignment.filter(|a| a.is_power_of_two()).unwrap_or_else(|| {
            // Pointers to bytes are what producers make of a pointer whose type they lost.
            spv.types.get(pointee).map_or(0, |t| if t.size > 1 { t.align } else { 0 })
        });
        let value = match space {
            Space::Global | Space::Constant => {
                arg.kind = KernelArgKind::Pointer(space);
                self.b.value(Op::Arg { index, offset: 0 }, [], Type::ptr(space))
            }
            Space::Local => {
                arg.kind = KernelArgKind::LocalPointer;
                let object = self.b.func.objects.push(ObjectData {
                    name: arg.name.clone(),
                    space,
                    size: 0,
                    align: arg.align.clamp(16, 1 << 16),
                    kind: ObjectKind::LocalArg(index),
                    loc: self.b.func.loc,
                });
                self.b.obj_addr(object)
            }
            _ => {
                return fail(
                    BAD_OPERAND,
                    format!(
                        "kernel argument {} points to {} memory",
                        spv.describe(id),
                        space.name()
                    ),
                );
            }
        };
        self.vals.insert(id, Val::Leaves(smallvec![value]));
        Ok(arg)
    }

    fn value_argument(&mut self, mut arg: KernelArg, index: u32, id: Id, ty: Id) -> R<KernelArg> {
        let types = &self.spv.types;
        types.need_memory(ty)?;
        let info = types.get(ty)?;
        (arg.size, arg.align) = (argument_size(info.size)?, info.align);
        let leaves = types.leaves(ty)?;
        if !self.is_aggregate(ty) {
            arg.kind = KernelArgKind::Value(leaves.first().map(|l| l.memory));
        }
        let mut values = Leaves::new();
        for leaf in leaves {
            let offset = leaf.offset as u32;
            let v = self.b.value(Op::Arg { index, offset }, [], leaf.memory);
            values.push(self.loaded(v, leaf.ty));
        }
        self.vals.insert(id, Val::Leaves(values));
        Ok(arg)
    }

    /// A structure passed as a pointer to the kernel's own copy: a private object that starts
    /// with the argument's bytes.
    fn by_value_pointer(
        &mut self,
        mut arg: KernelArg,
        index: u32,
        id: Id,
        pointee: Id,
    ) -> R<KernelArg> {
        let types = &self.spv.types;
        types.need_memory(pointee)?;
        let info = types.get(pointee)?;
        let align = crate::link::alignment(self.spv.deco.of(id).alignment, info.align);
        (arg.size, arg.align) = (argument_size(info.size)?, align);
        (arg.no_write, arg.restrict) = (false, false);
        let object = self.b.func.objects.push(ObjectData {
            name: arg.name.clone(),
            space: Space::Private,
            size: info.size,
            align,
            kind: ObjectKind::Variable,
            loc: self.b.func.loc,
        });
        let ptr = self.b.obj_addr(object);
        for leaf in types.leaves(pointee)? {
            let op = Op::Arg { index, offset: leaf.offset as u32 };
            let v = self.b.value(op, [], leaf.memory);
            let at = self.at_offset(ptr, leaf.offset);
            let flags = super::memory::flags(Default::default(), align, leaf.offset);
            self.b.store(at, v, flags);
        }
        self.vals.insert(id, Val::Leaves(smallvec![ptr]));
        Ok(arg)
    }

    /// Parameters of a function that is called: one block parameter for each leaf, and in front
    /// the address where an aggregate result goes.
    /// `pipes`: what the parameters can be that are more than pipes in memory; FIFOs are none of the IR's.
    pub(super) fn parameters(&mut self, pipes: &[Option<Rc<Shape>>]) -> R<()> {
        let spv = self.spv;
        let entry = self.b.block();
        if self.is_aggregate(self.raw.result) {
            spv.types.check_whole(self.raw.result)?;
            self.return_slot = Some(self.b.func.add_param(entry, Type::ptr(Space::Private)));
        } else if !self.is_void(self.raw.result) {
            self.b.func.result = Some(spv.types.ir(self.raw.result)?);
        }
        for (k, &(id, ty)) in self.raw.params.iter().enumerate() {
            let shape = pipes.get(k).and_then(Clone::clone);
            let types = match &shape {
                Some(shape) => self.pipe_types(shape, ty)?,
                None => spv.types.leaf_types(ty)?,
            };
            self.link.spend(types.len())?;
            let params: Leaves = types.iter().map(|t| self.b.func.add_param(entry, *t)).collect();
            let val = match shape {
                Some(shape) => Val::Pipe(PipeValue::of_leaves(shape, params)),
                None => Val::Leaves(params),
            };
            self.vals.insert(id, val);
        }
        for &(id, ty) in &self.raw.params {
            let deco = spv.deco.of(id);
            if deco.by_value && !deco.no_write {
                self.own_copy(id, ty)?;
            }
        }
        Ok(())
    }

    /// Replaces a by-value parameter by a copy of its own, because the function may write to it.
    fn own_copy(&mut self, id: Id, ty: Id) -> R<()> {
        let types = &self.spv.types;
        let Kind::Pointer { class: StorageClass::Function, pointee } = types.get(ty)?.kind else {
            return Ok(());
        };
        let source = self.one(id)?;
        let copy = self.temporary(pointee)?;
        self.copy_typed(copy, source, pointee)?;
        self.vals.insert(id, Val::Leaves(smallvec![copy]));
        Ok(())
    }

    /// The address of a new private object for a value of type `ty`.
    pub(super) fn temporary(&mut self, ty: Id) -> R<Value> {
        let info = self.spv.types.get(ty)?;
        let object = self.b.func.objects.push(ObjectData {
            name: format!("temporary_{}", self.b.func.objects.len()),
            space: Space::Private,
            size: info.size,
            align: info.align,
            kind: ObjectKind::Variable,
            loc: self.b.loc,
        });
        Ok(self.b.obj_addr(object))
    }

    fn copy_typed(&mut self, to: Value, from: Value, ty: Id) -> R<()> {
        let align = self.spv.types.get(ty)?.align;
        for leaf in self.spv.types.leaves(ty)? {
            let flags = MemFlags::aligned(
                super::memory::flags(Default::default(), align, leaf.offset).align(),
            );
            let source = self.at_offset(from, leaf.offset);
            let v = self.b.load(leaf.memory, source, flags);
            let target = self.at_offset(to, leaf.offset);
            self.b.store(target, v, flags);
        }
        Ok(())
    }
}

fn argument_size(size: u64) -> R<u32> {
    if size > MAX_ARGUMENT {
        return fail(
            TOO_LARGE,
            format!("a kernel argument has {size} bytes, the limit is {MAX_ARGUMENT}"),
        );
    }
    Ok(size as u32)
}
