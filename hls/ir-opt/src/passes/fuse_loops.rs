//! Loops of a single work-item that follow one another and go round equally often become one.
//!
//! ```text
//! for (j = 0; j < n; j++) x[j] = a[j];             for (j = 0; j < n; j++) {
//! for (j = 0; j < n; j++) y[j] = f(x[j]);              x = a[j];   y = f(x);   b[j] = y;
//! for (j = 0; j < n; j++) b[j] = y[j];             }
//! ```
//!
//! One loop behind the other takes the cycles of both; as one they take those of the slower, and arrays between them are often no
//! more than values. An iteration of the second loop comes before later ones of the first then, so none of those may touch what it
//! touches, if one of both writes ([`Iterations::meets`]).

mod congruence;

use super::{flatten::is_on_chip, simplify_cfg};
use crate::alias::Alias;
use crate::dependence::{Assume, Iterations};
use crate::known::Ranges;
use crate::linear::steps::Steps;
use crate::recurrence::interval;
use crate::{Context, edit};
use base::entity::SecondaryMap;
use base::{Diagnostic, FxHashSet, Loc, SmallVec};
use congruence::Congruence;
use ir::analysis::{Cfg, Loops, back_edge};
use ir::{Block, BlockCall, Function, Inst, LoopHint, Op, Terminator, Value, ValueDef};

/// Fuses until nothing is left that is worth it, front to back.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !func.is_task() {
        return;
    }
    simplify_cfg::run(func);
    let mut refused: FxHashSet<(Block, Block)> = FxHashSet::default();
    while let Some(pair) = next_pair(func, &refused) {
        let (first, second) = (pair.first, pair.second);
        let places = [first, second].map(|b| func.blocks[b].term_loc);
        let intervals = [first, second].map(|b| interval(func, b, context.clock()));
        let mut trial = func.clone();
        let fused = pair.fuse(&mut trial);
        if is_allowed(&mut trial, &fused, context)
            && interval(&trial, first, context.clock()) <= intervals[0].max(intervals[1])
        {
            remark(places, context);
            simplify_cfg::run(&mut trial);
            *func = trial;
        } else {
            refused.insert((first, second));
        }
    }
}

/// Two loops of one block each, of which the second begins where the first one ends.
struct Pair {
    first: Block,
    second: Block,
    /// The only block that leads into the first.
    before: Block,
    /// The block between them.
    between: Option<Block>,
    /// Its parameters with their values.
    bound: Vec<(Value, Value)>,
    /// What the second begins with.
    begins: Vec<Value>,
    /// Operations between them that need nothing of the first.
    early: Vec<Inst>,
    /// For each parameter of the second loop, that of the first one with the same values.
    same: Vec<Option<Value>>,
}

/// A loop that was two.
struct Fused {
    block: Block,
    /// The accesses that were in the second one.
    second: FxHashSet<Inst>,
    /// What the source says of both.
    hints: [LoopHint; 2],
}

/// The first pair that was not refused and may be fused as far as its values and its shape go.
fn next_pair(func: &Function, refused: &FxHashSet<(Block, Block)>) -> Option<Pair> {
    let cfg = Cfg::new(func);
    for &first in &cfg.rpo {
        if back_edge(func, first).is_none() {
            continue;
        }
        if let Some(pair) = Pair::find(func, &cfg, first)
            && !refused.contains(&(first, pair.second))
        {
            return Some(pair);
        }
    }
    None
}

/// The way out of a block that loops on itself.
fn exit(func: &Function, block: Block) -> Option<&BlockCall> {
    let back = back_edge(func, block)?;
    func.blocks[block].term.targets().get(1 - back).copied()
}

impl Pair {
    fn find(func: &Function, cfg: &Cfg, first: Block) -> Option<Pair> {
        let next = exit(func, first)?;
        let (between, begin) = match func.blocks[next.block].term {
            _ if back_edge(func, next.block).is_some() => (None, next),
            Terminator::Jump(ref call) if cfg.preds[next.block].len() == 1 => {
                (Some(next.block), call)
            }
            _ => return None,
        };
        let second = begin.block;
        let outside = |block: Block| {
            let mut before = cfg.preds[block].iter().copied().filter(|b| *b != block);
            before.next().filter(|_| before.next().is_none())
        };
        let before = outside(first)?;
        if second == first
            || back_edge(func, second).is_none()
            || outside(second) != Some(between.unwrap_or(first))
        {
            return None;
        }
        let bound = match between {
            Some(block) => {
                func.blocks[block].params.iter().copied().zip(next.args.to_vec()).collect()
            }
            None => vec![],
        };
        let (early, late) = split(func, first, between, &bound)?;
        let begins =
            begin.args.iter().map(|v| bound.iter().find(|(p, _)| p == v).map_or(*v, |(_, a)| *a));
        let begins: Vec<Value> = begins.collect();
        let starts = func.blocks[before].term.targets();
        let starts: Vec<_> = starts.into_iter().filter(|t| t.block == first).collect();
        let [start] = starts[..] else { return None };
        // The second loop must need nothing of the first.
        let needs = |v: &Value| late.contains(v);
        let of_second = func.blocks[second].insts.iter().flat_map(|i| &func.insts[*i].args);
        if begins.iter().chain(of_second).any(needs) || has_need_in_term(func, second, &late) {
            return None;
        }
        if !have_compatible_effects(func, first, second) {
            return None;
        }
        let congruence = Congruence::find(func, [first, second], [&start.args, &begins])?;
        let same = congruence.of_second(func);
        Some(Pair { first, second, before, between, bound, begins, early, same })
    }

    /// Makes the first block the loop of both.
    fn fuse(self, func: &mut Function) -> Fused {
        let Pair { first, second, .. } = self;
        let hints = [first, second].map(|b| func.blocks[b].hint);
        self.bind(func);
        func.blocks[self.before].insts.extend(&self.early);
        let behind = self.between.unwrap_or_else(|| func.add_block());
        func.blocks[behind].insts.retain(|i| !self.early.contains(i));
        let leave = exit(func, second).cloned();
        let back =
            back_edge(func, second).map(|k| func.blocks[second].term.targets()[k].args.clone());
        let (Some(leave), Some(back)) = (leave, back) else { unreachable!("loops on itself") };
        func.blocks[behind].term = Terminator::Jump(leave);
        func.blocks[behind].term_loc = func.blocks[second].term_loc;
        self.append(func);
        for call in func.blocks[self.before].term.targets_mut() {
            if call.block == first {
                call.args.extend(self.begins.iter().copied());
            }
        }
        let at = back_edge(func, first);
        for (k, call) in func.blocks[first].term.targets_mut().into_iter().enumerate() {
            if Some(k) == at {
                call.args.extend(back.iter().copied());
            } else {
                *call = BlockCall::new(behind, []);
            }
        }
        func.layout.retain(|b| *b != second);
        let accesses = func.blocks[second].insts.iter().copied();
        let fused = Fused {
            block: first,
            second: accesses.filter(|i| func.insts[*i].op.is_effect()).collect(),
            hints,
        };
        self.unify(func);
        fused
    }

    /// Gives the block between the loops its values directly instead of by parameters.
    fn bind(&self, func: &mut Function) {
        let Some(block) = self.between.filter(|_| !self.bound.is_empty()) else { return };
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        self.bound.iter().for_each(|(p, a)| map[*p] = Some(*a));
        func.substitute(&map);
        func.blocks[block].params.clear();
    }

    /// Parameters and operations of the second loop behind those of the first.
    fn append(&self, func: &mut Function) {
        let (first, second) = (self.first, self.second);
        let last: SmallVec<[Inst; 2]> = edit::last_effects(func, first).into_iter().collect();
        for inst in func.blocks[second].insts.clone() {
            if func.insts[inst].op.is_effect() && func.insts[inst].after.is_empty() {
                func.insts[inst].after = last.clone();
            }
            func.blocks[first].insts.push(inst);
        }
        for &param in &func.blocks[second].params.clone() {
            let place = func.blocks[first].params.len() as u32;
            func.values[param].def = ValueDef::Param(first, place);
            func.blocks[first].params.push(param);
        }
    }

    /// Leaves one of the parameters that have the same values.
    fn unify(&self, func: &mut Function) {
        let own = func.blocks[self.first].params.len() - self.same.len();
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        let mut gone: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
        for (k, same) in self.same.iter().enumerate() {
            if let Some(value) = same {
                map[func.blocks[self.first].params[own + k]] = Some(*value);
                gone[self.first].push(own + k);
            }
        }
        func.substitute(&map);
        edit::remove_params(func, &gone);
    }
}

/// Operations between two loops, in the order in which they stand: those that need nothing of the first loop, and all values that do. None
/// if something has an effect.
fn split(
    func: &Function,
    first: Block,
    between: Option<Block>,
    bound: &[(Value, Value)],
) -> Option<(Vec<Inst>, FxHashSet<Value>)> {
    let data = &func.blocks[first];
    let results = data.insts.iter().filter_map(|i| func.insts[*i].result);
    let mut late: FxHashSet<Value> = data.params.iter().copied().chain(results).collect();
    let of_first: Vec<Value> =
        bound.iter().filter(|(_, a)| late.contains(a)).map(|(p, _)| *p).collect();
    late.extend(of_first);
    let mut early = vec![];
    for &inst in between.iter().flat_map(|b| &func.blocks[*b].insts) {
        let data = &func.insts[inst];
        if data.op.is_effect() {
            return None;
        }
        match data.args.iter().any(|a| late.contains(a)) {
            true => late.extend(data.result),
            false => early.push(inst),
        }
    }
    Some((early, late))
}

/// Whether the way back of a loop, or whether it is taken, needs one of these values.
fn has_need_in_term(func: &Function, block: Block, of: &FxHashSet<Value>) -> bool {
    let mut needs = false;
    let back = func.blocks[block].term.targets().into_iter().filter(|t| t.block == block);
    back.flat_map(|t| &t.args).for_each(|v| needs |= of.contains(v));
    if let Terminator::Branch { cond, .. } = &func.blocks[block].term {
        needs |= of.contains(cond);
    }
    needs
}

/// Whether the loops do nothing but access memory, and if one of them also uses pipes, the other one accesses memory on the chip only: who is on
/// the other side of a pipe may count on what both did to device memory, and when.
fn have_compatible_effects(func: &Function, first: Block, second: Block) -> bool {
    let effects = [first, second].map(|block| {
        let effects = func.blocks[block].insts.iter().copied();
        effects.filter(|i| func.insts[*i].op.is_effect()).collect::<Vec<Inst>>()
    });
    let uses_pipe = |i: &Inst| func.insts[*i].op.pipe().is_some();
    let plain = |i: &Inst| match func.insts[*i].op {
        Op::Load(flags) | Op::Store(flags) => !flags.volatile,
        _ => uses_pipe(i),
    };
    let on_chip = |i: &Inst| is_on_chip(func, *i);
    let [a, b] = &effects;
    let apart =
        |of: &[Inst], other: &[Inst]| !of.iter().any(uses_pipe) || other.iter().all(on_chip);
    effects.iter().flatten().all(plain) && apart(a, b) && apart(b, a)
}

/// Whether a fused loop does what both did one behind the other, and iterations of it can follow one another as theirs could. Leaves on it what the
/// hints of both say.
fn is_allowed(func: &mut Function, fused: &Fused, context: &Context<'_>) -> bool {
    let Some(hint) = hint_of_both(fused.hints) else { return false };
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let alias = Alias::new(func);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let Some(id) = loops.headed_by(fused.block) else { return false };
    let Some(steps) = Steps::new(func, &ranges, &loops, &homes, id) else { return false };
    let iterations = Iterations::new(func, &ranges, fused.block, steps);
    let mut own = vec![];
    let mut carried = false;
    for (a, b) in iterations.pairs(&alias) {
        let [x, y] = [a, b].map(|k| fused.second.contains(&iterations.accesses[k].inst));
        let apart = iterations.nearest(a, b, Assume::DataFlow);
        if x == y {
            own.push((usize::from(x), apart));
            continue;
        }
        // `b` is of the second loop, and came behind all of `a`.
        if iterations.meets(b, a).is_some() {
            return false;
        }
        // A store may follow loads of earlier iterations on the chip at any distance: it has a later cycle.
        let [of_a, of_b] = [a, b].map(|k| iterations.accesses[k].inst);
        let overwrites = matches!(func.insts[of_b].op, Op::Store(_)) && is_on_chip(func, of_a);
        let reads = matches!(func.insts[of_a].op, Op::Load(_));
        if apart.is_some() && !(reads && overwrites) && iterations.carries(&alias, a, b).is_none() {
            return false;
        }
        carried |= apart.is_some();
    }
    // The `ivdep` of a loop says nothing of the other one's accesses.
    let ivdep = hint.ivdep && !carried;
    func.blocks[fused.block].hint = LoopHint { ivdep, ..hint };
    ivdep || own.iter().all(|(of, apart)| !fused.hints[*of].ivdep || apart.is_none())
}

/// What holds of a loop that was two; none where they ask for different things, or for something that holds of one alone.
fn hint_of_both([a, b]: [LoopHint; 2]) -> Option<LoopHint> {
    let common = |hint: LoopHint| LoopHint { ivdep: false, ..hint };
    let fine = common(a) == common(b) && !a.no_fusion && a.dependency_length == 0;
    fine.then_some(LoopHint { ivdep: a.ivdep && b.ivdep, ..a })
}

/// Tells the user which loops became one.
fn remark([first, second]: [Loc; 2], context: &Context<'_>) {
    let text = "this loop and the one behind it run as one: they go round equally often, and no iteration waits for a later one";
    let remark = Diagnostic::remark("W0320", text).at(first).label(second, "the one behind it");
    context.remarks.borrow_mut().push(remark);
}
