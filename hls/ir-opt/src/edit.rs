//! Edits that passes share: rewriting instructions, splitting blocks and edges, removing code.

use base::entity::SecondaryMap;
use base::{FxHashMap, SmallVec};
use ir::analysis::Cfg;
use ir::{Block, BlockCall, Builder, Function, Inst, Op, Terminator, Type, Value};

/// What becomes of an instruction; see [`rewrite`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// It stays.
    Keep,
    /// It goes; this value (appended before, or older) stands for its result.
    Value(Value),
    /// It goes, and has no result that is used.
    Gone,
}

/// Rebuilds every reachable block. `visit` is called for each instruction, operands first, with
/// a builder that appends in front of it. Effects appended in place of an effect inherit its
/// place in the order; among themselves they are unordered. Gives whether anything changed.
pub fn rewrite(func: &mut Function, mut visit: impl FnMut(&mut Builder<'_>, Inst) -> Step) -> bool {
    let cfg = Cfg::new(func);
    let mut rewriter = Rewriter::default();
    for &block in &cfg.rpo {
        rewriter.block(func, block, &mut visit);
    }
    rewriter.finish(func)
}

/// The state of [`rewrite`], for passes that choose the order of blocks themselves: a block
/// must come after its dominators.
#[derive(Default)]
pub struct Rewriter {
    map: SecondaryMap<Value, Option<Value>>,
    changed: bool,
}

impl Rewriter {
    /// What stands for `value` now.
    pub fn resolve(&self, mut value: Value) -> Value {
        while let Some(next) = self.map[value] {
            value = next;
        }
        value
    }

    /// Lets `new` stand for `old`.
    pub fn replace(&mut self, old: Value, new: Value) {
        self.map[old] = Some(new);
        self.changed = true;
    }

    /// Rewrites one block.
    pub fn block(
        &mut self,
        func: &mut Function,
        block: Block,
        visit: &mut impl FnMut(&mut Builder<'_>, Inst) -> Step,
    ) {
        let old = std::mem::take(&mut func.blocks[block].insts);
        let mut expanded: FxHashMap<Inst, SmallVec<[Inst; 2]>> = FxHashMap::default();
        for inst in old {
            for k in 0..func.insts[inst].args.len() {
                func.insts[inst].args[k] = self.resolve(func.insts[inst].args[k]);
            }
            let after = expand(&func.insts[inst].after, &expanded);
            let start = func.blocks[block].insts.len();
            let mut builder = Builder::at(func, block);
            builder.loc = builder.func.insts[inst].loc;
            builder.fast_math = builder.func.insts[inst].fast_math;
            let step = visit(&mut builder, inst);
            let added: SmallVec<[Inst; 2]> = func.blocks[block].insts[start..]
                .iter()
                .copied()
                .filter(|i| func.insts[*i].op.is_effect())
                .collect();
            for &i in &added {
                func.insts[i].after = after.clone();
            }
            match step {
                Step::Keep => {
                    func.insts[inst].after = after;
                    func.blocks[block].insts.push(inst);
                    continue;
                }
                Step::Value(v) => {
                    if let Some(result) = func.insts[inst].result {
                        self.map[result] = Some(v);
                    }
                }
                Step::Gone => {}
            }
            self.changed = true;
            if func.insts[inst].op.is_effect() {
                expanded.insert(inst, if added.is_empty() { after } else { added });
            }
        }
        func.blocks[block].term.map_uses(|v| self.resolve(v));
    }

    /// Replaces the uses that were rewritten before their definitions (block arguments of
    /// backward jumps). Gives whether anything changed.
    pub fn finish(self, func: &mut Function) -> bool {
        if self.changed {
            func.substitute(&self.map);
        }
        self.changed
    }
}

fn expand(after: &[Inst], expanded: &FxHashMap<Inst, SmallVec<[Inst; 2]>>) -> SmallVec<[Inst; 2]> {
    let mut out: SmallVec<[Inst; 2]> = SmallVec::new();
    for e in after {
        let list: &[Inst] = expanded.get(e).map_or(std::slice::from_ref(e), |l| l);
        for i in list {
            if !out.contains(i) {
                out.push(*i);
            }
        }
    }
    out
}

/// Lets blocks use values of their own. `local` gives what stands in a block for a value that the block uses, from other
/// blocks or itself; it may append to the block, before the instruction that uses the value, and is asked once for a value
/// and block.
pub fn localise(func: &mut Function, mut local: impl FnMut(&mut Function, Block, Value) -> Value) {
    for block in func.layout.clone() {
        let mut found: FxHashMap<Value, Value> = FxHashMap::default();
        let mut local = |func: &mut Function, value: Value| {
            *found.entry(value).or_insert_with(|| local(func, block, value))
        };
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            for k in 0..func.insts[inst].args.len() {
                let arg = func.insts[inst].args[k];
                func.insts[inst].args[k] = local(func, arg);
            }
            func.blocks[block].insts.push(inst);
        }
        let mut term = std::mem::replace(&mut func.blocks[block].term, Terminator::Unreachable);
        term.map_uses(|v| local(func, v));
        func.blocks[block].term = term;
    }
}

/// Removes the instructions for which `keep` does not hold. The order between effects that
/// stay is preserved.
pub fn retain_insts(func: &mut Function, mut keep: impl FnMut(&Function, Inst) -> bool) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        changed |= !take_insts(func, block, |f, i| !keep(f, i)).is_empty();
    }
    changed
}

/// Takes the instructions for which `take` holds out of a block. The order between effects that
/// stay is preserved.
pub fn take_insts(
    func: &mut Function,
    block: Block,
    mut take: impl FnMut(&Function, Inst) -> bool,
) -> Vec<Inst> {
    let old = std::mem::take(&mut func.blocks[block].insts);
    let mut removed: FxHashMap<Inst, SmallVec<[Inst; 2]>> = FxHashMap::default();
    let (mut kept, mut taken) = (Vec::with_capacity(old.len()), vec![]);
    for inst in old {
        let after = expand(&func.insts[inst].after, &removed);
        if take(func, inst) {
            removed.insert(inst, after);
            taken.push(inst);
        } else {
            func.insts[inst].after = after;
            kept.push(inst);
        }
    }
    func.blocks[block].insts = kept;
    taken
}

/// Makes the layout the reachable blocks in reverse postorder. Gives whether blocks went.
pub fn remove_unreachable(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let gone = cfg.rpo.len() != func.layout.len();
    func.layout = cfg.rpo;
    gone
}

/// Moves instructions `at..` and the terminator of `block` into a new block (last in the
/// layout), to which `block` then jumps.
pub fn split_block(func: &mut Function, block: Block, at: usize) -> Block {
    let rest = func.add_block();
    let insts = func.blocks[block].insts.split_off(at);
    for &i in &insts {
        let after = std::mem::take(&mut func.insts[i].after);
        func.insts[i].after = after.into_iter().filter(|e| insts.contains(e)).collect();
    }
    func.blocks[rest].insts = insts;
    let jump = Terminator::Jump(BlockCall::new(rest, []));
    func.blocks[rest].term = std::mem::replace(&mut func.blocks[block].term, jump);
    func.blocks[rest].term_loc = func.blocks[block].term_loc;
    rest
}

/// Puts a new block without parameters on the `nth` edge out of `from`.
pub fn split_edge(func: &mut Function, from: Block, nth: usize) -> Block {
    let middle = func.add_block();
    let loc = func.blocks[from].term_loc;
    let mut targets = func.blocks[from].term.targets_mut();
    let call = std::mem::replace(targets[nth], BlockCall::new(middle, []));
    drop(targets);
    func.blocks[middle].term = Terminator::Jump(call);
    func.blocks[middle].term_loc = loc;
    middle
}

/// A block that others are appended to.
pub struct Line {
    block: Block,
    /// Its effects that none of it is behind.
    last: Vec<Inst>,
}

impl Line {
    /// Begins with this block.
    pub fn new(func: &Function, block: Block) -> Self {
        Line { block, last: last_effects(func, block) }
    }

    /// Appends block `second`, to which the line must end in the only jump. What its parameters become goes into `map`, which the
    /// caller substitutes when all is merged; it takes the block out of the layout too.
    pub fn append(
        &mut self,
        func: &mut Function,
        second: Block,
        map: &mut SecondaryMap<Value, Option<Value>>,
    ) {
        let first = self.block;
        let unreachable = Terminator::Unreachable;
        let Terminator::Jump(call) = std::mem::replace(&mut func.blocks[first].term, unreachable)
        else {
            unreachable!("caller found a jump");
        };
        for (&p, &a) in func.blocks[second].params.iter().zip(&call.args) {
            map[p] = Some(a);
        }
        let last: SmallVec<[Inst; 2]> = self.last.iter().copied().collect();
        let insts = std::mem::take(&mut func.blocks[second].insts);
        for &i in &insts {
            if func.insts[i].op.is_effect() && func.insts[i].after.is_empty() {
                func.insts[i].after = last.clone();
            }
        }
        follow(func, &mut self.last, &insts);
        func.blocks[first].insts.extend(insts);
        func.blocks[first].term =
            std::mem::replace(&mut func.blocks[second].term, Terminator::Unreachable);
        func.blocks[first].term_loc = func.blocks[second].term_loc;
        func.blocks[second].params.clear();
    }
}

/// Lets an access, or operation on a pipe, happen only where `predicate` (i1) holds too; of an access with a mask, each part.
pub fn restrict(b: &mut Builder<'_>, inst: Inst, predicate: Value) {
    if b.func.insts[inst].op.predicated() == Some(true) {
        let last = b.func.insts[inst].args.len() - 1;
        let old = b.func.insts[inst].args[last];
        let ty = b.func.ty(old);
        b.func.insts[inst].args[last] = if ty == Type::BOOL {
            b.binary(Op::And, old, predicate)
        } else {
            let none = b.constant(ty, 0);
            b.select(predicate, old, none)
        };
    } else {
        let data = &mut b.func.insts[inst];
        data.op = data.op.with_predicate(true);
        data.args.push(predicate);
    }
}

/// The effects of `block` that no other effect is ordered after: what comes later and after
/// these comes after all.
pub fn last_effects(func: &Function, block: Block) -> Vec<Inst> {
    let mut last: Vec<Inst> = vec![];
    follow(func, &mut last, &func.blocks[block].insts);
    last
}

/// Keeps `last` the effects that none is behind when these instructions come behind them.
fn follow(func: &Function, last: &mut Vec<Inst>, insts: &[Inst]) {
    for &i in insts {
        let data = &func.insts[i];
        if data.op.is_effect() {
            last.retain(|e| !data.after.contains(e));
            last.push(i);
        }
    }
}

/// Number of uses of each value in reachable code.
pub fn use_counts(func: &Function) -> SecondaryMap<Value, u32> {
    let mut uses = SecondaryMap::new();
    uses.resize(func.values.len());
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].args.iter().for_each(|v| uses[*v] += 1);
        }
        func.blocks[block].term.for_each_use(|v| uses[v] += 1);
    }
    uses
}

/// Removes the parameters of blocks at the given positions (ascending), with the arguments of all jumps to them. All blocks at once,
/// because every jump is looked at.
pub fn remove_params(func: &mut Function, positions: &SecondaryMap<Block, Vec<usize>>) {
    for block in func.layout.clone() {
        let gone = &positions[block];
        if !gone.is_empty() {
            let mut stays = all_but(gone);
            func.blocks[block].params.retain(|_| stays());
            for (k, &p) in func.blocks[block].params.iter().enumerate() {
                func.values[p].def = ir::ValueDef::Param(block, k as u32);
            }
        }
        for call in func.blocks[block].term.targets_mut() {
            let mut stays = all_but(&positions[call.block]);
            call.args.retain(|_| stays());
        }
    }
}

/// Says for one position of a list after the other whether it is none of those `gone` (ascending).
fn all_but(mut gone: &[usize]) -> impl FnMut() -> bool {
    let mut at = 0;
    move || {
        let stays = gone.first() != Some(&at);
        gone = &gone[usize::from(!stays)..];
        at += 1;
        stays
    }
}
