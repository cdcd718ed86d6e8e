//! Memories, their accesses, and what they need of their ports.

use crate::{View, strides};
use base::entity::EntityRef;
use ir::Inst;
use report::{Access, Loop, Memory, MemoryKind, Pattern, Place, Port};
use schedule::ports::{Region, SIDES};
use schedule::{AccessKind, KernelSchedule, MemoryId};

pub(crate) fn accesses(view: &View<'_>) -> Vec<Access> {
    let all = view.s.accesses.iter().enumerate();
    all.map(|(id, (inst, a))| access(view, id as u32, *inst, a)).collect()
}

fn access(view: &View<'_>, id: u32, inst: Inst, a: &schedule::Access) -> Access {
    let s = view.s;
    let site = view.made.kernel.sites.get(id as usize);
    let device = matches!(s.memories[a.memory].kind, schedule::MemoryKind::Device { .. });
    let once = view.operations.of[inst]
        .is_some_and(|o| view.operations.list[o as usize].when == report::When::Launch);
    let stride = if once { Some(0) } else { strides::stride(view, inst) };
    let pattern = strides::pattern(stride, a.bytes);
    let arguments = &view.made.kernel.signature.args;
    let argument = a.argument.and_then(|k| arguments.get(k as usize)).map(|x| x.name.clone());
    let in_loop = view.home[inst].and_then(|b| view.in_loop[b]);
    let interval = in_loop.map_or(1.0, |l| f64::from(s.loops[l as usize].ii.max(1)));
    let rate = view.made.kernel.clock_mhz * 1e6 / interval;
    let beats = if device && !once { beats(view, a, pattern, stride) } else { 0.0 };
    let word = s.memories[a.memory].word_bytes;
    let moved = if once || (device && beats == 0.0) { 0.0 } else { f64::from(a.bytes) };
    Access {
        id,
        kind: kind(a.kind).to_owned(),
        unit: unit(a, device, once, pattern).to_owned(),
        memory: a.memory.index() as u32,
        port: site.and_then(|x| x.port.clone()),
        place: view.place(a.loc).or_else(|| view.place_of(inst)),
        bytes: a.bytes,
        argument,
        pattern,
        stride,
        in_loop,
        expected_bytes_per_second: (moved * rate).round(),
        beats,
        cache_bytes: u64::from(a.cache_lines) * u64::from(schedule::cache_line_bytes(word)),
    }
}

fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic(_) => "atomic",
        AccessKind::Pipe(op) if op.moves() => "pipe",
        AccessKind::Pipe(_) => "pipe state",
    }
}

/// The unit that serves an access.
fn unit(a: &schedule::Access, device: bool, once: bool, pattern: Pattern) -> &'static str {
    match (a.kind, device) {
        _ if once => "once a launch, before the first work-item",
        (AccessKind::Pipe(_), _) => "FIFO",
        (_, false) => "RAM on the chip",
        (AccessKind::Atomic(_), _) => "atomic unit, shared by all atomics",
        (AccessKind::Load, _) if a.cache_lines > 0 => "load unit with a cache",
        (AccessKind::Load, _) if a.is_realigned() && a.reuse => {
            "load unit, streams words that begin anywhere"
        }
        (AccessKind::Load, _) if a.is_realigned() => {
            "load unit, two aligned words for each that begins anywhere"
        }
        (AccessKind::Store, _) if a.is_realigned() && a.ack => {
            "store unit, acknowledged, words that begin anywhere"
        }
        (AccessKind::Store, _) if a.is_realigned() => {
            "store unit, posted, merges words that begin anywhere"
        }
        (AccessKind::Load, _) if a.read_only => match pattern {
            Pattern::Irregular => "load unit, keeps the line it has",
            _ => "load unit, streams whole lines",
        },
        (AccessKind::Load, _) => "load unit, merges requests of a line",
        (AccessKind::Store, _) if a.ack => "store unit, acknowledged",
        (AccessKind::Store, _) => "store unit, posted, merges a line",
    }
}

/// Beats of the bus that one access takes, when neighbours share them.
fn beats(view: &View<'_>, a: &schedule::Access, pattern: Pattern, stride: Option<i64>) -> f64 {
    let word = view.s.memories[a.memory].word_bytes.max(1);
    let beat = f64::from(word);
    let one = (f64::from(a.bytes) / beat).max(1.0);
    match (a.kind, pattern, stride) {
        (AccessKind::Atomic(_), ..) => one,
        (AccessKind::Load, Pattern::Same, _) if a.read_only => 0.0,
        // That each byte is fetched once: which ones are hit is not known.
        (AccessKind::Load, Pattern::Irregular, _) if a.cache_lines > 0 => f64::from(a.bytes) / beat,
        (_, _, Some(n)) if n != 0 => (n.unsigned_abs() as f64 / beat).min(one),
        _ => one,
    }
}

/// Cycles between two iterations that a memory's accesses in one loop, or in none, need at least; `among` are they.
pub(crate) fn interval(
    view: &View<'_>,
    place: Option<usize>,
    (id, memory): (MemoryId, &Memory),
    among: &[&Access],
) -> f64 {
    let own = among.iter().filter(|a| memory.accesses.contains(&a.id));
    match memory.kind {
        // Reads and writes have channels of their own; atomics take both.
        MemoryKind::Device => {
            let sum = |not: &str| own.clone().filter(|a| a.kind != not).map(|a| a.beats).sum();
            f64::max(sum("store"), sum("load"))
        }
        // Packets move one a cycle; reservations are beside.
        MemoryKind::Pipe => own.filter(|a| a.kind == "pipe").count() as f64,
        _ => {
            let region = Region::new(view.s, &view.cfg, place);
            f64::from(view.ports.interval(view.s, &region, id).0)
        }
    }
}

pub(crate) fn memories(view: &View<'_>) -> Vec<Memory> {
    let s = view.s;
    let all = s.memories.iter();
    all.map(|(id, m)| {
        let own = s.accesses.values().enumerate().filter(|(_, a)| a.memory == id);
        let accesses: Vec<u32> = own.map(|(k, _)| k as u32).collect();
        let n = accesses.len() as u32;
        let (kind, copies) = match m.kind {
            schedule::MemoryKind::Device { .. } => (MemoryKind::Device, 1),
            schedule::MemoryKind::Local => (MemoryKind::Local, s.occupancy.slots),
            schedule::MemoryKind::Private => (MemoryKind::Private, s.occupancy.work_items()),
            schedule::MemoryKind::Pipe { .. } => (MemoryKind::Pipe, 1),
        };
        let (ports, arbitration) = match kind {
            MemoryKind::Pipe => (1, "a packet a cycle; those who wait take turns".to_owned()),
            MemoryKind::Device => {
                (1, "a beat a cycle in each direction; units take turns".to_owned())
            }
            _ if m.atomic => (1, "all accesses share one read-modify-write pipeline".to_owned()),
            _ if m.timed.is_some() => (m.ports(), in_cycles(m)),
            _ if m.replicas.is_some() => (m.ports(), replicated(s, id)),
            _ if n <= SIDES => (SIDES, "a port for each access: never waits".to_owned()),
            _ => {
                let text = "accesses are divided over two ports, those of a port take turns";
                (SIDES, text.to_owned())
            }
        };
        Memory {
            name: m.name.clone(),
            kind,
            bytes: if kind == MemoryKind::Device { 0 } else { m.bytes },
            word_bytes: m.word_bytes,
            copies,
            ports,
            arbitration,
            accesses,
        }
    })
    .collect()
}

/// Who has ports of an array whose accesses have cycles.
fn in_cycles(m: &schedule::Memory) -> String {
    let rams = match m.replicas {
        None => "two ports".to_owned(),
        Some(1) => "a port for stores and one for loads".to_owned(),
        Some(n) => {
            format!("kept in {n} equal RAMs: one port for stores, one of each RAM for loads")
        }
    };
    format!("{rams}; each access has one in its cycle and never waits")
}

/// Who has ports of an array that is kept in several RAMs.
fn replicated(s: &KernelSchedule, id: MemoryId) -> String {
    let replicas = s.memories[id].replicas.unwrap_or(1);
    let own = s.accesses.values().filter(|a| a.memory == id);
    let (loads, stores): (Vec<_>, Vec<_>) = own.partition(|a| a.kind == AccessKind::Load);
    let stored = match stores.len() {
        1 => "one port for the store",
        _ => "one port that the stores share",
    };
    let loaded = match loads.len() as u32 {
        n if n == replicas => "one for each load: loads never wait",
        _ => "one of each RAM for the loads, those of a port take turns",
    };
    format!("kept in {replicas} equal RAMs: {stored}, {loaded}")
}

/// The memory ports, with what the loop that needs most of them needs.
pub(crate) fn ports(view: &View<'_>, accesses: &[Access], loops: &[Loop]) -> Vec<Port> {
    let port = |p: &abi::MemoryPort| {
        let beats = |among: Option<u32>, not: &str| -> f64 {
            let of = |a: &&Access| {
                a.in_loop == among && a.kind != not && a.port.as_deref() == Some(p.name.as_str())
            };
            accesses.iter().filter(of).map(|a| a.beats).sum()
        };
        let places = (0..loops.len() as u32).map(Some).chain([None]);
        let need = places.map(|l| beats(l, "store").max(beats(l, "load")));
        Port { name: p.name.clone(), data_bits: p.data_bits, interval: need.fold(0.0, f64::max) }
    };
    view.made.kernel.memory_ports.iter().map(port).collect()
}

/// `line 7`, or the number of an access without a place.
pub(crate) fn at(place: Option<Place>) -> String {
    place.map_or_else(String::new, |p| format!(" of line {}", p.line))
}
