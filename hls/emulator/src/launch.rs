//! Runs a kernel over an index space: work-groups over threads.

use crate::company::{Company, Watcher};
use crate::context::{self, Context};
use crate::float_mode::FloatMode;
use crate::memory::Block;
use crate::program::{Compiled, Program};
use abi::SubGroups;
use abi::pipe::place;
use base::{Diagnostic, Diagnostics, Result};
use host::ResolvedRange;
use interp::Argument;
use ir::{KernelArg, KernelArgKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Most bytes behind one local argument.
const MAX_LOCAL_BYTES: u64 = 1 << 28;
/// A launch that is over sooner stays on the calling thread.
const ALONE: Duration = Duration::from_micros(50);
/// Most work-groups that a thread takes at a time.
const MAX_CHUNK: u64 = 64;

/// What a launch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Work-items that ran.
    pub work_items: u64,
}

impl Program {
    /// Runs a kernel to its end, on up to `threads` threads, the calling one among them.
    ///
    /// `range` is what [`host::NdRange::resolve`] gives. Pointers in `args` are addresses of this process.
    /// Groups run in any order, the work-items of a group between two barriers one after the other.
    ///
    /// # Errors
    /// `E0504` when there is no memory for the work-groups, `E0505` for arguments that do not fit the kernel, `E0506` when a
    /// place is reached that the source declares unreachable, `E0510` when not all work-items of a group
    /// reach a barrier. Memory then holds what was written so far.
    ///
    /// # Safety
    /// The kernel reads and writes the process's memory unchecked. For as long as it runs, every access that it makes
    /// through its arguments must stay inside memory that is the caller's to give, as OpenCL C demands of it:
    /// inside buffers and objects, and free of data races with other threads. Endless loops do not end. To
    /// find out whether a kernel keeps to this, run it in the interpreter.
    pub unsafe fn launch(
        &self,
        kernel: &str,
        range: &ResolvedRange,
        args: &[Argument],
        threads: usize,
    ) -> Result<Stats> {
        let alone = Company::new(1, 0, vec![]);
        // SAFETY: by the caller.
        unsafe { self.launch_beside((kernel, range, args), threads, (&alone, 0)) }
    }

    /// The same as launch `number` of several that run at the same time and may wait for one another at pipes. Whatever comes of it, the
    /// company knows that it has ended.
    ///
    /// # Errors
    /// As [`Program::launch`], and `E0513` when all of them hang at pipes, if the company has a limit. Where something goes wrong in one of
    /// them others may end with an error too: the company knows the first.
    ///
    /// # Safety
    /// As [`Program::launch`]; the objects of all pipes are there until all launches have ended.
    pub(crate) unsafe fn launch_beside(
        &self,
        (kernel, range, args): (&str, &ResolvedRange, &[Argument]),
        threads: usize,
        (company, number): (&Company, usize),
    ) -> Result<Stats> {
        let stats = self.prepare((kernel, range, args), threads, (company, number));
        company.end(number, stats.is_ok());
        stats
    }

    fn prepare(
        &self,
        (kernel, range, args): (&str, &ResolvedRange, &[Argument]),
        threads: usize,
        (company, number): (&Company, usize),
    ) -> Result<Stats> {
        let kernel = self.kernels.iter().find(|k| k.name == kernel).ok_or_else(|| {
            let names: Vec<&str> = self.kernel_names().collect();
            bad(format!("no kernel `{kernel}`; there are: {}", names.join(", ")))
        })?;
        check_range(kernel, range, self.non_uniform)?;
        check_args(kernel, args)?;
        let items = range.global.iter().map(|n| u64::from(*n)).product();
        let variants = self.variants.as_ref();
        let variant =
            variants.and_then(|v| v.of(self, &kernel.name, &kernel.info.args, args, items));
        let kernel = variant.as_deref().and_then(|v| v.kernels.first()).unwrap_or(kernel);
        company.add_pipes(&kernel.info.args, args);
        let run = Run {
            kernel,
            range,
            args,
            next: AtomicU64::new(0),
            total: range.num_groups.iter().map(|n| u64::from(*n)).product(),
            chunk: 1,
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            company,
            number,
        };
        run.all(threads)
    }
}

fn bad(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0505", what)
}

fn check_range(kernel: &Compiled, range: &ResolvedRange, non_uniform: bool) -> Result<()> {
    let dims = (0..3).all(|d| {
        let (global, local) = (range.global[d], range.local[d]);
        let fits = global > 0 && local > 0 && range.num_groups[d] == global.div_ceil(local);
        fits && (non_uniform || global.is_multiple_of(local))
    });
    let groups = range.num_groups.iter().try_fold(1u64, |n, g| n.checked_mul((*g).into()));
    if !dims || groups.is_none() || !(1..=3).contains(&range.work_dim) {
        return Err(bad(format!("a launch of `{}` over {range:?}", kernel.name)).into());
    }
    if let Some(required) = kernel.info.reqd_work_group_size.filter(|r| *r != range.local) {
        let (name, local) = (&kernel.name, range.local);
        let what = format!("kernel `{name}` requires the local size {required:?}, not {local:?}");
        return Err(bad(what).into());
    }
    let required = kernel.info.sub_groups.map(|s| SubGroups { count: s.count, size: s.size });
    if let Some(required) = required
        && let Some(items) = required.misfit(range.global, range.local)
    {
        let (name, local) = (&kernel.name, range.local);
        let what = format!(
            "kernel `{name}` requires work-groups of {required}: local size {local:?} gives one of {items} work-items"
        );
        return Err(bad(what).into());
    }
    Ok(())
}

fn check_args(kernel: &Compiled, args: &[Argument]) -> Result<()> {
    let wanted = &kernel.info.args;
    if wanted.len() != args.len() {
        let (n, m) = (wanted.len(), args.len());
        return Err(bad(format!("kernel `{}` has {n} arguments, {m} given", kernel.name)).into());
    }
    let fits = |info: &KernelArg, arg: &Argument| match (info.kind, arg) {
        (KernelArgKind::Pointer(_), Argument::Pointer(_)) => true,
        (KernelArgKind::LocalPointer, Argument::Local(size)) => {
            (1..=MAX_LOCAL_BYTES).contains(size)
        }
        (kind, Argument::Value(bytes)) => kind.by_value() && bytes.len() == info.size as usize,
        _ => false,
    };
    for (k, (info, arg)) in wanted.iter().zip(args).enumerate() {
        if !fits(info, arg) {
            let given = match arg {
                Argument::Pointer(_) => "a pointer".to_owned(),
                Argument::Local(size) => format!("{size} bytes of local memory"),
                Argument::Value(bytes) => format!("{} bytes by value", bytes.len()),
            };
            let (name, ty) = (&info.name, &info.type_name);
            let what = format!("argument {k} `{name}` ({ty}) of kernel `{}`", kernel.name);
            return Err(bad(format!("{what} does not take {given}")).into());
        }
    }
    Ok(())
}

/// A launch under way.
struct Run<'a> {
    kernel: &'a Compiled,
    range: &'a ResolvedRange,
    args: &'a [Argument],
    /// The first work-group that nobody has taken.
    next: AtomicU64,
    total: u64,
    chunk: u64,
    stop: AtomicBool,
    fault: Mutex<Option<Diagnostics>>,
    /// The launches that it is one of, and which.
    company: &'a Company,
    number: usize,
}

impl Run<'_> {
    /// The error of a work-item that only repeats what the pipe of an argument refuses.
    fn endless(&self, arg: u32) -> Diagnostic {
        let Some(info) = self.kernel.info.args.get(arg as usize) else {
            return Diagnostic::error("E0513", "an operation on a pipe is refused for ever");
        };
        let pipe = interp::polls::descriptor(self.args, arg);
        let state = pipe.map(|pipe| {
            let word = |side: u32| {
                let place = (pipe.address + u64::from(side + place::DONE)) as *const AtomicU32;
                // SAFETY: the kernel has just used the object, which is the launch's; its words are aligned and
                // accessed by atomic operations only.
                unsafe { (*place).load(Ordering::Relaxed) }
            };
            let held = word(place::WRITERS).wrapping_sub(word(place::READERS));
            let depth = match info.kind {
                KernelArgKind::Pipe(access) => access.most(),
                _ => None,
            };
            (held, interp::polls::told(held, pipe.max_packets, depth))
        });
        let name = &self.kernel.name;
        let e = interp::polls::endless(name, info, state, self.company.most_polls());
        self.company.notes(self.number, arg).fold(e, |e, text| e.note(text))
    }

    fn all(mut self, threads: usize) -> Result<Stats> {
        let threads = threads.clamp(1, usize::try_from(self.total).unwrap_or(usize::MAX));
        self.chunk = (self.total / (8 * threads as u64)).clamp(1, MAX_CHUNK);
        let mut worker = Worker::new(&self)?;
        let alone = (threads > 1).then_some(ALONE);
        self.work(&mut worker, alone);
        if self.next.load(Ordering::Relaxed) < self.total && !self.stop.load(Ordering::Relaxed) {
            let mut others = vec![];
            for _ in 1..threads {
                others.push(Worker::new(&self)?);
            }
            std::thread::scope(|scope| {
                for mut other in others {
                    let run = &self;
                    scope.spawn(move || run.work(&mut other, None));
                }
                self.work(&mut worker, None);
            });
        }
        match self.fault.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(fault) => Err(fault),
            None => {
                let work_items = self.range.global.iter().map(|n| u64::from(*n)).product();
                Ok(Stats { work_items })
            }
        }
    }

    /// Runs work-groups until none is left, something goes wrong or the time is over.
    fn work(&self, worker: &mut Worker, limit: Option<Duration>) {
        // kernels round as usual, whatever the host program does
        let _mode = FloatMode::usual();
        let mut watcher = Watcher::new(self.company, self.number);
        worker.context.watcher = (&raw mut watcher).cast();
        let start = Instant::now();
        let chunk = if limit.is_some() { 1 } else { self.chunk };
        while !self.stop.load(Ordering::Relaxed) {
            let first = self.next.fetch_add(chunk, Ordering::Relaxed);
            if first >= self.total {
                break;
            }
            for n in first..self.total.min(first + chunk) {
                let counts = self.range.num_groups.map(u64::from);
                let id = [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
                if let Err(fault) = worker.group(self, id) {
                    self.stop.store(true, Ordering::Relaxed);
                    let mut first = self.fault.lock().unwrap_or_else(|e| e.into_inner());
                    first.get_or_insert(fault.into());
                    return;
                }
            }
            if limit.is_some_and(|limit| start.elapsed() > limit) {
                break;
            }
        }
    }
}

/// What one thread needs to run work-groups.
struct Worker {
    context: Context,
    local_bytes: usize,
    /// Memory that the context points to.
    _blocks: [Block; 4],
}

// SAFETY: the pointers are into blocks that the worker owns.
unsafe impl Send for Worker {}

impl Worker {
    fn new(run: &Run<'_>) -> Result<Worker> {
        let unit = &run.kernel.unit;
        let items: u64 = run.range.local.iter().map(|n| u64::from(*n)).product();
        let kept = if run.kernel.has_barriers() { items } else { 1 };
        let mut local_size = unit.local_size;
        let mut locals = vec![];
        for (arg, info) in run.args.iter().zip(&run.kernel.info.args) {
            if let Argument::Local(size) = arg {
                local_size = local_size.next_multiple_of(u64::from(info.align).max(128));
                locals.push(local_size);
                local_size += size;
            }
        }
        let no_room = || Diagnostic::error("E0504", "no memory for the work-groups of the launch");
        let block = |size: Option<u64>, align| {
            size.and_then(|size| Block::new(size, align)).ok_or_else(no_room)
        };
        let mut arguments = block(Some(unit.args.size.into()), 16)?;
        let local = block(Some(local_size), unit.align)?;
        let private = block(unit.private_size.checked_mul(kept), unit.align)?;
        let spill = block(unit.spill_size.checked_mul(kept), 128)?;
        let mut locals = locals.into_iter();
        for (arg, &at) in run.args.iter().zip(&unit.args.offsets) {
            let pointer;
            let bytes: &[u8] = match arg {
                Argument::Pointer(address) => {
                    pointer = address.to_le_bytes();
                    &pointer
                }
                Argument::Local(_) => {
                    let offset = locals.next().unwrap_or(0);
                    pointer = (local.address() as u64 + offset).to_le_bytes();
                    &pointer
                }
                Argument::Value(bytes) => bytes,
            };
            arguments.bytes_mut()[at as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        let wide = |sizes: [u32; 3]| sizes.map(u64::from);
        let context = Context {
            args: arguments.address(),
            local: local.address(),
            private: private.address(),
            spill: spill.address(),
            private_stride: unit.private_size,
            ended: context::NONE,
            other: 0,
            polls: run.company.most_polls(),
            most_polls: run.company.most_polls(),
            watcher: std::ptr::null_mut(),
            item: [0; 3],
            work_dim: run.range.work_dim.into(),
            global: wide(run.range.global),
            offset: wide(run.range.offset),
            enqueued: wide(run.range.local),
            num_groups: wide(run.range.num_groups),
            group: [0; 3],
            size: wide(run.range.local),
            first: [0; 3],
        };
        let blocks = [arguments, local, private, spill];
        Ok(Worker { context, local_bytes: local_size as usize, _blocks: blocks })
    }

    /// Runs one work-group, phase after phase.
    fn group(&mut self, run: &Run<'_>, id: [u64; 3]) -> std::result::Result<(), Diagnostic> {
        let c = &mut self.context;
        c.group = id;
        for (d, id) in id.into_iter().enumerate() {
            let start = id * c.enqueued[d];
            c.size[d] = c.enqueued[d].min(c.global[d] - start);
            c.first[d] = start + c.offset[d];
        }
        // SAFETY: the worker's own block, of this size; no code runs on it.
        unsafe { c.local.write_bytes(0, self.local_bytes) };
        let mut phase = 0;
        loop {
            c.ended = context::NONE;
            c.polls = c.most_polls;
            // SAFETY: the code was made for this context, whose pointers lead to blocks as large as the kernel's
            // layout says; what it does with its arguments the launch's caller answers for.
            let code = unsafe { run.kernel.phases[phase](c) };
            match code {
                context::OK => {}
                code => return Err(self.fault(run, code)),
            }
            match c.ended {
                context::DONE | context::NONE => return Ok(()),
                barrier => phase = barrier as usize,
            }
        }
    }

    /// The message for a phase that returned an error.
    #[cold]
    fn fault(&self, run: &Run<'_>, code: i64) -> Diagnostic {
        let c = &self.context;
        let places = run.kernel.places();
        let dims = c.work_dim as usize;
        let ids = |values: [u64; 3]| {
            let list: Vec<String> = values[..dims].iter().map(u64::to_string).collect();
            list.join(", ")
        };
        let global = ids(std::array::from_fn(|d| c.first[d] + c.item[d]));
        let group = ids(c.group);
        let who = format!("work-item with global id ({global}) in work-group ({group})");
        if code == context::UNREACHABLE {
            let what = "the kernel reached a place that its source declares unreachable";
            let place = places.unreachable.get(c.other as usize).copied().unwrap_or_default();
            return Diagnostic::error("E0506", what).at(place).note(who);
        }
        if code == context::POLLS {
            let (arg, place) = places.polls.get(c.other as usize).copied().unwrap_or_default();
            return run.endless(arg).at(place).note(who);
        }
        let place = |how: u64| {
            let number = how.checked_sub(1)? as usize;
            places.barriers.get(number).copied()
        };
        match (place(c.ended), place(c.other)) {
            (Some(here), Some(there)) => {
                let what = "work-items of one work-group wait at different barriers";
                Diagnostic::error("E0510", what)
                    .label(here, "here")
                    .label(there, "and, one of them, here")
                    .note(who)
            }
            (here, there) => {
                let what = "not all work-items of the work-group reach this barrier";
                let e = Diagnostic::error("E0510", what).at(here.or(there).unwrap_or_default());
                e.note(format!("the first to go another way: {who}"))
            }
        }
    }
}
