//! Moves selections of a loop-carried value that stand one behind the other out of its recurrence: one remains, whose condition
//! and other operand do not wait for the value.
//!
//! ```text
//! next = a ? (b ? p + x : p + y) : z        next = (a & ...) ? p + (b ? x : y) : z
//! ```

use crate::recurrence;
use base::FxHashSet;
use ir::{Block, Builder, Function, Inst, Op, Value};

/// Leaves of selections that are looked at; what has more stays as it is.
const MOST_LEAVES: usize = 32;

/// Retimes the loops of one block of a kernel with a single work-item: only there the recurrence of a value limits how soon the next
/// iteration follows.
pub fn run(func: &mut Function) {
    if !func.is_task() {
        return;
    }
    for block in func.layout.clone() {
        retime(func, block);
    }
}

/// Retimes a block that loops on itself.
pub fn retime(func: &mut Function, block: Block) {
    let Some(back) = ir::analysis::back_edge(func, block) else { return };
    for (k, param) in func.blocks[block].params.clone().into_iter().enumerate() {
        let next = func.blocks[block].term.targets()[back].args[k];
        let Some(found) = Recurrence::find(func, block, param, next) else { continue };
        if found.tree.depth() < Some(2) {
            continue;
        }
        if let Some(new) = found.rebuild(func, block, None) {
            func.blocks[block].term.targets_mut()[back].args[k] = new;
            leave_with(func, block, next, new);
        }
    }
}

/// What comes behind the loop takes the new value too, so that the old one goes where nothing else in the block needs it.
fn leave_with(func: &mut Function, block: Block, old: Value, new: Value) {
    let change = |v: Value| if v == old { new } else { v };
    for b in func.layout.clone() {
        if b != block {
            for inst in func.blocks[b].insts.clone() {
                func.insts[inst].args.iter_mut().for_each(|a| *a = change(*a));
            }
        }
        func.blocks[b].term.map_uses(change);
    }
}

/// The selections by which the next value of a parameter is chosen.
enum Tree {
    /// Does not depend on the parameter.
    Other(Value),
    /// Depends on it.
    Own(Value),
    /// A selection by a condition that does not, and what is chosen when it is true and false; one of both depends on the parameter.
    Select(Inst, Value, Box<Tree>, Box<Tree>),
}

impl Tree {
    /// `own` are the values that depend on the parameter; counts leaves.
    fn of(func: &Function, own: &FxHashSet<Value>, value: Value, leaves: &mut usize) -> Tree {
        if own.contains(&value) {
            let select = func.def_inst(value).filter(|i| func.insts[*i].op == Op::Select);
            if let Some(inst) = select
                && let &[cond, then_, else_] = &func.insts[inst].args[..]
                && !own.contains(&cond)
                && *leaves < MOST_LEAVES
            {
                let then_ = Tree::of(func, own, then_, leaves);
                let else_ = Tree::of(func, own, else_, leaves);
                return Tree::Select(inst, cond, Box::new(then_), Box::new(else_));
            }
        }
        *leaves += 1;
        if own.contains(&value) { Tree::Own(value) } else { Tree::Other(value) }
    }

    /// Selections that a value which depends on the parameter passes.
    fn depth(&self) -> Option<u32> {
        match self {
            Tree::Other(_) => None,
            Tree::Own(_) => Some(0),
            Tree::Select(_, _, x, y) => x.depth().max(y.depth()).map(|d| d + 1),
        }
    }

    /// The selections.
    fn selections(&self, out: &mut Vec<Inst>) {
        if let Tree::Select(inst, _, x, y) = self {
            out.push(*inst);
            [x, y].into_iter().for_each(|t| t.selections(out));
        }
    }

    fn own_leaves(&self, out: &mut Vec<Value>) {
        match self {
            Tree::Other(_) => {}
            Tree::Own(v) => out.push(*v),
            Tree::Select(_, _, x, y) => [x, y].into_iter().for_each(|t| t.own_leaves(out)),
        }
    }
}

/// What all leaves that depend on the parameter have in common.
enum Common {
    /// They are this value.
    Same(Value),
    /// They are the parameter, or this operation on it and something else.
    Step(Op),
}

/// How a value comes from that of the last iteration.
pub struct Recurrence {
    param: Value,
    next: Value,
    tree: Tree,
    common: Common,
}

/// When a leaf that depends on the parameter is chosen.
#[derive(Clone, Copy)]
enum When {
    Always,
    Never,
    If(Value),
}

/// A tree as one selection.
struct Parts {
    when: When,
    /// The value, or the operand of the step, when it is.
    own: Option<Value>,
    /// The value when it is not.
    other: Option<Value>,
}

impl Recurrence {
    /// Of a parameter and its next value.
    pub fn find(func: &Function, block: Block, param: Value, next: Value) -> Option<Recurrence> {
        let own = recurrence::dependents(func, block, param);
        let tree = Tree::of(func, &own, next, &mut 0);
        let mut leaves = vec![];
        tree.own_leaves(&mut leaves);
        let common = common(func, &own, param, &leaves)?;
        Some(Recurrence { param, next, tree, common })
    }

    /// Whether it counts: the next value is the last one and what is added or taken away, or does not depend on the last one.
    pub fn counts(&self) -> bool {
        matches!(self.common, Common::Step(Op::Add | Op::Sub))
    }

    /// The selections that it goes through.
    pub fn selections(&self) -> Vec<Inst> {
        let mut out = vec![];
        self.tree.selections(&mut out);
        out
    }

    /// The next value, with one selection at most; or that of `ahead.0`, which is a counter and always larger by `ahead.1`.
    pub fn rebuild(
        &self,
        func: &mut Function,
        block: Block,
        ahead: Option<(Value, Value)>,
    ) -> Option<Value> {
        let loc = func.def_inst(self.next).map(|i| func.insts[i].loc);
        let mut b = Builder::at(func, block);
        b.loc = loc.unwrap_or(b.loc);
        let parts = self.parts(&mut b, &self.tree);
        let own = match self.common {
            Common::Same(_) => parts.own?,
            Common::Step(op) => {
                let ty = b.func.ty(self.param);
                b.value(op, [ahead.map_or(self.param, |a| a.0), parts.own?], ty)
            }
        };
        match parts.when {
            When::If(c) => {
                let other = parts.other?;
                let other = ahead.map_or(other, |(_, by)| b.binary(Op::Add, other, by));
                Some(b.select(c, own, other))
            }
            When::Always => Some(own),
            When::Never => None,
        }
    }

    fn parts(&self, b: &mut Builder<'_>, tree: &Tree) -> Parts {
        match tree {
            Tree::Other(v) => Parts { when: When::Never, own: None, other: Some(*v) },
            Tree::Own(v) => {
                let own = match self.common {
                    Common::Same(v) => v,
                    Common::Step(_) => self.operand(b, *v),
                };
                Parts { when: When::Always, own: Some(own), other: None }
            }
            Tree::Select(_, c, x, y) => {
                let (x, y) = (self.parts(b, x), self.parts(b, y));
                let own = choose(b, *c, x.own, y.own);
                let other = choose(b, *c, x.other, y.other);
                Parts { when: choose_when(b, *c, x.when, y.when), own, other }
            }
        }
    }

    /// What is added to the parameter, or the like, to have this leaf.
    fn operand(&self, b: &mut Builder<'_>, leaf: Value) -> Value {
        let args = b.func.def_inst(leaf).map(|i| b.func.insts[i].args.clone());
        match args.as_deref() {
            Some(&[x, y]) if leaf != self.param => {
                if x == self.param {
                    y
                } else {
                    x
                }
            }
            _ => {
                let ty = match self.common {
                    Common::Step(Op::PtrAdd) => b.size_type(),
                    _ => b.func.ty(self.param),
                };
                b.constant(ty, 0)
            }
        }
    }
}

/// What leaves have in common, if it is something that can stand in front of the selection.
fn common(
    func: &Function,
    own: &FxHashSet<Value>,
    param: Value,
    leaves: &[Value],
) -> Option<Common> {
    let first = *leaves.first()?;
    let same = || leaves.iter().all(|l| *l == first).then_some(Common::Same(first));
    step(func, own, param, leaves).map(Common::Step).or_else(same)
}

/// The operation by which all leaves come from the parameter.
fn step(func: &Function, own: &FxHashSet<Value>, param: Value, leaves: &[Value]) -> Option<Op> {
    let mut steps = leaves.iter().filter(|l| **l != param).map(|leaf| {
        let data = &func.insts[func.def_inst(*leaf)?];
        let other = match (data.op, &data.args[..]) {
            (Op::Add | Op::Xor | Op::Or | Op::Sub | Op::PtrAdd, &[x, y]) if x == param => y,
            (Op::Add | Op::Xor | Op::Or, &[x, y]) if y == param => x,
            _ => return None,
        };
        (!own.contains(&other)).then_some(data.op)
    });
    // An integer that never changes is a sum with 0.
    let unchanged = func.ty(param).is_int().then_some(Op::Add);
    let op = steps.next().unwrap_or(unchanged)?;
    steps.all(|s| s == Some(op)).then_some(op)
}

fn choose(b: &mut Builder<'_>, c: Value, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    match (x, y) {
        (Some(x), Some(y)) if x != y => Some(b.select(c, x, y)),
        _ => x.or(y),
    }
}

fn choose_when(b: &mut Builder<'_>, c: Value, x: When, y: When) -> When {
    use When::*;
    match (x, y) {
        (Always, Always) => Always,
        (Never, Never) => Never,
        (Always, Never) => If(c),
        (Never, Always) => If(b.unary(Op::Not, c)),
        (If(x), Never) => If(b.binary(Op::And, c, x)),
        (Always, If(y)) => If(b.binary(Op::Or, c, y)),
        (Never, If(y)) => {
            let not = b.unary(Op::Not, c);
            If(b.binary(Op::And, not, y))
        }
        (If(x), Always) => {
            let not = b.unary(Op::Not, c);
            If(b.binary(Op::Or, not, x))
        }
        (If(x), If(y)) if x == y => If(x),
        (If(x), If(y)) => If(b.select(c, x, y)),
    }
}
