//! Launches of native code with the kernels that they enqueue.

use crate::Program;
use crate::company::Company;
use abi::KernelSignature;
use base::SourceMap;
use host::enqueue::{Parent, launch_family};
use host::{Error, ErrorKind, LaunchStats, RawArg, ResolvedRange, find_kernel};
use interp::Argument;

/// A program that nobody else launches at the same time, if its kernels enqueue others.
pub(crate) struct Family<'a> {
    pub program: &'a Program,
    pub signatures: &'a [KernelSignature],
    pub sources: &'a SourceMap,
    pub threads: usize,
    /// The launches that it is one of, and which.
    pub company: (&'a Company, usize),
}

/// An argument on the host's memory as launches of code take it, native or interpreted: images and pipes are their descriptors' bytes.
pub fn argument_of(arg: &RawArg) -> Argument {
    match arg {
        RawArg::Pointer(address) => Argument::Pointer(*address),
        RawArg::Image(image) => Argument::Value(image.to_bytes().to_vec()),
        RawArg::Pipe(pipe) => Argument::Value(pipe.to_bytes().to_vec()),
        RawArg::Local(size) => Argument::Local(*size),
        RawArg::Value(bytes) => Argument::Value(bytes.clone()),
    }
}

impl Family<'_> {
    /// Runs a kernel and all that it enqueues.
    ///
    /// # Errors
    /// Those of [`Program::launch`] and of [`launch_family`].
    ///
    /// # Safety
    /// As [`Program::launch`], for all of them; where kernels enqueue others no other launch of the program is under way.
    pub unsafe fn launch(
        &mut self,
        default_queue: u32,
        (kernel, range, args): (&str, &ResolvedRange, &[RawArg]),
    ) -> Result<LaunchStats, Error> {
        match self.program.enqueue_sites() {
            None => self.run(kernel, range, args),
            Some(sites) => {
                launch_family(self, sites, default_queue, |family| family.run(kernel, range, args))
            }
        }
    }

    /// Only under [`Self::launch`], whose caller answers for it.
    fn run(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        let args: Vec<Argument> = args.iter().map(argument_of).collect();
        // SAFETY: by the caller of `launch`.
        let stats = unsafe {
            self.program.launch_beside((kernel, range, &args), self.threads, self.company)
        };
        let stats = stats
            .map_err(|e| Error::new(ErrorKind::Execution, e.render(self.sources).trim_end()))?;
        Ok(LaunchStats { work_items: stats.work_items, ..LaunchStats::default() })
    }
}

impl Parent for Family<'_> {
    fn signature(&self, kernel: &str) -> Result<KernelSignature, Error> {
        find_kernel(self.signatures, kernel).cloned()
    }

    fn launch_child(
        &mut self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
    ) -> Result<LaunchStats, Error> {
        self.run(kernel, range, args)
    }

    fn queue(&mut self) -> Result<&mut [u8], Error> {
        // SAFETY: the variable was placed with this size. No launch is under way between those of the family, by the
        // caller of `launch`; the borrow of `self` keeps the slice the only one.
        Ok(unsafe { &mut *self.program.queue() })
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        // SAFETY: a kernel has given a pointer to its own memory, by OpenCL C's rules, as with its own stores.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
        Ok(())
    }
}
