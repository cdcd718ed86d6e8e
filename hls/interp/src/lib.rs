//! Reference interpreter of the IR over an NDRange: the golden model.
//!
//! ```
//! # use interp::{Argument, Launch, Memory, Options, Program};
//! let module = ir::parse::parse_module(r#"
//! module "m" addr 64 cl 120
//! kernel "fill" {
//!   arg 0 "out" "uint*" global size 8 align 4
//! b0:
//!   v0:ptr.global = arg 0
//!   v1:i64 = workitem global_id 0
//!   v2:i64 = const 2
//!   v3:i64 = shl v1, v2
//!   v4:ptr.global = ptradd v0, v3
//!   v5:i32 = slice v1 lo 0
//!   e0 = store v4, v5 align 4
//!   ret
//! }"#)?;
//! let mut memory = Memory::new();
//! let program = Program::new(&module, &mut memory)?;
//! let out = memory.allocate("buffer `out`", vec![0; 12], 4, program.address_limit()).unwrap();
//! let launch = Launch {
//!     kernel: "fill".into(),
//!     work_dim: 1,
//!     global: [3, 1, 1],
//!     local: None,
//!     offset: [0; 3],
//!     args: vec![Argument::Pointer(out)],
//! };
//! program.run(&mut memory, &launch, &Options::default())?;
//! assert_eq!(memory.buffer(out), Some(&[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0][..]));
//! # Ok::<(), base::Diagnostics>(())
//! ```
//!
//! # What it defines
//! * Pure operations: [`eval`].
//! * Memory: buffers of a [`Memory`]; each work-group has its own local memory and each work-item
//!   its own private memory, both zero at the start. An access that is not inside one buffer or object, that is
//!   not aligned as the instruction says, or that goes through null is an error with the source
//!   line; so is a barrier that not all work-items of the group reach.
//! * Addresses: local and private objects stand at addresses from 4096 on with gaps of at least
//!   4096 bytes. A generic pointer is an address with [`ir::op::generic_tag`] in its two top bits.
//! * Order: work-groups and the work-items of a group one after the other, x fastest, or in random
//!   order ([`Order`]): a result that depends on it shows a data race.
//! * Launches that run together ([`Program::run_together`]): each until a pipe refuses it something, or for a while, then the next.
//! * Sub-groups: the whole work-group is one.

mod access;
mod code;
mod decode;
pub mod eval;
mod launch;
mod machine;
mod memory;
mod pipe;
pub mod polls;
mod program;
mod run;
mod together;
mod watch;

pub use abi::pipe::MOST_POLLS;
pub use launch::MAX_WORK_GROUP_SIZE;
pub use memory::Memory;
pub use program::{PipeNote, Program};

/// One argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Device address, for pointers to global and constant memory; 0 = null.
    Pointer(u64),
    /// Size in bytes of the memory behind a local pointer.
    Local(u64),
    /// Bytes by value, little endian.
    Value(Vec<u8>),
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name of the kernel.
    pub kernel: String,
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// Work-items in each dimension; 1 in unused ones.
    pub global: [u32; 3],
    /// Work-items of a work-group. None: the kernel's required size, else its hint if it is
    /// allowed, else in each dimension, 0 first, the largest divisor of the global size that the
    /// kernel's limit ([`MAX_WORK_GROUP_SIZE`] if it has none) leaves room for.
    pub local: Option<[u32; 3]>,
    /// First global id; 0 in unused dimensions.
    pub offset: [u32; 3],
    /// The arguments in order.
    pub args: Vec<Argument>,
}

/// In which order work-items run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// Groups and work-items in order, x fastest; each runs until it ends or waits.
    #[default]
    Sequential,
    /// Groups and, between barriers, work-items in random order.
    Shuffled {
        /// Seed of the order.
        seed: u64,
    },
    /// As shuffled, and work-items of a group take turns after few instructions.
    Interleaved {
        /// Seed of the order.
        seed: u64,
    },
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Most instructions of all work-items together.
    pub step_limit: Option<u64>,
    /// Order of work-items.
    pub order: Order,
    /// Operations on pipes that may be refused while nothing else is done; 0: as many as there are.
    pub most_polls: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { step_limit: None, order: Order::default(), most_polls: MOST_POLLS }
    }
}

/// What a launch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Work-items that ran.
    pub work_items: u64,
    /// Instructions executed, as decoded.
    pub steps: u64,
}
