//! The core of a kernel: its control-flow graph as segments, channels, forks and merges.

use crate::boundary::is_gathered;
use crate::fixed::Fixed;
use crate::looped::LoopEvents;
use crate::memory::Memories;
use crate::operation;
use crate::pipeline::{Context, UnitModule};
use crate::timed::{TimedAccess, TimedPort};
use crate::token::{Ids, Layout, Stream};
use base::entity::SecondaryMap;
use base::{FxHashMap, SourceMap};
use ir::analysis::{Cfg, Liveness};
use ir::{Block, Inst, Terminator, Value};
use rtl::{Expr, Module, ModuleBuilder, Net};
use schedule::{Control, KernelSchedule, Place, UnitId};
use std::collections::BTreeMap;

/// Answers and requests whose handshakes may wait for one another in one cycle. Those of each wait for all of them, so with more the
/// nets between them grow long: nine and nine left a kernel 71 MHz on ECP5. A block that follows adds its choice among the ways there.
const MOST_TOGETHER: usize = 4;

/// What all parts of a kernel's generator share.
pub struct Shared<'a> {
    /// The schedule.
    pub s: &'a KernelSchedule,
    /// Control flow of its function.
    pub cfg: Cfg,
    /// Live values that travel with tokens.
    pub live: Liveness,
    /// Parameters of pipelined loops that begin with one value for the launch, which no token brings, and that value.
    pub begins_with: FxHashMap<Value, Value>,
    /// Module name of the kernel; prefix of its other modules.
    pub name: String,
    /// `TARGET` parameter of library modules.
    pub target: &'a str,
    /// Source files.
    pub sources: &'a SourceMap,
    /// Copies of the datapath, each with a dispatcher.
    pub compute_units: u32,
    /// Names that the user gives the ports of connected pipes, by the argument's index.
    pub stream_names: BTreeMap<u32, String>,
    /// Address bits that the units of device memory keep.
    pub address_bits: u32,
    /// Module of each unit.
    pub unit_modules: FxHashMap<UnitId, UnitModule>,
    /// Groups of the instructions that share instances.
    pub group_of: FxHashMap<Inst, usize>,
    /// Accesses that happen in segments.
    pub timed: FxHashMap<Inst, TimedAccess>,
}

impl Shared<'_> {
    /// Whether a value travels with tokens.
    pub fn travels(&self, v: Value) -> bool {
        travels(self.s, v)
    }

    /// Pipeline context.
    pub fn context(&self) -> Context<'_> {
        Context {
            func: &self.s.func,
            place: &self.s.place,
            timing: &self.s.timing,
            unit_of: &self.s.unit_of,
            unit_modules: &self.unit_modules,
            shared: &self.s.shared,
            group_of: &self.group_of,
            timed: &self.timed,
            target: self.target,
            sources: self.sources,
        }
    }

    /// Whether the datapath of a segment must know in which cycles there are tokens.
    fn counts_tokens(&self, block: Block, body: &[(Inst, u32)]) -> bool {
        let told = |u: UnitId| {
            let unit = &self.s.units[u];
            unit.turning.is_some() || !unit.shared.is_empty()
        };
        let counts = |i: Inst| {
            self.group_of.contains_key(&i)
                || self.timed.contains_key(&i)
                || self.s.unit_of[i].is_some_and(told)
        };
        self.s.pipelined.contains_key(&block) || body.iter().any(|(i, _)| counts(*i))
    }

    /// `file:line:column` of an instruction, or empty.
    pub fn place_of(&self, inst: Inst) -> String {
        self.sources.describe(self.s.func.insts[inst].loc).unwrap_or_default()
    }
}

/// Whether a value travels with tokens: it differs between work-items.
pub fn travels(s: &KernelSchedule, v: Value) -> bool {
    match s.func.def_inst(v) {
        Some(i) => !s.place[i].is_some_and(Place::is_uniform),
        None => true,
    }
}

/// Instructions of a segment with their cycles, in order.
pub fn segment_body(s: &KernelSchedule, block: Block, segment: u32) -> Vec<(Inst, u32)> {
    let insts = s.func.blocks[block].insts.iter();
    insts
        .filter_map(|i| match s.place[*i] {
            Some(Place::Segment { segment: k, cycle }) if k == segment => Some((*i, cycle)),
            _ => None,
        })
        .collect()
}

/// Launch-uniform values that the datapath of segment `k` of a block reads, whose instructions are `body`.
pub fn fixed_operands(sh: &Shared, block: Block, k: u32, body: &[(Inst, u32)]) -> Vec<Value> {
    let s = sh.s;
    let args = |i: Inst| s.func.insts[i].args.iter().copied();
    let mut used: Vec<Value> = body.iter().flat_map(|(i, _)| args(*i)).collect();
    if let Some(l) = s.pipelined.get(&block) {
        used.extend(crate::looped::values_read(sh, (block, k), l));
    }
    used.retain(|v| !sh.travels(*v) && s.func.as_const(*v).is_none());
    used.sort();
    used.dedup();
    used
}

/// The datapath of one segment.
pub struct SegmentDatapath {
    /// Block.
    pub block: Block,
    /// Number of the segment in it.
    pub k: u32,
    /// Instructions with their starting cycles.
    pub body: Vec<(Inst, u32)>,
    /// Register stages.
    pub latency: u32,
}

/// Where tokens leave the datapath of a segment.
pub struct Exit {
    /// The stream that they come from; its reader is the control of the segment.
    pub entry: Stream,
    /// Bit k: a token is in cycle k of the segment.
    pub tokens: Net,
    /// A token leaves in this cycle.
    pub done: Expr,
    /// The token.
    pub data: Net,
    /// Its layout.
    pub layout: Layout,
}

/// A channel that the report of a hang can name.
pub struct ChannelInfo {
    /// What it connects.
    pub name: String,
    /// Source place, or empty.
    pub source: String,
    /// Hierarchical names below the core.
    pub stream: (String, String),
    /// That of a register which is 1 while work-items wait at a barrier in front of it.
    pub waiting: Option<String>,
}

/// An edge of the control flow: source block and position among its terminator's targets.
pub type Edge = (Block, u32);

/// The generator of the core module.
pub struct Core<'a> {
    /// Shared facts.
    pub sh: &'a Shared<'a>,
    /// The module.
    pub b: ModuleBuilder,
    /// Launch-uniform values.
    pub fixed: Fixed,
    /// Memory units.
    pub memories: Memories,
    /// Modules of segments.
    pub modules: Vec<Module>,
    /// Channels.
    pub channels: Vec<ChannelInfo>,
    /// Streams into each block.
    pub incoming: SecondaryMap<Block, Vec<(Option<Edge>, Stream)>>,
    /// Conditions under which a token leaves each loop.
    pub exit_pulses: Vec<Vec<Expr>>,
    /// Inputs of the loops' counters that take them.
    pub exit_nets: Vec<Option<Net>>,
    /// Streams into loops with several entries: outside and inside of the gate.
    pub entries: Vec<Vec<(Stream, Stream)>>,
    /// Retirement: valid and slot.
    pub retire: Option<(Expr, Expr)>,
    /// Group sizes from the dispatcher, for barriers.
    pub group_size: Net,
    /// Sticky flags of barriers that wait.
    pub waiting: Vec<Net>,
    /// The block that is being made.
    making: Option<(Block, BlockFacts)>,
}

/// What all segments of a block ask for.
struct BlockFacts {
    /// Source place of the first instruction that has one, or empty.
    source: String,
    /// Number of the segment in front of which a value is needed for the last time.
    needed: FxHashMap<Value, u32>,
}

impl BlockFacts {
    fn new(sh: &Shared<'_>, block: Block) -> Self {
        let insts = &sh.s.func.blocks[block].insts;
        let source = insts.iter().map(|i| sh.place_of(*i)).find(|p| !p.is_empty());
        let mut needed: FxHashMap<Value, u32> = FxHashMap::default();
        let mut need = |v: Value, last: u32| {
            let entry = needed.entry(v).or_default();
            *entry = last.max(*entry);
        };
        for &inst in insts {
            let last = match sh.s.place[inst] {
                Some(Place::Segment { segment, .. }) => segment,
                Some(Place::Boundary { segment }) => segment + 1,
                _ => continue,
            };
            for &v in &sh.s.func.insts[inst].args {
                need(v, last);
            }
        }
        // What leaves the block is needed behind all segments. Iterations of a pipelined loop get from one another what they get by
        // registers and from its entry.
        let term = &sh.s.func.blocks[block].term;
        let pipelined = sh.s.pipelined.get(&block);
        match pipelined {
            None => term.for_each_use(|v| need(v, u32::MAX)),
            Some(p) => {
                if let ir::Terminator::Branch { cond, .. } = term {
                    need(*cond, u32::MAX);
                }
                let exits = term.targets().into_iter().filter(|call| call.block != block);
                exits.flat_map(|call| &call.args).for_each(|v| need(*v, u32::MAX));
                let carried = crate::looped::carried_values(&sh.s.func, block, p);
                carried.into_iter().for_each(|(segment, v)| need(v, segment));
            }
        }
        let exits = sh.cfg.succs[block].iter().filter(|b| pipelined.is_none() || **b != block);
        for v in exits.flat_map(|next| sh.live.live_in(*next)) {
            need(*v, u32::MAX);
        }
        BlockFacts { source: source.unwrap_or_default(), needed }
    }
}

impl<'a> Core<'a> {
    /// A core without blocks.
    pub fn new(sh: &'a Shared<'a>, mut b: ModuleBuilder, fixed: Fixed, memories: Memories) -> Self {
        let o = &sh.s.occupancy;
        let slots = if o.is_tracked() { o.slots.max(1) } else { 1 };
        let group_size = b.net("group_size", 16 * slots);
        let exit_pulses = vec![vec![]; sh.s.loops.len()];
        Core {
            sh,
            b,
            fixed,
            memories,
            modules: vec![],
            channels: vec![],
            incoming: SecondaryMap::new(),
            exit_pulses,
            exit_nets: vec![None; sh.s.loops.len()],
            entries: vec![vec![]; sh.s.loops.len()],
            retire: None,
            group_size,
            waiting: vec![],
            making: None,
        }
    }

    /// Token layout at the entry of a block.
    pub fn block_layout(&self, block: Block) -> Layout {
        let s = self.sh.s;
        let brought = |v: &Value| !self.sh.begins_with.contains_key(v);
        let params = s.func.blocks[block].params.iter().copied();
        let mut values: Vec<Value> = params.filter(brought).collect();
        if block == s.func.entry() {
            values.extend(s.func.blocks[block].insts.iter().filter_map(|i| match s.place[*i] {
                Some(Place::Dispatch) => s.func.insts[*i].result,
                _ => None,
            }));
        }
        values.extend(self.sh.live.live_in(block));
        self.layout(&values)
    }

    /// Layout of tokens with these values.
    pub fn layout(&self, values: &[Value]) -> Layout {
        Layout::new(&self.sh.s.func, &self.sh.s.occupancy, values)
    }

    /// Adds a stream into a block.
    pub fn add_incoming(&mut self, block: Block, from: Option<(Block, u32)>, stream: Stream) {
        self.incoming[block].push((from, stream));
    }

    /// Builds all blocks. The dispatcher's stream into the entry block was added before.
    pub fn blocks(&mut self) {
        let order = self.sh.cfg.rpo.clone();
        // Streams of all edges first, so that every block knows its inputs.
        let mut outgoing: FxHashMap<Block, Vec<Option<Stream>>> = FxHashMap::default();
        for &block in &order {
            let mut streams = vec![];
            for (k, call) in self.sh.s.func.blocks[block].term.targets().iter().enumerate() {
                if call.block == block && self.sh.s.pipelined.contains_key(&block) {
                    // Iterations of a pipelined loop are issued at its entry.
                    streams.push(None);
                    continue;
                }
                let width = self.block_layout(call.block).width();
                let stream = Stream::new(&mut self.b, &format!("{block}_to_{}", call.block), width);
                self.add_incoming(call.block, Some((block, k as u32)), stream);
                streams.push(Some(stream));
            }
            outgoing.insert(block, streams);
        }
        for &block in &order {
            let layout = self.block_layout(block);
            let entry = self.entry_stream(block, &layout);
            if let Some(p) = self.sh.s.pipelined.get(&block) {
                self.pipelined_loop(block, p, entry, layout, &outgoing[&block]);
                continue;
            }
            let (stream, layout) = self.segments(block, entry, layout, None);
            self.terminator(block, stream, &layout, &outgoing[&block]);
        }
        self.many_entry_gates();
        self.loop_counters();
    }

    pub fn channel(&mut self, name: String, block: Block, s: Stream) {
        let source = self.facts(block).source.clone();
        let names = (self.b.name(s.valid).to_owned(), self.b.name(s.ready).to_owned());
        self.channels.push(ChannelInfo { name, source, stream: names, waiting: None });
    }

    /// The channel behind a barrier, at which work-items wait while `waiting` is 1.
    pub fn barrier_channel(&mut self, block: Block, s: Stream, waiting: Net) {
        self.channel(format!("barrier at {block}"), block, s);
        if let Some(channel) = self.channels.last_mut() {
            channel.waiting = Some(self.b.name(waiting).to_owned());
        }
    }

    /// All segments and boundaries of a block; `events` belongs to a pipelined loop.
    pub fn segments(
        &mut self,
        block: Block,
        stream: Stream,
        layout: Layout,
        mut events: Option<&mut LoopEvents>,
    ) -> (Stream, Layout) {
        let count = self.sh.s.blocks[block].segments.len();
        let (mut stream, mut layout) = (stream, layout);
        let order = self.sh.s.pipelined.get(&block).and_then(|p| p.order);
        let mut gate = None;
        for k in 0..count as u32 {
            let events = events.as_deref_mut();
            stream = self.hazard_gate(block, k, stream, &layout);
            if self.sh.s.reserves_exit(block, k) {
                let exit = self.datapath(block, k, stream, layout, events);
                (stream, layout) = self.reserved_boundary(block, k, exit);
                continue;
            }
            (stream, layout) = self.segment(block, k, stream, layout, events);
            if let Some(order) = order.filter(|o| o.from == k) {
                let closed = self.order_gate(block, order.distance, stream, layout.width());
                stream = closed.passed;
                gate = Some(closed);
            }
            (stream, layout) = self.boundary(block, k, stream, layout);
            if order.is_some_and(|o| o.to == k)
                && let Some(gate) = gate.take()
            {
                self.open_behind(&gate, stream);
            }
        }
        (stream, layout)
    }

    /// Instructions of a segment, in order.
    pub fn body(&self, block: Block, segment: u32) -> Vec<(Inst, u32)> {
        segment_body(self.sh.s, block, segment)
    }

    /// Whether a token that was joined from answers would go straight on to many other accesses, or to another block.
    fn waits_for_many(&self, block: Block, k: u32) -> bool {
        let Some(before) = k.checked_sub(1) else { return false };
        let func = &self.sh.s.func;
        let answers = self.sh.s.accesses_behind(block, before);
        let responses = answers.iter().filter(|i| self.sh.s.accesses[*i].has_response()).count();
        if is_gathered(responses) {
            return false;
        }
        let answers = answers.iter().filter(|i| func.insts[**i].result.is_some()).count();
        let requests = self.sh.s.accesses_behind(block, k).len();
        let leaves =
            matches!(func.blocks[block].term, Terminator::Jump(_) | Terminator::Branch { .. });
        answers > 0 && if requests > 0 { answers + requests > MOST_TOGETHER } else { leaves }
    }

    /// What the segments of a block ask for; made once for all of them, because a block may have many.
    fn facts(&mut self, block: Block) -> &BlockFacts {
        let made = self.making.take().filter(|(of, _)| *of == block);
        let sh = self.sh;
        &self.making.insert(made.unwrap_or_else(|| (block, BlockFacts::new(sh, block)))).1
    }

    /// Those of the values `made` that are needed behind segment `k` of a block, in their order.
    pub fn exit_values(&mut self, block: Block, k: u32, made: &[Value]) -> Vec<Value> {
        let sh = self.sh;
        let needed = &self.facts(block).needed;
        let goes_on = |v: &Value| sh.travels(*v) && needed.get(v).is_some_and(|last| *last > k);
        made.iter().copied().filter(goes_on).collect()
    }

    /// A segment and its exit FIFO.
    fn segment(
        &mut self,
        block: Block,
        k: u32,
        s: Stream,
        layout: Layout,
        events: Option<&mut LoopEvents>,
    ) -> (Stream, Layout) {
        if !self.sh.s.is_segment(block, k) {
            if !self.waits_for_many(block, k) {
                return (s, layout);
            }
            return (self.apart(&format!("{block}_s{k}_apart"), s, (block, k)), layout);
        }
        let exit = self.datapath(block, k, s, layout, events);
        let control = self.sh.s.blocks[block].segments[k as usize].control;
        let depth = control.blocked_capacity();
        let name = format!("{block}_s{k}");
        let word = Stream::new(&mut self.b, &format!("{name}_exit"), exit.layout.width());
        let (queue, width) = (format!("{name}_fifo"), exit.layout.width());
        let queue = match control {
            Control::StallFree { .. } => self.owned_fifo(&queue, word, width, depth),
            Control::Enabled if depth == 2 => self.apart(&queue, word, (block, k)),
            Control::Enabled => self.fifo(&queue, word, width, depth),
        };
        let pop = Expr::all([queue.valid.into(), queue.ready.into()]);
        match control {
            Control::StallFree { .. } => {
                self.start_control(block, k, &exit, (depth, depth), vec![pop]);
            }
            Control::Enabled => {
                self.b.assign(exit.tokens, exit.entry.valid);
                self.b.assign(exit.entry.ready, word.ready);
            }
        }
        self.b.assign(word.valid, exit.done);
        self.b.assign(word.data, exit.data);
        self.channel(format!("exit of segment {k} of {block}"), block, queue);
        (queue, exit.layout)
    }

    /// The datapath of a segment; its `tokens` and the readiness of its entry are to be driven.
    fn datapath(
        &mut self,
        block: Block,
        k: u32,
        s: Stream,
        layout: Layout,
        events: Option<&mut LoopEvents>,
    ) -> Exit {
        let seg = self.sh.s.blocks[block].segments[k as usize].clone();
        let body = self.body(block, k);
        let registers = crate::looped::begun(self.sh, block, k);
        let made: Vec<Value> = layout
            .values()
            .chain(registers)
            .chain(body.iter().filter_map(|(i, _)| self.sh.s.func.insts[*i].result))
            .collect();
        let out_values = self.exit_values(block, k, &made);
        let out = self.layout(&out_values).with_first(layout.has_first());
        let name = format!("{block}_s{k}");
        let module = format!("{}_{name}", self.sh.name);
        let datapath = SegmentDatapath { block, k, body, latency: seg.latency };
        let fixed = self.segment_module(&module, &datapath, &layout, &out);
        let data = self.b.net(&format!("{name}_exit_data"), out.width());
        let tokens = self.b.net(&format!("{name}_valid"), seg.latency + 1);
        let outputs = match events {
            Some(e) => e.segment_outputs(&mut self.b, self.sh.s, block, k, tokens),
            None => vec![],
        };
        let [asked, words] = self.timed_ports(&datapath.body);
        let fixed: Vec<(Value, Expr)> =
            fixed.into_iter().map(|v| (v, self.fixed.in_segment(&mut self.b, v, &name))).collect();
        let mut i = self
            .b
            .instance(&module, &format!("u_{name}"))
            .comment(format!("segment {k} of {block}, latency {}", seg.latency))
            .input("in_token", s.data);
        if self.sh.counts_tokens(block, &datapath.body) {
            i = i.input("in_valid", tokens);
        }
        for (v, e) in fixed {
            i = i.input(&Fixed::port(v), e);
        }
        for (port, net) in outputs.into_iter().chain(asked) {
            i = i.output(&port, net);
        }
        for (port, net) in words {
            i = i.input(&port, net);
        }
        i.output("out_token", data).done();
        let done = self.b.slice(tokens, seg.latency, 1);
        Exit { entry: s, tokens, done, data, layout: out }
    }

    /// The nets between a segment and the memories that it accesses in its cycles: those that the segment drives, and those with words.
    fn timed_ports(&mut self, body: &[(Inst, u32)]) -> [Vec<(String, Net)>; 2] {
        let [mut asked, mut words] = [vec![], vec![]];
        for t in body.iter().filter_map(|(inst, _)| self.sh.timed.get(inst)) {
            let (port, driven) = TimedPort::new(&mut self.b, t);
            asked.extend(driven);
            words.extend(port.word(t));
            self.memories.on_chip.entry(t.memory()).or_default().timed.push(port);
        }
        [asked, words]
    }

    /// The control of a stall-free segment whose tokens go into exit queues with these pulses of words that leave; the first has `places`
    /// for tokens, each of the others so many.
    pub fn start_control(
        &mut self,
        block: Block,
        k: u32,
        exit: &Exit,
        (places, others): (u32, u32),
        pops: Vec<Expr>,
    ) {
        let seg = &self.sh.s.blocks[block].segments[k as usize];
        let mut control = self
            .b
            .instance("clhls_pipe_ctl", &format!("u_{block}_s{k}_ctl"))
            .param("LATENCY", seg.latency)
            .param("DEPTH", places)
            .param("II", seg.ii);
        if pops.len() > 1 {
            control = control.param("EXITS", pops.len() as u32).param("OTHERS", others);
        }
        if seg.window > 0 {
            control = control.param("WINDOW", seg.window);
        }
        control
            .input("s_valid", exit.entry.valid)
            .output("s_ready", exit.entry.ready)
            .open("start")
            .output("valid", exit.tokens)
            .input("exit_pop", Expr::concat(pops.into_iter().rev().collect()))
            .done();
    }

    /// The module of a segment's datapath; gives the launch-uniform values it reads.
    fn segment_module(
        &mut self,
        module: &str,
        d: &SegmentDatapath,
        input: &Layout,
        output: &Layout,
    ) -> Vec<Value> {
        let cx = self.sh.context();
        let header = vec![
            format!("Datapath of kernel `{}`: a stall-free segment.", self.sh.s.func.name),
            format!(
                "latency {}, II {}",
                d.latency, self.sh.s.blocks[d.block].segments[d.k as usize].ii
            ),
        ];
        let mut b = ModuleBuilder::new(module, header);
        let token = b.input("in_token", input.width());
        let mut p = crate::pipeline::Pipeline::new(&cx);
        let valid = self.sh.counts_tokens(d.block, &d.body);
        let valid = valid.then(|| b.input("in_valid", d.latency + 1));
        valid.into_iter().for_each(|n| p.tokens(n));
        let looped = self.sh.s.pipelined.get(&d.block).zip(valid);
        for v in input.values() {
            if let Some(e) = input.field(&b, token, v) {
                let n = b.wire(&format!("v{}", v.as_u32()), e);
                p.enter(v, n);
            }
        }
        let fixed = fixed_operands(self.sh, d.block, d.k, &d.body);
        for &v in &fixed {
            crate::fixed::enter(&mut b, &mut p, self.sh, v, &d.body);
        }
        let mut ids = vec![input.ids(&b, token)];
        for k in 1..=d.latency {
            let last = ids[ids.len() - 1].clone();
            ids.push(self.delayed_ids(&mut b, last, input, k));
        }
        if let Some((l, _)) = looped {
            crate::looped::read_feedback(&mut b, &mut p, self.sh, l, (d.block, d.k), &ids);
        }
        for &(inst, cycle) in &d.body {
            p.inst(&mut b, inst, cycle);
        }
        p.shared_instances(&mut b);
        if let Some((l, valid)) = looped {
            crate::looped::write_feedback(&mut b, &mut p, self.sh, d, l, valid, &ids);
        }
        let mut fields: FxHashMap<Value, Expr> = FxHashMap::default();
        for v in output.values() {
            let e = p.at(&mut b, v, d.latency);
            fields.insert(v, e);
        }
        let packed = output.pack(ids[d.latency as usize].clone(), |v| fields[&v].clone());
        let out = b.output("out_token", output.width());
        b.assign(out, packed);
        self.modules.push(b.finish());
        fixed
    }

    fn delayed_ids(&self, b: &mut ModuleBuilder, ids: Ids, layout: &Layout, k: u32) -> Ids {
        let o = &self.sh.s.occupancy;
        let mut keep = |name: &str, on: bool, e: Expr| {
            if on { b.delay(&format!("{name}_p{k}"), e).into() } else { e }
        };
        Ids {
            slot: keep("slot", o.slot_bits > 0, ids.slot),
            lid: keep("lid", o.lid_bits > 0, ids.lid),
            first: keep("first", layout.has_first(), ids.first),
        }
    }

    /// A value as seen at a token: one of its fields, or launch-uniform.
    pub fn value(&self, v: Value, token: Net, layout: &Layout) -> Expr {
        if let Some(c) = self.sh.s.func.as_const(v) {
            return Expr::Const(self.sh.s.func.bits(v), c);
        }
        layout.field(&self.b, token, v).unwrap_or_else(|| self.fixed.expr(v))
    }

    /// Sends a token on; `None` among the edges is the way back of a pipelined loop, where
    /// tokens end.
    pub fn terminator(
        &mut self,
        block: Block,
        s: Stream,
        layout: &Layout,
        edges: &[Option<Stream>],
    ) {
        let term = self.sh.s.func.blocks[block].term.clone();
        let taken: Vec<Expr> = match &term {
            Terminator::Jump(_) => vec![Expr::bit(true)],
            Terminator::Branch { cond, .. } => {
                let c = self.value(*cond, s.data, layout);
                let c = operation::net(&mut self.b, c);
                vec![c.into(), Expr::Net(c).not()]
            }
            Terminator::Return(_) | Terminator::Unreachable => {
                self.b.assign(s.ready, Expr::bit(true));
                let slot = layout.slot(&self.b, s.data);
                self.retire = Some((s.valid.into(), slot));
                self.leave_loops(block, None, s.valid.into());
                return;
            }
            Terminator::Switch { .. } => unreachable!("switches were lowered to branches"),
        };
        let targets: Vec<_> = term.targets().into_iter().cloned().collect();
        let mut readies = vec![];
        for ((call, take), edge) in targets.iter().zip(taken).zip(edges) {
            let Some(edge) = edge else {
                readies.push(take);
                continue;
            };
            let to = self.block_layout(call.block);
            let params = self.sh.s.func.blocks[call.block].params.clone();
            let packed = to.pack(layout.ids(&self.b, s.data), |v| {
                let source = params.iter().position(|p| *p == v).map_or(v, |k| call.args[k]);
                self.value(source, s.data, layout)
            });
            self.b.assign(edge.data, packed);
            self.b.assign(edge.valid, Expr::all([s.valid.into(), take.clone()]));
            readies.push(Expr::all([take, edge.ready.into()]));
            let moved = Expr::all([Expr::Net(edge.valid), edge.ready.into()]);
            self.leave_loops(block, Some(call.block), moved);
        }
        self.b.assign(s.ready, Expr::any(readies));
    }

    /// Counts a token out of every loop that it leaves.
    fn leave_loops(&mut self, from: Block, to: Option<Block>, moved: Expr) {
        for (k, l) in self.sh.s.loops.iter().enumerate() {
            let inside = |b: Block| l.blocks.contains(&b);
            if inside(from) && !to.is_some_and(inside) {
                self.exit_pulses[k].push(moved.clone());
            }
        }
    }
}
