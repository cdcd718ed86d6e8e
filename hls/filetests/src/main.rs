//! Runs the launches of test kernels:
//! `filetests [--device emu|native|schedule|sim] [--producer NAME] [--board NAME] [--simd N|auto] [--compute-units N|auto] [--memory-ports N] [--jobs N] [--rotate] [--folder DIR] [KERNEL[:LAUNCH]...]`.
//!
//! The kernels are `build/kernels/<kernel>.<producer>.spv`, as `testbenches/kernels/compile` makes them;
//! with `--folder` they are in `DIR/<kernel>` and their modules `DIR/<kernel>.<producer>.spv`.
//! emu runs each module as read and as optimised, and must give the expected results both times;
//! native runs each module as native code, inlined only and behind the passes for it, and compares with the interpreter too;
//! schedule makes no hardware, but checks the schedules of each module and counts their registers;
//! sim runs the generated hardware under several schedules and memory behaviours; with `--rotate`
//! each module under one of them, in turn, so that a run over all kernels covers them all.
//! `KERNEL:LAUNCH` runs one launch only, and makes hardware of its kernel alone.
//! With `--simd` launches whose local size or offset does not allow that are left out.

use abi::KernelSignature;
use driver::connect::Connection;
use driver::emu::Emulator;
use driver::pipeline::{Numerics, Options, Pipeline, ReadOptions, Scheduling, library, read_spirv};
use emulator::{NativeDevice, Specialisation};
use filetests::launches::{Launch, LaunchFile, buffers, run_launch};
use filetests::{schedules, testbenches};
use host::{Device, NdRange};
use interp::Order;
use sim::{SimOptions, Simulator};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What modules are run on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Emu,
    Native,
    Schedule,
    Sim,
}

#[derive(Clone)]
struct Settings {
    device: On,
    rotate: bool,
    jobs: usize,
    /// `None`: as the driver chooses.
    simd: Option<u32>,
    /// `None`: as the driver chooses.
    compute_units: Option<u32>,
    memory_ports: u32,
    board: String,
    producers: Vec<String>,
    kernels: Vec<String>,
    /// The kernels' folders.
    folder: PathBuf,
    /// The modules' folder.
    modules: PathBuf,
}

fn settings() -> Result<Settings, String> {
    let mut s = Settings {
        device: On::Emu,
        rotate: false,
        jobs: 1,
        simd: Some(1),
        compute_units: Some(1),
        memory_ports: 1,
        board: "unit".into(),
        producers: vec![],
        kernels: vec![],
        folder: testbenches().join("kernels"),
        modules: testbenches().join("../build/kernels"),
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--device" => match args.next().as_deref() {
                Some("emu") => s.device = On::Emu,
                Some("native") => s.device = On::Native,
                Some("schedule") => s.device = On::Schedule,
                Some("sim") => s.device = On::Sim,
                _ => return Err("--device emu, native, schedule or sim".into()),
            },
            "--rotate" => s.rotate = true,
            "--folder" => {
                s.folder = args.next().ok_or("--folder DIR")?.into();
                s.modules.clone_from(&s.folder);
            }
            "--jobs" => {
                let n = args.next().and_then(|n| n.parse().ok());
                s.jobs = n.filter(|n| *n > 0).ok_or("--jobs N, N at least 1")?;
            }
            "--simd" => {
                let n = args.next();
                s.simd = match n.as_deref() {
                    Some("auto") => None,
                    n => Some(n.and_then(|n| n.parse().ok()).ok_or("--simd N or auto")?),
                };
            }
            "--compute-units" => {
                let n = args.next();
                s.compute_units = match n.as_deref() {
                    Some("auto") => None,
                    n => Some(n.and_then(|n| n.parse().ok()).ok_or("--compute-units N or auto")?),
                };
            }
            "--memory-ports" => {
                let n = args.next().and_then(|n| n.parse().ok());
                s.memory_ports = n.ok_or("--memory-ports N")?;
            }
            "--board" => s.board = args.next().ok_or("--board NAME")?,
            "--producer" => s.producers.push(args.next().ok_or("--producer NAME")?),
            _ if arg.starts_with('-') => return Err(format!("unknown option {arg}")),
            _ => s.kernels.push(arg),
        }
    }
    if s.producers.is_empty() {
        s.producers = vec!["clang-22".into(), "clang-15".into()];
    }
    if s.kernels.is_empty() {
        let folders =
            std::fs::read_dir(&s.folder).map_err(|e| format!("{}: {e}", s.folder.display()))?;
        s.kernels = folders
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.join("launches.toml").exists())
            .filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
            .collect();
        s.kernels.sort();
    }
    Ok(s)
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(s) => s,
        Err(e) => {
            eprintln!("filetests: {e}");
            return ExitCode::from(2);
        }
    };
    let mut modules = vec![];
    for kernel in &settings.kernels {
        let hardware = !matches!(settings.device, On::Emu | On::Native);
        if hardware && interpreted_only(kernel) {
            continue;
        }
        let able = producers(kernel);
        let can = |p: &&String| able.as_ref().is_none_or(|able| able.contains(p));
        for producer in settings.producers.iter().filter(can) {
            modules.push((kernel.clone(), producer.clone()));
        }
    }
    let failed = run_modules(&settings, &modules);
    println!("{} passed, {failed} failed", modules.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}

/// The producers that a launch file names, where it does.
fn producers(kernel: &str) -> Option<Vec<String>> {
    let kernel = kernel.split(':').next().unwrap_or(kernel);
    let path = testbenches().join("kernels").join(kernel).join("launches.toml");
    LaunchFile::read(&path).ok().and_then(|file| file.producers)
}

/// Whether a launch file says that none of its kernels becomes hardware.
fn interpreted_only(kernel: &str) -> bool {
    let path = testbenches().join("kernels").join(kernel).join("launches.toml");
    LaunchFile::read(&path).is_ok_and(|f| f.hardware.is_some_and(|list| list.is_empty()))
}

/// Runs all modules on `jobs` threads; prints each outcome as it comes and returns how many failed.
fn run_modules(settings: &Settings, modules: &[(String, String)]) -> usize {
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some((kernel, producer)) = modules.get(k) else { break };
                    let launches = |n: usize| format!("{n} launches");
                    let start = Instant::now();
                    let outcome = match (settings.device, settings.rotate) {
                        (On::Sim, true) => {
                            let one = k % MEMORY_BEHAVIOURS.len();
                            run_sim(kernel, producer, settings, &MEMORY_BEHAVIOURS[one..=one])
                                .map(launches)
                        }
                        (On::Sim, false) => {
                            run_sim(kernel, producer, settings, &MEMORY_BEHAVIOURS).map(launches)
                        }
                        (On::Emu, _) => run_emu(kernel, producer, settings).map(launches),
                        (On::Native, _) => run_native(kernel, producer, settings).map(launches),
                        (On::Schedule, _) => check_schedules(kernel, producer, settings),
                    };
                    match outcome {
                        Ok(text) => {
                            let seconds = start.elapsed().as_secs_f64();
                            println!("{kernel} {producer}: {text}, {seconds:.1} s");
                        }
                        Err(e) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            let text = e.trim_end().replace('\n', "\n  ");
                            println!("{kernel} {producer}: FAILED\n  {text}");
                        }
                    }
                }
            });
        }
    });
    failed.into_inner()
}

/// What is run.
struct Loaded {
    module: ir::Module,
    /// Bytes of on-chip memory for each local-pointer argument.
    local_bytes: u64,
    launches: Vec<Launch>,
    /// Where the launches' files are.
    folder: PathBuf,
    /// The kernels of which hardware is made; all if there are none.
    kernels: Vec<String>,
    /// Work-items exchange packets: the order in which they run is part of the test.
    pipes: bool,
    connections: Vec<Connection>,
}

/// The module of a kernel and its launches; `KERNEL:LAUNCH` has one.
///
/// For hardware there are only the kernels that the launch file makes it of.
fn load(name: &str, producer: &str, settings: &Settings, hardware: bool) -> Result<Loaded, String> {
    let (kernel, only) = name.split_once(':').map_or((name, None), |(k, l)| (k, Some(l)));
    let folder = settings.folder.join(kernel);
    let mut file = LaunchFile::read(&folder.join("launches.toml"))?;
    let mut wanted = vec![];
    if hardware {
        wanted = file.hardware.clone().unwrap_or_default();
        file.keep_hardware();
    }
    let path = settings.modules.join(format!("{kernel}.{producer}.spv"));
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (mut connected, mut connections) = (vec![], vec![]);
    for text in &file.connect {
        let connection = Connection::parse(text)?;
        let read = |kernel: &String| wanted.is_empty() || wanted.contains(kernel);
        connected.extend(connection.pipes().filter(|pipe| read(&pipe.kernel)));
        connections.push(connection);
    }
    let mut formats = vec![];
    for text in &file.image_format {
        let format = driver::image_format::parse(text)?;
        formats.extend((wanted.is_empty() || wanted.contains(&format.kernel)).then_some(format));
    }
    let how = ReadOptions {
        formats,
        numerics: Numerics::of_options(file.options.split_whitespace()),
        sub_group_size: file.sub_group_size,
        connected,
        fifos_in_memory: settings.device == On::Native,
        spec_constants: vec![],
    };
    let module = read_spirv(&bytes, kernel, &wanted, &folder, &how).map_err(|e| e.render())?;
    let mut launches: Vec<Launch> = file.launches().collect();
    let mut kernels = vec![];
    if let Some(only) = only {
        launches.retain(|l| l.name == only);
        let [one] = launches.as_slice() else { return Err(format!("no launch `{only}`")) };
        kernels = one.kernels();
    }
    let (local_bytes, pipes) = (file.local_capacity().max(1), !file.pipes.is_empty());
    Ok(Loaded { module, local_bytes, launches, folder, kernels, pipes, connections })
}

/// Runs the launches; all failures are reported.
fn run_all(device: &mut dyn Device, launches: &[Launch], folder: &Path) -> Result<usize, String> {
    let mut count = 0;
    let mut failures = vec![];
    for launch in launches {
        if !lanes_allow(device, launch) {
            continue;
        }
        if let Err(e) = run_launch(device, launch, folder) {
            failures.push(format!("{}: {e}", launch.name));
        }
        count += 1;
    }
    if failures.is_empty() { Ok(count) } else { Err(failures.join("\n")) }
}

/// Whether the launch is one that several work-items at a time can run, or wrong anyway.
fn lanes_allow(device: &dyn Device, launch: &Launch) -> bool {
    let Ok(kernel) = device.kernel(&launch.kernel) else { return true };
    let range = NdRange {
        global: launch.global.clone(),
        local: launch.local.clone(),
        offset: launch.offset.clone(),
    };
    let single = KernelSignature { simd: 1, ..kernel.clone() };
    range.resolve(kernel).is_ok() || range.resolve(&single).is_err()
}

fn run_emu(kernel: &str, producer: &str, settings: &Settings) -> Result<usize, String> {
    let Loaded { module, launches, folder, pipes, .. } = load(kernel, producer, settings, false)?;
    let simd = match settings.simd {
        Some(n) => ir_opt::Simd::Lanes(n),
        None => ir_opt::Simd::FillPort { port_bytes: 64, luts: 1_000_000 },
    };
    let optimise = |level| {
        let options = ir_opt::Options { level, simd, ..ir_opt::Options::default() };
        ir_opt::run(module.clone(), &[], &options, &target::Family::unit())
            .map_err(|e| e.render(&module.sources))
    };
    let emulate = |m: ir::Module, what: &str, order: Order| {
        let limit = interp::Options {
            step_limit: Some(20_000_000_000),
            order,
            ..interp::Options::default()
        };
        let mut device = Emulator::new(m, limit).map_err(|e| format!("{what}: {e}"))?;
        run_all(&mut device, &launches, &folder).map_err(|e| format!("{what}: {e}"))
    };
    emulate(module.clone(), "as read", Order::Sequential)?;
    emulate(optimise(ir_opt::Level::O0)?, "-O0", Order::Sequential)?;
    let sub_groups = module.functions.values().any(ir_opt::passes::converge::is_marked);
    if sub_groups {
        emulate(without_proofs(&module)?, "inlined, taking turns", Order::Sequential)?;
    }
    let optimised = optimise(ir_opt::Level::O2)?;
    for seed in (1..=INTERLEAVINGS).take_while(|_| pipes || sub_groups) {
        let what = format!("-O2, interleaved with seed {seed}");
        emulate(optimised.clone(), &what, Order::Interleaved { seed })?;
    }
    emulate(optimised, "-O2", Order::Sequential)
}

/// A module with variables in memory, so that it is hardly ever known that work-items come together at functions of sub-groups.
fn without_proofs(module: &ir::Module) -> Result<ir::Module, String> {
    let passes = Some(["inline", "converge"].map(str::to_owned).to_vec());
    let options = ir_opt::Options { passes, ..Default::default() };
    ir_opt::run(module.clone(), &[], &options, &target::Family::unit())
        .map_err(|e| e.render(&module.sources))
}

/// Orders of work-items that exchange packets, or values in sub-groups.
const INTERLEAVINGS: u64 = 5;

/// Runs the launches as native code and, on the same modules, in the interpreter: expected results, and
/// the same bits in every buffer.
fn run_native(kernel: &str, producer: &str, settings: &Settings) -> Result<usize, String> {
    let Loaded { module, launches, folder, .. } = load(kernel, producer, settings, false)?;
    let render = |e: base::Diagnostics| e.render(&module.sources);
    let passes = Some(["inline", "converge"].map(str::to_owned).to_vec());
    let inline = ir_opt::Options { passes, ..Default::default() };
    let inlined = ir_opt::run(module.clone(), &[], &inline, &target::Family::unit());
    let optimised = driver::native::optimise(module.clone());
    let mut count = 0;
    let alike = Specialisation { optimise: driver::native::optimise_kernel, after: 0 };
    for (module, what, how) in [(inlined, "inlined", None), (optimised, "optimised", Some(alike))] {
        let module = module.map_err(render)?;
        let fail = |e: String| format!("{what}: {e}");
        let limit = interp::Options { step_limit: Some(20_000_000_000), ..Default::default() };
        let signatures = driver::signature::signatures(&module);
        let mut native = NativeDevice::new(&module, signatures, THREADS, how)
            .map_err(|e| fail(e.render(&module.sources)))?;
        let mut reference =
            Emulator::new(module, limit).map_err(|e| fail(format!("interpreter: {e}")))?;
        count = run_all(&mut native, &launches, &folder).map_err(fail)?;
        for launch in &launches {
            same_bits(&mut native, &mut reference, launch, &folder)
                .map_err(|e| fail(format!("{}: {e}", launch.name)))?;
        }
    }
    Ok(count)
}

/// Threads of native launches: enough for work-groups to run at the same time.
const THREADS: usize = 3;

/// Whether two devices give the same bits.
fn same_bits(
    one: &mut dyn Device,
    other: &mut dyn Device,
    launch: &Launch,
    folder: &Path,
) -> Result<(), String> {
    let (one, other) = (buffers(one, launch, folder)?, buffers(other, launch, folder)?);
    let differs = one.iter().zip(&other).find(|(a, b)| a != b);
    differs.map_or(Ok(()), |((name, _), _)| {
        Err(format!("buffer `{name}` differs from the interpreter's"))
    })
}

fn check_schedules(kernel: &str, producer: &str, settings: &Settings) -> Result<String, String> {
    let loaded = load(kernel, producer, settings, true)?;
    let bits = schedules::check(&loaded.module, loaded.local_bytes)?;
    let saved = 100.0 * (bits.asap as f64 - bits.sdc as f64) / bits.asap.max(1) as f64;
    Ok(format!("register bits {} asap, {} sdc, {saved:.1} % less", bits.asap, bits.sdc))
}

/// How hardware is scheduled and how the memory behind it behaves: scheduler, seed of the memory,
/// latency in cycles, stall rate, and whether bursts overtake one another and reads see memory early or late.
type Behaviour = (Scheduling, u64, u32, f64, bool);

const MEMORY_BEHAVIOURS: [Behaviour; 4] = [
    (Scheduling::Sdc, 1, 100, 0.0, false),
    (Scheduling::Sdc, 2, 20, 0.3, true),
    (Scheduling::Random(3), 4, 50, 0.2, false),
    (Scheduling::Asap, 5, 30, 0.1, true),
];

fn run_sim(
    kernel: &str,
    producer: &str,
    settings: &Settings,
    behaviours: &[Behaviour],
) -> Result<usize, String> {
    let Loaded { module, local_bytes, launches, folder, kernels, connections, .. } =
        load(kernel, producer, settings, true)?;
    let mut count = 0;
    for &(schedule, seed, latency, stalls, reorder) in behaviours {
        let options = Options {
            kernels: kernels.clone(),
            level: ir_opt::Level::O2,
            simd: settings.simd,
            aligned_pointers: true,
            compute_units: settings.compute_units,
            work_groups: None,
            memory_ports: settings.memory_ports,
            without_passes: vec![],
            image_cache: None,
            local_bytes,
            scheduling: schedule,
            clock_mhz: None,
            platform: None,
            connections: connections.clone(),
            spec_constants: vec![],
            dump: false,
        };
        let board =
            library(None).and_then(|l| Ok(l.board(&settings.board)?)).map_err(|e| e.render())?;
        let mut silent = |_: &str| {};
        let build = Pipeline::new(&options, &board, &mut silent)
            .compile(module.clone())
            .map_err(|e| e.render())?;
        let sources = build.sources();
        // Whatever the registers and memories hold before the reset must not matter.
        let mut sim_options = SimOptions { random_state: true, ..SimOptions::default() };
        sim_options.memory.seed = seed;
        sim_options.memory.read_latency = latency;
        sim_options.memory.write_latency = latency;
        sim_options.memory.stall_rate = stalls;
        sim_options.memory.reorder = reorder;
        let mut device =
            Simulator::new(build.manifest, sources, sim_options).map_err(|e| e.to_string())?;
        count = run_all(&mut device, &launches, &folder)
            .map_err(|e| format!("schedule {schedule:?}, memory seed {seed}: {e}"))?;
    }
    Ok(count)
}
