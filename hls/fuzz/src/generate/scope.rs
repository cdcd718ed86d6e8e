//! What expressions and statements can name.

use crate::types::Ty;
use abi::ScalarType;

/// A variable, a field, or something that only has a value.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// How it is written.
    pub text: String,
    pub ty: Ty,
    /// Whether all work-items of a group have the same value in it.
    pub uniform: bool,
    pub writable: bool,
}

/// An array.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// How its first element's address is written.
    pub base: String,
    /// Its elements.
    pub ty: Ty,
    /// How many elements, a power of two.
    pub len: u32,
    /// Whether all work-items of a group find the same in it.
    pub uniform: bool,
    /// Whether the work-item owns it.
    pub writable: bool,
    /// `__global`, `__constant` or `__private`
    pub space: &'static str,
}

/// What a function takes.
#[derive(Clone, Debug)]
pub(super) enum Takes {
    Value(Ty),
    /// A private array to read and write.
    Array(Ty, u32),
    /// An array to read, in some address space.
    Table(Ty, u32, &'static str),
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub name: String,
    pub takes: Vec<Takes>,
    pub gives: Ty,
    /// How often its innermost statement runs in a call.
    pub cost: u32,
}

/// What can be named at some place.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope {
    pub places: Vec<Place>,
    pub arrays: Vec<Array>,
}

/// Which types a program has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Profile {
    pub lanes: u8,
    pub floats: bool,
    pub doubles: bool,
    pub halves: bool,
    /// Depth of expressions.
    pub depth: u32,
    /// About how many statements the kernel has.
    pub statements: usize,
}

impl Profile {
    /// Whether a program may have values of the type.
    pub fn has(&self, elem: ScalarType) -> bool {
        match elem {
            ScalarType::F16 => self.halves,
            ScalarType::F32 => self.floats,
            ScalarType::F64 => self.doubles,
            _ => true,
        }
    }
}
