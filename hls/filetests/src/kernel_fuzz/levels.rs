//! Programs at one level of the path, and what differs.

use crate::launches::{Launch, buffers};
use base::Diagnostics;
use driver::emu::Emulator;
use driver::pipeline::{Options, Pipeline, Scheduling};
use emulator::NativeDevice;
use fuzz::Program;
use host::Device;
use interp::Order;
use ir::Module;
use sim::{SimOptions, Simulator};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use target::{Board, Family};

/// Instructions that a program may take as read; more where they count differently.
const STEPS: u64 = 4_000_000;

/// Code of the error that the lanes asked for do not go together with a kernel.
const NO_LANES: &str = "E0307";

/// Buffers after a launch, in the order of the arguments, with the names that the module gives them.
pub type Results = Vec<(String, Vec<u8>)>;

/// Something that runs a program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Level {
    /// The interpreter on IR as read, work-items taking turns in an order of some seed.
    Interleaved(u64),
    /// The interpreter behind all passes of a level, with so many work-items a token.
    Optimised(ir_opt::Level, u32),
    /// The interpreter after each pass of a level.
    EachPass(ir_opt::Level),
    /// Native code of IR that is inlined only.
    NativeInlined,
    /// Native code behind its passes.
    Native,
    /// Generated hardware in Verilator.
    Hardware(Behaviour),
}

/// How hardware is scheduled and what the memory behind it does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Behaviour {
    /// The scheduler.
    pub scheduling: Scheduling,
    /// Seed of the memory.
    pub seed: u64,
    /// Cycles to an answer.
    pub latency: u32,
    /// Probability that a channel does nothing in a cycle.
    pub stalls: f64,
    /// Whether registers begin with random contents.
    pub random_state: bool,
    /// Datapaths.
    pub compute_units: u32,
}

impl Behaviour {
    /// One of many, by number.
    pub fn number(n: u64) -> Behaviour {
        let seed = n + 1;
        let (scheduling, latency, stalls) = match n % 4 {
            0 => (Scheduling::Sdc, 40, 0.0),
            1 => (Scheduling::Random(seed), 20, 0.3),
            2 => (Scheduling::Sdc, 5, 0.2),
            _ => (Scheduling::Asap, 30, 0.1),
        };
        let compute_units = if n % 7 == 3 { 2 } else { 1 };
        Behaviour { scheduling, seed, latency, stalls, random_state: false, compute_units }
    }

    /// What the simulator is told of it.
    pub fn sim_options(&self) -> SimOptions {
        let mut options = SimOptions { random_state: self.random_state, ..SimOptions::default() };
        options.max_cycles = 5_000_000;
        options.watchdog = 20_000;
        options.memory.seed = self.seed;
        options.memory.read_latency = self.latency;
        options.memory.write_latency = self.latency;
        options.memory.stall_rate = self.stalls;
        options
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Interleaved(_) => write!(f, "as read, work-items in another order"),
            Level::Optimised(level, 1) => write!(f, "-{level:?}"),
            Level::Optimised(level, n) => write!(f, "-{level:?} --simd {n}"),
            Level::EachPass(level) => write!(f, "a pass of -{level:?}"),
            Level::NativeInlined => write!(f, "native code, inlined only"),
            Level::Native => write!(f, "native code"),
            Level::Hardware(b) => {
                let scheduler = match b.scheduling {
                    Scheduling::Asap => "as soon as possible",
                    Scheduling::Sdc => "difference constraints",
                    Scheduling::Random(_) => "a random schedule",
                };
                write!(f, "hardware, {scheduler}")
            }
        }
    }
}

/// The launch of a program; arguments go by number, since llvm-spirv-15 gives some the name of a call.
pub fn launch_of(program: &Program) -> Launch {
    let numbered = |(k, (_, value)): (usize, (String, String))| (k.to_string(), value);
    Launch {
        name: program.name.clone(),
        kernel: program.name.clone(),
        global: program.range.global.clone(),
        local: program.range.local.clone(),
        offset: program.range.offset.clone(),
        args: program.arguments().into_iter().enumerate().map(numbered).collect(),
        ..Launch::default()
    }
}

/// What a panic says, as an error.
fn guarded<T>(what: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(format!("{what} panics")))
}

fn run_on(device: &mut dyn Device, launch: &Launch) -> Result<Results, String> {
    guarded("the launch", || buffers(device, launch, Path::new("")))
}

fn interpreter(module: &Module, order: Order, steps: u64) -> Result<Emulator, String> {
    let options = interp::Options { step_limit: Some(steps), order, ..interp::Options::default() };
    guarded("the interpreter", || Emulator::new(module.clone(), options).map_err(|e| e.to_string()))
}

/// What programs give in the interpreter, as their module was read. An error of a program that takes too many
/// steps is [`too_long`].
pub fn as_read(module: &Module, programs: &[&Program]) -> Vec<Result<Results, String>> {
    match interpreter(module, Order::Sequential, STEPS) {
        Err(e) => programs.iter().map(|_| Err(e.clone())).collect(),
        Ok(mut device) => programs.iter().map(|p| run_on(&mut device, &launch_of(p))).collect(),
    }
}

/// Whether an error says that there were too many steps.
pub fn too_long(error: &str) -> bool {
    error.contains("E0511")
}

/// A program with what it gives.
pub type Known<'a> = (&'a Program, &'a Results);

/// Compares programs of a module at a level with what is known of them; for each what is wrong, if anything.
pub fn check(module: &Module, known: &[Known<'_>], level: Level) -> Vec<Option<String>> {
    if known.is_empty() {
        return vec![];
    }
    match level {
        Level::Hardware(_) => known.iter().map(|k| hardware(module, *k, level).err()).collect(),
        Level::EachPass(opt) => each_pass(module, known, opt),
        _ => optimised(module, known, level),
    }
}

/// Runs the passes of a level on some kernels.
fn passes(
    module: &Module,
    kernels: &[String],
    level: Level,
    dump: Option<ir_opt::DumpFn<'_>>,
) -> Result<Module, Diagnostics> {
    let named = |list: &[&str]| Some(list.iter().map(|p| (*p).to_owned()).collect());
    let mut options = ir_opt::Options { dump, ..ir_opt::Options::default() };
    match level {
        Level::Interleaved(_) => return Ok(module.clone()),
        Level::Optimised(opt, simd) => {
            (options.level, options.simd) = (opt, ir_opt::Simd::Lanes(simd))
        }
        Level::EachPass(opt) => options.level = opt,
        Level::NativeInlined => options.passes = named(&["inline"]),
        Level::Native => options.passes = named(&emulator::PASSES),
        Level::Hardware(_) => options.level = ir_opt::Level::O2,
    }
    ir_opt::run(module.clone(), kernels, &options, &Family::unit())
}

/// [`check`] of levels that are a module.
fn optimised(module: &Module, known: &[Known<'_>], level: Level) -> Vec<Option<String>> {
    let names: Vec<String> = known.iter().map(|(p, _)| p.name.clone()).collect();
    let made =
        guarded("the optimiser", || passes(module, &names, level, None).map_err(|e| e.to_string()));
    let made = match made {
        Ok(made) => made,
        // which of them is it?
        Err(_) if known.len() > 1 => {
            return known.iter().flat_map(|k| optimised(module, &[*k], level)).collect();
        }
        Err(e) if e.contains(NO_LANES) => return vec![None],
        Err(e) => return vec![Some(e)],
    };
    let fits: Vec<bool> = known.iter().map(|(p, _)| lanes_fit(&made, p)).collect();
    let device = match level {
        Level::NativeInlined | Level::Native => native(&made),
        Level::Interleaved(seed) => boxed(interpreter(&made, Order::Interleaved { seed }, STEPS)),
        _ => boxed(interpreter(&made, Order::Shuffled { seed: 7 }, 20 * STEPS)),
    };
    let mut device = match device {
        Ok(device) => device,
        Err(_) if known.len() > 1 => {
            return known.iter().flat_map(|k| optimised(module, &[*k], level)).collect();
        }
        Err(e) => return vec![Some(e)],
    };
    known
        .iter()
        .zip(fits)
        .map(|((p, want), fits)| {
            if !fits {
                return None;
            }
            let got = run_on(&mut *device, &launch_of(p));
            let unreadable = |e: &String| e.contains(NO_LANES);
            got.map_or_else(|e| (!unreadable(&e)).then_some(e), |got| difference(want, &got))
        })
        .collect()
}

fn boxed(device: Result<Emulator, String>) -> Result<Box<dyn Device>, String> {
    device.map(|d| Box::new(d) as Box<dyn Device>)
}

fn native(module: &Module) -> Result<Box<dyn Device>, String> {
    guarded("the native compiler", || {
        let signatures = driver::signature::signatures(module);
        let device = NativeDevice::new(module, signatures, 2, None).map_err(|e| e.to_string())?;
        Ok(Box::new(device) as Box<dyn Device>)
    })
}

/// Whether a program's launch is one that its kernel can run, which counts several work-items a token from the
/// beginning of a group's row or not.
fn lanes_fit(module: &Module, p: &Program) -> bool {
    let mut info = module.kernels().filter(|(_, f)| f.name == p.name).map(|(_, f)| &f.kernel);
    let Some(Some(info)) = info.next() else { return true };
    let lanes = info.simd_lanes.filter(|_| info.simd_group_rows).map_or(1, u64::from);
    let of = |sizes: &Option<Vec<u64>>, default| {
        sizes.as_ref().and_then(|s| s.first()).copied().unwrap_or(default)
    };
    of(&p.range.local, 1).is_multiple_of(lanes)
        && of(&p.range.offset, 0).is_multiple_of(lanes)
        && p.range.global[0].is_multiple_of(lanes)
}

/// Compares in the interpreter after each pass; names the first that changes a result.
fn each_pass(module: &Module, known: &[Known<'_>], opt: ir_opt::Level) -> Vec<Option<String>> {
    let found: RefCell<Vec<Option<String>>> = RefCell::new(vec![None; known.len()]);
    let dump = |label: &str, m: &Module| {
        let mut found = found.borrow_mut();
        let device = interpreter(m, Order::Sequential, 20 * STEPS);
        let mut device = match device {
            Ok(device) => device,
            Err(e) => {
                found[0].get_or_insert(format!("{label}: {e}"));
                return;
            }
        };
        for (slot, (p, want)) in found.iter_mut().zip(known).filter(|(s, _)| s.is_none()) {
            let got = run_on(&mut device, &launch_of(p));
            let wrong = got.map_or_else(Some, |got| difference(want, &got));
            *slot = wrong.map(|w| format!("{label}: {w}"));
        }
    };
    let names: Vec<String> = known.iter().map(|(p, _)| p.name.clone()).collect();
    let done = guarded("the optimiser", || {
        let dump: ir_opt::DumpFn<'_> = &dump;
        passes(module, &names, Level::EachPass(opt), Some(dump)).map_err(|e| e.to_string())
    });
    let found = found.into_inner();
    match done {
        Err(e) if known.len() == 1 => vec![Some(e)],
        Err(_) => known.iter().flat_map(|k| each_pass(module, &[*k], opt)).collect(),
        Ok(_) => found,
    }
}

/// Makes hardware of one kernel and launches it.
fn hardware(module: &Module, (p, want): Known<'_>, level: Level) -> Result<(), String> {
    let Level::Hardware(b) = level else { return Ok(()) };
    let options = Options {
        kernels: vec![p.name.clone()],
        level: ir_opt::Level::O2,
        simd: Some(1),
        aligned_pointers: true,
        compute_units: Some(b.compute_units),
        work_groups: None,
        memory_ports: 1,
        without_passes: vec![],
        image_cache: None,
        local_bytes: local_bytes(p),
        scheduling: b.scheduling,
        clock_mhz: None,
        platform: None,
        connections: vec![],
        spec_constants: vec![],
        dump: false,
    };
    let build = guarded("the build", || {
        let board = unit_board()?;
        let mut silent = |_: &str| {};
        let pipeline = Pipeline::new(&options, &board, &mut silent);
        pipeline.compile(module.clone()).map_err(|e| e.render())
    })?;
    let sources = build.sources();
    let mut device =
        Simulator::new(build.manifest, sources, b.sim_options()).map_err(|e| e.to_string())?;
    let built = device.build(&p.name).map_err(|e| e.to_string())?;
    let got = run_on(&mut device, &launch_of(p));
    // thousands of models would fill the cache
    if let Some(folder) = built.library.parent().filter(|_| !built.cached) {
        let _ = std::fs::remove_dir_all(folder);
    }
    difference(want, &got?).map_or(Ok(()), Err)
}

fn unit_board() -> Result<Board, String> {
    target::Library::builtin().board("unit").map_err(|e| e.to_string())
}

/// Capacity of local arguments.
fn local_bytes(p: &Program) -> u64 {
    let args = p.arguments();
    let sizes = args.iter().filter_map(|(_, v)| v.strip_prefix("local:")?.parse().ok());
    sizes.max().unwrap_or(1)
}

/// What differs between what is wanted and what came out.
pub fn difference(want: &Results, got: &Results) -> Option<String> {
    if want.len() != got.len() {
        return Some(format!("{} buffers in place of {}", got.len(), want.len()));
    }
    // names may differ between producers
    want.iter().zip(got).find_map(|((name, w), (_, g))| {
        let at = (0..w.len().max(g.len())).find(|k| w.get(*k) != g.get(*k))?;
        let show = |bytes: &[u8]| {
            let start = at / 8 * 8;
            bytes
                .get(start..(start + 8).min(bytes.len()))
                .map_or(String::new(), |b| b.iter().map(|x| format!("{x:02x}")).collect::<String>())
        };
        Some(format!("buffer `{name}` differs at byte {at}: {} expected, {} got", show(w), show(g)))
    })
}

/// Arguments of the kernels of `fuzz::ir_kernels`, and a launch.
fn ir_launch(seed: u64, work_items: u32) -> Launch {
    let words = fuzz::ir_kernels::WORDS;
    let arg = |name: &str, value: String| (name.to_owned(), value);
    Launch {
        name: "k".into(),
        kernel: "k".into(),
        global: vec![work_items.into()],
        local: Some(vec![work_items.into()]),
        args: vec![
            arg("in", format!("rand:i32[{words}]:{seed}")),
            arg("out", format!("rand:i32[{words}]:{}", seed + 1)),
            arg("n", format!("{}", seed % 23)),
        ],
        ..Launch::default()
    }
}

/// A kernel made as IR in the interpreter at each optimisation level and as native code, on two inputs.
///
/// # Errors
/// The first difference.
pub fn ir_kernel(module: &Module, seed: u64) -> Result<(), String> {
    let limit = |m: &Module, n| interpreter(m, Order::Sequential, n);
    let mut devices: Vec<(Level, Box<dyn Device>)> = vec![];
    for level in [Level::Optimised(ir_opt::Level::O0, 1), Level::Optimised(ir_opt::Level::O2, 1)] {
        let made = passes(module, &[], level, None).map_err(|e| format!("{level}: {e}"))?;
        devices.push((level, Box::new(limit(&made, 20 * STEPS)?)));
    }
    for level in [Level::NativeInlined, Level::Native] {
        let made = passes(module, &[], level, None).map_err(|e| format!("{level}: {e}"))?;
        devices.push((level, native(&made)?));
    }
    let mut raw = limit(module, STEPS)?;
    for input in [seed, seed + 1] {
        let launch = ir_launch(input, fuzz::ir_kernels::work_items(module));
        let want = run_on(&mut raw, &launch)?;
        for (level, device) in &mut devices {
            let got = run_on(&mut **device, &launch).map_err(|e| format!("{level}: {e}"))?;
            if let Some(what) = difference(&want, &got) {
                return Err(format!("{level}, input {input}: {what}"));
            }
        }
    }
    Ok(())
}
