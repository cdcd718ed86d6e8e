//! `manifest.json`: the description of a built design.

use crate::print::PrintBuffer;
use crate::{AbiError, ArgKind, EnqueueQueue, HiddenSlot, KernelSignature, RegisterMap, layout};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the file in the output directory of a build.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Version of the format; raised by every change that an older reader would misunderstand.
pub const MANIFEST_VERSION: u32 = 1;

/// A built design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`] of the writer.
    pub version: u32,
    /// Name and version of the tool that wrote it.
    pub tool: String,
    /// Name of the module: the input's file name without its ending.
    pub module: String,
    /// The kernels, in the module's order.
    pub kernels: Vec<Kernel>,
    /// Program-scope variables that live in device memory; `None` if there are none.
    pub program_memory: Option<ProgramMemory>,
    /// Source files that the kernels came from, as named in the module's debug information.
    pub sources: Vec<String>,
    /// Streams of two kernels that are one pipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Specialization constants that the design was built with other values of than the module's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spec_constants: Vec<SpecConstant>,
}

/// The value that a specialization constant was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecConstant {
    /// Its SpecId.
    pub id: u32,
    /// Its name in the module; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The value, as text.
    pub value: String,
}

/// A pipe from one kernel to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The end that writes.
    pub writer: LinkEnd,
    /// The end that reads.
    pub reader: LinkEnd,
}

impl Link {
    /// Whether it leads from a kernel to itself.
    pub fn is_of_one_kernel(&self) -> bool {
        self.writer.kernel == self.reader.kernel
    }
}

/// One end of a link: an argument whose [`stream`](crate::Arg::stream) it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEnd {
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the argument.
    pub arg: u32,
}

/// One kernel: what a caller must know, and the hardware.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Name, arguments, work-group limits.
    #[serde(flatten)]
    pub signature: KernelSignature,
    /// Verilog module of the kernel; its file is `rtl/<top>.v`.
    pub top: String,
    /// Board it was built for.
    pub board: String,
    /// Clock target in MHz.
    pub clock_mhz: f64,
    /// Registers of the NDRange.
    pub hidden: Vec<HiddenSlot>,
    /// AXI4 masters.
    pub memory_ports: Vec<MemoryPort>,
    /// Memory accesses of the kernel; ids are what the hardware reports in simulation.
    pub sites: Vec<Site>,
    /// Channels between the kernel's pipelines, for the report of a hang.
    pub channels: Vec<Channel>,
    /// Loops.
    pub loops: Vec<LoopInfo>,
    /// Divisions and square roots, of which each has the smallest form that its place allows.
    #[serde(default)]
    pub divisions: Vec<DivisionInfo>,
    /// What else a user should know of how the kernel was built, for the report.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// An AXI4 master of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPort {
    /// Prefix of its signals: `m_axi_gmem0`.
    pub name: String,
    /// Data width: a power of two from 32 to 1024.
    pub data_bits: u32,
    /// Width of the four id signals.
    pub id_bits: u32,
    /// Low address bits that the kernel's units keep, 13 to 64: memory must lie below 2^n.
    pub address_bits: u32,
}

/// Kind of a memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step.
    Atomic,
    /// An operation on a connected pipe.
    Pipe,
}

/// A memory access in the kernel's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Number by which the hardware names it in simulation.
    pub id: u32,
    /// Kind.
    pub kind: SiteKind,
    /// Port it uses; `None` for memory on the chip.
    pub port: Option<String>,
    /// Place in the source: `file:line:column`; empty if the module has no debug information.
    pub source: String,
    /// Bytes accessed.
    pub bytes: u32,
    /// Index of the argument its pointer comes from; `None` if unknown or a program-scope variable.
    pub argument: Option<u32>,
}

/// A channel between pipelines, or another place where the movement of work-items can be seen.
///
/// The three signals are hierarchical names below the kernel's top module, `u_cu0.u_ch3.m_valid`.
/// Simulation reads them only when nothing has happened on the kernel's ports for long, so a loop
/// that runs for a long time without memory accesses must have at least one channel on its path
/// (its back edge, or the start signal of its pipeline).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Number.
    pub id: u32,
    /// Name for messages: `loop.body -> loop.latch`.
    pub name: String,
    /// Place in the source: `file:line:column`; empty if unknown.
    pub source: String,
    /// Signal that is 1 while the channel has something to give.
    pub valid: Option<String>,
    /// Signal that is 1 while its reader takes what it gives.
    pub ready: Option<String>,
    /// Signal that is 1 while the channel has room for more.
    pub space: Option<String>,
    /// Signal that is 1 while work-items wait at a barrier, in front of the channel, for others of their work-group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<String>,
}

/// A loop as scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopInfo {
    /// Name for messages.
    pub name: String,
    /// Place in the source: `file:line:column`; empty if unknown.
    pub source: String,
    /// `threaded` (work-items interleave) or `pipelined` (iterations of one work-item overlap).
    pub kind: String,
    /// Initiation interval in cycles: from one iteration of a work-item to its next.
    pub ii: u32,
    /// What limits the interval.
    pub reason: String,
    /// Cycles from the start of an iteration to its end.
    pub latency: u32,
}

/// A division or square root as hardware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DivisionInfo {
    /// Name of its unit: `fdiv_f32`, or `fdiv_f32_i27` for a loop of steps.
    pub unit: String,
    /// Place in the source: `file:line:column`; empty if unknown.
    pub source: String,
    /// `pipeline` or `loop of steps`.
    pub form: String,
    /// Cycles from one operand to the next.
    pub interval: u32,
    /// Cycles from operands to result.
    pub latency: u32,
    /// Why it has this form.
    pub reason: String,
}

/// Program-scope variables in device memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramMemory {
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Initial contents, hexadecimal in the file; what lies behind them, `size` bytes in all, is zero. `None` for all zeros.
    #[serde(with = "crate::hex", default)]
    pub init: Option<Vec<u8>>,
    /// Pointers in the contents, to be written when the memory's address is known.
    #[serde(default)]
    pub relocations: Vec<Relocation>,
    /// The buffer of `printf`, where kernels have one.
    #[serde(default)]
    pub prints: Option<PrintBuffer>,
    /// The queue on the device, where kernels use one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enqueue: Option<EnqueueQueue>,
}

/// A pointer to a program-scope variable in the initial contents of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Where the pointer stands, in bytes from the start of the program memory.
    pub offset: u64,
    /// What it points to, in bytes from the start of the program memory.
    pub target: u64,
    /// Bytes of the pointer: 4 or 8, little endian.
    pub size: u32,
}

impl ProgramMemory {
    /// The contents to load when the memory stands at device address `base`.
    pub fn contents(&self, base: u64) -> Vec<u8> {
        let size = usize::try_from(self.size).unwrap_or(0);
        let mut bytes = self.init.clone().unwrap_or_default();
        bytes.resize(size, 0);
        for r in &self.relocations {
            let pointer = base.wrapping_add(r.target).to_le_bytes();
            let at = usize::try_from(r.offset).unwrap_or(usize::MAX);
            let width = (r.size as usize).min(pointer.len());
            if let Some(place) = at.checked_add(width).and_then(|end| bytes.get_mut(at..end)) {
                place.copy_from_slice(&pointer[..width]);
            }
        }
        bytes
    }
}

impl Manifest {
    /// Reads and verifies `manifest.json` in a build's output directory.
    ///
    /// # Errors
    /// If the file cannot be read, is not a manifest of this version, or contradicts itself.
    pub fn read(dir: &Path) -> Result<Self, AbiError> {
        let path = dir.join(MANIFEST_FILE);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| AbiError::Io { path: path.clone(), source })?;
        Self::parse(&text, &path)
    }

    /// Parses and verifies the text of a manifest.
    ///
    /// # Errors
    /// As [`Manifest::read`]; `path` is used in messages only.
    pub fn parse(text: &str, path: &Path) -> Result<Self, AbiError> {
        let json = |source| AbiError::Json { path: path.to_owned(), source };
        // The version first: another version may not have the same fields.
        #[derive(Deserialize)]
        struct Header {
            version: u32,
        }
        let header: Header = serde_json::from_str(text).map_err(json)?;
        if header.version != MANIFEST_VERSION {
            return Err(AbiError::Version { found: header.version, expected: MANIFEST_VERSION });
        }
        let manifest: Self = serde_json::from_str(text).map_err(json)?;
        manifest.verify()?;
        Ok(manifest)
    }

    /// The text of `manifest.json`, ending with a newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .expect("a manifest has string keys and finite numbers only");
        text.push('\n');
        text
    }

    /// The kernel with this name.
    ///
    /// # Errors
    /// [`AbiError::NoKernel`], which lists the kernels there are.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, AbiError> {
        self.kernels.iter().find(|kernel| kernel.signature.name == name).ok_or_else(|| {
            AbiError::NoKernel {
                name: name.to_owned(),
                available: self
                    .kernels
                    .iter()
                    .map(|kernel| kernel.signature.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        })
    }
}

impl Kernel {
    /// Lays out the kernel's registers: sets `size` of pointers, `offset` of the arguments, and `hidden`.
    ///
    /// # Errors
    /// As [`layout`].
    pub fn lay_out(&mut self, program_memory: bool) -> Result<RegisterMap, AbiError> {
        for arg in &mut self.signature.args {
            match arg.kind {
                ArgKind::GlobalPtr | ArgKind::ConstantPtr => arg.size = 8,
                ArgKind::LocalPtr => arg.size = 0,
                _ => {}
            }
        }
        let map = layout(&self.signature.name, &self.signature.args, program_memory)?;
        for (arg, &offset) in self.signature.args.iter_mut().zip(&map.args) {
            arg.offset = offset;
        }
        self.hidden.clone_from(&map.hidden);
        Ok(map)
    }
}
