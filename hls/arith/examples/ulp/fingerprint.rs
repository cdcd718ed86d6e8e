//! What tells whether a datapath changed since it was measured or compared.

use clhls_arith::{Operator, build_function};

/// Changes with the operator's datapath: a hash of its IR (FNV-1a).
pub fn fingerprint(op: Operator) -> u64 {
    let text = format!("{:?}", build_function(op, 64));
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
