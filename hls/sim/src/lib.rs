//! A device made of Verilated hardware and a memory model.
