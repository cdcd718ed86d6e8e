//! The channels of a schedule, as the generator of hardware connects them.

use super::Options;
use crate::KernelSchedule;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, Op};
use std::collections::VecDeque;

/// Index of a channel.
pub type NodeId = usize;

/// What a channel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// Register behind a merge, or FIFO of a back edge.
    Queue,
    /// A stall-free pipeline with its exit FIFO.
    Segment {
        /// Cycles from its entry to the FIFO.
        latency: u32,
        /// Least distance of two tokens.
        ii: u32,
        /// Those at most so far apart are multiples of it apart.
        window: u32,
    },
    /// Tokens beside their memory accesses.
    Memory,
    /// Holds tokens until their group is complete.
    Barrier,
}

/// Where a token goes on.
#[derive(Clone, Copy, Debug)]
pub enum After {
    /// Into a block, over the merge of what comes from outside of its loop.
    Incoming(Block),
    /// Behind that merge.
    Fresh(Block),
    /// From a back edge's FIFO into the merge of the header.
    Back(NodeId),
    /// Behind the merges of a block.
    Merged(Block),
    /// To a stage of a block; behind the last one its terminator.
    Stage(Block, usize),
    /// Along an edge of a terminator.
    Edge(Block, u32),
}

/// A channel.
pub struct Node {
    /// Kind.
    pub kind: NodeKind,
    /// Most tokens in it; none = there is a place for all that can come.
    pub capacity: Option<usize>,
    /// Where its tokens go on.
    pub after: After,
    /// For messages.
    pub name: String,
}

/// An edge of the control flow.
pub struct Edge {
    /// Target.
    pub to: Block,
    /// FIFO, if it leads back to a loop's header.
    pub back: Option<NodeId>,
    /// Loops left.
    pub left: Vec<usize>,
    /// Counters of loops with several entries on this way, and the room that they ask for.
    pub gates: Vec<(usize, u32)>,
}

/// A block.
pub struct BlockPlan {
    /// Register behind the merge of edges from outside, if there are several.
    pub incoming: Option<NodeId>,
    /// Loop that is entered here only: its counter.
    pub gate: Option<usize>,
    /// Register behind the merge with back edges.
    pub header: Option<NodeId>,
    /// Barrier in front of the segments.
    pub barrier: Option<NodeId>,
    /// Segments and memory accesses, in order.
    pub stages: Vec<NodeId>,
    /// Loops around it that count.
    pub loops: Vec<usize>,
    /// Targets of its terminator to choose from.
    pub choices: Vec<u32>,
    /// The target on the shortest way to the kernel's end; none at an end.
    pub out: Option<u32>,
    /// Whether a barrier depends on the choice.
    pub uniform: bool,
}

/// All channels.
pub struct Network {
    /// Channels.
    pub nodes: Vec<Node>,
    /// Edges by source block and position.
    pub edges: FxHashMap<(Block, u32), Edge>,
    /// Blocks.
    pub blocks: FxHashMap<Block, BlockPlan>,
}

impl Network {
    /// The network of a schedule.
    pub fn new(s: &KernelSchedule, options: &Options) -> Self {
        let cfg = Cfg::new(&s.func);
        let mut n =
            Network { nodes: vec![], edges: FxHashMap::default(), blocks: FxHashMap::default() };
        let ways_out = (&distances(&cfg), &Dominators::post(&s.func, &cfg));
        for &block in &cfg.rpo {
            let plan = n.block(s, &cfg, block, ways_out, options);
            n.blocks.insert(block, plan);
        }
        for &block in &cfg.rpo {
            for k in 0..cfg.succs[block].len() as u32 {
                let edge = n.edge(s, &cfg, block, k);
                n.edges.insert((block, k), edge);
            }
        }
        n
    }

    fn add(&mut self, kind: NodeKind, capacity: Option<u32>, after: After, name: String) -> NodeId {
        let capacity = capacity.map(|c| c as usize);
        self.nodes.push(Node { kind, capacity, after, name });
        self.nodes.len() - 1
    }

    fn block(
        &mut self,
        s: &KernelSchedule,
        cfg: &Cfg,
        block: Block,
        (distance, post): (&SecondaryMap<Block, Option<u32>>, &Dominators),
        options: &Options,
    ) -> BlockPlan {
        let pipelined = s.pipelined.contains_key(&block);
        let header = s.loops.iter().position(|l| l.header == block).filter(|_| !pipelined);
        let back = |p: &Block| header.is_some_and(|l| s.loops[l].blocks.contains(p));
        let own = |p: &Block| pipelined && *p == block;
        let fresh = cfg.preds[block].iter().filter(|p| !back(p) && !own(p)).count()
            + usize::from(block == s.func.entry());
        let register = |n: &mut Self, after, what: &str| {
            n.add(NodeKind::Queue, Some(1), after, format!("{what} {block}"))
        };
        let incoming =
            (fresh > 1).then(|| register(self, After::Fresh(block), "merge in front of"));
        let gate = header.filter(|l| s.loops[*l].entries.len() == 1);
        let header = header.map(|_| register(self, After::Merged(block), "header"));
        let has_barrier = s.func.blocks[block]
            .insts
            .iter()
            .any(|i| matches!(s.func.insts[*i].op, Op::Barrier(..)));
        let barrier = has_barrier.then(|| {
            let name = format!("barrier at {block}");
            self.add(NodeKind::Barrier, None, After::Stage(block, 0), name)
        });
        let stages = self.stages(s, block, options);
        let targets = cfg.succs[block].iter().enumerate();
        let targets = targets.filter(|(_, t)| !own(t)).map(|(k, t)| (k as u32, *t));
        let targets: Vec<(u32, Block)> = targets.collect();
        let nearest = targets.iter().min_by_key(|(_, t)| distance[*t].unwrap_or(u32::MAX));
        BlockPlan {
            incoming,
            gate,
            header,
            barrier,
            stages,
            loops: counting(s).filter(|l| s.loops[*l].blocks.contains(&block)).collect(),
            choices: targets.iter().map(|t| t.0).collect(),
            out: nearest.map(|t| t.0),
            uniform: decides_about_barrier(s, cfg, post, block),
        }
    }

    /// Segments that are more than wires, and accesses that are answered.
    fn stages(&mut self, s: &KernelSchedule, block: Block, options: &Options) -> Vec<NodeId> {
        let mut out: Vec<NodeId> = vec![];
        for (k, g) in s.blocks[block].segments.iter().enumerate() {
            if s.is_segment(block, k as u32) {
                let kind = NodeKind::Segment { latency: g.latency, ii: g.ii, window: g.window };
                let capacity = Some(g.control.blocked_capacity());
                let after = After::Stage(block, out.len() + 1);
                out.push(self.add(kind, capacity, after, format!("segment {k} of {block}")));
            }
            let accesses = s.accesses_behind(block, k as u32);
            if accesses.iter().any(|i| s.accesses[i].has_response()) {
                let after = After::Stage(block, out.len() + 1);
                let name = format!("memory behind segment {k} of {block}");
                out.push(self.add(NodeKind::Memory, Some(options.answers.max(1)), after, name));
            }
        }
        out
    }

    fn edge(&mut self, s: &KernelSchedule, cfg: &Cfg, block: Block, k: u32) -> Edge {
        let to = cfg.succs[block][k as usize];
        let inside = |l: &usize, b: Block| s.loops[*l].blocks.contains(&b);
        let loops: Vec<usize> = counting(s).collect();
        let left = loops.iter().copied().filter(|l| inside(l, block) && !inside(l, to)).collect();
        let gates = loops
            .iter()
            .copied()
            .filter(|l| !inside(l, block) && inside(l, to) && s.loops[*l].entries.len() > 1)
            .map(|l| (l, s.loops[l].entries.len() as u32))
            .collect();
        let of_loop = loops.iter().find(|l| s.loops[**l].back_edges.contains(&(block, k)));
        let header = self.blocks[&to].header;
        let back = of_loop.zip(header).map(|(l, header)| {
            let depth = Some(s.loops[*l].back_depth);
            let name = format!("back edge from {block} to {to}");
            self.add(NodeKind::Queue, depth, After::Back(header), name)
        });
        Edge { to, back, left, gates }
    }
}

/// Loops with an admission counter: iterations of pipelined loops stay in their block.
fn counting(s: &KernelSchedule) -> impl Iterator<Item = usize> + '_ {
    let counts = |k: &usize| !s.pipelined.contains_key(&s.loops[*k].header);
    (0..s.loops.len()).filter(counts)
}

/// Edges from each block to the kernel's end.
fn distances(cfg: &Cfg) -> SecondaryMap<Block, Option<u32>> {
    let mut out: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
    let mut queue: VecDeque<Block> = VecDeque::new();
    for &b in cfg.rpo.iter().filter(|b| cfg.succs[**b].is_empty()) {
        out[b] = Some(0);
        queue.push_back(b);
    }
    while let Some(b) = queue.pop_front() {
        let next = out[b].map(|d| d + 1);
        for &p in &cfg.preds[b] {
            if out[p].is_none() {
                out[p] = next;
                queue.push_back(p);
            }
        }
    }
    out
}

/// Whether a barrier is reached from one side of a branch before the sides have met: before a
/// block that is on every way from here to the end.
fn decides_about_barrier(s: &KernelSchedule, cfg: &Cfg, post: &Dominators, block: Block) -> bool {
    if cfg.succs[block].len() < 2 {
        return false;
    }
    let barrier = |b: &Block| {
        let insts = &s.func.blocks[*b].insts;
        insts.iter().any(|i| matches!(s.func.insts[*i].op, Op::Barrier(..)))
    };
    // The sides meet at the nearest block that is on every way to the end.
    reach(cfg, block, post.idom(block)).iter().any(barrier)
}

/// Blocks on ways from the targets of `from` that do not pass `without`.
fn reach(cfg: &Cfg, from: Block, without: Option<Block>) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut out = vec![];
    let mut stack: Vec<Block> = cfg.succs[from].clone();
    while let Some(b) = stack.pop() {
        if Some(b) == without || std::mem::replace(&mut seen[b], true) {
            continue;
        }
        out.push(b);
        stack.extend(cfg.succs[b].iter().copied());
    }
    out
}
