//! Memories of a kernel, its accesses, and what each access must wait for.

pub mod cached;
mod ports;

use crate::Options;
use crate::bypass::Bypass;
use crate::rematerialise::NotBefore;
use crate::segments::Cutter;
use crate::uniform::Uniform;
use base::entity::{EntityRef, PrimaryMap, SecondaryMap};
use base::{Diagnostic, FxHashSet, IndexMap, Result};
use ir::analysis::{Base, Cfg, Provenance, root};
use ir::{Block, Function, Inst, Module, Object, ObjectKind, Op, Space};
use schedule::{Access, AccessKind, Memory, MemoryId, MemoryKind};

/// Offset of the first object when pointers to on-chip memory are compared or converted: null
/// must differ from every object's address.
const NULL_GUARD_BYTES: u64 = 16;

/// What [`find`] found.
pub struct Memories {
    /// Memories; the first is device memory when the kernel has accesses to it.
    pub memories: PrimaryMap<MemoryId, Memory>,
    /// Accesses in layout order.
    pub accesses: IndexMap<Inst, Access>,
    /// Pairs of accesses of one block, one of them a write, that can touch the same byte.
    pub conflicts: Vec<(Inst, Inst)>,
    /// Those of them whose accesses happen in cycles of segments.
    pub in_turn: Vec<(Inst, Inst)>,
    /// Accesses that happen in cycles of one segment: those of a loop with overlapping iterations to one memory.
    pub together: Vec<Vec<Inst>>,
    /// Loads that get what the last iterations stored.
    pub bypassed: Vec<Bypass>,
    /// Accesses, the earlier iteration's and the later one's, of which the second is held where their addresses are equal.
    pub held: Vec<(Inst, Inst)>,
}

impl Memories {
    /// What cuts the function's blocks into segments.
    pub fn cutter<'a>(
        &'a self,
        func: &'a Function,
        uniform: &'a Uniform,
        not_before: &'a NotBefore,
    ) -> Cutter<'a> {
        let (accesses, together, held) = (&self.accesses, &self.together, &self.held);
        Cutter { func, accesses, together, held, uniform, not_before }
    }

    /// Whether a load reads the same for every work-item of a launch at the same address, and every work-item
    /// executes it: once per launch is enough. A single work-item gains nothing.
    pub fn may_fetch(&self, func: &Function, task: bool, block: Block, inst: Inst) -> bool {
        let reads = self.accesses.get(&inst).is_some_and(|a| {
            let device = matches!(self.memories[a.memory].kind, MemoryKind::Device { .. });
            let plain = a.cache_lines == 0 && !a.is_realigned();
            a.kind == AccessKind::Load && a.read_only && device && plain
        });
        let plain = func.insts[inst].op.mem_flags().is_some_and(|f| !f.predicated && !f.volatile);
        !task && block == func.entry() && reads && plain
    }
}

/// Finds memories and accesses. No object is at address 0 if the kernel `has_null` to tell it from.
pub fn find(
    func: &mut Function,
    module: &Module,
    options: &Options,
    has_null: bool,
) -> Result<Memories> {
    let cfg = Cfg::new(func);
    let provenance = Provenance::new(func, &cfg);
    let mut finder = Finder {
        func,
        provenance,
        options,
        memories: PrimaryMap::new(),
        device: None,
        of_object: SecondaryMap::new(),
    };
    finder.on_chip(module, has_null);
    let accesses = finder.accesses()?;
    let mut found = Memories {
        memories: finder.memories,
        accesses,
        conflicts: vec![],
        in_turn: vec![],
        together: vec![],
        bypassed: vec![],
        held: vec![],
    };
    let provenance = finder.provenance;
    order(func, &cfg, &provenance, &mut found);
    found.conflicts = conflicts(func, &provenance, &found);
    // Last: what aliases what does not depend on the port.
    ports::assign(func, &provenance, options.memory_ports, &mut found);
    Ok(found)
}

struct Finder<'a> {
    func: &'a Function,
    provenance: Provenance,
    options: &'a Options<'a>,
    memories: PrimaryMap<MemoryId, Memory>,
    device: Option<MemoryId>,
    of_object: SecondaryMap<Object, Option<MemoryId>>,
}

impl Finder<'_> {
    /// All accesses to memory in layout order: instruction and space of its pointer.
    fn sites(&self) -> Vec<(Inst, Space)> {
        let mut out = vec![];
        for &block in &self.func.layout {
            for &inst in &self.func.blocks[block].insts {
                let data = &self.func.insts[inst];
                if data.op.mem_flags().is_some()
                    && let Some(space) = self.func.ty(data.args[0]).space()
                {
                    out.push((inst, space));
                }
            }
        }
        out
    }

    /// Joins local and private objects that one pointer can reach into common memories.
    fn on_chip(&mut self, module: &Module, has_null: bool) {
        let count = self.func.objects.len();
        let mut root: Vec<usize> = (0..count).collect();
        let mut used = vec![false; count];
        for (inst, space) in self.sites() {
            if !matches!(space, Space::Local | Space::Private) {
                continue;
            }
            let reached = self.objects_of(inst, space);
            for &o in &reached {
                used[o] = true;
                let (a, b) = (find_root(&root, reached[0]), find_root(&root, o));
                root[b.max(a)] = b.min(a);
            }
        }
        let guard = if has_null { NULL_GUARD_BYTES } else { 0 };
        for k in 0..count {
            let object = Object::new(k);
            if !used[k] || find_root(&root, k) != k {
                continue;
            }
            let members: Vec<Object> = (0..count)
                .filter(|m| used[*m] && find_root(&root, *m) == k)
                .map(Object::new)
                .collect();
            let id = self.add_on_chip(module, object, &members, guard);
            for m in members {
                self.of_object[m] = Some(id);
            }
        }
    }

    fn objects_of(&self, inst: Inst, space: Space) -> Vec<usize> {
        let pointer = self.func.insts[inst].args[0];
        let all =
            || self.func.objects.iter().filter(|(_, o)| o.space == space).map(|(o, _)| o.index());
        if self.provenance.bases(pointer).any(|b| b == Base::Unknown) {
            return all().collect();
        }
        self.provenance
            .bases(pointer)
            .filter_map(|b| match b {
                Base::Object(o) if self.func.objects[o].space == space => Some(o.index()),
                _ => None,
            })
            .collect()
    }

    fn add_on_chip(
        &mut self,
        _module: &Module,
        root: Object,
        members: &[Object],
        guard: u64,
    ) -> MemoryId {
        let data = &self.func.objects[root];
        let mut offset = guard;
        let mut objects = vec![];
        for &m in members {
            let o = &self.func.objects[m];
            let size = match o.kind {
                ObjectKind::LocalArg(_) => self.options.local_arg_bytes,
                _ => o.size,
            };
            offset = offset.next_multiple_of(u64::from(o.align.clamp(1, 128)).max(16));
            if objects.is_empty() && guard == 0 {
                offset = 0;
            }
            objects.push((m, offset));
            offset += size.max(1);
        }
        let kind = if data.space == Space::Local { MemoryKind::Local } else { MemoryKind::Private };
        let name = data.name.clone();
        // Word size and exact size follow when the accesses are known.
        self.memories.push(Memory {
            name,
            kind,
            objects,
            bytes: offset,
            word_bytes: 1,
            atomic: false,
            replicas: None,
            timed: None,
        })
    }

    fn accesses(&mut self) -> Result<IndexMap<Inst, Access>> {
        let mut out = IndexMap::default();
        for (inst, space) in self.sites() {
            let access = self.access(inst, space)?;
            let memory = &mut self.memories[access.memory];
            memory.word_bytes = memory.word_bytes.max(access.bytes);
            memory.atomic |= matches!(access.kind, AccessKind::Atomic(_));
            out.insert(inst, access);
        }
        self.pipes(&mut out);
        for memory in self.memories.values_mut() {
            memory.bytes = memory.bytes.next_multiple_of(u64::from(memory.word_bytes));
        }
        Ok(out)
    }

    /// The operations on connected pipes, each pipe a memory of its own.
    fn pipes(&mut self, out: &mut IndexMap<Inst, Access>) {
        let func = self.func;
        let mut of_arg: IndexMap<u32, MemoryId> = IndexMap::default();
        for inst in func.layout.iter().flat_map(|b| func.blocks[*b].insts.iter().copied()) {
            let data = &func.insts[inst];
            let Op::Pipe { op, arg, .. } = data.op else { continue };
            let value = if op.writes() { data.args.first().copied() } else { data.result };
            let bytes = value.map_or(1, |v| func.bits(v).div_ceil(8));
            let memories = &mut self.memories;
            let memory = *of_arg.entry(arg).or_insert_with(|| {
                let args = func.kernel.as_ref().map_or(&[][..], |k| &k.args);
                let name = args.get(arg as usize).map(|a| a.name.clone()).unwrap_or_default();
                memories.push(Memory {
                    name,
                    kind: MemoryKind::Pipe { arg },
                    objects: vec![],
                    bytes: 0,
                    word_bytes: 1,
                    atomic: false,
                    replicas: None,
                    timed: None,
                })
            });
            let word = &mut self.memories[memory].word_bytes;
            *word = bytes.max(*word);
            let (kind, argument, loc) = (AccessKind::Pipe(op), Some(arg), data.loc);
            let (ack, read_only, reuse, cache_lines) = (false, false, false, 0);
            let access = Access {
                memory,
                kind,
                bytes,
                ack,
                align: bytes,
                read_only,
                reuse,
                cache_lines,
                replica: 0,
                timed: None,
                argument,
                loc,
            };
            out.insert(inst, access);
        }
    }

    fn access(&mut self, inst: Inst, space: Space) -> Result<Access> {
        let func = self.func;
        let data = &func.insts[inst];
        let bytes = func.accessed_bytes(inst);
        let align = data.op.mem_flags().map_or(1, |f| f.align()).min(bytes);
        let realigned = matches!(space, Space::Global | Space::Constant)
            && matches!(data.op, Op::Load(f) | Op::Store(f) if !f.volatile)
            && bytes <= self.options.bus_bytes;
        let suits = bytes.is_power_of_two() && bytes <= self.options.bus_bytes.max(16);
        if !suits || (align < bytes && !realigned) {
            let text = format!("an access of {bytes} bytes was not split to words");
            return Err(Diagnostic::error("E0006", text).at(data.loc).into());
        }
        let kind = match data.op {
            Op::Load(_) => AccessKind::Load,
            Op::Store(_) => AccessKind::Store,
            Op::Atomic(op, _) => AccessKind::Atomic(op),
            _ => unreachable!("sites() lists memory operations only"),
        };
        let memory = self.memory_of(inst, space)?;
        let argument = match self.provenance.single(data.args[0]) {
            Some(Base::Arg(k)) => Some(k),
            _ => None,
        };
        let (ack, read_only, reuse) = (false, false, false);
        let cache_lines = match cached::reads_image(func, &self.provenance, inst) {
            true => cached::lines(bytes, self.options),
            false => 0,
        };
        let loc = data.loc;
        Ok(Access {
            memory,
            kind,
            bytes,
            ack,
            align,
            read_only,
            reuse,
            cache_lines,
            replica: 0,
            timed: None,
            argument,
            loc,
        })
    }

    fn memory_of(&mut self, inst: Inst, space: Space) -> Result<MemoryId> {
        match space {
            Space::Global | Space::Constant => Ok(self.device()),
            Space::Local | Space::Private => {
                let object = self.objects_of(inst, space).first().map(|k| Object::new(*k));
                object.and_then(|o| self.of_object[o]).ok_or_else(|| {
                    let text = format!("this access reaches no object of {} memory", space.name());
                    Diagnostic::error("E0303", text).at(self.func.insts[inst].loc).into()
                })
            }
            Space::Generic => {
                let text = "an access through a generic pointer was not resolved";
                Err(Diagnostic::error("E0006", text).at(self.func.insts[inst].loc).into())
            }
        }
    }

    fn device(&mut self) -> MemoryId {
        *self.device.get_or_insert_with(|| {
            self.memories.push(Memory {
                name: "gmem0".into(),
                kind: MemoryKind::Device { port: 0 },
                objects: vec![],
                bytes: 0,
                word_bytes: self.options.bus_bytes,
                atomic: false,
                replicas: None,
                timed: None,
            })
        })
    }
}

/// The representative of `k` in a forest of sets.
fn find_root(root: &[usize], mut k: usize) -> usize {
    while root[k] != k {
        k = root[k];
    }
    k
}

/// Whether the kernel can tell an on-chip address from null.
pub fn compares_pointers(func: &Function) -> bool {
    func.layout.iter().flat_map(|b| &func.blocks[*b].insts).any(|i| match func.insts[*i].op {
        Op::ICmp(_) => func.ty(func.insts[*i].args[0]).space().is_some(),
        Op::SpaceCast | Op::PtrToInt => true,
        _ => false,
    })
}

/// Whether two accesses of one work-item can touch the same byte.
fn may_alias(func: &Function, p: &Provenance, found: &Memories, a: Inst, b: Inst) -> bool {
    let (x, y) = (&found.accesses[&a], &found.accesses[&b]);
    if x.memory != y.memory {
        return false;
    }
    let (pa, pb) = (func.insts[a].args[0], func.insts[b].args[0]);
    p.bases(pa).any(|m| p.bases(pb).any(|n| bases_alias(func, m, n)))
}

/// Whether two accesses, executed with the same values, are at constant distances from one address and touch no common byte.
fn disjoint(func: &Function, found: &Memories, a: Inst, b: Inst) -> bool {
    let [(x, i), (y, j)] = [a, b].map(|access| root(func, func.insts[access].args[0]));
    let [m, n] = [a, b].map(|access| i128::from(found.accesses[&access].bytes));
    x == y && (i + m <= j || j + n <= i)
}

fn bases_alias(func: &Function, a: Base, b: Base) -> bool {
    let restrict = |k: u32| {
        func.kernel.as_ref().and_then(|i| i.args.get(k as usize)).is_some_and(|a| a.restrict)
    };
    match (a, b) {
        (Base::Object(x), Base::Object(y)) => x == y,
        (Base::Arg(x), Base::Arg(y)) => x == y || !(restrict(x) || restrict(y)),
        // A module variable is not a buffer that the host could have passed.
        (Base::Arg(_), Base::Object(_)) | (Base::Object(_), Base::Arg(_)) => false,
        (Base::Unknown, _) | (_, Base::Unknown) => true,
    }
}

/// Decides which stores are acknowledged and which loads are read-only.
fn order(func: &Function, cfg: &Cfg, p: &Provenance, found: &mut Memories) {
    let later = Later::new(func, cfg);
    let insts: Vec<Inst> = found.accesses.keys().copied().collect();
    let writes: Vec<Inst> = insts
        .iter()
        .copied()
        .filter(|i| matches!(found.accesses[i].kind, AccessKind::Store | AccessKind::Atomic(_)))
        .collect();
    // Without fences and atomics no work-item may count on what others have written.
    let atomic = |i: &Inst| matches!(found.accesses[i].kind, AccessKind::Atomic(_));
    let alone = later.fences.is_empty() && !insts.iter().any(atomic);
    for &inst in &insts {
        match found.accesses[&inst].kind {
            AccessKind::Load => {
                let constant = func.ty(func.insts[inst].args[0]).space() == Some(Space::Constant);
                let written = writes.iter().any(|w| may_alias(func, p, found, inst, *w));
                let own = writes
                    .iter()
                    .any(|w| later.can_follow(*w, inst) && may_alias(func, p, found, inst, *w));
                let access = &mut found.accesses[&inst];
                access.read_only = constant || !written || access.cache_lines > 0;
                access.reuse = access.is_realigned() && (access.read_only || (!own && alone));
            }
            AccessKind::Store => {
                let kind = found.memories[found.accesses[&inst].memory].kind;
                let fenced = later.fences_after(inst, kind);
                let touched = insts.iter().any(|other| {
                    *other != inst
                        && !matches!(found.accesses[other].kind, AccessKind::Pipe(_))
                        && later.can_follow(inst, *other)
                        && may_alias(func, p, found, inst, *other)
                        && !(later.only_behind(inst, *other) && disjoint(func, found, inst, *other))
                });
                found.accesses[&inst].ack = fenced || touched;
            }
            AccessKind::Atomic(_) | AccessKind::Pipe(_) => {}
        }
    }
}

/// Conflicts between different accesses of blocks that jump to themselves.
fn conflicts(func: &Function, p: &Provenance, found: &Memories) -> Vec<(Inst, Inst)> {
    let mut out = vec![];
    for &block in &func.layout {
        let data = &func.blocks[block];
        if !data.term.targets().iter().any(|t| t.block == block) {
            continue;
        }
        let accesses: Vec<Inst> =
            data.insts.iter().copied().filter(|i| found.accesses.contains_key(i)).collect();
        for (k, &a) in accesses.iter().enumerate() {
            for &b in &accesses[k + 1..] {
                let [x, y] = [a, b].map(|i| &found.accesses[&i]);
                let conflict = match (x.kind, y.kind) {
                    // The packets of an iteration come before those of the next.
                    (AccessKind::Pipe(f), AccessKind::Pipe(g)) => {
                        x.memory == y.memory && f.keeps_order_with(g)
                    }
                    (AccessKind::Pipe(_), _) | (_, AccessKind::Pipe(_)) => false,
                    // What the source promises of memory it does not promise of packets.
                    _ if data.hint.ivdep => false,
                    (f, g) => {
                        let loads = f == AccessKind::Load && g == AccessKind::Load;
                        !loads && may_alias(func, p, found, a, b)
                    }
                };
                if conflict {
                    out.push((a, b));
                }
            }
        }
    }
    out
}

/// Which effects can come after which, for one work-item.
struct Later<'a> {
    func: &'a Function,
    home: SecondaryMap<Inst, Option<(Block, u32)>>,
    reach: SecondaryMap<Block, FxHashSet<Block>>,
    fences: Vec<Inst>,
}

impl<'a> Later<'a> {
    fn new(func: &'a Function, cfg: &Cfg) -> Self {
        let mut home = SecondaryMap::new();
        let mut fences = vec![];
        let mut reach: SecondaryMap<Block, FxHashSet<Block>> = SecondaryMap::new();
        for &block in &cfg.rpo {
            let mut effects = false;
            for (k, &inst) in func.blocks[block].insts.iter().enumerate() {
                if func.insts[inst].op.is_effect() {
                    home[inst] = Some((block, k as u32));
                    effects = true;
                }
                if matches!(func.insts[inst].op, Op::Barrier(..) | Op::Fence(_)) {
                    fences.push(inst);
                }
            }
            if effects {
                reach[block] = reachable(cfg, block);
            }
        }
        Later { func, home, reach, fences }
    }

    fn can_follow(&self, first: Inst, second: Inst) -> bool {
        match (self.home[first], self.home[second]) {
            (Some((a, i)), Some((b, j))) => (a == b && j > i) || self.reach[a].contains(&b),
            _ => false,
        }
    }

    /// Whether the second comes behind the first in one block that is not executed again.
    fn only_behind(&self, first: Inst, second: Inst) -> bool {
        match (self.home[first], self.home[second]) {
            (Some((a, i)), Some((b, j))) => a == b && j > i && !self.reach[a].contains(&a),
            _ => false,
        }
    }

    fn fences_after(&self, store: Inst, kind: MemoryKind) -> bool {
        self.fences.iter().any(|f| {
            let flags = match self.func.insts[*f].op {
                Op::Barrier(flags) | Op::Fence(flags) => flags,
                _ => return false,
            };
            let orders = match kind {
                MemoryKind::Device { .. } => flags.global,
                MemoryKind::Local => flags.local,
                MemoryKind::Private | MemoryKind::Pipe { .. } => false,
            };
            orders && self.can_follow(store, *f)
        })
    }
}

/// Blocks that control can reach after leaving `from`.
fn reachable(cfg: &Cfg, from: Block) -> FxHashSet<Block> {
    let mut seen = FxHashSet::default();
    let mut stack = cfg.succs[from].clone();
    while let Some(b) = stack.pop() {
        if seen.insert(b) {
            stack.extend(cfg.succs[b].iter().copied());
        }
    }
    seen
}
