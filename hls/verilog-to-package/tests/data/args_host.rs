//! Launches a kernel with every kind of argument on a device that only prints what it is told.

use many_host::clhls::{self, Buffer, Device, Kernel, NdRange, Result};
use many_host::{MANY_KERNEL, many};

struct Printer;

impl Device for Printer {
    fn write_registers(&mut self, _: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        for (i, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
            println!("{:03x} {word:08x}", offset + 4 * i as u32);
        }
        Ok(())
    }
    fn read_registers(&mut self, _: &Kernel, offset: u32, words: &mut [u32]) -> Result<()> {
        words.fill(if offset == 0 { 2 } else { 0 });
        Ok(())
    }
    fn allocate(&mut self, _: &Kernel, _: u32, _: usize) -> Result<Buffer> {
        unreachable!("launches alone are printed")
    }
    fn write(&mut self, _: &Buffer, _: usize, _: &[u8]) -> Result<()> {
        unreachable!("launches alone are printed")
    }
    fn read(&mut self, _: &Buffer, _: usize, _: &mut [u8]) -> Result<()> {
        unreachable!("launches alone are printed")
    }
    fn free(&mut self, _: Buffer) {}
}

fn main() {
    let y = Buffer { address: 0x1122334455667788, size: 4, handle: 0 };
    let program = Buffer { address: 0xabcd, size: 4, handle: 0 };
    let range = NdRange { global: [12, 5, 1], local: Some([4, 5, 1]), offset: [7, 0, 0] };
    let s = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let launch = |local| many(&mut Printer, &range, Some(&y), None, -2, 0x3c00, local, [1.0, 2.0, 3.0], &s, -3, &program, None);
    launch(1000).unwrap();
    println!("{}", launch(2000).unwrap_err());
    let lanes = Kernel { lanes: 4, ..MANY_KERNEL };
    let launched = clhls::launch(&mut Printer, &lanes, &mut [0; 64], &range, None);
    println!("{}", launched.unwrap_err());
}
