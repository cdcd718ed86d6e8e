//! From a SPIR-V module to kernels that a device can run.

use super::channels::Channels;
use super::connected::Gatherings;
use super::container::{Hardware, HardwareFile};
use super::device::{Device, DeviceKind};
use super::kept::{self, Generated};
use super::options::Design;

use abi::{KernelSignature, Manifest};
use driver::connect::{self, Connection};
use driver::emu::InterpretedProgram;
use driver::failure::Failure;
use driver::pipeline::{Numerics, Options, Pipeline, Scheduling};
use host::LoadedProgram;
use ir::{Func, Module, ObjectKind, Op, Space};
use sim::{HostProgram, SimOptions, Simulator, Source};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use target::Board;

/// Capacity in bytes of each local-memory argument of generated hardware.
const LOCAL_ARGUMENT: u64 = 16 << 10;

/// A program that a device can run.
pub struct Executable {
    /// Runs its kernels.
    pub program: Arc<dyn LoadedProgram>,
    /// What is known of each kernel, in the program's order.
    pub kernels: Vec<KernelFacts>,
    /// Hardware, where the device needs it.
    pub hardware: Option<Hardware>,
    /// Launches of kernels that pipes connect.
    pub gatherings: Gatherings,
    /// What the channels of the program are, where they are in memory.
    pub channels: Channels,
    /// Launches of kernels that are running, if kernels print.
    pub printing: Mutex<usize>,
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable").field("kernels", &self.kernels).finish_non_exhaustive()
    }
}

/// What is known of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelFacts {
    /// Name, arguments, limits.
    pub signature: KernelSignature,
    /// Bytes of local memory that its variables take.
    pub local_bytes: u64,
    /// Attributes as in the source.
    pub attributes: String,
    /// Most work-items of a sub-group.
    pub sub_group_size: u32,
}

/// A module and how to read it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// SPIR-V.
    pub module: &'a [u8],
    /// Values of specialisation constants.
    pub constants: &'a [(u32, u64)],
    /// What options of the compiler allow.
    pub numerics: Numerics,
    /// How hardware is to be made.
    pub design: &'a Design,
    /// Hardware that was built from it before, for the same device.
    pub hardware: Option<&'a Hardware>,
}

/// Makes a module ready to run on a device. The text is what to tell beside it.
///
/// # Errors
/// The messages for people.
pub fn load(device: &Device, input: &Input<'_>) -> Result<(Executable, String), String> {
    let has_fifos = matches!(device.kind, DeviceKind::Simulator(_));
    let replaced = driver::channels::replaced(input.module, &input.design.connections, &[]);
    let replaced = replaced.map_err(|e| e.render())?;
    let design = Design { connections: replaced.connections, ..input.design.clone() };
    let bytes = replaced.bytes.as_deref().unwrap_or(input.module);
    let input = &Input { module: bytes, design: &design, ..*input };
    let (mut module, sub_group_size) = read(input, true).map_err(|e| e.render())?;
    if !has_fifos && !input.design.connections.is_empty() {
        // what was read tells whether hardware can have the connections; these devices have all pipes in memory
        (module, _) = read(input, false).map_err(|e| e.render())?;
    }
    let mut kernels = facts(&module, sub_group_size);
    let mut hardware = None;
    let (program, log): (Arc<dyn LoadedProgram>, String) = match &device.kind {
        DeviceKind::Emulator => match native(module.clone()) {
            Ok(program) => (program, String::new()),
            Err(e) => {
                let why = e.render();
                let log = format!("the program is interpreted, slowly:\n{}\n", why.trim_end());
                (interpreted(module)?, log)
            }
        },
        DeviceKind::Interpreter => (interpreted(module)?, String::new()),
        DeviceKind::Simulator(board) => {
            let made = match input.hardware {
                Some(hardware) => Generated { hardware: hardware.clone(), log: String::new() },
                None => {
                    kept::hardware(input, &device.name, || generate(module, board, input.design))
                        .map_err(|e| e.render())?
                }
            };
            let program = simulate(&made.hardware)?;
            kernels = with_signatures(kernels, program.kernels());
            hardware = Some(made.hardware);
            (Arc::new(program), made.log)
        }
    };
    let signatures: Vec<&KernelSignature> = kernels.iter().map(|k| &k.signature).collect();
    let channels = match has_fifos {
        true => Channels::default(),
        false => Channels::in_memory(&design.connections, &signatures)?,
    };
    let (gatherings, printing) = Default::default();
    Ok((Executable { program, kernels, hardware, gatherings, channels, printing }, log))
}

/// The module, and how many work-items its sub-groups have. Pipes that options connect are FIFOs, or in memory.
fn read(input: &Input<'_>, has_fifos: bool) -> driver::failure::Result<(Module, u32)> {
    let design = input.design;
    let options = spirv_to_ir::Options {
        name: "program".into(),
        kernels: vec![],
        spec_constants: input.constants.to_vec(),
        denorms_are_zero: input.numerics.denorms_are_zero,
        unsafe_math: input.numerics.unsafe_math,
        enqueue_errors: input.numerics.enqueue_errors,
        uniform_groups: input.numerics.uniform_groups,
        sub_group_size: design.sub_group_size,
        connected: design.connections.iter().flat_map(Connection::pipes).collect(),
        fifos_in_memory: !has_fifos,
        formats: design.formats.clone(),
    };
    let mut sources = base::SourceMap::default();
    let result = spirv_to_ir::read_with_sources(input.module, &options, &mut sources);
    let mut module = result.map_err(|e| Failure::with_sources(e, &sources))?;
    let size = spirv_to_ir::sub_group_size(input.module, &options)
        .map_err(|e| Failure::with_sources(e, &sources))?;
    driver::input::attach_sources(&mut sources, Path::new(""));
    module.sources = sources;
    ir::verify::verify_module(&module).map_err(|e| Failure::with_sources(e, &module.sources))?;
    driver::input::tell_arguments_apart(&mut module);
    connect::settle(&design.connections, &mut module)?;
    Ok((module, size))
}

fn interpreted(module: Module) -> Result<Arc<dyn LoadedProgram>, String> {
    let sources = module.sources.clone();
    let options = interp::Options { most_polls: poll_limit(), ..interp::Options::default() };
    let program = InterpretedProgram::new(module, options)
        .map_err(|e| Failure::with_sources(e, &sources).render())?;
    Ok(Arc::new(program))
}

/// Operations on pipes that may be refused while a kernel does nothing else, for those who want another limit.
const POLLS_VARIABLE: &str = "CLHLS_POLL_LIMIT";

fn poll_limit() -> u64 {
    let given = std::env::var(POLLS_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.unwrap_or(interp::MOST_POLLS)
}

/// The kernels as native code.
fn native(module: Module) -> driver::failure::Result<Arc<dyn LoadedProgram>> {
    let sources = module.sources.clone();
    let program = driver::native::program(module);
    Ok(Arc::new(program.map_err(|e| Failure::with_sources(e, &sources))?))
}

/// What the kernels' IR tells.
fn facts(module: &Module, sub_group_size: u32) -> Vec<KernelFacts> {
    let signatures = driver::signature::signatures(module);
    let kernels = module.kernels().zip(signatures);
    let fact = |((id, function), signature): ((Func, &ir::Function), KernelSignature)| {
        let info = function.kernel.clone().unwrap_or_default();
        let size = |name: &str, size: Option<[u32; 3]>| {
            size.map(|[x, y, z]| format!("{name}({x},{y},{z})"))
        };
        let attributes = [
            size("reqd_work_group_size", info.reqd_work_group_size),
            size("work_group_size_hint", info.work_group_size_hint),
            info.vec_type_hint.map(|hint| format!("vec_type_hint({hint})")),
        ];
        KernelFacts {
            signature,
            local_bytes: local_bytes(module, id),
            attributes: attributes.into_iter().flatten().collect::<Vec<_>>().join(" "),
            sub_group_size,
        }
    };
    // those of blocks are for other kernels
    kernels.map(fact).filter(|fact| !fact.signature.enqueued).collect()
}

/// Bytes of the local variables that a kernel and what it calls use.
fn local_bytes(module: &Module, kernel: Func) -> u64 {
    let mut open = vec![kernel];
    let mut seen = BTreeSet::from([kernel]);
    let mut variables = BTreeSet::new();
    while let Some(id) = open.pop() {
        let function = &module.functions[id];
        for object in function.objects.values().filter(|o| o.space == Space::Local) {
            if let ObjectKind::Global(global) = object.kind {
                variables.insert(global);
            }
        }
        for inst in function.insts.values() {
            if let Op::Call(callee) = inst.op
                && seen.insert(callee)
            {
                open.push(callee);
            }
        }
    }
    variables.into_iter().map(|global| module.globals[global].size).sum()
}

/// Builds hardware for a board.
fn generate(module: Module, board: &Board, design: &Design) -> driver::failure::Result<Generated> {
    let options = Options {
        kernels: vec![],
        level: ir_opt::Level::O2,
        simd: design.simd.or(Some(1)),
        // shared virtual memory has pointers to anywhere
        aligned_pointers: false,
        compute_units: design.compute_units.or(Some(1)),
        work_groups: None,
        memory_ports: design.memory_ports.unwrap_or(1),
        without_passes: vec![],
        image_cache: design.image_cache,
        local_bytes: design.local_bytes.unwrap_or(LOCAL_ARGUMENT),
        scheduling: Scheduling::Sdc,
        clock_mhz: None,
        platform: None,
        connections: design.connections.clone(),
        spec_constants: vec![],
        dump: false,
    };
    let mut silent = |_: &str| {};
    let built = Pipeline::new(&options, board, &mut silent).compile(module)?;
    let file = |source: Source| HardwareFile {
        name: source.name,
        library: source.library,
        text: source.text,
    };
    let files = built.sources().into_iter().map(file).collect();
    let hardware = Hardware { manifest: built.manifest.to_json(), files };
    Ok(Generated { hardware, log: built.warnings.concat() })
}

/// Hardware as a program.
fn simulate(hardware: &Hardware) -> Result<HostProgram, String> {
    let manifest = Manifest::parse(&hardware.manifest, Path::new(abi::MANIFEST_FILE));
    let manifest = manifest.map_err(|e| e.to_string())?;
    let source = |file: &HardwareFile| Source {
        name: file.name.clone(),
        text: file.text.clone(),
        library: file.library,
    };
    let sources = hardware.files.iter().map(source).collect();
    let options = SimOptions { most_polls: poll_limit(), ..SimOptions::default() };
    let simulator = Simulator::new(manifest, sources, options);
    simulator.map(HostProgram::new).map_err(|e| e.message)
}

/// The signatures of hardware, which has limits of its own.
fn with_signatures(facts: Vec<KernelFacts>, signatures: &[KernelSignature]) -> Vec<KernelFacts> {
    let update = |fact: KernelFacts| {
        let found = signatures.iter().find(|s| s.name == fact.signature.name)?;
        Some(KernelFacts { signature: found.clone(), ..fact })
    };
    facts.into_iter().filter_map(update).collect()
}
