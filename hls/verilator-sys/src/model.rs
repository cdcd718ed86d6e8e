//! A running model.

use crate::ffi::{CFault, CPortStats, CRegion, Functions, Options, Sim};
use crate::{Built, Error};
use std::ffi::{CStr, CString, c_int};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::NonNull;

/// How the memory behind the AXI masters behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryOptions {
    /// Seed of all random decisions.
    pub seed: u64,
    /// Cycles from the address to the first data of a read, at least 1.
    pub read_latency: u32,
    /// Cycles from the last data of a write to its response, at least 1.
    pub write_latency: u32,
    /// Beats per cycle for each port and direction, more than 0 and at most 1.
    pub bandwidth: f64,
    /// Probability with which each of the five channels of a port does nothing in a cycle, below 1.
    pub stall_rate: f64,
    /// Bursts of each direction that a port takes before the first is answered.
    pub max_outstanding: u32,
    /// Whether bursts with different ids may be answered out of order, and reads see the memory
    /// as it was at any time between address and data.
    pub reorder: bool,
    /// Whether read data of bursts with different ids may be mixed; needs `reorder`.
    pub interleave: bool,
}

impl Default for MemoryOptions {
    /// A memory that answers after 100 cycles, one beat a cycle, in order, without stalls.
    fn default() -> Self {
        Self {
            seed: 1,
            read_latency: 100,
            write_latency: 100,
            bandwidth: 1.0,
            stall_rate: 0.0,
            max_outstanding: 256,
            reorder: false,
            interleave: false,
        }
    }
}

/// Bytes of a bus line of the widest port, and more: the granularity of storage.
const PAGE: u64 = 4096;

/// The contents of a buffer.
#[derive(Debug)]
enum Storage<'a> {
    Owned(Vec<u8>),
    Lent(&'a mut [u8]),
}

impl Storage<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Storage::Owned(bytes) => bytes,
            Storage::Lent(bytes) => bytes,
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Storage::Owned(bytes) => bytes,
            Storage::Lent(bytes) => bytes,
        }
    }
}

/// A buffer that the kernel may access.
#[derive(Debug)]
pub struct Region<'s> {
    base: u64,
    size: u64,
    /// Size rounded up to pages: the kernel reads whole bus lines.
    storage: Storage<'s>,
}

impl<'s> Region<'s> {
    /// A buffer of `size` bytes at device address `base`, filled with a pattern; `None` if there is
    /// no memory for it, or `base` is not a multiple of 4096, or `size` is 0.
    pub fn new(base: u64, size: u64) -> Option<Self> {
        const PATTERN: u8 = 0xa5;
        let mapped = size.checked_next_multiple_of(PAGE)?;
        if size == 0 || !base.is_multiple_of(PAGE) || base.checked_add(mapped).is_none() {
            return None;
        }
        let length = usize::try_from(mapped).ok()?;
        let mut storage = Vec::new();
        storage.try_reserve_exact(length).ok()?;
        storage.resize(length, PATTERN);
        Some(Self { base, size, storage: Storage::Owned(storage) })
    }

    /// A buffer of `size` bytes at device address `base` whose contents somebody else owns; `None` if `base` or the
    /// length of `storage` is not a multiple of 4096, or `size` is 0 or more than that length.
    pub fn lent(base: u64, size: u64, storage: &'s mut [u8]) -> Option<Self> {
        let length = storage.len() as u64;
        let sound = base.is_multiple_of(PAGE) && length.is_multiple_of(PAGE);
        let fits = (1..=length).contains(&size) && base.checked_add(length).is_some();
        (sound && fits).then_some(Self { base, size, storage: Storage::Lent(storage) })
    }

    /// Device address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Bytes of the buffer.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// First address after its storage.
    pub fn end(&self) -> u64 {
        self.base + self.storage.bytes().len() as u64
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8] {
        &self.storage.bytes()[..self.size as usize]
    }

    /// The contents.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let size = self.size as usize;
        &mut self.storage.bytes_mut()[..size]
    }

    /// The contents, with what pads them to whole pages.
    pub fn storage_mut(&mut self) -> &mut [u8] {
        self.storage.bytes_mut()
    }
}

/// An AXI rule that the kernel broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolRule {
    /// A burst crosses a 4 KiB boundary.
    Boundary,
    /// AxBURST is not INCR.
    BurstType,
    /// AxSIZE is not the width of the bus.
    BeatSize,
    /// AxADDR is not a multiple of the width of the bus.
    Alignment,
    /// WLAST does not agree with AWLEN.
    LastBeat,
    /// VALID was withdrawn before READY.
    Withdrawn,
    /// One that the shim knows and this version of the crate does not.
    Other(u32),
}

/// Something the kernel must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A memory access outside all buffers, or misaligned.
    Access {
        /// Which access of the kernel.
        site: u32,
        /// First byte.
        address: u64,
        /// Bytes.
        bytes: u32,
        /// Write or read.
        is_write: bool,
        /// Not outside, but at an address that is not a multiple of its size.
        misaligned: bool,
        /// When.
        cycle: u64,
    },
    /// A bus access outside all buffers that no access of the kernel had announced.
    Bus {
        /// Index of the port.
        port: usize,
        /// First byte of the beat.
        address: u64,
        /// Bytes of the beat.
        bytes: u32,
        /// Write or read.
        is_write: bool,
        /// When.
        cycle: u64,
    },
    /// A broken AXI rule, seen by the memory.
    Protocol {
        /// Index of the port.
        port: usize,
        /// Which rule.
        rule: ProtocolRule,
        /// Address of the burst, 0 if there is none.
        address: u64,
        /// Write or read channel.
        is_write: bool,
        /// When.
        cycle: u64,
    },
    /// A broken AXI rule, seen by the checker module.
    Checker {
        /// Index of the port.
        port: usize,
        /// The module's `error_code`.
        code: u32,
        /// When.
        cycle: u64,
    },
    /// `$finish` or `$stop` in the design.
    Finish {
        /// When.
        cycle: u64,
    },
}

impl Fault {
    fn from_c(fault: &CFault) -> Self {
        let &CFault { code, address, bytes, cycle, .. } = fault;
        let is_write = fault.is_write != 0;
        let port = usize::try_from(fault.port).unwrap_or_default();
        match fault.kind {
            1 => {
                let (site, misaligned) = (fault.site as u32, code != 0);
                Self::Access { site, address, bytes, is_write, misaligned, cycle }
            }
            2 => Self::Bus { port, address, bytes, is_write, cycle },
            3 => {
                let rule = match code {
                    1 => ProtocolRule::Boundary,
                    2 => ProtocolRule::BurstType,
                    3 => ProtocolRule::BeatSize,
                    4 => ProtocolRule::Alignment,
                    5 => ProtocolRule::LastBeat,
                    6 => ProtocolRule::Withdrawn,
                    other => ProtocolRule::Other(other),
                };
                Self::Protocol { port, rule, address, is_write, cycle }
            }
            4 => Self::Checker { port, code, cycle },
            _ => Self::Finish { cycle },
        }
    }
}

/// Why [`Session::run`] returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The interrupt line is high.
    Interrupt,
    /// As many cycles as asked for have passed.
    Limit,
    /// A fault was recorded.
    Fault,
    /// Nothing moves any more.
    Stuck,
    /// Operations on pipes are refused, and nothing else happens.
    Polls,
}

/// What an AXI master has done since the last reset, and its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortStats {
    /// Read bursts.
    pub read_bursts: u64,
    /// Write bursts.
    pub write_bursts: u64,
    /// Read data beats.
    pub read_beats: u64,
    /// Write data beats.
    pub write_beats: u64,
    /// Read bursts not completely answered.
    pub reads_outstanding: u32,
    /// Write bursts not answered.
    pub writes_outstanding: u32,
    /// The kernel does not take a write response that is there.
    pub response_refused: bool,
    /// The kernel does not take read data that is there.
    pub data_refused: bool,
}

/// An instance of a built model.
pub struct Model {
    functions: Functions,
    sim: NonNull<Sim>,
}

// SAFETY: an instance has no ties to the thread that made it: the shim sets the thread's current
// instance and Verilator's context anew in every call.
unsafe impl Send for Model {}

impl Model {
    /// Loads a built model and makes an instance of it, in reset state.
    ///
    /// # Errors
    /// [`Error::Load`], or [`Error::Simulator`] if the instance cannot be made.
    pub fn new(built: &Built, memory: &MemoryOptions) -> Result<Self, Error> {
        let functions = Functions::load(&built.library)?;
        let options = Options {
            seed: memory.seed,
            read_latency: memory.read_latency.max(1),
            write_latency: memory.write_latency.max(1),
            bandwidth: fraction(memory.bandwidth, 1.0).max(1),
            stall: fraction(memory.stall_rate, 0.999),
            max_outstanding: memory.max_outstanding.max(1),
            reorder: memory.reorder.into(),
            interleave: memory.interleave.into(),
        };
        // SAFETY: `options` lives through the call, which copies it.
        let sim = NonNull::new(unsafe { (functions.new)(&options) })
            .ok_or_else(|| Error::Simulator("the model cannot be instantiated".into()))?;
        let mut model = Self { functions, sim };
        model.reset()?;
        Ok(model)
    }

    /// Resets the design and the memory interfaces; forgets faults and statistics.
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn reset(&mut self) -> Result<(), Error> {
        const CYCLES: u32 = 32;
        self.clear_regions();
        // SAFETY: `sim` is a live instance; it has no buffers now.
        let result = unsafe { (self.functions.reset)(self.sim.as_ptr(), CYCLES) };
        self.check(result).map(drop)
    }

    /// Gives the instance the buffers that it may access while the session lasts.
    ///
    /// # Errors
    /// [`Error::Simulator`] if buffers overlap.
    pub fn session<'a>(&'a mut self, regions: &'a mut [Region<'_>]) -> Result<Session<'a>, Error> {
        let [session] = Self::sessions([self], regions)?;
        Ok(session)
    }

    /// The same for several instances, which share the buffers and run by turns.
    ///
    /// # Errors
    /// As [`Self::session`].
    pub fn sessions<'a, const N: usize>(
        models: [&'a mut Model; N],
        regions: &'a mut [Region<'_>],
    ) -> Result<[Session<'a>; N], Error> {
        let all = Self::all_sessions(models.into_iter().collect(), regions)?;
        all.try_into().map_err(|_| Error::Simulator("not as many sessions as models".into()))
    }

    /// The same for a list of instances.
    ///
    /// # Errors
    /// As [`Self::session`].
    pub fn all_sessions<'a>(
        models: Vec<&'a mut Model>,
        regions: &'a mut [Region<'_>],
    ) -> Result<Vec<Session<'a>>, Error> {
        regions.sort_by_key(|region| region.base);
        if regions.windows(2).any(|pair| pair[0].end() > pair[1].base()) {
            return Err(Error::Simulator("buffers overlap".into()));
        }
        let table: Vec<CRegion> = regions
            .iter_mut()
            .map(|region| {
                let storage = region.storage.bytes_mut();
                CRegion {
                    base: region.base,
                    size: region.size,
                    mapped: storage.len() as u64,
                    data: storage.as_mut_ptr(),
                }
            })
            .collect();
        let session = |model: &'a mut Model| {
            let (data, count) = (table.as_ptr(), table.len());
            // SAFETY: the call copies the table. The storage is borrowed for 'a, the session's life; when it ends the table
            // is emptied, and while there is one only its methods run the clock: those of several sessions one after the
            // other, since none of them leaves this thread.
            let result = unsafe { (model.functions.set_regions)(model.sim.as_ptr(), data, count) };
            model.check(result)?;
            Ok(Session { model, regions: PhantomData })
        };
        models.into_iter().map(session).collect()
    }

    /// Writes waveforms to an FST file from now on.
    ///
    /// # Errors
    /// [`Error::Simulator`] if the model was built without tracing or the file cannot be written.
    pub fn open_trace(&mut self, path: &Path) -> Result<(), Error> {
        let fail = |problem: &str| Error::Simulator(format!("{}: {problem}", path.display()));
        // Checked here: Verilator ends the process if it cannot write.
        std::fs::File::create(path).map_err(Error::io(path))?;
        let text = path.to_str().and_then(|path| CString::new(path).ok());
        let text = text.ok_or_else(|| fail("not a possible name for waveforms"))?;
        // SAFETY: `sim` is a live instance, `text` lives through the call.
        let result = unsafe { (self.functions.trace_open)(self.sim.as_ptr(), text.as_ptr()) };
        self.check(result).map(drop)
    }

    /// Completes and closes the file of waveforms.
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn close_trace(&mut self) -> Result<(), Error> {
        // SAFETY: `sim` is a live instance.
        let result = unsafe { (self.functions.trace_close)(self.sim.as_ptr()) };
        self.check(result).map(drop)
    }

    /// Clock cycles since the instance exists.
    pub fn cycles(&self) -> u64 {
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.cycles)(self.sim.as_ptr()) }
    }

    /// Level of the interrupt line.
    pub fn interrupt(&self) -> bool {
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.interrupt)(self.sim.as_ptr()) != 0 }
    }

    /// What each AXI master has done since the last reset.
    pub fn port_stats(&self) -> Vec<PortStats> {
        // SAFETY: `sim` is a live instance.
        let count = unsafe { (self.functions.ports)(self.sim.as_ptr()) };
        (0..count)
            .map(|port| {
                let mut stats = CPortStats::default();
                // SAFETY: `sim` is a live instance, `stats` lives through the call.
                unsafe { (self.functions.port_stats)(self.sim.as_ptr(), port, &mut stats) };
                PortStats {
                    read_bursts: stats.read_bursts,
                    write_bursts: stats.write_bursts,
                    read_beats: stats.read_beats,
                    write_beats: stats.write_beats,
                    reads_outstanding: stats.reads_outstanding,
                    writes_outstanding: stats.writes_outstanding,
                    response_refused: stats.blocked & 1 << 3 != 0,
                    data_refused: stats.blocked & 1 << 4 != 0,
                }
            })
            .collect()
    }

    /// What stands at stream `index` of the kernel from now on: the packets that it reads, or room for `room` bytes of packets
    /// that it writes.
    pub fn put_stream(&mut self, index: usize, packets: &[u8], room: usize) {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let (data, bytes) = (packets.as_ptr(), packets.len());
        // SAFETY: `sim` is a live instance, and the call copies the packets.
        unsafe { (self.functions.stream_put)(self.sim.as_ptr(), index, data, bytes, room) }
    }

    /// The packets at stream `index` that the kernel has not taken, or that it has written: at most `room` bytes.
    pub fn stream(&self, index: usize, room: usize) -> Vec<u8> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut packets = vec![0; room];
        let data = packets.as_mut_ptr();
        // SAFETY: `sim` is a live instance and writes at most `room` bytes.
        let count = unsafe { (self.functions.stream_get)(self.sim.as_ptr(), index, data, room) };
        packets.truncate(count);
        packets
    }

    /// Bytes of the packets that [`Self::stream`] would give.
    pub fn stream_bytes(&self, index: usize) -> usize {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance; without a place for them nothing is copied.
        unsafe { (self.functions.stream_get)(self.sim.as_ptr(), index, std::ptr::null_mut(), 0) }
    }

    /// Whether the kernel waits at stream `index` for a packet when none is left, or for room when there is none.
    pub fn stream_blocked(&self, index: usize) -> bool {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.stream_blocked)(self.sim.as_ptr(), index) != 0 }
    }

    /// What the kernel has done since the instance exists: packets that passed its streams, packets of pipes in memory that it
    /// has reserved, atomic operations on other places, and writes that changed memory.
    pub fn progress(&self) -> u64 {
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.progress)(self.sim.as_ptr()) }
    }

    /// Operations on pipes that were refused since the last [progress](Self::progress), or since they were forgotten.
    pub fn polls(&self) -> u64 {
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.polls)(self.sim.as_ptr()) }
    }

    /// Those of the pipe at stream `index`.
    pub fn stream_polls(&self, index: usize) -> u64 {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.stream_polls)(self.sim.as_ptr(), index) }
    }

    /// Those of a pipe in memory, by its number among those that are [watched](Self::watch_pipes).
    pub fn pipe_polls(&self, index: usize) -> u64 {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.pipe_polls)(self.sim.as_ptr(), index) }
    }

    /// Reservations that the kernel has got of such a pipe.
    pub fn pipe_reservations(&self, index: usize) -> u64 {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance.
        unsafe { (self.functions.pipe_reservations)(self.sim.as_ptr(), index) }
    }

    /// The pipes in memory from now on: device addresses of their objects.
    pub fn watch_pipes(&mut self, objects: &[u64]) {
        // SAFETY: `sim` is a live instance, and the call copies the addresses.
        unsafe {
            (self.functions.watch_pipes)(self.sim.as_ptr(), objects.as_ptr(), objects.len());
        }
    }

    /// Whether an operation of the kernel waits at the unit behind stream `index`, and how many packets that holds.
    pub fn stream_unit(&self, index: usize) -> (bool, u32) {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance.
        let state = unsafe { (self.functions.stream_unit)(self.sim.as_ptr(), index) };
        (state >> 31 != 0, state & 0x7fff_ffff)
    }

    /// The first faults since the last reset, in the order in which they happened.
    pub fn faults(&self) -> Vec<Fault> {
        const ROOM: usize = 64;
        let mut faults = [CFault::default(); ROOM];
        // SAFETY: `sim` is a live instance and writes at most ROOM elements.
        let count =
            unsafe { (self.functions.faults)(self.sim.as_ptr(), faults.as_mut_ptr(), ROOM) };
        faults[..count].iter().map(Fault::from_c).collect()
    }

    /// Takes all buffers away.
    fn clear_regions(&mut self) {
        // SAFETY: `sim` is a live instance; an empty table needs no storage.
        unsafe {
            (self.functions.set_regions)(self.sim.as_ptr(), std::ptr::null(), 0);
        }
    }

    fn check(&self, result: c_int) -> Result<c_int, Error> {
        if result >= 0 {
            return Ok(result);
        }
        // SAFETY: `sim` is a live instance; the text lives until its next call and is copied.
        let text = unsafe { CStr::from_ptr((self.functions.message)(self.sim.as_ptr())) };
        Err(Error::Simulator(text.to_string_lossy().into_owned()))
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: `sim` is a live instance and not used after this.
        unsafe { (self.functions.free)(self.sim.as_ptr()) }
    }
}

/// `value`, at most `most`, in units of 1/65536.
fn fraction(value: f64, most: f64) -> u32 {
    (value.clamp(0.0, most) * 65536.0).round() as u32
}

/// An instance while it has access to buffers.
pub struct Session<'a> {
    model: &'a mut Model,
    /// The buffers, which other sessions of this thread may share: so none goes to another thread.
    regions: PhantomData<(&'a mut [u8], *const u8)>,
}

impl Session<'_> {
    /// Writes a register through AXI4-Lite.
    ///
    /// # Errors
    /// [`Error::Simulator`] if there is no answer, or an error response.
    pub fn write_register(&mut self, address: u32, data: u32) -> Result<(), Error> {
        let mut response = 0;
        let functions = &self.model.functions;
        // SAFETY: `sim` is a live instance, `response` lives through the call, and the buffers
        // are borrowed by this session.
        let result = unsafe {
            (functions.axil_write)(self.model.sim.as_ptr(), address, data, &mut response)
        };
        self.register_result(result, response, "write to", address)
    }

    /// Reads a register through AXI4-Lite.
    ///
    /// # Errors
    /// [`Error::Simulator`] if there is no answer, or an error response.
    pub fn read_register(&mut self, address: u32) -> Result<u32, Error> {
        let (mut data, mut response) = (0, 0);
        let functions = &self.model.functions;
        // SAFETY: as in `write_register`.
        let result = unsafe {
            (functions.axil_read)(self.model.sim.as_ptr(), address, &mut data, &mut response)
        };
        self.register_result(result, response, "read of", address)?;
        Ok(data)
    }

    fn register_result(
        &self,
        result: c_int,
        response: u32,
        what: &str,
        address: u32,
    ) -> Result<(), Error> {
        let problem = match (self.model.check(result)?, response) {
            (0, 0) => return Ok(()),
            (0, 2) => "got a SLVERR response",
            (0, 3) => "got a DECERR response",
            (0, _) => "got an unknown response",
            _ => "got no response",
        };
        Err(Error::Simulator(format!("s_axi_control: {what} register {address:#x} {problem}")))
    }

    /// Runs the clock until something happens, at most `max_cycles`. The kernel counts as stuck when
    /// no port has moved for `watchdog` cycles and then no channel inside moves either. It polls when `most_polls` operations on
    /// pipes were refused without [progress](Model::progress); with 0 that is not looked at.
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn run(
        &mut self,
        max_cycles: u64,
        watchdog: u64,
        most_polls: u64,
    ) -> Result<RunEnd, Error> {
        let functions = &self.model.functions;
        // SAFETY: `sim` is a live instance, the buffers are borrowed by this session.
        let result =
            unsafe { (functions.run)(self.model.sim.as_ptr(), max_cycles, watchdog, most_polls) };
        Ok(match self.model.check(result)? {
            0 => RunEnd::Interrupt,
            1 => RunEnd::Limit,
            2 => RunEnd::Fault,
            3 => RunEnd::Stuck,
            _ => RunEnd::Polls,
        })
    }

    /// One cycle of a kernel that runs beside others: [`RunEnd::Limit`], [`RunEnd::Interrupt`] or [`RunEnd::Fault`].
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn step(&mut self) -> Result<RunEnd, Error> {
        // SAFETY: `sim` is a live instance, the buffers are borrowed by this session.
        let result = unsafe { (self.model.functions.step)(self.model.sim.as_ptr()) };
        Ok(match self.model.check(result)? {
            0 => RunEnd::Interrupt,
            1 => RunEnd::Limit,
            _ => RunEnd::Fault,
        })
    }

    /// Whether nothing has moved on the ports for `watchdog` cycles, nor moves inside now.
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn is_stuck(&mut self, watchdog: u64) -> Result<bool, Error> {
        // SAFETY: as in `step`.
        let result = unsafe { (self.model.functions.stuck)(self.model.sim.as_ptr(), watchdog) };
        Ok(self.model.check(result)? != 0)
    }

    /// Counts [refused operations](Model::polls) anew: something was done elsewhere that may let the kernel go on.
    pub fn forget_polls(&mut self) {
        // SAFETY: `sim` is a live instance; no clock runs.
        unsafe { (self.model.functions.forget_polls)(self.model.sim.as_ptr()) }
    }

    /// Takes a packet that the kernel has written to stream `index`, of as many bytes as `packet` has.
    pub fn pop_stream(&mut self, index: usize, packet: &mut [u8]) -> bool {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let (functions, sim) = (&self.model.functions, self.model.sim.as_ptr());
        let (data, bytes) = (packet.as_mut_ptr(), packet.len());
        // SAFETY: `sim` is a live instance and writes a packet of `bytes` bytes or nothing.
        unsafe { (functions.stream_pop)(sim, index, data, bytes) != 0 }
    }

    /// Gives stream `index` another packet to be read, unless `most` wait there.
    pub fn push_stream(&mut self, index: usize, packet: &[u8], most: usize) -> bool {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let (functions, sim) = (&self.model.functions, self.model.sim.as_ptr());
        // SAFETY: `sim` is a live instance and copies the bytes of a packet.
        unsafe { (functions.stream_push)(sim, index, packet.as_ptr(), packet.len(), most) != 0 }
    }

    /// State of a channel: has something to give, its reader takes it, has room, work-items wait in front of it.
    ///
    /// # Errors
    /// [`Error::Simulator`].
    pub fn channel(&mut self, index: usize) -> Result<[bool; 4], Error> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: `sim` is a live instance; no clock runs.
        let state = unsafe { (self.model.functions.channel)(self.model.sim.as_ptr(), index) };
        let state = self.model.check(state)?;
        Ok([4, 2, 1, 8].map(|bit| state & bit != 0))
    }

    /// The instance.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// The functions of a model that is built for profiling, and what they are called with.
    pub(crate) fn profile(&mut self) -> Option<(crate::ffi::Profile, *mut Sim)> {
        Some((self.model.functions.profile?, self.model.sim.as_ptr()))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.model.clear_regions();
    }
}
