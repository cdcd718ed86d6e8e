//! Adds vectors, some of it with an offset; mistakes are refused with the status that is documented.

use std::time::Duration;

use vadd_host::clhls::{self, NdRange, Result, Status};
use vadd_host::{open, vadd, vadd_buffer_a, vadd_buffer_b, vadd_buffer_c};

const N: u32 = 400;

fn main() -> Result<()> {
    let mut device = open(None)?;
    let device = device.as_mut();
    let numbers = |f: fn(u32) -> f32| (0..N).map(f).collect::<Vec<f32>>();
    let (a, b) = (numbers(|i| i as f32 / 3.0), numbers(|i| (i * 7919 % 1000) as f32 / 7.0));
    let size = 4 * N as usize;
    let (da, db, dc) = (vadd_buffer_a(device, size)?, vadd_buffer_b(device, size)?, vadd_buffer_c(device, size)?);
    clhls::write(device, &da, 0, &a)?;
    clhls::write(device, &db, 0, &b)?;
    clhls::write(device, &dc, 0, &[-1f32; N as usize])?;
    let sum = |i: usize| a[i] + b[i];

    // the upper half, then with the lower one
    let minute = Some(Duration::from_secs(60));
    let upper = NdRange::linear(u64::from(N / 2)).with_offset([N / 2, 0, 0]);
    let counters = vadd(device, &upper, Some(&da), Some(&db), Some(&dc), N, minute)?;
    let c: Vec<f32> = clhls::read(device, &dc, 0, N as usize)?;
    assert!(c.iter().enumerate().all(|(i, c)| *c == if i < N as usize / 2 { -1.0 } else { sum(i) }));
    assert!(counters.work_items == u64::from(N / 2) && counters.cycles > 0);
    let all = NdRange::linear(N.into()).with_local([50, 1, 1]);
    vadd(device, &all, Some(&da), Some(&db), Some(&dc), N, None)?;
    let c: Vec<f32> = clhls::read(device, &dc, 0, N as usize)?;
    assert!(c.iter().enumerate().all(|(i, c)| *c == sum(i)));

    let uneven = all.with_local([64, 1, 1]);
    let error = vadd(device, &uneven, Some(&da), Some(&db), Some(&dc), N, None).unwrap_err();
    assert_eq!(error.status, Status::InvalidWorkGroupSize);
    let error = clhls::read::<f32>(device, &dc, 4, N as usize).unwrap_err();
    assert_eq!(error.status, Status::InvalidBuffer);
    assert_eq!(vadd_buffer_a(device, 0).unwrap_err().status, Status::InvalidBufferSize);
    if std::env::var("CLHLS_DEVICE").is_ok_and(|name| name.starts_with("sim")) {
        let error = vadd(device, &all, Some(&da), None, Some(&dc), N, minute).unwrap_err();
        assert_eq!(error.status, Status::KernelFailed);
        assert!(error.message.contains("load of 8 bytes"), "{error}");
    }
    for nothing in ["sim:/nonexistent", "uart:/nonexistent:115200"] {
        let error = open(Some(nothing)).map(drop).unwrap_err();
        assert_eq!(error.status, Status::DeviceNotAvailable, "{error}");
    }
    println!("ok");
    Ok(())
}
