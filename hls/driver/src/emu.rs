//! The interpreter as a device, and as a program on the host's memory.

use crate::pipe_ends::notes;
use crate::signature::signatures;
use abi::print::PrintFormat;
use abi::{EnqueueSite, ImageDescriptor, KernelSignature, PipeDescriptor};
use host::enqueue::{DEFAULT_QUEUE, Parent, launch_family};
use host::{
    BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, LoadedProgram, MemoryRegion,
    NdRange, Printed, RawArg, ResolvedRange, Start, check_args, find_kernel,
};
use interp::{Launch, Memory, Options, PipeNote, Program};
use ir::{Global, Module};
use schedule_to_rtl::{enqueue_sites, print_formats};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The buffer of `printf` and what its records mean.
type Prints = (Global, Vec<PrintFormat>);
/// The queue that kernels enqueue to, and what its records are of.
type Queue = (Global, Vec<EnqueueSite>);

/// What is interpreted, and how.
struct Code {
    module: Module,
    signatures: Vec<KernelSignature>,
    prints: Option<Prints>,
    queue: Option<Queue>,
    program: Program,
    options: Options,
}

impl Code {
    /// Places the program's variables in `memory`.
    fn new(module: Module, memory: &mut Memory<'_>, options: Options) -> base::Result<Self> {
        let module = ir_opt::converge(module)?;
        let program = Program::new(&module, memory)?;
        let (signatures, prints) = (signatures(&module), print_formats(&module));
        let queue = enqueue_sites(&module);
        Ok(Self { module, signatures, prints, queue, program, options })
    }

    /// Takes what kernels have printed.
    fn take_printed(&self, memory: &mut Memory<'_>) -> Printed {
        let Some((buffer, formats)) = &self.prints else { return Printed::default() };
        let bytes = memory.buffer_mut(self.program.variable_address(*buffer));
        bytes.map_or_else(Printed::default, |bytes| host::print::take(formats, bytes))
    }

    /// Runs kernels at the same time.
    fn run(&self, memory: &mut Memory<'_>, launches: &[Launch]) -> Result<Vec<LaunchStats>, Error> {
        let all = self.program.run_together(memory, launches, &self.options).map_err(|e| {
            Error::new(ErrorKind::Execution, e.render(&self.module.sources).trim_end())
        })?;
        let stats =
            |s: &interp::Stats| LaunchStats { work_items: s.work_items, ..LaunchStats::default() };
        Ok(all.iter().map(stats).collect())
    }

    /// Runs a kernel and all that it enqueues.
    fn launch(
        &self,
        memory: &mut Memory<'_>,
        default_queue: u32,
        (kernel, range, args): (&str, &ResolvedRange, &[RawArg]),
    ) -> Result<LaunchStats, Error> {
        let mut machine = Machine { code: self, memory };
        match &self.queue {
            Some((_, sites)) => launch_family(&mut machine, sites, default_queue, |machine| {
                machine.launch_child(kernel, range, args)
            }),
            None => machine.launch_child(kernel, range, args),
        }
    }
}

/// A launch as the interpreter takes it.
fn launch_of(kernel: &str, range: &ResolvedRange, args: &[RawArg]) -> Launch {
    Launch {
        kernel: kernel.to_owned(),
        work_dim: range.work_dim,
        global: range.global,
        local: Some(range.local),
        offset: range.offset,
        args: args.iter().map(emulator::argument_of).collect(),
    }
}

/// The code and the memory of a launch.
struct Machine<'a, 'm> {
    code: &'a Code,
    memory: &'a mut Memory<'m>,
}

impl Parent for Machine<'_, '_> {
    fn signature(&self, kernel: &str) -> Result<KernelSignature, Error> {
        find_kernel(&self.code.signatures, kernel).cloned()
    }

    fn launch_child(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        let all = self.code.run(self.memory, &[launch_of(kernel, range, args)])?;
        Ok(all.into_iter().next().unwrap_or_default())
    }

    fn queue(&mut self) -> Result<&mut [u8], Error> {
        let queue = self.code.queue.as_ref();
        let address = queue.map(|(queue, _)| self.code.program.variable_address(*queue));
        let bytes = address.and_then(|address| self.memory.buffer_mut(address));
        bytes.ok_or_else(|| Error::new(ErrorKind::Device, "the program has no queue"))
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        match self.memory.bytes_mut(address, bytes.len()) {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => {
                let (n, place) = (bytes.len(), self.memory.describe(address));
                let what = format!(
                    "profiling information of {n} bytes is wanted outside of memory: {place}"
                );
                Err(Error::new(ErrorKind::Execution, what))
            }
        }
    }
}

/// A device that interprets the IR of a module.
pub struct Emulator {
    code: Code,
    memory: Memory<'static>,
    /// Device addresses of the buffers.
    buffers: BTreeMap<BufferId, u64>,
    next: u32,
}

impl Emulator {
    /// A device that runs `module`, which the verifier must have accepted.
    ///
    /// # Errors
    /// Those of [`Program::new`].
    pub fn new(module: Module, options: Options) -> base::Result<Self> {
        let mut memory = Memory::new();
        let code = Code::new(module, &mut memory, options)?;
        Ok(Self { code, memory, buffers: BTreeMap::new(), next: 0 })
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.code.module
    }

    /// Changes how the next launches run.
    pub fn set_options(&mut self, options: Options) {
        self.code.options = options;
    }

    fn address(&self, buffer: BufferId) -> Result<u64, Error> {
        self.buffers.get(&buffer).copied().ok_or_else(|| {
            Error::new(ErrorKind::Buffer, format!("there is no buffer {}", buffer.0))
        })
    }

    fn range(&mut self, buffer: BufferId, offset: u64, size: usize) -> Result<&mut [u8], Error> {
        let base = self.address(buffer)?;
        let bytes = self.memory.buffer_mut(base).unwrap_or_default();
        let whole = bytes.len();
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(size);
        bytes.get_mut(start..end).ok_or_else(|| {
            let what = format!("{size} bytes at offset {offset} of a buffer of {whole}");
            Error::new(ErrorKind::Buffer, format!("{what} bytes"))
        })
    }

    /// A launch on device memory.
    fn resolve(
        &mut self,
        kernel: &str,
        range: &NdRange,
        args: &[LaunchArg],
    ) -> Result<(String, ResolvedRange, Vec<RawArg>), Error> {
        let signature = self.kernel(kernel)?.clone();
        check_args(&signature, args)?;
        let range = range.resolve(&signature)?;
        let mut given = Vec::with_capacity(args.len());
        for (arg, info) in args.iter().zip(&signature.args) {
            given.push(match arg {
                LaunchArg::Buffer { buffer, offset } => {
                    let base = self.address(*buffer)?;
                    self.memory.rename(base, format!("argument `{}`", info.name));
                    RawArg::Pointer(base.wrapping_add(*offset))
                }
                LaunchArg::Image { buffer, descriptor } => {
                    let texels = self.address(*buffer)?;
                    self.memory.rename(texels, format!("argument `{}`", info.name));
                    RawArg::Image(ImageDescriptor { texels, ..*descriptor })
                }
                LaunchArg::Pipe { buffer, descriptor } => {
                    let address = self.address(*buffer)?;
                    self.memory.rename(address, format!("argument `{}`", info.name));
                    RawArg::Pipe(PipeDescriptor { address, ..*descriptor })
                }
                LaunchArg::Null => RawArg::Pointer(0),
                LaunchArg::Local(size) => RawArg::Local(*size),
                LaunchArg::Value(bytes) => RawArg::Value(bytes.clone()),
            });
        }
        Ok((kernel.to_owned(), range, given))
    }
}

impl Device for Emulator {
    fn name(&self) -> &'static str {
        "emu"
    }

    fn kernels(&self) -> Vec<&KernelSignature> {
        self.code.signatures.iter().collect()
    }

    fn allocate(&mut self, size: u64) -> Result<BufferId, Error> {
        if size == 0 {
            return Err(Error::new(ErrorKind::BufferSize, "a buffer of 0 bytes"));
        }
        let no_room = || Error::new(ErrorKind::OutOfMemory, format!("no room for {size} bytes"));
        let mut bytes: Vec<u8> = vec![];
        let length = usize::try_from(size).map_err(|_| no_room())?;
        bytes.try_reserve_exact(length).map_err(|_| no_room())?;
        bytes.resize(length, 0);
        let id = BufferId(self.next);
        let name = format!("buffer {}", id.0);
        let limit = self.code.program.address_limit();
        let address = self.memory.allocate(name, bytes, 128, limit).ok_or_else(no_room)?;
        self.next += 1;
        self.buffers.insert(id, address);
        Ok(id)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), Error> {
        let address = self.address(buffer)?;
        self.memory.release(address);
        self.buffers.remove(&buffer);
        Ok(())
    }

    fn write(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<(), Error> {
        self.range(buffer, offset, data.len())?.copy_from_slice(data);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        data.copy_from_slice(self.range(buffer, offset, data.len())?);
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: &str,
        range: &NdRange,
        args: &[LaunchArg],
    ) -> Result<LaunchStats, Error> {
        let (kernel, range, args) = (kernel.to_owned(), range.clone(), args.to_vec());
        let mut all = self.launch_together(&[Start { kernel, range, args }])?;
        Ok(all.pop().unwrap_or_default())
    }

    fn launch_together(&mut self, launches: &[Start]) -> Result<Vec<LaunchStats>, Error> {
        let together = self.code.queue.is_none();
        let notes = notes(&self.code.module, launches, together);
        let mut given = vec![];
        for launch in launches {
            given.push(self.resolve(&launch.kernel, &launch.range, &launch.args)?);
        }
        if together {
            self.code.program.set_pipe_notes(notes);
            let launches: Vec<Launch> = given.iter().map(|(k, r, a)| launch_of(k, r, a)).collect();
            return self.code.run(&mut self.memory, &launches);
        }
        let mut all = vec![];
        for (k, (kernel, range, args)) in given.iter().enumerate() {
            self.code.program.set_pipe_notes(PipeNote::of_one(&notes, k));
            all.push(self.code.launch(&mut self.memory, DEFAULT_QUEUE, (kernel, range, args))?);
        }
        Ok(all)
    }

    fn take_printed(&mut self) -> Result<Printed, Error> {
        Ok(self.code.take_printed(&mut self.memory))
    }

    fn reload_program(&mut self) -> Result<(), Error> {
        self.code
            .program
            .reload(&mut self.memory)
            .map_err(|e| Error::new(ErrorKind::OutOfMemory, e.to_string()))
    }
}

/// Where program-scope variables lie: the host's memory has other addresses.
const VARIABLES: u64 = 1 << 60;

/// A [`LoadedProgram`] that interprets the IR of a module. Launches run one after the other.
pub struct InterpretedProgram {
    code: Code,
    /// Program-scope variables.
    variables: Mutex<Memory<'static>>,
}

impl InterpretedProgram {
    /// A program that runs `module`, which the verifier must have accepted.
    ///
    /// # Errors
    /// Those of [`Program::new`].
    pub fn new(module: Module, options: Options) -> base::Result<Self> {
        let mut variables = Memory::starting_at(VARIABLES);
        let code = Code::new(module, &mut variables, options)?;
        Ok(Self { code, variables: Mutex::new(variables) })
    }
}

impl LoadedProgram for InterpretedProgram {
    fn kernels(&self) -> &[KernelSignature] {
        &self.code.signatures
    }

    fn variable_bytes(&self) -> u64 {
        self.code.program.variable_bytes()
    }

    fn prints(&self) -> bool {
        self.code.prints.is_some()
    }

    fn take_printed(&self) -> Printed {
        let mut variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        self.code.take_printed(&mut variables)
    }

    fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        memory: &mut [MemoryRegion<'_>],
        default_queue: u32,
    ) -> Result<LaunchStats, Error> {
        // A panic in a launch leaves variables with what it wrote, like any launch that fails.
        let mut variables = self.variables.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = variables.lend();
        for region in memory.iter_mut() {
            let size = region.size as usize;
            let bytes = region.storage.get_mut(..size).unwrap_or_default();
            if !all.add(region.name.clone(), region.address, bytes) {
                return Err(Error::new(
                    ErrorKind::Buffer,
                    format!("{} overlaps another buffer", region.name),
                ));
            }
        }
        self.code.launch(&mut all, default_queue, (kernel, range, args))
    }
}
