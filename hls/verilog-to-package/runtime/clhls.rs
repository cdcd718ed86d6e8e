//! Host runtime of clhls designs in Rust, without dependencies: buffers and launches over the serial link of a board or a
//! simulation. The typed functions of a design (`<design>.rs`) stand on this; use both as modules of a program:
//!
//! ```ignore
//! mod clhls;
//! mod <design>;
//! ```
//!
//! Other links implement [`Device`].
#![allow(dead_code)]

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

const ARGS: u32 = 0x10;
const COUNTERS: u32 = 0xf00;
const ERRORS: u32 = 0xf20;
const CTRL_START: u32 = 1;
const CTRL_DONE: u32 = 2;

/// A kernel of a design, as the generated code describes it.
pub struct Kernel {
    /// Verilog module.
    pub name: &'static str,
    /// Number in the design.
    pub index: u32,
    /// 32-bit words of arguments from register 0x10 on.
    pub words: usize,
    /// Word of `work_dim`; the other NDRange values follow in steps of two words.
    pub hidden: usize,
    /// Most work-items of a work-group.
    pub max_group: u64,
    /// Local size when the caller names none.
    pub default_local: [u32; 3],
    /// `default_local` is the only one allowed.
    pub local_is_fixed: bool,
    /// The last work-group of a dimension may be smaller.
    pub non_uniform: bool,
    /// Work-items at a time: `offset[0]` and, of several work-groups, `local[0]` are multiples.
    pub lanes: u32,
}

/// The work-items of a launch.
#[derive(Clone, Copy, Debug)]
pub struct NdRange {
    /// Work-items in each dimension; 1 in unused ones.
    pub global: [u64; 3],
    /// Work-items of a work-group; `None` for the kernel's default.
    pub local: Option<[u32; 3]>,
    /// First global id.
    pub offset: [u32; 3],
}

impl NdRange {
    /// `global` work-items in one dimension.
    pub fn linear(global: u64) -> NdRange {
        NdRange { global: [global, 1, 1], local: None, offset: [0; 3] }
    }
}

/// Results of the hardware's counters after a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Clock cycles from start to done.
    pub cycles: u64,
    /// Work-items that have finished.
    pub work_items: u64,
    /// Beats read on all memory ports.
    pub read_beats: u64,
    /// Beats written on all memory ports.
    pub write_beats: u64,
}

/// Memory on the device. It is not freed by itself: [`Device::free`].
#[derive(Debug)]
pub struct Buffer {
    /// What kernels see.
    pub address: u64,
    /// Bytes.
    pub size: usize,
}

/// A link to a board.
pub trait Device {
    /// Writes registers of a kernel from byte address `offset` on.
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> io::Result<()>;
    /// Reads registers of a kernel from byte address `offset` on.
    fn read_registers(&mut self, kernel: &Kernel, offset: u32, words: &mut [u32])
    -> io::Result<()>;
    /// Allocates `size` bytes that argument `arg` (number in kernel.xml) of `kernel` can be given.
    fn allocate(&mut self, kernel: &Kernel, arg: u32, size: usize) -> io::Result<Buffer>;
    /// Copies to a buffer.
    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> io::Result<()>;
    /// Copies from a buffer.
    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> io::Result<()>;
    /// Gives a buffer's memory back.
    fn free(&mut self, buffer: Buffer);
}

/// An error with a message.
pub fn error(message: String) -> io::Error {
    io::Error::other(message)
}

/// Runs a kernel and waits. `registers` are its arguments, `kernel.words` words from register 0x10 on; the NDRange is put in.
pub fn launch(
    device: &mut dyn Device,
    kernel: &Kernel,
    registers: &mut [u32],
    range: &NdRange,
    timeout: Option<Duration>,
) -> io::Result<Counters> {
    put_ndrange(kernel, range, registers)?;
    device.write_registers(kernel, ARGS, registers)?;
    device.write_registers(kernel, 0, &[CTRL_START])?;
    let start = Instant::now();
    loop {
        // reading clears done
        let mut control = [0];
        device.read_registers(kernel, 0, &mut control)?;
        if control[0] & CTRL_DONE != 0 {
            break;
        }
        if timeout.is_some_and(|limit| start.elapsed() > limit) {
            return Err(error(format!("{}: not done in time", kernel.name)));
        }
    }
    let (mut flags, mut words) = ([0], [0; 8]);
    device.read_registers(kernel, ERRORS, &mut flags)?;
    device.read_registers(kernel, COUNTERS, &mut words)?;
    match flags[0] {
        0 => {}
        f if f & 1 != 0 => {
            return Err(error(format!(
                "{}: not all work-items of a work-group reached a barrier",
                kernel.name
            )));
        }
        f => return Err(error(format!("{}: error flags {f:#x}", kernel.name))),
    }
    let value = |i: usize| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32;
    Ok(Counters {
        cycles: value(0),
        work_items: value(1),
        read_beats: value(2),
        write_beats: value(3),
    })
}

fn put_ndrange(kernel: &Kernel, range: &NdRange, registers: &mut [u32]) -> io::Result<()> {
    let bad = |message: String| Err(error(format!("{}: {message}", kernel.name)));
    let mut values = [0u32; 13];
    values[0] = 1;
    let mut items = 1u64;
    for d in 0..3 {
        let global = range.global[d];
        let mut local = range.local.map_or(kernel.default_local[d], |l| l[d]);
        if global == 0 || local == 0 {
            return bad(format!("a size of dimension {d} is 0"));
        }
        if global > u64::from(u32::MAX) || global + u64::from(range.offset[d]) > 1 << 32 {
            return bad(format!("global size and offset of dimension {d} exceed 32 bits"));
        }
        if kernel.local_is_fixed && local != kernel.default_local[d] {
            return bad(format!("the local size must be {:?}", kernel.default_local));
        }
        if !global.is_multiple_of(u64::from(local)) && !kernel.non_uniform {
            if range.local.is_some() || kernel.local_is_fixed {
                return bad(format!(
                    "the local size {local} of dimension {d} does not divide the global size {global}"
                ));
            }
            local = 1;
        }
        let whole = local.is_multiple_of(kernel.lanes) || u64::from(local) >= global;
        if d == 0 && !(whole && range.offset[0].is_multiple_of(kernel.lanes)) {
            return bad(format!(
                "built for {} work-items at a time: the offset {} and the local size {local} of dimension 0 must be multiples of that",
                kernel.lanes, range.offset[0]
            ));
        }
        items *= u64::from(local);
        if items > kernel.max_group {
            return bad(format!("at most {} work-items in a work-group", kernel.max_group));
        }
        if global > 1 {
            values[0] = d as u32 + 1;
        }
        values[1 + d] = global as u32;
        values[4 + d] = local;
        values[7 + d] = global.div_ceil(u64::from(local)) as u32;
        values[10 + d] = range.offset[d];
    }
    for (i, value) in values.into_iter().enumerate() {
        registers[kernel.hidden + 2 * i] = value;
    }
    Ok(())
}

/// Puts the bytes of an argument into the registers from word `word` on.
pub fn put_bytes(registers: &mut [u32], word: usize, bytes: &[u8]) {
    for (register, chunk) in registers[word..].iter_mut().zip(bytes.chunks(4)) {
        let mut le = [0; 4];
        le[..chunk.len()].copy_from_slice(chunk);
        *register = u32::from_le_bytes(le);
    }
}

/// A board (or a simulation of it) at the end of a byte stream: a serial port in raw mode, a pipe, a socket. Speaks the
/// UARTBone protocol.
pub struct Uart<S> {
    stream: S,
    kernels: u32,
    /// Memory: all of it, and the first free byte. A stack of buffers.
    size: u64,
    top: u64,
    live: u32,
}

const UART_KERNELS: u32 = 0x8000_0000;
const UART_IDENT: u32 = 0xf000_0000;
const UART_MAGIC: u32 = u32::from_le_bytes(*b"CLHS");
/// Words of one request.
const UART_BURST: usize = 255;
const UART_ALIGN: u64 = 64;
/// Address 0 stays free: a null pointer is no buffer.
const UART_FIRST: u64 = 64;

impl<S: Read + Write> Uart<S> {
    /// Asks the other end who it is.
    pub fn open(stream: S) -> io::Result<Uart<S>> {
        let mut uart = Uart { stream, kernels: 0, size: 0, top: UART_FIRST, live: 0 };
        let mut ident = [0; 4];
        uart.get(UART_IDENT, &mut ident)?;
        if ident[..2] != [UART_MAGIC, 1] {
            return Err(error(format!(
                "what answers is no clhls design of this version ({:#010x}, {})",
                ident[0], ident[1]
            )));
        }
        (uart.kernels, uart.size) = (ident[2], u64::from(ident[3]));
        Ok(uart)
    }

    fn request(command: u8, words: usize, address: u32) -> Vec<u8> {
        let mut frame = vec![command, words as u8];
        frame.extend((address / 4).to_be_bytes());
        frame
    }

    /// Writes words at a byte address, a multiple of 4.
    fn put(&mut self, mut address: u32, words: &[u32]) -> io::Result<()> {
        for part in words.chunks(UART_BURST) {
            let mut frame = Self::request(1, part.len(), address);
            frame.extend(part.iter().flat_map(|word| word.to_be_bytes()));
            self.stream.write_all(&frame)?;
            address = address.wrapping_add(4 * part.len() as u32);
        }
        self.stream.flush()
    }

    /// Reads words at a byte address, a multiple of 4.
    fn get(&mut self, mut address: u32, words: &mut [u32]) -> io::Result<()> {
        for part in words.chunks_mut(UART_BURST) {
            self.stream.write_all(&Self::request(2, part.len(), address))?;
            self.stream.flush()?;
            for word in part.iter_mut() {
                let mut bytes = [0; 4];
                self.stream.read_exact(&mut bytes)?;
                *word = u32::from_be_bytes(bytes);
            }
            address = address.wrapping_add(4 * part.len() as u32);
        }
        Ok(())
    }

    fn register(&self, kernel: &Kernel, offset: u32) -> io::Result<u32> {
        if kernel.index < self.kernels {
            return Ok(UART_KERNELS + kernel.index * 0x1000 + offset);
        }
        Err(error(format!(
            "{}: the design on the board has only {} kernels",
            kernel.name, self.kernels
        )))
    }

    /// The word address, the words, and the first byte among them of `size` bytes at `offset` of a buffer.
    fn span(buffer: &Buffer, offset: usize, size: usize) -> io::Result<(u32, Vec<u32>, usize)> {
        if offset.checked_add(size).is_none_or(|end| end > buffer.size) {
            return Err(error(format!(
                "{size} bytes at {offset} are not in a buffer of {} bytes",
                buffer.size
            )));
        }
        let address = buffer.address + offset as u64;
        let first = (address % 4) as usize;
        Ok(((address - first as u64) as u32, vec![0; (first + size).div_ceil(4)], first))
    }
}

fn aligned(size: u64) -> u64 {
    size.next_multiple_of(UART_ALIGN)
}

impl<S: Read + Write> Device for Uart<S> {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> io::Result<()> {
        let address = self.register(kernel, offset)?;
        self.put(address, words)
    }

    fn read_registers(
        &mut self,
        kernel: &Kernel,
        offset: u32,
        words: &mut [u32],
    ) -> io::Result<()> {
        let address = self.register(kernel, offset)?;
        self.get(address, words)
    }

    fn allocate(&mut self, _kernel: &Kernel, _arg: u32, size: usize) -> io::Result<Buffer> {
        let free = self.size - self.top;
        if size == 0 || size as u64 > free {
            return Err(error(format!(
                "no room for {size} bytes: {free} of the board's {} are free",
                self.size
            )));
        }
        let buffer = Buffer { address: self.top, size };
        self.top = (self.top + aligned(size as u64)).min(self.size);
        self.live += 1;
        Ok(buffer)
    }

    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> io::Result<()> {
        let (address, mut words, first) = Self::span(buffer, offset, data.len())?;
        let Some(last) = words.len().checked_sub(1) else { return Ok(()) };
        // the bus writes whole words: keep the bytes around
        if first != 0 {
            self.get(address, &mut words[..1])?;
        }
        if !(first + data.len()).is_multiple_of(4) && (last > 0 || first == 0) {
            self.get(address + 4 * last as u32, &mut words[last..])?;
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes[first..first + data.len()].copy_from_slice(data);
        put_bytes(&mut words, 0, &bytes);
        self.put(address, &words)
    }

    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> io::Result<()> {
        let (address, mut words, first) = Self::span(buffer, offset, data.len())?;
        self.get(address, &mut words)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        data.copy_from_slice(&bytes[first..first + data.len()]);
        Ok(())
    }

    /// Memory comes back when the buffer on top, or the last one, goes.
    fn free(&mut self, buffer: Buffer) {
        if buffer.address + aligned(buffer.size as u64) >= self.top {
            self.top = buffer.address;
        }
        self.live -= 1;
        if self.live == 0 {
            self.top = UART_FIRST;
        }
    }
}
