//! Straight-line regions of a block: into the e-graph and back.

use super::cost::Cost;
use super::exact;
use super::extract::{Candidates, Choice, Cover, cheapest, greedy, originals};
use super::interval::{self, Carried, Pace};
use super::lang::{Folding, Graph, Head, Node};
use super::rules::{self, Rule};
use crate::Context;
use crate::known::Known;
use base::{FxHashMap, FxHashSet, IndexMap, IndexSet, Loc, Result, SmallVec};
use egg::Id;
use ir::{FastMath, Function, Inst, Op, Value};

/// Most pure instructions of a region.
pub(super) const REGION_SIZE: usize = 256;
/// Most instructions of a block that is one region because its iterations overlap.
pub(super) const LOOP_SIZE: usize = 1024;
/// Rounds of rewriting.
const ROUNDS: usize = 6;
/// Most nodes of an e-graph: this many, and this many for each instruction.
const NODES: usize = 600;
const NODES_PER_INST: usize = 24;
/// Most matches of one rule that are applied in one round.
const MATCHES: usize = 400;

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
    uniform: &dyn Fn(Value) -> bool,
    carried: Option<&CarriedValues>,
    context: &Context<'_>,
) -> Result<Option<Rewritten>> {
    let mut region = Region::build(func, insts, outside, &known, uniform);
    if region.roots.is_empty() {
        return Ok(None);
    }
    let carried = carried.map(|c| region.carried(func, c, &known));
    saturate(&mut region.graph, insts.len(), region.allowed);
    let choice = region.choose(carried.as_ref(), &Cost::new(context.clock(), !func.is_task()));
    super::replay::replay(func, insts, &region, &choice)?;
    Ok(region.elaborate(func, insts, &choice))
}

/// Costs of a region's terms, in hundredths of a LUT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Survey {
    /// Instructions of the region.
    pub insts: usize,
    /// Classes of its e-graph.
    pub classes: usize,
    /// Costs of the terms as they were.
    pub original: u64,
    /// Costs of the greedy choice.
    pub greedy: u64,
    /// Costs of the choice that is taken.
    pub chosen: u64,
    /// The least possible costs, where they are known.
    pub least: Option<u64>,
}

/// Compares choices of terms for the pure operations of `insts`; none when there are none. `steps` limits the search for the best.
pub(super) fn survey(
    func: &Function,
    insts: &[Inst],
    outside: impl Fn(Value) -> bool,
    known: impl Fn(&Function, Value) -> Known,
    uniform: &dyn Fn(Value) -> bool,
    context: &Context<'_>,
    steps: u64,
) -> Option<Survey> {
    let mut region = Region::build(func, insts, outside, &known, uniform);
    saturate(&mut region.graph, insts.len(), region.allowed);
    let all = Candidates::new(&region.graph, &Cost::new(context.clock(), !func.is_task()));
    let roots: Vec<usize> = region.roots.iter().map(|r| all.class(region.classes[r])).collect();
    let original = originals(&all, &region.original);
    let total = |picked| Cover::new(&all, &roots, picked).map(|c| c.total);
    let chosen = total(cheapest(&all, &roots, &original))?;
    Some(Survey {
        insts: insts.len(),
        classes: all.ids.len(),
        original: total(original)?,
        greedy: total(greedy(&all))?,
        chosen,
        least: exact::least(&all, &roots, chosen, steps),
    })
    .filter(|_| !roots.is_empty())
}

/// What a block that loops on itself carries from one iteration to the next.
pub(super) struct CarriedValues {
    /// Parameters, each with what the next iteration begins with.
    pub pairs: Vec<(Value, Value)>,
    /// What decides whether there is a next iteration.
    pub decision: Value,
}

/// Operations that take part: pure, scalar, a function of their operands alone.
pub(super) fn takes_part(func: &Function, inst: Inst) -> bool {
    let d = &func.insts[inst];
    let scalar = |v: &Value| !func.ty(*v).is_vector();
    let source = matches!(d.op, Op::Arg { .. } | Op::ObjAddr(_) | Op::WorkItem(..) | Op::Lookup(_));
    !d.op.is_effect()
        && !source
        && d.result.is_some_and(|r| scalar(&r))
        && d.args.iter().all(scalar)
}

/// What all float operations of a region permit; nothing where there are none.
fn permissions(func: &Function, insts: &[Inst]) -> FastMath {
    let rounds = |i: &&Inst| func.insts[**i].op.is_float_unit() && takes_part(func, **i);
    let flags = insts.iter().filter(rounds).map(|i| func.insts[*i].fast_math.0);
    FastMath(flags.reduce(|a, b| a & b).unwrap_or_default() & !FastMath::CONTRACT)
}

pub(super) struct Region {
    pub(super) graph: Graph,
    /// What all its float operations permit.
    pub(super) allowed: FastMath,
    /// Class of each value, leaves too.
    pub(super) classes: IndexMap<Value, Id>,
    /// Nodes of the program with their classes, in order; constants and leaves too.
    original: Vec<(Id, Node)>,
    /// Values that must exist afterwards.
    pub(super) roots: IndexSet<Value>,
}

impl Region {
    fn build(
        func: &Function,
        insts: &[Inst],
        outside: impl Fn(Value) -> bool,
        known: impl Fn(&Function, Value) -> Known,
        uniform: &dyn Fn(Value) -> bool,
    ) -> Region {
        let allowed = permissions(func, insts);
        let mut r = Region {
            allowed,
            graph: Graph::new(Folding::new(func.addr_bits)),
            classes: IndexMap::default(),
            original: vec![],
            roots: IndexSet::default(),
        };
        let mut defined: FxHashSet<Value> = FxHashSet::default();
        for &i in insts {
            let d = &func.insts[i];
            if takes_part(func, i) {
                r.graph.analysis.uniform.extend(d.args.iter().copied().filter(|a| uniform(*a)));
                let args: SmallVec<[Id; 3]> =
                    d.args.iter().map(|a| r.class(func, *a, &known)).collect();
                let Some(result) = d.result else { continue };
                let ty = func.ty(result);
                // Where all permit something, nodes need not say so: those that rules make do not either.
                let says = ty.is_float() && allowed == FastMath::default();
                let fast_math = if says { d.fast_math } else { FastMath::default() };
                let id = r.add(Node { head: Head::Op(d.op), ty, fast_math, args });
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
        let id = self.add(node);
        self.classes.insert(value, id);
        id
    }

    fn add(&mut self, node: Node) -> Id {
        let id = self.graph.add(node.clone());
        self.original.push((id, node));
        id
    }

    /// The classes of carried values.
    fn carried(
        &mut self,
        func: &Function,
        values: &CarriedValues,
        known: impl Fn(&Function, Value) -> Known,
    ) -> Carried {
        let mut class = |v: Value| self.class(func, v, &known);
        let pairs = values.pairs.iter().map(|(p, n)| (class(*p), class(*n))).collect();
        let decisions = vec![class(values.decision)];
        self.graph.rebuild();
        Carried { pairs, decisions }
    }

    /// Terms for the roots: the cheapest, or in a loop those that let the next iteration begin sooner.
    fn choose(&mut self, carried: Option<&Carried>, cost: &Cost<'_>) -> Choice {
        let original = &self.original;
        let shorter = |c| interval::shorter(&mut self.graph, c, original, cost, self.allowed);
        let target = carried.and_then(shorter);
        let all = Candidates::new(&self.graph, cost);
        let roots: Vec<usize> = self.roots.iter().map(|r| all.class(self.classes[r])).collect();
        let original = originals(&all, original);
        let picked = cheapest(&all, &roots, &original);
        let pace = Pace::new(cost.clock());
        let kept = carried.zip(target).and_then(|(carried, target)| {
            interval::keep(&all, &roots, carried, &target, pace, &picked)
        });
        all.choice(&kept.unwrap_or(picked))
    }

    /// Whether a value comes from outside.
    pub(super) fn is_leaf(&self, value: Value) -> bool {
        let id = self.classes[&value];
        self.graph[id].nodes.iter().any(|n| n.head == Head::Leaf(value))
    }

    /// Classes that the terms of the roots need.
    fn needed(&self, choice: &Choice) -> FxHashSet<Id> {
        let mut open: Vec<Id> = self.roots.iter().map(|r| self.classes[r]).collect();
        let mut needed = FxHashSet::default();
        while let Some(id) = open.pop() {
            let id = self.graph.find(id);
            if needed.insert(id) {
                open.extend(choice.get(&id).iter().flat_map(|n| &n.args));
            }
        }
        needed
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
        let needed = self.needed(choice);
        let mut replaced = vec![];
        for &i in insts {
            e.loc = func.insts[i].loc;
            if takes_part(func, i) {
                // Where it was, and not where it is needed: a barrier between would cut the block elsewhere.
                let class = func.insts[i].result.map(|r| self.graph.find(self.classes[&r]));
                if let Some(class) = class.filter(|c| needed.contains(c))
                    && e.is_ready(class)
                {
                    e.class(func, class)?;
                }
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
    /// Whether all leaves of a term are there.
    fn is_ready(&self, id: Id) -> bool {
        let id = self.region.graph.find(id);
        self.built.contains_key(&id)
            || self.choice.get(&id).is_some_and(|node| match node.head {
                Head::Leaf(v) => self.available.get(&v) == Some(&true),
                Head::Op(_) => node.args.iter().all(|a| self.is_ready(*a)),
            })
    }

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
fn saturate(graph: &mut Graph, insts: usize, allowed: FastMath) {
    let limit = NODES + NODES_PER_INST * insts;
    for _ in 0..ROUNDS {
        let before = (graph.total_size(), graph.number_of_classes());
        let index = index(graph);
        for rule in rules::all().iter().filter(|r| r.is_allowed(allowed)) {
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
