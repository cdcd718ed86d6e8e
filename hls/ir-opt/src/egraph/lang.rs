//! The language of the e-graph: the IR's pure scalar operations, each node with its type.

use base::SmallVec;
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
}

/// Folds constants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Folding {
    /// Width of pointers.
    pub addr_bits: u32,
}

/// The e-graph.
pub type Graph = EGraph<Node, Folding>;

impl Analysis<Node> for Folding {
    type Data = Data;

    fn make(egraph: &mut Graph, node: &Node, _id: Id) -> Data {
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
        Data { ty: node.ty, constant }
    }

    fn merge(&mut self, to: &mut Data, from: Data) -> DidMerge {
        let merged = to.constant.or(from.constant);
        let changed = DidMerge(merged != to.constant, merged != from.constant);
        to.constant = merged;
        changed
    }

    fn modify(egraph: &mut Graph, id: Id) {
        let Data { ty, constant } = egraph[id].data;
        if let Some(bits) = constant {
            let node = egraph.add(Node::constant(ty, bits));
            egraph.union(id, node);
        }
    }
}
