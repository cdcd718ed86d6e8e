//! `clhls check`

use crate::Streams;
use crate::cli::CheckArgs;
use crate::failure::{Failure, Result};
use crate::input::read_module;
use crate::signature::signatures;
use std::fmt::Write;

/// Reads the module, brings it into the form that hardware generation takes, and lists its kernels.
pub(crate) fn check(args: &CheckArgs, streams: &mut Streams<'_>) -> Result<()> {
    let module = read_module(&args.input, &[])?;
    let kernels = signatures(&module);
    if kernels.is_empty() {
        return Err(Failure::new(
            "E0607",
            format!("{} has no kernels", args.input.input.display()),
        ));
    }
    let sources = module.sources.clone();
    let options = ir_opt::Options { level: ir_opt::Level::O0, ..ir_opt::Options::default() };
    ir_opt::run(module, &[], &options, &target::Family::unit())
        .map_err(|e| Failure::with_sources(e, &sources))?;
    let mut text = String::new();
    for kernel in &kernels {
        let args: Vec<String> = kernel
            .args
            .iter()
            .map(|a| {
                let ty = match (&a.type_name, a.element) {
                    (name, _) if !name.is_empty() => name.clone(),
                    (_, Some(element)) => element.to_string(),
                    _ => a.kind.describe().to_owned(),
                };
                format!("{}: {ty}", a.name)
            })
            .collect();
        // writing to a string cannot fail
        let _ = writeln!(text, "kernel {}({})", kernel.name, args.join(", "));
    }
    streams.print(&text)
}
