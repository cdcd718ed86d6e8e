//! What every crate of clhls stands on: dense entity maps, source locations, diagnostics,
//! the in-memory file set that steps return, random numbers, and pass timing.
//!
//! Nothing in here knows OpenCL or hardware.

pub mod diagnostic;
pub mod fileset;
pub mod random;
pub mod source;
pub mod timing;

pub use cranelift_entity as entity;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Result, Severity};
pub use fileset::FileSet;
pub use source::{FileId, Loc, SourceMap};

/// Hash map with a fixed hash function. Never iterate over it to produce output;
/// use [`IndexMap`] or sort.
pub use rustc_hash::FxHashMap;
/// Hash set with a fixed hash function; the same caution as [`FxHashMap`].
pub use rustc_hash::FxHashSet;

/// Map that iterates in insertion order.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
/// Set that iterates in insertion order.
pub type IndexSet<K> = indexmap::IndexSet<K, rustc_hash::FxBuildHasher>;
pub use smallvec::{SmallVec, smallvec};
