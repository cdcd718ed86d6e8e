//! The parametric Verilog library, embedded in the compiler.

use base::{Diagnostic, Diagnostics, FileSet, IndexSet};

/// Module name and text, sorted by folder and name.
const LIBRARY: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Text of a library module.
pub fn library_module(name: &str) -> Option<&'static str> {
    LIBRARY.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Names of all library modules.
pub fn library_names() -> impl Iterator<Item = &'static str> {
    LIBRARY.iter().map(|(n, _)| *n)
}

/// Adds every library module that a file of `files` names, and those that they name.
pub fn add_needed(files: &mut FileSet) -> Result<(), Diagnostics> {
    let mut work: Vec<String> =
        files.iter().map(|(_, c)| String::from_utf8_lossy(c).into_owned()).collect();
    let mut wanted: IndexSet<String> = IndexSet::default();
    while let Some(text) = work.pop() {
        for name in instantiated(&text) {
            if files.get(&format!("{name}.v")).is_some() || !wanted.insert(name.to_owned()) {
                continue;
            }
            let Some(module) = library_module(name) else {
                let what = format!("the RTL library has no module `{name}`");
                return Err(Diagnostic::error("E0004", what).into());
            };
            work.push(module.to_owned());
        }
    }
    for name in wanted {
        if let Some(text) = library_module(&name) {
            files.insert(format!("{name}.v"), text);
        }
    }
    Ok(())
}

/// Library modules that a Verilog text instantiates: `clhls_name #(` or `clhls_name u_name (`
/// at the start of a line.
fn instantiated(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, rest) = line.split_at(end);
        let instance = rest.trim_start().starts_with(|c: char| c == '#' || c.is_ascii_alphabetic());
        (name.starts_with("clhls_") && rest.starts_with(' ') && instance).then_some(name)
    })
}
