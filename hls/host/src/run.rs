//! A whole launch from argument values, for the command line and for tests.

use crate::bind::{BoundArg, bind_all};
use crate::device::describe;
use crate::image_value::{from_memory, in_memory};
use crate::{
    Array, BufferId, Device, Error, ErrorKind, LaunchArg, LaunchStats, NdRange, Printed, Start,
    Value,
};
use abi::image::TEXEL_ALIGN;
use abi::{Arg, KernelSignature};

/// What a launch gave.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// What it did and took.
    pub stats: LaunchStats,
    /// The contents of all buffer, image and pipe arguments after the launch, by argument name, in argument order,
    /// with the element type and shape they came with; of a pipe the packets in it. The mip levels of an image behind the
    /// first one follow it, as `NAME.1` and so on.
    pub buffers: Vec<(String, Array)>,
    /// The objects of all pipe arguments after the launch, by argument name: see [`PipeValue::object`](crate::PipeValue).
    pub pipes: Vec<(String, Vec<u8>)>,
    /// What the kernel printed.
    pub printed: Printed,
}

/// A launch by the values of its arguments.
#[derive(Debug, Clone)]
pub struct Request {
    /// Name of the kernel.
    pub kernel: String,
    /// Its index space.
    pub range: NdRange,
    /// Pairs of an argument's name (or number) and its value.
    pub args: Vec<(String, Value)>,
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
    let request = Request { kernel: kernel.into(), range: range.clone(), args: args.to_vec() };
    let mut results = run_together(device, &[request])?;
    Ok(results.swap_remove(0))
}

/// The same for several kernels, which run at the same time where pipes connect them. What they print comes with the last one.
///
/// # Errors
/// As [`run`].
pub fn run_together(
    device: &mut dyn Device,
    requests: &[Request],
) -> Result<Vec<RunResult>, Error> {
    let mut kernels = vec![];
    for request in requests {
        let signature = device.kernel(&request.kernel)?.clone();
        if signature.enqueued {
            let what =
                format!("kernel `{}` is made of a block: only kernels launch it", signature.name);
            return Err(Error::new(ErrorKind::KernelName, what));
        }
        let bound = bind_all(&signature, &request.args)?;
        kernels.push((signature, bound));
    }
    let mut allocated = Vec::new();
    let outcomes = run_bound(device, requests, &kernels, &mut allocated);
    for buffer in allocated {
        device.free(buffer)?;
    }
    let mut results = vec![];
    for ((stats, contents), (signature, _)) in outcomes?.into_iter().zip(&kernels) {
        let (mut buffers, mut pipes) = (vec![], vec![]);
        for (arg, content) in signature.args.iter().zip(contents) {
            let Some(content) = content else { continue };
            buffers.push((arg.name.clone(), content.array));
            let mips = (1..).zip(content.mips);
            buffers.extend(mips.map(|(number, mip)| (format!("{}.{number}", arg.name), mip)));
            pipes.extend(content.object.map(|object| (arg.name.clone(), object)));
        }
        results.push(RunResult { stats, buffers, pipes, printed: Printed::default() });
    }
    if let Some(last) = results.last_mut() {
        last.printed = device.take_printed()?;
    }
    Ok(results)
}

/// What an argument holds after a launch.
struct Content {
    array: Array,
    /// The levels of an image behind the first.
    mips: Vec<Array>,
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
            BoundArg::Image(descriptor, levels) => {
                // Kernels read whole units of memory; what lies behind the last texel has no meaning.
                let texels = in_memory(*descriptor, levels);
                let size = (texels.len() as u64).next_multiple_of(TEXEL_ALIGN);
                let buffer = self.buffer(info, size, &texels)?;
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

/// The name of a pipe, where it has one.
fn pipe_name(arg: &BoundArg) -> Option<&str> {
    match arg {
        BoundArg::Pipe(_, pipe) => pipe.name.as_deref(),
        _ => None,
    }
}

fn run_bound(
    device: &mut dyn Device,
    requests: &[Request],
    kernels: &[(KernelSignature, Vec<BoundArg>)],
    allocated: &mut Vec<BufferId>,
) -> Result<Vec<Outcome>, Error> {
    let mut starts: Vec<Start> = vec![];
    // Arguments with pipes of one name get one pipe.
    let mut named: Vec<(&str, LaunchArg)> = vec![];
    for (request, (signature, bound)) in requests.iter().zip(kernels) {
        let mut memory =
            Memory { device: &mut *device, kernel: signature, allocated: &mut *allocated };
        let mut args = Vec::with_capacity(bound.len());
        for (info, arg) in signature.args.iter().zip(bound) {
            let name = pipe_name(arg);
            let known = named.iter().find(|(n, _)| Some(*n) == name).map(|(_, arg)| arg.clone());
            let made = match known {
                Some(shared) => shared,
                None => memory.argument(info, arg)?,
            };
            named.extend(name.map(|n| (n, made.clone())));
            args.push(made);
        }
        let (kernel, range) = (signature.name.clone(), request.range.clone());
        starts.push(Start { kernel, range, args });
    }
    let all = match &starts[..] {
        [one] => vec![device.launch(&one.kernel, &one.range, &one.args)?],
        several => device.launch_together(several)?,
    };
    let mut outcomes = vec![];
    for ((stats, start), (signature, bound)) in all.into_iter().zip(&starts).zip(kernels) {
        outcomes.push((stats, contents(device, signature, &start.args, bound)?));
    }
    Ok(outcomes)
}

/// What the arguments of a kernel hold after its launch.
fn contents(
    device: &mut dyn Device,
    kernel: &KernelSignature,
    args: &[LaunchArg],
    bound: &[BoundArg],
) -> Result<Vec<Option<Content>>, Error> {
    let mut contents = Vec::with_capacity(bound.len());
    for (arg, bound) in args.iter().zip(bound) {
        contents.push(match (arg, bound) {
            (&LaunchArg::Buffer { buffer, .. }, BoundArg::Buffer(array)) => {
                let mut after = array.clone();
                device.read(buffer, 0, &mut after.bytes)?;
                Some(Content { array: after, mips: vec![], object: None })
            }
            (&LaunchArg::Image { buffer, .. }, BoundArg::Image(descriptor, levels)) => {
                let mut memory = in_memory(*descriptor, levels);
                device.read(buffer, 0, &mut memory)?;
                let mut mips = from_memory(*descriptor, levels, &memory);
                (!mips.is_empty()).then(|| Content { array: mips.remove(0), mips, object: None })
            }
            (&LaunchArg::Pipe { buffer, descriptor }, BoundArg::Pipe(_, pipe)) => {
                let mut object = vec![0; descriptor.object_bytes() as usize];
                device.read(buffer, 0, &mut object)?;
                let packets = pipe.packets_in(descriptor, &object);
                let info = &kernel.args[contents.len()];
                let array = packets.ok_or_else(|| no_pipe(kernel, info))?;
                Some(Content { array, mips: vec![], object: Some(object) })
            }
            _ => None,
        });
    }
    Ok(contents)
}
