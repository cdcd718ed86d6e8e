//! Step: schedule to RTL.
//!
//! A kernel becomes a top module (control registers, dispatcher, memory units, channels between
//! segments), one module for the datapath of each segment, and one for each operator unit.

mod atomics;
mod boundary;
mod core;
mod entry;
mod fetch;
mod fixed;
mod hazards;
mod looped;
pub mod manifest;
mod memory;
mod onchip;
mod operation;
mod pipeline;
mod pipes;
mod realign;
mod sharing;
mod timed;
mod token;
mod top;

use crate::core::Shared;
use abi::print::{PrintBuffer, PrintFormat};
use abi::{EnqueueQueue, EnqueueSite};
use abi::{Kernel, Manifest, ProgramMemory, Relocation};
use base::{Diagnostic, FxHashMap, Result};
use ir::analysis::{Cfg, Liveness};
use ir::{Block, Function, Global, GlobalData, Module, Op, Space};
use rtl::Design;
use schedule::{KernelSchedule, Unit};

pub use manifest::{Built, MOST_COMPUTE_UNITS, signature};
pub use memory::MOST_LOAD_UNITS;
pub use pipes::{
    RESERVING_WRITER_OUT as PIPE_RESERVING_WRITER_OUT, WRITER_DEPTH as PIPE_WRITER_DEPTH,
    stream_name,
};

/// Lowers scheduled kernels of a module. `family` is the device family's name (`ecp5` selects
/// its RAM and DSP primitives).
pub fn lower(
    module: &Module,
    schedules: &[KernelSchedule],
    family: &str,
    built: &Built,
) -> Result<(Design, Manifest)> {
    let (program_memory, offsets) = program_memory(module);
    let mut design = Design::default();
    let mut kernels = vec![];
    for s in schedules {
        let (kernel, modules) =
            lower_kernel(module, s, family, built, program_memory.is_some(), &offsets)?;
        // Units of equal name are equal: kernels of one build share clock and family, and the room for nets is part of the name.
        for m in modules {
            if !design.modules.iter().any(|d| d.name == m.name) {
                design.modules.push(m);
            }
        }
        kernels.push(kernel);
    }
    rtl::verify::verify(&design)?;
    let manifest = Manifest {
        version: abi::MANIFEST_VERSION,
        tool: format!("clhls {}", env!("CARGO_PKG_VERSION")),
        module: module.name.clone(),
        kernels,
        program_memory,
        sources: module.sources.files.values().map(|f| f.name.clone()).collect(),
        links: vec![],
        spec_constants: vec![],
    };
    Ok((design, manifest))
}

/// The `TARGET` of library modules: whose RAM and DSP primitives they use.
fn primitives(family: &str) -> &'static str {
    if family == "ecp5" { "ecp5" } else { "generic" }
}

/// Name of an operator unit's module. The latency is part of it: kernels of one build may differ in clock.
pub fn unit_module_name(unit: &Unit) -> String {
    format!("clhls_op_{}_l{}", unit.name, unit.timing.latency)
}

/// The module of one operator unit: a pipeline with inputs `in0`.. and the output `out0`. `spread` as in [`KernelSchedule`].
pub fn unit_module(unit: &Unit, family: &str, spread: bool) -> rtl::Module {
    let name = unit_module_name(unit);
    let mut module = pipeline::unit_module(unit, &name, primitives(family));
    shape(&mut module, family, spread);
    module
}

/// Forms that suit a family: where a shift register is a flip-flop for each bit and cycle, long ones become RAM, and where a carry leaves its
/// chain late, comparisons become differences.
fn shape(module: &mut rtl::Module, family: &str, spread: bool) {
    if primitives(family) == "ecp5" {
        rtl::comparisons::as_differences(module);
        rtl::delay_lines::collect(module, spread);
    }
}

fn lower_kernel(
    module: &Module,
    s: &KernelSchedule,
    family: &str,
    built: &Built,
    has_program_memory: bool,
    program_offsets: &FxHashMap<Global, u64>,
) -> Result<(Kernel, Vec<rtl::Module>)> {
    let target = primitives(family);
    let mut modules = vec![];
    let mut unit_modules = FxHashMap::default();
    for (id, unit) in s.units.iter() {
        let module = unit_module(unit, family, s.spread);
        let start = unit.turning.map(|t| t.start);
        let tokens = unit.last_shared().map(|last| last + 1);
        let name = module.name.clone();
        unit_modules.insert(id, pipeline::UnitModule { name, start, tokens });
        modules.push(module);
    }
    let cfg = Cfg::new(&s.func);
    let live = Liveness::new(&s.func, &cfg, |v| core::travels(s, v));
    let begins_with = looped::uniform_beginnings(s, &cfg);
    let name = rtl::names::legal(&s.func.name);
    let sources = &module.sources;
    // A single work-item has no use for a second datapath.
    let compute_units = if s.task { 1 } else { (built.compute_units)(&s.func.name) };
    let args = s.func.kernel.as_ref().map_or(0, |k| k.args.len() as u32);
    let given = |arg| Some((arg, (built.stream_name)(&s.func.name, arg)?));
    let stream_names = (0..args).filter_map(given).collect();
    let address_bits = built.address_bits;
    let group_of = schedule::Shared::groups(&s.shared);
    let sh = Shared {
        s,
        cfg,
        live,
        begins_with,
        name,
        target,
        sources,
        compute_units,
        stream_names,
        address_bits,
        unit_modules,
        group_of,
        timed: timed::accesses(s),
    };
    let mut kernel = manifest::kernel(&sh, module, built);
    let map = kernel
        .lay_out(has_program_memory)
        .map_err(|e| Diagnostic::error("E0401", e.to_string()).at(s.func.loc))?;
    let top = top::build(&sh, &map, program_offsets, built);
    if top.port_units.0.max(top.port_units.1) > top::MOST_PORT_UNITS {
        return Err(too_many_units(s, top.port_units));
    }
    kernel.memory_ports.iter_mut().for_each(|port| port.id_bits = top.id_bits);
    kernel.channels = manifest::channels(&top.channels);
    modules.extend(top.modules.into_iter().map(|mut m| {
        shape(&mut m, family, s.spread);
        m
    }));
    Ok((kernel, modules))
}

fn too_many_units(s: &KernelSchedule, units: (usize, usize)) -> base::Diagnostics {
    let (reads, writes) = units;
    Diagnostic::error(
        "E0402",
        format!(
            "kernel `{}` has {reads} reading and {writes} writing units at one memory port; at most {} fit",
            s.func.name, top::MOST_PORT_UNITS
        ),
    )
    .at(s.func.loc)
    .help("unroll less, use fewer work-items side by side (`--simd`) or compute units, or vector accesses such as vload4 in place of single ones")
    .into()
}

/// Whether a block begins with a barrier.
pub(crate) fn starts_with_barrier(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().any(|i| matches!(func.insts[*i].op, Op::Barrier(..)))
}

/// Layout and initial contents of the module's variables in device memory. The buffer of `printf` and the queue of kernels come
/// last: they are large, and only their counters must be zero at first.
fn program_memory(module: &Module) -> (Option<ProgramMemory>, FxHashMap<Global, u64>) {
    let (prints, enqueue) = (print_formats(module), enqueue_sites(module));
    let apart = [prints.as_ref().map(|(g, _)| *g), enqueue.as_ref().map(|(g, _)| *g)];
    let tables = [abi::print::TABLE, abi::enqueue::TABLE];
    let mut offsets = FxHashMap::default();
    let mut bytes: Vec<u8> = vec![];
    let mut align = 64;
    let stays = |(id, g): &(Global, &GlobalData)| {
        let host = apart.contains(&Some(*id)) || tables.contains(&g.name.as_str());
        g.space != Space::Local && !host
    };
    for (id, g) in module.globals.iter().filter(stays) {
        let start = (bytes.len() as u64).next_multiple_of(u64::from(g.align.max(16)));
        align = align.max(g.align);
        bytes.resize(start as usize, 0);
        offsets.insert(id, start);
        bytes.extend(g.init.iter().flatten().take(g.size as usize));
        bytes.resize((start + g.size) as usize, 0);
    }
    let mut size = bytes.len() as u64;
    let prints = prints.map(|(buffer, formats)| {
        let g = &module.globals[buffer];
        let offset = size.next_multiple_of(u64::from(g.align));
        offsets.insert(buffer, offset);
        size = offset + g.size;
        bytes.resize((offset + abi::print::RECORDS) as usize, 0);
        PrintBuffer { offset, size: g.size, formats }
    });
    let enqueue = enqueue.map(|(queue, sites)| {
        let g = &module.globals[queue];
        let offset = size.next_multiple_of(u64::from(g.align));
        offsets.insert(queue, offset);
        size = offset + g.size;
        EnqueueQueue { offset, size: g.size, sites }
    });
    if offsets.is_empty() {
        return (None, offsets);
    }
    let relocations = relocations(module, &offsets);
    let init = Some(bytes);
    let memory = ProgramMemory { size, align, init, relocations, prints, enqueue };
    (Some(memory), offsets)
}

/// The buffer of `printf` and what its records mean, if kernels print.
pub fn print_formats(module: &Module) -> Option<(Global, Vec<PrintFormat>)> {
    abi::print::find(module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref())))
}

/// The queue that kernels enqueue to, and what its records are of, if there is one.
pub fn enqueue_sites(module: &Module) -> Option<(Global, Vec<EnqueueSite>)> {
    let variables = module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref()));
    abi::enqueue::find(variables)
}

/// Pointers between the module's variables.
fn relocations(module: &Module, offsets: &FxHashMap<Global, u64>) -> Vec<Relocation> {
    let mut out = vec![];
    for (id, g) in module.globals.iter() {
        let Some(start) = offsets.get(&id) else { continue };
        for (offset, target, addend) in &g.relocations {
            if let Some(target) = offsets.get(target) {
                out.push(Relocation {
                    offset: start + offset,
                    target: target.wrapping_add_signed(*addend),
                    size: module.addr_bits / 8,
                });
            }
        }
    }
    out
}
