//! Device-side enqueue: records in the module's queue (`abi::enqueue`), events, and what is asked of blocks.

mod block;
mod events;
mod range;

use super::memory::flags;
use super::{Leaves, Lower};
use crate::decode::{Id, Inst};
use crate::enqueue::{BlockData, INVOKE, Member, Site};
use crate::errors::R;
use crate::types::{IMAGE_FIELDS, Kind, PIPE_FIELDS};
use abi::EnqueueSite;
use abi::enqueue::{Captured, FREE_LIST, RECORD_BYTES, RECORDS, event, header, record};
use ir::{AtomicOp, Block, IntCC, MemFlags, Op, Space, Type, Value};

/// Errors of `enqueue_kernel` and `enqueue_marker`.
mod code {
    pub const OUT_OF_EVENTS: i32 = -100;
    pub const ENQUEUE_FAILURE: i32 = -101;
    pub const INVALID_QUEUE: i32 = -102;
    pub const INVALID_NDRANGE: i32 = -160;
    pub const INVALID_EVENT_WAIT_LIST: i32 = -57;
    pub const DEVICE_QUEUE_FULL: i32 = -161;
    pub const INVALID_ARG_SIZE: i32 = -51;
}

/// Most events of a wait list that are looked at without a loop.
const MAX_STRAIGHT: u128 = 4;
/// Alignment of the data of a block: that of the largest type.
const DATA_ALIGN: u32 = 128;

/// The events that a command waits for.
struct WaitList {
    list: Value,
    /// How many, an i32; and where that is a constant.
    count: Value,
    known: Option<u128>,
}

/// The fields of the descriptor of what a block has captured.
fn fields_of(captured: Captured) -> &'static [(Type, u32)] {
    match captured {
        Captured::Image => &IMAGE_FIELDS,
        Captured::Pipe => &PIPE_FIELDS,
    }
}

/// Where an attempt to enqueue ends, and its code there.
#[derive(Clone, Copy)]
struct Outcome {
    block: Block,
    code: Value,
}

impl<'a> Lower<'a, '_, '_> {
    /// `OpEnqueueKernel`: queue, flags, index space, number of events, events, returned event, function, data, their size
    /// and alignment, sizes of local memory.
    pub(super) fn enqueue_kernel(&mut self, inst: &Inst<'a>) -> R<()> {
        let invoke = self.spv.definition(inst.arg(INVOKE)?);
        let here = self.spv.literal(inst)?;
        let kernel = self.link.block_kernel(invoke)?;
        let data = self.link.block_data(invoke)?;
        let locals = inst.args.get(INVOKE + 4..).unwrap_or_default();
        let params = self.spv.functions.get(&invoke).map_or(0, |f| f.params.len());
        let why = "its block has another number of local-memory arguments";
        self.check(params == locals.len() + 1, inst, why)?;
        let flags = self.int_operand(inst, 1)?;
        let range = self.nd_range(inst, 2, invoke)?;
        let wait = self.wait_list(inst, 3, 4)?;
        let source = self.pointer(inst, INVOKE + 1)?;
        let sizes = locals.iter().map(|id| self.local_size(inst, *id)).collect::<R<Leaves>>()?;

        let outcome = self.outcome();
        let mut checks =
            vec![(range.valid, code::INVALID_NDRANGE), self.wait_list_check(&wait, true)];
        for &size in &sizes {
            let zero = self.like(size, 0);
            let some = self.b.icmp(IntCC::Ne, size, zero);
            checks.push((some, code::INVALID_ARG_SIZE));
        }
        let queue = self.queue_operand(inst, 0, &mut checks)?;
        self.all_or(checks, outcome);
        self.check_events(&wait, outcome);
        let event = self.returned_event(inst, 5, outcome)?;
        let captured = self.spv.captured(data)?;
        let site = EnqueueSite {
            kernel: Some(kernel.clone()),
            locals: locals.len() as u32,
            data: data.bytes,
            captured: captured.iter().map(|member| member.what).collect(),
            source: String::new(),
        };
        let (data_at, waits_at) = site.places();
        let at = self.reserve_record(&wait, waits_at, event, outcome);
        let place = Site {
            kernel: Some(kernel),
            locals: site.locals,
            data: site.data,
            captured: site.captured.clone(),
            loc: self.b.loc,
        };
        self.write_fixed(at, place, &wait, event, queue);
        self.put(at, record::FLAGS, flags);
        self.put(at, record::WORK_DIM, range.dims);
        let places = [record::OFFSET, record::GLOBAL, record::LOCAL];
        for (place, sizes) in places.into_iter().zip([range.offset, range.global, range.local]) {
            for (d, size) in sizes.into_iter().enumerate() {
                self.put(at, place + 4 * d as u32, size);
            }
        }
        for (k, size) in sizes.into_iter().enumerate() {
            self.put(at, record::FIXED + 4 * k as u32, size);
        }
        self.copy_data(source, at, data_at, here, data, inst)?;
        for (member, (what, place)) in captured.iter().zip(site.captured_places()) {
            self.copy_descriptor(source, *member, at, (what, place));
        }
        self.succeed(inst, 5, at, waits_at, &wait, event, outcome)
    }

    /// `OpEnqueueMarker`: queue, number of events, events, returned event. Without one nobody sees the marker.
    pub(super) fn enqueue_marker(&mut self, inst: &Inst<'a>) -> R<()> {
        let wait = self.wait_list(inst, 1, 2)?;
        let outcome = self.outcome();
        let mut checks = vec![self.wait_list_check(&wait, false)];
        let queue = self.queue_operand(inst, 0, &mut checks)?;
        self.all_or(checks, outcome);
        self.check_events(&wait, outcome);
        let event = self.returned_event(inst, 3, outcome)?;
        let waits_at = record::FIXED;
        let at = self.reserve_record(&wait, waits_at, event, outcome);
        let site = Site { kernel: None, locals: 0, data: 0, captured: vec![], loc: self.b.loc };
        self.write_fixed(at, site, &wait, event, queue);
        self.succeed(inst, 3, at, waits_at, &wait, event, outcome)
    }

    /// The end of all attempts: a block whose parameter is the code.
    fn outcome(&mut self) -> Outcome {
        let block = self.b.func.add_block();
        Outcome { block, code: self.b.func.add_param(block, Type::I32) }
    }

    fn end_with(&mut self, error: i32, outcome: Outcome) {
        let shown = if self.link.enqueuing.errors { error } else { code::ENQUEUE_FAILURE };
        let code = self.b.constant(Type::I32, shown as u32 as u128);
        self.b.jump(outcome.block, [code]);
    }

    /// Goes on if a condition holds; else the attempt fails.
    fn unless(&mut self, holds: Value, error: i32, outcome: Outcome) {
        let (next, failed) = (self.b.func.add_block(), self.b.func.add_block());
        self.b.branch(holds, next, failed);
        self.b.switch_to(failed);
        self.end_with(error, outcome);
        self.b.switch_to(next);
    }

    /// Goes on if all conditions hold. The last of those that do not gives the code.
    fn all_or(&mut self, checks: Vec<(Value, i32)>, outcome: Outcome) {
        let mut all = self.b.bool(true);
        let mut code = self.b.constant(Type::I32, 0);
        for (holds, error) in checks {
            all = self.b.binary(Op::And, all, holds);
            if self.link.enqueuing.errors {
                let error = self.b.constant(Type::I32, error as u32 as u128);
                code = self.b.select(holds, code, error);
            }
        }
        let (next, failed) = (self.b.func.add_block(), self.b.func.add_block());
        self.b.branch(all, next, failed);
        self.b.switch_to(failed);
        match self.link.enqueuing.errors {
            true => self.b.jump(outcome.block, [code]),
            false => self.end_with(code::ENQUEUE_FAILURE, outcome),
        }
        self.b.switch_to(next);
    }

    /// A queue, as an i32, and the check that it is one.
    fn queue_operand(&mut self, inst: &Inst, k: usize, checks: &mut Vec<(Value, i32)>) -> R<Value> {
        let ty = self.spv.type_of(inst.arg(k)?)?;
        let is_queue = self.spv.types.get(ty)?.kind == Kind::Queue;
        self.check(is_queue, inst, "its operand is not a queue")?;
        let queue = self.operand(inst, k)?;
        let zero = self.like(queue, 0);
        let exists = self.b.icmp(IntCC::Ne, queue, zero);
        checks.push((exists, code::INVALID_QUEUE));
        Ok(self.b.zext_or_trunc(queue, 32))
    }

    /// The size of a local-memory argument, an i32. llvm-spirv gives it by a pointer.
    fn local_size(&mut self, inst: &Inst, id: Id) -> R<Value> {
        let ty = self.spv.type_of(id)?;
        let v = self.one(id)?;
        let v = match self.ty(v).space() {
            None => v,
            Some(_) => {
                let pointee = self.spv.types.pointee(ty)?;
                match self.load_leaves(v, pointee, Default::default())?[..] {
                    [size] => size,
                    _ => {
                        return Err(self.mismatch(inst, "a size of local memory is not an integer"));
                    }
                }
            }
        };
        self.check(self.is_int_scalar(v), inst, "a size of local memory is not an integer")?;
        // What has more than 32 bits must not become less by that.
        if self.ty(v).lane_bits(0) <= 32 {
            return Ok(self.b.zext_or_trunc(v, 32));
        }
        let most = self.like(v, u32::MAX.into());
        let more = self.b.icmp(IntCC::Ugt, v, most);
        let v = self.b.select(more, most, v);
        Ok(self.b.zext_or_trunc(v, 32))
    }

    fn wait_list(&mut self, inst: &Inst, count: usize, list: usize) -> R<WaitList> {
        let known = self.spv.consts.scalar(inst.arg(count)?);
        let (list, count) = (self.pointer(inst, list)?, self.int_operand(inst, count)?);
        Ok(WaitList { list, count, known })
    }

    /// Whether list and number are both there or, where they are `optional`, both not.
    fn wait_list_check(&mut self, wait: &WaitList, optional: bool) -> (Value, i32) {
        let (none, null) = (self.like(wait.count, 0), self.like(wait.list, 0));
        let some = self.b.icmp(IntCC::Ne, wait.count, none);
        let there = self.b.icmp(IntCC::Ne, wait.list, null);
        let holds = match optional {
            true => self.b.icmp(IntCC::Eq, some, there),
            false => self.b.binary(Op::And, some, there),
        };
        (holds, code::INVALID_EVENT_WAIT_LIST)
    }

    /// Does something with every event of a wait list.
    fn for_events(&mut self, wait: &WaitList, mut body: impl FnMut(&mut Self, Value, Value)) {
        let size = self.b.size_type();
        let bytes = u64::from(self.spv.types.addr_bits / 8);
        let flags = MemFlags::aligned(bytes as u32);
        if let Some(known) = wait.known.filter(|n| *n <= MAX_STRAIGHT) {
            for k in 0..known as u64 {
                let at = self.at_offset(wait.list, k * bytes);
                let event = self.b.load(size, at, flags);
                let index = self.b.constant(Type::I32, k.into());
                body(self, index, event);
            }
            return;
        }
        let [head, inside, done] = [(); 3].map(|()| self.b.func.add_block());
        let index = self.b.func.add_param(head, Type::I32);
        let zero = self.b.constant(Type::I32, 0);
        self.b.jump(head, [zero]);
        self.b.switch_to(head);
        let more = self.b.icmp(IntCC::Ult, index, wait.count);
        self.b.branch(more, inside, done);
        self.b.switch_to(inside);
        let wide = self.b.zext_or_trunc(index, self.spv.types.addr_bits);
        let shift = self.b.size(bytes.ilog2().into());
        let offset = self.b.binary(Op::Shl, wide, shift);
        let at = self.b.ptr_add(wait.list, offset);
        let event = self.b.load(size, at, flags);
        body(self, index, event);
        let one = self.b.constant(Type::I32, 1);
        let next = self.b.binary(Op::Add, index, one);
        self.b.jump(head, [next]);
        self.b.switch_to(done);
    }

    /// Goes on if all events of a wait list are valid.
    fn check_events(&mut self, wait: &WaitList, outcome: Outcome) {
        self.for_events(wait, |l, _, event| {
            let valid = l.is_valid_event(event);
            l.unless(valid, code::INVALID_EVENT_WAIT_LIST, outcome);
        });
    }

    /// The event that is to be returned, an i32, or 0 where none is wanted.
    fn returned_event(&mut self, inst: &Inst, k: usize, outcome: Outcome) -> R<Value> {
        let place = self.pointer(inst, k)?;
        let none = self.b.constant(Type::I32, 0);
        if self.spv.consts.scalar(inst.arg(k)?) == Some(0) {
            return Ok(none);
        }
        let null = self.like(place, 0);
        let wanted = self.b.icmp(IntCC::Ne, place, null);
        let [take, next, failed] = [(); 3].map(|()| self.b.func.add_block());
        let event = self.b.func.add_param(next, Type::I32);
        let skip = self.b.func.add_block();
        self.b.branch(wanted, take, skip);
        self.b.switch_to(skip);
        self.b.jump(next, [none]);
        self.b.switch_to(take);
        let (taken, fits) = self.take_event(failed);
        self.b.switch_to(fits);
        self.b.jump(next, [taken]);
        self.b.switch_to(failed);
        self.end_with(code::OUT_OF_EVENTS, outcome);
        self.b.switch_to(next);
        Ok(event)
    }

    /// Takes an event that is free, an i32, with one reference; or goes to `failed`. It goes on in the block given.
    pub(super) fn take_event(&mut self, failed: Block) -> (Value, Block) {
        let wide = Type::int(64);
        let counter = self.queue_field(header::TAKEN.into());
        let one = self.b.constant(wide, 1);
        let count = self.b.atomic(AtomicOp::Add, wide, counter, &[one], MemFlags::aligned(8));
        let free = self.queue_field(header::FREE.into());
        let free = self.b.load(Type::I32, free, MemFlags::aligned(4));
        let free = self.b.zext_or_trunc(free, 64);
        let fits = self.b.icmp(IntCC::Ult, count, free);
        let next = self.b.func.add_block();
        self.b.branch(fits, next, failed);
        self.b.switch_to(next);
        let count = self.b.zext_or_trunc(count, self.spv.types.addr_bits);
        let two = self.b.size(2);
        let offset = self.b.binary(Op::Shl, count, two);
        let list = self.queue_field(FREE_LIST);
        let at = self.b.ptr_add(list, offset);
        let index = self.b.load(Type::I32, at, MemFlags::aligned(4));
        let entry = self.event_entry(index);
        let status = self.b.constant(Type::I32, event::SUBMITTED as u128);
        let reference = self.b.constant(Type::I32, 1);
        let nowhere = self.b.constant(wide, 0);
        let fields =
            [(event::STATUS, status), (event::REFERENCES, reference), (event::PROFILING, nowhere)];
        for (place, v) in fields {
            let at = self.at_offset(entry, place.into());
            let bytes = self.ty(v).mem_bytes(0);
            self.b.store(at, v, MemFlags::aligned(bytes));
        }
        let one = self.b.constant(Type::I32, 1);
        let number = self.b.binary(Op::Add, index, one);
        (number, self.b.block())
    }

    /// Reserves a record with `waits_at` bytes before the events that are waited for: its address.
    fn reserve_record(
        &mut self,
        wait: &WaitList,
        waits_at: u32,
        event: Value,
        outcome: Outcome,
    ) -> Value {
        let wide = Type::int(64);
        let bytes = self.record_bytes(wait, waits_at);
        let wide_bytes = self.b.zext_or_trunc(bytes, 64);
        let counter = self.queue_field(header::RECORDS.into());
        let flags = MemFlags::aligned(8);
        let start = self.b.atomic(AtomicOp::Add, wide, counter, &[wide_bytes], flags);
        let end = self.b.binary(Op::Add, start, wide_bytes);
        let room = self.b.constant(wide, RECORD_BYTES.into());
        let fits = self.b.icmp(IntCC::Ule, end, room);
        let (next, failed) = (self.b.func.add_block(), self.b.func.add_block());
        self.b.branch(fits, next, failed);
        self.b.switch_to(failed);
        // Nobody gets the event: the host frees it.
        let zero = self.b.constant(Type::I32, 0);
        let taken = self.b.icmp(IntCC::Ne, event, zero);
        let behind = self.only_if(taken);
        let one = self.b.constant(Type::I32, 1);
        let index = self.b.binary(Op::Sub, event, one);
        let entry = self.event_entry(index);
        let at = self.at_offset(entry, event::REFERENCES.into());
        self.b.store(at, zero, MemFlags::aligned(4));
        self.go_on(behind);
        self.end_with(code::DEVICE_QUEUE_FULL, outcome);
        self.b.switch_to(next);
        let start = self.b.zext_or_trunc(start, self.spv.types.addr_bits);
        let records = self.queue_field(RECORDS);
        let at = self.b.ptr_add(records, start);
        self.put(at, record::BYTES, bytes);
        at
    }

    /// Bytes of a record, a multiple of 8, an i32.
    fn record_bytes(&mut self, wait: &WaitList, waits_at: u32) -> Value {
        // More events than there can be make a record that has no room, not one that is too short.
        let most = self.b.constant(Type::I32, u128::from(RECORD_BYTES));
        let more = self.b.icmp(IntCC::Ugt, wait.count, most);
        let count = self.b.select(more, most, wait.count);
        let one = self.b.constant(Type::I32, 1);
        let count = self.b.binary(Op::Add, count, one);
        let mask = self.b.constant(Type::I32, (!1u32).into());
        let even = self.b.binary(Op::And, count, mask);
        let two = self.b.constant(Type::I32, 2);
        let events = self.b.binary(Op::Shl, even, two);
        let fixed = self.b.constant(Type::I32, waits_at.into());
        self.b.binary(Op::Add, events, fixed)
    }

    fn write_fixed(&mut self, at: Value, site: Site, wait: &WaitList, event: Value, queue: Value) {
        let number = self.link.enqueue_site(self.id, site);
        let number = self.b.constant(Type::I32, u128::from(number) + 1);
        self.put(at, record::SITE, number);
        self.put(at, record::WAITS, wait.count);
        self.put(at, record::EVENT, event);
        self.put(at, record::QUEUE, queue);
    }

    /// Copies the data of a block into its record.
    fn copy_data(
        &mut self,
        source: Value,
        at: Value,
        data_at: u32,
        here: BlockData,
        data: BlockData,
        inst: &Inst,
    ) -> R<()> {
        let align = self.spv.consts.scalar(inst.arg(INVOKE + 3)?).unwrap_or(1);
        let align = u32::try_from(align).unwrap_or(1).max(1).next_power_of_two().min(DATA_ALIGN);
        // What another literal of this function has more is left as it is: zero.
        let pieces =
            self.pieces(BlockData { bytes: here.bytes, layout: here.layout.or(data.layout) })?;
        let captured = self.spv.captured(data)?;
        for (ty, offset) in pieces {
            let bytes = u64::from(ty.mem_bytes(self.spv.types.addr_bits));
            if offset + bytes > u64::from(here.bytes)
                || captured.iter().any(|member| member.offset == offset)
            {
                continue;
            }
            let from = self.at_offset(source, offset);
            let v = self.b.load(ty, from, flags(Default::default(), align, offset));
            let to = self.at_offset(at, u64::from(data_at) + offset);
            self.b.store(to, v, flags(Default::default(), 8, u64::from(data_at) + offset));
        }
        Ok(())
    }

    /// Copies the descriptor of an image or a pipe among the data of a block to its place in the record.
    fn copy_descriptor(
        &mut self,
        source: Value,
        member: Member,
        at: Value,
        (what, place): (Captured, u32),
    ) {
        let bytes = self.spv.types.addr_bits / 8;
        let from = self.at_offset(source, member.offset);
        let descriptor = self.b.load(Type::ptr(Space::Private), from, MemFlags::aligned(bytes));
        let fields = fields_of(what);
        let values = self.load_fields(descriptor, fields);
        let to = self.at_offset(at, place.into());
        self.store_fields(to, fields, &values);
    }

    /// Writes the events that are waited for, returns the event, and ends with success.
    #[expect(clippy::too_many_arguments, reason = "what the two commands have in common")]
    fn succeed(
        &mut self,
        inst: &Inst,
        place: usize,
        at: Value,
        waits_at: u32,
        wait: &WaitList,
        event: Value,
        outcome: Outcome,
    ) -> R<()> {
        let list = self.at_offset(at, waits_at.into());
        self.for_events(wait, |l, index, event| {
            let index = l.b.zext_or_trunc(index, l.spv.types.addr_bits);
            let two = l.b.size(2);
            let offset = l.b.binary(Op::Shl, index, two);
            let to = l.b.ptr_add(list, offset);
            let event = l.b.zext_or_trunc(event, 32);
            l.b.store(to, event, MemFlags::aligned(4));
        });
        if self.b.func.as_const(event).is_none() {
            let pointer = self.pointer(inst, place)?;
            self.check_writable(inst, pointer)?;
            let zero = self.like(event, 0);
            let returned = self.b.icmp(IntCC::Ne, event, zero);
            let behind = self.only_if(returned);
            let bits = self.spv.types.addr_bits;
            let handle = self.b.zext_or_trunc(event, bits);
            self.b.store(pointer, handle, MemFlags::aligned(bits / 8));
            self.go_on(behind);
        }
        let success = self.b.constant(Type::I32, 0);
        self.b.jump(outcome.block, [success]);
        self.b.switch_to(outcome.block);
        let ty = self.result_type(inst)?;
        self.check(ty == Type::I32, inst, "its result is not an integer of 32 bits")?;
        self.set(inst, outcome.code)
    }

    /// Stores a word of a record.
    fn put(&mut self, at: Value, place: u32, v: Value) {
        let to = self.at_offset(at, place.into());
        self.b.store(to, v, MemFlags::aligned(if place.is_multiple_of(8) { 8 } else { 4 }));
    }

    /// The address of a field of the queue.
    pub(super) fn queue_field(&mut self, place: u64) -> Value {
        let memory = self.link.enqueue_memory();
        let object = self.module_object(memory);
        let at = self.b.obj_addr(object);
        self.at_offset(at, place)
    }

    /// `OpGetDefaultQueue`
    pub(super) fn default_queue(&mut self, inst: &Inst<'a>) -> R<()> {
        let at = self.queue_field(header::DEFAULT_QUEUE.into());
        let queue = self.b.load(Type::I32, at, MemFlags::aligned(4));
        let queue = self.b.zext_or_trunc(queue, self.spv.types.addr_bits);
        self.set(inst, queue)
    }
}
