//! OpenCL C to SPIR-V by the producers of docs/producers.md, and that to IR.

use crate::testbenches;
use driver::pipeline::{ReadOptions, read_spirv};
use ir::Module;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The producers that `scripts/compile-cl` knows.
pub const PRODUCERS: [&str; 2] = ["clang-22", "clang-15"];

/// Code of the error that a module has vectors of 5, 6 ... elements: clang-22 makes some even without vector-combine.
const NO_SUCH_VECTOR: &str = "E0113";

/// Why there is no module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The producer failed: its own affair, and not looked into.
    Producer(String),
    /// The module cannot be read: a defect.
    Reader(String),
}

/// Compiles OpenCL C; intermediate files go to `scratch`.
///
/// # Errors
/// What the producer or the reader has to say.
pub fn compile(source: &str, std: &str, producer: &str, scratch: &Path) -> Result<Module, Refusal> {
    let fail = |e: &dyn std::fmt::Display| Refusal::Producer(e.to_string());
    let (input, output) = (scratch.join("k.cl"), scratch.join(format!("k.{producer}.spv")));
    std::fs::write(&input, source).map_err(|e| fail(&e))?;
    let script: PathBuf = testbenches().join("../scripts/compile-cl");
    let done = Command::new(script)
        .args(["-p", producer, "-s", std, "-o"])
        .args([&output, &input])
        .output()
        .map_err(|e| fail(&e))?;
    if !done.status.success() {
        return Err(fail(&String::from_utf8_lossy(&done.stderr)));
    }
    let bytes = std::fs::read(&output).map_err(|e| fail(&e))?;
    let read = || read_spirv(&bytes, "k", &[], scratch, &ReadOptions::default());
    match std::panic::catch_unwind(read) {
        Ok(Ok(module)) => Ok(module),
        Ok(Err(e)) => match e.render() {
            text if text.contains(NO_SUCH_VECTOR) => Err(Refusal::Producer(text)),
            text => Err(Refusal::Reader(text)),
        },
        Err(_) => Err(Refusal::Reader("the reader panics".into())),
    }
}
