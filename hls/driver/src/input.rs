//! Input files: reads a module from any of the forms that the command takes.

use crate::channels;
use crate::cli::InputArgs;
use crate::connect::{self, Connection};
use crate::failure::{Failure, Result, io};
use crate::pipeline;
use crate::producer::{Produced, assemble, compile_cl};
use crate::spec;
use base::SourceMap;
use ir::Module;
use std::collections::BTreeSet;
use std::path::Path;

/// Magic number of SPIR-V in both byte orders.
const SPIRV_MAGIC: [[u8; 4]; 2] = [[0x03, 0x02, 0x23, 0x07], [0x07, 0x23, 0x02, 0x03]];

/// What was read.
pub struct Input {
    /// The kernels.
    pub module: Module,
    /// The connections of its pipes: those that were given, and those that channels are.
    pub connections: Vec<Connection>,
    /// What the compiler of OpenCL C warns of, for people.
    pub warnings: Vec<String>,
    /// The values that specialization constants were given.
    pub spec_constants: Vec<abi::SpecConstant>,
}

/// Reads the input as a module: by its ending, or, for other endings, by its contents. `kernels`
/// are those needed; empty = all. Others may be left out.
///
/// # Errors
/// `E0601` unreadable, `E0602` not a known form, `E0603` a tool is not installed, `E0604` it
/// failed, and the errors of the readers.
pub fn read_module(input: &InputArgs, kernels: &[String]) -> Result<Input> {
    read_module_for(input, kernels, true)
}

/// The same for a device that has FIFOs for connected pipes, or has these in memory, too.
///
/// # Errors
/// As [`read_module`].
pub fn read_module_for(input: &InputArgs, kernels: &[String], has_fifos: bool) -> Result<Input> {
    let path = input.input.as_path();
    let read = match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "cl" => produced(input, kernels, has_fifos, compile_cl(input)?),
        "spvasm" => produced(input, kernels, has_fifos, assemble(path)?),
        "clir" => clir(input),
        extension => {
            let bytes = std::fs::read(path).map_err(|e| io("read", path, &e))?;
            if extension != "spv" && !SPIRV_MAGIC.iter().any(|m| bytes.starts_with(m)) {
                let what = format!("{} is no kernel file that clhls knows", path.display());
                return Err(Failure::new("E0602", what));
            }
            produced(input, kernels, has_fifos, Produced { bytes, warnings: vec![] })
        }
    };
    let mut read = read.map_err(|e| e.in_file(path))?;
    tell_arguments_apart(&mut read.module);
    connect::settle(&read.connections, &mut read.module).map_err(|e| e.in_file(path))?;
    Ok(read)
}

/// Gives arguments of equal names different ones: a module may call them what it likes, and those
/// without a name are called after their numbers.
pub fn tell_arguments_apart(module: &mut Module) {
    let kernels = module.functions.values_mut().filter_map(|f| f.kernel.as_mut());
    for kernel in kernels {
        let mut seen = BTreeSet::new();
        for (k, arg) in kernel.args.iter_mut().enumerate() {
            let plain = if arg.name.is_empty() { format!("arg{k}") } else { arg.name.clone() };
            let mut name = plain.clone();
            while !seen.insert(name.clone()) {
                name.push('_');
            }
            if name != plain {
                arg.name = name;
            }
        }
    }
}

fn produced(
    input: &InputArgs,
    kernels: &[String],
    has_fifos: bool,
    made: Produced,
) -> Result<Input> {
    let path = input.input.as_path();
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    let channels::Module { bytes, connections } =
        channels::replaced(&made.bytes, &input.connections, kernels)?;
    let bytes = bytes.unwrap_or(made.bytes);
    let mut how = pipeline::ReadOptions {
        numerics: input.numerics(),
        sub_group_size: input.sub_group_size,
        connected: connections.iter().flat_map(Connection::pipes).collect(),
        fifos_in_memory: !has_fifos,
        formats: input.formats.clone(),
        spec_constants: vec![],
    };
    let mut values = vec![];
    if !input.spec_constants.is_empty() {
        let options = pipeline::read_options(&name, kernels, &how);
        values = spec::resolve(&bytes, &options, &input.spec_constants)?;
        how.spec_constants = values.iter().map(|v| (v.known.id, v.bits)).collect();
    }
    let module = pipeline::read_spirv(&bytes, &name, kernels, folder, &how)?;
    let spec_constants = values.iter().map(spec::Resolved::described).collect();
    Ok(Input { module, connections, warnings: made.warnings, spec_constants })
}

/// IR text, in which constants have their values already.
fn clir(input: &InputArgs) -> Result<Input> {
    if let Some(given) = input.spec_constants.first() {
        let what =
            format!("--spec-constant {}: IR text has no specialization constants", given.constant);
        return Err(Failure::new("E0118", what)
            .help("give it with the SPIR-V module that the text was made of"));
    }
    let module = read_clir(&input.input)?;
    let connections = input.connections.clone();
    Ok(Input { module, connections, warnings: vec![], spec_constants: vec![] })
}

fn read_clir(path: &Path) -> Result<Module> {
    let text = std::fs::read_to_string(path).map_err(|e| io("read", path, &e))?;
    let sources = || ir::parse::text_sources(&path.display().to_string(), &text);
    // whoever wrote the text is to look there, unlike those whose IR a pass has broken
    let help = |e: Failure| e.help("docs/ir.md has the syntax and the rules of the IR");
    let mut module =
        ir::parse::parse_module(&text).map_err(|e| help(Failure::with_sources(e, &sources())))?;
    attach_sources(&mut module.sources, path.parent().unwrap_or(Path::new("")));
    ir::verify::verify_module(&module)
        .map_err(|e| help(Failure::with_sources(e, &module.sources)))?;
    Ok(module)
}

/// Puts the text of source files that are at hand into `sources`, for messages.
pub fn attach_sources(sources: &mut SourceMap, folder: &Path) {
    for file in sources.files.values_mut().filter(|f| f.text.is_none()) {
        let name = Path::new(&file.name);
        let beside = name.file_name().map(|n| folder.join(n));
        let candidates = [Some(folder.join(name)), beside];
        file.text = candidates.iter().flatten().find_map(|p| std::fs::read_to_string(p).ok());
    }
}
