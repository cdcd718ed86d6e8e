//! Pipelined loops: one work-item's iterations as tokens in flight behind one another.
//!
//! The issuer in front of the block's first segment keeps the token that entered the loop and
//! sends it again for each iteration. Loop-carried values are registers of the segments that
//! compute them; the token's copies are their values in the first iteration.

use crate::core::{Core, SegmentDatapath, Shared};
use crate::pipeline::Pipeline;
use crate::token::{Ids, Layout, Stream};
use base::FxHashMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Terminator, Value};
use rtl::{Binary, Expr, ModuleBuilder, Net};
use schedule::{Feedback, KernelSchedule, PipelinedLoop};

/// Bits that count the iterations of a loop in flight: all places of its channels together have fewer.
const IN_FLIGHT_BITS: u32 = 16;

/// Whether a token of a stream goes on in this cycle.
fn taken(s: Stream) -> Expr {
    Expr::all([Expr::Net(s.valid), s.ready.into()])
}

/// What must be known of an iteration before the next one is issued.
#[derive(Default)]
pub struct LoopEvents {
    /// The condition, with its strobe.
    condition: Option<(Expr, Net)>,
    /// Values that go back to the entry, by the parameters that they become: strobe and value, in the order in which segments tell them.
    late: Vec<(Value, Expr, Net)>,
}

impl LoopEvents {
    /// Nets for what segment `k` tells the issuer: port name and net. `valid` are the
    /// segment's valid bits.
    pub fn segment_outputs(
        &mut self,
        b: &mut ModuleBuilder,
        s: &KernelSchedule,
        block: Block,
        k: u32,
        valid: Net,
    ) -> Vec<(String, Net)> {
        let mut out = vec![];
        let p = &s.pipelined[&block];
        if p.condition.segment == k {
            let net = b.net(&format!("{block}_condition"), 1);
            self.condition = Some((b.slice(valid, p.condition.cycle, 1), net));
            out.push(("condition".to_owned(), net));
        }
        for (j, late) in p.late.iter().enumerate().filter(|(_, l)| l.known.segment == k) {
            let net = b.net(&format!("{block}_late{j}"), s.func.bits(late.next));
            self.late.push((late.param, b.slice(valid, late.known.cycle, 1), net));
            out.push((format!("late{j}"), net));
        }
        out
    }
}

/// The condition of a block's branch.
fn condition(s: &KernelSchedule, block: Block) -> Option<Value> {
    match s.func.blocks[block].term {
        Terminator::Branch { cond, .. } => Some(cond),
        _ => None,
    }
}

/// Parameters of pipelined loops that begin with one value for the whole launch, and that value: tokens need not bring it.
pub fn uniform_beginnings(s: &KernelSchedule, cfg: &Cfg) -> FxHashMap<Value, Value> {
    let mut out = FxHashMap::default();
    for block in s.pipelined.keys() {
        let entries = cfg.preds[*block].iter().filter(|from| *from != block);
        let calls: Vec<_> = entries
            .flat_map(|from| s.func.blocks[*from].term.targets())
            .filter(|call| call.block == *block)
            .collect();
        for (k, param) in s.func.blocks[*block].params.iter().enumerate() {
            let Some(first) = calls.first().map(|call| call.args[k]) else { continue };
            let one = calls.iter().all(|call| same(&s.func, call.args[k], first));
            if one && !crate::core::travels(s, first) {
                out.insert(*param, first);
            }
        }
    }
    out
}

/// Whether two values are known to be the same.
fn same(func: &Function, a: Value, b: Value) -> bool {
    a == b || func.as_const(a).is_some_and(|c| func.as_const(b) == Some(c))
}

/// Values that a segment of a pipelined loop reads besides its instructions' operands.
pub fn values_read(sh: &Shared<'_>, (block, k): (Block, u32), p: &PipelinedLoop) -> Vec<Value> {
    let s = sh.s;
    let here = || p.feedback.iter().filter(|f| f.segment == k);
    let mut out: Vec<Value> = here().map(|f| f.next).collect();
    let begins = here().flat_map(|f| f.chain(&s.func, block));
    out.extend(begins.filter_map(|v| sh.begins_with.get(&v)));
    out.extend(p.late.iter().filter(|l| l.known.segment == k).map(|l| l.next));
    out.extend(condition(s, block).filter(|_| p.condition.segment == k));
    out
}

/// Parameters that no token brings to segment `k` of a block, because it is the first that reads them and knows what they begin with.
pub fn begun(sh: &Shared<'_>, block: Block, k: u32) -> Vec<Value> {
    let Some(p) = sh.s.pipelined.get(&block) else { return vec![] };
    let here = p.feedback.iter().filter(|f| f.segment == k).map(|f| f.param);
    here.filter(|v| sh.begins_with.contains_key(v)).collect()
}

/// Values that a pipelined loop hands from iteration to iteration, each with the segment that needs it: what becomes of a parameter, and
/// what the parameters begin with.
pub fn carried_values(func: &Function, block: Block, p: &PipelinedLoop) -> Vec<(u32, Value)> {
    let mut out: Vec<(u32, Value)> = vec![];
    for f in &p.feedback {
        out.push((f.segment, f.next));
        out.extend(f.chain(func, block).into_iter().map(|v| (f.segment, v)));
    }
    out.extend(p.late.iter().map(|l| (l.known.segment, l.next)));
    out
}

/// Loop-carried values of segment `k`: the token's in the first iteration, the register's after.
pub fn read_feedback(
    b: &mut ModuleBuilder,
    p: &mut Pipeline,
    sh: &Shared<'_>,
    l: &PipelinedLoop,
    (block, k): (Block, u32),
    ids: &[Ids],
) {
    let here = || l.feedback.iter().filter(|f| f.segment == k);
    // What the tokens carry, before the parameters become the registers' values.
    let queues: Vec<Vec<Expr>> = here().map(|f| initial_values(b, p, sh, block, f)).collect();
    for (f, initial_values) in here().zip(queues) {
        let n = f.param.as_u32();
        let initial = p.at(b, sh.begins_with.get(&f.param).copied().unwrap_or(f.param), f.read);
        let register = b.net(&format!("v{n}_feedback"), sh.s.func.bits(f.param));
        let first = ids[f.read as usize].first.clone();
        if f.distance > 1 {
            // The queue's other side is connected when what is written stands.
            for (what, e) in [("first", first.clone()), ("initial", Expr::concat(initial_values))] {
                b.wire(&format!("v{n}_{what}"), e);
            }
        }
        let value = b.wire(&format!("v{n}_carried"), first.mux(initial, register.into()));
        p.enter_at(f.param, f.read, value);
    }
}

/// The values that a parameter from a queue has in the second iteration and those behind it that find nothing in the queue yet,
/// the last one first: what the parameters that it takes over began with, as the token at the reader has them. One value where all begin
/// with the same in every launch.
fn initial_values(
    b: &mut ModuleBuilder,
    p: &mut Pipeline,
    sh: &Shared<'_>,
    block: Block,
    f: &Feedback,
) -> Vec<Expr> {
    if f.distance == 1 {
        return vec![];
    }
    let chain = f.chain(&sh.s.func, block);
    let values = chain.iter().skip(1).rev();
    let uniform = |v: &Value| sh.begins_with.get(v).copied();
    if let Some(one) = chain.get(1).and_then(uniform) {
        let alike = |v: &Value| uniform(v).is_some_and(|other| same(&sh.s.func, one, other));
        if chain[1..].iter().all(alike) {
            return vec![p.at(b, one, f.read)];
        }
    }
    let initial = |v: &Value| match sh.begins_with.get(v) {
        Some(uniform) => p.at(b, *uniform, f.read),
        None => p.entered(b, *v, f.read),
    };
    values.map(initial).collect()
}

/// The registers of [`read_feedback`], and what the issuer is told.
pub fn write_feedback(
    b: &mut ModuleBuilder,
    p: &mut Pipeline,
    sh: &Shared<'_>,
    d: &SegmentDatapath,
    l: &PipelinedLoop,
    valid: Net,
    ids: &[Ids],
) {
    let s = sh.s;
    for f in l.feedback.iter().filter(|f| f.segment == d.k) {
        let next = p.at(b, f.next, f.write);
        let name = format!("v{}_feedback", f.param.as_u32());
        let Some(register) = b.find(&name) else { continue };
        let strobe = b.slice(valid, f.write, 1);
        match f.distance {
            1 => b.register(register, next, Some(strobe), None),
            _ => queue(
                b,
                (f, sh.target),
                register,
                valid,
                (strobe, ids[f.write as usize].first.clone(), next),
            ),
        }
    }
    if l.condition.segment == d.k
        && let Some(cond) = condition(s, d.block)
    {
        let e = p.at(b, cond, l.condition.cycle);
        let out = b.output("condition", 1);
        b.assign(out, e);
    }
    for (j, late) in l.late.iter().enumerate().filter(|(_, x)| x.known.segment == d.k) {
        let e = p.at(b, late.next, late.known.cycle);
        let out = b.output(&format!("late{j}"), s.func.bits(late.next));
        b.assign(out, e);
    }
}

/// The queue of a value that is carried over several iterations.
fn queue(
    b: &mut ModuleBuilder,
    (f, target): (&Feedback, &str),
    register: Net,
    valid: Net,
    (write, write_first, next): (Expr, Expr, Expr),
) {
    let n = f.param.as_u32();
    let width = b.width(register);
    let read = b.slice(valid, f.read, 1);
    let of_reader = |b: &ModuleBuilder, what: &str| match b.find(&format!("v{n}_{what}")) {
        Some(net) => Expr::Net(net),
        None => unreachable!("v{n} was read"),
    };
    let (read_first, initial) = (of_reader(b, "first"), of_reader(b, "initial"));
    let uniform = b.find(&format!("v{n}_initial")).is_some_and(|net| b.width(net) == width);
    b.instance("clhls_carry", &format!("u_v{n}_queue"))
        .param("WIDTH", width)
        .param("DISTANCE", f.distance)
        .param("UNIFORM", uniform)
        .param("BLOCK", uniform && f.distance > Feedback::MOST_IN_LUTRAM)
        .param("TARGET", rtl::Param::Text(target.to_owned()))
        .input("read", read)
        .input("read_first", read_first)
        .input("initial_data", initial)
        .output("read_data", register)
        .input("write", write)
        .input("write_first", write_first)
        .input("write_data", next)
        .without_reset()
        .done();
}

/// Lets iterations come to accesses whose order matters only while there are few enough between those and the last of them.
pub struct Gate {
    /// Those that are let through.
    pub passed: Stream,
    /// An iteration leaves the last access; to be connected.
    left: Net,
}

impl Core<'_> {
    /// A gate for `most` iterations at a time. A token waits in front of it only for older ones behind it, which need nothing of those that
    /// wait; so nothing blocks that would not block without it.
    pub fn order_gate(&mut self, block: Block, most: u32, s: Stream, width: u32) -> Gate {
        let b = &mut self.b;
        let passed = Stream::new(b, &format!("{block}_in_order"), width);
        let left = b.net(&format!("{block}_order_left"), 1);
        let bits = u32::BITS - most.leading_zeros();
        let inside = b.net(&format!("{block}_order_inside"), bits);
        let room = b.net(&format!("{block}_order_room"), 1);
        b.assign(passed.valid, Expr::all([Expr::Net(s.valid), room.into()]));
        b.assign(s.ready, Expr::all([Expr::Net(passed.ready), room.into()]));
        b.assign(passed.data, Expr::Net(s.data));
        let entered = taken(passed);
        let count = |e: Expr| match bits {
            1 => e,
            _ => Expr::concat(vec![Expr::Const(bits - 1, 0), e]),
        };
        let more = Expr::bin(Binary::Add, inside.into(), count(entered));
        let next = Expr::bin(Binary::Sub, more, count(left.into()));
        let next = b.wire(&format!("{block}_order_next"), next);
        b.register(inside, next.into(), None, Some(0));
        let full = Expr::bin(Binary::Eq, next.into(), Expr::Const(bits, most.into()));
        b.register(room, full.not(), None, Some(1));
        self.channel(format!("iterations of the loop at {block} in front of memory"), block, s);
        Gate { passed, left }
    }

    /// Tells a gate that an iteration has left the last access when a stream's reader takes it.
    pub fn open_behind(&mut self, gate: &Gate, s: Stream) {
        self.b.assign(gate.left, taken(s));
    }

    /// A block that loops on itself, with overlapping iterations.
    pub fn pipelined_loop(
        &mut self,
        block: Block,
        p: &PipelinedLoop,
        entry: Stream,
        layout: Layout,
        edges: &[Option<Stream>],
    ) {
        // What begins with one value for the launch comes from the issuer, if it does not stay in a segment.
        let brought =
            p.late.iter().map(|l| l.param).filter(|v| self.sh.begins_with.contains_key(v));
        let values: Vec<Value> = layout.values().chain(brought).collect();
        let token = self.layout(&values).with_first(true);
        let issued = Stream::new(&mut self.b, &format!("{block}_issue"), token.width());
        let busy = self.b.net(&format!("{block}_busy"), 1);
        let known = self.b.net(&format!("{block}_known"), 1);
        let mut events = LoopEvents::default();
        let (end, end_layout) = self.segments(block, issued, token.clone(), Some(&mut events));
        self.terminator(block, end, &end_layout, edges);
        let (go_on, all_ended) = if p.speculated {
            let all_ended = self.iterations_in_flight(block, issued, end);
            (self.track_ahead(block, &events, issued, busy, known), Some(all_ended))
        } else {
            (self.track(block, p, &events, issued, busy, known), None)
        };
        // Issue: the entering token, or the kept one when the loop goes on.
        let b = &mut self.b;
        let again = Expr::all([busy.into(), known.into(), go_on.into()]);
        // What enters next must not find words of iterations ahead in the queue of a carried value.
        let queues = p.feedback.iter().any(|f| f.distance > 1);
        let drained = all_ended.filter(|_| queues).map(Expr::Net);
        let open = || std::iter::once(Expr::Net(busy).not()).chain(drained.clone());
        let fresh = Expr::all(open().chain([entry.valid.into()]));
        b.assign(issued.valid, Expr::any([fresh, again]));
        b.assign(entry.ready, Expr::all(open().chain([issued.ready.into()])));
        let taken = taken(issued);
        let first = Expr::all([Expr::Net(busy).not(), taken.clone()]);
        let kept = b.net(&format!("{block}_kept"), layout.width());
        b.register(kept, entry.data.into(), Some(first.clone()), None);
        let over = Expr::all([known.into(), Expr::Net(go_on).not()]);
        let next_busy = Expr::any([first, Expr::all([busy.into(), over.not()])]);
        b.register(busy, next_busy, None, Some(0));
        let late: Vec<(Value, Net)> = events
            .late
            .iter()
            .map(|(param, strobe, net)| {
                let width = b.width(*net);
                let q = b.net(&format!("{block}_back{}", param.as_u32()), width);
                b.register(q, (*net).into(), Some(strobe.clone()), None);
                (*param, q)
            })
            .collect();
        let (func, fixed_values) = (&self.sh.s.func, &self.fixed);
        let fixed = |v: Value| match func.as_const(v) {
            Some(c) => Expr::Const(func.bits(v), c),
            None => fixed_values.expr(v),
        };
        let mut ids = layout.ids(b, entry.data);
        ids.first = Expr::Net(busy).not();
        let packed = token.pack(ids, |v| {
            let fresh = match self.sh.begins_with.get(&v) {
                Some(uniform) => fixed(*uniform),
                None => layout.field(b, entry.data, v).unwrap_or(Expr::bit(false)),
            };
            let again = match late.iter().find(|(p, _)| *p == v) {
                Some((_, q)) => Expr::Net(*q),
                None => layout.field(b, kept, v).unwrap_or(Expr::bit(false)),
            };
            Expr::Net(busy).mux(again, fresh)
        });
        b.assign(issued.data, packed);
        self.channel(format!("iterations of the loop at {block}"), block, issued);
    }

    /// Of a loop whose iterations begin before it is known that there are any: a register that is 1 until one is known to leave. What the
    /// iterations behind that one say is that they do not leave.
    fn track_ahead(
        &mut self,
        block: Block,
        events: &LoopEvents,
        issued: Stream,
        busy: Net,
        known: Net,
    ) -> Net {
        let b = &mut self.b;
        let go_on = b.net(&format!("{block}_go_on"), 1);
        b.assign(known, Expr::bit(true));
        let taken = taken(issued);
        let first = Expr::all([Expr::Net(busy).not(), taken]);
        let leaves = match &events.condition {
            Some((strobe, condition)) => Expr::all([strobe.clone(), Expr::Net(*condition)]),
            None => unreachable!("the loop at {block} has a condition"),
        };
        // A register more, and an iteration: one ahead does nothing.
        let left = b.net(&format!("{block}_left"), 1);
        b.register(left, leaves, None, Some(0));
        let next = Expr::all([Expr::Net(left).not(), Expr::any([first, go_on.into()])]);
        b.register(go_on, next, None, Some(0));
        go_on
    }

    /// Whether all iterations of a loop have ended, those ahead of the condition too: the kernel is not over before.
    fn iterations_in_flight(&mut self, block: Block, issued: Stream, end: Stream) -> Net {
        let b = &mut self.b;
        let count = b.net(&format!("{block}_in_flight"), IN_FLIGHT_BITS);
        let moved = |s: Stream| Expr::concat(vec![Expr::Const(IN_FLIGHT_BITS - 1, 0), taken(s)]);
        let more = Expr::bin(Binary::Add, count.into(), moved(issued));
        let next = Expr::bin(Binary::Sub, more, moved(end));
        let next = b.wire(&format!("{block}_in_flight_next"), next);
        b.register(count, next.into(), None, Some(0));
        let none = Expr::bin(Binary::Eq, next.into(), Expr::Const(IN_FLIGHT_BITS, 0));
        let all_ended = b.net(&format!("{block}_all_ended"), 1);
        b.register(all_ended, none, None, Some(1));
        self.memories.idle.push(all_ended.into());
        all_ended
    }

    /// Registers that tell whether all that the next iteration needs is known, and whether there
    /// is one. An event of the iteration issued in this cycle counts for that iteration.
    fn track(
        &mut self,
        block: Block,
        p: &PipelinedLoop,
        events: &LoopEvents,
        issued: Stream,
        busy: Net,
        known: Net,
    ) -> Net {
        let b = &mut self.b;
        let taken = taken(issued);
        let go_on = b.net(&format!("{block}_go_on"), 1);
        let mut strobes: Vec<Expr> = events.late.iter().map(|(_, s, _)| s.clone()).collect();
        if let Some((strobe, condition)) = &events.condition {
            let stays =
                if p.exit_on_true { Expr::Net(*condition).not() } else { Expr::Net(*condition) };
            b.register(go_on, stays, Some(strobe.clone()), None);
            strobes.push(strobe.clone());
        }
        let mut flags = vec![];
        for (k, strobe) in strobes.into_iter().enumerate() {
            let flag = b.net(&format!("{block}_known{k}"), 1);
            let kept = Expr::all([flag.into(), taken.clone().not(), busy.into()]);
            b.register(flag, Expr::any([strobe, kept]), None, Some(0));
            flags.push(Expr::Net(flag));
        }
        b.assign(known, Expr::all(flags));
        go_on
    }
}
