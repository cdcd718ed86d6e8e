//! Programs that failed once, against what their launch files expect, at every level.

use super::levels::Behaviour;
use super::produce::{PRODUCERS, Refusal, compile};
use crate::launches::{Launch, LaunchFile, run_launch};
use driver::emu::Emulator;
use driver::pipeline::{Options, Pipeline};
use emulator::NativeDevice;
use host::Device;
use ir::Module;
use sim::Simulator;
use std::path::Path;
use target::Family;

/// Behaviours of hardware that a regression runs under.
const BEHAVIOURS: u64 = 2;

/// Runs the launches of a folder by both producers: interpreted as read, at `-O0` and `-O2`, as native code and, if
/// so wanted, as hardware. Gives how many runs there were.
///
/// # Errors
/// Everything that is wrong.
pub fn run(folder: &Path, hardware: bool, scratch: &Path) -> Result<usize, String> {
    let file = LaunchFile::read(&folder.join("launches.toml"))?;
    let path = folder.join("kernel.cl");
    let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let launches: Vec<Launch> = file.launches().collect();
    let (mut count, mut wrong) = (0, vec![]);
    for producer in PRODUCERS {
        let module = match compile(&source, &file.cl_std, producer, scratch) {
            Ok(module) => module,
            Err(Refusal::Reader(e) | Refusal::Producer(e)) => {
                wrong.push(format!("{producer}: {e}"));
                continue;
            }
        };
        for (what, device) in devices(&module, file.local_capacity().max(1), hardware) {
            let mut device = match device {
                Ok(device) => device,
                Err(e) => {
                    wrong.push(format!("{producer}, {what}: {e}"));
                    continue;
                }
            };
            for launch in &launches {
                count += 1;
                let done = run_launch(&mut *device, launch, folder);
                wrong.extend(
                    done.err().map(|e| format!("{producer}, {what}, {}: {e}", launch.name)),
                );
            }
        }
    }
    if wrong.is_empty() { Ok(count) } else { Err(wrong.join("\n")) }
}

type Made = Result<Box<dyn Device>, String>;

/// All that runs a module.
fn devices(module: &Module, local_bytes: u64, hardware: bool) -> Vec<(String, Made)> {
    let mut all: Vec<(String, Made)> = vec![];
    let emulated = |m: Module| -> Made {
        let limit = interp::Options { step_limit: Some(200_000_000), ..interp::Options::default() };
        Ok(Box::new(Emulator::new(m, limit).map_err(|e| e.to_string())?))
    };
    all.push(("as read".into(), emulated(module.clone())));
    for level in [ir_opt::Level::O0, ir_opt::Level::O2] {
        let options = ir_opt::Options { level, ..ir_opt::Options::default() };
        let made = ir_opt::run(module.clone(), &[], &options, &Family::unit());
        all.push((format!("-{level:?}"), made.map_err(|e| e.to_string()).and_then(emulated)));
    }
    let native = || -> Made {
        let module = driver::native::optimise(module.clone()).map_err(|e| e.to_string())?;
        let signatures = driver::signature::signatures(&module);
        Ok(Box::new(NativeDevice::new(&module, signatures, 2, None).map_err(|e| e.to_string())?))
    };
    all.push(("native code".into(), native()));
    for n in (0..BEHAVIOURS).filter(|_| hardware) {
        let behaviour = Behaviour::number(n);
        let made = simulated(module, local_bytes, behaviour);
        all.push((format!("hardware, {:?}", behaviour.scheduling), made));
    }
    all
}

fn simulated(module: &Module, local_bytes: u64, behaviour: Behaviour) -> Made {
    let options = Options {
        kernels: vec![],
        level: ir_opt::Level::O2,
        simd: Some(1),
        aligned_pointers: true,
        compute_units: Some(behaviour.compute_units),
        work_groups: None,
        memory_ports: 1,
        without_passes: vec![],
        image_cache: None,
        local_bytes,
        scheduling: behaviour.scheduling,
        clock_mhz: None,
        platform: None,
        connections: vec![],
        spec_constants: vec![],
        dump: false,
    };
    let board = target::Library::builtin().board("unit").map_err(|e| e.to_string())?;
    let mut silent = |_: &str| {};
    let built = Pipeline::new(&options, &board, &mut silent).compile(module.clone());
    let build = built.map_err(|e| e.render())?;
    let sources = build.sources();
    let device = Simulator::new(build.manifest, sources, behaviour.sim_options());
    Ok(Box::new(device.map_err(|e: host::Error| e.to_string())?))
}
