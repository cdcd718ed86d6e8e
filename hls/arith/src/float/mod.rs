//! Floating-point operators on the packed bit patterns of a [`Format`].
//!
//! All are correctly rounded with full subnormals. A result that is not a number is the
//! canonical NaN of its format ([`Format::nan`]), whatever the operands' payloads.

mod add;
mod mul;
pub mod parts;
pub mod round;

pub use add::{fadd, fsub};
pub use mul::fmul;
