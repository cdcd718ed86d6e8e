//! Operations. Their operands stand in [`crate::InstData::args`]; what is static stands here.
//!
//! Integer operations have no undefined results: each case that SPIR-V leaves undefined is
//! defined here, so that interpreter, emulator and hardware agree bit for bit.

use crate::entities::{Func, Object, Table};
use crate::math::MathFn;
use crate::pipe::PipeOp;
use crate::types::Space;

/// Integer comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntCC {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl IntCC {
    /// All comparisons with their names in IR text.
    pub const ALL: [(IntCC, &'static str); 10] = [
        (IntCC::Eq, "eq"),
        (IntCC::Ne, "ne"),
        (IntCC::Ult, "ult"),
        (IntCC::Ule, "ule"),
        (IntCC::Ugt, "ugt"),
        (IntCC::Uge, "uge"),
        (IntCC::Slt, "slt"),
        (IntCC::Sle, "sle"),
        (IntCC::Sgt, "sgt"),
        (IntCC::Sge, "sge"),
    ];

    /// The comparison that is true exactly when this one is false.
    pub fn inverse(self) -> IntCC {
        use IntCC::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            Ult => Uge,
            Ule => Ugt,
            Ugt => Ule,
            Uge => Ult,
            Slt => Sge,
            Sle => Sgt,
            Sgt => Sle,
            Sge => Slt,
        }
    }

    /// The comparison with its operands exchanged.
    pub fn swapped(self) -> IntCC {
        use IntCC::*;
        match self {
            Eq => Eq,
            Ne => Ne,
            Ult => Ugt,
            Ule => Uge,
            Ugt => Ult,
            Uge => Ule,
            Slt => Sgt,
            Sle => Sge,
            Sgt => Slt,
            Sge => Sle,
        }
    }

    /// Whether operands are compared as two's complement.
    pub fn is_signed(self) -> bool {
        matches!(self, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge)
    }
}

/// Floating-point comparison: a set of the four mutually exclusive outcomes.
/// `FloatCC::LT | FloatCC::EQ` is ordered less-or-equal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FloatCC(pub u8);

impl FloatCC {
    /// True when a < b.
    pub const LT: FloatCC = FloatCC(1);
    /// True when a == b.
    pub const EQ: FloatCC = FloatCC(2);
    /// True when a > b.
    pub const GT: FloatCC = FloatCC(4);
    /// True when an operand is NaN.
    pub const UN: FloatCC = FloatCC(8);

    /// Union of outcomes.
    pub const fn or(self, other: FloatCC) -> FloatCC {
        FloatCC(self.0 | other.0)
    }

    /// Whether all outcomes of `other` are in this set.
    pub const fn has(self, other: FloatCC) -> bool {
        self.0 & other.0 == other.0
    }

    /// Name in IR text: `o`/`u` followed by `lt`, `eq`, `gt`, `le`, `ge`, `ne`, or `ord`, `uno`.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "false", "olt", "oeq", "ole", "ogt", "one", "oge", "ord", "uno", "ult", "ueq", "ule",
            "ugt", "une", "uge", "true",
        ];
        NAMES[usize::from(self.0 & 15)]
    }
}

/// IEEE rounding directions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    Rte,
    /// Toward zero.
    Rtz,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
    /// To nearest, ties away from zero.
    Rhaz,
}

impl Rounding {
    /// All modes with their names.
    pub const ALL: [(Rounding, &'static str); 5] = [
        (Rounding::Rte, "rte"),
        (Rounding::Rtz, "rtz"),
        (Rounding::Rtp, "rtp"),
        (Rounding::Rtn, "rtn"),
        (Rounding::Rhaz, "rhaz"),
    ];

    /// Name in IR text.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(r, _)| *r == self).map_or("?", |(_, n)| n)
    }
}

/// Work-item queries (OpenCL C section on work-item functions). All give the address-width
/// integer `size_t` except `WorkDim` and `LaneMask` (i32).
///
/// In a kernel whose tokens are several work-items ([`crate::KernelInfo::simd_lanes`]) they answer for
/// the token's first work-item; the others follow it along dimension 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Query {
    WorkDim,
    GlobalSize,
    GlobalId,
    GlobalOffset,
    /// Size of this work-item's group, smaller in remainder groups.
    LocalSize,
    /// Size given at the launch.
    EnqueuedLocalSize,
    LocalId,
    NumGroups,
    GroupId,
    GlobalLinearId,
    LocalLinearId,
    /// Bit `k` is 1 when lane `k` of the token is a work-item. The ones stand together, and there is
    /// at least one; where rows of work-groups begin with whole tokens
    /// ([`crate::KernelInfo::simd_group_rows`]) they begin with bit 0.
    LaneMask,
}

impl Query {
    /// All queries with their names in IR text.
    pub const ALL: [(Query, &'static str); 12] = [
        (Query::WorkDim, "work_dim"),
        (Query::GlobalSize, "global_size"),
        (Query::GlobalId, "global_id"),
        (Query::GlobalOffset, "global_offset"),
        (Query::LocalSize, "local_size"),
        (Query::EnqueuedLocalSize, "enqueued_local_size"),
        (Query::LocalId, "local_id"),
        (Query::NumGroups, "num_groups"),
        (Query::GroupId, "group_id"),
        (Query::GlobalLinearId, "global_linear_id"),
        (Query::LocalLinearId, "local_linear_id"),
        (Query::LaneMask, "lane_mask"),
    ];

    /// Name in IR text.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(q, _)| *q == self).map_or("?", |(_, n)| n)
    }

    /// Whether the answer is an i32 rather than a `size_t`.
    pub fn is_i32(self) -> bool {
        matches!(self, Query::WorkDim | Query::LaneMask)
    }

    /// Whether the answer is the same for all work-items of a launch.
    pub fn is_launch_uniform(self) -> bool {
        use Query::*;
        matches!(self, WorkDim | GlobalSize | GlobalOffset | EnqueuedLocalSize | NumGroups)
    }

    /// Whether the answer is counted from the beginning of the work-group's row or of the range's, which only some
    /// kernels of several work-items a token may ask for: [`crate::KernelInfo::simd_group_rows`].
    pub fn counts_from_group_row(self, dim: u8) -> bool {
        match self {
            Query::LocalId => dim == 0,
            _ => matches!(self, Query::LocalLinearId | Query::GlobalLinearId),
        }
    }

    /// Whether the answer is the same for all work-items of a work-group.
    pub fn is_group_uniform(self) -> bool {
        self.is_launch_uniform() || matches!(self, Query::LocalSize | Query::GroupId)
    }
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum AtomicOp {
    /// Reads; takes no value operand.
    Load,
    /// Writes; the result is the old value.
    Store,
    Xchg,
    /// Operands: pointer, desired value, expected value.
    CmpXchg,
    Add,
    Sub,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
}

impl AtomicOp {
    /// All operations with their names in IR text.
    pub const ALL: [(AtomicOp, &'static str); 13] = [
        (AtomicOp::Load, "load"),
        (AtomicOp::Store, "store"),
        (AtomicOp::Xchg, "xchg"),
        (AtomicOp::CmpXchg, "cmpxchg"),
        (AtomicOp::Add, "add"),
        (AtomicOp::Sub, "sub"),
        (AtomicOp::And, "and"),
        (AtomicOp::Or, "or"),
        (AtomicOp::Xor, "xor"),
        (AtomicOp::UMin, "umin"),
        (AtomicOp::UMax, "umax"),
        (AtomicOp::SMin, "smin"),
        (AtomicOp::SMax, "smax"),
    ];

    /// Name in IR text.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(o, _)| *o == self).map_or("?", |(_, n)| n)
    }

    /// Number of value operands after the pointer.
    pub fn value_operands(self) -> usize {
        match self {
            AtomicOp::Load => 0,
            AtomicOp::CmpXchg => 2,
            _ => 1,
        }
    }
}

/// Which memories a barrier or fence orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FenceFlags {
    /// `CLK_LOCAL_MEM_FENCE`
    pub local: bool,
    /// `CLK_GLOBAL_MEM_FENCE`
    pub global: bool,
}

/// Brackets around what a function of sub-groups does, between which all work-items of the work-group go on together.
///
/// In OpenCL such a function is of those work-items that call it. What stands between the brackets waits for the whole
/// work-group, and asks which work-items do call. Where control flow brings all of them together, they all do; elsewhere
/// `ir-opt`, pass `converge`, lets those that call wait for each other and sends the others through, too. It leaves none of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubGroupMark {
    /// `begin turns`: the beginning. The operand points to local memory of three 32-bit words, which the kernel uses for nothing
    /// else; the result is an i1: whether some work-items may go through without calling the function.
    ///
    /// `begin turns, tickets, size, barrier` of a named barrier: local memory of a 32-bit word for each sub-group, used for nothing
    /// else; the most work-items of a sub-group, a constant and power of two; and the barrier, as [`SubGroupMark::NewBarrier`] gives it.
    Begin(SubGroupFn),
    /// Between the brackets: whether the work-item calls the function, an i1.
    Active,
    /// The end.
    End,
    /// `new_barrier count`, not between brackets: a named barrier, an i32 that stands for it, of so many sub-groups, an i32.
    NewBarrier,
}

impl SubGroupMark {
    /// The number of its operands.
    pub fn operands(self) -> usize {
        match self {
            SubGroupMark::Begin(SubGroupFn::NamedBarrier) => 4,
            SubGroupMark::Begin(_) | SubGroupMark::NewBarrier => 1,
            SubGroupMark::Active | SubGroupMark::End => 0,
        }
    }
}

/// Functions of sub-groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum SubGroupFn {
    Elect,
    Vote,
    AllEqual,
    Broadcast,
    Ballot,
    Shuffle,
    Rotate,
    /// Reductions and scans.
    Arithmetic,
    Barrier,
    /// A barrier of some sub-groups.
    NamedBarrier,
    /// Reservations of packets, and their commits.
    Pipe,
}

impl SubGroupFn {
    /// All of them with their names in IR text.
    pub const ALL: [(SubGroupFn, &'static str); 11] = [
        (SubGroupFn::Elect, "elect"),
        (SubGroupFn::Vote, "vote"),
        (SubGroupFn::AllEqual, "all_equal"),
        (SubGroupFn::Broadcast, "broadcast"),
        (SubGroupFn::Ballot, "ballot"),
        (SubGroupFn::Shuffle, "shuffle"),
        (SubGroupFn::Rotate, "rotate"),
        (SubGroupFn::Arithmetic, "arithmetic"),
        (SubGroupFn::Barrier, "barrier"),
        (SubGroupFn::NamedBarrier, "named_barrier"),
        (SubGroupFn::Pipe, "pipe"),
    ];

    /// Name in IR text.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(f, _)| *f == self).map_or("?", |(_, n)| n)
    }

    /// What it is, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            SubGroupFn::Elect => "`sub_group_elect`",
            SubGroupFn::Vote => "a vote of a sub-group",
            SubGroupFn::AllEqual => "`sub_group_non_uniform_all_equal`",
            SubGroupFn::Broadcast => "a broadcast of a sub-group",
            SubGroupFn::Ballot => "`sub_group_ballot`",
            SubGroupFn::Shuffle => "a shuffle of a sub-group",
            SubGroupFn::Rotate => "a rotation of a sub-group",
            SubGroupFn::Arithmetic => "a reduction or scan of a sub-group",
            SubGroupFn::Barrier => "a barrier of a sub-group",
            SubGroupFn::NamedBarrier => "a named barrier",
            SubGroupFn::Pipe => "a reservation of a sub-group",
        }
    }
}

/// Static part of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MemFlags {
    /// log2 of the alignment of the address in bytes.
    pub align_log2: u8,
    /// Never removed, merged or repeated.
    pub volatile: bool,
    /// The last operand is a predicate: when 0 nothing is accessed and a load gives 0. It is i1,
    /// or, for loads and stores, a mask: an integer of `n` bits, at most 64, whose bit `k` is the
    /// predicate of the `k`th of `n` equal parts of the bytes, the lowest first.
    pub predicated: bool,
}

impl MemFlags {
    /// An ordinary access at an address aligned to `align` bytes (a power of two).
    pub fn aligned(align: u32) -> Self {
        MemFlags { align_log2: align.max(1).ilog2() as u8, volatile: false, predicated: false }
    }

    /// Alignment in bytes.
    pub fn align(self) -> u32 {
        1 << self.align_log2
    }
}

/// Arithmetic that exists in a form that flushes subnormal numbers: see [`Op::Flushed`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum FlushedOp {
    Add,
    Sub,
    Mul,
    Div,
    Fma,
    Sqrt,
}

impl FlushedOp {
    /// All of them with their names in IR text.
    pub const ALL: [(FlushedOp, &'static str); 6] = [
        (FlushedOp::Add, "fadd"),
        (FlushedOp::Sub, "fsub"),
        (FlushedOp::Mul, "fmul"),
        (FlushedOp::Div, "fdiv"),
        (FlushedOp::Fma, "fma"),
        (FlushedOp::Sqrt, "fsqrt"),
    ];

    /// Name of the operation in IR text, without `.ftz`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("?", |(_, name)| name)
    }

    /// The operation with subnormal numbers.
    pub fn gradual(self) -> Op {
        match self {
            FlushedOp::Add => Op::FAdd,
            FlushedOp::Sub => Op::FSub,
            FlushedOp::Mul => Op::FMul,
            FlushedOp::Div => Op::FDiv,
            FlushedOp::Fma => Op::Fma,
            FlushedOp::Sqrt => Op::FSqrt,
        }
    }
}

/// An operation. "lane-wise" operations take scalars or vectors of equal lanes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    // --- sources ---
    /// Constant; bits in the low bits of the payload. Vectors: every lane the same.
    Const(u128),
    /// Bytes `offset..` of kernel argument `index`, as the result type. Launch-uniform.
    Arg {
        /// Index of the kernel argument.
        index: u32,
        /// Offset in bytes.
        offset: u32,
    },
    /// Address of a memory object.
    ObjAddr(Object),
    /// Work-item query in dimension 0..=2.
    WorkItem(Query, u8),

    // --- integers, lane-wise; result has the operands' type ---
    /// Sum modulo 2^w.
    Add,
    /// Difference modulo 2^w.
    Sub,
    /// Product modulo 2^w.
    Mul,
    /// Unsigned quotient; x / 0 = all ones.
    UDiv,
    /// Signed quotient toward zero; x / 0 = -1 for x >= 0 and 1 for x < 0; MIN / -1 = MIN.
    SDiv,
    /// Unsigned remainder; x % 0 = x.
    URem,
    /// Signed remainder with the sign of the dividend; x % 0 = x; MIN % -1 = 0.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; amounts >= w give 0.
    Shl,
    /// Logical shift right; amounts >= w give 0.
    LShr,
    /// Arithmetic shift right; amounts >= w give the sign in every bit.
    AShr,
    /// Bitwise complement.
    Not,
    /// Number of leading zeros; w for 0.
    Clz,
    /// Number of ones.
    Popcount,
    /// Bits in reverse order.
    BitReverse,
    /// Comparison; result i1 (lanes as the operands).
    ICmp(IntCC),
    /// `select c, a, b`: c ? a : b, any type; c is i1, scalar or with the lanes of a.
    Select,
    /// Sign extension to the result type.
    Sext,
    /// Zero extension to the result type.
    Zext,
    /// Bits `lo..lo+width(result)` of the operand; `lo = 0` is truncation.
    Slice {
        /// Lowest bit taken.
        lo: u8,
    },
    /// `concat hi, lo` (scalars).
    Concat,
    /// Entry of a constant table; an index past the end gives 0.
    Lookup(Table),

    // --- bits, pointers ---
    /// Same bits, other type of equal total width (vectors: lane 0 in the low bits).
    Bitcast,
    /// Pointer as integer of the address width.
    PtrToInt,
    /// Integer of the address width as pointer.
    IntToPtr,
    /// Pointer plus a byte offset (integer of the address width), wrapping.
    PtrAdd,
    /// Pointer to or from the generic space. To generic adds the space's tag, null stays null;
    /// from generic gives null when the pointer is of another space.
    SpaceCast,

    // --- vectors ---
    /// Vector from its lanes.
    VecBuild,
    /// One lane.
    VecExtract(u8),
    /// `vec.insert vector, scalar`: vector with one lane replaced.
    VecInsert(u8),
    /// `vec.extract_dyn vector, index`: index modulo... past the end gives 0.
    VecExtractDyn,
    /// `vec.insert_dyn vector, scalar, index`: an index past the end changes nothing.
    VecInsertDyn,

    // --- floating point, lane-wise ---
    /// Sum, rounded to nearest even.
    FAdd,
    /// Difference.
    FSub,
    /// Product.
    FMul,
    /// Quotient, correctly rounded.
    FDiv,
    /// Exact remainder with the sign of the dividend (C `fmod`).
    FRem,
    /// `a * b + c` rounded once.
    Fma,
    /// Square root, correctly rounded.
    FSqrt,
    /// Sign bit flipped, NaN too.
    FNeg,
    /// Sign bit cleared.
    FAbs,
    /// `fcopysign a, b`: a with the sign of b.
    FCopysign,
    /// OpenCL `fmin`: the other operand when one is NaN; -0 < +0.
    FMin,
    /// OpenCL `fmax`.
    FMax,
    /// Comparison; result i1.
    FCmp(FloatCC),
    /// Float to integer.
    FpToInt {
        /// Two's complement result.
        signed: bool,
        /// Saturates; NaN gives 0.
        sat: bool,
        /// Rounding direction.
        round: Rounding,
    },
    /// Integer to float.
    IntToFp {
        /// Two's complement operand.
        signed: bool,
        /// Rounding direction.
        round: Rounding,
    },
    /// Float to float of another format.
    FpToFp(Rounding),
    /// `fptofp.sr x, r`: float to float of another format, rounded up in magnitude if the first 32
    /// bits of the fraction of a last place that is lost, plus the i32 `r`, carry.
    FpToFpStochastic,
    /// To an integral value in the same format.
    FRound(Rounding),
    /// A mathematical function.
    Math(MathFn),
    /// The arithmetic of the same name in which a subnormal operand counts as a zero of its sign, and a result whose
    /// magnitude before rounding is below the smallest normal number is a zero of its sign.
    Flushed(FlushedOp),

    // --- effects; ordered by `after` lists and by control flow ---
    /// `load ptr [, predicate]`
    Load(MemFlags),
    /// `store ptr, value [, predicate]`; no result.
    Store(MemFlags),
    /// `atomic ptr, operands.. [, predicate]`; result is the old value.
    Atomic(AtomicOp, MemFlags),
    /// Waits for the whole work-group.
    Barrier(FenceFlags),
    /// A bracket around what a function of sub-groups does; gone after pass `converge`.
    SubGroup(SubGroupMark),
    /// Orders this work-item's accesses.
    Fence(FenceFlags),
    /// `pipe.op [packet] [, predicate]` on a connected pipe.
    Pipe {
        /// What is done.
        op: PipeOp,
        /// Index of the kernel argument.
        arg: u32,
        /// The last operand is an i1: when 0 nothing happens, and a result is 0.
        predicated: bool,
    },
    /// Calls a function of the module; gone after inlining.
    Call(Func),
}

impl Op {
    /// Whether the instruction must stay where the control flow put it.
    pub fn is_effect(self) -> bool {
        matches!(
            self,
            Op::Load(_)
                | Op::Store(_)
                | Op::Atomic(..)
                | Op::Barrier(..)
                | Op::SubGroup(_)
                | Op::Fence(_)
                | Op::Pipe { .. }
                | Op::Call(_)
        )
    }

    /// The operation on a connected pipe, and the argument that the pipe is.
    pub fn pipe(self) -> Option<(PipeOp, u32)> {
        match self {
            Op::Pipe { op, arg, .. } => Some((op, arg)),
            _ => None,
        }
    }

    /// Whether the last operand says if it happens; none of operations that cannot have such an operand.
    pub fn predicated(self) -> Option<bool> {
        match self {
            Op::Pipe { predicated, .. } => Some(predicated),
            op => op.mem_flags().map(|f| f.predicated),
        }
    }

    /// The same operation with or without a predicate; unchanged when it cannot have one.
    pub fn with_predicate(self, predicated: bool) -> Op {
        match self {
            Op::Pipe { op, arg, .. } => Op::Pipe { op, arg, predicated },
            op => op.mem_flags().map_or(op, |f| op.with_mem_flags(MemFlags { predicated, ..f })),
        }
    }

    /// Whether it reads or writes memory through a pointer in operand 0.
    pub fn mem_flags(self) -> Option<MemFlags> {
        match self {
            Op::Load(f) | Op::Store(f) | Op::Atomic(_, f) => Some(f),
            _ => None,
        }
    }

    /// The same operation with other memory flags; unchanged when it has none.
    pub fn with_mem_flags(self, flags: MemFlags) -> Op {
        match self {
            Op::Load(_) => Op::Load(flags),
            Op::Store(_) => Op::Store(flags),
            Op::Atomic(op, _) => Op::Atomic(op, flags),
            other => other,
        }
    }

    /// Whether an unused result makes the instruction removable.
    pub fn is_removable(self) -> bool {
        match self {
            Op::Load(f) => !f.volatile,
            other => !other.is_effect(),
        }
    }

    /// Integer or bit operation with the operands' type as its result and operands of one type.
    pub fn is_int_binary(self) -> bool {
        use Op::*;
        matches!(
            self,
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | And | Or | Xor | Shl | LShr | AShr
        )
    }

    /// Whether operands may be exchanged.
    pub fn is_commutative(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | And | Or | Xor | FAdd | FMul | FMin | FMax)
            || matches!(self, Flushed(FlushedOp::Add | FlushedOp::Mul))
            || matches!(self, ICmp(IntCC::Eq | IntCC::Ne))
    }

    /// Floating-point operation that needs a hardware unit of crate `arith`.
    pub fn is_float_unit(self) -> bool {
        use Op::*;
        matches!(
            self,
            FAdd | FSub
                | FMul
                | FDiv
                | FRem
                | Fma
                | FSqrt
                | FMin
                | FMax
                | FCmp(_)
                | FpToInt { .. }
                | IntToFp { .. }
                | FpToFp(_)
                | FpToFpStochastic
                | FRound(_)
                | Math(_)
                | Flushed(_)
        )
    }

    /// The form of arithmetic that flushes subnormal numbers; other operations as they are.
    pub fn flushed(self) -> Op {
        let form = FlushedOp::ALL.iter().find(|(op, _)| op.gradual() == self);
        form.map_or(self, |(op, _)| Op::Flushed(*op))
    }

    /// The form of arithmetic that has subnormal numbers; other operations as they are.
    pub fn gradual(self) -> Op {
        match self {
            Op::Flushed(op) => op.gradual(),
            other => other,
        }
    }
}

/// What a floating-point instruction may do beyond IEEE (SPIR-V `FPFastMathMode`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FastMath(pub u8);

impl FastMath {
    /// Operands and result are never NaN.
    pub const NO_NAN: u8 = 1;
    /// Nor infinite.
    pub const NO_INF: u8 = 2;
    /// The sign of zero does not matter.
    pub const NO_SIGNED_ZERO: u8 = 4;
    /// Division may multiply by the reciprocal.
    pub const ALLOW_RECIP: u8 = 8;
    /// Algebraic changes are allowed (reassociation).
    pub const FAST: u8 = 16;
    /// May be contracted with a neighbour (a*b+c to fma).
    pub const CONTRACT: u8 = 32;

    /// Whether all of `bits` are set.
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits == bits
    }
}

impl MemFlags {
    /// The same access with a predicate operand.
    pub fn with_predicate(self) -> Self {
        MemFlags { predicated: true, ..self }
    }
}

/// Tag in the two top bits of a generic pointer.
pub fn generic_tag(space: Space) -> u64 {
    match space {
        Space::Local => 1,
        Space::Private => 2,
        _ => 0,
    }
}
