//! Executes the instructions of one work-item.

use crate::Argument;
use crate::access::{Memories, PrivateView};
use crate::code::{Code, Decoded, FloatOp, PureOp, Slot, VectorOp};
use crate::eval::{bits32, bits64, eval, fcmp};
use crate::pipe::{PipeFault, Tried};
use crate::polls;
use crate::program::{Kernel, PipeNote};
use crate::watch::{self, Watch};
use base::{Diagnostic, Loc};
use ir::{IntCC, KernelArgKind, PipeOp, Query};

/// Deepest call stack. Recursion is an input error, so this is only reached by malformed modules.
const MAX_CALLS: usize = 256;

/// One function on a work-item's call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub func: u32,
    /// Next instruction.
    pub pc: u32,
    /// First slot in the work-item's registers.
    pub base: u32,
    /// First address and first byte of its private objects.
    pub private_base: u64,
    pub storage_base: u64,
    /// Slot of the caller for the result.
    pub result: Slot,
}

/// A work-item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    pub regs: Vec<u64>,
    pub frames: Vec<Frame>,
    pub private: Vec<u8>,
    pub local_id: [u64; 3],
}

/// The index space, for work-item queries.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    pub work_dim: u64,
    pub global: [u64; 3],
    pub offset: [u64; 3],
    pub enqueued_local: [u64; 3],
    pub num_groups: [u64; 3],
    pub group: [u64; 3],
    /// Size of the group that runs.
    pub local: [u64; 3],
    /// Work-items of a token along dimension 0.
    pub simd_lanes: u64,
}

impl Position {
    fn query(&self, query: Query, dim: usize, local_id: [u64; 3]) -> u64 {
        let global_id = |d: usize| {
            let first = self.group[d] * self.enqueued_local[d] + self.offset[d];
            first.wrapping_add(local_id[d])
        };
        let linear = |id: [u64; 3], size: [u64; 3]| (id[2] * size[1] + id[1]) * size[0] + id[0];
        match query {
            Query::WorkDim => self.work_dim,
            Query::GlobalSize => self.global[dim],
            Query::GlobalId => global_id(dim),
            Query::GlobalOffset => self.offset[dim],
            Query::LocalSize => self.local[dim],
            Query::EnqueuedLocalSize => self.enqueued_local[dim],
            Query::LocalId => local_id[dim],
            Query::NumGroups => self.num_groups[dim],
            Query::GroupId => self.group[dim],
            Query::GlobalLinearId => {
                let id = std::array::from_fn(|d| global_id(d) - self.offset[d]);
                linear(id, self.global)
            }
            Query::LocalLinearId => linear(local_id, self.local),
            Query::LaneMask => (0..self.simd_lanes)
                .filter(|lane| local_id[0].wrapping_add(*lane) < self.local[0])
                .fold(0, |mask, lane| mask | 1 << lane),
        }
    }
}

/// Why a work-item stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It ended.
    Done,
    /// It waits at a barrier, whose instruction is the one before its frame's `pc`.
    Barrier,
    /// Its steps are used up.
    Budget,
    /// A pipe has refused something, as [`Machine::refusal`] says; the launch is to give way.
    Refused,
}

impl Stop {
    /// Whether the work-item has come to a barrier or to its end.
    pub(crate) fn is_end(self) -> bool {
        matches!(self, Stop::Done | Stop::Barrier)
    }
}

/// What a pipe refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub arg: u32,
    /// The work-item waits for this operation, which is its next step; none: it may try again, or not.
    pub waits: Option<PipeOp>,
    /// It has tried too often.
    pub endless: bool,
    /// Packets that the pipe holds, and most packets.
    state: Option<(u32, u32)>,
    place: Loc,
    local_id: [u64; 3],
}

/// Everything that the work-items of a launch share.
pub(crate) struct Machine<'a, 'g> {
    pub functions: &'a [Decoded],
    /// Initial frame contents of each function.
    pub templates: Vec<Vec<u64>>,
    pub memories: Memories<'a, 'g>,
    pub position: Position,
    /// The kernel, for messages about its pipes.
    pub kernel: &'a Kernel,
    /// Number of the launch among those that run together.
    pub launch: usize,
    /// The arguments of the launch.
    pub args: &'a [Argument],
    /// What operations on pipes come to.
    pub watch: Watch,
    /// What is known of the other ends of pipes.
    pub pipe_notes: &'a [PipeNote],
    /// Other launches run too: it gives way to them where a pipe refuses something.
    pub beside: bool,
    /// Why it gives way, or gave way last.
    pub refusal: Option<Refusal>,
}

impl Machine<'_, '_> {
    /// Puts a work-item at the start of the kernel `func`. Its registers stay from its previous
    /// run when it has any: only constants are read before they are written.
    pub(crate) fn start(&self, item: &mut Item, func: u32, local_id: [u64; 3]) {
        let template = &self.templates[func as usize];
        if item.regs.len() < template.len() || item.frames.is_empty() {
            item.regs.clear();
            item.regs.extend_from_slice(template);
        }
        item.local_id = local_id;
        item.private.clear();
        item.private.resize(self.functions[func as usize].private_bytes as usize, 0);
        item.frames.clear();
        item.frames.push(Frame {
            func,
            pc: 0,
            base: 0,
            private_base: crate::decode::GUARD,
            storage_base: 0,
            result: 0,
        });
    }

    /// Runs a work-item for at most `budget` instructions, which are taken off.
    pub(crate) fn run(&mut self, item: &mut Item, budget: &mut u64) -> Result<Stop, Diagnostic> {
        let mut left = *budget;
        let stop = loop {
            match self.run_frame(item, &mut left) {
                Ok(None) => {}
                Ok(Some(stop)) => break Ok(stop),
                Err(e) => break Err(*e),
            }
        };
        *budget = left;
        stop
    }

    /// Runs the top frame until it calls, returns or stops.
    fn run_frame(
        &mut self,
        item: &mut Item,
        budget: &mut u64,
    ) -> Result<Option<Stop>, Box<Diagnostic>> {
        let functions = self.functions;
        let Some(frame) = item.frames.last_mut() else { return Ok(Some(Stop::Done)) };
        let function = &functions[frame.func as usize];
        let regs = &mut item.regs[frame.base as usize..];
        let mut pc = frame.pc as usize;
        let mut left = *budget;
        macro_rules! get {
            ($slot:expr) => {
                regs[$slot as usize]
            };
        }
        macro_rules! private {
            () => {
                PrivateView { bytes: &mut item.private, frames: &item.frames, functions }
            };
        }
        macro_rules! access {
            ($what:literal, $index:expr, $method:ident) => {{
                let op = &function.memory[$index as usize];
                if op.predicate.is_none_or(|p| get!(p) != 0) {
                    if let Err(pointer) = self.memories.$method(private!(), op, regs) {
                        let loc = function.locs[pc - 1];
                        let e = self.memories.fault(private!(), op, $what, pointer, loc);
                        return Err(Box::new(self.locate(e, item.local_id)));
                    }
                } else if $what != "store" {
                    let slots = (op.lanes * op.width.div_ceil(64)) as usize;
                    regs[op.data as usize..][..slots].fill(0);
                }
            }};
        }
        // What an access may change is of interest only behind a refused operation on a pipe.
        macro_rules! watched {
            ($index:expr) => {{
                if self.watch.looks() {
                    let op = &function.memory[$index as usize];
                    let pointer = get!(op.pointer);
                    let word = self.watch.is_word(pointer);
                    (!word).then(|| watch::before(&mut self.memories, private!(), op, pointer))
                } else {
                    None
                }
            }};
        }
        macro_rules! compare {
            ($index:expr, $old:expr) => {
                if let Some(Some(old)) = $old {
                    let op = &function.memory[$index as usize];
                    let pointer = get!(op.pointer);
                    if self.memories.shared_bytes(private!(), op, pointer) != Some(&old[..]) {
                        self.watch.advance();
                    }
                }
            };
        }
        let stop = loop {
            if left == 0 {
                break Some(Stop::Budget);
            }
            left -= 1;
            let code = function.code[pc];
            pc += 1;
            match code {
                Code::Move { d, a } => get!(d) = get!(a),
                Code::Add { s, d, a, b } => get!(d) = low(get!(a).wrapping_add(get!(b)), s),
                Code::Sub { s, d, a, b } => get!(d) = low(get!(a).wrapping_sub(get!(b)), s),
                Code::Mul { s, d, a, b } => get!(d) = low(get!(a).wrapping_mul(get!(b)), s),
                Code::And { d, a, b } => get!(d) = get!(a) & get!(b),
                Code::Or { d, a, b } => get!(d) = get!(a) | get!(b),
                Code::Xor { d, a, b } => get!(d) = get!(a) ^ get!(b),
                Code::Not { s, d, a } => get!(d) = low(!get!(a), s),
                Code::Shl { s, d, a, b } => {
                    let n = get!(b);
                    get!(d) = if n < width(s) { low(get!(a) << n, s) } else { 0 };
                }
                Code::LShr { s, d, a, b } => {
                    let n = get!(b);
                    get!(d) = if n < width(s) { get!(a) >> n } else { 0 };
                }
                Code::AShr { s, d, a, b } => {
                    let n = get!(b).min(width(s) - 1);
                    get!(d) = low((signed(get!(a), s) >> n) as u64, s);
                }
                Code::ICmp { cc, s, d, a, b } => {
                    get!(d) = icmp(cc, s, get!(a), get!(b)).into();
                }
                Code::Select { d, c, a, b } => {
                    get!(d) = if get!(c) != 0 { get!(a) } else { get!(b) };
                }
                Code::Sext { from, s, d, a } => get!(d) = low(signed(get!(a), from) as u64, s),
                Code::Slice { lo, s, d, a } => get!(d) = low(get!(a) >> (lo & 63), s),
                Code::Concat { w, d, a, b } => get!(d) = get!(a) << (w & 63) | get!(b),
                Code::F32 { op, d, a, b } => {
                    let (x, y) = (f32::from_bits(get!(a) as u32), f32::from_bits(get!(b) as u32));
                    let z = match op {
                        FloatOp::Add => x + y,
                        FloatOp::Sub => x - y,
                        FloatOp::Mul => x * y,
                        FloatOp::Div => x / y,
                    };
                    get!(d) = bits32(z).into();
                }
                Code::F64 { op, d, a, b } => {
                    let (x, y) = (f64::from_bits(get!(a)), f64::from_bits(get!(b)));
                    let z = match op {
                        FloatOp::Add => x + y,
                        FloatOp::Sub => x - y,
                        FloatOp::Mul => x * y,
                        FloatOp::Div => x / y,
                    };
                    get!(d) = bits64(z);
                }
                Code::Fma32 { d, a, b, c } => {
                    let x = |slot: Slot| f32::from_bits(regs[slot as usize] as u32);
                    let z = x(a).mul_add(x(b), x(c));
                    get!(d) = bits32(z).into();
                }
                Code::Fma64 { d, a, b, c } => {
                    let x = |slot: Slot| f64::from_bits(regs[slot as usize]);
                    let z = x(a).mul_add(x(b), x(c));
                    get!(d) = bits64(z);
                }
                Code::FCmp32 { cc, d, a, b } => {
                    let (x, y) = (f32::from_bits(get!(a) as u32), f32::from_bits(get!(b) as u32));
                    get!(d) = fcmp(cc, x, y).into();
                }
                Code::FCmp64 { cc, d, a, b } => {
                    let (x, y) = (f64::from_bits(get!(a)), f64::from_bits(get!(b)));
                    get!(d) = fcmp(cc, x, y).into();
                }
                Code::Pure(i) => {
                    let op = &function.pure[i as usize];
                    if !pure(op, function, regs, self.memories.addr_bits) {
                        let what = format!("operation {:?} is not supported", op.op);
                        return Err(Box::new(
                            Diagnostic::error("E0509", what).at(function.locs[pc - 1]),
                        ));
                    }
                }
                Code::Vector(i) => vector(&function.vector[i as usize], regs),
                Code::WorkItem { query, dim, d } => {
                    let value = self.position.query(query, dim.into(), item.local_id);
                    get!(d) = if self.memories.addr_bits == 32 { low(value, 32) } else { value };
                }
                Code::PrivateAddr { d, offset } => {
                    let base = item.frames.last().map_or(0, |f| f.private_base);
                    get!(d) = base + u64::from(offset);
                }
                Code::Load(i) => access!("load", i, load),
                Code::Store(i) => {
                    let old = watched!(i);
                    access!("store", i, store);
                    compare!(i, old);
                }
                Code::Atomic(i) => {
                    let pointer = get!(function.memory[i as usize].pointer);
                    if self.beside && self.watch.gives_way(pointer) {
                        pc -= 1;
                        left += 1;
                        break Some(Stop::Refused);
                    }
                    let old = watched!(i);
                    access!("atomic access", i, atomic);
                    compare!(i, old);
                    if self.watch.has_objects()
                        && let Some((arg, endless)) = self.watch.atomic(pointer)
                    {
                        let frames = &item.frames[..item.frames.len() - 1];
                        let place = self.known_place(function.locs[pc - 1], frames);
                        let state = self.occupancy(arg);
                        let local_id = item.local_id;
                        let refusal = Refusal { arg, waits: None, endless, state, place, local_id };
                        self.refusal = Some(refusal);
                        if endless {
                            break Some(Stop::Refused);
                        }
                    }
                }
                Code::Pipe(i) => {
                    let pipe = &function.pipes[i as usize];
                    let depth = depth(self.kernel, pipe.arg);
                    let waits = match pipe.run(self.memories.global, regs, depth) {
                        Ok(Tried::Nothing) => continue,
                        Ok(Tried::Done) => {
                            self.watch.advance();
                            continue;
                        }
                        Ok(Tried::Refused) => None,
                        Err(PipeFault::Waits) => Some(pipe.op),
                        Err(PipeFault::NoPipe) => {
                            let e = self.no_pipe(pipe.arg).at(function.locs[pc - 1]);
                            return Err(Box::new(self.locate(e, item.local_id)));
                        }
                    };
                    let endless = waits.is_none() && self.watch.refuse();
                    if waits.is_some() || endless || self.beside {
                        let state = pipe.occupancy(self.memories.global, regs, depth);
                        let (arg, local_id) = (pipe.arg, item.local_id);
                        let place = function.locs[pc - 1];
                        let refusal = Refusal { arg, waits, endless, state, place, local_id };
                        self.refusal = Some(refusal);
                        if waits.is_some() {
                            pc -= 1;
                            left += 1;
                        }
                        break Some(Stop::Refused);
                    }
                }
                Code::Jump { to } => pc = to as usize,
                Code::Branch { c, then_, else_ } => {
                    pc = if get!(c) != 0 { then_ } else { else_ } as usize;
                }
                Code::Switch(i) => {
                    let table = &function.switches[i as usize];
                    let value = wide(regs, table.a, table.count);
                    let found = table.cases.binary_search_by_key(&value, |c| c.0);
                    pc = found.map_or(table.default, |k| table.cases[k].1) as usize;
                }
                Code::Barrier => break Some(Stop::Barrier),
                Code::Call(i) => {
                    *budget = left;
                    if let Some(top) = item.frames.last_mut() {
                        top.pc = pc as u32;
                    }
                    let loc = function.locs[pc - 1];
                    return self.call(item, i, loc).map(|()| None).map_err(Box::new);
                }
                Code::Return { a, count } => {
                    *budget = left;
                    return Ok(self.ret(item, a, count));
                }
                Code::Unreachable => {
                    let what = "the kernel reached a place that its source declares unreachable";
                    let e = Diagnostic::error("E0506", what).at(function.locs[pc - 1]);
                    return Err(Box::new(self.locate(e, item.local_id)));
                }
            }
        };
        *budget = left;
        if let Some(top) = item.frames.last_mut() {
            top.pc = pc as u32;
        }
        Ok(stop)
    }

    fn call(&self, item: &mut Item, site: u32, loc: Loc) -> Result<(), Diagnostic> {
        let Some(&top) = item.frames.last() else { return Ok(()) };
        let caller = &self.functions[top.func as usize];
        let site = &caller.calls[site as usize];
        if item.frames.len() >= MAX_CALLS {
            return Err(Diagnostic::error("E0507", "calls nest too deeply (recursion?)").at(loc));
        }
        let callee = &self.functions[site.callee as usize];
        let base = item.regs.len();
        item.regs.extend_from_slice(&self.templates[site.callee as usize]);
        for (param, arg) in callee.params.iter().zip(&site.args) {
            item.regs[base + *param as usize] = item.regs[(top.base + arg) as usize];
        }
        let storage_base = item.private.len() as u64;
        item.private.resize(item.private.len() + callee.private_bytes as usize, 0);
        item.frames.push(Frame {
            func: site.callee,
            pc: 0,
            base: base as u32,
            private_base: top.private_base + caller.private_span,
            storage_base,
            result: site.result,
        });
        Ok(())
    }

    /// Leaves the top frame; [`Stop::Done`] when it was the kernel's.
    fn ret(&self, item: &mut Item, a: Slot, count: u32) -> Option<Stop> {
        let callee = *item.frames.last()?;
        if item.frames.len() == 1 {
            return Some(Stop::Done);
        }
        item.frames.pop();
        let caller = *item.frames.last()?;
        let from = (callee.base + a) as usize;
        let to = (caller.base + callee.result) as usize;
        item.regs.copy_within(from..from + count as usize, to);
        item.regs.truncate(callee.base as usize);
        item.private.truncate(callee.storage_base as usize);
        None
    }

    /// The message for an argument that is not the pipe that a connected one is.
    #[cold]
    fn no_pipe(&self, arg: u32) -> Diagnostic {
        let name = self.pipe_name(arg);
        let what = format!("argument `{name}` is no pipe with packets of this size");
        Diagnostic::error("E0505", what)
    }

    fn pipe_name(&self, arg: u32) -> &str {
        self.kernel.info.args.get(arg as usize).map_or("", |a| a.name.as_str())
    }

    /// Packets that a pipe in memory holds, and most packets.
    fn occupancy(&mut self, arg: u32) -> Option<(u32, u32)> {
        let pipe = polls::descriptor(self.args, arg)?;
        let (held, most) = polls::occupancy(self.memories.global, pipe.address, pipe.max_packets)?;
        Some((held, polls::told(held, most, depth(self.kernel, arg))))
    }

    /// What the launch does, for messages about another one that hangs: `waits for a packet of its pipe `in``
    pub(crate) fn doing(&self) -> String {
        let Some(refusal) = self.refusal else { return "runs".into() };
        let does = if refusal.waits.is_some() { "waits for" } else { "tries to get" };
        let name = self.pipe_name(refusal.arg);
        format!("{does} {} of its pipe `{name}`", self.wanted(refusal.arg))
    }

    /// What the operations on a pipe are for.
    fn wanted(&self, arg: u32) -> &'static str {
        let info = self.kernel.info.args.get(arg as usize);
        let writes = info.is_some_and(|a| matches!(a.kind, KernelArgKind::Pipe(p) if p.writes));
        if writes { "room" } else { "a packet" }
    }

    /// The message for a launch that hangs at what was refused last. `states`: what each launch does; `alone`: no other one runs.
    #[cold]
    pub(crate) fn hangs(&self, states: &[String], alone: bool) -> Diagnostic {
        let Some(refusal) = self.refusal else {
            return Diagnostic::error("E0513", "an operation on a pipe is refused for ever");
        };
        let (name, arg) = (&self.kernel.name, refusal.arg);
        let e = match (refusal.waits, self.kernel.info.args.get(arg as usize)) {
            (Some(op), _) => {
                let what = if op.of_writer() == Some(true) { "room" } else { "a packet" };
                let (pipe, holds) = (self.pipe_name(arg), polls::holds(refusal.state));
                let rest = match alone {
                    true => "no other kernel runs",
                    false => "all others that run wait too",
                };
                let text =
                    format!("kernel `{name}` waits for {what} of pipe `{pipe}`{holds}, and {rest}");
                Diagnostic::error("E0512", text)
            }
            (None, Some(info)) => polls::endless(name, info, refusal.state, self.watch.most()),
            (None, None) => {
                Diagnostic::error("E0513", "an operation on a pipe is refused for ever")
            }
        };
        let e = self.with_notes(e, arg, states).at(refusal.place);
        self.locate(e, refusal.local_id)
    }

    /// A place, or that of the innermost call that has one.
    fn known_place(&self, loc: Loc, callers: &[Frame]) -> Loc {
        let call = |f: &Frame| {
            let at = (f.pc as usize).checked_sub(1)?;
            self.functions[f.func as usize].locs.get(at).copied().filter(|l| l.is_known())
        };
        if loc.is_known() { loc } else { callers.iter().rev().find_map(call).unwrap_or(loc) }
    }

    /// Adds what is known of the other end of a pipe.
    fn with_notes(&self, e: Diagnostic, arg: u32, states: &[String]) -> Diagnostic {
        let own = |n: &&PipeNote| n.launch == self.launch && n.arg == arg;
        self.pipe_notes.iter().filter(own).fold(e, |e, n| e.note(n.with_state(states)))
    }

    /// Adds which work-item it was.
    #[cold]
    pub(crate) fn locate(&self, e: Diagnostic, local_id: [u64; 3]) -> Diagnostic {
        let dims = self.position.work_dim as usize;
        let ids = |query| {
            let id: Vec<String> = (0..dims.clamp(1, 3))
                .map(|d| self.position.query(query, d, local_id).to_string())
                .collect();
            id.join(", ")
        };
        let (global, group) = (ids(Query::GlobalId), ids(Query::GroupId));
        e.note(format!("work-item with global id ({global}) in work-group ({group})"))
    }
}

#[inline(always)]
fn width(s: u8) -> u64 {
    64 - u64::from(s)
}

/// The low 64 - `s` bits.
#[inline(always)]
fn low(x: u64, s: u8) -> u64 {
    x << (s & 63) >> (s & 63)
}

/// The low 64 - `s` bits as two's complement.
#[inline(always)]
fn signed(x: u64, s: u8) -> i64 {
    (x << (s & 63)) as i64 >> (s & 63)
}

#[inline(always)]
fn icmp(cc: IntCC, s: u8, a: u64, b: u64) -> bool {
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
        IntCC::Slt => signed(a, s) < signed(b, s),
        IntCC::Sle => signed(a, s) <= signed(b, s),
        IntCC::Sgt => signed(a, s) > signed(b, s),
        IntCC::Sge => signed(a, s) >= signed(b, s),
    }
}

/// The most packets that a kernel's pipe holds, where that is known and not what its object says.
fn depth(kernel: &Kernel, arg: u32) -> Option<u32> {
    match kernel.info.args.get(arg as usize)?.kind {
        KernelArgKind::Pipe(access) => access.most(),
        _ => None,
    }
}

/// A value of one or two slots.
fn wide(regs: &[u64], slot: Slot, count: u32) -> u128 {
    let slot = slot as usize;
    let high = if count > 1 { regs[slot + 1] } else { 0 };
    u128::from(high) << 64 | u128::from(regs[slot])
}

/// Executes an operation by [`eval`]; whether it knows it.
fn pure(op: &PureOp, function: &Decoded, regs: &mut [u64], addr_bits: u32) -> bool {
    let slots = |ty: ir::Type| ty.lane_bits(addr_bits).div_ceil(64);
    let args: base::SmallVec<[(ir::Type, u128); 3]> =
        op.args.iter().map(|(ty, a)| (*ty, wide(regs, *a, slots(*ty)))).collect();
    let value = eval(op.op, op.result, &args, addr_bits, |t| function.tables.get(t));
    let Some(value) = value else { return false };
    regs[op.d as usize] = value as u64;
    if slots(op.result) > 1 {
        regs[op.d as usize + 1] = (value >> 64) as u64;
    }
    true
}

fn vector(op: &VectorOp, regs: &mut [u64]) {
    match *op {
        VectorOp::ExtractDyn { d, a, index, lanes, count } => {
            let lane = regs[index as usize];
            for k in 0..count {
                let from = u64::from(a) + lane.wrapping_mul(count.into()) + u64::from(k);
                regs[(d + k) as usize] = if lane < lanes.into() { regs[from as usize] } else { 0 };
            }
        }
        VectorOp::InsertDyn { d, a, index, lanes, count } => {
            let lane = regs[index as usize];
            if lane < lanes.into() {
                for k in 0..count {
                    regs[(d + lane as u32 * count + k) as usize] = regs[(a + k) as usize];
                }
            }
        }
        VectorOp::Bitcast { d, a, from, to, bits } => {
            // bit by bit: rare, and any two lane widths are possible
            let source = |n: u32, regs: &[u64]| {
                let (lane, bit) = (n / from, n % from);
                let slot = a + lane * from.div_ceil(64) + bit / 64;
                regs[slot as usize] >> (bit % 64) & 1
            };
            for lane in 0..bits / to {
                for part in 0..to.div_ceil(64) {
                    let width = (to - part * 64).min(64);
                    let first = lane * to + part * 64;
                    let value = (0..width).fold(0, |v, n| v | source(first + n, regs) << n);
                    regs[(d + lane * to.div_ceil(64) + part) as usize] = value;
                }
            }
        }
    }
}
