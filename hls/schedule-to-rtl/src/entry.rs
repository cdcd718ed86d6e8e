//! How tokens enter a block: merges, back-edge FIFOs, admission to loops, barriers.

use crate::core::{Core, Edge};
use crate::token::{Layout, Stream};
use ir::{Block, Terminator};
use rtl::{Expr, Net};

impl Core<'_> {
    /// Merges the streams into a block: back edges through their FIFOs, entries through the
    /// loop's gate, then the barrier.
    pub fn entry_stream(&mut self, block: Block, layout: &Layout) -> Stream {
        let incoming = self.gated_incoming(block);
        let loop_index = self.sh.s.loops.iter().position(|l| l.header == block);
        let is_back = |from: &Option<(Block, u32)>| {
            let edges = loop_index.map(|l| &self.sh.s.loops[l].back_edges);
            from.is_some_and(|e| edges.is_some_and(|b| b.contains(&e)))
        };
        let (back, fresh): (Vec<_>, Vec<_>) = incoming.iter().partition(|(from, _)| is_back(from));
        let fresh: Vec<Stream> = fresh.into_iter().map(|(_, s)| s).collect();
        let mut stream = self.merge(block, "in", &fresh, layout);
        if let Some(index) = loop_index.filter(|_| !self.sh.s.pipelined.contains_key(&block)) {
            let l = &self.sh.s.loops[index];
            let mut all = vec![];
            for (k, (_, s)) in back.iter().enumerate() {
                all.push(self.fifo(&format!("{block}_back{k}"), *s, layout.width(), l.back_depth));
            }
            all.push(if l.entries.len() == 1 { self.gate(block, index, stream) } else { stream });
            stream = self.merge(block, "loop", &all, layout);
        }
        if crate::starts_with_barrier(&self.sh.s.func, block) {
            stream = self.barrier(block, stream, layout);
        }
        stream
    }

    /// The streams into a block; those that enter a loop with several entries come through the
    /// loop's common gates.
    fn gated_incoming(&mut self, block: Block) -> Vec<(Option<Edge>, Stream)> {
        let mut incoming = self.incoming[block].clone();
        for (index, l) in self.sh.s.loops.iter().enumerate() {
            if l.entries.len() == 1 || !l.blocks.contains(&block) {
                continue;
            }
            for (from, stream) in &mut incoming {
                if from.is_some_and(|(b, _)| l.blocks.contains(&b)) {
                    continue;
                }
                let width = self.b.width(stream.data);
                let name = format!("{block}_enter{}", self.entries[index].len());
                let out = Stream::new(&mut self.b, &name, width);
                self.b.assign(out.data, stream.data);
                self.entries[index].push((*stream, out));
                *stream = out;
            }
        }
        incoming
    }

    /// The common gates of loops with several entries.
    pub fn many_entry_gates(&mut self) {
        for (index, l) in self.sh.s.loops.iter().enumerate() {
            let entries = std::mem::take(&mut self.entries[index]);
            if entries.is_empty() {
                continue;
            }
            let (n, exits) = (entries.len() as u32, self.exit_count(index).max(1));
            let name = format!("{}_gates", l.header);
            let pulses = self.b.net(&format!("{}_exits", l.header), exits);
            self.exit_nets[index] = Some(pulses);
            let ready = self.b.net(&format!("{name}_ready"), n);
            let valid = self.b.net(&format!("{name}_valid"), n);
            let all = |f: &dyn Fn(&(Stream, Stream)) -> Net| {
                Expr::concat(entries.iter().rev().map(|e| Expr::Net(f(e))).collect())
            };
            let (s_valid, m_ready) = (all(&|e| e.0.valid), all(&|e| e.1.ready));
            self.b
                .instance("clhls_loop_gates", &format!("u_{name}"))
                .param("LIMIT", l.limit)
                .param("ENTRIES", n)
                .param("EXITS", exits)
                .input("s_valid", s_valid)
                .output("s_ready", ready)
                .output("m_valid", valid)
                .input("m_ready", m_ready)
                .input("exit_pulse", pulses)
                .done();
            for (k, (outside, inside)) in entries.iter().enumerate() {
                let (r, v) = (self.b.slice(ready, k as u32, 1), self.b.slice(valid, k as u32, 1));
                self.b.assign(outside.ready, r);
                self.b.assign(inside.valid, v);
            }
        }
    }

    /// Several streams into one; at the head of a loop the first has priority.
    fn merge(&mut self, block: Block, what: &str, streams: &[Stream], layout: &Layout) -> Stream {
        if let [only] = streams {
            return *only;
        }
        // A tree of merges of at most four inputs keeps the arbiters shallow.
        if streams.len() > 4 {
            let parts: Vec<Stream> = streams
                .chunks(4)
                .enumerate()
                .map(|(k, c)| self.merge(block, &format!("{what}{k}"), c, layout))
                .collect();
            return self.merge(block, what, &parts, layout);
        }
        let out = Stream::new(&mut self.b, &format!("{block}_{what}"), layout.width());
        let n = streams.len() as u32;
        let high_first = |f: &dyn Fn(&Stream) -> Net| {
            Expr::concat(streams.iter().rev().map(|s| Expr::Net(f(s))).collect())
        };
        let (valids, datas) = (high_first(&|s| s.valid), high_first(&|s| s.data));
        let readies = self.b.net(&format!("{block}_{what}_readies"), n);
        // The back edge of a loop goes first. Elsewhere the choice is a register: made in the same cycle it stood between the condition
        // of a branch and every bit of the token, which left a kernel 104 instead of 120 MHz on ECP5.
        let module = if what == "loop" { "clhls_merge" } else { "clhls_merge_parked" };
        self.b
            .instance(module, &format!("u_{block}_{what}"))
            .param("N", n)
            .param("WIDTH", layout.width())
            .input("s_valid", valids)
            .output("s_ready", readies)
            .input("s_data", datas)
            .output("m_valid", out.valid)
            .input("m_ready", out.ready)
            .output("m_data", out.data)
            .done();
        for (k, s) in streams.iter().enumerate() {
            let bit = self.b.slice(readies, k as u32, 1);
            self.b.assign(s.ready, bit);
        }
        out
    }

    /// A FIFO behind a stream.
    pub fn fifo(&mut self, name: &str, s: Stream, width: u32, depth: u32) -> Stream {
        self.any_fifo(name, s, (width, depth), None)
    }

    /// The same for a writer that owns a place for each word, so that nobody asks whether there is one.
    pub fn owned_fifo(&mut self, name: &str, s: Stream, width: u32, depth: u32) -> Stream {
        self.any_fifo(name, s, (width, depth), Some("OWNED"))
    }

    /// The same for words that nobody wants for the next five cycles: who brings and who takes them may be far from the block RAMs.
    pub fn late_fifo(&mut self, name: &str, s: Stream, width: u32, depth: u32) -> Stream {
        self.any_fifo(name, s, (width, depth), Some("LATE"))
    }

    /// Two places, of latency 1, for the words that come to, or out of, segment `k` of a block: neither side sees the other's handshake in the same
    /// cycle. Before a loop it is a queue: whether the loop takes a word, its back edges and its gate say late, and of a queue this
    /// reaches a few registers and not those of the words (`conv3x3`: 126 instead of 112 MHz on ECP5, with the gate's own ready).
    pub fn apart(&mut self, name: &str, s: Stream, (block, k): (Block, u32)) -> Stream {
        let width = self.b.width(s.data);
        if !self.enters_loop(block, k) {
            return self.fifo(name, s, width, 2);
        }
        let words = (s.valid.into(), Some(s.ready), s.data.into());
        self.buffer("clhls_queue", name, words, &[]).0
    }

    /// Whether what comes out of segment `k` of a block goes on to a loop that holds several tokens, whatever it is.
    fn enters_loop(&self, block: Block, k: u32) -> bool {
        let s = self.sh.s;
        let Terminator::Jump(target) = &s.func.blocks[block].term else { return false };
        let enters = |l: &schedule::LoopSchedule| {
            let inside = |b: &Block| l.blocks.contains(b);
            inside(&target.block) && !inside(&block) && !s.pipelined.contains_key(&l.header)
        };
        let last = s.blocks[block].segments.len() == k as usize + 1;
        last && s.accesses_behind(block, k).is_empty() && s.loops.iter().any(enters)
    }

    fn any_fifo(
        &mut self,
        name: &str,
        s: Stream,
        (width, depth): (u32, u32),
        flag: Option<&str>,
    ) -> Stream {
        let out = Stream::new(&mut self.b, &format!("{name}_q"), width);
        let mut fifo = self.b.instance("clhls_fifo", &format!("u_{name}"));
        fifo = fifo.param("WIDTH", width).param("DEPTH", depth);
        if let Some(flag) = flag {
            fifo = fifo.param(flag, true);
        }
        fifo.param("TARGET", rtl::Param::Text(self.sh.target.to_owned()))
            .input("s_valid", s.valid)
            .output("s_ready", s.ready)
            .input("s_data", s.data)
            .output("m_valid", out.valid)
            .input("m_ready", out.ready)
            .output("m_data", out.data)
            .done();
        out
    }

    fn gate(&mut self, block: Block, index: usize, s: Stream) -> Stream {
        let l = &self.sh.s.loops[index];
        let width = self.b.width(s.data);
        let out = Stream::new(&mut self.b, &format!("{block}_gate"), width);
        let exits = self.exit_count(index).max(1);
        let pulses = self.b.net(&format!("{block}_exits"), exits);
        self.exit_nets[index] = Some(pulses);
        self.b
            .instance("clhls_loop_gate", &format!("u_{block}_gate"))
            .param("LIMIT", l.limit)
            .param("EXITS", exits)
            .input("s_valid", s.valid)
            .output("s_ready", s.ready)
            .output("m_valid", out.valid)
            .input("m_ready", out.ready)
            .input("exit_pulse", pulses)
            .done();
        self.b.assign(out.data, s.data);
        self.channel(format!("admission to the loop at {block}"), block, s);
        out
    }

    /// Edges that leave a loop.
    fn exit_count(&self, index: usize) -> u32 {
        let l = &self.sh.s.loops[index];
        let leaves = |b: &Block| {
            let out = self.sh.cfg.succs[*b].iter().filter(|t| !l.blocks.contains(t)).count();
            let ends = self.sh.s.func.blocks[*b].term.targets().is_empty();
            out as u32 + u32::from(ends)
        };
        l.blocks.iter().map(leaves).sum()
    }

    /// Connects the loops' counters to their exits.
    pub fn loop_counters(&mut self) {
        for (k, pulses) in std::mem::take(&mut self.exit_pulses).into_iter().enumerate() {
            let Some(net) = self.exit_nets[k] else { continue };
            let e = if pulses.is_empty() {
                Expr::bit(false)
            } else {
                Expr::concat(pulses.into_iter().rev().collect())
            };
            self.b.assign(net, e);
        }
    }

    fn barrier(&mut self, block: Block, s: Stream, layout: &Layout) -> Stream {
        let o = &self.sh.s.occupancy;
        let out = Stream::new(&mut self.b, &format!("{block}_released"), layout.width());
        let waiting = self.b.net(&format!("{block}_waiting"), 1);
        let (slot, lid) = (layout.slot(&self.b, s.data), layout.lid(&self.b, s.data));
        self.b
            .instance("clhls_barrier", &format!("u_{block}_barrier"))
            .param("WIDTH", layout.width())
            .param("SLOTS", o.slots)
            .param("WG_MAX", o.max_work_group_size.max(1))
            .param("SLOT_BITS", o.slot_bits.max(1))
            .param("LID_BITS", o.lid_bits.max(1))
            .param("TARGET", rtl::Param::Text(self.sh.target.to_owned()))
            .input("group_size", self.group_size)
            .input("s_valid", s.valid)
            .output("s_ready", s.ready)
            .input("s_data", s.data)
            .input("s_slot", slot)
            .input("s_lid", lid)
            .output("m_valid", out.valid)
            .input("m_ready", out.ready)
            .output("m_data", out.data)
            .open("m_slot")
            .open("m_lid")
            .output("waiting", waiting)
            .done();
        self.waiting.push(waiting);
        self.barrier_channel(block, out, waiting);
        out
    }
}
