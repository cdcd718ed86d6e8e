//! The protocol of the written host library: requests on one stream, replies on another.
//!
//! A request is a header of 24 bytes, little endian, and for writes the data:
//!
//! | bytes | |
//! |---|---|
//! | 0..4 | operation |
//! | 4..8 | number of the kernel |
//! | 8..16 | device address, or byte offset in the kernel's register map |
//! | 16..24 | number of bytes |
//!
//! A reply is a header of 16 bytes, little endian, and data: the status (0, or the number of an OpenCL error), 4 bytes of
//! zero, the number of bytes of the data. With an error the data is its message.

use host::{Error, ErrorKind};
use sim::Board;
use std::any::Any;
use std::io::{self, Read, Write};

/// Version of the protocol: the address of the first request.
pub const VERSION: u64 = 1;

/// Operations.
mod operation {
    /// Checks the version; the reply has the kernels' names, a line each.
    pub const HELLO: u32 = 1;
    /// Allocates memory; the reply has its address, 8 bytes.
    pub const ALLOCATE: u32 = 2;
    /// Frees the memory at an address.
    pub const FREE: u32 = 3;
    /// Writes to memory.
    pub const WRITE: u32 = 4;
    /// Reads from memory.
    pub const READ: u32 = 5;
    /// Writes registers of a kernel, whole words.
    pub const WRITE_REGISTERS: u32 = 6;
    /// Reads registers of a kernel, whole words.
    pub const READ_REGISTERS: u32 = 7;
}

/// Bytes of a kernel's register map.
const REGISTERS: u64 = 1 << abi::regs::ADDRESS_BITS;
/// Data of a request is read in pieces of so many bytes: what a broken header promises is not allocated at once.
const PIECE: u64 = 1 << 20;

/// Is told that the model of a kernel is loaded, which takes seconds when it must be built first.
pub type Loading<'a> = &'a dyn Fn(&str) -> Box<dyn Any>;

struct Request {
    operation: u32,
    kernel: usize,
    address: u64,
    size: u64,
}

/// Answers requests until the input ends. `board` is what could not be opened or a board; an error is the reply to the
/// first request. `loading` is called with a kernel's name before its model is loaded or built; what it returns is dropped
/// afterwards.
///
/// # Errors
/// If a stream breaks, or the input ends inside a request.
pub fn serve(
    mut board: Result<Board, Error>,
    input: &mut dyn Read,
    output: &mut dyn Write,
    loading: Loading<'_>,
) -> io::Result<()> {
    while let Some(request) = read_request(input)? {
        let data = match request.operation {
            operation::WRITE | operation::WRITE_REGISTERS => read_data(input, request.size)?,
            _ => Vec::new(),
        };
        let result = match &mut board {
            Ok(board) => execute(board, &request, &data, loading),
            Err(error) => Err(error.clone()),
        };
        let (status, data) = match result {
            Ok(data) => (0, data),
            Err(error) => (error.kind.opencl_code(), error.message.into_bytes()),
        };
        output.write_all(&status.to_le_bytes())?;
        output.write_all(&[0; 4])?;
        output.write_all(&(data.len() as u64).to_le_bytes())?;
        output.write_all(&data)?;
        output.flush()?;
    }
    Ok(())
}

/// The next request; `None` at the end of the input.
fn read_request(input: &mut dyn Read) -> io::Result<Option<Request>> {
    let mut header = [0; 24];
    let mut have = 0;
    while have < header.len() {
        match input.read(&mut header[have..]) {
            Ok(0) if have == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => have += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let word = |at: usize| {
        header[at..at + 8].iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
    };
    let first = word(0);
    Ok(Some(Request {
        operation: first as u32,
        kernel: (first >> 32) as usize,
        address: word(8),
        size: word(16),
    }))
}

fn read_data(input: &mut dyn Read, size: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    while (data.len() as u64) < size {
        let piece = (size - data.len() as u64).min(PIECE);
        let start = data.len();
        data.resize(start + piece as usize, 0);
        input.read_exact(&mut data[start..])?;
    }
    Ok(data)
}

fn execute(
    board: &mut Board,
    request: &Request,
    data: &[u8],
    loading: Loading<'_>,
) -> Result<Vec<u8>, Error> {
    let &Request { operation, kernel, address, size } = request;
    match operation {
        operation::HELLO if address == VERSION => {
            let kernels = board.manifest().kernels.iter();
            Ok(kernels.flat_map(|kernel| format!("{}\n", kernel.top).into_bytes()).collect())
        }
        operation::HELLO => Err(Error::new(
            ErrorKind::Unsupported,
            format!("the host program speaks version {address}, this clhls version {VERSION}"),
        )),
        operation::ALLOCATE => Ok(board.allocate(size)?.to_le_bytes().to_vec()),
        operation::FREE => board.free(address).map(|()| Vec::new()),
        operation::WRITE => board.write(address, data).map(|()| Vec::new()),
        operation::READ => board.read(address, size).map(<[u8]>::to_vec),
        operation::WRITE_REGISTERS | operation::READ_REGISTERS => {
            check_registers(address, size)?;
            let name = board.manifest().kernels.get(kernel).filter(|_| !board.is_loaded(kernel));
            let name = name.map(|kernel| kernel.signature.name.clone());
            let _guard = name.map(|name| loading(&name));
            let offsets = (address as u32..(address + size) as u32).step_by(4);
            if operation == operation::READ_REGISTERS {
                let mut words = Vec::new();
                for offset in offsets {
                    words.extend(board.read_register(kernel, offset)?.to_le_bytes());
                }
                return Ok(words);
            }
            for (offset, word) in offsets.zip(data.as_chunks().0) {
                board.write_register(kernel, offset, u32::from_le_bytes(*word))?;
            }
            Ok(Vec::new())
        }
        other => Err(Error::new(ErrorKind::Unsupported, format!("unknown operation {other}"))),
    }
}

fn check_registers(offset: u64, size: u64) -> Result<(), Error> {
    let words = offset.is_multiple_of(4) && size.is_multiple_of(4);
    if words && offset.checked_add(size).is_some_and(|end| end <= REGISTERS) {
        return Ok(());
    }
    let what = format!("{size} bytes at register {offset:#x}: whole words below {REGISTERS:#x}");
    Err(Error::new(ErrorKind::Value, what))
}
