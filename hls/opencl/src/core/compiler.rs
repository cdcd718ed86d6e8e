//! OpenCL C to SPIR-V by clang, and SPIR-V modules to one by spirv-link, where they are installed.

use super::device;
use super::options::Options;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Names the compiler of OpenCL C to use.
pub const COMPILER_VARIABLE: &str = "CLHLS_CLANG";
/// Compilers that are looked for; their SPIR-V back end is needed.
const COMPILERS: [&str; 2] = ["clang-22", "clang"];
/// The version of OpenCL C where the options do not say.
const DEFAULT_STANDARD: &str = "CL1.2";

/// Built-in conversions that clang-22 gets wrong, as functions that it gets right.
const CONVERSIONS: &str = include_str!("../../../../scripts/clang-22-conversions.h");
/// Conversions that OpenCL C cannot spell, which sources may include as `<clhls.h>`.
const HEADER: &str = include_str!("../../../../include/clhls.h");

/// OpenCL C with what it includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Headers by the names under which it includes them.
    pub headers: Vec<(String, String)>,
}

/// What a tool made, and what it said.
#[derive(Debug)]
pub struct Made {
    /// A file.
    pub bytes: Vec<u8>,
    /// Messages for people.
    pub log: String,
}

/// Compiles a source to SPIR-V.
///
/// # Errors
/// The messages for people.
pub fn compile(source: &Source, options: &Options) -> Result<Made, String> {
    let level = if options.unoptimised { "-O0" } else { "-O2" };
    let mut args: Vec<String> = vec![level.into(), "-fno-discard-value-names".into()];
    // vector-combine invents vector lengths that SPIR-V has no type for
    args.extend(["-mllvm", "-disable-vector-combine", "-c"].map(String::from));
    run_clang(source, options, &args)
}

/// Compiles a source to the text form of LLVM IR, which tells names and types of arguments.
///
/// # Errors
/// The messages for people.
pub fn argument_metadata(source: &Source, options: &Options) -> Result<String, String> {
    let args = ["-O0", "-cl-kernel-arg-info", "-emit-llvm", "-S"].map(String::from);
    let made = run_clang(source, options, &args)?;
    Ok(String::from_utf8_lossy(&made.bytes).into_owned())
}

fn run_clang(source: &Source, options: &Options, args: &[String]) -> Result<Made, String> {
    let scratch = scratch()?;
    let folder = scratch.path();
    let conversions = folder.join("clhls-conversions.h");
    write(&conversions, CONVERSIONS)?;
    write(&folder.join("clhls.h"), HEADER)?;
    for (name, text) in &source.headers {
        let path = folder.join(name);
        // a name that leads elsewhere would write there
        if Path::new(name).components().any(|c| !matches!(c, std::path::Component::Normal(_))) {
            return Err(format!("the name `{name}` of a header leads out of its folder"));
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        }
        write(&path, text)?;
    }
    let output = folder.join("out");
    let name = compiler()?;
    let mut clang = Command::new(&name);
    let standard = options.standard.as_deref().unwrap_or(DEFAULT_STANDARD);
    clang.args(["--target=spirv64", "-x", "cl"]).arg(format!("-cl-std={standard}"));
    clang.arg("-Xclang").arg(format!("-cl-ext={}", extensions(standard)));
    // plain `inline` functions are definitions, as in other OpenCL implementations
    clang.args(["-fgnu89-inline", "-fno-crash-diagnostics", "-Wno-pass-failed"]);
    clang.arg("-D__OPENCL_VERSION__=300");
    clang.arg("-include").arg(&conversions).arg("-I").arg(folder);
    clang.args(args).args(&options.clang).arg("-o").arg(&output).arg("-");
    let done = run(clang, &name, Some(&source.text))?;
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    if !done.status.success() {
        return Err(format!("{}\n{name} refuses the source", log.trim_end()).trim_start().into());
    }
    Ok(Made { bytes: read(&output)?, log })
}

/// Extensions and features for clang: what devices have and no more.
fn extensions(standard: &str) -> String {
    let extensions = device::extensions();
    let features = device::features();
    let mut all = String::from("-all");
    for name in device::names(&extensions) {
        all.push_str(&format!(",+{name}"));
    }
    if standard == "CL3.0" {
        for name in device::names(&features) {
            all.push_str(&format!(",+{name}"));
        }
    }
    all
}

/// Links SPIR-V modules.
///
/// # Errors
/// The messages for people.
pub fn link(modules: &[&[u8]], library: bool) -> Result<Made, String> {
    if let ([only], true) = (modules, library) {
        return Ok(Made { bytes: only.to_vec(), log: String::new() });
    }
    let scratch = scratch()?;
    let output = scratch.path().join("out.spv");
    let mut linker = Command::new("spirv-link");
    if library {
        linker.args(["--create-library", "--allow-partial-linkage"]);
    }
    for (k, module) in modules.iter().enumerate() {
        let path = scratch.path().join(format!("in{k}.spv"));
        std::fs::write(&path, module).map_err(|e| format!("{}: {e}", path.display()))?;
        linker.arg(path);
    }
    linker.arg("-o").arg(&output);
    let done = run(linker, "spirv-link", None)?;
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    if !done.status.success() {
        return Err(format!("{}\nspirv-link cannot link the programs", log.trim_end()));
    }
    Ok(Made { bytes: read(&output)?, log })
}

/// Whether programs can be compiled from source.
pub fn is_available() -> bool {
    compiler().is_ok()
}

fn compiler() -> Result<String, String> {
    if let Ok(name) = std::env::var(COMPILER_VARIABLE) {
        return Ok(name);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed =
        |tool: &&&str| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let found = COMPILERS.iter().find(installed).map(|name| (*name).to_owned());
    found.ok_or_else(|| {
        "no compiler of OpenCL C is installed (clang-22, or what CLHLS_CLANG names): \
         apt-get install clang-22, or create the program from SPIR-V"
            .to_owned()
    })
}

fn scratch() -> Result<tempfile::TempDir, String> {
    let made = tempfile::Builder::new().prefix("clhls-").tempdir();
    made.map_err(|e| format!("no folder for temporary files: {e}"))
}

fn write(path: &PathBuf, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn read(path: &PathBuf) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn run(mut command: Command, name: &str, input: Option<&str>) -> Result<Output, String> {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let fail = |e: std::io::Error| format!("cannot run {name}: {e}");
    let mut child = command.spawn().map_err(fail)?;
    let pipe = child.stdin.take();
    // a thread, as a compiler that complains much does not read on
    std::thread::scope(|scope| {
        if let (Some(mut pipe), Some(text)) = (pipe, input) {
            // a compiler that has seen enough closes the pipe
            scope.spawn(move || pipe.write_all(text.as_bytes()).is_ok());
        }
        child.wait_with_output().map_err(fail)
    })
}
