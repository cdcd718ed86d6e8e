//! A whole launch from argument values, for the command line and for tests.

use crate::bind::{BoundArg, bind_all};
use crate::device::describe;
use crate::{Array, BufferId, Device, Error, LaunchArg, LaunchStats, NdRange, Printed, Value};
use abi::KernelSignature;
use abi::image::TEXEL_ALIGN;

/// What a launch gave.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// What it did and took.
    pub stats: LaunchStats,
    /// The contents of all buffer and image arguments after the launch, by argument name, in argument order,
    /// with the element type and shape they came with.
    pub buffers: Vec<(String, Array)>,
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
    let names = signature.args.iter().map(|arg| arg.name.clone());
    let buffers = names.zip(contents).filter_map(|(name, array)| Some((name, array?))).collect();
    Ok(RunResult { stats, buffers, printed })
}

type Outcome = (LaunchStats, Vec<Option<Array>>);

fn run_bound(
    device: &mut dyn Device,
    kernel: &KernelSignature,
    range: &NdRange,
    bound: &[BoundArg],
    allocated: &mut Vec<BufferId>,
) -> Result<Outcome, Error> {
    let mut args = Vec::with_capacity(bound.len());
    for (info, arg) in kernel.args.iter().zip(bound) {
        args.push(match arg {
            BoundArg::Buffer(array) => {
                let name = |e: Error| {
                    Error::new(e.kind, format!("{}: {}", describe(kernel, info), e.message))
                };
                let buffer = device.allocate(array.bytes.len() as u64).map_err(name)?;
                allocated.push(buffer);
                device.write(buffer, 0, &array.bytes)?;
                LaunchArg::Buffer { buffer, offset: 0 }
            }
            BoundArg::Image(descriptor, texels) => {
                // Kernels read whole units of memory; what lies behind the last texel has no meaning.
                let size = texels.bytes.len() as u64;
                let buffer = device.allocate(size.next_multiple_of(TEXEL_ALIGN)).map_err(|e| {
                    Error::new(e.kind, format!("{}: {}", describe(kernel, info), e.message))
                })?;
                allocated.push(buffer);
                device.write(buffer, 0, &texels.bytes)?;
                LaunchArg::Image { buffer, descriptor: *descriptor }
            }
            BoundArg::Local(size) => LaunchArg::Local(*size),
            BoundArg::Value(bytes) => LaunchArg::Value(bytes.clone()),
        });
    }
    let stats = device.launch(&kernel.name, range, &args)?;
    let mut contents = Vec::with_capacity(bound.len());
    for (arg, bound) in args.iter().zip(bound) {
        contents.push(match (arg, bound) {
            (&LaunchArg::Buffer { buffer, .. }, BoundArg::Buffer(array))
            | (&LaunchArg::Image { buffer, .. }, BoundArg::Image(_, array)) => {
                let mut after = array.clone();
                device.read(buffer, 0, &mut after.bytes)?;
                Some(after)
            }
            _ => None,
        });
    }
    Ok((stats, contents))
}
