//! What generated code and the launcher share: the memory image of a running work-group.

use base::Loc;
use std::mem::offset_of;

/// Handed to generated code by pointer. Only the thread that runs the group touches it.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Arguments, laid out by [`crate::types::ArgLayout`]; local pointers are those of this thread.
    pub args: *const u8,
    /// Local memory of the group.
    pub local: *mut u8,
    /// Private memory: of all work-items if the kernel has barriers, else of one.
    pub private: *mut u8,
    /// Values that live across barriers, of all work-items.
    pub spill: *mut u8,
    /// Bytes of private memory of one work-item.
    pub private_stride: u64,
    /// How the work-items of this phase have ended so far: [`NONE`], [`DONE`] or a barrier plus 1.
    pub ended: u64,
    /// How the work-item that disagrees ended; or the number of the place that went wrong.
    pub other: u64,
    /// Attempts at pipes that the work-item may still make until it does something else, and how many are allowed. Counting
    /// down from 0 never comes to an end.
    pub polls: u64,
    pub most_polls: u64,
    /// The thread's [`crate::company::Watcher`].
    pub watcher: *mut (),
    /// Local id of the work-item that went wrong.
    pub item: [u64; 3],
    /// Dimensions of the launch.
    pub work_dim: u64,
    /// Work-items in each dimension.
    pub global: [u64; 3],
    /// First global id.
    pub offset: [u64; 3],
    /// Local size given at the launch.
    pub enqueued: [u64; 3],
    /// Work-groups in each dimension.
    pub num_groups: [u64; 3],
    /// Id of this group.
    pub group: [u64; 3],
    /// Size of this group.
    pub size: [u64; 3],
    /// Global id of this group's first work-item.
    pub first: [u64; 3],
}

/// No work-item of the phase has ended yet.
pub(crate) const NONE: u64 = u64::MAX;
/// The work-items ended, without a barrier.
pub(crate) const DONE: u64 = 0;

/// What generated code returns: everything went well.
pub(crate) const OK: i64 = 0;
/// Work-items of the group disagree about the next barrier.
pub(crate) const DISAGREE: i64 = 1;
/// A place was reached that the source declares unreachable.
pub(crate) const UNREACHABLE: i64 = 2;
/// A work-item only repeats what a pipe refuses.
pub(crate) const POLLS: i64 = 3;

/// Code of one phase of a kernel for one work-group.
pub(crate) type PhaseFn = unsafe extern "C" fn(*mut Context) -> i64;

/// Fields that generated code reads by offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    Args,
    Local,
    Private,
    Spill,
    PrivateStride,
    Ended,
    Other,
    Polls,
    MostPolls,
    Item(u8),
    WorkDim,
    Global(u8),
    Offset(u8),
    Enqueued(u8),
    NumGroups(u8),
    Group(u8),
    Size(u8),
    First(u8),
}

impl Field {
    /// Bytes from the start of the context.
    pub(crate) fn offset(self) -> i32 {
        let (at, dim) = match self {
            Field::Args => (offset_of!(Context, args), 0),
            Field::Local => (offset_of!(Context, local), 0),
            Field::Private => (offset_of!(Context, private), 0),
            Field::Spill => (offset_of!(Context, spill), 0),
            Field::PrivateStride => (offset_of!(Context, private_stride), 0),
            Field::Ended => (offset_of!(Context, ended), 0),
            Field::Other => (offset_of!(Context, other), 0),
            Field::Polls => (offset_of!(Context, polls), 0),
            Field::MostPolls => (offset_of!(Context, most_polls), 0),
            Field::Item(d) => (offset_of!(Context, item), d),
            Field::WorkDim => (offset_of!(Context, work_dim), 0),
            Field::Global(d) => (offset_of!(Context, global), d),
            Field::Offset(d) => (offset_of!(Context, offset), d),
            Field::Enqueued(d) => (offset_of!(Context, enqueued), d),
            Field::NumGroups(d) => (offset_of!(Context, num_groups), d),
            Field::Group(d) => (offset_of!(Context, group), d),
            Field::Size(d) => (offset_of!(Context, size), d),
            Field::First(d) => (offset_of!(Context, first), d),
        };
        (at + 8 * usize::from(dim)) as i32
    }
}

/// Places in the source that generated code names by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Barriers, by number.
    pub barriers: Vec<Loc>,
    /// Terminators that are declared unreachable.
    pub unreachable: Vec<Loc>,
    /// Attempts at pipes: the argument, and where.
    pub polls: Vec<(u32, Loc)>,
}
