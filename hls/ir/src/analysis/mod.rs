//! Analyses over a function. They are computed on demand and never stored in the IR.

pub mod address;
pub mod carried;
pub mod cfg;
pub mod divergence;
pub mod dominators;
pub mod liveness;
pub mod loops;
pub mod provenance;

pub use address::root;
pub use carried::{Carried, back_edge, read_params};
pub use cfg::Cfg;
pub use divergence::Divergence;
pub use dominators::Dominators;
pub use liveness::Liveness;
pub use loops::{LoopId, Loops};
pub use provenance::{Base, Provenance};
