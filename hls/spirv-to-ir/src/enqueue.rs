//! Blocks that kernels enqueue: what their data are, the kernels made of their functions, and the module's queue
//! (`abi::enqueue`).
//!
//! The function of a block, the operand `Invoke`, becomes a kernel. Its first parameter points to the block's data, which
//! OpenCL has copied when the block is enqueued: they are the kernel's first argument, by value. The other parameters are
//! pointers to local memory. Behind them the kernel has an argument for each image and each pipe among the data.

use crate::decode::{Id, Inst, spec_op};
use crate::errors::{BAD_OPERAND, R, TOO_LARGE, UNSUPPORTED, error, fail};
use crate::link::{DEFAULT_WORK_GROUP_SIZE, Job, Linker, Role, located};
use crate::module::Spv;
use crate::types::Kind;
use abi::enqueue::{Captured, QUEUE, QUEUE_BYTES, TABLE, table};
use base::{FxHashMap, FxHashSet, Loc, SourceMap};
use ir::{Func, Global, GlobalData, Op as IrOp, Space};
use rspirv::spirv::{Op, StorageClass};
use std::collections::BTreeSet;

/// Most bytes of a block's data.
const MAX_DATA: u128 = 1 << 16;
/// Most casts between a block's variable and its use.
const MAX_CASTS: u32 = 16;
/// Position of the operand `Invoke` of `OpEnqueueKernel`; data, size and alignment follow.
pub(crate) const INVOKE: usize = 6;

/// The data of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockData {
    /// Bytes of the kernel's argument.
    pub bytes: u32,
    /// The structure that they are, where it is known.
    pub layout: Option<Id>,
}

/// An image or a pipe in a block's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Member {
    pub what: Captured,
    pub ty: Id,
    /// Offset in bytes.
    pub offset: u64,
}

/// A place that enqueues something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Site {
    /// The kernel made of the block; none for a marker.
    pub kernel: Option<String>,
    pub locals: u32,
    pub data: u32,
    pub captured: Vec<Captured>,
    pub loc: Loc,
}

/// What a module's kernels enqueue, as far as they are lowered.
#[derive(Default)]
pub(crate) struct Enqueuing {
    /// The data of all blocks, by function.
    blocks: Option<FxHashMap<Id, BlockData>>,
    /// The kernels made of blocks, by function.
    kernels: FxHashMap<Id, String>,
    /// Kernels that functions enqueue themselves.
    by_function: FxHashMap<Func, BTreeSet<String>>,
    /// Functions that enqueue say why they fail.
    pub errors: bool,
    /// Local sizes must divide global sizes.
    pub uniform: bool,
    memory: Option<Global>,
    sites: base::IndexSet<Site>,
}

impl<'a> Linker<'a> {
    /// The memory through which kernels hand on what they enqueue.
    pub fn enqueue_memory(&mut self) -> Global {
        let module = &mut self.module;
        *self.enqueuing.memory.get_or_insert_with(|| {
            module.globals.push(GlobalData {
                name: QUEUE.into(),
                space: Space::Global,
                size: QUEUE_BYTES,
                align: 64,
                init: None,
                relocations: vec![],
                loc: Loc::UNKNOWN,
            })
        })
    }

    /// The number of a site in a function.
    pub fn enqueue_site(&mut self, func: Func, site: Site) -> u32 {
        if let Some(kernel) = &site.kernel {
            self.enqueuing.by_function.entry(func).or_default().insert(kernel.clone());
        }
        self.enqueuing.sites.insert_full(site).0 as u32
    }

    /// The data of the block with this function: as many as its largest literal has.
    pub fn block_data(&mut self, invoke: Id) -> R<BlockData> {
        let blocks = match self.enqueuing.blocks.take() {
            Some(blocks) => blocks,
            None => blocks_of(self.spv)?,
        };
        let found = blocks.get(&invoke).copied();
        self.enqueuing.blocks = Some(blocks);
        found.ok_or_else(|| error(BAD_OPERAND, "a block is enqueued nowhere"))
    }

    /// The kernel made of a block's function, queued when new.
    pub fn block_kernel(&mut self, invoke: Id) -> R<String> {
        if let Some(name) = self.enqueuing.kernels.get(&invoke) {
            return Ok(name.clone());
        }
        let spv = self.spv;
        let Some(raw) = spv.functions.get(&invoke) else {
            let what = format!("{} is enqueued but is no function", spv.describe(invoke));
            return fail(BAD_OPERAND, what);
        };
        if raw.blocks.is_empty() {
            let what = format!("{} is enqueued but defined nowhere", spv.describe(invoke));
            return fail(crate::errors::UNRESOLVED, what);
        }
        self.check_recursion(invoke, &mut FxHashMap::default())?;
        let name = self.block_name(invoke);
        let most = spv.modes.get(&invoke).and_then(ir::KernelInfo::largest_work_group);
        let most = most.unwrap_or(DEFAULT_WORK_GROUP_SIZE);
        self.largest_group = self.largest_group.max(most);
        let func = self.placeholder(name.clone());
        self.enqueuing.kernels.insert(invoke, name.clone());
        self.queue.push(Job { function: invoke, role: Role::Block, func, pipes: vec![] });
        Ok(name)
    }

    /// A name that no other kernel has: the function's, without the underscores that producers begin it with.
    fn block_name(&self, invoke: Id) -> String {
        let spv = self.spv;
        let given = spv.names.get(&invoke).map_or("", |name| name.trim_start_matches('_'));
        let plain = if given.is_empty() { format!("block_{invoke}") } else { given.to_owned() };
        let taken = |name: &str| {
            let entries = spv.entry_points.iter().filter(|e| !spv.is_block_entry(e.function));
            entries.map(|e| &e.name).chain(self.enqueuing.kernels.values()).any(|n| n == name)
        };
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        std::iter::once(plain.clone()).chain(numbered).find(|n| !taken(n)).unwrap_or(plain)
    }

    /// Adds the table of sites, and tells kernels what they enqueue.
    pub fn write_enqueue_sites(&mut self, sources: &SourceMap) {
        if self.enqueuing.memory.is_none() {
            return;
        }
        let site = |s: &Site| abi::EnqueueSite {
            kernel: s.kernel.clone(),
            locals: s.locals,
            data: s.data,
            captured: s.captured.clone(),
            source: sources.describe(s.loc).unwrap_or_default(),
        };
        let sites: Vec<abi::EnqueueSite> = self.enqueuing.sites.iter().map(site).collect();
        let bytes = table(&sites);
        self.module.globals.push(GlobalData {
            name: TABLE.into(),
            space: Space::Constant,
            size: bytes.len() as u64,
            align: 1,
            init: Some(bytes),
            relocations: vec![],
            loc: Loc::UNKNOWN,
        });
        let kernels: Vec<Func> = self.module.kernels().map(|(id, _)| id).collect();
        for kernel in kernels {
            let enqueues = self.enqueued_from(kernel);
            if let Some(info) = &mut self.module.functions[kernel].kernel {
                info.enqueues = enqueues.into_iter().collect();
            }
        }
    }

    /// The kernels that a function and those that it calls enqueue.
    fn enqueued_from(&self, root: Func) -> BTreeSet<String> {
        let (mut open, mut seen) = (vec![root], BTreeSet::from([root]));
        let mut found = BTreeSet::new();
        while let Some(func) = open.pop() {
            found.extend(self.enqueuing.by_function.get(&func).into_iter().flatten().cloned());
            for inst in self.module.functions[func].insts.values() {
                if let IrOp::Call(callee) = inst.op
                    && seen.insert(callee)
                {
                    open.push(callee);
                }
            }
        }
        found
    }
}

impl Spv<'_> {
    /// Whether a function that an entry point names is a block's: producers list those as kernels, too, although their
    /// first parameter is one that no host can give.
    pub fn is_block_entry(&self, function: Id) -> bool {
        let first = self.functions.get(&function).and_then(|f| f.params.first());
        let kind = first.and_then(|(_, ty)| self.types.get(*ty).ok()).map(|t| &t.kind);
        matches!(kind, Some(Kind::Pointer { class: StorageClass::Generic, .. }))
    }

    /// The structure whose address a pointer to a block's data is, before it was cast.
    fn literal_type(&self, mut id: Id) -> Option<Id> {
        for _ in 0..MAX_CASTS {
            let inst = self.def_inst(id)?;
            let source = match inst.op {
                Op::Bitcast | Op::PtrCastToGeneric | Op::CopyObject => inst.arg(0).ok(),
                Op::SpecConstantOp => match spec_op(inst) {
                    Ok(op) if matches!(op.op, Op::Bitcast | Op::PtrCastToGeneric) => op.arg(0).ok(),
                    _ => None,
                },
                _ => None,
            };
            let Some(source) = source else { break };
            id = source;
        }
        let pointee = self.types.pointee(self.type_of(id).ok()?).ok()?;
        matches!(self.types.get(pointee).ok()?.kind, Kind::Struct { .. }).then_some(pointee)
    }

    /// The images and pipes in a block's data, in order: by their descriptors they are arguments of the block's kernel.
    /// Samplers are values.
    pub fn captured(&self, data: BlockData) -> R<Vec<Member>> {
        let mut found = vec![];
        if let Some(layout) = data.layout.filter(|_| self.types.addressed) {
            self.add_captured(layout, 0, &mut found)?;
        }
        Ok(found)
    }

    fn add_captured(&self, ty: Id, offset: u64, found: &mut Vec<Member>) -> R<()> {
        let info = self.types.get(ty)?;
        match &info.kind {
            Kind::Image(_) => found.push(Member { what: Captured::Image, ty, offset }),
            Kind::Pipe { .. } => found.push(Member { what: Captured::Pipe, ty, offset }),
            Kind::Struct { members, .. } => {
                for m in members {
                    self.add_captured(m.ty, offset + m.offset, found)?;
                }
            }
            // The type is one whose values are handled whole: it has few parts.
            Kind::Array { element, len, stride } if info.leaves > 0 => {
                for k in 0..*len {
                    self.add_captured(*element, offset + k * stride, found)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The error for a block whose data do not say where in them images and pipes are.
    fn unknown_layout(&self) -> Box<base::Diagnostic> {
        let what = "the data of a block that is enqueued have no structure that is known, in a module whose blocks capture images, samplers or pipes";
        Box::new(error(UNSUPPORTED, what).help("compile it with clang-15 and llvm-spirv-15"))
    }

    /// The data that an `OpEnqueueKernel` gives its block.
    pub fn literal(&self, inst: &Inst) -> R<BlockData> {
        let size = self.consts.scalar(inst.arg(INVOKE + 2)?);
        let Some(size) = size else {
            let what = "the size of a block's data is not constant";
            return Err(Box::new(error(UNSUPPORTED, what).note(format!("in {}", inst.name()))));
        };
        if size > MAX_DATA {
            return fail(
                TOO_LARGE,
                format!("a block has {size} bytes of data, the limit is {MAX_DATA}"),
            );
        }
        let bytes = size as u32;
        let unknown = || match self.types.addressed {
            true => Err(self.unknown_layout()),
            false => Ok(BlockData { bytes, layout: None }),
        };
        let Some(ty) = self.literal_type(inst.arg(INVOKE + 1)?) else { return unknown() };
        let info = self.types.get(ty)?;
        let fits =
            (u64::from(bytes)..=u64::from(bytes) + u64::from(info.align)).contains(&info.size);
        let whole = fits && info.size as u128 <= MAX_DATA && self.types.check_whole(ty).is_ok();
        match whole {
            true => Ok(BlockData { bytes: info.size as u32, layout: Some(ty) }),
            false => unknown(),
        }
    }
}

/// Whether a module's blocks may capture images, samplers or pipes: it enqueues some and has structures, or arrays, with
/// such members.
pub(crate) fn blocks_capture_descriptors(insts: &[Inst]) -> bool {
    let mut descriptors: FxHashSet<Id> = FxHashSet::default();
    let mut held = false;
    for inst in insts {
        match inst.op {
            Op::TypeImage | Op::TypeSampler | Op::TypePipe => descriptors.extend(inst.result),
            Op::TypeStruct | Op::TypeArray => {
                held |= inst.args.iter().any(|member| descriptors.contains(member));
            }
            Op::Function => break,
            _ => {}
        }
    }
    held && insts.iter().any(|inst| inst.op == Op::EnqueueKernel)
}

/// The data of all blocks of a module. Literals of different types for one function have no layout.
fn blocks_of(spv: &Spv) -> R<FxHashMap<Id, BlockData>> {
    let mut blocks: FxHashMap<Id, BlockData> = FxHashMap::default();
    let mut loc = Loc::UNKNOWN;
    for inst in &spv.insts {
        match inst.op {
            Op::Line => loc = spv.line(inst),
            Op::NoLine | Op::Label | Op::Function => loc = Loc::UNKNOWN,
            Op::EnqueueKernel => {
                let data = spv.literal(inst).map_err(|e| located(e, loc))?;
                let invoke = spv.definition(inst.arg(INVOKE)?);
                let known = blocks.entry(invoke).or_insert(data);
                if known.layout != data.layout {
                    if spv.types.addressed {
                        return Err(located(spv.unknown_layout(), loc));
                    }
                    known.layout = None;
                }
                known.bytes = known.bytes.max(data.bytes);
            }
            _ => {}
        }
    }
    Ok(blocks)
}
