//! The index space of a launch.

use crate::{Error, ErrorKind};
use abi::{KernelSignature, SubGroups};

/// The index space of a launch as the caller gives it, dimension 0 first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NdRange {
    /// Work-items in each dimension; 1 to 3 dimensions.
    pub global: Vec<u64>,
    /// Work-items of a work-group in each dimension; `None` lets [`NdRange::resolve`] choose.
    pub local: Option<Vec<u64>>,
    /// First global id in each dimension; `None` is zero.
    pub offset: Option<Vec<u64>>,
}

/// An index space that a kernel accepts, in three dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedRange {
    /// Number of dimensions the caller gave.
    pub work_dim: u32,
    /// Work-items; 1 in unused dimensions.
    pub global: [u32; 3],
    /// Work-items of a full work-group; 1 in unused dimensions.
    pub local: [u32; 3],
    /// Work-groups: `global / local`, rounded up.
    pub num_groups: [u32; 3],
    /// First global id; 0 in unused dimensions.
    pub offset: [u32; 3],
}

impl ResolvedRange {
    /// Number of work-items in all dimensions.
    pub fn work_items(&self) -> u128 {
        self.global.iter().map(|&n| u128::from(n)).product()
    }

    /// Number of work-groups in all dimensions.
    pub fn work_groups(&self) -> u128 {
        self.num_groups.iter().map(|&n| u128::from(n)).product()
    }
}

impl NdRange {
    /// An index space without offset whose work-group size is chosen by [`NdRange::resolve`].
    pub fn new(global: &[u64]) -> Self {
        Self { global: global.to_vec(), local: None, offset: None }
    }

    /// The same with this work-group size.
    pub fn with_local(mut self, local: &[u64]) -> Self {
        self.local = Some(local.to_vec());
        self
    }

    /// The same with this global offset.
    pub fn with_offset(mut self, offset: &[u64]) -> Self {
        self.offset = Some(offset.to_vec());
        self
    }

    /// Checks the index space by the rules of `clEnqueueNDRangeKernel` and those of the kernel, and
    /// fills in what the caller left open.
    ///
    /// A missing work-group size becomes the kernel's required one, else its hint if that is
    /// allowed, else the one of [`SubGroups::local_size`] if the kernel asks for a number of sub-groups, else in each dimension, 0 first, the largest divisor of the global size that the
    /// kernel's limit leaves room for (and, of dimension 0, that several work-items at a time
    /// allow). Kernels of several compute units get work-groups for all of them where the global
    /// size has such divisors.
    ///
    /// # Errors
    /// [`ErrorKind::WorkDimension`], [`ErrorKind::GlobalWorkSize`], [`ErrorKind::GlobalOffset`] and
    /// [`ErrorKind::WorkGroupSize`] as OpenCL defines them. Global ids have 32 bits:
    /// offset + size may be 2^32 at most, and a size 2^32 - 1.
    pub fn resolve(&self, kernel: &KernelSignature) -> Result<ResolvedRange, Error> {
        let dims = self.global.len();
        if !(1..=3).contains(&dims) {
            return Err(Error::new(
                ErrorKind::WorkDimension,
                format!("the global size has {dims} dimensions, 1 to 3 are possible"),
            ));
        }
        for (name, sizes) in [("local size", &self.local), ("global offset", &self.offset)] {
            if let Some(sizes) = sizes.as_ref().filter(|sizes| sizes.len() != dims) {
                return Err(Error::new(
                    ErrorKind::WorkDimension,
                    format!("the {name} has {} dimensions, the global size {dims}", sizes.len()),
                ));
            }
        }
        let mut global = [1; 3];
        let mut offset = [0; 3];
        for d in 0..dims {
            let first = self.offset.as_ref().map_or(0, |offset| offset[d]);
            (global[d], offset[d]) = check_global(d, self.global[d], first)?;
        }
        let local = match &self.local {
            Some(local) => check_local(kernel, global, local)?,
            None => choose_local(kernel, global)?,
        };
        check_lanes(kernel, global, local, offset)?;
        let num_groups = std::array::from_fn(|d| u32::div_ceil(global[d], local[d]));
        Ok(ResolvedRange { work_dim: dims as u32, global, local, num_groups, offset })
    }
}

/// Size and offset of dimension `d` as 32-bit numbers.
fn check_global(d: usize, size: u64, offset: u64) -> Result<(u32, u32), Error> {
    let size32 = u32::try_from(size).ok().filter(|&n| n > 0).ok_or_else(|| {
        Error::new(
            ErrorKind::GlobalWorkSize,
            format!("global size {size} in dimension {d}: must be 1 to 4294967295"),
        )
    })?;
    let end = offset.checked_add(size).filter(|&end| end <= 1 << 32);
    match (u32::try_from(offset), end) {
        (Ok(offset), Some(_)) => Ok((size32, offset)),
        _ => Err(Error::new(
            ErrorKind::GlobalOffset,
            format!(
                "global offset {offset} + global size {size} in dimension {d}: global ids have 32 bits"
            ),
        )),
    }
}

fn wrong_group(message: String) -> Error {
    Error::new(ErrorKind::WorkGroupSize, message)
}

fn check_local(
    kernel: &KernelSignature,
    global: [u32; 3],
    sizes: &[u64],
) -> Result<[u32; 3], Error> {
    let name = &kernel.name;
    let mut wide = [1u64; 3];
    wide[..sizes.len()].copy_from_slice(sizes);
    if wide.contains(&0) {
        return Err(wrong_group(format!("local size {sizes:?} has a zero")));
    }
    if let Some(required) = kernel.reqd_work_group_size
        && wide != required.map(u64::from)
    {
        return Err(wrong_group(format!(
            "kernel `{name}` requires the local size {required:?}, not {sizes:?}"
        )));
    }
    let max = kernel.max_work_group_size;
    let product = wide.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
    if product.is_none_or(|product| product > u64::from(max)) {
        let count = product.map_or_else(|| "more than 2^64".into(), |n| n.to_string());
        return Err(wrong_group(format!(
            "local size {sizes:?} has {count} work-items, kernel `{name}` allows {max}"
        )));
    }
    let local = wide.map(|n| n as u32); // each is at most `max`
    for d in 0..3 {
        if !global[d].is_multiple_of(local[d]) && !kernel.non_uniform {
            return Err(wrong_group(format!(
                "local size {} does not divide the global size {} in dimension {d}; only programs \
                 built for OpenCL 2.0 or later allow that",
                local[d], global[d]
            )));
        }
    }
    check_sub_groups(kernel, global, local)?;
    Ok(local)
}

/// Work-groups have as many sub-groups as the kernel asks for.
fn check_sub_groups(
    kernel: &KernelSignature,
    global: [u32; 3],
    local: [u32; 3],
) -> Result<(), Error> {
    let Some(required) = kernel.sub_groups else { return Ok(()) };
    let Some(items) = required.misfit(global, local) else { return Ok(()) };
    let have = items.div_ceil(u64::from(required.size.max(1)));
    let fits = divided_local(kernel, global, required).ok();
    let fits = fits.filter(|_| kernel.reqd_work_group_size.is_none());
    let remedy = fits.map_or_else(String::new, |size| format!("; local size {size:?} has as many"));
    let what = describe_sub_groups(kernel, required);
    Err(wrong_group(format!(
        "{what}; with local size {local:?} and global size {global:?} there is one of {items} work-items, \
         which has {have}{remedy}"
    )))
}

/// What a kernel asks for, for messages.
fn describe_sub_groups(kernel: &KernelSignature, required: SubGroups) -> String {
    let (least, most) = (required.fewest_work_items(), required.most_work_items());
    format!(
        "kernel `{}` requires work-groups of {required} ({least} to {most} work-items)",
        kernel.name
    )
}

/// Kernels that count from the beginning of a group's row have tokens that begin there.
fn check_lanes(
    kernel: &KernelSignature,
    global: [u32; 3],
    local: [u32; 3],
    offset: [u32; 3],
) -> Result<(), Error> {
    let (lanes, name) = (kernel.row_multiple(), &kernel.name);
    if !offset[0].is_multiple_of(lanes) {
        let what = format!(
            "kernel `{name}` was built for {lanes} work-items at a time: the global offset {} in \
             dimension 0 must be a multiple of that",
            offset[0]
        );
        return Err(Error::new(ErrorKind::GlobalOffset, what));
    }
    if !local[0].is_multiple_of(lanes) && local[0] < global[0] {
        return Err(wrong_group(format!(
            "kernel `{name}` was built for {lanes} work-items at a time: the local size {} in \
             dimension 0 (global size {}) must be a multiple of that",
            local[0], global[0]
        )));
    }
    Ok(())
}

fn choose_local(kernel: &KernelSignature, global: [u32; 3]) -> Result<[u32; 3], Error> {
    let as_sizes = |size: [u32; 3]| size.map(u64::from);
    if let Some(required) = kernel.reqd_work_group_size {
        return check_local(kernel, global, &as_sizes(required));
    }
    if let Some(hint) = kernel.work_group_size_hint
        && let Ok(local) = check_local(kernel, global, &as_sizes(hint))
    {
        return Ok(local);
    }
    if let Some(required) = kernel.sub_groups {
        return divided_local(kernel, global, required);
    }
    let shared = room_for_units(kernel, global);
    let local = largest_local(kernel, global, shared);
    // Few divisors: groups of a few work-items may keep fewer of them in flight than one unit holds.
    let small = local.iter().product::<u32>() < shared / 4;
    let tokens = local[0] == global[0] || local[0].is_multiple_of(kernel.row_multiple());
    Ok(if small || !tokens {
        largest_local(kernel, global, kernel.max_work_group_size)
    } else {
        local
    })
}

/// The local size with which all work-groups have as many sub-groups as the kernel asks for.
fn divided_local(
    kernel: &KernelSignature,
    global: [u32; 3],
    required: SubGroups,
) -> Result<[u32; 3], Error> {
    let (most, row) = (kernel.max_work_group_size, kernel.row_multiple());
    required.local_size(global, most, row, kernel.non_uniform).ok_or_else(|| {
        let what = describe_sub_groups(kernel, required);
        wrong_group(format!(
            "{what}; global size {global:?} cannot be divided into such work-groups"
        ))
    })
}

/// Groups that each compute unit gets at least, so that units which finish sooner have others to take.
const GROUPS_A_UNIT: u64 = 4;
/// Work-items of a group that are not made fewer for the sake of more groups than units.
const WORTH_A_GROUP: u64 = 64;

/// Most work-items of a group that leaves work-groups for all compute units; the kernel's limit for one unit.
fn room_for_units(kernel: &KernelSignature, global: [u32; 3]) -> u32 {
    let (units, most) = (u64::from(kernel.compute_units), kernel.max_work_group_size);
    if units <= 1 {
        return most;
    }
    let items = global.iter().fold(1u64, |all, n| all.saturating_mul(u64::from(*n)));
    let room = (items / (GROUPS_A_UNIT * units)).max((items / units).min(WORTH_A_GROUP)).max(1);
    most.min(u32::try_from(room).unwrap_or(u32::MAX))
}

/// In each dimension, 0 first, the largest size that there is room for.
fn largest_local(kernel: &KernelSignature, global: [u32; 3], mut room: u32) -> [u32; 3] {
    let mut local = [1; 3];
    for (d, &size) in global.iter().enumerate() {
        let lanes = if d == 0 { kernel.row_multiple() } else { 1 };
        let fits = |n: &u32| size.is_multiple_of(*n) && (*n == size || n.is_multiple_of(lanes));
        local[d] = match (1..=size.min(room)).rev().find(fits) {
            Some(n) => n,
            // The last work-group may be smaller.
            None if kernel.non_uniform && room >= lanes => room - room % lanes,
            None => 1,
        };
        room /= local[d];
    }
    local
}
