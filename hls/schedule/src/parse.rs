//! Text form of schedules (`.sched`): the parser. The form is described at [`crate::text`].
//!
//! It checks syntax and that names are defined; whether the schedule keeps the rules is
//! [`crate::verify`]'s business.

use crate::memory::{Access, AccessKind, Memory, MemoryId, MemoryKind};
use crate::place::{OpTiming, Place, UnitId};
use crate::{
    BlockSchedule, Bound, Clock, Control, Feedback, InTurn, KernelSchedule, Late, LoopKind,
    LoopSchedule, Moment, Occupancy, Order, PipelinedLoop, Segment, Shared, Turning, Unit,
};
use base::entity::{EntityRef, PrimaryMap, SecondaryMap};
use base::{Diagnostic, IndexMap, Loc};
use ir::{Block, Function, Inst, Object, Op, Terminator, Value};
use std::str::FromStr;

/// Code of all syntax errors.
const SYNTAX: &str = "E0010";

type Result<T> = std::result::Result<T, Diagnostic>;

/// Reads a schedule. Places in the error (code `E0010`) are in the text itself, as file 0.
///
/// # Errors
/// Syntax; names that are not defined.
pub fn parse(text: &str) -> base::Result<KernelSchedule> {
    let code_line = text.lines().position(|l| l.starts_with("module ")).unwrap_or(0);
    let (code, places) = split_code(text, code_line)?;
    let module = ir::parse::parse_module(&code)?;
    let mut functions = module.functions.values().cloned();
    let Some(func) = functions.next() else {
        return Err(error(code_line + 1, "the module has no kernel").into());
    };
    let mut reader = Reader::new(func);
    reader.placed(places, functions.collect())?;
    for (n, line) in text.lines().take(code_line).enumerate() {
        reader.fact(Line { number: n + 1, rest: line })?;
    }
    Ok(reader.s)
}

fn error(line: usize, what: impl Into<String>) -> Diagnostic {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    Diagnostic::error(SYNTAX, what).at(Loc { file: 0, line, column: 1 })
}

/// A place in front of an instruction, with the line it stands in.
struct Prefix<'a> {
    line: usize,
    text: &'a str,
}

/// The IR text, its lines where they were, and the places in front of instructions.
fn split_code(text: &str, code_line: usize) -> Result<(String, Vec<Prefix<'_>>)> {
    let mut code = "\n".repeat(code_line);
    let mut places = vec![];
    for (n, line) in text.lines().enumerate().skip(code_line) {
        let ir = match line.strip_prefix("  [") {
            Some(rest) => {
                let parts = rest.split_once(']');
                let (text, ir) = parts.ok_or_else(|| error(n + 1, "expected `]`"))?;
                places.push(Prefix { line: n + 1, text });
                ir
            }
            None => line,
        };
        code.push_str(ir);
        code.push('\n');
    }
    Ok((code, places))
}

/// A line, word by word.
struct Line<'a> {
    number: usize,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn error(&self, what: impl Into<String>) -> Diagnostic {
        error(self.number, what)
    }

    fn peek(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    fn word(&mut self) -> Result<&'a str> {
        let Some(word) = self.peek() else { return Err(self.error("the line is too short")) };
        let rest = self.rest.trim_start();
        self.rest = &rest[word.len()..];
        Ok(word)
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        match self.word()? {
            w if w == word => Ok(()),
            w => Err(self.error(format!("expected `{word}`, found `{w}`"))),
        }
    }

    fn read<T: FromStr>(&mut self) -> Result<T> {
        let word = self.word()?;
        word.parse().map_err(|_| self.error(format!("`{word}` is not a number or truth value")))
    }

    /// A named number or truth value.
    fn field<T: FromStr>(&mut self, name: &str) -> Result<T> {
        self.expect(name)?;
        self.read()
    }

    /// Number of an entity with a prefix, such as `b3`.
    fn number(&mut self, prefix: &str) -> Result<usize> {
        let word = self.word()?;
        self.numbered(word, prefix)
    }

    fn numbered(&self, word: &str, prefix: &str) -> Result<usize> {
        let number = word.strip_prefix(prefix).and_then(|n| n.parse().ok());
        number
            .ok_or_else(|| self.error(format!("expected `{prefix}` and a number, found `{word}`")))
    }

    /// `s1@3`
    fn moment(&mut self) -> Result<Moment> {
        let word = self.word()?;
        let (segment, cycle) = word.split_once('@').unwrap_or((word, ""));
        let segment = self.numbered(segment, "s")? as u32;
        let cycle = cycle.parse().map_err(|_| self.error(format!("`{word}` has no cycle")))?;
        Ok(Moment { segment, cycle })
    }

    /// A delay, or `latency:input:output`; behind `entry>` if there are loop-carried operands.
    fn timing(&mut self) -> Result<OpTiming> {
        let word = self.word()?;
        let (entry, own) = word.split_once('>').unwrap_or(("0", word));
        let parts: Vec<&str> = own.split(':').collect();
        let timing = match parts.as_slice() {
            [ns] => ns.parse().ok().map(OpTiming::combinational),
            [l, i, o] => match (l.parse(), i.parse(), o.parse()) {
                (Ok(latency), Ok(input_ns), Ok(output_ns)) => {
                    Some(OpTiming { latency, input_ns, output_ns, entry_ns: 0.0 })
                }
                _ => None,
            },
            _ => None,
        };
        let timing = timing.zip(entry.parse().ok());
        let timing = timing.map(|(own, entry_ns)| OpTiming { entry_ns, ..own });
        timing.ok_or_else(|| self.error(format!("`{word}` is no timing")))
    }

    /// A string as Rust writes it.
    fn string(&mut self) -> Result<String> {
        let mut chars = self.rest.trim_start().chars();
        if chars.next() != Some('"') {
            return Err(self.error("expected a string"));
        }
        let mut out = String::new();
        while let Some(c) = chars.next() {
            match c {
                '"' => {
                    self.rest = chars.as_str();
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some('t') => out.push('\t'),
                    Some('0') => out.push('\0'),
                    Some('u') => {
                        let digits: String =
                            chars.by_ref().take_while(|c| *c != '}').skip(1).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        out.push(code.ok_or_else(|| self.error("no such character"))?);
                    }
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err(self.error("a string has no end"))
    }
}

/// The schedule as far as it was read, and what the text's numbers stand for.
struct Reader {
    s: KernelSchedule,
    values: Vec<Value>,
    effects: Vec<Inst>,
    /// Functions of units whose line has not been read.
    units: std::vec::IntoIter<Unit>,
}

impl Reader {
    fn new(func: Function) -> Self {
        let values = values(&func);
        let effects = insts(&func).into_iter().filter(|i| func.insts[*i].op.is_effect()).collect();
        let s = KernelSchedule {
            func,
            clock: Clock { period_ns: 0.0, overhead_ns: 0.0 },
            place: SecondaryMap::new(),
            timing: SecondaryMap::new(),
            prologue_latency: 0,
            spread: false,
            blocks: SecondaryMap::new(),
            loops: vec![],
            pipelined: IndexMap::default(),
            memories: PrimaryMap::new(),
            accesses: IndexMap::default(),
            in_turn: vec![],
            bound: IndexMap::default(),
            units: PrimaryMap::new(),
            unit_of: SecondaryMap::new(),
            shared: vec![],
            forms: IndexMap::default(),
            occupancy: Occupancy { slots: 0, max_work_group_size: 0, slot_bits: 0, lid_bits: 0 },
            task: false,
            notes: vec![],
        };
        Reader { s, values, effects, units: vec![].into_iter() }
    }

    /// Places and timing of all instructions, in the order of the text.
    fn placed(&mut self, places: Vec<Prefix<'_>>, units: Vec<Function>) -> Result<()> {
        let mut places = places.into_iter();
        for inst in insts(&self.s.func) {
            let (place, timing, unit) = next_place(&mut places)?;
            self.s.place[inst] = place;
            self.s.timing[inst] = timing;
            self.s.unit_of[inst] = unit;
        }
        let mut out = vec![];
        for func in units {
            let (mut place_of, mut timing_of) = (SecondaryMap::new(), SecondaryMap::new());
            for inst in insts(&func) {
                let (place, timing, _) = next_place(&mut places)?;
                place_of[inst] = place;
                timing_of[inst] = timing;
            }
            let outputs = match func.layout.last().map(|b| &func.blocks[*b].term) {
                Some(Terminator::Return(Some(v))) => vec![*v],
                _ => vec![],
            };
            out.push(Unit {
                name: String::new(),
                func,
                outputs,
                place: place_of,
                inst_timing: timing_of,
                timing: OpTiming::default(),
                turning: None,
                shared: vec![],
                ii: 1,
            });
        }
        if let Some(p) = places.next() {
            return Err(error(p.line, "a place in front of what is no instruction"));
        }
        self.units = out.into_iter();
        Ok(())
    }

    /// A line in front of the IR text.
    fn fact(&mut self, mut line: Line<'_>) -> Result<()> {
        let l = &mut line;
        match l.word()? {
            "schedule" => {
                let name = l.string()?;
                if name != self.s.func.name {
                    return Err(l.error(format!("the kernel is not called `{name}`")));
                }
                let period_ns = l.field("period")?;
                self.s.clock = Clock { period_ns, overhead_ns: l.field("overhead")? };
                self.s.spread = l.peek() == Some("spread");
                if self.s.spread {
                    l.word()?;
                }
            }
            "occupancy" => {
                self.s.occupancy = Occupancy {
                    slots: l.field("slots")?,
                    max_work_group_size: l.field("work_group")?,
                    slot_bits: l.field("slot_bits")?,
                    lid_bits: l.field("lid_bits")?,
                };
                self.s.task = l.field("task")?;
            }
            "prologue" => self.s.prologue_latency = l.read()?,
            "memory" => self.memory(l)?,
            "access" => self.access(l)?,
            "unit" => {
                let no_code = l.error("this unit has no function");
                let mut unit = self.units.next().ok_or(no_code)?;
                (unit.name, unit.timing) = (l.string()?, l.timing()?);
                unit_form(l, &mut unit)?;
                self.s.units.push(unit);
            }
            "loop" => self.a_loop(l)?,
            "block" => self.block_schedule(l)?,
            "pipelined" => self.pipelined(l)?,
            "feedback" => self.feedback(l)?,
            "in_turn" => self.in_turn(l)?,
            "bound" => self.bound(l)?,
            "late" => self.late(l)?,
            "shared" => {
                let group = shared(l, &self.s.func, &self.values)?;
                self.s.shared.push(group);
            }
            "form" => {
                let value = self.value(l)?;
                let no_result = l.error("this value is no operation's");
                let inst = self.s.func.def_inst(value).ok_or(no_result)?;
                let why = l.string()?;
                self.s.forms.insert(inst, why);
            }
            "note" => {
                let note = l.string()?;
                self.s.notes.push(note);
            }
            other => return Err(l.error(format!("unexpected `{other}`"))),
        }
        match line.peek() {
            None => Ok(()),
            Some(more) => Err(line.error(format!("unexpected `{more}`"))),
        }
    }

    fn block(&self, l: &Line<'_>, word: &str) -> Result<Block> {
        let number = l.numbered(word, "b")?;
        let block = self.s.func.layout.get(number).copied();
        block.ok_or_else(|| l.error(format!("{word} does not exist")))
    }

    fn value(&self, l: &mut Line<'_>) -> Result<Value> {
        let number = l.number("v")?;
        let value = self.values.get(number).copied();
        value.ok_or_else(|| l.error(format!("v{number} does not exist")))
    }

    fn memory(&mut self, l: &mut Line<'_>) -> Result<()> {
        let name = l.string()?;
        let kind = match l.word()? {
            "device" => MemoryKind::Device { port: l.read()? },
            "local" => MemoryKind::Local,
            "private" => MemoryKind::Private,
            "pipe" => MemoryKind::Pipe { arg: l.read()? },
            other => return Err(l.error(format!("`{other}` is no kind of memory"))),
        };
        let (bytes, word_bytes) = (l.field("bytes")?, l.field("word")?);
        let atomic = l.field("atomic")?;
        let replicas = if l.peek() == Some("replicas") { Some(l.field("replicas")?) } else { None };
        let timed = if l.peek() == Some("timed") { Some(l.field("timed")?) } else { None };
        let mut objects = vec![];
        while let Some(word) = l.peek() {
            l.word()?;
            let (object, offset) = word.split_once('@').unwrap_or((word, ""));
            let number = l.numbered(object, "o")?;
            let offset = offset.parse().map_err(|_| l.error(format!("`{word}` has no offset")))?;
            if number >= self.s.func.objects.len() {
                return Err(l.error(format!("{object} does not exist")));
            }
            objects.push((Object::new(number), offset));
        }
        let memory = Memory { name, kind, objects, bytes, word_bytes, atomic, replicas, timed };
        self.s.memories.push(memory);
        Ok(())
    }

    fn memory_number(&self, l: &mut Line<'_>) -> Result<MemoryId> {
        let memory = l.number("mem")?;
        if memory >= self.s.memories.len() {
            return Err(l.error(format!("mem{memory} does not exist")));
        }
        Ok(MemoryId::new(memory))
    }

    fn effect(&self, l: &mut Line<'_>) -> Result<Inst> {
        let number = l.number("e")?;
        let missing = l.error(format!("e{number} does not exist"));
        self.effects.get(number).copied().ok_or(missing)
    }

    fn access(&mut self, l: &mut Line<'_>) -> Result<()> {
        let inst = self.effect(l)?;
        let data = &self.s.func.insts[inst];
        let kind = match data.op {
            Op::Load(_) => AccessKind::Load,
            Op::Atomic(op, _) => AccessKind::Atomic(op),
            Op::Pipe { op, .. } => AccessKind::Pipe(op),
            _ => AccessKind::Store,
        };
        let memory = self.memory_number(l)?;
        let (bytes, ack, read_only) = (l.field("bytes")?, l.field("ack")?, l.field("read_only")?);
        let (align, reuse) = match l.peek() {
            Some("align") => (l.field("align")?, l.field("reuse")?),
            _ => (bytes, false),
        };
        let access = Access {
            memory,
            kind,
            bytes,
            ack,
            align,
            read_only,
            reuse,
            cache_lines: if l.peek() == Some("cache_lines") { l.field("cache_lines")? } else { 0 },
            replica: if l.peek() == Some("replica") { l.field("replica")? } else { 0 },
            timed: if l.peek() == Some("port") { Some(l.field("port")?) } else { None },
            argument: if l.peek().is_some() { Some(l.field("argument")?) } else { None },
            loc: data.loc,
        };
        self.s.accesses.insert(inst, access);
        Ok(())
    }

    fn a_loop(&mut self, l: &mut Line<'_>) -> Result<()> {
        let word = l.word()?;
        let header = self.block(l, word)?;
        let kind = match l.word()? {
            "threaded" => LoopKind::Threaded,
            "pipelined" => LoopKind::Pipelined,
            other => return Err(l.error(format!("`{other}` is no kind of loop"))),
        };
        let (ii, latency) = (l.field("ii")?, l.field("latency")?);
        let (limit, back_depth) = (l.field("limit")?, l.field("depth")?);
        let parent = if l.peek() == Some("in") { Some(l.field("in")?) } else { None };
        let ports = match l.peek() {
            Some("ports") => {
                l.word()?;
                Some(self.memory_number(l)?)
            }
            _ => None,
        };
        l.expect("blocks")?;
        let blocks = self.blocks_until(l, "entries")?;
        let entries = self.blocks_until(l, "back")?;
        let mut back_edges = vec![];
        while let Some(word) = l.peek().filter(|w| !w.starts_with('"')) {
            l.word()?;
            let (block, k) = word.split_once('.').unwrap_or((word, ""));
            let k = k.parse().map_err(|_| l.error(format!("`{word}` is no edge")))?;
            back_edges.push((self.block(l, block)?, k));
        }
        let reason = l.string()?;
        self.s.loops.push(LoopSchedule {
            header,
            blocks,
            entries,
            back_edges,
            parent,
            kind,
            limit,
            back_depth,
            latency,
            ii,
            ports,
            reason,
        });
        Ok(())
    }

    fn blocks_until(&self, l: &mut Line<'_>, end: &str) -> Result<Vec<Block>> {
        let mut out = vec![];
        loop {
            match l.word()? {
                word if word == end => return Ok(out),
                word => out.push(self.block(l, word)?),
            }
        }
    }

    fn block_schedule(&mut self, l: &mut Line<'_>) -> Result<()> {
        let word = l.word()?;
        let block = self.block(l, word)?;
        let mut segments = vec![];
        while l.peek().is_some() {
            let (latency, ii) = (l.field("segment")?, l.field("ii")?);
            let window = if l.peek() == Some("window") { l.field("window")? } else { 0 };
            let control = match l.word()? {
                "fifo" => Control::StallFree { depth: l.read()? },
                "enabled" => Control::Enabled,
                other => return Err(l.error(format!("`{other}` is no flow control"))),
            };
            segments.push(Segment { latency, ii, window, control });
        }
        self.s.blocks[block] = BlockSchedule { segments };
        Ok(())
    }

    fn pipelined(&mut self, l: &mut Line<'_>) -> Result<()> {
        let word = l.word()?;
        let block = self.block(l, word)?;
        l.expect("condition")?;
        let condition = l.moment()?;
        let exit_on_true = l.field("exit_on_true")?;
        let speculated = l.peek() == Some("speculated");
        if speculated {
            l.expect("speculated")?;
        }
        let order = match l.peek() {
            Some("distance") => {
                let distance = l.field("distance")?;
                Some(Order { distance, from: l.field("from")?, to: l.field("to")? })
            }
            _ => None,
        };
        let p = PipelinedLoop { condition, exit_on_true, speculated, order, ..Default::default() };
        self.s.pipelined.insert(block, p);
        Ok(())
    }

    /// Block, parameter and next value of a line that belongs to a pipelined loop.
    fn carried(&self, l: &mut Line<'_>) -> Result<(Block, Value, Value)> {
        let word = l.word()?;
        let block = self.block(l, word)?;
        if !self.s.pipelined.contains_key(&block) {
            return Err(l.error(format!("{word} is no pipelined loop")));
        }
        Ok((block, self.value(l)?, self.value(l)?))
    }

    fn bound(&mut self, l: &mut Line<'_>) -> Result<()> {
        let word = l.word()?;
        let block = self.block(l, word)?;
        let bound = match l.word()? {
            "turns" => Bound::Turns { otherwise: l.read()? },
            "ports" => Bound::Ports,
            other => return Err(l.error(format!("`{other}` binds nothing"))),
        };
        self.s.bound.insert(block, bound);
        Ok(())
    }

    fn in_turn(&mut self, l: &mut Line<'_>) -> Result<()> {
        let (first, second) = (self.effect(l)?, self.effect(l)?);
        let distance = l.field("distance")?;
        let held = l.peek() == Some("held");
        if held {
            l.word()?;
        }
        self.s.in_turn.push(InTurn { first, second, distance, held });
        Ok(())
    }

    fn feedback(&mut self, l: &mut Line<'_>) -> Result<()> {
        let (block, param, next) = self.carried(l)?;
        let segment = l.field("segment")?;
        let (read, write) = (l.field("read")?, l.field("write")?);
        let distance = if l.peek() == Some("distance") { l.field("distance")? } else { 1 };
        let feedback = Feedback { param, next, distance, segment, read, write };
        self.s.pipelined[&block].feedback.push(feedback);
        Ok(())
    }

    fn late(&mut self, l: &mut Line<'_>) -> Result<()> {
        let (block, param, next) = self.carried(l)?;
        let known = l.moment()?;
        self.s.pipelined[&block].late.push(Late { param, next, known });
        Ok(())
    }
}

/// What stands behind a unit's timing: its loop, or the multipliers that its products share.
fn unit_form(l: &mut Line<'_>, unit: &mut Unit) -> Result<()> {
    if l.peek() == Some("turns") {
        unit.turning = Some(Turning {
            turns: l.field("turns")?,
            cycles: l.field("cycles")?,
            start: l.field("start")?,
            load_ns: l.field("load")?,
        });
    }
    if l.peek() == Some("every") {
        unit.ii = l.field("every")?;
    }
    let values = values(&unit.func);
    while l.peek() == Some("shared") {
        l.word()?;
        unit.shared.push(shared(l, &unit.func, &values)?);
    }
    Ok(())
}

/// Delay of the multiplexers and the results of the operations behind the word `shared`.
fn shared(l: &mut Line<'_>, func: &Function, values: &[Value]) -> Result<Shared> {
    let select_ns = l.read()?;
    let staged = l.peek() == Some("staged");
    if staged {
        l.word()?;
    }
    let mut insts = vec![];
    while l.peek().is_some_and(|w| w != "shared") {
        let number = l.number("v")?;
        let inst = values.get(number).and_then(|v| func.def_inst(*v));
        insts.push(inst.ok_or_else(|| l.error(format!("v{number} is no operation's")))?);
    }
    Ok(Shared { insts, select_ns, staged })
}

/// Values in the order of the text.
fn values(func: &Function) -> Vec<Value> {
    let mut values = vec![];
    for block in func.layout.iter().map(|b| &func.blocks[*b]) {
        values.extend(&block.params);
        values.extend(block.insts.iter().filter_map(|i| func.insts[*i].result));
    }
    values
}

/// Instructions in the order of the text.
fn insts(func: &Function) -> Vec<Inst> {
    func.layout.iter().flat_map(|b| func.blocks[*b].insts.iter().copied()).collect()
}

/// The next instruction's place, timing and unit.
fn next_place<'a>(
    places: &mut impl Iterator<Item = Prefix<'a>>,
) -> Result<(Option<Place>, OpTiming, Option<UnitId>)> {
    let Some(prefix) = places.next() else {
        return Err(error(1, "an instruction has no place in front of it"));
    };
    let mut l = Line { number: prefix.line, rest: prefix.text };
    let word = l.word()?;
    let place = match word {
        "static" => Some(Place::Static),
        "fetched" => Some(Place::Fetched),
        "dispatch" => Some(Place::Dispatch),
        "entry" => Some(Place::BlockEntry),
        "nowhere" => None,
        "after" => Some(Place::Boundary { segment: l.number("s")? as u32 }),
        _ => match word.strip_prefix("prologue@") {
            Some(cycle) => {
                let cycle = cycle.parse().map_err(|_| l.error(format!("`{word}` is no place")))?;
                Some(Place::Prologue { cycle })
            }
            None => {
                let m = Line { number: l.number, rest: word }.moment()?;
                Some(Place::Segment { segment: m.segment, cycle: m.cycle })
            }
        },
    };
    let digit = |w: &str| w.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let timing = if l.peek().is_some_and(digit) { l.timing()? } else { OpTiming::default() };
    let unit = if l.peek().is_some() { Some(UnitId::new(l.number("unit")?)) } else { None };
    match l.peek() {
        None => Ok((place, timing, unit)),
        Some(more) => Err(l.error(format!("unexpected `{more}`"))),
    }
}
