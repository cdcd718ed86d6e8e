//! Makes kernels fit the board's device: when the estimate of a kernel's hardware exceeds what
//! the device has, the kernel is compiled again with less of what trades area for speed.

use crate::failure::Result;
use crate::pipeline::{Optimised, Pipeline};
use crate::units::Choice;
use abi::Manifest;
use base::Diagnostic;
use ir::Module;
use rtl::Design;
use schedule::{KernelSchedule, Place};
use std::collections::{BTreeMap, BTreeSet};
use target::{Area, Board};

/// Share of the LUTs and flip-flops that placement and routing can use.
const ROUTABLE: f64 = 0.85;
/// What the limits of unrolling are divided by at most.
const MOST_DIVISOR: u32 = 4096;
/// Most cycles between work-items that operators are shared in.
const MOST_INTERVAL: u32 = 16;
/// What is left of a kernel's excess at most when operators are shared in twice as many cycles, if that is worth it.
const WORTH: f64 = 0.97;
/// Fewest work-items that loops are made for.
const FEWEST_WORK_ITEMS: u32 = 64;

/// What is saved in a kernel's hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thrift {
    /// What the limits of unrolling are divided by.
    pub unroll_divisor: u32,
    /// Whether divisions and roots are loops of steps that take operands only every so many cycles.
    pub small_division: bool,
    /// Most work-items in a loop.
    pub work_items: u32,
    /// Cycles between work-items, in which operators are shared.
    pub interval: u32,
    /// Whether a token is one work-item where the user leaves the number open.
    pub one_by_one: bool,
    /// Whether arrays on the chip are kept once and in one piece, whatever their loads.
    pub single_rams: bool,
}

impl Default for Thrift {
    fn default() -> Self {
        let work_items = ir_to_schedule::WORK_ITEMS;
        Thrift {
            unroll_divisor: 1,
            small_division: false,
            work_items,
            interval: 1,
            one_by_one: false,
            single_rams: false,
        }
    }
}

impl Thrift {
    /// The next smaller hardware; none when there is nothing left to save.
    fn next(self, logic: bool, can: Savings) -> Option<Thrift> {
        if can.merge && !self.single_rams {
            return Some(Thrift { single_rams: true, ..self });
        }
        if can.narrow {
            return Some(Thrift { one_by_one: true, ..self });
        }
        let share = self.share().filter(|_| can.share && self.unroll_divisor == 1);
        // What did not fit at the longest interval is tried without it.
        let less = can.unroll_less && self.unroll_divisor < MOST_DIVISOR;
        let unroll = less.then_some(Thrift {
            unroll_divisor: self.unroll_divisor * 16,
            interval: 1,
            ..self
        });
        // With smaller divisions, unrolling may fit.
        let divide = (can.divide && !self.small_division).then_some(Thrift {
            small_division: true,
            unroll_divisor: 1,
            interval: 1,
            ..self
        });
        let unroll = share.or(unroll).or(divide);
        let hold = (can.hold && self.work_items > FEWEST_WORK_ITEMS)
            .then_some(Thrift { work_items: (self.work_items / 4).max(FEWEST_WORK_ITEMS), ..self });
        // Fewer work-items save block RAM, which little else does.
        if logic { unroll.or(hold) } else { hold.or(unroll) }
    }

    /// With operators shared in twice as many cycles.
    fn share(self) -> Option<Thrift> {
        let interval = 2 * self.interval;
        (interval <= MOST_INTERVAL).then_some(Thrift { interval, ..self })
    }

    /// What is saved, for people; divisions then take operands every `interval` cycles.
    fn describe(self, interval: u32) -> String {
        let mut parts = vec![];
        if self.single_rams {
            parts.push(
                "arrays on the chip have a single RAM, whose ports their loads share".to_owned(),
            );
        }
        if self.one_by_one {
            parts.push("work-items go through the datapath one by one".to_owned());
        }
        if self.unroll_divisor > 1 {
            parts.push(format!("the limits of unrolling are divided by {}", self.unroll_divisor));
        }
        if self.small_division {
            parts.push(format!(
                "divisions and square roots are loops of steps, so that work-items or iterations come only every {interval} cycles"
            ));
        }
        if self.interval > 1 {
            parts.push(format!(
                "operators are shared, so that work-items or iterations come only every {} cycles",
                self.interval
            ));
        }
        if self.work_items < ir_to_schedule::WORK_ITEMS {
            parts.push(format!("loops hold at most {} work-items", self.work_items));
        }
        parts.join(", ")
    }
}

/// What a kernel has that could be smaller.
#[derive(Clone, Copy)]
struct Savings {
    /// Arrays on the chip that are kept several times, or in banks.
    merge: bool,
    /// Several work-items side by side that the user did not ask for.
    narrow: bool,
    /// Operators that could be shared more.
    share: bool,
    /// Loops that were unrolled.
    unroll_less: bool,
    /// Divisions or roots that are pipelines.
    divide: bool,
    /// Loops or groups that hold many work-items.
    hold: bool,
}

/// In what a kernel exceeds the device.
pub(crate) struct Over {
    /// LUTs, flip-flops or DSP tiles.
    logic: bool,
    /// How many times the device would be needed.
    times: f64,
    /// `95000 of 69819 usable LUTs`, for people.
    text: String,
}

/// A kernel's hardware before it is text, and what it came from.
#[derive(Clone)]
pub struct Hardware {
    /// Optimised IR.
    pub module: Module,
    /// A schedule for each kernel.
    pub schedules: Vec<KernelSchedule>,
    /// RTL.
    pub design: Design,
    /// The manifest.
    pub manifest: Manifest,
    /// What each kernel takes, by name, estimated.
    pub areas: BTreeMap<String, Area>,
    /// What each module of the design takes, by name.
    pub(crate) of_modules: BTreeMap<String, Area>,
    /// Why each kernel has as many compute units as it has, where clhls chose.
    pub(crate) units: BTreeMap<String, Choice>,
    /// Kernels in which loops were unrolled.
    unrolled: BTreeSet<String>,
    /// Kernels in which arrays were divided into banks.
    divided: BTreeSet<String>,
}

impl Hardware {
    /// Whether a kernel has several work-items a token without an attribute that asks for them.
    fn chose_lanes(&self, kernel: &str) -> bool {
        let mut of_kernel = self.module.kernels().filter(|(_, f)| f.name == kernel);
        of_kernel.any(|(_, f)| {
            f.kernel
                .as_ref()
                .is_some_and(|k| k.simd_lanes.is_some() && k.num_simd_work_items.is_none())
        })
    }

    /// Whether a kernel has divisions or square roots that are pipelines.
    fn divides(&self, kernel: &str) -> bool {
        let of_kernel = self.manifest.kernels.iter().filter(|k| k.signature.name == kernel);
        of_kernel.flat_map(|k| &k.divisions).any(|d| d.interval == 1)
    }

    /// Whether a kernel keeps arrays several times.
    fn replicates(&self, kernel: &str) -> bool {
        let mut of_kernel = self.schedules.iter().filter(|s| s.func.name == kernel);
        of_kernel.any(|s| s.memories.values().any(|m| m.replicas.is_some()))
    }

    /// Whether a kernel keeps state for work-items on their way, or has loops that hold several.
    fn holds(&self, kernel: &str) -> bool {
        let mut of_kernel = self.schedules.iter().filter(|s| s.func.name == kernel);
        of_kernel.any(|s| !s.task && (s.occupancy.slot_bits > 0 || !s.loops.is_empty()))
    }

    /// Cycles after which the slowest division of a kernel takes the next operands.
    fn slowest_division(&self, kernel: &str) -> u32 {
        let of_kernel = self.manifest.kernels.iter().filter(|k| k.signature.name == kernel);
        of_kernel.flat_map(|k| &k.divisions).map(|d| d.interval).max().unwrap_or(1)
    }

    /// What sharing can save in a kernel at most: all but one of the operators of a kind in a segment, and those with several
    /// multipliers inside.
    fn shareable(&self, kernel: &str) -> Area {
        let multiplies = |u: &schedule::Unit| {
            let all = u.func.layout.iter().flat_map(|b| &u.func.blocks[*b].insts);
            all.filter(|i| u.func.insts[**i].op == ir::Op::Mul).count() > 1
        };
        let copies = |k: &&abi::Kernel| k.signature.name == kernel;
        let copies =
            self.manifest.kernels.iter().find(copies).map_or(1, |k| k.signature.compute_units);
        let mut most = Area::default();
        for s in self.schedules.iter().filter(|s| s.func.name == kernel) {
            let mut uses: BTreeMap<(ir::Block, u32, schedule::UnitId), u32> = BTreeMap::new();
            for block in &s.func.layout {
                for inst in &s.func.blocks[*block].insts {
                    if let (Some(Place::Segment { segment, .. }), Some(unit)) =
                        (s.place[*inst], s.unit_of[*inst])
                    {
                        *uses.entry((*block, segment, unit)).or_default() += 1;
                    }
                }
            }
            for ((_, _, unit), uses) in uses {
                let unit = &s.units[unit];
                let saved = f64::from(copies * if multiplies(unit) { uses } else { uses - 1 });
                let name = schedule_to_rtl::unit_module_name(unit);
                let one = self.of_modules.get(&name).copied().unwrap_or_default();
                most.lut += saved * one.lut;
                most.ff += saved * one.ff;
                most.dsp += saved * one.dsp;
                most.bram += saved * one.bram;
            }
        }
        most
    }

    /// Whether sharing operators can make a kernel fit, or smaller to an extent that is worth it.
    fn shares(&self, kernel: &str, times: f64, board: &Board) -> bool {
        let Some(now) = self.areas.get(kernel) else { return false };
        let most = self.shareable(kernel);
        let least = Area {
            lut: now.lut - most.lut,
            ff: now.ff - most.ff,
            dsp: now.dsp - most.dsp,
            bram: now.bram - most.bram,
        };
        let left = exceeds(&least, board).map_or(0.0, |over| over.times);
        left < WORTH * times
    }

    /// Kernels that exceed the board, by name.
    pub(crate) fn over(&self, board: &Board) -> Vec<(String, Over)> {
        let over = |(name, area): (&String, &Area)| Some((name.clone(), exceeds(area, board)?));
        self.areas.iter().filter_map(over).collect()
    }
}

/// In what an area exceeds what a board's device leaves to kernels.
fn exceeds(area: &Area, board: &Board) -> Option<Over> {
    let free = board.free();
    let all = [
        ("LUTs", area.lut, free.lut * ROUTABLE),
        ("flip-flops", area.ff, free.ff * ROUTABLE),
        ("DSP tiles", area.dsp, free.dsp),
        ("RAM blocks", area.bram, free.bram),
    ];
    let over: Vec<_> = all.into_iter().filter(|(_, need, have)| need > have).collect();
    let text =
        |(what, need, have): &(&str, f64, f64)| format!("{need:.0} of {have:.0} usable {what}");
    (!over.is_empty()).then(|| Over {
        logic: over.iter().any(|(what, ..)| *what != "RAM blocks"),
        times: over.iter().map(|(_, need, have)| need / have.max(1.0)).fold(0.0, f64::max),
        text: over.iter().map(text).collect::<Vec<_>>().join(", "),
    })
}

/// What each module of a design takes, by name.
pub(crate) fn module_areas(design: &Design, board: &Board) -> BTreeMap<String, Area> {
    let areas = rtl_to_area::areas(design, &board.family);
    areas.into_iter().map(|(name, area)| (name.to_owned(), area)).collect()
}

/// What each kernel takes, by name, of what each module takes.
pub(crate) fn kernel_areas(
    of_modules: &BTreeMap<String, Area>,
    manifest: &Manifest,
) -> BTreeMap<String, Area> {
    let area = |k: &abi::Kernel| {
        (k.signature.name.clone(), of_modules.get(&k.top).copied().unwrap_or_default())
    };
    manifest.kernels.iter().map(area).collect()
}

impl Pipeline<'_> {
    /// The steps from ir-opt to rtl-to-area, again with smaller hardware while a kernel does not
    /// fit the board. A kernel that cannot be made to fit is as small as it can be. One that fits gets more room for nets if it is
    /// large, and as many compute units as pay, if the user does not say how many.
    ///
    /// # Errors
    /// Those of each step.
    pub fn hardware(&self, module: Module) -> Result<Hardware> {
        let mut optimised = None;
        let made = self.fitting(&module, &mut optimised)?;
        let made = self.leave_room(made, &module, &mut optimised)?;
        self.add_units(made)
    }

    fn fitting(&self, module: &Module, optimised: &mut Option<Optimised>) -> Result<Hardware> {
        self.thrift.borrow_mut().clear();
        self.large.borrow_mut().clear();
        let mut made = self.attempt(module, optimised)?;
        let fast: BTreeMap<String, Over> = made.over(self.board).into_iter().collect();
        if fast.is_empty() {
            return Ok(made);
        }
        self.step("make it fit the board");
        // What nothing makes smaller ends as it was at first. Dumps show the last try, which must then be made.
        let mut first = (!self.options.dump).then(|| (made.clone(), self.remarks.borrow().clone()));
        let mut smallest: BTreeMap<String, (f64, Thrift)> = fast
            .iter()
            .map(|(name, over)| (name.clone(), (over.times, Thrift::default())))
            .collect();
        let mut hopeless: Vec<String> = vec![];
        loop {
            let mut over = made.over(self.board);
            over.retain(|(name, _)| !hopeless.contains(name));
            if over.is_empty() {
                break;
            }
            for (name, over) in &over {
                let thrift = self.thrift_of(name);
                let best = smallest.entry(name.clone()).or_insert((over.times, thrift));
                let helps = thrift.interval == 1 || over.times < WORTH * best.0;
                if over.times < best.0 {
                    *best = (over.times, thrift);
                }
                let can = Savings {
                    merge: made.replicates(name) || made.divided.contains(name),
                    narrow: self.options.simd.is_none() && made.chose_lanes(name),
                    share: helps && made.shares(name, over.times, self.board),
                    unroll_less: made.unrolled.contains(name),
                    divide: made.divides(name),
                    hold: made.holds(name),
                };
                let next = thrift.next(over.logic, can);
                if next.is_none() {
                    hopeless.push(name.clone());
                }
                self.thrift.borrow_mut().insert(name.clone(), next.unwrap_or(best.1));
            }
            let thrifty = self.thrift.borrow().values().any(|t| *t != Thrift::default());
            made = match first.take_if(|_| !thrifty) {
                Some((first, remarks)) => {
                    *self.remarks.borrow_mut() = remarks;
                    first
                }
                None => self.attempt_silently(module, optimised)?,
            };
        }
        self.remark_fit(&made, &fast);
        Ok(made)
    }

    /// [`Self::attempt`] without telling what begins.
    pub(crate) fn attempt_silently(
        &self,
        module: &Module,
        last: &mut Option<Optimised>,
    ) -> Result<Hardware> {
        self.silent.set(true);
        let made = self.attempt(module, last);
        self.silent.set(false);
        made
    }

    /// One try at the hardware as [`Thrift`] has it now.
    fn attempt(&self, module: &Module, last: &mut Option<Optimised>) -> Result<Hardware> {
        let Optimised { module, unrolled, divided, .. } = self.optimise_again(module, last)?;
        let (mut module, unrolled, divided) = (module.clone(), unrolled.clone(), divided.clone());
        let mut schedules = self.schedule(&module)?;
        self.settle_pipes(&mut module, &mut schedules)?;
        let (design, manifest) = self.rtl(&module, &schedules, &BTreeMap::new())?;
        let of_modules = module_areas(&design, self.board);
        let areas = kernel_areas(&of_modules, &manifest);
        let units = BTreeMap::new();
        Ok(Hardware {
            module,
            schedules,
            design,
            manifest,
            areas,
            of_modules,
            units,
            unrolled,
            divided,
        })
    }

    /// What is saved in a kernel.
    pub(crate) fn thrift_of(&self, kernel: &str) -> Thrift {
        self.thrift.borrow().get(kernel).copied().unwrap_or_default()
    }

    /// Tells the user which kernels are slower than they could be, or too large.
    fn remark_fit(&self, made: &Hardware, fast: &BTreeMap<String, Over>) {
        let small: BTreeMap<String, Over> = made.over(self.board).into_iter().collect();
        for (name, over) in fast {
            let saved = self.thrift_of(name).describe(made.slowest_division(name));
            let board = &self.board.name;
            let text = match small.get(name) {
                None => {
                    format!("kernel `{name}` takes about {}: to fit {board}, {saved}", over.text)
                }
                Some(small) if saved.is_empty() => {
                    format!(
                        "kernel `{name}` will hardly fit {board}: it takes about {}",
                        small.text
                    )
                }
                Some(small) => format!(
                    "kernel `{name}` will hardly fit {board}: it takes about {}, although {saved}",
                    small.text
                ),
            };
            let loc = made.module.kernels().find(|(_, f)| f.name == *name).map(|(_, f)| f.loc);
            let warning = Diagnostic::warning("W0313", text).at(loc.unwrap_or_default());
            self.remarks.borrow_mut().push((name.clone(), warning));
        }
    }
}
