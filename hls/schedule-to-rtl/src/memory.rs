//! Memory units: one load or store unit for each access to device memory, and the requests to
//! on-chip memories, which [`crate::onchip`] turns into memories at the end.

use crate::core::Shared;
use crate::onchip::{OnChip, Port};
use crate::operation::net;
use crate::token::Stream;
use base::IndexMap;
use ir::{AtomicOp, Inst, Op};
use rtl::{Expr, ModuleBuilder, Net, Param};
use schedule::{AccessKind, MemoryId, MemoryKind};

/// Requests that a load unit keeps in flight.
const LOAD_DEPTH: u32 = 256;
/// Beats that a load unit keeps in flight or buffered.
const LOAD_BEATS: u32 = 128;
/// Requests that an acknowledged store keeps in flight.
const STORE_DEPTH: u32 = 256;
/// Work-items that wait beside a unit beyond its own requests: what its stages hold.
const STAGES: u32 = 8;
/// Address bits of device memory.
const DEVICE_ADDRESS_BITS: u32 = 64;
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
    /// ar_valid, ar_ready, ar_line, ar_len, r_valid.
    pub nets: [Net; 5],
}

/// Nets of a unit towards the write multiplexer.
pub struct WriteUnit {
    /// aw_valid, aw_ready, aw_line, aw_len, w_valid, w_ready, w_data, w_strb, w_last, b_valid.
    pub nets: [Net; 10],
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
}

/// All memory units of a kernel.
pub struct Memories {
    /// Bytes of the device-memory bus.
    pub bus_bytes: u32,
    /// Pulse at the start of a launch.
    pub flush_loads: Net,
    /// High while the launch drains.
    pub flush_stores: Net,
    /// Data of the read channel, common to all units.
    pub r_data: Net,
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
}

impl Memories {
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
            (MemoryKind::Local | MemoryKind::Private, _) => self.on_chip(b, sh, inst, request),
        }
    }

    fn load(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let site = site(sh, inst);
        let access = &sh.s.accesses[&inst];
        let name = format!("load{site}");
        let answer = Stream::new(b, &name, 8 * access.bytes);
        let nets = [
            b.net(&format!("{name}_ar_valid"), 1),
            b.net(&format!("{name}_ar_ready"), 1),
            b.net(&format!("{name}_ar_line"), line_bits(self.bus_bytes)),
            b.net(&format!("{name}_ar_len"), 8),
            b.net(&format!("{name}_r_valid"), 1),
        ];
        let (address, pred) = (device_address(b, &r), predicate(sh, inst, &r));
        b.instance("clhls_load", &format!("u_{name}"))
            .comment(format!("load of {} bytes {}", access.bytes, sh.place_of(inst)))
            .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
            .param("BYTES", access.bytes)
            .param("BUS_BYTES", self.bus_bytes)
            .param("DEPTH", LOAD_DEPTH)
            .param("DEPTH_BEATS", LOAD_BEATS)
            .param("READ_ONLY", access.read_only)
            .param("LINE_WAIT", line_wait(sh))
            .param("SITE", site)
            .param("TARGET", Param::Text(sh.target.to_owned()))
            .input("flush", self.flush_loads)
            .input("s_valid", r.valid)
            .output("s_ready", r.ready)
            .input("s_addr", address)
            .input("s_pred", pred)
            .output("m_valid", answer.valid)
            .input("m_ready", answer.ready)
            .output("m_data", answer.data)
            .output("ar_valid", nets[0])
            .input("ar_ready", nets[1])
            .output("ar_line", nets[2])
            .output("ar_len", nets[3])
            .input("r_valid", nets[4])
            .input("r_data", self.r_data)
            .done();
        self.readers.push(ReadUnit { nets });
        Answer { stream: Some(answer), depth: LOAD_DEPTH + STAGES }
    }

    fn store(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let site = site(sh, inst);
        let access = sh.s.accesses[&inst].clone();
        let name = format!("store{site}");
        let writer = write_nets(b, &name, self.bus_bytes);
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
        let (address, pred) = (device_address(b, &r), predicate(sh, inst, &r));
        b.instance("clhls_store", &format!("u_{name}"))
            .comment(format!("store of {} bytes {}", access.bytes, sh.place_of(inst)))
            .param("ADDR_BITS", DEVICE_ADDRESS_BITS)
            .param("BYTES", access.bytes)
            .param("BUS_BYTES", self.bus_bytes)
            .param("ACK", access.ack)
            .param("DEPTH", STORE_DEPTH)
            .param("LINE_WAIT", line_wait(sh))
            .param("SITE", site)
            .param("TARGET", Param::Text(sh.target.to_owned()))
            .input("flush", self.flush_stores)
            .output("idle", idle)
            .input("s_valid", valid)
            .output("s_ready", r.ready)
            .input("s_addr", address)
            .input("s_data", r.operands[1].clone())
            .input("s_strb", Expr::Const(access.bytes, (1 << access.bytes) - 1))
            .input("s_pred", pred)
            .output("m_valid", m_valid)
            .input("m_ready", m_ready)
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
        Answer { stream: answer, depth: STORE_DEPTH + STAGES }
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
        self.atomics.push(AtomicClient { request, answer, site, bytes });
        self.idle.push(Expr::Net(valid).not());
        Answer { stream: Some(answer), depth: LOAD_DEPTH + STAGES }
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

/// Nets of a writing unit.
pub fn write_nets(b: &mut ModuleBuilder, name: &str, bus_bytes: u32) -> WriteUnit {
    WriteUnit {
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

/// Number of an access in the manifest and in simulation.
pub fn site(sh: &Shared, inst: Inst) -> u32 {
    sh.s.accesses.get_index_of(&inst).unwrap_or(0) as u32
}

/// Idle cycles after which an open line is fetched or written: a single work-item waits for it.
fn line_wait(sh: &Shared) -> u32 {
    if sh.s.task { 0 } else { 16 }
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

/// The access happens.
fn predicate(sh: &Shared, inst: Inst, r: &Request) -> Expr {
    let predicated = match sh.s.func.insts[inst].op {
        Op::Load(f) | Op::Store(f) | Op::Atomic(_, f) => f.predicated,
        _ => false,
    };
    let last = r.operands.last().filter(|_| predicated);
    last.cloned().unwrap_or(Expr::bit(true))
}
