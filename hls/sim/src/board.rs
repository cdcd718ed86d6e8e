//! Simulated hardware at the level of registers and memory, as a driver of a card sees it.

use crate::SimOptions;
use crate::device::{Simulator, model_error};
use crate::launch::{Limits, Outcome, Silence, channels, explain};
use crate::report::Context;
use crate::together::{Joint, LOOK, Polls, hung, joints};
use crate::waits::{DONE, Peer};
use abi::{HiddenArg, Kernel, Manifest, enqueue, regs};
use host::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::path::Path;
use verilator_sys::{Model, RunEnd};

/// Cycles that pass, at most, in one read of the control register while a kernel runs. More than [`WATCHDOG`], so that
/// a kernel that hangs is noticed in one of them.
const POLL_CYCLES: u64 = 50_000;
/// Cycles without movement on a kernel's ports after which its inside is looked at.
const WATCHDOG: u64 = 20_000;
/// IER and ISR bit of done.
const INTERRUPT_DONE: u32 = 1;

/// Simulated hardware whose registers and memory a host program drives itself.
///
/// Time passes for a kernel while its registers are accessed; a read of the control register of a kernel that runs
/// waits for its interrupt for up to 50,000 cycles. The board enables that interrupt and acknowledges it, as the driver of
/// a card does, unless the host does so itself. Time passes for the kernels together that pipes connect, whichever of them is asked.
pub struct Board {
    device: Simulator,
    running: BTreeMap<usize, Running>,
    joints: Vec<Joint>,
}

/// The instance of a kernel, and what its host has told it.
struct Running {
    model: Model,
    /// Registers as written last, by offset: buffers in messages are found by the addresses in them.
    written: BTreeMap<u32, u32>,
    /// Cycle of the start that has not been seen to end.
    started: Option<u64>,
    /// The host has written an interrupt register itself.
    own_interrupts: bool,
    /// What is known of operations on pipes that are refused: alone, and of the kernels connected with it.
    silence: Silence,
    polls: Polls,
}

impl Board {
    /// Opens the output directory of a build.
    ///
    /// # Errors
    /// As [`Simulator::open`].
    pub fn open(dir: &Path, options: SimOptions) -> Result<Self, Error> {
        let mut device = Simulator::open(dir, options)?;
        if device.manifest().program_memory.is_some() {
            // a host at this level makes and fills the memory of program-scope variables itself
            device.memory.free_at(device.program_base)?;
        }
        let kernels: Vec<&Kernel> = device.manifest().kernels.iter().collect();
        let joints = joints(&device.manifest().links, &kernels);
        Ok(Self { device, running: BTreeMap::new(), joints })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        self.device.manifest()
    }

    /// Whether the first access to a kernel's registers will have to load, and perhaps build, its model.
    pub fn is_loaded(&self, kernel: usize) -> bool {
        self.running.contains_key(&kernel)
    }

    /// Allocates `size` bytes of device memory; their address.
    ///
    /// # Errors
    /// [`ErrorKind::BufferSize`] for size 0, [`ErrorKind::OutOfMemory`].
    pub fn allocate(&mut self, size: u64) -> Result<u64, Error> {
        self.device.memory.allocate(size)
    }

    /// Makes `size` bytes of device memory at an address, a multiple of 4096, that the caller has chosen.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if the address is not possible or memory is there already.
    pub fn allocate_at(&mut self, address: u64, size: u64) -> Result<(), Error> {
        self.device.memory.allocate_at(address, size)
    }

    /// Frees what was allocated at this address.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if nothing was.
    pub fn free(&mut self, address: u64) -> Result<(), Error> {
        self.device.memory.free_at(address)
    }

    /// Copies `data` to device memory.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if the bytes are not all in one allocation.
    pub fn write(&mut self, address: u64, data: &[u8]) -> Result<(), Error> {
        self.device.memory.range_mut(address, data.len() as u64)?.copy_from_slice(data);
        Ok(())
    }

    /// The bytes in device memory from `address` on.
    ///
    /// # Errors
    /// [`ErrorKind::Buffer`] if they are not all in one allocation.
    pub fn read(&mut self, address: u64, size: u64) -> Result<&[u8], Error> {
        self.device.memory.range_mut(address, size).map(|bytes| &*bytes)
    }

    /// Writes a register of a kernel, named by its number in the manifest.
    ///
    /// # Errors
    /// [`ErrorKind::KernelName`] if there is no such kernel; errors of building its model; [`ErrorKind::Device`] if the
    /// hardware does not answer; [`ErrorKind::Unsupported`] at the start of a kernel that enqueues others, if the host has not made
    /// their queue ready.
    pub fn write_register(&mut self, kernel: usize, offset: u32, value: u32) -> Result<(), Error> {
        let starts = offset == regs::CTRL && value & regs::CTRL_START != 0;
        let mut running = self.take(kernel)?;
        if starts && let Err(error) = self.check_queue(kernel, &running.written) {
            self.running.insert(kernel, running);
            return Err(error);
        }
        let mut session =
            running.model.session(self.device.memory.regions_mut()).map_err(model_error)?;
        let mut write = |offset, value| session.write_register(offset, value).map_err(model_error);
        match offset {
            regs::GIE | regs::IER | regs::ISR => running.own_interrupts = true,
            regs::CTRL if starts => {
                if !running.own_interrupts {
                    write(regs::GIE, 1)?;
                    write(regs::IER, INTERRUPT_DONE)?;
                }
            }
            _ => {
                running.written.insert(offset, value);
            }
        }
        write(offset, value)?;
        drop(session);
        if starts {
            running.started.get_or_insert(running.model.cycles());
        }
        self.running.insert(kernel, running);
        Ok(())
    }

    /// Reads a register of a kernel, named by its number in the manifest.
    ///
    /// # Errors
    /// As [`Board::write_register`]; [`ErrorKind::Execution`] if the kernel has accessed memory that is not there, broken
    /// a rule of the bus, or hangs. After an error the kernel starts anew, in reset.
    pub fn read_register(&mut self, kernel: usize, offset: u32) -> Result<u32, Error> {
        let mut running = self.take(kernel)?;
        if offset == regs::CTRL
            && let Some(since) = running.started
        {
            if self.joints.iter().any(|j| j.is_at(kernel)) {
                running = self.wait_connected(kernel, running, since)?;
            } else if let Some(outcome) = self.wait(kernel, &mut running, since)? {
                return Err(self.explain(kernel, &running, &outcome));
            }
        }
        let mut session =
            running.model.session(self.device.memory.regions_mut()).map_err(model_error)?;
        let value = session.read_register(offset).map_err(model_error)?;
        drop(session);
        if offset == regs::CTRL && value & regs::CTRL_DONE != 0 {
            running.started = None;
        }
        self.running.insert(kernel, running);
        Ok(value)
    }

    /// Refuses to start a kernel that enqueues others for a host that knows nothing of that, and would leave them unlaunched without a
    /// word: such a host has not said how many events there are to take.
    fn check_queue(&mut self, kernel: usize, written: &BTreeMap<u32, u32>) -> Result<(), Error> {
        let manifest = self.device.manifest();
        let queue = manifest.program_memory.as_ref().and_then(|program| program.enqueue.as_ref());
        let kernel = manifest.kernels.get(kernel).filter(|k| !k.signature.enqueues.is_empty());
        let (Some(queue), Some(kernel)) = (queue, kernel) else { return Ok(()) };
        let base = kernel.hidden.iter().find(|slot| slot.name == HiddenArg::ProgramBase);
        let Some(at) = base.map(|slot| slot.offset) else { return Ok(()) };
        let word = |offset| u64::from(written.get(&offset).copied().unwrap_or(0));
        let base = word(at) | word(at + 4) << 32;
        let name = kernel.signature.name.clone();
        let free = base.checked_add(queue.offset + u64::from(enqueue::header::FREE));
        let events = free.and_then(|at| self.device.memory.range_mut(at, 4).ok());
        let events = events.and_then(|bytes| bytes.first_chunk().copied()).map(u32::from_le_bytes);
        // new memory has a pattern in it
        if events.is_some_and(|events| (1..=enqueue::EVENTS).contains(&events)) {
            return Ok(());
        }
        let why = format!(
            "kernel `{name}` enqueues others, and the host program has not made their queue ready, so that it will not launch them: \
             the programs that `clhls build` writes, `clhls run` and the OpenCL library do that (docs/device-enqueue.md)"
        );
        Err(Error::new(ErrorKind::Unsupported, why))
    }

    /// The kernel's instance, out of the table: an error on the way leaves it out, because its state is unknown then.
    fn take(&mut self, kernel: usize) -> Result<Running, Error> {
        if let Some(running) = self.running.remove(&kernel) {
            return Ok(running);
        }
        let name = self.kernel(kernel)?.signature.name.clone();
        let mut model = self.device.take_model(&name)?;
        self.joints.iter().for_each(|joint| joint.open(kernel, &mut model));
        let (written, silence, polls) = Default::default();
        Ok(Running { model, written, started: None, own_interrupts: false, silence, polls })
    }

    fn kernel(&self, kernel: usize) -> Result<&Kernel, Error> {
        let kernels = &self.manifest().kernels;
        kernels.get(kernel).ok_or_else(|| {
            let what = format!("there is no kernel {kernel}: the design has {}", kernels.len());
            Error::new(ErrorKind::KernelName, what)
        })
    }

    /// Lets time pass for a kernel that runs; what went wrong, if anything.
    fn wait(
        &mut self,
        kernel: usize,
        running: &mut Running,
        since: u64,
    ) -> Result<Option<Outcome>, Error> {
        let data = self.device.manifest().kernels[kernel].clone();
        let limits = self.limits();
        let mut session =
            running.model.session(self.device.memory.regions_mut()).map_err(model_error)?;
        let end = session.run(POLL_CYCLES, WATCHDOG, limits.polls()).map_err(model_error)?;
        if !session.model().faults().is_empty() {
            return Ok(Some(Outcome::Fault));
        }
        match end {
            RunEnd::Fault => return Ok(Some(Outcome::Fault)),
            RunEnd::Stuck => return channels(&mut session, &data).map(|c| Some(Outcome::Stuck(c))),
            RunEnd::Polls if running.silence.lasts(std::slice::from_mut(&mut session))? => {
                return Ok(Some(Outcome::Polls));
            }
            RunEnd::Limit | RunEnd::Polls
                if session.model().cycles() - since > limits.max_cycles =>
            {
                return Ok(Some(Outcome::Limit));
            }
            RunEnd::Limit | RunEnd::Polls => {}
            RunEnd::Interrupt if running.own_interrupts => {}
            RunEnd::Interrupt => {
                let status = session.read_register(regs::ISR).map_err(model_error)?;
                session.write_register(regs::ISR, status).map_err(model_error)?;
            }
        }
        Ok(None)
    }

    /// The kernels that pipes connect with one, itself among them.
    fn connected(&self, kernel: usize) -> Vec<usize> {
        let mut all = vec![kernel];
        let mut next = 0;
        while let Some(&k) = all.get(next) {
            for joint in self.joints.iter().filter(|j| j.is_at(k)) {
                for end in [joint.writer.0, joint.reader.0] {
                    if !all.contains(&end) {
                        all.push(end);
                    }
                }
            }
            next += 1;
        }
        all
    }

    /// Lets time pass for a kernel that runs and those that pipes connect with it.
    fn wait_connected(
        &mut self,
        kernel: usize,
        running: Running,
        since: u64,
    ) -> Result<Running, Error> {
        let numbers = self.connected(kernel);
        let mut group = vec![running];
        for &k in &numbers[1..] {
            group.push(self.take(k)?);
        }
        let wrong = match self.run_connected(&numbers, &mut group)? {
            Some(wrong) => Some(wrong),
            None if group[0].model.cycles() - since > self.device.options.max_cycles => {
                Some((0, Outcome::Limit))
            }
            None => None,
        };
        if let Some((k, outcome)) = wrong {
            // All of them start anew, and without packets between them.
            let here = |j: &&mut Joint| numbers.contains(&j.writer.0);
            self.joints.iter_mut().filter(here).for_each(Joint::clear);
            return Err(self.explain_connected(k, &numbers, &group, &outcome));
        }
        let mut group = numbers.into_iter().zip(group);
        let asked = group.next().map(|(_, running)| running);
        self.running.extend(group);
        asked.ok_or_else(|| Error::new(ErrorKind::Device, "no kernel was asked".to_owned()))
    }

    /// Runs kernels until the first of them raises its interrupt or a while has passed; which of them went wrong, if any.
    fn run_connected(
        &mut self,
        numbers: &[usize],
        group: &mut [Running],
    ) -> Result<Option<(usize, Outcome)>, Error> {
        // While one has not been started, the others may wait for it.
        let complete = group.iter().all(|r| r.started.is_some());
        let own_interrupts = group[0].own_interrupts;
        let asked = self.device.manifest().kernels[numbers[0]].clone();
        let limits = self.limits();
        let mut polls = std::mem::take(&mut group[0].polls);
        let regions = self.device.memory.regions_mut();
        let models = group.iter_mut().map(|r| &mut r.model).collect();
        let mut sessions = Model::all_sessions(models, regions).map_err(model_error)?;
        let place = |k: usize| numbers.iter().position(|n| *n == k).unwrap_or(0);
        for cycle in 1..=POLL_CYCLES {
            let mut interrupt = false;
            for (k, session) in sessions.iter_mut().enumerate() {
                match session.step().map_err(model_error)? {
                    RunEnd::Fault => return Ok(Some((k, Outcome::Fault))),
                    RunEnd::Interrupt => interrupt |= k == 0,
                    RunEnd::Limit | RunEnd::Stuck | RunEnd::Polls => {}
                }
            }
            let here = self.joints.iter_mut().filter(|j| numbers.contains(&j.writer.0));
            here.for_each(|joint| joint.pass(&mut sessions, place));
            if interrupt {
                if !own_interrupts {
                    let session = &mut sessions[0];
                    let status = session.read_register(regs::ISR).map_err(model_error)?;
                    session.write_register(regs::ISR, status).map_err(model_error)?;
                }
                return Ok(None);
            }
            let looks = complete && cycle % LOOK == 0;
            if looks && polls.all_hang(&mut sessions, &|_| true, limits)? {
                return hung(&mut sessions[0], &asked).map(|outcome| Some((0, outcome)));
            }
        }
        drop(sessions);
        group[0].polls = polls;
        Ok(None)
    }

    fn limits(&self) -> Limits {
        let SimOptions { max_cycles, most_polls, .. } = self.device.options;
        Limits { max_cycles, watchdog: WATCHDOG, most_polls }
    }

    fn explain(&self, kernel: usize, running: &Running, outcome: &Outcome) -> Error {
        self.explain_with(kernel, running, outcome, &|_| None)
    }

    /// The same for number `k` of a group of kernels that pipes connect.
    fn explain_connected(
        &self,
        k: usize,
        numbers: &[usize],
        group: &[Running],
        outcome: &Outcome,
    ) -> Error {
        let peer = |index| {
            let (other, index) = self.joints.iter().find_map(|j| j.other_end(numbers[k], index))?;
            let running = &group[numbers.iter().position(|n| *n == other)?];
            let kernel = self.manifest().kernels.get(other)?;
            Some(Peer {
                kernel,
                model: &running.model,
                index,
                idle: running.started.is_none().then_some(DONE),
            })
        };
        self.explain_with(numbers[k], &group[k], outcome, &peer)
    }

    fn explain_with<'p>(
        &self,
        kernel: usize,
        running: &Running,
        outcome: &Outcome,
        peers: &dyn Fn(usize) -> Option<Peer<'p>>,
    ) -> Error {
        let kernel = &self.manifest().kernels[kernel];
        let word = |offset| u64::from(running.written.get(&offset).copied().unwrap_or(0));
        let pointers = kernel.signature.args.iter().filter(|arg| arg.kind.has_memory());
        let arguments: Vec<(u64, String)> = pointers
            .filter_map(|arg| {
                let offset = arg.offset?;
                Some((word(offset) | word(offset + 4) << 32, arg.name.clone()))
            })
            .collect();
        let regions = self.device.memory.regions();
        let context =
            Context { kernel, regions, arguments: &arguments, args: &[], in_memory: &[], peers };
        explain(outcome, &context, &running.model, self.limits())
    }
}
