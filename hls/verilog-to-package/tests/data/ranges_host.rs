//! Prints the local sizes that the runtime chooses, and what it says of ranges that are not possible.

use many_host::MANY_KERNEL;
use many_host::clhls::{self, Buffer, Design, Device, Kernel, NdRange, Result};

struct Printer;

impl Device for Printer {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        if offset != 0 {
            let local = &words[kernel.hidden + 8..];
            println!("{} {} {}", local[0], local[2], local[4]);
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

fn launch(lanes: u32, range: NdRange) {
    let kernel = Kernel { lanes, non_uniform: false, ..MANY_KERNEL };
    if let Err(error) = clhls::launch(&mut Printer, &kernel, &mut [0; 64], &range, None) {
        println!("{}: {error}", error.status as i32);
    }
}

/// Two sub-groups of 16, of at most 30 work-items.
fn divided(non_uniform: bool, range: NdRange) {
    let kernel = Kernel { max_group: 30, sub_groups: Some((2, 16)), non_uniform, ..MANY_KERNEL };
    if let Err(error) = clhls::launch(&mut Printer, &kernel, &mut [0; 64], &range, None) {
        println!("{}: {error}", error.status as i32);
    }
}

fn main() {
    launch(1, NdRange::linear(1000));
    launch(1, NdRange::new([10, 50, 1]));
    launch(1, NdRange::linear(1));
    launch(4, NdRange::linear(300));
    launch(4, NdRange::linear(1028));
    launch(1, NdRange::linear(0));
    launch(1, NdRange::linear(1 << 32));
    launch(1, NdRange::linear(16).with_offset([0xfffffff1, 0, 0]));
    launch(1, NdRange::linear(16).with_local([5, 1, 1]));
    launch(1, NdRange::linear(512).with_local([512, 1, 1]));
    launch(4, NdRange::linear(16).with_local([2, 1, 1]));
    divided(false, NdRange::linear(1000));
    divided(false, NdRange::new([3, 26, 1]));
    divided(false, NdRange::new([2, 2, 35]));
    divided(false, NdRange::linear(37));
    divided(true, NdRange::linear(54));
    divided(true, NdRange::linear(37));
    divided(true, NdRange::linear(47).with_local([30, 1, 1]));
    divided(true, NdRange::linear(46).with_local([30, 1, 1]));
    divided(false, NdRange::linear(32).with_local([16, 1, 1]));
    let design = Design { name: "many", folder: ".", baud: None };
    match clhls::open(&design, Some("simulator")) {
        Err(error) => println!("{}: {error}", error.status as i32),
        Ok(_) => println!("opened"),
    }
}
