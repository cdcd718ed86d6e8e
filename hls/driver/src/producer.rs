//! The tools that make SPIR-V of OpenCL C and of assembly, run where they are installed
//! (docs/producers.md says what each gives and where it errs).

use crate::cli::{Compiler, InputArgs};
use crate::dialect::{self, Translated};
use crate::failure::{Failure, Result, io};
use crate::local_sizes;
use crate::scratch::Scratch;
use base::{Diagnostic, SourceMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A module from a tool.
pub(crate) struct Produced {
    /// SPIR-V.
    pub bytes: Vec<u8>,
    /// What the tool had to say although it did its work.
    pub warnings: Vec<String>,
}

/// Built-in conversions that clang-22 gets wrong, as functions that it gets right.
const CONVERSIONS: &str = include_str!("../../../scripts/clang-22-conversions.h");

/// Conversions that OpenCL C cannot spell, which inputs may include as `<clhls.h>`.
const HEADER: &str = include_str!("../../../include/clhls.h");

/// Macros that keep optimisers from copying the functions of pipes that work-groups call together.
pub const CONVERGENT_PIPES: &str = include_str!("../../../scripts/convergent-pipes.h");

/// Plain `inline` functions are definitions, as in other OpenCL implementations; C99's may be left out.
const INLINE_DEFINES: &str = "-fgnu89-inline";

/// Option of clang-22's back end (behind `-mllvm`): for strings of printf that are chosen when it is called, for dot products of integers, which clang-22 takes for
/// those of floats without it, for rotations of sub-groups, for atomic operations on floats, and for blocks of sub-groups.
pub const SPIRV_EXTENSIONS: &str = "-spirv-ext=+SPV_EXT_relaxed_printf_string_address_space,+SPV_KHR_integer_dot_product,+SPV_KHR_subgroup_rotate,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_INTEL_subgroups";

/// Option of llvm-spirv-15 for atomic operations on floats and blocks of sub-groups.
pub const TRANSLATOR_EXTENSIONS: &str = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_INTEL_subgroups";

/// Loops that move the elements of an array stay such loops, which unroll into registers and queues: `memmove` goes byte by byte.
pub const KEEP_COPIES: [&str; 2] = ["-mllvm", "-disable-loop-idiom-memcpy"];

/// Loops of many iterations that the source wants unrolled are left to clhls: clang-15 takes a minute for a window of 2048 elements,
/// its time grows with the third power, and neither unrolls those of 16384 instructions and more.
pub const LEAVE_LONG_LOOPS: [&str; 2] = ["-mllvm", "-pragma-unroll-threshold=2000"];

/// Of sources with channels: functions are inlined, so that a channel that an argument chooses is known. Those that never return are cold.
const INLINE_ALL: [&str; 4] =
    ["-mllvm", "-inline-threshold=1000000", "-mllvm", "-inlinecold-threshold=1000000"];

/// How the functions of channels begin in translated sources.
const CHANNEL: &str = "clhls_channel_";

/// What a translated source needs of its compiler because of its channels: nothing where it has none.
pub fn options_for_channels(text: &str) -> &'static [&'static str] {
    if text.contains(CHANNEL) { &INLINE_ALL } else { &[] }
}

/// Of clang-22: its strength reduction of loops makes counters of odd widths, 2 bits for one that is masked with 3, and its back end counts these
/// too far. Hardware wants the indices as they stand in the source, anyway.
pub const NO_STRENGTH_REDUCTION: [&str; 2] = ["-mllvm", "-disable-lsr"];

/// Levels at which clang-15 is tried: llvm-spirv-15 cannot translate all that it makes at the first.
const CLANG_15_LEVELS: [&str; 3] = ["-O2", "-O1", "-O0"];

/// Compiles OpenCL C.
///
/// # Errors
/// `E0601` unreadable, `E0603` no compiler is installed, `E0604` it failed.
pub(crate) fn compile_cl(input: &InputArgs) -> Result<Produced> {
    let path = &input.input;
    std::fs::File::open(path).map_err(|e| io("read", path, &e))?;
    let done = compiled(input);
    let is_newer = |e: &Failure| input.cl_std.is_none() && e.says(PROGRAM_SCOPE);
    if !done.as_ref().is_err_and(is_newer) {
        return done;
    }
    let newer = InputArgs { cl_std: Some(WITH_PROGRAM_SCOPE.into()), ..input.clone() };
    let Ok(mut newer) = compiled(&newer) else { return done };
    let what = "OpenCL C 1.2 has no variables at program scope that are not constant: compiled as OpenCL C 2.0";
    let warning = Diagnostic::warning("W0618", what)
        .help(format!("--cl-std {WITH_PROGRAM_SCOPE}, or declare them `__constant`"));
    newer.warnings.push(warning.render(&SourceMap::default()));
    Ok(newer)
}

/// What compilers of OpenCL C 1.2 say of variables at program scope that are not constant, which vendors' compilers took.
const PROGRAM_SCOPE: &str = "must reside in constant address space";
/// The version that has them.
const WITH_PROGRAM_SCOPE: &str = "CL2.0";

fn compiled(input: &InputArgs) -> Result<Produced> {
    let scratch = Scratch::temporary()?;
    let (old, new) = (installed("clang-15") && installed("llvm-spirv-15"), installed("clang-22"));
    match input.compiler {
        Some(Compiler::Clang22) => clang_22(input, &scratch),
        Some(Compiler::Clang15) => clang_15(input, &scratch, &CLANG_15_LEVELS),
        // rather optimised without source lines than with them and not optimised
        None if old && new => match clang_15(input, &scratch, &CLANG_15_LEVELS[..1]) {
            Err(e) if e.is("E0609") => clang_22(input, &scratch).map(Produced::without_lines),
            done => done,
        },
        None if old => clang_15(input, &scratch, &CLANG_15_LEVELS),
        None if new => clang_22(input, &scratch),
        None => {
            let what = "no compiler of OpenCL C is installed, which this kind of input needs";
            Err(Failure::new("E0603", what).help(
                "apt-get install clang-15 llvm-spirv-15 (with source lines in messages and reports), \
                 or apt-get install clang-22",
            ))
        }
    }
}

/// Assembles the text form of SPIR-V.
///
/// # Errors
/// As [`compile_cl`].
pub(crate) fn assemble(path: &Path) -> Result<Produced> {
    std::fs::File::open(path).map_err(|e| io("read", path, &e))?;
    let scratch = Scratch::temporary()?;
    let output = scratch.path().join("out.spv");
    let mut tool = Command::new("spirv-as");
    tool.args(["--preserve-numeric-ids", "--target-env", "spv1.4"]).arg(operand(path));
    tool.arg("-o").arg(&output);
    let said = accepted("spirv-as", &run(tool, "spirv-as", "spirv-tools")?)?;
    Ok(Produced { bytes: read(&output)?, warnings: said })
}

impl Produced {
    fn without_lines(mut self) -> Self {
        let what = "llvm-spirv-15 cannot translate what clang-15 makes of the input; compiled with \
                    clang-22, which gives no source lines";
        let warning = Diagnostic::warning("W0609", what);
        let warning = warning.help(
            "--compiler clang-15 also tries less optimisation; where the translator takes that, there are source lines",
        );
        self.warnings.push(warning.render(&SourceMap::default()));
        self
    }
}

/// clang's own SPIR-V back end.
fn clang_22(input: &InputArgs, scratch: &Scratch) -> Result<Produced> {
    let header = scratch.path().join("conversions.h");
    std::fs::write(&header, CONVERSIONS).map_err(|e| io("write", &header, &e))?;
    let (output, text) = (scratch.path().join("out.spv"), scratch.path().join("out.ll"));
    let headers = header_folder(scratch)?;
    let clang = |what: &[&str], file: &Path, output: &Path| {
        let mut clang = clang_22_command(input, &headers);
        // what is preprocessed has it in it
        if file == input.input {
            clang.arg("-include").arg(&header);
        }
        clang.args(what).arg(operand(file)).arg("-o").arg(output);
        accepted("clang-22", &run(clang, "clang-22", "clang-22")?)
    };
    let given =
        Given::new(input, scratch, |output| clang(&dialect::PREPROCESS, &input.input, output))?;
    let said = clang(&given.options(&["-c"]), &given.file, &output)?;
    let mut bytes = read(&output)?;
    if local_sizes::are_unsure(&bytes) {
        clang(&given.options(&["-S", "-emit-llvm"]), &given.file, &text)?;
        bytes = local_sizes::corrected(&bytes, &String::from_utf8_lossy(&read(&text)?));
    }
    Ok(given.produced(bytes, said))
}

/// What a compiler is given: the input, or what it is in OpenCL C.
struct Given {
    file: PathBuf,
    translated: Translated,
}

impl Given {
    /// `preprocess` has the compiler write what it preprocesses the input to.
    fn new(
        input: &InputArgs,
        scratch: &Scratch,
        preprocess: impl FnOnce(&Path) -> Result<Vec<String>>,
    ) -> Result<Self> {
        let path = &input.input;
        let mut given = Given { file: path.clone(), translated: Translated::default() };
        if !dialect::is_possible(&String::from_utf8_lossy(&read(path)?)) {
            return Ok(given);
        }
        let (seen, file) = (scratch.path().join("seen.cl"), scratch.path().join("translated.cl"));
        preprocess(&seen)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        given.translated = dialect::translated(&String::from_utf8_lossy(&read(&seen)?), folder)?;
        if let Some(text) = &given.translated.text {
            std::fs::write(&file, text).map_err(|e| io("write", &file, &e))?;
            given.file = file;
        }
        Ok(given)
    }

    /// These options, and those that it needs besides.
    fn options<'a>(&self, what: &[&'a str]) -> Vec<&'a str> {
        let text = self.translated.text.as_deref().unwrap_or_default();
        [options_for_channels(text), what].concat()
    }

    /// The module that was made of it.
    fn produced(self, bytes: Vec<u8>, said: Vec<String>) -> Produced {
        let Translated { hints, mut warnings, .. } = self.translated;
        warnings.extend(said);
        Produced { bytes: spirv_to_ir::processed(bytes, &hints), warnings }
    }
}

fn clang_22_command(input: &InputArgs, headers: &[String]) -> Command {
    let mut clang = Command::new("clang-22");
    // -fno-discard-value-names keeps the names of arguments
    clang.args(["--target=spirv64", "-x", "cl", "-O2", "-fno-discard-value-names"]);
    clang.arg(INLINE_DEFINES);
    // vector-combine invents vector lengths that SPIR-V has no type for
    clang.args(["-fno-crash-diagnostics", "-mllvm", "-disable-vector-combine"]);
    clang.args(KEEP_COPIES).args(LEAVE_LONG_LOOPS).args(NO_STRENGTH_REDUCTION);
    clang.args(["-mllvm", SPIRV_EXTENSIONS]);
    clang.arg("-Wno-pass-failed").args(headers);
    clang.arg(format!("-cl-std={}", input.std())).args(input.for_clang());
    clang
}

/// clang-15 and the translator of its bitcode, which keeps source lines and the types of arguments.
///
/// # Errors
/// Those of [`compile_cl`], and `E0609` when the translator refuses the code of all `levels`.
fn clang_15(input: &InputArgs, scratch: &Scratch, levels: &[&str]) -> Result<Produced> {
    let (bitcode, output) = (scratch.path().join("out.bc"), scratch.path().join("out.spv"));
    let headers = header_folder(scratch)?;
    let clang = |level: &str, what: &[&str], file: &Path, output: &Path| {
        let mut clang = Command::new("clang-15");
        // the translator needs typed pointers
        clang.args(["-cc1", "-triple", "spir64-unknown-unknown", "-no-opaque-pointers"]);
        clang.args(["-finclude-default-header", "-fdeclare-opencl-builtins", "-x", "cl", level]);
        clang.args(KEEP_COPIES).args(LEAVE_LONG_LOOPS);
        clang.arg(INLINE_DEFINES);
        clang.args(["-debug-info-kind=line-tables-only", "-dwarf-version=4", "-Wno-pass-failed"]);
        clang.args(source_names(&input.input)).args(&headers);
        // the file is called as the input, but lies where its translation does
        clang.arg(format!("-fdebug-prefix-map={}/=", scratch.path().display()));
        clang.arg(format!("-cl-std={}", input.std())).args(input.for_clang());
        clang.args(what).arg("-o").arg(output).arg(operand(file));
        accepted("clang-15", &run(clang, "clang-15", "clang-15")?)
    };
    let given = Given::new(input, scratch, |output| {
        clang("-O2", &dialect::PREPROCESS, &input.input, output)
    })?;
    let mut refused = String::new();
    for level in levels {
        let said = clang(level, &given.options(&["-emit-llvm-bc"]), &given.file, &bitcode)?;
        let mut done = translate(&bitcode, &output)?;
        if String::from_utf8_lossy(&done.stderr).contains(FREEZE) {
            let (text, plain) = (scratch.path().join("out.ll"), scratch.path().join("plain.ll"));
            clang(level, &given.options(&["-S", "-emit-llvm"]), &given.file, &text)?;
            let thawed = without_freezes(&String::from_utf8_lossy(&read(&text)?));
            std::fs::write(&plain, thawed).map_err(|e| io("write", &plain, &e))?;
            let mut assembler = Command::new("clang-15");
            assembler.args(["-cc1", "-triple", "spir64-unknown-unknown", "-no-opaque-pointers"]);
            assembler.args(["-x", "ir", "-disable-llvm-passes", "-emit-llvm-bc", "-o"]);
            assembler.arg(&bitcode).arg(&plain);
            // of types that cannot be an operand of a bitcast it stays refused
            if run(assembler, "clang-15", "clang-15")?.status.success() {
                done = translate(&bitcode, &output)?;
            }
        }
        if done.status.success() {
            return Ok(given.produced(read(&output)?, said));
        }
        refused = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    }
    let what =
        format!("llvm-spirv-15 cannot translate what clang-15 makes of the input\n{refused}");
    Err(Failure::new("E0609", what).help("--compiler clang-22"))
}

/// What llvm-spirv-15 makes of bitcode.
fn translate(bitcode: &Path, output: &Path) -> Result<Output> {
    let mut translator = Command::new("llvm-spirv-15");
    translator.arg("--preserve-ocl-kernel-arg-type-metadata-through-string");
    translator.arg(TRANSLATOR_EXTENSIONS);
    translator.arg(bitcode).arg("-o").arg(output);
    run(translator, "llvm-spirv-15", "llvm-spirv-15")
}

/// An operation of LLVM that llvm-spirv-15 has no translation for.
const FREEZE: &str = " = freeze ";

/// LLVM IR without freezes. `freeze x` is `x`, or any one value where that is poison or undefined: here nothing is poison, and an
/// undefined value is one value.
fn without_freezes(text: &str) -> String {
    let line = |line: &str| -> String {
        let Some((result, rest)) = line.split_once(FREEZE) else { return line.to_owned() };
        let (operand, debug) = match rest.find(", !") {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        match operand.rfind(" %") {
            Some(at) => format!("{result} = bitcast {operand} to {}{debug}", &operand[..at]),
            None => line.to_owned(),
        }
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

/// Options for finding [`HEADER`], which names in the output do not show where it lies.
fn header_folder(scratch: &Scratch) -> Result<[String; 4]> {
    let folder = scratch.path().join("include");
    std::fs::create_dir_all(&folder).map_err(|e| io("write", &folder, &e))?;
    let written = |name: &str, text: &str| -> Result<String> {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|e| io("write", &file, &e))?;
        Ok(file.display().to_string())
    };
    written("clhls.h", HEADER)?;
    let pipes = written("convergent-pipes.h", CONVERGENT_PIPES)?;
    let folder = folder.display();
    let map = format!("-fdebug-prefix-map={folder}/=");
    Ok([format!("-I{folder}"), map, "-include".into(), pipes])
}

/// The file as an operand that no tool takes for an option.
fn operand(path: &Path) -> PathBuf {
    let dash = path.as_os_str().as_encoded_bytes().starts_with(b"-");
    if dash { Path::new(".").join(path) } else { path.to_owned() }
}

/// Options for source names that do not depend on where clang runs: relative to the input's folder.
fn source_names(input: &Path) -> Vec<String> {
    let mut options = vec!["-fdebug-compilation-dir=.".to_owned()];
    if let Some(name) = input.file_name() {
        options.extend(["-main-file-name".to_owned(), name.to_string_lossy().into_owned()]);
    }
    if let Some(folder) = input.parent().filter(|f| !f.as_os_str().is_empty()) {
        options.push(format!("-fdebug-prefix-map={}/=", folder.display()));
    }
    options
}

/// Whether a program is in the directories of PATH.
fn installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(tool).is_file())
}

fn run(mut command: Command, tool: &str, package: &str) -> Result<Output> {
    command.output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let what = format!("{tool} is not installed, which this kind of input needs");
            Failure::new("E0603", what).help(format!("apt-get install {package}"))
        }
        _ => Failure::new("E0604", format!("cannot run {tool}: {e}")),
    })
}

/// The warnings of a tool that has done its work.
fn accepted(tool: &str, done: &Output) -> Result<Vec<String>> {
    let said = String::from_utf8_lossy(&done.stderr).trim_end().to_owned();
    if !done.status.success() {
        let what = format!("{tool} refuses the input\n{said}");
        return Err(Failure::new("E0604", what.trim_end()));
    }
    Ok(if said.is_empty() { vec![] } else { vec![said] })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|e| io("read", path, &e))
}

#[cfg(test)]
mod tests {
    use super::without_freezes;

    #[test]
    fn freezes_are_their_operands() {
        let text = "  %a.fr = freeze i32 %a, !dbg !7\n  %b = freeze <2 x float> %\"b c\"\n  %c = add i32 %a.fr, 1\n";
        let plain = "  %a.fr = bitcast i32 %a to i32, !dbg !7\n  %b = bitcast <2 x float> %\"b c\" to <2 x float>\n  %c = add i32 %a.fr, 1\n";
        assert_eq!(without_freezes(text), plain);
    }
}
