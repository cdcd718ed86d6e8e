//! Functions decoded for execution: dense instructions over numbered 64-bit slots.
//!
//! A value of up to 64 bits a lane takes one slot for each lane, wider ones two (low first).
//! Bits above a lane's width are zero. Lane-wise vector operations are decoded into one
//! instruction for each lane.

use base::entity::PrimaryMap;
use base::{Loc, SmallVec};
use ir::{AtomicOp, FloatCC, IntCC, MemFlags, Op, PipeOp, Query, Space, Table, TableData, Type};

/// Index of a slot in the frame.
pub(crate) type Slot = u32;

/// One instruction. `d` is the destination, `a`, `b`, `c` are sources; `s` is 64 minus the width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Code {
    Move {
        d: Slot,
        a: Slot,
    },
    Add {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        s: u8,
        d: Slot,
        a: Slot,
    },
    Shl {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    LShr {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    AShr {
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    ICmp {
        cc: IntCC,
        s: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Select {
        d: Slot,
        c: Slot,
        a: Slot,
        b: Slot,
    },
    /// From `from` = 64 - width to `s`.
    Sext {
        from: u8,
        s: u8,
        d: Slot,
        a: Slot,
    },
    Slice {
        lo: u8,
        s: u8,
        d: Slot,
        a: Slot,
    },
    /// `w` is the width of the low part.
    Concat {
        w: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    F32 {
        op: FloatOp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    F64 {
        op: FloatOp,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Fma32 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    Fma64 {
        d: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    FCmp32 {
        cc: FloatCC,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FCmp64 {
        cc: FloatCC,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Any other pure operation on scalars: index into [`Decoded::pure`].
    Pure(u32),
    /// Vector operation that is not lane-wise: index into [`Decoded::vector`].
    Vector(u32),
    WorkItem {
        query: Query,
        dim: u8,
        d: Slot,
    },
    /// Address of a private object at this offset of the frame.
    PrivateAddr {
        d: Slot,
        offset: u32,
    },
    /// Index into [`Decoded::memory`].
    Load(u32),
    /// Index into [`Decoded::memory`].
    Store(u32),
    /// Index into [`Decoded::memory`].
    Atomic(u32),
    /// Index into [`Decoded::pipes`].
    Pipe(u32),
    Barrier,
    /// Index into [`Decoded::calls`].
    Call(u32),
    Jump {
        to: u32,
    },
    Branch {
        c: Slot,
        then_: u32,
        else_: u32,
    },
    /// Index into [`Decoded::switches`].
    Switch(u32),
    Return {
        a: Slot,
        count: u32,
    },
    Unreachable,
}

/// Operations of [`Code::F32`] and [`Code::F64`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// A pure operation on scalars, evaluated by [`crate::eval`].
#[derive(Clone, Debug)]
pub(crate) struct PureOp {
    pub op: Op,
    pub result: Type,
    pub d: Slot,
    pub args: SmallVec<[(Type, Slot); 3]>,
}

/// A vector operation that is not lane-wise.
#[derive(Clone, Debug)]
pub(crate) enum VectorOp {
    /// Bits regrouped: lanes of `from` bits starting at `a` to lanes of `to` bits at `d`.
    Bitcast { d: Slot, a: Slot, from: u32, to: u32, bits: u32 },
    /// `count` slots for each of `lanes` lanes.
    ExtractDyn { d: Slot, a: Slot, index: Slot, lanes: u32, count: u32 },
    /// The vector is already in `d`.
    InsertDyn { d: Slot, a: Slot, index: Slot, lanes: u32, count: u32 },
}

/// A load, store or atomic operation.
#[derive(Clone, Debug)]
pub(crate) struct MemoryOp {
    pub space: Space,
    pub flags: MemFlags,
    pub pointer: Slot,
    /// Predicate, if there is one.
    pub predicate: Option<Slot>,
    /// Bits of the predicate: each is that of an equal part of the bytes.
    pub parts: u32,
    /// Destination of loads and atomics, source of stores.
    pub data: Slot,
    /// Value operands of atomics.
    pub operands: [Slot; 2],
    pub atomic: AtomicOp,
    pub lanes: u32,
    /// Bits of a lane.
    pub width: u32,
    /// Bytes of a lane in memory.
    pub lane_bytes: u32,
}

/// An operation on a connected pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeUse {
    pub op: PipeOp,
    /// Index of the argument.
    pub arg: u32,
    /// The first of the slots of the descriptor's fields: [`crate::pipe::FIELDS`].
    pub descriptor: Slot,
    /// Predicate, if there is one.
    pub predicate: Option<Slot>,
    /// First slot of the result or of the packet that is written, and number of slots.
    pub data: Slot,
    pub slots: u32,
    /// How many packets are reserved, the position of one, or a reservation.
    pub number: Option<Slot>,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    /// Index of the callee.
    pub callee: u32,
    /// Slots of the caller, in the order of the callee's parameter slots.
    pub args: Vec<Slot>,
    /// First slot for the result.
    pub result: Slot,
}

/// A switch.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub a: Slot,
    /// Slots of the selector.
    pub count: u32,
    /// Value and target, sorted by value.
    pub cases: Vec<(u128, u32)>,
    pub default: u32,
}

/// A private object in the frame of its function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    /// Offset of its address from the frame's first address.
    pub offset: u64,
    pub size: u64,
    /// Offset of its bytes in the frame's storage.
    pub storage: u64,
    /// Index of the object.
    pub object: u32,
}

/// A slot whose contents are known only once variables and arguments have addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fixup {
    /// Address of a module variable.
    Global { d: Slot, global: ir::Global },
    /// Address of a local pointer argument.
    LocalArg { d: Slot, index: u32 },
    /// Bytes of a kernel argument.
    Arg { d: Slot, index: u32, offset: u32, ty: Type },
}

/// A decoded function.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub code: Vec<Code>,
    /// Source place of each instruction.
    pub locs: Vec<Loc>,
    /// Initial contents of a frame: constants, and what [`Fixup`]s put there.
    pub template: Vec<u64>,
    pub fixups: Vec<Fixup>,
    /// Parameter slots of the entry block.
    pub params: Vec<Slot>,
    pub pure: Vec<PureOp>,
    pub vector: Vec<VectorOp>,
    pub memory: Vec<MemoryOp>,
    pub pipes: Vec<PipeUse>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<SwitchTable>,
    /// Private objects by offset.
    pub regions: Vec<Region>,
    /// Names of all objects of the function, for messages.
    pub object_names: Vec<String>,
    /// Tables of the function.
    pub tables: PrimaryMap<Table, TableData>,
    /// Addresses that a frame takes, guard gaps included.
    pub private_span: u64,
    /// Bytes that a frame's objects take.
    pub private_bytes: u64,
    /// Whether it has a barrier itself.
    pub has_barrier: bool,
}
