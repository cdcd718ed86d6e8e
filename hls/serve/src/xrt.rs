//! The device end of XRT's hardware emulation (`XCL_EMULATION_MODE=hw_emu`): so programs that know nothing of clhls run on
//! its hardware, through XRT's own drivers, without a card.
//!
//! XRT starts a device process and waits for it at a socket. A request is a header of 14 bytes (a message: 1 length of the
//! body, fixed64; 2 operation, fixed32) and a body; a reply a header of 9 bytes (1 length of the body, fixed64) and a body.
//! The fields that matter here are named where they are read and written.

use crate::pipe::Loading;
use crate::wire::{Message, put_bytes, put_number};
use abi::regs;
use host::Error;
use sim::Board;
use std::io::{self, Read, Write};

/// Operations that XRT asks for.
mod operation {
    pub const CLOSE: u64 = 1;
    pub const ALLOCATE: u64 = 4;
    pub const FREE: u64 = 5;
    pub const TO_DEVICE: u64 = 6;
    pub const FROM_DEVICE: u64 = 7;
    pub const WRITE_KERNEL: u64 = 9;
    pub const READ_KERNEL: u64 = 11;
    pub const TIMESTAMP: u64 = 17;
    pub const DEBUG_MESSAGES: u64 = 19;
    pub const SET_ENVIRONMENT: u64 = 20;
}

/// The header of a request to close, which has no body.
pub const CLOSE: [u8; 14] = *b"\x09\0\0\0\0\0\0\0\0\x15\x01\0\0\0";

/// More than any message has: XRT sends memory in packets.
const MOST_BYTES: u64 = 1 << 30;

/// Answers XRT until it closes the device.
///
/// # Errors
/// If the socket breaks, XRT asks for something unknown, or the hardware goes wrong: XRT has no way to hear of that, so
/// that the process that serves it must say it and end.
pub fn serve(
    board: &mut Board,
    socket: &mut (impl Read + Write),
    loading: Loading<'_>,
) -> io::Result<()> {
    loop {
        let mut header = [0; 14];
        match socket.read_exact(&mut header) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            result => result?,
        }
        let header = Message::parse(&header).ok_or_else(|| broken("a header is no message"))?;
        let (length, operation) = (header.number(1), header.number(2));
        if length > MOST_BYTES {
            return Err(broken("a message is too long"));
        }
        let mut body = vec![0; length as usize];
        socket.read_exact(&mut body)?;
        let request = Message::parse(&body).ok_or_else(|| broken("a body is no message"))?;
        let reply = execute(board, operation, &request, loading)?;
        let mut answer = vec![0x09];
        answer.extend((reply.len() as u64).to_le_bytes());
        answer.extend(reply);
        socket.write_all(&answer)?;
        socket.flush()?;
        if operation == operation::CLOSE {
            return Ok(());
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("XRT: {what}"))
}

fn failed(error: Error) -> io::Error {
    io::Error::other(error.message)
}

fn execute(
    board: &mut Board,
    operation: u64,
    request: &Message<'_>,
    loading: Loading<'_>,
) -> io::Result<Vec<u8>> {
    let mut reply = Vec::new();
    match operation {
        operation::ALLOCATE => {
            // 1 address, 2 size; XRT manages the memory itself, in pages
            board.allocate_at(request.number(1), request.number(2)).map_err(failed)?;
            put_number(&mut reply, 1, 1);
        }
        operation::FREE => {
            board.free(request.number(1)).map_err(failed)?;
            put_number(&mut reply, 1, 1);
        }
        operation::TO_DEVICE => {
            // 3 address, 4 data
            let data = request.bytes(4);
            board.write(request.number(3), data).map_err(failed)?;
            put_number(&mut reply, 1, data.len() as u64);
        }
        operation::FROM_DEVICE => {
            // 4 address, 5 size
            let data = board.read(request.number(4), request.number(5)).map_err(failed)?;
            put_number(&mut reply, 1, data.len() as u64);
            put_bytes(&mut reply, 2, data);
        }
        operation::WRITE_KERNEL => {
            // 2 address, 4 data
            let (kernel, offset) = register(request.number(2))?;
            announce(board, kernel, loading, |board| {
                for (offset, word) in (offset..).step_by(4).zip(request.bytes(4).as_chunks().0) {
                    board.write_register(kernel, offset, u32::from_le_bytes(*word))?;
                }
                Ok(())
            })?;
            put_number(&mut reply, 1, 1);
        }
        operation::READ_KERNEL => {
            // 2 address, 3 size
            let (kernel, offset) = register(request.number(2))?;
            let words = request.number(3) / 4;
            let mut data = Vec::new();
            announce(board, kernel, loading, |board| {
                for offset in (offset..).step_by(4).take(words as usize) {
                    data.extend(board.read_register(kernel, offset)?.to_le_bytes());
                }
                Ok(())
            })?;
            put_number(&mut reply, 1, 1);
            put_bytes(&mut reply, 2, &data);
        }
        operation::TIMESTAMP => put_number(&mut reply, 1, 0),
        operation::DEBUG_MESSAGES => {}
        operation::SET_ENVIRONMENT | operation::CLOSE => put_number(&mut reply, 1, 1),
        other => return Err(broken(&format!("operation {other} is unknown"))),
    }
    Ok(reply)
}

/// Does something with a kernel's registers.
fn announce(
    board: &mut Board,
    kernel: usize,
    loading: Loading<'_>,
    action: impl FnOnce(&mut Board) -> Result<(), Error>,
) -> io::Result<()> {
    let name = board.manifest().kernels.get(kernel).filter(|_| !board.is_loaded(kernel));
    let name = name.map(|kernel| kernel.signature.name.clone());
    let _guard = name.map(|name| loading(&name));
    action(board).map_err(failed)
}

/// The kernel whose registers are at an address, and the offset in them.
fn register(address: u64) -> io::Result<(usize, u32)> {
    let place = address.checked_sub(regs::XRT_BASE).filter(|place| place.is_multiple_of(4));
    let place = place.ok_or_else(|| broken(&format!("no kernel's register is at {address:#x}")))?;
    let kernel = usize::try_from(place / regs::XRT_STRIDE).unwrap_or(usize::MAX);
    // less than the stride
    Ok((kernel, (place % regs::XRT_STRIDE) as u32))
}
