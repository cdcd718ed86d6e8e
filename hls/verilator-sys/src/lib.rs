//! Builds and loads Verilated models; the only unsafe FFI to them.
