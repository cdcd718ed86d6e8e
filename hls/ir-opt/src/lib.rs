//! Step: kernel IR to better kernel IR.
