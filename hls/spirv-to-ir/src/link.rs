//! What the functions of a module share while they are lowered: the output module, which
//! functions and variables it needs, and the limits.

use crate::constants::Const;
use crate::decode::Id;
use crate::enqueue::Enqueuing;
use crate::errors::{
    BAD_CONNECTION, BAD_FORMAT, BAD_ID, BAD_MEMORY, NO_KERNEL, R, RECURSION, TOO_LARGE, UNRESOLVED,
    error, fail,
};
use crate::images::ImageFunction;
use crate::lower::{Shape, Shapes};
use crate::module::Spv;
use crate::pipes::{Packets, PipeFunction};
use crate::types::{Kind, space};
use crate::{ConnectedPipe, FixedFormat, Options};
use abi::pipe::field;
use abi::print::PrintFormat;
use abi::{ImageFormat, PipeDescriptor};
use base::{Diagnostic, FxHashMap, IndexSet, Loc};
use ir::{Func, Function, Global, GlobalData, Module, Space};
use rspirv::spirv::StorageClass;
use std::rc::Rc;

/// Most IR instructions made from one module.
const MAX_INSTS: usize = 4 << 20;
/// Most bytes of initial values in one module.
const MAX_INIT: u64 = 64 << 20;
/// Largest string literal, in bytes.
const MAX_LITERAL: u64 = 1 << 16;
/// Most errors reported at once.
const MAX_ERRORS: usize = 20;

/// Most work-items of a work-group where the kernel does not say: as many as devices allow then.
pub(crate) const DEFAULT_WORK_GROUP_SIZE: u32 = 256;

/// What there is of a kernel that an option names.
enum State {
    /// It was read.
    Read,
    /// The module has it, but nobody wants it.
    Left,
    /// The module has no such kernel.
    Unknown,
}

/// What a function is lowered as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// As a kernel, by index into the entry points.
    Kernel(usize),
    /// As the kernel of a block that is enqueued.
    Block,
    /// As a callee.
    Callee,
}

/// A function to lower.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub function: Id,
    pub role: Role,
    pub func: Func,
    /// What the parameters of a callee can be that are more than pipes in memory.
    pub pipes: Shapes,
}

/// Local memory in which work-items leave values for others of their group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Scratch {
    /// What for.
    pub name: &'static str,
    /// Bytes of an element.
    pub bytes: u32,
    /// Elements.
    pub count: u32,
}

/// State shared by all functions.
pub(crate) struct Linker<'a> {
    pub spv: &'a Spv<'a>,
    pub module: Module,
    callees: FxHashMap<(Id, Shapes), Func>,
    /// Pipes that are connected, and whether a kernel has them.
    connected: Vec<(ConnectedPipe, bool)>,
    /// Whether these are objects in memory all the same.
    pub fifos_in_memory: bool,
    /// Formats of images that are known, and whether a kernel has them.
    formats: Vec<(FixedFormat, bool)>,
    globals: FxHashMap<Id, Global>,
    /// The buffer of `printf`, once a kernel prints.
    print_buffer: Option<Global>,
    /// What kernels print.
    print_formats: IndexSet<PrintFormat>,
    /// Local memory of work-group functions.
    scratch: FxHashMap<Scratch, Global>,
    pub image_functions: FxHashMap<ImageFunction, Func>,
    pub pipe_functions: FxHashMap<PipeFunction, Func>,
    /// Which packets go through pipes, once a kernel has one.
    packets: Option<Packets>,
    /// What kernels enqueue.
    pub enqueuing: Enqueuing,
    pub queue: Vec<Job>,
    /// Variables whose initial bytes are still to be written.
    pending: Vec<(Id, Global)>,
    init_bytes: u64,
    /// See [`Self::largest_group`].
    pub largest_group: u32,
    /// IR instructions and value parts made so far.
    work: usize,
    pub errors: Vec<Diagnostic>,
}

impl<'a> Linker<'a> {
    pub fn new(spv: &'a Spv<'a>, name: &str) -> Self {
        let mut module = Module::new(name, spv.types.addr_bits);
        module.cl_version = spv.cl_version;
        Linker {
            spv,
            module,
            callees: FxHashMap::default(),
            connected: vec![],
            fifos_in_memory: false,
            formats: vec![],
            globals: FxHashMap::default(),
            print_buffer: None,
            print_formats: IndexSet::default(),
            scratch: FxHashMap::default(),
            image_functions: FxHashMap::default(),
            pipe_functions: FxHashMap::default(),
            packets: None,
            enqueuing: Enqueuing::default(),
            queue: vec![],
            pending: vec![],
            init_bytes: 0,
            largest_group: 1,
            work: 0,
            errors: vec![],
        }
    }

    /// Queues the kernels asked for (all when none is named), in the order of the module.
    pub fn request_kernels(&mut self, options: &Options) -> R<()> {
        self.connected = options.connected.iter().map(|c| (c.clone(), false)).collect();
        self.fifos_in_memory = options.fifos_in_memory;
        self.enqueuing.errors = options.enqueue_errors;
        self.enqueuing.uniform = options.uniform_groups || self.spv.cl_version < 200;
        self.formats = options.formats.iter().map(|f| (f.clone(), false)).collect();
        let spv = self.spv;
        let kernels = || {
            let all = spv.entry_points.iter().enumerate();
            all.filter(|(_, entry)| !spv.is_block_entry(entry.function))
        };
        let names: Vec<&str> = kernels().map(|(_, e)| e.name.as_str()).collect();
        if names.is_empty() {
            return fail(NO_KERNEL, "the module has no kernel");
        }
        for wanted in &options.kernels {
            if !names.contains(&wanted.as_str()) {
                let mut e = error(NO_KERNEL, format!("the module has no kernel `{wanted}`"));
                e = Box::new(e.note(format!("its kernels are: {}", names.join(", "))));
                return Err(e);
            }
        }
        let mut state = FxHashMap::default();
        for (k, entry) in kernels() {
            if options.kernels.is_empty() || options.kernels.contains(&entry.name) {
                self.check_recursion(entry.function, &mut state)?;
                let func = self.placeholder(entry.name.clone());
                let info = self.spv.modes.get(&entry.function);
                let most = info.and_then(ir::KernelInfo::largest_work_group);
                let most = most.unwrap_or(DEFAULT_WORK_GROUP_SIZE);
                self.largest_group = self.largest_group.max(most);
                let pipes = vec![];
                let role = Role::Kernel(k);
                self.queue.push(Job { function: entry.function, role, func, pipes });
            }
        }
        self.queue.reverse();
        Ok(())
    }

    /// The next function to lower.
    pub fn next_job(&mut self) -> Option<Job> {
        self.queue.pop()
    }

    /// The IR function of a callee with parameters that can be these pipes, queued when new.
    pub fn callee(&mut self, id: Id, pipes: &[Option<Rc<Shape>>]) -> R<Func> {
        let key = (id, pipes.to_vec());
        if let Some(f) = self.callees.get(&key) {
            return Ok(*f);
        }
        let Some(raw) = self.spv.functions.get(&id) else {
            return fail(BAD_ID, format!("{} is called but is no function", self.spv.describe(id)));
        };
        if raw.blocks.is_empty() {
            return fail(
                UNRESOLVED,
                format!("function {} is defined nowhere", self.spv.describe(id)),
            );
        }
        let name = self.spv.names.get(&id).cloned().unwrap_or_else(|| format!("function_{id}"));
        let func = self.placeholder(name);
        self.callees.insert(key.clone(), func);
        self.queue.push(Job { function: id, role: Role::Callee, func, pipes: key.1 });
        Ok(func)
    }

    pub fn placeholder(&mut self, name: String) -> Func {
        self.module.functions.push(Function::new(name, self.spv.types.addr_bits))
    }

    /// The depth of the pipe that an argument of a kernel is connected to.
    pub fn connection(&mut self, kernel: &str, index: u32, name: Option<&str>) -> Option<u32> {
        let names = |arg: &str| Some(arg) == name || arg.parse() == Ok(index);
        let is_it = |(c, _): &&mut (ConnectedPipe, bool)| c.kernel == kernel && names(&c.arg);
        let mut depth = None;
        for (found, used) in self.connected.iter_mut().filter(is_it) {
            *used = true;
            depth.get_or_insert(found.depth);
        }
        depth
    }

    /// What there is of a kernel.
    fn state_of(&self, kernel: &str) -> State {
        let read = |f: &Function| f.kernel.is_some() && f.name == kernel;
        match self.module.functions.values().any(read) {
            true => State::Read,
            false if self.spv.entry_points.iter().any(|e| e.name == kernel) => State::Left,
            false => State::Unknown,
        }
    }

    /// Fails if a connection names no argument of a kernel that was read, or no kernel. Those of kernels that were left have no
    /// meaning here.
    pub fn check_connections(&self) -> R<()> {
        for (pipe, _) in self.connected.iter().filter(|(_, used)| !used) {
            let (kernel, arg) = (&pipe.kernel, &pipe.arg);
            let text = match self.state_of(kernel) {
                State::Read => format!("connected: kernel `{kernel}` has no argument `{arg}`"),
                State::Left => continue,
                State::Unknown => {
                    format!("connected: `{kernel}.{arg}`, but there is no kernel `{kernel}`")
                }
            };
            return fail(BAD_CONNECTION, text);
        }
        Ok(())
    }

    /// The format that all images have that a kernel gets for an argument, where it is known.
    pub fn format(&mut self, kernel: &str, index: u32, name: Option<&str>) -> Option<ImageFormat> {
        let names = |arg: &str| Some(arg) == name || arg.parse() == Ok(index);
        let is_it = |(f, _): &&mut (FixedFormat, bool)| f.kernel == kernel && names(&f.arg);
        let (found, used) = self.formats.iter_mut().find(is_it)?;
        *used = true;
        Some(found.format)
    }

    /// Fails if a format was given for no image of a kernel that was read.
    pub fn check_formats(&self) -> R<()> {
        for (f, _) in self.formats.iter().filter(|(_, used)| !used) {
            let (kernel, arg, format) = (&f.kernel, &f.arg, f.format.names());
            let why = match self.state_of(kernel) {
                State::Read => format!("kernel `{kernel}` has no image `{arg}`"),
                State::Left => continue,
                State::Unknown => format!("there is no kernel `{kernel}`"),
            };
            let text = format!("format {format} was given for `{kernel}.{arg}`, but {why}");
            return fail(BAD_FORMAT, text);
        }
        Ok(())
    }

    /// Fails if functions that `root` reaches call themselves. `state` is 1 for functions on
    /// the path to the one looked at, 2 for those done.
    pub fn check_recursion(&self, root: Id, state: &mut FxHashMap<Id, u8>) -> R<()> {
        if state.contains_key(&root) {
            return Ok(());
        }
        let mut path = vec![(root, 0)];
        state.insert(root, 1);
        while let Some((id, next)) = path.last_mut() {
            let callees = self.spv.functions.get(id).map_or(&[][..], |f| &f.callees);
            let Some(&callee) = callees.get(*next) else {
                state.insert(*id, 2);
                path.pop();
                continue;
            };
            *next += 1;
            match state.get(&callee) {
                None => {
                    state.insert(callee, 1);
                    path.push((callee, 0));
                }
                Some(1) => {
                    let start = path.iter().position(|p| p.0 == callee).unwrap_or(0);
                    let mut names: Vec<_> =
                        path[start..].iter().map(|p| self.spv.describe(p.0)).collect();
                    names.push(self.spv.describe(callee));
                    return fail(
                        RECURSION,
                        format!("recursion is not possible: {}", names.join(" calls ")),
                    );
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Counts `n` more units of output against the limit.
    pub fn spend(&mut self, n: usize) -> R<()> {
        self.work += n;
        if self.work > MAX_INSTS {
            return fail(
                TOO_LARGE,
                format!("the module makes more than {MAX_INSTS} IR instructions"),
            );
        }
        Ok(())
    }

    /// Records an error; false when there are enough.
    pub fn report(&mut self, e: Diagnostic) -> bool {
        if !self.errors.contains(&e) {
            self.errors.push(e);
        }
        self.errors.len() < MAX_ERRORS
    }

    /// The IR variable for a module variable.
    pub fn global(&mut self, id: Id) -> R<Global> {
        if let Some(g) = self.globals.get(&id) {
            return Ok(*g);
        }
        let spv = self.spv;
        let Some(var) = spv.variables.get(&id) else {
            return fail(BAD_ID, format!("{} is not a variable", spv.describe(id)));
        };
        let deco = spv.deco.of(id);
        if let Some((name, true)) = &deco.linkage {
            let definition = spv.definition(id);
            if definition == id {
                return Err(Box::new(
                    error(UNRESOLVED, format!("variable `{name}` is defined nowhere")).at(var.loc),
                ));
            }
            let global = self.global(definition)?;
            self.globals.insert(id, global);
            return Ok(global);
        }
        let space = space(var.class).map_err(|e| Box::new(e.at(var.loc)))?;
        if !matches!(space, Space::Global | Space::Constant | Space::Local) {
            return fail(
                BAD_MEMORY,
                format!(
                    "module variable {} has the storage class {:?}",
                    spv.describe(id),
                    var.class
                ),
            );
        }
        let pointee = spv.types.pointee(var.ty)?;
        spv.types.need_memory(pointee).map_err(|e| Box::new(e.at(var.loc)))?;
        let info = spv.types.get(pointee)?;
        // what clang-22 makes of some local arrays has the type of an element: `driver::local_sizes` adds the decoration
        let reach = deco.max_byte_offset.filter(|_| space == Space::Local);
        let global = self.module.globals.push(GlobalData {
            name: spv.names.get(&id).cloned().unwrap_or_else(|| format!("variable_{id}")),
            space,
            size: info.size.max(reach.map_or(0, |last| u64::from(last) + 1)),
            align: alignment(deco.alignment, info.align),
            init: None,
            relocations: vec![],
            loc: var.loc,
        });
        self.globals.insert(id, global);
        if var.init.is_some() && space != Space::Local {
            self.pending.push((id, global));
        }
        Ok(global)
    }

    /// The local variable for values that work-items of a group tell one another.
    pub fn scratch(&mut self, scratch: Scratch) -> Global {
        *self.scratch.entry(scratch).or_insert_with(|| {
            let Scratch { name, bytes, count } = scratch;
            self.module.globals.push(GlobalData {
                name: format!("{name}_{}", 8 * bytes),
                space: Space::Local,
                size: u64::from(bytes) * u64::from(count),
                align: bytes,
                init: None,
                relocations: vec![],
                loc: Loc::UNKNOWN,
            })
        })
    }

    /// The object of a pipe of the program, empty at first.
    pub fn pipe_object(&mut self, id: Id, pipe: PipeDescriptor) -> Global {
        if let Some(object) = self.globals.get(&id) {
            return *object;
        }
        let name = self.spv.names.get(&id).filter(|n| !n.is_empty());
        let object = self.module.globals.push(GlobalData {
            name: name.cloned().unwrap_or_else(|| format!("pipe_{id}")),
            space: Space::Global,
            size: pipe.object_bytes(),
            align: abi::pipe::ALIGN,
            init: pipe.object(&[]),
            relocations: vec![],
            loc: Loc::UNKNOWN,
        });
        self.globals.insert(id, object);
        object
    }

    /// The packets of the module's pipes.
    pub fn packets(&mut self) -> R<&Packets> {
        let packets = match self.packets.take() {
            Some(packets) => packets,
            None => Packets::of(self.spv)?,
        };
        Ok(self.packets.insert(packets))
    }

    /// The variable to which kernels print.
    pub fn print_buffer(&mut self) -> Global {
        *self.print_buffer.get_or_insert_with(|| {
            self.module.globals.push(GlobalData {
                name: abi::print::BUFFER.into(),
                space: Space::Global,
                size: abi::print::BUFFER_BYTES,
                align: 64,
                init: None,
                relocations: vec![],
                loc: Loc::UNKNOWN,
            })
        })
    }

    /// The number of a format.
    pub fn print_format(&mut self, format: PrintFormat) -> u32 {
        self.print_formats.insert_full(format).0 as u32
    }

    /// Adds the table of formats, if kernels print.
    pub fn write_print_formats(&mut self) {
        if self.print_formats.is_empty() {
            return;
        }
        let formats: Vec<PrintFormat> = self.print_formats.iter().cloned().collect();
        let bytes = abi::print::table(&formats);
        self.module.globals.push(GlobalData {
            name: abi::print::TABLE.into(),
            space: Space::Constant,
            size: bytes.len() as u64,
            align: 1,
            init: Some(bytes),
            relocations: vec![],
            loc: Loc::UNKNOWN,
        });
    }

    /// The bytes of a variable in constant memory; none of other variables, and of those that hold addresses.
    pub fn constant_bytes(&mut self, global: Global) -> R<Option<Vec<u8>>> {
        let data = &self.module.globals[global];
        if data.space != Space::Constant || data.size > MAX_LITERAL {
            return Ok(None);
        }
        let mut bytes = vec![0; data.size as usize];
        let id = self.globals.iter().find(|(_, g)| **g == global).map(|(id, _)| *id);
        let init = id.and_then(|id| self.spv.variables.get(&id)?.init);
        let mut relocations = vec![];
        if let Some(init) = init {
            self.write_constant(init, 0, &mut bytes, &mut relocations)?;
        }
        Ok(relocations.is_empty().then_some(bytes))
    }

    /// Most work-items of a work-group of any kernel that was asked for.
    pub fn largest_group(&self) -> u32 {
        self.largest_group
    }

    /// Writes the initial bytes of all variables used, and of those that they point to.
    pub fn write_initial_values(&mut self) -> R<()> {
        while let Some((id, global)) = self.pending.pop() {
            let Some(var) = self.spv.variables.get(&id).copied() else { continue };
            let Some(init) = var.init else { continue };
            let spv = self.spv;
            self.initial_value(init, global).map_err(|e| {
                Box::new(
                    e.at(var.loc).note(format!("in the initial value of {}", spv.describe(id))),
                )
            })?;
        }
        Ok(())
    }

    fn initial_value(&mut self, init: Id, global: Global) -> R<()> {
        if self.spv.consts.get(init).is_some_and(|c| c.value == Const::Zero) {
            return Ok(());
        }
        let size = self.module.globals[global].size;
        self.init_bytes = self.init_bytes.saturating_add(size);
        if self.init_bytes > MAX_INIT {
            return fail(TOO_LARGE, format!("initial values take more than {MAX_INIT} bytes"));
        }
        let mut bytes = vec![0; size as usize];
        let mut relocations = vec![];
        self.write_constant(init, 0, &mut bytes, &mut relocations)?;
        relocations.sort();
        let data = &mut self.module.globals[global];
        data.init = Some(bytes);
        data.relocations = relocations;
        Ok(())
    }

    fn write_constant(
        &mut self,
        id: Id,
        at: u64,
        bytes: &mut [u8],
        relocations: &mut Vec<(u64, Global, i64)>,
    ) -> R<()> {
        let spv = self.spv;
        let Some(info) = spv.consts.get(id) else {
            return fail(BAD_ID, format!("{} is not a constant", spv.describe(id)));
        };
        let ty = spv.types.get(info.ty)?;
        if ty.size == 0 {
            return Ok(());
        }
        match &info.value {
            Const::Zero => {}
            Const::Lanes(lanes) => {
                let leaf = crate::types::memory_type(spv.types.ir(info.ty)?);
                let width = leaf.lane().mem_bytes(spv.types.addr_bits) as usize;
                for (k, bits) in lanes.iter().enumerate() {
                    put(bytes, at + (k * width) as u64, &bits.to_le_bytes()[..width])?;
                }
            }
            Const::Composite(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    let offset = match &ty.kind {
                        Kind::Array { stride, .. } => stride * k as u64,
                        Kind::Struct { members, .. } => members.get(k).map_or(0, |m| m.offset),
                        Kind::Vector { element, .. } => spv.types.get(*element)?.size * k as u64,
                        _ => 0,
                    };
                    self.write_constant(*part, at + offset, bytes, relocations)?;
                }
            }
            Const::Address { var, addend } => {
                if spv.variables.get(var).is_some_and(|v| v.class == StorageClass::Workgroup) {
                    return fail(
                        BAD_MEMORY,
                        format!(
                            "the address of local variable {} is not constant",
                            spv.describe(*var)
                        ),
                    );
                }
                relocations.push((at, self.global(*var)?, *addend));
            }
            Const::PipeStorage(pipe) => {
                let object = self.pipe_object(id, *pipe);
                relocations.push((at + u64::from(field::ADDRESS), object, 0));
                let fields = &pipe.to_bytes()[field::MAX_PACKETS as usize..];
                put(bytes, at + u64::from(field::MAX_PACKETS), fields)?;
            }
            Const::Expression | Const::Opaque => {
                return fail(
                    BAD_MEMORY,
                    format!("{} cannot be evaluated when compiling", spv.describe(id)),
                );
            }
        }
        Ok(())
    }
}

fn put(bytes: &mut [u8], at: u64, value: &[u8]) -> R<()> {
    let start = at as usize;
    match bytes.get_mut(start..start + value.len()) {
        Some(slot) => {
            slot.copy_from_slice(value);
            Ok(())
        }
        None => fail(BAD_MEMORY, "an initial value is larger than its variable"),
    }
}

/// The alignment of a variable: the larger of the decorated and the natural one.
pub(crate) fn alignment(decorated: Option<u32>, natural: u32) -> u32 {
    let decorated = decorated.filter(|a| a.is_power_of_two() && *a <= 1 << 16);
    decorated.unwrap_or(1).max(natural).max(1)
}

/// Adds a place to an error that has none.
pub(crate) fn located(e: Box<Diagnostic>, loc: Loc) -> Box<Diagnostic> {
    if e.labels.is_empty() { Box::new(e.at(loc)) } else { e }
}
