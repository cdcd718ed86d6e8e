//! Text form of schedules (`.sched`): the printer. [`crate::parse`] reads it.
//!
//! First a line for each fact about the kernel as a whole, its memories, loops and blocks; then
//! the kernel and its operator units as IR text, in which each instruction has its place in
//! front: `[s1@3]` is segment 1, cycle 3; `[after s0]` the boundary behind segment 0. Behind the
//! place stands the timing where it is not 0: a delay in ns, or `latency:input:output`. Blocks,
//! values and effects have the numbers of the IR text.

use crate::place::{OpTiming, Place};
use crate::{
    Access, AccessKind, Bound, Control, KernelSchedule, LoopKind, LoopSchedule, MemoryKind,
    PipelinedLoop, Shared, Unit,
};
use base::entity::SecondaryMap;
use ir::{Block, Function, GlobalData, Inst, Module, ObjectKind, Value};
use std::fmt::{Display, Write};

/// Column at which an instruction begins behind its place.
const PLACE_WIDTH: usize = 20;

/// The schedule as text, for people and for file tests.
pub fn print(s: &KernelSchedule) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    Printer { s, names: Names::new(&s.func) }.schedule(&mut out).expect("string");
    out
}

/// Numbers of blocks, values and effects in layout order, as in IR text.
struct Names {
    values: SecondaryMap<Value, u32>,
    blocks: SecondaryMap<Block, u32>,
    effects: SecondaryMap<Inst, u32>,
}

impl Names {
    fn new(func: &Function) -> Self {
        let mut names = Names {
            values: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            effects: SecondaryMap::new(),
        };
        let (mut values, mut effects) = (0, 0);
        for (n, &block) in (0..).zip(&func.layout) {
            names.blocks[block] = n;
            let data = &func.blocks[block];
            for &p in &data.params {
                names.values[p] = values;
                values += 1;
            }
            for &inst in &data.insts {
                if let Some(result) = func.insts[inst].result {
                    names.values[result] = values;
                    values += 1;
                }
                if func.insts[inst].op.is_effect() {
                    names.effects[inst] = effects;
                    effects += 1;
                }
            }
        }
        names
    }
}

struct Printer<'a> {
    s: &'a KernelSchedule,
    names: Names,
}

impl Printer<'_> {
    fn schedule(&self, out: &mut String) -> std::fmt::Result {
        let (s, o) = (self.s, &self.s.occupancy);
        let (period, overhead) = (s.clock.period_ns, s.clock.overhead_ns);
        let spread = if s.spread { " spread" } else { "" };
        writeln!(out, "schedule {:?} period {period} overhead {overhead}{spread}", s.func.name)?;
        let (slots, size) = (o.slots, o.max_work_group_size);
        write!(out, "occupancy slots {slots} work_group {size}")?;
        writeln!(out, " slot_bits {} lid_bits {} task {}", o.slot_bits, o.lid_bits, s.task)?;
        writeln!(out, "prologue {}", s.prologue_latency)?;
        for m in s.memories.values() {
            let kind = match m.kind {
                MemoryKind::Device { port } => format!("device {port}"),
                MemoryKind::Local => "local".to_owned(),
                MemoryKind::Private => "private".to_owned(),
                MemoryKind::Pipe { arg } => format!("pipe {arg}"),
            };
            write!(out, "memory {:?} {kind} bytes {} word {}", m.name, m.bytes, m.word_bytes)?;
            write!(out, " atomic {}", m.atomic)?;
            if let Some(n) = m.replicas {
                write!(out, " replicas {n}")?;
            }
            if let Some(cycles) = m.timed {
                write!(out, " timed {cycles}")?;
            }
            m.objects.iter().try_for_each(|(o, offset)| write!(out, " {o}@{offset}"))?;
            writeln!(out)?;
        }
        s.accesses.iter().try_for_each(|(inst, a)| self.access(out, *inst, a))?;
        for t in &s.in_turn {
            let [first, second] = [t.first, t.second].map(|i| self.names.effects[i]);
            let held = if t.held { " held" } else { "" };
            writeln!(out, "in_turn e{first} e{second} distance {}{held}", t.distance)?;
        }
        for u in s.units.values() {
            write!(out, "unit {:?} {}", u.name, timing(u.timing))?;
            if let Some(t) = u.turning {
                write!(out, " turns {} cycles {} start {}", t.turns, t.cycles, t.start)?;
                write!(out, " load {}", t.load_ns)?;
            }
            if u.ii > 1 {
                write!(out, " every {}", u.ii)?;
            }
            if !u.shared.is_empty() {
                let names = Names::new(&u.func);
                u.shared.iter().try_for_each(|g| shared(out, " ", &names, &u.func, g))?;
            }
            writeln!(out)?;
        }
        s.loops.iter().try_for_each(|l| self.a_loop(out, l))?;
        for &b in &s.func.layout {
            write!(out, "block {}", self.block(b))?;
            for g in &s.blocks[b].segments {
                let control = match g.control {
                    Control::StallFree { depth } => format!("fifo {depth}"),
                    Control::Enabled => "enabled".to_owned(),
                };
                write!(out, " segment {} ii {}", g.latency, g.ii)?;
                if g.window > 0 {
                    write!(out, " window {}", g.window)?;
                }
                write!(out, " {control}")?;
            }
            writeln!(out)?;
        }
        s.pipelined.iter().try_for_each(|(b, p)| self.pipelined(out, *b, p))?;
        for (block, bound) in &s.bound {
            let what = match bound {
                Bound::Turns { otherwise } => format!("turns {otherwise}"),
                Bound::Ports => "ports".to_owned(),
            };
            writeln!(out, "bound {} {what}", self.block(*block))?;
        }
        for g in &s.shared {
            shared(out, "", &self.names, &s.func, g)?;
            writeln!(out)?;
        }
        for (inst, why) in &s.forms {
            if let Some(v) = s.func.insts[*inst].result {
                writeln!(out, "form {} {why:?}", self.value(v))?;
            }
        }
        s.notes.iter().try_for_each(|n| writeln!(out, "note {n:?}"))?;
        self.code(out)
    }

    fn block(&self, b: Block) -> impl Display + use<> {
        format!("b{}", self.names.blocks[b])
    }

    fn value(&self, v: Value) -> impl Display + use<> {
        format!("v{}", self.names.values[v])
    }

    fn access(&self, out: &mut String, inst: Inst, a: &Access) -> std::fmt::Result {
        let effect = self.names.effects[inst];
        write!(out, "access e{effect} {} bytes {}", a.memory, a.bytes)?;
        write!(out, " ack {} read_only {}", a.ack, a.read_only)?;
        if a.is_realigned() {
            write!(out, " align {} reuse {}", a.align, a.reuse)?;
        }
        if a.cache_lines > 0 {
            write!(out, " cache_lines {}", a.cache_lines)?;
        }
        if a.kind == AccessKind::Load && self.s.memories[a.memory].replicas.is_some() {
            write!(out, " replica {}", a.replica)?;
        }
        if let Some(port) = a.timed {
            write!(out, " port {port}")?;
        }
        match a.argument {
            Some(n) => writeln!(out, " argument {n}"),
            None => writeln!(out),
        }
    }

    fn a_loop(&self, out: &mut String, l: &LoopSchedule) -> std::fmt::Result {
        let kind = match l.kind {
            LoopKind::Threaded => "threaded",
            LoopKind::Pipelined => "pipelined",
        };
        write!(out, "loop {} {kind} ii {} latency {}", self.block(l.header), l.ii, l.latency)?;
        write!(out, " limit {} depth {}", l.limit, l.back_depth)?;
        if let Some(p) = l.parent {
            write!(out, " in {p}")?;
        }
        if let Some(memory) = l.ports {
            write!(out, " ports {memory}")?;
        }
        write!(out, " blocks")?;
        l.blocks.iter().try_for_each(|b| write!(out, " {}", self.block(*b)))?;
        write!(out, " entries")?;
        l.entries.iter().try_for_each(|b| write!(out, " {}", self.block(*b)))?;
        write!(out, " back")?;
        l.back_edges.iter().try_for_each(|(b, k)| write!(out, " {}.{k}", self.block(*b)))?;
        writeln!(out, " {:?}", l.reason)
    }

    fn pipelined(&self, out: &mut String, block: Block, p: &PipelinedLoop) -> std::fmt::Result {
        let block = self.block(block);
        let condition = (p.condition.segment, p.condition.cycle);
        write!(out, "pipelined {block} condition s{}@{}", condition.0, condition.1)?;
        write!(out, " exit_on_true {}", p.exit_on_true)?;
        if p.speculated {
            write!(out, " speculated")?;
        }
        if let Some(o) = p.order {
            write!(out, " distance {} from {} to {}", o.distance, o.from, o.to)?;
        }
        writeln!(out)?;
        for f in &p.feedback {
            let (param, next) = (self.value(f.param), self.value(f.next));
            write!(out, "feedback {block} {param} {next} segment {}", f.segment)?;
            write!(out, " read {} write {}", f.read, f.write)?;
            if f.distance > 1 {
                write!(out, " distance {}", f.distance)?;
            }
            writeln!(out)?;
        }
        for l in &p.late {
            let (param, next) = (self.value(l.param), self.value(l.next));
            writeln!(out, "late {block} {param} {next} s{}@{}", l.known.segment, l.known.cycle)?;
        }
        Ok(())
    }

    /// The kernel and its units as a module, with places.
    fn code(&self, out: &mut String) -> std::fmt::Result {
        let s = self.s;
        let mut module = Module::new(s.func.name.clone(), s.func.addr_bits);
        for o in s.func.objects.values() {
            if let ObjectKind::Global(g) = o.kind {
                add_global(&mut module, g, o);
            }
        }
        module.functions.push(s.func.clone());
        s.units.values().for_each(|u| {
            module.functions.push(u.func.clone());
        });
        let kernel = |i: Inst| {
            let unit = s.unit_of[i].map_or(String::new(), |u| format!(" {u}"));
            format!("{}{unit}", place(s.place[i], s.timing[i]))
        };
        let in_unit = |u: &Unit, i: Inst| place(u.place[i], u.inst_timing[i]);
        let mut places: Vec<Vec<String>> = blocks(&s.func, kernel);
        for u in s.units.values() {
            places.extend(blocks(&u.func, |i| in_unit(u, i)));
        }
        // Behind the line of each block stand its instructions, one a line.
        let mut blocks = places.into_iter();
        let mut here = Vec::new().into_iter();
        for line in module.to_string().lines() {
            match here.next() {
                Some(p) => writeln!(out, "  {:<PLACE_WIDTH$} {}", format!("[{p}]"), line.trim())?,
                None => writeln!(out, "{line}")?,
            }
            if line.starts_with('b') {
                here = blocks.next().unwrap_or_default().into_iter();
            }
        }
        Ok(())
    }
}

/// The results of operations that share an instance.
fn shared(
    out: &mut String,
    space: &str,
    names: &Names,
    func: &Function,
    g: &Shared,
) -> std::fmt::Result {
    let staged = if g.staged { " staged" } else { "" };
    write!(out, "{space}shared {}{staged}", g.select_ns)?;
    let mut results = g.insts.iter().filter_map(|i| func.insts[*i].result);
    results.try_for_each(|v| write!(out, " v{}", names.values[v]))
}

/// A variable of the module in the place of the one that an object stands for.
fn add_global(module: &mut Module, g: ir::Global, o: &ir::ObjectData) {
    use base::entity::EntityRef;
    while module.globals.len() <= g.index() {
        module.globals.push(GlobalData {
            name: String::new(),
            space: o.space,
            size: 0,
            align: 1,
            init: None,
            relocations: vec![],
            loc: base::Loc::default(),
        });
    }
    let global = &mut module.globals[g];
    (global.name, global.space) = (o.name.clone(), o.space);
    (global.size, global.align) = (o.size, o.align);
}

/// Texts of the instructions of each block.
fn blocks(func: &Function, text: impl Fn(Inst) -> String) -> Vec<Vec<String>> {
    let insts = |b: &Block| func.blocks[*b].insts.iter().map(|i| text(*i)).collect();
    func.layout.iter().map(insts).collect()
}

fn place(place: Option<Place>, t: OpTiming) -> String {
    let place = match place {
        Some(Place::Static) => "static".to_owned(),
        Some(Place::Prologue { cycle }) => format!("prologue@{cycle}"),
        Some(Place::Fetched) => "fetched".to_owned(),
        Some(Place::Dispatch) => "dispatch".to_owned(),
        Some(Place::Segment { segment, cycle }) => format!("s{segment}@{cycle}"),
        Some(Place::Boundary { segment }) => format!("after s{segment}"),
        Some(Place::BlockEntry) => "entry".to_owned(),
        None => "nowhere".to_owned(),
    };
    if t == OpTiming::default() { place } else { format!("{place} {}", timing(t)) }
}

fn timing(t: OpTiming) -> String {
    if t.entry_ns != 0.0 {
        return format!("{}>{}", t.entry_ns, timing(OpTiming { entry_ns: 0.0, ..t }));
    }
    if t == OpTiming::combinational(t.input_ns) {
        return format!("{}", t.input_ns);
    }
    format!("{}:{}:{}", t.latency, t.input_ns, t.output_ns)
}
