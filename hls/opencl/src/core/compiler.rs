//! OpenCL C to SPIR-V by clang, and SPIR-V modules to one by spirv-link, where they are installed.

use super::device;
use super::options::Options;
use super::spirv;
use driver::dialect::{self, Translated};
use driver::{
    CONVERGENT_PIPES, KEEP_COPIES, LEAVE_LONG_LOOPS, NO_STRENGTH_REDUCTION, SPIRV_EXTENSIONS,
    local_sizes, options_for_channels,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

mod blocks;

/// Names the compiler of OpenCL C to use.
pub const COMPILER_VARIABLE: &str = "CLHLS_CLANG";
/// Compilers that are looked for; their SPIR-V back end is needed.
const COMPILERS: [&str; 2] = ["clang-22", "clang"];
/// The version of OpenCL C where the options do not say.
const DEFAULT_STANDARD: &str = "CL1.2";

/// Built-in conversions that clang-22 gets wrong, as functions that it gets right.
const CONVERSIONS: &str = include_str!("../../../../scripts/clang-22-conversions.h");
/// How the names of the functions begin that [`CONVERSIONS`] replaces.
const REPLACED: [&str; 4] =
    ["convert", "vloada_half", "get_image_channel_data_type", "CLK_NULL_RESERVE_ID"];
/// Of functions that take a mip level since OpenCL C 2.0.
const MIPMAPPED: [&str; 2] = ["read_image", "write_image"];
/// Lengths of vectors, and what names of conversions have in them that saturate such a vector.
const SATURATED: [(u32, &str); 6] =
    [(1, "_sat"), (2, "2_sat"), (3, "3_sat"), (4, "4_sat"), (8, "8_sat"), (16, "16_sat")];
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

impl Source {
    /// Whether a word is in it or its headers.
    fn contains(&self, word: &str) -> bool {
        let mut texts = std::iter::once(&self.text).chain(self.headers.iter().map(|(_, t)| t));
        texts.any(|text| text.contains(word))
    }
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
    let Some(translated) = translated(source, options)? else { return compiled(source, options) };
    let made = match translated.text {
        Some(text) => compile_plain(&Given::Preprocessed(&text), options)?,
        None => compiled(source, options)?,
    };
    let log = translated.warnings.concat() + &made.log;
    Ok(Made { bytes: spirv_to_ir::processed(made.bytes, &translated.hints), log })
}

/// What a source in the dialect of a vendor is in OpenCL C; none where it is OpenCL C.
fn translated(source: &Source, options: &Options) -> Result<Option<Translated>, String> {
    let mut texts = std::iter::once(&source.text).chain(source.headers.iter().map(|(_, t)| t));
    if !texts.any(|text| dialect::is_possible(text)) {
        return Ok(None);
    }
    // what is wrong with the source is said where it is compiled
    let Ok(seen) =
        run_clang(&Given::Source(source), options, &dialect::PREPROCESS.map(String::from))
    else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&seen.bytes);
    dialect::translated(&text, Path::new("")).map(Some).map_err(|e| e.render())
}

/// What a compiler is given.
#[derive(Clone, Copy)]
enum Given<'a> {
    Source(&'a Source),
    Preprocessed(&'a str),
}

impl<'a> Given<'a> {
    fn text(self) -> &'a str {
        match self {
            Given::Source(source) => &source.text,
            Given::Preprocessed(text) => text,
        }
    }
}

fn compiled(source: &Source, options: &Options) -> Result<Made, String> {
    if blocks::are_likely(source, options) && takes_blocks() {
        return blocks::compile(source, options);
    }
    match compile_plain(&Given::Source(source), options) {
        // clang-22 gives up at blocks
        Err(log) if log.contains(CRASH) => match takes_blocks() {
            true => blocks::compile(source, options),
            false => Err(format!("{log}\n{}", blocks::WANTED)),
        },
        done => done,
    }
}

/// What clang says when it has a defect.
const CRASH: &str = "PLEASE submit a bug report";

/// Whether there are tools that compile blocks.
pub fn takes_blocks() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| blocks::TOOLS.iter().all(|tool| is_installed(tool)))
}

/// Whether a source is compiled as it stands. One that prints is not: formats that come by way of variables and functions are known
/// to optimisers only.
fn is_unoptimised(source: &Source, options: &Options) -> bool {
    options.unoptimised && !source.contains("printf")
}

fn compile_plain(given: &Given<'_>, options: &Options) -> Result<Made, String> {
    let unoptimised = match given {
        Given::Source(source) => is_unoptimised(source, options),
        Given::Preprocessed(text) => options.unoptimised && !text.contains("printf"),
    };
    let level = if unoptimised { "-O0" } else { "-O2" };
    let mut args: Vec<String> = vec![level.into(), "-fno-discard-value-names".into()];
    // vector-combine invents vector lengths that SPIR-V has no type for
    args.extend(["-mllvm", "-disable-vector-combine"].map(String::from));
    let hardware = [KEEP_COPIES, LEAVE_LONG_LOOPS, NO_STRENGTH_REDUCTION];
    args.extend(hardware.concat().into_iter().map(String::from));
    if let Given::Preprocessed(text) = given {
        args.extend(options_for_channels(text).iter().map(|o| (*o).to_owned()));
    }
    args.extend(["-mllvm", SPIRV_EXTENSIONS].map(String::from));
    let with = |more: &[&str]| {
        [&args[..], &more.iter().map(|a| a.to_string()).collect::<Vec<_>>()].concat()
    };
    let mut made = run_clang(given, options, &with(&["-c"]))?;
    if local_sizes::are_unsure(&made.bytes) {
        let llvm = run_clang(given, options, &with(&["-S", "-emit-llvm"]))?;
        made.bytes = local_sizes::corrected(&made.bytes, &String::from_utf8_lossy(&llvm.bytes));
    }
    Ok(made)
}

/// Compiles a source to the text form of LLVM IR, which tells names and types of arguments.
///
/// # Errors
/// The messages for people.
pub fn argument_metadata(source: &Source, options: &Options) -> Result<String, String> {
    let args = ["-O0", "-cl-kernel-arg-info", "-emit-llvm", "-S"].map(String::from);
    let text = translated(source, options)?.and_then(|translated| translated.text);
    let given = text.as_deref().map_or(Given::Source(source), Given::Preprocessed);
    let made = run_clang(&given, options, &args)?;
    Ok(String::from_utf8_lossy(&made.bytes).into_owned())
}

fn run_clang(given: &Given<'_>, options: &Options, args: &[String]) -> Result<Made, String> {
    let scratch = scratch()?;
    let folder = scratch.path();
    if let Given::Source(source) = given {
        write_headers(source, folder)?;
    }
    let output = folder.join("out");
    let name = compiler()?;
    let mut clang = Command::new(&name);
    let standard = options.standard.as_deref().unwrap_or(DEFAULT_STANDARD);
    clang.args(["--target=spirv64", "-x", "cl"]).arg(format!("-cl-std={standard}"));
    clang.arg("-Xclang").arg(format!("-cl-ext={}", extensions(standard)));
    // plain `inline` functions are definitions, as in other OpenCL implementations
    clang.args(["-fgnu89-inline", "-fno-crash-diagnostics", "-Wno-pass-failed"]);
    clang.args(macros(standard));
    // what is preprocessed has them in it
    let macros = match given {
        Given::Source(source) => conversions(source, options),
        Given::Preprocessed(_) => None,
    };
    if let Some(macros) = macros {
        let conversions = folder.join("clhls-conversions.h");
        write(&conversions, CONVERSIONS)?;
        clang.args(macros).arg("-include").arg(&conversions);
    }
    clang.arg("-I").arg(folder).args(convergent_pipes(folder)?);
    clang.args(args).args(&options.clang).arg("-o").arg(&output).arg("-");
    let done = run(clang, &name, Some(given.text()))?;
    let log = String::from_utf8_lossy(&done.stderr).into_owned();
    if !done.status.success() {
        return Err(format!("{}\n{name} refuses the source", log.trim_end()).trim_start().into());
    }
    Ok(Made { bytes: read(&output)?, log })
}

/// Writes [`CONVERGENT_PIPES`] into a folder: options that include it.
fn convergent_pipes(folder: &Path) -> Result<[PathBuf; 2], String> {
    let file = folder.join("clhls-convergent-pipes.h");
    write(&file, CONVERGENT_PIPES)?;
    Ok(["-include".into(), file])
}

/// Writes what a source may include into a folder.
fn write_headers(source: &Source, folder: &Path) -> Result<(), String> {
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
    Ok(())
}

/// What of [`CONVERSIONS`] a source may use, itself or by macros and files that it includes: macros that leave the rest
/// out, or nothing if it can use none of it. All of it takes the compiler three times as long as a small kernel does.
fn conversions(source: &Source, options: &Options) -> Option<Vec<String>> {
    let texts = || std::iter::once(&source.text).chain(source.headers.iter().map(|(_, text)| text));
    let anywhere = |word: &str| texts().chain(&options.clang).any(|text| text.contains(word));
    if texts().any(|text| text.contains("include")) {
        return Some(vec![]);
    }
    let standard = options.standard.as_deref().unwrap_or(DEFAULT_STANDARD);
    let mipmapped = !standard.starts_with("CL1") && MIPMAPPED.iter().any(|name| anywhere(name));
    if !mipmapped && !REPLACED.iter().any(|name| anywhere(name)) {
        return None;
    }
    let pasted = anywhere("##");
    let unused = SATURATED.iter().filter(|(_, suffix)| !pasted && !anywhere(suffix));
    Some(unused.map(|(length, _)| format!("-DCLHLS_NO_SATURATION_{length}")).collect())
}

/// Definitions of macros for clang.
fn macros(standard: &str) -> &'static [&'static str] {
    match standard {
        // the feature is no word of this version, but declares the functions of sub-groups
        "CL2.0" => &["-D__OPENCL_VERSION__=300", "-D__opencl_c_subgroups=1"],
        _ => &["-D__OPENCL_VERSION__=300"],
    }
}

/// Extensions and features for clang: what devices have and no more.
fn extensions(standard: &str) -> String {
    let extensions = device::extensions();
    let features = device::features();
    let mut all = String::from("-all");
    for name in device::names(&extensions) {
        all.push_str(&format!(",+{name}"));
    }
    // of OpenCL C 2.0 the features are parts that clang takes away when it is told of no feature
    if matches!(standard, "CL2.0" | "CL3.0") {
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
    let modules = spirv::export_once(modules);
    let partial = library || !spirv::lacks_definitions(&modules);
    let first = run_linker(&modules, partial);
    let Err(problem) = first else { return first };
    // It refuses what is declared with other types than it is defined with, and the compiler gives pointers the types of
    // what they are used for. The reader of the module resolves such imports by their names.
    let hidden = spirv::hide_imports(&modules).filter(|_| partial);
    let Some(hidden) = hidden else { return Err(problem) };
    let Ok(made) = run_linker(&hidden.modules, true) else { return Err(problem) };
    let bytes = hidden.shown(&made.bytes).ok_or(problem)?;
    Ok(Made { bytes, log: made.log })
}

/// Runs spirv-link; what it makes may have imports left if it is to be `partial`, and keeps its exports then.
fn run_linker(modules: &[Vec<u8>], partial: bool) -> Result<Made, String> {
    let scratch = scratch()?;
    let output = scratch.path().join("out.spv");
    let generator = |module: &Vec<u8>| module.get(GENERATOR).map(<[u8]>::to_vec);
    let of_first = modules.first().and_then(generator);
    let mut linker = Command::new("spirv-link");
    if partial {
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
    let mut bytes = read(&output)?;
    // Readers have to know what compiler made the instructions; the linker writes its own number.
    if let (Some(number), Some(place)) = (of_first, bytes.get_mut(GENERATOR))
        && modules.iter().all(|module| generator(module).as_ref() == Some(&number))
    {
        place.copy_from_slice(&number);
    }
    Ok(Made { bytes, log })
}

/// Bytes of a module's header that tell what made it.
const GENERATOR: std::ops::Range<usize> = 8..12;

/// Whether programs can be compiled from source.
pub fn is_available() -> bool {
    compiler().is_ok()
}

fn compiler() -> Result<String, String> {
    if let Ok(name) = std::env::var(COMPILER_VARIABLE) {
        return Ok(name);
    }
    let found = COMPILERS.iter().find(|tool| is_installed(tool)).map(|name| (*name).to_owned());
    found.ok_or_else(|| {
        "no compiler of OpenCL C is installed (clang-22, or what CLHLS_CLANG names): \
         apt-get install clang-22, or create the program from SPIR-V"
            .to_owned()
    })
}

fn is_installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_replaced_where_they_can_be_used() {
        let source = |text: &str| Source { text: text.to_owned(), headers: vec![] };
        let options = Options::default();
        let of = |text: &str| conversions(&source(text), &options);
        assert_eq!(of("kernel void k(global int *a) { a[0] = 1; }"), None);
        assert_eq!(of("a[0] = vloada_half3(0, p);").map(|left_out| left_out.len()), Some(6));
        assert_eq!(of("a[0] = convert_int4_rte(x);").map(|left_out| left_out.len()), Some(6));
        let left_out = of("a[0] = convert_int4_sat_rte(x);").expect("a conversion");
        let lengths = [2, 3, 8, 16].map(|n| format!("-DCLHLS_NO_SATURATION_{n}"));
        assert_eq!(left_out, lengths);
        for text in ["#include <any.h>", "#define F(t) convert_##t##_sat(x)"] {
            assert_eq!(of(text), Some(vec![]), "{text}");
        }
        let headers = vec![("a.h".to_owned(), "convert_int_sat(x)".to_owned())];
        assert!(conversions(&Source { headers, ..source("") }, &options).is_some());
        let clang = vec!["-DF=convert_int2_sat".to_owned(), "-I/usr/include".to_owned()];
        let left_out = conversions(&source(""), &Options { clang, ..options });
        assert_eq!(left_out.map(|left_out| left_out.len()), Some(4));
    }

    /// The IR of a program. Needs clang-22.
    fn compiled(text: &str) -> ir::Module {
        let options = Options { standard: Some("CL3.0".into()), ..Options::default() };
        let made = compile(&Source { text: text.to_owned(), headers: vec![] }, &options).unwrap();
        spirv_to_ir::read(&made.bytes, &spirv_to_ir::Options::default()).unwrap()
    }

    /// What OpenCL C 2.0 has without being asked, and 3.0 as features. Needs clang-22.
    #[test]
    fn features_are_there_in_opencl_c_2_0_too() {
        let text = "kernel void k(global atomic_int *a, read_write image2d_t image, int x) {
                atomic_fetch_add_explicit(a, work_group_reduce_add(x), memory_order_acq_rel,
                                          memory_scope_all_svm_devices);
                write_imagef(image, (int2)(0, 0), read_imagef(image, (int2)(1, 1)));
            }";
        for standard in ["CL2.0", "CL3.0"] {
            let options = Options { standard: Some(standard.into()), ..Options::default() };
            let made = compile(&Source { text: text.to_owned(), headers: vec![] }, &options);
            assert!(made.is_ok(), "{standard}: {}", made.err().unwrap_or_default());
        }
    }

    #[test]
    fn local_arrays_that_only_functions_get_are_whole() {
        let module = compiled(
            "kernel void k(global float *a, global float *b) {
                local float t[256];
                event_t e = async_work_group_copy(t, a, 256, 0);
                wait_group_events(1, &e);
                e = async_work_group_copy(b, t, 256, 0);
                wait_group_events(1, &e);
            }",
        );
        let sizes: Vec<u64> = module.globals.values().map(|global| global.size).collect();
        assert_eq!(sizes, [1024]);
    }

    #[test]
    fn dot_products_of_integers_are_those_of_integers() {
        let module = compiled(
            "kernel void k(global int *o, uint a, uint b, char4 c, uchar4 d) {
                o[0] = dot_acc_sat_4x8packed_su_int(a, b, dot_4x8packed_ss_int(b, a));
                o[1] = dot_acc_sat(c, d, dot(c, c));
                o[2] = dot_4x8packed_uu_uint(a, b);
            }",
        );
        let (_, kernel) = module.kernel("k").unwrap();
        let floats = kernel.insts.values().filter(|inst| inst.op == ir::Op::FMul).count();
        assert_eq!(floats, 0);
    }

    /// Compiles and links programs; the numbers of their kernels and variables. Needs clang-22 and spirv-link, as
    /// `scripts/setup` installs them.
    fn linked(sources: &[&str]) -> Result<(usize, usize), String> {
        let options = Options { standard: Some("CL3.0".into()), ..Options::default() };
        let source = |text: &&str| Source { text: (*text).to_owned(), headers: vec![] };
        let compiled = sources.iter().map(|text| compile(&source(text), &options));
        let modules: Vec<Vec<u8>> =
            compiled.map(|made| made.map(|made| made.bytes)).collect::<Result<_, _>>()?;
        let modules: Vec<&[u8]> = modules.iter().map(Vec::as_slice).collect();
        let linked = link(&modules, false)?.bytes;
        let module = spirv_to_ir::read(&linked, &spirv_to_ir::Options::default());
        let module = module.map_err(|e| e.to_string())?;
        Ok((module.kernels().count(), module.globals.len()))
    }

    #[test]
    fn programs_link_whatever_types_their_declarations_have() {
        let defines = "typedef struct { uchar c; uint i; } pair_t;\npair_t var = { 'a', 42 };\n\
                       kernel void put(uint i) { var.i = i; }\n";
        let declares = "typedef struct { uchar c; uint i; } pair_t;\nextern pair_t var;\n\
                        kernel void get(global uint *i) { *i = var.i; }\n";
        assert_eq!(linked(&[defines, declares]), Ok((2, 1)));
        let copies = "kernel void copy(global float *a, global float *b) { *b = *a; }\n";
        let calls = "extern kernel void copy(global float *a, global float *b);\n\
                     kernel void call(global float *a, global float *b) { copy(a, b); }\n";
        assert_eq!(linked(&[copies, calls]), Ok((2, 0)));
        assert_eq!(linked(&[calls, copies]), Ok((2, 0)));
        let fence = "int place(int *p) { return get_fence(p) == CLK_LOCAL_MEM_FENCE ? 1 : *p; }\n";
        let asks = "int place(int *p);\nkernel void k(global int *a) { *a = place(a); }\n";
        assert_eq!(linked(&[fence, asks]), Ok((1, 0)));
        let missing = "int nowhere(int);\nkernel void k(global int *a) { *a = nowhere(*a); }\n";
        assert!(linked(&[copies, calls, missing]).is_err());
    }
}
