//! Boundaries between segments: accesses are issued from a token, and their answers joined with it.

use crate::core::{Core, Exit};
use crate::memory::{self, Request};
use crate::onchip;
use crate::operation::net;
use crate::token::{Layout, Stream};
use ir::{Block, Inst, Value};
use rtl::{Expr, Net, Param};
use schedule::{MemoryKind, ON_CHIP_LATENCY};

/// Accesses at a boundary from which on their requests wait in queues of their own. A token that goes to fewer is offered to all of
/// them and leaves when the last has taken it: one gate over all their readies, whose nets grow long with many.
const QUEUED_FROM: usize = 4;
/// Streams from which on a token is joined of queues that tell beforehand whether they have a word (`clhls_gather`), for the same reason.
const GATHERED_FROM: usize = 4;
/// Places for the tokens beside queued requests none of which is answered.
const BESIDE_QUEUES: u32 = 4;

/// Of the FIFOs of tokens that wait for answers, which come later than the tokens: what takes a token joins it with all answers, and is far
/// from the block RAMs.
const LATE: (&str, Param) = ("LATE", Param::Int(1));

/// Words of a `clhls_queue`.
const QUEUE_PLACES: u32 = 16;
/// Cycles from the end of a segment, over an on-chip access, until its control knows that the token is gone.
const ON_CHIP_TURN: u32 = ON_CHIP_LATENCY + 5;

/// One of the ways that a token goes at a boundary.
struct Way {
    /// The token is there for this way.
    valid: Expr,
    /// Driven by who takes it.
    ready: Net,
    /// Its taker is full a cycle before it takes no more (`clhls_broadcast`).
    early: bool,
}

/// What a token has for one of its accesses.
struct Fields {
    operands: Vec<Expr>,
    slot: Expr,
    lid: Expr,
}

impl Fields {
    /// The request of it.
    fn request(self, valid: Expr, ready: Net) -> Request {
        Request { valid, ready, operands: self.operands, slot: self.slot, lid: self.lid }
    }
}

/// Whether so many answers and the token beside them are joined by `clhls_gather`; registers follow then.
pub fn is_gathered(answers: usize) -> bool {
    answers + 1 >= GATHERED_FROM
}

impl Core<'_> {
    /// Issues the accesses behind segment `k` and joins their answers with the token.
    pub fn boundary(
        &mut self,
        block: Block,
        k: u32,
        s: Stream,
        layout: Layout,
    ) -> (Stream, Layout) {
        let accesses = self.sh.s.accesses_behind(block, k);
        if accesses.is_empty() {
            return (s, layout);
        }
        let live_layout = self.beside_layout(block, k, &layout);
        let name = format!("{block}_m{k}");
        let (ways, rest) = self.ways(&name, s, &accesses);
        let mut responses: Vec<(Inst, Stream)> = vec![];
        let mut depth = 0;
        for (&inst, way) in accesses.iter().zip(ways) {
            let fields = self.fields(inst, s.data, &layout);
            let request = if way.early {
                self.queue(inst, (way.valid, Some(way.ready), fields), QUEUE_PLACES).0
            } else {
                fields.request(way.valid, way.ready)
            };
            let answer = self.memories.connect(&mut self.b, self.sh, inst, request);
            depth = depth.max(answer.depth);
            if let Some(stream) = answer.stream {
                responses.push((inst, stream));
            }
        }
        let stream = Stream::new(&mut self.b, &format!("{name}_rest"), live_layout.width());
        let packed = self.pack_beside(s.data, &layout, &live_layout);
        self.b.assign(stream.data, packed);
        self.b.assign(stream.valid, rest.valid);
        self.b.assign(rest.ready, stream.ready);
        let (rest, early) = (stream, rest.early);
        if responses.is_empty() && !early {
            return (rest, live_layout);
        }
        let depth = if responses.is_empty() { BESIDE_QUEUES } else { depth };
        let gathered = is_gathered(responses.len());
        let beside = format!("{name}_beside");
        let (beside, more) = if early || gathered {
            let params = [
                // One place is kept for the token that comes late.
                ("DEPTH", (depth + u32::from(early)).into()),
                ("EARLY", early.into()),
                LATE,
                ("TARGET", Param::Text(self.sh.target.to_owned())),
            ];
            let rest = (rest.valid.into(), Some(rest.ready), rest.data.into());
            let (beside, more) = self.buffer("clhls_fifo_ahead", &beside, rest, &params);
            (beside, gathered.then_some(more))
        } else {
            (self.late_fifo(&beside, rest, live_layout.width(), depth), None)
        };
        if responses.is_empty() {
            return (beside, live_layout);
        }
        self.waiting_channel(block, beside);
        self.join(&name, (block, k), (beside, more), &live_layout, &responses)
    }

    /// A segment and the boundary behind it without a FIFO between them: a token starts when the queue of each access and the one in
    /// which it waits for the answers have a place for it ([`schedule::KernelSchedule::reserves_exit`]).
    pub fn reserved_boundary(&mut self, block: Block, k: u32, exit: Exit) -> (Stream, Layout) {
        let seg = &self.sh.s.blocks[block].segments[k as usize];
        let (latency, places) = (seg.latency, seg.control.blocked_capacity());
        let places = places.max(QUEUE_PLACES);
        let live_layout = self.beside_layout(block, k, &exit.layout);
        let name = format!("{block}_m{k}");
        let (mut pops, mut responses) = (vec![], vec![]);
        let mut waiting = 0;
        for inst in self.sh.s.accesses_behind(block, k) {
            let fields = self.fields(inst, exit.data, &exit.layout);
            let (request, pop) = self.queue(inst, (exit.done.clone(), None, fields), places);
            pops.push(pop);
            let access = &self.sh.s.accesses[&inst];
            let on_chip = self.sh.s.memories[access.memory].kind.is_on_chip();
            let answer = self.memories.connect(&mut self.b, self.sh, inst, request);
            waiting = waiting.max(if on_chip {
                // Full rate; what a LUT RAM and a register have costs no more.
                (latency + ON_CHIP_TURN).max(QUEUE_PLACES + 1)
            } else {
                places + answer.depth
            });
            responses.extend(answer.stream.map(|s| (inst, s)));
        }
        let packed = self.pack_beside(exit.data, &exit.layout, &live_layout);
        let params = [
            ("DEPTH", waiting.into()),
            ("OWNED", true.into()),
            LATE,
            ("TARGET", Param::Text(self.sh.target.to_owned())),
        ];
        let words = (exit.done.clone(), None, packed);
        let (beside, more) =
            self.buffer("clhls_fifo_ahead", &format!("{name}_beside"), words, &params);
        let mut exits = vec![Expr::all([Expr::Net(beside.valid), beside.ready.into()])];
        exits.append(&mut pops);
        self.start_control(block, k, &exit, (waiting, places), exits);
        self.waiting_channel(block, beside);
        let more = is_gathered(responses.len()).then_some(more);
        self.join(&name, (block, k), (beside, more), &live_layout, &responses)
    }

    fn waiting_channel(&mut self, block: Block, beside: Stream) {
        self.channel(format!("work-items waiting for memory in {block}"), block, beside);
    }

    /// What goes on beside the accesses behind segment `k`.
    fn beside_layout(&mut self, block: Block, k: u32, layout: &Layout) -> Layout {
        let carried: Vec<Value> = layout.values().collect();
        let live = self.exit_values(block, k + 1, &carried);
        // What segment k + 1 itself uses leaves boundary k as well.
        let live = self.entry_values(block, k + 1, &carried, live);
        self.layout(&live).with_first(layout.has_first())
    }

    /// Those fields of a token that go on.
    fn pack_beside(&self, token: Net, from: &Layout, to: &Layout) -> Expr {
        let b = &self.b;
        to.pack(from.ids(b, token), |v| from.field(b, token, v).unwrap_or(Expr::bit(false)))
    }

    /// The ways of a token at a boundary: one for each access, and that of the token itself.
    fn ways(&mut self, name: &str, s: Stream, accesses: &[Inst]) -> (Vec<Way>, Way) {
        let plan = self.sh.s;
        let waits: Vec<bool> = accesses.iter().map(|i| plan.may_wait(&plan.accesses[i])).collect();
        let queued = waits.iter().filter(|w| **w).count();
        if queued < QUEUED_FROM {
            let mut all = self.split(name, s.valid.into(), s.ready, accesses.len() + 1, false);
            let rest = all.pop().expect("one more than accesses");
            return (all, rest);
        }
        let direct = accesses.len() - queued;
        let (at_once, valid, ready) = match direct {
            0 => (vec![], s.valid.into(), s.ready),
            _ => {
                let mut all = self.split(name, s.valid.into(), s.ready, direct + 1, false);
                let others = all.pop().expect("one more than accesses");
                (all, others.valid, others.ready)
            }
        };
        let mut later = self.split(name, valid, ready, queued + 1, true);
        let rest = later.pop().expect("one more than queues");
        let (mut at_once, mut later) = (at_once.into_iter(), later.into_iter());
        let mut next = |wait: bool| if wait { later.next() } else { at_once.next() };
        (waits.iter().map(|w| next(*w).expect("a way for each access")).collect(), rest)
    }

    /// The ways of a token to `n` takers: each at its own time, or `early`, all at once when each has a place.
    fn split(&mut self, name: &str, valid: Expr, ready: Net, n: usize, early: bool) -> Vec<Way> {
        let n = n as u32;
        let (kind, width) = if early { ("broadcast", 1) } else { ("fork", n) };
        let valids = self.b.net(&format!("{name}_{kind}_valid"), width);
        let readies = self.b.net(&format!("{name}_{kind}_ready"), n);
        self.b
            .instance(&format!("clhls_{kind}"), &format!("u_{name}_{kind}"))
            .param("N", n)
            .input("s_valid", valid)
            .output("s_ready", ready)
            .output("m_valid", valids)
            .input("m_ready", readies)
            .done();
        let ways: Vec<Way> = (0..n)
            .map(|j| {
                let ready = self.b.net(&format!("{name}_{kind}{j}_ready"), 1);
                let valid = if early { valids.into() } else { self.b.slice(valids, j, 1) };
                Way { valid, ready, early }
            })
            .collect();
        let bits = ways.iter().rev().map(|w| Expr::Net(w.ready)).collect();
        self.b.assign(readies, Expr::concat(bits));
        ways
    }

    /// A buffer that says whether another word follows the first: an instance of `module` between two streams. Without `ready` the writer
    /// knows that there is a place.
    pub fn buffer(
        &mut self,
        module: &str,
        name: &str,
        (valid, ready, data): (Expr, Option<Net>, Expr),
        params: &[(&str, Param)],
    ) -> (Stream, Net) {
        let width = self.b.expr_width(&data);
        let out = Stream::new(&mut self.b, &format!("{name}_q"), width);
        let more = self.b.net(&format!("{name}_more"), 1);
        let mut buffer = self.b.instance(module, &format!("u_{name}")).param("WIDTH", width);
        for (name, value) in params {
            buffer = buffer.param(name, value.clone());
        }
        buffer = buffer.input("s_valid", valid);
        buffer = match ready {
            Some(ready) => buffer.output("s_ready", ready),
            None => buffer.open("s_ready"),
        };
        buffer
            .input("s_data", data)
            .output("m_valid", out.valid)
            .output("m_more", more)
            .input("m_ready", out.ready)
            .output("m_data", out.data)
            .done();
        (out, more)
    }

    /// What a token has for an access.
    fn fields(&self, inst: Inst, token: Net, layout: &Layout) -> Fields {
        let args = &self.sh.s.func.insts[inst].args;
        let operands = args.iter().map(|v| self.value(*v, token, layout)).collect();
        let (slot, lid) = (layout.slot(&self.b, token), layout.lid(&self.b, token));
        Fields { operands, slot, lid }
    }

    /// A request behind a queue that holds those bits of it that differ between tokens and that its memory looks at, and the pulse with
    /// which a word leaves the queue. Without a net for readiness the writer knows that there is one of `places` free.
    fn queue(
        &mut self,
        inst: Inst,
        (valid, ready, mut r): (Expr, Option<Net>, Fields),
        places: u32,
    ) -> (Request, Expr) {
        let s = self.sh.s;
        let access = &s.accesses[&inst];
        let mem = &s.memories[access.memory];
        let on_chip = matches!(mem.kind, MemoryKind::Local | MemoryKind::Private);
        let address_bits = match mem.kind {
            MemoryKind::Device { .. } => self.sh.address_bits,
            _ if on_chip => onchip::address_bits(mem),
            _ => u32::MAX,
        };
        let args = &s.func.insts[inst].args;
        let differs = |v: &Value| self.sh.travels(*v) && s.func.as_const(*v).is_none();
        let mut fields: Vec<&mut Expr> = vec![];
        let mut kept: Vec<u32> = vec![];
        for (j, (e, v)) in r.operands.iter_mut().zip(args).enumerate() {
            if differs(v) {
                kept.push(if j == 0 { address_bits } else { u32::MAX });
                fields.push(e);
            }
        }
        if on_chip && s.occupancy.slot_bits > 0 {
            kept.push(u32::MAX);
            fields.push(&mut r.slot);
        }
        if on_chip && s.occupancy.lid_bits > 0 {
            kept.push(u32::MAX);
            fields.push(&mut r.lid);
        }
        let b = &mut self.b;
        let widths: Vec<u32> = fields.iter().map(|e| b.expr_width(e)).collect();
        let parts = fields.iter().zip(&widths).zip(&kept).map(|((e, width), kept)| {
            let whole = net(b, (**e).clone());
            b.slice(whole, 0, *width.min(kept))
        });
        let parts: Vec<Expr> = parts.rev().collect();
        let packed = if parts.is_empty() { Expr::bit(false) } else { Expr::concat(parts) };
        let name = format!("queue{}", memory::site(self.sh, inst));
        let words = (valid, ready, packed);
        let early = ("EARLY", true.into());
        let (out, _) = if places > QUEUE_PLACES {
            let target = ("TARGET", Param::Text(self.sh.target.to_owned()));
            // Whoever is not told whether there is a place owns one.
            let kind = if ready.is_none() { ("OWNED", true.into()) } else { early };
            let params = [("DEPTH", places.into()), kind, target];
            self.buffer("clhls_fifo_ahead", &name, words, &params)
        } else {
            self.buffer("clhls_queue", &name, words, &[early])
        };
        let mut lo = 0;
        for ((e, width), kept) in fields.into_iter().zip(widths).zip(kept) {
            let bits = width.min(kept);
            let low = self.b.slice(out.data, lo, bits);
            *e = match width - bits {
                0 => low,
                above => Expr::Concat(vec![Expr::Const(above, 0), low]),
            };
            lo += bits;
        }
        let pop = Expr::all([Expr::Net(out.valid), out.ready.into()]);
        (r.request(out.valid.into(), out.ready), pop)
    }

    /// Of the values carried over a boundary, those that the next segment or anything later uses.
    fn entry_values(
        &self,
        block: Block,
        next: u32,
        carried: &[Value],
        later: Vec<Value>,
    ) -> Vec<Value> {
        let mut used: base::FxHashSet<Value> = later.into_iter().collect();
        for (inst, _) in self.body(block, next) {
            used.extend(self.sh.s.func.insts[inst].args.iter().copied());
        }
        if let Some(p) = self.sh.s.pipelined.get(&block) {
            let all = crate::looped::carried_values(&self.sh.s.func, block, p);
            used.extend(all.into_iter().filter(|(segment, _)| *segment == next).map(|(_, v)| v));
        }
        carried.iter().copied().filter(|v| used.contains(v)).collect()
    }

    /// The tokens `beside` with the answers to their accesses. Where it is said whether another token follows the first, readiness
    /// is gathered.
    fn join(
        &mut self,
        name: &str,
        (block, k): (Block, u32),
        (beside, more): (Stream, Option<Net>),
        live: &Layout,
        responses: &[(Inst, Stream)],
    ) -> (Stream, Layout) {
        let s = self.sh.s;
        let results: Vec<Value> =
            responses.iter().filter_map(|(i, _)| s.func.insts[*i].result).collect();
        let live_results = self.exit_values(block, k + 1, &results);
        let results = self.entry_values(block, k + 1, &results, live_results);
        let all: Vec<Value> = live.values().chain(results.iter().copied()).collect();
        let layout = Layout::new(&s.func, &s.occupancy, &all).with_first(live.has_first());
        let out = Stream::new(&mut self.b, &format!("{name}_joined"), layout.width());
        let gathered = more.is_some();
        let mut parts = vec![beside];
        match more {
            None => {
                parts.extend(responses.iter().map(|(_, s)| *s));
                self.together(&parts, out);
            }
            Some(more) => {
                let mut mores = vec![more];
                for &(inst, answer) in responses {
                    let name = format!("answer{}", memory::site(self.sh, inst));
                    let words = (answer.valid.into(), Some(answer.ready), answer.data.into());
                    let (answer, more) = self.buffer("clhls_queue", &name, words, &[]);
                    parts.push(answer);
                    mores.push(more);
                }
                self.gather(name, &parts, mores, out);
            }
        }
        let packed = layout.pack(live.ids(&self.b, beside.data), |v| {
            if let Some(e) = live.field(&self.b, beside.data, v) {
                return e;
            }
            let from = responses.iter().position(|(i, _)| s.func.insts[*i].result == Some(v));
            from.map_or(Expr::bit(false), |j| self.b.slice(parts[j + 1].data, 0, s.func.bits(v)))
        });
        self.b.assign(out.data, packed);
        if gathered {
            // Queues show their words behind LUT RAM: what follows counts on registers.
            let out = self.apart(&format!("{name}_apart"), out, (block, k + 1));
            return (out, layout);
        }
        (out, layout)
    }

    /// Lets words go when all streams have one and `out` is taken, by one gate.
    fn together(&mut self, parts: &[Stream], out: Stream) {
        self.b.assign(out.valid, Expr::all(parts.iter().map(|p| Expr::Net(p.valid))));
        for (j, p) in parts.iter().enumerate() {
            let others = parts.iter().enumerate().filter(|(m, _)| *m != j);
            let others = others.map(|(_, q)| Expr::Net(q.valid));
            self.b.assign(p.ready, Expr::all(others.chain([out.ready.into()])));
        }
    }

    /// The same by a register.
    fn gather(&mut self, name: &str, parts: &[Stream], more: Vec<Net>, out: Stream) {
        let ready = self.b.net(&format!("{name}_gathered"), 1);
        let valid = parts.iter().rev().map(|p| p.valid.into()).collect();
        self.b
            .instance("clhls_gather", &format!("u_{name}_gather"))
            .param("N", parts.len() as u32)
            .input("s_valid", Expr::concat(valid))
            .input("s_more", Expr::concat(more.into_iter().rev().map(Expr::Net).collect()))
            .output("s_ready", ready)
            .output("m_valid", out.valid)
            .input("m_ready", out.ready)
            .done();
        for p in parts {
            self.b.assign(p.ready, ready);
        }
    }
}
