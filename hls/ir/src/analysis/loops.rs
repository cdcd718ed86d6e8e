//! The loop nest: strongly connected components, nested. Irreducible cycles are loops too,
//! with several entries.

use super::cfg::Cfg;
use crate::entities::Block;
use crate::function::Function;
use base::entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(u32);
entity_impl!(LoopId, "loop");

/// A strongly connected component of the control flow without the headers of outer loops.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// Entry chosen as the header: the first block in reverse postorder.
    pub header: Block,
    /// All blocks inside, inner loops included, in reverse postorder.
    pub blocks: Vec<Block>,
    /// Blocks inside that are targets of edges from outside (the header among them).
    pub entries: Vec<Block>,
    /// Edges inside the loop that go to its header: sources.
    pub latches: Vec<Block>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Nesting depth, 1 = outermost.
    pub depth: u32,
}

impl LoopData {
    /// Whether it has a single entry.
    pub fn is_reducible(&self) -> bool {
        self.entries.len() == 1
    }
}

/// All loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    /// The loops; outer before inner.
    pub loops: PrimaryMap<LoopId, LoopData>,
    innermost: SecondaryMap<Block, Option<LoopId>>,
}

impl Loops {
    /// Finds the loop nest.
    pub fn new(func: &Function, cfg: &Cfg) -> Self {
        let mut loops = Loops { loops: PrimaryMap::new(), innermost: SecondaryMap::new() };
        let mut work = vec![(cfg.rpo.clone(), None::<LoopId>)];
        while let Some((blocks, parent)) = work.pop() {
            for component in components(func, cfg, &blocks) {
                let id = loops.add(cfg, component, parent);
                let data = &loops.loops[id];
                let inner = data.blocks.iter().copied().filter(|b| *b != data.header).collect();
                work.push((inner, Some(id)));
            }
        }
        loops
    }

    fn add(&mut self, cfg: &Cfg, blocks: Vec<Block>, parent: Option<LoopId>) -> LoopId {
        let inside = |b: Block| blocks.contains(&b);
        let entries: Vec<Block> = blocks
            .iter()
            .copied()
            .filter(|b| {
                *b == cfg.rpo[0]
                    || cfg.preds[*b].iter().any(|p| cfg.is_reachable(*p) && !inside(*p))
            })
            .collect();
        let header = entries[0];
        let mut latches: Vec<Block> =
            cfg.preds[header].iter().copied().filter(|p| inside(*p)).collect();
        latches.sort();
        latches.dedup();
        let depth = parent.map_or(1, |p| self.loops[p].depth + 1);
        let id = self.loops.next_key();
        for &b in &blocks {
            self.innermost[b] = Some(id);
        }
        self.loops.push(LoopData { header, blocks, entries, latches, parent, depth })
    }

    /// The innermost loop that contains `block`.
    pub fn innermost(&self, block: Block) -> Option<LoopId> {
        self.innermost[block]
    }

    /// Whether loop `l` contains `block`.
    pub fn contains(&self, l: LoopId, block: Block) -> bool {
        let mut at = self.innermost[block];
        while let Some(id) = at {
            if id == l {
                return true;
            }
            at = self.loops[id].parent;
        }
        false
    }

    /// Nesting depth of `block`, 0 = in no loop.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost[block].map_or(0, |l| self.loops[l].depth)
    }

    /// The loop whose header is `block`.
    pub fn headed_by(&self, block: Block) -> Option<LoopId> {
        self.loops.iter().find(|(_, l)| l.header == block).map(|(id, _)| id)
    }
}

/// Cyclic components of the graph restricted to `blocks`, each in reverse postorder; components
/// ordered by their first block.
fn components(func: &Function, cfg: &Cfg, blocks: &[Block]) -> Vec<Vec<Block>> {
    let mut graph: DiGraph<Block, ()> = DiGraph::new();
    let mut node: SecondaryMap<Block, Option<NodeIndex>> = SecondaryMap::new();
    node.resize(func.blocks.len());
    for &b in blocks {
        node[b] = Some(graph.add_node(b));
    }
    for &b in blocks {
        for s in &cfg.succs[b] {
            if let (Some(from), Some(to)) = (node[b], node[*s]) {
                graph.add_edge(from, to, ());
            }
        }
    }
    let mut out: Vec<Vec<Block>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|c| c.len() > 1 || graph.find_edge(c[0], c[0]).is_some())
        .map(|c| {
            let mut blocks: Vec<Block> = c.into_iter().map(|n| graph[n]).collect();
            blocks.sort_by_key(|b| (cfg.rpo_index[*b], b.index()));
            blocks
        })
        .collect();
    out.sort_by_key(|c| cfg.rpo_index[c[0]]);
    out
}
