//! The register layout of a kernel's arguments.
//!
//! It is the layout of AMD's HLS tools: from [`regs::ARGS`] on, each argument takes as many 32-bit
//! words as it needs and one reserved word. Hosts may write the reserved words (XRT does).

use crate::{AbiError, Arg, ArgKind, regs};
use serde::{Deserialize, Serialize};

/// Arguments that the host runtime adds to the kernel's own: the NDRange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HiddenArg {
    /// Number of dimensions, 1 to 3.
    WorkDim,
    /// Work-items in dimension 0.
    GlobalSizeX,
    /// Work-items in dimension 1; 1 if unused.
    GlobalSizeY,
    /// Work-items in dimension 2; 1 if unused.
    GlobalSizeZ,
    /// Work-items of a work-group in dimension 0.
    LocalSizeX,
    /// Work-items of a work-group in dimension 1; 1 if unused.
    LocalSizeY,
    /// Work-items of a work-group in dimension 2; 1 if unused.
    LocalSizeZ,
    /// Work-groups in dimension 0: global size / local size, rounded up.
    NumGroupsX,
    /// Work-groups in dimension 1.
    NumGroupsY,
    /// Work-groups in dimension 2.
    NumGroupsZ,
    /// First global id in dimension 0.
    GlobalOffsetX,
    /// First global id in dimension 1; 0 if unused.
    GlobalOffsetY,
    /// First global id in dimension 2; 0 if unused.
    GlobalOffsetZ,
    /// Device address of the module's program-scope variables; only if it has any in memory.
    ProgramBase,
}

impl HiddenArg {
    /// All, in register order.
    pub const ALL: [HiddenArg; 14] = [
        Self::WorkDim,
        Self::GlobalSizeX,
        Self::GlobalSizeY,
        Self::GlobalSizeZ,
        Self::LocalSizeX,
        Self::LocalSizeY,
        Self::LocalSizeZ,
        Self::NumGroupsX,
        Self::NumGroupsY,
        Self::NumGroupsZ,
        Self::GlobalOffsetX,
        Self::GlobalOffsetY,
        Self::GlobalOffsetZ,
        Self::ProgramBase,
    ];

    /// Size in bytes: 8 for the device address, else 4.
    pub fn bytes(self) -> u32 {
        match self {
            Self::ProgramBase => 8,
            _ => 4,
        }
    }

    /// Name as in the manifest: `work_dim`, `global_size_x`...
    pub fn name(self) -> &'static str {
        match self {
            Self::WorkDim => "work_dim",
            Self::GlobalSizeX => "global_size_x",
            Self::GlobalSizeY => "global_size_y",
            Self::GlobalSizeZ => "global_size_z",
            Self::LocalSizeX => "local_size_x",
            Self::LocalSizeY => "local_size_y",
            Self::LocalSizeZ => "local_size_z",
            Self::NumGroupsX => "num_groups_x",
            Self::NumGroupsY => "num_groups_y",
            Self::NumGroupsZ => "num_groups_z",
            Self::GlobalOffsetX => "global_offset_x",
            Self::GlobalOffsetY => "global_offset_y",
            Self::GlobalOffsetZ => "global_offset_z",
            Self::ProgramBase => "program_base",
        }
    }

    /// Meaning, for tables.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::WorkDim => "number of dimensions, 1 to 3",
            Self::GlobalSizeX => "work-items in dimension 0",
            Self::GlobalSizeY => "work-items in dimension 1 (1 if unused)",
            Self::GlobalSizeZ => "work-items in dimension 2 (1 if unused)",
            Self::LocalSizeX => "work-items of a work-group in dimension 0",
            Self::LocalSizeY => "work-items of a work-group in dimension 1 (1 if unused)",
            Self::LocalSizeZ => "work-items of a work-group in dimension 2 (1 if unused)",
            Self::NumGroupsX => "work-groups in dimension 0: global / local size, rounded up",
            Self::NumGroupsY => "work-groups in dimension 1",
            Self::NumGroupsZ => "work-groups in dimension 2",
            Self::GlobalOffsetX => "first global id in dimension 0",
            Self::GlobalOffsetY => "first global id in dimension 1 (0 if unused)",
            Self::GlobalOffsetZ => "first global id in dimension 2 (0 if unused)",
            Self::ProgramBase => {
                "device address of program-scope variables; only in modules that have them in memory"
            }
        }
    }
}

/// Place of a hidden argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenSlot {
    /// Which one.
    pub name: HiddenArg,
    /// Byte address of its first register.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Where the arguments of a kernel stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterMap {
    /// Byte address of each argument's first register, in argument order; `None` for local pointers.
    pub args: Vec<Option<u32>>,
    /// The hidden arguments, in address order.
    pub hidden: Vec<HiddenSlot>,
    /// First byte after the last argument's reserved word.
    pub end: u32,
    /// For each word from [`regs::ARGS`] on, whether it holds part of an argument; the others are
    /// reserved: what is written there is ignored, and they read as 0.
    pub used: Vec<bool>,
}

impl RegisterMap {
    /// Number of 32-bit words from [`regs::ARGS`] to [`Self::end`], reserved words included: the
    /// size of the register file.
    pub fn words(&self) -> u32 {
        (self.end - regs::ARGS) / 4
    }

    /// Place of a hidden argument.
    pub fn hidden(&self, name: HiddenArg) -> Option<u32> {
        self.hidden.iter().find(|slot| slot.name == name).map(|slot| slot.offset)
    }
}

/// 32-bit words that a value of `size` bytes takes, its reserved word included.
pub fn register_words(size: u32) -> u32 {
    size.div_ceil(4) + 1
}

/// Lays out the registers of a kernel: its arguments in order, then the hidden ones
/// ([`HiddenArg::ProgramBase`] only if `program_memory`).
///
/// Reads each argument's `kind` and `size`; ignores the `offset` it may already have.
///
/// # Errors
/// [`AbiError::TooManyArguments`] if the register space does not suffice.
pub fn layout(kernel: &str, args: &[Arg], program_memory: bool) -> Result<RegisterMap, AbiError> {
    let too_many =
        |end| AbiError::TooManyArguments { kernel: kernel.to_owned(), end, limit: regs::ARGS_END };
    let mut next = regs::ARGS;
    let mut used = vec![];
    let mut place = |size: u32| {
        let offset = next;
        // Beyond the register space nothing is laid out: that is an error below.
        if next <= regs::ARGS_END && size <= regs::ARGS_END {
            used.extend((1..register_words(size)).map(|_| true).chain([false]));
        }
        next = next.saturating_add(register_words(size).saturating_mul(4));
        offset
    };
    let mut offsets = Vec::with_capacity(args.len());
    for arg in args {
        offsets.push(match arg.kind {
            ArgKind::LocalPtr => None,
            _ if arg.stream.is_some() => None,
            ArgKind::GlobalPtr | ArgKind::ConstantPtr => Some(place(8)),
            ArgKind::Scalar
            | ArgKind::Image
            | ArgKind::Sampler
            | ArgKind::Pipe
            | ArgKind::Queue => Some(place(arg.size)),
        });
    }
    let hidden = HiddenArg::ALL
        .into_iter()
        .filter(|&name| name != HiddenArg::ProgramBase || program_memory)
        .map(|name| HiddenSlot { name, offset: place(name.bytes()), size: name.bytes() })
        .collect();
    if next > regs::ARGS_END {
        return Err(too_many(next));
    }
    Ok(RegisterMap { args: offsets, hidden, end: next, used })
}
