//! Runs a kernel over an index space: work-groups one after the other, the work-items of a group
//! until each ends or waits at a barrier, then on from there.

use crate::access::Memories;
use crate::machine::{Item, Machine, Position, Stop};
use crate::memory::Memory;
use crate::program::{Kernel, Program};
use crate::watch::Watch;
use crate::{Argument, Launch, Options, Order, Stats};
use abi::SubGroups;
use base::{Diagnostic, Loc, Result};
use ir::{KernelArg, KernelArgKind};

/// Most work-items of a work-group where the kernel does not say.
pub const MAX_WORK_GROUP_SIZE: u32 = 1024;

/// Most bytes that one local object can have.
pub(crate) const MAX_OBJECT_BYTES: u64 = 1 << 28;

/// Up to this many work-groups can be put in random order.
const MAX_SHUFFLED_GROUPS: u64 = 1 << 22;

/// Longest run of instructions of one work-item between two others, with [`Order::Interleaved`].
const MAX_SLICE: u64 = 32;

impl Program {
    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// `E0505` for a launch the kernel does not allow; `E0501` to `E0503` for accesses out of
    /// bounds, misaligned or through null, `E0506` and `E0507` for undefined control flow, `E0510`
    /// when not all work-items of a group reach a barrier, `E0511` when the step limit is reached, `E0512` and `E0513` when it waits at
    /// a pipe or is refused there for ever.
    /// Buffers then hold what was written so far.
    pub fn run(
        &self,
        memory: &mut Memory<'_>,
        launch: &Launch,
        options: &Options,
    ) -> Result<Stats> {
        let kernel = self.kernels.iter().find(|k| k.name == launch.kernel).ok_or_else(|| {
            let names: Vec<&str> = self.kernel_names().collect();
            bad(format!("no kernel `{}`; there are: {}", launch.kernel, names.join(", ")))
        })?;
        let position = self.position(kernel, launch)?;
        check_args(kernel, &launch.args, self.addr_bits)?;
        let (templates, local) = self.instantiate(kernel, &launch.args);
        let machine = Machine {
            functions: &self.functions,
            templates,
            memories: Memories { global: memory, local, addr_bits: self.addr_bits },
            position,
            kernel,
            args: &launch.args,
            watch: Watch::new(&kernel.info.args, &launch.args, options.most_polls),
            pipe_notes: &self.pipe_notes,
        };
        let mut run = Run {
            machine,
            kernel,
            rng: Rng(match options.order {
                Order::Sequential => 0,
                Order::Shuffled { seed } | Order::Interleaved { seed } => seed,
            }),
            order: options.order,
            left: options.step_limit.unwrap_or(u64::MAX),
            items: vec![],
            work_items: 0,
        };
        run.groups()?;
        let steps = options.step_limit.unwrap_or(u64::MAX) - run.left;
        Ok(Stats { work_items: run.work_items, steps })
    }

    /// The index space of a launch, checked.
    fn position(&self, kernel: &Kernel, launch: &Launch) -> Result<Position> {
        let wide = |sizes: [u32; 3]| sizes.map(u64::from);
        let dims = launch.work_dim;
        let unused = |d: usize| d >= dims as usize;
        let fits = (0..3).all(|d| !unused(d) || launch.global[d] == 1 && launch.offset[d] == 0);
        if !(1..=3).contains(&dims) || !fits || launch.global.contains(&0) {
            return Err(bad("a launch has 1 to 3 dimensions of at least 1 work-item; unused ones have size 1, offset 0").into());
        }
        let local = match launch.local {
            Some(local) => self.check_local(kernel, launch.global, local)?,
            None => self.choose_local(kernel, launch.global)?,
        };
        let lanes = kernel.info.simd_lanes.unwrap_or(1);
        if kernel.info.simd_group_rows {
            check_lanes(lanes, launch.global, local, launch.offset)?;
        }
        let num_groups = std::array::from_fn(|d| launch.global[d].div_ceil(local[d]).into());
        Ok(Position {
            work_dim: dims.into(),
            global: wide(launch.global),
            offset: wide(launch.offset),
            enqueued_local: wide(local),
            num_groups,
            group: [0; 3],
            local: wide(local),
            simd_lanes: u64::from(lanes),
        })
    }

    /// The work-group size of a launch that gives none: the required one, else the hint if it is
    /// allowed, else in each dimension, 0 first, the largest divisor of the global size that the
    /// kernel's limit leaves room for.
    fn choose_local(&self, kernel: &Kernel, global: [u32; 3]) -> Result<[u32; 3]> {
        if let Some(required) = kernel.info.reqd_work_group_size {
            return self.check_local(kernel, global, required);
        }
        if let Some(hint) = kernel.info.work_group_size_hint
            && let Ok(local) = self.check_local(kernel, global, hint)
        {
            return Ok(local);
        }
        let mut lanes = kernel.info.simd_lanes.filter(|_| kernel.info.simd_group_rows).unwrap_or(1);
        if let Some(required) = sub_groups(kernel) {
            let most = max_work_group_size(kernel);
            let local = required.local_size(global, most, lanes, self.non_uniform);
            return local.ok_or_else(|| {
                let what = format!(
                    "kernel `{}` requires work-groups of {required}: \
                     global size {global:?} cannot be divided into such work-groups",
                    kernel.name
                );
                bad(what).into()
            });
        }
        let mut room = max_work_group_size(kernel);
        Ok(global.map(|size| {
            let fits = |n: &u32| size.is_multiple_of(*n) && (*n == size || n.is_multiple_of(lanes));
            let local = (1..=size.min(room)).rev().find(fits).unwrap_or(1);
            room /= local;
            lanes = 1;
            local
        }))
    }

    fn check_local(&self, kernel: &Kernel, global: [u32; 3], local: [u32; 3]) -> Result<[u32; 3]> {
        let name = &kernel.name;
        if let Some(required) = kernel.info.reqd_work_group_size.filter(|r| *r != local) {
            let what =
                format!("kernel `{name}` requires the local size {required:?}, not {local:?}");
            return Err(bad(what).into());
        }
        let size: u128 = local.iter().map(|n| u128::from(*n)).product();
        let max = max_work_group_size(kernel);
        if size == 0 || size > max.into() {
            let what = format!(
                "local size {local:?} of kernel `{name}`: 1 to {max} work-items are allowed"
            );
            return Err(bad(what).into());
        }
        if let Some(required) = sub_groups(kernel)
            && let Some(items) = required.misfit(global, local)
        {
            let what = format!(
                "kernel `{name}` requires work-groups of {required}: \
                 local size {local:?} of global size {global:?} gives one of {items} work-items"
            );
            return Err(bad(what).into());
        }
        let divides = (0..3).all(|d| global[d].is_multiple_of(local[d]));
        if !divides && !self.non_uniform {
            let what = format!("local size {local:?} does not divide the global size {global:?}");
            let e = bad(what).help("only modules of OpenCL C 2.0 or later may leave a remainder");
            return Err(e.into());
        }
        Ok(local)
    }
}

/// A token's first work-item must have a global id that is a multiple of the number of lanes.
fn check_lanes(lanes: u32, global: [u32; 3], local: [u32; 3], offset: [u32; 3]) -> Result<()> {
    let one_group = local[0] >= global[0];
    if offset[0].is_multiple_of(lanes) && (one_group || local[0].is_multiple_of(lanes)) {
        return Ok(());
    }
    let what = format!(
        "a kernel built for {lanes} work-items at a time needs a local size and an offset in dimension 0 that are multiples of {lanes}, not {} and {}",
        local[0], offset[0]
    );
    Err(bad(what).into())
}

fn bad(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0505", what)
}

fn max_work_group_size(kernel: &Kernel) -> u32 {
    kernel.info.largest_work_group().unwrap_or(MAX_WORK_GROUP_SIZE)
}

/// How many sub-groups each work-group of a kernel has, if that is given.
fn sub_groups(kernel: &Kernel) -> Option<SubGroups> {
    kernel.info.sub_groups.map(|s| SubGroups { count: s.count, size: s.size })
}

fn check_args(kernel: &Kernel, args: &[Argument], addr_bits: u32) -> Result<()> {
    let wanted = &kernel.info.args;
    if wanted.len() != args.len() {
        let (n, m) = (wanted.len(), args.len());
        return Err(bad(format!("kernel `{}` has {n} arguments, {m} given", kernel.name)).into());
    }
    let fits = |info: &KernelArg, arg: &Argument| match (info.kind, arg) {
        (KernelArgKind::Pointer(_), Argument::Pointer(a)) => addr_bits == 64 || *a >> 32 == 0,
        (KernelArgKind::LocalPointer, Argument::Local(size)) => {
            (1..=MAX_OBJECT_BYTES).contains(size)
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

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k as u64 + 1) as usize);
        }
    }
}

/// A launch under way.
struct Run<'a, 'g> {
    machine: Machine<'a, 'g>,
    kernel: &'a Kernel,
    rng: Rng,
    order: Order,
    /// Steps that may still be taken.
    left: u64,
    /// Work-items of the group; used again for the next one.
    items: Vec<Item>,
    work_items: u64,
}

impl Run<'_, '_> {
    fn groups(&mut self) -> Result<()> {
        let count = self.machine.position.num_groups;
        let total = count.iter().map(|n| u128::from(*n)).product::<u128>();
        if self.order == Order::Sequential || total > MAX_SHUFFLED_GROUPS.into() {
            for z in 0..count[2] {
                for y in 0..count[1] {
                    for x in 0..count[0] {
                        self.group([x, y, z])?;
                    }
                }
            }
            return Ok(());
        }
        let mut order: Vec<u64> = (0..total as u64).collect();
        self.rng.shuffle(&mut order);
        for n in order {
            self.group([n % count[0], n / count[0] % count[1], n / count[0] / count[1]])?;
        }
        Ok(())
    }

    fn group(&mut self, group: [u64; 3]) -> Result<()> {
        let p = &mut self.machine.position;
        p.group = group;
        p.local = std::array::from_fn(|d| {
            p.enqueued_local[d].min(p.global[d] - group[d] * p.enqueued_local[d])
        });
        let size = p.local;
        let lanes = p.simd_lanes;
        // Lanes of a row's first token that are before the row, so that tokens begin at multiples.
        let before = (group[0] * p.enqueued_local[0] + p.offset[0]) % lanes;
        let row = (before + size[0]).div_ceil(lanes);
        let count = (row * size[1] * size[2]) as usize;
        self.machine.memories.local.clear();
        self.work_items += size.iter().product::<u64>();
        let id = |n: usize| {
            let n = n as u64;
            [(n % row * lanes).wrapping_sub(before), n / row % size[1], n / row / size[1]]
        };
        let keep_all = self.kernel.has_barrier || matches!(self.order, Order::Interleaved { .. });
        if keep_all {
            self.items.resize_with(count.max(self.items.len()), Item::default);
            for n in 0..count {
                self.machine.start(&mut self.items[n], self.kernel.func, id(n));
            }
            return self.phases(count);
        }
        self.items.resize_with(1, Item::default);
        let mut order: Vec<usize> = vec![];
        if self.order != Order::Sequential {
            order = (0..count).collect();
            self.rng.shuffle(&mut order);
        }
        for n in 0..count {
            let n = order.get(n).copied().unwrap_or(n);
            self.machine.start(&mut self.items[0], self.kernel.func, id(n));
            if self.resume(0, u64::MAX)? == Stop::Budget {
                return Err(self.out_of_steps(0));
            }
        }
        Ok(())
    }

    /// Runs work-items until all have ended, from barrier to barrier.
    fn phases(&mut self, count: usize) -> Result<()> {
        let mut running: Vec<usize> = (0..count).collect();
        while !running.is_empty() {
            let mut waiting = self.phase(running)?;
            waiting.sort_unstable();
            self.check_barrier(&waiting, count)?;
            running = waiting;
        }
        Ok(())
    }

    /// Runs the given work-items to their next barrier; the result are those that wait there.
    fn phase(&mut self, mut running: Vec<usize>) -> Result<Vec<usize>> {
        let mut waiting = vec![];
        if let Order::Interleaved { .. } = self.order {
            while !running.is_empty() {
                let k = self.rng.below(running.len() as u64) as usize;
                let slice = self.rng.below(MAX_SLICE) + 1;
                match self.resume(running[k], slice)? {
                    Stop::Budget if self.left == 0 => return Err(self.out_of_steps(running[k])),
                    Stop::Budget => {}
                    Stop::Barrier => waiting.push(running.swap_remove(k)),
                    Stop::Done => drop(running.swap_remove(k)),
                }
            }
            return Ok(waiting);
        }
        if self.order != Order::Sequential {
            self.rng.shuffle(&mut running);
        }
        for n in running {
            match self.resume(n, u64::MAX)? {
                Stop::Budget => return Err(self.out_of_steps(n)),
                Stop::Barrier => waiting.push(n),
                Stop::Done => {}
            }
        }
        Ok(waiting)
    }

    /// Runs one work-item for at most `slice` steps.
    fn resume(&mut self, n: usize, slice: u64) -> Result<Stop> {
        let given = slice.min(self.left);
        let mut budget = given;
        let stop = self.machine.run(&mut self.items[n], &mut budget);
        self.left -= given - budget;
        let stop = stop?;
        if stop != Stop::Budget {
            self.machine.watch.advance();
        }
        Ok(stop)
    }

    /// All work-items of a group wait at the same barrier, or none waits.
    fn check_barrier(&self, waiting: &[usize], count: usize) -> Result<()> {
        let Some(&first) = waiting.first() else { return Ok(()) };
        let place = self.place(first);
        let missing = (0..count).find(|n| waiting.binary_search(n).is_err());
        if let Some(n) = missing {
            let what = format!(
                "only {} of {count} work-items of the work-group reach this barrier",
                waiting.len()
            );
            let id = self.items[n].local_id;
            let e = Diagnostic::error("E0510", what)
                .at(place)
                .note(format!("the work-item with local id {id:?} has ended without it"));
            return Err(self.machine.locate(e, self.items[first].local_id).into());
        }
        let differs = |n: &&usize| {
            let (a, b) = (&self.items[first].frames, &self.items[**n].frames);
            a.len() != b.len() || a.iter().zip(b).any(|(x, y)| (x.func, x.pc) != (y.func, y.pc))
        };
        if let Some(&n) = waiting.iter().find(differs) {
            let what = "work-items of one work-group wait at different barriers";
            let id = self.items[n].local_id;
            let e = Diagnostic::error("E0510", what)
                .label(place, "here")
                .label(self.place(n), format!("and, local id {id:?}, here"));
            return Err(self.machine.locate(e, self.items[first].local_id).into());
        }
        Ok(())
    }

    /// The barrier at which a work-item waits.
    fn place(&self, n: usize) -> Loc {
        self.loc(n, 1)
    }

    /// Place of the instruction `back` before a work-item's next one.
    fn loc(&self, n: usize, back: usize) -> Loc {
        let Some(frame) = self.items[n].frames.last() else { return Loc::UNKNOWN };
        let locs = &self.machine.functions[frame.func as usize].locs;
        let at = (frame.pc as usize).checked_sub(back);
        at.and_then(|pc| locs.get(pc)).copied().unwrap_or_default()
    }

    #[cold]
    fn out_of_steps(&self, n: usize) -> base::Diagnostics {
        let e = Diagnostic::error("E0511", "the kernel does not end within the limit of steps")
            .label(self.loc(n, 0), "it was here");
        self.machine.locate(e, self.items[n].local_id).into()
    }
}
