//! Boundaries between segments: accesses are issued from a token, and their answers joined with it.

use crate::core::Core;
use crate::memory::{self, Answer, Request};
use crate::onchip;
use crate::operation::net;
use crate::token::{Layout, Stream};
use ir::{Block, Inst, Value};
use rtl::{Expr, Net, Param};
use schedule::MemoryKind;

/// Accesses at a boundary from which on their requests wait in queues of their own. A token that goes to fewer is offered to all of
/// them and leaves when the last has taken it: one gate over all their readies, whose nets grow long with many.
const QUEUED_FROM: usize = 4;
/// Streams from which on a token is joined of queues that tell beforehand whether they have a word (`clhls_gather`), for the same reason.
const GATHERED_FROM: usize = 4;
/// Places for the tokens beside queued requests none of which is answered.
const BESIDE_QUEUES: u32 = 4;

/// One of the ways that a token goes at a boundary.
struct Way {
    /// The token is there for this way.
    valid: Expr,
    /// Driven by who takes it.
    ready: Net,
    /// Its taker is full a cycle before it takes no more (`clhls_broadcast`).
    early: bool,
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
        let accesses = self.accesses(block, k);
        if accesses.is_empty() {
            return (s, layout);
        }
        let carried: Vec<Value> = layout.values().collect();
        let live = self.exit_values(block, k + 1, &carried);
        // What segment k + 1 itself uses leaves boundary k as well.
        let live = self.entry_values(block, k + 1, &carried, live);
        let live_layout = Layout::new(&self.sh.s.func, &self.sh.s.occupancy, &live)
            .with_first(layout.has_first());
        let name = format!("{block}_m{k}");
        let (ways, rest) = self.ways(&name, s, &accesses);
        let mut responses: Vec<(Inst, Stream)> = vec![];
        let mut depth = 0;
        for (&inst, way) in accesses.iter().zip(ways) {
            let answer = self.issue(inst, s.data, &layout, way);
            depth = depth.max(answer.depth);
            if let Some(stream) = answer.stream {
                responses.push((inst, stream));
            }
        }
        let stream = Stream::new(&mut self.b, &format!("{name}_rest"), live_layout.width());
        let packed = {
            let b = &self.b;
            live_layout.pack(layout.ids(b, s.data), |v| {
                layout.field(b, s.data, v).unwrap_or(Expr::bit(false))
            })
        };
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
                ("TARGET", Param::Text(self.sh.target.to_owned())),
            ];
            let rest = (rest.valid.into(), rest.ready, rest.data.into());
            let (beside, more) = self.buffer("clhls_fifo_ahead", &beside, rest, &params);
            (beside, gathered.then_some(more))
        } else {
            (self.fifo(&beside, rest, live_layout.width(), depth), None)
        };
        if responses.is_empty() {
            return (beside, live_layout);
        }
        self.channel(format!("work-items waiting for memory in {block}"), block, beside);
        self.join(&name, (block, k), (beside, more), &live_layout, &responses)
    }

    /// The ways of a token at a boundary: one for each access, and that of the token itself.
    fn ways(&mut self, name: &str, s: Stream, accesses: &[Inst]) -> (Vec<Way>, Way) {
        let waits: Vec<bool> = accesses.iter().map(|i| self.may_wait(*i)).collect();
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

    /// Whether an access may wait in a queue in front of its unit. Where it is answered, the token comes back behind it. A store without
    /// an answer is one that nothing of its work-item comes after: in device memory the launch waits for it, but an on-chip place may
    /// belong to the next work-item as soon as the token is gone, so the memory has to take it before.
    fn may_wait(&self, inst: Inst) -> bool {
        let s = self.sh.s;
        let access = &s.accesses[&inst];
        let device = matches!(s.memories[access.memory].kind, MemoryKind::Device { .. });
        device || access.has_response()
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

    /// A buffer that says whether another word follows the first: an instance of `module` between two streams.
    fn buffer(
        &mut self,
        module: &str,
        name: &str,
        (valid, ready, data): (Expr, Net, Expr),
        params: &[(&str, Param)],
    ) -> (Stream, Net) {
        let width = self.b.expr_width(&data);
        let out = Stream::new(&mut self.b, &format!("{name}_q"), width);
        let more = self.b.net(&format!("{name}_more"), 1);
        let mut buffer = self.b.instance(module, &format!("u_{name}")).param("WIDTH", width);
        for (name, value) in params {
            buffer = buffer.param(name, value.clone());
        }
        buffer
            .input("s_valid", valid)
            .output("s_ready", ready)
            .input("s_data", data)
            .output("m_valid", out.valid)
            .output("m_more", more)
            .input("m_ready", out.ready)
            .output("m_data", out.data)
            .done();
        (out, more)
    }

    /// Connects an access to its memory, through a queue where its way asks for one.
    fn issue(&mut self, inst: Inst, token: Net, layout: &Layout, way: Way) -> Answer {
        let mut request = self.request(inst, token, layout, &way);
        if way.early {
            request = self.queue(inst, request);
        }
        self.memories.connect(&mut self.b, self.sh, inst, request)
    }

    /// The operands of an access as expressions over the token.
    fn request(&mut self, inst: Inst, token: Net, layout: &Layout, way: &Way) -> Request {
        let args = self.sh.s.func.insts[inst].args.clone();
        let operands = args.iter().map(|v| self.value(*v, token, layout)).collect();
        Request {
            valid: way.valid.clone(),
            ready: way.ready,
            operands,
            slot: layout.slot(&self.b, token),
            lid: layout.lid(&self.b, token),
        }
    }

    /// A request behind a queue that holds those bits of it that differ between tokens and that its memory looks at.
    fn queue(&mut self, inst: Inst, mut r: Request) -> Request {
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
        let words = (r.valid, r.ready, packed);
        let (out, _) = self.buffer("clhls_queue", &name, words, &[("EARLY", true.into())]);
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
        Request {
            valid: out.valid.into(),
            ready: out.ready,
            operands: r.operands,
            slot: r.slot,
            lid: r.lid,
        }
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
                    let words = (answer.valid.into(), answer.ready, answer.data.into());
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
            let out = self.fifo(&format!("{name}_apart"), out, layout.width(), 2);
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
