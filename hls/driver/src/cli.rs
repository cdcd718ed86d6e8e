//! The command line: what can be asked. One file per subcommand does it.

use crate::beside::Beside;
use crate::connect::Connection;
use crate::pipeline::{DEBUG, DENORMS_ARE_ZERO, Numerics};
use crate::spec::SpecValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use spirv_to_ir::FixedFormat;
use std::path::PathBuf;

/// OpenCL kernels to pipelined Verilog accelerators.
#[derive(Parser, Debug)]
#[command(name = "clhls", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// No progress messages.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  clhls build vadd.cl --board u250 -o build/vadd      Verilog, package, host code
  clhls build vadd.spv --emit opt                     the optimised IR, as text
  clhls run vadd.cl --kernel vadd --global 1024 --arg a=rand:f32[1024]:1 --arg b=@b.npy \\
            --arg c=zeros:f32[1024] --arg n=1024 --out c=c.npy
  clhls run build/vadd --kernel vadd --global 1024 ...   the built hardware, simulated
  clhls report build/vadd

Exit codes: 0 done, 1 error in the input or while running, 2 wrong usage, 101 defect of clhls.";

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile kernels for a board.
    Build(Box<BuildArgs>),
    /// Run a kernel in the interpreter or in simulated hardware.
    Run(Box<RunArgs>),
    /// Simulate built hardware for a host program: requests on standard input, replies on standard output.
    Serve(ServeArgs),
    /// Show what a build made: loops and their intervals, ports, memory accesses.
    Report(ReportArgs),
    /// List the boards that can be built for.
    Boards(BoardsArgs),
    /// List the SPIR-V capabilities, extensions and instructions that are understood.
    Support,
    /// Check that a module can be compiled, without compiling it.
    Check(CheckArgs),
    /// Print the completion script of a shell.
    #[command(after_help = "\
Examples:
  clhls completions bash > ~/.local/share/bash-completion/completions/clhls
  clhls completions fish > ~/.config/fish/completions/clhls.fish
  clhls completions zsh  > a folder of $fpath, as _clhls")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

const CL_STD: [&str; 5] = ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"];

/// Compilers of OpenCL C to SPIR-V (docs/producers.md).
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    /// clang-15 and llvm-spirv-15: messages and reports have source lines and types of arguments.
    #[value(name = "clang-15")]
    Clang15,
    /// clang-22's own SPIR-V back end: no source lines.
    #[value(name = "clang-22")]
    Clang22,
}

/// Where kernels come from.
#[derive(Args, Debug, Clone)]
pub struct InputArgs {
    /// SPIR-V module (.spv), its assembly (.spvasm), OpenCL C (.cl) or IR text (.clir); for `run`
    /// also the output directory of a build.
    pub input: PathBuf,
    /// OpenCL C version of a .cl file [default: CL1.2; CL2.0 where that has variables at program scope that are not constant].
    #[arg(long, value_name = "STD", value_parser = CL_STD)]
    pub cl_std: Option<String>,
    /// Compiler of a .cl file [default: clang-15 where it is installed, else clang-22].
    #[arg(long, value_enum)]
    pub compiler: Option<Compiler>,
    /// Option for the compiler of a .cl file, such as -DN=16; may be repeated.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub clang: Vec<String>,
    /// Let arithmetic in single and double precision take subnormal numbers for zeros
    /// (-cl-denorms-are-zero): smaller hardware.
    #[arg(long)]
    pub denorms_are_zero: bool,
    /// Give divisions and functions in single precision the wider bounds of
    /// -cl-unsafe-math-optimizations: smaller hardware.
    #[arg(long)]
    pub unsafe_math: bool,
    /// Work-items of a sub-group: 8, 16 (the default) or 32.
    #[arg(long, value_name = "N")]
    pub sub_group_size: Option<u32>,
    /// Make a pipe a FIFO instead of an object in memory: WRITER.ARG=READER.ARG[:DEPTH] goes from kernel to kernel,
    /// KERNEL.ARG=stream[:NAME][:DEPTH] is an AXI4-Stream of the kernel, called NAME or axis_ARG; may be repeated (docs/pipes.md).
    #[arg(long = "connect", value_name = "KERNEL.ARG=END", value_parser = Connection::parse)]
    pub connections: Vec<Connection>,
    /// Build for images of one format only, which makes the hardware much smaller: ORDER:TYPE as in launch files, such as
    /// rgba:unorm8; may be repeated (docs/images.md).
    #[arg(long = "image-format", value_name = "KERNEL.ARG=FORMAT", value_parser = crate::image_format::parse)]
    pub formats: Vec<FixedFormat>,
    /// Value of a specialization constant of the module, by its SpecId or its name; may be repeated (docs/design-file.md).
    #[arg(long = "spec-constant", value_name = "ID=VALUE", value_parser = SpecValue::parse)]
    pub spec_constants: Vec<SpecValue>,
    /// File with options of the design: board, kernels, connections and so on (docs/design-file.md). Options of the
    /// command line are added to those of the file, or go before them.
    #[arg(long, value_name = "FILE.toml")]
    pub design: Option<PathBuf>,
}

impl InputArgs {
    /// What its options say of numbers, whether they are those of clhls or of OpenCL C.
    pub(crate) fn numerics(&self) -> Numerics {
        let clang = Numerics::of_options(self.clang.iter().map(String::as_str));
        Numerics {
            denorms_are_zero: self.denorms_are_zero || clang.denorms_are_zero,
            unsafe_math: self.unsafe_math || clang.unsafe_math,
            ..clang
        }
    }

    /// The OpenCL C version.
    pub(crate) fn std(&self) -> &str {
        self.cl_std.as_deref().unwrap_or("CL1.2")
    }

    /// The options that the compiler of OpenCL C is given.
    pub(crate) fn for_clang(&self) -> impl Iterator<Item = &String> {
        self.clang.iter().filter(|o| ![DENORMS_ARE_ZERO, DEBUG].contains(&o.as_str()))
    }
}

/// How kernels are compiled.
#[derive(Args, Debug, Clone)]
pub struct CompileArgs {
    /// Board (see `clhls boards`).
    #[arg(long)]
    pub board: Option<String>,
    /// Folder with further boards, or with one board.
    #[arg(long, value_name = "DIR")]
    pub board_dir: Option<PathBuf>,
    /// Clock target in MHz [default: the board's].
    #[arg(long, value_name = "MHZ", allow_negative_numbers = true)]
    pub clock: Option<f64>,
    /// Optimisation level: 0 only what hardware needs, 1 without trading area for speed, 2 all.
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = LEVEL, value_parser = clap::value_parser!(u8).range(0..=2))]
    pub level: u8,
    /// Work-items that go through the datapath side by side: 1, 2, 4, 8 or 16. [default: as many as fill the memory port,
    /// for kernels that nothing else limits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub simd: Option<u32>,
    /// Copies of the datapath, which share the work-groups: 1 to 16, or `auto`: as many as memory and the device carry, for
    /// kernels that compute longer than they wait for memory. [default: auto to build, 1 to run]
    #[arg(long, value_name = "N", value_parser = ComputeUnits::parse)]
    pub compute_units: Option<ComputeUnits>,
    /// Most memory ports: arguments are spread over them, port n at the board's memory bank n.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub memory_ports: u32,
    /// Bytes of the cache of each place that reads a read-only image; 0: no caches. [default: 512 words of the bus]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..=MOST_CACHE_BYTES))]
    pub image_cache: Option<u64>,
    /// Capacity in bytes of each local-memory argument.
    #[arg(long, value_name = "BYTES", default_value_t = LOCAL_BYTES, value_parser = clap::value_parser!(u64).range(1..=MOST_LOCAL_BYTES))]
    pub local_bytes: u64,
    /// How segments are scheduled.
    #[arg(long, value_enum, default_value_t = Scheduler::Sdc)]
    pub scheduler: Scheduler,
    /// Leave out this pass of the optimiser, to see what it is for (docs/passes.md); may be repeated.
    #[arg(long = "without-pass", value_name = "PASS")]
    pub without_passes: Vec<String>,
    /// Write the program after every pass and step into this directory.
    #[arg(long, value_name = "DIR")]
    pub dump_dir: Option<PathBuf>,
}

impl CompileArgs {
    /// The options that differ from their defaults.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let given = [
            ("--board", self.board.is_some()),
            ("--board-dir", self.board_dir.is_some()),
            ("--clock", self.clock.is_some()),
            ("-O", self.level != LEVEL),
            ("--simd", self.simd.is_some()),
            ("--compute-units", self.compute_units.is_some()),
            ("--memory-ports", self.memory_ports != 1),
            ("--image-cache", self.image_cache.is_some()),
            ("--local-bytes", self.local_bytes != LOCAL_BYTES),
            ("--scheduler", self.scheduler != Scheduler::Sdc),
            ("--without-pass", !self.without_passes.is_empty()),
            ("--dump-dir", self.dump_dir.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }
}

/// Value of `--compute-units`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComputeUnits {
    /// As many as pay.
    Auto,
    /// So many.
    Number(u32),
}

impl ComputeUnits {
    fn parse(text: &str) -> Result<ComputeUnits, String> {
        let most = schedule_to_rtl::MOST_COMPUTE_UNITS;
        match text.parse() {
            _ if text == "auto" => Ok(ComputeUnits::Auto),
            Ok(n) if (1..=most).contains(&n) => Ok(ComputeUnits::Number(n)),
            _ => Err(format!("1 to {most} or `auto`")),
        }
    }

    /// The number, unless it is to be chosen.
    pub(crate) fn number(self) -> Option<u32> {
        match self {
            ComputeUnits::Auto => None,
            ComputeUnits::Number(n) => Some(n),
        }
    }
}

/// Default of `-O`.
const LEVEL: u8 = 2;
/// Default of `--local-bytes`.
const LOCAL_BYTES: u64 = 16384;
/// More on-chip memory than any FPGA has.
const MOST_LOCAL_BYTES: u64 = 1 << 26;
/// Bytes of the cache of a read.
const MOST_CACHE_BYTES: u64 = 1 << 22;

/// Schedulers of straight-line regions.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheduler {
    /// Each operation as soon as it can.
    Asap,
    /// Fewest registers at the intervals and latencies of asap or better.
    Sdc,
    /// Any legal schedule; for tests.
    Random,
}

/// Stages that can be printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// IR as read.
    Ir,
    /// IR after optimisation.
    Opt,
    /// Schedule.
    Schedule,
    /// Registers, nets and instances, as text.
    Rtl,
    /// Verilog.
    Verilog,
    /// Names and sizes of the files that would be written.
    Package,
}

/// `clhls build`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  clhls build conv.cl --board u250 -o build/conv --clang=-DK=3
  clhls build conv.cl --board u250 --simd 8 --compute-units 2 --memory-ports 4
  clhls build conv.spv --board ulx3s --clock 80 --kernel blur
  clhls build conv.spv --emit schedule --board unit
  clhls build conv.clir --board unit --dump-dir dump")]
pub struct BuildArgs {
    /// The kernels.
    #[command(flatten)]
    pub input: InputArgs,
    /// Output directory; replaced as a whole when the build succeeds, untouched when it fails. With
    /// --emit: the file to write [default: standard output].
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Kernel to build; may be repeated [default: all].
    #[arg(long, value_name = "NAME")]
    pub kernel: Vec<String>,
    /// Stop at this stage and print it.
    #[arg(long, value_enum, value_name = "STAGE")]
    pub emit: Option<Stage>,
    /// Vitis platform: name or .xpfm file [default: the board's].
    #[arg(long)]
    pub platform: Option<String>,
    /// How.
    #[command(flatten)]
    pub compile: CompileArgs,
}

/// Devices that run kernels.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceKind {
    /// The interpreter of the IR: checks every access.
    Emu,
    /// Native code of this processor: fast, and checks no access.
    Native,
    /// The generated hardware in Verilator.
    Sim,
}

/// `clhls run`
#[derive(Args, Debug)]
#[command(after_help = "\
Values of arguments (docs/launches.md):
  @a.npy                  a buffer from a NumPy file
  zeros:f32[1024]         a buffer of zeros; also fill:i32[8,8]:-1, iota:i32[64] and
                          data:i32[3]:1,2,3
  rand:f32[1024]:SEED     a buffer of random numbers; also rand:i32[64]:SEED:LO..HI
  3, -1.5, 0xff, inf      a scalar; 1,2,3,4 is a vector
  bytes:HEX               a struct, or a buffer of bytes
  local:BYTES             local memory

Examples:
  clhls run vadd.cl --kernel vadd --global 1024 --arg a=rand:f32[1024]:1 --arg b=rand:f32[1024]:2 \\
        --arg c=zeros:f32[1024] --arg n=1024 --out c=c.npy
  clhls run build/vadd --kernel vadd --global 1024 ... --mem-latency 200 --stall-rate 0.3
  clhls run vadd.cl --device sim --board u250 --simd 8 --kernel vadd ... --trace vadd.fst --json
  clhls run chain.cl --device sim --connect source.out=sink.in --kernel sink --global 1 --arg out=zeros:i32[64] \\
        --beside 'source global=1 in=iota:i32[64]'")]
pub struct RunArgs {
    /// The kernels.
    #[command(flatten)]
    pub input: InputArgs,
    /// Kernel to run [default: the only one].
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Work-items in each dimension.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub global: Sizes,
    /// Work-items of a work-group.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub local: Option<Sizes>,
    /// First global id.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = sizes, allow_negative_numbers = true)]
    pub offset: Option<Sizes>,
    /// Value of an argument; NAME is its name or number.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    pub args: Vec<(String, String)>,
    /// Run another kernel at the same time, which pipes connect with this one: its name, global=X[,Y[,Z]], local=.. if need be,
    /// and NAME=VALUE for its arguments, separated by blanks; may be repeated.
    #[arg(long, value_name = "KERNEL global=N NAME=VALUE..", value_parser = Beside::parse)]
    pub beside: Vec<Beside>,
    /// Where to run [default: sim for a build directory, else emu].
    #[arg(long, value_enum)]
    pub device: Option<DeviceKind>,
    /// Write a buffer, an image or the packets of a pipe after the run: as a NumPy file, or, if these are bytes of shape
    /// [height, width] or [height, width, channels], as a picture; NAME is the argument's name or number, with `.1` and so on
    /// behind it a mip level, with `KERNEL.` before it an argument of a kernel beside; may be repeated.
    #[arg(long = "out", value_name = "NAME=FILE.npy|.png", value_parser = pair)]
    pub outputs: Vec<(String, String)>,
    /// Print the hardware's counters and the loops, and write what was measured into the build's report (sim).
    #[arg(long)]
    pub profile: bool,
    /// Write the report with what was measured into this directory instead (sim).
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write waveforms (sim).
    #[arg(long, value_name = "FILE.fst")]
    pub trace: Option<PathBuf>,
    /// Seed: of the order of work-items (emu; without it, in order), of memory's behaviour (sim).
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Cycles from a request to its answer (sim) [default: 100].
    #[arg(long, value_name = "N")]
    pub mem_latency: Option<u32>,
    /// Probability that a memory channel pauses in a cycle (sim) [default: 0].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub stall_rate: Option<f64>,
    /// Registers and memories on chip start with random contents, by the seed: finds what depends on state that no reset defines (sim).
    #[arg(long)]
    pub random_state: bool,
    /// Stop after this many instructions (emu).
    #[arg(long, value_name = "N")]
    pub step_limit: Option<u64>,
    /// End the run with an error when so many operations on pipes were refused, one after the other, and nothing else was done;
    /// 0: never. [default: 100000]
    #[arg(long, value_name = "N")]
    pub poll_limit: Option<u64>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// How, when hardware must be made first.
    #[command(flatten)]
    pub compile: CompileArgs,
}

/// `clhls serve`
#[derive(Args, Debug)]
#[command(after_help = "\
The host programs that `clhls build` writes start this themselves (docs/host-library.md). To give it options let CLHLS
name a script such as

  #!/bin/sh
  shift; exec clhls serve --trace run.fst \"$@\"")]
pub struct ServeArgs {
    /// Output directory of a build.
    pub dir: PathBuf,
    /// Be the device process of XRT's hardware emulation, which has started this command.
    #[arg(long)]
    pub xrt: bool,
    /// Write waveforms.
    #[arg(long, value_name = "FILE.fst")]
    pub trace: Option<PathBuf>,
    /// Seed of memory's behaviour.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Cycles from a request to its answer [default: 100].
    #[arg(long, value_name = "N")]
    pub mem_latency: Option<u32>,
    /// Probability that a memory channel pauses in a cycle [default: 0].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub stall_rate: Option<f64>,
    /// End a run with an error when so many operations on pipes were refused, one after the other, and nothing else was done;
    /// 0: never. [default: 100000]
    #[arg(long, value_name = "N")]
    pub poll_limit: Option<u64>,
}

/// `clhls report`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  clhls report build/vadd
  clhls report build/vadd --json | jq '.kernels[].loops'

report.html in the directory shows the same in a browser, report.json is for programs.")]
pub struct ReportArgs {
    /// Output directory of a build.
    pub dir: PathBuf,
    /// Print the manifest as JSON.
    #[arg(long)]
    pub json: bool,
}

/// `clhls boards`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  clhls boards
  clhls boards --board-dir my-boards      docs/boards.md says how to add one")]
pub struct BoardsArgs {
    /// Folder with further boards, or with one board.
    #[arg(long, value_name = "DIR")]
    pub board_dir: Option<PathBuf>,
}

/// `clhls check`
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  clhls check vadd.spv
  clhls check vadd.cl --cl-std CL2.0 --clang=-DN=16")]
pub struct CheckArgs {
    /// The kernels.
    #[command(flatten)]
    pub input: InputArgs,
}

/// Numbers of work-items in the dimensions of an index space, the first one first.
#[derive(Clone, Debug)]
pub struct Sizes(pub Vec<u64>);

pub(crate) fn sizes(text: &str) -> Result<Sizes, String> {
    let numbers: Option<Vec<u64>> = text.split(',').map(|n| n.parse().ok()).collect();
    let numbers = numbers.ok_or("expected one to three numbers, such as 1024 or 64,48")?;
    match numbers.len() {
        1..=3 => Ok(Sizes(numbers)),
        n => Err(format!("{n} dimensions: 1 to 3 are possible")),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
