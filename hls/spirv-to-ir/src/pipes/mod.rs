//! Functions of the IR that reserve and commit packets of pipes: what the pipe instructions become, but for the copying.
//!
//! Each is made once for a module, when an instruction first needs it, and called like a function of the kernel's source.
//! Writers and readers use the same functions, on words of their own. `docs/pipes.md` says what they do and why they neither
//! block nor mix up packets; `abi::pipe` has the layout.

mod packets;

pub(crate) use ir::pipe::RESERVATION;
pub(crate) use packets::{Packet, Packets, operands, packet};

use crate::link::Linker;
use abi::pipe::place;
use ir::{
    AtomicOp, Block, BlockCall, Builder, FenceFlags, Func, Function, IntCC, MemFlags, Op, Space,
    Terminator, Type, Value,
};

/// A function of this library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum PipeFunction {
    /// `side -> id`: reserves a packet.
    Take,
    /// `side, count -> id`: reserves packets.
    Reserve,
    /// `side, other, marks, mask, id`: commits a reservation.
    Commit,
}

impl PipeFunction {
    fn name(self) -> &'static str {
        match self {
            PipeFunction::Take => "pipe_take",
            PipeFunction::Reserve => "pipe_reserve",
            PipeFunction::Commit => "pipe_commit",
        }
    }

    /// The type of its result.
    pub fn result(self) -> Option<Type> {
        match self {
            PipeFunction::Take | PipeFunction::Reserve => Some(RESERVATION),
            PipeFunction::Commit => None,
        }
    }
}

impl Linker<'_> {
    /// The function of the library in this module.
    pub fn pipe_function(&mut self, which: PipeFunction) -> Func {
        if let Some(func) = self.pipe_functions.get(&which) {
            return *func;
        }
        let mut function = Function::new(which.name(), self.spv.types.addr_bits);
        function.result = which.result();
        let entry = function.add_block();
        let pointer = Type::ptr(Space::Global);
        let types: &[Type] = match which {
            PipeFunction::Take => &[pointer],
            PipeFunction::Reserve => &[pointer, Type::I32],
            PipeFunction::Commit => &[pointer, pointer, pointer, Type::I32, RESERVATION],
        };
        let params: Vec<Value> = types.iter().map(|ty| function.add_param(entry, *ty)).collect();
        let mut code = Code { b: Builder::at(&mut function, entry) };
        match params[..] {
            [side] => code.take(side),
            [side, count] => code.reserve(side, count),
            [side, other, marks, mask, id] => code.commit(Sides { side, other, marks, mask }, id),
            _ => {}
        }
        let func = self.module.functions.push(function);
        self.pipe_functions.insert(which, func);
        func
    }
}

/// What a commit works on.
#[derive(Clone, Copy)]
struct Sides {
    /// The words of those who commit.
    side: Value,
    /// The words of the others, who get credits.
    other: Value,
    /// The mark of slot 0.
    marks: Value,
    /// The number of slots minus 1.
    mask: Value,
}

/// Appends to a function of the library.
struct Code<'f> {
    b: Builder<'f>,
}

impl Code<'_> {
    fn int(&mut self, n: u32) -> Value {
        self.b.constant(Type::I32, n.into())
    }

    fn block(&mut self) -> Block {
        self.b.func.add_block()
    }

    fn word(&mut self, side: Value, offset: u32) -> Value {
        match offset {
            0 => side,
            _ => {
                let bytes = self.b.size(offset.into());
                self.b.ptr_add(side, bytes)
            }
        }
    }

    /// An atomic operation on a word; its old value.
    fn atomic(&mut self, op: AtomicOp, word: Value, operands: &[Value]) -> Value {
        self.b.atomic(op, Type::I32, word, operands, MemFlags::aligned(4))
    }

    /// All accesses before it happen before all behind it.
    fn fence(&mut self) {
        let flags = FenceFlags { local: false, global: true };
        self.b.inst(Op::Fence(flags), [], None);
    }

    fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    /// A branch that gives one of its targets a value.
    fn branch(&mut self, cond: Value, then_: (Block, &[Value]), else_: (Block, &[Value])) {
        let call = |(block, args): (Block, &[Value])| BlockCall::new(block, args.iter().copied());
        let (then_, else_) = (call(then_), call(else_));
        self.b.terminate(Terminator::Branch { cond, then_, else_ });
    }

    /// The reservation of `count` packets, for which there is credit: they get the next positions. What the other side did
    /// to their slots has happened.
    fn numbered(&mut self, side: Value, count: Value) {
        let next = self.word(side, place::NEXT);
        let start = self.atomic(AtomicOp::Add, next, &[count]);
        self.fence();
        let id = self.b.value(Op::Concat, [count, start], RESERVATION);
        self.b.ret(Some(id));
    }

    fn refused(&mut self) {
        let none = self.b.constant(RESERVATION, 0);
        self.b.ret(Some(none));
    }

    /// Takes a credit, and gives it back if there was none.
    fn take(&mut self, side: Value) {
        let (got, none) = (self.block(), self.block());
        let (zero, one) = (self.int(0), self.int(1));
        let credit = self.word(side, place::CREDIT);
        let old = self.atomic(AtomicOp::Sub, credit, &[one]);
        let enough = self.b.icmp(IntCC::Sgt, old, zero);
        self.branch(enough, (got, &[]), (none, &[]));
        self.b.switch_to(got);
        let one = self.int(1);
        self.numbered(side, one);
        self.b.switch_to(none);
        let one = self.int(1);
        let credit = self.word(side, place::CREDIT);
        self.atomic(AtomicOp::Add, credit, &[one]);
        self.refused();
    }

    /// Takes as many credits at once if they are there.
    fn reserve(&mut self, side: Value, count: Value) {
        let [look, swap, got, none] = [(); 4].map(|()| self.block());
        let credit = self.word(side, place::CREDIT);
        let first = self.atomic(AtomicOp::Load, credit, &[]);
        self.b.jump(look, [first]);
        let there = self.b.func.add_param(look, Type::I32);
        self.b.switch_to(look);
        // 1 <= count <= there, which may be negative
        let (zero, one) = (self.int(0), self.int(1));
        let any = self.b.icmp(IntCC::Sgt, there, zero);
        let last = self.binary(Op::Sub, count, one);
        let fits = self.b.icmp(IntCC::Ult, last, there);
        let fits = self.binary(Op::And, any, fits);
        self.branch(fits, (swap, &[]), (none, &[]));
        self.b.switch_to(swap);
        let left = self.binary(Op::Sub, there, count);
        let old = self.atomic(AtomicOp::CmpXchg, credit, &[left, there]);
        let done = self.b.icmp(IntCC::Eq, old, there);
        self.branch(done, (got, &[]), (look, &[old]));
        self.b.switch_to(got);
        self.numbered(side, count);
        self.b.switch_to(none);
        self.refused();
    }

    /// Moves the border of what is committed over the reservation if everything before it is committed, and then over those
    /// behind it that have left a mark. Else leaves a mark, for whoever moves the border up to it.
    fn commit(&mut self, sides: Sides, id: Value) {
        let Sides { side, other, marks, mask } = sides;
        let [valid, early, move_over, look, claim, next, exit] = [(); 7].map(|()| self.block());
        let (start, count) = self.parts(id);
        let zero = self.int(0);
        let is_valid = self.b.icmp(IntCC::Sgt, count, zero);
        self.branch(is_valid, (valid, &[]), (exit, &[]));

        self.b.switch_to(valid);
        // What was done to the packets happens before they count as committed.
        self.fence();
        let border = self.word(side, place::DONE);
        let end = self.binary(Op::Add, start, count);
        let old = self.atomic(AtomicOp::CmpXchg, border, &[end, start]);
        let first = self.b.icmp(IntCC::Eq, old, start);
        self.branch(first, (move_over, &[count, end]), (early, &[]));

        self.b.switch_to(early);
        let one = self.int(1);
        let left = self.word(side, place::MARKS);
        self.atomic(AtomicOp::Add, left, &[one]);
        let mark = self.mark(marks, mask, start);
        self.atomic(AtomicOp::Store, mark, &[end]);
        // Who moves the border to `start` looks for marks afterwards, and this looks for the border after leaving one: one of
        // the two sees the other.
        self.fence();
        let reached = self.atomic(AtomicOp::Load, border, &[]);
        self.branch_to(move_over, &[zero, reached]);

        // The border stands at `reached`; `moved` packets more are committed.
        let moved = self.b.func.add_param(move_over, Type::I32);
        let reached = self.b.func.add_param(move_over, Type::I32);
        self.b.switch_to(move_over);
        let credit = self.word(other, place::CREDIT);
        self.atomic(AtomicOp::Add, credit, &[moved]);
        self.fence();
        // Mostly there are none, and the slot's is not worth a place in a cache.
        let left = self.word(side, place::MARKS);
        let count = self.atomic(AtomicOp::Load, left, &[]);
        let zero = self.int(0);
        let any = self.b.icmp(IntCC::Ne, count, zero);
        self.branch(any, (look, &[]), (exit, &[]));

        self.b.switch_to(look);
        let mark = self.mark(marks, mask, reached);
        let seen = self.atomic(AtomicOp::Load, mark, &[]);
        let length = self.binary(Op::Sub, seen, reached);
        let one = self.int(1);
        let last = self.binary(Op::Sub, length, one);
        let is_mark = self.b.icmp(IntCC::Ult, last, mask);
        self.branch(is_mark, (claim, &[]), (exit, &[]));

        // Only one gets the mark. What it leaves is none for any position.
        self.b.switch_to(claim);
        let old = self.atomic(AtomicOp::CmpXchg, mark, &[reached, seen]);
        let mine = self.b.icmp(IntCC::Eq, old, seen);
        self.branch(mine, (next, &[]), (exit, &[]));

        self.b.switch_to(next);
        let one = self.int(1);
        let left = self.word(side, place::MARKS);
        self.atomic(AtomicOp::Sub, left, &[one]);
        self.atomic(AtomicOp::Store, border, &[seen]);
        self.branch_to(move_over, &[length, seen]);

        self.b.switch_to(exit);
        self.b.ret(None);
    }

    fn branch_to(&mut self, block: Block, args: &[Value]) {
        self.b.jump(block, args.iter().copied());
    }

    /// First position and number of packets of a reservation.
    fn parts(&mut self, id: Value) -> (Value, Value) {
        let start = self.b.value(Op::Slice { lo: 0 }, [id], Type::I32);
        let count = self.b.value(Op::Slice { lo: 32 }, [id], Type::I32);
        (start, count)
    }

    /// The address of the mark of a position's slot.
    fn mark(&mut self, marks: Value, mask: Value, position: Value) -> Value {
        let slot = self.binary(Op::And, position, mask);
        let slot = self.b.zext_or_trunc(slot, self.b.func.addr_bits);
        let shift = self.b.size(place::MARK_BYTES.ilog2().into());
        let offset = self.binary(Op::Shl, slot, shift);
        self.b.ptr_add(marks, offset)
    }
}
