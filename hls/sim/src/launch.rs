//! One launch through the kernel's registers, in the order in which a real host does it.

use crate::device::model_error;
use crate::report::{ChannelState, Context};
use abi::{HiddenArg, Kernel, regs};
use host::{Error, HardwareStats, LaunchStats, ResolvedRange};
use verilator_sys::{RunEnd, Session};

/// What reserved words are written with: XRT writes them too, and they must not matter.
const RESERVED: u32 = 0xdead_beef;
/// IER and ISR bit of done.
const INTERRUPT_DONE: u32 = 1;

/// Limits of a launch, in cycles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub max_cycles: u64,
    pub watchdog: u64,
    /// Refused operations on pipes without anything else, not a number of cycles; 0: no limit.
    pub most_polls: u64,
}

impl Limits {
    /// After how many refused operations [`Silence`] is asked: it is heard of twice.
    pub(crate) fn polls(self) -> u64 {
        self.most_polls.div_ceil(2)
    }
}

/// Whether kernels that are refused at pipes have done anything meanwhile. Work-items that end leave no trace at the ports,
/// so their number is read when the operations that were refused are many, and compared when as many more were.
#[derive(Default)]
pub(crate) struct Silence {
    /// What all had done then, and work-items that had finished.
    last: Option<(u64, u64)>,
}

impl Silence {
    /// Whether all is as it was at the last call.
    pub(crate) fn lasts(&mut self, sessions: &mut [Session<'_>]) -> Result<bool, Error> {
        let (mut progress, mut finished) = (0, 0);
        for session in sessions.iter_mut() {
            progress += session.model().progress();
            finished += counter(session, regs::COUNTER_WORK_ITEMS)?;
        }
        let now = Some((progress, finished));
        let lasts = std::mem::replace(&mut self.last, now) == now;
        if !lasts {
            // Those of an end are still of interest: they tell at which pipe.
            sessions.iter_mut().for_each(Session::forget_polls);
        }
        Ok(lasts)
    }
}

/// A counter of 64 bits.
fn counter(session: &mut Session<'_>, offset: u32) -> Result<u64, Error> {
    let low = session.read_register(offset).map_err(model_error)?;
    let high = session.read_register(offset + 4).map_err(model_error)?;
    Ok(u64::from(high) << 32 | u64::from(low))
}

/// The register block from [`regs::ARGS`] on.
pub(crate) struct RegisterBlock {
    words: Vec<u32>,
}

impl RegisterBlock {
    /// All words as reserved ones; the block covers all of the kernel's arguments.
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let args = kernel.signature.args.iter().filter_map(|arg| Some((arg.offset?, arg.size)));
        let hidden = kernel.hidden.iter().map(|slot| (slot.offset, slot.size));
        let end = args
            .chain(hidden)
            .map(|(offset, size)| offset + 4 * abi::register_words(size))
            .max()
            .unwrap_or(regs::ARGS);
        Self { words: vec![RESERVED; (end - regs::ARGS) as usize / 4] }
    }

    /// Puts a value, little endian, at a register offset.
    pub(crate) fn put(&mut self, offset: u32, bytes: &[u8]) {
        let first = (offset - regs::ARGS) as usize / 4;
        for (word, chunk) in self.words[first..].iter_mut().zip(bytes.chunks(4)) {
            let mut padded = [0; 4];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u32::from_le_bytes(padded);
        }
    }

    /// Puts the arguments that describe the index space, and the address of program memory.
    pub(crate) fn put_hidden(&mut self, kernel: &Kernel, range: &ResolvedRange, program_base: u64) {
        use HiddenArg::*;
        for slot in &kernel.hidden {
            let value = match slot.name {
                WorkDim => range.work_dim.into(),
                GlobalSizeX => range.global[0].into(),
                GlobalSizeY => range.global[1].into(),
                GlobalSizeZ => range.global[2].into(),
                LocalSizeX => range.local[0].into(),
                LocalSizeY => range.local[1].into(),
                LocalSizeZ => range.local[2].into(),
                NumGroupsX => range.num_groups[0].into(),
                NumGroupsY => range.num_groups[1].into(),
                NumGroupsZ => range.num_groups[2].into(),
                GlobalOffsetX => range.offset[0].into(),
                GlobalOffsetY => range.offset[1].into(),
                GlobalOffsetZ => range.offset[2].into(),
                ProgramBase => program_base,
            };
            self.put(slot.offset, &u64::to_le_bytes(value)[..slot.size as usize]);
        }
    }
}

/// Writes the registers, starts the kernel, waits for its end and reads the counters.
///
/// Returns what is needed for the message if it goes wrong, because the message needs the
/// buffers that the session has borrowed.
pub(crate) fn run(
    session: &mut Session<'_>,
    kernel: &Kernel,
    block: &RegisterBlock,
    limits: Limits,
) -> Result<Outcome, Error> {
    let started = match start(session, block)? {
        Ok(started) => started,
        Err(outcome) => return Ok(outcome),
    };
    let (mut silence, last) = (Silence::default(), session.model().cycles() + limits.max_cycles);
    loop {
        let left = last.saturating_sub(session.model().cycles());
        let end = session.run(left, limits.watchdog, limits.polls()).map_err(model_error)?;
        let polls = end == RunEnd::Polls;
        if !polls || silence.lasts(std::slice::from_mut(session))? {
            return complete(session, kernel, &started, end);
        }
    }
}

/// What is known of a launch when it has begun.
pub(crate) struct Started {
    before: Vec<verilator_sys::PortStats>,
    /// The control register behind the start.
    control: u32,
}

/// Writes the registers and starts the kernel.
pub(crate) fn start(
    session: &mut Session<'_>,
    block: &RegisterBlock,
) -> Result<Result<Started, Outcome>, Error> {
    let before = session.model().port_stats();
    let write = |session: &mut Session<'_>, address, data| {
        session.write_register(address, data).map_err(model_error)
    };
    for (index, &word) in block.words.iter().enumerate() {
        write(session, regs::ARGS + 4 * index as u32, word)?;
    }
    write(session, regs::GIE, 1)?;
    write(session, regs::IER, INTERRUPT_DONE)?;
    write(session, regs::CTRL, regs::CTRL_START)?;
    // Reading takes done away: this poll may be the one that sees it.
    let first = session.read_register(regs::CTRL).map_err(model_error)?;
    if first & regs::CTRL_DONE == 0 && first & regs::CTRL_IDLE != 0 {
        let what = "CTRL says idle although the kernel was started";
        return Ok(Err(Outcome::Wrong(what.into())));
    }
    Ok(Ok(Started { before, control: first }))
}

/// Looks at what has become of a launch, and reads the counters.
pub(crate) fn complete(
    session: &mut Session<'_>,
    kernel: &Kernel,
    started: &Started,
    end: RunEnd,
) -> Result<Outcome, Error> {
    let Started { before, control: first } = started;
    if !session.model().faults().is_empty() {
        return Ok(Outcome::Fault);
    }
    let last = session.read_register(regs::CTRL).map_err(model_error)?;
    let done = (first | last) & regs::CTRL_DONE != 0;
    match end {
        RunEnd::Interrupt => {}
        RunEnd::Fault => return Ok(Outcome::Fault),
        _ if done => return Ok(Outcome::Wrong("it is done but raised no interrupt".into())),
        RunEnd::Limit => return Ok(Outcome::Limit),
        RunEnd::Stuck => return channels(session, kernel).map(Outcome::Stuck),
        RunEnd::Polls => return Ok(Outcome::Polls),
    }
    if !done {
        return Ok(Outcome::Wrong("it raised the interrupt, but CTRL does not say done".into()));
    }
    if let Some(problem) = acknowledge(session)? {
        return Ok(Outcome::Wrong(problem));
    }
    finish(session, kernel, before)
}

/// How a launch ended.
pub(crate) enum Outcome {
    /// Well.
    Done(LaunchStats),
    /// The model has recorded a fault.
    Fault,
    /// It took more cycles than allowed.
    Limit,
    /// Nothing moves any more.
    Stuck(Vec<ChannelState>),
    /// Operations on pipes are refused, and nothing else happens.
    Polls,
    /// The kernel does not behave as the register map says, or says itself that it went wrong.
    Wrong(String),
}

impl Outcome {
    /// Whether the launch ended well.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_))
    }
}

/// Acknowledges the interrupt; what is wrong with it, if anything.
fn acknowledge(session: &mut Session<'_>) -> Result<Option<String>, Error> {
    let again = session.read_register(regs::CTRL).map_err(model_error)?;
    if again & regs::CTRL_DONE != 0 {
        return Ok(Some("CTRL still says done after it was read".into()));
    }
    if again & regs::CTRL_IDLE == 0 {
        return Ok(Some("CTRL does not say idle after done".into()));
    }
    let status = session.read_register(regs::ISR).map_err(model_error)?;
    session.write_register(regs::ISR, status).map_err(model_error)?;
    if status & INTERRUPT_DONE == 0 {
        return Ok(Some("it raised the interrupt, but ISR does not say why".into()));
    }
    let cleared = session.read_register(regs::ISR).map_err(model_error)?;
    if cleared != 0 || session.model().interrupt() {
        return Ok(Some("the interrupt stays high after ISR was written back".into()));
    }
    Ok(None)
}

/// Reads the counters and error flags of a launch that is done.
fn finish(
    session: &mut Session<'_>,
    kernel: &Kernel,
    before: &[verilator_sys::PortStats],
) -> Result<Outcome, Error> {
    let flags = session.read_register(regs::ERROR_FLAGS).map_err(model_error)?;
    if flags & regs::ERROR_BARRIER_INCOMPLETE != 0 {
        return Ok(Outcome::Wrong(
            "a barrier was left incomplete: not all work-items of a work-group reached it".into(),
        ));
    }
    if flags != 0 {
        return Ok(Outcome::Wrong(format!("it reports error flags {flags:#x}")));
    }
    let cycles = counter(session, regs::COUNTER_CYCLES)?;
    let work_items = counter(session, regs::COUNTER_WORK_ITEMS)?;
    let mut hardware = HardwareStats { cycles, ..HardwareStats::default() };
    let after = session.model().port_stats();
    for ((port, after), before) in kernel.memory_ports.iter().zip(&after).zip(before) {
        if after.writes_outstanding > 0 {
            return Ok(Outcome::Wrong(format!(
                "it said done before the memory had answered {} writes on port {}",
                after.writes_outstanding, port.name
            )));
        }
        let beat = u64::from(port.data_bits / 8);
        let (reads, writes) =
            (after.read_beats - before.read_beats, after.write_beats - before.write_beats);
        hardware.read_beats += reads;
        hardware.write_beats += writes;
        hardware.read_bytes += reads * beat;
        hardware.write_bytes += writes * beat;
        hardware.read_bursts += after.read_bursts - before.read_bursts;
        hardware.write_bursts += after.write_bursts - before.write_bursts;
    }
    Ok(Outcome::Done(LaunchStats {
        work_items,
        hardware: Some(hardware),
        ..LaunchStats::default()
    }))
}

pub(crate) fn channels(
    session: &mut Session<'_>,
    kernel: &Kernel,
) -> Result<Vec<ChannelState>, Error> {
    (0..kernel.channels.len())
        .map(|index| {
            let [valid, ready, space, waiting] = session.channel(index).map_err(model_error)?;
            Ok(ChannelState { valid, ready, space, waiting })
        })
        .collect()
}

/// The message of a launch that did not end well.
pub(crate) fn explain(
    outcome: &Outcome,
    context: &Context<'_, '_>,
    model: &verilator_sys::Model,
    limits: Limits,
) -> Error {
    match outcome {
        Outcome::Fault => match model.faults().first() {
            Some(fault) => context.fault(fault),
            None => context.hardware("a fault was recorded, but not which"),
        },
        Outcome::Limit => context.hardware(format!(
            "not done after {} cycles, the limit of this simulation",
            limits.max_cycles
        )),
        Outcome::Stuck(channels) => context.stuck(model, channels),
        Outcome::Polls => context.polls(model, limits.most_polls),
        Outcome::Wrong(text) => context.hardware(text),
        Outcome::Done(_) => context.hardware("done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::{Access, Arg, ArgKind, KernelSignature};

    /// `kernel void k(struct { char b[5]; } s, local int *l, char c)`
    fn kernel() -> Kernel {
        let arg = |index, name: &str, kind, size| Arg {
            index,
            name: name.into(),
            type_name: name.into(),
            kind,
            element: None,
            size,
            align: 1,
            offset: None,
            access: Access::None,
            port: None,
            restrict: false,
            local_capacity: Some(4),
            packet_size: None,
            format: None,
            stream: None,
            channel: false,
        };
        let args = vec![
            arg(0, "s", ArgKind::Scalar, 5),
            arg(1, "l", ArgKind::LocalPtr, 0),
            arg(2, "c", ArgKind::Scalar, 1),
        ];
        let mut kernel = Kernel {
            signature: KernelSignature {
                name: "k".into(),
                address_bits: 64,
                args,
                reqd_work_group_size: None,
                max_work_group_size: 1,
                sub_groups: None,
                work_group_size_hint: None,
                non_uniform: false,
                simd: 1,
                simd_group_rows: false,
                compute_units: 1,
                enqueued: false,
                enqueues: vec![],
            },
            top: "k".into(),
            board: "unit".into(),
            clock_mhz: 1.0,
            hidden: Vec::new(),
            memory_ports: Vec::new(),
            sites: Vec::new(),
            channels: Vec::new(),
            loops: Vec::new(),
            divisions: Vec::new(),
            notes: Vec::new(),
        };
        kernel.lay_out(true).expect("fits");
        kernel
    }

    /// The words in order, by the rules of docs/abi.md: value, reserved, value, reserved...
    #[test]
    fn the_register_block_has_every_word_in_its_place() {
        let kernel = kernel();
        let mut block = RegisterBlock::new(&kernel);
        block.put(0x10, &[1, 2, 3, 4, 5]);
        block.put(0x1c, &[0xfe]);
        let range = ResolvedRange {
            work_dim: 3,
            global: [10, 20, 30],
            local: [4, 5, 6],
            num_groups: [3, 4, 5],
            offset: [7, 8, u32::MAX],
        };
        block.put_hidden(&kernel, &range, 0x1122_3344_5566_7788);
        let mut expected = vec![0x0403_0201, 0x05, RESERVED, 0xfe, RESERVED];
        for value in [3, 10, 20, 30, 4, 5, 6, 3, 4, 5, 7, 8, u32::MAX] {
            expected.extend([value, RESERVED]);
        }
        expected.extend([0x5566_7788, 0x1122_3344, RESERVED]);
        assert_eq!(block.words, expected);
    }
}
