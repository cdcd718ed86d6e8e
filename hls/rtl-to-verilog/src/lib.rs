//! Step: RTL to Verilog-2005 text, one file a module, with the library modules that it uses.
//!
//! The text is accepted by Verilator, yosys, Icarus, Vivado and Quartus. Generated modules
//! switch off Verilator's unused-bit warning only: an IR value of which a few bits are used
//! is still one net.

mod library;
mod print;

pub use library::{library_module, library_names};

use base::{Diagnostics, FileSet};
use rtl::Design;

/// Prints all modules of `design` and adds the library modules they need, as `<module>.v`.
pub fn emit(design: &Design) -> Result<FileSet, Diagnostics> {
    rtl::verify::verify(design)?;
    let mut files = FileSet::new();
    for module in &design.modules {
        files.insert(format!("{}.v", module.name), print::module(module));
    }
    library::add_needed(&mut files)?;
    Ok(files)
}

/// Verilog text of one module.
pub fn print_module(module: &rtl::Module) -> String {
    print::module(module)
}
