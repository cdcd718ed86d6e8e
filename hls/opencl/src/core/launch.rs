//! A launch of a kernel: checked when it is enqueued, run when its turn comes.

use super::build::{Executable, KernelFacts};
use super::channels::Channel;
use super::connected;
use super::device::{Device, LOCAL_MEMORY, MAX_WORK_GROUP_SIZE};
use super::kernel::{Argument, Kernel};
use super::memory::Memory;
use super::progress::patiently;
use super::queue::{Order, Queue, Work};
use super::{Status, lock};
use crate::sys::constants::*;
use crate::sys::{HostMemory, UsedMemory, with_regions};
use abi::image::TEXEL_ALIGN;
use abi::{ArgKind, PipeDescriptor};
use host::{Error, LaunchStats, NdRange, Printed, RawArg, ResolvedRange, check_raw_args};
use std::io::Write;
use std::sync::Arc;

/// The index space that a program asks for, dimension 0 first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Work-items; empty: none given.
    pub global: Vec<usize>,
    /// Work-items of a work-group, if given.
    pub local: Option<Vec<usize>>,
    /// First global id, if given.
    pub offset: Option<Vec<usize>>,
}

impl Range {
    /// The index space for a kernel; none if it has no work-items.
    ///
    /// # Errors
    /// `CL_INVALID_WORK_GROUP_SIZE`, `CL_INVALID_WORK_ITEM_SIZE`, `CL_INVALID_GLOBAL_WORK_SIZE`,
    /// `CL_INVALID_GLOBAL_OFFSET`
    pub fn resolve(&self, facts: &KernelFacts) -> Status<Option<ResolvedRange>> {
        let wide = |sizes: &Vec<usize>| sizes.iter().map(|n| *n as u64).collect::<Vec<u64>>();
        if let Some(local) = &self.local {
            if local.contains(&0) {
                return Err(CL_INVALID_WORK_GROUP_SIZE);
            }
            if local.iter().any(|n| *n > MAX_WORK_GROUP_SIZE as usize) {
                return Err(CL_INVALID_WORK_ITEM_SIZE);
            }
        }
        let empty = self.global.is_empty() || self.global.contains(&0);
        let global = if empty { vec![1; self.global.len().max(1)] } else { wide(&self.global) };
        let range = NdRange {
            global,
            local: if empty { None } else { self.local.as_ref().map(wide) },
            offset: self.offset.as_ref().map(wide),
        };
        if empty {
            return Ok(None);
        }
        range.resolve(&facts.signature).map(Some).map_err(|e| e.kind.opencl_code())
    }
}

/// What a launch needs, kept until it has run.
struct Launch {
    executable: Arc<Executable>,
    context: Arc<super::context::Context>,
    kernel: String,
    range: ResolvedRange,
    device: Arc<Device>,
    args: Vec<RawArg>,
    memory: Vec<UsedMemory>,
    /// Keeps the objects, whose destructors tell the program that it may free what they use.
    objects: Vec<Arc<Memory>>,
}

/// Checks a launch and gives what runs it, and its place among the commands of a queue: a kernel that uses a pipe may wait for
/// another one.
///
/// # Errors
/// As `clEnqueueNDRangeKernel`.
pub fn prepare(queue: &Arc<Queue>, kernel: &Kernel, range: &Range) -> Status<(Work, Order)> {
    let found = kernel.on(&queue.device).map_err(|_| CL_INVALID_PROGRAM_EXECUTABLE)?;
    let (executable, facts) = found;
    let args = kernel.args()?;
    let Some(range) = range.resolve(facts)? else {
        return Ok((Box::new(|_| Ok(())), Order::Plain));
    };
    if kernel.local_bytes(facts) > LOCAL_MEMORY {
        return Err(CL_OUT_OF_RESOURCES);
    }
    let mut launch = Launch {
        executable: Arc::clone(executable),
        context: Arc::clone(&queue.context),
        kernel: kernel.name.clone(),
        range,
        device: Arc::clone(&queue.device),
        args: vec![],
        memory: vec![],
        objects: vec![],
    };
    let passed = facts.signature.passed();
    for (info, arg) in passed.iter().zip(args) {
        let raw = launch.argument(&info.name, arg)?;
        launch.args.push(raw);
    }
    for arg in facts.signature.args.iter().skip(passed.len()) {
        launch.add_channel(arg);
    }
    for address in kernel.svm_pointers() {
        launch.add_svm(address, "shared virtual memory");
    }
    check_raw_args(&facts.signature, &launch.args).map_err(|e| match e.kind {
        // sizes were checked when the argument was set; what remains is more than the hardware has
        host::ErrorKind::ArgSize => CL_OUT_OF_RESOURCES,
        kind => kind.opencl_code(),
    })?;
    let uses_pipe = facts.signature.args.iter().any(|arg| arg.kind == ArgKind::Pipe);
    let order = if uses_pipe { Order::Beside } else { Order::Plain };
    Ok((Box::new(move |event| launch.run(event)), order))
}

/// Writes what a launch has printed to the standard output of the process.
fn print(printed: &Printed, context: &super::context::Context) {
    let mut out = std::io::stdout().lock();
    // A program whose output is closed wants no text.
    let _ = out.write_all(&printed.text).and_then(|()| out.flush());
    if let Some(warning) = printed.warning() {
        context.report(&warning);
    }
}

impl Launch {
    fn argument(&mut self, name: &str, arg: Argument) -> Status<RawArg> {
        Ok(match arg {
            Argument::Local(size) => RawArg::Local(size),
            Argument::Value(bytes) => RawArg::Value(bytes),
            Argument::Image(memory) => {
                let memory = memory.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                let image = memory.image.ok_or(CL_INVALID_KERNEL_ARGS)?;
                self.add(format!("argument `{name}`"), Arc::clone(&memory.storage));
                if let Some(used) =
                    self.memory.iter_mut().find(|m| Arc::ptr_eq(&m.memory, &memory.storage))
                {
                    used.unit = TEXEL_ALIGN;
                }
                let descriptor = image.descriptor(memory.address());
                self.objects.push(memory);
                RawArg::Image(descriptor)
            }
            Argument::Pipe(memory) => {
                let memory = memory.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                let pipe = memory.pipe.ok_or(CL_INVALID_KERNEL_ARGS)?;
                self.add(format!("argument `{name}`"), Arc::clone(&memory.storage));
                let address = memory.address();
                self.objects.push(memory);
                RawArg::Pipe(PipeDescriptor { address, ..pipe })
            }
            Argument::Address(address) => {
                self.add_svm(address, &format!("argument `{name}`"));
                RawArg::Pointer(address as u64)
            }
            Argument::Buffer(memory) => {
                let memory = memory.upgrade().ok_or(CL_INVALID_KERNEL_ARGS)?;
                self.add(format!("argument `{name}`"), Arc::clone(&memory.storage));
                let address = memory.address();
                self.objects.push(memory);
                RawArg::Pointer(address)
            }
        })
    }

    /// The value of an argument that stands for a channel.
    fn add_channel(&mut self, arg: &abi::Arg) {
        let found = self.executable.channels.of(&self.kernel, arg.index).cloned();
        let channel = found.unwrap_or_else(|| Channel::fifo(arg));
        if let Some(memory) = channel.memory {
            self.add(format!("channel `{}`", arg.name), memory);
        }
        self.args.push(RawArg::Pipe(channel.pipe));
    }

    fn add_svm(&mut self, address: usize, name: &str) {
        if let Some((memory, _)) = self.context.svm.find(address) {
            self.add(name.to_owned(), memory);
        }
    }

    fn add(&mut self, name: String, memory: Arc<HostMemory>) {
        if !self.memory.iter().any(|m| Arc::ptr_eq(&m.memory, &memory)) {
            self.memory.push(UsedMemory { name, memory, unit: 1 });
        }
    }

    fn run(self, event: &super::event::Event) -> Status {
        let program = &self.executable.program;
        let what = format!("building the simulator of kernel `{}`", self.kernel);
        let result = patiently(&what, || program.prepare(&self.kernel)).and_then(|()| {
            event.restart();
            self.printing(|| match self.executable.gatherings.of(&**program, &self.kernel) {
                Some(gathering) => self.run_beside(&gathering),
                None => self.run_alone(),
            })
        });
        let context = Arc::clone(&self.context);
        // The program may free what its objects use as soon as the command is over.
        drop(self);
        match result {
            Ok(stats) => {
                event.set_enqueued_ns(stats.enqueued_ns);
                if let Some(hardware) = stats.hardware {
                    event.set_hardware(hardware);
                }
                Ok(())
            }
            Err(error) => {
                context.report(&error.message);
                Err(match error.kind.opencl_code() {
                    // those that say that the call was wrong: that was checked before
                    code if code <= CL_INVALID_VALUE => CL_OUT_OF_RESOURCES,
                    code => code,
                })
            }
        }
    }

    fn run_alone(&self) -> Result<LaunchStats, Error> {
        let program = &self.executable.program;
        let default_queue = self.context.default_queue(&self.device);
        let number = default_queue.and_then(|queue| queue.on_device).map_or(0, |q| q.number);
        with_regions(&self.memory, |regions| {
            program.launch(&self.kernel, &self.range, &self.args, regions, number)
        })
    }

    /// Runs beside the launches of kernels that pipes connect with this one.
    fn run_beside(&self, gathering: &connected::Gathering) -> Result<LaunchStats, Error> {
        let program = &*self.executable.program;
        let (kernel, range, args, memory) =
            (&*self.kernel, &self.range, &*self.args, &*self.memory);
        let launch = connected::Launch { program, kernel, range, args, memory };
        gathering.run(&launch, &|why| {
            let help = "launch it from another queue, or from one that is out of order";
            self.context.report(&format!("{why}\n  help: {help}"));
        })
    }

    /// Does `work`, and prints what kernels have printed meanwhile. Where launches of a program overlap, the last one prints: the
    /// others may wait for it at a pipe, and the buffer is all of theirs.
    fn printing<R>(&self, work: impl FnOnce() -> R) -> R {
        let Executable { program, printing, .. } = &*self.executable;
        if !program.prints() {
            return work();
        }
        *lock(printing) += 1;
        let result = work();
        let mut running = lock(printing);
        *running -= 1;
        if *running == 0 {
            print(&program.take_printed(), &self.context);
        }
        result
    }
}
