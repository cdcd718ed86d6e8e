//! Lowers one function.

mod async_copy;
mod atomics;
mod call;
mod composite;
mod connected;
mod control;
mod convert;
mod copy;
mod descriptor;
mod enqueue;
mod float;
mod group;
pub(crate) mod image;
mod integer;
mod kernel;
mod memory;
mod pipe;
mod pipe_flow;
mod pipe_value;
mod sub_group;
mod sync;
pub(crate) mod table;
mod workitem;

use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::errors::{
    BAD_ID, BAD_OPERAND, R, TOO_LARGE, UNSUPPORTED, UNSUPPORTED_EXT, UNSUPPORTED_TYPE, error, fail,
};
use crate::link::{Job, Linker, Role, located};
use crate::module::{ExtSet, Spv};
use crate::outline::RawFunction;
use crate::types::Kind;
use base::{FxHashMap, Loc, SmallVec, smallvec};
use ir::{Block, Builder, FastMath, Function, Object, ObjectData, ObjectKind, Op, Type, Value};
use rspirv::spirv::{self, StorageClass};

pub(crate) use float::infinity;
use pipe_flow::PipeFlow;
use pipe_value::PipeValue;
pub(crate) use pipe_value::{Shape, Shapes};
pub(crate) use workitem::Builtin;

/// The scalars, vectors and pointers that make up one SPIR-V value.
pub(crate) type Leaves = SmallVec<[Value; 4]>;

/// What a SPIR-V id stands for in a function.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// A value, taken apart.
    Leaves(Leaves),
    /// A pointer to a built-in variable, or to one component of it.
    Builtin(Builtin),
    /// A pipe that is connected, can be so, or is in memory and told the depth of a FIFO.
    Pipe(PipeValue),
}

/// Lowers the function of `job` into its place in the module. Errors are reported to `link`;
/// unsupported instructions do not end the function, so that all of them are named at once.
pub(crate) fn lower(link: &mut Linker, job: Job) {
    let spv = link.spv;
    let Some(raw) = spv.functions.get(&job.function) else { return };
    let name = std::mem::take(&mut link.module.functions[job.func].name);
    let mut func = Function::new(name, spv.types.addr_bits);
    let entry = func.add_block();
    let mut lower = Lower {
        spv,
        raw,
        b: Builder::at(&mut func, entry),
        link,
        vals: FxHashMap::default(),
        constants: FxHashMap::default(),
        objects: FxHashMap::default(),
        pipes: PipeFlow::default(),
        blocks: FxHashMap::default(),
        ends: vec![None; raw.blocks.len()],
        phis: FxHashMap::default(),
        edges: vec![],
        id: job.func,
        return_slot: None,
        strict_fast_math: FastMath::default(),
        depth: 0,
        counted: 0,
    };
    lower.b.flush = spv.flush;
    let result = lower.function(&job);
    let loc = lower.b.loc;
    if let Err(e) = result {
        let e = lower.placed(e, loc);
        lower.link.report(*e);
    }
    link.module.functions[job.func] = func;
}

/// State while one function is lowered.
pub(crate) struct Lower<'a, 'f, 'l> {
    pub spv: &'a Spv<'a>,
    pub raw: &'a RawFunction,
    pub link: &'l mut Linker<'a>,
    pub b: Builder<'f>,
    vals: FxHashMap<Id, Val>,
    /// Constants made in a block, so that each is made there once.
    constants: FxHashMap<(Block, Id), Leaves>,
    /// Objects of variables, of the module and of this function.
    objects: FxHashMap<Id, Object>,
    /// Where connected pipes come to in this function.
    pipes: PipeFlow,
    /// IR block in which the block with this position begins.
    blocks: FxHashMap<usize, Block>,
    /// IR block in which it ends.
    ends: Vec<Option<Block>>,
    /// The phis of the block with this position.
    phis: FxHashMap<usize, Vec<control::Phi>>,
    /// Positions of blocks in the order in which they were lowered.
    edges: Vec<usize>,
    /// The function in the module that is made.
    id: ir::Func,
    /// Where an aggregate result goes.
    return_slot: Option<Value>,
    strict_fast_math: FastMath,
    /// Constant expressions being lowered inside one another.
    depth: u32,
    /// IR instructions already counted against the limit.
    counted: usize,
}

impl<'a> Lower<'a, '_, '_> {
    fn function(&mut self, job: &Job) -> R<()> {
        let spv = self.spv;
        let order = self.raw.reverse_postorder();
        self.blocks.insert(0, self.b.block());
        for &k in order.iter().skip(1) {
            let block = self.b.func.add_block();
            self.blocks.insert(k, block);
        }
        self.b.loc = self.first_line();
        self.b.func.loc = self.b.loc;
        match job.role {
            Role::Kernel(k) => self.kernel_parameters(k)?,
            Role::Block => self.block_parameters()?,
            Role::Callee => self.parameters(&job.pipes)?,
        }
        self.follow_pipes(&order)?;
        for &k in &order {
            self.phi_parameters(k)?;
        }
        for &k in &order {
            let block = self.blocks[&k];
            self.b.switch_to(block);
            self.block(&spv.insts[self.raw.blocks[k].insts.clone()])?;
            self.ends[k] = Some(self.b.block());
            self.edges.push(k);
        }
        self.phi_arguments()?;
        self.loops_of_source();
        self.check_dominance()
    }

    /// The place of the first line that the function names: where to point for the whole.
    fn first_line(&self) -> Loc {
        let spv = self.spv;
        let end = self.raw.blocks.last().map_or(self.raw.inst, |b| b.insts.end);
        let before = self.raw.inst.checked_sub(1).map(|k| &spv.insts[k]);
        let inside = spv.insts[self.raw.inst..end].iter();
        before
            .into_iter()
            .chain(inside)
            .find(|i| i.op == spirv::Op::Line)
            .map_or(Loc::UNKNOWN, |i| spv.line(i))
    }

    /// The error with its place: the line, or at least the function (clang-22 gives no lines).
    fn placed(&self, e: Box<base::Diagnostic>, loc: Loc) -> Box<base::Diagnostic> {
        if !e.labels.is_empty() || loc.is_known() {
            return located(e, loc);
        }
        let name = &self.b.func.name;
        let name = name.strip_prefix("__clang_ocl_kern_imp_").unwrap_or(name);
        let note = format!("in function `{name}`");
        if e.notes.contains(&note) { e } else { Box::new(e.note(note)) }
    }

    fn block(&mut self, insts: &[Inst<'a>]) -> R<()> {
        self.b.loc = Loc::UNKNOWN;
        for inst in insts {
            self.b.fast_math = self.fast_math(inst);
            if let Err(e) = self.inst(inst) {
                let e = self.placed(e, self.b.loc.or(self.b.func.loc));
                let known = matches!(e.code, UNSUPPORTED | UNSUPPORTED_EXT | UNSUPPORTED_TYPE);
                // What is only unsupported gets a stand-in, to find the rest of it.
                if !known || self.stand_in(inst).is_err() {
                    return Err(e);
                }
                if !self.link.report(*e) {
                    return fail(UNSUPPORTED, "too many errors, the rest is not shown");
                }
            }
            let made = self.b.func.insts.len();
            let counted = std::mem::replace(&mut self.counted, made);
            self.link.spend(made - counted)?;
        }
        Ok(())
    }

    fn stand_in(&mut self, inst: &Inst) -> R<()> {
        match inst.ty {
            Some(ty) if self.spv.types.get(ty)?.kind != Kind::Void => {
                let zero = self.zero(ty)?;
                self.set_all(inst, zero)
            }
            _ => Ok(()),
        }
    }

    /// Lowers one instruction.
    pub fn inst(&mut self, inst: &Inst<'a>) -> R<()> {
        match inst.op {
            spirv::Op::Line => self.b.loc = self.spv.line(inst),
            spirv::Op::NoLine => self.b.loc = Loc::UNKNOWN,
            op => {
                self.check_decorations(inst)?;
                return (table::handler(op)?)(self, inst);
            }
        }
        Ok(())
    }

    /// `OpExtInst`
    fn ext_inst(&mut self, inst: &Inst<'a>) -> R<()> {
        match self.spv.ext_sets.get(&inst.arg(0)?) {
            Some(ExtSet::OpenCl) => crate::ext_inst::lower(self, inst),
            Some(ExtSet::Debug { lines: true }) => {
                self.debug_line(inst);
                Ok(())
            }
            Some(_) => Ok(()),
            None => fail(
                BAD_ID,
                format!("{} is not an extended instruction set", self.spv.describe(inst.arg(0)?)),
            ),
        }
    }

    /// `DebugLine` and `DebugNoLine` of NonSemantic.Shader.DebugInfo.100.
    fn debug_line(&mut self, inst: &Inst) {
        let number = |k: usize| {
            let id = inst.args.get(k)?;
            self.spv.consts.scalar(*id).and_then(|n| u32::try_from(n).ok())
        };
        match inst.args.get(1) {
            Some(103) => {
                let file = inst.args.get(2).and_then(|source| self.spv.files.get(*source));
                self.b.loc = match (file, number(3)) {
                    (Some(file), Some(line)) => Loc { file, line, column: number(5).unwrap_or(0) },
                    _ => Loc::UNKNOWN,
                };
            }
            Some(104) => self.b.loc = Loc::UNKNOWN,
            _ => {}
        }
    }

    fn fast_math(&self, inst: &Inst) -> FastMath {
        let Some(id) = inst.result else { return self.strict_fast_math };
        let deco = self.spv.deco.of(id);
        let mut flags = deco.fast_math();
        if !self.spv.contract {
            flags.0 &= !FastMath::CONTRACT;
        } else if self.spv.contracted.contains(&id) && !deco.no_contraction {
            flags.0 |= FastMath::CONTRACT;
        }
        // Producers do not decorate functions, `fma` among them.
        let type_of = || self.result_type(inst).ok();
        if self.spv.unsafe_math && type_of().is_some_and(Type::is_float) {
            flags.0 |= FastMath::FAST;
        }
        flags
    }

    // --- values ---

    /// Says what an id stands for.
    fn define(&mut self, id: Id, leaves: Leaves) {
        self.vals.insert(id, Val::Leaves(leaves));
    }

    /// The value of an id.
    pub fn val(&mut self, id: Id) -> R<Val> {
        if let Some(v) = self.vals.get(&id) {
            return Ok(v.clone());
        }
        if self.spv.consts.get(id).is_none() {
            let text = format!("{} is used but not defined before", self.spv.describe(id));
            return fail(BAD_ID, text);
        }
        self.constant(id)
    }

    /// The leaves of a value.
    pub fn leaves(&mut self, id: Id) -> R<Leaves> {
        match self.val(id)? {
            Val::Leaves(l) => {
                // Every use copies the list: large values must not be used without end.
                self.link.spend(l.len() / 16)?;
                Ok(l)
            }
            Val::Pipe(pipe) => match pipe.only_memory() {
                Some(descriptor) => Ok(descriptor.clone()),
                None => Err(self.used_otherwise(id)),
            },
            Val::Builtin(_) => fail(
                UNSUPPORTED,
                format!(
                    "the address of built-in variable {} is used other than to load it",
                    self.spv.describe(id)
                ),
            ),
        }
    }

    /// The error for a connected pipe where only a pipe in memory can be.
    fn used_otherwise(&self, id: Id) -> Box<base::Diagnostic> {
        let what = "is used other than by functions of pipes, calls, selections and variables";
        let e = error(UNSUPPORTED, format!("connected pipe {} {what}", self.spv.describe(id)));
        Box::new(e.help(match self.spv.types.addressed {
            true => "a block can capture pipes in memory only",
            false => {
                "do not connect it: a pipe in memory can be returned and kept in memory of any kind"
            }
        }))
    }

    /// A value that is one scalar, vector or pointer.
    pub fn one(&mut self, id: Id) -> R<Value> {
        match self.leaves(id)?[..] {
            [v] => Ok(v),
            _ => fail(
                BAD_OPERAND,
                format!("{} must be a scalar, vector or pointer", self.spv.describe(id)),
            ),
        }
    }

    /// Operand `k` as one scalar, vector or pointer.
    pub fn operand(&mut self, inst: &Inst, k: usize) -> R<Value> {
        self.one(inst.arg(k)?)
    }

    /// The IR type of the result.
    pub fn result_type(&self, inst: &Inst) -> R<Type> {
        self.spv.types.ir(inst.ty()?)
    }

    /// Type of an IR value.
    pub fn ty(&self, v: Value) -> Type {
        self.b.func.ty(v)
    }

    /// Defines the result as one value.
    pub fn set(&mut self, inst: &Inst, value: Value) -> R<()> {
        self.set_all(inst, smallvec![value])
    }

    /// Defines the result by its leaves, whose types must be those of the result type.
    pub fn set_all(&mut self, inst: &Inst, leaves: Leaves) -> R<()> {
        let types = self.spv.types.leaf_types(inst.ty()?)?;
        let fits = types.len() == leaves.len()
            && types.iter().zip(&leaves).all(|(t, v)| *t == self.ty(*v));
        if !fits {
            return Err(self.mismatch(inst, "its result type does not follow from its operands"));
        }
        if leaves.len() > 1 {
            self.link.spend(leaves.len())?;
        }
        self.vals.insert(inst.result()?, Val::Leaves(leaves));
        Ok(())
    }

    /// Defines the result as a pointer to a built-in.
    pub fn set_builtin(&mut self, inst: &Inst, builtin: Builtin) -> R<()> {
        self.vals.insert(inst.result()?, Val::Builtin(builtin));
        Ok(())
    }

    /// The error for operands of wrong types.
    pub fn mismatch(&self, inst: &Inst, why: &str) -> Box<base::Diagnostic> {
        let result = inst.result.map_or(String::new(), |id| format!(" {}", self.spv.describe(id)));
        error(BAD_OPERAND, format!("{}{result}: {why}", inst.name()))
    }

    /// Fails with [`Self::mismatch`] unless `ok`.
    pub fn check(&self, ok: bool, inst: &Inst, why: &str) -> R<()> {
        if ok { Ok(()) } else { Err(self.mismatch(inst, why)) }
    }

    // --- constants ---

    fn constant(&mut self, id: Id) -> R<Val> {
        if let Some(builtin) = self.builtin_variable(id)? {
            return Ok(Val::Builtin(builtin));
        }
        let key = (self.b.block(), id);
        if let Some(l) = self.constants.get(&key) {
            return Ok(Val::Leaves(l.clone()));
        }
        let spv = self.spv;
        if let Some(ty) = spv.consts.get(id).map(|c| c.ty) {
            spv.types.check_whole(ty)?;
        }
        let mut leaves = Leaves::new();
        self.add_constant(id, &mut leaves)?;
        self.link.spend(leaves.len())?;
        self.constants.insert(key, leaves.clone());
        Ok(Val::Leaves(leaves))
    }

    fn add_constant(&mut self, id: Id, out: &mut Leaves) -> R<()> {
        let spv = self.spv;
        let Some(info) = spv.consts.get(id) else {
            return fail(BAD_ID, format!("{} is not a constant", spv.describe(id)));
        };
        match &info.value {
            Const::Lanes(lanes) => {
                let ty = spv.types.ir(info.ty)?;
                out.push(self.lanes_constant(ty, lanes));
            }
            Const::Zero => out.extend(self.zero(info.ty)?),
            Const::Composite(parts) => {
                let mut leaves = Leaves::new();
                for p in parts {
                    self.add_constant(*p, &mut leaves)?;
                }
                if let Kind::Vector { .. } = spv.types.get(info.ty)?.kind {
                    let ty = spv.types.ir(info.ty)?;
                    out.push(self.b.value(Op::VecBuild, leaves, ty));
                } else {
                    self.retype_pointers(info.ty, &mut leaves)?;
                    out.extend(leaves);
                }
            }
            Const::Address { var, addend } => {
                let v = self.address_constant(*var, *addend, info.ty)?;
                out.push(v);
            }
            Const::PipeStorage(pipe) => {
                let object = self.link.pipe_object(id, *pipe);
                let object = self.module_object(object);
                out.push(self.b.obj_addr(object));
                out.push(self.b.constant(Type::I32, pipe.max_packets.into()));
            }
            Const::Expression => out.extend(self.expression(id)?),
            Const::Opaque => return Err(self.opaque_constant(info.ty)),
        }
        Ok(())
    }

    /// Lowers an `OpSpecConstantOp` like an instruction of the current block.
    fn expression(&mut self, id: Id) -> R<Leaves> {
        const MAX_DEPTH: u32 = 64;
        let spv = self.spv;
        let Some(inst) = spv.def_inst(id) else {
            return fail(BAD_ID, format!("{} is not a constant", spv.describe(id)));
        };
        if self.depth == MAX_DEPTH {
            return fail(
                TOO_LARGE,
                format!("constant expressions nest deeper than {MAX_DEPTH} levels"),
            );
        }
        self.depth += 1;
        let done = self.inst(&crate::decode::spec_op(inst)?);
        self.depth -= 1;
        done?;
        // The value stands in this block only, and must not be taken for one that reaches
        // everywhere.
        match self.vals.remove(&id) {
            Some(Val::Leaves(l)) => Ok(l),
            _ => Err(self.mismatch(inst, "it has no value")),
        }
    }

    fn opaque_constant(&self, ty: Id) -> Box<base::Diagnostic> {
        match self.spv.types.get(ty).map(|t| &t.kind) {
            Ok(Kind::Opaque { op, milestone }) => crate::types::opaque_error(*op, milestone),
            _ => error(UNSUPPORTED_TYPE, "a constant of this type is not supported"),
        }
    }

    /// A constant of the given lanes.
    pub fn lanes_constant(&mut self, ty: Type, lanes: &[u128]) -> Value {
        let same = lanes.windows(2).all(|w| w[0] == w[1]);
        if same || !ty.is_vector() {
            return self.b.constant(ty, lanes.first().copied().unwrap_or(0));
        }
        let parts: Leaves = lanes.iter().map(|l| self.b.constant(ty.lane(), *l)).collect();
        self.b.value(Op::VecBuild, parts, ty)
    }

    /// Zero of any type.
    pub fn zero(&mut self, ty: Id) -> R<Leaves> {
        let types = self.spv.types.leaf_types(ty)?;
        Ok(types.into_iter().map(|t| self.b.constant(t, 0)).collect())
    }

    fn address_constant(&mut self, var: Id, addend: i64, ty: Id) -> R<Value> {
        let object = self.variable_object(var)?;
        let mut v = self.b.obj_addr(object);
        if addend != 0 {
            let bytes = self.b.size(addend as u64);
            v = self.b.ptr_add(v, bytes);
        }
        self.as_type(v, self.spv.types.ir(ty)?)
    }

    /// A pointer as another pointer type or as an integer.
    fn as_type(&mut self, v: Value, to: Type) -> R<Value> {
        let from = self.ty(v);
        if from == to {
            return Ok(v);
        }
        if to.is_int() && !to.is_vector() {
            let size = self.b.size_type();
            let v = self.b.value(Op::PtrToInt, [v], size);
            return Ok(self.b.zext_or_trunc(v, to.bits(0)));
        }
        self.space_cast(v, to)
    }

    /// The object of a module variable in this function.
    fn variable_object(&mut self, id: Id) -> R<Object> {
        if let Some(o) = self.objects.get(&id) {
            return Ok(*o);
        }
        let global = self.link.global(id)?;
        let object = self.module_object(global);
        self.objects.insert(id, object);
        Ok(object)
    }

    /// The object in this function of a variable that the module does not have by itself.
    pub fn module_object(&mut self, global: ir::Global) -> Object {
        let kind = ObjectKind::Global(global);
        let known = self.b.func.objects.iter().find(|(_, o)| o.kind == kind);
        if let Some((object, _)) = known {
            return object;
        }
        let data = self.link.module.globals[global].clone();
        self.b.func.objects.push(ObjectData {
            name: data.name,
            space: data.space,
            size: data.size,
            align: data.align,
            kind,
            loc: data.loc,
        })
    }

    /// The built-in that a module variable stands for, if it does.
    fn builtin_variable(&self, id: Id) -> R<Option<Builtin>> {
        match self.spv.variables.get(&id) {
            Some(v) if v.class == StorageClass::Input => self.builtin_of(id).map(Some),
            _ => Ok(None),
        }
    }

    /// The value of a memory scope, or of memory semantics. Kernels may choose them as they run: none then.
    pub(super) fn chosen_operand(&mut self, inst: &Inst, k: usize) -> R<Option<u32>> {
        if self.spv.consts.scalar(inst.arg(k)?).is_some() {
            return self.constant_operand(inst, k).map(Some);
        }
        let value = self.operand(inst, k)?;
        let fine = self.ty(value) == Type::I32;
        self.check(fine, inst, "its memory scope or semantics are no 32-bit integer")?;
        Ok(None)
    }

    /// The value of an integer constant operand, such as a memory scope.
    pub fn constant_operand(&self, inst: &Inst, k: usize) -> R<u32> {
        let bits = self.spv.consts.integer(inst.arg(k)?)?;
        u32::try_from(bits).map_err(|_| self.mismatch(inst, "a constant operand is too large"))
    }
}
