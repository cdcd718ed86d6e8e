//! `clhls check`

use crate::Streams;
use crate::cli::CheckArgs;
use crate::failure::{Failure, Result};
use crate::input::{Input, read_module};
use crate::signature::signatures;
use std::fmt::Write;

/// Reads the module, brings it into the form that hardware generation takes, and lists its kernels.
pub(crate) fn check(args: &CheckArgs, streams: &mut Streams<'_>) -> Result<()> {
    let Input { module, warnings, .. } = read_module(&args.input, &[])?;
    streams.warn(&warnings);
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
        let args: Vec<String> =
            kernel.passed().iter().map(|a| format!("{}: {}", a.name, a.describe_type())).collect();
        let channels: String = kernel.args.iter().filter(|a| a.channel).map(channel).collect();
        // writing to a string cannot fail
        let _ = writeln!(text, "kernel {}({}){channels}", kernel.name, args.join(", "));
    }
    streams.print(&text)
}

/// What a kernel does with a channel.
fn channel(arg: &abi::Arg) -> String {
    let does = if arg.access == abi::Access::WriteOnly { "writes" } else { "reads" };
    format!(", {does} channel {}", arg.name)
}
