//! Boards with a serial link.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::Command;
use std::time::Duration;

use super::{Buffer, Device, Error, Kernel, Result, Status, check_size, put_bytes};

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

impl Uart<File> {
    /// Opens a serial port at a speed in bits a second. `stty` sets it up.
    pub fn port(path: &str, baud: u32) -> Result<Uart<File>> {
        let fail = |what: String| Error::new(Status::DeviceNotAvailable, format!("{path}: {what}"));
        let file = File::options().read(true).write(true).open(path);
        let file = file.map_err(|e| fail(e.to_string()))?;
        let baud = baud.to_string();
        // raw; a read gives up after 25 seconds of silence, since a simulated board takes seconds for what is in its input
        let options = ["raw", "-echo", "clocal", "cread", "min", "0", "time", "250"];
        let stty = Command::new("stty").args(["-F", path, &baud]).args(options).output();
        let stty = stty.map_err(|e| fail(format!("stty: {e}")))?;
        if !stty.status.success() {
            return Err(fail(String::from_utf8_lossy(&stty.stderr).trim().to_owned()));
        }
        // a command that an earlier program left unfinished is forgotten after 100 ms
        std::thread::sleep(Duration::from_millis(120));
        Uart::open(file)
    }
}

impl<S: Read + Write> Uart<S> {
    /// Asks the other end who it is.
    pub fn open(stream: S) -> Result<Uart<S>> {
        let mut uart = Uart { stream, kernels: 0, size: 0, top: UART_FIRST, live: 0 };
        let mut ident = [0; 4];
        uart.get(UART_IDENT, &mut ident)?;
        if ident[..2] != [UART_MAGIC, 1] {
            return Err(Error::new(
                Status::DeviceNotAvailable,
                format!("what answers is no clhls design of this version ({:#010x}, {})", ident[0], ident[1]),
            ));
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
    fn put(&mut self, mut address: u32, words: &[u32]) -> Result<()> {
        for part in words.chunks(UART_BURST) {
            let mut frame = Self::request(1, part.len(), address);
            frame.extend(part.iter().flat_map(|word| word.to_be_bytes()));
            self.stream.write_all(&frame).map_err(broken)?;
            address = address.wrapping_add(4 * part.len() as u32);
        }
        self.stream.flush().map_err(broken)
    }

    /// Reads words at a byte address, a multiple of 4.
    fn get(&mut self, mut address: u32, words: &mut [u32]) -> Result<()> {
        for part in words.chunks_mut(UART_BURST) {
            self.stream.write_all(&Self::request(2, part.len(), address)).map_err(broken)?;
            self.stream.flush().map_err(broken)?;
            for word in part.iter_mut() {
                let mut bytes = [0; 4];
                self.stream.read_exact(&mut bytes).map_err(broken)?;
                *word = u32::from_be_bytes(bytes);
            }
            address = address.wrapping_add(4 * part.len() as u32);
        }
        Ok(())
    }

    fn register(&self, kernel: &Kernel, offset: u32) -> Result<u32> {
        if kernel.index < self.kernels {
            return Ok(UART_KERNELS + kernel.index * 0x1000 + offset);
        }
        let what = format!("{}: the design on the board has only {} kernels", kernel.name, self.kernels);
        Err(Error::new(Status::InvalidKernel, what))
    }

    /// The word address, the words, and the first byte among them of `size` bytes at `offset` of a buffer.
    fn span(buffer: &Buffer, offset: usize, size: usize) -> Result<(u32, Vec<u32>, usize)> {
        buffer.check(offset, size)?;
        let address = buffer.address + offset as u64;
        let first = (address % 4) as usize;
        Ok(((address - first as u64) as u32, vec![0; (first + size).div_ceil(4)], first))
    }
}

fn broken(error: io::Error) -> Error {
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "no answer".to_owned(),
        _ => error.to_string(),
    };
    Error::new(Status::DeviceNotAvailable, format!("serial link: {what}"))
}

fn aligned(size: u64) -> u64 {
    size.next_multiple_of(UART_ALIGN)
}

impl<S: Read + Write> Device for Uart<S> {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        let address = self.register(kernel, offset)?;
        self.put(address, words)
    }

    fn read_registers(
        &mut self,
        kernel: &Kernel,
        offset: u32,
        words: &mut [u32],
    ) -> Result<()> {
        let address = self.register(kernel, offset)?;
        self.get(address, words)
    }

    fn allocate(&mut self, _kernel: &Kernel, _arg: u32, size: usize) -> Result<Buffer> {
        let free = self.size - self.top;
        check_size(size)?;
        if size as u64 > free {
            let what = format!("no room for {size} bytes: {free} of the board's {} are free", self.size);
            return Err(Error::new(Status::OutOfDeviceMemory, what));
        }
        let buffer = Buffer { address: self.top, size, handle: 0 };
        self.top = (self.top + aligned(size as u64)).min(self.size);
        self.live += 1;
        Ok(buffer)
    }

    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()> {
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

    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
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
