//! From the IR of a kernel to the processor's instructions, by way of Cranelift's IR.
//!
//! One function of machine code for each phase of a kernel ([`crate::phases`]); in it, the loop over the
//! work-items of the group and inside that the blocks of the phase. Calls are expanded in place.

mod control;
mod float;
mod inst;
mod int;
mod memory;
mod operator;
mod pack;
mod polls;
mod vector;
mod wide;

pub(crate) use operator::{Operators, signature as operator_signature, write as operator};
pub(crate) use pack::has_packed_form;
pub(crate) use wide::is_packable;

use crate::context::{Field, Places};
use crate::nan::{NanClass, NanClasses};
use crate::phases::Phases;
use crate::runtime::Site;
use crate::shape::{Shapes, is_wide};
use crate::types::{ArgLayout, Reg, reg};
use base::entity::SecondaryMap;
use base::{Diagnostic, SmallVec};
use cranelift_codegen::ir::{
    self as clif, AbiParam, InstBuilder, MemFlagsData, Signature, StackSlot, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use ir::analysis::Cfg;
use ir::{Block, Func, Function, Global, Module, Object, ObjectKind, Op, Space, Type, Value};
use std::rc::Rc;

/// The registers of a value, one for each lane.
pub(crate) type Parts = SmallVec<[clif::Value; 2]>;

type Result<T> = std::result::Result<T, Diagnostic>;

/// What the code of a kernel refers to, apart from its context.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// Operations that the runtime evaluates. Boxed: generated code holds their addresses.
    #[allow(clippy::vec_box)]
    pub sites: Vec<Box<Site>>,
    /// Look-up tables, as bytes.
    pub tables: Vec<Box<[u8]>>,
    /// Places that generated code names.
    pub places: Places,
    /// Arguments.
    pub args: ArgLayout,
    /// Local variables of the module that the kernel uses, with their offsets.
    pub locals: Vec<(Global, u64)>,
    /// Bytes of local memory, without arguments.
    pub local_size: u64,
    /// Bytes of private memory of one work-item.
    pub private_size: u64,
    /// Offsets of the kernel's own private variables, the same in all phases.
    pub objects: SecondaryMap<Object, u64>,
    /// Bytes kept across barriers for one work-item.
    pub spill_size: u64,
    /// Largest alignment of private and local variables.
    pub align: u64,
}

/// What all kernels of a module share.
pub(crate) struct Shared<'a> {
    pub module: &'a Module,
    /// Addresses of variables in global and constant memory.
    pub addresses: &'a SecondaryMap<Global, u64>,
    pub call_conv: CallConv,
}

/// A kernel on its way to machine code.
pub(crate) struct Kernel<'a> {
    pub id: Func,
    pub func: &'a Function,
    pub phases: Phases,
    analysis: Rc<Analysis>,
    /// Offset of each value that is kept across barriers.
    spills: SecondaryMap<Value, u32>,
    shapes: Shapes,
    /// Phases that work-items go through side by side.
    wide: Vec<bool>,
}

/// What is known of a function.
struct Analysis {
    cfg: Cfg,
    nan: NanClasses,
}

/// A function whose body is being written: the kernel, or one called in place.
struct Frame<'a> {
    func: &'a Function,
    analysis: Rc<Analysis>,
    values: SecondaryMap<Value, Parts>,
    /// Values of the kernel that are kept across barriers, as variables.
    vars: SecondaryMap<Value, SmallVec<[Variable; 2]>>,
    blocks: SecondaryMap<Block, Option<clif::Block>>,
    /// Where `ret` goes, with the result.
    exit: clif::Block,
    /// Offsets of private variables, of functions called.
    objects: SecondaryMap<Object, u64>,
}

/// Writes one phase of a kernel.
struct Lower<'f, 'a, 'o> {
    b: FunctionBuilder<'f>,
    shared: &'a Shared<'a>,
    unit: &'a mut Unit,
    operators: &'a mut Operators<'o>,
    kernel: &'a Kernel<'a>,
    frame: Frame<'a>,
    /// Functions being expanded, outermost first.
    stack: Vec<Func>,
    context: clif::Value,
    /// Local id of the work-item.
    item: [clif::Value; 3],
    /// Its number in the group.
    linear: clif::Value,
    /// Work-items of the group.
    count: clif::Value,
    /// Memory for the runtime's wide operands.
    scratch: Option<StackSlot>,
}

/// Signature of a phase.
pub(crate) fn phase_signature(call_conv: CallConv) -> Signature {
    let mut s = Signature::new(call_conv);
    s.params.push(AbiParam::new(types::I64));
    s.returns.push(AbiParam::new(types::I64));
    s
}

impl<'a> Kernel<'a> {
    /// Cuts a kernel and lays out what its work-items keep.
    pub(crate) fn new(module: &'a Module, id: Func, side_by_side: bool, unit: &mut Unit) -> Self {
        let func = &module.functions[id];
        let cfg = Cfg::new(func);
        let phases = Phases::new(func, &cfg);
        let shapes = Shapes::new(func, &cfg, &phases);
        let wide: Vec<bool> = (0..=phases.barriers.len())
            .map(|k| side_by_side && is_wide(func, &cfg, &shapes, &phases, k))
            .collect();
        let lazy = phases.barriers.is_empty() && !wide.contains(&true);
        let nan = NanClasses::new(func, &cfg, lazy);
        let mut spills = SecondaryMap::new();
        let mut size = 0;
        for &v in &phases.kept {
            spills[v] = size;
            size += u32::from(func.ty(v).lanes) * reg(func.ty(v)).bytes();
        }
        unit.spill_size = size.into();
        unit.align = 128;
        if let Some(info) = &func.kernel {
            unit.args = ArgLayout::new(info);
        }
        let place = |b: &crate::phases::Barrier| func.insts[func.blocks[b.block].insts[b.at]].loc;
        unit.places.barriers = phases.barriers.iter().map(place).collect();
        let analysis = Rc::new(Analysis { cfg, nan });
        Kernel { id, func, phases, analysis, spills, shapes, wide }
    }

    /// Number of phases.
    pub(crate) fn phase_count(&self) -> usize {
        self.phases.barriers.len() + 1
    }
}

/// Writes phase `phase` of a kernel into `out`.
///
/// # Errors
/// What cannot run natively, with its place in the source.
#[allow(clippy::too_many_arguments)]
pub(crate) fn phase(
    shared: &Shared<'_>,
    kernel: &Kernel<'_>,
    unit: &mut Unit,
    operators: &mut Operators<'_>,
    phase: usize,
    out: &mut clif::Function,
    buffers: &mut FunctionBuilderContext,
    config: cranelift_codegen::isa::TargetFrontendConfig,
) -> Result<()> {
    let mut b = FunctionBuilder::new(out, buffers);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let context = b.block_params(entry)[0];
    let frame = Frame::new(kernel.func, kernel.analysis.clone(), entry);
    let lower = Lower {
        b,
        shared,
        unit,
        operators,
        kernel,
        frame,
        stack: vec![kernel.id],
        context,
        item: [context; 3], // set by the loops over work-items, as the next two are
        linear: context,
        count: context,
        scratch: None,
    };
    lower.phase(phase, config)
}

impl<'a> Frame<'a> {
    fn new(func: &'a Function, analysis: Rc<Analysis>, exit: clif::Block) -> Self {
        Frame {
            func,
            analysis,
            values: SecondaryMap::new(),
            vars: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            exit,
            objects: SecondaryMap::new(),
        }
    }
}

impl<'a> Lower<'_, 'a, '_> {
    fn ty(&self, v: Value) -> Type {
        self.frame.func.ty(v)
    }

    /// The registers of a value; NaNs as the processor made them.
    fn raw(&mut self, v: Value) -> Parts {
        if self.frame.vars[v].is_empty() {
            return self.frame.values[v].clone();
        }
        let vars = self.frame.vars[v].clone();
        vars.into_iter().map(|var| self.b.use_var(var)).collect()
    }

    fn set(&mut self, v: Value, parts: Parts) {
        let vars = self.frame.vars[v].clone();
        for (var, part) in vars.into_iter().zip(&parts) {
            self.b.def_var(var, *part);
        }
        self.frame.values[v] = parts;
    }

    /// The registers of a value with the bits that it must show.
    fn exact(&mut self, v: Value) -> Parts {
        match self.frame.analysis.nan.of(v) {
            NanClass::Both | NanClass::Exact => self.raw(v),
            NanClass::Raw => {
                let ty = self.ty(v);
                let parts = self.raw(v);
                parts.into_iter().map(|x| self.canonical(ty, x)).collect()
            }
            NanClass::Derived => self.derive(v),
        }
    }

    /// Whether what becomes `v` must have the bits that NaNs show.
    fn takes_exact(&self, v: Value) -> bool {
        let class = self.frame.analysis.nan.of(v);
        self.ty(v).is_float() && matches!(class, NanClass::Exact | NanClass::Both)
    }

    /// Whether the NaNs of `v` are as the processor made them.
    fn is_raw(&self, v: Value) -> bool {
        self.frame.analysis.nan.of(v) == NanClass::Raw
    }

    /// Defines a value again by its exact operands.
    fn derive(&mut self, v: Value) -> Parts {
        let func = self.frame.func;
        let Some(inst) = func.def_inst(v) else { return self.raw(v) };
        let data = &func.insts[inst];
        let args: SmallVec<[Parts; 3]> = data.args.iter().map(|a| self.exact(*a)).collect();
        self.sign_or_select(data.op, func.ty(v), &args)
    }

    /// The only register of a scalar.
    fn scalar(&mut self, v: Value) -> clif::Value {
        self.raw(v)[0]
    }

    fn iconst(&mut self, ty: Reg, bits: u128) -> clif::Value {
        if ty == types::I128 {
            let low = self.b.ins().iconst(types::I64, bits as u64 as i64);
            let high = self.b.ins().iconst(types::I64, (bits >> 64) as u64 as i64);
            return self.b.ins().iconcat(low, high);
        }
        let bits = ir::builder::mask(bits, ty.bits());
        self.b.ins().iconst(ty, bits as u64 as i64)
    }

    /// A constant of a lane type.
    fn constant(&mut self, ty: Type, bits: u128) -> clif::Value {
        match reg(ty) {
            types::F32 => self.b.ins().f32const(clif::immediates::Ieee32::with_bits(bits as u32)),
            types::F64 => self.b.ins().f64const(clif::immediates::Ieee64::with_bits(bits as u64)),
            int => self.iconst(int, ir::builder::mask(bits, crate::types::width(ty))),
        }
    }

    /// A field of the context that stays the same while the phase runs.
    fn field(&mut self, field: Field) -> clif::Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.b.ins().load(types::I64, flags, self.context, field.offset())
    }

    fn set_field(&mut self, field: Field, value: clif::Value) {
        self.b.ins().store(MemFlagsData::trusted(), value, self.context, field.offset());
    }

    /// Address of a memory object of the function.
    fn object(&mut self, object: Object) -> Result<clif::Value> {
        let data = &self.frame.func.objects[object];
        match data.kind {
            ObjectKind::Variable => {
                let offset = self.private_offset(object)?;
                let mut base = self.field(Field::Private);
                if !self.kernel.phases.barriers.is_empty() {
                    let stride = self.field(Field::PrivateStride);
                    let skip = self.b.ins().imul(self.linear, stride);
                    base = self.b.ins().iadd(base, skip);
                }
                Ok(self.b.ins().iadd_imm_s(base, offset as i64))
            }
            ObjectKind::LocalArg(index) => {
                let at = self.unit.args.offsets.get(index as usize).copied().unwrap_or(0);
                Ok(self.load_argument(types::I64, at))
            }
            ObjectKind::Global(global) => {
                let variable = &self.shared.module.globals[global];
                if variable.space != Space::Local {
                    let address = self.shared.addresses[global];
                    return Ok(self.iconst(types::I64, address.into()));
                }
                let known = self.unit.locals.iter().find(|l| l.0 == global).map(|l| l.1);
                let offset = known.unwrap_or_else(|| {
                    let align = u64::from(variable.align).max(16);
                    let offset = self.unit.local_size.next_multiple_of(align);
                    self.unit.local_size = offset + variable.size;
                    self.unit.align = self.unit.align.max(align);
                    self.unit.locals.push((global, offset));
                    offset
                });
                let base = self.field(Field::Local);
                Ok(self.b.ins().iadd_imm_s(base, offset as i64))
            }
        }
    }

    /// Where a private variable of the frame stands among those of the work-item.
    fn private_offset(&mut self, object: Object) -> Result<u64> {
        // 0 is taken for "not placed yet": the first bytes stay unused
        let own = self.stack.len() == 1;
        let placed = if own { self.unit.objects[object] } else { self.frame.objects[object] };
        if placed != 0 {
            return Ok(placed);
        }
        let data = &self.frame.func.objects[object];
        if data.size > MAX_PRIVATE_BYTES || self.unit.private_size > MAX_PRIVATE_BYTES {
            let what = format!("private object `{}` is too large", data.name);
            return Err(Diagnostic::error("E0508", what).at(data.loc));
        }
        let align = u64::from(data.align).max(16);
        let offset = self.unit.private_size.max(1).next_multiple_of(align);
        self.unit.private_size = offset + data.size;
        self.unit.align = self.unit.align.max(align);
        if own {
            self.unit.objects[object] = offset;
        } else {
            self.frame.objects[object] = offset;
        }
        Ok(offset)
    }

    /// Bytes of the argument block from `at` on.
    fn load_argument(&mut self, ty: Reg, at: u32) -> clif::Value {
        let base = self.field(Field::Args);
        let flags = MemFlagsData::new().with_notrap().with_readonly().with_can_move();
        self.b.ins().load(ty, flags, base, at as i32)
    }

    /// The address of an operation that the runtime evaluates.
    fn site(&mut self, site: Site) -> Option<clif::Value> {
        if !site.is_known() {
            return None;
        }
        let known = self.unit.sites.iter().position(|s| **s == site);
        let index = known.unwrap_or_else(|| {
            self.unit.sites.push(Box::new(site));
            self.unit.sites.len() - 1
        });
        let address = &raw const *self.unit.sites[index];
        Some(self.b.ins().iconst(types::I64, address as i64))
    }

    /// Calls a function of the runtime.
    fn call_runtime(
        &mut self,
        function: usize,
        args: &[clif::Value],
        result: Option<Reg>,
    ) -> Option<clif::Value> {
        let mut signature = Signature::new(self.shared.call_conv);
        for &a in args {
            let ty = self.b.func.dfg.value_type(a);
            signature.params.push(AbiParam::new(ty));
        }
        signature.returns.extend(result.map(AbiParam::new));
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(types::I64, function as i64);
        let call = self.b.ins().call_indirect(signature, callee, args);
        self.b.inst_results(call).first().copied()
    }
}

/// Most private memory of a work-item, in bytes.
const MAX_PRIVATE_BYTES: u64 = 1 << 24;

/// The message for an operation that cannot run natively.
fn unsupported(op: Op, loc: base::Loc) -> Diagnostic {
    Diagnostic::error("E0509", format!("operation {op:?} is not supported by native code")).at(loc)
}
