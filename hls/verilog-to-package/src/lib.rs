//! Step: Verilog to what a board's tools and its host programs need.
//!
//! [`pack`] turns the manifest and the Verilog files of a build into
//!
//! * `package/`: scripts that make a bit stream (Vitis: `kernel.xml`, Tcl, connectivity, Makefile, emulation; ECP5: a serial shell
//!   around the kernels, constraints, Makefile; nothing for boards without tools),
//! * `sim/files.f`: the Verilog files in a form simulators read,
//! * `host/`: typed functions that launch the kernels, in C and in Rust, with the runtime they stand on and examples
//!   (`docs/host-library.md`).
//!
//! The paths of the result are those below the build's output directory, where the Verilog stands in `rtl/`.

mod ecp5;
mod emulation;
mod error;
mod host;
mod pll;
mod registers;
mod templates;
mod vitis;

use abi::{Kernel, LinkEnd, Manifest};
use base::FileSet;
use target::{Board, Flow};

pub use error::PackError;
pub use pll::{Pll, ecp5_pll};

/// What the user may choose about a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackOptions {
    /// Vitis platform: a name or the path of an `.xpfm` file. `None`: the board's stock platform.
    pub platform: Option<String>,
}

/// Makes the package of a design for a board. `rtl` are the Verilog files by path below the output directory (`rtl/*.v`).
///
/// # Errors
/// When the design does not suit the board: no kernel, other memory ports than it has, a clock it cannot make.
pub fn pack(
    manifest: &Manifest,
    rtl: &FileSet,
    board: &Board,
    options: &PackOptions,
) -> Result<FileSet, PackError> {
    let sources = verilog_files(rtl);
    check(manifest, &sources, board)?;
    let mut files = FileSet::new();
    files.insert("sim/files.f", file_list(&sources));
    match board.flow {
        Flow::Vitis => files.extend(vitis::pack(manifest, &sources, board, options)?),
        Flow::Ecp5 => files.extend(ecp5::pack(manifest, &sources, board)?),
        Flow::None => {}
    }
    files.extend(host::pack(manifest, board)?);
    Ok(files)
}

/// Number of the link at an argument of a kernel.
fn link_at(manifest: &Manifest, kernel: &Kernel, arg: u32) -> Option<usize> {
    let here = |end: &LinkEnd| end.kernel == kernel.signature.name && end.arg == arg;
    manifest.links.iter().position(|link| here(&link.writer) || here(&link.reader))
}

/// The Verilog files of a build, by path.
fn verilog_files(rtl: &FileSet) -> Vec<&str> {
    rtl.iter()
        .map(|(path, _)| path)
        .filter(|path| path.ends_with(".v") || path.ends_with(".sv"))
        .collect()
}

/// A `-f` file list, with paths relative to the folder it stands in.
fn file_list(sources: &[&str]) -> String {
    sources.iter().map(|path| format!("../{path}\n")).collect()
}

/// What every board needs.
fn check(manifest: &Manifest, sources: &[&str], board: &Board) -> Result<(), PackError> {
    if manifest.kernels.is_empty() {
        return Err(PackError::NoKernel { module: manifest.module.clone() });
    }
    for kernel in &manifest.kernels {
        let file = format!("rtl/{}.v", kernel.top);
        if !sources.contains(&file.as_str()) {
            return Err(PackError::NoFile { kernel: kernel.signature.name.clone(), file });
        }
        if let Some(port) =
            kernel.memory_ports.iter().find(|p| p.data_bits != board.memory.data_bits)
        {
            return Err(PackError::PortWidth {
                kernel: kernel.signature.name.clone(),
                port: port.name.clone(),
                width: port.data_bits,
                board: board.name.clone(),
                expected: board.memory.data_bits,
            });
        }
    }
    Ok(())
}
