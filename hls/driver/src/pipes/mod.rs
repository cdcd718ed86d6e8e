//! Connected pipes of a build: how deep those are that the user leaves open, and kernels that would wait for one another for ever.

mod burst;
mod capacity;
mod network;
mod process;

use crate::connect::{Connection, End, MOST_DEPTH};
use crate::failure::{Failure, Result};
use crate::pipeline::Pipeline;
use base::{Diagnostic, Loc, Severity, SourceMap};
use capacity::Capacity;
use ir::{Function, KernelArgKind, Module, Op};
use network::{Network, Port, Stuck};
use process::{Process, repeats_until_it_succeeds};
use schedule::KernelSchedule;
use std::collections::BTreeMap;
use target::Flow;

/// Packets that a connected pipe holds at least where the user does not say: more than are on their way from one end to the other.
const LEAST_DEPTH: u32 = 16;
/// Most packets that a pipe holds for speed alone.
const MOST_FOR_SPEED: u64 = 1024;

/// Code of what waits for ever.
const DEADLOCK: &str = "E0405";
const PERHAPS_DEADLOCK: &str = "W0405";
/// Code of reservations that never succeed.
const TOO_LARGE: &str = "E0406";
const NEVER_VALID: &str = "W0406";
/// Code of the remark on a depth that was chosen.
const CHOSEN: &str = "W0407";

/// An argument that is a connected pipe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Argument {
    /// Index among the kernels.
    kernel: usize,
    arg: u32,
}

/// A connected pipe: one argument, or two that are its ends.
struct Pipe {
    ends: Vec<(Argument, bool)>,
    depth: u32,
    /// Why it is as deep, where that was chosen here.
    why: Option<String>,
}

/// The kernels of a build and the pipes between them.
struct Plan<'m> {
    kernels: Vec<&'m Function>,
    sources: &'m SourceMap,
    pipes: Vec<Pipe>,
}

impl Pipeline<'_> {
    /// Decides how deep connected pipes are, and refuses kernels that would wait for one another for ever.
    ///
    /// # Errors
    /// `E0405`, `E0406`
    pub(crate) fn settle_pipes(
        &self,
        module: &mut Module,
        schedules: &mut [KernelSchedule],
    ) -> Result<()> {
        let mut plan = Plan::new(module, &self.options.connections);
        if plan.pipes.is_empty() {
            return Ok(());
        }
        for pipe in &mut plan.pipes {
            if pipe.depth == 0 {
                let (depth, why) = choose(&plan.kernels, plan.sources, schedules, pipe);
                (pipe.depth, pipe.why) = (depth, Some(why));
            }
        }
        let mut said = plan.reservations();
        said.extend(plan.deadlock(schedules, self.board.flow));
        if let Some(error) = said.iter().find(|(_, d)| d.severity == Severity::Error) {
            return Err(Failure::with_sources(error.1.clone().into(), plan.sources));
        }
        said.extend(plan.remarks());
        let depths: Vec<(String, u32, u32)> = plan.depths().collect();
        let mut remarks = self.remarks.borrow_mut();
        // Hardware may be tried several times.
        remarks.retain(|(_, d)| ![PERHAPS_DEADLOCK, NEVER_VALID, CHOSEN].contains(&d.code));
        remarks.extend(said);
        drop(remarks);
        for (kernel, arg, depth) in depths {
            let in_module = module.functions.values_mut().filter(|f| f.name == kernel);
            let scheduled = schedules.iter_mut().map(|s| &mut s.func).filter(|f| f.name == kernel);
            in_module.chain(scheduled).for_each(|func| set_depth(func, arg, depth));
        }
        Ok(())
    }
}

fn set_depth(func: &mut Function, arg: u32, depth: u32) {
    let args = func.kernel.as_mut().map(|k| &mut k.args);
    if let Some(arg) = args.and_then(|args| args.get_mut(arg as usize))
        && let KernelArgKind::Pipe(access) = &mut arg.kind
    {
        access.connected = Some(depth);
    }
}

impl<'m> Plan<'m> {
    /// The pipes as connections and kernels have them; depths that were left open are 0.
    fn new(module: &'m Module, connections: &[Connection]) -> Self {
        let kernels: Vec<&Function> = module.kernels().map(|(_, f)| f).collect();
        let mut pipes: Vec<Pipe> = vec![];
        let mut all: BTreeMap<Argument, (bool, u32)> = BTreeMap::new();
        for (kernel, func) in kernels.iter().enumerate() {
            let args = func.kernel.as_ref().map_or(&[][..], |k| &k.args);
            for (arg, a) in args.iter().enumerate() {
                if let KernelArgKind::Pipe(access) = a.kind
                    && let Some(depth) = access.connected
                {
                    let argument = Argument { kernel, arg: arg as u32 };
                    all.insert(argument, (access.writes, depth));
                }
            }
        }
        let ends = connections.iter().map(|c| [Some(&c.end), c.to.as_ref()]);
        for ends in ends.map(|ends| ends.into_iter().flatten().filter_map(|e| find(&kernels, e))) {
            let ends: Vec<_> = ends.filter_map(|a| Some((a, all.remove(&a)?))).collect();
            pipes.extend((!ends.is_empty()).then(|| Pipe::new(&ends)));
        }
        pipes.extend(all.into_iter().map(|end| Pipe::new(&[end])));
        Plan { kernels, sources: &module.sources, pipes }
    }

    fn depths(&self) -> impl Iterator<Item = (String, u32, u32)> + '_ {
        let of_pipe = |p: &'_ Pipe| {
            let depth = p.depth;
            p.ends.iter().map(move |(a, _)| (a.kernel, a.arg, depth)).collect::<Vec<_>>()
        };
        let all = self.pipes.iter().flat_map(of_pipe);
        all.map(|(k, arg, depth)| (self.kernels[k].name.clone(), arg, depth))
    }

    /// `sink.in`
    fn name(&self, a: Argument) -> String {
        name(&self.kernels, a)
    }

    /// What to write to make a pipe as deep.
    fn edit(&self, pipe: &Pipe, depth: u64) -> String {
        let end = |writes| pipe.ends.iter().find(|(_, w)| *w == writes).map(|(a, _)| self.name(*a));
        match (end(true), end(false)) {
            (Some(from), Some(to)) => format!("--connect {from}={to}:{depth}"),
            (Some(end), None) | (None, Some(end)) => format!("--connect {end}=stream:{depth}"),
            (None, None) => String::new(),
        }
    }

    /// Remarks on depths that were chosen.
    fn remarks(&self) -> Vec<(String, Diagnostic)> {
        let mut out = vec![];
        for (pipe, why) in self.pipes.iter().filter_map(|p| Some((p, p.why.as_ref()?))) {
            for (a, _) in &pipe.ends {
                let name = name_of_arg(self.kernels[a.kernel], a.arg);
                let text = format!("pipe `{name}` holds {} packets: {why}", pipe.depth);
                let remark = Diagnostic::remark(CHOSEN, text);
                out.push((self.kernels[a.kernel].name.clone(), remark));
            }
        }
        out
    }

    /// Reservations of more packets than their pipes hold.
    fn reservations(&self) -> Vec<(String, Diagnostic)> {
        let mut out = vec![];
        for pipe in &self.pipes {
            for (a, _) in &pipe.ends {
                let func = self.kernels[a.kernel];
                for r in reservations(func, a.arg) {
                    let Some(count) = r.count.filter(|n| *n > pipe.depth.into()) else { continue };
                    let what = format!(
                        "a reservation of {count} packets of pipe `{}`, which holds {}, never succeeds",
                        self.name(*a),
                        pipe.depth
                    );
                    let d = match r.repeats {
                        true => {
                            Diagnostic::error(TOO_LARGE, what + ", and the kernel waits for it")
                        }
                        false => Diagnostic::warning(NEVER_VALID, what),
                    };
                    let d = d.at(r.loc);
                    let d = match count <= MOST_DEPTH.into() {
                        true => d.help(format!("make the pipe deeper: {}", self.edit(pipe, count))),
                        false => {
                            d.help(format!("a connected pipe holds at most {MOST_DEPTH} packets"))
                        }
                    };
                    out.push((func.name.clone(), d));
                }
            }
        }
        out
    }

    /// Kernels that wait for one another. Pipes whose depth is open are made deeper where that helps.
    fn deadlock(
        &mut self,
        schedules: &[KernelSchedule],
        flow: Flow,
    ) -> Option<(String, Diagnostic)> {
        let processes: Vec<Option<Process>> =
            self.kernels.iter().map(|func| Process::of(func)).collect();
        let mut ports = BTreeMap::new();
        for (k, pipe) in self.pipes.iter().enumerate() {
            for (a, writes) in &pipe.ends {
                ports.insert((a.kernel, a.arg), Port { pipe: k, writes: *writes });
            }
        }
        let network = Network { processes: &processes, ports: &ports };
        let depths: Vec<u64> = self.pipes.iter().map(|p| p.depth.into()).collect();
        let stuck = network.stuck(&depths);
        if stuck.is_empty() {
            return None;
        }
        let open = |k: usize| self.pipes[k].why.is_some();
        if let Some(deeper) = deepen(&network, &depths, open) {
            for (k, depth) in deeper.iter().enumerate().filter(|(k, d)| **d != depths[*k]) {
                let why = self.why_deeper(&stuck, k);
                self.pipes[k].depth = *depth as u32;
                self.pipes[k].why = Some(why);
            }
            return None;
        }
        let enough = deepen(&network, &depths, |_| true);
        let capacity = Capacity::of(self, schedules, flow);
        let beyond = network.stuck_ahead(&capacity.room, &capacity.ahead);
        let waits = |stuck: &[Stuck]| !stuck.is_empty() && stuck.iter().all(|s| s.certain);
        // What no depth helps is wrong in the source, whatever hardware makes of it.
        let certain = waits(&beyond) || enough.is_none() && waits(&stuck);
        let limits = (!certain).then_some(&capacity.room[..]);
        Some(self.say(&depths, &stuck, enough.as_deref(), limits))
    }

    fn why_deeper(&self, stuck: &[Stuck], pipe: usize) -> String {
        let place = |s: &Stuck| {
            let place = self.sources.describe(s.loc).map_or(String::new(), |p| format!(" ({p})"));
            format!("`{}`{place}", self.kernels[s.process].name)
        };
        let writer = stuck.iter().find(|s| s.port.pipe == pipe && s.port.writes);
        let reader = self.pipes[pipe].ends.iter().find(|(_, writes)| !writes);
        let reader = reader.and_then(|(a, _)| stuck.iter().find(|s| s.process == a.kernel));
        match (writer, reader) {
            (Some(w), Some(r)) => format!(
                "so many are written by {} before {} reads them, which waits for another pipe first",
                place(w),
                place(r)
            ),
            _ => "so many are written before others are read".into(),
        }
    }

    /// The message for kernels that wait for one another, with depths that are enough if any are. `perhaps`: that they may go on all
    /// the same, with the most packets that hardware can have in each pipe.
    fn say(
        &self,
        depths: &[u64],
        stuck: &[Stuck],
        enough: Option<&[u64]>,
        perhaps: Option<&[u64]>,
    ) -> (String, Diagnostic) {
        let parts: Vec<String> = stuck.iter().map(|s| self.waiting(s)).collect();
        let parts = parts.join("; ");
        let mut d = match perhaps {
            None => {
                let text = format!("kernels wait for one another for ever: {parts}");
                Diagnostic::error(DEADLOCK, text)
            }
            Some(_) => {
                let text = format!("kernels may wait for one another for ever: {parts}");
                Diagnostic::warning(PERHAPS_DEADLOCK, text)
            }
        };
        for s in stuck {
            let what = if s.port.writes { "waits for room" } else { "waits for a packet" };
            d = d.label(s.loc, format!("`{}` {what}", self.kernels[s.process].name));
        }
        let known = stuck.iter().all(|s| s.certain);
        if !known {
            d = d.note("a kernel that has nothing to do does not come there");
        } else if let Some(room) = perhaps {
            for s in stuck.iter().filter(|s| s.port.writes) {
                d = d.note(self.more_room(s, room));
            }
        }
        let help = match enough {
            Some(deeper) => {
                let changed = deeper.iter().enumerate().filter(|(k, d)| **d != depths[*k]);
                let edits: Vec<String> =
                    changed.map(|(k, depth)| self.edit(&self.pipes[k], *depth)).collect();
                let certainly = match perhaps.is_some() && known {
                    true => ", which is certain to be enough",
                    false => "",
                };
                format!("make the pipe deeper{certainly}: {}", edits.join(" "))
            }
            None => "let one of them write before it reads, or read in the order in which the other writes: no depth helps".into(),
        };
        (self.kernels[stuck[0].process].name.clone(), d.help(help))
    }

    /// That a pipe may have room for what waits for it.
    fn more_room(&self, s: &Stuck, room: &[u64]) -> String {
        let pipe = &self.pipes[s.port.pipe];
        let writer = pipe.ends.iter().find(|(_, writes)| *writes);
        let name = writer.map_or(String::new(), |(a, _)| self.name(*a));
        format!(
            "pipe `{name}` promises room for {} packets, and hardware has some more, {} at most, in units and on the way: whether \
             that is enough here differs between boards and builds",
            pipe.depth, room[s.port.pipe]
        )
    }

    fn waiting(&self, s: &Stuck) -> String {
        let pipe = &self.pipes[s.port.pipe];
        let kernel = &self.kernels[s.process].name;
        let argument = pipe.ends.iter().find(|(_, writes)| *writes == s.port.writes);
        let arg =
            argument.map_or(String::new(), |(a, _)| name_of_arg(self.kernels[a.kernel], a.arg));
        let place = self.sources.describe(s.loc).map_or(String::new(), |p| format!(" ({p})"));
        match (s.port.writes, s.at_once) {
            (true, false) => format!(
                "`{kernel}` has another packet for pipe `{arg}`{place}, which holds {}",
                pipe.depth
            ),
            (true, true) => format!(
                "`{kernel}` reserves room for {} packets of pipe `{arg}`{place}, which has {} of {}",
                s.wants, s.there, pipe.depth
            ),
            (false, false) => format!("`{kernel}` waits for a packet of pipe `{arg}`{place}"),
            (false, true) => format!(
                "`{kernel}` reserves {} packets of pipe `{arg}`{place}, which has {}",
                s.wants, s.there
            ),
        }
    }
}

impl Pipe {
    fn new(ends: &[(Argument, (bool, u32))]) -> Self {
        let depth = ends.iter().map(|(_, (_, depth))| *depth).max().unwrap_or_default();
        Pipe { ends: ends.iter().map(|(a, (writes, _))| (*a, *writes)).collect(), depth, why: None }
    }
}

/// Depths at which nobody waits for ever: those of pipes whose writers wait are doubled, and then taken back as far as they can
/// be. None if that does not help.
fn deepen(network: &Network<'_>, depths: &[u64], open: impl Fn(usize) -> bool) -> Option<Vec<u64>> {
    let mut now = depths.to_vec();
    loop {
        let stuck = network.stuck(&now);
        if stuck.is_empty() {
            break;
        }
        let full = stuck.iter().filter(|s| s.port.writes && open(s.port.pipe));
        let full: Vec<usize> =
            full.map(|s| s.port.pipe).filter(|k| now[*k] < MOST_DEPTH.into()).collect();
        if full.is_empty() {
            return None;
        }
        for k in full {
            now[k] = (2 * now[k]).min(MOST_DEPTH.into());
        }
    }
    for k in 0..now.len() {
        let (mut low, mut high) = (depths[k], now[k]);
        while low < high {
            now[k] = low.midpoint(high);
            match network.stuck(&now).is_empty() {
                true => high = now[k],
                false => low = now[k] + 1,
            }
        }
        now[k] = high;
    }
    Some(now)
}

/// The argument that a connection names.
fn find(kernels: &[&Function], end: &End) -> Option<Argument> {
    let kernel = kernels.iter().position(|f| f.name == end.kernel)?;
    let args = &kernels[kernel].kernel.as_ref()?.args;
    let named = args.iter().position(|a| a.name == end.arg);
    let arg = named.or_else(|| end.arg.parse().ok().filter(|k| *k < args.len()))?;
    Some(Argument { kernel, arg: arg as u32 })
}

fn name_of_arg(func: &Function, arg: u32) -> String {
    let args = func.kernel.as_ref().map_or(&[][..], |k| &k.args);
    let name = args.get(arg as usize).map(|a| a.name.clone()).filter(|n| !n.is_empty());
    name.unwrap_or_else(|| arg.to_string())
}

fn name(kernels: &[&Function], a: Argument) -> String {
    format!("{}.{}", kernels[a.kernel].name, name_of_arg(kernels[a.kernel], a.arg))
}

/// A reservation in a kernel's code.
struct Reservation {
    /// How many packets, where that is a constant.
    count: Option<u64>,
    /// Whether the kernel waits until it succeeds.
    repeats: bool,
    loc: Loc,
}

fn reservations(func: &Function, arg: u32) -> Vec<Reservation> {
    let mut out = vec![];
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            if !data.op.pipe().is_some_and(|(op, k)| op.reserves() && k == arg) {
                continue;
            }
            let count = data.args.first().and_then(|v| func.def_inst(*v));
            let count = count.and_then(|i| match func.insts[i].op {
                Op::Const(n) => Some(n as u64),
                _ => None,
            });
            let repeats = repeats_until_it_succeeds(func, block, inst);
            out.push(Reservation { count, repeats, loc: data.loc });
        }
    }
    out
}

/// How deep a pipe is that the user leaves open, and why.
fn choose(
    kernels: &[&Function],
    sources: &SourceMap,
    schedules: &[KernelSchedule],
    pipe: &Pipe,
) -> (u32, String) {
    let all = pipe.ends.iter().flat_map(|(a, _)| {
        let of_end = reservations(kernels[a.kernel], a.arg);
        of_end.into_iter().map(|r| (kernels[a.kernel].name.clone(), r))
    });
    let all: Vec<(String, Reservation)> = all.collect();
    let half = u64::from(MOST_DEPTH / 2);
    let known = |r: &Reservation| r.count.filter(|n| *n <= half);
    let largest =
        all.iter().filter_map(|(k, r)| Some((known(r)?, k, r.loc))).max_by_key(|(n, ..)| *n);
    if let Some((count, kernel, loc)) = largest
        && 2 * count > LEAST_DEPTH.into()
    {
        let place = sources.describe(loc).map_or(String::new(), |p| format!(" ({p})"));
        let why = format!(
            "`{kernel}` reserves {count} at once{place}, and the next ones come while these are used"
        );
        return ((2 * count).next_power_of_two() as u32, why);
    }
    let scheduled = |a: Argument| schedules.iter().find(|s| s.func.name == kernels[a.kernel].name);
    let burst = |writes: bool| {
        let (a, _) = pipe.ends.iter().find(|(_, w)| *w == writes)?;
        burst::of(scheduled(*a)?, a.arg)
    };
    if let (Some(writer), Some(reader)) = (burst(true), burst(false))
        && let Some((depth, why)) = burst::depth(&writer, &reader, MOST_FOR_SPEED)
        && depth > LEAST_DEPTH.into()
    {
        return (depth as u32, why);
    }
    let why = match all.iter().any(|(_, r)| r.count.is_none()) {
        true => {
            "more than are on their way between the ends; a reservation of more, whose size is known only when the kernel runs, needs a deeper pipe"
        }
        false => {
            "more than are on their way between the ends, so that neither waits for the other's latency"
        }
    };
    (LEAST_DEPTH, why.into())
}
