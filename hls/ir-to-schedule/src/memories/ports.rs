//! Which port of the device memory each access uses.

use super::{Memories, find_root};
use base::IndexMap;
use ir::analysis::{Base, Provenance};
use ir::{Function, Inst};
use schedule::{AccessKind, MemoryId, MemoryKind};

/// Spreads the accesses to device memory over at most `most` ports. Accesses whose pointers can
/// have a common origin (an argument, the module's variables, a pointer from memory) share a
/// port, and all atomic operations do: one unit performs them. Such classes go to the ports with
/// the fewest bytes of accesses so far, the heaviest class first.
pub fn assign(func: &Function, provenance: &Provenance, most: u32, found: &mut Memories) {
    let is_device =
        |found: &Memories, m: MemoryId| matches!(found.memories[m].kind, MemoryKind::Device { .. });
    let sites: Vec<Inst> = found
        .accesses
        .iter()
        .filter(|(_, a)| is_device(found, a.memory))
        .map(|(i, _)| *i)
        .collect();
    if most <= 1 || sites.is_empty() {
        return;
    }
    let class_of = classes(func, provenance, found, &sites);
    let mut weights: IndexMap<usize, u32> = IndexMap::default();
    for (inst, class) in sites.iter().zip(&class_of) {
        *weights.entry(*class).or_default() += found.accesses[inst].bytes;
    }
    let mut heaviest: Vec<(usize, u32)> = weights.iter().map(|(c, w)| (*c, *w)).collect();
    heaviest.sort_by_key(|(_, weight)| std::cmp::Reverse(*weight));
    let ports = most.min(heaviest.len() as u32);
    let mut load = vec![0u32; ports as usize];
    let mut port_of: IndexMap<usize, u32> = IndexMap::default();
    for (class, weight) in heaviest {
        let port = (0..load.len()).min_by_key(|p| load[*p]).unwrap_or(0);
        load[port] += weight;
        port_of.insert(class, port as u32);
    }
    let memories = device_memories(found, ports);
    for (inst, class) in sites.iter().zip(&class_of) {
        found.accesses[inst].memory = memories[port_of[class] as usize];
    }
    let atomics: Vec<MemoryId> = found
        .accesses
        .values()
        .filter(|a| matches!(a.kind, AccessKind::Atomic(_)))
        .map(|a| a.memory)
        .collect();
    for &m in &memories {
        found.memories[m].atomic = atomics.contains(&m);
    }
}

/// The memory of each port: the one there is becomes port 0.
fn device_memories(found: &mut Memories, ports: u32) -> Vec<MemoryId> {
    let device = found.memories.iter().find(|(_, m)| matches!(m.kind, MemoryKind::Device { .. }));
    let Some((first, memory)) = device.map(|(id, m)| (id, m.clone())) else { return vec![] };
    let mut ids = vec![first];
    for port in 1..ports {
        let mut memory = memory.clone();
        memory.name = format!("gmem{port}");
        memory.kind = MemoryKind::Device { port };
        ids.push(found.memories.push(memory));
    }
    ids
}

/// A number for each access, the same for those that must share a port.
fn classes(
    func: &Function,
    provenance: &Provenance,
    found: &Memories,
    sites: &[Inst],
) -> Vec<usize> {
    // Sets of origins: arguments, then module variables, pointers from anywhere, atomics.
    let arguments = func.kernel.as_ref().map_or(0, |k| k.args.len());
    let (variables, anywhere, atomic) = (arguments, arguments + 1, arguments + 2);
    let mut root: Vec<usize> = (0..arguments + 3).collect();
    let origin = |base: Base| match base {
        Base::Arg(k) => k as usize,
        Base::Object(_) => variables,
        Base::Unknown => anywhere,
    };
    let origins = |inst: Inst| -> Vec<usize> {
        let pointer = func.insts[inst].args[0];
        let mut all: Vec<usize> = provenance.bases(pointer).map(origin).collect();
        if matches!(found.accesses[&inst].kind, AccessKind::Atomic(_)) {
            all.push(atomic);
        }
        if all.is_empty() {
            all.push(anywhere);
        }
        all
    };
    for &inst in sites {
        let all = origins(inst);
        for &o in &all[1..] {
            let (a, b) = (find_root(&root, all[0]), find_root(&root, o));
            root[a.max(b)] = a.min(b);
        }
    }
    sites.iter().map(|i| find_root(&root, origins(*i)[0])).collect()
}
