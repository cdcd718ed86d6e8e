//! Floating-point operators on the packed bit patterns of a [`Format`](crate::Format).
//!
//! All are correctly rounded with full subnormals. A result that is not a number is the
//! canonical NaN of its format ([`Format::nan`](crate::Format::nan)), whatever the operands'
//! payloads; only `fneg`, `fabs` and `fcopysign` let payloads pass, as they move bits alone.

mod add;
mod compare;
mod convert;
pub(crate) mod div;
mod flush;
mod fma;
mod mul;
pub mod parts;
pub mod round;

pub use add::{fadd, fsub};
pub use compare::{fabs, fcmp, fcopysign, fmax, fmin, fneg};
pub use convert::{fround, ftof, ftof_stochastic, ftoi, itof};
pub use div::{fdiv, fsqrt};
pub use flush::flushed;
pub use fma::fma;
pub use mul::fmul;
pub use round::RANDOM_BITS;
