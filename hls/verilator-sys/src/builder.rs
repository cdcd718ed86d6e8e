//! From Verilog to a library, through Verilator and a C++ compiler.

use crate::cache::{Key, default_cache_dir, entry};
use crate::program::cpp_files;
use crate::simtop::{shape_header, simtop};
use crate::toolchain::{Toolchain, run};
use crate::{Design, Error};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How a model is built.
#[derive(Debug, Clone, Default)]
pub struct BuildOptions {
    /// With the code that writes waveforms; halves the speed even while none are written.
    pub trace: bool,
    /// Registers start with random contents instead of zeros: finds state that reset forgot.
    pub random_state: bool,
    /// Where built models are kept; `None`: [`default_cache_dir`].
    pub cache_dir: Option<PathBuf>,
}

/// A built model.
#[derive(Debug, Clone)]
pub struct Built {
    /// The shared library.
    pub library: PathBuf,
    /// Whether it was there already.
    pub cached: bool,
    /// Whether it can write waveforms.
    pub trace: bool,
    /// Time that building took.
    pub time: Duration,
}

/// Part of every key: raised when the way of building changes.
const BUILD_VERSION: &str = "2";

/// Files of the shim. The first two do not depend on the design and are compiled once a toolchain.
const SHIM: [(&str, &str); 8] = [
    ("clhls_sim.cpp", include_str!("../shim/clhls_sim.cpp")),
    ("clhls_axi_port.cpp", include_str!("../shim/clhls_axi_port.cpp")),
    ("clhls_model.cpp", include_str!("../shim/clhls_model.cpp")),
    ("clhls_sim.h", include_str!("../shim/clhls_sim.h")),
    ("clhls_axi_port.h", include_str!("../shim/clhls_axi_port.h")),
    ("clhls_model.h", include_str!("../shim/clhls_model.h")),
    ("clhls_stream_port.h", include_str!("../shim/clhls_stream_port.h")),
    ("clhls_print.h", include_str!("../shim/clhls_print.h")),
];
/// Part of models that are built for profiling only.
const SHIM_PROFILE: (&str, &str) = ("clhls_profile.cpp", include_str!("../shim/clhls_profile.cpp"));
const SHIM_FIXED: [&str; 2] = ["clhls_sim.cpp", "clhls_axi_port.cpp"];

/// Verilator's own sources that a model needs.
const RUNTIME: [&str; 3] = ["verilated.cpp", "verilated_dpi.cpp", "verilated_threads.cpp"];
/// The one it needs for waveforms.
const RUNTIME_TRACE: &str = "verilated_fst_c.cpp";

const VERILATOR_FLAGS: [&str; 17] = [
    "--cc",
    "--top-module",
    "clhls_simtop",
    "--prefix",
    "Vsimtop",
    "--Mdir",
    "obj",
    "-O3",
    "--x-assign",
    "fast",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "+define+CLHLS_CHECK_ACCESS=1",
    "-y",
    "lib",
];

const COMPILER_FLAGS: [&str; 9] = [
    "-std=gnu++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TRACE_VCD=0",
    "-DVL_USER_FATAL",
];

/// Optimisation of code that runs every cycle, and of code that runs once.
const FAST: &str = "-O2";
const SLOW: &str = "-O0";

/// Up to this many bytes of C++ are compiled as one file, as reading Verilator's headers takes as long as optimising some 300 kB,
/// or as compiling some 10 MB without optimisation. Several files keep several processors busy.
const FAST_FILE_BYTES: u64 = 800_000;
const SLOW_FILE_BYTES: u64 = 16_000_000;

/// If `quick`, code that runs every cycle is not optimised: for launches of a few thousand cycles. The two models of test kernel
/// `aes_round`: 30 s of processor time against 62 s.
const QUICK_VARIABLE: &str = "CLHLS_SIM_MODEL";

/// The compiler's option for code that runs every cycle.
fn optimisation() -> &'static str {
    let quick = std::env::var_os(QUICK_VARIABLE).is_some_and(|text| text == "quick");
    if quick { SLOW } else { FAST }
}

/// Builds the model of a design, or finds it built already.
///
/// # Errors
/// [`Error::MissingTool`]; [`Error::Tool`] with the messages of Verilator or the compiler;
/// [`Error::Design`] for a shape that cannot be simulated. Nothing is left behind then.
pub fn build(design: &Design, options: &BuildOptions) -> Result<Built, Error> {
    let start = Instant::now();
    design.verify()?;
    let toolchain = Toolchain::detect()?;
    let root = match &options.cache_dir {
        Some(dir) => dir.clone(),
        None => default_cache_dir()?,
    };
    let builder = Builder { design, options, toolchain: &toolchain };
    let runtime = builder.runtime(&root)?;
    let name = format!("model-{}", builder.model_key());
    let (dir, cached) = entry(&root, &name, |dir| builder.build_model(dir, &runtime))?;
    Ok(Built { library: dir.join(LIBRARY), cached, trace: options.trace, time: start.elapsed() })
}

const LIBRARY: &str = "libmodel.so";

struct Builder<'a> {
    design: &'a Design,
    options: &'a BuildOptions,
    toolchain: &'a Toolchain,
}

/// One call of the compiler.
struct Job {
    source: PathBuf,
    object: PathBuf,
    optimisation: &'static str,
}

impl Builder<'_> {
    fn toolchain_key(&self, kind: &str) -> Key {
        let mut key = Key::new(kind);
        key.add(BUILD_VERSION)
            .add(&self.toolchain.verilator_version)
            .add(&self.toolchain.verilator_root.to_string_lossy())
            .add(&self.toolchain.compiler.to_string_lossy())
            .add(&self.toolchain.compiler_version);
        for flag in self.compiler_flags() {
            key.add(&flag);
        }
        for (name, text) in SHIM {
            key.add(name).add(text);
        }
        key
    }

    fn model_key(&self) -> String {
        let mut key = self.toolchain_key("model");
        for flag in self.verilator_flags() {
            key.add(flag);
        }
        key.add(optimisation());
        key.add(&simtop(self.design));
        if self.design.profile {
            key.add(SHIM_PROFILE.0).add(SHIM_PROFILE.1);
        }
        key.add(&shape_header(self.design, self.options.random_state));
        let mut sources: Vec<_> = self.design.sources.iter().collect();
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        for source in sources {
            key.add(&source.name).add(&source.text).add(if source.library { "l" } else { "k" });
        }
        key.finish()
    }

    fn verilator_flags(&self) -> Vec<&'static str> {
        let mut flags = VERILATOR_FLAGS.to_vec();
        flags.extend(["--x-initial", if self.options.random_state { "unique" } else { "fast" }]);
        if self.options.trace {
            flags.extend(["--trace-fst", "--trace-structs"]);
        }
        if self.design.profile {
            flags.push("+define+CLHLS_PROFILE=1");
        }
        flags
    }

    fn compiler_flags(&self) -> Vec<String> {
        let include = self.toolchain.verilator_root.join("include");
        let trace = u8::from(self.options.trace);
        let mut flags: Vec<String> = COMPILER_FLAGS.map(str::to_owned).to_vec();
        flags.push(format!("-DVM_TRACE={trace}"));
        flags.push(format!("-DVM_TRACE_FST={trace}"));
        flags.push(format!("-I{}", include.display()));
        flags.push(format!("-I{}", include.join("vltstd").display()));
        if !self.toolchain.compiler_version.contains("clang") {
            // Or several models in one process would share variables.
            flags.push("-fno-gnu-unique".into());
        }
        flags
    }

    fn write_shim(&self, dir: &Path) -> Result<(), Error> {
        for (name, text) in SHIM {
            write(&dir.join(name), text)?;
        }
        Ok(())
    }

    /// The objects that do not depend on the design.
    fn runtime(&self, root: &Path) -> Result<PathBuf, Error> {
        let name = format!("runtime-{}", self.toolchain_key("runtime").finish());
        let (dir, _) = entry(root, &name, |dir| {
            self.write_shim(dir)?;
            let include = self.toolchain.verilator_root.join("include");
            let verilator = RUNTIME
                .into_iter()
                .chain(self.options.trace.then_some(RUNTIME_TRACE))
                .map(|name| include.join(name));
            let shim = SHIM_FIXED.into_iter().map(|name| dir.join(name));
            let jobs: Vec<Job> = verilator
                .chain(shim)
                .map(|source| {
                    let object = dir.join(source.file_stem().unwrap_or_default());
                    Job { source, object: object.with_extension("o"), optimisation: FAST }
                })
                .collect();
            self.compile(dir, &jobs)
        })?;
        Ok(dir)
    }

    fn build_model(&self, dir: &Path, runtime: &Path) -> Result<(), Error> {
        self.verilate(dir)?;
        let objects = self.compile_model(dir)?;
        self.link(dir, runtime, &objects)?;
        // What the library was made from is not needed any more; it would fill the cache.
        for name in ["obj", "lib"] {
            let path = dir.join(name);
            if path.is_dir() {
                std::fs::remove_dir_all(&path).map_err(Error::io(path))?;
            }
        }
        Ok(())
    }

    fn verilate(&self, dir: &Path) -> Result<(), Error> {
        let lib = dir.join("lib");
        std::fs::create_dir(&lib).map_err(Error::io(&lib))?;
        let mut files = vec!["simtop.sv".to_owned()];
        write(&dir.join("simtop.sv"), &simtop(self.design))?;
        for source in &self.design.sources {
            if source.library {
                write(&lib.join(&source.name), &source.text)?;
            } else {
                write(&dir.join(&source.name), &source.text)?;
                files.push(source.name.clone());
            }
        }
        let mut command = Command::new(&self.toolchain.verilator);
        command.current_dir(dir).args(self.verilator_flags()).args(&files);
        run(&mut command, None).map(drop)
    }

    /// Compiles what Verilator wrote and the shim's model-dependent file.
    fn compile_model(&self, dir: &Path) -> Result<Vec<PathBuf>, Error> {
        self.write_shim(dir)?;
        write(&dir.join("clhls_shape.h"), &shape_header(self.design, self.options.random_state))?;
        let obj = dir.join("obj");
        let mut fast = vec![dir.join("clhls_model.cpp")];
        if self.design.profile {
            let (name, text) = SHIM_PROFILE;
            write(&dir.join(name), text)?;
            fast.push(dir.join(name));
        }
        let mut slow = Vec::new();
        for path in cpp_files(&obj)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let once = name.contains("__Slow") || name.contains("__Syms") || name.contains("__Dpi");
            if once { slow.push(path) } else { fast.push(path) }
        }
        let optimisation = optimisation();
        if optimisation == SLOW {
            slow.append(&mut fast);
        }
        let mut jobs = Vec::new();
        let kinds =
            [("fast", fast, optimisation, FAST_FILE_BYTES), ("slow", slow, SLOW, SLOW_FILE_BYTES)];
        for (name, files, optimisation, bytes) in kinds {
            for (index, source) in merge(&obj, name, files, bytes)?.into_iter().enumerate() {
                let object = dir.join(format!("{name}{index}.o"));
                jobs.push(Job { source, object, optimisation });
            }
        }
        self.compile(dir, &jobs)?;
        Ok(jobs.into_iter().map(|job| job.object).collect())
    }

    /// Runs the compiler on all jobs, as many at a time as the machine has processors.
    fn compile(&self, dir: &Path, jobs: &[Job]) -> Result<(), Error> {
        let flags = self.compiler_flags();
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        let worker = || {
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut command = Command::new(&self.toolchain.compiler);
                command.current_dir(dir).args(&flags).arg(job.optimisation);
                command.arg("-include").arg(dir.join("clhls_print.h"));
                command.arg("-I").arg(dir).arg("-I").arg(dir.join("obj"));
                command.arg("-c").arg(&job.source).arg("-o").arg(&job.object);
                let name = job.source.file_name().map(|name| name.to_string_lossy());
                if let Err(error) = run(&mut command, name.as_deref()) {
                    failure.lock().expect("no worker panics").get_or_insert(error);
                    next.store(jobs.len(), Ordering::Relaxed);
                }
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(worker);
            }
        });
        match failure.into_inner().expect("no worker panics") {
            Some(error) => Err(explain_compiler(error)),
            None => Ok(()),
        }
    }

    fn link(&self, dir: &Path, runtime: &Path, objects: &[PathBuf]) -> Result<(), Error> {
        let mut command = Command::new(&self.toolchain.compiler);
        command.current_dir(dir).args(["-shared", "-Wl,-Bsymbolic", "-o", LIBRARY]);
        command.args(objects);
        if self.design.profile {
            command.arg("-Wl,--wrap=clhls_check_access");
        }
        let shim = SHIM_FIXED.into_iter();
        let fixed = RUNTIME.into_iter().chain(self.options.trace.then_some(RUNTIME_TRACE));
        for name in fixed.chain(shim) {
            command.arg(runtime.join(name).with_extension("o"));
        }
        command.arg("-lpthread");
        if self.options.trace {
            command.arg("-lz");
        }
        run(&mut command, Some(LIBRARY)).map_err(explain_compiler)?;
        for object in objects {
            std::fs::remove_file(object).map_err(Error::io(object))?;
        }
        Ok(())
    }
}

/// Waveforms need zlib, which may be missing where the rest is there.
fn explain_compiler(error: Error) -> Error {
    match &error {
        Error::Tool { output, .. } if output.contains("zlib.h") || output.contains("-lz") => {
            Error::MissingTool { tool: "zlib (for waveforms)", package: "zlib1g-dev" }
        }
        _ => error,
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::io(path))
}

/// Files that include the given ones, in their order, up to so many bytes each.
fn merge(dir: &Path, name: &str, files: Vec<PathBuf>, bytes: u64) -> Result<Vec<PathBuf>, Error> {
    let mut merged = Vec::new();
    let mut text = String::new();
    let mut size = 0;
    let mut flush = |text: &mut String| {
        let path = dir.join(format!("all_{name}{}.cc", merged.len()));
        write(&path, text)?;
        text.clear();
        merged.push(path);
        Ok::<_, Error>(())
    };
    for file in files {
        let add = std::fs::metadata(&file).map_err(Error::io(&file))?.len();
        if size + add > bytes && !text.is_empty() {
            flush(&mut text)?;
            size = 0;
        }
        text.push_str(&format!("#include \"{}\"\n", file.display()));
        size += add;
    }
    if !text.is_empty() {
        flush(&mut text)?;
    }
    Ok(merged)
}
