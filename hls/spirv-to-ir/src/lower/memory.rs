//! Variables, loads, stores, address arithmetic, pointer conversions.

use super::{Leaves, Lower, Val};
use crate::chain;
use crate::decode::{Id, Inst};
use crate::errors::{BAD_MEMORY, R, fail};
use crate::link::alignment;
use crate::types::{Kind, Leaf, memory_type};
use ir::{IntCC, MemFlags, ObjectData, ObjectKind, Op, Space, Type, Value};
use rspirv::spirv::{self, StorageClass};

/// Operands of a memory access: what `Volatile` and `Aligned` say.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Access {
    pub volatile: bool,
    pub align: Option<u32>,
}

impl<'a> Lower<'a, '_, '_> {
    /// The memory operands that start at operand `k`, and the position after them.
    pub(super) fn access(&self, inst: &Inst, k: usize) -> R<(Access, usize)> {
        let Some(&mask) = inst.args.get(k) else { return Ok((Access::default(), k)) };
        let mut access = Access { volatile: mask & 1 != 0, align: None };
        let mut next = k + 1;
        if mask & 2 != 0 {
            let align = inst.arg(next)?;
            // Producers write 0 where the pointer is null: 2^32 does not fit the word.
            let sound = align == 0 || align.is_power_of_two();
            self.check(sound, inst, "its alignment is not a power of two")?;
            access.align = Some(align).filter(|align| *align > 0);
            next += 1;
        }
        // MakePointerAvailable, MakePointerVisible, alias scopes: one id each, no effect here.
        next += (mask & 0x3_0018).count_ones() as usize;
        Ok((access, next))
    }

    /// `OpVariable` in a function.
    pub(super) fn variable(&mut self, inst: &Inst) -> R<()> {
        let class = inst.arg(0)?;
        self.check(
            class == StorageClass::Function as u32,
            inst,
            "its storage class is not Function",
        )?;
        let (id, ty) = (inst.result()?, inst.ty()?);
        let types = &self.spv.types;
        let pointee = types.pointee(ty)?;
        types.need_memory(pointee)?;
        let info = types.get(pointee)?;
        let object = self.b.func.objects.push(ObjectData {
            name: self.spv.names.get(&id).cloned().unwrap_or_else(|| format!("variable_{id}")),
            space: Space::Private,
            size: info.size,
            align: alignment(self.spv.deco.of(id).alignment, info.align),
            kind: ObjectKind::Variable,
            loc: self.b.loc,
        });
        self.objects.insert(id, object);
        self.hold_pipe(id);
        let ptr = self.b.obj_addr(object);
        self.set(inst, ptr)?;
        if let Some(&init) = inst.args.get(1) {
            let leaves = self.leaves(init)?;
            self.store_leaves(inst, ptr, pointee, &leaves, Access::default())?;
        }
        Ok(())
    }

    /// `OpLoad`
    pub(super) fn load(&mut self, inst: &Inst) -> R<()> {
        let (mut access, _) = self.access(inst, 1)?;
        let pointer = inst.arg(0)?;
        if self.load_pipe(inst)? {
            return Ok(());
        }
        let ty = inst.ty()?;
        let ptr = match self.val(pointer)? {
            Val::Builtin(b) => return self.load_builtin(inst, b),
            Val::Leaves(l) => match l[..] {
                [p] if self.ty(p).space().is_some() => p,
                _ => return Err(self.mismatch(inst, "its operand is not a pointer")),
            },
            Val::Pipe(_) => {
                return Err(self.mismatch(inst, "its operand is not a pointer"));
            }
        };
        self.check_pointee(inst, pointer, ty)?;
        access.volatile |= self.spv.deco.of(pointer).volatile;
        let leaves = self.load_leaves(ptr, ty, access)?;
        self.set_all(inst, leaves)
    }

    /// `OpStore`
    pub(super) fn store(&mut self, inst: &Inst) -> R<()> {
        let (mut access, _) = self.access(inst, 2)?;
        let ptr = self.pointer(inst, 0)?;
        let object = inst.arg(1)?;
        if self.store_pipe(inst)? {
            return Ok(());
        }
        let leaves = self.leaves(object)?;
        access.volatile |= self.spv.deco.of(inst.arg(0)?).volatile;
        let ty = self.spv.type_of(object)?;
        self.check_pointee(inst, inst.arg(0)?, ty)?;
        self.store_leaves(inst, ptr, ty, &leaves, access)
    }

    /// Fails where a pointer is loaded or stored as something else, or something else as a pointer: addresses would become numbers.
    /// Other types that differ from what the pointer leads to are bits like those.
    fn check_pointee(&self, inst: &Inst, pointer: Id, ty: Id) -> R<()> {
        let types = &self.spv.types;
        let pointee = types.pointee(self.spv.type_of(pointer)?)?;
        if pointee == ty {
            return Ok(());
        }
        let is_pointer =
            |ty: Id| -> R<bool> { Ok(matches!(types.get(ty)?.kind, Kind::Pointer { .. })) };
        let alike = is_pointer(pointee)? == is_pointer(ty)?;
        self.check(alike, inst, "the value is not of the type that its pointer leads to")
    }

    /// Operand `k` as a pointer.
    pub fn pointer(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let p = self.operand(inst, k)?;
        let ok = self.ty(p).space().is_some() && !self.ty(p).is_vector();
        self.check(ok, inst, "an operand is not a pointer")?;
        Ok(p)
    }

    /// Loads a value of type `ty`, leaf by leaf.
    pub(super) fn load_leaves(&mut self, ptr: Value, ty: Id, access: Access) -> R<Leaves> {
        let natural = self.spv.types.get(ty)?.align;
        let leaves = self.spv.types.leaves(ty)?;
        leaves
            .iter()
            .map(|leaf| {
                let at = self.at_offset(ptr, leaf.offset);
                let flags = flags(access, natural, leaf.offset);
                let v = self.b.load(leaf.memory, at, flags);
                Ok(self.loaded(v, leaf.ty))
            })
            .collect()
    }

    /// Stores a value of type `ty`, leaf by leaf.
    pub(super) fn store_leaves(
        &mut self,
        inst: &Inst,
        ptr: Value,
        ty: Id,
        values: &[Value],
        access: Access,
    ) -> R<()> {
        self.check_writable(inst, ptr)?;
        let natural = self.spv.types.get(ty)?.align;
        let leaves: Vec<Leaf> = self.spv.types.leaves(ty)?;
        let fits = leaves.len() == values.len()
            && leaves.iter().zip(values).all(|(l, v)| l.ty == self.ty(*v));
        self.check(fits, inst, "the value stored is not of its type")?;
        for (leaf, &value) in leaves.iter().zip(values) {
            let at = self.at_offset(ptr, leaf.offset);
            let value = self.stored_as(value, leaf.memory);
            self.b.store(at, value, flags(access, natural, leaf.offset));
        }
        Ok(())
    }

    /// Fails if `ptr` points to constant memory.
    pub fn check_writable(&self, inst: &Inst, ptr: Value) -> R<()> {
        if self.b.space_of(ptr) == Some(Space::Constant) {
            return fail(BAD_MEMORY, format!("{} writes to constant memory", inst.name()));
        }
        Ok(())
    }

    /// A pointer plus constant bytes.
    pub fn at_offset(&mut self, ptr: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        let bytes = self.b.size(bytes);
        self.b.ptr_add(ptr, bytes)
    }

    /// What was loaded, as the value's own type.
    pub(super) fn loaded(&mut self, v: Value, ty: Type) -> Value {
        if self.ty(v) == ty { v } else { self.b.value(Op::Slice { lo: 0 }, [v], ty) }
    }

    /// A value as it is stored.
    pub fn stored(&mut self, v: Value) -> Value {
        self.stored_as(v, memory_type(self.ty(v)))
    }

    /// A value as it is stored with this type, an integer at least as wide where it is another one.
    fn stored_as(&mut self, v: Value, memory: Type) -> Value {
        if self.ty(v) == memory { v } else { self.b.value(Op::Zext, [v], memory) }
    }

    /// `OpAccessChain` and its variants; `element` for those that first step over pointees.
    pub(super) fn access_chain(&mut self, inst: &Inst<'a>, element: bool) -> R<()> {
        let base = inst.arg(0)?;
        let indices = &inst.args[1..];
        let types = &self.spv.types;
        let known: Vec<Option<i128>> =
            indices.iter().map(|i| self.spv.consts.signed(*i, types)).collect();
        if let Val::Builtin(b) = self.val(base)? {
            let b = self.builtin_chain(inst, b, &known, element)?;
            return self.set_builtin(inst, b);
        }
        let ptr = self.pointer(inst, 0)?;
        let from = types.pointee(self.spv.type_of(base)?)?;
        let offset = chain::offset(types, from, element, &known, types.pointee(inst.ty()?)?)?;
        let mut total = None;
        for (position, scale) in offset.terms {
            let term = self.scaled_index(inst, indices[position], scale)?;
            total = Some(match total {
                Some(t) => self.b.binary(Op::Add, t, term),
                None => term,
            });
        }
        // Constants last, so that accesses with different constants share the rest.
        let mut at = match total {
            Some(t) => self.b.ptr_add(ptr, t),
            None => ptr,
        };
        at = self.at_offset(at, ir::builder::mask(offset.bytes.into(), types.addr_bits) as u64);
        self.set(inst, at)
    }

    /// An index, sign-extended to the address width, times bytes.
    fn scaled_index(&mut self, inst: &Inst, id: Id, scale: u64) -> R<Value> {
        let index = self.one(id)?;
        let ty = self.ty(index);
        self.check(ty.is_int() && !ty.is_vector(), inst, "an index is not an integer")?;
        let index = self.b.sext_or_trunc(index, self.spv.types.addr_bits);
        self.times(index, scale)
    }

    /// An integer times a constant.
    pub fn times(&mut self, v: Value, factor: u64) -> R<Value> {
        if factor == 1 {
            return Ok(v);
        }
        let ty = self.ty(v);
        if factor.is_power_of_two() {
            let n = self.b.constant(ty, factor.trailing_zeros().into());
            return Ok(self.b.binary(Op::Shl, v, n));
        }
        let n = self.b.constant(ty, factor.into());
        Ok(self.b.binary(Op::Mul, v, n))
    }

    /// A pointer in another space: to or from generic.
    pub(super) fn space_cast(&mut self, v: Value, to: Type) -> R<Value> {
        let from = self.ty(v);
        if from == to {
            return Ok(v);
        }
        let (Some(a), Some(b)) = (from.space(), to.space()) else {
            return fail(BAD_MEMORY, format!("a value of type {from} cannot become {to}"));
        };
        let generic = |s: Space| s == Space::Generic;
        if generic(a) == generic(b) || a == Space::Constant || b == Space::Constant {
            return fail(
                BAD_MEMORY,
                format!(
                    "a pointer to {} memory cannot become one to {} memory",
                    a.name(),
                    b.name()
                ),
            );
        }
        Ok(self.b.value(Op::SpaceCast, [v], to))
    }

    /// Gives pointers that differ from the leaf types of `ty` the right space, where a producer
    /// mixes them in constants.
    pub(super) fn retype_pointers(&mut self, ty: Id, leaves: &mut Leaves) -> R<()> {
        let types = self.spv.types.leaf_types(ty)?;
        for (v, to) in leaves.iter_mut().zip(types) {
            if to.space().is_some() && self.ty(*v).space().is_some() {
                *v = self.space_cast(*v, to)?;
            }
        }
        Ok(())
    }

    /// `OpPtrCastToGeneric`, `OpGenericCastToPtr`, `OpGenericCastToPtrExplicit`
    pub(crate) fn cast_space(&mut self, inst: &Inst) -> R<()> {
        if self.is_handle(inst.ty()?) {
            return self.copy_object(inst);
        }
        let v = self.pointer(inst, 0)?;
        let to = self.result_type(inst)?;
        let v = self.space_cast(v, to)?;
        self.set(inst, v)
    }

    /// `OpGenericPtrMemSemantics`: from the tag of the pointer.
    pub(super) fn generic_semantics(&mut self, inst: &Inst) -> R<()> {
        self.tag_table(inst, 0x100, 0x200)
    }

    /// One number for generic pointers to local memory, one for global, 0 for private.
    pub(crate) fn tag_table(&mut self, inst: &Inst, local: u128, global: u128) -> R<()> {
        let v = self.pointer(inst, 0)?;
        self.check(self.b.space_of(v) == Some(Space::Generic), inst, "its operand is not generic")?;
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let tag = self.generic_tag(v);
        let mut result = self.b.constant(ty, 0);
        for (space, semantics) in [(Space::Local, local), (Space::Global, global)] {
            let want = self.b.constant(Type::int(2), ir::op::generic_tag(space).into());
            let is = self.b.icmp(IntCC::Eq, tag, want);
            let bits = self.b.constant(ty, semantics);
            result = self.b.select(is, bits, result);
        }
        self.set(inst, result)
    }

    /// The two tag bits at the top of a generic pointer.
    fn generic_tag(&mut self, v: Value) -> Value {
        let size = self.b.size_type();
        let lo = (self.spv.types.addr_bits - 2) as u8;
        let int = self.b.value(Op::PtrToInt, [v], size);
        self.b.value(Op::Slice { lo }, [int], Type::int(2))
    }

    /// `OpPtrEqual`, `OpPtrNotEqual`
    pub(super) fn pointer_compare(&mut self, inst: &Inst, cc: IntCC) -> R<()> {
        let (a, b) = (self.pointer(inst, 0)?, self.pointer(inst, 1)?);
        self.check(self.ty(a) == self.ty(b), inst, "its operands are pointers of two kinds")?;
        let v = self.b.icmp(cc, a, b);
        self.set(inst, v)
    }

    /// `OpPtrDiff`: in elements of the pointee.
    pub(super) fn pointer_difference(&mut self, inst: &Inst) -> R<()> {
        let (a, b) = (self.pointer(inst, 0)?, self.pointer(inst, 1)?);
        self.check(self.ty(a) == self.ty(b), inst, "its operands are pointers of two kinds")?;
        let result = self.result_type(inst)?;
        self.check(result.is_int() && !result.is_vector(), inst, "its result is not an integer")?;
        let types = &self.spv.types;
        let size = types.get(types.pointee(self.spv.type_of(inst.arg(0)?)?)?)?.size.max(1);
        let word = self.b.size_type();
        let a = self.b.value(Op::PtrToInt, [a], word);
        let b = self.b.value(Op::PtrToInt, [b], word);
        let bytes = self.b.binary(Op::Sub, a, b);
        let n =
            self.b.size(if size.is_power_of_two() { size.trailing_zeros().into() } else { size });
        let op = if size.is_power_of_two() { Op::AShr } else { Op::SDiv };
        let elements = self.b.binary(op, bytes, n);
        let v = self.b.sext_or_trunc(elements, result.lane_bits(0));
        self.set(inst, v)
    }

    /// `OpConvertPtrToU`
    pub(super) fn pointer_to_int(&mut self, inst: &Inst) -> R<()> {
        let p = self.pointer(inst, 0)?;
        let result = self.result_type(inst)?;
        self.check(result.is_int() && !result.is_vector(), inst, "its result is not an integer")?;
        let size = self.b.size_type();
        let v = self.b.value(Op::PtrToInt, [p], size);
        let v = self.b.zext_or_trunc(v, result.lane_bits(0));
        self.set(inst, v)
    }

    /// `OpConvertUToPtr`
    pub(super) fn int_to_pointer(&mut self, inst: &Inst) -> R<()> {
        let v = self.operand(inst, 0)?;
        let (from, to) = (self.ty(v), self.result_type(inst)?);
        if self.is_handle(inst.ty()?) && from.is_int() && !from.is_vector() {
            let id = self.b.zext_or_trunc(v, to.lane_bits(0));
            return self.set(inst, id);
        }
        let ok = from.is_int() && !from.is_vector() && to.space().is_some();
        self.check(ok, inst, "it does not turn an integer into a pointer")?;
        let v = self.b.zext_or_trunc(v, self.spv.types.addr_bits);
        let v = self.b.value(Op::IntToPtr, [v], to);
        self.set(inst, v)
    }

    /// `OpLifetimeStart`: clang-22 gives some variables the type of their first access; the
    /// size here is that of the whole variable.
    pub(super) fn lifetime_start(&mut self, inst: &Inst) -> R<()> {
        let size = u64::from(inst.arg(1)?);
        let mut id = inst.arg(0)?;
        if let Some(cast) = self.spv.def_inst(id).filter(|i| i.op == spirv::Op::Bitcast) {
            id = cast.arg(0)?;
        }
        if let Some(&object) = self.objects.get(&id) {
            let data = &mut self.b.func.objects[object];
            if data.kind == ObjectKind::Variable {
                data.size = data.size.max(size);
            }
        }
        Ok(())
    }

    /// Instructions that only tell something to optimisers or debuggers.
    pub fn nothing(&mut self, _inst: &Inst) -> R<()> {
        Ok(())
    }

    /// `OpArrayLength`-like queries have no place in kernels; `OpSizeOf` does.
    pub(super) fn size_of(&mut self, inst: &Inst) -> R<()> {
        let types = &self.spv.types;
        let size = types.get(types.pointee(self.spv.type_of(inst.arg(0)?)?)?)?.size;
        let ty = self.result_type(inst)?;
        self.check(ty.is_int() && !ty.is_vector(), inst, "its result is not an integer")?;
        let v = self.b.constant(ty, size.into());
        self.set(inst, v)
    }

    /// Whether a type is a structure or array.
    pub(super) fn is_aggregate(&self, ty: Id) -> bool {
        let kind = self.spv.types.get(ty).map(|t| &t.kind);
        matches!(kind, Ok(Kind::Array { .. } | Kind::Struct { .. }))
    }

    /// The declared pointee that a pointer had before casts to other pointees.
    pub(super) fn original_pointee(&self, mut id: Id) -> R<Id> {
        for _ in 0..8 {
            let Some(inst) = self.spv.def_inst(id) else { break };
            match inst.op {
                spirv::Op::Bitcast
                    if self.spv.types.pointee(self.spv.type_of(inst.arg(0)?)?).is_ok() =>
                {
                    id = inst.arg(0)?;
                }
                spirv::Op::PtrCastToGeneric => id = inst.arg(0)?,
                _ => break,
            }
        }
        self.spv.types.pointee(self.spv.type_of(id)?)
    }
}

/// Flags of an access `offset` bytes after an address aligned as given or naturally.
pub(super) fn flags(access: Access, natural: u32, offset: u64) -> MemFlags {
    let base = access.align.unwrap_or(natural).clamp(1, 1 << 16);
    let at = if offset == 0 {
        base
    } else {
        1u64.wrapping_shl(offset.trailing_zeros()).min(base.into()) as u32
    };
    MemFlags { volatile: access.volatile, ..MemFlags::aligned(at) }
}
