//! Kernels that enqueue others: in which order those run and with what, what is wrong with some, and that the next launch knows
//! nothing of it.

use std::time::Duration;

use enqueue_host as design;
use enqueue_host::clhls::{self, Buffer, Device, Error, NdRange, Result, Status};
use enqueue_host::clhls_enqueue::DEFAULT_QUEUE as QUEUE;

const WORDS: usize = 8;
const LEVELS: u32 = 20;
const TIMEOUT: Option<Duration> = Some(Duration::from_secs(120));

fn make(device: &mut dyn Device, size: usize) -> Result<Buffer> {
    let buffer = design::steps_buffer_order(device, size)?;
    clhls::write(device, &buffer, 0, &vec![0u8; size])?;
    Ok(buffer)
}

fn one() -> NdRange {
    NdRange::linear(1)
}

/// A launch must fail in this way; the sentence is printed, and is the same in C.
fn refused(status: Status, error: Error) {
    assert_eq!(error.status, status, "{error}");
    println!("{}: {error}", error.status as i32);
}

fn steps(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let (to, code) = (make(device, 64)?, make(device, 8)?);
    // two launches behind one another
    for _ in 0..2 {
        clhls::write(device, &to, 0, &[1u32])?;
        let counters = design::steps(device, &one(), QUEUE, Some(&to), Some(&code), program, TIMEOUT)?;
        let order: Vec<u32> = clhls::read(device, &to, 0, 6)?;
        let codes: Vec<i32> = clhls::read(device, &code, 0, 2)?;
        assert_eq!((&order[..], &codes[..]), (&[6, 1, 2, 4, 3, 5][..], &[0, 3][..]));
        assert!(counters.work_items == 6 && counters.cycles > 0, "{counters:?}");
    }
    device.free(code);
    device.free(to);
    Ok(())
}

fn groups(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let (from, to, shapes) = (make(device, 800)?, make(device, 800)?, make(device, 504)?);
    let input: Vec<i32> = (0..2 * WORDS as i32).map(|k| k * k - 7).collect();
    clhls::write(device, &from, 0, &input)?;
    let launch = |device: &mut dyn Device, words: usize| {
        design::groups(device, &one(), QUEUE, Some(&from), Some(&to), Some(&shapes), words as u32, program, TIMEOUT)
    };
    refused(Status::InvalidArgSize, launch(device, 100).unwrap_err());
    let counters = launch(device, WORDS)?;
    let out: Vec<i32> = clhls::read(device, &to, 0, 2 * WORDS)?;
    let shape: Vec<u32> = clhls::read(device, &shapes, 0, 126)?;
    assert!((0..2 * WORDS).all(|k| out[k] == input[k / WORDS * WORDS + WORDS - 1 - k % WORDS]));
    // 12 x 10 work-items are one group; the space has two dimensions, also where both are 1; 5 in groups of 2 from 7 on
    let expected = [vec![21012; 120], vec![20101], vec![710_102; 4], vec![710_101]].concat();
    assert_eq!(shape, expected);
    assert_eq!(counters.work_items, 1 + 2 * WORDS as u64 + 120 + 1 + 5);
    device.free(shapes);
    device.free(to);
    device.free(from);
    Ok(())
}

fn wrong(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let (to, codes) = (make(device, 64)?, make(device, 8)?);
    let launch = |device: &mut dyn Device, queue: u32, how: u32| {
        design::wrong(device, &one(), queue, Some(&to), Some(&codes), how, program, TIMEOUT)
    };
    // the kernel gets the codes of functions that fail: CLK_INVALID_NDRANGE, CLK_INVALID_QUEUE
    let counters = launch(device, QUEUE, 1)?;
    assert_eq!((clhls::read::<i32>(device, &codes, 0, 1)?[0], counters.work_items), (-160, 1));
    launch(device, 0, 4)?;
    assert_eq!(clhls::read::<i32>(device, &codes, 0, 1)?, [-102]);
    // what does not wait runs, and the launch fails
    for how in 2..4 {
        clhls::write(device, &to, 0, &[1u32])?;
        refused(Status::KernelFailed, launch(device, QUEUE, how).unwrap_err());
        assert_eq!(clhls::read::<u32>(device, &to, 0, 2)?, [2, 7]);
    }
    let none = design::wrong(device, &NdRange::linear(0), QUEUE, Some(&to), Some(&codes), 1, program, TIMEOUT);
    assert_eq!(none.unwrap_err().status, Status::InvalidGlobalWorkSize);
    device.free(codes);
    device.free(to);
    Ok(())
}

fn timed(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    // into a buffer it is not possible on cards
    if std::env::var("CLHLS_DEVICE").is_ok_and(|name| name.starts_with("xrt")) {
        return Ok(());
    }
    let (order, to, at) = (make(device, 64)?, make(device, 8)?, make(device, 16)?);
    design::timed(device, &one(), QUEUE, Some(&order), Some(&to), Some(&at), program, TIMEOUT)?;
    assert_eq!(clhls::read::<i32>(device, &to, 0, 2)?, [1, 1]);
    let times: Vec<u64> = clhls::read(device, &at, 0, 2)?;
    assert!(times[0] > 0 && times[1] >= times[0], "{times:?}");
    device.free(at);
    device.free(to);
    device.free(order);
    Ok(())
}

fn chain(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let to = make(device, 4 * (LEVELS as usize + 1))?;
    design::start_chain(device, &one(), Some(&to), LEVELS, program)?;
    let counters = loop {
        match design::wait_chain(device, program, TIMEOUT) {
            Err(error) if error.status == Status::Timeout => {}
            result => break result?,
        }
    };
    let out: Vec<u32> = clhls::read(device, &to, 0, LEVELS as usize + 1)?;
    assert!((1..=LEVELS + 1).eq(out));
    assert_eq!(counters.work_items, u64::from(LEVELS) + 1);
    device.free(to);
    Ok(())
}

/// An image of 3 x 2 texels of one `i32` each, and a pipe for 4 packets of as many bytes.
fn captured(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let texels = [1, 2, 3, 40, -50, 60, 0, 0];
    let (picture, object) = (make(device, 32)?, make(device, 384 + 128)?);
    let begin = object.address.next_multiple_of(128);
    let place = (begin - object.address) as usize;
    let mut image = [0; 48];
    let mut fields = [0x10b0, 0x10d9];
    let mut packet = 4u32;
    clhls::write(device, &picture, 0, &texels)?;
    clhls::write(device, &object, place, &[4u32])?;
    let mut launch = |device: &mut dyn Device, fields: [u32; 2], packet: u32| {
        let words = [12, 3, 2, 1, fields[0], fields[1], 0x364072, 1];
        let wide = [picture.address, 24].map(u64::to_le_bytes).concat();
        image.copy_from_slice(&[wide, words.map(u32::to_le_bytes).concat()].concat());
        let mut pipe = [0; 16];
        pipe.copy_from_slice(&[&begin.to_le_bytes()[..], &4u32.to_le_bytes(), &packet.to_le_bytes()].concat());
        design::captured(device, &one(), QUEUE, &image, &pipe, 3, program, TIMEOUT)
    };
    launch(device, fields, packet)?;
    // behind the object's counters
    assert_eq!(clhls::read::<i32>(device, &object, place, 35)?[32..], texels[3..6]);
    // of another format than the block was built for, and with other packets
    fields[0] = 0x10b1;
    refused(Status::InvalidValue, launch(device, fields, packet).unwrap_err());
    fields[0] = 0x10b0;
    packet = 8;
    refused(Status::InvalidValue, launch(device, fields, packet).unwrap_err());
    device.free(object);
    device.free(picture);
    Ok(())
}

/// Events that a kernel releases, and some that it does not: they are given back at the end of the launch.
fn events(device: &mut dyn Device, program: &Buffer) -> Result<()> {
    let to = make(device, 4)?;
    for (count, kept) in [(20, 0), (5, 5), (20, 3)] {
        design::events(device, &one(), Some(&to), count, kept, program, TIMEOUT)?;
        assert_eq!(clhls::read::<u32>(device, &to, 0, 1)?, [count]);
    }
    device.free(to);
    Ok(())
}

fn main() -> Result<()> {
    let mut device = design::open(None)?;
    let device = device.as_mut();
    let program = design::steps_program_memory(device)?;
    steps(device, &program)?;
    groups(device, &program)?;
    wrong(device, &program)?;
    timed(device, &program)?;
    chain(device, &program)?;
    captured(device, &program)?;
    events(device, &program)?;
    steps(device, &program)?;
    device.free(program);
    println!("ok");
    Ok(())
}
