//! Programs whose kernels use memory that belongs to the host.

use crate::device::{describe, format_mismatch, packet_mismatch};
use crate::{Error, ErrorKind, LaunchStats, Printed, ResolvedRange};
use abi::{Arg, ArgKind, ImageDescriptor, KernelSignature, PipeDescriptor};

/// Alignment in bytes of [`MemoryRegion::address`], and of the length of its storage: models of
/// hardware read whole bus lines, of at most this size.
pub const PAGE: u64 = 4096;

/// Memory that the kernels of a launch may access.
#[derive(Debug)]
pub struct MemoryRegion<'a> {
    /// In words, for messages: "argument `a`".
    pub name: String,
    /// Where `storage` lies in the host's memory, a multiple of [`PAGE`]: the address that kernels use, unless a
    /// program says that it [translates](LoadedProgram::translates).
    pub address: u64,
    /// Bytes that kernels may access, not more than `storage` has.
    pub size: u64,
    /// The contents; the length is a multiple of [`PAGE`]. What lies beyond `size` has no meaning.
    pub storage: &'a mut [u8],
}

/// One argument of a launch on the host's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawArg {
    /// An address in the host's memory, for pointers to global and constant memory; 0 is null.
    Pointer(u64),
    /// An image whose texels lie at an address in the host's memory.
    Image(ImageDescriptor),
    /// A pipe whose object lies at an address in the host's memory.
    Pipe(PipeDescriptor),
    /// The size in bytes of the memory behind a local pointer.
    Local(u64),
    /// A value, as its bytes in memory, little endian.
    Value(Vec<u8>),
}

/// What kernels that pipes connect have come to.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Launches that have ended, by their kernels' names.
    Ended(Vec<(String, Result<LaunchStats, Error>)>),
    /// Time has passed.
    Running,
    /// Nothing moves until another of the kernels is launched; what is waited for, for people.
    Waiting(String),
}

/// A program on a device, ready to run on the host's memory.
///
/// This is what the OpenCL library (crate `opencl`) wants of a device. It owns all buffers, which several programs
/// and devices may share, and knows which of them a launch may access; a program owns no memory but that of its
/// program-scope variables, which keep their contents from launch to launch.
///
/// A launch runs to its end on the calling thread (and on others that the program may have). Several threads may
/// launch at once; a program that cannot do that lets them wait. Memory that two launches at once share is given to
/// both of them: OpenCL leaves such programs undefined unless the kernels only read it or use atomics.
///
/// Kernels that pipes [connect](Self::connected) run at the same time, and have [`start`](Self::start) and [`advance`](Self::advance) in place of
/// [`launch`](Self::launch).
pub trait LoadedProgram: Send + Sync {
    /// The kernels, in the program's order.
    fn kernels(&self) -> &[KernelSignature];

    /// Runs a kernel over an index space and waits for its end.
    ///
    /// The caller has checked the range by [`NdRange::resolve`](crate::NdRange::resolve) and the arguments by
    /// [`check_raw_args`]. `memory` does not overlap; it is all that the kernel may access through its arguments and
    /// through pointers that it finds in memory. Kernels that it enqueues are part of the launch; `default_queue` is what
    /// they get for the default queue on the device, 0 if there is none.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`]; [`ErrorKind::Execution`] if the kernel accessed other memory, hung, or left a
    /// barrier incomplete; what the device itself cannot do.
    fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        memory: &mut [MemoryRegion<'_>],
        default_queue: u32,
    ) -> Result<LaunchStats, Error>;

    /// The kernels that pipes of the device connect with a kernel, itself among them, in the same order for each of them; empty if
    /// there are none.
    fn connected(&self, kernel: &str) -> &[String] {
        let _ = kernel;
        &[]
    }

    /// Begins a launch of a kernel that is connected with others, which goes on in calls of [`advance`](Self::advance). It must not be
    /// running; otherwise as [`launch`](Self::launch). `memory` is that of all launches that are running, this one's included.
    ///
    /// # Errors
    /// As [`launch`](Self::launch); those that are running go on.
    fn start(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[RawArg],
        memory: &mut [MemoryRegion<'_>],
    ) -> Result<(), Error> {
        let _ = (range, args, memory);
        Err(not_connected(kernel))
    }

    /// Lets the kernels that are connected with one run for some milliseconds, or until one of them ends. `memory` is that of all
    /// launches that are running. What one of them has written to a pipe and no other has read is there when the next one begins.
    ///
    /// # Errors
    /// Those of the device: then none of the kernels runs any more.
    fn advance(&self, kernel: &str, memory: &mut [MemoryRegion<'_>]) -> Result<Progress, Error> {
        let _ = memory;
        Err(not_connected(kernel))
    }

    /// Does what the first launch of a kernel needs, such as building its simulator: launches do so too, but then it
    /// takes part of their time.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`], and those of what is built.
    fn prepare(&self, kernel: &str) -> Result<(), Error> {
        let _ = kernel;
        Ok(())
    }

    /// Whether kernels see other addresses than the host's: then pointers in memory mean nothing to them.
    fn translates(&self) -> bool {
        false
    }

    /// Whether kernels print: then [`take_printed`](Self::take_printed) follows each launch.
    fn prints(&self) -> bool {
        false
    }

    /// What kernels have printed since the last call. Waits for launches that are under way.
    fn take_printed(&self) -> Printed {
        Printed::default()
    }

    /// Size in bytes of all program-scope variables.
    fn variable_bytes(&self) -> u64 {
        0
    }
}

/// The error of those who take a kernel for one that pipes connect with others.
pub fn not_connected(kernel: &str) -> Error {
    Error::new(ErrorKind::Device, format!("kernel `{kernel}` is connected with no other"))
}

/// Checks the arguments of a launch on the host's memory against the kernel's signature: number, kinds and sizes.
///
/// # Errors
/// [`ErrorKind::KernelArgs`], [`ErrorKind::ArgSize`], [`ErrorKind::ArgValue`] or [`ErrorKind::Unsupported`], naming
/// the argument and what was expected.
pub fn check_raw_args(kernel: &KernelSignature, args: &[RawArg]) -> Result<(), Error> {
    if args.len() != kernel.args.len() {
        let (name, has, given) = (&kernel.name, kernel.args.len(), args.len());
        let what = format!("kernel `{name}` has {has} arguments, {given} given");
        return Err(Error::new(ErrorKind::KernelArgs, what));
    }
    kernel.args.iter().zip(args).try_for_each(|(info, arg)| check_raw_arg(kernel, info, arg))
}

/// Why a pointer to elsewhere is refused.
pub(crate) fn takes_multiples(kernel: &KernelSignature, multiple: u64) -> String {
    let built = match kernel.simd {
        1 => "to access neighbouring places together".to_owned(),
        n => format!("for {n} work-items at a time"),
    };
    format!("the kernel was built {built} and takes pointers to multiples of {multiple} bytes")
}

/// Checks one argument; see [`check_raw_args`].
///
/// # Errors
/// As [`check_raw_args`].
pub fn check_raw_arg(kernel: &KernelSignature, info: &Arg, arg: &RawArg) -> Result<(), Error> {
    let fail =
        |kind, what: String| Err(Error::new(kind, format!("{}: {what}", describe(kernel, info))));
    match (info.kind, arg) {
        (ArgKind::GlobalPtr | ArgKind::ConstantPtr, &RawArg::Pointer(address)) => {
            let multiple = kernel.pointer_multiple(info);
            if !address.is_multiple_of(multiple) {
                return fail(ErrorKind::ArgValue, takes_multiples(kernel, multiple));
            }
            Ok(())
        }
        (ArgKind::LocalPtr, RawArg::Local(0)) => {
            fail(ErrorKind::ArgSize, "the size of local memory is 0".into())
        }
        (ArgKind::LocalPtr, &RawArg::Local(size)) => match info.local_capacity {
            Some(capacity) if size > capacity => fail(
                ErrorKind::ArgSize,
                format!("{size} bytes of local memory, the hardware has {capacity}"),
            ),
            _ => Ok(()),
        },
        (ArgKind::Image, RawArg::Image(image)) => match format_mismatch(info, *image) {
            Some(problem) => fail(ErrorKind::ArgValue, problem),
            None => Ok(()),
        },
        (ArgKind::Scalar | ArgKind::Sampler | ArgKind::Queue, RawArg::Value(bytes))
            if bytes.len() == info.size as usize =>
        {
            Ok(())
        }
        (ArgKind::Scalar | ArgKind::Sampler | ArgKind::Queue, RawArg::Value(bytes)) => {
            let what = format!("expected {} bytes, got {}", info.size, bytes.len());
            fail(ErrorKind::ArgSize, what)
        }
        (ArgKind::Pipe, RawArg::Pipe(pipe)) => match packet_mismatch(info, *pipe) {
            Some(problem) => fail(ErrorKind::ArgValue, problem),
            None => Ok(()),
        },
        (kind, given) => {
            let given = match given {
                RawArg::Pointer(_) => "a buffer",
                RawArg::Image(_) => "an image",
                RawArg::Pipe(_) => "a pipe",
                RawArg::Local(_) => "a local memory size",
                RawArg::Value(_) => "a value",
            };
            fail(ErrorKind::ArgValue, format!("expected a {}, got {given}", kind.describe()))
        }
    }
}
