//! The interface between programs that launch kernels and whatever runs them.

use crate::{Error, ErrorKind, NdRange, Printed};
use abi::{Arg, ArgKind, ImageDescriptor, KernelSignature, PipeDescriptor};
use std::ops::Add;

/// Names a buffer of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// One argument of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchArg {
    /// A buffer, for pointers to global and constant memory.
    Buffer {
        /// The buffer.
        buffer: BufferId,
        /// Byte offset of the pointer in it.
        offset: u64,
    },
    /// An image.
    Image {
        /// The buffer that begins with its texels, of a multiple of [`abi::image::TEXEL_ALIGN`] bytes.
        buffer: BufferId,
        /// Its descriptor; the device puts the texels' address in.
        descriptor: ImageDescriptor,
    },
    /// A pipe.
    Pipe {
        /// The buffer that holds its object, of [`PipeDescriptor::object_bytes`].
        buffer: BufferId,
        /// Its descriptor; the device puts the object's address in.
        descriptor: PipeDescriptor,
    },
    /// A null pointer to global or constant memory.
    Null,
    /// The size in bytes of the memory behind a local pointer.
    Local(u64),
    /// A value, as its bytes in memory, little endian.
    Value(Vec<u8>),
}

/// What a launch did and took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaunchStats {
    /// Work-items that ran.
    pub work_items: u64,
    /// Measurements of hardware; `None` from the interpreter.
    pub hardware: Option<HardwareStats>,
    /// Launches of kernels that it enqueued, and that these enqueued. What they did and took is counted above.
    pub enqueued: u64,
    /// Nanoseconds from its own end to that of the last of them.
    pub enqueued_ns: u64,
}

impl Add for LaunchStats {
    type Output = LaunchStats;

    fn add(self, other: LaunchStats) -> LaunchStats {
        LaunchStats {
            work_items: self.work_items + other.work_items,
            hardware: match (self.hardware, other.hardware) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            },
            enqueued: self.enqueued + other.enqueued,
            enqueued_ns: self.enqueued_ns + other.enqueued_ns,
        }
    }
}

impl Add for HardwareStats {
    type Output = HardwareStats;

    fn add(self, other: HardwareStats) -> HardwareStats {
        HardwareStats {
            cycles: self.cycles + other.cycles,
            read_beats: self.read_beats + other.read_beats,
            write_beats: self.write_beats + other.write_beats,
            read_bytes: self.read_bytes + other.read_bytes,
            write_bytes: self.write_bytes + other.write_bytes,
            read_bursts: self.read_bursts + other.read_bursts,
            write_bursts: self.write_bursts + other.write_bursts,
        }
    }
}

/// Measurements of a launch in hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HardwareStats {
    /// Clock cycles from start to done.
    pub cycles: u64,
    /// Read data beats on all memory ports.
    pub read_beats: u64,
    /// Write data beats on all memory ports.
    pub write_beats: u64,
    /// Bytes of all read beats.
    pub read_bytes: u64,
    /// Bytes of all write beats, whether enabled or not.
    pub write_bytes: u64,
    /// Read bursts.
    pub read_bursts: u64,
    /// Write bursts.
    pub write_bursts: u64,
}

/// Something that runs kernels.
///
/// What a launch needs.
#[derive(Debug, Clone)]
pub struct Start {
    /// Name of the kernel.
    pub kernel: String,
    /// Its index space.
    pub range: NdRange,
    /// Its arguments.
    pub args: Vec<LaunchArg>,
}

/// A device holds one program. Buffers belong to the device that allocated them.
pub trait Device {
    /// Short name: `emu`, `sim`.
    fn name(&self) -> &'static str;

    /// The kernels of the program, in the program's order.
    fn kernels(&self) -> Vec<&KernelSignature>;

    /// The kernel with this name.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`], listing the kernels there are.
    fn kernel(&self, name: &str) -> Result<&KernelSignature, Error> {
        find_kernel(self.kernels(), name)
    }

    /// Allocates a buffer of `size` bytes, aligned to at least 128 bytes (the largest OpenCL type).
    /// Its contents are undefined.
    ///
    /// # Errors
    /// [`ErrorKind::BufferSize`] for size 0, [`ErrorKind::OutOfMemory`].
    fn allocate(&mut self, size: u64) -> Result<BufferId, Error>;

    /// Frees a buffer.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if there is no such buffer.
    fn free(&mut self, buffer: BufferId) -> Result<(), Error>;

    /// Copies `data` into a buffer from byte `offset` on.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if there is no such buffer or the range is not inside it.
    fn write(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<(), Error>;

    /// Copies from a buffer, from byte `offset` on, into `data`.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if there is no such buffer or the range is not inside it.
    fn read(&mut self, buffer: BufferId, offset: u64, data: &mut [u8]) -> Result<(), Error>;

    /// Runs a kernel over an index space and waits for its end.
    ///
    /// # Errors
    /// Those of [`NdRange::resolve`] and [`check_args`]; [`ErrorKind::Execution`] if the kernel
    /// accessed memory that is not its own, hung, or left a barrier incomplete.
    fn launch(
        &mut self,
        kernel: &str,
        range: &NdRange,
        args: &[LaunchArg],
    ) -> Result<LaunchStats, Error>;

    /// Runs kernels, at the same time at least where pipes connect them, and waits for the end of all.
    ///
    /// # Errors
    /// As [`Self::launch`].
    fn launch_together(&mut self, launches: &[Start]) -> Result<Vec<LaunchStats>, Error> {
        launches.iter().map(|l| self.launch(&l.kernel, &l.range, &l.args)).collect()
    }

    /// What kernels have printed since the last call.
    ///
    /// # Errors
    /// If the device cannot be reached.
    fn take_printed(&mut self) -> Result<Printed, Error> {
        Ok(Printed::default())
    }

    /// Gives the program-scope variables their initial values again, as if the program had been
    /// loaded anew.
    ///
    /// # Errors
    /// If the device cannot be reached.
    fn reload_program(&mut self) -> Result<(), Error>;
}

/// The kernel with this name among those of a program.
///
/// # Errors
/// [`ErrorKind::KernelName`], listing the kernels there are.
pub fn find_kernel<'k>(
    kernels: impl IntoIterator<Item = &'k KernelSignature>,
    name: &str,
) -> Result<&'k KernelSignature, Error> {
    let kernels: Vec<&KernelSignature> = kernels.into_iter().collect();
    kernels.iter().copied().find(|kernel| kernel.name == name).ok_or_else(|| {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        Error::new(
            ErrorKind::KernelName,
            format!("no kernel `{name}` in the program; it has: {}", names.join(", ")),
        )
    })
}

/// Checks the arguments of a launch against the kernel's signature: number, kinds and sizes.
///
/// # Errors
/// [`ErrorKind::KernelArgs`], [`ErrorKind::ArgIndex`], [`ErrorKind::ArgSize`] or
/// [`ErrorKind::ArgValue`], naming the argument and what was expected.
pub fn check_args(kernel: &KernelSignature, args: &[LaunchArg]) -> Result<(), Error> {
    if let Some(missing) = kernel.args.get(args.len()) {
        return Err(Error::new(
            ErrorKind::KernelArgs,
            format!("{} is missing", describe(kernel, missing)),
        ));
    }
    if args.len() > kernel.args.len() {
        return Err(Error::new(
            ErrorKind::ArgIndex,
            format!(
                "argument {} of kernel `{}` does not exist: it has {}",
                kernel.args.len(),
                kernel.name,
                kernel.args.len()
            ),
        ));
    }
    kernel
        .args
        .iter()
        .zip(args)
        .try_for_each(|(expected, given)| check_arg(kernel, expected, given))
}

fn check_arg(kernel: &KernelSignature, expected: &Arg, given: &LaunchArg) -> Result<(), Error> {
    let fail = |kind, problem: String| {
        Err(Error::new(kind, format!("{}: {problem}", describe(kernel, expected))))
    };
    match (expected.kind, given) {
        (ArgKind::GlobalPtr | ArgKind::ConstantPtr, &LaunchArg::Buffer { offset, .. })
            if !offset.is_multiple_of(kernel.pointer_multiple(expected)) =>
        {
            let multiple = kernel.pointer_multiple(expected);
            let why = crate::loaded::takes_multiples(kernel, multiple);
            fail(ErrorKind::ArgValue, format!("{why} in a buffer, not {offset}"))
        }
        (ArgKind::GlobalPtr | ArgKind::ConstantPtr, LaunchArg::Buffer { .. } | LaunchArg::Null) => {
            Ok(())
        }
        (ArgKind::LocalPtr, LaunchArg::Local(0)) => {
            fail(ErrorKind::ArgSize, "the size of local memory is 0".into())
        }
        (ArgKind::LocalPtr, &LaunchArg::Local(size)) => match expected.local_capacity {
            Some(capacity) if size > capacity => fail(
                ErrorKind::ArgSize,
                format!("{size} bytes of local memory, the hardware has {capacity}"),
            ),
            _ => Ok(()),
        },
        (ArgKind::Image, LaunchArg::Image { descriptor, .. }) => {
            match format_mismatch(expected, *descriptor) {
                Some(problem) => fail(ErrorKind::ArgValue, problem),
                None => Ok(()),
            }
        }
        (ArgKind::Scalar | ArgKind::Sampler | ArgKind::Queue, LaunchArg::Value(bytes))
            if bytes.len() != expected.size as usize =>
        {
            fail(
                ErrorKind::ArgSize,
                format!("expected {} bytes, got {}", expected.size, bytes.len()),
            )
        }
        (ArgKind::Scalar | ArgKind::Sampler | ArgKind::Queue, LaunchArg::Value(_)) => Ok(()),
        (ArgKind::Pipe, LaunchArg::Pipe { descriptor, .. }) => {
            match packet_mismatch(expected, *descriptor) {
                Some(problem) => fail(ErrorKind::ArgValue, problem),
                None => Ok(()),
            }
        }
        (_, given) => {
            let given = match given {
                LaunchArg::Buffer { .. } => "a buffer",
                LaunchArg::Image { .. } => "an image",
                LaunchArg::Pipe { .. } => "a pipe",
                LaunchArg::Null => "a null pointer",
                LaunchArg::Local(_) => "a local memory size",
                LaunchArg::Value(_) => "a value",
            };
            fail(
                ErrorKind::ArgValue,
                format!("expected a {}, got {given}", expected.kind.describe()),
            )
        }
    }
}

/// What is wrong with a pipe whose packets are not those of the argument.
pub(crate) fn packet_mismatch(arg: &Arg, pipe: PipeDescriptor) -> Option<String> {
    let wanted = arg.packet_size.filter(|bytes| *bytes != pipe.packet_size)?;
    let given = pipe.packet_size;
    Some(format!("expected a pipe with packets of {wanted} bytes, got one of {given}"))
}

/// What is wrong with an image of another format than the argument's.
pub(crate) fn format_mismatch(arg: &Arg, image: ImageDescriptor) -> Option<String> {
    let given = image.format.names();
    match arg.takes_depths() {
        Some(true) if !image.format.is_depth() => {
            return Some(format!(
                "it takes images of depths, such as depth:float, and got one of {given}"
            ));
        }
        Some(false) if image.format.is_depth() => {
            return Some(format!("it takes images of colors, and got one of {given}"));
        }
        _ => {}
    }
    let wanted = arg.format.filter(|format| *format != image.format)?.names();
    Some(format!("the kernel was built for images of format {wanted}, and got one of {given}"))
}

/// `argument 0 `a` (float*) of kernel `vadd``.
pub(crate) fn describe(kernel: &KernelSignature, arg: &Arg) -> String {
    let (index, name, kernel) = (arg.index, &arg.name, &kernel.name);
    format!("argument {index} `{name}` ({}) of kernel `{kernel}`", arg.describe_type())
}
