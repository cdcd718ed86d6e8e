//! Edits that are tried: the kernel is scheduled again as if it had been made, and the report says what came of it.

use crate::fit::Hardware;
use crate::pipeline::{Options, Pipeline};
use ::report::{Edit, Kernel, Limit, Loop, Suggestion, UnitsLimit};
use ir::analysis::{Cfg, Loops};
use ir::{KernelArgKind, Module};
use schedule_to_report::Made;
use std::collections::BTreeMap;

/// Kernels of more operations are not scheduled again: building is to stay fast.
const MOST_OPERATIONS: usize = 3000;
/// Trials for each kernel.
const MOST_TRIALS: usize = 12;
/// Clocks that are tried for a loop.
const CLOCKS: u32 = 3;
/// An edit that gains less is not worth it.
const WORTH: f64 = 1.02;

/// An edit to try.
struct Trial {
    /// Its suggestion, with the interval to be found.
    suggestion: Suggestion,
    options: Options,
    /// The module before the optimiser; none when only later steps see a difference.
    module: Option<Module>,
}

impl Pipeline<'_> {
    /// Adds to each loop what a trial shows to lower its interval.
    pub(crate) fn try_edits(&self, kernel: &mut Kernel, made: &Hardware, input: &Module) {
        let small = kernel.operations.len() <= MOST_OPERATIONS;
        if !small || !self.thrift.borrow().is_empty() {
            return;
        }
        let mut left = MOST_TRIALS;
        for k in 0..kernel.loops.len() {
            let trials = self.trials(kernel, k, made, input);
            let mut best: Option<Suggestion> = None;
            for trial in trials {
                if left == 0 {
                    return;
                }
                left -= 1;
                let Some(found) = self.attempt_edit(&kernel.name, &trial, made, kernel, k) else {
                    continue;
                };
                if found.edit != Edit::Clock {
                    kernel.loops[k].suggestions.push(found);
                } else if best.as_ref().is_none_or(|b| speed(&found) > speed(b)) {
                    best = Some(found);
                }
            }
            kernel.loops[k].suggestions.extend(best);
        }
    }

    /// The suggestion of a trial that gains something.
    fn attempt_edit(
        &self,
        name: &str,
        trial: &Trial,
        made: &Hardware,
        now: &Kernel,
        k: usize,
    ) -> Option<Suggestion> {
        let after = self.describe_edited(name, trial, made)?;
        let changed = same_loop(now, &after, k)?;
        let (old, new) = (interval(&now.loops[k]), interval(changed));
        let mut found = trial.suggestion.clone();
        found.interval = new;
        let iterations = f64::from(found.iterations);
        let before = now.clock_mhz / old;
        let gained = after.clock_mhz * iterations / new > WORTH * before;
        (gained && new / iterations < old).then_some(found)
    }

    /// What the report would say of a kernel after an edit.
    fn describe_edited(&self, name: &str, trial: &Trial, made: &Hardware) -> Option<Kernel> {
        let mut silent = |_: &str| {};
        let pipeline = Pipeline::trial(self, &trial.options, self.board, &mut silent);
        let module = match &trial.module {
            Some(module) => pipeline.optimise(module.clone()).ok()?,
            None => made.module.clone(),
        };
        let schedules = pipeline.schedule(&module).ok()?;
        let (design, manifest) = pipeline.rtl(&module, &schedules, &BTreeMap::new()).ok()?;
        let schedule = schedules.iter().find(|s| s.func.name == name)?;
        let kernel = manifest.kernels.iter().find(|k| k.signature.name == name)?;
        let (area, parts) = (target::Area::default(), &[][..]);
        let (board, sources) = (self.board, &module.sources);
        Some(schedule_to_report::kernel(&Made {
            schedule,
            kernel,
            design: &design,
            parts,
            area,
            units: (UnitsLimit::Off, ""),
            board,
            sources,
        }))
    }

    fn trials(&self, kernel: &Kernel, k: usize, made: &Hardware, input: &Module) -> Vec<Trial> {
        let l = &kernel.loops[k];
        let only =
            Options { kernels: vec![kernel.name.clone()], dump: false, ..self.options.clone() };
        let mut out = vec![];
        match l.constraint.limit {
            Limit::Order => out.extend(restrict(kernel, l, &only, input)),
            Limit::Recurrence | Limit::Condition => clocks(kernel, l, self.options, &mut out),
            Limit::Ports => out.extend(self.more_ports(kernel, l)),
            _ => {}
        }
        if kernel.single_work_item && l.constraint.limit == Limit::Sequential {
            out.extend(unroll_inside(kernel, k, &only, made, input));
        }
        out
    }

    /// A memory port for each buffer of a loop, as far as the board has them.
    fn more_ports(&self, kernel: &Kernel, l: &Loop) -> Option<Trial> {
        let path = l.constraint.path.iter();
        let accesses = path.filter_map(|s| kernel.operations[s.operation as usize].access);
        let mut names: Vec<String> =
            accesses.filter_map(|a| kernel.accesses[a as usize].argument.clone()).collect();
        names.sort();
        names.dedup();
        let ports = self.board.memory.ports.min(kernel.arguments.len() as u32);
        if names.len() < 2 || ports <= self.options.memory_ports {
            return None;
        }
        let text = format!(
            "build with --memory-ports {ports}: {} then have banks of their own",
            names.join(", ")
        );
        Some(Trial {
            suggestion: Suggestion {
                option: Some(format!("--memory-ports {ports}")),
                names,
                factor: Some(f64::from(ports)),
                ..suggestion(Edit::MemoryPorts, text)
            },
            options: Options { memory_ports: ports, ..self.options.clone() },
            module: None,
        })
    }
}

fn suggestion(edit: Edit, text: String) -> Suggestion {
    Suggestion {
        edit,
        text,
        option: None,
        names: vec![],
        factor: None,
        condition: None,
        interval: 0.0,
        iterations: 1,
        tried: true,
    }
}

/// Today's iterations a second that follow from a clock, in millions.
fn speed(s: &Suggestion) -> f64 {
    s.factor.unwrap_or(0.0) / s.interval
}

/// Cycles between two iterations, with memory.
fn interval(l: &Loop) -> f64 {
    f64::from(l.ii).max(l.memory_interval)
}

/// The loop of an edited kernel that was loop `k`: the only one, the one at the same place in the list, or the one at the
/// same place in the source.
fn same_loop<'k>(before: &Kernel, after: &'k Kernel, k: usize) -> Option<&'k Loop> {
    if before.loops.len() == after.loops.len() {
        return after.loops.get(k);
    }
    let place = before.loops[k].place?;
    let mut here = after.loops.iter().filter(|l| l.place == Some(place));
    here.next().filter(|_| here.next().is_none())
}

/// Buffers that only `restrict` keeps apart.
fn restrict(kernel: &Kernel, l: &Loop, options: &Options, input: &Module) -> Option<Trial> {
    let steps = l.constraint.path.iter();
    let accesses = steps.map(|s| kernel.operations[s.operation as usize].access);
    let mut names: Vec<String> = vec![];
    for access in accesses {
        let name = kernel.accesses.get(access? as usize)?.argument.clone()?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() < 2 {
        return None;
    }
    let mut module = input.clone();
    let function =
        module.functions.values_mut().find(|f| f.kernel.is_some() && f.name == kernel.name)?;
    let arguments = kernel.arguments.iter().map(|a| names.contains(&a.name));
    for (arg, named) in function.kernel.as_mut()?.args.iter_mut().zip(arguments) {
        arg.restrict |= named && matches!(arg.kind, KernelArgKind::Pointer(_));
    }
    let list: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    let text = format!("declare {} `restrict`: iterations then overlap", list.join(", "));
    let condition = Some("the buffers do not overlap".to_owned());
    Some(Trial {
        suggestion: Suggestion { names, condition, ..suggestion(Edit::Restrict, text) },
        options: options.clone(),
        module: Some(module),
    })
}

/// Slower clocks in whose cycles more of a path fits.
fn clocks(kernel: &Kernel, l: &Loop, options: &Options, out: &mut Vec<Trial>) {
    let path: f64 = l.constraint.path.iter().map(|s| s.delay_ns).sum();
    let overhead = kernel.period_ns - kernel.logic_ns;
    for cycles in (1..l.ii).rev().take(CLOCKS as usize) {
        // Whole steps of 5 MHz.
        let period = path / f64::from(cycles) + overhead;
        let mhz = (1000.0 / period / 5.0).floor() * 5.0;
        let faster = mhz / f64::from(cycles) > WORTH * kernel.clock_mhz / f64::from(l.ii);
        if mhz < 5.0 || mhz >= kernel.clock_mhz || !faster {
            continue;
        }
        let text = format!(
            "build with --clock {mhz}: slower cycles, but fewer of them from one iteration to the next"
        );
        out.push(Trial {
            suggestion: Suggestion {
                option: Some(format!("--clock {mhz}")),
                factor: Some(mhz),
                ..suggestion(Edit::Clock, text)
            },
            options: Options { clock_mhz: Some(mhz), ..options.clone() },
            module: None,
        });
    }
}

/// A loop in another one, unrolled, so that iterations of the outer one overlap.
fn unroll_inside(
    kernel: &Kernel,
    k: usize,
    options: &Options,
    made: &Hardware,
    input: &Module,
) -> Option<Trial> {
    let inside = |parent: usize| {
        let all = kernel.loops.iter().enumerate();
        all.filter(move |(_, l)| l.parent == Some(parent as u32)).map(|(n, _)| n)
    };
    let mut inner = inside(k);
    let (Some(child), None) = (inner.next(), inner.next()) else { return None };
    if inside(child).next().is_some() {
        return None;
    }
    let mut module = input.clone();
    // The body may stand in a function of the same name that the kernel calls.
    let mut named = module.functions.values_mut().filter(|f| f.name == kernel.name);
    let (function, headers) = named.find_map(|f| {
        let found = Loops::new(f, &Cfg::new(f));
        let headers: Vec<ir::Block> = found.loops.values().map(|d| d.header).collect();
        (!headers.is_empty()).then_some((f, headers))
    })?;
    let schedule = made.schedules.iter().find(|s| s.func.name == kernel.name)?;
    if headers.len() != schedule.loops.len() {
        return None;
    }
    let hint = &mut function.blocks[headers[child]].hint;
    if hint.unroll.is_some() {
        return None;
    }
    hint.unroll = Some(0);
    let at = kernel.loops[child].place.map_or_else(String::new, |p| format!(" of line {}", p.line));
    let text =
        format!("unroll the loop{at} inside (#pragma unroll): iterations of this one then overlap");
    Some(Trial {
        suggestion: suggestion(Edit::Unroll, text),
        options: options.clone(),
        module: Some(module),
    })
}
