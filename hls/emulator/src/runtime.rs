//! What generated code calls: operations that are no instructions of the processor.
//!
//! They are evaluated by [`interp::eval`], so they cannot differ from the interpreter's.

use base::SmallVec;
use interp::eval::eval;
use ir::{Op, Type};

use crate::types::ADDR_BITS;

/// An operation on scalars that generated code leaves to [`pure`] or [`pure_wide`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub op: Op,
    pub result: Type,
    pub args: SmallVec<[Type; 3]>,
}

impl Site {
    /// Whether the evaluator knows the operation on these types.
    pub(crate) fn is_known(&self) -> bool {
        self.eval([0; 3]).is_some()
    }

    fn eval(&self, bits: [u128; 3]) -> Option<u128> {
        let args: SmallVec<[(Type, u128); 3]> = self.args.iter().copied().zip(bits).collect();
        eval(self.op, self.result, &args, ADDR_BITS, |_| None)
    }
}

/// The result of an operation on values of up to 64 bits; operands that it does not have are ignored.
pub(crate) extern "C" fn pure(site: &Site, a: u64, b: u64, c: u64) -> u64 {
    site.eval([a.into(), b.into(), c.into()]).unwrap_or(0) as u64
}

/// The result of an operation on values of any width: in place of the first operand.
pub(crate) extern "C" fn pure_wide(site: &Site, values: &mut [u128; 3]) {
    values[0] = site.eval(*values).unwrap_or(0);
}

/// C's `fmod` on doubles; NaNs as the processor makes them.
pub(crate) extern "C" fn fmod(a: f64, b: f64) -> f64 {
    a % b
}

/// C's `memset`.
///
/// # Safety
/// `size` bytes from `address` on belong to the caller.
pub(crate) unsafe extern "C" fn clear(address: *mut u8, byte: i32, size: u64) {
    // SAFETY: as above
    unsafe { address.write_bytes(byte as u8, size as usize) }
}
