//! Filters an image of random numbers, and compares with the filter in Rust.

use conv2d_host::clhls::{self, NdRange, Result};
use conv2d_host::{convolve, convolve_buffer_filter, convolve_buffer_in, convolve_buffer_out, open};

const WIDTH: i32 = 37;
const HEIGHT: i32 = 20;

fn expected(input: &[f32], filter: &[f32], x: i32, y: i32) -> f32 {
    let mut sum = 0.0;
    for (place, weight) in (0..).zip(filter) {
        let (sx, sy) = (x + place % 3 - 1, y + place / 3 - 1);
        if (0..WIDTH).contains(&sx) && (0..HEIGHT).contains(&sy) {
            sum += input[(sy * WIDTH + sx) as usize] * weight;
        }
    }
    sum
}

fn main() -> Result<()> {
    let mut device = open(None)?;
    let device = device.as_mut();
    let count = (WIDTH * HEIGHT) as usize;
    let input: Vec<f32> = (0..count as u32).map(|i| (i.wrapping_mul(2654435761) >> 8) as f32 / 1e6).collect();
    let filter: Vec<f32> = (0..9).map(|i| (i - 4) as f32 / 9.0).collect();
    let din = convolve_buffer_in(device, 4 * count)?;
    let dfilter = convolve_buffer_filter(device, 36)?;
    let dout = convolve_buffer_out(device, 4 * count)?;
    clhls::write(device, &din, 0, &input)?;
    clhls::write(device, &dfilter, 0, &filter)?;
    let range = NdRange::new([WIDTH as u64, HEIGHT as u64, 1]);
    let counters = convolve(device, &range, Some(&din), Some(&dfilter), Some(&dout), WIDTH as _, HEIGHT as _, 1, None)?;
    let out: Vec<f32> = clhls::read(device, &dout, 0, count)?;
    let places = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
    assert!(places.zip(&out).all(|((x, y), out)| *out == expected(&input, &filter, x, y)));
    assert_eq!(counters.work_items, count as u64);
    for buffer in [dout, dfilter, din] {
        device.free(buffer);
    }
    println!("ok");
    Ok(())
}
