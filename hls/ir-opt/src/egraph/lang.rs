//! The language of the e-graph: the IR's pure scalar operations, each node with its type.

use crate::known::{Known, transfer};
use base::{FxHashMap, FxHashSet, SmallVec};
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use ir::{FastMath, Op, Type, Value};

/// What a node is, besides its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// A value from outside the region: load, argument, parameter.
    Leaf(Value),
    /// An operation.
    Op(Op),
}

/// A node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    /// Operation or leaf.
    pub head: Head,
    /// Type of the result; with it, width.
    pub ty: Type,
    /// Permissions beyond IEEE; none in nodes made by rules.
    pub fast_math: FastMath,
    /// Operands.
    pub args: SmallVec<[Id; 3]>,
}

impl Node {
    /// An operation.
    pub fn op(op: Op, ty: Type, args: impl IntoIterator<Item = Id>) -> Node {
        Node {
            head: Head::Op(op),
            ty,
            fast_math: FastMath::default(),
            args: args.into_iter().collect(),
        }
    }

    /// A constant.
    pub fn constant(ty: Type, bits: u128) -> Node {
        Node::op(Op::Const(bits), ty, [])
    }
}

impl Language for Node {
    type Discriminant = (Head, Type);

    fn discriminant(&self) -> Self::Discriminant {
        (self.head, self.ty)
    }

    fn matches(&self, other: &Self) -> bool {
        self.discriminant() == other.discriminant() && self.args.len() == other.args.len()
    }

    fn children(&self) -> &[Id] {
        &self.args
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args
    }
}

/// What is known of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Data {
    /// Type of all its nodes.
    pub ty: Type,
    /// Bits, when it is constant.
    pub constant: Option<u128>,
    /// Bits and ranges; of integers only.
    pub known: Option<Known>,
    /// Work-items have different values. What is the same throughout the launch travels with no token.
    pub varies: bool,
    /// The leaf of which its bits are those, and constants, in some order. Of several any one, the same each time.
    pub wires_of: Option<Value>,
}

/// Folds constants, and gathers what is known of integers: every node of a class says something, and all of it holds.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    /// Width of pointers.
    pub addr_bits: u32,
    /// What is known of leaves; nothing of those that are missing.
    pub leaves: FxHashMap<Value, Known>,
    /// Leaves that are the same throughout the launch.
    pub uniform: FxHashSet<Value>,
}

impl Folding {
    /// Nothing is known of leaves.
    pub fn new(addr_bits: u32) -> Folding {
        Folding { addr_bits, ..Folding::default() }
    }
}

/// The e-graph.
pub type Graph = EGraph<Node, Folding>;

impl Analysis<Node> for Folding {
    type Data = Data;

    fn make(egraph: &mut Graph, node: &Node, _id: Id) -> Data {
        let known = known(egraph, node);
        let constant = match node.head {
            Head::Leaf(_) => None,
            Head::Op(Op::Const(bits)) => Some(bits),
            Head::Op(op) => {
                let args: Option<SmallVec<[(Type, u128); 3]>> = node
                    .args
                    .iter()
                    .map(|a| egraph[*a].data.constant.map(|c| (egraph[*a].data.ty, c)))
                    .collect();
                args.filter(|a| !a.is_empty()).and_then(|a| {
                    interp::eval::eval(op, node.ty, &a, egraph.analysis.addr_bits, |_| None)
                })
            }
        };
        let constant = constant.or(known.and_then(|k| k.as_constant()));
        let varies = match node.head {
            Head::Leaf(value) => !egraph.analysis.uniform.contains(&value),
            Head::Op(_) => node.args.iter().any(|a| egraph[*a].data.varies),
        };
        let wires_of = match node.head {
            Head::Leaf(value) => Some(value),
            Head::Op(op) => wires(egraph, op, &node.args),
        };
        Data { ty: node.ty, constant, known, varies: varies && constant.is_none(), wires_of }
    }

    fn merge(&mut self, to: &mut Data, from: Data) -> DidMerge {
        let known = match (to.known, from.known) {
            (Some(a), Some(b)) => Some(a.meet(&b)),
            (a, b) => a.or(b),
        };
        let constant = to.constant.or(from.constant).or(known.and_then(|k| k.as_constant()));
        let varies = to.varies && from.varies && constant.is_none();
        let wires_of = to.wires_of.into_iter().chain(from.wires_of).min();
        let merged = Data { ty: to.ty, constant, known, varies, wires_of };
        let changed = DidMerge(merged != *to, merged != Data { ty: to.ty, ..from });
        *to = merged;
        changed
    }

    fn modify(egraph: &mut Graph, id: Id) {
        let Data { ty, constant, .. } = egraph[id].data;
        if let Some(bits) = constant {
            let node = egraph.add(Node::constant(ty, bits));
            egraph.union(id, node);
        }
    }
}

/// The leaf whose bits an operation only moves.
fn wires(egraph: &Graph, op: Op, args: &[Id]) -> Option<Value> {
    let first = egraph[*args.first()?].data.wires_of;
    match op {
        Op::Slice { .. } | Op::Zext | Op::Sext => first,
        Op::Bitcast | Op::PtrToInt | Op::IntToPtr | Op::SpaceCast => first,
        Op::Shl | Op::LShr | Op::AShr => first.filter(|_| egraph[args[1]].data.constant.is_some()),
        _ => None,
    }
}

/// What a node says of its class.
fn known(egraph: &Graph, node: &Node) -> Option<Known> {
    if !node.ty.is_int() || node.ty.is_vector() {
        return None;
    }
    let width = node.ty.lane_bits(egraph.analysis.addr_bits);
    let known = match node.head {
        Head::Leaf(value) => egraph.analysis.leaves.get(&value).copied(),
        Head::Op(Op::Const(bits)) => Some(Known::constant(width, bits)),
        Head::Op(op) => {
            let args: Option<SmallVec<[Known; 3]>> =
                node.args.iter().map(|a| egraph[*a].data.known).collect();
            args.map(|args| transfer(op, width, &args, || None))
        }
    };
    Some(known.unwrap_or(Known::top(width)))
}
