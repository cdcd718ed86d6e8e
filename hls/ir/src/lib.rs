//! Kernel IR: SSA with block parameters, untyped memory, explicit effects.
//!
//! Read in this order: [`types`], [`op`], [`function`], [`module`], [`builder`], [`verify`].
//! The text form (`.clir`) is in [`print`] and [`parse`]; CFG, dominators, loops, liveness and
//! provenance are in [`analysis`]. This crate knows no clock and no SPIR-V.

pub mod analysis;
pub mod builder;
pub mod entities;
pub mod function;
pub mod math;
pub mod module;
pub mod op;
pub mod parse;
pub mod pipe;
pub mod print;
pub mod types;
pub mod verify;

pub use builder::Builder;
pub use entities::{Block, Func, Global, Inst, Object, Table, Value};
pub use function::{
    BlockCall, BlockData, Function, InstData, KernelArg, KernelArgKind, KernelInfo, LoopHint,
    MOST_WORK_ITEMS, ObjectData, ObjectKind, PipeAccess, Speculation, SubGroups, TableData,
    Terminator, ValueDef,
};
pub use math::{MathFn, MathType};
pub use module::{GlobalData, Module};
pub use op::{
    AtomicOp, FastMath, FenceFlags, FloatCC, FlushedOp, IntCC, MemFlags, Op, Query, Rounding,
    SubGroupFn, SubGroupMark,
};
pub use pipe::PipeOp;
pub use types::{FloatKind, FloatSet, Scalar, Space, Type};
