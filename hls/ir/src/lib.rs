//! Kernel IR: SSA blocks with parameters, effects explicit; builder, verifier, text form, analyses.
