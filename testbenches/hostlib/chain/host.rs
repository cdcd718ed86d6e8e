//! Three connected kernels, started in two orders, each waited for in another one; one that waits for a packet that never comes.

use std::time::Duration;

use chain_host::clhls::{self, Buffer, Device, NdRange, Result, Status};
use chain_host::{
    SINK_KERNEL, SOURCE_KERNEL, STAGE_KERNEL, open, sink_buffer_out, source_buffer_in, start_sink, start_source, start_stage,
};

const N: u32 = 300;
const FACTOR: i32 = 7;

fn results(device: &mut dyn Device, input: &[i32], to: &Buffer) -> Result<()> {
    let out: Vec<i32> = clhls::read(device, to, 0, N as usize)?;
    assert!(out.iter().zip(input).enumerate().all(|(k, (y, x))| *y == x * FACTOR - k as i32));
    clhls::write(device, to, 0, &[0i32; N as usize])
}

fn main() -> Result<()> {
    let mut device = open(None)?;
    let device = device.as_mut();
    let input: Vec<i32> = (0..N as i32).map(|k| k * 7919 % 1000 - 500).collect();
    let (from, to) = (source_buffer_in(device, 4 * N as usize)?, sink_buffer_out(device, 4 * N as usize)?);
    clhls::write(device, &from, 0, &input)?;
    let one = NdRange::linear(1);
    let minute = Some(Duration::from_secs(60));

    start_source(device, &one, Some(&from), N)?;
    start_stage(device, &one, FACTOR, N)?;
    start_sink(device, &one, Some(&to), N)?;
    let counters = clhls::wait(device, &SINK_KERNEL, minute)?;
    assert!(counters.work_items == 1 && counters.cycles > N.into());
    results(device, &input, &to)?;
    clhls::wait(device, &SOURCE_KERNEL, minute)?;
    clhls::wait(device, &STAGE_KERNEL, minute)?;

    start_sink(device, &one, Some(&to), N)?;
    start_stage(device, &one, FACTOR, N)?;
    // nobody has sent anything: it is still waiting, and that is no mistake
    let error = clhls::wait(device, &SINK_KERNEL, Some(Duration::from_millis(50))).unwrap_err();
    assert_eq!(error.status, Status::Timeout, "{error}");
    start_source(device, &one, Some(&from), N)?;
    for kernel in [&SOURCE_KERNEL, &STAGE_KERNEL, &SINK_KERNEL] {
        clhls::wait(device, kernel, None)?;
    }
    results(device, &input, &to)?;
    println!("ok");
    Ok(())
}
