//! The module level: everything before the functions, and the outline of the functions.

use crate::constants::Consts;
use crate::decode::{self, Id, Inst};
use crate::decorations::DecorationMap;
use crate::enqueue::blocks_capture_descriptors;
use crate::errors::{
    BAD_ID, BAD_OPERAND, BAD_OPTION, BAD_STRUCTURE, NOT_OPENCL, R, TOO_LARGE, UNSUPPORTED_FEATURE,
    error, fail, unsupported,
};
use crate::outline::{RawFunction, outline, set_targets};
use crate::source_hints::{self, SourceHints};
use crate::support::{self, Status};
use crate::types::{Kind, Types};
use crate::{Options, modes};
use base::entity::EntityRef;
use base::{FxHashMap, FxHashSet, IndexMap, Loc, SourceMap};
use ir::{FloatSet, KernelInfo};
use rspirv::spirv::{AddressingModel, Capability, ExecutionModel, MemoryModel, Op, StorageClass};

/// Most kernels of a module.
const MAX_KERNELS: usize = 1024;

/// Which instructions an import of extended instructions stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExtSet {
    /// `OpenCL.std`
    OpenCl,
    /// `OpenCL.DebugInfo.100` and `NonSemantic.Shader.DebugInfo.100`: instruction numbers of
    /// their `DebugSource`; the latter's line instructions are 103 and 104.
    Debug { lines: bool },
    /// Any other set without meaning for the result.
    NonSemantic,
}

/// `OpEntryPoint`
#[derive(Clone, Debug)]
pub(crate) struct EntryPoint {
    pub function: Id,
    pub name: String,
}

/// A module variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    /// Its pointer type.
    pub ty: Id,
    pub class: StorageClass,
    pub init: Option<Id>,
    pub loc: Loc,
}

/// A module, taken apart but not yet lowered.
pub(crate) struct Spv<'a> {
    pub insts: Vec<Inst<'a>>,
    pub types: Types,
    pub consts: Consts,
    pub deco: DecorationMap,
    pub names: FxHashMap<Id, String>,
    pub strings: FxHashMap<Id, String>,
    pub ext_sets: FxHashMap<Id, ExtSet>,
    pub entry_points: Vec<EntryPoint>,
    /// Execution modes by function.
    pub modes: FxHashMap<Id, KernelInfo>,
    /// What they say of subnormal numbers.
    pub denorms: FxHashMap<Id, modes::Denorms>,
    /// Formats whose arithmetic flushes them.
    pub flush: FloatSet,
    /// The bounds of `-cl-unsafe-math-optimizations` are enough everywhere.
    pub unsafe_math: bool,
    /// Work-items of a sub-group that kernels ask for.
    pub sub_group_sizes: FxHashMap<Id, u32>,
    /// Work-items of a sub-group.
    pub sub_group_size: u32,
    /// Sub-groups of each work-group that kernels ask for.
    pub sub_group_counts: FxHashMap<Id, u32>,
    pub variables: IndexMap<Id, Variable>,
    pub functions: IndexMap<Id, RawFunction>,
    /// What the module exports of what it imports.
    resolved: FxHashMap<Id, Id>,
    /// Result type of every id that has one.
    pub type_of: FxHashMap<Id, Id>,
    /// Position in `insts` of the definition of every id.
    defs: FxHashMap<Id, usize>,
    /// Whether no kernel has contraction off.
    pub contract: bool,
    /// Sums and differences of a product, and these products, where a*b+c may be contracted. Only what is one expression here
    /// counts: a producer that has contraction off for its source need not say so of a product that it keeps in a variable.
    pub contracted: FxHashSet<Id>,
    pub cl_version: u32,
    /// Made by LLVM's own SPIR-V back end, as clang-22 does.
    pub by_llvm: bool,
    pub files: Files,
    /// What the source says of loops and kernels beside OpenCL C.
    pub hints: SourceHints,
}

/// LLVM's SPIR-V back end in Khronos' list of generators.
const LLVM_BACK_END: u32 = 43;

/// Source files, looked up by the id of the string (or `DebugSource`) that names them.
#[derive(Default)]
pub(crate) struct Files {
    by_id: FxHashMap<Id, u32>,
    by_name: FxHashMap<String, u32>,
}

impl Files {
    /// The file named by string `id`, added when new.
    fn intern(&mut self, id: Id, strings: &FxHashMap<Id, String>, map: &mut SourceMap) -> u32 {
        if let Some(f) = self.by_id.get(&id) {
            return *f;
        }
        // "./" is what compilers put before a name without a folder
        let name = strings.get(&id).map_or("", |name| name.trim_start_matches("./"));
        let file = *self.by_name.entry(name.to_owned()).or_insert_with(|| {
            let file = base::source::SourceFile { name: name.to_owned(), text: None };
            map.files.push(file).index() as u32
        });
        self.by_id.insert(id, file);
        file
    }

    /// Whether a file, by its number, has a name.
    pub fn is(&self, name: &str, file: u32) -> bool {
        self.by_name.get(name.trim_start_matches("./")) == Some(&file)
    }

    /// The file that string or `DebugSource` `id` names.
    pub fn get(&self, id: Id) -> Option<u32> {
        self.by_id.get(&id).copied()
    }
}

/// Reads the module level. `sources` receives the source files even when reading fails later.
pub(crate) fn read<'a>(words: &'a [u32], options: &Options, sources: &mut SourceMap) -> R<Spv<'a>> {
    let (header, insts) = decode::decode(words)?;
    let mut type_of = FxHashMap::default();
    let mut defined = vec![false; header.bound as usize];
    for inst in &insts {
        let Some(id) = inst.result else { continue };
        if std::mem::replace(&mut defined[id as usize], true) {
            return fail(
                BAD_ID,
                format!(
                    "id %{id} is defined twice (again by {} at byte {:#x})",
                    inst.name(),
                    inst.at
                ),
            );
        }
        type_of.extend(inst.ty.map(|ty| (id, ty)));
    }
    let split = insts.iter().position(|i| i.op == Op::Function).unwrap_or(insts.len());
    let mut spv = Spv {
        types: Types::new(addr_bits(&insts[..split])?, blocks_capture_descriptors(&insts)),
        consts: Consts::default(),
        deco: DecorationMap::default(),
        names: FxHashMap::default(),
        strings: FxHashMap::default(),
        ext_sets: FxHashMap::default(),
        entry_points: vec![],
        modes: FxHashMap::default(),
        denorms: FxHashMap::default(),
        flush: FloatSet::default(),
        unsafe_math: options.unsafe_math,
        sub_group_size: 0,
        sub_group_sizes: FxHashMap::default(),
        sub_group_counts: FxHashMap::default(),
        variables: IndexMap::default(),
        functions: IndexMap::default(),
        resolved: FxHashMap::default(),
        type_of,
        defs: FxHashMap::default(),
        contract: true,
        contracted: FxHashSet::default(),
        cl_version: 0,
        by_llvm: header.generator == LLVM_BACK_END,
        files: Files::default(),
        hints: SourceHints::default(),
        insts: vec![],
    };
    let mut given: FxHashMap<u32, (u64, bool)> =
        options.spec_constants.iter().map(|(k, v)| (*k, (*v, false))).collect();
    spv.source_files(&insts, split, sources)?;
    let mut loc = Loc::UNKNOWN;
    for inst in &insts[..split] {
        spv.module_inst(inst, &mut given, &mut loc).map_err(|e| Box::new(e.at(loc)))?;
    }
    // In order of the request: the map has none that is stable.
    for (id, _) in &options.spec_constants {
        if given.get(id).is_some_and(|g| !g.1) {
            return fail(BAD_OPTION, format!("the module has no specialization constant {id}"));
        }
    }
    let is_special = |i: &&Inst| matches!(i.op, Op::SpecConstant | Op::SpecConstantOp);
    let specialized: FxHashSet<Id> =
        insts[..split].iter().filter(is_special).filter_map(|i| i.result).collect();
    for inst in &insts[..split] {
        if matches!(inst.op, Op::ExecutionMode | Op::ExecutionModeId) {
            modes::read(&mut spv, inst, &specialized)?;
        }
    }
    source_hints::complete_modes(&mut spv);
    spv.flush = modes::flushed_formats(&spv, options)?;
    spv.sub_group_size = modes::sub_group_size(&spv, options)?;
    spv.contract = !spv.modes.values().any(|m| m.contraction_off);
    spv.functions = outline(&insts, split)?;
    spv.resolved = spv.resolved_imports();
    spv.check_entry_points()?;
    modes::require_sub_groups(&mut spv, options)?;
    let mut functions = std::mem::take(&mut spv.functions);
    for f in functions.values_mut() {
        f.callees.iter_mut().for_each(|callee| *callee = spv.definition(*callee));
        set_targets(f, &insts, |selector| spv.literal_words(selector))?;
    }
    spv.functions = functions;
    spv.defs = insts.iter().enumerate().filter_map(|(k, i)| Some((i.result?, k))).collect();
    if spv.contract {
        spv.contracted = spv.contracted(&insts);
    }
    spv.insts = insts;
    Ok(spv)
}

fn addr_bits(insts: &[Inst]) -> R<u32> {
    let mut models = insts.iter().filter(|i| i.op == Op::MemoryModel);
    let (Some(inst), None) = (models.next(), models.next()) else {
        return fail(NOT_OPENCL, "the module does not have exactly one OpMemoryModel");
    };
    let (addressing, memory) = (inst.arg(0)?, inst.arg(1)?);
    if memory != MemoryModel::OpenCL as u32 {
        let name = MemoryModel::from_u32(memory).map_or(memory.to_string(), |m| format!("{m:?}"));
        return fail(NOT_OPENCL, format!("the memory model is {name}, not OpenCL"));
    }
    match AddressingModel::from_u32(addressing) {
        Some(AddressingModel::Physical32) => Ok(32),
        Some(AddressingModel::Physical64) => Ok(64),
        other => fail(
            NOT_OPENCL,
            format!("the addressing model is {other:?}, not Physical32 or Physical64"),
        ),
    }
}

impl<'a> Spv<'a> {
    /// Name of an id for messages.
    pub fn describe(&self, id: Id) -> String {
        match self.names.get(&id).filter(|n| !n.is_empty()) {
            Some(name) => format!("`{name}` (%{id})"),
            None => match self.entry_points.iter().find(|e| e.function == id) {
                Some(entry) => format!("kernel `{}`", entry.name),
                None => format!("%{id}"),
            },
        }
    }

    /// The type of an id that has a value.
    pub fn type_of(&self, id: Id) -> R<Id> {
        self.type_of
            .get(&id)
            .copied()
            .ok_or_else(|| error(BAD_ID, format!("{} has no value", self.describe(id))))
    }

    /// See [`Spv::contracted`].
    fn contracted(&self, insts: &[Inst<'a>]) -> FxHashSet<Id> {
        let product = |id: &&Id| {
            let def = self.defs.get(*id).map(|k| insts[*k].op);
            matches!(def, Some(Op::FMul | Op::VectorTimesScalar))
        };
        let mut found = FxHashSet::default();
        for inst in insts.iter().filter(|i| matches!(i.op, Op::FAdd | Op::FSub)) {
            let products = inst.args.iter().filter(product);
            found.extend(products.clone().copied());
            found.extend(inst.result.filter(|_| products.count() > 0));
        }
        found
    }

    /// The instruction that defines an id.
    pub fn def_inst(&self, id: Id) -> Option<&Inst<'a>> {
        self.defs.get(&id).map(|k| &self.insts[*k])
    }

    /// The place that an `OpLine` names.
    pub fn line(&self, inst: &Inst) -> Loc {
        match (inst.args.first().and_then(|f| self.files.get(*f)), inst.arg(1), inst.arg(2)) {
            (Some(file), Ok(line), Ok(column)) => Loc { file, line, column },
            _ => Loc::UNKNOWN,
        }
    }

    /// Words of a literal of the type of `selector`.
    fn literal_words(&self, selector: Id) -> R<usize> {
        match self.types.get(self.type_of(selector)?)?.kind {
            Kind::Int(w) => Ok(w.div_ceil(32) as usize),
            _ => fail(
                BAD_OPERAND,
                format!("OpSwitch on {}, which is not an integer", self.describe(selector)),
            ),
        }
    }

    /// Finds all source files first, so that every message can point to its line.
    fn source_files(&mut self, insts: &[Inst], split: usize, map: &mut SourceMap) -> R<()> {
        for inst in &insts[..split] {
            match inst.op {
                Op::String => {
                    self.strings.insert(inst.result()?, inst.string(0)?.0);
                }
                Op::Name => {
                    self.names.insert(inst.arg(0)?, inst.string(1)?.0);
                }
                Op::ExtInstImport => self.import(inst)?,
                _ => {}
            }
        }
        for inst in insts {
            match inst.op {
                Op::Line => {
                    self.files.intern(inst.arg(0)?, &self.strings, map);
                }
                Op::Source if inst.args.len() > 2 => {
                    let file = self.files.intern(inst.args[2], &self.strings, map);
                    if inst.args.len() > 3 {
                        let (text, _) = inst.string(3)?;
                        map.files[base::FileId::from_u32(file)].text = Some(text);
                    }
                }
                // DebugSource: file, text
                Op::ExtInst if inst.args.get(1) == Some(&35) => {
                    let debug =
                        matches!(self.ext_sets.get(&inst.arg(0)?), Some(ExtSet::Debug { .. }));
                    if let (true, Some(file)) = (debug, inst.args.get(2)) {
                        let file = self.files.intern(*file, &self.strings, map);
                        self.files.by_id.insert(inst.result()?, file);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn module_inst(
        &mut self,
        inst: &Inst<'a>,
        given: &mut FxHashMap<u32, (u64, bool)>,
        loc: &mut Loc,
    ) -> R<()> {
        use Op::*;
        match inst.op {
            Line => *loc = self.line(inst),
            NoLine => *loc = Loc::UNKNOWN,
            Capability => capability(inst.arg(0)?)?,
            Extension => extension(&inst.string(0)?.0)?,
            // Read by `source_files`.
            ExtInstImport | String | Name => {}
            EntryPoint => self.entry_point(inst)?,
            Source => self.source(inst)?,
            Decorate | MemberDecorate | DecorateString | MemberDecorateString | DecorateId
            | GroupDecorate | GroupMemberDecorate => self.deco.read(inst)?,
            op if support::is_type(op) => {
                let consts = &self.consts;
                self.types.declare(inst, &self.deco, |id| {
                    u64::try_from(consts.integer(id)?)
                        .map_err(|_| inst.malformed("the length is too large".into()))
                })?;
            }
            ConstantTrue
            | ConstantFalse
            | Constant
            | ConstantComposite
            | ConstantNull
            | SpecConstantTrue
            | SpecConstantFalse
            | SpecConstant
            | SpecConstantComposite
            | SpecConstantOp
            | Undef
            | ConstantSampler
            | ConstantPipeStorage => {
                let spec = self.deco.of(inst.result()?).spec_id.and_then(|k| given.get_mut(&k));
                let spec = spec.map(|(value, used)| {
                    *used = true;
                    *value
                });
                self.consts.declare(inst, &self.types, spec)?;
            }
            ModuleProcessed => self.hints.read(inst)?,
            TypeForwardPointer => self.types.announce(inst.arg(0)?),
            Variable => self.variable(inst, *loc)?,
            // Kernels that call such code are refused where they do.
            AsmTargetINTEL | AsmINTEL => {}
            // Memory model and modes are read apart; debug instructions say nothing here.
            MemoryModel
            | ExecutionMode
            | ExecutionModeId
            | ExtInst
            | SourceContinued
            | SourceExtension
            | MemberName
            | DecorationGroup
            | Nop
            | ExtInstWithForwardRefsKHR => {}
            _ => {
                return Err(unsupported(
                    crate::errors::UNSUPPORTED,
                    inst.name(),
                    support::milestone(inst.op),
                ));
            }
        }
        Ok(())
    }

    fn import(&mut self, inst: &Inst) -> R<()> {
        let (name, _) = inst.string(0)?;
        let set = match name.as_str() {
            "OpenCL.std" => ExtSet::OpenCl,
            "OpenCL.DebugInfo.100" => ExtSet::Debug { lines: false },
            "NonSemantic.Shader.DebugInfo.100" => ExtSet::Debug { lines: true },
            n if n.starts_with("NonSemantic.") => ExtSet::NonSemantic,
            _ => {
                return fail(
                    UNSUPPORTED_FEATURE,
                    format!("the extended instruction set `{name}` is not supported"),
                );
            }
        };
        self.ext_sets.insert(inst.result()?, set);
        Ok(())
    }

    fn entry_point(&mut self, inst: &Inst) -> R<()> {
        let model = inst.arg(0)?;
        let function = inst.arg(1)?;
        let (name, _) = inst.string(2)?;
        if model != ExecutionModel::Kernel as u32 {
            let model =
                ExecutionModel::from_u32(model).map_or(model.to_string(), |m| format!("{m:?}"));
            return fail(
                NOT_OPENCL,
                format!("entry point `{name}` has the execution model {model}, not Kernel"),
            );
        }
        if self.entry_points.len() == MAX_KERNELS {
            return fail(TOO_LARGE, format!("the module has more than {MAX_KERNELS} kernels"));
        }
        if self.entry_points.iter().any(|e| e.name == name) {
            return fail(BAD_STRUCTURE, format!("two kernels are called `{name}`"));
        }
        self.entry_points.push(EntryPoint { function, name });
        Ok(())
    }

    fn source(&mut self, inst: &Inst) -> R<()> {
        // OpenCL C counts 100000 a major and 1000 a minor version; C++ for OpenCL 1.0 is based
        // on 2.0 and 2021 on 3.0.
        let version = inst.arg(1)?;
        self.cl_version = match inst.arg(0)? {
            3 => version / 100_000 * 100 + version / 1000 % 100 * 10,
            4 | 6 => {
                if version >= 202_100 {
                    300
                } else {
                    200
                }
            }
            _ => self.cl_version,
        };
        Ok(())
    }

    fn variable(&mut self, inst: &Inst, loc: Loc) -> R<()> {
        let (id, ty) = (inst.result()?, inst.ty()?);
        let class = match self.types.get(ty)?.kind {
            Kind::Pointer { class, .. } => class,
            _ => return Err(inst.malformed("its type is not a pointer".into())),
        };
        if inst.arg(0)? != class as u32 {
            return Err(inst.malformed("its storage class is not that of its type".into()));
        }
        let init = inst.args.get(1).copied();
        if let Some(init) = init.filter(|i| self.consts.get(*i).is_none()) {
            return fail(
                BAD_OPERAND,
                format!(
                    "the initial value {} of {} is not a constant",
                    self.describe(init),
                    self.describe(id)
                ),
            );
        }
        self.variables.insert(id, Variable { ty, class, init, loc });
        self.consts.add_variable(id, ty);
        Ok(())
    }

    /// The functions and variables that the module exports under the names of those that it imports. Linkers resolve
    /// imports, but not where types differ, and producers give one declaration other types than another: pointers to what
    /// only one of them accesses, structures whose padding an initial value spells out.
    fn resolved_imports(&self) -> FxHashMap<Id, Id> {
        let linkage = |id: Id| self.deco.of(id).linkage.as_ref();
        let all = || self.variables.keys().chain(self.functions.keys()).copied();
        let mut exports = FxHashMap::default();
        for id in all() {
            if let Some((name, false)) = linkage(id) {
                exports.entry(name).or_insert(id);
            }
        }
        let resolved = |id: Id| match linkage(id) {
            Some((name, true)) => exports.get(name).map(|export| (id, *export)),
            _ => None,
        };
        all().filter_map(resolved).collect()
    }

    /// The function or variable that an id stands for.
    pub fn definition(&self, id: Id) -> Id {
        self.resolved.get(&id).copied().unwrap_or(id)
    }

    fn check_entry_points(&self) -> R<()> {
        for entry in &self.entry_points {
            if self.functions.get(&entry.function).is_none_or(|f| f.blocks.is_empty()) {
                return fail(
                    BAD_ID,
                    format!(
                        "entry point `{}` names %{}, which is not a function with a body",
                        entry.name, entry.function
                    ),
                );
            }
        }
        Ok(())
    }
}

fn capability(number: u32) -> R<()> {
    let Some(capability) = Capability::from_u32(number) else {
        return fail(UNSUPPORTED_FEATURE, format!("capability number {number} is unknown"));
    };
    match support::capability(capability) {
        Status::Supported | Status::Declared(_) => Ok(()),
        Status::Unsupported(why) if why == support::GRAPHICS => fail(
            NOT_OPENCL,
            format!("capability {capability:?} belongs to graphics, not to OpenCL kernels"),
        ),
        Status::Unsupported(milestone) => {
            Err(unsupported(UNSUPPORTED_FEATURE, format!("capability {capability:?}"), milestone))
        }
    }
}

fn extension(name: &str) -> R<()> {
    match support::extension(name) {
        Some(Status::Unsupported(milestone)) => {
            Err(unsupported(UNSUPPORTED_FEATURE, format!("extension {name}"), milestone))
        }
        Some(_) => Ok(()),
        None if name.starts_with("SPV_") => {
            fail(UNSUPPORTED_FEATURE, format!("extension {name} is unknown"))
        }
        // Producers also list OpenCL extensions such as cl_khr_fp64 here.
        None => Ok(()),
    }
}
