//! The device.

use crate::family::Family;
use crate::launch::{Limits, Outcome, RegisterBlock, explain, run};
use crate::memory::DeviceMemory;
use crate::profile::Profile;
use crate::report::Context;
use crate::{pipes, together};
use abi::{Arg, ImageDescriptor, Kernel, KernelSignature, Manifest, PipeDescriptor, StreamPort};
use host::enqueue::DEFAULT_QUEUE;
use host::{
    BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, NdRange, Printed, RawArg,
    ResolvedRange, Start, check_args,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use verilator_sys::{
    BuildOptions, Built, CHECKER_MODULE, ChannelSignals, Design, MemoryOptions, Model, PipeUnit,
    Port, Region, Source, build,
};

/// The AXI protocol checker that is bound to every memory port; part of simulations only.
const CHECKER: &str = include_str!("../../../rtl-templates/axi/clhls_axi_checker.v");

/// How a simulation is built and run.
#[derive(Debug, Clone)]
pub struct SimOptions {
    /// The memory behind the kernel.
    pub memory: MemoryOptions,
    /// Cycles after which a launch is given up.
    pub max_cycles: u64,
    /// Cycles without movement on the ports after which the inside of the kernel is looked at, and if
    /// nothing moves there either, the launch ends with an error.
    pub watchdog: u64,
    /// Operations on pipes that may be refused, one after the other, without the kernels doing anything else; then the launch ends
    /// with an error. 0: as many as `max_cycles` lets them.
    pub most_polls: u64,
    /// FST file for waveforms; further kernels get `<name>.<kernel>.fst` beside it.
    pub trace: Option<PathBuf>,
    /// Registers start with random contents: finds state that reset forgot.
    pub random_state: bool,
    /// Counts what passes through channels, and accesses: [`Simulator::profile`].
    pub profile: bool,
    /// Where built models are kept; `None`: the user's cache directory.
    pub cache_dir: Option<PathBuf>,
}

impl Default for SimOptions {
    fn default() -> Self {
        Self {
            memory: MemoryOptions::default(),
            max_cycles: 10_000_000_000,
            watchdog: 100_000,
            most_polls: abi::pipe::MOST_POLLS,
            trace: None,
            random_state: false,
            profile: false,
            cache_dir: None,
        }
    }
}

/// Simulated hardware, as a device with one program.
pub struct Simulator {
    manifest: Manifest,
    sources: Vec<Source>,
    pub(crate) options: SimOptions,
    pub(crate) memory: DeviceMemory,
    /// Address of program-scope variables; 0 if there are none.
    pub(crate) program_base: u64,
    /// Running instances by kernel name.
    models: BTreeMap<String, Model>,
    /// Of the last launch.
    profile: Option<Profile>,
}

fn device_error(error: impl ToString) -> Error {
    Error::new(ErrorKind::Device, error.to_string())
}

/// An error of building, loading or running a model.
pub(crate) fn model_error(error: verilator_sys::Error) -> Error {
    use verilator_sys::Error as Cause;
    let kind = match &error {
        Cause::MissingTool { .. } => ErrorKind::MissingTool,
        Cause::Io { .. } | Cause::NoCache => ErrorKind::File,
        _ => ErrorKind::Device,
    };
    Error::new(kind, error.to_string())
}

impl Simulator {
    /// Opens the output directory of a build: `manifest.json` and `rtl/*.v`.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if it is not such a directory.
    pub fn open(dir: &Path, options: SimOptions) -> Result<Self, Error> {
        let manifest = Manifest::read(dir).map_err(device_error)?;
        let sources = read_sources(&dir.join("rtl"))?;
        Self::new(manifest, sources, options)
    }

    /// A device from a manifest and the Verilog of its kernels.
    ///
    /// Each source is named after the module it contains; all but the kernels' own are read only if
    /// used.
    ///
    /// # Errors
    /// [`ErrorKind::Device`] if the manifest is not consistent or a kernel's file is missing.
    pub fn new(
        manifest: Manifest,
        mut sources: Vec<Source>,
        options: SimOptions,
    ) -> Result<Self, Error> {
        manifest.verify().map_err(device_error)?;
        let checker = format!("{CHECKER_MODULE}.v");
        sources.retain(|source| source.name != checker);
        sources.push(Source { name: checker, text: CHECKER.into(), library: true });
        for kernel in &manifest.kernels {
            let file = format!("{}.v", kernel.top);
            if !sources.iter().any(|source| source.name == file) {
                return Err(device_error(format!(
                    "kernel `{}`: rtl/{file} is missing",
                    kernel.signature.name
                )));
            }
        }
        let mut memory = DeviceMemory::new(address_bits(&manifest));
        let program_base = match &manifest.program_memory {
            Some(program) => memory.allocate(program.size)?,
            None => 0,
        };
        let models = BTreeMap::new();
        let profile = None;
        let mut device = Self { manifest, sources, options, memory, program_base, models, profile };
        device.reload_program()?;
        Ok(device)
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What was counted in the last launch, if the device is made with [`SimOptions::profile`].
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// Builds the model of a kernel, or finds it in the cache. Launches do so when they must; a caller
    /// that wants to show progress or time calls it before.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`]; [`ErrorKind::Device`] with what Verilator or the compiler said, or
    /// which of them is not installed.
    pub fn build(&self, kernel: &str) -> Result<Built, Error> {
        let kernel = self.find(kernel)?;
        let top = format!("{}.v", kernel.top);
        let sources = self
            .sources
            .iter()
            .map(|source| Source { library: source.name != top, ..source.clone() });
        let design = Design {
            kernel: kernel.top.clone(),
            ports: kernel
                .memory_ports
                .iter()
                .map(|port| Port {
                    name: port.name.clone(),
                    data_bits: port.data_bits,
                    id_bits: port.id_bits,
                })
                .collect(),
            streams: streams(kernel)
                .map(|(_, stream)| verilator_sys::StreamPort {
                    name: stream.name.clone(),
                    bytes: stream.data_bits / 8,
                    writes: stream.writes,
                    unit: PipeUnit::of_module(&stream.unit),
                })
                .collect(),
            channels: kernel
                .channels
                .iter()
                .map(|channel| ChannelSignals {
                    valid: channel.valid.clone(),
                    ready: channel.ready.clone(),
                    space: channel.space.clone(),
                    waiting: channel.waiting.clone(),
                })
                .collect(),
            sources: sources.collect(),
            profile: self.options.profile,
        };
        let options = BuildOptions {
            trace: self.options.trace.is_some(),
            random_state: self.options.random_state,
            cache_dir: self.options.cache_dir.clone(),
        };
        build(&design, &options).map_err(model_error)
    }

    pub(crate) fn find(&self, kernel: &str) -> Result<&Kernel, Error> {
        self.manifest
            .kernel(kernel)
            .map_err(|error| Error::new(ErrorKind::KernelName, error.to_string()))
    }

    /// Takes the kernel's instance out of the table, or makes one.
    pub(crate) fn take_model(&mut self, kernel: &str) -> Result<Model, Error> {
        if let Some(model) = self.models.remove(kernel) {
            return Ok(model);
        }
        let built = self.build(kernel)?;
        let mut model = Model::new(&built, &self.options.memory).map_err(model_error)?;
        if let Some(path) = &self.options.trace {
            model.open_trace(&self.trace_path(path, kernel)).map_err(model_error)?;
        }
        Ok(model)
    }

    /// The first kernel of the program writes to the path given, the others beside it.
    fn trace_path(&self, path: &Path, kernel: &str) -> PathBuf {
        let first = self.manifest.kernels.first();
        if first.is_some_and(|first| first.signature.name == kernel) {
            return path.to_owned();
        }
        path.with_extension(format!("{kernel}.fst"))
    }

    /// Fewest bits of the addresses that the kernels take.
    pub(crate) fn address_bits(&self) -> u32 {
        address_bits(&self.manifest)
    }

    /// The size of program-scope variables, in bytes.
    pub(crate) fn program_bytes(&self) -> u64 {
        self.manifest.program_memory.as_ref().map_or(0, |program| program.size)
    }

    /// Device address and contents of the program-scope variables, if there are any.
    pub(crate) fn program_memory(&mut self) -> Option<(u64, &mut [u8])> {
        let base = self.program_base;
        self.memory.at_mut(base).map(|region| (base, region.storage_mut()))
    }

    /// Whether kernels print.
    pub(crate) fn prints(&self) -> bool {
        self.manifest.program_memory.as_ref().is_some_and(|program| program.prints.is_some())
    }

    /// What kernels have printed since the last call.
    pub(crate) fn printed(&mut self) -> Printed {
        let prints = self.manifest.program_memory.as_ref().and_then(|p| p.prints.clone());
        let Some(prints) = prints else { return Printed::default() };
        let bytes = self.program_memory().map(|(_, bytes)| bytes).unwrap_or_default();
        let buffer =
            bytes.get_mut(prints.offset as usize..).and_then(|b| b.get_mut(..prints.size as usize));
        buffer.map_or_else(Printed::default, |buffer| host::print::take(&prints.formats, buffer))
    }

    /// A launch with its arguments as device addresses.
    fn prepare(&self, name: &str, range: &NdRange, args: &[LaunchArg]) -> Result<Prepared, Error> {
        let kernel = self.find(name)?.clone();
        check_args(&kernel.signature, args)?;
        let range = range.resolve(&kernel.signature)?;
        let mut names = vec![];
        let mut raw = Vec::with_capacity(args.len());
        for (info, arg) in kernel.signature.args.iter().zip(args) {
            raw.push(match arg {
                &LaunchArg::Buffer { buffer, offset } => {
                    let base = self.memory.address(buffer)?;
                    names.push((base, info.name.clone()));
                    RawArg::Pointer(base.wrapping_add(offset))
                }
                &LaunchArg::Image { buffer, descriptor } => {
                    let texels = self.memory.address(buffer)?;
                    names.push((texels, info.name.clone()));
                    RawArg::Image(ImageDescriptor { texels, ..descriptor })
                }
                &LaunchArg::Pipe { buffer, descriptor } => {
                    let address = self.memory.address(buffer)?;
                    names.push((address, info.name.clone()));
                    RawArg::Pipe(PipeDescriptor { address, ..descriptor })
                }
                LaunchArg::Null => RawArg::Pointer(0),
                LaunchArg::Local(size) => RawArg::Local(*size),
                LaunchArg::Value(bytes) => RawArg::Value(bytes.clone()),
            });
        }
        Ok(Prepared { kernel, range, args: raw, names })
    }

    /// A launch whose arguments are device addresses, on an instance that was taken out of the table.
    pub(crate) fn execute(
        &self,
        model: &mut Model,
        launch: &RawLaunch<'_>,
        regions: &mut [Region<'_>],
    ) -> Result<LaunchStats, Error> {
        let (program_base, mut uncounted) = (self.program_base, None);
        execute(model, launch, regions, self.limits(), program_base, (false, &mut uncounted))
    }

    /// The same in the memory of this device.
    pub(crate) fn execute_here(
        &mut self,
        model: &mut Model,
        launch: &RawLaunch<'_>,
    ) -> Result<LaunchStats, Error> {
        let (limits, program_base, mut uncounted) = (self.limits(), self.program_base, None);
        let regions = self.memory.regions_mut();
        execute(model, launch, regions, limits, program_base, (false, &mut uncounted))
    }

    /// Runs the kernel that a launch is for.
    fn launch_prepared(&mut self, prepared: &Prepared) -> Result<LaunchStats, Error> {
        let Prepared { kernel, .. } = prepared;
        let name = &kernel.signature.name;
        let mut model = self.take_model(name)?;
        let (limits, program_base) = (self.limits(), self.program_base);
        // After an error the instance is dropped.
        let regions = self.memory.regions_mut();
        let counted = (self.options.profile, &mut self.profile);
        let stats = execute(&mut model, &prepared.raw(), regions, limits, program_base, counted)?;
        // Packets that a kernel has taken in and not used are nobody's: the next launch gets none of them.
        if streams(kernel).next().is_none() {
            self.put_model(name, model);
        }
        Ok(stats)
    }

    pub(crate) fn limits(&self) -> Limits {
        let SimOptions { max_cycles, watchdog, most_polls, .. } = self.options;
        Limits { max_cycles, watchdog, most_polls }
    }

    /// Keeps an instance for the next launch of its kernel.
    pub(crate) fn put_model(&mut self, kernel: &str, model: Model) {
        self.models.insert(kernel.to_owned(), model);
    }
}

/// A launch that is ready.
pub(crate) struct Prepared {
    pub kernel: Kernel,
    pub range: ResolvedRange,
    pub args: Vec<RawArg>,
    /// Device address and name of each buffer argument, for messages.
    pub names: Vec<(u64, String)>,
}

impl Prepared {
    pub(crate) fn raw(&self) -> RawLaunch<'_> {
        let Prepared { kernel, range, args, names } = self;
        RawLaunch { kernel, range, args, names }
    }
}

/// A launch in terms of the hardware.
pub(crate) struct RawLaunch<'a> {
    pub kernel: &'a Kernel,
    pub range: &'a ResolvedRange,
    pub args: &'a [RawArg],
    /// Device address and name of each buffer argument, for messages.
    pub names: &'a [(u64, String)],
}

/// Fewest bits of the addresses that the kernels take and that their ports keep.
fn address_bits(manifest: &Manifest) -> u32 {
    let bits = manifest.kernels.iter().flat_map(|kernel| {
        let ports = kernel.memory_ports.iter().map(|port| port.address_bits);
        ports.chain([kernel.signature.address_bits])
    });
    bits.min().unwrap_or(64)
}

/// The arguments of a kernel that are AXI4-Streams, in the order of the model's.
pub(crate) fn streams(kernel: &Kernel) -> impl Iterator<Item = (&Arg, &StreamPort)> {
    kernel.signature.args.iter().filter_map(|arg| Some((arg, arg.stream.as_ref()?)))
}

/// The registers of a launch.
pub(crate) fn registers(launch: &RawLaunch<'_>, program_base: u64) -> RegisterBlock {
    let RawLaunch { kernel, range, args, .. } = *launch;
    let mut block = RegisterBlock::new(kernel);
    for (info, arg) in kernel.signature.args.iter().zip(args) {
        let bytes = match arg {
            RawArg::Pointer(address) => address.to_le_bytes().to_vec(),
            RawArg::Image(image) => image.to_bytes().to_vec(),
            RawArg::Pipe(pipe) => pipe.to_bytes().to_vec(),
            RawArg::Value(bytes) => bytes.clone(),
            RawArg::Local(_) => continue,
        };
        if let Some(offset) = info.offset {
            block.put(offset, &bytes);
        }
    }
    block.put_hidden(kernel, range, program_base);
    block
}

/// As many work-items must have finished as the launch has.
pub(crate) fn check_work_items(
    context: &Context<'_, '_>,
    range: &ResolvedRange,
    stats: &LaunchStats,
) -> Result<(), Error> {
    if u128::from(stats.work_items) != range.work_items() {
        return Err(context.hardware(format!(
            "{} work-items finished, the launch has {}; this is a bug of the hardware generator",
            stats.work_items,
            range.work_items()
        )));
    }
    Ok(())
}

/// Runs a launch on an instance. After an error the instance is of no use: its state is unknown.
fn execute(
    model: &mut Model,
    launch: &RawLaunch<'_>,
    regions: &mut [Region<'_>],
    limits: Limits,
    program_base: u64,
    (count, profile): (bool, &mut Option<Profile>),
) -> Result<LaunchStats, Error> {
    let RawLaunch { kernel, range, args, names } = *launch;
    let block = registers(launch, program_base);
    pipes::fill(model, kernel, args, regions, |_| false);
    let in_memory = pipes::watch(model, kernel, args, regions);
    let mut session = model.session(regions).map_err(model_error)?;
    let before = Profile::start(&mut session, kernel, count);
    let outcome = run(&mut session, kernel, &block, limits);
    if matches!(outcome, Ok(Outcome::Done(_))) {
        pipes::drain(&mut session, kernel)?;
    }
    *profile = before.map(|before| before.finish(&mut session, kernel));
    drop(session);
    pipes::take(model, kernel, args, regions, |_| false);
    let in_memory = &in_memory;
    let context = Context { kernel, regions, arguments: names, args, in_memory, peers: &|_| None };
    let stats = match outcome? {
        Outcome::Done(stats) => stats,
        outcome => return Err(explain(&outcome, &context, model, limits)),
    };
    check_work_items(&context, range, &stats)?;
    Ok(stats)
}

impl Device for Simulator {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn kernels(&self) -> Vec<&KernelSignature> {
        self.manifest.kernels.iter().map(|kernel| &kernel.signature).collect()
    }

    fn allocate(&mut self, size: u64) -> Result<BufferId, Error> {
        self.memory.allocate_buffer(size)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.memory.free(buffer)
    }

    fn write(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.memory.bytes_mut(buffer, offset, data.len())?.copy_from_slice(data);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        data.copy_from_slice(self.memory.bytes_mut(buffer, offset, data.len())?);
        Ok(())
    }

    fn launch(
        &mut self,
        name: &str,
        range: &NdRange,
        args: &[LaunchArg],
    ) -> Result<LaunchStats, Error> {
        if self
            .manifest
            .links
            .iter()
            .any(|link| link.is_of_one_kernel() && link.writer.kernel == name)
        {
            let (kernel, range, args) = (name.to_owned(), range.clone(), args.to_vec());
            let mut all = self.launch_together(&[Start { kernel, range, args }])?;
            return all.pop().ok_or_else(|| device_error("nothing ran"));
        }
        let prepared = self.prepare(name, range, args)?;
        let mut family = Family { simulator: self, regions: None, names: &prepared.names };
        family.launch(DEFAULT_QUEUE, |family| family.simulator.launch_prepared(&prepared))
    }

    fn launch_together(&mut self, launches: &[Start]) -> Result<Vec<LaunchStats>, Error> {
        let mut prepared = vec![];
        for launch in launches {
            prepared.push(self.prepare(&launch.kernel, &launch.range, &launch.args)?);
        }
        let mut models = vec![];
        for launch in &prepared {
            models.push(self.take_model(&launch.kernel.signature.name)?);
        }
        let names: Vec<(u64, String)> = prepared.iter().flat_map(|p| p.names.clone()).collect();
        let mut family = Family { simulator: self, regions: None, names: &names };
        family.launch_all(|family| {
            let device = &mut *family.simulator;
            let (limits, program_base) = (device.limits(), device.program_base);
            let (links, regions) = (&device.manifest.links, device.memory.regions_mut());
            let board = together::Board { links, regions, limits, program_base };
            // The models are dropped: their queues may hold packets.
            together::run(board, &prepared, models)
        })
    }

    fn take_printed(&mut self) -> Result<Printed, Error> {
        Ok(self.printed())
    }

    fn reload_program(&mut self) -> Result<(), Error> {
        let Some(program) = &self.manifest.program_memory else { return Ok(()) };
        let bytes =
            self.memory.at_mut(self.program_base).map(Region::bytes_mut).unwrap_or_default();
        let contents = program.contents(self.program_base);
        let count = bytes.len().min(contents.len());
        bytes[..count].copy_from_slice(&contents[..count]);
        Ok(())
    }
}

/// The Verilog files of a directory, by name.
fn read_sources(dir: &Path) -> Result<Vec<Source>, Error> {
    let fail =
        |path: &Path, error: std::io::Error| device_error(format!("{}: {error}", path.display()));
    let mut sources = Vec::new();
    for item in std::fs::read_dir(dir).map_err(|error| fail(dir, error))? {
        let path = item.map_err(|error| fail(dir, error))?.path();
        if path.extension().is_none_or(|extension| extension != "v") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| fail(&path, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        sources.push(Source { name, text, library: true });
    }
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::{MANIFEST_VERSION, ProgramMemory};

    #[test]
    fn program_memory_has_its_initial_values_again_after_a_reload() {
        let manifest = Manifest {
            version: MANIFEST_VERSION,
            tool: "test".into(),
            module: "m".into(),
            kernels: Vec::new(),
            program_memory: Some(ProgramMemory {
                size: 3,
                align: 4,
                init: Some(vec![1, 2, 3]),
                relocations: vec![],
                prints: None,
                enqueue: None,
            }),
            sources: Vec::new(),
            links: vec![],
            spec_constants: vec![],
        };
        let mut device =
            Simulator::new(manifest, Vec::new(), SimOptions::default()).expect("sound");
        let base = device.program_base;
        let bytes = |device: &mut Simulator| {
            device.memory.at_mut(base).expect("allocated").bytes_mut().to_vec()
        };
        assert_eq!(bytes(&mut device), [1, 2, 3]);
        device.memory.at_mut(base).expect("allocated").bytes_mut().fill(9);
        device.reload_program().expect("possible");
        assert_eq!(bytes(&mut device), [1, 2, 3]);
    }
}
