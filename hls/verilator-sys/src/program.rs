//! A program of a Verilated module and a C++ `main`: for benches of parts of a design, which have
//! ports of their own instead of those of a kernel.

use crate::Error;
use crate::cache::{Key, default_cache_dir, entry};
use crate::simtop::Source;
use crate::toolchain::{Toolchain, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Verilator's own sources that a program needs.
const RUNTIME: [&str; 2] = ["verilated.cpp", "verilated_threads.cpp"];

const VERILATOR_FLAGS: [&str; 13] = [
    "--cc",
    "--Mdir",
    "obj",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "--prefix",
];

/// Compiling takes longer than running: little optimisation.
const COMPILER_FLAGS: [&str; 6] =
    ["-std=gnu++17", "-w", "-O1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0"];

/// Verilates module `top` of `sources` as class `V<top>`, compiles it with `main` and gives the
/// path of the program, in `dir`, which exists and is empty.
///
/// # Errors
/// [`Error::MissingTool`]; [`Error::Tool`] with the messages of Verilator or the compiler.
pub fn build_program(
    dir: &Path,
    top: &str,
    sources: &[Source],
    main: &str,
) -> Result<PathBuf, Error> {
    let toolchain = Toolchain::detect()?;
    let mut command = Command::new(&toolchain.verilator);
    command.current_dir(dir).args(VERILATOR_FLAGS).arg(format!("V{top}"));
    command.args(["--top-module", top]);
    for source in sources {
        write(&dir.join(&source.name), &source.text)?;
        command.arg(&source.name);
    }
    run(&mut command, None)?;
    // One file: reading Verilator's headers takes longer than compiling most models.
    let mut text = String::new();
    for path in cpp_files(&dir.join("obj"))? {
        text.push_str(&format!("#include \"{}\"\n", path.display()));
    }
    text.push_str(main);
    write(&dir.join("program.cpp"), &text)?;
    compile(&toolchain, dir, &dir.join("program.cpp"), &dir.join("program.o"))?;
    let runtime = runtime(&toolchain)?;
    let program = dir.join("program");
    let mut command = Command::new(&toolchain.compiler);
    command.current_dir(dir).arg("-o").arg(&program).arg("program.o");
    command.args(RUNTIME.map(|name| runtime.join(name).with_extension("o"))).arg("-lpthread");
    run(&mut command, Some("program")).map(|_| program)
}

/// Verilator's part of the program, compiled once for each toolchain.
fn runtime(toolchain: &Toolchain) -> Result<PathBuf, Error> {
    let mut key = Key::new("program");
    key.add(&toolchain.describe()).add(&toolchain.verilator_root.to_string_lossy());
    for flag in COMPILER_FLAGS {
        key.add(flag);
    }
    let name = format!("runtime-{}", key.finish());
    let fill = |dir: &Path| {
        RUNTIME.iter().try_for_each(|name| {
            let source = toolchain.verilator_root.join("include").join(name);
            compile(toolchain, dir, &source, &dir.join(name).with_extension("o"))
        })
    };
    Ok(entry(&default_cache_dir()?, &name, fill)?.0)
}

fn compile(toolchain: &Toolchain, dir: &Path, source: &Path, object: &Path) -> Result<(), Error> {
    let include = toolchain.verilator_root.join("include");
    let mut command = Command::new(&toolchain.compiler);
    command.current_dir(dir).args(COMPILER_FLAGS);
    command.arg("-I").arg(&include).arg("-I").arg(include.join("vltstd")).arg("-Iobj");
    command.arg("-c").arg(source).arg("-o").arg(object);
    let name = source.file_name().map(|name| name.to_string_lossy().into_owned());
    run(&mut command, name.as_deref()).map(drop)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::io(path))
}

/// The C++ files of a directory, by name.
pub(crate) fn cpp_files(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for item in std::fs::read_dir(dir).map_err(Error::io(dir))? {
        let path = item.map_err(Error::io(dir))?.path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
