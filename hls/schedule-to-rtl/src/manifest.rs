//! What the host must know of a kernel.

use crate::core::{ChannelInfo, Shared};
use crate::memory::{port_count, port_of};
use crate::pipes;
use crate::top::port_prefix;
use abi::{
    Access, Arg, ArgKind, Channel, DivisionInfo, ElementType, Kernel, KernelSignature, LoopInfo,
    MemoryPort, ScalarType, Site, SiteKind, SubGroups,
};
use ir::{FloatKind, Function, KernelArg, KernelArgKind, Module, Scalar, Space, Type};
use schedule::{AccessKind, LoopKind, MemoryKind};

/// The signature of a kernel, for any device.
pub fn signature(func: &Function, module: &Module, max_work_group_size: u32) -> KernelSignature {
    let info = func.kernel.clone().unwrap_or_default();
    let args = info.args.iter().enumerate().map(|(k, a)| argument(k as u32, a)).collect();
    KernelSignature {
        name: func.name.clone(),
        address_bits: module.addr_bits,
        args,
        reqd_work_group_size: info.reqd_work_group_size,
        max_work_group_size,
        sub_groups: info.sub_groups.map(|s| SubGroups { count: s.count, size: s.size }),
        work_group_size_hint: info.work_group_size_hint,
        non_uniform: module.cl_version >= 200,
        simd: info.simd_lanes.unwrap_or(1),
        simd_group_rows: info.simd_group_rows,
        compute_units: 1,
        enqueued: info.enqueued,
        enqueues: info.enqueues,
    }
}

fn argument(index: u32, a: &KernelArg) -> Arg {
    let kind = match a.kind {
        KernelArgKind::Pointer(Space::Constant) => ArgKind::ConstantPtr,
        KernelArgKind::Pointer(_) => ArgKind::GlobalPtr,
        KernelArgKind::LocalPointer => ArgKind::LocalPtr,
        KernelArgKind::Value(_) => ArgKind::Scalar,
        KernelArgKind::Image(_) => ArgKind::Image,
        KernelArgKind::Sampler => ArgKind::Sampler,
        KernelArgKind::Queue => ArgKind::Queue,
        KernelArgKind::Pipe(_) => ArgKind::Pipe,
    };
    let pipe = match a.kind {
        KernelArgKind::Pipe(pipe) => Some(pipe),
        _ => None,
    };
    let format = match a.kind {
        KernelArgKind::Image(Some([order, ty])) => abi::ImageFormat::from_numbers(order, ty),
        _ => None,
    };
    let (no_read, no_write) = pipe.map_or((a.no_read, a.no_write), |p| (p.writes, !p.writes));
    let access = match (kind.has_memory(), no_read, no_write) {
        (false, ..) | (true, true, true) => Access::None,
        (true, false, true) => Access::ReadOnly,
        (true, true, false) => Access::WriteOnly,
        (true, false, false) => Access::ReadWrite,
    };
    let name = if a.name.is_empty() { format!("arg{index}") } else { a.name.clone() };
    let size = match kind {
        ArgKind::Scalar | ArgKind::Image | ArgKind::Sampler | ArgKind::Pipe | ArgKind::Queue => {
            a.size
        }
        ArgKind::LocalPtr => 0,
        _ => 8,
    };
    Arg {
        index,
        name,
        type_name: a.type_name.clone(),
        kind,
        element: element(a, size),
        size,
        align: a.align.max(1),
        offset: None,
        access,
        port: None,
        restrict: a.restrict,
        local_capacity: None,
        packet_size: pipe.and_then(|p| p.packet),
        format,
        stream: None,
        channel: pipe.is_some_and(|p| p.channel),
    }
}

/// Element type of an argument: as its type's name says or, for values whose name does not
/// (`size_t`, a typedef, no name at all), as the IR says.
fn element(a: &KernelArg, size: u32) -> Option<ElementType> {
    let named = ElementType::from_opencl_name(&a.type_name);
    let KernelArgKind::Value(ty) = a.kind else { return named };
    // A name that contradicts the size is that of another type.
    named.filter(|e| e.bytes() == size).or_else(|| ty.and_then(value_type))
}

/// The type of a value; integers of the IR have no sign, so they count as unsigned.
fn value_type(ty: Type) -> Option<ElementType> {
    let scalar = match ty.scalar {
        Scalar::Int(8) => ScalarType::U8,
        Scalar::Int(16) => ScalarType::U16,
        Scalar::Int(32) => ScalarType::U32,
        Scalar::Int(64) => ScalarType::U64,
        Scalar::Float(FloatKind::F16) => ScalarType::F16,
        Scalar::Float(FloatKind::F32) => ScalarType::F32,
        Scalar::Float(FloatKind::F64) => ScalarType::F64,
        _ => return None,
    };
    Some(ElementType { scalar, lanes: ty.lanes.into() })
}

/// Most copies of a datapath: what the dispatchers of a launch can take turns in.
pub const MOST_COMPUTE_UNITS: u32 = 16;

/// What a kernel is built for.
pub struct Built<'a> {
    /// Board name.
    pub board: &'a str,
    /// Clock target in MHz.
    pub clock_mhz: f64,
    /// Bytes of the device-memory bus.
    pub bus_bytes: u32,
    /// Capacity of each local-pointer argument in bytes.
    pub local_arg_bytes: u64,
    /// Copies of a kernel's datapath by its name, 1 to [`MOST_COMPUTE_UNITS`]; single work-item kernels have one.
    pub compute_units: &'a dyn Fn(&str) -> u32,
    /// Name of the AXI4-Stream that a connected pipe is, by the kernel's name and the argument's index, where the user gives one.
    pub stream_name: &'a dyn Fn(&str, u32) -> Option<String>,
    /// Cycles that device memory takes to answer, for the depth of its units.
    pub memory_latency: u32,
    /// Address bits that the units of device memory keep, 13 to 64.
    pub address_bits: u32,
}

/// The manifest entry of a kernel, with its registers laid out later.
pub fn kernel(sh: &Shared, module: &Module, built: &Built) -> Kernel {
    let s = sh.s;
    let of_one = s.func.kernel.as_ref().and_then(|k| k.groups_of_one);
    let most = of_one.unwrap_or(s.occupancy.max_work_group_size);
    let mut signature = signature(&s.func, module, most);
    signature.compute_units = sh.compute_units;
    for end in pipes::ends(sh) {
        if let Some(arg) = signature.args.get_mut(end.arg as usize) {
            arg.stream = Some(end.port);
        }
    }
    for arg in &mut signature.args {
        match arg.kind {
            ArgKind::LocalPtr => arg.local_capacity = Some(built.local_arg_bytes),
            k if k.has_memory() && arg.stream.is_none() => {
                let of_arg = |a: &&schedule::Access| a.argument == Some(arg.index);
                let access = s.accesses.values().find(of_arg);
                arg.port = Some(port_prefix(access.map_or(0, |a| port_of(sh, a))));
            }
            _ => {}
        }
    }
    Kernel {
        signature,
        top: sh.name.clone(),
        board: built.board.to_owned(),
        clock_mhz: built.clock_mhz,
        hidden: vec![],
        memory_ports: (0..port_count(s))
            .map(|p| MemoryPort {
                name: port_prefix(p),
                data_bits: 8 * built.bus_bytes,
                id_bits: 0, // known when all units are
                address_bits: sh.address_bits,
            })
            .collect(),
        sites: sites(sh),
        channels: vec![],
        loops: loops(sh),
        divisions: divisions(sh),
        notes: s.notes.clone(),
    }
}

fn sites(sh: &Shared) -> Vec<Site> {
    let s = sh.s;
    let site = |(id, (inst, a)): (usize, (&ir::Inst, &schedule::Access))| {
        let kind = match a.kind {
            AccessKind::Load => SiteKind::Load,
            AccessKind::Store => SiteKind::Store,
            AccessKind::Atomic(_) => SiteKind::Atomic,
            AccessKind::Pipe(_) => SiteKind::Pipe,
        };
        let device = matches!(s.memories[a.memory].kind, MemoryKind::Device { .. });
        Site {
            id: id as u32,
            kind,
            port: device.then(|| port_prefix(port_of(sh, a))),
            source: sh.place_of(*inst),
            bytes: a.bytes,
            argument: a.argument,
        }
    };
    s.accesses.iter().enumerate().map(site).collect()
}

fn loops(sh: &Shared) -> Vec<LoopInfo> {
    let s = sh.s;
    s.loops
        .iter()
        .map(|l| LoopInfo {
            name: format!("loop at {}", l.header),
            source: sh.sources.describe(s.func.blocks[l.header].term_loc).unwrap_or_default(),
            kind: match l.kind {
                LoopKind::Threaded => "threaded".into(),
                LoopKind::Pipelined => "pipelined".into(),
            },
            ii: l.ii,
            reason: l.reason.clone(),
            latency: l.latency,
        })
        .collect()
}

fn divisions(sh: &Shared) -> Vec<DivisionInfo> {
    let s = sh.s;
    let info = |(inst, why): (&ir::Inst, &String)| {
        let unit = &s.units[s.unit_of[*inst]?];
        let form = if unit.turning.is_some() { "loop of steps" } else { "pipeline" };
        Some(DivisionInfo {
            unit: unit.name.clone(),
            source: sh.place_of(*inst),
            form: form.to_owned(),
            interval: unit.interval(),
            latency: unit.timing.latency,
            reason: why.clone(),
        })
    };
    s.forms.iter().filter_map(info).collect()
}

/// Channels as the manifest names them.
pub fn channels(list: &[ChannelInfo]) -> Vec<Channel> {
    list.iter()
        .enumerate()
        .map(|(k, c)| Channel {
            id: k as u32,
            name: c.name.clone(),
            source: c.source.clone(),
            valid: Some(c.stream.0.clone()),
            ready: Some(c.stream.1.clone()),
            space: None,
            waiting: c.waiting.clone(),
        })
        .collect()
}
