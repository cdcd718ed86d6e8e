//! Straight-line regions of a block: into the e-graph and back.

use super::cost::{Choice, Cost, extract};
use super::lang::{Folding, Graph, Head, Node};
use super::rules::{self, Rule};
use crate::Context;
use crate::known::Known;
use base::{Diagnostic, FxHashMap, FxHashSet, IndexMap, IndexSet, Loc, Result, SmallVec};
use egg::{Id, Language};
use ir::{FastMath, Function, Inst, Op, Type, Value};

/// Most pure instructions of a region.
pub(super) const REGION_SIZE: usize = 256;
/// Rounds of rewriting.
const ROUNDS: usize = 6;
/// Most nodes of an e-graph: this many, and this many for each instruction.
const NODES: usize = 600;
const NODES_PER_INST: usize = 24;
/// Most matches of one rule that are applied in one round.
const MATCHES: usize = 400;
/// Rounds of extraction.
const EXTRACTION_ROUNDS: usize = 16;
/// Random inputs on which the result is replayed.
const REPLAYS: u64 = 12;

/// A run of instructions rewritten.
pub(super) struct Rewritten {
    /// The new run.
    pub insts: Vec<Inst>,
    /// Values used elsewhere, with those that stand for them now.
    pub replaced: Vec<(Value, Value)>,
}

/// Rewrites the pure operations of `insts`, a run of instructions of one block. `outside` says
/// which values are used beyond them, `known` what is known of those from before them. None when there is nothing to do.
pub(super) fn rewrite(
    func: &mut Function,
    insts: &[Inst],
    outside: impl Fn(Value) -> bool,
    known: impl Fn(&Function, Value) -> Known,
    in_loop: bool,
    context: &Context<'_>,
) -> Result<Option<Rewritten>> {
    let mut region = Region::build(func, insts, outside, known);
    if region.roots.is_empty() {
        return Ok(None);
    }
    saturate(&mut region.graph, insts.len());
    let cost = Cost::new(context.family, in_loop);
    let choice = extract(&region.graph, &cost, EXTRACTION_ROUNDS);
    replay(func, insts, &region, &choice)?;
    Ok(region.elaborate(func, insts, &choice))
}

/// Operations that take part: pure, scalar, a function of their operands alone.
fn takes_part(func: &Function, inst: Inst) -> bool {
    let d = &func.insts[inst];
    let scalar = |v: &Value| !func.ty(*v).is_vector();
    let source = matches!(d.op, Op::Arg { .. } | Op::ObjAddr(_) | Op::WorkItem(..) | Op::Lookup(_));
    !d.op.is_effect()
        && !source
        && d.result.is_some_and(|r| scalar(&r))
        && d.args.iter().all(scalar)
}

struct Region {
    graph: Graph,
    /// Class of each value, leaves too.
    classes: IndexMap<Value, Id>,
    /// Values that must exist afterwards.
    roots: IndexSet<Value>,
}

impl Region {
    fn build(
        func: &Function,
        insts: &[Inst],
        outside: impl Fn(Value) -> bool,
        known: impl Fn(&Function, Value) -> Known,
    ) -> Region {
        let mut r = Region {
            graph: Graph::new(Folding::new(func.addr_bits)),
            classes: IndexMap::default(),
            roots: IndexSet::default(),
        };
        let mut defined: FxHashSet<Value> = FxHashSet::default();
        for &i in insts {
            let d = &func.insts[i];
            if takes_part(func, i) {
                let args: SmallVec<[Id; 3]> =
                    d.args.iter().map(|a| r.class(func, *a, &known)).collect();
                let Some(result) = d.result else { continue };
                let ty = func.ty(result);
                let fast_math = if ty.is_float() { d.fast_math } else { FastMath::default() };
                let id = r.graph.add(Node { head: Head::Op(d.op), ty, fast_math, args });
                r.classes.insert(result, id);
                defined.insert(result);
                if outside(result) {
                    r.roots.insert(result);
                }
            } else {
                for &a in &d.args {
                    if defined.contains(&a) {
                        r.roots.insert(a);
                    }
                }
            }
        }
        r.graph.rebuild();
        r
    }

    fn class(
        &mut self,
        func: &Function,
        value: Value,
        known: impl Fn(&Function, Value) -> Known,
    ) -> Id {
        if let Some(id) = self.classes.get(&value) {
            return *id;
        }
        let ty = func.ty(value);
        let node = match func.as_const(value) {
            Some(bits) => Node::constant(ty, bits),
            None => {
                if ty.is_int() {
                    self.graph.analysis.leaves.insert(value, known(func, value));
                }
                let (fast_math, args) = (FastMath::default(), SmallVec::new());
                Node { head: Head::Leaf(value), ty, fast_math, args }
            }
        };
        let id = self.graph.add(node);
        self.classes.insert(value, id);
        id
    }

    fn is_leaf(&self, value: Value) -> bool {
        let id = self.classes[&value];
        self.graph[id].nodes.iter().any(|n| n.head == Head::Leaf(value))
    }

    /// New instructions for the roots and the effects between; none when a chosen term needs a
    /// leaf before it is there.
    fn elaborate(&self, func: &mut Function, insts: &[Inst], choice: &Choice) -> Option<Rewritten> {
        let mut e = Elaboration {
            region: self,
            choice,
            built: FxHashMap::default(),
            available: FxHashMap::default(),
            out: vec![],
            loc: Loc::UNKNOWN,
        };
        let inside: FxHashSet<Value> = insts.iter().filter_map(|i| func.insts[*i].result).collect();
        for &v in self.classes.keys() {
            e.available.insert(v, !inside.contains(&v));
        }
        let mut replaced = vec![];
        for &i in insts {
            e.loc = func.insts[i].loc;
            if takes_part(func, i) {
                continue;
            }
            for a in func.insts[i].args.clone() {
                if self.roots.contains(&a) {
                    e.class(func, self.classes[&a])?;
                }
            }
            e.out.push(i);
            if let Some(r) = func.insts[i].result {
                e.available.insert(r, true);
            }
        }
        for &root in &self.roots {
            e.loc = func.def_inst(root).map_or(Loc::UNKNOWN, |i| func.insts[i].loc);
            let new = e.class(func, self.classes[&root])?;
            replaced.push((root, new));
        }
        Some(Rewritten { insts: e.out, replaced })
    }
}

struct Elaboration<'r> {
    region: &'r Region,
    choice: &'r Choice,
    built: FxHashMap<Id, Value>,
    available: FxHashMap<Value, bool>,
    out: Vec<Inst>,
    loc: Loc,
}

impl Elaboration<'_> {
    /// The value of a class, with the instructions that compute it.
    fn class(&mut self, func: &mut Function, id: Id) -> Option<Value> {
        let id = self.region.graph.find(id);
        if let Some(v) = self.built.get(&id) {
            return Some(*v);
        }
        let node = self.choice.get(&id)?.clone();
        let value = match node.head {
            Head::Leaf(v) => self.available.get(&v).copied()?.then_some(v)?,
            Head::Op(op) => {
                let mut args: SmallVec<[Value; 4]> = SmallVec::new();
                for a in &node.args {
                    args.push(self.class(func, *a)?);
                }
                let inst = func.make_inst(op, args, Some(node.ty), self.loc);
                func.insts[inst].fast_math = node.fast_math;
                self.out.push(inst);
                func.insts[inst].result?
            }
        };
        self.built.insert(id, value);
        Some(value)
    }
}

/// Applies the rules until nothing new is found, or a limit on nodes or rounds is reached.
fn saturate(graph: &mut Graph, insts: usize) {
    let limit = NODES + NODES_PER_INST * insts;
    for _ in 0..ROUNDS {
        let before = (graph.total_size(), graph.number_of_classes());
        let index = index(graph);
        for rule in rules::all() {
            let Some(ids) = rule.lhs.key().and_then(|op| index.get(&op)) else { continue };
            apply(graph, rule, ids, limit);
            if graph.total_size() > limit {
                graph.rebuild();
                return;
            }
        }
        graph.rebuild();
        if (graph.total_size(), graph.number_of_classes()) == before {
            return;
        }
    }
}

/// The classes that have a node of each operation, in order.
fn index(graph: &Graph) -> FxHashMap<Op, Vec<Id>> {
    let mut ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
    ids.sort();
    let mut index: FxHashMap<Op, Vec<Id>> = FxHashMap::default();
    for id in ids {
        for node in &graph[id].nodes {
            let Head::Op(op) = node.head else { continue };
            let key = if matches!(op, Op::Slice { .. }) { Op::Slice { lo: 0 } } else { op };
            let list = index.entry(key).or_default();
            if list.last() != Some(&id) {
                list.push(id);
            }
        }
    }
    index
}

fn apply(graph: &mut Graph, rule: &Rule, ids: &[Id], limit: usize) {
    let mut found = vec![];
    for &id in ids {
        let id = graph.find(id);
        found.extend(rule.matches(graph, id).into_iter().map(|b| (id, b)));
        if found.len() > MATCHES {
            break;
        }
    }
    let mut changed = false;
    for (id, bound) in found {
        if graph.total_size() > limit {
            break;
        }
        if let Some(new) = rule.rhs.add(graph, &bound)
            && graph[new].data.ty == graph[id].data.ty
        {
            changed |= graph.union(id, new);
        }
    }
    if changed {
        graph.rebuild();
    }
}

/// Runs the old and the new terms on random leaves, of which what is known of them holds.
fn replay(func: &Function, insts: &[Inst], region: &Region, choice: &Choice) -> Result<()> {
    for seed in 0..REPLAYS {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        let mut old: FxHashMap<Value, u128> = FxHashMap::default();
        for &v in region.classes.keys() {
            if let Some(bits) = func.as_const(v) {
                old.insert(v, bits);
            } else if region.is_leaf(v) {
                let bits = random.bits(func.bits(v));
                let possible = match region.graph.analysis.leaves.get(&v) {
                    Some(known) => known.pick(bits),
                    None => Some(bits),
                };
                old.extend(possible.map(|bits| (v, bits)));
            }
        }
        let leaves = old.clone();
        for &i in insts.iter().filter(|i| takes_part(func, **i)) {
            let value = crate::consteval::eval_inst(func, i, |v| old.get(&v).copied());
            if let (Some(r), Some(bits)) = (func.insts[i].result, value) {
                old.insert(r, bits);
            }
        }
        let mut new: FxHashMap<Id, Option<u128>> = FxHashMap::default();
        for root in &region.roots {
            let got = value_of(func, region, choice, &leaves, region.classes[root], &mut new);
            if let (Some(want), Some(got)) = (old.get(root), got)
                && *want != got
            {
                let text = format!("rewriting {root} changed its value from {want:#x} to {got:#x}");
                let loc = func.def_inst(*root).map_or(Loc::UNKNOWN, |i| func.insts[i].loc);
                return Err(Diagnostic::error("E0306", text)
                    .at(loc)
                    .note("a rewrite rule is wrong: a defect of clhls")
                    .help("compile without the pass `egraph`")
                    .into());
            }
        }
    }
    Ok(())
}

fn value_of(
    func: &Function,
    region: &Region,
    choice: &Choice,
    leaves: &FxHashMap<Value, u128>,
    id: Id,
    memo: &mut FxHashMap<Id, Option<u128>>,
) -> Option<u128> {
    let id = region.graph.find(id);
    if let Some(v) = memo.get(&id) {
        return *v;
    }
    let node = choice.get(&id)?;
    let value = match node.head {
        Head::Leaf(v) => leaves.get(&v).copied(),
        Head::Op(Op::Const(bits)) => Some(bits),
        Head::Op(op) => {
            let mut args: SmallVec<[(Type, u128); 3]> = SmallVec::new();
            for a in node.children() {
                let bits = value_of(func, region, choice, leaves, *a, memo)?;
                args.push((region.graph[*a].data.ty, bits));
            }
            crate::consteval::eval_op(func, op, node.ty, &args)
        }
    };
    memo.insert(id, value);
    value
}

/// splitmix64, with edge cases.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn bits(&mut self, width: u32) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let shaped = match self.next() % 6 {
            0 => wide & 3,
            1 => !(wide & 3),
            2 => 1 << (wide % 128),
            // exponents of small floats, and infinities and NaNs
            3 => 0x7f80_0000 | wide & 1,
            _ => wide,
        };
        shaped & crate::bits::ones(width)
    }
}
