//! Which memory accesses can touch the same bytes.

use crate::linear::Addresses;
use ir::analysis::{Base, Cfg, Provenance, root};
use ir::{Function, Inst, Op, Space, Value};

/// Alias information of a function; valid until pointers change.
pub struct Alias<'f> {
    func: &'f Function,
    provenance: Provenance,
}

/// What an effect does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes, or reads and writes.
    Write,
    /// Orders everything around it (barriers, fences, calls).
    Wall,
}

/// What an effect does to memory.
pub fn kind(op: Op) -> Kind {
    match op {
        Op::Load(_) => Kind::Read,
        Op::Store(_) | Op::Atomic(..) => Kind::Write,
        _ => Kind::Wall,
    }
}

impl<'f> Alias<'f> {
    /// Analyses a function.
    pub fn new(func: &'f Function) -> Self {
        Alias { func, provenance: Provenance::new(func, &Cfg::new(func)) }
    }

    /// Whether two effects must stay in their order: one of them writes what the other may
    /// touch, or orders everything, or both are volatile.
    pub fn conflict(&self, a: Inst, b: Inst) -> bool {
        let (op_a, op_b) = (self.func.insts[a].op, self.func.insts[b].op);
        // Pipes carry no order of memory accesses: fences do. Who waits at one pipe may wait for what it does to another.
        match (op_a.pipe(), op_b.pipe()) {
            (Some(_), Some(_)) => return true,
            (Some(_), None) if op_b.mem_flags().is_some() => return false,
            (None, Some(_)) if op_a.mem_flags().is_some() => return false,
            _ => {}
        }
        let (Some(flags_a), Some(flags_b)) = (op_a.mem_flags(), op_b.mem_flags()) else {
            return true;
        };
        if flags_a.volatile && flags_b.volatile {
            return true;
        }
        (kind(op_a) == Kind::Write || kind(op_b) == Kind::Write) && self.may_overlap(a, b)
    }

    /// Like [`Alias::conflict`], for two effects of the block that `addresses` are for.
    pub fn conflict_at(&self, addresses: &Addresses<'_>, a: Inst, b: Inst) -> bool {
        let access = |i: Inst| (self.func.insts[i].args[0], self.func.accessed_bytes(i));
        let volatile = |i: Inst| self.func.insts[i].op.mem_flags().map(|f| f.volatile);
        let apart = || match (volatile(a), volatile(b)) {
            (None, _) | (_, None) | (Some(true), Some(true)) => false,
            _ => addresses.are_apart(access(a), access(b)),
        };
        self.conflict(a, b) && !apart()
    }

    /// Whether two accesses may touch a common byte when both happen while their pointers'
    /// operands keep their values (in one run of a block, say).
    pub fn may_overlap(&self, a: Inst, b: Inst) -> bool {
        let (p, q) = (self.func.insts[a].args[0], self.func.insts[b].args[0]);
        if !self.spaces_meet(p, q) {
            return false;
        }
        let ((root_p, at_p), (root_q, at_q)) = (root(self.func, p), root(self.func, q));
        if root_p == root_q {
            let bytes = |i: Inst| i128::from(self.func.accessed_bytes(i));
            let (len_p, len_q) = (bytes(a), bytes(b));
            return at_p < at_q + len_q && at_q < at_p + len_p;
        }
        self.bases_meet(p, q)
    }

    /// Whether two accesses may ever touch a common byte, in whatever iterations of loops.
    pub fn may_ever_overlap(&self, a: Inst, b: Inst) -> bool {
        let (p, q) = (self.func.insts[a].args[0], self.func.insts[b].args[0]);
        self.spaces_meet(p, q) && self.bases_meet(p, q)
    }

    /// Whether nothing in the kernel can write what the load `inst` reads.
    pub fn is_read_only(&self, inst: Inst) -> bool {
        if self.func.ty(self.func.insts[inst].args[0]).space() == Some(Space::Constant) {
            return true;
        }
        let all = self.func.layout.iter().flat_map(|b| &self.func.blocks[*b].insts);
        all.into_iter().all(|i| match kind(self.func.insts[*i].op) {
            Kind::Read => true,
            Kind::Write => !self.may_ever_overlap(inst, *i),
            // What other work-items write is not visible without their writing: checked above.
            Kind::Wall => !matches!(self.func.insts[*i].op, Op::Call(_)),
        })
    }

    fn spaces_meet(&self, p: Value, q: Value) -> bool {
        let (Some(a), Some(b)) = (self.func.ty(p).space(), self.func.ty(q).space()) else {
            return true;
        };
        match (a, b) {
            (Space::Generic, other) | (other, Space::Generic) => other != Space::Constant,
            _ => a == b,
        }
    }

    fn bases_meet(&self, p: Value, q: Value) -> bool {
        let list_q: Vec<Base> = self.relevant_bases(q).collect();
        // Derived from nothing known: null, not worth a guess.
        if list_q.is_empty() || self.relevant_bases(p).next().is_none() {
            return true;
        }
        self.relevant_bases(p).any(|a| list_q.iter().any(|b| self.base_pair(a, *b)))
    }

    /// Bases that the pointer's space allows.
    fn relevant_bases(&self, p: Value) -> impl Iterator<Item = Base> + '_ {
        let space = self.func.ty(p).space();
        self.provenance.bases(p).filter(move |base| match (*base, space) {
            (_, Some(Space::Generic) | None) | (Base::Unknown, _) => true,
            (Base::Object(o), Some(space)) => self.func.objects[o].space == space,
            (Base::Arg(_), Some(space)) => matches!(space, Space::Global | Space::Constant),
        })
    }

    fn base_pair(&self, a: Base, b: Base) -> bool {
        match (a, b) {
            (Base::Unknown, _) | (_, Base::Unknown) => true,
            (Base::Object(x), Base::Object(y)) => x == y,
            // A variable of the program is in no buffer that the host passes.
            (Base::Object(_), Base::Arg(_)) | (Base::Arg(_), Base::Object(_)) => false,
            (Base::Arg(x), Base::Arg(y)) => x == y || !(self.restrict(x) || self.restrict(y)),
        }
    }

    fn restrict(&self, arg: u32) -> bool {
        let info = self.func.kernel.as_ref();
        info.and_then(|k| k.args.get(arg as usize)).is_some_and(|a| a.restrict && a.kind.points())
    }
}
