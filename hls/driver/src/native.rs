//! Modules as native code: the fast emulator, behind the passes that suit it.

use crate::signature::signatures;
use emulator::{NativeDevice, NativeProgram, PASSES};
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
    let module = optimise(module)?;
    NativeDevice::new(&module, signatures(&module), processors())
}

/// The same as a program on the host's memory.
///
/// # Errors
/// Those of [`optimise`] and [`NativeProgram::new`].
pub fn program(module: Module) -> base::Result<NativeProgram> {
    let module = optimise(module)?;
    NativeProgram::new(&module, signatures(&module), processors())
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
