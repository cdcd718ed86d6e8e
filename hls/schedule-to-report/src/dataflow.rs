//! How work-items and data flow: the nodes and edges of the drawing.

use crate::View;
use base::FxHashMap;
use ir::{Block, Op, Terminator};
use report::{Access, Edge, EdgeKind, Memory, MemoryKind, Node, NodeKind, Place};

struct Drawing<'a> {
    view: &'a View<'a>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Where tokens enter each block, and where they leave it.
    ends: FxHashMap<Block, (u32, u32)>,
    /// Node of each access.
    accesses: Vec<u32>,
}

pub(crate) fn draw(
    view: &View<'_>,
    accesses: &[Access],
    memories: &[Memory],
) -> (Vec<Node>, Vec<Edge>) {
    let (nodes, edges, ends) = Default::default();
    let mut d = Drawing { view, nodes, edges, ends, accesses: vec![] };
    let dispatcher = d.node(NodeKind::Dispatcher, "dispatcher", &dispatcher_text(view), None, None);
    d.units(accesses);
    for &block in &view.s.func.layout {
        d.block(block);
    }
    d.control(dispatcher);
    d.memories(accesses, memories);
    (d.nodes, d.edges)
}

fn dispatcher_text(view: &View<'_>) -> String {
    match view.s.task {
        true => "one work-item".to_owned(),
        false => format!("{} work-group slots", view.s.occupancy.slots),
    }
}

impl Drawing<'_> {
    fn node(
        &mut self,
        kind: NodeKind,
        label: &str,
        detail: &str,
        block: Option<Block>,
        place: Option<Place>,
    ) -> u32 {
        let id = self.nodes.len() as u32;
        let block = block.map(|b| self.view.index[b]);
        let (label, detail) = (label.to_owned(), detail.to_owned());
        self.nodes.push(Node { id, kind, label, detail, block, place });
        id
    }

    fn edge(&mut self, from: u32, to: u32, kind: EdgeKind, bits: u32, depth: u32, channel: &str) {
        self.edges.push(Edge { from, to, kind, bits, depth, channel: channel.to_owned() });
    }

    fn units(&mut self, accesses: &[Access]) {
        for a in accesses {
            let of = a.argument.as_ref().map_or(String::new(), |n| format!(" {n}"));
            let label = format!("{}{of}", a.kind);
            let detail = format!("{} bytes, {}", a.bytes, a.unit);
            let id = self.node(NodeKind::Access, &label, &detail, None, a.place);
            self.accesses.push(id);
        }
    }

    /// Segments of a block in a row, with their accesses beside them.
    fn block(&mut self, block: Block) {
        let s = self.view.s;
        let mut first = None;
        let mut last: Option<u32> = None;
        let mut channel = (0, 0, String::new());
        let gate = s.loops.iter().find(|l| l.header == block && l.entries.len() == 1);
        if let Some(l) = gate.filter(|_| !s.pipelined.contains_key(&block)) {
            let text = format!("at most {} work-items", l.limit);
            let id = self.node(NodeKind::Gate, "loop", &text, Some(block), None);
            (first, last) = (Some(id), Some(id));
        }
        let waits = |i: &ir::Inst| matches!(s.func.insts[*i].op, Op::Barrier(..));
        if s.func.blocks[block].insts.iter().any(waits) {
            let place = self.view.place_in(block);
            let id = self.node(NodeKind::Barrier, "barrier", "", Some(block), place);
            self.join(&mut first, &mut last, id, (0, 0, &format!("{block}_in")));
            channel = (0, s.occupancy.work_items(), format!("{block}_released"));
        }
        for (k, segment) in s.blocks[block].segments.iter().enumerate() {
            let detail = format!("{} stages, II {}", segment.latency, segment.ii);
            let place = self.view.place_in(block);
            let label = format!("{block} segment {k}");
            let id = self.node(NodeKind::Segment, &label, &detail, Some(block), place);
            let (bits, depth, name) = &channel;
            self.join(&mut first, &mut last, id, (*bits, *depth, name));
            let bits = self.view.net_width(&format!("{block}_s{k}_exit_data"));
            self.timed(block, k as u32, id);
            let beside = self.boundary(block, k as u32, id);
            let name = format!(
                "{block}_{}",
                if beside { format!("m{k}_beside") } else { format!("s{k}_fifo") }
            );
            let bits = if beside { self.view.net_width(&format!("{name}_q_data")) } else { bits };
            channel = (bits, segment.control.blocked_capacity(), format!("{name}_q"));
        }
        if let (Some(first), Some(last)) = (first, last) {
            self.ends.insert(block, (first, last));
        }
    }

    fn join(
        &mut self,
        first: &mut Option<u32>,
        last: &mut Option<u32>,
        id: u32,
        (bits, depth, name): (u32, u32, &str),
    ) {
        if let Some(before) = *last {
            self.edge(before, id, EdgeKind::Token, bits, depth, name);
        }
        first.get_or_insert(id);
        *last = Some(id);
    }

    /// Accesses in cycles of a segment.
    fn timed(&mut self, block: Block, segment: u32, node: u32) {
        let s = self.view.s;
        for inst in &s.func.blocks[block].insts {
            let Some(site) = s.accesses.get_index_of(inst) else { continue };
            let bits = 8 * s.accesses[site].bytes;
            if matches!(s.place[*inst], Some(schedule::Place::Segment { segment: k, .. }) if k == segment)
            {
                self.edge(node, self.accesses[site], EdgeKind::Memory, bits, 0, "");
            }
        }
    }

    /// Requests of a segment's accesses; whether work-items wait for answers beside them.
    fn boundary(&mut self, block: Block, segment: u32, node: u32) -> bool {
        let s = self.view.s;
        let here = schedule::Place::Boundary { segment };
        let mut waits = false;
        for inst in &s.func.blocks[block].insts {
            let Some(site) = s.accesses.get_index_of(inst) else { continue };
            if s.place[*inst] != Some(here) {
                continue;
            }
            let a = &s.accesses[inst];
            waits |= a.has_response();
            // Requests leave queues of their own, or with what waits beside them the segment's exit.
            let exit = match s.reserves_exit(block, segment) {
                true => format!("queue{site}_q"),
                false => format!("{block}_s{segment}_fifo_q"),
            };
            self.edge(node, self.accesses[site], EdgeKind::Memory, 8 * a.bytes, 0, &exit);
        }
        waits
    }

    /// The control flow between blocks.
    fn control(&mut self, dispatcher: u32) {
        let s = self.view.s;
        if let Some(&(entry, _)) = self.ends.get(&s.func.entry()) {
            let bits = self.view.net_width(&format!("{}_in_data", s.func.entry()));
            self.edge(dispatcher, entry, EdgeKind::Token, bits, 0, "");
        }
        let mut retire = None;
        for &block in &s.func.layout {
            let Some(&(_, from)) = self.ends.get(&block) else { continue };
            let term = &s.func.blocks[block].term;
            if matches!(term, Terminator::Return(_) | Terminator::Unreachable) {
                let end = match retire {
                    Some(id) => id,
                    None => self.node(NodeKind::Retire, "retire", "work-items end", None, None),
                };
                retire = Some(end);
                self.edge(from, end, EdgeKind::Token, 0, 0, &self.last_channel(block));
            }
            for (k, call) in term.targets().into_iter().enumerate() {
                let Some(&(to, _)) = self.ends.get(&call.block) else { continue };
                let edge = (block, k as u32);
                let around = s.loops.iter().find(|l| l.back_edges.contains(&edge));
                let name = format!("{block}_to_{}", call.block);
                let bits = self.view.net_width(&format!("{name}_data"));
                match around {
                    Some(l) if s.pipelined.contains_key(&l.header) => {
                        self.edge(from, to, EdgeKind::Back, 0, 0, &format!("{block}_issue"));
                    }
                    Some(l) => self.edge(from, to, EdgeKind::Back, bits, l.back_depth, &name),
                    None => self.edge(from, to, EdgeKind::Token, bits, 0, &name),
                }
            }
        }
    }

    /// The channel at a block's end.
    fn last_channel(&self, block: Block) -> String {
        let last = self.view.s.blocks[block].segments.len().saturating_sub(1);
        match self.view.s.reserves_exit(block, last as u32) {
            true => format!("{block}_m{last}_beside_q"),
            false => format!("{block}_s{last}_fifo_q"),
        }
    }

    fn memories(&mut self, accesses: &[Access], memories: &[Memory]) {
        let mut ports: FxHashMap<String, u32> = FxHashMap::default();
        for (k, m) in memories.iter().enumerate() {
            let bits = 8 * m.word_bytes;
            let node = match m.kind {
                MemoryKind::Device => None,
                _ => {
                    let detail = format!("{} bytes, {} copies", m.bytes, m.copies);
                    Some(self.node(NodeKind::Memory, &m.name, &detail, None, None))
                }
            };
            for a in accesses.iter().filter(|a| a.memory as usize == k) {
                let to = match (node, &a.port) {
                    (Some(node), _) => node,
                    (None, Some(port)) => match ports.get(port) {
                        Some(id) => *id,
                        None => {
                            let detail = format!("{bits} bits");
                            let id = self.node(NodeKind::Port, port, &detail, None, None);
                            ports.insert(port.clone(), id);
                            id
                        }
                    },
                    (None, None) => continue,
                };
                let from = self.accesses[a.id as usize];
                self.edge(from, to, EdgeKind::Memory, bits, 0, "");
            }
        }
    }
}
