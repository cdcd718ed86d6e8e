//! Private variables to SSA values ("scalar replacement of aggregates" and "mem2reg" in one).
//!
//! A variable all of whose accesses are loads and stores at constant offsets is cut into *atoms*:
//! byte ranges at whose borders some access begins or ends. Each atom becomes SSA values; an
//! access that covers several atoms, or part of what another wrote, is put together from bits.
//! So unions, struct copies and by-value structs need no special treatment.

use crate::bits::Pieces;
use crate::edit::{Rewriter, Step};
use base::entity::SecondaryMap;
use base::{IndexMap, IndexSet};
use ir::analysis::{Cfg, Dominators};
use ir::{
    Block, Builder, Function, Inst, KernelArg, KernelArgKind, MemFlags, Object, Op, Space,
    Terminator, Type, Value,
};

/// Variables with more atoms than this stay in memory: each work-item carries all that it has.
const MOST_ATOMS: usize = 1024;
/// The same of a kernel of one work-item, where a window over data becomes queues.
const MOST_ATOMS_OF_ONE: usize = 1 << 16;

/// Promotes all variables that can be. Reading what was never written gives 0.
///
/// Where blocks capture images and pipes, variables hold the addresses of descriptors, and unoptimised modules have
/// variables for these addresses in turn: there the pass goes on with what was freed, until nothing is left to promote.
pub fn run(func: &mut Function) {
    let addressed = keeps_descriptors(func);
    while promote(func, addressed) && addressed {}
}

/// Whether the function is a kernel with images or pipes that enqueues, or is enqueued.
fn keeps_descriptors(func: &Function) -> bool {
    let Some(info) = &func.kernel else { return false };
    let kept =
        |arg: &KernelArg| matches!(arg.kind, KernelArgKind::Image(_) | KernelArgKind::Pipe(_));
    (info.enqueued || !info.enqueues.is_empty()) && info.args.iter().any(kept)
}

/// Promotes the variables whose addresses are nowhere but in accesses, if there are any. `addressed`: values may be
/// addresses of others.
fn promote(func: &mut Function, addressed: bool) -> bool {
    let cfg = Cfg::new(func);
    let places = find_places(func, &cfg);
    let objects = find_objects(func, &cfg, &places);
    if objects.is_empty() {
        return false;
    }
    let atoms = Atoms::new(&objects);
    let dominators = Dominators::new(func, &cfg);
    let mut renamer = Renamer::new(func, &cfg, &places, &atoms);
    renamer.addressed = addressed;
    renamer.place_params(func, &cfg, &dominators);
    renamer.rename(func, &cfg, &dominators);
    true
}

/// Object and byte offset that a pointer has, where both are known.
type Places = SecondaryMap<Value, Option<(Object, i64)>>;

fn find_places(func: &Function, cfg: &Cfg) -> Places {
    let mut places = Places::new();
    places.resize(func.values.len());
    let insts = cfg.rpo.iter().flat_map(|b| &func.blocks[*b].insts);
    for &i in insts {
        let d = &func.insts[i];
        let Some(result) = d.result else { continue };
        places[result] = match d.op {
            Op::ObjAddr(o) if func.objects[o].space == Space::Private => Some((o, 0)),
            Op::SpaceCast => places[d.args[0]],
            Op::PtrAdd => places[d.args[0]].and_then(|(o, at)| {
                let by = ir::builder::sign_extend(func.as_const(d.args[1])?, func.addr_bits);
                Some((o, at.checked_add(by as i64)?))
            }),
            _ => None,
        };
    }
    places
}

/// One load or store.
#[derive(Clone, Copy)]
struct Access {
    offset: u32,
    ty: Type,
    lane_bytes: u32,
}

impl Access {
    fn end(&self) -> u32 {
        self.offset + self.lane_bytes * u32::from(self.ty.lanes)
    }
}

/// The promotable objects with their accesses.
fn find_objects(func: &Function, cfg: &Cfg, places: &Places) -> IndexMap<Object, Vec<Access>> {
    let mut found: IndexMap<Object, Vec<Access>> = IndexMap::default();
    let mut kept: IndexSet<Object> = IndexSet::default();
    let mut escape = |v: Value| {
        if let Some((o, _)) = places[v] {
            kept.insert(o);
        }
    };
    for &b in &cfg.rpo {
        for &i in &func.blocks[b].insts {
            let d = &func.insts[i];
            let (op, args) = (d.op, &d.args);
            let access = access_of(func, i, places);
            if let Some((o, a)) = access {
                found.entry(o).or_default().push(a);
            }
            for (k, &v) in args.iter().enumerate() {
                let traced = d.result.is_some_and(|r| places[r].is_some());
                let fine = k == 0 && (access.is_some() || traced && !op.is_effect());
                if !fine {
                    escape(v);
                }
            }
        }
        func.blocks[b].term.for_each_use(&mut escape);
    }
    let of_one = func.kernel.as_ref().is_some_and(|info| info.has_groups_of_one());
    let most = if of_one { MOST_ATOMS_OF_ONE } else { MOST_ATOMS };
    found.retain(|o, list| {
        let cuts = list.iter().map(|a| usize::from(a.ty.lanes) + 1).sum::<usize>();
        !kept.contains(o) && (cuts <= most || Atoms::cuts(list).len() <= most)
    });
    found
}

/// The access that `inst` is, when it is one that can be promoted.
fn access_of(func: &Function, inst: Inst, places: &Places) -> Option<(Object, Access)> {
    let d = &func.insts[inst];
    let (flags, ty) = match d.op {
        Op::Load(flags) => (flags, func.ty(d.result?)),
        Op::Store(flags) => (flags, func.ty(d.args[1])),
        _ => return None,
    };
    let (object, offset) = places[d.args[0]]?;
    let bits = ty.lane_bits(func.addr_bits);
    let size = i64::from(ty.mem_bytes(func.addr_bits));
    let inside = offset >= 0 && (offset + size) as u64 <= func.objects[object].size;
    if flags.volatile || !inside || !bits.is_multiple_of(8) {
        return None;
    }
    Some((object, Access { offset: offset as u32, ty, lane_bytes: bits / 8 }))
}

/// Index of an atom.
type AtomId = usize;

struct Atom {
    offset: u32,
    ty: Type,
}

/// The atoms of all promoted objects.
struct Atoms {
    atoms: Vec<Atom>,
    /// For each object its first atom and one past its last; atoms ascend by offset.
    ranges: SecondaryMap<Object, Option<(AtomId, AtomId)>>,
}

impl Atoms {
    fn cuts(list: &[Access]) -> Vec<u32> {
        let mut cuts: Vec<u32> = list
            .iter()
            .flat_map(|a| (0..=u32::from(a.ty.lanes)).map(|k| a.offset + k * a.lane_bytes))
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    fn new(objects: &IndexMap<Object, Vec<Access>>) -> Self {
        let mut all = Atoms { atoms: vec![], ranges: SecondaryMap::new() };
        for (&o, list) in objects {
            let first = all.atoms.len();
            // Exact accesses by offset: the atom keeps their type when they agree.
            let mut types: IndexMap<(u32, u32), Option<Type>> = IndexMap::default();
            for a in list {
                for k in 0..u32::from(a.ty.lanes) {
                    let key = (a.offset + k * a.lane_bytes, a.lane_bytes);
                    let ty = types.entry(key).or_insert(Some(a.ty.lane()));
                    if *ty != Some(a.ty.lane()) {
                        *ty = None;
                    }
                }
            }
            for pair in Self::cuts(list).windows(2) {
                let (offset, len) = (pair[0], pair[1] - pair[0]);
                if list.iter().any(|a| a.offset <= offset && offset < a.end()) {
                    let exact = types.get(&(offset, len)).copied().flatten();
                    let ty = exact.unwrap_or(Type::int(len * 8));
                    all.atoms.push(Atom { offset, ty });
                }
            }
            all.ranges[o] = Some((first, all.atoms.len()));
        }
        all
    }

    /// The atoms that an access covers.
    fn covered(&self, object: Object, access: &Access) -> std::ops::Range<AtomId> {
        let (first, end) = self.ranges[object].unwrap_or((0, 0));
        let list = &self.atoms[first..end];
        let from = first + list.partition_point(|a| a.offset < access.offset);
        let to = first + list.partition_point(|a| a.offset < access.end());
        from..to
    }
}

struct Renamer<'a> {
    places: &'a Places,
    atoms: &'a Atoms,
    /// For each block the atoms that become parameters, in order, and those parameters.
    params: SecondaryMap<Block, Vec<(AtomId, Value)>>,
    defined_in: Vec<Vec<Block>>,
    live_in: SecondaryMap<Block, IndexSet<AtomId>>,
    /// What is kept whole is not made bits of: the address of another variable would seem to be used.
    addressed: bool,
}

impl<'a> Renamer<'a> {
    fn new(func: &Function, cfg: &Cfg, places: &'a Places, atoms: &'a Atoms) -> Self {
        let mut r = Renamer {
            places,
            atoms,
            params: SecondaryMap::new(),
            defined_in: vec![vec![]; atoms.atoms.len()],
            live_in: SecondaryMap::new(),
            addressed: false,
        };
        for &b in &cfg.rpo {
            let mut written: IndexSet<AtomId> = IndexSet::default();
            for &i in &func.blocks[b].insts {
                let Some((range, is_store, predicated)) = r.touched(func, i) else { continue };
                for atom in range {
                    if (!is_store || predicated) && !written.contains(&atom) {
                        r.live_in[b].insert(atom);
                    }
                    if is_store && written.insert(atom) {
                        r.defined_in[atom].push(b);
                    }
                }
            }
        }
        r.spread_liveness(cfg);
        r
    }

    fn touched(
        &self,
        func: &Function,
        inst: Inst,
    ) -> Option<(std::ops::Range<AtomId>, bool, bool)> {
        let (object, access) = access_of(func, inst, self.places)?;
        self.atoms.ranges[object]?;
        let op = func.insts[inst].op;
        let predicated = op.mem_flags().is_some_and(|f| f.predicated);
        Some((self.atoms.covered(object, &access), matches!(op, Op::Store(_)), predicated))
    }

    /// From blocks that read an atom before writing it, up to those that write it.
    fn spread_liveness(&mut self, cfg: &Cfg) {
        let mut writes: SecondaryMap<Block, IndexSet<AtomId>> = SecondaryMap::new();
        for (atom, blocks) in self.defined_in.iter().enumerate() {
            for b in blocks {
                writes[*b].insert(atom);
            }
        }
        let mut work: Vec<(Block, AtomId)> = vec![];
        for &b in &cfg.rpo {
            work.extend(self.live_in[b].iter().map(|a| (b, *a)));
        }
        while let Some((b, atom)) = work.pop() {
            for &p in &cfg.preds[b] {
                if cfg.is_reachable(p) && !writes[p].contains(&atom) && self.live_in[p].insert(atom)
                {
                    work.push((p, atom));
                }
            }
        }
    }

    /// Adds block parameters at the iterated dominance frontiers of the definitions.
    fn place_params(&mut self, func: &mut Function, cfg: &Cfg, dominators: &Dominators) {
        let mut frontier: SecondaryMap<Block, IndexSet<Block>> = SecondaryMap::new();
        for &b in &cfg.rpo {
            if cfg.preds[b].len() < 2 {
                continue;
            }
            for &p in cfg.preds[b].iter().filter(|p| cfg.is_reachable(**p)) {
                let mut runner = Some(p);
                while runner != dominators.idom(b) {
                    let Some(at) = runner else { break };
                    frontier[at].insert(b);
                    runner = dominators.idom(at);
                }
            }
        }
        for atom in 0..self.atoms.atoms.len() {
            let mut work = self.defined_in[atom].clone();
            let mut placed: IndexSet<Block> = IndexSet::default();
            while let Some(b) = work.pop() {
                for &f in &frontier[b] {
                    if self.live_in[f].contains(&atom) && placed.insert(f) {
                        work.push(f);
                    }
                }
            }
            placed.sort();
            for b in placed {
                let param = func.add_param(b, self.atoms.atoms[atom].ty);
                self.params[b].push((atom, param));
            }
        }
    }

    /// Walks the dominator tree with the current value of every atom.
    fn rename(&mut self, func: &mut Function, cfg: &Cfg, dominators: &Dominators) {
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &b in cfg.rpo.iter().rev() {
            if let Some(d) = dominators.idom(b) {
                children[d].push(b);
            }
        }
        enum Visit {
            Enter(Block),
            Leave(Vec<(AtomId, Option<Value>)>),
        }
        let mut current: Vec<Option<Value>> = vec![None; self.atoms.atoms.len()];
        let mut rewriter = Rewriter::default();
        let mut stack = vec![Visit::Enter(func.entry())];
        while let Some(visit) = stack.pop() {
            match visit {
                Visit::Leave(undo) => {
                    for (atom, old) in undo.into_iter().rev() {
                        current[atom] = old;
                    }
                }
                Visit::Enter(b) => {
                    let mut undo = vec![];
                    for &(atom, param) in &self.params[b] {
                        undo.push((atom, current[atom].replace(param)));
                    }
                    rewriter.block(func, b, &mut |builder, inst| {
                        self.access(builder, inst, &mut current, &mut undo)
                    });
                    self.pass_arguments(func, b, &current);
                    stack.push(Visit::Leave(undo));
                    stack.extend(children[b].iter().map(|c| Visit::Enter(*c)));
                }
            }
        }
        rewriter.finish(func);
    }

    fn access(
        &self,
        b: &mut Builder<'_>,
        inst: Inst,
        current: &mut [Option<Value>],
        undo: &mut Vec<(AtomId, Option<Value>)>,
    ) -> Step {
        let Some((object, access)) = access_of(b.func, inst, self.places) else {
            return Step::Keep;
        };
        if self.atoms.ranges[object].is_none() {
            return Step::Keep;
        }
        let covered = self.atoms.covered(object, &access);
        let data = b.func.insts[inst].clone();
        match data.op {
            Op::Load(flags) => {
                let read = self.read(b, covered, &access, current);
                Step::Value(guard(b, flags, &data.args, read))
            }
            _ => {
                let whole = self.addressed
                    && covered.len() == 1
                    && self.atoms.atoms[covered.start].ty == access.ty;
                let pieces = if whole { Pieces::new() } else { take_apart(b, data.args[1]) };
                for atom in covered {
                    let Atom { offset, ty } = &self.atoms.atoms[atom];
                    let lo = (offset - access.offset) * 8;
                    let mut new = match whole {
                        true => data.args[1],
                        false => pieces.extract_as(b, lo, *ty),
                    };
                    if data.op.mem_flags().is_some_and(|f| f.predicated) {
                        let old = self.current(b, atom, current);
                        new = b.select(data.args[2], new, old);
                    }
                    undo.push((atom, current[atom].replace(new)));
                }
                Step::Gone
            }
        }
    }

    /// The value of an atom; 0 when nothing was written.
    fn current(&self, b: &mut Builder<'_>, atom: AtomId, current: &[Option<Value>]) -> Value {
        match current[atom] {
            Some(v) => v,
            None => b.constant(self.atoms.atoms[atom].ty, 0),
        }
    }

    fn read(
        &self,
        b: &mut Builder<'_>,
        covered: std::ops::Range<AtomId>,
        access: &Access,
        current: &[Option<Value>],
    ) -> Value {
        if covered.len() == 1 && self.atoms.atoms[covered.start].ty == access.ty {
            return self.current(b, covered.start, current);
        }
        let mut pieces = Pieces::new();
        for atom in covered {
            let value = self.current(b, atom, current);
            pieces.push(b, value);
        }
        let lane = |b: &mut Builder<'_>, k: u32| {
            pieces.extract_as(b, k * access.lane_bytes * 8, access.ty.lane())
        };
        if access.ty.is_vector() {
            let lanes: Vec<Value> = (0..u32::from(access.ty.lanes)).map(|k| lane(b, k)).collect();
            b.value(Op::VecBuild, lanes, access.ty)
        } else {
            lane(b, 0)
        }
    }

    fn pass_arguments(&self, func: &mut Function, from: Block, current: &[Option<Value>]) {
        let mut term = std::mem::replace(&mut func.blocks[from].term, Terminator::Unreachable);
        let loc = func.blocks[from].term_loc;
        for call in term.targets_mut() {
            for (atom, _) in &self.params[call.block] {
                let mut b = Builder::at(func, from);
                b.loc = loc;
                let value = self.current(&mut b, *atom, current);
                call.args.push(value);
            }
        }
        func.blocks[from].term = term;
    }
}

/// A predicated load gives 0 when its predicate is 0.
fn guard(b: &mut Builder<'_>, flags: MemFlags, args: &[Value], value: Value) -> Value {
    if !flags.predicated {
        return value;
    }
    let ty = b.func.ty(value);
    let zero = b.constant(ty, 0);
    b.select(args[1], value, zero)
}

/// The bits of a scalar or vector.
fn take_apart(b: &mut Builder<'_>, value: Value) -> Pieces {
    let mut pieces = Pieces::new();
    let ty = b.func.ty(value);
    if ty.is_vector() {
        for k in 0..ty.lanes {
            let lane = b.value(Op::VecExtract(k), [value], ty.lane());
            pieces.push(b, lane);
        }
    } else {
        pieces.push(b, value);
    }
    pieces
}
