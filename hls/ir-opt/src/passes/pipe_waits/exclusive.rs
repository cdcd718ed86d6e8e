//! Operations on one pipe of which at most one happens: those of the two arms of a branch.
//!
//! `if (c) write_pipe(p, &x); else write_pipe(p, &y);` is one write of either packet. As two operations, which a pipe takes one
//! after the other, they keep the iterations of a loop apart.

use base::entity::SecondaryMap;
use base::{FxHashMap, FxHashSet, IndexSet};
use ir::{Block, Builder, Function, Inst, IntCC, Op, Type, Value};
use std::collections::BTreeSet;

/// Joins two of them into one; whether there were two.
pub(super) fn join(func: &mut Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    let ops: Vec<Inst> = insts.iter().copied().filter(|i| is_such(func, *i)).collect();
    for (k, &second) in ops.iter().enumerate() {
        for &first in &ops[..k] {
            let same = func.insts[first].op == func.insts[second].op;
            if same && are_exclusive(func, first, second) && merge(func, block, first, second) {
                return true;
            }
        }
    }
    false
}

/// Whether it is an operation on a pipe that takes, or moves a packet, under a condition.
fn is_such(func: &Function, inst: Inst) -> bool {
    let op = func.insts[inst].op;
    op.predicated() == Some(true) && op.pipe().is_some_and(|(op, _)| op.moves() || op.takes())
}

/// Part of a condition: a value, or a comparison in one of its two directions; and whether it holds.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Term {
    Value(Value),
    Compare(IntCC, Value, Value),
}

/// All terms that hold together.
type Way = Vec<(Term, bool)>;
/// Conditions with more ways to hold than this, or nested more deeply, are taken as they are.
const MOST_WAYS: usize = 16;
const MOST_DEPTH: u32 = 8;

/// The ways in which a condition holds, or does not.
fn ways(func: &Function, value: Value, holds: bool, depth: u32) -> Vec<Way> {
    let whole = || vec![vec![(Term::Value(value), holds)]];
    let Some(inst) = func.def_inst(value).filter(|_| depth < MOST_DEPTH) else { return whole() };
    let data = &func.insts[inst];
    let of = |k: usize, holds| ways(func, data.args[k], holds, depth + 1);
    let found: Vec<Way> = match data.op {
        Op::Not => of(0, !holds),
        Op::And | Op::Or if (data.op == Op::And) == holds => {
            let (one, other) = (of(0, holds), of(1, holds));
            one.iter().flat_map(|x| other.iter().map(|y| [&x[..], y].concat())).collect()
        }
        Op::And | Op::Or => [of(0, holds), of(1, holds)].concat(),
        Op::ICmp(cc) => {
            let turned =
                matches!(cc, IntCC::Ne | IntCC::Uge | IntCC::Ugt | IntCC::Sge | IntCC::Sgt);
            let cc = if turned { cc.inverse() } else { cc };
            vec![vec![(Term::Compare(cc, data.args[0], data.args[1]), holds != turned)]]
        }
        _ => return whole(),
    };
    if found.len() > MOST_WAYS { whole() } else { found }
}

/// Whether at most one of two effects happens, by their predicates.
fn are_exclusive(func: &Function, one: Inst, other: Inst) -> bool {
    let of = |inst: Inst| {
        let data = &func.insts[inst];
        let predicate = data.args.last().filter(|_| data.op.predicated() == Some(true));
        match predicate.filter(|p| func.ty(**p) == Type::BOOL) {
            Some(p) => ways(func, *p, true, 0),
            None => vec![vec![]],
        }
    };
    let against = |x: &Way, y: &Way| x.iter().any(|(term, holds)| y.contains(&(*term, !holds)));
    let others = of(other);
    of(one).iter().all(|x| others.iter().all(|y| against(x, y)))
}

/// What an operation stands in front of.
struct Following {
    /// What has to come after it, by values or the order of effects.
    behind: FxHashSet<Inst>,
    /// Effects that come after it, but never happen with it: what comes after these may have to come after it, too.
    beside: FxHashSet<Inst>,
}

impl Following {
    fn new(func: &Function, block: Block, first: Inst) -> Self {
        let (mut behind, mut beside) = (FxHashSet::default(), FxHashSet::default());
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let mut made = data.args.iter().filter_map(|a| func.def_inst(*a));
            let ordered = data.after.iter().any(|e| *e == first || beside.contains(e));
            let apart = ordered && are_exclusive(func, inst, first);
            let needs = |i: Inst| i == first || behind.contains(&i);
            if made.any(needs) || data.after.iter().any(|e| behind.contains(e)) || ordered && !apart
            {
                behind.insert(inst);
            }
            if apart {
                beside.insert(inst);
            }
        }
        Following { behind, beside }
    }
}

/// Joins two operations unless the second waits for what comes after the first. Order behind what never happens together with it is
/// none. Gives whether they are one.
fn merge(func: &mut Function, block: Block, first: Inst, second: Inst) -> bool {
    let following = Following::new(func, block, first);
    let behind = &following.behind;
    let (one, other) = (func.insts[first].clone(), func.insts[second].clone());
    let mut made = other.args.iter().filter_map(|a| func.def_inst(*a));
    let waits = |e: &Inst| behind.contains(e) && !are_exclusive(func, *e, second);
    if made.any(|i| i == first || behind.contains(&i)) || other.after.iter().any(waits) {
        return false;
    }
    let [Some(p), Some(q)] = [&one, &other].map(|d| d.args.last().copied()) else { return false };
    let insts = std::mem::take(&mut func.blocks[block].insts);
    let mut b = Builder::at(func, block);
    b.loc = other.loc;
    let pairs = one.args.iter().zip(&other.args).take(one.args.len() - 1);
    let mut args: Vec<Value> =
        pairs.map(|(&x, &y)| if x == y { x } else { choose(&mut b, p, x, y) }).collect();
    args.push(b.binary(Op::Or, p, q));
    let ty = other.result.map(|r| b.func.ty(r));
    let both = b.inst(other.op, args, ty);
    let mut map = SecondaryMap::new();
    let mut gone: FxHashSet<Inst> = [first, second].into_iter().collect();
    if let (Some(x), Some(y), Some(value)) = (one.result, other.result, b.func.insts[both].result) {
        for (old, happens) in [(x, p), (y, q)] {
            hand_on(&mut b, (old, value), happens, &mut map, &mut gone);
        }
    }
    let fresh = std::mem::take(&mut func.blocks[block].insts);
    func.blocks[block].insts = insts.into_iter().chain(fresh).collect();
    for at in func.layout.clone() {
        func.blocks[at].insts.retain(|i| !gone.contains(i));
    }
    func.substitute(&map);
    reorder(func, block, [first, second], both, &following);
    true
}

/// `x` where `cond` holds, else `y`, lane by lane.
fn choose(b: &mut Builder<'_>, cond: Value, x: Value, y: Value) -> Value {
    let ty = b.func.ty(x);
    if !ty.is_vector() {
        return b.select(cond, x, y);
    }
    let lane = |b: &mut Builder<'_>, v: Value, k: u8| match b.func.def_inst(v) {
        Some(i) if b.func.insts[i].op == Op::VecBuild => b.func.insts[i].args[usize::from(k)],
        _ => b.value(Op::VecExtract(k), [v], ty.lane()),
    };
    let mut lanes = vec![];
    for k in 0..ty.lanes {
        let (x, y) = (lane(b, x, k), lane(b, y, k));
        lanes.push(b.select(cond, x, y));
    }
    b.value(Op::VecBuild, lanes, ty)
}

/// Those who used the result `old` use `new` where it `happens`, and 0 else; of a vector, the lanes that were taken out of it, by
/// instructions that are `gone` now.
fn hand_on(
    b: &mut Builder<'_>,
    (old, new): (Value, Value),
    happens: Value,
    map: &mut SecondaryMap<Value, Option<Value>>,
    gone: &mut FxHashSet<Inst>,
) {
    let ty = b.func.ty(new);
    let zero = b.constant(ty.lane(), 0);
    if !ty.is_vector() {
        map[old] = Some(b.select(happens, new, zero));
        return;
    }
    let extracts: Vec<Inst> =
        b.func.insts.keys().filter(|i| takes_lane_of(b.func, *i, old)).collect();
    for inst in extracts {
        let lane = b.value(b.func.insts[inst].op, [new], ty.lane());
        if let Some(result) = b.func.insts[inst].result {
            map[result] = Some(b.select(happens, lane, zero));
        }
        gone.insert(inst);
    }
}

fn takes_lane_of(func: &Function, inst: Inst, value: Value) -> bool {
    let data = &func.insts[inst];
    matches!(data.op, Op::VecExtract(_)) && data.args[..] == [value]
}

/// Puts `both` in the place of two operations among the effects, and the instructions of the block in an order in which each comes
/// behind what it needs.
fn reorder(
    func: &mut Function,
    block: Block,
    [first, second]: [Inst; 2],
    both: Inst,
    following: &Following,
) {
    let Following { behind, beside } = following;
    let [of_first, of_second] = [first, second].map(|i| func.insts[i].after.clone());
    // what came after `second` came after these
    let (later, earlier): (Vec<Inst>, Vec<Inst>) =
        of_second.into_iter().filter(|e| *e != first).partition(|e| behind.contains(e));
    let insts = std::mem::take(&mut func.blocks[block].insts);
    for &inst in insts.iter().filter(|i| **i != both) {
        let after = &mut func.insts[inst].after;
        let (had_first, had_second) = (after.contains(&first), after.contains(&second));
        let had_beside = after.iter().any(|e| beside.contains(e));
        after.retain(|e| *e != first && *e != second);
        let mut more = vec![];
        if had_second || behind.contains(&inst) && (had_first || had_beside) {
            more.push(both);
        }
        if had_second {
            more.extend(&later);
        }
        // in place of `first`, which this never happens with
        if had_first && !behind.contains(&inst) {
            more.extend(&of_first);
        }
        for e in more {
            if e != inst && !after.contains(&e) {
                after.push(e);
            }
        }
    }
    let before = of_first.into_iter().chain(earlier);
    func.insts[both].after = before.collect::<IndexSet<Inst>>().into_iter().collect();

    let place: FxHashMap<Inst, usize> = insts.iter().enumerate().map(|(k, i)| (*i, k)).collect();
    let needs = |i: Inst| {
        let data = &func.insts[i];
        let made = data.args.iter().filter_map(|a| func.def_inst(*a));
        made.chain(data.after.iter().copied()).filter_map(|e| place.get(&e).copied())
    };
    let mut open: Vec<usize> = insts.iter().map(|i| needs(*i).count()).collect();
    let mut users: Vec<Vec<usize>> = vec![vec![]; insts.len()];
    for (k, &inst) in insts.iter().enumerate() {
        needs(inst).for_each(|n| users[n].push(k));
    }
    let mut ready: BTreeSet<usize> = (0..insts.len()).filter(|k| open[*k] == 0).collect();
    while let Some(k) = ready.pop_first() {
        func.blocks[block].insts.push(insts[k]);
        for &user in &users[k] {
            open[user] -= 1;
            if open[user] == 0 {
                ready.insert(user);
            }
        }
    }
}
