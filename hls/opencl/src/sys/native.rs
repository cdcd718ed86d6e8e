//! Kernels as native code on the host's memory.

use abi::KernelSignature;
use base::SourceMap;
use emulator::{Argument, Program};
use host::{Error, ErrorKind, LaunchStats, LoadedProgram, MemoryRegion, RawArg, ResolvedRange};

/// A [`LoadedProgram`] as native code, on all processors. Accesses are not checked: a kernel that leaves its buffers corrupts
/// the process or ends it, as on other OpenCL implementations for processors.
pub struct NativeProgram {
    program: Program,
    signatures: Vec<KernelSignature>,
    sources: SourceMap,
    threads: usize,
}

impl NativeProgram {
    /// A program with the signatures of its kernels, and the sources that its messages show.
    pub fn new(program: Program, signatures: Vec<KernelSignature>, sources: SourceMap) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        NativeProgram { program, signatures, sources, threads }
    }
}

impl LoadedProgram for NativeProgram {
    fn kernels(&self) -> &[KernelSignature] {
        &self.signatures
    }

    fn variable_bytes(&self) -> u64 {
        self.program.variable_bytes()
    }

    fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        _memory: &mut [MemoryRegion<'_>],
    ) -> Result<LaunchStats, Error> {
        let argument = |arg: &RawArg| match arg {
            RawArg::Pointer(address) => Argument::Pointer(*address),
            RawArg::Local(size) => Argument::Local(*size),
            RawArg::Value(bytes) => Argument::Value(bytes.clone()),
        };
        let args: Vec<Argument> = args.iter().map(argument).collect();
        // SAFETY: pointers are to buffers in the list, which last as long as the launch. That the kernel stays inside them
        // and has no data races is what OpenCL C demands of the program that uses the API.
        let stats = unsafe { self.program.launch(kernel, range, &args, self.threads) };
        let stats = stats
            .map_err(|e| Error::new(ErrorKind::Execution, e.render(&self.sources).trim_end()))?;
        Ok(LaunchStats { work_items: stats.work_items, hardware: None })
    }
}
