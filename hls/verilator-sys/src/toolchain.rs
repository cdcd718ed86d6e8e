//! The programs that turn Verilog into a library.

use crate::Error;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Compilers in the order of preference: clang compiles Verilator's output more than twice as fast as
/// g++ and the result runs no slower.
const COMPILERS: [&str; 5] = ["clang++-22", "clang++", "clang++-15", "g++", "c++"];

/// Verilator and a C++ compiler.
#[derive(Debug, Clone)]
pub struct Toolchain {
    pub(crate) verilator: PathBuf,
    /// Directory of Verilator's own sources and headers.
    pub(crate) verilator_root: PathBuf,
    pub(crate) verilator_version: String,
    pub(crate) compiler: PathBuf,
    pub(crate) compiler_version: String,
}

impl Toolchain {
    /// Finds the programs on the PATH. What was found is remembered for the life of the process:
    /// asking the programs for their versions takes longer than loading a model from the cache.
    ///
    /// # Errors
    /// [`Error::MissingTool`], naming the package to install.
    pub fn detect() -> Result<Self, Error> {
        static FOUND: Mutex<Option<(OsString, Toolchain)>> = Mutex::new(None);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, toolchain)) = found.as_ref().filter(|(known, _)| *known == path) {
            return Ok(toolchain.clone());
        }
        let toolchain = Self::detect_in(&path)?;
        *found = Some((path, toolchain.clone()));
        Ok(toolchain)
    }

    /// Finds the programs in the directories of `path`, a list as in the variable PATH.
    ///
    /// # Errors
    /// As [`Toolchain::detect`].
    pub fn detect_in(path: &OsStr) -> Result<Self, Error> {
        let find = |name: &str| {
            std::env::split_paths(path).map(|dir| dir.join(name)).find(|path| path.is_file())
        };
        let verilator = find("verilator")
            .ok_or(Error::MissingTool { tool: "verilator", package: "verilator" })?;
        let compiler = COMPILERS
            .into_iter()
            .find_map(find)
            .ok_or(Error::MissingTool { tool: "a C++ compiler", package: "clang-22" })?;
        let first_line = |program: &Path, argument: &str| {
            let output = run(Command::new(program).arg(argument), None)?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok::<_, Error>(text.lines().next().unwrap_or_default().trim().to_owned())
        };
        Ok(Self {
            verilator_version: first_line(&verilator, "--version")?,
            verilator_root: verilator_root(&verilator)?,
            compiler_version: first_line(&compiler, "--version")?,
            verilator,
            compiler,
        })
    }

    /// Versions of the programs, for reports.
    pub fn describe(&self) -> String {
        format!("{}, {}", self.verilator_version, self.compiler_version)
    }
}

fn verilator_root(verilator: &Path) -> Result<PathBuf, Error> {
    let output = run(Command::new(verilator).args(["--getenv", "VERILATOR_ROOT"]), None)?;
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    if root.join("include/verilated.cpp").is_file() {
        return Ok(root);
    }
    Err(Error::MissingTool { tool: "Verilator's include directory", package: "verilator" })
}

/// Runs a program to its end. `input` is the file it works on, for the message.
pub(crate) fn run(command: &mut Command, input: Option<&str>) -> Result<Output, Error> {
    let program = PathBuf::from(command.get_program());
    let output = command.output().map_err(Error::io(&program))?;
    if output.status.success() {
        return Ok(output);
    }
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned());
    Err(Error::Tool {
        program: name.unwrap_or_default(),
        input: input.map(str::to_owned),
        output: essence(&String::from_utf8_lossy(&output.stderr)),
    })
}

/// The errors in a tool's output, not its warnings; at most 20 lines.
fn essence(text: &str) -> String {
    const LINES: usize = 20;
    let first = text.lines().position(|line| {
        let line = line.to_ascii_lowercase();
        line.contains("error") && !line.contains("%warning")
    });
    text.lines().skip(first.unwrap_or(0)).take(LINES).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tools_are_named_with_their_package() {
        let empty = tempfile::tempdir().expect("a scratch directory");
        let error = Toolchain::detect_in(empty.path().as_os_str()).expect_err("nothing there");
        assert_eq!(
            error.to_string(),
            "verilator is not installed; on Debian: apt-get install verilator"
        );
        std::fs::write(empty.path().join("verilator"), "").expect("writable");
        let error = Toolchain::detect_in(empty.path().as_os_str()).expect_err("no compiler");
        assert_eq!(
            error.to_string(),
            "a C++ compiler is not installed; on Debian: apt-get install clang-22"
        );
    }

    #[test]
    fn messages_begin_at_the_first_error() {
        let text = "%Warning-WIDTH: a.v:1: the error is elsewhere\n%Error: a.v:2: no\nmore";
        assert_eq!(essence(text), "%Error: a.v:2: no\nmore");
    }
}
