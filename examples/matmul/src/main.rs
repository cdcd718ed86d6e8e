//! Multiplies two matrices on the default device of the first OpenCL platform, and compares every bit with the host's result.
//!
//! usage: matmul [N]     the matrices are N x N; a multiple of 8, 32 without it

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_DEFAULT, Device};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_int};
use std::error::Error;
use std::ptr;

const TILE: usize = 8;
const SOURCE: &str = include_str!("matmul.cl");

fn main() -> Result<(), Box<dyn Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(32), |n| n.parse())?;
    if n == 0 || !n.is_multiple_of(TILE) {
        return Err(format!("{n} is no multiple of {TILE}").into());
    }
    let platforms = get_platforms()?;
    let platform = platforms.first().ok_or("no OpenCL platform")?;
    let devices = platform.get_devices(CL_DEVICE_TYPE_DEFAULT)?;
    let device = Device::new(*devices.first().ok_or("no OpenCL device")?);
    println!("{}", device.name()?);

    // numbers with few bits would not show rounding
    let a: Vec<f32> = (0..n * n).map(|i| (i * 7919 % 1013) as f32 / 1013.0).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i * 104_729 % 997) as f32 / 997.0 - 0.5).collect();
    let (c, milliseconds) = multiply(&device, &a, &b, n)?;

    let wrong =
        c.iter().zip(&on_host(&a, &b, n)).filter(|(c, h)| c.to_bits() != h.to_bits()).count();
    println!("{n} x {n}: {wrong} of {} elements wrong, {milliseconds:.3} ms", n * n);
    if wrong == 0 { Ok(()) } else { Err("wrong elements".into()) }
}

/// The product, and how long the kernel took in milliseconds.
fn multiply(
    device: &Device,
    a: &[f32],
    b: &[f32],
    n: usize,
) -> Result<(Vec<f32>, f64), Box<dyn Error>> {
    let context = Context::from_device(device)?;
    let queue =
        CommandQueue::create_default_with_properties(&context, CL_QUEUE_PROFILING_ENABLE, 0)?;
    let program = Program::create_and_build_from_source(&context, SOURCE, "")?;
    let kernel = Kernel::create(&program, "matmul")?;

    let size = n * n;
    let mut c = vec![0.0; size];
    // SAFETY: buffers without a host pointer; the vectors outlive the blocking commands; the kernel's arguments are set in order
    // and its work-items stay inside n x n.
    let event = unsafe {
        let mut in_a = Buffer::<f32>::create(&context, CL_MEM_READ_ONLY, size, ptr::null_mut())?;
        let mut in_b = Buffer::<f32>::create(&context, CL_MEM_READ_ONLY, size, ptr::null_mut())?;
        let out = Buffer::<f32>::create(&context, CL_MEM_WRITE_ONLY, size, ptr::null_mut())?;
        queue.enqueue_write_buffer(&mut in_a, CL_BLOCKING, 0, a, &[])?;
        queue.enqueue_write_buffer(&mut in_b, CL_BLOCKING, 0, b, &[])?;
        let event = ExecuteKernel::new(&kernel)
            .set_arg(&in_a)
            .set_arg(&in_b)
            .set_arg(&out)
            .set_arg(&cl_int::try_from(n)?)
            .set_global_work_sizes(&[n, n])
            .set_local_work_sizes(&[TILE, TILE])
            .enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&out, CL_BLOCKING, 0, &mut c, &[])?;
        event
    };
    let nanoseconds = event.profiling_command_end()? - event.profiling_command_start()?;
    Ok((c, nanoseconds as f64 / 1e6))
}

/// The product as the kernel computes it: fused multiply-adds, in the same order.
fn on_host(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let element = |i: usize| {
        let (row, column) = (i / n, i % n);
        (0..n).fold(0.0f32, |sum, k| a[row * n + k].mul_add(b[k * n + column], sum))
    };
    (0..n * n).map(element).collect()
}
