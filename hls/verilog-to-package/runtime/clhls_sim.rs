//! A design simulated by `clhls serve`, a process that ends with the device. docs/host-library.md of clhls describes the protocol.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{Buffer, Device, Error, Kernel, Result, Status, check_size};

const VERSION: u64 = 1;

const HELLO: u32 = 1;
const ALLOCATE: u32 = 2;
const FREE: u32 = 3;
const WRITE: u32 = 4;
const READ: u32 = 5;
const WRITE_REGISTERS: u32 = 6;
const READ_REGISTERS: u32 = 7;

/// The hardware in the output directory of a build, simulated.
pub struct Sim {
    process: Child,
    /// `None` only while it ends.
    requests: Option<ChildStdin>,
    replies: ChildStdout,
    kernels: Vec<String>,
}

impl Sim {
    /// Starts the simulator: the command that the environment variable `CLHLS` names, or `clhls`.
    pub fn open(folder: &str) -> Result<Sim> {
        let named = std::env::var_os("CLHLS").filter(|name| !name.is_empty());
        let command = named.unwrap_or_else(|| "clhls".into());
        let mut start = Command::new(&command);
        start.args(["serve", "--", folder]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let unable = |why: String| {
            let command = command.to_string_lossy();
            let what = format!("cannot start the simulator {command}: {why}; CLHLS=... names it");
            Error::new(Status::DeviceNotAvailable, what)
        };
        let mut process = start.spawn().map_err(|e| unable(e.to_string()))?;
        let requests = process.stdin.take();
        let replies = process.stdout.take().ok_or_else(|| unable("no pipe".to_owned()))?;
        let mut sim = Sim { process, requests, replies, kernels: Vec::new() };
        let names = sim.request(HELLO, 0, VERSION, 0, &[])?;
        sim.kernels = String::from_utf8_lossy(&names).lines().map(str::to_owned).collect();
        Ok(sim)
    }

    /// Sends a request and gives the data of its reply.
    fn request(&mut self, operation: u32, kernel: u32, address: u64, size: usize, data: &[u8]) -> Result<Vec<u8>> {
        let (status, data) = self.exchange(operation, kernel, address, size, data).map_err(|_| {
            let what = "the simulator has ended (its own message says why)";
            Error::new(Status::DeviceNotAvailable, what)
        })?;
        match status {
            0 => Ok(data),
            code => Err(Error::new(status_of(code), String::from_utf8_lossy(&data))),
        }
    }

    fn exchange(
        &mut self,
        operation: u32,
        kernel: u32,
        address: u64,
        size: usize,
        data: &[u8],
    ) -> io::Result<(i32, Vec<u8>)> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut header = Vec::with_capacity(24);
        header.extend(operation.to_le_bytes());
        header.extend(kernel.to_le_bytes());
        header.extend(address.to_le_bytes());
        header.extend((size as u64).to_le_bytes());
        requests.write_all(&header)?;
        requests.write_all(data)?;
        requests.flush()?;
        let (mut status, mut zero, mut length) = ([0; 4], [0; 4], [0; 8]);
        self.replies.read_exact(&mut status)?;
        self.replies.read_exact(&mut zero)?;
        self.replies.read_exact(&mut length)?;
        let mut data = Vec::new();
        let length = u64::from_le_bytes(length);
        if (&mut self.replies).take(length).read_to_end(&mut data)? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((i32::from_le_bytes(status), data))
    }

    /// Whether the simulated design has this kernel.
    fn check(&self, kernel: &Kernel) -> Result<()> {
        if self.kernels.get(kernel.index as usize).is_some_and(|name| name == kernel.name) {
            return Ok(());
        }
        let what = format!("{}: the simulated design has no such kernel", kernel.name);
        Err(Error::new(Status::InvalidKernel, what))
    }
}

/// The status with this number.
fn status_of(code: i32) -> Status {
    let known = [
        Status::OutOfDeviceMemory,
        Status::KernelFailed,
        Status::InvalidValue,
        Status::InvalidBuffer,
        Status::InvalidKernel,
        Status::InvalidBufferSize,
    ];
    known.into_iter().find(|status| *status as i32 == code).unwrap_or(Status::DeviceNotAvailable)
}

fn fill(to: &mut [u8], data: &[u8]) -> Result<()> {
    if to.len() != data.len() {
        let what = "what answers is no simulator of this version";
        return Err(Error::new(Status::DeviceNotAvailable, what));
    }
    to.copy_from_slice(data);
    Ok(())
}

impl Device for Sim {
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()> {
        self.check(kernel)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.request(WRITE_REGISTERS, kernel.index, offset.into(), bytes.len(), &bytes).map(drop)
    }

    fn read_registers(&mut self, kernel: &Kernel, offset: u32, words: &mut [u32]) -> Result<()> {
        self.check(kernel)?;
        let mut bytes = vec![0; 4 * words.len()];
        fill(&mut bytes, &self.request(READ_REGISTERS, kernel.index, offset.into(), 4 * words.len(), &[])?)?;
        super::put_bytes(words, 0, &bytes);
        Ok(())
    }

    fn allocate(&mut self, kernel: &Kernel, _arg: u32, size: usize) -> Result<Buffer> {
        self.check(kernel)?;
        check_size(size)?;
        let mut address = [0; 8];
        fill(&mut address, &self.request(ALLOCATE, 0, 0, size, &[])?)?;
        Ok(Buffer { address: u64::from_le_bytes(address), size, handle: 0 })
    }

    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()> {
        buffer.check(offset, data.len())?;
        self.request(WRITE, 0, buffer.address + offset as u64, data.len(), data).map(drop)
    }

    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()> {
        buffer.check(offset, data.len())?;
        fill(data, &self.request(READ, 0, buffer.address + offset as u64, data.len(), &[])?)
    }

    fn free(&mut self, buffer: Buffer) {
        // nothing more can be done when the simulator is gone
        let _ = self.request(FREE, 0, buffer.address, 0, &[]);
    }
}

impl Drop for Sim {
    /// The simulator ends with its input.
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.process.wait();
    }
}
