//! Execution modes: attributes of kernels.

use crate::Options;
use crate::decode::{Id, Inst};
use crate::errors::{
    BAD_ID, BAD_OPTION, R, TOO_LARGE, UNSUPPORTED_FEATURE, error, fail, unsupported,
};
use crate::module::Spv;
use base::{Diagnostic, FxHashSet};
use ir::{FloatKind, FloatSet, KernelInfo, MOST_WORK_ITEMS, SubGroups};
use rspirv::spirv::{ExecutionMode, Op};

/// A size of work-groups that specialization constants decide, and that is not possible.
fn bad_size(spv: &Spv, function: Id, what: &str) -> Box<Diagnostic> {
    let kernel = spv.describe(function);
    let what = format!(
        "{kernel}: its work-groups {what} in a dimension, as specialization constants are now"
    );
    let help =
        "give the constants that say how large they are another value: --spec-constant ID=VALUE";
    Box::new(error(BAD_OPTION, what).help(help))
}

/// Takes in one `OpExecutionMode` or `OpExecutionModeId`. `specialized`: constants whose values are, or follow from, those of
/// specialization constants.
pub(crate) fn read(spv: &mut Spv, inst: &Inst, specialized: &FxHashSet<Id>) -> R<()> {
    let function = inst.arg(0)?;
    let number = inst.arg(1)?;
    if !spv.entry_points.iter().any(|e| e.function == function) {
        return fail(
            BAD_ID,
            format!("{} is given an execution mode but is no entry point", spv.describe(function)),
        );
    }
    let Some(mode) = ExecutionMode::from_u32(number) else {
        return fail(UNSUPPORTED_FEATURE, format!("execution mode number {number} is unknown"));
    };
    let value = |k: usize| -> R<u32> {
        let word = inst.arg(2 + k)?;
        if inst.op != Op::ExecutionModeId {
            return Ok(word);
        }
        let n = spv.consts.integer(word)?;
        u32::try_from(n).map_err(|_| match specialized.contains(&word) {
            true => bad_size(spv, function, &format!("would have {n} work-items")),
            false => inst.malformed("its value is too large".into()),
        })
    };
    let size = || -> R<[u32; 3]> {
        let size = [value(0)?, value(1)?, value(2)?];
        if !size.contains(&0) {
            return Ok(size);
        }
        let zero = (0..3).filter(|k| size[*k] == 0).map(|k| inst.arg(2 + k));
        let zero = zero.collect::<R<Vec<_>>>()?;
        let chosen =
            inst.op == Op::ExecutionModeId && zero.iter().all(|id| specialized.contains(id));
        Err(match chosen {
            true => bad_size(spv, function, "would have no work-items"),
            false => inst.malformed("a work-group size is 0".into()),
        })
    };
    let bounded_size = || -> R<[u32; 3]> {
        let size = size()?;
        let items = size.iter().try_fold(1u32, |p, n| p.checked_mul(*n));
        match items.is_some_and(|n| n <= MOST_WORK_ITEMS) {
            true => Ok(size),
            false => {
                let [x, y, z] = size;
                let kernel = spv.describe(function);
                let what = format!("{kernel} has work-groups of {x} x {y} x {z} work-items");
                fail(TOO_LARGE, format!("{what}, the limit is {MOST_WORK_ITEMS} together"))
            }
        }
    };
    let mut info = spv.modes.get(&function).cloned().unwrap_or_default();
    match mode {
        ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => {
            info.reqd_work_group_size = Some(bounded_size()?);
        }
        ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId => {
            info.work_group_size_hint = Some(size()?);
        }
        ExecutionMode::MaxWorkgroupSizeINTEL => info.max_work_group_size = Some(bounded_size()?),
        ExecutionMode::MaxWorkDimINTEL => info.max_global_work_dim = Some(value(0)?),
        ExecutionMode::NumSIMDWorkitemsINTEL => info.num_simd_work_items = Some(value(0)?),
        ExecutionMode::VecTypeHint => info.vec_type_hint = Some(vector_type(value(0)?)),
        ExecutionMode::ContractionOff => info.contraction_off = true,
        ExecutionMode::DenormPreserve | ExecutionMode::DenormFlushToZero => {
            let kind = match value(0)? {
                16 => FloatKind::F16,
                32 => FloatKind::F32,
                64 => FloatKind::F64,
                width => return Err(inst.malformed(format!("there are no floats of {width} bits"))),
            };
            let denorms = spv.denorms.entry(function).or_default();
            let set = match mode {
                ExecutionMode::DenormPreserve => &mut denorms.kept,
                _ => &mut denorms.flushed,
            };
            *set = set.with(kind);
            if denorms.kept.has(kind) && denorms.flushed.has(kind) {
                let what = "DenormPreserve and DenormFlushToZero exclude each other";
                return Err(inst.malformed(format!("{what} at {} bits", kind.bits())));
            }
        }
        ExecutionMode::SubgroupSize => {
            spv.sub_group_sizes
                .insert(function, possible_sub_group_size(value(0)?, UNSUPPORTED_FEATURE)?);
        }
        ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupsPerWorkgroupId => {
            let count = value(0)?;
            if count == 0 {
                return Err(inst.malformed("a work-group has 0 sub-groups".into()));
            }
            spv.sub_group_counts.insert(function, count);
        }
        // IEEE behaviour is what the IR has anyway; the others give the compiler freedom.
        ExecutionMode::SignedZeroInfNanPreserve
        | ExecutionMode::RoundingModeRTE
        | ExecutionMode::FPFastMathDefault
        | ExecutionMode::NoGlobalOffsetINTEL
        | ExecutionMode::SchedulerTargetFmaxMhzINTEL => {}
        other => {
            return Err(unsupported(
                UNSUPPORTED_FEATURE,
                format!("execution mode {other:?}"),
                "later",
            ));
        }
    }
    spv.modes.insert(function, info);
    Ok(())
}

/// What the execution modes of a kernel say of subnormal numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Denorms {
    /// Formats of `DenormPreserve`.
    pub kept: FloatSet,
    /// Formats of `DenormFlushToZero`.
    pub flushed: FloatSet,
}

/// The formats whose arithmetic flushes subnormal numbers in the kernels that are read. Functions belong to no kernel, so all
/// of these have to agree.
pub(crate) fn flushed_formats(spv: &Spv, options: &Options) -> R<FloatSet> {
    let wanted = |name: &String| options.kernels.is_empty() || options.kernels.contains(name);
    let mut kernels = spv.entry_points.iter().filter(|e| wanted(&e.name));
    let of = |function| spv.denorms.get(&function).copied().unwrap_or_default();
    let Some(first) = kernels.next() else { return Ok(FloatSet::default()) };
    let denorms = of(first.function);
    if let Some(other) = kernels.find(|e| of(e.function).flushed != denorms.flushed) {
        let what = "execution mode DenormFlushToZero is not the same for the kernels";
        let text = format!("{what} `{}` and `{}`", first.name, other.name);
        return Err(Box::new(
            Diagnostic::error(UNSUPPORTED_FEATURE, text).help("compile them one at a time"),
        ));
    }
    let allowed = [FloatKind::F32, FloatKind::F64];
    let allowed = allowed.into_iter().filter(|k| options.denorms_are_zero && !denorms.kept.has(*k));
    Ok(allowed.fold(denorms.flushed, FloatSet::with))
}

/// Work-items of a sub-group where neither kernels nor options say.
pub const SUB_GROUP_SIZE: u32 = 16;

/// Work-items of a sub-group: what the kernels that are read ask for, else the option's. Functions belong to no kernel, so all
/// that ask have to agree.
pub(crate) fn sub_group_size(spv: &Spv, options: &Options) -> R<u32> {
    let wanted = |name: &String| options.kernels.is_empty() || options.kernels.contains(name);
    let kernels = spv.entry_points.iter().filter(|e| wanted(&e.name));
    let asked = kernels.filter_map(|e| Some((&e.name, *spv.sub_group_sizes.get(&e.function)?)));
    let mut size = match options.sub_group_size {
        Some(size) => {
            Some((String::from("the options ask"), possible_sub_group_size(size, BAD_OPTION)?))
        }
        None => None,
    };
    for (name, of_kernel) in asked {
        let (who, all) = size.get_or_insert_with(|| (format!("kernel `{name}` asks"), of_kernel));
        if *all != of_kernel {
            let what = format!("kernel `{name}` asks for sub-groups of {of_kernel} work-items");
            let text = format!("{what}, {who} for {all}");
            let help = "compile kernels with other sub-groups one at a time, with their own size";
            return Err(Box::new(Diagnostic::error(UNSUPPORTED_FEATURE, text).help(help)));
        }
    }
    Ok(size.map_or(SUB_GROUP_SIZE, |(_, size)| size))
}

/// Tells kernels how many sub-groups each of their work-groups has. What those sub-groups are must be known.
pub(crate) fn require_sub_groups(spv: &mut Spv, options: &Options) -> R<()> {
    let asked = |name: &String| options.kernels.is_empty() || options.kernels.contains(name);
    let size = spv.sub_group_size;
    let mut required = vec![];
    for entry in &spv.entry_points {
        let read = asked(&entry.name) || spv.is_block_entry(entry.function);
        let Some(&count) = spv.sub_group_counts.get(&entry.function).filter(|_| read) else {
            continue;
        };
        let sub_groups = SubGroups { count, size };
        let info = spv.modes.get(&entry.function);
        check_sub_groups(&entry.name, info.unwrap_or(&KernelInfo::default()), sub_groups)?;
        required.push((entry.function, sub_groups));
    }
    for (function, sub_groups) in required {
        spv.modes.entry(function).or_default().sub_groups = Some(sub_groups);
    }
    Ok(())
}

/// Whether the work-groups of a kernel can have so many sub-groups, by what else is said of them.
fn check_sub_groups(kernel: &str, info: &KernelInfo, wanted: SubGroups) -> R<()> {
    let SubGroups { count, size } = wanted;
    let asks = format!("kernel `{kernel}` asks for {count} sub-groups a work-group");
    if wanted.fewest_work_items() > MOST_WORK_ITEMS.into() {
        let what = format!("{asks}, each of {size} work-items");
        return fail(TOO_LARGE, format!("{what}, the limit is {MOST_WORK_ITEMS} together"));
    }
    let product = |s: [u32; 3]| s.iter().product::<u32>();
    let required = info.reqd_work_group_size.map(|s @ [x, y, z]| {
        (product(s), product(s), format!("its work-groups have {x} x {y} x {z} work-items"))
    });
    let single = (info.max_global_work_dim == Some(0))
        .then(|| (1, 1, "it is a single work-item (MaxWorkDimINTEL 0)".into()));
    let bounded = info.max_work_group_size.map(product).map(|most| {
        (1, most, format!("its work-groups have at most {most} work-items (MaxWorkgroupSizeINTEL)"))
    });
    for (least, most, what) in [required, single, bounded].into_iter().flatten() {
        let suits = |size: &u32| {
            let divided = SubGroups { count, size: *size };
            divided.fewest_work_items() <= most.into() && divided.most_work_items() >= least
        };
        if suits(&size) {
            continue;
        }
        let (possible, have) = (if least == most { "" } else { "at most " }, most.div_ceil(size));
        let plural = if have == 1 { "" } else { "s" };
        let text = format!("{asks}, but {what}: {possible}{have} sub-group{plural} of {size}");
        let help = match SUB_GROUP_SIZES.iter().find(|size| suits(size)) {
            Some(size) => format!(
                "with sub-groups of {size} work-items they are {count}: execution mode SubgroupSize, or `--sub-group-size {size}`"
            ),
            None => "ask for another number of sub-groups, or other work-groups".into(),
        };
        return Err(Box::new(Diagnostic::error(UNSUPPORTED_FEATURE, text).help(help)));
    }
    Ok(())
}

/// Work-items that a sub-group can have.
const SUB_GROUP_SIZES: [u32; 3] = [8, 16, 32];

fn possible_sub_group_size(size: u32, code: &'static str) -> R<u32> {
    let possible = SUB_GROUP_SIZES.contains(&size);
    let what = || format!("sub-groups of {size} work-items are not possible: 8, 16 and 32 are");
    if possible { Ok(size) } else { fail(code, what()) }
}

/// The OpenCL name of the type that `VecTypeHint` encodes: lanes in the high half word, type
/// in the low one.
fn vector_type(code: u32) -> String {
    let scalar = match code & 0xffff {
        0 => "char",
        1 => "short",
        2 => "int",
        3 => "long",
        4 => "half",
        5 => "float",
        6 => "double",
        _ => return format!("{code:#x}"),
    };
    match code >> 16 {
        0 | 1 => scalar.into(),
        n => format!("{scalar}{n}"),
    }
}
