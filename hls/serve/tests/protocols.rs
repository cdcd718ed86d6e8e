//! A hand-written kernel behind both protocols, whose bytes are written down here from their descriptions.

#[path = "../../sim/tests/common/mod.rs"]
mod common;

use abi::enqueue::{EVENTS, QUEUE_BYTES, header};
use abi::{ArgKind, Channel, EnqueueQueue, Manifest, ProgramMemory, regs};
use common::arg;
use serve::{pipe, xrt};
use sim::{Board, SimOptions};
use std::any::Any;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// `kernel void vadd(global uint *a, global uint *b, global uint *c, uint n, uint mode)`: see the file of its Verilog.
fn manifest() -> Manifest {
    let pointer = |index, name| arg(index, name, "uint*", ArgKind::GlobalPtr);
    let mut args = vec![pointer(0, "a"), pointer(1, "b"), pointer(2, "c")];
    args.push(arg(3, "n", "uint", ArgKind::Scalar));
    args.push(arg(4, "mode", "uint", ArgKind::Scalar));
    let mut manifest = common::manifest("vadd", args, 64);
    manifest.kernels[0].channels = vec![Channel {
        id: 0,
        name: "store -> done".into(),
        source: "vadd.cl:2:16".into(),
        valid: Some("ch_valid".into()),
        ready: Some("ch_ready".into()),
        space: Some("ch_space".into()),
        waiting: None,
    }];
    manifest
}

/// The output directory of a build, as far as a simulation needs it.
fn board(dir: &Path) -> Board {
    board_of(dir, &manifest())
}

fn board_of(dir: &Path, manifest: &Manifest) -> Board {
    std::fs::write(dir.join("manifest.json"), manifest.to_json()).unwrap();
    std::fs::create_dir(dir.join("rtl")).unwrap();
    for source in common::sources("vadd", include_str!("../../sim/tests/rtl/vadd.v").into()) {
        std::fs::write(dir.join("rtl").join(source.name), source.text).unwrap();
    }
    Board::open(dir, SimOptions { max_cycles: 100_000, ..common::options() }).unwrap()
}

fn silent(_: &str) -> Box<dyn Any> {
    Box::new(())
}

/// Registers of the kernel, from the layout rule: three pointers, two numbers, work_dim, three global sizes.
const ARGS: u64 = 0x10;
fn registers(buffers: [u64; 3], n: u32, mode: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for buffer in buffers {
        bytes.extend(buffer.to_le_bytes());
        bytes.extend([0; 4]);
    }
    for word in [n, mode, 1, n, 1, 1, n, 1, 1, 1, 1, 1, 0, 0, 0] {
        bytes.extend(word.to_le_bytes());
        bytes.extend([0; 4]);
    }
    bytes
}

fn numbers(f: impl Fn(u32) -> u32) -> Vec<u8> {
    (0..N).flat_map(|i| f(i).to_le_bytes()).collect()
}

const N: u32 = 100;
const BYTES: u64 = 4 * N as u64;

/// A host at the other end of the pipe protocol.
struct Pipe(UnixStream);

impl Pipe {
    fn request(
        &mut self,
        operation: u32,
        kernel: u32,
        address: u64,
        size: u64,
        data: &[u8],
    ) -> (i32, Vec<u8>) {
        let mut bytes = [operation.to_le_bytes(), kernel.to_le_bytes()].concat();
        bytes.extend(address.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(data);
        self.0.write_all(&bytes).unwrap();
        let mut header = [0; 16];
        self.0.read_exact(&mut header).unwrap();
        let size = u64::from_le_bytes(header[8..].try_into().unwrap());
        let mut data = vec![0; size as usize];
        self.0.read_exact(&mut data).unwrap();
        (i32::from_le_bytes(header[..4].try_into().unwrap()), data)
    }

    fn allocate(&mut self) -> u64 {
        let (status, address) = self.request(2, 0, 0, BYTES, &[]);
        assert_eq!(status, 0);
        u64::from_le_bytes(address.try_into().unwrap())
    }

    /// Runs the kernel; the reply of the poll that ended it.
    fn launch(&mut self, buffers: [u64; 3], mode: u32) -> (i32, Vec<u8>) {
        let arguments = registers(buffers, N, mode);
        assert_eq!(self.request(6, 0, ARGS, arguments.len() as u64, &arguments).0, 0);
        assert_eq!(self.request(6, 0, 0, 4, &1u32.to_le_bytes()).0, 0);
        loop {
            let (status, control) = self.request(7, 0, 0, 4, &[]);
            if status != 0 || control[0] & 2 != 0 {
                return (status, control);
            }
        }
    }
}

#[test]
fn the_pipe_protocol() {
    let dir = tempfile::tempdir().unwrap();
    let board = board(dir.path());
    let (ours, theirs) = UnixStream::pair().unwrap();
    let server = std::thread::spawn(move || {
        let (mut input, mut output) = (&theirs, &theirs);
        pipe::serve(Ok(board), &mut input, &mut output, &silent)
    });
    let mut host = Pipe(ours);
    assert_eq!(host.request(1, 0, 1, 0, &[]), (0, b"vadd\n".to_vec()));
    assert_eq!(host.request(1, 0, 99, 0, &[]).0, -59, "another version");

    let [a, b, c] = [0; 3].map(|_| host.allocate());
    assert_eq!(host.request(4, 0, a, BYTES, &numbers(|i| i * i)).0, 0);
    assert_eq!(host.request(4, 0, b, BYTES, &numbers(|i| 1000 - i)).0, 0);
    assert_eq!(host.launch([a, b, c], 0), (0, vec![0b0110, 0, 0, 0]));
    let expected = numbers(|i| i * i + 1000 - i);
    assert_eq!(host.request(5, 0, c, BYTES, &[]), (0, expected.clone()));
    assert_eq!(host.request(5, 0, c + 4, 8, &[]), (0, expected[4..12].to_vec()));

    // mistakes: each has its number, and the next request works
    let refused = |host: &mut Pipe, number, operation, kernel, address, size| {
        let data = if operation == 4 { &[0; 4][..] } else { &[] };
        let (status, text) = host.request(operation, kernel, address, size, data);
        assert_eq!(status, number, "{}", String::from_utf8_lossy(&text));
        assert!(!text.is_empty());
    };
    refused(&mut host, -61, 2, 0, 0, 0);
    refused(&mut host, -38, 3, 0, 12345, 0);
    refused(&mut host, -38, 4, 0, c + BYTES - 2, 4);
    refused(&mut host, -38, 5, 0, c, BYTES + 1);
    refused(&mut host, -46, 7, 1, 0, 4);
    refused(&mut host, -30, 7, 0, 2, 4);
    refused(&mut host, -30, 7, 0, 0xffc, 8);
    refused(&mut host, -59, 8, 0, 0, 0);
    // a kernel that stops half way, one that never ends, a buffer that has been freed
    for (mode, message) in [(1, "it hangs"), (9, "not done after 100000 cycles")] {
        let (status, text) = host.launch([a, b, c], mode);
        let text = String::from_utf8(text).unwrap();
        assert!(status == -5 && text.contains(message), "{status} {text}");
    }
    assert_eq!(host.request(3, 0, b, 0, &[]), (0, vec![]));
    let (status, text) = host.launch([a, b, c], 0);
    assert!(status == -5, "{status} {}", String::from_utf8_lossy(&text));
    // and the next launch works
    assert_eq!(host.launch([a, a, c], 0).0, 0);
    assert_eq!(host.request(5, 0, c, BYTES, &[]), (0, numbers(|i| 2 * i * i)));
    drop(host);
    server.join().unwrap().unwrap();
}

#[test]
fn a_board_that_cannot_be_opened_is_the_first_reply() {
    let error = Board::open(Path::new("/nonexistent"), common::options()).err().unwrap();
    let request = [&1u64.to_le_bytes()[..], &1u64.to_le_bytes(), &0u64.to_le_bytes()].concat();
    let mut reply = Vec::new();
    pipe::serve(Err(error), &mut request.as_slice(), &mut reply, &silent).unwrap();
    assert_eq!(reply[..4], (-2i32).to_le_bytes());
    assert!(String::from_utf8_lossy(&reply[16..]).contains("/nonexistent"));
    // a request that breaks off
    let error = Board::open(Path::new("/nonexistent"), common::options()).err().unwrap();
    assert!(pipe::serve(Err(error), &mut &request[..20], &mut reply, &silent).is_err());
}

/// XRT's end of its protocol; numbers below 128 are one byte, so that these messages can be written by hand.
struct Xrt(UnixStream);

impl Xrt {
    fn call(&mut self, operation: u32, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x09];
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.push(0x15);
        bytes.extend(operation.to_le_bytes());
        bytes.extend(body);
        self.0.write_all(&bytes).unwrap();
        let mut header = [0; 9];
        self.0.read_exact(&mut header).unwrap();
        assert_eq!(header[0], 0x09);
        let size = u64::from_le_bytes(header[1..].try_into().unwrap());
        let mut reply = vec![0; size as usize];
        self.0.read_exact(&mut reply).unwrap();
        reply
    }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 & 127 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Field `number` (below 16) with a number, and with bytes.
fn field(number: u8, value: u64) -> Vec<u8> {
    [&[number << 3][..], &varint(value)].concat()
}

fn bytes_field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

#[test]
fn xrts_protocol() {
    let dir = tempfile::tempdir().unwrap();
    let mut board = board(dir.path());
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let server = std::thread::spawn(move || xrt::serve(&mut board, &mut theirs, &silent));
    let mut host = Xrt(ours);
    let yes = [8, 1];
    assert_eq!(host.call(20, &bytes_field(3, b"\x0a\x01a\x12\x01b")), yes);
    let places = [0x40_0000_0000u64, 0x40_0000_1000, 0x40_0000_2000];
    for place in places {
        assert_eq!(host.call(4, &[field(1, place), field(2, BYTES)].concat()), yes);
    }
    for (place, data) in places.into_iter().zip([numbers(|i| 3 * i), numbers(|i| i + 7)]) {
        let handle = bytes_field(2, &[0; 8]);
        let body = [handle, field(3, place), bytes_field(4, &data), field(5, BYTES), field(6, 0)];
        assert_eq!(host.call(6, &body.concat()), field(1, BYTES));
    }
    // registers of the first kernel begin at 0x1800000
    let base = 0x180_0000;
    let arguments = registers(places, N, 0);
    let size = field(3, arguments.len() as u64);
    let body = [field(2, base + ARGS), size, bytes_field(4, &arguments)].concat();
    assert_eq!(host.call(9, &body), yes);
    let start = [field(2, base), field(3, 4), bytes_field(4, &[1, 0, 0, 0])].concat();
    assert_eq!(host.call(9, &start), yes);
    let poll = [field(2, base), field(3, 4)].concat();
    while host.call(11, &poll) != [8, 1, 0x12, 4, 0b0110, 0, 0, 0] {}
    let body = [bytes_field(2, &[0; 8]), bytes_field(3, &[]), field(4, places[2]), field(5, BYTES)];
    let expected = [field(1, BYTES), bytes_field(2, &numbers(|i| 4 * i + 7))].concat();
    assert_eq!(host.call(7, &body.concat()), expected);
    assert_eq!(host.call(5, &field(1, places[1])), yes);
    assert!(host.call(19, &[]).is_empty());
    // the header of a request to close is what CLOSE says
    host.0.write_all(&xrt::CLOSE).unwrap();
    let mut reply = [0; 11];
    host.0.read_exact(&mut reply).unwrap();
    assert_eq!(reply, [9, 2, 0, 0, 0, 0, 0, 0, 0, 8, 1]);
    server.join().unwrap().unwrap();
}

/// Another host would leave what they enqueue unlaunched.
#[test]
fn kernels_that_enqueue_are_started_by_hosts_that_know_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    manifest.kernels[0].signature.enqueues = vec!["vadd".into()];
    manifest.program_memory = Some(ProgramMemory {
        size: 64 + QUEUE_BYTES,
        align: 64,
        init: None,
        relocations: vec![],
        prints: None,
        enqueue: Some(EnqueueQueue { offset: 64, size: QUEUE_BYTES, sites: vec![] }),
    });
    manifest.kernels[0].lay_out(true).unwrap();
    let base = manifest.kernels[0].hidden.last().unwrap().offset;
    let mut board = board_of(dir.path(), &manifest);
    let start = |board: &mut Board| board.write_register(0, regs::CTRL, regs::CTRL_START);
    let refused = |result: Result<(), host::Error>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind, host::ErrorKind::Unsupported);
        assert!(error.message.contains("`vadd` enqueues others"), "{}", error.message);
    };
    // without program memory, with one that nobody has made ready, and with a queue in it
    refused(start(&mut board));
    let program = board.allocate(64 + QUEUE_BYTES).unwrap();
    board.write_register(0, base, program as u32).unwrap();
    board.write_register(0, base + 4, (program >> 32) as u32).unwrap();
    refused(start(&mut board));
    board.write(program + 64 + u64::from(header::FREE), &EVENTS.to_le_bytes()).unwrap();
    start(&mut board).unwrap();
}

#[test]
fn what_xrt_does_not_say_ends_the_device() {
    let dir = tempfile::tempdir().unwrap();
    let mut board = board(dir.path());
    for request in [
        &b"\x09\0\0\0\0\0\0\0\0\x15\x63\0\0\0"[..], // an unknown operation
        b"\x09\xff\xff\xff\xff\xff\xff\xff\xff\x15\x06\0\0\0", // endless
        b"\x09\x02\0\0\0\0\0\0\0\x15\x0b\0\0\0\x10\x04", // a register where there is none
        b"\x09\x01\0\0\0\0\0\0\0\x15\x0b\0\0\0\xff", // no message
        b"\x09\x04\0\0\0\0\0\0\0\x15\x04\0\0\0\x08\x01\x10\x01", // memory at an odd address
        b"\x09\x02\0\0\0\0\0\0\0\x15\x05\0\0\0\x08\x01", // what was not allocated is freed
    ] {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        ours.write_all(request).unwrap();
        assert!(xrt::serve(&mut board, &mut theirs, &silent).is_err(), "{request:x?}");
    }
}
