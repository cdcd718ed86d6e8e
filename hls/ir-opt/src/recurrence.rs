//! Loop-carried values of blocks that loop on themselves: what depends on what, and how soon an iteration can follow another.

use base::entity::SecondaryMap;
use base::{FxHashMap, FxHashSet};
use ir::analysis::back_edge;
use ir::{Block, Function, Inst, Op, Terminator, Value, ValueDef};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use target::{Family, OpKind, op_kind};

/// Cycles that operations of several cycles are taken for. The same for all that is compared, whatever they are in the end.
const PRODUCT: f64 = 3.0;
const FLOAT: f64 = 5.0;
const DIVISION: f64 = 20.0;
pub(crate) const ACCESS: f64 = 100.0;

/// Times of operations on a device family at a clock, as the optimiser guesses them.
#[derive(Clone, Copy)]
pub struct Clock<'f> {
    /// Delays of operators.
    pub family: &'f Family,
    /// Nanoseconds that operators can have between two registers.
    pub period_ns: f64,
}

/// Cycles of an operation that takes several; none where its delay is known.
pub(crate) fn cycles(op: Op) -> Option<f64> {
    match op.gradual() {
        op if op.is_effect() => Some(ACCESS),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::FDiv | Op::FSqrt | Op::FRem => {
            Some(DIVISION)
        }
        Op::Math(_) => Some(DIVISION),
        op if op.is_float_unit() => Some(FLOAT),
        Op::Mul | Op::Lookup(_) => Some(PRODUCT),
        _ => None,
    }
}

impl Clock<'_> {
    /// What an instruction takes, in nanoseconds.
    pub fn ns(&self, func: &Function, inst: Inst) -> f64 {
        match cycles(func.insts[inst].op) {
            Some(cycles) => cycles * self.period_ns,
            None => {
                let (kind, width) = op_kind(func, inst);
                self.family.delay_ns(kind, width)
            }
        }
    }

    /// The multiplexer in front of a loop-carried value: from the loop's entry or from its register.
    pub fn entry_ns(&self) -> f64 {
        self.family.delay_ns(OpKind::Mux { ways: 2 }, 1)
    }
}

/// The values of a block that depend on one of its parameters in the same iteration, itself among them.
pub fn dependents(func: &Function, block: Block, param: Value) -> FxHashSet<Value> {
    let mut own: FxHashSet<Value> = [param].into_iter().collect();
    for inst in &func.blocks[block].insts {
        let data = &func.insts[*inst];
        if data.args.iter().any(|a| own.contains(a)) {
            own.extend(data.result);
        }
    }
    own
}

/// Time from a value of a block to the farthest value among those that decide whether there is another iteration, and, of one bit, those
/// that the next one begins with. Nothing where there is no way.
pub fn ns_to_decisions(
    func: &Function,
    block: Block,
    clock: Clock<'_>,
) -> SecondaryMap<Value, Option<f64>> {
    let mut tail: SecondaryMap<Value, Option<f64>> = SecondaryMap::new();
    if let Terminator::Branch { cond, .. } = &func.blocks[block].term {
        tail[*cond] = Some(0.0);
    }
    if let Some(back) = back_edge(func, block) {
        let targets = func.blocks[block].term.targets();
        for next in targets[back].args.iter().filter(|v| func.bits(**v) == 1) {
            tail[*next] = Some(0.0);
        }
    }
    for &inst in func.blocks[block].insts.iter().rev() {
        let data = &func.insts[inst];
        let Some(behind) = data.result.and_then(|r| tail[r]) else { continue };
        let through = behind + clock.ns(func, inst);
        for &a in &data.args {
            tail[a] = Some(tail[a].map_or(through, |t| t.max(through)));
        }
    }
    tail
}

/// A guess at the cycles between two iterations of a block that loops on itself, as its recurrences and its condition allow them.
pub fn interval(func: &Function, block: Block, clock: Clock<'_>) -> u32 {
    let Some(back) = back_edge(func, block) else { return 1 };
    let params = func.blocks[block].params.clone();
    let next = func.blocks[block].term.targets()[back].args.to_vec();
    let cycles = Dependences::new(func, block).carried_together();
    let deciding = deciding(func, block);
    let mut longest = 0.0f64;
    // a window over data has thousands that only go on to the next
    let matter = |p: &&Value| cycles.contains_key(*p) || deciding[**p];
    for &param in params.iter().filter(matter) {
        let ns = ns_from(func, block, param, clock);
        let decided = match &func.blocks[block].term {
            Terminator::Branch { cond, .. } => ns[*cond],
            _ => None,
        };
        let together = |q: Value| cycles.get(&param).is_some_and(|c| cycles.get(&q) == Some(c));
        let carried = params.iter().zip(&next).filter(|(q, _)| together(**q));
        longest = carried.filter_map(|(_, n)| ns[*n]).chain(decided).fold(longest, f64::max);
    }
    (longest / clock.period_ns).ceil().max(1.0) as u32
}

/// The values that decide in the same iteration whether there is another one.
fn deciding(func: &Function, block: Block) -> SecondaryMap<Value, bool> {
    let mut deciding = SecondaryMap::new();
    if let Terminator::Branch { cond, .. } = &func.blocks[block].term {
        deciding[*cond] = true;
    }
    for &inst in func.blocks[block].insts.iter().rev() {
        let data = &func.insts[inst];
        if data.result.is_some_and(|r| deciding[r]) {
            data.args.iter().for_each(|a| deciding[*a] = true);
        }
    }
    deciding
}

/// Time from a parameter to each value of its block that depends on it.
fn ns_from(
    func: &Function,
    block: Block,
    param: Value,
    clock: Clock<'_>,
) -> SecondaryMap<Value, Option<f64>> {
    let mut ns: SecondaryMap<Value, Option<f64>> = SecondaryMap::new();
    ns[param] = Some(clock.entry_ns());
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        let before = data.args.iter().filter_map(|a| ns[*a]).reduce(f64::max);
        if let (Some(result), Some(before)) = (data.result, before) {
            ns[result] = Some(before + clock.ns(func, inst));
        }
    }
    ns
}

/// What the values of a block that loops on itself depend on, in the same iteration and those before.
pub struct Dependences<'f> {
    func: &'f Function,
    block: Block,
    /// From operands to what is computed of them; from next values to parameters.
    graph: DiGraph<Value, ()>,
    nodes: FxHashMap<Value, NodeIndex>,
}

impl<'f> Dependences<'f> {
    /// Those of a block.
    pub fn new(func: &'f Function, block: Block) -> Self {
        let (graph, nodes) = (DiGraph::new(), FxHashMap::default());
        let mut d = Dependences { func, block, graph, nodes };
        let data = &func.blocks[block];
        let results = data.insts.iter().filter_map(|i| func.insts[*i].result);
        for v in data.params.iter().copied().chain(results) {
            let node = d.graph.add_node(v);
            d.nodes.insert(v, node);
        }
        let mut edges: Vec<(Value, Value)> = vec![];
        for &i in &data.insts {
            let inst = &func.insts[i];
            edges.extend(inst.result.iter().flat_map(|r| inst.args.iter().map(|a| (*a, *r))));
        }
        let targets = data.term.targets();
        for call in targets.iter().filter(|c| c.block == block) {
            edges.extend(call.args.iter().copied().zip(data.params.iter().copied()));
        }
        for (from, to) in edges {
            if let (Some(a), Some(b)) = (d.nodes.get(&from), d.nodes.get(&to)) {
                d.graph.add_edge(*a, *b, ());
            }
        }
        d
    }

    fn inst(&self, node: NodeIndex) -> Option<Inst> {
        match self.func.values[self.graph[node]].def {
            ValueDef::Inst(i) => Some(i),
            ValueDef::Param(..) => None,
        }
    }

    /// The instructions whose results come back to them.
    pub fn recurrent(&self) -> FxHashSet<Inst> {
        let cycles = tarjan_scc(&self.graph).into_iter().filter(|c| c.len() > 1);
        cycles.flatten().filter_map(|n| self.inst(n)).collect()
    }

    /// For each parameter that depends on itself an iteration later: which of the circles of such dependences it is in.
    fn carried_together(&self) -> FxHashMap<Value, usize> {
        let is_param = |v: &Value| matches!(self.func.values[*v].def, ValueDef::Param(b, _) if b == self.block);
        let mut out = FxHashMap::default();
        for (k, circle) in tarjan_scc(&self.graph).into_iter().enumerate() {
            let loops = circle.len() > 1 || self.graph.contains_edge(circle[0], circle[0]);
            let values = circle.iter().map(|n| self.graph[*n]).filter(|_| loops);
            out.extend(values.filter(is_param).map(|v| (v, k)));
        }
        out
    }

    /// The instructions that decide, in the same iteration or earlier, whether there is another one.
    pub fn decide_branch(&self) -> Vec<Inst> {
        let mut open: Vec<NodeIndex> = vec![];
        if let Terminator::Branch { cond, .. } = &self.func.blocks[self.block].term {
            open.extend(self.nodes.get(cond));
        }
        let mut seen: FxHashSet<NodeIndex> = FxHashSet::default();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(self.graph.neighbors_directed(node, petgraph::Incoming));
            }
        }
        seen.into_iter().filter_map(|n| self.inst(n)).collect()
    }
}
