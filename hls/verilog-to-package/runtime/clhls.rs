//! Host runtime of clhls designs, without dependencies: opens a device, moves buffers, starts kernels. The typed functions
//! of a design stand on this.
//!
//! [`open`] names the devices there are; others implement [`Device`]. The C runtime beside this crate does the same with the
//! same numbers and texts (`clhls.h`).

mod sim;
mod uart;
mod xrt;

use std::time::{Duration, Instant};

pub use sim::Sim;
pub use uart::Uart;
pub use xrt::Xrt;

const ARGS: u32 = 0x10;
const COUNTERS: u32 = 0xf00;
const CTRL_START: u32 = 1;
const CTRL_DONE: u32 = 2;

/// What is wrong. The numbers are those of OpenCL's errors of the same meaning, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// The device is not there, not reachable, or gone.
    DeviceNotAvailable = -2,
    /// The device's memory does not suffice.
    OutOfDeviceMemory = -4,
    /// The kernel went wrong while it ran.
    KernelFailed = -5,
    /// Text that names no device.
    InvalidValue = -30,
    /// Bytes outside a buffer.
    InvalidBuffer = -38,
    /// The design on the device does not have this kernel.
    InvalidKernel = -48,
    /// More local memory than the kernel was built with.
    InvalidArgSize = -51,
    /// A local size that the kernel does not allow.
    InvalidWorkGroupSize = -54,
    /// Offset and global size exceed 32 bits.
    InvalidGlobalOffset = -56,
    /// A buffer without a byte.
    InvalidBufferSize = -61,
    /// A global size of 0, or one that exceeds 32 bits.
    InvalidGlobalWorkSize = -63,
    /// The kernel was not done in time and may still run: drop the device.
    Timeout = -1000,
}

/// A failed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub status: Status,
    /// The same in a sentence.
    pub message: String,
}

impl Error {
    /// An error.
    pub fn new(status: Status, message: impl Into<String>) -> Error {
        Error { status, message: message.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// What a host program was written for, as the generated code describes it.
pub struct Design {
    /// Of the module: `package/<name>.hw.xclbin`.
    pub name: &'static str,
    /// Output directory of the build.
    pub folder: &'static str,
    /// Speed of the board's serial link, bits a second.
    pub baud: Option<u32>,
}

/// Opens the device that a text names; `None`: the text in the environment variable `CLHLS_DEVICE`, or `sim`.
///
/// * `sim[:FOLDER]`: the design simulated; `FOLDER` is the output directory of its build
/// * `uart:PORT[:BAUD]`: a board at a serial port, or its simulation at a pseudo-terminal
/// * `xrt[:CARD][:FILE]`: an Alveo card, 0 if not said, and its `.xclbin`
///
/// What is left out is taken from `design`.
pub fn open(design: &Design, device: Option<&str>) -> Result<Box<dyn Device>> {
    let from_environment = std::env::var("CLHLS_DEVICE").ok().filter(|text| !text.is_empty());
    let text = device.map(str::to_owned).or(from_environment).unwrap_or_else(|| "sim".to_owned());
    let (kind, rest) = text.split_once(':').unwrap_or((&text, ""));
    match kind {
        "sim" => Ok(Box::new(Sim::open(if rest.is_empty() { design.folder } else { rest })?)),
        "uart" => {
            let (port, baud) = match rest.rsplit_once(':') {
                Some((port, baud)) => (port, baud.parse().ok()),
                None => (rest, Some(design.baud.unwrap_or(115_200))),
            };
            match baud {
                Some(baud) if !port.is_empty() => Ok(Box::new(Uart::port(port, baud)?)),
                _ => Err(Error::new(Status::InvalidValue, format!("{text}: uart:PORT[:BAUD] is expected"))),
            }
        }
        "xrt" => {
            let (first, file) = rest.split_once(':').unwrap_or((rest, ""));
            let (card, file) = first.parse().map_or((0, rest), |card| (card, file));
            let own = format!("{}/package/{}.hw.xclbin", design.folder, design.name);
            Ok(Box::new(Xrt::open(card, if file.is_empty() { &own } else { file })?))
        }
        _ => Err(Error::new(
            Status::InvalidValue,
            format!("no device \"{text}\": sim[:FOLDER], uart:PORT[:BAUD] and xrt[:CARD][:FILE] are known"),
        )),
    }
}

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
    /// Local size when the caller names none and it suits; zeros if the kernel has none.
    pub default_local: [u32; 3],
    /// `default_local` is the only one allowed.
    pub local_is_fixed: bool,
    /// Sub-groups that each work-group must have, and work-items of a sub-group.
    pub sub_groups: Option<(u64, u64)>,
    /// The last work-group of a dimension may be smaller.
    pub non_uniform: bool,
    /// Work-items at a time: `offset[0]` and, of several work-groups, `local[0]` are multiples.
    pub lanes: u32,
    /// Copies of the datapath, which take the work-groups in turn.
    pub units: u32,
}

/// The work-items of a launch.
#[derive(Clone, Copy, Debug)]
pub struct NdRange {
    /// Work-items in each dimension; 1 in unused ones.
    pub global: [u64; 3],
    /// Work-items of a work-group; `None` for the size that the kernel asks for, or one that divides the global size.
    pub local: Option<[u32; 3]>,
    /// First global id.
    pub offset: [u32; 3],
}

impl NdRange {
    /// `global` work-items in one dimension.
    pub fn linear(global: u64) -> NdRange {
        NdRange::new([global, 1, 1])
    }

    /// `global` work-items in each dimension.
    pub fn new(global: [u64; 3]) -> NdRange {
        NdRange { global, local: None, offset: [0; 3] }
    }

    /// The same in work-groups of this size.
    pub fn with_local(self, local: [u32; 3]) -> NdRange {
        NdRange { local: Some(local), ..self }
    }

    /// The same with this first global id.
    pub fn with_offset(self, offset: [u32; 3]) -> NdRange {
        NdRange { offset, ..self }
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
    /// What the device knows it by.
    pub handle: usize,
}

impl Buffer {
    /// Whether `size` bytes from `offset` on are inside.
    pub fn check(&self, offset: usize, size: usize) -> Result<()> {
        if offset.checked_add(size).is_some_and(|end| end <= self.size) {
            return Ok(());
        }
        let what = format!("{size} bytes from {offset} on are not in a buffer of {} bytes", self.size);
        Err(Error::new(Status::InvalidBuffer, what))
    }
}

/// Whether a buffer may have this size.
pub fn check_size(size: usize) -> Result<()> {
    match size {
        0 => Err(Error::new(Status::InvalidBufferSize, "a buffer must have at least one byte")),
        _ => Ok(()),
    }
}

/// A link to a board.
pub trait Device {
    /// Writes registers of a kernel from byte address `offset` on.
    fn write_registers(&mut self, kernel: &Kernel, offset: u32, words: &[u32]) -> Result<()>;
    /// Reads registers of a kernel from byte address `offset` on.
    fn read_registers(&mut self, kernel: &Kernel, offset: u32, words: &mut [u32])
    -> Result<()>;
    /// Allocates `size` bytes that argument `arg` (number in kernel.xml) of `kernel` can be given.
    fn allocate(&mut self, kernel: &Kernel, arg: u32, size: usize) -> Result<Buffer>;
    /// Copies to a buffer.
    fn write(&mut self, buffer: &Buffer, offset: usize, data: &[u8]) -> Result<()>;
    /// Copies from a buffer.
    fn read(&mut self, buffer: &Buffer, offset: usize, data: &mut [u8]) -> Result<()>;
    /// Gives a buffer's memory back.
    fn free(&mut self, buffer: Buffer);
}

/// Numbers that buffers hold.
pub trait Element: Copy {
    /// Puts its bytes, little endian, behind others.
    fn put(self, bytes: &mut Vec<u8>);
    /// The number whose bytes these are.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($number:ty)*) => {$(
        impl Element for $number {
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> $number {
                let mut le = [0; size_of::<$number>()];
                le.copy_from_slice(bytes);
                <$number>::from_le_bytes(le)
            }
        }
    )*};
}
elements!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// Copies numbers to a buffer, from its byte `offset` on.
pub fn write<T: Element>(device: &mut dyn Device, buffer: &Buffer, offset: usize, data: &[T]) -> Result<()> {
    let mut bytes = Vec::with_capacity(size_of_val(data));
    data.iter().for_each(|number| number.put(&mut bytes));
    device.write(buffer, offset, &bytes)
}

/// `count` numbers of a buffer, from its byte `offset` on.
pub fn read<T: Element>(device: &mut dyn Device, buffer: &Buffer, offset: usize, count: usize) -> Result<Vec<T>> {
    let size = count.saturating_mul(size_of::<T>());
    buffer.check(offset, size)?;
    let mut bytes = vec![0; size];
    device.read(buffer, offset, &mut bytes)?;
    Ok(bytes.chunks_exact(size_of::<T>()).map(T::get).collect())
}

/// Runs a kernel and waits: [`start`] and [`wait`]. `registers` are its arguments, `kernel.words` words from register 0x10 on; the NDRange is put in.
pub fn launch(
    device: &mut dyn Device,
    kernel: &Kernel,
    registers: &mut [u32],
    range: &NdRange,
    timeout: Option<Duration>,
) -> Result<Counters> {
    start(device, kernel, registers, range)?;
    wait(device, kernel, timeout)
}

/// Starts a kernel, which runs on by itself: kernels that pipes connect are all started before one of them is waited for. A kernel is
/// not started again before it has been waited for.
pub fn start(device: &mut dyn Device, kernel: &Kernel, registers: &mut [u32], range: &NdRange) -> Result<()> {
    put_ndrange(kernel, range, registers)?;
    device.write_registers(kernel, ARGS, registers)?;
    device.write_registers(kernel, 0, &[CTRL_START])
}

/// Waits for the end of a kernel that has been started.
pub fn wait(device: &mut dyn Device, kernel: &Kernel, timeout: Option<Duration>) -> Result<Counters> {
    let start = Instant::now();
    loop {
        // reading clears done
        let mut control = [0];
        device.read_registers(kernel, 0, &mut control)?;
        if control[0] & CTRL_DONE != 0 {
            break;
        }
        if timeout.is_some_and(|limit| start.elapsed() > limit) {
            return Err(Error::new(Status::Timeout, format!("{}: not done in time", kernel.name)));
        }
        if start.elapsed() > Duration::from_millis(10) {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    // the counters, 64 bits each, and the error flags behind them
    let mut words = [0; 9];
    device.read_registers(kernel, COUNTERS, &mut words)?;
    let failed = |what: String| Err(Error::new(Status::KernelFailed, format!("{}: {what}", kernel.name)));
    match words[8] {
        0 => {}
        f if f & 1 != 0 => return failed("not all work-items of a work-group reached a barrier".to_owned()),
        f => return failed(format!("error flags {f:#x}")),
    }
    let value = |i: usize| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32;
    Ok(Counters { cycles: value(0), work_items: value(1), read_beats: value(2), write_beats: value(3) })
}

/// Work-items of a work-group that has another number of sub-groups than the kernel asks for: of a whole one, else of the
/// smallest, which is what is left at the ends.
fn sub_group_misfit(kernel: &Kernel, global: [u64; 3], local: [u32; 3]) -> Option<u64> {
    let (count, size) = kernel.sub_groups?;
    let local = local.map(u64::from);
    let rest = |d: usize| Some(global[d] % local[d]).filter(|&rest| rest > 0).unwrap_or(local[d]);
    let (whole, smallest) = (local.iter().product(), (0..3).map(rest).product());
    [whole, smallest].into_iter().find(|items: &u64| items.div_ceil(size) != count)
}

/// A local size with which all work-groups have as many sub-groups as the kernel asks for: one that divides the global size,
/// or any. The largest in dimension 0 that is possible, then in dimension 1.
fn divided_local(kernel: &Kernel, global: [u64; 3], uniform: bool) -> Option<[u32; 3]> {
    let (count, size) = kernel.sub_groups?;
    let (least, most) = ((count - 1) * size + 1, kernel.max_group);
    let row = |d: usize, n: u64| d > 0 || n.is_multiple_of(kernel.lanes.into()) || n == global[0];
    let suits = |d: usize, n: u64| row(d, n) && (!uniform || global[d].is_multiple_of(n));
    let sizes = |d: usize, room: u64| (1..=room.min(global[d])).rev().filter(move |&n| suits(d, n));
    for x in sizes(0, most) {
        for y in sizes(1, most / x) {
            for z in sizes(2, most / (x * y)).take_while(|z| x * y * z >= least) {
                let local = [x as u32, y as u32, z as u32];
                if sub_group_misfit(kernel, global, local).is_none() {
                    return Some(local);
                }
            }
        }
    }
    None
}

/// The local size of a caller who names none: the kernel's own if it suits, else one with the sub-groups that the kernel asks for,
/// else in each dimension the largest divisor of the global size for which there is room. Several compute units get four groups each
/// or more, unless only tiny ones divide the size.
fn choose_local(kernel: &Kernel, global: [u64; 3]) -> Result<[u32; 3]> {
    let own = kernel.default_local;
    let divides = |d: usize| own[d] != 0 && (kernel.non_uniform || global[d].is_multiple_of(own[d].into()));
    let items: u64 = own.iter().map(|&n| u64::from(n)).product();
    let suits = || (0..3).all(divides) && items <= kernel.max_group && sub_group_misfit(kernel, global, own).is_none();
    if kernel.local_is_fixed || suits() {
        return Ok(own);
    }
    if let Some((count, size)) = kernel.sub_groups {
        let any = || divided_local(kernel, global, false).filter(|_| kernel.non_uniform);
        return divided_local(kernel, global, true).or_else(any).ok_or_else(|| {
            let name = kernel.name;
            let what = format!("{name}: the global size does not divide into work-groups of {count} sub-groups of {size} work-items");
            Error::new(Status::InvalidWorkGroupSize, what)
        });
    }
    let (items, units) = (global.iter().fold(1u64, |all, n| all.saturating_mul(*n)), u64::from(kernel.units));
    let shared = if units > 1 { (items / (4 * units)).max((items / units).min(64)).clamp(1, kernel.max_group) } else { kernel.max_group };
    let local = largest_local(kernel, global, shared);
    let small = local.iter().map(|&n| u64::from(n)).product::<u64>() < shared / 4;
    let tokens = u64::from(local[0]) == global[0] || local[0].is_multiple_of(kernel.lanes);
    Ok(if small || !tokens { largest_local(kernel, global, kernel.max_group) } else { local })
}

/// In each dimension the largest divisor of the global size that `room` allows.
fn largest_local(kernel: &Kernel, global: [u64; 3], mut room: u64) -> [u32; 3] {
    std::array::from_fn(|d| {
        let fits = |size: &u64| {
            let lanes = d > 0 || size.is_multiple_of(kernel.lanes.into()) || *size == global[d];
            global[d].is_multiple_of(*size) && lanes
        };
        let size = (1..=room.min(global[d])).rev().find(fits).unwrap_or(1);
        room /= size;
        size as u32
    })
}

fn check_local(kernel: &Kernel, global: [u64; 3], local: [u32; 3], offset: u32) -> Result<()> {
    let bad = |message: String| {
        Err(Error::new(Status::InvalidWorkGroupSize, format!("{}: {message}", kernel.name)))
    };
    let mut items = 1u64;
    for d in 0..3 {
        let (global, local) = (global[d], local[d]);
        if kernel.local_is_fixed && local != kernel.default_local[d] {
            return bad(format!("the local size must be {:?}", kernel.default_local));
        }
        if local == 0 {
            return bad(format!("the local size of dimension {d} is 0"));
        }
        if !global.is_multiple_of(local.into()) && !kernel.non_uniform {
            return bad(format!("the local size {local} of dimension {d} does not divide the global size {global}"));
        }
        items *= u64::from(local);
        if items > kernel.max_group {
            return bad(format!("at most {} work-items in a work-group", kernel.max_group));
        }
    }
    if let (Some(items), Some((count, size))) = (sub_group_misfit(kernel, global, local), kernel.sub_groups) {
        let [x, y, z] = local;
        return bad(format!(
            "work-groups must have {count} sub-groups of {size} work-items: the local size {x} x {y} x {z} gives one of {items} work-items"
        ));
    }
    let whole = local[0].is_multiple_of(kernel.lanes) || u64::from(local[0]) >= global[0];
    if !(whole && offset.is_multiple_of(kernel.lanes)) {
        return bad(format!(
            "built for {} work-items at a time: the offset {offset} and the local size {} of dimension 0 must be multiples of that",
            kernel.lanes, local[0]
        ));
    }
    Ok(())
}

/// Checks a range and puts it into the hidden registers: work_dim, global, local, groups, offset.
fn put_ndrange(kernel: &Kernel, range: &NdRange, registers: &mut [u32]) -> Result<()> {
    let bad = |status, message: String| Err(Error::new(status, format!("{}: {message}", kernel.name)));
    let global = range.global;
    for d in 0..3 {
        if global[d] == 0 || global[d] > u64::from(u32::MAX) {
            let what = format!("the global size {} of dimension {d} is not 1 to 4294967295", global[d]);
            return bad(Status::InvalidGlobalWorkSize, what);
        }
        if global[d] + u64::from(range.offset[d]) > 1 << 32 {
            let what = format!("global size and offset of dimension {d} exceed 32 bits");
            return bad(Status::InvalidGlobalOffset, what);
        }
    }
    let local = range.local.map_or_else(|| choose_local(kernel, global), Ok)?;
    check_local(kernel, global, local, range.offset[0])?;
    let mut values = [1u32; 13];
    for d in 0..3 {
        if global[d] > 1 {
            values[0] = d as u32 + 1;
        }
        values[1 + d] = global[d] as u32;
        values[4 + d] = local[d];
        values[7 + d] = global[d].div_ceil(local[d].into()) as u32;
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

