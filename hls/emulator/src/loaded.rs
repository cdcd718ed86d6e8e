//! Native code as a program on the host's memory, for the OpenCL library.

use crate::company::Company;
use crate::family::Family;
use crate::{Options, Program, Specialisation};
use abi::KernelSignature;
use base::SourceMap;
use host::{Error, LaunchStats, LoadedProgram, MemoryRegion, Printed, RawArg, ResolvedRange};
use ir::Module;
use std::sync::{PoisonError, RwLock};

/// A [`LoadedProgram`] of native code. Launches of different threads run at the same time.
///
/// Accesses are not checked: a kernel that leaves the memory of its launch corrupts the process or ends it.
pub struct NativeProgram {
    program: Program,
    signatures: Vec<KernelSignature>,
    sources: SourceMap,
    threads: usize,
    /// Held by launches of programs that enqueue, which therefore run one after the other; shared by those of programs that
    /// print, which may wait for one another at pipes.
    turn: RwLock<()>,
}

impl NativeProgram {
    /// A program that runs `module` on up to `threads` threads a launch; `signatures` are those of its kernels. `how`
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
        Ok(Self { program, signatures, sources, threads, turn: RwLock::new(()) })
    }
}

impl LoadedProgram for NativeProgram {
    fn kernels(&self) -> &[KernelSignature] {
        &self.signatures
    }

    fn variable_bytes(&self) -> u64 {
        self.program.variable_bytes()
    }

    fn prints(&self) -> bool {
        self.program.prints()
    }

    fn take_printed(&self) -> Printed {
        let _turn = self.turn.write().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: launches of programs that print hold the lock.
        unsafe { self.program.take_printed() }
    }

    fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        _memory: &mut [MemoryRegion<'_>],
        default_queue: u32,
    ) -> Result<LaunchStats, Error> {
        let alone = self.program.enqueue_sites().is_some().then(|| self.turn.write());
        let alone = alone.map(|turn| turn.unwrap_or_else(PoisonError::into_inner));
        let beside = alone.is_none() && self.program.prints();
        let beside = beside.then(|| self.turn.read());
        let _beside = beside.map(|turn| turn.unwrap_or_else(PoisonError::into_inner));
        let company = Company::new(1, 0, vec![]);
        let mut family = Family {
            program: &self.program,
            signatures: &self.signatures,
            sources: &self.sources,
            threads: self.threads,
            company: (&company, 0),
        };
        // SAFETY: the regions are the launch's alone while it runs, and they are all that a kernel may access by
        // OpenCL C's rules; that it keeps to them is what the type's documentation asks for.
        unsafe { family.launch(default_queue, (kernel, range, args)) }
    }
}
