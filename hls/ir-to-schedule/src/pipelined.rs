//! Loops of one block in single work-item kernels: overlapping iterations.
//!
//! Each loop-carried value stays in a register of the segment that uses and computes it, so the
//! loop's interval is the length of the longest recurrence, not of the whole body. Values that
//! are needed earlier than they are computed (a pointer loaded from memory) go back to the
//! entry, and the next iteration waits for them.

use crate::segments::{Cutter, exit_depth};
use crate::{hazards, timed};
use base::{FxHashMap, FxHashSet, SmallVec};
use ir::analysis::{Carried, back_edge, read_params};
use ir::{Block, Function, Inst, Op, PipeOp, Speculation, Terminator, Value, ValueDef};
use schedule::{
    AccessKind, Bound, Control, Feedback, KernelSchedule, Late, MemoryId, Moment, OpTiming, Order,
    PipelinedLoop, Place,
};
use target::{Family, OpKind};

/// An operand that is a loop-carried value comes through a multiplexer: first iteration or
/// register.
pub fn add_feedback_mux(
    func: &Function,
    block: Block,
    inst: Inst,
    timing: &mut OpTiming,
    family: &Family,
) {
    if back_edge(func, block).is_none() {
        return;
    }
    let carried = func.insts[inst]
        .args
        .iter()
        .any(|a| matches!(func.values[*a].def, ValueDef::Param(b, _) if b == block));
    if carried {
        timing.entry_ns = family.delay_ns(OpKind::Mux { ways: 2 }, 1);
    }
}

/// For a block that loops on itself: the segment before which a loop-carried value should not be
/// used, so that it is used where it is computed and its recurrence stays in one segment.
/// Values whose computation needs a memory access that in turn needs them are left out.
pub fn least_segments(s: &Cutter<'_>, block: Block) -> FxHashMap<Value, u32> {
    let mut least: FxHashMap<Value, u32> = FxHashMap::default();
    let Some(back) = back_edge(s.func, block) else { return least };
    let params = &s.func.blocks[block].params;
    let next = s.func.blocks[block].term.targets()[back].args.clone();
    // those that a parameter becomes in the next iteration
    let mut becomes: FxHashMap<Value, SmallVec<[Value; 1]>> = FxHashMap::default();
    for (p, n) in params.iter().zip(&next).filter(|(_, n)| s.func.def_inst(**n).is_none()) {
        becomes.entry(*n).or_default().push(*p);
    }
    let mut given_up: FxHashSet<Value> = FxHashSet::default();
    let mut rounds = 0;
    loop {
        let (at, _) = s.cut(block, &least);
        let segment = |v: Value| match s.func.def_inst(v) {
            Some(i) => at.get(&i).map_or(0, |k| k + u32::from(s.is_boundary(i))),
            None => least.get(&v).copied().unwrap_or(0),
        };
        let least_of =
            |least: &FxHashMap<Value, u32>, p: &Value| least.get(p).copied().unwrap_or(0);
        let raised: Vec<(Value, u32)> = params
            .iter()
            .zip(&next)
            .map(|(p, n)| (*p, segment(*n)))
            .filter(|(p, k)| !given_up.contains(p) && *k > least_of(&least, p))
            .collect();
        let Some(&(worst, _)) = raised.iter().max_by_key(|(_, k)| *k) else { return least };
        rounds += 1;
        if rounds > params.len() + 1 {
            // Raising goes round in a circle through memory: this value goes back to the entry.
            given_up.insert(worst);
            least.clear();
            rounds = 0;
            continue;
        }
        // a window over data is moved along as a whole
        let mut open = raised;
        while let Some((p, k)) = open.pop() {
            if !given_up.contains(&p) && k > least_of(&least, &p) {
                least.insert(p, k);
                open.extend(becomes.get(&p).into_iter().flatten().map(|q| (*q, k)));
            }
        }
    }
}

/// Plans every block that loops on itself. `conflicts` are accesses whose order from iteration to iteration matters.
pub fn plan(s: &mut KernelSchedule, conflicts: &[(Inst, Inst)]) {
    for block in s.func.layout.clone() {
        let Some(mut p) = plan_block(s, block) else { continue };
        p.order = order(s, block, conflicts);
        let own = own_interval(s, block, &p);
        for segment in &mut s.blocks[block].segments {
            segment.ii = own;
            // The issuer of overlapping iterations counts on credits.
            if segment.control == Control::Enabled {
                segment.control = Control::StallFree { depth: exit_depth(segment.latency) };
            }
        }
        s.pipelined.insert(block, p);
    }
}

/// Whether accesses of a block must keep their order from iteration to iteration.
pub fn conflict(func: &Function, block: Block, conflicts: &[(Inst, Inst)]) -> bool {
    let insts = &func.blocks[block].insts;
    conflicts.iter().any(|(a, _)| insts.contains(a))
}

/// Where a placed block's accesses stand whose order from iteration to iteration matters, and how many iterations there are from one to the
/// next: what is known of memory ([`ir::LoopHint::dependency_length`]) says nothing of packets.
pub fn order(s: &KernelSchedule, block: Block, conflicts: &[(Inst, Inst)]) -> Option<Order> {
    let data = &s.func.blocks[block];
    let own = conflicts.iter().filter(|(a, _)| data.insts.contains(a));
    let own: Vec<Inst> = own.flat_map(|(a, b)| [*a, *b]).collect();
    let packets = own.iter().any(|i| matches!(s.accesses[i].kind, AccessKind::Pipe(_)));
    let distance = if packets { 1 } else { data.hint.dependency_length.max(1) };
    let places = own.iter().filter_map(|i| match s.place[*i] {
        Some(Place::Boundary { segment }) => Some(segment),
        _ => None,
    });
    let (from, to) = (places.clone().min()?, places.max()?);
    Some(Order { distance, from, to })
}

/// Cycles between two iterations that the loop's registers, its condition and its accesses in segments allow.
pub fn own_interval(s: &KernelSchedule, block: Block, p: &PipelinedLoop) -> u32 {
    timed::ports_interval(s, block, without_ports(s, block, p))
}

/// [`own_interval`], if each access had a port for itself.
pub fn without_ports(s: &KernelSchedule, block: Block, p: &PipelinedLoop) -> u32 {
    let registers = p.feedback.iter().map(Feedback::interval);
    let condition = (!p.speculated && p.condition.segment == 0).then_some(p.condition.cycle + 1);
    let turns = s.in_turn.iter().filter_map(|t| timed::turn_interval(s, block, t));
    registers.chain(condition).chain(turns).max().unwrap_or(1).max(1)
}

/// Where a loop-carried value is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// By an instruction; an access reads its operands at the end of the segment before it.
    Inst(Inst),
    /// At the end of the block.
    Terminator,
}

/// Readers of each parameter of a block that loops on itself: its users, and those of the
/// parameters that take it over, which must find it in its register before the next value is. Those in `distant` do not
/// take over: they come out of queues.
pub fn readers(func: &Function, block: Block, distant: &Distant) -> FxHashMap<Value, Vec<Reader>> {
    let params = &func.blocks[block].params;
    let mut out: FxHashMap<Value, Vec<Reader>> = params.iter().map(|p| (*p, vec![])).collect();
    let note = |out: &mut FxHashMap<Value, Vec<Reader>>, v: Value, r: Reader| {
        if let Some(list) = out.get_mut(&v).filter(|list| !list.contains(&r)) {
            list.push(r);
        }
    };
    for &inst in &func.blocks[block].insts {
        func.insts[inst].args.iter().for_each(|a| note(&mut out, *a, Reader::Inst(inst)));
    }
    func.blocks[block].term.for_each_use(|v| note(&mut out, v, Reader::Terminator));
    let carried = Carried::new(func, block);
    let mut open: Vec<Value> = params.clone();
    while let Some(p) = open.pop() {
        let next = carried.next(p).filter(|n| p != *n && !distant.contains_key(&p));
        let Some(n) = next.filter(|n| out.contains_key(n)) else { continue };
        let before = out[&n].len();
        for r in out[&p].clone() {
            note(&mut out, n, r);
        }
        if out[&n].len() > before {
            open.push(n);
        }
    }
    out
}

/// Parameters whose values are several iterations old, with what they were then and how many.
pub type Distant = FxHashMap<Value, (Value, u32)>;

/// Parameters of a block that loops on itself that take over from others and come out of queues:
///
/// * those by whose values what comes in at the other end of these is computed: `c` of `a' = f(c), b' = a, c' = b`. What `c` needs was
///   computed 3 iterations before, so that many can be under way;
/// * those that are many iterations older than the next one that is read, as in a window that slides over rows of an image: a memory is
///   smaller than the registers.
pub fn distant(func: &Function, block: Block) -> Distant {
    let carried = Carried::new(func, block);
    let read = read_params(func, block);
    let mut out = Distant::default();
    for &param in func.blocks[block].params.iter().filter(|p| read.contains(p)) {
        let (chain, end) = carried.taken_over(param);
        let recurrence = end.filter(|_| chain.len() > 1);
        if let Some(end) = recurrence.filter(|end| depends(func, block, *end, param)) {
            out.insert(param, (end, chain.len() as u32));
            continue;
        }
        let delayed = carried.delayed(param, |v| read.contains(&v));
        if let Some((end, distance)) = delayed.filter(|(_, d)| is_long(func, param, *d)) {
            out.insert(param, (end, distance));
        }
    }
    out
}

/// Fewest iterations, and fewest bits of the registers in between, for which a queue is smaller: its counters cost as much as some forty bits.
const LEAST_QUEUE: (u32, u32) = (4, 96);

/// Whether a value that is so many iterations old is better in a memory than in registers.
fn is_long(func: &Function, param: Value, distance: u32) -> bool {
    let (iterations, bits) = LEAST_QUEUE;
    distance >= iterations && (distance - 1).saturating_mul(func.bits(param)) >= bits
}

/// Whether a value is computed from another one in the same iteration.
fn depends(func: &Function, block: Block, value: Value, on: Value) -> bool {
    let insts = &func.blocks[block].insts;
    let mut found = FxHashSet::default();
    found.insert(on);
    for &inst in insts {
        let data = &func.insts[inst];
        if data.args.iter().any(|a| found.contains(a)) {
            found.extend(data.result);
        }
    }
    found.contains(&value)
}

/// When a reader reads.
fn moment(s: &KernelSchedule, block: Block, reader: Reader) -> Moment {
    let segments = &s.blocks[block].segments;
    let last = segments.len() as u32 - 1;
    match reader {
        Reader::Inst(inst) => match s.place[inst] {
            Some(Place::Segment { segment, cycle }) => Moment { segment, cycle },
            Some(Place::Boundary { segment }) => {
                Moment { segment, cycle: segments[segment as usize].latency }
            }
            _ => Moment::default(),
        },
        Reader::Terminator => Moment { segment: last, cycle: segments[last as usize].latency },
    }
}

/// When a loop-carried value is read that only those behind the loop use: in the last segment, and there when what takes its place stands, so that
/// this does not wait for the reading, nor the next iteration for this. `read` is when the values stand that the block reads.
fn unread(
    s: &KernelSchedule,
    block: Block,
    param: Value,
    carried: &Carried,
    read: &FxHashMap<Value, Moment>,
) -> Moment {
    let last = s.blocks[block].segments.len() as u32 - 1;
    let (chain, end) = carried.taken_over(param);
    let taken = chain.iter().find_map(|p| read.get(p).copied());
    let next = taken.or_else(|| end.map(|n| known(s, block, n)));
    let cycle = next.filter(|n| n.segment == last).map_or(0, |n| n.cycle);
    Moment { segment: last, cycle }
}

/// The plan of a block whose instructions have places, if it loops on itself and its iterations
/// may overlap; whether they conflict in memory is not looked at.
pub fn plan_block(s: &KernelSchedule, block: Block) -> Option<PipelinedLoop> {
    let func = &s.func;
    let back = back_edge(func, block)?;
    let waits = |i: &Inst| matches!(func.insts[*i].op, Op::Barrier(..) | Op::Fence(_));
    if func.blocks[block].insts.iter().any(waits) {
        return None;
    }
    let params = &func.blocks[block].params;
    let next = &func.blocks[block].term.targets()[back].args;
    let carried = Carried::new(func, block);
    let mut distant = distant(func, block);
    let moments = |distant: &Distant| -> FxHashMap<Value, Moment> {
        let lists = readers(func, block, distant);
        let first = |list: &[Reader]| list.iter().map(|r| moment(s, block, *r)).min();
        let read: FxHashMap<Value, Moment> =
            lists.iter().filter_map(|(p, list)| Some((*p, first(list)?))).collect();
        let or_unread = |p: Value| {
            read.get(&p).copied().unwrap_or_else(|| unread(s, block, p, &carried, &read))
        };
        lists.keys().map(|p| (*p, or_unread(*p))).collect()
    };
    let mut read = moments(&distant);
    // What only a later segment computes goes back to the entry, an iteration at a time, and what stands in the cycle in which
    // it is read passes one register after the other.
    loop {
        let before = distant.len();
        distant.retain(|p, (end, distance)| {
            let at = read[p];
            match carried.next(*end) {
                Some(_) => read[end].segment <= at.segment,
                None => {
                    let end = known(s, block, *end);
                    let later = end.segment == at.segment && end.cycle > at.cycle;
                    later || is_long(func, *p, *distance) && end.segment <= at.segment
                }
            }
        });
        if distant.len() == before {
            break;
        }
        // Without these others are read earlier.
        read = moments(&distant);
    }
    let stands = |v: Value| read.get(&v).copied().unwrap_or_else(|| known(s, block, v));
    let speculated = func.blocks[block].hint.speculation == Speculation::On;
    let mut out = PipelinedLoop { exit_on_true: back == 1, speculated, ..Default::default() };
    let way = |p: Value| distant.get(&p).map(|(end, _)| *end).or_else(|| carried.next(p));
    let needed = carried.needed(read_params(func, block), way);
    for (&param, &n) in params.iter().zip(next).filter(|(p, _)| needed.contains(p)) {
        let (n, distance) = distant.get(&param).copied().unwrap_or((n, 1));
        let (at, known) = (read[&param], stands(n));
        if known.segment <= at.segment {
            let ready = if known.segment == at.segment { known.cycle } else { 0 };
            // Not before this iteration has read: the register must not be overtaken.
            let (segment, read, write) = (at.segment, at.cycle, ready.max(at.cycle));
            out.feedback.push(Feedback { param, next: n, distance, segment, read, write });
        } else {
            out.late.push(Late { param, next: n, known });
        }
    }
    if let Terminator::Branch { cond, .. } = func.blocks[block].term {
        out.condition = stands(cond);
    }
    Some(out)
}

/// When a value stands: in the block's schedule, or from the start.
fn known(s: &KernelSchedule, block: Block, v: Value) -> Moment {
    let Some(inst) = s.func.def_inst(v) else { return Moment::default() };
    if !s.func.blocks[block].insts.contains(&inst) {
        return Moment::default();
    }
    match s.place[inst] {
        Some(Place::Segment { segment, cycle }) => {
            Moment { segment, cycle: cycle + s.timing[inst].latency }
        }
        Some(Place::Boundary { segment }) => Moment { segment: segment + 1, cycle: 0 },
        _ => Moment::default(),
    }
}

/// The pipe at which a block does two things whose order matters from an iteration to the next.
fn pipe_of_two(s: &KernelSchedule, block: Block) -> Option<(&str, PipeOp)> {
    let accesses = s.func.blocks[block].insts.iter().filter_map(|i| s.accesses.get(i));
    let mut before: Vec<(MemoryId, PipeOp)> = vec![];
    for access in accesses {
        let AccessKind::Pipe(op) = access.kind else { continue };
        if before.iter().any(|(m, other)| *m == access.memory && other.keeps_order_with(op)) {
            return Some((&s.memories[access.memory].name, op));
        }
        before.push((access.memory, op));
    }
    None
}

/// Why iterations wait for the accesses of those before, which take so many `cycles`.
fn in_order(s: &KernelSchedule, block: Block, order: Order, cycles: u32) -> String {
    if let Some((pipe, op)) = pipe_of_two(s, block) {
        let (what, edit) = match op.by_position() {
            Some(true) => (
                "its reservations, writes and commits have to stay in order",
                "reserve and commit outside of the loop, and write once in it",
            ),
            _ => (
                "the packets of the next iteration come behind",
                "make one packet of them, or use two pipes",
            ),
        };
        return format!(
            "each iteration waits for {cycles} cycles of the one before: it reads or writes pipe `{pipe}` more than once, and \
             {what}; {edit}"
        );
    }
    let (first, second) = meeting(s, block, order);
    let remedy = "declare pointers `restrict`, or the loop `ivdep` if they cannot";
    match order.distance {
        1 => format!(
            "each iteration waits for {cycles} cycles of the one before: {first} and {second} may touch the same bytes in \
             different iterations; {remedy}"
        ),
        n => format!(
            "{n} iterations share the {cycles} cycles from the first to the last of their accesses to memory: {first} and {second} may \
             touch the same bytes {n} iterations apart; {remedy}"
        ),
    }
}

/// Two accesses of those that keep an order, for people: the first of which one writes.
fn meeting(s: &KernelSchedule, block: Block, order: Order) -> (String, String) {
    let inside = |i: &Inst| match s.place[*i] {
        Some(Place::Boundary { segment }) => (order.from..=order.to).contains(&segment),
        _ => false,
    };
    let insts = s.func.blocks[block].insts.iter().copied().filter(inside);
    let all: Vec<Inst> = insts.filter(|i| s.accesses.contains_key(i)).collect();
    let args = s.func.kernel.as_ref().map_or(&[][..], |k| &k.args);
    let restrict = |k: u32| args.get(k as usize).is_some_and(|a| a.restrict);
    let meet = |a: Inst, b: Inst| {
        let (x, y) = (&s.accesses[&a], &s.accesses[&b]);
        let apart = match (x.argument, y.argument) {
            (Some(m), Some(n)) => m != n && (restrict(m) || restrict(n)),
            _ => false,
        };
        let loads = x.kind == AccessKind::Load && y.kind == AccessKind::Load;
        !loads && x.memory == y.memory && !apart
    };
    let name = |i: Inst| {
        let access = &s.accesses[&i];
        let argument = access.argument.and_then(|k| args.get(k as usize));
        let of = argument.map_or(&s.memories[access.memory].name, |a| &a.name);
        format!("{} in `{of}`", operation(&s.func, i))
    };
    let pairs = all.iter().enumerate().flat_map(|(k, a)| all[k + 1..].iter().map(|b| (*a, *b)));
    match pairs.into_iter().find(|(a, b)| meet(*a, *b)) {
        Some((a, b)) => (name(a), name(b)),
        None => ("a store".to_owned(), "another access".to_owned()),
    }
}

/// The interval of a pipelined loop and the reason for it. `latency` is that of an iteration, `between_accesses` what an iteration takes
/// from the first to the last of its accesses that keep an order.
pub fn interval(
    s: &KernelSchedule,
    block: Block,
    p: &PipelinedLoop,
    latency: u32,
    between_accesses: impl Fn(Order) -> u32,
) -> (u32, String) {
    let name = |v: Value| describe(s, block, v);
    if let Some(late) = p.late.iter().max_by_key(|l| l.known) {
        let text = format!(
            "the next iteration needs {} from a memory access of this one ({latency} cycles)",
            name(late.next)
        );
        return (latency, text);
    }
    if p.waits_for_memory() {
        let text = format!("the exit condition depends on a memory access ({latency} cycles)");
        return (latency, text);
    }
    let ii = s.blocks[block].segments[0].ii;
    let ahead = match (p.speculated, p.condition.segment) {
        (false, _) => String::new(),
        (true, 0) => said_ahead(p.condition.cycle + 1),
        (true, _) => said_ahead(latency),
    };
    if let Some(order) = p.order {
        let cycles = between_accesses(order);
        let waits = cycles.div_ceil(order.distance);
        if waits > ii {
            return (waits, in_order(s, block, order, cycles));
        }
    }
    let held = hazards::said(s, block).map_or(String::new(), |text| format!("; {text}"));
    let ahead = ahead + &held;
    if ii == 1 {
        return (1, format!("one iteration a cycle{ahead}"));
    }
    let of_accesses = match s.bound.get(&block) {
        Some(Bound::Ports) => Some(timed::said_of_ports(s, block, ii)),
        Some(Bound::Turns { .. }) => timed::said_of_turns(s, block, ii),
        None => None,
    };
    if let Some(text) = of_accesses.filter(|_| own_interval(s, block, p) == ii) {
        return (ii, text + &ahead);
    }
    let slowest = p.feedback.iter().max_by_key(|f| f.interval());
    let text = match slowest.filter(|f| f.interval() == ii) {
        Some(f) if f.distance > 1 => format!(
            "the recurrence of {} takes {} cycles, in which {} iterations begin",
            name(f.next),
            f.write + Feedback::turnaround(f.distance) - f.read,
            f.distance
        ),
        Some(f) => format!(
            "the recurrence of {} takes {ii} cycles from register to register",
            name(f.next)
        ),
        None if own_interval(s, block, p) < ii => crate::forms::slowest(s, &[block]).1,
        None if without_ports(s, block, p) < ii => timed::said_of_ports(s, block, ii),
        None if let Some(text) = timed::said_of_turns(s, block, ii) => text,
        None => format!("the exit condition takes {ii} cycles"),
    };
    (ii, text + &ahead)
}

/// What is said of iterations that begin ahead of the condition of the one that so many cycles before began.
fn said_ahead(cycles: u32) -> String {
    format!("; iterations begin up to {cycles} cycles before it is known whether there are any")
}

/// A value for people: the operation that makes it.
fn describe(s: &KernelSchedule, block: Block, v: Value) -> String {
    match s.func.def_inst(v) {
        Some(i) => operation(&s.func, i),
        None => format!("a value of {block}"),
    }
}

/// An operation for people.
pub fn operation(func: &Function, inst: Inst) -> String {
    let loc = func.insts[inst].loc;
    let at = if loc.is_known() { format!(" of line {}", loc.line) } else { String::new() };
    format!("the {}{at}", mnemonic(func.insts[inst].op))
}

/// Name of an operation, such as `fadd`.
fn mnemonic(op: Op) -> String {
    let text = format!("{op:?}");
    text.chars().take_while(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}
