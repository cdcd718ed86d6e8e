//! A whole launch from argument values, for the command line and for tests.

use crate::bind::{BoundArg, bind_all};
use crate::device::describe;
use crate::{
    Array, BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, NdRange, Printed, Value,
};
use abi::image::TEXEL_ALIGN;
use abi::{Arg, KernelSignature};

/// What a launch gave.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// What it did and took.
    pub stats: LaunchStats,
    /// The contents of all buffer, image and pipe arguments after the launch, by argument name, in argument order,
    /// with the element type and shape they came with; of a pipe the packets in it.
    pub buffers: Vec<(String, Array)>,
    /// The objects of all pipe arguments after the launch, by argument name: see [`PipeValue::object`](crate::PipeValue).
    pub pipes: Vec<(String, Vec<u8>)>,
    /// What the kernel printed.
    pub printed: Printed,
}

/// Runs a kernel once: allocates and fills a buffer for each buffer argument, launches, reads all
/// buffers back and frees them.
///
/// `args` are pairs of an argument's name (or number) and its value.
///
/// # Errors
/// Those of [`bind_all`](crate::bind_all) and of the device.
pub fn run(
    device: &mut dyn Device,
    kernel: &str,
    range: &NdRange,
    args: &[(String, Value)],
) -> Result<RunResult, Error> {
    let signature = device.kernel(kernel)?.clone();
    let bound = bind_all(&signature, args)?;
    let mut allocated = Vec::new();
    let result = run_bound(device, &signature, range, &bound, &mut allocated);
    for buffer in allocated {
        device.free(buffer)?;
    }
    let (stats, contents) = result?;
    let printed = device.take_printed()?;
    let (mut buffers, mut pipes) = (vec![], vec![]);
    for (arg, content) in signature.args.iter().zip(contents) {
        let Some(content) = content else { continue };
        buffers.push((arg.name.clone(), content.array));
        pipes.extend(content.object.map(|object| (arg.name.clone(), object)));
    }
    Ok(RunResult { stats, buffers, pipes, printed })
}

/// What an argument holds after a launch.
struct Content {
    array: Array,
    /// Of a pipe.
    object: Option<Vec<u8>>,
}

type Outcome = (LaunchStats, Vec<Option<Content>>);

/// The contents of a pipe that are none of a pipe.
fn no_pipe(kernel: &KernelSignature, info: &Arg) -> Error {
    let what = format!("{}: its memory does not hold a pipe", describe(kernel, info));
    Error::new(ErrorKind::Execution, what)
}

/// A device and the buffers of one launch on it.
struct Memory<'d> {
    device: &'d mut dyn Device,
    kernel: &'d KernelSignature,
    allocated: &'d mut Vec<BufferId>,
}

impl Memory<'_> {
    /// A buffer of `size` bytes that begins with these.
    fn buffer(&mut self, info: &Arg, size: u64, bytes: &[u8]) -> Result<BufferId, Error> {
        let buffer = self.device.allocate(size).map_err(|e| {
            Error::new(e.kind, format!("{}: {}", describe(self.kernel, info), e.message))
        })?;
        self.allocated.push(buffer);
        self.device.write(buffer, 0, bytes)?;
        Ok(buffer)
    }

    fn argument(&mut self, info: &Arg, arg: &BoundArg) -> Result<LaunchArg, Error> {
        Ok(match arg {
            BoundArg::Buffer(array) => {
                let buffer = self.buffer(info, array.bytes.len() as u64, &array.bytes)?;
                LaunchArg::Buffer { buffer, offset: 0 }
            }
            BoundArg::Image(descriptor, texels) => {
                // Kernels read whole units of memory; what lies behind the last texel has no meaning.
                let size = (texels.bytes.len() as u64).next_multiple_of(TEXEL_ALIGN);
                let buffer = self.buffer(info, size, &texels.bytes)?;
                LaunchArg::Image { buffer, descriptor: *descriptor }
            }
            BoundArg::Pipe(descriptor, pipe) => {
                let object = pipe.bytes(*descriptor).ok_or_else(|| no_pipe(self.kernel, info))?;
                let buffer = self.buffer(info, object.len() as u64, &object)?;
                LaunchArg::Pipe { buffer, descriptor: *descriptor }
            }
            BoundArg::Local(size) => LaunchArg::Local(*size),
            BoundArg::Value(bytes) => LaunchArg::Value(bytes.clone()),
        })
    }
}

/// What an earlier argument got for the same pipe.
fn same_pipe(arg: &BoundArg, bound: &[BoundArg], args: &[LaunchArg]) -> Option<LaunchArg> {
    let name = |arg: &BoundArg| match arg {
        BoundArg::Pipe(_, pipe) => pipe.name.clone(),
        _ => None,
    };
    let wanted = name(arg)?;
    let known = args.iter().zip(bound).find(|(_, bound)| name(bound).as_ref() == Some(&wanted));
    known.map(|(arg, _)| arg.clone())
}

fn run_bound(
    device: &mut dyn Device,
    kernel: &KernelSignature,
    range: &NdRange,
    bound: &[BoundArg],
    allocated: &mut Vec<BufferId>,
) -> Result<Outcome, Error> {
    let mut memory = Memory { device, kernel, allocated };
    let mut args = Vec::with_capacity(bound.len());
    for (info, arg) in kernel.args.iter().zip(bound) {
        let arg = match same_pipe(arg, bound, &args) {
            Some(shared) => shared,
            None => memory.argument(info, arg)?,
        };
        args.push(arg);
    }
    let stats = device.launch(&kernel.name, range, &args)?;
    let mut contents = Vec::with_capacity(bound.len());
    for (arg, bound) in args.iter().zip(bound) {
        contents.push(match (arg, bound) {
            (&LaunchArg::Buffer { buffer, .. }, BoundArg::Buffer(array))
            | (&LaunchArg::Image { buffer, .. }, BoundArg::Image(_, array)) => {
                let mut after = array.clone();
                device.read(buffer, 0, &mut after.bytes)?;
                Some(Content { array: after, object: None })
            }
            (&LaunchArg::Pipe { buffer, descriptor }, BoundArg::Pipe(_, pipe)) => {
                let mut object = vec![0; descriptor.object_bytes() as usize];
                device.read(buffer, 0, &mut object)?;
                let packets = pipe.packets_in(descriptor, &object);
                let info = &kernel.args[contents.len()];
                let array = packets.ok_or_else(|| no_pipe(kernel, info))?;
                Some(Content { array, object: Some(object) })
            }
            _ => None,
        });
    }
    Ok((stats, contents))
}
