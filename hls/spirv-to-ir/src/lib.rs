//! Step: SPIR-V module to kernel IR.
