//! The path from a module to a package, in the words of the folders of `hls/`.

use crate::connect::{Connection, add_links, port_names};
use crate::failure::{Failure, Result};
use crate::fit::{Hardware, Thrift};
use crate::input::attach_sources;
use crate::report;
use crate::signature::signatures;
use ::report::Report;
use abi::Manifest;
use base::{Diagnostic, FileSet, Severity, SourceMap};
use ir::Module;
use rtl::Design;
use schedule::KernelSchedule;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use target::{Board, Family, Flow, Library};
use verilog_to_package::PackOptions;

/// What to build and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Kernels; empty = all.
    pub kernels: Vec<String>,
    /// Optimisation level.
    pub level: ir_opt::Level,
    /// Passes of the optimiser to leave out, by name.
    pub without_passes: Vec<String>,
    /// Work-items side by side; `None`: as many as fill the memory port, where nothing else limits a kernel.
    pub simd: Option<u32>,
    /// Whether a kernel may ask for pointers to multiples of [`abi::BUFFER_ALIGN`] where that makes it smaller.
    pub aligned_pointers: bool,
    /// Copies of the datapath; `None`: of each kernel as many as pay.
    pub compute_units: Option<u32>,
    /// Work-groups of the launch that is built for, where that is known: more compute units are of no use.
    pub work_groups: Option<u64>,
    /// Most memory ports, not more than the board has.
    pub memory_ports: u32,
    /// Bytes of the cache of each read of an image; 0 for none, `None` for the usual size.
    pub image_cache: Option<u64>,
    /// Capacity in bytes of each local-memory argument.
    pub local_bytes: u64,
    /// How segments are scheduled.
    pub scheduling: Scheduling,
    /// Clock target in MHz; none = the board's.
    pub clock_mhz: Option<f64>,
    /// Vitis platform.
    pub platform: Option<String>,
    /// Pipes that are FIFOs; those that lead from kernel to kernel are one pipe.
    pub connections: Vec<Connection>,
    /// Values that the module's specialization constants were given, for the manifest.
    pub spec_constants: Vec<abi::SpecConstant>,
    /// Whether to keep the text of every stage.
    pub dump: bool,
}

/// Schedulers of straight-line regions (docs/scheduling.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduling {
    /// Each operation as soon as it can.
    Asap,
    /// Fewest registers at the intervals and latencies of asap or better.
    #[default]
    Sdc,
    /// Any legal schedule, from a seed; for tests.
    Random(u64),
}

/// A finished build.
pub struct Build {
    /// All files of the output directory.
    pub files: FileSet,
    /// The manifest, which is one of them.
    pub manifest: Manifest,
    /// What was made and why it is as fast as it is.
    pub report: Report,
    /// What is not as the user may expect, for people.
    pub warnings: Vec<String>,
}

impl Build {
    /// The Verilog files in the form that the simulator takes.
    pub fn sources(&self) -> Vec<sim::Source> {
        let source = |(path, text): (&str, &[u8])| {
            let name = path.strip_prefix("rtl/")?.to_owned();
            let module = name.trim_end_matches(".v");
            let library = rtl_to_verilog::library_names().any(|n| n == module);
            let text = String::from_utf8_lossy(text).into_owned();
            Some(sim::Source { name, text, library })
        };
        self.files.iter().filter_map(source).collect()
    }
}

/// What OpenCL's build options allow that producers leave out of their modules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numerics {
    /// `-cl-denorms-are-zero`
    pub denorms_are_zero: bool,
    /// `-cl-unsafe-math-optimizations`, and what includes it
    pub unsafe_math: bool,
    /// `-g`: functions that enqueue kernels say why they fail.
    pub enqueue_errors: bool,
    /// `-cl-uniform-work-group-size`
    pub uniform_groups: bool,
}

/// The option of OpenCL C that no compiler takes into the module, and which one of them refuses.
pub const DENORMS_ARE_ZERO: &str = "-cl-denorms-are-zero";
/// The option of OpenCL C that asks for debug information, which modules have anyway.
pub const DEBUG: &str = "-g";
/// The option that forbids smaller work-groups at the ends.
pub const UNIFORM_GROUPS: &str = "-cl-uniform-work-group-size";

impl Numerics {
    /// What options of the compiler of OpenCL C say.
    pub fn of_options<'o>(options: impl Iterator<Item = &'o str>) -> Numerics {
        let mut numerics = Numerics::default();
        for option in options {
            match option {
                DENORMS_ARE_ZERO => numerics.denorms_are_zero = true,
                DEBUG => numerics.enqueue_errors = true,
                UNIFORM_GROUPS => numerics.uniform_groups = true,
                "-cl-unsafe-math-optimizations" | "-cl-fast-relaxed-math" => {
                    numerics.unsafe_math = true;
                }
                _ => {}
            }
        }
        numerics
    }
}

/// What decides how a SPIR-V module is read, beside the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// What producers leave out.
    pub numerics: Numerics,
    /// Work-items of a sub-group; none: as the module says, else 16.
    pub sub_group_size: Option<u32>,
    /// Pipes that are FIFOs beside the kernels.
    pub connected: Vec<spirv_to_ir::ConnectedPipe>,
    /// These are objects in memory all the same.
    pub fifos_in_memory: bool,
    /// Images that have one format at every launch.
    pub formats: Vec<spirv_to_ir::FixedFormat>,
    /// Values of specialization constants by SpecId, as bits of their type.
    pub spec_constants: Vec<(u32, u64)>,
}

/// Share of the device's LUTs that several work-items a token may take for all kernels: one in this many.
const LANES_SHARE: u64 = 4;

/// RAM blocks for replicas where there is no device to fill.
const UNLIMITED_BLOCKS: u64 = 1 << 20;

/// Code of the schedulers' error that they find no schedule.
const NO_SCHEDULE: &str = "E0005";

/// What the optimiser made of a module.
pub(crate) struct Optimised {
    /// What the limits of unrolling were divided by, by kernel. With `one_by_one` and `whole_arrays` all that differs between two tries.
    unroll_less: BTreeMap<String, u32>,
    /// Kernels with one work-item a token, although the port has room for more.
    one_by_one: BTreeSet<String>,
    /// Kernels whose arrays are not divided into banks.
    whole_arrays: BTreeSet<String>,
    pub(crate) module: Module,
    /// Kernels in which arrays were divided into banks.
    pub(crate) divided: BTreeSet<String>,
    /// Kernels in which loops were unrolled.
    pub(crate) unrolled: BTreeSet<String>,
}

/// Runs the steps one after the other and keeps their text for `--dump-dir`.
pub struct Pipeline<'a> {
    pub(crate) options: &'a Options,
    pub(crate) board: &'a Board,
    /// Told what begins.
    progress: RefCell<&'a mut dyn FnMut(&str)>,
    /// What the optimiser has to say of each kernel.
    pub(crate) remarks: RefCell<Vec<(String, Diagnostic)>>,
    /// Kernels that are made smaller than they could be.
    pub(crate) thrift: RefCell<BTreeMap<String, Thrift>>,
    /// The family as it is for kernels that are large.
    pub(crate) large_families: Vec<Family>,
    /// Kernels that are scheduled for one of these, with its place.
    pub(crate) large: RefCell<BTreeMap<String, usize>>,
    /// Whether what begins is told.
    pub(crate) silent: Cell<bool>,
    /// Schedules regions; the same region of several tries once.
    scheduler: Rc<ir_to_schedule::Remembering>,
    /// Text of each stage, numbered as in DESIGN: `00-ir.clir`, `01-opt.inline.clir`...
    pub dumps: RefCell<FileSet>,
}

/// Reads a SPIR-V module; `folder` is where source files are looked for, for messages.
///
/// # Errors
/// Malformed or unsupported input.
pub fn read_spirv(
    bytes: &[u8],
    name: &str,
    kernels: &[String],
    folder: &Path,
    how: &ReadOptions,
) -> Result<Module> {
    let options = read_options(name, kernels, how);
    let mut sources = SourceMap::default();
    let result = spirv_to_ir::read_with_sources(bytes, &options, &mut sources);
    attach_sources(&mut sources, folder);
    let mut module = result.map_err(|e| Failure::with_sources(e, &sources))?;
    module.sources = sources;
    ir::verify::verify_module(&module).map_err(|e| Failure::with_sources(e, &module.sources))?;
    Ok(module)
}

/// How the reader is to read.
pub(crate) fn read_options(
    name: &str,
    kernels: &[String],
    how: &ReadOptions,
) -> spirv_to_ir::Options {
    spirv_to_ir::Options {
        name: name.to_owned(),
        kernels: kernels.to_vec(),
        denorms_are_zero: how.numerics.denorms_are_zero,
        unsafe_math: how.numerics.unsafe_math,
        enqueue_errors: how.numerics.enqueue_errors,
        uniform_groups: how.numerics.uniform_groups,
        sub_group_size: how.sub_group_size,
        connected: how.connected.clone(),
        fifos_in_memory: how.fifos_in_memory,
        formats: how.formats.clone(),
        spec_constants: how.spec_constants.clone(),
    }
}

impl<'a> Pipeline<'a> {
    /// Steps that compile for a board.
    pub fn new(options: &'a Options, board: &'a Board, progress: &'a mut dyn FnMut(&str)) -> Self {
        let progress = RefCell::new(progress);
        let (remarks, thrift, large, silent, dumps) = Default::default();
        let large_families = board.family.for_large();
        let scheduler: Box<dyn ir_to_schedule::Scheduler> = match options.scheduling {
            Scheduling::Asap => Box::new(ir_to_schedule::Asap),
            Scheduling::Sdc => Box::new(ir_to_schedule::Sdc),
            Scheduling::Random(seed) => Box::new(ir_to_schedule::Random { seed }),
        };
        let scheduler = Rc::new(ir_to_schedule::Remembering::new(scheduler));
        Pipeline {
            options,
            board,
            progress,
            remarks,
            thrift,
            large_families,
            large,
            silent,
            scheduler,
            dumps,
        }
    }

    /// Steps that try how another one would do with other options: what both schedule is scheduled once.
    pub(crate) fn trial(
        of: &Pipeline<'_>,
        options: &'a Options,
        board: &'a Board,
        progress: &'a mut dyn FnMut(&str),
    ) -> Self {
        let mut trial = Self::new(options, board, progress);
        trial.large = of.large.clone();
        if options.scheduling == of.options.scheduling {
            trial.scheduler = of.scheduler.clone();
        }
        trial
    }

    /// The whole path.
    ///
    /// # Errors
    /// Those of each step, with source lines.
    pub fn compile(&self, module: Module) -> Result<Build> {
        self.keep_input(&module);
        let mut made = self.hardware(module.clone())?;
        let verilog = self.verilog(&made.module, &made.design)?;
        self.add_notes(&mut made);
        let report = self.report(&made, &module);
        let Hardware { module, manifest, .. } = made;
        let mut build = self.pack(verilog, manifest, report)?;
        let remarks = self.remarks.borrow();
        let warnings = remarks.iter().filter(|(_, r)| r.severity == Severity::Warning);
        build.warnings = warnings.map(|(_, r)| r.render(&module.sources)).collect();
        Ok(build)
    }

    /// Keeps the text of the module as it was read.
    pub fn keep_input(&self, module: &Module) {
        self.keep("00-ir.clir", || module.to_string());
    }

    /// ir-opt
    ///
    /// # Errors
    /// Those of the step.
    pub fn optimise(&self, module: Module) -> Result<Module> {
        self.optimise_and_note(module).map(|(module, _)| module)
    }

    /// The optimised module, and what was done that [`fit`](crate::fit) may do without.
    fn optimise_and_note(&self, module: Module) -> Result<(Module, ir_opt::Report)> {
        self.step("optimise");
        let sources = module.sources.clone();
        let dump = |label: &str, m: &Module| self.keep(&format!("{label}.clir"), || m.to_string());
        let period_ns = 1000.0 / self.clock_mhz();
        let options = ir_opt::Options {
            level: self.options.level,
            disable: self.options.without_passes.clone(),
            simd: self.simd(),
            one_by_one: self.one_by_one(),
            whole_arrays: self.whole_arrays(),
            max_work_group_size: crate::signature::DEFAULT_WORK_GROUP_SIZE,
            unroll_less: self.unroll_less(),
            address_bits: self.board.memory.address_bits,
            period_ns: period_ns - self.board.family.overhead_ns(period_ns),
            aligned_pointers: self.options.aligned_pointers,
            dump: if self.options.dump { Some(&dump) } else { None },
            ..ir_opt::Options::default()
        };
        let (module, mut report) =
            ir_opt::run_with_report(module, &self.options.kernels, &options, &self.board.family)
                .map_err(|e| Failure::with_sources(e, &sources))?;
        *self.remarks.borrow_mut() = std::mem::take(&mut report.remarks);
        Ok((module, report))
    }

    /// [`Self::optimise`] for a module that is tried several times: again only if its outcome is another than in the
    /// `last` try.
    pub(crate) fn optimise_again<'o>(
        &self,
        module: &Module,
        last: &'o mut Option<Optimised>,
    ) -> Result<&'o Optimised> {
        let (unroll_less, one_by_one) = (self.unroll_less(), self.one_by_one());
        let whole_arrays = self.whole_arrays();
        let is_same = |made: &Optimised| {
            let divides = made.divided.is_disjoint(&whole_arrays);
            let arrays = divides && made.whole_arrays.is_subset(&whole_arrays);
            arrays && made.unroll_less == unroll_less && made.one_by_one == one_by_one
        };
        let made = match last.take() {
            Some(made) if is_same(&made) => made,
            _ => {
                let (module, report) = self.optimise_and_note(module.clone())?;
                let ir_opt::Report { unrolled, divided, .. } = report;
                Optimised { unroll_less, one_by_one, whole_arrays, module, unrolled, divided }
            }
        };
        Ok(last.insert(made))
    }

    /// How many work-items a token has, as far as the user says.
    fn simd(&self) -> ir_opt::Simd {
        let units = u64::from(self.options.compute_units.unwrap_or(1).max(1));
        match self.options.simd {
            Some(n) => ir_opt::Simd::Lanes(n),
            None if self.options.level < ir_opt::Level::O2 => ir_opt::Simd::Lanes(1),
            None => ir_opt::Simd::FillPort {
                port_bytes: self.board.memory.data_bits / 8,
                luts: self.board.free().lut as u64 / LANES_SHARE / units,
            },
        }
    }

    fn one_by_one(&self) -> BTreeSet<String> {
        let thrift = self.thrift.borrow();
        thrift.iter().filter(|(_, t)| t.one_by_one).map(|(name, _)| name.clone()).collect()
    }

    fn whole_arrays(&self) -> BTreeSet<String> {
        let thrift = self.thrift.borrow();
        thrift.iter().filter(|(_, t)| t.single_rams).map(|(name, _)| name.clone()).collect()
    }

    fn unroll_less(&self) -> BTreeMap<String, u32> {
        let thrift = self.thrift.borrow();
        let less = thrift.iter().filter(|(_, t)| t.unroll_divisor > 1);
        less.map(|(name, t)| (name.clone(), t.unroll_divisor)).collect()
    }

    /// Takes the optimiser's remarks into the manifest.
    pub fn add_notes(&self, made: &mut Hardware) {
        for kernel in &mut made.manifest.kernels {
            kernel.notes.extend(self.notes(&kernel.signature.name, &made.module.sources));
        }
    }

    /// The optimiser's remarks on a kernel, with their places.
    fn notes(&self, kernel: &str, sources: &SourceMap) -> Vec<String> {
        let of_kernel = |(name, r): &(String, Diagnostic)| {
            let place = r.labels.first().and_then(|l| sources.describe(l.loc));
            let place = place.map_or(String::new(), |p| format!(" ({p})"));
            (name == kernel).then(|| format!("{}{place}", r.message))
        };
        self.remarks.borrow().iter().filter_map(of_kernel).collect()
    }

    /// ir-to-schedule
    ///
    /// # Errors
    /// Those of the step.
    pub fn schedule(&self, module: &Module) -> Result<Vec<KernelSchedule>> {
        self.step("schedule");
        let memory_ports = self.memory_ports()?;
        let options = |kernel: &str| ir_to_schedule::Options {
            clock_mhz: self.clock_mhz(),
            scheduler: &*self.scheduler,
            default_work_group_size: crate::signature::DEFAULT_WORK_GROUP_SIZE,
            memory_latency: self.board.memory.latency_cycles,
            bus_bytes: self.bus_bytes(),
            local_arg_bytes: self.options.local_bytes,
            memory_ports,
            image_cache_bytes: self.options.image_cache,
            work_items: self.thrift_of(kernel).work_items,
            small_division: self.thrift_of(kernel).small_division,
            interval: self.thrift_of(kernel).interval,
            private_memory_bits: self.private_memory_bits(),
            replica_blocks: self.replica_blocks(kernel, module),
        };
        let mut all = vec![];
        for (_, kernel) in module.kernels() {
            let schedule = ir_to_schedule::solve(
                kernel,
                module,
                self.family_of(&kernel.name),
                &options(&kernel.name),
            )
            .map_err(|e| self.too_fast(Failure::with_sources(e, &module.sources)))?;
            let name = format!("30-{}.sched", kernel.name);
            self.keep(&name, || schedule::text::print(&schedule));
            all.push(schedule);
        }
        if all.is_empty() {
            return Err(Failure::new("E0607", format!("{} has no kernels", module.name)));
        }
        Ok(all)
    }

    /// That there is no schedule is no defect where the clock asked for is faster than the board's.
    fn too_fast(&self, failure: Failure) -> Failure {
        let usual = f64::from(self.board.default_clock_mhz);
        if !(failure.is(NO_SCHEDULE) && self.clock_mhz() > usual) {
            return failure;
        }
        let why = failure.diagnostics.0.first().map_or("", |d| d.message.as_str());
        let what = format!("a clock of {} MHz is too fast: {why}", self.clock_mhz());
        Failure::new("E0606", what)
            .help(format!("give a lower --clock; that of {} is {usual} MHz", self.board.name))
    }

    /// schedule-to-rtl, with the compute units that `units` gives kernels where the user leaves their number open; else one.
    ///
    /// # Errors
    /// Those of the step; a number of compute units that is not possible (`E0608`).
    pub fn rtl(
        &self,
        module: &Module,
        schedules: &[KernelSchedule],
        units: &BTreeMap<String, u32>,
    ) -> Result<(Design, Manifest)> {
        let most = schedule_to_rtl::MOST_COMPUTE_UNITS;
        let n = self.options.compute_units.unwrap_or(1);
        if !(1..=most).contains(&n) {
            let what = format!("--compute-units {n}: from 1 to {most} are possible");
            return Err(Failure::new("E0608", what));
        }
        check_names(schedules.iter().map(|s| s.func.name.as_str()).collect())?;
        self.step("generate hardware");
        let signatures = signatures(module);
        let names = port_names(&self.options.connections, &signatures.iter().collect::<Vec<_>>())?;
        let built = schedule_to_rtl::Built {
            board: &self.board.name,
            clock_mhz: self.clock_mhz(),
            bus_bytes: self.bus_bytes(),
            local_arg_bytes: self.options.local_bytes,
            compute_units: &|kernel| units.get(kernel).copied().unwrap_or(n),
            stream_name: &|kernel, arg| names.get(&(kernel.to_owned(), arg)).cloned(),
            memory_latency: self.board.memory.latency_cycles,
            address_bits: self.board.memory.address_bits,
        };
        let family = &self.board.family.name;
        let (design, manifest) = schedule_to_rtl::lower(module, schedules, family, &built)
            .map_err(|e| Failure::with_sources(e, &module.sources))?;
        for m in &design.modules {
            self.keep(&format!("40-{}.rtl", m.name), || rtl::text::module(m));
        }
        Ok((design, manifest))
    }

    /// rtl-to-verilog: Verilog files by path below the output directory.
    ///
    /// # Errors
    /// Those of the step.
    pub fn verilog(&self, module: &Module, design: &Design) -> Result<FileSet> {
        self.step("write Verilog");
        let verilog =
            rtl_to_verilog::emit(design).map_err(|e| Failure::with_sources(e, &module.sources))?;
        let mut files = FileSet::new();
        for (name, text) in verilog.iter() {
            self.keep(&format!("50-{name}"), || String::from_utf8_lossy(text).into_owned());
            files.insert(format!("rtl/{name}"), text);
        }
        Ok(files)
    }

    /// verilog-to-package: the output directory.
    ///
    /// # Errors
    /// Those of the step.
    pub fn pack(&self, verilog: FileSet, mut manifest: Manifest, report: Report) -> Result<Build> {
        self.step("package");
        add_links(&mut manifest, &self.options.connections)?;
        manifest.spec_constants.clone_from(&self.options.spec_constants);
        let options = PackOptions { platform: self.options.platform.clone() };
        let mut files = verilog_to_package::pack(&manifest, &verilog, self.board, &options)?;
        files.extend(verilog);
        files.insert(abi::MANIFEST_FILE, manifest.to_json());
        report::insert(&mut files, &report);
        for (path, text) in files.iter().filter(|(path, _)| !path.starts_with("rtl/")) {
            let name = format!("60-{}", path.replace('/', "-"));
            self.keep(&name, || String::from_utf8_lossy(text).into_owned());
        }
        Ok(Build { files, manifest, report, warnings: vec![] })
    }

    /// Tells what begins; a kernel that is tried again goes through the steps in silence.
    pub(crate) fn step(&self, what: &str) {
        if !self.silent.get() {
            (self.progress.borrow_mut())(what);
        }
    }

    fn keep(&self, name: &str, text: impl FnOnce() -> String) {
        if self.options.dump {
            self.dumps.borrow_mut().insert(name, text());
        }
    }

    fn clock_mhz(&self) -> f64 {
        self.options.clock_mhz.unwrap_or(self.board.default_clock_mhz.into())
    }

    fn memory_ports(&self) -> Result<u32> {
        let (wanted, most) = (self.options.memory_ports, self.board.memory.ports);
        if (1..=most).contains(&wanted) {
            return Ok(wanted);
        }
        let what = format!("--memory-ports {wanted}: board {} has {most}", self.board.name);
        Err(Failure::new("E0608", what))
    }

    /// A quarter of the device's block RAM, and not more than what keeps enough work-items in flight for most kernels.
    fn private_memory_bits(&self) -> u64 {
        const ENOUGH: u64 = 1 << 21;
        let bits = self.board.resources.bram * u64::from(self.board.family.ram.block_bits);
        (bits / 4).min(ENOUGH)
    }

    /// RAM blocks that replicas of a kernel's arrays may take: all kernels and compute units together a quarter of what
    /// copies may fill.
    fn replica_blocks(&self, kernel: &str, module: &Module) -> u64 {
        if self.thrift_of(kernel).single_rams {
            return 0;
        }
        if self.board.flow == Flow::None {
            return UNLIMITED_BLOCKS;
        }
        let units = u64::from(self.options.compute_units.unwrap_or(1).max(1));
        let sharing = units * (module.kernels().count() as u64).max(1);
        self.board.room_for_copies().bram as u64 / 4 / sharing
    }

    fn bus_bytes(&self) -> u32 {
        self.board.memory.data_bits / 8
    }
}

/// Whether the modules of all kernels have names of their own.
///
/// # Errors
/// `E0403`
fn check_names(kernels: Vec<&str>) -> Result<()> {
    let fail = |what: String, help: &str| Err(Failure::new("E0403", what).help(help));
    for (k, name) in kernels.iter().enumerate() {
        let top = rtl::names::legal(name);
        if top.starts_with("clhls_") {
            let what = format!("kernel `{name}`: modules of the library begin with `clhls_`");
            return fail(what, "rename the kernel");
        }
        for other in &kernels[..k] {
            let others = rtl::names::legal(other);
            if top == others || is_part(&top, &others) || is_part(&others, &top) {
                let what = format!("kernels `{other}` and `{name}` would share a Verilog module");
                return fail(what, "build them one at a time with --kernel, or rename one");
            }
        }
    }
    Ok(())
}

/// Whether a name is that of a pipeline of a kernel: `<top>_b<block>_...`.
fn is_part(name: &str, top: &str) -> bool {
    let block = name.strip_prefix(top).and_then(|rest| rest.strip_prefix("_b"));
    let after = block.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    after.is_some_and(|rest| rest.starts_with('_'))
}

/// The boards that are known, with those of a folder.
///
/// # Errors
/// `E0606` when the folder has none or cannot be read.
pub fn library(board_dir: Option<&Path>) -> Result<Library> {
    match board_dir {
        Some(dir) => Ok(Library::builtin().with_dir(dir)?),
        None => Ok(Library::builtin()),
    }
}
