//! What a design is built for: device families with operator delays and areas, and boards.
//!
//! Both are data. `board-support/` has a folder for each: a folder with a `delays.toml` is a *family*, one with a
//! `board.toml` is a *board*. The folders are embedded at build time ([`Library::builtin`]); a folder of the same shape
//! outside the repository is read at run time ([`Library::with_dir`]).
//!
//! ```
//! use target::{Library, OpKind};
//! let board = Library::builtin().board("ulx3s").unwrap();
//! let family = &board.family;
//! // two chained 32-bit additions at 100 MHz?
//! let path = family.clock_overhead_ns + 2.0 * family.delay_ns(OpKind::Add, 32);
//! assert!(path < 1000.0 / 100.0);
//! ```

mod board;
mod curve;
mod error;
mod family;
mod library;
mod op;
mod operation;

pub use board::{Board, Ecp5Flow, Ecp5Memory, Flow, Memory, Resources};
pub use error::TargetError;
pub use family::{Area, DspTile, Family, RamFacts, Room, Timing};
pub use library::Library;
pub use op::OpKind;
pub use operation::{kind_of, op_kind};
