//! Gives a kernel a structure, vectors and local memory, and does in Rust what it must do with them.

use settle_host::clhls::{self, NdRange, Result, Status};
use settle_host::{open, settle, settle_buffer_in, settle_buffer_out, settle_program_memory};

const N: usize = 96;
const LOCAL: usize = 32;

fn main() -> Result<()> {
    let mut device = open(None)?;
    let device = device.as_mut();
    let input: Vec<i32> = (0..N as i32).map(|i| i.wrapping_mul(1_000_003)).collect();
    let (scale, tag, base) = (-7i32, [1u8, 20, 255, 128], 1i64 << 40);
    // as OpenCL C lays the structure out
    let mut s = [0; 16];
    s[..4].copy_from_slice(&scale.to_le_bytes());
    s[4..8].copy_from_slice(&tag);
    s[8..].copy_from_slice(&base.to_le_bytes());
    let (v, w) = ([1.0, -1234.5, 2.0, 3.0], [1, 2, -300]);
    let din = settle_buffer_in(device, 4 * N)?;
    let dout = settle_buffer_out(device, 8 * N)?;
    clhls::write(device, &din, 0, &input)?;
    let program = settle_program_memory(device)?;
    let range = NdRange::linear(N as u64).with_local([LOCAL as u32, 1, 1]);
    settle(device, &range, Some(&din), &s, v, -5, 4 * LOCAL, w, Some(&dout), &program, None)?;
    let out: Vec<i64> = clhls::read(device, &dout, 0, N)?;
    for (i, out) in out.into_iter().enumerate() {
        let l = LOCAL - 1 - i % LOCAL;
        let turned = input[i - i % LOCAL + l].wrapping_mul(scale).wrapping_add(tag[l & 3].into());
        let weight = [3, -5, 7, 11][i & 3];
        assert_eq!(out, i64::from(turned) + base - 5 - 1234 - 300 * weight, "{i}");
    }
    let error = settle(device, &range, Some(&din), &s, v, 0, 1 << 30, w, Some(&dout), &program, None);
    assert_eq!(error.unwrap_err().status, Status::InvalidArgSize);
    println!("ok");
    Ok(())
}
