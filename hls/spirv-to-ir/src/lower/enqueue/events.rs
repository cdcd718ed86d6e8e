//! Events: entries of the queue's table.

use crate::decode::Inst;
use crate::errors::R;
use crate::lower::Lower;
use abi::enqueue::{EVENT_TABLE, EVENTS, event};
use ir::{AtomicOp, IntCC, MemFlags, Op, Space, Type, Value};

impl<'a> Lower<'a, '_, '_> {
    /// The address of an event's entry.
    pub(super) fn event_entry(&mut self, index: Value) -> Value {
        let index = self.b.zext_or_trunc(index, self.spv.types.addr_bits);
        let shift = self.b.size(event::BYTES.ilog2().into());
        let offset = self.b.binary(Op::Shl, index, shift);
        let table = self.queue_field(EVENT_TABLE);
        self.b.ptr_add(table, offset)
    }

    /// Whether a value may be an event's, and the number of its entry; 0 if not.
    fn event_index(&mut self, event: Value) -> (Value, Value) {
        let (one, most) = (self.like(event, 1), self.like(event, EVENTS.into()));
        let index = self.b.binary(Op::Sub, event, one);
        let inside = self.b.icmp(IntCC::Ult, index, most);
        let zero = self.like(event, 0);
        let index = self.b.select(inside, index, zero);
        (inside, self.b.zext_or_trunc(index, 32))
    }

    pub(super) fn is_valid_event(&mut self, event: Value) -> Value {
        let (inside, index) = self.event_index(event);
        let entry = self.event_entry(index);
        let at = self.at_offset(entry, event::REFERENCES.into());
        let count = self.b.atomic(AtomicOp::Load, Type::I32, at, &[], MemFlags::aligned(4));
        let zero = self.like(count, 0);
        let referenced = self.b.icmp(IntCC::Ne, count, zero);
        self.b.binary(Op::And, inside, referenced)
    }

    /// An operand that is an event.
    fn event_operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        let event = self.operand(inst, k)?;
        let is_event = self.ty(event) == self.b.size_type();
        self.check(is_event, inst, "its operand is not an event")?;
        Ok(event)
    }

    /// Does something to an event's entry, if there is one.
    fn with_entry(&mut self, inst: &Inst, body: impl FnOnce(&mut Self, Value) -> R<()>) -> R<()> {
        let event = self.event_operand(inst, 0)?;
        let (inside, index) = self.event_index(event);
        let behind = self.only_if(inside);
        let entry = self.event_entry(index);
        body(self, entry)?;
        self.go_on(behind);
        Ok(())
    }

    /// `OpIsValidEvent`
    pub(in crate::lower) fn event_is_valid(&mut self, inst: &Inst<'a>) -> R<()> {
        let event = self.event_operand(inst, 0)?;
        let valid = self.is_valid_event(event);
        self.set(inst, valid)
    }

    /// `OpRetainEvent`, `OpReleaseEvent`
    pub(in crate::lower) fn event_references(&mut self, inst: &Inst<'a>, op: AtomicOp) -> R<()> {
        self.with_entry(inst, |l, entry| {
            let at = l.at_offset(entry, event::REFERENCES.into());
            let one = l.b.constant(Type::I32, 1);
            l.b.atomic(op, Type::I32, at, &[one], MemFlags::aligned(4));
            Ok(())
        })
    }

    /// `OpCreateUserEvent`: `CLK_NULL_EVENT`, which is all ones, if there is none left.
    pub(in crate::lower) fn create_user_event(&mut self, inst: &Inst<'a>) -> R<()> {
        let size = self.b.size_type();
        let (failed, next) = (self.b.func.add_block(), self.b.func.add_block());
        let event = self.b.func.add_param(next, size);
        let (taken, fits) = self.take_event(failed);
        self.b.switch_to(fits);
        let handle = self.b.zext_or_trunc(taken, self.spv.types.addr_bits);
        self.b.jump(next, [handle]);
        self.b.switch_to(failed);
        let null = self.b.constant(size, u128::MAX);
        self.b.jump(next, [null]);
        self.b.switch_to(next);
        self.set(inst, event)
    }

    /// `OpSetUserEventStatus`: event, status.
    pub(in crate::lower) fn set_event_status(&mut self, inst: &Inst<'a>) -> R<()> {
        let status = self.int_operand(inst, 1)?;
        self.with_entry(inst, |l, entry| {
            let at = l.at_offset(entry, event::STATUS.into());
            l.b.atomic(AtomicOp::Store, Type::I32, at, &[status], MemFlags::aligned(4));
            Ok(())
        })
    }

    /// `OpCaptureEventProfilingInfo`: event, what (there is one kind only), where to.
    pub(in crate::lower) fn capture_profiling(&mut self, inst: &Inst<'a>) -> R<()> {
        let pointer = self.pointer(inst, 2)?;
        let pointer = match self.b.space_of(pointer) {
            Some(Space::Generic) => self.space_cast(pointer, Type::ptr(Space::Global))?,
            _ => pointer,
        };
        let global = self.b.space_of(pointer) == Some(Space::Global);
        self.check(global, inst, "it captures profiling information outside of global memory")?;
        let size = self.b.size_type();
        let address = self.b.value(Op::PtrToInt, [pointer], size);
        let address = self.b.zext_or_trunc(address, 64);
        self.with_entry(inst, |l, entry| {
            let (wide, flags) = (Type::int(64), MemFlags::aligned(8));
            let at = l.at_offset(entry, event::STATUS.into());
            let status = l.b.atomic(AtomicOp::Load, Type::I32, at, &[], MemFlags::aligned(4));
            let zero = l.like(status, 0);
            let complete = l.b.icmp(IntCC::Sle, status, zero);
            let [now, later, behind] = [(); 3].map(|()| l.b.func.add_block());
            l.b.branch(complete, now, later);
            l.b.switch_to(now);
            for k in [0, 8] {
                let at = l.at_offset(entry, u64::from(event::TIMES) + k);
                let time = l.b.load(wide, at, flags);
                let to = l.at_offset(pointer, k);
                l.b.store(to, time, flags);
            }
            l.b.jump(behind, []);
            l.b.switch_to(later);
            let at = l.at_offset(entry, event::PROFILING.into());
            l.b.store(at, address, flags);
            l.b.jump(behind, []);
            l.b.switch_to(behind);
            Ok(())
        })
    }
}
