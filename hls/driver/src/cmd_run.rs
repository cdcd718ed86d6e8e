//! `clhls run`

use crate::beside::Beside;
use crate::cli::{DeviceKind, RunArgs};
use crate::cmd_build::{board, check_dumps, options, write_dumps};
use crate::cmd_report::{count, kernel_text, read_manifest};
use crate::connect::Connection;
use crate::emu::Emulator;
use crate::failure::{Failure, Result, io};
use crate::input::{Input, read_module_for};
use crate::output::{check_file, replace_file};
use crate::pipeline::{Build, Pipeline};
use crate::progress::Progress;
use crate::{Streams, beside, connect};
use ::report::Report;
use abi::{Access, Kernel, KernelSignature, Link};
use base::FileSet;
use host::{Array, Device, NdRange, Request, RunResult, Value};
use interp::{Options, Order};
use sim::{SimOptions, Simulator};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Default of `--mem-latency`.
const MEM_LATENCY: u32 = 100;
/// Elements of a buffer that are printed.
const SHOWN: usize = 8;

/// A device and, for hardware, what is known of its kernels.
struct Target {
    device: Running,
    /// What pipes are connected to; of hardware its manifest says it.
    connections: Vec<Connection>,
    hardware: Vec<Kernel>,
    /// What the build's report says; of hardware only.
    report: Option<Report>,
}

/// What runs the kernel.
enum Running {
    Emulated(Box<dyn Device>),
    Simulated(Box<Simulator>),
}

impl Running {
    fn device(&mut self) -> &mut dyn Device {
        match self {
            Running::Emulated(device) => &mut **device,
            Running::Simulated(device) => &mut **device,
        }
    }

    fn profile(&self) -> Option<&sim::Profile> {
        match self {
            Running::Emulated(_) => None,
            Running::Simulated(device) => device.profile(),
        }
    }
}

pub(crate) fn run(args: &RunArgs, quiet: bool, streams: &mut Streams<'_>) -> Result<()> {
    let (signature, result, others, hardware, device, time) = {
        let mut progress = streams.progress(quiet || args.json);
        check_options(args)?;
        let values = values(args)?;
        let mut target = target(args, &mut progress)?;
        let signature = choose_kernel(target.device.device(), args.kernel.as_deref())?;
        check_beside(args, &signature)?;
        check_outputs(args, &signature, &values)?;
        progress.step("run");
        let range = NdRange {
            global: args.global.0.clone(),
            local: args.local.clone().map(|s| s.0),
            offset: args.offset.clone().map(|s| s.0),
        };
        let start = Instant::now();
        let request = Request { kernel: signature.name.clone(), range, args: values };
        let (result, others) = run_all(args, &mut target, request)?;
        let time = start.elapsed();
        let kernels = std::mem::take(&mut target.hardware);
        let hardware = kernels.into_iter().find(|k| k.signature.name == signature.name);
        if let (Some(kernel), Some(profile)) = (&hardware, target.device.profile()) {
            write_report(args, target.report.take(), kernel, &result, profile)?;
        }
        (signature, result, others, hardware, target.device.device().name(), time)
    };
    for (name, file) in &args.outputs {
        let Some((_, array)) = find_output(&result, &signature, &others, name) else {
            let what = format!("--out {name}={file}: the launch has no such buffer or mip level");
            return Err(Failure::new("E0613", what));
        };
        let bytes = match file.ends_with(".png") {
            true => array.to_png().map_err(|e| {
                Failure::new("E0613", format!("--out {name}={file}: {}", e.message))
            })?,
            false => array.to_npy(),
        };
        replace_file(Path::new(file), &bytes)?;
    }
    if let Some(warning) = result.printed.warning() {
        streams.warn(&[warning]);
    }
    if !args.json {
        streams.print_bytes(&result.printed.text)?;
    }
    let text = if args.json {
        let more = others.iter().map(|(k, r)| value(k, r, None, device, time)).collect();
        json(&signature, &result, hardware.as_ref(), device, time, more)
    } else {
        let mut text = summary(args, &signature, &result, hardware.as_ref(), device);
        text.extend(others.iter().map(|(k, r)| summary(args, k, r, None, device)));
        text
    };
    streams.print(&text)
}

/// Runs the kernel and those beside it; what came of it, and of those.
fn run_all(
    args: &RunArgs,
    target: &mut Target,
    request: Request,
) -> Result<(RunResult, Vec<(KernelSignature, RunResult)>)> {
    let mut requests = vec![request];
    for beside in &args.beside {
        requests.push(beside.request()?);
    }
    let device = target.device.device();
    let mut kernels = vec![];
    for request in &requests {
        kernels.push(device.kernel(&request.kernel)?.clone());
    }
    let links = match &target.device {
        Running::Simulated(device) => {
            device.manifest().links.iter().map(|link| (link.clone(), None)).collect()
        }
        Running::Emulated(device) => {
            let all = device.kernels();
            let mut links = connect::links_with_depths(&target.connections, &all);
            // where any kernel enqueues others, launches run one after the other
            if all.iter().any(|k| !k.enqueues.is_empty()) {
                links.iter_mut().for_each(|(_, depth)| *depth = None);
            }
            links
        }
    };
    let loops = |(link, _): &(Link, Option<u32>)| {
        link.is_of_one_kernel() && link.writer.kernel == requests[0].kernel
    };
    if args.profile && links.iter().any(loops) {
        let what = format!(
            "--profile does nothing with kernel `{}`, which a pipe connects with itself",
            requests[0].kernel
        );
        return Err(Failure::new("E0613", what).help("leave --profile"));
    }
    beside::join(&mut requests, &links, &kernels);
    // Where they run one after the other, or by turns, those that write come first.
    let links: Vec<Link> = links.into_iter().map(|(link, _)| link).collect();
    let order = beside::order(&requests, &links);
    let sorted: Vec<Request> = order.iter().map(|k| requests[*k].clone()).collect();
    let results = host::run_together(target.device.device(), &sorted)?;
    let mut numbered: Vec<(usize, RunResult)> = order.into_iter().zip(results).collect();
    numbered.sort_by_key(|(k, _)| *k);
    let mut all = kernels.into_iter().zip(numbered.into_iter().map(|(_, result)| result));
    let (_, first) = all.next().ok_or_else(|| Failure::new("E0613", "nothing ran"))?;
    Ok((first, all.collect()))
}

/// Writes the report with what was measured: into `--report`, else into the build's directory.
fn write_report(
    args: &RunArgs,
    report: Option<Report>,
    kernel: &Kernel,
    result: &RunResult,
    profile: &sim::Profile,
) -> Result<()> {
    let built = Some(&args.input.input).filter(|i| i.is_dir());
    let (Some(dir), Some(mut report)) = (args.report.as_ref().or(built), report) else {
        return Ok(());
    };
    crate::report::add_measured(&mut report, kernel, &result.stats, profile);
    std::fs::create_dir_all(dir).map_err(|e| io("make the directory", dir, &e))?;
    let mut files = FileSet::new();
    crate::report::insert(&mut files, &report);
    files.iter().try_for_each(|(name, text)| replace_file(&dir.join(name), text))
}

/// The report of a finished build.
fn read_report(dir: &Path) -> Result<Report> {
    let path = dir.join(::report::JSON_FILE);
    let text = std::fs::read_to_string(&path).map_err(|e| io("read", &path, &e))?;
    Report::parse(&text).map_err(|e| {
        Failure::new("E0611", format!("{}: {e}", path.display())).help("build it anew")
    })
}

/// Where the kernel is to run.
fn device_of(args: &RunArgs) -> DeviceKind {
    let built = if args.input.input.is_dir() { DeviceKind::Sim } else { DeviceKind::Emu };
    args.device.unwrap_or(built)
}

/// Refuses options that would do nothing, and files that could not be written after the run.
fn check_options(args: &RunArgs) -> Result<()> {
    let sim = [
        ("--trace", args.trace.is_some()),
        ("--profile", args.profile),
        ("--report", args.report.is_some()),
        ("--mem-latency", args.mem_latency.is_some()),
        ("--stall-rate", args.stall_rate.is_some()),
        ("--random-state", args.random_state),
    ];
    let emu = [("--step-limit", args.step_limit.is_some())];
    let seed = [("--seed", args.seed.is_some())];
    let (device, unknown) = match device_of(args) {
        DeviceKind::Emu => ("emu", vec![(&sim[..], "sim")]),
        DeviceKind::Native => ("native", vec![(&sim[..], "sim"), (&emu, "emu"), (&seed, "emu")]),
        DeviceKind::Sim => ("sim", vec![(&emu[..], "emu")]),
    };
    for (options, other) in unknown {
        if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
            let what = format!("{option} does nothing on device {device}");
            return Err(Failure::new("E0613", what).help(format!("--device {other}")));
        }
    }
    if args.report.is_some() && !args.profile {
        let what = "--report does nothing without --profile";
        return Err(Failure::new("E0613", what).help("--profile"));
    }
    if args.profile && !args.beside.is_empty() {
        let what = "--profile does nothing with --beside";
        return Err(Failure::new("E0613", what).help("profile the kernels one by one"));
    }
    let built = args.input.input.is_dir();
    if let (true, [option, ..]) = (built, args.compile.given().as_slice()) {
        let what = format!("{option} does nothing: {} is built", args.input.input.display());
        return Err(Failure::new("E0613", what).help("build it anew, or give the kernel file"));
    }
    if args.compile.board.is_some() {
        board(&args.compile, None)?;
    }
    for (name, file) in &args.outputs {
        if !file.ends_with(".npy") && !file.ends_with(".png") {
            let what = format!("--out {name}={file}: expected a .npy or .png file");
            return Err(Failure::new("E0613", what));
        }
        check_file(Path::new(file))?;
    }
    args.trace.as_deref().map_or(Ok(()), check_file)?;
    check_dumps(args.compile.dump_dir.as_ref())
}

fn values(args: &RunArgs) -> Result<Vec<(String, Value)>> {
    let value = |(name, text): &(String, String)| match Value::parse(text, Path::new("")) {
        Ok(value) => Ok((name.clone(), value)),
        Err(e) => Err(host::Error::new(e.kind, format!("--arg {name}: {}", e.message)).into()),
    };
    args.args.iter().map(value).collect()
}

/// The device that the command line asks for, with the kernels on it.
fn target(args: &RunArgs, progress: &mut Progress<'_>) -> Result<Target> {
    let input = &args.input.input;
    if input.is_dir() {
        let name = match args.device {
            Some(DeviceKind::Emu) => Some("emu"),
            Some(DeviceKind::Native) => Some("native"),
            _ => None,
        };
        if let Some(name) = name {
            let what = format!("{} is built hardware, which {name} cannot run", input.display());
            let help = format!("give {name} the kernel file, or use sim");
            return Err(Failure::new("E0613", what).help(help));
        }
        read_manifest(input)?;
        let device = Simulator::open(input, sim_options(settings(args))?)
            .map_err(|e| Failure::new("E0611", e.message))?;
        let report = if args.profile { Some(read_report(input)?) } else { None };
        return simulated(device, report, args, progress);
    }
    progress.step("read");
    let has_fifos = args.device != Some(DeviceKind::Native);
    let Input { module, connections, warnings, spec_constants } =
        read_module_for(&args.input, &wanted(args), has_fifos)?;
    progress.warn(&warnings);
    if args.device == Some(DeviceKind::Sim) {
        let build = build(args, (module, connections, spec_constants), progress)?;
        let sources = build.sources();
        let device = Simulator::new(build.manifest, sources, sim_options(settings(args))?)?;
        return simulated(device, Some(build.report), args, progress);
    }
    if args.device == Some(DeviceKind::Native) {
        progress.step("compile");
        let sources = module.sources.clone();
        let mut device =
            crate::native::device(module).map_err(|e| Failure::with_sources(e, &sources))?;
        device.set_most_polls(args.poll_limit.unwrap_or(interp::MOST_POLLS));
        let device = Running::Emulated(Box::new(device));
        return Ok(Target { device, connections, hardware: vec![], report: None });
    }
    let order = args.seed.map_or(Order::Sequential, |seed| Order::Interleaved { seed });
    let most_polls = args.poll_limit.unwrap_or(interp::MOST_POLLS);
    let options = Options { step_limit: args.step_limit, order, most_polls };
    let sources = module.sources.clone();
    let device = Emulator::new(module, options).map_err(|e| Failure::with_sources(e, &sources))?;
    let device = Running::Emulated(Box::new(device));
    Ok(Target { device, connections, hardware: vec![], report: None })
}

/// The kernels that are needed; all if none is named.
fn wanted(args: &RunArgs) -> Vec<String> {
    let others = args.beside.iter().map(|b| b.kernel.clone());
    args.kernel.iter().cloned().chain(others.filter(|_| args.kernel.is_some())).collect()
}

/// Work-groups of the launch, if the command line gives their size.
fn work_groups(args: &RunArgs) -> Option<u64> {
    let local = args.local.as_ref()?;
    let sizes = args.global.0.iter().zip(&local.0);
    Some(
        sizes.fold(1u64, |all, (global, local)| {
            all.saturating_mul(global.div_ceil((*local).max(1)))
        }),
    )
}

fn build(
    args: &RunArgs,
    (module, connections, spec_constants): (ir::Module, Vec<Connection>, Vec<abi::SpecConstant>),
    progress: &mut Progress<'_>,
) -> Result<Build> {
    let mut options = options(&args.compile, &wanted(args))?;
    options.spec_constants = spec_constants;
    options.connections = connections;
    // Copies make the simulator slower to build and to run; a run is about results.
    if args.compile.compute_units.is_none() {
        options.compute_units = Some(1);
    }
    options.work_groups = work_groups(args);
    let board = board(&args.compile, Some("unit"))?;
    let mut tell = |what: &str| progress.step(what);
    let pipeline = Pipeline::new(&options, &board, &mut tell);
    let result = pipeline.compile(module);
    write_dumps(args.compile.dump_dir.as_ref(), &pipeline.dumps.borrow())?;
    let build = result?;
    progress.warn(&build.warnings);
    Ok(build)
}

fn simulated(
    device: Simulator,
    report: Option<Report>,
    args: &RunArgs,
    progress: &mut Progress<'_>,
) -> Result<Target> {
    let kernel = choose_kernel(&device, args.kernel.as_deref())?;
    progress.step("build the simulator");
    device.build(&kernel.name)?;
    let hardware = device.manifest().kernels.clone();
    let device = Running::Simulated(Box::new(device));
    Ok(Target { device, connections: vec![], hardware, report })
}

/// What the command line says of a simulation.
pub(crate) struct SimSettings<'a> {
    pub(crate) trace: Option<&'a Path>,
    pub(crate) profile: bool,
    pub(crate) seed: Option<u64>,
    pub(crate) mem_latency: Option<u32>,
    pub(crate) stall_rate: Option<f64>,
    pub(crate) random_state: bool,
    pub(crate) poll_limit: Option<u64>,
}

fn settings(args: &RunArgs) -> SimSettings<'_> {
    SimSettings {
        trace: args.trace.as_deref(),
        profile: args.profile,
        seed: args.seed,
        mem_latency: args.mem_latency,
        stall_rate: args.stall_rate,
        random_state: args.random_state,
        poll_limit: args.poll_limit,
    }
}

pub(crate) fn sim_options(settings: SimSettings<'_>) -> Result<SimOptions> {
    let stall_rate = settings.stall_rate.unwrap_or(0.0);
    if !(0.0..1.0).contains(&stall_rate) {
        let what = format!("--stall-rate {stall_rate}: from 0 to below 1 is possible");
        return Err(Failure::new("E0613", what));
    }
    let trace = settings.trace.map(Path::to_owned);
    let SimSettings { profile, random_state, .. } = settings;
    let mut options = SimOptions { trace, profile, random_state, ..SimOptions::default() };
    options.memory.seed = settings.seed.unwrap_or(options.memory.seed);
    let latency = settings.mem_latency.unwrap_or(MEM_LATENCY).max(1);
    options.memory.read_latency = latency;
    options.memory.write_latency = latency;
    options.memory.stall_rate = stall_rate;
    options.most_polls = settings.poll_limit.unwrap_or(options.most_polls);
    Ok(options)
}

fn choose_kernel(device: &dyn Device, name: Option<&str>) -> Result<KernelSignature> {
    // those of blocks are for other kernels
    let kernels: Vec<&KernelSignature> =
        device.kernels().into_iter().filter(|kernel| !kernel.enqueued).collect();
    match (name, kernels.as_slice()) {
        (Some(name), _) => Ok(device.kernel(name)?.clone()),
        (None, [only]) => Ok((*only).clone()),
        (None, []) => Err(Failure::new("E0607", "the input has no kernels")),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|k| k.name.as_str()).collect();
            let help = format!("--kernel with one of {}", names.join(", "));
            Err(Failure::new("E0607", "the input has several kernels").help(help))
        }
    }
}

/// A kernel is launched once.
fn check_beside(args: &RunArgs, signature: &KernelSignature) -> Result<()> {
    let mut launched = vec![&signature.name];
    for Beside { kernel, .. } in &args.beside {
        if launched.contains(&kernel) {
            let what = format!(
                "--beside {kernel}: kernel `{kernel}` is launched already, and runs once at a time"
            );
            let help = "leave it, or name the kernel that is to run beside it";
            return Err(Failure::new("E0613", what).help(help));
        }
        launched.push(kernel);
    }
    Ok(())
}

/// Names of `--out` are those of buffers, and what they hold is what the file can; known before anything runs.
fn check_outputs(
    args: &RunArgs,
    signature: &KernelSignature,
    values: &[(String, Value)],
) -> Result<()> {
    for (name, file) in &args.outputs {
        let inner = |b: &Beside| Some(name.strip_prefix(&b.kernel)?.strip_prefix('.')?.to_owned());
        let of_other = args.beside.iter().find_map(|b| Some((b, inner(b)?)));
        if let Some((beside, inner)) = of_other {
            check_picture(name, file, texels(None, &beside.request()?.args, &inner))?;
            continue;
        }
        let known = signature.arg(name).is_some_and(|a| a.kind.has_memory());
        if !known && mip_level(signature, name).is_none() {
            let what =
                format!("--out {name}={file}: kernel `{}` has no such buffer", signature.name);
            let e = Failure::new("E0613", what);
            return Err(match args.beside.first() {
                Some(b) => e.help(format!(
                    "of a kernel beside it with that one's name: --out {}.{name}={file}",
                    b.kernel
                )),
                None => e,
            });
        }
        check_picture(name, file, texels(Some(signature), values, name))?;
    }
    Ok(())
}

/// What a launch gives the argument, or the image whose mip level it is, that `--out` names. What it holds after the launch has the same
/// type and as many dimensions.
fn texels<'v>(
    signature: Option<&KernelSignature>,
    values: &'v [(String, Value)],
    name: &str,
) -> Option<&'v Array> {
    let arg = signature.and_then(|k| k.arg(name));
    let is_it = |given: &str| match (signature, arg) {
        (Some(signature), Some(arg)) => signature.arg(given).is_some_and(|a| a.index == arg.index),
        _ => given == name || name.rsplit_once('.').is_some_and(|(image, _)| given == image),
    };
    match &values.iter().find(|(given, _)| is_it(given))?.1 {
        Value::Array(array) => Some(array),
        Value::Image(image) => Some(&image.texels),
        _ => None,
    }
}

/// Whether a buffer can be in the file of `--out`.
fn check_picture(name: &str, file: &str, array: Option<&Array>) -> Result<()> {
    let Some(array) = array.filter(|_| file.ends_with(".png")) else { return Ok(()) };
    array.check_png().map_err(|e| {
        let what = format!("--out {name}={file}: {}", e.message);
        Failure::new("E0613", what).help("write a .npy file, which holds any array")
    })
}

/// A buffer of the kernel, or `KERNEL.NAME` of one beside it.
fn find_output<'a>(
    result: &'a RunResult,
    signature: &KernelSignature,
    others: &'a [(KernelSignature, RunResult)],
    name: &str,
) -> Option<&'a (String, Array)> {
    find_buffer(result, signature, name).or_else(|| {
        let (kernel, name) = name.split_once('.')?;
        let (signature, result) = others.iter().find(|(k, _)| k.name == kernel)?;
        find_buffer(result, signature, name)
    })
}

fn find_buffer<'a>(
    result: &'a RunResult,
    signature: &KernelSignature,
    name: &str,
) -> Option<&'a (String, Array)> {
    let name = match (signature.arg(name), mip_level(signature, name)) {
        (Some(arg), _) => arg.name.clone(),
        (None, Some((image, level))) => format!("{}.{level}", image.name),
        _ => return None,
    };
    result.buffers.iter().find(|(n, _)| *n == name)
}

/// `NAME.LEVEL`: a mip level of an image.
fn mip_level<'k>(signature: &'k KernelSignature, name: &str) -> Option<(&'k abi::Arg, u32)> {
    let (name, level) = name.rsplit_once('.')?;
    let image = signature.arg(name).filter(|arg| arg.kind == abi::ArgKind::Image)?;
    Some((image, level.parse().ok()?))
}

fn summary(
    args: &RunArgs,
    signature: &KernelSignature,
    result: &RunResult,
    hardware: Option<&Kernel>,
    device: &str,
) -> String {
    let mut text = String::new();
    let stats = &result.stats;
    let items = count(stats.work_items, "work-item", "work-items");
    // writing to a string cannot fail
    let _ = write!(text, "{} on {device}: {items}", signature.name);
    if let Some(h) = &stats.hardware {
        let rate = stats.work_items as f64 / h.cycles.max(1) as f64;
        let _ = write!(text, ", {} cycles, {rate:.3} work-items a cycle", h.cycles);
    }
    text.push('\n');
    if let (true, Some(h)) = (args.profile, &stats.hardware) {
        let cycles = h.cycles.max(1) as f64;
        for (what, beats, bytes, bursts) in [
            ("read", h.read_beats, h.read_bytes, h.read_bursts),
            ("written", h.write_beats, h.write_bytes, h.write_bursts),
        ] {
            let rate = beats as f64 / cycles;
            let _ = writeln!(
                text,
                "{what}: {} in {}, {}, {rate:.3} beats a cycle",
                count(bytes, "byte", "bytes"),
                count(beats, "beat", "beats"),
                count(bursts, "burst", "bursts")
            );
        }
        text.extend(hardware.map(kernel_text));
    }
    let written = |name: &str| {
        let image = mip_level(signature, name).map(|(image, _)| image);
        let arg = signature.args.iter().find(|a| a.name == name).or(image);
        // a channel leads to another kernel, unless the user has put a pipe in its place
        let inside = arg.is_some_and(|a| a.channel) && !args.args.iter().any(|(n, _)| n == name);
        let access = arg.filter(|_| !inside).map(|a| a.access);
        matches!(access, Some(Access::ReadWrite | Access::WriteOnly))
    };
    for (name, array) in result.buffers.iter().filter(|(n, _)| written(n)) {
        let _ = writeln!(text, "{name}: {}", buffer_text(array));
    }
    text
}

/// Type, shape and the first elements.
fn buffer_text(array: &Array) -> String {
    let size = array.scalar.bytes() as usize;
    let shape: Vec<String> = array.shape.iter().map(u64::to_string).collect();
    let first: Vec<String> = array
        .bytes
        .chunks_exact(size)
        .take(SHOWN)
        .map(|bytes| element_text(array.scalar, bytes))
        .collect();
    let more = if array.bytes.len() / size > SHOWN { " ..." } else { "" };
    format!("{}[{}] {}{more}", array.scalar, shape.join(","), first.join(" "))
}

fn element_text(scalar: abi::ScalarType, bytes: &[u8]) -> String {
    let bits = bytes.iter().rev().fold(0u128, |v, b| v << 8 | u128::from(*b));
    let width = 8 * bytes.len() as u32;
    match scalar {
        abi::ScalarType::F16 => {
            let op = arith::Operator::FToF {
                from: arith::Format::F16,
                to: arith::Format::F32,
                round: ir::Rounding::Rte,
            };
            f32::from_bits(arith::eval(op, &[bits]) as u32).to_string()
        }
        abi::ScalarType::F32 => f32::from_bits(bits as u32).to_string(),
        abi::ScalarType::F64 => f64::from_bits(bits as u64).to_string(),
        s if s.is_signed() => ir::builder::sign_extend(bits, width).to_string(),
        _ => bits.to_string(),
    }
}

fn json(
    signature: &KernelSignature,
    result: &RunResult,
    hardware: Option<&Kernel>,
    device: &str,
    time: Duration,
    beside: Vec<serde_json::Value>,
) -> String {
    let mut value = value(signature, result, hardware, device, time);
    if !beside.is_empty() {
        value["beside"] = beside.into();
    }
    format!("{value:#}\n")
}

fn value(
    signature: &KernelSignature,
    result: &RunResult,
    hardware: Option<&Kernel>,
    device: &str,
    time: Duration,
) -> serde_json::Value {
    let h = result.stats.hardware;
    let loops: Vec<serde_json::Value> = hardware
        .iter()
        .flat_map(|k| &k.loops)
        .map(|l| {
            serde_json::json!({
                "name": l.name, "source": l.source, "kind": l.kind, "ii": l.ii,
                "latency": l.latency, "reason": l.reason,
            })
        })
        .collect();
    serde_json::json!({
        "kernel": signature.name,
        "device": device,
        "launches": 1,
        "work_items": result.stats.work_items,
        "cycles": h.map(|h| h.cycles),
        "bytes_read": h.map(|h| h.read_bytes),
        "bytes_written": h.map(|h| h.write_bytes),
        "read_beats": h.map(|h| h.read_beats),
        "write_beats": h.map(|h| h.write_beats),
        "loops": loops,
        "printed": String::from_utf8_lossy(&result.printed.text),
        "seconds": time.as_secs_f64(),
    })
}
