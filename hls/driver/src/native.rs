//! Modules as native code: the fast emulator, behind the passes that suit it.

use crate::pipe_ends::notes;
use crate::signature::signatures;
use emulator::{NativeDevice, NativeProgram, PASSES, Specialisation};
use ir::Module;
use target::Family;

/// Optimises a module for native code.
///
/// # Errors
/// Those of [`ir_opt::run`].
pub fn optimise(module: Module) -> base::Result<Module> {
    let options = ir_opt::Options {
        passes: Some(PASSES.iter().map(|p| (*p).to_owned()).collect()),
        ..ir_opt::Options::default()
    };
    ir_opt::run(module, &[], &options, &Family::unit())
}

/// A device that runs `module`, which the verifier must have accepted, on all processors.
///
/// # Errors
/// Those of [`optimise`] and [`NativeDevice::new`].
pub fn device(module: Module) -> base::Result<NativeDevice> {
    let source = module.clone();
    let module = optimise(module)?;
    let mut device =
        NativeDevice::new(&module, signatures(&module), processors(), Some(specialisation()))?;
    device.set_pipe_notes(Box::new(move |launches, together| notes(&source, launches, together)));
    Ok(device)
}

/// The same as a program on the host's memory.
///
/// # Errors
/// Those of [`optimise`] and [`NativeProgram::new`].
pub fn program(module: Module) -> base::Result<NativeProgram> {
    let module = optimise(module)?;
    NativeProgram::new(&module, signatures(&module), processors(), Some(specialisation()))
}

/// Kernels are compiled for the formats of their images where that pays.
fn specialisation() -> Specialisation {
    Specialisation { optimise: optimise_kernel, after: Specialisation::WORTHWHILE }
}

/// Optimises what a kernel needs once more, behind [`optimise`].
///
/// # Errors
/// Those of [`ir_opt::run`].
pub fn optimise_kernel(module: Module, kernel: &str) -> base::Result<Module> {
    let options = ir_opt::Options {
        passes: Some(AGAIN.iter().map(|p| (*p).to_owned()).collect()),
        ..ir_opt::Options::default()
    };
    ir_opt::run(module, &[kernel.to_owned()], &options, &Family::unit())
}

/// What follows from arguments that have become constants.
const AGAIN: [&str; 9] =
    ["inline", "fold", "gvn", "dce", "simplify-cfg", "fold", "gvn", "dce", "simplify-cfg"];

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
