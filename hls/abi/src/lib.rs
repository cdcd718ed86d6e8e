//! What host and hardware agree on: register map, argument layout, manifest.
//!
//! * [`regs`]: the AXI4-Lite registers every kernel has (control, interrupt, counters, error flags).
//! * [`layout`]: where each argument stands in the register file.
//! * [`Manifest`]: `manifest.json`, the description of a built design that hosts and simulators read.
//! * [`print`]: what kernels print, and how it gets to the host.
//! * [`enqueue`]: what kernels enqueue, and how the host learns of it.
//! * [`KernelSignature`]: the part of a kernel's description that exists before any hardware does, so
//!   that the interpreter and the hardware devices check arguments in the same way.
//!
//! The same facts in prose, for people who write a host by hand: `docs/abi.md`.

mod element;
pub mod enqueue;
mod error;
mod hex;
pub mod image;
mod layout;
mod manifest;
pub mod pipe;
pub mod print;
pub mod regs;
mod signature;
pub mod srgb;
mod sub_groups;
pub mod tables;
mod verify;

pub use element::{ElementType, ScalarType};
pub use enqueue::{EnqueueQueue, EnqueueSite};
pub use error::AbiError;
pub use image::{ChannelOrder, ChannelType, ImageDescriptor, ImageFormat};
pub use layout::{HiddenArg, HiddenSlot, RegisterMap, layout, register_words};
pub use manifest::{
    Channel, DivisionInfo, Kernel, Link, LinkEnd, LoopInfo, MANIFEST_FILE, MANIFEST_VERSION,
    Manifest, MemoryPort, ProgramMemory, Relocation, Site, SiteKind, SpecConstant,
};
pub use pipe::PipeDescriptor;
pub use signature::{Access, Arg, ArgKind, BUFFER_ALIGN, KernelSignature, StreamPort};
pub use sub_groups::SubGroups;
