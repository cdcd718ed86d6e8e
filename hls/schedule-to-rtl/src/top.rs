//! The kernel's top module: control registers, prologue, dispatcher, core, memory ports.

use crate::core::{ChannelInfo, Core, Shared};
use crate::fetch;
use crate::fixed::{ArgumentBus, Fixed};
use crate::manifest::Built;
use crate::memory::{Depths, Memories, ReadUnit, WriteUnit, port_count};
use crate::token::{Ids, Stream};
use crate::{atomics, onchip, pipes};
use abi::{HiddenArg, RegisterMap};
use base::FxHashMap;
use ir::{Op, Query};
use rtl::{Binary, Expr, Module, ModuleBuilder, Net, Param};
use schedule::Place;

/// Bits of a local id at the dispatcher: work-groups have at most 65535 work-items.
const DISPATCH_LID_BITS: u32 = 16;
/// Least and greatest width of the ids of the memory ports: wider ones only for kernels that need them, so that kernels of
/// usual size can share a shell.
const ID_BITS: (u32, u32) = (6, 8);
/// Bit of the count of idle cycles that tells that a kernel's memory traffic has ended.
const SETTLED_BIT: u32 = 3;
/// Most units on one side of a memory port: each has an AXI id of its own.
pub const MOST_PORT_UNITS: usize = 1 << ID_BITS.1;

/// What a kernel's generator gives back.
pub struct Top {
    /// Segment modules, then the top.
    pub modules: Vec<Module>,
    /// Channels for the report of a hang.
    pub channels: Vec<ChannelInfo>,
    /// Units on the read and on the write side of the memory port that has most.
    pub port_units: (usize, usize),
    /// Width of the ids of all memory ports.
    pub id_bits: u32,
}

/// Generates a kernel.
pub fn build(
    sh: &Shared,
    map: &RegisterMap,
    program_offsets: &FxHashMap<ir::Global, u64>,
    built: &Built,
) -> Top {
    let bus_bytes = built.bus_bytes;
    let header = vec![
        format!(
            "Kernel `{}`: control registers, dispatcher, datapath and memory ports.",
            sh.s.func.name
        ),
        "Register map: manifest.json beside this folder; AXI contracts: docs/abi.md of clhls."
            .into(),
    ];
    let mut b = ModuleBuilder::new(&sh.name, header);
    b.set_ap_ports();
    let irq = b.output("interrupt", 1);
    let control = Control::build(&mut b, map, irq, sh.target);
    let cx = sh.context();
    let bus = ArgumentBus { net: control.args, map, program_offsets };
    let mut fixed = Fixed::build(&mut b, sh.s, &cx, &bus);
    let copies = if sh.s.spread { fixed.copy_into_segments(sh) } else { 0 };
    let settled = sh.s.prologue_latency + 1 + copies;
    let started = delayed(&mut b, control.start, settled);
    let go = started[started.len() - 1];
    let draining = b.net("draining", 1);
    let ports = port_count(sh.s);
    let r_data = (0..ports).map(|p| b.net(&format!("gmem{p}_r_data"), 8 * bus_bytes)).collect();
    let mut memories =
        Memories::new(bus_bytes, Depths::new(built.memory_latency), go, draining, r_data);
    // What is computed from what was loaded takes the prologue's time again.
    let again = match fetch::build(&mut b, sh, &fixed, &mut memories, go) {
        Some(fetched) => delayed(&mut b, fetched, settled),
        None => vec![],
    };
    let dispatch = again.last().copied().unwrap_or(go);
    for &(cycle, pulse) in &fixed.pulses {
        let times = [&started, &again].into_iter().filter_map(|chain| chain.get(cycle as usize));
        b.assign(pulse, Expr::any(times.map(|n| Expr::Net(*n))));
    }
    let mut units = Units::default();
    for unit in 0..sh.compute_units {
        (b, memories) =
            compute_unit(sh, b, &mut fixed, memories, (&bus, dispatch, unit), &mut units);
    }
    memories.finish_loads(&mut b, sh);
    atomics::build(&mut b, sh, &mut memories);
    pipes::build(&mut b, sh, &mut memories);
    let most = |counts: Vec<usize>| counts.into_iter().max().unwrap_or(0);
    let count = |of: &dyn Fn(u32) -> usize| most((0..ports).map(of).collect());
    let readers = count(&|p| memories.readers.iter().filter(|u| u.port == p).count());
    let writers = count(&|p| memories.writers.iter().filter(|u| u.port == p).count());
    let port_units = (readers, writers);
    let ids = readers.max(writers).clamp(1, MOST_PORT_UNITS).next_power_of_two();
    let id_bits = ids.ilog2().max(ID_BITS.0);
    let shape = PortShape { bus_bytes, id_bits };
    let beats: Vec<[Expr; 2]> = (0..ports).map(|p| port(&mut b, &memories, p, shape)).collect();
    finish(&mut b, &control, &units, draining, go, &memories, &beats);
    let Units { mut modules, channels, .. } = units;
    modules.push(b.finish());
    Top { modules, channels, port_units, id_bits }
}

/// The compute units made so far.
#[derive(Default)]
struct Units {
    /// Modules of segments, which all units instantiate.
    modules: Vec<Module>,
    channels: Vec<ChannelInfo>,
    /// Sticky flags of barriers that wait.
    waiting: Vec<Net>,
    dispatchers: Vec<Dispatch>,
}

/// A dispatcher with the datapath and the on-chip memories that it feeds; units for device memory
/// are added to those there are.
fn compute_unit(
    sh: &Shared,
    b: ModuleBuilder,
    fixed: &mut Fixed,
    memories: Memories,
    (bus, go, unit): (&ArgumentBus, Net, u32),
    units: &mut Units,
) -> (ModuleBuilder, Memories) {
    let mut core = Core::new(sh, b, fixed.clone(), memories);
    let dispatch = dispatcher(&mut core, bus, go, unit);
    core.blocks();
    let Core { mut b, mut memories, fixed: left, modules, channels, retire, waiting, .. } = core;
    *fixed = left;
    let (retire_valid, retire_slot) = retire.unwrap_or((Expr::bit(false), Expr::bit(false)));
    b.assign(dispatch.retire_valid, retire_valid);
    let retire_slot = widen(&b, retire_slot, b.width(dispatch.retire_slot));
    b.assign(dispatch.retire_slot, retire_slot);
    let on_chip = std::mem::take(&mut memories.on_chip);
    for (id, memory) in &on_chip {
        onchip::build(&mut b, sh, *id, memory);
    }
    if unit == 0 {
        units.modules = modules;
    }
    units.channels.extend(channels);
    units.waiting.extend(waiting);
    units.dispatchers.push(dispatch);
    (b, memories)
}

/// An expression extended with zeros.
fn widen(b: &ModuleBuilder, e: Expr, width: u32) -> Expr {
    let have = b.expr_width(&e);
    if have >= width { e } else { Expr::Concat(vec![Expr::Const(width - have, 0), e]) }
}

/// A pulse some cycles later.
fn delayed(b: &mut ModuleBuilder, pulse: Net, cycles: u32) -> Vec<Net> {
    let mut all = vec![pulse];
    for k in 1..=cycles {
        let q = b.net(&format!("start_p{k}"), 1);
        b.register(q, all[all.len() - 1].into(), None, Some(0));
        all.push(q);
    }
    all
}

struct Control {
    args: Net,
    start: Net,
    done: Net,
    counters: [Net; 4],
    errors: Net,
}

impl Control {
    fn build(b: &mut ModuleBuilder, map: &RegisterMap, irq: Net, target: &str) -> Control {
        let words = map.words().max(1);
        let c = Control {
            args: b.net("args", 32 * words),
            start: b.net("start", 1),
            done: b.net("done", 1),
            counters: ["cycles", "retired", "read_beats", "write_beats"].map(|n| b.net(n, 64)),
            errors: b.net("error_flags", 32),
        };
        let inputs = [("awaddr", 12), ("awvalid", 1), ("wdata", 32), ("wstrb", 4), ("wvalid", 1)];
        let inputs2 = [("bready", 1), ("araddr", 12), ("arvalid", 1), ("rready", 1)];
        let outputs = [("awready", 1), ("wready", 1), ("bresp", 2), ("bvalid", 1), ("arready", 1)];
        let outputs2 = [("rdata", 32), ("rresp", 2), ("rvalid", 1)];
        let input: Vec<(&str, Net)> = inputs
            .iter()
            .chain(&inputs2)
            .map(|(n, w)| (*n, b.input(&format!("s_axi_control_{n}"), *w)))
            .collect();
        let output: Vec<(&str, Net)> = outputs
            .iter()
            .chain(&outputs2)
            .map(|(n, w)| (*n, b.output(&format!("s_axi_control_{n}"), *w)))
            .collect();
        let mut i = b
            .instance("clhls_axil_control", "u_control")
            .param("ARG_WORDS", words)
            .param("TARGET", Param::Text(target.to_owned()));
        if !map.used.is_empty() {
            i = i.param("WORD_MASK", Param::mask(map.used.iter().copied()));
        }
        for (n, net) in input {
            i = i.input(&format!("s_axi_{n}"), net);
        }
        for (n, net) in output {
            i = i.output(&format!("s_axi_{n}"), net);
        }
        i = i
            .output("irq", irq)
            .output("start", c.start)
            .input("done", c.done)
            .output("args", c.args);
        for (n, net) in ["cycles", "retired", "read_beats", "write_beats"].iter().zip(c.counters) {
            i = i.input(n, net);
        }
        i.input("error_flags", c.errors).done();
        c
    }
}

struct Dispatch {
    retire_valid: Net,
    retire_slot: Net,
    done: Net,
    retired: Net,
}

/// The dispatcher, and its stream into the entry block.
fn dispatcher(core: &mut Core, bus: &ArgumentBus, go: Net, unit: u32) -> Dispatch {
    use HiddenArg::*;
    let o = core.sh.s.occupancy;
    let slot_bits = o.slot_bits.max(1);
    let b = &mut core.b;
    let d = Dispatch {
        retire_valid: b.net("retire_valid", 1),
        retire_slot: b.net("retire_slot", slot_bits),
        done: b.net("all_retired", 1),
        retired: b.net("retired_count", 64),
    };
    let (valid, ready) = (b.net("dispatch_valid", 1), b.net("dispatch_ready", 1));
    let kernel = core.sh.s.func.kernel.as_ref();
    let lanes = kernel.and_then(|k| k.simd_lanes).unwrap_or(1);
    let split = lanes > 1 && !kernel.is_some_and(|k| k.simd_group_rows);
    let of_one = kernel.is_some_and(|k| k.groups_of_one.is_some());
    let lane_mask = b.net("dispatch_lanes", lanes);
    let slot = b.net("dispatch_slot", slot_bits);
    let lid = b.net("dispatch_lid", DISPATCH_LID_BITS);
    let names = ["local_id", "group_id", "global_id", "local_size"];
    let vectors = names.map(|n| b.net(&format!("dispatch_{n}"), 96));
    let linear = ["global_linear", "local_linear"].map(|n| b.net(&format!("dispatch_{n}"), 32));
    let mut i = b
        .instance("clhls_dispatcher", "u_dispatcher")
        .param("SLOTS", if o.is_tracked() { o.slots } else { 1 })
        .param("SLOT_BITS", slot_bits)
        .param("TRACKED", o.is_tracked())
        .param("LID_BITS", DISPATCH_LID_BITS)
        .param("SIMD", lanes)
        .param("SPLIT", split)
        .param("UNITS", core.sh.compute_units)
        .param("UNIT", unit)
        .input("start", go);
    let sizes = [
        ("global_size", [GlobalSizeX, GlobalSizeY, GlobalSizeZ]),
        ("local_size", [LocalSizeX, LocalSizeY, LocalSizeZ]),
        ("num_groups", [NumGroupsX, NumGroupsY, NumGroupsZ]),
        ("global_offset", [GlobalOffsetX, GlobalOffsetY, GlobalOffsetZ]),
    ];
    for (n, xyz) in sizes {
        let e = match n {
            "local_size" if of_one => Expr::Const(96, 1 << 64 | 1 << 32 | 1),
            "num_groups" if of_one => {
                bus.vector(i.builder(), [GlobalSizeX, GlobalSizeY, GlobalSizeZ])
            }
            _ => bus.vector(i.builder(), xyz),
        };
        i = i.input(n, e);
    }
    i = i
        .open("busy")
        .output("done", d.done)
        .output("m_valid", valid)
        .input("m_ready", ready)
        .output("m_slot", slot)
        .output("m_lid", lid)
        .output("m_lanes", lane_mask);
    for (n, net) in names.iter().zip(vectors) {
        i = i.output(&format!("m_{n}"), net);
    }
    i.output("m_global_linear", linear[0])
        .output("m_local_linear", linear[1])
        .input("retire_valid", d.retire_valid)
        .input("retire_slot", d.retire_slot)
        .output("group_size", core.group_size)
        .output("retired", d.retired)
        .done();
    entry_stream(core, (valid, ready), (slot, lid), vectors, linear, lane_mask);
    d
}

/// Packs what the dispatcher delivers into a token of the entry block.
fn entry_stream(
    core: &mut Core,
    (valid, ready): (Net, Net),
    (slot, lid): (Net, Net),
    vectors: [Net; 4],
    linear: [Net; 2],
    lane_mask: Net,
) {
    let s = core.sh.s;
    let entry = s.func.entry();
    let layout = core.block_layout(entry);
    let [local_id, group_id, global_id, local_size] = vectors;
    let mut query: FxHashMap<ir::Value, Expr> = FxHashMap::default();
    for &inst in &s.func.blocks[entry].insts {
        let (Some(Place::Dispatch), Op::WorkItem(q, dim), Some(v)) =
            (s.place[inst], s.func.insts[inst].op, s.func.insts[inst].result)
        else {
            continue;
        };
        let part = |net| core.b.slice(net, 32 * u32::from(dim), 32);
        let e = match q {
            Query::LocalId => part(local_id),
            Query::GroupId => part(group_id),
            Query::GlobalId => part(global_id),
            Query::LocalSize => part(local_size),
            Query::GlobalLinearId => linear[0].into(),
            Query::LocalLinearId => linear[1].into(),
            Query::LaneMask => lane_mask.into(),
            _ => Expr::Const(32, 0),
        };
        query.insert(v, widen(&core.b, e, s.func.bits(v)));
    }
    let o = &s.occupancy;
    let ids = Ids {
        slot: core.b.slice(slot, 0, o.slot_bits.max(1)),
        lid: core.b.slice(lid, 0, o.lid_bits.max(1)),
        first: Expr::bit(true),
    };
    let packed = layout.pack(ids, |v| query.get(&v).cloned().unwrap_or(Expr::bit(false)));
    let data = core.b.wire("dispatch_token", packed);
    core.add_incoming(entry, None, Stream { valid, ready, data });
}

/// An AXI4 master: multiplexers over its units. Gives the beat strobes.
/// Widths of the memory ports.
#[derive(Clone, Copy)]
struct PortShape {
    bus_bytes: u32,
    id_bits: u32,
}

fn port(b: &mut ModuleBuilder, m: &Memories, number: u32, shape: PortShape) -> [Expr; 2] {
    let readers: Vec<&ReadUnit> = m.readers.iter().filter(|u| u.port == number).collect();
    let writers: Vec<&WriteUnit> = m.writers.iter().filter(|u| u.port == number).collect();
    let read = read_port(b, number, &readers, m.r_data[number as usize], shape);
    let write = write_port(b, number, &writers, shape);
    [read, write]
}

/// Prefix of a port's signals.
pub fn port_prefix(number: u32) -> String {
    format!("m_axi_gmem{number}")
}

fn ports(
    b: &mut ModuleBuilder,
    number: u32,
    list: &[(&'static str, u32)],
    out: bool,
) -> Vec<(&'static str, Net)> {
    list.iter()
        .map(|(n, w)| {
            let name = format!("{}_{n}", port_prefix(number));
            (*n, if out { b.output(&name, *w) } else { b.input(&name, *w) })
        })
        .collect()
}

fn read_port(
    b: &mut ModuleBuilder,
    number: u32,
    readers: &[&ReadUnit],
    r_data: Net,
    shape: PortShape,
) -> Expr {
    let PortShape { bus_bytes, id_bits } = shape;
    let data = 8 * bus_bytes;
    let outputs = ports(
        b,
        number,
        &[
            ("arid", id_bits),
            ("araddr", 64),
            ("arlen", 8),
            ("arsize", 3),
            ("arburst", 2),
            ("arlock", 1),
            ("arcache", 4),
            ("arprot", 3),
            ("arqos", 4),
            ("arvalid", 1),
            ("rready", 1),
        ],
        true,
    );
    let inputs = ports(
        b,
        number,
        &[
            ("arready", 1),
            ("rid", id_bits),
            ("rdata", data),
            ("rresp", 2),
            ("rlast", 1),
            ("rvalid", 1),
        ],
        false,
    );
    let valid = find(&inputs, "rvalid");
    if readers.is_empty() {
        for (n, net) in &outputs {
            let w = b.width(*net);
            b.assign(*net, Expr::Const(w, idle_value(n, bus_bytes)));
        }
        b.assign(r_data, Expr::bit(false).repeat(data));
        return Expr::bit(false);
    }
    let n = readers.len() as u32;
    let all = |k: usize| Expr::concat(readers.iter().rev().map(|u| u.nets[k].into()).collect());
    let (valids, lines, lens) = (all(0), all(2), all(3));
    let (ready, r_valid) =
        (b.net(&format!("gmem{number}_ar_ready"), n), b.net(&format!("gmem{number}_r_valid"), n));
    let mut i = b
        .instance("clhls_axi_read_mux", &format!("u_gmem{number}_read"))
        .param("N", n)
        .param("ADDR", 64)
        .param("DATA_BYTES", bus_bytes)
        .param("ID_BITS", id_bits)
        .input("ar_valid", valids)
        .output("ar_ready", ready)
        .input("ar_line", lines)
        .input("ar_len", lens)
        .output("r_valid", r_valid)
        .output("r_data", r_data)
        .open("error");
    for (n, net) in &outputs {
        i = i.output(&format!("m_axi_{n}"), *net);
    }
    for (n, net) in &inputs {
        i = i.input(&format!("m_axi_{n}"), *net);
    }
    i.done();
    for (k, u) in readers.iter().enumerate() {
        let (r, v) = (b.slice(ready, k as u32, 1), b.slice(r_valid, k as u32, 1));
        b.assign(u.nets[1], r);
        b.assign(u.nets[4], v);
    }
    Expr::all([valid.into(), find(&outputs, "rready").into()])
}

fn write_port(
    b: &mut ModuleBuilder,
    number: u32,
    writers: &[&WriteUnit],
    shape: PortShape,
) -> Expr {
    let PortShape { bus_bytes, id_bits } = shape;
    let data = 8 * bus_bytes;
    let outputs = ports(
        b,
        number,
        &[
            ("awid", id_bits),
            ("awaddr", 64),
            ("awlen", 8),
            ("awsize", 3),
            ("awburst", 2),
            ("awlock", 1),
            ("awcache", 4),
            ("awprot", 3),
            ("awqos", 4),
            ("awvalid", 1),
            ("wdata", data),
            ("wstrb", bus_bytes),
            ("wlast", 1),
            ("wvalid", 1),
            ("bready", 1),
        ],
        true,
    );
    let inputs = ports(
        b,
        number,
        &[("awready", 1), ("wready", 1), ("bid", id_bits), ("bresp", 2), ("bvalid", 1)],
        false,
    );
    if writers.is_empty() {
        for (n, net) in &outputs {
            let w = b.width(*net);
            let v = idle_value(n, bus_bytes);
            let e = if w > 128 { Expr::bit(false).repeat(w) } else { Expr::Const(w, v) };
            b.assign(*net, e);
        }
        return Expr::bit(false);
    }
    let n = writers.len() as u32;
    let all = |k: usize| Expr::concat(writers.iter().rev().map(|u| u.nets[k].into()).collect());
    let (aw_ready, w_ready, b_valid) = (
        b.net(&format!("gmem{number}_aw_ready"), n),
        b.net(&format!("gmem{number}_w_ready"), n),
        b.net(&format!("gmem{number}_b_valid"), n),
    );
    let mut i = b
        .instance("clhls_axi_write_mux", &format!("u_gmem{number}_write"))
        .param("N", n)
        .param("ADDR", 64)
        .param("DATA_BYTES", bus_bytes)
        .param("ID_BITS", id_bits)
        .input("aw_valid", all(0))
        .output("aw_ready", aw_ready)
        .input("aw_line", all(2))
        .input("aw_len", all(3))
        .input("w_valid", all(4))
        .output("w_ready", w_ready)
        .input("w_data", all(6))
        .input("w_strb", all(7))
        .input("w_last", all(8))
        .output("b_valid", b_valid)
        .open("error");
    for (n, net) in &outputs {
        i = i.output(&format!("m_axi_{n}"), *net);
    }
    for (n, net) in &inputs {
        i = i.input(&format!("m_axi_{n}"), *net);
    }
    i.done();
    for (k, u) in writers.iter().enumerate() {
        for (net, vector) in [(u.nets[1], aw_ready), (u.nets[5], w_ready), (u.nets[9], b_valid)] {
            let bit = b.slice(vector, k as u32, 1);
            b.assign(net, bit);
        }
    }
    Expr::all([find(&outputs, "wvalid").into(), find(&inputs, "wready").into()])
}

fn find(list: &[(&'static str, Net)], name: &str) -> Net {
    match list.iter().find(|(n, _)| *n == name) {
        Some((_, net)) => *net,
        None => unreachable!("port {name} is in the list above"),
    }
}

/// Constant of an unused master: sizes and types as they always are, ready for anything.
fn idle_value(name: &str, bus_bytes: u32) -> u128 {
    match name {
        "arsize" | "awsize" => u128::from(bus_bytes.ilog2()),
        "arburst" | "awburst" => 1,
        "arcache" | "awcache" => 3,
        "rready" | "bready" => 1,
        _ => 0,
    }
}

/// A condition that is 1 once when all dispatchers are done.
fn all_retired(b: &mut ModuleBuilder, dispatchers: &[Dispatch], go: Net) -> Expr {
    if let [one] = dispatchers {
        return one.done.into();
    }
    let flags: Vec<Expr> = dispatchers
        .iter()
        .map(|d| {
            let flag = b.net("unit_done", 1);
            let set = Expr::any([flag.into(), d.done.into()]);
            b.register(flag, Expr::Net(go).mux(Expr::bit(false), set), None, Some(0));
            flag.into()
        })
        .collect();
    let all = b.wire("units_done", Expr::all(flags));
    let before = b.net("units_done_before", 1);
    b.register(before, all.into(), None, Some(0));
    Expr::all([all.into(), Expr::Net(before).not()])
}

/// Draining, counters, error flags.
#[allow(clippy::too_many_arguments)]
fn finish(
    b: &mut ModuleBuilder,
    control: &Control,
    units: &Units,
    draining: Net,
    go: Net,
    memories: &Memories,
    beats: &[[Expr; 2]],
) {
    let all_retired = all_retired(b, &units.dispatchers, go);
    // Units stand all over the chip: each has a register, so that no path crosses it twice.
    let of_units: Vec<Expr> = memories
        .idle
        .iter()
        .map(|unit| {
            let q = b.net("unit_idle", 1);
            b.register(q, unit.clone(), None, None);
            q.into()
        })
        .collect();
    let idle = b.wire("memory_idle", Expr::all(of_units));
    // Units may show idle for a cycle before a request reaches them, and are seen a cycle late:
    // wait until it has lasted for 2^SETTLED_BIT cycles.
    let settled = b.net("settled", SETTLED_BIT + 1);
    let zero = Expr::Const(SETTLED_BIT + 1, 0);
    let count = Expr::bin(Binary::Add, settled.into(), Expr::Const(SETTLED_BIT + 1, 1));
    let calm = Expr::all([draining.into(), idle.into()]);
    b.register(settled, calm.clone().mux(count, zero), None, Some(0));
    let over = Expr::all([calm, b.slice(settled, SETTLED_BIT, 1)]);
    let next =
        Expr::Net(control.done).mux(Expr::bit(false), Expr::any([draining.into(), all_retired]));
    b.register(draining, next, None, Some(0));
    let pulse = Expr::all([over, Expr::Net(control.done).not()]);
    b.register(control.done, pulse, None, Some(0));
    let stuck = Expr::any(units.waiting.iter().map(|w| Expr::Net(*w)));
    let flag = b.net("barrier_incomplete", 1);
    let sticky = Expr::any([flag.into(), Expr::all([stuck, draining.into()])]);
    b.register(flag, Expr::Net(go).mux(Expr::bit(false), sticky), None, Some(0));
    b.assign(control.errors, Expr::Concat(vec![Expr::Const(31, 0), flag.into()]));
    let [cycles, retired, read_beats, write_beats] = control.counters;
    let counts = units.dispatchers.iter().map(|d| Expr::Net(d.retired));
    let sum = counts.reduce(|x, y| Expr::bin(Binary::Add, x, y));
    match units.dispatchers.len() {
        1 => b.assign(retired, sum.unwrap_or(Expr::Const(64, 0))),
        _ => b.register(retired, sum.unwrap_or(Expr::Const(64, 0)), None, None),
    }
    let of = |k: usize| Expr::concat(beats.iter().rev().map(|b| b[k].clone()).collect());
    let (read, write) = (of(0), of(1));
    b.instance("clhls_perf", "u_perf")
        .param("PORTS", beats.len() as u32)
        .input("start", control.start)
        .input("done", control.done)
        .input("read_beat", read)
        .input("write_beat", write)
        .output("cycles", cycles)
        .output("read_beats", read_beats)
        .output("write_beats", write_beats)
        .done();
}
