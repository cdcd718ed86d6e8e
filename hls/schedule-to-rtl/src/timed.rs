//! Accesses to memories on the chip in cycles of their segments: a segment's module has ports for each, and the memory no handshakes.

use crate::core::Shared;
use crate::onchip::{self, Shape};
use crate::operation::net;
use crate::pipeline::Pipeline;
use base::FxHashMap;
use base::entity::EntityRef;
use ir::Inst;
use rtl::{Expr, ModuleBuilder, Net, Param};
use schedule::{Access, AccessKind, KernelSchedule, Memory, MemoryId};

/// An access in a segment, and the memory that it is one to.
pub struct TimedAccess {
    /// Its number in the manifest and in reports.
    site: u32,
    access: Access,
    memory: Memory,
    /// Whether its last operand says if it happens.
    predicated: bool,
}

/// The accesses of a schedule that have cycles.
pub fn accesses(s: &KernelSchedule) -> FxHashMap<Inst, TimedAccess> {
    let timed = (0..).zip(&s.accesses).filter(|(_, (_, a))| a.timed.is_some());
    let of = |(site, (inst, access)): (u32, (&Inst, &Access))| {
        let predicated = s.func.insts[*inst].op.predicated() == Some(true);
        let (access, memory) = (access.clone(), s.memories[access.memory].clone());
        (*inst, TimedAccess { site, access, memory, predicated })
    };
    timed.map(of).collect()
}

impl TimedAccess {
    /// Its memory.
    pub fn memory(&self) -> MemoryId {
        self.access.memory
    }

    fn lanes(&self) -> u32 {
        self.memory.word_bytes / self.access.bytes
    }

    fn name(&self, what: &str) -> String {
        format!("mem{}_{what}", self.site)
    }
}

impl Pipeline<'_> {
    /// Adds an access that starts at `cycle`: what the memory is asked stands at the module's outputs in that cycle, and the word of a load at its
    /// input when it does.
    pub(crate) fn timed_access(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        t: &TimedAccess,
    ) {
        let Some(valid) = self.valid else { unreachable!("{inst} does not know when it happens") };
        let shape = onchip::shape_of_one(&t.memory);
        let operands = self.operands(b, inst, cycle);
        let word_lo = t.memory.word_bytes.ilog2();
        let address = net(b, operands[0].clone());
        let word = b.slice(address, word_lo, shape.word_bits);
        let lane_lo = t.access.bytes.ilog2();
        let lane = (t.lanes() > 1).then(|| b.slice(address, lane_lo, word_lo - lane_lo));
        let predicate =
            operands.last().filter(|_| t.predicated).cloned().unwrap_or(Expr::bit(true));
        let here = b.slice(valid, cycle, 1);
        let out = |b: &mut ModuleBuilder, what: &str, width: u32, e: Expr, note: String| {
            let port = b.output(&t.name(what), width);
            b.assign_noted(port, e, note);
        };
        let note = self.note(inst);
        out(b, "addr", shape.word_bits, word, note);
        if t.access.kind == AccessKind::Store {
            out(b, "valid", 1, Expr::all([here, predicate]), String::new());
            let (data, strobe) = onchip::write_data(b, &t.access, &operands, t.lanes(), lane);
            out(b, "data", 8 * t.memory.word_bytes, data, String::new());
            out(b, "strb", t.memory.word_bytes, strobe, String::new());
            return;
        }
        out(b, "valid", 1, here, String::new());
        let cycles = self.cx.timing[inst].latency;
        let later = |b: &mut ModuleBuilder, what: &str, e: Expr| {
            (1..=cycles).fold(e, |e, k| b.delay(&format!("{}_p{k}", t.name(what)), e).into())
        };
        let word = b.input(&t.name("word"), 8 * t.memory.word_bytes);
        let bits = 8 * t.access.bytes;
        let mut value: Expr = word.into();
        if let Some(lane) = lane {
            let lane = later(b, "lane", lane);
            let lane = net(b, lane);
            let all = (0..t.lanes()).map(|k| b.slice(word, k * bits, bits)).collect();
            value = onchip::choose(b, lane, all);
        }
        if t.predicated {
            let happens = later(b, "happens", predicate);
            value = happens.mux(value, Expr::Const(bits, 0));
        }
        let Some(result) = self.cx.func.insts[inst].result else { return };
        let loaded = b.wire(&format!("v{}", result.index()), value);
        self.enter_at(result, cycle + cycles, loaded);
    }
}

/// What a segment asks of a memory: nets of the core.
pub struct TimedPort {
    port: u32,
    valid: Net,
    addr: Net,
    /// Data and strobes of a store.
    written: Option<[Net; 2]>,
    word: Option<Net>,
}

impl TimedPort {
    /// The nets of an access, and the ports of the segment's module that drive them, and that the last one of a load drives.
    pub fn new(b: &mut ModuleBuilder, t: &TimedAccess) -> (TimedPort, Vec<(String, Net)>) {
        let bytes = t.memory.word_bytes;
        let mut ports = vec![];
        let mut add = |b: &mut ModuleBuilder, what: &str, width: u32| {
            let n = b.net(&t.name(what), width);
            ports.push((t.name(what), n));
            n
        };
        let (valid, addr) =
            (add(b, "valid", 1), add(b, "addr", onchip::shape_of_one(&t.memory).word_bits));
        let store = t.access.kind == AccessKind::Store;
        let written = store.then(|| [add(b, "data", 8 * bytes), add(b, "strb", bytes)]);
        let word = (!store).then(|| b.net(&t.name("word"), 8 * bytes));
        let port = t.access.timed.unwrap_or(0);
        (TimedPort { port, valid, addr, written, word }, ports)
    }

    /// The net that brings a load's word, and the module's port for it.
    pub fn word(&self, t: &TimedAccess) -> Option<(String, Net)> {
        self.word.map(|n| (t.name("word"), n))
    }
}

/// Makes the memory of `id`.
pub fn build(b: &mut ModuleBuilder, sh: &Shared, id: MemoryId, ports: &[TimedPort]) {
    let m = &sh.s.memories[id];
    let Shape { words, .. } = onchip::shape_of_one(m);
    let (n, bits) = (ports.len() as u32, 8 * m.word_bytes);
    let name = format!("{id}_{}", rtl::names::legal(&m.name));
    let count = m.ports();
    let data = b.net(&format!("{name}_data"), count * bits);
    let all = |f: &dyn Fn(&TimedPort) -> Expr| {
        Expr::concat(ports.iter().rev().map(f).collect::<Vec<_>>())
    };
    let written = |k: usize, width: u32| {
        move |p: &TimedPort| p.written.map_or(Expr::Const(width, 0), |w| w[k].into())
    };
    let part = |a: &Access| a.memory == id && a.kind == AccessKind::Store && a.bytes < m.word_bytes;
    let of_client: Vec<u16> = ports.iter().map(|p| p.port as u16).collect();
    let words = u32::try_from(words).unwrap_or(u32::MAX);
    b.instance("clhls_timed_mem", &format!("u_{name}"))
        .comment(format!(
            "{:?} memory `{}`, {words} words of {} bytes",
            m.kind, m.name, m.word_bytes
        ))
        .without_reset()
        .param("CLIENTS", n)
        .param("REPLICAS", m.replicas.unwrap_or(0))
        .param("PORT", onchip::words_of_16(&of_client))
        .param("WORD_BYTES", m.word_bytes)
        .param("WORDS", words)
        .param("PARTS", sh.s.accesses.values().any(part))
        .param("STAGED", m.timed.is_some_and(|cycles| cycles > 2))
        .param("TARGET", Param::Text(sh.target.to_owned()))
        .input("s_valid", all(&|p| p.valid.into()))
        .input("s_addr", all(&|p| p.addr.into()))
        .input("s_data", all(&written(0, bits)))
        .input("s_strb", all(&written(1, m.word_bytes)))
        .output("m_data", data)
        .done();
    for p in ports {
        if let Some(word) = p.word {
            let own = b.slice(data, p.port * bits, bits);
            b.assign(word, own);
        }
    }
}
