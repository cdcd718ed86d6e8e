//! Programs: sources, modules or binaries, and what was built of them for each device.

use super::build::{Executable, Input, load};
use super::compiler::{self, Source};
use super::container::{self, Description, Hardware};
use super::context::Context;
use super::device::Device;
use super::kernel_info::{ArgInfo, from_llvm, unsigned_hints};
use super::object::{Header, handle_of, object};
use super::options::{Options, Step, Terms};
use super::{Status, lock};
use crate::sys::callback::{Callback, OfObject};
use crate::sys::constants::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What a program was made from.
#[derive(Debug)]
pub enum Origin {
    /// OpenCL C.
    Source(String),
    /// SPIR-V.
    Il(Vec<u8>),
    /// Binaries, by device.
    Binary,
    /// Other programs.
    Linked,
}

/// Source and options of a program, to ask the compiler for names and types of arguments.
#[derive(Debug)]
struct ArgSource {
    source: Source,
    options: Options,
    known: OnceLock<Known>,
}

/// What the compiler tells that is not in the module.
#[derive(Debug, Default)]
struct Known {
    arguments: BTreeMap<String, Vec<ArgInfo>>,
    unsigned_hints: BTreeSet<String>,
}

impl ArgSource {
    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let text = compiler::argument_metadata(&self.source, &self.options);
            let known = |text: String| Known {
                arguments: from_llvm(&text),
                unsigned_hints: unsigned_hints(&text),
            };
            text.map(known).unwrap_or_default()
        })
    }
}

/// What was built for a device.
#[derive(Debug, Clone)]
pub struct DeviceBuild {
    /// `CL_PROGRAM_BUILD_STATUS`
    pub status: i32,
    /// Options as given.
    pub options: String,
    /// Messages for people.
    pub log: String,
    /// `CL_PROGRAM_BINARY_TYPE`
    pub binary_type: u32,
    /// SPIR-V.
    pub module: Option<Arc<Vec<u8>>>,
    terms: Terms,
    /// Kernels that can run.
    pub executable: Option<Arc<Executable>>,
    /// Hardware of a binary that was not loaded yet.
    hardware: Option<Hardware>,
}

impl Default for DeviceBuild {
    fn default() -> Self {
        DeviceBuild {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            binary_type: CL_PROGRAM_BINARY_TYPE_NONE,
            module: None,
            terms: Terms::default(),
            executable: None,
            hardware: None,
        }
    }
}

/// A program.
#[derive(Debug)]
#[repr(C)]
pub struct Program {
    header: Header,
    /// The context.
    pub context: Arc<Context>,
    /// The devices it is for.
    pub devices: Vec<Arc<Device>>,
    /// What it was made from.
    pub origin: Origin,
    builds: Mutex<Vec<DeviceBuild>>,
    constants: Mutex<BTreeMap<u32, u64>>,
    arg_sources: Mutex<Vec<Arc<ArgSource>>>,
    /// Known without a compiler: from binaries.
    arg_infos: Mutex<BTreeMap<String, Vec<ArgInfo>>>,
    release_callbacks: Mutex<Vec<Callback<OfObject>>>,
    /// Kernels that exist: while there are any nothing can be built.
    pub kernels: AtomicUsize,
}

object!(Program, CL_INVALID_PROGRAM);

impl Program {
    /// A program that nothing was built of.
    pub fn new(context: Arc<Context>, devices: Vec<Arc<Device>>, origin: Origin) -> Self {
        let builds = vec![DeviceBuild::default(); devices.len()];
        let (constants, arg_sources, arg_infos, release_callbacks) = Default::default();
        Program {
            header: Header::new(),
            context,
            devices,
            origin,
            builds: Mutex::new(builds),
            constants,
            arg_sources,
            arg_infos,
            release_callbacks,
            kernels: AtomicUsize::new(0),
        }
    }

    /// A program of binaries, one for each device.
    pub fn from_binaries(
        context: Arc<Context>,
        devices: Vec<Arc<Device>>,
        binaries: Vec<(Description, Vec<u8>)>,
    ) -> Self {
        let program = Program::new(context, devices, Origin::Binary);
        for (build, (description, module)) in lock(&program.builds).iter_mut().zip(binaries) {
            let options = Options::parse(&description.options, Step::Build).unwrap_or_default();
            lock(&program.arg_infos).extend(description.arguments);
            *build = DeviceBuild {
                binary_type: description.binary_type,
                module: Some(Arc::new(module)),
                terms: options.terms(),
                hardware: description.hardware,
                ..DeviceBuild::default()
            };
        }
        program
    }

    /// What was built for a device.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if the program is not for it.
    pub fn build_of(&self, device: &Arc<Device>) -> Status<DeviceBuild> {
        let index = self.index(device)?;
        Ok(lock(&self.builds)[index].clone())
    }

    /// What was built for each device.
    pub fn all_builds(&self) -> Vec<DeviceBuild> {
        lock(&self.builds).clone()
    }

    /// Number of a device among the program's.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if the program is not for it.
    pub fn index(&self, device: &Arc<Device>) -> Status<usize> {
        self.devices.iter().position(|d| Arc::ptr_eq(d, device)).ok_or(CL_INVALID_DEVICE)
    }

    /// The kernels, in order; those of the first device that something was built for.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if nothing was built.
    pub fn any_executable(&self) -> Status<Arc<Executable>> {
        let found = lock(&self.builds).iter().find_map(|b| b.executable.clone());
        found.ok_or(CL_INVALID_PROGRAM_EXECUTABLE)
    }

    /// The executable for each device, where there is one.
    pub fn executables(&self) -> Vec<(Arc<Device>, Arc<Executable>)> {
        let builds = lock(&self.builds);
        let pairs = self.devices.iter().zip(builds.iter());
        pairs.filter_map(|(d, b)| Some((Arc::clone(d), b.executable.clone()?))).collect()
    }

    /// Sets a specialisation constant.
    pub fn set_constant(&self, id: u32, value: u64) {
        lock(&self.constants).insert(id, value);
    }

    /// The SPIR-V module that the program was made from; empty if from something else.
    pub fn il(&self) -> &[u8] {
        match &self.origin {
            Origin::Il(bytes) => bytes,
            _ => &[],
        }
    }

    /// Names and types of a kernel's arguments, if they can be known.
    pub fn argument_infos(&self, kernel: &str) -> Option<Vec<ArgInfo>> {
        if let Some(known) = lock(&self.arg_infos).get(kernel) {
            return Some(known.clone());
        }
        let sources = lock(&self.arg_sources).clone();
        sources.iter().find_map(|source| source.known().arguments.get(kernel).cloned())
    }

    /// A kernel's attributes as in the source; `facts` are those that the module tells.
    pub fn attributes(&self, kernel: &str, facts: &str) -> String {
        let sources = lock(&self.arg_sources).clone();
        let hint = "vec_type_hint(";
        let unsigned = |source: &Arc<ArgSource>| source.known().unsigned_hints.contains(kernel);
        if facts.contains(hint) && sources.iter().any(unsigned) {
            return facts.replace(hint, "vec_type_hint(u");
        }
        facts.to_owned()
    }

    /// Has a function called when the program goes.
    pub fn add_release_callback(&self, callback: Callback<OfObject>) {
        lock(&self.release_callbacks).push(callback);
    }

    /// The program for a device as a binary; none if there is nothing.
    pub fn binary(&self, index: usize) -> Option<Vec<u8>> {
        let build = lock(&self.builds)[index].clone();
        let module = build.module?;
        let device = &self.devices[index].name;
        let mut description = Description::new(device, build.binary_type, &build.options);
        let built = build.executable.as_ref().and_then(|e| e.hardware.clone());
        description.hardware = built.or(build.hardware);
        description.arguments.clone_from(&lock(&self.arg_infos));
        for source in lock(&self.arg_sources).iter() {
            // only what was asked for: another run of the compiler would be slow
            if let Some(known) = source.known.get() {
                description.arguments.extend(known.arguments.clone());
            }
        }
        Some(container::write(&description, &module))
    }

    /// Refuses to build while there are kernels.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`
    fn check_no_kernels(&self) -> Status {
        if self.kernels.load(Ordering::Acquire) == 0 { Ok(()) } else { Err(CL_INVALID_OPERATION) }
    }

    /// `clBuildProgram`
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`, `CL_INVALID_BUILD_OPTIONS`, `CL_INVALID_BINARY`, `CL_COMPILER_NOT_AVAILABLE`,
    /// `CL_BUILD_PROGRAM_FAILURE`; the log says why.
    pub fn build(&self, devices: &[Arc<Device>], text: &str) -> Status {
        self.check_no_kernels()?;
        let options = self.parse(devices, text, Step::Build, CL_INVALID_BUILD_OPTIONS)?;
        let made = match &self.origin {
            Origin::Source(source) => {
                let source = Source { text: source.clone(), headers: vec![] };
                Some(self.compile_source(source, &options))
            }
            Origin::Il(bytes) => Some(Ok((bytes.clone(), String::new()))),
            Origin::Binary | Origin::Linked => None,
        };
        if matches!(self.origin, Origin::Linked) {
            return Err(CL_INVALID_OPERATION);
        }
        let mut result = Ok(());
        for device in devices {
            let index = self.index(device)?;
            let before = lock(&self.builds)[index].clone();
            let (module, log, terms) = match &made {
                Some(Ok((module, log))) => (module.clone(), log.clone(), options.terms()),
                Some(Err(log)) => {
                    self.fail(index, text, log.clone());
                    result = Err(CL_BUILD_PROGRAM_FAILURE);
                    continue;
                }
                None => {
                    let module = before.module.as_deref().ok_or(CL_INVALID_BINARY)?;
                    (module.clone(), String::new(), before.terms)
                }
            };
            let hardware = if made.is_none() { before.hardware.as_ref() } else { None };
            if self.load(index, text, module, terms, hardware, log).is_err() {
                result = Err(CL_BUILD_PROGRAM_FAILURE);
            }
        }
        result
    }

    fn parse(
        &self,
        devices: &[Arc<Device>],
        text: &str,
        step: Step,
        error: i32,
    ) -> Status<Options> {
        Options::parse(text, step).map_err(|why| {
            for index in devices.iter().filter_map(|d| self.index(d).ok()) {
                self.fail(index, text, why.clone());
            }
            error
        })
    }

    fn compile_source(
        &self,
        source: Source,
        options: &Options,
    ) -> Result<(Vec<u8>, String), String> {
        let made = compiler::compile(&source, options)?;
        let known = OnceLock::new();
        let source = Arc::new(ArgSource { source, options: options.clone(), known });
        *lock(&self.arg_sources) = vec![source];
        Ok((made.bytes, made.log))
    }

    fn fail(&self, index: usize, options: &str, log: String) {
        lock(&self.builds)[index] = DeviceBuild {
            status: CL_BUILD_ERROR,
            options: options.to_owned(),
            log,
            ..DeviceBuild::default()
        };
    }

    fn load(
        &self,
        index: usize,
        options: &str,
        module: Vec<u8>,
        terms: Terms,
        hardware: Option<&Hardware>,
        log: String,
    ) -> Status {
        let constants: Vec<(u32, u64)> =
            lock(&self.constants).iter().map(|(id, value)| (*id, *value)).collect();
        let Terms { numerics, design, .. } = &terms;
        let (numerics, constants) = (*numerics, &constants[..]);
        let input = Input { module: &module, constants, numerics, design, hardware };
        match load(&self.devices[index], &input) {
            Ok((mut executable, more)) => {
                for kernel in &mut executable.kernels {
                    kernel.signature.non_uniform &= !terms.uniform_groups;
                }
                lock(&self.builds)[index] = DeviceBuild {
                    status: CL_BUILD_SUCCESS,
                    options: options.to_owned(),
                    log: log + &more,
                    binary_type: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                    module: Some(Arc::new(module)),
                    terms,
                    executable: Some(Arc::new(executable)),
                    hardware: None,
                };
                Ok(())
            }
            Err(problem) => {
                self.fail(index, options, log + &problem);
                Err(CL_BUILD_PROGRAM_FAILURE)
            }
        }
    }

    /// `clCompileProgram`
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`, `CL_INVALID_COMPILER_OPTIONS`, `CL_COMPILE_PROGRAM_FAILURE`; the log says why.
    pub fn compile(
        &self,
        devices: &[Arc<Device>],
        text: &str,
        headers: Vec<(String, String)>,
    ) -> Status {
        self.check_no_kernels()?;
        if !matches!(self.origin, Origin::Source(_) | Origin::Il(_)) {
            return Err(CL_INVALID_OPERATION);
        }
        let options = self.parse(devices, text, Step::Compile, CL_INVALID_COMPILER_OPTIONS)?;
        let made = match &self.origin {
            Origin::Source(source) => {
                self.compile_source(Source { text: source.clone(), headers }, &options)
            }
            _ => Ok((self.il().to_vec(), String::new())),
        };
        for device in devices {
            let index = self.index(device)?;
            match &made {
                Ok((module, log)) => {
                    lock(&self.builds)[index] = DeviceBuild {
                        status: CL_BUILD_SUCCESS,
                        options: text.to_owned(),
                        log: log.clone(),
                        binary_type: CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                        module: Some(Arc::new(module.clone())),
                        terms: options.terms(),
                        ..DeviceBuild::default()
                    };
                }
                Err(log) => self.fail(index, text, log.clone()),
            }
        }
        made.map(drop).map_err(|_| CL_COMPILE_PROGRAM_FAILURE)
    }

    /// `clLinkProgram`: a program of others, which all have what to link for the devices or all have not.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`, `CL_INVALID_LINKER_OPTIONS`. A program that could not be linked is no error here: its
    /// builds have failed.
    pub fn link(
        context: Arc<Context>,
        devices: Vec<Arc<Device>>,
        text: &str,
        inputs: &[Arc<Program>],
    ) -> Status<(Self, Status)> {
        let options = Options::parse(text, Step::Link).map_err(|_| CL_INVALID_LINKER_OPTIONS)?;
        let mut parts = vec![];
        for device in &devices {
            let builds = inputs.iter().map(|p| p.build_of(device).unwrap_or_default());
            parts.push(builds.collect::<Vec<_>>());
        }
        let linkable = |b: &DeviceBuild| {
            let types = [CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_PROGRAM_BINARY_TYPE_LIBRARY];
            b.module.is_some() && types.contains(&b.binary_type)
        };
        if !parts.iter().flatten().all(linkable) {
            return Err(CL_INVALID_OPERATION);
        }
        let program = Program::new(context, devices, Origin::Linked);
        for input in inputs {
            lock(&program.arg_sources).extend(lock(&input.arg_sources).iter().cloned());
            lock(&program.arg_infos).extend(lock(&input.arg_infos).clone());
        }
        let mut result = Ok(());
        for (index, parts) in parts.iter().enumerate() {
            let modules: Vec<&[u8]> =
                parts.iter().filter_map(|p| p.module.as_ref().map(|m| m.as_slice())).collect();
            let mut terms = options.terms();
            for part in parts {
                terms.add(&part.terms);
            }
            let done = match compiler::link(&modules, options.library) {
                Err(log) => {
                    program.fail(index, text, log);
                    Err(CL_LINK_PROGRAM_FAILURE)
                }
                Ok(made) if options.library => {
                    lock(&program.builds)[index] = DeviceBuild {
                        status: CL_BUILD_SUCCESS,
                        options: text.to_owned(),
                        log: made.log,
                        binary_type: CL_PROGRAM_BINARY_TYPE_LIBRARY,
                        module: Some(Arc::new(made.bytes)),
                        terms,
                        ..DeviceBuild::default()
                    };
                    Ok(())
                }
                Ok(made) => program.load(index, text, made.bytes, terms, None, made.log),
            };
            if done.is_err() {
                result = Err(CL_LINK_PROGRAM_FAILURE);
            }
        }
        Ok((program, result))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let handle = handle_of(self);
        while let Some(callback) = lock(&self.release_callbacks).pop() {
            callback.call(handle);
        }
    }
}
