//! Step: SPIR-V module to kernel IR.
//!
//! Read in this order: [`read`] below, `decode` (words to instructions), `module` (types,
//! constants, variables, kernels), `outline` (functions and blocks), `lower` (one function; its
//! `table` is the dispatcher), `ext_inst` (OpenCL.std), `images` and `pipes` (what their instructions call), `enqueue` (blocks), `link` (what functions share).
//! [`support`] lists what is supported, [`ERROR_CODES`] what can go wrong.
//!
//! Memory is bytes in the IR: structures and arrays become offsets, and SSA values of such types
//! are taken apart into scalars, vectors and pointers. Whatever bytes are given, reading ends
//! with a module that the IR verifier accepts, or with messages; it never panics, and the time
//! and memory it takes are bounded.

mod chain;
mod channels;
mod clhls_header;
mod constants;
mod decode;
mod decorations;
mod enqueue;
mod errors;
mod ext_inst;
mod fold;
pub mod fuzzing;
mod images;
mod library;
mod link;
mod lower;
mod modes;
mod module;
mod outline;
mod pipes;
mod processed;
mod source_hints;
mod spec;
pub mod support;
mod types;

pub use channels::{Channel, Channels, channels};
pub use errors::{ERROR_CODES, ERRORS_BEGIN, ERRORS_END, ErrorCode, errors_markdown};
pub use modes::SUB_GROUP_SIZE;
pub use processed::processed;
pub use spec::{SpecConstant, SpecType, spec_constants};

use base::{Diagnostics, SourceMap};
use ir::Module;

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the module, for messages and generated files.
    pub name: String,
    /// Kernels to read; empty: all. Errors in others are not reported then.
    pub kernels: Vec<String>,
    /// Values of specialization constants by SpecId, as bits of their type.
    pub spec_constants: Vec<(u32, u64)>,
    /// Arithmetic in single and double precision flushes subnormal numbers, as OpenCL's `-cl-denorms-are-zero` allows:
    /// producers leave that option out of the module. An execution mode `DenormPreserve` of a width goes before.
    pub denorms_are_zero: bool,
    /// Functions and divisions in single precision have the bounds of OpenCL's `-cl-unsafe-math-optimizations`, also where
    /// the module does not say so: producers decorate arithmetic only.
    pub unsafe_math: bool,
    /// Work-items of a sub-group: 8, 16 or 32; none: 16.
    pub sub_group_size: Option<u32>,
    /// Pipes that are FIFOs beside the kernels instead of objects in memory.
    pub connected: Vec<ConnectedPipe>,
    /// Connected pipes are objects in memory all the same, of which kernels are told and may reserve no more than the FIFO would hold:
    /// for devices without FIFOs.
    pub fifos_in_memory: bool,
    /// Images that have one format at every launch.
    pub formats: Vec<FixedFormat>,
    /// Functions that enqueue say why they fail, as OpenCL's `-g` lets them; else they give `CLK_ENQUEUE_FAILURE`.
    pub enqueue_errors: bool,
    /// Local sizes must divide global sizes, as of `-cl-uniform-work-group-size`.
    pub uniform_groups: bool,
}

/// A kernel argument that is a connected pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedPipe {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the argument, or its number.
    pub arg: String,
    /// Most packets that the pipe holds; 0 where that is decided when hardware is made.
    pub depth: u32,
}

/// The format of all images that a kernel gets for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedFormat {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the argument, or its number.
    pub arg: String,
    /// The format.
    pub format: abi::ImageFormat,
}

/// Reads a SPIR-V module.
///
/// # Errors
/// Codes E0101 to E0120; see [`ERROR_CODES`]. Several unsupported constructs are reported at
/// once.
pub fn read(bytes: &[u8], options: &Options) -> base::Result<Module> {
    read_with_sources(bytes, options, &mut SourceMap::default())
}

/// Work-items of a sub-group of a module's kernels.
///
/// # Errors
/// As [`read`].
pub fn sub_group_size(bytes: &[u8], options: &Options) -> base::Result<u32> {
    let words = decode::words(bytes).map_err(|e| *e)?;
    let spv = module::read(&words, options, &mut SourceMap::default()).map_err(|e| *e)?;
    Ok(spv.sub_group_size)
}

/// Like [`read`]; `sources` receives the module's source files on success and on failure, so
/// that messages can be shown with their places.
///
/// # Errors
/// As [`read`].
pub fn read_with_sources(
    bytes: &[u8],
    options: &Options,
    sources: &mut SourceMap,
) -> base::Result<Module> {
    let words = decode::words(bytes).map_err(|e| *e)?;
    let spv = module::read(&words, options, sources).map_err(|e| *e)?;
    let mut link = link::Linker::new(&spv, &options.name);
    link.request_kernels(options).map_err(|e| *e)?;
    while let Some(job) = link.next_job() {
        lower::lower(&mut link, job);
    }
    if link.errors.is_empty()
        && let Err(e) = link.check_connections().and_then(|()| link.check_formats())
    {
        link.report(*e);
    }
    if let Err(e) = link.write_initial_values() {
        link.report(*e);
    }
    link.write_print_formats();
    link.write_enqueue_sites(sources);
    if !link.errors.is_empty() {
        return Err(Diagnostics(link.errors));
    }
    link.module.sources = sources.clone();
    Ok(link.module)
}
