//! Dense `u32` names of everything in a function. Their `Display` is the text syntax.

use base::entity::entity_impl;

/// An SSA value: instruction result or block parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "v");

/// An instruction. Effects are referred to as `eN` in ordering lists.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inst(u32);
entity_impl!(Inst, "e");

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "b");

/// A memory object that a function names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Object(u32);
entity_impl!(Object, "o");

/// A look-up table of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table(u32);
entity_impl!(Table, "t");

/// A variable of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Global(u32);
entity_impl!(Global, "g");

/// A function of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Func(u32);
entity_impl!(Func, "f");
