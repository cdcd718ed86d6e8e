//! What a node costs in hardware, and the choice of the cheapest term.

use super::lang::{Data, Graph, Head, Node};
use base::{FxHashMap, SmallVec};
use egg::Id;
use ir::{IntCC, Op, Type};
use target::{Family, OpKind};

/// LUTs that a DSP tile is worth: the proportion in which devices have them.
const LUTS_PER_DSP: f64 = 100.0;
/// LUTs that a nanosecond is worth where latency only costs pipeline registers.
const LUTS_PER_NS: f64 = 0.5;
/// LUTs that a nanosecond is worth in loops, where it can lengthen a recurrence.
const LUTS_PER_NS_IN_LOOP: f64 = 4.0;

/// Costs on a device family, in hundredths of a LUT.
pub struct Cost<'f> {
    family: &'f Family,
    luts_per_ns: f64,
}

impl<'f> Cost<'f> {
    /// Costs of operations inside a loop or outside.
    pub fn new(family: &'f Family, in_loop: bool) -> Self {
        Cost { family, luts_per_ns: if in_loop { LUTS_PER_NS_IN_LOOP } else { LUTS_PER_NS } }
    }

    /// The cost of one node without its operands, of which `operands` says what is known (nothing, when there are none). Bits that are known to be
    /// constants cost nothing: synthesis sees most of them too.
    pub fn node(&self, op: Op, ty: Type, operands: &[Data]) -> u64 {
        let bits = |t: Type| t.lane_bits(64);
        let w = bits(ty);
        let first = operands.first().map_or(w, |d| bits(d.ty));
        let last_constant = operands.last().and_then(|d| d.constant);
        let simple = |kind: OpKind, width: u32| self.simple(kind, width);
        match op {
            Op::Const(_) | Op::Zext | Op::Sext | Op::Slice { .. } | Op::Concat => 0,
            Op::Bitcast | Op::PtrToInt | Op::IntToPtr | Op::BitReverse | Op::SpaceCast => 0,
            // A bit of preference for fewer nodes where hardware is the same.
            Op::Not | Op::FNeg | Op::FAbs | Op::FCopysign => 1,
            Op::And | Op::Or | Op::Xor => match undecided(w, operands) {
                0 => 2,
                open => simple(OpKind::And, open),
            },
            Op::Add => match w - trailing_zeros(operands).min(w) {
                0 => 2,
                open => simple(OpKind::Add, open),
            },
            Op::PtrAdd => simple(OpKind::Add, w),
            Op::Sub if operands.first().is_some_and(|d| d.constant == Some(0)) => {
                simple(OpKind::Neg, w)
            }
            Op::Sub => simple(
                OpKind::Sub,
                (w - trailing_zeros(operands.get(1..).unwrap_or_default()).min(w)).max(1),
            ),
            Op::Mul => simple(OpKind::Mul, w),
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem => u64::from(w) * simple(OpKind::Sub, w),
            Op::Shl | Op::LShr | Op::AShr if last_constant.is_some() => 1,
            Op::Shl => simple(OpKind::Shl, w),
            Op::LShr => simple(OpKind::LShr, w),
            Op::AShr => simple(OpKind::AShr, w),
            Op::ICmp(IntCC::Eq | IntCC::Ne) => simple(OpKind::CmpEq, first),
            Op::ICmp(_) => simple(OpKind::CmpLt, first),
            Op::Select => simple(OpKind::Mux { ways: 2 }, w),
            Op::Clz => simple(OpKind::Lzc, w),
            Op::Popcount => simple(OpKind::Popcount, w),
            _ => float_luts(op, first.max(w)) * 100,
        }
    }

    fn simple(&self, kind: OpKind, width: u32) -> u64 {
        let area = self.family.area(kind, width);
        let luts = area.lut + area.dsp * LUTS_PER_DSP;
        let time = self.family.delay_ns(kind, width) * self.luts_per_ns;
        ((luts + time) * 100.0) as u64 + 1
    }
}

/// Bits at which no operand is known: a gate each, where two known operands make a wire or a constant.
fn undecided(width: u32, operands: &[Data]) -> u32 {
    let known = operands.iter().filter_map(|d| d.known);
    let decided = known.fold(0, |bits, k| bits | k.zeros | k.ones);
    width - (decided & crate::bits::ones(width)).count_ones()
}

/// Low bits at which one of the operands is 0: the others pass.
fn trailing_zeros(operands: &[Data]) -> u32 {
    operands.iter().filter_map(|d| d.known).map(|k| k.trailing_zeros()).max().unwrap_or(0)
}

/// Rough sizes of floating-point units in LUTs, DSP tiles included.
fn float_luts(op: Op, width: u32) -> u64 {
    let per_bit = match op.gradual() {
        Op::FAdd | Op::FSub => 16,
        Op::FMul => 14,
        Op::Fma => 32,
        Op::FDiv | Op::FSqrt | Op::FRem => 50,
        Op::Math(_) => 80,
        Op::FMin | Op::FMax | Op::FCmp(_) => 3,
        _ => 8,
    };
    per_bit * u64::from(width)
}

/// For each class the node of the cheapest term found.
pub type Choice = FxHashMap<Id, Node>;

/// Chooses a node for each class so that the terms of the roots are cheap, every shared node
/// counted once: greedy, bottom-up, with the set of classes that a class needs and their costs,
/// until nothing improves. Deterministic: classes and nodes are visited in order, and an equal
/// cost changes nothing.
pub fn extract(graph: &Graph, cost: &Cost<'_>, most_rounds: usize) -> Choice {
    let mut ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
    ids.sort();
    let priced = |id: &Id| graph[*id].nodes.iter().map(|n| Priced::new(graph, cost, n)).collect();
    let nodes: Vec<Vec<Priced<'_>>> = ids.iter().map(priced).collect();
    let mut terms = Terms { best: FxHashMap::default(), set: vec![], scratch: vec![] };
    let mut choice = Choice::default();
    for _ in 0..most_rounds {
        let mut changed = false;
        for (&id, nodes) in ids.iter().zip(&nodes) {
            for priced in nodes {
                if terms.improve(id, priced) {
                    choice.insert(id, priced.node.clone());
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    choice
}

/// A node, its operands' classes and its own cost.
struct Priced<'g> {
    node: &'g Node,
    args: SmallVec<[Id; 3]>,
    own: u64,
}

impl<'g> Priced<'g> {
    fn new(graph: &Graph, cost: &Cost<'_>, node: &'g Node) -> Self {
        let args = node.args.iter().map(|a| graph.find(*a)).collect();
        let own = match node.head {
            Head::Leaf(_) => 0,
            Head::Op(op) => {
                let operands: SmallVec<[Data; 3]> =
                    node.args.iter().map(|a| graph[*a].data).collect();
                cost.node(op, node.ty, &operands)
            }
        };
        Priced { node, args, own }
    }
}

/// Classes with their own costs, in order.
type Costs = Vec<(Id, u64)>;

/// The cheapest terms so far.
struct Terms {
    /// For each class what its term costs, and all classes that it needs, itself too.
    best: FxHashMap<Id, (u64, Costs)>,
    /// The set that is being made, and room for the next.
    set: Costs,
    scratch: Costs,
}

impl Terms {
    /// Takes a node for a class if that is cheaper than what it has; not while an operand has no term yet, nor when one needs
    /// the class itself.
    fn improve(&mut self, id: Id, node: &Priced<'_>) -> bool {
        // A lower bound first: most nodes are out at once.
        let mut most = 0;
        for a in &node.args {
            let Some((cost, _)) = self.best.get(a) else { return false };
            most = most.max(*cost);
        }
        let old = self.best.get(&id).map(|b| b.0);
        if old.is_some_and(|old| node.own + most >= old) {
            return false;
        }
        self.set.clear();
        for a in &node.args {
            let needs = &self.best[a].1;
            if needs.binary_search_by_key(&id, |n| n.0).is_ok() {
                return false;
            }
            unite(&self.set, needs, &mut self.scratch);
            std::mem::swap(&mut self.set, &mut self.scratch);
        }
        unite(&self.set, &[(id, node.own)], &mut self.scratch);
        let total = self.scratch.iter().map(|c| c.1).sum();
        let better = old.is_none_or(|old| total < old);
        if better {
            self.best.insert(id, (total, self.scratch.clone()));
        }
        better
    }
}

/// The union of two sets; of a class in both, what the second says.
fn unite(a: &[(Id, u64)], b: &[(Id, u64)], out: &mut Costs) {
    out.clear();
    let (mut i, mut k) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(k)) {
        if x.0 < y.0 {
            out.push(*x);
            i += 1;
        } else {
            i += usize::from(x.0 == y.0);
            out.push(*y);
            k += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[k..]);
}
