//! What a caller must know to launch a kernel, whatever executes it.

use crate::element::ElementType;
use crate::image::ImageFormat;
use crate::sub_groups::SubGroups;
use serde::{Deserialize, Serialize};

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgKind {
    /// Pointer to a buffer in global memory.
    GlobalPtr,
    /// Pointer to a buffer in constant memory.
    ConstantPtr,
    /// Pointer to local memory: the host gives a size, the hardware has the memory.
    LocalPtr,
    /// A scalar, vector or structure passed by value.
    Scalar,
    /// A pipe: its descriptor by value ([`crate::pipe`]).
    Pipe,
    /// An image: its descriptor by value ([`crate::image`]).
    Image,
    /// A sampler: a 32-bit word ([`crate::image::sampler`]).
    Sampler,
    /// A queue on the device: its number, 0 for none ([`crate::enqueue`]).
    Queue,
}

impl ArgKind {
    /// In words, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::GlobalPtr => "global buffer",
            Self::ConstantPtr => "constant buffer",
            Self::LocalPtr => "local memory pointer",
            Self::Scalar => "value",
            Self::Pipe => "pipe",
            Self::Image => "image",
            Self::Sampler => "sampler",
            Self::Queue => "queue on the device",
        }
    }

    /// Whether the argument is the device address of a buffer.
    pub fn is_buffer(self) -> bool {
        matches!(self, Self::GlobalPtr | Self::ConstantPtr)
    }

    /// Whether there is device memory behind the argument: a buffer, the texels of an image, or a pipe's object.
    pub fn has_memory(self) -> bool {
        self.is_buffer() || matches!(self, Self::Image | Self::Pipe)
    }
}

/// What the kernel does to the memory behind an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Access {
    /// Only reads.
    #[serde(rename = "ro")]
    ReadOnly,
    /// Only writes.
    #[serde(rename = "wo")]
    WriteOnly,
    /// Reads and writes.
    #[serde(rename = "rw")]
    ReadWrite,
    /// Neither, or the argument is no memory.
    #[default]
    #[serde(rename = "none")]
    None,
}

/// One argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arg {
    /// Position in the kernel's argument list, from 0.
    pub index: u32,
    /// Name in the source, or `arg<index>` where the module has no names.
    pub name: String,
    /// Type as OpenCL C spells it, as far as known: `float*`, `uint4`.
    pub type_name: String,
    /// How it is passed.
    pub kind: ArgKind,
    /// Type of the value, or for pointers of what they point to; `None` for structures.
    pub element: Option<ElementType>,
    /// Bytes the argument itself takes: 8 for buffers (a device address), the value's size for
    /// [`ArgKind::Scalar`], [`ImageDescriptor::BYTES`](crate::ImageDescriptor::BYTES) for images, 4 for samplers,
    /// [`PipeDescriptor::BYTES`](crate::PipeDescriptor::BYTES) for pipes, 0 for local pointers (they have no register).
    pub size: u32,
    /// Alignment in bytes of the value, or of what a pointer points to; for what a launch may pass see
    /// [`KernelSignature::pointer_multiple`].
    pub align: u32,
    /// Byte address of its first register; `None` where it has none.
    pub offset: Option<u32>,
    /// What the kernel does to the memory behind it; with a pipe: to its packets.
    pub access: Access,
    /// The `m_axi_*` port whose memory it must be in; `None` for values and before there is hardware.
    pub port: Option<String>,
    /// Whether the pointer was declared `restrict`.
    pub restrict: bool,
    /// Local pointers: capacity in bytes of the memory in hardware, the most a launch can ask for;
    /// `None` where there is no fixed limit (interpreter).
    pub local_capacity: Option<u64>,
    /// Pipes: bytes of a packet as the kernel reads or writes it; `None` where it does neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_size: Option<u32>,
    /// Images: the only format that the kernel was built for; `None` where it takes all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ImageFormat>,
    /// Connected pipes: the AXI4-Stream that it is. Then it has no registers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamPort>,
    /// Pipes: it stands for a channel that the program declares outside of its kernels. Such arguments are the last; hosts do not see
    /// them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub channel: bool,
}

/// An AXI4-Stream of a kernel, without TLAST, TKEEP and the like: a packet is one transfer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamPort {
    /// Prefix of its signals: `axis_in`.
    pub name: String,
    /// Width of TDATA: the bits of a packet.
    pub data_bits: u32,
    /// Packets that the pipe holds, at its reading end.
    pub depth: u32,
    /// Whether the kernel is the one that writes.
    pub writes: bool,
    /// Module of the RTL library behind the port, an instance `u_<name>` of the kernel's top module; empty where the kernel
    /// does nothing with the pipe.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

impl Arg {
    /// Whether it takes images of depths, `image2d_depth_t` and the like, or of colors; none where its type does not say.
    pub fn takes_depths(&self) -> Option<bool> {
        let image = self.kind == ArgKind::Image && self.type_name.starts_with("image");
        image.then(|| self.type_name.ends_with("_depth_t"))
    }

    /// Its type in words, for messages: as OpenCL C spells it where that is known.
    pub fn describe_type(&self) -> String {
        match (self.kind, self.element) {
            _ if !self.type_name.is_empty() => self.type_name.clone(),
            (ArgKind::Scalar, Some(element)) => element.to_string(),
            (ArgKind::Scalar, None) => format!("{} bytes", self.size),
            (kind, _) => kind.describe().to_owned(),
        }
    }
}

/// Alignment in bytes of the pointers that a kernel takes whose [`KernelSignature::simd`] is
/// above 1, or that asks for it ([`KernelSignature::pointer_multiple`]). Buffers and OpenCL's sub-buffers begin at such addresses.
pub const BUFFER_ALIGN: u64 = 64;

/// What a caller must know to launch a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSignature {
    /// Kernel name in the source.
    pub name: String,
    /// Pointer size of the SPIR-V module: 32 or 64.
    pub address_bits: u32,
    /// Arguments in order; `args[i].index == i`.
    pub args: Vec<Arg>,
    /// `reqd_work_group_size`: the only local size allowed.
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// Most work-items of a work-group.
    pub max_work_group_size: u32,
    /// `SubgroupsPerWorkgroup`: the only number of sub-groups of a work-group allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_groups: Option<SubGroups>,
    /// `work_group_size_hint`: the local size the programmer expects; used when a launch gives none.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// Whether the last work-group of a dimension may be smaller (OpenCL 2.0 without
    /// `-cl-uniform-work-group-size`).
    pub non_uniform: bool,
    /// Work-items that go through the datapath side by side, 1 for most. More of them need pointers
    /// to the beginning of lines ([`BUFFER_ALIGN`]).
    pub simd: u32,
    /// Whether rows of work-groups must begin with a multiple of `simd`: see [`Self::row_multiple`].
    pub simd_group_rows: bool,
    /// Copies of the datapath, which take the work-groups of a launch in turn; 1 for most.
    #[serde(default = "one")]
    pub compute_units: u32,
    /// Made of a block: only other kernels launch it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enqueued: bool,
    /// The kernels that it may enqueue itself, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enqueues: Vec<String>,
}

fn one() -> u32 {
    1
}

impl KernelSignature {
    /// The arguments that hosts pass: all but those that stand for channels, which are the last.
    pub fn passed(&self) -> &[Arg] {
        let channels = self.args.iter().rev().take_while(|arg| arg.channel).count();
        self.args.get(..self.args.len() - channels).unwrap_or_default()
    }

    /// What the global offset in dimension 0 must be a multiple of, and the local size, too, unless
    /// there is one work-group in that dimension.
    pub fn row_multiple(&self) -> u32 {
        if self.simd_group_rows { self.simd } else { 1 }
    }

    /// What the address that a pointer argument takes must be a multiple of: [`BUFFER_ALIGN`] where several work-items go side
    /// by side, or where the kernel joins accesses to neighbouring places that begin there.
    pub fn pointer_multiple(&self, arg: &Arg) -> u64 {
        let joins = u64::from(arg.align) >= BUFFER_ALIGN;
        if self.simd > 1 || joins { BUFFER_ALIGN } else { 1 }
    }

    /// The argument with this name, or, if no argument has it, with this number.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|arg| arg.name == name).or_else(|| {
            let index: usize = name.parse().ok()?;
            self.args.get(index)
        })
    }
}
