//! Where pointers point: the basis of alias classes and of the choice of memories.

use super::cfg::Cfg;
use crate::entities::{Object, Value};
use crate::function::{Function, ValueDef};
use crate::op::Op;
use base::IndexSet;
use base::entity::SecondaryMap;

/// What a pointer can be derived from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// A memory object of the function.
    Object(Object),
    /// A pointer argument of the kernel, by index.
    Arg(u32),
    /// Anything: loaded from memory, made from an integer, or passed to a function.
    Unknown,
}

/// For each pointer value, the set of bases it can be derived from. Integers that come from
/// pointers keep their bases through arithmetic, so that `(T*)((size_t)p + 4)` is still `p`.
#[derive(Clone, Debug)]
pub struct Provenance {
    bases: SecondaryMap<Value, IndexSet<Base>>,
}

impl Provenance {
    /// Flow-insensitive fixed point over the reachable blocks.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut p = Provenance { bases: SecondaryMap::new() };
        p.bases.resize(func.values.len());
        let is_function = func.kernel.is_none();
        if is_function && let Some(&entry) = func.layout.first() {
            for &v in &func.blocks[entry].params {
                p.bases[v].insert(Base::Unknown);
            }
        }
        while p.step(func, cfg) {}
        p
    }

    fn step(&mut self, func: &Function, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                changed |= self.visit(func, inst);
            }
            for call in func.blocks[block].term.targets() {
                for (k, &arg) in call.args.iter().enumerate() {
                    let param = func.blocks[call.block].params[k];
                    changed |= self.flow(arg, param);
                }
            }
        }
        changed
    }

    fn visit(&mut self, func: &Function, inst: crate::Inst) -> bool {
        let data = &func.insts[inst];
        let Some(result) = data.result else { return false };
        let ty = func.ty(result);
        match data.op {
            Op::ObjAddr(o) => self.bases[result].insert(Base::Object(o)),
            Op::Arg { index, .. } if ty.space().is_some() => {
                self.bases[result].insert(Base::Arg(index))
            }
            Op::Const(_) | Op::ICmp(_) | Op::FCmp(_) => false,
            op if op.is_effect() => {
                ty.space().is_some() && self.bases[result].insert(Base::Unknown)
            }
            _ => {
                let mut changed = false;
                for &a in &data.args {
                    changed |= self.flow(a, result);
                }
                // A pointer made of nothing that points anywhere (not null): unknown.
                if data.op == Op::IntToPtr && self.bases[result].is_empty() {
                    let null = func.as_const(data.args[0]) == Some(0);
                    changed |= !null && self.bases[result].insert(Base::Unknown);
                }
                changed
            }
        }
    }

    fn flow(&mut self, from: Value, to: Value) -> bool {
        if from == to || self.bases[from].is_empty() {
            return false;
        }
        let add: Vec<Base> =
            self.bases[from].iter().copied().filter(|b| !self.bases[to].contains(b)).collect();
        let changed = !add.is_empty();
        self.bases[to].extend(add);
        changed
    }

    /// The possible bases of `value`, in discovery order; empty for values that are not derived
    /// from a pointer (null).
    pub fn bases(&self, value: Value) -> impl Iterator<Item = Base> + '_ {
        self.bases[value].iter().copied()
    }

    /// The only base, when there is exactly one and it is known.
    pub fn single(&self, value: Value) -> Option<Base> {
        let mut it = self.bases(value);
        match (it.next(), it.next()) {
            (Some(b), None) if b != Base::Unknown => Some(b),
            _ => None,
        }
    }
}

/// Kernel argument index when `value` is directly a pointer argument.
pub fn direct_arg(func: &Function, value: Value) -> Option<u32> {
    match func.values[value].def {
        ValueDef::Inst(i) => match func.insts[i].op {
            Op::Arg { index, offset: 0 } => Some(index),
            _ => None,
        },
        ValueDef::Param(..) => None,
    }
}
