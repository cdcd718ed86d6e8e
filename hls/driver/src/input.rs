//! Input files: reads a module from any of the forms that the command takes.

use crate::cli::InputArgs;
use crate::failure::{Failure, Result, io};
use crate::pipeline;
use base::SourceMap;
use ir::Module;
use std::path::Path;
use std::process::Command;

/// Magic number of SPIR-V in both byte orders.
const SPIRV_MAGIC: [[u8; 4]; 2] = [[0x03, 0x02, 0x23, 0x07], [0x07, 0x23, 0x02, 0x03]];

/// Reads the input as a module: by its ending, or, for other endings, by its contents. `kernels`
/// are those needed; empty = all. Others may be left out.
///
/// # Errors
/// `E0601` unreadable, `E0602` not a known form, `E0603` a tool is not installed, `E0604` it
/// failed, and the errors of the readers.
pub fn read_module(input: &InputArgs, kernels: &[String]) -> Result<Module> {
    let path = input.input.as_path();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let spirv = |bytes: &[u8]| pipeline::read_spirv(bytes, &name_of(path), kernels, folder);
    match extension {
        "cl" => spirv(&compile_cl(input)?),
        "spvasm" => spirv(&assemble(path)?),
        "clir" => read_clir(path),
        _ => {
            let bytes = std::fs::read(path).map_err(|e| io("read", path, &e))?;
            if extension != "spv" && !SPIRV_MAGIC.iter().any(|m| bytes.starts_with(m)) {
                let what = format!("{} is no kernel file that clhls knows", path.display());
                let help = "give SPIR-V (.spv, .spvasm), OpenCL C (.cl) or IR text (.clir)";
                return Err(Failure::new("E0602", what).help(help));
            }
            spirv(&bytes)
        }
    }
}

/// The input's file name without its ending.
fn name_of(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_clir(path: &Path) -> Result<Module> {
    let text = std::fs::read_to_string(path).map_err(|e| io("read", path, &e))?;
    let sources = || ir::parse::text_sources(&path.display().to_string(), &text);
    let mut module =
        ir::parse::parse_module(&text).map_err(|e| Failure::with_sources(e, &sources()))?;
    attach_sources(&mut module.sources, path.parent().unwrap_or(Path::new("")));
    ir::verify::verify_module(&module).map_err(|e| Failure::with_sources(e, &module.sources))?;
    Ok(module)
}

/// Puts the text of source files that are at hand into `sources`, for messages.
pub(crate) fn attach_sources(sources: &mut SourceMap, folder: &Path) {
    for file in sources.files.values_mut().filter(|f| f.text.is_none()) {
        let name = Path::new(&file.name);
        let beside = name.file_name().map(|n| folder.join(n));
        let candidates = [Some(folder.join(name)), beside];
        file.text = candidates.iter().flatten().find_map(|p| std::fs::read_to_string(p).ok());
    }
}

fn compile_cl(input: &InputArgs) -> Result<Vec<u8>> {
    let path = &input.input;
    std::fs::metadata(path).map_err(|e| io("read", path, &e))?;
    let mut clang = Command::new("clang-22");
    clang.args(["--target=spirv64", "-x", "cl", "-O2", "-fno-discard-value-names"]);
    // vector-combine invents vector lengths that SPIR-V has no type for
    clang.args(["-fno-crash-diagnostics", "-mllvm", "-disable-vector-combine"]);
    clang.arg(format!("-cl-std={}", input.cl_std)).args(&input.clang).arg("-c").arg(path);
    produce(clang, "clang-22", "clang-22")
}

fn assemble(path: &Path) -> Result<Vec<u8>> {
    std::fs::metadata(path).map_err(|e| io("read", path, &e))?;
    let mut tool = Command::new("spirv-as");
    tool.args(["--preserve-numeric-ids", "--target-env", "spv1.4"]).arg(path);
    produce(tool, "spirv-as", "spirv-tools")
}

/// Runs a tool that writes SPIR-V to the file after `-o`.
fn produce(mut command: Command, tool: &str, package: &str) -> Result<Vec<u8>> {
    let scratch = tempfile::tempdir()
        .map_err(|e| Failure::new("E0601", format!("cannot make a temporary directory: {e}")))?;
    let output = scratch.path().join("out.spv");
    let done = command.arg("-o").arg(&output).output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let what = format!("{tool} is not installed, which this kind of input needs");
            Failure::new("E0603", what).help(format!("apt-get install {package}"))
        }
        _ => Failure::new("E0604", format!("cannot run {tool}: {e}")),
    })?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        let what = format!("{tool} refuses the input\n{}", said.trim_end());
        return Err(Failure::new("E0604", what.trim_end()));
    }
    std::fs::read(&output).map_err(|e| io("read", &output, &e))
}
