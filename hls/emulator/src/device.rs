//! Native code as a device with buffers of its own.

use crate::company::Company;
use crate::family::Family;
use crate::memory::Block;
use crate::{Options, Program, Specialisation};
use abi::pipe::MOST_POLLS;
use abi::{ImageDescriptor, KernelSignature, PipeDescriptor};
use base::SourceMap;
use host::enqueue::DEFAULT_QUEUE;
use host::{
    BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, NdRange, Printed, RawArg,
    ResolvedRange, Start, check_args,
};
use interp::PipeNote;
use ir::Module;
use std::collections::BTreeMap;
use std::thread::ScopedJoinHandle;

/// Alignment of buffers: that of the largest OpenCL type.
const BUFFER_ALIGN: u64 = 128;

/// A device that runs the kernels of a module natively.
///
/// Accesses are not checked: a kernel that leaves its buffers corrupts the process or ends it. Where
/// that is in doubt, the interpreter is the device to use.
pub struct NativeDevice {
    program: Program,
    signatures: Vec<KernelSignature>,
    sources: SourceMap,
    buffers: BTreeMap<BufferId, Block>,
    next: u32,
    threads: usize,
    /// Attempts at pipes that a work-item may make without doing anything else; 0: no limit.
    most_polls: u64,
    /// What messages say of pipes.
    notes: Option<PipeNotes>,
}

/// What messages say of the pipes of several launches, which run at the same time or, if the second argument is false, one after the other.
pub type PipeNotes = Box<dyn Fn(&[Start], bool) -> Vec<PipeNote> + Send + Sync>;

impl NativeDevice {
    /// A device that runs `module` on up to `threads` threads; `signatures` are those of its kernels. `how`
    /// says when to compile them again for the formats of images, if at all.
    ///
    /// # Errors
    /// Those of [`Program::compile`].
    pub fn new(
        module: &Module,
        signatures: Vec<KernelSignature>,
        threads: usize,
        how: Option<Specialisation>,
    ) -> base::Result<Self> {
        let options = Options::default();
        let program = match how {
            Some(how) => Program::specialising(module, &options, how)?,
            None => Program::compile(module, &options)?,
        };
        let sources = module.sources.clone();
        Ok(Self {
            program,
            signatures,
            sources,
            buffers: BTreeMap::new(),
            next: 0,
            threads,
            most_polls: MOST_POLLS,
            notes: None,
        })
    }

    /// Changes how many attempts at a pipe a work-item may make without doing anything else; 0: no limit.
    pub fn set_most_polls(&mut self, most: u64) {
        self.most_polls = most;
    }

    /// Says where to ask for what messages are to say of a launch's pipes.
    pub fn set_pipe_notes(&mut self, notes: PipeNotes) {
        self.notes = Some(notes);
    }

    fn buffer(&self, buffer: BufferId) -> Result<&Block, Error> {
        self.buffers.get(&buffer).ok_or_else(|| missing(buffer))
    }

    /// A launch on this device's memory.
    fn resolve(&self, launch: &Start) -> Result<(ResolvedRange, Vec<RawArg>), Error> {
        let signature = self.kernel(&launch.kernel)?;
        check_args(signature, &launch.args)?;
        let range = launch.range.resolve(signature)?;
        let mut given = Vec::with_capacity(launch.args.len());
        for arg in &launch.args {
            given.push(match arg {
                LaunchArg::Buffer { buffer, offset } => {
                    let base = self.buffer(*buffer)?.address() as u64;
                    RawArg::Pointer(base.wrapping_add(*offset))
                }
                LaunchArg::Image { buffer, descriptor } => {
                    let texels = self.buffer(*buffer)?.address() as u64;
                    RawArg::Image(ImageDescriptor { texels, ..*descriptor })
                }
                LaunchArg::Pipe { buffer, descriptor } => {
                    let address = self.buffer(*buffer)?.address() as u64;
                    RawArg::Pipe(PipeDescriptor { address, ..*descriptor })
                }
                LaunchArg::Null => RawArg::Pointer(0),
                LaunchArg::Local(size) => RawArg::Local(*size),
                LaunchArg::Value(bytes) => RawArg::Value(bytes.clone()),
            });
        }
        Ok((range, given))
    }

    /// Runs a launch, as one of a company.
    fn run(
        &self,
        kernel: &str,
        (range, args): &(ResolvedRange, Vec<RawArg>),
        company: (&Company, usize),
    ) -> Result<LaunchStats, Error> {
        let mut family = Family {
            program: &self.program,
            signatures: &self.signatures,
            sources: &self.sources,
            threads: self.threads,
            company,
        };
        // SAFETY: the pointers are to buffers of this device, which nothing else touches while the kernels run. That
        // these stay inside them is OpenCL C's rule, and what the type's documentation says.
        unsafe { family.launch(DEFAULT_QUEUE, (kernel, range, args)) }
    }

    /// Each launch in a thread of its own.
    fn run_together(
        &self,
        launches: &[Start],
        given: &[(ResolvedRange, Vec<RawArg>)],
        company: &Company,
    ) -> Result<Vec<LaunchStats>, Error> {
        let mut all: Vec<Result<LaunchStats, Error>> = std::thread::scope(|scope| {
            let run = |(k, launch, given)| move || self.run(launch, given, (company, k));
            let started: Vec<_> = (launches.iter().zip(given).enumerate())
                .map(|(k, (launch, given))| scope.spawn(run((k, &launch.kernel, given))))
                .collect();
            let result = |thread: ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            started.into_iter().map(result).collect()
        });
        match company.at_fault() {
            Some(k) => Err(all
                .swap_remove(k)
                .err()
                .unwrap_or_else(|| Error::new(ErrorKind::Execution, "a launch has failed"))),
            None => all.into_iter().collect(),
        }
    }
}

fn missing(buffer: BufferId) -> Error {
    Error::new(ErrorKind::Buffer, format!("there is no buffer {}", buffer.0))
}

/// The range of a buffer that an access covers.
fn range(whole: usize, offset: u64, size: usize) -> Result<std::ops::Range<usize>, Error> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = start.checked_add(size).filter(|end| *end <= whole);
    end.map(|end| start..end).ok_or_else(|| {
        let what = format!("{size} bytes at offset {offset} of a buffer of {whole} bytes");
        Error::new(ErrorKind::Buffer, what)
    })
}

impl Device for NativeDevice {
    fn name(&self) -> &'static str {
        "native"
    }

    fn kernels(&self) -> Vec<&KernelSignature> {
        self.signatures.iter().collect()
    }

    fn allocate(&mut self, size: u64) -> Result<BufferId, Error> {
        if size == 0 {
            return Err(Error::new(ErrorKind::BufferSize, "a buffer of 0 bytes"));
        }
        let no_room = || Error::new(ErrorKind::OutOfMemory, format!("no room for {size} bytes"));
        let block = Block::new(size, BUFFER_ALIGN).ok_or_else(no_room)?;
        let id = BufferId(self.next);
        self.next += 1;
        self.buffers.insert(id, block);
        Ok(id)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), Error> {
        self.buffers.remove(&buffer).map(drop).ok_or_else(|| missing(buffer))
    }

    fn write(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<(), Error> {
        let block = self.buffers.get_mut(&buffer).ok_or_else(|| missing(buffer))?;
        let range = range(block.size(), offset, data.len())?;
        block.bytes_mut()[range].copy_from_slice(data);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        let block = self.buffer(buffer)?;
        let range = range(block.size(), offset, data.len())?;
        data.copy_from_slice(&block.bytes()[range]);
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
        // What kernels enqueue has one queue.
        let together = self.program.enqueue_sites().is_none();
        let notes = self.notes.as_ref().map(|notes| notes(launches, together)).unwrap_or_default();
        let given: Result<Vec<_>, Error> = launches.iter().map(|l| self.resolve(l)).collect();
        let given = given?;
        if together && launches.len() > 1 {
            let company = Company::new(launches.len(), self.most_polls, notes);
            return self.run_together(launches, &given, &company);
        }
        let mut all = vec![];
        for (k, (launch, given)) in launches.iter().zip(&given).enumerate() {
            let company = Company::new(1, self.most_polls, PipeNote::of_one(&notes, k));
            all.push(self.run(&launch.kernel, given, (&company, 0))?);
        }
        Ok(all)
    }

    fn take_printed(&mut self) -> Result<Printed, Error> {
        // SAFETY: launches borrow the device; none is under way.
        Ok(unsafe { self.program.take_printed() })
    }

    fn reload_program(&mut self) -> Result<(), Error> {
        // SAFETY: launches borrow the device; none is under way.
        unsafe { self.program.reset_variables() };
        Ok(())
    }
}
