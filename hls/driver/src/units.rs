//! The number of compute units of kernels for which the user gives none (docs/parallelism.md).
//!
//! Each kernel is made with one unit first. What its schedule asks of the unit and of memory, and its estimated area, tell how
//! many copies would pay; the hardware is then generated once more with these. Nothing is optimised or scheduled again.

#[cfg(test)]
mod tests;

use crate::failure::Result;
use crate::fit::{Hardware, kernel_areas, module_areas};
use crate::pipeline::{Options, Pipeline};
use abi::{ArgKind, SiteKind};
use base::Diagnostic;
use report::UnitsLimit;
use schedule_to_report::{Demand, Made};
use schedule_to_rtl::{MOST_COMPUTE_UNITS, MOST_LOAD_UNITS};
use std::collections::BTreeMap;
use target::{Area, Board, Flow};

/// A unit that takes a token sooner than after so many cycles is a straight pipeline: what it lacks are wider tokens.
const STRAIGHT_CYCLES: f64 = 2.0;

/// How many compute units a kernel has, and why not more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// Compute units.
    pub(crate) units: u32,
    /// What decided.
    pub(crate) limit: UnitsLimit,
    /// The same in words.
    pub(crate) reason: String,
}

/// What decides.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Why copies are no question, with what says so.
    pub(crate) single: Option<(UnitsLimit, String)>,
    /// Work-groups of the launches, where they are known.
    pub(crate) work_groups: Option<u64>,
    /// Cycles from one token to the next in one unit.
    pub(crate) unit_cycles: f64,
    /// Cycles that the busiest memory port needs for a token.
    pub(crate) memory_cycles: f64,
    /// Memory units that one compute unit has on the busier side of a port.
    pub(crate) port_units: u32,
    /// What the kernel takes with one unit.
    pub(crate) one: Area,
    /// What it may take.
    pub(crate) room: Area,
}

impl Facts {
    /// Units of which memory can serve all: together they ask for no more beats than the port carries.
    fn served(&self) -> u32 {
        // What is off by less is rounding.
        const EXACT: f64 = 1e-9;
        whole(self.unit_cycles / self.memory_cycles.max(EXACT) + EXACT)
    }

    /// What limits the number, and to what, in the order in which equal limits are named.
    fn limits(&self) -> [(UnitsLimit, u32); 5] {
        let groups = self.work_groups.map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX));
        [
            (UnitsLimit::WorkGroups, groups),
            (UnitsLimit::Memory, self.served()),
            (UnitsLimit::Area, fitting(1, &self.one, &self.room)),
            (UnitsLimit::MemoryUnits, MOST_LOAD_UNITS / self.port_units.max(1)),
            (UnitsLimit::Most, MOST_COMPUTE_UNITS),
        ]
    }
}

/// The number of compute units, and what limits it.
pub(crate) fn choose(facts: &Facts) -> (u32, UnitsLimit) {
    if let Some((limit, _)) = &facts.single {
        return (1, *limit);
    }
    let [first, rest @ ..] = facts.limits();
    let (limit, units) =
        rest.into_iter().fold(first, |least, next| if next.1 < least.1 { next } else { least });
    (units.max(1), limit)
}

/// Units that fit, when `units` of them take an area. Each counts as much as another, although the kernel's registers and ports,
/// which are in it, too, are there once.
fn fitting(units: u32, area: &Area, room: &Area) -> u32 {
    let needed = resources(area, room).into_iter().filter(|(_, need, _)| *need > 0.0);
    let times = needed.map(|(_, need, have)| have / need).fold(f64::MAX, f64::min);
    whole(f64::from(units) * times)
}

/// A whole number of units that is not too large for one.
fn whole(n: f64) -> u32 {
    n.floor().clamp(1.0, f64::from(u32::MAX)) as u32
}

/// Each resource with what of it two areas are.
fn resources(a: &Area, b: &Area) -> [(&'static str, f64, f64); 4] {
    [("LUT", a.lut, b.lut), ("FF", a.ff, b.ff), ("DSP", a.dsp, b.dsp), ("RAM", a.bram, b.bram)]
}

/// `LUT 58 % of a super logic region`, of all kernels together: of the resource that is nearest to what copies may fill.
fn fill(taken: &Area, board: &Board) -> String {
    let most = resources(taken, &board.room_for_copies());
    let whole = resources(taken, &board.region());
    let fullest = most.iter().zip(whole).map(|((_, need, room), of)| (need / room.max(1.0), of));
    let fullest = fullest.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let (name, need, have) = fullest.map_or(("LUT", 0.0, 1.0), |(_, of)| of);
    let of = if board.resources.regions > 1 { "a super logic region" } else { "the device" };
    format!("{name} {:.0} % of {of}", 100.0 * need / have.max(1.0))
}

/// Cycles that the busiest memory port of a board needs for what a token asks for.
pub(crate) fn memory_cycles(demand: &Demand, board: &Board, clock_mhz: f64) -> f64 {
    let (reads, writes) = demand.beats;
    let port = reads.max(writes);
    // A faster clock has shorter cycles; the memory behind the port keeps its own.
    let cycles = |beat: f64| beat * clock_mhz / f64::from(board.default_clock_mhz);
    board.memory.beat_cycles.map_or(port, |beat| port.max((reads + writes) * cycles(beat)))
}

impl Pipeline<'_> {
    /// Adds copies of the datapaths of finished hardware that has one of each, unless the user says how many there are.
    ///
    /// # Errors
    /// Those of generating hardware.
    pub(crate) fn add_units(&self, made: Hardware) -> Result<Hardware> {
        if self.options.compute_units.is_some() {
            return Ok(made);
        }
        let facts = self.all_facts(&made);
        let mut chosen: BTreeMap<String, (u32, UnitsLimit)> =
            facts.iter().map(|(name, f)| (name.clone(), choose(f))).collect();
        let mut made = made;
        loop {
            let units: BTreeMap<String, u32> =
                chosen.iter().map(|(name, (n, _))| (name.clone(), *n)).collect();
            if units.values().all(|n| *n == 1) {
                break;
            }
            let (design, manifest) = self.rtl(&made.module, &made.schedules, &units)?;
            let of_modules = module_areas(&design, self.board);
            let areas = kernel_areas(&of_modules, &manifest);
            // What copies share may grow more than they do: as many as fit by what these take.
            let mut fits = true;
            for (name, (n, limit)) in &mut chosen {
                let (Some(area), Some(facts)) = (areas.get(name), facts.get(name)) else {
                    continue;
                };
                let fitting = fitting(*n, area, &facts.room);
                if *n > 1 && fitting < *n {
                    (*n, *limit, fits) = (fitting, UnitsLimit::Area, false);
                }
            }
            if fits {
                (made.design, made.manifest) = (design, manifest);
                (made.areas, made.of_modules) = (areas, of_modules);
                break;
            }
        }
        self.explain(&mut made, &facts, &chosen);
        Ok(made)
    }

    /// Says of every kernel why it has as many units as it has.
    fn explain(
        &self,
        made: &mut Hardware,
        facts: &BTreeMap<String, Facts>,
        chosen: &BTreeMap<String, (u32, UnitsLimit)>,
    ) {
        let taken = rtl_to_area::sum(made.areas.values().copied());
        for (name, (units, limit)) in chosen {
            let Some(facts) = facts.get(name) else { continue };
            let reason = reason(facts, *limit, self.board, &taken);
            if *units > 1 {
                let loc = made.module.kernels().find(|(_, f)| f.name == *name).map(|(_, f)| f.loc);
                let what = format!("`{name}` has {units} compute units: {reason}");
                let remark = Diagnostic::remark("W0316", what)
                    .at(loc.unwrap_or_default())
                    .help("`--compute-units 1` makes smaller hardware that is slower");
                self.remarks.borrow_mut().push((name.clone(), remark));
            }
            let choice = Choice { units: *units, limit: *limit, reason };
            made.units.insert(name.clone(), choice);
        }
    }

    /// The number of units that finished hardware with one of each would get, by kernel; nothing where the user says how many there are.
    pub(crate) fn units_of(&self, made: &Hardware) -> BTreeMap<String, u32> {
        let open = self.options.compute_units.is_none();
        let facts = self.all_facts(made).into_iter().filter(|_| open);
        facts.map(|(name, facts)| (name, choose(&facts).0)).collect()
    }

    /// What decides the number of units of each kernel.
    fn all_facts(&self, made: &Hardware) -> BTreeMap<String, Facts> {
        let mut facts: BTreeMap<String, Facts> = made
            .schedules
            .iter()
            .filter_map(|s| Some((s.func.name.clone(), self.facts(made, s)?)))
            .collect();
        let all = rtl_to_area::sum(made.areas.values().copied());
        let room = self.board.room_for_copies();
        // Kernels that could have copies share what all kernels with one unit each leave.
        let unlimited = Area { lut: f64::MAX, ff: f64::MAX, dsp: f64::MAX, bram: f64::MAX };
        let wants = |f: &Facts| choose(&Facts { room: unlimited, ..f.clone() }).0 > 1;
        let sharing = facts.values().filter(|f| wants(f)).count().max(1) as f64;
        let part = |room: f64, all: f64, own: f64| own + (room - all).max(0.0) / sharing;
        for f in facts.values_mut() {
            let own = f.one;
            f.room = Area {
                lut: part(room.lut, all.lut, own.lut),
                ff: part(room.ff, all.ff, own.ff),
                dsp: part(room.dsp, all.dsp, own.dsp),
                bram: part(room.bram, all.bram, own.bram),
            };
        }
        facts
    }

    fn facts(&self, made: &Hardware, schedule: &schedule::KernelSchedule) -> Option<Facts> {
        let name = &schedule.func.name;
        let kernel = made.manifest.kernels.iter().find(|k| k.signature.name == *name)?;
        let demand = schedule_to_report::demand(&Made {
            schedule,
            kernel,
            design: &made.design,
            parts: &[],
            area: Area::default(),
            units: (UnitsLimit::Off, ""),
            board: self.board,
            sources: &made.module.sources,
        });
        let side = |port: &str, not: SiteKind| {
            let on = |s: &&abi::Site| s.kind != not && s.port.as_deref() == Some(port);
            kernel.sites.iter().filter(on).count() as u32
        };
        let sides = kernel
            .memory_ports
            .iter()
            .map(|p| side(&p.name, SiteKind::Store).max(side(&p.name, SiteKind::Load)));
        Some(Facts {
            single: single(self.options, self.board, schedule, kernel, &demand),
            work_groups: self.options.work_groups,
            unit_cycles: demand.unit_cycles,
            memory_cycles: memory_cycles(&demand, self.board, kernel.clock_mhz),
            port_units: sides.max().unwrap_or(0),
            one: made.areas.get(name).copied().unwrap_or_default(),
            room: Area::default(),
        })
    }
}

/// Why a kernel has one compute unit whatever it computes.
fn single(
    options: &Options,
    board: &Board,
    schedule: &schedule::KernelSchedule,
    kernel: &abi::Kernel,
    demand: &Demand,
) -> Option<(UnitsLimit, String)> {
    let signature = &kernel.signature;
    let info = schedule.func.kernel.as_ref();
    let lanes = options.simd.is_some() || info.is_some_and(|i| i.num_simd_work_items.is_some());
    let because = |limit, why: &str| Some((limit, why.to_owned()));
    if schedule.task {
        because(UnitsLimit::SingleWorkItem, "the kernel is a single work-item")
    } else if options.level < ir_opt::Level::O2 {
        because(UnitsLimit::Off, "copies are made only at -O2")
    } else if board.flow == Flow::None {
        Some((UnitsLimit::Off, format!("board {} has no device to fill", board.name)))
    } else if signature.args.iter().any(|a| a.kind == ArgKind::Pipe) {
        because(UnitsLimit::Pipes, "packets keep the order of the work-items")
    } else if signature.enqueued || !signature.enqueues.is_empty() {
        because(UnitsLimit::Enqueue, "kernels are enqueued in the order of the work-items")
    } else if lanes && demand.unit_cycles < STRAIGHT_CYCLES {
        because(UnitsLimit::Lanes, "a cycle takes as many work-items as was asked for")
    } else {
        None
    }
}

/// What limits the number of units, with the figures behind it.
fn reason(facts: &Facts, limit: UnitsLimit, board: &Board, taken: &Area) -> String {
    let why = match limit {
        UnitsLimit::WorkGroups => {
            let groups = facts.work_groups.unwrap_or(1);
            let s = if groups == 1 { "" } else { "s" };
            format!("limited by the launch's {groups} work-group{s}")
        }
        UnitsLimit::Memory => {
            let share = 100.0 * (facts.memory_cycles / facts.unit_cycles.max(1.0)).min(1.0);
            format!("limited by memory bandwidth (one unit asks for {share:.0} % of the port's)")
        }
        UnitsLimit::Area => format!("limited by area ({})", fill(taken, board)),
        UnitsLimit::MemoryUnits => {
            format!("limited by the places at a memory port ({MOST_LOAD_UNITS} units)")
        }
        UnitsLimit::Most => format!("the most that there are ({})", fill(taken, board)),
        _ => facts.single.as_ref().map_or_else(String::new, |(_, why)| why.clone()),
    };
    match limit {
        UnitsLimit::SingleWorkItem => why,
        _ => format!("{why}; --compute-units N asks for another number"),
    }
}

/// The number of units that the user asked for.
pub(crate) fn asked(kernel: &abi::Kernel) -> Choice {
    let units = kernel.signature.compute_units;
    Choice { units, limit: UnitsLimit::Asked, reason: "as asked for".to_owned() }
}
