//! `clhls support`

use crate::Streams;
use crate::failure::Result;

/// Prints the tables by which the SPIR-V reader decides.
pub(crate) fn support(streams: &mut Streams<'_>) -> Result<()> {
    streams.print(&spirv_to_ir::support::markdown())
}
