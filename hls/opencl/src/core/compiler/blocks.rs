//! Sources with blocks: clang-15 and the translator of its bitcode compile them, clang-22 cannot (docs/producers.md).

use super::{
    DEFAULT_STANDARD, Made, Source, convergent_pipes, extensions, is_unoptimised, macros, read,
    run, scratch, write_headers,
};
use crate::core::options::Options;
use driver::TRANSLATOR_EXTENSIONS;
use std::process::Command;

/// The tools.
pub(super) const TOOLS: [&str; 2] = ["clang-15", "llvm-spirv-15"];
/// What to do without them.
pub(super) const WANTED: &str = "blocks and device-side enqueue need clang-15 and llvm-spirv-15: apt-get install clang-15 llvm-spirv-15";
/// Levels of optimisation: the translator cannot take all that clang makes at the first.
const LEVELS: [&str; 3] = ["-O2", "-O1", "-O0"];
/// Words of sources that enqueue blocks, or ask about them.
const WORDS: [&str; 6] = [
    "enqueue_kernel",
    "enqueue_marker",
    "get_default_queue",
    "clk_event_t",
    "queue_t",
    "get_kernel_",
];
/// What ends the names of functions that clang declares with this extension only, which devices do not name because it promises more.
const OF_SUB_GROUPS: (&str, &str) = ("_for_ndrange", ",+cl_khr_subgroups");
/// What the source is called in messages.
const NAME: &str = "program.cl";

/// Whether a source looks as if it enqueued something.
pub(super) fn are_likely(source: &Source, options: &Options) -> bool {
    let standard = options.standard.as_deref().unwrap_or(DEFAULT_STANDARD);
    standard >= "CL2.0" && WORDS.iter().any(|word| source.contains(word))
}

/// Compiles a source to SPIR-V.
///
/// # Errors
/// The messages for people.
pub(super) fn compile(source: &Source, options: &Options) -> Result<Made, String> {
    let scratch = scratch()?;
    let folder = scratch.path();
    write_headers(source, folder)?;
    let (bitcode, output) = (folder.join("out.bc"), folder.join("out.spv"));
    let text = folder.join(NAME);
    super::write(&text, &source.text)?;
    let standard = options.standard.as_deref().unwrap_or(DEFAULT_STANDARD);
    let mut extensions = extensions(standard);
    if source.contains(OF_SUB_GROUPS.0) {
        extensions.push_str(OF_SUB_GROUPS.1);
    }
    let levels = if is_unoptimised(source, options) { &LEVELS[2..] } else { &LEVELS[..] };
    let mut refused = String::new();
    for level in levels {
        let mut clang = Command::new(TOOLS[0]);
        // the translator needs typed pointers
        clang.args(["-cc1", "-triple", "spir64-unknown-unknown", "-no-opaque-pointers"]);
        clang.args(["-finclude-default-header", "-fdeclare-opencl-builtins", "-x", "cl", level]);
        clang.args(["-fgnu89-inline", "-debug-info-kind=line-tables-only", "-dwarf-version=4"]);
        clang.args(["-Wno-pass-failed", "-main-file-name", NAME, "-fdebug-compilation-dir=."]);
        clang.arg(format!("-fdebug-prefix-map={}/=", folder.display()));
        clang.arg(format!("-cl-std={standard}"));
        clang.arg(format!("-cl-ext={extensions}")).args(macros(standard));
        clang.arg("-I").arg(folder).args(convergent_pipes(folder)?).args(&options.clang);
        clang.arg("-emit-llvm-bc").arg("-o").arg(&bitcode).arg(&text);
        let done = run(clang, TOOLS[0], None)?;
        let log = String::from_utf8_lossy(&done.stderr).into_owned();
        if !done.status.success() {
            let tool = TOOLS[0];
            return Err(format!("{}\n{tool} refuses the source", log.trim_end())
                .trim_start()
                .into());
        }
        let mut translator = Command::new(TOOLS[1]);
        translator.arg("--preserve-ocl-kernel-arg-type-metadata-through-string");
        translator.arg(TRANSLATOR_EXTENSIONS);
        translator.arg(&bitcode).arg("-o").arg(&output);
        let done = run(translator, TOOLS[1], None)?;
        if done.status.success() {
            return Ok(Made { bytes: read(&output)?, log });
        }
        refused = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    }
    Err(format!("{refused}\n{} cannot translate what {} makes of the source", TOOLS[1], TOOLS[0]))
}
