//! Connected pipes: an AXI4-Stream of the kernel for each, and the unit behind it that serves the kernel's operations.

use crate::core::Shared;
use crate::memory::{Answer, Memories, Request, predicate};
use crate::operation::net;
use crate::token::Stream;
use abi::StreamPort;
use ir::{Inst, KernelArgKind, PipeAccess, PipeOp};
use rtl::build::InstanceBuilder;
use rtl::{Binary, Expr, ModuleBuilder, Param};
use schedule::AccessKind;

/// Work-items that may wait beside an operation: its answer and the channels.
const CLIENT_DEPTH: u32 = 8;
/// Packets that the writing end holds where none are reserved: the pipe's depth is at the reading end.
pub const WRITER_DEPTH: u32 = 16;
/// Packets between the RAM of reservations of the writing end and its stream: `OUT` of `clhls_pipe_reserving_writer`.
pub const RESERVING_WRITER_OUT: u32 = 5;
/// Least bits of an answer: those of a count.
const ANSWER_BITS: u32 = 32;
/// Those of a reservation, and of what an operation on one is told.
const RESERVATION_BITS: u32 = 64;

/// An operation of the kernel, at the unit of its pipe.
pub struct PipeClient {
    op: PipeOp,
    request: Stream,
    /// How many packets are reserved, the position of one, or a reservation: of an end whose packets are reserved.
    number: Expr,
    pred: Expr,
    /// All bits that the unit gives; the boundary takes those of the result.
    answer: Stream,
    place: String,
}

/// Code of an operation in the units' `KINDS` parameter.
fn code(op: PipeOp) -> u64 {
    match op {
        PipeOp::TakePacket | PipeOp::TakeRoom => 0,
        PipeOp::WaitPacket | PipeOp::WaitRoom => 1,
        PipeOp::ReadReserved | PipeOp::WriteReserved => 2,
        PipeOp::Read | PipeOp::Write => 3,
        // Not asked of the unit.
        PipeOp::Count | PipeOp::Most => 4,
        PipeOp::ReservePackets | PipeOp::ReserveRoom => 5,
        PipeOp::ReadAt | PipeOp::WriteAt => 6,
        PipeOp::CommitRead | PipeOp::CommitWrite => 7,
    }
}

/// A connected pipe of a kernel.
#[derive(Clone, Debug)]
pub struct PipeEnd {
    /// Index of the argument.
    pub arg: u32,
    /// What the kernel does with it.
    pub access: PipeAccess,
    /// Its port.
    pub port: StreamPort,
}

/// The port of a connected pipe where the user gives none: `axis_` and the argument's name.
pub fn stream_name(arg: &str, index: u32) -> String {
    match arg {
        "" => format!("axis_arg{index}"),
        name => format!("axis_{}", rtl::names::legal(name)),
    }
}

/// The connected pipes of a kernel.
pub fn ends(sh: &Shared) -> Vec<PipeEnd> {
    let func = &sh.s.func;
    let args = func.kernel.as_ref().map_or(&[][..], |k| &k.args);
    let end = |(k, a): (usize, &ir::KernelArg)| {
        let KernelArgKind::Pipe(access) = a.kind else { return None };
        let (arg, writes) = (k as u32, access.writes);
        let port = StreamPort {
            name: sh.stream_names.get(&arg).cloned().unwrap_or_else(|| stream_name(&a.name, arg)),
            data_bits: 8 * access.packet.unwrap_or(1),
            depth: access.connected?.max(1),
            writes,
            unit: unit_of(sh, arg, writes).to_owned(),
        };
        Some(PipeEnd { arg, access, port })
    };
    args.iter().enumerate().filter_map(end).collect()
}

/// The library's module behind the port of an argument; empty if the kernel does nothing there that needs one.
fn unit_of(sh: &Shared, arg: u32, writes: bool) -> &'static str {
    let ops = sh.s.accesses.values().filter(|a| a.argument == Some(arg)).filter_map(|a| {
        let AccessKind::Pipe(op) = a.kind else { return None };
        (op != PipeOp::Most).then_some(op)
    });
    let (mut any, mut by_position) = (false, false);
    for op in ops {
        any = true;
        by_position |= op.by_position() == Some(true);
    }
    match (any, by_position, writes) {
        (false, ..) => "",
        (true, false, false) => "clhls_pipe_reader",
        (true, true, false) => "clhls_pipe_reserving_reader",
        (true, false, true) => "clhls_pipe_writer",
        (true, true, true) => "clhls_pipe_reserving_writer",
    }
}

impl Memories {
    /// Connects an operation on a pipe and drives `request.ready`.
    pub fn pipe(&mut self, b: &mut ModuleBuilder, sh: &Shared, inst: Inst, r: Request) -> Answer {
        let access = &sh.s.accesses[&inst];
        let site = crate::memory::site(sh, inst);
        let AccessKind::Pipe(op) = access.kind else {
            unreachable!("the memory is a pipe: schedule::verify")
        };
        let arg = access.argument.unwrap_or_default();
        let end = ends(sh).into_iter().find(|e| e.arg == arg);
        let depth = end.as_ref().map_or(0, |e| e.port.depth);
        let packet_bits = end.map_or(8, |e| e.port.data_bits);
        let name = format!("pipe{site}");
        let pred = predicate(sh, inst, &r);
        if op == PipeOp::Most {
            let most = Expr::Const(ANSWER_BITS, depth.into());
            let most = Expr::bin(Binary::And, most, pred.repeat(ANSWER_BITS));
            return constant_answer(b, &name, r, most);
        }
        let packet = r.operands.first().filter(|_| op.writes()).cloned();
        let packet = packet.map_or(Expr::bit(false).repeat(packet_bits), |p| {
            let whole = net(b, p);
            b.slice(whole, 0, packet_bits)
        });
        let data = b.wire(&format!("{name}_packet"), packet);
        let number = r.operands.get(usize::from(op.writes()));
        let number = number.filter(|_| op.by_position() == Some(true)).cloned();
        let number = match number.map(|n| (b.expr_width(&n), n)) {
            Some((RESERVATION_BITS, n)) => n,
            Some((bits, n)) => {
                Expr::Concat(vec![Expr::bit(false).repeat(RESERVATION_BITS - bits), n])
            }
            None => Expr::bit(false).repeat(RESERVATION_BITS),
        };
        let valid = net(b, r.valid);
        let request = Stream { valid, ready: r.ready, data };
        // The type of a packet may be wider than the packet.
        let result = sh.s.func.insts[inst].result.map_or(1, |v| sh.s.func.bits(v));
        let answer = Stream::new(b, &name, result.max(packet_bits).max(ANSWER_BITS));
        let place = sh.place_of(inst);
        self.pipes.entry(arg).or_default().push(PipeClient {
            op,
            request,
            number,
            pred,
            answer,
            place,
        });
        Answer { stream: Some(answer), depth: CLIENT_DEPTH }
    }
}

/// The answer to what is known without asking the unit.
fn constant_answer(b: &mut ModuleBuilder, name: &str, r: Request, value: Expr) -> Answer {
    let answer = Stream::new(b, name, ANSWER_BITS);
    let [valid, ready] = [answer.valid, answer.ready];
    b.instance("clhls_skid", &format!("u_{name}"))
        .param("WIDTH", ANSWER_BITS)
        .input("s_valid", r.valid)
        .output("s_ready", r.ready)
        .input("s_data", value)
        .output("m_valid", valid)
        .input("m_ready", ready)
        .output("m_data", answer.data)
        .done();
    Answer { stream: Some(answer), depth: CLIENT_DEPTH }
}

/// Makes the units with their ports, when all clients are known.
pub fn build(b: &mut ModuleBuilder, sh: &Shared, m: &mut Memories) {
    let mut clients = std::mem::take(&mut m.pipes);
    for end in ends(sh) {
        let own = clients.swap_remove(&end.arg).unwrap_or_default();
        match (own.is_empty(), end.access.writes) {
            (true, writes) => unused(b, &end.port, writes),
            (false, false) => reader(b, sh, &end.port, &own),
            (false, true) => writer(b, sh, &end.port, &own),
        }
    }
}

/// A port that nothing uses.
fn unused(b: &mut ModuleBuilder, port: &StreamPort, writes: bool) {
    let name = |s: &str| format!("{}_{s}", port.name);
    if writes {
        for (signal, bits) in [("tvalid", 1), ("tdata", port.data_bits)] {
            let n = b.output(&name(signal), bits);
            b.assign(n, Expr::bit(false).repeat(bits));
        }
        b.input(&name("tready"), 1);
    } else {
        b.input(&name("tvalid"), 1);
        b.input(&name("tdata"), port.data_bits);
        let n = b.output(&name("tready"), 1);
        b.assign(n, Expr::bit(false));
    }
}

/// The units' `KINDS` parameter: four bits a client, the first in the lowest.
fn kinds(clients: &[PipeClient]) -> Param {
    let bits = 4 * clients.len() as u32;
    let mut words = vec![0u64; bits.div_ceil(64) as usize];
    for (k, c) in clients.iter().enumerate() {
        words[k / 16] |= code(c.op) << (4 * (k % 16));
    }
    Param::Bits(bits, words)
}

fn comment(clients: &[PipeClient]) -> String {
    let text = |c: &PipeClient| format!("{} {}", c.op.name(), c.place).trim_end().to_owned();
    clients.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Something of each client, the first in the lowest bits.
fn all(clients: &[PipeClient], f: &dyn Fn(&PipeClient) -> Expr) -> Expr {
    Expr::concat(clients.iter().rev().map(f).collect())
}

/// Whether packets of this end are reserved, so that they have positions.
fn by_position(clients: &[PipeClient]) -> bool {
    clients.iter().any(|c| c.op.by_position() == Some(true))
}

/// Bits of the unit's answers.
fn answer_bits(b: &ModuleBuilder, clients: &[PipeClient], port: &StreamPort) -> u32 {
    let least = if by_position(clients) { RESERVATION_BITS } else { ANSWER_BITS };
    // What is written is not answered.
    let own = clients.iter().filter(|_| !port.writes).map(|c| b.width(c.answer.data));
    own.max().unwrap_or(least).max(least)
}

fn reader(b: &mut ModuleBuilder, sh: &Shared, port: &StreamPort, clients: &[PipeClient]) {
    let name = |s: &str| format!("{}_{s}", port.name);
    let [valid, data] =
        [("tvalid", 1), ("tdata", port.data_bits)].map(|(s, bits)| b.input(&name(s), bits));
    let ready = b.output(&name("tready"), 1);
    let depth = if by_position(clients) { port.depth } else { port.depth.max(2) };
    let unit = Unit { module: &port.unit, depth };
    unit.build(b, sh, port, clients, &|unit| {
        unit.input("s_tvalid", valid).output("s_tready", ready).input("s_tdata", data)
    });
}

fn writer(b: &mut ModuleBuilder, sh: &Shared, port: &StreamPort, clients: &[PipeClient]) {
    let name = |s: &str| format!("{}_{s}", port.name);
    let [valid, data] =
        [("tvalid", 1), ("tdata", port.data_bits)].map(|(s, bits)| b.output(&name(s), bits));
    let ready = b.input(&name("tready"), 1);
    // As much as the pipe holds can be reserved.
    let depth = if by_position(clients) { port.depth } else { WRITER_DEPTH };
    let unit = Unit { module: &port.unit, depth };
    let packets = all(clients, &|c| c.request.data.into());
    unit.build(b, sh, port, clients, &|unit| {
        let unit = unit.output("m_tvalid", valid).input("m_tready", ready).output("m_tdata", data);
        unit.input("c_data", packets.clone())
    });
}

/// The library's module for an end.
struct Unit<'a> {
    module: &'a str,
    /// Packets that it holds.
    depth: u32,
}

impl Unit<'_> {
    /// Makes it, with what `stream` adds, and gives the clients its answers.
    fn build(
        self,
        b: &mut ModuleBuilder,
        sh: &Shared,
        port: &StreamPort,
        clients: &[PipeClient],
        stream: &dyn Fn(InstanceBuilder<'_>) -> InstanceBuilder<'_>,
    ) {
        let n = clients.len() as u32;
        let name = |s: &str| format!("{}_{s}", port.name);
        let width = answer_bits(b, clients, port);
        let nets = [("c_ready", n), ("m_valid", n), ("m_data", n * width)];
        let [c_ready, m_valid, m_data] = nets.map(|(s, bits)| b.net(&name(s), bits));
        let unit = b.instance(self.module, &format!("u_{}", port.name));
        let mut unit = unit
            .comment(comment(clients))
            .param("N", n)
            .param("BITS", port.data_bits)
            .param("WIDTH", width)
            .param("DEPTH", self.depth)
            .param("KINDS", kinds(clients))
            .param("TARGET", Param::Text(sh.target.to_owned()))
            .input("c_valid", all(clients, &|c| c.request.valid.into()))
            .output("c_ready", c_ready)
            .input("c_pred", all(clients, &|c| c.pred.clone()))
            .output("m_valid", m_valid)
            .input("m_ready", all(clients, &|c| c.answer.ready.into()))
            .output("m_data", m_data);
        if by_position(clients) {
            unit = unit.input("c_arg", all(clients, &|c| c.number.clone()));
        }
        stream(unit).done();
        answers(b, clients, (c_ready, m_valid, m_data), width);
    }
}

/// Gives the clients what the unit says.
fn answers(
    b: &mut ModuleBuilder,
    clients: &[PipeClient],
    (ready, valid, data): (rtl::Net, rtl::Net, rtl::Net),
    width: u32,
) {
    for (k, c) in clients.iter().enumerate() {
        let k = k as u32;
        let (r, v) = (b.slice(ready, k, 1), b.slice(valid, k, 1));
        b.assign(c.request.ready, r);
        b.assign(c.answer.valid, v);
        let own = b.width(c.answer.data);
        let low = b.slice(data, k * width, own.min(width));
        let whole = match own > width {
            true => Expr::Concat(vec![Expr::bit(false).repeat(own - width), low]),
            false => low,
        };
        b.assign(c.answer.data, whole);
    }
}
