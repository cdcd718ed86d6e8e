//! Runs vadd on the simulated board, a program that is started with the path of the simulator as its argument.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use vadd_host as vadd;
use vadd_host::clhls::{Device, NdRange, Result, Uart};

struct Pipes(ChildStdout, ChildStdin);

impl Read for Pipes {
    fn read(&mut self, data: &mut [u8]) -> io::Result<usize> {
        self.0.read(data)
    }
}

impl Write for Pipes {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.1.write(data)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.1.flush()
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let simulator = std::env::args().nth(1).expect("path of the simulator");
    let mut child: Child =
        Command::new(simulator).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let pipes = Pipes(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    run(&mut Uart::open(pipes)?)?;
    child.wait()?;
    Ok(())
}

fn run(board: &mut dyn Device) -> Result<()> {
    const N: u32 = 123;
    let bytes = |f: fn(u32) -> u32| (0..N).flat_map(|i| f(i).to_le_bytes()).collect::<Vec<u8>>();
    let a = vadd::vadd_buffer_a(board, 4 * N as usize)?;
    let b = vadd::vadd_buffer_b(board, 4 * N as usize)?;
    let c = vadd::vadd_buffer_c(board, 4 * N as usize)?;
    board.write(&a, 0, &bytes(|i| i * i))?;
    board.write(&b, 0, &bytes(|i| 1000 - i))?;
    let counters = vadd::vadd(
        board,
        &NdRange::linear(N.into()),
        Some(&a),
        Some(&b),
        Some(&c),
        5,
        Some(Duration::from_secs(10)),
    )?;
    assert_eq!(counters.work_items, u64::from(N));
    let mut result = vec![0; 4 * N as usize];
    board.read(&c, 0, &mut result)?;
    assert_eq!(result, bytes(|i| i * i + 1000 - i + 5));
    let mut middle = [0; 7];
    board.write(&c, 3, &[9; 7])?;
    board.read(&c, 3, &mut middle)?;
    assert_eq!(middle, [9; 7]);
    for buffer in [c, b, a] {
        board.free(buffer);
    }
    println!("ok");
    Ok(())
}
