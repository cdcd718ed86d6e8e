//! The order of stops: whose turn it is.
//!
//! Control flow has the order of its strongly connected components, and inside of each, without the edges to its header, again.
//! So work-items at a stop let all others come there first that are before it in the same round of the same loop. The end of a
//! round is a stop, too: nobody begins the next one while others are still in this one, and nobody goes on behind a loop
//! while others are in it.

use super::stops::{Kind, Stop, Stops, forget_hint, redirect, shortcuts};
use base::IndexSet;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, BlockCall, Function, Terminator};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Numbers the stops of a region, and adds those at the end of rounds. `natural` are the blocks in which each work-item goes its own
/// way.
pub(super) fn number(func: &mut Function, natural: &IndexSet<Block>, stops: &mut Stops) {
    let cfg = Cfg::new(func);
    let next = shortcuts(&stops.stops);
    let mut stop_at: SecondaryMap<Block, Option<usize>> = SecondaryMap::new();
    let mut arrival: SecondaryMap<Block, bool> = SecondaryMap::new();
    for (k, s) in stops.stops.iter().enumerate() {
        stop_at[s.wait] = Some(k);
        arrival[s.wait] = matches!(s.kind, Kind::Arrival(..));
    }
    let succs = |b: Block| match next[b] {
        Some(n) => vec![n],
        None => func.blocks[b].term.targets().iter().map(|t| t.block).collect(),
    };
    let reachable = natural.iter().copied().filter(|b| cfg.is_reachable(*b));
    let mut blocks: Vec<Block> = reachable.collect();
    blocks.sort_by_key(|b| cfg.rpo_index[*b]);
    let mut edges: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
    blocks.iter().for_each(|b| edges[*b] = succs(*b));
    let mut numbering = Numbering {
        edges,
        dominators: Dominators::new(func, &cfg),
        rank: cfg.rpo_index,
        stop_at,
        arrival,
        next: stops.entries.len() as u32,
        numbers: vec![0; stops.stops.len()],
        rounds: vec![],
        headers: vec![],
    };
    numbering.components(&blocks);
    let Numbering { numbers, rounds, headers, .. } = numbering;
    headers.into_iter().for_each(|h| forget_hint(func, h));
    for (stop, n) in stops.stops.iter_mut().zip(numbers) {
        stop.number = n;
    }
    stops.stops.extend(rounds.into_iter().map(|r| end_of_round(func, &r)));
}

/// Puts the stops that are for all work-items together behind the others.
pub(super) fn all_together_last(stops: &mut Stops) {
    let mut order: Vec<usize> = (0..stops.stops.len()).collect();
    order.sort_by_key(|k| (stops.stops[*k].is_for_all(), stops.stops[*k].number));
    for (place, k) in order.into_iter().enumerate() {
        stops.stops[k].number = (stops.entries.len() + place) as u32;
    }
}

/// A loop whose rounds end in a stop.
struct Round {
    header: Block,
    latches: Vec<Block>,
    number: u32,
}

struct Numbering {
    /// Successors of each block.
    edges: SecondaryMap<Block, Vec<Block>>,
    /// Position of each block in reverse postorder.
    rank: SecondaryMap<Block, Option<u32>>,
    dominators: Dominators,
    stop_at: SecondaryMap<Block, Option<usize>>,
    /// Where work-items wait that have a second stop right behind.
    arrival: SecondaryMap<Block, bool>,
    /// The next number.
    next: u32,
    numbers: Vec<u32>,
    rounds: Vec<Round>,
    /// Headers of loops with stops.
    headers: Vec<Block>,
}

impl Numbering {
    /// Numbers the stops in some blocks, in reverse postorder; gives those that are in no loop among them, and whether there are others.
    fn components(&mut self, blocks: &[Block]) -> (Vec<Block>, bool) {
        let (mut here, mut inner) = (vec![], false);
        for mut component in self.strong_components(blocks) {
            component.sort_by_key(|b| self.rank[*b]);
            let header = component[0];
            let is_latch = |b: &Block| self.edges[*b].contains(&header);
            let latches: Vec<Block> = component.iter().copied().filter(is_latch).collect();
            if latches.is_empty() {
                here.extend(self.block(header));
                continue;
            }
            let mut own: Vec<Block> = self.block(header).into_iter().collect();
            let (more, inside) = self.components(&component[1..]);
            own.extend(more);
            if own.is_empty() && !inside {
                continue;
            }
            inner = true;
            self.headers.push(header);
            if inside || !self.is_in_each_round(&own, &latches) {
                self.rounds.push(Round { header, latches, number: self.next });
                self.next += 1;
            }
        }
        (here, inner)
    }

    /// Whether there is one stop, and each round of the loop comes there: then it ends rounds itself.
    fn is_in_each_round(&self, stops: &[Block], latches: &[Block]) -> bool {
        let [one] = stops else { return false };
        latches.iter().all(|l| self.dominators.dominates(*one, *l))
    }

    fn block(&mut self, block: Block) -> Option<Block> {
        let stop = self.stop_at[block]?;
        self.numbers[stop] = self.next;
        self.next += 1;
        (!self.arrival[block]).then_some(block)
    }

    /// The strongly connected components of some blocks, in the order of control flow.
    fn strong_components(&self, blocks: &[Block]) -> Vec<Vec<Block>> {
        let mut graph: DiGraph<Block, ()> = DiGraph::new();
        let mut node: SecondaryMap<Block, Option<NodeIndex>> = SecondaryMap::new();
        for &b in blocks {
            node[b] = Some(graph.add_node(b));
        }
        for &b in blocks {
            for &s in &self.edges[b] {
                if let (Some(from), Some(to)) = (node[b], node[s]) {
                    graph.add_edge(from, to, ());
                }
            }
        }
        let components = tarjan_scc(&graph).into_iter().rev();
        components.map(|c| c.into_iter().map(|n| graph[n]).collect()).collect()
    }
}

/// Puts a stop on the edges back to a loop's header.
fn end_of_round(func: &mut Function, round: &Round) -> Stop {
    let [wait, body, next] = [(); 3].map(|()| func.add_block());
    for p in func.blocks[round.header].params.clone() {
        func.add_param(wait, func.ty(p));
    }
    for &latch in &round.latches {
        redirect(func, latch, round.header, wait);
    }
    let params = func.blocks[wait].params.clone();
    func.blocks[next].term = Terminator::Jump(BlockCall::new(round.header, params));
    func.blocks[wait].term_loc = func.blocks[round.header].term_loc;
    Stop { wait, first: body, last: body, next, number: round.number, kind: Kind::Round }
}
