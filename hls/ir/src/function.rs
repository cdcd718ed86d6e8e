//! Functions: data flow (values, instructions) apart from layout (blocks and their order).

use crate::entities::{Block, Global, Inst, Object, Table, Value};
use crate::op::{FastMath, Op};
use crate::types::{Space, Type};
use base::entity::{PrimaryMap, SecondaryMap};
use base::{Loc, SmallVec};

/// Operand list.
pub type ValueList = SmallVec<[Value; 4]>;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// Result of an instruction.
    Inst(Inst),
    /// Parameter of a block, by position.
    Param(Block, u32),
}

/// A value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub def: ValueDef,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// Operation with its static part.
    pub op: Op,
    /// Operands.
    pub args: ValueList,
    /// The result; none for stores, barriers, fences and calls of void functions.
    pub result: Option<Value>,
    /// For effects: effects of the same block that must happen before this one.
    /// Effects of different blocks are ordered by control flow; those of one block
    /// only by these lists (and what they imply).
    pub after: SmallVec<[Inst; 2]>,
    /// Permissions beyond IEEE.
    pub fast_math: FastMath,
    /// Source place.
    pub loc: Loc,
}

/// A jump target with the values of its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockCall {
    /// Target.
    pub block: Block,
    /// One value for each parameter of the target.
    pub args: ValueList,
}

impl BlockCall {
    /// Jump to `block` with `args`.
    pub fn new(block: Block, args: impl IntoIterator<Item = Value>) -> Self {
        BlockCall { block, args: args.into_iter().collect() }
    }
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Unconditional.
    Jump(BlockCall),
    /// On an i1.
    Branch {
        /// Condition.
        cond: Value,
        /// Taken when 1.
        then_: BlockCall,
        /// Taken when 0.
        else_: BlockCall,
    },
    /// On an integer; case values are distinct.
    Switch {
        /// Selector.
        value: Value,
        /// Value and target.
        cases: Vec<(u128, BlockCall)>,
        /// Otherwise.
        default: BlockCall,
    },
    /// End of the work-item, or of the function with its result.
    Return(Option<Value>),
    /// Never reached; hardware treats it as the end of the work-item.
    Unreachable,
}

impl Terminator {
    /// All targets in order (a target can occur more than once).
    pub fn targets(&self) -> SmallVec<[&BlockCall; 2]> {
        match self {
            Terminator::Jump(t) => SmallVec::from_iter([t]),
            Terminator::Branch { then_, else_, .. } => SmallVec::from_iter([then_, else_]),
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|(_, t)| t).chain([default]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => SmallVec::new(),
        }
    }

    /// All targets, mutable.
    pub fn targets_mut(&mut self) -> SmallVec<[&mut BlockCall; 2]> {
        match self {
            Terminator::Jump(t) => SmallVec::from_iter([t]),
            Terminator::Branch { then_, else_, .. } => SmallVec::from_iter([then_, else_]),
            Terminator::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, t)| t).chain([default]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable => SmallVec::new(),
        }
    }

    /// Calls `f` on every value used, targets' arguments included.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::Branch { cond, .. } => f(*cond),
            Terminator::Switch { value, .. } => f(*value),
            Terminator::Return(Some(v)) => f(*v),
            _ => {}
        }
        for t in self.targets() {
            t.args.iter().for_each(|v| f(*v));
        }
    }

    /// Replaces every value used.
    pub fn map_uses(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Terminator::Branch { cond, .. } => *cond = f(*cond),
            Terminator::Switch { value, .. } => *value = f(*value),
            Terminator::Return(Some(v)) => *v = f(*v),
            _ => {}
        }
        for t in self.targets_mut() {
            t.args.iter_mut().for_each(|v| *v = f(*v));
        }
    }
}

/// What the source asks for a loop; stands on its header block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoopHint {
    /// `Some(0)`: fully; `Some(1)`: do not unroll; `Some(n)`: n times.
    pub unroll: Option<u32>,
    /// Wanted initiation interval (`SPV_INTEL_fpga_loop_controls`).
    pub ii: Option<u32>,
    /// No loop-carried memory dependence: promised by the source (`ivdep`) or proved by the optimiser.
    pub ivdep: bool,
    /// Dependence distance of at least this many iterations (0 = unknown).
    pub dependency_length: u32,
    /// Most work-items or iterations in flight (`max_concurrency`), 0 = no limit given.
    pub max_concurrency: u32,
    /// The loop does not become one with another loop in front of it or behind it (`nofusion`).
    pub no_fusion: bool,
    /// Whether iterations begin before it is known that there are any.
    pub speculation: Speculation,
}

/// Whether iterations of a loop in a kernel of one work-item begin before it is known that the loop goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Speculation {
    /// Where that shortens the interval.
    #[default]
    Automatic,
    /// Never: the source says so (`speculated_iterations 0`).
    Off,
    /// They do. The block loops on itself and leaves when its condition is 1. That is `and alive, leaves`, where `alive` is a parameter
    /// which is 1 on every way in and becomes `and alive, !leaves`; whatever the block does but loads is predicated by it. So what
    /// iterations do that begin behind the one that leaves is of no consequence: `alive` is 0 in them, and they neither leave nor go on.
    On,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Parameters (in place of phi instructions).
    pub params: Vec<Value>,
    /// Instructions in an order in which every value is defined before its use and every
    /// effect comes after those in its `after` list.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Terminator,
    /// Source place of the terminator.
    pub term_loc: Loc,
    /// Set on loop headers.
    pub hint: LoopHint,
}

/// A memory object that a function names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectData {
    /// For messages and generated names.
    pub name: String,
    /// Space; never generic. A global or constant object stands for a module variable.
    pub space: Space,
    /// Size in bytes; 0 for local kernel arguments, whose size the host gives.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// What it is.
    pub kind: ObjectKind,
    /// Declaration in the source.
    pub loc: Loc,
}

/// Origin of a memory object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A variable of this function: private memory of each work-item.
    Variable,
    /// A variable of the module (constant, global or local space).
    Global(Global),
    /// A local-pointer argument of a kernel, by argument index.
    LocalArg(u32),
}

/// A constant look-up table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableData {
    /// Bits of an entry, 1..=128.
    pub width: u8,
    /// Entries.
    pub entries: Vec<u128>,
}

/// What OpenCL says of a kernel argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    /// Name, or the empty string when the module has none.
    pub name: String,
    /// OpenCL type name such as `float*`, or empty.
    pub type_name: String,
    /// What is passed.
    pub kind: KernelArgKind,
    /// Bytes passed (pointers: the address width; by-value structs: their size).
    pub size: u32,
    /// Alignment of the argument, or of what a pointer points to (0 = unknown). The optimiser may raise that of a pointer to what
    /// it then relies on.
    pub align: u32,
    /// Pointer that nothing else aliases (`restrict`).
    pub restrict: bool,
    /// The kernel does not write through it.
    pub no_write: bool,
    /// The kernel does not read through it.
    pub no_read: bool,
}

/// Kinds of kernel arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KernelArgKind {
    /// Pointer to device memory (global or constant space).
    Pointer(Space),
    /// Local memory of a size that the host gives.
    LocalPointer,
    /// Bytes by value: scalar, vector or struct. The type, when it is a scalar or vector.
    Value(Option<Type>),
    /// An image: its descriptor by value, whose first field is the address of the texels (crate `abi`).
    /// `restrict`, `no_write` and `no_read` speak of the texels. With the numbers of channel order and data type, as OpenCL's
    /// host API has them, where these are known: images of other formats are refused at the launch.
    Image(Option<[u32; 2]>),
    /// A sampler: an i32 with the bits of OpenCL C's sampler constants.
    Sampler,
    /// A queue on the device: its number as an integer of the width of addresses, 0 for none.
    Queue,
    /// A pipe: its descriptor by value, whose first field is the address of the pipe object (crate `abi`). `restrict` speaks
    /// of the object, which the kernel reads and writes whatever it does to the packets: these by loads and stores only, the
    /// rest by atomic operations only.
    Pipe(PipeAccess),
}

/// What a kernel does to the packets of a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PipeAccess {
    /// Writes packets rather than reads them.
    pub writes: bool,
    /// Bytes of a packet; none where the kernel neither reads nor writes any.
    pub packet: Option<u32>,
    /// Most packets that it holds, if it is connected: a FIFO beside the kernel, which only [`crate::Op::Pipe`] uses. 0 until
    /// somebody decides, which is before hardware is made.
    pub connected: Option<u32>,
    /// Of a pipe in memory that stands for a FIFO: the most packets that the FIFO holds. That is what the kernel is told and what it
    /// may reserve at once; the object may hold more, where writers have to be done before readers begin.
    pub limit: Option<u32>,
    /// It stands for a channel, which the program declares outside of its kernels: hosts know of no such argument.
    pub channel: bool,
}

impl PipeAccess {
    /// The most packets that the pipe holds for the kernel, where that is known and not what its object says.
    pub fn most(self) -> Option<u32> {
        self.connected.or(self.limit).filter(|most| *most > 0)
    }
}

impl KernelArgKind {
    /// Whether the argument is a device address, or holds one, for whose memory `restrict` and the like are meant.
    pub fn points(self) -> bool {
        use KernelArgKind::{Image, Pipe, Pointer};
        matches!(self, Pointer(_) | Image(_) | Pipe(_))
    }

    /// Whether its bytes are passed.
    pub fn by_value(self) -> bool {
        use KernelArgKind::{LocalPointer, Pointer};
        !matches!(self, Pointer(_) | LocalPointer)
    }
}

/// Most work-items of a work-group that a kernel may ask for: generated hardware counts them with 16 bits.
pub const MOST_WORK_ITEMS: u32 = 65_535;

/// How many sub-groups each work-group of a kernel has (`SubgroupsPerWorkgroup`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubGroups {
    /// Sub-groups of a work-group, at least 1.
    pub count: u32,
    /// Work-items of a sub-group, at least 1; the last sub-group of a work-group may have fewer.
    pub size: u32,
}

impl SubGroups {
    /// Fewest work-items of a work-group with so many.
    pub fn fewest_work_items(self) -> u64 {
        (u64::from(self.count) - 1) * u64::from(self.size) + 1
    }

    /// Most work-items of a work-group with so many.
    pub fn most_work_items(self) -> u32 {
        self.count.saturating_mul(self.size).min(MOST_WORK_ITEMS)
    }

    /// Whether there are so many in a work-group of `items` work-items.
    pub fn fits(self, items: u32) -> bool {
        items.div_ceil(self.size) == self.count
    }
}

/// Kernel attributes and execution modes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelInfo {
    /// Arguments in order.
    pub args: Vec<KernelArg>,
    /// `reqd_work_group_size`
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// `work_group_size_hint`
    pub work_group_size_hint: Option<[u32; 3]>,
    /// `max_work_group_size` (product), when the source gives it.
    pub max_work_group_size: Option<[u32; 3]>,
    /// Sub-groups of each work-group, remainders too; what else is said of work-groups allows that.
    pub sub_groups: Option<SubGroups>,
    /// `max_global_work_dim`; 0 = single work-item kernel.
    pub max_global_work_dim: Option<u32>,
    /// `num_simd_work_items`
    pub num_simd_work_items: Option<u32>,
    /// Work-items of a token, 2 to 16, a power of two; none: the function is written for one.
    /// Tokens end where the global id in dimension 0 is a multiple of it and where a row of the
    /// work-group ends, so the first and the last token of a row may lack work-items.
    pub simd_lanes: Option<u32>,
    /// Whether rows of work-groups begin at such multiples, which launches must then see to: the
    /// first work-item of each token is there, and its local id is a multiple, too. Where this does
    /// not hold, the function does not ask for local or linear ids in dimension 0.
    pub simd_group_rows: bool,
    /// Nothing in the kernel tells work-groups apart, and it loops: hardware runs one work-item after the other, as if
    /// each were a group, and overlaps the iterations of each. Launches may have groups of as many work-items as this.
    pub groups_of_one: Option<u32>,
    /// `vec_type_hint`, as text.
    pub vec_type_hint: Option<String>,
    /// `ContractionOff`: a*b+c must not become fma.
    pub contraction_off: bool,
    /// Made of a block: other kernels enqueue it, the host does not launch it by itself.
    pub enqueued: bool,
    /// Names of the kernels that it may enqueue itself.
    pub enqueues: Vec<String>,
}

impl KernelInfo {
    /// Whether work-groups are single work-items: by declaration, or because that makes no difference.
    pub fn has_groups_of_one(&self) -> bool {
        self.is_declared_task() || self.groups_of_one.is_some()
    }

    /// Whether the source says that work-groups are single work-items.
    pub fn is_declared_task(&self) -> bool {
        self.reqd_work_group_size == Some([1, 1, 1]) || self.max_global_work_dim == Some(0)
    }

    /// Most work-items of a work-group, where anything says.
    pub fn largest_work_group(&self) -> Option<u32> {
        let given = self.max_work_group_size.or(self.reqd_work_group_size);
        let given = given.map(|s| s.iter().fold(1, |items: u32, n| items.saturating_mul(*n)));
        let divided = self.sub_groups.map(SubGroups::most_work_items);
        given.into_iter().chain(divided).min()
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name from the source.
    pub name: String,
    /// Set for kernels. A kernel's entry block has no parameters: arguments are read by `arg`.
    pub kernel: Option<KernelInfo>,
    /// Result type of a non-kernel function.
    pub result: Option<Type>,
    /// Width of pointers and `size_t`: 32 or 64.
    pub addr_bits: u32,
    /// All values ever made.
    pub values: PrimaryMap<Value, ValueData>,
    /// All instructions ever made; those in no block are dead.
    pub insts: PrimaryMap<Inst, InstData>,
    /// All blocks ever made; those not in `layout` are dead.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Blocks in order, the entry first.
    pub layout: Vec<Block>,
    /// Memory objects.
    pub objects: PrimaryMap<Object, ObjectData>,
    /// Look-up tables.
    pub tables: PrimaryMap<Table, TableData>,
    /// Place of the definition.
    pub loc: Loc,
}

impl Function {
    /// A function without blocks.
    pub fn new(name: impl Into<String>, addr_bits: u32) -> Self {
        Function {
            name: name.into(),
            kernel: None,
            result: None,
            addr_bits,
            values: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            layout: vec![],
            objects: PrimaryMap::new(),
            tables: PrimaryMap::new(),
            loc: Loc::UNKNOWN,
        }
    }

    /// The entry block.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// Adds an empty block at the end of the layout; it ends in `unreachable` until set.
    pub fn add_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData {
            params: vec![],
            insts: vec![],
            term: Terminator::Unreachable,
            term_loc: Loc::UNKNOWN,
            hint: LoopHint::default(),
        });
        self.layout.push(block);
        block
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u32;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes an instruction without putting it into a block.
    pub fn make_inst(
        &mut self,
        op: Op,
        args: impl IntoIterator<Item = Value>,
        result: Option<Type>,
        loc: Loc,
    ) -> Inst {
        let inst = self.insts.push(InstData {
            op,
            args: args.into_iter().collect(),
            result: None,
            after: SmallVec::new(),
            fast_math: FastMath::default(),
            loc,
        });
        if let Some(ty) = result {
            let value = self.values.push(ValueData { ty, def: ValueDef::Inst(inst) });
            self.insts[inst].result = Some(value);
        }
        inst
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// Total bits of a value.
    pub fn bits(&self, value: Value) -> u32 {
        self.ty(value).bits(self.addr_bits)
    }

    /// Bytes that a load, store or atomic touches.
    pub fn accessed_bytes(&self, inst: Inst) -> u32 {
        let data = &self.insts[inst];
        let value = match data.op {
            Op::Store(_) => data.args.get(1).copied(),
            _ => data.result,
        };
        value.map_or(0, |v| self.ty(v).mem_bytes(self.addr_bits))
    }

    /// The block in which each value of reachable code is made.
    pub fn homes(&self) -> SecondaryMap<Value, Option<Block>> {
        let mut homes: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
        homes.resize(self.values.len());
        for &b in &self.layout {
            let results = self.blocks[b].insts.iter().filter_map(|i| self.insts[*i].result);
            self.blocks[b].params.iter().copied().chain(results).for_each(|v| homes[v] = Some(b));
        }
        homes
    }

    /// The instruction that defines `value`, if it is not a block parameter.
    pub fn def_inst(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            ValueDef::Inst(i) => Some(i),
            ValueDef::Param(..) => None,
        }
    }

    /// The operation that defines `value`, if it is not a block parameter.
    pub fn def_op(&self, value: Value) -> Option<Op> {
        self.def_inst(value).map(|i| self.insts[i].op)
    }

    /// The constant that `value` is, if it is one (each lane, for vectors).
    pub fn as_const(&self, value: Value) -> Option<u128> {
        match self.def_op(value) {
            Some(Op::Const(c)) => Some(c),
            _ => None,
        }
    }

    /// Replaces uses everywhere: each value `v` for which `map[v]` is set becomes the end of
    /// its chain in `map`. Definitions stay; remove dead ones afterwards.
    pub fn substitute(&mut self, map: &SecondaryMap<Value, Option<Value>>) {
        let find = |mut v: Value| {
            while let Some(n) = map[v] {
                v = n;
            }
            v
        };
        for block in self.layout.clone() {
            for k in 0..self.blocks[block].insts.len() {
                let inst = self.blocks[block].insts[k];
                self.insts[inst].args.iter_mut().for_each(|v| *v = find(*v));
            }
            self.blocks[block].term.map_uses(find);
        }
    }

    /// Whether the kernel runs as one work-item: it is declared so, or made so, and uses no work-item id.
    pub fn is_task(&self) -> bool {
        let Some(kernel) = &self.kernel else { return false };
        let asks = self
            .layout
            .iter()
            .flat_map(|b| &self.blocks[*b].insts)
            .any(|i| matches!(self.insts[*i].op, Op::WorkItem(q, _) if !q.is_launch_uniform()));
        kernel.has_groups_of_one() && !asks
    }

    /// Number of instructions in blocks.
    pub fn inst_count(&self) -> usize {
        self.layout.iter().map(|b| self.blocks[*b].insts.len()).sum()
    }
}
