//! Control-flow graph: predecessors, reverse postorder, reachability.

use crate::entities::Block;
use crate::function::Function;
use base::entity::SecondaryMap;

/// Predecessors and order of the reachable blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Predecessors of each block; one entry for each edge.
    pub preds: SecondaryMap<Block, Vec<Block>>,
    /// Successors of each block in terminator order; one entry for each edge.
    pub succs: SecondaryMap<Block, Vec<Block>>,
    /// Reachable blocks in reverse postorder.
    pub rpo: Vec<Block>,
    /// Position in `rpo`, for reachable blocks.
    pub rpo_index: SecondaryMap<Block, Option<u32>>,
}

impl Cfg {
    /// Computes the graph.
    pub fn new(func: &Function) -> Self {
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut succs: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in &func.layout {
            for t in func.blocks[block].term.targets() {
                preds[t.block].push(block);
                succs[block].push(t.block);
            }
        }
        let rpo = reverse_postorder(func, &succs);
        let mut rpo_index = SecondaryMap::new();
        for (k, &b) in rpo.iter().enumerate() {
            rpo_index[b] = Some(k as u32);
        }
        Cfg { preds, succs, rpo, rpo_index }
    }

    /// Whether control can reach `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index[block].is_some()
    }

    /// Blocks from which control reaches `to` without leaving through it, `to` included when it
    /// lies on a cycle; all when following edges backwards.
    pub fn reaches(&self, to: Block) -> Vec<Block> {
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut stack = self.preds[to].clone();
        let mut out = vec![];
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut seen[b], true) {
                out.push(b);
                stack.extend(self.preds[b].iter().copied());
            }
        }
        out
    }
}

fn reverse_postorder(func: &Function, succs: &SecondaryMap<Block, Vec<Block>>) -> Vec<Block> {
    let Some(&entry) = func.layout.first() else { return vec![] };
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = vec![];
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((block, next)) = stack.last_mut() {
        if let Some(&s) = succs[*block].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[s], true) {
                stack.push((s, 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}
