//! Dominator and post-dominator trees (petgraph's simple-fast algorithm).

use super::cfg::Cfg;
use crate::entities::Block;
use crate::function::Function;
use base::entity::{EntityRef, SecondaryMap};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// A dominator tree over the reachable blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    idom: SecondaryMap<Block, Option<Block>>,
    depth: SecondaryMap<Block, u32>,
    root: Option<Block>,
}

impl Dominators {
    /// Dominators from the entry.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let Some(&entry) = func.layout.first() else {
            return Dominators {
                idom: SecondaryMap::new(),
                depth: SecondaryMap::new(),
                root: None,
            };
        };
        let graph = graph_of(func, cfg, false);
        let tree = simple_fast(&graph, NodeIndex::new(entry.index()));
        Self::from_tree(func, cfg.rpo.iter().copied(), |n| tree.immediate_dominator(n), Some(entry))
    }

    /// Post-dominators, towards a virtual exit behind all returns. A block whose only
    /// post-dominator is the virtual exit has none here. Blocks that never reach an exit
    /// (endless loops) have none either.
    pub fn post(func: &Function, cfg: &Cfg) -> Self {
        let graph = graph_of(func, cfg, true);
        let exit = NodeIndex::new(func.blocks.len());
        let tree = simple_fast(&graph, exit);
        let order = cfg.rpo.iter().rev().copied();
        Self::from_tree(func, order, |n| tree.immediate_dominator(n).filter(|d| *d != exit), None)
    }

    fn from_tree(
        func: &Function,
        order: impl Iterator<Item = Block>,
        parent: impl Fn(NodeIndex) -> Option<NodeIndex>,
        root: Option<Block>,
    ) -> Self {
        let mut idom: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let blocks: Vec<Block> = order.collect();
        for &b in &blocks {
            idom[b] = parent(NodeIndex::new(b.index())).map(|n| Block::new(n.index()));
        }
        let mut depth: SecondaryMap<Block, u32> = SecondaryMap::new();
        for &b in &blocks {
            let mut chain = vec![];
            let mut at = b;
            while let Some(d) = idom[at] {
                chain.push(at);
                if depth[d] != 0 || chain.len() > func.blocks.len() {
                    break;
                }
                at = d;
            }
            let mut d = chain.last().and_then(|c| idom[*c]).map_or(0, |p| depth[p]);
            for c in chain.into_iter().rev() {
                d += 1;
                depth[c] = d;
            }
        }
        Dominators { idom, depth, root }
    }

    /// The closest strict dominator.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block]
    }

    /// Whether `a` dominates `b` (every block dominates itself).
    pub fn dominates(&self, a: Block, mut b: Block) -> bool {
        while self.depth[b] > self.depth[a] {
            match self.idom[b] {
                Some(d) => b = d,
                None => return false,
            }
        }
        a == b
    }

    /// The root of the tree (none for post-dominators).
    pub fn root(&self) -> Option<Block> {
        self.root
    }
}

fn graph_of(func: &Function, cfg: &Cfg, reverse: bool) -> DiGraph<(), ()> {
    let mut graph = DiGraph::with_capacity(func.blocks.len() + 1, func.blocks.len() * 2);
    for _ in 0..=func.blocks.len() {
        graph.add_node(());
    }
    let node = |b: Block| NodeIndex::new(b.index());
    let exit = NodeIndex::new(func.blocks.len());
    for &b in &cfg.rpo {
        for &s in &cfg.succs[b] {
            if reverse {
                graph.add_edge(node(s), node(b), ());
            } else {
                graph.add_edge(node(b), node(s), ());
            }
        }
        if reverse && cfg.succs[b].is_empty() {
            graph.add_edge(exit, node(b), ());
        }
    }
    graph
}
