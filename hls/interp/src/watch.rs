//! Whether a kernel only repeats what pipes refuse it.
//!
//! Operations that are refused are counted until something is done that others, or the kernel itself, can see: a packet or a
//! reservation is taken or made, memory changes, a work-item ends or comes to a barrier; by the launch or by one that runs beside it.

use crate::Argument;
use crate::access::{Memories, PrivateView};
use crate::code::MemoryOp;
use abi::pipe::{field, place};
use ir::{KernelArg, KernelArgKind};

/// The pipes of a launch, and the operations on them that were refused.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Arguments that are pipes in memory, with the addresses of their objects.
    in_memory: Vec<(u32, u64)>,
    /// Refused operations since anything else was done.
    polls: u64,
    /// Most of them; 0: no limit.
    most: u64,
    /// How often something was done.
    advances: u64,
    /// It gave way before the attempt that comes next.
    gave_way: bool,
}

/// What an atomic operation on a word of a pipe in memory means.
enum Word {
    /// An attempt, which succeeds if another word changes next.
    Credit,
    /// Positions and marks: only who has a reservation comes to those.
    Other,
}

impl Watch {
    /// Of a launch with these arguments.
    pub fn new(infos: &[KernelArg], args: &[Argument], most: u64) -> Self {
        let object = |(k, (info, arg)): (usize, (&KernelArg, &Argument))| {
            let (KernelArgKind::Pipe(access), Argument::Value(bytes)) = (info.kind, arg) else {
                return None;
            };
            let address = bytes.get(field::ADDRESS as usize..)?.first_chunk()?;
            access.connected.is_none().then_some((k as u32, u64::from_le_bytes(*address)))
        };
        let in_memory = infos.iter().zip(args).enumerate().filter_map(object).collect();
        Watch { in_memory, most, ..Watch::default() }
    }

    /// Something was done.
    #[inline]
    pub fn advance(&mut self) {
        self.polls = 0;
        self.advances += 1;
    }

    /// A launch beside this one has done something.
    pub fn others_advance(&mut self) {
        self.polls = 0;
    }

    /// How often something was done.
    pub fn advances(&self) -> u64 {
        self.advances
    }

    /// Whether to let others run before the atomic operation at an address: a new attempt at a pipe in memory that has refused one. Not
    /// within an attempt, which holds what it could not use for a moment.
    pub fn gives_way(&mut self, address: u64) -> bool {
        let attempt = self.looks() && matches!(self.word(address), Some((_, Word::Credit)));
        self.gave_way = attempt && !self.gave_way;
        self.gave_way
    }

    /// Whether stores and atomic operations are of interest: only behind a refused operation.
    #[inline]
    pub fn looks(&self) -> bool {
        self.polls != 0
    }

    /// Refused operations that end a launch.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Whether there are pipes whose words atomic operations change.
    #[inline]
    pub fn has_objects(&self) -> bool {
        !self.in_memory.is_empty()
    }

    /// An operation was refused: whether there were too many.
    #[inline]
    pub fn refuse(&mut self) -> bool {
        self.polls += 1;
        self.most != 0 && self.polls >= self.most
    }

    /// An atomic operation at an address of global memory: the argument, if it was an attempt, and whether there were too many.
    pub fn atomic(&mut self, address: u64) -> Option<(u32, bool)> {
        match self.word(address) {
            Some((arg, Word::Credit)) => Some((arg, self.refuse())),
            Some((_, Word::Other)) => {
                self.advance();
                None
            }
            None => None,
        }
    }

    /// Whether an address is that of a word of a pipe.
    pub fn is_word(&self, address: u64) -> bool {
        self.word(address).is_some()
    }

    fn word(&self, address: u64) -> Option<(u32, Word)> {
        self.in_memory.iter().find_map(|(arg, object)| {
            let offset = address.wrapping_sub(*object);
            let word = [place::WRITERS, place::READERS].into_iter().find_map(|side| {
                let at = offset.wrapping_sub(side.into());
                (at <= place::MARKS.into()).then_some(at)
            })?;
            let is_credit = word == u64::from(place::CREDIT);
            Some((*arg, if is_credit { Word::Credit } else { Word::Other }))
        })
    }
}

/// The bytes of an access that others can see, before it is made; none if they cannot.
pub(crate) fn before(
    memories: &mut Memories<'_, '_>,
    private: PrivateView<'_>,
    op: &MemoryOp,
    pointer: u64,
) -> Option<Vec<u8>> {
    memories.shared_bytes(private, op, pointer).map(<[u8]>::to_vec)
}
