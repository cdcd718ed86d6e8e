//! Step: kernel IR to better kernel IR, in the form that hardware generation takes.
//!
//! [`run`] selects kernels and sends them through the passes of a pipeline ([`registry`]); the
//! IR verifier runs after every pass, [`legal::check`] at the end.

pub mod alias;
pub mod bits;
pub mod consteval;
pub mod dependence;
pub mod edit;
pub mod egraph;
pub mod known;
pub mod legal;
pub mod linear;
pub mod passes;
pub mod recurrence;
pub mod registry;
pub mod weight;

use base::entity::{EntityRef, PrimaryMap};
use base::timing::Timings;
use base::{Diagnostic, Result};
use ir::{Global, GlobalData, Module, Op};
use registry::Body;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use target::Family;

/// How much to optimise. Every level ends in the form of [`legal::check`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Only what hardware generation needs.
    O0,
    /// Everything except what trades area for speed.
    O1,
    /// Everything.
    #[default]
    O2,
}

/// Called after each pass with a label such as `01-opt.inline` and the module.
pub type DumpFn<'a> = &'a dyn Fn(&str, &Module);

/// How many work-items go through the datapath side by side. A kernel's attribute
/// `num_simd_work_items` counts where this leaves it open or says 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// This many; a kernel for which that is not possible stays at 1, with a warning.
    Lanes(u32),
    /// As many as fill the memory port, for kernels that nothing but the port then limits and that take every launch as before.
    FillPort {
        /// Bytes of a beat at the memory port.
        port_bytes: u32,
        /// Most LUTs for the additional work-items of all kernels together.
        luts: u64,
    },
}

/// What [`run`] is to do.
#[derive(Clone)]
pub struct Options<'a> {
    /// Optimisation level.
    pub level: Level,
    /// Work-items for each token (`--simd`).
    pub simd: Simd,
    /// Passes to run in place of the level's pipeline, by name.
    pub passes: Option<Vec<String>>,
    /// Passes to leave out, by name.
    pub disable: Vec<String>,
    /// Largest work-group (product of the three sizes) where the kernel does not say.
    pub max_work_group_size: u32,
    /// By kernel: what the limits of unrolling are divided by, for hardware that would be too large.
    /// 1 for kernels that are not named.
    pub unroll_less: BTreeMap<String, u32>,
    /// Kernels for which [`Simd::FillPort`] is one work-item a token, because they would be too large.
    pub one_by_one: BTreeSet<String>,
    /// Kernels whose arrays are not divided into banks, because they would be too large.
    pub whole_arrays: BTreeSet<String>,
    /// Address bits that the board's memory needs.
    pub address_bits: u32,
    /// Nanoseconds that operators can have between two registers: the clock's period without what registers and long nets take.
    pub period_ns: f64,
    /// Whether a kernel may ask for pointers to multiples of [`legal::DEVICE_WORD`]: it then raises the alignment of the
    /// argument ([`ir::KernelArg::align`]).
    pub aligned_pointers: bool,
    /// Sees the module after each pass.
    pub dump: Option<DumpFn<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            level: Level::default(),
            simd: Simd::Lanes(1),
            passes: None,
            disable: vec![],
            max_work_group_size: 256,
            unroll_less: BTreeMap::new(),
            one_by_one: BTreeSet::new(),
            whole_arrays: BTreeSet::new(),
            address_bits: 64,
            period_ns: 4.0,
            aligned_pointers: false,
            dump: None,
        }
    }
}

/// What a pass may look at besides the function.
pub struct Context<'a> {
    /// The options.
    pub options: &'a Options<'a>,
    /// Delays and areas of operators.
    pub family: &'a Family,
    /// Number of the module's kernels.
    pub kernels: usize,
    /// Variables of the module.
    pub globals: &'a PrimaryMap<Global, GlobalData>,
    /// Remarks for the user.
    pub remarks: RefCell<Vec<Diagnostic>>,
    /// Whether a loop was unrolled.
    pub unrolled: Cell<bool>,
    /// Whether an array was divided into banks.
    pub divided: Cell<bool>,
    /// Variables that the pass adds to the module.
    new_globals: RefCell<Vec<GlobalData>>,
}

impl<'a> Context<'a> {
    /// For a module with `kernels` kernels.
    pub fn new(
        options: &'a Options<'a>,
        family: &'a Family,
        kernels: usize,
        globals: &'a PrimaryMap<Global, GlobalData>,
    ) -> Self {
        Context {
            options,
            family,
            kernels,
            globals,
            remarks: RefCell::default(),
            unrolled: Cell::default(),
            divided: Cell::default(),
            new_globals: RefCell::default(),
        }
    }

    /// Adds a variable to the module.
    pub fn add_global(&self, data: GlobalData) -> Global {
        let mut new = self.new_globals.borrow_mut();
        new.push(data);
        Global::new(self.globals.len() + new.len() - 1)
    }

    /// What operations take on this device at this clock.
    pub fn clock(&self) -> recurrence::Clock<'_> {
        recurrence::Clock { family: self.family, period_ns: self.options.period_ns }
    }
}

/// What happened besides the result.
#[derive(Default, Debug)]
pub struct Report {
    /// Time of each pass.
    pub timings: Timings,
    /// Warnings and remarks for the user, each with the name of its kernel.
    pub remarks: Vec<(String, Diagnostic)>,
    /// Kernels in which a loop was unrolled: [`Options::unroll_less`] makes no others smaller.
    pub unrolled: BTreeSet<String>,
    /// Kernels in which an array was divided into banks: [`Options::whole_arrays`] makes no others smaller.
    pub divided: BTreeSet<String>,
}

/// Optimises the kernels named (all, when none is) and drops everything else. Errors: an unknown
/// kernel or pass (`E0300`), recursion (`E0301`), a call of a kernel (`E0302`), an atomic that is
/// not aligned (`E0303`), a number of lanes (`E0307`), a named barrier that is made in a
/// loop (`E0308`), and defects found by the verifier (`E0001`), by
/// [`legal::check`] (`E0305`) or by the replay of rewriting (`E0306`).
pub fn run(
    module: Module,
    kernels: &[String],
    options: &Options<'_>,
    family: &Family,
) -> Result<Module> {
    run_with_report(module, kernels, options, family).map(|(module, _)| module)
}

/// A module in which functions of sub-groups can be interpreted whoever calls them: without their brackets. Modules without such
/// functions stay as they are.
///
/// # Errors
/// Those of [`run`].
pub fn converge(module: Module) -> Result<Module> {
    if !module.functions.values().any(passes::converge::is_marked) {
        return Ok(module);
    }
    let mut names = registry::pipeline(Level::O0);
    let behind = names.iter().position(|n| *n == "converge").map_or(0, |k| k + 1);
    names.truncate(behind);
    let passes = Some(names.into_iter().map(str::to_owned).collect());
    run(module, &[], &Options { passes, ..Options::default() }, &Family::unit())
}

/// [`run`] with times and remarks.
pub fn run_with_report(
    mut module: Module,
    kernels: &[String],
    options: &Options<'_>,
    family: &Family,
) -> Result<(Module, Report)> {
    select_kernels(&mut module, kernels)?;
    let (mut timings, mut report) = (Timings::default(), Report::default());
    for (number, pass) in pipeline(options)?.into_iter().enumerate() {
        timings.time(pass.name, || run_pass(&mut module, pass, options, family, &mut report))?;
        timings.time("verify", || {
            ir::verify::verify_module(&module).map_err(|mut e| {
                for d in &mut e.0 {
                    d.notes.push(format!("found after pass `{}`", pass.name));
                }
                e
            })
        })?;
        if let Some(dump) = options.dump {
            dump(&format!("{:02}-opt.{}", number + 1, pass.name), &module);
        }
    }
    if options.passes.is_none() && options.disable.is_empty() {
        for (_, f) in module.functions.iter() {
            legal::check(f)?;
        }
    }
    Ok((module, Report { timings, ..report }))
}

fn pipeline(options: &Options<'_>) -> Result<Vec<&'static registry::Pass>> {
    let unknown = |name: &str| {
        let known: Vec<&str> = registry::PASSES.iter().map(|p| p.name).collect();
        Diagnostic::error("E0300", format!("there is no pass `{name}`"))
            .help(format!("the passes are {}", known.join(", ")))
    };
    let names: Vec<&str> = match &options.passes {
        Some(list) => list.iter().map(String::as_str).collect(),
        None => registry::pipeline(options.level),
    };
    if let Some(name) = options.disable.iter().find(|n| registry::pass(n).is_none()) {
        return Err(unknown(name).into());
    }
    names
        .into_iter()
        .filter(|n| !options.disable.iter().any(|d| d == n))
        .map(|n| registry::pass(n).ok_or_else(|| unknown(n).into()))
        .collect()
}

fn run_pass(
    module: &mut Module,
    pass: &registry::Pass,
    options: &Options<'_>,
    family: &Family,
    report: &mut Report,
) -> Result<()> {
    match pass.body {
        Body::Module(f) => f(module),
        Body::Function(f) => {
            let kernels = module.kernels().count();
            let Module { globals, functions, .. } = module;
            for func in functions.values_mut() {
                let context = Context::new(options, family, kernels, globals);
                f(func, &context)?;
                let Context { remarks, unrolled, divided, new_globals, .. } = context;
                let new = remarks.into_inner();
                report.remarks.extend(new.into_iter().map(|r| (func.name.clone(), r)));
                if unrolled.get() {
                    report.unrolled.insert(func.name.clone());
                }
                if divided.get() {
                    report.divided.insert(func.name.clone());
                }
                new_globals.into_inner().into_iter().for_each(|g| {
                    globals.push(g);
                });
            }
            Ok(())
        }
    }
}

/// Makes kernels that are not wanted ordinary functions, which inlining drops.
fn select_kernels(module: &mut Module, kernels: &[String]) -> Result<()> {
    let names: Vec<String> = module.kernels().map(|(_, f)| f.name.clone()).collect();
    if let Some(missing) = kernels.iter().find(|k| !names.contains(k)) {
        let help = match names.len() {
            0 => "the module has no kernels".to_owned(),
            _ => format!("the module has {}", names.join(", ")),
        };
        let text = format!("there is no kernel `{missing}`");
        return Err(Diagnostic::error("E0300", text).help(help).into());
    }
    for f in module.functions.values() {
        for i in f.layout.iter().flat_map(|b| &f.blocks[*b].insts) {
            if let Op::Call(callee) = f.insts[*i].op
                && module.functions.get(callee).is_some_and(|c| c.kernel.is_some())
            {
                let name = &module.functions[callee].name;
                let text = format!("kernel `{name}` is called like a function");
                return Err(Diagnostic::error("E0302", text).at(f.insts[*i].loc).into());
            }
        }
    }
    let wanted = with_enqueued(module, kernels);
    for f in module.functions.values_mut() {
        if f.kernel.is_some() && !kernels.is_empty() && !wanted.contains(&f.name) {
            f.kernel = None;
        }
    }
    Ok(())
}

/// Kernels, and those that they enqueue.
fn with_enqueued(module: &Module, kernels: &[String]) -> BTreeSet<String> {
    let mut wanted: BTreeSet<String> = kernels.iter().cloned().collect();
    let mut open: Vec<String> = kernels.to_vec();
    while let Some(name) = open.pop() {
        let info =
            module.kernels().find(|(_, f)| f.name == name).and_then(|(_, f)| f.kernel.as_ref());
        for enqueued in info.iter().flat_map(|info| &info.enqueues) {
            if wanted.insert(enqueued.clone()) {
                open.push(enqueued.clone());
            }
        }
    }
    wanted
}
