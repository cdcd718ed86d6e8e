//! `async_work_group_copy` and its relatives: the work-items of the group copy, each its share of the elements; waiting for
//! the event is a barrier. Neighbouring work-items copy neighbouring elements, so that buffers are accessed in whole bursts.

use super::Lower;
use super::group::in_memory;
use crate::decode::Inst;
use crate::errors::R;
use ir::{FenceFlags, IntCC, MemFlags, Op, Space, Type, Value};
use rspirv::spirv::Scope;

/// Steps from one element to the next that a work-item copies.
struct Walk {
    /// Elements.
    count: Value,
    /// Bytes in the source and in the destination.
    from: Value,
    to: Value,
}

impl Lower<'_, '_, '_> {
    /// `OpGroupAsyncCopy`: scope, destination, source, elements, stride in the buffer, event.
    pub(super) fn group_async_copy(&mut self, inst: &Inst) -> R<()> {
        self.need_work_group(inst)?;
        let (to, from) = (self.pointer(inst, 1)?, self.pointer(inst, 2)?);
        let (count, stride) = (self.operand(inst, 3)?, self.operand(inst, 4)?);
        let ints = self.is_int_scalar(count) && self.is_int_scalar(stride);
        self.check(ints, inst, "its numbers are not integers")?;
        let ty = self.copied_type(inst)?;
        self.check_writable(inst, to)?;
        let strided_source = match [from, to].map(|p| self.b.space_of(p)) {
            [Some(Space::Global | Space::Constant), Some(Space::Local)] => true,
            [Some(Space::Local), Some(Space::Global)] => false,
            _ => {
                let why = "it does not copy between local and global memory";
                return Err(self.mismatch(inst, why));
            }
        };
        let addr_bits = self.spv.types.addr_bits;
        let count = self.b.zext_or_trunc(count, addr_bits);
        let stride = self.b.zext_or_trunc(stride, addr_bits);
        let bytes = self.b.size(ty.mem_bytes(0).into());
        let far = self.b.binary(Op::Mul, stride, bytes);
        let (source, target) = if strided_source { (far, bytes) } else { (bytes, far) };
        self.shared_copy(to, from, ty, Walk { count, from: source, to: target });
        // The operand is the event that the copy is to be part of.
        let event = self.leaves(inst.arg(5)?)?;
        self.set_all(inst, event)
    }

    /// `OpGroupWaitEvents`: the copies are visible to all work-items afterwards.
    pub(super) fn group_wait_events(&mut self, inst: &Inst) -> R<()> {
        self.need_work_group(inst)?;
        self.pointer(inst, 2)?;
        let flags = FenceFlags { local: true, global: true };
        self.b.barrier(flags);
        Ok(())
    }

    fn need_work_group(&self, inst: &Inst) -> R<()> {
        let scope = self.constant_operand(inst, 0)?;
        self.check(scope == Scope::Workgroup as u32, inst, "its scope is not the work-group")
    }

    /// The type as which elements are copied: unsigned integers, a 3-vector whole.
    ///
    /// clang knows no types of pointers and writes what it guesses: that of a variable which is an array, bytes where nothing
    /// else tells. The other pointer knows then.
    fn copied_type(&self, inst: &Inst) -> R<Type> {
        let element = |k: usize| -> R<Type> {
            let types = &self.spv.types;
            let pointee = types.pointee(self.spv.type_of(inst.arg(k)?)?)?;
            Ok(in_memory(types.ir(types.innermost_element(pointee)?)?))
        };
        let (to, from) = (element(1)?, element(2)?);
        let ty = if to == Type::I8 { from } else { to };
        self.check(ty.space().is_none(), inst, "its elements are pointers")?;
        let same = from == ty || from == Type::I8;
        self.check(same, inst, "its pointers are not to elements of one type")?;
        Ok(ty)
    }

    /// Element `rank` of the group's work-item, and every one that follows it by the size of the group.
    fn shared_copy(&mut self, to: Value, from: Value, ty: Type, walk: Walk) {
        let size = self.b.size_type();
        let (rank, group) = self.rank_in_group();
        let scaled = |l: &mut Self, v: Value, by: Value| l.b.binary(Op::Mul, v, by);
        let start = [walk.from, walk.to].map(|by| scaled(self, rank, by));
        let step = [walk.from, walk.to].map(|by| scaled(self, group, by));
        let [head, body, done] = [(); 3].map(|()| self.b.func.add_block());
        let [at, source, target] = [(); 3].map(|()| self.b.func.add_param(head, size));
        self.b.jump(head, [rank, start[0], start[1]]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, at, walk.count);
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let flags = MemFlags::aligned(ty.mem_bytes(0));
        let from = self.b.ptr_add(from, source);
        let v = self.b.load(ty, from, flags);
        let to = self.b.ptr_add(to, target);
        self.b.store(to, v, flags);
        let next = [(at, group), (source, step[0]), (target, step[1])]
            .map(|(v, by)| self.b.binary(Op::Add, v, by));
        self.b.jump(head, next);
        self.b.switch_to(done);
    }
}
