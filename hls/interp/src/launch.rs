//! Launches: what a kernel allows, and its index space.

use crate::access::Memories;
use crate::machine::{Machine, Position};
use crate::memory::Memory;
use crate::program::{Kernel, Program};
use crate::run::Run;
use crate::watch::Watch;
use crate::{Argument, Launch, Options, Stats};
use abi::SubGroups;
use base::{Diagnostic, Result};
use ir::{KernelArg, KernelArgKind};

/// Most work-items of a work-group where the kernel does not say.
pub const MAX_WORK_GROUP_SIZE: u32 = 1024;

/// Most bytes that one local object can have.
pub(crate) const MAX_OBJECT_BYTES: u64 = 1 << 28;

impl Program {
    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// Those of [`Program::run_together`].
    pub fn run(
        &self,
        memory: &mut Memory<'_>,
        launch: &Launch,
        options: &Options,
    ) -> Result<Stats> {
        let all = self.run_together(memory, std::slice::from_ref(launch), options)?;
        Ok(all.into_iter().next().unwrap_or_default())
    }

    /// A launch, checked, that nothing of has run.
    pub(crate) fn begin<'a, 'g>(
        &'a self,
        memory: &'a mut Memory<'g>,
        (number, launch): (usize, &'a Launch),
        options: &Options,
    ) -> Result<Run<'a, 'g>> {
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
            launch: number,
            args: &launch.args,
            watch: Watch::new(&kernel.info.args, &launch.args, options.most_polls),
            pipe_notes: &self.pipe_notes,
            beside: false,
            refusal: None,
        };
        Ok(Run::new(machine, options))
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
