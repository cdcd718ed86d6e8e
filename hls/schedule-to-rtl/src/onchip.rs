//! On-chip memories: local memory with a copy for each work-group slot, private memory with a
//! copy for each work-item in flight.

use crate::atomics;
use crate::core::Shared;
use crate::memory::Request;
use crate::operation::net;
use crate::timed::{self, TimedPort};
use crate::token::Stream;
use rtl::{Expr, ModuleBuilder, Net, Param};
use schedule::{Access, AccessKind, Memory, MemoryId, MemoryKind};

/// Work-items that may wait beside an on-chip access: its latency and channels.
pub const PORT_DEPTH: u32 = 16;

/// The ports of one memory, in order of their sites.
#[derive(Default)]
pub struct OnChip {
    /// Ports.
    pub ports: Vec<Port>,
    /// Accesses that have cycles: then there are no others.
    pub timed: Vec<TimedPort>,
}

/// A client port of an on-chip memory.
pub struct Port {
    request: Stream,
    kind: AccessKind,
    replica: u32,
    word_address: Expr,
    data: Expr,
    expected: Expr,
    strobe: Expr,
    pred: Net,
    answer: Option<PortAnswer>,
}

struct PortAnswer {
    valid: Net,
    ready: Net,
    word: Net,
}

/// Shape of a memory's address: copy number above the word number.
pub(crate) struct Shape {
    pub(crate) word_bits: u32,
    copy_bits: u32,
    pub(crate) words: u64,
}

/// That of a memory with a single copy.
pub(crate) fn shape_of_one(m: &Memory) -> Shape {
    let words = words(m);
    Shape { word_bits: rtl::bits_for(words), copy_bits: 0, words }
}

fn shape(sh: &Shared, m: &Memory) -> Shape {
    let o = &sh.s.occupancy;
    let words = words(m);
    let copy_bits = match m.kind {
        MemoryKind::Private => o.slot_bits + o.lid_bits,
        _ => o.slot_bits,
    };
    let word_bits = rtl::bits_for(words);
    let words = if copy_bits == 0 { words } else { 1u64 << (word_bits + copy_bits) };
    Shape { word_bits, copy_bits, words }
}

/// Bits of a byte address that an access to a memory looks at.
pub fn address_bits(m: &Memory) -> u32 {
    m.word_bytes.ilog2() + rtl::bits_for(words(m))
}

fn words(m: &Memory) -> u64 {
    (m.bytes / u64::from(m.word_bytes)).max(2)
}

impl Port {
    /// Adds the port of one access; drives `r.ready` and, for answers, `answer`.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        b: &mut ModuleBuilder,
        sh: &Shared,
        access: &Access,
        memory: &Memory,
        r: Request,
        pred: Expr,
        answer: Option<Stream>,
        site: u32,
    ) -> Port {
        let name = format!("mem{site}");
        let shape = shape(sh, memory);
        let word_lo = memory.word_bytes.ilog2();
        let address = net(b, r.operands[0].clone());
        let word = b.slice(address, word_lo, shape.word_bits);
        let mut parts = vec![];
        if shape.copy_bits > 0 {
            if sh.s.occupancy.slot_bits > 0 {
                parts.push(r.slot);
            }
            if memory.kind == MemoryKind::Private && sh.s.occupancy.lid_bits > 0 {
                parts.push(r.lid);
            }
        }
        parts.push(word);
        let lanes = memory.word_bytes / access.bytes;
        let lane = (lanes > 1)
            .then(|| b.slice(address, access.bytes.ilog2(), word_lo - access.bytes.ilog2()));
        let (data, strobe) = write_data(b, access, &r.operands, lanes, lane.clone());
        let expected = match access.kind {
            AccessKind::Atomic(op) if op.value_operands() >= 2 => {
                let value = net(b, r.operands[2].clone());
                Expr::concat(vec![Expr::Net(value); lanes as usize])
            }
            _ => Expr::Const(8 * memory.word_bytes, 0),
        };
        let valid = net(b, r.valid);
        let request = Stream { valid, ready: r.ready, data: valid };
        let pred = net(b, pred);
        let mut port = Port {
            request,
            kind: access.kind,
            replica: access.replica,
            word_address: Expr::concat(parts),
            data,
            expected,
            strobe,
            pred,
            answer: None,
        };
        if let Some(answer) = answer {
            let lane = lane.filter(|_| access.kind != AccessKind::Store);
            port.answer = Some(port.answer_path(b, &name, access, memory, answer, lane));
        }
        port
    }

    /// From the memory's word to the access's bytes. The lane of a narrow load waits in a FIFO
    /// beside the memory.
    fn answer_path(
        &mut self,
        b: &mut ModuleBuilder,
        name: &str,
        access: &Access,
        memory: &Memory,
        answer: Stream,
        lane: Option<Expr>,
    ) -> PortAnswer {
        let word = b.net(&format!("{name}_word"), 8 * memory.word_bytes);
        let bits = 8 * access.bytes;
        let Some(lane) = lane else {
            let low = b.slice(word, 0, bits);
            b.assign(answer.data, low);
            return PortAnswer { valid: answer.valid, ready: answer.ready, word };
        };
        let width = b.expr_width(&lane);
        let (unit_ready, lane_ready) =
            (b.net(&format!("{name}_unit_ready"), 1), b.net(&format!("{name}_lane_ready"), 1));
        let outer = self.request;
        let both = Expr::all([unit_ready.into(), lane_ready.into()]);
        b.assign(outer.ready, both);
        let unit_valid = b.wire(
            &format!("{name}_unit_valid"),
            Expr::all([outer.valid.into(), lane_ready.into()]),
        );
        let lane_valid = Expr::all([outer.valid.into(), unit_ready.into()]);
        let lanes = Stream::new(b, &format!("{name}_lane"), width);
        let (valid, ready) =
            (b.net(&format!("{name}_word_valid"), 1), b.net(&format!("{name}_word_ready"), 1));
        b.instance("clhls_fifo", &format!("u_{name}_lane"))
            .param("WIDTH", width)
            .param("DEPTH", PORT_DEPTH)
            .input("s_valid", lane_valid)
            .output("s_ready", lane_ready)
            .input("s_data", lane)
            .output("m_valid", lanes.valid)
            .input("m_ready", lanes.ready)
            .output("m_data", lanes.data)
            .done();
        // Registers behind the multiplexer: a segment counts on answers that stand at the start of a cycle.
        let out = Stream::new(b, &format!("{name}_narrow"), bits);
        b.instance("clhls_skid", &format!("u_{name}_narrow"))
            .param("WIDTH", bits)
            .input("s_valid", out.valid)
            .output("s_ready", out.ready)
            .input("s_data", out.data)
            .output("m_valid", answer.valid)
            .input("m_ready", answer.ready)
            .output("m_data", answer.data)
            .done();
        b.assign(out.valid, Expr::all([valid.into(), lanes.valid.into()]));
        b.assign(ready, Expr::all([out.ready.into(), lanes.valid.into()]));
        b.assign(lanes.ready, Expr::all([out.ready.into(), valid.into()]));
        let all = (0..memory.word_bytes / access.bytes).map(|k| b.slice(word, k * bits, bits));
        let chosen = choose(b, lanes.data, all.collect());
        b.assign(out.data, chosen);
        self.request = Stream { valid: unit_valid, ready: unit_ready, data: unit_valid };
        PortAnswer { valid, ready, word }
    }
}

/// That of the values, a power of two, whose number is `select`: a tree of multiplexers, one level for each bit.
pub(crate) fn choose(b: &mut ModuleBuilder, select: Net, mut values: Vec<Expr>) -> Expr {
    for bit in 0..b.width(select) {
        let upper = b.slice(select, bit, 1);
        let mut pairs = vec![];
        for pair in values.chunks(2) {
            pairs.push(upper.clone().mux(pair[pair.len() - 1].clone(), pair[0].clone()));
        }
        values = pairs;
    }
    values.swap_remove(0)
}

/// Data in every lane of the word, and strobes of the lane that is meant.
pub(crate) fn write_data(
    b: &mut ModuleBuilder,
    access: &Access,
    operands: &[Expr],
    lanes: u32,
    lane: Option<Expr>,
) -> (Expr, Expr) {
    let word_bytes = access.bytes * lanes;
    let has_data = match access.kind {
        AccessKind::Load | AccessKind::Pipe(_) => false,
        AccessKind::Store => true,
        AccessKind::Atomic(op) => op.value_operands() >= 1,
    };
    if !has_data {
        return (Expr::Const(8 * word_bytes, 0), Expr::Const(word_bytes, 0));
    }
    let ones = Expr::Const(access.bytes, (1 << access.bytes) - 1);
    let Some(lane) = lane else { return (operands[1].clone(), ones) };
    let value = net(b, operands[1].clone());
    let data = Expr::concat(vec![Expr::Net(value); lanes as usize]);
    let lane = net(b, lane);
    let width = b.width(lane);
    let strobe = (0..lanes)
        .rev()
        .map(|k| {
            let here = Expr::bin(rtl::Binary::Eq, lane.into(), Expr::Const(width, u128::from(k)));
            Expr::Repeat(access.bytes, Box::new(here))
        })
        .collect();
    (data, Expr::concat(strobe))
}

/// Makes the memory of `id` from its ports.
pub fn build(b: &mut ModuleBuilder, sh: &Shared, id: MemoryId, memory: &OnChip) {
    let m = &sh.s.memories[id];
    if m.timed.is_some() {
        return timed::build(b, sh, id, &memory.timed);
    }
    if let Some(replicas) = m.replicas {
        return replicated(b, sh, id, memory, replicas);
    }
    let shape = shape(sh, m);
    let ports = &memory.ports;
    let n = ports.len() as u32;
    let name = format!("{id}_{}", rtl::names::legal(&m.name));
    let all =
        |f: &dyn Fn(&Port) -> Expr| Expr::concat(ports.iter().rev().map(f).collect::<Vec<_>>());
    let mask = |f: &dyn Fn(&Port) -> bool| Param::mask(ports.iter().map(f));
    let ready = b.net(&format!("{name}_ready"), n);
    let valid = b.net(&format!("{name}_valid"), n);
    let data = b.net(&format!("{name}_data"), n * 8 * m.word_bytes);
    let answers = all(&ready_for_answer);
    let words = u32::try_from(shape.words).unwrap_or(u32::MAX);
    let narrow = ports.iter().filter(|p| p.kind == AccessKind::Store).count() > 1;
    let unit = b
        .instance("clhls_local_mem", &format!("u_{name}"))
        .comment(format!(
            "{:?} memory `{}`, {} words of {} bytes",
            m.kind, m.name, words, m.word_bytes
        ))
        .param("PORTS", n)
        .param("WORD_BYTES", m.word_bytes)
        .param("WORDS", words)
        .param("ATOMIC", m.atomic)
        .param("SUBWORD", narrow)
        .param("READS", mask(&|p| p.answer.is_some()))
        .param("WRITES", mask(&|p| p.kind != AccessKind::Load))
        .param("OPS", atomics::operations(ports.iter().map(|p| atomics::access_code(p.kind))))
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("s_valid", all(&|p| p.request.valid.into()))
        .output("s_ready", ready)
        .input("s_op", all(&|p| Expr::Const(4, u128::from(atomics::access_code(p.kind)))))
        .input("s_addr", all(&|p| p.word_address.clone()))
        .input("s_data", all(&|p| p.data.clone()))
        .input("s_compare", all(&|p| p.expected.clone()))
        .input("s_strb", all(&|p| p.strobe.clone()))
        .input("s_pred", all(&|p| p.pred.into()))
        .input("s_resp", all(&|p| Expr::bit(p.answer.is_some())))
        .output("m_valid", valid)
        .input("m_ready", answers)
        .output("m_data", data);
    let atomics =
        sh.s.accesses
            .values()
            .filter(|a| a.memory == id && matches!(a.kind, AccessKind::Atomic(_)));
    // What the parameter adds stands on the longest path of such a memory, and a carry goes no further than the widest operation.
    let sizes: Vec<u32> = atomics.map(|a| a.bytes).collect();
    let unit = if sizes.iter().any(|&bytes| bytes < m.word_bytes) {
        unit.param("NARROW", sizes.into_iter().fold(4, u32::max))
    } else {
        unit
    };
    unit.done();
    let nets = [ready, valid, data];
    connect(b, ports.iter(), nets, m.word_bytes);
}

/// Makes the memory of `id` out of equal RAMs: clients that store come first, then those that load, by the RAM that answers them.
fn replicated(b: &mut ModuleBuilder, sh: &Shared, id: MemoryId, memory: &OnChip, replicas: u32) {
    let m = &sh.s.memories[id];
    let (mut loads, stores): (Vec<&Port>, Vec<&Port>) =
        memory.ports.iter().partition(|p| p.kind == AccessKind::Load);
    loads.sort_by_key(|p| p.replica);
    let before = |k: u32| stores.len() + loads.iter().filter(|p| p.replica < k).count();
    let first: Vec<u16> = (0..=replicas).map(|k| before(k) as u16).collect();
    let (n, storing) = ((stores.len() + loads.len()) as u32, stores.len() as u32);
    let all_of = |ports: &[&Port], f: &dyn Fn(&Port) -> Expr| {
        Expr::concat(ports.iter().rev().map(|p| f(p)).collect::<Vec<_>>())
    };
    let ports: Vec<&Port> = stores.iter().chain(&loads).copied().collect();
    let all = |f: &dyn Fn(&Port) -> Expr| all_of(&ports, f);
    let name = format!("{id}_{}", rtl::names::legal(&m.name));
    let nets = [
        b.net(&format!("{name}_ready"), n),
        b.net(&format!("{name}_valid"), n),
        b.net(&format!("{name}_data"), n * 8 * m.word_bytes),
    ];
    let words = u32::try_from(shape(sh, m).words).unwrap_or(u32::MAX);
    // Work-items may load bytes of a word of which others store some.
    let part = |a: &Access| a.memory == id && a.kind == AccessKind::Store && a.bytes < m.word_bytes;
    b.instance("clhls_replicated_mem", &format!("u_{name}"))
        .comment(format!(
            "{:?} memory `{}`, {replicas} times {words} words of {} bytes",
            m.kind, m.name, m.word_bytes
        ))
        .param("PORTS", n)
        .param("STORES", storing)
        .param("REPLICAS", replicas)
        .param("FIRST", words_of_16(&first))
        .param("WORD_BYTES", m.word_bytes)
        .param("WORDS", words)
        .param("COLLIDES", sh.s.accesses.values().any(part))
        .param("READS", Param::mask(ports.iter().map(|p| p.answer.is_some())))
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("s_valid", all(&|p| p.request.valid.into()))
        .output("s_ready", nets[0])
        .input("s_addr", all(&|p| p.word_address.clone()))
        .input("s_data", all_of(&stores, &|p| p.data.clone()))
        .input("s_strb", all_of(&stores, &|p| p.strobe.clone()))
        .input("s_pred", all(&|p| p.pred.into()))
        .output("m_valid", nets[1])
        .input("m_ready", all(&ready_for_answer))
        .output("m_data", nets[2])
        .done();
    connect(b, ports, nets, m.word_bytes);
}

/// Numbers of 16 bits as one vector, the first in the lowest bits.
pub(crate) fn words_of_16(numbers: &[u16]) -> Param {
    let word = |four: &[u16]| four.iter().rev().fold(0u64, |w, n| w << 16 | u64::from(*n));
    Param::Bits(16 * numbers.len() as u32, numbers.chunks(4).map(word).collect())
}

/// Whether the client takes its answer; one that gets none always would.
fn ready_for_answer(p: &Port) -> Expr {
    p.answer.as_ref().map_or(Expr::bit(true), |a| a.ready.into())
}

/// Connects the clients to a memory's `[ready, valid, data]`.
fn connect<'p>(
    b: &mut ModuleBuilder,
    ports: impl IntoIterator<Item = &'p Port>,
    [ready, valid, data]: [Net; 3],
    word_bytes: u32,
) {
    for (k, p) in ports.into_iter().enumerate() {
        let k = k as u32;
        let bit = b.slice(ready, k, 1);
        b.assign(p.request.ready, bit);
        if let Some(a) = &p.answer {
            let v = b.slice(valid, k, 1);
            let w = b.slice(data, k * 8 * word_bytes, 8 * word_bytes);
            b.assign(a.valid, v);
            b.assign(a.word, w);
        }
    }
}
