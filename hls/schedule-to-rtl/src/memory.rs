//! Memory units: one load or store unit for each access to device memory, and the requests to
//! on-chip memories, which [`crate::onchip`] turns into memories at the end.

use crate::core::Shared;
use crate::onchip::{OnChip, Port};
use crate::operation::net;
use crate::pipes::PipeClient;
use crate::realign::{self, StoreClient, StoreSource};
use crate::token::Stream;
use base::IndexMap;
use ir::{AtomicOp, Inst};
use rtl::{Expr, ModuleBuilder, Net, Param};
use schedule::{AccessKind, LoopKind, MemoryId, MemoryKind, Place};

/// Requests that one of several loads at a unit keeps in flight.
const SHARED_DEPTH: u32 = 64;
/// Most loads of a loop at one unit.
const MOST_SHARING: u32 = 8;
/// Load units of a memory port: the rest of its ids is for atomics.
pub const MOST_LOAD_UNITS: u32 = 60;
/// Work-items that wait beside a unit beyond its own requests: what its stages hold.
const STAGES: u32 = 8;
/// Places of a unit's queues of requests and beats that stay unused, since their credits are heard late (`clhls_credits`).
const UNUSED: u32 = 3;
/// The same of a store's bursts.
const UNUSED_BURSTS: u32 = 7;
/// Cycles that a load's request spends in units, multiplexers and the port's registers beside those in memory.
const LOAD_TRIP: u32 = 12;
/// The same of a burst of stores, from its start until its place is free: scattered stores keep one a cycle with 25 places
/// up to a latency of 16.
const STORE_TRIP: u32 = 9;
/// How much the units of device memory keep in flight: for one request a cycle, what comes in
/// while memory answers, and as much again, since it may take longer with other traffic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depths {
    /// Requests of a load unit; they may share beats.
    loads: u32,
    /// Beats of a load unit, in flight or buffered.
    beats: u32,
    /// Requests of an acknowledged store.
    stores: u32,
    /// Bursts of a store unit; scattered stores are a burst each.
    bursts: u32,
}

impl Depths {
    /// Depths for a memory that answers after `latency` cycles.
    pub fn new(latency: u32) -> Depths {
        let trip = latency + LOAD_TRIP;
        let places = |used: u32, unused: u32| (used + unused).next_power_of_two();
        let requests = places(2 * trip, UNUSED).clamp(32, 512);
        let bursts = places(latency + STORE_TRIP, UNUSED_BURSTS).clamp(32, 256);
        // More than 64 beats stand in block RAM, which has at least twice as many words as the latency asks for: they keep
        // the rate when memory answers later than the board says.
        let beats = if trip + UNUSED > 64 { 256 } else { places(trip, UNUSED).max(32) };
        Depths { loads: requests, beats, stores: requests, bursts }
    }
}

/// Address bits of device memory.
pub const DEVICE_ADDRESS_BITS: u32 = 64;
/// Byte-address bits of a token's request that lines do not need.
fn line_bits(bus_bytes: u32) -> u32 {
    DEVICE_ADDRESS_BITS - bus_bytes.ilog2()
}

/// A request on its way to a memory.
pub struct Request {
    /// The request is there.
    pub valid: Expr,
    /// Driven here: the unit takes it.
    pub ready: Net,
    /// Operands of the IR instruction: address first, predicate last if there is one.
    pub operands: Vec<Expr>,
    /// Work-group slot of the token.
    pub slot: Expr,
    /// Linear local id of the token.
    pub lid: Expr,
}

/// What the boundary needs to know of a connected access.
pub struct Answer {
    /// The stream of answers, in request order; none for posted stores.
    pub stream: Option<Stream>,
    /// How many work-items may wait beside the access.
    pub depth: u32,
}

/// Nets of a unit towards the read multiplexer.
pub struct ReadUnit {
    /// Number of the memory port.
    pub port: u32,
    /// ar_valid, ar_ready, ar_line, ar_len, r_valid.
    pub nets: [Net; 5],
}

/// Nets of a unit towards the write multiplexer.
pub struct WriteUnit {
    /// Number of the memory port.
    pub port: u32,
    /// aw_valid, aw_ready, aw_line, aw_len, w_valid, w_ready, w_data, w_strb, w_last, b_valid.
    pub nets: [Net; 10],
}

/// What loads that share a unit have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LoadShape {
    /// Number of the memory port.
    pub port: u32,
    /// Bytes of a load.
    pub bytes: u32,
    /// Whether nothing in the launch writes what they read.
    pub read_only: bool,
    /// Lines of their cache, 0 if they have none.
    pub cache_lines: u32,
    /// Bits of the predicate.
    pub parts: u32,
    /// Whether they are the words that realigned loads take.
    pub words: bool,
    /// The loop whose iterations leave time for several of them at a unit: its number.
    pub in_loop: Option<usize>,
    /// Whether they may happen ahead of the condition that says whether they do: then simulation takes any address.
    pub ahead: bool,
}

/// A load in front of a unit.
pub struct LoadClient {
    /// A request is there.
    pub valid: Expr,
    /// Driven by the unit.
    pub ready: Net,
    /// 64 bits.
    pub address: Expr,
    /// Which parts happen.
    pub pred: Expr,
    /// Driven by the unit.
    pub answer: Stream,
    /// Number of the access.
    pub site: u32,
    /// Source place, for a comment.
    pub place: String,
}

/// A client of the atomic unit.
pub struct AtomicClient {
    /// Request stream; its data is packed by [`crate::atomics`].
    pub request: Stream,
    /// Answer stream: the old value.
    pub answer: Stream,
    /// Site number.
    pub site: u32,
    /// Bytes.
    pub bytes: u32,
    /// Whether it works on a pipe.
    pub pipe: bool,
}

/// All memory units of a kernel.
pub struct Memories {
    /// Bytes of the device-memory bus.
    pub bus_bytes: u32,
    /// How much units keep in flight.
    pub depths: Depths,
    /// Pulse at the start of a launch.
    pub flush_loads: Net,
    /// High while the launch drains.
    pub flush_stores: Net,
    /// Data of each port's read channel, common to its units.
    pub r_data: Vec<Net>,
    /// Units that read.
    pub readers: Vec<ReadUnit>,
    /// Units that write.
    pub writers: Vec<WriteUnit>,
    /// One-bit conditions that all hold when nothing is under way.
    pub idle: Vec<Expr>,
    /// On-chip memories.
    pub on_chip: IndexMap<MemoryId, OnChip>,
    /// Atomic accesses to device memory.
    pub atomics: Vec<AtomicClient>,
    /// Operations on connected pipes, by argument.
    pub pipes: IndexMap<u32, Vec<PipeClient>>,
    /// Loads that wait for others to share a unit with.
    load_clients: IndexMap<LoadShape, Vec<LoadClient>>,
}

impl Memories {
    /// No unit yet. `flush_loads` pulses at the start of a launch, `flush_stores` is high while
    /// it drains, `r_data` is the data of each port's read channel.
    pub fn new(
        bus_bytes: u32,
        depths: Depths,
        flush_loads: Net,
        flush_stores: Net,
        r_data: Vec<Net>,
    ) -> Self {
        Memories {
            bus_bytes,
            depths,
            flush_loads,
            flush_stores,
            r_data,
            readers: vec![],
            writers: vec![],
            idle: vec![],
            on_chip: IndexMap::default(),
            atomics: vec![],
            pipes: IndexMap::default(),
            load_clients: IndexMap::default(),
        }
    }

    /// Connects an access and drives `request.ready`.
    pub fn connect(
        &mut self,
        b: &mut ModuleBuilder,
        sh: &Shared,
        inst: Inst,
        request: Request,
    ) -> Answer {
        let access = &sh.s.accesses[&inst];
        match (sh.s.memories[access.memory].kind, access.kind) {
            (MemoryKind::Device { .. }, AccessKind::Load) => self.load(b, sh, inst, request),
            (MemoryKind::Device { .. }, AccessKind::Store) => self.store(b, sh, inst, request),
            (MemoryKind::Device { .. }, AccessKind::Atomic(op)) => {
                self.atomic(b, sh, inst, op, request)
            }
            (MemoryKind::Pipe { .. }, _) | (_, AccessKind::Pipe(_)) => {
                self.pipe(b, sh, inst, request)
            }
            (MemoryKind::Local | MemoryKind::Private, _) => self.on_chip(b, sh, inst, request),
        }
    }

    fn load(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let site = site(sh, inst);
        let access = &sh.s.accesses[&inst];
        let answer = Stream::new(b, &format!("load{site}"), 8 * access.bytes);
        let (address, pred) = (device_address(b, &r), predicate(sh, inst, &r));
        let parts = b.expr_width(&pred);
        let port = port_of(sh, access);
        let schedule::Access { bytes, read_only, cache_lines, .. } = *access;
        let words = access.is_realigned();
        let leisure = if cache_lines > 0 { leisurely_loop(sh, inst) } else { None };
        let in_loop = leisure.map(|(number, _)| number);
        let ahead = is_ahead(sh, inst);
        let shape = match words {
            false => {
                LoadShape { port, bytes, read_only, cache_lines, parts, words, in_loop, ahead }
            }
            // A load may take what one before it has read: so may its words.
            true => {
                let bytes = realign::window(access, parts, self.bus_bytes);
                let (read_only, parts) = (access.reuse, 1);
                LoadShape { port, bytes, read_only, cache_lines, parts, words, in_loop, ahead }
            }
        };
        let mut client = LoadClient {
            valid: r.valid,
            ready: r.ready,
            address,
            pred,
            answer,
            site,
            place: sh.place_of(inst),
        };
        let share = loads_per_unit(sh, port).max(leisure.map_or(1, |(_, interval)| interval));
        let depth = if share == 1 { self.depths.loads } else { SHARED_DEPTH };
        if words {
            client = realign::load(b, sh, access, self.flush_loads, client, (shape, depth));
        }
        let waiting = self.load_clients.entry(shape).or_default();
        waiting.push(client);
        if waiting.len() as u32 >= share {
            let clients = std::mem::take(waiting);
            self.load_unit(b, sh, shape, clients);
        }
        let stages = STAGES + if words { realign::STAGES } else { 0 };
        Answer { stream: Some(answer), depth: depth + stages }
    }

    /// Makes the units of loads that still wait for others to share one with.
    pub fn finish_loads(&mut self, b: &mut ModuleBuilder, sh: &Shared) {
        for (shape, clients) in std::mem::take(&mut self.load_clients) {
            if !clients.is_empty() {
                self.load_unit(b, sh, shape, clients);
            }
        }
    }

    /// One load unit for its clients.
    pub fn load_unit(
        &mut self,
        b: &mut ModuleBuilder,
        sh: &Shared,
        shape: LoadShape,
        mut clients: Vec<LoadClient>,
    ) {
        let bytes = shape.bytes;
        let site = clients[0].site;
        let name = format!("load{site}");
        let nets = [
            b.net(&format!("{name}_ar_valid"), 1),
            b.net(&format!("{name}_ar_ready"), 1),
            b.net(&format!("{name}_ar_line"), line_bits(self.bus_bytes)),
            b.net(&format!("{name}_ar_len"), 8),
            b.net(&format!("{name}_r_valid"), 1),
        ];
        let place = clients[0].place.clone();
        let c = if clients.len() == 1 {
            clients.remove(0)
        } else {
            shared(b, &name, shape, self.depths.loads, clients)
        };
        let cached = shape.cache_lines > 0;
        let module = if cached { "clhls_load_cached" } else { "clhls_load" };
        let mut unit = b
            .instance(module, &format!("u_{name}"))
            .comment(format!("load of {bytes} bytes {place}"))
            .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
            .param("DEVICE_BITS", sh.address_bits)
            .param("BYTES", bytes)
            .param("BUS_BYTES", self.bus_bytes)
            .param("DEPTH", self.depths.loads)
            .param("DEPTH_BEATS", self.depths.beats)
            .param("PARTS", shape.parts);
        unit = match cached {
            true => unit
                .param("LINE_BYTES", schedule::cache_line_bytes(self.bus_bytes))
                .param("LINES", shape.cache_lines),
            false => {
                unit.param("READ_ONLY", shape.read_only).param("LINE_WAIT", line_wait(sh, true))
            }
        };
        let reported =
            if shape.words { realign::NO_SITE } else { reported_site(site, shape.ahead) };
        unit.param("SITE", reported)
            .param("TARGET", Param::Text(sh.target.to_owned()))
            .input("flush", self.flush_loads)
            .input("s_valid", c.valid)
            .output("s_ready", c.ready)
            .input("s_addr", c.address)
            .input("s_pred", c.pred)
            .output("m_valid", c.answer.valid)
            .input("m_ready", c.answer.ready)
            .output("m_data", c.answer.data)
            .output("ar_valid", nets[0])
            .input("ar_ready", nets[1])
            .output("ar_line", nets[2])
            .output("ar_len", nets[3])
            .input("r_valid", nets[4])
            .input("r_data", self.r_data[shape.port as usize])
            .done();
        self.readers.push(ReadUnit { port: shape.port, nets });
    }

    fn store(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let site = site(sh, inst);
        let access = sh.s.accesses[&inst].clone();
        let name = format!("store{site}");
        let writer = write_nets(b, &name, port_of(sh, &access), self.bus_bytes);
        let [
            aw_valid,
            aw_ready,
            aw_line,
            aw_len,
            w_valid,
            w_ready,
            w_data,
            w_strb,
            w_last,
            b_valid,
        ] = writer.nets;
        let idle = b.net(&format!("{name}_idle"), 1);
        let valid = net(b, r.valid.clone());
        let answer = access.ack.then(|| {
            let s = Stream::new(b, &name, 1);
            b.assign(s.data, Expr::bit(false));
            s
        });
        let (m_valid, m_ready) = match answer {
            Some(s) => (s.valid, Expr::Net(s.ready)),
            None => (b.net(&format!("{name}_no_answer"), 1), Expr::bit(true)),
        };
        let mut client = StoreClient {
            valid: valid.into(),
            ready: r.ready,
            address: device_address(b, &r),
            data: r.operands[1].clone(),
            strobes: Expr::bit(false),
            pred: Expr::bit(false),
            answer: (m_valid, m_ready),
        };
        let mask = predicate(sh, inst, &r);
        let mut parts = b.expr_width(&mask);
        let (mut reported, mut bytes) = (site, access.bytes);
        if access.is_realigned() {
            bytes = realign::window(&access, parts, self.bus_bytes);
            let source = StoreSource {
                site,
                line_wait: line_wait(sh, access.ack),
                window: bytes,
                depth: self.depths.stores,
                place: sh.place_of(inst),
                flush: self.flush_stores,
                mask,
            };
            let kept;
            (client, kept) = realign::store(b, sh, &access, source, client);
            self.idle.push(kept);
            (parts, reported) = (1, realign::NO_SITE);
        } else {
            let mask = net(b, mask);
            let strobe = |k| b.slice(mask, k, 1).repeat(access.bytes / parts);
            client.strobes = Expr::concat((0..parts).rev().map(strobe).collect());
            client.pred = match parts {
                1 => mask.into(),
                _ => Expr::any((0..parts).map(|k| b.slice(mask, k, 1))),
            };
        }
        b.instance("clhls_store", &format!("u_{name}"))
            .comment(format!("store of {bytes} bytes {}", sh.place_of(inst)))
            .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
            .param("DEVICE_BITS", sh.address_bits)
            .param("BYTES", bytes)
            .param("BUS_BYTES", self.bus_bytes)
            .param("ACK", access.ack)
            .param("PARTS", parts)
            .param("DEPTH", self.depths.stores)
            .param("BURSTS", self.depths.bursts)
            .param("LINE_WAIT", line_wait(sh, access.ack))
            .param("SITE", reported)
            .param("TARGET", Param::Text(sh.target.to_owned()))
            .input("flush", self.flush_stores)
            .output("idle", idle)
            .input("s_valid", client.valid)
            .output("s_ready", client.ready)
            .input("s_addr", client.address)
            .input("s_data", client.data)
            .input("s_strb", client.strobes)
            .input("s_pred", client.pred)
            .output("m_valid", client.answer.0)
            .input("m_ready", client.answer.1)
            .output("aw_valid", aw_valid)
            .input("aw_ready", aw_ready)
            .output("aw_line", aw_line)
            .output("aw_len", aw_len)
            .output("w_valid", w_valid)
            .input("w_ready", w_ready)
            .output("w_data", w_data)
            .output("w_strb", w_strb)
            .output("w_last", w_last)
            .input("b_valid", b_valid)
            .done();
        self.writers.push(writer);
        // A request that still stands in front of the unit keeps the launch open, too.
        self.idle.push(Expr::all([idle.into(), Expr::Net(valid).not()]));
        let stages = STAGES + if access.is_realigned() { realign::STAGES } else { 0 };
        Answer { stream: answer, depth: self.depths.stores + stages }
    }

    fn atomic(
        &mut self,
        b: &mut ModuleBuilder,
        sh: &Shared,
        inst: Inst,
        op: AtomicOp,
        r: Request,
    ) -> Answer {
        let site = site(sh, inst);
        let bytes = sh.s.accesses[&inst].bytes;
        let name = format!("atomic{site}");
        let layout = crate::atomics::RequestLayout::new(DEVICE_ADDRESS_BITS, bytes);
        let address = device_address(b, &r);
        let pred = predicate(sh, inst, &r);
        let packed = layout.pack(op, address, &r.operands, pred);
        let data = b.wire(&format!("{name}_request"), packed);
        let valid = net(b, r.valid);
        let request = Stream { valid, ready: r.ready, data };
        let answer = Stream::new(b, &name, 8 * bytes);
        let pipe = crate::atomics::on_pipe(sh, &sh.s.accesses[&inst]);
        self.atomics.push(AtomicClient { request, answer, site, bytes, pipe });
        self.idle.push(Expr::Net(valid).not());
        Answer { stream: Some(answer), depth: self.depths.loads + STAGES }
    }

    fn on_chip(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let access = sh.s.accesses[&inst].clone();
        let memory = &sh.s.memories[access.memory];
        let site = site(sh, inst);
        let answer =
            access.has_response().then(|| Stream::new(b, &format!("mem{site}"), 8 * access.bytes));
        let pred = predicate(sh, inst, &r);
        let port = Port::new(b, sh, &access, memory, r, pred, answer, site);
        self.on_chip.entry(access.memory).or_default().ports.push(port);
        Answer { stream: answer, depth: crate::onchip::PORT_DEPTH }
    }
}

/// Loads that share a unit: one, unless the memory port has too few ids for a unit each.
fn loads_per_unit(sh: &Shared, port: u32) -> u32 {
    let device = |(inst, a): &(&Inst, &schedule::Access)| {
        let here = sh.s.memories[a.memory].kind == MemoryKind::Device { port };
        a.kind == AccessKind::Load && here && sh.s.place[**inst] != Some(Place::Fetched)
    };
    let loads = sh.s.accesses.iter().filter(device).count() as u32 * sh.compute_units;
    loads.div_ceil(MOST_LOAD_UNITS).max(1)
}

/// The pipelined loop around a load whose iterations are several cycles apart, and these cycles: so many loads of an
/// iteration have their turns at one unit, whose cache then holds each line once.
fn leisurely_loop(sh: &Shared, inst: Inst) -> Option<(usize, u32)> {
    let holds = |block: ir::Block| sh.s.func.blocks[block].insts.contains(&inst);
    let (number, around) =
        sh.s.loops
            .iter()
            .enumerate()
            .find(|(_, l)| l.kind == LoopKind::Pipelined && l.blocks.iter().any(|b| holds(*b)))?;
    (sh.compute_units == 1 && around.ii > 1).then_some((number, around.ii.min(MOST_SHARING)))
}

/// The sharing module in front of a unit; gives the unit's side as a client.
fn shared(
    b: &mut ModuleBuilder,
    name: &str,
    shape: LoadShape,
    outstanding: u32,
    clients: Vec<LoadClient>,
) -> LoadClient {
    let n = clients.len() as u32;
    let width = 8 * shape.bytes;
    let (ready, valid) =
        (b.net(&format!("{name}_client_ready"), n), b.net(&format!("{name}_client_valid"), n));
    let data = b.net(&format!("{name}_client_data"), n * width);
    let unit = LoadClient {
        valid: b.net(&format!("{name}_unit_valid"), 1).into(),
        ready: b.net(&format!("{name}_unit_ready"), 1),
        address: b.net(&format!("{name}_unit_addr"), DEVICE_ADDRESS_BITS).into(),
        pred: b.net(&format!("{name}_unit_pred"), shape.parts).into(),
        answer: Stream::new(b, &format!("{name}_unit"), width),
        site: clients[0].site,
        place: clients[0].place.clone(),
    };
    let all = |f: &dyn Fn(&LoadClient) -> Expr| Expr::concat(clients.iter().rev().map(f).collect());
    let out = |e: &Expr, b: &mut ModuleBuilder| net(b, e.clone());
    let (u_valid, u_addr, u_pred) =
        (out(&unit.valid, b), out(&unit.address, b), out(&unit.pred, b));
    b.instance("clhls_load_share", &format!("u_{name}_share"))
        .comment(clients.iter().map(|c| c.place.as_str()).collect::<Vec<_>>().join(" "))
        .param("N", n)
        .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
        .param("WIDTH", width)
        .param("PARTS", shape.parts)
        .param("DEPTH", SHARED_DEPTH)
        .param("OUTSTANDING", outstanding)
        .input("s_valid", all(&|c| c.valid.clone()))
        .output("s_ready", ready)
        .input("s_addr", all(&|c| c.address.clone()))
        .input("s_pred", all(&|c| c.pred.clone()))
        .output("m_valid", valid)
        .input("m_ready", all(&|c| c.answer.ready.into()))
        .output("m_data", data)
        .output("u_valid", u_valid)
        .input("u_ready", unit.ready)
        .output("u_addr", u_addr)
        .output("u_pred", u_pred)
        .input("u_answer_valid", unit.answer.valid)
        .output("u_answer_ready", unit.answer.ready)
        .input("u_answer", unit.answer.data)
        .done();
    for (k, c) in clients.iter().enumerate() {
        let k = k as u32;
        let (r, v) = (b.slice(ready, k, 1), b.slice(valid, k, 1));
        let d = b.slice(data, k * width, width);
        b.assign(c.ready, r);
        b.assign(c.answer.valid, v);
        b.assign(c.answer.data, d);
    }
    unit
}

/// Nets of a writing unit.
pub fn write_nets(b: &mut ModuleBuilder, name: &str, port: u32, bus_bytes: u32) -> WriteUnit {
    WriteUnit {
        port,
        nets: [
            b.net(&format!("{name}_aw_valid"), 1),
            b.net(&format!("{name}_aw_ready"), 1),
            b.net(&format!("{name}_aw_line"), line_bits(bus_bytes)),
            b.net(&format!("{name}_aw_len"), 8),
            b.net(&format!("{name}_w_valid"), 1),
            b.net(&format!("{name}_w_ready"), 1),
            b.net(&format!("{name}_w_data"), 8 * bus_bytes),
            b.net(&format!("{name}_w_strb"), bus_bytes),
            b.net(&format!("{name}_w_last"), 1),
            b.net(&format!("{name}_b_valid"), 1),
        ],
    }
}

/// The memory port of an access to device memory.
pub fn port_of(sh: &Shared, access: &schedule::Access) -> u32 {
    match sh.s.memories[access.memory].kind {
        MemoryKind::Device { port } => port,
        MemoryKind::Local | MemoryKind::Private | MemoryKind::Pipe { .. } => 0,
    }
}

/// Memory ports of a kernel; one at least, which may be idle.
pub fn port_count(s: &schedule::KernelSchedule) -> u32 {
    let ports = s.memories.values().map(|m| match m.kind {
        MemoryKind::Device { port } => port + 1,
        MemoryKind::Local | MemoryKind::Private | MemoryKind::Pipe { .. } => 1,
    });
    ports.max().unwrap_or(1)
}

/// Number of an access in the manifest and in simulation.
pub fn site(sh: &Shared, inst: Inst) -> u32 {
    sh.s.accesses.get_index_of(&inst).unwrap_or(0) as u32
}

/// Bit of the number by which a load in simulation tells that it may be ahead of a condition, so that its address may be any: `CLHLS_SITE_AHEAD` of
/// `clhls_sim.h`.
const SITE_AHEAD: u32 = 0x4000_0000;

/// The number that a load tells in simulation.
pub fn reported_site(site: u32, ahead: bool) -> u32 {
    if ahead { site | SITE_AHEAD } else { site }
}

/// Whether an access stands in a loop whose iterations begin ahead of its condition.
fn is_ahead(sh: &Shared, inst: Inst) -> bool {
    let mut loops = sh.s.pipelined.iter().filter(|(_, p)| p.speculated);
    loops.any(|(block, _)| sh.s.func.blocks[*block].insts.contains(&inst))
}

/// Idle cycles after which an open line is fetched or written. A single work-item waits for its loads
/// and acknowledged stores, so these lines go out at once; nobody waits for posted stores, which share lines.
fn line_wait(sh: &Shared, waited_for: bool) -> u32 {
    if sh.s.task && waited_for { 0 } else { 16 }
}

/// The 64-bit device address of a request.
fn device_address(b: &mut ModuleBuilder, r: &Request) -> Expr {
    let address = r.operands[0].clone();
    let width = b.expr_width(&address);
    if width == DEVICE_ADDRESS_BITS {
        return address;
    }
    Expr::Concat(vec![Expr::Const(DEVICE_ADDRESS_BITS - width, 0), address])
}

/// Which equal parts of the access happen, one bit each; one bit when it is not masked.
pub fn predicate(sh: &Shared, inst: Inst, r: &Request) -> Expr {
    let predicated = sh.s.func.insts[inst].op.predicated() == Some(true);
    let last = r.operands.last().filter(|_| predicated);
    last.cloned().unwrap_or(Expr::bit(true))
}

#[cfg(test)]
mod tests {
    use super::Depths;

    /// Simulated: random stores of `memory_rates` on `ulx3s` take 16485 cycles for 16384 at a latency of 16 with 32 bursts, but 22141
    /// at 24, and 16501 with 64; on `u250`, at 100, 16667 stores and 17795 loads.
    #[test]
    fn depths_keep_one_request_a_cycle() {
        let depths = |loads, beats, stores, bursts| Depths { loads, beats, stores, bursts };
        assert_eq!(Depths::new(16), depths(64, 32, 64, 32));
        assert_eq!(Depths::new(24), depths(128, 64, 128, 64));
        assert_eq!(Depths::new(40), depths(128, 64, 128, 64));
        assert_eq!(Depths::new(100), depths(256, 256, 256, 128));
        assert_eq!(Depths::new(1000), depths(512, 256, 512, 256));
    }
}
