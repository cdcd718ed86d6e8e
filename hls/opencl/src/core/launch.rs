//! A launch of a kernel: checked when it is enqueued, run when its turn comes.

use super::Status;
use super::build::{Executable, KernelFacts};
use super::device::{Device, LOCAL_MEMORY, MAX_WORK_GROUP_SIZE};
use super::kernel::{Argument, Kernel};
use super::memory::Memory;
use super::progress::patiently;
use super::queue::{Queue, Work};
use crate::sys::constants::*;
use crate::sys::{HostMemory, UsedMemory, with_regions};
use abi::PipeDescriptor;
use abi::image::TEXEL_ALIGN;
use host::{NdRange, Printed, RawArg, ResolvedRange, check_raw_args};
use std::io::Write;
use std::sync::{Arc, Mutex};

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

/// Checks a launch and gives what runs it.
///
/// # Errors
/// As `clEnqueueNDRangeKernel`.
pub fn prepare(queue: &Arc<Queue>, kernel: &Kernel, range: &Range) -> Status<Work> {
    let found = kernel.on(&queue.device).map_err(|_| CL_INVALID_PROGRAM_EXECUTABLE)?;
    let (executable, facts) = found;
    let args = kernel.args()?;
    let Some(range) = range.resolve(facts)? else {
        return Ok(Box::new(|_| Ok(())));
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
    for (info, arg) in facts.signature.args.iter().zip(args) {
        let raw = launch.argument(&info.name, arg)?;
        launch.args.push(raw);
    }
    for address in kernel.svm_pointers() {
        launch.add_svm(address, "shared virtual memory");
    }
    check_raw_args(&facts.signature, &launch.args).map_err(|e| match e.kind {
        // sizes were checked when the argument was set; what remains is more than the hardware has
        host::ErrorKind::ArgSize => CL_OUT_OF_RESOURCES,
        kind => kind.opencl_code(),
    })?;
    Ok(Box::new(move |event| launch.run(event)))
}

/// Held from the start of a launch that prints until its text is out.
static PRINTING: Mutex<()> = Mutex::new(());

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
        let Launch { executable, context, kernel, range, device, args, memory, objects } = self;
        let program = &executable.program;
        let default_queue = context.default_queue(&device).and_then(|queue| queue.on_device);
        let default_queue = default_queue.map_or(0, |queue| queue.number);
        let what = format!("building the simulator of kernel `{kernel}`");
        let result = patiently(&what, || program.prepare(&kernel)).and_then(|()| {
            event.restart();
            let _turn = program.prints().then(|| PRINTING.lock());
            let result =
                with_regions(&memory, |r| program.launch(&kernel, &range, &args, r, default_queue));
            if program.prints() {
                print(&program.take_printed(), &context);
            }
            result
        });
        drop(objects);
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
}
