//! A module as native code.

use crate::context::{PhaseFn, Places};
use crate::lower::{self, Kernel, Operators, Shared, Unit};
use crate::memory::Variables;
use crate::specialise::{Specialisation, Variants};
use abi::EnqueueSite;
use abi::print::PrintFormat;
use base::{Diagnostic, Result};
use cranelift_codegen::Context as CodeContext;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module as _, default_libcall_names};
use host::Printed;
use ir::{Func, Global, KernelArgKind, KernelInfo, Module};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

/// Passes of the optimiser that suit native code, for `ir_opt::Options::passes`.
///
/// They begin like those of `-O2` up to `partial-sums`, so that floats are contracted where hardware has them
/// contracted, sums are split where hardware splits them, and results are the same. What only hardware needs (expansion of float operations, narrow
/// integers, words of memory) is left out.
pub const PASSES: [&str; 25] = [
    "inline",
    "simplify-cfg",
    "infer-spaces",
    "sroa",
    "scalarise",
    "dce",
    "converge",
    "fold",
    "gvn",
    "dce",
    "simplify-cfg",
    "sroa",
    "fold",
    "gvn",
    "dce",
    "simplify-cfg",
    "contract",
    "partial-sums",
    "fold",
    "gvn",
    "dce",
    "simplify-cfg",
    "licm",
    "dce",
    "simplify-cfg",
];

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Kernels to compile, by name; none: all.
    pub kernels: Vec<String>,
    /// Whether work-items that go the same way run side by side in vectors. Results are the same.
    pub side_by_side: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { kernels: vec![], side_by_side: true }
    }
}

/// A module as native code, with its variables. Launches of different threads may run at the same time.
pub struct Program {
    pub(crate) kernels: Vec<Compiled>,
    pub(crate) variables: Arc<Variables>,
    pub(crate) variants: Option<Variants>,
    pub(crate) non_uniform: bool,
    prints: Option<Prints>,
    queue: Option<Queue>,
    /// What the code of operators refers to.
    _operators: Unit,
    /// Owns the code.
    code: Mutex<ManuallyDrop<JITModule>>,
}

/// The buffer of `printf`, and what its records mean.
struct Prints {
    buffer: Global,
    size: usize,
    formats: Vec<PrintFormat>,
}

impl Prints {
    fn of(module: &Module) -> Option<Prints> {
        let variables =
            module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref()));
        let (buffer, formats) = abi::print::find(variables)?;
        let size = usize::try_from(module.globals[buffer].size).ok()?;
        Some(Prints { buffer, size, formats })
    }
}

/// The queue that kernels enqueue to, and what its records are of.
struct Queue {
    variable: Global,
    size: usize,
    sites: Vec<EnqueueSite>,
}

impl Queue {
    fn of(module: &Module) -> Option<Queue> {
        let variables =
            module.globals.iter().map(|(id, g)| (id, g.name.as_str(), g.init.as_deref()));
        let (variable, sites) = abi::enqueue::find(variables)?;
        let size = usize::try_from(module.globals[variable].size).ok()?;
        Some(Queue { variable, size, sites })
    }
}

/// A kernel as native code.
pub(crate) struct Compiled {
    pub name: String,
    pub info: KernelInfo,
    pub unit: Unit,
    pub phases: Vec<PhaseFn>,
}

impl Compiled {
    pub(crate) fn places(&self) -> &Places {
        &self.unit.places
    }

    pub(crate) fn has_barriers(&self) -> bool {
        self.phases.len() > 1
    }
}

// What threads share is code and tables, which nobody changes, and the variables, whose accesses are those of
// the kernels.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Program>();
};

impl Program {
    /// Compiles the kernels of `module`, which the verifier must have accepted, for this processor.
    ///
    /// Any valid module will do; those that went through [`PASSES`] run faster.
    ///
    /// # Errors
    /// `E0504` and `E0508` for variables that are too large, `E0507` for recursion, `E0509` for what native code cannot
    /// do, with its place in the source: 32-bit addresses, kernels made for several work-items a token,
    /// barriers in functions that are not inlined, atomic operations on other than 8 to 64 bits.
    pub fn compile(module: &Module, options: &Options) -> Result<Program> {
        if module.addr_bits != 64 {
            let what =
                format!("modules with {}-bit addresses cannot run natively", module.addr_bits);
            return Err(unsupported(what).into());
        }
        Program::with_variables(module, options, Arc::new(Variables::new(module)?))
    }

    /// The same, and kernels that launches give the same image formats and samplers again and again are compiled for these.
    ///
    /// # Errors
    /// Those of [`Program::compile`].
    pub fn specialising(
        module: &Module,
        options: &Options,
        how: Specialisation,
    ) -> Result<Program> {
        let mut program = Program::compile(module, options)?;
        let words =
            |k: KernelArgKind| matches!(k, KernelArgKind::Image(_) | KernelArgKind::Sampler);
        let formats = program.kernels.iter().any(|k| k.info.args.iter().any(|a| words(a.kind)));
        let variants = formats.then(|| Variants::new(module.clone(), how));
        program.variants = variants;
        Ok(program)
    }

    /// Compiles kernels of a module whose variables have their places already.
    pub(crate) fn with_variables(
        module: &Module,
        options: &Options,
        variables: Arc<Variables>,
    ) -> Result<Program> {
        let mut code = code_module()?;
        let mut kernels = vec![];
        let mut operators = Unit::default();
        let result =
            compile_all(module, options, &variables, &mut code, &mut kernels, &mut operators);
        let finished = result.and_then(|()| code.finalize_definitions().map_err(failed));
        if let Err(e) = finished {
            // SAFETY: nothing of it has been given away.
            unsafe { code.free_memory() };
            return Err(e.into());
        }
        let kernels = kernels.into_iter().map(|k| k.finish(&code)).collect();
        Ok(Program {
            kernels,
            variables,
            variants: None,
            _operators: operators,
            non_uniform: module.cl_version >= 200,
            prints: Prints::of(module),
            queue: Queue::of(module),
            code: Mutex::new(ManuallyDrop::new(code)),
        })
    }

    /// Names of the kernels.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|k| k.name.as_str())
    }

    /// What the module says of a kernel.
    pub fn kernel_info(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|k| k.name == name).map(|k| &k.info)
    }

    /// Bytes of local memory that a work-group of a kernel takes, without its arguments.
    pub fn local_bytes(&self, name: &str) -> Option<u64> {
        self.kernels.iter().find(|k| k.name == name).map(|k| k.unit.local_size)
    }

    /// Bytes of private memory that a work-item of a kernel takes, without registers.
    pub fn private_bytes(&self, name: &str) -> Option<u64> {
        self.kernels.iter().find(|k| k.name == name).map(|k| k.unit.private_size)
    }

    /// Bytes of the module's variables in global and constant memory.
    pub fn variable_bytes(&self) -> u64 {
        self.variables.size()
    }

    /// Whether kernels print.
    pub fn prints(&self) -> bool {
        self.prints.is_some()
    }

    /// What kernels have printed since the last call.
    ///
    /// # Safety
    /// No launch of this program is under way.
    pub unsafe fn take_printed(&self) -> Printed {
        let Some(prints) = &self.prints else { return Printed::default() };
        let start = self.variables.addresses[prints.buffer] as *mut u8;
        // SAFETY: the variable was placed with this size; kernels alone know of it, and none runs, by the caller.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, prints.size) };
        host::print::take(&prints.formats, bytes)
    }

    /// What the records in the queue are of, if kernels enqueue others.
    pub fn enqueue_sites(&self) -> Option<&[EnqueueSite]> {
        self.queue.as_ref().map(|queue| &queue.sites[..])
    }

    /// The queue that kernels enqueue to; empty if there is none. Launches write to it.
    pub(crate) fn queue(&self) -> *mut [u8] {
        let Some(queue) = &self.queue else { return &mut [] };
        let start = self.variables.addresses[queue.variable] as *mut u8;
        std::ptr::slice_from_raw_parts_mut(start, queue.size)
    }

    /// Gives the module's variables their initial values again.
    ///
    /// # Safety
    /// No launch of this program is under way.
    pub unsafe fn reset_variables(&self) {
        // SAFETY: by the caller.
        unsafe { self.variables.reset() }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let code = self.code.get_mut().unwrap_or_else(|e| e.into_inner());
        // SAFETY: it is not used again, and launches borrow the program, so none is under way.
        unsafe { ManuallyDrop::take(code).free_memory() }
    }
}

fn unsupported(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("E0509", what)
}

/// An error of Cranelift: a defect of this crate.
fn failed(e: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error("E0001", format!("native code generation: {e}"))
}

/// An empty module of machine code for this processor.
fn code_module() -> Result<JITModule> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_verifier", verify),
        ("enable_probestack", "false"),
    ] {
        flags.set(name, value).map_err(failed)?;
    }
    let native = cranelift_native::builder()
        .map_err(|e| unsupported(format!("this processor is not supported: {e}")))?;
    let isa = native.finish(settings::Flags::new(flags)).map_err(failed)?;
    Ok(JITModule::new(JITBuilder::with_isa(isa, default_libcall_names())))
}

/// A kernel whose code has no address yet.
struct Unfinished {
    name: String,
    info: KernelInfo,
    unit: Unit,
    phases: Vec<FuncId>,
}

impl Unfinished {
    fn finish(self, code: &JITModule) -> Compiled {
        let address = |id: &FuncId| {
            let code = code.get_finalized_function(*id);
            // SAFETY: the function was declared and written with the signature of `PhaseFn`.
            unsafe { std::mem::transmute::<*const u8, PhaseFn>(code) }
        };
        let phases = self.phases.iter().map(address).collect();
        Compiled { name: self.name, info: self.info, unit: self.unit, phases }
    }
}

/// Compiles the kernels asked for, then the operators that they call.
fn compile_all(
    module: &Module,
    options: &Options,
    variables: &Variables,
    code: &mut JITModule,
    out: &mut Vec<Unfinished>,
    unit: &mut Unit,
) -> std::result::Result<(), Diagnostic> {
    let call_conv = code.isa().default_call_conv();
    let config = code.target_config();
    let shared = Shared { module, addresses: &variables.addresses, call_conv };
    let mut buffers = FunctionBuilderContext::new();
    let mut context = code.make_context();
    let mut operators = Operators { code, needed: base::IndexMap::default() };
    for (id, func) in module.kernels() {
        if options.kernels.is_empty() || options.kernels.contains(&func.name) {
            let wide = options.side_by_side;
            out.push(kernel(&shared, id, wide, &mut operators, &mut context, &mut buffers)?);
        }
    }
    let mut done = 0;
    while let Some((&operator, &id)) = operators.needed.get_index(done) {
        operators.code.clear_context(&mut context);
        context.func.signature = lower::operator_signature(operator, call_conv);
        let out = &mut context.func;
        lower::operator(&shared, operator, unit, &mut operators, out, &mut buffers, config)?;
        define(operators.code, id, &mut context)?;
        done += 1;
    }
    Ok(())
}

fn define(
    code: &mut JITModule,
    id: FuncId,
    context: &mut CodeContext,
) -> std::result::Result<(), Diagnostic> {
    code.define_function(id, context).map_err(|e| failed(format!("{e:?}")))
}

fn kernel(
    shared: &Shared<'_>,
    id: Func,
    side_by_side: bool,
    operators: &mut Operators<'_>,
    context: &mut CodeContext,
    buffers: &mut FunctionBuilderContext,
) -> std::result::Result<Unfinished, Diagnostic> {
    let func = &shared.module.functions[id];
    let info = func.kernel.clone().unwrap_or_default();
    if info.simd_lanes.is_some() {
        let what = format!("kernel `{}` is made for several work-items a token", func.name);
        return Err(unsupported(what).at(func.loc));
    }
    let mut unit = Unit::default();
    let kernel = Kernel::new(shared.module, id, side_by_side, &mut unit);
    let mut phases = vec![];
    for phase in 0..kernel.phase_count() {
        operators.code.clear_context(context);
        context.func.signature = lower::phase_signature(shared.call_conv);
        let config = operators.code.target_config();
        let out = &mut context.func;
        lower::phase(shared, &kernel, &mut unit, operators, phase, out, buffers, config)?;
        let declared = operators.code.declare_anonymous_function(&context.func.signature);
        let name = declared.map_err(failed)?;
        define(operators.code, name, context)?;
        phases.push(name);
    }
    unit.private_size = unit.private_size.next_multiple_of(128);
    Ok(Unfinished { name: func.name.clone(), info, unit, phases })
}
